/* vulkan backend: queries the properties of physical devices.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/vulkan/driver/objects.h"
#include "backends/vulkan/driver/physical_internal.h"

/* All property structs that are queried. Those that a device does not know stay zero. */
struct asked {
    VkPhysicalDeviceProperties2 core;
    VkPhysicalDeviceIDProperties id;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceMaintenance3Properties maintenance3;
    VkPhysicalDeviceMaintenance4Properties maintenance4;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDevicePushDescriptorPropertiesKHR push_descriptor;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT memory_host;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia;
    VkPhysicalDeviceShaderCorePropertiesAMD amd;
#ifdef VK_ARM_shader_core_builtins
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm;
#endif
};

static void ask(struct asked *asked, void *member, VkStructureType type)
{
    VkBaseOutStructure *structure = member;
    structure->sType              = type;
    structure->pNext              = asked->core.pNext;
    asked->core.pNext             = structure;
}

static void ask_all(struct asked *asked, const struct vulkan_physical *physical,
                    const struct vulkan_extension_list *offered)
{
    asked->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    ask(asked, &asked->id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
    ask(asked, &asked->subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    ask(asked, &asked->maintenance3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    if (physical->version >= VK_API_VERSION_1_3 || vulkan_extension_list_has(offered, "VK_KHR_maintenance4"))
        ask(asked, &asked->maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
    if (physical->version >= VK_API_VERSION_1_2 ||
        vulkan_extension_list_has(offered, "VK_KHR_driver_properties"))
        ask(asked, &asked->driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    if (physical->has.push_descriptor)
        ask(asked, &asked->push_descriptor, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR);
    if (physical->has.external_memory_host)
        ask(asked, &asked->memory_host,
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
    if (physical->has.pci_bus_info)
        ask(asked, &asked->pci, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
    if (vulkan_extension_list_has(offered, "VK_NV_shader_sm_builtins"))
        ask(asked, &asked->nvidia, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    if (vulkan_extension_list_has(offered, "VK_AMD_shader_core_properties"))
        ask(asked, &asked->amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
#ifdef VK_ARM_shader_core_builtins
    if (vulkan_extension_list_has(offered, "VK_ARM_shader_core_builtins"))
        ask(asked, &asked->arm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM);
#endif
}

static int32_t find_kind(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return TRM_DEVICE_GPU;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return TRM_DEVICE_IGPU;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return TRM_DEVICE_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return TRM_DEVICE_SOFTWARE;
    default:
        return TRM_DEVICE_OTHER;
    }
}

/* Core Vulkan does not report compute units; extensions of some vendors do. */
static uint32_t find_units(const struct asked *asked, int32_t kind)
{
    uint32_t units = asked->nvidia.shaderSMCount;
    if (units == 0)
        units = asked->amd.shaderEngineCount * asked->amd.shaderArraysPerEngineCount *
                asked->amd.computeUnitsPerShaderArray;
#ifdef VK_ARM_shader_core_builtins
    if (units == 0)
        units = asked->arm.shaderCoreCount;
#endif
    if (units == 0 && kind == TRM_DEVICE_SOFTWARE) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        units           = processors > 0 ? (uint32_t)processors : 1;
    }
    return units != 0 ? units : 1;
}

/* "NVIDIA 570.133.20": the driver's name and its own version text; else the number. */
static void find_driver(struct vulkan_physical *physical, const struct asked *asked)
{
    uint32_t version = physical->properties.driverVersion;
    if (asked->driver.driverName[0] == '\0')
        snprintf(physical->driver, sizeof(physical->driver), "version %u.%u.%u",
                 VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
    else
        snprintf(physical->driver, sizeof(physical->driver), "%.*s%s%.*s", VK_MAX_DRIVER_NAME_SIZE - 1,
                 asked->driver.driverName, asked->driver.driverInfo[0] != '\0' ? " " : "",
                 VK_MAX_DRIVER_INFO_SIZE - 1, asked->driver.driverInfo);
}

void vulkan_physical_find_properties(const struct trm_backend_instance *instance,
                                     struct vulkan_physical *physical,
                                     const struct vulkan_extension_list *offered)
{
    struct asked asked = {0};
    ask_all(&asked, physical, offered);
    instance->vk.vkGetPhysicalDeviceProperties2(physical->handle, &asked.core);
    physical->subgroup             = asked.subgroup;
    physical->subgroup.pNext       = NULL;
    physical->max_push_descriptors = asked.push_descriptor.maxPushDescriptors;
    physical->import_alignment     = asked.memory_host.minImportedHostPointerAlignment;
    physical->max_allocation_bytes = asked.maintenance3.maxMemoryAllocationSize;
    physical->max_buffer_bytes     = asked.maintenance4.maxBufferSize;
    if (physical->max_allocation_bytes == 0)
        physical->max_allocation_bytes = UINT64_MAX;
    if (physical->max_buffer_bytes == 0)
        physical->max_buffer_bytes = physical->max_allocation_bytes;
    physical->kind  = find_kind(physical->properties.deviceType);
    physical->units = find_units(&asked, physical->kind);
    memcpy(physical->uuid, asked.id.deviceUUID, sizeof(physical->uuid));
    find_driver(physical, &asked);
    physical->has_separate_first_queue = asked.driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    physical->queries_wait =
        asked.driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE && physical->kind == TRM_DEVICE_SOFTWARE;
    physical->copies_small_by_engine =
        physical->has_separate_first_queue && instance->copies == VULKAN_COPIES_AUTO;
    physical->copies_by_kernel = instance->copies == VULKAN_COPIES_KERNEL || physical->copies_small_by_engine;
    if (physical->has.pci_bus_info)
        snprintf(physical->pci, sizeof(physical->pci), "%04x:%02x:%02x.%x", asked.pci.pciDomain & 0xffffu,
                 asked.pci.pciBus & 0xffu, asked.pci.pciDevice & 0xffu, asked.pci.pciFunction & 0xfu);
}
