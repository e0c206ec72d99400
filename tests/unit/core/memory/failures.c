/* Every allocation of host memory fails once: the call returns OUT_OF_HOST_MEMORY or works without it,
 * and leaks nothing.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "tests/unit/counting.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define MIB (UINT64_C(1) << 20)

static struct counting counting;
static struct store store, other;
static struct trm_context *context;

static int32_t function(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

static void open_all(void)
{
    struct trm_allocator allocator = counting_allocator(&counting);

    memset(&counting, 0, sizeof(counting));
    memset(&store, 0, sizeof(store));
    memset(&other, 0, sizeof(other));
    context = store_context(&allocator);
    store_prepare(&store, "store");
    store_prepare(&other, "other");
    store.backend.stream.fill = NULL;
    store_open(&store, context);
    store_open(&other, context);
}

static void close_all(void)
{
    counting.fail_at = 0;
    store_close(&store);
    store_close(&other);
    trm_context_destroy(context);
    counting_is_balanced(&counting);
}

/* Repeats a piece of work; each round fails the allocation after the one that failed before, until no
 * allocation fails. Every round has a device of its own, whose pools are empty. */
static void fail_each(int32_t (*work)(void))
{
    for (int64_t number = 1;; number++) {
        open_all();
        int64_t before   = counting.allocations;
        counting.fail_at = before + number;
        int32_t status   = work();
        int64_t reached  = counting.allocations;
        close_all();
        ck_assert(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY);
        if (reached < before + number) {
            ck_assert_int_eq(status, TRM_OK);
            ck_assert_int_gt(number, 1);
            return;
        }
    }
}

static int32_t create_buffers(void)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = 3 * MIB, .flags = TRM_BUFFER_ZEROED};
    struct trm_buffer *small, *zeroed;

    int32_t status = trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 1000, &small);
    if (status != TRM_OK)
        return status;
    status = trm_buffer_create_from(store.device, &desc, &zeroed);
    if (status == TRM_OK) {
        ck_assert_uint_eq(store_bytes(zeroed)[3 * MIB - 1], 0);
        trm_buffer_destroy(zeroed);
    }
    trm_buffer_destroy(small);
    return status;
}

START_TEST(creating_buffers)
{
    fail_each(create_buffers);
}
END_TEST

static int32_t map_buffer(void)
{
    struct trm_buffer *buffer;
    void *pointer;

    int32_t status = trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 1000, &buffer);
    if (status != TRM_OK)
        return status;
    memset(store_bytes(buffer), 1, 1000);
    status = trm_buffer_map(buffer, TRM_MAP_READ | TRM_MAP_WRITE, &pointer);
    if (status == TRM_OK) {
        memset(pointer, 3, 1000);
        status = trm_buffer_unmap(buffer);
    }
    if (status == TRM_OK)
        ck_assert_uint_eq(store_bytes(buffer)[999], 3);
    trm_buffer_destroy(buffer);
    return status;
}

START_TEST(mapping)
{
    fail_each(map_buffer);
}
END_TEST

static int32_t free_in_order(void)
{
    struct trm_buffer *buffers[10];
    struct trm_stream *stream;
    uint32_t count = 0;

    int32_t status = trm_stream_create(store.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status != TRM_OK)
        return status;
    while (count < 10 && (status = trm_stream_alloc(stream, 256u << count, &buffers[count])) == TRM_OK) {
        memset(store_bytes(buffers[count]), 0, 256u << count);
        count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t filled = trm_fill(stream, trm_span_whole(buffers[i]), 1, 1);
        ck_assert_int_eq(trm_stream_free(stream, buffers[i]), TRM_OK);
        if (filled != TRM_OK)
            status = filled;
    }
    trm_stream_destroy(stream);
    return status;
}

START_TEST(allocating_and_freeing_in_stream_order)
{
    fail_each(free_in_order);
}
END_TEST

static int32_t copy_between_devices(void)
{
    struct trm_buffer *here = NULL, *there = NULL;
    struct trm_stream *stream = NULL;

    int32_t status = trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 5 * MIB, &here);
    if (status == TRM_OK)
        status = trm_buffer_create(other.device, TRM_MEMORY_DEVICE, 5 * MIB, &there);
    if (status == TRM_OK)
        status = trm_stream_create(store.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status == TRM_OK) {
        memset(store_bytes(there), 9, 5 * MIB);
        status = trm_copy(stream, trm_span_whole(here), trm_span_whole(there));
    }
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    if (status == TRM_OK)
        ck_assert_int_eq(memcmp(store_bytes(here), store_bytes(there), 5 * MIB), 0);
    trm_buffer_destroy(here);
    trm_buffer_destroy(there);
    trm_stream_destroy(stream);
    return status;
}

START_TEST(copying_between_devices)
{
    fail_each(copy_between_devices);
}
END_TEST

static int32_t launch(void)
{
    const struct trm_cpu_kernel functions[] = {{.name = "f", .function = function}};
    struct trm_module_desc desc             = {.struct_size = sizeof(desc),
                                               .format      = TRM_MODULE_FUNCTIONS,
                                               .data        = functions,
                                               .size        = sizeof(functions)};
    struct trm_grid grid                    = trm_grid_1d(1, 32);
    struct trm_module *module               = NULL;
    struct trm_kernel *kernel               = NULL;
    struct trm_stream *stream               = NULL;
    struct trm_argument arguments[24];

    for (uint32_t i = 0; i < 24; i++)
        arguments[i] = trm_arg_u32(i);
    int32_t status = trm_stream_create(store.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status == TRM_OK)
        status = trm_module_load(store.device, &desc, &module);
    if (status == TRM_OK)
        status = trm_kernel_get(module, "many", &kernel);
    if (status == TRM_OK)
        status = trm_launch(stream, kernel, &grid, arguments, 24);
    trm_module_destroy(module);
    trm_kernel_destroy(kernel);
    trm_stream_destroy(stream);
    return status;
}

START_TEST(launching)
{
    fail_each(launch);
}
END_TEST

static int32_t use_array(void)
{
    struct trm_array *array, *copy;

    int32_t status = trm_array_create(store.device, TRM_TYPE_U8, 3 * MIB, TRM_MEMORY_DEVICE, NULL, &array);
    if (status != TRM_OK)
        return status;
    status = trm_array_create(store.device, TRM_TYPE_U8, 3 * MIB, TRM_MEMORY_DEVICE, NULL, &copy);
    if (status == TRM_OK) {
        status = trm_array_copy(copy, array);
        trm_array_destroy(copy);
    }
    trm_array_destroy(array);
    return status;
}

START_TEST(arrays)
{
    fail_each(use_array);
}
END_TEST

static int32_t use_graph(void)
{
    static uint8_t up[1000], down[1000];
    struct trm_graph_exec *exec  = NULL;
    struct trm_graph *graph      = NULL;
    struct trm_stream *recording = NULL, *stream = NULL;
    struct trm_buffer *buffer = NULL;

    int32_t status = trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 1000, &buffer);
    if (status == TRM_OK)
        status = trm_stream_create(store.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status == TRM_OK)
        status = trm_graph_create(store.device, &graph);
    if (status == TRM_OK)
        status = trm_graph_record(graph, &recording);
    for (int i = 0; i < 10 && status == TRM_OK; i++)
        status = trm_upload(recording, trm_span_whole(buffer), up);
    if (status == TRM_OK)
        status = trm_download(recording, down, trm_span_whole(buffer));
    if (status == TRM_OK)
        status = trm_graph_instantiate(graph, &exec);
    if (status == TRM_OK)
        status = trm_graph_update_upload(exec, 9, trm_span_of(buffer, 0, 8), up);
    if (status == TRM_OK)
        status = trm_graph_launch(exec, stream);
    if (status == TRM_OK)
        status = trm_graph_update_download(exec, 10, down, trm_span_of(buffer, 0, 0));
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    return status;
}

START_TEST(graphs)
{
    fail_each(use_graph);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        creating_buffers, mapping, allocating_and_freeing_in_stream_order, copying_between_devices, launching,
        arrays,           graphs,
    };
    Suite *suite = suite_create("host memory that fails");
    TCase *tests = tcase_create("host memory that fails");

    tcase_set_timeout(tests, 60);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
