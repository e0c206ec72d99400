/* Profiles of a device: what its streams did, and when.
 *
 * A stream that is profiled counts its operations and records a timestamp behind each one that is timed. In a
 * stream, an operation begins when the one before it ends, or when its call began if that was later. So a
 * timestamp is the end of one operation and the earliest beginning of the next.
 *
 * Locks: profile->lock and a stream's own; both are leaves but for the backend, which is called under the
 * stream's own. A stream gives its results to the profile when it ends, or when the profile does.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_PROFILE_H
#define CORE_STREAM_PROFILE_H

#include <pthread.h>
#include <stdbool.h>

#include "core/stream/stream_object.h"

/* Records that a stream keeps for the trace. */
#define CORE_PROFILE_RECORDS 65536u

/* Times by powers of two, each divided into four; CORE_PROFILE_TIMES / 4 powers. */
#define CORE_PROFILE_TIMES 160u

/* A timed operation; nanoseconds of CLOCK_MONOTONIC. */
struct core_profile_record {
    uint64_t called, begin, end;
    uint64_t bytes;
    enum core_work_kind kind;
};

/* What one stream did. */
struct core_profile_result {
    struct core_profile_result *next;
    uint32_t number; /* of the stream's object */
    uint64_t count[CORE_WORK_KINDS], bytes[CORE_WORK_KINDS];
    uint64_t timed[CORE_WORK_KINDS], busy_ns[CORE_WORK_KINDS];
    uint64_t first_ns, last_ns;              /* the first call, the last end; 0: none */
    uint64_t peak_bytes;                     /* of the device's buffers, at an operation */
    uint32_t queued[CORE_PROFILE_TIMES + 1]; /* from the call to the beginning, by core_profile_slot() */
    uint32_t ran[CORE_PROFILE_TIMES + 1];    /* from the beginning to the end, without waits */
    struct core_profile_record *records;
    uint32_t record_count, record_capacity;
};

struct core_profile {
    struct core_object object;
    struct core_device *device; /* holds a reference */
    uint32_t interval;          /* every which operation is timed; 0: as many as cost little */
    uint64_t begun;
    _Atomic uint64_t ended; /* 0: it is on */
    pthread_mutex_t lock;   /* guards the list */
    struct core_profile_result *results;
};

/* The slot of a time, and the lowest time of a slot. */
uint32_t core_profile_slot(uint64_t nanoseconds);
uint64_t core_profile_slot_time(uint32_t slot);

/* Begins or ends profiling all streams of the device, also those that are created meanwhile. Ending waits for
 * what is enqueued. Errors: BUSY when the device has a profile; OUT_OF_HOST_MEMORY, then none is begun. */
int32_t core_profile_begin(struct core_profile *profile);
void core_profile_end(struct core_profile *profile);
void core_profile_free_results(struct core_profile *profile);

/* ---- for streams ---- */

/* A stream is created: joins its device's profile, if memory allows. */
void core_stream_profile_join(struct core_stream *stream);

/* A call to the stream begins; only while the device has a profile. */
void core_stream_profile_call(struct core_stream *stream);

/* An operation is enqueued; only while the stream is PROFILED. */
void core_stream_profile_note(struct core_stream *stream, uint64_t value, const struct core_work *work);

/* The stream has ended, and its backend's part goes: gives what it has to the profile. */
void core_stream_profile_retire(struct core_stream *stream);
void core_stream_profile_free(struct core_stream *stream);

#endif
