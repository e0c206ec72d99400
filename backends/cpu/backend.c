/* cpu backend: the entry, and instances.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCORE 100
#define SPIN_US 12u /* as long as it takes to be woken up again */
#define MOST_SPIN_US 1000u

static int32_t backend_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    (void)host;
    if (capacity > 0)
        reason[0] = '\0';
    *score = SCORE;
    return TRM_OK;
}

/* A setting that is a whole number, `most` at most; `otherwise` where the host does not know it. */
static uint32_t number_setting(const struct trm_host *host, const char *name, uint32_t most,
                               uint32_t otherwise)
{
    char text[32];
    uint64_t needed = 0;
    if (host->get_setting(host->context, name, text, sizeof(text), &needed) != TRM_OK)
        return otherwise;
    unsigned long long number = strtoull(text, NULL, 10);
    return number < most ? (uint32_t)number : most;
}

static int32_t backend_open(const struct trm_host *host, struct trm_backend_instance **result)
{
    struct trm_backend_instance *instance = host->allocate(host->context, sizeof(*instance), CPU_LINE);
    if (instance == NULL)
        return host->fail(host->context, TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                          "There is no host memory for the cpu backend.");
    memset(instance, 0, sizeof(*instance));
    instance->host           = host;
    instance->physical_bytes = cpu_physical_bytes();
    cpu_clock_init(&instance->clock);
    cpu_transfers_init(&instance->transfers, cpu_cache_bytes());
    int32_t status = cpu_pool_init(instance, number_setting(host, "cpu.workers", CPU_MAX_WORKERS, 0),
                                   number_setting(host, "cpu.spin", MOST_SPIN_US, SPIN_US));
    if (status != TRM_OK) {
        host->release(host->context, instance, sizeof(*instance));
        return status;
    }
    *result = instance;
    return TRM_OK;
}

static void backend_close(struct trm_backend_instance *instance)
{
    cpu_pool_fini(instance);
    trm_util_release(instance->host, instance, sizeof(*instance));
}

static const struct trm_backend cpu_backend = {
    .struct_size = sizeof(cpu_backend),
    .abi_minor   = TRM_BACKEND_ABI_MINOR,
    .name        = "cpu",
    .version     = "0.1.0",
    .description = "The processors of this machine, through a pool of threads.",
    .probe       = backend_probe,
    .open        = backend_open,
    .close       = backend_close,
    .device      = &cpu_device_ops,
    .memory      = &cpu_memory_ops,
    .stream      = &cpu_stream_ops,
    .module      = &cpu_module_ops,
    .graph       = &cpu_graph_ops,
    .profile     = &cpu_profile_ops,
};

/* A core that is newer gives us what we were written for; one that asks for more than that cannot be
 * served. */
const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)max_minor;
    return min_minor > TRM_BACKEND_ABI_MINOR ? NULL : &cpu_backend;
}
