/* A little Vulkan by hand, for cases in which a program uses it beside the library.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_RAW_VULKAN_H
#define CONFORMANCE_RAW_VULKAN_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "harness.h"

struct raw_vulkan {
    void *library; /* of the program's own; NULL where the handles are the library's */
    PFN_vkGetInstanceProcAddr get_proc;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t family, queue_count; /* queues of one that runs kernels, from 0 on */
    uint32_t families[2];         /* that the device's queues are of, as far as streams have them */
    uint32_t family_count;
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
    const char *extensions[2];
    uint32_t extension_count;
};

/* A function of the instance or the device, also under its extension's name; the case fails where neither
 * exists. */
PFN_vkVoidFunction raw_function(const struct raw_vulkan *raw, const char *name);
#define RAW(raw, name) PFN_##name name = (PFN_##name)raw_function(raw, #name)

#define ck_vulkan(call)                                                               \
    do {                                                                              \
        VkResult result_given = (call);                                               \
        ck_assert_msg(result_given == VK_SUCCESS, "%s gave %d", #call, result_given); \
    } while (0)

/* The handles behind a device of the library. False where it is not a Vulkan device. */
bool raw_of(struct trm_device *device, struct raw_vulkan *raw);

/* A VkDevice of the program's own on the physical device that `like` is on. */
void raw_open(struct raw_vulkan *raw, struct trm_device *like);
void raw_close(struct raw_vulkan *raw);

/* Memory that the host has mapped, with a buffer over it. */
struct raw_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *mapped;
};

void raw_buffer_make(const struct raw_vulkan *raw, uint64_t size, struct raw_buffer *buffer);
void raw_buffer_end(const struct raw_vulkan *raw, struct raw_buffer *buffer);

/* Copy bytes from one buffer to another on a queue when the timeline semaphore shows `value`, and wait for
 * that. */
void raw_copy_after(const struct raw_vulkan *raw, VkQueue queue, uint32_t family, VkSemaphore semaphore,
                    uint64_t value, VkBuffer from, uint64_t offset, VkBuffer to, uint64_t size);

#endif
