/* The setting stream.serial: work is done, and has failed, when the call that enqueues it returns.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "kernels.h"

#define N 1000u

struct serial {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream, *other;
    struct trm_buffer *buffer;
};

static void open_serial(struct serial *it)
{
    struct trm_setting setting = {.name = "stream.serial", .value = "yes"};
    *it                        = (struct serial){0};
    ck_ok(context_with(&setting, 1, &it->context));
    it->device = open_device(it->context);
    it->buffer = make_buffer(it->device, TRM_MEMORY_DEVICE, sizeof(uint32_t) * N);
    ck_ok(trm_stream_create(it->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &it->stream));
    ck_ok(trm_stream_create(it->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &it->other));
}

static void close_serial(struct serial *it)
{
    trm_buffer_destroy(it->buffer);
    trm_stream_destroy(it->stream);
    trm_stream_destroy(it->other);
    trm_device_destroy(it->device);
    trm_context_destroy(it->context);
}

static void note(void *user, int32_t status)
{
    *(int32_t *)user = status == TRM_OK ? 1 : 2;
}

START_TEST(each_operation_is_done_when_its_call_returns)
{
    static uint32_t numbers[N], found[N];
    struct serial it;
    int32_t noted = 0;
    open_serial(&it);
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = i;
    for (unsigned round = 0; round < 20; round++) {
        ck_ok(trm_fill(it.stream, trm_span_whole(it.buffer), 0, 4));
        ck_ok(trm_stream_query(it.stream));
        ck_ok(trm_upload(it.stream, trm_span_whole(it.buffer), numbers));
        ck_ok(trm_stream_query(it.stream));
        memset(found, 0, sizeof(found));
        ck_ok(trm_download(it.stream, found, trm_span_whole(it.buffer)));
        ck_ok(trm_stream_query(it.stream));
        ck_assert_mem_eq(found, numbers, sizeof(numbers));
        noted = 0;
        ck_ok(trm_stream_callback(it.stream, note, &noted));
        ck_assert_int_eq(noted, 1);
        ck_ok(trm_stream_query(it.stream));
    }
    close_serial(&it);
}
END_TEST

START_TEST(a_launch_that_fails_returns_its_own_failure)
{
    if (functions_missing())
        return;
    struct serial it;
    struct trm_kernel *fails     = NULL;
    struct trm_grid grid         = trm_grid_1d(1, 1);
    struct trm_argument argument = trm_arg_i32(0);
    open_serial(&it);
    struct trm_module *module = load_kernels(it.device);
    ck_ok(trm_kernel_get(module, "fail", &fails));
    ck_ok(trm_launch(it.stream, fails, &grid, &argument, 1));
    argument = trm_arg_i32(23);
    ck_status(trm_launch(it.stream, fails, &grid, &argument, 1), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 23);
    ck_status(trm_stream_sync(it.stream), TRM_ERROR_KERNEL);
    ck_ok(trm_stream_sync(it.other));
    trm_kernel_destroy(fails);
    trm_module_destroy(module);
    close_serial(&it);
}
END_TEST

START_TEST(streams_that_wait_for_each_other_go_on)
{
    struct serial it;
    uint32_t found = 0;
    open_serial(&it);
    struct trm_stream *streams[] = {it.stream, it.other};
    for (uint32_t n = 1; n <= 50; n++) {
        struct trm_point point;
        ck_ok(trm_fill(it.stream, trm_span_whole(it.buffer), n, 4));
        ck_ok(trm_stream_mark(it.stream, &point));
        ck_ok(trm_stream_wait(it.other, point));
        ck_ok(trm_download(it.other, &found, trm_span_of(it.buffer, 0, sizeof(found))));
        ck_assert_uint_eq(found, n);
        ck_ok(trm_stream_barrier(streams, 2));
    }
    close_serial(&it);
}
END_TEST

struct inside {
    struct serial *it;
    int32_t status;
};

static void fill_inside(void *user, int32_t status)
{
    struct inside *inside = user;
    inside->status =
        status != TRM_OK ? status : trm_fill(inside->it->stream, trm_span_whole(inside->it->buffer), 5, 4);
}

START_TEST(a_callback_may_enqueue_on_its_own_stream)
{
    struct serial it;
    uint32_t found = 0;
    open_serial(&it);
    struct inside inside = {&it, TRM_ERROR_TIMEOUT};
    ck_ok(trm_fill(it.stream, trm_span_whole(it.buffer), 1, 4));
    ck_ok(trm_stream_callback(it.stream, fill_inside, &inside));
    ck_ok(inside.status);
    ck_ok(trm_download(it.stream, &found, trm_span_of(it.buffer, 0, sizeof(found))));
    ck_assert_uint_eq(found, 5);
    close_serial(&it);
}
END_TEST

void add_serial(Suite *suite)
{
    TCase *group = group_make(suite, "serial");
    CASE(group, each_operation_is_done_when_its_call_returns);
    CASE(group, a_launch_that_fails_returns_its_own_failure);
    CASE(group, streams_that_wait_for_each_other_go_on);
    CASE(group, a_callback_may_enqueue_on_its_own_stream);
}
