/* The table of settings, and what each type takes.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <trireme/trireme.h>

#include "core/settings/settings.h"
#include "tests/unit/runner.h"

static uint64_t number;
static char allowed[256];

static int32_t parse(int32_t type, uint64_t most, const char *value)
{
    struct core_setting_row row = {.info.type = type, .maximum = most};
    allowed[0]                  = '\0';
    return core_setting_parse(&row, value, &number, allowed, sizeof(allowed));
}

static void is_number(int32_t type, const char *value, uint64_t expected)
{
    ck_assert_msg(parse(type, UINT64_MAX, value), "%s was refused", value);
    ck_assert_uint_eq(number, expected);
}

static void is_bad(int32_t type, const char *value)
{
    ck_assert_msg(!parse(type, UINT64_MAX, value), "%s was accepted", value);
    ck_assert_str_ne(allowed, "");
}

START_TEST(a_flag_is_yes_or_no_in_many_words)
{
    static const char *const yes[] = {"yes", "on", "true", "1", "YES", "True"};
    static const char *const no[]  = {"no", "off", "false", "0", "Off"};
    static const char *const bad[] = {"", "2", "y", "yes ", "maybe", "-1"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        is_number(TRM_SETTING_BOOL, yes[i], 1);
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        is_number(TRM_SETTING_BOOL, no[i], 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        is_bad(TRM_SETTING_BOOL, bad[i]);
}
END_TEST

START_TEST(a_count_is_a_whole_number)
{
    static const char *const bad[] = {
        "", "-1", "+1", "1.5", "0x10", " 1", "1 ", "1K", "18446744073709551616", "many"};
    is_number(TRM_SETTING_COUNT, "0", 0);
    is_number(TRM_SETTING_COUNT, "007", 7);
    is_number(TRM_SETTING_COUNT, "18446744073709551615", UINT64_MAX);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        is_bad(TRM_SETTING_COUNT, bad[i]);
}
END_TEST

START_TEST(a_loss_names_devices_and_launches)
{
    static const char *const good[]    = {"1@20", "0@1", "15@999999999999999999", "0@40,1@20"};
    static const char *const bad[]     = {"1",         "@20",         "1@",       "1@0",
                                          "1@00",      "100@1",       "cpu:1@20", "16@1",
                                          "99@5",      "1@20,",       ",1@20",    "1@20x",
                                          "1 @20",     "1@20;2@1",    "1@-1",     "1@1000000000000000000",
                                          "0@20,0@30", "1@5,2@5,01@7"};
    const struct core_setting_row *row = core_setting_row("cpu.lose");
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        ck_assert_msg(core_setting_parse(row, good[i], &number, allowed, sizeof(allowed)), "%s was refused",
                      good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!core_setting_parse(row, bad[i], &number, allowed, sizeof(allowed)), "%s was accepted",
                      bad[i]);
    ck_assert(core_setting_parse(row, "", &number, allowed, sizeof(allowed)));
}
END_TEST

/* The backend reads a text of this length: a longer one would lose no device. */
START_TEST(losses_have_a_limit)
{
    const struct core_setting_row *row = core_setting_row("cpu.lose");
    char losses[512];
    size_t length = 0;
    for (unsigned i = 0; i < 11; i++)
        length += (size_t)snprintf(losses + length, sizeof(losses) - length, "%u@999999999999999999,", i);
    length += (size_t)snprintf(losses + length, sizeof(losses) - length, "11@999999999999999,12@2");
    ck_assert_uint_eq(length, 255);
    ck_assert(core_setting_parse(row, losses, &number, allowed, sizeof(allowed)));
    strcat(losses, "0");
    ck_assert(!core_setting_parse(row, losses, &number, allowed, sizeof(allowed)));
    ck_assert_ptr_nonnull(strstr(allowed, "devices from 0 to 15, each once, and at most 255 characters"));
}
END_TEST

START_TEST(a_count_has_a_limit)
{
    ck_assert(parse(TRM_SETTING_COUNT, 4, "4"));
    ck_assert(!parse(TRM_SETTING_COUNT, 4, "5"));
    ck_assert_str_eq(allowed, "a whole number from 0 to 4");
}
END_TEST

START_TEST(a_count_without_a_maximum_is_any_whole_number)
{
    ck_assert(parse(TRM_SETTING_COUNT, 0, "0"));
    ck_assert(parse(TRM_SETTING_COUNT, 0, "5"));
    ck_assert_uint_eq(number, 5);
    ck_assert(parse(TRM_SETTING_COUNT, 0, "18446744073709551615"));
    ck_assert_uint_eq(number, UINT64_MAX);
    ck_assert(!parse(TRM_SETTING_COUNT, 0, "18446744073709551616"));
    ck_assert(!parse(TRM_SETTING_COUNT, 0, "many"));
    ck_assert_str_eq(allowed, "a whole number");
}
END_TEST

START_TEST(bytes_may_have_a_unit)
{
    static const char *const bad[] = {
        "", "K", "1KB", "1T", "1 K", "-1K", "1.5M", "17179869184G", "99999999999999999999"};
    is_number(TRM_SETTING_BYTES, "0", 0);
    is_number(TRM_SETTING_BYTES, "100", 100);
    is_number(TRM_SETTING_BYTES, "2K", 2048);
    is_number(TRM_SETTING_BYTES, "2k", 2048);
    is_number(TRM_SETTING_BYTES, "32M", UINT64_C(32) << 20);
    is_number(TRM_SETTING_BYTES, "3m", UINT64_C(3) << 20);
    is_number(TRM_SETTING_BYTES, "17179869183G", UINT64_C(17179869183) << 30);
    is_number(TRM_SETTING_BYTES, "1g", UINT64_C(1) << 30);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        is_bad(TRM_SETTING_BYTES, bad[i]);
}
END_TEST

START_TEST(paths_are_absolute_folders)
{
    static const char *const good[] = {"", "/", "/a", "/a:/b c:/d"};
    static const char *const bad[]  = {"a", ".", ":", "/a:", ":/a", "/a::/b", "/a:b", "~/x"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        ck_assert_msg(parse(TRM_SETTING_PATHS, 0, good[i]), "%s was refused", good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        is_bad(TRM_SETTING_PATHS, bad[i]);
}
END_TEST

START_TEST(a_text_is_anything_unless_its_row_checks_it)
{
    ck_assert(parse(TRM_SETTING_TEXT, 0, ""));
    ck_assert(parse(TRM_SETTING_TEXT, 0, "any thing: at = all"));

    const struct core_setting_row *backend = core_setting_row("backend");
    ck_assert(core_setting_parse(backend, "^cuda", &number, allowed, sizeof(allowed)));
    ck_assert(core_setting_parse(backend, "", &number, allowed, sizeof(allowed)));
    ck_assert(!core_setting_parse(backend, "^cuda,,", &number, allowed, sizeof(allowed)));
    ck_assert_ptr_nonnull(strstr(allowed, "cuda:1"));

    const struct core_setting_row *config = core_setting_row("config");
    ck_assert(core_setting_parse(config, "/etc/x", &number, allowed, sizeof(allowed)));
    ck_assert(!core_setting_parse(config, "x", &number, allowed, sizeof(allowed)));
}
END_TEST

START_TEST(the_table_is_complete_and_without_doubles)
{
    for (uint32_t i = 0; i < trm_setting_count(); i++) {
        struct trm_setting_info info = {.struct_size = sizeof(info)}, other = {.struct_size = sizeof(other)};
        ck_assert_int_eq(trm_setting_describe(i, &info), TRM_OK);
        ck_assert_uint_eq(info.struct_size, sizeof(info));
        ck_assert_int_eq(strncmp(info.variable, "TRIREME_", 8), 0);
        ck_assert_int_eq(info.help[strlen(info.help) - 1], '.');
        const struct core_setting_row *row = core_setting_row(info.name);
        ck_assert_ptr_eq(row, core_setting_row_at(i));
        /* Where it is empty, who reads it decides: the help says how. */
        ck_assert_msg(info.default_value[0] == '\0' ||
                          core_setting_parse(row, info.default_value, &number, allowed, sizeof(allowed)),
                      "the default of %s is not of its type", info.name);
        for (uint32_t j = 0; j < i; j++) {
            ck_assert_int_eq(trm_setting_describe(j, &other), TRM_OK);
            ck_assert_str_ne(info.name, other.name);
            ck_assert_str_ne(info.variable, other.variable);
        }
    }
    ck_assert_ptr_null(core_setting_row_at(trm_setting_count()));
    ck_assert_ptr_null(core_setting_row("no.such"));
}
END_TEST

START_TEST(the_settings_that_name_code_are_secure)
{
    ck_assert(core_setting_row("backend")->info.secure);
    ck_assert(core_setting_row("backend.path")->info.secure);
    ck_assert(core_setting_row("config")->info.secure);
    ck_assert(!core_setting_row("log.level")->info.secure);
}
END_TEST

START_TEST(describing_what_is_not_there_fails)
{
    struct trm_setting_info info = {.struct_size = sizeof(info)};
    ck_assert_int_eq(trm_setting_describe(trm_setting_count(), &info), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_setting_describe(0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    info.struct_size = 8;
    ck_assert_int_eq(trm_setting_describe(0, &info), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_newer_program_gets_zeros_for_what_this_library_does_not_know)
{
    struct {
        struct trm_setting_info info;
        uint64_t later;
    } newer = {.info.struct_size = sizeof(newer), .later = 99};
    ck_assert_int_eq(trm_setting_describe(0, &newer.info), TRM_OK);
    ck_assert_uint_eq(newer.info.struct_size, sizeof(newer));
    ck_assert_uint_eq(newer.later, 0);
}
END_TEST

START_TEST(names_of_groups_without_rows_may_belong_to_backends)
{
    ck_assert(core_setting_is_foreign("mine.speed"));
    ck_assert(core_setting_is_foreign("my-own_2.a.b"));
    ck_assert(!core_setting_is_foreign("cpu.speed"));
    ck_assert(!core_setting_is_foreign("pool.nonsense"));
    ck_assert(!core_setting_is_foreign("device.x"));
    ck_assert(!core_setting_is_foreign("mine"));
    ck_assert(!core_setting_is_foreign("mine."));
    ck_assert(!core_setting_is_foreign(".mine"));
    ck_assert(!core_setting_is_foreign("Mine.speed"));
    ck_assert(!core_setting_is_foreign(""));
}
END_TEST

START_TEST(the_variable_of_a_name_is_in_capitals)
{
    char variable[64];
    core_setting_variable("mine.fast-path_2", variable, sizeof(variable));
    ck_assert_str_eq(variable, "TRIREME_MINE_FAST_PATH_2");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("values of settings");
    TCase *values = tcase_create("values");
    tcase_add_test(values, a_flag_is_yes_or_no_in_many_words);
    tcase_add_test(values, a_count_is_a_whole_number);
    tcase_add_test(values, a_loss_names_devices_and_launches);
    tcase_add_test(values, losses_have_a_limit);
    tcase_add_test(values, a_count_has_a_limit);
    tcase_add_test(values, a_count_without_a_maximum_is_any_whole_number);
    tcase_add_test(values, bytes_may_have_a_unit);
    tcase_add_test(values, paths_are_absolute_folders);
    tcase_add_test(values, a_text_is_anything_unless_its_row_checks_it);
    tcase_add_test(values, the_table_is_complete_and_without_doubles);
    tcase_add_test(values, the_settings_that_name_code_are_secure);
    tcase_add_test(values, describing_what_is_not_there_fails);
    tcase_add_test(values, a_newer_program_gets_zeros_for_what_this_library_does_not_know);
    tcase_add_test(values, names_of_groups_without_rows_may_belong_to_backends);
    tcase_add_test(values, the_variable_of_a_name_is_in_capitals);
    suite_add_tcase(suite, values);
    return suite;
}

UNIT_SUITE(make_suite)
