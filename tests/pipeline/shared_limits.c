/* Two timed devices whose uploads slow each other down: the report says so, and with how many bytes a second.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "fixture.h"

#define BYTES 100000u
#define PAIRS 20u
#define TOKENS 80u

struct pair {
    struct trm_group *group;
    struct trm_group_kernel *kernel;
    struct trm_pipeline *pipeline;
};

static int32_t nothing(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "in", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U8, .access = TRM_ACCESS_READ},
    {.name = "out", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U8, .access = TRM_ACCESS_WRITE},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name            = "nothing",
     .function        = nothing,
     .parameters      = parameters,
     .parameter_count = 2,
     .group_size      = {1, 1, 1}},
};

/* An upload takes 1 ms alone, and `shared_ns` more beside another one. */
static void pair_open(struct pair *pair, const char *shared_ns)
{
    const struct trm_setting settings[] = {
        {"timed.devices", "2"}, {"timed.upload_ns", "1000000"}, {"timed.shared_ns", shared_ns}};
    struct trm_module_desc module   = {.struct_size = sizeof(module),
                                       .format      = TRM_MODULE_FUNCTIONS,
                                       .data        = kernels,
                                       .size        = sizeof(kernels)};
    struct trm_port ports[]         = {trm_port_input("in", BYTES), trm_port_output("out", 64)};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1)};

    fixture_open(ON_TIMED, settings, 3);
    ck_ok(trm_group_create(the.context, "*", &pair->group));
    ck_ok(trm_group_kernel_load(pair->group, &module, "nothing", &pair->kernel));
    struct trm_stage stage = trm_stage_launch(trm_group_stage_kernel(pair->kernel), arguments, 2, 0, 0);
    stage.grid             = trm_grid_1d(1, 1);
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .stages      = &stage,
                                     .stage_count = 1,
                                     .depth       = 3,
                                     .measure     = TRM_MEASURE_ALL,
                                     .strategy    = TRM_STRATEGY_ROLE_STREAMS};
    ck_ok(trm_group_pipeline_create(pair->group, &desc, &pair->pipeline));
}

static void pair_close(struct pair *pair)
{
    trm_pipeline_destroy(pair->pipeline);
    trm_group_kernel_destroy(pair->kernel);
    trm_group_destroy(pair->group);
    fixture_close();
}

/* A token on each device, one after the other. */
static void copy_alone(const struct pair *pair)
{
    struct trm_token *tokens[2], *result;

    for (uint32_t i = 0; i < 2; i++)
        ck_ok(trm_pipeline_acquire(pair->pipeline, UINT64_MAX, &tokens[i]));
    for (uint32_t i = 0; i < 2; i++) {
        ck_ok(trm_pipeline_submit(pair->pipeline, tokens[i]));
        ck_ok(trm_pipeline_next(pair->pipeline, UINT64_MAX, &result));
        ck_assert_ptr_eq(result, tokens[i]);
    }
    for (uint32_t i = 0; i < 2; i++)
        trm_pipeline_release(pair->pipeline, tokens[i]);
}

static int32_t fill(void *user, struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

static int32_t take(void *user, const struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

static void copy_together(const struct pair *pair)
{
    struct trm_source source = trm_source_function(fill, NULL);
    struct trm_sink sink     = trm_sink_function(take, NULL);

    source.count = TOKENS;
    ck_ok(trm_pipeline_run(pair->pipeline, &source, &sink));
}

/* The report after so many rounds at most, or when it names a limit: on a busy machine uploads that should be
 * together may miss each other. */
static void report_of(const char *shared_ns, uint32_t rounds, struct trm_report *report)
{
    struct pair pair;

    *report = (struct trm_report){.struct_size = sizeof(*report)};
    pair_open(&pair, shared_ns);
    for (uint32_t round = 0; round < rounds && report->shared[0] == '\0'; round++) {
        for (uint32_t i = 0; i < PAIRS; i++)
            copy_alone(&pair);
        copy_together(&pair);
        ck_ok(trm_pipeline_report(pair.pipeline, report));
    }
    pair_close(&pair);
}

START_TEST(uploads_that_slow_each_other_down_are_named_with_their_speeds)
{
    static char text[1 << 15];
    struct trm_report report;
    double together = 0, alone = 0;
    char word[16] = "";

    /* 100,000 bytes in 1 ms alone, in 1.5 ms beside another; 0.133 GB/s if each is beside another. Copies
     * that overlap by less than an eighth count as alone, though they are slower, and those that overlap by
     * little more as together, though they are faster; where a busy machine makes many of them, the run is
     * repeated. */
    for (uint32_t run = 0; run < 5 && (fabs(alone - 0.1) >= 0.001 || fabs(together - 0.15) >= 0.03); run++) {
        report_of("500000", 50, &report);
        if (sscanf(report.shared, "both uploads together reach %lf GB/s, one alone %lf: the %15s", &together,
                   &alone, word) != 3)
            alone = 0;
    }
    ck_assert_double_eq_tol(alone, 0.1, 0.001);
    ck_assert_double_eq_tol(together, 0.15, 0.03);
    ck_assert_str_eq(word, "host's");
    ck_ok(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL));
    ck_assert_ptr_nonnull(strstr(text, report.shared));
    ck_ok(trm_report_format(&report, TRM_REPORT_JSON, text, sizeof(text), NULL));
    ck_assert_ptr_nonnull(strstr(text, "\"shared\": \"both uploads"));
}
END_TEST

START_TEST(uploads_that_are_as_fast_together_name_no_limit)
{
    struct trm_report report;

    report_of("0", 2, &report);
    ck_assert_str_eq(report.shared, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shared limits");
    TCase *tests = tcase_create("shared limits");

    if (!backend_there(ON_TIMED))
        return 77;
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, uploads_that_slow_each_other_down_are_named_with_their_speeds);
    tcase_add_test(tests, uploads_that_are_as_fast_together_name_no_limit);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
