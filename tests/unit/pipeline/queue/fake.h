/* A device's side of pipelines that the test commands: tokens take as long as it says, fail where it says, and what
 * fails takes with it all that is enqueued later, as a stream does. It checks how it is called.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_QUEUE_FAKE_H
#define TESTS_UNIT_PIPELINE_QUEUE_FAKE_H

#include <trireme/trireme.h>

#include "pipeline/queue/queue.h"
#include "tests/unit/counting.h"

#define FAKE_TOKENS 64       /* for which something can be commanded */
#define FAKE_TOKEN_BYTES 256 /* of the input and of the output */
#define NO_TOKEN UINT64_MAX
#define MILLISECOND 1000000u

/* What becomes of a token. */
enum fate {
    FATE_GOOD    = 0,
    FATE_ENQUEUE = 1, /* cannot be enqueued, by its own fault: no stream fails */
    FATE_STREAM  = 2, /* cannot be enqueued, and its stream has failed with it */
    FATE_DEVICE  = 3, /* fails when it is worked on */
    FATE_LOST    = 4, /* the device is lost with it */
    FATE_HANGS   = 5, /* does not end before fake_let_go() */
};

struct fake {
    struct counting counting;
    struct trm_context *context;
    struct trm_pipeline *handle;
    struct core_pipeline *pipeline;
    uint64_t duration; /* nanoseconds that a token takes */
    uint64_t slow_token, slow_duration;
    int32_t fates[FAKE_TOKENS];
    int32_t fates_are_permanent; /* 1: a token fails again when it is enqueued again */
    int32_t unrepeatable;
    uint32_t grows_to; /* slots */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    int32_t all_hang; /* 1: nothing ends, well or badly, before fake_let_go() */
    int32_t let_go;   /* 1: nothing hangs any more */
    int32_t failed;   /* 1: the stream has */
    int32_t lost;
    uint64_t last_end; /* of the token enqueued last */
    uint64_t enqueued, recovered, begun, ended, waits;
    uint32_t faults; /* the device's side was called in a way that is not allowed */
};

extern struct fake fake; /* the one of the test that runs */

/* desc: depth, flags, on_failure and token_timeout_ns count. Ports: one input and one output. */
void fake_create(const struct trm_pipeline_desc *desc);
void fake_create_plain(uint32_t depth, int32_t on_failure);

/* Everything hung goes on; the pipeline is closed and freed; nothing leaks, nothing was called wrongly. */
void fake_destroy(void);

void fake_let_go(void);

/* All slots are free, or with the device only (hung). */
void fake_all_free(void);
uint32_t fake_free_slots(void);

/* The report's counts. */
void fake_counts(uint64_t tokens, uint64_t skipped, uint64_t failed);

/* A source that fills each token with its index, and a sink that notes what came. */
struct record {
    uint64_t count;         /* tokens of the source */
    uint64_t fails;         /* the token whose loading or sinking fails; NO_TOKEN: none */
    uint64_t skips;         /* the token that the source skips */
    uint64_t load_ns;       /* how long loading takes, at most */
    _Atomic uint64_t calls; /* of the source */
    uint64_t seen[4096];    /* indexes at the sink, as they came */
    uint64_t seen_count;
    uint64_t wrong; /* tokens whose output was not right */
};

void record_init(struct record *record, uint64_t count);
int32_t record_fill(void *record, struct trm_token *token);
int32_t record_take(void *record, const struct trm_token *token);
void record_note(struct record *record, const struct trm_token *token);

/* 1: indexes 0 … count − 1 came in order, but for `missing`. */
int32_t record_is_complete(const struct record *record, uint64_t count, uint64_t missing);

#endif
