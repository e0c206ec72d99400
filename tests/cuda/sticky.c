/* Faults after which a context is useless, which CUDA calls sticky. The stand-in makes any of them; on the
 * machine's own driver, kernels make those that kernels can (illegal.h). Each test is a process of its
 * own.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/fixture.h"
#include "tests/cuda/illegal.h"
#include "tests/device/scenario.h"

enum {
    N       = 1000,
    WAITERS = 4
};

static struct trm_kernel *kernel, *culprit;
static struct trm_buffer *buffer;

static void open_all(void)
{
    world_open();
    kernel = affine_on(the.device);
    buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, 4 * N);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 1));
    ck_ok(trm_stream_sync(the.stream));
}

static void close_all(void)
{
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    trm_kernel_destroy(culprit);
    kernel = culprit = NULL;
    world_close();
}

/* ---- causes ---- */

struct cause {
    const char *name, *or_name; /* some drivers answer this */
    enum illegal_deed deed;     /* the kernel's part in it */
};

static const struct cause causes[] = {
    {"CUDA_ERROR_ILLEGAL_ADDRESS", NULL, ILLEGAL_ADDRESS},
    {"CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_ILLEGAL_INSTRUCTION", ILLEGAL_TRAP},
    {"CUDA_ERROR_MISALIGNED_ADDRESS", NULL, ILLEGAL_ALIGNMENT},
    {"CUDA_ERROR_ECC_UNCORRECTABLE", NULL, ILLEGAL_NOTHING},
    {"CUDA_ERROR_LAUNCH_TIMEOUT", NULL, ILLEGAL_NOTHING},
    {"CUDA_ERROR_ILLEGAL_INSTRUCTION", NULL, ILLEGAL_NOTHING},
    {"CUDA_ERROR_HARDWARE_STACK_ERROR", NULL, ILLEGAL_NOTHING},
    {"CUDA_ERROR_ASSERT", NULL, ILLEGAL_ASSERT},
    {"CUDA_ERROR_INVALID_ADDRESS_SPACE", NULL, ILLEGAL_NOTHING},
    {"CUDA_ERROR_INVALID_PC", "CUDA_ERROR_ILLEGAL_INSTRUCTION", ILLEGAL_JUMP},
};
#define CAUSES ((int)(sizeof(causes) / sizeof(causes[0])))

/* Whether this machine can make it happen; if not, says why, as skip() does. */
static bool cause_missing(const struct cause *cause)
{
    if (standin || cause->deed != ILLEGAL_NOTHING)
        return false;
    skip("no kernel can make this fault");
    return true;
}

/* Enqueue a launch that ends with this fault, and submit it. */
static void lose_by(struct trm_stream *stream, const struct cause *cause)
{
    char rule[64];
    if (!standin) {
        ck_ok(illegal_load(the.device, cause->deed, &culprit));
        ck_ok(illegal_launch(stream, culprit, buffer));
        ck_ok(trm_stream_flush(stream));
        return;
    }
    snprintf(rule, sizeof(rule), "kernel:1:%s", cause->name);
    ck_assert_int_eq(standin->fail_work(rule), 0);
    ck_ok(affine_launch(stream, kernel, buffer, N, 1, 1));
    (void)trm_stream_flush(stream); /* may have found out already */
}

static void lose(struct trm_stream *stream)
{
    lose_by(stream, &causes[0]);
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* The last failure names the cause as CUDA does. */
static void check_named(const struct cause *cause)
{
    const char *sentence = trm_last_error().sentence;
    ck_assert_msg(strstr(sentence, cause->name) ||
                      (!standin && cause->or_name && strstr(sentence, cause->or_name)),
                  "%s is not said in: %s", cause->name, sentence);
}

START_TEST(a_kernel_that_goes_astray_loses_the_device_under_cudas_own_name_for_it)
{
    static uint32_t numbers[N];
    char first[1024];
    if (cause_missing(&causes[_i]))
        return;
    lose_by(the.stream, &causes[_i]);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    check_named(&causes[_i]);
    ck_sentence_has(standin ? "\"affine\"" : "\"" ILLEGAL_KERNEL "\"");
    ck_assert_int_ne(trm_last_error().native_code, 0);
    snprintf(first, sizeof(first), "%s", trm_last_error().sentence);
    for (int i = 0; i < 3; i++) {
        ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
        ck_assert_str_eq(trm_last_error().sentence, first);
    }
    ck_fails(trm_download(the.stream, numbers, trm_span_whole(buffer)), TRM_ERROR_DEVICE_LOST);
    check_named(&causes[_i]);
    ck_fails(trm_device_sync(the.device), TRM_ERROR_DEVICE_LOST);
    check_named(&causes[_i]);
}
END_TEST

/* ---- every call ---- */

static int32_t try_copy(void)
{
    static uint32_t numbers[N];
    return trm_upload(the.stream, trm_span_whole(buffer), numbers);
}

static int32_t try_rows(void)
{
    struct trm_rows to   = {.buffer = buffer, .pitch = 100},
                    from = {.buffer = buffer, .offset = 2000, .pitch = 100};
    return trm_copy_2d(the.stream, &to, &from, 50, 10);
}

static int32_t try_fill(void)
{
    return trm_fill(the.stream, trm_span_whole(buffer), 0, 1);
}

static int32_t try_launch(void)
{
    return affine_launch(the.stream, kernel, buffer, N, 1, 1);
}

static int32_t try_query(void)
{
    return trm_stream_query(the.stream);
}

static int32_t try_new_stream(void)
{
    struct trm_stream *stream = NULL;
    int32_t status            = trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status == TRM_OK)
        status = trm_fill(stream, trm_span_whole(buffer), 0, 1);
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    trm_stream_destroy(stream);
    return status;
}

static int32_t try_new_memory(void)
{
    struct trm_buffer *large = NULL;
    int32_t status           = trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 100 << 20, &large);
    trm_buffer_destroy(large);
    return status;
}

static int32_t try_pinned_memory(void)
{
    struct trm_buffer *large = NULL;
    int32_t status           = trm_buffer_create(the.device, TRM_MEMORY_PINNED, 100 << 20, &large);
    trm_buffer_destroy(large);
    return status;
}

static int32_t try_module(void)
{
    struct trm_kernel *other = NULL;
    int32_t status           = spread_load(the.device, &other);
    trm_kernel_destroy(other);
    return status;
}

static const struct {
    const char *name;
    int32_t (*run)(void);
} calls[] = {
    {"a copy", try_copy},           {"rows", try_rows},
    {"a fill", try_fill},           {"a launch", try_launch},
    {"a query", try_query},         {"a new stream", try_new_stream},
    {"new memory", try_new_memory}, {"new pinned memory", try_pinned_memory},
    {"a new module", try_module},
};
#define CALLS ((int)(sizeof(calls) / sizeof(calls[0])))

START_TEST(every_call_on_a_lost_device_answers_so)
{
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    for (int i = 0; i < 3; i++) {
        int32_t status = calls[_i].run();
        ck_assert_msg(status == TRM_ERROR_DEVICE_LOST, "%s gave %s", calls[_i].name, trm_status_name(status));
        ck_assert_int_eq(trm_last_error().status, status);
        check_named(&causes[0]);
    }
}
END_TEST

START_TEST(what_is_enqueued_on_a_lost_device_does_not_get_to_the_driver)
{
    if (standin_missing())
        return;
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    uint64_t before = standin->fallible_calls();
    ck_fails(try_copy(), TRM_ERROR_DEVICE_LOST);
    ck_fails(try_fill(), TRM_ERROR_DEVICE_LOST);
    ck_fails(try_launch(), TRM_ERROR_DEVICE_LOST);
    ck_fails(try_query(), TRM_ERROR_DEVICE_LOST);
    ck_assert_uint_eq(standin->fallible_calls(), before);
}
END_TEST

START_TEST(a_loss_is_told_to_the_other_streams_of_the_device)
{
    struct trm_stream *other = stream_open(the.device, TRM_STREAM_UPLOAD);
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    int32_t status = trm_fill(other, trm_span_whole(buffer), 1, 1);
    if (status == TRM_OK)
        status = trm_stream_sync(other);
    ck_assert_int_eq(status, TRM_ERROR_DEVICE_LOST);
    trm_stream_destroy(other);
}
END_TEST

START_TEST(a_graph_on_a_lost_device_answers_so_and_goes)
{
    struct trm_graph *graph      = NULL;
    struct trm_graph_exec *exec  = NULL;
    struct trm_stream *recording = NULL;
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_ok(affine_launch(recording, kernel, buffer, N, 1, 1));
    ck_ok(trm_fill(recording, trm_span_of(buffer, 0, 16), 1, 1));
    ck_ok(trm_graph_instantiate(graph, &exec));
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_stream_sync(the.stream));
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_graph_launch(exec, the.stream), TRM_ERROR_DEVICE_LOST);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
}
END_TEST

/* ---- threads that wait ----------------------------------------------------------------------- */

struct waiter {
    pthread_t thread;
    struct trm_stream *stream;
    struct trm_point point;
    int32_t status;
};

static void *wait_for_point(void *user)
{
    struct waiter *waiter = user;
    waiter->status        = trm_point_wait(waiter->point, TRM_FOREVER);
    return NULL;
}

/* The first waits behind a callback, the others wait for it: none of this has reached the driver when the
 * device is lost. */
START_TEST(every_thread_that_waits_is_told_of_the_loss)
{
    struct barrier barrier = BARRIER_CLOSED;
    struct waiter waiters[WAITERS];
    for (int i = 0; i < WAITERS; i++) {
        waiters[i].stream = stream_open(the.device, TRM_STREAM_ANY);
        if (i == 0)
            ck_ok(barrier_enqueue(waiters[0].stream, &barrier));
        else
            ck_ok(trm_stream_wait(waiters[i].stream, waiters[0].point));
        ck_ok(affine_launch(waiters[i].stream, kernel, buffer, N, 1, 1));
        ck_ok(trm_stream_mark(waiters[i].stream, &waiters[i].point));
    }
    for (int i = 0; i < WAITERS; i++)
        ck_assert_int_eq(pthread_create(&waiters[i].thread, NULL, wait_for_point, &waiters[i]), 0);
    barrier_await(&barrier);
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    barrier_open(&barrier);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i].thread, NULL);
        ck_assert_msg(waiters[i].status == TRM_ERROR_DEVICE_LOST, "thread %d was told %s", i,
                      trm_status_name(waiters[i].status));
        trm_stream_destroy(waiters[i].stream);
    }
}
END_TEST

/* All wait in the driver, for work that the driver has. One of them fails, and the work of the others
 * never begins. */
START_TEST(threads_that_sleep_in_the_driver_are_told_of_the_loss)
{
    struct waiter waiters[WAITERS];
    if (standin_missing())
        return;
    for (int i = 0; i < WAITERS; i++)
        waiters[i].stream = stream_open(the.device, TRM_STREAM_ANY);
    standin->hold();
    for (int i = 0; i < WAITERS; i++) {
        ck_ok(trm_fill(waiters[i].stream, trm_span_of(buffer, 4 * (uint64_t)i, 4), 1, 1));
        ck_ok(trm_stream_mark(waiters[i].stream, &waiters[i].point));
        ck_ok(trm_stream_flush(waiters[i].stream));
    }
    ck_assert_int_eq(standin->fail_work("any:1:CUDA_ERROR_LAUNCH_FAILED"), 0);
    for (int i = 0; i < WAITERS; i++)
        ck_assert_int_eq(pthread_create(&waiters[i].thread, NULL, wait_for_point, &waiters[i]), 0);
    standin->step(1);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i].thread, NULL);
        ck_assert_msg(waiters[i].status == TRM_ERROR_DEVICE_LOST, "thread %d was told %s", i,
                      trm_status_name(waiters[i].status));
    }
    standin->release();
    for (int i = 0; i < WAITERS; i++)
        trm_stream_destroy(waiters[i].stream);
}
END_TEST

struct told {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned count;
    int32_t status;
};

static void keep_status(void *user, int32_t status)
{
    struct told *told = user;
    pthread_mutex_lock(&told->mutex);
    told->count++;
    told->status = status;
    pthread_cond_broadcast(&told->changed);
    pthread_mutex_unlock(&told->mutex);
}

START_TEST(callbacks_are_told_of_the_loss_once)
{
    struct told told = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, TRM_OK};
    if (standin)
        standin->hold();
    lose(the.stream);
    int32_t status = trm_stream_callback(the.stream, keep_status, &told);
    if (standin)
        standin->release();
    pthread_mutex_lock(&told.mutex);
    while (status == TRM_OK && told.count == 0)
        pthread_cond_wait(&told.changed, &told.mutex);
    pthread_mutex_unlock(&told.mutex);
    ck_assert(trm_stream_sync(the.stream) == TRM_ERROR_DEVICE_LOST);
    trm_stream_destroy(the.stream); /* callbacks have run */
    the.stream = NULL;
    if (status == TRM_OK) {
        ck_assert_uint_eq(told.count, 1);
        ck_assert_int_eq(told.status, TRM_ERROR_DEVICE_LOST);
    }
}
END_TEST

/* ---- what is not affected -------------------------------------------------------------------- */

START_TEST(the_loss_of_one_device_is_not_that_of_another)
{
    uint32_t count = 0;
    uint8_t byte   = 0;
    ck_ok(trm_device_count(the.context, &count));
    if (count < 2) {
        skip("there is only one device");
        return;
    }
    struct trm_device *other  = device_open(the.context, "cuda:1");
    struct trm_stream *stream = stream_open(other, TRM_STREAM_ANY);
    struct trm_buffer *there  = buffer_open(other, TRM_MEMORY_DEVICE, 64);
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    int32_t status = trm_fill(stream, trm_span_whole(there), 42, 1);
    if (status == TRM_OK)
        status = trm_download(stream, &byte, trm_span_of(there, 63, 1));
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    /* For some faults NVIDIA's driver gives up all contexts of a process, and says so. */
    if (status == TRM_ERROR_DEVICE_LOST && !standin)
        ck_sentence_has("CUDA_ERROR_");
    else
        ck_assert_msg(status == TRM_OK && byte == 42, "%d: %s", (int)byte, trm_last_error().sentence);
    trm_buffer_destroy(there);
    trm_stream_destroy(stream);
    trm_device_destroy(other);
}
END_TEST

START_TEST(a_device_can_be_opened_anew_after_a_loss)
{
    if (standin_missing()) /* many drivers need a new process after some of the faults */
        return;
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    close_all();
    open_all();
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 1, 1));
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

/* 0: the scenario succeeds in this process. A pipe tells it when to begin. */
static int live_on(int begin)
{
    struct scenario_end end;
    char byte;
    if (read(begin, &byte, 1) != 1)
        return 2;
    scenario_run(&end, NULL);
    if (end.status != TRM_OK)
        printf("%s gave %s: %s\n", end.step, trm_status_name(end.status), end.sentence);
    fflush(stdout);
    return end.status == TRM_OK ? 0 : 1;
}

START_TEST(another_process_is_not_concerned)
{
    int ends[2], ended = -1;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork(); /* before this process uses CUDA */
    if (child == 0)
        _exit(live_on(ends[0]));
    ck_assert_int_gt(child, 0);
    open_all();
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(write(ends[1], "", 1), 1);
    ck_assert_int_eq(waitpid(child, &ended, 0), child);
    ck_assert_int_eq(ended, 0);
    close(ends[0]);
    close(ends[1]);
    close_all();
}
END_TEST

/* ---- a loss that any call may find ----------------------------------------------------------- */

static bool lose_at(unsigned n, const char *result)
{
    struct scenario_end end;
    char rule[80];
    snprintf(rule, sizeof(rule), "any:%u:once:%s", n, result);
    ck_assert_int_eq(standin->arm(rule), 0);
    scenario_run(&end, NULL);
    bool lost = standin->failures() > 0;
    if (end.status != TRM_OK) {
        ck_assert_msg(lost, "%s: %s gave %s: %s", rule, end.step, trm_status_name(end.status), end.sentence);
        ck_assert_int_eq(end.error.status, end.status);
        ck_assert_msg(end.sentence[0], "%s (%s): %s gave %s and did not say why", rule,
                      standin->failed_function(), end.step, trm_status_name(end.status));
        if (strcmp(end.step, "make_context") != 0 && strcmp(end.step, "open_device") != 0 &&
            strcmp(end.step, "ask_device") != 0)
            ck_assert_msg(end.status == TRM_ERROR_DEVICE_LOST, "%s (%s): %s gave %s: %s", rule,
                          standin->failed_function(), end.step, trm_status_name(end.status), end.sentence);
    }
    standin->arm(NULL);
    check_nothing_left(rule);
    return lost;
}

START_TEST(a_loss_that_any_call_finds_out_is_a_status_and_leaves_nothing)
{
    unsigned n = 1;
    if (standin_missing())
        return;
    while (lose_at(n, _i ? "CUDA_ERROR_ECC_UNCORRECTABLE" : "CUDA_ERROR_ILLEGAL_ADDRESS"))
        n += n > 30 ? thorough(1, scaled(9, 60)) : 1;
    ck_assert_uint_gt(n, 10);
    scenario_succeed("afterwards", NULL);
    check_nothing_left("a scenario in which nothing was lost");
}
END_TEST

/* ---- pipelines ---- */

static const int32_t strategies[] = {TRM_STRATEGY_ROLE_STREAMS, TRM_STRATEGY_SLOT_STREAMS,
                                     TRM_STRATEGY_SLOT_GRAPHS, TRM_STRATEGY_ZERO_COPY};

/* The kernel of its fifth token fails. */
static int32_t lose_pipeline(int32_t strategy, int32_t mode, bool *there)
{
    static uint32_t batch[16 * 1024], results[16 * 1024];
    struct trm_kernel *spread       = NULL;
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_port_elements(0, 4),
                                       trm_arg_u32(3), trm_arg_u32(5)};
    struct trm_port ports[]         = {trm_port_input("in", 4096), trm_port_output("out", 4096)};
    struct trm_source source        = trm_source_memory(batch, sizeof(batch));
    struct trm_sink sink            = trm_sink_memory(results, sizeof(results));
    struct trm_pipeline *pipeline   = NULL;
    ck_ok(spread_load(the.device, &spread));
    struct trm_stage stage        = trm_stage_launch(spread, arguments, 5, 0, 4);
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .stages      = &stage,
                                     .stage_count = 1,
                                     .depth       = 3,
                                     .strategy    = strategy,
                                     .on_failure  = mode};
    int32_t status                = trm_pipeline_create(the.device, &desc, &pipeline);
    *there                        = status == TRM_OK;
    if (*there) {
        ck_assert_int_eq(standin->fail_work("kernel:5:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
        status = trm_pipeline_run(pipeline, &source, &sink);
        ck_sentence_has("CUDA_ERROR_ILLEGAL_ADDRESS");
    }
    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(spread);
    return status;
}

START_TEST(a_pipeline_ends_when_its_device_is_lost)
{
    static const int32_t modes[] = {TRM_FAILURE_STOP, TRM_FAILURE_DRAIN, TRM_FAILURE_SKIP};
    bool there;
    if (standin_missing())
        return;
    int32_t status = lose_pipeline(strategies[_i / 3], modes[_i % 3], &there);
    ck_assert_int_eq(status, there ? TRM_ERROR_DEVICE_LOST : TRM_ERROR_UNSUPPORTED);
    ck_assert(there || strategies[_i / 3] == TRM_STRATEGY_ZERO_COPY);
}
END_TEST

/* ---- suites ---- */

static void shape_with_two_devices(void)
{
    standin_shape("devices=2");
}

int main(void)
{
    Suite *suite = suite_create("cuda: sticky faults");
    TCase *one = tcase_create("one loss"), *processes = tcase_create("processes"),
          *any = tcase_create("any call");
    tcase_add_checked_fixture(one, shape_with_two_devices, NULL);
    tcase_add_checked_fixture(one, open_all, close_all);
    tcase_add_loop_test(one, a_kernel_that_goes_astray_loses_the_device_under_cudas_own_name_for_it, 0,
                        CAUSES);
    tcase_add_loop_test(one, every_call_on_a_lost_device_answers_so, 0, CALLS);
    tcase_add_test(one, what_is_enqueued_on_a_lost_device_does_not_get_to_the_driver);
    tcase_add_test(one, a_loss_is_told_to_the_other_streams_of_the_device);
    tcase_add_test(one, a_graph_on_a_lost_device_answers_so_and_goes);
    tcase_add_test(one, every_thread_that_waits_is_told_of_the_loss);
    tcase_add_test(one, threads_that_sleep_in_the_driver_are_told_of_the_loss);
    tcase_add_test(one, callbacks_are_told_of_the_loss_once);
    tcase_add_test(one, the_loss_of_one_device_is_not_that_of_another);
    tcase_add_test(one, a_device_can_be_opened_anew_after_a_loss);
    tcase_add_loop_test(one, a_pipeline_ends_when_its_device_is_lost, 0, 12);
    suite_add_tcase(suite, one);
    tcase_add_test(processes, another_process_is_not_concerned);
    suite_add_tcase(suite, processes);
    tcase_add_loop_test(any, a_loss_that_any_call_finds_out_is_a_status_and_leaves_nothing, 0, 2);
    suite_add_tcase(suite, any);
    return run_suite(suite);
}
