/* Copies in two dimensions: rows of one pitch into rows of another.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"

#define CAPACITY 12000u

/* The side of a copy that is plain host memory; the others are enum trm_memory_kind. */
#define HOST (-1)

struct side {
    struct trm_buffer *buffer;
    uint8_t *host; /* of a side without a buffer */
    uint8_t *model;
};

static bool side_make(struct side *side, int32_t kind, uint32_t seed)
{
    side->buffer = kind == HOST ? NULL : make_buffer(the.device, kind, CAPACITY);
    side->host   = kind == HOST ? malloc(CAPACITY) : NULL;
    side->model  = malloc(CAPACITY);
    pattern_make(side->model, CAPACITY, seed);
    if (side->host)
        pattern_make(side->host, CAPACITY, seed);
    if (side->buffer)
        put_pattern(the.stream, side->buffer, CAPACITY, seed);
    return side->host || side->buffer;
}

static void side_end(struct side *side)
{
    trm_buffer_destroy(side->buffer);
    free(side->host);
    free(side->model);
}

static struct trm_rows side_rows(const struct side *side, uint64_t offset, uint64_t pitch)
{
    struct trm_rows rows = {.buffer = side->buffer, .host = side->host, .offset = offset, .pitch = pitch};
    return rows;
}

static void side_check(struct side *side, const char *what)
{
    uint8_t *found = side->host;
    if (side->buffer) {
        found = malloc(CAPACITY);
        get(the.stream, side->buffer, 0, found, CAPACITY);
    }
    for (size_t i = 0; memcmp(found, side->model, CAPACITY) != 0; i++)
        ck_assert_msg(found[i] == side->model[i], "%s: byte %zu is wrong", what, i);
    if (side->buffer)
        free(found);
}

/* The same in plain memory. */
static void model_copy(uint8_t *to, uint64_t to_pitch, const uint8_t *from, uint64_t from_pitch,
                       uint64_t width, uint64_t height)
{
    for (uint64_t row = 0; row < height; row++)
        memcpy(to + row * to_pitch, from + row * from_pitch, width);
}

static void copy_and_check(struct side *target, struct side *source, const uint64_t pitches[2],
                           uint64_t width, uint64_t height, unsigned turn)
{
    static const uint64_t offsets[] = {0, 1, 64, 67};
    char what[100];
    uint64_t to = offsets[turn % 4], from = offsets[turn / 4 % 4];
    struct trm_rows to_rows   = side_rows(target, to, pitches[0]);
    struct trm_rows from_rows = side_rows(source, from, pitches[1]);
    ck_ok(trm_copy_2d(the.stream, &to_rows, &from_rows, width, height));
    ck_ok(trm_stream_sync(the.stream));
    model_copy(target->model + to, pitches[0], source->model + from, pitches[1], width, height);
    snprintf(what, sizeof(what), "%u rows of %u bytes, pitch %u from pitch %u", (unsigned)height,
             (unsigned)width, (unsigned)pitches[0], (unsigned)pitches[1]);
    side_check(target, what);
}

static void sweep(int32_t target_kind, int32_t source_kind)
{
    static const uint64_t widths[]  = {1, 3, 8, 64, 100, 255};
    static const uint64_t heights[] = {1, 2, 5, 33};
    static const uint64_t gaps[]    = {0, 1, 28, 64};
    struct side target, source;
    unsigned turn    = 0;
    bool target_made = side_make(&target, target_kind, 1), source_made = side_make(&source, source_kind, 2);
    if (target_made && source_made) {
        for (size_t w = 0; w < 6; w++)
            for (size_t h = 0; h < 4; h++)
                for (size_t g = 0; g < 16; g++) {
                    uint64_t pitches[2] = {widths[w] + gaps[g % 4], widths[w] + gaps[g / 4]};
                    copy_and_check(&target, &source, pitches, widths[w], heights[h], turn++);
                }
        side_check(&source, "the source");
    } else {
        skip("the device has no such memory");
    }
    side_end(&target);
    side_end(&source);
}

START_TEST(rows_from_the_host_arrive_in_device_memory)
{
    sweep(TRM_MEMORY_DEVICE, HOST);
}
END_TEST

START_TEST(rows_of_device_memory_arrive_at_the_host)
{
    sweep(HOST, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(rows_go_from_one_device_buffer_to_another)
{
    sweep(TRM_MEMORY_DEVICE, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(rows_go_from_pinned_to_device_memory)
{
    sweep(TRM_MEMORY_DEVICE, TRM_MEMORY_PINNED);
}
END_TEST

START_TEST(rows_go_from_device_to_pinned_memory)
{
    sweep(TRM_MEMORY_PINNED, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(rows_go_from_the_host_to_unified_memory)
{
    sweep(TRM_MEMORY_UNIFIED, HOST);
}
END_TEST

START_TEST(rows_go_from_unified_to_device_memory)
{
    sweep(TRM_MEMORY_DEVICE, TRM_MEMORY_UNIFIED);
}
END_TEST

START_TEST(rows_go_from_device_to_imported_memory)
{
    sweep(TRM_MEMORY_IMPORTED, TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(rows_go_from_imported_memory_to_the_host)
{
    sweep(HOST, TRM_MEMORY_IMPORTED);
}
END_TEST

/* ---- within one buffer ---- */

START_TEST(rows_within_one_buffer_that_do_not_overlap_arrive)
{
    struct side side;
    ck_assert(side_make(&side, TRM_MEMORY_DEVICE, 3));
    struct trm_rows low = side_rows(&side, 10, 100), high = side_rows(&side, 6000, 150);
    ck_ok(trm_copy_2d(the.stream, &high, &low, 90, 30));
    model_copy(side.model + 6000, 150, side.model + 10, 100, 90, 30);
    side_check(&side, "upwards");
    low.offset = 0;
    ck_ok(trm_copy_2d(the.stream, &low, &high, 70, 20));
    model_copy(side.model, 100, side.model + 6000, 150, 70, 20);
    side_check(&side, "downwards");
    side_end(&side);
}
END_TEST

START_TEST(the_left_half_of_an_image_can_be_copied_to_its_right_half)
{
    struct side side;
    ck_assert(side_make(&side, TRM_MEMORY_DEVICE, 4));
    struct trm_rows left = side_rows(&side, 0, 200), right = side_rows(&side, 100, 200);
    ck_ok(trm_copy_2d(the.stream, &right, &left, 100, 50));
    model_copy(side.model + 100, 200, side.model, 200, 100, 50);
    side_check(&side, "to the right");
    side_end(&side);
}
END_TEST

START_TEST(rows_that_overlap_are_refused)
{
    static const uint64_t bad[][4] = {
        /* to, its pitch, from, its pitch; 20 rows of 50 bytes */
        {0, 100, 0, 100}, {49, 100, 0, 100},  {0, 100, 49, 100}, {51, 100, 0, 100},    {0, 50, 999, 50},
        {999, 50, 0, 50}, {1949, 50, 0, 100}, {0, 101, 50, 100}, {2000, 50, 100, 100},
    };
    struct side side;
    ck_assert(side_make(&side, TRM_MEMORY_DEVICE, 5));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct trm_rows to   = side_rows(&side, bad[i][0], bad[i][1]),
                        from = side_rows(&side, bad[i][2], bad[i][3]);
        ck_status(trm_copy_2d(the.stream, &to, &from, 50, 20), TRM_ERROR_INVALID_ARGUMENT);
    }
    side_check(&side, "refused copies");
    side_end(&side);
}
END_TEST

/* ---- ranges ---- */

START_TEST(a_pitch_below_the_width_is_refused)
{
    struct side target, source;
    side_make(&target, TRM_MEMORY_DEVICE, 6);
    side_make(&source, HOST, 7);
    struct trm_rows to = side_rows(&target, 0, 63), from = side_rows(&source, 0, 64);
    ck_status(trm_copy_2d(the.stream, &to, &from, 64, 3), TRM_ERROR_INVALID_ARGUMENT);
    to.pitch   = 64;
    from.pitch = 0;
    ck_status(trm_copy_2d(the.stream, &to, &from, 64, 3), TRM_ERROR_INVALID_ARGUMENT);
    side_check(&target, "refused copies");
    from.pitch = 64;
    ck_ok(trm_copy_2d(the.stream, &to, &from, 64, 3));
    ck_ok(trm_stream_sync(the.stream));
    side_end(&target);
    side_end(&source);
}
END_TEST

START_TEST(the_last_row_may_end_where_the_buffer_ends_and_no_byte_later)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 9 * 100 + 60);
    static uint8_t host[2000];
    struct trm_rows to = {.buffer = buffer, .pitch = 100}, from = {.host = host, .pitch = 100};
    ck_ok(trm_copy_2d(the.stream, &to, &from, 60, 10));
    ck_ok(trm_copy_2d(the.stream, &from, &to, 60, 10));
    ck_status(trm_copy_2d(the.stream, &to, &from, 61, 10), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_copy_2d(the.stream, &from, &to, 61, 10), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_copy_2d(the.stream, &to, &from, 60, 11), TRM_ERROR_OUT_OF_RANGE);
    to.offset = 1;
    ck_status(trm_copy_2d(the.stream, &to, &from, 60, 10), TRM_ERROR_OUT_OF_RANGE);
    ck_ok(trm_copy_2d(the.stream, &to, &from, 59, 10));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(rows_that_wrap_around_are_out_of_range)
{
    static const uint64_t bad[][4] = {
        /* offset, pitch, width, height */
        {UINT64_MAX, 10, 10, 1},
        {UINT64_MAX - 9, 10, 10, 2},
        {0, UINT64_MAX, 10, 2},
        {0, UINT64_MAX, 10, 3},
        {0, UINT64_C(1) << 63, 10, 3},
        {0, UINT64_C(1) << 32, 10, (UINT64_C(1) << 32) + 1},
        {0, 10, 10, UINT64_MAX},
        {0, 10, 10, UINT64_MAX / 10 + 1},
        {5, UINT64_MAX - 4, UINT64_MAX - 4, 1},
        {16, UINT64_MAX - 8, 1, 2},
        {0, UINT64_MAX - 10, 10, 2}, /* its extent is the number of TRM_WHOLE */
        {0, UINT64_MAX, UINT64_MAX, 1},
    };
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    struct trm_buffer *other  = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    put_pattern(the.stream, buffer, 1000, 8);
    put_pattern(the.stream, other, 1000, 9);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct trm_rows one = {.buffer = buffer, .offset = bad[i][0], .pitch = bad[i][1]};
        struct trm_rows two = {.buffer = other, .offset = 0, .pitch = bad[i][1]};
        ck_status(trm_copy_2d(the.stream, &one, &two, bad[i][2], bad[i][3]), TRM_ERROR_OUT_OF_RANGE);
        ck_status(trm_copy_2d(the.stream, &two, &one, bad[i][2], bad[i][3]), TRM_ERROR_OUT_OF_RANGE);
    }
    ck_buffer_pattern(the.stream, buffer, 1000, 8);
    ck_buffer_pattern(the.stream, other, 1000, 9);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(other);
}
END_TEST

START_TEST(no_rows_or_no_width_copy_nothing)
{
    struct side target, source;
    side_make(&target, TRM_MEMORY_DEVICE, 10);
    side_make(&source, TRM_MEMORY_DEVICE, 11);
    struct trm_rows to = side_rows(&target, 0, 100), from = side_rows(&source, 0, 100);
    ck_ok(trm_copy_2d(the.stream, &to, &from, 0, 10));
    ck_ok(trm_copy_2d(the.stream, &to, &from, 100, 0));
    ck_ok(trm_copy_2d(the.stream, &to, &from, 0, 0));
    to.offset = CAPACITY;
    ck_ok(trm_copy_2d(the.stream, &to, &from, 0, 10));
    to.offset = CAPACITY + 1;
    ck_status(trm_copy_2d(the.stream, &to, &from, 0, 10), TRM_ERROR_OUT_OF_RANGE);
    side_check(&target, "copies of nothing");
    side_end(&target);
    side_end(&source);
}
END_TEST

START_TEST(rows_without_a_buffer_on_either_side_are_refused)
{
    static uint8_t host[200];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    struct trm_rows one = {.host = host, .pitch = 10}, other = {.host = host + 100, .pitch = 10};
    struct trm_rows none = {.pitch = 10}, good = {.buffer = buffer, .pitch = 10};
    ck_status(trm_copy_2d(the.stream, &one, &other, 10, 10), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy_2d(the.stream, &good, &none, 10, 10), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy_2d(the.stream, &none, &good, 10, 10), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy_2d(the.stream, NULL, &good, 10, 10), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy_2d(the.stream, &good, NULL, 10, 10), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_copy_2d(the.stream, &good, &one, 10, 10));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- size, order, statistics ---- */

START_TEST(a_large_image_arrives_whole)
{
    uint64_t height = scaled(1500, 200), width = 4099, pitch = 4352;
    uint8_t *image            = malloc(width * height);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, pitch * height);
    struct trm_rows to = {.buffer = buffer, .pitch = pitch}, from = {.host = image, .pitch = width};
    pattern_make(image, width * height, 12);
    ck_ok(trm_copy_2d(the.stream, &to, &from, width, height));
    ck_ok(trm_stream_sync(the.stream));
    memset(image, 0, width * height);
    ck_ok(trm_copy_2d(the.stream, &from, &to, width, height));
    ck_ok(trm_stream_sync(the.stream));
    ck_pattern(image, width * height, 12);
    trm_buffer_destroy(buffer);
    free(image);
}
END_TEST

START_TEST(rows_happen_in_order_with_other_work)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 6400);
    static uint8_t found[200][640];
    struct trm_rows square = {.buffer = buffer, .offset = 0, .pitch = 80};
    for (unsigned i = 0; i < 200; i++) {
        struct trm_rows host = {.host = found[i], .pitch = 16};
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 1));
        ck_ok(trm_copy_2d(the.stream, &host, &square, 16, 40));
    }
    ck_ok(trm_stream_sync(the.stream));
    for (unsigned i = 0; i < 200; i++)
        for (unsigned b = 0; b < 640; b++)
            ck_assert_uint_eq(found[i][b], i);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_stream_counts_the_bytes_of_rows_without_the_gaps)
{
    struct trm_stream *stream     = make_stream(the.device);
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    static uint8_t host[1000];
    struct trm_rows to = {.buffer = buffer, .pitch = 100}, from = {.host = host, .pitch = 50};
    ck_ok(trm_copy_2d(stream, &to, &from, 40, 10));
    ck_ok(trm_copy_2d(stream, &from, &to, 30, 10));
    ck_ok(trm_stream_sync(stream));
    ck_ok(trm_stream_get_stats(stream, &stats));
    ck_assert_uint_ge(stats.copies, 2);
    ck_assert_uint_eq(stats.bytes_uploaded, 400);
    ck_assert_uint_eq(stats.bytes_downloaded, 300);
    ck_assert_uint_eq(stats.bytes_copied, 0);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_transfer_2d(Suite *suite)
{
    TCase *group = group_make(suite, "transfer_2d");
    CASE(group, rows_from_the_host_arrive_in_device_memory);
    CASE(group, rows_of_device_memory_arrive_at_the_host);
    CASE(group, rows_go_from_one_device_buffer_to_another);
    CASE(group, rows_go_from_pinned_to_device_memory);
    CASE(group, rows_go_from_device_to_pinned_memory);
    CASE(group, rows_go_from_the_host_to_unified_memory);
    CASE(group, rows_go_from_unified_to_device_memory);
    CASE(group, rows_go_from_device_to_imported_memory);
    CASE(group, rows_go_from_imported_memory_to_the_host);
    CASE(group, rows_within_one_buffer_that_do_not_overlap_arrive);
    CASE(group, the_left_half_of_an_image_can_be_copied_to_its_right_half);
    CASE(group, rows_that_overlap_are_refused);
    CASE(group, a_pitch_below_the_width_is_refused);
    CASE(group, the_last_row_may_end_where_the_buffer_ends_and_no_byte_later);
    CASE(group, rows_that_wrap_around_are_out_of_range);
    CASE(group, no_rows_or_no_width_copy_nothing);
    CASE(group, rows_without_a_buffer_on_either_side_are_refused);
    CASE(group, a_large_image_arrives_whole);
    CASE(group, rows_happen_in_order_with_other_work);
    CASE(group, a_stream_counts_the_bytes_of_rows_without_the_gaps);
}
