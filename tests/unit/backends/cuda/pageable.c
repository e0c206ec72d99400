/* Long copies of the cuda backend from and to memory that is not pinned.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>

#include "backends/cuda/memory/pageable.h"
#include "tests/unit/backends/cuda/fixture.h"
#include "tests/unit/runner.h"

#define LEAST ((size_t)CUDA_PAGEABLE_MIN_BYTES)
#define MOST ((size_t)33 << 20)

static CUstream stream;
static CUdeviceptr there;
static unsigned char *from, *to;

static void set_up(void)
{
    CUcontext previous;
    on_open("");
    ck_assert_int_eq(cuda_enter(on.device, &previous), TRM_OK);
    ck_assert_int_eq(on.cuda->cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0), CUDA_SUCCESS);
    ck_assert_int_eq(on.cuda->cuMemAlloc(&there, MOST), CUDA_SUCCESS);
    cuda_leave(on.device, previous);
    from = malloc(MOST);
    to   = calloc(1, MOST);
    ck_assert(from != NULL && to != NULL);
    for (size_t i = 0; i < MOST; i++)
        from[i] = (unsigned char)(i * 7 + (i >> 11));
}

static void tear_down(void)
{
    CUcontext previous;
    ck_assert_int_eq(cuda_enter(on.device, &previous), TRM_OK);
    ck_assert_int_eq(on.cuda->cuStreamSynchronize(stream), CUDA_SUCCESS);
    ck_assert_int_eq(on.cuda->cuMemFree(there), CUDA_SUCCESS);
    ck_assert_int_eq(on.cuda->cuStreamDestroy(stream), CUDA_SUCCESS);
    cuda_leave(on.device, previous);
    free(from);
    free(to);
    on_close();
}

static CUresult up(size_t size)
{
    CUresult result = CUDA_ERROR_UNKNOWN;
    ck_assert(cuda_pageable_upload(on.device, stream, there, from, size, &result));
    return result;
}

static CUresult down(size_t size)
{
    CUresult result = CUDA_ERROR_UNKNOWN;
    ck_assert(cuda_pageable_download(on.device, stream, to, there, size, &result));
    return result;
}

START_TEST(what_goes_up_comes_down)
{
    static const size_t sizes[] = {LEAST, LEAST + 1, LEAST + 12345, (size_t)17 << 20, MOST};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        memset(to, 0, MOST);
        ck_assert_int_eq(up(sizes[i]), CUDA_SUCCESS);
        ck_assert_int_eq(down(sizes[i]), CUDA_SUCCESS);
        ck_assert_msg(memcmp(from, to, sizes[i]) == 0, "of %zu bytes", sizes[i]);
        ck_assert(sizes[i] == MOST || to[sizes[i]] == 0);
    }
}
END_TEST

START_TEST(memory_that_has_gone_up_may_be_written_at_once)
{
    ck_assert_int_eq(up(MOST), CUDA_SUCCESS);
    memset(from, 0xee, MOST);
    ck_assert_int_eq(down(MOST), CUDA_SUCCESS);
    for (size_t i = 0; i < MOST; i += 4093)
        ck_assert_uint_eq(to[i], (unsigned char)(i * 7 + (i >> 11)));
}
END_TEST

START_TEST(a_copy_comes_after_what_the_stream_had_to_do_before)
{
    ck_assert_int_eq(on.cuda->cuMemsetD8Async(there, 0x55, MOST, stream), CUDA_SUCCESS);
    ck_assert_int_eq(up(LEAST), CUDA_SUCCESS);
    ck_assert_int_eq(down(MOST), CUDA_SUCCESS);
    ck_assert_int_eq(memcmp(from, to, LEAST), 0);
    ck_assert_uint_eq(to[LEAST], 0x55);
    ck_assert_uint_eq(to[MOST - 1], 0x55);
}
END_TEST

static void *go_up(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)up(MOST);
}

/* The first copy waits behind held work and has recorded where it is. */
START_TEST(a_second_one_at_the_same_time_is_left_to_the_driver)
{
    pthread_t first;
    void *result       = NULL;
    CUresult of_second = CUDA_SUCCESS;
    ck_assert_int_eq(up(LEAST), CUDA_SUCCESS);
    ck_assert_int_eq(on.cuda->cuStreamSynchronize(stream), CUDA_SUCCESS);
    on.control->hold();
    uint64_t before = on.control->calls("cuEventRecord");
    ck_assert_int_eq(pthread_create(&first, NULL, go_up, NULL), 0);
    while (on.control->calls("cuEventRecord") == before)
        sched_yield();
    ck_assert(!cuda_pageable_upload(on.device, stream, there, from, LEAST, &of_second));
    on.control->release();
    ck_assert_int_eq(pthread_join(first, &result), 0);
    ck_assert_ptr_null(result);
    ck_assert_int_eq(up(LEAST), CUDA_SUCCESS);
}
END_TEST

START_TEST(without_memory_it_is_left_to_the_driver)
{
    static const char *const calls[] = {"cuMemHostAlloc", "cuEventCreate"};
    CUresult result                  = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        on_fault(calls[i], "CUDA_ERROR_OUT_OF_MEMORY");
        ck_assert(!cuda_pageable_upload(on.device, stream, there, from, LEAST, &result));
        ck_assert_int_eq(on.control->arm(NULL), 0);
    }
    fake.refuse_at = fake.calls + 1; /* what exists by now stays */
    ck_assert_int_eq(up(LEAST), CUDA_SUCCESS);
}
END_TEST

START_TEST(without_host_memory_it_is_left_to_the_driver)
{
    CUresult result = CUDA_SUCCESS;
    fake.refuse_at  = fake.calls + 1;
    ck_assert(!cuda_pageable_upload(on.device, stream, there, from, LEAST, &result));
    fake.refuse_at = 0;
    ck_assert_int_eq(up(LEAST), CUDA_SUCCESS);
}
END_TEST

START_TEST(the_first_error_is_told)
{
    static const char *const rules[] = {"cuMemcpyHtoDAsync:3:once:CUDA_ERROR_INVALID_VALUE",
                                        "cuEventRecord:1:once:CUDA_ERROR_INVALID_VALUE",
                                        "cuEventRecord:4:once:CUDA_ERROR_INVALID_VALUE",
                                        "cuEventSynchronize:2:once:CUDA_ERROR_INVALID_VALUE"};
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        ck_assert_int_eq(on.control->arm(rules[i]), 0);
        ck_assert_msg(up(MOST) == CUDA_ERROR_INVALID_VALUE, "%s", rules[i]);
        ck_assert_int_eq(on.control->arm(NULL), 0);
    }
    ck_assert_int_eq(on.control->arm("cuMemcpyDtoHAsync:2:once:CUDA_ERROR_INVALID_VALUE"), 0);
    ck_assert_int_eq(down(MOST), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(on.control->arm(NULL), 0);
    ck_assert_int_eq(up(MOST), CUDA_SUCCESS);
    ck_assert_int_eq(down(MOST), CUDA_SUCCESS);
    ck_assert_int_eq(memcmp(from, to, MOST), 0);
}
END_TEST

/* Else the next copy would overwrite memory that the device still reads. Only this stream counts: a
 * blocking wait may leave an operation on a stream of its own, and nothing waits for that. */
START_TEST(a_piece_whose_event_cannot_be_recorded_is_waited_for)
{
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(up(LEAST), CUDA_SUCCESS);
        ck_assert_int_eq(on.control->arm("cuEventRecord:2:on:CUDA_ERROR_INVALID_VALUE"), 0);
        ck_assert_int_eq(i == 0 ? up(LEAST) : down(LEAST), CUDA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(on.control->arm(NULL), 0);
        ck_assert_int_eq(on.cuda->cuStreamQuery(stream), CUDA_SUCCESS);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pageable");
    TCase *tests = tcase_create("pageable");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_goes_up_comes_down);
    tcase_add_test(tests, memory_that_has_gone_up_may_be_written_at_once);
    tcase_add_test(tests, a_copy_comes_after_what_the_stream_had_to_do_before);
    tcase_add_test(tests, a_second_one_at_the_same_time_is_left_to_the_driver);
    tcase_add_test(tests, without_memory_it_is_left_to_the_driver);
    tcase_add_test(tests, without_host_memory_it_is_left_to_the_driver);
    tcase_add_test(tests, the_first_error_is_told);
    tcase_add_test(tests, a_piece_whose_event_cannot_be_recorded_is_waited_for);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
