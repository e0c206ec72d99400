/* Calls and work that are made to fail, drivers that lack something, and the account.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/standin/check/fixture.h"

static const struct cuda_standin_control *const control = &cuda_standin_control;

START_TEST(the_third_call_of_a_function_fails_and_has_no_effect)
{
    CUdeviceptr addresses[4];

    begin("");
    ck_assert_int_eq(control->arm("cuMemAlloc:3:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    must(cuMemAlloc(&addresses[0], 16));
    must(cuMemAlloc(&addresses[1], 16));
    ck_assert_uint_eq(control->failures(), 0);
    ck_assert_int_eq(cuMemAlloc(&addresses[2], 16), CUDA_ERROR_OUT_OF_MEMORY);
    must(cuMemAlloc(&addresses[2], 16));
    ck_assert_uint_eq(control->failures(), 1);
    ck_assert_str_eq(control->failed_function(), "cuMemAlloc");
    ck_assert_uint_eq(control->calls("cuMemAlloc"), 4);
    for (int i = 0; i < 3; i++)
        must(cuMemFree(addresses[i]));
    end();
}
END_TEST

START_TEST(every_call_from_the_second_on_fails_until_the_rules_are_forgotten)
{
    CUevent events[2];

    begin("");
    ck_assert_int_eq(control->arm("cuEventCreate:2:on:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    must(cuEventCreate(&events[0], 0));
    ck_assert_int_eq(cuEventCreate(&events[1], 0), CUDA_ERROR_OUT_OF_MEMORY);
    ck_assert_int_eq(cuEventCreate(&events[1], 0), CUDA_ERROR_OUT_OF_MEMORY);
    ck_assert_int_eq(control->arm(NULL), 0);
    must(cuEventCreate(&events[1], 0));
    must(cuEventDestroy(events[0]));
    must(cuEventDestroy(events[1]));
    end();
}
END_TEST

START_TEST(any_is_what_can_fail_in_a_program_that_is_right)
{
    CUdeviceptr address;

    begin("");
    must(cuMemAlloc(&address, 16));
    ck_assert_int_eq(control->arm("any:1:on:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    uint64_t before = control->fallible_calls();
    ck_assert_int_eq(cuMemAlloc(&address, 16), CUDA_ERROR_OUT_OF_MEMORY);
    ck_assert_uint_eq(control->fallible_calls(), before + 1);
    must(cuMemFree(address));
    ck_assert_uint_eq(control->fallible_calls(), before + 1);
    end();
}
END_TEST

START_TEST(a_sticky_error_that_was_made_up_sticks)
{
    CUevent event;

    begin("");
    CUstream stream = make_stream();
    ck_assert_int_eq(control->arm("cuStreamQuery:1:once:CUDA_ERROR_ECC_UNCORRECTABLE"), 0);
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_ECC_UNCORRECTABLE);
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_ECC_UNCORRECTABLE);
    ck_assert_int_eq(cuEventCreate(&event, 0), CUDA_ERROR_ECC_UNCORRECTABLE);
    ck_assert_int_eq(cuStreamDestroy(stream), CUDA_ERROR_ECC_UNCORRECTABLE);
    end();
}
END_TEST

START_TEST(the_second_copy_ends_badly_and_what_follows_is_dropped)
{
    begin("");
    CUstream stream = make_stream(), other = make_stream();
    CUdeviceptr from = make_words(), to = make_words();
    ck_assert_int_eq(control->fail_work("copy:2:CUDA_ERROR_LAUNCH_TIMEOUT"), 0);
    must(cuMemsetD32Async(from, 1, COUNT, stream));
    must(cuMemcpyDtoDAsync(to, from, 16, stream));
    must(cuStreamSynchronize(stream));
    control->hold();
    must(cuMemcpyDtoDAsync(to, from, 16, stream));
    must(cuMemsetD32Async(to, 2, COUNT, stream));
    control->release();
    ck_assert_int_eq(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_TIMEOUT);
    ck_assert_uint_eq(control->pending(), 0);
    ck_assert_int_eq(cuStreamSynchronize(other), CUDA_ERROR_LAUNCH_TIMEOUT);
    ck_assert_int_eq(cuMemFree(from), CUDA_ERROR_LAUNCH_TIMEOUT);
    end();
}
END_TEST

START_TEST(rules_that_cannot_be_read_are_refused)
{
    ck_assert_int_eq(control->arm("cuNothing:1:once:CUDA_ERROR_UNKNOWN"), -1);
    ck_assert_int_eq(control->arm("cuMemAlloc:0:once:CUDA_ERROR_UNKNOWN"), -1);
    ck_assert_int_eq(control->arm("cuMemAlloc:1:twice:CUDA_ERROR_UNKNOWN"), -1);
    ck_assert_int_eq(control->arm("cuMemAlloc:1:once:CUDA_ERROR_NO_SUCH"), -1);
    ck_assert_int_eq(control->fail_work("thought:1:CUDA_ERROR_UNKNOWN"), -1);
    ck_assert_int_eq(control->configure("devices=many"), -1);
    ck_assert_int_eq(control->configure("colour=red"), -1);
    ck_assert_int_eq(control->configure("devices=3 delay=0\n strict=no"), 0);
}
END_TEST

/* ---- drivers that lack something */

static CUdriverProcAddressQueryResult find(const char *name, int version, void **function)
{
    CUdriverProcAddressQueryResult status;

    must(cuGetProcAddress(name, function, version, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    return status;
}

START_TEST(functions_are_found_by_name_and_version)
{
    void *function;
    int version;

    ck_assert_int_eq(find("cuMemAlloc", 12000, &function), CU_GET_PROC_ADDRESS_SUCCESS);
    ck_assert(function == (void *)cuMemAlloc);
    ck_assert_int_eq(find("cuMemPrefetchAsync", 12000, &function),
                     CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    ck_assert_ptr_null(function);
    ck_assert_int_eq(find("cuMemPrefetchAsync", 12020, &function), CU_GET_PROC_ADDRESS_SUCCESS);
    ck_assert_int_eq(find("cuNothing", 12000, &function), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    ck_assert_int_eq(control->configure("missing=cuMemCreate,cuMemMap"), 0);
    ck_assert_int_eq(find("cuMemMap", 12000, &function), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    ck_assert_int_eq(find("cuMemUnmap", 12000, &function), CU_GET_PROC_ADDRESS_SUCCESS);
    ck_assert_int_eq(control->configure("driver=11020"), 0);
    must(cuDriverGetVersion(&version));
    ck_assert_int_eq(version, 11020);
    ck_assert_int_eq(find("cuFuncGetName", 12030, &function), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    ck_assert_int_eq(find("cuMemAllocAsync", 12030, &function), CU_GET_PROC_ADDRESS_SUCCESS);
}
END_TEST

START_TEST(without_devices_there_is_nothing_to_initialise)
{
    int count;

    ck_assert_int_eq(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    ck_assert_int_eq(control->configure("devices=0"), 0);
    ck_assert_int_eq(cuInit(0), CUDA_ERROR_NO_DEVICE);
    ck_assert_int_eq(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    ck_assert_int_eq(control->configure("devices=2"), 0);
    must(cuInit(0));
    must(cuDeviceGetCount(&count));
    ck_assert_int_eq(count, 2);
}
END_TEST

START_TEST(the_child_of_a_process_that_uses_it_cannot)
{
    int status, count;

    begin("");
    pid_t child = fork();
    if (child == 0)
        _exit(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
                      cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED
                  ? 0
                  : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    must(cuDeviceGetCount(&count));
    end();
}
END_TEST

/* ---- the account */

START_TEST(what_lives_is_counted)
{
    struct cuda_standin_account account;
    char first[64];

    CUcontext context = begin("");
    CUstream stream   = make_stream();
    CUevent event     = make_event();
    CUdeviceptr words = make_words();
    uint32_t *pinned  = make_pinned(0);
    control->account(&account);
    ck_assert_uint_eq(account.contexts, 1);
    ck_assert_uint_eq(account.streams, 1);
    ck_assert_uint_eq(account.events, 1);
    ck_assert_uint_eq(account.allocations, 1);
    ck_assert_uint_eq(account.allocated_bytes, 4096);
    ck_assert_uint_eq(account.pinned, 1);
    ck_assert_uint_eq(control->living(first, sizeof(first)), 5);
    ck_assert_str_eq(first, "context");
    must(cuStreamDestroy(stream));
    must(cuEventDestroy(event));
    must(cuMemFree(words));
    must(cuMemFreeHost(pinned));
    ck_assert_uint_eq(control->living(first, sizeof(first)), 1);
    ck_assert_ptr_nonnull(context);
    end();
}
END_TEST

START_TEST(what_was_forgotten_goes_with_its_context)
{
    CUcontext own;
    int active;

    begin("");
    must(cuCtxCreate(&own, NULL, 0, 0));
    (void)make_stream();
    (void)make_event();
    (void)make_words();
    (void)make_pinned(1);
    must(cuCtxDestroy(own));
    ck_assert_uint_eq(control->living(NULL, 0), 1);
    must(cuDevicePrimaryCtxGetState(0, NULL, &active));
    ck_assert_int_eq(active, 1);
    end();
    must(cuDevicePrimaryCtxGetState(0, NULL, &active));
    ck_assert_int_eq(active, 0);
}
END_TEST

START_TEST(a_primary_context_that_is_released_too_often_is_a_breach)
{
    CUcontext context;

    begin("");
    must(cuDevicePrimaryCtxRetain(&context, 0));
    must(cuDevicePrimaryCtxRelease(0));
    ck_assert_uint_eq(control->breaches(NULL, 0), 0);
    end();
    ck_assert_int_eq(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_uint_eq(control->breaches(NULL, 0), 1);
}
END_TEST

/* ---- the file beside the library */

/* What this program ends with when it is run with the library of that folder: 0 where the driver is of
 * version 12.1. */
static int run_with(const char *folder)
{
    int status  = -1;
    pid_t child = fork();

    if (child == 0) {
        setenv("LD_LIBRARY_PATH", folder, 1);
        execl("/proc/self/exe", "faults", "12010", (char *)NULL);
        _exit(99);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(a_file_beside_the_library_configures_it)
{
    char folder[] = "/tmp/cuda-stand-in-check-XXXXXX", link_path[64], file_path[80];
    Dl_info info;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(link_path, sizeof(link_path), "%s/libcuda.so.1", folder);
    snprintf(file_path, sizeof(file_path), "%s.conf", link_path);
    ck_assert_int_ne(dladdr(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"), &info), 0);
    ck_assert_int_eq(symlink(info.dli_fname, link_path), 0);
    ck_assert_int_ne(run_with(folder), 0);
    FILE *file = fopen(file_path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs("driver=12010\n", file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(run_with(folder), 0);
    unlink(file_path);
    unlink(link_path);
    rmdir(folder);
}
END_TEST

/* Run by a test: is the driver of the version that it is told? */
static int check_version(const char *expected)
{
    int version;

    return cuDriverGetVersion(&version) == CUDA_SUCCESS && version == atoi(expected) ? EXIT_SUCCESS
                                                                                     : EXIT_FAILURE;
}

int main(int count, char **words)
{
    if (count > 1)
        return check_version(words[1]);
    TCase *tests = tcase_create("faults");

    tcase_add_test(tests, the_third_call_of_a_function_fails_and_has_no_effect);
    tcase_add_test(tests, every_call_from_the_second_on_fails_until_the_rules_are_forgotten);
    tcase_add_test(tests, any_is_what_can_fail_in_a_program_that_is_right);
    tcase_add_test(tests, a_sticky_error_that_was_made_up_sticks);
    tcase_add_test(tests, the_second_copy_ends_badly_and_what_follows_is_dropped);
    tcase_add_test(tests, rules_that_cannot_be_read_are_refused);
    tcase_add_test(tests, functions_are_found_by_name_and_version);
    tcase_add_test(tests, without_devices_there_is_nothing_to_initialise);
    tcase_add_test(tests, the_child_of_a_process_that_uses_it_cannot);
    tcase_add_test(tests, what_lives_is_counted);
    tcase_add_test(tests, what_was_forgotten_goes_with_its_context);
    tcase_add_test(tests, a_primary_context_that_is_released_too_often_is_a_breach);
    tcase_add_test(tests, a_file_beside_the_library_configures_it);
    return run_tests(tests, "faults");
}
