/* Trireme: the signature of a kernel, as text and as JSON.
 * SPDX-License-Identifier: MIT
 */
#include "signature.h"

#include "output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- values ---- */

static double half_value(uint16_t bits)
{
    int exponent     = (bits >> 10) & 0x1f;
    double magnitude = bits & 0x3ff;

    if (exponent == 0x1f)
        magnitude = magnitude == 0.0 ? (double)INFINITY : (double)NAN;
    else if (exponent == 0)
        magnitude = ldexp(magnitude, -24);
    else
        magnitude = ldexp(magnitude + 1024.0, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static bool is_float(int32_t type)
{
    return type == TRM_TYPE_F16 || type == TRM_TYPE_F32 || type == TRM_TYPE_F64;
}

static double float_value(int32_t type, uint64_t bits)
{
    union {
        uint32_t u32;
        float f32;
    } single = {.u32 = (uint32_t)bits};
    union {
        uint64_t u64;
        double f64;
    } full = {.u64 = bits};

    if (type == TRM_TYPE_F16)
        return half_value((uint16_t)bits);
    return type == TRM_TYPE_F32 ? (double)single.f32 : full.f64;
}

static bool is_signed(int32_t type)
{
    return type == TRM_TYPE_I8 || type == TRM_TYPE_I16 || type == TRM_TYPE_I32 || type == TRM_TYPE_I64;
}

static int64_t signed_value(int32_t type, uint64_t bits)
{
    uint32_t unused = 64 - 8 * trm_type_size(type);

    return (int64_t)(bits << unused) >> unused;
}

void signature_value(char text[SIGNATURE_VALUE], int32_t type, uint64_t bits)
{
    if (is_float(type))
        snprintf(text, SIGNATURE_VALUE, "%.*g", type == TRM_TYPE_F64 ? 17 : 9, float_value(type, bits));
    else if (is_signed(type))
        snprintf(text, SIGNATURE_VALUE, "%" PRId64, signed_value(type, bits));
    else
        snprintf(text, SIGNATURE_VALUE, "%" PRIu64, bits);
}

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

static void print_parameter(FILE *file, const struct trm_parameter *parameter)
{
    output_text(file, *parameter->name ? parameter->name : "_");
    fputs(": ", file);
    if (parameter->kind != TRM_PARAMETER_BUFFER) {
        if (!print_block(file, parameter))
            print_type(file, parameter, parameter->size);
        return;
    }
    if (parameter->access == TRM_ACCESS_READ)
        fputs("readonly ", file);
    else if (parameter->access == TRM_ACCESS_WRITE)
        fputs("writeonly ", file);
    print_type(file, parameter, parameter->stride ? parameter->stride : parameter->size);
    if (parameter->stride)
        fputs("[]", file);
}

void signature_print(FILE *file, const struct trm_kernel_info *kernel)
{
    output_text(file, kernel->name);
    fputc('(', file);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        if (i > 0)
            fputs(", ", file);
        print_parameter(file, &kernel->parameters[i]);
    }
    fputc(')', file);
}

static void print_constants(FILE *file, struct trm_shader *shader)
{
    struct trm_constant_info constant = {.struct_size = sizeof(constant)};

    for (uint32_t i = 0; trm_shader_constant(shader, i, &constant) == TRM_OK; i++) {
        char value[SIGNATURE_VALUE];

        fputs(i == 0 ? "  constants " : ", ", file);
        if (*constant.name)
            output_text(file, constant.name);
        else
            fprintf(file, "%" PRIu32, constant.id);
        signature_value(value, constant.type, constant.default_bits);
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
    return kind == TRM_PARAMETER_BUFFER ? "buffer" : kind == TRM_PARAMETER_SCALAR ? "scalar" : "block";
}

static const char *access_name(uint32_t access)
{
    return access == TRM_ACCESS_READ ? "read" : access == TRM_ACCESS_WRITE ? "write" : "both";
}

static void write_parameter(struct json *json, const struct trm_parameter *parameter)
{
    json_object_begin(json, NULL);
    json_text(json, "name", parameter->name);
    json_text(json, "kind", kind_name(parameter->kind));
    json_text(json, "type", trm_type_name(parameter->type));
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
    json_object_end(json);
}

static void write_kernel(struct json *json, const struct trm_kernel_info *kernel)
{
    json_object_begin(json, NULL);
    json_text(json, "name", kernel->name);
    json_array_begin(json, "parameters");
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        write_parameter(json, &kernel->parameters[i]);
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
    if (is_float(constant->type))
        json_number(json, "default", float_value(constant->type, constant->default_bits));
    else if (is_signed(constant->type))
        json_integer(json, "default", signed_value(constant->type, constant->default_bits));
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
        write_kernel(json, &kernel);
    json_array_end(json);
    json_array_begin(json, "constants");
    for (uint32_t i = 0; trm_shader_constant(shader, i, &constant) == TRM_OK; i++)
        write_constant(json, &constant);
    json_array_end(json);
}
