/* vulkan backend: physical devices: what one is and can do, asked once when the instance is made.
 *
 * Fit for use is a device with a queue for compute, and either Vulkan 1.2 or Vulkan 1.1 with VK_KHR_timeline_semaphore; the
 * others are left out, and why goes to the log (and, where none is left, into the probe's reason). They are listed in
 * the driver's order, but that software devices come last.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_PHYSICAL_H
#define BACKENDS_VULKAN_DRIVER_PHYSICAL_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/fault.h"
#include "backends/vulkan/driver/functions.h"

#define VULKAN_FAMILIES_MOST 32u
#define VULKAN_EXTENSIONS_MOST 48u

struct trm_backend_instance;

/* All features that shaders could want, each asked for by a struct of its own, so that 1.1 and 1.3 are asked alike.
 * A struct whose extension the device has not stays zero and out of the chain. */
struct vulkan_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
    VkPhysicalDevice16BitStorageFeatures storage16;
    VkPhysicalDevice8BitStorageFeatures storage8;
    VkPhysicalDeviceShaderFloat16Int8Features float16_int8;
    VkPhysicalDeviceShaderAtomicInt64Features atomic_int64;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform_flow;
    VkPhysicalDeviceVariablePointersFeatures variable_pointers;
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types;
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar_layout;
    VkPhysicalDeviceUniformBufferStandardLayoutFeatures uniform_layout;
    VkPhysicalDeviceBufferDeviceAddressFeatures device_address;
    VkPhysicalDeviceHostQueryResetFeatures host_query_reset;
    VkPhysicalDeviceRobustness2FeaturesEXT robustness2;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
    VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures demote;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_workgroup;
    VkPhysicalDeviceFaultFeaturesEXT fault;
};

/* Put the structs of `known` (bits, as in struct vulkan_physical) into one chain that begins with `core`. */
void vulkan_features_chain(struct vulkan_features *features, uint32_t known);

struct vulkan_extensions { /* of the device, and wanted by us: enabled when it is opened */
    bool push_descriptor, timeline_semaphore, external_memory_host, external_memory_fd, external_semaphore_fd,
        memory_budget, calibrated_timestamps, device_fault, robustness2, atomic_float, pci_bus_info;
};

struct vulkan_physical {
    VkPhysicalDevice handle;
    uint32_t
        version; /* of Vulkan, as far as it may be used: the device's, or the instance's where that is lower */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceSubgroupProperties subgroup;
    struct vulkan_features features; /* what there is; device.c asks for what kernels can use of it */
    uint32_t known_features;         /* the structs that the device knows: see vulkan_features_chain() */
    struct vulkan_extensions has;
    const char *extensions[VULKAN_EXTENSIONS_MOST]; /* all that are enabled when it is opened */
    uint32_t extension_count;
    VkQueueFamilyProperties families[VULKAN_FAMILIES_MOST];
    uint32_t family_count;
    uint8_t uuid[VK_UUID_SIZE];
    char pci[16]; /* "0000:65:00.0"; empty where it is not known */
    char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE + 2];
    uint32_t max_push_descriptors; /* 0 without push_descriptor */
    uint64_t max_allocation_bytes; /* of one vkAllocateMemory */
    uint64_t max_buffer_bytes;     /* of one VkBuffer */
    uint64_t import_alignment;     /* of host memory that is imported; 0: it cannot be */
    bool timeline_fd;              /* timeline semaphores can be exported as opaque fds */
    uint32_t units;                /* compute units; 1 where nobody tells */
    int32_t kind;                  /* enum trm_device_kind */
    /* The device's own memory is the host's too, and the host reads it at full speed: a memory type is device-local,
     * host-visible, coherent and cached, and its heap is the largest device-local one. (Memory behind a wide BAR is
     * not: the host reads it uncached.) */
    bool unified;
    /* Copies between the host's memory and the device's are done by kernels: the setting vulkan.copies, or because the driver
     * has one copy engine for both directions, behind all of its queues. */
    bool copies_by_kernel;
    /* But on streams for uploads and downloads only where there are large ones: see copy_kernel.h. */
    bool copies_small_by_engine;
    /* Streams that take turns are quickest on a family's first queue and one other: see queue.c. */
    bool has_separate_first_queue;
};

/* All devices fit for use; made by the instance, released with vulkan_physicals_release(). Where there is none: UNSUPPORTED and
 * in `reason` (VULKAN_REASON_BYTES) why. */
int32_t vulkan_physicals_find(struct trm_backend_instance *instance, char *reason);
void vulkan_physicals_release(struct trm_backend_instance *instance);

#endif
