/* Buffers: refused descriptions, initial data, users, ending with work in flight, mapping.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <stdbool.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)

static struct store store;
static struct trm_context *context;

static void open_store_as(uint64_t unified, int32_t fills)
{
    memset(&store, 0, sizeof(store));
    store.unified = unified;
    store_prepare(&store, "store");
    if (!fills)
        store.backend.stream.fill = NULL;
    store_open(&store, context);
}

static void open_store(void)
{
    context = store_context(NULL);
    open_store_as(0, 1);
}

static void close_store(void)
{
    store_close(&store);
    trm_context_destroy(context);
}

static void reopen_store(uint64_t unified, int32_t fills)
{
    store_close(&store);
    open_store_as(unified, fills);
}

static int32_t create_from(const struct trm_buffer_desc *desc, struct trm_buffer **buffer)
{
    struct trm_buffer_desc whole = *desc;

    whole.struct_size = sizeof(whole);
    return trm_buffer_create_from(store.device, &whole, buffer);
}

static struct trm_buffer *make(int32_t kind, uint64_t size)
{
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_buffer_create(store.device, kind, size, &buffer), TRM_OK);
    return buffer;
}

static bool is_filled(const unsigned char *bytes, uint64_t size, unsigned char with)
{
    for (uint64_t i = 0; i < size; i++)
        if (bytes[i] != with)
            return false;
    return true;
}

/* ---- creation ------------------------------------------------------------------------------ */

START_TEST(descriptions_that_can_never_be_right_are_refused)
{
    static unsigned char memory[64];
    const struct trm_buffer_desc wrong[] = {
        {.size = 4, .kind = 4},
        {.size = 4, .kind = -1},
        {.size = 4, .flags = 2},
        {.size = 4, .alignment = 3},
        {.size = 4, .alignment = 4 * MIB},
        {.size = 4, .host_pointer = memory},
        {.size = 4, .kind = TRM_MEMORY_IMPORTED},
        {.size = 4, .kind = TRM_MEMORY_IMPORTED, .host_pointer = memory + 1, .alignment = 2},
    };
    struct trm_buffer *buffer = NULL;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_int_eq(create_from(&wrong[i], &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_create_from(store.device, NULL, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(
        trm_buffer_create_from(store.device, &(struct trm_buffer_desc){.struct_size = 8}, &buffer),
        TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 4, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_create(NULL, TRM_MEMORY_DEVICE, 4, &buffer), TRM_ERROR_INVALID_HANDLE);
    ck_assert_ptr_null(buffer);
    ck_assert_uint_eq(store.allocations, 0);
}
END_TEST

START_TEST(imported_memory_that_goes_round_the_address_space_is_refused)
{
    struct trm_buffer_desc desc = {
        .kind = TRM_MEMORY_IMPORTED, .size = 4096, .host_pointer = (void *)(UINTPTR_MAX - 100)};
    struct trm_buffer *buffer;

    ck_assert_int_eq(create_from(&desc, &buffer), TRM_ERROR_OUT_OF_RANGE);
    desc = (struct trm_buffer_desc){.size = 4096, .data = (void *)(UINTPTR_MAX - 100)};
    ck_assert_int_eq(create_from(&desc, &buffer), TRM_ERROR_OUT_OF_RANGE);
}
END_TEST

START_TEST(a_buffer_knows_its_size_and_kind)
{
    struct trm_buffer *buffer = make(TRM_MEMORY_PINNED, 77);
    uint64_t size;
    int32_t kind;

    ck_assert_int_eq(trm_buffer_size(buffer, &size), TRM_OK);
    ck_assert_int_eq(trm_buffer_kind(buffer, &kind), TRM_OK);
    ck_assert_uint_eq(size, 77);
    ck_assert_int_eq(kind, TRM_MEMORY_PINNED);
    ck_assert_int_eq(trm_buffer_size(buffer, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_kind(buffer, NULL), TRM_ERROR_INVALID_ARGUMENT);
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_buffer_size(buffer, &size), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_buffer_kind(buffer, &kind), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_buffer_of_nothing_is_legal_and_takes_no_memory)
{
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 0);
    struct trm_stream *stream = store_stream(&store);
    void *pointer;

    ck_assert_uint_eq(store.allocations, 0);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ | TRM_MAP_WRITE, &pointer), TRM_OK);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_host_pointer(buffer, &pointer), TRM_OK);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 0, 8), TRM_OK);
    ck_assert_int_eq(trm_upload(stream, trm_span_whole(buffer), NULL), TRM_OK);
    ck_assert_int_eq(trm_copy(stream, trm_span_whole(buffer), trm_span_whole(buffer)), TRM_OK);
    trm_stream_destroy(stream);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(contents_are_there_when_creation_returns)
{
    static const uint64_t sizes[] = {1, 100, MIB, MIB + 1, 3 * MIB + 7};
    unsigned char *data           = malloc(4 * MIB);

    memset(data, 0xa5, 4 * MIB);
    for (int32_t way = 0; way < 3; way++) {
        reopen_store(way == 0, way == 1);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            struct trm_buffer_desc desc = {.size = sizes[i], .data = data};
            struct trm_buffer *buffer;
            ck_assert_int_eq(create_from(&desc, &buffer), TRM_OK);
            ck_assert(is_filled(store_bytes(buffer), sizes[i], 0xa5));
            trm_buffer_destroy(buffer);
            desc = (struct trm_buffer_desc){.size = sizes[i], .flags = TRM_BUFFER_ZEROED};
            ck_assert_int_eq(create_from(&desc, &buffer), TRM_OK);
            ck_assert(is_filled(store_bytes(buffer), sizes[i], 0));
            trm_buffer_destroy(buffer);
        }
    }
    free(data);
}
END_TEST

START_TEST(contents_that_cannot_be_set_leave_no_buffer)
{
    struct trm_buffer_desc desc   = {.size = 100, .flags = TRM_BUFFER_ZEROED};
    struct trm_buffer *buffer     = NULL;
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};

    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_eq(create_from(&desc, &buffer), TRM_ERROR_BACKEND);
    ck_assert_ptr_null(buffer);
    ck_assert_int_eq(trm_device_get_usage(store.device, &usage), TRM_OK);
    ck_assert_uint_eq(usage.buffers, 0);
    ck_assert_uint_eq(usage.buffer_bytes, 0);
}
END_TEST

START_TEST(imported_memory_is_used_in_place_and_never_freed)
{
    unsigned char memory[100]   = {7};
    struct trm_stream *stream   = store_stream(&store);
    struct trm_buffer_desc desc = {
        .kind = TRM_MEMORY_IMPORTED, .size = sizeof(memory), .host_pointer = memory};
    struct trm_buffer *buffer;
    void *pointer;

    ck_assert_int_eq(create_from(&desc, &buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_host_pointer(buffer, &pointer), TRM_OK);
    ck_assert_ptr_eq(pointer, memory);
    ck_assert_int_eq(trm_fill(stream, trm_span_of(buffer, 10, 20), 9, 1), TRM_OK);
    trm_buffer_destroy(buffer);
    ck_assert_uint_eq(store.frees, 0);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_uint_eq(memory[0], 7);
    ck_assert(is_filled(memory + 10, 20, 9));
    trm_stream_destroy(stream);
    ck_assert_uint_eq(store.frees, 1);
    desc = (struct trm_buffer_desc){.kind = TRM_MEMORY_IMPORTED};
    ck_assert_int_eq(create_from(&desc, &buffer), TRM_OK);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_lost_device_makes_no_more_buffers)
{
    struct trm_stream *stream = store_stream(&store);
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 10), *other = NULL;

    store.fail_next = TRM_ERROR_DEVICE_LOST;
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 0, 1), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 10, &other), TRM_ERROR_DEVICE_LOST);
    ck_assert_ptr_null(other);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
}
END_TEST

/* ---- sharing and ending -------------------------------------------------------------------- */

START_TEST(a_retained_buffer_lives_until_the_last_destroy)
{
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 10);
    uint64_t size;

    ck_assert_int_eq(trm_buffer_retain(buffer), TRM_OK);
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_buffer_size(buffer, &size), TRM_OK);
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_buffer_size(buffer, &size), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_buffer_retain(buffer), TRM_ERROR_INVALID_HANDLE);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(NULL);
}
END_TEST

START_TEST(usage_counts_live_buffers_as_asked_for)
{
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, 1000), *b = make(TRM_MEMORY_PINNED, 10);
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};

    trm_buffer_destroy(a);
    ck_assert_int_eq(trm_device_get_usage(store.device, &usage), TRM_OK);
    ck_assert_uint_eq(usage.buffers, 1);
    ck_assert_uint_eq(usage.buffer_bytes, 10);
    ck_assert_uint_eq(usage.peak_buffer_bytes, 1010);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(a_buffer_keeps_its_device_open)
{
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 10);

    trm_device_destroy(store.device);
    ck_assert_uint_eq(store.frees, 0);
    trm_buffer_destroy(buffer);
    ck_assert_uint_eq(store.frees, 1);
    store_close(&store);
    open_store_as(0, 1);
}
END_TEST

START_TEST(waiting_for_a_buffer_waits_for_all_work_on_it)
{
    struct trm_stream *a = store_stream(&store), *b = store_stream(&store);
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 10);

    ck_assert_int_eq(trm_buffer_wait(buffer, 0), TRM_OK);
    ck_assert_int_eq(trm_fill(a, trm_span_of(buffer, 0, 5), 1, 1), TRM_OK);
    ck_assert_int_eq(trm_fill(b, trm_span_of(buffer, 5, 5), 2, 1), TRM_OK);
    ck_assert_int_eq(trm_buffer_wait(buffer, 0), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_buffer_wait(buffer, TRM_FOREVER), TRM_OK);
    ck_assert(is_filled(store_bytes(buffer), 5, 1));
    ck_assert(is_filled(store_bytes(buffer) + 5, 5, 2));
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_buffer_wait(buffer, 0), TRM_ERROR_INVALID_HANDLE);
    trm_stream_destroy(a);
    trm_stream_destroy(b);
}
END_TEST

/* ---- mapping ------------------------------------------------------------------------------- */

START_TEST(mapping_memory_that_the_host_shares_gives_that_memory)
{
    reopen_store(1, 1);
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 100);
    void *pointer, *again;

    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_OK);
    ck_assert_ptr_eq(pointer, store_bytes(buffer));
    ck_assert_int_eq(trm_buffer_host_pointer(buffer, &again), TRM_OK);
    ck_assert_ptr_eq(pointer, again);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(mapping_refuses_what_makes_no_sense)
{
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 100);
    void *pointer             = NULL;

    ck_assert_int_eq(trm_buffer_map(buffer, 0, &pointer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_NOSYNC, &pointer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_map(buffer, 8, &pointer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_OK);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_ERROR_BUSY);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_ERROR_INVALID_ARGUMENT);
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(mapping_memory_that_the_host_cannot_reach_copies_it_down_and_up)
{
    struct trm_buffer_desc desc = {.size = 100,
                                   .data = "0123456789012345678901234567890123456789012345678901234567"
                                           "890123456789012345678901234567890123456789"};
    struct trm_buffer *buffer;
    void *pointer;

    ck_assert_int_eq(create_from(&desc, &buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_host_pointer(buffer, &pointer), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ | TRM_MAP_WRITE, &pointer), TRM_OK);
    ck_assert_ptr_ne(pointer, store_bytes(buffer));
    ck_assert_int_eq(memcmp(pointer, desc.data, 100), 0);
    memset(pointer, 'x', 50);
    ck_assert_uint_eq(store_bytes(buffer)[0], '0');
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    ck_assert(is_filled(store_bytes(buffer), 50, 'x'));
    ck_assert_uint_eq(store_bytes(buffer)[50], '0');
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(mapping_for_reading_changes_nothing_and_for_writing_reads_nothing)
{
    struct trm_buffer_desc desc = {.size = 100, .flags = TRM_BUFFER_ZEROED};
    struct trm_buffer *buffer;
    void *pointer;

    ck_assert_int_eq(create_from(&desc, &buffer), TRM_OK);
    uint64_t copies = store.copies;
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_WRITE, &pointer), TRM_OK);
    ck_assert_uint_eq(store.copies, copies);
    memset(pointer, 3, 100);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    ck_assert(is_filled(store_bytes(buffer), 100, 3));
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_OK);
    memset(pointer, 4, 100);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    ck_assert(is_filled(store_bytes(buffer), 100, 3));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(mapping_waits_for_work_unless_told_not_to)
{
    reopen_store(1, 1);
    struct trm_stream *stream = store_stream(&store);
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 100);
    void *pointer;

    memset(store_bytes(buffer), 0, 100);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 5, 1), TRM_OK);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ | TRM_MAP_NOSYNC, &pointer), TRM_OK);
    ck_assert(is_filled(pointer, 100, 0));
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_OK);
    ck_assert(is_filled(pointer, 100, 5));
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
}
END_TEST

START_TEST(mapping_after_a_failed_stream_answers_its_failure_and_maps_nothing)
{
    struct trm_stream *stream = store_stream(&store);
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 100);
    void *pointer             = NULL;

    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 5, 1), TRM_OK);
    store_fail(stream, TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_ERROR_KERNEL);
    ck_assert_ptr_null(pointer);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_ERROR_INVALID_ARGUMENT);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
}
END_TEST

START_TEST(a_mapping_whose_copy_fails_answers_and_maps_nothing)
{
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 100);
    void *pointer             = NULL;

    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_WRITE, &pointer), TRM_OK);
    memset(pointer, 0, 100);
    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_ERROR_INVALID_ARGUMENT);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_buffer_destroyed_while_it_is_mapped_is_unmapped)
{
    struct trm_buffer *buffer = make(TRM_MEMORY_DEVICE, 100);
    void *pointer;

    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_WRITE, &pointer), TRM_OK);
    memset(pointer, 0, 100);
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        descriptions_that_can_never_be_right_are_refused,
        imported_memory_that_goes_round_the_address_space_is_refused,
        a_buffer_knows_its_size_and_kind,
        a_buffer_of_nothing_is_legal_and_takes_no_memory,
        contents_are_there_when_creation_returns,
        contents_that_cannot_be_set_leave_no_buffer,
        imported_memory_is_used_in_place_and_never_freed,
        a_lost_device_makes_no_more_buffers,
        a_retained_buffer_lives_until_the_last_destroy,
        usage_counts_live_buffers_as_asked_for,
        a_buffer_keeps_its_device_open,
        waiting_for_a_buffer_waits_for_all_work_on_it,
        mapping_memory_that_the_host_shares_gives_that_memory,
        mapping_refuses_what_makes_no_sense,
        mapping_memory_that_the_host_cannot_reach_copies_it_down_and_up,
        mapping_for_reading_changes_nothing_and_for_writing_reads_nothing,
        mapping_waits_for_work_unless_told_not_to,
        mapping_after_a_failed_stream_answers_its_failure_and_maps_nothing,
        a_mapping_whose_copy_fails_answers_and_maps_nothing,
        a_buffer_destroyed_while_it_is_mapped_is_unmapped,
    };
    Suite *suite = suite_create("buffer");
    TCase *tests = tcase_create("buffer");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
