/* SPDX-License-Identifier: MIT */
#include "tests/differential/trial_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/shader_case.h"

/* The numbers of the SPIR-V specification that are used here, as in module_facts.c. */
enum {
    HEADER_WORDS      = 5,
    MOST_IDS          = 1 << 22,
    MOST_DEPTH        = 16,
    OP_TYPE_INT       = 21,
    OP_TYPE_FLOAT     = 22,
    OP_TYPE_VECTOR    = 23,
    OP_TYPE_MATRIX    = 24,
    OP_TYPE_ARRAY     = 28,
    OP_TYPE_UNBOUNDED = 29,
    OP_TYPE_STRUCT    = 30,
    OP_TYPE_POINTER   = 32,
    OP_CONSTANT       = 43,
    OP_SPEC_CONSTANT  = 50,
    OP_VARIABLE       = 59,
    OP_DECORATE       = 71,
    OP_DECORATE_PART  = 72,
    ROW_MAJOR         = 4,
    ARRAY_STRIDE      = 6,
    MATRIX_STRIDE     = 7,
    BINDING           = 33,
    SET               = 34,
    OFFSET            = 35,
};

#define WHOLE UINT32_MAX

struct module {
    const uint32_t *words;
    size_t count;
    const uint32_t **at; /* by id: the instruction of a type, constant or variable */
    uint32_t bound;
};

struct field {
    uint32_t offset, bytes;
    char kind; /* of an element's name: 'i', 'u', 'f' */
};

struct fields {
    const struct module *module;
    struct field field[CASE_FIELDS];
    uint32_t count;
};

/* How the matrices of a member lie in memory. */
struct matrices {
    uint32_t stride;
    int is_row_major;
};

static uint32_t opcode_of(const uint32_t *at)
{
    return at[0] & 0xffff;
}

/* The instruction of an id with so many words at least; NULL: none. */
static const uint32_t *find(const struct module *module, uint32_t id, uint32_t words)
{
    const uint32_t *at = id < module->bound ? module->at[id] : NULL;

    return at && at[0] >> 16 >= words ? at : NULL;
}

static void note(struct module *module, const uint32_t *at)
{
    uint32_t opcode = opcode_of(at), length = at[0] >> 16;
    uint32_t word = opcode >= OP_TYPE_INT && opcode <= OP_TYPE_POINTER ? 1 : 2;

    if (word == 2 && opcode != OP_CONSTANT && opcode != OP_SPEC_CONSTANT && opcode != OP_VARIABLE)
        return;
    if (length > word && at[word] < module->bound)
        module->at[at[word]] = at;
}

/* The value of a decoration of an id, or of a member of it; `otherwise` without one. */
static uint32_t decoration(const struct module *module, uint32_t id, uint32_t member, uint32_t which,
                           uint32_t otherwise)
{
    uint32_t opcode = member == WHOLE ? OP_DECORATE : OP_DECORATE_PART, first = member == WHOLE ? 2 : 3;

    for (size_t i = HEADER_WORDS; i < module->count; i += module->words[i] >> 16) {
        const uint32_t *at = module->words + i;
        uint32_t length    = at[0] >> 16;
        if (opcode_of(at) == opcode && length > first && at[1] == id && at[first] == which &&
            (member == WHOLE || at[2] == member))
            return length > first + 1 ? at[first + 1] : 1;
    }
    return otherwise;
}

static int add(struct fields *fields, uint32_t offset, const uint32_t *type)
{
    int is_float   = opcode_of(type) == OP_TYPE_FLOAT;
    uint32_t width = type[2];

    if (fields->count == CASE_FIELDS || (is_float && type[0] >> 16 > 3) || width % 8 != 0)
        return 0;
    char kind                      = is_float ? 'f' : type[0] >> 16 > 3 && type[3] ? 'i' : 'u';
    fields->field[fields->count++] = (struct field){.offset = offset, .bytes = width / 8, .kind = kind};
    return width <= 64;
}

static uint32_t bytes_of(const struct module *module, uint32_t id)
{
    const uint32_t *type = find(module, id, 3);

    return type && (opcode_of(type) == OP_TYPE_INT || opcode_of(type) == OP_TYPE_FLOAT) ? type[2] / 8 : 0;
}

static int flatten(struct fields *fields, uint32_t id, uint32_t offset, struct matrices matrices,
                   uint32_t depth);

static int flatten_struct(struct fields *fields, const uint32_t *type, uint32_t offset, uint32_t depth)
{
    const struct module *module = fields->module;
    int worked                  = 1;

    for (uint32_t i = 0; i + 2 < type[0] >> 16 && worked; i++) {
        uint32_t at              = decoration(module, type[1], i, OFFSET, WHOLE);
        struct matrices matrices = {
            .stride       = decoration(module, type[1], i, MATRIX_STRIDE, 0),
            .is_row_major = decoration(module, type[1], i, ROW_MAJOR, 0) != 0,
        };
        worked = at != WHOLE && flatten(fields, type[2 + i], offset + at, matrices, depth + 1);
    }
    return worked;
}

static int flatten_matrix(struct fields *fields, const uint32_t *type, uint32_t offset,
                          struct matrices matrices)
{
    const uint32_t *column = find(fields->module, type[2], 4);
    const uint32_t *scalar = column ? find(fields->module, column[2], 3) : NULL;
    int worked             = scalar && matrices.stride != 0;

    for (uint32_t i = 0; worked && i < type[3] * column[3]; i++) {
        uint32_t x = i / column[3], y = i % column[3], bytes = bytes_of(fields->module, column[2]);
        uint32_t at =
            matrices.is_row_major ? y * matrices.stride + x * bytes : x * matrices.stride + y * bytes;
        worked = bytes != 0 && add(fields, offset + at, scalar);
    }
    return worked;
}

static int flatten_array(struct fields *fields, const uint32_t *type, uint32_t offset,
                         struct matrices matrices, uint32_t depth)
{
    const uint32_t *length = find(fields->module, type[3], 4);
    uint32_t stride        = decoration(fields->module, type[1], WHOLE, ARRAY_STRIDE, 0);
    int worked             = length && opcode_of(length) != OP_VARIABLE && length[3] <= CASE_FIELDS && stride;

    for (uint32_t i = 0; worked && i < length[3]; i++)
        worked = flatten(fields, type[2], offset + i * stride, matrices, depth + 1);
    return worked;
}

/* Adds the scalars of a type. */
static int flatten(struct fields *fields, uint32_t id, uint32_t offset, struct matrices matrices,
                   uint32_t depth)
{
    const uint32_t *type = depth < MOST_DEPTH ? find(fields->module, id, 2) : NULL;
    uint32_t length      = type ? type[0] >> 16 : 0;
    int worked           = 1;

    switch (length > 0 ? opcode_of(type) : 0) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        return length > 2 && add(fields, offset, type);
    case OP_TYPE_VECTOR: {
        const uint32_t *scalar = length > 3 ? find(fields->module, type[2], 3) : NULL;
        for (uint32_t i = 0; worked && i < (scalar ? type[3] : 1); i++)
            worked = bytes_of(fields->module, type[2]) != 0 && scalar &&
                     add(fields, offset + i * bytes_of(fields->module, type[2]), scalar);
        return worked;
    }
    case OP_TYPE_MATRIX:
        return length > 3 && flatten_matrix(fields, type, offset, matrices);
    case OP_TYPE_ARRAY:
        return length > 3 && flatten_array(fields, type, offset, matrices, depth);
    case OP_TYPE_STRUCT:
        return flatten_struct(fields, type, offset, depth);
    default:
        return 0;
    }
}

static int by_offset(const void *one, const void *other)
{
    const struct field *a = one, *b = other;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Writes what lies between two fields: words are cheaper than bytes, of which each is a field. */
static int write_gap(struct trial_layout *layout, uint32_t bytes)
{
    size_t used = strlen(layout->record);

    if (bytes == 0)
        return 1;
    if (bytes % 4 == 0)
        snprintf(layout->record + used, sizeof(layout->record) - used, ",%uu32", bytes / 4);
    else
        snprintf(layout->record + used, sizeof(layout->record) - used, ",%upad", bytes);
    return bytes / 4 < CASE_FIELDS;
}

static int write_record(struct trial_layout *layout, struct fields *fields, uint32_t stride)
{
    uint32_t end = 0;

    qsort(fields->field, fields->count, sizeof(fields->field[0]), by_offset);
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->field[i];
        if (field->offset < end || !write_gap(layout, field->offset - end))
            return 0;
        size_t used = strlen(layout->record);
        snprintf(layout->record + used, sizeof(layout->record) - used, ",%c%u", field->kind,
                 field->bytes * 8);
        layout->has_integers |= field->kind != 'f';
        layout->has_halves |= field->kind == 'f' && field->bytes == 2;
        end = field->offset + field->bytes;
    }
    layout->size = stride != 0 ? stride : (end + 3) / 4 * 4;
    int worked   = layout->size >= end && write_gap(layout, layout->size - end);
    memmove(layout->record, layout->record + 1, strlen(layout->record + 1) + 1); /* the first comma */
    return worked && strlen(layout->record) + 1 < sizeof(layout->record);
}

/* The type of the first variable on a set and binding; 0: none. Others are views of the same buffer, or of
 * other entry points. */
static uint32_t find_block(const struct module *module, uint32_t set, uint32_t binding)
{
    for (uint32_t id = 0; id < module->bound; id++) {
        const uint32_t *variable = find(module, id, 4);
        if (!variable || opcode_of(variable) != OP_VARIABLE ||
            decoration(module, id, WHOLE, BINDING, WHOLE) != binding ||
            decoration(module, id, WHOLE, SET, 0) != set)
            continue;
        const uint32_t *pointer = find(module, variable[1], 4);
        return pointer ? pointer[3] : 0;
    }
    return 0;
}

static int read_block(struct trial_layout *layout, const struct module *module, uint32_t id)
{
    struct fields fields  = {.module = module};
    const uint32_t *block = find(module, id, 3);
    uint32_t stride       = 0;

    while (block && opcode_of(block) == OP_TYPE_ARRAY) /* of descriptors */
        block = find(module, id = block[2], 3);
    const uint32_t *first = block ? find(module, block[2], 3) : NULL;
    if (!first || opcode_of(block) != OP_TYPE_STRUCT)
        return 0;
    if (block[0] >> 16 == 3 && opcode_of(first) == OP_TYPE_UNBOUNDED) {
        struct matrices matrices = {
            .stride       = decoration(module, id, 0, MATRIX_STRIDE, 0),
            .is_row_major = decoration(module, id, 0, ROW_MAJOR, 0) != 0,
        };
        stride = decoration(module, first[1], WHOLE, ARRAY_STRIDE, 0);
        return stride != 0 && flatten(&fields, first[2], 0, matrices, 0) && fields.count > 0 &&
               write_record(layout, &fields, stride);
    }
    return flatten(&fields, id, 0, (struct matrices){.stride = 0}, 0) && fields.count > 0 &&
           write_record(layout, &fields, 0);
}

int trial_layout_read(struct trial_layout *layout, const uint32_t *words, size_t count, uint32_t set,
                      uint32_t binding)
{
    struct module module = {.words = words, .count = HEADER_WORDS};
    int worked           = 0;

    memset(layout, 0, sizeof(*layout));
    if (count < HEADER_WORDS || words[3] > MOST_IDS)
        return 0;
    module.bound = words[3];
    module.at    = calloc(module.bound + 1u, sizeof(*module.at));
    if (!module.at)
        return 0;
    while (module.count < count) {
        uint32_t length = words[module.count] >> 16;
        if (length == 0 || length > count - module.count)
            break;
        note(&module, words + module.count);
        module.count += length;
    }
    uint32_t block = find_block(&module, set, binding);
    if (block != 0)
        worked = read_block(layout, &module, block);
    free(module.at);
    return worked;
}
