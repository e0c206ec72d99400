/* The device room: open devices.
 *
 * device       opening, adopting and closing, loss, and the count of the objects on a device
 * device_info  properties
 *
 * The rooms above keep their parts in struct core_device; this room does not touch them. It opens and
 * closes them through core_device_hooks, which core/context supplies. Children (streams, buffers, modules,
 * ...) hold references, so a device closes after the last of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_DEVICE_DEVICE_H
#define CORE_DEVICE_DEVICE_H

#include <pthread.h>
#include <trireme/device.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/plugin/plugin.h"

struct core_deferred;
struct core_event_pool;
struct core_pool;
struct core_profile_part;
struct core_stream;

/* Properties that calls need often, read once when the device is opened. */
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
    uint64_t has_peer_kernels; /* kernels take buffers of devices that the device can access */
};

enum core_device_attention {
    CORE_DEVICE_LOST     = 1u << 0, /* is_lost */
    CORE_DEVICE_PROFILED = 1u << 1, /* a profile is on */
    CORE_DEVICE_TIMED    = 1u << 2, /* one that takes times */
};

struct core_device {
    struct core_object object;
    struct core_backend *backend;
    struct trm_backend_device *device; /* the backend's */
    /* How many calls of trm_device_destroy() the handle takes: 1 and one for each trm_stream_device(). */
    _Atomic uint32_t users;
    uint32_t index;
    char id[64];
    struct core_device_limits limits;
    int32_t numa_node; /* of the host's memory; BASE_NUMA_NONE: no matter, or unknown */

    _Atomic uint32_t live[CORE_TYPES]; /* objects by enum core_type, for the leak report */
    _Atomic uint64_t buffer_bytes;
    _Atomic uint64_t peak_buffer_bytes;

    /* Guards the members up to `internal_lock`. A leaf lock: no backend and no program code runs under it. */
    pthread_mutex_t lock;
    struct core_stream *streams;                    /* all that are not retired */
    struct core_deferred *deferred, *deferred_last; /* core/stream/deferred.c, oldest first */
    _Atomic uint32_t deferred_count;                /* read without the lock */
    _Atomic uint64_t ends;                          /* streams that have ended, and the handle's death */
    struct core_event_pool *events;                 /* core/event/event_pool.c */
    bool has_thread_key;
    /* Each thread's value is the handle of its own stream; core/stream/thread_stream.c. */
    pthread_key_t thread_key;

    /* The number of streams that belong to the device (CORE_STREAM_OWNED) and are not retired. A futex:
     * closing the device waits until it is 0. */
    _Atomic uint32_t owned_streams;

    /* Guards `internal` and is held while it is in use, also across waits. Work under it never needs
     * another stream, a callback or the program. */
    pthread_mutex_t internal_lock;
    struct core_stream *internal; /* the core's own stream, created at first use */

    struct core_pool *pool; /* core/memory/pool.c */
    /* Set by the pool: releases the memory that was freed in the order of a stream, which is drained. */
    void (*end_parked)(struct core_stream *stream);

    struct core_profile_part *profile; /* core/stream/profile.h: the one that is on; under `lock` */
    _Atomic uint32_t attention;        /* enum core_device_attention: what calls to streams must look at */
    struct core_device *next;          /* context->devices; it and the next one under context->devices_lock */
    bool is_followed;                  /* the context's profile knows the device */
    _Atomic uint32_t side_by_side;     /* streams, as measured by pipeline/pool; 0: not yet */
    struct base_lock measure_lock;     /* held while pipeline/pool measures them */
    bool was_measured;                 /* or could not be; under measure_lock */
    /* Other devices to which copies were staged, as the log was told: bit i stands for number i modulo 64. */
    _Atomic uint64_t staged_with;
    _Atomic bool is_lost;
    struct base_failure loss; /* the first cause; written before is_lost is set */
};

/* Opens and closes the parts of a device that the rooms above own. core/context supplies the table. */
struct core_device_hooks {
    /* The backend's device is open: create the memory pool. */
    int32_t (*open)(struct core_device *device);
    /* The device is complete. */
    void (*opened)(struct core_device *device);
    /* The handle is dead and no call is inside: end the threads' own streams. */
    void (*retire)(struct core_device *device);
    /* Destroy deferred objects whose work has completed. */
    void (*reap)(struct core_device *device);
    /* No object refers to the device any more: close and free all parts. */
    void (*close)(struct core_device *device);
};

/* Whether it is lost; then `loss` can be read. */
static inline bool core_device_is_lost(const struct core_device *device)
{
    return atomic_load_explicit(&device->is_lost, memory_order_acquire);
}

static inline struct core_device *core_device_find(struct trm_device *handle)
{
    return core_object_find(handle, CORE_DEVICE);
}

/* Opens device number `index` of a backend. The caller publishes it. */
int32_t core_device_create(struct core_context *context, struct core_backend *backend, uint32_t index,
                           struct core_device **device);

/* The same on top of an application's own one. Requires interop.adopt of the backend. */
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

/* What trm_device_get_info() does. */
int32_t core_device_info(struct core_device *device, uint32_t key, void *value, size_t capacity,
                         size_t *needed);

/* Latches DEVICE_LOST, which a backend's function returned and the last error explains, unless the backend
 * says that another device is lost, and not this one. Returns the status to pass on: `status`, or the first
 * cause on a lost device. Calls the backend, so the caller holds no lock under which none may run. */
int32_t core_device_latch_loss(struct core_device *device, int32_t status);

/* TRM_OK, or the first cause, set as the last error, if the device is lost. */
int32_t core_device_check(struct core_device *device);

#endif
