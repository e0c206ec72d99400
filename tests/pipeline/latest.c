/* TRM_FULL_LATEST over many thousand periods, on a device of known times.
 * SPDX-License-Identifier: MIT
 */
#include "scene.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define PERIODS scaled(20000, 2000)

static const struct scene scene = {
    .stage    = {[TRM_STAGE_COMPUTE] = 10000},
    .depth    = 3,
    .strategy = TRM_STRATEGY_ROLE_STREAMS,
};

static struct trm_pipeline *latest_pipeline(void)
{
    struct trm_port ports[] = {trm_port_input("in", SCENE_BYTES), trm_port_output("out", SCENE_BYTES)};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1),
                                       trm_arg_u64(scene.stage[TRM_STAGE_COMPUTE])};
    struct trm_stage stage          = trm_stage_launch(the.timed, arguments, 3, 0, 0);
    struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                       .ports       = ports,
                                       .port_count  = 2,
                                       .stages      = &stage,
                                       .stage_count = 1,
                                       .depth       = scene.depth,
                                       .strategy    = scene.strategy,
                                       .on_full     = TRM_FULL_LATEST};
    struct trm_pipeline *pipeline;
    stage.grid = trm_grid_1d(1, 0);
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    return pipeline;
}

/* One token, and waits until its work has ended. */
static void produce(struct trm_pipeline *pipeline, uint64_t index)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token));
    ck_assert_uint_eq(token->index, index);
    ck_ok(trm_pipeline_submit(pipeline, token));
    for (bool is_done = false; !is_done;) {
        struct trm_slot slots[64];
        uint32_t count;
        ck_ok(trm_pipeline_slots(pipeline, slots, 64, &count));
        is_done = true;
        for (uint32_t i = 0; i < count; i++)
            is_done = is_done && (slots[i].token != index || slots[i].state == TRM_SLOT_DONE ||
                                  slots[i].state == TRM_SLOT_FREE);
        sched_yield();
    }
}

/* Half as fast as the producer: keeps each result for two periods, and asks when a newer one has ended. */
START_TEST(a_consumer_at_half_speed_gets_the_newest_result_for_thousands_of_periods)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct trm_token *token  = NULL;
    uint64_t taken = 0, periods = PERIODS;
    scene_open(&scene);
    struct trm_pipeline *pipeline = latest_pipeline();
    for (uint64_t period = 0; period < periods; period++) {
        produce(pipeline, period);
        if (period % 2 != 0)
            continue;
        if (token != NULL)
            ck_ok(trm_pipeline_release(pipeline, token));
        ck_ok(trm_pipeline_next(pipeline, TRM_FOREVER, &token));
        ck_assert_uint_eq(token->index, period);
        taken++;
    }
    ck_ok(trm_pipeline_release(pipeline, token));
    scene_end(pipeline, &report);
    ck_assert_uint_eq(taken, periods / 2);
    ck_assert_uint_eq(report.tokens, taken);
    /* Every other one; the last result was neither asked for nor overtaken. */
    ck_assert_uint_eq(report.dropped, periods / 2 - 1);
    fixture_close();
}
END_TEST

struct shared {
    struct trm_pipeline *pipeline;
    _Atomic uint64_t done; /* 1 + the newest token that has ended */
};

static void *produce_all(void *user)
{
    struct shared *shared = user;
    for (uint64_t period = 0; period < PERIODS; period++) {
        produce(shared->pipeline, period);
        atomic_store(&shared->done, period + 1);
    }
    return NULL;
}

/* With two threads the age in periods depends on the machine. But no result is older than what had ended
 * before the consumer asked. */
START_TEST(a_result_is_never_older_than_the_newest_when_it_was_asked_for)
{
    struct shared shared = {.done = 0};
    pthread_t producer;
    uint64_t last = 0;
    scene_open(&scene);
    shared.pipeline = latest_pipeline();
    ck_assert_int_eq(pthread_create(&producer, NULL, produce_all, &shared), 0);
    while (last < PERIODS) {
        struct trm_token *token;
        uint64_t done  = atomic_load(&shared.done);
        int32_t status = trm_pipeline_next(shared.pipeline, MS, &token);
        if (status == TRM_ERROR_TIMEOUT) {
            ck_assert_uint_le(
                done, last); /* a result that has ended is there until it is taken or a newer one is */
            continue;
        }
        ck_ok(status);
        ck_assert_uint_ge(token->index + 1, done);
        ck_assert_uint_gt(token->index + 1, last);
        last = token->index + 1;
        ck_ok(trm_pipeline_release(shared.pipeline, token));
    }
    ck_assert_int_eq(pthread_join(producer, NULL), 0);
    trm_pipeline_destroy(shared.pipeline);
    fixture_close();
}
END_TEST

int main(void)
{
    if (!backend_there(ON_TIMED))
        return 77;
    Suite *suite   = suite_create("latest");
    TCase *group   = tcase_create("the latest results");
    SRunner *tests = srunner_create(suite);
    tcase_set_timeout(group, 300);
    tcase_add_test(group, a_consumer_at_half_speed_gets_the_newest_result_for_thousands_of_periods);
    tcase_add_test(group, a_result_is_never_older_than_the_newest_when_it_was_asked_for);
    suite_add_tcase(suite, group);
    srunner_run_all(tests, CK_ENV);
    int failed = srunner_ntests_failed(tests);
    srunner_free(tests);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
