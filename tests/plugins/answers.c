/* What a backend's slots return: the program sees a status of the table, whatever that is, and a sentence
 * that names the slot where it is none. Then what they write: numbers, sizes and text that cannot be right.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile/fixture.h"

/* ---- statuses ------------------------------------------------------------------------------------- */

START_TEST(a_slot_that_does_its_work_lets_the_call_succeed)
{
    const struct use *use = &scene_uses[_i];
    open_scene(use);
    int32_t status = use->run(&scene);
    if (use->slot == HOSTILE_STREAM_WAIT_ANY) /* it says that a point is reached that query() denies */
        ck_assert_int_eq(status, TRM_ERROR_ABI);
    else if (use->slot == HOSTILE_STREAM_NOTIFY)
        ck_assert_int_eq(status, TRM_ERROR_TIMEOUT);
    else
        ck_assert_msg(status == TRM_OK, "%s: %s: %s", use->name, trm_status_name(status),
                      trm_last_error().sentence);
    close_scene();
}
END_TEST

START_TEST(a_status_of_the_table_reaches_the_program)
{
    const struct use *use = &scene_uses[_i];
    open_scene(use);
    answer(use->slot, TRM_ERROR_KERNEL);
    ck_assert_int_eq(use->run(&scene), is_loading(use) ? TRM_ERROR_NOT_FOUND : TRM_ERROR_KERNEL);
    close_scene();
}
END_TEST

START_TEST(a_number_that_is_no_status_becomes_a_failure_that_names_the_slot)
{
    static const int32_t numbers[] = {1, 2, INT32_MAX, INT32_MIN, TRM_ERROR_TIME_LIMIT - 1, -1000};
    const struct use *use          = &scene_uses[_i];
    char words[96];
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        open_scene(use);
        answer(use->slot, numbers[i]);
        int32_t status = use->run(&scene);
        ck_assert_msg(status == (is_loading(use) ? TRM_ERROR_NOT_FOUND : TRM_ERROR_BACKEND),
                      "%s() returned %d, the program sees %d: %s", use->name, numbers[i], status,
                      trm_last_error().sentence);
        snprintf(words, sizeof(words), "%s() of the backend hostile returned %d", use->name, numbers[i]);
        sentence_has(words);
        ck_assert_int_eq(trm_last_error().status, status);
        close_scene();
    }
}
END_TEST

START_TEST(every_slot_has_a_call_that_needs_it)
{
    bool has[HOSTILE_SLOT_COUNT] = {false};
    for (size_t i = 0; i < scene_use_count; i++)
        has[scene_uses[i].slot] = true;
    for (int slot = 0; slot < HOSTILE_SLOT_COUNT; slot++)
        ck_assert_msg(has[slot], "slot %d", slot);
}
END_TEST

/* TRM_TOKEN_END is 1, and says that the source of a run has no more. */
START_TEST(a_run_whose_copies_return_a_positive_number_fails)
{
    static unsigned char in[SCENE_BYTES], out[SCENE_BYTES];
    open_scene(NULL);
    struct trm_port ports[]       = {trm_port_input("x", 1024), trm_port_output("y", 1024)};
    struct trm_argument reads[]   = {trm_arg_port(0), trm_arg_u32(1)};
    struct trm_argument writes[]  = {trm_arg_port(1), trm_arg_u32(1)};
    struct trm_stage stages[]     = {trm_stage_launch(scene.kernel, reads, 2, 0, 1),
                                     trm_stage_launch(scene.kernel, writes, 2, 1, 1)};
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .stages      = stages,
                                     .stage_count = 2,
                                     .depth       = 2,
                                     .strategy    = TRM_STRATEGY_ROLE_STREAMS};
    struct trm_pipeline *pipeline = NULL;
    int32_t status                = trm_pipeline_create(scene.devices[0], &desc, &pipeline);
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    struct trm_source source = trm_source_memory(in, sizeof(in));
    struct trm_sink sink     = trm_sink_memory(out, sizeof(out));
    answer(HOSTILE_STREAM_COPY, TRM_TOKEN_END);
    ck_assert_int_eq(trm_pipeline_run(pipeline, &source, &sink), TRM_ERROR_BACKEND);
    sentence_has("stream.copy() of the backend hostile returned 1");
    scene.control->reset();
    trm_pipeline_destroy(pipeline);
    close_scene();
}
END_TEST

/* A program that polls would take it for "not yet". */
START_TEST(an_operation_that_times_out_when_it_is_enqueued_fails)
{
    open_scene(NULL);
    answer(HOSTILE_STREAM_COPY, TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_upload(scene.streams[0], trm_span_whole(scene.buffers[0]), scene.bytes),
                     TRM_ERROR_BACKEND);
    sentence_has("stream.copy() of the backend hostile returned TRM_ERROR_TIMEOUT");
    answer(HOSTILE_STREAM_COPY, TRM_OK);
    ck_assert_int_eq(trm_upload(scene.streams[0], trm_span_whole(scene.buffers[0]), scene.bytes), TRM_OK);
    close_scene();
}
END_TEST

START_TEST(a_wait_without_end_that_times_out_fails_the_stream)
{
    open_scene(NULL);
    ck_assert_int_eq(trm_upload(scene.streams[0], trm_span_whole(scene.buffers[0]), scene.bytes), TRM_OK);
    answer(HOSTILE_STREAM_WAIT, TRM_ERROR_TIMEOUT);
    struct trm_point point;
    ck_assert_int_eq(trm_stream_mark(scene.streams[0], &point), TRM_OK);
    ck_assert_int_eq(trm_point_wait(point, 1000), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_stream_sync(scene.streams[0]), TRM_ERROR_ABI);
    sentence_has("stream.wait() of the backend hostile returned TRM_ERROR_TIMEOUT");
    close_scene();
}
END_TEST

START_TEST(a_notification_with_a_number_that_is_no_status_fails_the_stream)
{
    struct trm_point point;
    uint32_t which;
    scene.control->stream->wait_any = NULL;
    ck_assert_int_eq(scene_open(&scene), TRM_OK);
    lie(HOSTILE_STREAM_QUERY, 0);
    lie(HOSTILE_STREAM_NOTIFY, 1);
    ck_assert_int_eq(trm_upload(scene.streams[0], trm_span_whole(scene.buffers[0]), scene.bytes), TRM_OK);
    ck_assert_int_eq(trm_stream_mark(scene.streams[0], &point), TRM_OK);
    ck_assert_int_eq(trm_wait_any(&point, 1, TRM_FOREVER, &which), TRM_ERROR_BACKEND);
    sentence_has("the notification of stream.notify() of the backend hostile returned 1");
    ck_assert_int_eq(trm_stream_sync(scene.streams[0]), TRM_ERROR_BACKEND);
    close_scene();
}
END_TEST

static struct trm_error callback_error;
static int32_t callback_status = 99;

static void note_status(void *user, int32_t status)
{
    (void)user;
    callback_status = status;
    callback_error  = trm_last_error();
}

START_TEST(a_callback_behind_a_bad_notification_learns_of_a_failure)
{
    open_scene(NULL);
    lie(HOSTILE_STREAM_NOTIFY, (uint64_t)(int64_t)INT32_MIN);
    ck_assert_int_eq(trm_upload(scene.streams[0], trm_span_whole(scene.buffers[0]), scene.bytes), TRM_OK);
    ck_assert_int_eq(trm_stream_callback(scene.streams[0], note_status, NULL), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(scene.streams[0]), TRM_ERROR_BACKEND);
    close_scene();
    ck_assert_int_eq(callback_status, TRM_ERROR_BACKEND);
}
END_TEST

/* ---- what is written ------------------------------------------------------------------------------ */

START_TEST(a_slot_that_makes_no_object_and_says_that_it_did_is_refused)
{
    static const enum hostile_slot slots[] = {
        HOSTILE_MEMORY_ALLOCATE,  HOSTILE_MEMORY_HOST_POINTER, HOSTILE_STREAM_CREATE,
        HOSTILE_STAMP_CREATE,     HOSTILE_POOL_ALLOCATE,       HOSTILE_GRAPH_CREATE,
        HOSTILE_STREAM_ADOPT,     HOSTILE_MEMORY_CREATE,       HOSTILE_MEMORY_IMPORT,
        HOSTILE_MEMORY_ADOPT,     HOSTILE_IPC_CREATE,          HOSTILE_IPC_OPEN,
        HOSTILE_SEMAPHORE_CREATE, HOSTILE_SEMAPHORE_IMPORT,    HOSTILE_MEMORY_EXPORT,
        HOSTILE_SEMAPHORE_EXPORT, HOSTILE_IMAGE_CREATE,        HOSTILE_SAMPLER_CREATE,
        HOSTILE_COLLECTIVE_CREATE};
    char words[96];
    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
        const struct use *use = scene_uses;
        while (use->slot != slots[i])
            use++;
        open_scene(use);
        write_nothing(use->slot);
        int32_t status = use->run(&scene);
        ck_assert_msg(status == TRM_ERROR_ABI, "%s: %s", use->name, trm_status_name(status));
        snprintf(words, sizeof(words), "%s() of the backend hostile returned TRM_OK, but no ", use->name);
        sentence_has(words);
        close_scene();
    }
}
END_TEST

START_TEST(numbers_that_a_slot_does_not_write_are_zero)
{
    static const enum hostile_slot slots[] = {
        HOSTILE_POOL_STATISTICS, HOSTILE_STAMP_READ,      HOSTILE_DEVICE_HANDLE, HOSTILE_STREAM_HANDLE,
        HOSTILE_MEMORY_HANDLE,   HOSTILE_SEMAPHORE_VALUE, HOSTILE_IPC_EXPORT,    HOSTILE_STREAM_QUERY};
    open_scene(NULL);
    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
        const struct use *use = scene_uses;
        while (use->slot != slots[i])
            use++;
        write_nothing(use->slot);
        int32_t status = use->run(&scene);
        ck_assert_msg(status == (use->slot == HOSTILE_STREAM_QUERY ? TRM_ERROR_TIMEOUT : TRM_OK), "%s: %s",
                      use->name, trm_status_name(status));
        answer(use->slot, TRM_OK);
    }
    close_scene();
}
END_TEST

START_TEST(an_operation_that_was_never_enqueued_is_not_complete)
{
    open_scene(NULL);
    lie(HOSTILE_STREAM_QUERY, UINT64_MAX);
    ck_assert_int_eq(trm_upload(scene.streams[0], trm_span_whole(scene.buffers[0]), scene.bytes), TRM_OK);
    ck_assert_int_eq(trm_stream_query(scene.streams[0]), TRM_ERROR_ABI);
    sentence_has("operation 18446744073709551615 is complete, but only 1 are enqueued");
    close_scene();
}
END_TEST

START_TEST(a_wait_for_any_that_returns_too_early_is_refused)
{
    struct trm_point point;
    uint32_t which = 7;
    open_scene(NULL);
    lie(HOSTILE_STREAM_QUERY, 0);
    lie(HOSTILE_STREAM_WAIT_ANY, UINT32_MAX);
    ck_assert_int_eq(trm_upload(scene.streams[0], trm_span_whole(scene.buffers[0]), scene.bytes), TRM_OK);
    ck_assert_int_eq(trm_stream_mark(scene.streams[0], &point), TRM_OK);
    ck_assert_int_eq(trm_wait_any(&point, 1, TRM_FOREVER, &which), TRM_ERROR_ABI);
    sentence_has("stream.wait_any() of the backend hostile");
    close_scene();
}
END_TEST

START_TEST(the_index_of_a_wait_for_any_is_the_librarys_own)
{
    struct trm_point points[2];
    uint32_t which = 7;
    open_scene(NULL);
    lie(HOSTILE_STREAM_WAIT_ANY, UINT32_MAX);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trm_fill(scene.streams[i], trm_span_whole(scene.buffers[0]), 1, 4), TRM_OK);
        ck_assert_int_eq(trm_stream_mark(scene.streams[i], &points[i]), TRM_OK);
    }
    ck_assert_int_eq(trm_wait_any(points, 2, TRM_FOREVER, &which), TRM_OK);
    ck_assert_uint_lt(which, 2);
    close_scene();
}
END_TEST

START_TEST(an_adopted_device_with_a_number_beyond_the_count_is_refused)
{
    struct trm_device *device = NULL;
    open_scene(NULL);
    lie(HOSTILE_ADOPT, 2);
    ck_assert_int_eq(trm_device_adopt(scene.context, "hostile", TRM_NATIVE_DEVICE_CUDA, &scene, &device),
                     TRM_ERROR_ABI);
    sentence_has("device number 2");
    close_scene();
}
END_TEST

/* ---- properties ----------------------------------------------------------------------------------- */

START_TEST(text_of_a_device_that_does_not_end_is_refused)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    char name[64];
    open_scene(NULL);
    write_nothing(HOSTILE_DEVICE_GET_INFO);
    ck_assert_int_eq(trm_device_get_info(scene.devices[0], TRM_DEVICE_NAME, name, sizeof(name), NULL),
                     TRM_ERROR_ABI);
    sentence_has("none of which ends the text");
    ck_assert_int_eq(trm_device_describe(scene.context, 0, &summary), TRM_ERROR_ABI);
    struct trm_device *device = NULL;
    ck_assert_int_eq(trm_device_open(scene.context, "hostile:name=*", &device), TRM_ERROR_ABI);
    close_scene();
}
END_TEST

START_TEST(a_size_that_a_property_cannot_have_is_refused)
{
    uint64_t value[3];
    size_t needed = 0;
    open_scene(NULL);
    lie(HOSTILE_DEVICE_GET_INFO, UINT64_MAX);
    ck_assert_int_eq(trm_device_get_info(scene.devices[0], TRM_DEVICE_NAME, value, sizeof(value), &needed),
                     TRM_ERROR_ABI);
    ck_assert_int_eq(trm_device_get_info(scene.devices[0], TRM_DEVICE_KIND, value, sizeof(value), &needed),
                     TRM_ERROR_ABI);
    ck_assert_int_eq(trm_device_get_info(scene.devices[0], TRM_DEVICE_MAX_GROUPS, NULL, 0, &needed),
                     TRM_ERROR_ABI);
    ck_assert_uint_eq(needed, 0);
    answer(HOSTILE_DEVICE_GET_INFO, TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_device_get_info(scene.devices[0], TRM_DEVICE_KIND, value, sizeof(value), &needed),
                     TRM_ERROR_ABI);
    close_scene();
}
END_TEST

static void open_fails(const char *words)
{
    struct trm_device *device = NULL;
    ck_assert_int_eq(trm_device_open(scene.context, NULL, &device), TRM_ERROR_ABI);
    sentence_has(words);
}

START_TEST(capabilities_that_cannot_be_keep_a_device_from_opening)
{
    open_scene(NULL);
    scene.control->set_property(TRM_DEVICE_BUFFER_ALIGNMENT, 0);
    open_fails("aligns buffers of device hostile:0 to 0 bytes");
    scene.control->set_property(TRM_DEVICE_BUFFER_ALIGNMENT, 48);
    open_fails("48 bytes");
    scene.control->set_property(TRM_DEVICE_BUFFER_ALIGNMENT, 64);
    scene.control->set_property(TRM_DEVICE_UNIFIED, 2);
    open_fails("neither 0 nor 1: unified 2");
    close_scene();
}
END_TEST

START_TEST(a_kind_of_device_that_is_no_number_of_the_table_is_another_one)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    open_scene(NULL);
    scene.control->set_property(TRM_DEVICE_KIND, UINT64_C(1) << 40);
    ck_assert_int_eq(trm_device_describe(scene.context, 0, &summary), TRM_OK);
    ck_assert_int_eq(summary.kind, TRM_DEVICE_OTHER);
    close_scene();
}
END_TEST

/* ---- kernels -------------------------------------------------------------------------------------- */

START_TEST(parameters_that_are_no_description_are_refused)
{
    static char endless[256];
    static const struct trm_parameter unending[] = {{.name = endless, .kind = TRM_PARAMETER_BUFFER},
                                                    {.name = "n", .kind = TRM_PARAMETER_BUFFER}};
    struct trm_kernel *kernel                    = NULL;
    memset(endless, 'x', sizeof(endless));
    open_scene(NULL);
    lie(HOSTILE_MODULE_KERNEL, UINT32_MAX);
    ck_assert_int_eq(trm_kernel_get(scene.module, "nothing", &kernel), TRM_ERROR_ABI);
    sentence_has("has 4294967295 parameters");
    answer(HOSTILE_MODULE_KERNEL, TRM_OK);
    scene.control->parameters = unending;
    ck_assert_int_eq(trm_kernel_get(scene.module, "nothing", &kernel), TRM_ERROR_ABI);
    sentence_has("does not end within");
    close_scene();
}
END_TEST

START_TEST(parameters_that_change_after_the_kernel_was_found_change_nothing)
{
    char name[]                       = "first";
    struct trm_parameter parameters[] = {{.name = name, .kind = TRM_PARAMETER_BUFFER},
                                         {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32}};
    struct trm_kernel_info info       = {.struct_size = sizeof(info)};
    struct trm_kernel *kernel         = NULL;
    open_scene(NULL);
    scene.control->parameters = parameters;
    ck_assert_int_eq(trm_kernel_get(scene.module, "nothing", &kernel), TRM_OK);
    memset(name, 'x', sizeof(name));
    memset(parameters, 0xee, sizeof(parameters));
    ck_assert_int_eq(trm_kernel_describe(kernel, &info), TRM_OK);
    ck_assert_str_eq(info.parameters[0].name, "first");
    ck_assert_int_eq(info.parameters[1].type, TRM_TYPE_U32);
    trm_kernel_destroy(kernel);
    close_scene();
}
END_TEST

START_TEST(kernel_names_without_an_end_are_cut)
{
    static char endless[5000];
    struct trm_kernel *kernel = NULL;
    memset(endless, 'x', sizeof(endless));
    open_scene(NULL);
    scene.control->kernel_name = endless;
    ck_assert_int_eq(trm_kernel_get(scene.module, NULL, &kernel), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_kernel_get(scene.module, "none", &kernel), TRM_ERROR_NOT_FOUND);
    scene.control->kernel_name = "";
    ck_assert_int_eq(trm_kernel_get(scene.module, "none", &kernel), TRM_ERROR_NOT_FOUND);
    close_scene();
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("answers of a backend");
    TCase *statuses = tcase_create("statuses"), *outputs = tcase_create("outputs");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(statuses, load_hostile, unload_hostile);
    tcase_set_timeout(statuses, 60);
    tcase_add_test(statuses, every_slot_has_a_call_that_needs_it);
    tcase_add_loop_test(statuses, a_slot_that_does_its_work_lets_the_call_succeed, 0, (int)scene_use_count);
    tcase_add_loop_test(statuses, a_status_of_the_table_reaches_the_program, 0, (int)scene_use_count);
    tcase_add_loop_test(statuses, a_number_that_is_no_status_becomes_a_failure_that_names_the_slot, 0,
                        (int)scene_use_count);
    tcase_add_test(statuses, a_run_whose_copies_return_a_positive_number_fails);
    tcase_add_test(statuses, an_operation_that_times_out_when_it_is_enqueued_fails);
    tcase_add_test(statuses, a_wait_without_end_that_times_out_fails_the_stream);
    tcase_add_test(statuses, a_notification_with_a_number_that_is_no_status_fails_the_stream);
    tcase_add_test(statuses, a_callback_behind_a_bad_notification_learns_of_a_failure);
    suite_add_tcase(suite, statuses);

    tcase_add_checked_fixture(outputs, load_hostile, unload_hostile);
    tcase_set_timeout(outputs, 60);
    tcase_add_test(outputs, a_slot_that_makes_no_object_and_says_that_it_did_is_refused);
    tcase_add_test(outputs, numbers_that_a_slot_does_not_write_are_zero);
    tcase_add_test(outputs, an_operation_that_was_never_enqueued_is_not_complete);
    tcase_add_test(outputs, a_wait_for_any_that_returns_too_early_is_refused);
    tcase_add_test(outputs, the_index_of_a_wait_for_any_is_the_librarys_own);
    tcase_add_test(outputs, an_adopted_device_with_a_number_beyond_the_count_is_refused);
    tcase_add_test(outputs, text_of_a_device_that_does_not_end_is_refused);
    tcase_add_test(outputs, a_size_that_a_property_cannot_have_is_refused);
    tcase_add_test(outputs, capabilities_that_cannot_be_keep_a_device_from_opening);
    tcase_add_test(outputs, a_kind_of_device_that_is_no_number_of_the_table_is_another_one);
    tcase_add_test(outputs, parameters_that_are_no_description_are_refused);
    tcase_add_test(outputs, parameters_that_change_after_the_kernel_was_found_change_nothing);
    tcase_add_test(outputs, kernel_names_without_an_end_are_cut);
    suite_add_tcase(suite, outputs);

    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
