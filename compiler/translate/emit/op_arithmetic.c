/* Arithmetic beyond single operators: sums of products, carries, and floats that must not be contracted.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

/* Must the result be rounded as written (the front end's `precise`)? */
static bool is_exact(const struct emit *emit, const struct spirv_instruction *op)
{
    return emit->module->ids[op->result].no_contraction;
}

int32_t emit_float_exact(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    static const char *const patterns[3][2] = {
        {"$r($0 + $1)", "$r(@add_exact_$n($0, $1))"},
        {"$r($0 - $1)", "$r(@sub_exact_$n($0, $1))"},
        {"$r($0 * $1)", "$r(@mul_exact_$n($0, $1))"},
    };
    uint32_t which = op->opcode == SpvOpFAdd ? 0 : op->opcode == SpvOpFSub ? 1 : 2;

    return emit_pattern(emit, op, 0, component, patterns[which][is_exact(emit, op)]);
}

static int32_t write_factor(struct emit *emit, const struct emit_factor *factor)
{
    int32_t status;

    if (factor->column == WHOLE)
        return emit_operand(emit, factor->id, factor->component);
    status = emit_value(emit, factor->id, WHOLE);
    text_add(&emit->text, ".m[%u]", factor->column);
    if (factor->component != WHOLE)
        text_add(&emit->text, "[%u]", factor->component);
    return status;
}

/* Writes a product. Products of halves are rounded like the shader's own multiplications. */
static int32_t write_product(struct emit *emit, const struct spirv_type *scalar, bool exact,
                             const struct emit_factor *a, const struct emit_factor *b)
{
    const char *between = exact ? ", " : " * ";
    int32_t status;

    emit_round(emit, scalar);
    if (exact)
        emit_part(emit, "mul_exact_%s", emit_tag(scalar));
    text_add(&emit->text, exact || scalar->width == 16 ? "(" : "");
    status = write_factor(emit, a);
    text_add(&emit->text, "%s", between);
    if (status == TRM_OK)
        status = write_factor(emit, b);
    text_add(&emit->text, exact || scalar->width == 16 ? ")" : "");
    return status;
}

int32_t emit_products(struct emit *emit, const struct spirv_instruction *op, const struct emit_factor *a,
                      const struct emit_factor *b, uint32_t count)
{
    const struct spirv_type *scalar = emit_scalar(emit, op->type);
    bool exact                      = is_exact(emit, op);
    bool functions                  = exact || scalar->width == 16;
    int32_t status                  = TRM_OK;

    /* Sums associate to the left: the sum of all but the last is the first operand of the last addition. */
    for (uint32_t i = count; functions && i > 1; i--) {
        emit_round(emit, scalar);
        text_add(&emit->text, "(");
        if (exact) {
            emit_part(emit, "add_exact_%s", emit_tag(scalar));
            text_add(&emit->text, "(");
        }
    }
    if (!functions)
        text_add(&emit->text, "(");
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        if (i != 0)
            text_add(&emit->text, exact ? ", " : " + ");
        status = write_product(emit, scalar, exact, &a[i], &b[i]);
        if (functions && i != 0)
            text_add(&emit->text, exact ? "))" : ")");
    }
    if (!functions)
        text_add(&emit->text, ")");
    return status;
}

int32_t emit_dot(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    struct emit_factor a[4], b[4];
    uint32_t count = spirv_type_of(emit->module, op->operands[0])->count;

    (void)component;
    for (uint32_t i = 0; i < count && i < 4; i++) {
        a[i] = (struct emit_factor){op->operands[0], WHOLE, i};
        b[i] = (struct emit_factor){op->operands[1], WHOLE, i};
    }
    return emit_products(emit, op, a, b, count > 4 ? 4 : count);
}

/* Two products of halves, which are exact in a float, and an accumulator: added as floats and rounded
 * once. */
int32_t emit_mixed_dot(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    int32_t status = TRM_OK;

    (void)component;
    emit_round(emit, emit_scalar(emit, op->type));
    text_add(&emit->text, "(");
    status = emit_value(emit, op->operands[2], WHOLE);
    for (uint32_t i = 0; i < 2 && status == TRM_OK; i++) {
        text_add(&emit->text, " + ");
        status = emit_value(emit, op->operands[0], i);
        text_add(&emit->text, " * ");
        if (status == TRM_OK)
            status = emit_value(emit, op->operands[1], i);
    }
    text_add(&emit->text, ")");
    return status;
}

int32_t emit_any_all(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    uint32_t count = spirv_type_of(emit->module, op->operands[0])->count;
    int32_t status = TRM_OK;

    (void)component;
    text_add(&emit->text, "(");
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "" : op->opcode == SpvOpAny ? " | " : " & ");
        status = emit_value(emit, op->operands[0], i);
    }
    text_add(&emit->text, ")");
    return status;
}

/* ---- results of two halves: OpIAddCarry and its kin, whose result is a struct of two alike */

static const char *wide_pattern(uint16_t opcode, uint32_t half, uint32_t width)
{
    static const char *const low[]    = {"$r($u0 + $u1)", "$r($u0 - $u1)", "$r($u0 * $u1)", "$r($u0 * $u1)"};
    static const char *const high[]   = {"@carry$w0($U0, $U1)", "$r($U0 < $U1)", "$r@umulhi$w0($U0, $U1)",
                                         "$r@smulhi$w0($s0, $s1)"};
    static const char *const narrow[] = {"$r(($u0 + $u1) >> $b0)", "$r($U0 < $U1)",
                                         "$r(((uint32_t)$U0 * $U1) >> $b0)",
                                         "$r(((int32_t)$s0 * $s1) >> $b0)"};
    uint32_t which                    = opcode == SpvOpIAddCarry      ? 0
                                        : opcode == SpvOpISubBorrow   ? 1
                                        : opcode == SpvOpUMulExtended ? 2
                                                                      : 3;

    if (half == 0)
        return low[which];
    return width < 32 ? narrow[which] : high[which];
}

int32_t emit_wide(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct spirv_type *result = spirv_type(emit->module, op->type);
    uint32_t member                 = result->members[0].type;
    uint32_t count                  = emit_components(emit, member);
    struct spirv_instruction half   = *op;
    int32_t status                  = TRM_OK;

    (void)component;
    half.type = member;
    emit_open(emit, op->type);
    for (uint32_t i = 0; i < 2 && status == TRM_OK; i++) {
        text_add(&emit->text, "%s%s", i == 0 ? "" : ", ", count > 1 ? "{" : "");
        for (uint32_t c = 0; c < count && status == TRM_OK; c++) {
            text_add(&emit->text, c == 0 ? "" : ", ");
            status = emit_pattern(emit, &half, 0, count > 1 ? c : WHOLE,
                                  wide_pattern(op->opcode, i, emit_scalar(emit, member)->width));
        }
        text_add(&emit->text, count > 1 ? "}" : "");
    }
    emit_close(emit, op->type);
    return status;
}

/* ---- dot products of integers */

/* Writes factor `i` of an operand: a component, or a byte of 32 packed bits; extended to 64 bits. */
static int32_t write_integer_factor(struct emit *emit, uint32_t id, uint32_t i, bool is_signed)
{
    const struct spirv_type *type = spirv_type_of(emit->module, id);
    const char *sign              = is_signed ? "" : "u";
    int32_t status;

    if (type->kind == SPIRV_VECTOR) {
        text_add(&emit->text, "(int64_t)(%sint%u_t)", sign, spirv_type(emit->module, type->element)->width);
        return emit_value(emit, id, i);
    }
    text_add(&emit->text, "(int64_t)(%sint8_t)(", sign);
    status = emit_unsigned(emit, id, WHOLE, false);
    text_add(&emit->text, " >> %u)", 8 * i);
    return status;
}

static int32_t write_integer_sum(struct emit *emit, const struct spirv_instruction *op)
{
    const struct spirv_type *type = spirv_type_of(emit->module, op->operands[0]);
    uint32_t count                = type->kind == SPIRV_VECTOR ? type->count : 4;
    bool a_signed                 = op->opcode != SpvOpUDot && op->opcode != SpvOpUDotAccSat;
    bool b_signed                 = op->opcode == SpvOpSDot || op->opcode == SpvOpSDotAccSat;
    int32_t status                = TRM_OK;

    text_add(&emit->text, "(");
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "(uint64_t)(" : " + (uint64_t)(");
        status = write_integer_factor(emit, op->operands[0], i, a_signed);
        text_add(&emit->text, ") * (uint64_t)(");
        if (status == TRM_OK)
            status = write_integer_factor(emit, op->operands[1], i, b_signed);
        text_add(&emit->text, ")");
    }
    text_add(&emit->text, ")");
    return status;
}

int32_t emit_integer_dot(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct spirv_type *scalar  = spirv_type(emit->module, op->type);
    const struct spirv_type *operand = emit_scalar_of(emit, op->operands[0]);
    bool adds                        = op->opcode >= SpvOpSDotAccSat && op->opcode <= SpvOpSUDotAccSat;
    bool is_signed                   = op->opcode != SpvOpUDotAccSat;
    int32_t status;

    (void)component;
    if (!adds) {
        text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
        return write_integer_sum(emit, op);
    }
    /* The sum is exact in 64 bits only for factors of 8 and 16 bits. */
    if (scalar->width == 64 ||
        (operand->width > 16 && spirv_type_of(emit->module, op->operands[0])->kind == SPIRV_VECTOR))
        return emit_fail(emit, "the factors or sums are too wide");
    text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
    emit_part(emit, is_signed ? "clamp_i64" : "clamp_u64");
    text_add(&emit->text, is_signed ? "((int64_t)" : "(");
    status = write_integer_sum(emit, op);
    text_add(&emit->text, is_signed ? " + (int%u_t)(" : " + (uint%u_t)(", scalar->width);
    if (status == TRM_OK)
        status = emit_value(emit, op->operands[2], WHOLE);
    if (is_signed)
        text_add(&emit->text, "), %lldll, %lldll)", -(1ll << (scalar->width - 1)),
                 (1ll << (scalar->width - 1)) - 1);
    else
        text_add(&emit->text, "), 0u, %llullu)", (1ull << scalar->width) - 1);
    return status;
}
