/* Pipelines that fail at a chosen stage and token.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_FRAGILE_H
#define CONFORMANCE_FRAGILE_H

#include "plans.h"

/* A pipeline in which every stage can be made to fail at one token: in → picky → scratch → host → picky →
 * out. */
enum place {
    AT_LOAD,
    AT_FIRST_LAUNCH,
    AT_HOST,
    AT_SECOND_LAUNCH,
    AT_SHAPE,
    AT_SINK,
    PLACES,
};

/* The stage that a failure there names. */
extern const char *const place_words[PLACES];

struct fragile {
    struct trm_port ports[3];
    struct trm_argument arguments[2][4];
    struct trm_stage stages[3];
    struct trm_pipeline_desc desc;
    struct trm_pipeline *pipeline;
    enum place place;
    uint64_t at;    /* the token that fails; UINT64_MAX: none */
    uint64_t count; /* of tokens */
    uint64_t delivered;
    uint64_t last; /* index delivered last */
    const char *wrong;
};

/* Describe it; what then differs is for the case to say. */
void fragile_make(struct fragile *fragile, uint32_t depth, int32_t strategy, int32_t mode);

/* Create it. TRM_OK, or UNSUPPORTED where it is of a strategy that the device has not. */
int32_t fragile_open(struct fragile *fragile);

/* Both, with what is usual. */
void fragile_begin(struct fragile *fragile, uint32_t depth);
void fragile_close(struct fragile *fragile);

/* Run so many tokens, and check all that come out. The run's status. */
int32_t fragile_run(struct fragile *fragile, uint64_t count);

/* Its source and sink. */
int32_t fragile_load(void *user, struct trm_token *token);
int32_t fragile_sink(void *user, const struct trm_token *token);

#endif
