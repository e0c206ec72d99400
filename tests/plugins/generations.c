/* Plugins and cores of different minor versions work together.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>
#include <trireme/interop.h>

#include "nest.h"

static void works(const char *module, const char *file, const char *id)
{
    struct trm_context *context;

    nest_add_module(module);
    context = nest_context(nest_folder(), NULL);
    nest_accepted(context, file);
    nest_device_works(context, id);
    trm_context_destroy(context);
}

START_TEST(a_plugin_of_minor_0_works_with_this_core)
{
    works("tests/plugins/old", "old.so", "old:0");
}
END_TEST

START_TEST(a_plugin_of_a_later_minor_works_with_this_core)
{
    works("tests/plugins/newer", "newer.so", "newer:0");
}
END_TEST

/* What the tables lack in both is emulated, so this also shows that no unknown slot is taken for a known
 * one. */
static void emulations_work(const char *module, const char *id)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream, *other;
    struct trm_buffer *buffer;
    struct trm_point point;
    unsigned char bytes[64];

    nest_add_module(module);
    context = nest_context(nest_folder(), NULL);
    ck_assert_int_eq(trm_device_open(context, id, &device), TRM_OK);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_HIGH, &stream), TRM_OK);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_LOW, &other), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(bytes), &buffer), TRM_OK);

    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 0xA5, 1), TRM_OK);
    ck_assert_int_eq(trm_stream_mark(stream, &point), TRM_OK);
    ck_assert_int_eq(trm_stream_wait(other, point), TRM_OK);
    ck_assert_int_eq(trm_download(other, bytes, trm_span_whole(buffer)), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(other), TRM_OK);
    for (size_t i = 0; i < sizeof(bytes); i++)
        ck_assert_uint_eq(bytes[i], 0xA5);

    trm_buffer_destroy(buffer);
    trm_stream_destroy(other);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

START_TEST(what_a_plugin_of_minor_0_lacks_is_emulated)
{
    emulations_work("tests/plugins/old", "old:0");
}
END_TEST

START_TEST(what_a_table_has_had_since_a_plugins_minor_is_not_looked_for_behind_it)
{
    const struct trm_ipc_handle handle = {.size = 64};
    struct trm_context *context;
    struct trm_device *device;
    struct trm_buffer *buffer = NULL;
    uint64_t native           = 0;

    nest_add_module("tests/plugins/old");
    context = nest_context(nest_folder(), NULL);
    ck_assert_int_eq(trm_device_open(context, "old:0", &device), TRM_OK);
    ck_assert_int_eq(trm_device_native(device, TRM_NATIVE_CUDA_DEVICE, &native), TRM_OK);
    ck_assert_uint_eq(native, TRM_NATIVE_CUDA_DEVICE);
    ck_assert_int_eq(trm_buffer_create_ipc(device, 64, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_open_ipc_handle(device, &handle, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(buffer);
    trm_device_destroy(device);
    trm_context_destroy(context);
}
END_TEST

START_TEST(what_a_later_plugin_has_beyond_our_tables_is_left_alone)
{
    emulations_work("tests/plugins/newer", "newer:0");
}
END_TEST

int main(void)
{
    Suite *suite       = suite_create("plugins older and newer than the core");
    TCase *generations = tcase_create("generations");
    SRunner *runner    = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(generations, nest_make, nest_remove);
    tcase_set_timeout(generations, 60);
    tcase_add_test(generations, a_plugin_of_minor_0_works_with_this_core);
    tcase_add_test(generations, a_plugin_of_a_later_minor_works_with_this_core);
    tcase_add_test(generations, what_a_plugin_of_minor_0_lacks_is_emulated);
    tcase_add_test(generations, what_a_table_has_had_since_a_plugins_minor_is_not_looked_for_behind_it);
    tcase_add_test(generations, what_a_later_plugin_has_beyond_our_tables_is_left_alone);
    suite_add_tcase(suite, generations);

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
