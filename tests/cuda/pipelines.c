/* Pipelines by every strategy: the results are right, also where the driver starts late, lacks functions,
 * or fails in the middle.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "tests/cuda/fixture.h"

enum {
    TOKENS = 24,
    WORDS  = 16384, /* of the largest token */
};

static const struct {
    const char *name;
    int32_t strategy;
} strategies[] = {
    {"role streams", TRM_STRATEGY_ROLE_STREAMS},
    {"slot streams", TRM_STRATEGY_SLOT_STREAMS},
    {"slot graphs", TRM_STRATEGY_SLOT_GRAPHS},
    {"zero copy", TRM_STRATEGY_ZERO_COPY},
    {"auto", TRM_STRATEGY_AUTO},
};
#define STRATEGIES ((int)(sizeof(strategies) / sizeof(strategies[0])))

static const uint32_t sizes[] = {1, 1000, WORDS}; /* words of a token */

/* in × 3 + 5 → scratch, × 7 + 1 → out, with a host stage between them where one is asked for. */
struct line {
    struct trm_kernel *spread;
    struct trm_port ports[3];
    struct trm_argument arguments[2][5];
    struct trm_stage stages[3];
    struct trm_pipeline_desc desc;
    struct trm_pipeline *pipeline;
    uint32_t words; /* of a token */
    uint64_t tokens, delivered, next;
    uint32_t added; /* by the host stage */
    const char *wrong;
};

static struct line line;

static uint32_t number_of(uint64_t token, uint32_t place)
{
    return (uint32_t)token * 40503u + place * 2654435761u;
}

static int32_t source(void *user, struct trm_token *token)
{
    struct line *of = user;
    uint32_t *words = token->data[0];
    if (token->index >= of->tokens)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < of->words; i++)
        words[i] = number_of(token->index, i);
    return TRM_OK;
}

static int32_t sink(void *user, const struct trm_token *token)
{
    struct line *of       = user;
    const uint32_t *words = token->data[2];
    if (token->index < of->next)
        of->wrong = "a token came out of order";
    of->next = token->index + 1;
    for (uint32_t i = 0; i < of->words; i++)
        if (words[i] != (number_of(token->index, i) * 3 + 5 + of->added) * 7 + 1)
            of->wrong = "a number is not what was computed";
    of->delivered++;
    return TRM_OK;
}

static int32_t add_one(void *user, const struct trm_token *token)
{
    struct line *of = user;
    uint32_t *words = token->data[1];
    for (uint32_t i = 0; i < of->words; i++)
        words[i] += 1;
    return TRM_OK;
}

static struct trm_stage launch_stage(uint32_t number, uint32_t factor, uint32_t addend)
{
    struct trm_argument *arguments = line.arguments[number];
    arguments[0]                   = trm_arg_port(number);
    arguments[1]                   = trm_arg_port(number + 1);
    arguments[2]                   = trm_arg_port_elements(number, 4);
    arguments[3]                   = trm_arg_u32(factor);
    arguments[4]                   = trm_arg_u32(addend);
    return trm_stage_launch(line.spread, arguments, 5, number, 4);
}

static int32_t line_open(int32_t strategy, uint32_t depth, uint32_t words, bool with_host)
{
    uint32_t count = 0;
    memset(&line, 0, sizeof(line));
    ck_ok(spread_load(the.device, &line.spread));
    line.words           = words;
    line.ports[0]        = trm_port_input("in", 4 * (uint64_t)words);
    line.ports[1]        = trm_port_scratch("scratch", 4 * (uint64_t)words);
    line.ports[2]        = trm_port_output("out", 4 * (uint64_t)words);
    line.stages[count++] = launch_stage(0, 3, 5);
    if (with_host)
        line.stages[count++] = trm_stage_host(add_one, &line, 2, 2);
    line.stages[count++] = launch_stage(1, 7, 1);
    line.added           = with_host;
    line.desc            = (struct trm_pipeline_desc){.struct_size = sizeof(line.desc),
                                                      .ports       = line.ports,
                                                      .port_count  = 3,
                                                      .stages      = line.stages,
                                                      .stage_count = count,
                                                      .depth       = depth,
                                                      .strategy    = strategy};
    return trm_pipeline_create(the.device, &line.desc, &line.pipeline);
}

static int32_t line_run(uint32_t workers)
{
    struct trm_source from = trm_source_function(source, &line);
    struct trm_sink to     = trm_sink_function(sink, &line);
    from.workers           = workers;
    line.tokens            = TOKENS;
    line.delivered = line.next = 0;
    int32_t status             = trm_pipeline_run(line.pipeline, &from, &to);
    ck_assert_msg(!line.wrong, "%s", line.wrong);
    return status;
}

static void line_close(void)
{
    trm_pipeline_destroy(line.pipeline);
    trm_kernel_destroy(line.spread);
    memset(&line, 0, sizeof(line));
}

/* Graphs and zero copy do not take host stages, and zero copy is not available everywhere. */
static bool is_lacking(int32_t status, int number)
{
    int32_t strategy = strategies[number].strategy;
    if (status == TRM_ERROR_UNSUPPORTED &&
        (strategy == TRM_STRATEGY_ZERO_COPY || (strategy == TRM_STRATEGY_SLOT_GRAPHS && line.added)))
        return true;
    ck_assert_msg(status == TRM_OK, "%s: %s", strategies[number].name, trm_last_error().sentence);
    return false;
}

static void run_in_all_ways(int number)
{
    for (uint32_t depth = 1; depth <= 4; depth++)
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
            for (int host = 0; host < 2; host++) {
                int32_t status = line_open(strategies[number].strategy, depth, sizes[s], host != 0);
                if (!is_lacking(status, number)) {
                    ck_ok(line_run(0));
                    ck_assert_uint_eq(line.delivered, TOKENS);
                    ck_ok(line_run(2)); /* again, with threads that fill */
                    ck_assert_uint_eq(line.delivered, TOKENS);
                }
                line_close();
            }
}

START_TEST(every_strategy_gives_the_right_numbers)
{
    world_open();
    run_in_all_ways(_i);
    world_close();
}
END_TEST

static const char *const shapes[] = {"delay=200 workers=2", "driver=11040", "pools=no managed=no",
                                     "missing=cuGraphInstantiateWithFlags,cuGraphExecKernelNodeSetParams"};

START_TEST(so_it_does_on_a_driver_that_begins_late_or_lacks_something)
{
    if (standin_missing())
        return;
    standin_shape(shapes[_i / STRATEGIES]);
    world_open();
    run_in_all_ways(_i % STRATEGIES);
    world_close();
}
END_TEST

/* ---- calls of the driver --------------------------------------------------------------------- */

/* Calls of one of the driver's functions in a run. */
static uint64_t calls_in_run(int32_t strategy, uint32_t words, int32_t measure, const char *function)
{
    ck_ok(line_open(strategy, 3, words, false));
    trm_pipeline_destroy(line.pipeline);
    line.desc.measure = measure;
    ck_ok(trm_pipeline_create(the.device, &line.desc, &line.pipeline));
    uint64_t before = standin->calls(function);
    ck_ok(line_run(0));
    uint64_t calls = standin->calls(function) - before;
    line_close();
    return calls;
}

/* A token has eight stamps here, or six. Sleeping waits and polls of the device's clock make some more or
 * fewer. */
START_TEST(a_time_stamp_is_one_event_and_no_place_to_wait_for)
{
    static const int32_t asked[] = {TRM_STRATEGY_ROLE_STREAMS, TRM_STRATEGY_SLOT_STREAMS};
    if (standin_missing())
        return;
    world_open();
    uint64_t without = calls_in_run(asked[_i], 1000, TRM_MEASURE_NONE, "cuEventRecord");
    uint64_t with    = calls_in_run(asked[_i], 1000, TRM_MEASURE_ALL, "cuEventRecord");
    ck_assert_uint_ge(with, without + 4 * TOKENS);
    ck_assert_uint_le(with, without + (_i == 0 ? 8 : 6) * TOKENS + 2 * TOKENS);
    world_close();
}
END_TEST

/* Its begin is when it is given to the device, since a stamp there could be behind other slots' downloads. */
START_TEST(no_stamp_stands_before_a_large_upload_of_a_slot)
{
    if (standin_missing())
        return;
    world_open();
    uint64_t small =
        calls_in_run(TRM_STRATEGY_SLOT_GRAPHS, 1000, TRM_MEASURE_ALL, "cuGraphAddEventRecordNode");
    uint64_t large =
        calls_in_run(TRM_STRATEGY_SLOT_GRAPHS, 1u << 20, TRM_MEASURE_ALL, "cuGraphAddEventRecordNode");
    ck_assert_uint_eq(small, 3 * 6);
    ck_assert_uint_eq(large, 3 * 5);
    world_close();
}
END_TEST

/* ---- failures ---- */

static const char *const failing[] = {
    "cuLaunchKernel", "cuGraphLaunch",        "cuMemcpyHtoDAsync",          "cuMemcpyDtoHAsync",
    "cuMemcpyAsync",  "cuEventRecord",        "cuStreamWaitEvent",          "cuGraphExecKernelNodeSetParams",
    "cuEventQuery",   "cuGraphAddMemcpyNode", "cuGraphInstantiateWithFlags"};
#define FAILING ((int)(sizeof(failing) / sizeof(failing[0])))

static void slots_are_free(void)
{
    struct trm_slot slots[64];
    uint32_t count = 0;
    ck_ok(trm_pipeline_slots(line.pipeline, slots, 64, &count));
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(slots[i].state == TRM_SLOT_FREE, "slot %u is %s", i,
                      trm_slot_state_name(slots[i].state));
}

/* Only tokens fail, if anything does; the results are right (the sink checks them); and the pipeline stays
 * usable. */
static void fail_once(const char *rule, int number, int32_t mode)
{
    int32_t status = line_open(strategies[number].strategy, 3, 1000, false);
    trm_pipeline_destroy(line.pipeline);
    line.pipeline = NULL;
    if (!is_lacking(status, number)) {
        line.desc.on_failure = mode;
        ck_assert_int_eq(standin->arm(rule), 0);
        status = trm_pipeline_create(the.device, &line.desc, &line.pipeline);
        if (status == TRM_OK) {
            status      = line_run(0);
            bool failed = standin->failures() > 0;
            ck_assert_msg(status == TRM_OK || (failed && trm_last_error().sentence[0]), "%s: %s gave %s: %s",
                          rule, strategies[number].name, trm_status_name(status), trm_last_error().sentence);
            ck_assert_uint_ge(line.delivered, status != TRM_OK           ? 0
                                              : mode == TRM_FAILURE_SKIP ? TOKENS - 3
                                                                         : TOKENS);
            standin->arm(NULL);
            slots_are_free();
            ck_ok(line_run(0));
            ck_assert_uint_eq(line.delivered, TOKENS);
        } else {
            ck_assert(trm_last_error().sentence[0]);
        }
        standin->arm(NULL);
    }
    line_close();
}

START_TEST(a_call_that_fails_is_a_failure_of_a_token_and_the_pipeline_goes_on)
{
    static const int32_t modes[] = {TRM_FAILURE_STOP, TRM_FAILURE_DRAIN, TRM_FAILURE_SKIP};
    char rule[100];
    if (standin_missing())
        return;
    world_open();
    for (int number = 0; number < STRATEGIES; number++)
        for (unsigned n = 1; n <= 40; n += scaled(4, 9)) {
            snprintf(rule, sizeof(rule), "%s:%u:once:CUDA_ERROR_OUT_OF_MEMORY", failing[_i], n);
            fail_once(rule, number, modes[n % 3]);
        }
    world_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: pipelines");
    TCase *right = tcase_create("right numbers"), *failures = tcase_create("failures");
    TCase *told = tcase_create("what the driver is told");
    tcase_add_loop_test(right, every_strategy_gives_the_right_numbers, 0, STRATEGIES);
    tcase_add_loop_test(right, so_it_does_on_a_driver_that_begins_late_or_lacks_something, 0,
                        sanitized() ? STRATEGIES : STRATEGIES * (int)(sizeof(shapes) / sizeof(shapes[0])));
    suite_add_tcase(suite, right);
    tcase_add_loop_test(told, a_time_stamp_is_one_event_and_no_place_to_wait_for, 0, 2);
    tcase_add_test(told, no_stamp_stands_before_a_large_upload_of_a_slot);
    suite_add_tcase(suite, told);
    tcase_add_loop_test(failures, a_call_that_fails_is_a_failure_of_a_token_and_the_pipeline_goes_on, 0,
                        FAILING);
    suite_add_tcase(suite, failures);
    return run_suite(suite);
}
