/* vulkan backend: pools of descriptors, and views of texel buffers.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/record/descriptors.h"

#include <string.h>

#include "backends/vulkan/module/module.h"
#include "backends/vulkan/record/record.h"

/* ---- descriptor sets ------------------------------------------------------------------------------- */

/* A batch's pool; any single launch fits in a new one. */
#define SETS_OF_A_BATCH 256u
#define BUFFERS_OF_A_BATCH 2048u
#define OTHERS_OF_A_BATCH 512u /* of each other type */

static uint32_t count_of(const struct vulkan_pool_size *size, uint32_t type)
{
    if (size->sets != 0)
        return size->counts[type];
    if (type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER)
        return 0;
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ? BUFFERS_OF_A_BATCH : OTHERS_OF_A_BATCH;
}

static int32_t need_pool(struct trm_backend_device *device, struct vulkan_descriptors *descriptors,
                         const struct vulkan_pool_size *size)
{
    VkDescriptorPoolSize sizes[VULKAN_DESCRIPTOR_TYPES];
    uint32_t used = 0;
    if (descriptors->pool != VK_NULL_HANDLE)
        return TRM_OK;
    for (uint32_t type = 0; type < VULKAN_DESCRIPTOR_TYPES; type++)
        if (count_of(size, type) != 0)
            sizes[used++] = (VkDescriptorPoolSize){(VkDescriptorType)type, count_of(size, type)};
    const VkDescriptorPoolCreateInfo info = {
        .sType         = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets       = size->sets != 0 ? size->sets : SETS_OF_A_BATCH,
        .poolSizeCount = used,
        .pPoolSizes    = sizes,
    };
    VkResult result = device->vk.vkCreateDescriptorPool(device->handle, &info, NULL, &descriptors->pool);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateDescriptorPool") : TRM_OK;
}

int32_t vulkan_descriptors_set(struct trm_backend_device *device, struct vulkan_descriptors *descriptors,
                               const struct vulkan_pool_size *size, const struct trm_backend_kernel *kernel,
                               VkDescriptorSet *set)
{
    int32_t status = need_pool(device, descriptors, size);
    if (status != TRM_OK)
        return status;
    const VkDescriptorSetAllocateInfo info = {
        .sType              = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool     = descriptors->pool,
        .descriptorSetCount = 1,
        .pSetLayouts        = &kernel->set_layout,
    };
    VkResult result = device->vk.vkAllocateDescriptorSets(device->handle, &info, set);
    if (result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL)
        return VULKAN_RECORD_FULL;
    return result < 0 ? vulkan_device_fail(device, result, "vkAllocateDescriptorSets") : TRM_OK;
}

/* ---- views of texel buffers ------------------------------------------------------------------------ */

#define FIRST_VIEWS 8u

static bool grow(struct trm_backend_device *device, struct vulkan_descriptors *descriptors)
{
    const struct trm_host *host = device->instance->host;
    uint32_t capacity = descriptors->view_capacity != 0 ? 2 * descriptors->view_capacity : FIRST_VIEWS;
    if (descriptors->view_count < descriptors->view_capacity)
        return true;
    struct vulkan_texel_view *views = trm_util_allocate(host, capacity * sizeof(*views));
    if (views == NULL)
        return false;
    if (descriptors->view_count != 0)
        memcpy(views, descriptors->views, descriptors->view_count * sizeof(*views));
    trm_util_release(host, descriptors->views, descriptors->view_capacity * sizeof(*views));
    descriptors->views         = views;
    descriptors->view_capacity = capacity;
    return true;
}

static const struct vulkan_texel_view *find(const struct vulkan_descriptors *descriptors,
                                            const struct vulkan_texel_view *wanted)
{
    for (uint32_t i = descriptors->view_count; i > 0; i--) {
        const struct vulkan_texel_view *view = &descriptors->views[i - 1];
        if (view->buffer == wanted->buffer && view->offset == wanted->offset && view->size == wanted->size &&
            view->format == wanted->format)
            return view;
    }
    return NULL;
}

int32_t vulkan_descriptors_view(struct trm_backend_device *device, struct vulkan_descriptors *descriptors,
                                const struct vulkan_texel_view *wanted, VkBufferView *view)
{
    const struct vulkan_texel_view *found = find(descriptors, wanted);
    const VkBufferViewCreateInfo info     = {
            .sType  = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
            .buffer = wanted->buffer,
            .format = wanted->format,
            .offset = wanted->offset,
            .range  = wanted->size,
    };
    if (found == NULL) {
        if (!grow(device, descriptors))
            return trm_util_fail_host_memory(device->instance->host, "a texel buffer");
        struct vulkan_texel_view *made = &descriptors->views[descriptors->view_count];
        *made                          = *wanted;
        VkResult result = device->vk.vkCreateBufferView(device->handle, &info, NULL, &made->view);
        if (result < 0)
            return vulkan_device_fail(device, result, "vkCreateBufferView");
        descriptors->view_count++;
        found = made;
    }
    *view = found->view;
    return TRM_OK;
}

void vulkan_descriptors_keep_views(struct trm_backend_device *device, struct vulkan_descriptors *descriptors,
                                   uint32_t count)
{
    while (descriptors->view_count > count)
        device->vk.vkDestroyBufferView(device->handle, descriptors->views[--descriptors->view_count].view,
                                       NULL);
}

void vulkan_descriptors_fini(struct trm_backend_device *device, struct vulkan_descriptors *descriptors)
{
    vulkan_descriptors_keep_views(device, descriptors, 0);
    trm_util_release(device->instance->host, descriptors->views,
                     descriptors->view_capacity * sizeof(*descriptors->views));
    if (descriptors->pool != VK_NULL_HANDLE)
        device->vk.vkDestroyDescriptorPool(device->handle, descriptors->pool, NULL);
    memset(descriptors, 0, sizeof(*descriptors));
}
