/* What pinned, unified and imported memory promise, and the host's way to memory that it shares.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "kernels.h"

#define SIZE 20000u

static void *host_pointer_of(struct trm_buffer *buffer)
{
    void *pointer = NULL;
    ck_ok(trm_buffer_host_pointer(buffer, &pointer));
    ck_assert_ptr_nonnull(pointer);
    return pointer;
}

static struct trm_buffer *import(void *memory, uint64_t size, uint32_t flags, const void *data)
{
    struct trm_buffer_desc desc = {.struct_size  = sizeof(desc),
                                   .kind         = TRM_MEMORY_IMPORTED,
                                   .flags        = flags,
                                   .size         = size,
                                   .data         = data,
                                   .host_pointer = memory};
    struct trm_buffer *buffer   = NULL;
    int32_t status              = trm_buffer_create_from(the.device, &desc, &buffer);
    if (status == TRM_ERROR_UNSUPPORTED)
        return NULL;
    ck_ok(status);
    return buffer;
}

static uint8_t *page(uint64_t size)
{
    void *memory = NULL;
    ck_assert_int_eq(posix_memalign(&memory, 65536, size), 0);
    return memory;
}

/* ---- the host's pointer ---- */

START_TEST(the_host_reaches_every_memory_that_it_shares)
{
    bool unified = device_number(the.device, TRM_DEVICE_UNIFIED) == 1;
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], SIZE);
        void *pointer             = NULL;
        if (!buffer)
            continue;
        if (all_kinds[k] != TRM_MEMORY_DEVICE || unified)
            ck_ok(trm_buffer_host_pointer(buffer, &pointer));
        else if (trm_buffer_host_pointer(buffer, &pointer) != TRM_OK)
            ck_status(trm_buffer_host_pointer(buffer, &pointer), TRM_ERROR_UNSUPPORTED);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(what_work_wrote_is_where_the_hosts_pointer_points)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], SIZE);
        void *pointer             = NULL;
        if (!buffer)
            continue;
        if (trm_buffer_host_pointer(buffer, &pointer) == TRM_OK) {
            put_pattern(the.stream, buffer, SIZE, 1);
            ck_pattern(pointer, SIZE, 1);
            ck_assert_ptr_eq(host_pointer_of(buffer), pointer);
        }
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(what_the_host_wrote_by_its_pointer_is_what_work_reads)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], SIZE);
        void *pointer             = NULL;
        if (!buffer)
            continue;
        if (trm_buffer_host_pointer(buffer, &pointer) == TRM_OK) {
            pattern_make(pointer, SIZE, 2);
            ck_buffer_pattern(the.stream, buffer, SIZE, 2);
        }
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(kernels_work_on_every_kind_of_memory)
{
    if (kernels_missing())
        return;
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], 4000);
        uint32_t data[1000];
        if (!buffer)
            continue;
        for (uint32_t i = 0; i < 1000; i++)
            data[i] = i;
        put(the.stream, buffer, 0, data, sizeof(data));
        ck_ok(launch_affine(the.stream, buffer, 1000, 5, 3));
        ck_ok(launch_affine(the.stream, buffer, 999, 2, 1));
        get(the.stream, buffer, 0, data, sizeof(data));
        for (uint32_t i = 0; i < 1000; i++)
            ck_assert_uint_eq(data[i], i < 999 ? (i * 5 + 3) * 2 + 1 : i * 5 + 3);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

/* ---- imported memory ---- */

START_TEST(imported_memory_is_the_programs_own_and_no_copy)
{
    uint8_t *memory           = page(SIZE);
    struct trm_buffer *buffer = import(memory, SIZE, 0, NULL);
    if (!buffer) {
        free(memory);
        skip("the device imports no memory");
        return;
    }
    ck_assert_ptr_eq(host_pointer_of(buffer), memory);
    pattern_make(memory, SIZE, 3);
    ck_buffer_pattern(the.stream, buffer, SIZE, 3);
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 100, 50), 0x77, 1));
    ck_ok(trm_stream_sync(the.stream));
    for (int i = 100; i < 150; i++)
        ck_assert_uint_eq(memory[i], 0x77);
    ck_pattern(memory, 100, 3);
    trm_buffer_destroy(buffer);
    free(memory);
}
END_TEST

START_TEST(imported_memory_is_not_freed_and_not_changed_by_the_end_of_its_buffer)
{
    uint8_t *memory = page(SIZE);
    pattern_make(memory, SIZE, 4);
    for (int i = 0; i < 10; i++) {
        struct trm_buffer *buffer = import(memory, SIZE, 0, NULL);
        if (!buffer)
            break;
        ck_buffer_pattern(the.stream, buffer, SIZE, 4);
        trm_buffer_destroy(buffer);
        ck_pattern(memory, SIZE, 4);
    }
    memory[0] = 1;
    free(memory);
}
END_TEST

START_TEST(imported_memory_takes_the_contents_asked_for_at_creation)
{
    uint8_t *memory = page(SIZE), *data = malloc(SIZE);
    memset(memory, 0xAA, SIZE);
    struct trm_buffer *buffer = import(memory, SIZE - 1, TRM_BUFFER_ZEROED, NULL);
    if (buffer) {
        for (size_t i = 0; i < SIZE - 1; i++)
            ck_assert_uint_eq(memory[i], 0);
        ck_assert_uint_eq(memory[SIZE - 1], 0xAA);
        trm_buffer_destroy(buffer);
        pattern_make(data, SIZE, 5);
        buffer = import(memory, SIZE, 0, data);
        ck_assert_ptr_nonnull(buffer);
        ck_pattern(memory, SIZE, 5);
        trm_buffer_destroy(buffer);
    }
    free(memory);
    free(data);
}
END_TEST

START_TEST(imported_memory_is_no_part_of_the_pool)
{
    struct trm_pool_stats before = {.struct_size = sizeof(before)}, amid = before;
    uint8_t *memory = page(SIZE);
    ck_ok(trm_pool_get_stats(the.device, &before));
    struct trm_buffer *buffer = import(memory, SIZE, 0, NULL);
    ck_ok(trm_pool_get_stats(the.device, &amid));
    ck_assert_uint_eq(amid.used_bytes, before.used_bytes);
    ck_assert_uint_eq(amid.reserved_bytes, before.reserved_bytes);
    trm_buffer_destroy(buffer);
    free(memory);
}
END_TEST

START_TEST(memory_at_odd_addresses_is_imported_as_it_is_or_refused)
{
    static const size_t shifts[] = {1, 8, 16, 64, 256, 4096};
    uint8_t *memory              = page(65536);
    for (size_t i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
        struct trm_buffer_desc desc = {.struct_size  = sizeof(desc),
                                       .kind         = TRM_MEMORY_IMPORTED,
                                       .size         = 1000,
                                       .host_pointer = memory + shifts[i]};
        struct trm_buffer *buffer   = NULL;
        int32_t status              = trm_buffer_create_from(the.device, &desc, &buffer);
        ck_assert(status_explained(status));
        if (status != TRM_OK)
            continue;
        ck_assert_ptr_eq(host_pointer_of(buffer), memory + shifts[i]);
        put_pattern(the.stream, buffer, 1000, 6);
        ck_pattern(memory + shifts[i], 1000, 6);
        trm_buffer_destroy(buffer);
    }
    free(memory);
}
END_TEST

START_TEST(importing_nothing_is_refused_but_for_no_bytes)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .kind = TRM_MEMORY_IMPORTED, .size = 100};
    struct trm_buffer *buffer   = NULL;
    ck_refused(trm_buffer_create_from(the.device, &desc, &buffer));
    ck_refused(trm_buffer_create(the.device, TRM_MEMORY_IMPORTED, 100, &buffer));
    ck_assert_ptr_null(buffer);
    desc.size      = 0;
    int32_t status = trm_buffer_create_from(the.device, &desc, &buffer);
    ck_assert(status == TRM_OK || status == TRM_ERROR_UNSUPPORTED);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(memory_is_given_for_imported_buffers_only)
{
    uint8_t *memory = page(SIZE);
    for (int32_t kind = TRM_MEMORY_DEVICE; kind < TRM_MEMORY_IMPORTED; kind++) {
        struct trm_buffer_desc desc = {
            .struct_size = sizeof(desc), .kind = kind, .size = SIZE, .host_pointer = memory};
        struct trm_buffer *buffer = NULL;
        ck_refused(trm_buffer_create_from(the.device, &desc, &buffer));
        ck_assert_ptr_null(buffer);
    }
    free(memory);
}
END_TEST

/* ---- unified memory ---- */

START_TEST(prefetching_unified_memory_is_a_hint_that_changes_nothing)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_UNIFIED, SIZE);
    if (!buffer) {
        skip("the device has no unified memory");
        return;
    }
    put_pattern(the.stream, buffer, SIZE, 7);
    for (int32_t to_host = 0; to_host < 2; to_host++) {
        ck_ok(trm_prefetch(the.stream, trm_span_whole(buffer), to_host));
        ck_ok(trm_prefetch(the.stream, trm_span_of(buffer, 4096, 4096), to_host));
        ck_ok(trm_prefetch(the.stream, trm_span_of(buffer, SIZE, 0), to_host));
        ck_ok(trm_stream_sync(the.stream));
        ck_buffer_pattern(the.stream, buffer, SIZE, 7);
    }
    ck_status(trm_prefetch(the.stream, trm_span_of(buffer, SIZE, 1), 0), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_prefetch(the.stream, trm_span_of(buffer, 16, UINT64_MAX - 8), 1), TRM_ERROR_OUT_OF_RANGE);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(memory_that_is_not_unified_is_not_prefetched)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = NULL;
        if (all_kinds[k] == TRM_MEMORY_UNIFIED || !(buffer = make_buffer(the.device, all_kinds[k], SIZE)))
            continue;
        ck_status(trm_prefetch(the.stream, trm_span_whole(buffer), 0), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_prefetch(the.stream, trm_span_whole(buffer), 1), TRM_ERROR_INVALID_ARGUMENT);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

START_TEST(host_and_kernels_take_turns_on_unified_memory)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_UNIFIED, 4000);
    if (!buffer || !kernels_there()) {
        trm_buffer_destroy(buffer);
        skip("the device has no unified memory or takes no kernels");
        return;
    }
    uint32_t *data = host_pointer_of(buffer);
    for (uint32_t i = 0; i < 1000; i++)
        data[i] = i;
    for (uint32_t turn = 0; turn < 20; turn++) {
        ck_ok(launch_affine(the.stream, buffer, 1000, 1, 7));
        ck_ok(trm_stream_sync(the.stream));
        for (uint32_t i = 0; i < 1000; i++) {
            ck_assert_uint_eq(data[i], i + turn * 8 + 7);
            data[i]++;
        }
    }
    trm_buffer_destroy(buffer);
}
END_TEST

void add_memory_kinds(Suite *suite)
{
    TCase *group = group_make(suite, "memory_kinds");
    CASE(group, the_host_reaches_every_memory_that_it_shares);
    CASE(group, what_work_wrote_is_where_the_hosts_pointer_points);
    CASE(group, what_the_host_wrote_by_its_pointer_is_what_work_reads);
    CASE(group, kernels_work_on_every_kind_of_memory);
    CASE(group, imported_memory_is_the_programs_own_and_no_copy);
    CASE(group, imported_memory_is_not_freed_and_not_changed_by_the_end_of_its_buffer);
    CASE(group, imported_memory_takes_the_contents_asked_for_at_creation);
    CASE(group, imported_memory_is_no_part_of_the_pool);
    CASE(group, memory_at_odd_addresses_is_imported_as_it_is_or_refused);
    CASE(group, importing_nothing_is_refused_but_for_no_bytes);
    CASE(group, memory_is_given_for_imported_buffers_only);
    CASE(group, prefetching_unified_memory_is_a_hint_that_changes_nothing);
    CASE(group, memory_that_is_not_unified_is_not_prefetched);
    CASE(group, host_and_kernels_take_turns_on_unified_memory);
}
