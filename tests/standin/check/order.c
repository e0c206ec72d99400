/* The order of work: streams, events, and what waits for what.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <string.h>

#include "tests/standin/check/fixture.h"

#define BYTES (COUNT * sizeof(uint32_t))

static const struct cuda_standin_control *const control = &cuda_standin_control;

/* A stream that goes on when the word at the returned address is 1. */
static CUdeviceptr block(CUstream stream)
{
    CUdeviceptr word = make_words();

    must(cuMemsetD32Async(word, 0, 1, stream));
    must(cuStreamSynchronize(stream));
    must(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ));
    return word;
}

/* Ends what block() began. */
static void unblock(CUdeviceptr word)
{
    CUstream stream = make_stream();

    must(cuStreamWriteValue32(stream, word, 1, 0));
    must(cuStreamSynchronize(stream));
    must(cuStreamDestroy(stream));
}

START_TEST(a_stream_does_its_work_in_order)
{
    begin("delay=0");
    CUstream stream   = make_stream();
    CUdeviceptr words = make_words();
    for (uint32_t i = 0; i < 200; i++)
        must(cuMemsetD32Async(words, i, COUNT, stream));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(words), 199);
    must(cuMemFree(words));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(nothing_is_done_by_the_call_itself)
{
    begin("");
    CUstream stream  = make_stream();
    uint32_t *pinned = make_pinned(7);
    CUdeviceptr from = make_words();
    must(cuMemsetD32Async(from, 5, COUNT, stream));
    must(cuStreamSynchronize(stream));
    control->hold();
    must(cuMemcpyDtoHAsync(pinned, from, BYTES, stream));
    control->settle();
    ck_assert_uint_eq(control->pending(), 1);
    ck_assert_uint_eq(pinned[0], 7);
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    control->step(1);
    control->settle();
    ck_assert_uint_eq(control->pending(), 0);
    must(cuStreamQuery(stream));
    ck_assert_uint_eq(pinned[COUNT - 1], 5);
    control->release();
    must(cuMemFreeHost(pinned));
    must(cuMemFree(from));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(who_does_not_wait_for_another_stream_reads_too_early)
{
    begin("delay=0");
    CUstream first = make_stream(), second = make_stream();
    CUdeviceptr words = make_words();
    uint32_t *early = make_pinned(0), *late = make_pinned(0);
    CUdeviceptr word = block(first);
    must(cuMemsetD32Async(words, 3, COUNT, first));
    CUevent event = make_event();
    must(cuEventRecord(event, first));
    must(cuMemcpyDtoHAsync(early, words, BYTES, second));
    must(cuStreamWaitEvent(second, event, 0));
    must(cuMemcpyDtoHAsync(late, words, BYTES, second));
    control->settle();
    ck_assert_int_eq(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    unblock(word);
    must(cuStreamSynchronize(second));
    must(cuEventQuery(event));
    ck_assert_uint_ne(early[0], 3);
    ck_assert_uint_eq(late[0], 3);
    must(cuEventDestroy(event));
    must(cuMemFreeHost(early));
    must(cuMemFreeHost(late));
    must(cuMemFree(words));
    must(cuMemFree(word));
    must(cuStreamDestroy(first));
    must(cuStreamDestroy(second));
    end();
}
END_TEST

START_TEST(pageable_memory_is_read_at_the_call_and_pinned_memory_when_the_copy_runs)
{
    begin("");
    CUstream stream = make_stream();
    CUdeviceptr one = make_words(), other = make_words();
    uint32_t *pinned = make_pinned(1), pageable[COUNT];
    memcpy(pageable, pinned, BYTES);
    control->hold();
    must(cuMemcpyHtoDAsync(one, pageable, BYTES, stream));
    must(cuMemcpyHtoDAsync(other, pinned, BYTES, stream));
    pageable[0] = pinned[0] = 2;
    control->release();
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(one), 1);
    ck_assert_uint_eq(read_word(other), 2);
    must(cuMemFreeHost(pinned));
    must(cuMemFree(one));
    must(cuMemFree(other));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(a_copy_into_pageable_memory_is_done_when_the_call_returns)
{
    uint32_t pageable[COUNT];

    begin("");
    CUstream stream   = make_stream();
    CUdeviceptr words = make_words();
    must(cuMemsetD32Async(words, 9, COUNT, stream));
    must(cuMemcpyDtoHAsync(pageable, words, BYTES, stream));
    ck_assert_uint_eq(pageable[COUNT - 1], 9);
    must(cuMemFree(words));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(a_copy_from_host_to_host_is_done_when_the_call_returns)
{
    begin("");
    CUstream stream = make_stream();
    uint32_t *from = make_pinned(3), *to = make_pinned(0);
    must(cuMemcpyAsync((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, BYTES, stream));
    ck_assert_uint_eq(to[COUNT - 1], 3);
    must(cuMemFreeHost(from));
    must(cuMemFreeHost(to));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(a_wait_is_for_the_event_as_it_was_recorded_last)
{
    begin("delay=0");
    CUstream first = make_stream(), second = make_stream(), third = make_stream();
    CUevent event = make_event();
    /* Never recorded: it is complete. */
    must(cuEventQuery(event));
    must(cuStreamWaitEvent(second, event, 0));
    must(cuStreamSynchronize(second));
    CUdeviceptr word = block(first);
    must(cuEventRecord(event, first));
    must(cuStreamWaitEvent(second, event, 0));
    /* Recorded again elsewhere, it says nothing of the first stream any more; the wait does. */
    must(cuEventRecord(event, third));
    must(cuEventSynchronize(event));
    control->settle();
    ck_assert_int_eq(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    unblock(word);
    must(cuStreamSynchronize(second));
    must(cuMemFree(word));
    must(cuEventDestroy(event));
    must(cuStreamDestroy(first));
    must(cuStreamDestroy(second));
    must(cuStreamDestroy(third));
    end();
}
END_TEST

START_TEST(events_tell_how_much_time_passed_where_they_keep_it)
{
    CUevent events[2], timeless;
    float milliseconds = -1;

    begin("");
    CUstream stream = make_stream();
    for (int i = 0; i < 2; i++)
        must(cuEventCreate(&events[i], CU_EVENT_DEFAULT));
    timeless = make_event();
    ck_assert_int_eq(cuEventElapsedTime(&milliseconds, events[0], events[1]), CUDA_ERROR_INVALID_HANDLE);
    control->hold();
    for (int i = 0; i < 2; i++)
        must(cuEventRecord(events[i], stream));
    must(cuEventRecord(timeless, stream));
    ck_assert_int_eq(cuEventElapsedTime(&milliseconds, events[0], events[1]), CUDA_ERROR_NOT_READY);
    control->release();
    must(cuStreamSynchronize(stream));
    must(cuEventElapsedTime(&milliseconds, events[0], events[1]));
    ck_assert(milliseconds >= 0);
    ck_assert_int_eq(cuEventElapsedTime(&milliseconds, events[0], timeless), CUDA_ERROR_INVALID_HANDLE);
    for (int i = 0; i < 2; i++)
        must(cuEventDestroy(events[i]));
    must(cuEventDestroy(timeless));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(the_legacy_stream_waits_for_the_others_but_for_those_that_do_not_care)
{
    CUstream blocking;

    begin("delay=0");
    CUstream careless = make_stream();
    must(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    CUdeviceptr words = make_words(), word = block(blocking);
    must(cuMemsetD32Async(words, 1, COUNT, NULL));
    control->settle();
    ck_assert_int_eq(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    unblock(word);
    must(cuStreamSynchronize(NULL));
    must(cuMemFree(word));
    word = block(careless);
    must(cuMemsetD32Async(words, 2, COUNT, NULL));
    must(cuStreamSynchronize(NULL));
    ck_assert_int_eq(cuStreamQuery(careless), CUDA_ERROR_NOT_READY);
    unblock(word);
    must(cuStreamSynchronize(careless));
    must(cuMemFree(word));
    must(cuMemFree(words));
    must(cuStreamDestroy(careless));
    must(cuStreamDestroy(blocking));
    end();
}
END_TEST

static void CUDA_CB note(void *data)
{
    *(uint32_t *)data += 1;
}

START_TEST(functions_of_the_host_are_called_in_order)
{
    uint32_t count = 0;

    begin("");
    CUstream stream = make_stream();
    control->hold();
    must(cuLaunchHostFunc(stream, note, &count));
    must(cuLaunchHostFunc(stream, note, &count));
    control->settle();
    ck_assert_uint_eq(count, 0);
    control->release();
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(count, 2);
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(what_a_destroyed_stream_was_given_is_still_done)
{
    begin("");
    CUstream stream   = make_stream();
    CUdeviceptr words = make_words();
    CUevent event     = make_event();
    control->hold();
    must(cuMemsetD32Async(words, 4, COUNT, stream));
    must(cuEventRecord(event, stream));
    must(cuStreamDestroy(stream));
    ck_assert_int_eq(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    control->release();
    must(cuEventSynchronize(event));
    ck_assert_uint_eq(read_word(words), 4);
    must(cuEventDestroy(event));
    must(cuMemFree(words));
    end();
}
END_TEST

START_TEST(what_was_destroyed_is_no_handle_any_more)
{
    char first[256];

    begin("");
    CUstream stream = make_stream();
    CUevent event   = make_event();
    must(cuStreamDestroy(stream));
    must(cuEventDestroy(event));
    ck_assert_uint_eq(control->breaches(first, sizeof(first)), 0);
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(control->breaches(first, sizeof(first)), 2);
    ck_assert_str_eq(first, "a call was given a CUstream that does not live");
    control->forget_breaches();
    end();
}
END_TEST

START_TEST(calls_that_make_something_need_a_context_and_calls_of_streams_do_not)
{
    CUdeviceptr address;
    CUevent event;

    CUcontext context = begin("");
    CUstream stream   = make_stream();
    must(cuCtxSetCurrent(NULL));
    ck_assert_int_eq(cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_int_eq(cuEventCreate(&event, 0), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_int_eq(cuStreamQuery(NULL), CUDA_ERROR_INVALID_CONTEXT);
    must(cuStreamQuery(stream));
    ck_assert_int_eq(control->configure("needs_context=yes"), 0);
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_INVALID_CONTEXT);
    must(cuCtxPushCurrent(context));
    must(cuStreamQuery(stream));
    must(cuStreamDestroy(stream));
    must(cuCtxPopCurrent(NULL));
    end();
}
END_TEST

struct enqueueing {
    pthread_t thread;
    CUcontext context;
    CUdeviceptr words;
    uint32_t last;
    CUresult result;
};

static void *enqueue(void *data)
{
    struct enqueueing *work = data;
    CUstream stream         = NULL;
    CUevent event           = NULL;

    work->result = cuCtxSetCurrent(work->context);
    if (work->result == CUDA_SUCCESS)
        work->result = cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (work->result == CUDA_SUCCESS)
        work->result = cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    for (uint32_t i = 1; i <= work->last && work->result == CUDA_SUCCESS; i++) {
        work->result = cuMemsetD32Async(work->words, i, COUNT, stream);
        if (work->result == CUDA_SUCCESS)
            work->result = cuEventRecord(event, stream);
        if (work->result == CUDA_SUCCESS && i % 10 == 0)
            work->result = cuEventSynchronize(event);
    }
    (void)cuEventSynchronize(event);
    (void)cuEventDestroy(event);
    (void)cuStreamDestroy(stream);
    return NULL;
}

START_TEST(threads_enqueue_at_once_each_on_a_stream_of_its_own)
{
    struct enqueueing work[4];

    CUcontext context = begin("delay=5");
    for (uint32_t i = 0; i < 4; i++) {
        work[i] = (struct enqueueing){.context = context, .words = make_words(), .last = 50 + i};
        ck_assert_int_eq(pthread_create(&work[i].thread, NULL, enqueue, &work[i]), 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(work[i].thread, NULL), 0);
        must(work[i].result);
        ck_assert_uint_eq(read_word(work[i].words), 50 + i);
        must(cuMemFree(work[i].words));
    }
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("order");

    tcase_add_test(tests, a_stream_does_its_work_in_order);
    tcase_add_test(tests, nothing_is_done_by_the_call_itself);
    tcase_add_test(tests, who_does_not_wait_for_another_stream_reads_too_early);
    tcase_add_test(tests, pageable_memory_is_read_at_the_call_and_pinned_memory_when_the_copy_runs);
    tcase_add_test(tests, a_copy_into_pageable_memory_is_done_when_the_call_returns);
    tcase_add_test(tests, a_copy_from_host_to_host_is_done_when_the_call_returns);
    tcase_add_test(tests, a_wait_is_for_the_event_as_it_was_recorded_last);
    tcase_add_test(tests, events_tell_how_much_time_passed_where_they_keep_it);
    tcase_add_test(tests, the_legacy_stream_waits_for_the_others_but_for_those_that_do_not_care);
    tcase_add_test(tests, functions_of_the_host_are_called_in_order);
    tcase_add_test(tests, what_a_destroyed_stream_was_given_is_still_done);
    tcase_add_test(tests, what_was_destroyed_is_no_handle_any_more);
    tcase_add_test(tests, calls_that_make_something_need_a_context_and_calls_of_streams_do_not);
    tcase_add_test(tests, threads_enqueue_at_once_each_on_a_stream_of_its_own);
    return run_tests(tests, "order");
}
