/* Trireme: the template backend, made to be copied. What its files share.
 *
 * To make a backend of your own, copy this folder, replace "template" by the name of your backend, then
 * go through the files in the order backend.c, device.c, memory.c, stream.c, module.c. Comments that
 * begin with "On a real device" say what to change. doc/writing-a-backend.md walks through it.
 *
 * The "device" here is the calling thread: every operation runs inside the call that enqueues it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEMPLATE_H
#define TEMPLATE_H

#include <pthread.h>
#include <stdatomic.h>

#include <trireme/backend.h>
#include <trireme/backend_util.h>
#include <trireme/cpu_kernel.h>

/* What the device can do. device.c reports these limits, and the core refuses launches beyond them. */
enum template_limits {
    TEMPLATE_MAX_ARGUMENTS    = 64,
    TEMPLATE_MAX_GROUP_ITEMS  = 1024,
    TEMPLATE_MAX_SHARED_BYTES = 64 * 1024,
    TEMPLATE_BUFFER_ALIGNMENT = 64,
};

/* The core only passes pointers to these structs: their members are yours to choose.
 *
 * On a real device the instance holds what the driver gives once per process (a library handle, its
 * functions), and the device what it gives once per device (a context, queues). */
struct trm_backend_instance {
    const struct trm_host *host; /* valid until close() has returned */
    pthread_mutex_t unit;        /* the only compute unit: held while a kernel runs */
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
};

struct trm_backend_memory {
    struct trm_backend_device *device;
    unsigned char *bytes;
    uint64_t size;
    int32_t kind; /* enum trm_memory_kind */
};

extern const struct trm_device_ops template_device_ops;
extern const struct trm_memory_ops template_memory_ops;
extern const struct trm_stream_ops template_stream_ops;
extern const struct trm_module_ops template_module_ops;

/* module.c: run a kernel over all groups of a launch. Writes what the kernel returned to `result`.
 * Fails when the kernel could not be run at all. */
int32_t template_module_run(struct trm_backend_device *device, const struct trm_launch_desc *desc,
                            int32_t *result);

#endif
