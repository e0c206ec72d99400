/* cpu backend: instances, their devices, and memory.
 *
 *     device.c  opening and closing devices; the table
 *     info.c    answers to questions about devices, which need not be open
 *     memory.c  allocation
 *     live.c    the buffers whose addresses the program knows
 *
 * An instance is written when it is opened and only read afterwards, except its clock, its count of bytes and
 * those of launches, which are atomic, and `live`, which has a lock of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_DEVICE_DEVICE_H
#define BACKENDS_CPU_DEVICE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <trireme/backend.h>
#include <trireme/backend_util.h>

#include "backends/cpu/device/live.h"
#include "backends/cpu/machine/machine.h"

/* Limits that the device reports. module/kernel_table.c and stream/enqueue.c rely on them. */
#define CPU_MAX_ARGUMENTS 256u
#define CPU_MAX_SHARED_BYTES (16u << 20)
#define CPU_MAX_GROUP_ITEMS (1u << 20)
#define CPU_MAX_BLOCK_BYTES (64u << 10)    /* of one argument */
#define CPU_MAX_SCRATCH_BYTES (256u << 20) /* of one kernel, for each worker */
#define CPU_BLOCK_ALIGNMENT 16u
#define CPU_MAX_DEVICES 16u

struct cpu_scheduler;

/* What the setting cpu.lose asks for. */
struct cpu_loss {
    uint64_t launch;           /* the device is lost at this one, counted from 1; 0: never */
    _Atomic uint64_t launches; /* so far; counted where the device is to be lost */
};

/* Of the number of the device, and that of the launch as unsigned long long. */
#define CPU_LOSS_SENTENCE "The device cpu:%u is lost: the setting cpu.lose asks for that at launch %llu."

struct trm_backend_instance {
    const struct trm_host *host;
    /* The workers are divided among the devices: one, unless the setting cpu.devices says otherwise. */
    uint32_t device_count;
    struct cpu_scheduler *schedulers[CPU_MAX_DEVICES]; /* stream/scheduler.h */
    uint32_t worker_counts[CPU_MAX_DEVICES];
    struct cpu_loss losses[CPU_MAX_DEVICES];
    pthread_mutex_t lock;          /* of the schedulers */
    uint64_t physical_bytes;       /* that this process may use */
    _Atomic uint64_t mapped_bytes; /* of buffers */
    struct cpu_clock clock;
    struct cpu_live live;
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
    struct cpu_scheduler *scheduler;
    uint32_t index;
};

struct trm_backend_memory {
    struct trm_backend_instance *instance;
    uint8_t *data;
    uint64_t size;
    void *mapping;  /* of mmap(); NULL for memory of the host or of the program */
    uint64_t owned; /* bytes of the mapping, or bytes to release to the host; 0 for IMPORTED memory */
};

/* Memory of the host, not cleared, aligned to a cache line. NULL: none. trm_util_release() releases it. */
static inline void *cpu_allocate(struct trm_backend_instance *instance, uint64_t size)
{
    return instance->host->allocate(instance->host->context, size, CPU_LINE);
}

/* Explain that there is no device of that number. Returns NOT_FOUND. */
int32_t cpu_device_fail_missing(struct trm_backend_instance *instance, uint32_t index);

/* A slot of the table. */
int32_t cpu_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                            uint64_t capacity, uint64_t *needed);

extern const struct trm_device_ops cpu_device_ops;
extern const struct trm_memory_ops cpu_memory_ops;

#endif
