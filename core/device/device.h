/* Devices.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_DEVICE_DEVICE_H
#define CORE_DEVICE_DEVICE_H

#include <pthread.h>
#include <trireme/device.h>

#include "core/object/object.h"
#include "core/plugin/plugin.h"

struct core_deferred;
struct core_event_pool;
struct core_pool;
struct core_stream;

/* Facts that calls need often, asked once when the device is opened. */
struct core_device_limits {
    uint64_t unified;
    uint64_t synchronous;
    uint64_t mapped;
    uint64_t memory_total;
    uint64_t max_groups[3];
    uint64_t max_group_size[3];
    uint64_t max_group_items;
    uint64_t max_shared_bytes;
    uint64_t max_buffer_bytes;
    uint64_t max_arguments;
    uint64_t buffer_alignment;
};

struct core_device {
    struct core_object object;
    struct core_backend *backend;
    struct trm_backend_device *device; /* the plugin's */
    _Atomic uint32_t users;            /* trm_stream_device()s + 1: how often it is to be destroyed */
    uint32_t index;
    char id[64];
    struct core_device_limits limits;

    _Atomic uint32_t live[CORE_TYPES]; /* objects by enum core_type, for the leak report */
    _Atomic uint64_t buffer_bytes;
    _Atomic uint64_t peak_buffer_bytes;

    /* Guards what follows up to `internal_lock`. A leaf: nothing of a backend and nothing of the
     * program is called under it. */
    pthread_mutex_t lock;
    struct core_stream *streams;                    /* every one that is not retired */
    struct core_deferred *deferred, *deferred_last; /* core/stream/deferred.c, oldest first */
    _Atomic uint32_t deferred_count;                /* read without the lock */
    struct core_event_pool *events;                 /* core/stream/event_pool.c */
    bool has_thread_key;
    pthread_key_t thread_key; /* the handle of each thread's own stream; core/stream/thread_stream.c */

    /* Streams that belong to the device (CORE_STREAM_OWNED) and are not retired: a futex that the
     * end of the device waits on. */
    _Atomic uint32_t owned_streams;

    /* Guards `internal` and is held while it is used. May be held across waiting; nothing that it
     * is held for needs another stream, a callback or the program. */
    pthread_mutex_t internal_lock;
    struct core_stream *internal; /* the core's own stream, made at first use */

    struct core_pool *pool; /* core/memory/pool.c */
    /* Set by the pool: releases the memory that was freed in the order of a stream, which is drained. */
    void (*end_parked)(struct core_stream *stream);

    /* 1: loss holds the first cause, written before this is set */
    _Atomic uint32_t lost;
    struct base_failure loss;
};

/* What the rooms above this one do with their parts of a device; core/context supplies the table. */
struct core_device_hooks {
    /* The backend's device is open: makes the memory pool. */
    int32_t (*open)(struct core_device *device);
    /* The handle is dead and no call is inside: ends the threads' own streams. */
    void (*retire)(struct core_device *device);
    /* Frees what was deferred until work that has completed meanwhile. */
    void (*reap)(struct core_device *device);
    /* No object refers to the device any more: ends and frees all that `open` and later calls made. */
    void (*close)(struct core_device *device);
};

static inline struct core_device *core_device_find(struct trm_device *handle)
{
    return core_object_find(handle, CORE_DEVICE);
}

/* Open device number `index` of a backend: what trm_device_open() does once it knows which. */
int32_t core_device_create(struct core_context *context, struct core_backend *backend, uint32_t index,
                           struct core_device **device);

/* A device of a backend on top of an application's own: what trm_device_adopt() does. The backend can do
 * that. */
int32_t core_device_adopt(struct core_context *context, struct core_backend *backend, int32_t type,
                          const void *native, struct core_device **device);

/* Counts a new child in live[type] and retains the device; the reverse. */
void core_device_add_child(struct core_device *device, enum core_type type);
void core_device_remove_child(struct core_device *device, enum core_type type);

/* The first half of removing, for a child that ends before its memory is freed: its last reference then
 * releases the device. */
void core_device_uncount_child(struct core_device *device, enum core_type type);

/* One more trm_device_destroy() until the handle is dead. Errors: INVALID_HANDLE when it is dead already. */
int32_t core_device_add_user(struct core_device *device, struct trm_device **handle);

/* Latches DEVICE_LOST, which a backend's function returned, with its cause. Returns the status to pass on:
 * `status`, or the first cause on a lost device. */
int32_t core_device_latch_loss(struct core_device *device, int32_t status);

/* TRM_OK, or the first cause (raised) if the device is lost. */
int32_t core_device_check(struct core_device *device);

#endif
