/* Shared by the files of the shim.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_SHIM_H
#define VULKAN_SHIM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "functions.h"

#define SHIM_FAMILIES_MOST 8u
#define SHIM_QUEUES_MOST 16u
#define SHIM_HIDDEN_MOST 32u
#define SHIM_NAME_BYTES 64u

/* ---- config.c ---------------------------------------------------------------------------------- */

struct shim_family {
    VkQueueFlags flags;
    uint32_t queues;
    uint32_t timestamp_bits;
};

enum shim_memory_model {
    SHIM_MEMORY_REAL,
    SHIM_MEMORY_DISCRETE,
    SHIM_MEMORY_BAR,
    SHIM_MEMORY_APART
};

struct shim_limits { /* 0: unchanged */
    uint64_t maxStorageBufferRange, maxPushConstantsSize, maxMemoryAllocationCount,
        maxComputeSharedMemorySize, maxPushDescriptors, maxMemoryAllocationSize, heap;
};

enum shim_forked {
    SHIM_FORKED_WORKS,
    SHIM_FORKED_REFUSE,
    SHIM_FORKED_ABORT,
    SHIM_FORKED_HANG,
    SHIM_FORKED_HIDE,
};

struct shim_config {
    char hidden[SHIM_HIDDEN_MOST][SHIM_NAME_BYTES];
    uint32_t hidden_count;
    uint32_t api;    /* VK_MAKE_API_VERSION; UINT32_MAX: unchanged */
    uint32_t driver; /* VkDriverId; 0: unchanged */
    struct shim_limits limits;
    struct shim_family families[SHIM_FAMILIES_MOST];
    uint32_t family_count; /* 0: unchanged */
    uint32_t delay_us;
    enum shim_memory_model memory;
    bool strict;
    bool compares;
    uint32_t loads; /* how often the driver can be loaded; 0: any number */
    enum shim_forked forked;
};

/* Written only while there is no instance. */
extern struct shim_config shim_config;

void shim_configure(void);
bool shim_hides(const char *extension);

/* ---- instance.c -------------------------------------------------------------------------------- */

/* What creating a device returns in the forked child of a process that has used the driver. */
VkResult shim_forked(void);

/* ---- entry.c ----------------------------------------------------------------------------------- */

extern struct shim_real shim_real;

/* Functions that were looked up and are not wrapped. */
uint64_t shim_strangers(char *first, uint64_t capacity);

/* Looks up the real functions, once there is an instance. */
void shim_resolve(VkInstance instance);

/* The wrappers, shim_vkCreateBuffer() and so on. */
#define SHIM_DECLARE(name) __typeof__(*(PFN_##name)0) shim_##name;
SHIM_FUNCTIONS(SHIM_DECLARE)
#undef SHIM_DECLARE

/* ---- fault.c ----------------------------------------------------------------------------------- */

struct shim_device;

/* Counts a call. Returns what it shall return instead of doing its work; VK_SUCCESS: do it. */
VkResult shim_call(enum shim_function function);

/* The same for a function that can return VK_ERROR_DEVICE_LOST. */
VkResult shim_call_device(enum shim_function function, struct shim_device *device);

void shim_fault_configure(void);

/* ---- ledger.c ---------------------------------------------------------------------------------- */

/* A live object. `first` and `second` belong to its creator: bytes and type of memory, the family of a
 * command pool or buffer; `second` of a command buffer: the host cannot see all results of queries that it
 * copies. */
struct shim_record {
    struct shim_record *next;
    const char *kind; /* "VkBuffer" */
    uint64_t handle, parent;
    uint64_t first, second;
    uint32_t pending; /* submissions that use it */
};

#define SHIM_HANDLE(handle) ((uint64_t)(handle))

void shim_made(const char *kind, uint64_t handle, uint64_t parent, uint64_t first, uint64_t second);

/* The object is about to be destroyed, with its children if `with_children`. A breach if it is not alive, if
 * submitted work uses it, or, without `with_children`, if a child is alive. */
void shim_ended(const char *kind, uint64_t handle, bool with_children);

/* A copy of its record; false: no such object. */
bool shim_known(const char *kind, uint64_t handle, struct shim_record *record);

void shim_set_second(const char *kind, uint64_t handle, uint64_t second);

/* A submission begins (+1) or ends (-1) to use it. */
void shim_pending(const char *kind, uint64_t handle, int change);

void shim_breach(const char *format, ...) __attribute__((format(printf, 1, 2)));

uint64_t shim_allocated(uint64_t type); /* bytes of memory of a type; UINT64_MAX: of all types */
uint64_t shim_living_of(const char *kind);
uint64_t shim_living(char *first, uint64_t capacity);
uint64_t shim_breaches(char *first, uint64_t capacity);
void shim_forget_breaches(void);

/* Around a fork, so that no lock is held in the child. */
void shim_ledger_lock(void);
void shim_ledger_unlock(void);
void shim_fault_lock(void);
void shim_fault_unlock(void);
void shim_devices_lock(void);
void shim_devices_unlock(void);

/* ---- memory.c ---------------------------------------------------------------------------------- */

/* Replaces the device's memory properties. No change with SHIM_MEMORY_REAL. */
void shim_memory_properties(VkPhysicalDeviceMemoryProperties *properties);
void shim_memory_budget(VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget);

/* ---- device.c ---------------------------------------------------------------------------------- */

struct shim_device {
    struct shim_device *next;
    VkDevice handle;
    VkPhysicalDevice physical;
    uint32_t family_count;     /* that it was created with */
    VkQueue real_queue;        /* behind all queues, with configured families */
    PFN_vkWaitSemaphores wait; /* the device's own functions, under whichever name */
    PFN_vkSignalSemaphore raise;
    pthread_mutex_t submit_lock; /* held around uses of real_queue */
    pthread_mutex_t lock;        /* protects all below */
    pthread_cond_t changed;
    bool losing, lost; /* losing: no more work begins; lost: nothing runs any more */
    uint32_t inside;   /* threads in driver calls that may run work */
    struct shim_queue *queues;
};

struct shim_device *shim_device_of(VkDevice handle);

/* Whether the device is lost; while it is being lost, waits until nothing runs any more. */
bool shim_device_is_lost(struct shim_device *device);
bool shim_device_is_losing(struct shim_device *device);

/* Around driver calls that may run work; false: the device is lost. */
bool shim_device_enter(struct shim_device *device);
void shim_device_leave(struct shim_device *device);

/* From now on every call reports the loss. Returns when nothing runs any more, which the shim can ensure only
 * with configured families. */
void shim_device_lose(struct shim_device *device);

/* ---- queue.c ----------------------------------------------------------------------------------- */

/* The flags of the family for whose queues a command buffer is; all flags if no families are configured. */
VkQueueFlags shim_family_flags(uint32_t family);

/* Wait until all submitted work of the device has ended or is dropped. */
void shim_queues_drain(struct shim_device *device);
void shim_queues_end(struct shim_device *device);

/* Like vkWaitSemaphores, until the device is lost. */
VkResult shim_wait(struct shim_device *device, PFN_vkWaitSemaphores wait, const VkSemaphoreWaitInfo *info,
                   uint64_t timeout);

#endif
