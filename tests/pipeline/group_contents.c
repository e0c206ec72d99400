/* Buffers of groups: their contents after failures, and threads that need them while a task waits for a
 * stream.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <trireme/group_pool.h>

#define BYTES 4096u

/* ---- two devices ---------------------------------------------------------------------------- */

/* Fails where `answer` is not 0. */
static int32_t work(const struct trm_cpu_groups *groups, const void *block)
{
    const struct {
        uint64_t ns;
        int32_t answer;
    } *arguments = block;

    (void)groups;
    return arguments->answer;
}

static const struct trm_parameter work_parameters[] = {
    {.name = "ns", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U64},
    {.name = "answer", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_I32},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name            = "work",
     .function        = work,
     .parameters      = work_parameters,
     .parameter_count = 2,
     .group_size      = {1, 1, 1}},
};

static struct trm_group *group;
static struct trm_group_kernel *kernel;
static struct trm_stream_pool *pool;

static struct trm_group_buffer *make_buffer(void)
{
    const struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = BYTES, .flags = TRM_BUFFER_ZEROED};
    struct trm_group_buffer *buffer = NULL;

    ck_ok(trm_group_buffer_create(group, &desc, &buffer));
    return buffer;
}

static void open_on(enum fixture_backend backend, const char *setting)
{
    struct trm_setting settings[] = {{setting, "2"}, {"stream.models", "no"}};
    struct trm_module_desc desc   = {.struct_size = sizeof(desc),
                                     .format      = TRM_MODULE_FUNCTIONS,
                                     .data        = kernels,
                                     .size        = sizeof(kernels)};

    fixture_open(backend, settings, 2);
    ck_ok(trm_group_create(the.context, "*", &group));
    ck_ok(trm_group_kernel_load(group, &desc, "work", &kernel));
    ck_ok(trm_group_pool_create(group, NULL, &pool));
}

static void close_all(void)
{
    trm_stream_pool_destroy(pool);
    trm_group_kernel_destroy(kernel);
    trm_group_destroy(group);
    fixture_close();
}

static uint32_t current(struct trm_group_buffer *buffer)
{
    uint32_t devices = 0;

    ck_ok(trm_group_buffer_current(buffer, &devices));
    return devices;
}

/* All bytes of the buffer as the group gives them are `byte`. */
static void ck_contents(struct trm_group_buffer *buffer, unsigned char byte)
{
    unsigned char bytes[BYTES];

    ck_ok(trm_group_buffer_read(buffer, 0, bytes, BYTES));
    for (uint32_t i = 0; i < BYTES; i++)
        ck_assert_uint_eq(bytes[i], byte);
}

static int32_t read_all(struct trm_group_buffer *buffer)
{
    unsigned char bytes[BYTES];

    return trm_group_buffer_read(buffer, 0, bytes, BYTES);
}

static int32_t write_all(struct trm_group_buffer *buffer, unsigned char byte)
{
    unsigned char bytes[BYTES];

    memset(bytes, byte, BYTES);
    return trm_group_buffer_write(buffer, 0, bytes, BYTES);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

struct job {
    uint64_t ns;
    int32_t answer;
};

static int32_t launch(void *user, struct trm_stream *stream)
{
    const struct job *job = user;
    struct trm_kernel *one;
    struct trm_grid grid = trm_grid_1d(1, 0);
    uint32_t device;
    int32_t status = trm_group_pool_find(pool, stream, &device);

    if (status == TRM_OK)
        status = trm_group_kernel_get(kernel, device, &one);
    if (status != TRM_OK)
        return status;
    struct trm_argument arguments[] = {trm_arg_u64(job->ns), trm_arg_i32(job->answer)};
    return trm_launch(stream, one, &grid, arguments, 2);
}

/* after: a point that the task waits for, or NULL. */
static struct trm_point submit_after(const struct trm_point *after, struct job *job, uint32_t devices,
                                     const struct trm_group_use *uses, uint32_t count)
{
    const struct trm_stream_task task = {.struct_size = sizeof(task),
                                         .enqueue     = launch,
                                         .user        = job,
                                         .devices     = devices,
                                         .after       = after,
                                         .after_count = after != NULL,
                                         .uses        = uses,
                                         .use_count   = count};
    struct trm_point point            = {.value = 0};

    ck_ok(trm_stream_pool_submit(pool, &task, &point));
    return point;
}

static struct trm_point submit(struct job *job, uint32_t devices, const struct trm_group_use *uses,
                               uint32_t count)
{
    return submit_after(NULL, job, devices, uses, count);
}

/* A task that writes the buffer on a device has failed. */
static void spoil(struct trm_group_buffer *buffer, uint32_t device)
{
    const struct trm_group_use use = {.buffer = buffer, .access = TRM_ACCESS_WRITE};
    struct job fails               = {.answer = 7};

    ck_assert_int_eq(trm_point_wait(submit(&fails, 1u << device, &use, 1), TRM_FOREVER), TRM_ERROR_KERNEL);
}

/* ---- failed tasks --------------------------------------------------------------------------- */

START_TEST(contents_that_a_failed_task_left_stay_failed_when_a_part_is_written)
{
    const uint32_t word = 5;

    open_on(ON_TIMED, "timed.devices");
    struct trm_group_buffer *buffer = make_buffer();
    spoil(buffer, (uint32_t)_i);
    ck_assert_int_eq(read_all(buffer), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_group_buffer_write(buffer, 0, &word, sizeof(word)), TRM_ERROR_KERNEL);
    ck_assert_int_eq(read_all(buffer), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_group_buffer_update(buffer, 1 - (uint32_t)_i), TRM_ERROR_KERNEL);
    ck_assert_int_eq(read_all(buffer), TRM_ERROR_KERNEL);
    ck_ok(write_all(buffer, 3));
    ck_contents(buffer, 3);
    ck_assert_uint_eq(current(buffer), 3);
    ck_ok(trm_group_buffer_write(buffer, 0, &word, sizeof(word)));
    ck_assert_uint_eq(current(buffer), 3);
    trm_group_buffer_destroy(buffer);
    close_all();
}
END_TEST

START_TEST(a_program_that_fills_what_a_failed_task_left_makes_it_good)
{
    open_on(ON_TIMED, "timed.devices");
    struct trm_group_buffer *buffer = make_buffer();
    spoil(buffer, 1);
    ck_ok(trm_group_buffer_changed(buffer, 1));
    ck_assert_uint_eq(current(buffer), 2);
    ck_contents(buffer, 0);
    trm_group_buffer_destroy(buffer);
    close_all();
}
END_TEST

/* Holds its stream. */
static void wait_until_set(void *user, int32_t status)
{
    (void)status;
    while (!atomic_load((atomic_bool *)user))
        sched_yield();
}

/* Two buffers go to device 0 by one stream of copies, and the task that made the first one fails, when the
 * task that needs both is submitted. */
START_TEST(a_copy_that_a_failure_kept_from_a_device_leaves_the_sound_one)
{
    struct job fails = {.ns = MS, .answer = 7}, works = {.ns = MS};
    struct trm_stream *held;
    struct trm_point before;
    atomic_bool may_fail = false;
    unsigned char byte   = 5;

    open_on(ON_TIMED, "timed.devices");
    struct trm_group_buffer *bad = make_buffer(), *good = make_buffer();
    ck_ok(trm_group_buffer_changed(good, 1));
    const struct trm_group_use writes = {.buffer = bad, .access = TRM_ACCESS_WRITE};
    const struct trm_group_use both[] = {{.buffer = bad, .access = TRM_ACCESS_READ},
                                         {.buffer = good, .access = TRM_ACCESS_READ}};
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &held));
    ck_ok(trm_stream_callback(held, wait_until_set, &may_fail));
    ck_ok(trm_stream_mark(held, &before));
    submit_after(&before, &fails, 2, &writes, 1);
    struct trm_point behind = submit(&works, 1, both, 2);
    atomic_store(&may_fail, true);
    if (_i == 0) {
        ck_contents(good, 0);
        ck_assert_uint_eq(current(good), 2);
        ck_ok(trm_group_buffer_write(good, 0, &byte, 1));
        ck_assert_uint_eq(current(good), 2);
    }
    ck_ok(trm_group_buffer_update(good, 0));
    ck_assert_uint_eq(current(good), 3);
    ck_assert_int_eq(trm_point_wait(behind, TRM_FOREVER), TRM_ERROR_KERNEL);
    trm_stream_destroy(held);
    trm_group_buffer_destroy(bad);
    trm_group_buffer_destroy(good);
    close_all();
}
END_TEST

/* ---- writes that fail ----------------------------------------------------------------------- */

START_TEST(writing_that_fails_on_a_device_leaves_only_copies_that_agree)
{
    const uint32_t written[] = {
        2, 1}; /* the devices whose copies agree when writing failed at the first or second */
    char rule[32];

    open_on(ON_PROXIED_CPU, "cpu.devices");
    struct trm_group_buffer *buffer = make_buffer();
    ck_ok(write_all(buffer, 1));
    snprintf(rule, sizeof(rule), "copy:%d:once:%d", _i + 1, TRM_ERROR_BACKEND);
    ck_ok(the.control->fault(rule));
    ck_assert_int_eq(write_all(buffer, 2), TRM_ERROR_BACKEND);
    the.control->disarm();
    ck_assert_uint_eq(current(buffer), written[_i]);
    ck_contents(buffer, _i == 0 ? 1 : 2);
    ck_ok(write_all(buffer, 4));
    ck_assert_uint_eq(current(buffer), 3);
    ck_contents(buffer, 4);
    trm_group_buffer_destroy(buffer);
    close_all();
}
END_TEST

/* The device is lost at the launch of a task. */
static void lose(uint32_t device)
{
    struct job works = {.answer = 0};
    char rule[32];

    snprintf(rule, sizeof(rule), "launch:1:%d", TRM_ERROR_DEVICE_LOST);
    ck_ok(the.control->async_fault(rule));
    ck_assert_int_eq(trm_point_wait(submit(&works, 1u << device, NULL, 0), TRM_FOREVER),
                     TRM_ERROR_DEVICE_LOST);
    the.control->disarm();
}

START_TEST(a_lost_device_keeps_no_buffer_of_its_group_from_being_written)
{
    const uint32_t lost = (uint32_t)_i, other = 1 - lost;
    const unsigned char byte = 6;

    open_on(ON_PROXIED_CPU, "cpu.devices");
    struct trm_group_buffer *buffer = make_buffer();
    lose(lost);
    ck_ok(write_all(buffer, 6));
    ck_assert_uint_eq(current(buffer), 1u << other);
    ck_contents(buffer, 6);
    ck_ok(trm_group_buffer_write(buffer, 8, &byte, 1));
    ck_contents(buffer, 6);
    lose(other);
    ck_assert_int_eq(write_all(buffer, 7), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(trm_group_buffer_write(buffer, 8, &byte, 1), TRM_ERROR_DEVICE_LOST);
    trm_group_buffer_destroy(buffer);
    close_all();
}
END_TEST

/* ---- threads -------------------------------------------------------------------------------- */

/* A thread submits a task to a device whose only stream is lent. */
struct late {
    struct trm_group_buffer *buffer;
    int32_t status;
    pthread_t thread;
};

static void *submit_late(void *user)
{
    struct late *late                 = user;
    struct job works                  = {.answer = 0};
    const struct trm_group_use use    = {.buffer = late->buffer, .access = TRM_ACCESS_WRITE};
    const struct trm_stream_task task = {.struct_size = sizeof(task),
                                         .enqueue     = launch,
                                         .user        = &works,
                                         .devices     = 1,
                                         .uses        = &use,
                                         .use_count   = 1};
    struct trm_point point;

    late->status = trm_stream_pool_submit(pool, &task, &point);
    return NULL;
}

static struct trm_stream_pool *member(void)
{
    struct trm_stream_pool *one = NULL;

    ck_ok(trm_group_pool_get(pool, 0, &one));
    return one;
}

/* Returns the stream that is lent, when the submit waits for it. */
static struct trm_stream *late_begin(struct late *late, struct trm_group_buffer *buffer)
{
    const struct trm_stream_pool_desc desc = {.struct_size = sizeof(desc), .most = 1};
    struct trm_stream_pool_stats stats     = {.struct_size = sizeof(stats)};
    struct trm_stream *stream              = NULL;

    trm_stream_pool_destroy(pool);
    ck_ok(trm_group_pool_create(group, &desc, &pool));
    ck_ok(trm_stream_pool_acquire(member(), 0, TRM_FOREVER, &stream));
    *late = (struct late){.buffer = buffer};
    ck_assert_int_eq(pthread_create(&late->thread, NULL, submit_late, late), 0);
    while (stats.waits == 0) {
        sched_yield();
        ck_ok(trm_stream_pool_get_stats(member(), &stats));
    }
    return stream;
}

START_TEST(a_task_that_waits_for_a_stream_keeps_no_thread_from_data)
{
    struct late late;

    open_on(ON_TIMED, "timed.devices");
    struct trm_group_buffer *buffer = make_buffer(), *other = make_buffer();
    struct trm_stream *stream = late_begin(&late, buffer);
    ck_contents(other, 0);
    ck_contents(buffer, 0);
    ck_assert_uint_eq(current(buffer), 3);
    ck_ok(trm_stream_pool_release(member(), stream));
    pthread_join(late.thread, NULL);
    ck_assert_int_eq(late.status, TRM_OK);
    ck_assert_uint_eq(current(buffer), 1);
    trm_group_buffer_destroy(buffer);
    trm_group_buffer_destroy(other);
    close_all();
}
END_TEST

START_TEST(a_task_that_waits_for_a_stream_is_refused_when_the_pool_is_destroyed)
{
    struct late late;

    open_on(ON_TIMED, "timed.devices");
    struct trm_group_buffer *buffer = make_buffer();
    late_begin(&late, buffer);
    trm_stream_pool_destroy(pool);
    pthread_join(late.thread, NULL);
    ck_assert_int_eq(late.status, TRM_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(current(buffer), 3);
    ck_ok(trm_group_pool_create(group, NULL, &pool));
    trm_group_buffer_destroy(buffer);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffers of groups");
    TCase *tests = tcase_create("contents");

    if (!backend_there(ON_TIMED) || !backend_there(ON_PROXIED_CPU))
        return 77;
    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, contents_that_a_failed_task_left_stay_failed_when_a_part_is_written, 0, 2);
    tcase_add_test(tests, a_program_that_fills_what_a_failed_task_left_makes_it_good);
    tcase_add_loop_test(tests, a_copy_that_a_failure_kept_from_a_device_leaves_the_sound_one, 0, 2);
    tcase_add_loop_test(tests, writing_that_fails_on_a_device_leaves_only_copies_that_agree, 0, 2);
    tcase_add_loop_test(tests, a_lost_device_keeps_no_buffer_of_its_group_from_being_written, 0, 2);
    tcase_add_test(tests, a_task_that_waits_for_a_stream_keeps_no_thread_from_data);
    tcase_add_test(tests, a_task_that_waits_for_a_stream_is_refused_when_the_pool_is_destroyed);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
