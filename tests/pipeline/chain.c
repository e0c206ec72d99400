/* A chain of stages, each of which can be made to fail.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <inttypes.h>

#define MARK 0xDEADBEEFu

/* ---- callbacks ------------------------------------------------------------------------------ */

static bool due(const struct chain *chain, uint64_t index, enum fault_stage fault_stage)
{
    return chain->fault_stage == fault_stage && index - chain->base == chain->at;
}

static void fill(struct chain *chain, struct trm_token *token)
{
    uint32_t *words = token->data[0];

    chain->begun++;
    if (chain->before != NULL)
        chain->before(chain, token->index - chain->base);
    for (uint32_t i = 0; i < CHAIN_WORDS; i++)
        words[i] = (uint32_t)(token->index - chain->base) * 1000 + i;
    if (due(chain, token->index, AT_FIRST))
        words[0] = MARK;
}

static int32_t source(void *user, struct trm_token *token)
{
    struct chain *chain = user;

    if (token->index >= chain->count)
        return TRM_TOKEN_END;
    fill(chain, token);
    return due(chain, token->index, AT_LOAD) ? TRM_ERROR_NOT_FOUND : TRM_OK;
}

static int32_t shape(void *user, const struct trm_token *token, struct trm_grid *grid,
                     struct trm_argument *arguments)
{
    (void)arguments;
    *grid = trm_grid_1d(1, 0);
    return due(user, token->index, AT_SHAPE) ? TRM_ERROR_NOT_FOUND : TRM_OK;
}

static int32_t middle(void *user, const struct trm_token *token)
{
    uint32_t *words = token->data[1];

    if (due(user, token->index, AT_SECOND))
        words[0] = MARK;
    return due(user, token->index, AT_MIDDLE) ? TRM_ERROR_NOT_FOUND : TRM_OK;
}

static void complain(struct chain *chain, uint64_t number, const char *what)
{
    if (chain->wrong[0] == '\0')
        snprintf(chain->wrong, sizeof(chain->wrong), "token %" PRIu64 ": %s", number, what);
}

static void take(struct chain *chain, const struct trm_token *token)
{
    const uint32_t *words = token->data[2];
    uint64_t number       = token->index - chain->base;

    for (uint32_t i = 0; i < CHAIN_WORDS; i++)
        if (words[i] != (uint32_t)number * 1000 + i + 2)
            complain(chain, number, "its data is wrong");
    if (chain->delivered > 0 && number <= chain->came[chain->delivered - 1])
        complain(chain, number, "it came out of order");
    if (chain->delivered < CHAIN_MOST)
        chain->came[chain->delivered++] = number;
}

static int32_t sink(void *user, const struct trm_token *token)
{
    if (due(user, token->index, AT_SINK))
        return TRM_ERROR_NOT_FOUND;
    take(user, token);
    return TRM_OK;
}

/* ---- creation ------------------------------------------------------------------------------- */

static struct trm_stage launch(struct chain *chain, uint32_t number)
{
    struct trm_argument *arguments = chain->arguments[number];
    struct trm_stage stage;

    arguments[0] = trm_arg_port(number);
    arguments[1] = trm_arg_port(number + 1);
    arguments[2] = trm_arg_u32(CHAIN_WORDS);
    arguments[3] = trm_arg_u32(MARK);
    stage        = trm_stage_launch(the.picky, arguments, 4, 0, 0);
    stage.name   = number == 0 ? "first" : "second";
    stage.grid   = trm_grid_1d(1, 0);
    stage.user   = chain;
    return stage;
}

void chain_make(struct chain *chain, uint32_t depth, int32_t strategy, int32_t mode, bool with_middle)
{
    uint32_t bytes = CHAIN_WORDS * sizeof(uint32_t), count = 0;

    memset(chain, 0, sizeof(*chain));
    chain->ports[0]              = trm_port_input("in", bytes);
    chain->ports[1]              = trm_port_scratch("scratch", bytes);
    chain->ports[2]              = trm_port_output("out", bytes);
    chain->stages[count]         = launch(chain, 0);
    chain->stages[count++].shape = shape;
    if (with_middle) {
        chain->stages[count]        = trm_stage_host(middle, chain, 2, 2);
        chain->stages[count++].name = "middle";
    }
    chain->stages[count++] = launch(chain, 1);
    chain->at              = UINT64_MAX;
    chain->desc            = (struct trm_pipeline_desc){.struct_size = sizeof(chain->desc),
                                                        .ports       = chain->ports,
                                                        .port_count  = 3,
                                                        .stages      = chain->stages,
                                                        .stage_count = count,
                                                        .depth       = depth,
                                                        .strategy    = strategy,
                                                        .on_failure  = mode};
}

int32_t chain_open(struct chain *chain)
{
    int32_t status = trm_pipeline_create(the.device, &chain->desc, &chain->pipeline);

    if (status == TRM_ERROR_UNSUPPORTED && chain->desc.strategy != TRM_STRATEGY_AUTO)
        return status;
    ck_ok(status);
    return TRM_OK;
}

void chain_close(struct chain *chain)
{
    trm_pipeline_destroy(chain->pipeline);
    chain->pipeline = NULL;
}

/* ---- one round ------------------------------------------------------------------------------ */

/* The first status other than OK. */
static void note(struct chain *chain, int32_t status)
{
    if (chain->status != TRM_OK)
        return;
    chain->status = status;
    snprintf(chain->sentence, sizeof(chain->sentence), "%s", trm_last_error().sentence);
}

static void round_by_run(struct chain *chain)
{
    struct trm_source from = trm_source_function(source, chain);
    struct trm_sink to     = trm_sink_function(sink, chain);
    int32_t status         = trm_pipeline_run(chain->pipeline, &from, &to);

    if (status != TRM_OK)
        note(chain, status);
}

static void release(struct chain *chain, struct trm_token *token)
{
    take(chain, token);
    ck_ok(trm_pipeline_release(chain->pipeline, token));
}

static void round_by_next(struct chain *chain)
{
    struct trm_source from = trm_source_function(source, chain);
    struct trm_token *token;

    ck_ok(trm_pipeline_start(chain->pipeline, &from));
    for (uint64_t calls = 0;; calls++) {
        int32_t status = trm_pipeline_next(chain->pipeline, LONG_NS, &token);
        ck_assert_msg(calls < 2 * chain->count + 10, "next() never comes to an end");
        if (status == TRM_TOKEN_END)
            break;
        if (status == TRM_OK) {
            release(chain, token);
            continue;
        }
        ck_assert_msg(status != TRM_ERROR_TIMEOUT, "next() hangs");
        note(chain, status);
        chain->failures++;
    }
    /* After a failure next() waits only briefly for tokens in flight. */
    if (chain->status != TRM_OK)
        ck_ok(trm_pipeline_cancel(chain->pipeline, LONG_NS));
}

/* True: a token came out or failed. */
static int next_of_server(struct chain *chain)
{
    struct trm_token *token;
    int32_t status = trm_pipeline_next(chain->pipeline, LONG_NS, &token);

    ck_assert_msg(status != TRM_ERROR_TIMEOUT, "next() hangs");
    if (status == TRM_OK) {
        release(chain, token);
        return 1;
    }
    note(chain, status);
    chain->failures++;
    return chain->desc.on_failure == TRM_FAILURE_SKIP ||
           (chain->desc.on_failure == TRM_FAILURE_DRAIN && chain->failures == 1);
}

static void round_by_submit(struct chain *chain)
{
    struct trm_token *token;
    uint64_t under_way = 0, number;
    int32_t status;

    for (number = 0; number < chain->count; number++) {
        status = trm_pipeline_acquire(chain->pipeline, LONG_NS, &token);
        if (status != TRM_OK) {
            note(chain, status);
            break;
        }
        if (number == 0)
            chain->base = token->index;
        fill(chain, token);
        status = trm_pipeline_submit(chain->pipeline, token);
        if (status == TRM_OK) {
            under_way++;
        } else {
            note(chain, status);
            chain->failures++;
        }
        if (under_way == chain->desc.depth)
            under_way -= (uint64_t)next_of_server(chain);
        if (chain->status != TRM_OK && chain->desc.on_failure != TRM_FAILURE_SKIP)
            break;
    }
    while (under_way > 0 && next_of_server(chain))
        under_way--;
    /* After this the pipeline may be used again. */
    if (chain->status != TRM_OK)
        ck_ok(trm_pipeline_cancel(chain->pipeline, LONG_NS));
}

static void check_report(struct chain *chain)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    ck_ok(trm_pipeline_report(chain->pipeline, &report));
    ck_assert_uint_eq(report.tokens, chain->delivered);
    ck_assert_uint_eq(report.skipped, 0);
    ck_assert_msg(report.tokens + report.failed + report.cancelled == chain->begun,
                  "%" PRIu64 " tokens were begun, but the report has %" PRIu64 ", %" PRIu64
                  " that failed and %" PRIu64 " that were cancelled",
                  chain->begun, report.tokens, report.failed, report.cancelled);
    if (chain->at == UINT64_MAX)
        ck_assert_str_eq(report.failure, "");
    else if (chain->fault_stage != FAULT_STAGES)
        ck_assert_msg(strstr(report.failure, "token ") != NULL, "the report's failure is: %s",
                      report.failure);
}

void chain_round(struct chain *chain, enum method method, uint64_t count)
{
    ck_assert_uint_le(count, CHAIN_MOST);
    chain->count = count;
    chain->base = chain->begun = 0;
    chain->delivered = chain->failures = 0;
    chain->status                      = TRM_OK;
    chain->wrong[0] = chain->sentence[0] = '\0';

    if (method == BY_RUN)
        round_by_run(chain);
    else if (method == BY_NEXT)
        round_by_next(chain);
    else
        round_by_submit(chain);

    ck_assert_msg(chain->wrong[0] == '\0', "%s", chain->wrong);
    slots_free(chain->pipeline);
    if (method != BY_SUBMIT)
        check_report(chain);
}

/* ---- the expected result -------------------------------------------------------------------- */

void chain_check_whole(const struct chain *chain)
{
    ck_assert_msg(chain->status == TRM_OK, "%s", chain->sentence);
    ck_assert_uint_eq(chain->delivered, chain->count);
}

void chain_check_failed(const struct chain *chain, uint64_t number)
{
    uint32_t before = 0;

    while (before < chain->delivered && chain->came[before] < number)
        ck_assert_uint_eq(chain->came[before], before++);
    for (uint32_t i = before; i < chain->delivered; i++)
        ck_assert_uint_eq(chain->came[i], number + 1 + i - before);

    switch (chain->desc.on_failure) {
    case TRM_FAILURE_STOP:
        ck_assert_uint_eq(chain->delivered, before);
        break;
    case TRM_FAILURE_DRAIN:
        ck_assert_uint_eq(before, number);
        ck_assert_uint_le(chain->delivered, number + chain->desc.depth);
        break;
    default:
        ck_assert_uint_eq(before, number);
        ck_assert_uint_eq(chain->delivered, chain->count - 1);
    }
}
