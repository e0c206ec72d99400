/* A backend's own collectives: operations of a library over one span on each of several devices.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_COMMUNICATOR_H
#define CORE_MEMORY_COMMUNICATOR_H

#include <stdbool.h>
#include <trireme/buffer.h>

#include "core/device/device.h"

struct core_communicator;
struct core_stream;

/* A call that has been checked. Number k of device d is at k * devices + d in both; an output of REDUCE at k
 * alone, on the device `root`. All have a length. */
struct core_communication {
    int32_t kind; /* enum trm_collective_kind */
    int32_t type; /* enum trm_type; U8 where it only copies */
    int32_t operation;
    uint32_t root;
    uint32_t count; /* of spans of each device */
    const struct trm_span *inputs, *outputs;
};

/* Whether the devices are different ones of one backend that has collectives of its own. */
bool core_communicator_is_possible(struct core_device *const *devices, uint32_t count);

/* Makes what the backend's collectives need. The caller keeps the devices. Errors: UNSUPPORTED, with the
 * reason. */
int32_t core_communicator_create(struct core_device *const *devices, uint32_t count,
                                 struct core_communicator **communicator);

/* Waits for its operations. NULL is fine. */
void core_communicator_destroy(struct core_communicator *communicator);

/* The same without waiting: adds it to a list while it has operations. Destroys those of the list that have
 * none any more. */
void core_communicator_set_aside(struct core_communicator *communicator, struct core_communicator **list);
/* Waits for the operations of all in the list. */
void core_communicator_destroy_list(struct core_communicator *list);

/* TRM_OK while it can be used; else the failure by which it ended. */
int32_t core_communicator_check(const struct core_communicator *communicator);

/* Enqueues a call on a stream of the first device. One thread at a time. */
int32_t core_communicator_enqueue(struct core_communicator *communicator, struct core_stream *stream,
                                  const struct core_communication *call);

#endif
