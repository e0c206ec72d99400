/* Several devices: which device can access which memory, and until when.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/check/fixture.h"

#define BYTES (COUNT * sizeof(uint32_t))

static const struct cuda_standin_control *const control = &cuda_standin_control;

START_TEST(devices_reach_each_other_where_they_were_told_to)
{
    int reaches;
    CUcontext other;
    CUdeviceptr far;

    CUcontext context = begin("devices=2");
    must(cuDeviceCanAccessPeer(&reaches, 0, 1));
    ck_assert_int_eq(reaches, 1);
    must(cuDevicePrimaryCtxRetain(&other, 1));
    must(cuCtxEnablePeerAccess(other, 0));
    ck_assert_int_eq(cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    CUstream stream  = make_stream();
    CUdeviceptr near = make_words();
    must(cuCtxPushCurrent(other));
    must(cuMemAlloc(&far, BYTES));
    must(cuCtxPopCurrent(NULL));
    must(cuMemsetD32Async(near, 8, COUNT, stream));
    must(cuMemcpyPeerAsync(far, other, near, context, BYTES, stream));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(far), 8);
    ck_assert_uint_eq(control->memory(1), BYTES);
    must(cuMemFree(near));
    must(cuStreamDestroy(stream));
    must(cuDevicePrimaryCtxRelease(1));
    ck_assert_uint_eq(control->memory(1), 0);
    end();
}
END_TEST

START_TEST(devices_that_do_not_reach_each_other_say_so)
{
    int reaches;
    CUcontext other;

    begin("devices=2 peers=no");
    must(cuDeviceCanAccessPeer(&reaches, 0, 1));
    ck_assert_int_eq(reaches, 0);
    must(cuDevicePrimaryCtxRetain(&other, 1));
    ck_assert_int_eq(cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    must(cuDevicePrimaryCtxRelease(1));
    end();
}
END_TEST

START_TEST(access_ends_with_the_context_that_was_reached)
{
    CUcontext other;

    begin("devices=2");
    must(cuDevicePrimaryCtxRetain(&other, 1));
    must(cuCtxEnablePeerAccess(other, 0));
    must(cuDevicePrimaryCtxRelease(1));
    must(cuDevicePrimaryCtxRetain(&other, 1));
    must(cuCtxEnablePeerAccess(other, 0));
    must(cuDevicePrimaryCtxRelease(1));
    end();
}
END_TEST

START_TEST(memory_of_a_pool_needs_access_of_its_own)
{
    const CUmemPoolProps wanted = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                   .location  = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1}};
    CUmemAccessDesc access      = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                                   .flags    = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUcontext other;
    CUmemoryPool pool;
    CUdeviceptr far;

    CUcontext context = begin("devices=2");
    CUstream stream   = make_stream();
    CUdeviceptr near  = make_words();
    must(cuDevicePrimaryCtxRetain(&other, 1));
    must(cuCtxEnablePeerAccess(other, 0));
    must(cuMemPoolCreate(&pool, &wanted));
    must(cuCtxPushCurrent(other));
    CUstream there = make_stream();
    must(cuMemAllocFromPoolAsync(&far, BYTES, pool, there));
    must(cuStreamSynchronize(there));
    must(cuCtxPopCurrent(NULL));
    ck_assert_int_eq(cuMemcpyPeerAsync(near, context, far, other, BYTES, stream), CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(control->breaches(NULL, 0), 1);
    control->forget_breaches();
    must(cuMemPoolSetAccess(pool, &access, 1));
    must(cuMemcpyPeerAsync(near, context, far, other, BYTES, stream));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    must(cuMemPoolSetAccess(pool, &access, 1));
    ck_assert_int_eq(cuMemsetD8Async(far, 0, 1, stream), CUDA_ERROR_INVALID_VALUE);
    control->forget_breaches();
    must(cuStreamSynchronize(stream));
    must(cuMemFreeAsync(far, there));
    must(cuStreamSynchronize(there));
    must(cuStreamDestroy(there));
    must(cuMemPoolDestroy(pool));
    must(cuMemFree(near));
    must(cuStreamDestroy(stream));
    must(cuDevicePrimaryCtxRelease(1));
    end();
}
END_TEST

START_TEST(a_copy_tells_of_the_error_that_sticks_to_either_context)
{
    CUcontext other;
    CUdeviceptr far;

    CUcontext context = begin("devices=2");
    CUstream stream   = make_stream();
    CUdeviceptr near  = make_words();
    must(cuDevicePrimaryCtxRetain(&other, 1));
    must(cuCtxPushCurrent(other));
    must(cuMemAlloc(&far, BYTES));
    CUstream there = make_stream();
    must(cuMemcpyPeerAsync(near, context, far, other, BYTES, stream));
    ck_assert_int_eq(control->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    must(cuMemsetD8Async(far, 0, BYTES, there));
    control->settle();
    must(cuCtxPopCurrent(NULL));
    ck_assert_int_eq(cuMemcpyPeerAsync(near, context, far, other, BYTES, stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    must(cuStreamSynchronize(stream)); /* the own one is well */
    must(cuMemFree(near));
    must(cuStreamDestroy(stream));
    must(cuDevicePrimaryCtxRelease(1));
    end();
}
END_TEST

START_TEST(between_events_of_two_devices_no_time_passes)
{
    float milliseconds;
    CUcontext other;
    CUevent here[2], far;

    begin("devices=2");
    CUstream stream = make_stream();
    for (int i = 0; i < 2; i++) {
        must(cuEventCreate(&here[i], CU_EVENT_DEFAULT));
        must(cuEventRecord(here[i], stream));
    }
    must(cuDevicePrimaryCtxRetain(&other, 1));
    must(cuCtxPushCurrent(other));
    CUstream there = make_stream();
    must(cuEventCreate(&far, CU_EVENT_DEFAULT));
    must(cuEventRecord(far, there));
    must(cuStreamSynchronize(there));
    must(cuCtxPopCurrent(NULL));
    must(cuStreamSynchronize(stream));
    must(cuEventElapsedTime(&milliseconds, here[0], here[1]));
    ck_assert_int_eq(cuEventElapsedTime(&milliseconds, here[0], far), CUDA_ERROR_INVALID_HANDLE);
    must(cuEventDestroy(here[0]));
    must(cuEventDestroy(here[1]));
    must(cuStreamDestroy(stream));
    must(cuDevicePrimaryCtxRelease(1));
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("devices");

    tcase_add_test(tests, devices_reach_each_other_where_they_were_told_to);
    tcase_add_test(tests, devices_that_do_not_reach_each_other_say_so);
    tcase_add_test(tests, access_ends_with_the_context_that_was_reached);
    tcase_add_test(tests, memory_of_a_pool_needs_access_of_its_own);
    tcase_add_test(tests, a_copy_tells_of_the_error_that_sticks_to_either_context);
    tcase_add_test(tests, between_events_of_two_devices_no_time_passes);
    return run_tests(tests, "devices");
}
