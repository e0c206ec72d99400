/* Trireme: the coordinator. Uploads, computations and downloads that name each other by id: fork, join, wait.
 *
 * Tasks are added, in any order and with ids of the program's choice, then submitted together: only then it is checked
 * that every id is known and that nothing waits for itself. Streams and points follow from the dependencies; the program
 * sees neither.
 *
 * Tasks that do not come after each other run at the same time as far as the device can. One that fails takes down
 * those that come after it, which do not run, and no others.
 *
 * Functions of tasks (`host`, `done`) run one after another on a thread that belongs to the coordinator; where one
 * waits inside of Trireme, others run meanwhile. They may call anything: add and submit tasks, wait for tasks that
 * do not wait for them.
 *
 * Threads: any thread may call anything at any time. Submit takes what all threads have added: a task that comes after
 * another thread's is added when that one has been.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_COORDINATOR_H
#define TRIREME_COORDINATOR_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/kernel.h>
#include <trireme/stream.h>

TRM_API_BEGIN

enum trm_task_kind {
    TRM_TASK_UPLOAD   = 1, /* host_source → destination */
    TRM_TASK_COMPUTE  = 2, /* kernel, grid, arguments */
    TRM_TASK_DOWNLOAD = 3, /* source → host_destination */
    TRM_TASK_COPY     = 4, /* source → destination */
    TRM_TASK_HOST     = 5, /* host(user, TRM_OK), on a thread of the core; it cannot fail */
    TRM_TASK_NOTHING  = 6, /* only joins what it comes after */
};

struct trm_task {
    uint32_t struct_size;
    int32_t kind;          /* enum trm_task_kind */
    uint64_t id;           /* the program's name for it, not 0, not in use */
    const char *name;      /* for messages; may be NULL; copied */
    const uint64_t *after; /* ids that must be done before; copied. May name tasks that are added later */
    uint32_t after_count;
    int32_t priority; /* enum trm_priority; each has streams of its own */
    struct trm_span destination;
    struct trm_span source;
    const void *host_source; /* stays unchanged until the task is done */
    void *host_destination;
    struct trm_kernel *kernel;
    struct trm_grid grid;
    const struct trm_argument *arguments; /* copied, blocks too */
    uint32_t argument_count;
    uint32_t reserved;
    trm_callback_fn host; /* of HOST */
    /* Called once, on a thread of the core, when the task has ended, with its status (and its sentence as last
     * error there); may be NULL. Those that come after the task do not wait for it; who waits for the task does. */
    trm_callback_fn done;
    void *user; /* of host and done */
};

struct trm_coordinator_desc {
    uint32_t struct_size;
    uint32_t compute_streams; /* how many kernels run at once at most; 0: chosen. More than 64 count as 64 */
    uint32_t copy_streams;    /* the same of copies, in each direction; 0: 1 */
    uint32_t reserved;
};

/* desc may be NULL. Ownership: keeps the device alive. Errors: INVALID_ARGUMENT, OUT_OF_HOST_MEMORY; the loss of
 * the device. */
TRM_API int32_t trm_coordinator_create(struct trm_device *device, const struct trm_coordinator_desc *desc,
                                       struct trm_coordinator **coordinator);

/* Drops what was not submitted, waits for the rest and for their callbacks. Blocks. NULL is fine. Inside one of
 * its own callbacks it sets DEADLOCK as last error and does nothing. Meanwhile nothing more is taken: callbacks
 * that add or submit are answered with CANCELLED. */
TRM_API void trm_coordinator_destroy(struct trm_coordinator *coordinator);

/* Add a task to what will be submitted. The program keeps buffers, kernel and host memory until it is done. Does
 * not block.
 *
 * Errors      INVALID_ARGUMENT for an id that is in use or 0, or a task that lacks what its kind needs;
 *             OUT_OF_HOST_MEMORY
 */
TRM_API int32_t trm_coordinator_add(struct trm_coordinator *coordinator, const struct trm_task *task);

/* Start what was added. All or nothing: when this fails, what was added since the last submit is dropped, and its
 * ids are free. Takes time in proportion to the tasks and what they come after; waits for none of them (but on a
 * device that does its work in the calls that enqueue it). What comes after a task that has failed is taken, and
 * fails.
 *
 * Errors      NOT_FOUND naming a task and the unknown id that it comes after; DEADLOCK spelling the cycle out
 *             ("4 \"blur\" -> 7 -> 4 \"blur\"": each comes after the next); as of the operations themselves,
 *             naming the task
 */
TRM_API int32_t trm_coordinator_submit(struct trm_coordinator *coordinator);

/* TRM_OK when done, TIMEOUT when not yet, else its failure: its own, or that of a task that it came after, naming
 * that one. NOT_FOUND for an id that is not known. Never blocks. */
TRM_API int32_t trm_coordinator_poll(struct trm_coordinator *coordinator, uint64_t id);

/* Wait for one, all that were submitted, or any of several. Block; timeout_ns as in trm_point_wait(). A task is
 * done when its `done` has returned.
 *
 * wait_all waits until nothing is left, also of what is submitted meanwhile; it answers the first failure of those
 * that have not been forgotten. wait_any counts a failed task as done: it answers the failure, and `which` is
 * written. Of several it takes the lowest index.
 *
 * Errors      TIMEOUT; a task's failure; NOT_FOUND; INVALID_ARGUMENT for a task that was added and not submitted,
 *             or no ids; DEADLOCK in a function of a task that is waited for, or that one of those waited for
 *             comes after, where that could never end
 */
TRM_API int32_t trm_coordinator_wait(struct trm_coordinator *coordinator, uint64_t id, uint64_t timeout_ns);
TRM_API int32_t trm_coordinator_wait_all(struct trm_coordinator *coordinator, uint64_t timeout_ns);
TRM_API int32_t trm_coordinator_wait_any(struct trm_coordinator *coordinator, const uint64_t *ids,
                                         uint32_t count, uint64_t timeout_ns, uint32_t *which);

/* Forget all tasks that are done, so that their ids may be used again; but not those that some thread waits for
 * just now. What a task needs while it runs is freed when it is done; this frees the rest, some hundred bytes
 * each. */
TRM_API int32_t trm_coordinator_forget(struct trm_coordinator *coordinator);

TRM_API_END

#endif
