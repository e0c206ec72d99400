/* The driver's pool behind device memory: what it keeps, and what it reports.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/memory/pool.h"

#include "tests/unit/backends/cuda/fixture.h"
#include "tests/unit/runner.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)

static void set_up(void)
{
    on_open("memory=256M");
}

static void set_threshold(uint64_t bytes)
{
    ck_assert_int_eq(cuda_pool_ops.set_threshold(on.device, bytes), TRM_OK);
}

static uint64_t cached(void)
{
    uint64_t used = 1, cached_bytes = 0, held = 0;
    ck_assert_int_eq(cuda_pool_ops.statistics(on.device, &used, &cached_bytes, &held), TRM_OK);
    ck_assert_uint_eq(used, 0);
    ck_assert_uint_eq(held, cached_bytes);
    return cached_bytes;
}

/* Allocate and free. */
static void pass_through(uint64_t size)
{
    cuda_memory_ops.free(on_memory(TRM_MEMORY_DEVICE, size));
}

START_TEST(the_table_leaves_allocation_in_the_order_of_a_stream_to_the_core)
{
    ck_assert_ptr_null(cuda_pool_ops.allocate);
    ck_assert_ptr_null(cuda_pool_ops.free);
}
END_TEST

START_TEST(what_is_given_back_is_kept_up_to_the_threshold)
{
    set_threshold(20 * MIB);
    ck_assert_uint_eq(cached(), 0);
    pass_through(8 * MIB);
    ck_assert_uint_ge(cached(), 8 * MIB);
    pass_through(32 * MIB);
    ck_assert_uint_le(cached(), 20 * MIB);
}
END_TEST

START_TEST(nothing_is_kept_where_the_threshold_is_zero)
{
    set_threshold(0);
    pass_through(8 * MIB);
    ck_assert_uint_eq(cached(), 0);
    ck_assert_uint_eq(on.control->memory(0), 0);
}
END_TEST

START_TEST(a_lower_threshold_holds_at_once)
{
    set_threshold(64 * MIB);
    pass_through(16 * MIB);
    ck_assert_uint_ge(cached(), 16 * MIB);
    set_threshold(1 * MIB);
    ck_assert_uint_le(cached(), 1 * MIB);
}
END_TEST

START_TEST(what_is_in_use_counts_towards_the_threshold)
{
    set_threshold(20 * MIB);
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_DEVICE, 20 * MIB);
    pass_through(8 * MIB);
    ck_assert_uint_eq(cached(), 0);
    cuda_memory_ops.free(memory);
}
END_TEST

START_TEST(what_is_kept_is_used_again)
{
    set_threshold(64 * MIB);
    pass_through(8 * MIB);
    uint64_t before                   = on.control->memory(0);
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_DEVICE, 8 * MIB);
    ck_assert_uint_eq(on.control->memory(0), before);
    ck_assert_uint_eq(cached(), 0);
    cuda_memory_ops.free(memory);
}
END_TEST

START_TEST(trimming_gives_back_all_that_is_not_in_use)
{
    set_threshold(64 * MIB);
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_DEVICE, 8 * MIB);
    uint64_t in_use                   = on.control->memory(0);
    pass_through(16 * MIB);
    ck_assert_uint_gt(on.control->memory(0), in_use);
    ck_assert_int_eq(cuda_pool_ops.trim(on.device, 100 * MIB), TRM_OK);
    ck_assert_uint_eq(cached(), 0);
    ck_assert_uint_eq(on.control->memory(0), in_use);
    cuda_memory_ops.free(memory);
}
END_TEST

/* As drivers do it: the pool grows by 32 MiB, and gives none of it back while a part is in use. */
#define STEP (32 * MIB)

static __typeof__(((struct cuda_functions *)NULL)->cuMemPoolGetAttribute) exact;

static CUresult CUDAAPI in_steps(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    CUresult result = exact(pool, attribute, value);
    if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
        *(cuuint64_t *)value = (*(cuuint64_t *)value + STEP - 1) / STEP * STEP;
    return result;
}

static uint64_t reserved(void)
{
    uint64_t used, kept, bytes = 0;
    ck_assert_int_eq(cuda_pool_ops.statistics(on.device, &used, &kept, &bytes), TRM_OK);
    ck_assert_uint_le(kept, bytes);
    return bytes;
}

static uint64_t given_back(void)
{
    uint64_t used, kept = 0, bytes;
    ck_assert_int_eq(cuda_pool_ops.statistics(on.device, &used, &kept, &bytes), TRM_OK);
    return kept;
}

START_TEST(gaps_that_cannot_be_given_back_are_held_but_not_counted_as_cached)
{
    struct trm_backend_memory *pieces[4];
    exact                                   = on.instance->cuda.cuMemPoolGetAttribute;
    on.instance->cuda.cuMemPoolGetAttribute = in_steps;
    set_threshold(64 * MIB);
    for (int i = 0; i < 4; i++)
        pieces[i] = on_memory(TRM_MEMORY_DEVICE, MIB);
    ck_assert_uint_eq(reserved(), STEP - 4 * MIB); /* came with the first piece */
    ck_assert_uint_eq(given_back(), 0);
    cuda_memory_ops.free(pieces[0]);
    cuda_memory_ops.free(pieces[1]);
    ck_assert_uint_eq(given_back(), 2 * MIB);
    ck_assert_int_eq(cuda_pool_ops.trim(on.device, 0), TRM_OK);
    ck_assert_uint_eq(given_back(), 0);
    ck_assert_uint_eq(reserved(), STEP - 2 * MIB);
    cuda_memory_ops.free(pieces[2]);
    cuda_memory_ops.free(pieces[3]);
    ck_assert_uint_eq(given_back(), 2 * MIB);
    ck_assert_int_eq(cuda_pool_ops.trim(on.device, 0), TRM_OK);
    ck_assert_uint_eq(reserved(), 0);
}
END_TEST

START_TEST(failures_of_the_driver_are_passed_on)
{
    uint64_t used, kept, held;
    on_fault("cuMemPoolSetAttribute", "CUDA_ERROR_INVALID_VALUE");
    ck_assert_int_eq(cuda_pool_ops.set_threshold(on.device, MIB), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("cuMemPoolSetAttribute");
    on_fault("cuMemPoolGetAttribute", "CUDA_ERROR_INVALID_VALUE");
    ck_assert_int_eq(cuda_pool_ops.statistics(on.device, &used, &kept, &held), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("cuMemPoolGetAttribute");
    set_threshold(MIB);
}
END_TEST

START_TEST(a_device_that_cannot_make_its_pool_is_not_opened_and_leaves_nothing)
{
    static const char *const functions[] = {"cuCtxGetStreamPriorityRange", "cuStreamCreateWithPriority",
                                            "cuMemPoolCreate"};
    struct trm_backend_device *device    = NULL;
    for (int i = 0; i < 3; i++) {
        char rule[100];
        uint64_t before = on.control->calls(functions[i]);
        ck_assert_int_eq(cuda_device_create(on.instance, 0, NULL, &device), TRM_OK);
        uint64_t calls = on.control->calls(functions[i]) - before;
        cuda_device_ops.close(device);
        device = NULL;
        snprintf(rule, sizeof(rule), "%s:%u:once:CUDA_ERROR_OUT_OF_MEMORY", functions[i], (unsigned)calls);
        ck_assert_int_eq(on.control->arm(rule), 0);
        ck_assert_int_eq(cuda_device_create(on.instance, 0, NULL, &device), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
        ck_assert_ptr_null(device);
        ck_says(functions[i]);
    }
}
END_TEST

START_TEST(a_driver_that_refuses_a_pool_gives_plain_memory)
{
    struct trm_backend_device *first = on.device, *device = NULL;
    on_fault("cuMemPoolCreate", "CUDA_ERROR_NOT_SUPPORTED");
    ck_assert_int_eq(cuda_device_create(on.instance, 0, NULL, &device), TRM_OK);
    ck_assert_ptr_null(device->pool);
    on.device = device;
    pass_through(MIB);
    on.device = first;
    cuda_device_ops.close(device);
}
END_TEST

START_TEST(without_a_pool_nothing_is_kept)
{
    ck_assert_ptr_null(on.device->pool);
    set_threshold(64 * MIB);
    pass_through(8 * MIB);
    ck_assert_uint_eq(cached(), 0);
    ck_assert_int_eq(cuda_pool_ops.trim(on.device, 0), TRM_OK);
    ck_assert_int_eq(cuda_pool_share(on.device, 0), CUDA_SUCCESS);
}
END_TEST

START_TEST(another_device_may_be_let_in)
{
    uint64_t before = on.control->calls("cuMemPoolSetAccess");
    ck_assert_int_eq(cuda_pool_share(on.device, on.instance->physicals[1].handle), CUDA_SUCCESS);
    ck_assert_uint_eq(on.control->calls("cuMemPoolSetAccess"), before + 1);
}
END_TEST

static void set_up_without(void)
{
    on_open("pools=no");
}

static void set_up_two(void)
{
    on_open("devices=2");
}

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pool");
    TCase *with = tcase_create("with a pool"), *without = tcase_create("without"),
          *two = tcase_create("two devices");
    tcase_add_checked_fixture(with, set_up, on_close);
    tcase_add_test(with, the_table_leaves_allocation_in_the_order_of_a_stream_to_the_core);
    tcase_add_test(with, what_is_given_back_is_kept_up_to_the_threshold);
    tcase_add_test(with, nothing_is_kept_where_the_threshold_is_zero);
    tcase_add_test(with, a_lower_threshold_holds_at_once);
    tcase_add_test(with, what_is_in_use_counts_towards_the_threshold);
    tcase_add_test(with, what_is_kept_is_used_again);
    tcase_add_test(with, trimming_gives_back_all_that_is_not_in_use);
    tcase_add_test(with, gaps_that_cannot_be_given_back_are_held_but_not_counted_as_cached);
    tcase_add_test(with, failures_of_the_driver_are_passed_on);
    tcase_add_test(with, a_device_that_cannot_make_its_pool_is_not_opened_and_leaves_nothing);
    tcase_add_test(with, a_driver_that_refuses_a_pool_gives_plain_memory);
    suite_add_tcase(suite, with);
    tcase_add_checked_fixture(without, set_up_without, on_close);
    tcase_add_test(without, without_a_pool_nothing_is_kept);
    suite_add_tcase(suite, without);
    tcase_add_checked_fixture(two, set_up_two, on_close);
    tcase_add_test(two, another_device_may_be_let_in);
    suite_add_tcase(suite, two);
    return suite;
}

UNIT_SUITE(make_suite)
