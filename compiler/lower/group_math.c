/* Instructions of matrices of work-groups that touch no memory: element by element, and products, which take
 * DEPTH columns of A and rows of B at a time through shared memory.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

#define DEPTH 16u

/* ---- arrays -------------------------------------------------------------------------------- */

uint32_t group_splat(struct group *group, const struct group_type *matrix)
{
    const uint32_t key[] = {SpvOpCompositeConstruct, matrix->id};
    uint32_t id          = group_find(group, &group->made_known, key, 2);
    struct group_function function;
    struct group_loop loop;

    if (id != 0)
        return id;
    group_begin(group, &function, matrix->id);
    uint32_t value = group_parameter(group, &function, matrix->component);
    uint32_t array = group_local(group, matrix->id);
    group_begin_each(group, &loop, matrix->length);
    group_write_element(group, matrix, array, loop.index, value);
    group_end_loop(group, &loop);
    return group_finish(group, &function, group_load(group, matrix->id, array), key, 2);
}

uint32_t group_value(const struct group *group, uint32_t id)
{
    return id < group->module.bound && group->here[id] != 0 ? group->here[id] : id;
}

/* ---- element by element -------------------------------------------------------------------- */

/* Is it an operation of one or two operands? */
static uint32_t operand_count(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpFNegate:
    case SpvOpSNegate:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpFConvert:
    case SpvOpBitcast:
    case GROUP_OP_CONVERT:
        return 1;
    case SpvOpIAdd:
    case SpvOpFAdd:
    case SpvOpISub:
    case SpvOpFSub:
    case SpvOpIMul:
    case SpvOpFMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpFDiv:
    case SpvOpMatrixTimesScalar:
        return 2;
    default:
        return 0;
    }
}

static bool is_copy(uint32_t opcode, const struct group_type *to, const struct group_type *from)
{
    return opcode == GROUP_OP_CONVERT ||
           (to->component == from->component && (opcode == SpvOpFConvert || opcode == SpvOpUConvert ||
                                                 opcode == SpvOpSConvert || opcode == SpvOpBitcast));
}

/* The extension converts bfloat16 and has no other operations. */
static bool fits(uint32_t opcode, const struct group_type *to, const struct group_type *from)
{
    if (opcode == GROUP_OP_CONVERT)
        return to->component == from->component;
    return (!to->is_bfloat && !from->is_bfloat) || opcode == SpvOpFConvert;
}

static uint32_t element_function(struct group *group, uint32_t opcode, const struct group_type *to,
                                 const struct group_type *const types[2], uint32_t scalar)
{
    const uint32_t key[] = {opcode, to->id, types[0]->id, types[1] != NULL ? types[1]->id : 0, scalar};
    uint32_t id = group_find(group, &group->made_known, key, 5), arrays[2] = {0, 0}, values[2] = {0, 0};
    uint32_t end = group_smaller(group, to->length, types[0]->length);
    struct group_function function;
    struct group_loop loop;

    if (id != 0)
        return id;
    group_begin(group, &function, to->id);
    arrays[0] = group_array_parameter(group, &function, types[0]);
    if (types[1] != NULL) {
        arrays[1] = group_array_parameter(group, &function, types[1]);
        end       = group_smaller(group, end, types[1]->length);
    } else if (scalar != 0) {
        values[1] = group_parameter(group, &function, scalar);
    }
    uint32_t result = group_local(group, to->id);
    group_begin_each(group, &loop, end);
    values[0] = group_read_element(group, types[0], arrays[0], loop.index);
    if (types[1] != NULL)
        values[1] = group_read_element(group, types[1], arrays[1], loop.index);
    if (opcode == SpvOpMatrixTimesScalar)
        opcode = to->component_kind == SpvOpTypeFloat ? SpvOpFMul : SpvOpIMul;
    if (!is_copy(opcode, to, types[0]))
        values[0] = group_op(group, opcode, to->component, values[0], values[1], 0);
    group_write_element(group, to, result, loop.index, values[0]);
    group_end_loop(group, &loop);
    return group_finish(group, &function, group_load(group, to->id, result), key, 5);
}

static void write_each(struct group *group, const uint32_t *at, uint32_t count)
{
    const struct group_type *to = group_type(group, at[1]), *types[2] = {NULL, NULL};
    uint32_t opcode = lower_opcode(at), scalar = 0;

    if (lower_length(at) != 3 + count || (types[0] = group_matrix_of(group, at[3])) == NULL ||
        !fits(opcode, to, types[0])) {
        group->failed = true;
        return;
    }
    if (count == 2 && opcode == SpvOpMatrixTimesScalar)
        scalar = lower_type_of(&group->module, at[4]);
    else if (count == 2)
        types[1] = group_matrix_of(group, at[4]);
    if (count == 2 && types[1] == NULL && scalar == 0) {
        group->failed = true;
        return;
    }
    const uint32_t arguments[] = {group_value(group, at[3]), count == 2 ? group_value(group, at[4]) : 0};
    group_call(group, at[1], at[2], element_function(group, opcode, to, types, scalar), arguments, count);
}

/* ---- a function for each element ----------------------------------------------------------- */

static uint32_t as_type(struct group *group, uint32_t value, uint32_t type)
{
    return type == group->uint_type ? value : group_op(group, SpvOpBitcast, type, value, 0, 0);
}

static uint32_t per_element_function(struct group *group, const uint32_t *at, const struct group_type *matrix,
                                     const uint32_t *types)
{
    uint32_t key[GROUP_OPERANDS_MOST + 3] = {GROUP_OP_PER_ELEMENT, matrix->id, at[4]}, count = 3;
    uint32_t arguments[GROUP_OPERANDS_MOST + 5], arrays[GROUP_OPERANDS_MOST]                 = {0};
    uint32_t extras = lower_length(at) - 5;
    struct group_function function;
    struct group_loop loop;

    for (uint32_t i = 0; i < extras; i++)
        key[count++] = lower_type_of(&group->module, at[5 + i]);
    uint32_t id = group_find(group, &group->made_known, key, count);
    if (id != 0)
        return id;
    group_begin(group, &function, matrix->id);
    uint32_t array = group_array_parameter(group, &function, matrix), result = group_local(group, matrix->id);
    for (uint32_t i = 0; i < extras; i++) {
        const struct group_type *type = group_matrix_of(group, at[5 + i]);
        if (type != NULL)
            arrays[i] = group_array_parameter(group, &function, type);
        else
            arguments[6 + i] = group_parameter(group, &function, key[3 + i]);
    }
    group_begin_each(group, &loop, matrix->length);
    struct group_element element = group_element(group, matrix, loop.index);
    arguments[0]                 = matrix->component;
    arguments[2]                 = at[4];
    arguments[3]                 = as_type(group, element.row, types[0]);
    arguments[4]                 = as_type(group, element.column, types[1]);
    arguments[5]                 = group_read_element(group, matrix, array, loop.index);
    for (uint32_t i = 0; i < extras; i++)
        if (arrays[i] != 0)
            arguments[6 + i] = group_read_element(group, matrix, arrays[i], loop.index);
    arguments[1] = group_id(group);
    group_put(group, &group->body, SpvOpFunctionCall, arguments, 6 + extras);
    group_write_element(group, matrix, result, loop.index, arguments[1]);
    group_end_loop(group, &loop);
    return group_finish(group, &function, group_load(group, matrix->id, result), key, count);
}

static void write_per_element(struct group *group, const uint32_t *at)
{
    const struct group_type *matrix = lower_length(at) >= 5 ? group_matrix_of(group, at[3]) : NULL;
    uint32_t count = 0, arguments[GROUP_OPERANDS_MOST] = {0}, extras = lower_length(at) - 5;
    const uint32_t *types = matrix != NULL ? group_parameters(group, at[4], &count) : NULL;

    if (types == NULL || matrix->id != at[1] || extras + 4 > GROUP_KEY_WORDS - 1 || count != 3 + extras) {
        group->failed = true;
        return;
    }
    arguments[0] = group_value(group, at[3]);
    for (uint32_t i = 0; i < extras; i++) {
        const struct group_type *type = group_matrix_of(group, at[5 + i]);
        group->failed |= (type != NULL && type != matrix) || lower_type_of(&group->module, at[5 + i]) == 0;
        arguments[1 + i] = group_value(group, at[5 + i]);
    }
    if (!group->failed)
        group_call(group, at[1], at[2], per_element_function(group, at, matrix, types), arguments,
                   1 + extras);
}

/* ---- products ------------------------------------------------------------------------------ */

/* An element as what the product adds up: a float, or an unsigned integer of 32 bits. */
static uint32_t widen(struct group *group, const struct group_type *matrix, uint32_t value, bool is_signed)
{
    if (matrix->component_kind == SpvOpTypeFloat)
        return matrix->width == 32 ? value : group_op(group, SpvOpFConvert, group_float(group), value, 0, 0);
    if (matrix->width == 32)
        return matrix->component == group->uint_type ? value : group_uint(group, SpvOpBitcast, value, 0);
    return group_uint(group, is_signed ? SpvOpSConvert : SpvOpUConvert, value, 0);
}

static uint32_t narrow(struct group *group, const struct group_type *matrix, uint32_t value)
{
    if (matrix->component_kind == SpvOpTypeFloat)
        return matrix->width == 32 ? value : group_op(group, SpvOpFConvert, matrix->component, value, 0, 0);
    if (matrix->width == 32)
        return as_type(group, value, matrix->component);
    return group_op(group, matrix->is_signed ? SpvOpSConvert : SpvOpUConvert, matrix->component, value, 0, 0);
}

struct product {
    const struct group_type *a, *b, *c, *d;
    uint32_t signs;
    uint32_t array_a, array_b, sums, sum_type; /* of an array of sums, and of one */
    uint32_t shared_a, shared_b, depth;
};

/* Stores the elements whose row (of B) or column (of A) is among those from `first` on. */
static void share_factor(struct group *group, const struct product *product, bool is_a, uint32_t first)
{
    const struct group_type *matrix = is_a ? product->a : product->b;
    struct group_loop loop;

    group_begin_each(group, &loop, matrix->length);
    struct group_element element = group_element(group, matrix, loop.index);
    uint32_t step                = group_uint(group, SpvOpISub, is_a ? element.column : element.row, first);
    uint32_t is_here             = group_test(group, SpvOpULessThan, step, product->depth);
    if (!group_is_even(group, matrix)) {
        uint32_t is_own =
            group_test(group, SpvOpULessThan, group_number(group, loop.index), matrix->elements);
        is_here = group_op(group, SpvOpLogicalAnd, group->bool_type, is_here, is_own, 0);
    }
    uint32_t merge  = group_begin_if(group, is_here);
    uint32_t row    = is_a ? element.row : step;
    uint32_t column = is_a ? step : element.column;
    uint32_t width  = is_a ? product->depth : matrix->columns;
    uint32_t place  = group_uint(group, SpvOpIAdd, group_uint(group, SpvOpIMul, row, width), column);
    uint32_t value =
        group_read_element(group, matrix, is_a ? product->array_a : product->array_b, loop.index);
    group_write_scratch(group, is_a ? product->shared_a : product->shared_b, matrix->component, place, value);
    group_end_if(group, merge);
    group_end_loop(group, &loop);
}

static uint32_t factor(struct group *group, const struct product *product, bool is_a, uint32_t row,
                       uint32_t column)
{
    const struct group_type *matrix = is_a ? product->a : product->b;
    uint32_t width                  = is_a ? product->depth : matrix->columns;
    uint32_t place = group_uint(group, SpvOpIAdd, group_uint(group, SpvOpIMul, row, width), column);
    uint32_t value =
        group_read_scratch(group, is_a ? product->shared_a : product->shared_b, matrix->component, place);

    return widen(group, matrix, value,
                 (product->signs & (is_a ? SPIRV_MatrixASignedKHR : SPIRV_MatrixBSignedKHR)) != 0);
}

static void add_products(struct group *group, const struct product *product, uint32_t first)
{
    bool is_float = product->d->component_kind == SpvOpTypeFloat;
    struct group_loop each, loop;
    uint32_t sum = group_local(group, product->sum_type);

    group_begin_each(group, &each, product->d->length);
    struct group_element element = group_element(group, product->d, each.index);
    uint32_t place = group_at(group, SpvStorageClassFunction, product->sums, product->sum_type, each.index);
    group_store(group, sum, group_load(group, product->sum_type, place));
    uint32_t left       = group_uint(group, SpvOpISub, product->a->columns, first);
    uint32_t small      = group_test(group, SpvOpULessThan, left, product->depth);
    uint32_t end        = group_op(group, SpvOpSelect, group->uint_type, small, left, product->depth);
    group->loop_control = SpvLoopControlDontUnrollMask; /* as long as the matrix is deep */
    group_begin_each(group, &loop, end);
    group->loop_control = SpvLoopControlMaskNone;
    uint32_t x          = factor(group, product, true, element.row, loop.index);
    uint32_t y          = factor(group, product, false, loop.index, element.column);
    x                   = group_op(group, is_float ? SpvOpFMul : SpvOpIMul, product->sum_type, x, y, 0);
    y                   = group_load(group, product->sum_type, sum);
    group_store(group, sum, group_op(group, is_float ? SpvOpFAdd : SpvOpIAdd, product->sum_type, y, x, 0));
    group_end_loop(group, &loop);
    group_store(group, place, group_load(group, product->sum_type, sum));
    group_end_loop(group, &each);
}

/* Copies C to the sums, or the sums to the result. */
static void copy_sums(struct group *group, const struct product *product, uint32_t array, bool is_end)
{
    bool is_signed = (product->signs & SPIRV_MatrixCSignedKHR) != 0;
    struct group_loop loop;

    group_begin_each(group, &loop, group_smaller(group, product->c->length, product->d->length));
    uint32_t place = group_at(group, SpvStorageClassFunction, product->sums, product->sum_type, loop.index);
    if (is_end)
        group_write_element(group, product->d, array, loop.index,
                            narrow(group, product->d, group_load(group, product->sum_type, place)));
    else
        group_store(
            group, place,
            widen(group, product->c, group_read_element(group, product->c, array, loop.index), is_signed));
    group_end_loop(group, &loop);
}

static uint32_t product_function(struct group *group, struct product *product)
{
    const struct group_type *a = product->a, *b = product->b, *c = product->c, *d = product->d;
    const uint32_t key[] = {SPIRV_OpCooperativeMatrixMulAddKHR, a->id, b->id, c->id, d->id, product->signs};
    uint32_t id          = group_find(group, &group->made_known, key, 6);
    struct group_function function;
    struct group_loop loop;

    if (id != 0)
        return id;
    product->sum_type = d->component_kind == SpvOpTypeFloat ? group_float(group) : group->uint_type;
    product->depth    = group_constant(group, DEPTH);
    product->shared_a =
        group_scratch(group, a->component, GROUP_SHARED_A,
                      group_fold(group, SpvOpIMul, group_larger(group, a->rows, d->rows), product->depth));
    product->shared_b = group_scratch(
        group, b->component, GROUP_SHARED_B,
        group_fold(group, SpvOpIMul, group_larger(group, b->columns, d->columns), product->depth));
    group_begin(group, &function, d->id);
    product->array_a    = group_array_parameter(group, &function, a);
    product->array_b    = group_array_parameter(group, &function, b);
    uint32_t array_c    = group_array_parameter(group, &function, c);
    const uint32_t of[] = {product->sum_type, d->length};
    product->sums       = group_local(group, group_type_id(group, SpvOpTypeArray, of, 2));
    uint32_t result     = group_local(group, d->id);
    copy_sums(group, product, array_c, false);
    group->loop_control = SpvLoopControlDontUnrollMask;
    group_begin_loop(group, &loop, group_constant(group, 0), a->columns, product->depth);
    group->loop_control = SpvLoopControlMaskNone;
    group_barrier(group);
    share_factor(group, product, true, loop.index);
    share_factor(group, product, false, loop.index);
    group_barrier(group);
    add_products(group, product, loop.index);
    group_end_loop(group, &loop);
    copy_sums(group, product, result, true);
    return group_finish(group, &function, group_load(group, d->id, result), key, 6);
}

static void write_product(struct group *group, const uint32_t *at)
{
    struct product product = {.d = group_type(group, at[1])};

    if (lower_length(at) < 6 || lower_length(at) > 7 || (product.a = group_matrix_of(group, at[3])) == NULL ||
        (product.b = group_matrix_of(group, at[4])) == NULL ||
        (product.c = group_matrix_of(group, at[5])) == NULL ||
        product.a->component_kind != product.d->component_kind ||
        product.b->component_kind != product.d->component_kind ||
        product.c->component_kind != product.d->component_kind) {
        group->failed = true;
        return;
    }
    product.signs = lower_length(at) == 7 ? at[6] : 0;
    if (product.signs >= SPIRV_SaturatingAccumulationKHR) {
        group->failed = true;
        return;
    }
    const uint32_t arguments[] = {group_value(group, at[3]), group_value(group, at[4]),
                                  group_value(group, at[5])};
    group_call(group, at[1], at[2], product_function(group, &product), arguments, 3);
}

/* ---- which --------------------------------------------------------------------------------- */

bool group_write_math(struct group *group, const uint32_t *at)
{
    uint32_t opcode = lower_opcode(at), length = lower_length(at);
    const struct group_type *type = length >= 4 ? group_type(group, at[1]) : NULL;

    if (opcode == SPIRV_OpCooperativeMatrixLengthKHR) {
        type = length == 4 ? group_type(group, at[3]) : NULL;
        group->failed |= type == NULL || type->kind != GROUP_MATRIX;
        if (!group->failed)
            GROUP_PUT(group, &group->code, SpvOpIAdd, at[1], at[2], type->length, group_constant(group, 0));
        return true;
    }
    if (type == NULL || type->kind != GROUP_MATRIX)
        return false;
    if (operand_count(opcode) != 0) {
        write_each(group, at, operand_count(opcode));
        return true;
    }
    switch (opcode) {
    case SPIRV_OpCooperativeMatrixMulAddKHR:
        write_product(group, at);
        return true;
    case GROUP_OP_PER_ELEMENT:
        write_per_element(group, at);
        return true;
    case GROUP_OP_REDUCE:
    case GROUP_OP_TRANSPOSE:
        group_write_pass(group, at);
        return true;
    case SpvOpCompositeConstruct:
        if (length == 4)
            group_call(group, at[1], at[2], group_splat(group, type), at + 3, 1);
        group->failed |= length != 4;
        return true;
    default:
        return false;
    }
}
