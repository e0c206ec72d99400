/* Layouts, composites, matrices and vectors in translated shaders.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

/* ---- layouts */

struct std140_block {
    float first, fill0[3];
    float second[2][4];
    float rows[2][4];    /* of a matrix of three columns and two rows */
    float columns[3][4]; /* two rows each */
    uint32_t flag[4];
    float list[3][4];
};

struct std430_part {
    float f, fill0[3];
    float v[3];
    uint8_t c, fill1[3];
    float m[2][4];
};

struct std430_in {
    uint32_t count;
    uint32_t flags[2][2];
    uint32_t fill0[3];
    float rows[3][4];
    struct std430_part parts[5];
};

struct __attribute__((packed)) scalar_part {
    float f;
    float v[3];
    uint8_t c, fill0[3];
    float m[2][3];
};

struct __attribute__((packed)) scalar_out {
    uint16_t tag;
    uint8_t small[3], fill0[3];
    struct scalar_part parts[4];
    float rows[3][4];
    uint32_t flags[6];
    float list[20];
    double wide;
    float rest[16];
};

struct push {
    uint8_t a;
    int16_t b;
    uint16_t h;
    float c;
    _Alignas(16) float d[3];
    _Alignas(16) float e[2][2];
    _Alignas(16) int32_t f[3];
    uint64_t g;
};

struct memory_arguments {
    struct trm_cpu_buffer block, source, result, typed;
    struct push push;
};

static const struct push push = {
    .a = 200,
    .b = -3,
    .h = 0x4248, /* 3.140625 */
    .c = 2.5f,
    .d = {1, 2, 3},
    .e = {{10, 20}, {30, 40}},
    .f = {7, 8, 9},
    .g = 1ull << 40,
};

static void fill(void *data, size_t count)
{
    float *numbers = data;

    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)(i * 3 + 1) * 0.25f;
}

static void check_parts(const struct std140_block *block, const struct std430_in *source,
                        const struct scalar_out *result)
{
    for (int i = 0; i < 4; i++) {
        const struct std430_part *from = &source->parts[i];
        const struct scalar_part to    = result->parts[i];
        ck_assert(to.f == from->f && to.c == from->c);
        for (int k = 0; k < 3; k++) {
            ck_assert(to.v[k] == from->v[k] + (block->second[i & 1][k] + push.d[k]));
            ck_assert(to.m[0][k] == from->m[0][k]);
            ck_assert(to.m[1][k] == from->m[1][k] * push.c);
        }
        ck_assert_uint_eq(result->flags[i], source->flags[i & 1][0] != 0);
    }
}

static void check_rest(const struct std140_block *block, const struct std430_in *source,
                       const struct scalar_out *result)
{
    const float third[3] = {push.e[0][0], push.e[1][0], push.e[1][1]};

    ck_assert_uint_eq(result->tag, 0x5678);
    ck_assert_uint_eq(result->small[0], 200);
    ck_assert_uint_eq(result->small[1], 253);
    ck_assert_uint_eq(result->small[2], source->parts[2].c);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            float want = column == 3 ? source->rows[row][2] + third[row] : source->rows[row][column];
            if (row == 2 && column == 1)
                want = 3.140625f;
            ck_assert(result->rows[row][column] == want);
        }
    ck_assert_uint_eq(result->flags[4], 1);
    ck_assert_uint_eq(result->flags[5], 1);
    for (int n = 0; n < 20; n++)
        ck_assert(result->list[n] == (float)n + block->list[n % 3][0]);
    double wide = result->wide;
    ck_assert(wide == 0x1p40 + (double)block->first);
    for (int column = 0; column < 3; column++) {
        ck_assert(result->rest[4 * column] == block->rows[0][column]);
        ck_assert(result->rest[4 * column + 1] == block->rows[1][column]);
        ck_assert(result->rest[4 * column + 2] == block->columns[column][0]);
        ck_assert(result->rest[4 * column + 3] == block->columns[column][1]);
    }
    ck_assert(result->rest[12] == 16);
    ck_assert(result->rest[13] == 5);
    ck_assert(result->rest[14] == 7 + 80 + 900);
    ck_assert(result->rest[15] == block->rows[1][1]);
}

START_TEST(everything_lies_where_its_layout_says)
{
    struct std140_block block;
    struct std430_in source;
    struct scalar_out result;
    int32_t typed[4][4], before[4][4];
    struct memory_arguments arguments = {
        .block  = ops_buffer(&block, sizeof(block)),
        .source = ops_buffer(&source, sizeof(source)),
        .result = ops_buffer(&result, sizeof(result)),
        .typed  = ops_buffer(typed, sizeof(typed)),
        .push   = push,
    };

    ck_assert_uint_eq(sizeof(source), 80 + 5 * 64);
    ck_assert_uint_eq(sizeof(result), 344 + 64);
    fill(&block, sizeof(block) / 4);
    fill(&source, sizeof(source) / 4);
    memset(&result, 0x5a, sizeof(result));
    block.flag[0] = 1;
    block.flag[1] = 7;
    source.count  = 0x12345678;
    for (int i = 0; i < 2; i++)
        source.flags[i][0] = (uint32_t)i;
    for (int i = 0; i < 5; i++)
        source.parts[i].c = (uint8_t)(i * 50 + 7);
    for (int i = 0; i < 16; i++)
        typed[i / 4][i % 4] = before[i / 4][i % 4] = i * i - 30;
    ops_run("ops_memory", _i, 1, &arguments);
    check_parts(&block, &source, &result);
    check_rest(&block, &source, &result);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(typed[i][0], before[i][2] + i);
        ck_assert_int_eq(typed[i][1], -(before[i][0] + i));
        ck_assert_int_eq(typed[i][2], before[i][1] + i);
        ck_assert_int_eq(typed[i][3], before[i][3]);
    }
}
END_TEST

START_TEST(an_access_outside_of_a_buffer_fails_the_launch_when_bounds_are_checked)
{
    uint32_t operands[130][2]      = {{0}}, results[64];
    struct trm_cpu_buffer block[2] = {ops_buffer(operands, 64 * sizeof(operands[0])),
                                      ops_buffer(results, sizeof(results))};
    struct translated translated;

    ops_open(&translated, "ops_integer.spv", TRM_TRANSLATE_BOUNDS, NULL, 0);
    memset(results, 0xff, sizeof(results));
    ck_assert_int_ne(translated_call(&translated, 0, 1, 1, 1, 1, block), 0);
    ck_assert_uint_eq(results[0], 0);
    block[0].size = sizeof(operands[0]); /* one pair, whose results fit */
    ck_assert_int_eq(translated_call(&translated, 0, 1, 1, 1, 1, block), 0);
    translated_close(&translated);
}
END_TEST

/* ---- composites */

struct outer {
    uint32_t v[2][3], s[2], w[2];
    int b[2];
    float f;
};

static struct outer change(struct outer o, uint32_t by)
{
    uint32_t first = o.w[0];

    o.v[by & 1][1] += by;
    o.s[1] ^= by;
    o.b[0] = !o.b[0];
    o.w[0] = o.w[1];
    o.w[1] = first;
    return o;
}

static uint32_t weighted(const uint32_t *v)
{
    return v[0] + 3 * v[1] + 5 * v[2] + 7 * v[3];
}

static void expect_composite(const uint32_t *a, uint32_t opposite, uint32_t local_id, uint32_t *out)
{
    static const uint32_t table[8] = {3, 1, 4, 1, 5, 9, 2, 6}, pairs[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    uint32_t k = a[0] & 3, b[4] = {a[3], a[2], a[1], a[0]}, local[5], chosen[4];
    float m[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    int less[4], any = 0, all = 1;

    out[0] = a[k];
    b[k]   = 77;
    out[1] = weighted(b);
    b[0]   = a[1];
    b[2]   = a[3];
    out[2] = b[0] ^ b[1] << 1 ^ b[2] << 2 ^ b[3] << 3;
    out[3] = table[a[1] & 7];
    out[4] = pairs[a[2] % 3][1] + pairs[a[2] % 3][k & 1];
    for (uint32_t n = 0; n < 5; n++)
        local[n] = a[n & 3] * n;
    local[k] += 1000;
    out[5]         = local[0] + local[1] + local[2] + local[3] + local[a[3] % 5];
    struct outer o = {
        {{a[0], a[1], a[2]}, {a[1], a[2], a[3]}}, {a[3], a[0]}, {a[0], a[1]}, {a[0] > a[1], 0}, 1.5f};
    struct outer p = change(change(o, k), a[1]);
    out[6]         = p.v[0][0] + 3 * p.v[0][1] + 5 * p.v[1][1] + 7 * p.s[1];
    out[7]         = p.w[0] + 3 * p.w[1] + (uint32_t)(p.f * 2) + (p.b[0] ? 100 : 200) + (p.b[1] ? 1 : 2);
    out[8]         = p.v[k & 1][a[2] % 3];
    for (int i = 0; i < 4; i++) {
        less[i] = a[i] < a[(i + 1) % 4];
        any |= less[i];
        all &= !less[i];
        chosen[i] = less[i] ? b[i] : a[i];
    }
    out[9] = (uint32_t)any | (uint32_t)all << 1 | (uint32_t)less[k] << 2 |
             (uint32_t)(less[0] && less[1] && less[2] && less[3]) << 3;
    out[10]     = weighted(chosen);
    m[k % 3][1] = (float)(a[0] & 255);
    m[1][0]     = 9;
    m[1][1]     = 8;
    out[11]     = (uint32_t)(m[0][0] + 2 * m[0][1] + 4 * m[1][0] + 8 * m[1][1] + 16 * m[2][0] + 32 * m[2][1]);
    out[12]     = opposite;
    uint32_t w[3] = {o.w[0], p.w[0], o.w[0]};
    w[k % 3]      = 5;
    out[13]       = w[0] + 3 * w[1] + 5 * w[2];
    int same      = memcmp(o.v, p.v, sizeof(o.v)) == 0 && memcmp(o.s, p.s, sizeof(o.s)) == 0 &&
               memcmp(o.w, p.w, sizeof(o.w)) == 0 && memcmp(o.b, p.b, sizeof(o.b)) == 0;
    out[14] = (uint32_t)same + 2 * (uint32_t)(!local[0] && !local[1] && !local[2] && !local[3] && !local[4]);
    out[15] = (k % 3 == 0 ? 64 : 1) + (k % 3 == 0 ? local_id : 0);
}

START_TEST(vectors_arrays_and_structs_are_taken_apart_and_put_together)
{
    enum {
        ITEMS = 256
    };
    static uint32_t operands[ITEMS][4], results[ITEMS][16];
    struct trm_cpu_buffer block[2] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results))};
    uint64_t state                 = 69069;

    for (int i = 0; i < ITEMS * 4; i++)
        operands[i / 4][i % 4] = (uint32_t)ops_random(&state) >> (ops_random(&state) & 31);
    ops_run("ops_composite", _i, ITEMS / 64, block);
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t want[16];
        expect_composite(operands[i], operands[(i & ~63u) + 63 - (i & 63)][0], i & 63, want);
        for (int k = 0; k < 16; k++)
            ck_assert_msg(results[i][k] == want[k], "item %u: result %d is %u, not %u", i, k, results[i][k],
                          want[k]);
    }
}
END_TEST

/* ---- matrices, by definition and in double precision */

static double determinant(const double *m, int size, int stride)
{
    double sum = 0, minor[16];

    if (size == 1)
        return m[0];
    for (int column = 0; column < size; column++) {
        for (int c = 0, to = 0; c < size; c++)
            for (int r = 1; r < size; r++)
                if (c != column)
                    minor[to++] = m[c * stride + r];
        sum += (column % 2 == 0 ? 1 : -1) * m[column * stride] * determinant(minor, size - 1, size - 1);
    }
    return sum;
}

/* Entry (column, row) of the inverse: the cofactor of (row, column) over the determinant. */
static double inverse_entry(const double *m, int size, int column, int row)
{
    double minor[16];
    int to = 0;

    for (int c = 0; c < size; c++)
        for (int r = 0; r < size; r++)
            if (c != row && r != column)
                minor[to++] = m[c * 4 + r];
    return ((row + column) % 2 == 0 ? 1 : -1) * (size == 1 ? 1 : determinant(minor, size - 1, size - 1)) /
           determinant(m, size, 4);
}

static double product(const double *m, int column, int row, int inner)
{
    double sum = 0;

    /* Of the shader's a (the first three rows of m) and b (its last three columns). */
    for (int i = 0; i < inner; i++)
        sum += m[i * 4 + row] * m[(column + 1) * 4 + i];
    return sum;
}

static int expect_matrix(const double *m, int item, double *out)
{
    const double *v = m + 12;
    double *begin   = out;

    for (int row = 0; row < 3; row++)
        *out++ = product(m, 2, row, 4);
    for (int column = 0; column < 4; column++)
        *out++ = v[0] * m[column * 4] + v[1] * m[column * 4 + 1] + v[2] * m[column * 4 + 2];
    for (int i = 0; i < 9; i++)
        *out++ = product(m, i / 3, i % 3, 4);
    for (int i = 0; i < 12; i++)
        *out++ = m[i % 4 * 4 + i / 4];
    for (int i = 0; i < 6; i++)
        *out++ = 4 * (i < 3 ? m[i] : m[8 + i - 3 + 1]);
    for (int i = 0; i < 6; i++)
        *out++ = v[i % 2] * v[(const int[]){2, 3, 0}[i / 2]];
    for (int size = 2; size <= 4; size++)
        *out++ = determinant(m, size, 4);
    for (int size = 2; size <= 4; size++)
        for (int i = 0; i < size * size; i++)
            *out++ = inverse_entry(m, size, i / size, i % size);
    for (int i = 0; i < 16; i++)
        *out++ = m[i] * m[i] - m[i];
    *out++ = v[0] * m[0] + v[1] * m[1] + v[2] * m[2] + v[3] * m[3];
    for (int i = 0; i < 3; i++)
        *out++ = -m[4 + i];
    for (int row = 0; row < 2; row++) {
        double inner[2] = {m[0] * v[2] + m[4] * v[3], m[1] * v[2] + m[5] * v[3]};
        *out++          = m[row] * inner[0] + m[4 + row] * inner[1];
    }
    *out++ = (item & 1) == 0 ? m[(item & 3) * 4 + 1] : m[4 + (item & 3)];
    return (int)(out - begin);
}

START_TEST(matrices_are_multiplied_transposed_and_inverted)
{
    enum {
        ITEMS = 64
    };
    static float operands[ITEMS][16], results[ITEMS][128];
    struct trm_cpu_buffer block[2] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results))};
    uint64_t state                 = 314159265;

    for (int i = 0; i < ITEMS * 16; i++) /* with a dominant diagonal, so that all are invertible */
        operands[i / 16][i % 16] = (float)(ops_uniform(&state) - 0.5 + (i % 16 % 5 == 0 ? 3 : 0));
    ops_run("ops_matrix", _i, ITEMS / 16, block);
    for (int i = 0; i < ITEMS; i++) {
        double m[16], want[128];
        for (int k = 0; k < 16; k++)
            m[k] = (double)operands[i][k];
        int count = expect_matrix(m, i, want);
        ck_assert_int_eq(count, 95);
        for (int k = 0; k < count; k++)
            ck_assert_msg(fabs(results[i][k] - want[k]) <= 1e-5 * (1 + fabs(want[k])),
                          "item %d: result %d is %g, not %g", i, k, (double)results[i][k], want[k]);
    }
}
END_TEST

/* ---- vectors as directions; packing */

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double snorm(uint32_t bits, int width)
{
    int32_t value = (int32_t)(bits << (32 - width)) >> (32 - width);
    double most   = ldexp(1, width - 1) - 1;

    return fmax(value / most, -1);
}

static double half_value(uint32_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);

    return bits & 0x8000 ? -value : value;
}

static int expect_geometry(const float *af, const float *bf, double *out)
{
    double a[4], b[4], n[3], u[3], whole, *begin = out;
    uint32_t x, y, z;
    int exponent;

    memcpy(&x, &af[0], 4);
    memcpy(&y, &af[1], 4);
    memcpy(&z, &af[2], 4);
    for (int i = 0; i < 4; i++) {
        a[i] = (double)af[i];
        b[i] = (double)bf[i];
    }
    for (int i = 0; i < 3; i++) {
        n[i] = b[i] / sqrt(dot3(b, b));
        u[i] = a[i] / sqrt(dot3(a, a));
    }
    double d = dot3(n, u), k = 1 - 0.5625 * (1 - d * d), l = 1 - 9 * (1 - d * d);
    *out++ = sqrt(dot3(a, a) + a[3] * a[3]);
    *out++ = sqrt(dot3(a, a));
    *out++ = sqrt(a[0] * a[0] + a[1] * a[1]);
    *out++ = fabs(a[0]);
    *out++ = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                  (a[2] - b[2]) * (a[2] - b[2]) + (a[3] - b[3]) * (a[3] - b[3]));
    *out++ = fabs(a[1] - b[1]);
    *out++ = dot3(a, b);
    for (int i = 0; i < 3; i++)
        *out++ = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
        *out++ = n[i];
    for (int i = 0; i < 3; i++)
        *out++ = u[i] - 2 * d * n[i];
    for (int i = 0; i < 3; i++)
        *out++ = dot3(b, a) < 0 ? u[i] : -u[i];
    for (int i = 0; i < 3; i++)
        *out++ = k < 0 ? 0 : 0.75 * u[i] - (0.75 * d + sqrt(k)) * n[i];
    for (int i = 0; i < 3; i++)
        *out++ = fabs(l) < 1e-4 ? (double)NAN : l < 0 ? 0 : 3 * u[i] - (3 * d + sqrt(l)) * n[i];
    for (int i = 0; i < 2; i++)
        *out++ = snorm(x >> 16 * i & 0xffff, 16);
    for (int i = 0; i < 2; i++)
        *out++ = (y >> 16 * i & 0xffff) / 65535.0;
    for (int i = 0; i < 2; i++)
        *out++ = (z >> (16 * i + 10) & 31) == 31 ? (double)NAN : half_value(z >> 16 * i & 0xffff);
    for (int i = 0; i < 4; i++)
        *out++ = snorm(x >> 8 * i & 255, 8);
    for (int i = 0; i < 4; i++)
        *out++ = (y >> 8 * i & 255) / 255.0;
    *out++ = frexp(a[0], &exponent);
    *out++ = frexp(a[2], &exponent);
    frexp(a[0], &exponent);
    *out++ = exponent;
    frexp(a[2], &exponent);
    *out++ = exponent;
    *out++ = trunc(b[0]);
    *out++ = trunc(b[2]);
    *out++ = modf(b[0], &whole);
    *out++ = modf(b[2], &whole);
    *out++ = a[0] * 8;
    *out++ = a[1] / 16;
    return (int)(out - begin);
}

static uint32_t packed(double x, double least, double most)
{
    return (uint32_t)(int32_t)rint(fmin(fmax(x, least), 1) * most);
}

static void check_words(const float *b, const uint32_t *w)
{
    uint32_t halves[2];

    ck_assert_uint_eq(w[0], (packed(b[0], -1, 32767) & 0xffff) | packed(b[1], -1, 32767) << 16);
    ck_assert_uint_eq(w[1], packed(b[0], 0, 65535) | packed(b[1], 0, 65535) << 16);
    for (int i = 0; i < 2; i++) {
        halves[i] = w[2] >> 16 * i & 0xffff;
        ck_assert(fabs(half_value(halves[i]) - (double)b[i]) <=
                  ldexp(fmax(fabs((double)b[i]), 0x1p-14), -11));
    }
    ck_assert_uint_eq(w[3], (packed(b[0], -1, 127) & 255) | (packed(b[1], -1, 127) & 255) << 8 |
                                (packed(b[2], -1, 127) & 255) << 16 | packed(b[3], -1, 127) << 24);
    ck_assert_uint_eq(w[4], packed(b[0], 0, 255) | packed(b[1], 0, 255) << 8 | packed(b[2], 0, 255) << 16 |
                                packed(b[3], 0, 255) << 24);
}

START_TEST(vectors_have_lengths_and_directions_and_are_packed)
{
    enum {
        ITEMS = 256
    };
    static float operands[ITEMS][2][4], results[ITEMS][64];
    static uint32_t words[ITEMS][8];
    struct trm_cpu_buffer block[3] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results)), ops_buffer(words, sizeof(words))};
    uint64_t state                 = 271828182;

    for (int i = 0; i < ITEMS * 8; i++)
        operands[i / 8][i / 4 % 2][i % 4] = (float)((ops_uniform(&state) - 0.5) * 4);
    ops_run("ops_geometry", _i, ITEMS / 64, block);
    for (int i = 0; i < ITEMS; i++) {
        double want[64];
        int count = expect_geometry(operands[i][0], operands[i][1], want);
        ck_assert_int_eq(count, 49);
        for (int k = 0; k < count; k++)
            ck_assert_msg(isnan(want[k]) || fabs(results[i][k] - want[k]) <=
                                                4e-5 * (k >= 22 && k <= 24 ? 10 : 1) + 2e-6 * fabs(want[k]),
                          "item %d: result %d is %g, not %g", i, k, (double)results[i][k], want[k]);
        check_words(operands[i][1], words[i]);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_ops_memory");
    TCase *tests = tcase_create("memory");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, everything_lies_where_its_layout_says, 0, ops_forms());
    tcase_add_test(tests, an_access_outside_of_a_buffer_fails_the_launch_when_bounds_are_checked);
    tcase_add_loop_test(tests, vectors_arrays_and_structs_are_taken_apart_and_put_together, 0, ops_forms());
    tcase_add_loop_test(tests, matrices_are_multiplied_transposed_and_inverted, 0, ops_forms());
    tcase_add_loop_test(tests, vectors_have_lengths_and_directions_and_are_packed, 0, ops_forms());
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
