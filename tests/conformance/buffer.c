/* Buffers: creation, contents, destruction.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"

#define SIZE 5000u

static struct trm_device_usage usage_of(struct trm_device *device)
{
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(device, &usage));
    return usage;
}

static uint64_t pool_used(void)
{
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};
    ck_ok(trm_pool_get_stats(the.device, &stats));
    return stats.used_bytes;
}

/* ---- making ---- */

START_TEST(a_buffer_has_the_size_and_the_kind_it_was_made_with)
{
    static const uint64_t sizes[] = {1, 255, 256, 257, 4096, 1000000, 3 << 20};
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], sizes[i]);
            uint64_t size             = 0;
            int32_t kind              = -1;
            if (!buffer)
                continue;
            ck_ok(trm_buffer_size(buffer, &size));
            ck_ok(trm_buffer_kind(buffer, &kind));
            ck_assert_uint_eq(size, sizes[i]);
            ck_assert_int_eq(kind, all_kinds[k]);
            trm_buffer_destroy(buffer);
        }
    }
}
END_TEST

START_TEST(a_buffer_of_zero_bytes_is_legal_in_every_kind_of_memory)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], 0);
        uint64_t size             = 1;
        uint8_t byte              = 7;
        if (!buffer)
            continue;
        ck_ok(trm_buffer_size(buffer, &size));
        ck_assert_uint_eq(size, 0);
        ck_ok(trm_upload(the.stream, trm_span_whole(buffer), &byte));
        ck_ok(trm_download(the.stream, &byte, trm_span_whole(buffer)));
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 8));
        ck_ok(trm_buffer_wait(buffer, TRM_FOREVER));
        ck_status(trm_upload(the.stream, trm_span_of(buffer, 0, 1), &byte), TRM_ERROR_OUT_OF_RANGE);
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_uint_eq(byte, 7);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(a_buffer_made_with_data_holds_it_when_creation_returns)
{
    uint8_t data[SIZE];
    pattern_make(data, SIZE, 1);
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = SIZE, .data = data};
    struct trm_buffer *buffer   = NULL;
    ck_ok(trm_buffer_create_from(the.device, &desc, &buffer));
    memset(data, 0, sizeof(data));
    ck_buffer_pattern(the.stream, buffer, SIZE, 1);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_zeroed_buffer_is_zero_also_where_memory_is_used_again)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .flags = TRM_BUFFER_ZEROED, .size = SIZE};
    uint8_t found[SIZE];
    for (unsigned round = 0; round < 20; round++) {
        struct trm_buffer *dirty = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
        ck_ok(trm_fill(the.stream, trm_span_whole(dirty), 0xAB, 1));
        trm_buffer_destroy(dirty);

        struct trm_buffer *buffer = NULL;
        ck_ok(trm_buffer_create_from(the.device, &desc, &buffer));
        memset(found, 1, sizeof(found));
        get(the.stream, buffer, 0, found, SIZE);
        ck_bytes(found, SIZE, 0);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(zeroed_does_not_undo_the_data_given_with_it)
{
    uint8_t data[SIZE];
    pattern_make(data, SIZE, 2);
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .flags = TRM_BUFFER_ZEROED, .size = SIZE, .data = data};
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_buffer_create_from(the.device, &desc, &buffer));
    ck_buffer_pattern(the.stream, buffer, SIZE, 2);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_buffer_beyond_the_largest_of_the_device_is_out_of_range)
{
    uint64_t largest             = device_number(the.device, TRM_DEVICE_MAX_BUFFER_BYTES);
    struct trm_buffer *untouched = (struct trm_buffer *)&largest, *buffer = untouched;
    ck_assert_uint_gt(largest, 0);
    if (largest < UINT64_MAX)
        ck_status(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, largest + 1, &buffer),
                  TRM_ERROR_OUT_OF_RANGE);
    ck_refused(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, UINT64_MAX, &buffer));
    ck_refused(trm_buffer_create(the.device, TRM_MEMORY_PINNED, UINT64_MAX - 255, &buffer));
    ck_assert_msg(buffer == untouched, "a creation that failed wrote its output");
    ck_assert_uint_eq(usage_of(the.device).buffers, 0);
}
END_TEST

START_TEST(a_kind_of_memory_that_does_not_exist_is_refused)
{
    static const int32_t kinds[] = {-1, 4, 99, INT32_MAX, INT32_MIN};
    struct trm_buffer *buffer    = NULL;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        ck_refused(trm_buffer_create(the.device, kinds[i], SIZE, &buffer));
    ck_assert_ptr_null(buffer);
}
END_TEST

START_TEST(a_description_that_is_not_one_is_refused)
{
    struct trm_buffer_desc desc = {.struct_size = 0, .size = SIZE};
    struct trm_buffer *buffer   = NULL;
    ck_status(trm_buffer_create_from(the.device, &desc, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_buffer_create_from(the.device, NULL, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    desc.struct_size = sizeof(desc);
    desc.flags       = 1u << 31;
    ck_status(trm_buffer_create_from(the.device, &desc, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    desc.flags = 0;
    ck_ok(trm_buffer_create_from(the.device, &desc, &buffer));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_alignment_asked_for_is_given)
{
    for (uint64_t alignment = 1; alignment <= 2 << 20; alignment *= 2) {
        struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = 100, .alignment = alignment};
        struct trm_buffer *buffer   = NULL;
        void *pointer               = NULL;
        ck_ok(trm_buffer_create_from(the.device, &desc, &buffer));
        if (trm_buffer_host_pointer(buffer, &pointer) == TRM_OK)
            ck_assert_msg((uintptr_t)pointer % alignment == 0, "%p is not aligned to %llu", pointer,
                          (unsigned long long)alignment);
        put_pattern(the.stream, buffer, 100, 3);
        ck_buffer_pattern(the.stream, buffer, 100, 3);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(buffers_are_aligned_to_256_bytes_when_nothing_is_said)
{
    struct trm_buffer *buffers[32];
    for (unsigned i = 0; i < 32; i++) {
        void *pointer = NULL;
        buffers[i]    = make_buffer(the.device, TRM_MEMORY_DEVICE, 1 + i * 37);
        if (trm_buffer_host_pointer(buffers[i], &pointer) == TRM_OK)
            ck_assert_msg((uintptr_t)pointer % 256 == 0, "%p", pointer);
    }
    for (unsigned i = 0; i < 32; i++)
        trm_buffer_destroy(buffers[i]);
}
END_TEST

START_TEST(an_alignment_that_cannot_be_is_refused)
{
    static const uint64_t alignments[] = {3, 257, 4 << 20, UINT64_MAX, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof(alignments) / sizeof(alignments[0]); i++) {
        struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = 100, .alignment = alignments[i]};
        struct trm_buffer *buffer   = NULL;
        ck_status(trm_buffer_create_from(the.device, &desc, &buffer), TRM_ERROR_INVALID_ARGUMENT);
        ck_assert_ptr_null(buffer);
    }
}
END_TEST

START_TEST(many_buffers_of_many_sizes_keep_their_contents_apart)
{
    enum {
        COUNT = 300
    };
    struct trm_buffer *buffers[COUNT];
    uint64_t sizes[COUNT];
    uint32_t random = 12345;
    for (unsigned i = 0; i < COUNT; i++) {
        sizes[i]   = 1 + next_random(&random) % (i % 50 == 0 ? 1000000 : 3000);
        buffers[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, sizes[i]);
        put_pattern(the.stream, buffers[i], sizes[i], i);
    }
    for (unsigned i = 0; i < COUNT; i++)
        ck_buffer_pattern(the.stream, buffers[i], sizes[i], i);
    for (unsigned i = 0; i < COUNT; i++)
        trm_buffer_destroy(buffers[i]);
}
END_TEST

START_TEST(the_usage_of_a_device_counts_live_buffers_as_they_were_asked_for)
{
    struct trm_device_usage before = usage_of(the.device);
    struct trm_buffer *one         = make_buffer(the.device, TRM_MEMORY_DEVICE, 1001);
    struct trm_buffer *other       = make_buffer(the.device, TRM_MEMORY_DEVICE, 20002);
    struct trm_device_usage amid   = usage_of(the.device);
    ck_assert_uint_eq(amid.buffers, before.buffers + 2);
    ck_assert_uint_eq(amid.buffer_bytes, before.buffer_bytes + 21003);
    trm_buffer_destroy(one);
    trm_buffer_destroy(other);

    struct trm_device_usage after = usage_of(the.device);
    ck_assert_uint_eq(after.buffers, before.buffers);
    ck_assert_uint_eq(after.buffer_bytes, before.buffer_bytes);
    ck_assert_uint_ge(after.peak_buffer_bytes, before.buffer_bytes + 21003);
}
END_TEST

/* ---- letting go ---- */

START_TEST(a_retained_buffer_lives_until_its_last_reference_goes)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    uint64_t size             = 0;
    put_pattern(the.stream, buffer, SIZE, 4);
    ck_ok(trm_buffer_retain(buffer));
    ck_ok(trm_buffer_retain(buffer));
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(buffer);
    ck_ok(trm_buffer_size(buffer, &size));
    ck_buffer_pattern(the.stream, buffer, SIZE, 4);
    trm_buffer_destroy(buffer);
    ck_status(trm_buffer_size(buffer, &size), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_destroyed_buffer_is_refused_by_every_function)
{
    struct trm_buffer *gone = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *live = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_rows rows    = {.buffer = gone, .pitch = 8};
    struct trm_rows good    = {.buffer = live, .pitch = 8};
    struct trm_span span    = trm_span_of(gone, 0, 8);
    void *pointer           = NULL;
    uint64_t value          = 0;
    int32_t kind            = 0;
    trm_buffer_destroy(gone);
    ck_status(trm_buffer_size(gone, &value), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_buffer_kind(gone, &kind), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_buffer_retain(gone), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_buffer_map(gone, TRM_MAP_READ, &pointer), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_buffer_unmap(gone), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_buffer_host_pointer(gone, &pointer), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_buffer_wait(gone, 0), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_upload(the.stream, span, &value), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_download(the.stream, &value, span), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_copy(the.stream, trm_span_of(live, 0, 8), span), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_copy(the.stream, span, trm_span_of(live, 0, 8)), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_copy_2d(the.stream, &rows, &good, 8, 2), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_copy_2d(the.stream, &good, &rows, 8, 2), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_fill(the.stream, span, 0, 1), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_prefetch(the.stream, span, 0), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_stream_free(the.stream, gone), TRM_ERROR_INVALID_HANDLE);
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(live);
}
END_TEST

START_TEST(destroying_a_buffer_twice_or_none_at_all_is_harmless)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    trm_buffer_destroy(buffer);
    struct trm_buffer *next = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    put_pattern(the.stream, next, SIZE, 5);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(NULL);
    ck_buffer_pattern(the.stream, next, SIZE, 5);
    trm_buffer_destroy(next);
}
END_TEST

/* Overwrites every buffer that is created meanwhile, so memory that is reused too early shows. */
START_TEST(a_buffer_destroyed_in_use_keeps_its_contents_for_the_work_that_uses_it)
{
    struct trm_stream *other  = make_stream(the.device);
    struct trm_buffer *source = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *target = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *thief[16];
    put_pattern(the.stream, source, SIZE, 6);

    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_copy(the.stream, trm_span_whole(target), trm_span_whole(source)));
    trm_buffer_destroy(source);
    for (unsigned i = 0; i < 16; i++) {
        thief[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
        ck_ok(trm_fill(other, trm_span_whole(thief[i]), 0xEE, 1));
    }
    ck_ok(trm_stream_sync(other));
    hold_end(hold);
    ck_buffer_pattern(the.stream, target, SIZE, 6);
    for (unsigned i = 0; i < 16; i++)
        trm_buffer_destroy(thief[i]);
    trm_buffer_destroy(target);
}
END_TEST

START_TEST(the_memory_of_a_buffer_destroyed_in_use_comes_back_when_the_work_is_done)
{
    uint64_t before           = pool_used();
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100000);
    struct hold *hold         = hold_begin(the.stream);
    ck_assert_uint_ge(pool_used(), before + 100000);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 1));
    trm_buffer_destroy(buffer);
    if (hold_works())
        ck_assert_msg(pool_used() > before, "memory came back while work still used it");
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(pool_used(), before);
    ck_assert_uint_eq(usage_of(the.device).buffers, 0);
}
END_TEST

/* ---- waiting ---- */

START_TEST(waiting_for_an_idle_buffer_returns_at_once)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    ck_ok(trm_buffer_wait(buffer, 0));
    ck_ok(trm_buffer_wait(buffer, TRM_FOREVER));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(waiting_for_a_buffer_waits_for_the_work_of_every_stream_on_it)
{
    struct trm_stream *streams[3] = {the.stream, make_stream(the.device), make_stream(the.device)};
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct hold *holds[3];
    for (int i = 0; i < 3; i++) {
        holds[i] = hold_begin(streams[i]);
        ck_ok(trm_fill(streams[i], trm_span_of(buffer, (uint64_t)i * 100, 100), 9, 1));
    }
    for (int i = 0; i < 3; i++) {
        if (hold_works()) {
            ck_status(trm_buffer_wait(buffer, 0), TRM_ERROR_TIMEOUT);
            ck_status(trm_buffer_wait(buffer, 2000000), TRM_ERROR_TIMEOUT);
        }
        hold_end(holds[i]);
        ck_ok(trm_stream_sync(streams[i]));
    }
    ck_ok(trm_buffer_wait(buffer, 0));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(waiting_for_a_buffer_without_end_ends_with_the_work)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct hold *hold         = hold_begin(the.stream);
    uint8_t found[SIZE];
    memset(found, 0, sizeof(found));
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0x5A, 1));
    ck_ok(trm_download(the.stream, found, trm_span_whole(buffer)));
    hold_end_after(hold, 20);
    ck_ok(trm_buffer_wait(buffer, TRM_FOREVER));
    ck_bytes(found, SIZE, 0x5A);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_buffer(Suite *suite)
{
    TCase *group = group_make(suite, "buffer");
    CASE(group, a_buffer_has_the_size_and_the_kind_it_was_made_with);
    CASE(group, a_buffer_of_zero_bytes_is_legal_in_every_kind_of_memory);
    CASE(group, a_buffer_made_with_data_holds_it_when_creation_returns);
    CASE(group, a_zeroed_buffer_is_zero_also_where_memory_is_used_again);
    CASE(group, zeroed_does_not_undo_the_data_given_with_it);
    CASE(group, a_buffer_beyond_the_largest_of_the_device_is_out_of_range);
    CASE(group, a_kind_of_memory_that_does_not_exist_is_refused);
    CASE(group, a_description_that_is_not_one_is_refused);
    CASE(group, the_alignment_asked_for_is_given);
    CASE(group, buffers_are_aligned_to_256_bytes_when_nothing_is_said);
    CASE(group, an_alignment_that_cannot_be_is_refused);
    CASE(group, many_buffers_of_many_sizes_keep_their_contents_apart);
    CASE(group, the_usage_of_a_device_counts_live_buffers_as_they_were_asked_for);
    CASE(group, a_retained_buffer_lives_until_its_last_reference_goes);
    CASE(group, a_destroyed_buffer_is_refused_by_every_function);
    CASE(group, destroying_a_buffer_twice_or_none_at_all_is_harmless);
    CASE(group, a_buffer_destroyed_in_use_keeps_its_contents_for_the_work_that_uses_it);
    CASE(group, the_memory_of_a_buffer_destroyed_in_use_comes_back_when_the_work_is_done);
    CASE(group, waiting_for_an_idle_buffer_returns_at_once);
    CASE(group, waiting_for_a_buffer_waits_for_the_work_of_every_stream_on_it);
    CASE(group, waiting_for_a_buffer_without_end_ends_with_the_work);
}
