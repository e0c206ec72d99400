/* Variable pointers, which are chosen at run time (SPV_KHR_variable_pointers), and physical pointers:
 * addresses as 64-bit integers, which phis, selects, calls and variables handle as any other value. A pointer
 * that is known stays a path into its variable, as long as nothing needs its address.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "compiler/translate/passes/flatten.h"

bool flatten_is_pointer_type(const struct flattener *f, uint32_t type)
{
    return type != 0 && spirv_type(f->module, type)->kind == SPIRV_POINTER;
}

bool flatten_is_pointer(const struct flattener *f, uint32_t id)
{
    enum spirv_id_kind kind = f->module->ids[id].kind;

    return (kind == SPIRV_ID_VALUE || kind == SPIRV_ID_PARAMETER || kind == SPIRV_ID_CONSTANT ||
            kind == SPIRV_ID_VARIABLE) &&
           flatten_is_pointer_type(f, f->module->ids[id].type);
}

/* Appends an operation with one or two operands and an address as the result. 0 without memory. */
static uint32_t append(struct flattener *f, uint32_t opcode, uint32_t a, uint32_t b,
                       const struct spirv_instruction *like)
{
    uint32_t type                = body_address_type(f->body);
    uint32_t result              = type == 0 ? 0 : body_new_id(f->body, type);
    struct spirv_instruction *op = flatten_append(f, opcode, type, result, b == 0 ? 1 : 2, like);

    if (result == 0 || op == NULL)
        return 0;
    op->operands[0] = a;
    if (b != 0)
        op->operands[1] = b;
    return result;
}

/* The address of what the copy of a pointer points to. */
static uint32_t address_of(struct flattener *f, uint32_t pointer, const struct spirv_instruction *like)
{
    if (body_access(f->body, pointer)->variable == 0) /* null, or undefined */
        return body_constant(f->body, body_address_type(f->body), 0);
    uint32_t address = access_only_address(f->body, pointer);
    return address != 0 ? address : append(f, SpvOpConvertPtrToU, pointer, 0, like);
}

uint32_t flatten_address(struct flattener *f, uint32_t id, const struct spirv_instruction *like)
{
    uint32_t pointer = flatten_value(f, id);

    return pointer == 0 ? 0 : address_of(f, pointer, like);
}

int32_t flatten_point(struct flattener *f, uint32_t result, uint32_t type, uint32_t address)
{
    if (f->map[result] == 0)
        f->map[result] = body_copy_id(f->body, result);
    if (address == 0 || f->map[result] == 0 || !access_address(f->body, f->map[result], type, address)) {
        f->body->arena->failed = 1;
        return body_status(f->body);
    }
    return TRM_OK;
}

uint32_t flatten_incoming(struct flattener *f, struct spirv_block *from, uint32_t value,
                          const struct spirv_instruction *phi)
{
    struct spirv_block *block = f->block;
    uint32_t count            = from->count;

    f->block         = from;
    uint32_t address = flatten_address(f, value, phi);
    f->block         = block;
    if (address != 0 && from->count == count + 1) { /* it goes before the terminator */
        struct spirv_instruction last = from->instructions[count];
        from->instructions[count]     = from->instructions[count - 1];
        from->instructions[count - 1] = last;
    }
    return address;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* The stride of the array that a pointer type's elements are in. */
static uint64_t stride_of(const struct flattener *f, const struct spirv_type *pointer)
{
    const struct spirv_type *type = spirv_type(f->module, pointer->element);
    uint64_t alignment            = type->natural_alignment;

    if (pointer->stride != 0)
        return pointer->stride;
    if (pointer->storage != SpvStorageClassWorkgroup)
        return spirv_element_stride(f->module, pointer);
    return (type->natural_size + alignment - 1) / alignment * alignment;
}

/* An index as a signed number of 64 bits. */
static uint32_t widen(struct flattener *f, uint32_t id, const struct spirv_instruction *op)
{
    const struct spirv_constant *constant = spirv_constant(f->module, id);
    const struct spirv_type *type         = spirv_type_of(f->module, id);
    uint32_t unused                       = 64 - type->width;

    if (constant != NULL)
        return body_constant(f->body, body_address_type(f->body),
                             (uint64_t)((int64_t)(constant->bits << unused) >> unused));
    return append(f, type->width == 64 ? SpvOpBitcast : SpvOpSConvert, id, 0, op);
}

/* Does the path end with the element of an array with this stride? */
static bool is_element(const struct flattener *f, const struct access *access, uint64_t stride)
{
    uint32_t id = spirv_type_of(f->module, access->variable)->element;

    if (access->count == 0 || body_variable(f->body, access->variable)->is_memory)
        return false;
    for (uint32_t i = 0; i + 1 < access->count; i++) {
        const struct spirv_type *type = spirv_type(f->module, id);
        id                            = type->kind == SPIRV_STRUCT
                                            ? type->members[spirv_constant(f->module, access->indices[i])->bits].type
                                            : type->element;
    }
    const struct spirv_type *array = spirv_type(f->module, id);
    if (array->kind != SPIRV_ARRAY && array->kind != SPIRV_RUNTIME_ARRAY)
        return false;
    return array->stride == 0 || array->stride == stride;
}

/* The index of a path's last step, moved by `element`; 0 when the path cannot be kept: an index may not
 * become negative or larger than 32 bits. */
static uint32_t moved_index(struct flattener *f, const struct access *access, uint32_t element,
                            const struct spirv_instruction *op)
{
    uint32_t last                         = access->indices[access->count - 1];
    const struct spirv_constant *constant = spirv_constant(f->module, last);
    uint32_t type                         = f->module->ids[element].type;

    if (constant != NULL && constant->bits == 0)
        return element;
    if (f->module->ids[last].type != type)
        return 0;
    uint32_t result               = body_new_id(f->body, type);
    struct spirv_instruction *sum = flatten_append(f, SpvOpIAdd, type, result, 2, op);
    if (result == 0 || sum == NULL)
        return 0;
    sum->operands[0] = last;
    sum->operands[1] = element;
    return result;
}

/* Keeps the path and moves its last index. False: it cannot be kept. */
static bool move_path(struct flattener *f, uint32_t base, uint32_t element, uint64_t stride, uint32_t *moved,
                      const struct spirv_instruction *op)
{
    struct access access = *body_access(f->body, base);

    if (access.variable == 0 || !is_element(f, &access, stride))
        return false;
    uint32_t *indices = base_arena_allocate(f->body->arena, access.count, sizeof(*indices));
    uint32_t index    = moved_index(f, &access, element, op);
    if (indices == NULL || index == 0)
        return false;
    memcpy(indices, access.indices, access.count * sizeof(*indices));
    indices[access.count - 1] = index;
    *moved                    = access_copy(f->body, base, indices);
    return *moved != 0;
}

/* OpPtrAccessChain: the address plus the element times the stride, or a path with another last index; then
 * the other indices. */
static int32_t copy_pointer_chain(struct flattener *f, const struct spirv_instruction *op)
{
    const struct spirv_type *type = spirv_type_of(f->module, op->operands[0]);
    uint32_t base = flatten_value(f, op->operands[0]), element = flatten_value(f, op->operands[1]);
    uint32_t count = op->operand_count - 2u, indices[SPIRV_DEPTH_MOST + 1], moved = 0;
    uint64_t stride = stride_of(f, type);

    if (base == 0 || element == 0 || count > SPIRV_DEPTH_MOST)
        return body_refuse(f->body, op, "uses an operand that has no value");
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = flatten_value(f, op->operands[i + 2]);
        if (indices[i] == 0)
            return body_refuse(f->body, op, "uses an operand that has no value");
    }
    if (!move_path(f, base, element, stride, &moved, op)) {
        uint32_t offset = widen(f, element, op);
        uint32_t size   = body_constant(f->body, body_address_type(f->body), stride);
        offset          = offset == 0 || size == 0 ? 0 : append(f, SpvOpIMul, offset, size, op);
        uint32_t from   = offset == 0 ? 0 : address_of(f, base, op);
        uint32_t to     = from == 0 ? 0 : append(f, SpvOpIAdd, from, offset, op);
        moved           = body_new_id(f->body, type->id);
        if (to == 0 || moved == 0 || !access_address(f->body, moved, type->id, to)) {
            f->body->arena->failed = 1;
            return body_status(f->body);
        }
    }
    return access_chain(f->body, op, f->map[op->result], moved, indices, count);
}

static int32_t copy_select(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t type = body_address_type(f->body), condition = flatten_value(f, op->operands[0]);
    uint32_t yes = flatten_address(f, op->operands[1], op), no = flatten_address(f, op->operands[2], op);
    uint32_t address               = type == 0 ? 0 : body_new_id(f->body, type);
    struct spirv_instruction *copy = flatten_append(f, SpvOpSelect, type, address, 3, op);

    if (condition == 0 || yes == 0 || no == 0 || address == 0 || copy == NULL)
        return body_refuse(f->body, op, "uses an operand that has no value");
    copy->operands[0] = condition;
    copy->operands[1] = yes;
    copy->operands[2] = no;
    return flatten_point(f, op->result, op->type, address);
}

/* The operands stay those of the module until flatten_incoming() completes them. */
static int32_t copy_phi(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t type                  = body_address_type(f->body);
    uint32_t address               = type == 0 ? 0 : body_new_id(f->body, type);
    struct spirv_instruction *copy = flatten_append(f, SpvOpPhi, type, address, op->operand_count, op);

    if (address == 0 || copy == NULL)
        return body_status(f->body);
    memcpy(copy->operands, op->operands, op->operand_count * sizeof(uint32_t));
    return flatten_point(f, op->result, op->type, address);
}

static int32_t copy_load(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t from    = flatten_value(f, op->operands[0]);
    uint32_t address = from == 0 ? 0 : append(f, SpvOpLoad, from, 0, op);

    return flatten_point(f, op->result, op->type, address);
}

static int32_t copy_store(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t to = flatten_value(f, op->operands[0]), address = flatten_address(f, op->operands[1], op);
    struct spirv_instruction *store = flatten_append(f, SpvOpStore, 0, 0, 2, op);

    if (to == 0 || address == 0 || store == NULL)
        return body_refuse(f->body, op, "uses an operand that has no value");
    store->operands[0] = to;
    store->operands[1] = address;
    return TRM_OK;
}

/* OpPtrEqual, OpPtrNotEqual, OpPtrDiff. */
static int32_t copy_compare(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t a = flatten_address(f, op->operands[0], op), b = flatten_address(f, op->operands[1], op);
    uint32_t opcode = op->opcode == SpvOpPtrEqual ? SpvOpIEqual : SpvOpINotEqual;

    if (a == 0 || b == 0)
        return body_refuse(f->body, op, "uses an operand that has no value");
    if (op->opcode == SpvOpPtrDiff) {
        uint64_t stride = stride_of(f, spirv_type_of(f->module, op->operands[0]));
        a               = append(f, SpvOpISub, a, b, op);
        b               = body_constant(f->body, body_address_type(f->body), stride);
        a               = a == 0 || b == 0 ? 0 : append(f, SpvOpSDiv, a, b, op);
        b               = 0;
        opcode          = spirv_type(f->module, op->type)->width == 64 ? SpvOpBitcast : SpvOpSConvert;
    }
    struct spirv_instruction *copy =
        flatten_append(f, opcode, op->type, f->map[op->result], b == 0 ? 1 : 2, op);
    if (a == 0 || copy == NULL)
        return body_status(f->body);
    copy->operands[0] = a;
    if (b != 0)
        copy->operands[1] = b;
    return TRM_OK;
}

/* ---- physical pointers ----------------------------------------------------------------------- */

/* OpConvertUToPtr, OpBitcast to a pointer: the integer is the address. */
static int32_t copy_from_integer(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t id = op->operands[0], value = flatten_value(f, id);

    if (flatten_is_pointer(f, id))
        return flatten_point(f, op->result, op->type, flatten_address(f, id, op));
    if (value == 0)
        return body_refuse(f->body, op, "uses an operand that has no value");
    const struct spirv_type *type = spirv_type_of(f->module, id);
    bool is_narrow                = type->kind == SPIRV_INT && type->width < 64;
    return flatten_point(f, op->result, op->type,
                         append(f, is_narrow ? SpvOpUConvert : SpvOpBitcast, value, 0, op));
}

/* OpConvertPtrToU, OpBitcast of a pointer to integers. */
static int32_t copy_to_integer(struct flattener *f, const struct spirv_instruction *op)
{
    const struct spirv_type *type = spirv_type(f->module, op->type);
    bool is_narrow                = type->kind == SPIRV_INT && type->width < 64;
    uint32_t address              = flatten_address(f, op->operands[0], op);

    if (f->map[op->result] == 0)
        f->map[op->result] = body_copy_id(f->body, op->result);
    struct spirv_instruction *copy =
        flatten_append(f, is_narrow ? SpvOpUConvert : SpvOpBitcast, op->type, f->map[op->result], 1, op);
    if (address == 0 || copy == NULL)
        return body_refuse(f->body, op, "uses an operand that has no value");
    copy->operands[0] = address;
    return TRM_OK;
}

/* OpCompositeExtract of a pointer: the part is an address. */
static int32_t copy_extract(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t type = body_address_type(f->body), from = flatten_value(f, op->operands[0]);
    uint32_t address               = type == 0 ? 0 : body_new_id(f->body, type);
    struct spirv_instruction *copy = flatten_append(f, op->opcode, type, address, op->operand_count, op);

    if (from == 0 || address == 0 || copy == NULL)
        return body_refuse(f->body, op, "uses an operand that has no value");
    memcpy(copy->operands, op->operands, op->operand_count * sizeof(uint32_t));
    copy->operands[0] = from;
    return flatten_point(f, op->result, op->type, address);
}

/* OpCompositeConstruct and OpCompositeInsert with pointers: their addresses become parts. */
static int32_t copy_composite(struct flattener *f, const struct spirv_instruction *op)
{
    uint32_t *operands = base_arena_allocate(f->body->arena, op->operand_count, sizeof(*operands));

    if (operands == NULL)
        return body_status(f->body);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t id = op->operands[i];
        if (!operand_is_value(op, i))
            operands[i] = id;
        else if (flatten_is_pointer(f, id))
            operands[i] = flatten_address(f, id, op);
        else
            operands[i] = flatten_value(f, id);
        if (operands[i] == 0 && operand_is_value(op, i))
            return body_refuse(f->body, op, "uses an operand that has no value");
    }
    if (f->map[op->result] == 0)
        f->map[op->result] = body_copy_id(f->body, op->result);
    struct spirv_instruction *copy =
        flatten_append(f, op->opcode, op->type, f->map[op->result], op->operand_count, op);
    if (copy == NULL)
        return body_status(f->body);
    memcpy(copy->operands, operands, op->operand_count * sizeof(uint32_t));
    return TRM_OK;
}

static bool has_pointers(const struct flattener *f, const struct spirv_instruction *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (operand_is_value(op, i) && flatten_is_pointer(f, op->operands[i]))
            return true;
    return false;
}

/* ---- which ----------------------------------------------------------------------------------- */

bool flatten_is_of_pointers(const struct flattener *f, const struct spirv_instruction *op)
{
    switch (op->opcode) {
    case SpvOpPtrAccessChain:
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual:
    case SpvOpPtrDiff:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        return true;
    case SpvOpBitcast:
        return flatten_is_pointer_type(f, op->type) || flatten_is_pointer(f, op->operands[0]);
    case SpvOpCompositeConstruct:
    case SpvOpCompositeInsert:
        return has_pointers(f, op);
    case SpvOpSelect:
    case SpvOpPhi:
    case SpvOpLoad:
    case SpvOpCompositeExtract:
        return flatten_is_pointer_type(f, op->type);
    case SpvOpStore:
        return flatten_is_pointer(f, op->operands[1]);
    default:
        return false;
    }
}

int32_t flatten_pointer(struct flattener *f, const struct spirv_instruction *op)
{
    switch (op->opcode) {
    case SpvOpPtrAccessChain:
        return copy_pointer_chain(f, op);
    case SpvOpSelect:
        return copy_select(f, op);
    case SpvOpPhi:
        return copy_phi(f, op);
    case SpvOpLoad:
        return copy_load(f, op);
    case SpvOpStore:
        return copy_store(f, op);
    case SpvOpConvertUToPtr:
        return copy_from_integer(f, op);
    case SpvOpConvertPtrToU:
        return copy_to_integer(f, op);
    case SpvOpBitcast:
        return flatten_is_pointer_type(f, op->type) ? copy_from_integer(f, op) : copy_to_integer(f, op);
    case SpvOpCompositeExtract:
        return copy_extract(f, op);
    case SpvOpCompositeConstruct:
    case SpvOpCompositeInsert:
        return copy_composite(f, op);
    default:
        return copy_compare(f, op);
    }
}
