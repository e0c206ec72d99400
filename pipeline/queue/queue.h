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
 *     states.c     what observers see            members.c           which device gets a token
 *     fresh.c      tokens dropped for newer ones  group_pipeline.c   pipelines of groups
 *     order.c      stages in another order       token_fd.c          descriptors for event loops
 *     ahead.c      tokens read ahead of the slots   join.c       shared ports that several devices write
 *
 * A slot is in exactly one state. pipeline_queue_move() alone changes it, checks that the move is legal, and
 * counts. Two lists go through slot->next: the free slots, and `ordered`: those submitted and ended, in the
 * order of submission.
 *
 * Leader and followers: of all threads that want results, one at a time is the leader (has_leader). The
 * leader alone removes slots from `ordered`, so it may look at them and wait for one without the lock. The
 * others sleep until it has its result. A cancel from another thread only marks tokens; the leader drops them
 * when it looks next, within PIPELINE_SLICE_NS.
 *
 * A thread that waits for the device blocks in pipeline_slot_wait() (on the cpu it runs queued work
 * meanwhile), which only the device wakes, so it waits in slices. A thread that waits for what else may come
 * first (a free slot beside dropped tokens, the newest result of several devices, a result of an UNORDERED
 * pipeline) sleeps in pipeline_watch(), which a change of the queues ends too. All other waits are on
 * condition variables.
 *
 * The lock is pipeline->lock; pipeline->enqueue_lock comes before it (engine.h).
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_QUEUE_QUEUE_H
#define PIPELINE_QUEUE_QUEUE_H

#include <stdbool.h>

#include "pipeline/engine/engine.h"
#include "pipeline/estimate/estimate.h"
#include "pipeline/queue/ahead.h"
#include "pipeline/queue/join.h"
#include "pipeline/queue/source.h"

/* How late a thread that waits for the device notices a cancel. */
#define PIPELINE_SLICE_NS 50000000u
/* How long a run that was cancelled, or whose tokens timed out, still waits for the device. */
#define PIPELINE_HURRY_NS 90000000u

enum pipeline_slot_state {
    PIPELINE_SLOT_FREE      = 0,
    PIPELINE_SLOT_HELD      = 1, /* acquired by the program */
    PIPELINE_SLOT_LOADING   = 2, /* a source fills it */
    PIPELINE_SLOT_FILLED    = 3, /* waits for its turn to be enqueued */
    PIPELINE_SLOT_ENQUEUING = 4, /* being enqueued by the thread that holds enqueue_lock */
    PIPELINE_SLOT_SUBMITTED = 5,
    PIPELINE_SLOT_ENDED     = 6, /* its work has ended, well or badly (slot->failure) */
    PIPELINE_SLOT_SINK      = 7,
    PIPELINE_SLOT_OUT       = 8, /* with the program until it is released */
    PIPELINE_SLOT_ABANDONED = 9, /* its token was dropped, but its work may still run */
    PIPELINE_SLOT_STATES    = 10,
};

enum pipeline_queue_mode {
    PIPELINE_SERVING = 0, /* acquire and submit */
    PIPELINE_RUNNING = 1, /* trm_pipeline_run() */
    PIPELINE_STARTED = 2, /* trm_pipeline_start() */
};

enum pipeline_queue_stop {
    PIPELINE_GOING    = 0,
    PIPELINE_DRAINING = 1, /* no token is begun */
    PIPELINE_STOPPED  = 2, /* and tokens in flight are dropped */
};

/* Whether failed streams have to be replaced before anything is enqueued. */
enum pipeline_queue_dirty {
    PIPELINE_CLEAN       = 0,
    PIPELINE_DIRTY       = 1, /* yes, and the token that caused it is in flight */
    PIPELINE_DIRTY_KNOWN = 2, /* yes, and that token is gone */
};

/* Results of pipeline_next() besides statuses. */
#define PIPELINE_NEXT_FILL 100   /* nothing is in flight, and the caller could load */
#define PIPELINE_NEXT_FAILED 101 /* a token failed; `failure` says why */

/* What the queues know of a slot; under the lock. */
struct pipeline_queue_entry {
    void *output;      /* memory of a memory sink for it */
    int32_t answer;    /* FILLED: what the source returned */
    bool is_cancelled; /* the token is dropped at the next look */
    bool is_final;     /* its failure is its own, or cannot be recovered from */
    bool is_late;      /* it came out after its deadline */
    bool has_reaper;   /* ABANDONED: a thread waits for it */
    uint64_t number;   /* of its token among those of its device */
    /* SUBMITTED: not flushed yet; the thread that runs the pipeline flushes it before it waits */
    bool is_held_back;
    bool is_overdue; /* ABANDONED: it timed out, so no run waits for it */
    /* A thread reads the times of the slot's last token; the next one may be filled, but not enqueued.
     * Survives pipeline_queue_pop(). */
    bool is_being_read;
    struct core_signal *signals; /* of its token, until it comes out or is dropped */
    uint32_t watched;            /* how often threads slept in pipeline_watch() for its token */
};

struct pipeline_slot_list {
    struct pipeline_slot *first, *last;
};

/* What the queues know of a device; under the lock. What each token looks at comes first, so that it is in
 * one or two lines of the cache. */
struct pipeline_queue_member {
    struct pipeline_slot_list free;
    /* What the estimate says in whole nanoseconds, so that a token chooses its device without computing it
     * anew: when a token would end that the device gets now, and what each token that it has adds to it */
    uint64_t ahead, step;
    uint32_t in_use; /* slots that are not free */
    bool is_lost;
    bool is_known;  /* the estimate is */
    uint64_t given; /* tokens that it got so far */
    /* base_now() when a token was first given to another device while this one had none; 0: it has some */
    uint64_t idle_since;
    uint32_t adopted;                  /* slots that the queues know of */
    struct pipeline_estimate estimate; /* of a token; several members only */
};

/* Whether tokens stay on one device, although there are others (members.c). */
struct pipeline_stay {
    bool is_on;
    uint32_t member; /* where they stay */
    /* 32 more for a token for which the run's thread had to wait, 1 less for one that had ended; 0 to 128 */
    uint32_t late;
    uint32_t rest;     /* tokens until they may stay again */
    uint32_t patience; /* what `rest` is next */
    uint32_t lasted;   /* tokens since the last stay began */
};

/* The last decision about devices that the log has not been told of (pipeline_members_tell()). */
enum pipeline_news_kind {
    PIPELINE_NEWS_NONE,
    PIPELINE_NEWS_STAY,   /* tokens stay on the device, and the others are left out */
    PIPELINE_NEWS_SPREAD, /* tokens go to all devices again, and not to this one alone */
    PIPELINE_NEWS_ANEW,   /* the device was left out for long, and is measured again */
};

struct pipeline_news {
    enum pipeline_news_kind kind;
    uint32_t member;
};

/* A thread that waits for slots to end and for changes of the queues; on its stack. */
struct pipeline_watch {
    struct core_waiter *waiter;
    struct pipeline_watch *next;
};

struct pipeline_queue {
    struct pipeline_queue_entry entries[PIPELINE_DEPTH_MOST];
    struct pipeline_queue_member members[PIPELINE_MEMBERS_MOST];
    uint32_t slots_in[PIPELINE_SLOT_STATES]; /* number of slots in each state */
    uint32_t depth;                          /* slots that the queues know of, on all devices */
    struct pipeline_slot_list ordered;
    uint32_t slots_in_use;     /* of a source: the most without those with the program or the sink; 0: all */
    bool is_of_first;          /* these are the first slots, with the sink too, and the others rest */
    uint32_t slots_rest;       /* tokens of a source until the engine is asked for that number again */
    uint64_t next_index;       /* of the token acquired next */
    uint64_t repeated;         /* tokens of the run that a lost device left to another one */
    uint64_t spread_tokens;    /* … on which all devices worked at once, and which came out */
    uint32_t choices;          /* of a device so far */
    struct pipeline_stay stay; /* in the choices of a run */
    struct pipeline_news news;
    struct base_failure fault; /* an illegal move */

    _Atomic int32_t mode; /* enum pipeline_queue_mode; also read without the lock */
    int32_t stop;         /* enum pipeline_queue_stop */
    bool is_told;         /* STARTED: trm_pipeline_next() has returned `cause` */
    bool is_over;         /* SERVING: what was started has ended, and nothing else has begun */
    bool is_closing;
    struct base_failure cause; /* why `stop` is not GOING */
    uint32_t epoch;            /* cancels so far; waiting threads compare it */
    uint64_t cancelled_at;
    bool was_cancelled;        /* since the run began: tokens may be marked */
    uint64_t load_ns, sink_ns; /* time of the source and the sink for the last token */
    /* The same, for the decision whether to measure how long the thread runs. */
    _Atomic uint64_t load_took, sink_took;
    bool has_declared_branches;         /* the program declared stages without an order */
    struct pipeline_report_facts facts; /* of the last run; without words and times */
    bool has_leader;
    bool has_held_back; /* a token may be held back */
    int32_t dirty;      /* enum pipeline_queue_dirty */
    bool is_growing;    /* a thread creates another slot */
    /* a thread changes the order of the stages: all slots are free, and no token begins */
    bool is_changing;

    /* A run. */
    struct pipeline_source source;
    struct pipeline_sink sink;
    bool has_source_ended; /* nothing more is loaded */
    uint64_t end_index;    /* the lowest index at which the source returned END */
    bool is_filling;       /* a thread calls the source, in a run without loaders */
    bool is_finishing;     /* a thread ends the run */
    uint32_t calm;         /* tokens since another thread took a lock from the one that runs the pipeline */
    uint32_t calm_enough;  /* so many, and the locks favour that thread; 0: they cannot */
    struct pipeline_calling *calling; /* of the thread of a run without loaders; else NULL */
    bool is_engine_open; /* pipeline_engine_begin() was called and pipeline_engine_end() was not */
    bool times_all;      /* the source and the sink are timed for every token */
    uint32_t workers;    /* loaders of this run */
    uint32_t working;    /* loaders that have not ended */
    pthread_t worker_threads[PIPELINE_DEPTH_MOST];
    struct pipeline_slot *filled[PIPELINE_DEPTH_MOST]; /* by index % PIPELINE_DEPTH_MOST */
    uint64_t turn;                                     /* the index to be submitted next */
    bool is_submitting;                                /* a loader submits filled slots */
    bool has_feeder; /* a thread beside the loaders that hands over what they read ahead */
    pthread_t feeder_thread;
    struct pipeline_ahead ahead;
    struct pipeline_ahead_facts ahead_facts; /* of this run, or the last one */

    /* Numbers of sleeping threads, so that none is woken in vain. */
    uint32_t free_waiters, change_waiters, leader_waiters, quiet_waiters;
    struct base_condition freed; /* a slot is free, or none will be */
    /* a token was submitted, the source ended, the pipeline stopped */
    struct base_condition changed;
    struct base_condition leader_left; /* there is no leader */
    struct base_condition quiet;       /* a slot came back, a loader ended, a run ended */

    struct pipeline_watch *watches; /* of threads that wait for the device and for changes here */
    uint32_t wakes;                 /* calls of pipeline_queue_wake_…() so far */

    struct pipeline_shared shared; /* several members only; large, and rarely used */
};

/* Whether fewer slots than there are may be in use at once. */
static inline bool pipeline_queue_is_limited(const struct pipeline_queue *queue)
{
    return queue->slots_in_use != 0;
}

static inline struct pipeline_queue_entry *pipeline_queue_entry(const struct pipeline_slot *slot)
{
    return &slot->front->queue->entries[slot->number];
}

/* slot->place: the state in the low bits, the token's index above. */
#define PIPELINE_STATE_BITS 4
#define PIPELINE_PLACE(state, token) ((uint64_t)(token) << PIPELINE_STATE_BITS | (uint64_t)(state))

static inline int32_t pipeline_place_state(uint64_t place)
{
    return (int32_t)(place & ((1u << PIPELINE_STATE_BITS) - 1));
}

static inline uint64_t pipeline_place_token(uint64_t place)
{
    return place >> PIPELINE_STATE_BITS;
}

static inline int32_t pipeline_slot_state(const struct pipeline_slot *slot)
{
    return pipeline_place_state(atomic_load_explicit(&slot->place, memory_order_relaxed));
}

/* A source or sink that takes longer is asked how long its thread ran, which costs half a microsecond. */
#define PIPELINE_LONG_END_NS 100000u

/* In a run whose report has no times, the source and the sink are timed for one token of so many, to know
 * whether they are quick. */
#define PIPELINE_TIMED_EACH 32u

/* Whether the source and the sink of the run are timed for the token; reading the clock takes an eighth of a
 * short token's time. */
static inline bool pipeline_queue_is_timed(const struct pipeline_slot *slot)
{
    return slot->front->queue->times_all || slot->token.index % PIPELINE_TIMED_EACH == 0;
}

/* ---- pipeline.c, report.c, queue.c: the object ---------------------------------------------- */

/* Copies a descriptor of any version. Errors: INVALID_ARGUMENT. */
int32_t pipeline_desc_copy(struct trm_pipeline_desc *own, const struct trm_pipeline_desc *given);

/* Makes a pipeline on the devices of `places`, at most 16, whose descriptors differ in kernels and buffers
 * alone, and are those of `group` (NULL: there is one). The caller has entered the devices. Errors: as of
 * trm_pipeline_create(). */
int32_t pipeline_create(const struct pipeline_place *places, uint32_t count, struct trm_group *group,
                        struct trm_pipeline **pipeline);

/* Enters the pipeline behind a handle; leave with core_object_leave(). NULL after setting the last error. */
struct pipeline *pipeline_enter(struct trm_pipeline *handle);

/* The report of a pipeline with prediction and advice. Takes the lock. */
void pipeline_queue_report(struct pipeline *pipeline, struct trm_report *report);

/* Tokens that were repeated or spread, and joins, are counted from 0 again. The pipeline's lock is held. */
void pipeline_queue_forget_counts(struct pipeline *pipeline);

int32_t pipeline_queue_create(struct pipeline *pipeline);
void pipeline_queue_destroy(struct pipeline *pipeline);

/* Cancels, and waits until only the queues have slots. Errors: DEADLOCK inside a callback of the pipeline. */
int32_t pipeline_queue_close(struct pipeline *pipeline);

/* ---- queue.c: with the lock, unless stated otherwise ---------------------------------------- */

/* Changes the state of a slot, whose token stays. An illegal move becomes queue->fault, and the state
 * stays. */
void pipeline_queue_move(struct pipeline_slot *slot, int32_t state);

void pipeline_list_append(struct pipeline_slot_list *list, struct pipeline_slot *slot);
void pipeline_list_remove(struct pipeline_slot_list *list, struct pipeline_slot *slot);

/* A free slot for a new token, moved to `state` with the next index. NULL: none is free, or those that are
 * free would end the token later than the device that is waited for (members.c). */
struct pipeline_slot *pipeline_queue_pop(struct pipeline *pipeline, int32_t state);

/* The first free slot of a device, moved to `state` for the token `index`. */
struct pipeline_slot *pipeline_queue_take(struct pipeline *pipeline, uint32_t member, int32_t state,
                                          uint64_t index);

/* Frees a slot whose token is gone and whose work has ended. */
void pipeline_queue_free(struct pipeline_slot *slot);

/* Adds new slots of the engine to the free ones. */
void pipeline_queue_adopt(struct pipeline *pipeline);

/* The slot of a token that the program returns; NULL: not a token of this pipeline. Does not read `token`. */
struct pipeline_slot *pipeline_queue_find(const struct pipeline *pipeline, const struct trm_token *token);

/* The times of a token that has ended. Without the lock. has_run: it was on the device. */
void pipeline_queue_times(struct pipeline_slot *slot, int32_t status, bool has_run,
                          struct pipeline_token_times *times);

/* Note a token's end in the measure, once for each; pipeline_queue_retire() also frees its slot, whose work
 * has ended. */
void pipeline_queue_note(struct pipeline_slot *slot, const struct pipeline_token_times *times);
void pipeline_queue_retire(struct pipeline_slot *slot, int32_t status, bool has_run);

/* Adds a slot on the device of a member, while queue->is_growing is false. With the lock, released meanwhile.
 * Errors: no memory for it. */
int32_t pipeline_queue_grow(struct pipeline *member);

/* Frees the slot of a token that was consumed, notes its times, and adds a slot if that helps. Without the
 * lock, which it takes and keeps. */
void pipeline_queue_finish(struct pipeline_slot *slot);

/* Waits until the times of the slot's last token were read. With the lock, released meanwhile. */
void pipeline_queue_wait_read(struct pipeline_slot *slot);

/* Slots that are neither free nor with the program. */
uint32_t pipeline_queue_in_flight(const struct pipeline_queue *queue);

void pipeline_queue_wake_free(struct pipeline_queue *queue);
void pipeline_queue_wake_changed(struct pipeline_queue *queue);
void pipeline_queue_wake_all(struct pipeline_queue *queue);

/* ---- members.c ------------------------------------------------------------------------------ */

static inline struct pipeline_queue_member *pipeline_queue_member(const struct pipeline_slot *slot)
{
    return &slot->front->queue->members[slot->pipeline->member];
}

/* The device gets a token, or has one less. With the lock. */
static inline void pipeline_member_take(struct pipeline_queue_member *member)
{
    member->in_use++;
    member->ahead += member->step;
    member->idle_since = 0;
}

static inline void pipeline_member_free(struct pipeline_queue_member *member)
{
    member->in_use--;
    member->ahead -= member->step;
}

/* The device that would end the next token first. PIPELINE_MEMBERS_MOST: there is no free slot, or (only
 * where may_wait) a device without a free slot is the best. With the lock. */
uint32_t pipeline_members_choose(const struct pipeline *pipeline, bool may_wait);

/* A run begins: what devices do in time is not known. With the lock. */
void pipeline_members_forget_stay(struct pipeline *pipeline);

/* The thread that does everything in a run on several devices has waited for the oldest token, which had
 * ended when it came to wait (in_time) or not, and has not failed. Once for each token. With the lock. */
void pipeline_members_note_wait(struct pipeline *pipeline, bool in_time);

/* Logs the news. A program's log may ask for a report, so the lock is released meanwhile. */
void pipeline_members_tell(struct pipeline *pipeline);

/* Learns from the times of a token that came out. With the lock. */
void pipeline_members_learn(const struct pipeline_slot *slot, const struct pipeline_token_times *times);

/* Whether a token that failed with its device can be repeated on another one. By the owner of the slot, with
 * the lock. pipeline_members_repeat() does so, by the leader, with the lock, released meanwhile; the token
 * then is in another slot of `ordered`. False: there is no memory for another slot, and the failure is
 * final. */
bool pipeline_members_can_repeat(const struct pipeline_slot *slot);
bool pipeline_members_repeat(struct pipeline_slot *slot);

/* The same as for an engine (engine.h), for all engines of a pipeline. A device that is lost ends the
 * pipeline only when no other is left. */
void pipeline_members_begin(struct pipeline *pipeline, const struct trm_source *source,
                            const struct trm_sink *sink);
void pipeline_members_end(struct pipeline *pipeline);
int32_t pipeline_members_recover(struct pipeline *pipeline);

/* ---- wait.c --------------------------------------------------------------------------------- */

/* What the calling thread does for a pipeline; on its stack. */
struct pipeline_calling {
    const struct pipeline *pipeline;
    bool is_enqueuing; /* in a shape function, under enqueue_lock */
    struct pipeline_calling *outer;
};

void pipeline_calling_push(struct pipeline_calling *inside, const struct pipeline *pipeline,
                           bool is_enqueuing);
void pipeline_calling_pop(const struct pipeline_calling *inside);

/* TRM_OK, or DEADLOCK when the calling thread is inside a source, sink, stage or shape function of this
 * pipeline. */
int32_t pipeline_calling_check(const struct pipeline *pipeline, const char *call);

/* The same for calls that only take enqueue_lock: DEADLOCK inside shape functions. */
int32_t pipeline_calling_check_enqueue(const struct pipeline *pipeline, const char *call);

/* Sleeps, with the lock, until woken (true) or until a deadline (false). */
bool pipeline_sleep(struct pipeline *pipeline, const struct base_condition *condition, uint32_t *waiters,
                    uint64_t deadline);

/* The earlier of a deadline and the end of a slice that begins now. */
uint64_t pipeline_slice(uint64_t deadline);

/* Sleeps until one of the slots has ended, or the queues have changed since queue->wakes was `seen`, or until
 * a deadline. With the lock, released meanwhile. False: it could not, and the caller waits in slices. */
bool pipeline_watch(struct pipeline *pipeline, struct pipeline_slot *const *slots, uint32_t count,
                    uint32_t seen, uint64_t deadline);

/* Frees abandoned slots whose work has ended, and returns their number. With the lock, released meanwhile.
 * Unless `deadline` is 0 it waits for one of them, until a deadline or a change of the queues at most. */
uint32_t pipeline_reap(struct pipeline *pipeline, uint64_t deadline);

/* The same, but the end of one of `others` ends the wait, too. */
uint32_t pipeline_reap_beside(struct pipeline *pipeline, struct pipeline_slot *const *others,
                              uint32_t other_count, uint64_t deadline);

/* Make the calling thread the leader, or no longer. pipeline_leader_claim() waits, with the lock: TRM_OK or
 * TIMEOUT. */
int32_t pipeline_leader_claim(struct pipeline *pipeline, uint64_t deadline);
void pipeline_leader_leave(struct pipeline *pipeline);

/* ---- next.c --------------------------------------------------------------------------------- */

/* The next token whose work has ended, moved to `state`. With the lock, released meanwhile. TRM_OK;
 * TRM_TOKEN_END; PIPELINE_NEXT_FILL; PIPELINE_NEXT_FAILED with `failure`; TIMEOUT, CANCELLED, BUSY or why
 * the pipeline has stopped. */
int32_t pipeline_next(struct pipeline *pipeline, int32_t state, uint64_t deadline,
                      struct pipeline_slot **slot, struct base_failure *failure);

/* The same for a run by one thread whose results come in order, while nothing else has to be heeded. NULL:
 * pipeline_next() does what is to be done. The first function says whether a run is such a one. */
bool pipeline_next_may_be_plain(const struct pipeline *pipeline);
struct pipeline_slot *pipeline_next_plain(struct pipeline *pipeline);

/* ---- fresh.c: with the lock, unless stated otherwise ----------------------------------------- */

/* Which tokens that have ended a thread does not drop although it wants a slot. */
enum pipeline_fresh_spare {
    PIPELINE_FRESH_SPARE_NEWEST        = 0, /* the newest of them, so that there is always a result */
    PIPELINE_FRESH_SPARE_BEFORE_OTHERS = 1, /* the newest, while tokens after it are in flight */
    PIPELINE_FRESH_SPARE_NONE          = 2,
};

/* Drops the oldest token that has ended, where the pipeline may drop tokens, no slot is free and no thread
 * waits for a result. False: no token was dropped. */
bool pipeline_fresh_make_room(struct pipeline *pipeline, enum pipeline_fresh_spare spare);

/* Sleeps until a slot may be free, or pipeline_fresh_make_room() may make one so, or until a deadline.
 * Released meanwhile. */
void pipeline_fresh_wait(struct pipeline *pipeline, uint64_t deadline);

/* Wakes threads that wait for a free slot where there may be a token to drop. */
void pipeline_fresh_wake(struct pipeline *pipeline);

/* Drops what is older than the newest token that has ended, where results are the latest ones. By the
 * leader. */
void pipeline_fresh_keep_latest(struct pipeline *pipeline);

/* Whether the deadline of a token has passed; is_expired: and the token is to be dropped, as it is not
 * enqueued yet. By the owner of the slot. */
bool pipeline_fresh_is_late(const struct pipeline_slot *slot);
bool pipeline_fresh_is_expired(const struct pipeline_slot *slot);

/* ---- serve.c -------------------------------------------------------------------------------- */

/* Enqueues a slot that is LOADING or FILLED. Without locks; takes the lock and keeps it. TRM_OK also when
 * that failed: the failure is reported at the token's turn. Only a token of the program (by_program) that
 * failed by itself is reported here, and is gone. CANCELLED, or why the pipeline has stopped: the token is
 * gone, too. */
int32_t pipeline_submit(struct pipeline_slot *slot, bool by_program);

/* ---- token_fd.c ----------------------------------------------------------------------------- */

/* Makes the descriptors of a slot's token readable, which has come out or was dropped. With the lock. */
void pipeline_token_signal(struct pipeline_slot *slot);

/* ---- failure.c ------------------------------------------------------------------------------ */

/* pipeline_failure_describe() turns the calling thread's last error, which was returned as `status`, into a
 * failure whose sentence begins with the token. stage: the failed stage, or NULL where the sentence names it.
 * pipeline_failure_name() makes it the token's failure; its caller owns the slot, and holds the lock if the
 * slot is in flight. */
void pipeline_failure_describe(const struct pipeline_slot *slot, const char *stage, int32_t status,
                               struct base_failure *failure);
void pipeline_failure_name(struct pipeline_slot *slot, const char *stage, int32_t status);

/* Notes that a token failed: keeps the first cause, and stops as the failure mode says. With the lock.
 * on_device: streams may have failed. */
void pipeline_failure_note(struct pipeline_slot *slot, bool on_device);

/* Enqueues a slot that is ENQUEUING; the caller flushes it. Holds enqueue_lock, not lock. A failure is kept
 * in the slot. */
void pipeline_failure_enqueue(struct pipeline_slot *slot);

/* Drops tokens in flight: all, or those marked as cancelled. With the lock, by the leader or while there is
 * none. */
void pipeline_failure_drop(struct pipeline *pipeline, bool all);

/* Recovers from failed streams so that tokens can go on: waits for all work on the device, decides which
 * token was the cause, replaces the streams, and enqueues again the tokens that only failed with it. By the
 * leader, without the lock. TRM_OK; TIMEOUT when it was interrupted or not done by the deadline; or why
 * recovery is impossible. */
int32_t pipeline_failure_recover(struct pipeline *pipeline, uint64_t deadline);

/* The same before something begins, when no failure may be left behind. With the lock, released meanwhile. */
int32_t pipeline_failure_clean(struct pipeline *pipeline, uint64_t deadline);

/* ---- loader.c, run.c, cancel.c -------------------------------------------------------------- */

/* Fills a slot that is LOADING from the source of the run, or from a place that was read ahead, and returns
 * the source's answer. A failure is kept in the slot. */
int32_t pipeline_load(struct pipeline_slot *slot, const struct pipeline_ahead_place *place);

/* Start the loaders of a run; wait for their end, with the lock. pipeline_loaders_join() returns false at the
 * deadline. */
int32_t pipeline_loaders_start(struct pipeline *pipeline);
bool pipeline_loaders_join(struct pipeline *pipeline, uint64_t deadline);

/* Handles a slot for which the source did not return TRM_OK. With the lock. */
void pipeline_load_dispose(struct pipeline_slot *slot, int32_t answer);

/* A free slot for the source of the run. NULL: nothing more is to be loaded (has_ended), or none is free.
 * With the lock. */
struct pipeline_slot *pipeline_load_pop(struct pipeline *pipeline, bool *has_ended);

/* Loads and submits while slots are free, in a run without loaders. With the lock, released meanwhile. */
void pipeline_run_fill(struct pipeline *pipeline);

/* Calls the sink of the run for a slot in state SINK. With the lock, released meanwhile. */
void pipeline_run_consume(struct pipeline_slot *slot);

/* Ends a run that is stopped or complete. With the lock, released meanwhile. TRM_OK or TIMEOUT. */
int32_t pipeline_run_finish(struct pipeline *pipeline, uint64_t deadline);

/* TRM_OK when a run may begin: the pipeline serves, and no token is with the program or in flight. With the
 * lock, released meanwhile. Errors: BUSY, CANCELLED. */
int32_t pipeline_run_may_begin(struct pipeline *pipeline);

/* Makes all waiting calls return and drops all tokens in flight. With the lock. */
void pipeline_cancel(struct pipeline *pipeline);

#endif
