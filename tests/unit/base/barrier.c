/* Memory barriers of which one side pays for both: of two threads that write and then read, one at least sees
 * what the other has written.
 * SPDX-License-Identifier: MIT
 */
#include "base/barrier.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/runner.h"

#define ROUNDS 20000u

/* Each in a line of its own, so that a store waits for its line while what follows is read. */
static _Alignas(64) _Atomic uint32_t begun;      /* the round that is on; UINT32_MAX: no more */
static _Alignas(64) _Atomic uint32_t light;      /* the last round in which this side has written */
static _Alignas(64) _Atomic uint32_t heavy;      /* the same of the other side */
static _Alignas(64) _Atomic uint32_t ended;      /* the last round that the light side is through with */
static _Alignas(64) _Atomic bool has_light_seen; /* the other side, in that round */

static void *light_side(void *nothing)
{
    for (uint32_t last = 0, round; (round = atomic_load(&begun)) != UINT32_MAX;) {
        if (round == last) {
            sched_yield();
            continue;
        }
        atomic_store_explicit(&light, round, memory_order_relaxed);
        base_barrier_light();
        bool has_seen = atomic_load_explicit(&heavy, memory_order_relaxed) == round;
        atomic_store(&has_light_seen, has_seen);
        atomic_store(&ended, round);
        last = round;
    }
    return nothing;
}

static bool heavy_side(uint32_t round)
{
    /* Sooner or later than the light side. */
    for (volatile uint32_t i = round % 64; i > 0; i--)
        ;
    atomic_store_explicit(&heavy, round, memory_order_relaxed);
    base_barrier_heavy();
    return atomic_load_explicit(&light, memory_order_relaxed) == round;
}

START_TEST(one_side_at_least_sees_the_other)
{
    pthread_t thread;
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    if (!base_barrier_is_supported())
        return;
    ck_assert_int_eq(pthread_create(&thread, NULL, light_side, NULL), 0);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        atomic_store(&begun, round);
        bool has_heavy_seen = heavy_side(round);
        while (atomic_load(&ended) != round)
            sched_yield();
        ck_assert(has_heavy_seen || atomic_load(&has_light_seen));
    }
    atomic_store(&begun, UINT32_MAX);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

START_TEST(a_barrier_that_is_supported_stays_so)
{
    bool is_supported = base_barrier_is_supported();
    for (unsigned i = 0; i < 3; i++) {
        base_barrier_heavy();
        ck_assert(!is_supported || base_barrier_is_supported());
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("barrier");
    TCase *all   = tcase_create("barriers");
    tcase_add_test(all, one_side_at_least_sees_the_other);
    tcase_add_test(all, a_barrier_that_is_supported_stays_so);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
