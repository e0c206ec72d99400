/* Memory types, heaps, and mapping.
 *
 * A device that looks discrete has three or four memory types, which all stand for one type of the real
 * device:
 *
 *     0  device-local                          heap 0
 *     1  host-visible, coherent                heap 1
 *     2  host-visible, coherent, cached        heap 1
 *     3  device-local, host-visible, coherent  heap 2: the "bar"
 *
 * The real type must be one that the host reaches, and a driver may have images that cannot be in such memory
 * (NVIDIA's). Where the real device has device-local memory that the host does not reach, one more type comes
 * last, which stands for that: device-local, heap 0, only for images that need it.
 * SPDX-License-Identifier: MIT
 */
#include "shim.h"

#define TYPES 5u /* with that for images */
#define TYPE_FOR_IMAGES (TYPES - 1)
#define BAR_BYTES (UINT64_C(256) << 20)

static const struct {
    VkMemoryPropertyFlags flags;
    uint32_t heap;
} types[TYPES] = {
    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
    {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 1},
    {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
         VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
     1},
    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
     2},
    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
};

/* The types that stand for the first real type. */
static uint32_t type_count(void)
{
    return shim_config.memory == SHIM_MEMORY_BAR ? TYPE_FOR_IMAGES : TYPE_FOR_IMAGES - 1;
}

/* The row of `types` of an index that the backend uses. */
static uint32_t row_of(uint32_t index)
{
    return index < type_count() ? index : TYPE_FOR_IMAGES;
}

/* The first type with all of these properties; UINT32_MAX: none. */
static uint32_t type_with(const VkPhysicalDeviceMemoryProperties *properties, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < properties->memoryTypeCount; i++)
        if ((properties->memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return UINT32_MAX;
}

/* The real type behind all of ours: device memory that the host reaches coherently, or else host memory,
 * which every device has. */
static uint32_t real_type(VkPhysicalDevice physical)
{
    VkPhysicalDeviceMemoryProperties properties;
    VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    shim_real.vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    uint32_t type = type_with(&properties, coherent | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    return type != UINT32_MAX ? type : type_with(&properties, coherent);
}

/* The real type behind our type for images; UINT32_MAX: there is none. */
static uint32_t real_type_for_images(const VkPhysicalDeviceMemoryProperties *properties)
{
    for (uint32_t i = 0; i < properties->memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = properties->memoryTypes[i].propertyFlags;
        if ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) && !(flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
            return i;
    }
    /* One that the host reaches is as good where images are only made to look as if they were apart. */
    return shim_config.memory == SHIM_MEMORY_APART
               ? type_with(properties, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
               : UINT32_MAX;
}

static uint32_t real_type_of(VkPhysicalDevice physical, uint32_t index)
{
    VkPhysicalDeviceMemoryProperties properties;
    if (row_of(index) != TYPE_FOR_IMAGES)
        return real_type(physical);
    shim_real.vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    return real_type_for_images(&properties);
}

static uint64_t heap_bytes(uint32_t heap)
{
    uint64_t limit = shim_config.limits.heap ? shim_config.limits.heap : UINT64_C(8) << 30;
    return heap == 2 && limit > BAR_BYTES ? BAR_BYTES : limit;
}

void shim_memory_properties(VkPhysicalDeviceMemoryProperties *properties)
{
    if (shim_config.memory == SHIM_MEMORY_REAL) {
        for (uint32_t i = 0; i < properties->memoryHeapCount; i++)
            if (shim_config.limits.heap && properties->memoryHeaps[i].size > shim_config.limits.heap)
                properties->memoryHeaps[i].size = shim_config.limits.heap;
        return;
    }
    uint32_t for_images = real_type_for_images(properties) != UINT32_MAX ? 1 : 0;
    *properties         = (VkPhysicalDeviceMemoryProperties){.memoryTypeCount = type_count() + for_images,
                                                             .memoryHeapCount = type_count() - 1};
    for (uint32_t i = 0; i < properties->memoryTypeCount; i++)
        properties->memoryTypes[i] = (VkMemoryType){types[row_of(i)].flags, types[row_of(i)].heap};
    for (uint32_t i = 0; i < properties->memoryHeapCount; i++)
        properties->memoryHeaps[i] =
            (VkMemoryHeap){heap_bytes(i), i == 1 ? 0 : (VkMemoryHeapFlags)VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

static uint64_t heap_used(uint32_t heap)
{
    uint64_t used = 0;
    if (shim_config.memory == SHIM_MEMORY_REAL)
        return shim_allocated(UINT64_MAX);
    for (uint32_t i = 0; i <= type_count(); i++)
        if (types[row_of(i)].heap == heap)
            used += shim_allocated(i);
    return used;
}

void shim_memory_budget(VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
    uint32_t heaps = shim_config.memory == SHIM_MEMORY_REAL ? 1 : type_count() - 1;
    if (shim_config.memory == SHIM_MEMORY_REAL && !shim_config.limits.heap)
        return;
    for (uint32_t i = 0; i < VK_MAX_MEMORY_HEAPS; i++) {
        budget->heapBudget[i] = i < heaps ? heap_bytes(i) : 0;
        budget->heapUsage[i]  = i < heaps ? heap_used(i) : 0;
    }
}

/* ---- memory ------------------------------------------------------------------------------------ */

static VkResult refuse(VkPhysicalDevice physical, const VkMemoryAllocateInfo *info)
{
    const struct shim_limits *limits = &shim_config.limits;
    bool real                        = shim_config.memory == SHIM_MEMORY_REAL;
    uint32_t heap                    = 0;
    if (!real && (info->memoryTypeIndex > type_count() ||
                  real_type_of(physical, info->memoryTypeIndex) == UINT32_MAX)) {
        shim_breach("memory of type %u was asked for, which there is not", info->memoryTypeIndex);
        return VK_ERROR_UNKNOWN;
    }
    if (!real)
        heap = types[row_of(info->memoryTypeIndex)].heap;
    if (limits->maxMemoryAllocationCount &&
        shim_living_of("VkDeviceMemory") >= limits->maxMemoryAllocationCount)
        return VK_ERROR_TOO_MANY_OBJECTS;
    if (limits->maxMemoryAllocationSize && info->allocationSize > limits->maxMemoryAllocationSize) {
        shim_breach("more than maxMemoryAllocationSize was asked for at once");
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    if (!real || limits->heap)
        if (info->allocationSize > heap_bytes(heap) ||
            heap_used(heap) > heap_bytes(heap) - info->allocationSize)
            return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkDeviceMemory *memory)
{
    VkMemoryAllocateInfo changed = *info;
    VkResult result              = shim_call(SHIM_vkAllocateMemory);
    if (result == VK_SUCCESS)
        result = refuse(shim_device_of(device)->physical, info);
    if (result != VK_SUCCESS)
        return result;
    if (shim_config.memory != SHIM_MEMORY_REAL)
        changed.memoryTypeIndex = real_type_of(shim_device_of(device)->physical, info->memoryTypeIndex);
    result = shim_real.vkAllocateMemory(device, &changed, allocator, memory);
    if (result == VK_SUCCESS)
        shim_made("VkDeviceMemory", SHIM_HANDLE(*memory), SHIM_HANDLE(device), info->allocationSize,
                  info->memoryTypeIndex);
    return result;
}

VKAPI_ATTR void VKAPI_CALL shim_vkFreeMemory(VkDevice device, VkDeviceMemory memory,
                                             const VkAllocationCallbacks *allocator)
{
    (void)shim_call(SHIM_vkFreeMemory);
    if (!memory)
        return;
    shim_ended("VkDeviceMemory", SHIM_HANDLE(memory), false);
    shim_real.vkFreeMemory(device, memory, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkMapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    struct shim_record record;
    VkResult result = shim_call(SHIM_vkMapMemory);
    if (result != VK_SUCCESS)
        return result;
    if (shim_config.memory != SHIM_MEMORY_REAL &&
        shim_known("VkDeviceMemory", SHIM_HANDLE(memory), &record) &&
        !(types[row_of((uint32_t)record.second)].flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) {
        shim_breach("memory was mapped that the host does not reach");
        return VK_ERROR_MEMORY_MAP_FAILED;
    }
    return shim_real.vkMapMemory(device, memory, offset, size, flags, data);
}

VKAPI_ATTR void VKAPI_CALL shim_vkUnmapMemory(VkDevice device, VkDeviceMemory memory)
{
    (void)shim_call(SHIM_vkUnmapMemory);
    shim_real.vkUnmapMemory(device, memory);
}

/* Which of our types stand for the real types; for host memory, our host types. */
static uint32_t our_types(VkDevice device, uint32_t real_bits, bool host_only)
{
    if (shim_config.memory == SHIM_MEMORY_REAL)
        return real_bits;
    if (!(real_bits & 1u << real_type(shim_device_of(device)->physical)))
        return 0;
    return host_only ? 6u : (1u << type_count()) - 1;
}

/* The same for an image. Our type for images only where the image cannot be in any other. */
static uint32_t our_types_of_image(VkDevice device, uint32_t real_bits)
{
    uint32_t bits = our_types(device, real_bits, false);
    if (shim_config.memory == SHIM_MEMORY_REAL || (bits != 0 && shim_config.memory != SHIM_MEMORY_APART))
        return bits;
    uint32_t real = real_type_of(shim_device_of(device)->physical, type_count());
    return real != UINT32_MAX && (real_bits & 1u << real) ? 1u << type_count() : 0;
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                              VkMemoryRequirements *requirements)
{
    (void)shim_call(SHIM_vkGetBufferMemoryRequirements);
    shim_real.vkGetBufferMemoryRequirements(device, buffer, requirements);
    requirements->memoryTypeBits = our_types(device, requirements->memoryTypeBits, false);
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetImageMemoryRequirements(VkDevice device, VkImage image,
                                                             VkMemoryRequirements *requirements)
{
    (void)shim_call(SHIM_vkGetImageMemoryRequirements);
    shim_real.vkGetImageMemoryRequirements(device, image, requirements);
    requirements->memoryTypeBits = our_types_of_image(device, requirements->memoryTypeBits);
}

VKAPI_ATTR VkResult VKAPI_CALL
shim_vkGetMemoryHostPointerPropertiesEXT(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                         const void *pointer, VkMemoryHostPointerPropertiesEXT *properties)
{
    VkResult result = shim_call(SHIM_vkGetMemoryHostPointerPropertiesEXT);
    if (result == VK_SUCCESS)
        result = shim_real.vkGetMemoryHostPointerPropertiesEXT(device, type, pointer, properties);
    if (result == VK_SUCCESS)
        properties->memoryTypeBits = our_types(device, properties->memoryTypeBits, true);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkGetMemoryFdPropertiesKHR(VkDevice device,
                                                               VkExternalMemoryHandleTypeFlagBits type,
                                                               int fd, VkMemoryFdPropertiesKHR *properties)
{
    VkResult result = shim_call(SHIM_vkGetMemoryFdPropertiesKHR);
    if (result == VK_SUCCESS)
        result = shim_real.vkGetMemoryFdPropertiesKHR(device, type, fd, properties);
    if (result == VK_SUCCESS)
        properties->memoryTypeBits = our_types(device, properties->memoryTypeBits, false);
    return result;
}
