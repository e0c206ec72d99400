/* Trireme: scalar values of a kernel's types: as bits, as numbers and as text.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kernel/value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/type.h>

/* ---- from bits ---- */

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

bool value_is_float(int32_t type)
{
    return type == TRM_TYPE_F16 || type == TRM_TYPE_F32 || type == TRM_TYPE_F64;
}

double value_as_float(int32_t type, uint64_t bits)
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

bool value_is_signed(int32_t type)
{
    return type == TRM_TYPE_I8 || type == TRM_TYPE_I16 || type == TRM_TYPE_I32 || type == TRM_TYPE_I64;
}

int64_t value_as_signed(int32_t type, uint64_t bits)
{
    uint32_t unused = 64 - 8 * trm_type_size(type);

    return (int64_t)(bits << unused) >> unused;
}

void value_text(char text[VALUE_TEXT], int32_t type, uint64_t bits)
{
    if (value_is_float(type))
        snprintf(text, VALUE_TEXT, "%.*g", type == TRM_TYPE_F64 ? 17 : 9, value_as_float(type, bits));
    else if (value_is_signed(type))
        snprintf(text, VALUE_TEXT, "%" PRId64, value_as_signed(type, bits));
    else
        snprintf(text, VALUE_TEXT, "%" PRIu64, bits);
}

/* ---- from text ---- */

/* The nearest binary16 number (IEEE 754), ties to even; overflows to infinity. */
static uint16_t half_bits(float value)
{
    uint16_t sign   = signbit(value) ? 0x8000 : 0;
    float magnitude = fabsf(value);
    int exponent;

    if (isnan(value))
        return 0x7e00;
    if (magnitude >= 65520.0f)
        return sign | 0x7c00;
    frexpf(magnitude, &exponent);
    /* Subnormal numbers below 2^-14 have the spacing of those just above it. */
    if (exponent < -13)
        return sign | (uint16_t)rintf(ldexpf(magnitude, 24));
    return sign | (uint16_t)(((exponent + 13) << 10) + (int)rintf(ldexpf(magnitude, 11 - exponent)));
}

static bool parse_float(int32_t type, const char *text, uint64_t *bits)
{
    char *end;
    union {
        double f64;
        uint64_t u64;
        float f32;
        uint32_t u32;
    } value = {.u64 = 0};

    if (type == TRM_TYPE_F64)
        value.f64 = strtod(text, &end);
    else
        value.f32 = strtof(text, &end);
    if (end == text || *end != '\0')
        return false;
    *bits = type == TRM_TYPE_F64 ? value.u64 : type == TRM_TYPE_F32 ? value.u32 : half_bits(value.f32);
    return true;
}

static bool parse_integer(int32_t type, const char *text, uint64_t *bits)
{
    uint32_t width = 8 * trm_type_size(type);
    uint64_t mask  = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    char *end;

    errno = 0;
    if (value_is_signed(type)) {
        long long value = strtoll(text, &end, 0);
        long long most  = (long long)(mask >> 1);

        *bits = (uint64_t)value & mask;
        return errno == 0 && end != text && *end == '\0' && value <= most && value >= -most - 1;
    }
    if (strchr(text, '-'))
        return false;
    *bits = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && *bits <= mask;
}

bool value_parse(int32_t type, const char *text, uint64_t *bits)
{
    if (value_is_float(type))
        return parse_float(type, text, bits);
    /* A bool constant has the type U32. */
    if (type == TRM_TYPE_U32 && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        *bits = text[0] == 't';
        return true;
    }
    return parse_integer(type, text, bits);
}
