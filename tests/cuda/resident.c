/* Kernels that stay on the device, when something goes wrong: a stage that never ends, a child, a program
 * that is killed.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/fixture.h"

enum {
    NARROW = 100,   /* words of a token that one group does */
    WIDE   = 16384, /* of one that three do */
};

/* A pipeline of the kernel "hang", twice where the groups are to wait for each other. */
static struct line {
    uint32_t words;
    struct trm_kernel *kernel;
    struct trm_pipeline *pipeline;
} line;

/* Of pipelines that are opened. */
static int32_t measure; /* enum trm_measure */
static uint32_t depth = 2;

static void device_open_with(const char *limit_ms)
{
    const struct trm_setting settings[] = {{"cuda.resident.limit", limit_ms}, {"cuda.resident.groups", "3"}};

    ck_ok(context_make(settings, 2, &the.context));
    the.device = device_open(the.context, NULL);
    the.stream = stream_open(the.device, TRM_STREAM_ANY);
}

static void line_open(uint32_t words, uint32_t stage_count)
{
    const uint64_t bytes          = words * sizeof(uint32_t);
    const struct trm_port ports[] = {trm_port_input("in", bytes), trm_port_output("out", bytes),
                                     trm_port_scratch("scratch", bytes)};
    const struct trm_argument n   = trm_arg_port_elements(0, 4);
    const struct trm_argument a[] = {trm_arg_port(0), trm_arg_port(stage_count == 1 ? 1 : 2), n};
    const struct trm_argument b[] = {trm_arg_port(2), trm_arg_port(1), n};
    ck_ok(hang_load(the.device, &line.kernel));
    const struct trm_stage stages[]     = {trm_stage_launch(line.kernel, a, 3, 0, 4),
                                           trm_stage_launch(line.kernel, b, 3, 0, 4)};
    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .ports       = ports,
                                           .port_count  = stage_count == 1 ? 2 : 3,
                                           .stages      = stages,
                                           .stage_count = stage_count,
                                           .depth       = depth,
                                           .measure     = measure,
                                           .strategy    = TRM_STRATEGY_RESIDENT};
    ck_ok(trm_pipeline_create(the.device, &desc, &line.pipeline));
    line.words = words;
}

static void line_close(void)
{
    trm_pipeline_destroy(line.pipeline);
    trm_kernel_destroy(line.kernel);
    memset(&line, 0, sizeof(line));
}

/* A token of ones; the word at `zero` is the work-item that hangs, if there is one. */
static void submit(uint32_t zero)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(line.pipeline, TRM_FOREVER, &token));
    uint32_t *words = token->data[0];
    for (uint32_t i = 0; i < line.words; i++)
        words[i] = i == zero ? 0 : i + 1;
    ck_ok(trm_pipeline_submit(line.pipeline, token));
}

static int32_t next(void)
{
    struct trm_token *token = NULL;
    uint32_t wrong          = 0;
    int32_t status          = trm_pipeline_next(line.pipeline, TRM_FOREVER, &token);
    if (status != TRM_OK)
        return status;
    const uint32_t *words = token->data[1];
    for (uint32_t i = 0; i < line.words; i++)
        wrong += words[i] != i + 1;
    ck_assert_uint_eq(wrong, 0);
    ck_ok(trm_pipeline_release(line.pipeline, token));
    return TRM_OK;
}

static void run_some(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        submit(UINT32_MAX);
        ck_ok(next());
    }
}

static void check_device(void)
{
    uint32_t words[4]         = {1, 2, 3, 4};
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(words));
    ck_ok(trm_upload(the.stream, trm_span_whole(buffer), words));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
}

/* ---- a stage that hangs ---------------------------------------------------------------------- */

/* Where the work-item is that hangs: in the first group, beside the thread that leads it or that thread
 * itself, and in another group. */
static const struct {
    uint32_t words, stages, zero;
} hangs[] = {{NARROW, 1, 0}, {NARROW, 1, 37}, {NARROW, 2, 64},    {WIDE, 1, 0},
             {WIDE, 2, 0},   {WIDE, 2, 5000}, {WIDE, 2, WIDE - 1}};

START_TEST(a_token_that_hangs_is_given_up)
{
    device_open_with("50");
    line_open(hangs[_i].words, hangs[_i].stages);
    submit(hangs[_i].zero);
    ck_assert_int_eq(next(), TRM_ERROR_TIME_LIMIT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "cuda.resident.limit"));
    line_close();
    check_device();
    world_close();
    device_open_with("0");
    line_open(hangs[_i].words, hangs[_i].stages);
    run_some(3);
    line_close();
    world_close();
}
END_TEST

START_TEST(a_pipeline_whose_token_hangs_is_destroyed)
{
    device_open_with("50");
    line_open(WIDE, 2);
    submit(UINT32_MAX);
    submit(7);
    line_close();
    check_device();
    world_close();
}
END_TEST

/* Loading code waits until the kernels have left. */
START_TEST(calls_that_wait_for_the_device_go_on_after_a_token_that_hangs)
{
    struct trm_kernel *kernel = NULL;
    device_open_with("50");
    line_open(NARROW, 1);
    submit(0);
    ck_ok(spread_load(the.device, &kernel));
    trm_kernel_destroy(kernel);
    ck_assert_int_eq(next(), TRM_ERROR_TIME_LIMIT);
    line_close();
    world_close();
}
END_TEST

static void *load_spread(void *unused)
{
    struct trm_kernel *kernel = NULL;
    (void)unused;
    ck_ok(spread_load(the.device, &kernel));
    trm_kernel_destroy(kernel);
    return NULL;
}

/* Submits tokens until one is not there soon: its kernel is stopped. */
static void submit_until_stopped(void)
{
    struct trm_token *token = NULL;
    int32_t status          = TRM_OK;
    while (status == TRM_OK) {
        submit(UINT32_MAX);
        status = trm_pipeline_next(line.pipeline, 20000000, &token);
        if (status == TRM_OK)
            ck_ok(trm_pipeline_release(line.pipeline, token));
    }
    ck_assert_int_eq(status, TRM_ERROR_TIMEOUT);
}

/* Loading code waits for two tokens that hang, one after the other, so for twice the limit. Meanwhile other
 * kernels are stopped, which does not count. A busy machine must not keep a token that works from ending
 * within the limit. */
START_TEST(a_token_whose_kernel_is_stopped_for_longer_than_the_limit_is_not_given_up)
{
    pthread_t thread;
    device_open_with("1500");
    line_open(NARROW, 1);
    struct line hung = line;
    line_open(NARROW, 1);
    run_some(2);
    struct line stopped = line;
    line                = hung;
    submit(0);
    submit(0);
    line = stopped;
    ck_assert_int_eq(pthread_create(&thread, NULL, load_spread, NULL), 0);
    submit_until_stopped();
    ck_ok(next());
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    run_some(2);
    line_close();
    line = hung;
    ck_assert_int_eq(next(), TRM_ERROR_TIME_LIMIT);
    line_close();
    world_close();
}
END_TEST

/* The time counts from the end of the last token, and not while there is none. */
START_TEST(a_kernel_that_was_idle_for_long_is_not_given_up)
{
    device_open_with("3000");
    line_open(NARROW, 1);
    run_some(2);
    usleep(3100000); /* longer than the limit */
    run_some(2);
    line_close();
    world_close();
}
END_TEST

/* ---- times ------------------------------------------------------------------------------------ */

/* Of one group and of several, which pass the time of the end on. */
static const uint32_t widths[] = {NARROW, WIDE};

START_TEST(the_report_has_the_times_of_tokens_of_kernels_that_stay)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    device_open_with("0");
    measure = TRM_MEASURE_ALL;
    line_open(widths[_i], 1);
    run_some(20);
    ck_ok(trm_pipeline_report(line.pipeline, &report));
    ck_assert_uint_eq(report.stages[TRM_STAGE_COMPUTE].tokens, 20);
    ck_assert_uint_gt(report.stages[TRM_STAGE_COMPUTE].busy_ns, 0);
    ck_assert_uint_le(report.stages[TRM_STAGE_COMPUTE].busy_ns, report.elapsed_ns);
    ck_assert_uint_eq(report.launch_count, 1);
    ck_assert_uint_le(report.launches[0].busy_ns, report.elapsed_ns);
    ck_assert_uint_gt(report.launches[0].busy_ns, 0);
    ck_assert_uint_gt(report.bound_ns, 0);
    line_close();
    line_open(widths[_i], 2);
    run_some(20);
    ck_ok(trm_pipeline_report(line.pipeline, &report));
    ck_assert_uint_gt(report.stages[TRM_STAGE_COMPUTE].busy_ns, 0);
    line_close();
    world_close();
}
END_TEST

/* With times the engine tunes the depth, and makes slots while kernels stay. */
START_TEST(a_pipeline_whose_depth_is_tuned_does_its_tokens)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    uint32_t ahead           = 0;
    device_open_with("0");
    depth = 0;
    line_open(NARROW, 1);
    for (uint32_t i = 0; i < 2000; i++) {
        ck_ok(trm_pipeline_report(line.pipeline, &report));
        for (; ahead < report.depth; ahead++)
            submit(UINT32_MAX);
        ck_ok(next());
        ahead--;
    }
    for (; ahead != 0; ahead--)
        ck_ok(next());
    ck_assert_uint_ge(report.depth, 3);
    line_close();
    world_close();
}
END_TEST

/* ---- processes ------------------------------------------------------------------------------- */

START_TEST(a_child_ends_and_the_parent_goes_on)
{
    int how = 0;
    device_open_with("0");
    line_open(NARROW, 1);
    submit(UINT32_MAX);
    pid_t child = fork();
    if (child == 0) {
        int32_t status = trm_pipeline_cancel(line.pipeline, 0);
        _exit(status == TRM_OK ? 1 : 0);
    }
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert_int_eq(how, 0);
    ck_ok(next());
    run_some(5);
    line_close();
    world_close();
}
END_TEST

/* The driver takes the kernels of a killed process from the device. */
START_TEST(a_program_that_is_killed_leaves_the_device_to_others)
{
    int ready[2], how = 0;
    char byte;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        device_open_with("0");
        line_open(WIDE, 2);
        run_some(2);
        submit(9);
        byte = 1;
        (void)!write(ready[1], &byte, 1);
        for (;;)
            pause();
    }
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert(WIFSIGNALED(how));
    close(ready[0]);
    device_open_with("0");
    line_open(WIDE, 2);
    run_some(3);
    line_close();
    world_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: kernels that stay");
    TCase *hang = tcase_create("a stage that hangs"), *processes = tcase_create("processes"),
          *times = tcase_create("times");
    tcase_set_timeout(hang, 60); /* some cases wait for seconds, also on a busy machine */
    tcase_set_timeout(processes, 60);
    tcase_set_timeout(times, 60);
    tcase_add_loop_test(hang, a_token_that_hangs_is_given_up, 0, sizeof(hangs) / sizeof(hangs[0]));
    tcase_add_test(hang, a_pipeline_whose_token_hangs_is_destroyed);
    tcase_add_test(hang, calls_that_wait_for_the_device_go_on_after_a_token_that_hangs);
    tcase_add_test(hang, a_token_whose_kernel_is_stopped_for_longer_than_the_limit_is_not_given_up);
    tcase_add_test(hang, a_kernel_that_was_idle_for_long_is_not_given_up);
    suite_add_tcase(suite, hang);
    tcase_add_loop_test(times, the_report_has_the_times_of_tokens_of_kernels_that_stay, 0, 2);
    tcase_add_test(times, a_pipeline_whose_depth_is_tuned_does_its_tokens);
    suite_add_tcase(suite, times);
    tcase_add_test(processes, a_child_ends_and_the_parent_goes_on);
    tcase_add_test(processes, a_program_that_is_killed_leaves_the_device_to_others);
    suite_add_tcase(suite, processes);
    return run_suite(suite);
}
