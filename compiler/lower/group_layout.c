/* Tensor layouts and tensor views: structs of unsigned integers, which instructions copy and change.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

#define MEMBERS_MOST (5 * GROUP_DIMENSIONS_MOST + 1)

bool group_is_layout_opcode(uint32_t opcode)
{
    return (opcode >= GROUP_OP_CREATE_LAYOUT && opcode <= GROUP_OP_VIEW_STRIDE) ||
           opcode == GROUP_OP_VIEW_CLIP || opcode == GROUP_OP_SET_BLOCK_SIZE;
}

static uint32_t put(struct group *group, uint32_t opcode, uint32_t a, uint32_t b)
{
    uint32_t id = group_id(group);

    GROUP_PUT(group, &group->code, opcode, group->uint_type, id, a, b);
    return id;
}

/* An operand as an unsigned integer. */
static uint32_t operand(struct group *group, uint32_t id)
{
    uint32_t type = lower_type_of(&group->module, id), result = group_id(group);

    if (type == 0)
        group->failed = true;
    if (type == group->uint_type)
        return id;
    GROUP_PUT(group, &group->code, SpvOpBitcast, group->uint_type, result, id);
    return result;
}

/* The members of the layout or view that is copied. */
static void extract(struct group *group, uint32_t id, uint32_t *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        members[i] = group_id(group);
        GROUP_PUT(group, &group->code, SpvOpCompositeExtract, group->uint_type, members[i], id, i);
    }
}

/* ceil(dimension / block size) */
static uint32_t blocks(struct group *group, uint32_t dimension, uint32_t block)
{
    uint32_t one = group_constant(group, 1), size = 0;

    if (group_plain(group, block, &size) && size == 1)
        return dimension;
    uint32_t sum = put(group, SpvOpIAdd, dimension, put(group, SpvOpISub, block, one));
    return put(group, SpvOpUDiv, sum, block);
}

/* layout: block sizes, dimensions, strides, offsets, spans, the clamp value */
static void change_layout(struct group *group, const uint32_t *at, uint32_t dimensions, uint32_t *members)
{
    uint32_t *block = members, *dimension = block + dimensions, *stride = dimension + dimensions;
    uint32_t *offset = stride + dimensions, *span = offset + dimensions;

    switch (lower_opcode(at)) {
    case GROUP_OP_SET_BLOCK_SIZE:
        for (uint32_t i = 0; i < dimensions; i++)
            block[i] = operand(group, at[4 + i]);
        break;
    case GROUP_OP_SET_DIMENSION:
        for (uint32_t i = 0; i < dimensions; i++) {
            dimension[i] = span[i] = operand(group, at[4 + i]);
            offset[i]              = group_constant(group, 0);
        }
        stride[dimensions - 1] = group_constant(group, 1);
        for (uint32_t i = dimensions - 1; i-- != 0;)
            stride[i] = put(group, SpvOpIMul, stride[i + 1], blocks(group, dimension[i + 1], block[i + 1]));
        break;
    case GROUP_OP_SET_STRIDE:
        for (uint32_t i = 0; i < dimensions; i++)
            stride[i] = operand(group, at[4 + i]);
        break;
    case GROUP_OP_SLICE:
        for (uint32_t i = 0; i < dimensions; i++) {
            offset[i] = put(group, SpvOpIAdd, offset[i], operand(group, at[4 + 2 * i]));
            span[i]   = operand(group, at[5 + 2 * i]);
        }
        break;
    default:
        members[5 * dimensions] = operand(group, at[4]);
        break;
    }
}

/* view: dimensions, strides, the clip region */
static void change_view(struct group *group, const uint32_t *at, uint32_t dimensions, uint32_t *members)
{
    uint32_t *stride = members + dimensions, *clip = stride + dimensions;

    switch (lower_opcode(at)) {
    case GROUP_OP_VIEW_DIMENSION:
        for (uint32_t i = 0; i < dimensions; i++)
            members[i] = operand(group, at[4 + i]);
        stride[dimensions - 1] = group_constant(group, 1);
        for (uint32_t i = dimensions - 1; i-- != 0;)
            stride[i] = put(group, SpvOpIMul, stride[i + 1], members[i + 1]);
        break;
    case GROUP_OP_VIEW_STRIDE:
        for (uint32_t i = 0; i < dimensions; i++)
            stride[i] = operand(group, at[4 + i]);
        break;
    default:
        for (uint32_t i = 0; i < 4; i++)
            clip[i] = operand(group, at[4 + i]);
        break;
    }
}

/* The words that an instruction has for so many dimensions. */
static uint32_t length_of(uint32_t opcode, uint32_t dimensions)
{
    switch (opcode) {
    case GROUP_OP_CREATE_LAYOUT:
    case GROUP_OP_CREATE_VIEW:
        return 3;
    case GROUP_OP_SLICE:
        return 4 + 2 * dimensions;
    case GROUP_OP_SET_CLAMP_VALUE:
        return 5;
    case GROUP_OP_VIEW_CLIP:
        return 8;
    default:
        return 4 + dimensions;
    }
}

static bool is_of_view(uint32_t opcode)
{
    return opcode == GROUP_OP_CREATE_VIEW || opcode == GROUP_OP_VIEW_DIMENSION ||
           opcode == GROUP_OP_VIEW_STRIDE || opcode == GROUP_OP_VIEW_CLIP;
}

void group_write_layout(struct group *group, const uint32_t *at)
{
    uint32_t members[MEMBERS_MOST] = {0}, words[MEMBERS_MOST + 2];
    uint32_t opcode                = lower_opcode(at);
    const struct group_type *type  = lower_length(at) >= 3 ? group_type(group, at[1]) : NULL;

    if (type == NULL || type->kind != (is_of_view(opcode) ? GROUP_VIEW : GROUP_LAYOUT) ||
        lower_length(at) != length_of(opcode, type->dimensions)) {
        group->failed = true;
        return;
    }
    uint32_t dimensions = type->dimensions;
    uint32_t count      = type->kind == GROUP_VIEW ? 2 * dimensions + 4 : 5 * dimensions + 1;
    if (lower_length(at) > 3) {
        if (group_type_of(group, at[3]) != type) {
            group->failed = true;
            return;
        }
        extract(group, at[3], members, count);
        if (type->kind == GROUP_VIEW)
            change_view(group, at, dimensions, members);
        else
            change_layout(group, at, dimensions, members);
    } else {
        uint32_t zero = group_constant(group, 0);
        for (uint32_t i = 0; i < count; i++)
            members[i] = zero;
        for (uint32_t i = 0; type->kind == GROUP_LAYOUT && i < dimensions; i++)
            members[i] = group_constant(group, 1);
        if (type->kind == GROUP_VIEW) /* the spans of the clip region */
            members[count - 3] = members[count - 1] = group_constant(group, UINT32_MAX);
    }
    words[0] = at[1];
    words[1] = at[2];
    memcpy(words + 2, members, count * sizeof(*members));
    group_put(group, &group->code, SpvOpCompositeConstruct, words, count + 2);
}
