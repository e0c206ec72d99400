/* What a profiler is told about a pipeline, and that nothing is told without one.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <stdio.h>
#include <string.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "core/stream/stream_object.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define BYTES 512
#define TOKENS 5
#define DEPTH 2

static struct store store;
static struct trm_context *context;
static struct trm_module *module;
static struct trm_kernel *saxpy;

/* The calls as "(token 0(upload 0)(twice 0)(download 0))"; by one thread at a time. */
static char said[4096];
static uint32_t streams_named;
static char names[256];

static void say(const char *text)
{
    ck_assert_uint_lt(strlen(said) + strlen(text), sizeof(said));
    strcat(said, text);
}

static void begin(const char *name, uint64_t number)
{
    char text[64];

    snprintf(text, sizeof(text), "(%s %u", name, (unsigned)number);
    say(text);
}

static void end(void)
{
    say(")");
}

static void name_stream(struct trm_backend_stream *stream, const char *name)
{
    ck_assert_ptr_nonnull(stream);
    streams_named++;
    snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s;", name);
}

static struct trm_range_ops ranges;

static const void *get_extension(const char *name, uint32_t version)
{
    return strcmp(name, TRM_RANGE_EXTENSION) == 0 && version == 1 ? &ranges : NULL;
}

static const void *get_nothing(const char *name, uint32_t version)
{
    (void)name;
    (void)version;
    return NULL;
}

static int32_t function(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    return 0;
}

static int32_t on_host(void *user, const struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

static void open_store(void)
{
    static const struct trm_cpu_kernel functions[] = {{.name = "f", .function = function}};
    static const struct trm_module_desc mine       = {.struct_size = sizeof(mine),
                                                      .format      = TRM_MODULE_FUNCTIONS,
                                                      .data        = functions,
                                                      .size        = sizeof(functions),
                                                      .name        = "mine"};

    memset(&store, 0, sizeof(store));
    said[0] = names[0] = '\0';
    streams_named      = 0;
    ranges             = (struct trm_range_ops){
                    .struct_size = sizeof(ranges), .begin = begin, .end = end, .name_stream = name_stream};
    store.immediate = 1;
    store_prepare(&store, "store");
    store.backend.table.get_extension = get_extension;

    context = store_context(NULL);
    store_open(&store, context);
    ck_assert_int_eq(trm_module_load(store.device, &mine, &module), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(module, "saxpy", &saxpy), TRM_OK);
}

static void close_store(void)
{
    trm_kernel_destroy(saxpy);
    trm_module_destroy(module);
    store_close(&store);
    trm_context_destroy(context);
}

static int32_t fill(void *user, struct trm_token *token)
{
    (void)user;
    return token->index < TOKENS ? TRM_OK : TRM_TOKEN_END;
}

static int32_t take(void *user, const struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

/* TOKENS tokens go through a launch "twice" and, with `host`, a stage "look" on the host. */
static void run(int32_t strategy, int32_t host)
{
    struct trm_port ports[]               = {trm_port_input("x", BYTES), trm_port_output("y", BYTES)};
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(2),
                                             trm_arg_u32(4)};
    const struct trm_stage stages[]       = {{.name           = "twice",
                                              .kernel         = saxpy,
                                              .arguments      = arguments,
                                              .argument_count = 4,
                                              .grid           = trm_grid_1d(4, 32)},
                                             {.name = "look", .host = on_host, .host_reads = 1}};
    const struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                             .ports       = ports,
                                             .port_count  = 2,
                                             .stages      = stages,
                                             .stage_count = host ? 2 : 1,
                                             .strategy    = strategy,
                                             .depth       = DEPTH};
    const struct trm_source source        = trm_source_function(fill, NULL);
    const struct trm_sink sink            = trm_sink_function(take, NULL);
    struct trm_pipeline *pipeline         = NULL;

    ck_assert_msg(trm_pipeline_create(store.device, &desc, &pipeline) == TRM_OK, "%s",
                  trm_last_error().sentence);
    ck_assert_msg(trm_pipeline_run(pipeline, &source, &sink) == TRM_OK, "%s", trm_last_error().sentence);
    trm_pipeline_destroy(pipeline);
}

START_TEST(tokens_and_their_stages_are_ranges_within_each_other)
{
    char expected[1024] = "";

    run(TRM_STRATEGY_ROLE_STREAMS, 0);
    for (unsigned i = 0; i < TOKENS; i++)
        snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
                 "(token %u(upload %u)(twice %u)(download %u))", i, i, i, i);
    ck_assert_str_eq(said, expected);
}
END_TEST

START_TEST(streams_are_named_by_what_they_are_for)
{
    run(TRM_STRATEGY_ROLE_STREAMS, 0);
    ck_assert_str_eq(names, "upload;compute;download;");
    names[0] = '\0';
    run(TRM_STRATEGY_SLOT_STREAMS, 0);
    ck_assert_str_eq(names, "slot 0;slot 1;");
}
END_TEST

START_TEST(a_recorded_token_is_one_range)
{
    run(TRM_STRATEGY_SLOT_GRAPHS, 0);
    for (unsigned i = 0; i < TOKENS; i++) {
        char expected[64];
        snprintf(expected, sizeof(expected), "(token %u)", i);
        ck_assert_msg(strstr(said, expected) != NULL, "%s is not in %s", expected, said);
    }
}
END_TEST

START_TEST(a_stage_on_the_host_is_a_range_where_it_runs)
{
    run(TRM_STRATEGY_SLOT_STREAMS, 1);
    for (unsigned i = 0; i < TOKENS; i++) {
        char expected[64];
        snprintf(expected, sizeof(expected), "(look %u)", i);
        ck_assert_msg(strstr(said, expected) != NULL, "%s is not in %s", expected, said);
    }
}
END_TEST

START_TEST(ranges_end_where_a_token_cannot_be_put)
{
    const char *at;
    int depth = 0;

    run(TRM_STRATEGY_SLOT_STREAMS, 0);
    said[0] = '\0';

    struct trm_port ports[]               = {trm_port_input("x", BYTES), trm_port_output("y", BYTES)};
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(2),
                                             trm_arg_u32(4)};
    const struct trm_stage stages[]       = {{.name           = "twice",
                                              .kernel         = saxpy,
                                              .arguments      = arguments,
                                              .argument_count = 4,
                                              .grid           = trm_grid_1d(4, 32)}};
    const struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                             .ports       = ports,
                                             .port_count  = 2,
                                             .stages      = stages,
                                             .stage_count = 1,
                                             .strategy    = TRM_STRATEGY_SLOT_STREAMS,
                                             .depth       = DEPTH};
    struct trm_pipeline *pipeline         = NULL;
    struct trm_token *token               = NULL;
    ck_assert_int_eq(trm_pipeline_create(store.device, &desc, &pipeline), TRM_OK);
    ck_assert_int_eq(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token), TRM_OK);
    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_ne(trm_pipeline_submit(pipeline, token), TRM_OK);
    trm_pipeline_destroy(pipeline);
    for (at = said; *at != '\0'; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        ck_assert_int_ge(depth, 0);
    }
    ck_assert_int_eq(depth, 0);
    ck_assert_msg(strstr(said, "(upload 0)") != NULL, "%s", said);
}
END_TEST

START_TEST(no_range_is_reported_without_a_profiler)
{
    store.backend.table.get_extension = get_nothing;
    run(TRM_STRATEGY_ROLE_STREAMS, 1);
    store.backend.table.get_extension = NULL;
    run(TRM_STRATEGY_SLOT_STREAMS, 1);
    run(TRM_STRATEGY_SLOT_GRAPHS, 0);
    ck_assert_str_eq(said, "");
    ck_assert_uint_eq(streams_named, 0);
}
END_TEST

START_TEST(a_table_that_lacks_what_it_must_have_is_none)
{
    ranges.end = NULL;
    run(TRM_STRATEGY_ROLE_STREAMS, 0);
    ranges.end         = end;
    ranges.struct_size = 16;
    run(TRM_STRATEGY_ROLE_STREAMS, 0);
    ck_assert_str_eq(said, "");
    ranges.struct_size = sizeof(ranges);
    ranges.name_stream = NULL;
    run(TRM_STRATEGY_ROLE_STREAMS, 0);
    ck_assert_str_ne(said, "");
    ck_assert_uint_eq(streams_named, 0);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        tokens_and_their_stages_are_ranges_within_each_other,
        streams_are_named_by_what_they_are_for,
        a_recorded_token_is_one_range,
        a_stage_on_the_host_is_a_range_where_it_runs,
        ranges_end_where_a_token_cannot_be_put,
        no_range_is_reported_without_a_profiler,
        a_table_that_lacks_what_it_must_have_is_none,
    };
    Suite *suite = suite_create("pipelines: ranges");
    TCase *tests = tcase_create("ranges");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
