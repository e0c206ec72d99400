/* Copies between devices, and arrays on them.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>
#include <trireme/trireme.h>

#include "tests/unit/log_lines.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define MIB (UINT64_C(1) << 20)

/* `near` is the stream's device, `far` the other one. Two stores are two backends, unless a test makes
 * them one. */
static struct store near, far;
static struct trm_context *context;
static struct trm_stream *stream;
static struct trm_buffer *here, *there;
static uint64_t size;

static void open_stores(uint64_t bytes, uint64_t far_unified, int32_t no_pinned)
{
    size = bytes;
    memset(&near, 0, sizeof(near));
    memset(&far, 0, sizeof(far));
    far.unified    = far_unified;
    near.no_pinned = no_pinned;
    store_prepare(&near, "near");
    store_prepare(&far, "far");
    store_open(&near, context);
    store_open(&far, context);
    stream = store_stream(&near);
    ck_assert_int_eq(trm_buffer_create(near.device, TRM_MEMORY_DEVICE, size, &here), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(far.device, TRM_MEMORY_DEVICE, size, &there), TRM_OK);
}

static void open_store(void)
{
    context = store_context(NULL);
    open_stores(1000, 0, 0);
}

static void close_stores(void)
{
    trm_stream_destroy(stream);
    trm_buffer_destroy(here);
    trm_buffer_destroy(there);
    store_close(&near);
    store_close(&far);
}

static void close_store(void)
{
    close_stores();
    trm_context_destroy(context);
}

static void reopen(uint64_t bytes, uint64_t far_unified, int32_t no_pinned)
{
    close_stores();
    open_stores(bytes, far_unified, no_pinned);
}

static void count_up(struct trm_buffer *buffer)
{
    unsigned char *bytes = store_bytes(buffer);

    for (uint64_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
}

static int32_t are_equal(void)
{
    return memcmp(store_bytes(here), store_bytes(there), size) == 0;
}

/* In both directions; operations enqueued before the copy come first. */
static void check_both_ways(void)
{
    count_up(there);
    memset(store_bytes(here), 0, size);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(here), trm_span_whole(there)), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert(are_equal());

    ck_assert_int_eq(trm_fill(stream, trm_span_whole(here), 0x35, 1), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(there), trm_span_whole(here)), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_uint_eq(store_bytes(there)[size - 1], 0x35);
    ck_assert(are_equal());
}

START_TEST(devices_that_do_not_reach_each_other_are_staged_through_the_host)
{
    static const uint64_t sizes[] = {1, 1000, 2 * MIB, 2 * MIB + 1, 7 * MIB + 3};

    for (int32_t no_pinned = 0; no_pinned < 2; no_pinned++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            reopen(sizes[i], 0, no_pinned);
            check_both_ways();
            ck_assert_uint_eq(near.peer_copies, 0);
        }
}
END_TEST

/* The store's devices have no access to each other, unless they are of one backend. */
START_TEST(the_log_tells_once_of_two_devices_that_copies_are_staged)
{
    char words[192];

    log_lines_begin(core_context_find(context));
    snprintf(words, sizeof(words), " on %s: a copy of 1000 bytes to %s is staged", near.core->id,
             far.core->id);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(there), trm_span_whole(here)), TRM_OK);
    ck_assert_uint_eq(log_lines_count("info", "memory", "stream ", words), 1);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(there), trm_span_whole(here)), TRM_OK);
    ck_assert_uint_eq(log_lines_count("info", "memory", "stream ", words), 1);
    ck_assert_uint_eq(log_lines_count("debug", "memory", "stream ", words), 1);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    reopen(1000, 1, 0); /* the host shares the other one's memory */
    log_lines_begin(core_context_find(context));
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(there), trm_span_whole(here)), TRM_OK);
    ck_assert_uint_eq(log_lines_count("info", "memory", "", "staged"), 0);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
}
END_TEST

START_TEST(memory_of_the_other_device_that_the_host_shares_is_copied_directly)
{
    reopen(5 * MIB, 1, 0);
    check_both_ways();
    ck_assert_uint_eq(near.copies, 2);
    ck_assert_uint_eq(far.copies, 0);
}
END_TEST

START_TEST(devices_of_one_backend_that_reach_each_other_copy_directly)
{
    struct core_device *second;
    struct trm_buffer *other;
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};

    ck_assert_int_eq(core_device_create(core_context_find(context), &near.backend, 0, &second), TRM_OK);
    core_object_publish(&second->object);
    ck_assert_int_eq(trm_buffer_create(second->object.handle, TRM_MEMORY_DEVICE, 1000, &other), TRM_OK);
    count_up(here);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(other), trm_span_whole(here)), TRM_OK);
    ck_assert_uint_eq(near.peer_copies, 1);
    ck_assert_int_eq(trm_buffer_wait(other, TRM_FOREVER), TRM_OK);
    ck_assert_int_eq(memcmp(store_bytes(other), store_bytes(here), 1000), 0);
    ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_OK);
    ck_assert_uint_eq(stats.bytes_copied, 1000);
    trm_buffer_destroy(other);
    trm_device_destroy(second->object.handle);
}
END_TEST

START_TEST(a_copy_between_devices_keeps_both_buffers_until_it_is_done)
{
    struct trm_buffer *a, *b;

    ck_assert_int_eq(trm_buffer_create(near.device, TRM_MEMORY_DEVICE, 5 * MIB, &a), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(far.device, TRM_MEMORY_DEVICE, 5 * MIB, &b), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(a), trm_span_whole(b)), TRM_OK);
    ck_assert_int_eq(trm_buffer_wait(a, 0), TRM_ERROR_TIMEOUT);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    ck_assert_int_eq(trm_pool_trim(near.device, 0), TRM_OK);
    ck_assert_int_eq(trm_pool_trim(far.device, 0), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
}
END_TEST

START_TEST(rows_are_copied_between_devices_too)
{
    struct trm_rows to = {.buffer = there, .pitch = 40}, from = {.buffer = here, .offset = 3, .pitch = 20};

    count_up(here);
    memset(store_bytes(there), 0, size);
    ck_assert_int_eq(trm_copy_2d(stream, &to, &from, 10, 20), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    for (uint32_t row = 0; row < 20; row++) {
        ck_assert_int_eq(memcmp(store_bytes(there) + row * 40, store_bytes(here) + 3 + row * 20, 10), 0);
        ck_assert_uint_eq(store_bytes(there)[row * 40 + 10], 0);
    }
}
END_TEST

START_TEST(one_side_of_a_copy_must_be_the_streams_device)
{
    struct trm_buffer *second;

    ck_assert_int_eq(trm_buffer_create(far.device, TRM_MEMORY_DEVICE, 1000, &second), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(second), trm_span_whole(there)), TRM_ERROR_WRONG_DEVICE);
    ck_assert_int_eq(trm_upload(stream, trm_span_of(there, 0, 4), "abc"), TRM_ERROR_WRONG_DEVICE);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(there), 0, 1), TRM_ERROR_WRONG_DEVICE);
    ck_assert_int_eq(trm_prefetch(stream, trm_span_whole(there), 0), TRM_ERROR_WRONG_DEVICE);
    trm_buffer_destroy(second);
}
END_TEST

START_TEST(objects_of_two_contexts_do_not_meet)
{
    struct trm_context *other = store_context(NULL);
    struct store stranger     = {0};
    struct trm_buffer *theirs;

    store_prepare(&stranger, "stranger");
    store_open(&stranger, other);
    ck_assert_int_eq(trm_buffer_create(stranger.device, TRM_MEMORY_DEVICE, 1000, &theirs), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(here), trm_span_whole(theirs)), TRM_ERROR_WRONG_DEVICE);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(theirs), trm_span_whole(here)), TRM_ERROR_WRONG_DEVICE);
    trm_buffer_destroy(theirs);
    store_close(&stranger);
    trm_context_destroy(other);
}
END_TEST

START_TEST(a_staged_copy_that_fails_half_way_leaves_nothing_behind)
{
    reopen(5 * MIB, 0, 0);
    for (int32_t side = 0; side < 2; side++) {
        struct store *failing = side == 0 ? &near : &far;
        failing->fail_next    = TRM_ERROR_BACKEND;
        ck_assert_int_eq(trm_copy(stream, trm_span_whole(here), trm_span_whole(there)), TRM_ERROR_BACKEND);
        failing->fail_next = TRM_ERROR_BACKEND;
        ck_assert_int_eq(trm_copy(stream, trm_span_whole(there), trm_span_whole(here)), TRM_ERROR_BACKEND);
    }
    check_both_ways();
}
END_TEST

/* ---- arrays -------------------------------------------------------------------------------- */

START_TEST(arrays_of_two_devices_are_copied)
{
    static const float data[4] = {1, 2, 3, 4};
    struct trm_array *a, *b;
    float back[4];

    ck_assert_int_eq(trm_array_create(near.device, TRM_TYPE_F32, 4, TRM_MEMORY_DEVICE, data, &a), TRM_OK);
    ck_assert_int_eq(trm_array_create(far.device, TRM_TYPE_F32, 4, TRM_MEMORY_DEVICE, NULL, &b), TRM_OK);
    ck_assert_int_eq(trm_array_copy(b, a), TRM_OK);
    ck_assert_int_eq(trm_array_download(b, TRM_TYPE_F32, 0, 4, back), TRM_OK);
    ck_assert_int_eq(memcmp(back, data, sizeof(data)), 0);
    trm_array_destroy(a);
    trm_array_destroy(b);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        devices_that_do_not_reach_each_other_are_staged_through_the_host,
        the_log_tells_once_of_two_devices_that_copies_are_staged,
        memory_of_the_other_device_that_the_host_shares_is_copied_directly,
        devices_of_one_backend_that_reach_each_other_copy_directly,
        a_copy_between_devices_keeps_both_buffers_until_it_is_done,
        rows_are_copied_between_devices_too,
        one_side_of_a_copy_must_be_the_streams_device,
        objects_of_two_contexts_do_not_meet,
        a_staged_copy_that_fails_half_way_leaves_nothing_behind,
        arrays_of_two_devices_are_copied,
    };
    Suite *suite = suite_create("peer");
    TCase *tests = tcase_create("peer");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
