/* A group loses devices: tokens of a lost device are repeated on another one, in order, until none is left.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#define WORDS 64u
#define TOKENS 60u
#define MOST_ROUNDS 1000

struct add_arguments {
    struct trm_cpu_buffer in, out;
    uint32_t n;
};

static int32_t add_one(const struct trm_cpu_groups *groups, const void *block)
{
    const struct add_arguments *args = block;
    const uint32_t *in               = args->in.data;
    uint32_t *out                    = args->out.data;

    if (groups->begin != 0)
        return 0;
    for (uint32_t i = 0; i < args->n; i++)
        out[i] = in[i] + 1;
    return 0;
}

static const struct trm_parameter add_parameters[] = {
    {.name = "in", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32, .access = TRM_ACCESS_READ},
    {.name = "out", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32, .access = TRM_ACCESS_WRITE},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_cpu_kernel add_kernels[] = {
    {.name            = "add_one",
     .function        = add_one,
     .parameters      = add_parameters,
     .parameter_count = 3,
     .group_size      = {1, 1, 1}},
};

/* ---- a pipeline on two devices -------------------------------------------------------------- */

struct pair {
    struct trm_group *group;
    struct trm_group_kernel *kernel;
    struct trm_group_buffer *shared; /* that kernels write; NULL: they write an output */
    struct trm_pipeline *pipeline;
    int32_t on_failure;
    bool is_away;  /* the stage prefers the second device */
    uint64_t next; /* the token that must come out next */
    bool is_wrong;
};

static void make_pipeline(struct pair *pair, uint32_t depth)
{
    const struct trm_join join = {
        .port = 1, .type = TRM_TYPE_I32, .operation = TRM_REDUCE_MAXIMUM, .tokens = 4};
    struct trm_port ports[]         = {trm_port_input("in", WORDS * sizeof(uint32_t)),
                                       trm_port_output("out", WORDS * sizeof(uint32_t))};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_u32(WORDS)};
    struct trm_stage stage =
        trm_stage_launch(trm_group_stage_kernel(pair->kernel), arguments, 3, 0, sizeof(uint32_t));
    stage.items_bytes                    = 0;
    stage.grid                           = trm_grid_1d(1, 1);
    struct trm_pipeline_desc desc        = {.struct_size = sizeof(desc),
                                            .ports       = ports,
                                            .port_count  = 2,
                                            .stages      = &stage,
                                            .stage_count = 1,
                                            .depth       = depth,
                                            .strategy    = TRM_STRATEGY_SLOT_STREAMS};
    const struct trm_stage_device second = trm_stage_device_of_group(1);
    desc.on_failure                      = pair->on_failure;
    desc.devices                         = pair->is_away ? &second : NULL;
    if (pair->shared != NULL) {
        ports[1]        = trm_port_shared("out", trm_group_port_buffer(pair->shared));
        desc.joins      = &join;
        desc.join_count = 1;
    }
    ck_ok(trm_group_pipeline_create(pair->group, &desc, &pair->pipeline));
}

static void pair_open_on(struct pair *pair, enum fixture_backend backend, const struct trm_setting *settings,
                         uint32_t setting_count, uint32_t depth, bool is_joined)
{
    const uint32_t devices        = (uint32_t)atoi(settings[0].value);
    struct trm_buffer_desc shared = {
        .struct_size = sizeof(shared), .size = WORDS * sizeof(uint32_t), .flags = TRM_BUFFER_ZEROED};
    struct trm_module_desc module = {.struct_size = sizeof(module),
                                     .format      = TRM_MODULE_FUNCTIONS,
                                     .data        = add_kernels,
                                     .size        = sizeof(add_kernels)};
    uint32_t count                = 0;

    fixture_open(backend, settings, setting_count);
    *pair = (struct pair){.next = 0};
    ck_ok(trm_group_create(the.context, "*", &pair->group));
    ck_ok(trm_group_size(pair->group, &count));
    ck_assert_uint_eq(count, devices);
    ck_ok(trm_group_kernel_load(pair->group, &module, NULL, &pair->kernel));
    if (is_joined)
        ck_ok(trm_group_buffer_create(pair->group, &shared, &pair->shared));
    make_pipeline(pair, depth);
}

static void pair_open_with(struct pair *pair, uint32_t depth, bool is_joined)
{
    const struct trm_setting settings[] = {{"cpu.devices", "2"}};

    pair_open_on(pair, ON_PROXIED_CPU, settings, 1, depth, is_joined);
}

static void pair_open(struct pair *pair, uint32_t depth)
{
    pair_open_with(pair, depth, false);
}

/* The stage runs on the second device, whichever device a token goes to. */
static void pair_open_away(struct pair *pair, uint32_t depth, int32_t on_failure)
{
    pair_open(pair, depth);
    trm_pipeline_destroy(pair->pipeline);
    pair->is_away    = true;
    pair->on_failure = on_failure;
    make_pipeline(pair, depth);
}

static void pair_close(struct pair *pair)
{
    trm_pipeline_destroy(pair->pipeline);
    if (pair->shared != NULL)
        trm_group_buffer_destroy(pair->shared);
    trm_group_kernel_destroy(pair->kernel);
    trm_group_destroy(pair->group);
    fixture_close();
}

static int32_t load(void *user, struct trm_token *token)
{
    uint32_t *words = token->data[0];

    (void)user;
    if (token->index >= TOKENS)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = (uint32_t)token->index * 100 + i;
    token->user = token;
    return TRM_OK;
}

static int32_t take(void *user, const struct trm_token *token)
{
    struct pair *pair     = user;
    const uint32_t *words = token->data[1];

    pair->is_wrong |= token->index != pair->next++ || token->user == NULL;
    for (uint32_t i = 0; i < WORDS; i++)
        pair->is_wrong |= words[i] != (uint32_t)token->index * 100 + i + 1;
    return TRM_OK;
}

static int32_t run(struct pair *pair, uint32_t workers)
{
    struct trm_source source = trm_source_function(load, pair);
    struct trm_sink sink     = trm_sink_function(take, pair);

    source.workers = workers;
    return trm_pipeline_run(pair->pipeline, &source, &sink);
}

static uint32_t count_lost(const struct trm_report *report)
{
    uint32_t lost = 0;

    for (uint32_t i = 0; i < report->device_count; i++)
        lost += report->devices[i].lost;
    return lost;
}

static void check_all_came(const struct pair *pair, uint32_t lost)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    ck_assert_uint_eq(pair->next, TOKENS);
    ck_assert(!pair->is_wrong);
    ck_ok(trm_pipeline_report(pair->pipeline, &report));
    ck_assert_uint_eq(report.tokens, TOKENS);
    ck_assert_uint_eq(report.failed, 0);
    ck_assert_uint_eq(count_lost(&report), lost);
    ck_assert_uint_eq(report.repeated != 0, lost != 0);
    ck_assert_uint_eq(report.loss[0] != '\0', lost != 0);
    slots_free(pair->pipeline);
}

/* ---- cases ---------------------------------------------------------------------------------- */

/* A launch fails later, with its stream and its device. */
static void lose_one(uint32_t call, uint32_t workers)
{
    struct pair pair;
    char rule[64];

    pair_open(&pair, 1 + call % 3);
    snprintf(rule, sizeof(rule), "launch:%u:%d", call, TRM_ERROR_DEVICE_LOST);
    ck_ok(the.control->async_fault(rule));
    ck_ok(run(&pair, workers));
    check_all_came(&pair, 1);
    pair.next = 0;
    ck_ok(run(&pair, workers)); /* and goes on with the other device */
    ck_assert_uint_eq(pair.next, TOKENS);
    ck_assert(!pair.is_wrong);
    pair_close(&pair);
}

START_TEST(a_lost_device_leaves_its_tokens_to_the_other)
{
    for (uint32_t call = 1; call < TOKENS; call += 7)
        lose_one(call, (uint32_t)_i * 2);
}
END_TEST

/* How many tokens a device gets in a run depends on the time that they take. */
static void run_until_lost(struct pair *pair, uint32_t lost, uint32_t workers, struct trm_report *report)
{
    for (int rounds = 0; rounds < MOST_ROUNDS; rounds++) {
        pair->next = 0;
        ck_ok(run(pair, workers));
        ck_ok(trm_pipeline_report(pair->pipeline, report));
        if (count_lost(report) == lost)
            return;
    }
    ck_abort_msg("after %d runs %u devices are lost, and not %u", MOST_ROUNDS, count_lost(report), lost);
}

/* The setting cpu.lose has a device lost without a broken plugin. The report of the second run, in which
 * nothing was repeated, says why there is a device less, too. */
START_TEST(a_setting_loses_a_device_for_a_trial)
{
    const struct trm_setting settings[] = {{"cpu.devices", "2"}, {"cpu.lose", "1@9"}};
    struct trm_report report            = {.struct_size = sizeof(report)};
    static char text[1 << 14];
    struct pair pair;

    pair_open_on(&pair, ON_CPU, settings, 2, 2, false);
    run_until_lost(&pair, 1, (uint32_t)_i * 2, &report);
    check_all_came(&pair, 1);
    for (int again = 0; again < 2; again++) {
        ck_ok(trm_pipeline_report(pair.pipeline, &report));
        ck_assert_uint_eq(report.repeated == 0, again == 1);
        ck_assert_uint_eq(report.devices[1].lost, 1);
        ck_assert_ptr_nonnull(
            strstr(report.loss, "cpu:1 is lost: the setting cpu.lose asks for that at launch 9"));
        ck_ok(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL));
        ck_assert_ptr_nonnull(strstr(text, "cpu.lose"));
        pair.next = 0;
        ck_ok(run(&pair, 0));
    }
    pair_close(&pair);
}
END_TEST

/* Does the report say why device `i` was lost? */
static bool tells_of(const struct trm_report *report, uint32_t i)
{
    char words[32];

    snprintf(words, sizeof(words), "cpu:%u is lost", i);
    return strstr(report->loss, words) != NULL;
}

/* The report names the device that the run has lost, and not the one of an earlier run. Which of the two is
 * lost first depends on the tokens that each gets. */
START_TEST(a_report_names_the_device_that_its_run_lost)
{
    const struct trm_setting settings[] = {{"cpu.devices", "3"}, {"cpu.lose", "1@9,2@300"}};
    struct trm_report report            = {.struct_size = sizeof(report)};
    static char text[1 << 14];
    struct pair pair;

    pair_open_on(&pair, ON_CPU, settings, 2, 2, false);
    run_until_lost(&pair, 1, 0, &report);
    uint32_t earlier = report.devices[1].lost ? 1 : 2, later = 3 - earlier;
    ck_assert(tells_of(&report, earlier));
    run_until_lost(&pair, 2, 0, &report);
    ck_assert_uint_ne(report.repeated, 0);
    ck_assert(tells_of(&report, later));
    ck_assert(!tells_of(&report, earlier));
    pair.next = 0;
    ck_ok(run(&pair, 0));
    ck_ok(trm_pipeline_report(pair.pipeline, &report));
    ck_assert_uint_eq(report.repeated, 0);
    ck_assert(tells_of(&report, earlier));
    ck_ok(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL));
    ck_assert_ptr_nonnull(strstr(text, "2 devices were lost:\n"));
    pair_close(&pair);
}
END_TEST

/* Are the devices of these bits, and no others, marked as lost, each with its reason, in a report and its
 * text? */
static void check_losses(const struct pair *pair, uint32_t lost)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    static char text[1 << 14];
    char words[64];

    ck_ok(trm_pipeline_report(pair->pipeline, &report));
    ck_ok(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL));
    for (uint32_t i = 0; i < 2; i++) {
        bool is_lost = (lost >> i & 1) != 0;
        snprintf(words, sizeof(words), "The device cpu:%u is lost: the setting cpu.lose", i);
        ck_assert_uint_eq(report.devices[i].lost, is_lost);
        ck_assert_uint_eq(strstr(report.device_loss[i], words) == report.device_loss[i], is_lost);
        ck_assert_uint_eq(strstr(text, words) != NULL, is_lost);
    }
}

START_TEST(a_report_marks_the_device_whose_loss_ends_the_run)
{
    const struct trm_setting settings[] = {{"cpu.devices", "2"}, {"cpu.lose", "0@20,1@9"}};
    struct pair pair;
    int32_t status = TRM_OK;

    pair_open_on(&pair, ON_CPU, settings, 2, 2, false);
    for (int round = 0; status == TRM_OK && round < MOST_ROUNDS; round++) {
        pair.next = 0;
        status    = run(&pair, 0);
    }
    ck_assert_int_eq(status, TRM_ERROR_DEVICE_LOST);
    check_losses(&pair, 3);
    ck_assert_int_eq(run(&pair, 0), TRM_ERROR_DEVICE_LOST);
    check_losses(&pair, 3);
    pair_close(&pair);
}
END_TEST

START_TEST(a_report_marks_the_lost_device_that_a_stage_prefers)
{
    const struct trm_setting settings[] = {{"cpu.devices", "2"}, {"cpu.lose", "1@9"}};
    struct pair pair;

    pair_open_on(&pair, ON_CPU, settings, 2, 2, false);
    check_losses(&pair, 0);
    trm_pipeline_destroy(pair.pipeline);
    pair.is_away = true;
    make_pipeline(&pair, 2);
    ck_assert_int_eq(run(&pair, 0), TRM_ERROR_DEVICE_LOST);
    check_losses(&pair, 2); /* the first one waits for it, and is not lost */
    pair_close(&pair);
}
END_TEST

START_TEST(a_kernel_of_one_device_is_not_for_a_pipeline_of_a_group)
{
    struct pair pair;
    struct trm_kernel *one = NULL;

    pair_open(&pair, 2);
    trm_pipeline_destroy(pair.pipeline);
    ck_ok(trm_group_kernel_get(pair.kernel, 1, &one));
    struct trm_port ports[]         = {trm_port_input("in", WORDS * sizeof(uint32_t)),
                                       trm_port_output("out", WORDS * sizeof(uint32_t))};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_u32(WORDS)};
    struct trm_stage stage          = trm_stage_launch(one, arguments, 3, 0, 0);
    stage.grid                      = trm_grid_1d(1, 1);
    struct trm_pipeline_desc desc   = {
          .struct_size = sizeof(desc), .ports = ports, .port_count = 2, .stages = &stage, .stage_count = 1};
    ck_assert_int_eq(trm_group_pipeline_create(pair.group, &desc, &pair.pipeline), TRM_ERROR_WRONG_DEVICE);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "is a kernel of one device"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "trm_group_stage_kernel()"));
    make_pipeline(&pair, 2);
    pair_close(&pair);
}
END_TEST

START_TEST(nothing_is_repeated_while_no_device_is_lost)
{
    struct pair pair;

    pair_open(&pair, 2);
    ck_ok(run(&pair, 0));
    check_all_came(&pair, 0);
    pair_close(&pair);
}
END_TEST

START_TEST(the_pipeline_fails_when_the_last_device_is_lost)
{
    struct pair pair;
    char rule[64];

    pair_open(&pair, 2);
    snprintf(rule, sizeof(rule), "launch:10:%d,launch:25:%d", TRM_ERROR_DEVICE_LOST, TRM_ERROR_DEVICE_LOST);
    ck_ok(the.control->async_fault(rule));
    ck_assert_int_eq(run(&pair, 0), TRM_ERROR_DEVICE_LOST);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token "));
    ck_assert_uint_lt(pair.next, TOKENS);
    ck_assert(!pair.is_wrong);
    ck_assert_int_eq(run(&pair, 0), TRM_ERROR_DEVICE_LOST);
    slots_free(pair.pipeline);
    pair_close(&pair);
}
END_TEST

static int32_t take_nothing(void *user, const struct trm_token *token)
{
    (void)user, (void)token;
    return TRM_OK;
}

static int32_t run_joined(struct pair *pair)
{
    struct trm_source source = trm_source_function(load, pair);
    struct trm_sink sink     = trm_sink_function(take_nothing, NULL);

    return trm_pipeline_run(pair->pipeline, &source, &sink);
}

/* What the lost device has written since the last join is lost, so its tokens are not repeated. */
START_TEST(a_pipeline_that_joins_a_shared_port_ends_with_a_device)
{
    struct pair pair;
    char rule[64];

    pair_open_with(&pair, 2, true);
    ck_ok(run_joined(&pair));
    snprintf(rule, sizeof(rule), "launch:%d:%d", 10 + _i * 3, TRM_ERROR_DEVICE_LOST);
    ck_ok(the.control->async_fault(rule));
    ck_assert_int_eq(run_joined(&pair), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(run_joined(&pair), TRM_ERROR_DEVICE_LOST);
    slots_free(pair.pipeline);
    pair_close(&pair);
}
END_TEST

START_TEST(a_server_goes_on_when_a_device_is_lost)
{
    struct pair pair;
    char rule[64];

    pair_open(&pair, 2);
    snprintf(rule, sizeof(rule), "launch:9:%d", TRM_ERROR_DEVICE_LOST);
    ck_ok(the.control->async_fault(rule));
    for (uint32_t i = 0; i < TOKENS; i++) {
        struct trm_token *token;
        ck_ok(trm_pipeline_acquire(pair.pipeline, TRM_FOREVER, &token));
        ck_ok(load(NULL, token));
        ck_ok(trm_pipeline_submit(pair.pipeline, token));
        ck_ok(trm_pipeline_next(pair.pipeline, TRM_FOREVER, &token));
        ck_ok(take(&pair, token));
        ck_ok(trm_pipeline_release(pair.pipeline, token));
    }
    check_all_came(&pair, 1);
    pair_close(&pair);
}
END_TEST

/* ---- a stage that prefers a device ----------------------------------------------------------- */

/* Another device cannot run the stage, so its tokens are not repeated there. */
START_TEST(the_pipeline_fails_when_a_device_is_lost_that_a_stage_prefers)
{
    struct pair pair;
    char rule[64];

    pair_open_away(&pair, 1 + (uint32_t)_i % 3, _i % 2 == 0 ? TRM_FAILURE_STOP : TRM_FAILURE_SKIP);
    ck_ok(run(&pair, 0));
    ck_assert_uint_eq(pair.next, TOKENS);
    pair.next = 0;
    snprintf(rule, sizeof(rule), "launch:%d:%d", 1 + _i * 5, TRM_ERROR_DEVICE_LOST);
    ck_ok(the.control->async_fault(rule));
    ck_assert_int_eq(run(&pair, (uint32_t)_i % 3), TRM_ERROR_DEVICE_LOST);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token "));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "compute \"add_one\""));
    ck_assert_uint_lt(pair.next, TOKENS);
    ck_assert(!pair.is_wrong);
    ck_assert_int_eq(run(&pair, 0), TRM_ERROR_DEVICE_LOST);
    slots_free(pair.pipeline);
    pair_close(&pair);
}
END_TEST

/* Either the first device is lost, and the second one repeats its tokens, or the second one, which runs the
 * stage. */
START_TEST(a_device_that_no_stage_prefers_may_be_lost)
{
    struct pair pair;
    char rule[64];

    pair_open_away(&pair, 2, TRM_FAILURE_STOP);
    snprintf(rule, sizeof(rule), "copy:%d:%d", 1 + _i, TRM_ERROR_DEVICE_LOST);
    ck_ok(the.control->async_fault(rule));
    int32_t status = run(&pair, 0);
    if (status == TRM_OK)
        check_all_came(&pair, 1);
    else
        ck_assert_int_eq(status, TRM_ERROR_DEVICE_LOST);
    ck_assert(!pair.is_wrong);
    pair.next = 0;
    ck_assert_int_eq(run(&pair, 0), status);
    slots_free(pair.pipeline);
    pair_close(&pair);
}
END_TEST

static int32_t take_any(void *user, const struct trm_token *token)
{
    struct pair *pair     = user;
    const uint32_t *words = token->data[1];

    pair->next++;
    for (uint32_t i = 0; i < WORDS; i++)
        pair->is_wrong |= words[i] != (uint32_t)token->index * 100 + i + 1;
    return TRM_OK;
}

START_TEST(a_token_that_fails_on_a_device_that_its_stage_prefers_is_skipped)
{
    struct pair pair;
    char rule[64];
    struct trm_report report = {.struct_size = sizeof(report)};
    struct trm_source source = trm_source_function(load, &pair);
    struct trm_sink sink     = trm_sink_function(take_any, &pair);

    pair_open_away(&pair, 1 + (uint32_t)_i % 3, TRM_FAILURE_SKIP);
    snprintf(rule, sizeof(rule), "launch:%d:%d", 1 + _i * 5, TRM_ERROR_KERNEL);
    ck_ok(the.control->async_fault(rule));
    ck_ok(trm_pipeline_run(pair.pipeline, &source, &sink));
    ck_ok(trm_pipeline_report(pair.pipeline, &report));
    ck_assert_uint_eq(report.failed, 1);
    ck_assert_uint_eq(pair.next, TOKENS - 1);
    ck_assert(!pair.is_wrong);
    slots_free(pair.pipeline);
    pair.next = 0;
    ck_ok(run(&pair, 2));
    ck_assert_uint_eq(pair.next, TOKENS);
    pair_close(&pair);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lost devices");
    TCase *cases = tcase_create("a group");

    if (!backend_there(ON_PROXIED_CPU))
        return 77;
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, a_lost_device_leaves_its_tokens_to_the_other, 0, 2);
    tcase_add_loop_test(cases, a_setting_loses_a_device_for_a_trial, 0, 2);
    tcase_add_test(cases, a_report_names_the_device_that_its_run_lost);
    tcase_add_test(cases, a_report_marks_the_device_whose_loss_ends_the_run);
    tcase_add_test(cases, a_report_marks_the_lost_device_that_a_stage_prefers);
    tcase_add_test(cases, a_kernel_of_one_device_is_not_for_a_pipeline_of_a_group);
    tcase_add_test(cases, nothing_is_repeated_while_no_device_is_lost);
    tcase_add_test(cases, the_pipeline_fails_when_the_last_device_is_lost);
    tcase_add_loop_test(cases, a_pipeline_that_joins_a_shared_port_ends_with_a_device, 0, 4);
    tcase_add_test(cases, a_server_goes_on_when_a_device_is_lost);
    tcase_add_loop_test(cases, the_pipeline_fails_when_a_device_is_lost_that_a_stage_prefers, 0, 6);
    tcase_add_loop_test(cases, a_device_that_no_stage_prefers_may_be_lost, 0, 12);
    tcase_add_loop_test(cases, a_token_that_fails_on_a_device_that_its_stage_prefers_is_skipped, 0, 6);
    suite_add_tcase(suite, cases);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
