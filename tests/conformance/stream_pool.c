/* Stream pools: what is lent, growing, waiting, failed streams, the end.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "hold.h"
#include "kernels.h"

#include <pthread.h>
#include <stdatomic.h>

#define STREAMS 4u

static struct trm_stream_pool *make_pool(int32_t strategy, uint32_t least, uint32_t most)
{
    struct trm_stream_pool *pool           = NULL;
    const struct trm_stream_pool_desc desc = {
        .struct_size = sizeof(desc), .strategy = strategy, .least = least, .most = most};
    ck_ok(trm_stream_pool_create(the.device, &desc, &pool));
    return pool;
}

static struct trm_stream *borrow(struct trm_stream_pool *pool)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    ck_assert_ptr_nonnull(stream);
    return stream;
}

static struct trm_stream_pool_stats stats_of(struct trm_stream_pool *pool)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    ck_ok(trm_stream_pool_get_stats(pool, &stats));
    return stats;
}

static bool nothing_held(void)
{
    if (hold_works())
        return false;
    skip("its streams cannot be held");
    return true;
}

/* ---- making --------------------------------------------------------------------------------- */

START_TEST(a_pool_of_wrong_numbers_is_refused)
{
    struct trm_stream_pool *pool     = NULL;
    struct trm_stream_pool_desc desc = {.struct_size = sizeof(desc), .strategy = 99};
    ck_status(trm_stream_pool_create(the.device, &desc, &pool), TRM_ERROR_INVALID_ARGUMENT);
    desc.strategy = TRM_STREAM_DEFAULT;
    desc.role     = 99;
    ck_status(trm_stream_pool_create(the.device, &desc, &pool), TRM_ERROR_INVALID_ARGUMENT);
    desc.role = TRM_STREAM_COMPUTE;
    desc.most = TRM_STREAM_POOL_MOST + 1;
    ck_status(trm_stream_pool_create(the.device, &desc, &pool), TRM_ERROR_OUT_OF_RANGE);
    desc.most  = 2;
    desc.least = 3;
    ck_status(trm_stream_pool_create(the.device, &desc, &pool), TRM_ERROR_INVALID_ARGUMENT);
    desc.most  = 0;
    desc.least = TRM_STREAM_POOL_MOST + 1;
    ck_status(trm_stream_pool_create(the.device, &desc, &pool), TRM_ERROR_INVALID_ARGUMENT);
    desc.struct_size = 4;
    ck_status(trm_stream_pool_create(the.device, &desc, &pool), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_pool_create(the.device, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(pool);
}
END_TEST

START_TEST(a_pool_without_a_size_has_room_for_the_streams_that_stay)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, TRM_STREAM_POOL_MOST, 0);
    ck_assert_uint_eq(stats_of(pool).most, TRM_STREAM_POOL_MOST);
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(strategies_have_names)
{
    int32_t strategy = -1;
    for (int32_t i = TRM_STREAM_DEFAULT; i <= TRM_STREAM_WORKLOAD; i++) {
        ck_ok(trm_stream_strategy_find(trm_stream_strategy_name(i), &strategy));
        ck_assert_int_eq(strategy, i);
    }
    ck_assert_ptr_null(trm_stream_strategy_name(-1));
    ck_status(trm_stream_strategy_find("fastest", &strategy), TRM_ERROR_NOT_FOUND);
    ck_status(trm_stream_strategy_find(NULL, &strategy), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(statistics_of_a_pool_count_from_0_again_when_they_are_reset)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, 1);
    struct trm_stream *stream = borrow(pool), *more = NULL;
    ck_status(trm_stream_pool_acquire(pool, 0, 0, &more), TRM_ERROR_TIMEOUT);
    struct trm_stream_pool_stats stats = stats_of(pool);
    ck_assert_uint_eq(stats.loans, 1);
    ck_assert_uint_eq(stats.grown, 1);
    ck_assert_uint_eq(stats.waits, 1);
    ck_ok(trm_stream_pool_reset_stats(pool));
    stats = stats_of(pool);
    ck_assert_uint_eq(stats.loans, 0);
    ck_assert_uint_eq(stats.grown, 0);
    ck_assert_uint_eq(stats.waits, 0);
    ck_assert_uint_eq(stats.streams, 1); /* what there is now stays */
    ck_assert_uint_eq(stats.lent, 1);
    ck_ok(trm_stream_pool_release(pool, stream));
    for (int i = 0; i < 3; i++)
        ck_ok(trm_stream_pool_release(pool, borrow(pool)));
    ck_assert_uint_eq(stats_of(pool).loans, 3);
    trm_stream_pool_destroy(pool);
}
END_TEST

/* ---- lending -------------------------------------------------------------------------------- */

START_TEST(a_stream_is_lent_to_one_user_at_a_time)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, STREAMS);
    struct trm_stream *streams[STREAMS], *more = NULL;
    for (uint32_t i = 0; i < STREAMS; i++) {
        streams[i] = borrow(pool);
        for (uint32_t k = 0; k < i; k++)
            ck_assert_ptr_ne(streams[i], streams[k]);
    }
    ck_assert_uint_eq(stats_of(pool).lent, STREAMS);
    ck_status(trm_stream_pool_acquire(pool, 0, 0, &more), TRM_ERROR_TIMEOUT);
    ck_assert_ptr_null(more);
    ck_assert_uint_eq(stats_of(pool).waits, 1);
    ck_ok(trm_stream_pool_release(pool, streams[2]));
    ck_assert_ptr_eq(borrow(pool), streams[2]);
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(an_idle_stream_is_lent_before_the_pool_grows)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_ROUND_ROBIN, 0, STREAMS);
    struct trm_stream *stream    = borrow(pool);
    for (uint32_t i = 0; i < 20; i++) {
        ck_ok(trm_stream_pool_release(pool, stream));
        ck_assert_ptr_eq(borrow(pool), stream);
    }
    struct trm_stream_pool_stats stats = stats_of(pool);
    ck_assert_uint_eq(stats.streams, 1);
    ck_assert_uint_eq(stats.grown, 1);
    ck_assert_uint_eq(stats.loans, 21);
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(a_stream_with_work_is_lent_when_the_pool_is_full_unless_an_idle_one_is_asked_for)
{
    if (nothing_held())
        return;
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, 1);
    struct trm_stream *stream = borrow(pool), *other = NULL;
    struct hold *hold = hold_begin(stream);
    ck_ok(trm_stream_pool_release(pool, stream));
    ck_assert_uint_eq(stats_of(pool).busy, 1);
    ck_status(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, 0, &other), TRM_ERROR_TIMEOUT);
    ck_assert_ptr_eq(borrow(pool), stream);
    ck_ok(trm_stream_pool_release(pool, stream));
    hold_end(hold);
    ck_ok(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &other));
    ck_assert_ptr_eq(other, stream);
    ck_ok(trm_stream_query(stream));
    ck_assert_uint_eq(stats_of(pool).busy, 0);
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(a_call_waits_until_a_stream_is_idle)
{
    if (nothing_held())
        return;
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, 1);
    struct trm_stream *stream = borrow(pool), *other = NULL;
    struct hold *hold = hold_begin(stream);
    ck_ok(trm_stream_pool_release(pool, stream));
    hold_end_after(hold, 20);
    ck_ok(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &other));
    ck_ok(trm_stream_query(other));
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(a_pool_refuses_what_it_has_not_lent)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, STREAMS);
    struct trm_stream *stream    = borrow(pool);
    ck_status(trm_stream_pool_release(pool, the.stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_pool_release(pool, NULL), TRM_ERROR_INVALID_HANDLE);
    ck_ok(trm_stream_pool_release(pool, stream));
    ck_status(trm_stream_pool_release(pool, stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_pool_acquire(pool, 1u << 9, 0, &stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_pool_acquire(pool, 0, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(a_program_cannot_destroy_a_stream_of_a_pool)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, STREAMS);
    struct trm_stream *stream    = borrow(pool);
    trm_stream_destroy(stream);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("give it back by trm_stream_pool_release()");
    ck_ok(trm_stream_sync(stream));
    trm_stream_pool_destroy(pool);
    ck_status(trm_stream_sync(stream), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

/* ---- work ----------------------------------------------------------------------------------- */

START_TEST(work_is_done_on_streams_that_are_given_back_at_once)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_LEAST_LOADED, 0, STREAMS);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 64 * 256);
    struct trm_point points[64];
    for (uint32_t i = 0; i < 64; i++) {
        struct trm_stream *stream = borrow(pool);
        ck_ok(trm_fill(stream, trm_span_of(buffer, i * 256, 256), 7, 1));
        ck_ok(trm_stream_mark(stream, &points[i]));
        ck_ok(trm_stream_pool_release(pool, stream));
    }
    ck_ok(trm_wait_all(points, 64, TRM_FOREVER));
    uint8_t bytes[64 * 256];
    get(the.stream, buffer, 0, bytes, sizeof(bytes));
    ck_bytes(bytes, sizeof(bytes), 7);
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(streams_that_are_not_needed_are_ended_but_for_the_least)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 2, STREAMS);
    struct trm_stream *streams[STREAMS];
    for (uint32_t i = 0; i < STREAMS; i++)
        streams[i] = borrow(pool);
    for (uint32_t i = 0; i < STREAMS; i++)
        ck_ok(trm_stream_pool_release(pool, streams[i]));
    for (uint32_t i = 0; i < 4000; i++)
        ck_ok(trm_stream_pool_release(pool, borrow(pool)));
    struct trm_stream_pool_stats stats = stats_of(pool);
    ck_assert_uint_eq(stats.streams, 2);
    ck_assert_uint_eq(stats.shrunk, STREAMS - 2);
    for (uint32_t i = 0; i < STREAMS; i++)
        borrow(pool);
    ck_assert_uint_eq(stats_of(pool).grown, STREAMS + 2);
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(a_stream_that_has_failed_is_replaced)
{
    if (functions_missing())
        return;
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, 1);
    struct trm_stream *stream = borrow(pool), *other = NULL;
    fail_stream(stream, 5);
    ck_ok(trm_stream_pool_release(pool, stream));
    ck_ok(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &other));
    ck_assert_ptr_ne(other, stream);
    ck_ok(trm_stream_sync(other));
    ck_assert_uint_eq(stats_of(pool).replaced, 1);
    ck_assert_uint_eq(stats_of(pool).streams, 1);
    trm_stream_pool_destroy(pool);
}
END_TEST

/* ---- threads -------------------------------------------------------------------------------- */

#define THREADS 6u
#define ROUNDS 200u

struct sharing {
    struct trm_stream_pool *pool;
    struct trm_stream *_Atomic users[THREADS]; /* the stream that each thread has */
    atomic_uint next, twice, failures;
};

static void *share(void *user)
{
    struct sharing *sharing = user;
    unsigned own            = atomic_fetch_add(&sharing->next, 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct trm_stream *stream = NULL;
        uint32_t flags            = (i + own) % 3 == 0 ? TRM_STREAM_POOL_IDLE : 0;
        if (trm_stream_pool_acquire(sharing->pool, flags, TRM_FOREVER, &stream) != TRM_OK) {
            atomic_fetch_add(&sharing->failures, 1);
            continue;
        }
        for (unsigned k = 0; k < THREADS; k++)
            if (k != own && atomic_load(&sharing->users[k]) == stream)
                atomic_fetch_add(&sharing->twice, 1);
        atomic_store(&sharing->users[own], stream);
        atomic_store(&sharing->users[own], NULL);
        if (trm_stream_pool_release(sharing->pool, stream) != TRM_OK)
            atomic_fetch_add(&sharing->failures, 1);
    }
    return NULL;
}

START_TEST(threads_never_have_the_same_stream)
{
    struct sharing sharing = {.pool = make_pool(TRM_STREAM_ROUND_ROBIN, 0, 2)};
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, share, &sharing), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(atomic_load(&sharing.failures), 0);
    ck_assert_uint_eq(atomic_load(&sharing.twice), 0);
    ck_assert_uint_eq(stats_of(sharing.pool).loans, THREADS * ROUNDS);
    trm_stream_pool_destroy(sharing.pool);
}
END_TEST

/* ---- the end -------------------------------------------------------------------------------- */

static void *destroy_pool(void *user)
{
    trm_stream_pool_destroy(user);
    return NULL;
}

START_TEST(a_call_that_waits_returns_when_the_pool_is_destroyed)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, 1);
    struct trm_stream *stream    = NULL;
    pthread_t thread;
    borrow(pool);
    ck_assert_int_eq(pthread_create(&thread, NULL, destroy_pool, pool), 0);
    ck_status(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream), TRM_ERROR_INVALID_HANDLE);
    pthread_join(thread, NULL);
}
END_TEST

START_TEST(destroying_a_pool_drains_its_streams)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, STREAMS);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 4096);
    struct trm_stream *stream    = borrow(pool);
    uint8_t bytes[4096];
    ck_ok(trm_fill(stream, trm_span_whole(buffer), 9, 1));
    trm_stream_pool_destroy(pool);
    get(the.stream, buffer, 0, bytes, sizeof(bytes));
    ck_bytes(bytes, sizeof(bytes), 9);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_pool_that_was_destroyed_is_refused)
{
    struct trm_stream_pool *pool       = make_pool(TRM_STREAM_DEFAULT, 0, STREAMS);
    struct trm_stream *stream          = borrow(pool);
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    trm_stream_pool_destroy(pool);
    ck_status(trm_stream_pool_acquire(pool, 0, 0, &stream), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_stream_pool_release(pool, stream), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_stream_pool_get_stats(pool, &stats), TRM_ERROR_INVALID_HANDLE);
    trm_stream_pool_destroy(pool);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
    trm_stream_pool_destroy(NULL);
}
END_TEST

static void destroy_inside(void *user, int32_t status)
{
    (void)status;
    trm_stream_pool_destroy(user);
    if (trm_last_error().status != TRM_ERROR_DEADLOCK)
        abort();
}

START_TEST(a_callback_of_its_streams_cannot_destroy_a_pool)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 0, STREAMS);
    struct trm_stream *stream    = borrow(pool);
    ck_ok(trm_stream_callback(stream, destroy_inside, pool));
    ck_ok(trm_stream_sync(stream));
    ck_ok(trm_stream_pool_release(pool, stream));
    trm_stream_pool_destroy(pool);
}
END_TEST

void add_stream_pool(Suite *suite)
{
    TCase *group = group_make(suite, "stream pools");
    CASE(group, a_pool_of_wrong_numbers_is_refused);
    CASE(group, a_pool_without_a_size_has_room_for_the_streams_that_stay);
    CASE(group, strategies_have_names);
    CASE(group, statistics_of_a_pool_count_from_0_again_when_they_are_reset);
    CASE(group, a_stream_is_lent_to_one_user_at_a_time);
    CASE(group, an_idle_stream_is_lent_before_the_pool_grows);
    CASE(group, a_stream_with_work_is_lent_when_the_pool_is_full_unless_an_idle_one_is_asked_for);
    CASE(group, a_call_waits_until_a_stream_is_idle);
    CASE(group, a_pool_refuses_what_it_has_not_lent);
    CASE(group, a_program_cannot_destroy_a_stream_of_a_pool);
    CASE(group, work_is_done_on_streams_that_are_given_back_at_once);
    CASE(group, streams_that_are_not_needed_are_ended_but_for_the_least);
    CASE(group, a_stream_that_has_failed_is_replaced);
    CASE(group, threads_never_have_the_same_stream);
    CASE(group, a_call_that_waits_returns_when_the_pool_is_destroyed);
    CASE(group, destroying_a_pool_drains_its_streams);
    CASE(group, a_pool_that_was_destroyed_is_refused);
    CASE(group, a_callback_of_its_streams_cannot_destroy_a_pool);
}
