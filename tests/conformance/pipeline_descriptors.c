/* Pipelines: descriptors of tokens, for event loops.
 * SPDX-License-Identifier: MIT
 */
#include "fragile.h"
#include "groups.h"
#include "hold.h"
#include "kernels.h"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static bool is_readable(int32_t descriptor, int timeout_ms)
{
    struct pollfd asked = {.fd = descriptor, .events = POLLIN};
    int count           = poll(&asked, 1, timeout_ms);
    ck_assert_int_ge(count, 0);
    return count == 1 && (asked.revents & POLLIN) != 0;
}

static int32_t descriptor_of(struct trm_pipeline *pipeline, uint64_t token)
{
    int32_t descriptor = -1;
    ck_ok(trm_pipeline_token_fd(pipeline, token, &descriptor));
    return descriptor;
}

static uint64_t submit_one(struct rig *rig)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(rig->pipeline, TRM_FOREVER, &token));
    uint64_t index = token->index;
    rig_fill(rig, token);
    ck_ok(trm_pipeline_submit(rig->pipeline, token));
    return index;
}

/* ---- a stage that waits for the case ------------------------------------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static uint64_t passing; /* tokens with smaller indexes pass */

static int32_t wait_at_gate(void *user, const struct trm_token *token)
{
    (void)user;
    pthread_mutex_lock(&mutex);
    while (token->index >= passing)
        pthread_cond_wait(&opened, &mutex);
    pthread_mutex_unlock(&mutex);
    return TRM_OK;
}

static void let_pass(uint64_t tokens)
{
    pthread_mutex_lock(&mutex);
    passing = tokens;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&mutex);
}

/* False: the device does not have the strategy. */
static bool open_gated(struct rig *rig, int32_t strategy, int32_t on_full)
{
    let_pass(0);
    rig_make(rig, plan_named("one kernel"), 3, strategy);
    rig_host(rig, wait_at_gate, 1, 0);
    rig->desc.on_full = on_full;
    rig->loose        = on_full != TRM_FULL_BLOCK;
    return rig_open(rig) == TRM_OK;
}

static void close_gated(struct rig *rig)
{
    ck_assert_msg(rig->wrong == NULL, "token %llu: %s", (unsigned long long)rig->wrong_token, rig->wrong);
    let_pass(UINT64_MAX);
    rig_close(rig);
    kernels_close();
}

static bool gates_missing(void)
{
    if (kernels_missing())
        return true;
    if (!hold_works())
        skip("its streams cannot be held");
    return !hold_works();
}

START_TEST(a_descriptor_becomes_readable_when_its_token_can_be_taken)
{
    struct trm_token *token;
    if (gates_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct rig rig;
        if (open_gated(&rig, all_strategies[s], TRM_FULL_BLOCK)) {
            int32_t descriptors[2];
            for (uint64_t i = 0; i < 2; i++) {
                submit_one(&rig);
                descriptors[i] = descriptor_of(rig.pipeline, i);
            }
            for (uint64_t i = 0; i < 2; i++) {
                ck_assert(!is_readable(descriptors[i], 0));
                ck_status(trm_pipeline_next(rig.pipeline, 0, &token), TRM_ERROR_TIMEOUT);
                let_pass(i + 1);
                ck_assert(is_readable(descriptors[i], -1));
                ck_ok(trm_pipeline_next(rig.pipeline, 0, &token));
                ck_assert_uint_eq(token->index, i);
                rig_take(&rig, token);
                ck_ok(trm_pipeline_release(rig.pipeline, token));
                ck_assert_int_eq(close(descriptors[i]), 0);
            }
        }
        close_gated(&rig);
    }
}
END_TEST

START_TEST(dropped_and_cancelled_tokens_have_readable_descriptors)
{
    struct trm_token *token;
    if (gates_missing() || group_counts_slots())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct rig rig;
        if (open_gated(&rig, all_strategies[s], TRM_FULL_DROP_OLDEST)) {
            int32_t descriptors[4];
            let_pass(3);
            for (uint64_t i = 0; i < 3; i++)
                submit_one(&rig);
            for (uint64_t i = 0; i < 3; i++)
                descriptors[i] = descriptor_of(rig.pipeline, i);
            ck_assert(is_readable(descriptors[2], -1));
            ck_assert_uint_eq(submit_one(&rig), 3); /* drops token 0 */
            descriptors[3] = descriptor_of(rig.pipeline, 3);
            ck_assert(is_readable(descriptors[0], 0));
            ck_assert(!is_readable(descriptors[3], 0));
            ck_ok(trm_pipeline_next(rig.pipeline, 0, &token));
            ck_assert_uint_eq(token->index, 1);
            ck_ok(trm_pipeline_release(rig.pipeline, token));
            trm_pipeline_cancel(rig.pipeline, 0);
            ck_assert(is_readable(descriptors[3], 0));
            ck_status(trm_pipeline_next(rig.pipeline, 0, &token), TRM_ERROR_TIMEOUT);
            for (uint64_t i = 0; i < 4; i++)
                ck_assert_int_eq(close(descriptors[i]), 0);
        }
        close_gated(&rig);
    }
}
END_TEST

/* The number then names another file. */
START_TEST(a_descriptor_of_a_token_may_be_closed_at_any_time)
{
    struct rig rig;
    if (gates_missing())
        return;
    ck_assert(open_gated(&rig, TRM_STRATEGY_AUTO, TRM_FULL_BLOCK));
    submit_one(&rig);
    int32_t first = descriptor_of(rig.pipeline, 0);
    int32_t other = descriptor_of(rig.pipeline, 0);
    ck_assert_int_eq(close(first), 0);
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    let_pass(1);
    ck_assert(is_readable(other, -1));
    ck_assert(!is_readable(ends[0], 0));
    ck_assert_int_eq(close(ends[0]), 0);
    ck_assert_int_eq(close(ends[1]), 0);
    close_gated(&rig);
    ck_assert(is_readable(other, 0)); /* it outlives the pipeline */
    ck_assert_int_eq(close(other), 0);
}
END_TEST

/* ---- an event loop ------------------------------------------------------------------------------ */

#define DEPTH 8

/* Takes what there is, as a program does that one of its descriptors has woken. */
static void take_all(struct rig *rig, int32_t *descriptors)
{
    struct trm_token *token;
    while (trm_pipeline_next(rig->pipeline, 0, &token) == TRM_OK) {
        ck_assert_int_eq(close(descriptors[token->index]), 0);
        rig_take(rig, token);
        ck_ok(trm_pipeline_release(rig->pipeline, token));
    }
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_TIMEOUT);
}

static void loop(struct rig *rig, uint64_t count)
{
    struct epoll_event events[4];
    int32_t descriptors[PLAN_MOST_TOKENS];
    uint64_t submitted = 0;
    int loop           = epoll_create1(EPOLL_CLOEXEC);
    ck_assert_int_ge(loop, 0);
    while (rig->delivered < count) {
        while (submitted < count && submitted - rig->delivered < DEPTH) {
            struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
            uint64_t index           = submit_one(rig);
            descriptors[index]       = descriptor_of(rig->pipeline, index);
            ck_assert_int_eq(epoll_ctl(loop, EPOLL_CTL_ADD, descriptors[index], &event), 0);
            submitted++;
        }
        ck_assert_int_gt(epoll_wait(loop, events, 4, -1), 0);
        take_all(rig, descriptors);
    }
    ck_assert_int_eq(close(loop), 0);
}

START_TEST(an_event_loop_takes_all_tokens)
{
    const uint64_t count = scaled(200, 40);
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++)
        for (uint32_t unordered = 0; unordered < 2; unordered++) {
            struct rig rig;
            rig_make(&rig, plan_named("several kernels with scratch"), DEPTH, all_strategies[s]);
            rig.desc.flags |= unordered != 0 ? TRM_PIPELINE_UNORDERED : 0;
            rig.loose = unordered != 0;
            rig.count = count;
            if (rig_open(&rig) == TRM_OK) {
                loop(&rig, count);
                rig_check(&rig);
                ck_slots_free(rig.pipeline);
            }
            rig_close(&rig);
            kernels_close();
        }
}
END_TEST

/* ---- failures ----------------------------------------------------------------------------------- */

/* Waits by the descriptor of the last token until it comes out, as the header says. */
static void serve_to(struct fragile *fragile, uint64_t last, uint64_t *taken, uint64_t *failed)
{
    for (bool is_out = false; !is_out;) {
        struct trm_token *token;
        int32_t descriptor = descriptor_of(fragile->pipeline, last);
        ck_assert(is_readable(descriptor, -1));
        ck_assert_int_eq(close(descriptor), 0);
        int32_t status;
        while ((status = trm_pipeline_next(fragile->pipeline, 0, &token)) != TRM_ERROR_TIMEOUT && !is_out) {
            if (status != TRM_OK) {
                ck_sentence_has("token 1");
                ++*failed;
                continue;
            }
            ++*taken;
            is_out = token->index == last;
            ck_assert_int_eq(fragile_sink(fragile, token), TRM_OK);
            ck_ok(trm_pipeline_release(fragile->pipeline, token));
        }
    }
}

START_TEST(a_failed_token_has_a_readable_descriptor_and_the_others_come_out)
{
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct fragile fragile;
        fragile_make(&fragile, 4, all_strategies[s], TRM_FAILURE_SKIP);
        if (fragile_open(&fragile) == TRM_OK) {
            uint64_t taken = 0, failed = 0;
            fragile.place = AT_HOST;
            fragile.at    = 1;
            fragile.count = 3;
            for (uint64_t i = 0; i < 3; i++) {
                struct trm_token *token;
                ck_ok(trm_pipeline_acquire(fragile.pipeline, TRM_FOREVER, &token));
                ck_assert_int_eq(fragile_load(&fragile, token), TRM_OK);
                ck_ok(trm_pipeline_submit(fragile.pipeline, token));
            }
            serve_to(&fragile, 2, &taken, &failed);
            ck_assert_uint_eq(taken, 2);
            ck_assert_uint_eq(failed, 1);
            ck_assert_msg(fragile.wrong == NULL, "%s", fragile.wrong);
            ck_slots_free(fragile.pipeline);
        }
        fragile_close(&fragile);
    }
}
END_TEST

START_TEST(a_token_that_was_not_submitted_has_no_descriptor)
{
    struct trm_token *token;
    int32_t descriptor = -2;
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    ck_assert_int_eq(rig_open(&rig), TRM_OK);
    ck_status(trm_pipeline_token_fd(rig.pipeline, 0, &descriptor), TRM_ERROR_OUT_OF_RANGE);
    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
    ck_status(trm_pipeline_token_fd(rig.pipeline, 0, &descriptor), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("token 0 has not been submitted yet");
    ck_status(trm_pipeline_token_fd(rig.pipeline, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_pipeline_token_fd(NULL, 0, &descriptor), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(descriptor, -2);
    ck_ok(trm_pipeline_discard(rig.pipeline, token));
    descriptor = descriptor_of(rig.pipeline, 0); /* it is gone */
    ck_assert(is_readable(descriptor, 0));
    ck_assert_int_eq(close(descriptor), 0);
    rig_close(&rig);
    kernels_close();
}
END_TEST

void add_pipeline_descriptors(Suite *suite)
{
    TCase *descriptors = group_make(suite, "pipelines: descriptors");
    CASE(descriptors, a_descriptor_becomes_readable_when_its_token_can_be_taken);
    CASE(descriptors, dropped_and_cancelled_tokens_have_readable_descriptors);
    CASE(descriptors, a_descriptor_of_a_token_may_be_closed_at_any_time);
    CASE(descriptors, an_event_loop_takes_all_tokens);
    CASE(descriptors, a_failed_token_has_a_readable_descriptor_and_the_others_come_out);
    CASE(descriptors, a_token_that_was_not_submitted_has_no_descriptor);
}
