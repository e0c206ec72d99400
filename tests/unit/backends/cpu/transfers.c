/* Copies and fills of the cpu backend: the inner loops against a plain reference, at all alignments,
 * and large operations that are split over threads.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/host.h"
#include "tests/unit/runner.h"

#include "backends/cpu/machine/transfer.h"

#define FOREVER UINT64_MAX
#define GUARD 64u
#define MOST 4096u

static uint8_t buffer_a[MOST + 4 * GUARD], buffer_b[MOST + 4 * GUARD], expected[MOST + 4 * GUARD];

static void scramble(uint8_t *bytes, uint64_t size, uint32_t seed)
{
    for (uint64_t i = 0; i < size; i++) {
        seed     = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

static const uint64_t sizes[] = {1, 2, 7, 8, 15, 31, 63, 64, 65, 127, 128, 200, 1000, 4096};

#define SIZES (sizeof(sizes) / sizeof(*sizes))

/* Checks that the bytes around the destination are unchanged. */
static void check_copy(uint32_t way, uint64_t to, uint64_t from, uint64_t size)
{
    scramble(buffer_a, sizeof(buffer_a), 1);
    scramble(buffer_b, sizeof(buffer_b), 2);
    memcpy(expected, buffer_b, sizeof(expected));
    for (uint64_t i = 0; i < size; i++)
        expected[GUARD + to + i] = buffer_a[GUARD + from + i];
    if (!cpu_copy_with(way, buffer_b + GUARD + to, buffer_a + GUARD + from, size))
        scramble(expected, sizeof(expected), 2);
    ck_assert_mem_eq(buffer_b, expected, sizeof(expected));
}

START_TEST(every_way_of_copying_is_exact_at_every_alignment)
{
    for (uint64_t to = 0; to < GUARD; to += 3)
        for (uint64_t from = 0; from < GUARD; from += 5)
            for (size_t i = 0; i < SIZES; i++)
                check_copy((uint32_t)_i, to, from, sizes[i]);
}
END_TEST

START_TEST(every_way_of_filling_is_exact_at_every_alignment)
{
    static const uint32_t pattern_sizes[] = {1, 2, 4, 8};
    uint64_t pattern                      = 0x8877665544332211;
    for (uint64_t to = 0; to < GUARD; to++)
        for (size_t i = 0; i < SIZES * 4; i++) {
            uint64_t size = sizes[i / 4];
            uint32_t each = pattern_sizes[i % 4];
            scramble(buffer_b, sizeof(buffer_b), 2);
            memcpy(expected, buffer_b, sizeof(expected));
            for (uint64_t j = 0; j < size; j++)
                expected[GUARD + to + j] = (uint8_t)(pattern >> 8 * (j % each));
            if (!cpu_fill_with((uint32_t)_i, buffer_b + GUARD + to, cpu_pattern_word(pattern, each), size))
                scramble(expected, sizeof(expected), 2);
            ck_assert_mem_eq(buffer_b, expected, sizeof(expected));
        }
}
END_TEST

START_TEST(the_plain_ways_are_always_there_and_unknown_ones_never)
{
    ck_assert(cpu_copy_with(CPU_COPY_PLAIN, buffer_b, buffer_a, 100));
    ck_assert(cpu_fill_with(CPU_FILL_PLAIN, buffer_b, 0, 100));
    ck_assert(!cpu_fill_with(CPU_FILL_NONE, buffer_b, 0, 100));
}
END_TEST

START_TEST(a_tuner_settles_on_a_way_that_exists_and_stays_exact)
{
    enum {
        SIZE = 1 << 20
    };
    struct cpu_transfers transfers = {.beyond_cache = 0};
    uint8_t *from = malloc(SIZE), *to = malloc(SIZE);
    scramble(from, SIZE, 5);
    for (int i = 0; i < 100; i++) {
        memset(to, 0, SIZE);
        cpu_transfer_copy(&transfers, to, from, SIZE, SIZE);
        ck_assert_mem_eq(to, from, SIZE);
        cpu_transfer_fill(&transfers, to, cpu_pattern_word((uint64_t)i, 8), SIZE, SIZE);
        uint64_t last;
        memcpy(&last, to + SIZE - 8, 8);
        ck_assert_uint_eq(last, (uint64_t)i);
    }
    ck_assert(cpu_copy_with(atomic_load(&transfers.copies[1].best), to, from, 64));
    ck_assert(cpu_fill_with(atomic_load(&transfers.fills[1].best), to, 0, 64));
    free(from);
    free(to);
}
END_TEST

START_TEST(the_ways_are_tried_from_half_of_the_cache_on_within_reason)
{
    static const uint64_t cache_and_limit[][2] = {
        {0, 4 << 20}, {1 << 20, 4 << 20}, {16 << 20, 8 << 20}, {320 << 20, 16 << 20}};
    struct cpu_transfers transfers = {.beyond_cache = 0};
    for (size_t i = 0; i < sizeof(cache_and_limit) / sizeof(*cache_and_limit); i++) {
        cpu_transfers_init(&transfers, cache_and_limit[i][0]);
        ck_assert_uint_eq(transfers.beyond_cache, cache_and_limit[i][1]);
    }
}
END_TEST

/* ---- whole operations */

static struct cpu_bench bench;
static struct trm_backend_stream *stream;

static void set_up(void)
{
    bench  = cpu_bench_open("3");
    stream = cpu_bench_stream(&bench, 0);
    ck_assert_ptr_nonnull(stream);
}

static void tear_down(void)
{
    bench.stream->destroy(stream);
    cpu_bench_close(&bench);
    ck_assert_int_eq(cpu_host.bytes, 0);
}

START_TEST(large_copies_are_split_and_exact)
{
    static const uint64_t large[] = {(256 << 10) - 1, 256 << 10, (1 << 20) + 13, (40 << 20) + 1};
    uint64_t value                = 0;
    for (size_t i = 0; i < 4; i++) {
        uint64_t size = large[i];
        uint8_t *from, *to;
        struct trm_backend_memory *a = cpu_bench_memory(&bench, size + 7, &from);
        struct trm_backend_memory *b = cpu_bench_memory(&bench, size + 7, &to);
        struct trm_copy_desc desc    = {.struct_size = sizeof(desc),
                                        .destination = {.memory = b, .offset = 3},
                                        .source      = {.host = from + 5},
                                        .size        = size};
        scramble(from, size + 7, (uint32_t)i);
        memset(to, 0xee, size + 7);
        ck_assert_int_eq(bench.stream->copy(stream, ++value, &desc), TRM_OK);
        ck_assert_int_eq(bench.stream->wait(stream, value, FOREVER), TRM_OK);
        ck_assert_int_eq(memcmp(to + 3, from + 5, size), 0);
        ck_assert_uint_eq(to[2], 0xee);
        ck_assert_uint_eq(to[size + 3], 0xee);
        bench.memory->free(a);
        bench.memory->free(b);
    }
}
END_TEST

START_TEST(large_fills_are_split_and_exact)
{
    enum {
        SIZE = (33 << 20) + 24
    };
    uint8_t *data;
    struct trm_backend_memory *memory = cpu_bench_memory(&bench, SIZE + 8, &data);
    uint64_t value                    = 0;
    for (uint32_t each = 1; each <= 8; each *= 2) {
        struct trm_fill_desc desc = {.struct_size  = sizeof(desc),
                                     .pattern_size = each,
                                     .memory       = memory,
                                     .offset       = 8,
                                     .size         = SIZE - 16,
                                     .pattern      = 0x1122334455667788};
        memset(data, 0, SIZE);
        ck_assert_int_eq(bench.stream->fill(stream, ++value, &desc), TRM_OK);
        ck_assert_int_eq(bench.stream->wait(stream, value, FOREVER), TRM_OK);
        for (uint64_t i = 8; i < SIZE - 8; i++)
            if (data[i] != (uint8_t)(desc.pattern >> 8 * ((i - 8) % each)))
                ck_abort_msg("byte %llu is %x", (unsigned long long)i, data[i]);
        ck_assert_uint_eq(data[7], 0);
        ck_assert_uint_eq(data[SIZE - 8], 0);
    }
    bench.memory->free(memory);
}
END_TEST

static void check_rectangle(uint64_t width, uint64_t height, uint64_t to_pitch, uint64_t from_pitch,
                            uint64_t value)
{
    uint8_t *from, *to;
    struct trm_backend_memory *a = cpu_bench_memory(&bench, from_pitch * height, &from);
    struct trm_backend_memory *b = cpu_bench_memory(&bench, to_pitch * height, &to);
    struct trm_copy_2d_desc desc = {.struct_size       = sizeof(desc),
                                    .destination       = {.memory = b},
                                    .source            = {.memory = a},
                                    .destination_pitch = to_pitch,
                                    .source_pitch      = from_pitch,
                                    .width             = width,
                                    .height            = height};
    scramble(from, from_pitch * height, 3);
    memset(to, 0xee, to_pitch * height);
    ck_assert_int_eq(bench.stream->copy_2d(stream, value, &desc), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, value, FOREVER), TRM_OK);
    for (uint64_t row = 0; row < height; row++) {
        ck_assert_int_eq(memcmp(to + row * to_pitch, from + row * from_pitch, width), 0);
        for (uint64_t i = width; i < to_pitch; i++)
            ck_assert_uint_eq(to[row * to_pitch + i], 0xee);
    }
    bench.memory->free(a);
    bench.memory->free(b);
}

START_TEST(rectangles_of_any_shape_are_exact)
{
    check_rectangle(1, 1, 1, 1, 1);
    check_rectangle(5, 3, 9, 7, 2);
    check_rectangle(100, 20000, 128, 100, 3);
    check_rectangle(1 << 20, 5, 1 << 20, 1 << 20, 4);
    check_rectangle(2 << 20, 3, (2 << 20) + 64, 2 << 20, 5);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cpu transfers");
    TCase *loops = tcase_create("inner loops");
    TCase *whole = tcase_create("operations");
    tcase_set_timeout(loops, 120);
    tcase_add_loop_test(loops, every_way_of_copying_is_exact_at_every_alignment, 0, CPU_METHODS);
    tcase_add_loop_test(loops, every_way_of_filling_is_exact_at_every_alignment, 0, CPU_METHODS);
    tcase_add_test(loops, the_plain_ways_are_always_there_and_unknown_ones_never);
    tcase_add_test(loops, a_tuner_settles_on_a_way_that_exists_and_stays_exact);
    tcase_add_test(loops, the_ways_are_tried_from_half_of_the_cache_on_within_reason);
    tcase_add_checked_fixture(whole, set_up, tear_down);
    tcase_set_timeout(whole, 120);
    tcase_add_test(whole, large_copies_are_split_and_exact);
    tcase_add_test(whole, large_fills_are_split_and_exact);
    tcase_add_test(whole, rectangles_of_any_shape_are_exact);
    suite_add_tcase(suite, loops);
    suite_add_tcase(suite, whole);
    return suite;
}

UNIT_SUITE(make_suite)
