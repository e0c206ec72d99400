/* The table of collectives of a backend (optional, since minor 6): a library's operations over one span
 * on each of several devices. <trireme/backend.h> includes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_BACKEND_COLLECTIVE_H
#define TRIREME_BACKEND_COLLECTIVE_H

#include <trireme/backend.h>
#include <trireme/collective.h>

TRM_API_BEGIN

/* What is needed for collectives over a list of devices; the plugin defines it. */
struct trm_backend_communicator;

/* The functions of <trireme/collective.h>. */
enum trm_collective_kind {
    TRM_COLLECTIVE_ALL_REDUCE     = 0,
    TRM_COLLECTIVE_REDUCE         = 1,
    TRM_COLLECTIVE_REDUCE_SCATTER = 2,
    TRM_COLLECTIVE_BROADCAST      = 3,
    TRM_COLLECTIVE_ALL_GATHER     = 4,
    TRM_COLLECTIVE_ALL_TO_ALL     = 5,
};

/* Bytes of a device's memory. */
struct trm_collective_place {
    struct trm_backend_memory *memory; /* NULL: the device has no such span */
    uint64_t offset;                   /* a multiple of the element */
    uint64_t size;                     /* bytes, a multiple of the element; 0 without memory */
};

struct trm_collective_desc {
    uint32_t struct_size;
    int32_t kind;      /* enum trm_collective_kind */
    int32_t type;      /* enum trm_type; U8 for the kinds that only copy */
    int32_t operation; /* enum trm_reduction; SUM for the kinds that only copy */
    uint32_t root;     /* of REDUCE and BROADCAST; else 0 */
    uint32_t count;    /* of spans of each device, never 0 */
    /* count times the number of devices: number k of device d is at k * devices + d. An output of REDUCE is
     * the root's alone. An output overlaps with the input of its number and device only as the public
     * functions allow, and with no other span. */
    const struct trm_collective_place *inputs;
    const struct trm_collective_place *outputs;
};

/* All slots are required. */
struct trm_collective_ops {
    uint32_t struct_size;
    uint32_t reserved;

    /* `count` different devices of one instance, in the order of the collective's spans. May be slow.
     * They stay open until destroy(). Errors: UNSUPPORTED where the library is not there, or does not
     * take the devices. */
    int32_t (*create)(struct trm_backend_device *const *devices, uint32_t count,
                      struct trm_backend_communicator **communicator);
    /* Its operations have ended, or their streams have failed. */
    void (*destroy)(struct trm_backend_communicator *communicator);

    /* TRM_OK while it can be used; else the failure by which it ended. */
    int32_t (*check)(struct trm_backend_communicator *communicator);

    /* Enqueue the whole call as operation `value` of `stream`, a stream of the first device. It begins
     * when the stream comes to it, and is complete when all devices have their outputs. When a device is
     * lost or the library fails, the stream fails; unless its own device is lost, once no device touches the
     * spans any more. One thread at a time, also for different streams. Must not wait for the device. */
    int32_t (*enqueue)(struct trm_backend_communicator *communicator, struct trm_backend_stream *stream,
                       uint64_t value, const struct trm_collective_desc *desc);
};

TRM_API_END

#endif
