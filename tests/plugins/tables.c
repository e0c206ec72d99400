/* What a backend says of itself: tables, name, version, score and count of devices.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "hostile/fixture.h"
#include "nest.h"

/* ---- the tables ----------------------------------------------------------------------------------- */

static void refused(const char *words)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    ck_assert_int_eq(trm_context_create(NULL, &context), TRM_OK);
    ck_assert_int_eq(trm_device_open(context, NULL, &device), TRM_ERROR_NOT_FOUND);
    sentence_has(words);
    trm_context_destroy(context);
}

START_TEST(a_name_without_an_end_is_refused)
{
    static char endless[64];
    memset(endless, 'x', sizeof(endless));
    scene.control->backend->name = endless;
    refused("its name \"xxxxxxxx");
}
END_TEST

START_TEST(a_table_whose_semaphores_cannot_be_destroyed_is_refused)
{
    scene.control->interop->semaphore_destroy = NULL;
    refused("interop.semaphore_destroy is NULL");
    scene.control->interop->semaphore_create = NULL;
    refused("interop.semaphore_destroy is NULL");
    scene.control->interop->semaphore_import = NULL;
    ck_assert_int_eq(scene_open(&scene), TRM_ERROR_UNSUPPORTED); /* the scene has a semaphore */
    close_scene();
}
END_TEST

START_TEST(a_table_that_ends_within_a_function_is_refused)
{
    scene.control->interop->struct_size = 164;
    refused("its table interop has 164 bytes, which is no whole number of functions");
}
END_TEST

START_TEST(a_version_without_an_end_is_cut)
{
    static char endless[4096];
    memset(endless, '7', sizeof(endless));
    endless[5]                      = '\n';
    scene.control->backend->version = endless;
    ck_assert_int_eq(scene_open(&scene), TRM_OK);
    const char *version = nest_candidate(scene.context, "hostile.so")->version;
    ck_assert_uint_lt(strlen(version), 64);
    ck_assert_mem_eq(version, "77777 777", 9);
    close_scene();
}
END_TEST

static void must_not_be_called(void)
{
    ck_abort_msg("the library called a function of the table as the plugin changed it");
}

/* probe, open and close are called after the query; get_extension when a pipeline is created. */
START_TEST(tables_that_change_after_the_query_change_nothing)
{
    struct hostile_control *control = scene.control;
    struct trm_device *device       = NULL;
    open_scene(NULL);
    memset(control->device, 0, sizeof(*control->device));
    memset(control->memory, 0, sizeof(*control->memory));
    memset(control->stream, 0, sizeof(*control->stream));
    memset(control->module, 0, sizeof(*control->module));
    memset(control->pool, 0, sizeof(*control->pool));
    memset(control->graph, 0, sizeof(*control->graph));
    memset(control->interop, 0, sizeof(*control->interop));
    memset(control->backend, 0xee, sizeof(*control->backend));
    void (*trap)(void) = must_not_be_called;
    memcpy(&control->backend->close, &trap, sizeof(trap));
    memcpy(&control->backend->get_extension, &trap, sizeof(trap));
    for (size_t i = 0; i < scene_use_count; i++) {
        if (is_loading(&scene_uses[i]) || scene_uses[i].before != NULL)
            continue;
        int32_t status = scene_uses[i].run(&scene);
        ck_assert_msg(status == TRM_OK, "%s: %s", scene_uses[i].name, trm_last_error().sentence);
    }
    ck_assert_int_eq(trm_device_open(scene.context, "hostile:1", &device), TRM_OK);
    ck_assert_str_eq(nest_candidate(scene.context, "hostile.so")->version, "1.0");
    trm_device_destroy(device);
    scene_close(&scene);
}
END_TEST

/* ---- what the backend says of itself --------------------------------------------------------------- */

START_TEST(scores_and_counts_that_cannot_be_are_refused)
{
    lie(HOSTILE_PROBE, (uint64_t)(int64_t)INT32_MIN);
    refused("its score is -2147483648");
    lie(HOSTILE_PROBE, 0);
    refused("its score is 0");
    answer(HOSTILE_PROBE, TRM_OK);
    lie(HOSTILE_DEVICE_COUNT, UINT32_MAX);
    refused("it reports 4294967295 devices");
    write_nothing(HOSTILE_DEVICE_COUNT);
    refused("it has no devices");
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("tables of a backend");
    TCase *tables   = tcase_create("tables");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(tables, load_hostile, unload_hostile);
    tcase_set_timeout(tables, 60);
    tcase_add_test(tables, a_name_without_an_end_is_refused);
    tcase_add_test(tables, a_table_whose_semaphores_cannot_be_destroyed_is_refused);
    tcase_add_test(tables, a_table_that_ends_within_a_function_is_refused);
    tcase_add_test(tables, a_version_without_an_end_is_cut);
    tcase_add_test(tables, tables_that_change_after_the_query_change_nothing);
    tcase_add_test(tables, scores_and_counts_that_cannot_be_are_refused);
    suite_add_tcase(suite, tables);

    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
