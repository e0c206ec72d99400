/* Work runs later than it is enqueued, and nothing waits for work that it need not wait for. The stand-in
 * shows missing waits as wrong data.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/fixture.h"

enum {
    N = 4096
};

static struct trm_buffer *a, *b, *host; /* two of the device, one pinned */
static uint32_t *seen;                  /* the host address of the pinned one */

static void open_all(void)
{
    void *address = NULL;
    world_open();
    a    = buffer_open(the.device, TRM_MEMORY_DEVICE, 4 * N);
    b    = buffer_open(the.device, TRM_MEMORY_DEVICE, 4 * N);
    host = buffer_open(the.device, TRM_MEMORY_PINNED, 4 * N);
    ck_ok(trm_buffer_host_pointer(host, &address));
    seen = address;
    for (int i = 0; i < N; i++)
        seen[i] = 1;
}

static void close_all(void)
{
    standin->release();
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_buffer_destroy(host);
    world_close();
}

static int count_of(uint32_t value)
{
    int count = 0;
    for (int i = 0; i < N; i++)
        count += seen[i] == value;
    return count;
}

START_TEST(what_is_read_without_waiting_is_not_there_yet)
{
    standin->hold();
    ck_ok(trm_fill(the.stream, trm_span_whole(a), 2, 4));
    ck_ok(trm_copy(the.stream, trm_span_whole(host), trm_span_whole(a)));
    ck_ok(trm_stream_flush(the.stream));
    ck_assert_int_eq(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(count_of(1), N); /* too early */
    standin->step(1);
    standin->settle();
    ck_assert_int_eq(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(count_of(1), N); /* filled, not copied */
    standin->release();
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_int_eq(count_of(2), N);
}
END_TEST

/* The producer is behind a callback that has not returned. */
START_TEST(a_stream_that_does_not_wait_for_another_reads_what_was_there_before)
{
    struct barrier barrier      = BARRIER_CLOSED;
    struct trm_stream *consumer = stream_open(the.device, TRM_STREAM_ANY);
    ck_ok(trm_fill(the.stream, trm_span_whole(a), 2, 4));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(barrier_enqueue(the.stream, &barrier));
    ck_ok(trm_fill(the.stream, trm_span_whole(a), 3, 4));
    ck_ok(trm_copy(consumer, trm_span_whole(host), trm_span_whole(a))); /* without waiting */
    ck_ok(trm_stream_sync(consumer));
    ck_assert_int_eq(count_of(2), N);
    barrier_open(&barrier);
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_copy(consumer, trm_span_whole(host), trm_span_whole(a)));
    ck_ok(trm_stream_sync(consumer));
    ck_assert_int_eq(count_of(3), N);
    trm_stream_destroy(consumer);
}
END_TEST

START_TEST(a_stream_that_waits_for_another_reads_what_it_wrote)
{
    struct barrier barrier      = BARRIER_CLOSED;
    struct trm_stream *consumer = stream_open(the.device, TRM_STREAM_ANY);
    struct trm_point point;
    ck_ok(trm_fill(the.stream, trm_span_whole(a), 2, 4));
    ck_ok(barrier_enqueue(the.stream, &barrier));
    ck_ok(trm_fill(the.stream, trm_span_whole(a), 3, 4));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_wait(consumer, point));
    ck_ok(trm_copy(consumer, trm_span_whole(host), trm_span_whole(a)));
    barrier_open(&barrier);
    ck_ok(trm_stream_sync(consumer));
    ck_assert_int_eq(count_of(3), N);
    trm_stream_destroy(consumer);
}
END_TEST

START_TEST(fresh_memory_is_not_zero)
{
    ck_ok(trm_copy(the.stream, trm_span_whole(host), trm_span_whole(b)));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_int_eq(count_of(0), 0);
}
END_TEST

START_TEST(enqueueing_does_not_wait_for_the_device)
{
    struct trm_kernel *kernel = affine_on(the.device);
    struct trm_event *event   = NULL;
    struct trm_stream *other  = stream_open(the.device, TRM_STREAM_ANY);
    struct trm_point point;
    uint32_t words[16] = {0};
    ck_ok(trm_event_create(the.device, 0, &event));
    standin->hold();
    for (int i = 0; i < 100; i++) { /* none of this would return */
        ck_ok(affine_launch(the.stream, kernel, a, N, 3, 1));
        ck_ok(trm_copy(the.stream, trm_span_whole(b), trm_span_whole(a)));
        ck_ok(trm_upload(the.stream, trm_span_of(b, 0, sizeof(words)), words));
        ck_ok(trm_fill(the.stream, trm_span_whole(a), 1, 4));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(other, point));
        ck_ok(trm_event_record(event, the.stream));
        ck_ok(trm_copy(other, trm_span_whole(host), trm_span_whole(a)));
        ck_ok(trm_stream_mark(other, &point));
        ck_ok(trm_stream_wait(the.stream, point)); /* the next copy writes there */
        ck_assert_int_eq(trm_point_done(point), TRM_ERROR_TIMEOUT);
        ck_assert_int_eq(trm_event_wait(event, 1000), TRM_ERROR_TIMEOUT);
    }
    standin->release();
    ck_ok(trm_stream_sync(other));
    ck_assert_int_eq(count_of(1), N);
    trm_event_destroy(event);
    trm_stream_destroy(other);
    trm_kernel_destroy(kernel);
}
END_TEST

START_TEST(a_wait_for_a_place_does_not_wait_for_what_comes_after_it)
{
    struct trm_point point;
    standin->hold();
    ck_ok(trm_fill(the.stream, trm_span_whole(a), 2, 4));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_copy(the.stream, trm_span_whole(host), trm_span_whole(a)));
    ck_ok(trm_stream_flush(the.stream));
    /* The fill and its mark; not the copy. */
    for (int i = 0; i < 2 && trm_point_done(point) != TRM_OK; i++) {
        standin->step(1);
        standin->settle();
    }
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    ck_assert_int_eq(count_of(1), N);
    standin->release();
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_int_eq(count_of(2), N);
}
END_TEST

/* ---- steady state ---- */

static const char *const making[] = {"cuEventCreate",
                                     "cuMemAlloc",
                                     "cuMemAllocFromPoolAsync",
                                     "cuMemHostAlloc",
                                     "cuStreamCreateWithPriority",
                                     "cuGraphInstantiateWithFlags",
                                     "cuGraphCreate",
                                     "cuMemHostRegister",
                                     "cuModuleLoadDataEx",
                                     NULL};

static uint64_t calls_of(const char *const *functions)
{
    uint64_t sum = 0;
    for (; *functions; functions++)
        sum += standin->calls(*functions);
    return sum;
}

static void work_once(struct trm_kernel *kernel, struct trm_stream *other)
{
    struct trm_point point;
    for (int k = 0; k < 5; k++)
        ck_ok(affine_launch(the.stream, kernel, a, N, 3, 1));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_wait(other, point));
    ck_ok(trm_copy(other, trm_span_whole(host), trm_span_whole(a)));
    ck_ok(trm_stream_mark(other, &point));
    ck_ok(trm_stream_wait(the.stream, point));
    ck_ok(trm_point_wait(point, TRM_FOREVER));
}

START_TEST(in_the_long_run_nothing_is_made_anew)
{
    struct trm_kernel *kernel = affine_on(the.device);
    struct trm_stream *other  = stream_open(the.device, TRM_STREAM_DOWNLOAD);
    for (int i = 0; i < 600; i++) /* rings of marks grow for a while */
        work_once(kernel, other);
    uint64_t made = calls_of(making);
    long bytes    = bytes_taken();
    for (int i = 0; i < 100; i++)
        work_once(kernel, other);
    ck_assert_uint_eq(calls_of(making), made);
    ck_assert_int_eq(bytes_taken(), bytes);
    trm_stream_destroy(other);
    trm_kernel_destroy(kernel);
}
END_TEST

START_TEST(launches_are_each_one_call_of_the_driver_and_no_more)
{
    struct trm_kernel *kernel = affine_on(the.device);
    for (int i = 0; i < 10; i++)
        ck_ok(affine_launch(the.stream, kernel, a, N, 3, 1));
    ck_ok(trm_stream_sync(the.stream));
    uint64_t calls = standin->fallible_calls();
    for (int i = 0; i < 100; i++)
        ck_ok(affine_launch(the.stream, kernel, a, N, 3, 1));
    ck_assert_uint_le(standin->fallible_calls() - calls, 210); /* two each where they run as a graph */
    trm_kernel_destroy(kernel);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: asynchrony");
    TCase *later = tcase_create("later"), *steady = tcase_create("steady state");
    tcase_add_checked_fixture(later, open_all, close_all);
    tcase_add_test(later, what_is_read_without_waiting_is_not_there_yet);
    tcase_add_test(later, a_stream_that_does_not_wait_for_another_reads_what_was_there_before);
    tcase_add_test(later, a_stream_that_waits_for_another_reads_what_it_wrote);
    tcase_add_test(later, fresh_memory_is_not_zero);
    tcase_add_test(later, enqueueing_does_not_wait_for_the_device);
    tcase_add_test(later, a_wait_for_a_place_does_not_wait_for_what_comes_after_it);
    suite_add_tcase(suite, later);
    tcase_add_checked_fixture(steady, open_all, close_all);
    tcase_add_test(steady, in_the_long_run_nothing_is_made_anew);
    tcase_add_test(steady, launches_are_each_one_call_of_the_driver_and_no_more);
    suite_add_tcase(suite, steady);
    return run_on_standin(suite);
}
