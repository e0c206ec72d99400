/* Trireme: inputs for a kernel, made up from its parameters.
 *
 * A name says what an integer is for: "count" is the number of elements, "width" and "height" are sides.
 * Floats are between 0 and 1, integers small, since they may be indices; integers that the kernel also writes
 * begin with 0, since they may count.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a buffer, so that weights and bins fit in one of a small size. */
#define LEAST_ELEMENTS ((uint64_t)256)

#define UNIFORM_BYTES ((uint64_t)16384)

/* Of a large launch, on a side: a prime number below 65536, which all devices have. */
#define MOST_GROUPS 65521u

/* Of a side, and of elements: groups of a launch have 32 bits; the bytes of so many elements fit in 64 bits
 * and need more memory than a size may take. */
#define MOST_NUMBER ((uint64_t)UINT32_MAX)

/* ---- names ---- */

enum role {
    ROLE_OTHER,
    ROLE_COUNT,
    ROLE_WIDTH,
    ROLE_HEIGHT,
    ROLE_DEPTH,
    ROLE_ZERO, /* where something begins */
};

static const struct {
    enum role role;
    const char *names; /* each between spaces */
} roles[] = {
    {ROLE_COUNT, " n count size length len num total elements items samples numel "},
    {ROLE_WIDTH, " width w cols columns stride pitch nx k side row_length target_width "},
    {ROLE_HEIGHT, " height h rows ny m target_height "},
    {ROLE_DEPTH, " depth d nz planes slices "},
    {ROLE_ZERO, " offset first begin start base x0 y0 seed axis shift level "},
};

static enum role role_of(const struct trm_parameter *parameter)
{
    char name[80];

    if (parameter->kind != TRM_PARAMETER_SCALAR || value_is_float(parameter->type))
        return ROLE_OTHER;
    snprintf(name, sizeof(name), " %.70s ", parameter->name);
    for (char *letter = name; *letter; letter++)
        if (*letter >= 'A' && *letter <= 'Z')
            *letter = (char)(*letter - 'A' + 'a');
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (strstr(roles[i].names, name))
            return roles[i].role;
    return ROLE_OTHER;
}

/* In "m, n, k" the sides of matrices, n is a width. */
static bool is_product(const struct trm_kernel_info *info)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < info->parameter_count; i++)
        found += strcmp(info->parameters[i].name, "m") == 0 || strcmp(info->parameters[i].name, "k") == 0;
    return found == 2;
}

static bool has_role(const struct trm_kernel_info *info, enum role role)
{
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (role_of(&info->parameters[i]) == role)
            return true;
    return false;
}

bool kernel_inputs_has_count(const struct trm_kernel_info *info)
{
    return has_role(info, ROLE_COUNT) || has_role(info, ROLE_WIDTH) || has_role(info, ROLE_HEIGHT);
}

/* ---- obstacles ---- */

/* Does the module declare one of these capabilities? They are its first instructions, behind a header of five
 * words. */
static bool has_capability(const uint32_t *words, uint64_t size, uint32_t first, uint32_t last)
{
    const uint32_t capability = 2u << 16 | 17u;

    for (uint64_t at = 5; at + 1 < size / sizeof(uint32_t) && words[at] == capability; at += 2)
        if (words[at + 1] >= first && words[at + 1] <= last)
            return true;
    return false;
}

bool kernel_inputs_has_subgroups(const void *words, uint64_t size)
{
    const uint32_t non_uniform = 61, non_uniform_quad = 68;

    return has_capability(words, size, non_uniform, non_uniform_quad);
}

void kernel_inputs_obstacle(const struct trm_kernel_info *info, const void *words, uint64_t size, char *text,
                            size_t capacity)
{
    const uint32_t physical_addresses = 5347;

    *text = '\0';
    if (info->parameter_count > KERNEL_PARAMETERS)
        snprintf(text, capacity, "it has more than %d parameters", KERNEL_PARAMETERS);
    if (has_capability(words, size, physical_addresses, physical_addresses))
        snprintf(text, capacity, "it takes addresses of memory");
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct trm_parameter *parameter = &info->parameters[i];

        if (parameter->kind != TRM_PARAMETER_BUFFER && parameter->kind != TRM_PARAMETER_SCALAR &&
            parameter->kind != TRM_PARAMETER_BLOCK)
            snprintf(text, capacity, "its parameter %s is neither a buffer nor a value", parameter->name);
    }
}

/* ---- sizes ---- */

static uint32_t group_side(const struct trm_kernel_info *info, int side)
{
    if (info->group_size[0] == 0 && info->group_size[1] == 0)
        return side == 0 ? 64 : 1; /* each launch sets it */
    return info->group_size[side] > 0 ? info->group_size[side] : 1;
}

static int dimensions_of(const struct trm_kernel_info *info)
{
    if (group_side(info, 2) > 1 || has_role(info, ROLE_DEPTH))
        return 3;
    return group_side(info, 1) > 1 || has_role(info, ROLE_HEIGHT) ? 2 : 1;
}

/* One number for two dimensions is the side of a square. */
static bool is_square(const struct trm_kernel_info *info)
{
    return dimensions_of(info) == 2 && has_role(info, ROLE_COUNT) && !has_role(info, ROLE_WIDTH) &&
           !has_role(info, ROLE_HEIGHT);
}

bool kernel_inputs_items(const char *text, uint64_t items[3])
{
    uint64_t side[3] = {1, 1, 1};

    for (int i = 0; i < 3; i++) {
        char *end;

        if (*text < '0' || *text > '9')
            return false;
        side[i] = strtoull(text, &end, 10); /* the largest number if it is too large */
        if (side[i] == 0)
            return false;
        side[i] = side[i] < MOST_NUMBER ? side[i] : MOST_NUMBER;
        if (*end == '\0') {
            memcpy(items, side, sizeof(side));
            return true;
        }
        if (*end != 'x')
            return false;
        text = end + 1;
    }
    return false;
}

static void set_side(const struct trm_kernel_info *info, enum role role, uint64_t value, uint64_t items[3])
{
    value = value == 0 ? 1 : value < MOST_NUMBER ? value : MOST_NUMBER;
    switch (role) {
    case ROLE_COUNT:
        items[0] = value;
        items[1] = is_square(info) ? value : 1;
        items[2] = 1;
        break;
    case ROLE_WIDTH:
        items[0] = value;
        break;
    case ROLE_HEIGHT:
        items[1] = value;
        break;
    default:
        items[2] = value;
        break;
    }
}

/* Sides that follow from values of the user's. False: there are none. */
static bool take_given(const struct trm_kernel_info *info, struct spec *spec, uint64_t items[3])
{
    const char *text = spec_value(spec, "items");
    bool is_given    = false;

    if (text && kernel_inputs_items(text, items))
        return true;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct trm_parameter *parameter = &info->parameters[i];
        enum role role                        = role_of(parameter);
        uint64_t bits;

        text = spec_value(spec, parameter->name);
        if (is_product(info) && role == ROLE_COUNT)
            role = ROLE_WIDTH;
        if (is_product(info) && strcmp(parameter->name, "k") == 0)
            continue; /* the side that is summed over has no work-items */
        if (!text || role == ROLE_OTHER || role == ROLE_ZERO || !value_parse(parameter->type, text, &bits))
            continue;
        set_side(info, role, bits, items);
        is_given = true;
    }
    return is_given;
}

bool kernel_inputs_has_sides(const struct trm_kernel_info *info, struct spec *spec)
{
    uint64_t items[3] = {1, 1, 1};

    return take_given(info, spec, items);
}

/* A product of numbers above 0, which is the largest number if it would be larger. */
static uint64_t product(uint64_t one, uint64_t other)
{
    return one < MOST_NUMBER / other ? one * other : MOST_NUMBER;
}

static uint64_t items_in(const uint64_t items[3])
{
    return product(product(items[0], items[1]), items[2]);
}

static void add_size(struct kernel_shared *shared, uint64_t x, uint64_t y, uint64_t z)
{
    struct kernel_size *size = &shared->sizes[shared->size_count];

    if (shared->size_count == KERNEL_SIZES)
        return;
    size->items[0] = x;
    size->items[1] = y;
    size->items[2] = z;
    size->elements = items_in(size->items) < LEAST_ELEMENTS ? LEAST_ELEMENTS : items_in(size->items);
    shared->size_count++;
}

/* Some devices have no more groups than this on a side of a launch. */
static uint64_t fitting(const struct trm_kernel_info *info, const uint64_t items[3], int side)
{
    uint64_t most = (uint64_t)MOST_GROUPS * group_side(info, side);

    return items[side] < most ? items[side] : most;
}

static uint64_t second_side(const struct trm_kernel_info *info, const uint64_t items[3])
{
    return is_square(info) ? items[0] : items[1];
}

void kernel_inputs_sizes(const struct trm_kernel_info *info, struct spec *spec, bool is_quick,
                         struct kernel_shared *shared)
{
    static const uint64_t odd[4][3]   = {{0, 0, 0}, {1000, 1, 1}, {37, 23, 1}, {19, 13, 7}};
    static const uint64_t large[4][3] = {{0, 0, 0}, {1000003, 1, 1}, {515, 259, 1}, {131, 67, 33}};
    int dimensions                    = dimensions_of(info);
    const uint64_t *some = odd[dimensions], *many = large[dimensions];
    uint64_t given[3] = {some[0], second_side(info, some), some[2]}, beyond[3] = {1, 1, 1};

    if (take_given(info, spec, given)) {
        add_size(shared, given[0], given[1], given[2]);
        return;
    }
    add_size(shared, given[0], given[1], given[2]);
    if (is_quick)
        return;
    add_size(shared, 1, 1, 1);
    for (int i = 0; i < dimensions; i++)
        beyond[i] = group_side(info, i) + 1;
    add_size(shared, beyond[0], second_side(info, beyond), beyond[2]);
    for (int i = 0; i < 3; i++)
        beyond[i] = fitting(info, many, i);
    add_size(shared, beyond[0], second_side(info, beyond), beyond[2]);
}

uint64_t kernel_inputs_launched(const struct trm_kernel_info *info, const struct kernel_size *size)
{
    uint64_t launched[3];

    for (int i = 0; i < 3; i++) {
        uint64_t side = group_side(info, i);

        launched[i] = (size->items[i] + side - 1) / side * side;
    }
    return items_in(launched);
}

/* ---- values ---- */

static uint64_t bits_of_float(int32_t type, float value)
{
    union {
        float f32;
        uint32_t u32;
    } single = {.f32 = value};
    union {
        double f64;
        uint64_t u64;
    } full = {.f64 = (double)value};

    if (type == TRM_TYPE_F64)
        return full.u64;
    return type == TRM_TYPE_F16 ? 0x3800 : single.u32; /* 0.5 */
}

static uint64_t scalar_for(const struct trm_kernel_info *info, const struct trm_parameter *parameter,
                           const struct kernel_inputs *inputs)
{
    uint64_t count = is_product(info) || is_square(info) ? inputs->items[0] : items_in(inputs->items);

    if (value_is_float(parameter->type))
        return bits_of_float(parameter->type, 0.5F);
    switch (role_of(parameter)) {
    case ROLE_COUNT:
        return count;
    case ROLE_WIDTH:
        return inputs->items[0];
    case ROLE_HEIGHT:
        return inputs->items[1];
    case ROLE_DEPTH:
        return inputs->items[2];
    case ROLE_ZERO:
        return 0;
    default:
        return count < 3 ? count : 3;
    }
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The bits of one element. */
static uint64_t element_for(int32_t type, uint32_t random, uint64_t count)
{
    switch (type) {
    case TRM_TYPE_F16:
        return 0x3800 | (random & 0x3ff); /* from 0.5 to 1 */
    case TRM_TYPE_F32:
    case TRM_TYPE_F64:
        return bits_of_float(type, (float)(random & 0xffff) / 65536);
    case TRM_TYPE_U8:
    case TRM_TYPE_I8:
    case TRM_TYPE_U16:
    case TRM_TYPE_I16:
        return random;
    default:
        return random % (count < 64 ? count : 64);
    }
}

/* Integers that the kernel writes may count. */
static bool begins_with_zero(const struct kernel_argument *argument, int32_t type)
{
    bool counts = argument->is_written && !value_is_float(type) && trm_type_size(type) >= 4;

    return counts || argument->parameter->access == TRM_ACCESS_WRITE;
}

static void fill(struct kernel_argument *argument, uint32_t seed, uint64_t count)
{
    const struct trm_parameter *parameter = argument->parameter;
    uint32_t size                         = trm_type_size(parameter->type);
    uint32_t state                        = seed * 2654435761u + 1;

    if (size == 0)
        size = 4;
    if (begins_with_zero(argument, parameter->type))
        return;
    for (uint64_t at = 0; at + size <= argument->bytes; at += size) {
        uint64_t bits = element_for(parameter->type, next(&state), count);

        memcpy(argument->start + at, &bits, size);
    }
}

/* Structs that are filled. */
struct filling {
    struct kernel_argument *argument;
    uint32_t state;
    uint64_t count;
};

static void fill_field(void *user, const struct kernel_place *place)
{
    struct filling *filling = user;
    int32_t type            = place->field->type;

    if (begins_with_zero(filling->argument, type))
        return;
    for (uint32_t i = 0; i < place->count; i++) {
        uint64_t bits = element_for(type, next(&filling->state), filling->count);

        memcpy(filling->argument->start + place->offset + (uint64_t)i * place->field->stride, &bits,
               trm_type_size(type));
    }
}

static void fill_structs(struct kernel_argument *argument, uint32_t seed, uint64_t count)
{
    struct filling filling = {.argument = argument, .state = seed * 2654435761u + 1, .count = count};

    if (argument->parameter->access != TRM_ACCESS_WRITE)
        kernel_layout_each(argument->layout, argument->bytes, fill_field, &filling);
}

/* ---- arguments ---- */

/* Blocks that are only read and have no array at their end may be uniform, which some devices limit. Where
 * the members are unknown, there may be such an array. */
static uint64_t buffer_bytes(const struct kernel_argument *argument, uint64_t elements)
{
    const struct trm_parameter *parameter = argument->parameter;
    const struct kernel_layout *layout    = argument->layout;
    uint64_t bytes                        = elements * parameter->stride;

    if (layout)
        bytes = layout->tail + elements * layout->tail_stride;
    else if (parameter->stride == 0)
        bytes = parameter->size + elements * 4;
    if (!layout && parameter->stride == 0 && parameter->access == TRM_ACCESS_READ && bytes > UNIFORM_BYTES)
        bytes = parameter->size > UNIFORM_BYTES ? parameter->size : UNIFORM_BYTES;
    if (bytes < parameter->size)
        bytes = parameter->size;
    return (bytes + 3) / 4 * 4;
}

static uint64_t elements_for(const struct trm_parameter *parameter, struct spec *spec, uint64_t usual)
{
    const char *text = spec_value(spec, parameter->name);
    uint64_t given;

    if (!text || !value_parse(TRM_TYPE_U64, text, &given))
        return usual;
    return given < MOST_NUMBER ? given : MOST_NUMBER;
}

static void make_buffer(struct kernel_inputs *inputs, struct kernel_argument *argument,
                        const struct kernel_check *it)
{
    const struct trm_parameter *parameter = argument->parameter;

    argument->bytes      = buffer_bytes(argument, elements_for(parameter, it->spec, inputs->elements));
    argument->is_written = parameter->access == 0 || (parameter->access & TRM_ACCESS_WRITE) != 0;
    inputs->total_bytes += argument->bytes;
    if (argument->is_written)
        inputs->result_bytes += argument->bytes;
    if (inputs->total_bytes > KERNEL_SIZE_BYTES)
        return; /* this size is left out */
    argument->start = output_allocate(argument->bytes, 1);
    if (argument->layout)
        fill_structs(argument, inputs->count + 1, items_in(inputs->items));
    else
        fill(argument, inputs->count + 1, items_in(inputs->items));
}

/* Floats of push constants are 0.5, integers 1. */
static void set_field(void *user, const struct kernel_place *place)
{
    struct kernel_argument *argument = user;
    int32_t type                     = place->field->type;
    uint64_t bits                    = value_is_float(type) ? bits_of_float(type, 0.5F) : 1;

    for (uint32_t i = 0; i < place->count; i++)
        memcpy(argument->start + place->offset + (uint64_t)i * place->field->stride, &bits,
               trm_type_size(type));
}

static void make_block(struct kernel_argument *argument)
{
    const struct trm_parameter *parameter = argument->parameter;
    uint32_t size                         = trm_type_size(parameter->type);
    uint64_t bits = value_is_float(parameter->type) ? bits_of_float(parameter->type, 0.5F) : 1;

    argument->start = output_allocate(parameter->size, 1);
    if (argument->layout)
        kernel_layout_each(argument->layout, parameter->size, set_field, argument);
    for (uint32_t at = 0; size > 0 && at + size <= parameter->size; at += size)
        memcpy(argument->start + at, &bits, size);
}

void kernel_inputs_make(struct kernel_inputs *inputs, const struct trm_kernel_info *info,
                        const struct kernel_check *it, const struct kernel_size *size)
{
    memset(inputs, 0, sizeof(*inputs));
    memcpy(inputs->items, size->items, sizeof(inputs->items));
    inputs->elements = size->elements;
    for (uint32_t i = 0; i < info->parameter_count && i < KERNEL_PARAMETERS; i++) {
        struct kernel_argument *argument = &inputs->arguments[i];
        const char *text                 = spec_value(it->spec, info->parameters[i].name);

        argument->parameter = &info->parameters[i];
        if (it->shared->layouts[i].count > 0)
            argument->layout = &it->shared->layouts[i];
        if (argument->parameter->kind == TRM_PARAMETER_BUFFER)
            make_buffer(inputs, argument, it);
        else if (argument->parameter->kind == TRM_PARAMETER_BLOCK)
            make_block(argument);
        else if (!text || !value_parse(argument->parameter->type, text, &argument->bits))
            argument->bits = scalar_for(info, argument->parameter, inputs);
        inputs->count++;
    }
}

void kernel_inputs_release(struct kernel_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++)
        free(inputs->arguments[i].start);
}

/* "1000", "37 x 23" */
static int items_text(const uint64_t items[3], char *text, size_t capacity)
{
    int dimensions = items[2] > 1 ? 3 : items[1] > 1 ? 2 : 1;
    int length     = snprintf(text, capacity, "%llu", (unsigned long long)items[0]);

    for (int i = 1; i < dimensions; i++)
        length += snprintf(text + length, capacity - (size_t)length, " x %llu", (unsigned long long)items[i]);
    return length;
}

void kernel_inputs_text(const struct kernel_inputs *inputs, char *text, size_t capacity)
{
    size_t length = (size_t)items_text(inputs->items, text, capacity);

    length += (size_t)snprintf(text + length, capacity - length, " work-item%s, ",
                               items_in(inputs->items) == 1 ? "" : "s");
    for (uint32_t i = 0; i < inputs->count && length < capacity; i++) {
        const struct trm_parameter *parameter = inputs->arguments[i].parameter;
        char value[VALUE_TEXT];

        if (parameter->kind != TRM_PARAMETER_SCALAR)
            continue;
        value_text(value, parameter->type, inputs->arguments[i].bits);
        length += (size_t)snprintf(text + length, capacity - length, "%s = %s, ", parameter->name, value);
    }
    if (length < capacity)
        snprintf(text + length, capacity - length, "buffers of %llu elements",
                 (unsigned long long)inputs->elements);
}
