/* Trireme: the work of the suites `pipeline`, `auto` and `devices`: batches of floats are uploaded, put
 * through v = a · v + b a number of times and downloaded, by a pipeline of the library, of one device or of a
 * group, or by hand on streams. In a chain several kernels do that one after the other, and less may come
 * down than went up. tests/bench/pipeline_work.h is its counterpart for the libraries that Trireme is
 * compared with.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_BENCH_BENCH_FLOW_H
#define TRIREME_TOOLS_BENCH_BENCH_FLOW_H

#include "tools/bench/bench.h"

#define BENCH_DEPTH_MOST 4

/* On which devices a pipeline is. */
enum bench_flow_place {
    BENCH_ON_DEVICE   = 0, /* the device that is measured */
    BENCH_ON_GROUP    = 1, /* all of its backend; a cpu: its two halves */
    BENCH_ON_ONE      = 2, /* a group of one of those */
    BENCH_ON_ONE_ONLY = 3, /* the same device without a group */
    BENCH_ON_WHOLE    = 4, /* a cpu as one device, in a context like that of its halves; else unsupported */
};

struct bench_flow_kind {
    uint64_t bytes; /* of a batch, as it goes up */
    uint32_t links; /* fused multiply-adds for each element, in each kernel */
    uint32_t depth;
    int32_t strategy; /* enum trm_strategy */
    bool by_hand;     /* a stream for each slot, without the pipeline */
    uint64_t tokens;
    int32_t place;      /* enum bench_flow_place */
    uint32_t gpu_links; /* on anything but a cpu and software on it; 0: `links` */
    uint32_t kernels;   /* one after the other; 0: one. Not by hand, and not of groups, as what follows */
    uint64_t down;      /* bytes that come down: the last kernel is of the first elements; 0: `bytes` */
    bool sums;          /* the last kernel adds up each BENCH_SUMMED elements instead */
};

/* Elements of which the built-in kernel `reduce` makes one. */
#define BENCH_SUMMED 4096u

/* Elements of a result that are checked. */
#define BENCH_SAMPLES 64

struct bench_hand_slot {
    struct trm_stream *stream;
    struct trm_buffer *host[2];   /* pinned: what goes up, what came down */
    struct trm_buffer *device[2]; /* source and target */
    float *floats[2];             /* of host */
    struct trm_point end;         /* of the batch in it */
};

/* Begun by bench_flow_begin(), ended by bench_flow_end(). */
struct bench_flow {
    const struct bench_flow_kind *kind;
    uint32_t links;              /* of the kind, for this device */
    struct trm_context *context; /* of a cpu that is divided or is to be the whole one; else NULL */
    struct trm_device *one;      /* ON_ONE_ONLY, ON_WHOLE */
    struct trm_group *group;     /* ON_GROUP, ON_ONE */
    struct trm_group_kernel *group_kernel;
    struct trm_module *module;
    struct trm_kernel *kernel, *sums; /* sums: of a kind with sums */
    struct trm_pipeline *pipeline;
    struct bench_hand_slot slots[BENCH_DEPTH_MOST];
    uint64_t filled;           /* bit i: the inputs of slot i have been written; they stay as they are */
    float seen[BENCH_SAMPLES]; /* elements of a result */
};

int32_t bench_flow_begin(struct bench *bench, const struct bench_flow_kind *kind, struct bench_flow **flow);
void bench_flow_end(struct bench_flow *flow); /* NULL is fine */

/* Pass `tokens` batches through; the time that they took in seconds. */
int32_t bench_flow_run(struct bench *bench, struct bench_flow *flow, uint64_t tokens, double *seconds);

/* Pass some batches, so that the memory of the slots is as much in the caches as it will be: others have used
 * them since. */
int32_t bench_flow_warm(struct bench *bench, struct bench_flow *flow);

/* Pass batches until the library's trials of strategies and numbers of slots are over. */
int32_t bench_flow_settle(struct bench *bench, struct bench_flow *flow);

/* bench_by_hand.c: the same without a pipeline, for kinds with by_hand. */
int32_t bench_hand_begin(struct bench *bench, struct bench_flow *flow);
void bench_hand_end(struct bench_flow *flow);
int32_t bench_hand_run(struct bench_flow *flow, uint64_t tokens);
int32_t bench_hand_put(const struct bench_flow *flow, const struct bench_hand_slot *slot); /* one batch */

/* bench_group.c: the devices of a kind that is not ON_DEVICE. UNSUPPORTED where there is a single one. */
int32_t bench_group_begin(struct bench *bench, struct bench_flow *flow);
void bench_group_end(struct bench_flow *flow);

/* bench_graph.c */
int32_t bench_graph_setup(struct bench *bench, const struct bench_case *test);
int32_t bench_graph_sample(struct bench *bench, const struct bench_case *test, double *value);

/* Write the input of a batch; take samples of an output, and see whether they are what comes of it, which
 * takes longer. */
void bench_flow_fill(float *floats, uint64_t count);
void bench_flow_look(struct bench_flow *flow, const float *result);
bool bench_flow_is_right(const struct bench_flow *flow);

/* The multiply-adds' constants. */
#define BENCH_FLOW_FACTOR 0.9990234375f
#define BENCH_FLOW_TERM 0.0009765625f

#endif
