/* Files of models: what is read back, what is ignored, how models of two processes are merged.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/model/stored.h"

#include <math.h>
#include <string.h>

#include "core/object/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static struct trm_context *handle;
static struct core_context *context;
static struct counting counting;

static const struct pipeline_stored_device device = {
    .backend = "cpu", .version = "1", .name = "a device", .driver = "2", .units = 4};

static void set_up(void)
{
    folder_make();
    const struct trm_setting settings[] = {{"kernel.cache", folder_path("cache")}};
    struct trm_allocator allocator      = counting_allocator(&counting);
    struct trm_context_desc desc        = {.struct_size   = sizeof(desc),
                                           .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                           .allocator     = &allocator,
                                           .settings      = settings,
                                           .setting_count = 1};
    ck_assert_msg(trm_context_create(&desc, &handle) == TRM_OK, "%s", trm_last_error().sentence);
    context = core_context_find(handle);
}

static void tear_down(void)
{
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
    folder_remove();
}

static struct pipeline_stored_model model_of(uint8_t kernel, double mean, uint64_t samples)
{
    struct pipeline_stored_model model = {
        .name = "blur", .size = 3, .samples = samples, .learned = 1000, .mean = mean, .spread = 2};
    memset(model.kernel, kernel, sizeof(model.kernel));
    return model;
}

static struct pipeline_stored *make(uint32_t capacity)
{
    struct pipeline_stored *made = pipeline_stored_create(context, &device, capacity);
    ck_assert_ptr_nonnull(made);
    return made;
}

static void add(struct pipeline_stored *stored, struct pipeline_stored_model model)
{
    const struct pipeline_stored_news news = {.model = model, .fresh = model.samples};
    pipeline_stored_merge(stored, &news);
}

static void save(struct pipeline_stored *stored)
{
    pipeline_stored_save(context, stored);
    pipeline_stored_destroy(context, stored);
}

START_TEST(what_is_saved_is_loaded_with_room_for_more)
{
    struct pipeline_stored *stored = make(2);
    add(stored, model_of(1, 100, 5));
    add(stored, model_of(2, 200, 6));
    stored->head.best_rate = 4.5;
    save(stored);
    stored = pipeline_stored_load(context, &device, 7);
    ck_assert_ptr_nonnull(stored);
    ck_assert_uint_eq(stored->head.count, 2);
    ck_assert_uint_eq(stored->capacity, 9);
    ck_assert_double_eq(stored->head.best_rate, 4.5);
    ck_assert_double_eq(stored->models[1].mean, 200);
    ck_assert_str_eq(stored->models[1].name, "blur");
    pipeline_stored_destroy(context, stored);
}
END_TEST

START_TEST(each_device_and_driver_has_a_file_of_its_own)
{
    struct pipeline_stored_device other = device;
    struct pipeline_stored *stored      = make(1);
    add(stored, model_of(1, 100, 5));
    save(stored);
    memcpy(other.driver, "3", 2);
    ck_assert_ptr_null(pipeline_stored_load(context, &other, 0));
    other = device;
    other.units++;
    ck_assert_ptr_null(pipeline_stored_load(context, &other, 0));
    stored = pipeline_stored_load(context, &device, 0);
    ck_assert_ptr_nonnull(stored);
    pipeline_stored_destroy(context, stored);
}
END_TEST

static void is_ignored(struct pipeline_stored *stored)
{
    save(stored);
    ck_assert_ptr_null(pipeline_stored_load(context, &device, 0));
}

/* The cache finds these complete: what they say is wrong. */
START_TEST(a_file_that_makes_no_sense_is_ignored)
{
    static const double wrong[] = {NAN, INFINITY, -1, 1e19};
    struct pipeline_stored *stored;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        stored = make(1);
        add(stored, model_of(1, wrong[i], 5));
        is_ignored(stored);
    }
    stored = make(1);
    add(stored, model_of(1, 100, 5));
    stored->head.version++;
    is_ignored(stored);
    stored = make(1);
    add(stored, model_of(1, 100, 5));
    stored->models[0].workload = 99;
    is_ignored(stored);
    stored = make(1);
    add(stored, model_of(1, 100, 5));
    memset(stored->models[0].name, 'x', sizeof(stored->models[0].name));
    is_ignored(stored);
    stored                 = make(1);
    stored->head.best_rate = NAN;
    is_ignored(stored);
}
END_TEST

START_TEST(a_file_with_fewer_models_than_it_says_is_ignored)
{
    struct pipeline_stored *stored = make(8);
    add(stored, model_of(1, 100, 5));
    save(stored);
    stored = pipeline_stored_load(context, &device, 8);
    ck_assert_ptr_nonnull(stored);
    ck_assert_uint_eq(stored->head.count, 1);
    pipeline_stored_destroy(context, stored);
    ck_assert_ptr_null(pipeline_stored_read(context, folder_path("nothing"), 0));
    folder_write_bytes("short", &device, sizeof(device));
    ck_assert_ptr_null(pipeline_stored_read(context, folder_path("short"), 0));
}
END_TEST

START_TEST(a_model_that_no_other_process_has_changed_is_replaced)
{
    struct pipeline_stored *stored     = make(1);
    struct pipeline_stored_model begun = model_of(1, 100, 5), now = model_of(1, 180, 25);
    add(stored, begun);
    const struct pipeline_stored_news news = {.model = now, .begun = &begun, .fresh = 20};
    pipeline_stored_merge(stored, &news);
    ck_assert_uint_eq(stored->head.count, 1);
    ck_assert_double_eq(stored->models[0].mean, 180);
    ck_assert_uint_eq(stored->models[0].samples, 25);
    pipeline_stored_destroy(context, stored);
}
END_TEST

START_TEST(a_model_that_another_process_has_changed_is_averaged)
{
    struct pipeline_stored *stored     = make(1);
    struct pipeline_stored_model begun = model_of(1, 100, 5), now = model_of(1, 200, 11);
    struct pipeline_stored_model theirs = model_of(1, 100, 8);
    now.least                           = 50;
    theirs.learned                      = 2000;
    add(stored, theirs);
    const struct pipeline_stored_news news = {.model = now, .begun = &begun, .fresh = 8};
    pipeline_stored_merge(stored, &news);
    ck_assert_double_eq(stored->models[0].mean, 150);
    ck_assert_double_eq(stored->models[0].least, 50);
    ck_assert_uint_eq(stored->models[0].samples, 16);
    ck_assert_uint_eq(stored->models[0].learned, 2000);
    pipeline_stored_destroy(context, stored);
}
END_TEST

START_TEST(of_too_many_models_the_oldest_are_left_out)
{
    struct pipeline_stored *stored = make(PIPELINE_STORED_MOST + 10);
    for (uint32_t i = 0; i < PIPELINE_STORED_MOST + 10; i++) {
        struct pipeline_stored_model model = model_of((uint8_t)i, 100, 5);
        model.kernel[1]                    = (uint8_t)(i >> 8);
        model.learned                      = i;
        add(stored, model);
    }
    save(stored);
    stored = pipeline_stored_load(context, &device, 0);
    ck_assert_ptr_nonnull(stored);
    ck_assert_uint_eq(stored->head.count, PIPELINE_STORED_MOST);
    for (uint32_t i = 0; i < stored->head.count; i++)
        ck_assert_uint_ge(stored->models[i].learned, 10);
    pipeline_stored_destroy(context, stored);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool files");
    TCase *tests = tcase_create("stored");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, what_is_saved_is_loaded_with_room_for_more);
    tcase_add_test(tests, each_device_and_driver_has_a_file_of_its_own);
    tcase_add_test(tests, a_file_that_makes_no_sense_is_ignored);
    tcase_add_test(tests, a_file_with_fewer_models_than_it_says_is_ignored);
    tcase_add_test(tests, a_model_that_no_other_process_has_changed_is_replaced);
    tcase_add_test(tests, a_model_that_another_process_has_changed_is_averaged);
    tcase_add_test(tests, of_too_many_models_the_oldest_are_left_out);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
