/* Programs that use CUDA themselves: handles out; their contexts, streams and memory in.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <trireme/interop.h>

#include "tests/cuda/native.h"

enum {
    ROUNDS = 20,
};

/* ---- out ---- */

START_TEST(the_handles_are_those_that_the_driver_knows)
{
    uint64_t context = 0, device = 99, stream = 0, other = 7;
    CUdevice found            = 99;
    CUcontext current         = NULL;
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    ck_ok(trm_device_native(the.device, TRM_NATIVE_CUDA_CONTEXT, &context));
    ck_ok(trm_device_native(the.device, TRM_NATIVE_CUDA_DEVICE, &device));
    ck_cuda(native.cuCtxGetCurrent(&current));
    ck_assert_uint_eq(context, NATIVE_NUMBER(current));
    ck_cuda(native.cuCtxGetDevice(&found));
    ck_assert_int_eq((int)device, found);
    ck_ok(trm_stream_native(the.stream, TRM_NATIVE_CUDA_STREAM, &stream));

    native_count(5);
    ck_ok(trm_upload(the.stream, trm_span_whole(buffer), native_numbers));
    ck_ok(trm_stream_hand_over(the.stream));
    ck_cuda(native.cuMemsetD32Async(native_address(buffer) + NATIVE_BYTES / 2, 9, NATIVE_WORDS / 2,
                                    NATIVE_STREAM(stream)));
    ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(the.stream));
    native_check_part(0, NATIVE_WORDS / 2, 5, 1);
    native_check_part(NATIVE_WORDS / 2, NATIVE_WORDS, 9, 0);

    ck_fails(trm_device_native(the.device, TRM_NATIVE_VULKAN_DEVICE, &other), TRM_ERROR_UNSUPPORTED);
    ck_fails(trm_stream_native(the.stream, TRM_NATIVE_VULKAN_QUEUE, &other), TRM_ERROR_UNSUPPORTED);
    ck_fails(trm_buffer_native(buffer, TRM_NATIVE_VULKAN_BUFFER, &other, &other), TRM_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(other, 7);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- contexts ---- */

static void use(struct trm_device *device)
{
    struct trm_stream *stream = stream_open(device, TRM_STREAM_ANY);
    struct trm_buffer *buffer = buffer_open(device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    struct trm_kernel *kernel = affine_on(device);
    native_count(0);
    ck_ok(trm_upload(stream, trm_span_whole(buffer), native_numbers));
    ck_ok(affine_launch(stream, kernel, buffer, NATIVE_WORDS, 3, 7));
    ck_ok(trm_download(stream, native_numbers, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(stream));
    native_check(7, 3);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
}

START_TEST(a_context_of_the_programs_own_works_like_one_of_the_librarys)
{
    native_open();
    struct trm_context *context = context_open();
    CUcontext own               = native_context(0);
    if (!own) {
        trm_context_destroy(context);
        return;
    }
    for (int i = 0; i < 3; i++) {
        struct trm_cuda_device given = {.struct_size = sizeof(given), .context = own};
        struct trm_device *device    = NULL;
        CUcontext current            = own;
        CUstream still_good          = NULL;
        uint64_t handle              = 0;
        ck_ok(trm_device_adopt(context, "cuda", TRM_NATIVE_DEVICE_CUDA, &given, &device));
        ck_ok(trm_device_native(device, TRM_NATIVE_CUDA_CONTEXT, &handle));
        ck_assert_uint_eq(handle, NATIVE_NUMBER(own));
        use(device);
        trm_device_destroy(device);
        ck_cuda(native.cuCtxGetCurrent(&current));
        ck_assert_ptr_null(current);

        ck_cuda(native.cuCtxSetCurrent(own));
        ck_cuda(native.cuStreamCreate(&still_good, CU_STREAM_NON_BLOCKING));
        ck_cuda(native.cuStreamDestroy_v2(still_good));
        ck_cuda(native.cuCtxSetCurrent(NULL));
    }
    trm_context_destroy(context);
    ck_cuda(native.cuCtxDestroy_v2(own));
    check_nothing_left("adopting a context");
}
END_TEST

START_TEST(a_description_that_cannot_be_right_is_refused)
{
    struct trm_device *device    = NULL;
    struct trm_cuda_device given = {.struct_size = sizeof(given)};
    ck_fails(trm_device_adopt(the.context, "cuda", TRM_NATIVE_DEVICE_CUDA, &given, &device),
             TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("NULL");
    given.struct_size = 8;
    ck_fails(trm_device_adopt(the.context, "cuda", TRM_NATIVE_DEVICE_CUDA, &given, &device),
             TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("struct_size");
    ck_fails(trm_device_adopt(the.context, "cuda", TRM_NATIVE_DEVICE_VULKAN, &given, &device),
             TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(adopting_a_context_may_fail_at_any_call_and_leaves_the_context_alone)
{
    char rule[64];
    if (standin_missing())
        return;
    native_open();
    CUcontext own                = native_context(0);
    struct trm_context *context  = context_open();
    struct trm_cuda_device given = {.struct_size = sizeof(given), .context = own};
    uint32_t count               = 0;
    ck_ok(trm_device_count(context, &count));
    for (unsigned n = 1;; n++) {
        struct trm_device *device = NULL;
        CUcontext current         = own;
        ck_assert_uint_lt(n, 200);
        snprintf(rule, sizeof(rule), "any:%u:once:CUDA_ERROR_OUT_OF_MEMORY", n);
        ck_assert_int_eq(standin->arm(rule), 0);
        int32_t status  = trm_device_adopt(context, "cuda", TRM_NATIVE_DEVICE_CUDA, &given, &device);
        bool has_failed = standin->failures() > 0;
        standin->arm(NULL);
        ck_assert_msg(status == TRM_OK || trm_last_error().status == status, "%s was not explained", rule);
        if (status == TRM_OK)
            trm_device_destroy(device);
        ck_cuda(native.cuCtxGetCurrent(&current));
        ck_assert_ptr_null(current);
        if (!has_failed)
            break;
    }
    trm_context_destroy(context);
    ck_cuda(native.cuCtxDestroy_v2(own));
    check_nothing_left("contexts that could not be adopted");
}
END_TEST

/* ---- streams ---- */

START_TEST(what_the_program_enqueues_on_an_adopted_stream_comes_in_order_with_the_librarys)
{
    CUstream own              = native_stream();
    struct trm_stream *stream = native_adopt_stream(own);
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    struct trm_buffer *copy   = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    uint64_t handle           = 0;
    ck_ok(trm_stream_native(stream, TRM_NATIVE_CUDA_STREAM, &handle));
    ck_assert_uint_eq(handle, NATIVE_NUMBER(own));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        ck_cuda(native.cuMemsetD32Async(native_address(buffer), i, NATIVE_WORDS, own));
        ck_ok(trm_copy(stream, trm_span_whole(copy), trm_span_whole(buffer)));
        ck_cuda(native.cuMemsetD32Async(native_address(buffer), 1000 + i, NATIVE_WORDS, own));
        ck_ok(trm_download(stream, native_numbers, trm_span_whole(copy)));
        ck_ok(trm_stream_sync(stream));
        native_check(i, 0);
    }
    trm_stream_destroy(stream);
    ck_cuda(native.cuMemsetD32Async(native_address(buffer), 5, NATIVE_WORDS, own)); /* it lives */
    ck_cuda(native.cuStreamSynchronize(own));
    ck_cuda(native.cuStreamDestroy_v2(own));
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(copy);
}
END_TEST

START_TEST(an_adopted_stream_waits_for_others_and_others_for_it)
{
    CUstream own              = native_stream();
    struct trm_stream *stream = native_adopt_stream(own);
    struct trm_buffer *first  = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    struct trm_buffer *second = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    struct trm_point point;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(first), i, 4));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(stream, point));
        ck_cuda(
            native.cuMemcpyDtoDAsync_v2(native_address(second), native_address(first), NATIVE_BYTES, own));
        ck_ok(trm_fill(stream, trm_span_of(second, 0, 4), i, 4)); /* a place behind the program's copy */
        ck_ok(trm_stream_mark(stream, &point));
        ck_ok(trm_stream_wait(the.stream, point));
        ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(second)));
        ck_ok(trm_stream_sync(the.stream));
        native_check(i, 0);
    }
    trm_stream_destroy(stream);
    trm_buffer_destroy(first);
    trm_buffer_destroy(second);
    ck_cuda(native.cuStreamDestroy_v2(own));
}
END_TEST

START_TEST(the_legacy_stream_can_be_adopted)
{
    struct trm_stream *stream = NULL;
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    ck_ok(trm_stream_adopt(the.device, TRM_NATIVE_CUDA_STREAM, 0, &stream));
    ck_cuda(native.cuMemsetD32Async(native_address(buffer), 77, NATIVE_WORDS, CU_STREAM_LEGACY));
    ck_cuda(native.cuCtxSetCurrent(NULL)); /* the library sees to the context by itself */
    ck_ok(trm_fill(stream, trm_span_of(buffer, 0, NATIVE_BYTES / 2), 78, 4));
    ck_ok(trm_download(stream, native_numbers, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(stream));
    native_check_part(0, NATIVE_WORDS / 2, 78, 0);
    native_check_part(NATIVE_WORDS / 2, NATIVE_WORDS, 77, 0);
    trm_stream_destroy(stream);
    trm_buffer_destroy(buffer);
}
END_TEST

static void note_call(void *user, int32_t status)
{
    *(int32_t *)user = status == TRM_OK;
}

/* Operations of all kinds, with no context of the library's current. */
static void use_stream(struct trm_stream *stream)
{
    struct trm_buffer *buffer   = buffer_open(the.device, TRM_MEMORY_DEVICE, NATIVE_BYTES);
    struct trm_kernel *kernel   = affine_on(the.device);
    struct trm_stream *recorder = NULL;
    struct trm_graph *graph     = NULL;
    struct trm_graph_exec *exec = NULL;
    struct trm_event *begin = NULL, *end = NULL;
    struct trm_buffer *ordered = NULL;
    struct trm_point point;
    int32_t called  = 0;
    int64_t elapsed = -1;
    ck_ok(trm_event_create(the.device, TRM_EVENT_TIMING, &begin));
    ck_ok(trm_event_create(the.device, TRM_EVENT_TIMING, &end));
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recorder));
    ck_ok(affine_launch(recorder, kernel, buffer, NATIVE_WORDS, 3, 0));
    ck_ok(trm_graph_instantiate(graph, &exec));
    native_count(1);
    ck_ok(trm_event_record(begin, stream));
    ck_ok(trm_upload(stream, trm_span_whole(buffer), native_numbers));
    ck_ok(affine_launch(stream, kernel, buffer, NATIVE_WORDS, 2, 1)); /* 2i + 3 */
    ck_ok(trm_stream_callback(stream, note_call, &called));
    ck_ok(trm_graph_launch(exec, stream)); /* 6i + 9 */
    ck_ok(trm_event_record(end, stream));
    ck_ok(trm_stream_alloc(stream, NATIVE_BYTES, &ordered));
    ck_ok(trm_copy(stream, trm_span_whole(ordered), trm_span_whole(buffer)));
    ck_ok(trm_stream_mark(stream, &point));
    ck_ok(trm_stream_wait(the.stream, point));
    ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(ordered)));
    ck_ok(trm_stream_sync(the.stream));
    native_check(9, 6);
    ck_assert_int_eq(called, 1);
    ck_ok(trm_stream_free(stream, ordered));
    ck_ok(trm_stream_sync(stream));
    ck_ok(trm_event_elapsed(begin, end, &elapsed));
    ck_assert_int_ge(elapsed, 0);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_event_destroy(begin);
    trm_event_destroy(end);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
}

START_TEST(operations_of_all_kinds_work_on_adopted_streams_whatever_is_current)
{
    CUstream own                 = native_stream();
    struct trm_stream *streams[] = {native_adopt_stream(own), native_adopt_stream(CU_STREAM_LEGACY)};
    CUcontext ours = NULL, current = NULL, other = native_context(0);
    ck_cuda(native.cuCtxGetCurrent(&ours));
    for (int i = 0; i < 2; i++) {
        ck_cuda(native.cuCtxSetCurrent(NULL));
        use_stream(streams[i]);
        ck_cuda(native.cuCtxSetCurrent(other));
        use_stream(streams[i]);
        ck_cuda(native.cuCtxGetCurrent(&current));
        ck_assert_ptr_eq(current, other);
        trm_stream_destroy(streams[i]);
    }
    ck_cuda(native.cuCtxSetCurrent(ours));
    ck_cuda(native.cuStreamDestroy_v2(own));
    if (other)
        ck_cuda(native.cuCtxDestroy_v2(other));
}
END_TEST

START_TEST(streams_of_other_contexts_and_of_threads_are_refused)
{
    struct trm_stream *stream = NULL;
    CUcontext before = NULL, other = native_context(0);
    ck_fails(
        trm_stream_adopt(the.device, TRM_NATIVE_CUDA_STREAM, NATIVE_NUMBER(CU_STREAM_PER_THREAD), &stream),
        TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("thread");
    ck_fails(trm_stream_adopt(the.device, TRM_NATIVE_VULKAN_QUEUE, 1234, &stream), TRM_ERROR_UNSUPPORTED);
    if (!other)
        return;
    ck_cuda(native.cuCtxGetCurrent(&before));
    ck_cuda(native.cuCtxSetCurrent(other));
    CUstream foreign = native_stream();
    ck_cuda(native.cuCtxSetCurrent(before));
    ck_fails(trm_stream_adopt(the.device, TRM_NATIVE_CUDA_STREAM, NATIVE_NUMBER(foreign), &stream),
             TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("context");
    ck_assert_ptr_null(stream);
    ck_cuda(native.cuStreamDestroy_v2(foreign));
    ck_cuda(native.cuCtxDestroy_v2(other));
}
END_TEST

/* ---- memory ---- */

START_TEST(memory_of_the_programs_own_is_a_buffer_and_stays_its_own)
{
    CUdeviceptr memory       = native_memory();
    struct trm_buffer *whole = native_adopt_memory(memory), *half = NULL;
    struct trm_kernel *kernel = affine_on(the.device);
    uint64_t address = 0, offset = 0, size = 0;
    ck_ok(trm_buffer_adopt(the.device, TRM_NATIVE_CUDA_POINTER, memory, NATIVE_BYTES / 2, NATIVE_BYTES / 2,
                           &half));
    ck_ok(trm_buffer_native(half, TRM_NATIVE_CUDA_POINTER, &address, &offset));
    ck_assert_uint_eq(address + offset, memory + NATIVE_BYTES / 2);
    ck_ok(trm_buffer_size(half, &size));
    ck_assert_uint_eq(size, NATIVE_BYTES / 2);
    native_count(0);
    ck_ok(trm_upload(the.stream, trm_span_whole(whole), native_numbers));
    ck_ok(affine_launch(the.stream, kernel, half, NATIVE_WORDS / 2, 1, 1000));
    trm_buffer_destroy(whole);
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(half);
    ck_ok(trm_pool_trim(the.device, 0));
    ck_cuda(native.cuMemcpyDtoH_v2(native_numbers, memory, NATIVE_BYTES));
    native_check_part(0, NATIVE_WORDS / 2, 0, 1);
    native_check_part(NATIVE_WORDS / 2, NATIVE_WORDS, 1000, 1);
    ck_cuda(native.cuMemFree_v2(memory));
    trm_kernel_destroy(kernel);
}
END_TEST

START_TEST(managed_memory_can_be_adopted_too)
{
    struct trm_buffer *buffer = NULL;
    CUdeviceptr memory        = 0;
    if (native.cuMemAllocManaged(&memory, NATIVE_BYTES, CU_MEM_ATTACH_GLOBAL) != CUDA_SUCCESS) {
        skip("there is no managed memory");
        return;
    }
    ck_ok(trm_buffer_adopt(the.device, TRM_NATIVE_CUDA_POINTER, memory, 0, NATIVE_BYTES, &buffer));
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 12, 4));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(((uint32_t *)(uintptr_t)memory)[NATIVE_WORDS - 1], 12);
    trm_buffer_destroy(buffer);
    ck_cuda(native.cuMemFree_v2(memory));
}
END_TEST

START_TEST(addresses_that_are_no_memory_of_the_device_are_refused)
{
    const int32_t type        = TRM_NATIVE_CUDA_POINTER;
    struct trm_buffer *buffer = NULL;
    CUdeviceptr memory        = native_memory();
    void *pinned              = NULL;
    ck_cuda(native.cuMemHostAlloc(&pinned, NATIVE_BYTES, 0));
    ck_fails(trm_buffer_adopt(the.device, type, NATIVE_NUMBER(pinned), 0, NATIVE_BYTES, &buffer),
             TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("host");
    ck_fails(
        trm_buffer_adopt(the.device, type, NATIVE_NUMBER(native_numbers) & ~UINT64_C(15), 0, 64, &buffer),
        TRM_ERROR_INVALID_ARGUMENT);
    ck_fails(trm_buffer_adopt(the.device, type, 0, 0, NATIVE_BYTES, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_fails(trm_buffer_adopt(the.device, type, memory + 4, 0, 64, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("multiple");
    ck_fails(trm_buffer_adopt(the.device, type, memory, 16, UINT64_C(1) << 31, &buffer),
             TRM_ERROR_OUT_OF_RANGE);
    ck_fails(trm_buffer_adopt(the.device, type, UINT64_MAX - 15, 0, 64, &buffer), TRM_ERROR_OUT_OF_RANGE);
    ck_fails(trm_buffer_adopt(the.device, TRM_NATIVE_VULKAN_BUFFER, memory, 0, 64, &buffer),
             TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(buffer);
    ck_cuda(native.cuMemFreeHost(pinned));
    ck_cuda(native.cuMemFree_v2(memory));
}
END_TEST

START_TEST(memory_of_another_device_is_refused)
{
    if (standin_missing())
        return;
    standin_shape("devices=2");
    native_open();
    struct trm_context *context = context_open();
    struct trm_device *first = device_open(context, "cuda:0"), *second = device_open(context, "cuda:1");
    struct trm_buffer *theirs = buffer_open(second, TRM_MEMORY_DEVICE, NATIVE_BYTES), *buffer = NULL;
    ck_fails(
        trm_buffer_adopt(first, TRM_NATIVE_CUDA_POINTER, native_address(theirs), 0, NATIVE_BYTES, &buffer),
        TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("another device");
    ck_ok(
        trm_buffer_adopt(second, TRM_NATIVE_CUDA_POINTER, native_address(theirs), 0, NATIVE_BYTES, &buffer));
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(theirs);
    trm_device_destroy(first);
    trm_device_destroy(second);
    trm_context_destroy(context);
    check_nothing_left("memory of two devices");
}
END_TEST

/* ---- failures ---- */

static int32_t use_own(CUstream own, CUdeviceptr memory, CUevent event)
{
    struct trm_stream *stream = NULL;
    struct trm_buffer *buffer = NULL;
    int32_t status = trm_stream_adopt(the.device, TRM_NATIVE_CUDA_STREAM, NATIVE_NUMBER(own), &stream);
    if (status == TRM_OK)
        status = trm_buffer_adopt(the.device, TRM_NATIVE_CUDA_POINTER, memory, 0, NATIVE_BYTES, &buffer);
    if (status == TRM_OK)
        status = trm_fill(stream, trm_span_whole(buffer), 31, 4);
    if (status == TRM_OK)
        status = trm_stream_record_native(stream, TRM_NATIVE_CUDA_EVENT, NATIVE_NUMBER(event));
    if (status == TRM_OK)
        status = trm_stream_wait_native(the.stream, TRM_NATIVE_CUDA_EVENT, NATIVE_NUMBER(event));
    if (status == TRM_OK)
        status = trm_download(the.stream, native_numbers, trm_span_whole(buffer));
    if (status == TRM_OK)
        status = trm_stream_hand_over(the.stream);
    if (status == TRM_OK)
        status = trm_stream_sync(the.stream);
    trm_stream_destroy(stream);
    trm_buffer_destroy(buffer);
    return status;
}

START_TEST(any_call_about_what_is_the_programs_own_may_fail_and_it_stays_the_programs)
{
    static const char *const errors[] = {"CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_INVALID_HANDLE"};
    char rule[64];
    if (standin_missing())
        return;
    CUstream own       = native_stream();
    CUevent event      = native_event();
    CUdeviceptr memory = native_memory();
    for (unsigned n = 1;; n++) {
        ck_assert_uint_lt(n, 300);
        memset(native_numbers, 0, sizeof(native_numbers));
        snprintf(rule, sizeof(rule), "any:%u:once:%s", n, errors[_i]);
        ck_assert_int_eq(standin->arm(rule), 0);
        int32_t status  = use_own(own, memory, event);
        bool has_failed = standin->failures() > 0;
        standin->arm(NULL);
        ck_assert_msg(status == TRM_OK || (trm_last_error().status == status && trm_last_error().sentence[0]),
                      "%s was not explained", rule);
        if (status == TRM_OK)
            native_check(31, 0);
        if (trm_stream_query(the.stream) == TRM_OK && !has_failed)
            break;
        trm_stream_destroy(the.stream); /* what failed on it stays on it */
        the.stream = stream_open(the.device, TRM_STREAM_ANY);
    }
    ck_cuda(native.cuStreamSynchronize(own));
    ck_cuda(native.cuStreamDestroy_v2(own));
    ck_cuda(native.cuEventDestroy_v2(event));
    ck_cuda(native.cuMemFree_v2(memory));
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("cuda: what is the program's own");
    TCase *contexts = tcase_create("contexts"), *rest = tcase_create("streams and memory");
    tcase_add_test(contexts, a_context_of_the_programs_own_works_like_one_of_the_librarys);
    tcase_add_test(contexts, adopting_a_context_may_fail_at_any_call_and_leaves_the_context_alone);
    tcase_add_test(contexts, memory_of_another_device_is_refused);
    suite_add_tcase(suite, contexts);
    tcase_add_checked_fixture(rest, native_world_open, native_world_close);
    tcase_add_test(rest, the_handles_are_those_that_the_driver_knows);
    tcase_add_test(rest, a_description_that_cannot_be_right_is_refused);
    tcase_add_test(rest, what_the_program_enqueues_on_an_adopted_stream_comes_in_order_with_the_librarys);
    tcase_add_test(rest, an_adopted_stream_waits_for_others_and_others_for_it);
    tcase_add_test(rest, the_legacy_stream_can_be_adopted);
    tcase_add_test(rest, operations_of_all_kinds_work_on_adopted_streams_whatever_is_current);
    tcase_add_test(rest, streams_of_other_contexts_and_of_threads_are_refused);
    tcase_add_test(rest, memory_of_the_programs_own_is_a_buffer_and_stays_its_own);
    tcase_add_test(rest, managed_memory_can_be_adopted_too);
    tcase_add_test(rest, addresses_that_are_no_memory_of_the_device_are_refused);
    tcase_add_loop_test(rest, any_call_about_what_is_the_programs_own_may_fail_and_it_stays_the_programs, 0,
                        2);
    suite_add_tcase(suite, rest);
    return run_suite(suite);
}
