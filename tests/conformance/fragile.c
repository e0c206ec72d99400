/* Pipelines that fail at a chosen stage and token.
 * SPDX-License-Identifier: MIT
 */
#include "fragile.h"

#include "kernels.h"

#define MARK 0xDEADBEEFu

const char *const place_words[PLACES] = {"load", "first", "middle", "second", "first", "sink"};

static int32_t break_host(void *user, const struct trm_token *token)
{
    struct fragile *fragile = user;
    uint32_t *words         = token->data[1];
    bool due                = token->index == fragile->at;
    if (due && fragile->place == AT_HOST)
        return TRM_ERROR_NOT_FOUND;
    if (due && fragile->place == AT_SECOND_LAUNCH)
        words[0] = MARK;
    return TRM_OK;
}

static int32_t break_shape(void *user, const struct trm_token *token, struct trm_grid *grid,
                           struct trm_argument *arguments)
{
    struct fragile *fragile = user;
    (void)arguments;
    *grid = trm_grid_1d(1, 0);
    return token->index == fragile->at && fragile->place == AT_SHAPE ? TRM_ERROR_NOT_FOUND : TRM_OK;
}

int32_t fragile_load(void *user, struct trm_token *token)
{
    struct fragile *fragile = user;
    uint32_t *words         = token->data[0];
    if (token->index >= fragile->count)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < 64; i++)
        words[i] = (uint32_t)token->index * 100 + i;
    if (token->index != fragile->at)
        return TRM_OK;
    if (fragile->place == AT_FIRST_LAUNCH)
        words[0] = MARK;
    return fragile->place == AT_LOAD ? TRM_ERROR_NOT_FOUND : TRM_OK;
}

int32_t fragile_sink(void *user, const struct trm_token *token)
{
    struct fragile *fragile = user;
    const uint32_t *words   = token->data[2];
    if (token->index == fragile->at && fragile->place == AT_SINK)
        return TRM_ERROR_NOT_FOUND;
    if (token->index == fragile->at)
        fragile->wrong = "the failed token came out";
    if (fragile->delivered > 0 && token->index <= fragile->last)
        fragile->wrong = "tokens came out of order";
    for (uint32_t i = 0; i < 64; i++)
        if (words[i] != (uint32_t)token->index * 100 + i + 2)
            fragile->wrong = "a token came out with wrong data";
    fragile->last = token->index;
    fragile->delivered++;
    return TRM_OK;
}

void fragile_make(struct fragile *fragile, uint32_t depth, int32_t strategy, int32_t mode)
{
    memset(fragile, 0, sizeof(*fragile));
    fragile->ports[0] = trm_port_input("in", 256);
    fragile->ports[1] = trm_port_scratch("scratch", 256);
    fragile->ports[2] = trm_port_output("out", 256);
    for (int i = 0; i < 2; i++) {
        fragile->arguments[i][0] = trm_arg_port((uint32_t)i);
        fragile->arguments[i][1] = trm_arg_port((uint32_t)i + 1);
        fragile->arguments[i][2] = trm_arg_u32(64);
        fragile->arguments[i][3] = trm_arg_u32(MARK);
    }
    fragile->stages[0]       = trm_stage_launch(stage_kernel("picky"), fragile->arguments[0], 4, 0, 0);
    fragile->stages[0].name  = "first";
    fragile->stages[0].shape = break_shape;
    fragile->stages[0].user  = fragile;
    fragile->stages[1]       = trm_stage_host(break_host, fragile, 2, 2);
    fragile->stages[1].name  = "middle";
    fragile->stages[2]       = trm_stage_launch(stage_kernel("picky"), fragile->arguments[1], 4, 0, 0);
    fragile->stages[2].name  = "second";
    fragile->stages[2].grid  = trm_grid_1d(1, 0);
    fragile->at              = UINT64_MAX;
    fragile->desc            = (struct trm_pipeline_desc){.struct_size = sizeof(fragile->desc),
                                                          .ports       = fragile->ports,
                                                          .port_count  = 3,
                                                          .stages      = fragile->stages,
                                                          .stage_count = 3,
                                                          .depth       = depth,
                                                          .strategy    = strategy,
                                                          .on_failure  = mode};
}

int32_t fragile_open(struct fragile *fragile)
{
    int32_t status = pipeline_under_test(&fragile->desc, &fragile->pipeline);
    if (status == TRM_ERROR_UNSUPPORTED && fragile->desc.strategy != TRM_STRATEGY_AUTO)
        return status;
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    return TRM_OK;
}

void fragile_begin(struct fragile *fragile, uint32_t depth)
{
    fragile_make(fragile, depth, TRM_STRATEGY_AUTO, TRM_FAILURE_STOP);
    ck_assert_int_eq(fragile_open(fragile), TRM_OK);
}

void fragile_close(struct fragile *fragile)
{
    trm_pipeline_destroy(fragile->pipeline);
    kernels_close();
}

int32_t fragile_run(struct fragile *fragile, uint64_t count)
{
    struct trm_source source = trm_source_function(fragile_load, fragile);
    struct trm_sink sink     = trm_sink_function(fragile_sink, fragile);
    fragile->count           = count;
    fragile->delivered = fragile->last = 0;
    fragile->wrong                     = NULL;
    int32_t status                     = trm_pipeline_run(fragile->pipeline, &source, &sink);
    ck_assert_msg(fragile->wrong == NULL, "depth %u, %s, failing in %s at %lld: token %llu: %s",
                  fragile->desc.depth, trm_strategy_name(fragile->desc.strategy), place_words[fragile->place],
                  (long long)fragile->at, (unsigned long long)fragile->last, fragile->wrong);
    ck_slots_free(fragile->pipeline);
    return status;
}
