/* Modules: loading code and letting go of it.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#include <sys/stat.h>
#include <trireme/cpu_kernel.h>
#include <unistd.h>

static struct trm_device_usage usage_of(struct trm_device *device)
{
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(device, &usage));
    return usage;
}

static struct trm_kernel *get_kernel(struct trm_module *module, const char *name)
{
    struct trm_kernel *found = NULL;
    ck_ok(trm_kernel_get(module, name, &found));
    ck_assert_ptr_nonnull(found);
    return found;
}

/* A number that counts up with each launch of "affine". */
static struct trm_buffer *make_counter(void)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .flags = TRM_BUFFER_ZEROED, .size = 4};
    struct trm_buffer *counter  = NULL;
    ck_ok(trm_buffer_create_from(the.device, &desc, &counter));
    return counter;
}

static int32_t launch_count(struct trm_kernel *affine, struct trm_buffer *counter)
{
    return launch_affine_with(the.stream, affine, counter, 1, 1, 1);
}

static uint32_t count_of(struct trm_buffer *counter)
{
    uint32_t count = 0;
    get(the.stream, counter, 0, &count, sizeof(count));
    return count;
}

static int32_t load(const struct trm_module_desc *desc)
{
    struct trm_module *module = NULL;
    int32_t status            = trm_module_load(the.device, desc, &module);
    ck_assert_msg(status == TRM_OK || module == NULL, "a load that failed wrote its output");
    trm_module_destroy(module);
    return status;
}

static int32_t load_file(const char *path)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_SHARED_OBJECT,
                                   .data        = path,
                                   .size        = strlen(path) + 1,
                                   .name        = "file"};
    return load(&desc);
}

static bool no_shared_objects(void)
{
    if (trm_module_supported(the.device, TRM_MODULE_SHARED_OBJECT) == TRM_OK)
        return false;
    skip("the device takes no shared objects");
    return true;
}

/* ---- formats ---- */

START_TEST(a_device_says_which_formats_it_takes)
{
    for (int32_t format = TRM_MODULE_FUNCTIONS; format <= TRM_MODULE_SHARED_OBJECT; format++) {
        int32_t status = trm_module_supported(the.device, format);
        ck_assert_msg(status == TRM_OK || status == TRM_ERROR_UNSUPPORTED, "format %d: %s", format,
                      trm_status_name(status));
    }
    ck_status(trm_module_supported(the.device, 0), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_module_supported(the.device, -1), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_module_supported(the.device, 999), TRM_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(a_format_that_a_device_does_not_take_is_unsupported)
{
    static const int32_t formats[] = {0, -1, 999, TRM_MODULE_FUNCTIONS, TRM_MODULE_SHARED_OBJECT};
    struct trm_module_desc desc    = functions_desc();
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (trm_module_supported(the.device, formats[i]) == TRM_OK)
            continue;
        desc.format = formats[i];
        desc.data   = formats[i] == TRM_MODULE_SHARED_OBJECT ? "/nowhere.so" : functions_desc().data;
        desc.size   = formats[i] == TRM_MODULE_SHARED_OBJECT ? 12 : functions_desc().size;
        ck_status(load(&desc), TRM_ERROR_UNSUPPORTED);
    }
    ck_assert_uint_eq(usage_of(the.device).modules, 0);
}
END_TEST

START_TEST(a_module_that_is_not_described_is_refused)
{
    if (kernels_missing())
        return;
    struct trm_module_desc desc = kernels_desc(the.device);
    ck_status(load(NULL), TRM_ERROR_INVALID_ARGUMENT);
    desc.struct_size = 0;
    ck_status(load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    desc      = kernels_desc(the.device);
    desc.data = NULL;
    ck_status(load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    desc      = kernels_desc(the.device);
    desc.size = 0;
    ck_status(load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    desc = kernels_desc(the.device);
    desc.size--;
    ck_status(load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    desc = kernels_desc(the.device);
    ck_ok(load(&desc));
}
END_TEST

START_TEST(a_module_needs_no_name)
{
    if (kernels_missing())
        return;
    struct trm_module_desc desc = kernels_desc(the.device);
    desc.name                   = NULL;
    ck_ok(load(&desc));
}
END_TEST

START_TEST(functions_without_a_name_or_code_are_refused)
{
    if (functions_missing())
        return;
    struct trm_cpu_kernel kernels[2];
    struct trm_module_desc desc = functions_desc();
    memcpy(kernels, desc.data, sizeof(kernels));
    desc.data = kernels;
    desc.size = sizeof(kernels);
    ck_ok(load(&desc));
    kernels[1].name = NULL;
    ck_refused(load(&desc));
    memcpy(kernels, functions_desc().data, sizeof(kernels));
    kernels[1].function = NULL;
    ck_refused(load(&desc));
    memcpy(kernels, functions_desc().data, sizeof(kernels));
    kernels[1].parameters = NULL;
    ck_refused(load(&desc));
}
END_TEST

/* ---- lives ---- */

START_TEST(a_kernel_outlives_the_handle_of_its_module)
{
    if (kernels_missing())
        return;
    struct trm_buffer *counter = make_counter();
    struct trm_module *module  = load_kernels(the.device);
    struct trm_kernel *used = get_kernel(module, "affine"), *none = NULL;
    trm_module_destroy(module);
    ck_status(trm_kernel_get(module, "affine", &none), TRM_ERROR_INVALID_HANDLE);
    ck_ok(launch_count(used, counter));
    ck_assert_uint_eq(count_of(counter), 1);
    trm_kernel_destroy(used);
    trm_buffer_destroy(counter);
    ck_ok(trm_device_sync(the.device));
    ck_assert_uint_eq(usage_of(the.device).modules, 0);
    ck_assert_uint_eq(usage_of(the.device).kernels, 0);
}
END_TEST

START_TEST(modules_and_kernels_destroyed_with_launches_in_flight_let_them_finish)
{
    if (kernels_missing())
        return;
    enum {
        LAUNCHES = 200
    };
    struct trm_buffer *counter = make_counter();
    struct trm_module *module  = load_kernels(the.device);
    struct trm_kernel *used    = get_kernel(module, "affine");
    struct hold *hold          = hold_begin(the.stream);
    for (int i = 0; i < LAUNCHES; i++)
        ck_ok(launch_count(used, counter));
    trm_kernel_destroy(used);
    trm_module_destroy(module);
    ck_status(launch_count(used, counter), TRM_ERROR_INVALID_HANDLE);
    hold_end(hold);
    ck_assert_uint_eq(count_of(counter), LAUNCHES);
    trm_buffer_destroy(counter);
}
END_TEST

START_TEST(loading_the_same_code_twice_makes_two_modules)
{
    if (kernels_missing())
        return;
    struct trm_buffer *counter = make_counter();
    struct trm_module *one = load_kernels(the.device), *other = load_kernels(the.device);
    ck_assert_ptr_ne(one, other);
    ck_assert_uint_eq(usage_of(the.device).modules, 2);
    trm_module_destroy(one);
    struct trm_kernel *used = get_kernel(other, "affine");
    ck_ok(launch_count(used, counter));
    ck_assert_uint_eq(count_of(counter), 1);
    trm_kernel_destroy(used);
    trm_module_destroy(other);
    trm_buffer_destroy(counter);
}
END_TEST

START_TEST(loading_and_ending_modules_over_and_over_leaves_nothing)
{
    if (kernels_missing())
        return;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 256);
    for (int i = 0; i < 300; i++) {
        struct trm_module *module = load_kernels(the.device);
        struct trm_kernel *one = get_kernel(module, "affine"), *other = get_kernel(module, "affine");
        if (i % 3 == 0)
            ck_ok(launch_affine_with(the.stream, one, buffer, 64, 1, 0));
        trm_kernel_destroy(other);
        trm_module_destroy(module);
        trm_kernel_destroy(one);
    }
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
    ck_assert_uint_eq(usage_of(the.device).modules, 0);
    ck_assert_uint_eq(usage_of(the.device).kernels, 0);
}
END_TEST

START_TEST(destroying_a_module_twice_or_none_at_all_is_harmless)
{
    if (kernels_missing())
        return;
    struct trm_module *module = load_kernels(the.device);
    trm_module_destroy(module);
    struct trm_module *next = load_kernels(the.device);
    trm_module_destroy(module);
    trm_module_destroy(NULL);
    trm_kernel_destroy(get_kernel(next, "affine"));
    trm_module_destroy(next);
}
END_TEST

/* ---- shared objects ---- */

START_TEST(a_shared_object_that_is_not_there_is_not_found)
{
    if (no_shared_objects())
        return;
    ck_status(load_file("/nonexistent-folder/nonexistent.so"), TRM_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(a_shared_object_is_named_by_an_absolute_path)
{
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SHARED_OBJECT, .data = "/x.so", .size = 4};
    if (no_shared_objects())
        return;
    ck_refused(load_file("kernels.so"));
    ck_refused(load_file("./kernels.so"));
    ck_refused(load_file(""));
    ck_refused(load(&desc)); /* its zero lies beyond its size */
}
END_TEST

START_TEST(a_file_that_is_no_shared_object_is_refused)
{
    char path[] = "/tmp/conformance-XXXXXX";
    if (no_shared_objects())
        return;
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_refused(load_file(path));
    ck_assert_int_eq(write(file, "this is no code\n", 16), 16);
    ck_refused(load_file(path));
    ck_refused(load_file("/tmp"));
    close(file);
    unlink(path);
}
END_TEST

START_TEST(a_shared_object_that_everybody_may_write_is_refused)
{
    char path[] = "/tmp/conformance-XXXXXX";
    if (no_shared_objects())
        return;
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(fchmod(file, 0777), 0);
    ck_status(load_file(path), TRM_ERROR_PERMISSION);
    close(file);
    unlink(path);
}
END_TEST

void add_module(Suite *suite)
{
    TCase *group = group_make(suite, "module");
    CASE(group, a_device_says_which_formats_it_takes);
    CASE(group, a_format_that_a_device_does_not_take_is_unsupported);
    CASE(group, a_module_that_is_not_described_is_refused);
    CASE(group, a_module_needs_no_name);
    CASE(group, functions_without_a_name_or_code_are_refused);
    CASE(group, a_kernel_outlives_the_handle_of_its_module);
    CASE(group, modules_and_kernels_destroyed_with_launches_in_flight_let_them_finish);
    CASE(group, loading_the_same_code_twice_makes_two_modules);
    CASE(group, loading_and_ending_modules_over_and_over_leaves_nothing);
    CASE(group, destroying_a_module_twice_or_none_at_all_is_harmless);
    CASE(group, a_shared_object_that_is_not_there_is_not_found);
    CASE(group, a_shared_object_is_named_by_an_absolute_path);
    CASE(group, a_file_that_is_no_shared_object_is_refused);
    CASE(group, a_shared_object_that_everybody_may_write_is_refused);
}
