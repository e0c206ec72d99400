/* Data of the tests: random numbers, 16-bit floats, comparisons.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

#include <inttypes.h>

const size_t sizes[13] = {0, 1, 2, 3, 7, 63, 64, 65, 255, 256, 257, 1000, 4099};

uint32_t groups_for(size_t items, size_t group)
{
    return items == 0 ? 1 : (uint32_t)((items + group - 1) / group);
}

void *allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);

    ck_assert_msg(memory != NULL, "no memory for %zu bytes", size);
    return memory;
}

/* G. Marsaglia, "Xorshift RNGs", 2003, with the multiplication of S. Vigna's xorshift64*. */
uint32_t random_u32(struct generator *generator)
{
    uint64_t x = generator->state ? generator->state : 0x9e3779b97f4a7c15u;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    generator->state = x;
    return (uint32_t)((x * 0x2545f4914f6cdd1du) >> 32);
}

float random_f32(struct generator *generator, double low, double high)
{
    return (float)(low + (high - low) * (random_u32(generator) / 4294967296.0));
}

float *random_floats(size_t count, double low, double high, uint64_t seed)
{
    struct generator generator = {seed * 0x9e3779b97f4a7c15u};
    float *values              = allocate(count * sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = random_f32(&generator, low, high);
    return values;
}

uint8_t *random_bytes(size_t count, uint64_t seed)
{
    struct generator generator = {seed * 0x9e3779b97f4a7c15u};
    uint8_t *values            = allocate(count);

    for (size_t i = 0; i < count; i++)
        values[i] = (uint8_t)(random_u32(&generator) >> 8);
    return values;
}

double half_value(uint16_t half)
{
    int exponent    = (half >> 10) & 31;
    double fraction = half & 1023, value;

    if (exponent == 31)
        value = fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        value = ldexp(fraction, -24);
    else
        value = ldexp(fraction + 1024, exponent - 25);
    return half & 0x8000 ? -value : value;
}

uint16_t half_of(double value)
{
    uint16_t sign    = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);

    if (isnan(value))
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 65520) /* half-way from the greatest to what would come after it */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude <
        0x1p-14) /* as many times 2^-24; 1024 of them are the least normal number, also in its bits */
        return (uint16_t)(sign | (uint16_t)nearbyint(ldexp(magnitude, 24)));

    int exponent;
    double fraction = frexp(magnitude, &exponent); /* 0.5 to 1: 11 bits of it stay */
    uint32_t bits   = (uint32_t)nearbyint(ldexp(fraction, 11));
    return (uint16_t)(sign + (uint32_t)((exponent + 14) << 10) +
                      (bits - 1024)); /* may carry into the exponent */
}

void expect_near(const char *what, size_t index, double got, double expected, double tolerance)
{
    if (isnan(expected) ? isnan(got) : got == expected || fabs(got - expected) <= tolerance)
        return;
    ck_abort_msg("%s[%zu] is %.9g instead of %.9g (off by %.3g, allowed %.3g)", what, index, got, expected,
                 fabs(got - expected), tolerance);
}

void expect_equal(const char *what, size_t index, uint64_t got, uint64_t expected)
{
    if (got == expected)
        return;
    ck_abort_msg("%s[%zu] is %" PRIu64 " instead of %" PRIu64, what, index, got, expected);
}
