/* Trireme: the coordinator. It runs uploads, computations and downloads that name each other by id: fork,
 * join, wait.
 *
 * The program adds tasks, in any order and with ids of its choice, and then submits them together. The submit
 * checks that every id is known and that no task waits for itself. The coordinator derives streams and points
 * from the dependencies; the program sees neither.
 *
 * Tasks that do not depend on each other run at the same time, as far as the device can. When a task fails,
 * the tasks that come after it fail too and do not run; others are not affected.
 *
 * Functions of tasks (`host`, `done`) run one after another on a thread of the coordinator; while one waits
 * inside Trireme, others run. They may call everything: add and submit tasks, and wait for tasks that do not
 * wait for them.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * coordinator the coordinator, or for trm_coordinator_create() receives it
 * timeout_ns  nanoseconds; 0 polls, TRM_FOREVER waits without a limit
 * Blocks      no
 * Threads     any. A submit takes what all threads have added; add a task after the tasks that it comes after
 * Ownership   a coordinator keeps its device alive
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_COORDINATOR_H
#define TRIREME_COORDINATOR_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/kernel.h>
#include <trireme/report.h>
#include <trireme/stream.h>
#include <trireme/stream_pool.h>
#include <trireme/transfer.h>

TRM_API_BEGIN

enum trm_task_kind {
    TRM_TASK_UPLOAD   = 1, /* host_source → destination */
    TRM_TASK_COMPUTE  = 2, /* kernel, grid, arguments */
    TRM_TASK_DOWNLOAD = 3, /* source → host_destination */
    TRM_TASK_COPY     = 4, /* source → destination */
    TRM_TASK_HOST     = 5, /* host(user, TRM_OK), on a thread of the library; it cannot fail */
    TRM_TASK_NOTHING  = 6, /* only joins the tasks that it comes after */
    TRM_TASK_FILL     = 7, /* pattern → destination */
    TRM_TASK_COPY_2D  = 8, /* source_rows → destination_rows, either of which may be in host memory */
};

struct trm_task {
    uint32_t struct_size;
    int32_t kind; /* enum trm_task_kind */
    uint64_t id;  /* the program's choice, not 0, not in use */
    /* for messages and the graph, which have its first 60 bytes; may be NULL; copied */
    const char *name;
    const uint64_t *after; /* ids of tasks that must end before; they may be added later; copied */
    uint32_t after_count;
    int32_t priority; /* enum trm_priority, limited to its range; each has streams of its own */
    struct trm_span destination;
    struct trm_span source;
    const void *host_source; /* unchanged until the task is done */
    void *host_destination;
    struct trm_kernel *kernel;
    struct trm_grid grid;
    const struct trm_argument *arguments; /* copied, with the contents of blocks */
    uint32_t argument_count;
    uint32_t reserved;
    trm_callback_fn host; /* of HOST */
    /* Called once, on a thread of the library, when the task has ended, with its status; the last error there
     * has its sentence. May be NULL. Tasks that come after this one do not wait for it; a thread that waits
     * for the task does. */
    trm_callback_fn done;
    void *user; /* of host and done */
    /* Of COPY_2D, as of trm_copy_2d(). Host memory stays unchanged until the task is done. */
    struct trm_rows destination_rows;
    struct trm_rows source_rows;
    uint64_t width;  /* bytes of a row */
    uint64_t height; /* rows */
    /* Of FILL, as of trm_fill(). */
    uint64_t pattern;
    uint32_t pattern_size; /* 1, 2, 4 or 8 bytes */
    /* In a coordinator over a group's pool, else NULL and 0. Of COMPUTE, the buffers of the group that the
     * task uses, where the kernel's arguments do not tell (struct trm_stream_task); copied. */
    uint32_t use_count;
    const struct trm_group_use *uses;
    uint32_t devices; /* on which the task may run: bit i is device i of the group; 0: on all */
    uint32_t reserved_2;
};

struct trm_coordinator_desc {
    uint32_t struct_size;
    /* Half of the streams for kernels of one priority; 0: 4, with a pool half of the pool's and one more. The
     * coordinator has twice as many, so that the next task is ready on the device when one ends. More than 64
     * counts as 64. */
    uint32_t compute_streams;
    /* The same for copies in each direction; 0: 1, with a pool over a group 1 for each device. */
    uint32_t copy_streams;
    uint32_t reserved;
    /* Where all streams come from, so that other users of the pool have the rest, and the pool learns from
     * the tasks. A task gets an idle stream for itself, which the pool's strategy chooses, and waits while
     * there is none. With the strategy TRM_STREAM_PRIORITY that is a stream of the task's priority; with
     * others the priority only decides which ready task starts first. The pool outlives the coordinator.
     * NULL: the coordinator has streams of its own. For kernels it makes a pool for each priority, unless the
     * device is a cpu or compute_streams is above 32.
     *
     * A pool over a group (<trireme/group_pool.h>) chooses the device of each task, too, and brings its data
     * there: tasks take kernels and buffers of the group, by trm_group_stage_kernel() and
     * trm_group_port_buffer(). A task with a buffer or a kernel of one device runs there. */
    struct trm_stream_pool *pool;
};

/* Make a coordinator.
 *
 * device      the device that runs the tasks; with a pool over a group any of its devices, by
 *             trm_group_device(): one that was opened apart is another, though it has the same name
 * desc        NULL: all defaults
 * Ownership   the caller destroys the coordinator with trm_coordinator_destroy()
 * Errors      WRONG_DEVICE for a pool of another device, or over a group without the device
 */
TRM_API int32_t trm_coordinator_create(struct trm_device *device, const struct trm_coordinator_desc *desc,
                                       struct trm_coordinator **coordinator);

/* Destroy a coordinator: drop the tasks that are not submitted, and wait for the others and their functions.
 * Meanwhile functions of tasks that add or submit get CANCELLED.
 *
 * Blocks      yes
 * Errors      the last error is DEADLOCK inside a function of one of its tasks, or of a task of its pool that
 *             uses data of the pool's group; or of a task that uses data of another group, while a function
 *             of this group waits for that one; nothing happens then
 */
TRM_API void trm_coordinator_destroy(struct trm_coordinator *coordinator);

/* Add a task to what will be submitted.
 *
 * task        copied; see struct trm_task for what it points to
 * Ownership   the program keeps buffers, kernel and host memory until the task is done
 * Errors      INVALID_ARGUMENT for an id that is 0 or in use, or a task that lacks what its kind needs;
 *             UNSUPPORTED for `uses` or `devices` without a pool over a group; CANCELLED when the coordinator
 *             is being destroyed
 */
TRM_API int32_t trm_coordinator_add(struct trm_coordinator *coordinator, const struct trm_task *task);

/* Start all tasks that are added, or none: after an error they are dropped, and their ids are free. A task
 * that comes after a failed one is accepted, and fails. Takes time in proportion to the tasks and their
 * dependencies.
 *
 * Blocks      not for tasks; for a submit of another thread
 * Errors      NOT_FOUND, naming a task and the unknown id that it comes after; DEADLOCK, spelling the cycle
 *             out ("4 \"blur\" -> 7 -> 4 \"blur\"": each comes after the next); errors of an operation,
 *             naming its task; CANCELLED when the coordinator is being destroyed
 */
TRM_API int32_t trm_coordinator_submit(struct trm_coordinator *coordinator);

/* Poll a task: TRM_OK when it is done, TIMEOUT when it is not. Where the coordinator has a pool, this looks
 * for tasks whose ends no notification tells of, and starts those that come after them, which may create a
 * stream; so do the waits, trm_coordinator_forget() and trm_coordinator_write_graph().
 *
 * id          of the task
 * Blocks      not for tasks; for a submit of another thread to the pool's group
 * Errors      TIMEOUT; the task's failure, or that of a task that it came after, naming that one; NOT_FOUND
 *             for an unknown id
 */
TRM_API int32_t trm_coordinator_poll(struct trm_coordinator *coordinator, uint64_t id);

/* Wait for a task. It is done when its `done` function has returned.
 *
 * id          of the task
 * Blocks      yes
 * Errors      TIMEOUT; the task's failure as for trm_coordinator_poll(); NOT_FOUND; INVALID_ARGUMENT for a
 *             task that was added but not submitted; DEADLOCK inside a function of the task, of one that it
 *             comes after, or as of trm_coordinator_destroy()
 */
TRM_API int32_t trm_coordinator_wait(struct trm_coordinator *coordinator, uint64_t id, uint64_t timeout_ns);

/* Wait until no submitted task is left, including tasks that are submitted meanwhile.
 *
 * Blocks      yes
 * Errors      TIMEOUT; the first failure since the last trm_coordinator_forget(); DEADLOCK as of
 *             trm_coordinator_destroy()
 */
TRM_API int32_t trm_coordinator_wait_all(struct trm_coordinator *coordinator, uint64_t timeout_ns);

/* Wait for any of several tasks. A task that failed counts as done: the call returns its failure and writes
 * `which`.
 *
 * ids         of `count` tasks, at least one
 * which       receives the lowest index of one that is done
 * Blocks      yes
 * Errors      TIMEOUT; the failure of the task ids[*which]; NOT_FOUND; INVALID_ARGUMENT for no ids, or a task
 *             that was added but not submitted; DEADLOCK when all of them wait for the calling function, or
 *             as of trm_coordinator_wait()
 */
TRM_API int32_t trm_coordinator_wait_any(struct trm_coordinator *coordinator, const uint64_t *ids,
                                         uint32_t count, uint64_t timeout_ns, uint32_t *which);

/* Forget all tasks that are done, so that their ids can be used again, except those that a thread is waiting
 * for. A task that is done takes some hundred bytes until then, and eight for each id that it came after;
 * what it needed while it ran is freed before.
 *
 * Blocks      not for tasks; for a submit of another thread
 */
TRM_API int32_t trm_coordinator_forget(struct trm_coordinator *coordinator);

/* Write the tasks that are not forgotten, and what they come after, as a graph in the language DOT of
 * Graphviz: a node for each id, and an arrow from each task to those that come after it. Its label has name,
 * kind and state. So after the run the graph shows what ran, and which tasks failed. No arrow comes from a
 * task that is forgotten, nor in its place from a later one with its id. But to a task that is not submitted
 * yet an arrow comes from each id that it names, though no task may have that: Graphviz draws a bare node
 * then.
 *
 * write       called in the calling thread with one part after another, as by trm_profile_write()
 * user        its first argument
 * Errors      what `write` returns; INVALID_ARGUMENT when write is NULL
 */
TRM_API int32_t trm_coordinator_write_graph(struct trm_coordinator *coordinator, trm_write_fn write,
                                            void *user);

TRM_API_END

#endif
