/* Pipelines that end early.
 * SPDX-License-Identifier: MIT
 */
#include "fragile.h"
#include "groups.h"
#include "kernels.h"

#include <pthread.h>
#include <stdatomic.h>

#define MS UINT64_C(1000000)

/* ---- timeouts ------------------------------------------------------------------------------- */

struct late {
    struct trm_port port;
    struct trm_argument argument;
    struct trm_stage stage;
    struct trm_pipeline_desc desc;
    struct trm_pipeline *pipeline;
};

/* A pipeline whose tokens take so long. */
static void late_open(struct late *late, uint32_t microseconds, uint64_t timeout_ns, int32_t mode)
{
    memset(late, 0, sizeof(*late));
    late->port       = trm_port_input("in", 16);
    late->argument   = trm_arg_u32(microseconds);
    late->stage      = trm_stage_launch(kernel("dawdle"), &late->argument, 1, 0, 0);
    late->stage.grid = trm_grid_1d(1, 1);
    late->desc       = (struct trm_pipeline_desc){.struct_size      = sizeof(late->desc),
                                                  .ports            = &late->port,
                                                  .port_count       = 1,
                                                  .stages           = &late->stage,
                                                  .stage_count      = 1,
                                                  .depth            = 2,
                                                  .on_failure       = mode,
                                                  .token_timeout_ns = timeout_ns};
    ck_ok(trm_pipeline_create(the.device, &late->desc, &late->pipeline));
}

/* No run waits for long for tokens that timed out, and a cancelled run waits for none. */
static void late_close(struct late *late)
{
    ck_ok(trm_pipeline_cancel(late->pipeline, TRM_FOREVER));
    ck_slots_free(late->pipeline);
    trm_pipeline_destroy(late->pipeline);
    kernels_close();
}

static bool no_run_can_be_late(void)
{
    if (kernels_missing())
        return true;
    if (device_number(the.device, TRM_DEVICE_SYNCHRONOUS) == 0)
        return false;
    skip("the device works inside of calls, so no run can be late");
    return true;
}

static int32_t give_some(void *user, struct trm_token *token)
{
    return token->index < *(uint64_t *)user ? TRM_OK : TRM_TOKEN_END;
}

START_TEST(a_token_that_takes_too_long_fails_with_a_time_out)
{
    uint64_t count           = 1;
    struct trm_source source = trm_source_function(give_some, &count);
    int32_t status           = TRM_OK;
    struct late late;
    if (no_run_can_be_late())
        return;
    for (unsigned i = 0; i < ATTEMPTS && status == TRM_OK; i++) {
        late_open(&late, dawdle_us(60, i), 10 * MS, TRM_FAILURE_STOP);
        status = trm_pipeline_run(late.pipeline, &source, NULL);
        ck_assert(status == TRM_OK || strstr(trm_last_error().sentence, "token 0"));
        late_close(&late);
    }
    ck_assert_int_eq(status, TRM_ERROR_TIMEOUT);

    late_open(&late, 1000, LONG_NS, TRM_FAILURE_STOP);
    ck_ok(trm_pipeline_run(late.pipeline, &source, NULL));
    late_close(&late);
}
END_TEST

START_TEST(late_tokens_are_left_out_one_by_one)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    uint64_t count           = 3;
    struct trm_source source = trm_source_function(give_some, &count);
    struct late late;
    if (no_run_can_be_late())
        return;
    for (unsigned i = 0; i < ATTEMPTS && report.failed < count; i++) {
        late_open(&late, dawdle_us(40, i), 10 * MS, TRM_FAILURE_SKIP);
        ck_ok(trm_pipeline_run(late.pipeline, &source, NULL));
        ck_ok(trm_pipeline_report(late.pipeline, &report));
        ck_assert_uint_eq(report.tokens + report.failed, count);
        late_close(&late);
    }
    ck_assert_uint_eq(report.failed, count);
}
END_TEST

/* ---- cancel --------------------------------------------------------------------------------- */

struct canceller {
    struct trm_pipeline *pipeline;
    atomic_bool begun; /* the source was called: cancelling an idle pipeline does nothing */
    unsigned after_ms;
    uint64_t timeout_ns;
    int32_t status;
};

static struct canceller *later(struct canceller *canceller)
{
    while (!atomic_load(&canceller->begun))
        sleep_ms(1);
    sleep_ms(canceller->after_ms);
    return canceller;
}

static void *cancel_later(void *user)
{
    struct canceller *canceller = later(user);
    canceller->status           = trm_pipeline_cancel(canceller->pipeline, canceller->timeout_ns);
    return NULL;
}

static int32_t give_for_ever(void *user, struct trm_token *token)
{
    struct canceller *canceller = user;
    (void)token;
    atomic_store(&canceller->begun, true);
    return TRM_OK;
}

START_TEST(a_run_without_end_is_cancelled)
{
    if (kernels_missing())
        return;
    for (uint32_t workers = 0; workers <= 3; workers += 3) {
        struct canceller canceller = {.after_ms = 20, .timeout_ns = LONG_NS};
        struct trm_source source   = trm_source_function(give_for_ever, &canceller);
        struct fragile fragile;
        pthread_t thread;
        source.workers = workers;
        fragile_begin(&fragile, 3);
        canceller.pipeline = fragile.pipeline;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
        ck_status(trm_pipeline_run(fragile.pipeline, &source, NULL), TRM_ERROR_CANCELLED);
        pthread_join(thread, NULL);
        ck_assert_int_eq(canceller.status, TRM_OK);
        ck_slots_free(fragile.pipeline);
        ck_ok(fragile_run(&fragile, 10)); /* it can be used again */
        ck_assert_uint_eq(fragile.delivered, 10);
        fragile_close(&fragile);
    }
}
END_TEST

/* Whether work is still in flight when the cancelled run has returned. */
static bool returns_early(uint32_t microseconds)
{
    struct canceller canceller = {.after_ms = 10, .timeout_ns = 0};
    struct trm_source source   = trm_source_function(give_for_ever, &canceller);
    struct late late;
    pthread_t thread;
    late_open(&late, microseconds, 0, TRM_FAILURE_STOP);
    canceller.pipeline = late.pipeline;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
    ck_status(trm_pipeline_run(late.pipeline, &source, NULL), TRM_ERROR_CANCELLED);
    int32_t status = trm_pipeline_cancel(late.pipeline, 0);
    pthread_join(thread, NULL);
    late_close(&late);
    return status == TRM_ERROR_TIMEOUT && canceller.status == TRM_ERROR_TIMEOUT;
}

START_TEST(a_cancelled_run_returns_although_the_device_is_slow)
{
    if (no_run_can_be_late())
        return;
    for (unsigned i = 0; !returns_early(dawdle_us(500, i)); i++)
        ck_assert_uint_lt(i, ATTEMPTS);
}
END_TEST

static int32_t cancel_inside(void *user, struct trm_token *token)
{
    struct canceller *canceller = user;
    if (token->index == 5)
        canceller->status = trm_pipeline_cancel(canceller->pipeline, 0);
    return TRM_OK;
}

START_TEST(a_source_may_cancel)
{
    struct canceller canceller = {.status = 1};
    struct trm_source source   = trm_source_function(cancel_inside, &canceller);
    struct fragile fragile;
    if (kernels_missing())
        return;
    fragile_begin(&fragile, 3);
    canceller.pipeline = fragile.pipeline;
    ck_status(trm_pipeline_run(fragile.pipeline, &source, NULL), TRM_ERROR_CANCELLED);
    ck_assert_int_ne(canceller.status, 1);
    /* a cancelled run does not wait for long */
    ck_ok(trm_pipeline_cancel(fragile.pipeline, TRM_FOREVER));
    ck_slots_free(fragile.pipeline);
    ck_ok(fragile_run(&fragile, 10));
    fragile_close(&fragile);
}
END_TEST

START_TEST(cancelling_an_idle_pipeline_does_nothing)
{
    struct fragile fragile;
    if (kernels_missing())
        return;
    fragile_begin(&fragile, 3);
    ck_ok(trm_pipeline_cancel(fragile.pipeline, TRM_FOREVER));
    ck_ok(trm_pipeline_cancel(fragile.pipeline, 0));
    ck_ok(fragile_run(&fragile, 10));
    ck_ok(trm_pipeline_cancel(fragile.pipeline, 0));
    ck_ok(fragile_run(&fragile, 10));
    fragile_close(&fragile);
}
END_TEST

static void *destroy_later(void *user)
{
    trm_pipeline_destroy(later(user)->pipeline);
    return NULL;
}

START_TEST(a_pipeline_is_destroyed_while_another_thread_runs_it)
{
    if (kernels_missing())
        return;
    for (int i = 0; i < 5; i++) {
        struct canceller canceller = {.after_ms = (unsigned)(2 * i + 1)};
        struct trm_source source   = trm_source_function(give_for_ever, &canceller);
        struct fragile fragile;
        pthread_t thread;
        source.workers = (uint32_t)i % 3;
        fragile_begin(&fragile, 3);
        canceller.pipeline = fragile.pipeline;
        ck_assert_int_eq(pthread_create(&thread, NULL, destroy_later, &canceller), 0);
        ck_refused(trm_pipeline_run(fragile.pipeline, &source, NULL));
        pthread_join(thread, NULL);
        kernels_close();
    }
}
END_TEST

void add_pipeline_cancel(Suite *suite)
{
    TCase *ends = group_make(suite, "pipelines: time-outs and cancelling");
    CASE(ends, a_token_that_takes_too_long_fails_with_a_time_out);
    CASE(ends, late_tokens_are_left_out_one_by_one);
    CASE(ends, a_run_without_end_is_cancelled);
    CASE(ends, a_cancelled_run_returns_although_the_device_is_slow);
    CASE(ends, a_source_may_cancel);
    CASE(ends, cancelling_an_idle_pipeline_does_nothing);
    CASE(ends, a_pipeline_is_destroyed_while_another_thread_runs_it);
}
