/* vulkan backend: adopts an application's own VkDevice.
 *
 * The UUID says which of our physical devices it is; the application says what it has enabled. The adopted
 * device gets a copy of that physical device without everything that is not enabled, and all code that asks
 * what the device can do looks at the copy.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/device/adopt.h"

#include <string.h>

#include "backends/vulkan/device/device.h"

/* Bytes of struct trm_vulkan_device in its first version. */
#define DESCRIPTION_LEAST 96u

static int32_t fail_description(const struct trm_backend_instance *instance, const char *why)
{
    return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                         "The description of the Vulkan device is invalid: %s.", why);
}

/* ---- the application's description ------------------------------------------------------------ */

static int32_t check_queues(const struct trm_backend_instance *instance,
                            const struct vulkan_physical *physical, const struct trm_vulkan_device *given)
{
    bool computes = false;

    for (uint32_t i = 0; i < given->queue_count; i++) {
        const struct trm_vulkan_queues *queues = &given->queues[i];
        if (queues->family >= physical->family_count)
            return fail_description(instance, "it names a queue family that the device does not have");
        const VkQueueFamilyProperties *family = &physical->families[queues->family];
        if (queues->first > family->queueCount || queues->count > family->queueCount - queues->first)
            return fail_description(instance, "it names queues that the family does not have");
        computes = computes || (queues->count != 0 && family->queueFlags & VK_QUEUE_COMPUTE_BIT);
    }
    return computes ? TRM_OK : fail_description(instance, "none of its queues runs kernels");
}

static int32_t check_description(const struct trm_backend_instance *instance,
                                 const struct trm_vulkan_device *given)
{
    const VkPhysicalDeviceFeatures2 *features = given->features;

    if (given->struct_size < DESCRIPTION_LEAST)
        return fail_description(instance, "its struct_size is too small");
    if (given->get_instance_proc_addr == NULL || given->instance == NULL || given->physical_device == NULL ||
        given->device == NULL)
        return fail_description(instance, "a handle is NULL");
    if ((given->queues == NULL && given->queue_count != 0) ||
        (given->extensions == NULL && given->extension_count != 0))
        return fail_description(instance, "a list is NULL but its count is not 0");
    if ((given->lock_queue == NULL) != (given->unlock_queue == NULL))
        return fail_description(instance, "lock_queue and unlock_queue must both be set or both be NULL");
    if (features != NULL && features->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
        return fail_description(instance, "`features` is not a VkPhysicalDeviceFeatures2");
    return TRM_OK;
}

/* Looks up a function of the application's instance. */
static PFN_vkVoidFunction theirs(const struct vulkan_loan *loan, const char *name)
{
    return loan->get_proc(loan->instance, name);
}

static int32_t find_ours(const struct trm_backend_instance *instance, const struct vulkan_loan *loan,
                         uint32_t *index)
{
    VkPhysicalDeviceIDProperties id        = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &id};
    PFN_vkGetPhysicalDeviceProperties2 ask =
        (PFN_vkGetPhysicalDeviceProperties2)theirs(loan, "vkGetPhysicalDeviceProperties2");

    if (ask == NULL)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The VkInstance of the Vulkan device does not support Vulkan 1.1.");
    ask(loan->physical_device, &properties);
    for (uint32_t i = 0; i < instance->physical_count; i++)
        if (memcmp(instance->physicals[i].uuid, id.deviceUUID, VK_UUID_SIZE) == 0 &&
            strcmp(instance->physicals[i].properties.deviceName, properties.properties.deviceName) == 0) {
            *index = i;
            return TRM_OK;
        }
    return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                         "The device %s is not one that the vulkan backend can use.",
                         properties.properties.deviceName);
}

/* ---- what the device can do ------------------------------------------------------------------- */

static bool is_enabled(const struct trm_vulkan_device *given, const char *name)
{
    for (uint32_t i = 0; i < given->extension_count; i++)
        if (strcmp(given->extensions[i], name) == 0)
            return true;
    return false;
}

static void limit_extensions(struct vulkan_physical *physical, const struct trm_vulkan_device *given)
{
    struct vulkan_extensions *has = &physical->has;
    uint32_t count                = 0;

    for (uint32_t i = 0; i < physical->extension_count; i++)
        if (is_enabled(given, physical->extensions[i]))
            physical->extensions[count++] = physical->extensions[i];
    physical->extension_count = count;

    has->push_descriptor      = has->push_descriptor && is_enabled(given, "VK_KHR_push_descriptor");
    has->external_memory_host = has->external_memory_host && is_enabled(given, "VK_EXT_external_memory_host");
    has->external_memory_fd   = has->external_memory_fd && is_enabled(given, "VK_KHR_external_memory_fd");
    has->external_semaphore_fd =
        has->external_semaphore_fd && is_enabled(given, "VK_KHR_external_semaphore_fd");
    has->calibrated_timestamps =
        has->calibrated_timestamps && is_enabled(given, "VK_EXT_calibrated_timestamps");
    if (!has->push_descriptor)
        physical->max_push_descriptors = 0;
    if (!has->external_memory_host)
        physical->import_alignment = 0;
    physical->timeline_fd = physical->timeline_fd && has->external_semaphore_fd;
}

static void limit_features(struct vulkan_physical *physical, const struct trm_vulkan_device *given)
{
    struct vulkan_extensions *has    = &physical->has;
    struct vulkan_features *features = &physical->features;

    vulkan_features_limit(features, physical->known_features, given->features);
    has->robustness2  = features->robustness2.robustBufferAccess2;
    has->atomic_float = features->atomic_float.shaderBufferFloat32Atomics ||
                        features->atomic_float.shaderBufferFloat32AtomicAdd;
    has->device_fault = features->fault.deviceFault;
}

/* A loader may return functions of extensions that are not enabled. */
static void limit_functions(struct trm_backend_device *device)
{
    const struct vulkan_extensions *has = &device->physical->has;
    struct vulkan_device_functions *vk  = &device->vk;

    if (!has->push_descriptor)
        vk->vkCmdPushDescriptorSetKHR = NULL;
    if (!has->calibrated_timestamps)
        vk->vkGetCalibratedTimestampsEXT = NULL;
    if (!has->external_memory_host)
        vk->vkGetMemoryHostPointerPropertiesEXT = NULL;
    if (!has->external_memory_fd) {
        vk->vkGetMemoryFdKHR           = NULL;
        vk->vkGetMemoryFdPropertiesKHR = NULL;
    }
    if (!has->external_semaphore_fd) {
        vk->vkGetSemaphoreFdKHR    = NULL;
        vk->vkImportSemaphoreFdKHR = NULL;
    }
}

/* ---- queues ----------------------------------------------------------------------------------- */

static void add_family(struct vulkan_queues *queues, uint32_t family)
{
    for (uint32_t i = 0; i < queues->sharing_count; i++)
        if (queues->sharing[i] == family)
            return;
    queues->sharing[queues->sharing_count++] = family;
}

/* Whether queues of the family run kernels (`compute`), or copy only. */
static bool serves(const struct trm_backend_device *device, uint32_t family, bool compute)
{
    VkQueueFlags flags = device->physical->families[family].queueFlags;

    if (compute)
        return flags & VK_QUEUE_COMPUTE_BIT;
    return !(flags & VK_QUEUE_COMPUTE_BIT) && flags & (VK_QUEUE_TRANSFER_BIT | VK_QUEUE_GRAPHICS_BIT);
}

/* Streams use the first compute family that is named and the first transfer family; memory is shared with all
 * named families. */
static void take_queues(struct trm_backend_device *device, const struct trm_vulkan_device *given,
                        bool compute)
{
    struct vulkan_queues *queues = &device->queues;
    struct vulkan_queue *list    = compute ? queues->compute : queues->transfer;
    uint32_t *count              = compute ? &queues->compute_count : &queues->transfer_count;
    uint32_t family              = UINT32_MAX;

    for (uint32_t i = 0; i < given->queue_count; i++) {
        const struct trm_vulkan_queues *named = &given->queues[i];
        if (named->count == 0 || !serves(device, named->family, compute) ||
            (family != UINT32_MAX && family != named->family))
            continue;
        family = named->family;
        for (uint32_t k = 0; k < named->count && *count < VULKAN_QUEUES_MOST; k++)
            vulkan_queue_init(device, &list[(*count)++], family, named->first + k, TRM_PRIORITY_NORMAL);
    }
    if (family != UINT32_MAX)
        queues->families[queues->family_count++] = family;
}

static void borrow_queues(struct trm_backend_device *device, const struct trm_vulkan_device *given)
{
    struct vulkan_queues *queues = &device->queues;

    take_queues(device, given, true);
    take_queues(device, given, false);
    for (uint32_t i = 0; i < given->queue_count; i++)
        add_family(queues, given->queues[i].family);
    queues->external_lock   = given->lock_queue;
    queues->external_unlock = given->unlock_queue;
    queues->external_user   = given->user;
}

/* ---- adopting --------------------------------------------------------------------------------- */

void vulkan_loan_end(const struct trm_backend_instance *instance, struct vulkan_loan *loan)
{
    trm_util_release(instance->host, loan, sizeof(*loan));
}

/* Creates our device around the application's handle. */
static int32_t open_loan(struct trm_backend_instance *instance, struct vulkan_loan *loan,
                         const struct trm_vulkan_device *given, struct trm_backend_device **result)
{
    struct vulkan_instance_functions functions = {
        .vkGetDeviceProcAddr = (PFN_vkGetDeviceProcAddr)theirs(loan, "vkGetDeviceProcAddr"),
    };
    struct trm_backend_device *device;

    if (functions.vkGetDeviceProcAddr == NULL)
        return fail_description(instance, "get_instance_proc_addr does not find vkGetDeviceProcAddr");
    int32_t status = vulkan_device_allocate(instance, &loan->physical, &device);
    if (status != TRM_OK)
        return status;
    device->borrowed = true;
    device->handle   = given->device;
    status           = vulkan_device_load(device, &functions, &loan->physical.features);
    if (status == TRM_OK) {
        limit_functions(device);
        borrow_queues(device, given);
        status = vulkan_device_start(device);
    }
    if (status != TRM_OK) {
        vulkan_device_close(device);
        return status;
    }
    device->loan = loan;
    *result      = device;
    return TRM_OK;
}

static int32_t open_device(struct trm_backend_instance *instance, const struct trm_vulkan_device *given,
                           struct vulkan_loan *loan, uint32_t *index, struct trm_backend_device **device)
{
    uint32_t found = 0;

    loan->get_proc        = (PFN_vkGetInstanceProcAddr)(uintptr_t)given->get_instance_proc_addr;
    loan->instance        = given->instance;
    loan->physical_device = given->physical_device;
    int32_t status        = find_ours(instance, loan, &found);
    if (status != TRM_OK)
        return status;
    loan->physical = instance->physicals[found];
    limit_extensions(&loan->physical, given);
    limit_features(&loan->physical, given);
    if (!loan->physical.features.timeline.timelineSemaphore)
        return fail_description(instance, "timeline semaphores are not enabled");
    status = check_queues(instance, &loan->physical, given);
    if (status == TRM_OK)
        status = open_loan(instance, loan, given, device);
    if (status == TRM_OK)
        *index = found;
    return status;
}

int32_t vulkan_device_adopt(struct trm_backend_instance *instance, int32_t type, const void *native,
                            uint32_t *index, struct trm_backend_device **device)
{
    const struct trm_vulkan_device *given = native;

    if (type != TRM_NATIVE_DEVICE_VULKAN)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The vulkan backend cannot adopt a native device of type %d.", type);
    int32_t status = check_description(instance, given);
    if (status != TRM_OK)
        return status;
    struct vulkan_loan *loan = trm_util_allocate(instance->host, sizeof(*loan));
    if (loan == NULL)
        return trm_util_fail_host_memory(instance->host, "a device");
    status = open_device(instance, given, loan, index, device);
    if (status != TRM_OK)
        vulkan_loan_end(instance, loan);
    else if (instance->bounds)
        instance->host->log(instance->host->context, TRM_LOG_WARNING,
                            "kernel.bounds does nothing on an adopted VkDevice: whether accesses outside of "
                            "buffers are stopped was decided when the application created it");
    return status;
}
