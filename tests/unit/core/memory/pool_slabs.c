/* The pool of a device: what it allocates from the driver, and frees.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/core/memory/pool_fixture.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/device/device.h"

/* ---- slabs --------------------------------------------------------------------------------- */

START_TEST(small_buffers_share_slabs_that_double)
{
    struct trm_buffer *buffers[200];

    buffers[0] = make(256);
    ck_assert_uint_eq(store.allocations, 1);
    ck_assert_uint_eq(store.bytes, 64 * KIB);
    trm_buffer_destroy(buffers[0]);

    for (uint32_t i = 0; i < 62; i++)
        buffers[i] = make(MIB);
    ck_assert_uint_le(store.allocations, 8);
    ck_assert_uint_eq(store.largest, 32 * MIB);
    for (uint32_t i = 62; i < 200; i++)
        buffers[i] = make(MIB);
    ck_assert_uint_eq(store.largest, 32 * MIB);
    for (uint32_t i = 0; i < 200; i++)
        trm_buffer_destroy(buffers[i]);
}
END_TEST

START_TEST(large_buffers_have_a_slab_of_their_class_and_keep_it)
{
    struct trm_buffer *buffer = make(33 * MIB);

    ck_assert_uint_eq(store.bytes, 36 * MIB);
    trm_buffer_destroy(buffer);
    buffer = make(35 * MIB);
    ck_assert_uint_eq(store.allocations, 1);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(alignment_is_kept)
{
    static const uint64_t alignments[] = {1, 256, 512, 4096, 65536, MIB, 2 * MIB};
    static const uint64_t sizes[]      = {1, 300, 5000, 70000, 3 * MIB};
    struct trm_buffer *buffers[35];
    uint32_t count = 0;

    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 5; j++) {
            struct trm_buffer_desc desc = {
                .struct_size = sizeof(desc), .size = sizes[j], .alignment = alignments[i]};
            ck_assert_int_eq(trm_buffer_create_from(store.device, &desc, &buffers[count]), TRM_OK);
            ck_assert_uint_eq((uintptr_t)store_bytes(buffers[count]) % alignments[i], 0);
            count++;
        }
    while (count > 0)
        trm_buffer_destroy(buffers[--count]);
}
END_TEST

START_TEST(statistics_count_what_the_pool_does)
{
    struct trm_buffer *a = make(1000), *b = make(1000);
    struct trm_pool_stats stats = statistics();

    ck_assert_uint_eq(stats.used_bytes, 2048);
    ck_assert_uint_eq(stats.peak_used_bytes, 2048);
    ck_assert_uint_eq(stats.reserved_bytes, 64 * KIB);
    ck_assert_uint_eq(stats.cached_bytes, 62 * KIB);
    ck_assert_uint_eq(stats.allocations, 2);
    ck_assert_uint_eq(stats.reuses, 1);
    ck_assert_uint_eq(stats.driver_allocations, 1);
    ck_assert_uint_eq(stats.driver_frees, 0);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    stats = statistics();
    ck_assert_uint_eq(stats.used_bytes + stats.cached_bytes + stats.reserved_bytes, 0);
    ck_assert_uint_eq(stats.peak_used_bytes, 2048);
    ck_assert_uint_eq(stats.driver_frees, 1);
}
END_TEST

START_TEST(statistics_need_their_size)
{
    struct trm_pool_stats stats = {.struct_size = 4};

    ck_assert_int_eq(trm_pool_get_stats(store.device, &stats), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pool_get_stats(store.device, NULL), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(memory_above_the_threshold_goes_back_the_oldest_first)
{
    struct trm_buffer *a = make(4 * MIB), *b = make(5 * MIB);
    unsigned char *of_b = store_bytes(b);

    ck_assert_int_eq(trm_pool_set_threshold(store.device, 5 * MIB), TRM_OK);
    trm_buffer_destroy(a);
    ck_assert_uint_eq(store.frees, 0);
    trm_buffer_destroy(b);
    ck_assert_uint_eq(store.frees, 1);
    b = make(5 * MIB);
    ck_assert_ptr_eq(store_bytes(b), of_b);
    trm_buffer_destroy(b);
    ck_assert_int_eq(trm_pool_set_threshold(store.device, 0), TRM_OK);
    ck_assert_uint_eq(store.frees, 2);
}
END_TEST

START_TEST(trimming_keeps_what_is_asked_for_and_what_may_be_in_use)
{
    struct trm_stream *a = store_stream(&store);
    struct trm_buffer *x = make(4 * MIB), *y = make(8 * MIB), *z = make_on(a, 16 * MIB);

    trm_buffer_destroy(x);
    trm_buffer_destroy(y);
    use(a, z);
    ck_assert_int_eq(trm_stream_free(a, z), TRM_OK);
    ck_assert_int_eq(trm_pool_trim(store.device, 24 * MIB), TRM_OK);
    ck_assert_uint_eq(store.bytes, 24 * MIB);
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    ck_assert_uint_eq(store.bytes, 16 * MIB);
    store_run(a, UINT64_MAX);
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    ck_assert_uint_eq(store.bytes, 0);
    trm_stream_destroy(a);
}
END_TEST

/* ---- running out --------------------------------------------------------------------------- */

START_TEST(out_of_memory_trims_and_tries_again)
{
    struct trm_buffer *a;

    store.memory_limit = 16 * MIB;
    a                  = make(8 * MIB);
    trm_buffer_destroy(a);
    a = make(12 * MIB);
    ck_assert_uint_eq(store.bytes, 12 * MIB);
    trm_buffer_destroy(a);
}
END_TEST

START_TEST(out_of_memory_is_told_with_what_was_asked_and_what_is_live)
{
    struct trm_buffer *a, *b = NULL;

    store.memory_limit = 16 * MIB;
    a                  = make(8 * MIB);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 9 * MIB, &b),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_null(b);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "9437184"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "8388608"));
    trm_buffer_destroy(a);
    b = make(9 * MIB);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(when_memory_is_short_a_buffer_is_not_rounded_and_a_slab_holds_one_block)
{
    struct trm_buffer *a;

    store.memory_limit = 8 * MIB + 64 * KIB; /* its class has 9 MiB */
    a                  = make(store.memory_limit);
    ck_assert_uint_eq(store.bytes, store.memory_limit);
    trm_buffer_destroy(a);
    ck_assert_uint_eq(store.bytes, 0);

    store.memory_limit = MIB + 512 * KIB; /* the class begins with 2 MiB */
    a                  = make(MIB);
    ck_assert_uint_eq(store.bytes, MIB);
    trm_buffer_destroy(a);
}
END_TEST

START_TEST(a_buffer_as_large_as_the_device_allows_is_not_rounded_beyond_it)
{
    struct trm_buffer *a;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, (UINT64_C(1) << 40) + 1, &a),
                     TRM_ERROR_OUT_OF_RANGE);
    store_close(&store);
    memset(&store, 0, sizeof(store));
    store.max_buffer_bytes = 9 * MIB + 1;
    store_prepare(&store, "store");
    store_open(&store, context);
    a = make(9 * MIB + 1);
    ck_assert_uint_eq(store.bytes, 9 * MIB + 1);
    trm_buffer_destroy(a);
    ck_assert_uint_eq(store.bytes, 0);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 9 * MIB + 2, &a),
                     TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, UINT64_MAX, &a),
                     TRM_ERROR_OUT_OF_RANGE);
}
END_TEST

START_TEST(kinds_have_pools_of_their_own)
{
    struct trm_buffer *device = make(KIB), *pinned, *unified;
    unsigned char *bytes;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_PINNED, KIB, &pinned), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_UNIFIED, KIB, &unified), TRM_OK);
    ck_assert_uint_eq(store.allocations, 3);
    bytes = store_bytes(pinned);
    trm_buffer_destroy(device);
    trm_buffer_destroy(pinned);
    trm_buffer_destroy(unified);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_PINNED, KIB, &pinned), TRM_OK);
    ck_assert_ptr_eq(store_bytes(pinned), bytes);
    trm_buffer_destroy(pinned);
}
END_TEST

START_TEST(the_devices_own_alignment_is_kept)
{
    struct trm_buffer *buffers[10];

    store_close(&store);
    memset(&store, 0, sizeof(store));
    store.alignment = 4096;
    store_prepare(&store, "store");
    store_open(&store, context);
    for (uint32_t i = 0; i < 10; i++) {
        buffers[i] = make(1 + i * 1000);
        ck_assert_uint_eq((uintptr_t)store_bytes(buffers[i]) % 4096, 0);
    }
    for (uint32_t i = 0; i < 10; i++)
        trm_buffer_destroy(buffers[i]);
}
END_TEST

START_TEST(slabs_are_no_larger_than_the_device_allows)
{
    struct trm_buffer *buffers[20];

    store_close(&store);
    memset(&store, 0, sizeof(store));
    store.max_buffer_bytes = 3 * MIB;
    store_prepare(&store, "store");
    store_open(&store, context);
    for (uint32_t i = 0; i < 20; i++)
        buffers[i] = make(MIB);
    ck_assert_uint_le(store.largest, 3 * MIB);
    for (uint32_t i = 0; i < 20; i++)
        trm_buffer_destroy(buffers[i]);
}
END_TEST

START_TEST(memory_whose_address_cannot_be_had_is_given_back)
{
    struct trm_buffer *buffer = NULL;

    store.no_address = 1;
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_PINNED, KIB, &buffer), TRM_ERROR_BACKEND);
    ck_assert_ptr_null(buffer);
    ck_assert_uint_eq(store.bytes, 0);
    store.no_address = 0;
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_PINNED, KIB, &buffer), TRM_OK);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(handles_that_are_no_device_are_refused)
{
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};

    ck_assert_int_eq(trm_pool_get_stats(NULL, &stats), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_pool_trim(NULL, 0), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_pool_set_threshold(NULL, 0), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

/* ---- NUMA nodes ---------------------------------------------------------------------------- */

static int32_t (*allocate)(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                           struct trm_backend_memory **memory);
static int policies[8]; /* by the kind of memory that was allocated under them */

static int policy(void)
{
    int mode = -1;

    return syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0) == 0 ? mode : -1;
}

static int32_t note_policy(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                           struct trm_backend_memory **memory)
{
    policies[desc->kind] = policy();
    return allocate(device, desc, memory);
}

static void allocate_kind(int32_t kind)
{
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_buffer_create(store.device, kind, KIB, &buffer), TRM_OK);
    trm_buffer_destroy(buffer);
}

/* Node 0 is there on each machine. Containers may forbid the calls. */
START_TEST(pinned_memory_is_asked_for_near_the_device)
{
    if (policy() != MPOL_DEFAULT || !base_numa_prefer(0))
        return;
    base_numa_forget();
    allocate                             = store.core->backend->memory.allocate;
    store.core->backend->memory.allocate = note_policy;
    allocate_kind(TRM_MEMORY_PINNED);
    ck_assert_int_eq(policies[TRM_MEMORY_PINNED], MPOL_DEFAULT); /* the device is on no node */
    trm_pool_trim(store.device, 0);
    store.core->numa_node = 0;
    allocate_kind(TRM_MEMORY_PINNED);
    allocate_kind(TRM_MEMORY_DEVICE);
    ck_assert_int_eq(policies[TRM_MEMORY_PINNED], MPOL_PREFERRED);
    ck_assert_int_eq(policies[TRM_MEMORY_DEVICE], MPOL_DEFAULT);
    ck_assert_int_eq(policy(), MPOL_DEFAULT);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        small_buffers_share_slabs_that_double,
        large_buffers_have_a_slab_of_their_class_and_keep_it,
        alignment_is_kept,
        statistics_count_what_the_pool_does,
        statistics_need_their_size,
        memory_above_the_threshold_goes_back_the_oldest_first,
        trimming_keeps_what_is_asked_for_and_what_may_be_in_use,
        out_of_memory_trims_and_tries_again,
        out_of_memory_is_told_with_what_was_asked_and_what_is_live,
        when_memory_is_short_a_buffer_is_not_rounded_and_a_slab_holds_one_block,
        a_buffer_as_large_as_the_device_allows_is_not_rounded_beyond_it,
        kinds_have_pools_of_their_own,
        the_devices_own_alignment_is_kept,
        slabs_are_no_larger_than_the_device_allows,
        memory_whose_address_cannot_be_had_is_given_back,
        handles_that_are_no_device_are_refused,
        pinned_memory_is_asked_for_near_the_device,
    };
    Suite *suite = suite_create("slabs");
    TCase *tests = tcase_create("slabs");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
