/* SPDX-License-Identifier: MIT */
#include "tests/differential/trial_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <trireme/image.h>

#include "tests/differential/trial_layout.h"

#define BUFFER_LEAST 65536u
#define BUFFER_MOST (16u << 20)
#define UNIFORM_MOST 65536u

/* The comments of the case, as shader_case.h has them. */
struct text {
    char bytes[65536];
    size_t length;
    int is_cut;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->length, sizeof(text->bytes) - text->length, format, arguments);
    va_end(arguments);
    text->length += length > 0 ? (size_t)length : 0;
    if (text->length >= sizeof(text->bytes)) {
        text->length = sizeof(text->bytes) - 1;
        text->is_cut = 1;
    }
}

static int is_float_type(int32_t type)
{
    return type == TRM_TYPE_F16 || type == TRM_TYPE_F32 || type == TRM_TYPE_F64;
}

static int is_uniform(const struct module_facts *facts, const struct trm_parameter *parameter)
{
    for (uint32_t i = 0; i < facts->variable_count; i++)
        if (facts->variables[i].set == parameter->set && facts->variables[i].binding == parameter->place)
            return facts->variables[i].is_uniform;
    return 0;
}

/* What is known of the elements of a buffer. */
struct elements {
    char record[TRIAL_RECORD]; /* a type, or those of a struct's members */
    uint32_t size;             /* bytes */
    int has_floats_alone, has_halves;
};

/* A parameter that is no push constant. */
struct part {
    const struct trm_parameter *parameter;
    const struct trial_layout
        *layout; /* of a buffer of structs; NULL: it has a type, or members that cannot be
                                          said here */
    int is_float;
};

/* Structs whose members cannot be said here are integers or floats throughout. */
static void find_elements(const struct part *part, struct elements *elements)
{
    const struct trm_parameter *parameter = part->parameter;
    const struct trial_layout *layout     = part->layout;
    int32_t none                          = part->is_float ? TRM_TYPE_F32 : TRM_TYPE_U32;
    int32_t type                          = parameter->type == TRM_TYPE_NONE ? none : parameter->type;

    if (layout) {
        snprintf(elements->record, sizeof(elements->record), "%s", layout->record);
        elements->size             = layout->size;
        elements->has_floats_alone = !layout->has_integers;
        elements->has_halves       = layout->has_halves;
        return;
    }
    snprintf(elements->record, sizeof(elements->record), "%s", trm_type_name(type));
    elements->size             = trm_type_size(type);
    elements->has_floats_alone = is_float_type(type);
    elements->has_halves       = type == TRM_TYPE_F16;
}

/* Floats may differ as much as the order of a sum and other roundings make them. */
static int add_buffer(struct text *text, const struct module_facts *facts, const struct part *part)
{
    const struct trm_parameter *parameter = part->parameter;
    struct elements elements;
    int uniform   = is_uniform(facts, parameter);
    uint32_t most = uniform ? UNIFORM_MOST : BUFFER_MOST;
    uint32_t size = uniform || parameter->size > BUFFER_LEAST ? parameter->size : BUFFER_LEAST;
    const char *how =
        uniform || !(parameter->access & TRM_ACCESS_WRITE || parameter->access == 0) ? "in" : "inout";

    if (parameter->size > most)
        return 0;
    find_elements(part, &elements);
    add(text, "//! %s %u.%u %s %u ", uniform ? "uniform" : how, parameter->set, parameter->place,
        elements.record, size > 0 ? (size + elements.size - 1) / elements.size : 1);
    if (elements.has_floats_alone)
        add(text, "range 0 2");
    else
        add(text, "range %u 7", uniform ? 1 : 0); /* sizes divide */
    add(text, elements.has_halves ? " rel 2e-2 abs 1e-2\n" : " rel 1e-3 abs 1e-4\n");
    return 1;
}

#define ELEMENTS 4u /* of an array whose number a launch gives */

/* The format of a parameter that takes any: one whose texels hold what the shader reads. */
static int32_t format_of(const struct trm_parameter *parameter)
{
    if (parameter->stride != TRM_FORMAT_NONE)
        return (int32_t)parameter->stride;
    if (parameter->components == 1 && trm_parameter_element(parameter) == TRM_PARAMETER_SAMPLED_IMAGE)
        return TRM_FORMAT_R32_FLOAT; /* a depth */
    return parameter->type == TRM_TYPE_I32   ? TRM_FORMAT_RGBA32_SINT
           : parameter->type == TRM_TYPE_U32 ? TRM_FORMAT_RGBA32_UINT
                                             : TRM_FORMAT_RGBA32_FLOAT;
}

/* Do the integers of a format mean 0 to 1, or -1 to 1? The names of the others end with their type. */
static int is_normalised(int32_t format)
{
    const char *name = trm_format_name(format);
    char last        = name[strlen(name) - 1];

    return last != 'i' && last != 'f';
}

/* An image as large as most groups of a trial, so that few accesses are outside. */
static int add_image(struct text *text, const struct trm_parameter *parameter)
{
    static const char *const shapes[] = {
        [TRM_IMAGE_1D]         = "1d 1024 1 1 1",
        [TRM_IMAGE_2D]         = "2d 64 64 1 1",
        [TRM_IMAGE_3D]         = "3d 32 32 16 1",
        [TRM_IMAGE_1D_ARRAY]   = "1d-array 256 1 8 1",
        [TRM_IMAGE_2D_ARRAY]   = "2d-array 64 64 8 1",
        [TRM_IMAGE_CUBE]       = "cube 32 32 6 1",
        [TRM_IMAGE_CUBE_ARRAY] = "cube-array 32 32 12 1",
    };
    const char *format = trm_format_name(format_of(parameter));
    const char *values = is_normalised(format_of(parameter)) ? "range 0 255"
                         : parameter->type == TRM_TYPE_F32   ? "range 0 1 rel 1e-3 abs 2e-2"
                                                             : "range 0 7";
    const char *how    = parameter->access & TRM_ACCESS_WRITE ? "inout" : "in";

    if (parameter->size == TRM_IMAGE_BUFFER)
        add(text, "//! texels %s %u.%u %s 16384 %s\n", how, parameter->set, parameter->place, format, values);
    else if (parameter->size < sizeof(shapes) / sizeof(shapes[0]) && shapes[parameter->size])
        add(text, "//! image %s %u.%u %s %s %s\n", how, parameter->set, parameter->place, format,
            shapes[parameter->size], values);
    else
        return 0;
    return 1;
}

/* Filters are within the tolerance of images. Between integers there are none. */
static void add_sampler(struct text *text, const struct trm_parameter *parameter)
{
    int is_depth   = parameter->components == 1;
    int is_integer = parameter->type == TRM_TYPE_I32 || parameter->type == TRM_TYPE_U32;

    add(text, "//! sampler %u.%u %s nearest repeat%s\n", parameter->set, parameter->place,
        is_depth || is_integer ? "nearest" : "linear", is_depth ? " less-equal" : "");
}

/* One element of a parameter that is no push constant. */
static int add_element(struct text *text, const struct module_facts *facts, const struct part *part)
{
    const struct trm_parameter *parameter = part->parameter;

    switch (trm_parameter_element(parameter)) {
    case TRM_PARAMETER_BUFFER:
        return add_buffer(text, facts, part);
    case TRM_PARAMETER_SAMPLER:
        add_sampler(text, parameter);
        return 1;
    case TRM_PARAMETER_SAMPLED_IMAGE:
        add_sampler(text, parameter);
        return add_image(text, parameter);
    case TRM_PARAMETER_IMAGE:
    case TRM_PARAMETER_TEXTURE:
    case TRM_PARAMETER_TEXELS:
        return add_image(text, parameter);
    default:
        return 0;
    }
}

/* A buffer, image or sampler, or the elements of an array. */
static int add_elements(struct text *text, const struct module_facts *facts, const struct part *part)
{
    uint32_t count = trm_parameter_count(part->parameter);
    int worked     = 1;

    for (uint32_t i = 0; i < (count != 0 ? count : ELEMENTS) && worked; i++)
        worked = add_element(text, facts, part);
    return worked;
}

/* The members of push constants, and zeros between them. */
static void add_push(struct text *text, const struct trm_parameter *parameter, uint32_t *offset)
{
    int32_t type   = parameter->type == TRM_TYPE_NONE ? TRM_TYPE_U32 : parameter->type;
    uint32_t width = trm_type_size(type);

    add(text, *offset == 0 && text->bytes[text->length - 1] == '\n' ? "//! push" : "");
    for (; *offset < parameter->place; ++*offset)
        add(text, " pad 0");
    add(text, " %s", trm_type_name(type));
    for (uint32_t at = 0; at + width <= parameter->size; at += width) {
        uint32_t number = (*offset + at) / 4 * 5 % 13 + 1;
        add(text, is_float_type(type) ? " %u.25" : " %u", number);
    }
    *offset += parameter->size;
}

#define GROUP_ITEMS 128 /* whole subgroups on every backend */

uint32_t trial_case_sizes(const struct module_facts *facts, struct trm_shader *module,
                          struct trm_constant constants[3])
{
    struct trm_constant_info info = {.struct_size = sizeof(info)};
    uint32_t count                = 0;

    for (uint32_t i = 0; trm_shader_constant(module, i, &info) == TRM_OK; i++)
        for (uint32_t k = 0; k < 3 && count < 3; k++)
            if (facts->has_size_ids[k] && facts->size_ids[k] == info.id)
                constants[count++] =
                    (struct trm_constant){.id = info.id, .type = info.type, .bits = k == 0 ? GROUP_ITEMS : 1};
    return count;
}

static int is_struct_buffer(const struct trm_parameter *parameter)
{
    return trm_parameter_element(parameter) == TRM_PARAMETER_BUFFER && parameter->type == TRM_TYPE_NONE;
}

int trial_case_make(struct shader_case *shader, struct trm_shader *module, const struct module_facts *facts,
                    const struct trm_constant *constants, uint32_t constant_count, int is_float, char *reason,
                    size_t capacity)
{
    struct trm_kernel_info kernel = {.struct_size = sizeof(kernel)}, other = kernel;
    struct text text = {.length = 0};
    struct trial_layout layout;
    uint32_t offset = 0;

    if (trm_shader_kernel(module, 0, &kernel) != TRM_OK || trm_shader_kernel(module, 1, &other) == TRM_OK) {
        snprintf(reason, capacity, "the module has not one kernel but several");
        return 0;
    }
    add(&text, "//! groups 2 2 1\n");
    for (uint32_t i = 0; i < constant_count; i++)
        add(&text, "//! constant %u u32 %u\n", constants[i].id, (uint32_t)constants[i].bits);
    for (uint32_t i = 0; i < kernel.parameter_count; i++) {
        const struct trm_parameter *parameter = &kernel.parameters[i];
        if (parameter->kind == TRM_PARAMETER_SCALAR || parameter->kind == TRM_PARAMETER_BLOCK) {
            add_push(&text, parameter, &offset);
            continue;
        }
        struct part part = {.parameter = parameter, .is_float = is_float};
        if (is_struct_buffer(parameter) && trial_layout_read(&layout, module, i))
            part.layout = &layout;
        if (!add_elements(&text, facts, &part)) {
            snprintf(reason, capacity, "the trial has no data for \"%s\"", parameter->name);
            return 0;
        }
    }
    add(&text, "\n");
    if (text.is_cut) {
        snprintf(reason, capacity, "its parameters are too many");
        return 0;
    }
    if (!shader_case_parse(shader, "trial", text.bytes, reason, capacity))
        return 0;
    if (strcmp(facts->entry, "main") != 0)
        snprintf(shader->entry, sizeof(shader->entry), "%s", facts->entry);
    return 1;
}

int trial_case_has_structs(struct trm_shader *module)
{
    struct trial_layout layout;
    struct trm_kernel_info kernel = {.struct_size = sizeof(kernel)};

    if (trm_shader_kernel(module, 0, &kernel) != TRM_OK)
        return 0;
    for (uint32_t i = 0; i < kernel.parameter_count; i++)
        if (is_struct_buffer(&kernel.parameters[i]) && !trial_layout_read(&layout, module, i))
            return 1;
    return 0;
}
