/* Trireme: which words of the structs in a kernel's buffers are floats?
 *
 * The parameters of a kernel say only that such a buffer has elements of several types. The types are in the
 * SPIR-V, which the library has found valid before this looks at it.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdlib.h>
#include <string.h>

enum {
    OP_FLOAT           = 22,
    OP_VECTOR          = 23,
    OP_ARRAY           = 28,
    OP_RUNTIME_ARRAY   = 29,
    OP_STRUCT          = 30,
    OP_POINTER         = 32,
    OP_CONSTANT        = 43,
    OP_VARIABLE        = 59,
    OP_DECORATE        = 71,
    OP_MEMBER_DECORATE = 72,

    ARRAY_STRIDE   = 6,
    BINDING        = 33,
    DESCRIPTOR_SET = 34,
    OFFSET         = 35,

    HEADER_WORDS = 5,
    DEEPEST      = 8, /* structs and arrays in each other that are looked into */
    NOTHING      = -1,
};

/* A module and the struct whose floats are looked for. */
struct layout {
    const uint32_t *words;
    uint64_t count;
    const uint32_t **definitions; /* by id: the instruction that makes a type, a constant or a variable */
    uint32_t ids;
    unsigned char *are_floats; /* by word of an element */
    uint32_t element_words;
};

static uint32_t operation(const uint32_t *instruction)
{
    return instruction ? instruction[0] & 0xffff : 0;
}

static uint32_t length(const uint32_t *instruction)
{
    return instruction[0] >> 16;
}

/* The next instruction; NULL behind the last. The first is next to NULL. */
static const uint32_t *next_instruction(const struct layout *layout, const uint32_t *instruction)
{
    uint64_t at = HEADER_WORDS;

    if (instruction)
        at = (uint64_t)(instruction - layout->words) + length(instruction);
    if (at >= layout->count || length(layout->words + at) == 0 ||
        at + length(layout->words + at) > layout->count)
        return NULL;
    return layout->words + at;
}

static const uint32_t *definition(const struct layout *layout, uint32_t id)
{
    return id < layout->ids ? layout->definitions[id] : NULL;
}

static void find_definitions(struct layout *layout)
{
    const uint32_t *it = NULL;

    while ((it = next_instruction(layout, it)) != NULL) {
        uint32_t place = operation(it) == OP_CONSTANT || operation(it) == OP_VARIABLE ? 2 : 1;
        bool is_known  = place == 2 || (operation(it) >= OP_FLOAT && operation(it) <= OP_POINTER);

        if (is_known && length(it) > 2 && it[place] < layout->ids)
            layout->definitions[it[place]] = it;
    }
}

/* The number of a decoration of an id; NOTHING: it has none. */
static int64_t decoration(const struct layout *layout, uint32_t id, uint32_t kind)
{
    const uint32_t *it = NULL;

    while ((it = next_instruction(layout, it)) != NULL)
        if (operation(it) == OP_DECORATE && length(it) > 3 && it[1] == id && it[2] == kind)
            return it[3];
    return NOTHING;
}

static int64_t member_offset(const struct layout *layout, uint32_t id, uint32_t member)
{
    const uint32_t *it = NULL;

    while ((it = next_instruction(layout, it)) != NULL)
        if (operation(it) == OP_MEMBER_DECORATE && length(it) > 4 && it[1] == id && it[2] == member &&
            it[3] == OFFSET)
            return it[4];
    return NOTHING;
}

static void mark(struct layout *layout, uint32_t id, uint64_t offset, int depth);

static void mark_array(struct layout *layout, const uint32_t *type, uint64_t offset, int depth)
{
    const uint32_t *count = definition(layout, type[3]);
    int64_t stride        = decoration(layout, type[1], ARRAY_STRIDE);

    if (operation(count) != OP_CONSTANT || stride <= 0)
        return;
    for (uint32_t i = 0; i < count[3] && offset / 4 < layout->element_words; i++, offset += (uint64_t)stride)
        mark(layout, type[2], offset, depth);
}

static void mark_struct(struct layout *layout, const uint32_t *type, uint64_t offset, int depth)
{
    for (uint32_t i = 0; i + 2 < length(type); i++) {
        int64_t own = member_offset(layout, type[1], i);

        if (own != NOTHING)
            mark(layout, type[i + 2], offset + (uint64_t)own, depth);
    }
}

/* Mark the floats of 32 bits of a type that begins at an offset. Those of matrices are left out. */
static void mark(struct layout *layout, uint32_t id, uint64_t offset, int depth)
{
    const uint32_t *type = definition(layout, id);

    if (depth == DEEPEST)
        return;
    switch (operation(type)) {
    case OP_FLOAT:
        if (type[2] == 32 && offset % 4 == 0 && offset / 4 < layout->element_words)
            layout->are_floats[offset / 4] = 1;
        break;
    case OP_VECTOR:
        for (uint32_t i = 0; i < type[3]; i++)
            mark(layout, type[2], offset + 4 * (uint64_t)i, depth + 1); /* of wider ones none is marked */
        break;
    case OP_ARRAY:
        mark_array(layout, type, offset, depth + 1);
        break;
    case OP_STRUCT:
        mark_struct(layout, type, offset, depth + 1);
        break;
    default:
        break;
    }
}

/* What the only member of a buffer's block is an array of; 0: it is none. */
static uint32_t element_of(const struct layout *layout, const uint32_t *variable)
{
    const uint32_t *pointer = definition(layout, variable[1]);
    const uint32_t *block   = operation(pointer) == OP_POINTER ? definition(layout, pointer[3]) : NULL;
    const uint32_t *array;

    if (operation(block) != OP_STRUCT || length(block) != 3)
        return 0;
    array = definition(layout, block[2]);
    return operation(array) == OP_RUNTIME_ARRAY || operation(array) == OP_ARRAY ? array[2] : 0;
}

static void mark_buffer(struct layout *layout, const struct trm_parameter *parameter)
{
    for (uint32_t id = 0; id < layout->ids; id++) {
        if (operation(layout->definitions[id]) != OP_VARIABLE ||
            decoration(layout, id, BINDING) != (int64_t)parameter->place ||
            decoration(layout, id, DESCRIPTOR_SET) != (int64_t)parameter->set)
            continue;
        mark(layout, element_of(layout, layout->definitions[id]), 0, 0);
        return;
    }
}

unsigned char *kernel_layout_floats(const struct trm_parameter *parameter, const void *words, uint64_t size)
{
    struct layout layout = {.words = words, .count = size / sizeof(uint32_t)};

    if (parameter->kind != TRM_PARAMETER_BUFFER || parameter->type != TRM_TYPE_NONE ||
        parameter->stride < 4 || parameter->stride % 4 != 0 || layout.count <= HEADER_WORDS)
        return NULL;
    layout.ids           = layout.words[3] < layout.count ? layout.words[3] : (uint32_t)layout.count;
    layout.definitions   = output_allocate(layout.ids, sizeof(*layout.definitions));
    layout.element_words = parameter->stride / 4;
    layout.are_floats    = output_allocate(layout.element_words, 1);
    find_definitions(&layout);
    mark_buffer(&layout, parameter);
    free(layout.definitions);
    return layout.are_floats;
}
