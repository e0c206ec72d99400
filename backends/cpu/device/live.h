/* cpu backend: the buffers whose addresses the program knows and that live, for the checks of kernels that
 * reach memory through addresses (kernel.bounds).
 *
 * Any thread. The lock is a leaf.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_DEVICE_LIVE_H
#define BACKENDS_CPU_DEVICE_LIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <trireme/backend.h>
#include <trireme/cpu_kernel.h>

/* A table that kernels read: sorted, without overlaps. It does not change; a later one replaces it. */
struct cpu_live_table {
    uint64_t references; /* under the lock */
    uint64_t count, capacity;
    struct trm_cpu_buffer buffers[];
};

struct cpu_live {
    pthread_mutex_t lock;
    struct trm_cpu_buffer *buffers; /* sorted by address; they may overlap */
    uint64_t count, capacity;
    struct cpu_live_table *table; /* of these buffers; NULL: not made yet */
};

bool cpu_live_init(struct cpu_live *live);
void cpu_live_fini(const struct trm_host *host, struct cpu_live *live);

/* Adds and removes a buffer. The same one may be there several times. Errors: OUT_OF_HOST_MEMORY. */
int32_t cpu_live_add(const struct trm_host *host, struct cpu_live *live, void *data, uint64_t size);
void cpu_live_remove(const struct trm_host *host, struct cpu_live *live, const void *data, uint64_t size);

/* The current table, for cpu_live_release(); NULL without memory. */
struct cpu_live_table *cpu_live_acquire(const struct trm_host *host, struct cpu_live *live);
void cpu_live_release(const struct trm_host *host, struct cpu_live *live, struct cpu_live_table *table);

#endif
