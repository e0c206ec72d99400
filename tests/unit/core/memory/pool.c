/* The pool of a device: the order in which memory is reused.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>

#include "tests/unit/core/memory/pool_fixture.h"

/* ---- reuse --------------------------------------------------------------------------------- */

START_TEST(the_last_memory_freed_is_the_first_given)
{
    struct trm_buffer *a = make(MIB), *b = make(MIB);
    unsigned char *of_a = store_bytes(a), *of_b = store_bytes(b);

    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    a = make(MIB);
    ck_assert_ptr_eq(store_bytes(a), of_b);
    b = make(MIB - 5);
    ck_assert_ptr_eq(store_bytes(b), of_a);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(live_buffers_never_share_memory)
{
    enum {
        COUNT = 300
    };
    struct trm_buffer *buffers[COUNT];

    for (uint32_t i = 0; i < COUNT; i++) {
        buffers[i] = make(1 + i * 77);
        memset(store_bytes(buffers[i]), (int)i, 1 + i * 77);
        ck_assert_uint_eq((uintptr_t)store_bytes(buffers[i]) % 256, 0);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t at = 0;
        while (at < 1 + i * 77 && store_bytes(buffers[i])[at] == (unsigned char)i)
            at++;
        ck_assert_uint_eq(at, 1 + i * 77);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        trm_buffer_destroy(buffers[i]);
    ck_assert_uint_eq(statistics().used_bytes, 0);
}
END_TEST

START_TEST(memory_freed_in_order_is_given_to_the_same_stream_at_once)
{
    struct trm_stream *a      = store_stream(&store);
    struct trm_buffer *buffer = make_on(a, 100 * KIB);
    unsigned char *bytes      = store_bytes(buffer);

    use(a, buffer);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    buffer = make_on(a, 100 * KIB);
    ck_assert_ptr_eq(store_bytes(buffer), bytes);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    trm_stream_destroy(a);
}
END_TEST

START_TEST(memory_freed_in_order_is_given_to_another_stream_only_when_its_work_has_finished)
{
    struct trm_stream *a = store_stream(&store), *b = store_stream(&store);
    struct trm_buffer *buffer = make_on(a, 100 * KIB), *second, *third;
    unsigned char *bytes      = store_bytes(buffer);

    use(a, buffer);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    second = make_on(b, 100 * KIB);
    ck_assert_ptr_ne(store_bytes(second), bytes);
    third = make(100 * KIB);
    ck_assert_ptr_ne(store_bytes(third), bytes);

    store_run(a, UINT64_MAX);
    buffer = make_on(b, 100 * KIB);
    ck_assert_ptr_eq(store_bytes(buffer), bytes);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(second);
    trm_buffer_destroy(third);
    trm_stream_destroy(a);
    trm_stream_destroy(b);
}
END_TEST

START_TEST(memory_that_another_stream_still_uses_is_not_given_to_the_stream_that_freed_it)
{
    struct trm_stream *a = store_stream(&store), *b = store_stream(&store);
    struct trm_buffer *buffer = make_on(a, 100 * KIB), *second;
    unsigned char *bytes      = store_bytes(buffer);

    use(a, buffer);
    use(b, buffer);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    second = make_on(a, 100 * KIB);
    ck_assert_ptr_ne(store_bytes(second), bytes);
    trm_buffer_destroy(second);

    store_run(a, UINT64_MAX);
    store_run(b, UINT64_MAX);
    second = make_on(a, 100 * KIB);
    ck_assert_ptr_eq(store_bytes(second), bytes);
    trm_buffer_destroy(second);
    trm_stream_destroy(a);
    trm_stream_destroy(b);
}
END_TEST

START_TEST(memory_that_another_stream_used_and_finished_is_given_to_the_stream_that_freed_it)
{
    struct trm_stream *a = store_stream(&store), *b = store_stream(&store);
    struct trm_buffer *buffer = make_on(a, 100 * KIB);
    unsigned char *bytes      = store_bytes(buffer);

    use(b, buffer);
    store_run(b, UINT64_MAX);
    use(a, buffer);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    buffer = make_on(a, 100 * KIB);
    ck_assert_ptr_eq(store_bytes(buffer), bytes);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(a);
    trm_stream_destroy(b);
}
END_TEST

START_TEST(memory_reused_in_order_is_waited_for_by_the_host)
{
    struct trm_stream *a      = store_stream(&store);
    struct trm_buffer *buffer = make_on(a, 100 * KIB);
    unsigned char *bytes;
    void *pointer;

    use(a, buffer);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    buffer = make_on(a, 100 * KIB);
    bytes  = store_bytes(buffer);
    ck_assert_uint_ne(bytes[5], 1);
    ck_assert_int_eq(trm_buffer_map(buffer, TRM_MAP_READ, &pointer), TRM_OK);
    ck_assert_uint_eq(bytes[5], 1);
    ck_assert_int_eq(trm_buffer_unmap(buffer), TRM_OK);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(a);
}
END_TEST

START_TEST(memory_of_a_destroyed_buffer_is_not_given_before_its_work_has_finished)
{
    struct trm_stream *a      = store_stream(&store);
    struct trm_buffer *buffer = make(100 * KIB), *second;
    unsigned char *bytes      = store_bytes(buffer);

    use(a, buffer);
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_buffer_size(buffer, &(uint64_t){0}), TRM_ERROR_INVALID_HANDLE);
    second = make(100 * KIB);
    ck_assert_ptr_ne(store_bytes(second), bytes);
    store_run(a, UINT64_MAX);
    buffer = make(100 * KIB);
    ck_assert_ptr_eq(store_bytes(buffer), bytes);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(second);
    trm_stream_destroy(a);
}
END_TEST

START_TEST(memory_freed_on_a_stream_that_ended_is_free_for_all)
{
    struct trm_stream *a      = store_stream(&store);
    struct trm_buffer *buffer = make_on(a, 100 * KIB);
    unsigned char *bytes      = store_bytes(buffer);

    use(a, buffer);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    trm_stream_destroy(a);
    buffer = make(100 * KIB);
    ck_assert_ptr_eq(store_bytes(buffer), bytes);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_failed_stream_frees_its_buffers_and_says_why_it_failed)
{
    struct trm_stream *a      = store_stream(&store);
    struct trm_buffer *buffer = make_on(a, 100 * KIB), *other;

    use(a, buffer);
    store_fail(a, TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_stream_sync(a), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_buffer_size(buffer, &(uint64_t){0}), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_stream_alloc(a, KIB, &other), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(statistics().used_bytes, 0);
    trm_stream_destroy(a);
}
END_TEST

START_TEST(a_stream_keeps_many_sizes_of_freed_memory_apart)
{
    enum {
        COUNT = 40
    };
    struct trm_stream *a = store_stream(&store);
    struct trm_buffer *buffers[COUNT];
    unsigned char *bytes[COUNT];

    for (uint32_t i = 0; i < COUNT; i++) {
        buffers[i] = make_on(a, core_class_size(i));
        bytes[i]   = store_bytes(buffers[i]);
        use(a, buffers[i]);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_int_eq(trm_stream_free(a, buffers[i]), TRM_OK);
    for (uint32_t i = COUNT; i-- > 0;) {
        buffers[i] = make_on(a, core_class_size(i));
        ck_assert_ptr_eq(store_bytes(buffers[i]), bytes[i]);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        trm_buffer_destroy(buffers[i]);
    trm_stream_destroy(a);
}
END_TEST

START_TEST(of_much_memory_freed_in_order_the_stream_takes_the_newest_and_others_what_has_finished)
{
    enum {
        COUNT = 12
    };
    struct trm_stream *a = store_stream(&store), *b = store_stream(&store), *c = store_stream(&store);
    struct trm_buffer *buffers[COUNT], *taken[COUNT];
    unsigned char *bytes[COUNT];

    for (uint32_t i = 0; i < COUNT; i++) {
        struct trm_stream *stream = i % 2 == 0 ? a : b;
        buffers[i]                = make_on(stream, 5 * KIB);
        bytes[i]                  = store_bytes(buffers[i]);
        use(stream, buffers[i]);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_int_eq(trm_stream_free(i % 2 == 0 ? a : b, buffers[i]), TRM_OK);

    /* Operations 1, 3, 5 ... are b's and finished: the oldest are reused first. */
    store_run(b, UINT64_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        taken[i] = make_on(c, 5 * KIB);
        ck_assert_ptr_eq(store_bytes(taken[i]), bytes[1 + 2 * i]);
    }
    /* a reuses its own, the newest first; one of b's comes last. */
    for (uint32_t i = 3; i < 9; i++) {
        taken[i] = make_on(a, 5 * KIB);
        ck_assert_ptr_eq(store_bytes(taken[i]), bytes[10 - 2 * (i - 3)]);
    }
    taken[9] = make_on(a, 5 * KIB);
    ck_assert_ptr_eq(store_bytes(taken[9]), bytes[7]);
    for (uint32_t i = 0; i < 10; i++)
        ck_assert_int_eq(trm_stream_free(c, taken[i]), TRM_OK);
    store_run(a, UINT64_MAX);
    trm_stream_destroy(a);
    trm_stream_destroy(b);
    trm_stream_destroy(c);
    ck_assert_uint_eq(statistics().used_bytes, 0);
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    ck_assert_uint_eq(store.bytes, 0);
}
END_TEST

/* Stays inside a buffer until the test opens the gate. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int32_t arrived;

static int32_t wait_at_gate(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    (void)stream;
    (void)value;
    (void)timeout_ns;
    atomic_store(&arrived, 1);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return TRM_ERROR_TIMEOUT;
}

static void *wait_for_buffer(void *buffer)
{
    return (void *)(intptr_t)trm_buffer_wait(buffer, 1);
}

START_TEST(memory_freed_in_order_under_a_call_that_waits_for_it_goes_when_that_call_has_left)
{
    struct trm_stream *a                                             = store_stream(&store);
    struct trm_buffer *buffer                                        = make_on(a, 5 * KIB), *other;
    unsigned char *bytes                                             = store_bytes(buffer);
    int32_t (*wait)(struct trm_backend_stream *, uint64_t, uint64_t) = store.core->backend->stream.wait;
    pthread_t thread;

    use(a, buffer);
    store.core->backend->stream.wait = wait_at_gate;
    pthread_mutex_lock(&gate);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_buffer, buffer), 0);
    while (!atomic_load(&arrived))
        sched_yield();
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_ERROR_INVALID_HANDLE);
    other = make_on(a, 5 * KIB);
    ck_assert_ptr_ne(store_bytes(other), bytes);
    pthread_mutex_unlock(&gate);
    pthread_join(thread, NULL);
    store.core->backend->stream.wait = wait;

    store_run(a, UINT64_MAX);
    buffer = make_on(a, 5 * KIB);
    ck_assert_ptr_eq(store_bytes(buffer), bytes);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(other);
    trm_stream_destroy(a);
}
END_TEST

/* ---- freeing in order ---------------------------------------------------------------------- */

START_TEST(freeing_in_order_refuses_a_retained_buffer)
{
    struct trm_stream *a      = store_stream(&store);
    struct trm_buffer *buffer = make_on(a, KIB);

    ck_assert_int_eq(trm_buffer_retain(buffer), TRM_OK);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_ERROR_BUSY);
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_ERROR_INVALID_HANDLE);
    trm_stream_destroy(a);
}
END_TEST

START_TEST(freeing_in_order_takes_buffers_that_were_created_too)
{
    struct trm_stream *a      = store_stream(&store);
    struct trm_buffer *buffer = make(KIB), *empty = make(0);
    unsigned char *bytes = store_bytes(buffer);

    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_OK);
    ck_assert_int_eq(trm_stream_free(a, empty), TRM_OK);
    buffer = make_on(a, KIB);
    ck_assert_ptr_eq(store_bytes(buffer), bytes);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(a);
}
END_TEST

START_TEST(freeing_in_order_refuses_a_buffer_of_another_device)
{
    struct store other = {.unified = 1};
    store_prepare(&other, "other");
    store_open(&other, context);
    struct trm_stream *a      = store_stream(&other);
    struct trm_buffer *buffer = make(KIB);

    ck_assert_int_eq(trm_stream_free(a, buffer), TRM_ERROR_WRONG_DEVICE);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(a);
    store_close(&other);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        the_last_memory_freed_is_the_first_given,
        live_buffers_never_share_memory,
        memory_freed_in_order_is_given_to_the_same_stream_at_once,
        memory_freed_in_order_is_given_to_another_stream_only_when_its_work_has_finished,
        memory_that_another_stream_still_uses_is_not_given_to_the_stream_that_freed_it,
        memory_that_another_stream_used_and_finished_is_given_to_the_stream_that_freed_it,
        memory_reused_in_order_is_waited_for_by_the_host,
        memory_of_a_destroyed_buffer_is_not_given_before_its_work_has_finished,
        memory_freed_on_a_stream_that_ended_is_free_for_all,
        a_failed_stream_frees_its_buffers_and_says_why_it_failed,
        a_stream_keeps_many_sizes_of_freed_memory_apart,
        of_much_memory_freed_in_order_the_stream_takes_the_newest_and_others_what_has_finished,
        memory_freed_in_order_under_a_call_that_waits_for_it_goes_when_that_call_has_left,
        freeing_in_order_refuses_a_retained_buffer,
        freeing_in_order_takes_buffers_that_were_created_too,
        freeing_in_order_refuses_a_buffer_of_another_device,
    };
    Suite *suite = suite_create("pool");
    TCase *tests = tcase_create("pool");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
