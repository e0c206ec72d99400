/* Allocation in stream order on a backend with its own pool.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>
#include <trireme/trireme.h>

#include "core/memory/block.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

static struct store store;
static struct trm_context *context;
static struct trm_stream *stream;

/* The calls of the backend's pool. */
static struct {
    struct trm_backend_device *device; /* where its memory comes from */
    uint64_t allocations, frees, trims, threshold;
    bool refuses_threshold;
    uint64_t fail; /* allocations that fail as out of memory */
    struct trm_backend_stream *freed_on;
} asked;

static int32_t ordered_allocate(struct trm_backend_stream *backend, uint64_t value, uint64_t size,
                                struct trm_backend_memory **memory)
{
    struct trm_memory_desc desc = {.struct_size = sizeof(desc), .size = size, .alignment = 256};

    (void)backend;
    ck_assert_uint_gt(value, 0);
    if (asked.fail > 0) {
        asked.fail--;
        return TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    asked.allocations++;
    return store.backend.memory.allocate(asked.device, &desc, memory);
}

static int32_t ordered_free(struct trm_backend_stream *backend, uint64_t value,
                            struct trm_backend_memory *memory)
{
    ck_assert_uint_gt(value, 0);
    asked.frees++;
    asked.freed_on = backend;
    store.backend.memory.free(memory);
    return TRM_OK;
}

static int32_t ordered_trim(struct trm_backend_device *device, uint64_t keep_bytes)
{
    (void)device;
    (void)keep_bytes;
    asked.trims++;
    return TRM_OK;
}

static int32_t ordered_set_threshold(struct trm_backend_device *device, uint64_t bytes)
{
    (void)device;
    asked.threshold = bytes;
    return bytes == 13 || asked.refuses_threshold ? TRM_ERROR_BACKEND : TRM_OK;
}

static int32_t ordered_statistics(struct trm_backend_device *device, uint64_t *used, uint64_t *cached,
                                  uint64_t *reserved)
{
    (void)device;
    *used     = 1;
    *cached   = 2;
    *reserved = 3;
    return asked.threshold == 14 ? TRM_ERROR_BACKEND : TRM_OK;
}

static void open_store(void)
{
    memset(&store, 0, sizeof(store));
    memset(&asked, 0, sizeof(asked));
    store.unified   = 1;
    store.immediate = 1;
    store_prepare(&store, "store");
    store.backend.pool = (struct trm_pool_ops){
        .allocate      = ordered_allocate,
        .free          = ordered_free,
        .trim          = ordered_trim,
        .set_threshold = ordered_set_threshold,
        .statistics    = ordered_statistics,
    };
    context = store_context(NULL);
    store_open(&store, context);
    asked.device = store.core->device;
    stream       = store_stream(&store);
}

static void close_store(void)
{
    trm_stream_destroy(stream);
    store_close(&store);
    trm_context_destroy(context);
}

static struct trm_buffer *allocate(uint64_t size)
{
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_stream_alloc(stream, size, &buffer), TRM_OK);
    return buffer;
}

START_TEST(allocation_in_order_is_the_backends)
{
    struct trm_buffer *buffer = allocate(1000);
    void *pointer;

    ck_assert_uint_eq(asked.allocations, 1);
    ck_assert_int_eq(trm_buffer_host_pointer(buffer, &pointer), TRM_OK);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 3, 1), TRM_OK);
    ck_assert_int_eq(trm_stream_free(stream, buffer), TRM_OK);
    ck_assert_uint_eq(asked.frees, 1);
    ck_assert_ptr_eq(asked.freed_on, core_stream_find(stream)->backend);
}
END_TEST

START_TEST(a_buffer_allocated_in_order_and_destroyed_goes_back_to_the_backends_pool)
{
    trm_buffer_destroy(allocate(1000));
    ck_assert_uint_eq(asked.frees, 1);
    ck_assert_ptr_ne(asked.freed_on, core_stream_find(stream)->backend);
}
END_TEST

START_TEST(buffers_not_allocated_in_order_are_the_cores)
{
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 10, &buffer), TRM_OK);
    ck_assert_uint_eq(asked.allocations, 0);
    ck_assert_int_eq(trm_stream_free(stream, buffer), TRM_OK);
    ck_assert_uint_eq(asked.frees, 0);
}
END_TEST

START_TEST(out_of_memory_in_order_trims_and_tries_once_more)
{
    struct trm_buffer *buffer;

    asked.fail = 1;
    trm_buffer_destroy(allocate(10));
    ck_assert_uint_eq(asked.trims, 1);
    asked.fail = 2;
    ck_assert_int_eq(trm_stream_alloc(stream, 10, &buffer), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    trm_buffer_destroy(allocate(10));
}
END_TEST

START_TEST(the_threshold_of_the_settings_is_the_backends_from_the_start)
{
    ck_assert_uint_eq(asked.threshold, store.core->pool->threshold);
    ck_assert_uint_gt(asked.threshold, 0);
}
END_TEST

START_TEST(a_device_whose_pool_cannot_be_set_up_is_not_opened)
{
    struct core_device *device = NULL;

    asked.refuses_threshold = true;
    ck_assert_int_eq(core_device_create(store.core->object.context, &store.backend, 0, &device),
                     TRM_ERROR_BACKEND);
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(a_pool_that_leaves_allocation_to_the_core_still_trims)
{
    store.backend.pool.allocate = NULL;
    store.backend.pool.free     = NULL;
    struct trm_buffer *buffer   = allocate(1000);
    ck_assert_uint_eq(asked.allocations, 0);
    ck_assert_int_eq(trm_stream_free(stream, buffer), TRM_OK);
    ck_assert_uint_eq(asked.frees, 0);
    ck_assert_int_eq(trm_pool_trim(store.device, 5), TRM_OK);
    ck_assert_uint_eq(asked.trims, 1);
}
END_TEST

START_TEST(trim_threshold_and_statistics_take_in_the_backends_pool)
{
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};

    ck_assert_int_eq(trm_pool_get_stats(store.device, &stats), TRM_OK);
    ck_assert_uint_eq(stats.used_bytes, 1);
    ck_assert_uint_eq(stats.cached_bytes, 2);
    ck_assert_uint_eq(stats.reserved_bytes, 3);
    ck_assert_int_eq(trm_pool_set_threshold(store.device, 14), TRM_OK);
    ck_assert_uint_eq(asked.threshold, 14);
    ck_assert_int_eq(trm_pool_get_stats(store.device, &stats), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_pool_set_threshold(store.device, 13), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_pool_trim(store.device, 5), TRM_OK);
    ck_assert_uint_eq(asked.trims, 1);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        allocation_in_order_is_the_backends,
        a_buffer_allocated_in_order_and_destroyed_goes_back_to_the_backends_pool,
        buffers_not_allocated_in_order_are_the_cores,
        out_of_memory_in_order_trims_and_tries_once_more,
        the_threshold_of_the_settings_is_the_backends_from_the_start,
        a_device_whose_pool_cannot_be_set_up_is_not_opened,
        a_pool_that_leaves_allocation_to_the_core_still_trims,
        trim_threshold_and_statistics_take_in_the_backends_pool,
    };
    Suite *suite = suite_create("pool of the backend");
    TCase *tests = tcase_create("pool of the backend");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
