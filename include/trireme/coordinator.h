/* Trireme: the coordinator. Uploads, computations and downloads that name each other by id: fork, join, wait for any.
 *
 * Tasks are added, in any order and with ids of the program's choice, then submitted together: only then is checked that
 * every id is known and that nothing waits for itself. Streams and points come of the dependencies; the program sees
 * neither.
 *
 * Threads: any thread may call anything at any time.
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
    TRM_TASK_HOST     = 5, /* host(user, status), on a thread of the core */
    TRM_TASK_NOTHING  = 6, /* only joins what it comes after */
};

struct trm_task {
    uint32_t struct_size;
    int32_t kind;          /* enum trm_task_kind */
    uint64_t id;           /* the program's name for it, not 0, not in use */
    const char *name;      /* for messages; may be NULL; copied */
    const uint64_t *after; /* ids that must be done before; copied. May name tasks that are added later */
    uint32_t after_count;
    int32_t priority; /* enum trm_priority */
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
    trm_callback_fn
        done; /* called once, on a thread of the core, when the task has ended, with its status; may be NULL */
    void *user; /* of host and done */
};

struct trm_coordinator_desc {
    uint32_t struct_size;
    uint32_t compute_streams; /* that tasks are spread over; 0: chosen */
    uint32_t copy_streams;    /* for each direction; 0: 1 */
    uint32_t reserved;
};

/* desc may be NULL. Ownership: keeps the device alive. */
TRM_API int32_t trm_coordinator_create(struct trm_device *device, const struct trm_coordinator_desc *desc,
                                       struct trm_coordinator **coordinator);

/* Drops what was not submitted, waits for the rest. NULL is fine. Inside one of its own callbacks it sets DEADLOCK as last
 * error and does nothing. */
TRM_API void trm_coordinator_destroy(struct trm_coordinator *coordinator);

/* Add a task to what will be submitted. Buffers and kernel stay alive until it is done.
 * Errors      INVALID_ARGUMENT for an id that is in use or 0, or a task that lacks what its kind needs */
TRM_API int32_t trm_coordinator_add(struct trm_coordinator *coordinator, const struct trm_task *task);

/* Start what was added. All or nothing: when this fails, what was added since the last submit is dropped.
 *
 * Errors      NOT_FOUND naming a task and the unknown id that it comes after; DEADLOCK spelling the cycle out
 *             ("4 \"blur\" -> 7 -> 4 \"blur\""); as of the operations themselves, naming the task
 */
TRM_API int32_t trm_coordinator_submit(struct trm_coordinator *coordinator);

/* TRM_OK when done, TIMEOUT when not yet, else its failure: its own, or that of a task that it came after, naming that one.
 * NOT_FOUND for an id that is not known. */
TRM_API int32_t trm_coordinator_poll(struct trm_coordinator *coordinator, uint64_t id);

/* Wait for one, all that were submitted, or any of several. Block; timeout_ns as in trm_point_wait(). INVALID_ARGUMENT for a
 * task that was added and not submitted; wait_all answers the first failure. */
TRM_API int32_t trm_coordinator_wait(struct trm_coordinator *coordinator, uint64_t id, uint64_t timeout_ns);
TRM_API int32_t trm_coordinator_wait_all(struct trm_coordinator *coordinator, uint64_t timeout_ns);
TRM_API int32_t trm_coordinator_wait_any(struct trm_coordinator *coordinator, const uint64_t *ids,
                                         uint32_t count, uint64_t timeout_ns, uint32_t *which);

/* Forget all tasks that are done, so that their ids may be used again. */
TRM_API int32_t trm_coordinator_forget(struct trm_coordinator *coordinator);

TRM_API_END

#endif
