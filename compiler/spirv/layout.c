/* Explicit layouts of buffers: sizes, and checks of offsets and strides.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "compiler/spirv/reader.h"

/* The innermost element type of arrays of arrays. */
static const struct spirv_type *innermost(const struct spirv_module *module, const struct spirv_type *type)
{
    while (type->kind == SPIRV_ARRAY || type->kind == SPIRV_RUNTIME_ARRAY)
        type = spirv_type(module, type->element);
    return type;
}

static uint64_t matrix_size(const struct spirv_module *module, const struct spirv_type *type, uint32_t stride,
                            bool row_major)
{
    const struct spirv_type *column = spirv_type(module, type->element);
    uint64_t scalar                 = spirv_type(module, column->element)->width / 8;
    uint64_t vectors                = row_major ? column->count : type->count;
    uint64_t length                 = row_major ? type->count : column->count;

    return stride == 0 ? vectors * length * scalar : (vectors - 1) * stride + length * scalar;
}

uint64_t spirv_layout_size(const struct spirv_module *module, const struct spirv_type *type,
                           uint32_t matrix_stride, bool row_major)
{
    uint64_t before = 0;

    /* `before` is the offset of the last element of the arrays. */
    while (type->kind == SPIRV_ARRAY) {
        const struct spirv_type *element = spirv_type(module, type->element);
        uint64_t stride                  = type->stride;
        if (stride == 0)
            stride = element->kind == SPIRV_MATRIX ? matrix_size(module, element, matrix_stride, row_major)
                                                   : element->size;
        before += (type->count - 1) * stride;
        type = element;
    }
    if (type->kind == SPIRV_MATRIX)
        return before + matrix_size(module, type, matrix_stride, row_major);
    return before + type->size;
}

uint64_t spirv_element_stride(const struct spirv_module *module, const struct spirv_type *pointer)
{
    uint64_t stride = pointer->stride;

    for (uint32_t i = 0; i < module->type_count && pointer->stride == 0; i++) {
        const struct spirv_type *array = spirv_type(module, module->types[i]);
        bool holds                     = (array->kind == SPIRV_ARRAY || array->kind == SPIRV_RUNTIME_ARRAY) &&
                     array->element == pointer->element && array->stride != 0;
        if (holds && stride != 0 && array->stride != stride)
            return 0;
        if (holds)
            stride = array->stride;
    }
    return stride;
}

static int32_t check_matrix(const struct spirv_reader *reader, const struct spirv_type *type,
                            const struct spirv_member *member)
{
    const struct spirv_type *column = spirv_type(reader->module, type->element);
    uint32_t scalar                 = spirv_type(reader->module, column->element)->width / 8;
    uint32_t length                 = member->row_major ? type->count : column->count;

    const struct spirv_type *whole = spirv_type(reader->module, member->type);
    if (member->matrix_stride == 0 && whole->kind == SPIRV_ARRAY &&
        spirv_type(reader->module, whole->element)->kind == SPIRV_ARRAY)
        return spirv_unsupported(reader, /* validators overlook this */
                                 "\"%.100s\" is an array of arrays of matrices without a MatrixStride",
                                 member->name);
    if (member->matrix_stride == 0)
        return spirv_invalid(reader, "matrix member \"%.100s\" of a buffer has no MatrixStride",
                             member->name);
    if (member->matrix_stride < length * scalar || member->matrix_stride % scalar != 0)
        return spirv_invalid(reader, "MatrixStride %u of member \"%.100s\" does not fit its type",
                             member->matrix_stride, member->name);
    return TRM_OK;
}

static int32_t check_arrays(const struct spirv_reader *reader, const struct spirv_type *type,
                            const struct spirv_member *member)
{
    const struct spirv_module *module = reader->module;

    for (; type->kind == SPIRV_ARRAY || type->kind == SPIRV_RUNTIME_ARRAY;
         type = spirv_type(module, type->element)) {
        const struct spirv_type *element = spirv_type(module, type->element);
        if (type->stride == 0)
            return spirv_invalid(reader, "array type %u in a buffer has no ArrayStride", type->id);
        if (type->stride < spirv_layout_size(module, element, member != NULL ? member->matrix_stride : 0,
                                             member != NULL && member->row_major) ||
            type->stride % element->natural_alignment != 0)
            return spirv_invalid(reader, "ArrayStride %u of type %u does not fit its elements", type->stride,
                                 type->id);
        if (type->stride > SPIRV_SIZE_MOST)
            return spirv_unsupported(reader, "ArrayStride %u of type %u is too large", type->stride,
                                     type->id);
    }
    return TRM_OK;
}

static int32_t check_member(const struct spirv_reader *reader, const struct spirv_type *type, uint32_t index)
{
    const struct spirv_module *module = reader->module;
    const struct spirv_member *member = &type->members[index];
    const struct spirv_type *inner    = spirv_type(module, member->type);

    if (!member->has_offset)
        return spirv_invalid(reader, "member %u of struct %u is in a buffer and has no Offset", index,
                             type->id);
    if (member->offset % inner->natural_alignment != 0)
        return spirv_invalid(reader, "Offset %u of member %u of struct %u is not aligned for its type",
                             member->offset, index, type->id);
    int32_t status = check_arrays(reader, inner, member);
    if (status != TRM_OK)
        return status;
    inner = innermost(module, inner);
    if (inner->kind == SPIRV_MATRIX)
        return check_matrix(reader, inner, member);
    return spirv_check_layout(reader, inner);
}

struct extent {
    uint64_t begin, end;
};

static int compare_extents(const void *left, const void *right)
{
    const struct extent *a = left, *b = right;

    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static int32_t check_overlaps(const struct spirv_reader *reader, const struct spirv_type *type)
{
    const struct spirv_module *module = reader->module;
    struct extent *extents            = base_arena_allocate(reader->arena, type->count, sizeof(*extents));

    if (extents == NULL)
        return spirv_invalid(reader, "out of memory");
    for (uint32_t i = 0; i < type->count; i++) {
        const struct spirv_member *member = &type->members[i];
        const struct spirv_type *inner    = spirv_type(module, member->type);
        extents[i].begin                  = member->offset;
        extents[i].end =
            inner->kind == SPIRV_RUNTIME_ARRAY
                ? UINT64_MAX
                : member->offset + spirv_layout_size(module, inner, member->matrix_stride, member->row_major);
    }
    qsort(extents, type->count, sizeof(*extents), compare_extents);
    for (uint32_t i = 1; i < type->count; i++)
        if (extents[i].begin < extents[i - 1].end)
            return spirv_invalid(reader, "members of struct %u overlap at byte %llu", type->id,
                                 (unsigned long long)extents[i].begin);
    return TRM_OK;
}

int32_t spirv_check_pointee(const struct spirv_reader *reader, const struct spirv_type *type)
{
    int32_t status = type->kind == SPIRV_FUNCTION ? TRM_OK : check_arrays(reader, type, NULL);

    type = innermost(reader->module, type);
    return status != TRM_OK || type->kind == SPIRV_MATRIX ? status : spirv_check_layout(reader, type);
}

/* SPIRV_DEPTH_MOST limits the depth of types and so of this recursion. Checks each struct once. */
int32_t spirv_check_layout(const struct spirv_reader *reader, const struct spirv_type *type)
{
    int32_t status = TRM_OK;

    switch (type->kind) {
    case SPIRV_INT:
    case SPIRV_FLOAT:
    case SPIRV_VECTOR:
        if (innermost(reader->module, type)->kind == SPIRV_VECTOR &&
            spirv_type(reader->module, type->element)->kind == SPIRV_BOOL)
            return spirv_invalid(reader, "a bool cannot be in a buffer");
        return TRM_OK;
    case SPIRV_STRUCT:
        break;
    case SPIRV_POINTER:
        if (spirv_is_address(type))
            return TRM_OK;
        return spirv_invalid(reader, "pointer type %u cannot be in a buffer", type->id);
    default:
        return spirv_invalid(reader, "type %u cannot be in a buffer", type->id);
    }
    if (type->is_layout_checked)
        return TRM_OK;
    for (uint32_t i = 0; i < type->count && status == TRM_OK; i++)
        status = check_member(reader, type, i);
    if (status == TRM_OK)
        status = check_overlaps(reader, type);
    if (status == TRM_OK)
        reader->module->ids[type->id].as.type_info->is_layout_checked = true;
    return status;
}
