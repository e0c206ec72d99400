/* Cancelling at any moment, and timeouts of tokens on a slow device.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct canceller {
    struct trm_pipeline *pipeline;
    /* not before a token was, because cancelling an idle pipeline does nothing */
    atomic_uint *loaded;
    uint64_t after_ns;
    int32_t status;
};

static void *cancel_after(void *user)
{
    struct canceller *canceller = user;

    while (atomic_load(canceller->loaded) == 0)
        sched_yield();
    sleep_ns(canceller->after_ns);
    canceller->status = trm_pipeline_cancel(canceller->pipeline, LONG_NS);
    return NULL;
}

static int32_t endless(void *user, struct trm_token *token)
{
    uint32_t *words = token->data[0];

    memset(words, 0, CHAIN_WORDS * sizeof(*words));
    words[0] = (uint32_t)token->index;
    atomic_fetch_add((atomic_uint *)user, 1);
    return TRM_OK;
}

/* ---- at any moment -------------------------------------------------------------------------- */

static int32_t drive_run(struct chain *chain, uint32_t workers, atomic_uint *loaded)
{
    struct trm_source source = trm_source_function(endless, loaded);

    source.workers = workers;
    return trm_pipeline_run(chain->pipeline, &source, NULL);
}

static int32_t drive_next(struct chain *chain, uint32_t workers, atomic_uint *loaded)
{
    struct trm_source source = trm_source_function(endless, loaded);
    struct trm_token *token;
    int32_t status, cancelled;

    source.workers = workers;
    ck_ok(trm_pipeline_start(chain->pipeline, &source));
    while ((status = trm_pipeline_next(chain->pipeline, LONG_NS, &token)) == TRM_OK)
        ck_ok(trm_pipeline_release(chain->pipeline, token));
    cancelled = status;
    while (status < 0 && status != TRM_ERROR_TIMEOUT)
        status = trm_pipeline_next(chain->pipeline, LONG_NS, &token);
    ck_assert_int_eq(status, TRM_TOKEN_END);
    return cancelled;
}

/* Cancelling is no failure: every token that was loaded came out or was cancelled. */
static void check_counts(const struct chain *chain, uint64_t loaded)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    ck_ok(trm_pipeline_report(chain->pipeline, &report));
    ck_assert_uint_eq(report.failed, 0);
    ck_assert_uint_eq(report.tokens + report.cancelled, loaded);
}

static void cancel_at(enum fixture_backend backend,
                      int32_t (*method)(struct chain *chain, uint32_t workers, atomic_uint *loaded))
{
    uint32_t random = 12345;

    if (!backend_there(backend))
        return;
    fixture_open(backend, NULL, 0);
    for (unsigned round = 0; round < scaled(120, 30); round++) {
        atomic_uint loaded         = 0;
        struct canceller canceller = {.loaded = &loaded};
        struct chain chain;
        pthread_t thread;
        int32_t status;

        mark_point();
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        chain_make(&chain, 1 + round % 6, strategies[round % 5], (int32_t)(round % 3), round % 2 == 0);
        if (chain_open(&chain) != TRM_OK)
            continue;
        canceller.pipeline = chain.pipeline;
        canceller.after_ns = random % (3 * MS);
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_after, &canceller), 0);
        status = method(&chain, round % 4 == 0 ? 2 : 0, &loaded);
        pthread_join(thread, NULL);
        ck_assert_msg(status == TRM_ERROR_CANCELLED, "%s: %s", trm_status_name(status),
                      trm_last_error().sentence);
        ck_assert_int_eq(canceller.status, TRM_OK);
        ck_ok(trm_pipeline_cancel(chain.pipeline, LONG_NS));
        slots_free(chain.pipeline);
        check_counts(&chain, atomic_load(&loaded));
        chain_round(&chain, BY_RUN, 10); /* and it works as before */
        chain_check_whole(&chain);
        chain_close(&chain);
        device_as_before();
    }
    fixture_close();
}

START_TEST(a_run_is_cancelled_at_any_moment)
{
    cancel_at(_i ? ON_TIMED : ON_CPU, drive_run);
}
END_TEST

START_TEST(what_was_started_is_cancelled_at_any_moment)
{
    cancel_at(_i ? ON_TIMED : ON_CPU, drive_next);
}
END_TEST

/* ---- a slow device -------------------------------------------------------------------------- */

/* One stage, `kernel`; its third argument, if any, is a time. */
static struct trm_pipeline *open_stage(struct trm_kernel *kernel, uint64_t launch_ns, uint32_t depth,
                                       int32_t strategy, int32_t mode, uint64_t token_timeout_ns)
{
    struct trm_port ports[]         = {trm_port_input("in", 1024), trm_port_output("out", 1024)};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_u64(launch_ns)};
    struct trm_stage stage          = trm_stage_launch(kernel, arguments, launch_ns != 0 ? 3 : 2, 0, 0);
    struct trm_pipeline_desc desc   = {.struct_size      = sizeof(desc),
                                       .ports            = ports,
                                       .port_count       = 2,
                                       .stages           = &stage,
                                       .stage_count      = 1,
                                       .depth            = depth,
                                       .strategy         = strategy,
                                       .on_failure       = mode,
                                       .token_timeout_ns = token_timeout_ns};
    struct trm_pipeline *pipeline;

    stage.grid = trm_grid_1d(1, 0);
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    return pipeline;
}

/* No launch ends before held_let_go() allows it. */
static struct trm_pipeline *open_held(uint32_t depth, int32_t strategy, int32_t mode,
                                      uint64_t token_timeout_ns)
{
    held_again();
    return open_stage(the.held, 0, depth, strategy, mode, token_timeout_ns);
}

/* Dropped tokens have ended as well, and the pipeline is gone. */
static void close_stage(struct trm_pipeline *pipeline)
{
    held_let_go(UINT_MAX);
    ck_ok(trm_pipeline_cancel(pipeline, LONG_NS));
    slots_free(pipeline);
    trm_pipeline_destroy(pipeline);
}

static int32_t five(void *user, struct trm_token *token)
{
    if (token->index == 5)
        return TRM_TOKEN_END;
    atomic_fetch_add((atomic_uint *)user, 1);
    return TRM_OK;
}

/* The device goes on only when the run has returned. */
START_TEST(a_cancelled_run_does_not_wait_for_the_device)
{
    atomic_uint loaded         = 0;
    struct trm_source source   = trm_source_function(five, &loaded);
    struct canceller canceller = {.loaded = &loaded, .after_ns = 20 * MS};
    pthread_t thread;

    fixture_open(ON_TIMED, NULL, 0);
    canceller.pipeline = open_held(3, strategies[_i], TRM_FAILURE_STOP, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_after, &canceller), 0);
    ck_assert_int_eq(trm_pipeline_run(canceller.pipeline, &source, NULL), TRM_ERROR_CANCELLED);
    held_let_go(UINT_MAX);
    pthread_join(thread, NULL);
    /* it waited until the device was done */
    ck_assert_int_eq(canceller.status, TRM_OK);
    slots_free(canceller.pipeline);
    trm_pipeline_destroy(canceller.pipeline);
    fixture_close();
}
END_TEST

/* On a busy machine a token may be late before its upload has ended; then again with more time. */
START_TEST(a_token_is_late_when_its_time_is_over)
{
    atomic_uint loaded       = 0;
    struct trm_source source = trm_source_function(five, &loaded);
    bool computed            = false;

    fixture_open(ON_TIMED, NULL, 0);
    for (uint64_t timeout = 20 * MS; timeout < LONG_NS && !computed; timeout *= 4) {
        struct trm_pipeline *pipeline = open_held(3, strategies[_i], TRM_FAILURE_STOP, timeout);
        ck_assert_int_eq(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_TIMEOUT);
        ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 0"));
        computed = strstr(trm_last_error().sentence, "compute") != NULL;
        close_stage(pipeline);
    }
    ck_assert(computed);
    fixture_close();
}
END_TEST

struct releaser {
    struct trm_pipeline *pipeline;
    atomic_uint loaded;
};

/* The device goes on when all its tokens are late. */
static void *let_go_of_the_late(void *user)
{
    struct releaser *releaser = user;
    struct trm_report report  = {.struct_size = sizeof(report)};

    while (report.failed < 5) {
        sleep_ns(MS);
        ck_ok(trm_pipeline_report(releaser->pipeline, &report));
        if (report.failed == atomic_load(&releaser->loaded))
            held_let_go((unsigned)report.failed);
    }
    return NULL;
}

START_TEST(each_token_that_is_late_is_skipped)
{
    struct releaser releaser = {.loaded = 0};
    struct trm_source source = trm_source_function(five, &releaser.loaded);
    struct trm_report report = {.struct_size = sizeof(report)};
    pthread_t thread;

    fixture_open(ON_TIMED, NULL, 0);
    releaser.pipeline = open_held(2, strategies[_i], TRM_FAILURE_SKIP, 20 * MS);
    ck_assert_int_eq(pthread_create(&thread, NULL, let_go_of_the_late, &releaser), 0);
    ck_ok(trm_pipeline_run(releaser.pipeline, &source, NULL));
    pthread_join(thread, NULL);
    ck_ok(trm_pipeline_report(releaser.pipeline, &report));
    ck_assert_uint_eq(report.failed, 5);
    ck_assert_uint_eq(report.tokens, 0);
    close_stage(releaser.pipeline);
    fixture_close();
}
END_TEST

START_TEST(a_token_within_its_time_is_not_late)
{
    atomic_uint loaded       = 0;
    struct trm_source source = trm_source_function(five, &loaded);
    struct trm_pipeline *pipeline;

    fixture_open(ON_TIMED, NULL, 0);
    pipeline = open_stage(the.timed, 1 * MS, 2, strategies[_i], TRM_FAILURE_STOP, LONG_NS);
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    ck_assert_uint_eq(atomic_load(&loaded), 5);
    close_stage(pipeline);
    fixture_close();
}
END_TEST

struct server {
    struct trm_pipeline *pipeline;
    atomic_bool returned; /* from next() */
};

/* Repeated, because the first cancel may have come before the thread waited. */
static void *cancel_the_server(void *user)
{
    struct server *server = user;

    do {
        sleep_ns(10 * MS);
        (void)trm_pipeline_cancel(server->pipeline, 0);
    } while (!atomic_load(&server->returned));
    return NULL;
}

START_TEST(cancelling_a_server_ends_what_waits)
{
    struct server server = {.returned = false};
    struct trm_token *token;
    pthread_t thread;

    fixture_open(ON_TIMED, NULL, 0);
    server.pipeline = open_held(1, strategies[_i], TRM_FAILURE_STOP, 0);
    ck_ok(trm_pipeline_acquire(server.pipeline, TRM_FOREVER, &token));
    ck_ok(trm_pipeline_submit(server.pipeline, token));
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_the_server, &server), 0);
    ck_assert_int_eq(trm_pipeline_next(server.pipeline, TRM_FOREVER, &token), TRM_ERROR_CANCELLED);
    atomic_store(&server.returned, true);
    pthread_join(thread, NULL);
    held_let_go(UINT_MAX);
    ck_ok(trm_pipeline_cancel(server.pipeline, LONG_NS));
    slots_free(server.pipeline);
    ck_ok(trm_pipeline_acquire(server.pipeline, TRM_FOREVER, &token)); /* and goes on */
    ck_ok(trm_pipeline_submit(server.pipeline, token));
    ck_ok(trm_pipeline_next(server.pipeline, TRM_FOREVER, &token));
    ck_ok(trm_pipeline_release(server.pipeline, token));
    trm_pipeline_destroy(server.pipeline);
    fixture_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cancelling pipelines");
    TCase *any = tcase_create("at any moment"), *slow = tcase_create("a slow device");
    SRunner *runner;
    int failed;

    if (!backend_there(ON_TIMED))
        return 77;
    tcase_set_timeout(any, 600);
    tcase_add_loop_test(any, a_run_is_cancelled_at_any_moment, 0, 2);
    tcase_add_loop_test(any, what_was_started_is_cancelled_at_any_moment, 0, 2);
    suite_add_tcase(suite, any);
    tcase_set_timeout(slow, 300);
    tcase_add_loop_test(slow, a_cancelled_run_does_not_wait_for_the_device, 0, 4);
    tcase_add_loop_test(slow, a_token_is_late_when_its_time_is_over, 0, 4);
    tcase_add_loop_test(slow, each_token_that_is_late_is_skipped, 0, 4);
    tcase_add_loop_test(slow, a_token_within_its_time_is_not_late, 0, 4);
    tcase_add_loop_test(slow, cancelling_a_server_ends_what_waits, 0, 4);
    suite_add_tcase(suite, slow);

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
