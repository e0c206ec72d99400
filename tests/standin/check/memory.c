/* Memory: initial contents, access, accounting.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/standin/check/fixture.h"

#define BYTES (COUNT * sizeof(uint32_t))
#define MIB ((size_t)1 << 20)

static const struct cuda_standin_control *const control = &cuda_standin_control;

START_TEST(memory_is_full_of_rubbish_when_it_is_allocated)
{
    begin("");
    CUdeviceptr words = make_words();
    ck_assert_uint_eq(read_word(words), 0xfdfdfdfd);
    must(cuMemFree(words));
    end();
}
END_TEST

START_TEST(a_copy_that_leaves_its_allocation_is_refused)
{
    uint32_t host[COUNT] = {0};

    begin("");
    CUstream stream   = make_stream();
    CUdeviceptr words = make_words();
    must(cuMemcpyHtoDAsync(words + 8, host, BYTES - 8, stream));
    ck_assert_int_eq(cuMemcpyHtoDAsync(words + 8, host, BYTES, stream), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuMemsetD8Async(words + BYTES, 0, 1, stream), CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(control->breaches(NULL, 0), 2);
    control->forget_breaches();
    must(cuMemFree(words));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(memory_that_was_freed_is_not_there)
{
    begin("");
    CUstream stream   = make_stream();
    CUdeviceptr words = make_words();
    must(cuMemFree(words));
    ck_assert_int_eq(cuMemsetD32Async(words, 0, 1, stream), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuMemFree(words), CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(control->breaches(NULL, 0), 2);
    control->forget_breaches();
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(a_device_has_as_much_memory_as_it_was_given)
{
    CUdeviceptr first, second;
    size_t free, total;

    begin("memory=8M");
    must(cuMemAlloc(&first, 5 * MIB));
    must(cuMemGetInfo(&free, &total));
    ck_assert_uint_eq(free, 3 * MIB);
    ck_assert_uint_eq(total, 8 * MIB);
    ck_assert_int_eq(cuMemAlloc(&second, 4 * MIB), CUDA_ERROR_OUT_OF_MEMORY);
    must(cuMemAlloc(&second, 3 * MIB));
    ck_assert_uint_eq(control->memory(0), 8 * MIB);
    must(cuMemFree(first));
    must(cuMemFree(second));
    end();
}
END_TEST

START_TEST(pointers_tell_what_they_are)
{
    unsigned int type, is_managed;
    CUdeviceptr managed, base;
    int ordinal;
    size_t size;
    static char own[8192];

    begin("");
    CUdeviceptr words = make_words();
    uint32_t *pinned  = make_pinned(0);
    must(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    must(cuMemHostRegister(own, sizeof(own), 0));
    must(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, words));
    ck_assert_uint_eq(type, CU_MEMORYTYPE_DEVICE);
    must(
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)(pinned + 5)));
    ck_assert_uint_eq(type, CU_MEMORYTYPE_HOST);
    must(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)own));
    ck_assert_uint_eq(type, CU_MEMORYTYPE_HOST);
    must(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    ck_assert_uint_eq(is_managed, 1);
    must(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, words));
    ck_assert_uint_eq(is_managed, 0);
    must(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, words));
    ck_assert_int_eq(ordinal, 0);
    must(cuMemGetAddressRange(&base, &size, words + 100));
    ck_assert_uint_eq(base, words);
    ck_assert_uint_eq(size, BYTES);
    ck_assert_int_eq(
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&type),
        CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuMemHostRegister(own + 100, 10, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    ck_assert_int_eq(cuMemHostRegister(pinned, 10, 0), CUDA_ERROR_INVALID_VALUE);
    must(cuMemHostUnregister(own));
    ck_assert_int_eq(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    must(cuMemFree(managed));
    must(cuMemFreeHost(pinned));
    must(cuMemFree(words));
    end();
}
END_TEST

START_TEST(pages_that_may_only_be_read_are_registered_for_reading_only)
{
    begin("");
    void *pages = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(cuMemHostRegister(pages, 8192, 0), CUDA_ERROR_INVALID_VALUE);
    must(cuMemHostRegister(pages, 8192, CU_MEMHOSTREGISTER_READ_ONLY));
    must(cuMemHostUnregister(pages));
    /* Not unmapped: the driver's next allocation might lie there. */
    ck_assert_int_eq(mprotect(pages, 8192, PROT_NONE), 0);
    ck_assert_int_eq(cuMemHostRegister(pages, 8192, CU_MEMHOSTREGISTER_READ_ONLY), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(munmap(pages, 8192), 0);
    end();
}
END_TEST

START_TEST(rectangles_are_copied_with_their_pitches)
{
    uint8_t from[64], to[64] = {0};
    CUdeviceptr address;

    begin("");
    CUstream stream = make_stream();
    for (int i = 0; i < 64; i++)
        from[i] = (uint8_t)i;
    must(cuMemAlloc(&address, 64));
    must(cuMemcpyHtoDAsync(address, from, 64, stream));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice     = address,
                                .srcXInBytes   = 2,
                                .srcY          = 1,
                                .srcPitch      = 16,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost       = to,
                                .dstPitch      = 8,
                                .WidthInBytes  = 3,
                                .Height        = 3};
    must(cuMemcpy2DAsync(&copy, stream));
    must(cuStreamSynchronize(stream));
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 8; i++)
            ck_assert_uint_eq(to[8 * row + i], i < 3 ? 16 * (row + 1) + 2 + i : 0);
    must(cuMemFree(address));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(pitches_beyond_what_a_device_takes_are_refused)
{
    begin("");
    CUstream stream    = make_stream();
    CUdeviceptr words  = make_words();
    uint32_t *host     = make_pinned(3);
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost       = host,
                          .srcPitch      = (size_t)1 << 31,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice     = words,
                          .dstPitch      = 8,
                          .WidthInBytes  = 8,
                          .Height        = 2};
    ck_assert_int_eq(cuMemcpy2DAsync(&copy, stream), CUDA_ERROR_INVALID_VALUE);
    copy.srcPitch = 8;
    must(cuMemcpy2DAsync(&copy, stream));
    ck_assert_int_eq(cuMemsetD2D32Async(words, 6, 1, 1, 2, stream), CUDA_ERROR_INVALID_VALUE);
    must(cuMemsetD2D32Async(words, 8, 1, 1, 2, stream));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(words + 4), 3);
    ck_assert_uint_eq(read_word(words + 8), 1);
    must(cuMemFreeHost(host));
    must(cuMemFree(words));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

/* ---- pools */

static CUmemoryPool make_pool(void)
{
    const CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                  .location  = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemoryPool pool;

    must(cuMemPoolCreate(&pool, &props));
    return pool;
}

static uint64_t reserved(CUmemoryPool pool)
{
    cuuint64_t bytes;

    must(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
    return bytes;
}

START_TEST(the_same_stream_has_the_memory_of_a_pool_again_at_once_and_another_when_it_is_free)
{
    CUdeviceptr first, second, third;

    begin("");
    CUstream stream = make_stream(), other = make_stream();
    CUmemoryPool pool    = make_pool();
    cuuint64_t threshold = UINT64_MAX;
    must(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    control->hold();
    must(cuMemAllocFromPoolAsync(&first, MIB, pool, stream));
    must(cuMemFreeAsync(first, stream));
    must(cuMemAllocFromPoolAsync(&second, MIB, pool, stream));
    ck_assert_uint_eq(first, second);
    must(cuMemFreeAsync(second, stream));
    must(cuMemAllocFromPoolAsync(&third, MIB, pool, other));
    ck_assert_uint_ne(first, third);
    control->release();
    must(cuCtxSynchronize());
    must(cuMemFreeAsync(third, other));
    must(cuMemAllocFromPoolAsync(&third, MIB, pool, other));
    must(cuMemAllocFromPoolAsync(&second, MIB, pool, other));
    ck_assert_uint_eq(second, first);
    ck_assert_uint_eq(reserved(pool), 2 * MIB);
    must(cuMemFreeAsync(second, other));
    must(cuMemFreeAsync(third, other));
    must(cuStreamSynchronize(other));
    ck_assert_uint_eq(reserved(pool), 2 * MIB);
    must(cuMemPoolTrimTo(pool, MIB));
    ck_assert_uint_eq(reserved(pool), MIB);
    must(cuMemPoolDestroy(pool));
    must(cuStreamDestroy(stream));
    must(cuStreamDestroy(other));
    end();
}
END_TEST

START_TEST(a_pool_without_a_threshold_is_trimmed_by_a_wait)
{
    CUdeviceptr address;

    begin("");
    CUstream stream   = make_stream();
    CUmemoryPool pool = make_pool();
    must(cuMemAllocFromPoolAsync(&address, MIB, pool, stream));
    must(cuMemFreeAsync(address, stream));
    ck_assert_uint_eq(reserved(pool), MIB);
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(reserved(pool), 0);
    must(cuMemPoolDestroy(pool));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(rubbish_is_written_where_a_stream_allocates_and_where_it_frees)
{
    CUdeviceptr address, again;

    begin("");
    CUstream stream      = make_stream();
    CUmemoryPool pool    = make_pool();
    cuuint64_t threshold = UINT64_MAX;
    uint32_t *pinned     = make_pinned(0);
    must(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    must(cuMemAllocFromPoolAsync(&address, BYTES, pool, stream));
    must(cuMemsetD32Async(address, 1, COUNT, stream));
    must(cuMemFreeAsync(address, stream));
    must(cuMemAllocFromPoolAsync(&again, BYTES, pool, stream));
    ck_assert_uint_eq(again, address);
    must(cuMemcpyDtoHAsync(pinned, again, BYTES, stream));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(pinned[0], 0xfdfdfdfd);
    must(cuMemFreeAsync(again, stream));
    must(cuMemPoolDestroy(pool));
    must(cuMemFreeHost(pinned));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

/* ---- memory by descriptor */

START_TEST(memory_that_was_exported_and_imported_is_the_same)
{
    const CUmemAllocationProp prop = {.type                 = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      .location             = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    const CUmemAccessDesc access   = {.location = prop.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handles[2];
    CUdeviceptr addresses[2];
    size_t size;
    int descriptor = -1;

    begin("");
    CUstream stream = make_stream();
    must(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ck_assert_int_eq(cuMemCreate(&handles[0], size - 1, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    must(cuMemCreate(&handles[0], size, &prop, 0));
    must(cuMemExportToShareableHandle(&descriptor, handles[0], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    must(cuMemImportFromShareableHandle(&handles[1],
                                        (void *)(intptr_t)descriptor, // NOLINT(performance-no-int-to-ptr)
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(descriptor);
    for (int i = 0; i < 2; i++) {
        must(cuMemAddressReserve(&addresses[i], size, 0, 0, 0));
        must(cuMemMap(addresses[i], size, 0, handles[i], 0));
        ck_assert_int_eq(cuMemsetD32Async(addresses[i], 0, 1, stream), CUDA_ERROR_INVALID_VALUE);
        must(cuMemSetAccess(addresses[i], size, &access, 1));
        must(cuMemRelease(handles[i]));
    }
    must(cuMemsetD32Async(addresses[0], 11, COUNT, stream));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(addresses[1]), 11);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(cuMemAddressFree(addresses[i], size), CUDA_ERROR_INVALID_VALUE);
        must(cuMemUnmap(addresses[i], size));
        must(cuMemAddressFree(addresses[i], size));
    }
    control->forget_breaches();
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(a_stream_waits_for_the_value_of_a_semaphore_that_another_signals)
{
    CUexternalSemaphore semaphore;

    begin("delay=0");
    CUstream stream = make_stream();
    int descriptor  = control->semaphore(1);
    ck_assert_int_ge(descriptor, 0);
    int own                                        = dup(descriptor);
    const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, .handle.fd = descriptor};
    must(cuImportExternalSemaphore(&semaphore, &desc));
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait     = {.params.fence.value = 5};
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.params.fence.value = 6};
    must(cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream));
    must(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream));
    control->settle();
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    ck_assert_int_eq(control->signal_semaphore(own, 4), 0);
    control->settle();
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    ck_assert_int_eq(control->signal_semaphore(own, 5), 0);
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(control->semaphore_value(own), 6);
    must(cuDestroyExternalSemaphore(semaphore));
    close(own);
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

/* ---- of another process */

/* Writes a handle of words that are 7, and ends when the other end is closed. */
static void give_words(int socket)
{
    CUipcMemHandle handle, inside;
    char none;

    begin("");
    CUdeviceptr words = make_words();
    must(cuMemsetD32Async(words, 7, COUNT, NULL)); /* which is waited for */
    must(cuIpcGetMemHandle(&handle, words));
    must(cuIpcGetMemHandle(&inside, words + 8));
    ck_assert_mem_eq(&handle, &inside, sizeof(handle));
    ck_assert_int_eq((int)write(socket, &handle, sizeof(handle)), (int)sizeof(handle));
    ck_assert_int_eq((int)read(socket, &none, 1), 0);
    ck_assert_uint_eq(read_word(words), 8);
    must(cuMemFree(words));
    end();
}

START_TEST(memory_of_another_process_is_opened_by_its_handle_and_closed_as_often)
{
    CUipcMemHandle handle, other;
    CUdeviceptr first = 0, second = 0, base = 0;
    size_t size = 0;
    int ends[2], ended = -1;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        give_words(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    ck_assert_int_eq((int)read(ends[0], &handle, sizeof(handle)), (int)sizeof(handle));
    begin("");
    must(cuIpcOpenMemHandle(&first, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    must(cuIpcOpenMemHandle(&second, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ck_assert_uint_eq(first, second);
    must(cuMemGetAddressRange(&base, &size, first + 8));
    ck_assert_uint_eq(base, first);
    ck_assert_uint_eq(size, BYTES);
    ck_assert_uint_eq(read_word(first), 7);
    ck_assert_int_eq(cuIpcGetMemHandle(&other, first), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuMemFree(first), CUDA_ERROR_INVALID_VALUE);
    must(cuIpcCloseMemHandle(first));
    must(cuMemsetD32Async(first, 8, COUNT, NULL));
    must(cuIpcCloseMemHandle(first));
    ck_assert_int_eq(cuIpcCloseMemHandle(first), CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(control->breaches(NULL, 0), 2);
    control->forget_breaches();
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &ended, 0), child);
    ck_assert_int_eq(ended, 0);
    ck_assert_int_eq(cuIpcOpenMemHandle(&first, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                     CUDA_ERROR_MAP_FAILED);
    end();
}
END_TEST

START_TEST(handles_are_of_what_was_allocated_plainly_and_for_others)
{
    CUipcMemHandle handle;
    CUdeviceptr pooled = 0, opened = 0;

    begin("");
    CUdeviceptr words = make_words();
    must(cuMemAllocAsync(&pooled, BYTES, NULL));
    ck_assert_int_eq(cuIpcGetMemHandle(&handle, pooled), CUDA_ERROR_INVALID_VALUE);
    must(cuIpcGetMemHandle(&handle, words));
    ck_assert_int_eq(cuIpcOpenMemHandle(&opened, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                     CUDA_ERROR_INVALID_CONTEXT);
    memset(&handle, 0x5a, sizeof(handle));
    ck_assert_int_eq(cuIpcOpenMemHandle(&opened, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                     CUDA_ERROR_INVALID_VALUE);
    must(cuMemFreeAsync(pooled, NULL));
    must(cuMemFree(words));
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("memory");

    tcase_add_test(tests, memory_is_full_of_rubbish_when_it_is_allocated);
    tcase_add_test(tests, a_copy_that_leaves_its_allocation_is_refused);
    tcase_add_test(tests, memory_that_was_freed_is_not_there);
    tcase_add_test(tests, a_device_has_as_much_memory_as_it_was_given);
    tcase_add_test(tests, pointers_tell_what_they_are);
    tcase_add_test(tests, pages_that_may_only_be_read_are_registered_for_reading_only);
    tcase_add_test(tests, rectangles_are_copied_with_their_pitches);
    tcase_add_test(tests, pitches_beyond_what_a_device_takes_are_refused);
    tcase_add_test(tests, the_same_stream_has_the_memory_of_a_pool_again_at_once_and_another_when_it_is_free);
    tcase_add_test(tests, a_pool_without_a_threshold_is_trimmed_by_a_wait);
    tcase_add_test(tests, rubbish_is_written_where_a_stream_allocates_and_where_it_frees);
    tcase_add_test(tests, memory_that_was_exported_and_imported_is_the_same);
    tcase_add_test(tests, a_stream_waits_for_the_value_of_a_semaphore_that_another_signals);
    tcase_add_test(tests, memory_of_another_process_is_opened_by_its_handle_and_closed_as_often);
    tcase_add_test(tests, handles_are_of_what_was_allocated_plainly_and_for_others);
    return run_tests(tests, "memory");
}
