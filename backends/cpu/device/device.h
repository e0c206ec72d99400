/* cpu backend: what all of its files share.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_DEVICE_DEVICE_H
#define BACKENDS_CPU_DEVICE_DEVICE_H

#include <trireme/backend.h>
#include <trireme/backend_util.h>

#include "backends/cpu/machine/clock.h"
#include "backends/cpu/machine/transfer.h"
#include "backends/cpu/stream/scheduler.h"

#define CPU_LINE 64 /* bytes of a cache line */

/* Limits that a device reports; module.c and enqueue.c rely on them. */
#define CPU_MAX_ARGUMENTS 256u
#define CPU_MAX_SHARED_BYTES (16u << 20)
#define CPU_MAX_GROUP_ITEMS (1u << 20)
#define CPU_MAX_BLOCK_BYTES (64u << 10)    /* of one argument */
#define CPU_MAX_SCRATCH_BYTES (256u << 20) /* of one kernel, for each worker */
#define CPU_BLOCK_ALIGNMENT 16u

struct trm_backend_instance {
    struct cpu_pool pool;
    const struct trm_host *host;
    struct cpu_transfers transfers;
    struct cpu_clock clock;
    uint64_t physical_bytes; /* of the machine, or of the group of processes we may use */
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
};

struct trm_backend_memory {
    struct trm_backend_instance *instance;
    uint8_t *data;
    uint64_t size;
    void *mapping;   /* what to unmap; NULL when the pages are not of mmap() */
    uint64_t mapped; /* bytes of it; without a mapping: what to release to the host, 0 for IMPORTED */
};

static inline void *cpu_allocate(struct trm_backend_instance *instance, uint64_t size)
{
    return instance->host->allocate(instance->host->context, size, CPU_LINE);
}

/* What the machine is; device.c. */
uint32_t cpu_count_processors(void);
uint64_t cpu_physical_bytes(void);
uint64_t cpu_cache_bytes(void);

extern const struct trm_device_ops cpu_device_ops;
extern const struct trm_memory_ops cpu_memory_ops;
extern const struct trm_stream_ops cpu_stream_ops;
extern const struct trm_module_ops cpu_module_ops;
extern const struct trm_profile_ops cpu_profile_ops;
extern const struct trm_graph_ops cpu_graph_ops;

#endif
