/* Processes that fork while they use a driver, and processes that exit while work is running.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/fixture.h"

enum {
    N = 1000
};

static struct trm_kernel *kernel;
static struct trm_buffer *buffer;

static void open_all(void)
{
    world_open();
    kernel = affine_on(the.device);
    buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, 4 * N);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 4));
    ck_ok(trm_stream_sync(the.stream));
}

static void close_all(void)
{
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    world_close();
}

/* A child reports a number: that of the check that failed; 0: none. */
static int run_child(int (*run)(void))
{
    int ended   = -1;
    pid_t child = fork();
    if (child == 0) {
        alarm(200);
        _exit(run());
    }
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &ended, 0), child);
    ck_assert_msg(WIFEXITED(ended), "the child was ended by signal %d", WTERMSIG(ended));
    return WEXITSTATUS(ended);
}

static bool is_refused(int32_t status)
{
    return status < 0 && trm_last_error().status == status && trm_last_error().sentence[0];
}

static int use_the_parents_device(void)
{
    struct trm_buffer *more   = NULL;
    struct trm_stream *stream = NULL;
    uint32_t number           = 0;
    uint64_t before           = standin ? standin->fallible_calls() : 0;
    if (!is_refused(trm_stream_sync(the.stream)))
        return 1;
    if (!is_refused(trm_fill(the.stream, trm_span_whole(buffer), 1, 4)))
        return 2;
    if (!is_refused(affine_launch(the.stream, kernel, buffer, N, 1, 1)))
        return 3;
    if (!is_refused(trm_download(the.stream, &number, trm_span_of(buffer, 0, 4))))
        return 4;
    if (!is_refused(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 1 << 26, &more)))
        return 5;
    if (!is_refused(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream)))
        return 6;
    if (standin && standin->fallible_calls() != before) /* the driver is left alone */
        return 7;
    return 0;
}

START_TEST(a_child_is_told_that_its_parents_device_is_not_its_own)
{
    ck_assert_int_eq(run_child(use_the_parents_device), 0);
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 2, 1)); /* and the parent goes on */
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

static int destroy_the_parents_things(void)
{
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    trm_stream_destroy(the.stream);
    trm_device_destroy(the.device);
    trm_context_destroy(the.context);
    return 0;
}

START_TEST(a_child_may_destroy_what_it_has_of_its_parent)
{
    ck_assert_int_eq(run_child(destroy_the_parents_things), 0);
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 2, 1));
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

/* A driver cannot be initialized again in a child: it need only answer, with any status. */
static int open_anew(void)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    int32_t status              = context_make(NULL, 0, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    if (status != TRM_OK && !is_refused(status))
        return 1;
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}

START_TEST(a_child_that_opens_a_device_anew_gets_an_answer)
{
    ck_assert_int_eq(run_child(open_anew), 0);
}
END_TEST

/* ---- a child of a process that has not opened anything ---- */

static int live(void)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    struct trm_stream *stream   = NULL;
    struct trm_buffer *memory   = NULL;
    uint32_t number             = 0;
    int32_t status              = context_make(NULL, 0, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    if (status == TRM_OK)
        status = trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status == TRM_OK)
        status = trm_buffer_create(device, TRM_MEMORY_DEVICE, 4096, &memory);
    if (status == TRM_OK)
        status = trm_fill(stream, trm_span_whole(memory), 7, 4);
    if (status == TRM_OK)
        status = trm_download(stream, &number, trm_span_of(memory, 4092, 4));
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    trm_buffer_destroy(memory);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return status == TRM_OK && number == 7 ? 0 : 1;
}

START_TEST(children_of_a_process_without_a_device_open_their_own)
{
    ck_assert_int_eq(run_child(live), 0);
    ck_assert_int_eq(run_child(live), 0);
}
END_TEST

/* ---- ends ---- */

static int end_in_the_midst_of_work(void)
{
    struct barrier barrier = BARRIER_CLOSED;
    open_all();
    for (int i = 0; i < 50; i++)
        ck_ok(affine_launch(the.stream, kernel, buffer, N, 3, 1));
    ck_ok(barrier_enqueue(the.stream, &barrier));
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 3, 1));
    barrier_await(&barrier);
    exit(0); /* nothing is destroyed, a callback is running, and something waits for it */
}

START_TEST(a_process_may_end_in_the_midst_of_work)
{
    if (sanitized())
        return; /* a sanitizer checks what is left */
    ck_assert_int_eq(run_child(end_in_the_midst_of_work), 0);
}
END_TEST

START_TEST(devices_come_and_go_many_times)
{
    for (unsigned i = 0; i < scaled(60, 15); i++) {
        open_all();
        ck_ok(affine_launch(the.stream, kernel, buffer, N, 3, 1));
        close_all();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: processes");
    TCase *forks = tcase_create("forks"), *lives = tcase_create("lives");
    tcase_add_checked_fixture(forks, open_all, close_all);
    if (!sanitized()) { /* sanitizers do not support children of processes with threads */
        tcase_add_test(forks, a_child_is_told_that_its_parents_device_is_not_its_own);
        tcase_add_test(forks, a_child_may_destroy_what_it_has_of_its_parent);
        tcase_add_test(forks, a_child_that_opens_a_device_anew_gets_an_answer);
    }
    suite_add_tcase(suite, forks);
    tcase_add_test(lives, children_of_a_process_without_a_device_open_their_own);
    tcase_add_test(lives, a_process_may_end_in_the_midst_of_work);
    tcase_add_test(lives, devices_come_and_go_many_times);
    suite_add_tcase(suite, lives);
    return run_suite(suite);
}
