/* Mapping: reaching a buffer's memory from the host.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#include <pthread.h>

#define SIZE 70001u

static uint8_t *map(struct trm_buffer *buffer, uint32_t flags)
{
    void *pointer = NULL;
    ck_ok(trm_buffer_map(buffer, flags, &pointer));
    ck_assert_ptr_nonnull(pointer);
    return pointer;
}

START_TEST(mapping_for_reading_shows_what_the_buffer_holds)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], SIZE);
        if (!buffer)
            continue;
        put_pattern(the.stream, buffer, SIZE, 1);
        ck_pattern(map(buffer, TRM_MAP_READ), SIZE, 1);
        ck_ok(trm_buffer_unmap(buffer));
        ck_buffer_pattern(the.stream, buffer, SIZE, 1);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(what_is_written_while_mapped_is_in_the_buffer_after_unmapping)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], SIZE);
        if (!buffer)
            continue;
        put_pattern(the.stream, buffer, SIZE, 1);
        pattern_make(map(buffer, TRM_MAP_WRITE), SIZE, 2);
        ck_ok(trm_buffer_unmap(buffer));
        ck_buffer_pattern(the.stream, buffer, SIZE, 2);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(mapping_for_both_changes_only_what_is_written)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], SIZE);
        if (!buffer)
            continue;
        put_pattern(the.stream, buffer, SIZE, 3);
        uint8_t *memory = map(buffer, TRM_MAP_READ | TRM_MAP_WRITE);
        uint8_t kept    = memory[777];
        memory[777]     = (uint8_t)~kept;
        ck_ok(trm_buffer_unmap(buffer));

        memory = map(buffer, TRM_MAP_READ | TRM_MAP_WRITE);
        ck_assert_uint_eq(memory[777], (uint8_t)~kept);
        memory[777] = kept;
        ck_ok(trm_buffer_unmap(buffer));
        ck_buffer_pattern(the.stream, buffer, SIZE, 3);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(mapping_costs_no_copy_where_the_host_shares_the_memory)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], SIZE);
        void *pointer             = NULL;
        if (!buffer)
            continue;
        if (trm_buffer_host_pointer(buffer, &pointer) == TRM_OK)
            for (uint32_t flags = 1; flags < 8; flags += flags == 3 ? 2 : 1) {
                ck_assert_ptr_eq(map(buffer, flags), pointer);
                ck_ok(trm_buffer_unmap(buffer));
            }
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(mapping_waits_for_the_work_on_the_buffer)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    uint8_t *data             = malloc(SIZE);
    pattern_make(data, SIZE, 4);
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_upload(the.stream, trm_span_whole(buffer), data));
    hold_end_after(hold, 30);
    ck_pattern(map(buffer, TRM_MAP_READ), SIZE, 4);
    ck_ok(trm_buffer_unmap(buffer));
    trm_buffer_destroy(buffer);
    free(data);
}
END_TEST

START_TEST(mapping_submits_unflushed_work)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    for (unsigned i = 0; i < 50; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 1));
        uint8_t *memory = map(buffer, TRM_MAP_READ);
        ck_assert_uint_eq(memory[0], i);
        ck_assert_uint_eq(memory[SIZE - 1], i);
        ck_ok(trm_buffer_unmap(buffer));
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(mapping_without_synchronising_does_not_wait)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    if (!hold_works()) {
        trm_buffer_destroy(buffer);
        skip("work cannot be held back");
        return;
    }
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 1));
    map(buffer, TRM_MAP_READ | TRM_MAP_NOSYNC);
    ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    ck_ok(trm_buffer_unmap(buffer));
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(work_enqueued_after_unmapping_sees_what_was_written)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *copy   = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    for (uint32_t i = 0; i < 20; i++) {
        pattern_make(map(buffer, TRM_MAP_WRITE), SIZE, i);
        ck_ok(trm_buffer_unmap(buffer));
        ck_ok(trm_copy(the.stream, trm_span_whole(copy), trm_span_whole(buffer)));
        ck_buffer_pattern(the.stream, copy, SIZE, i);
    }
    trm_buffer_destroy(copy);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- states in which it cannot be done ---- */

START_TEST(a_buffer_that_is_mapped_cannot_be_mapped_again)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    void *second              = NULL;
    map(buffer, TRM_MAP_READ);
    ck_status(trm_buffer_map(buffer, TRM_MAP_READ, &second), TRM_ERROR_BUSY);
    ck_status(trm_buffer_map(buffer, TRM_MAP_WRITE | TRM_MAP_NOSYNC, &second), TRM_ERROR_BUSY);
    ck_assert_ptr_null(second);
    ck_ok(trm_buffer_unmap(buffer));
    map(buffer, TRM_MAP_WRITE);
    ck_ok(trm_buffer_unmap(buffer));
    trm_buffer_destroy(buffer);
}
END_TEST

struct race {
    struct trm_buffer *buffer;
    int32_t status;
};

static void *map_elsewhere(void *user)
{
    struct race *race = user;
    void *pointer     = NULL;
    race->status      = trm_buffer_map(race->buffer, TRM_MAP_READ, &pointer);
    return NULL;
}

START_TEST(a_buffer_mapped_by_one_thread_is_busy_for_another)
{
    struct race race = {.buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE)};
    pthread_t thread;
    map(race.buffer, TRM_MAP_READ);
    ck_assert_int_eq(pthread_create(&thread, NULL, map_elsewhere, &race), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(race.status, TRM_ERROR_BUSY);
    ck_ok(trm_buffer_unmap(race.buffer));

    ck_assert_int_eq(pthread_create(&thread, NULL, map_elsewhere, &race), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(race.status, TRM_OK);
    ck_ok(trm_buffer_unmap(race.buffer));
    trm_buffer_destroy(race.buffer);
}
END_TEST

START_TEST(unmapping_what_is_not_mapped_is_refused)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    ck_refused(trm_buffer_unmap(buffer));
    map(buffer, TRM_MAP_READ);
    ck_ok(trm_buffer_unmap(buffer));
    ck_refused(trm_buffer_unmap(buffer));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(flags_that_say_neither_reading_nor_writing_are_refused)
{
    static const uint32_t flags[] = {0, TRM_MAP_NOSYNC, 1u << 3, TRM_MAP_READ | 1u << 31};
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    void *pointer                 = NULL;
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        ck_status(trm_buffer_map(buffer, flags[i], &pointer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(pointer);
    map(buffer, TRM_MAP_READ);
    ck_ok(trm_buffer_unmap(buffer));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_buffer_destroyed_while_mapped_is_gone_and_leaves_nothing)
{
    for (int round = 0; round < 50; round++) {
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
        pattern_make(map(buffer, TRM_MAP_WRITE), SIZE, 5);
        trm_buffer_destroy(buffer);
        ck_status(trm_buffer_unmap(buffer), TRM_ERROR_INVALID_HANDLE);
    }
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    struct trm_pool_stats stats   = {.struct_size = sizeof(stats)};
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_ok(trm_pool_get_stats(the.device, &stats));
    ck_assert_uint_eq(usage.buffers, 0);
    ck_assert_uint_eq(usage.buffer_bytes, 0);
    ck_assert_uint_eq(stats.used_bytes, 0);
}
END_TEST

START_TEST(a_buffer_of_no_bytes_can_be_mapped_and_unmapped)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 0);
    void *pointer             = NULL;
    ck_ok(trm_buffer_map(buffer, TRM_MAP_READ | TRM_MAP_WRITE, &pointer));
    ck_status(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_ERROR_BUSY);
    ck_ok(trm_buffer_unmap(buffer));
    ck_refused(trm_buffer_unmap(buffer));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(many_buffers_can_be_mapped_at_the_same_time)
{
    struct trm_buffer *buffers[40];
    uint8_t *memory[40];
    for (uint32_t i = 0; i < 40; i++) {
        buffers[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, 3000);
        memory[i]  = map(buffers[i], TRM_MAP_WRITE);
    }
    for (uint32_t i = 0; i < 40; i++)
        pattern_make(memory[i], 3000, i);
    for (uint32_t i = 0; i < 40; i++)
        ck_ok(trm_buffer_unmap(buffers[i]));
    for (uint32_t i = 0; i < 40; i++) {
        ck_buffer_pattern(the.stream, buffers[i], 3000, i);
        trm_buffer_destroy(buffers[i]);
    }
}
END_TEST

START_TEST(mapping_gives_the_failure_of_the_stream_that_used_the_buffer)
{
    if (functions_missing())
        return;
    struct trm_stream *doomed = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct hold *hold         = hold_begin(doomed);
    void *pointer             = NULL;
    fail_stream(doomed, 4711);
    int32_t status = trm_fill(doomed, trm_span_whole(buffer), 1, 1);
    hold_end(hold);
    if (status == TRM_OK) {
        ck_status(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_ERROR_KERNEL);
        ck_assert_int_eq(trm_last_error().native_code, 4711);
        ck_assert_ptr_null(pointer);
    } else {
        ck_status(status, TRM_ERROR_KERNEL);
        map(buffer, TRM_MAP_READ); /* it was never used */
        ck_ok(trm_buffer_unmap(buffer));
    }
    trm_buffer_destroy(buffer);
}
END_TEST

void add_map(Suite *suite)
{
    TCase *group = group_make(suite, "map");
    CASE(group, mapping_for_reading_shows_what_the_buffer_holds);
    CASE(group, what_is_written_while_mapped_is_in_the_buffer_after_unmapping);
    CASE(group, mapping_for_both_changes_only_what_is_written);
    CASE(group, mapping_costs_no_copy_where_the_host_shares_the_memory);
    CASE(group, mapping_waits_for_the_work_on_the_buffer);
    CASE(group, mapping_submits_unflushed_work);
    CASE(group, mapping_without_synchronising_does_not_wait);
    CASE(group, work_enqueued_after_unmapping_sees_what_was_written);
    CASE(group, a_buffer_that_is_mapped_cannot_be_mapped_again);
    CASE(group, a_buffer_mapped_by_one_thread_is_busy_for_another);
    CASE(group, unmapping_what_is_not_mapped_is_refused);
    CASE(group, flags_that_say_neither_reading_nor_writing_are_refused);
    CASE(group, a_buffer_destroyed_while_mapped_is_gone_and_leaves_nothing);
    CASE(group, a_buffer_of_no_bytes_can_be_mapped_and_unmapped);
    CASE(group, many_buffers_can_be_mapped_at_the_same_time);
    CASE(group, mapping_gives_the_failure_of_the_stream_that_used_the_buffer);
}
