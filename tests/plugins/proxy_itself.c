/* The proxy itself: that it reads its rules, and sees when the core breaks the contract.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <trireme/backend.h>

#include "nest.h"
#include "proxy/control.h"

enum {
    SIZE = 4096
};

static const struct proxy_control *control;
static unsigned char bytes[SIZE];

/* A host that is no core: it may break the contract. */
static void *careless_allocate(void *user, uint64_t size, uint64_t alignment)
{
    void *memory = NULL;

    (void)user;
    return posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) == 0
               ? memory
               : NULL;
}

static void careless_release(void *user, void *memory, uint64_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static void careless_log(void *user, int32_t level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

static int32_t careless_fail(void *user, int32_t status, int64_t native_code, const char *sentence)
{
    (void)user;
    (void)native_code;
    (void)sentence;
    return status;
}

static int32_t careless_setting(void *user, const char *name, char *value, uint64_t capacity,
                                uint64_t *needed)
{
    (void)user;
    (void)name;
    (void)value;
    (void)capacity;
    (void)needed;
    return TRM_ERROR_NOT_FOUND;
}

static int32_t careless_trust(void *user, const char *path)
{
    (void)user;
    (void)path;
    return TRM_OK;
}

static const struct trm_host careless = {
    .struct_size = sizeof(careless),
    .abi_minor   = TRM_BACKEND_ABI_MINOR,
    .allocate    = careless_allocate,
    .release     = careless_release,
    .log         = careless_log,
    .fail        = careless_fail,
    .get_setting = careless_setting,
    .trust_file  = careless_trust,
};

static void *load_carelessly(const struct trm_backend **proxy)
{
    trm_backend_query_fn query;
    void *plugin;

    nest_add_module("tests/plugins/proxy");
    setenv("PROXY_TARGET", nest_module("backends/template/template"), 1);
    plugin = dlopen(nest_path("proxy.so"), RTLD_NOW);
    ck_assert_ptr_nonnull(plugin);
    query = (trm_backend_query_fn)(uintptr_t)dlsym(plugin, TRM_BACKEND_QUERY_SYMBOL);
    ck_assert_ptr_nonnull(query);
    *proxy  = query(&careless, 0, TRM_BACKEND_ABI_MINOR);
    control = (*proxy)->get_extension(PROXY_CONTROL_EXTENSION, 1);
    ck_assert_ptr_eq(control, proxy_control_of(nest_path("proxy.so")));
    ck_assert_uint_eq(control->breaches(NULL, 0), 0);
    return plugin;
}

START_TEST(a_rule_that_cannot_be_read_is_refused)
{
    const struct trm_backend *proxy;
    void *plugin = load_carelessly(&proxy);

    ck_assert_int_eq(control->fault("copy:1:once:-14"), TRM_OK);
    ck_assert_int_eq(control->fault("copie:1:once:-14"), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(control->fault("copy:0:once:-14"), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(control->fault("copy:1:once:14"), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(control->fault("copy:1:twice:-14"), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(control->fault("copy:1:once:-14 "), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(control->async_fault("copy:1:-9"), TRM_OK);
    ck_assert_int_eq(control->async_fault("copy:1:once:-9"), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(control->delay("copy:100,wait:5"), TRM_OK);
    ck_assert_int_eq(control->delay("copy:100,,wait:5"), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(control->calls("copy"), 0);
    ck_assert_uint_eq(control->calls("copie"), UINT64_MAX);
    dlclose(plugin);
}
END_TEST

START_TEST(the_proxy_sees_numbers_that_do_not_increase)
{
    struct trm_stream_desc stream_desc = {.struct_size = sizeof(stream_desc)};
    struct trm_memory_desc memory_desc = {.struct_size = sizeof(memory_desc), .size = SIZE, .alignment = 256};
    struct trm_copy_desc copy          = {.struct_size = sizeof(copy), .source.host = bytes, .size = SIZE};
    struct trm_backend_instance *instance;
    struct trm_backend_device *opened;
    struct trm_backend_stream *made;
    const struct trm_backend *proxy;
    char breach[160] = "";
    void *plugin     = load_carelessly(&proxy);

    ck_assert_int_eq(proxy->open(&careless, &instance), TRM_OK);
    ck_assert_int_eq(proxy->device->open(instance, 0, &opened), TRM_OK);
    ck_assert_int_eq(proxy->stream->create(opened, &stream_desc, &made), TRM_OK);
    ck_assert_int_eq(proxy->memory->allocate(opened, &memory_desc, &copy.destination.memory), TRM_OK);
    ck_assert_int_eq(proxy->stream->copy(made, 2, &copy), TRM_OK);
    ck_assert_int_eq(proxy->stream->copy(made, 5, &copy), TRM_OK);
    ck_assert_int_eq(proxy->stream->wait(made, 5, TRM_FOREVER), TRM_OK);
    ck_assert_uint_eq(control->breaches(NULL, 0), 0);

    (void)control->fault("copy:1:once:-14"); /* the target need not bear it */
    ck_assert_int_eq(proxy->stream->copy(made, 5, &copy), TRM_ERROR_BACKEND);
    ck_assert_uint_eq(control->breaches(breach, sizeof(breach)), 1);
    ck_assert_str_eq(breach, "The numbers of a stream do not increase.");

    proxy->stream->destroy(made);
    proxy->memory->free(copy.destination.memory);
    proxy->device->close(opened);
    proxy->close(instance);
    dlclose(plugin);
}
END_TEST

START_TEST(the_proxy_complains_of_a_variable_that_it_cannot_read)
{
    const struct trm_backend *proxy;
    char breach[160] = "";
    void *plugin     = load_carelessly(&proxy);
    trm_backend_query_fn query;

    setenv("PROXY_FAULT", "this is no rule", 1);
    query = (trm_backend_query_fn)(uintptr_t)dlsym(plugin, TRM_BACKEND_QUERY_SYMBOL);
    ck_assert_ptr_eq(query(&careless, 0, TRM_BACKEND_ABI_MINOR), proxy);
    ck_assert_uint_eq(control->breaches(breach, sizeof(breach)), 1);
    ck_assert_str_eq(breach, "PROXY_FAULT cannot be read.");
    dlclose(plugin);
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("the proxy");
    TCase *itself   = tcase_create("itself");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(itself, nest_make, nest_remove);
    tcase_add_test(itself, a_rule_that_cannot_be_read_is_refused);
    tcase_add_test(itself, the_proxy_sees_numbers_that_do_not_increase);
    tcase_add_test(itself, the_proxy_complains_of_a_variable_that_it_cannot_read);
    suite_add_tcase(suite, itself);

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
