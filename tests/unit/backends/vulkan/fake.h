/* A host and a Vulkan device that only count, for tests without a driver. Any allocation and any call that
 * creates something can be refused.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_VULKAN_FAKE_H
#define TESTS_UNIT_BACKENDS_VULKAN_FAKE_H

#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/vulkan/module/module.h"

#define FAKE_NAME_BYTES 64

struct fake {
    struct trm_host host;
    struct vulkan_physical physical;
    struct trm_backend_instance instance;
    struct trm_backend_device device;
    int64_t bytes;               /* of host memory, not released */
    _Atomic uint64_t calls;      /* allocations of the host, and Vulkan calls that create something */
    uint64_t refuse_at;          /* which call is refused; 0: none */
    _Atomic int64_t alive;       /* Vulkan objects */
    _Atomic uint32_t made;       /* pipelines */
    uint32_t dawdle_us;          /* how long creating a pipeline takes */
    char entry[FAKE_NAME_BYTES]; /* of the last pipeline */
    uint32_t bindings;           /* of the last descriptor set layout */
    VkDescriptorSetLayoutCreateFlags flags;
    uint32_t push_bytes; /* of the last pipeline layout */
    VkSpecializationMapEntry constants[8];
    uint64_t values[8];
    uint32_t constant_count;
    int32_t status; /* of the last failure, with its sentence */
    char sentence[512];
    char log[512];
    /* the pipeline cache */
    unsigned char given[256]; /* that it was created with */
    size_t given_bytes;
    unsigned char grown[256]; /* its contents now */
    size_t grown_bytes;
    bool refuses_data;  /* a cache with data cannot be created */
    const char *folder; /* of the host's cache; NULL: the test needs none */
    uint32_t stored;    /* number of stored files */
};

static struct fake fake;

/* ---- the host */

static inline bool fake_refuses(void)
{
    return atomic_fetch_add(&fake.calls, 1) + 1 == fake.refuse_at;
}

static inline void *fake_allocate(void *context, uint64_t size, uint64_t alignment)
{
    void *memory = NULL;
    (void)context;
    if (fake_refuses() || posix_memalign(&memory, alignment, size) != 0)
        return NULL;
    fake.bytes += (int64_t)size;
    return memory;
}

static inline void fake_release(void *context, void *memory, uint64_t size)
{
    (void)context;
    if (memory != NULL)
        fake.bytes -= (int64_t)size;
    free(memory);
}

static inline void fake_log(void *context, int32_t level, const char *message)
{
    (void)context;
    (void)level;
    snprintf(fake.log, sizeof(fake.log), "%s", message);
}

static inline int32_t fake_fail(void *context, int32_t status, int64_t native_code, const char *sentence)
{
    (void)context;
    (void)native_code;
    fake.status = status;
    snprintf(fake.sentence, sizeof(fake.sentence), "%s", sentence);
    return status;
}

static inline int32_t fake_cache_find(void *context, const char *key, const char *extension, char *path)
{
    (void)context;
    (void)key;
    if (fake.stored == 0)
        return TRM_ERROR_NOT_FOUND;
    snprintf(path, TRM_PATH_MOST, "%s/stored%s", fake.folder, extension);
    return TRM_OK;
}

static inline int32_t fake_cache_begin(void *context, const char *key, const char *extension, char *path)
{
    (void)context;
    (void)key;
    if (fake.folder == NULL)
        return TRM_ERROR_UNSUPPORTED;
    snprintf(path, TRM_PATH_MOST, "%s/begun%s", fake.folder, extension);
    return TRM_OK;
}

static inline int32_t fake_cache_commit(void *context, const char *key, const char *extension,
                                        const char *begun, char *path)
{
    (void)context;
    (void)key;
    snprintf(path, TRM_PATH_MOST, "%s/stored%s", fake.folder, extension);
    ck_assert_int_eq(rename(begun, path), 0);
    fake.stored++;
    return TRM_OK;
}

static inline void fake_cache_discard(void *context, const char *begun)
{
    (void)context;
    remove(begun);
}

/* ---- Vulkan */

#define FAKE_HANDLE(type) ((type)(uintptr_t)(0x1000 + atomic_fetch_add(&fake.alive, 1)))

static inline VkResult fake_answer(void)
{
    return fake_refuses() ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL fake_shader_module(VkDevice device,
                                                                const VkShaderModuleCreateInfo *info,
                                                                const VkAllocationCallbacks *callbacks,
                                                                VkShaderModule *made)
{
    (void)device, (void)info, (void)callbacks;
    VkResult result = fake_answer();
    if (result == VK_SUCCESS)
        *made = FAKE_HANDLE(VkShaderModule);
    return result;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL fake_set_layout(VkDevice device,
                                                             const VkDescriptorSetLayoutCreateInfo *info,
                                                             const VkAllocationCallbacks *callbacks,
                                                             VkDescriptorSetLayout *made)
{
    (void)device, (void)callbacks;
    VkResult result = fake_answer();
    fake.bindings   = info->bindingCount;
    fake.flags      = info->flags;
    if (result == VK_SUCCESS)
        *made = FAKE_HANDLE(VkDescriptorSetLayout);
    return result;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL fake_layout(VkDevice device,
                                                         const VkPipelineLayoutCreateInfo *info,
                                                         const VkAllocationCallbacks *callbacks,
                                                         VkPipelineLayout *made)
{
    (void)device, (void)callbacks;
    VkResult result = fake_answer();
    fake.push_bytes = info->pushConstantRangeCount != 0 ? info->pPushConstantRanges[0].size : 0;
    if (result == VK_SUCCESS)
        *made = FAKE_HANDLE(VkPipelineLayout);
    return result;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL fake_pipelines(VkDevice device, VkPipelineCache cache,
                                                            uint32_t count,
                                                            const VkComputePipelineCreateInfo *infos,
                                                            const VkAllocationCallbacks *callbacks,
                                                            VkPipeline *made)
{
    const VkSpecializationInfo *constants = infos[0].stage.pSpecializationInfo;
    struct timespec dawdle                = {0, (long)fake.dawdle_us * 1000};
    (void)device, (void)cache, (void)callbacks;
    ck_assert_uint_eq(count, 1);
    VkResult result = fake_answer();
    nanosleep(&dawdle, NULL);
    atomic_fetch_add(&fake.made, 1);
    snprintf(fake.entry, sizeof(fake.entry), "%s", infos[0].stage.pName);
    fake.constant_count = constants != NULL ? constants->mapEntryCount : 0;
    for (uint32_t i = 0; i < fake.constant_count; i++) {
        const VkSpecializationMapEntry *entry = &constants->pMapEntries[i];
        fake.constants[i]                     = *entry;
        memcpy(&fake.values[i], (const char *)constants->pData + entry->offset, entry->size);
    }
    if (result == VK_SUCCESS)
        *made = FAKE_HANDLE(VkPipeline);
    return result;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL fake_cache(VkDevice device,
                                                        const VkPipelineCacheCreateInfo *info,
                                                        const VkAllocationCallbacks *callbacks,
                                                        VkPipelineCache *made)
{
    (void)device, (void)callbacks;
    VkResult result = fake_answer();
    if (result == VK_SUCCESS && fake.refuses_data && info->initialDataSize != 0)
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS)
        return result;
    ck_assert_uint_le(info->initialDataSize, sizeof(fake.given));
    if (info->initialDataSize != 0)
        memcpy(fake.given, info->pInitialData, info->initialDataSize);
    fake.given_bytes = info->initialDataSize;
    fake.grown_bytes =
        info->initialDataSize != 0 ? info->initialDataSize : sizeof(VkPipelineCacheHeaderVersionOne);
    memcpy(fake.grown, fake.given, fake.grown_bytes);
    *made = FAKE_HANDLE(VkPipelineCache);
    return VK_SUCCESS;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL fake_cache_data(VkDevice device, VkPipelineCache cache,
                                                             size_t *bytes, void *data)
{
    (void)device, (void)cache;
    VkResult result = fake_answer();
    if (result == VK_SUCCESS && data != NULL)
        memcpy(data, fake.grown, fake.grown_bytes);
    *bytes = fake.grown_bytes;
    return result;
}

#define FAKE_DESTROY(name, type)                                                          \
    static inline VKAPI_ATTR void VKAPI_CALL name(VkDevice device, type handle,           \
                                                  const VkAllocationCallbacks *callbacks) \
    {                                                                                     \
        (void)device, (void)callbacks;                                                    \
        if (handle != VK_NULL_HANDLE)                                                     \
            atomic_fetch_sub(&fake.alive, 1);                                             \
    }

FAKE_DESTROY(fake_destroy_shader_module, VkShaderModule)
FAKE_DESTROY(fake_destroy_set_layout, VkDescriptorSetLayout)
FAKE_DESTROY(fake_destroy_layout, VkPipelineLayout)
FAKE_DESTROY(fake_destroy_pipeline, VkPipeline)
FAKE_DESTROY(fake_destroy_cache, VkPipelineCache)

/* Present, but never called. */
static inline VKAPI_ATTR void VKAPI_CALL fake_push(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                   VkPipelineLayout layout, uint32_t set, uint32_t count,
                                                   const VkWriteDescriptorSet *writes)
{
    (void)commands, (void)point, (void)layout, (void)set, (void)count, (void)writes;
}

/* Supports all float controls of 32 bits. */
static inline VKAPI_ATTR void VKAPI_CALL fake_properties(VkPhysicalDevice device,
                                                         VkPhysicalDeviceProperties2 *answer)
{
    VkPhysicalDeviceFloatControlsProperties *floats = answer->pNext;
    (void)device;
    floats->shaderDenormPreserveFloat32           = VK_TRUE;
    floats->shaderSignedZeroInfNanPreserveFloat32 = VK_TRUE;
    floats->shaderRoundingModeRTEFloat32          = VK_TRUE;
}

/* ---- the device: Vulkan 1.3 without features, eight push descriptors ----------- */

static inline void fake_setup(void)
{
    memset(&fake, 0, sizeof(fake));
    fake.host = (struct trm_host){
        .struct_size   = sizeof(fake.host),
        .allocate      = fake_allocate,
        .release       = fake_release,
        .log           = fake_log,
        .fail          = fake_fail,
        .cache_find    = fake_cache_find,
        .cache_begin   = fake_cache_begin,
        .cache_commit  = fake_cache_commit,
        .cache_discard = fake_cache_discard,
    };
    VkPhysicalDeviceProperties *properties = &fake.physical.properties;
    VkPhysicalDeviceLimits *limits         = &properties->limits;
    snprintf(properties->deviceName, sizeof(properties->deviceName), "Fake");
    properties->vendorID                        = 0x1234;
    properties->deviceID                        = 0x5678;
    limits->maxPerStageDescriptorStorageBuffers = 16;
    limits->maxPerStageResources                = 32;
    limits->maxPushConstantsSize                = 128;
    limits->maxComputeWorkGroupInvocations      = 256;
    limits->maxComputeSharedMemorySize          = 32768;
    for (uint32_t i = 0; i < 3; i++)
        limits->maxComputeWorkGroupSize[i] = 256;
    fake.physical.version                           = VK_API_VERSION_1_3;
    fake.physical.has.push_descriptor               = true;
    fake.physical.max_push_descriptors              = 8;
    fake.instance.host                              = &fake.host;
    fake.instance.vk.vkGetPhysicalDeviceProperties2 = fake_properties;
    fake.device.instance                            = &fake.instance;
    fake.device.physical                            = &fake.physical;
    fake.device.vk.vkCmdPushDescriptorSetKHR        = fake_push;
    fake.device.vk.vkCreateShaderModule             = fake_shader_module;
    fake.device.vk.vkDestroyShaderModule            = fake_destroy_shader_module;
    fake.device.vk.vkCreateDescriptorSetLayout      = fake_set_layout;
    fake.device.vk.vkDestroyDescriptorSetLayout     = fake_destroy_set_layout;
    fake.device.vk.vkCreatePipelineLayout           = fake_layout;
    fake.device.vk.vkDestroyPipelineLayout          = fake_destroy_layout;
    fake.device.vk.vkCreateComputePipelines         = fake_pipelines;
    fake.device.vk.vkDestroyPipeline                = fake_destroy_pipeline;
    fake.device.vk.vkCreatePipelineCache            = fake_cache;
    fake.device.vk.vkDestroyPipelineCache           = fake_destroy_cache;
    fake.device.vk.vkGetPipelineCacheData           = fake_cache_data;
}

/* After each test: nothing leaks. */
static inline void fake_teardown(void)
{
    ck_assert_int_eq(fake.bytes, 0);
    ck_assert_int_eq(atomic_load(&fake.alive), 0);
}

#endif
