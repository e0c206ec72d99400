/* Kernels by name: which file is taken, and which is refused.
 * SPDX-License-Identifier: MIT
 */
#include "core/shader/kernel_path.h"

#include "core/object/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static struct trm_context *context;
static struct counting counting;
static struct base_arena arena;
static char logged[8192];

static void note_line(void *user, int32_t level, const char *message)
{
    size_t length = strlen(logged);
    (void)user;
    (void)level;
    snprintf(logged + length, sizeof(logged) - length, "%s\n", message);
}

static void setup(void)
{
    char search[2 * PATH_MAX];

    folder_make();
    folder_sub("a");
    folder_sub("b");
    snprintf(search, sizeof(search), "%s:%s", folder_path("a"), folder_path("b"));
    struct trm_setting settings[]  = {{"kernel.path", search}};
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size   = sizeof(desc),
                                      .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                      .log           = note_line,
                                      .allocator     = &allocator,
                                      .settings      = settings,
                                      .setting_count = 1};
    ck_assert_msg(trm_context_create(&desc, &context) == TRM_OK, "%s", trm_last_error().sentence);
    base_arena_init(&arena, &core_context_find(context)->allocator);
}

static void teardown(void)
{
    base_arena_fini(&arena);
    trm_context_destroy(context);
    counting_is_balanced(&counting);
    folder_remove();
}

static void is_at(const char *name, const char *place)
{
    const char *path = NULL;
    ck_assert_msg(core_kernel_path_find(core_context_find(context), &arena, name, &path) == TRM_OK, "%s",
                  trm_last_error().sentence);
    ck_assert_str_eq(path, folder_path(place));
}

static void fails(const char *name, int32_t status, const char *words)
{
    const char *path = NULL;
    ck_assert_int_eq(core_kernel_path_find(core_context_find(context), &arena, name, &path), status);
    ck_assert_ptr_null(path);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
}

/* ---- one ---- */

START_TEST(the_first_folder_that_has_a_kernel_is_taken)
{
    folder_write("a/one.spv", "");
    folder_write("b/one.spv", "");
    folder_write("b/two.spv", "");
    is_at("one", "a/one.spv");
    is_at("two", "b/two.spv");
}
END_TEST

START_TEST(a_kernel_that_is_nowhere_is_answered_with_the_folders)
{
    folder_write("a/one.so", "");
    fails("one", TRM_ERROR_NOT_FOUND, folder_path("a"));
    fails("one", TRM_ERROR_NOT_FOUND, folder_path("b"));
    fails("one", TRM_ERROR_NOT_FOUND, "\"one\"");
}
END_TEST

START_TEST(a_kernel_that_is_not_compiled_is_answered_with_its_source)
{
    folder_write("b/one.comp", "");
    fails("one", TRM_ERROR_NOT_FOUND, folder_path("b/one.comp"));
    fails("one", TRM_ERROR_NOT_FOUND, "with trireme kc");
}
END_TEST

START_TEST(a_misspelt_kernel_is_answered_with_the_nearest_name)
{
    folder_write("a/gaussian_blur.spv", "");
    folder_write("b/sobel.spv", "");
    fails("gausian_blur", TRM_ERROR_NOT_FOUND, "did you mean \"gaussian_blur\"?");
    fails("sobl", TRM_ERROR_NOT_FOUND, "did you mean \"sobel\"?");
    fails("histogram", TRM_ERROR_NOT_FOUND, "\"histogram\"");
    ck_assert_ptr_null(strstr(trm_last_error().sentence, "did you mean"));
}
END_TEST

START_TEST(names_have_letters_digits_and_two_marks)
{
    char longest[102];

    folder_write("a/One_2-x.spv", "");
    folder_write("c.spv", "");
    is_at("One_2-x", "a/One_2-x.spv");
    fails("", TRM_ERROR_INVALID_ARGUMENT, "name");
    fails("../c", TRM_ERROR_INVALID_ARGUMENT, "../c");
    fails("/etc/passwd", TRM_ERROR_INVALID_ARGUMENT, "name");
    fails("a b", TRM_ERROR_INVALID_ARGUMENT, "name");
    fails(".", TRM_ERROR_INVALID_ARGUMENT, "name");
    fails("-x", TRM_ERROR_INVALID_ARGUMENT, "name");
    fails("gr\xc3\xbcn", TRM_ERROR_INVALID_ARGUMENT, "name");
    memset(longest, 'a', 101);
    longest[101] = '\0';
    fails(longest, TRM_ERROR_INVALID_ARGUMENT, "100");
    longest[100] = '\0';
    fails(longest, TRM_ERROR_NOT_FOUND, "aaa");
}
END_TEST

START_TEST(a_kernel_that_others_may_write_is_refused)
{
    folder_write("a/one.spv", "");
    folder_write("b/one.spv", "");
    ck_assert_int_eq(chmod(folder_path("a/one.spv"), 0666), 0);
    fails("one", TRM_ERROR_PERMISSION, folder_path("a/one.spv"));
    ck_assert_int_eq(chmod(folder_path("a/one.spv"), 0644), 0);
    is_at("one", "a/one.spv");
    ck_assert_int_eq(chmod(folder_path("a"), 0777), 0);
    fails("one", TRM_ERROR_PERMISSION, folder_path("a"));
    ck_assert_int_eq(chmod(folder_path("a"), 0755), 0);
    is_at("one", "a/one.spv");
}
END_TEST

START_TEST(a_folder_in_the_place_of_a_kernel_is_none)
{
    folder_sub("a/one.spv");
    fails("one", TRM_ERROR_NOT_FOUND, "regular file");
}
END_TEST

/* ---- all ---- */

static char seen[4096];

static int32_t note_place(void *user, const struct trm_shader_place *place)
{
    size_t length     = strlen(seen);
    const char *below = place->path + strlen(folder);

    if (strncmp(place->path, folder, strlen(folder)) != 0)
        return TRM_OK; /* what is installed on this machine */
    snprintf(seen + length, sizeof(seen) - length, "%s=%s;", place->name, below);
    return strcmp(place->name, user != NULL ? user : "") == 0 ? TRM_ERROR_CANCELLED : TRM_OK;
}

START_TEST(all_kernels_are_listed_once_by_name)
{
    folder_write("b/two.spv", "");
    folder_write("b/one.spv", "");
    folder_write("a/two.spv", "");
    folder_write("a/four.spv", "");
    folder_write("a/four.so", "");
    folder_write("a/not a name.spv", "");
    ck_assert_int_eq(trm_shader_list(context, note_place, NULL), TRM_OK);
    ck_assert_str_eq(seen, "four=/a/four.spv;one=/b/one.spv;two=/a/two.spv;");
}
END_TEST

START_TEST(a_visit_that_fails_ends_the_list)
{
    folder_write("a/one.spv", "");
    folder_write("a/two.spv", "");
    folder_write("a/three.spv", "");
    ck_assert_int_eq(trm_shader_list(context, note_place, (void *)"three"), TRM_ERROR_CANCELLED);
    ck_assert_str_eq(seen, "one=/a/one.spv;three=/a/three.spv;");
}
END_TEST

START_TEST(kernels_that_others_may_write_are_left_out_of_the_list_and_logged)
{
    folder_write("a/one.spv", "");
    folder_write("a/two.spv", "");
    ck_assert_int_eq(chmod(folder_path("a/one.spv"), 0666), 0);
    ck_assert_int_eq(trm_shader_list(context, note_place, NULL), TRM_OK);
    ck_assert_str_eq(seen, "two=/a/two.spv;");
    ck_assert_ptr_nonnull(strstr(logged, folder_path("a/one.spv")));
}
END_TEST

START_TEST(a_list_without_an_output_is_refused)
{
    ck_assert_int_eq(trm_shader_list(context, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_shader_list(NULL, note_place, NULL), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("kernel path");
    TCase *cases = tcase_create("kernel path");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_first_folder_that_has_a_kernel_is_taken);
    tcase_add_test(cases, a_kernel_that_is_nowhere_is_answered_with_the_folders);
    tcase_add_test(cases, a_kernel_that_is_not_compiled_is_answered_with_its_source);
    tcase_add_test(cases, a_misspelt_kernel_is_answered_with_the_nearest_name);
    tcase_add_test(cases, names_have_letters_digits_and_two_marks);
    tcase_add_test(cases, a_kernel_that_others_may_write_is_refused);
    tcase_add_test(cases, a_folder_in_the_place_of_a_kernel_is_none);
    tcase_add_test(cases, all_kernels_are_listed_once_by_name);
    tcase_add_test(cases, a_visit_that_fails_ends_the_list);
    tcase_add_test(cases, kernels_that_others_may_write_are_left_out_of_the_list_and_logged);
    tcase_add_test(cases, a_list_without_an_output_is_refused);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
