/* vulkan backend: writes the messages of the validation layer to the log.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/validation.h"

#include <stdio.h>
#include <string.h>

#include "backends/vulkan/driver/instance.h"

#define LINE_BYTES 2048

/* Messages about things that the backend does on purpose. */
struct known {
    const char *id;   /* the layer's name of the message */
    const char *part; /* of the message's text; NULL: any text */
    const char *why;
};

static const struct known known_messages[] = {
    {"UNASSIGNED-BestPractices-vkCreateInstance-specialuse-extension-debugging", NULL,
     "debug extensions are enabled only together with validation"},
    {"UNASSIGNED-BestPractices-vkAllocateMemory-small-allocation", NULL,
     "imported and exported memory has the size that the program asks for"},
    {"UNASSIGNED-BestPractices-vkBindMemory-small-dedicated-allocation", NULL, "the same"},
    {"UNASSIGNED-BestPractices-SpirvDeprecated_WorkgroupSize", NULL,
     "kernels are the program's, and SPIR-V before 1.6 has no alternative"},
    {"UNASSIGNED-BestPractices-vkBeginCommandBuffer-simultaneous-use", NULL,
     "a graph may be launched while its last launch still runs"},
    {"UNASSIGNED-BestPractices-pipeline-stage-flags", "vkQueueSubmit",
     "all commands of a submission wait: queues run only kernels and copies"},
    {"UNASSIGNED-CoreValidation-DrawState-InvalidImageLayout", "For optimal performance",
     "images stay in VK_IMAGE_LAYOUT_GENERAL, so that streams need not agree on layouts"},
    {"VUID-VkShaderModuleCreateInfo-pCode-04147", "SPV_GOOGLE_",
     "extensions of front ends that only name things, which drivers skip"},
    {"UNASSIGNED-CoreValidation-Shader-InconsistentSpirv", "operand CounterBuffer(",
     "a name that front ends of HLSL write, of one of these extensions"},
    {"UNASSIGNED-CoreValidation-Shader-InconsistentSpirv", "expected AliasedPointer or RestrictPointer",
     "glslc's optimizer leaves the decoration out"},
    {NULL, NULL, NULL},
};

bool vulkan_message_is_known(const char *id, const char *text)
{
    for (const struct known *known = known_messages; known->id != NULL; known++) {
        if (strcmp(known->id, id) == 0 && (known->part == NULL || strstr(text, known->part) != NULL))
            return true;
    }
    return false;
}

/* Messages of type GENERAL are not requested: they come from the loader and concern other drivers. */
static VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                              VkDebugUtilsMessageTypeFlagsEXT types,
                                              const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)types;
    const struct trm_host *host = user;
    const char *id              = data->pMessageIdName != NULL ? data->pMessageIdName : "";
    const char *text            = data->pMessage != NULL ? data->pMessage : "";
    bool is_error               = (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0;
    char line[LINE_BYTES];
    if (vulkan_message_is_known(id, text))
        return VK_FALSE;
    /* Most texts already begin with the message's name. */
    snprintf(line, sizeof(line), "vulkan validation: %s", text);
    for (char *letter = line; *letter != '\0'; letter++) {
        if (*letter == '\n' || *letter == '\r')
            *letter = ' ';
    }
    host->log(host->context, is_error ? TRM_LOG_ERROR : TRM_LOG_WARNING, line);
    return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(const struct trm_host *host)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType =
            VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = receive,
        .pUserData       = (void *)host,
    };
}

static bool has_layer(const struct trm_host *host, const struct vulkan_loader *loader)
{
    uint32_t count = 0;
    bool found     = false;
    if (loader->vk.vkEnumerateInstanceLayerProperties(&count, NULL) != VK_SUCCESS || count == 0)
        return false;
    uint64_t size             = count * sizeof(VkLayerProperties);
    VkLayerProperties *layers = host->allocate(host->context, size, _Alignof(max_align_t));
    if (layers == NULL)
        return false;
    VkResult result = loader->vk.vkEnumerateInstanceLayerProperties(&count, layers);
    for (uint32_t i = 0; result >= 0 && i < count; i++)
        found = found || strcmp(layers[i].layerName, VULKAN_VALIDATION_LAYER) == 0;
    host->release(host->context, layers, size);
    return found;
}

bool vulkan_validation_is_wanted(const struct trm_host *host, const struct vulkan_loader *loader)
{
    if (!trm_util_setting_is_on(host, "vulkan.validation"))
        return false;
    if (has_layer(host, loader))
        return true;
    host->log(host->context, TRM_LOG_WARNING,
              "vulkan: the setting vulkan.validation is on, but there is no " VULKAN_VALIDATION_LAYER
              " (Debian package: vulkan-validationlayers)");
    return false;
}

void vulkan_validation_add(const struct trm_host *host, struct vulkan_validation *validation,
                           VkInstanceCreateInfo *info, const char **extensions)
{
    static const char *const layers[] = {VULKAN_VALIDATION_LAYER};
    validation->enabled[0]            = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    validation->enabled[1]            = VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT;
    validation->messenger             = messenger_info(host);
    validation->messenger.pNext       = info->pNext;
    validation->features              = (VkValidationFeaturesEXT){
                     .sType                         = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                     .pNext                         = &validation->messenger,
                     .enabledValidationFeatureCount = 2,
                     .pEnabledValidationFeatures    = validation->enabled,
    };
    info->pNext                               = &validation->features;
    info->enabledLayerCount                   = 1;
    info->ppEnabledLayerNames                 = layers;
    extensions[info->enabledExtensionCount++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    extensions[info->enabledExtensionCount++] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
    info->ppEnabledExtensionNames             = extensions;
}

int32_t vulkan_messenger_create(struct trm_backend_instance *instance)
{
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(instance->host);
    if (instance->vk.vkCreateDebugUtilsMessengerEXT == NULL ||
        instance->vk.vkDestroyDebugUtilsMessengerEXT == NULL)
        return TRM_OK;
    VkResult result =
        instance->vk.vkCreateDebugUtilsMessengerEXT(instance->handle, &info, NULL, &instance->messenger);
    if (result >= 0)
        return TRM_OK;
    instance->messenger = VK_NULL_HANDLE;
    return trm_util_fail(instance->host, vulkan_status(result), result,
                         "vkCreateDebugUtilsMessengerEXT failed: %s.", vulkan_result_name(result));
}

void vulkan_messenger_destroy(struct trm_backend_instance *instance)
{
    if (instance->messenger != VK_NULL_HANDLE)
        instance->vk.vkDestroyDebugUtilsMessengerEXT(instance->handle, instance->messenger, NULL);
    instance->messenger = VK_NULL_HANDLE;
}
