/* vulkan backend: opens and closes devices.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/device/device.h"

#include <stdio.h>
#include <string.h>

#include "backends/vulkan/device/adopt.h"
#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/image/image.h"
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/module/module.h"
#include "backends/vulkan/record/record.h"
#include "backends/vulkan/stream/stream.h"

#define SOFTWARE_SPIN_NS 2000

/* ---- steps of opening --------------------------------------------------------------------------- */

/* A software driver needs the processors itself, so threads must not poll for long. */
static uint64_t spin_of(const struct trm_backend_instance *instance, const struct vulkan_physical *physical)
{
    if (physical->kind == TRM_DEVICE_SOFTWARE && instance->spin_ns > SOFTWARE_SPIN_NS)
        return SOFTWARE_SPIN_NS;
    return instance->spin_ns;
}

/* Defaults without the setting vulkan.items: only discrete GPUs (measured on an H200, which runs 270,000
 * invocations at once), and only grids that still fill the GPU when they are coarsened. */
#define ITEMS_OF_GPU 4u
#define LEAST_OF_GPU (UINT64_C(1) << 21)

static struct vulkan_coarsening coarsening_of(const struct trm_backend_instance *instance,
                                              const struct vulkan_physical *physical)
{
    if (instance->items != 0)
        return (struct vulkan_coarsening){.items = instance->items};
    if (physical->kind == TRM_DEVICE_GPU)
        return (struct vulkan_coarsening){.items = ITEMS_OF_GPU, .least = LEAST_OF_GPU};
    return (struct vulkan_coarsening){.items = 1};
}

/* Without the setting vulkan.unroll only discrete GPUs get unrolled loops. Mesa unrolls by itself. */
static uint32_t unroll_of(const struct trm_backend_instance *instance, const struct vulkan_physical *physical)
{
    if (instance->unroll != 0)
        return instance->unroll;
    return physical->kind == TRM_DEVICE_GPU ? VULKAN_UNROLL_AUTO : 1;
}

int32_t vulkan_device_allocate(struct trm_backend_instance *instance, const struct vulkan_physical *physical,
                               struct trm_backend_device **result)
{
    struct trm_backend_device *device = trm_util_allocate(instance->host, sizeof(*device));
    if (device == NULL)
        return trm_util_fail_host_memory(instance->host, "a device");
    device->instance               = instance;
    device->physical               = physical;
    device->copies_by_kernel       = physical->copies_by_kernel;
    device->copies_small_by_engine = physical->copies_small_by_engine;
    device->spin_ns                = spin_of(instance, physical);
    device->coarsening             = coarsening_of(instance, physical);
    device->unroll                 = unroll_of(instance, physical);
    pthread_mutex_init(&device->stall_lock, NULL);
    pthread_mutex_init(&device->streams_lock, NULL);
    *result = device;
    return TRM_OK;
}

int32_t vulkan_device_load(struct trm_backend_device *device, const struct vulkan_instance_functions *theirs,
                           const struct vulkan_features *features)
{
    struct vulkan_device_functions *vk = &device->vk;
    const char *missing                = vulkan_load_device(theirs, device->handle, vk);
    if (!features->host_query_reset.hostQueryReset)
        vk->vkResetQueryPool = NULL;
    if (!features->device_address.bufferDeviceAddress)
        vk->vkGetBufferDeviceAddress = NULL;
    if (vk->vkCmdDispatchBase == NULL)
        device->coarsening.items = 1;
    if (!features->fault.deviceFault)
        vk->get_device_fault_info = NULL;
    if (missing == NULL)
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "The driver of the device %s has no %s.", device->physical->properties.deviceName,
                         missing);
}

int32_t vulkan_device_start(struct trm_backend_device *device)
{
    int32_t status = vulkan_heap_create(device, &device->heap);
    if (status == TRM_OK)
        status = vulkan_service_create(device, &device->service);
    if (status == TRM_OK)
        status = vulkan_staging_init(device);
    if (status == TRM_OK)
        status = vulkan_layouts_create(device, &device->layouts);
    if (status == TRM_OK)
        status = vulkan_record_init_device(device);
    if (status == TRM_OK)
        status = vulkan_stamps_create(device, &device->stamps);
    if (status == TRM_OK)
        status = vulkan_pipeline_cache_open(device);
    if (status == TRM_OK)
        trm_util_warn_of_barriers(device->instance->host, device->physical->properties.deviceName);
    return status;
}

/* All work is known to have ended, but the driver may still be busy with its end. The call is repeated once
 * because the driver may lack memory for a moment. A lost device can be destroyed without it. */
static void wait_idle(const struct trm_backend_device *device)
{
    VkResult result = device->vk.vkDeviceWaitIdle(device->handle);
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
        (void)device->vk.vkDeviceWaitIdle(device->handle);
}

/* Undoes only the steps that were taken. Without vkDestroyDevice the driver has created nothing. */
void vulkan_device_close(struct trm_backend_device *device)
{
    bool is_ours =
        device->handle != VK_NULL_HANDLE && !device->borrowed && device->vk.vkDestroyDevice != NULL;
    vulkan_service_destroy(device->service);
    if (is_ours && device->vk.vkDeviceWaitIdle != NULL)
        wait_idle(device);
    if (device->handle != VK_NULL_HANDLE) {
        vulkan_pipeline_cache_close(device);
        vulkan_stamps_destroy(device->stamps);
        vulkan_record_fini_device(device);
        vulkan_staging_fini(device);
        vulkan_layouts_destroy(device->layouts);
        vulkan_heap_destroy(device->heap);
        vulkan_timelines_fini(device);
        vulkan_queues_fini(device);
    }
    if (is_ours)
        device->vk.vkDestroyDevice(device->handle, NULL);
    pthread_mutex_destroy(&device->streams_lock);
    pthread_mutex_destroy(&device->stall_lock);
    vulkan_loan_end(device->instance, device->loan);
    trm_util_release(device->instance->host, device, sizeof(*device));
}

/* ---- our own devices ---------------------------------------------------------------------------- */

/* Enables what kernels can use and what the report of a loss needs. Checking every access to a buffer costs
 * time, so it stays off unless the setting kernel.bounds asks for it. Accesses to images are always
 * checked. */
static void choose_features(const struct trm_backend_device *device, struct vulkan_features *wanted)
{
    const struct vulkan_physical *physical    = device->physical;
    const VkPhysicalDeviceFeatures *available = &physical->features.core.features;
    VkPhysicalDeviceFeatures *core            = &wanted->core.features;
    bool bounds                               = device->instance->bounds;
    *wanted                                   = physical->features;
    memset(core, 0, sizeof(*core));
    core->robustBufferAccess                      = bounds && available->robustBufferAccess;
    core->shaderFloat64                           = available->shaderFloat64;
    core->shaderInt64                             = available->shaderInt64;
    core->shaderInt16                             = available->shaderInt16;
    core->shaderUniformBufferArrayDynamicIndexing = available->shaderUniformBufferArrayDynamicIndexing;
    core->shaderSampledImageArrayDynamicIndexing  = available->shaderSampledImageArrayDynamicIndexing;
    core->shaderStorageBufferArrayDynamicIndexing = available->shaderStorageBufferArrayDynamicIndexing;
    core->shaderStorageImageArrayDynamicIndexing  = available->shaderStorageImageArrayDynamicIndexing;
    core->shaderStorageImageExtendedFormats       = available->shaderStorageImageExtendedFormats;
    core->shaderStorageImageReadWithoutFormat     = available->shaderStorageImageReadWithoutFormat;
    core->shaderStorageImageWriteWithoutFormat    = available->shaderStorageImageWriteWithoutFormat;
    core->shaderImageGatherExtended               = available->shaderImageGatherExtended;
    core->imageCubeArray                          = available->imageCubeArray;
    wanted->robustness2.robustBufferAccess2 =
        bounds && wanted->robustness2.robustBufferAccess2 && core->robustBufferAccess;
    wanted->robustness2.robustImageAccess2                  = VK_FALSE;
    wanted->storage16.storageInputOutput16                  = VK_FALSE;
    wanted->device_address.bufferDeviceAddressCaptureReplay = VK_FALSE;
    wanted->device_address.bufferDeviceAddressMultiDevice   = VK_FALSE;
    wanted->fault.deviceFaultVendorBinary                   = VK_FALSE;
    vulkan_features_chain(wanted, physical->known_features);
}

/* Vulkan cannot tell the host of an access that robustness has stopped, so kernel.bounds finds no fault
 * here. */
static void warn_of_bounds(const struct trm_backend_device *device)
{
    const struct trm_host *host = device->instance->host;
    char line[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + 256];
    if (!device->instance->bounds)
        return;
    snprintf(
        line, sizeof(line),
        "kernel.bounds on %s is the driver's robust access: outside of a buffer it drops writes and reads "
        "zeros, and the launch succeeds; the cpu backend fails it and names the variable and the line",
        device->physical->properties.deviceName);
    host->log(host->context, TRM_LOG_WARNING, line);
}

static int32_t create_handle(struct trm_backend_device *device, const struct vulkan_queue_plan *plan,
                             const struct vulkan_features *features)
{
    const struct vulkan_physical *physical = device->physical;
    VkDeviceCreateInfo info                = {.sType                   = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                              .pNext                   = &features->core,
                                              .queueCreateInfoCount    = plan->info_count,
                                              .pQueueCreateInfos       = plan->infos,
                                              .enabledExtensionCount   = physical->extension_count,
                                              .ppEnabledExtensionNames = physical->extensions};
    VkResult result = device->instance->vk.vkCreateDevice(physical->handle, &info, NULL, &device->handle);
    if (result >= 0)
        return TRM_OK;
    device->handle = VK_NULL_HANDLE;
    return trm_util_fail(device->instance->host, vulkan_status(result), result,
                         "The device %s cannot be opened: vkCreateDevice failed: %s (%d)%s.",
                         physical->properties.deviceName, vulkan_result_name(result), result,
                         vulkan_fork_hint());
}

/* On a failure the caller undoes the completed steps with vulkan_device_close(). */
static int32_t make(struct trm_backend_device *device)
{
    struct vulkan_queue_plan plan;
    struct vulkan_features features;
    vulkan_queues_plan(device->physical, &plan);
    choose_features(device, &features);
    int32_t status = create_handle(device, &plan, &features);
    if (status == TRM_OK)
        status = vulkan_device_load(device, &device->instance->vk, &features);
    if (status == TRM_OK)
        status = vulkan_queues_init(device, &plan);
    if (status == TRM_OK)
        status = vulkan_device_start(device);
    return status;
}

static int32_t device_open(struct trm_backend_instance *instance, uint32_t index,
                           struct trm_backend_device **result)
{
    const struct vulkan_physical *physical = vulkan_find_physical(instance, index);
    struct trm_backend_device *device      = NULL;
    sigset_t before;
    if (physical == NULL)
        return TRM_ERROR_NOT_FOUND;
    int32_t status = vulkan_device_allocate(instance, physical, &device);
    if (device == NULL)
        return status;
    trm_util_signals_block(&before);
    status = make(device);
    trm_util_signals_restore(&before);
    if (status != TRM_OK) {
        vulkan_device_close(device);
        return status;
    }
    warn_of_bounds(device);
    *result = device;
    return TRM_OK;
}

static int32_t device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    *count = instance->physical_count;
    return TRM_OK;
}

const struct trm_device_ops vulkan_device_ops = {
    .struct_size = sizeof(vulkan_device_ops),
    .count       = device_count,
    .get_info    = vulkan_device_get_info,
    .open        = device_open,
    .close       = vulkan_device_close,
    .check_loss  = vulkan_device_check,
};
