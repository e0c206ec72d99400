/* cuda backend, room `collective`: collectives by NCCL, which is opened at run time.
 *
 *     library.c       opens libnccl and fills the table of functions that library.h lists
 *     communicator.c  creates, ends and destroys communicators; the table
 *     operation.c     a call, as an operation of a stream
 *     watch.c         a thread of each communicator that ends it when a device is lost or NCCL fails
 *
 * A call is an operation of one stream, of the first device: it may be deferred, fails and is waited for
 * as any other. When it is submitted, NCCL's work is enqueued on the lanes, a stream of each device that
 * is NCCL's alone; they wait for the stream by an event, and the stream waits for them.
 *
 * Work of NCCL on one device waits for that on the others, so it never ends when one of them is lost. The
 * driver does not report that to the other devices. So the thread checks while work is under way, fails the
 * streams of that work, and lets NCCL abort it.
 *
 * Locks: cuda_nccl.lock (library.h), then communicator->lock, then a stream's lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_COLLECTIVE_COLLECTIVE_H
#define CUDA_COLLECTIVE_COLLECTIVE_H

#include "library.h"

extern const struct trm_collective_ops cuda_collective_ops;

/* A device of a communicator. */
struct cuda_member {
    struct trm_backend_device *device;
    struct cuda_nccl_rank *rank; /* NULL once it is aborted */
    CUstream lane;
    CUevent done; /* in the lane, behind a call */
};

/* A stream whose last operation with NCCL is `value`. */
struct cuda_flight {
    struct cuda_flight *next;
    struct trm_backend_stream *stream; /* its memory is kept */
    uint64_t value;
};

struct trm_backend_communicator {
    struct trm_backend_instance *instance;
    struct cuda_nccl *nccl;
    CUevent begin; /* in the stream of a call, before it */

    /* Why it ended; written under nccl->lock. Where it has failed, nccl->failures keeps it. */
    struct cuda_outcome *outcome;

    pthread_t watcher;
    bool has_watcher;
    pthread_mutex_t lock;    /* all below but the members */
    pthread_cond_t changed;  /* `is_busy` or `is_ending` is set */
    bool is_busy, is_ending; /* NCCL has work; the communicator is being destroyed */
    struct cuda_flight *flights;

    uint32_t count;
    struct cuda_member members[];
};

/* Enqueue a call; the table's slot. */
int32_t cuda_collective_enqueue(struct trm_backend_communicator *communicator,
                                struct trm_backend_stream *stream, uint64_t value,
                                const struct trm_collective_desc *desc);

/* Between these two calls no kernel stays on the communicator's devices: NCCL may wait for all work of a
 * device. */
void cuda_communicator_quiet_begin(struct trm_backend_communicator *communicator);
void cuda_communicator_quiet_end(struct trm_backend_communicator *communicator);

/* Keep the current context of the thread, which NCCL changes, and restore it. */
CUcontext cuda_communicator_enter(const struct trm_backend_communicator *communicator);
void cuda_communicator_leave(const struct trm_backend_communicator *communicator, CUcontext previous);
/* Make the device's context current, between these two. Under nccl->lock, where no device may fail, this
 * takes the place of cuda_enter(). */
CUresult cuda_communicator_visit(const struct trm_backend_device *device);

/* With nccl->lock: note why the communicator ends, if it has not ended. */
void cuda_communicator_fail(struct trm_backend_communicator *communicator, int32_t status, int64_t native,
                            const char *sentence);
/* Without nccl->lock, while the devices are quiet: let NCCL end what it does, and wait for that and for all
 * else in the lanes. Work of other communicators may be there that does not end before their threads, which
 * need the lock, abort it. */
void cuda_communicator_abort(struct trm_backend_communicator *communicator);

/* TRM_OK, or the failure, explained. */
int32_t cuda_communicator_check(struct trm_backend_communicator *communicator);

/* False: there is no memory or no thread. */
bool cuda_watch_start(struct trm_backend_communicator *communicator);
void cuda_watch_stop(struct trm_backend_communicator *communicator);
/* A stream of the communicator has the operation `value`. `flight` is taken. */
void cuda_watch_add(struct trm_backend_communicator *communicator, struct cuda_flight *flight,
                    struct trm_backend_stream *stream, uint64_t value);

#endif
