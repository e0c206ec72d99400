/* vulkan backend: the declarations of VK_EXT_device_fault, for headers that are older than the extension.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_FAULT_H
#define BACKENDS_VULKAN_DRIVER_FAULT_H

#include "backends/vulkan/driver/functions.h"

#ifndef VK_EXT_device_fault

#define VK_EXT_DEVICE_FAULT_EXTENSION_NAME "VK_EXT_device_fault"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT ((VkStructureType)1000341000)
#define VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT ((VkStructureType)1000341001)
#define VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT ((VkStructureType)1000341002)

typedef enum VkDeviceFaultAddressTypeEXT {
    VK_DEVICE_FAULT_ADDRESS_TYPE_NONE_EXT                        = 0,
    VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT                = 1,
    VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT               = 2,
    VK_DEVICE_FAULT_ADDRESS_TYPE_EXECUTE_INVALID_EXT             = 3,
    VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_UNKNOWN_EXT = 4,
    VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_INVALID_EXT = 5,
    VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_FAULT_EXT   = 6,
} VkDeviceFaultAddressTypeEXT;

typedef struct VkPhysicalDeviceFaultFeaturesEXT {
    VkStructureType sType;
    void *pNext;
    VkBool32 deviceFault;
    VkBool32 deviceFaultVendorBinary;
} VkPhysicalDeviceFaultFeaturesEXT;

typedef struct VkDeviceFaultCountsEXT {
    VkStructureType sType;
    void *pNext;
    uint32_t addressInfoCount;
    uint32_t vendorInfoCount;
    VkDeviceSize vendorBinarySize;
} VkDeviceFaultCountsEXT;

typedef struct VkDeviceFaultAddressInfoEXT {
    VkDeviceFaultAddressTypeEXT addressType;
    VkDeviceAddress reportedAddress;
    VkDeviceSize addressPrecision;
} VkDeviceFaultAddressInfoEXT;

typedef struct VkDeviceFaultVendorInfoEXT {
    char description[VK_MAX_DESCRIPTION_SIZE];
    uint64_t vendorFaultCode;
    uint64_t vendorFaultData;
} VkDeviceFaultVendorInfoEXT;

typedef struct VkDeviceFaultInfoEXT {
    VkStructureType sType;
    void *pNext;
    char description[VK_MAX_DESCRIPTION_SIZE];
    VkDeviceFaultAddressInfoEXT *pAddressInfos;
    VkDeviceFaultVendorInfoEXT *pVendorInfos;
    void *pVendorBinaryData;
} VkDeviceFaultInfoEXT;

typedef VkResult(VKAPI_PTR *PFN_vkGetDeviceFaultInfoEXT)(VkDevice device, VkDeviceFaultCountsEXT *counts,
                                                         VkDeviceFaultInfoEXT *info);

#endif

#endif
