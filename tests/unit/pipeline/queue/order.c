/* The order of stages, changed while threads still have to do with tokens.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>

#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static void *releases(void *token)
{
    OK(trm_pipeline_release(fake.handle, token));
    return NULL;
}

static void *reorders(void *user)
{
    (void)user;
    OK(trm_pipeline_set_stage_order(fake.handle, NULL, 0));
    return NULL;
}

static void wait_until(const uint32_t *count)
{
    pthread_mutex_lock(&fake.lock);
    while (*count == 0)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
}

static uint32_t quiet_waiters(void)
{
    base_biased_lock_acquire(&fake.pipeline->lock);
    uint32_t count = fake.pipeline->queue->quiet_waiters;
    base_biased_lock_release(&fake.pipeline->lock);
    return count;
}

/* The thread that releases a token reads its times, then adds a slot. */
START_TEST(stages_stay_in_order_while_a_slot_is_added)
{
    struct trm_token *token;
    pthread_t releaser, reorderer;

    fake_create_plain(1, TRM_FAILURE_STOP);
    fake.stamped = fake.holds_times = fake.holds_growth = true;
    fake.grows_to                                       = 2;
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    OK(trm_pipeline_submit(fake.handle, token));
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
    ck_assert_int_eq(pthread_create(&releaser, NULL, releases, token), 0);
    wait_until(&fake.reading);
    ck_assert_int_eq(pthread_create(&reorderer, NULL, reorders, NULL), 0);
    while (quiet_waiters() == 0)
        sched_yield();
    pthread_mutex_lock(&fake.lock);
    fake.holds_times = false;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
    wait_until(&fake.growing);
    for (uint32_t i = 0; i < 1000; i++) /* a thread that does not wait gets time to go wrong */
        ck_assert_uint_le(quiet_waiters(), 1);
    fake_let_go();
    pthread_join(releaser, NULL);
    pthread_join(reorderer, NULL);
    ck_assert_uint_eq(fake.reordered, 1);
    fake_destroy(); /* finds what went wrong */
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("orders of stages");
    TCase *added = tcase_create("added slots");
    tcase_add_test(added, stages_stay_in_order_while_a_slot_is_added);
    suite_add_tcase(suite, added);
    return suite;
}

UNIT_SUITE(make_suite)
