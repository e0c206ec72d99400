/* vulkan backend: the instance and the device, and how VkResults become errors.
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

#define VULKAN_MAX_ARGUMENTS 256u

struct vulkan_heap;
struct vulkan_service;
struct vulkan_copy_kernel;
struct vulkan_layouts;
struct vulkan_line;
struct vulkan_stager;
struct vulkan_stamps;
struct vulkan_timeline;

enum vulkan_copies {
    VULKAN_COPIES_AUTO   = 0, /* the faster one for each copy, as far as is known */
    VULKAN_COPIES_ENGINE = 1,
    VULKAN_COPIES_KERNEL = 2,
};

struct trm_backend_instance {
    const struct trm_host *host;
    struct vulkan_loader loader;
    VkInstance handle;
    struct vulkan_instance_functions vk;
    VkDebugUtilsMessengerEXT messenger; /* NULL without the setting vulkan.validation */
    struct vulkan_physical *physicals;
    uint32_t physical_count, physical_capacity;
    uint32_t version;          /* of Vulkan, as requested from vkCreateInstance */
    bool validates;            /* the validation layer is on */
    uint64_t spin_ns;          /* the setting vulkan.spin */
    enum vulkan_copies copies; /* the setting vulkan.copies */
    uint32_t items;            /* the setting vulkan.items; 0: the default of the device */
    uint32_t unroll;           /* the setting vulkan.unroll; 0: the default of the device */
    bool bounds;               /* the setting kernel.bounds: devices are opened with robust buffer access */
};

/* How long the program's kernels take compared with its large copies: see stream/kernel_timing.h. The sums
 * are halved from time to time, so that old values lose weight. Any thread. */
struct vulkan_kernel_timing {
    _Atomic uint64_t copied[2]; /* bytes of large copies: up, down */
    _Atomic uint64_t computed;  /* estimated nanoseconds of all launches in the same time */
    _Atomic uint64_t kernel_ns; /* mean duration of the timed launches; 0: none yet */
    _Atomic bool is_long;       /* kernels take so long that copies use the copy engine */
};

#define VULKAN_COARSEN_MOST 8u

/* Which launches run the coarsened kernel: see spirv/coarsen.h. */
struct vulkan_coarsening {
    uint32_t items; /* the coarsening factor; 0 and 1: off */
    uint64_t least; /* fewest invocations of a grid */
};

/* How many rounds a turn of an unrolled loop does: see spirv/unroll.h. */
#define VULKAN_UNROLL_MOST 16u
#define VULKAN_UNROLL_AUTO UINT32_MAX

/* What happens to the streams of a device that is lost. Installed by the device's service. */
struct vulkan_loss_hooks {
    /* Append what was running. The caller holds device->streams_lock. */
    void (*describe)(struct trm_backend_device *device, struct trm_util_text *text);
    /* Wake all threads that sleep for streams of the device. The caller does not hold streams_lock. */
    void (*alarm)(struct trm_backend_device *device);
};

/* Timelines without references, by timeline->next_retired: see stream/retire.h. */
struct vulkan_retired {
    _Atomic(struct vulkan_timeline *) fresh;
    _Atomic uint32_t fresh_count;
    _Atomic bool is_collecting;     /* one thread at a time does, and the field below is its own */
    struct vulkan_timeline *marked; /* destroyed when all queues have passed their marks */
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
    const struct vulkan_physical *physical;
    VkDevice handle;
    bool copies_by_kernel, copies_small_by_engine; /* as in `physical` */
    uint64_t spin_ns;                              /* how long a wait polls before it sleeps */
    bool borrowed;                                 /* `handle` belongs to the application */
    struct vulkan_loan *loan;                      /* the application's device (adopt.c); NULL: our own */
    struct vulkan_device_functions vk;
    struct vulkan_queues queues;
    struct vulkan_kernel_timing kernel_timing;
    struct vulkan_coarsening coarsening;
    uint32_t unroll; /* rounds in a turn, or VULKAN_UNROLL_AUTO; 1: loops stay */
    struct vulkan_heap *heap;
    struct vulkan_service *service; /* its threads start when they are first needed */
    struct vulkan_stamps *stamps;   /* profile.c */
    struct vulkan_stager *stager;   /* staging.c; made when the device is opened */
    struct vulkan_layouts *layouts; /* image/layout.c; made when the device is opened */
    /* Memory for descriptors of empty spans; made when first needed. */
    _Atomic(struct trm_backend_memory *) dummy;
    _Atomic(struct vulkan_copy_kernel *) copy_kernel; /* copy_kernel.c; made when first needed */
    struct vulkan_line *line;                         /* resident/line.c; NULL: no resident streams */
    pthread_mutex_t lazy_lock;                        /* held while these three are made */
    VkPipelineCache pipeline_cache;
    void *pipeline_cache_state; /* pipeline_cache.c */

    /* Streams whose next batch waits for a value that has not been submitted yet. */
    pthread_mutex_t stall_lock;
    struct trm_backend_stream *stalled; /* by stream->next_stalled */
    _Atomic uint32_t stalled_count;
    struct vulkan_retired retired; /* stream/retire.c */

    const struct vulkan_loss_hooks *loss_hooks; /* NULL before the service exists */
    _Atomic int32_t lost;                       /* TRM_OK, or TRM_ERROR_DEVICE_LOST once the device is lost */
    char lost_sentence[512];
    pthread_mutex_t streams_lock;
    struct trm_backend_stream *streams; /* all of them, by stream->next */
};

/* ---- failure.c ---------------------------------------------------------------------------------- */

/* The status for a VkResult; all translation happens here. Never TRM_OK for a negative result. */
int32_t vulkan_status(VkResult result);
const char *vulkan_result_name(VkResult result); /* "VK_ERROR_DEVICE_LOST" */

/* Explain that `call` returned `result`, which is negative, and latch the loss if that is
 * VK_ERROR_DEVICE_LOST. Returns the status. */
int32_t vulkan_device_fail(struct trm_backend_device *device, VkResult result, const char *call)
    __attribute__((cold));

/* TRM_OK, or DEVICE_LOST, explained with the first cause. Costs one load while the device works. */
int32_t vulkan_device_check(struct trm_backend_device *device);
static inline bool vulkan_device_is_lost(const struct trm_backend_device *device)
{
    return atomic_load_explicit(&device->lost, memory_order_acquire) != TRM_OK;
}

#endif
