/* vulkan backend: the table of tables, probe and open.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "backends/vulkan/device/device.h"
#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/graph/graph.h"
#include "backends/vulkan/interop/interop.h"
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/module/module.h"
#include "backends/vulkan/resident/resident.h"
#include "backends/vulkan/stream/stream.h"

/* Real GPUs rank above the cpu backend (100), software devices below it. */
static int32_t score_of(int32_t kind)
{
    switch (kind) {
    case TRM_DEVICE_GPU:
        return 600;
    case TRM_DEVICE_VIRTUAL:
        return 400;
    case TRM_DEVICE_IGPU:
        return 300;
    case TRM_DEVICE_SOFTWARE:
        return 50;
    default:
        return 150;
    }
}

static int32_t backend_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    struct trm_backend_instance *instance;
    char why[VULKAN_REASON_BYTES];
    int32_t best   = 0;
    int32_t status = vulkan_instance_create(host, &instance, why);
    if (capacity > 0)
        snprintf(reason, capacity, "%s", why);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < instance->physical_count; i++) {
        int32_t one = score_of(instance->physicals[i].kind);
        best        = one > best ? one : best;
    }
    vulkan_instance_destroy_to_cache(instance);
    if (capacity > 0)
        reason[0] = '\0';
    *score = best;
    return TRM_OK;
}

static int32_t backend_open(const struct trm_host *host, struct trm_backend_instance **instance)
{
    char why[VULKAN_REASON_BYTES];
    char sentence[VULKAN_REASON_BYTES + 64];
    int32_t status = vulkan_instance_create(host, instance, why);
    if (status != TRM_OK)
        vulkan_instance_cache_drop();
    if (status == TRM_OK || why[0] == '\0')
        return status;
    snprintf(sentence, sizeof(sentence), "Vulkan cannot be used: %s.", why);
    return host->fail(host->context, status, 0, sentence);
}

static void backend_close(struct trm_backend_instance *instance)
{
    vulkan_instance_destroy(instance);
}

static const struct trm_backend vulkan_backend = {
    .struct_size = sizeof(vulkan_backend),
    .abi_minor   = TRM_BACKEND_ABI_MINOR,
    .name        = "vulkan",
    .version     = "0.1.0",
    .description = "GPUs and software devices with a Vulkan driver.",
    .probe       = backend_probe,
    .open        = backend_open,
    .close       = backend_close,
    .device      = &vulkan_device_ops,
    .memory      = &vulkan_memory_ops,
    .stream      = &vulkan_stream_ops,
    .module      = &vulkan_module_ops,
    .graph       = &vulkan_graph_ops,
    .pool        = &vulkan_pool_ops,
    .interop     = &vulkan_interop_ops,
    .profile     = &vulkan_profile_ops,
    .image       = &vulkan_image_ops,
    .resident    = &vulkan_resident_ops,
};

/* A newer core accepts this table; a core that requires a newer minor version than this one does not. */
const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)max_minor;
    return min_minor > TRM_BACKEND_ABI_MINOR ? NULL : &vulkan_backend;
}
