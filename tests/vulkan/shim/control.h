/* The shim: a library for tests that replaces libvulkan.so.1 and passes every call on to it. It makes calls
 * fail, hides capabilities of a device, makes it look like another one, and keeps account of objects. This
 * header is what test programs see.
 *
 * Give its absolute path to the setting vulkan.loader. Environment, read whenever the first instance is
 * created (lists are separated by commas):
 *
 *     VULKAN_SHIM_LIBRARY=libvulkan.so.1
 *                                     the real library
 *     VULKAN_SHIM_FAIL=vkQueueSubmit:3:once:VK_ERROR_DEVICE_LOST
 *                                     the third call fails without effect; "any" stands for every function
 *                                     that can fail; "on" instead of "once": all later calls fail too. A
 *                                     lost device stays lost; only one with VULKAN_SHIM_FAMILIES can be
 *                                     lost. "any" with "on" leaves out the functions that wait and signal,
 *                                     without which no work ever ends.
 *     VULKAN_SHIM_HIDE=VK_KHR_push_descriptor
 *                                     hides these extensions
 *     VULKAN_SHIM_API=1.1             the version of instance and devices
 *     VULKAN_SHIM_DRIVER=4            the VkDriverId that is reported (4 is NVIDIA's)
 *     VULKAN_SHIM_LIMITS=maxPushConstantsSize=128
 *                                     limits of the device: maxStorageBufferRange, maxPushConstantsSize,
 *                                     maxMemoryAllocationCount, maxComputeSharedMemorySize,
 *                                     maxPushDescriptors, maxMemoryAllocationSize, heap (bytes of each heap)
 *     VULKAN_SHIM_FAMILIES=graphics:16:64,transfer:2:64,compute:8:64
 *                                     queue families: kind, number of queues, timestamp bits. Each queue is
 *                                     a thread that waits for the semaphores of a submission, runs it on the
 *                                     device's only queue, and signals: work on several queues runs in any
 *                                     order that the semaphores allow, and submitting does not block.
 *     VULKAN_SHIM_DELAY=200           each of these threads waits up to so many microseconds more
 *     VULKAN_SHIM_MEMORY=discrete     device memory that the host cannot reach, and host memory; "bar": also
 *                                     a small heap that both reach; "apart": as "discrete", but no image can
 *                                     be in the memory of buffers. The device becomes a discrete GPU.
 *     VULKAN_SHIM_LOADS=6             how often the driver can be loaded: a later VkInstance, while none is
 *                                     alive, gives VK_ERROR_INCOMPATIBLE_DRIVER
 *     VULKAN_SHIM_FORKED=refuse       what creating a device does in the forked child of a process that has
 *                                     created an instance: "refuse", "abort", "hang"; "hide": no devices
 *                                     there
 *     VULKAN_SHIM_COMPARES=1          samplers compare texels of r32f with a depth, as lavapipe's do without
 *                                     saying so
 *     VULKAN_SHIM_STRICT=1            a breach (below) or a leak is printed on stderr and ends the process
 *
 * All instances of a process that are alive at the same time share one configuration.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_SHIM_CONTROL_H
#define VULKAN_SHIM_CONTROL_H

#include <dlfcn.h>
#include <stdint.h>

#define VULKAN_SHIM_CONTROL_SYMBOL "vulkan_shim_control"

/* All functions may be called from any thread. */
struct vulkan_shim_control {
    /* Like VULKAN_SHIM_FAIL, counting from now; NULL: no call fails any more. 0, or -1 if it cannot be
     * parsed. */
    int (*arm)(const char *rule);
    /* How many calls were made to fail since arm(). Calls of a lost device count only once. */
    uint64_t (*failures)(void);
    /* The function that failed first since arm(); "": none. */
    const char *(*failed_function)(void);

    /* How often a function was called since the library was loaded. */
    uint64_t (*calls)(const char *function);
    /* Calls of all functions that can fail. */
    uint64_t (*fallible_calls)(void);

    /* Objects that were not destroyed; describes the first one if there is room. */
    uint64_t (*living)(char *first, uint64_t capacity);
    /* Bytes of device memory in use. */
    uint64_t (*memory)(void);

    /* How often a rule of Vulkan was broken, as far as the shim checks: commands that a family does not
     * support, command buffers submitted to another family than their pool's, mapping of memory that the host
     * cannot reach, missing extensions, objects destroyed twice or after their device. Describes the first
     * breach. */
    uint64_t (*breaches)(char *first, uint64_t capacity);
    void (*forget_breaches)(void);

    /* Functions that were looked up and that the shim passes on unwrapped; it should know them all. */
    uint64_t (*strangers)(char *first, uint64_t capacity);
};

/* The control of the shim at `path`, which stays open; NULL: there is none. */
static inline const struct vulkan_shim_control *vulkan_shim_control_of(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    if (!library)
        return NULL;
    return (const struct vulkan_shim_control *)dlsym(library, VULKAN_SHIM_CONTROL_SYMBOL);
}

#endif
