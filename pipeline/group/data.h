/* Where the contents of a group's buffer are, and what work on it must come after.
 *
 * Each device has a copy of the buffer. A copy is current if it has the contents as the submitted work
 * leaves them. Work that reads a copy comes after what made it; work that changes it (a task, or a copy
 * from another device) also after what reads it. So the state of a copy is one point that made it, and
 * points that read it.
 *
 * Locks: group->data_lock guards all of it. It is held while work is enqueued, and while a change by the
 * host waits for work; a read waits without it, but for one that other work overtakes again and again.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_GROUP_DATA_H
#define PIPELINE_GROUP_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/group.h>

#include "core/stream/stream.h"

struct pipeline_replica;

struct pipeline_data_point {
    struct core_stream *stream; /* holds a reference; NULL: there is nothing to wait for */
    uint64_t value;
};

struct pipeline_data_copy {
    struct pipeline_data_point made;
    struct pipeline_data_point *readers; /* since it was made */
    uint32_t reader_count, reader_capacity;
    uint64_t ready_at; /* base_now() when it will have been made, as predicted */
};

struct pipeline_data {
    uint64_t size;    /* bytes */
    uint32_t current; /* bit i: the copy of device i */
    struct pipeline_data_copy copies[TRM_GROUP_DEVICES];
};

/* The copies that are current and were not made by work that has failed; if all were, the current ones. */
uint32_t pipeline_data_current(const struct pipeline_data *data);

/* Makes room for another reader of a copy. */
int32_t pipeline_data_reserve(const struct core_context *context, struct pipeline_data *data,
                              uint32_t device);

/* Lets a stream wait until it may read a copy (TRM_ACCESS_READ), change it, or replace all of it
 * (TRM_ACCESS_WRITE alone). */
int32_t pipeline_data_wait(struct pipeline_data *data, uint32_t device, uint32_t access,
                           struct core_stream *stream);

/* The stream reads the copy until `value`; there is room. */
void pipeline_data_note_reader(struct pipeline_data *data, uint32_t device, struct core_stream *stream,
                               uint64_t value);
/* The copy is made anew by then, as predicted at `ready_at`. Its readers are forgotten. */
void pipeline_data_note_made(struct pipeline_data *data, uint32_t device, struct core_stream *stream,
                             uint64_t value, uint64_t ready_at);

/* Waiting for a copy without the lock. pipeline_data_pending() finds what makes it, and holds that; false:
 * it is made, or that work has ended. pipeline_data_await() waits and lets it go. Errors: DEADLOCK. */
bool pipeline_data_pending(const struct pipeline_data *data, uint32_t device,
                           struct pipeline_data_point *point);
int32_t pipeline_data_await(struct pipeline_data_point *point);

/* Waits until a copy is made. Errors: the failure of the work that made it. */
int32_t pipeline_data_finish(struct pipeline_data *data, uint32_t device);

/* Waits until no work uses a copy any more, and forgets that work, but for the work that failed to make the copy:
 * until all of the copy is written, its contents are not good. Errors: DEADLOCK. */
int32_t pipeline_data_drain(struct pipeline_data *data, uint32_t device);

/* The host has written all of a drained copy, which is current now. */
void pipeline_data_note_written(struct pipeline_data *data, uint32_t device);

/* Frees what the state refers to. */
void pipeline_data_fini(const struct core_context *context, struct pipeline_data *data);

#endif
