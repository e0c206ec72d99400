/* Contexts: creation, settings, the report of candidates, several at once; statuses and the last error.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"

#include <pthread.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- creation ---- */

START_TEST(a_context_needs_no_descriptor)
{
    struct trm_context *context = NULL;
    ck_ok(trm_context_create(NULL, &context));
    ck_assert_ptr_nonnull(context);
    trm_context_destroy(context);
}
END_TEST

START_TEST(a_descriptor_of_another_size_is_refused)
{
    const uint32_t sizes[]       = {0, 1, 4, 8};
    struct trm_context_desc desc = {0};
    struct trm_context *context  = NULL;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        desc.struct_size = sizes[i];
        ck_status(trm_context_create(&desc, &context), TRM_ERROR_INVALID_ARGUMENT);
        ck_assert_ptr_null(context);
    }
    desc.struct_size = sizeof(desc);
    ck_ok(trm_context_create(&desc, &context));
    trm_context_destroy(context);
}
END_TEST

START_TEST(flags_of_a_context_that_mean_nothing_are_refused)
{
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .flags = 1u << 31};
    struct trm_context *context  = NULL;
    ck_status(trm_context_create(&desc, &context), TRM_ERROR_INVALID_ARGUMENT);
    desc.flags = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT;
    ck_ok(trm_context_create(&desc, &context));
    trm_context_destroy(context);
}
END_TEST

static void *allocate_nothing(void *user, size_t size, size_t alignment)
{
    (void)user;
    (void)size;
    (void)alignment;
    return NULL;
}

START_TEST(an_allocator_without_both_functions_is_refused)
{
    struct trm_allocator allocator = {.allocate = allocate_nothing};
    struct trm_context_desc desc   = {.struct_size = sizeof(desc), .allocator = &allocator};
    struct trm_context *context    = NULL;
    ck_status(trm_context_create(&desc, &context), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(context);
}
END_TEST

static void release_nothing(void *user, void *memory, size_t size)
{
    (void)memory;
    (void)size;
    *(bool *)user = true;
}

START_TEST(a_context_without_host_memory_is_an_error)
{
    bool released                  = false;
    struct trm_allocator allocator = {
        .allocate = allocate_nothing, .release = release_nothing, .user = &released};
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .allocator = &allocator};
    struct trm_context *context  = NULL;
    ck_status(trm_context_create(&desc, &context), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_null(context);
    ck_assert(!released);
}
END_TEST

START_TEST(contexts_run_out_with_an_error_and_come_back)
{
    static struct trm_context *contexts[300];
    unsigned made  = 0;
    int32_t status = TRM_OK;
    while (made < COUNT_OF(contexts) && (status = trm_context_create(NULL, &contexts[made])) == TRM_OK)
        made++;
    ck_assert_uint_le(made, 255);
    ck_assert_uint_ge(made, 200);
    ck_assert_int_lt(status, 0);
    ck_assert(status_explained(status));
    trm_context_destroy(contexts[--made]);
    ck_ok(trm_context_create(NULL, &contexts[made]));
    made++;
    while (made > 0)
        trm_context_destroy(contexts[--made]);
}
END_TEST

START_TEST(a_context_can_be_made_and_destroyed_again_and_again)
{
    for (unsigned i = 0; i < scaled(2000, 400); i++) {
        struct trm_context *context = NULL;
        ck_ok(trm_context_create(NULL, &context));
        trm_context_destroy(context);
    }
}
END_TEST

/* ---- settings ---- */

START_TEST(an_unknown_setting_is_refused_by_name)
{
    struct trm_setting setting  = {"pool.tresholt", "1M"};
    struct trm_context *context = NULL;
    ck_status(context_with(&setting, 1, &context), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("pool.tresholt");
    ck_assert_ptr_null(context);
}
END_TEST

START_TEST(a_value_that_is_not_of_the_settings_type_is_refused)
{
    static const struct trm_setting bad[] = {
        {"pool.threshold", "much"},
        {"pool.threshold", "-1"},
        {"pool.threshold", "1Q"},
        {"pool.threshold", ""},
        {"pool.threshold", "99999999999999999999G"},
        {"log.level", "loud"},
        {"backend.path", "relative/folder"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct trm_context *context = NULL;
        ck_status(context_with(&bad[i], 1, &context), TRM_ERROR_INVALID_ARGUMENT);
        ck_sentence_has(bad[i].name);
        ck_assert_ptr_null(context);
    }
}
END_TEST

START_TEST(a_setting_without_name_or_value_is_refused)
{
    struct trm_setting nameless  = {NULL, "1M"};
    struct trm_setting valueless = {"pool.threshold", NULL};
    struct trm_context *context  = NULL;
    ck_status(context_with(&nameless, 1, &context), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(context_with(&valueless, 1, &context), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(context);
}
END_TEST

/* The value of a setting must be this, and from there. */
static void check_setting(struct trm_context *context, const char *name, const char *value, int32_t origin)
{
    char given[4096]     = "";
    int32_t given_origin = -1;
    ck_ok(trm_context_setting(context, name, given, sizeof(given), NULL, &given_origin));
    ck_assert_msg(strcmp(given, value) == 0, "%s is \"%s\" instead of \"%s\"", name, given, value);
    ck_assert_msg(given_origin == origin, "%s comes from %d instead of %d", name, given_origin, origin);
}

static struct trm_setting_info setting_named(const char *name)
{
    struct trm_setting_info info = {.struct_size = sizeof(info)};
    for (uint32_t i = 0; i < trm_setting_count(); i++) {
        ck_ok(trm_setting_describe(i, &info));
        if (strcmp(info.name, name) == 0)
            return info;
    }
    ck_abort_msg("there is no setting %s", name);
    return info;
}

START_TEST(a_setting_of_the_program_is_in_force_and_copied)
{
    char value[]                = "12345";
    struct trm_setting setting  = {"pool.threshold", value};
    struct trm_context *context = NULL;
    ck_ok(context_with(&setting, 1, &context));
    memset(value, '9', sizeof(value) - 1);
    check_setting(context, "pool.threshold", "12345", TRM_ORIGIN_PROGRAM);
    trm_context_destroy(context);
}
END_TEST

START_TEST(the_environment_is_stronger_than_the_default_and_weaker_than_the_program)
{
    struct trm_setting_info info = setting_named("pool.threshold");
    struct trm_setting setting   = {"pool.threshold", "3M"};
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .flags = TRM_CONTEXT_NO_CONFIG};
    struct trm_context *context  = NULL;
    ck_assert_int_eq(setenv(info.variable, "2M", 1), 0);

    ck_ok(trm_context_create(&desc, &context));
    check_setting(context, "pool.threshold", "2M", TRM_ORIGIN_ENVIRONMENT);
    trm_context_destroy(context);

    desc.settings      = &setting;
    desc.setting_count = 1;
    ck_ok(trm_context_create(&desc, &context));
    check_setting(context, "pool.threshold", "3M", TRM_ORIGIN_PROGRAM);
    trm_context_destroy(context);

    desc.setting_count = 0;
    desc.flags |= TRM_CONTEXT_NO_ENVIRONMENT;
    ck_ok(trm_context_create(&desc, &context));
    check_setting(context, "pool.threshold", info.default_value, TRM_ORIGIN_DEFAULT);
    trm_context_destroy(context);
    unsetenv(info.variable);
}
END_TEST

START_TEST(a_wrong_value_in_the_environment_is_refused_by_its_variable)
{
    struct trm_setting_info info = setting_named("pool.threshold");
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .flags = TRM_CONTEXT_NO_CONFIG};
    struct trm_context *context  = NULL;
    ck_assert_int_eq(setenv(info.variable, "much", 1), 0);
    ck_status(trm_context_create(&desc, &context), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has(info.variable);
    unsetenv(info.variable);
    ck_ok(trm_context_create(&desc, &context));
    trm_context_destroy(context);
}
END_TEST

START_TEST(every_setting_has_a_name_a_variable_a_help_and_its_default)
{
    struct trm_context_desc desc = {.struct_size = sizeof(desc),
                                    .flags       = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT};
    struct trm_context *context  = NULL;
    struct trm_setting_info info = {.struct_size = sizeof(info)};
    ck_ok(trm_context_create(&desc, &context));
    ck_assert_uint_gt(trm_setting_count(), 0);
    for (uint32_t i = 0; i < trm_setting_count(); i++) {
        ck_ok(trm_setting_describe(i, &info));
        ck_assert(info.name[0] && info.help[0]);
        ck_assert_int_eq(strncmp(info.variable, "TRIREME_", 8), 0);
        ck_assert_int_ge(info.type, TRM_SETTING_TEXT);
        ck_assert_int_le(info.type, TRM_SETTING_PATHS);
        check_setting(context, info.name, info.default_value, TRM_ORIGIN_DEFAULT);
    }
    ck_status(trm_setting_describe(trm_setting_count(), &info), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_setting_describe(UINT32_MAX, &info), TRM_ERROR_OUT_OF_RANGE);
    trm_context_destroy(context);
}
END_TEST

START_TEST(a_setting_that_does_not_fit_tells_its_size)
{
    struct trm_setting setting  = {"pool.threshold", "12345"};
    struct trm_context *context = NULL;
    char value[6]               = "?????";
    size_t needed               = 0;
    ck_ok(context_with(&setting, 1, &context));
    ck_status(trm_context_setting(context, "pool.threshold", value, 5, &needed, NULL),
              TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(needed, 6);
    ck_assert_str_eq(value, "?????");
    needed = 0;
    ck_ok(trm_context_setting(context, "pool.threshold", NULL, 0, &needed, NULL));
    ck_assert_uint_eq(needed, 6);
    ck_ok(trm_context_setting(context, "pool.threshold", value, 6, NULL, NULL));
    ck_assert_str_eq(value, "12345");
    ck_status(trm_context_setting(context, "no.such.setting", value, 6, NULL, NULL), TRM_ERROR_NOT_FOUND);
    trm_context_destroy(context);
}
END_TEST

START_TEST(two_contexts_have_settings_of_their_own)
{
    struct trm_setting settings[] = {{"pool.threshold", "1M"}, {"pool.threshold", "2M"}};
    struct trm_context *first     = NULL;
    struct trm_context *second    = NULL;
    ck_ok(context_with(&settings[0], 1, &first));
    ck_ok(context_with(&settings[1], 1, &second));
    check_setting(first, "pool.threshold", "1M", TRM_ORIGIN_PROGRAM);
    check_setting(second, "pool.threshold", "2M", TRM_ORIGIN_PROGRAM);
    trm_context_destroy(first);
    check_setting(second, "pool.threshold", "2M", TRM_ORIGIN_PROGRAM);
    trm_context_destroy(second);
}
END_TEST

/* ---- the report of candidates ---- */

START_TEST(the_backend_under_test_is_an_accepted_candidate)
{
    struct trm_context *context    = open_context();
    struct trm_candidate candidate = {.struct_size = sizeof(candidate)};
    uint32_t count = 0, accepted = 0;
    ck_ok(trm_context_candidate_count(context, &count));
    ck_assert_uint_gt(count, 0);
    for (uint32_t i = 0; i < count; i++) {
        ck_ok(trm_context_candidate(context, i, &candidate));
        ck_assert(candidate.name && candidate.path && candidate.version && candidate.reason);
        ck_assert_int_eq(candidate.accepted, candidate.reason[0] == '\0');
        if (!candidate.accepted)
            continue;
        accepted++;
        ck_assert(candidate.name[0] && candidate.path[0] == '/');
        ck_assert_int_ge(candidate.stage, TRM_CANDIDATE_PROBED);
        ck_assert_int_gt(candidate.score, 0);
    }
    ck_assert_uint_eq(accepted, 1);
    ck_status(trm_context_candidate(context, count, &candidate), TRM_ERROR_OUT_OF_RANGE);
    candidate.struct_size = 3;
    ck_status(trm_context_candidate(context, 0, &candidate), TRM_ERROR_INVALID_ARGUMENT);
    trm_context_destroy(context);
}
END_TEST

START_TEST(a_backend_that_is_not_there_is_an_error_that_says_why)
{
    struct trm_setting setting   = {"backend", "no-such-backend"};
    struct trm_context_desc desc = {.struct_size   = sizeof(desc),
                                    .flags         = TRM_CONTEXT_NO_CONFIG,
                                    .settings      = &setting,
                                    .setting_count = 1};
    struct trm_context *context  = NULL;
    struct trm_device *device    = NULL;
    uint32_t count               = 77;
    ck_ok(trm_context_create(&desc, &context));
    ck_status(trm_device_open(context, NULL, &device), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("no-such-backend");
    ck_assert_ptr_null(device);
    ck_refused(trm_device_count(context, &count));
    ck_assert_uint_eq(count, 77);
    trm_context_destroy(context);
}
END_TEST

START_TEST(a_plugin_that_is_not_there_is_in_the_report_with_its_reason)
{
    struct trm_setting setting     = {"backend", "/no/such/folder/plugin.so"};
    struct trm_context_desc desc   = {.struct_size   = sizeof(desc),
                                      .flags         = TRM_CONTEXT_NO_CONFIG,
                                      .settings      = &setting,
                                      .setting_count = 1};
    struct trm_candidate candidate = {.struct_size = sizeof(candidate)};
    struct trm_context *context    = NULL;
    uint32_t count = 0, seen = 0;
    ck_ok(trm_context_create(&desc, &context));
    ck_ok(trm_context_candidate_count(context, &count));
    for (uint32_t i = 0; i < count; i++) {
        ck_ok(trm_context_candidate(context, i, &candidate));
        if (strcmp(candidate.path, setting.value) != 0)
            continue;
        seen++;
        ck_assert_int_eq(candidate.accepted, 0);
        ck_assert_int_eq(candidate.stage, TRM_CANDIDATE_FOUND);
        ck_assert(candidate.reason[0]);
    }
    ck_assert_uint_eq(seen, 1);
    trm_context_destroy(context);
}
END_TEST

/* ---- several contexts ---- */

START_TEST(several_contexts_work_side_by_side_and_share_nothing)
{
    enum {
        CONTEXTS = 4,
        BYTES    = 10000
    };
    struct trm_context *contexts[CONTEXTS];
    struct trm_device *devices[CONTEXTS];
    struct trm_stream *streams[CONTEXTS];
    struct trm_buffer *buffers[CONTEXTS];
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        contexts[i] = open_context();
        devices[i]  = open_device(contexts[i]);
        ck_ok(trm_stream_create(devices[i], TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[i]));
        buffers[i] = make_buffer(devices[i], TRM_MEMORY_DEVICE, BYTES);
        put_pattern(streams[i], buffers[i], BYTES, i);
    }
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        struct trm_device_usage usage = {.struct_size = sizeof(usage)};
        ck_ok(trm_device_get_usage(devices[i], &usage));
        ck_assert_uint_eq(usage.buffers, 1);
        ck_assert_uint_eq(usage.streams, 1);
        ck_buffer_pattern(streams[i], buffers[i], BYTES, i);
        trm_buffer_destroy(buffers[i]);
        trm_stream_destroy(streams[i]);
        trm_device_destroy(devices[i]);
        trm_context_destroy(contexts[i]);
    }
}
END_TEST

START_TEST(a_destroyed_context_lives_on_under_its_devices)
{
    struct trm_context *context = open_context();
    struct trm_device *device   = open_device(context);
    struct trm_device *another  = NULL;
    struct trm_stream *stream   = NULL;
    trm_context_destroy(context);
    ck_status(trm_device_open(context, NULL, &another), TRM_ERROR_INVALID_HANDLE);
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 1000);
    put_pattern(stream, buffer, 1000, 5);
    ck_buffer_pattern(stream, buffer, 1000, 5);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
}
END_TEST

/* ---- the first use from many threads ---- */

static void *count_candidates(void *user)
{
    uint32_t count = 0;
    if (trm_context_candidate_count(user, &count) != TRM_OK)
        return (void *)(intptr_t)-1;
    return (void *)(intptr_t)count;
}

START_TEST(many_threads_may_be_the_first_that_need_the_backends)
{
    for (struct rounds rounds = rounds_of(scaled(20, 4), 2); rounds_left(&rounds); rounds.number++) {
        struct trm_context *context = open_context();
        pthread_t threads[8];
        void *counts[8];
        for (int i = 0; i < 8; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, count_candidates, context), 0);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], &counts[i]);
        for (int i = 0; i < 8; i++)
            ck_assert_int_eq((intptr_t)counts[i], (intptr_t)counts[0]);
        ck_assert_int_gt((intptr_t)counts[0], 0);
        trm_context_destroy(context);
    }
}
END_TEST

/* ---- statuses and the last error ---- */

START_TEST(every_status_has_a_name_and_a_text)
{
    ck_assert_str_eq(trm_status_name(TRM_OK), "TRM_OK");
    ck_assert_str_eq(trm_status_name(TRM_ERROR_TIMEOUT), "TRM_ERROR_TIMEOUT");
    ck_assert_str_eq(trm_status_name(TRM_ERROR_INTERNAL), "TRM_ERROR_INTERNAL");
    for (int32_t status = TRM_ERROR_TIME_LIMIT; status <= TRM_OK; status++) {
        ck_assert_str_ne(trm_status_name(status), "TRM_ERROR_UNKNOWN");
        ck_assert(trm_status_text(status)[0]);
        for (int32_t other = TRM_ERROR_TIME_LIMIT; other < status; other++)
            ck_assert_str_ne(trm_status_name(status), trm_status_name(other));
    }
    ck_assert_str_eq(trm_status_name(1), "TRM_ERROR_UNKNOWN");
    ck_assert_str_eq(trm_status_name(-1000), "TRM_ERROR_UNKNOWN");
    ck_assert_str_eq(trm_status_name(INT32_MIN), "TRM_ERROR_UNKNOWN");
    ck_assert(trm_status_text(INT32_MIN) != NULL);
}
END_TEST

START_TEST(the_version_is_that_of_the_headers)
{
    char version[64];
    snprintf(version, sizeof(version), "%d.%d.%d", TRM_VERSION_MAJOR, TRM_VERSION_MINOR, TRM_VERSION_PATCH);
    ck_assert_str_eq(trm_version(), version);
}
END_TEST

static void *first_error_of_a_thread(void *user)
{
    struct trm_error *error = user;
    *error                  = trm_last_error();
    return NULL;
}

START_TEST(a_thread_that_has_seen_no_failure_has_no_error)
{
    struct trm_error error = {.status = -1};
    pthread_t thread;
    ck_status(trm_setting_describe(UINT32_MAX, NULL),
              trm_setting_describe(UINT32_MAX, NULL)); /* fails, here */
    ck_assert_int_lt(trm_last_error().status, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, first_error_of_a_thread, &error), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(error.status, TRM_OK);
    ck_assert_int_eq(error.native_code, 0);
    ck_assert_ptr_nonnull(error.sentence);
}
END_TEST

START_TEST(a_success_does_not_clear_the_last_error)
{
    struct trm_setting setting  = {"pool.tresholt", "1M"};
    struct trm_context *context = NULL;
    ck_status(context_with(&setting, 1, &context), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(context_with(NULL, 0, &context));
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("pool.tresholt");
    trm_context_destroy(context);
}
END_TEST

void add_context(Suite *suite)
{
    TCase *group = group_make_bare(suite, "context");
    CASE(group, a_context_needs_no_descriptor);
    CASE(group, a_descriptor_of_another_size_is_refused);
    CASE(group, flags_of_a_context_that_mean_nothing_are_refused);
    CASE(group, an_allocator_without_both_functions_is_refused);
    CASE(group, a_context_without_host_memory_is_an_error);
    CASE(group, contexts_run_out_with_an_error_and_come_back);
    CASE(group, a_context_can_be_made_and_destroyed_again_and_again);

    group = group_make_bare(suite, "settings");
    CASE(group, an_unknown_setting_is_refused_by_name);
    CASE(group, a_value_that_is_not_of_the_settings_type_is_refused);
    CASE(group, a_setting_without_name_or_value_is_refused);
    CASE(group, a_setting_of_the_program_is_in_force_and_copied);
    CASE(group, the_environment_is_stronger_than_the_default_and_weaker_than_the_program);
    CASE(group, a_wrong_value_in_the_environment_is_refused_by_its_variable);
    CASE(group, every_setting_has_a_name_a_variable_a_help_and_its_default);
    CASE(group, a_setting_that_does_not_fit_tells_its_size);
    CASE(group, two_contexts_have_settings_of_their_own);

    group = group_make_bare(suite, "candidates");
    CASE(group, the_backend_under_test_is_an_accepted_candidate);
    CASE(group, a_backend_that_is_not_there_is_an_error_that_says_why);
    CASE(group, a_plugin_that_is_not_there_is_in_the_report_with_its_reason);
    CASE(group, many_threads_may_be_the_first_that_need_the_backends);

    group = group_make_bare(suite, "several contexts");
    CASE(group, several_contexts_work_side_by_side_and_share_nothing);
    CASE(group, a_destroyed_context_lives_on_under_its_devices);

    group = group_make_bare(suite, "errors");
    CASE(group, every_status_has_a_name_and_a_text);
    CASE(group, the_version_is_that_of_the_headers);
    CASE(group, a_thread_that_has_seen_no_failure_has_no_error);
    CASE(group, a_success_does_not_clear_the_last_error);
}
