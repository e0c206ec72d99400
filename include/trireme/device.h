/* Trireme: devices.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * context     the context whose backends are asked
 * device      the device, or for trm_device_open() receives it
 * Blocks      no
 * Threads     any
 * Ownership   a device keeps its context alive
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_DEVICE_H
#define TRIREME_DEVICE_H

#include <trireme/api.h>
#include <trireme/device_info.h>

TRM_API_BEGIN

/* A device that can be opened. */
struct trm_device_summary {
    uint32_t struct_size;
    int32_t kind;          /* enum trm_device_kind */
    char id[64];           /* "cpu:0", as trm_device_open() takes it */
    char backend[48];      /* "cpu" */
    char name[256];        /* "AMD EPYC 7B13" */
    uint64_t memory_bytes; /* the device's memory */
    int32_t unified;       /* 1: host and device share one memory, so copies are not needed */
    int32_t score;         /* of the backend */
};

/* Count, or describe, the devices of all accepted backends. The best device comes first.
 *
 * count       receives the number of devices
 * index       of a device, from 0
 * summary     the caller sets its struct_size
 * Blocks      the first call that needs a device opens plugins and probes drivers; meanwhile other threads
 *             wait for it
 * Errors      NOT_FOUND, with the reason, when TRIREME_BACKEND names a single backend that is not available;
 *             OUT_OF_RANGE for the index
 */
TRM_API int32_t trm_device_count(struct trm_context *context, uint32_t *count);
TRM_API int32_t trm_device_describe(struct trm_context *context, uint32_t index,
                                    struct trm_device_summary *summary);

/* Open a device. Every call makes a device of its own, also for an id that is open already.
 *
 * id          one of:
 *             "cpu:0", or "cuda" for the backend's preferred one
 *             "cuda:uuid=6e6f7420-6120-7265-616c-207575696421"
 *             "cuda:name=*h200*": the first one whose name matches the shell pattern, in upper or lower case
 *             NULL: the default, which is the setting `device`, else the best device of the backend that
 *             TRIREME_BACKEND chooses
 * Blocks      as trm_device_count(), and while the driver opens the device
 * Ownership   the caller destroys the device with trm_device_destroy()
 * Errors      NOT_FOUND with the reason of each candidate, or with the devices that exist; ABI when the
 *             backend does not answer a required key; the driver's errors
 */
TRM_API int32_t trm_device_open(struct trm_context *context, const char *id, struct trm_device **device);

/* Destroy a device. Objects that were made on it keep it open; if there are any, a warning with their number
 * and kinds is logged (the leak report). trm_stream_device() adds references to a handle: the last destroy
 * ends it.
 *
 * Blocks      until the threads' own streams of the device (trm_device_thread_stream()) are drained; if no
 *             object is left, until the driver has closed the device
 */
TRM_API void trm_device_destroy(struct trm_device *device);

/* Can kernels of a device take buffers of another one, as if these were its own? TRM_OK when they can.
 *
 * other       another device of the context, or the same one
 * Blocks      the first time for two devices: while the driver opens the access
 * Errors      UNSUPPORTED, with the reason, when they cannot; DEVICE_LOST
 */
TRM_API int32_t trm_device_can_access(struct trm_device *device, struct trm_device *other);

/* Get a property of a device.
 *
 * key         enum trm_device_key, which determines the type of the value
 * value       receives the value; NULL with capacity 0: only the size is wanted
 * capacity    bytes of `value`
 * needed      receives the bytes of the value, of text with its terminating zero; may be NULL
 * Errors      NOT_FOUND when the backend does not know the key; OUT_OF_RANGE when the value does not fit
 *             (`needed` is written all the same); INVALID_ARGUMENT when value is NULL and capacity is not 0
 */
TRM_API int32_t trm_device_get_info(struct trm_device *device, uint32_t key, void *value, size_t capacity,
                                    size_t *needed);

/* Get a property whose value is one uint64_t.
 *
 * key         enum trm_device_key
 * value       receives the value
 * Errors      NOT_FOUND; TYPE_MISMATCH or OUT_OF_RANGE when the value is of another type
 */
TRM_API int32_t trm_device_get_u64(struct trm_device *device, uint32_t key, uint64_t *value);

/* Wait until the work that was enqueued so far on all streams of the device is done. A stream that has failed
 * does not end the wait for the others.
 *
 * Blocks      yes
 * Errors      the first failure of any of the streams; DEADLOCK inside a host callback
 */
TRM_API int32_t trm_device_sync(struct trm_device *device);

/* The objects that are alive on a device. */
struct trm_device_usage {
    uint32_t struct_size;
    uint32_t streams;
    uint32_t events;
    uint32_t buffers;
    uint32_t modules;
    uint32_t kernels;
    uint64_t buffer_bytes;      /* of live buffers, as they were requested */
    uint64_t peak_buffer_bytes; /* the most that was ever live */
    uint32_t images;            /* one that is plain memory counts as a buffer as well */
    uint32_t samplers;
};

/* Get the `usage` of a device; the caller sets its struct_size. */
TRM_API int32_t trm_device_get_usage(struct trm_device *device, struct trm_device_usage *usage);

TRM_API_END

#endif
