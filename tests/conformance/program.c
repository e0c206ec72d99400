/* Programs that the library runs under its limits: what they get, how they end, and what is refused.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"

#include <string.h>
#include <unistd.h>

static struct trm_program_result result;

/* Runs a script of the shell, which finds "some" in the file "given". */
static int32_t run(struct trm_context *context, const char *script)
{
    const char *arguments[]      = {"/bin/sh", "-c", script, NULL};
    struct trm_program_desc desc = {.struct_size = sizeof(desc),
                                    .arguments   = arguments,
                                    .what        = "a test",
                                    .file        = "given",
                                    .bytes       = "some",
                                    .size        = 4};
    result                       = (struct trm_program_result){.struct_size = sizeof(result)};
    return trm_program_run(context, &desc, &result);
}

static struct trm_context *context_make(const char *seconds)
{
    struct trm_setting setting   = {"compiler.time", seconds};
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .settings = &setting, .setting_count = 1};
    struct trm_context *context  = NULL;
    ck_ok(trm_context_create(&desc, &context));
    return context;
}

START_TEST(a_program_works_in_a_folder_that_its_result_keeps)
{
    struct trm_context *context = context_make("60");
    char made[4200];
    ck_ok(run(context, "cat given >made; cat made; exit 3"));
    ck_assert_int_eq(result.exit_status, 3);
    ck_assert_int_eq(result.signal, 0);
    ck_assert_str_eq(result.messages, "some");
    snprintf(made, sizeof(made), "%s/made", result.folder);
    ck_assert_int_eq(access(made, F_OK), 0);
    trm_context_destroy(context); /* the result keeps it alive */
    ck_assert_int_eq(access(made, F_OK), 0);
    trm_program_release(&result);
    ck_assert_int_ne(access(made, F_OK), 0);
    trm_program_release(&result);
    trm_program_release(NULL);
}
END_TEST

START_TEST(a_program_that_takes_too_long_is_ended)
{
    struct trm_context *context = context_make("1");
    ck_status(run(context, "while :; do sleep 1000; done"), TRM_ERROR_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "compiler.time"));
    ck_assert_ptr_null(result.state);
    trm_context_destroy(context);
}
END_TEST

static void refuses(struct trm_context *context, const char *const *arguments, const char *file,
                    const char *what)
{
    struct trm_program_desc desc = {
        .struct_size = sizeof(desc), .arguments = arguments, .what = what, .file = file};
    result = (struct trm_program_result){.struct_size = sizeof(result)};
    ck_status(trm_program_run(context, &desc, &result), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(result.state);
}

START_TEST(what_is_no_program_or_no_file_is_refused)
{
    static const char *const none[] = {NULL}, *const relative[] = {"sh", NULL};
    static const char *const good[] = {"/bin/true", NULL};
    struct trm_context *context     = context_make("60");
    struct trm_program_desc desc    = {.struct_size = sizeof(desc), .arguments = good, .what = "a test"};
    refuses(context, NULL, NULL, "a test");
    refuses(context, none, NULL, "a test");
    refuses(context, relative, NULL, "a test");
    refuses(context, good, NULL, NULL);
    refuses(context, good, "", "a test");
    refuses(context, good, "../given", "a test");
    ck_status(trm_program_run(context, &desc, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_program_run(context, NULL, &result), TRM_ERROR_INVALID_ARGUMENT);
    desc.struct_size = 8;
    ck_status(trm_program_run(context, &desc, &result), TRM_ERROR_INVALID_ARGUMENT);
    trm_context_destroy(context);
}
END_TEST

void add_program(Suite *suite)
{
    TCase *group = group_make(suite, "program");
    CASE(group, a_program_works_in_a_folder_that_its_result_keeps);
    CASE(group, a_program_that_takes_too_long_is_ended);
    CASE(group, what_is_no_program_or_no_file_is_refused);
}
