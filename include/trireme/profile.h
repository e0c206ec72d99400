/* Trireme: profiles. A profile counts and times what the streams of a device do, also of programs that use
 * streams directly.
 *
 * While a profile is on, every operation of every stream is counted, and a timestamp behind an operation tells
 * when it ended. An operation begins when the one before it on its stream ends, or when its call began if that
 * was later; so it includes what the device needs to start it. Backends without timestamps are counted only.
 * Operations that the library enqueues for a pipeline or a coordinator count too. Without a profile an
 * operation costs one instruction more.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * profile     the profile, or for trm_profile_begin() receives it
 * Blocks      no
 * Threads     any
 * Ownership   a profile keeps its device alive
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_PROFILE_H
#define TRIREME_PROFILE_H

#include <trireme/api.h>
#include <trireme/device.h>
#include <trireme/report.h>

TRM_API_BEGIN

struct trm_profile;

struct trm_profile_desc {
    uint32_t struct_size;
    /* every which operation of a stream is timed; 1 or 2: all. 0: as many as take at most a twentieth of the time
     * of the thread that enqueues */
    uint32_t interval;
};

/* Begin to profile a device: all its streams, also those that are created later.
 *
 * device      the device
 * desc        NULL: an interval of 0
 * Ownership   the caller destroys the profile with trm_profile_destroy()
 * Errors      BUSY when the device has a profile that has not ended
 */
TRM_API int32_t trm_profile_begin(struct trm_device *device, const struct trm_profile_desc *desc,
                                  struct trm_profile **profile);

/* End a profile, which then keeps what it knows. A second call does nothing.
 *
 * Blocks      until what the streams have enqueued is done; not for a stream in one of whose callbacks it is
 *             called, whose last operations are then not timed
 */
TRM_API int32_t trm_profile_end(struct trm_profile *profile);

/* Destroy a profile; ends it.
 *
 * Blocks      as trm_profile_end()
 */
TRM_API void trm_profile_destroy(struct trm_profile *profile);

enum trm_profile_work {
    TRM_PROFILE_UPLOAD   = 0, /* host to device */
    TRM_PROFILE_DOWNLOAD = 1, /* device to host */
    TRM_PROFILE_COPY     = 2, /* on a device, or between devices */
    TRM_PROFILE_FILL     = 3,
    TRM_PROFILE_LAUNCH   = 4,
    TRM_PROFILE_GRAPH    = 5,
    TRM_PROFILE_WAIT     = 6, /* for another stream, a callback or a semaphore */
    TRM_PROFILE_WORKS    = 7,
};

/* Times of operations, in nanoseconds; percentiles are exact to a fourth of their value. */
struct trm_profile_times {
    uint64_t p50_ns;
    uint64_t p99_ns;
};

struct trm_profile_stream {
    uint32_t struct_size;
    uint32_t number;                     /* of the stream, as in the log */
    uint64_t operations;                 /* all of `count` */
    uint64_t timed;                      /* operations with times */
    uint64_t count[TRM_PROFILE_WORKS];   /* operations, by enum trm_profile_work */
    uint64_t bytes[TRM_PROFILE_WORKS];   /* that copies and fills moved; not of images and graphs */
    uint64_t busy_ns[TRM_PROFILE_WORKS]; /* from beginning to end; scaled from the timed ones to all */
    uint64_t span_ns;                    /* from the first call to the last end */
    uint64_t idle_ns;                    /* of it, neither busy nor waiting */
    uint64_t peak_bytes;                 /* the most memory of the device's buffers at an operation */
    struct trm_profile_times queued;     /* from the call to the beginning */
    struct trm_profile_times ran;        /* from the beginning to the end, without waits */
};

/* Get how many streams of an ended profile enqueued something.
 *
 * count       receives the number
 * Errors      BUSY for a profile that has not ended
 */
TRM_API int32_t trm_profile_stream_count(struct trm_profile *profile, uint32_t *count);

/* Get what one of these streams did. They are numbered in the order of their first calls.
 *
 * index       less than the number of streams
 * stream      the caller sets its struct_size
 * Errors      BUSY for a profile that has not ended; OUT_OF_RANGE
 */
TRM_API int32_t trm_profile_get_stream(struct trm_profile *profile, uint32_t index,
                                       struct trm_profile_stream *stream);

enum trm_profile_format {
    TRM_PROFILE_TEXT = 0, /* 80 columns, to be read by people */
    TRM_PROFILE_JSON = 1, /* one object; members are only added from version to version */
    /* JSON for Perfetto or chrome://tracing, on the clock CLOCK_MONOTONIC: a track for each stream */
    TRM_PROFILE_TRACE = 2,
};

/* Write an ended profile, by a function or into a file.
 *
 * format      enum trm_profile_format
 * write       the function
 * user        its first argument
 * path        of the file, which is replaced
 * Blocks      while it is written
 * Errors      BUSY for a profile that has not ended; INVALID_ARGUMENT for an unknown format, no function or no
 *             path; IO for the file; what `write` returns
 */
TRM_API int32_t trm_profile_write(struct trm_profile *profile, int32_t format, trm_write_fn write,
                                  void *user);
TRM_API int32_t trm_profile_write_file(struct trm_profile *profile, int32_t format, const char *path);

TRM_API_END

#endif
