/* The queue room: the pipeline object and its queues, which decide what each slot does next.
 *
 *     free ──acquire──> held ───submit──┐                                   ┌──> out ──release──> free
 *       └───a source──> loading ──────> filled ──> enqueuing ──> submitted ──> ended ──> sink ───> free
 *                                                                    └──> abandoned ────────────> free
 *
 *     pipeline.c   create and destroy            report.c, trace.c   what a pipeline reports
 *     queue.c      states and lists of slots     wait.c              waiting, abandoned slots, the leader
 *     serve.c      acquire, submit, release      next.c              the next result
 *     run.c        runs, starts and their ends   loader.c            calling the source, in threads too
 *     source.c     memory, files and functions   sink.c              the same
 *     failure.c    stop, drain, skip, recover    cancel.c            cancel and close
 *     states.c     what observers see
 *
 * A slot is in exactly one state. core_queue_move() alone changes it, checks that the move is legal, and
 * counts. Two lists go through slot->next: the free slots, and `ordered`: those submitted and ended, in the
 * order of submission.
 *
 * Leader and followers: of all threads that want results, one at a time is the leader (has_leader). The
 * leader alone removes slots from `ordered`, so it may look at them and wait for one without the lock. The
 * others sleep until it has its result. A cancel from another thread only marks tokens; the leader drops them
 * when it looks next, within CORE_SLICE_NS.
 *
 * A thread that waits for the device blocks in core_slot_wait() (on the cpu it runs queued work meanwhile),
 * which only the device wakes, so it waits in slices. All other waits are on condition variables.
 *
 * The lock is pipeline->lock; pipeline->enqueue_lock comes before it (engine.h).
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_QUEUE_QUEUE_H
#define PIPELINE_QUEUE_QUEUE_H

#include <stdbool.h>

#include "pipeline/engine/engine.h"
#include "pipeline/queue/source.h"

/* How late a thread that waits for the device notices a cancel. */
#define CORE_SLICE_NS 50000000u
/* How long a run that was cancelled, or whose tokens timed out, still waits for the device. */
#define CORE_HURRY_NS 90000000u

enum core_slot_state {
    CORE_SLOT_FREE      = 0,
    CORE_SLOT_HELD      = 1, /* acquired by the program */
    CORE_SLOT_LOADING   = 2, /* a source fills it */
    CORE_SLOT_FILLED    = 3, /* waits for its turn to be enqueued */
    CORE_SLOT_ENQUEUING = 4, /* being enqueued by the thread that holds enqueue_lock */
    CORE_SLOT_SUBMITTED = 5,
    CORE_SLOT_ENDED     = 6, /* its work has ended, well or badly (slot->failure) */
    CORE_SLOT_SINK      = 7,
    CORE_SLOT_OUT       = 8, /* with the program until it is released */
    CORE_SLOT_ABANDONED = 9, /* its token was dropped, but its work may still run */
    CORE_SLOT_STATES    = 10,
};

enum core_queue_mode {
    CORE_SERVING = 0, /* acquire and submit */
    CORE_RUNNING = 1, /* trm_pipeline_run() */
    CORE_STARTED = 2, /* trm_pipeline_start() */
};

enum core_queue_stop {
    CORE_GOING    = 0,
    CORE_DRAINING = 1, /* no token is begun */
    CORE_STOPPED  = 2, /* and tokens in flight are dropped */
};

/* Whether failed streams have to be replaced before anything is enqueued. */
enum core_queue_dirty {
    CORE_CLEAN       = 0,
    CORE_DIRTY       = 1, /* yes, and the token that caused it is in flight */
    CORE_DIRTY_KNOWN = 2, /* yes, and that token is gone */
};

/* Results of core_next() besides statuses. */
#define CORE_NEXT_FILL 100   /* nothing is in flight, and the caller could load */
#define CORE_NEXT_FAILED 101 /* a token failed; `failure` says why */

/* What the queues know of a slot; under the lock. */
struct core_queue_entry {
    void *output;      /* memory of a memory sink for it */
    int32_t answer;    /* FILLED: what the source returned */
    bool is_cancelled; /* the token is dropped at the next look */
    bool is_final;     /* its failure is its own, or cannot be recovered from */
    bool has_reaper;   /* ABANDONED: a thread waits for it */
    /* SUBMITTED: not flushed yet; the thread that runs the pipeline flushes it before it waits */
    bool is_held_back;
    bool is_overdue; /* ABANDONED: it timed out, so no run waits for it */
    /* A thread reads the times of the slot's last token; the next one may be filled, but not enqueued. Survives
     * core_queue_pop(). */
    bool is_being_read;
};

struct core_slot_list {
    struct core_slot *first, *last;
};

struct core_pipeline_queue {
    struct core_queue_entry entries[CORE_DEPTH_MOST];
    uint32_t slots_in[CORE_SLOT_STATES]; /* number of slots in each state */
    uint32_t depth;                      /* slots that the queues know of */
    struct core_slot_list free, ordered;
    uint64_t next_index;       /* of the token acquired next */
    struct base_failure fault; /* an illegal move */

    _Atomic int32_t mode; /* enum core_queue_mode; also read without the lock */
    int32_t stop;         /* enum core_queue_stop */
    bool is_told;         /* STARTED: trm_pipeline_next() has returned `cause` */
    bool is_over;         /* SERVING: what was started has ended, and nothing else has begun */
    bool is_closing;
    struct base_failure cause; /* why `stop` is not GOING */
    uint32_t epoch;            /* cancels so far; waiting threads compare it */
    uint64_t cancelled_at;
    uint64_t load_ns, sink_ns; /* time of the source and the sink for the last token */
    /* The same, for the decision whether to measure how long the thread runs. */
    _Atomic uint64_t load_took, sink_took;
    struct core_report_facts facts; /* of the last run; without words and times */
    bool has_leader;
    int32_t dirty;   /* enum core_queue_dirty */
    bool is_growing; /* a thread creates another slot */

    /* A run. */
    struct core_source source;
    struct core_sink sink;
    bool has_source_ended; /* nothing more is loaded */
    uint64_t end_index;    /* the lowest index at which the source returned END */
    bool is_filling;       /* a thread calls the source, in a run without loaders */
    bool is_finishing;     /* a thread ends the run */
    bool is_engine_open;   /* core_engine_begin() was called and core_engine_end() was not */
    uint32_t workers;      /* loaders of this run */
    uint32_t working;      /* loaders that have not ended */
    pthread_t worker_threads[CORE_DEPTH_MOST];
    struct core_slot *filled[CORE_DEPTH_MOST]; /* by index % CORE_DEPTH_MOST */
    uint64_t turn;                             /* the index to be submitted next */
    bool is_submitting;                        /* a loader submits filled slots */

    /* Numbers of sleeping threads, so that none is woken in vain. */
    uint32_t free_waiters, change_waiters, leader_waiters, quiet_waiters;
    pthread_cond_t freed; /* a slot is free, or none will be */
    /* a token was submitted, the source ended, the pipeline stopped */
    pthread_cond_t changed;
    pthread_cond_t leader_left; /* there is no leader */
    pthread_cond_t quiet;       /* a slot came back, a loader ended, a run ended */
};

static inline struct core_queue_entry *core_queue_entry(const struct core_slot *slot)
{
    return &slot->pipeline->queue->entries[slot->index];
}

/* slot->place: the state in the low bits, the token's index above. */
#define CORE_STATE_BITS 4
#define CORE_PLACE(state, token) ((uint64_t)(token) << CORE_STATE_BITS | (uint64_t)(state))

static inline int32_t core_place_state(uint64_t place)
{
    return (int32_t)(place & ((1u << CORE_STATE_BITS) - 1));
}

static inline uint64_t core_place_token(uint64_t place)
{
    return place >> CORE_STATE_BITS;
}

static inline int32_t core_slot_state(const struct core_slot *slot)
{
    return core_place_state(atomic_load_explicit(&slot->place, memory_order_relaxed));
}

/* A source or sink that takes longer is asked how long its thread ran, which costs half a microsecond. */
#define CORE_LONG_END_NS 100000u

/* ---- pipeline.c, report.c, queue.c: the object ---------------------------------------------- */

/* Enters the pipeline behind a handle; leave with core_object_leave(). NULL after setting the last error. */
struct core_pipeline *core_pipeline_enter(struct trm_pipeline *handle);

/* The report of a pipeline with prediction and advice. Takes the lock. */
void core_queue_report(struct core_pipeline *pipeline, struct trm_report *report);

int32_t core_queue_create(struct core_pipeline *pipeline);
void core_queue_destroy(struct core_pipeline *pipeline);

/* Cancels, and waits until only the queues have slots. Errors: DEADLOCK inside a callback of the pipeline. */
int32_t core_queue_close(struct core_pipeline *pipeline);

/* ---- queue.c: with the lock, unless stated otherwise ---------------------------------------- */

/* Changes the state of a slot, whose token stays. An illegal move becomes queue->fault, and the state stays. */
void core_queue_move(struct core_slot *slot, int32_t state);

void core_list_append(struct core_slot_list *list, struct core_slot *slot);
void core_list_remove(struct core_slot_list *list, struct core_slot *slot);

/* A free slot for a new token, moved to `state` with the next index; NULL: none is free. */
struct core_slot *core_queue_pop(struct core_pipeline *pipeline, int32_t state);

/* Frees a slot whose token is gone and whose work has ended. */
void core_queue_free(struct core_slot *slot);

/* Adds new slots of the engine to the free ones. */
void core_queue_adopt(struct core_pipeline *pipeline);

/* The slot of a token that the program returns; NULL: not a token of this pipeline. Does not read `token`. */
struct core_slot *core_queue_find(const struct core_pipeline *pipeline, const struct trm_token *token);

/* The times of a token that has ended. Without the lock. has_run: it was on the device. */
void core_queue_times(struct core_slot *slot, int32_t status, bool has_run, struct core_token_times *times);

/* Note a token's end in the measure, once for each; core_queue_retire() also frees its slot, whose work has
 * ended. */
void core_queue_note(struct core_slot *slot, const struct core_token_times *times);
void core_queue_retire(struct core_slot *slot, int32_t status, bool has_run);

/* Frees the slot of a token that was consumed, notes its times, and adds a slot if that helps. Without the
 * lock. */
void core_queue_finish(struct core_slot *slot);

/* Waits until the times of the slot's last token were read. With the lock, released meanwhile. */
void core_queue_wait_read(struct core_slot *slot);

/* Slots that are neither free nor with the program. */
uint32_t core_queue_in_flight(const struct core_pipeline_queue *queue);

void core_queue_wake_free(struct core_pipeline_queue *queue);
void core_queue_wake_changed(struct core_pipeline_queue *queue);
void core_queue_wake_all(struct core_pipeline_queue *queue);

/* ---- wait.c --------------------------------------------------------------------------------- */

/* What the calling thread does for a pipeline; on its stack. */
struct core_calling {
    const struct core_pipeline *pipeline;
    bool is_enqueuing; /* in a shape function, under enqueue_lock */
    struct core_calling *outer;
};

void core_calling_push(struct core_calling *inside, const struct core_pipeline *pipeline, bool is_enqueuing);
void core_calling_pop(const struct core_calling *inside);

/* TRM_OK, or DEADLOCK when the calling thread is inside a source, sink, stage or shape function of this
 * pipeline. */
int32_t core_calling_check(const struct core_pipeline *pipeline, const char *call);

/* The same for calls that only take enqueue_lock: DEADLOCK inside shape functions. */
int32_t core_calling_check_enqueue(const struct core_pipeline *pipeline, const char *call);

/* Sleeps, with the lock, until woken (true) or until a deadline (false). */
bool core_sleep(struct core_pipeline *pipeline, pthread_cond_t *condition, uint32_t *waiters,
                uint64_t deadline);

/* The earlier of a deadline and the end of a slice that begins now. */
uint64_t core_slice(uint64_t deadline);

/* Frees abandoned slots whose work has ended, and returns their number. With the lock, released meanwhile.
 * Unless `deadline` is 0 it waits for one of them, for a slice at most. */
uint32_t core_reap(struct core_pipeline *pipeline, uint64_t deadline);

/* Make the calling thread the leader, or no longer. core_leader_claim() waits, with the lock: TRM_OK or
 * TIMEOUT. */
int32_t core_leader_claim(struct core_pipeline *pipeline, uint64_t deadline);
void core_leader_leave(struct core_pipeline *pipeline);

/* ---- next.c --------------------------------------------------------------------------------- */

/* The next token whose work has ended, moved to `state`. Without the lock. TRM_OK; TRM_TOKEN_END;
 * CORE_NEXT_FILL; CORE_NEXT_FAILED with `failure`; TIMEOUT, CANCELLED, BUSY or why the pipeline has
 * stopped. */
int32_t core_next(struct core_pipeline *pipeline, int32_t state, uint64_t deadline, struct core_slot **slot,
                  struct base_failure *failure);

/* ---- serve.c -------------------------------------------------------------------------------- */

/* Enqueues a slot that is LOADING or FILLED. Without locks. TRM_OK also when that failed: the failure is
 * reported at the token's turn. Only a token of the program (by_program) that failed by itself is reported
 * here, and is gone. CANCELLED, or why the pipeline has stopped: the token is gone, too. */
int32_t core_submit(struct core_slot *slot, bool by_program);

/* ---- failure.c ------------------------------------------------------------------------------ */

/* core_failure_describe() turns the calling thread's last error, which was returned as `status`, into a
 * failure whose sentence begins with the token. stage: the failed stage, or NULL where the sentence names it.
 * core_failure_name() makes it the token's failure; its caller owns the slot, and holds the lock if the slot
 * is in flight. */
void core_failure_describe(const struct core_slot *slot, const char *stage, int32_t status,
                           struct base_failure *failure);
void core_failure_name(struct core_slot *slot, const char *stage, int32_t status);

/* Notes that a token failed: keeps the first cause, and stops as the failure mode says. With the lock.
 * on_device: streams may have failed. */
void core_failure_note(struct core_slot *slot, bool on_device);

/* Enqueues a slot that is ENQUEUING; the caller flushes it. Holds enqueue_lock, not lock. A failure is kept
 * in the slot. */
void core_failure_enqueue(struct core_slot *slot);

/* Drops tokens in flight: all, or those marked as cancelled. With the lock, by the leader or while there is
 * none. */
void core_failure_drop(struct core_pipeline *pipeline, bool all);

/* Recovers from failed streams so that tokens can go on: waits for all work on the device, decides which
 * token was the cause, replaces the streams, and enqueues again the tokens that only failed with it. By the
 * leader, without the lock. TRM_OK; TIMEOUT when it was interrupted or not done by the deadline; or why
 * recovery is impossible. */
int32_t core_failure_recover(struct core_pipeline *pipeline, uint64_t deadline);

/* The same before something begins, when no failure may be left behind. With the lock, released meanwhile. */
int32_t core_failure_clean(struct core_pipeline *pipeline, uint64_t deadline);

/* ---- loader.c, run.c, cancel.c -------------------------------------------------------------- */

/* Fills a slot that is LOADING from the source of the run and returns the source's answer. A failure is kept
 * in the slot. */
int32_t core_load(struct core_slot *slot);

/* Start the loaders of a run; wait for their end, with the lock. core_loaders_join() returns false at the
 * deadline. */
int32_t core_loaders_start(struct core_pipeline *pipeline);
bool core_loaders_join(struct core_pipeline *pipeline, uint64_t deadline);

/* Handles a slot for which the source did not return TRM_OK. With the lock. */
void core_load_dispose(struct core_slot *slot, int32_t answer);

/* A free slot for the source of the run. NULL: nothing more is to be loaded (has_ended), or none is free.
 * With the lock. */
struct core_slot *core_load_pop(struct core_pipeline *pipeline, bool *has_ended);

/* Loads and submits while slots are free, in a run without loaders. Without the lock. */
void core_run_fill(struct core_pipeline *pipeline);

/* Calls the sink of the run for a slot in state SINK. Without the lock. */
void core_run_consume(struct core_slot *slot);

/* Ends a run that is stopped or complete. With the lock, released meanwhile. TRM_OK or TIMEOUT. */
int32_t core_run_finish(struct core_pipeline *pipeline, uint64_t deadline);

/* Makes all waiting calls return and drops all tokens in flight. With the lock. */
void core_cancel(struct core_pipeline *pipeline);

#endif
