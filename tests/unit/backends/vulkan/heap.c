/* Tests of the vulkan backend's heap: memory types, blocks, limits, failures.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/vulkan/heap_fixture.h"

#include "tests/unit/runner.h"

/* ---- memory types ---- */

START_TEST(each_kind_gets_the_memory_that_serves_it_best)
{
    open_heap(make_discrete);
    struct trm_backend_memory *device = allocate(TRM_MEMORY_DEVICE, 100, 1);
    struct trm_backend_memory *pinned = allocate(TRM_MEMORY_PINNED, 100, 1);
    struct trm_backend_memory *both   = allocate(TRM_MEMORY_UNIFIED, 100, 1);
    ck_assert_uint_eq(type_of(device), 1);
    ck_assert_ptr_null(device->host);
    ck_assert_uint_eq(type_of(pinned), 3);
    ck_assert_ptr_nonnull(pinned->host);
    ck_assert_uint_eq(type_of(both), 4);
    ck_assert_ptr_nonnull(both->host);
    vulkan_heap_free(device);
    vulkan_heap_free(pinned);
    vulkan_heap_free(both);
    ck_refused(77, 100, TRM_ERROR_UNSUPPORTED);
    close_heap();
}
END_TEST

START_TEST(with_unified_memory_all_kinds_are_mapped)
{
    open_heap(make_unified);
    for (int32_t kind = TRM_MEMORY_DEVICE; kind <= TRM_MEMORY_UNIFIED; kind++) {
        struct trm_backend_memory *memory = allocate(kind, 100, 1);
        ck_assert_uint_eq(type_of(memory), 2);
        ck_assert_ptr_nonnull(memory->host);
        vulkan_heap_free(memory);
    }
    close_heap();
}
END_TEST

START_TEST(unified_memory_comes_from_the_host_when_the_window_is_full)
{
    open_heap(make_discrete);
    struct trm_backend_memory *pieces[4];
    for (int i = 0; i < 4; i++)
        pieces[i] = allocate(TRM_MEMORY_UNIFIED, 100 * MIB, 1);
    ck_assert_uint_eq(type_of(pieces[0]), 4);
    ck_assert_uint_eq(type_of(pieces[1]), 4);
    ck_assert_uint_eq(type_of(pieces[2]), 3);
    ck_assert_uint_eq(type_of(pieces[3]), 3);
    for (int i = 0; i < 4; i++)
        vulkan_heap_free(pieces[i]);
    close_heap();
}
END_TEST

/* ---- blocks ---- */

START_TEST(freed_memory_is_reused_without_the_driver)
{
    open_heap(make_discrete);
    vulkan_heap_free(allocate(TRM_MEMORY_DEVICE, MIB, 256));
    long allocations = fake.allocations;
    for (int i = 0; i < 1000; i++)
        vulkan_heap_free(allocate(TRM_MEMORY_DEVICE, MIB, 256));
    ck_assert_int_eq(fake.allocations, allocations);
    close_heap();
}
END_TEST

START_TEST(blocks_grow_with_what_is_in_use_and_are_few)
{
    open_heap(make_discrete);
    struct trm_backend_memory *pieces[400];
    for (int i = 0; i < 400; i++)
        pieces[i] = allocate(TRM_MEMORY_DEVICE, MIB, 256);
    ck_assert_int_lt(fake.memories, 16);
    uint64_t used, cached, reserved;
    vulkan_heap_statistics(fake.device.heap, &used, &cached, &reserved);
    ck_assert_uint_eq(used, 400 * MIB);
    ck_assert_uint_eq(cached, 0);
    ck_assert_uint_ge(reserved, used);
    ck_assert_uint_lt(reserved, 2 * used);
    for (int i = 0; i < 400; i++)
        vulkan_heap_free(pieces[i]);
    vulkan_heap_statistics(fake.device.heap, &used, &cached, &reserved);
    ck_assert_uint_eq(used, 0);
    ck_assert_uint_eq(cached, reserved);
    ck_assert_uint_le(cached, 64 * MIB);
    vulkan_heap_trim(fake.device.heap, 0);
    ck_assert_int_eq(fake.memories, 0);
    close_heap();
}
END_TEST

START_TEST(idle_memory_stays_within_its_limit)
{
    open_heap(make_discrete);
    vulkan_heap_free(allocate(TRM_MEMORY_DEVICE, MIB, 256));
    ck_assert_int_eq(fake.memories, 1);
    vulkan_heap_set_idle_limit(fake.device.heap, 0);
    ck_assert_int_eq(fake.memories, 0);
    vulkan_heap_free(allocate(TRM_MEMORY_DEVICE, MIB, 256));
    ck_assert_int_eq(fake.memories, 0);
    vulkan_heap_set_idle_limit(fake.device.heap, UINT64_MAX);
    vulkan_heap_free(allocate(TRM_MEMORY_DEVICE, MIB, 256));
    ck_assert_int_eq(fake.memories, 1);
    close_heap();
}
END_TEST

START_TEST(a_large_piece_has_a_block_of_its_own_that_goes_with_it)
{
    open_heap(make_discrete);
    struct trm_backend_memory *large = allocate(TRM_MEMORY_DEVICE, 300 * MIB + 5, 2 * MIB);
    ck_assert_uint_eq(large->base, 0);
    ck_assert_uint_eq(fake.used[0], 300 * MIB + 256);
    vulkan_heap_free(large);
    ck_assert_int_eq(fake.memories, 0);
    close_heap();
}
END_TEST

/* ---- alignment ---- */

START_TEST(host_addresses_are_aligned_wherever_the_driver_maps)
{
    static const uint64_t skews[] = {0, 64, 256, 4096, 4096 + 64, MIB};
    open_heap(make_unified);
    fake.skew = skews[_i];
    for (uint64_t alignment = 1; alignment <= 2 * MIB; alignment *= 2) {
        static const uint64_t sizes[] = {1, 5000, 2 * MIB, 100 * MIB};
        for (size_t i = 0; i < 4; i++) {
            struct trm_backend_memory *memory = allocate(TRM_MEMORY_DEVICE, sizes[i], alignment);
            ck_assert_uint_eq((uintptr_t)memory->host % alignment, 0);
            ck_assert_uint_eq(memory->base % 64, 0);
            memset(memory->host, 1, sizes[i] < 5000 ? sizes[i] : 5000);
            memory->host[sizes[i] - 1] = 1;
            vulkan_heap_free(memory);
        }
    }
    close_heap();
}
END_TEST

/* ---- limits ---- */

START_TEST(the_driver_is_asked_for_no_more_allocations_than_it_allows)
{
    struct trm_backend_memory *pieces[3];
    open_heap(make_discrete);
    fake.physical.properties.limits.maxMemoryAllocationCount = 3;
    for (int i = 0; i < 3; i++)
        pieces[i] = allocate(TRM_MEMORY_DEVICE, 100 * MIB, 256);
    ck_refused(TRM_MEMORY_DEVICE, 100 * MIB, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(fake.allocations, 3);
    vulkan_heap_free(pieces[1]);
    pieces[1] = allocate(TRM_MEMORY_DEVICE, 100 * MIB, 256);
    for (int i = 0; i < 3; i++)
        vulkan_heap_free(pieces[i]);
    close_heap();
}
END_TEST

START_TEST(an_allocation_beyond_the_drivers_limits_is_not_asked_for)
{
    open_heap(make_discrete);
    fake.physical.max_allocation_bytes = 200 * MIB;
    vulkan_heap_free(allocate(TRM_MEMORY_DEVICE, 200 * MIB, 256));
    long allocations = fake.allocations;
    ck_refused(TRM_MEMORY_DEVICE, 200 * MIB + 1, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_refused(TRM_MEMORY_DEVICE, UINT64_MAX / 2, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(fake.allocations, allocations);
    close_heap();
}
END_TEST

START_TEST(the_budget_is_respected)
{
    open_heap(make_discrete);
    fake.physical.has.memory_budget   = true;
    fake.others                       = 700 * MIB;
    struct trm_backend_memory *memory = allocate(TRM_MEMORY_DEVICE, 300 * MIB, 256);
    long allocations                  = fake.allocations;
    ck_refused(TRM_MEMORY_DEVICE, 300 * MIB, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(fake.allocations, allocations);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "budget"));
    fake.others = 400 * MIB;
    vulkan_heap_free(allocate(TRM_MEMORY_DEVICE, 300 * MIB, 256));
    vulkan_heap_free(memory);
    close_heap();
}
END_TEST

START_TEST(blocks_are_smaller_when_memory_is_short)
{
    struct trm_backend_memory *pieces[300];
    uint32_t count = 0;
    open_heap(make_unified);
    struct trm_backend_memory *most = allocate(TRM_MEMORY_DEVICE, 900 * MIB, 256);
    while (count < 300 &&
           vulkan_heap_allocate(fake.device.heap, TRM_MEMORY_DEVICE, MIB, 256, &pieces[count]) == TRM_OK)
        count++;
    ck_assert_uint_ge(count, 120);
    ck_assert_uint_le(count, 124);
    for (uint32_t i = 0; i < count; i++)
        vulkan_heap_free(pieces[i]);
    vulkan_heap_free(most);
    close_heap();
}
END_TEST

START_TEST(idle_blocks_are_given_back_before_memory_runs_out)
{
    struct trm_backend_memory *pieces[60];
    open_heap(make_discrete);
    for (int i = 0; i < 60; i++)
        pieces[i] = allocate(TRM_MEMORY_DEVICE, MIB, 256);
    for (int i = 0; i < 60; i++)
        vulkan_heap_free(pieces[i]);
    ck_assert_uint_gt(fake.used[0], 50 * MIB);
    vulkan_heap_free(allocate(TRM_MEMORY_DEVICE, 1020 * MIB, 256));
    ck_refused(TRM_MEMORY_DEVICE, 1023 * MIB + 600 * KIB + 1024 * MIB, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    close_heap();
}
END_TEST

/* ---- failures ---- */

/* Each refused call, of the driver or for host memory, gives a status and a sentence, and leaks nothing. */
START_TEST(any_call_may_be_refused)
{
    static const VkResult refusals[] = {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                        VK_ERROR_TOO_MANY_OBJECTS};
    uint64_t refused                 = 0;
    for (int done = 0; !done;) {
        struct trm_backend_memory *pieces[6] = {NULL};
        begin(_i % 2 ? make_unified : make_discrete);
        fake.refusal   = refusals[_i / 2];
        fake.refuse_at = ++refused;
        if (vulkan_heap_create(&fake.device, &fake.device.heap) == TRM_OK) {
            static const uint64_t sizes[] = {1, MIB, 5 * MIB, 100 * MIB, 300, 300};
            for (uint32_t i = 0; i < 6; i++) {
                uint32_t failures = fake.failures;
                int32_t status    = vulkan_heap_allocate(fake.device.heap, TRM_MEMORY_DEVICE + (int32_t)i % 3,
                                                         sizes[i], 1 << i * 3, &pieces[i]);
                ck_assert(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY ||
                          status == TRM_ERROR_OUT_OF_DEVICE_MEMORY);
                ck_assert_uint_eq(fake.failures, failures + (status != TRM_OK));
            }
            for (uint32_t i = 0; i < 6; i++)
                if (pieces[i] != NULL)
                    vulkan_heap_free(pieces[i]);
        } else {
            ck_assert_uint_eq(fake.failures, 1);
        }
        done = atomic_load(&fake.calls) < refused;
        close_heap();
    }
    ck_assert_uint_gt(refused, 20);
}
END_TEST

/* ---- host addresses ---- */

START_TEST(host_addresses_lead_to_the_memory_behind_them)
{
    uint64_t offset = 0;
    unsigned char elsewhere[64];
    open_heap(make_discrete);
    struct vulkan_heap *heap          = fake.device.heap;
    struct trm_backend_memory *small  = allocate(TRM_MEMORY_PINNED, 1000, 256);
    struct trm_backend_memory *large  = allocate(TRM_MEMORY_PINNED, 100 * MIB, 256);
    struct trm_backend_memory *device = allocate(TRM_MEMORY_DEVICE, 1000, 256);
    struct trm_backend_memory *found  = vulkan_heap_find_host(heap, small->host + 10, 990, &offset);
    ck_assert_ptr_nonnull(found);
    ck_assert(found->buffer == small->buffer);
    ck_assert_uint_eq(found->base + offset, small->base + 10);
    found = vulkan_heap_find_host(heap, large->host + 5, 100 * MIB - 5, &offset);
    ck_assert_ptr_eq(found, large);
    ck_assert_uint_eq(offset, 5);
    ck_assert_ptr_null(vulkan_heap_find_host(heap, large->host + 5, 100 * MIB, &offset));
    ck_assert_ptr_null(vulkan_heap_find_host(heap, large->host - 1, 2, &offset));
    ck_assert_ptr_null(vulkan_heap_find_host(heap, elsewhere, 1, &offset));
    ck_assert_ptr_null(vulkan_heap_find_host(heap, NULL, 1, &offset));
    ck_assert_ptr_null(vulkan_heap_find_host(heap, (void *)UINTPTR_MAX, 1, &offset));
    const unsigned char *gone = large->host;
    vulkan_heap_free(large);
    ck_assert_ptr_null(vulkan_heap_find_host(heap, gone, 1, &offset));
    vulkan_heap_free(small);
    vulkan_heap_free(device);
    close_heap();
}
END_TEST

static _Atomic bool stop;

static void *look(void *user)
{
    const struct trm_backend_memory *memory = user;
    uintptr_t misses                        = 0;
    do {
        uint64_t offset = 0;
        struct trm_backend_memory *found =
            vulkan_heap_find_host(fake.device.heap, memory->host + 3, 7, &offset);
        misses += found == NULL || found->host + offset != memory->host + 3;
    } while (!atomic_load(&stop));
    return (void *)misses;
}

START_TEST(host_addresses_are_found_while_other_blocks_come_and_go)
{
    struct trm_backend_memory *pieces[10], *looked_for[2];
    pthread_t threads[2];
    void *misses = NULL;
    open_heap(make_small);
    for (int i = 0; i < 2; i++)
        looked_for[i] = allocate(TRM_MEMORY_PINNED, i == 0 ? 1000 : 9 * MIB, 256);
    atomic_store(&stop, false);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, look, looked_for[i]), 0);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 10; i++)
            pieces[i] = allocate(TRM_MEMORY_PINNED, 9 * MIB, 256);
        for (int i = 0; i < 10; i++)
            vulkan_heap_free(pieces[round % 2 ? i : 9 - i]);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &misses);
        ck_assert_ptr_null(misses);
        vulkan_heap_free(looked_for[i]);
    }
    close_heap();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("heap of the vulkan backend");
    TCase *tests = tcase_create("heap");

    tcase_add_test(tests, each_kind_gets_the_memory_that_serves_it_best);
    tcase_add_test(tests, with_unified_memory_all_kinds_are_mapped);
    tcase_add_test(tests, unified_memory_comes_from_the_host_when_the_window_is_full);
    tcase_add_test(tests, freed_memory_is_reused_without_the_driver);
    tcase_add_test(tests, blocks_grow_with_what_is_in_use_and_are_few);
    tcase_add_test(tests, idle_memory_stays_within_its_limit);
    tcase_add_test(tests, a_large_piece_has_a_block_of_its_own_that_goes_with_it);
    tcase_add_loop_test(tests, host_addresses_are_aligned_wherever_the_driver_maps, 0, 6);
    tcase_add_test(tests, the_driver_is_asked_for_no_more_allocations_than_it_allows);
    tcase_add_test(tests, an_allocation_beyond_the_drivers_limits_is_not_asked_for);
    tcase_add_test(tests, the_budget_is_respected);
    tcase_add_test(tests, blocks_are_smaller_when_memory_is_short);
    tcase_add_test(tests, idle_blocks_are_given_back_before_memory_runs_out);
    tcase_add_loop_test(tests, any_call_may_be_refused, 0, 6);
    tcase_add_test(tests, host_addresses_lead_to_the_memory_behind_them);
    tcase_add_test(tests, host_addresses_are_found_while_other_blocks_come_and_go);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
