/* The settings in force: where they come from, and which is the strongest.
 * SPDX-License-Identifier: MIT
 */
#include "core/settings/settings.h"

#include "core/object/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

extern char **environ;

static struct counting counting;
static struct trm_context *context;
static char logged[8192];

static void note_line(void *user, int32_t level, const char *message)
{
    size_t length = strlen(logged);
    (void)user;
    snprintf(logged + length, sizeof(logged) - length, "%d %s\n", level, message);
}

static void setup(void)
{
    folder_make();
    clearenv();
    folder_sub("config");
    folder_sub("config/trireme");
    setenv("XDG_CONFIG_HOME", folder_path("config"), 1);
}

static void teardown(void)
{
    trm_context_destroy(context);
    counting_is_balanced(&counting);
    folder_remove();
}

static int32_t create(uint32_t flags, const struct trm_setting *settings, uint32_t count)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size   = sizeof(desc),
                                      .flags         = flags,
                                      .log           = note_line,
                                      .allocator     = &allocator,
                                      .settings      = settings,
                                      .setting_count = count};
    trm_context_destroy(context);
    context   = NULL;
    logged[0] = '\0';
    return trm_context_create(&desc, &context);
}

/* A context with at most one setting of the program. */
static void make(uint32_t flags, const char *name, const char *value)
{
    struct trm_setting setting = {name, value};
    ck_assert_msg(create(flags, &setting, name != NULL) == TRM_OK, "%s", trm_last_error().sentence);
}

static void is_bad(uint32_t flags, const char *name, const char *value, const char *words)
{
    struct trm_setting setting = {name, value};
    ck_assert_int_eq(create(flags, &setting, name != NULL || value != NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(context);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
    counting_is_balanced(&counting);
}

static void is(const char *name, const char *expected, int32_t expected_origin)
{
    char value[256];
    size_t needed  = 0;
    int32_t origin = -1;
    ck_assert_msg(trm_context_setting(context, name, value, sizeof(value), &needed, &origin) == TRM_OK,
                  "%s: %s", name, trm_last_error().sentence);
    ck_assert_str_eq(value, expected);
    ck_assert_uint_eq(needed, strlen(expected) + 1);
    ck_assert_int_eq(origin, expected_origin);
}

static void user_file(const char *text)
{
    folder_write("config/trireme/trireme.conf", text);
}

/* ---- strength ---- */

START_TEST(without_anything_every_setting_has_its_default)
{
    make(0, NULL, NULL);
    for (uint32_t i = 0; i < trm_setting_count(); i++) {
        struct trm_setting_info info = {.struct_size = sizeof(info)};
        ck_assert_int_eq(trm_setting_describe(i, &info), TRM_OK);
        is(info.name, info.default_value, TRM_ORIGIN_DEFAULT);
    }
    ck_assert_uint_eq(core_setting_number(core_context_find(context), "pool.slab"), UINT64_C(32) << 20);
    ck_assert_int_eq(trm_last_error().status, TRM_OK);
}
END_TEST

START_TEST(the_table_is_sorted_by_name)
{
    for (uint32_t i = 1; i < trm_setting_count(); i++)
        ck_assert_str_lt(core_setting_row_at(i - 1)->info.name, core_setting_row_at(i)->info.name);
}
END_TEST

START_TEST(the_program_wins_over_the_environment_over_the_file_over_the_default)
{
    user_file("cpu.workers = 1\n");
    make(0, NULL, NULL);
    is("cpu.workers", "1", TRM_ORIGIN_FILE);
    setenv("TRIREME_CPU_WORKERS", "2", 1);
    make(0, NULL, NULL);
    is("cpu.workers", "2", TRM_ORIGIN_ENVIRONMENT);
    make(0, "cpu.workers", "3");
    is("cpu.workers", "3", TRM_ORIGIN_PROGRAM);
    ck_assert_uint_eq(core_setting_number(core_context_find(context), "cpu.workers"), 3);
    unsetenv("TRIREME_CPU_WORKERS");
    make(0, "cpu.workers", "4");
    is("cpu.workers", "4", TRM_ORIGIN_PROGRAM);
    make(TRM_CONTEXT_NO_CONFIG, NULL, NULL);
    is("cpu.workers", "0", TRM_ORIGIN_DEFAULT);
}
END_TEST

START_TEST(each_key_is_looked_up_by_itself)
{
    user_file("cpu.workers = 1\npool.slab = 1M\nlog.level = 3\n");
    setenv("TRIREME_POOL_SLAB", "2M", 1);
    make(0, "log.level", "4");
    is("cpu.workers", "1", TRM_ORIGIN_FILE);
    is("pool.slab", "2M", TRM_ORIGIN_ENVIRONMENT);
    is("log.level", "4", TRM_ORIGIN_PROGRAM);
    is("pool.threshold", "512M", TRM_ORIGIN_DEFAULT);
    ck_assert_uint_eq(core_setting_number(core_context_find(context), "pool.slab"), UINT64_C(2) << 20);
}
END_TEST

START_TEST(a_file_may_set_each_setting_once)
{
    const struct core_setting_row *row;
    char text[4096] = "";
    size_t length   = 0;

    for (uint32_t i = 0; (row = core_setting_row_at(i)) != NULL; i++)
        if (*row->info.default_value && strcmp(row->info.name, "config") != 0)
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s = %s\n", row->info.name,
                                       row->info.default_value);
    ck_assert_uint_lt(length, sizeof(text));
    user_file(text);
    ck_assert_int_eq(create(0, NULL, 0), TRM_OK);
    is("array.type", "f32", TRM_ORIGIN_FILE);
    is("vulkan.validation", "no", TRM_ORIGIN_FILE);
}
END_TEST

START_TEST(the_programs_last_word_counts)
{
    struct trm_setting settings[] = {
        {"cpu.workers", "1"}, {"cpu.workers", "2"}, {"mine.x", "1"}, {"mine.x", "2"}};
    ck_assert_int_eq(create(0, settings, 4), TRM_OK);
    is("cpu.workers", "2", TRM_ORIGIN_PROGRAM);
    is("mine.x", "2", TRM_ORIGIN_PROGRAM);
}
END_TEST

START_TEST(an_empty_variable_is_as_good_as_none)
{
    setenv("TRIREME_CPU_WORKERS", "", 1);
    setenv("TRIREME_MINE_X", "", 1);
    make(0, NULL, NULL);
    is("cpu.workers", "0", TRM_ORIGIN_DEFAULT);
    ck_assert_int_eq(trm_context_setting(context, "mine.x", NULL, 0, NULL, NULL), TRM_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(an_empty_text_of_the_program_undoes_the_environment)
{
    setenv("TRIREME_BACKEND", "cuda", 1);
    make(0, "backend", "");
    is("backend", "", TRM_ORIGIN_PROGRAM);
}
END_TEST

START_TEST(a_program_may_do_without_environment_and_files)
{
    user_file("cpu.workers = 1\n");
    setenv("TRIREME_POOL_SLAB", "2M", 1);
    setenv("TRIREME_MINE_X", "1", 1);
    make(TRM_CONTEXT_NO_ENVIRONMENT, NULL, NULL);
    is("pool.slab", "32M", TRM_ORIGIN_DEFAULT);
    is("cpu.workers", "0", TRM_ORIGIN_DEFAULT); /* where the user's file is, the environment says */
    ck_assert_int_eq(trm_context_setting(context, "mine.x", NULL, 0, NULL, NULL), TRM_ERROR_NOT_FOUND);
    make(TRM_CONTEXT_NO_CONFIG, NULL, NULL);
    is("pool.slab", "2M", TRM_ORIGIN_ENVIRONMENT);
    is("cpu.workers", "0", TRM_ORIGIN_DEFAULT);
    is("mine.x", "1", TRM_ORIGIN_ENVIRONMENT);
}
END_TEST

/* ---- bad values ---- */

START_TEST(a_bad_value_is_refused_naming_where_it_comes_from_and_what_would_do)
{
    is_bad(0, "cpu.workers", "many", "the program's setting cpu.workers is \"many\"");
    is_bad(0, "cpu.workers", "many", "it takes a whole number from 0 to 1024");
    setenv("TRIREME_LOG", "loud", 1);
    is_bad(
        0, NULL, NULL,
        "TRIREME_LOG is \"loud\", but it takes none, error, warning, info or debug, or a number from 0 to 4");
    /* Also when a stronger source sets another value. */
    is_bad(0, "log.level", "1", "TRIREME_LOG");
    unsetenv("TRIREME_LOG");
    user_file("\npool.slab = much\n");
    is_bad(0, NULL, NULL, "trireme.conf:2: pool.slab is \"much\", but it takes a number of bytes");
}
END_TEST

START_TEST(settings_that_there_are_not_are_refused)
{
    is_bad(0, "cpu.wrokers", "1", "the program sets \"cpu.wrokers\"");
    is_bad(0, "nonsense", "1", "the program sets \"nonsense\"");
    is_bad(0, NULL, "1", "NULL");
    user_file("cpu.wrokers = 1\n");
    is_bad(0, NULL, NULL,
           "trireme.conf:1 sets \"cpu.wrokers\", but there is no such setting; did you mean cpu.workers?");
    user_file("config = /x\n");
    is_bad(0, NULL, NULL, "config cannot be set in a file");
    user_file("log.level = 1\nlog.level = 2\n");
    is_bad(0, NULL, NULL, "trireme.conf:2: log.level is set a second time");
}
END_TEST

START_TEST(a_selection_of_backends_is_checked_at_once)
{
    is_bad(0, "backend", "cuda,,cpu", "it takes a backend such as cuda");
    is_bad(0, "device", "cuda:x", "it takes a device such as cpu, cuda:1");
    is_bad(0, "backend.path", "plugins", "absolute folders");
}
END_TEST

START_TEST(settings_of_the_vulkan_backend_are_checked)
{
    is_bad(0, "vulkan.copies", "magic", "it takes auto, engine or kernel");
    is_bad(0, "vulkan.loader", "here/libvulkan.so.1", "the name of a library, or its absolute path");
    is_bad(0, "vulkan.spin", "1001", "a whole number from 0 to 1000");
    is_bad(0, "vulkan.validation", "perhaps", "yes or no");
    make(0, "vulkan.loader", "/opt/libvulkan.so.1");
    is("vulkan.loader", "/opt/libvulkan.so.1", TRM_ORIGIN_PROGRAM);
    is("vulkan.copies", "auto", TRM_ORIGIN_DEFAULT);
    make(0, "vulkan.copies", "kernel");
    is("vulkan.copies", "kernel", TRM_ORIGIN_PROGRAM);
}
END_TEST

/* ---- files ---- */

START_TEST(a_file_may_be_named)
{
    folder_write("other.conf", "cpu.workers = 7\n");
    user_file("cpu.workers = 1\nlog.level = 3\n");
    setenv("TRIREME_CONFIG", folder_path("other.conf"), 1);
    make(0, NULL, NULL);
    is("cpu.workers", "7", TRM_ORIGIN_FILE);
    is("log.level", "warning", TRM_ORIGIN_DEFAULT);
    unsetenv("TRIREME_CONFIG");
    make(TRM_CONTEXT_NO_ENVIRONMENT, "config", folder_path("other.conf"));
    is("cpu.workers", "7", TRM_ORIGIN_FILE);
}
END_TEST

START_TEST(a_file_that_is_named_must_be_there)
{
    struct trm_setting setting = {"config", folder_path("none.conf")};
    ck_assert_int_eq(create(0, &setting, 1), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "none.conf"));
    is_bad(0, "config", "relative.conf", "an absolute path");
}
END_TEST

START_TEST(without_xdg_the_users_file_is_under_home)
{
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", folder, 1);
    folder_sub(".config");
    folder_sub(".config/trireme");
    folder_write(".config/trireme/trireme.conf", "cpu.workers = 9\n");
    make(0, NULL, NULL);
    is("cpu.workers", "9", TRM_ORIGIN_FILE);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    make(0, NULL, NULL);
    is("cpu.workers", "9", TRM_ORIGIN_FILE);
    unsetenv("HOME");
    make(0, NULL, NULL);
    is("cpu.workers", "0", TRM_ORIGIN_DEFAULT);
}
END_TEST

START_TEST(a_file_that_others_may_write_names_no_code)
{
    user_file("backend = cpu\nbackend.path = /x\nmine.library = /x/y.so\nlog.level = 3\n");
    make(0, NULL, NULL);
    is("backend", "cpu", TRM_ORIGIN_FILE);
    is("backend.path", "/x", TRM_ORIGIN_FILE);
    is("mine.library", "/x/y.so", TRM_ORIGIN_FILE);
    ck_assert_str_eq(logged, "");

    ck_assert_int_eq(chmod(folder_path("config/trireme/trireme.conf"), 0666), 0);
    make(0, NULL, NULL);
    is("backend", "", TRM_ORIGIN_DEFAULT);
    is("backend.path", "", TRM_ORIGIN_DEFAULT);
    ck_assert_int_eq(trm_context_setting(context, "mine.library", NULL, 0, NULL, NULL), TRM_ERROR_NOT_FOUND);
    is("log.level", "3", TRM_ORIGIN_FILE);
    ck_assert_ptr_nonnull(strstr(logged, "trireme.conf:1: backend is ignored"));
    ck_assert_ptr_nonnull(strstr(logged, "trireme.conf:3: mine.library is ignored"));
}
END_TEST

START_TEST(a_file_that_may_not_be_read_is_passed_over_with_a_warning)
{
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(folder, 65534, 65534), 0);
        ck_assert_int_eq(chown(folder_path("config"), 65534, 65534), 0);
    }
    user_file("cpu.workers = 1\n");
    ck_assert_int_eq(chmod(folder_path("config/trireme/trireme.conf"), 0), 0);
    uid_t before = geteuid();
    if (before == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    make(0, NULL, NULL);
    if (before == 0)
        ck_assert_int_eq(seteuid(0), 0);
    is("cpu.workers", "0", TRM_ORIGIN_DEFAULT);
    ck_assert_ptr_nonnull(strstr(logged, "cannot be read"));
}
END_TEST

/* ---- settings of backends that the core does not know ---- */

START_TEST(a_backends_own_settings_are_kept_as_texts)
{
    user_file("mine.fast-path = from the file\nmine.other = x\nmine.other = y\n");
    make(0, NULL, NULL);
    is("mine.fast-path", "from the file", TRM_ORIGIN_FILE);
    is("mine.other", "x", TRM_ORIGIN_FILE);
    setenv("TRIREME_MINE_FAST_PATH", "from the environment", 1);
    make(0, NULL, NULL);
    is("mine.fast-path", "from the environment", TRM_ORIGIN_ENVIRONMENT);
    make(0, "mine.fast-path", "from the program");
    is("mine.fast-path", "from the program", TRM_ORIGIN_PROGRAM);
}
END_TEST

START_TEST(other_variables_are_none_of_ours)
{
    char name[300] = "TRIREME_";
    memset(name + 8, 'A', 200);
    memcpy(name + 100, "_", 1);
    setenv("TRIREMEX", "1", 1);
    setenv("TRIREME_X", "1", 1);
    setenv(name, "1", 1);
    setenv("OTHER_TRIREME_MINE_X", "1", 1);
    make(0, NULL, NULL);
    ck_assert_int_eq(trm_context_setting(context, "mine.x", NULL, 0, NULL, NULL), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "the setting mine.x is not set"));
}
END_TEST

/* ---- misspelt variables ---- */

static void create_logging(const char *variable, uint32_t flags)
{
    clearenv();
    if (variable != NULL)
        setenv(variable, "1", 1);
    make(flags, NULL, NULL);
}

START_TEST(a_misspelt_variable_is_warned_about_once_in_a_process)
{
    create_logging("TRIREME_CPU_WORKERS", 0);
    ck_assert_str_eq(logged, "");
    setenv("TRIREME_BACKENDS", "cuda", 1);
    make(0, NULL, NULL);
    ck_assert_str_eq(
        logged, "2 TRIREME_BACKENDS is set, but there is no such setting; did you mean TRIREME_BACKEND?\n");
    make(0, NULL, NULL);
    ck_assert_str_eq(logged, "");
}
END_TEST

START_TEST(a_context_without_a_log_leaves_the_warning_to_the_next)
{
    clearenv();
    setenv("TRIREME_BACKENDS", "cuda", 1);
    ck_assert_int_eq(trm_context_create(NULL, &context), TRM_OK);
    trm_context_destroy(context);
    context = NULL;
    create_logging("TRIREME_BACKENDS", TRM_CONTEXT_NO_ENVIRONMENT);
    ck_assert_str_eq(logged, "");
    make(0, NULL, NULL);
    ck_assert_ptr_nonnull(strstr(logged, "TRIREME_BACKENDS"));
}
END_TEST

START_TEST(every_misspelt_variable_is_named)
{
    clearenv();
    setenv("TRIREME_LOG_LEVEL", "debug", 1);
    setenv("TRIREME_VULCAN_ITEMS", "1", 1);
    setenv("TRIREME_CPU_COLOUR", "1", 1);
    make(0, NULL, NULL);
    ck_assert_ptr_nonnull(strstr(logged,
                                 "TRIREME_LOG_LEVEL is set, but there is no such setting; did you mean "
                                 "TRIREME_LOG?"));
    ck_assert_ptr_nonnull(strstr(logged, "did you mean TRIREME_VULKAN_ITEMS?"));
    ck_assert_ptr_nonnull(strstr(logged, "TRIREME_CPU_COLOUR is set, but there is no such setting; `trireme "
                                         "info --settings` lists them"));
}
END_TEST

START_TEST(a_setting_of_no_backend_that_is_near_to_one_is_warned_about)
{
    make(TRM_CONTEXT_NO_ENVIRONMENT, "cup.devices", "2");
    ck_assert_str_eq(logged, "2 cup.devices is set, but only a backend named cup would read it; did you mean "
                             "cpu.devices?\n");
    make(TRM_CONTEXT_NO_ENVIRONMENT, "mine.fast-path", "2");
    ck_assert_str_eq(logged, "");
}
END_TEST

START_TEST(variables_of_other_backends_and_empty_ones_are_not_misspelt)
{
    char name[300] = "TRIREME_";
    clearenv();
    memset(name + 8, 'A', 200);
    setenv(name, "1", 1);
    setenv("TRIREME_SOURCE", "/x", 1);
    setenv("TRIREME_MINE_FAST_PATH", "1", 1);
    setenv("TRIREME_BACKENDS", "", 1);
    setenv("TRIREME_\033[1m", "1", 1);
    make(0, NULL, NULL);
    ck_assert_str_eq(logged, "");
}
END_TEST

/* ---- asking ---- */

START_TEST(the_size_of_a_value_can_be_asked_first)
{
    char value[8] = "untouch";
    size_t needed = 0;
    make(0, "device", "cuda:1");
    ck_assert_int_eq(trm_context_setting(context, "device", NULL, 0, &needed, NULL), TRM_OK);
    ck_assert_uint_eq(needed, 7);
    needed = 0;
    ck_assert_int_eq(trm_context_setting(context, "device", value, 6, &needed, NULL), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(needed, 7);
    ck_assert_str_eq(value, "untouch");
    ck_assert_int_eq(trm_context_setting(context, "device", value, 7, NULL, NULL), TRM_OK);
    ck_assert_str_eq(value, "cuda:1");
}
END_TEST

START_TEST(asking_for_nonsense_fails)
{
    char value[8];
    make(0, NULL, NULL);
    ck_assert_int_eq(trm_context_setting(context, "nonsense", value, 8, NULL, NULL), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(trm_context_setting(context, NULL, value, 8, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_context_setting(context, "device", NULL, 8, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_context_setting(NULL, "device", value, 8, NULL, NULL), TRM_ERROR_INVALID_HANDLE);
    ck_assert_str_eq(core_setting_text(core_context_find(context), "nonsense"), "");
    ck_assert_uint_eq(core_setting_number(core_context_find(context), "nonsense"), 0);
    ck_assert(!core_setting_flag(core_context_find(context), "nonsense"));
}
END_TEST

START_TEST(a_number_is_a_flag_unless_it_is_zero)
{
    make(0, "cpu.workers", "2");
    ck_assert(core_setting_flag(core_context_find(context), "cpu.workers"));
    make(0, "cpu.workers", "0");
    ck_assert(!core_setting_flag(core_context_find(context), "cpu.workers"));
}
END_TEST

START_TEST(two_contexts_have_settings_of_their_own)
{
    struct trm_context *other;
    make(0, "cpu.workers", "2");
    ck_assert_int_eq(trm_context_create(NULL, &other), TRM_OK);
    is("cpu.workers", "2", TRM_ORIGIN_PROGRAM);
    ck_assert_uint_eq(core_setting_number(core_context_find(other), "cpu.workers"), 0);
    trm_context_destroy(other);
    is("cpu.workers", "2", TRM_ORIGIN_PROGRAM);
}
END_TEST

START_TEST(without_memory_no_settings_are_made_and_nothing_is_left)
{
    struct trm_setting settings[] = {{"cpu.workers", "1"}, {"cpu.workers", "2"}, {"mine.x", "1"}};
    int32_t status                = TRM_ERROR_OUT_OF_HOST_MEMORY;
    int failures                  = -1;
    user_file("mine.y = 1\nlog.level = 3\n");
    setenv("TRIREME_MINE_Z", "1", 1);
    setenv("TRIREME_POOL_SLAB", "1M", 1);
    for (; status == TRM_ERROR_OUT_OF_HOST_MEMORY; failures++) {
        ck_assert_int_eq(counting.blocks, 0);
        ck_assert_int_lt(failures, 100);
        counting.fail_at = counting.allocations + failures + 2;
        status           = create(0, settings, 3);
    }
    ck_assert_int_eq(status, TRM_OK);
    ck_assert_int_gt(failures, 15);
    is("mine.z", "1", TRM_ORIGIN_ENVIRONMENT);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("settings");
    TCase *values = tcase_create("settings");
    tcase_add_checked_fixture(values, setup, teardown);
    tcase_add_test(values, without_anything_every_setting_has_its_default);
    tcase_add_test(values, the_table_is_sorted_by_name);
    tcase_add_test(values, the_program_wins_over_the_environment_over_the_file_over_the_default);
    tcase_add_test(values, each_key_is_looked_up_by_itself);
    tcase_add_test(values, a_file_may_set_each_setting_once);
    tcase_add_test(values, the_programs_last_word_counts);
    tcase_add_test(values, an_empty_variable_is_as_good_as_none);
    tcase_add_test(values, an_empty_text_of_the_program_undoes_the_environment);
    tcase_add_test(values, a_program_may_do_without_environment_and_files);
    tcase_add_test(values, a_bad_value_is_refused_naming_where_it_comes_from_and_what_would_do);
    tcase_add_test(values, settings_that_there_are_not_are_refused);
    tcase_add_test(values, a_selection_of_backends_is_checked_at_once);
    tcase_add_test(values, settings_of_the_vulkan_backend_are_checked);
    tcase_add_test(values, a_file_may_be_named);
    tcase_add_test(values, a_file_that_is_named_must_be_there);
    tcase_add_test(values, without_xdg_the_users_file_is_under_home);
    tcase_add_test(values, a_file_that_others_may_write_names_no_code);
    tcase_add_test(values, a_file_that_may_not_be_read_is_passed_over_with_a_warning);
    tcase_add_test(values, a_backends_own_settings_are_kept_as_texts);
    tcase_add_test(values, other_variables_are_none_of_ours);
    tcase_add_test(values, a_misspelt_variable_is_warned_about_once_in_a_process);
    tcase_add_test(values, a_context_without_a_log_leaves_the_warning_to_the_next);
    tcase_add_test(values, every_misspelt_variable_is_named);
    tcase_add_test(values, a_setting_of_no_backend_that_is_near_to_one_is_warned_about);
    tcase_add_test(values, variables_of_other_backends_and_empty_ones_are_not_misspelt);
    tcase_add_test(values, the_size_of_a_value_can_be_asked_first);
    tcase_add_test(values, asking_for_nonsense_fails);
    tcase_add_test(values, a_number_is_a_flag_unless_it_is_zero);
    tcase_add_test(values, two_contexts_have_settings_of_their_own);
    tcase_add_test(values, without_memory_no_settings_are_made_and_nothing_is_left);
    suite_add_tcase(suite, values);
    return suite;
}

UNIT_SUITE(make_suite)
