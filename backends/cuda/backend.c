/* cuda backend: probing and opening the backend, and its table of tables.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "backends/cuda/collective/collective.h"
#include "backends/cuda/device/device.h"
#include "backends/cuda/driver/driver.h"
#include "backends/cuda/graph/graph.h"
#include "backends/cuda/interop/interop.h"
#include "backends/cuda/memory/memory.h"
#include "backends/cuda/module/module.h"
#include "backends/cuda/profile/profile.h"
#include "backends/cuda/resident/resident.h"
#include "backends/cuda/stream/stream.h"

/* A device is preferred by CUDA over the same device by Vulkan. */
#define SCORE_DISCRETE 800
#define SCORE_INTEGRATED 350

static int32_t backend_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    struct trm_backend_instance *instance;
    char why[CUDA_REASON_BYTES];
    int32_t best   = 0;
    int32_t status = cuda_instance_create(host, &instance, why);
    if (capacity > 0)
        snprintf(reason, capacity, "%s", why);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < instance->physical_count; i++) {
        int32_t one = instance->physicals[i].integrated ? SCORE_INTEGRATED : SCORE_DISCRETE;
        best        = one > best ? one : best;
    }
    cuda_instance_destroy(instance);
    *score = best;
    return TRM_OK;
}

/* Log at debug level what this driver lacks. */
static void log_missing(const struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;
    char line[sizeof(instance->loader.missing) + 160];
    if (instance->loader.missing[0] == '\0')
        return;
    snprintf(line, sizeof(line),
             "cuda: the driver (CUDA %d.%d) lacks optional functions; what needs "
             "them is emulated or unsupported: %s",
             instance->driver_version / 1000, instance->driver_version % 1000 / 10, instance->loader.missing);
    host->log(host->context, TRM_LOG_DEBUG, line);
}

static int32_t backend_open(const struct trm_host *host, struct trm_backend_instance **instance)
{
    char why[CUDA_REASON_BYTES];
    char sentence[CUDA_REASON_BYTES + 64];
    int32_t status = cuda_instance_create(host, instance, why);
    if (status == TRM_OK)
        log_missing(*instance);
    if (status == TRM_OK || why[0] == '\0')
        return status;
    snprintf(sentence, sizeof(sentence), "CUDA cannot be used: %s.", why);
    return host->fail(host->context, status, 0, sentence);
}

static void backend_close(struct trm_backend_instance *instance)
{
    cuda_instance_destroy(instance);
}

static const struct trm_backend cuda_backend = {
    .struct_size   = sizeof(cuda_backend),
    .abi_minor     = TRM_BACKEND_ABI_MINOR,
    .name          = "cuda",
    .version       = "0.1.0",
    .description   = "NVIDIA's GPUs by the driver API of CUDA.",
    .probe         = backend_probe,
    .open          = backend_open,
    .close         = backend_close,
    .device        = &cuda_device_ops,
    .memory        = &cuda_memory_ops,
    .stream        = &cuda_stream_ops,
    .module        = &cuda_module_ops,
    .graph         = &cuda_graph_ops,
    .pool          = &cuda_pool_ops,
    .peer          = &cuda_peer_ops,
    .interop       = &cuda_interop_ops,
    .profile       = &cuda_profile_ops,
    .resident      = &cuda_resident_ops,
    .collective    = &cuda_collective_ops,
    .get_extension = cuda_get_extension,
};

/* A newer core accepts this table. A core that needs a newer minor cannot use the backend. */
const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)max_minor;
    return min_minor > TRM_BACKEND_ABI_MINOR ? NULL : &cuda_backend;
}
