/* Loads and stores of matrices of work-groups: by a stride, and by tensor layouts and views.
 *
 * The addressing is that of SPV_NV_cooperative_matrix2: row and column, the number in the view, the
 * coordinates there, the number in the span, the coordinates in the tensor, the number of the element.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

enum clamp_mode {
    CLAMP_UNDEFINED,
    CLAMP_CONSTANT,
    CLAMP_TO_EDGE,
    CLAMP_REPEAT,
    CLAMP_MIRROR,
};

/* Bits of the operands for addressing. */
enum {
    TENSOR_VIEW          = 1,
    TENSOR_DECODE        = 2,
    TENSOR_DECODE_VECTOR = 4, /* an implementation may use it instead of the other one, and need not */
};

struct tensor {
    const struct group_type *matrix, *layout, *view; /* view: or NULL */
    bool is_store;
    uint32_t decode;       /* a function; 0: none */
    const uint32_t *types; /* of its parameters */
    uint32_t bytes;        /* of what its first parameter points to, as an id */
    struct group_place place;
    /* in the function */
    uint32_t block[GROUP_DIMENSIONS_MOST], dimension[GROUP_DIMENSIONS_MOST], stride[GROUP_DIMENSIONS_MOST];
    uint32_t offset[GROUP_DIMENSIONS_MOST], span[GROUP_DIMENSIONS_MOST], clamp_value;
    uint32_t view_dimension[GROUP_DIMENSIONS_MOST], view_stride[GROUP_DIMENSIONS_MOST], clip[4];
    uint32_t block_at[GROUP_DIMENSIONS_MOST], in_block[GROUP_DIMENSIONS_MOST];
    uint32_t skips; /* a condition: outside of the tensor; 0: never */
};

/* ---- addressing ---------------------------------------------------------------------------- */

static uint32_t select(struct group *group, uint32_t condition, uint32_t yes, uint32_t no)
{
    return group_op(group, SpvOpSelect, group->uint_type, condition, yes, no);
}

/* The remainder of a coordinate that may be negative, from 0 on. Of those below 0 the complement has the same
 * distance from the edge. */
static uint32_t modulo(struct group *group, uint32_t value, uint32_t divisor, uint32_t is_low)
{
    uint32_t above = group_uint(group, SpvOpUMod, value, divisor);
    uint32_t below = group_uint(group, SpvOpUMod, group_uint(group, SpvOpNot, value, 0), divisor);
    uint32_t last  = group_uint(group, SpvOpISub, divisor, group_constant(group, 1));

    return select(group, is_low, group_uint(group, SpvOpISub, last, below), above);
}

static uint32_t clamped(struct group *group, uint32_t mode, uint32_t at, uint32_t dimension, uint32_t is_low)
{
    uint32_t one = group_constant(group, 1), two = group_constant(group, 2), zero = group_constant(group, 0);
    uint32_t last = group_uint(group, SpvOpISub, dimension, one);

    switch (mode) {
    case CLAMP_TO_EDGE:
        return select(group, is_low, zero, last);
    case CLAMP_REPEAT:
        return modulo(group, at, dimension, is_low);
    default: { /* the period of one element is 0 */
        uint32_t period = group_uint(group, SpvOpIMul, last, two);
        uint32_t is_one = group_test(group, SpvOpIEqual, period, zero);
        uint32_t there  = modulo(group, at, select(group, is_one, one, period), is_low);
        uint32_t back   = group_test(group, SpvOpULessThan, there, dimension);
        return select(group, back, there, group_uint(group, SpvOpISub, period, there));
    }
    }
}

/* Whether a mode that only the program knows is this one; or, of a plain constant, whether it is. */
static bool may_be(const struct group *group, const struct tensor *tensor, uint32_t mode)
{
    uint32_t value;

    return !group_plain(group, tensor->layout->clamp_mode, &value) || value == mode;
}

static bool is_plain(const struct group *group, const struct tensor *tensor)
{
    uint32_t value;

    return group_plain(group, tensor->layout->clamp_mode, &value);
}

static void skip_if(struct group *group, struct tensor *tensor, uint32_t condition)
{
    tensor->skips = tensor->skips == 0
                        ? condition
                        : group_op(group, SpvOpLogicalOr, group->bool_type, tensor->skips, condition, 0);
}

/* A coordinate that may lie outside of the tensor: moved inside, or skipped. */
static uint32_t inside(struct group *group, struct tensor *tensor, uint32_t at, uint32_t dimension)
{
    uint32_t mode = tensor->layout->clamp_mode, zero = group_constant(group, 0), result = at;
    bool plain = is_plain(group, tensor);

    if (plain && may_be(group, tensor, CLAMP_UNDEFINED))
        return at;
    uint32_t is_low = group_op(group, SpvOpSLessThan, group->bool_type, at, zero, 0);
    uint32_t is_out = group_op(group, SpvOpLogicalOr, group->bool_type, is_low,
                               group_test(group, SpvOpUGreaterThanEqual, at, dimension), 0);
    if (tensor->is_store) { /* all modes but one discard */
        uint32_t discards = plain ? is_out : group_test(group, SpvOpINotEqual, mode, zero);
        skip_if(group, tensor,
                plain ? is_out : group_op(group, SpvOpLogicalAnd, group->bool_type, is_out, discards, 0));
        return at;
    }
    if (may_be(group, tensor, CLAMP_CONSTANT)) {
        uint32_t is_constant =
            plain ? 0 : group_test(group, SpvOpIEqual, mode, group_constant(group, CLAMP_CONSTANT));
        skip_if(group, tensor,
                plain ? is_out : group_op(group, SpvOpLogicalAnd, group->bool_type, is_out, is_constant, 0));
    }
    for (uint32_t i = CLAMP_TO_EDGE; i <= CLAMP_MIRROR; i++) {
        if (!may_be(group, tensor, i))
            continue;
        uint32_t moved     = clamped(group, i, at, dimension, is_low);
        uint32_t condition = is_out;
        if (!plain)
            condition = group_op(group, SpvOpLogicalAnd, group->bool_type, is_out,
                                 group_test(group, SpvOpIEqual, mode, group_constant(group, i)), 0);
        result = select(group, condition, moved, result);
    }
    return result;
}

/* The number in the view becomes the number in the span. */
static uint32_t through_view(struct group *group, const struct tensor *tensor, uint32_t number)
{
    uint32_t count = tensor->view->dimensions, at[GROUP_DIMENSIONS_MOST], sum = group_constant(group, 0);

    for (uint32_t i = count; i-- != 0;) {
        uint32_t place = tensor->view->permutation[i];
        at[place]      = group_uint(group, SpvOpUMod, number, tensor->view_dimension[place]);
        number         = group_uint(group, SpvOpUDiv, number, tensor->view_dimension[place]);
    }
    for (uint32_t i = 0; i < count; i++)
        sum = group_uint(group, SpvOpIAdd, sum, group_uint(group, SpvOpIMul, at[i], tensor->view_stride[i]));
    return sum;
}

/* The number of the element, in blocks, of a number in the span. */
static uint32_t through_layout(struct group *group, struct tensor *tensor, uint32_t number)
{
    uint32_t count = tensor->layout->dimensions, at[GROUP_DIMENSIONS_MOST], sum = 0;

    for (uint32_t i = count; i-- != 0;) {
        at[i]  = group_uint(group, SpvOpUMod, number, tensor->span[i]);
        number = group_uint(group, SpvOpUDiv, number, tensor->span[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place      = group_uint(group, SpvOpIAdd, at[i], tensor->offset[i]);
        place               = inside(group, tensor, place, tensor->dimension[i]);
        tensor->block_at[i] = group_uint(group, SpvOpUDiv, place, tensor->block[i]);
        tensor->in_block[i] = group_uint(group, SpvOpUMod, place, tensor->block[i]);
        uint32_t step       = group_uint(group, SpvOpIMul, tensor->block_at[i], tensor->stride[i]);
        sum                 = i == 0 ? step : group_uint(group, SpvOpIAdd, sum, step);
    }
    return sum;
}

static bool has_clip(const struct tensor *tensor)
{
    return tensor->view != NULL && tensor->view->has_clip;
}

static uint32_t find_element(struct group *group, struct tensor *tensor, struct group_element element)
{
    uint32_t width = tensor->matrix->columns, row = element.row, column = element.column;

    tensor->skips = 0;
    if (has_clip(tensor)) {
        row    = group_uint(group, SpvOpISub, row, tensor->clip[0]);
        column = group_uint(group, SpvOpISub, column, tensor->clip[2]);
        width =
            select(group, group_test(group, SpvOpULessThan, tensor->clip[3], width), tensor->clip[3], width);
    }
    uint32_t number = group_uint(group, SpvOpIAdd, group_uint(group, SpvOpIMul, row, width), column);
    if (tensor->view != NULL)
        number = through_view(group, tensor, number);
    return through_layout(group, tensor, number);
}

/* Whether an element is in the clip region. */
static uint32_t in_clip(struct group *group, const struct tensor *tensor, struct group_element element)
{
    uint32_t result = 0;

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t at = i == 0 ? element.row : element.column, first = tensor->clip[2 * i];
        uint32_t is_behind = group_test(group, SpvOpUGreaterThanEqual, at, first);
        uint32_t is_before = group_test(group, SpvOpULessThan, group_uint(group, SpvOpISub, at, first),
                                        tensor->clip[2 * i + 1]);
        uint32_t both      = group_op(group, SpvOpLogicalAnd, group->bool_type, is_behind, is_before, 0);
        result = result == 0 ? both : group_op(group, SpvOpLogicalAnd, group->bool_type, result, both, 0);
    }
    return result;
}

/* ---- the state of the layout and of the view ----------------------------------------------- */

static uint32_t member(struct group *group, uint32_t value, uint32_t index)
{
    const uint32_t words[] = {group->uint_type, group_id(group), value, index};

    group_put(group, &group->body, SpvOpCompositeExtract, words, 4);
    return words[1];
}

static void read_layout(struct group *group, struct tensor *tensor, uint32_t value)
{
    uint32_t count     = tensor->layout->dimensions;
    uint32_t *fields[] = {tensor->block, tensor->dimension, tensor->stride, tensor->offset, tensor->span};

    for (uint32_t i = 0; i < SPIRV_COUNT(fields); i++)
        for (uint32_t k = 0; k < count; k++)
            fields[i][k] = member(group, value, i * count + k);
    tensor->clamp_value = member(group, value, 5 * count);
}

static void read_view(struct group *group, struct tensor *tensor, uint32_t value)
{
    uint32_t count = tensor->view->dimensions;

    for (uint32_t i = 0; i < count; i++) {
        tensor->view_dimension[i] = tensor->view->has_dimensions ? member(group, value, i) : tensor->span[i];
        tensor->view_stride[i]    = tensor->view->has_dimensions ? member(group, value, count + i) : 0;
    }
    if (!tensor->view->has_dimensions) {
        tensor->view_stride[count - 1] = group_constant(group, 1);
        for (uint32_t i = count - 1; i-- != 0;)
            tensor->view_stride[i] =
                group_uint(group, SpvOpIMul, tensor->view_stride[i + 1], tensor->span[i + 1]);
    }
    for (uint32_t i = 0; has_clip(tensor) && i < 4; i++)
        tensor->clip[i] = member(group, value, 2 * count + i);
}

/* ---- elements ------------------------------------------------------------------------------ */

/* The clamp value: its lower bits are those of an element. */
static uint32_t clamp_element(struct group *group, const struct tensor *tensor)
{
    const struct group_type *matrix = tensor->matrix;
    uint32_t value                  = tensor->clamp_value;

    if (matrix->component_kind == SpvOpTypeInt && matrix->width == 32)
        return matrix->component == group->uint_type
                   ? value
                   : group_op(group, SpvOpBitcast, matrix->component, value, 0, 0);
    if (matrix->component_kind == SpvOpTypeInt)
        return group_op(group, matrix->is_signed ? SpvOpSConvert : SpvOpUConvert, matrix->component, value, 0,
                        0);
    if (matrix->width == 32)
        return group_op(group, SpvOpBitcast, matrix->component, value, 0, 0);
    if (matrix->is_bfloat) {
        value = group_uint(group, SpvOpShiftLeftLogical, value, group_constant(group, 16));
        value = group_op(group, SpvOpBitcast, group_float(group), value, 0, 0);
        return group_op(group, SpvOpFConvert, matrix->component, value, 0, 0);
    }
    const uint32_t pair = group_type_id(group, SpvOpTypeVector, (const uint32_t[]){group_float(group), 2}, 2);
    const uint32_t words[] = {pair, group_id(group), group_extended(group), 62 /* UnpackHalf2x16 */, value};
    group_put(group, &group->body, SpvOpExtInst, words, 5);
    const uint32_t part[] = {group_float(group), group_id(group), words[1], 0};
    group_put(group, &group->body, SpvOpCompositeExtract, part, 4);
    return group_op(group, SpvOpFConvert, matrix->component, part[1], 0, 0);
}

/* The coordinates as an array of the type that the function takes. */
static uint32_t coordinates(struct group *group, const struct tensor *tensor, uint32_t type,
                            const uint32_t *values)
{
    const uint32_t *array = lower_definition(&group->module, type, SpvOpTypeArray, 4);
    uint32_t count = tensor->layout->dimensions, words[GROUP_DIMENSIONS_MOST + 2] = {type, 0};

    for (uint32_t i = 0; i < count; i++)
        words[2 + i] = array[2] == group->uint_type
                           ? values[i]
                           : group_op(group, SpvOpBitcast, array[2], values[i], 0, 0);
    words[1] = group_id(group);
    group_put(group, &group->body, SpvOpCompositeConstruct, words, 2 + count);
    return words[1];
}

static uint32_t read_tensor(struct group *group, const struct tensor *tensor, uint32_t first, uint32_t index)
{
    if (tensor->decode == 0)
        return group_read_place(group, &tensor->place, first, index);
    uint32_t address  = group_offset_address(group, first, index, tensor->bytes);
    uint32_t words[6] = {tensor->matrix->component, 0, tensor->decode};
    words[3]          = group_op(group, SpvOpConvertUToPtr, tensor->types[0], address, 0, 0);
    words[4]          = coordinates(group, tensor, tensor->types[1], tensor->block_at);
    words[5]          = coordinates(group, tensor, tensor->types[2], tensor->in_block);
    words[1]          = group_id(group);
    group_put(group, &group->body, SpvOpFunctionCall, words, 6);
    return words[1];
}

static void load_element(struct group *group, struct tensor *tensor, struct group_element element,
                         uint32_t first, uint32_t to)
{
    uint32_t clip  = has_clip(tensor) ? group_begin_if(group, in_clip(group, tensor, element)) : 0;
    uint32_t index = find_element(group, tensor, element);

    if (tensor->skips != 0) {
        group_store(group, to, clamp_element(group, tensor));
        uint32_t is_in = group_op(group, SpvOpLogicalNot, group->bool_type, tensor->skips, 0, 0);
        uint32_t merge = group_begin_if(group, is_in);
        group_store(group, to, read_tensor(group, tensor, first, index));
        group_end_if(group, merge);
    } else {
        group_store(group, to, read_tensor(group, tensor, first, index));
    }
    if (clip != 0)
        group_end_if(group, clip);
}

static void store_element(struct group *group, struct tensor *tensor, struct group_element element,
                          uint32_t first, uint32_t from)
{
    uint32_t clip  = has_clip(tensor) ? group_begin_if(group, in_clip(group, tensor, element)) : 0;
    uint32_t index = find_element(group, tensor, element), merge = 0;

    if (tensor->skips != 0)
        merge =
            group_begin_if(group, group_op(group, SpvOpLogicalNot, group->bool_type, tensor->skips, 0, 0));
    group_write_place(group, &tensor->place, first, index,
                      group_load(group, tensor->matrix->component, from));
    if (merge != 0)
        group_end_if(group, merge);
    if (clip != 0)
        group_end_if(group, clip);
}

/* ---- the function -------------------------------------------------------------------------- */

static uint32_t address_type(struct group *group, const struct group_place *place)
{
    return place->variable == 0 ? group_long(group) : group->uint_type;
}

static bool takes_object(const struct tensor *tensor)
{
    return tensor->is_store || has_clip(tensor);
}

static uint32_t tensor_function(struct group *group, struct tensor *tensor)
{
    const struct group_type *matrix = tensor->matrix;
    uint32_t key[GROUP_KEY_WORDS]   = {tensor->is_store ? GROUP_OP_STORE_TENSOR : GROUP_OP_LOAD_TENSOR,
                                     matrix->id, tensor->layout->id,
                                     tensor->view != NULL ? tensor->view->id : 0, tensor->decode};
    uint32_t length = 5 + group_place_key(&tensor->place, key + 5);
    uint32_t id     = group_find(group, &group->made_known, key, length);
    struct group_function function;
    struct group_loop loop;

    if (id != 0)
        return id;
    uint32_t nothing = group_type_id(group, SpvOpTypeVoid, NULL, 0);
    group_begin(group, &function, tensor->is_store ? nothing : matrix->id);
    uint32_t array = takes_object(tensor) ? group_array_parameter(group, &function, matrix)
                                          : group_local(group, matrix->id);
    uint32_t first = group_parameter(group, &function, address_type(group, &tensor->place));
    read_layout(group, tensor, group_parameter(group, &function, tensor->layout->id));
    if (tensor->view != NULL)
        read_view(group, tensor, group_parameter(group, &function, tensor->view->id));
    group_begin_each(group, &loop, matrix->length);
    struct group_element element = group_element(group, matrix, loop.index);
    uint32_t pointer = group_at(group, SpvStorageClassFunction, array, matrix->component, loop.index);
    if (tensor->is_store) {
        uint32_t number = group_number(group, loop.index);
        uint32_t merge  = group_begin_if(group, group_test(group, SpvOpULessThan, number, matrix->elements));
        store_element(group, tensor, element, first, pointer);
        group_end_if(group, merge);
    } else {
        load_element(group, tensor, element, first, pointer);
    }
    group_end_loop(group, &loop);
    group_end(group, &function, tensor->is_store ? 0 : group_load(group, matrix->id, array));
    group_add(group, &group->made_known, key, length, function.id);
    return function.id;
}

/* ---- the instructions ---------------------------------------------------------------------- */

/* A decode function takes a physical pointer and two arrays of coordinates. */
static void read_decode(struct group *group, struct tensor *tensor)
{
    uint32_t count = 0, length = 0;

    tensor->types           = group_parameters(group, tensor->decode, &count);
    const uint32_t *pointer = tensor->types != NULL && count == 3
                                  ? lower_definition(&group->module, tensor->types[0], SpvOpTypePointer, 4)
                                  : NULL;
    tensor->bytes           = pointer != NULL && pointer[2] == SpvStorageClassPhysicalStorageBuffer
                                  ? group_size(group, pointer[3])
                                  : 0;
    if (tensor->bytes == 0) {
        group->failed = true;
        return;
    }
    for (uint32_t i = 1; i < 3; i++) {
        const uint32_t *array = lower_definition(&group->module, tensor->types[i], SpvOpTypeArray, 4);
        if (array == NULL || !group_plain(group, array[3], &length) || length != tensor->layout->dimensions)
            group->failed = true;
    }
}

/* The words of the memory operands with what belongs to them. */
static uint32_t count_memory(uint32_t mask)
{
    return 1u + ((mask & SpvMemoryAccessAlignedMask) != 0) +
           ((mask & SpvMemoryAccessMakePointerAvailableMask) != 0) +
           ((mask & SpvMemoryAccessMakePointerVisibleMask) != 0);
}

void group_write_tensor(struct group *group, const uint32_t *at)
{
    struct tensor tensor = {.is_store = lower_opcode(at) == GROUP_OP_STORE_TENSOR};
    uint32_t first = tensor.is_store ? 1 : 3, length = lower_length(at), view = 0;

    if (length < first + 5) {
        group->failed = true;
        return;
    }
    uint32_t object = at[first + 1], next = first + 3 + count_memory(at[first + 3]);
    tensor.matrix = group_matrix_of(group, object);
    tensor.layout = group_type_of(group, at[first + 2]);
    uint32_t mask = next < length ? at[next++] : UINT32_MAX;
    bool is_whole = mask <= (TENSOR_VIEW | TENSOR_DECODE | TENSOR_DECODE_VECTOR) &&
                    length == next + (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1);
    if (!is_whole || tensor.matrix == NULL || tensor.layout == NULL || tensor.layout->kind != GROUP_LAYOUT ||
        (!tensor.is_store && tensor.matrix->id != at[1]) || (tensor.is_store && (mask & ~TENSOR_VIEW) != 0) ||
        (mask & (TENSOR_DECODE | TENSOR_DECODE_VECTOR)) == TENSOR_DECODE_VECTOR) {
        group->failed = true;
        return;
    }
    if ((mask & TENSOR_VIEW) != 0) {
        view        = at[next++];
        tensor.view = group_type_of(group, view);
        if (tensor.view == NULL || tensor.view->kind != GROUP_VIEW ||
            (!tensor.view->has_dimensions && tensor.view->dimensions != tensor.layout->dimensions)) {
            group->failed = true;
            return;
        }
    }
    if ((mask & TENSOR_DECODE) != 0) {
        tensor.decode = at[next++];
        read_decode(group, &tensor);
    }
    if (group->failed)
        return;
    group_find_place(group, at + first + 3, count_memory(at[first + 3]), at[first], tensor.matrix,
                     tensor.decode != 0, &tensor.place);
    if (group->failed)
        return;
    const uint32_t arguments[] = {group_value(group, object), tensor.place.first, at[first + 2], view};
    uint32_t function = tensor_function(group, &tensor), skipped = takes_object(&tensor) ? 0 : 1;
    uint32_t count = (tensor.view != NULL ? 4 : 3) - skipped;
    if (tensor.is_store)
        group_call(group, group_type_id(group, SpvOpTypeVoid, NULL, 0), group_id(group), function, arguments,
                   count);
    else
        group_call(group, at[1], at[2], function, arguments + skipped, count);
}

/* ---- by a stride --------------------------------------------------------------------------- */

static uint32_t access_function(struct group *group, const struct group_type *matrix,
                                const struct group_place *place, bool is_store, bool is_by_columns)
{
    uint32_t key[GROUP_KEY_WORDS] = {is_store ? SPIRV_OpCooperativeMatrixStoreKHR
                                              : SPIRV_OpCooperativeMatrixLoadKHR,
                                     matrix->id, is_by_columns};
    uint32_t length = 3 + group_place_key(place, key + 3);
    uint32_t id = group_find(group, &group->made_known, key, length), merge = 0;
    struct group_function function;
    struct group_loop loop;

    if (id != 0)
        return id;
    group_begin(group, &function, is_store ? group_type_id(group, SpvOpTypeVoid, NULL, 0) : matrix->id);
    uint32_t first  = group_parameter(group, &function, address_type(group, place));
    uint32_t stride = group_parameter(group, &function, group->uint_type);
    uint32_t array =
        is_store ? group_array_parameter(group, &function, matrix) : group_local(group, matrix->id);
    group_begin_each(group, &loop, matrix->length);
    struct group_element element = group_element(group, matrix, loop.index);
    uint32_t major               = is_by_columns ? element.column : element.row;
    uint32_t minor               = is_by_columns ? element.row : element.column;
    uint32_t index   = group_uint(group, SpvOpIAdd, group_uint(group, SpvOpIMul, major, stride), minor);
    uint32_t pointer = group_at(group, SpvStorageClassFunction, array, matrix->component, loop.index);
    if (is_store) {
        merge = group_begin_if(
            group, group_test(group, SpvOpULessThan, group_number(group, loop.index), matrix->elements));
        group_write_place(group, place, first, index, group_load(group, matrix->component, pointer));
        group_end_if(group, merge);
    } else {
        group_store(group, pointer, group_read_place(group, place, first, index));
    }
    group_end_loop(group, &loop);
    group_end(group, &function, is_store ? 0 : group_load(group, matrix->id, array));
    group_add(group, &group->made_known, key, length, function.id);
    return function.id;
}

static uint32_t put(struct group *group, uint32_t opcode, uint32_t a, uint32_t b)
{
    const uint32_t words[] = {group->uint_type, group_id(group), a, b};

    group_put(group, &group->code, opcode, words, b != 0 ? 4 : 3);
    return words[1];
}

/* The stride counts elements of the pointer's type. */
static uint32_t stride_of(struct group *group, const struct group_place *place, uint32_t stride)
{
    if (lower_type_of(&group->module, stride) != group->uint_type)
        stride = put(group, SpvOpBitcast, stride, 0);
    if (place->stride_bytes == place->bytes)
        return stride;
    stride = put(group, SpvOpIMul, stride, group_constant(group, place->stride_bytes));
    return put(group, SpvOpUDiv, stride, group_constant(group, place->bytes));
}

void group_write_access(struct group *group, const uint32_t *at)
{
    bool is_store  = lower_opcode(at) == SPIRV_OpCooperativeMatrixStoreKHR;
    uint32_t first = is_store ? 1 : 3, length = lower_length(at), layout = 0;
    uint32_t next                   = first + (is_store ? 4 : 3); /* memory operands */
    const struct group_type *matrix = NULL;
    struct group_place place;

    if (length >= next)
        matrix = is_store ? group_matrix_of(group, at[2]) : group_type(group, at[1]);
    if (matrix == NULL || matrix->kind != GROUP_MATRIX || !group_plain(group, at[next - 2], &layout) ||
        layout > 1 || lower_type_of(&group->module, at[next - 1]) == 0) {
        group->failed = true;
        return;
    }
    group_find_place(group, at + next, length - next, at[first], matrix, false, &place);
    if (group->failed || place.stride_bytes == 0) {
        group->failed = true;
        return;
    }
    const uint32_t arguments[] = {place.first, stride_of(group, &place, at[next - 1]),
                                  is_store ? group_value(group, at[2]) : 0};
    uint32_t function          = access_function(group, matrix, &place, is_store, layout == 1);
    if (is_store)
        group_call(group, group_type_id(group, SpvOpTypeVoid, NULL, 0), group_id(group), function, arguments,
                   3);
    else
        group_call(group, at[1], at[2], function, arguments, 2);
}
