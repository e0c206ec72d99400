/* The queues of a pipeline: which slot is with whom.
 *
 *     free ──acquire──> held ───submit──┐                                   ┌──> out ──release──> free
 *       └───a source──> loading ──────> filled ──> enqueuing ──> submitted ──> ended ──> sink ───> free
 *                                                                    └──> abandoned ────────────> free
 *
 * A slot is in exactly one place; core_queue_move() is the only one that changes it, knows which ways there are,
 * and counts. Two lists go through slot->next: the free ones, and those under way (`ordered`: submitted and ended, in
 * the order of submission).
 *
 * The taker. Of all threads that want results one at a time has the taker's part (`taking`): it alone takes slots out of
 * `ordered`, and so it may look at them and wait for one without the lock. Others sleep until it has what it wants. Who throws
 * tokens away from outside (a cancel) marks them; the taker does it when it looks next, at the latest after CORE_SLICE_NS.
 *
 * What waits for the device waits in core_slot_wait() (where the device is a processor, it works meanwhile), which
 * nothing but the device wakes: so it waits in slices. All other waiting is for a condition.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_QUEUE_QUEUE_H
#define PIPELINE_QUEUE_QUEUE_H

#include "pipeline/engine/engine.h"
#include "pipeline/queue/source.h"

#define CORE_SLICE_NS 50000000u /* how late a thread that waits for the device sees a cancel */
#define CORE_HURRY_NS \
    90000000u /* how long a run that was cancelled, or has tokens that took too long, still waits for the device */

enum core_slot_place {
    CORE_PLACE_FREE      = 0,
    CORE_PLACE_HELD      = 1, /* acquired by the program */
    CORE_PLACE_LOADING   = 2, /* a source fills it */
    CORE_PLACE_FILLED    = 3, /* a source or the program has; waits for its turn to be enqueued */
    CORE_PLACE_ENQUEUING = 4, /* is being put on the device; the thread that does holds enqueue_lock */
    CORE_PLACE_SUBMITTED = 5,
    CORE_PLACE_ENDED     = 6, /* its work has ended, well or badly (slot->failure) */
    CORE_PLACE_SINK      = 7,
    CORE_PLACE_OUT       = 8, /* taken by the program */
    CORE_PLACE_ABANDONED = 9, /* its token is gone, but its work may still run; nobody waits for it */
    CORE_PLACES          = 10,
};

enum core_queue_mode {
    CORE_SERVING = 0, /* acquire and submit */
    CORE_RUNNING = 1, /* trm_pipeline_run() */
    CORE_STARTED = 2, /* trm_pipeline_start() */
};

enum core_queue_stop {
    CORE_GOING    = 0,
    CORE_DRAINING = 1, /* no token is begun any more */
    CORE_STOPPED  = 2, /* and those under way are thrown away */
};

/* Have streams failed, that have to be replaced before anything else is enqueued? */
enum core_queue_dirty {
    CORE_CLEAN       = 0,
    CORE_DIRTY       = 1, /* yes, and the token that it came of is among those under way */
    CORE_DIRTY_KNOWN = 2, /* yes, and that token is gone */
};

/* What core_take() answers besides a token, its failure and what ended everything. */
#define CORE_TAKE_FILL 100   /* nothing is under way, and the caller could load */
#define CORE_TAKE_FAILED 101 /* a token failed, which is told by `failure` */

/* What the queues know of a slot; under the pipeline's lock. */
struct core_queue_entry {
    void *output;      /* where a memory sink wants it */
    int32_t answer;    /* FILLED: what the source said */
    int32_t cancelled; /* 1: to be thrown away when it is looked at next */
    int32_t is_final;  /* 1: its failure is its own, or cannot be mended */
    int32_t reaping;   /* ABANDONED: 1: a thread waits for it */
    int32_t
        held_back; /* SUBMITTED: 1: not flushed yet; the thread that runs the pipeline does it before it waits */
    int32_t overdue; /* ABANDONED: 1: it took too long, so that no run waits for it */
};

struct core_slot_list {
    struct core_slot *first, *last;
};

struct core_pipeline_queue {
    struct core_queue_entry entries[CORE_DEPTH_MOST];
    uint32_t places[CORE_PLACES]; /* slots in each */
    uint32_t depth;               /* slots that the queues know of */
    struct core_slot_list free, ordered;
    uint64_t next_index;       /* of the token acquired next */
    struct base_failure fault; /* of the queues themselves: an illegal move */

    _Atomic int32_t mode; /* enum core_queue_mode; read without the lock too */
    int32_t stop;         /* enum core_queue_stop */
    int32_t told;         /* STARTED: 1: trm_pipeline_next() has told `cause` */
    int32_t over;         /* SERVING: 1: what was started has ended, and nothing else has begun */
    int32_t closing;
    struct base_failure cause; /* why stop is not GOING */
    uint32_t epoch;            /* cancels so far: who waits compares */
    uint64_t cancelled_at;
    uint64_t load_ns, sink_ns; /* how long the source and the sink took for the last token */
    int32_t taking;
    int32_t dirty;   /* enum core_queue_dirty */
    int32_t growing; /* 1: a thread makes another slot */

    /* A run. */
    struct core_source source;
    struct core_sink sink;
    int32_t source_ended; /* 1: nothing is loaded any more */
    uint64_t end_index;   /* the lowest index for which the source answered END */
    int32_t filling;      /* 1: a thread without workers is at the source */
    int32_t finishing;    /* 1: a thread ends the run */
    int32_t engine_open;  /* 1: core_engine_begin() was called and core_engine_end() not yet */
    uint32_t workers;     /* loaders of this run */
    uint32_t working;     /* of them, those that have not ended */
    pthread_t worker_threads[CORE_DEPTH_MOST];
    struct core_slot *filled[CORE_DEPTH_MOST]; /* by index % CORE_DEPTH_MOST */
    uint64_t turn;                             /* the index to be submitted next */
    int32_t submitting;                        /* 1: a loader submits what is filled */

    /* Who sleeps, so that nobody is woken in vain. */
    uint32_t free_waiters, change_waiters, untaken_waiters, quiet_waiters;
    pthread_cond_t freed;   /* a slot is free, or none will be */
    pthread_cond_t changed; /* submitted, the source has ended, stopped … */
    pthread_cond_t untaken; /* nobody has the taker's part */
    pthread_cond_t quiet;   /* a slot has come back, a loader has ended, a run is over */
};

static inline struct core_queue_entry *core_queue_entry(const struct core_slot *slot)
{
    return &slot->pipeline->queue->entries[slot->index];
}

static inline int32_t core_slot_place(const struct core_slot *slot)
{
    return (int32_t)atomic_load_explicit(&slot->state, memory_order_relaxed);
}

/* ---- pipeline.c, report.c, queue.c: the object ------------------------------------------------------------- */

/* The pipeline behind a handle, entered; leave with core_object_leave(). NULL after setting the last error. */
struct core_pipeline *core_pipeline_enter(struct trm_pipeline *handle);

/* All of a pipeline's report, prediction and advice included. Takes the lock. */
void core_queue_report(struct core_pipeline *pipeline, struct trm_report *report);

int32_t core_queue_create(struct core_pipeline *pipeline);
void core_queue_destroy(struct core_pipeline *pipeline);

/* Cancel, and wait until no slot is with anybody but the queues. DEADLOCK inside a callback of the pipeline's. */
int32_t core_queue_close(struct core_pipeline *pipeline);

/* ---- queue.c: with the lock, unless it says otherwise ------------------------------------------------------- */

/* The only way from one place to another. An illegal one becomes queue->fault, and the slot stays. */
void core_queue_move(struct core_slot *slot, int32_t place);

void core_list_append(struct core_slot_list *list, struct core_slot *slot);
void core_list_remove(struct core_slot_list *list, struct core_slot *slot);

/* A free slot for a new token, moved to `place` and given its index; NULL: none is free. */
struct core_slot *core_queue_pop(struct core_pipeline *pipeline, int32_t place);

/* Its token is gone, and its work has ended. */
void core_queue_free(struct core_slot *slot);

/* Slots that have been made by the engine become free ones. */
void core_queue_adopt(struct core_pipeline *pipeline);

/* The slot of a token that the program gave us, NULL when it is none of this pipeline's. Does not look at what `token` points
 * to. */
struct core_slot *core_queue_find(const struct core_pipeline *pipeline, const struct trm_token *token);

/* The times of a token that has come to its end; without the lock. `submitted` 0: it was never on the device. */
void core_queue_times(struct core_slot *slot, int32_t status, int32_t submitted,
                      struct core_token_times *times);

/* Note a token's end in the measure, once for each; and free its slot, whose work has ended. */
void core_queue_note(struct core_slot *slot, const struct core_token_times *times);
void core_queue_retire(struct core_slot *slot, int32_t status, int32_t submitted);

/* A token is through and used: note it, free the slot, and let the depth grow if that helps. Without the lock. */
void core_queue_finish(struct core_slot *slot);

/* Slots that are neither free nor with the program. */
uint32_t core_queue_under_way(const struct core_pipeline_queue *queue);

void core_queue_wake_free(struct core_pipeline_queue *queue);
void core_queue_wake_changed(struct core_pipeline_queue *queue);
void core_queue_wake_all(struct core_pipeline_queue *queue);

/* ---- wait.c ------------------------------------------------------------------------------------------------- */

/* What the calling thread does for a pipeline just now; on its stack. */
struct core_calling {
    const struct core_pipeline *pipeline;
    int32_t enqueuing; /* 1: a shape function, under enqueue_lock */
    struct core_calling *outer;
};

void core_calling_push(struct core_calling *inside, const struct core_pipeline *pipeline, int32_t enqueuing);
void core_calling_pop(const struct core_calling *inside);

/* TRM_OK, or DEADLOCK when the calling thread is inside a source, sink, stage or shape of this pipeline. */
int32_t core_calling_check(const struct core_pipeline *pipeline, const char *call);

/* The same for calls that only take enqueue_lock: DEADLOCK inside shape functions. */
int32_t core_calling_check_enqueue(const struct core_pipeline *pipeline, const char *call);

/* Sleep, with the lock, until woken or until a deadline: then 0, else 1. */
int32_t core_sleep(struct core_pipeline *pipeline, pthread_cond_t *condition, uint32_t *waiters,
                   uint64_t deadline);

/* The earlier of a deadline and the end of a slice that begins now. */
uint64_t core_slice(uint64_t deadline);

/* Free abandoned slots whose work has ended. With the lock, which is let go meanwhile. When `deadline` is not 0 it waits for one
 * of them, for a slice at most. How many were freed. */
uint32_t core_reap(struct core_pipeline *pipeline, uint64_t deadline);

/* The taker's part. claim waits for it, with the lock: TRM_OK or TIMEOUT. */
int32_t core_taker_claim(struct core_pipeline *pipeline, uint64_t deadline);
void core_taker_leave(struct core_pipeline *pipeline);

/* ---- take.c ------------------------------------------------------------------------------------------------- */

/* The next token that is through, moved to `place`. Without the lock. TRM_OK; TRM_TOKEN_END; CORE_TAKE_FILL; CORE_TAKE_FAILED with
 * `failure`; TIMEOUT, CANCELLED, BUSY or why the pipeline has stopped. */
int32_t core_take(struct core_pipeline *pipeline, int32_t place, uint64_t deadline, struct core_slot **slot,
                  struct base_failure *failure);

/* ---- drive.c ------------------------------------------------------------------------------------------------ */

/* Put a slot that is LOADING or FILLED on the device. Without locks. TRM_OK also when that failed: it is told when it is the
 * token's turn; but the program's own token (by_program 1) that failed by itself is told here, and gone. CANCELLED, or why the
 * pipeline has stopped: the token is gone, too. */
int32_t core_submit(struct core_slot *slot, int32_t by_program);

/* ---- failure.c ---------------------------------------------------------------------------------------------- */

/* The calling thread's last error, which came back as `status`, with the slot's token put before its sentence. `stage`: which it
 * was in, or NULL where the sentence says so. core_failure_name() makes it the token's failure: who does holds the slot, and the
 * lock where it is under way. */
void core_failure_describe(const struct core_slot *slot, const char *stage, int32_t status,
                           struct base_failure *failure);
void core_failure_name(struct core_slot *slot, const char *stage, int32_t status);

/* With the lock: a token has failed. Keeps the first cause and stops what the mode says. on_device: 1: streams may have failed. */
void core_failure_note(struct core_slot *slot, int32_t on_device);

/* Put a slot that is ENQUEUING on the device; what is held back is the caller's to flush. Holds enqueue_lock, not lock. A failure is
 * kept in the slot. */
void core_failure_enqueue(struct core_slot *slot);

/* With the lock, and the taker's part or nobody having it: throw away those under way that are marked, or all. */
void core_failure_drop(struct core_pipeline *pipeline, int32_t all);

/* Streams have failed, and tokens are to go on: wait until everything on the device has ended, decide which token it was,
 * replace the streams, and put those that only failed with it on the device again. With the taker's part, without the lock.
 * TRM_OK; TIMEOUT when it was interrupted or not done by the deadline; or why it cannot be mended. */
int32_t core_failure_mend(struct core_pipeline *pipeline, uint64_t deadline);

/* The same for calls that begin something, where nothing may be left of what failed before. With the lock, which is let
 * go meanwhile. */
int32_t core_failure_clean(struct core_pipeline *pipeline, uint64_t deadline);

/* ---- loader.c, run.c, cancel.c ------------------------------------------------------------------------------ */

/* Fill a slot that is LOADING from the source of the run. Its answer; failures are kept in the slot. */
int32_t core_load(struct core_slot *slot);

/* Start the loaders of a run; and wait for them, with the lock, until a deadline: 0 when it came. */
int32_t core_loaders_start(struct core_pipeline *pipeline);
int32_t core_loaders_join(struct core_pipeline *pipeline, uint64_t deadline);

/* What becomes of a slot for which the source did not answer TRM_OK. With the lock. */
void core_load_dispose(struct core_slot *slot, int32_t answer);

/* A free slot for the source of the run; NULL when nothing more is to be loaded (`ended` 1) or none is free. With the lock. */
struct core_slot *core_load_pop(struct core_pipeline *pipeline, int32_t *ended);

/* Load and submit while there are free slots, for a run without loaders. Without the lock. */
void core_run_fill(struct core_pipeline *pipeline);

/* Call the sink of the run with a token that is with it. Without the lock. */
void core_run_consume(struct core_slot *slot);

/* End a run that is stopped or through. With the lock, which is let go meanwhile. TRM_OK or TIMEOUT. */
int32_t core_run_finish(struct core_pipeline *pipeline, uint64_t deadline);

/* With the lock: everything that waits returns, everything under way is thrown away. */
void core_cancel(struct core_pipeline *pipeline);

#endif
