/* vulkan backend: structs and functions that the headers of older systems lack.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_NEWER_H
#define BACKENDS_VULKAN_DRIVER_NEWER_H

#include <vulkan/vulkan.h>

/* VK_KHR_cooperative_matrix */
#define VULKAN_TYPE_COOPERATIVE_MATRIX_FEATURES_KHR ((VkStructureType)1000506000)
struct vulkan_cooperative_matrix_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 cooperativeMatrix;
    VkBool32 cooperativeMatrixRobustBufferAccess;
};

#define VULKAN_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR ((VkStructureType)1000506001)
struct vulkan_cooperative_matrix_properties {
    VkStructureType sType;
    void *pNext;
    uint32_t MSize, NSize, KSize;
    VkComponentTypeNV AType, BType, CType, ResultType; /* the numbers are those of VkComponentTypeKHR */
    VkBool32 saturatingAccumulation;
    VkScopeNV scope;
};
typedef VkResult(VKAPI_PTR *vulkan_get_cooperative_matrix_properties)(
    VkPhysicalDevice physical, uint32_t *count, struct vulkan_cooperative_matrix_properties *properties);

/* VK_VALVE_shader_mixed_float_dot_product */
#define VULKAN_TYPE_MIXED_DOT_FEATURES_VALVE ((VkStructureType)1000673000)
struct vulkan_mixed_dot_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderMixedFloatDotProductFloat16AccFloat32;
    VkBool32 shaderMixedFloatDotProductFloat16AccFloat16;
    VkBool32 shaderMixedFloatDotProductBFloat16Acc;
    VkBool32 shaderMixedFloatDotProductFloat8AccFloat32;
};

/* VK_KHR_shader_subgroup_rotate */
#define VULKAN_TYPE_SUBGROUP_ROTATE_FEATURES_KHR ((VkStructureType)1000416000)
struct vulkan_subgroup_rotate_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderSubgroupRotate;
    VkBool32 shaderSubgroupRotateClustered;
};

#endif
