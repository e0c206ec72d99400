/* Which plugins are found, which of them are chosen, and what the report says.
 *
 * The plugins are fakes: fake-one (score 100, one device), fake-two (score 300, two devices) and fake-three (score
 * 200, three devices), whose own names are one, two and three.
 * SPDX-License-Identifier: MIT
 */
#include "core/registry.h"

#include <pthread.h>

#include "core/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static struct counting counting;
static struct trm_context *context;
static char logged[16384];
static char search[PATH_MAX];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void note_line(void *user, int32_t level, const char *message)
{
    (void)user;
    (void)level;
    pthread_mutex_lock(&log_lock);
    size_t length = strlen(logged);
    snprintf(logged + length, sizeof(logged) - length, "%s\n", message);
    pthread_mutex_unlock(&log_lock);
}

/* A folder of the test with a plugin in it. */
static void add(const char *module, const char *as)
{
    char line[3 * PATH_MAX];
    const char *builddir = getenv("top_builddir");
    ck_assert_msg(builddir != NULL, "the environment variable top_builddir is not set: run by `make check`");
    snprintf(line, sizeof(line), "cp '%s/tests/unit/.libs/%s.so' '%s' && chmod 755 '%s'", builddir, module,
             folder_path(as), folder_path(as));
    ck_assert_int_eq(system(line), 0);
}

static void setup(void)
{
    folder_make();
    folder_sub("a");
    folder_sub("b");
    snprintf(search, sizeof(search), "%s:%s", folder_path("a"), folder_path("b"));
}

static void teardown(void)
{
    trm_context_destroy(context);
    counting_is_balanced(&counting);
    folder_remove();
}

static void make_with(const char *backend, const char *name, const char *value)
{
    struct trm_setting settings[]  = {{"backend.path", search}, {"backend", backend}, {name, value}};
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size   = sizeof(desc),
                                      .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                      .log           = note_line,
                                      .allocator     = &allocator,
                                      .settings      = settings,
                                      .setting_count = name ? 3 : 2};
    trm_context_destroy(context);
    context   = NULL;
    logged[0] = '\0';
    ck_assert_msg(trm_context_create(&desc, &context) == TRM_OK, "%s", trm_last_error().sentence);
}

static void make(const char *backend)
{
    make_with(backend, NULL, NULL);
}

static struct core_registry *registry(void)
{
    struct core_registry *made = NULL;
    ck_assert_msg(core_context_registry(core_context_find(context), &made) == TRM_OK, "%s",
                  trm_last_error().sentence);
    return made;
}

/* The candidates whose files are the test's own, as "one+ two-" in the order of preference. */
static const char *report(void)
{
    static char text[512];
    uint32_t count = 0;
    text[0]        = '\0';
    ck_assert_int_eq(trm_context_candidate_count(context, &count), TRM_OK);
    for (uint32_t i = 0; i < count; i++) {
        struct trm_candidate candidate = {.struct_size = sizeof(candidate)};
        ck_assert_int_eq(trm_context_candidate(context, i, &candidate), TRM_OK);
        ck_assert_int_eq(candidate.accepted, candidate.reason[0] == '\0');
        if (candidate.path[0] == '\0' || strncmp(candidate.path, folder, strlen(folder)) == 0)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s", text[0] ? " " : "",
                     candidate.name, candidate.accepted ? "+" : "-");
    }
    return text;
}

static struct trm_candidate candidate_of(const char *name)
{
    uint32_t count                 = 0;
    struct trm_candidate candidate = {.struct_size = sizeof(candidate)};
    ck_assert_int_eq(trm_context_candidate_count(context, &count), TRM_OK);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_eq(trm_context_candidate(context, i, &candidate), TRM_OK);
        if (strcmp(candidate.name, name) == 0)
            return candidate;
    }
    ck_abort_msg("there is no candidate %s", name);
    return candidate;
}

static void reason_is(const char *name, int32_t stage, const char *words)
{
    struct trm_candidate candidate = candidate_of(name);
    ck_assert_msg(strstr(candidate.reason, words) != NULL, "\"%s\" is not in: %s", words, candidate.reason);
    ck_assert_int_eq(candidate.stage, stage);
}

/* The devices, as "two:0 two:1". */
static const char *devices(void)
{
    static char text[512];
    uint32_t count = 0;
    text[0]        = '\0';
    ck_assert_int_eq(trm_device_count(context, &count), TRM_OK);
    for (uint32_t i = 0; i < count; i++) {
        struct trm_device_summary summary = {.struct_size = sizeof(summary)};
        ck_assert_int_eq(trm_device_describe(context, i, &summary), TRM_OK);
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", text[0] ? " " : "", summary.id);
    }
    return text;
}

static void resolves(const char *id, const char *name, uint32_t expected)
{
    struct core_backend *backend = NULL;
    uint32_t index               = 99;
    ck_assert_msg(core_registry_resolve(registry(), id, &backend, &index) == TRM_OK, "%s",
                  trm_last_error().sentence);
    ck_assert_str_eq(backend->name, name);
    ck_assert_uint_eq(index, expected);
}

static void does_not_resolve(const char *id, const char *words)
{
    struct core_backend *backend = NULL;
    uint32_t index               = 99;
    ck_assert_int_eq(core_registry_resolve(registry(), id, &backend, &index), TRM_ERROR_NOT_FOUND);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
    ck_assert_ptr_null(backend);
}

static void add_all(void)
{
    add("fake-one", "a/one.so");
    add("fake-two", "b/two.so");
    add("fake-three", "b/three.so");
}

/* ---- what is found ---- */

START_TEST(without_a_choice_the_best_score_comes_first)
{
    add_all();
    make("");
    ck_assert_str_eq(report(), "two+ three+ one+");
    ck_assert_int_eq(trm_last_error().status, TRM_OK);
    ck_assert_str_eq(devices(), "two:0 two:1 three:0 three:1 three:2 one:0");
    resolves(NULL, "two", 0);
}
END_TEST

START_TEST(the_report_says_who_is_there)
{
    add("fake-one", "a/one.so");
    make("");
    struct trm_candidate candidate = candidate_of("one");
    ck_assert_int_eq(candidate.accepted, 1);
    ck_assert_int_eq(candidate.stage, TRM_CANDIDATE_OPENED);
    ck_assert_int_eq(candidate.score, 100);
    ck_assert_str_eq(candidate.version, "1.2.3");
    ck_assert_str_eq(candidate.reason, "");
    ck_assert_str_eq(candidate.path, folder_path("a/one.so"));
}
END_TEST

START_TEST(no_plugin_anywhere_is_said_plainly)
{
    make("");
    ck_assert_str_eq(report(), "");
    ck_assert_str_eq(devices(), "");
    does_not_resolve(NULL, "no backend");
    does_not_resolve("cuda", "");
}
END_TEST

START_TEST(only_files_that_end_in_so_are_looked_at)
{
    add("fake-one", "a/one");
    add("fake-one", "a/one.so.1");
    add("fake-one", "a/.so");
    add("fake-one", "a/.hidden.so");
    make("");
    ck_assert_str_eq(report(), "");
}
END_TEST

START_TEST(a_folder_counts_once_whatever_it_is_called)
{
    add("fake-one", "a/one.so");
    ck_assert_int_eq(symlink("a", folder_path("link")), 0);
    snprintf(search, sizeof(search), "%s:%s:%s:%s", folder_path("link"), folder_path("a"),
             folder_path("a/../a/"), folder_path("none"));
    make("");
    ck_assert_str_eq(report(), "one+");
}
END_TEST

START_TEST(a_search_has_an_end)
{
    size_t length = 0;
    add("fake-one", "a/one.so");
    add("fake-two", "b/two.so");
    for (int i = 0; i < 33; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%d", i);
        folder_sub(name);
        length += (size_t)snprintf(search + length, sizeof(search) - length,
                                   "%s:", folder_path(i == 0 ? "a" : name));
    }
    snprintf(search + length, sizeof(search) - length, "%s", folder_path("b"));
    make("");
    ck_assert_str_eq(report(), "one+");
    ck_assert_ptr_nonnull(strstr(logged, "one folder too many"));
}
END_TEST

START_TEST(a_folder_with_too_many_plugins_is_said_so)
{
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof(name), "a/%d.so", i);
        folder_write(name, "");
    }
    make("");
    uint32_t count = 0;
    ck_assert_int_eq(trm_context_candidate_count(context, &count), TRM_OK);
    ck_assert_uint_ge(count, 256);
    ck_assert_uint_lt(count, 300);
    ck_assert_ptr_nonnull(strstr(logged, "has more than 256 plugins"));
}
END_TEST

START_TEST(of_two_files_of_one_name_the_first_one_found_wins)
{
    add("fake-one", "a/one.so");
    add("fake-one", "b/one.so");
    make("");
    ck_assert_str_eq(report(), "one+ one-");
    ck_assert_str_eq(candidate_of("one").path, folder_path("a/one.so"));

    struct trm_candidate second = {.struct_size = sizeof(second)};
    ck_assert_int_eq(trm_context_candidate(context, 1, &second), TRM_OK);
    ck_assert_ptr_nonnull(strstr(second.reason, "shadowed by"));
    ck_assert_ptr_nonnull(strstr(second.reason, folder_path("a/one.so")));
    ck_assert_int_eq(second.stage, TRM_CANDIDATE_FOUND);
}
END_TEST

START_TEST(of_two_plugins_of_one_name_in_different_files_the_first_one_wins)
{
    add("fake-one", "a/copy.so");
    add("fake-one", "a/one.so");
    make("");
    ck_assert_str_eq(report(), "one+ one-");
    ck_assert_str_eq(candidate_of("one").path, folder_path("a/copy.so"));
}
END_TEST

/* ---- what is chosen ---- */

START_TEST(one_name_takes_that_backend_and_probes_no_other)
{
    add_all();
    make("one");
    ck_assert_str_eq(devices(), "one:0");
    resolves(NULL, "one", 0);
    ck_assert_ptr_nonnull(strstr(logged, "one is probed"));
    ck_assert_ptr_null(strstr(logged, "two is probed"));
    reason_is("two", TRM_CANDIDATE_FOUND, "not asked for by TRIREME_BACKEND=one");
    does_not_resolve("two:0", "not asked for");
}
END_TEST

START_TEST(one_name_that_cannot_be_had_is_an_error_that_says_why)
{
    uint32_t count = 77;
    add_all();
    make_with("two", "two.refuse", "the test");
    ck_assert_int_eq(core_registry_status(registry()), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(trm_device_count(context, &count), TRM_ERROR_NOT_FOUND);
    ck_assert_uint_eq(count, 77);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "told to refuse by the test"));
    does_not_resolve(NULL, "told to refuse by the test");
    reason_is("two", TRM_CANDIDATE_TABLES, "told to refuse by the test");

    make("four");
    ck_assert_int_eq(trm_device_count(context, &count), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "four.so"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, folder_path("b")));
    reason_is("four", TRM_CANDIDATE_FOUND, "there is no file four.so in");
}
END_TEST

START_TEST(a_list_falls_back_in_its_order)
{
    add_all();
    make("one,three");
    ck_assert_str_eq(report(), "one+ three+ two-");
    resolves(NULL, "one", 0);
    resolves("three:2", "three", 2);
    make_with("two,four,three", "two.refuse", "the test");
    ck_assert_str_eq(report(), "three+ two- four- one-");
    resolves(NULL, "three", 0);
    ck_assert_str_eq(devices(), "three:0 three:1 three:2");
}
END_TEST

START_TEST(a_list_of_which_nothing_can_be_had_gives_every_reason)
{
    add_all();
    make_with("two,four", "two.refuse", "the test");
    ck_assert_str_eq(devices(), "");
    does_not_resolve(NULL, "two: told to refuse by the test; four: there is no file four.so");
}
END_TEST

START_TEST(all_but_some_takes_the_best_of_the_others)
{
    add_all();
    make("^two");
    ck_assert_str_eq(report(), "three+ one+ two-");
    ck_assert_ptr_null(strstr(logged, "two is probed"));
    reason_is("two", TRM_CANDIDATE_FOUND, "excluded by TRIREME_BACKEND=^two");
    make("^two,three");
    ck_assert_str_eq(devices(), "one:0");
}
END_TEST

START_TEST(excluding_looks_at_the_plugins_own_name_too)
{
    add("fake-two", "a/innocent.so");
    make("^two");
    ck_assert_str_eq(devices(), "");
    reason_is("two", TRM_CANDIDATE_TABLES, "excluded by TRIREME_BACKEND=^two");
}
END_TEST

START_TEST(a_device_number_makes_that_device_the_default)
{
    add_all();
    make("two:1");
    resolves(NULL, "two", 1);
    resolves("two:0", "two", 0);
    ck_assert_str_eq(devices(), "two:1 two:0");
    make("three:2,two:1");
    ck_assert_str_eq(devices(), "three:2 three:0 three:1 two:1 two:0");
}
END_TEST

START_TEST(a_device_number_that_there_is_not_refuses_the_backend)
{
    add_all();
    make("two:2");
    does_not_resolve(NULL, "there is no device two:2: it has 2");
    make("two:2,one");
    resolves(NULL, "one", 0);
    ck_assert_ptr_nonnull(strstr(logged, "two is closed"));
}
END_TEST

START_TEST(a_backend_may_be_named_by_its_path)
{
    char path[PATH_MAX];
    add_all();
    add("fake-one", "elsewhere.so");
    make(folder_path("elsewhere.so"));
    ck_assert_str_eq(devices(), "one:0");
    resolves("one:0", "one", 0);
    ck_assert_ptr_null(strstr(logged, "two is probed"));

    snprintf(path, sizeof(path), "%s:1,one", folder_path("b/two.so"));
    make(path);
    ck_assert_str_eq(devices(), "two:1 two:0 one:0");
    resolves(NULL, "two", 1);
}
END_TEST

START_TEST(a_path_that_is_relative_or_leads_nowhere_is_refused)
{
    ck_assert_int_eq(chdir(folder), 0);
    add("fake-one", "a/one.so");
    make("./a/one.so");
    does_not_resolve(NULL, "not absolute");
    reason_is("one", TRM_CANDIDATE_FOUND, "not absolute");
    make("/nowhere/one.so");
    does_not_resolve(NULL, "does not exist");
    make("/nowhere/a_plugin_with_a_name_that_is_longer_than_any_name_of_a_backend_may_be");
    does_not_resolve(NULL, "does not exist");
}
END_TEST

START_TEST(the_setting_device_is_the_default_device)
{
    add_all();
    make_with("", "device", "three:1");
    resolves(NULL, "three", 1);
    resolves("one", "one", 0);
    make_with("", "device", "four");
    does_not_resolve(NULL, "there is no backend for the device \"four\"");
    make_with("", "device", "one:3");
    does_not_resolve(NULL, "there is no device one:3: the backend one has 1");
}
END_TEST

START_TEST(what_is_no_device_is_not_found)
{
    add_all();
    make("");
    does_not_resolve("", "empty");
    does_not_resolve("one:", "is not the name of a device");
    does_not_resolve("one:0:0", "is not the name of a device");
    does_not_resolve("One", "is not the name of a device");
    does_not_resolve("four:0", "one: can be used");
    does_not_resolve("two:2", "there is no device two:2");
}
END_TEST

/* ---- what a plugin says and gets ---- */

START_TEST(a_plugin_reads_its_settings_and_may_ask_whom_to_trust)
{
    add_all();
    make_with("", "one.score", "999");
    resolves(NULL, "one", 0);
    make_with("", "one.score", "1001");
    reason_is("one", TRM_CANDIDATE_TABLES, "the score 1001");
    make_with("one", "one.trust", folder_path("a/one.so"));
    resolves(NULL, "one", 0);
    make_with("one", "one.trust", "relative.so");
    reason_is("one", TRM_CANDIDATE_PROBED, "not an absolute path");
}
END_TEST

START_TEST(backends_are_closed_when_the_context_ends)
{
    add_all();
    make("");
    ck_assert_str_ne(devices(), "");
    ck_assert_ptr_null(strstr(logged, "is closed"));
    trm_context_destroy(context);
    context = NULL;
    ck_assert_ptr_nonnull(strstr(logged, "one is closed"));
    ck_assert_ptr_nonnull(strstr(logged, "two is closed"));
    ck_assert_ptr_nonnull(strstr(logged, "three is closed"));
}
END_TEST

START_TEST(two_contexts_have_instances_of_their_own)
{
    struct trm_context *first;
    add_all();
    make("one");
    resolves(NULL, "one", 0);
    first   = context;
    context = NULL;
    make("one");
    resolves(NULL, "one", 0);
    trm_context_destroy(first);
    resolves(NULL, "one", 0);
    ck_assert_str_eq(devices(), "one:0");
}
END_TEST

START_TEST(a_device_is_described)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    add_all();
    make("");
    ck_assert_int_eq(trm_device_describe(context, 1, &summary), TRM_OK);
    ck_assert_str_eq(summary.id, "two:1");
    ck_assert_str_eq(summary.backend, "two");
    ck_assert_int_eq(strncmp(summary.name, "two is the name", 15), 0);
    ck_assert_uint_eq(strlen(summary.name), sizeof(summary.name) - 1);
    ck_assert_uint_eq(summary.memory_bytes, 1001);
    ck_assert_int_eq(summary.unified, 1);
    ck_assert_int_eq(summary.kind, TRM_DEVICE_CPU);
    ck_assert_int_eq(summary.score, 300);
    ck_assert_uint_eq(summary.struct_size, sizeof(summary));
}
END_TEST

START_TEST(describing_and_counting_check_their_arguments)
{
    uint32_t count                    = 0;
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    struct trm_candidate candidate    = {.struct_size = sizeof(candidate)};
    add_all();
    make("");
    ck_assert_int_eq(trm_device_count(context, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_device_count(NULL, &count), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_device_describe(context, 6, &summary), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_device_describe(context, UINT32_MAX, &summary), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_device_describe(context, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_device_describe(NULL, 0, &summary), TRM_ERROR_INVALID_HANDLE);
    summary.struct_size = 100;
    ck_assert_int_eq(trm_device_describe(context, 0, &summary), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_context_candidate_count(context, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_context_candidate_count(NULL, &count), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_context_candidate(context, 999, &candidate), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_context_candidate(context, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_context_candidate(NULL, 0, &candidate), TRM_ERROR_INVALID_HANDLE);
    candidate.struct_size = 4;
    ck_assert_int_eq(trm_context_candidate(context, 0, &candidate), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_device_that_says_nothing_of_itself_is_an_error)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    add_all();
    make_with("one", "one.silent", "yes");
    ck_assert_int_eq(trm_device_describe(context, 0, &summary), TRM_ERROR_BACKEND);
    ck_assert_str_eq(trm_last_error().sentence, trm_status_text(TRM_ERROR_BACKEND));
}
END_TEST

/* ---- memory and threads ---- */

START_TEST(without_memory_for_the_report_the_call_fails_and_a_later_one_works)
{
    int failures   = 0;
    uint32_t count = 0;
    add_all();
    folder_write("a/text.so", "no plugin");
    make("two,one,four,text");
    for (int n = 1; n < 200; n++) {
        counting.fail_from = counting.allocations + n;
        int32_t status     = trm_context_candidate_count(context, &count);
        int64_t reached    = counting.allocations;
        int64_t from       = counting.fail_from;
        counting.fail_from = 0;
        if (status == TRM_OK && reached < from)
            break;
        if (status == TRM_OK) {
            /* Only a plugin went without, and the report says so. */
            reason_is("one", TRM_CANDIDATE_PROBED, "no memory for a fake");
            make("two,one,four,text");
            continue;
        }
        ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        failures++;
    }
    ck_assert_int_gt(failures, 5);
    ck_assert_str_eq(report(), "two+ one+ four- text- three-");
}
END_TEST

static void *count_them(void *unused)
{
    uint32_t count = 0;
    (void)unused;
    ck_assert_int_eq(trm_device_count(context, &count), TRM_OK);
    ck_assert_uint_eq(count, 6);
    return NULL;
}

START_TEST(many_threads_that_ask_first_load_the_plugins_once)
{
    pthread_t threads[8];
    add_all();
    make("");
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, count_them, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    char *first = strstr(logged, "one is probed");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "one is probed"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("registry");
    TCase *tests = tcase_create("registry");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, without_a_choice_the_best_score_comes_first);
    tcase_add_test(tests, the_report_says_who_is_there);
    tcase_add_test(tests, no_plugin_anywhere_is_said_plainly);
    tcase_add_test(tests, only_files_that_end_in_so_are_looked_at);
    tcase_add_test(tests, a_folder_counts_once_whatever_it_is_called);
    tcase_add_test(tests, a_search_has_an_end);
    tcase_add_test(tests, a_folder_with_too_many_plugins_is_said_so);
    tcase_add_test(tests, of_two_files_of_one_name_the_first_one_found_wins);
    tcase_add_test(tests, of_two_plugins_of_one_name_in_different_files_the_first_one_wins);
    tcase_add_test(tests, one_name_takes_that_backend_and_probes_no_other);
    tcase_add_test(tests, one_name_that_cannot_be_had_is_an_error_that_says_why);
    tcase_add_test(tests, a_list_falls_back_in_its_order);
    tcase_add_test(tests, a_list_of_which_nothing_can_be_had_gives_every_reason);
    tcase_add_test(tests, all_but_some_takes_the_best_of_the_others);
    tcase_add_test(tests, excluding_looks_at_the_plugins_own_name_too);
    tcase_add_test(tests, a_device_number_makes_that_device_the_default);
    tcase_add_test(tests, a_device_number_that_there_is_not_refuses_the_backend);
    tcase_add_test(tests, a_backend_may_be_named_by_its_path);
    tcase_add_test(tests, a_path_that_is_relative_or_leads_nowhere_is_refused);
    tcase_add_test(tests, the_setting_device_is_the_default_device);
    tcase_add_test(tests, what_is_no_device_is_not_found);
    tcase_add_test(tests, a_plugin_reads_its_settings_and_may_ask_whom_to_trust);
    tcase_add_test(tests, backends_are_closed_when_the_context_ends);
    tcase_add_test(tests, two_contexts_have_instances_of_their_own);
    tcase_add_test(tests, a_device_is_described);
    tcase_add_test(tests, describing_and_counting_check_their_arguments);
    tcase_add_test(tests, a_device_that_says_nothing_of_itself_is_an_error);
    tcase_add_test(tests, without_memory_for_the_report_the_call_fails_and_a_later_one_works);
    tcase_add_test(tests, many_threads_that_ask_first_load_the_plugins_once);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
