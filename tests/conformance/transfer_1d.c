/* Copies in one dimension: every direction × alignment × size, order, statistics.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"

#define CAPACITY 80000u

/* The side of a copy that is plain host memory; the others are enum trm_memory_kind. */
#define HOST (-1)

static const uint64_t offsets[] = {0, 1, 3, 64, 4095};
static const uint64_t sizes[]   = {0, 1, 2, 7, 63, 64, 65, 255, 4096, 4097, 65537};

#define OFFSET_COUNT (sizeof(offsets) / sizeof(offsets[0]))
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

/* ---- the sweep ---- */

/* One side: a buffer of some kind, or host memory. */
struct side {
    struct trm_buffer *buffer;
    uint8_t *host;
};

static bool side_make(struct side *side, int32_t kind, uint64_t size)
{
    side->buffer = NULL;
    side->host   = NULL;
    if (kind == HOST)
        side->host = malloc(size);
    else
        side->buffer = make_buffer(the.device, kind, size);
    return side->host || side->buffer;
}

static void side_end(struct side *side)
{
    trm_buffer_destroy(side->buffer);
    free(side->host);
}

static void side_fill(struct side *side, uint64_t size, uint32_t seed)
{
    if (side->buffer)
        put_pattern(the.stream, side->buffer, size, seed);
    else
        pattern_make(side->host, size, seed);
}

static void side_read(struct side *side, void *data, uint64_t size)
{
    if (side->buffer)
        get(the.stream, side->buffer, 0, data, size);
    else
        memcpy(data, side->host, size);
}

static int32_t side_copy(struct side *target, uint64_t to, struct side *source, uint64_t from, uint64_t size)
{
    if (!target->buffer)
        return trm_download(the.stream, target->host + to, trm_span_of(source->buffer, from, size));
    if (!source->buffer)
        return trm_upload(the.stream, trm_span_of(target->buffer, to, size), source->host + from);
    return trm_copy(the.stream, trm_span_of(target->buffer, to, size),
                    trm_span_of(source->buffer, from, size));
}

/* A model in plain memory says what the target must hold at the end. */
static void sweep(int32_t target_kind, int32_t source_kind)
{
    struct side target, source;
    bool there = side_make(&target, target_kind, CAPACITY);
    if (!side_make(&source, source_kind, CAPACITY) || !there) {
        skip("the device has no such memory");
        side_end(&target);
        side_end(&source);
        return;
    }
    uint8_t *wanted = malloc(CAPACITY), *data = malloc(CAPACITY), *found = malloc(CAPACITY);
    pattern_make(wanted, CAPACITY, 1);
    pattern_make(data, CAPACITY, 2);
    side_fill(&target, CAPACITY, 1);
    side_fill(&source, CAPACITY, 2);
    for (size_t i = 0; i < OFFSET_COUNT; i++)
        for (size_t j = 0; j < OFFSET_COUNT; j++)
            for (size_t k = 0; k < SIZE_COUNT; k++) {
                uint64_t to = offsets[i], from = offsets[j] + (k * 37) % 50, size = sizes[k];
                ck_ok(side_copy(&target, to, &source, from, size));
                ck_ok(trm_stream_sync(the.stream));
                memcpy(wanted + to, data + from, size);
                side_read(&target, found, CAPACITY);
                for (size_t b = 0; memcmp(found, wanted, CAPACITY) != 0; b++)
                    ck_assert_msg(found[b] == wanted[b], "%u bytes from %u to %u: byte %zu is wrong",
                                  (unsigned)size, (unsigned)from, (unsigned)to, b);
            }
    side_read(&source, found, CAPACITY);
    ck_pattern(found, CAPACITY, 2);
    side_end(&target);
    side_end(&source);
    free(wanted);
    free(data);
    free(found);
}

START_TEST(uploads_to_device_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_DEVICE, HOST);
}
END_TEST

START_TEST(uploads_to_pinned_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_PINNED, HOST);
}
END_TEST

START_TEST(uploads_to_unified_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_UNIFIED, HOST);
}
END_TEST

START_TEST(uploads_to_imported_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_IMPORTED, HOST);
}
END_TEST

START_TEST(downloads_from_device_memory_arrive_at_every_offset_and_size)
{
    sweep(HOST, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(downloads_from_pinned_memory_arrive_at_every_offset_and_size)
{
    sweep(HOST, TRM_MEMORY_PINNED);
}
END_TEST

START_TEST(downloads_from_unified_memory_arrive_at_every_offset_and_size)
{
    sweep(HOST, TRM_MEMORY_UNIFIED);
}
END_TEST

START_TEST(downloads_from_imported_memory_arrive_at_every_offset_and_size)
{
    sweep(HOST, TRM_MEMORY_IMPORTED);
}
END_TEST

START_TEST(copies_between_device_buffers_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_DEVICE, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(copies_from_pinned_to_device_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_DEVICE, TRM_MEMORY_PINNED);
}
END_TEST

START_TEST(copies_from_device_to_pinned_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_PINNED, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(copies_from_unified_to_device_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_DEVICE, TRM_MEMORY_UNIFIED);
}
END_TEST

START_TEST(copies_from_device_to_unified_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_UNIFIED, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(copies_from_imported_to_device_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_DEVICE, TRM_MEMORY_IMPORTED);
}
END_TEST

START_TEST(copies_from_device_to_imported_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_IMPORTED, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(copies_from_imported_to_pinned_memory_arrive_at_every_offset_and_size)
{
    sweep(TRM_MEMORY_PINNED, TRM_MEMORY_IMPORTED);
}
END_TEST

/* ---- order, size ---- */

START_TEST(copies_of_one_stream_happen_in_order)
{
    enum {
        COUNT = 5000
    };
    static uint32_t values[COUNT], found[COUNT];
    uint32_t count            = (uint32_t)scaled(COUNT, COUNT / 5);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = i * 2654435761u;
        ck_ok(trm_upload(the.stream, trm_span_of(buffer, 12, 4), &values[i]));
        ck_ok(trm_download(the.stream, &found[i], trm_span_of(buffer, 12, 4)));
    }
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_mem_eq(found, values, sizeof(values));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(large_copies_arrive_whole_in_every_direction)
{
    size_t size               = ((size_t)scaled(48, 3) << 20) + 13;
    uint8_t *data             = malloc(size + 1);
    struct trm_buffer *first  = make_buffer(the.device, TRM_MEMORY_DEVICE, size + 64);
    struct trm_buffer *second = make_buffer(the.device, TRM_MEMORY_DEVICE, size);
    pattern_make(data + 1, size, 9);
    ck_ok(trm_upload(the.stream, trm_span_of(first, 7, size), data + 1));
    ck_ok(trm_copy(the.stream, trm_span_whole(second), trm_span_of(first, 7, size)));
    ck_ok(trm_stream_sync(the.stream));
    memset(data, 0, size + 1);
    ck_ok(trm_download(the.stream, data + 1, trm_span_whole(second)));
    ck_ok(trm_stream_sync(the.stream));
    ck_pattern(data + 1, size, 9);
    ck_assert_uint_eq(data[0], 0);
    trm_buffer_destroy(first);
    trm_buffer_destroy(second);
    free(data);
}
END_TEST

/* Many random copies, compared with a model in plain memory. */
START_TEST(a_thousand_random_copies_leave_what_the_same_copies_in_plain_memory_leave)
{
    enum {
        BUFFERS = 6,
        BYTES   = 3000
    };
    struct trm_buffer *buffers[BUFFERS];
    static uint8_t model[BUFFERS][BYTES], found[BYTES];
    uint32_t random = 4242;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffers[i] = make_buffer(the.device, i == 5 ? TRM_MEMORY_PINNED : TRM_MEMORY_DEVICE, BYTES);
        if (!buffers[i])
            buffers[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
        put_pattern(the.stream, buffers[i], BYTES, i);
        pattern_make(model[i], BYTES, i);
    }
    for (unsigned i = 0; i < 1000; i++) {
        uint32_t a = next_random(&random) % BUFFERS, b = next_random(&random) % BUFFERS;
        uint64_t size = next_random(&random) % 1500;
        uint64_t to = next_random(&random) % (BYTES - size), from = next_random(&random) % (BYTES - size);
        bool overlap = a == b && size && to < from + size && from < to + size;
        int32_t status =
            trm_copy(the.stream, trm_span_of(buffers[a], to, size), trm_span_of(buffers[b], from, size));
        ck_status(status, overlap ? TRM_ERROR_INVALID_ARGUMENT : TRM_OK);
        if (!overlap)
            memmove(model[a] + to, model[b] + from, size);
    }
    for (uint32_t i = 0; i < BUFFERS; i++) {
        get(the.stream, buffers[i], 0, found, BYTES);
        ck_assert_mem_eq(found, model[i], BYTES);
        trm_buffer_destroy(buffers[i]);
    }
}
END_TEST

/* ---- statistics ---- */

static struct trm_stream_stats stats_of(struct trm_stream *stream)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    ck_ok(trm_stream_get_stats(stream, &stats));
    return stats;
}

START_TEST(a_stream_counts_its_copies_and_their_bytes_by_direction)
{
    struct trm_stream *stream = make_stream(the.device);
    struct trm_buffer *one    = make_buffer(the.device, TRM_MEMORY_DEVICE, 5000);
    struct trm_buffer *other  = make_buffer(the.device, TRM_MEMORY_DEVICE, 5000);
    static uint8_t host[5000];
    ck_ok(trm_upload(stream, trm_span_of(one, 0, 1000), host));
    ck_ok(trm_upload(stream, trm_span_of(one, 1000, 500), host));
    ck_ok(trm_copy(stream, trm_span_of(other, 0, 70), trm_span_of(one, 0, 70)));
    ck_ok(trm_download(stream, host, trm_span_whole(one)));
    ck_ok(trm_stream_sync(stream));

    struct trm_stream_stats stats = stats_of(stream);
    ck_assert_uint_eq(stats.copies, 4);
    ck_assert_uint_eq(stats.bytes_uploaded, 1500);
    ck_assert_uint_eq(stats.bytes_copied, 70);
    ck_assert_uint_eq(stats.bytes_downloaded, 5000);
    ck_assert_uint_ge(stats.operations, 4);
    ck_assert_uint_eq(stats.fills, 0);
    ck_assert_uint_eq(stats.launches, 0);
    ck_assert_msg(stats.pageable_copies <= 3, "a copy between buffers counts as pageable");
    trm_buffer_destroy(one);
    trm_buffer_destroy(other);
}
END_TEST

START_TEST(copies_from_plain_memory_are_counted_as_pageable_where_the_device_has_its_own)
{
    struct trm_stream *stream = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 5000);
    struct trm_buffer *pinned = make_buffer(the.device, TRM_MEMORY_PINNED, 5000);
    uint8_t *host             = malloc(5000);
    memset(host, 1, 5000);
    if (pinned) {
        ck_ok(trm_copy(stream, trm_span_whole(buffer), trm_span_whole(pinned)));
        ck_ok(trm_copy(stream, trm_span_whole(pinned), trm_span_whole(buffer)));
    }
    ck_assert_uint_eq(stats_of(stream).pageable_copies, 0);
    ck_ok(trm_upload(stream, trm_span_whole(buffer), host));
    ck_ok(trm_download(stream, host, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(stream));
    if (device_number(the.device, TRM_DEVICE_UNIFIED) == 0)
        ck_assert_uint_eq(stats_of(stream).pageable_copies, 2);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(pinned);
    free(host);
}
END_TEST

START_TEST(refused_copies_count_for_nothing)
{
    struct trm_stream *stream      = make_stream(the.device);
    struct trm_buffer *buffer      = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    struct trm_stream_stats before = stats_of(stream);
    uint8_t host[200];
    ck_refused(trm_upload(stream, trm_span_of(buffer, 0, 101), host));
    ck_refused(trm_copy(stream, trm_span_whole(buffer), trm_span_whole(buffer)));
    struct trm_stream_stats after = stats_of(stream);
    ck_assert_uint_eq(after.operations, before.operations);
    ck_assert_uint_eq(after.copies, before.copies);
    ck_assert_uint_eq(after.bytes_uploaded, before.bytes_uploaded);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_transfer_1d(Suite *suite)
{
    TCase *group = group_make(suite, "transfer_1d");
    CASE(group, uploads_to_device_memory_arrive_at_every_offset_and_size);
    CASE(group, uploads_to_pinned_memory_arrive_at_every_offset_and_size);
    CASE(group, uploads_to_unified_memory_arrive_at_every_offset_and_size);
    CASE(group, uploads_to_imported_memory_arrive_at_every_offset_and_size);
    CASE(group, downloads_from_device_memory_arrive_at_every_offset_and_size);
    CASE(group, downloads_from_pinned_memory_arrive_at_every_offset_and_size);
    CASE(group, downloads_from_unified_memory_arrive_at_every_offset_and_size);
    CASE(group, downloads_from_imported_memory_arrive_at_every_offset_and_size);
    CASE(group, copies_between_device_buffers_arrive_at_every_offset_and_size);
    CASE(group, copies_from_pinned_to_device_memory_arrive_at_every_offset_and_size);
    CASE(group, copies_from_device_to_pinned_memory_arrive_at_every_offset_and_size);
    CASE(group, copies_from_unified_to_device_memory_arrive_at_every_offset_and_size);
    CASE(group, copies_from_device_to_unified_memory_arrive_at_every_offset_and_size);
    CASE(group, copies_from_imported_to_device_memory_arrive_at_every_offset_and_size);
    CASE(group, copies_from_device_to_imported_memory_arrive_at_every_offset_and_size);
    CASE(group, copies_from_imported_to_pinned_memory_arrive_at_every_offset_and_size);
    CASE(group, copies_of_one_stream_happen_in_order);
    CASE(group, large_copies_arrive_whole_in_every_direction);
    CASE(group, a_thousand_random_copies_leave_what_the_same_copies_in_plain_memory_leave);
    CASE(group, a_stream_counts_its_copies_and_their_bytes_by_direction);
    CASE(group, copies_from_plain_memory_are_counted_as_pageable_where_the_device_has_its_own);
    CASE(group, refused_copies_count_for_nothing);
}
