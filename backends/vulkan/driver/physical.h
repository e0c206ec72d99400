/* vulkan backend: physical devices: what each is and can do, queried once when the instance is created.
 *
 * A device is usable if it has a compute queue, and either Vulkan 1.2 or Vulkan 1.1 with
 * VK_KHR_timeline_semaphore. The log says why other devices are left out; if none is left, so does the
 * probe's reason. Devices are listed in the driver's order, software devices last.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_PHYSICAL_H
#define BACKENDS_VULKAN_DRIVER_PHYSICAL_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/fault.h"
#include "backends/vulkan/driver/functions.h"
#include "backends/vulkan/driver/newer.h"

#define VULKAN_FAMILIES_MOST 32u
#define VULKAN_EXTENSIONS_MOST 48u

struct trm_backend_instance;

/* All features that shaders could want, each queried by a struct of its own, so that the query is the same
 * for Vulkan 1.1 to 1.3. A struct that the device does not know stays zero and out of the chain. */
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
    VkPhysicalDeviceImageRobustnessFeatures image_robustness;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
    VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures demote;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_workgroup;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR shared_layout;
    VkPhysicalDeviceFaultFeaturesEXT fault;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV cooperative_nv;
    struct vulkan_cooperative_matrix_features cooperative;
    struct vulkan_mixed_dot_features mixed_dot;
    struct vulkan_subgroup_rotate_features rotate;
    VkPhysicalDeviceDescriptorIndexingFeatures descriptor_indexing;
};

/* Link the structs of `known` (bits, as in struct vulkan_physical) into one chain that begins with `core`. */
void vulkan_features_chain(struct vulkan_features *features, uint32_t known);

struct vulkan_extensions { /* which optional extensions the device has */
    bool push_descriptor, timeline_semaphore, external_memory_host, external_memory_fd, external_semaphore_fd,
        memory_budget, calibrated_timestamps, device_fault, robustness2, atomic_float, pci_bus_info;
};

struct vulkan_physical {
    VkPhysicalDevice handle;
    uint32_t version; /* of Vulkan that may be used: the lower one of the device's and the instance's */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceSubgroupProperties subgroup;
    struct vulkan_features features; /* available ones; device.c enables those that kernels can use */
    /* Bits: the feature structs that the device knows, as for vulkan_features_chain(). */
    uint32_t known_features;
    struct vulkan_extensions has;
    const char *extensions[VULKAN_EXTENSIONS_MOST]; /* all that vkCreateDevice enables */
    uint32_t extension_count;
    VkQueueFamilyProperties families[VULKAN_FAMILIES_MOST];
    uint32_t family_count;
    uint8_t uuid[VK_UUID_SIZE];
    char pci[16]; /* "0000:65:00.0"; empty: unknown */
    char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE + 2];
    uint32_t max_push_descriptors; /* 0 without push_descriptor */
    uint64_t max_allocation_bytes; /* of one vkAllocateMemory */
    uint64_t max_buffer_bytes;     /* of one VkBuffer */
    uint64_t import_alignment;     /* of imported host memory; 0: cannot be imported */
    bool timeline_fd;              /* timeline semaphores can be exported as opaque fds */
    uint32_t units;                /* compute units; 1: unknown */
    int32_t kind;                  /* enum trm_device_kind */
    /* The host shares the device's own memory and reads it at full speed: a memory type is device-local,
     * host-visible, coherent and cached, and its heap is the largest device-local one. (Memory behind a wide
     * BAR does not count: the host reads it uncached.) */
    bool unified;
    /* Kernels copy between host and device memory: because of the setting vulkan.copies, or because the
     * driver has one copy engine for both directions behind all of its queues. */
    bool copies_by_kernel;
    /* But upload and download streams without large copies use the copy engine: see record/copy_kernel.h. */
    bool copies_small_by_engine;
    /* vkGetQueryPoolResults() waits until the device is idle, even if the results are there (lavapipe). */
    bool queries_wait;
    /* Streams that alternate are fastest on the first queue of a family and one other: see queue.c. */
    bool has_separate_first_queue;
};

/* Find all usable devices; vulkan_physicals_release() frees the list. If there is none: UNSUPPORTED, with the
 * reason in `reason` (VULKAN_REASON_BYTES). */
int32_t vulkan_physicals_find(struct trm_backend_instance *instance, char *reason);
void vulkan_physicals_release(struct trm_backend_instance *instance);

#endif
