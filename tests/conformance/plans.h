/* Pipelines of many kinds, each with a plain loop that computes the expected results.
 *
 * All ports hold uint32_t. An input depends on the token and the port alone, so the sink can compute what it
 * must be given.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_PLANS_H
#define CONFORMANCE_PLANS_H

#include "harness.h"

#define PLAN_WORDS 1000u /* of a port, at most */
#define PLAN_MOST_PORTS 12
#define PLAN_MOST_STAGES 12
#define PLAN_MOST_TOKENS 256

enum plan_flags {
    PLAN_VARIABLE   = 1u << 0, /* tokens have sizes of their own, some are empty */
    PLAN_ORDERED    = 1u << 1, /* results depend on earlier tokens */
    PLAN_DIVISIBLE  = 1u << 2,
    PLAN_UNKNOWN    = 1u << 3, /* no stage writes the outputs: their contents are undefined */
    PLAN_SOURCELESS = 1u << 4, /* no inputs */
    PLAN_ALONE      = 1u << 5, /* on one device, also where a group is under test */
};

struct rig;

struct plan {
    const char *name;
    uint32_t flags;
    /* Adds ports and stages with the functions below. */
    void (*build)(struct rig *rig);
    /* What output `port` of a token holds: `count` words. Of an ORDERED plan called once for each token, in
     * order. */
    void (*expect)(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count);
};

extern const struct plan plans[];
extern const uint32_t plan_count;

const struct plan *plan_named(const char *name);

/* A pipeline of a plan, and its results. */
struct rig {
    const struct plan *plan;
    struct trm_device *device;
    struct trm_pipeline *pipeline;
    struct trm_buffer *shared;
    struct trm_group_buffer *group_shared; /* instead, in a pipeline of a group */
    /* Not a group's, although one is under test: stages write a shared port. */
    bool is_alone;
    struct trm_pipeline_desc desc;
    struct trm_port ports[PLAN_MOST_PORTS];
    struct trm_stage stages[PLAN_MOST_STAGES];
    struct trm_argument arguments[PLAN_MOST_STAGES][PLAN_MOST_PORTS];
    struct trm_kernel *kernels[PLAN_MOST_STAGES];
    uint64_t after[PLAN_MOST_STAGES]; /* of the stages of a plan with branches */
    uint32_t seed;

    uint32_t state;                 /* of the plain loop of an ORDERED plan */
    uint64_t count;                 /* tokens that the source gives */
    uint64_t loaded;                /* tokens that were filled; atomic */
    uint64_t delivered;             /* tokens that came out */
    bool loose;                     /* they may come in any order */
    uint8_t seen[PLAN_MOST_TOKENS]; /* how often each came */
    const char *wrong;              /* the first error, for the thread of the case to check; else NULL */
    uint64_t wrong_token;
};

/* Everything but the pipeline itself: desc may still be changed before rig_open(). */
void rig_make(struct rig *rig, const struct plan *plan, uint32_t depth, int32_t strategy);

/* The pipeline. UNSUPPORTED for strategies that the device does not have; another failure fails the case. */
int32_t rig_open(struct rig *rig);
void rig_close(struct rig *rig);

/* Resets the rig after the pipeline has been used. */
void rig_again(struct rig *rig);

/* How many words token `index` has in each port. */
uint32_t plan_words(const struct plan *plan, uint64_t index);

/* Fill a token's inputs; for use as a source (user is the rig). */
void rig_fill(struct rig *rig, struct trm_token *token);
int32_t rig_source(void *user, struct trm_token *token);

/* Check a token's outputs and its place in the order; for use as a sink (user is the rig). */
void rig_take(struct rig *rig, const struct trm_token *token);
int32_t rig_sink(void *user, const struct trm_token *token);

/* Run `count` tokens and check all that comes out. */
void rig_run(struct rig *rig, uint64_t count, uint32_t workers);

/* Checks that there was no error and that each token of the source came out once. */
void rig_check(const struct rig *rig);

/* Every slot of the pipeline is free. */
void ck_slots_free(struct trm_pipeline *pipeline);

/* For plans. */
uint32_t rig_port(struct rig *rig, struct trm_port port);
struct trm_stage *rig_launch(struct rig *rig, const char *kernel, uint32_t items_port,
                             const struct trm_argument *arguments, uint32_t argument_count);
struct trm_stage *rig_host(struct rig *rig, trm_host_stage_fn host, uint64_t reads, uint64_t writes);

/* Word `i` of input `port` of a token. */
uint32_t plan_input(const struct rig *rig, uint64_t index, uint32_t port, uint32_t i);

/* The strategies, AUTO first. */
extern const int32_t all_strategies[6];

#endif
