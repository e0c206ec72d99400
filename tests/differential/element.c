/* SPDX-License-Identifier: MIT */
#include "tests/differential/element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/type.h>

static const struct element_type types[] = {
    {"i8", ELEMENT_SIGNED, 1, TRM_TYPE_I8},   {"u8", ELEMENT_UNSIGNED, 1, TRM_TYPE_U8},
    {"i16", ELEMENT_SIGNED, 2, TRM_TYPE_I16}, {"u16", ELEMENT_UNSIGNED, 2, TRM_TYPE_U16},
    {"i32", ELEMENT_SIGNED, 4, TRM_TYPE_I32}, {"u32", ELEMENT_UNSIGNED, 4, TRM_TYPE_U32},
    {"i64", ELEMENT_SIGNED, 8, TRM_TYPE_I64}, {"u64", ELEMENT_UNSIGNED, 8, TRM_TYPE_U64},
    {"f16", ELEMENT_FLOAT, 2, TRM_TYPE_F16},  {"f32", ELEMENT_FLOAT, 4, TRM_TYPE_F32},
    {"f64", ELEMENT_FLOAT, 8, TRM_TYPE_F64},  {"pad", ELEMENT_PAD, 1, TRM_TYPE_U8},
};

const struct element_type *element_type(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return &types[i];
    }
    return NULL;
}

/* ---- halves ---- */

static double from_half(uint16_t bits)
{
    int exponent    = (bits >> 10) & 31;
    double fraction = bits & 1023;
    double value;
    if (exponent == 31)
        value = fraction > 0 ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, -24);
    else
        value = ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* Rounds to nearest, ties to even (nearbyint() in the default mode). */
static uint16_t to_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return 0x7e00;
    value = fabs(value);
    if (value >= 65520)
        return sign | 0x7c00;
    int exponent = -14;
    if (value >= 0x1p-14)
        frexp(value, &exponent), exponent -= 1;
    double fraction = nearbyint(ldexp(value, 10 - exponent)); /* 0 … 2048 */
    return sign | (uint16_t)(((exponent + 14) << 10) + (int)fraction);
}

static double load_float(const struct element_type *type, const void *bytes)
{
    uint16_t half;
    float single;
    double value;
    switch (type->size) {
    case 2:
        memcpy(&half, bytes, sizeof(half));
        return from_half(half);
    case 4:
        memcpy(&single, bytes, sizeof(single));
        return single;
    default:
        memcpy(&value, bytes, sizeof(value));
        return value;
    }
}

static void store_float(const struct element_type *type, double value, void *bytes)
{
    uint16_t half = to_half(value);
    float single  = (float)value;
    switch (type->size) {
    case 2:
        memcpy(bytes, &half, sizeof(half));
        break;
    case 4:
        memcpy(bytes, &single, sizeof(single));
        break;
    default:
        memcpy(bytes, &value, sizeof(value));
    }
}

static void store_integer(const struct element_type *type, uint64_t value, void *bytes)
{
    memcpy(bytes, &value, type->size); /* the low bytes: tests run on little-endian machines, as GPUs are */
}

static uint64_t load_bits(const struct element_type *type, const void *bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, bytes, type->size);
    return bits;
}

/* ---- making ---- */

static void make_special(const struct element_type *type, struct random *random, void *bytes)
{
    static const double floats[] = {INFINITY, -INFINITY, NAN, 0.0,  -0.0, 1,   -1,
                                    0.5,      -0.5,      2.5, -2.5, 1e4,  -1e4};
    const unsigned bits          = type->size * 8;
    uint64_t top                 = (uint64_t)1 << (bits - 1);
    uint64_t integers[]          = {0,    1,        2,   top - 1, top, top + 1, UINT64_MAX, UINT64_MAX - 1,
                                    bits, bits - 1, 255, 256};
    if (type->kind == ELEMENT_FLOAT)
        store_float(type, floats[random_below(random, sizeof(floats) / sizeof(floats[0]))], bytes);
    else
        store_integer(type, integers[random_below(random, sizeof(integers) / sizeof(integers[0]))], bytes);
}

static void store_number(const struct element_type *type, double value, void *bytes)
{
    if (type->kind == ELEMENT_FLOAT)
        store_float(type, value, bytes);
    else if (value < 0)
        store_integer(type, (uint64_t)(int64_t)floor(value), bytes);
    else
        store_integer(type, (uint64_t)floor(value), bytes);
}

static void make_any(const struct element_type *type, struct random *random, void *bytes)
{
    if (type->kind == ELEMENT_FLOAT)
        store_float(type, random_unit(random) * 2 - 1, bytes);
    else
        store_integer(type, random_next(random), bytes);
}

void element_make(const struct element_type *type, const struct value_source *source, uint64_t index,
                  struct random *random, void *bytes)
{
    double unit = random_unit(random);
    double span = source->high - source->low;
    if (type->kind == ELEMENT_PAD) {
        memset(bytes, 0, type->size);
        return;
    }
    switch (source->rule) {
    case VALUE_RANGE:
        /* of integers both ends are in the range */
        store_number(type, source->low + unit * (type->kind == ELEMENT_FLOAT ? span : span + 1), bytes);
        return;
    case VALUE_LOG:
        unit = exp2(source->low + unit * span);
        store_number(type, random_next(random) & 1 ? unit : -unit, bytes);
        return;
    case VALUE_INDEX:
        store_number(type, source->low + (double)index * source->high, bytes);
        return;
    case VALUE_SPECIAL:
        if (random_next(random) & 1) {
            make_special(type, random, bytes);
            return;
        }
        break;
    case VALUE_ANY:
        break;
    }
    make_any(type, random, bytes);
}

int element_parse(const struct element_type *type, const char *text, void *bytes)
{
    char *end;
    if (type->kind == ELEMENT_FLOAT)
        store_float(type, strtod(text, &end), bytes);
    else if (text[0] == '-')
        store_integer(type, (uint64_t)strtoll(text, &end, 0), bytes);
    else
        store_integer(type, strtoull(text, &end, 0), bytes);
    return end != text && *end == '\0';
}

/* ---- comparing ---- */

static const struct {
    uint32_t size;
    int digits;      /* of the significand, with the hidden one */
    double smallest; /* normal */
} formats[] = {{2, 11, 0x1p-14}, {4, 24, 0x1p-126}, {8, 53, 0x1p-1022}};

static int floats_same(const struct element_type *type, const struct tolerance *tolerance, double one,
                       double other)
{
    size_t format = type->size == 2 ? 0 : type->size == 4 ? 1 : 2;
    if (isnan(one) || isnan(other))
        return isnan(one) && isnan(other);
    if (one == other)
        return signbit(one) == signbit(other) || one != 0 || tolerance->ulp > 0 || tolerance->absolute > 0;
    if (fabs(one) < formats[format].smallest && fabs(other) < formats[format].smallest)
        return 1;
    double larger     = fmax(fabs(one), fabs(other));
    double difference = fabs(one - other);
    if (isinf(larger))
        return 0;
    int exponent;
    frexp(larger, &exponent);
    double unit = fmax(ldexp(1, exponent - formats[format].digits), formats[format].smallest * 0x1p-10);
    return difference <= tolerance->ulp * unit || difference <= tolerance->absolute ||
           difference <= tolerance->relative * larger;
}

int element_same(const struct element_type *type, const struct tolerance *tolerance, const void *one,
                 const void *other)
{
    if (type->kind == ELEMENT_PAD || memcmp(one, other, type->size) == 0)
        return 1;
    if (type->kind != ELEMENT_FLOAT)
        return 0;
    return floats_same(type, tolerance, load_float(type, one), load_float(type, other));
}

void element_print(const struct element_type *type, const void *bytes, char text[64])
{
    uint64_t bits  = load_bits(type, bytes);
    unsigned shift = 64 - type->size * 8;
    if (type->kind == ELEMENT_FLOAT)
        snprintf(text, 64, "%.9g (0x%llx)", load_float(type, bytes), (unsigned long long)bits);
    else if (type->kind == ELEMENT_SIGNED)
        snprintf(text, 64, "%lld (0x%llx)", (long long)((int64_t)(bits << shift) >> shift),
                 (unsigned long long)bits);
    else
        snprintf(text, 64, "%llu (0x%llx)", (unsigned long long)bits, (unsigned long long)bits);
}
