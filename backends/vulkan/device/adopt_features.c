/* vulkan backend: finds which features an application has enabled, from single feature structs or from those
 * that sum up a Vulkan version.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "backends/vulkan/device/adopt.h"

/* One of our feature structs, which the application may have chained too. */
struct part {
    VkStructureType type;
    size_t offset, size; /* in struct vulkan_features */
};

#define PART(member, type)                                                                  \
    {                                                                                       \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, offsetof(struct vulkan_features, member), \
            sizeof(((struct vulkan_features *)0)->member),                                  \
    }

static const struct part parts[] = {
    PART(timeline, TIMELINE_SEMAPHORE_FEATURES),
    PART(storage16, 16BIT_STORAGE_FEATURES),
    PART(storage8, 8BIT_STORAGE_FEATURES),
    PART(float16_int8, SHADER_FLOAT16_INT8_FEATURES),
    PART(atomic_int64, SHADER_ATOMIC_INT64_FEATURES),
    PART(atomic_float, SHADER_ATOMIC_FLOAT_FEATURES_EXT),
    PART(atomic_float2, SHADER_ATOMIC_FLOAT_2_FEATURES_EXT),
    PART(uniform_flow, SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR),
    PART(variable_pointers, VARIABLE_POINTERS_FEATURES),
    PART(memory_model, VULKAN_MEMORY_MODEL_FEATURES),
    PART(subgroup_types, SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES),
    PART(scalar_layout, SCALAR_BLOCK_LAYOUT_FEATURES),
    PART(uniform_layout, UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES),
    PART(device_address, BUFFER_DEVICE_ADDRESS_FEATURES),
    PART(host_query_reset, HOST_QUERY_RESET_FEATURES),
    PART(robustness2, ROBUSTNESS_2_FEATURES_EXT),
    PART(image_robustness, IMAGE_ROBUSTNESS_FEATURES),
    PART(subgroup_size, SUBGROUP_SIZE_CONTROL_FEATURES),
    PART(maintenance4, MAINTENANCE_4_FEATURES),
    PART(dot_product, SHADER_INTEGER_DOT_PRODUCT_FEATURES),
    PART(demote, SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES),
    PART(zero_workgroup, ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES),
    PART(shared_layout, WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR),
    PART(fault, FAULT_FEATURES_EXT),
    PART(cooperative_nv, COOPERATIVE_MATRIX_FEATURES_NV),
    {VULKAN_TYPE_COOPERATIVE_MATRIX_FEATURES_KHR, offsetof(struct vulkan_features, cooperative),
     sizeof(struct vulkan_cooperative_matrix_features)},
    {VULKAN_TYPE_MIXED_DOT_FEATURES_VALVE, offsetof(struct vulkan_features, mixed_dot),
     sizeof(struct vulkan_mixed_dot_features)},
    {VULKAN_TYPE_SUBGROUP_ROTATE_FEATURES_KHR, offsetof(struct vulkan_features, rotate),
     sizeof(struct vulkan_subgroup_rotate_features)},
    PART(descriptor_indexing, DESCRIPTOR_INDEXING_FEATURES),
};

/* A member of a summary struct, and the same member of ours. */
struct switch_pair {
    size_t theirs, ours;
};

#define FROM_11(theirs, ours)                                                                      \
    {                                                                                              \
        offsetof(VkPhysicalDeviceVulkan11Features, theirs), offsetof(struct vulkan_features, ours) \
    }
#define FROM_12(theirs, ours)                                                                      \
    {                                                                                              \
        offsetof(VkPhysicalDeviceVulkan12Features, theirs), offsetof(struct vulkan_features, ours) \
    }
#define FROM_13(theirs, ours)                                                                      \
    {                                                                                              \
        offsetof(VkPhysicalDeviceVulkan13Features, theirs), offsetof(struct vulkan_features, ours) \
    }

static const struct switch_pair from_11[] = {
    FROM_11(storageBuffer16BitAccess, storage16.storageBuffer16BitAccess),
    FROM_11(uniformAndStorageBuffer16BitAccess, storage16.uniformAndStorageBuffer16BitAccess),
    FROM_11(storagePushConstant16, storage16.storagePushConstant16),
    FROM_11(storageInputOutput16, storage16.storageInputOutput16),
    FROM_11(variablePointersStorageBuffer, variable_pointers.variablePointersStorageBuffer),
    FROM_11(variablePointers, variable_pointers.variablePointers),
};

static const struct switch_pair from_12[] = {
    FROM_12(storageBuffer8BitAccess, storage8.storageBuffer8BitAccess),
    FROM_12(uniformAndStorageBuffer8BitAccess, storage8.uniformAndStorageBuffer8BitAccess),
    FROM_12(storagePushConstant8, storage8.storagePushConstant8),
    FROM_12(shaderBufferInt64Atomics, atomic_int64.shaderBufferInt64Atomics),
    FROM_12(shaderSharedInt64Atomics, atomic_int64.shaderSharedInt64Atomics),
    FROM_12(shaderFloat16, float16_int8.shaderFloat16),
    FROM_12(shaderInt8, float16_int8.shaderInt8),
    FROM_12(scalarBlockLayout, scalar_layout.scalarBlockLayout),
    FROM_12(uniformBufferStandardLayout, uniform_layout.uniformBufferStandardLayout),
    FROM_12(shaderSubgroupExtendedTypes, subgroup_types.shaderSubgroupExtendedTypes),
    FROM_12(hostQueryReset, host_query_reset.hostQueryReset),
    FROM_12(timelineSemaphore, timeline.timelineSemaphore),
    FROM_12(bufferDeviceAddress, device_address.bufferDeviceAddress),
    FROM_12(vulkanMemoryModel, memory_model.vulkanMemoryModel),
    FROM_12(vulkanMemoryModelDeviceScope, memory_model.vulkanMemoryModelDeviceScope),
    FROM_12(vulkanMemoryModelAvailabilityVisibilityChains,
            memory_model.vulkanMemoryModelAvailabilityVisibilityChains),
    FROM_12(runtimeDescriptorArray, descriptor_indexing.runtimeDescriptorArray),
    FROM_12(shaderUniformTexelBufferArrayDynamicIndexing,
            descriptor_indexing.shaderUniformTexelBufferArrayDynamicIndexing),
    FROM_12(shaderStorageTexelBufferArrayDynamicIndexing,
            descriptor_indexing.shaderStorageTexelBufferArrayDynamicIndexing),
    FROM_12(shaderUniformBufferArrayNonUniformIndexing,
            descriptor_indexing.shaderUniformBufferArrayNonUniformIndexing),
    FROM_12(shaderSampledImageArrayNonUniformIndexing,
            descriptor_indexing.shaderSampledImageArrayNonUniformIndexing),
    FROM_12(shaderStorageBufferArrayNonUniformIndexing,
            descriptor_indexing.shaderStorageBufferArrayNonUniformIndexing),
    FROM_12(shaderStorageImageArrayNonUniformIndexing,
            descriptor_indexing.shaderStorageImageArrayNonUniformIndexing),
    FROM_12(shaderUniformTexelBufferArrayNonUniformIndexing,
            descriptor_indexing.shaderUniformTexelBufferArrayNonUniformIndexing),
    FROM_12(shaderStorageTexelBufferArrayNonUniformIndexing,
            descriptor_indexing.shaderStorageTexelBufferArrayNonUniformIndexing),
};

static const struct switch_pair from_13[] = {
    FROM_13(robustImageAccess, image_robustness.robustImageAccess),
    FROM_13(shaderDemoteToHelperInvocation, demote.shaderDemoteToHelperInvocation),
    FROM_13(subgroupSizeControl, subgroup_size.subgroupSizeControl),
    FROM_13(computeFullSubgroups, subgroup_size.computeFullSubgroups),
    FROM_13(shaderZeroInitializeWorkgroupMemory, zero_workgroup.shaderZeroInitializeWorkgroupMemory),
    FROM_13(shaderIntegerDotProduct, dot_product.shaderIntegerDotProduct),
    FROM_13(maintenance4, maintenance4.maintenance4),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void take_switches(struct vulkan_features *features, const void *theirs,
                          const struct switch_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy((unsigned char *)features + pairs[i].ours, (const unsigned char *)theirs + pairs[i].theirs,
               sizeof(VkBool32));
}

static void take_part(struct vulkan_features *features, const VkBaseInStructure *theirs)
{
    for (size_t i = 0; i < COUNT(parts); i++)
        if (parts[i].type == theirs->sType)
            memcpy((unsigned char *)features + parts[i].offset, theirs, parts[i].size);
}

void vulkan_features_limit(struct vulkan_features *features, uint32_t known,
                           const VkPhysicalDeviceFeatures2 *enabled)
{
    memset(features, 0, sizeof(*features));
    if (enabled != NULL)
        features->core.features = enabled->features;
    else
        features->timeline.timelineSemaphore = VK_TRUE; /* interop.h requires it of the application */
    for (const VkBaseInStructure *theirs = enabled == NULL ? NULL : enabled->pNext; theirs != NULL;
         theirs                          = theirs->pNext) {
        if (theirs->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
            take_switches(features, theirs, from_11, COUNT(from_11));
        else if (theirs->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            take_switches(features, theirs, from_12, COUNT(from_12));
        else if (theirs->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)
            take_switches(features, theirs, from_13, COUNT(from_13));
        else
            take_part(features, theirs);
    }
    vulkan_features_chain(features, known);
}
