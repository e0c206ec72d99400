/* vulkan backend: the features and extensions that the backend uses, queried alike for every version of
 * Vulkan.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>
#include <string.h>

#include "backends/vulkan/driver/objects.h"
#include "backends/vulkan/driver/physical_internal.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALWAYS VK_API_VERSION_1_1
#define NEVER UINT32_MAX

/* A feature struct: core since a version, an extension before that. */
struct feature {
    size_t offset; /* in struct vulkan_features */
    VkStructureType type;
    uint32_t since; /* NEVER: still an extension */
    const char *extension;
};

#define FEATURE(member, type, since, extension)                                                              \
    {                                                                                                        \
        offsetof(struct vulkan_features, member), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, since, extension \
    }

/* Bit i of `known_features` stands for row i of this table. */
static const struct feature features[] = {
    FEATURE(timeline, TIMELINE_SEMAPHORE_FEATURES, VK_API_VERSION_1_2, "VK_KHR_timeline_semaphore"),
    FEATURE(storage16, 16BIT_STORAGE_FEATURES, ALWAYS, "VK_KHR_16bit_storage"),
    FEATURE(storage8, 8BIT_STORAGE_FEATURES, VK_API_VERSION_1_2, "VK_KHR_8bit_storage"),
    FEATURE(float16_int8, SHADER_FLOAT16_INT8_FEATURES, VK_API_VERSION_1_2, "VK_KHR_shader_float16_int8"),
    FEATURE(atomic_int64, SHADER_ATOMIC_INT64_FEATURES, VK_API_VERSION_1_2, "VK_KHR_shader_atomic_int64"),
    FEATURE(atomic_float, SHADER_ATOMIC_FLOAT_FEATURES_EXT, NEVER, "VK_EXT_shader_atomic_float"),
    FEATURE(atomic_float2, SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, NEVER, "VK_EXT_shader_atomic_float2"),
    FEATURE(uniform_flow, SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, NEVER,
            "VK_KHR_shader_subgroup_uniform_control_flow"),
    FEATURE(variable_pointers, VARIABLE_POINTERS_FEATURES, ALWAYS, "VK_KHR_variable_pointers"),
    FEATURE(memory_model, VULKAN_MEMORY_MODEL_FEATURES, VK_API_VERSION_1_2, "VK_KHR_vulkan_memory_model"),
    FEATURE(subgroup_types, SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, VK_API_VERSION_1_2,
            "VK_KHR_shader_subgroup_extended_types"),
    FEATURE(scalar_layout, SCALAR_BLOCK_LAYOUT_FEATURES, VK_API_VERSION_1_2, "VK_EXT_scalar_block_layout"),
    FEATURE(uniform_layout, UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES, VK_API_VERSION_1_2,
            "VK_KHR_uniform_buffer_standard_layout"),
    FEATURE(device_address, BUFFER_DEVICE_ADDRESS_FEATURES, VK_API_VERSION_1_2,
            "VK_KHR_buffer_device_address"),
    FEATURE(host_query_reset, HOST_QUERY_RESET_FEATURES, VK_API_VERSION_1_2, "VK_EXT_host_query_reset"),
    FEATURE(robustness2, ROBUSTNESS_2_FEATURES_EXT, NEVER, "VK_EXT_robustness2"),
    FEATURE(image_robustness, IMAGE_ROBUSTNESS_FEATURES, VK_API_VERSION_1_3, "VK_EXT_image_robustness"),
    FEATURE(subgroup_size, SUBGROUP_SIZE_CONTROL_FEATURES, VK_API_VERSION_1_3,
            "VK_EXT_subgroup_size_control"),
    FEATURE(maintenance4, MAINTENANCE_4_FEATURES, VK_API_VERSION_1_3, "VK_KHR_maintenance4"),
    FEATURE(dot_product, SHADER_INTEGER_DOT_PRODUCT_FEATURES, VK_API_VERSION_1_3,
            "VK_KHR_shader_integer_dot_product"),
    FEATURE(demote, SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES, VK_API_VERSION_1_3,
            "VK_EXT_shader_demote_to_helper_invocation"),
    FEATURE(zero_workgroup, ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, VK_API_VERSION_1_3,
            "VK_KHR_zero_initialize_workgroup_memory"),
    FEATURE(shared_layout, WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, NEVER,
            "VK_KHR_workgroup_memory_explicit_layout"),
    {offsetof(struct vulkan_features, fault), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT, NEVER,
     VK_EXT_DEVICE_FAULT_EXTENSION_NAME},
    FEATURE(cooperative_nv, COOPERATIVE_MATRIX_FEATURES_NV, NEVER, "VK_NV_cooperative_matrix"),
    {offsetof(struct vulkan_features, cooperative), VULKAN_TYPE_COOPERATIVE_MATRIX_FEATURES_KHR, NEVER,
     "VK_KHR_cooperative_matrix"},
    {offsetof(struct vulkan_features, mixed_dot), VULKAN_TYPE_MIXED_DOT_FEATURES_VALVE, NEVER,
     "VK_VALVE_shader_mixed_float_dot_product"},
    {offsetof(struct vulkan_features, rotate), VULKAN_TYPE_SUBGROUP_ROTATE_FEATURES_KHR, NEVER,
     "VK_KHR_shader_subgroup_rotate"},
    FEATURE(descriptor_indexing, DESCRIPTOR_INDEXING_FEATURES, VK_API_VERSION_1_2,
            "VK_EXT_descriptor_indexing"),
};

_Static_assert(COUNT(features) <= 32, "a bit for each");

/* Extensions without a feature struct: those that permit some SPIR-V, and those with functions that we
 * call. */
struct plain_extension {
    const char *name;
    uint32_t since;
    size_t flag; /* in struct vulkan_extensions, or NO_FLAG */
};

#define NO_FLAG SIZE_MAX
#define FLAG(member) offsetof(struct vulkan_extensions, member)

static const struct plain_extension plain_extensions[] = {
    {"VK_KHR_shader_float_controls", VK_API_VERSION_1_2, NO_FLAG},
    {"VK_KHR_spirv_1_4", VK_API_VERSION_1_2, NO_FLAG},
    {"VK_KHR_shader_non_semantic_info", VK_API_VERSION_1_3, NO_FLAG},
    {"VK_KHR_push_descriptor", NEVER, FLAG(push_descriptor)},
    {"VK_EXT_external_memory_host", NEVER, FLAG(external_memory_host)},
    {"VK_KHR_external_memory_fd", NEVER, FLAG(external_memory_fd)},
    {"VK_KHR_external_semaphore_fd", NEVER, FLAG(external_semaphore_fd)},
    {"VK_EXT_memory_budget", NEVER, FLAG(memory_budget)},
    {"VK_EXT_calibrated_timestamps", NEVER, FLAG(calibrated_timestamps)},
    {"VK_EXT_pci_bus_info", NEVER, FLAG(pci_bus_info)},
};

_Static_assert(COUNT(features) + COUNT(plain_extensions) <= VULKAN_EXTENSIONS_MOST, "room for all");

bool vulkan_extension_list_has(const struct vulkan_extension_list *offered, const char *name)
{
    for (uint32_t i = 0; i < offered->count; i++) {
        if (strcmp(offered->list[i].extensionName, name) == 0)
            return true;
    }
    return false;
}

void vulkan_features_chain(struct vulkan_features *chain, uint32_t known)
{
    VkBaseOutStructure *last = (VkBaseOutStructure *)&chain->core;
    chain->core.sType        = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    for (uint32_t i = 0; i < COUNT(features); i++) {
        if ((known & (1u << i)) == 0)
            continue;
        VkBaseOutStructure *next = (VkBaseOutStructure *)((unsigned char *)chain + features[i].offset);
        next->sType              = features[i].type;
        last->pNext              = next;
        last                     = next;
    }
    last->pNext = NULL;
}

static void find_features(const struct trm_backend_instance *instance, struct vulkan_physical *physical,
                          const struct vulkan_extension_list *offered)
{
    for (uint32_t i = 0; i < COUNT(features); i++) {
        bool is_core = physical->version >= features[i].since;
        if (!is_core && !vulkan_extension_list_has(offered, features[i].extension))
            continue;
        physical->known_features |= 1u << i;
        if (!is_core)
            physical->extensions[physical->extension_count++] = features[i].extension;
    }
    vulkan_features_chain(&physical->features, physical->known_features);
    instance->vk.vkGetPhysicalDeviceFeatures2(physical->handle, &physical->features.core);
    physical->has.timeline_semaphore = physical->features.timeline.timelineSemaphore;
    physical->has.robustness2        = physical->features.robustness2.robustBufferAccess2;
    physical->has.atomic_float       = physical->features.atomic_float.shaderBufferFloat32Atomics ||
                                 physical->features.atomic_float.shaderBufferFloat32AtomicAdd;
    physical->has.device_fault = physical->features.fault.deviceFault;
}

static void find_extensions(struct vulkan_physical *physical, const struct vulkan_extension_list *offered)
{
    for (uint32_t i = 0; i < COUNT(plain_extensions); i++) {
        const struct plain_extension *extension = &plain_extensions[i];
        if (physical->version >= extension->since || !vulkan_extension_list_has(offered, extension->name))
            continue;
        physical->extensions[physical->extension_count++] = extension->name;
        if (extension->flag != NO_FLAG)
            *(bool *)((unsigned char *)&physical->has + extension->flag) = true;
    }
}

void vulkan_physical_find_features(const struct trm_backend_instance *instance,
                                   struct vulkan_physical *physical,
                                   const struct vulkan_extension_list *offered)
{
    find_extensions(physical, offered);
    find_features(instance, physical, offered);
}
