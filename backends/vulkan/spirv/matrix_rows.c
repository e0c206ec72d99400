/* vulkan backend: the cooperative matrices that the driver lists.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/matrices.h"

/* One entry of either extension's list. */
union entry {
    VkCooperativeMatrixPropertiesNV nv;
    struct vulkan_cooperative_matrix_properties khr;
};

static struct vulkan_matrix_row row_of(const union entry *entry, bool is_khr)
{
    const VkCooperativeMatrixPropertiesNV *nv              = &entry->nv;
    const struct vulkan_cooperative_matrix_properties *khr = &entry->khr;
    if (!is_khr)
        return (struct vulkan_matrix_row){.m      = nv->MSize,
                                          .n      = nv->NSize,
                                          .k      = nv->KSize,
                                          .a      = nv->AType,
                                          .b      = nv->BType,
                                          .c      = nv->CType,
                                          .result = nv->DType,
                                          .scope  = nv->scope};
    return (struct vulkan_matrix_row){.m         = khr->MSize,
                                      .n         = khr->NSize,
                                      .k         = khr->KSize,
                                      .a         = khr->AType,
                                      .b         = khr->BType,
                                      .c         = khr->CType,
                                      .result    = khr->ResultType,
                                      .scope     = khr->scope,
                                      .saturates = khr->saturatingAccumulation != VK_FALSE};
}

/* The two functions differ in the struct alone. `entries` NULL: counts them. */
static VkResult list(const struct trm_backend_device *device, bool is_khr, uint32_t *count, void *entries)
{
    const struct vulkan_instance_functions *vk = &device->instance->vk;
    VkPhysicalDevice physical                  = device->physical->handle;
    if (!is_khr)
        return vk->vkGetPhysicalDeviceCooperativeMatrixPropertiesNV(physical, count, entries);
    return ((vulkan_get_cooperative_matrix_properties)vk->get_cooperative_matrix_properties)(physical, count,
                                                                                             entries);
}

/* The entries of the list follow each other without gaps, whose size depends on the extension. */
static union entry *entry_at(void *entries, uint32_t index, bool is_khr)
{
    size_t size = is_khr ? sizeof(struct vulkan_cooperative_matrix_properties)
                         : sizeof(VkCooperativeMatrixPropertiesNV);
    return (union entry *)((unsigned char *)entries + index * size);
}

int32_t vulkan_matrix_rows(const struct trm_backend_device *device, bool is_khr,
                           struct vulkan_matrix_row **rows, uint32_t *count)
{
    const struct vulkan_instance_functions *vk = &device->instance->vk;
    const struct trm_host *host                = device->instance->host;
    uint32_t found                             = 0;
    bool has_list                              = vk->vkGetPhysicalDeviceCooperativeMatrixPropertiesNV != NULL;
    if (is_khr)
        has_list = vk->get_cooperative_matrix_properties != NULL;
    *rows  = NULL;
    *count = 0;
    if (!has_list || list(device, is_khr, &found, NULL) != VK_SUCCESS || found == 0)
        return TRM_OK;
    uint64_t entry_bytes = found * sizeof(union entry), row_bytes = found * sizeof(**rows);
    void *entries  = trm_util_allocate(host, entry_bytes);
    *rows          = trm_util_allocate(host, row_bytes);
    int32_t status = entries != NULL && *rows != NULL
                         ? TRM_OK
                         : trm_util_fail_host_memory(host, "the driver's list of cooperative matrices");
    uint32_t given = found;
    for (uint32_t i = 0; i < found && status == TRM_OK; i++)
        *(VkBaseOutStructure *)entry_at(entries, i, is_khr) = (VkBaseOutStructure){
            .sType = is_khr ? VULKAN_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR
                            : VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV,
        };
    if (status == TRM_OK && list(device, is_khr, &given, entries) == VK_SUCCESS && given == found) {
        for (uint32_t i = 0; i < found; i++)
            (*rows)[i] = row_of(entry_at(entries, i, is_khr), is_khr);
        *count = found;
    }
    if (*count == 0) {
        trm_util_release(host, *rows, row_bytes);
        *rows = NULL;
    }
    trm_util_release(host, entries, entry_bytes);
    return status;
}
