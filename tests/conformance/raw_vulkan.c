/* A little Vulkan by hand.
 * SPDX-License-Identifier: MIT
 */
#include "raw_vulkan.h"

#include <dlfcn.h>
#include <trireme/interop.h>

static PFN_vkVoidFunction look_up(const struct raw_vulkan *raw, const char *name)
{
    PFN_vkGetDeviceProcAddr get_device_proc =
        (PFN_vkGetDeviceProcAddr)raw->get_proc(raw->instance, "vkGetDeviceProcAddr");
    PFN_vkVoidFunction found = NULL;
    if (raw->device && get_device_proc)
        found = get_device_proc(raw->device, name);
    if (!found)
        found = raw->get_proc(raw->instance, name);
    return found;
}

PFN_vkVoidFunction raw_function(const struct raw_vulkan *raw, const char *name)
{
    char extension[80];
    PFN_vkVoidFunction found = look_up(raw, name);
    snprintf(extension, sizeof(extension), "%sKHR", name);
    if (!found)
        found = look_up(raw, extension);
    ck_assert_msg(found != NULL, "Vulkan has no %s", name);
    return found;
}

/* ---- handles of the library's ---- */

static uint64_t handle_of(struct trm_device *device, int32_t type)
{
    uint64_t handle = 0;
    ck_ok(trm_device_native(device, type, &handle));
    ck_assert_uint_ne(handle, 0);
    return handle;
}

static void add_family_of(struct trm_device *device, int32_t role, struct raw_vulkan *raw)
{
    struct trm_stream *stream = NULL;
    uint64_t family           = 0;
    ck_ok(trm_stream_create(device, role, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_stream_native(stream, TRM_NATIVE_VULKAN_QUEUE_FAMILY, &family));
    trm_stream_destroy(stream);
    if (raw->family_count == 0 || raw->families[0] != family)
        raw->families[raw->family_count++] = (uint32_t)family;
}

bool raw_of(struct trm_device *device, struct raw_vulkan *raw)
{
    uint64_t handle = 0;
    if (trm_device_native(device, TRM_NATIVE_VULKAN_DEVICE, &handle) != TRM_OK) {
        skip("the device is not a Vulkan device");
        return false;
    }
    *raw = (struct raw_vulkan){
        .get_proc = (PFN_vkGetInstanceProcAddr)(uintptr_t)handle_of(device, TRM_NATIVE_VULKAN_GET_PROC),
        .instance = (VkInstance)(uintptr_t)handle_of(device, TRM_NATIVE_VULKAN_INSTANCE),
        .physical_device = (VkPhysicalDevice)(uintptr_t)handle_of(device, TRM_NATIVE_VULKAN_PHYSICAL_DEVICE),
        .device          = (VkDevice)(uintptr_t)handle,
    };
    add_family_of(device, TRM_STREAM_COMPUTE, raw);
    add_family_of(device, TRM_STREAM_UPLOAD, raw);
    return true;
}

/* ---- a device of the program's own ---- */

static void uuid_of(const struct raw_vulkan *raw, VkPhysicalDevice physical_device,
                    uint8_t uuid[VK_UUID_SIZE])
{
    VkPhysicalDeviceIDProperties id        = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &id};
    RAW(raw, vkGetPhysicalDeviceProperties2);
    vkGetPhysicalDeviceProperties2(physical_device, &properties);
    memcpy(uuid, id.deviceUUID, VK_UUID_SIZE);
}

static void open_instance(struct raw_vulkan *raw)
{
    const char *name       = getenv("TRIREME_VULKAN_LOADER");
    VkApplicationInfo info = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo create = {.sType            = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                   .pApplicationInfo = &info};
    raw->library                = dlopen(name && *name ? name : "libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(raw->library != NULL, "%s", dlerror());
    raw->get_proc = (PFN_vkGetInstanceProcAddr)(uintptr_t)dlsym(raw->library, "vkGetInstanceProcAddr");
    ck_assert(raw->get_proc != NULL);
    RAW(raw, vkCreateInstance);
    ck_vulkan(vkCreateInstance(&create, NULL, &raw->instance));
}

static void find_physical_device(struct raw_vulkan *raw, struct trm_device *like)
{
    struct raw_vulkan theirs;
    uint8_t wanted[VK_UUID_SIZE], uuid[VK_UUID_SIZE];
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    ck_assert(raw_of(like, &theirs));
    uuid_of(&theirs, theirs.physical_device, wanted);
    RAW(raw, vkEnumeratePhysicalDevices);
    VkResult result = vkEnumeratePhysicalDevices(raw->instance, &count, devices);
    ck_assert(result == VK_SUCCESS || result == VK_INCOMPLETE);
    for (uint32_t i = 0; i < count; i++) {
        uuid_of(raw, devices[i], uuid);
        if (memcmp(uuid, wanted, VK_UUID_SIZE) == 0)
            raw->physical_device = devices[i];
    }
    ck_assert(raw->physical_device != VK_NULL_HANDLE);
}

static void find_queues(struct raw_vulkan *raw)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 0;
    RAW(raw, vkGetPhysicalDeviceQueueFamilyProperties);
    vkGetPhysicalDeviceQueueFamilyProperties(raw->physical_device, &count, NULL);
    count = count < 32 ? count : 32;
    vkGetPhysicalDeviceQueueFamilyProperties(raw->physical_device, &count, families);
    for (uint32_t i = 0; i < count && raw->queue_count == 0; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            raw->family      = i;
            raw->queue_count = families[i].queueCount < 2 ? 1 : 2;
        }
    ck_assert_uint_ne(raw->queue_count, 0);
}

static void add_extension(struct raw_vulkan *raw, const char *name)
{
    VkExtensionProperties offered[512];
    uint32_t count = 512;
    RAW(raw, vkEnumerateDeviceExtensionProperties);
    VkResult result = vkEnumerateDeviceExtensionProperties(raw->physical_device, NULL, &count, offered);
    ck_assert(result == VK_SUCCESS || result == VK_INCOMPLETE);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(offered[i].extensionName, name) == 0)
            raw->extensions[raw->extension_count++] = name;
}

void raw_open(struct raw_vulkan *raw, struct trm_device *like)
{
    static const float priorities[] = {1.0f, 1.0f};
    memset(raw, 0, sizeof(*raw));
    open_instance(raw);
    find_physical_device(raw, like);
    find_queues(raw);
    add_extension(raw, "VK_KHR_push_descriptor");
    add_extension(raw, "VK_KHR_timeline_semaphore");
    raw->timeline = (VkPhysicalDeviceTimelineSemaphoreFeatures){
        .sType             = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE,
    };
    raw->features = (VkPhysicalDeviceFeatures2){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &raw->timeline,
    };
    VkDeviceQueueCreateInfo queues = {
        .sType            = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = raw->family,
        .queueCount       = raw->queue_count,
        .pQueuePriorities = priorities,
    };
    VkDeviceCreateInfo create = {
        .sType                   = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext                   = &raw->features,
        .queueCreateInfoCount    = 1,
        .pQueueCreateInfos       = &queues,
        .enabledExtensionCount   = raw->extension_count,
        .ppEnabledExtensionNames = raw->extensions,
    };
    RAW(raw, vkCreateDevice);
    ck_vulkan(vkCreateDevice(raw->physical_device, &create, NULL, &raw->device));
}

void raw_close(struct raw_vulkan *raw)
{
    RAW(raw, vkDeviceWaitIdle);
    RAW(raw, vkDestroyDevice);
    RAW(raw, vkDestroyInstance);
    ck_vulkan(vkDeviceWaitIdle(raw->device));
    vkDestroyDevice(raw->device, NULL);
    vkDestroyInstance(raw->instance, NULL);
    dlclose(raw->library);
}

/* ---- work ---- */

static uint32_t mapped_type(const struct raw_vulkan *raw, uint32_t bits)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    RAW(raw, vkGetPhysicalDeviceMemoryProperties);
    vkGetPhysicalDeviceMemoryProperties(raw->physical_device, &memory);
    uint32_t type = 0;
    while (type < memory.memoryTypeCount &&
           (!(bits & 1u << type) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    ck_assert_uint_lt(type, memory.memoryTypeCount);
    return type;
}

void raw_buffer_make(const struct raw_vulkan *raw, uint64_t size, struct raw_buffer *buffer)
{
    VkBufferCreateInfo create = {
        .sType       = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size        = size,
        .usage       = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .sharingMode = raw->family_count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = raw->family_count,
        .pQueueFamilyIndices   = raw->families,
    };
    VkMemoryRequirements required;
    RAW(raw, vkCreateBuffer);
    RAW(raw, vkGetBufferMemoryRequirements);
    RAW(raw, vkAllocateMemory);
    RAW(raw, vkBindBufferMemory);
    RAW(raw, vkMapMemory);
    ck_vulkan(vkCreateBuffer(raw->device, &create, NULL, &buffer->buffer));
    vkGetBufferMemoryRequirements(raw->device, buffer->buffer, &required);
    VkMemoryAllocateInfo allocate = {
        .sType           = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize  = required.size,
        .memoryTypeIndex = mapped_type(raw, required.memoryTypeBits),
    };
    ck_vulkan(vkAllocateMemory(raw->device, &allocate, NULL, &buffer->memory));
    ck_vulkan(vkBindBufferMemory(raw->device, buffer->buffer, buffer->memory, 0));
    ck_vulkan(vkMapMemory(raw->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped));
}

void raw_buffer_end(const struct raw_vulkan *raw, struct raw_buffer *buffer)
{
    RAW(raw, vkDestroyBuffer);
    RAW(raw, vkFreeMemory);
    vkDestroyBuffer(raw->device, buffer->buffer, NULL);
    vkFreeMemory(raw->device, buffer->memory, NULL);
}

static VkCommandBuffer record_copy(const struct raw_vulkan *raw, VkCommandPool pool, VkBuffer from,
                                   const VkBufferCopy *region, VkBuffer to)
{
    VkCommandBufferAllocateInfo allocate = {
        .sType              = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool        = pool,
        .level              = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    VkMemoryBarrier to_host = {
        .sType         = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    VkCommandBuffer commands;
    RAW(raw, vkAllocateCommandBuffers);
    RAW(raw, vkBeginCommandBuffer);
    RAW(raw, vkCmdCopyBuffer);
    RAW(raw, vkCmdPipelineBarrier);
    RAW(raw, vkEndCommandBuffer);
    ck_vulkan(vkAllocateCommandBuffers(raw->device, &allocate, &commands));
    ck_vulkan(vkBeginCommandBuffer(commands, &begin));
    vkCmdCopyBuffer(commands, from, to, 1, region);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host,
                         0, NULL, 0, NULL);
    ck_vulkan(vkEndCommandBuffer(commands));
    return commands;
}

static VkSemaphore make_timeline(const struct raw_vulkan *raw)
{
    VkSemaphoreTypeCreateInfo type = {.sType         = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo create   = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore          = VK_NULL_HANDLE;
    RAW(raw, vkCreateSemaphore);
    ck_vulkan(vkCreateSemaphore(raw->device, &create, NULL, &semaphore));
    return semaphore;
}

static void submit_and_wait(const struct raw_vulkan *raw, VkQueue queue, VkSemaphore semaphore,
                            uint64_t value, VkCommandBuffer commands)
{
    static const uint64_t one              = 1;
    VkPipelineStageFlags stage             = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSemaphore done                       = make_timeline(raw);
    VkTimelineSemaphoreSubmitInfo timeline = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                              .waitSemaphoreValueCount   = 1,
                                              .pWaitSemaphoreValues      = &value,
                                              .signalSemaphoreValueCount = 1,
                                              .pSignalSemaphoreValues    = &one};
    VkSubmitInfo submit                    = {.sType                = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                              .pNext                = &timeline,
                                              .waitSemaphoreCount   = 1,
                                              .pWaitSemaphores      = &semaphore,
                                              .pWaitDstStageMask    = &stage,
                                              .commandBufferCount   = 1,
                                              .pCommandBuffers      = &commands,
                                              .signalSemaphoreCount = 1,
                                              .pSignalSemaphores    = &done};
    VkSemaphoreWaitInfo wait               = {.sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                              .semaphoreCount = 1,
                                              .pSemaphores    = &done,
                                              .pValues        = &one};
    RAW(raw, vkQueueSubmit);
    RAW(raw, vkWaitSemaphores);
    RAW(raw, vkQueueWaitIdle);
    RAW(raw, vkDestroySemaphore);
    ck_vulkan(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    ck_vulkan(vkWaitSemaphores(raw->device, &wait, LONG_NS));
    ck_vulkan(vkQueueWaitIdle(queue)); /* some drivers still look at a semaphore that they have signalled */
    vkDestroySemaphore(raw->device, done, NULL);
}

void raw_copy_after(const struct raw_vulkan *raw, VkQueue queue, uint32_t family, VkSemaphore semaphore,
                    uint64_t value, VkBuffer from, uint64_t offset, VkBuffer to, uint64_t size)
{
    VkCommandPoolCreateInfo create = {.sType            = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                      .flags            = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                      .queueFamilyIndex = family};
    VkBufferCopy region            = {.srcOffset = offset, .size = size};
    VkCommandPool pool             = VK_NULL_HANDLE;
    RAW(raw, vkCreateCommandPool);
    RAW(raw, vkDestroyCommandPool);
    ck_vulkan(vkCreateCommandPool(raw->device, &create, NULL, &pool));
    submit_and_wait(raw, queue, semaphore, value, record_copy(raw, pool, from, &region, to));
    vkDestroyCommandPool(raw->device, pool, NULL);
}
