/* Where the contents of a group's buffer are, and what work on it must come after.
 *
 * Each device has a copy of the buffer. A copy is current if it has the contents as the submitted work
 * leaves them. Work that reads a copy comes after what made it; work that changes it (a task, or a copy
 * from another device) also after what reads it. So the state of a copy is one point that made it, and
 * points that read it.
 *
 * A buffer is divided into parts, each with such a state: at first one part, which is cut where a task uses a
 * span, and joined again when neighbours have come to the same state. There are at most PIPELINE_DATA_PARTS,
 * so a cut may be left out; work that uses some bytes of a part then counts as using all of it.
 *
 * Locks: group->data_lock guards all of it. It is held while work is enqueued; the host waits for work
 * without it, but where other work overtakes it again and again.
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
    uint64_t end; /* base_now() when it is presumed to be reached; 0: that is not known well enough */
};

struct pipeline_data_copy {
    struct pipeline_data_point made;
    struct pipeline_data_point *readers; /* since it was made */
    uint32_t reader_count, reader_capacity;
    uint64_t ready_at; /* base_now() when it will have been made, as predicted */
};

struct pipeline_data_part {
    uint64_t begin, end;             /* bytes */
    struct pipeline_data_part *next; /* begins at `end`; NULL: this is the last one */
    uint32_t current;                /* bit i: the copy of device i */
    struct pipeline_data_copy copies[TRM_GROUP_DEVICES];
};

#define PIPELINE_DATA_PARTS 256u

struct pipeline_data {
    uint64_t size;     /* bytes */
    uint32_t count;    /* parts */
    uint32_t merge_at; /* so many parts are looked at for equal neighbours */
    struct pipeline_data_part first;
};

/* ---- data.c: the parts of a buffer ------------------------------------------------------------- */

/* One part, current on these devices. */
void pipeline_data_init(struct pipeline_data *data, uint64_t size, uint32_t current);
/* Frees what the state refers to. */
void pipeline_data_fini(const struct core_context *context, struct pipeline_data *data);

/* The part that has the byte at `begin`; NULL: none. With its successors up to one that begins at or after
 * `end` these are the parts of a span. */
struct pipeline_data_part *pipeline_data_at(struct pipeline_data *data, uint64_t begin);

/* Joins neighbours of the same state, where there are many parts. */
void pipeline_data_merge(const struct core_context *context, struct pipeline_data *data);
/* Makes parts begin at `begin` and `end`, if there is room. */
void pipeline_data_cut(const struct core_context *context, struct pipeline_data *data, uint64_t begin,
                       uint64_t end);

/* The devices on which all parts are current, as pipeline_part_current() tells. */
uint32_t pipeline_data_current(const struct pipeline_data *data);

/* ---- part.c: the state of one part -------------------------------------------------------------- */

/* The copies that are current and were not made by work that has failed; if all were, the current ones. */
uint32_t pipeline_part_current(const struct pipeline_data_part *part);

/* Makes room for another reader of a copy. */
int32_t pipeline_part_reserve(const struct core_context *context, struct pipeline_data_part *part,
                              uint32_t device);

/* Lets a stream wait until it may read a copy (TRM_ACCESS_READ), change it, or replace all of it
 * (TRM_ACCESS_WRITE alone). */
int32_t pipeline_part_wait(struct pipeline_data_part *part, uint32_t device, uint32_t access,
                           struct core_stream *stream);

/* When a copy is predicted to be made. False: that time has passed, and it is not. */
bool pipeline_part_is_in_time(const struct pipeline_data_part *part, uint32_t device, uint64_t now,
                              uint64_t *ready_at);

/* When all is presumed to be reached that pipeline_part_wait() lets a stream wait for: in *end, where that is
 * later. False: it is not known well enough. */
bool pipeline_part_presume(const struct pipeline_data_part *part, uint32_t device, uint32_t access,
                           uint64_t *end);

/* A point's work reads the copy; there is room. */
void pipeline_part_note_reader(struct pipeline_data_part *part, uint32_t device,
                               const struct pipeline_data_point *point);
/* A point's work makes the copy anew, as predicted at `ready_at`. Its readers are forgotten. */
void pipeline_part_note_made(struct pipeline_data_part *part, uint32_t device,
                             const struct pipeline_data_point *point, uint64_t ready_at);

/* Waiting for a copy without the lock. pipeline_part_pending() counts the work that makes it and has not
 * ended, with `has_readers` also the work that reads it, and holds the first where `point` has none.
 * pipeline_point_await() waits and lets it go. Errors: DEADLOCK. */
uint32_t pipeline_part_pending(const struct pipeline_data_part *part, uint32_t device, bool has_readers,
                               struct pipeline_data_point *point);
int32_t pipeline_point_await(struct pipeline_data_point *point);

/* Waits until a copy is made. Errors: the failure of the work that made it. */
int32_t pipeline_part_finish(struct pipeline_data_part *part, uint32_t device);

/* Waits until no work uses a copy any more, and forgets that work, but for the work that failed to make the
 * copy: until all of the copy is written, its contents are not good. Errors: DEADLOCK. */
int32_t pipeline_part_drain(struct pipeline_data_part *part, uint32_t device);

/* The host has written all of a drained copy, which is current now. */
void pipeline_part_note_written(struct pipeline_data_part *part, uint32_t device);

/* Makes an empty part a second one of the same state. False where the host has no memory. */
bool pipeline_part_copy(const struct core_context *context, const struct pipeline_data_part *part,
                        struct pipeline_data_part *made);
/* Forgets work that has ended well, or only read. */
void pipeline_part_tidy(struct pipeline_data_part *part);
bool pipeline_part_is_alike(const struct pipeline_data_part *part, const struct pipeline_data_part *other);
void pipeline_part_fini(const struct core_context *context, struct pipeline_data_part *part);

#endif
