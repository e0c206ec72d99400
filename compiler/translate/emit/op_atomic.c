/* Atomics and fences.
 *
 * In C one thread runs a work-group, so no other thread sees its shared memory: atomics there are plain
 * accesses that the compiler may not vectorise over work-items (the prelude's plain_… functions).
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

/* The common operands: 0 is the pointer, 1 the scope, 2 the semantics; then come the values. */
struct atomic {
    struct emit *emit;
    const struct spirv_instruction *op;
    const struct access *access;
    const struct spirv_type *scalar; /* the type of the memory */
    const char *value;               /* its C type in calls: uint32_t */
    const char *place;               /* an expression for a pointer to the memory */
    const char *inside; /* an expression that checks that it is inside of its variable; NULL: no check */
};

/* The name of the function between "trm_atomic_" and the type. */
static const char *name_of(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpAtomicLoad:
        return "load";
    case SpvOpAtomicStore:
        return "store";
    case SpvOpAtomicExchange:
        return "exchange";
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        return "compare";
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIAdd:
    case SpvOpAtomicFAddEXT:
        return "add";
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicISub:
        return "sub";
    case SpvOpAtomicSMin:
    case SpvOpAtomicUMin:
    case SpvOpAtomicFMinEXT:
        return "min";
    case SpvOpAtomicSMax:
    case SpvOpAtomicUMax:
    case SpvOpAtomicFMaxEXT:
        return "max";
    case SpvOpAtomicAnd:
        return "and";
    case SpvOpAtomicOr:
        return "or";
    default:
        return "xor";
    }
}

/* The type suffix of the function: of a signed, unsigned or float type, or only the width for operations on
 * bits. */
static const char *suffix_of(const struct atomic *atomic)
{
    bool wide = atomic->scalar->width == 64;

    if (atomic->scalar->kind == SPIRV_FLOAT)
        return wide ? "_f64" : "_f32";
    switch (atomic->op->opcode) {
    case SpvOpAtomicSMin:
    case SpvOpAtomicSMax:
        return wide ? "_i64" : "_i32";
    case SpvOpAtomicUMin:
    case SpvOpAtomicUMax:
        return wide ? "_u64" : "_u32";
    default:
        return wide ? "64" : "32";
    }
}

static uint32_t storage_of(const struct atomic *atomic)
{
    return atomic->emit->module->ids[atomic->access->variable].as.variable->storage;
}

static bool is_plain(const struct atomic *atomic)
{
    uint32_t storage = storage_of(atomic);

    return atomic->emit->language == TRM_LANGUAGE_C && storage != SpvStorageClassStorageBuffer &&
           storage != SpvStorageClassUniform && storage != SpvStorageClassUniformConstant;
}

static int32_t write_argument(const struct atomic *atomic, uint32_t id)
{
    text_add(&atomic->emit->text, ", ");
    if (atomic->scalar->kind == SPIRV_FLOAT)
        return emit_value(atomic->emit, id, WHOLE);
    if (atomic->op->opcode == SpvOpAtomicSMin || atomic->op->opcode == SpvOpAtomicSMax)
        return emit_signed(atomic->emit, id, WHOLE);
    return emit_unsigned(atomic->emit, id, WHOLE, true);
}

/* Writes the call. */
static int32_t write_call(const struct atomic *atomic)
{
    struct emit *emit                  = atomic->emit;
    const struct spirv_instruction *op = atomic->op;
    int32_t status                     = TRM_OK;

    emit_part(emit, "%s_%s%s", is_plain(atomic) ? "plain" : "atomic", name_of(op->opcode), suffix_of(atomic));
    text_add(&emit->text, "((%s *)%s", atomic->value, atomic->place);
    switch (op->opcode) {
    case SpvOpAtomicLoad:
        break;
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
        text_add(&emit->text, ", 1");
        break;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        status = write_argument(atomic, op->operands[4]);
        if (status == TRM_OK)
            status = write_argument(atomic, op->operands[5]);
        break;
    default:
        status = write_argument(atomic, op->operands[3]);
        break;
    }
    text_add(&emit->text, ")");
    return status;
}

static const char *value_type(const struct atomic *atomic)
{
    bool is_signed = atomic->op->opcode == SpvOpAtomicSMin || atomic->op->opcode == SpvOpAtomicSMax;
    bool wide      = atomic->scalar->width == 64;

    if (atomic->scalar->kind == SPIRV_FLOAT)
        return wide ? "double" : "float";
    if (is_signed)
        return wide ? "int64_t" : "int32_t";
    return wide ? "uint64_t" : "uint32_t";
}

static int32_t find_texel(struct atomic *atomic)
{
    struct emit *emit = atomic->emit;
    const char *place, *check;
    int32_t status = emit_texel_place(emit, atomic->access, &place, &check);

    atomic->place  = base_arena_format(emit->arena, "%s.at", place);
    atomic->inside = base_arena_format(emit->arena, "%s%s%s.is_inside", check != NULL ? check : "",
                                       check != NULL ? " && " : "", place);
    return status;
}

/* Finds the expression for a pointer to the memory. */
static int32_t find_place(struct atomic *atomic)
{
    struct emit *emit = atomic->emit;
    struct emit_address address;
    size_t length = emit->text.length;
    int32_t status;

    if (storage_of(atomic) == SpvStorageClassUniformConstant)
        return find_texel(atomic);
    text_add(&emit->text, "&");
    if (!emit_has_layout(emit, atomic->access->variable)) {
        status        = emit_path(emit, atomic->access, WHOLE);
        atomic->place = emit_detach(emit, length);
        return status == TRM_OK ? emit_check_path(emit, atomic->access, &atomic->inside) : status;
    }
    status = emit_locate(emit, atomic->access, &address);
    if (status == TRM_OK)
        status = emit_scalar_at(emit, &address, false);
    atomic->place = emit_detach(emit, length);
    if (status == TRM_OK && emit_is_checked(&address)) {
        status         = emit_inside(emit, &address);
        atomic->inside = emit_detach(emit, length);
    }
    return status;
}

static int32_t write_statement(const struct atomic *atomic)
{
    struct emit *emit = atomic->emit;
    int32_t status;

    text_begin_line(&emit->text);
    if (atomic->inside != NULL)
        text_add(&emit->text, "if (%s) ", atomic->inside);
    if (atomic->op->opcode == SpvOpAtomicLoad)
        text_add(&emit->text, "(void)");
    status = write_call(atomic);
    text_add(&emit->text, ";\n");
    return status;
}

/* CUDA's own atomics do not order other accesses: writes the fence that the semantics require. */
static void write_order(struct emit *emit, const struct spirv_instruction *op)
{
    const struct spirv_constant *semantics = spirv_constant(emit->module, op->operands[2]);

    if (emit->language == TRM_LANGUAGE_CUDA && (semantics == NULL || (semantics->bits & 30) != 0))
        text_line(&emit->text, "__threadfence();");
}

int32_t emit_atomic(struct emit *emit, const struct spirv_instruction *op)
{
    struct atomic atomic = {.emit = emit, .op = op, .access = body_access(emit->body, op->operands[0])};
    int32_t status;

    if (atomic.access == NULL || atomic.access->variable == 0)
        return emit_fail(emit, "the pointer is not a path into a variable");
    atomic.scalar = spirv_type(emit->module, atomic.access->type);
    if ((atomic.scalar->kind != SPIRV_INT && atomic.scalar->kind != SPIRV_FLOAT) || atomic.scalar->width < 32)
        return emit_fail(emit, "the type is not an integer or float of 32 or 64 bits");
    atomic.value = value_type(&atomic);
    status       = find_place(&atomic);
    if (status != TRM_OK)
        return status;
    write_order(emit, op);
    if (op->result == 0 || !emit_is_used(emit, op->result)) {
        status = write_statement(&atomic);
    } else {
        emit_begin(emit, op->result, WHOLE);
        if (atomic.inside != NULL)
            text_add(&emit->text, "%s ? ", atomic.inside);
        if (atomic.scalar->kind == SPIRV_INT)
            text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
        status = write_call(&atomic);
        if (atomic.inside != NULL)
            text_add(&emit->text, " : 0");
        text_add(&emit->text, ";\n");
        emit_assigned(emit, op->result);
    }
    write_order(emit, op);
    return status;
}

static int32_t fence(struct emit *emit, uint32_t scope_id, uint32_t semantics_id)
{
    const struct spirv_constant *scope     = spirv_constant(emit->module, scope_id);
    const struct spirv_constant *semantics = spirv_constant(emit->module, semantics_id);
    uint64_t reach                         = scope == NULL ? (uint64_t)SpvScopeDevice : scope->bits;
    uint64_t what                          = semantics == NULL ? UINT64_MAX : semantics->bits;

    if (emit->language == TRM_LANGUAGE_CUDA) {
        text_line(&emit->text, "%s",
                  reach == SpvScopeCrossDevice                              ? "__threadfence_system();"
                  : reach == SpvScopeDevice || reach == SpvScopeQueueFamily ? "__threadfence();"
                                                                            : "__threadfence_block();");
        return TRM_OK;
    }
    /* A group is one thread, and no other thread sees its shared memory. */
    if ((reach != SpvScopeCrossDevice && reach != SpvScopeDevice && reach != SpvScopeQueueFamily) ||
        !(what & (SpvMemorySemanticsUniformMemoryMask | SpvMemorySemanticsCrossWorkgroupMemoryMask |
                  SpvMemorySemanticsImageMemoryMask)))
        return TRM_OK;
    text_line(&emit->text, "__atomic_thread_fence(__ATOMIC_%s);",
              what & SpvMemorySemanticsSequentiallyConsistentMask ? "SEQ_CST" : "ACQ_REL");
    return TRM_OK;
}

int32_t emit_fence(struct emit *emit, const struct spirv_instruction *op)
{
    return fence(emit, op->operands[0], op->operands[1]);
}

/* Barriers of the work-group are nodes of the tree; the other ones are barriers of a subgroup, which is one
 * work-item in C. */
int32_t emit_subgroup_barrier(struct emit *emit, const struct spirv_instruction *op)
{
    if (emit->language == TRM_LANGUAGE_CUDA)
        text_line(&emit->text, "__syncwarp(__activemask());");
    return fence(emit, op->operands[1], op->operands[2]);
}
