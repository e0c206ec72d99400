/* The convert kernels: every pair of types, beside double precision.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

#include <stdio.h>

#define GROUP 256

enum element {
    U8,
    U16,
    F16,
    F32,
    ELEMENTS,
};

static const char *const element_names[ELEMENTS] = {"u8", "u16", "f16", "f32"};
static const size_t element_sizes[ELEMENTS]      = {1, 2, 2, 4};
static const double element_most[ELEMENTS]       = {255, 65535, 65504, 0};

static double element_value(enum element type, const void *elements, size_t i)
{
    switch (type) {
    case U8:
        return ((const uint8_t *)elements)[i];
    case U16:
        return ((const uint16_t *)elements)[i];
    case F16:
        return half_value(((const uint16_t *)elements)[i]);
    default:
        return ((const float *)elements)[i];
    }
}

/* What is not found by chance: ends, halves between integers, what is beyond every end, and no number at
 * all. */
static const float special_floats[] = {
    0,     -0.0f, 0.5f,     1.5f,     2.5f,       -0.5f,  254.5f,   255,       255.5f, 256,
    -1,    65535, 65536,    1e30f,    -1e30f,     1e-30f, INFINITY, -INFINITY, NAN,    65504,
    65519, 65520, 0x1p-24f, 0x1p-25f, 0x1.8p-24f, 2049,   2051,     0.1f,
};

/* Halves of every kind: zero, the least, the greatest that is not normal, normal ones, infinities, NaN. */
static const uint16_t special_halves[] = {0,      0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
                                          0x3800, 0x3e00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};

static void *make_elements(enum element type, size_t n)
{
    struct generator generator = {type + 11};
    void *elements             = allocate(n * element_sizes[type]);

    for (size_t i = 0; i < n; i++) {
        uint32_t random = random_u32(&generator) >> 8;
        if (type == U8)
            ((uint8_t *)elements)[i] = i < 2 ? (uint8_t)(255 * i) : (uint8_t)random;
        else if (type == U16)
            ((uint16_t *)elements)[i] = i < 2 ? (uint16_t)(65535 * i) : (uint16_t)random;
        else if (type == F16)
            ((uint16_t *)elements)[i] = i < COUNT(special_halves)
                                            ? special_halves[i]
                                            : half_of((int32_t)(random % 1000000) / 1000.0 - 400);
        else
            ((float *)elements)[i] =
                i < COUNT(special_floats) ? special_floats[i] : (float)(random % 1000000) / 1000 - 400;
    }
    return elements;
}

/* `value` is what was computed, off by up to `error`: an integer is one of those that are nearest to anything
 * within that. */
static void check_integer(enum element type, const void *targets, size_t i, double value, double error)
{
    double got = element_value(type, targets, i), most = element_most[type];

    if (isnan(value)) {
        expect_near("target", i, got, 0, 0);
        return;
    }
    double low  = fmin(fmax(nearbyint(value - error), 0), most);
    double high = fmin(fmax(nearbyint(value + error), 0), most);
    ck_assert_msg(got >= low && got <= high, "target[%zu] is %g instead of %g (of %.9g)", i, got, low, value);
}

/* A half is rounded to the nearest or, where a device does that, towards zero: off by up to its last bit. */
static void check_half(const void *targets, size_t i, double value, double error)
{
    double got = element_value(F16, targets, i);

    if (fabs(value) > 65504 && fabs(got) == 65504) /* towards zero */
        value = copysign(65504, value);
    if (fabs(value) >= 65520)
        value = copysign(INFINITY, value);
    expect_near("target", i, got, value, fmax(fabs(value) * 0x1p-10, 0x1p-24) + error);
}

static void check_conversion(struct kernel *convert, enum element from, enum element to, size_t n,
                             float scale, float bias)
{
    void *source  = make_elements(from, n);
    void *targets = allocate(n * element_sizes[to]);

    RUN(convert, groups_for(n, GROUP), 1, 1, read_only("source", source, n * element_sizes[from]),
        write_only("target", targets, n * element_sizes[to]), scalar_f32("scale", scale),
        scalar_f32("bias", bias), scalar_u32("count", (uint32_t)n));
    for (size_t i = 0; i < n; i++) {
        double product = element_value(from, source, i) * scale, value = product + bias;
        /* Two roundings, none of which there is when nothing is scaled. */
        double error = scale == 1 && bias == 0 ? 0 : 0.5 * ULP * (fabs(product) + fabs(value));
        if (isinf(value) || isnan(value))
            error = 0;
        if (to == U8 || to == U16)
            check_integer(to, targets, i, value, error);
        else if (to == F16)
            check_half(targets, i, value, error);
        else
            expect_near("target", i, ((const float *)targets)[i], value, error);
    }
    free(source);
    free(targets);
}

START_TEST(convert_scales_adds_the_bias_rounds_and_saturates)
{
    enum element from = (enum element)(_i / ELEMENTS), to = (enum element)(_i % ELEMENTS);
    char name[32];

    snprintf(name, sizeof(name), "convert_%s_%s", element_names[from], element_names[to]);
    struct kernel *convert = kernel_open(name, NULL, 0);
    for (size_t s = 0; s < COUNT(sizes); s++) {
        check_conversion(convert, from, to, sizes[s], 1, 0);
        check_conversion(convert, from, to, sizes[s], 1.0f / 255, -0.5f);
        check_conversion(convert, from, to, sizes[s], -3, 300);
    }
    kernel_close(convert);
}
END_TEST

START_TEST(bytes_become_floats_from_0_to_1_and_come_back_as_they_were)
{
    struct kernel *up   = kernel_open("convert_u8_f32", NULL, 0),
                  *down = kernel_open("convert_f32_u8", NULL, 0);
    uint8_t bytes[256], back[256];
    float floats[256];

    for (size_t i = 0; i < 256; i++)
        bytes[i] = (uint8_t)i;
    RUN(up, 1, 1, 1, read_only("source", bytes, 256), write_only("target", floats, sizeof(floats)),
        scalar_f32("scale", 1.0f / 255), scalar_f32("bias", 0), scalar_u32("count", 256));
    RUN(down, 1, 1, 1, read_only("source", floats, sizeof(floats)), write_only("target", back, 256),
        scalar_f32("scale", 255), scalar_f32("bias", 0), scalar_u32("count", 256));
    for (size_t i = 0; i < 256; i++)
        expect_equal("back", i, back[i], i);
    kernel_close(up);
    kernel_close(down);
}
END_TEST

int main(void)
{
    TCase *group = suite_group("conversion");

    tcase_add_loop_test(group, convert_scales_adds_the_bias_rounds_and_saturates, 0, ELEMENTS * ELEMENTS);
    tcase_add_test(group, bytes_become_floats_from_0_to_1_and_come_back_as_they_were);
    return suite_run(group);
}
