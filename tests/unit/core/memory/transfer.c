/* Copies, fills and prefetch: the checks, and the emulations.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>
#include <trireme/trireme.h>

#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define KIB UINT64_C(1024)

static struct store store;
static struct trm_context *context;
static struct trm_stream *stream;

static void open_store_as(uint64_t unified, int32_t emulate)
{
    memset(&store, 0, sizeof(store));
    store.unified = unified;
    store_prepare(&store, "store");
    if (emulate) {
        store.backend.stream.fill     = NULL;
        store.backend.stream.copy_2d  = NULL;
        store.backend.stream.prefetch = NULL;
    }
    store_open(&store, context);
    stream = store_stream(&store);
}

static void open_store(void)
{
    context = store_context(NULL);
    open_store_as(0, 0);
}

static void close_all(void)
{
    trm_stream_destroy(stream);
    store_close(&store);
}

static void close_store(void)
{
    close_all();
    trm_context_destroy(context);
}

static struct trm_buffer *make(int32_t kind, uint64_t size)
{
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_buffer_create(store.device, kind, size, &buffer), TRM_OK);
    return buffer;
}

/* A buffer whose bytes are 0, 1, 2 ... */
static struct trm_buffer *make_counted(uint64_t size)
{
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, size);

    for (uint64_t i = 0; i < size; i++)
        store_bytes(buffer)[i] = (unsigned char)i;
    return buffer;
}

static struct trm_stream_stats statistics(void)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};

    ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_OK);
    return stats;
}

/* ---- copies -------------------------------------------------------------------------------- */

START_TEST(copies_go_every_way_and_are_counted)
{
    struct trm_buffer *a = make_counted(100), *b = make(TRM_MEMORY_PINNED, 100);
    unsigned char up[10] = "abcdefghi", down[100];

    ck_assert_int_eq(trm_copy(stream, trm_span_whole(b), trm_span_whole(a)), TRM_OK);
    ck_assert_int_eq(trm_upload(stream, trm_span_of(b, 50, 10), up), TRM_OK);
    ck_assert_int_eq(trm_download(stream, down, trm_span_whole(b)), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_int_eq(memcmp(down, store_bytes(a), 50), 0);
    ck_assert_int_eq(memcmp(down + 50, up, 10), 0);
    struct trm_stream_stats stats = statistics();
    ck_assert_uint_eq(stats.copies, 3);
    ck_assert_uint_eq(stats.operations, 3);
    ck_assert_uint_eq(stats.bytes_copied, 100);
    ck_assert_uint_eq(stats.bytes_uploaded, 10);
    ck_assert_uint_eq(stats.bytes_downloaded, 100);
    ck_assert_uint_eq(stats.pageable_copies, 2);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(copies_with_host_memory_are_not_pageable_where_memory_is_one)
{
    close_all();
    open_store_as(1, 0);
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 4);

    ck_assert_int_eq(trm_upload(stream, trm_span_whole(a), "abc"), TRM_OK);
    ck_assert_uint_eq(statistics().pageable_copies, 0);
    trm_buffer_destroy(a);
}
END_TEST

START_TEST(ranges_beyond_a_buffer_are_refused)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 100), *b = make(TRM_MEMORY_DEVICE, 200);
    const struct trm_span wrong[] = {
        {a, 101, 0},
        {a, 101, TRM_WHOLE},
        {a, 0, 101},
        {a, 100, 1},
        {a, 50, 51},
        {a, UINT64_MAX, 1},
        {a, 1, UINT64_MAX - 1},
        {a, UINT64_MAX, UINT64_MAX},
        {a, 99, SIZE_MAX / 2},
    };
    unsigned char memory[200];

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_int_eq(trm_copy(stream, wrong[i], trm_span_of(b, 0, wrong[i].length)),
                         TRM_ERROR_OUT_OF_RANGE);
        ck_assert_int_eq(trm_copy(stream, trm_span_of(b, 0, wrong[i].length), wrong[i]),
                         TRM_ERROR_OUT_OF_RANGE);
        ck_assert_int_eq(trm_upload(stream, wrong[i], memory), TRM_ERROR_OUT_OF_RANGE);
        ck_assert_int_eq(trm_download(stream, memory, wrong[i]), TRM_ERROR_OUT_OF_RANGE);
        ck_assert_int_eq(trm_fill(stream, wrong[i], 0, 1), TRM_ERROR_OUT_OF_RANGE);
    }
    ck_assert_uint_eq(store.copies + store.fills, 0);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(ranges_that_end_with_the_buffer_are_taken)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 100);
    unsigned char memory[100];

    ck_assert_int_eq(trm_download(stream, memory, trm_span_of(a, 99, 1)), TRM_OK);
    ck_assert_int_eq(trm_download(stream, memory, trm_span_of(a, 99, TRM_WHOLE)), TRM_OK);
    ck_assert_int_eq(trm_download(stream, memory, trm_span_of(a, 100, TRM_WHOLE)), TRM_OK);
    ck_assert_int_eq(trm_download(stream, NULL, trm_span_of(a, 100, 0)), TRM_OK);
    ck_assert_uint_eq(store.copies, 2);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    trm_buffer_destroy(a);
}
END_TEST

START_TEST(lengths_of_a_copy_must_be_equal_or_whole)
{
    struct trm_buffer *a = make_counted(100), *b = make(TRM_MEMORY_DEVICE, 200);

    ck_assert_int_eq(trm_copy(stream, trm_span_of(b, 0, 50), trm_span_of(a, 0, 51)),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(b), trm_span_whole(a)), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(b), trm_span_of(a, 0, 100)), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(b, 100, 100), trm_span_whole(a)), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(b, 100, TRM_WHOLE), trm_span_whole(a)), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(b, 0, 150), trm_span_whole(a)), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_int_eq(memcmp(store_bytes(a), store_bytes(b) + 100, 100), 0);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(copies_that_overlap_are_refused)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 100);

    ck_assert_int_eq(trm_copy(stream, trm_span_of(a, 0, 51), trm_span_of(a, 50, 50 + 1 - 1)),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(a, 0, 50), trm_span_of(a, 49, 50)),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(a, 49, 50), trm_span_of(a, 0, 50)),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(a), trm_span_whole(a)), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(store.copies, 0);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(a, 0, 50), trm_span_of(a, 50, 50)), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(a, 50, 50), trm_span_of(a, 0, 50)), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(a, 50, 0), trm_span_of(a, 50, 0)), TRM_OK);
    trm_buffer_destroy(a);
}
END_TEST

START_TEST(overlap_is_seen_through_host_memory_too)
{
    unsigned char memory[100];
    struct trm_buffer *a, *b;
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .kind = TRM_MEMORY_IMPORTED, .size = 60, .host_pointer = memory};

    ck_assert_int_eq(trm_buffer_create_from(store.device, &desc, &a), TRM_OK);
    desc.host_pointer = memory + 40;
    ck_assert_int_eq(trm_buffer_create_from(store.device, &desc, &b), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(a), trm_span_whole(b)), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_copy(stream, trm_span_of(a, 0, 40), trm_span_of(b, 0, 40)), TRM_OK);
    ck_assert_int_eq(trm_upload(stream, trm_span_of(a, 0, 40), memory + 39), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_download(stream, memory, trm_span_of(a, 10, 40)), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_upload(stream, trm_span_of(a, 0, 40), memory + 40), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(host_memory_that_cannot_be_is_refused)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 100);

    ck_assert_int_eq(trm_upload(stream, trm_span_whole(a), NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_download(stream, NULL, trm_span_whole(a)), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_upload(stream, trm_span_whole(a), (void *)(UINTPTR_MAX - 50)),
                     TRM_ERROR_OUT_OF_RANGE);
    trm_buffer_destroy(a);
}
END_TEST

START_TEST(dead_handles_are_refused)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 100), *dead = make(TRM_MEMORY_DEVICE, 100);
    unsigned char memory[100];

    trm_buffer_destroy(dead);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(a), trm_span_whole(dead)), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(dead), trm_span_whole(a)), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_upload(stream, trm_span_of(dead, 0, 0), memory), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_download(stream, memory, trm_span_whole(NULL)), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(dead), 0, 1), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_prefetch(stream, trm_span_whole(dead), 0), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_upload(NULL, trm_span_whole(a), memory), TRM_ERROR_INVALID_HANDLE);
    trm_buffer_destroy(a);
}
END_TEST

START_TEST(a_failure_of_the_backend_is_handed_on_and_counts_nothing)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 100);

    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_eq(trm_upload(stream, trm_span_of(a, 0, 4), "abc"), TRM_ERROR_BACKEND);
    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(a), 0, 1), TRM_ERROR_BACKEND);
    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_eq(trm_copy(stream, trm_span_of(a, 0, 4), trm_span_of(a, 4, 4)), TRM_ERROR_BACKEND);
    ck_assert_uint_eq(statistics().operations, 0);
    ck_assert_int_eq(trm_buffer_wait(a, 0), TRM_OK);
    trm_buffer_destroy(a);
}
END_TEST

/* ---- fills --------------------------------------------------------------------------------- */

static void check_fill(uint64_t offset, uint64_t length, uint64_t pattern, uint32_t pattern_size)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, offset + length + 8);
    unsigned char *bytes = store_bytes(a);

    memset(bytes, 0xee, offset + length + 8);
    ck_assert_int_eq(trm_fill(stream, trm_span_of(a, offset, length), pattern, pattern_size), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    for (uint64_t i = 0; i < offset; i++)
        ck_assert_uint_eq(bytes[i], 0xee);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < length; i++)
        wrong += bytes[offset + i] != (unsigned char)(pattern >> 8 * (i % pattern_size));
    ck_assert_uint_eq(wrong, 0);
    for (uint64_t i = 0; i < 8; i++)
        ck_assert_uint_eq(bytes[offset + length + i], 0xee);
    trm_buffer_destroy(a);
}

START_TEST(fills_of_every_pattern_and_odd_lengths_are_right_with_and_without_the_backends_help)
{
    static const uint64_t counts[] = {1, 3, 17, 1000, 8191, 8192, 8193, 65536, 65537, 200001};

    for (int32_t emulate = 0; emulate < 2; emulate++) {
        close_all();
        open_store_as(0, emulate);
        for (uint32_t size = 1; size <= 8; size *= 2)
            for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
                check_fill(3 * size, counts[i] * size, UINT64_C(0x8877665544332211), size);
        ck_assert_uint_eq(statistics().fills, 40);
        ck_assert_uint_eq(statistics().copies, 0);
        ck_assert_uint_eq(statistics().operations, 40);
        ck_assert(emulate ? store.fills == 0 : store.fills == 40);
    }
}
END_TEST

START_TEST(fills_with_patterns_that_do_not_fit_are_refused)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 101);

    for (uint32_t size = 0; size < 20; size++)
        if (size != 1 && size != 2 && size != 4 && size != 8)
            ck_assert_int_eq(trm_fill(stream, trm_span_of(a, 0, 0), 0, size), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_fill(stream, trm_span_of(a, 2, 4), 0, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_fill(stream, trm_span_of(a, 4, 6), 0, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(a), 0, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_fill(stream, trm_span_of(a, 4, 0), 0, 4), TRM_OK);
    ck_assert_uint_eq(store.fills, 0);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(a), 0, 1), TRM_OK);
    ck_assert_uint_eq(store.fills, 1);
    trm_buffer_destroy(a);
}
END_TEST

START_TEST(the_pattern_of_an_emulated_fill_lives_until_it_was_read)
{
    close_all();
    open_store_as(0, 1);
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 300 * KIB);

    ck_assert_int_eq(trm_fill(stream, trm_span_whole(a), 7, 1), TRM_OK);
    ck_assert_uint_eq(atomic_load(&store.core->deferred_count), 1);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_uint_eq(store_bytes(a)[0], 7);
    ck_assert_uint_eq(store_bytes(a)[300 * KIB - 1], 7);
    trm_buffer_destroy(a);
    ck_assert_uint_eq(atomic_load(&store.core->deferred_count), 0);
}
END_TEST

/* ---- prefetch ------------------------------------------------------------------------------ */

START_TEST(only_unified_memory_is_prefetched)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 10), *b = make(TRM_MEMORY_UNIFIED, 10);

    ck_assert_int_eq(trm_prefetch(stream, trm_span_whole(a), 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_prefetch(stream, trm_span_whole(b), 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_prefetch(stream, trm_span_of(b, 0, 11), 0), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_prefetch(stream, trm_span_of(b, 0, 0), 0), TRM_OK);
    ck_assert_uint_eq(store.prefetches, 0);
    ck_assert_int_eq(trm_prefetch(stream, trm_span_of(b, 3, 7), 1), TRM_OK);
    ck_assert_uint_eq(store.prefetches, 1);
    ck_assert_uint_eq(statistics().operations, 1);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    close_all();
    open_store_as(0, 1);
    b = make(TRM_MEMORY_UNIFIED, 10);
    ck_assert_int_eq(trm_prefetch(stream, trm_span_whole(b), 1), TRM_OK);
    trm_buffer_destroy(b);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        copies_go_every_way_and_are_counted,
        copies_with_host_memory_are_not_pageable_where_memory_is_one,
        ranges_beyond_a_buffer_are_refused,
        ranges_that_end_with_the_buffer_are_taken,
        lengths_of_a_copy_must_be_equal_or_whole,
        copies_that_overlap_are_refused,
        overlap_is_seen_through_host_memory_too,
        host_memory_that_cannot_be_is_refused,
        dead_handles_are_refused,
        a_failure_of_the_backend_is_handed_on_and_counts_nothing,
        fills_of_every_pattern_and_odd_lengths_are_right_with_and_without_the_backends_help,
        fills_with_patterns_that_do_not_fit_are_refused,
        the_pattern_of_an_emulated_fill_lives_until_it_was_read,
        only_unified_memory_is_prefetched,
    };
    Suite *suite = suite_create("transfer");
    TCase *tests = tcase_create("transfer");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
