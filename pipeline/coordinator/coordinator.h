/* The coordinator's inside: tasks that name each other by id, and the streams that they run on.
 *
 * **One stream, one task.** A stream carries at most one task that has not ended. So a stream that fails has
 * failed by that task or by one that it waits for, and never takes an innocent one with it: nothing has to be told
 * apart afterwards and nothing is ever run twice. It is the simplest scheme that is right whatever fails. That the
 * next task stands ready on the device when one ends comes from the other streams:
 *
 *   - a task begins on a free stream as soon as all that it comes after is done;
 *   - where streams are left over, it is enqueued before that ("early"), as soon as all that it comes after has
 *     been enqueued, and waits for the points of those on the device. A stream stays occupied until the tasks that
 *     wait for it have ended as well: a wait on a stream that failed later, with another task, would fail too.
 *
 * Streams come in doubles of what the program asked for: one works while the other one's task waits behind it.
 *
 * **One pump.** What has ended is settled, and what may start is enqueued, by one thread at a time (settle.c); who
 * comes meanwhile leaves word that there is more. So streams are serialised, and nobody waits for a thread that is
 * enqueueing: a callback may submit while another thread does.
 *
 * `lock` guards what callers look at. A leaf: no function of a backend or of the program is called under it, but
 * core_service_post() is. `submit_lock` comes before it and is held while tasks are checked.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_COORDINATOR_COORDINATOR_H
#define PIPELINE_COORDINATOR_COORDINATOR_H

#include <stdbool.h>
#include <trireme/coordinator.h>

#include "base/base.h"
#include "core/device/device.h"
#include "core/stream/stream.h"

#define CORE_TASK_STREAMS_MOST 64u
#define CORE_TASK_ROLES 3
#define CORE_TASK_PRIORITIES 3

struct core_coordinator;
struct core_task;
struct core_task_work;

enum core_task_state {
    CORE_TASK_ADDED,      /* not submitted */
    CORE_TASK_SUBMITTING, /* looked at by a call that submits it, and perhaps drops it */
    CORE_TASK_WAITING,    /* for what it comes after */
    CORE_TASK_READY,      /* in a queue: everything that it comes after is done */
    CORE_TASK_EARLY,      /* in a queue: everything that it comes after is done or enqueued */
    CORE_TASK_STARTED,    /* on a stream, or a host function that was handed to the service */
    CORE_TASK_SETTLED,    /* it is known how it ended; `done` runs */
    CORE_TASK_DONE,
};

enum core_pump {
    CORE_PUMP_IDLE,
    CORE_PUMP_POSTED,  /* its job is queued */
    CORE_PUMP_RUNNING, /* some thread is at it */
    CORE_PUMP_AGAIN,   /* and there is more for it to see */
};

/* Why a task failed; shared by those that come after it. */
struct core_task_cause {
    uint32_t references; /* under `lock` */
    int32_t status;
    uint64_t id; /* whose failure it was */
    int64_t native_code;
    struct core_task_cause *next; /* to be freed */
    char sentence[344];           /* names the task */
};

/* A stream that tasks run on, one at a time. */
struct core_task_lane {
    struct core_stream *stream; /* NULL: to be made */
    struct core_task_lane *next;
    struct core_task_class *class;
    uint32_t holds; /* the task on it, and those that wait for that task on the device */
    int32_t failed; /* 1: the stream is to be replaced */
};

/* A list of tasks in a queue. */
struct core_task_queue {
    struct core_task_work *first, *last;
};

/* Streams of one role and priority, and who waits for one. */
struct core_task_class {
    struct core_task_lane *lanes; /* [count] */
    struct core_task_lane *free;
    struct core_task_queue ready, early;
    uint32_t count;
    uint32_t early_most;   /* that many may be enqueued before all that they come after is done */
    uint32_t early_flying; /* that many are */
    int32_t role, priority;
};

/* "`to` comes after `from`". In the work of `to`. */
struct core_task_edge {
    uint64_t id;
    struct core_task *from; /* NULL: it is known how that one ended */
    struct core_task *to;
    struct core_task_edge *next; /* in the list of `from` */
    struct core_task_lane *lane; /* held, since `to` waits for it on the device; else NULL */
};

/* What a task needs until it has ended: one allocation. */
struct core_task_work {
    struct core_task *task;
    struct core_coordinator *coordinator;
    struct core_task_work *next, *previous; /* in a queue */
    struct core_task_work *next_ended;      /* in coordinator->ended; later in lists of what is to be freed */
    struct core_job job;                    /* runs `host`, then `done` */
    struct core_notification notification;

    /* The pump's. */
    struct core_task_class *class;
    struct core_task_lane *lane;
    uint64_t value;              /* on the lane's stream */
    struct core_task_cause *own; /* its own failure, if memory was there to keep it */
    int32_t ended_status;        /* how its operation ended; written before it goes into `ended` */
    int32_t has_ended;
    int32_t is_enqueued; /* others may wait for (lane, value) on the device */
    int32_t is_early;
    int32_t cause_status; /* not TRM_OK: something that it comes after has failed */
    uint32_t pending;     /* edges whose end is not known */
    uint32_t unplaced;    /* edges whose task is neither enqueued nor done */

    /* A copy of what the program said. */
    struct trm_task said;
    struct core_task_edge *edges; /* [said.after_count] */
    uint64_t bytes;               /* of this allocation */
};

/* What is known of a task as long as its id is in use. */
struct core_task {
    uint64_t id;
    struct core_task *in_table; /* next with this hash */
    struct core_task *next;     /* added, submitted or done; in order */
    struct core_task_edge *dependents;
    struct core_task_work *work;   /* NULL when it is done */
    struct core_task_cause *cause; /* its own or another one's; NULL: none, or no memory to keep it */
    int32_t status;
    int32_t state;            /* enum core_task_state */
    uint32_t watched;         /* calls that wait for it: not to be forgotten */
    uint32_t visited;         /* by a search; its number */
    struct core_task *to_see; /* of a search: a list */
    uint32_t before;          /* while it is submitted: edges from tasks of the same submit */
};

struct core_task_list {
    struct core_task *first, *last;
    uint32_t count;
};

struct core_coordinator {
    struct core_object object;
    struct core_device *device;
    struct core_service *service; /* the context's: the pump's */
    _Atomic(struct core_service *)
        functions; /* of its own, for what the program's functions do; NULL until one is added */
    struct core_stream *checker; /* check.c; used under submit_lock */
    int32_t has_device_waits;

    struct base_lock submit_lock;
    struct base_lock lock; /* guards what follows up to the pump's */
    struct core_task **table;
    uint64_t table_size; /* a power of two */
    uint64_t tasks;      /* in the table */
    struct core_task_list added, done;
    uint64_t unfinished; /* submitted and not done */
    uint32_t searches;
    int32_t closing; /* 1: being destroyed */
    int32_t first_status;
    struct core_task_cause *first_cause; /* of the first failure that was not forgotten; counted */
    uint64_t first_id;
    uint32_t sleepers;
    _Atomic uint32_t epoch; /* a futex: grows when sleepers are to look again */
    struct core_task_class classes[CORE_TASK_ROLES][CORE_TASK_PRIORITIES];
    struct core_task_queue settling; /* to be settled; linked by next */

    /* Lists of the pump, of what goes once the lock has been given back. */
    struct core_task_work *spent;
    struct core_task_cause *spent_causes;
    struct core_task_lane *broken; /* the pump's */

    /* Any thread's. */
    _Atomic(struct core_task_work *) ended; /* told by backends and callbacks, newest first */
    _Atomic uint32_t pump;                  /* enum core_pump */
    _Atomic uint32_t busy; /* jobs and threads that will touch the coordinator; a futex; see settle.c */
    struct core_job job;   /* pumps */
    struct core_task_lane *all_lanes;
    uint32_t lane_count;
};

static inline struct core_coordinator *core_coordinator_find(struct trm_coordinator *handle)
{
    return core_object_find(handle, CORE_COORDINATOR);
}

/* ---- task.c: copies, the table of ids ---- */

struct core_task *core_task_find_locked(const struct core_coordinator *coordinator, uint64_t id);
void core_task_remove_locked(struct core_coordinator *coordinator, const struct core_task *task);
void core_task_list_add(struct core_task_list *list, struct core_task *task);
void core_task_free(struct core_coordinator *coordinator, struct core_task *task);
void core_task_work_free(struct core_coordinator *coordinator, struct core_task_work *work);
/* Drops what was added and not submitted: of `list`, which is nobody else's. */
void core_tasks_drop(struct core_coordinator *coordinator, struct core_task *list);

/* ---- cause.c ---- */

/* `4 "blur"`, or `4`. */
const char *core_task_name(const struct core_task *task, char *text, size_t capacity);

/* Keeps the last error as the failure of a task. NULL: no memory. */
struct core_task_cause *core_task_cause_create(const struct core_coordinator *coordinator,
                                               const struct core_task *task, int32_t status);
struct core_task_cause *core_task_cause_share_locked(struct core_task_cause *cause);
/* One reference less; what nobody has any more goes to spent_causes. NULL is fine. */
void core_task_cause_drop_locked(struct core_coordinator *coordinator, struct core_task_cause *cause);
void core_task_causes_free(const struct core_coordinator *coordinator, struct core_task_cause *list);
/* Sets the last error to how a task failed; returns its status. `cause` is not going while this runs. */
int32_t core_task_raise(uint64_t id, int32_t status, const struct core_task_cause *cause);

/* ---- cycle.c ---- */

/* Are all tasks of the list free of cycles among each other (their edges linked)? Else DEADLOCK, spelled out. */
int32_t core_tasks_check_cycles(const struct core_task_list *list);

/* ---- check.c: is an operation one that a stream of the device would take? ---- */

int32_t core_checker_create(struct core_device *device, struct core_stream **checker);
void core_checker_destroy(struct core_stream *checker);
int32_t core_task_check(struct core_stream *checker, const struct trm_task *task);
/* Enqueues what a task does on a stream. */
int32_t core_task_enqueue(struct core_stream *stream, const struct trm_task *task);

/* ---- schedule.c ---- */

/* Makes queues, lanes and their streams ready; ends them. */
int32_t core_schedule_init(struct core_coordinator *coordinator, const struct trm_coordinator_desc *desc);
void core_schedule_end_streams(struct core_coordinator *coordinator);
void core_schedule_fini(struct core_coordinator *coordinator);
struct core_task_class *core_schedule_class(struct core_coordinator *coordinator,
                                            const struct trm_task *task);
/* After something has changed: queues the task, takes it out of a queue, hands it to the service or settles it. */
void core_schedule_advance_locked(struct core_coordinator *coordinator, struct core_task *task);
/* Replaces streams that failed. The pump. */
void core_schedule_repair(struct core_coordinator *coordinator);
/* Starts whatever can be started. The pump. */
void core_schedule_start(struct core_coordinator *coordinator);
void core_lane_release_locked(struct core_coordinator *coordinator, struct core_task_lane *lane);
void core_queue_add(struct core_task_queue *queue, struct core_task_work *work);

/* ---- settle.c ---- */

/* Settles what has ended and starts what may start; leaves it to another thread that is at it. Any thread. */
void core_coordinator_pump(struct core_coordinator *coordinator);
/* On the service thread. */
void core_coordinator_pump_job(struct core_job *job);
/* Frees what came to be nobody's while the lock was held. */
void core_coordinator_tidy(struct core_coordinator *coordinator);
/* A task's operation has ended. Any thread; does not block. */
void core_task_ended(struct core_task_work *work, int32_t status);
/* Around what other threads do with the coordinator outside of a program's calls: it stays meanwhile. Letting go
 * is the last thing that touches it. */
void core_coordinator_hold(struct core_coordinator *coordinator);
void core_coordinator_let_go(struct core_coordinator *coordinator);
/* Once there is no task any more: waits until all have let go. */
void core_coordinator_await_others(struct core_coordinator *coordinator);
/* The task is done with everything, its callback too. */
void core_task_finish_locked(struct core_coordinator *coordinator, struct core_task *task);
void core_coordinator_wake_locked(struct core_coordinator *coordinator);

/* ---- done.c: the program's functions, on a thread of the core ---- */

/* Sees to it that they can run. */
int32_t core_task_prepare_functions(struct core_coordinator *coordinator, const struct trm_task *task);
void core_task_post_host(struct core_task_work *work);
void core_task_post_done(struct core_task_work *work);
/* Does the calling thread run a function of one of the coordinator's tasks? */
bool core_task_inside(const struct core_coordinator *coordinator);
/* Would waiting for this task be waiting for a function that the calling thread runs? */
bool core_task_deadlocks_locked(struct core_coordinator *coordinator, struct core_task *task);

/* ---- wait.c ---- */

/* Waits until nothing that was submitted is left. */
void core_coordinator_drain(struct core_coordinator *coordinator);

#endif
