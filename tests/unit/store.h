/* A backend for tests of memory: its operations are kept in a queue and run when the test says so,
 * or when a thread waits. What a store has, which slots, and how it fails is set before it is
 * opened. One thread at a time but for what `lock` guards.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_STORE_H
#define TESTS_UNIT_STORE_H

#include <pthread.h>

#include "core/memory/buffer.h"
#include "core/stream/stream_object.h"

/* What is in a queue. */
struct store_operation {
    uint64_t value;
    struct trm_copy_desc copy; /* size 0: nothing is copied */
    struct trm_copy_2d_desc copy_2d;
    struct trm_fill_desc fill;
    struct trm_backend_stream *other; /* of a wait */
    uint64_t other_value;
    struct store_operation *next;
};

/* One device and everything that is counted about it. */
struct store {
    /* what it is */
    uint64_t unified;
    uint64_t kind;             /* enum trm_device_kind; 0: unknown */
    uint64_t alignment;        /* 0: 1 */
    uint64_t max_buffer_bytes; /* 0: 2^40 */
    uint64_t memory_limit;     /* bytes; 0: none */
    int32_t no_pinned;         /* 1: UNSUPPORTED */
    int32_t immediate;         /* 1: operations run in the call */
    int32_t no_address;        /* 1: asking for a host address fails */

    /* what happened */
    pthread_mutex_t lock;
    uint64_t allocations, frees, bytes; /* of the driver */
    uint64_t largest;                   /* bytes of one allocation */
    uint64_t copies, copies_2d, fills, launches, unloads, peer_copies, prefetches;
    struct trm_launch_desc last_launch;
    struct trm_launch_argument last_arguments[32];
    int32_t fail_next; /* a status that the next enqueueing call answers with */

    struct core_backend backend;
    struct core_device *core;
    struct trm_device *device; /* handle */
};

/* Fill in `backend` with every slot, so that a test can take some away; then open. */
void store_prepare(struct store *store, const char *name);
void store_open(struct store *store, struct trm_context *context);
void store_close(struct store *store); /* and check that all of its memory has come back */

/* The same as one: a context, and a device with every slot. */
struct trm_context *store_context(const struct trm_allocator *allocator);

struct trm_stream *store_stream(struct store *store);

/* Run everything that was enqueued on a stream up to `value`; UINT64_MAX: all. */
void store_run(struct trm_stream *stream, uint64_t value);

/* Make the stream fail. */
void store_fail(struct trm_stream *stream, int32_t status);

/* The bytes behind a buffer, seen or not seen by the host. */
unsigned char *store_bytes(struct trm_buffer *buffer);

#endif
