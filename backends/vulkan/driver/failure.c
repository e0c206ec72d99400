/* vulkan backend: translates VkResults, and latches and reports the loss of a device.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/objects.h"

#include "backends/vulkan/driver/fault.h"

#define FAULTS_MOST 4u /* address and vendor entries of a fault that the report lists */

/* ---- VkResults ---------------------------------------------------------------------------------- */

/* The results of the functions that the backend calls. */
static const struct {
    VkResult result;
    int32_t status;
    const char *name;
} results[] = {
    {VK_SUCCESS, TRM_OK, "VK_SUCCESS"},
    {VK_NOT_READY, TRM_ERROR_BUSY, "VK_NOT_READY"},
    {VK_TIMEOUT, TRM_ERROR_TIMEOUT, "VK_TIMEOUT"},
    {VK_INCOMPLETE, TRM_OK, "VK_INCOMPLETE"},
    {VK_ERROR_OUT_OF_HOST_MEMORY, TRM_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, TRM_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
    {VK_ERROR_OUT_OF_POOL_MEMORY, TRM_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY"},
    {VK_ERROR_FRAGMENTED_POOL, TRM_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_FRAGMENTED_POOL"},
    {VK_ERROR_FRAGMENTATION, TRM_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_FRAGMENTATION"},
    {VK_ERROR_TOO_MANY_OBJECTS, TRM_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_TOO_MANY_OBJECTS"},
    {VK_ERROR_MEMORY_MAP_FAILED, TRM_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_MEMORY_MAP_FAILED"},
    {VK_ERROR_DEVICE_LOST, TRM_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"},
    {VK_ERROR_INITIALIZATION_FAILED, TRM_ERROR_BACKEND, "VK_ERROR_INITIALIZATION_FAILED"},
    {VK_ERROR_LAYER_NOT_PRESENT, TRM_ERROR_UNSUPPORTED, "VK_ERROR_LAYER_NOT_PRESENT"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, TRM_ERROR_UNSUPPORTED, "VK_ERROR_EXTENSION_NOT_PRESENT"},
    {VK_ERROR_FEATURE_NOT_PRESENT, TRM_ERROR_UNSUPPORTED, "VK_ERROR_FEATURE_NOT_PRESENT"},
    {VK_ERROR_INCOMPATIBLE_DRIVER, TRM_ERROR_UNSUPPORTED, "VK_ERROR_INCOMPATIBLE_DRIVER"},
    {VK_ERROR_FORMAT_NOT_SUPPORTED, TRM_ERROR_UNSUPPORTED, "VK_ERROR_FORMAT_NOT_SUPPORTED"},
    {VK_ERROR_INVALID_EXTERNAL_HANDLE, TRM_ERROR_INVALID_ARGUMENT, "VK_ERROR_INVALID_EXTERNAL_HANDLE"},
    {VK_ERROR_NOT_PERMITTED_KHR, TRM_ERROR_PERMISSION, "VK_ERROR_NOT_PERMITTED"},
    {VK_ERROR_INVALID_SHADER_NV, TRM_ERROR_BACKEND, "VK_ERROR_INVALID_SHADER"},
    {VK_ERROR_UNKNOWN, TRM_ERROR_BACKEND, "VK_ERROR_UNKNOWN"},
};

#define RESULT_COUNT (sizeof(results) / sizeof(results[0]))

int32_t vulkan_status(VkResult result)
{
    for (size_t i = 0; i < RESULT_COUNT; i++) {
        if (results[i].result == result)
            return results[i].status;
    }
    return result < 0 ? TRM_ERROR_BACKEND : TRM_OK;
}

const char *vulkan_result_name(VkResult result)
{
    for (size_t i = 0; i < RESULT_COUNT; i++) {
        if (results[i].result == result)
            return results[i].name;
    }
    return result < 0 ? "an error that Trireme does not know" : "a success that Trireme does not know";
}

/* ---- lost devices ------------------------------------------------------------------------------- */

static const char *address_words(VkDeviceFaultAddressTypeEXT type)
{
    switch (type) {
    case VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT:
        return "a read of";
    case VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT:
        return "a write to";
    case VK_DEVICE_FAULT_ADDRESS_TYPE_EXECUTE_INVALID_EXT:
        return "code run at";
    default:
        return "a fault at";
    }
}

/* Appends what VK_EXT_device_fault reports, if the device has it. */
static void append_fault(struct trm_util_text *text, struct trm_backend_device *device)
{
    VkDeviceFaultAddressInfoEXT addresses[FAULTS_MOST] = {0};
    VkDeviceFaultVendorInfoEXT vendor[FAULTS_MOST]     = {0};

    VkDeviceFaultCountsEXT counts = {
        .sType            = VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT,
        .addressInfoCount = FAULTS_MOST,
        .vendorInfoCount  = FAULTS_MOST,
    };
    VkDeviceFaultInfoEXT info = {
        .sType         = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT,
        .pAddressInfos = addresses,
        .pVendorInfos  = vendor,
    };

    PFN_vkGetDeviceFaultInfoEXT get = (PFN_vkGetDeviceFaultInfoEXT)device->vk.get_device_fault_info;
    if (get == NULL || get(device->handle, &counts, &info) < 0)
        return;
    info.description[sizeof(info.description) - 1] = '\0';
    trm_util_text_append(text, "; the driver reports: %s",
                         info.description[0] != '\0' ? info.description : "a fault");
    for (uint32_t i = 0; i < counts.addressInfoCount && i < FAULTS_MOST; i++)
        trm_util_text_append(text, ", %s 0x%llx", address_words(addresses[i].addressType),
                             (unsigned long long)addresses[i].reportedAddress);
    for (uint32_t i = 0; i < counts.vendorInfoCount && i < FAULTS_MOST; i++) {
        vendor[i].description[sizeof(vendor[i].description) - 1] = '\0';
        trm_util_text_append(text, ", %s (code %llu)", vendor[i].description,
                             (unsigned long long)vendor[i].vendorFaultCode);
    }
}

/* The first caller writes the report. The sentence is complete before `lost` is set. */
static void latch_loss(struct trm_backend_device *device, const char *call)
{
    struct trm_util_text text = {.data = device->lost_sentence, .capacity = sizeof(device->lost_sentence)};
    pthread_mutex_lock(&device->streams_lock);
    bool is_first = !vulkan_device_is_lost(device);
    if (is_first) {
        trm_util_text_append(&text, "The device %s was lost, as %s reported",
                             device->physical->properties.deviceName, call);
        if (device->loss_hooks != NULL)
            device->loss_hooks->describe(device, &text);
        append_fault(&text, device);
        trm_util_text_append(&text, ".");
        atomic_store_explicit(&device->lost, TRM_ERROR_DEVICE_LOST, memory_order_release);
    }
    pthread_mutex_unlock(&device->streams_lock);
    if (is_first && device->loss_hooks != NULL)
        device->loss_hooks->alarm(device);
}

static int32_t fail_lost(struct trm_backend_device *device)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_DEVICE_LOST, VK_ERROR_DEVICE_LOST, "%s",
                         device->lost_sentence);
}

int32_t vulkan_device_fail(struct trm_backend_device *device, VkResult result, const char *call)
{
    if (result == VK_ERROR_DEVICE_LOST) {
        latch_loss(device, call);
        return fail_lost(device);
    }
    return trm_util_fail(device->instance->host, vulkan_status(result), result,
                         "%s of the device %s failed: %s (%d).", call,
                         device->physical->properties.deviceName, vulkan_result_name(result), result);
}

int32_t vulkan_device_check(struct trm_backend_device *device)
{
    return vulkan_device_is_lost(device) ? fail_lost(device) : TRM_OK;
}
