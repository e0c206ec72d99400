/* A context over folders of fake plugins, for the tests of the registry: fake-one (score 100, one device),
 * fake-two (score 300, two devices) and fake-three (score 200, three devices), whose own names are one, two
 * and three.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_CORE_PLUGIN_REGISTRY_FIXTURE_H
#define TESTS_UNIT_CORE_PLUGIN_REGISTRY_FIXTURE_H

#include "core/plugin/registry.h"

#include <pthread.h>

#include "core/object/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static struct counting counting;
static struct trm_context *context;
static char logged[16384];
static char search[PATH_MAX];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void note_line(void *user, int32_t level, const char *message)
{
    (void)user;
    (void)level;
    pthread_mutex_lock(&log_lock);
    size_t length = strlen(logged);
    snprintf(logged + length, sizeof(logged) - length, "%s\n", message);
    pthread_mutex_unlock(&log_lock);
}

/* A folder of the test with a plugin in it. */
static inline void add(const char *module, const char *as)
{
    char line[3 * PATH_MAX];
    const char *builddir = getenv("top_builddir");
    ck_assert_msg(builddir != NULL, "the environment variable top_builddir is not set: run by `make check`");
    snprintf(line, sizeof(line), "cp '%s/tests/unit/core/plugin/.libs/%s.so' '%s' && chmod 755 '%s'",
             builddir, module, folder_path(as), folder_path(as));
    ck_assert_int_eq(system(line), 0);
}

static inline void setup(void)
{
    folder_make();
    folder_sub("a");
    folder_sub("b");
    snprintf(search, sizeof(search), "%s:%s", folder_path("a"), folder_path("b"));
}

static inline void teardown(void)
{
    trm_context_destroy(context);
    counting_is_balanced(&counting);
    folder_remove();
}

static inline void make_with(const char *backend, const char *name, const char *value)
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

static inline void make(const char *backend)
{
    make_with(backend, NULL, NULL);
}

static inline struct core_registry *registry(void)
{
    struct core_registry *made = NULL;
    ck_assert_msg(core_registry_get(core_context_find(context), &made) == TRM_OK, "%s",
                  trm_last_error().sentence);
    return made;
}

/* The candidates whose files are the test's own, as "one+ two-" in the order of preference. */
static inline const char *report(void)
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

static inline struct trm_candidate candidate_of(const char *name)
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

static inline void reason_is(const char *name, int32_t stage, const char *words)
{
    struct trm_candidate candidate = candidate_of(name);
    ck_assert_msg(strstr(candidate.reason, words) != NULL, "\"%s\" is not in: %s", words, candidate.reason);
    ck_assert_int_eq(candidate.stage, stage);
}

/* The devices, as "two:0 two:1". */
static inline const char *devices(void)
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

static inline void resolves(const char *id, const char *name, uint32_t expected)
{
    struct core_backend *backend = NULL;
    uint32_t index               = 99;
    ck_assert_msg(core_registry_resolve(registry(), id, &backend, &index) == TRM_OK, "%s",
                  trm_last_error().sentence);
    ck_assert_str_eq(backend->name, name);
    ck_assert_uint_eq(index, expected);
}

static inline void does_not_resolve(const char *id, const char *words)
{
    struct core_backend *backend = NULL;
    uint32_t index               = 99;
    ck_assert_int_eq(core_registry_resolve(registry(), id, &backend, &index), TRM_ERROR_NOT_FOUND);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
    ck_assert_ptr_null(backend);
}

static inline void add_all(void)
{
    add("fake-one", "a/one.so");
    add("fake-two", "b/two.so");
    add("fake-three", "b/three.so");
}

#endif
