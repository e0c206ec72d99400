/* vulkan backend: the pipeline cache of a device, stored on disk.
 *
 * Drivers may trust the data that they are given. So a driver gets only data that the host's cache has found
 * intact, and whose header names this device and driver. If several processes store, the last one wins; the
 * lost pipelines are compiled and stored again at the next use.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "backends/vulkan/module/module.h"

#define EXTENSION ".pipelines"
#define KEY_BYTES 160
#define BYTES_MOST (UINT64_C(256) << 20) /* of a stored file */
#define MAGIC UINT64_C(0x3153454e494c4550)

/* Precedes the driver's bytes; the host's cache appends a trailer of its own. */
struct preface {
    uint64_t magic;
    uint64_t bytes; /* of the driver's data */
};

struct vulkan_cached {
    uint64_t known; /* bytes when it was opened; more now means that there is something to store */
};

static void make_key(const struct trm_backend_device *device, char key[KEY_BYTES])
{
    const VkPhysicalDeviceProperties *properties = &device->physical->properties;
    int at = snprintf(key, KEY_BYTES, "vulkan\npipelines\n%08x %08x %08x ", properties->vendorID,
                      properties->deviceID, properties->driverVersion);
    for (uint32_t i = 0; i < VK_UUID_SIZE; i++)
        at += snprintf(key + at, (size_t)(KEY_BYTES - at), "%02x", properties->pipelineCacheUUID[i]);
}

/* ---- reading */

/* Whether this device's driver has written the data, according to the header that the Vulkan specification
 * defines. */
static bool is_ours(const struct trm_backend_device *device, const void *data, uint64_t bytes)
{
    const VkPhysicalDeviceProperties *properties = &device->physical->properties;
    VkPipelineCacheHeaderVersionOne header;
    if (bytes < sizeof(header))
        return false;
    memcpy(&header, data, sizeof(header));
    return header.headerSize >= sizeof(header) && header.headerSize <= bytes &&
           header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
           header.vendorID == properties->vendorID && header.deviceID == properties->deviceID &&
           memcmp(header.pipelineCacheUUID, properties->pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

/* The driver's bytes in an open file, or NULL. */
static void *read_data(const struct trm_backend_device *device, FILE *file, uint64_t *bytes)
{
    struct preface preface;
    if (fread(&preface, sizeof(preface), 1, file) != 1 || preface.magic != MAGIC || preface.bytes == 0 ||
        preface.bytes > BYTES_MOST)
        return NULL;
    void *data = trm_util_allocate(device->instance->host, preface.bytes);
    if (data == NULL)
        return NULL;
    if (fread(data, preface.bytes, 1, file) == 1 && is_ours(device, data, preface.bytes)) {
        *bytes = preface.bytes;
        return data;
    }
    trm_util_release(device->instance->host, data, preface.bytes);
    return NULL;
}

static void *find_data(const struct trm_backend_device *device, uint64_t *bytes)
{
    const struct trm_host *host = device->instance->host;
    char key[KEY_BYTES], path[TRM_PATH_MOST];
    make_key(device, key);
    if (host->cache_find(host->context, key, EXTENSION, path) != TRM_OK)
        return NULL;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return NULL;
    void *data = read_data(device, file, bytes);
    (void)fclose(file);
    if (data == NULL)
        host->log(host->context, TRM_LOG_WARNING,
                  "stored Vulkan pipelines are not used: they are damaged or belong to another driver");
    return data;
}

static VkResult make_cache(struct trm_backend_device *device, const void *data, uint64_t bytes)
{
    VkPipelineCacheCreateInfo create = {
        .sType           = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = bytes,
        .pInitialData    = data,
    };
    return device->vk.vkCreatePipelineCache(device->handle, &create, NULL, &device->pipeline_cache);
}

/* 0: unknown. */
static uint64_t size_now(struct trm_backend_device *device)
{
    size_t bytes    = 0;
    VkResult result = device->vk.vkGetPipelineCacheData(device->handle, device->pipeline_cache, &bytes, NULL);
    return result == VK_SUCCESS ? bytes : 0;
}

int32_t vulkan_pipeline_cache_open(struct trm_backend_device *device)
{
    const struct trm_backend_instance *instance = device->instance;
    struct vulkan_cached *state                 = trm_util_allocate(instance->host, sizeof(*state));
    if (state == NULL)
        return trm_util_fail_host_memory(instance->host, "the pipeline cache");
    uint64_t bytes  = 0;
    void *data      = find_data(device, &bytes);
    VkResult result = make_cache(device, data, bytes);
    trm_util_release(instance->host, data, bytes);
    if (result < 0 && data != NULL) {
        bytes  = 0;
        result = make_cache(device, NULL, 0);
    }
    if (result < 0) {
        device->pipeline_cache = VK_NULL_HANDLE;
        trm_util_release(instance->host, state, sizeof(*state));
        return vulkan_device_fail(device, result, "vkCreatePipelineCache");
    }
    state->known                 = size_now(device);
    device->pipeline_cache_state = state;
    return TRM_OK;
}

/* ---- writing */

static bool write_data(const char *path, const void *data, uint64_t bytes)
{
    struct preface preface = {MAGIC, bytes};
    FILE *file             = fopen(path, "wbe");
    if (file == NULL)
        return false;
    bool written =
        fwrite(&preface, sizeof(preface), 1, file) == 1 && fwrite(data, (size_t)bytes, 1, file) == 1;
    return fclose(file) == 0 && written;
}

static void store_data(const struct trm_backend_device *device, const void *data, uint64_t bytes)
{
    const struct trm_host *host = device->instance->host;
    char key[KEY_BYTES], begun[TRM_PATH_MOST], stored[TRM_PATH_MOST];
    make_key(device, key);
    if (host->cache_begin(host->context, key, EXTENSION, begun) != TRM_OK)
        return;
    if (write_data(begun, data, bytes))
        (void)host->cache_commit(host->context, key, EXTENSION, begun, stored);
    else
        host->cache_discard(host->context, begun);
}

/* A failure to store is not reported: the pipelines are compiled again. */
static void store(struct trm_backend_device *device, const struct vulkan_cached *state)
{
    size_t bytes = size_now(device), room = bytes;
    if (bytes <= state->known || bytes <= sizeof(VkPipelineCacheHeaderVersionOne) || bytes > BYTES_MOST)
        return;
    void *data = trm_util_allocate(device->instance->host, room);
    if (data == NULL)
        return;
    VkResult result = device->vk.vkGetPipelineCacheData(device->handle, device->pipeline_cache, &bytes, data);
    if (result == VK_SUCCESS && is_ours(device, data, bytes))
        store_data(device, data, bytes);
    trm_util_release(device->instance->host, data, room);
}

void vulkan_pipeline_cache_close(struct trm_backend_device *device)
{
    struct vulkan_cached *state = device->pipeline_cache_state;
    if (state == NULL)
        return;
    if (!vulkan_device_is_lost(device))
        store(device, state);
    device->vk.vkDestroyPipelineCache(device->handle, device->pipeline_cache, NULL);
    device->pipeline_cache       = VK_NULL_HANDLE;
    device->pipeline_cache_state = NULL;
    trm_util_release(device->instance->host, state, sizeof(*state));
}
