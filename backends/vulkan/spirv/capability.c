/* vulkan backend: checks what a module needs against what the device was opened with.
 * SPDX-License-Identifier: MIT
 */
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <string.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/matrices.h"
#include "backends/vulkan/spirv/shader.h"

#define HEADER_WORDS 5u
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define MISSING_BYTES 128

/* What the library puts into modules whose matrices of work-groups it made arrays. */
#define CAPABILITY_BUFFER_ADDRESSES 65500
#define CAPABILITY_MATRIX_SUBGROUPS 65501

/* ---- features */

/* A capability and a feature that provides it. Of several rows of a capability any one is enough; the shader
 * decides which one it uses. */
struct feature_row {
    uint32_t capability;
    const char *name, *feature;
    size_t offset; /* of a VkBool32 in struct vulkan_features */
};

#define FEATURE(name, feature, path)                                                 \
    {                                                                                \
        SpvCapability##name, #name, #feature, offsetof(struct vulkan_features, path) \
    }

/* A capability that the headers of older systems lack. */
#define NEWER(number, name, feature, path)                              \
    {                                                                   \
        number, #name, #feature, offsetof(struct vulkan_features, path) \
    }

#define INDEXING(name, feature) FEATURE(name, feature, descriptor_indexing.feature)

static const struct feature_row features[] = {
    FEATURE(Float64, shaderFloat64, core.features.shaderFloat64),
    FEATURE(Int64, shaderInt64, core.features.shaderInt64),
    FEATURE(Int16, shaderInt16, core.features.shaderInt16),
    FEATURE(Float16, shaderFloat16, float16_int8.shaderFloat16),
    FEATURE(Int8, shaderInt8, float16_int8.shaderInt8),
    FEATURE(StorageBuffer16BitAccess, storageBuffer16BitAccess, storage16.storageBuffer16BitAccess),
    FEATURE(UniformAndStorageBuffer16BitAccess, uniformAndStorageBuffer16BitAccess,
            storage16.uniformAndStorageBuffer16BitAccess),
    FEATURE(StoragePushConstant16, storagePushConstant16, storage16.storagePushConstant16),
    FEATURE(StorageBuffer8BitAccess, storageBuffer8BitAccess, storage8.storageBuffer8BitAccess),
    FEATURE(UniformAndStorageBuffer8BitAccess, uniformAndStorageBuffer8BitAccess,
            storage8.uniformAndStorageBuffer8BitAccess),
    FEATURE(StoragePushConstant8, storagePushConstant8, storage8.storagePushConstant8),
    FEATURE(Int64Atomics, shaderBufferInt64Atomics, atomic_int64.shaderBufferInt64Atomics),
    FEATURE(Int64Atomics, shaderSharedInt64Atomics, atomic_int64.shaderSharedInt64Atomics),
    FEATURE(AtomicFloat32AddEXT, shaderBufferFloat32AtomicAdd, atomic_float.shaderBufferFloat32AtomicAdd),
    FEATURE(AtomicFloat32AddEXT, shaderSharedFloat32AtomicAdd, atomic_float.shaderSharedFloat32AtomicAdd),
    FEATURE(AtomicFloat64AddEXT, shaderBufferFloat64AtomicAdd, atomic_float.shaderBufferFloat64AtomicAdd),
    FEATURE(AtomicFloat64AddEXT, shaderSharedFloat64AtomicAdd, atomic_float.shaderSharedFloat64AtomicAdd),
    FEATURE(AtomicFloat32MinMaxEXT, shaderBufferFloat32AtomicMinMax,
            atomic_float2.shaderBufferFloat32AtomicMinMax),
    FEATURE(AtomicFloat32MinMaxEXT, shaderSharedFloat32AtomicMinMax,
            atomic_float2.shaderSharedFloat32AtomicMinMax),
    FEATURE(AtomicFloat64MinMaxEXT, shaderBufferFloat64AtomicMinMax,
            atomic_float2.shaderBufferFloat64AtomicMinMax),
    FEATURE(AtomicFloat64MinMaxEXT, shaderSharedFloat64AtomicMinMax,
            atomic_float2.shaderSharedFloat64AtomicMinMax),
    FEATURE(WorkgroupMemoryExplicitLayoutKHR, workgroupMemoryExplicitLayout,
            shared_layout.workgroupMemoryExplicitLayout),
    FEATURE(WorkgroupMemoryExplicitLayout8BitAccessKHR, workgroupMemoryExplicitLayout8BitAccess,
            shared_layout.workgroupMemoryExplicitLayout8BitAccess),
    FEATURE(WorkgroupMemoryExplicitLayout16BitAccessKHR, workgroupMemoryExplicitLayout16BitAccess,
            shared_layout.workgroupMemoryExplicitLayout16BitAccess),
    FEATURE(VariablePointersStorageBuffer, variablePointersStorageBuffer,
            variable_pointers.variablePointersStorageBuffer),
    FEATURE(VariablePointers, variablePointers, variable_pointers.variablePointers),
    FEATURE(PhysicalStorageBufferAddresses, bufferDeviceAddress, device_address.bufferDeviceAddress),
    FEATURE(VulkanMemoryModel, vulkanMemoryModel, memory_model.vulkanMemoryModel),
    FEATURE(VulkanMemoryModelDeviceScope, vulkanMemoryModelDeviceScope,
            memory_model.vulkanMemoryModelDeviceScope),
    FEATURE(StorageImageExtendedFormats, shaderStorageImageExtendedFormats,
            core.features.shaderStorageImageExtendedFormats),
    FEATURE(StorageImageReadWithoutFormat, shaderStorageImageReadWithoutFormat,
            core.features.shaderStorageImageReadWithoutFormat),
    FEATURE(StorageImageWriteWithoutFormat, shaderStorageImageWriteWithoutFormat,
            core.features.shaderStorageImageWriteWithoutFormat),
    FEATURE(SampledCubeArray, imageCubeArray, core.features.imageCubeArray),
    FEATURE(ImageCubeArray, imageCubeArray, core.features.imageCubeArray),
    FEATURE(ImageGatherExtended, shaderImageGatherExtended, core.features.shaderImageGatherExtended),
    FEATURE(GroupNonUniformRotateKHR, shaderSubgroupRotate, rotate.shaderSubgroupRotate),
    FEATURE(SampledImageArrayDynamicIndexing, shaderSampledImageArrayDynamicIndexing,
            core.features.shaderSampledImageArrayDynamicIndexing),
    FEATURE(StorageBufferArrayDynamicIndexing, shaderStorageBufferArrayDynamicIndexing,
            core.features.shaderStorageBufferArrayDynamicIndexing),
    FEATURE(StorageImageArrayDynamicIndexing, shaderStorageImageArrayDynamicIndexing,
            core.features.shaderStorageImageArrayDynamicIndexing),
    /* uniform blocks are storage buffers here */
    FEATURE(UniformBufferArrayDynamicIndexing, shaderStorageBufferArrayDynamicIndexing,
            core.features.shaderStorageBufferArrayDynamicIndexing),
    INDEXING(RuntimeDescriptorArray, runtimeDescriptorArray),
    INDEXING(UniformTexelBufferArrayDynamicIndexing, shaderUniformTexelBufferArrayDynamicIndexing),
    INDEXING(StorageTexelBufferArrayDynamicIndexing, shaderStorageTexelBufferArrayDynamicIndexing),
    INDEXING(UniformBufferArrayNonUniformIndexing, shaderStorageBufferArrayNonUniformIndexing),
    INDEXING(SampledImageArrayNonUniformIndexing, shaderSampledImageArrayNonUniformIndexing),
    INDEXING(StorageBufferArrayNonUniformIndexing, shaderStorageBufferArrayNonUniformIndexing),
    INDEXING(StorageImageArrayNonUniformIndexing, shaderStorageImageArrayNonUniformIndexing),
    INDEXING(UniformTexelBufferArrayNonUniformIndexing, shaderUniformTexelBufferArrayNonUniformIndexing),
    INDEXING(StorageTexelBufferArrayNonUniformIndexing, shaderStorageTexelBufferArrayNonUniformIndexing),
    FEATURE(DotProduct, shaderIntegerDotProduct, dot_product.shaderIntegerDotProduct),
    FEATURE(DotProductInputAll, shaderIntegerDotProduct, dot_product.shaderIntegerDotProduct),
    FEATURE(DotProductInput4x8Bit, shaderIntegerDotProduct, dot_product.shaderIntegerDotProduct),
    FEATURE(DotProductInput4x8BitPacked, shaderIntegerDotProduct, dot_product.shaderIntegerDotProduct),
    FEATURE(CooperativeMatrixNV, cooperativeMatrix, cooperative_nv.cooperativeMatrix),
    NEWER(6022, CooperativeMatrixKHR, cooperativeMatrix, cooperative.cooperativeMatrix),
    NEWER(6912, DotProductFloat16AccFloat32VALVE, shaderMixedFloatDotProductFloat16AccFloat32,
          mixed_dot.shaderMixedFloatDotProductFloat16AccFloat32),
    NEWER(6913, DotProductFloat16AccFloat16VALVE, shaderMixedFloatDotProductFloat16AccFloat16,
          mixed_dot.shaderMixedFloatDotProductFloat16AccFloat16),
};

/* ---- subgroup operations --- */

struct subgroup_row {
    uint32_t capability;
    const char *name, *feature;
    VkSubgroupFeatureFlags flag;
};

#define SUBGROUP(name, flag)                                                                              \
    {                                                                                                     \
        SpvCapability##name, #name, "VK_SUBGROUP_FEATURE_" #flag "_BIT", VK_SUBGROUP_FEATURE_##flag##_BIT \
    }

static const struct subgroup_row subgroups[] = {
    SUBGROUP(GroupNonUniform, BASIC),
    SUBGROUP(GroupNonUniformVote, VOTE),
    SUBGROUP(GroupNonUniformArithmetic, ARITHMETIC),
    SUBGROUP(GroupNonUniformBallot, BALLOT),
    SUBGROUP(GroupNonUniformShuffle, SHUFFLE),
    SUBGROUP(GroupNonUniformShuffleRelative, SHUFFLE_RELATIVE),
    SUBGROUP(GroupNonUniformClustered, CLUSTERED),
    SUBGROUP(GroupNonUniformQuad, QUAD),
};

/* ---- float controls -- */

/* An execution mode, for floats of one width. */
struct float_row {
    uint32_t mode, width;
    const char *name;
    size_t offset; /* of a VkBool32 in VkPhysicalDeviceFloatControlsProperties */
};

#define FLOATS(mode, width, member)                                          \
    {                                                                        \
        SpvExecutionMode##mode, width, #member,                              \
            offsetof(VkPhysicalDeviceFloatControlsProperties, member##width) \
    }

static const struct float_row floats[] = {
    FLOATS(DenormPreserve, 16, shaderDenormPreserveFloat),
    FLOATS(DenormPreserve, 32, shaderDenormPreserveFloat),
    FLOATS(DenormPreserve, 64, shaderDenormPreserveFloat),
    FLOATS(SignedZeroInfNanPreserve, 16, shaderSignedZeroInfNanPreserveFloat),
    FLOATS(SignedZeroInfNanPreserve, 32, shaderSignedZeroInfNanPreserveFloat),
    FLOATS(SignedZeroInfNanPreserve, 64, shaderSignedZeroInfNanPreserveFloat),
    FLOATS(RoundingModeRTE, 16, shaderRoundingModeRTEFloat),
    FLOATS(RoundingModeRTE, 32, shaderRoundingModeRTEFloat),
    FLOATS(RoundingModeRTE, 64, shaderRoundingModeRTEFloat),
};

/* ---- checks; each returns true if something is missing, and writes its name ----------------- */

struct check {
    const struct trm_backend_device *device;
    const struct vulkan_physical *physical;
    const uint32_t *first; /* instruction */
    char missing[MISSING_BYTES];
};

static bool misses(struct check *check, const char *name, const char *feature)
{
    snprintf(check->missing, sizeof(check->missing), "%s (%s)", name, feature);
    return true;
}

static bool is_on(const void *structure, size_t offset)
{
    VkBool32 value;
    memcpy(&value, (const char *)structure + offset, sizeof(value));
    return value;
}

static bool misses_subgroup(struct check *check, const struct subgroup_row *row)
{
    const VkPhysicalDeviceSubgroupProperties *has = &check->physical->subgroup;
    if ((has->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) && (has->supportedOperations & row->flag))
        return false;
    return misses(check, row->name, row->feature);
}

static bool misses_feature(struct check *check, uint32_t capability)
{
    const struct feature_row *row = NULL;
    for (size_t i = 0; i < COUNT(features); i++) {
        if (features[i].capability != capability)
            continue;
        if (is_on(&check->physical->features, features[i].offset))
            return false;
        if (row == NULL)
            row = &features[i];
    }
    return row != NULL && misses(check, row->name, row->feature);
}

static bool misses_capability(struct check *check, uint32_t capability)
{
    switch (capability) {
    case SpvCapabilityShader:
    case SpvCapabilityMatrix:
    case SpvCapabilityDenormPreserve: /* checked through their execution modes */
    case SpvCapabilitySignedZeroInfNanPreserve:
    case SpvCapabilityRoundingModeRTE:
        return false;
    case SpvCapabilitySubgroupBallotKHR:
        return misses(check, "SubgroupBallotKHR", "VK_EXT_shader_subgroup_ballot");
    case SpvCapabilitySubgroupVoteKHR:
        return misses(check, "SubgroupVoteKHR", "VK_EXT_shader_subgroup_vote");
    case CAPABILITY_BUFFER_ADDRESSES:
        return misses(check, "a function that decodes elements of matrices of a work-group", "no Vulkan");
    case CAPABILITY_MATRIX_SUBGROUPS:
        return misses(check, "operations of subgroups beside matrices of a work-group", "no Vulkan");
    default:
        break;
    }
    for (size_t i = 0; i < COUNT(subgroups); i++)
        if (subgroups[i].capability == capability)
            return misses_subgroup(check, &subgroups[i]);
    return misses_feature(check, capability);
}

/* Queried only for modules with such modes, which are rare. Not available before Vulkan 1.2. */
static bool misses_floats(struct check *check, uint32_t mode, uint32_t width)
{
    VkPhysicalDeviceFloatControlsProperties has = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES,
    };
    VkPhysicalDeviceProperties2 answer = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &has,
    };
    char name[64];
    for (size_t i = 0; i < COUNT(floats); i++) {
        if (floats[i].mode != mode || floats[i].width != width)
            continue;
        if (check->physical->version >= VK_API_VERSION_1_2)
            check->device->instance->vk.vkGetPhysicalDeviceProperties2(check->physical->handle, &answer);
        if (is_on(&has, floats[i].offset))
            return false;
        snprintf(name, sizeof(name), "%s%u", floats[i].name, width);
        return misses(check, "a float control", name);
    }
    return false;
}

static bool misses_mode(struct check *check, const uint32_t *mode)
{
    const struct vulkan_features *has = &check->physical->features;
    switch (mode[2]) {
    case SpvExecutionModeLocalSizeId:
        return !has->maintenance4.maintenance4 && misses(check, "LocalSizeId", "maintenance4");
    case SpvExecutionModeSubgroupUniformControlFlowKHR:
        return !has->uniform_flow.shaderSubgroupUniformControlFlow &&
               misses(check, "SubgroupUniformControlFlowKHR", "shaderSubgroupUniformControlFlow");
    case SpvExecutionModeDenormPreserve:
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
        return misses_floats(check, mode[2], mode[3]);
    default:
        return false;
    }
}

/* The type with this id, before `end`; NULL: none. */
static const uint32_t *type_of(const struct check *check, const uint32_t *end, uint32_t id)
{
    for (const uint32_t *at = check->first; at < end; at += at[0] >> SpvWordCountShift) {
        uint32_t opcode = at[0] & SpvOpCodeMask;
        if ((opcode == SpvOpTypePointer || opcode == SpvOpTypeArray || opcode == SpvOpTypeRuntimeArray) &&
            at[1] == id)
            return at;
    }
    return NULL;
}

/* Vulkan has arrays of descriptors, but no arrays of arrays. */
static bool misses_nesting(struct check *check, const uint32_t *variable)
{
    const uint32_t *type = type_of(check, variable, variable[1]);
    uint32_t levels      = 0;
    if (variable[3] != SpvStorageClassUniform && variable[3] != SpvStorageClassStorageBuffer &&
        variable[3] != SpvStorageClassUniformConstant)
        return false;
    if (type != NULL)
        type = type_of(check, variable, type[3]);
    for (; type != NULL; levels++)
        type = type_of(check, variable, type[2]);
    return levels > 1 && misses(check, "arrays of arrays of buffers or images", "no Vulkan");
}

static bool misses_variable(struct check *check, const uint32_t *at)
{
    if (at[3] != SpvStorageClassWorkgroup)
        return misses_nesting(check, at);
    return at[0] >> SpvWordCountShift == 5 &&
           !check->physical->features.zero_workgroup.shaderZeroInitializeWorkgroupMemory &&
           misses(check, "zero-initialized shared memory", "shaderZeroInitializeWorkgroupMemory");
}

static bool misses_instruction(struct check *check, const uint32_t *at)
{
    switch (at[0] & SpvOpCodeMask) {
    case SpvOpCapability:
        return misses_capability(check, at[1]);
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return misses_mode(check, at);
    case SpvOpVariable:
        return misses_variable(check, at);
    default:
        return false;
    }
}

/* Vulkan 1.1 accepts SPIR-V 1.3, Vulkan 1.2 accepts 1.5. */
static bool misses_version(struct check *check, uint32_t version)
{
    uint32_t most = check->physical->version >= VK_API_VERSION_1_3   ? 0x00010600u
                    : check->physical->version >= VK_API_VERSION_1_2 ? 0x00010500u
                                                                     : 0x00010300u;
    if (version <= most)
        return false;
    snprintf(check->missing, sizeof(check->missing), "SPIR-V 1.%u", version >> 8 & 0xffu);
    return true;
}

int32_t vulkan_capabilities_check(const struct trm_backend_device *device,
                                  const struct trm_module_source *source)
{
    const uint32_t *words = source->data;
    const uint32_t *end   = words + source->size / sizeof(uint32_t);
    struct check check    = {.device = device, .physical = device->physical, .first = words + HEADER_WORDS};
    bool is_missing       = misses_version(&check, words[1]);
    for (const uint32_t *at = words + HEADER_WORDS; at < end && !is_missing;
         at += at[0] >> SpvWordCountShift) {
        if ((at[0] & SpvOpCodeMask) == SpvOpFunction)
            break;
        is_missing = misses_instruction(&check, at);
    }
    if (!is_missing) {
        int32_t status = vulkan_matrices_check(device, source, check.missing, sizeof(check.missing));
        if (status != TRM_OK || check.missing[0] == '\0')
            return status;
    }
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "Module '%.100s' needs %s, which device %s does not have.", source->name,
                         check.missing, device->physical->properties.deviceName);
}
