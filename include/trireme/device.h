/* Trireme: devices.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_DEVICE_H
#define TRIREME_DEVICE_H

#include <trireme/api.h>
#include <trireme/device_info.h>

TRM_API_BEGIN

/* One device that can be opened. */
struct trm_device_summary {
    uint32_t struct_size;
    int32_t kind;          /* enum trm_device_kind */
    char id[64];           /* "cpu:0", what trm_device_open() takes */
    char backend[48];      /* "cpu" */
    char name[256];        /* "AMD EPYC 7B13" */
    uint64_t memory_bytes; /* what the device can reach as its own */
    int32_t unified;       /* 1: host and device memory are one, copies can be left out */
    int32_t score;
};

/* The devices of every accepted backend, best first. Loads plugins if nobody has yet.
 * Errors      NOT_FOUND, with the reason, when TRIREME_BACKEND is one name that cannot be had */
TRM_API int32_t trm_device_count(struct trm_context *context, uint32_t *count);
TRM_API int32_t trm_device_describe(struct trm_context *context, uint32_t index,
                                    struct trm_device_summary *summary);

/* Open a device.
 *
 * id          "cpu:0", or "cuda" for its first; by UUID "cuda:uuid=6e6f7420-6120-7265-616c-207575696421"; by a
 *             pattern of its name as the shell's, in any case, "cuda:name=*h200*" (of several the first); NULL for
 *             the default: the setting `device`, else the best device of the backend that TRIREME_BACKEND chooses
 * Blocks      as long as the driver takes
 * Ownership   every call makes a device of its own; trm_device_destroy() ends it
 * Errors      NOT_FOUND with the reason each candidate gave, or with the devices that there are; BACKEND and
 *             others from the driver
 */
TRM_API int32_t trm_device_open(struct trm_context *context, const char *id, struct trm_device **device);

/* Let go of the device. Streams, buffers and modules made on it keep it alive underneath; if
 * there are any, their number and kinds are logged as a warning (the leak report). NULL is fine. */
TRM_API void trm_device_destroy(struct trm_device *device);

/* One fact of a device.
 *
 * key         enum trm_device_key; says the type of the value
 * capacity    bytes of `value`; 0 with value NULL asks for the size
 * needed      bytes of the value (strings with their zero); may be NULL
 * Errors      NOT_FOUND when the backend does not know the key; OUT_OF_RANGE when it does not fit
 *             (needed is written all the same)
 */
TRM_API int32_t trm_device_get_info(struct trm_device *device, uint32_t key, void *value, size_t capacity,
                                    size_t *needed);

/* The same for keys whose value is a uint64_t. */
TRM_API int32_t trm_device_get_u64(struct trm_device *device, uint32_t key, uint64_t *value);

/* Wait until all work enqueued so far on all streams of the device is done.
 * Blocks      yes        Errors  the first failure of any of its streams; DEADLOCK inside a host
 *             callback */
TRM_API int32_t trm_device_sync(struct trm_device *device);

/* What is alive on a device. */
struct trm_device_usage {
    uint32_t struct_size;
    uint32_t streams;
    uint32_t events;
    uint32_t buffers;
    uint32_t modules;
    uint32_t kernels;
    uint64_t buffer_bytes;      /* live buffers, as asked for */
    uint64_t peak_buffer_bytes; /* the most that was ever live */
};

TRM_API int32_t trm_device_get_usage(struct trm_device *device, struct trm_device_usage *usage);

TRM_API_END

#endif
