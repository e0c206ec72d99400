/* Profiles: what the streams of a device did, and when.
 *
 *     profile.c          what a stream does for a profile    profile_result.c   what is kept of it
 *     range.c            ranges of streams, also for profilers of backends
 *     profile_devices.c  profiles of devices and of contexts: which streams belong to them
 *
 * A stream that is profiled counts its operations and records a timestamp behind each one that is timed. In a
 * stream, an operation begins when the one before it ends, or when its call began if that was later. So a
 * timestamp is the end of one operation and the earliest beginning of the next.
 *
 * A profile has a part for each of its devices, and a device is in one part at a time. A profile of a device
 * keeps the device alive. One of a context does not: its part of a device ends when the device closes.
 *
 * Locks: context->devices_lock guards which devices there are and which part each is in; it comes before
 * device->lock. A stream's own lock comes before device->lock and profile->lock, and the backend is called
 * under it; profile->lock is a leaf. A stream gives its results to the part when it ends, or when the profile
 * does.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_PROFILE_H
#define CORE_STREAM_PROFILE_H

#include <pthread.h>
#include <stdbool.h>

#include "core/stream/stream_object.h"

/* Records that a stream keeps for the trace. */
#define CORE_PROFILE_RECORDS 65536u

/* Kernels, and things waited for, that a stream tells apart; further ones are counted together. */
#define CORE_PROFILE_KERNELS 256u /* and as many names of ranges */
#define CORE_PROFILE_WAITS 64u

/* Times by powers of two, each divided into four; CORE_PROFILE_TIMES / 4 powers. */
#define CORE_PROFILE_TIMES 160u

/* Ranges that a stream keeps for the trace. */
#define CORE_PROFILE_RANGES 65536u

/* What operations of a stream were about: a kernel, a range, or something that it waited for. */
struct core_profile_subject {
    struct core_profile_subject *next;
    uint64_t count, timed, busy_ns;
    uint64_t span_ns;      /* of ranges */
    struct core_wait wait; /* of waits */
    size_t size;           /* of the allocation */
    char name[];           /* of launches and ranges */
};

/* A range between its push and its pop. */
struct core_profile_range {
    struct core_profile_range *next;      /* in the order of their beginnings */
    struct core_profile_range *parent;    /* the one around it; NULL: none */
    struct core_profile_subject *subject; /* NULL: it is a coordinator's task */
    uint32_t depth;                       /* of the stream's ranges around it */
    uint64_t begin, end;                  /* of its timed operations; end 0: none */
    size_t size;                          /* of the allocation */
    char name[];                          /* of a task */
};

/* A timed operation; nanoseconds of CLOCK_MONOTONIC. */
struct core_profile_record {
    uint64_t called, begin, end;
    uint64_t bytes;
    struct core_profile_subject *subject; /* of launches and waits; NULL: not known */
    struct core_profile_range *range;     /* the innermost; NULL: none */
    enum core_work_kind kind;
};

/* Finds the subject of a kernel by its handle, most of the time. */
#define CORE_PROFILE_HANDLES 64u
struct core_profile_handle {
    const void *handle; /* NULL: none */
    struct core_profile_subject *subject;
};

/* What one stream did. */
struct core_profile_result {
    struct core_profile_result *next;
    uint32_t number; /* of the stream's object */
    char name[CORE_STREAM_NAME];
    uint64_t count[CORE_WORK_KINDS], bytes[CORE_WORK_KINDS];
    uint64_t timed[CORE_WORK_KINDS], busy_ns[CORE_WORK_KINDS];
    uint64_t first_ns, last_ns;              /* the first call, the last end; 0: none */
    uint64_t peak_bytes;                     /* of the device's buffers, at an operation */
    uint32_t queued[CORE_PROFILE_TIMES + 1]; /* from the call to the beginning, by core_profile_slot() */
    uint32_t ran[CORE_PROFILE_TIMES + 1];    /* from the beginning to the end, without waits */
    struct core_profile_subject *kernels, *waits, *range_names;
    uint32_t kernel_count, wait_count, range_name_count;
    struct core_profile_range *ranges, *last_range;
    uint32_t range_count;
    struct core_profile_handle handles[CORE_PROFILE_HANDLES];
    struct core_profile_record *records;
    uint32_t record_count, record_capacity;
};

/* A task of a coordinator that ran on the host. */
struct core_profile_task {
    struct core_profile_task *next;
    uint64_t begin, end;
    size_t size; /* of the allocation */
    char name[];
};

/* What the streams of one device did. */
struct core_profile_part {
    struct core_profile_part *next;
    struct core_profile *profile;
    struct core_device *device; /* NULL: it has closed; under context->devices_lock */
    char device_id[64];
    bool has_own_memory;                 /* the device does not share the host's */
    uint64_t begun, ended;               /* ended: 0 while it is on */
    struct core_profile_result *results; /* under profile->lock */
    struct core_profile_task *tasks;     /* the same */
    uint32_t task_count;
};

struct core_profile {
    struct core_object object;
    struct core_device *device; /* a device's: holds a reference; NULL: a context's */
    uint32_t interval;          /* every which operation is timed; 0: as many as cost little */
    uint64_t patience_ns;       /* how long the end waits for what a stream has enqueued */
    uint64_t begun;
    _Atomic uint64_t ended;          /* 0: it is on */
    _Atomic bool is_ending;          /* a call ends it */
    pthread_mutex_t lock;            /* guards the parts' results */
    struct core_profile_part *parts; /* in the order of the devices; under context->devices_lock */
};

/* ---- results (profile_result.c) ---- */

/* The slot of a time, and the lowest time of a slot. */
uint32_t core_profile_slot(uint64_t nanoseconds);
uint64_t core_profile_slot_time(uint32_t slot);

/* Counts an operation, and returns what it was about. NULL: nothing, or memory ran out. */
struct core_profile_subject *core_profile_count(const struct core_context *context,
                                                struct core_profile_result *result,
                                                const struct core_work *work);

/* Adds a range, or a task. NULL: there are too many, or memory ran out. */
struct core_profile_range *core_profile_add_range(const struct core_context *context,
                                                  struct core_profile_result *result, const char *name,
                                                  bool is_task);

/* Adds a timed operation. */
void core_profile_add_record(const struct core_context *context, struct core_profile_result *result,
                             const struct core_profile_record *record);

void core_profile_free_results(const struct core_context *context, struct core_profile_result *results);

/* ---- profiles (profile_devices.c) ---- */

/* Begins or ends profiling all streams of profile->device, or of all devices of the context, also those that
 * are created meanwhile. Ending waits for what is enqueued; a second call does nothing. Errors: BUSY when a
 * device has a profile; OUT_OF_HOST_MEMORY. None is begun then. */
int32_t core_profile_begin(struct core_profile *profile);
void core_profile_end(struct core_profile *profile);
void core_profile_free_parts(struct core_profile *profile);

/* The device's part of a profile, with a reference to the profile; NULL: the device is in none. */
struct core_profile_part *core_profile_part_of(struct core_device *device);

/* A coordinator's task on the host has ended, which began then. */
void core_profile_add_task(struct core_device *device, const char *name, uint64_t begin);

/* A device opens: joins its context's profile, if memory allows; and closes, without streams. */
void core_profile_device_opens(struct core_device *device);
void core_profile_device_closes(struct core_device *device);

/* ---- for streams (profile.c) ---- */

/* A stream is created: joins its device's profile, if memory allows. */
void core_stream_profile_join(struct core_stream *stream);

/* A stream begins to be part of a profile, or ends to. The caller has pinned it. Errors:
 * OUT_OF_HOST_MEMORY. */
int32_t core_stream_profile_begin(struct core_stream *stream, struct core_profile_part *part);
void core_stream_profile_end(struct core_stream *stream, const struct core_profile_part *part);

/* A call to the stream begins; only while the device has a profile. */
void core_stream_profile_call(struct core_stream *stream);

/* An operation is enqueued; only while the stream is PROFILED. */
void core_stream_profile_note(struct core_stream *stream, uint64_t value, const struct core_work *work);

/* A range begins or ends, within `depth` others. */
void core_stream_profile_push(struct core_stream *stream, const char *name, uint32_t depth, bool is_task);
void core_stream_profile_pop(struct core_stream *stream, uint32_t depth);

/* The stream has ended, and its backend's part goes: gives what it has to the profile. */
void core_stream_profile_retire(struct core_stream *stream);
void core_stream_profile_free(struct core_stream *stream);

#endif
