/* The coordinator: tasks that name each other by id, and the streams that they run on.
 *
 *     coordinator.c  create and destroy          task.c      checking, copying and finding tasks
 *     submit.c       starting added tasks        cycle.c     dependency cycles
 *     check.c        operations of tasks         schedule.c  which task runs on which stream
 *     settle.c       the end of tasks, the pump  done.c      the program's functions
 *     cause.c        why tasks failed            wait.c      waiting for tasks
 *     graph.c        tasks as a picture          errand.c    tasks over the devices of a group
 *     flight.c       ends that a pool knows      own_pool.c  pools of its own
 *
 * One stream, one task: a stream carries at most one task that has not ended. So that task, or one that it
 * waits for, is the cause of a stream's failure; an unrelated task never fails with it, and no task runs
 * twice. Several streams make the next task ready on the device before the current one ends:
 *
 * - A task starts on a free stream as soon as all its dependencies are done.
 * - While streams are left over, it is enqueued earlier ("early"), when all its dependencies have been
 *   enqueued, and waits for their points on the device. A stream stays occupied until the tasks that wait for
 *   it have ended as well: a wait on a stream that later failed with another task would fail too.
 *
 * With a pool, a lane has a stream only while it carries a task or a task waits for it on the device. Where
 * the pool has none left the task goes back to the front of its queue, and the pool calls when a stream is
 * free. A pool over a group chooses the device of the stream, too.
 *
 * The pool also tells the coordinator of the end of such a task, or presumes it; then the coordinator asks
 * the pool if something waits for that end (flight.c). If the program gave no pool, kernels get one
 * (own_pool.c), except on the host's own processors. The coordinator asks for a notification of each task
 * that is not on a stream of a pool.
 *
 * There are twice as many streams as the program asked for: while the task of one runs, the task of the other
 * waits behind it.
 *
 * One pump: one thread at a time settles tasks that have ended and enqueues tasks that may start (settle.c).
 * Another thread that wants the pump sets a flag instead, and the pump runs another round. So streams are
 * serialised, and no thread waits for another one's enqueueing: a callback may submit while another thread
 * enqueues.
 *
 * Locks: `submit_lock` is held while tasks are checked, and comes before `lock`, which guards what callers
 * read. `lock` comes before a service's lock, since tasks post their functions under it
 * (core_service_post()). Under `lock` no function of a backend or of the program is called.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_COORDINATOR_COORDINATOR_H
#define PIPELINE_COORDINATOR_COORDINATOR_H

#include <stdbool.h>
#include <trireme/coordinator.h>
#include <trireme/group_pool.h>

#include "base/base.h"
#include "core/device/device.h"
#include "core/stream/stream.h"
#include "pipeline/pool/pool.h"

#define PIPELINE_TASK_STREAMS_MOST 64u
#define PIPELINE_TASK_ROLES 3
#define PIPELINE_TASK_PRIORITIES 3

struct pipeline_coordinator;
struct pipeline_task;
struct pipeline_task_work;

enum pipeline_task_state {
    PIPELINE_TASK_ADDED,      /* not submitted */
    PIPELINE_TASK_SUBMITTING, /* a call checks it, and submits or drops it */
    PIPELINE_TASK_WAITING,    /* for its dependencies */
    PIPELINE_TASK_READY,      /* in a queue: all dependencies are done */
    PIPELINE_TASK_EARLY,      /* in a queue: all dependencies are done or enqueued */
    PIPELINE_TASK_STARTED,    /* on a stream, or its host function was posted */
    PIPELINE_TASK_SETTLED,    /* its status is known; `done` runs */
    PIPELINE_TASK_DONE,
};

enum pipeline_pump {
    PIPELINE_PUMP_IDLE,
    PIPELINE_PUMP_POSTED,  /* its job is queued */
    PIPELINE_PUMP_RUNNING, /* a thread runs it */
    PIPELINE_PUMP_AGAIN,   /* a thread runs it and has to look again */
};

/* Why a task failed; shared by its dependents. */
struct pipeline_task_cause {
    uint32_t references; /* under `lock` */
    int32_t status;
    uint64_t id; /* of the task that failed */
    int64_t native_code;
    struct pipeline_task_cause *next; /* in the list of causes to be freed */
    char sentence[344];               /* names the task */
};

/* A stream that tasks run on, one at a time. */
struct pipeline_task_lane {
    struct core_stream *stream; /* NULL: created when needed */
    /* With a pool: the slot that the stream belongs to while `users` is not 0. */
    struct pipeline_pool_slot *slot;
    struct pipeline_stream_pool *owner; /* of the slot */
    struct pipeline_task_lane *next;
    struct pipeline_task_class *class;
    uint32_t users;  /* the task on it, and tasks that wait for that one on the device */
    bool has_failed; /* the stream has to be replaced */
};

/* A list of tasks in a queue. */
struct pipeline_task_queue {
    struct pipeline_task_work *first, *last;
};

/* Streams of one role and priority, and the tasks that wait for one. */
struct pipeline_task_class {
    struct pipeline_task_lane *lanes; /* [count] */
    struct pipeline_task_lane *free;
    struct pipeline_task_queue ready, early;
    uint32_t count;
    uint32_t early_most;               /* most tasks that may be enqueued early */
    uint32_t early_flying;             /* tasks that are */
    bool is_starved;                   /* in this round the pool had no stream for its first task */
    bool has_pool;                     /* of its own, once a task needed it */
    struct pipeline_stream_pool *pool; /* that; NULL: not yet */
    int32_t role, priority;
};

/* `to` depends on `from`. In the work of `to`. */
struct pipeline_task_edge {
    uint64_t id;
    struct pipeline_task *from; /* NULL: its end is known */
    struct pipeline_task *to;
    struct pipeline_task_edge *next; /* in the list of `from` */
    struct pipeline_task_lane *lane; /* held while `to` waits for it on the device; else NULL */
};

/* What a task needs until it has ended: one allocation. */
struct pipeline_task_work {
    struct pipeline_task *task;
    struct pipeline_coordinator *coordinator;
    struct pipeline_task_work *next, *previous; /* in a queue */
    /* in coordinator->ended; later in the list to be freed */
    struct pipeline_task_work *next_ended;
    struct core_job job; /* runs `host`, then `done` */
    struct core_notification notification;

    /* Used by the pump. */
    struct pipeline_task_class *class;
    struct pipeline_task_lane *lane;
    uint64_t value;                  /* on the lane's stream */
    uint64_t waited;                 /* the operation there with which it has waited for others; 0: none */
    enum pipeline_pool_end end;      /* with a pool */
    bool is_asked;                   /* with PIPELINE_POOL_END_PRESUMED: the pool will tell of it */
    uint64_t ends_at;                /* with a pool: base_now() when it is presumed to end; 0: not known */
    struct pipeline_task_cause *own; /* its own failure, unless memory was short */
    int32_t ended_status;            /* how its operation ended; written before it goes into `ended` */
    bool has_ended;
    bool is_enqueued; /* others may wait for (lane, value) on the device */
    bool is_early;
    int32_t cause_status; /* not TRM_OK: a dependency has failed */
    uint32_t pending;     /* dependencies whose end is not known */
    uint32_t unenqueued;  /* dependencies that are neither enqueued nor done */

    /* A copy of the program's descriptor. */
    struct trm_task desc;
    struct pipeline_task_edge *edges; /* [desc.after_count] */
    uint64_t bytes;                   /* of this allocation */
};

/* Bytes of a task's name that are retained, with its zero. */
#define PIPELINE_TASK_NAME_BYTES 64

/* What is known of a task while its id is in use. */
struct pipeline_task {
    uint64_t id;
    struct pipeline_task *in_table; /* next with this hash */
    struct pipeline_task *next;     /* in the list of added, submitted or done tasks, in order */
    struct pipeline_task_edge *dependents;
    struct pipeline_task_work *work; /* NULL when it is done */
    /* its own or a dependency's; NULL: none, or memory was short */
    struct pipeline_task_cause *cause;
    int32_t status;
    int32_t state;                /* enum pipeline_task_state */
    uint32_t watched;             /* calls that wait for it, so it is not forgotten */
    uint32_t visited;             /* number of the search that visited it */
    struct pipeline_task *to_see; /* the list of a search */
    uint32_t before;              /* during submit: dependencies in the same submit */
    uint64_t submit;              /* number of the submit that took it; 0: none yet */

    /* Kept for messages and the graph when the descriptor is gone. */
    int32_t kind, priority;
    uint64_t bytes; /* of this allocation */
    char *name;     /* behind `after`; empty: none */
    uint32_t after_count;
    uint64_t after[]; /* ids */
};

struct pipeline_task_list {
    struct pipeline_task *first, *last;
    uint32_t count;
};

struct pipeline_coordinator {
    struct core_object object;
    struct core_device *device;
    struct core_service *service; /* the context's; runs the pump */
    _Atomic(struct core_service *)
        functions; /* its own, for functions of the program; NULL until one is added */
    struct core_stream *checkers[TRM_GROUP_DEVICES]; /* check.c: for each device; under submit_lock */
    struct pipeline_stream_pool *pool;               /* the program's; NULL: it gave none */
    struct pipeline_pool_listener listeners[TRM_GROUP_DEVICES]; /* for each device, or own pool */
    bool is_over_group;
    bool has_device_waits;

    struct base_lock submit_lock;
    struct base_lock lock; /* guards the fields up to `broken` */
    struct pipeline_task **table;
    uint64_t table_size; /* a power of two */
    uint64_t tasks;      /* in the table */
    struct pipeline_task_list added, done;
    uint64_t unfinished; /* submitted and not done */
    uint64_t submits;    /* that have begun */
    uint32_t searches;
    bool is_closing; /* being destroyed */
    int32_t first_status;
    /* of the first failure that was not forgotten; holds a reference */
    struct pipeline_task_cause *first_cause;
    uint64_t first_id;
    uint32_t sleepers;
    _Atomic uint32_t epoch; /* a futex: grows when sleepers have to look again */
    struct pipeline_task_class classes[PIPELINE_TASK_ROLES][PIPELINE_TASK_PRIORITIES];
    struct pipeline_task_queue settling; /* to be settled; linked by next */
    /* Tasks on streams of the pool; changed by the pump. `silent`: those whose end the coordinator has to ask
     * for; `asked`: those for which it has asked. */
    uint32_t flights, silent, asked;

    /* Lists of the pump: what is freed after `lock` was released. */
    struct pipeline_task_work *spent;
    struct pipeline_task_cause *spent_causes;
    struct pipeline_task_lane *broken; /* streams to be replaced */

    struct pipeline_task_queue flying; /* of the pump: the flights, in order */

    /* Any thread. */
    /* pushed by backends and callbacks, newest first */
    _Atomic(struct pipeline_task_work *) ended;
    _Atomic uint32_t pump; /* enum pipeline_pump */
    /* a futex: jobs and threads that still touch the coordinator (settle.c) */
    _Atomic uint32_t busy;
    struct core_job job; /* runs the pump */
    struct pipeline_task_lane *all_lanes;
    uint32_t lane_count;
};

/* The pool from which a class draws its streams; NULL: its lanes have streams of their own. */
static inline struct pipeline_stream_pool *pipeline_class_pool(const struct pipeline_coordinator *coordinator,
                                                               const struct pipeline_task_class *class)
{
    return coordinator->pool != NULL ? coordinator->pool : class->pool;
}

static inline struct pipeline_coordinator *pipeline_coordinator_find(struct trm_coordinator *handle)
{
    return core_object_find(handle, CORE_COORDINATOR);
}

/* ---- task.c: copies, the table of ids ------------------------------------------------------- */

struct pipeline_task *pipeline_task_find_locked(const struct pipeline_coordinator *coordinator, uint64_t id);
void pipeline_task_remove_locked(struct pipeline_coordinator *coordinator, const struct pipeline_task *task);
void pipeline_task_list_add(struct pipeline_task_list *list, struct pipeline_task *task);
void pipeline_task_free(struct pipeline_coordinator *coordinator, struct pipeline_task *task);
void pipeline_task_work_free(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work);
/* Drops a private list of tasks that were added and not submitted. */
void pipeline_tasks_drop(struct pipeline_coordinator *coordinator, struct pipeline_task *list);

/* ---- cause.c -------------------------------------------------------------------------------- */

/* `4 "blur"`, or `4`. */
const char *pipeline_task_name(const struct pipeline_task *task, char *text, size_t capacity);

/* Saves the last error as the failure of a task. NULL: memory was short. */
struct pipeline_task_cause *pipeline_task_cause_create(const struct pipeline_coordinator *coordinator,
                                                       const struct pipeline_task *task, int32_t status);
struct pipeline_task_cause *pipeline_task_cause_retain_locked(struct pipeline_task_cause *cause);
/* Releases a reference; a cause without references goes to spent_causes. NULL is fine. */
void pipeline_task_cause_release_locked(struct pipeline_coordinator *coordinator,
                                        struct pipeline_task_cause *cause);
void pipeline_task_causes_free(const struct pipeline_coordinator *coordinator,
                               struct pipeline_task_cause *list);
/* Sets the last error to how a task failed; returns its status. The caller holds a reference to `cause`. */
int32_t pipeline_task_raise(uint64_t id, int32_t status, const struct pipeline_task_cause *cause);

/* ---- cycle.c -------------------------------------------------------------------------------- */

/* DEADLOCK with the cycle spelled out if tasks of the list depend on each other in a circle. Their edges are
 * linked. */
int32_t pipeline_tasks_check_cycles(const struct pipeline_task_list *list);

/* ---- check.c: operations of tasks ----------------------------------------------------------- */

/* One checker for each device. */
int32_t pipeline_checkers_create(struct pipeline_coordinator *coordinator);
void pipeline_checkers_destroy(struct pipeline_coordinator *coordinator);
int32_t pipeline_task_check(struct core_stream *checker, const struct trm_task *task);
/* Enqueues a task's operation on a stream. */
int32_t pipeline_task_enqueue(struct core_stream *stream, const struct trm_task *task);

/* ---- errand.c: tasks over the devices of a group ---------------------------------------------- */

/* Checks a task as pipeline_task_check() does, for one of the devices that may run it. */
int32_t pipeline_errand_check(struct pipeline_coordinator *coordinator, const struct trm_task *task);
/* Enqueues a task on a stream of the device that the pool chooses, behind its data, and gives its lane the
 * stream. TIMEOUT, and no stream: there was none. */
int32_t pipeline_errand_run(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work,
                            bool wants_end);

/* ---- flight.c: tasks on streams of a pool ----------------------------------------------------- */

/* Whether something has to know the end of the task, which is about to be enqueued. */
bool pipeline_flight_wants_end(struct pipeline_coordinator *coordinator,
                               const struct pipeline_task_work *work);
/* The task is enqueued. Called by the pump, as the two below. */
void pipeline_flight_begin(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work);
/* Takes the tasks that have ended, and appends them to a list that is linked by next_ended. */
void pipeline_flight_collect(struct pipeline_coordinator *coordinator, struct pipeline_task_work **list);
/* Asks the pool for ends that something waits for, and that no notification tells. */
void pipeline_flight_ask(struct pipeline_coordinator *coordinator);
/* For calls that read the states of tasks: settles tasks whose end no notification tells, unless another
 * thread does so. With the lock, released meanwhile. */
void pipeline_flight_look_locked(struct pipeline_coordinator *coordinator);
void pipeline_flight_look(struct pipeline_coordinator *coordinator);

/* ---- schedule.c ----------------------------------------------------------------------------- */

/* Create and destroy queues, lanes and their streams. */
int32_t pipeline_schedule_init(struct pipeline_coordinator *coordinator,
                               const struct trm_coordinator_desc *desc);
void pipeline_schedule_end_streams(struct pipeline_coordinator *coordinator);
void pipeline_schedule_fini(struct pipeline_coordinator *coordinator);
struct pipeline_task_class *pipeline_schedule_class(struct pipeline_coordinator *coordinator,
                                                    const struct trm_task *task);
/* After a change: queues the task, removes it from a queue, posts its function or settles it. */
void pipeline_schedule_advance_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task);
/* Replaces failed streams. Called by the pump. */
void pipeline_schedule_repair(struct pipeline_coordinator *coordinator);
/* Lets the stream of an early task wait for the tasks that it comes after. */
int32_t pipeline_schedule_wait(struct pipeline_task_work *work);
/* When the tasks that this one waits for on the device are presumed to have ended: base_now(); 0: there are
 * none. False: it is not known well enough of one of them. */
bool pipeline_schedule_presume(const struct pipeline_task_work *work, uint64_t *end);
void pipeline_queue_remove(struct pipeline_task_queue *queue, struct pipeline_task_work *work);
/* Enqueues the operations of a task, which a profile shows within the task. */
int32_t pipeline_schedule_enqueue(struct pipeline_task_work *work, const struct trm_task *desc);
/* Starts every task that can start. Called by the pump. */
void pipeline_schedule_start(struct pipeline_coordinator *coordinator);
void pipeline_lane_release_locked(struct pipeline_coordinator *coordinator, struct pipeline_task_lane *lane);
void pipeline_queue_add(struct pipeline_task_queue *queue, struct pipeline_task_work *work);

/* ---- own_pool.c ----------------------------------------------------------------------------- */

/* Which classes of streams get a pool of their own. */
void pipeline_own_pools_init(struct pipeline_coordinator *coordinator);
/* Makes the pool of a class if it needs one. Called by the pump. */
int32_t pipeline_own_pool_open(struct pipeline_coordinator *coordinator, struct pipeline_task_class *class);
struct pipeline_pool_listener *pipeline_own_pool_listener(struct pipeline_coordinator *coordinator,
                                                          const struct pipeline_task_class *class);
/* When no task is left. */
void pipeline_own_pools_unlisten(struct pipeline_coordinator *coordinator);
void pipeline_own_pools_close(struct pipeline_coordinator *coordinator);

/* ---- settle.c ------------------------------------------------------------------------------- */

/* Settles what has ended and starts what may start, unless another thread does so. Threads: any. */
void pipeline_coordinator_pump(struct pipeline_coordinator *coordinator);
/* The same, unless another thread runs the pump: for threads that poll. */
void pipeline_coordinator_look(struct pipeline_coordinator *coordinator);
/* On the service thread. */
void pipeline_coordinator_pump_job(struct core_job *job);
/* Frees what was put on the lists while the lock was held. */
void pipeline_coordinator_tidy(struct pipeline_coordinator *coordinator);
/* Tells that a task's operation has ended. Threads: any. Does not block. */
void pipeline_task_ended(struct pipeline_task_work *work, int32_t status);
/* Makes the pump look. Threads: any. Does not block. */
void pipeline_coordinator_stir(struct pipeline_coordinator *coordinator);
/* Pins the coordinator in memory while a thread uses it outside of a program's calls. The thread does not
 * touch it after pipeline_coordinator_unpin(). */
void pipeline_coordinator_pin(struct pipeline_coordinator *coordinator);
void pipeline_coordinator_unpin(struct pipeline_coordinator *coordinator);
/* When no task is left: waits until the coordinator is not pinned. */
void pipeline_coordinator_wait_unpinned(struct pipeline_coordinator *coordinator);
/* The task has ended, and its callback too. */
void pipeline_task_finish_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task);
void pipeline_coordinator_wake_locked(struct pipeline_coordinator *coordinator);

/* ---- done.c: functions of the program, on a service thread ---------------------------------- */

/* Creates the thread for a task's functions if there is none yet. */
int32_t pipeline_task_prepare_functions(struct pipeline_coordinator *coordinator,
                                        const struct trm_task *task);
void pipeline_task_post_host(struct pipeline_task_work *work);
void pipeline_task_post_done(struct pipeline_task_work *work);
/* Whether the calling thread runs a function of one of the coordinator's tasks. */
bool pipeline_task_is_inside(const struct pipeline_coordinator *coordinator);
/* Whether waiting for this task would wait for a function that the calling thread runs. */
bool pipeline_task_deadlocks_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task);

/* ---- wait.c --------------------------------------------------------------------------------- */

/* Waits until nothing that was submitted is left. */
void pipeline_coordinator_drain(struct pipeline_coordinator *coordinator);

#endif
