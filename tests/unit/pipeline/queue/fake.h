/* An engine that the test commands: tokens take as long as it says and fail where it says, and a failure
 * fails everything that is enqueued later, as on a stream. It checks how it is called.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_QUEUE_FAKE_H
#define TESTS_UNIT_PIPELINE_QUEUE_FAKE_H

#include <trireme/trireme.h>

#include "pipeline/queue/queue.h"
#include "tests/unit/counting.h"

#define FAKE_TOKENS 64       /* that can be commanded */
#define FAKE_TOKEN_BYTES 256 /* of the input and of the output */
#define NO_TOKEN UINT64_MAX
#define MILLISECOND 1000000u

/* The fate of a token. */
enum fate {
    FATE_GOOD    = 0,
    FATE_ENQUEUE = 1, /* cannot be enqueued by its own fault; no stream fails */
    FATE_STREAM  = 2, /* cannot be enqueued, and its stream fails with it */
    FATE_DEVICE  = 3, /* fails on the device */
    FATE_LOST    = 4, /* the device is lost with it */
    FATE_HANGS   = 5, /* does not end before fake_let_go() */
};

struct fake {
    struct counting counting;
    struct trm_context *context;
    struct trm_pipeline *handle;
    struct pipeline *pipeline;
    uint64_t duration; /* nanoseconds that a token takes */
    uint64_t slow_token, slow_duration;
    int32_t fates[FAKE_TOKENS];
    bool fates_are_permanent; /* a token that is enqueued again fails again */
    bool unrepeatable;
    uint32_t grows_to;                /* slots */
    uint32_t slots_in_use;            /* at most, of a source; 0: all */
    bool slots_are_first;             /* the others rest */
    uint32_t slots_rest, slots_asked; /* tokens until the engine is asked for it; how often */
    int32_t (*stage)(const struct pipeline_slot *slot); /* answers instead of the fake; may be NULL */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool all_hang; /* nothing ends, well or badly, before fake_let_go() */
    bool let_go;   /* nothing hangs */
    bool failed;   /* the stream has failed */
    bool lost;
    bool notifies;     /* threads wait for notifications, which never come */
    bool stamped;      /* tokens have stamps */
    bool holds_times;  /* reading them does not end before fake_let_go() */
    uint32_t reading;  /* threads that read them */
    bool holds_growth; /* making a slot does not end before fake_let_go() */
    uint32_t growing;  /* threads that make slots */
    uint32_t reordered;
    uint64_t last_end; /* of the last enqueued token */
    uint64_t enqueued, recovered, begun, ended, waits;
    uint64_t polls;  /* of a slot */
    uint32_t faults; /* calls that are not allowed */
};

extern struct fake fake; /* of the running test */

/* desc: its depth, flags, on_failure and token_timeout_ns are used. Ports: one input and one output. */
void fake_create(const struct trm_pipeline_desc *desc);
void fake_create_plain(uint32_t depth, int32_t on_failure);

/* Lets everything go on, closes and frees the pipeline, and checks that nothing leaked and no call was
 * wrong. */
void fake_destroy(void);

/* Adds a slot, as the engine does when a pipeline is made or grows. */
int32_t fake_make_slot(struct pipeline *pipeline);

void fake_let_go(void);

/* All slots are free, or only the (hung) device has them. */
void fake_all_free(void);
uint32_t fake_free_slots(void);

/* Whether a thread sleeps until a token ends or the queues change. */
bool fake_is_watched(void);

/* What was measured. */
struct trm_report fake_report(void);

/* Checks the counts of the report. */
void fake_counts(uint64_t tokens, uint64_t skipped, uint64_t failed, uint64_t cancelled);

/* A source that fills each token with its index, and a sink that notes what it gets. */
struct record {
    uint64_t count;         /* tokens of the source */
    uint64_t fails;         /* the token whose loading or sinking fails; NO_TOKEN: none */
    uint64_t skips;         /* the token that the source skips */
    uint64_t load_ns;       /* the longest time that loading takes */
    _Atomic uint64_t calls; /* of the source */
    uint64_t seen[4096];    /* indexes at the sink, in order of arrival */
    uint64_t seen_count;
    uint64_t wrong; /* tokens with wrong output */
};

void record_init(struct record *record, uint64_t count);
int32_t record_fill(void *record, struct trm_token *token);
int32_t record_take(void *record, const struct trm_token *token);
void record_note(struct record *record, const struct trm_token *token);

/* Whether indexes 0 … count − 1 came in order, except `missing`. */
bool record_is_complete(const struct record *record, uint64_t count, uint64_t missing);

#endif
