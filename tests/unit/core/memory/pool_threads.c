/* The pool under many threads.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <pthread.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define THREADS 16
#define ROUNDS 1500
#define LIVE 8

static struct store store;
static struct trm_context *context;

static void open_store(void)
{
    memset(&store, 0, sizeof(store));
    store.unified   = 1;
    store.immediate = 1;
    store_prepare(&store, "store");
    context = store_context(NULL);
    store_open(&store, context);
}

static void close_store(void)
{
    store_close(&store);
    trm_context_destroy(context);
}

/* Marks both ends of a buffer and checks that no other thread wrote there. */
static void mark(unsigned char *bytes, uint64_t size, unsigned char with)
{
    bytes[0]        = with;
    bytes[size - 1] = with;
}

static void *create_and_destroy(void *argument)
{
    unsigned char me                 = *(unsigned char *)argument;
    struct trm_buffer *buffers[LIVE] = {0};
    uint64_t sizes[LIVE]             = {0};
    uint32_t seed                    = me * 7919u + 1;
    uintptr_t wrong                  = 0;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t i = round % LIVE;
        if (buffers[i] != NULL) {
            unsigned char *bytes = store_bytes(buffers[i]);
            wrong += bytes[0] != me || bytes[sizes[i] - 1] != me;
            trm_buffer_destroy(buffers[i]);
        }
        seed     = seed * 1664525u + 1013904223u;
        sizes[i] = 1 + (seed >> 8) % (round % 50 == 0 ? 3000000 : 20000);
        wrong += trm_buffer_create(store.device, TRM_MEMORY_DEVICE, sizes[i], &buffers[i]) != TRM_OK;
        mark(store_bytes(buffers[i]), sizes[i], me);
    }
    for (uint32_t i = 0; i < LIVE; i++)
        trm_buffer_destroy(buffers[i]);
    return (void *)wrong;
}

static void *allocate_in_order(void *argument)
{
    unsigned char me = *(unsigned char *)argument;
    struct trm_stream *stream;
    uintptr_t wrong = 0;

    if (trm_stream_create(store.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream) != TRM_OK)
        return (void *)1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct trm_buffer *a, *b;
        wrong += trm_stream_alloc(stream, 5000, &a) != TRM_OK;
        wrong += trm_stream_alloc(stream, 5000 + round, &b) != TRM_OK;
        mark(store_bytes(a), 5000, me);
        mark(store_bytes(b), 5000, me);
        wrong += store_bytes(a)[4999] != me;
        wrong += trm_stream_free(stream, b) != TRM_OK;
        wrong += trm_stream_free(stream, a) != TRM_OK;
        if (round % 100 == 0)
            wrong += trm_pool_trim(store.device, 1 << 20) != TRM_OK;
    }
    trm_stream_destroy(stream);
    return (void *)wrong;
}

static void run_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    unsigned char numbers[THREADS];
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};

    for (uint32_t i = 0; i < THREADS; i++) {
        numbers[i] = (unsigned char)(i + 1);
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        ck_assert_uint_eq((uintptr_t)wrong, 0);
    }
    ck_assert_int_eq(trm_pool_get_stats(store.device, &stats), TRM_OK);
    ck_assert_uint_eq(stats.used_bytes, 0);
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    ck_assert_uint_eq(store.bytes, 0);
}

START_TEST(sixteen_threads_create_and_destroy_buffers)
{
    run_threads(create_and_destroy);
}
END_TEST

START_TEST(sixteen_threads_allocate_in_the_order_of_their_streams)
{
    run_threads(allocate_in_order);
}
END_TEST

/* Many threads destroy one buffer at once: one of them ends it. */
static struct trm_buffer *common;

static void *retain_and_destroy(void *argument)
{
    (void)argument;
    for (uint32_t round = 0; round < ROUNDS; round++)
        if (trm_buffer_retain(common) == TRM_OK)
            trm_buffer_destroy(common);
    trm_buffer_destroy(common);
    return NULL;
}

START_TEST(sixteen_threads_share_one_buffer_and_the_last_ends_it)
{
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 100, &common), TRM_OK);
    for (uint32_t i = 1; i < THREADS; i++)
        ck_assert_int_eq(trm_buffer_retain(common), TRM_OK);
    run_threads(retain_and_destroy);
    ck_assert_int_eq(trm_buffer_retain(common), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        sixteen_threads_create_and_destroy_buffers,
        sixteen_threads_allocate_in_the_order_of_their_streams,
        sixteen_threads_share_one_buffer_and_the_last_ends_it,
    };
    Suite *suite = suite_create("pool under threads");
    TCase *tests = tcase_create("pool under threads");

    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
