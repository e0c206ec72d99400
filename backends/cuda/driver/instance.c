/* cuda backend: creates and destroys instances.
 * SPDX-License-Identifier: MIT
 */
#include "driver.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SPIN_US 100000u

/* A thread that blocks in the driver wakes about fifty microseconds late. With processors to spare a wait
 * polls for as long as batches that are worth a GPU take; with few, other threads need them. */
#define MANY_PROCESSORS 4
#define SPIN_MANY_US 10000u
#define SPIN_FEW_US 100u

static uint64_t spin_default(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return sysconf(_SC_NPROCESSORS_ONLN) >= MANY_PROCESSORS ? SPIN_MANY_US : SPIN_FEW_US;
    return CPU_COUNT(&set) >= MANY_PROCESSORS ? SPIN_MANY_US : SPIN_FEW_US;
}

static uint64_t spin_setting(const struct trm_host *host)
{
    char text[32];
    uint64_t needed = 0;
    if (host->get_setting(host->context, "cuda.spin", text, sizeof(text), &needed) != TRM_OK ||
        text[0] == '\0')
        return spin_default() * 1000u;
    unsigned long long microseconds = strtoull(text, NULL, 10);
    return (microseconds < MAX_SPIN_US ? microseconds : MAX_SPIN_US) * 1000u;
}

static enum cuda_coarsening coarsening_setting(const struct trm_host *host)
{
    char text[32];
    uint64_t needed = 0;
    if (host->get_setting(host->context, "cuda.coarsen", text, sizeof(text), &needed) != TRM_OK)
        return CUDA_COARSEN_AUTO;
    return strcmp(text, "always") == 0  ? CUDA_COARSEN_ALWAYS
           : strcmp(text, "never") == 0 ? CUDA_COARSEN_NEVER
                                        : CUDA_COARSEN_AUTO;
}

int32_t cuda_instance_create(const struct trm_host *host, struct trm_backend_instance **result, char *reason)
{
    struct trm_backend_instance *instance =
        host->allocate(host->context, sizeof(*instance), _Alignof(max_align_t));
    reason[0] = '\0';
    if (instance == NULL) {
        snprintf(reason, CUDA_REASON_BYTES, "there is no host memory for an instance");
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    memset(instance, 0, sizeof(*instance));
    instance->host       = host;
    instance->spin_ns    = spin_setting(host);
    instance->coarsening = coarsening_setting(host);
    pthread_mutex_init(&instance->compiler_lock, NULL);
    pthread_mutex_init(&instance->nccl_lock, NULL);
    pthread_mutex_init(&instance->defer_lock, NULL);
    pthread_mutex_init(&instance->follow_lock, NULL);
    int32_t status = cuda_loader_open(host, &instance->loader, &instance->cuda, &instance->driver_version,
                                      reason, CUDA_REASON_BYTES);
    if (status == TRM_OK)
        status = cuda_physicals_enumerate(instance, reason, CUDA_REASON_BYTES);
    if (status != TRM_OK) {
        cuda_instance_destroy(instance);
        return status;
    }
    *result = instance;
    return TRM_OK;
}

void cuda_instance_destroy(struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;
    if (instance->compiler != NULL)
        instance->compiler_close(instance);
    if (instance->nccl != NULL)
        instance->nccl_close(instance);
    cuda_physicals_release(instance);
    cuda_loader_close(&instance->loader);
    pthread_mutex_destroy(&instance->follow_lock);
    pthread_mutex_destroy(&instance->defer_lock);
    pthread_mutex_destroy(&instance->nccl_lock);
    pthread_mutex_destroy(&instance->compiler_lock);
    host->release(host->context, instance, sizeof(*instance));
}
