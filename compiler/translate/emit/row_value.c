/* How a value grows along a row, and its value for the first work-item.
 *
 * Both walk through the instructions that make the value, down to built-ins, constants and values from before
 * the loop. A value that grows may be made of sums and of products with constants; a value that stays the
 * same may be made of any operation that cannot trap.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/emit/rows.h"

#include <inttypes.h>

#define BUDGET 256u

void row_start(struct emit *emit)
{
    emit->rows->budget = BUDGET;
}

static const struct spirv_type *scalar_of(const struct emit *emit, uint32_t id)
{
    const struct spirv_type *type = spirv_type_of(emit->module, id);

    return type->kind == SPIRV_VECTOR ? spirv_type(emit->module, type->element) : type;
}

static bool is_fit(const struct emit *emit, uint32_t id)
{
    const struct spirv_id *info = &emit->module->ids[id];

    if (info->type == 0 || (info->kind != SPIRV_ID_VALUE && info->kind != SPIRV_ID_CONSTANT))
        return false;
    const struct spirv_type *type = scalar_of(emit, id);
    return type->kind == SPIRV_BOOL || (type->kind == SPIRV_INT && type->width == 32);
}

/* Reads a scalar constant; false for other values. */
static bool constant_of(const struct emit *emit, uint32_t id, uint32_t component, int64_t *value)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);

    if (constant == NULL)
        return false;
    if (component != WHOLE && constant->part_count != 0) {
        if (component >= constant->part_count)
            return false;
        constant = spirv_constant(emit->module, constant->parts[component]);
    }
    if (constant == NULL)
        return false;
    *value = (int32_t)(uint32_t)constant->bits;
    return true;
}

/* Is it computed before the loop? */
static bool is_outside(const struct emit *emit, uint32_t id)
{
    return id < emit->flow->count && emit->flow->where[id] == 0 && emit->flow->items != NULL &&
           (emit->flow->definitions[id] != NULL || emit->body->values[id].place == PLACE_GROUP);
}

static const struct spirv_instruction *definition_of(const struct emit *emit, uint32_t id)
{
    return id < emit->flow->count ? emit->flow->definitions[id] : NULL;
}

/* The built-in and the component that a load reads; false when it reads something else. */
static bool builtin_of(const struct emit *emit, const struct spirv_instruction *op, int32_t *builtin,
                       uint32_t *component)
{
    const struct access *access = body_access(emit->body, op->operands[0]);

    if (access == NULL || access->variable == 0 ||
        emit->module->ids[access->variable].kind != SPIRV_ID_VARIABLE)
        return false;
    const struct spirv_variable *variable = emit->module->ids[access->variable].as.variable;
    if (variable->storage != SpvStorageClassInput || variable->builtin < 0 || access->count > 1)
        return false;
    *builtin = variable->builtin;
    if (access->count == 1) {
        const struct spirv_constant *index = spirv_constant(emit->module, access->indices[0]);
        if (index == NULL || index->bits > 2)
            return false;
        *component = (uint32_t)index->bits;
    }
    return true;
}

static bool builtin_step(const struct emit *emit, int32_t builtin, uint32_t component, int64_t *step)
{
    *step = 0;
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
        *step = component == 0;
        return true;
    case SpvBuiltInLocalInvocationId:
        *step = component == 0;
        return component != 0 || !emit->rows->is_merged;
    case SpvBuiltInLocalInvocationIndex:
        *step = 1;
        return !emit->rows->is_merged;
    case SpvBuiltInWorkgroupId:
        return component != 0 || !emit->rows->is_merged;
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupSize:
        return true;
    default:
        return false;
    }
}

/* Finds the operand of a CompositeConstruct or VectorShuffle that gives a component. */
static bool part_of(const struct emit *emit, const struct spirv_instruction *op, uint32_t component,
                    uint32_t *id, uint32_t *at)
{
    uint32_t first = 0;

    if (op->opcode == SpvOpVectorShuffle) {
        if (component > op->operand_count - 3u || op->operands[2 + component] == UINT32_MAX)
            return false;
        uint32_t pick = op->operands[2 + component];
        uint32_t left = spirv_type_of(emit->module, op->operands[0])->count;
        *id           = op->operands[pick < left ? 0 : 1];
        *at           = pick < left ? pick : pick - left;
        return true;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct spirv_type *type = spirv_type_of(emit->module, op->operands[i]);
        uint32_t count                = type->kind == SPIRV_VECTOR ? type->count : 1;
        if (component < first + count) {
            *id = op->operands[i];
            *at = type->kind == SPIRV_VECTOR ? component - first : WHOLE;
            return true;
        }
        first += count;
    }
    return false;
}

/* Do all operands from `from` on stay the same along the row? */
static bool all_same(struct emit *emit, const struct spirv_instruction *op, uint32_t from, uint32_t component,
                     int64_t *step)
{
    for (uint32_t i = from; i < op->operand_count; i++)
        if (!row_step(emit, op->operands[i], component, step) || *step != 0)
            return false;
    return true;
}

static bool product_step(struct emit *emit, const struct spirv_instruction *op, uint32_t component,
                         int64_t *step)
{
    int64_t left, right, value = 0;

    if (!row_step(emit, op->operands[0], component, &left) ||
        !row_step(emit, op->operands[1], component, &right))
        return false;
    *step = 0;
    if (left == 0 && right == 0)
        return true;
    if (op->opcode == SpvOpIMul) {
        if (left == 0 ? !constant_of(emit, op->operands[0], component, &value)
                      : !constant_of(emit, op->operands[1], component, &value))
            return false;
        *step = (left == 0 ? right : left) * value;
        return (left == 0 || right == 0) && *step <= INT32_MAX && *step >= INT32_MIN;
    }
    if (right != 0 || !constant_of(emit, op->operands[1], component, &value) || value < 0 || value > 8)
        return false;
    *step = left * (1 << value);
    return *step <= INT32_MAX && *step >= INT32_MIN;
}

static bool sum_step(struct emit *emit, const struct spirv_instruction *op, uint32_t component, int64_t *step)
{
    int64_t left, right;

    if (!row_step(emit, op->operands[0], component, &left) ||
        !row_step(emit, op->operands[1], component, &right))
        return false;
    *step = op->opcode == SpvOpIAdd ? left + right : left - right;
    return *step <= INT32_MAX && *step >= INT32_MIN;
}

static bool load_step(struct emit *emit, const struct spirv_instruction *op, uint32_t component,
                      int64_t *step)
{
    int32_t builtin;

    return builtin_of(emit, op, &builtin, &component) && builtin_step(emit, builtin, component, step);
}

/* The step of a shift or division by a constant that cannot trap. */
static bool by_constant(struct emit *emit, const struct spirv_instruction *op, uint32_t component,
                        int64_t *step)
{
    int64_t value;

    if (!constant_of(emit, op->operands[1], component, &value) ||
        !row_step(emit, op->operands[0], component, step))
        return false;
    if (op->opcode == SpvOpUDiv || op->opcode == SpvOpUMod)
        return *step == 0 && value != 0;
    return *step == 0 && value >= 0 && value < 32;
}

/* Is it a minimum, a maximum or a clamp of integers? */
static bool is_bounding(const struct spirv_instruction *op)
{
    switch (op->opcode == SpvOpExtInst ? op->operands[1] : 0u) {
    case GLSLstd450UMin:
    case GLSLstd450SMin:
    case GLSLstd450UMax:
    case GLSLstd450SMax:
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
        return true;
    default:
        return false;
    }
}

static bool step_of(struct emit *emit, const struct spirv_instruction *op, uint32_t component, int64_t *step)
{
    uint32_t id = 0, at = WHOLE;

    switch (op->opcode) {
    case SpvOpLoad:
        return load_step(emit, op, component, step);
    case SpvOpCompositeExtract:
        return op->operand_count == 2 && row_step(emit, op->operands[0], op->operands[1], step);
    case SpvOpCompositeConstruct:
    case SpvOpVectorShuffle:
        return part_of(emit, op, component, &id, &at) && row_step(emit, id, at, step);
    case SpvOpCopyObject:
    case SpvOpBitcast:
        return row_step(emit, op->operands[0], component, step);
    case SpvOpSNegate:
        if (!row_step(emit, op->operands[0], component, step))
            return false;
        *step = -*step;
        return true;
    case SpvOpIAdd:
    case SpvOpISub:
        return sum_step(emit, op, component, step);
    case SpvOpIMul:
    case SpvOpShiftLeftLogical:
        return product_step(emit, op, component, step);
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return by_constant(emit, op, component, step);
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpNot:
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpULessThan:
    case SpvOpULessThanEqual:
    case SpvOpUGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalNot:
        return all_same(emit, op, 0, component, step);
    case SpvOpSelect:
        /* One condition for all components, or one for each. */
        if (spirv_type_of(emit->module, op->operands[0])->kind == SPIRV_VECTOR)
            return all_same(emit, op, 0, component, step);
        return all_same(emit, op, 1, component, step) && row_step(emit, op->operands[0], WHOLE, step) &&
               *step == 0;
    case SpvOpExtInst:
        return is_bounding(op) && all_same(emit, op, 2, component, step);
    default:
        return false;
    }
}

bool row_step(struct emit *emit, uint32_t id, uint32_t component, int64_t *step)
{
    *step = 0;
    if (emit->rows->budget == 0 || !is_fit(emit, id))
        return false;
    emit->rows->budget--;
    if (spirv_constant(emit->module, id) != NULL || is_outside(emit, id))
        return true;
    const struct spirv_instruction *op = definition_of(emit, id);
    if (op == NULL || emit->flow->items == NULL || emit->flow->where[id] != emit->flow->items->number + 1)
        return false;
    return step_of(emit, op, component, step);
}

bool row_is_counter(struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_instruction *op = definition_of(emit, id);
    const uint32_t *size               = emit->body->entry->local_size;
    uint32_t at                        = WHOLE;
    int32_t builtin;

    while (op != NULL && !is_outside(emit, id)) {
        switch (op->opcode) {
        case SpvOpLoad:
            if (!builtin_of(emit, op, &builtin, &component))
                return false;
            if (builtin == SpvBuiltInLocalInvocationIndex)
                return !emit->rows->is_merged && size[1] == 1 && size[2] == 1;
            return component == 0 && builtin == (emit->rows->is_merged ? SpvBuiltInGlobalInvocationId
                                                                       : SpvBuiltInLocalInvocationId);
        case SpvOpCompositeExtract:
            if (op->operand_count != 2)
                return false;
            id        = op->operands[0];
            component = op->operands[1];
            break;
        case SpvOpCompositeConstruct:
        case SpvOpVectorShuffle:
            if (!part_of(emit, op, component, &id, &at))
                return false;
            component = at;
            break;
        case SpvOpCopyObject:
        case SpvOpBitcast:
            id = op->operands[0];
            break;
        default:
            return false;
        }
        op = is_fit(emit, id) ? definition_of(emit, id) : NULL;
    }
    return false;
}

/* ---- writing */

static void pair(struct emit *emit, const struct spirv_instruction *op, uint32_t component,
                 const char *before, const char *between)
{
    text_add(&emit->text, "%s", before);
    row_write(emit, op->operands[0], component);
    text_add(&emit->text, "%s", between);
    row_write(emit, op->operands[1], component);
    text_add(&emit->text, ")");
}

static const char *operator_of(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpIAdd:
        return " + ";
    case SpvOpISub:
        return " - ";
    case SpvOpIMul:
        return " * ";
    case SpvOpShiftLeftLogical:
        return " << ";
    case SpvOpShiftRightLogical:
        return " >> ";
    case SpvOpUDiv:
        return " / ";
    case SpvOpUMod:
        return " % ";
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        return " & ";
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        return " | ";
    case SpvOpBitwiseXor:
        return " ^ ";
    case SpvOpIEqual:
        return " == ";
    case SpvOpINotEqual:
        return " != ";
    case SpvOpULessThan:
        return " < ";
    case SpvOpULessThanEqual:
        return " <= ";
    case SpvOpUGreaterThan:
        return " > ";
    case SpvOpUGreaterThanEqual:
        return " >= ";
    case SpvOpSLessThan:
        return " < (int32_t)";
    case SpvOpSLessThanEqual:
        return " <= (int32_t)";
    case SpvOpSGreaterThan:
        return " > (int32_t)";
    case SpvOpSGreaterThanEqual:
        return " >= (int32_t)";
    default:
        return NULL;
    }
}

/* Writes "trm_greater(a, b)" and the like, of values in 64 bits. */
static void write_bounding(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    uint32_t what  = op->operands[1];
    bool is_signed = what == GLSLstd450SMin || what == GLSLstd450SMax || what == GLSLstd450SClamp;
    bool is_clamp  = op->operand_count > 4;
    bool is_least  = is_clamp || what == GLSLstd450UMin || what == GLSLstd450SMin;

    text_add(&emit->text, is_clamp   ? "(uint32_t)trm_lesser(trm_greater("
                          : is_least ? "(uint32_t)trm_lesser("
                                     : "(uint32_t)trm_greater(");
    for (uint32_t i = 2; i < op->operand_count; i++) {
        if (i > 2)
            text_add(&emit->text, i == 4 ? "), " : ", ");
        text_add(&emit->text, is_signed ? "(int32_t)(" : "(");
        row_write(emit, op->operands[i], component);
        text_add(&emit->text, ")");
    }
    text_add(&emit->text, ")");
}

static void write_select(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    bool is_each = spirv_type_of(emit->module, op->operands[0])->kind == SPIRV_VECTOR;

    text_add(&emit->text, "(");
    row_write(emit, op->operands[0], is_each ? component : WHOLE);
    text_add(&emit->text, " ? ");
    row_write(emit, op->operands[1], component);
    text_add(&emit->text, " : ");
    row_write(emit, op->operands[2], component);
    text_add(&emit->text, ")");
}

static void write_op(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    uint32_t id = 0, at = WHOLE;
    int32_t builtin;

    switch (op->opcode) {
    case SpvOpLoad:
        if (builtin_of(emit, op, &builtin, &component)) {
            emit->rows->at_first = true;
            emit->target->builtin(emit, builtin, component);
            emit->rows->at_first = false;
        }
        return;
    case SpvOpCompositeExtract:
        row_write(emit, op->operands[0], op->operands[1]);
        return;
    case SpvOpCompositeConstruct:
    case SpvOpVectorShuffle:
        if (part_of(emit, op, component, &id, &at))
            row_write(emit, id, at);
        return;
    case SpvOpCopyObject:
    case SpvOpBitcast:
        row_write(emit, op->operands[0], component);
        return;
    case SpvOpSNegate:
    case SpvOpNot:
    case SpvOpLogicalNot:
        text_add(&emit->text, op->opcode == SpvOpNot ? "(~" : op->opcode == SpvOpSNegate ? "(0u - " : "(!");
        row_write(emit, op->operands[0], component);
        text_add(&emit->text, ")");
        return;
    case SpvOpSelect:
        write_select(emit, op, component);
        return;
    case SpvOpExtInst:
        write_bounding(emit, op, component);
        return;
    case SpvOpShiftRightArithmetic:
        pair(emit, op, component, "(uint32_t)((int32_t)", " >> ");
        return;
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
        pair(emit, op, component, "((int32_t)", operator_of(op->opcode));
        return;
    default:
        pair(emit, op, component, "(", operator_of(op->opcode));
        return;
    }
}

void row_write(struct emit *emit, uint32_t id, uint32_t component)
{
    int64_t value;

    if (emit->rows->budget == 0)
        return;
    emit->rows->budget--;
    if (constant_of(emit, id, component, &value)) {
        text_add(&emit->text, "%" PRIu32 "u", (uint32_t)value);
    } else if (spirv_constant(emit->module, id) != NULL) {
        text_add(&emit->text, "0u");
    } else if (is_outside(emit, id)) {
        text_add(&emit->text, "(uint32_t)");
        emit_value(emit, id, component);
    } else if (definition_of(emit, id) != NULL) {
        write_op(emit, definition_of(emit, id), component);
    }
}
