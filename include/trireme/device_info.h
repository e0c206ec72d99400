/* Trireme: the properties of a device. Programs read them with trm_device_get_info(); backends answer them in
 * get_info().
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_DEVICE_INFO_H
#define TRIREME_DEVICE_INFO_H

#include <trireme/api.h>

enum trm_device_kind {
    TRM_DEVICE_OTHER    = 0,
    TRM_DEVICE_CPU      = 1,
    TRM_DEVICE_GPU      = 2, /* discrete */
    TRM_DEVICE_IGPU     = 3, /* integrated: shares memory with the host */
    TRM_DEVICE_VIRTUAL  = 4,
    TRM_DEVICE_SOFTWARE = 5, /* a GPU driver that runs on the CPU */
};

/* Keys are never renumbered. A value is one uint64_t unless the comment says otherwise. A backend must answer
 * the keys marked "required", and answers TRM_ERROR_NOT_FOUND to a key that it does not know. */
enum trm_device_key {
    TRM_DEVICE_NAME             = 1, /* required; UTF-8 text with its terminating zero */
    TRM_DEVICE_KIND             = 2, /* required; enum trm_device_kind */
    TRM_DEVICE_MEMORY_TOTAL     = 3, /* required; bytes */
    TRM_DEVICE_MEMORY_FREE      = 4, /* bytes at this moment */
    TRM_DEVICE_UNIFIED          = 5, /* required; 1: host and device share one memory */
    TRM_DEVICE_UNITS            = 6, /* required; compute units: cores, SMs */
    TRM_DEVICE_CLOCK_HZ         = 7,
    TRM_DEVICE_UUID             = 8,  /* 16 bytes */
    TRM_DEVICE_PCI              = 9,  /* text: "0000:65:00.0" */
    TRM_DEVICE_DRIVER           = 10, /* text */
    TRM_DEVICE_COPY_ENGINES     = 11, /* copies that can run at the same time as kernels */
    TRM_DEVICE_MAX_GROUPS       = 12, /* required; 3 uint64_t: groups of a launch in x, y, z */
    TRM_DEVICE_MAX_GROUP_SIZE   = 13, /* required; 3 uint64_t: work-items of a group in x, y, z */
    TRM_DEVICE_MAX_GROUP_ITEMS  = 14, /* required; work-items of a group */
    TRM_DEVICE_MAX_SHARED_BYTES = 15, /* required; shared memory of a group */
    TRM_DEVICE_MAX_BUFFER_BYTES = 16, /* required */
    TRM_DEVICE_MAX_ARGUMENTS    = 17, /* required; parameters of a kernel */
    /* required; bytes of which the offset of a span that a kernel takes is a multiple */
    TRM_DEVICE_BUFFER_ALIGNMENT = 18,
    TRM_DEVICE_SUBGROUP_SIZE    = 19, /* work-items */
    TRM_DEVICE_CACHE_BYTES      = 20, /* last-level cache near the compute units */
    /* resolution of trm_event_elapsed(); absent: emulated with the host's clock */
    TRM_DEVICE_TIMESTAMP_HZ = 21,
    TRM_DEVICE_SYNCHRONOUS  = 22, /* 1: operations run inside the call that enqueues them */
    /* 1: kernels take pinned and imported memory, and access it where it is */
    TRM_DEVICE_MAPPED = 23,
    /* 1: kernels reach buffers through addresses (trm_buffer_address(), GL_EXT_buffer_reference) */
    TRM_DEVICE_ADDRESSES = 24,
    /* 1: kernels take buffers of other devices of the backend that the device can access: where the backend
     * has a peer table of those that can_access() allows, else of all (trm_device_can_access()) */
    TRM_DEVICE_PEER_KERNELS = 25,
    /* kernels of different streams that this backend can have running on the device at once. cpu: its
     * workers; cuda: the grids that it holds; vulkan: the queues for kernels that the backend makes, eight at
     * most */
    TRM_DEVICE_MAX_KERNELS = 26,
    TRM_DEVICE_PRIORITIES  = 27, /* priorities of streams that the device tells apart; absent: 1 */
    /* queues among which the driver spreads streams: work of streams that share one may wait for each other;
     * absent: no stream waits for another in this way */
    TRM_DEVICE_QUEUES = 28,
    /* text: the library of the backend that does collectives, and its version: "NCCL 2.28.9" */
    TRM_DEVICE_COLLECTIVES = 29,

    /* What the library answers of an open device; backends are not asked. */
    TRM_DEVICE_BACKEND = 0x10000, /* text: "cuda" */
    TRM_DEVICE_INDEX   = 0x10001, /* among the backend's devices */
    TRM_DEVICE_ID      = 0x10002, /* text, for trm_device_open(): "cuda:0" */
};

#endif
