/* Integers in translated shaders: each operation wraps at its own width and never stops the process.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

enum {
    PAIRS = 1024
};

static const uint32_t edges[] = {0,          1,          2,          3,          7,          8,
                                 31,         32,         33,         255,        0x7f,       0x80,
                                 0xffff,     0x7fff,     0x8000,     0x7fffffff, 0x80000000, 0x80000001,
                                 0xfffffffe, 0xffffffff, 0xffffff80, 0xffff8000, 0x55555555};
enum {
    EDGES = sizeof(edges) / sizeof(edges[0])
};

/* ---- the same in C, slowly */

static uint32_t extract(uint32_t a, uint32_t offset, uint32_t count, int is_signed)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < count; i++)
        value |= (a >> (offset + i) & 1) << i;
    for (uint32_t i = count; is_signed && count != 0 && i < 32; i++)
        value |= (value >> (count - 1) & 1) << i;
    return value;
}

static uint32_t insert(uint32_t a, uint32_t b, uint32_t offset, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        a = (a & ~(1u << (offset + i))) | (b >> i & 1) << (offset + i);
    return a;
}

static uint32_t reversed(uint32_t a)
{
    uint32_t value = 0;

    for (int i = 0; i < 32; i++)
        value |= (a >> i & 1) << (31 - i);
    return value;
}

static int32_t highest(uint32_t a)
{
    return a == 0 ? -1 : 31 - __builtin_clz(a);
}

static int64_t floor_mod(int64_t a, int64_t b)
{
    int64_t rest = a % b;

    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static uint32_t compare(int64_t a, int64_t b)
{
    return (uint32_t)(a < b) | (uint32_t)(a <= b) << 1 | (uint32_t)(a > b) << 2 | (uint32_t)(a >= b) << 3 |
           (uint32_t)(a == b) << 4 | (uint32_t)(a != b) << 5;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Results that the language leaves undefined are not compared. */
#define ANY 0x100000000ull

static void expect32(uint32_t a, uint32_t b, uint64_t *out)
{
    int64_t c = (int32_t)a, d = (int32_t)b;
    uint64_t wide = (uint64_t)a * b;
    uint32_t v[3] = {a, b, a ^ b}, w[3];
    uint32_t *at;
    int is_defined = d != 0 && !(c == INT32_MIN && d == -1);

    *out++ = (uint32_t)(a + b);
    *out++ = (uint32_t)(a - b);
    *out++ = (uint32_t)wide;
    *out++ = b == 0 ? ANY : a / b;
    *out++ = b == 0 ? ANY : a % b;
    *out++ = (uint32_t)(a + b);
    *out++ = (uint32_t)(a - b);
    *out++ = (uint32_t)wide;
    *out++ = is_defined ? (uint32_t)(c / d) : ANY;
    /* The remainder of negative numbers is undefined in GLSL; OpSMod, which it becomes, has the sign of the
     * divisor. */
    *out++ = is_defined && c >= 0 && d > 0 ? (uint32_t)floor_mod(c, d) : ANY;
    *out++ = (uint32_t)-a;
    *out++ = (uint32_t)~a;
    *out++ = a & b;
    *out++ = a | b;
    *out++ = a ^ b;
    *out++ = a << (b & 31);
    *out++ = a >> (b & 31);
    *out++ = (uint32_t)(c >> (b & 31));
    *out++ = a << (b & 31);
    *out++ = compare(a, b);
    *out++ = compare(c, d);
    *out++ = smaller(a, b);
    *out++ = smaller(a, b) == a ? b : a;
    *out++ = (uint32_t)(c < d ? c : d);
    *out++ = (uint32_t)(c > d ? c : d);
    *out++ = a < 1000 ? 1000 : a > 3000000000u ? 3000000000u : a;
    *out++ = (uint32_t)(c < -1000 ? -1000 : c > 1000 ? 1000 : c);
    *out++ = (uint32_t)(c < 0 ? -c : c);
    *out++ = (uint32_t)((c > 0) - (c < 0));
    *out++ = extract(a, b & 15, b >> 4 & 15, 0);
    *out++ = extract(a, b & 15, b >> 4 & 15, 1);
    *out++ = insert(a, b, b & 15, b >> 4 & 15);
    *out++ = reversed(a);
    *out++ = (uint32_t)__builtin_popcount(a);
    *out++ = (uint32_t)(a == 0 ? -1 : __builtin_ctz(a));
    *out++ = (uint32_t)highest(a);
    *out++ = (uint32_t)highest(c < 0 ? ~a : a);
    *out++ = (uint32_t)(a + b);
    *out++ = (uint32_t)(a + b) < a;
    *out++ = (uint32_t)(a - b);
    *out++ = a < b;
    *out++ = (uint32_t)(wide >> 32);
    *out++ = (uint32_t)wide;
    *out++ = (uint32_t)((uint64_t)(c * d) >> 32);
    *out++ = (uint32_t)(c * d);
    *out++ = c > 0 ? a : b;
    *out++ = a / 7;
    *out++ = (uint32_t)(c / -7);
    *out++ = b < 32 ? a << b : ANY;
    *out++ = c == INT32_MIN && (d | 1) == -1 ? ANY : (uint32_t)(c / (d | 1));
    for (int i = 0; i < 3; i++)
        w[i] = v[(i + 2) % 3] * (uint32_t)(3 + 2 * i) + (v[i] >> 3) - (v[i] < v[(i + 1) % 3]);
    *out++ = w[0] ^ w[1] ^ w[2];
    at     = (uint32_t[]){v[0] + v[2], v[1] + v[0], v[0] + v[2] < v[0], v[1] + v[0] < v[1]};
    *out++ = (uint32_t)(at[0] + 3 * at[1] + 5 * at[2] + 7 * at[3]);
    *out++ = a;
    *out++ = 0;
    *out++ = b;
    *out++ = (uint32_t)(v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) +
             2 * (uint32_t)(v[0] != 0 && v[1] != 0 && v[2] != 0);
}

START_TEST(integers_of_32_bits_are_computed_exactly)
{
    static uint32_t operands[PAIRS][2], results[PAIRS][64];
    struct trm_cpu_buffer block[2] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results))};
    uint64_t state                 = 88172645463325252ull;

    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 2; k++)
            operands[i][k] = i < EDGES * EDGES ? edges[k == 0 ? i / EDGES : i % EDGES]
                                               : (uint32_t)ops_random(&state) >> (ops_random(&state) & 31);
    ops_run("ops_integer", _i, PAIRS / 64, block);
    for (int i = 0; i < PAIRS; i++) {
        uint64_t want[64];
        for (int k = 0; k < 64; k++)
            want[k] = ANY;
        expect32(operands[i][0], operands[i][1], want);
        for (int k = 0; k < 64; k++)
            ck_assert_msg(want[k] == ANY || want[k] == results[i][k], "%#x, %#x: result %d is %#x, not %#x",
                          operands[i][0], operands[i][1], k, results[i][k], (uint32_t)want[k]);
    }
}
END_TEST

/* The same operations at every width: `bits` of two's complement. */
struct narrow {
    unsigned bits;
    uint64_t a, b; /* zero-extended */
    int64_t c, d;  /* sign-extended */
};

static struct narrow narrow_of(uint64_t a, uint64_t b, unsigned bits)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;

    return (struct narrow){bits, a & mask, b & mask, (int64_t)(a << (64 - bits)) >> (64 - bits),
                           (int64_t)(b << (64 - bits)) >> (64 - bits)};
}

static void same(const struct narrow *n, int number, uint64_t got, uint64_t want)
{
    uint64_t mask = n->bits == 64 ? UINT64_MAX : (1ull << n->bits) - 1;

    ck_assert_msg((got & mask) == (want & mask), "%u bits: %#llx, %#llx: result %d is %#llx, not %#llx",
                  n->bits, (unsigned long long)n->a, (unsigned long long)n->b, number,
                  (unsigned long long)(got & mask), (unsigned long long)(want & mask));
}

/* Divisions are undefined when the divisor is zero or the quotient does not fit. */
static bool can_divide(const struct narrow *n)
{
    return n->d != 0 && !(n->d == -1 && n->a == 1ull << (n->bits - 1));
}

static void check_common(const struct narrow *n, const uint64_t *got)
{
    same(n, 0, got[0], n->a + n->b);
    same(n, 1, got[1], n->a - n->b);
    same(n, 2, got[2], n->a * n->b);
    if (n->b != 0) {
        same(n, 3, got[3], n->a / n->b);
        same(n, 4, got[4], n->a % n->b);
    }
    if (can_divide(n)) {
        same(n, 5, got[5], (uint64_t)(n->c / n->d));
        if (n->c >= 0 && n->d > 0)
            same(n, 6, got[6], (uint64_t)(n->c % n->d));
    }
}

static void check64(const struct narrow *n, const uint64_t *got)
{
    uint64_t least = (uint64_t)(n->c < n->d ? n->c : n->d), most = n->a > n->b ? n->a : n->b;

    check_common(n, got);
    same(n, 7, got[7], n->a << (n->b & 63));
    same(n, 8, got[8], n->a >> (n->b & 63));
    same(n, 9, got[9], (uint64_t)(n->c >> (n->b & 63)));
    same(n, 10, got[10],
         (uint64_t)(n->a < n->b) | (uint64_t)(n->c < n->d) << 1 | (uint64_t)(n->c >= n->d) << 2 |
             (uint64_t)(n->a == n->b) << 3);
    same(n, 11, got[11], least ^ most);
    same(n, 12, got[12], (n->c < 0 ? 0 - n->a : n->a) + (uint64_t)(int64_t)((n->d > 0) - (n->d < 0)));
    same(n, 13, got[13], (0 - n->a) ^ ~n->a);
    same(n, 14, got[14], (uint64_t)(int64_t)(int32_t)n->a + (uint32_t)n->b);
    same(n, 15, got[15], (uint64_t)(int64_t)(int8_t)n->a ^ (uint16_t)n->b);
}

static void check16(const struct narrow *n, const uint64_t *got)
{
    check_common(n, got);
    same(n, 7, got[7], n->a * n->b);
    same(n, 8, got[8], n->a << (n->b & 15));
    same(n, 9, got[9], n->a >> (n->b & 15));
    same(n, 10, got[10], (uint64_t)(n->c >> (n->b & 15)));
    same(n, 11, got[11],
         (uint64_t)(n->a < n->b) | (uint64_t)(n->c < n->d) << 1 | (uint64_t)(n->c >= n->d) << 2 |
             (uint64_t)(n->a == n->b) << 3);
    same(n, 12, got[12], (uint64_t)(n->c < n->d ? n->c : n->d));
    same(n, 13, got[13], n->a > n->b ? n->a : n->b);
    same(n, 14, got[14], n->c < 0 ? 0 - n->a : n->a);
    same(n, 15, got[15], 0 - n->a);
    same(n, 16, got[16], ~n->a);
    same(n, 17, got[17], (uint64_t)(int64_t)((n->c > 0) - (n->c < 0)));
    same(n, 18, got[18], (uint64_t)(n->c < -300 ? -300 : n->c > 300 ? 300 : n->c));
    same(n, 19, got[19], (uint64_t)(n->c < n->d ? n->c : n->d));
}

static void check8(const struct narrow *n, const uint64_t *got)
{
    uint8_t v[4] = {(uint8_t)n->a, (uint8_t)n->b, (uint8_t)(n->a ^ n->b), (uint8_t)(n->a + n->b)}, w[4];

    check_common(n, got);
    same(n, 7, got[7], n->a * n->b);
    same(n, 8, got[8], n->a << (n->b & 7));
    same(n, 9, got[9], n->a >> (n->b & 7));
    same(n, 10, got[10], (uint64_t)(n->c >> (n->b & 7)));
    same(n, 11, got[11],
         (uint64_t)(n->a < n->b) | (uint64_t)(n->c < n->d) << 1 | (uint64_t)(n->c >= n->d) << 2 |
             (uint64_t)(n->a == n->b) << 3);
    same(n, 12, got[12], (uint64_t)(n->c < n->d ? n->c : n->d));
    same(n, 13, got[13], n->a > n->b ? n->a : n->b);
    same(n, 14, got[14], n->c < 0 ? 0 - n->a : n->a);
    same(n, 15, got[15], 0 - n->a);
    same(n, 16, got[16], ~n->a);
    same(n, 17, got[17], (uint64_t)(int64_t)((n->c > 0) - (n->c < 0)));
    for (int i = 0; i < 4; i++)
        w[i] = (uint8_t)(v[3 - i] * (3 + 2 * i) + v[i]);
    same(n, 18, got[18], w[0] ^ w[1] ^ w[2] ^ w[3]);
    same(n, 19, got[19], w[1]);
}

START_TEST(integers_of_other_widths_wrap_at_their_own)
{
    static uint64_t operands[PAIRS][2], results64[PAIRS][32];
    static uint16_t results16[PAIRS][32];
    static uint8_t results8[PAIRS][32];
    struct trm_cpu_buffer block[4] = {
        ops_buffer(operands, sizeof(operands)), ops_buffer(results8, sizeof(results8)),
        ops_buffer(results16, sizeof(results16)), ops_buffer(results64, sizeof(results64))};
    uint64_t state = 362436069ull;

    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 2; k++) {
            uint32_t edge  = edges[k == 0 ? i / EDGES % EDGES : i % EDGES];
            operands[i][k] = i < EDGES * EDGES
                                 ? (ops_random(&state) & 1 ? edge : (uint64_t)(int64_t)(int32_t)edge)
                                 : ops_random(&state) >> (ops_random(&state) & 63);
        }
    operands[0][0] = 1ull << 63;
    operands[0][1] = UINT64_MAX;
    ops_run("ops_narrow", _i, PAIRS / 64, block);
    for (int i = 0; i < PAIRS; i++) {
        struct narrow n64 = narrow_of(operands[i][0], operands[i][1], 64);
        struct narrow n16 = narrow_of(operands[i][0], operands[i][1], 16);
        struct narrow n8  = narrow_of(operands[i][0], operands[i][1], 8);
        uint64_t got16[32], got8[32];
        for (int k = 0; k < 32; k++) {
            got16[k] = results16[i][k];
            got8[k]  = results8[i][k];
        }
        check64(&n64, results64[i]);
        check16(&n16, got16);
        check8(&n8, got8);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_ops_integer");
    TCase *tests = tcase_create("integers");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, integers_of_32_bits_are_computed_exactly, 0, ops_forms());
    tcase_add_loop_test(tests, integers_of_other_widths_wrap_at_their_own, 0, ops_forms());
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
