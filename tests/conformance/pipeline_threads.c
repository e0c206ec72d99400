/* Pipelines: several threads, and the end of a pipeline.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#include <pthread.h>

#define MS UINT64_C(1000000)

static void open_plan(struct rig *rig, const char *name, uint32_t depth, int32_t strategy)
{
    rig_make(rig, plan_named(name), depth, strategy);
    ck_ok(rig_open(rig));
}

/* ---- two threads ---------------------------------------------------------------------------- */

struct taker {
    struct rig *rig;
    int32_t status;
};

static void *take_all(void *user)
{
    struct taker *taker = user;
    struct rig *rig     = taker->rig;
    struct trm_token *token;
    while (rig->delivered < rig->count) {
        int32_t status = trm_pipeline_next(rig->pipeline, 100 * MS, &token);
        if (status == TRM_ERROR_TIMEOUT)
            continue;
        if (status == TRM_OK) {
            rig_take(rig, token);
            status = trm_pipeline_release(rig->pipeline, token);
        }
        if (status != TRM_OK) {
            taker->status = status;
            break;
        }
    }
    return NULL;
}

START_TEST(one_thread_submits_and_another_takes)
{
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct rig rig;
        struct taker taker = {&rig, TRM_OK};
        struct trm_token *token;
        pthread_t thread;
        rig_make(&rig, plan_named("several kernels with scratch"), 3, all_strategies[s]);
        if (rig_open(&rig) != TRM_OK) {
            rig_close(&rig);
            continue;
        }
        rig.count = scaled(PLAN_MOST_TOKENS, 60);
        ck_assert_int_eq(pthread_create(&thread, NULL, take_all, &taker), 0);
        for (uint64_t i = 0; i < rig.count; i++) {
            ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
            rig_fill(&rig, token);
            ck_ok(trm_pipeline_submit(rig.pipeline, token));
        }
        pthread_join(thread, NULL);
        ck_assert_int_eq(taker.status, TRM_OK);
        rig_check(&rig);
        ck_slots_free(rig.pipeline);
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

static void *submit_some(void *user)
{
    struct taker *giver = user;
    struct rig *rig     = giver->rig;
    struct trm_token *token;
    for (uint64_t i = 0; i < rig->count / 2 && giver->status == TRM_OK; i++) {
        giver->status = trm_pipeline_acquire(rig->pipeline, TRM_FOREVER, &token);
        if (giver->status != TRM_OK)
            break;
        rig_fill(rig, token);
        giver->status = trm_pipeline_submit(rig->pipeline, token);
    }
    return NULL;
}

START_TEST(two_threads_submit_and_a_third_takes)
{
    struct rig rig;
    struct taker givers[2] = {{&rig, TRM_OK}, {&rig, TRM_OK}}, taker = {&rig, TRM_OK};
    pthread_t threads[2];
    if (kernels_missing())
        return;
    open_plan(&rig, "variable sizes", 4, TRM_STRATEGY_AUTO);
    rig.count = scaled(200, 60);
    rig.loose = true; /* the order of submission is that of the threads */
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, submit_some, &givers[i]), 0);
    take_all(&taker);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(taker.status, TRM_OK);
    ck_assert_int_eq(givers[0].status, TRM_OK);
    ck_assert_int_eq(givers[1].status, TRM_OK);
    rig_check(&rig);
    ck_slots_free(rig.pipeline);
    rig_close(&rig);
}
END_TEST

static void *run_alone(void *user)
{
    struct rig *rig          = user;
    struct trm_source source = trm_source_function(rig_source, rig);
    struct trm_sink sink     = trm_sink_function(rig_sink, rig);
    if (trm_pipeline_run(rig->pipeline, &source, &sink) != TRM_OK && rig->wrong == NULL)
        rig->wrong = "the run failed";
    return NULL;
}

START_TEST(several_pipelines_of_a_device_run_at_once)
{
    enum {
        COUNT = 4
    };
    static struct rig rigs[COUNT];
    pthread_t threads[COUNT];
    if (kernels_missing())
        return;
    for (int i = 0; i < COUNT; i++) {
        open_plan(&rigs[i], i % 2 ? "host stages" : "several kernels with scratch", 3, TRM_STRATEGY_AUTO);
        rigs[i].count = scaled(200, 40);
    }
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_alone, &rigs[i]), 0);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < COUNT; i++) {
        rig_check(&rigs[i]);
        ck_slots_free(rigs[i].pipeline);
        rig_close(&rigs[i]);
    }
}
END_TEST

/* ---- the end -------------------------------------------------------------------------------- */

START_TEST(a_pipeline_is_destroyed_with_tokens_in_every_state)
{
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        for (int state = 0; state < 5; state++) {
            struct trm_token *token, *taken;
            struct rig rig;
            rig_make(&rig, plan_named("host stages"), 4, all_strategies[s]);
            if (rig_open(&rig) == TRM_OK) {
                if (state > 0)
                    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
                for (int i = 0; i < 2 && state > 1; i++) {
                    rig_fill(&rig, token);
                    ck_ok(trm_pipeline_submit(rig.pipeline, token));
                    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
                }
                if (state > 2)
                    ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &taken));
                if (state > 3)
                    ck_ok(trm_pipeline_release(rig.pipeline, taken));
            }
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

START_TEST(a_started_pipeline_is_destroyed_half_way)
{
    if (kernels_missing())
        return;
    for (uint32_t workers = 0; workers <= 3; workers += 3) {
        for (int taken = 0; taken < 4; taken++) {
            struct trm_source source;
            struct trm_token *token;
            struct rig rig;
            open_plan(&rig, "several kernels with scratch", 3, TRM_STRATEGY_AUTO);
            source         = trm_source_function(rig_source, &rig);
            source.workers = workers;
            rig.count      = 50;
            ck_ok(trm_pipeline_start(rig.pipeline, &source));
            for (int i = 0; i < taken; i++) {
                ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token));
                if (i + 1 < taken)
                    ck_ok(trm_pipeline_release(rig.pipeline, token));
            }
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

struct nosy {
    struct trm_pipeline *pipeline;
    int32_t answers[8];
    uint32_t count;
    uint64_t last;
};

static void be_nosy(struct nosy *nosy)
{
    struct trm_source source = trm_source_count(1);
    struct trm_token *token;
    uint32_t count   = 0;
    nosy->answers[0] = trm_pipeline_next(nosy->pipeline, TRM_FOREVER, &token);
    nosy->answers[1] = trm_pipeline_acquire(nosy->pipeline, TRM_FOREVER, &token);
    nosy->answers[2] = trm_pipeline_run(nosy->pipeline, &source, NULL);
    nosy->answers[3] = trm_pipeline_start(nosy->pipeline, &source);
    nosy->answers[4] = trm_pipeline_slots(nosy->pipeline, NULL, 0, &count);
    nosy->answers[5] = (int32_t)count;
    trm_pipeline_destroy(nosy->pipeline); /* does nothing */
    nosy->answers[6] = trm_last_error().status;
    nosy->count++;
}

static int32_t nosy_source(void *user, struct trm_token *token)
{
    struct nosy *nosy = user;
    if (token->index >= nosy->last)
        return TRM_TOKEN_END;
    be_nosy(nosy);
    return TRM_OK;
}

static int32_t nosy_stage(void *user, const struct trm_token *token)
{
    (void)token;
    be_nosy(user);
    return TRM_OK;
}

static void ck_nosy(const struct nosy *nosy, uint32_t count)
{
    ck_assert_uint_eq(nosy->count, count);
    ck_assert_int_eq(nosy->answers[0], TRM_ERROR_DEADLOCK);
    ck_assert_int_lt(nosy->answers[1], 0); /* BUSY or DEADLOCK: both are allowed */
    ck_assert_int_lt(nosy->answers[2], 0);
    ck_assert_int_lt(nosy->answers[3], 0);
    ck_assert_int_eq(nosy->answers[4], TRM_OK);
    ck_assert_int_eq(nosy->answers[5], 2);
    ck_assert_int_eq(nosy->answers[6], TRM_ERROR_DEADLOCK);
}

static void run_nosily(struct nosy *nosy, const struct trm_pipeline_desc *desc,
                       const struct trm_source *source, const struct trm_sink *sink)
{
    nosy->count = 0;
    ck_ok(trm_pipeline_create(the.device, desc, &nosy->pipeline));
    ck_ok(trm_pipeline_run(nosy->pipeline, source, sink));
    ck_slots_free(nosy->pipeline);
    trm_pipeline_destroy(nosy->pipeline);
    ck_nosy(nosy, 5);
}

START_TEST(inside_its_own_functions_a_pipeline_answers_deadlock)
{
    struct trm_port ports[]       = {trm_port_input("in", 400), trm_port_output("out", 400)};
    struct nosy nosy              = {.last = 5};
    struct trm_stage stage        = trm_stage_host(nosy_stage, &nosy, 1, 2);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = ports, .port_count = 2, .stages = &stage, .depth = 2};
    struct trm_source source = trm_source_function(nosy_source, &nosy);
    struct trm_sink sink     = trm_sink_function(nosy_stage, &nosy);

    run_nosily(&nosy, &desc, &source, NULL);
    source.workers = 1;
    run_nosily(&nosy, &desc, &source, NULL);

    ports[0].kind = TRM_PORT_SCRATCH;
    source        = trm_source_count(5);
    run_nosily(&nosy, &desc, &source, &sink);
    desc.stage_count = 1;
    run_nosily(&nosy, &desc, &source, NULL);
}
END_TEST

void add_pipeline_threads(Suite *suite)
{
    TCase *threads = group_make(suite, "pipelines: several threads");
    CASE(threads, one_thread_submits_and_another_takes);
    CASE(threads, two_threads_submit_and_a_third_takes);
    CASE(threads, several_pipelines_of_a_device_run_at_once);

    TCase *ends = group_make(suite, "pipelines: the end");
    CASE(ends, a_pipeline_is_destroyed_with_tokens_in_every_state);
    CASE(ends, a_started_pipeline_is_destroyed_half_way);
    CASE(ends, inside_its_own_functions_a_pipeline_answers_deadlock);
}
