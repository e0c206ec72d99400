/* Which of SPIR-V's capabilities a Vulkan device has.
 * SPDX-License-Identifier: MIT
 */
#include <spirv/unified1/spirv.h>

#include "tests/differential/vulkan_device.h"

#define HEADER_WORDS 5

static int subgroup_has(const struct vulkan_features *features, VkSubgroupFeatureFlags operations)
{
    return (features->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (features->subgroup.supportedOperations & operations) == operations;
}

/* NULL when the device has it; its name when it has not, or when no shader of these tests should need it. */
static const char *lacks(const struct vulkan_features *has, uint32_t capability)
{
    const VkPhysicalDeviceFeatures *core                                   = &has->core.features;
    const VkPhysicalDeviceVulkan11Features *vulkan11                       = &has->vulkan11;
    const VkPhysicalDeviceVulkan12Features *vulkan12                       = &has->vulkan12;
    const VkPhysicalDeviceShaderAtomicFloatFeaturesEXT *atomic             = &has->atomic_float;
    const VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR *shared = &has->shared_layout;
    switch (capability) {
    case SpvCapabilityShader:
    case SpvCapabilityMatrix:
        return NULL;
    case SpvCapabilityFloat64:
        return core->shaderFloat64 ? NULL : "Float64";
    case SpvCapabilityInt64:
        return core->shaderInt64 ? NULL : "Int64";
    case SpvCapabilityInt16:
        return core->shaderInt16 ? NULL : "Int16";
    case SpvCapabilityInt8:
        return vulkan12->shaderInt8 ? NULL : "Int8";
    case SpvCapabilityFloat16:
        return vulkan12->shaderFloat16 ? NULL : "Float16";
    case SpvCapabilityStorageBuffer16BitAccess:
        return vulkan11->storageBuffer16BitAccess ? NULL : "StorageBuffer16BitAccess";
    case SpvCapabilityUniformAndStorageBuffer16BitAccess:
        return vulkan11->uniformAndStorageBuffer16BitAccess ? NULL : "UniformAndStorageBuffer16BitAccess";
    case SpvCapabilityStoragePushConstant16:
        return vulkan11->storagePushConstant16 ? NULL : "StoragePushConstant16";
    case SpvCapabilityStorageBuffer8BitAccess:
        return vulkan12->storageBuffer8BitAccess ? NULL : "StorageBuffer8BitAccess";
    case SpvCapabilityUniformAndStorageBuffer8BitAccess:
        return vulkan12->uniformAndStorageBuffer8BitAccess ? NULL : "UniformAndStorageBuffer8BitAccess";
    case SpvCapabilityStoragePushConstant8:
        return vulkan12->storagePushConstant8 ? NULL : "StoragePushConstant8";
    case SpvCapabilityVariablePointersStorageBuffer:
        return vulkan11->variablePointersStorageBuffer ? NULL : "VariablePointersStorageBuffer";
    case SpvCapabilityVariablePointers:
        return vulkan11->variablePointers ? NULL : "VariablePointers";
    case SpvCapabilityWorkgroupMemoryExplicitLayoutKHR:
        return shared->workgroupMemoryExplicitLayout ? NULL : "WorkgroupMemoryExplicitLayoutKHR";
    case SpvCapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR:
        return shared->workgroupMemoryExplicitLayout8BitAccess ? NULL : "8-bit shared blocks";
    case SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR:
        return shared->workgroupMemoryExplicitLayout16BitAccess ? NULL : "16-bit shared blocks";
    case SpvCapabilityInt64Atomics:
        return vulkan12->shaderBufferInt64Atomics ? NULL : "Int64Atomics";
    case SpvCapabilityAtomicFloat32AddEXT:
        return atomic->shaderBufferFloat32AtomicAdd ? NULL : "AtomicFloat32AddEXT";
    case SpvCapabilityAtomicFloat64AddEXT:
        return atomic->shaderBufferFloat64AtomicAdd ? NULL : "AtomicFloat64AddEXT";
    case SpvCapabilityVulkanMemoryModel:
        return vulkan12->vulkanMemoryModel ? NULL : "VulkanMemoryModel";
    case SpvCapabilityVulkanMemoryModelDeviceScope:
        return vulkan12->vulkanMemoryModelDeviceScope ? NULL : "VulkanMemoryModelDeviceScope";
    case SpvCapabilityGroupNonUniform:
        return subgroup_has(has, VK_SUBGROUP_FEATURE_BASIC_BIT) ? NULL : "GroupNonUniform";
    case SpvCapabilityGroupNonUniformVote:
        return subgroup_has(has, VK_SUBGROUP_FEATURE_VOTE_BIT) ? NULL : "GroupNonUniformVote";
    case SpvCapabilityGroupNonUniformArithmetic:
        return subgroup_has(has, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) ? NULL : "GroupNonUniformArithmetic";
    case SpvCapabilityGroupNonUniformBallot:
        return subgroup_has(has, VK_SUBGROUP_FEATURE_BALLOT_BIT) ? NULL : "GroupNonUniformBallot";
    case SpvCapabilityGroupNonUniformShuffle:
        return subgroup_has(has, VK_SUBGROUP_FEATURE_SHUFFLE_BIT) ? NULL : "GroupNonUniformShuffle";
    case SpvCapabilityGroupNonUniformShuffleRelative:
        return subgroup_has(has, VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT) ? NULL
                                                                           : "GroupNonUniformShuffleRelative";
    case SpvCapabilityGroupNonUniformClustered:
        return subgroup_has(has, VK_SUBGROUP_FEATURE_CLUSTERED_BIT) ? NULL : "GroupNonUniformClustered";
    case SpvCapabilityGroupNonUniformQuad:
        return subgroup_has(has, VK_SUBGROUP_FEATURE_QUAD_BIT) ? NULL : "GroupNonUniformQuad";
    default:
        return "a capability that the tests do not know";
    }
}

const char *vulkan_device_lacks(const struct vulkan_device *device, const uint32_t *words, size_t word_count)
{
    size_t at = HEADER_WORDS;
    while (at + 1 < word_count && (words[at] & SpvOpCodeMask) == SpvOpCapability) {
        const char *missing = lacks(&device->features, words[at + 1]);
        if (missing)
            return missing;
        at += words[at] >> SpvWordCountShift;
    }
    return NULL;
}
