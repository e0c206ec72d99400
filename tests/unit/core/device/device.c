/* How devices and streams end, and the streams of threads.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/log_lines.h"
#include "tests/unit/stream_fixture.h"

/* ---- the end ---------------------------------------------------------------------------------------- */

START_TEST(a_device_stays_open_until_the_last_of_its_children_goes_and_says_which_there_are)
{
    struct trm_event *event;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    OK(trm_event_create(fake.device, 0, &event));
    trm_device_destroy(fake.device);
    ck_assert_ptr_nonnull(strstr(logged, "2 streams, 1 event"));
    ck_assert_int_eq(trm_device_sync(fake.device), TRM_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(atomic_load(&fake.devices), 1);
    fake_let_run(&fake);
    OK(fake_enqueue(stream));
    OK(trm_event_record(event, stream));
    OK(trm_stream_sync(stream));
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    ck_assert_uint_eq(atomic_load(&fake.devices), 1);
    trm_event_destroy(event);
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    end();
}
END_TEST

START_TEST(a_device_of_which_nothing_is_left_closes_in_silence)
{
    begin(FAKE_ALL);
    trm_stream_destroy(make_stream());
    trm_device_destroy(fake.device);
    ck_assert_str_eq(logged, "");
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    end();
}
END_TEST

START_TEST(a_device_that_was_asked_of_a_stream_is_to_be_destroyed_twice)
{
    struct trm_device *again;
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(trm_stream_device(stream, &again));
    ck_assert_ptr_eq(again, fake.device);
    trm_device_destroy(again);
    OK(trm_device_get_usage(fake.device, &usage));
    ck_assert_uint_eq(usage.streams, 1);
    trm_device_destroy(fake.device);
    ck_assert_int_eq(trm_device_get_usage(fake.device, &usage), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_stream_device(stream, &again), TRM_ERROR_INVALID_HANDLE);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_stream_that_cannot_be_made_leaves_nothing_behind)
{
    struct trm_stream *stream = NULL;
    begin(FAKE_ALL);
    fail_next(FAKE_CALL_CREATE, TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_stream_create(fake.device, 0, 0, &stream), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_stream_create(fake.device, 5, 0, &stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_stream_create(fake.device, 0, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    counting.fail_from = 1;
    ck_assert_int_eq(trm_stream_create(fake.device, 0, 0, &stream), TRM_ERROR_OUT_OF_HOST_MEMORY);
    counting.fail_from = 0;
    ck_assert_ptr_null(stream);
    ck_assert_uint_eq(atomic_load(&fake.streams), 0);
    /* A priority that no device has is rounded. */
    OK(trm_stream_create(fake.device, 0, 1000, &stream));
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_device_that_cannot_be_opened_leaves_nothing_behind)
{
    struct core_device *device;
    begin(FAKE_ALL);
    fail_next(FAKE_CALL_OPEN, TRM_ERROR_BACKEND);
    ck_assert_int_eq(core_device_create(fake.backend.context, &fake.backend, 0, &device), TRM_ERROR_BACKEND);
    int64_t blocks = atomic_load(&counting.blocks);
    for (int64_t n = 1; n < 20; n++) {
        counting.fail_at = atomic_load(&counting.allocations) + n;
        int32_t status   = core_device_create(fake.backend.context, &fake.backend, 0, &device);
        counting.fail_at = 0;
        if (status == TRM_OK) {
            trm_device_destroy(core_object_publish(&device->object));
            break;
        }
        ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert_int_eq(atomic_load(&counting.blocks), blocks);
    }
    ck_assert_uint_eq(atomic_load(&fake.devices), 1);
    end();
}
END_TEST

START_TEST(waiting_for_a_device_waits_for_all_of_its_streams)
{
    struct trm_stream *streams[50];
    begin(FAKE_ALL);
    OK(trm_device_sync(fake.device));
    for (int i = 0; i < 50; i++) {
        streams[i] = make_stream();
        OK(fake_enqueue(streams[i]));
    }
    counting.fail_from = 1;
    ck_assert_int_eq(trm_device_sync(fake.device), TRM_ERROR_OUT_OF_HOST_MEMORY);
    counting.fail_from = 0;
    fake_let_run(&fake);
    OK(trm_device_sync(fake.device));
    for (int i = 0; i < 50; i++)
        trm_stream_destroy(streams[i]);
    end();
}
END_TEST

START_TEST(what_has_a_size_of_its_own_is_filled_as_far_as_it_goes)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    struct trm_device_usage usage = {.struct_size = 8};
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(trm_stream_get_stats(stream, &stats));
    ck_assert_uint_eq(stats.operations, 0);
    stats.struct_size = 16;
    ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_stream_get_stats(stream, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_device_get_usage(fake.device, &usage), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_device_get_usage(fake.device, NULL), TRM_ERROR_INVALID_ARGUMENT);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(facts_of_a_device_are_told_by_its_backend)
{
    uint64_t number;
    char name[8];
    size_t needed = 0;
    begin(FAKE_ALL);
    OK(trm_device_get_u64(fake.device, TRM_DEVICE_MEMORY_TOTAL, &number));
    ck_assert_uint_eq(number, 1 << 30);
    OK(trm_device_get_info(fake.device, TRM_DEVICE_NAME, name, sizeof(name), &needed));
    ck_assert_str_eq(name, "fake");
    ck_assert_uint_eq(needed, 5);
    OK(trm_device_get_info(fake.device, TRM_DEVICE_NAME, NULL, 0, &needed));
    ck_assert_int_eq(trm_device_get_info(fake.device, TRM_DEVICE_NAME, name, 2, &needed),
                     TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(needed, 5);
    ck_assert_int_eq(trm_device_get_info(fake.device, 9999, name, 8, NULL), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(trm_device_get_info(fake.device, TRM_DEVICE_NAME, NULL, 2, NULL),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_device_get_u64(fake.device, TRM_DEVICE_NAME, &number), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_int_eq(trm_device_get_u64(fake.device, TRM_DEVICE_KIND, NULL), TRM_ERROR_INVALID_ARGUMENT);
    end();
}
END_TEST

/* ---- each thread's own stream ----------------------------------------------------------------------- */

static struct trm_stream *own_stream(void)
{
    struct trm_stream *stream;
    OK(trm_device_thread_stream(fake.device, &stream));
    return stream;
}

static void *use_own_stream(void *unused)
{
    (void)unused;
    struct trm_stream *stream = own_stream();
    ck_assert_ptr_eq(own_stream(), stream);
    OK(fake_enqueue(stream));
    return stream;
}

START_TEST(every_thread_has_a_stream_of_its_own_until_it_ends)
{
    pthread_t thread;
    void *other;
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *own = own_stream();
    ck_assert_ptr_eq(own_stream(), own);
    pthread_create(&thread, NULL, use_own_stream, NULL);
    pthread_join(thread, &other);
    ck_assert_ptr_ne(own, other);
    ck_assert_int_eq(trm_stream_query(other), TRM_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(atomic_load(&fake.streams), 1);
    trm_stream_destroy(own);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
    OK(fake_enqueue(own));
    trm_device_destroy(fake.device);
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    ck_assert_str_eq(logged, "");
    ck_assert_int_eq(trm_stream_query(own), TRM_ERROR_INVALID_HANDLE);
    end();
}
END_TEST

static pthread_barrier_t barrier;

static void *outlive_the_device(void *unused)
{
    (void)unused;
    own_stream();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return NULL;
}

START_TEST(threads_may_end_after_the_device_that_they_had_a_stream_of)
{
    pthread_t thread;
    begin(FAKE_ALL);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, outlive_the_device, NULL);
    pthread_barrier_wait(&barrier);
    trm_device_destroy(fake.device);
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    end();
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
}
END_TEST

static void *end_at_any_moment(void *unused)
{
    struct trm_stream *stream;
    (void)unused;
    if (trm_device_thread_stream(fake.device, &stream) == TRM_OK)
        pthread_barrier_wait(&barrier);
    return NULL;
}

START_TEST(threads_may_end_at_the_same_moment_as_their_device)
{
    pthread_t threads[4];
    for (int round = 0; round < 50; round++) {
        begin(FAKE_ALL);
        pthread_barrier_init(&barrier, NULL, 5);
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, end_at_any_moment, NULL);
        pthread_barrier_wait(&barrier);
        fake_fini(&fake);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&barrier);
        counting_is_balanced(&counting);
    }
}
END_TEST

static void destroy_device(void *user, int32_t status)
{
    (void)status;
    trm_device_destroy(user);
}

START_TEST(a_device_may_be_destroyed_in_a_callback_of_a_threads_own_stream)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    OK(trm_stream_callback(own_stream(), destroy_device, fake.device));
    while (atomic_load(&fake.devices) != 0)
        usleep(1000);
    fake_fini(&fake);
    while (atomic_load(&counting.blocks) != 0)
        usleep(1000);
    counting_is_balanced(&counting);
}
END_TEST

/* ---- many threads ----------------------------------------------------------------------------------- */

static void *make_use_end(void *unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++) {
        struct trm_stream *stream = make_stream();
        struct trm_event *event;
        struct trm_point point;
        OK(trm_event_create(fake.device, 0, &event));
        OK(fake_enqueue(stream));
        OK(trm_stream_mark(stream, &point));
        OK(trm_event_record(event, stream));
        OK(trm_point_wait(point, TRM_FOREVER));
        trm_stream_destroy(stream);
        OK(trm_event_wait(event, TRM_FOREVER));
        trm_event_destroy(event);
    }
    return NULL;
}

START_TEST(threads_make_use_and_end_streams_at_once)
{
    pthread_t threads[8];
    begin(_i == 0 ? FAKE_ALL : 0);
    fake_let_run(&fake);
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, make_use_end, NULL);
    for (int i = 0; i < 20; i++)
        OK(trm_device_sync(fake.device));
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    end();
}
END_TEST

static void *wait_for_point(void *argument)
{
    struct trm_point *point = argument;
    return (void *)(intptr_t)trm_point_wait(*point, TRM_FOREVER);
}

START_TEST(a_stream_that_others_wait_for_may_be_destroyed)
{
    pthread_t threads[4];
    struct trm_point point;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_stream_mark(stream, &point));
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, wait_for_point, &point);
    while (calls(FAKE_CALL_WAIT) < 4)
        usleep(1000);
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    for (int i = 0; i < 4; i++) {
        void *status;
        pthread_join(threads[i], &status);
        OK((int32_t)(intptr_t)status);
    }
    end();
}
END_TEST

/* ---- a lost device ---------------------------------------------------------------------------------- */

START_TEST(the_log_tells_once_that_a_device_is_lost)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    log_lines_begin(core_context_find(fake.context));
    OK(fake_enqueue(other));
    ck_assert_uint_eq(log_lines_count("info", "device", "device ", "lost"), 0);
    fail_next(FAKE_CALL_COPY, TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(fake_enqueue(stream), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(fake_enqueue(other), TRM_ERROR_DEVICE_LOST);
    ck_assert_uint_eq(log_lines_count("info", "device", "device ", "lost, so groups leave it out"), 1);
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("device");
    TCase *ends  = tcase_create("ends");
    tcase_add_test(ends, a_device_stays_open_until_the_last_of_its_children_goes_and_says_which_there_are);
    tcase_add_test(ends, a_device_of_which_nothing_is_left_closes_in_silence);
    tcase_add_test(ends, a_device_that_was_asked_of_a_stream_is_to_be_destroyed_twice);
    tcase_add_test(ends, a_stream_that_cannot_be_made_leaves_nothing_behind);
    tcase_add_test(ends, a_device_that_cannot_be_opened_leaves_nothing_behind);
    tcase_add_test(ends, waiting_for_a_device_waits_for_all_of_its_streams);
    tcase_add_test(ends, what_has_a_size_of_its_own_is_filled_as_far_as_it_goes);
    tcase_add_test(ends, facts_of_a_device_are_told_by_its_backend);
    tcase_add_test(ends, the_log_tells_once_that_a_device_is_lost);
    suite_add_tcase(suite, ends);

    TCase *threads = tcase_create("threads");
    tcase_add_test(threads, every_thread_has_a_stream_of_its_own_until_it_ends);
    tcase_add_test(threads, threads_may_end_after_the_device_that_they_had_a_stream_of);
    tcase_add_test(threads, threads_may_end_at_the_same_moment_as_their_device);
    tcase_add_test(threads, a_device_may_be_destroyed_in_a_callback_of_a_threads_own_stream);
    tcase_add_loop_test(threads, threads_make_use_and_end_streams_at_once, 0, 2);
    tcase_add_test(threads, a_stream_that_others_wait_for_may_be_destroyed);
    suite_add_tcase(suite, threads);
    return suite;
}

UNIT_SUITE(suite)
