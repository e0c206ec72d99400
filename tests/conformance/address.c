/* Addresses of buffers, and kernels that reach memory through them.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "shaders.h"

#include <trireme/interop.h>

enum {
    N = 200
};

/* 0, with the reason printed, where kernels reach no memory through addresses. */
static uint64_t address_or_skip(struct trm_buffer *buffer)
{
    uint64_t address = 0;
    int32_t status   = trm_buffer_address(buffer, &address);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip(trm_last_error().sentence);
        ck_assert_uint_eq(address, 0);
        return 0;
    }
    ck_ok(status);
    ck_assert_uint_ne(address, 0);
    return address;
}

/* ---- addresses ---- */

START_TEST(a_buffer_has_one_address_for_all_its_life)
{
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *buffer = make_buffer(the.device, all_kinds[k], N);
        uint64_t again            = 0;
        if (!buffer)
            continue;
        uint64_t address = address_or_skip(buffer);
        if (address != 0) {
            ck_ok(trm_buffer_address(buffer, &again));
            ck_assert_uint_eq(again, address);
            put_pattern(the.stream, buffer, N, 1);
            ck_ok(trm_buffer_address(buffer, &again));
            ck_assert_uint_eq(again, address);
        }
        trm_buffer_destroy(buffer);
    }
}
END_TEST

/* A property says it before there is a buffer. */
START_TEST(devices_without_addresses_say_so)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, N);
    uint64_t has = 0, address = 0;
    int32_t status = trm_device_get_info(the.device, TRM_DEVICE_ADDRESSES, &has, sizeof(has), NULL);
    ck_assert_msg(status == TRM_OK || status == TRM_ERROR_NOT_FOUND, "%s", trm_status_name(status));
    ck_status(trm_buffer_address(buffer, &address), has != 0 ? TRM_OK : TRM_ERROR_UNSUPPORTED);
    ck_assert((address != 0) == (has != 0));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(buffers_that_live_have_different_addresses)
{
    struct trm_buffer *buffers[20];
    uint64_t addresses[20];
    for (int i = 0; i < 20; i++) {
        buffers[i]   = make_buffer(the.device, TRM_MEMORY_DEVICE, 64 + (uint64_t)i * 1000);
        addresses[i] = address_or_skip(buffers[i]);
        if (addresses[i] == 0) {
            for (int k = 0; k <= i; k++)
                trm_buffer_destroy(buffers[k]);
            return;
        }
        for (int k = 0; k < i; k++)
            ck_assert(addresses[i] >= addresses[k] + 64 + (uint64_t)k * 1000 ||
                      addresses[k] >= addresses[i] + 64 + (uint64_t)i * 1000);
    }
    for (int i = 0; i < 20; i++)
        trm_buffer_destroy(buffers[i]);
}
END_TEST

START_TEST(what_has_no_address_is_refused)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, N);
    struct trm_buffer *empty  = make_buffer(the.device, TRM_MEMORY_DEVICE, 0);
    uint64_t address          = 7;
    ck_refused(trm_buffer_address(NULL, &address));
    ck_refused(trm_buffer_address(buffer, NULL));
    ck_status(trm_buffer_address(empty, &address), TRM_ERROR_INVALID_ARGUMENT);
    trm_buffer_destroy(empty);
    trm_buffer_destroy(buffer);
    ck_status(trm_buffer_address(buffer, &address), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_buffer_address((struct trm_buffer *)the.stream, &address), TRM_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(address, 7);
}
END_TEST

/* Memory of the pool, of a stream, of an array, for other processes, and while it is mapped. */
START_TEST(memory_of_every_origin_has_an_address)
{
    struct trm_buffer *plain = make_buffer(the.device, TRM_MEMORY_DEVICE, N), *ordered = NULL, *ipc = NULL;
    void *mapped     = NULL;
    uint64_t address = address_or_skip(plain), other = 0;
    if (address != 0) {
        ck_ok(trm_buffer_map(plain, TRM_MAP_READ, &mapped));
        ck_ok(trm_buffer_address(plain, &other));
        ck_assert_uint_eq(other, address);
        ck_ok(trm_buffer_unmap(plain));
        ck_ok(trm_stream_alloc(the.stream, N, &ordered));
        ck_ok(trm_buffer_address(ordered, &other));
        ck_assert_uint_ne(other, address);
        ck_ok(trm_stream_free(the.stream, ordered));
        if (trm_buffer_create_ipc(the.device, N, &ipc) == TRM_OK) {
            ck_ok(trm_buffer_address(ipc, &other));
            trm_buffer_destroy(ipc);
        }
    }
    trm_buffer_destroy(plain);
}
END_TEST

/* ---- kernels ---- */

struct reach {
    struct trm_kernel *kernel;
    struct trm_buffer *first, *second, *table;
    uint64_t addresses[2];
};

static bool reach_make(struct reach *reach, struct trm_device *device, struct trm_stream *stream)
{
    struct trm_module_desc desc = shader_desc("reach");
    struct trm_module *module   = NULL;
    uint32_t zeros[N]           = {0};
    *reach              = (struct reach){.first = make_buffer(device, TRM_MEMORY_DEVICE, sizeof(zeros))};
    reach->addresses[0] = address_or_skip(reach->first);
    int32_t status =
        reach->addresses[0] != 0 ? trm_module_load(device, &desc, &module) : TRM_ERROR_UNSUPPORTED;
    if (status == TRM_ERROR_UNSUPPORTED) {
        if (reach->addresses[0] != 0)
            skip(trm_last_error().sentence);
        trm_buffer_destroy(reach->first);
        return false;
    }
    ck_ok(status);
    ck_ok(trm_kernel_get(module, NULL, &reach->kernel));
    trm_module_destroy(module);
    reach->second = make_buffer(device, TRM_MEMORY_DEVICE, sizeof(zeros));
    reach->table  = make_buffer(device, TRM_MEMORY_DEVICE, 16);
    ck_ok(trm_buffer_address(reach->second, &reach->addresses[1]));
    put(stream, reach->first, 0, zeros, sizeof(zeros));
    put(stream, reach->second, 0, zeros, sizeof(zeros));
    put(stream, reach->table, 0, &reach->addresses[1], sizeof(uint64_t));
    return true;
}

static void reach_end(struct reach *reach)
{
    trm_buffer_destroy(reach->first);
    trm_buffer_destroy(reach->second);
    trm_buffer_destroy(reach->table);
    trm_kernel_destroy(reach->kernel);
}

/* `reached`: how many of the buffers the launch names. */
static int32_t reach_launch(const struct reach *reach, struct trm_stream *stream, uint64_t address,
                            uint32_t count, uint32_t add, uint32_t reached)
{
    struct trm_argument arguments[] = {
        trm_arg_buffer(reach->table),  trm_arg_u64(address),          trm_arg_u32(count), trm_arg_u32(add),
        trm_arg_reached(reach->first), trm_arg_reached(reach->second)};
    struct trm_grid grid = trm_grid_1d((count + 63) / 64, 0);
    return trm_launch(stream, reach->kernel, &grid, arguments, 4 + reached);
}

static void ck_numbers(struct trm_stream *stream, struct trm_buffer *buffer, uint32_t expected)
{
    uint32_t found[N];
    get(stream, buffer, 0, found, sizeof(found));
    ck_words(found, N, expected);
}

START_TEST(a_kernel_reaches_buffers_by_addresses_in_arguments_and_in_memory)
{
    struct reach reach;
    if (!reach_make(&reach, the.device, the.stream))
        return;
    for (uint32_t i = 0; i < 3; i++)
        ck_ok(reach_launch(&reach, the.stream, reach.addresses[0], N, 5, i));
    ck_numbers(the.stream, reach.first, 15);
    ck_numbers(the.stream, reach.second, 30);
    reach_end(&reach);
}
END_TEST

/* Copies and launches that the backend cannot relate to the addresses keep their order. */
START_TEST(work_on_reached_buffers_stays_in_order)
{
    struct reach reach;
    if (!reach_make(&reach, the.device, the.stream))
        return;
    for (uint32_t i = 1; i < 20; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(reach.first), i, 4));
        ck_ok(reach_launch(&reach, the.stream, reach.addresses[0], N, 100, 2));
        ck_ok(trm_copy(the.stream, trm_span_whole(reach.second), trm_span_whole(reach.first)));
        ck_ok(reach_launch(&reach, the.stream, reach.addresses[1], N, 1000, 2));
        ck_numbers(the.stream, reach.second, i + 100 + 3000);
        ck_numbers(the.stream, reach.first, i + 100);
    }
    reach_end(&reach);
}
END_TEST

START_TEST(a_reached_buffer_that_is_destroyed_stays_until_the_launch_is_done)
{
    struct reach reach;
    uint32_t numbers[N];
    if (!reach_make(&reach, the.device, the.stream))
        return;
    struct trm_buffer *kept = reach.first;
    struct hold *hold       = hold_begin(the.stream);
    ck_ok(reach_launch(&reach, the.stream, reach.addresses[0], N, 9, 2));
    ck_ok(trm_download(the.stream, numbers, trm_span_whole(reach.first)));
    trm_buffer_destroy(reach.second);
    reach.second = NULL;
    if (hold_works())
        ck_status(trm_buffer_wait(kept, 0), TRM_ERROR_TIMEOUT);
    /* memory that the pool would hand out again */
    struct trm_buffer *other = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(numbers));
    uint64_t address         = 0;
    ck_ok(trm_buffer_address(other, &address));
    if (hold_works())
        ck_assert_uint_ne(address, reach.addresses[1]);
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    ck_words(numbers, N, 9);
    trm_buffer_destroy(other);
    reach_end(&reach);
}
END_TEST

START_TEST(a_graph_keeps_the_buffers_that_its_launches_reach)
{
    struct reach reach;
    struct trm_graph *graph     = NULL;
    struct trm_graph_exec *exec = NULL;
    struct trm_stream *recorder = NULL;
    if (!reach_make(&reach, the.device, the.stream))
        return;
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recorder));
    ck_ok(reach_launch(&reach, recorder, reach.addresses[0], N, 3, 2));
    ck_ok(reach_launch(&reach, recorder, reach.addresses[0], N, 4, 2));
    ck_ok(trm_graph_instantiate(graph, &exec));
    trm_graph_destroy(graph);
    trm_buffer_destroy(reach.second);
    reach.second = NULL;
    for (int i = 0; i < 4; i++)
        ck_ok(trm_graph_launch(exec, the.stream));
    ck_numbers(the.stream, reach.first, 28);
    trm_graph_exec_destroy(exec);
    reach_end(&reach);
}
END_TEST

START_TEST(reached_buffers_are_checked_and_follow_all_arguments)
{
    struct reach reach;
    struct trm_argument wrong[6];
    struct trm_grid grid = trm_grid_1d(1, 0);
    if (!reach_make(&reach, the.device, the.stream))
        return;
    struct trm_buffer *gone = make_buffer(the.device, TRM_MEMORY_DEVICE, 16);
    trm_buffer_destroy(gone);
    struct trm_argument right[] = {trm_arg_buffer(reach.table),
                                   trm_arg_u64(reach.addresses[0]),
                                   trm_arg_u32(N),
                                   trm_arg_u32(1),
                                   trm_arg_reached(reach.first),
                                   trm_arg_reached(gone)};
    ck_status(trm_launch(the.stream, reach.kernel, &grid, right, 6), TRM_ERROR_INVALID_HANDLE);
    ck_sentence_has("reached buffer 1");
    memcpy(wrong, right, sizeof(right));
    wrong[3] = right[4];
    ck_status(trm_launch(the.stream, reach.kernel, &grid, wrong, 4), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("reached through an address");
    wrong[3] = right[3];
    wrong[5] = right[3];
    ck_status(trm_launch(the.stream, reach.kernel, &grid, wrong, 6), TRM_ERROR_INVALID_ARGUMENT);
    /* Another device's, unless this one can access it. */
    struct trm_device *device = second_device();
    if (device != NULL && trm_device_can_access(the.device, device) != TRM_OK) {
        struct trm_buffer *foreign = make_buffer(device, TRM_MEMORY_DEVICE, 16);
        right[5]                   = trm_arg_reached(foreign);
        ck_status(trm_launch(the.stream, reach.kernel, &grid, right, 6), TRM_ERROR_WRONG_DEVICE);
        trm_buffer_destroy(foreign);
    }
    ck_numbers(the.stream, reach.first, 0);
    reach_end(&reach);
}
END_TEST

/* ---- bounds ---- */

/* Launches with an address that is wrong. The stream fails, or a warning says that the device does not
 * check. */
static void launch_wrongly(const char *part, uint64_t difference, int is_null, int is_destroyed)
{
    struct trm_setting setting  = {.name = "kernel.bounds", .value = "yes"};
    struct trm_context *context = NULL;
    struct reach reach;
    if (strcmp(backend_under_test(), "cpu") != 0) {
        skip("only the cpu checks addresses");
        return;
    }
    ck_ok(context_with(&setting, 1, &context));
    struct trm_device *device = open_device(context);
    struct trm_stream *doomed = make_stream(device), *other = make_stream(device);
    if (reach_make(&reach, device, other)) {
        uint64_t address = is_null ? 0 : reach.addresses[0] + difference;
        ck_ok(reach_launch(&reach, other, reach.addresses[0], N, 2, 2));
        ck_numbers(other, reach.first, 2);
        if (is_destroyed) {
            trm_buffer_destroy(reach.first);
            reach.first = make_buffer(device, TRM_MEMORY_PINNED, sizeof(uint32_t) * N);
        }
        ck_ok(reach_launch(&reach, doomed, address, N, 2, 0));
        ck_status(trm_stream_sync(doomed), TRM_ERROR_KERNEL);
        ck_sentence_has(part);
        ck_sentence_has("reach.comp:");
        if (!is_destroyed && difference == UINT64_MAX)
            ck_numbers(other, reach.first, 2);
        reach_end(&reach);
    }
    trm_stream_destroy(other);
    trm_stream_destroy(doomed);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

START_TEST(with_kernel_bounds_a_null_address_fails_the_launch)
{
    launch_wrongly("null address", 0, 1, 0);
}
END_TEST

START_TEST(with_kernel_bounds_an_address_beyond_its_buffer_fails_the_launch)
{
    launch_wrongly("through the address of a 'Numbers'", 4, 0, 0);
}
END_TEST

START_TEST(with_kernel_bounds_an_address_that_is_not_aligned_fails_the_launch)
{
    launch_wrongly("not aligned", 1, 0, 0);
}
END_TEST

START_TEST(with_kernel_bounds_the_address_of_a_destroyed_buffer_fails_the_launch)
{
    launch_wrongly("through the address of a 'Numbers'", 0, 0, 1);
}
END_TEST

void add_address(Suite *suite)
{
    TCase *group = group_make(suite, "addresses");
    CASE(group, a_buffer_has_one_address_for_all_its_life);
    CASE(group, devices_without_addresses_say_so);
    CASE(group, buffers_that_live_have_different_addresses);
    CASE(group, what_has_no_address_is_refused);
    CASE(group, memory_of_every_origin_has_an_address);
    CASE(group, a_kernel_reaches_buffers_by_addresses_in_arguments_and_in_memory);
    CASE(group, work_on_reached_buffers_stays_in_order);
    CASE(group, a_reached_buffer_that_is_destroyed_stays_until_the_launch_is_done);
    CASE(group, a_graph_keeps_the_buffers_that_its_launches_reach);
    CASE(group, reached_buffers_are_checked_and_follow_all_arguments);
    CASE(group, with_kernel_bounds_a_null_address_fails_the_launch);
    CASE(group, with_kernel_bounds_an_address_beyond_its_buffer_fails_the_launch);
    CASE(group, with_kernel_bounds_an_address_that_is_not_aligned_fails_the_launch);
    CASE(group, with_kernel_bounds_the_address_of_a_destroyed_buffer_fails_the_launch);
}
