/* Making and ending contexts, and their log.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include "core/object/abi.h"
#include "tests/unit/counting.h"
#include "tests/unit/runner.h"

static struct counting counting;
static struct trm_allocator allocator;
static struct trm_context_desc desc;
static struct trm_context *context;
static char last_line[2048];
static int lines;
static int32_t last_level;

static void note_line(void *user, int32_t level, const char *message)
{
    ck_assert_ptr_eq(user, &lines);
    snprintf(last_line, sizeof(last_line), "%s", message);
    last_level = level;
    lines++;
}

static void setup(void)
{
    allocator = counting_allocator(&counting);
    desc      = (struct trm_context_desc){.struct_size = sizeof(desc),
                                          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                          .log         = note_line,
                                          .log_user    = &lines,
                                          .allocator   = &allocator};
}

static void teardown(void)
{
    trm_context_destroy(context);
    counting_is_balanced(&counting);
}

static void is_bad(const char *words)
{
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(context);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
}

START_TEST(a_context_needs_no_description)
{
    ck_assert_int_eq(trm_context_create(NULL, &context), TRM_OK);
    ck_assert_ptr_nonnull(context);
    ck_assert_int_eq(trm_last_error().status, TRM_OK);
}
END_TEST

START_TEST(all_memory_comes_from_the_programs_allocator_and_goes_back)
{
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    ck_assert_int_gt(counting.blocks, 0);
    trm_context_destroy(context);
    context = NULL;
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(a_description_that_cannot_be_right_is_refused)
{
    ck_assert_int_eq(trm_context_create(&desc, NULL), TRM_ERROR_INVALID_ARGUMENT);
    desc.struct_size = 8;
    is_bad("struct_size is 8");
    setup();
    desc.flags = 1u << 31;
    is_bad("flags 0x80000000");
    setup();
    allocator.release = NULL;
    is_bad("allocator");
    setup();
    desc.setting_count = 1;
    is_bad("settings is NULL");
}
END_TEST

START_TEST(a_description_of_a_newer_program_is_taken)
{
    struct {
        struct trm_context_desc desc;
        uint64_t later;
    } newer = {desc, 1};

    newer.desc.struct_size = sizeof(newer);
    ck_assert_int_eq(trm_context_create(&newer.desc, &context), TRM_OK);
}
END_TEST

START_TEST(a_context_is_dead_after_its_end)
{
    uint32_t count = 0;
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    trm_context_destroy(context);
    ck_assert_int_eq(trm_context_candidate_count(context, &count), TRM_ERROR_INVALID_HANDLE);
    ck_assert_str_eq(trm_last_error().sentence, "this context has been destroyed");
    base_fail(TRM_ERROR_TIMEOUT, "something else");
    trm_context_destroy(context);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
    context = NULL;
    base_fail(TRM_ERROR_TIMEOUT, "something else");
    trm_context_destroy(NULL);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_TIMEOUT);
}
END_TEST

START_TEST(whatever_allocation_fails_nothing_is_left_behind)
{
    int failures = 0;
    while (failures < 100) {
        counting.fail_at = counting.allocations + failures + 1;
        if (trm_context_create(&desc, &context) == TRM_OK)
            break;
        ck_assert_int_eq(trm_last_error().status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert_ptr_null(context);
        counting_is_balanced(&counting);
        failures++;
    }
    /* The context itself and its settings. */
    ck_assert_int_eq(failures, 2);
    ck_assert_ptr_nonnull(core_context_find(context));
}
END_TEST

START_TEST(the_child_of_a_fork_may_make_a_context_of_its_own)
{
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    pid_t child = fork();
    if (child == 0) {
        uint32_t count          = 0;
        struct trm_context *own = NULL;
        int fine                = trm_context_candidate_count(context, &count) == TRM_ERROR_FORKED;
        fine                    = fine && trm_device_count(context, &count) == TRM_ERROR_FORKED;
        fine = fine && trm_context_setting(context, "device", NULL, 0, NULL, NULL) == TRM_ERROR_FORKED;
        trm_context_destroy(context);
        fine = fine && trm_context_create(&desc, &own) == TRM_OK;
        fine = fine && trm_context_setting(own, "device", NULL, 0, NULL, NULL) == TRM_OK;
        trm_context_destroy(own);
        _exit(fine ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(trm_context_setting(context, "device", NULL, 0, NULL, NULL), TRM_OK);
}
END_TEST

/* ---- the log ---- */

START_TEST(lines_up_to_the_level_reach_the_program)
{
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    struct core_context *inside = core_context_find(context);
    core_log(inside, TRM_LOG_WARNING, "the %s line", "first");
    ck_assert_str_eq(last_line, "the first line");
    ck_assert_int_eq(last_level, TRM_LOG_WARNING);
    core_log(inside, TRM_LOG_INFO, "too much");
    ck_assert_int_eq(lines, 1);
}
END_TEST

START_TEST(the_level_is_a_setting)
{
    struct trm_setting level = {"log.level", "4"};
    desc.settings            = &level;
    desc.setting_count       = 1;
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    core_log(core_context_find(context), TRM_LOG_DEBUG, "everything");
    ck_assert_str_eq(last_line, "everything");
    trm_context_destroy(context);
    level.value       = "0";
    const int written = lines;
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    core_log(core_context_find(context), TRM_LOG_ERROR, "nothing");
    ck_assert_int_eq(lines, written);
}
END_TEST

START_TEST(a_line_that_is_too_long_is_cut)
{
    char text[5000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    core_log(core_context_find(context), TRM_LOG_ERROR, "%s", text);
    ck_assert_uint_lt(strlen(last_line), 2000);
    ck_assert_uint_gt(strlen(last_line), 500);
}
END_TEST

START_TEST(without_a_callback_nothing_is_logged)
{
    desc.log = NULL;
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    core_log(core_context_find(context), TRM_LOG_ERROR, "no callback");
    ck_assert_int_eq(lines, 0);
}
END_TEST

/* ---- structures of other versions ---- */

START_TEST(a_shorter_structure_is_taken_with_zeros_and_a_longer_one_without_its_end)
{
    struct {
        uint32_t struct_size;
        uint32_t one;
        uint64_t two;
    } ours, theirs = {8, 7, 9};

    ck_assert(core_struct_copy_in(&ours, sizeof(ours), &theirs, 8));
    ck_assert_uint_eq(ours.struct_size, sizeof(ours));
    ck_assert_uint_eq(ours.one, 7);
    ck_assert_uint_eq(ours.two, 0);
    theirs.struct_size = 16;
    ck_assert(core_struct_copy_in(&ours, 8, &theirs, 8));
    ck_assert_uint_eq(ours.struct_size, 8);
    ck_assert(!core_struct_copy_in(&ours, sizeof(ours), &theirs, 17));

    ours   = (__typeof__(ours)){sizeof(ours), 1, 2};
    theirs = (__typeof__(theirs)){8, 7, 9};
    ck_assert(!core_struct_copy_out(&theirs, &ours, sizeof(ours), 9));
    ck_assert_uint_eq(theirs.one, 7);
    ck_assert(core_struct_copy_out(&theirs, &ours, sizeof(ours), 8));
    ck_assert_uint_eq(theirs.struct_size, 8);
    ck_assert_uint_eq(theirs.one, 1);
    ck_assert_uint_eq(theirs.two, 9);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("contexts");
    TCase *tests = tcase_create("contexts");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_context_needs_no_description);
    tcase_add_test(tests, all_memory_comes_from_the_programs_allocator_and_goes_back);
    tcase_add_test(tests, a_description_that_cannot_be_right_is_refused);
    tcase_add_test(tests, a_description_of_a_newer_program_is_taken);
    tcase_add_test(tests, a_context_is_dead_after_its_end);
    tcase_add_test(tests, whatever_allocation_fails_nothing_is_left_behind);
    tcase_add_test(tests, the_child_of_a_fork_may_make_a_context_of_its_own);
    tcase_add_test(tests, lines_up_to_the_level_reach_the_program);
    tcase_add_test(tests, the_level_is_a_setting);
    tcase_add_test(tests, a_line_that_is_too_long_is_cut);
    tcase_add_test(tests, without_a_callback_nothing_is_logged);
    tcase_add_test(tests, a_shorter_structure_is_taken_with_zeros_and_a_longer_one_without_its_end);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
