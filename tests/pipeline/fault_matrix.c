/* Fails any stage at any token, for each depth, mode, strategy and way to run: the first cause is reported
 * with token and stage, the right tokens come out with the right data, every slot comes back, the counts add
 * up, the pipeline can be used again, and nothing is left on the device.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <inttypes.h>

static const char *const stage_words[FAULT_STAGES] = {
    [AT_LOAD] = "load",         [AT_SHAPE] = "\"first\"",   [AT_FIRST] = "\"first\"",
    [AT_MIDDLE] = "\"middle\"", [AT_SECOND] = "\"second\"", [AT_SINK] = "sink",
};

/* The reported failure: its status, and a sentence with token and stage. */
static void check_told(const struct chain *chain, enum method method)
{
    int32_t expected = chain->fault_stage == AT_FIRST || chain->fault_stage == AT_SECOND
                           ? TRM_ERROR_KERNEL
                           : TRM_ERROR_NOT_FOUND;
    char token[40];

    if (chain->desc.on_failure == TRM_FAILURE_SKIP && method == BY_RUN) {
        ck_assert_msg(chain->status == TRM_OK, "%s", chain->sentence);
        return;
    }
    ck_assert_msg(chain->status == expected, "%s: %s", trm_status_name(chain->status), chain->sentence);
    snprintf(token, sizeof(token), "token %" PRIu64 ",", chain->base + chain->at);
    ck_assert_msg(strstr(chain->sentence, token) != NULL, "not \"%s\": %s", token, chain->sentence);
    ck_assert_msg(strstr(chain->sentence, stage_words[chain->fault_stage]) != NULL, "not %s: %s",
                  stage_words[chain->fault_stage], chain->sentence);
    if (method != BY_RUN && chain->desc.on_failure == TRM_FAILURE_SKIP)
        ck_assert_uint_eq(chain->failures, 1);
}

/* The failure is one, whatever it took along; what it took along was cancelled. */
static void check_counted(const struct chain *chain, enum method method)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    if (method == BY_SUBMIT)
        return; /* the report covers earlier rounds as well */
    ck_ok(trm_pipeline_report(chain->pipeline, &report));
    ck_assert_uint_eq(report.failed, 1);
    if (chain->desc.on_failure == TRM_FAILURE_SKIP)
        ck_assert_uint_eq(report.cancelled, 0);
}

/* Where the caller submits by hand there is no source or sink; and not every device has kernels that fail. */
static bool possible(enum fault_stage fault_stage, enum method method)
{
    if ((fault_stage == AT_FIRST || fault_stage == AT_SECOND) && !the.kernels_fail)
        return false;
    if (fault_stage == AT_SINK)
        return method == BY_RUN;
    return fault_stage != AT_LOAD || method != BY_SUBMIT;
}

/* All stages and tokens on one pipeline, with a whole round after each. */
static void fail_everywhere(struct chain *chain, enum method method)
{
    uint64_t count = 2 * chain->desc.depth + 3, tokens[] = {0, 1, count / 2, count - 1};

    for (int fault_stage = 0; fault_stage < FAULT_STAGES; fault_stage++) {
        if (!possible((enum fault_stage)fault_stage, method))
            continue;
        for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
            chain->fault_stage = (enum fault_stage)fault_stage;
            chain->at          = tokens[i];
            chain_round(chain, method, count);
            check_told(chain, method);
            check_counted(chain, method);
            chain_check_failed(chain, tokens[i]);
        }
        chain->at = UINT64_MAX;
        chain_round(chain, method, count);
        chain_check_whole(chain);
    }
}

/* The number of a test encodes a mode and a way to run. A sanitizer sees one token, two, and many at once. */
static void matrix(enum fixture_backend backend, int number)
{
    int32_t mode       = number % 3;
    enum method method = (enum method)(number / 3);
    struct chain chain;

    if (!backend_there(backend))
        return;
    fixture_open(backend, NULL, 0);
    for (uint32_t depth = 1; depth <= 8; depth += depth < (sanitized() ? 2 : 3) ? 1 : scaled(1, 5)) {
        for (size_t s = 0; s < sizeof(strategies) / sizeof(strategies[0]); s++) {
            mark_point();
            chain_make(&chain, depth, strategies[s], mode, true);
            if (chain_open(&chain) == TRM_OK)
                fail_everywhere(&chain, method);
            chain_close(&chain);
            device_as_before();
        }
    }
    fixture_close();
}

START_TEST(on_the_cpu)
{
    matrix(ON_CPU, _i);
}
END_TEST

START_TEST(on_a_device_with_memory_of_its_own)
{
    matrix(ON_TIMED, _i);
}
END_TEST

START_TEST(on_a_device_that_works_inside_of_calls)
{
    matrix(ON_TEMPLATE, _i);
}
END_TEST

START_TEST(on_cuda)
{
    matrix(ON_CUDA, _i);
}
END_TEST

int main(void)
{
    Suite *suite  = suite_create("pipelines that fail");
    TCase *matrix = tcase_create("fault matrix");
    SRunner *runner;
    int failed;

    tcase_set_timeout(matrix, 600);
    tcase_add_loop_test(matrix, on_the_cpu, 0, 3 * DRIVES);
    tcase_add_loop_test(matrix, on_a_device_with_memory_of_its_own, 0, 3 * DRIVES);
    tcase_add_loop_test(matrix, on_a_device_that_works_inside_of_calls, 0, 3 * DRIVES);
    tcase_add_loop_test(matrix, on_cuda, 0, 3 * DRIVES);
    suite_add_tcase(suite, matrix);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
