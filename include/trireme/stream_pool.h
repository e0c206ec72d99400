/* Trireme: stream pools. A pool makes the streams of a device as they are needed, and chooses one for each
 * user.
 *
 * A stream is lent to one user at a time, who enqueues on it and gives it back. A stream may be given back
 * while its work is still running; it is then lent again when no idle one is left, and what the next user
 * enqueues comes behind that work.
 *
 *     trm_stream_pool_create(device, NULL, &pool);
 *     trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream);
 *     trm_copy(stream, to, from);
 *     trm_stream_mark(stream, &point);
 *     trm_stream_pool_release(pool, stream);
 *     trm_point_wait(point, TRM_FOREVER);
 *
 * Or the pool is given a task, and chooses the stream, enqueues it and gives back a point to wait for:
 *
 *     struct trm_stream_task task = {.struct_size = sizeof(task), .kernel = kernel, .grid = grid, ...};
 *     trm_stream_pool_submit(pool, &task, &point);
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * pool        the pool, or for trm_stream_pool_create() receives it
 * Blocks      no
 * Threads     any
 * Ownership   a pool keeps its device alive. Its streams belong to it: trm_stream_destroy() refuses them
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_STREAM_POOL_H
#define TRIREME_STREAM_POOL_H

#include <trireme/api.h>
#include <trireme/kernel.h>
#include <trireme/stream.h>

TRM_API_BEGIN

struct trm_stream_pool;
struct trm_group_use;

/* The most streams of a pool. */
#define TRM_STREAM_POOL_MOST 64

/* Which stream is lent next, of those that are free. An idle one comes before one that has work, with two
 * exceptions: a task goes behind the task that it comes after (not with ROUND_ROBIN), and with WORKLOAD
 * behind one that hinders it. */
enum trm_stream_strategy {
    TRM_STREAM_DEFAULT     = 0, /* LEAST_LOADED */
    TRM_STREAM_ROUND_ROBIN = 1, /* the next in turn */
    /* The one whose work is predicted to end first. The pool learns from the times between giving a
     * stream back and the end of its work: how long a task takes, by what it runs and its size, and for lent
     * streams how long an operation takes. A task goes behind the task that it comes after, where that is the
     * last on its stream. */
    TRM_STREAM_LEAST_LOADED = 2,
    /* What gets most of the pool's tasks done, as measured: at first least-loaded. */
    TRM_STREAM_AUTO = 3,
    /* Tasks of each priority have up to `most` streams of their own, of that priority, and among these
     * least-loaded; fewer where the driver has few queues for streams (TRM_DEVICE_QUEUES: a quarter of them
     * for each priority), since high work would wait behind low work in the same queue. Where the device
     * tells no priorities apart (TRM_DEVICE_PRIORITIES), tasks below TRM_PRIORITY_HIGH are held back instead:
     * trm_stream_pool_submit() waits while tasks of a higher priority have not ended, or two of its own have
     * not. */
    TRM_STREAM_PRIORITY = 4,
    /* Least-loaded, but that a task goes behind one of a workload that hinders its own, as measured. */
    TRM_STREAM_WORKLOAD = 5,
};

/* What bounds a task. */
enum trm_stream_workload {
    TRM_STREAM_WORKLOAD_FOUND        = 0, /* found from trm_stream_task.bytes and the time measured */
    TRM_STREAM_WORKLOAD_COMPUTE      = 1,
    TRM_STREAM_WORKLOAD_MEMORY       = 2,
    TRM_STREAM_WORKLOAD_MIXED        = 3,
    TRM_STREAM_WORKLOAD_COORDINATION = 4, /* waits and callbacks, which leave the device free */
};

struct trm_stream_pool_desc {
    uint32_t struct_size;
    int32_t strategy; /* enum trm_stream_strategy */
    int32_t role;     /* enum trm_stream_role, of every stream */
    /* enum trm_priority, limited to its range, of every stream; with TRM_STREAM_PRIORITY, of those that are
     * lent */
    int32_t priority;
    /* Streams that stay when they are not needed. The pool makes none before it needs one. One that has run a
     * task always stays, since the task's point names it. */
    uint32_t least;
    /* At most TRM_STREAM_POOL_MOST, with TRM_STREAM_PRIORITY a third of that; 0: as many as the device was
     * measured to run side by side, and at least 8 and `least`. */
    uint32_t most;
};

/* Make a pool of streams of a device.
 *
 * device      the device
 * desc        NULL: all members are 0
 * Blocks      while the first pool of a device measures it, some milliseconds and the loading of a kernel:
 *             where models are kept between runs (stream.models) in a few runs only (struct
 *             trm_stream_width); never with the setting stream.measure off, where `most` is given, or while
 *             a profile of the device runs
 * Ownership   the caller destroys the pool with trm_stream_pool_destroy()
 * Errors      INVALID_ARGUMENT for an unknown strategy or role, or a `least` above `most` (where that is
 *             0: above the greatest `most`); OUT_OF_RANGE for a `most` above TRM_STREAM_POOL_MOST, or above a
 *             third of it with TRM_STREAM_PRIORITY
 */
TRM_API int32_t trm_stream_pool_create(struct trm_device *device, const struct trm_stream_pool_desc *desc,
                                       struct trm_stream_pool **pool);

/* Drain all streams of a pool, also those that are lent, and destroy it. Calls that wait for a stream return
 * with INVALID_HANDLE. Coordinators that draw from the pool are destroyed before it.
 *
 * Blocks      until the work of the streams is done
 * Threads     any; no other thread enqueues on the streams any more
 * Errors      the last error is DEADLOCK in a callback of one of the streams, or BUSY while a coordinator
 *             draws from the pool, or for the pool of one device of a pool over a group; DEADLOCK of a pool
 *             over a group in the function of a task that uses data of the group; all streams then stay
 */
TRM_API void trm_stream_pool_destroy(struct trm_stream_pool *pool);

enum trm_stream_pool_flags {
    /* Only a stream that has no work left. */
    TRM_STREAM_POOL_IDLE = 1u << 0,
};

/* Borrow a stream. The pool lends an idle one; if there is none, it makes one as long as there are fewer than
 * `most`; else it lends one that still has work, unless flags forbid that; else the call waits. A stream that
 * has failed is not lent again: the pool replaces it.
 *
 * flags       enum trm_stream_pool_flags
 * timeout_ns  nanoseconds; 0 does not wait, TRM_FOREVER waits without a limit
 * stream      receives it; the caller alone uses it until trm_stream_pool_release()
 * Blocks      until there is a stream, without polling; while a failed stream ends. A callback of one of the
 *             pool's streams that waits here for its own stream waits forever
 * Errors      TIMEOUT; INVALID_ARGUMENT for unknown flags; UNSUPPORTED for a pool over a group: use
 *             trm_group_pool_get(); as of trm_stream_create()
 */
TRM_API int32_t trm_stream_pool_acquire(struct trm_stream_pool *pool, uint32_t flags, uint64_t timeout_ns,
                                        struct trm_stream **stream);

/* Give a stream back, submit what is enqueued on it, and end its ranges (trm_range_push()) that are open. A
 * stream that has failed may be given back like any other.
 *
 * stream      from trm_stream_pool_acquire()
 * Blocks      no; where the host has no memory to watch the stream, until its work is done; while a stream
 *             ends that the pool does not need any more
 * Errors      INVALID_ARGUMENT for a stream that the pool has not lent; UNSUPPORTED for a pool over a group:
 *             use trm_group_pool_get()
 */
TRM_API int32_t trm_stream_pool_release(struct trm_stream_pool *pool, struct trm_stream *stream);

/* Enqueues a task on the stream that the pool has chosen: any operations, which trm_stream_pool_submit() lets
 * run one after another. Runs in that call. It does not destroy the pool. */
typedef int32_t (*trm_stream_task_fn)(void *user, struct trm_stream *stream);

/* A launch, or what a function enqueues. */
struct trm_stream_task {
    uint32_t struct_size;
    uint32_t argument_count;
    struct trm_kernel *kernel; /* launched with `grid` and `arguments`; NULL: `enqueue` is called */
    struct trm_grid grid;
    const struct trm_argument *arguments;
    trm_stream_task_fn enqueue; /* NULL where there is a kernel */
    void *user;                 /* of `enqueue` */
    /* The task begins when all of them are reached: points of any streams of the context. */
    const struct trm_point *after;
    uint32_t after_count;
    int32_t priority; /* enum trm_priority, limited to its range; with the strategy TRM_STREAM_PRIORITY */
    /* That the task moves; 0: not known. With `enqueue`, tasks of about as many bytes count as of one size;
     * with a kernel, those of about as many groups. */
    uint64_t bytes;
    int32_t workload; /* enum trm_stream_workload */
    uint32_t reserved;
    /* In a pool over a group (<trireme/group_pool.h>), else NULL and 0: buffers of the group that the task
     * uses, where the kernel's arguments do not tell; at most 64 with these. */
    const struct trm_group_use *uses;
    uint32_t use_count;
    uint32_t devices; /* on which the task may run: bit i is device i of the group; 0: on all */
};

/* Enqueue a task on a stream of the pool: as trm_stream_pool_acquire() without flags chooses it. Its work is
 * submitted to the driver. When work before it on its stream fails, it fails with the same cause.
 *
 * task        what it points to is needed during the call only, as by trm_launch(), and stays as it is until
 *             then; the structure itself `enqueue` may change
 * point       receives the task's end. It can be waited for until the pool is destroyed, also when the task
 *             has failed, unless TRM_STREAM_POOL_MOST more streams of the pool have failed since
 * Blocks      while all streams are lent, or tasks of its priority are held back; as `enqueue` does; as
 *             trm_stream_pool_release()
 * Errors      INVALID_ARGUMENT for both or neither of `kernel` and `enqueue`, for missing arguments or
 *             points, or for an unknown workload; UNSUPPORTED for buffers or devices of a group in the pool
 *             of a single device; of a pool over a group OUT_OF_RANGE for more than 64 uses, DEADLOCK within
 *             the function of a task that uses its buffers, and DEVICE_LOST when no device is left that may
 *             run the task, or has the data; what `enqueue` returns; as of trm_launch(), trm_stream_wait()
 *             and trm_stream_pool_acquire(). Of a task that is refused, what `enqueue` has enqueued runs
 */
TRM_API int32_t trm_stream_pool_submit(struct trm_stream_pool *pool, const struct trm_stream_task *task,
                                       struct trm_point *point);

/* Enqueue the same task on every stream that the pool has now, one after another: what each stream needs
 * once, or what all that is enqueued later comes after. Streams that have failed are left out.
 *
 * task        as for trm_stream_pool_submit()
 * points      receives the task's end on each of the streams; room for TRM_STREAM_POOL_MOST
 * count       receives how many they are; 0 before the pool has lent its first
 * Blocks      until each stream has been given back; as trm_stream_pool_submit()
 * Errors      UNSUPPORTED for a pool over a group: use trm_group_pool_get(); as of trm_stream_pool_submit().
 *             The streams before the one that refused the task have it then
 */
TRM_API int32_t trm_stream_pool_submit_all(struct trm_stream_pool *pool, const struct trm_stream_task *task,
                                           struct trm_point *points, uint32_t *count);

/* How long a task takes on its stream, without what is before it there. */
struct trm_stream_prediction {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t mean_ns;
    uint64_t spread_ns; /* how far samples were from mean_ns: the mean, in which recent ones count more */
    uint64_t samples;   /* tasks that it is learned from, since times last changed lastingly */
    int32_t workload;   /* enum trm_stream_workload: the task's, or as found; MIXED: not known yet */
    /* Of a pool over a group: the device that would get the task now, the time until it would have ended
     * there with all that comes before it, and of that, the time of the copies that it needs. */
    uint32_t device;
    uint64_t end_ns;
    uint64_t copy_ns;
};

/* Predict how long a task takes, from the earlier tasks of the pool with the same kernel or function, and of
 * about the same size. Times are those that the host sees, beside whatever else runs.
 *
 * task        is not enqueued
 * prediction  the caller sets its struct_size
 * Errors      NOT_FOUND when no such task has ended; as of trm_stream_pool_submit()
 */
TRM_API int32_t trm_stream_pool_predict(struct trm_stream_pool *pool, const struct trm_stream_task *task,
                                        struct trm_stream_prediction *prediction);

struct trm_stream_pool_stats {
    uint32_t struct_size;
    uint32_t streams;  /* that exist now */
    uint32_t lent;     /* now */
    uint32_t busy;     /* now: not lent, and their work is not known to have ended */
    uint64_t loans;    /* streams lent since the pool was made */
    uint64_t waits;    /* calls that had to wait for a stream, or returned TIMEOUT */
    uint64_t grown;    /* streams made because none was idle */
    uint64_t shrunk;   /* streams ended because they were not needed */
    uint64_t replaced; /* streams that had failed */
    /* The predicted time of an operation in nanoseconds; 0: not known yet, or a pool over a group. */
    uint64_t operation_ns;
    uint64_t tasks; /* submitted; each is a loan too */
    /* enum trm_stream_strategy: the pool's, or the one that AUTO uses now. Of a pool over a group the
     * strategy as it was set: the pool of each device (trm_group_pool_get()) tells the one in use. */
    int32_t strategy;
    /* among which the driver spreads streams (TRM_DEVICE_QUEUES); 0: no stream waits for another */
    uint32_t queues;
    uint32_t sharing; /* of the streams that exist now: at least so many share a queue with another one */
    uint32_t reserved;
    /* Of a pool over a group, which otherwise tells the sums of its devices. */
    uint64_t copies; /* of buffers from device to device, for tasks */
    uint64_t copied_bytes;
    uint32_t most; /* streams that the pool may have */
    /* Streams of the device that run side by side, as measured for this pool or an earlier one; 0: not
     * known. */
    uint32_t side_by_side;
};

/* Get the statistics of a pool. Asks the device about work whose end the pool has only predicted.
 *
 * stats       the caller sets its struct_size
 */
TRM_API int32_t trm_stream_pool_get_stats(struct trm_stream_pool *pool, struct trm_stream_pool_stats *stats);

/* Let the counters of a pool's statistics count from 0 again: `loans`, `waits`, `grown`, `shrunk`,
 * `replaced`, `tasks`, `copies` and `copied_bytes`. What the pool has now and what it has learned stay. Of a
 * pool over a group those of the pools of its devices begin anew, too.
 */
TRM_API int32_t trm_stream_pool_reset_stats(struct trm_stream_pool *pool);

/* Find a strategy by its name: "default", "round-robin", "least-loaded", "auto", "priority" or "workload".
 *
 * strategy    receives enum trm_stream_strategy
 * Errors      NOT_FOUND for another name; INVALID_ARGUMENT when name is NULL
 */
TRM_API int32_t trm_stream_strategy_find(const char *name, int32_t *strategy);

/* Get the name of a strategy.
 *
 * Ownership   the string is static
 * Errors      NULL for an unknown strategy
 */
TRM_API const char *trm_stream_strategy_name(int32_t strategy);

TRM_API_END

#endif
