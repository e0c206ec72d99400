/* Trireme: the signature of a kernel, as text and as JSON.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kernel/signature.h"

#include "tools/kernel/value.h"
#include "tools/output/output.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- text ---- */

/* Prints the type of a block that is more than one scalar, vector or packed matrix: an array of scalars, or
 * bytes. */
static bool print_block(FILE *file, const struct trm_parameter *parameter)
{
    uint32_t scalar  = trm_type_size(parameter->type);
    uint32_t element = scalar * (parameter->components > 1 ? parameter->components : 1);

    if (parameter->kind != TRM_PARAMETER_BLOCK || scalar == 0 || parameter->size == element)
        return false;
    if (parameter->components <= 1 && parameter->size % scalar == 0)
        fprintf(file, "%s[%" PRIu32 "]", trm_type_name(parameter->type), parameter->size / scalar);
    else
        fprintf(file, "bytes(%" PRIu32 ")", parameter->size);
    return true;
}

/* "f32", "f32x4", or "bytes(12)" if it has no single type. */
static void print_type(FILE *file, const struct trm_parameter *parameter, uint32_t bytes)
{
    if (parameter->type == TRM_TYPE_NONE && bytes == 0)
        fputs("bytes", file);
    else if (parameter->type == TRM_TYPE_NONE)
        fprintf(file, "bytes(%" PRIu32 ")", bytes);
    else if (parameter->components > 1)
        fprintf(file, "%sx%" PRIu32, trm_type_name(parameter->type), parameter->components);
    else
        fputs(trm_type_name(parameter->type), file);
}

static bool is_image(const struct trm_parameter *parameter)
{
    return parameter->kind >= TRM_PARAMETER_IMAGE && parameter->kind <= TRM_PARAMETER_TEXELS;
}

/* As GLSL spells it. */
static const char *dimensions_name(const struct trm_parameter *parameter)
{
    static const char *const names[] = {
        [TRM_IMAGE_1D]         = "1D",
        [TRM_IMAGE_2D]         = "2D",
        [TRM_IMAGE_3D]         = "3D",
        [TRM_IMAGE_1D_ARRAY]   = "1DArray",
        [TRM_IMAGE_2D_ARRAY]   = "2DArray",
        [TRM_IMAGE_BUFFER]     = "Buffer",
        [TRM_IMAGE_CUBE]       = "Cube",
        [TRM_IMAGE_CUBE_ARRAY] = "CubeArray",
    };
    if (parameter->size < TRM_IMAGE_1D || parameter->size > TRM_IMAGE_CUBE_ARRAY)
        return "";
    return names[parameter->size];
}

static void print_access(FILE *file, const struct trm_parameter *parameter)
{
    if (parameter->access == TRM_ACCESS_READ)
        fputs("readonly ", file);
    else if (parameter->access == TRM_ACCESS_WRITE)
        fputs("writeonly ", file);
}

/* "writeonly image2D rgba8", "sampler2D f32", "sampler", "texels r32f". */
static void print_image(FILE *file, const struct trm_parameter *parameter)
{
    if (parameter->kind == TRM_PARAMETER_SAMPLER) {
        fputs("sampler", file);
        return;
    }
    if (parameter->kind == TRM_PARAMETER_IMAGE || parameter->kind == TRM_PARAMETER_TEXELS)
        print_access(file, parameter);
    if (parameter->kind == TRM_PARAMETER_TEXELS)
        fputs("texels", file);
    else
        fprintf(file, "%s%s%s",
                parameter->kind == TRM_PARAMETER_IMAGE     ? "image"
                : parameter->kind == TRM_PARAMETER_TEXTURE ? "texture"
                                                           : "sampler",
                dimensions_name(parameter), parameter->components != 0 ? "Shadow" : "");
    if (parameter->stride != TRM_FORMAT_NONE)
        fprintf(file, " %s", trm_format_name((int32_t)parameter->stride));
    else
        fprintf(file, " %s", trm_type_name(parameter->type));
}

/* The parameter that an element of an array would be; of any other parameter, itself. */
static struct trm_parameter element_of(const struct trm_parameter *parameter)
{
    struct trm_parameter element = *parameter;

    element.kind = trm_parameter_element(parameter);
    return element;
}

/* "[4]" of an array, "[]" where launches give the number. */
static void print_length(FILE *file, const struct trm_parameter *parameter)
{
    if (!trm_parameter_is_array(parameter))
        return;
    if (trm_parameter_count(parameter) != 0)
        fprintf(file, "[%" PRIu32 "]", trm_parameter_count(parameter));
    else
        fputs("[]", file);
}

/* "x: f32[]", of an array "x[4]: f32[]". */
static void print_parameter(FILE *file, const struct trm_parameter *given)
{
    const struct trm_parameter element    = element_of(given);
    const struct trm_parameter *parameter = &element;

    output_text(file, *parameter->name ? parameter->name : "_");
    print_length(file, given);
    fputs(": ", file);
    if (is_image(parameter)) {
        print_image(file, parameter);
        return;
    }
    if (parameter->kind != TRM_PARAMETER_BUFFER) {
        if (!print_block(file, parameter))
            print_type(file, parameter, parameter->size);
        return;
    }
    print_access(file, parameter);
    print_type(file, parameter, parameter->stride ? parameter->stride : parameter->size);
    if (parameter->stride)
        fputs("[]", file);
}

/* Prints the other views of the buffers that come before parameter `end`, from view `*next` on. */
static void print_views(FILE *file, struct trm_shader *shader, uint32_t end, uint32_t *next)
{
    struct trm_view_info info = {.struct_size = sizeof(info)};

    for (; trm_shader_view(shader, *next, &info) == TRM_OK && info.parameter < end; ++*next) {
        fputs(" | ", file);
        print_parameter(file, &info.view);
    }
}

void signature_print(FILE *file, const struct trm_kernel_info *kernel, struct trm_shader *shader)
{
    uint32_t view = 0;

    output_text(file, kernel->name);
    fputc('(', file);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        if (i > 0)
            fputs(", ", file);
        print_parameter(file, &kernel->parameters[i]);
        print_views(file, shader, i + 1, &view);
    }
    fputc(')', file);
}

static void print_constants(FILE *file, struct trm_shader *shader)
{
    struct trm_constant_info constant = {.struct_size = sizeof(constant)};

    for (uint32_t i = 0; trm_shader_constant(shader, i, &constant) == TRM_OK; i++) {
        char value[VALUE_TEXT];

        fputs(i == 0 ? "  constants " : ", ", file);
        if (*constant.name)
            output_text(file, constant.name);
        else
            fprintf(file, "%" PRIu32, constant.id);
        value_text(value, constant.type, constant.default_bits);
        fprintf(file, ": %s = %s", trm_type_name(constant.type), value);
    }
}

void signature_print_facts(FILE *file, const struct trm_kernel_info *kernel, struct trm_shader *shader)
{
    fprintf(file, "group %" PRIu32 "x%" PRIu32 "x%" PRIu32 "  shared %" PRIu32, kernel->group_size[0],
            kernel->group_size[1], kernel->group_size[2], kernel->shared_bytes);
    print_constants(file, shader);
}

/* ---- JSON ---- */

static const char *kind_name(int32_t kind)
{
    switch (kind) {
    case TRM_PARAMETER_BUFFER:
        return "buffer";
    case TRM_PARAMETER_SCALAR:
        return "scalar";
    case TRM_PARAMETER_IMAGE:
        return "image";
    case TRM_PARAMETER_TEXTURE:
        return "texture";
    case TRM_PARAMETER_SAMPLER:
        return "sampler";
    case TRM_PARAMETER_SAMPLED_IMAGE:
        return "sampled image";
    case TRM_PARAMETER_TEXELS:
        return "texels";
    default:
        return "block";
    }
}

static const char *access_name(uint32_t access)
{
    return access == TRM_ACCESS_READ ? "read" : access == TRM_ACCESS_WRITE ? "write" : "both";
}

static void write_image(struct json *json, const struct trm_parameter *parameter)
{
    if (parameter->kind != TRM_PARAMETER_SAMPLER) {
        json_text(json, "dimensions", dimensions_name(parameter));
        json_text(json, "format", trm_format_name((int32_t)parameter->stride));
        json_text(json, "access", access_name(parameter->access));
    }
    json_count(json, "set", parameter->set);
    json_count(json, "binding", parameter->place);
}

static void write_members(struct json *json, const struct trm_parameter *given)
{
    const struct trm_parameter element    = element_of(given);
    const struct trm_parameter *parameter = &element;

    json_text(json, "name", parameter->name);
    json_text(json, "kind", kind_name(parameter->kind));
    json_text(json, "type", trm_type_name(parameter->type));
    if (trm_parameter_is_array(given))
        json_count(json, "count", trm_parameter_count(given));
    if (is_image(parameter)) {
        write_image(json, parameter);
        return;
    }
    json_count(json, "components", parameter->components ? parameter->components : 1);
    json_count(json, "size", parameter->size);
    if (parameter->kind == TRM_PARAMETER_BUFFER) {
        json_text(json, "access", access_name(parameter->access));
        json_count(json, "stride", parameter->stride);
        json_count(json, "set", parameter->set);
        json_count(json, "binding", parameter->place);
    } else {
        json_count(json, "offset", parameter->place);
    }
}

/* Writes "views" if the buffer has others. */
static void write_views(struct json *json, struct trm_shader *shader, uint32_t parameter)
{
    struct trm_view_info info = {.struct_size = sizeof(info)};
    bool is_open              = false;

    for (uint32_t i = 0; trm_shader_view(shader, i, &info) == TRM_OK && info.parameter <= parameter; i++) {
        if (info.parameter != parameter)
            continue;
        if (!is_open)
            json_array_begin(json, "views");
        is_open = true;
        json_object_begin(json, NULL);
        write_members(json, &info.view);
        json_object_end(json);
    }
    if (is_open)
        json_array_end(json);
}

static void write_kernel(struct json *json, const struct trm_kernel_info *kernel, struct trm_shader *shader)
{
    json_object_begin(json, NULL);
    json_text(json, "name", kernel->name);
    json_array_begin(json, "parameters");
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        json_object_begin(json, NULL);
        write_members(json, &kernel->parameters[i]);
        write_views(json, shader, i);
        json_object_end(json);
    }
    json_array_end(json);
    json_array_begin(json, "group_size");
    for (int i = 0; i < 3; i++)
        json_count(json, NULL, kernel->group_size[i]);
    json_array_end(json);
    json_count(json, "shared_bytes", kernel->shared_bytes);
    json_object_end(json);
}

static void write_constant(struct json *json, const struct trm_constant_info *constant)
{
    json_object_begin(json, NULL);
    json_text(json, "name", constant->name);
    json_count(json, "id", constant->id);
    json_text(json, "type", trm_type_name(constant->type));
    if (value_is_float(constant->type))
        json_number(json, "default", value_as_float(constant->type, constant->default_bits));
    else if (value_is_signed(constant->type))
        json_integer(json, "default", value_as_signed(constant->type, constant->default_bits));
    else
        json_count(json, "default", constant->default_bits);
    json_object_end(json);
}

void signature_json(struct json *json, struct trm_shader *shader)
{
    struct trm_kernel_info kernel     = {.struct_size = sizeof(kernel)};
    struct trm_constant_info constant = {.struct_size = sizeof(constant)};

    json_array_begin(json, "kernels");
    for (uint32_t i = 0; trm_shader_kernel(shader, i, &kernel) == TRM_OK; i++)
        write_kernel(json, &kernel, shader);
    json_array_end(json);
    json_array_begin(json, "constants");
    for (uint32_t i = 0; trm_shader_constant(shader, i, &constant) == TRM_OK; i++)
        write_constant(json, &constant);
    json_array_end(json);
}
