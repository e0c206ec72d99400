/* The shim: a library that stands where libvulkan.so.1 is expected and passes every call on to it, for tests. It makes calls fail,
 * hides what a device has, makes one look like another, and keeps account of what is made. What a test program sees of it.
 *
 * Give its absolute path to the setting vulkan.loader. Environment, read whenever the first instance is made (lists are
 * separated by commas):
 *
 *     VULKAN_SHIM_LIBRARY=libvulkan.so.1      what stands behind it
 *     VULKAN_SHIM_FAIL=vkQueueSubmit:3:once:VK_ERROR_DEVICE_LOST
 *                                             the third call fails and has no effect; "any" is every function that can fail, "on"
 *                                             instead of "once": and all that follow. A lost device stays lost; only
 *                                             one with VULKAN_SHIM_FAMILIES can be. "any" with "on" leaves out the functions
 *                                             that wait and signal, without which no work ever ends.
 *     VULKAN_SHIM_HIDE=VK_KHR_push_descriptor these extensions are not there
 *     VULKAN_SHIM_API=1.1                     instance and devices are of this version
 *     VULKAN_SHIM_DRIVER=4                    the driver says that it is this one (VkDriverId; 4 is NVIDIA's own)
 *     VULKAN_SHIM_LIMITS=maxPushConstantsSize=128
 *                                             limits of the device: maxStorageBufferRange, maxPushConstantsSize,
 *                                             maxMemoryAllocationCount, maxComputeSharedMemorySize, maxPushDescriptors,
 *                                             maxMemoryAllocationSize, heap (bytes of each heap)
 *     VULKAN_SHIM_FAMILIES=graphics:16:64,transfer:2:64,compute:8:64
 *                                             queue families: what they can do, how many queues, bits of their timestamps. Each
 *                                             queue is a thread that waits for the semaphores of what it is given, has the
 *                                             device's one queue do it, and signals: work on several queues comes in any order
 *                                             that the semaphores allow, and submitting does not wait.
 *     VULKAN_SHIM_DELAY=200                   each of those waits up to so many microseconds more
 *     VULKAN_SHIM_MEMORY=discrete             device memory that the host does not reach, and host memory; "bar": a small heap more
 *                                             that both reach. The device is then a discrete GPU.
 *     VULKAN_SHIM_LOADS=6                     the driver can be loaded so often: a later VkInstance, where none lives, is
 *                                             answered with VK_ERROR_INCOMPATIBLE_DRIVER
 *     VULKAN_SHIM_FORKED=refuse               what making a device does in the child of a process that has made an instance:
 *                                             "refuse", "abort", "hang"; "hide": there are no devices there
 *     VULKAN_SHIM_STRICT=1                    a breach (below) or a leak is said on stderr and ends the process
 *
 * One configuration holds for all instances of a process that live at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_SHIM_CONTROL_H
#define VULKAN_SHIM_CONTROL_H

#include <dlfcn.h>
#include <stdint.h>

#define VULKAN_SHIM_CONTROL_SYMBOL "vulkan_shim_control"

/* All functions may be called from any thread. */
struct vulkan_shim_control {
    /* As VULKAN_SHIM_FAIL, counted from now on; NULL: no call fails any more. 0 where it can be read, else -1. */
    int (*arm)(const char *rule);
    /* How many calls were made to fail since arm(). The calls of a lost device count but once. */
    uint64_t (*failures)(void);
    /* The function whose call failed first since arm(); "" where none did. */
    const char *(*failed_function)(void);

    /* How often a function was called since the library was loaded. */
    uint64_t (*calls)(const char *function);
    /* Calls of all functions that can fail. */
    uint64_t (*fallible_calls)(void);

    /* Objects that were made and not destroyed. The first in words where there is room. */
    uint64_t (*living)(char *first, uint64_t capacity);
    /* Bytes of device memory that are allocated. */
    uint64_t (*memory)(void);

    /* How often the rules of Vulkan were broken in ways that the shim sees: commands that a family cannot do, command buffers
     * submitted to another family than their pool's, memory mapped that the host does not reach, extensions that are not there,
     * objects destroyed twice, or not before their device. The first one in words. */
    uint64_t (*breaches)(char *first, uint64_t capacity);
    void (*forget_breaches)(void);

    /* Functions that were asked for and that the shim passes on without a look: it should know them all. */
    uint64_t (*strangers)(char *first, uint64_t capacity);
};

/* The control of the shim at `path`; opens it for good. NULL: it is not there. */
static inline const struct vulkan_shim_control *vulkan_shim_control_of(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    if (!library)
        return NULL;
    return (const struct vulkan_shim_control *)dlsym(library, VULKAN_SHIM_CONTROL_SYMBOL);
}

#endif
