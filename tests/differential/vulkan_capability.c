/* Which of SPIR-V's capabilities a Vulkan device has.
 * SPDX-License-Identifier: MIT
 */
#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
    case SpvCapabilityDeviceGroup: /* of Vulkan 1.1 */
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
    case SpvCapabilityPhysicalStorageBufferAddresses:
        return vulkan12->bufferDeviceAddress ? NULL : "PhysicalStorageBufferAddresses";
    case SpvCapabilityVariablePointers:
        return vulkan11->variablePointers ? NULL : "VariablePointers";
    case SpvCapabilityShaderNonUniform:
        return NULL;
    case SpvCapabilityUniformBufferArrayDynamicIndexing:
        return core->shaderUniformBufferArrayDynamicIndexing ? NULL : "UniformBufferArrayDynamicIndexing";
    case SpvCapabilitySampledImageArrayDynamicIndexing:
        return core->shaderSampledImageArrayDynamicIndexing ? NULL : "SampledImageArrayDynamicIndexing";
    case SpvCapabilityStorageBufferArrayDynamicIndexing:
        return core->shaderStorageBufferArrayDynamicIndexing ? NULL : "StorageBufferArrayDynamicIndexing";
    case SpvCapabilityStorageImageArrayDynamicIndexing:
        return core->shaderStorageImageArrayDynamicIndexing ? NULL : "StorageImageArrayDynamicIndexing";
    case SpvCapabilityRuntimeDescriptorArray:
        return vulkan12->runtimeDescriptorArray ? NULL : "RuntimeDescriptorArray";
    case SpvCapabilityUniformTexelBufferArrayDynamicIndexing:
        return vulkan12->shaderUniformTexelBufferArrayDynamicIndexing
                   ? NULL
                   : "UniformTexelBufferArrayDynamicIndexing";
    case SpvCapabilityStorageTexelBufferArrayDynamicIndexing:
        return vulkan12->shaderStorageTexelBufferArrayDynamicIndexing
                   ? NULL
                   : "StorageTexelBufferArrayDynamicIndexing";
    case SpvCapabilityUniformBufferArrayNonUniformIndexing:
        return vulkan12->shaderUniformBufferArrayNonUniformIndexing ? NULL
                                                                    : "UniformBufferArrayNonUniformIndexing";
    case SpvCapabilitySampledImageArrayNonUniformIndexing:
        return vulkan12->shaderSampledImageArrayNonUniformIndexing ? NULL
                                                                   : "SampledImageArrayNonUniformIndexing";
    case SpvCapabilityStorageBufferArrayNonUniformIndexing:
        return vulkan12->shaderStorageBufferArrayNonUniformIndexing ? NULL
                                                                    : "StorageBufferArrayNonUniformIndexing";
    case SpvCapabilityStorageImageArrayNonUniformIndexing:
        return vulkan12->shaderStorageImageArrayNonUniformIndexing ? NULL
                                                                   : "StorageImageArrayNonUniformIndexing";
    case SpvCapabilityUniformTexelBufferArrayNonUniformIndexing:
        return vulkan12->shaderUniformTexelBufferArrayNonUniformIndexing
                   ? NULL
                   : "UniformTexelBufferArrayNonUniformIndexing";
    case SpvCapabilityStorageTexelBufferArrayNonUniformIndexing:
        return vulkan12->shaderStorageTexelBufferArrayNonUniformIndexing
                   ? NULL
                   : "StorageTexelBufferArrayNonUniformIndexing";
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

/* Whether a variable of a binding is an array of arrays, which Vulkan has not. */
static bool has_arrays_of_arrays(const uint32_t *words, size_t word_count)
{
    uint32_t bound = words[3];
    uint32_t *of   = calloc((size_t)bound + 1, sizeof(*of)); /* an array's element, a pointer's type */
    bool *is_array = calloc((size_t)bound + 1, sizeof(*is_array));
    bool found     = false;
    for (size_t at = HEADER_WORDS; of && is_array && at + 3 < word_count && words[at] >> SpvWordCountShift;
         at += words[at] >> SpvWordCountShift) {
        uint32_t opcode = words[at] & SpvOpCodeMask, id = words[at + 1];
        if ((opcode == SpvOpTypeArray || opcode == SpvOpTypeRuntimeArray) && id < bound) {
            is_array[id] = true;
            of[id]       = words[at + 2] < bound ? words[at + 2] : 0;
        } else if (opcode == SpvOpTypePointer && id < bound) {
            of[id] = words[at + 3] < bound ? words[at + 3] : 0;
        } else if (opcode == SpvOpVariable && id < bound) {
            uint32_t storage = words[at + 3];
            bool is_bound    = storage == SpvStorageClassUniform || storage == SpvStorageClassStorageBuffer ||
                            storage == SpvStorageClassUniformConstant;
            found |= is_bound && is_array[of[id]] && is_array[of[of[id]]];
        }
    }
    free(is_array);
    free(of);
    return found;
}

/* Extensions without a capability, which these tests do not turn on. */
static const char *lacks_extension(const uint32_t *words, size_t word_count)
{
    static const char trinary[] = "SPV_AMD_shader_trinary_minmax";
    for (size_t at = HEADER_WORDS; at < word_count && words[at] >> SpvWordCountShift != 0;
         at += words[at] >> SpvWordCountShift) {
        uint32_t opcode = words[at] & SpvOpCodeMask, count = words[at] >> SpvWordCountShift;
        if (opcode != SpvOpCapability && opcode != SpvOpExtension)
            break;
        if (opcode == SpvOpExtension && count <= word_count - at && (count - 1) * 4 >= sizeof(trinary) &&
            memcmp(words + at + 1, trinary, sizeof(trinary)) == 0)
            return trinary;
    }
    return NULL;
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
    if (has_arrays_of_arrays(words, word_count))
        return "arrays of arrays of descriptors";
    return lacks_extension(words, word_count);
}
