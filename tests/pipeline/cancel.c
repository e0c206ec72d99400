/* Cancelling at any moment, whatever the pipeline is doing; and time-outs of tokens on a device that is slow.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct canceller {
    struct trm_pipeline *pipeline;
    atomic_uint
        *loaded; /* not before one token was, since a cancel of what is idle cancels nothing; NULL: at once */
    uint64_t after_ns;
    int32_t status;
    uint64_t at; /* when the cancel was called */
};

static void *cancel_after(void *user)
{
    struct canceller *canceller = user;

    while (canceller->loaded != NULL && atomic_load(canceller->loaded) == 0)
        sched_yield();
    sleep_ns(canceller->after_ns);
    canceller->at     = now_ns();
    canceller->status = trm_pipeline_cancel(canceller->pipeline, 20000 * MS);
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

/* ---- at any moment ---------------------------------------------------------------------------------------- */

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
    while ((status = trm_pipeline_next(chain->pipeline, 20000 * MS, &token)) == TRM_OK)
        ck_ok(trm_pipeline_release(chain->pipeline, token));
    cancelled = status;
    while (status < 0 && status != TRM_ERROR_TIMEOUT)
        status = trm_pipeline_next(chain->pipeline, 20000 * MS, &token);
    ck_assert_int_eq(status, TRM_TOKEN_END);
    return cancelled;
}

static void cancel_at(enum fixture_backend backend,
                      int32_t (*drive)(struct chain *chain, uint32_t workers, atomic_uint *loaded))
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
        status = drive(&chain, round % 4 == 0 ? 2 : 0, &loaded);
        pthread_join(thread, NULL);
        ck_assert_msg(status == TRM_ERROR_CANCELLED, "%s: %s", trm_status_name(status),
                      trm_last_error().sentence);
        ck_assert_int_eq(canceller.status, TRM_OK);
        ck_ok(trm_pipeline_cancel(chain.pipeline, 20000 * MS));
        slots_free(chain.pipeline);
        chain_round(&chain, BY_RUN, 10); /* and it is as good as new */
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

/* ---- a device that is slow --------------------------------------------------------------------------------- */

static void open_slow(struct trm_pipeline **pipeline, uint64_t launch_ns, uint32_t depth, int32_t strategy,
                      int32_t mode, uint64_t token_timeout_ns)
{
    struct trm_port ports[]         = {trm_port_input("in", 1024), trm_port_output("out", 1024)};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_u64(launch_ns)};
    struct trm_stage stage          = trm_stage_launch(the.timed, arguments, 3, 0, 0);
    struct trm_pipeline_desc desc   = {.struct_size      = sizeof(desc),
                                       .ports            = ports,
                                       .port_count       = 2,
                                       .stages           = &stage,
                                       .stage_count      = 1,
                                       .depth            = depth,
                                       .strategy         = strategy,
                                       .on_failure       = mode,
                                       .token_timeout_ns = token_timeout_ns};

    stage.grid = trm_grid_1d(1, 0);
    ck_ok(trm_pipeline_create(the.device, &desc, pipeline));
}

static int32_t five(void *user, struct trm_token *token)
{
    (void)user;
    return token->index < 5 ? TRM_OK : TRM_TOKEN_END;
}

START_TEST(a_cancelled_run_does_not_wait_for_the_device)
{
    struct trm_source source   = trm_source_function(five, NULL);
    struct canceller canceller = {.after_ns = 20 * MS};
    struct trm_pipeline *pipeline;
    pthread_t thread;
    uint64_t late = UINT64_MAX;

    fixture_open(ON_TIMED, NULL, 0);
    for (int i = 0; i < 5 && late > 110 * MS; i++) { /* the machine may be busy */
        open_slow(&pipeline, 250 * MS, 3, strategies[_i], TRM_FAILURE_STOP, 0);
        canceller.pipeline = pipeline;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_after, &canceller), 0);
        ck_assert_int_eq(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_CANCELLED);
        uint64_t end = now_ns();
        pthread_join(thread, NULL);
        ck_assert_int_eq(canceller.status, TRM_OK); /* it waited until the device was done */
        late = end - canceller.at < late ? end - canceller.at : late;
        slots_free(pipeline);
        trm_pipeline_destroy(pipeline);
    }
    fixture_close();
    if (!sanitized())
        ck_assert_uint_le(late, 110 * MS);
}
END_TEST

START_TEST(a_token_is_late_when_its_time_is_over)
{
    struct trm_source source = trm_source_function(five, NULL);
    struct trm_report report = {.struct_size = sizeof(report)};
    struct trm_pipeline *pipeline;

    fixture_open(ON_TIMED, NULL, 0);
    open_slow(&pipeline, 100 * MS, 3, strategies[_i], TRM_FAILURE_STOP, 20 * MS);
    ck_assert_int_eq(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 0"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "compute"));
    slots_free(pipeline);
    trm_pipeline_destroy(pipeline);

    open_slow(&pipeline, 60 * MS, 2, strategies[_i], TRM_FAILURE_SKIP, 20 * MS);
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    ck_ok(trm_pipeline_report(pipeline, &report));
    ck_assert_uint_eq(report.failed, 5);
    ck_assert_uint_eq(report.tokens, 0);
    slots_free(pipeline);
    trm_pipeline_destroy(pipeline);

    open_slow(&pipeline, 1 * MS, 2, strategies[_i], TRM_FAILURE_STOP, 5000 * MS);
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    trm_pipeline_destroy(pipeline);
    fixture_close();
}
END_TEST

START_TEST(cancelling_a_server_ends_what_waits)
{
    struct canceller canceller = {.after_ns = 30 * MS};
    struct trm_pipeline *pipeline;
    struct trm_token *token;
    pthread_t thread;

    fixture_open(ON_TIMED, NULL, 0);
    open_slow(&pipeline, 300 * MS, 1, strategies[_i], TRM_FAILURE_STOP, 0);
    ck_ok(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token));
    ck_ok(trm_pipeline_submit(pipeline, token));
    canceller.pipeline = pipeline;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_after, &canceller), 0);
    ck_assert_int_eq(trm_pipeline_next(pipeline, TRM_FOREVER, &token), TRM_ERROR_CANCELLED);
    pthread_join(thread, NULL);
    slots_free(pipeline);
    ck_ok(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token)); /* and goes on */
    ck_ok(trm_pipeline_submit(pipeline, token));
    ck_ok(trm_pipeline_next(pipeline, TRM_FOREVER, &token));
    ck_ok(trm_pipeline_release(pipeline, token));
    trm_pipeline_destroy(pipeline);
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
    tcase_set_timeout(any, 300);
    tcase_add_loop_test(any, a_run_is_cancelled_at_any_moment, 0, 2);
    tcase_add_loop_test(any, what_was_started_is_cancelled_at_any_moment, 0, 2);
    suite_add_tcase(suite, any);
    tcase_set_timeout(slow, 120);
    tcase_add_loop_test(slow, a_cancelled_run_does_not_wait_for_the_device, 0, 4);
    tcase_add_loop_test(slow, a_token_is_late_when_its_time_is_over, 0, 4);
    tcase_add_loop_test(slow, cancelling_a_server_ends_what_waits, 0, 4);
    suite_add_tcase(suite, slow);

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
