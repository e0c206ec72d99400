/* Constants: each is written so that the compiler reads back exactly the same value.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "base/base.h"
#include "compiler/translate/emit/op_cooperative.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_integer(struct emit *emit, const struct spirv_type *type, uint64_t bits)
{
    const char *suffix = type->width == 64 ? "ll" : "";
    int64_t value      = (int64_t)bits;

    if (type->width < 64)
        value = (int64_t)(bits << (64 - type->width)) >> (64 - type->width);
    if (!type->is_signed) {
        uint64_t mask = type->width < 64 ? ((uint64_t)1 << type->width) - 1 : UINT64_MAX;
        text_add(&emit->text, "%lluu%s", (unsigned long long)(bits & mask), suffix);
    } else if ((type->width == 64 && value == INT64_MIN) || (type->width == 32 && value == INT32_MIN)) {
        text_add(&emit->text, "(%" PRId64 "%s - 1)", value + 1, suffix);
    } else {
        text_add(&emit->text, value < 0 ? "(%lld%s)" : "%lld%s", (long long)value, suffix);
    }
}

/* Writes the fewest digits that are read back as the same number, with a point so that it is no integer. */
static void write_number(struct emit *emit, double value, bool is_double)
{
    char space[48];

    for (int32_t digits = 1; digits <= 17; digits++) {
        snprintf(space, sizeof(space), "%.*g", digits, value);
        if (is_double ? strtod(space, NULL) == value : strtof(space, NULL) == (float)value)
            break;
    }
    base_text_point(space);
    const char *point = strpbrk(space, ".e") == NULL ? ".0" : "";
    text_add(&emit->text, space[0] == '-' ? "(%s%s%s)" : "%s%s%s", space, point, is_double ? "" : "f");
}

/* Writes an infinity or a NaN. In constant expressions only the sign of a NaN is kept, not its payload. */
static void write_special(struct emit *emit, double value, uint64_t bits, bool is_double, bool fixed)
{
    const char *f    = is_double ? "" : "f";
    const char *sign = signbit(value) ? "-" : "";

    if (!fixed && isnan(value)) {
        emit_part(emit, is_double ? "f64_of" : "f32_of");
        text_add(&emit->text, is_double ? "(%lluull)" : "(%lluu)", (unsigned long long)bits);
    } else if (isnan(value)) {
        text_add(&emit->text, "(%s__builtin_nan%s(\"\"))", sign, f);
    } else {
        text_add(&emit->text, "(%s__builtin_inf%s())", sign, f);
    }
}

static double half_value(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value;

    if (exponent == 31)
        value = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp(mantissa, -24);
    else
        value = ldexp(1024 + mantissa, (int)exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

static void write_float(struct emit *emit, const struct spirv_type *type, uint64_t bits, bool fixed)
{
    bool is_double = type->width == 64;
    double value;

    if (is_double) {
        memcpy(&value, &bits, sizeof(value));
    } else {
        uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof(single));
        if (type->width == 16) {
            single = (float)half_value(low);
            memcpy(&low, &single, sizeof(low));
        }
        value = single;
        bits  = low;
    }
    if (isnan(value) || isinf(value))
        write_special(emit, value, bits, is_double, fixed);
    else
        write_number(emit, value, is_double);
}

void emit_literal(struct emit *emit, const struct spirv_type *type, uint64_t bits, bool fixed)
{
    switch (type->kind) {
    case SPIRV_BOOL:
        text_add(&emit->text, bits != 0 ? "1" : "0");
        break;
    case SPIRV_INT:
        write_integer(emit, type, bits);
        break;
    default:
        write_float(emit, type, bits, fixed);
        break;
    }
}

void emit_zero(struct emit *emit, uint32_t type)
{
    if (emit_components(emit, type) != 0)
        emit_literal(emit, emit_scalar(emit, type), 0, false);
    else
        text_add(&emit->text, emit->language == TRM_LANGUAGE_C ? "{0}" : "{}");
}

static int32_t write_braces(struct emit *emit, uint32_t id, bool fixed)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);
    const struct spirv_type *type;
    int32_t status = TRM_OK;

    if (constant == NULL)
        return emit_fail(emit, "a constituent is not a constant");
    type = spirv_type(emit->module, constant->type);
    if (emit_components(emit, constant->type) == 1) {
        emit_literal(emit, type, constant->is_null ? 0 : constant->bits, fixed);
        return TRM_OK;
    }
    if (constant->is_null || constant->part_count == 0) {
        text_add(&emit->text, emit->language == TRM_LANGUAGE_C ? "{0}" : "{}");
        return TRM_OK;
    }
    bool twice = type->kind == SPIRV_MATRIX || type->kind == SPIRV_ARRAY;
    text_add(&emit->text, twice ? "{{" : "{");
    for (uint32_t i = 0; i < constant->part_count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "" : i % 16 == 0 ? ",\n    " : ", ");
        status = write_braces(emit, constant->parts[i], fixed);
    }
    text_add(&emit->text, twice ? "}}" : "}");
    return emit->arena->failed ? TRM_ERROR_OUT_OF_HOST_MEMORY : status;
}

int32_t emit_constant_braces(struct emit *emit, uint32_t id)
{
    return write_braces(emit, id, true);
}

int32_t emit_constant(struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);
    const struct spirv_type *type         = spirv_type(emit->module, constant->type);

    if (type->kind == SPIRV_COOPERATIVE)
        return emit_matrix_constant(emit, id, component);
    if (spirv_holds_matrix(emit->module, type))
        return emit_fail(emit, "a constant array of cooperative matrices");
    if (type->kind == SPIRV_VECTOR && component != WHOLE) {
        if (constant->is_null || component >= constant->part_count) {
            emit_literal(emit, spirv_type(emit->module, type->element), 0, false);
            return TRM_OK;
        }
        return emit_constant(emit, constant->parts[component], WHOLE);
    }
    if (emit_components(emit, constant->type) == 1) {
        emit_literal(emit, type, constant->is_null ? 0 : constant->bits, false);
        return TRM_OK;
    }
    if (emit_is_declared(emit, id)) {
        text_add(&emit->text, "%s", emit_name(emit, id));
        return TRM_OK;
    }
    const char *name = emit_type_name(emit, constant->type);
    if (emit->language == TRM_LANGUAGE_C)
        text_add(&emit->text, "((%s)", name);
    else
        text_add(&emit->text, "(%s", name + sizeof("struct ") - 1);
    int32_t status = write_braces(emit, id, false);
    text_add(&emit->text, ")");
    return status;
}
