/* Streams of the library and streams of the program in step: handing over, and events both ways.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <trireme/interop.h>

#include "tests/cuda/native.h"

enum {
    ROUNDS = 20,
};

/* ---- handing over ---- */

/* A thread that opens the barrier when another thread has reached it; `opened` is set before. */
struct opener {
    struct barrier barrier;
    pthread_t thread;
    atomic_bool opened;
};

static void *open_late(void *argument)
{
    struct opener *opener = argument;
    barrier_await(&opener->barrier);
    atomic_store(&opener->opened, true);
    barrier_open(&opener->barrier);
    return NULL;
}

static void opener_begin(struct opener *opener, struct trm_stream *stream)
{
    *opener = (struct opener){.barrier = BARRIER_CLOSED};
    ck_ok(barrier_enqueue(stream, &opener->barrier));
    ck_assert_int_eq(pthread_create(&opener->thread, NULL, open_late, opener), 0);
}

static void opener_end(struct opener *opener)
{
    pthread_join(opener->thread, NULL);
}

START_TEST(what_was_held_back_is_with_the_driver_when_it_has_been_handed_over)
{
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    uint64_t handle           = 0;
    struct opener opener;
    ck_ok(trm_stream_native(the.stream, TRM_NATIVE_CUDA_STREAM, &handle));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        opener_begin(&opener, the.stream);
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 4));
        ck_ok(trm_stream_hand_over(the.stream));
        ck_assert(atomic_load(&opener.opened));
        ck_cuda(native.cuMemsetD32Async(native_address(buffer), 100 + i, NATIVE_WORDS / 2,
                                        NATIVE_STREAM(handle)));
        opener_end(&opener);
        ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(buffer)));
        ck_ok(trm_stream_sync(the.stream));
        native_check_part(0, NATIVE_WORDS / 2, 100 + i, 0);
        native_check_part(NATIVE_WORDS / 2, NATIVE_WORDS, i, 0);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

static int32_t inside;

static void hand_over_inside(void *user, int32_t status)
{
    struct trm_buffer *buffer = user;
    ck_assert_int_eq(status, TRM_OK);
    inside = trm_fill(the.stream, trm_span_whole(buffer), 3, 4);
    if (inside == TRM_OK)
        inside = trm_stream_hand_over(the.stream);
}

START_TEST(a_callback_cannot_hand_over_what_waits_for_its_end)
{
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    inside                    = TRM_OK;
    ck_ok(trm_stream_callback(the.stream, hand_over_inside, buffer));
    ck_ok(trm_device_sync(the.device));
    ck_assert_int_eq(inside, TRM_ERROR_DEADLOCK);
    ck_ok(trm_stream_hand_over(the.stream));
    ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(the.stream));
    native_check(3, 0);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- events ---- */

START_TEST(a_stream_waits_for_what_an_event_of_the_programs_stands_behind)
{
    CUstream own              = native_stream();
    CUevent event             = native_event();
    CUdeviceptr memory        = native_memory();
    struct trm_buffer *buffer = native_adopt_memory(memory);
    struct trm_buffer *copy   = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        ck_cuda(native.cuMemsetD32Async(memory, i, NATIVE_WORDS, own));
        ck_cuda(native.cuEventRecord(event, own));
        ck_ok(trm_stream_wait_native(the.stream, TRM_NATIVE_CUDA_EVENT, NATIVE_NUMBER(event)));
        ck_ok(trm_copy(the.stream, trm_span_whole(copy), trm_span_whole(buffer)));
        ck_ok(trm_stream_record_native(the.stream, TRM_NATIVE_CUDA_EVENT, NATIVE_NUMBER(event)));
        ck_cuda(native.cuStreamWaitEvent(own, event, 0)); /* before the next round writes */
        ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(copy)));
        ck_ok(trm_stream_sync(the.stream));
        native_check(i, 0);
    }
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(copy);
    ck_cuda(native.cuStreamSynchronize(own));
    ck_cuda(native.cuMemFree_v2(memory));
    ck_cuda(native.cuEventDestroy_v2(event));
    ck_cuda(native.cuStreamDestroy_v2(own));
}
END_TEST

START_TEST(an_event_may_be_recorded_again_or_destroyed_once_a_stream_waits_for_it)
{
    CUstream own              = native_stream();
    CUevent event             = native_event();
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    struct opener opener;
    ck_cuda(native.cuMemsetD32Async(native_address(buffer), 8, NATIVE_WORDS, own));
    ck_cuda(native.cuEventRecord(event, own));
    opener_begin(&opener, the.stream);
    ck_ok(trm_stream_wait_native(the.stream, TRM_NATIVE_CUDA_EVENT, NATIVE_NUMBER(event)));
    ck_cuda(native.cuEventRecord(event, own));
    ck_cuda(native.cuEventDestroy_v2(event));
    ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(the.stream));
    native_check(8, 0);
    opener_end(&opener);
    trm_buffer_destroy(buffer);
    ck_cuda(native.cuStreamSynchronize(own));
    ck_cuda(native.cuStreamDestroy_v2(own));
}
END_TEST

START_TEST(an_event_that_a_stream_records_stands_behind_what_was_enqueued_on_it)
{
    CUstream own              = native_stream();
    CUevent event             = native_event();
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    CUdeviceptr memory        = native_memory();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct opener opener;
        if (i % 4 == 3)
            opener_begin(&opener, the.stream);
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 4));
        ck_ok(trm_stream_record_native(the.stream, TRM_NATIVE_CUDA_EVENT, NATIVE_NUMBER(event)));
        ck_cuda(native.cuStreamWaitEvent(own, event, 0));
        ck_cuda(native.cuMemcpyDtoDAsync_v2(memory, native_address(buffer), NATIVE_BYTES, own));
        ck_cuda(native.cuStreamSynchronize(own));
        ck_cuda(native.cuMemcpyDtoH_v2(native_numbers, memory, NATIVE_BYTES));
        native_check(i, 0);
        if (i % 4 == 3)
            opener_end(&opener);
    }
    ck_cuda(native.cuEventSynchronize(event));
    trm_buffer_destroy(buffer);
    ck_cuda(native.cuMemFree_v2(memory));
    ck_cuda(native.cuEventDestroy_v2(event));
    ck_cuda(native.cuStreamDestroy_v2(own));
}
END_TEST

START_TEST(events_that_are_none_are_refused_and_the_stream_goes_on)
{
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    CUevent foreign           = NULL;
    CUcontext before = NULL, other = native_context(0);
    ck_fails(trm_stream_wait_native(the.stream, TRM_NATIVE_CUDA_EVENT, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_fails(trm_stream_record_native(the.stream, TRM_NATIVE_CUDA_EVENT, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_fails(trm_stream_record_native(the.stream, TRM_NATIVE_CUDA_STREAM, 1), TRM_ERROR_INVALID_ARGUMENT);
    if (other) {
        ck_cuda(native.cuCtxGetCurrent(&before));
        ck_cuda(native.cuCtxSetCurrent(other));
        foreign = native_event();
        ck_cuda(native.cuCtxSetCurrent(before));
        ck_fails(trm_stream_record_native(the.stream, TRM_NATIVE_CUDA_EVENT, NATIVE_NUMBER(foreign)),
                 TRM_ERROR_INVALID_ARGUMENT);
        ck_sentence_has("CUevent");
        ck_ok(trm_stream_wait_native(the.stream, TRM_NATIVE_CUDA_EVENT, NATIVE_NUMBER(foreign)));
    }
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 6, 4));
    ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(the.stream));
    native_check(6, 0);
    trm_buffer_destroy(buffer);
    if (!other)
        return;
    ck_cuda(native.cuEventDestroy_v2(foreign));
    ck_cuda(native.cuCtxDestroy_v2(other));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: in step with the program's own streams");
    TCase *tests = tcase_create("in step");
    tcase_add_checked_fixture(tests, native_world_open, native_world_close);
    tcase_add_test(tests, what_was_held_back_is_with_the_driver_when_it_has_been_handed_over);
    tcase_add_test(tests, a_callback_cannot_hand_over_what_waits_for_its_end);
    tcase_add_test(tests, a_stream_waits_for_what_an_event_of_the_programs_stands_behind);
    tcase_add_test(tests, an_event_may_be_recorded_again_or_destroyed_once_a_stream_waits_for_it);
    tcase_add_test(tests, an_event_that_a_stream_records_stands_behind_what_was_enqueued_on_it);
    tcase_add_test(tests, events_that_are_none_are_refused_and_the_stream_goes_on);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
