/* Checks the types of instructions on vectors, matrices, arrays and structs, and of linear algebra.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/check.h"

static const struct spirv_type *operand_type(const struct spirv_module *module,
                                             const struct spirv_instruction *instruction, uint32_t index)
{
    return spirv_type(module, module->ids[instruction->operands[index]].type);
}

static bool is_float_vector(const struct spirv_module *module, const struct spirv_type *type)
{
    return type->kind == SPIRV_VECTOR && spirv_type(module, type->element)->kind == SPIRV_FLOAT;
}

/* ---- linear algebra ------------------------------------------------------------------------ */

static bool is_vector_matrix(const struct spirv_module *module, const struct spirv_type *result,
                             const struct spirv_type *vector, const struct spirv_type *matrix)
{
    return matrix->kind == SPIRV_MATRIX && vector->id == matrix->element && result->kind == SPIRV_VECTOR &&
           result->count == matrix->count && result->element == vector->element &&
           is_float_vector(module, vector);
}

static bool is_matrix_matrix(const struct spirv_module *module, const struct spirv_type *result,
                             const struct spirv_type *left, const struct spirv_type *right)
{
    if (result->kind != SPIRV_MATRIX || left->kind != SPIRV_MATRIX || right->kind != SPIRV_MATRIX)
        return false;
    const struct spirv_type *column = spirv_type(module, right->element);
    return result->element == left->element && result->count == right->count &&
           column->count == left->count && column->element == spirv_type(module, left->element)->element;
}

static bool is_outer(const struct spirv_module *module, const struct spirv_type *result,
                     const struct spirv_type *left, const struct spirv_type *right)
{
    return result->kind == SPIRV_MATRIX && left->id == result->element && is_float_vector(module, right) &&
           right->count == result->count && right->element == left->element;
}

static bool is_transpose(const struct spirv_module *module, const struct spirv_type *result,
                         const struct spirv_type *matrix)
{
    if (result->kind != SPIRV_MATRIX || matrix->kind != SPIRV_MATRIX)
        return false;
    const struct spirv_type *to = spirv_type(module, result->element);
    const struct spirv_type *of = spirv_type(module, matrix->element);
    return to->element == of->element && to->count == matrix->count && of->count == result->count;
}

static bool fits_algebra(const struct spirv_module *module, enum spirv_rule rule,
                         const struct spirv_instruction *instruction)
{
    const struct spirv_type *result = spirv_type(module, instruction->type);
    const struct spirv_type *a      = operand_type(module, instruction, 0);
    if (rule == RULE_TRANSPOSE)
        return is_transpose(module, result, a);
    const struct spirv_type *b = operand_type(module, instruction, 1);

    switch (rule) {
    case RULE_VECTOR_SCALAR:
        return is_float_vector(module, result) && a->id == result->id && b->id == result->element;
    case RULE_MATRIX_SCALAR:
        if (result->kind == SPIRV_COOPERATIVE)
            return a->id == result->id && b->id == result->element;
        return result->kind == SPIRV_MATRIX && a->id == result->id &&
               b->id == spirv_type(module, result->element)->element;
    case RULE_VECTOR_MATRIX:
        return is_vector_matrix(module, result, a, b);
    case RULE_MATRIX_VECTOR:
        return a->kind == SPIRV_MATRIX && b->kind == SPIRV_VECTOR && result->id == a->element &&
               b->count == a->count && b->element == result->element;
    case RULE_MATRIX_MATRIX:
        return is_matrix_matrix(module, result, a, b);
    case RULE_OUTER:
        return is_outer(module, result, a, b);
    default: /* RULE_FLOAT_DOT */
        return is_float_vector(module, a) && a->id == b->id && result->id == a->element;
    }
}

/* ---- parts --------------------------------------------------------------------------------- */

/* The type that a path of literal indices leads to; 0 if an index is out of range. */
static uint32_t follow(const struct spirv_module *module, uint32_t type_id, const uint32_t *indices,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct spirv_type *type = spirv_type(module, type_id);
        if (indices[i] >= spirv_part_count(type) || type->is_unsized)
            return 0;
        type_id = spirv_part_type(type, indices[i]);
    }
    return type_id;
}

/* A vector takes scalars and vectors that together have its components; other composites take one value a
 * part. */
static bool is_construct(const struct spirv_module *module, const struct spirv_instruction *instruction)
{
    const struct spirv_type *result = spirv_type(module, instruction->type);
    uint32_t count                  = 0;

    if (result->is_unsized || (spirv_part_count(result) == 0 && result->kind != SPIRV_STRUCT))
        return false;
    if (result->kind == SPIRV_VECTOR) {
        for (uint32_t i = 0; i < instruction->operand_count; i++) {
            const struct spirv_type *part = operand_type(module, instruction, i);
            if (part->id != result->element &&
                (part->kind != SPIRV_VECTOR || part->element != result->element))
                return false;
            count += part->kind == SPIRV_VECTOR ? part->count : 1;
        }
        return count == result->count && instruction->operand_count >= 2;
    }
    if (result->kind == SPIRV_COOPERATIVE) /* one value for all elements */
        return instruction->operand_count == 1 && operand_type(module, instruction, 0)->id == result->element;
    if (instruction->operand_count != result->count)
        return false;
    for (uint32_t i = 0; i < result->count; i++)
        if (operand_type(module, instruction, i)->id != spirv_part_type(result, i))
            return false;
    return true;
}

static bool is_shuffle(const struct spirv_module *module, const struct spirv_instruction *instruction)
{
    const struct spirv_type *result = spirv_type(module, instruction->type);
    const struct spirv_type *a      = operand_type(module, instruction, 0);
    const struct spirv_type *b      = operand_type(module, instruction, 1);

    if (result->kind != SPIRV_VECTOR || a->kind != SPIRV_VECTOR || b->kind != SPIRV_VECTOR)
        return false;
    if (a->element != result->element || b->element != result->element ||
        instruction->operand_count - 2u != result->count)
        return false;
    for (uint32_t i = 2; i < instruction->operand_count; i++)
        if (instruction->operands[i] >= a->count + b->count && instruction->operands[i] != UINT32_MAX)
            return false;
    return true;
}

/* Whether two types are the same apart from their decorations. SPIRV_DEPTH_MOST limits the recursion.
 * `budget` limits the steps for the whole module, since a hostile type can contain exponentially many
 * parts. */
static bool matches_logically(const struct spirv_module *module, uint32_t left, uint32_t right,
                              uint32_t *budget)
{
    const struct spirv_type *a = spirv_type(module, left), *b = spirv_type(module, right);

    if (left == right)
        return true;
    if (*budget == 0)
        return false;
    --*budget;
    if (a->kind != b->kind || a->is_unsized || b->is_unsized || a->count != b->count)
        return false;
    if (a->kind == SPIRV_ARRAY)
        return matches_logically(module, a->element, b->element, budget);
    if (a->kind != SPIRV_STRUCT)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!matches_logically(module, a->members[i].type, b->members[i].type, budget))
            return false;
    return true;
}

/* Whether values of this type exist in memory: not images, samplers and pointers without an address. */
static bool is_data(const struct spirv_module *module, const struct spirv_type *type)
{
    return type->kind != SPIRV_VOID && type->kind != SPIRV_FUNCTION &&
           (type->kind != SPIRV_POINTER || spirv_is_address(type)) &&
           !spirv_is_opaque(spirv_descriptor(module, type)) && !type->is_unsized;
}

static bool fits_parts(struct spirv_reader *reader, enum spirv_rule rule,
                       const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    const struct spirv_type *result   = spirv_type(module, instruction->type);
    uint32_t count                    = instruction->operand_count;
    const struct spirv_type *first;

    if (rule == RULE_CONSTRUCT)
        return is_construct(module, instruction);
    first = operand_type(module, instruction, 0);
    switch (rule) {
    case RULE_EXTRACT_DYNAMIC:
        return first->kind == SPIRV_VECTOR && first->element == result->id &&
               spirv_is_scalar(spirv_operand_shape(module, instruction, 1), SPIRV_INT);
    case RULE_INSERT_DYNAMIC:
        return result->kind == SPIRV_VECTOR && first->id == result->id &&
               operand_type(module, instruction, 1)->id == result->element &&
               spirv_is_scalar(spirv_operand_shape(module, instruction, 2), SPIRV_INT);
    case RULE_SHUFFLE:
        return is_shuffle(module, instruction);
    case RULE_EXTRACT:
        return is_data(module, result) &&
               follow(module, first->id, instruction->operands + 1, count - 1) == result->id;
    case RULE_INSERT:
        return is_data(module, result) && operand_type(module, instruction, 1)->id == result->id &&
               follow(module, result->id, instruction->operands + 2, count - 2) == first->id;
    case RULE_COPY:
        return (is_data(module, result) || result->kind == SPIRV_POINTER || spirv_is_opaque(result)) &&
               first->id == result->id;
    default: /* RULE_COPY_LOGICAL */
        return is_data(module, result) &&
               matches_logically(module, first->id, result->id, &reader->match_budget);
    }
}

int32_t spirv_check_composite(struct spirv_reader *reader, enum spirv_rule rule,
                              const struct spirv_instruction *instruction)
{
    bool fits = rule <= RULE_TRANSPOSE ? fits_algebra(reader->module, rule, instruction)
                                       : fits_parts(reader, rule, instruction);

    return fits ? TRM_OK : spirv_type_mismatch(reader);
}
