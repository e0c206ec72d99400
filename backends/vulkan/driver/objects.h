/* vulkan backend: its objects, and the small things that all files use.
 *
 * Where to look:
 *
 *     loader.h    libvulkan, opened at run time; the tables of functions (functions.h lists them)
 *     physical.h  what a physical device is and can do
 *     queue.h     queue families and queues: who shares one takes its lock
 *     heap.h      memory: large blocks, divided (memory.c is the table on top)
 *     timeline.h  one timeline semaphore a stream, and who waits for it
 *     batch.h     a stretch of a stream that is submitted at once
 *     stream.h    a stream: batches that are open, held back, or flying
 *     record.h    operations as commands, with the barriers that they need; for streams and graphs
 *     access.h    hazards: which barrier is needed between operations
 *     copy_kernel.h  copies by a kernel, where the driver's own are slow; and which are
 *     pace.h      when the program's kernels leave no room for kernels that copy
 *     profile.h   timestamps, told in the host's time
 *     staging.h   copies from and to host memory that the device does not reach
 *     module.h    SPIR-V as shader modules and pipelines
 *     several.h   kernels in which an invocation does the work of several
 *     service.h   the device's threads: notifications, and copies by the host
 *
 * Locks, in the order in which they may be taken: a stream's lock, device->lazy_lock or the stager's, device->stall_lock, a
 * queue's lock, a heap's lock. No two streams' locks at once. Nothing of the core but log() and fail() is called under any of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_OBJECTS_H
#define BACKENDS_VULKAN_DRIVER_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trireme/backend.h>
#include <trireme/backend_util.h>

#include "backends/vulkan/driver/loader.h"
#include "backends/vulkan/driver/physical.h"
#include "backends/vulkan/driver/queue.h"

#define VULKAN_RETIRED_MOST 16u
#define VULKAN_MAX_ARGUMENTS 64u

struct vulkan_heap;
struct vulkan_service;
struct vulkan_copy_kernel;
struct vulkan_stager;
struct vulkan_stamps;

enum vulkan_copies {
    VULKAN_COPIES_AUTO   = 0, /* each by what is known to be faster */
    VULKAN_COPIES_ENGINE = 1,
    VULKAN_COPIES_KERNEL = 2,
};

struct trm_backend_instance {
    const struct trm_host *host;
    struct vulkan_loader loader;
    VkInstance handle;
    struct vulkan_instance_functions vk;
    VkDebugUtilsMessengerEXT messenger; /* with the setting vulkan.validation */
    struct vulkan_physical *physicals;
    uint32_t physical_count, physical_capacity;
    uint32_t version;          /* of Vulkan, that the instance was made with */
    bool validates;            /* with the layer of the setting vulkan.validation */
    uint64_t spin_ns;          /* the setting vulkan.spin */
    enum vulkan_copies copies; /* the setting vulkan.copies */
    uint32_t items;            /* the setting vulkan.items; 0: as is best for the device */
    bool bounds;               /* the setting kernel.bounds: devices are opened with robust access */
};

/* How long the program's kernels take beside its large copies: see stream/kernel_timing.h. The counts are halved from
 * time to time, so that old measurements lose weight. Any thread. */
struct vulkan_kernel_timing {
    _Atomic uint64_t copied[2]; /* bytes of large copies: up, down */
    _Atomic uint64_t computed;  /* nanoseconds of all launches in the same time */
    _Atomic uint64_t kernel_ns; /* mean duration of the launches that were timed; 0: none was */
    _Atomic bool is_long;       /* kernels take so long that the copy engine does the copies */
};

#define VULKAN_COARSEN_MOST 8u

/* Which launches are coarsened: see spirv/coarsen.h. */
struct vulkan_coarsening {
    uint32_t items; /* 0, 1: none */
    uint64_t least; /* invocations of a grid */
};

/* What the streams of a device do about its loss; set with the device's service. */
struct vulkan_loss_hooks {
    /* Append what was running. The caller holds device->streams_lock. */
    void (*describe)(struct trm_backend_device *device, struct trm_util_text *text);
    /* Wake all threads that sleep for the device's streams. The caller holds no lock of the device. */
    void (*alarm)(struct trm_backend_device *device);
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
    const struct vulkan_physical *physical;
    VkDevice handle;
    bool copies_by_kernel, copies_small_by_engine; /* as in `physical` */
    uint64_t spin_ns;                              /* how long a wait looks before it sleeps; see device.c */
    bool borrowed;                                 /* handle is the application's */
    struct vulkan_loan *loan;                      /* adopt.c: then; else NULL */
    struct vulkan_device_functions vk;
    struct vulkan_queues queues;
    struct vulkan_kernel_timing kernel_timing;
    struct vulkan_coarsening coarsening;
    struct vulkan_heap *heap;
    struct vulkan_service *service;                   /* threads are started when first needed */
    struct vulkan_stamps *stamps;                     /* profile.c */
    struct vulkan_stager *stager;                     /* staging.c; made when the device is opened */
    _Atomic(struct trm_backend_memory *) dummy;       /* record.c: what descriptors of empty spans point to */
    _Atomic(struct vulkan_copy_kernel *) copy_kernel; /* copy_kernel.c; made when first needed */
    pthread_mutex_t lazy_lock;                        /* held while these two are made */
    VkPipelineCache pipeline_cache;
    void *pipeline_cache_state; /* pipeline_cache.c */

    /* Streams whose next batch waits for something that has not been submitted yet. */
    pthread_mutex_t stall_lock;
    struct trm_backend_stream *stalled; /* by stream->next_stalled */
    _Atomic uint32_t stalled_count;
    _Atomic(VkSemaphore) retired[VULKAN_RETIRED_MOST]; /* timeline.c: to be destroyed when others have gone */
    _Atomic uint32_t retired_count;

    const struct vulkan_loss_hooks *loss_hooks; /* NULL until streams can exist */
    _Atomic int32_t lost; /* TRM_OK or TRM_ERROR_DEVICE_LOST; latched by vulkan_device_lose() */
    char lost_sentence[512];
    pthread_mutex_t streams_lock;
    struct trm_backend_stream *streams; /* all of them, by stream->next: for the report of a loss */
};

/* ---- failure.c ---------------------------------------------------------------------------------- */

/* What a VkResult is to the core: the one place where they are translated. Never TRM_OK for a negative one. */
int32_t vulkan_status(VkResult result);
const char *vulkan_result_name(VkResult result); /* "VK_ERROR_DEVICE_LOST" */

/* `call` of the device has answered `result`, which is negative: a sentence that names both, and the device latched as lost
 * where it is. Returns the status. */
int32_t vulkan_device_fail(struct trm_backend_device *device, VkResult result, const char *call)
    __attribute__((cold));

/* TRM_OK, or DEVICE_LOST, explained again with the first cause. One load where all is well. */
int32_t vulkan_device_check(struct trm_backend_device *device);
static inline bool vulkan_device_is_lost(const struct trm_backend_device *device)
{
    return atomic_load_explicit(&device->lost, memory_order_acquire) != TRM_OK;
}

#endif
