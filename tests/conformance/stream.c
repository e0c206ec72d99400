/* Streams: creation, submission, synchronization, queries, statistics.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#include <stdatomic.h>

static void set_flag(void *user, int32_t status)
{
    (void)status;
    atomic_store((atomic_int *)user, 1);
}

static struct trm_stream_stats stats_of(struct trm_stream *stream)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    ck_ok(trm_stream_get_stats(stream, &stats));
    return stats;
}

/* ---- creation ---- */

START_TEST(streams_of_every_role_and_priority_do_any_work)
{
    for (int32_t role = TRM_STREAM_ANY; role <= TRM_STREAM_SLOT; role++)
        for (int32_t priority = TRM_PRIORITY_LOW; priority <= TRM_PRIORITY_HIGH; priority++) {
            struct trm_stream *stream = NULL;
            ck_ok(trm_stream_create(the.device, role, priority, &stream));
            destroy_later_stream(stream);
            struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
            put_pattern(stream, buffer, 1000, (uint32_t)(role * 3 + priority));
            ck_buffer_pattern(stream, buffer, 1000, (uint32_t)(role * 3 + priority));
            if (kernels_there()) {
                ck_ok(trm_fill(stream, trm_span_whole(buffer), 7, 4));
                ck_ok(launch_affine(stream, buffer, 250, 3, 1));
                uint32_t got[250];
                get(stream, buffer, 0, got, sizeof(got));
                ck_assert_uint_eq(got[0], 22);
                ck_assert_uint_eq(got[249], 22);
            }
            trm_buffer_destroy(buffer);
        }
}
END_TEST

START_TEST(a_role_that_there_is_not_is_refused)
{
    struct trm_stream *stream = NULL;
    ck_status(trm_stream_create(the.device, -1, TRM_PRIORITY_NORMAL, &stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_create(the.device, 5, TRM_PRIORITY_NORMAL, &stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_create(the.device, INT32_MAX, TRM_PRIORITY_NORMAL, &stream),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(stream);
}
END_TEST

START_TEST(a_stream_keeps_its_device_alive)
{
    struct trm_device *device = open_device(the.context);
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 100);
    trm_device_destroy(device);
    put_pattern(stream, buffer, 100, 1);
    ck_buffer_pattern(stream, buffer, 100, 1);
    trm_buffer_destroy(buffer);
    ck_ok(trm_stream_sync(stream));
    trm_stream_destroy(stream);
}
END_TEST

START_TEST(asking_for_the_device_of_a_stream_gives_a_reference_of_its_own)
{
    struct trm_device *device = NULL;
    uint64_t kind             = 99;
    ck_ok(trm_stream_device(the.stream, &device));
    ck_ok(trm_device_get_u64(device, TRM_DEVICE_KIND, &kind));
    trm_device_destroy(device);
    ck_ok(trm_device_get_u64(the.device, TRM_DEVICE_KIND, &kind));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_device_sync(the.device));
}
END_TEST

START_TEST(the_device_of_a_stream_outlives_its_first_reference)
{
    struct trm_device *first = open_device(the.context), *second = NULL;
    struct trm_stream *stream = NULL;
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_stream_create(first, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_stream_device(stream, &second));
    trm_device_destroy(first);
    ck_ok(trm_buffer_create(second, TRM_MEMORY_DEVICE, 100, &buffer));
    put_pattern(stream, buffer, 100, 1);
    ck_buffer_pattern(stream, buffer, 100, 1);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(second);
    ck_status(trm_buffer_create(second, TRM_MEMORY_DEVICE, 100, &buffer), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(ten_thousand_streams_live_at_once)
{
    unsigned count              = scaled(10000, 500);
    struct trm_stream **streams = calloc(count, sizeof(struct trm_stream *));
    uint32_t *numbers           = calloc(count, sizeof(*numbers));
    ck_assert(streams && numbers);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, count * 4);
    for (unsigned i = 0; i < count; i++) {
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[i]));
        numbers[i] = i * 2654435761u;
    }
    for (unsigned i = 0; i < count; i++)
        ck_ok(trm_upload(streams[i], trm_span_of(buffer, i * 4u, 4), &numbers[i]));
    ck_ok(trm_device_sync(the.device));
    uint32_t *got = calloc(count, sizeof(*got));
    ck_assert_ptr_nonnull(got);
    get(the.stream, buffer, 0, got, count * 4);
    ck_assert_mem_eq(got, numbers, count * 4);
    for (unsigned i = 0; i < count; i++)
        trm_stream_destroy(streams[i]);
    trm_buffer_destroy(buffer);
    free(got);
    free(numbers);
    free(streams);
}
END_TEST

/* ---- queries and waits ---- */

START_TEST(a_new_stream_has_nothing_to_do)
{
    struct trm_stream *stream = make_stream(the.device);
    ck_ok(trm_stream_query(stream));
    ck_ok(trm_stream_sync(stream));
    ck_ok(trm_stream_flush(stream));
    ck_ok(trm_stream_query(stream));
    ck_assert_uint_eq(stats_of(stream).operations, 0);
}
END_TEST

START_TEST(a_query_tells_a_busy_stream_from_an_idle_one)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    struct hold *hold = hold_begin(the.stream);
    ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_stream_query(the.stream));
}
END_TEST

START_TEST(sync_waits_for_what_was_enqueued)
{
    for (unsigned i = 0; i < scaled(20, 5); i++) {
        atomic_int flag = 0;
        ck_ok(trm_stream_callback(the.stream, set_flag, &flag));
        struct hold *hold = hold_begin(the.stream);
        hold_end_after(hold, 5);
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_int_eq(atomic_load(&flag), 1);
    }
}
END_TEST

START_TEST(flush_alone_gets_the_work_done)
{
    atomic_int flag = 0;
    ck_ok(trm_stream_callback(the.stream, set_flag, &flag));
    ck_ok(trm_stream_flush(the.stream));
    for (uint64_t end = now_ns() + LONG_NS; !atomic_load(&flag) && now_ns() < end;)
        sleep_ms(1);
    ck_assert_int_eq(atomic_load(&flag), 1);
}
END_TEST

START_TEST(polling_alone_gets_the_work_done)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    int32_t status            = TRM_ERROR_TIMEOUT;
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 5, 1));
    for (uint64_t end = now_ns() + LONG_NS; status == TRM_ERROR_TIMEOUT && now_ns() < end;)
        status = trm_stream_query(the.stream);
    ck_assert_int_eq(status, TRM_OK);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_stream_goes_on_while_another_is_held)
{
    struct trm_stream *held   = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100000);
    struct hold *hold         = hold_begin(held);
    put_pattern(the.stream, buffer, 100000, 4);
    ck_buffer_pattern(the.stream, buffer, 100000, 4);
    if (hold)
        ck_status(trm_stream_query(held), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_stream_sync(held));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_hundred_thousand_operations_wait_in_line)
{
    unsigned count            = scaled(100000, 3000);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct hold *hold         = hold_begin(the.stream);
    for (unsigned i = 0; i < count; i++)
        ck_ok(trm_fill(the.stream, trm_span_of(buffer, i % 16 * 4, 4), i, 4));
    hold_end(hold);
    uint32_t got[16];
    get(the.stream, buffer, 0, got, sizeof(got));
    for (unsigned i = count - 16; i < count; i++)
        ck_assert_uint_eq(got[i % 16], i);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- the end ---- */

START_TEST(destroying_a_stream_drains_it)
{
    for (unsigned round = 0; round < scaled(50, 10); round++) {
        struct trm_stream *stream = NULL;
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 10000);
        static uint8_t sent[10000], got[10000];
        atomic_int flag = 0;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        pattern_make(sent, sizeof(sent), round);
        memset(got, 0, sizeof(got));
        ck_ok(trm_upload(stream, trm_span_whole(buffer), sent));
        ck_ok(trm_stream_callback(stream, set_flag, &flag));
        ck_ok(trm_download(stream, got, trm_span_whole(buffer)));
        trm_buffer_destroy(buffer);
        trm_stream_destroy(stream);
        ck_assert_int_eq(atomic_load(&flag), 1);
        ck_pattern(got, sizeof(got), round);
    }
}
END_TEST

START_TEST(destroying_a_stream_waits_for_one_that_it_waits_for)
{
    struct trm_stream *first = make_stream(the.device), *second = NULL;
    struct trm_point point;
    atomic_int flag = 0;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &second));
    struct hold *hold = hold_begin(first);
    ck_ok(trm_stream_callback(first, set_flag, &flag));
    ck_ok(trm_stream_mark(first, &point));
    ck_ok(trm_stream_wait(second, point));
    hold_end_after(hold, 30);
    trm_stream_destroy(second);
    ck_assert_int_eq(atomic_load(&flag), 1);
}
END_TEST

/* ---- statistics ---- */

START_TEST(a_stream_counts_what_it_is_given)
{
    struct trm_stream *stream = make_stream(the.device), *other = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    struct trm_buffer *second = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    static uint8_t host[1000];
    atomic_int flag = 0;
    struct trm_point point;
    ck_ok(trm_upload(stream, trm_span_of(buffer, 0, 300), host));
    ck_ok(trm_upload(stream, trm_span_of(buffer, 0, 200), host));
    ck_ok(trm_download(stream, host, trm_span_of(buffer, 0, 70)));
    ck_ok(trm_copy(stream, trm_span_of(second, 0, 40), trm_span_of(buffer, 0, 40)));
    struct trm_stream_stats stats = stats_of(stream);
    ck_assert_uint_eq(stats.copies, 4);
    ck_assert_uint_eq(stats.bytes_uploaded, 500);
    ck_assert_uint_eq(stats.bytes_downloaded, 70);
    ck_assert_uint_eq(stats.bytes_copied, 40);
    ck_assert_uint_ge(stats.operations, 4);
    ck_ok(trm_fill(stream, trm_span_of(buffer, 0, 10), 1,
                   1)); /* by copies, where the device has no better way */
    ck_ok(trm_stream_callback(stream, set_flag, &flag));
    ck_ok(trm_fill(other, trm_span_of(second, 500, 10), 1, 1));
    ck_ok(trm_stream_mark(other, &point));
    ck_ok(trm_stream_wait(stream, point));
    stats = stats_of(stream);
    ck_assert_uint_eq(stats.fills, 1);
    ck_assert_uint_eq(stats.callbacks, 1);
    ck_assert_uint_eq(stats.launches, 0);
    ck_assert_uint_le(stats.waits, 1); /* a point that was reached already costs nothing */
    ck_assert_uint_ge(stats.operations, 6);
    ck_assert_uint_eq(stats_of(other).fills, 1);
    ck_ok(trm_stream_sync(stream));
    trm_buffer_destroy(second);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_stream_does_not_count_what_was_refused)
{
    struct trm_stream *stream = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    ck_refused(trm_fill(stream, trm_span_of(buffer, 0, 101), 1, 1));
    ck_refused(trm_fill(stream, trm_span_of(buffer, 0, 100), 1, 3));
    ck_refused(trm_upload(stream, trm_span_of(buffer, 1, 100), NULL));
    struct trm_stream_stats stats = stats_of(stream);
    ck_assert_uint_eq(stats.operations, 0);
    ck_assert_uint_eq(stats.fills + stats.copies + stats.bytes_uploaded, 0);
    stats.struct_size = 3;
    ck_status(trm_stream_get_stats(stream, &stats), TRM_ERROR_INVALID_ARGUMENT);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_refused_operation_does_not_harm_the_stream)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    put_pattern(the.stream, buffer, 100, 3);
    ck_refused(trm_fill(the.stream, trm_span_of(buffer, 50, 51), 1, 1));
    ck_refused(trm_fill(the.stream, trm_span_of(buffer, UINT64_MAX, 1), 1, 1));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_stream_query(the.stream));
    ck_buffer_pattern(the.stream, buffer, 100, 3);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_stream(Suite *suite)
{
    TCase *group = group_make(suite, "streams");
    CASE(group, streams_of_every_role_and_priority_do_any_work);
    CASE(group, a_role_that_there_is_not_is_refused);
    CASE(group, a_stream_keeps_its_device_alive);
    CASE(group, asking_for_the_device_of_a_stream_gives_a_reference_of_its_own);
    CASE(group, the_device_of_a_stream_outlives_its_first_reference);
    CASE(group, ten_thousand_streams_live_at_once);
    CASE(group, a_new_stream_has_nothing_to_do);
    CASE(group, a_query_tells_a_busy_stream_from_an_idle_one);
    CASE(group, sync_waits_for_what_was_enqueued);
    CASE(group, flush_alone_gets_the_work_done);
    CASE(group, polling_alone_gets_the_work_done);
    CASE(group, a_stream_goes_on_while_another_is_held);
    CASE(group, a_hundred_thousand_operations_wait_in_line);
    CASE(group, destroying_a_stream_drains_it);
    CASE(group, destroying_a_stream_waits_for_one_that_it_waits_for);
    CASE(group, a_stream_counts_what_it_is_given);
    CASE(group, a_stream_does_not_count_what_was_refused);
    CASE(group, a_refused_operation_does_not_harm_the_stream);
}
