/* Pipelines: the states of slots as another thread and callbacks see them.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- a thread that observes ----------------------------------------------------------------- */

struct watcher {
    struct trm_pipeline *pipeline;
    atomic_bool stop;
    uint64_t looks;
    struct trm_slot last[64];
    uint32_t seen[6]; /* how often each state was seen */
    char wrong[200];
};

/* A token only moves forward, and the next one in a slot has a higher number. States between two looks are
 * not seen. */
static bool legal(const struct trm_slot *before, const struct trm_slot *after)
{
    if (after->state < TRM_SLOT_FREE || after->state > TRM_SLOT_DONE)
        return false;
    if (after->token == before->token)
        return after->state >= before->state || after->state == TRM_SLOT_FREE;
    return after->token > before->token;
}

static void look(struct watcher *watcher)
{
    struct trm_slot slots[64];
    uint32_t count = 0;
    if (trm_pipeline_slots(watcher->pipeline, slots, 64, &count) != TRM_OK) {
        snprintf(watcher->wrong, sizeof(watcher->wrong), "%s", trm_last_error().sentence);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct trm_slot *last = &watcher->last[i];
        bool first            = watcher->looks == 0;
        if (!first && !legal(last, &slots[i]) && watcher->wrong[0] == '\0')
            snprintf(watcher->wrong, sizeof(watcher->wrong), "slot %u: token %llu %s, then token %llu %s", i,
                     (unsigned long long)last->token, trm_slot_state_name(last->state),
                     (unsigned long long)slots[i].token, trm_slot_state_name(slots[i].state));
        if (slots[i].state >= 0 && slots[i].state < 6)
            watcher->seen[slots[i].state]++;
        *last = slots[i];
    }
    watcher->looks++;
}

static void *watch(void *user)
{
    struct watcher *watcher = user;
    do
        look(watcher);
    while (!atomic_load(&watcher->stop) && watcher->wrong[0] == '\0');
    return NULL;
}

START_TEST(states_follow_each_other_as_they_should)
{
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        for (uint32_t workers = 0; workers <= 2; workers += 2) {
            struct watcher *watcher = calloc(1, sizeof(*watcher));
            struct rig rig;
            pthread_t thread;
            rig_make(&rig, plan_named("host stages"), 4, all_strategies[s]);
            if (rig_open(&rig) == TRM_OK) {
                watcher->pipeline = rig.pipeline;
                ck_assert_int_eq(pthread_create(&thread, NULL, watch, watcher), 0);
                rig_run(&rig, scaled(PLAN_MOST_TOKENS, 60), workers);
                atomic_store(&watcher->stop, true);
                pthread_join(thread, NULL);
                ck_assert_msg(watcher->wrong[0] == '\0', "%s: %s", trm_strategy_name(all_strategies[s]),
                              watcher->wrong);
                ck_assert_uint_gt(watcher->looks, 0);
                ck_slots_free(rig.pipeline);
            }
            rig_close(&rig);
            kernels_close();
            free(watcher);
        }
    }
}
END_TEST

/* ---- by hand -------------------------------------------------------------------------------- */

static struct trm_slot slot_of(struct trm_pipeline *pipeline, uint32_t slot)
{
    struct trm_slot slots[64] = {{0, 0, 0}};
    uint32_t count            = 0;
    ck_ok(trm_pipeline_slots(pipeline, slots, 64, &count));
    ck_assert_uint_lt(slot, count);
    return slots[slot];
}

START_TEST(a_slot_is_loading_done_and_free_by_hand)
{
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct trm_token *token;
        struct rig rig;
        rig_make(&rig, plan_named("one kernel"), 3, all_strategies[s]);
        if (rig_open(&rig) == TRM_OK) {
            ck_slots_free(rig.pipeline);
            for (uint64_t i = 0; i < 7; i++) {
                ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
                uint32_t slot = token->slot;
                ck_assert_int_eq(slot_of(rig.pipeline, slot).state, TRM_SLOT_LOADING);
                ck_assert_uint_eq(slot_of(rig.pipeline, slot).token, i);
                rig_fill(&rig, token);
                ck_ok(trm_pipeline_submit(rig.pipeline, token));
                int32_t state = slot_of(rig.pipeline, slot).state;
                ck_assert_int_ge(state, TRM_SLOT_UPLOADING);
                ck_assert_int_le(state, TRM_SLOT_DONE);
                ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token));
                ck_assert_uint_eq(token->slot, slot);
                ck_assert_int_eq(slot_of(rig.pipeline, slot).state, TRM_SLOT_DONE);
                ck_ok(trm_pipeline_release(rig.pipeline, token));
                ck_assert_int_eq(slot_of(rig.pipeline, slot).state, TRM_SLOT_FREE);
                ck_assert_uint_eq(slot_of(rig.pipeline, slot).token, i);
            }
        }
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

START_TEST(a_token_that_is_through_is_done_before_it_is_taken)
{
    struct trm_token *token;
    struct rig rig;
    uint64_t begin;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
    uint32_t slot = token->slot;
    rig_fill(&rig, token);
    ck_ok(trm_pipeline_submit(rig.pipeline, token));
    begin = now_ns();
    while (slot_of(rig.pipeline, slot).state != TRM_SLOT_DONE) {
        ck_assert_msg(now_ns() - begin < UINT64_C(20000000000), "the slot is %s for ever",
                      trm_slot_state_name(slot_of(rig.pipeline, slot).state));
        sleep_ms(1);
    }
    ck_ok(trm_pipeline_next(rig.pipeline, 0, &token));
    ck_ok(trm_pipeline_release(rig.pipeline, token));
    rig_close(&rig);
}
END_TEST

/* ---- from callbacks ------------------------------------------------------------------------- */

struct insider {
    struct trm_pipeline *pipeline;
    struct rig *rig;
    int32_t wanted;
    uint32_t wrong, right;
};

static void look_inside(struct insider *insider, const struct trm_token *token, int32_t wanted)
{
    struct trm_slot slots[8];
    uint32_t count = 0;
    int32_t status = trm_pipeline_slots(insider->pipeline, slots, 8, &count);
    if (status == TRM_OK && count == 3 && slots[token->slot].token == token->index &&
        slots[token->slot].state == wanted)
        insider->right++;
    else
        insider->wrong++;
}

static int32_t source_inside(void *user, struct trm_token *token)
{
    struct insider *insider = user;
    look_inside(insider, token, TRM_SLOT_LOADING);
    return token->index < 10 ? TRM_OK : TRM_TOKEN_END;
}

static int32_t stage_inside(void *user, const struct trm_token *token)
{
    look_inside(user, token, TRM_SLOT_PROCESSING);
    return TRM_OK;
}

static int32_t sink_inside(void *user, const struct trm_token *token)
{
    look_inside(user, token, TRM_SLOT_DONE);
    return TRM_OK;
}

START_TEST(inside_of_a_stage_the_slot_says_which)
{
    struct trm_port ports[]    = {trm_port_input("in", 400), trm_port_output("out", 400)};
    struct insider source_sees = {0}, stage_sees = {0}, sink_sees = {0};
    struct trm_stage stage        = trm_stage_host(stage_inside, &stage_sees, 1, 2);
    struct trm_source source      = trm_source_function(source_inside, &source_sees);
    struct trm_sink sink          = trm_sink_function(sink_inside, &sink_sees);
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .stages      = &stage,
                                     .stage_count = 1,
                                     .depth       = 3};
    struct trm_pipeline *pipeline;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    source_sees.pipeline = stage_sees.pipeline = sink_sees.pipeline = pipeline;
    ck_ok(trm_pipeline_run(pipeline, &source, &sink));
    ck_assert_uint_eq(source_sees.wrong, 0);
    ck_assert_uint_eq(source_sees.right, 11);
    ck_assert_uint_eq(stage_sees.wrong, 0);
    ck_assert_uint_eq(stage_sees.right, 10);
    ck_assert_uint_eq(sink_sees.wrong, 0);
    ck_assert_uint_eq(sink_sees.right, 10);
    trm_pipeline_destroy(pipeline);
}
END_TEST

START_TEST(fewer_slots_are_written_where_there_is_room_for_fewer)
{
    struct trm_port port          = trm_port_scratch("scratch", 400);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 5};
    struct trm_slot slots[5];
    struct trm_pipeline *pipeline;
    uint32_t count = 0;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    memset(slots, 0x77, sizeof(slots));
    ck_ok(trm_pipeline_slots(pipeline, slots, 2, &count));
    ck_assert_uint_eq(count, 5);
    ck_assert_int_eq(slots[1].state, TRM_SLOT_FREE);
    ck_assert_int_eq(slots[2].state, 0x77777777);
    count = 0;
    ck_ok(trm_pipeline_slots(pipeline, NULL, 0, &count));
    ck_assert_uint_eq(count, 5);
    ck_refused(trm_pipeline_slots(pipeline, NULL, 1, &count));
    trm_pipeline_destroy(pipeline);
}
END_TEST

void add_pipeline_states(Suite *suite)
{
    TCase *states = group_make(suite, "pipelines: states");
    CASE(states, states_follow_each_other_as_they_should);
    CASE(states, a_slot_is_loading_done_and_free_by_hand);
    CASE(states, a_token_that_is_through_is_done_before_it_is_taken);
    CASE(states, inside_of_a_stage_the_slot_says_which);
    CASE(states, fewer_slots_are_written_where_there_is_room_for_fewer);
}
