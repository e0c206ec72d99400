/* Evaluates OpSpecConstantOp with the specialised constants. Overflow wraps. Where SPIR-V leaves the result
 * undefined (division by zero, a shift by the width or more) it is 0.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/spirv/half.h"
#include "compiler/spirv/reader.h"

struct scalar {
    const struct spirv_type *type;
    uint64_t bits;
};

static int64_t as_signed(struct scalar scalar)
{
    uint32_t shift = 64 - scalar.type->width;

    return (int64_t)(scalar.bits << shift) >> shift;
}

static uint64_t as_unsigned(struct scalar scalar)
{
    return scalar.bits << (64 - scalar.type->width) >> (64 - scalar.type->width);
}

static uint64_t divide_signed(uint32_t opcode, int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    if (b == -1)
        return opcode == SpvOpSDiv ? 0 - (uint64_t)a : 0;
    if (opcode == SpvOpSDiv)
        return (uint64_t)(a / b);
    int64_t rest = a % b;
    return (uint64_t)(opcode == SpvOpSMod && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

static uint64_t shift(uint32_t opcode, struct scalar a, struct scalar b)
{
    uint64_t distance = as_unsigned(b);

    if (distance >= a.type->width)
        return 0;
    if (opcode == SpvOpShiftRightLogical)
        return as_unsigned(a) >> distance;
    if (opcode == SpvOpShiftRightArithmetic)
        return (uint64_t)(as_signed(a) >> distance);
    return a.bits << distance;
}

static bool arithmetic(uint32_t opcode, struct scalar a, struct scalar b, uint64_t *bits)
{
    switch (opcode) {
    case SpvOpIAdd:
        *bits = a.bits + b.bits;
        return true;
    case SpvOpISub:
        *bits = a.bits - b.bits;
        return true;
    case SpvOpIMul:
        *bits = a.bits * b.bits;
        return true;
    case SpvOpUDiv:
        *bits = as_unsigned(b) != 0 ? as_unsigned(a) / as_unsigned(b) : 0;
        return true;
    case SpvOpUMod:
        *bits = as_unsigned(b) != 0 ? as_unsigned(a) % as_unsigned(b) : 0;
        return true;
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        *bits = divide_signed(opcode, as_signed(a), as_signed(b));
        return true;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        *bits = a.bits & b.bits;
        return true;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        *bits = a.bits | b.bits;
        return true;
    case SpvOpBitwiseXor:
    case SpvOpLogicalNotEqual:
        *bits = a.bits ^ b.bits;
        return true;
    case SpvOpLogicalEqual:
        *bits = a.bits == b.bits;
        return true;
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        *bits = shift(opcode, a, b);
        return true;
    default:
        return false;
    }
}

static bool compare(uint32_t opcode, struct scalar a, struct scalar b, uint64_t *bits)
{
    switch (opcode) {
    case SpvOpIEqual:
        *bits = as_unsigned(a) == as_unsigned(b);
        return true;
    case SpvOpINotEqual:
        *bits = as_unsigned(a) != as_unsigned(b);
        return true;
    case SpvOpULessThan:
        *bits = as_unsigned(a) < as_unsigned(b);
        return true;
    case SpvOpULessThanEqual:
        *bits = as_unsigned(a) <= as_unsigned(b);
        return true;
    case SpvOpUGreaterThan:
        *bits = as_unsigned(a) > as_unsigned(b);
        return true;
    case SpvOpUGreaterThanEqual:
        *bits = as_unsigned(a) >= as_unsigned(b);
        return true;
    case SpvOpSLessThan:
        *bits = as_signed(a) < as_signed(b);
        return true;
    case SpvOpSLessThanEqual:
        *bits = as_signed(a) <= as_signed(b);
        return true;
    case SpvOpSGreaterThan:
        *bits = as_signed(a) > as_signed(b);
        return true;
    case SpvOpSGreaterThanEqual:
        *bits = as_signed(a) >= as_signed(b);
        return true;
    default:
        return false;
    }
}

static double to_double(struct scalar scalar)
{
    uint32_t word = (uint32_t)scalar.bits;
    double wide;
    float narrow;

    if (scalar.type->width == 16)
        return spirv_half_value((uint16_t)word);
    if (scalar.type->width == 32) {
        memcpy(&narrow, &word, sizeof(narrow));
        return narrow;
    }
    memcpy(&wide, &scalar.bits, sizeof(wide));
    return wide;
}

static uint64_t from_double(uint32_t width, double wide)
{
    float narrow = (float)wide;
    uint32_t word;
    uint64_t bits;

    if (width == 16)
        return spirv_half_bits(wide);
    if (width == 32) {
        memcpy(&word, &narrow, sizeof(word));
        return word;
    }
    memcpy(&bits, &wide, sizeof(bits));
    return bits;
}

static bool convert(uint32_t opcode, const struct spirv_type *type, struct scalar a, uint64_t *bits)
{
    switch (opcode) {
    case SpvOpSNegate:
        *bits = 0 - a.bits;
        return true;
    case SpvOpNot:
    case SpvOpLogicalNot:
        *bits = ~a.bits;
        return true;
    case SpvOpSConvert:
        *bits = (uint64_t)as_signed(a);
        return true;
    case SpvOpUConvert:
    case SpvOpBitcast:
        *bits = as_unsigned(a);
        return true;
    case SpvOpFConvert:
        *bits = from_double(type->width, to_double(a));
        return true;
    case SpvOpQuantizeToF16:
        *bits = from_double(32, spirv_half_quantize(to_double(a)));
        return true;
    default:
        return false;
    }
}

/* ---- vectors, by component ----------------------------------------------------------------- */

static struct scalar part(const struct spirv_module *module, uint32_t id, uint32_t index)
{
    const struct spirv_constant *constant = spirv_constant(module, id);
    const struct spirv_type *type         = spirv_type(module, constant->type);

    if (type->kind != SPIRV_VECTOR)
        return (struct scalar){type, constant->bits};
    return (struct scalar){spirv_type(module, type->element),
                           constant->parts != NULL ? spirv_constant(module, constant->parts[index])->bits
                                                   : 0};
}

static bool fold_scalar(const struct spirv_module *module, const struct spirv_instruction *operation,
                        const struct spirv_type *type, uint32_t index, uint64_t *bits)
{
    struct scalar a = part(module, operation->operands[0], index);
    bool is_done;

    if (operation->opcode == SpvOpSelect) {
        struct scalar b = part(module, operation->operands[1], index);
        struct scalar c = part(module, operation->operands[2], index);
        *bits           = a.bits != 0 ? b.bits : c.bits;
        is_done         = true;
    } else if (operation->operand_count == 1) {
        is_done = convert(operation->opcode, type, a, bits);
    } else {
        struct scalar b = part(module, operation->operands[1], index);
        is_done         = arithmetic(operation->opcode, a, b, bits) || compare(operation->opcode, a, b, bits);
    }
    if (is_done)
        *bits = spirv_extend(type, *bits);
    return is_done;
}

static uint32_t count_of(const struct spirv_module *module, uint32_t id)
{
    const struct spirv_type *type = spirv_type_of(module, id);

    return type->kind == SPIRV_VECTOR ? type->count : 1;
}

static int32_t fold_parts(struct spirv_reader *reader, const struct spirv_instruction *operation,
                          struct spirv_constant *constant)
{
    struct spirv_module *module     = reader->module;
    const struct spirv_type *type   = spirv_type(module, constant->type);
    const struct spirv_type *scalar = type;
    uint32_t parts[4]               = {0};
    uint64_t bits                   = 0;

    if (type->kind == SPIRV_VECTOR)
        scalar = spirv_type(module, type->element);
    else if (spirv_part_count(type) != 0)
        return spirv_unsupported(reader, "%s of constant composites is not supported",
                                 spirv_opcode_name(operation->opcode, (char[32]){0}));
    uint32_t count = type->kind == SPIRV_VECTOR ? type->count : 1;
    if (operation->opcode == SpvOpBitcast && count_of(module, operation->operands[0]) != count)
        return spirv_unsupported(
            reader, "OpBitcast of constants between different numbers of components is not supported");
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        if (!fold_scalar(module, operation, scalar, i, &bits))
            return spirv_unsupported(reader, "%s of constants is not supported",
                                     spirv_opcode_name(operation->opcode, name));
        if (type->kind == SPIRV_VECTOR) {
            parts[i] = spirv_new_constant(reader, type->element, bits, false);
            if (parts[i] == 0)
                return spirv_invalid(reader, "out of memory");
            module->ids[parts[i]].as.constant->is_spec = true;
        }
    }
    constant->bits = bits;
    if (type->kind != SPIRV_VECTOR)
        return TRM_OK;
    constant->bits       = 0;
    constant->weight     = count;
    constant->part_count = count;
    constant->parts      = base_arena_allocate(reader->arena, count, sizeof(*parts));
    if (constant->parts == NULL)
        return spirv_invalid(reader, "out of memory");
    memcpy((uint32_t *)constant->parts, parts, count * sizeof(*parts));
    return TRM_OK;
}

/* ---- composites: check_composite.c has checked the indices --------------------------------- */

static void copy_value(struct spirv_constant *constant, const struct spirv_constant *other)
{
    constant->bits       = other->bits;
    constant->parts      = other->parts;
    constant->part_count = other->part_count;
    constant->is_null    = other->is_null;
    constant->weight     = other->weight;
}

static int32_t fold_extract(struct spirv_reader *reader, const struct spirv_instruction *operation,
                            struct spirv_constant *constant)
{
    const struct spirv_constant *at = spirv_constant(reader->module, operation->operands[0]);

    for (uint32_t i = 1; i < operation->operand_count; i++) {
        if (at->parts == NULL) {
            constant->is_null = true;
            return TRM_OK;
        }
        at = spirv_constant(reader->module, at->parts[operation->operands[i]]);
    }
    copy_value(constant, at);
    return TRM_OK;
}

/* Each operation copies the parts, so this limits the memory that a module can use. */
#define PARTS_MOST 256u

/* A copy of the parts of a composite. Expands a null into its parts. */
static uint32_t *copy_parts(struct spirv_reader *reader, struct spirv_constant *constant, uint32_t count)
{
    if (count > PARTS_MOST)
        return NULL;
    uint32_t *parts = base_arena_allocate(reader->arena, count, sizeof(*parts));
    if (parts == NULL)
        return NULL;
    if (constant->parts != NULL) {
        memcpy(parts, constant->parts, count * sizeof(*parts));
        return parts;
    }
    /* All elements share one null, since arrays can be long. */
    const struct spirv_type *type = spirv_type(reader->module, constant->type);
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = i > 0 && type->kind != SPIRV_STRUCT ? parts[0] : spirv_constant_part(reader, constant, i);
        if (parts[i] == 0)
            return NULL;
    }
    return parts;
}

/* Sets the weight, which limits the size of the constant in translated code. */
static int32_t set_weight(struct spirv_reader *reader, struct spirv_constant *constant)
{
    uint64_t weight = 0;

    for (uint32_t i = 0; i < constant->part_count; i++)
        weight += spirv_constant(reader->module, constant->parts[i])->weight;
    if (weight > SPIRV_WEIGHT_MOST)
        return spirv_unsupported(reader, "a constant of more than %u numbers is not supported",
                                 SPIRV_WEIGHT_MOST);
    constant->weight = weight != 0 ? (uint32_t)weight : 1;
    return TRM_OK;
}

/* Copies the composite level by level along the path and stores the object at its end. */
static int32_t fold_insert(struct spirv_reader *reader, const struct spirv_instruction *operation,
                           struct spirv_constant *constant)
{
    struct spirv_module *module = reader->module;
    struct spirv_constant *levels[SPIRV_DEPTH_MOST];
    uint32_t depth = operation->operand_count - 2;

    copy_value(constant, spirv_constant(module, operation->operands[1]));
    if (depth == 0) {
        copy_value(constant, spirv_constant(module, operation->operands[0]));
        return TRM_OK;
    }
    levels[0] = constant;
    for (uint32_t i = 0; i < depth; i++) {
        struct spirv_constant *level  = levels[i];
        uint32_t index                = operation->operands[2 + i];
        const struct spirv_type *type = spirv_type(module, level->type);
        uint32_t count                = spirv_part_count(type);
        uint32_t *parts               = copy_parts(reader, level, count);
        if (parts == NULL)
            return spirv_unsupported(
                reader, "OpCompositeInsert into constants of more than %u parts is not supported",
                PARTS_MOST);
        level->parts      = parts;
        level->part_count = count;
        level->is_null    = false;
        if (i + 1 == depth) {
            parts[index] = operation->operands[0];
            break;
        }
        const struct spirv_constant *old = spirv_constant(module, parts[index]);
        parts[index]                     = spirv_new_constant(reader, old->type, 0, false);
        if (parts[index] == 0)
            return spirv_invalid(reader, "out of memory");
        levels[i + 1]  = module->ids[parts[index]].as.constant;
        *levels[i + 1] = *old;
    }
    for (uint32_t i = depth; i-- > 0;) {
        int32_t status = set_weight(reader, levels[i]);
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

static int32_t fold_shuffle(struct spirv_reader *reader, const struct spirv_instruction *operation,
                            struct spirv_constant *constant)
{
    struct spirv_module *module  = reader->module;
    struct spirv_constant *first = module->ids[operation->operands[0]].as.constant;
    struct spirv_constant *other = module->ids[operation->operands[1]].as.constant;
    uint32_t split               = spirv_type(module, first->type)->count;
    uint32_t count               = operation->operand_count - 2;
    uint32_t *parts              = base_arena_allocate(reader->arena, count, sizeof(*parts));

    for (uint32_t i = 0; i < count && parts != NULL; i++) {
        uint32_t index = operation->operands[2 + i];
        if (index == UINT32_MAX)
            parts[i] = spirv_new_constant(reader, spirv_type(module, constant->type)->element, 0, true);
        else
            parts[i] = index < split ? spirv_constant_part(reader, first, index)
                                     : spirv_constant_part(reader, other, index - split);
        if (parts[i] == 0)
            parts = NULL;
    }
    if (parts == NULL)
        return spirv_invalid(reader, "out of memory");
    constant->parts      = parts;
    constant->part_count = count;
    return set_weight(reader, constant);
}

/* A scalar condition selects a whole composite. */
static int32_t fold_select(struct spirv_reader *reader, const struct spirv_instruction *operation,
                           struct spirv_constant *constant)
{
    const struct spirv_constant *condition = spirv_constant(reader->module, operation->operands[0]);

    if (spirv_type(reader->module, condition->type)->kind == SPIRV_VECTOR)
        return fold_parts(reader, operation, constant);
    copy_value(constant, spirv_constant(reader->module, operation->operands[condition->bits != 0 ? 1 : 2]));
    return TRM_OK;
}

static bool has_matrix(const struct spirv_module *module, const struct spirv_instruction *operation)
{
    bool found = spirv_holds_matrix(module, spirv_type(module, operation->type));

    for (uint32_t i = 0; i < operation->operand_count && !found; i++)
        found = spirv_operand_is_id(operation, i) &&
                spirv_holds_matrix(module, spirv_type_of(module, operation->operands[i]));
    return found;
}

/* Compilers convert the length of a cooperative matrix to an int by adding 0. */
static uint32_t length_of(const struct spirv_module *module, const struct spirv_instruction *operation)
{
    const struct spirv_constant *length = spirv_constant(module, operation->operands[0]);
    const struct spirv_constant *zero   = spirv_constant(module, operation->operands[1]);

    return zero->bits == 0 && zero->parts == NULL ? length->length_of : 0;
}

int32_t spirv_fold(struct spirv_reader *reader, uint32_t opcode, const uint32_t *operands, uint32_t count,
                   struct spirv_constant *constant)
{
    const struct spirv_grammar *grammar = spirv_grammar(opcode);
    struct spirv_instruction operation  = {.opcode        = (uint16_t)opcode,
                                           .operand_count = (uint16_t)count,
                                           .type          = constant->type,
                                           .operands      = (uint32_t *)operands};
    struct spirv_operand_walk walk;
    char name[32];

    if (grammar != NULL && grammar->rule == RULE_MATRIX_LENGTH)
        return spirv_fold_length(reader, operands, count, constant);
    if (grammar == NULL || grammar->rule == RULE_NONE || grammar->rule > RULE_INSERT || grammar->needs != 0)
        return spirv_unsupported(reader, "%s of constants is not supported", spirv_opcode_name(opcode, name));
    spirv_walk_begin(&walk, grammar, operands, count);
    for (char letter = spirv_walk_next(&walk); letter != 0; letter = spirv_walk_next(&walk)) {
        if (letter != 'v' && letter != 'n')
            return letter == '!' ? spirv_invalid(reader, "%s has the wrong number of %u operands",
                                                 spirv_opcode_name(opcode, name), count)
                                 : spirv_unsupported(reader, "%s of constants is not supported",
                                                     spirv_opcode_name(opcode, name));
        int32_t status = letter == 'v' ? spirv_check_constant_id(reader, operands[walk.index - 1]) : TRM_OK;
        if (status != TRM_OK)
            return status;
    }
    int32_t status = spirv_check_types(reader, grammar, &operation);
    if (status != TRM_OK)
        return status;
    if (has_matrix(reader->module, &operation))
        return spirv_unsupported(reader, "%s of constant cooperative matrices is not supported",
                                 spirv_opcode_name(opcode, name));
    if (opcode == SpvOpIAdd)
        constant->length_of = length_of(reader->module, &operation);
    switch (opcode) {
    case SpvOpCompositeExtract:
        return fold_extract(reader, &operation, constant);
    case SpvOpCompositeInsert:
        return fold_insert(reader, &operation, constant);
    case SpvOpVectorShuffle:
        return fold_shuffle(reader, &operation, constant);
    case SpvOpSelect:
        return fold_select(reader, &operation, constant);
    default:
        return fold_parts(reader, &operation, constant);
    }
}
