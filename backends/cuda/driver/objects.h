/* cuda backend: the instance and the device, which all rooms use.
 *
 * A device carries the parts that other rooms add to it (its pool, timestamps, watcher threads) as opaque
 * pointers: the room that is named beside a pointer creates and destroys what it points to.
 *
 * Locks, in the order in which they may be taken: a device's quiet_lock, that of the instance's NCCL
 * (collective/library.h), the instance's follow_lock, its
 * defer_lock, a device's streams_lock, a stream's lock, all other locks, the lock of a stream's marks. A
 * thread never holds two streams' locks. Under a lock the backend calls only log(), fail() and the allocator
 * of the core, and nothing that waits for the device, except where the lock's comment says so.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_OBJECTS_H
#define CUDA_DRIVER_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trireme/backend_util.h>

#include "loader.h"
#include "physical.h"

/* Devices, by index, of which a device remembers whether it reaches their memory. */
#define CUDA_PEERS 64u
/* Open devices whose loss fails the streams of other devices that waited for theirs, and outcomes. */
#define CUDA_FOLLOWED 64u

struct cuda_blocking_waits;
struct cuda_compiler;
struct cuda_nccl;
struct cuda_pageable;
struct cuda_pool;
struct cuda_stamps;
struct cuda_watchers;

/* Work of several devices that fails as a whole, such as that of a communicator. `status` is written
 * last. */
struct cuda_outcome {
    _Atomic int32_t status; /* TRM_OK while it has not failed */
    int64_t native;
    char sentence[512];
    uint64_t follow_bit; /* of instance->outcomes; 0: none */
    bool is_left;        /* only streams ask for it; under follow_lock */
    struct cuda_outcome *next;
};

/* What stays on a device, such as a kernel. Called under the device's quiet_lock. */
struct cuda_quiet_member {
    void (*pause)(struct cuda_quiet_member *member);  /* let it end soon, and do not begin again */
    void (*await)(struct cuda_quiet_member *member);  /* block until it has ended */
    void (*resume)(struct cuda_quiet_member *member); /* begin again where there is work */
    struct cuda_quiet_member *next;
};

/* Which launches let a thread compute several items, where the code leaves it to the launch. */
enum cuda_coarsening {
    CUDA_COARSEN_AUTO = 0, /* those that are large for the device */
    CUDA_COARSEN_ALWAYS,
    CUDA_COARSEN_NEVER,
};

struct trm_backend_instance {
    const struct trm_host *host;
    struct cuda_loader loader;
    struct cuda_functions cuda;
    int driver_version; /* 13000 is 13.0 */
    struct cuda_physical *physicals;
    uint32_t physical_count;
    uint64_t spin_ns;                /* the setting cuda.spin */
    enum cuda_coarsening coarsening; /* the setting cuda.coarsen */
    _Atomic uint64_t devices_opened; /* device/device.c: the last device's serial */

    /* Held while `compiler` is created, and around calls of an NVRTC that is not thread-safe. */
    pthread_mutex_t compiler_lock;
    struct cuda_compiler *compiler; /* module/compiler.c; created when first needed */
    /* Set with `compiler`: destroys it. */
    void (*compiler_close)(struct trm_backend_instance *instance);

    pthread_mutex_t nccl_lock; /* held while NCCL is opened */
    struct cuda_nccl *nccl;    /* collective/library.c; created when first needed */
    /* Set with `nccl`: destroys it. */
    void (*nccl_close)(struct trm_backend_instance *instance);

    /* stream/deferred_submit.c: guards the streams' deferred operations and their state. */
    pthread_mutex_t defer_lock;
    struct trm_backend_stream *deferring; /* streams with deferred operations, by next_deferring */

    pthread_mutex_t follow_lock; /* stream/follow.c; held while a device is asked whether it is lost */
    /* Each place is a device's or an outcome's. */
    struct trm_backend_device *followed[CUDA_FOLLOWED];
    struct cuda_outcome *outcomes[CUDA_FOLLOWED];
    bool has_unfollowed; /* a device got no place */
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
    const struct cuda_functions *cuda; /* the instance's */
    const struct cuda_physical *physical;
    CUdevice handle;
    CUcontext context;        /* the primary context, retained; or an application's own */
    bool borrowed;            /* the context is the application's */
    bool needs_context;       /* this driver's stream calls need a current context; see context.c */
    uint64_t spin_ns;         /* how long a wait polls before it blocks */
    CUstream internal_stream; /* memory/pool.c; memory/pool.h says what it is for */

    struct cuda_pool *pool;                     /* memory/pool.c; NULL where the driver has no pools */
    struct cuda_pageable *pageable;             /* memory/pageable.c; created when first needed */
    struct cuda_stamps *stamps;                 /* profile/profile.c; created when first needed */
    struct cuda_blocking_waits *blocking_waits; /* driver/blocking_wait.c */
    struct cuda_watchers *watchers;             /* stream/watcher.c; its threads start when first needed */
    pthread_mutex_t lazy_lock;                  /* held while a part is created when first needed */
    pthread_mutex_t textures_lock;              /* memory/texture.c; held while a texture object is created */

    uint64_t serial;                    /* unique in the instance */
    uint64_t follow_bit;                /* of instance->followed; 0: none */
    _Atomic uint64_t peers[CUDA_PEERS]; /* stream/peer.c: by index: 2 * serial, and 1 where reachable */
    _Atomic uint64_t kernels_created;   /* module/kernel.c: the last kernel's serial */
    _Atomic uint32_t replays;           /* stream/replay.c: how many single-node graphs exist */

    _Atomic int32_t lost; /* TRM_OK or TRM_ERROR_DEVICE_LOST; set once, by on_loss */
    CUresult lost_result; /* what the driver answered then */
    char lost_sentence[512];
    pthread_mutex_t streams_lock;
    struct trm_backend_stream *streams; /* all of them, by stream->next */

    pthread_mutex_t quiet_lock;              /* quiet.c; held while kernels that stay are stopped */
    struct cuda_quiet_member *quiet_members; /* under quiet_lock, as the next */
    uint32_t quiet_depth;

    /* The stream room's part, set when the device is opened (stream/device_loss.c). on_loss latches the loss
     * of the device, says what was running, and wakes all threads that wait. on_kernel_unload drops what
     * streams keep of a kernel that is about to be destroyed. */
    void (*on_loss)(struct trm_backend_device *device, CUresult result, const char *call);
    void (*on_kernel_unload)(struct trm_backend_device *device, const struct trm_backend_kernel *kernel);
};

#endif
