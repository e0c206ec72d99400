/* Copies instructions into the kernel: resolves pointers and leaves out instructions that translation does
 * not need.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "compiler/translate/passes/flatten.h"

uint32_t flatten_value(const struct flattener *f, uint32_t id)
{
    if (id >= f->bound)
        return id;
    switch (f->module->ids[id].kind) {
    case SPIRV_ID_VALUE:
    case SPIRV_ID_PARAMETER:
        return f->map[id];
    case SPIRV_ID_VARIABLE:
        return f->map[id] != 0 ? f->map[id] : id;
    case SPIRV_ID_CONSTANT:
        return f->map[id] != 0 ? f->map[id] : id; /* lengths of cooperative matrices */
    default:
        return id;
    }
}

int32_t flatten_lengths(struct flattener *f, struct spirv_block *entry)
{
    f->block = entry;
    for (uint32_t id = 1; id < f->bound && f->module->has_leaders; id++) {
        const struct spirv_constant *constant = spirv_constant(f->module, id);
        if (constant == NULL || constant->length_of == 0)
            continue;
        uint32_t value = body_new_id(f->body, constant->type);
        struct spirv_instruction *op =
            flatten_append(f, SpvOpCooperativeMatrixLengthNV, constant->type, value, 1, NULL);
        if (value == 0 || op == NULL)
            return body_status(f->body);
        op->operands[0] = constant->length_of;
        f->map[id]      = value;
    }
    return TRM_OK;
}

static int32_t no_value(const struct flattener *f, const struct spirv_instruction *op)
{
    return body_refuse(f->body, op, "uses an operand that has no value");
}

/* Makes a variable of the kernel in place of `id`, and stores its initial value. */
static int32_t copy_variable(struct flattener *f, uint32_t id, const struct spirv_instruction *op)
{
    struct body *body               = f->body;
    struct spirv_variable *variable = base_arena_allocate(body->arena, 1, sizeof(*variable));
    uint32_t copy                   = body_copy_id(body, id);

    if (variable == NULL || copy == 0 ||
        !base_arena_grow(body->arena, &body->locals, body->local_count, &body->local_capacity,
                         sizeof(*body->locals)))
        return body_status(body);
    *variable                         = *f->module->ids[id].as.variable;
    uint32_t initializer              = variable->initializer;
    variable->storage                 = SpvStorageClassFunction;
    variable->initializer             = 0;
    f->module->ids[copy].kind         = SPIRV_ID_VARIABLE;
    f->module->ids[copy].as.variable  = variable;
    f->map[id]                        = copy;
    body->locals[body->local_count++] = copy;
    if (flatten_is_pointer_type(f, spirv_type(f->module, variable->type)->element)) {
        /* it holds an address; its initial value is null */
        uint32_t address = body_address_type(body);
        variable->type   = address == 0 ? 0 : body_pointer_type(body, SpvStorageClassFunction, address);
        if (initializer != 0 && address != 0)
            initializer = body_constant(body, address, 0);
        if (variable->type == 0)
            return body_status(body);
        f->module->ids[copy].type = variable->type;
    }
    access_variable(body, copy);
    if (initializer == 0)
        return TRM_OK;
    struct spirv_instruction *store = flatten_append(f, SpvOpStore, 0, 0, 2, op);
    if (store == NULL)
        return body_status(body);
    store->operands[0] = copy;
    store->operands[1] = initializer;
    return TRM_OK;
}

int32_t flatten_privates(struct flattener *f, struct spirv_block *entry)
{
    f->block = entry;
    for (uint32_t i = 0; i < f->module->variable_count; i++) {
        uint32_t id = f->module->variables[i];
        if (f->module->ids[id].as.variable->storage != SpvStorageClassPrivate)
            continue;
        int32_t status = copy_variable(f, id, NULL);
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

/* OpCopyObject, and OpCopyLogical between equal types: the result is the operand. */
static int32_t copy_forward(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t value = flatten_value(f, op->operands[0]);

    if (value == 0)
        return no_value(f, op);
    f->map[op->result] = value;
    return TRM_OK;
}

static int32_t copy_chain(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t base  = flatten_value(f, op->operands[0]);
    uint32_t count = op->operand_count - 1u;
    uint32_t indices[SPIRV_DEPTH_MOST + 1];

    if (base == 0)
        return no_value(f, op);
    if (count > SPIRV_DEPTH_MOST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "an OpAccessChain has more indices than a type has levels");
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = flatten_value(f, op->operands[i + 1]);
        if (indices[i] == 0)
            return no_value(f, op);
    }
    return access_chain(f->body, op, f->map[op->result], base, indices, count);
}

/* A loaded image or sampler is the variable itself. */
static int32_t copy_opaque(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t from = flatten_value(f, op->operands[0]);

    if (from == 0 || body_access(f->body, from)->variable == 0)
        return no_value(f, op);
    f->map[op->result] = from;
    return TRM_OK;
}

static int32_t copy_sampled(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t image = flatten_value(f, op->operands[0]), sampler = flatten_value(f, op->operands[1]);
    uint32_t result = f->map[op->result];

    if (image == 0 || sampler == 0 || body_access(f->body, image)->variable == 0 ||
        body_access(f->body, sampler)->variable == 0)
        return no_value(f, op);
    return access_sampled(f->body, result, image, sampler);
}

static int32_t copy_texel_pointer(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t image = flatten_value(f, op->operands[0]), coordinate = flatten_value(f, op->operands[1]);

    if (image == 0 || coordinate == 0 || body_access(f->body, image)->variable == 0)
        return no_value(f, op);
    return access_texel(f->body, f->map[op->result], image, coordinate);
}

/* OpCopyMemory becomes a load and a store. */
static int32_t copy_memory(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t to = flatten_value(f, op->operands[0]), from = flatten_value(f, op->operands[1]);

    if (to == 0 || from == 0 || body_access(f->body, to)->variable == 0 ||
        body_access(f->body, from)->variable == 0)
        return no_value(f, op);
    uint32_t type                  = body_access(f->body, from)->type;
    uint32_t value                 = body_new_id(f->body, type);
    struct spirv_instruction *load = flatten_append(f, SpvOpLoad, type, value, 1, op);
    if (value == 0 || load == NULL)
        return body_status(f->body);
    load->operands[0]               = from;
    struct spirv_instruction *store = flatten_append(f, SpvOpStore, 0, 0, 2, op);
    if (store == NULL)
        return body_status(f->body);
    store->operands[0] = to;
    store->operands[1] = value;
    return TRM_OK;
}

/* Copies an instruction unchanged, with new ids. Labels become block indices; those of phis once the whole
 * function is copied. */
static int32_t copy_plain(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t result                = op->result == 0 ? 0 : f->map[op->result];
    struct spirv_instruction *copy = flatten_append(f, op->opcode, op->type, result, op->operand_count, op);

    if (copy == NULL)
        return body_status(f->body);
    if (operation_is_barrier(f->module, op))
        f->body->has_barrier = true;
    if (op->operand_count != 0)
        memcpy(copy->operands, op->operands, op->operand_count * sizeof(uint32_t));
    if (op->opcode == SpvOpPhi)
        return TRM_OK;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!operand_is_value(op, i))
            continue;
        copy->operands[i] = flatten_value(f, op->operands[i]);
        if (copy->operands[i] == 0)
            return no_value(f, op);
    }
    for (uint32_t i = 0; i < branch_count(f->module, op); i++) {
        uint32_t at        = branch_operand(f->module, op, i);
        copy->operands[at] = f->map[op->operands[at]];
    }
    return TRM_OK;
}

static int32_t append_simple(struct flattener *f, uint32_t opcode, const struct spirv_instruction *like)
{
    return flatten_append(f, opcode, 0, 0, 0, like) == NULL ? body_status(f->body) : TRM_OK;
}

/* An operation that reads values of other work-items: all publish theirs before any reads, and keep them
 * until all have read. */
static int32_t copy_exchange(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t at    = operation_exchanged(op);
    uint32_t value = flatten_value(f, op->operands[at]);

    if (value == 0)
        return no_value(f, op);
    uint32_t type                     = f->module->ids[value].type;
    uint32_t published                = body_new_id(f->body, type);
    struct spirv_instruction *publish = flatten_append(f, OPERATION_PUBLISH, type, published, 1, op);
    if (published == 0 || publish == NULL)
        return body_status(f->body);
    f->module->ids[published].name = "published";
    publish->operands[0]           = value;
    int32_t status                 = append_simple(f, OPERATION_MEET, op);
    if (status == TRM_OK)
        status = copy_plain(f, op);
    if (status != TRM_OK)
        return status;
    block_terminator(f->block)->operands[at] = published;
    f->body->has_barrier                     = true;
    status                                   = append_simple(f, OPERATION_MEET, op);
    return status == TRM_OK ? append_simple(f, OPERATION_RETRACT, op) : status;
}

/* Refuses pointers other than variables and paths into them. */
static int32_t refuse_pointer(struct flattener *f, const struct spirv_instruction *op)
{
    return body_refuse(f->body, op, "of pointers is not supported");
}

/* Checks that every pointer operand is resolved. */
static int32_t check_memory(struct flattener *f, const struct spirv_instruction *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!operand_is_value(op, i))
            continue;
        uint32_t id             = op->operands[i];
        enum spirv_id_kind kind = f->module->ids[id].kind;
        if (kind != SPIRV_ID_VALUE && kind != SPIRV_ID_CONSTANT && kind != SPIRV_ID_PARAMETER &&
            kind != SPIRV_ID_VARIABLE)
            continue;
        if (spirv_type_of(f->module, id)->kind != SPIRV_POINTER)
            continue;
        uint32_t value = flatten_value(f, id);
        if (value == 0 || body_access(f->body, value)->variable == 0)
            return refuse_pointer(f, op);
    }
    return TRM_OK;
}

static bool is_ignored(const struct flattener *f, const struct spirv_instruction *op)
{
    switch (op->opcode) {
    case SpvOpNop:
    case SpvOpUndef:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
    case SpvOpAssumeTrueKHR:
        return true;
    case SpvOpExtInst:
        return f->module->ids[op->operands[0]].set == SPIRV_SET_IGNORED;
    default:
        return false;
    }
}

static bool is_return(uint32_t opcode)
{
    return opcode == SpvOpReturn || opcode == SpvOpReturnValue || opcode == SpvOpKill ||
           opcode == SpvOpTerminateInvocation || opcode == SpvOpUnreachable;
}

int32_t flatten_instruction(struct flattener *f, struct frame *frame, const struct spirv_instruction *op)
{
    if (is_ignored(f, op))
        return TRM_OK;
    if (is_return(op->opcode))
        return flatten_return(f, frame, op);
    switch (op->opcode) {
    case SpvOpFunctionCall:
        return flatten_call(f, frame, op);
    case SpvOpVariable:
        return copy_variable(f, op->result, op);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return copy_chain(f, op);
    case SpvOpCopyObject:
        return copy_forward(f, op);
    case SpvOpCopyMemory:
        return copy_memory(f, op);
    case SpvOpSampledImage:
        return copy_sampled(f, op);
    case SpvOpImageTexelPointer:
        return copy_texel_pointer(f, op);
    default:
        break;
    }
    if (op->type != 0 && spirv_is_opaque(spirv_type(f->module, op->type)))
        return copy_opaque(f, op);
    if (flatten_is_of_pointers(f, op))
        return flatten_pointer(f, op);
    if (flatten_is_pointer_type(f, op->type))
        return refuse_pointer(f, op);
    int32_t status = check_memory(f, op);
    if (status != TRM_OK)
        return status;
    if (op->result != 0 && f->map[op->result] == 0) {
        if (op->opcode == SpvOpCopyLogical && op->type == f->module->ids[op->operands[0]].type)
            return copy_forward(f, op);
        f->map[op->result] = body_copy_id(f->body, op->result);
        if (f->map[op->result] == 0)
            return body_status(f->body);
    }
    return operation_is_exchange(f->module, op) ? copy_exchange(f, op) : copy_plain(f, op);
}
