/* Pools over groups and what pools learn, on devices of known times (tests/plugins/timed).
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <stdatomic.h>

#define BYTES 4096u
#define MOST 64u

/* ---- kernels and devices -------------------------------------------------------------------- */

/* Takes `ns`; fails where `answer` is not 0. */
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

/* Two devices, on which a copy to or from the host takes so long. */
static void open_pool(uint64_t copy_ns)
{
    char text[32];
    struct trm_setting settings[] = {{"timed.devices", "2"},
                                     {"timed.upload_ns", text},
                                     {"timed.download_ns", text},
                                     {"stream.models", "no"}};
    struct trm_module_desc desc   = {.struct_size = sizeof(desc),
                                     .format      = TRM_MODULE_FUNCTIONS,
                                     .data        = kernels,
                                     .size        = sizeof(kernels)};

    snprintf(text, sizeof(text), "%llu", (unsigned long long)copy_ns);
    fixture_open(ON_TIMED, settings, 4);
    ck_ok(trm_group_create(the.context, "timed:*", &group));
    ck_ok(trm_group_kernel_load(group, &desc, "work", &kernel));
    ck_ok(trm_group_pool_create(group, NULL, &pool));
}

static void close_pool(void)
{
    trm_stream_pool_destroy(pool);
    trm_group_kernel_destroy(kernel);
    trm_group_destroy(group);
    fixture_close();
}

static struct trm_group_buffer *make_buffer(void)
{
    const struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = BYTES, .flags = TRM_BUFFER_ZEROED};
    struct trm_group_buffer *buffer = NULL;

    ck_ok(trm_group_buffer_create(group, &desc, &buffer));
    return buffer;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static struct trm_point points[MOST];
static uint32_t point_count;

/* A kind of task: how long it takes on each device. Pools tell kinds apart by their size. */
struct kind {
    uint64_t ns[2];
    atomic_uint ran[2]; /* tasks on each device */
    int32_t answer;
    uint64_t size;
};

static int32_t launch(void *user, struct trm_stream *stream)
{
    struct kind *kind = user;
    struct trm_kernel *one;
    struct trm_grid grid = trm_grid_1d(1, 0);
    uint32_t device;
    int32_t status = trm_group_pool_find(pool, stream, &device);

    if (status == TRM_OK)
        status = trm_group_kernel_get(kernel, device, &one);
    if (status != TRM_OK)
        return status;
    struct trm_argument arguments[] = {trm_arg_u64(kind->ns[device]), trm_arg_i32(kind->answer)};
    kind->ran[device]++;
    return trm_launch(stream, one, &grid, arguments, 2);
}

static struct trm_stream_task task_of(struct kind *kind, const struct trm_group_use *uses, uint32_t count)
{
    return (struct trm_stream_task){.struct_size = sizeof(struct trm_stream_task),
                                    .enqueue     = launch,
                                    .user        = kind,
                                    .bytes       = kind->size,
                                    .uses        = uses,
                                    .use_count   = count};
}

static void submit(const struct trm_stream_task *task)
{
    ck_assert_uint_lt(point_count, MOST);
    ck_ok(trm_stream_pool_submit(pool, task, &points[point_count++]));
}

static void finish(void)
{
    ck_ok(trm_wait_all(points, point_count, TRM_FOREVER));
    point_count = 0;
}

static struct trm_stream_prediction predict(const struct trm_stream_task *task)
{
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};

    ck_ok(trm_stream_pool_predict(pool, task, &prediction));
    return prediction;
}

static uint64_t copies(void)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};

    ck_ok(trm_stream_pool_get_stats(pool, &stats));
    return stats.copies;
}

/* Has each device run some of these tasks, one after another, so that their times are known? */
static void measure(struct kind *kind)
{
    struct trm_stream_task task = task_of(kind, NULL, 0);

    for (uint32_t i = 0; i < 6; i++) {
        task.devices = 1u << i % 2;
        submit(&task);
        finish();
    }
    kind->ran[0] = kind->ran[1] = 0;
}

/* ---- which device --------------------------------------------------------------------------- */

/* A pool sees the tasks of a busy machine end late. Beside longer times that is little: factors of all times,
 * to try one after the other. */
static void ck_holds(bool (*holds)(uint64_t scale))
{
    static const uint64_t scales[] = {1, 4, 16};
    bool does_hold                 = false;

    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]) && !does_hold; i++)
        does_hold = holds(scales[i]);
    ck_assert(does_hold);
}

static bool goes_where_it_ends_first(uint64_t scale)
{
    struct kind kind = {.ns = {60 * MS * scale, 15 * MS * scale}};

    open_pool(0);
    measure(&kind);
    struct trm_stream_task task             = task_of(&kind, NULL, 0);
    struct trm_stream_prediction prediction = predict(&task);
    ck_assert_uint_ge(prediction.end_ns, 10 * MS * scale);
    submit(&task);
    finish();
    close_pool();
    return prediction.device == 1 && kind.ran[1] == 1;
}

START_TEST(a_task_goes_to_the_device_that_ends_it_first)
{
    ck_holds(goes_where_it_ends_first);
}
END_TEST

static bool gets_a_fifth(uint64_t scale)
{
    struct kind kind = {.ns = {80 * MS * scale, 20 * MS * scale}};

    open_pool(0);
    measure(&kind);
    struct trm_stream_task task = task_of(&kind, NULL, 0);
    for (uint32_t i = 0; i < 20; i++)
        submit(&task);
    finish();
    close_pool();
    ck_assert_uint_eq(kind.ran[0] + kind.ran[1], 20);
    return kind.ran[0] >= 3 && kind.ran[0] <= 5;
}

START_TEST(a_device_that_is_four_times_as_slow_gets_a_fifth_of_the_tasks)
{
    ck_holds(gets_a_fifth);
}
END_TEST

static bool gets_none(uint64_t scale)
{
    struct kind kind = {.ns = {900 * MS * scale, 5 * MS * scale}};

    open_pool(0);
    measure(&kind);
    struct trm_stream_task task = task_of(&kind, NULL, 0);
    for (uint32_t i = 0; i < 10; i++)
        submit(&task);
    finish();
    close_pool();
    return kind.ran[0] == 0;
}

START_TEST(a_device_that_would_end_a_task_after_all_others_gets_none)
{
    ck_holds(gets_none);
}
END_TEST

/* ---- with data ------------------------------------------------------------------------------ */

/* Lets a buffer go to and fro until the times of copies are known. */
static void measure_copies(struct trm_group_buffer *buffer)
{
    struct kind short_ones         = {.ns = {MS, MS}, .size = 1u << 20};
    const struct trm_group_use use = {.buffer = buffer, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE};
    struct trm_stream_task task    = task_of(&short_ones, &use, 1);

    for (uint32_t i = 0; i < 6; i++) {
        task.devices = 1u << i % 2;
        submit(&task);
        finish();
    }
}

static bool stays_with_its_data(uint64_t scale)
{
    struct kind kind = {.ns = {10 * MS * scale, 9 * MS * scale}};

    open_pool(20 * MS * scale);
    struct trm_group_buffer *buffer = make_buffer();
    measure_copies(buffer);
    measure(&kind);
    ck_ok(trm_group_buffer_changed(buffer, 0));
    const struct trm_group_use use = {.buffer = buffer, .access = TRM_ACCESS_READ};
    struct trm_stream_task task    = task_of(&kind, &use, 1);
    uint64_t before                = copies();
    bool is_predicted              = predict(&task).device == 0 && predict(&task).copy_ns == 0;
    submit(&task);
    finish();
    bool has_stayed = kind.ran[0] == 1 && copies() == before;
    if (has_stayed) {
        task.devices = 2;
        ck_assert_uint_ge(predict(&task).copy_ns, 10 * MS * scale);
        ck_assert_uint_ge(predict(&task).end_ns, 19 * MS * scale);
    }
    trm_group_buffer_destroy(buffer);
    close_pool();
    return is_predicted && has_stayed;
}

START_TEST(a_task_stays_with_its_data_where_copies_take_longer)
{
    ck_holds(stays_with_its_data);
}
END_TEST

static bool leaves_its_data(uint64_t scale)
{
    struct kind kind = {.ns = {400 * MS * scale, 9 * MS * scale}};

    open_pool(20 * MS * scale);
    struct trm_group_buffer *buffer = make_buffer();
    measure_copies(buffer);
    measure(&kind);
    ck_ok(trm_group_buffer_changed(buffer, 0));
    const struct trm_group_use use = {.buffer = buffer, .access = TRM_ACCESS_READ};
    struct trm_stream_task task    = task_of(&kind, &use, 1);
    uint64_t before                = copies();
    submit(&task);
    finish();
    bool has_left = kind.ran[1] == 1 && copies() == before + 1;
    submit(&task); /* now the data is there */
    finish();
    has_left = has_left && kind.ran[1] == 2 && copies() == before + 1;
    trm_group_buffer_destroy(buffer);
    close_pool();
    return has_left;
}

START_TEST(a_task_leaves_its_data_where_the_other_device_is_that_much_faster)
{
    ck_holds(leaves_its_data);
}
END_TEST

static bool chain_stays(uint64_t scale)
{
    struct kind kind = {.ns = {10 * MS * scale, 10 * MS * scale}};

    open_pool(20 * MS * scale);
    struct trm_group_buffer *buffer = make_buffer();
    measure_copies(buffer);
    measure(&kind);
    const struct trm_group_use use = {.buffer = buffer, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE};
    struct trm_stream_task task    = task_of(&kind, &use, 1);
    uint64_t before                = copies();
    for (uint32_t i = 0; i < 8; i++)
        submit(&task);
    finish();
    bool has_stayed = copies() == before && (kind.ran[0] == 8 || kind.ran[1] == 8);
    trm_group_buffer_destroy(buffer);
    close_pool();
    return has_stayed;
}

START_TEST(a_chain_of_tasks_stays_with_what_it_writes)
{
    ck_holds(chain_stays);
}
END_TEST

static bool flood_stays(uint64_t scale)
{
    struct kind kind = {.ns = {2 * MS * scale, 2 * MS * scale}};

    open_pool(5 * MS * scale);
    struct trm_group_buffer *buffer = make_buffer();
    const struct trm_group_use use  = {.buffer = buffer, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE};
    struct trm_stream_task task     = task_of(&kind, &use, 1);
    for (uint32_t i = 0; i < MOST - 1; i++)
        submit(&task);
    finish();
    bool has_stayed = copies() <= 4 && kind.ran[0] >= 2 && kind.ran[1] >= 2;
    trm_group_buffer_destroy(buffer);
    close_pool();
    return has_stayed;
}

START_TEST(a_flood_of_tasks_of_unknown_time_stays_with_what_they_write)
{
    ck_holds(flood_stays);
}
END_TEST

/* A chain of tasks, of which the device is chosen for each where `devices` is 0. */
static void run_chain(struct trm_coordinator *coordinator, const struct trm_group_use *use, uint32_t length,
                      uint32_t devices, uint64_t ns)
{
    const struct trm_argument arguments[] = {trm_arg_u64(ns), trm_arg_i32(0)};

    for (uint64_t id = 1; id <= length; id++) {
        const uint64_t before = id - 1;
        struct trm_task task  = {.struct_size    = sizeof(task),
                                 .kind           = TRM_TASK_COMPUTE,
                                 .id             = id,
                                 .after          = &before,
                                 .after_count    = id > 1,
                                 .kernel         = trm_group_stage_kernel(kernel),
                                 .grid           = trm_grid_1d(1, 0),
                                 .arguments      = arguments,
                                 .argument_count = 2,
                                 .uses           = use,
                                 .use_count      = 1,
                                 .devices        = devices};
        ck_ok(trm_coordinator_add(coordinator, &task));
    }
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    ck_ok(trm_coordinator_forget(coordinator));
}

static bool chain_of_a_coordinator_stays(uint64_t scale)
{
    struct trm_coordinator *coordinator;
    struct trm_device *device;
    bool has_stayed = true;

    open_pool(20 * MS * scale);
    struct trm_group_buffer *buffer        = make_buffer();
    const struct trm_group_use use         = {.buffer = buffer, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE};
    const struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = pool};
    ck_ok(trm_group_device(group, 0, &device));
    ck_ok(trm_coordinator_create(device, &desc, &coordinator));
    measure_copies(buffer);
    for (uint32_t i = 0; i < 6; i++)
        run_chain(coordinator, &use, 1, 1u << i % 2, 10 * MS * scale);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t devices;
        ck_ok(trm_group_buffer_changed(buffer, i));
        uint64_t before = copies();
        run_chain(coordinator, &use, 8, 0, 10 * MS * scale);
        ck_ok(trm_group_buffer_current(buffer, &devices));
        has_stayed = has_stayed && copies() == before && devices == 1u << i;
    }
    trm_coordinator_destroy(coordinator);
    trm_device_destroy(device);
    trm_group_buffer_destroy(buffer);
    close_pool();
    return has_stayed;
}

START_TEST(a_chain_of_a_coordinator_stays_where_its_data_is)
{
    ck_holds(chain_of_a_coordinator_stays);
}
END_TEST

/* ---- failures ------------------------------------------------------------------------------- */

START_TEST(tasks_behind_one_that_fails_fail_until_the_buffer_is_written_anew)
{
    static const unsigned char zeros[BYTES];
    unsigned char bytes[BYTES];
    struct kind fails = {.ns = {MS, MS}, .answer = 7}, works = {.ns = {MS, MS}};

    open_pool(0);
    struct trm_group_buffer *buffer = make_buffer();
    const struct trm_group_use use  = {.buffer = buffer, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE};
    struct trm_stream_task first = task_of(&fails, &use, 1), second = task_of(&works, &use, 1);
    struct trm_point failed, behind;
    ck_ok(trm_stream_pool_submit(pool, &first, &failed));
    int32_t status = trm_stream_pool_submit(pool, &second, &behind);
    ck_assert_int_eq(trm_point_wait(failed, TRM_FOREVER), TRM_ERROR_KERNEL);
    if (status == TRM_OK)
        status = trm_point_wait(behind, TRM_FOREVER);
    ck_assert_int_eq(status, TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_group_buffer_read(buffer, 0, bytes, BYTES), TRM_ERROR_KERNEL);
    ck_ok(trm_group_buffer_write(buffer, 0, zeros, BYTES));
    submit(&second);
    finish();
    ck_ok(trm_group_buffer_read(buffer, 0, bytes, BYTES));
    trm_group_buffer_destroy(buffer);
    close_pool();
}
END_TEST

/* ---- what pools learn ----------------------------------------------------------------------- */

/* A pool of one device, and a task that launches the fixture's kernel for so long. */
struct single {
    struct trm_stream_pool *pool;
    struct trm_buffer *buffers[2];
    struct trm_argument arguments[3];
    struct trm_stream_task task;
};

static void single_open(struct single *single, uint64_t nanoseconds)
{
    struct trm_setting settings[] = {{"stream.models", "no"}};

    fixture_open(ON_TIMED, settings, 1);
    ck_ok(trm_stream_pool_create(the.device, NULL, &single->pool));
    for (uint32_t i = 0; i < 2; i++) {
        ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, BYTES, &single->buffers[i]));
        single->arguments[i] = trm_arg_buffer(single->buffers[i]);
    }
    single->arguments[2] = trm_arg_u64(nanoseconds);
    single->task         = (struct trm_stream_task){.struct_size    = sizeof(single->task),
                                                    .kernel         = the.timed,
                                                    .grid           = trm_grid_1d(1, 0),
                                                    .arguments      = single->arguments,
                                                    .argument_count = 3};
}

static void single_close(struct single *single)
{
    trm_stream_pool_destroy(single->pool);
    for (uint32_t i = 0; i < 2; i++)
        trm_buffer_destroy(single->buffers[i]);
    fixture_close();
}

/* On a busy machine the pool may see a task too late to learn from it, so that it takes more of them. */
#define MOST_ROUNDS 50

/* The task without the points that it waits for; nothing while the pool has not learned of it. */
static struct trm_stream_prediction learned(const struct single *single)
{
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};
    struct trm_stream_task task             = single->task;

    task.after_count = 0;
    int32_t status   = trm_stream_pool_predict(single->pool, &task, &prediction);
    ck_assert(status == TRM_OK || status == TRM_ERROR_NOT_FOUND);
    return prediction;
}

/* If the wait counted, no task would take less than it. */
static bool knows_the_task_alone(const struct single *single)
{
    struct trm_stream_prediction prediction = learned(single);

    return prediction.samples >= 2 && prediction.mean_ns < 200 * MS;
}

START_TEST(what_a_task_waits_for_does_not_count_as_its_time)
{
    struct single single;
    struct trm_stream *other;
    struct trm_point before, end;
    struct trm_grid grid = trm_grid_1d(1, 0);

    single_open(&single, 10 * MS);
    ck_ok(trm_stream_create(the.device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &other));
    for (uint32_t i = 0; i < MOST_ROUNDS && !knows_the_task_alone(&single); i++) {
        struct trm_argument longer[] = {single.arguments[0], single.arguments[1], trm_arg_u64(300 * MS)};
        ck_ok(trm_launch(other, the.timed, &grid, longer, 3));
        ck_ok(trm_stream_mark(other, &before));
        single.task.after       = &before;
        single.task.after_count = 1;
        ck_ok(trm_stream_pool_submit(single.pool, &single.task, &end));
        ck_ok(trm_point_wait(end, TRM_FOREVER));
    }
    ck_assert(knows_the_task_alone(&single));
    trm_stream_destroy(other);
    single_close(&single);
}
END_TEST

START_TEST(a_pool_learns_from_tasks_of_a_coordinator_that_are_enqueued_early)
{
    enum {
        TASKS = 6
    };
    struct single single;
    struct trm_coordinator *coordinator;

    single_open(&single, 20 * MS);
    struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = single.pool};
    ck_ok(trm_coordinator_create(the.device, &desc, &coordinator));
    for (uint64_t i = 1; i <= TASKS * MOST_ROUNDS && learned(&single).samples < 3; i++) {
        uint64_t before      = i - 1;
        struct trm_task task = {.struct_size    = sizeof(task),
                                .kind           = TRM_TASK_COMPUTE,
                                .id             = i,
                                .after          = &before,
                                .after_count    = i > 1,
                                .kernel         = the.timed,
                                .grid           = trm_grid_1d(1, 0),
                                .arguments      = single.arguments,
                                .argument_count = 3};
        ck_ok(trm_coordinator_add(coordinator, &task));
        if (i % TASKS != 0)
            continue;
        ck_ok(trm_coordinator_submit(coordinator));
        ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    }
    ck_assert_uint_ge(learned(&single).samples, 3);
    ck_assert_uint_ge(learned(&single).mean_ns, 10 * MS);
    trm_coordinator_destroy(coordinator);
    single_close(&single);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pools over groups");
    TCase *tests = tcase_create("pools");

    if (!backend_there(ON_TIMED))
        return 77;
    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, a_task_goes_to_the_device_that_ends_it_first);
    tcase_add_test(tests, a_device_that_is_four_times_as_slow_gets_a_fifth_of_the_tasks);
    tcase_add_test(tests, a_device_that_would_end_a_task_after_all_others_gets_none);
    tcase_add_test(tests, a_task_stays_with_its_data_where_copies_take_longer);
    tcase_add_test(tests, a_task_leaves_its_data_where_the_other_device_is_that_much_faster);
    tcase_add_test(tests, a_chain_of_tasks_stays_with_what_it_writes);
    tcase_add_test(tests, a_flood_of_tasks_of_unknown_time_stays_with_what_they_write);
    tcase_add_test(tests, a_chain_of_a_coordinator_stays_where_its_data_is);
    tcase_add_test(tests, tasks_behind_one_that_fails_fail_until_the_buffer_is_written_anew);
    tcase_add_test(tests, what_a_task_waits_for_does_not_count_as_its_time);
    tcase_add_test(tests, a_pool_learns_from_tasks_of_a_coordinator_that_are_enqueued_early);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
