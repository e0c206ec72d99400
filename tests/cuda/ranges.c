/* The ranges that a profiler gets of pipelines, by NVTX; and that there are none without a profiler.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/cuda/fixture.h"
#include "tests/cuda/profiler.h"

enum {
    TOKENS = 7,
    WORDS  = 1000,
};

static int32_t fill(void *user, struct trm_token *token)
{
    uint32_t *words = token->data[0];
    (void)user;
    if (token->index >= TOKENS)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    return TRM_OK;
}

static int32_t take(void *user, const struct trm_token *token)
{
    const uint32_t *words = token->data[1];
    uint64_t *wrong       = user;
    for (uint32_t i = 0; i < WORDS; i++)
        *wrong += words[i] != i * 3 + 5;
    return TRM_OK;
}

static void run_pipeline(int32_t strategy)
{
    uint64_t wrong            = 0;
    struct trm_kernel *spread = NULL;
    ck_ok(spread_load(the.device, &spread));
    const struct trm_port ports[]         = {trm_port_input("x", 4 * WORDS), trm_port_output("y", 4 * WORDS)};
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_port_elements(0, 4),
                                             trm_arg_u32(3), trm_arg_u32(5)};
    const struct trm_stage stages[]       = {trm_stage_launch(spread, arguments, 5, 0, 4)};
    const struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                             .ports       = ports,
                                             .port_count  = 2,
                                             .stages      = stages,
                                             .stage_count = 1,
                                             .strategy    = strategy,
                                             .depth       = 3};
    const struct trm_source source        = trm_source_function(fill, NULL);
    const struct trm_sink sink            = trm_sink_function(take, &wrong);
    struct trm_pipeline *pipeline         = NULL;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_ok(trm_pipeline_run(pipeline, &source, &sink));
    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(spread);
    ck_assert_uint_eq(wrong, 0);
}

/* The library is loaded once per process; each test is a process, so it has its own counts. */
static const struct cuda_test_profiler *profiler(void)
{
    void *library = dlopen(PROFILER_PATH, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    const struct cuda_test_profiler *found = dlsym(library, PROFILER_SYMBOL);
    ck_assert_ptr_nonnull(found);
    return found;
}

static bool nvtx_missing(const struct cuda_test_profiler *seen)
{
    if (seen->has_nvtx)
        return false;
    skip("the toolkit came without the headers of NVTX");
    return true;
}

static void look_on(void)
{
    ck_assert_int_eq(setenv("NVTX_INJECTION64_PATH", PROFILER_PATH, 1), 0);
    world_open();
}

START_TEST(a_profiler_sees_tokens_with_their_stages_and_streams_with_names)
{
    const struct cuda_test_profiler *seen = profiler();
    if (nvtx_missing(seen))
        return;
    look_on();
    run_pipeline(TRM_STRATEGY_ROLE_STREAMS);
    ck_assert_str_eq(seen->domain, "trireme");
    ck_assert_uint_eq(seen->tokens, TOKENS);
    ck_assert_uint_eq(seen->uploads, TOKENS);
    ck_assert_uint_eq(seen->downloads, TOKENS);
    ck_assert_uint_eq(seen->named, TOKENS);
    ck_assert_uint_eq(seen->number, TOKENS - 1);
    ck_assert_uint_eq(seen->streams, 3);
    ck_assert_uint_eq(seen->begun, seen->ended);
    ck_assert_uint_eq(seen->below, 0);
    world_close();
}
END_TEST

START_TEST(a_profiler_sees_tokens_of_every_strategy)
{
    static const int32_t strategies[]     = {TRM_STRATEGY_SLOT_STREAMS, TRM_STRATEGY_SLOT_GRAPHS,
                                             TRM_STRATEGY_ZERO_COPY, TRM_STRATEGY_AUTO};
    const struct cuda_test_profiler *seen = profiler();
    if (nvtx_missing(seen))
        return;
    look_on();
    for (uint64_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++) {
        run_pipeline(strategies[i]);
        ck_assert_uint_eq(seen->tokens, TOKENS * (i + 1));
        ck_assert_uint_eq(seen->begun, seen->ended);
    }
    ck_assert_uint_eq(seen->below, 0);
    world_close();
}
END_TEST

START_TEST(a_profiler_sees_the_ranges_of_a_program)
{
    const struct cuda_test_profiler *seen = profiler();
    struct trm_stream *stream             = NULL;
    if (nvtx_missing(seen))
        return;
    look_on();
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    for (unsigned i = 0; i < 5; i++) {
        ck_ok(trm_range_push(stream, "decode"));
        ck_ok(trm_range_pop(stream));
    }
    ck_assert_int_eq(trm_range_pop(stream), TRM_ERROR_INVALID_ARGUMENT);
    trm_stream_destroy(stream);
    ck_assert_uint_eq(seen->named, 5);
    ck_assert_uint_eq(seen->number, 4);
    ck_assert_uint_eq(seen->ended, 5);
    ck_assert_uint_eq(seen->below, 0);
    world_close();
}
END_TEST

START_TEST(without_a_profiler_no_range_is_reported)
{
    const struct cuda_test_profiler *seen = profiler();
    ck_assert_int_eq(unsetenv("NVTX_INJECTION64_PATH"), 0);
    world_open();
    run_pipeline(TRM_STRATEGY_ROLE_STREAMS);
    ck_assert_uint_eq(seen->begun, 0);
    ck_assert_uint_eq(seen->streams, 0);
    world_close();
}
END_TEST

START_TEST(a_profiler_that_is_not_there_is_none)
{
    ck_assert_int_eq(setenv("NVTX_INJECTION64_PATH", "/there/is/none.so", 1), 0);
    world_open();
    run_pipeline(TRM_STRATEGY_ROLE_STREAMS);
    world_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: ranges");
    TCase *tests = tcase_create("ranges");
    tcase_add_test(tests, a_profiler_sees_tokens_with_their_stages_and_streams_with_names);
    tcase_add_test(tests, a_profiler_sees_tokens_of_every_strategy);
    tcase_add_test(tests, a_profiler_sees_the_ranges_of_a_program);
    tcase_add_test(tests, without_a_profiler_no_range_is_reported);
    tcase_add_test(tests, a_profiler_that_is_not_there_is_none);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
