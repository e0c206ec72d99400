/* How the cuda backend opens the driver and fills its table, and the reasons why it cannot.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/backends/cuda/fake.h"
#include "tests/unit/runner.h"

static struct cuda_loader loader;
static struct cuda_functions cuda;
static int version;
static char reason[CUDA_REASON_BYTES];

static int32_t open_loader(void)
{
    memset(&loader, 0, sizeof(loader));
    memset(&cuda, 0, sizeof(cuda));
    reason[0] = '\0';
    return cuda_loader_open(&fake.host, &loader, &cuda, &version, reason, sizeof(reason));
}

static void is_opened(void)
{
    ck_assert_msg(open_loader() == TRM_OK, "%s", reason);
    ck_assert_ptr_nonnull(loader.library);
}

static void is_refused(int32_t status, const char *words)
{
    ck_assert_int_eq(open_loader(), status);
    ck_assert_msg(strstr(reason, words) != NULL, "\"%s\" is not in: %s", words, reason);
    ck_assert_ptr_null(loader.library);
}

/* ---- the library */

START_TEST(a_library_that_is_not_there_is_said)
{
    fake.driver = "libcuda-that-does-not-exist.so.1";
    is_refused(TRM_ERROR_UNSUPPORTED, "libcuda-that-does-not-exist.so.1 cannot be opened: ");
    ck_assert_ptr_null(strstr(strstr(reason, "opened"), "does-not-exist")); /* the name appears once */
}
END_TEST

START_TEST(a_library_that_is_no_driver_is_said)
{
    fake.driver = "libm.so.6";
    is_refused(TRM_ERROR_UNSUPPORTED, "libm.so.6 is not a CUDA driver: it has no function cuInit");
}
END_TEST

START_TEST(a_path_that_others_may_write_is_refused_in_the_hosts_words)
{
    fake.driver  = "/some/where/libcuda.so";
    fake.trusted = TRM_ERROR_PERMISSION;
    is_refused(TRM_ERROR_PERMISSION, "");
    ck_assert_str_eq(reason, "");
    ck_assert_str_eq(fake.sentence, "not to be trusted");
    fake.trusted = TRM_OK;
    is_refused(TRM_ERROR_UNSUPPORTED, "/some/where/libcuda.so cannot be opened");
}
END_TEST

/* ---- cuInit */

START_TEST(what_keeps_the_driver_from_starting_is_told_in_words)
{
    static const struct {
        const char *name, *words;
    } errors[] = {
        {"CUDA_ERROR_NO_DEVICE", "there is no CUDA device"},
        {"CUDA_ERROR_STUB_LIBRARY", "the toolkit's stub"},
        {"CUDA_ERROR_NOT_INITIALIZED", "the child of a process"},
        {"CUDA_ERROR_OPERATING_SYSTEM", "/dev/nvidia*"},
        {"CUDA_ERROR_SYSTEM_NOT_READY", "fabric manager"},
        {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "different versions"},
        {"CUDA_ERROR_UNKNOWN", "nvidia_uvm"},
        {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}, /* the driver's own words */
    };
    const struct cuda_standin_control *control = fake_shape("");
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        char rule[128];
        snprintf(rule, sizeof(rule), "cuInit:1:once:%s", errors[i].name);
        ck_assert_int_eq(control->arm(NULL), 0);
        ck_assert_int_eq(control->arm(rule), 0);
        is_refused(TRM_ERROR_UNSUPPORTED, errors[i].words);
        ck_assert_msg(strstr(reason, errors[i].name) != NULL, "%s is not in: %s", errors[i].name, reason);
    }
    ck_assert_int_eq(control->arm(NULL), 0);
    is_opened();
    cuda_loader_close(&loader);
}
END_TEST

START_TEST(no_memory_to_start_in_is_said_as_such)
{
    fake_shape("fault=cuInit:1:once:CUDA_ERROR_OUT_OF_MEMORY");
    is_refused(TRM_ERROR_OUT_OF_HOST_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
}
END_TEST

START_TEST(a_child_of_a_process_that_has_used_the_driver_is_told_so)
{
    int status = 0;
    fake_shape("");
    is_opened();
    pid_t child = fork();
    if (child == 0)
        _exit(open_loader() == TRM_ERROR_UNSUPPORTED && strstr(reason, "child after fork()") != NULL ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    cuda_loader_close(&loader);
    is_opened(); /* the parent is not affected */
    cuda_loader_close(&loader);
}
END_TEST

START_TEST(a_child_of_a_process_that_has_only_opened_the_library_may_use_it)
{
    int status = 0;
    fake_shape("");
    pid_t child = fork();
    if (child == 0)
        _exit(open_loader() == TRM_OK ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* ---- the table */

START_TEST(all_functions_are_found_in_a_new_driver)
{
    fake_shape("driver=13000");
    is_opened();
    ck_assert_int_eq(version, 13000);
    ck_assert_str_eq(loader.missing, "");
    ck_assert_str_eq(loader.release, ""); /* the name of the file tells no release */
#define IS_THERE(name, since) ck_assert_msg(cuda.name != NULL, #name);
    CUDA_FUNCTIONS(IS_THERE)
    CUDA_OPTIONAL_FUNCTIONS(IS_THERE)
#undef IS_THERE
    cuda_loader_close(&loader);
}
END_TEST

START_TEST(a_driver_that_is_too_old_is_said)
{
    fake_shape("driver=11030");
    is_refused(TRM_ERROR_UNSUPPORTED, "the driver supports CUDA 11.3, but 11.4 is needed");
}
END_TEST

START_TEST(an_old_driver_has_what_is_needed_and_no_earlier_forms_of_the_rest)
{
    fake_shape("driver=11040");
    is_opened();
    ck_assert_int_eq(version, 11040);
    ck_assert(cuda.cuLaunchKernel != NULL);
    ck_assert(cuda.cuDeviceGetUuid != NULL);
    ck_assert(cuda.cuGraphAddKernelNode == NULL); /* the form before 12.0 has other parameters */
    ck_assert(cuda.cuMemPrefetchAsync == NULL);
    ck_assert_ptr_nonnull(strstr(loader.missing, "cuGraphAddKernelNode (CUDA 12.0)"));
    ck_assert_ptr_null(strstr(loader.missing, "cuDeviceGetUuid"));
    cuda_loader_close(&loader);
}
END_TEST

START_TEST(the_first_function_that_is_missing_is_named)
{
    fake_shape("missing=cuLaunchKernel");
    is_refused(TRM_ERROR_UNSUPPORTED, "the driver has no function cuLaunchKernel");
}
END_TEST

START_TEST(optional_functions_may_be_missing)
{
    fake_shape("missing=cuMemPoolCreate,cuFuncGetParamInfo");
    is_opened();
    ck_assert(cuda.cuMemPoolCreate == NULL);
    ck_assert(cuda.cuFuncGetParamInfo == NULL);
    ck_assert(cuda.cuMemPoolDestroy != NULL);
    ck_assert_str_eq(loader.missing, "cuMemPoolCreate, cuFuncGetParamInfo");
    cuda_loader_close(&loader);
}
END_TEST

/* ---- instances */

START_TEST(no_driver_is_no_instance)
{
    struct trm_backend_instance *instance = NULL;
    fake.driver                           = "libcuda-that-does-not-exist.so.1";
    ck_assert_int_eq(cuda_instance_create(&fake.host, &instance, reason), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(instance);
    ck_assert_ptr_nonnull(strstr(reason, "libcuda-that-does-not-exist.so.1"));
}
END_TEST

START_TEST(an_instance_makes_no_context_and_leaves_nothing)
{
    const struct cuda_standin_control *control = fake_shape("devices=2");
    struct trm_backend_instance *instance      = NULL;
    char first[128];
    ck_assert_int_eq(cuda_instance_create(&fake.host, &instance, reason), TRM_OK);
    ck_assert_uint_eq(instance->physical_count, 2);
    ck_assert_uint_eq(control->living(first, sizeof(first)), 0);
    cuda_instance_destroy(instance);
    ck_assert_uint_eq(control->living(first, sizeof(first)), 0);
    ck_assert_uint_eq(control->breaches(first, sizeof(first)), 0);
}
END_TEST

START_TEST(an_instance_for_which_there_is_no_memory_leaves_nothing)
{
    struct trm_backend_instance *instance = NULL;
    uint64_t refused                      = 0;
    int32_t status                        = TRM_OK;
    fake_shape("");
    do {
        fake.calls     = 0;
        fake.refuse_at = ++refused;
        status         = cuda_instance_create(&fake.host, &instance, reason);
        ck_assert(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert(status == TRM_OK || (fake.bytes == 0 && reason[0] != '\0'));
    } while (status != TRM_OK);
    ck_assert_uint_gt(refused, 2);
    cuda_instance_destroy(instance);
}
END_TEST

static uint64_t spin_of_an_instance(void)
{
    struct trm_backend_instance *instance = NULL;
    ck_assert_int_eq(cuda_instance_create(&fake.host, &instance, reason), TRM_OK);
    uint64_t nanoseconds = instance->spin_ns;
    cuda_instance_destroy(instance);
    return nanoseconds;
}

START_TEST(the_time_to_look_is_bounded)
{
    static const struct {
        const char *setting;
        uint64_t nanoseconds;
    } times[] = {{"0", 0}, {"7", 7000}, {"10000000", 100000000}};
    fake_shape("");
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        fake.spin = times[i].setting;
        ck_assert_uint_eq(spin_of_an_instance(), times[i].nanoseconds);
    }
}
END_TEST

START_TEST(who_has_few_processors_looks_for_a_short_time_where_nothing_else_is_said)
{
    cpu_set_t all, one;
    fake_shape("");
    ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
    fake.spin = NULL;
    ck_assert_uint_eq(spin_of_an_instance(), CPU_COUNT(&all) >= 4 ? 10000000 : 100000);
    CPU_ZERO(&one);
    for (size_t i = 0; CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    }
    ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
    ck_assert_uint_eq(spin_of_an_instance(), 100000);
    fake.spin = ""; /* as the core reports it */
    ck_assert_uint_eq(spin_of_an_instance(), 100000);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("loader");
    TCase *tests = tcase_create("loader");
    tcase_add_checked_fixture(tests, fake_setup, fake_teardown);
    tcase_add_test(tests, a_library_that_is_not_there_is_said);
    tcase_add_test(tests, a_library_that_is_no_driver_is_said);
    tcase_add_test(tests, a_path_that_others_may_write_is_refused_in_the_hosts_words);
    tcase_add_test(tests, what_keeps_the_driver_from_starting_is_told_in_words);
    tcase_add_test(tests, no_memory_to_start_in_is_said_as_such);
    tcase_add_test(tests, a_child_of_a_process_that_has_used_the_driver_is_told_so);
    tcase_add_test(tests, a_child_of_a_process_that_has_only_opened_the_library_may_use_it);
    tcase_add_test(tests, all_functions_are_found_in_a_new_driver);
    tcase_add_test(tests, a_driver_that_is_too_old_is_said);
    tcase_add_test(tests, an_old_driver_has_what_is_needed_and_no_earlier_forms_of_the_rest);
    tcase_add_test(tests, the_first_function_that_is_missing_is_named);
    tcase_add_test(tests, optional_functions_may_be_missing);
    tcase_add_test(tests, no_driver_is_no_instance);
    tcase_add_test(tests, an_instance_makes_no_context_and_leaves_nothing);
    tcase_add_test(tests, an_instance_for_which_there_is_no_memory_leaves_nothing);
    tcase_add_test(tests, the_time_to_look_is_bounded);
    tcase_add_test(tests, who_has_few_processors_looks_for_a_short_time_where_nothing_else_is_said);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
