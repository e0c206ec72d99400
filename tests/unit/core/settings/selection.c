/* The grammar of the setting `backend` and of device names.
 * SPDX-License-Identifier: MIT
 */
#include "core/settings/selection.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/runner.h"

static struct core_selection selection;
static char allowed[256];

static int32_t parse(const char *text)
{
    allowed[0] = '\0';
    return core_selection_parse(text, &selection, allowed, sizeof(allowed));
}

static void entry_is(uint32_t index, const char *text, uint32_t device)
{
    const struct core_selection_entry *entry = &selection.entries[index];
    ck_assert_uint_lt(index, selection.count);
    ck_assert_uint_eq(entry->length, strlen(text));
    ck_assert_int_eq(strncmp(entry->text, text, entry->length), 0);
    ck_assert_uint_eq(entry->device, device);
}

START_TEST(nothing_means_all)
{
    ck_assert(parse(""));
    ck_assert_int_eq(selection.mode, CORE_SELECT_ALL);
    ck_assert_uint_eq(selection.count, 0);
}
END_TEST

START_TEST(a_name_alone_is_a_list_of_one)
{
    ck_assert(parse("cuda"));
    ck_assert_int_eq(selection.mode, CORE_SELECT_LISTED);
    ck_assert_uint_eq(selection.count, 1);
    entry_is(0, "cuda", CORE_NO_DEVICE);
}
END_TEST

START_TEST(a_name_may_carry_a_device_number)
{
    ck_assert(parse("cuda:13"));
    entry_is(0, "cuda", 13);
    ck_assert(parse("vulkan:0,my-own_2:1"));
    entry_is(0, "vulkan", 0);
    entry_is(1, "my-own_2", 1);
}
END_TEST

START_TEST(a_list_keeps_its_order)
{
    ck_assert(parse("cuda,vulkan:2,cpu"));
    ck_assert_int_eq(selection.mode, CORE_SELECT_LISTED);
    ck_assert_uint_eq(selection.count, 3);
    entry_is(0, "cuda", CORE_NO_DEVICE);
    entry_is(1, "vulkan", 2);
    entry_is(2, "cpu", CORE_NO_DEVICE);
}
END_TEST

START_TEST(what_has_a_slash_is_a_path)
{
    ck_assert(parse("/opt/my backends/x.so:1,cpu,./y.so"));
    ck_assert_uint_eq(selection.count, 3);
    ck_assert(selection.entries[0].is_path);
    ck_assert(!selection.entries[1].is_path);
    ck_assert(selection.entries[2].is_path);
    entry_is(0, "/opt/my backends/x.so", 1);
    entry_is(2, "./y.so", CORE_NO_DEVICE);
}
END_TEST

START_TEST(a_hat_means_all_but_those_named)
{
    ck_assert(parse("^vulkan"));
    ck_assert_int_eq(selection.mode, CORE_SELECT_OTHERS);
    entry_is(0, "vulkan", CORE_NO_DEVICE);
    ck_assert(parse("^vulkan,cuda"));
    ck_assert_uint_eq(selection.count, 2);
    entry_is(1, "cuda", CORE_NO_DEVICE);
}
END_TEST

START_TEST(what_is_no_selection_is_refused_with_what_is)
{
    static const char *const bad[] = {",",       "cuda,",       ",cuda",          "cuda,,cpu",
                                      "CUDA",    "cu da",       "cuda:",          "cuda:x",
                                      ":1",      "^",           "^^vulkan",       "cpu,^cuda",
                                      "^cuda:1", "^/x",         "cuda ",          "cuda:-1",
                                      "cpu.so",  "caf\xc3\xa9", "cuda:9999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_msg(!parse(bad[i]), "%s was accepted", bad[i]);
        ck_assert_str_ne(allowed, "");
    }
}
END_TEST

START_TEST(a_list_has_an_end)
{
    char text[200] = "a";
    for (int i = 1; i < CORE_SELECTION_MAX; i++)
        strcat(text, ",a");
    ck_assert(parse(text));
    ck_assert_uint_eq(selection.count, CORE_SELECTION_MAX);
    strcat(text, ",a");
    ck_assert(!parse(text));
    ck_assert_ptr_nonnull(strstr(allowed, "32"));
}
END_TEST

START_TEST(a_backend_is_found_by_its_whole_name_only)
{
    ck_assert(parse("cuda,/x/vulkan"));
    ck_assert_ptr_eq(core_selection_find(&selection, "cuda"), &selection.entries[0]);
    ck_assert_ptr_null(core_selection_find(&selection, "cud"));
    ck_assert_ptr_null(core_selection_find(&selection, "cuda2"));
    ck_assert_ptr_null(core_selection_find(&selection, "/x/vulkan"));
}
END_TEST

START_TEST(names_of_backends_are_short_and_plain)
{
    char name[64];
    memset(name, 'a', sizeof(name));
    ck_assert(core_backend_name_is_valid("cpu", 3));
    ck_assert(core_backend_name_is_valid("my-own_2", 8));
    ck_assert(core_backend_name_is_valid(name, 47));
    name[48] = '\0';
    ck_assert(!core_backend_name_is_valid(name, 48));
    ck_assert(!core_backend_name_is_valid("", 0));
    ck_assert(!core_backend_name_is_valid("Cpu", 3));
    ck_assert(!core_backend_name_is_valid("c.u", 3));
}
END_TEST

START_TEST(a_device_is_a_backend_and_perhaps_a_number)
{
    struct core_device_id id;
    ck_assert(core_device_id_parse("cpu", &id));
    ck_assert_int_eq(id.way, CORE_DEVICE_ANY);
    ck_assert(core_device_id_parse("cuda:7", &id));
    ck_assert_int_eq(id.way, CORE_DEVICE_BY_NUMBER);
    ck_assert_uint_eq(id.number, 7);
    ck_assert_uint_eq(id.length, 4);
    ck_assert(!core_device_id_parse("/x/cpu.so", &id));
    ck_assert(!core_device_id_parse("cuda:", &id));
    ck_assert(!core_device_id_parse("cuda,cpu", &id));
    ck_assert(!core_device_id_check("cuda:1:2", allowed, sizeof(allowed)));
    ck_assert_ptr_nonnull(strstr(allowed, "cuda:1"));
    ck_assert(core_device_id_check("cuda:1", allowed, sizeof(allowed)));
}
END_TEST

START_TEST(a_device_may_be_meant_by_its_uuid)
{
    static const uint8_t expected[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                         0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF};
    static const char *const good[]   = {"cuda:uuid=0123456789abcdef0123456789ABCDEF",
                                         "cuda:uuid=01234567-89ab-cdef-0123-456789abcdef"};
    static const char *const bad[]    = {"cuda:uuid=",
                                         "cuda:uuid=0123456789abcdef0123456789abcde",
                                         "cuda:uuid=0123456789abcdef0123456789abcdef0",
                                         "cuda:uuid=0123456789abcdeg0123456789abcdef",
                                         ":uuid=0123456789abcdef0123456789abcdef",
                                         "CUDA:uuid=0123456789abcdef0123456789abcdef",
                                         "cuda:UUID=0123456789abcdef0123456789abcdef"};
    struct core_device_id id;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ck_assert_msg(core_device_id_parse(good[i], &id), "%s was refused", good[i]);
        ck_assert_int_eq(id.way, CORE_DEVICE_BY_UUID);
        ck_assert_uint_eq(id.length, 4);
        ck_assert_mem_eq(id.uuid, expected, sizeof(expected));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!core_device_id_parse(bad[i], &id), "%s was accepted", bad[i]);
}
END_TEST

START_TEST(a_device_may_be_meant_by_a_pattern_of_its_name)
{
    struct core_device_id id;
    ck_assert(core_device_id_parse("cuda:name=*H200/1:2, of two", &id));
    ck_assert_int_eq(id.way, CORE_DEVICE_BY_NAME);
    ck_assert_uint_eq(id.length, 4);
    ck_assert_str_eq(id.pattern, "*H200/1:2, of two");
    ck_assert(!core_device_id_parse("cuda:name=", &id));
    ck_assert(!core_device_id_parse(":name=x", &id));
    ck_assert(!core_device_id_parse("/x/cuda.so:name=x", &id));
    ck_assert(!core_device_id_parse("cuda:names=x", &id));
    ck_assert(!parse("cuda:name=x")); /* a list has commas, and patterns too */
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite   = suite_create("selection");
    TCase *grammar = tcase_create("grammar");
    tcase_add_test(grammar, nothing_means_all);
    tcase_add_test(grammar, a_name_alone_is_a_list_of_one);
    tcase_add_test(grammar, a_name_may_carry_a_device_number);
    tcase_add_test(grammar, a_list_keeps_its_order);
    tcase_add_test(grammar, what_has_a_slash_is_a_path);
    tcase_add_test(grammar, a_hat_means_all_but_those_named);
    tcase_add_test(grammar, what_is_no_selection_is_refused_with_what_is);
    tcase_add_test(grammar, a_list_has_an_end);
    tcase_add_test(grammar, a_backend_is_found_by_its_whole_name_only);
    tcase_add_test(grammar, names_of_backends_are_short_and_plain);
    tcase_add_test(grammar, a_device_is_a_backend_and_perhaps_a_number);
    tcase_add_test(grammar, a_device_may_be_meant_by_its_uuid);
    tcase_add_test(grammar, a_device_may_be_meant_by_a_pattern_of_its_name);
    suite_add_tcase(suite, grammar);
    return suite;
}

UNIT_SUITE(make_suite)
