/* The pool room: streams that are lent, and which one is lent next.
 *
 *     pool.c      a pool's life, statistics       lend.c      lending and taking back
 *     choose.c    strategies                      watch.c     which streams have work
 *     follow.c    tasks that come after others
 *     submit.c    tasks                           presume.c   ends that are not watched
 *     draw.c      streams for coordinators        lesson.c    what the ends of loans tell
 *     width.c     how many run side by side       trial.c     which strategy gets most done
 *     errand.c    tasks over groups, of others    stored_models.c  models that outlive the pool
 *     team.h      pools over groups of devices
 *
 * A slot has a stream or is empty. A call that creates or ends a slot's stream, enqueues a task on it or
 * takes it back puts the slot in transit. The slot then belongs to that call, which may call the backend
 * without the lock. pool->lock guards all other slots.
 *
 * When a stream is given back with work on it, the pool puts a watch of that loan into the slot's queue. A
 * notification costs the backend more than a small task, so the pool asks for few (it arms few watches): the
 * work of a stream ends in order, so one notification ends all watches before it in the queue. At most two
 * watches of a slot are armed at a time. When none is, a job on the service thread arms the last of the
 * queue, unless a call that must know earlier does so (below). A watch whose task is to be timed is armed by
 * itself, and notified of the task's beginning, too.
 *
 * A short kernel whose time the pool knows well is mostly not watched: the pool presumes that it ends when it
 * is predicted to. Calls that must know, those that want an idle stream and statistics, ask the backend first
 * (pipeline_pool_settle()). While a thread or a listener waits for a stream, the pool watches each loan and
 * arms each watch, since the service thread may be busy with a callback of the program. So the pool never
 * polls, and a choice asks no backend.
 *
 * Another room may draw a slot for one task. The pool calls the slot's owner when it knows that the task has
 * ended. While the end is only presumed, the owner asks for it when it has to know, and so do calls that wait
 * for a stream.
 *
 * On the host's own processors the pool watches each loan and arms each watch: there a notification is cheap,
 * since the thread that does the work sends it, and asking for one starts short work at once.
 *
 * Locks: backends notify under their own locks, so the pool calls no backend under pool->lock. It does call
 * listeners under it, which may post to the service.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_POOL_POOL_H
#define PIPELINE_POOL_POOL_H

#include <stdbool.h>
#include <trireme/stream_pool.h>

#include "base/base.h"
#include "core/device/device.h"
#include "core/stream/stream.h"
#include "pipeline/estimate/estimate.h"
#include "pipeline/model/model.h"
#include "pipeline/pool/stored_models.h"
#include "pipeline/pool/trial.h"

/* Samples after which a model is trusted; a quarter of them are of this pool, not of earlier runs. */
#define PIPELINE_POOL_KNOWN 8u

/* Nanoseconds between two notifications that came at once. */
#define PIPELINE_POOL_AT_ONCE 2000u

struct pipeline_stream_pool;
struct pipeline_pool_slot;

/* A watch: the work of one loan, whose end the pool has to know. */
struct pipeline_pool_watch {
    struct core_notification notification;
    struct core_notification begun;   /* what the task waits for is reached */
    struct pipeline_pool_watch *next; /* of the slot's queue, or of the spare ones */
    struct pipeline_stream_pool *pool;
    struct pipeline_pool_slot *slot;
    /* Notifications, and one while it is in the queue; the watch is spare when there is none. */
    uint32_t pending;
    bool is_queued;
    bool is_armed;                /* its notification has been asked for */
    bool is_sure;                 /* the end is predicted by a model that is trusted */
    bool is_predicted;            /* the end is predicted by a model */
    bool is_vague;                /* it is not known when the work began */
    uint64_t value;               /* the stream's last operation of the loan */
    uint64_t released;            /* base_now() when the stream was given back */
    uint64_t begun_at;            /* base_now() at `begun`; UINT64_MAX: not yet; 0: is not asked for */
    uint64_t operations;          /* of the loan, at least one */
    uint64_t predicted_end;       /* without the slot's `delay` of that time */
    struct pipeline_task_key key; /* of the task */
    double work;                  /* of a member's load */
    double least;                 /* the least time that such tasks have taken; 0: not known */
    uint64_t bytes;
    int32_t workload;
    struct pipeline_task_company company;
};

/* The latest tasks of a slot, whose predicted ends are remembered for tasks that come after them. */
#define PIPELINE_POOL_RECENT 4u

/* When an operation is predicted to end, without the slot's `delay` of that time; and the slot's `work`. */
struct pipeline_pool_mark {
    uint64_t value, end, work;
};

enum pipeline_pool_slot_state {
    PIPELINE_POOL_SLOT_EMPTY   = 0,
    PIPELINE_POOL_SLOT_FREE    = 1,
    PIPELINE_POOL_SLOT_LENT    = 2,
    PIPELINE_POOL_SLOT_TRANSIT = 3,
    PIPELINE_POOL_SLOT_DRAWN   = 4, /* lent to another room, which has enqueued its task */
};

/* A choice looks at the first few members of each. */
struct pipeline_pool_slot {
    enum pipeline_pool_slot_state state;
    uint32_t watches;           /* in the queue */
    uint64_t unwatched;         /* the last operation of loans that are not watched; 0: they have ended */
    struct core_stream *stream; /* holds a reference; changed under the lock, also in transit */
    struct pipeline_pool_listener *owner; /* of a slot that was drawn; else NULL */
    bool has_failed;                      /* a watch was told so */
    bool has_points;                      /* tasks ran on the stream, so the program may know points of it */
    int32_t workload;                     /* of its last work; FOUND: not known */
    uint64_t predicted_end;               /* base_now() when its work will have ended; 0 when it has */
    uint64_t spread;   /* of the times from which that is predicted: the largest of its tasks */
    uint64_t lent;     /* the number of its last loan */
    uint64_t seen;     /* the last operation when the stream was last given back */
    uint64_t last_end; /* when the work of the last loan that was watched ended */
    uint32_t armed;    /* of the watches, those that wait for a notification */
    uint32_t unsure;   /* of the watches, those whose end no model predicts */
    struct pipeline_pool_watch *first, *last; /* the queue, in the order of the stream */
    uint64_t stamped;                         /* the last operation for which a notification was asked */
    uint64_t delay; /* by how much later than predicted the watches in the queue end; wraps below 0 */
    uint64_t work;  /* the sum of the least times of all its tasks; wraps */
    uint32_t marks; /* written so far */
    struct pipeline_pool_mark recent[PIPELINE_POOL_RECENT]; /* a ring */
};

/* A listener belongs to a room that draws streams. The pool calls it once when a stream may be available that
 * pipeline_pool_draw() did not find, and when it knows that the work of a drawn stream has ended. */
struct pipeline_pool_listener {
    /* On any thread, under pool->lock and perhaps a lock of the backend's. */
    void (*called)(struct pipeline_pool_listener *listener);
    void *owner;
    struct pipeline_pool_listener *next;
    bool is_listening;
};

struct pipeline_pool_team;

struct pipeline_stream_pool {
    struct core_object object;
    struct pipeline_pool_team
        *team;                  /* of a pool over a group, which does not use the members below; else NULL */
    bool is_member;             /* of such a pool */
    bool is_part;               /* of an object of the program, which counts for it */
    struct core_device *device; /* holds a reference */
    int32_t strategy, role, priority;
    uint32_t stream_flags;           /* enum core_stream_flags */
    const char *const *stream_names; /* static: of low, normal and high priority */
    uint32_t least, most;
    uint32_t slot_count;   /* in use: `most`, with TRM_STREAM_PRIORITY for each priority, the lowest first */
    uint32_t queues;       /* TRM_DEVICE_QUEUES; 0: the device does not tell */
    uint32_t side_by_side; /* streams of the device, as measured; 0: not known */
    /* Tasks that the device runs at once: while so many streams have work, a task on an idle stream ends no
     * sooner. The number of the host's processors; of other devices, `most`. */
    uint32_t at_once;
    bool is_host;    /* the device is processors of the host */
    bool holds_back; /* TRM_STREAM_PRIORITY on a device without priorities */

    struct base_lock lock; /* guards all below, but `epoch` for sleepers */
    bool is_closing;       /* nothing is lent any more */
    bool is_ending;        /* a call ends the streams */
    uint32_t streams, lent;
    uint32_t
        transits;  /* slots in transit, the job while it is posted, and calls that ask the backend for ends */
    uint32_t turn; /* the slot that strategies with turns look at first */
    /* Slots as bits: bit i is slot i (pipeline_pool_note_locked()). */
    uint64_t free_slots; /* PIPELINE_POOL_SLOT_FREE */
    uint64_t idle_slots; /* of these, those whose work is known to have ended */
    uint64_t used_slots; /* that have a stream and are not idle */
    uint32_t used;       /* as many */
    uint32_t sleepers;   /* threads that wait for `epoch` */
    uint32_t users;      /* coordinators that draw streams from it */
    struct pipeline_pool_listener *listeners;
    /* In the last `window` loans: the most streams that had work or were lent at once. */
    uint32_t window, peak;
    struct pipeline_pool_watch *spare;
    struct core_service *service; /* the context's; NULL: not needed yet */
    struct core_job job;          /* arms watches */
    bool is_posted;
    struct pipeline_estimate operation;
    struct pipeline_load load; /* of a member */
    uint64_t samples;
    struct pipeline_task_models models;
    struct pipeline_pool_trial trial; /* of TRM_STREAM_AUTO */
    int32_t told_strategy;            /* its best one, as the log was told */
    struct pipeline_task_workloads workloads;
    struct pipeline_pool_stored *stored; /* NULL: nothing is stored between runs */
    struct trm_stream_pool_stats stats;  /* the counters; `loans` also numbers loans, so none is ever reset */
    struct trm_stream_pool_stats since;  /* their values at trm_stream_pool_reset_stats() */
    /* Failed streams that points name; the oldest ends when there is no place left. */
    struct core_stream *retained[TRM_STREAM_POOL_MOST];
    uint32_t retained_turn;
    _Atomic uint32_t epoch; /* a futex: grows when sleepers have to look again */
    struct pipeline_pool_slot slots[TRM_STREAM_POOL_MOST];
};

/* ---- pool.c --------------------------------------------------------------------------------- */

/* A checked copy of the descriptor; NULL: all members are 0. */
int32_t pipeline_pool_desc_copy(struct trm_stream_pool_desc *desc, const struct trm_stream_pool_desc *given);
/* The caller publishes the pool. is_stored: what it learns is read from the cache of the user, and stored
 * there. */
int32_t pipeline_pool_create(struct core_device *device, const struct trm_stream_pool_desc *desc,
                             bool is_stored, struct pipeline_stream_pool **pool);
/* From now on the pool is a part of another object, and not counted as one that the program has. */
void pipeline_pool_make_part(struct pipeline_stream_pool *pool);
/* Takes over the team, also when it fails. */
int32_t pipeline_pool_create_over(struct pipeline_pool_team *team, const struct trm_stream_pool_desc *desc,
                                  struct trm_stream_pool **pool);
/* Whether pipeline_pool_close() could end the pool now. */
int32_t pipeline_pool_check_close(struct pipeline_stream_pool *pool);
/* Lends no more streams; calls that wait for one fail. */
void pipeline_pool_begin_close(struct pipeline_stream_pool *pool);
/* Ends the streams. May be called again. Errors: BUSY, DEADLOCK. */
int32_t pipeline_pool_close(struct pipeline_stream_pool *pool);
void pipeline_pool_stats(struct pipeline_stream_pool *pool, struct trm_stream_pool_stats *stats);
void pipeline_pool_reset_stats(struct pipeline_stream_pool *pool);
/* Logs which strategy TRM_STREAM_AUTO has moved to. */
void pipeline_pool_tell_strategy(struct pipeline_stream_pool *pool);

/* ---- choose.c ------------------------------------------------------------------------------- */

/* What acquire() does next. */
enum pipeline_pool_step {
    PIPELINE_POOL_LEND    = 0, /* the slot's stream */
    PIPELINE_POOL_GROW    = 1, /* the slot is empty */
    PIPELINE_POOL_REPLACE = 2, /* the slot's stream has failed */
    PIPELINE_POOL_WAIT    = 3, /* there is no slot */
};

struct pipeline_pool_choice {
    enum pipeline_pool_step step;
    uint32_t index;
    uint32_t used; /* slots that are lent or have work */
};

/* What a stream is wanted for. */
struct pipeline_pool_request {
    int32_t priority; /* with TRM_STREAM_PRIORITY */
    bool wants_idle;
    bool wants_end;  /* its end is not presumed */
    bool only_tries; /* fails where it would have to wait for a slot */
    uint64_t timeout_ns;
    const struct trm_stream_task *task; /* NULL: a loan */
    struct pipeline_task_key key;       /* of the task */
    /* The stream's operation with which it has waited for what the task comes after; 0: it waits for
     * nothing. */
    uint64_t waited;
    /* Of a task of a pool over a group: when its data is there, and nanoseconds that it takes alone, as
     * predicted; 0: not known. */
    uint64_t ready_at;
    bool is_data_sure; /* that is known well enough */
    /* Of a coordinator's task: the ends of the tasks that it comes after are not known well enough. */
    bool is_after_vague;
    double work;
    uint64_t begun; /* base_now() before it was enqueued; 0: not of such a pool */
    /* Of a coordinator's task: its stream is lent, not in transit, and the call does not wait. */
    struct pipeline_pool_listener *listener;
};

/* Notes the state of a slot, after it has changed or the last work of a free slot has ended. */
static inline void pipeline_pool_note_locked(struct pipeline_stream_pool *pool,
                                             const struct pipeline_pool_slot *slot)
{
    uint32_t index   = (uint32_t)(slot - pool->slots);
    uint64_t bit     = UINT64_C(1) << index;
    uint64_t is_free = slot->state == PIPELINE_POOL_SLOT_FREE;
    uint64_t is_idle = is_free & ((slot->watches | slot->unwatched) == 0);
    uint64_t is_used = (slot->state != PIPELINE_POOL_SLOT_EMPTY) & !is_idle;
    pool->free_slots = (pool->free_slots & ~bit) | is_free << index;
    pool->idle_slots = (pool->idle_slots & ~bit) | is_idle << index;
    pool->used += (uint32_t)is_used - (uint32_t)(pool->used_slots >> index & 1);
    pool->used_slots = (pool->used_slots & ~bit) | is_used << index;
}

/* Notes how far off the prediction of a task may be that begins on the slot at `now` or later. */
static inline void pipeline_pool_note_spread_locked(struct pipeline_pool_slot *slot,
                                                    const struct pipeline_task_model *model, uint64_t now)
{
    uint64_t spread = model != NULL ? (uint64_t)model->time.spread : 0;
    if (slot->predicted_end <= now || slot->spread < spread)
        slot->spread = spread;
}

/* The priority of a slot's stream. */
int32_t pipeline_pool_priority(const struct pipeline_stream_pool *pool, uint32_t index);
/* Whether all work of the slot has ended at `now`, as known or presumed. */
bool pipeline_pool_slot_is_idle(const struct pipeline_pool_slot *slot, uint64_t now);
/* The strategy in use, which with TRM_STREAM_AUTO changes. */
int32_t pipeline_pool_strategy_locked(const struct pipeline_stream_pool *pool);
struct pipeline_pool_choice pipeline_pool_choose_locked(struct pipeline_stream_pool *pool,
                                                        const struct pipeline_pool_request *request);

/* ---- follow.c ------------------------------------------------------------------------------- */

/* Notes when the slot's last operation is predicted to end, which belongs to a task that takes `least`. */
void pipeline_pool_mark_locked(struct pipeline_pool_slot *slot, uint64_t value, double least);
/* Whether the task comes after the last operation of the slot's stream. */
bool pipeline_pool_is_followed(const struct pipeline_pool_slot *slot, const struct trm_stream_task *task);
/* The last operation of the slot's stream that the task comes after and that is not reached. False: there is
 * none. */
bool pipeline_pool_find_after(const struct pipeline_pool_slot *slot, const struct trm_stream_task *task,
                              struct pipeline_pool_mark *after);
/* Whether a task that comes after an earlier operation of the slot's stream stays there, behind all that the
 * stream has. takes: the least time of the task. other_free: when the best other stream is free. is_full: as
 * many streams have work as the device runs at once. */
bool pipeline_pool_stays(const struct pipeline_pool_slot *slot, const struct pipeline_pool_mark *after,
                         uint64_t takes, uint64_t other_free, bool is_full);

/* ---- lend.c --------------------------------------------------------------------------------- */

void pipeline_pool_enter_transit_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot);
void pipeline_pool_leave_transit_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                                        enum pipeline_pool_slot_state state);
/* Lends the stream that the strategy chooses, creates it if needed, and waits while none is available; if the
 * request only tries, *slot is NULL instead. The slot is lent; for a task it is in transit, and
 * pipeline_pool_take_back() takes it back. */
int32_t pipeline_pool_lend(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request,
                           struct pipeline_pool_slot **slot);
/* Waits until pipeline_pool_lend() would find a stream. Errors: INVALID_HANDLE. */
int32_t pipeline_pool_wait(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request);
/* Waits until the stream of a slot is given back, and lends it for a task. *slot is NULL where there is none,
 * or it has failed. Errors: INVALID_HANDLE. */
int32_t pipeline_pool_lend_slot(struct pipeline_stream_pool *pool, uint32_t index,
                                const struct pipeline_pool_request *request,
                                struct pipeline_pool_slot **slot);
void pipeline_pool_take_back(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                             const struct pipeline_pool_request *request);
bool pipeline_pool_has_stream(struct pipeline_stream_pool *pool, const struct trm_stream *stream);

/* ---- submit.c ------------------------------------------------------------------------------- */

/* Enqueues the request's task on a stream that was lent for it. */
int32_t pipeline_pool_enqueue(const struct pipeline_pool_slot *slot, struct pipeline_pool_request *request,
                              struct trm_point *point);

/* ---- width.c -------------------------------------------------------------------------------- */

/* How many streams of the pool's device run side by side: as known, or where `measures` and the setting allow
 * that, as measured now, which blocks; 0: not known. */
uint32_t pipeline_pool_width(struct pipeline_stream_pool *pool, bool measures);

/* ---- draw.c: for other rooms ---------------------------------------------------------------- */

/* Add and remove a user of a pool of the device, or over a group that has it; trm_stream_pool_destroy()
 * refuses to end a pool with users. Errors: WRONG_DEVICE, INVALID_HANDLE. */
int32_t pipeline_pool_attach(struct trm_stream_pool *handle, const struct core_device *device,
                             struct pipeline_stream_pool **pool);
void pipeline_pool_detach(struct pipeline_stream_pool *pool);

/* The devices of a pool: one, or those of its group. */
uint32_t pipeline_pool_devices(const struct pipeline_stream_pool *pool);
struct core_device *pipeline_pool_device(const struct pipeline_stream_pool *pool, uint32_t index);
/* The most streams that it has of one priority, on all devices. */
uint32_t pipeline_pool_capacity(const struct pipeline_stream_pool *pool);

/* Lends the idle stream that the strategy chooses for a task. Its owner enqueues the task, calls
 * pipeline_pool_drawn(), also after a failure, and later pipeline_pool_give_back(). Errors: TIMEOUT when no
 * stream is idle, and the pool calls the listener once one may be; those of core_stream_create(). */
int32_t pipeline_pool_draw(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                           struct pipeline_pool_listener *listener, struct pipeline_pool_slot **slot);
/* What the owner of a drawn slot knows of the end of its work. */
enum pipeline_pool_end {
    PIPELINE_POOL_END_TOLD,     /* the listener will be called */
    PIPELINE_POOL_END_PRESUMED, /* the owner asks when it has to know */
    PIPELINE_POOL_END_REACHED,
};

/* `request` has `task`, `waited` and `wants_end`, and says by `ready_at` and `is_after_vague` when it can
 * begin. *ends_at: base_now() when the work is presumed to end; 0: not known well enough. */
enum pipeline_pool_end pipeline_pool_drawn(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                                           struct pipeline_pool_request *request, uint64_t *ends_at);
/* Ends what pipeline_pool_draw() began: the work is enqueued, and the pool watches or presumes its end. */
enum pipeline_pool_end pipeline_pool_finish_draw(struct pipeline_stream_pool *pool,
                                                 struct pipeline_pool_slot *slot, uint64_t *ends_at);
/* Whether the work of a drawn slot has ended or failed. Asks the backend if the end is presumed. */
bool pipeline_pool_has_ended(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot);
/* The listener is called when the work of a drawn slot has ended, perhaps before this returns. */
void pipeline_pool_want_end(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot);
/* Does not call the backend. */
void pipeline_pool_give_back(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot);

void pipeline_pool_listen_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_listener *listener);
void pipeline_pool_tell_listeners_locked(struct pipeline_stream_pool *pool);
/* From now on the listeners are not called: one for each device of the pool. */
void pipeline_pool_unlisten(struct pipeline_stream_pool *pool, struct pipeline_pool_listener *listeners);

/* ---- errand.c: for other rooms, tasks on a pool over a group, whose data the pool brings ---------- */

struct pipeline_pool_errand {
    /* What it uses: handles of the group, or of one device. `enqueue`, where it has no kernel, tells kinds of
     * tasks apart. */
    const struct trm_stream_task *task;
    /* The next task that needs the errand's result: the errand prefers devices on which that task may run,
     * too. NULL: not known. */
    const struct trm_stream_task *next;
    struct pipeline_pool_listener *listeners; /* one for each device */
    bool wants_end;                           /* as in struct pipeline_pool_request */
    /* Both enqueue on the slot's stream. wait(): what the errand comes after, besides its data; sets
     * after_end. run(): its operations; `form` has the handles of the device. No function of the program is
     * called. */
    int32_t (*wait)(struct pipeline_pool_errand *errand);
    int32_t (*run)(struct pipeline_pool_errand *errand, const struct trm_stream_task *form);
    /* Set before wait(). The owner gives the slot back to the member, also after a failure. */
    struct pipeline_stream_pool *member;
    struct pipeline_pool_slot *slot; /* NULL: it got no stream */
    uint32_t device;
    /* When everything that its stream waits for, apart from its data, is presumed to be reached; 0: it waits
     * for nothing. */
    uint64_t after_end;
    bool is_after_vague;        /* that is not known well enough */
    enum pipeline_pool_end end; /* as pipeline_pool_drawn() returns it */
    uint64_t ends_at;           /* the same */
};

/* Chooses the device, draws an idle stream there (pipeline_pool_draw()), and runs the errand on it behind its
 * data. If that device is lost, another one gets the errand. Errors: TIMEOUT without a slot when no stream is
 * idle, and the pool calls the device's listener once one may be; DEVICE_LOST; those of wait() and run(). */
int32_t pipeline_pool_run_errand(struct pipeline_stream_pool *pool, struct pipeline_pool_errand *errand);

/* Calls `check` with the form of a task for one of the devices that may run it. Errors: as of
 * trm_stream_pool_submit(); those of `check`. */
typedef int32_t (*pipeline_pool_check_fn)(void *user, const struct trm_stream_task *form, uint32_t device);
int32_t pipeline_pool_check_errand(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                   pipeline_pool_check_fn check, void *user);

/* Whether the pool takes buffers of a group. */
bool pipeline_pool_is_over_group(const struct pipeline_stream_pool *pool);
/* Whether the buffer is one of a group. Else *devices is the device that has it: bit i is device i. Errors:
 * INVALID_HANDLE, WRONG_DEVICE. */
int32_t pipeline_pool_locate(const struct pipeline_stream_pool *pool, struct trm_buffer *buffer,
                             bool *is_of_group, uint32_t *devices);
/* Whether an argument of a kernel is a span of a buffer. */
bool pipeline_pool_has_span(const struct trm_argument *argument);
/* The buffer on a device, which may be NULL. Errors: WRONG_DEVICE. */
int32_t pipeline_pool_resolve(const struct pipeline_stream_pool *pool, uint32_t device,
                              struct trm_buffer *buffer, struct trm_buffer **one);

/* A wait for tasks of the pool begins and ends. DEADLOCK if the calling thread is in the function of a task
 * of a pool over the group, during which no errand runs; or in one of another group for which a thread of
 * this group waits. */
int32_t pipeline_pool_begin_wait(const struct pipeline_stream_pool *pool);
void pipeline_pool_end_wait(const struct pipeline_stream_pool *pool);
/* False if the calling thread is in the function of a task of a pool over any group: two such threads could
 * wait for each other's locks. */
bool pipeline_pool_may_run_errands(const struct pipeline_stream_pool *pool);

/* ---- watch.c -------------------------------------------------------------------------------- */

/* Takes a slot in transit back: predicts the end of its work, and watches or presumes it. `request` is what
 * the slot was lent for. The time for which a task waits for others does not count as its own. */
void pipeline_pool_watch(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                         const struct pipeline_pool_request *request);
/* Forgets work that was not watched, and is known to have ended by other means. */
void pipeline_pool_refresh_locked(struct pipeline_pool_slot *slot);
/* The last operation of the slot's work, if no notification tells of its end; else 0. */
uint64_t pipeline_pool_untold_locked(const struct pipeline_pool_slot *slot);
/* Asks whether such work of the slot's stream, up to `value`, has ended, well or badly. If so, the pool notes
 * it and tells the slot's owner, unless that is the caller. The caller holds a reference to the stream; other
 * threads may use the slot. */
bool pipeline_pool_find_ended(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                              struct core_stream *stream, uint64_t value, bool is_owner);
/* The same, and asks for the notification of work up to `value` or further that has not ended. */
void pipeline_pool_watch_rest(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                              struct core_stream *stream, uint64_t value);
/* Wakes the threads that wait for a stream. */
void pipeline_pool_wake_locked(struct pipeline_stream_pool *pool);
void pipeline_pool_free_watches(struct pipeline_stream_pool *pool);

/* ---- lesson.c ------------------------------------------------------------------------------- */

struct pipeline_pool_outlook;

/* The work of a watch begins; its data is there at `data_at`, which only pools over groups ask for. */
void pipeline_pool_begin_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch,
                                const struct pipeline_pool_outlook *outlook, uint64_t data_at);
/* The work of a watch, the first in the queue of its slot, has ended; not well where it is not good. */
void pipeline_pool_end_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                              uint64_t now, bool is_good);
/* Learns from the notification of a watch, which is in the queue still. */
void pipeline_pool_learn_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                                uint64_t now);
/* Learns from a task of a pool over a group that has ended already. A time that contains waits is a bound. */
void pipeline_pool_learn_ended(struct pipeline_stream_pool *pool,
                               const struct pipeline_pool_request *request);

/* ---- presume.c ------------------------------------------------------------------------------ */

/* What a model tells of a loan. */
struct pipeline_pool_outlook {
    struct pipeline_task_model *model; /* NULL: there is none */
    bool is_sure;      /* the model knows the time, and the pool knows when the task can begin */
    bool wants_sample; /* the time of this very task is to be measured */
    uint64_t ready_at; /* what it waits for is predicted to be reached then; 0: it waits for nothing */
};

/* Counts the loan as a task if it is one. */
struct pipeline_pool_outlook pipeline_pool_look_ahead_locked(struct pipeline_stream_pool *pool,
                                                             const struct pipeline_pool_slot *slot,
                                                             const struct pipeline_pool_request *request);
/* Whether tasks of the model are short, and their time is known well enough to presume their ends. */
bool pipeline_pool_is_trusted(const struct pipeline_task_model *model);
/* Whether pools of the device presume ends, and so ask for fewer notifications than there are loans. */
bool pipeline_pool_saves_notifications(struct core_device *device);
/* Whether the pool watches each loan and arms each watch. */
bool pipeline_pool_needs_each_end(const struct pipeline_stream_pool *pool);
/* True if the loan need not be watched; its end is then predicted. */
bool pipeline_pool_presume_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                                  const struct pipeline_pool_request *request,
                                  const struct pipeline_pool_outlook *outlook, uint64_t now);
/* Whether there are loans whose end is only presumed, or whose notification was not asked for. */
bool pipeline_pool_is_unsettled_locked(const struct pipeline_stream_pool *pool);
/* The same, and no notification that was asked for will soon wake the listeners. */
bool pipeline_pool_is_silent_locked(const struct pipeline_stream_pool *pool);
/* Asks the backend for the ends of these loans, and watches those that have not ended. For a caller that only
 * listens, watches a single one if none is watched: about half of them are predicted to end before it. */
void pipeline_pool_settle(struct pipeline_stream_pool *pool, bool only_listens);

#endif
