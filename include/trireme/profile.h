/* Trireme: profiles. A profile counts and times what the streams of a device do, or those of all devices of a
 * context, also of programs that use streams directly.
 *
 * While a profile is on, every operation of every stream is counted, and a timestamp behind an operation
 * tells when it ended. An operation begins when the one before it on its stream ends, or when its call began
 * if that was later; so it includes what the device needs to start it. Backends without timestamps are
 * counted only. Operations that the library enqueues for a pipeline or a coordinator count too. Without a
 * profile an operation costs an instruction more.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * profile     the profile, or for trm_profile_begin() receives it
 * Blocks      no
 * Threads     any
 * Ownership   a profile of a device keeps the device alive, one of a context the context alone
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_PROFILE_H
#define TRIREME_PROFILE_H

#include <trireme/api.h>
#include <trireme/context.h>
#include <trireme/device.h>
#include <trireme/report.h>
#include <trireme/stream.h>

TRM_API_BEGIN

struct trm_profile;

/* An interval: operations are counted, and no times are taken, which costs the least. */
#define TRM_PROFILE_COUNTED UINT32_MAX

struct trm_profile_desc {
    uint32_t struct_size;
    /* n: one in n operations of a stream is timed, with a timestamp before and behind it; so 1 and 2 time
     * all. 0: as many as take at most a twentieth of the time of the thread that enqueues */
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

/* Begin to profile all devices of a context, also those that are opened later. What a device did is kept when
 * it closes.
 *
 * context     the context
 * desc        as above
 * Ownership   as above
 * Errors      BUSY when the context or one of its devices has a profile that has not ended
 */
TRM_API int32_t trm_profile_begin_context(struct trm_context *context, const struct trm_profile_desc *desc,
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

/* Times of operations, in nanoseconds: so many per cent took no longer. Percentiles are those of a histogram,
 * and at most a fourth more than the exact ones; 0: none was timed. */
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
    uint32_t device;                     /* its index in the profile */
    uint32_t wait_count;                 /* how many different things it waited for */
    char name[32];                       /* trm_stream_set_name(); "": it has none */
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

enum trm_profile_wait_kind {
    TRM_PROFILE_WAIT_STREAM    = 0, /* for a point of another stream */
    TRM_PROFILE_WAIT_EVENT     = 1, /* for an event, which held a point of another stream */
    TRM_PROFILE_WAIT_CALLBACK  = 2, /* for a function of the host in the stream itself */
    TRM_PROFILE_WAIT_SEMAPHORE = 3,
    TRM_PROFILE_WAIT_NATIVE    = 4, /* for an event of the driver's */
};

/* What a stream waited for. */
struct trm_profile_wait {
    uint32_t struct_size;
    int32_t kind;     /* enum trm_profile_wait_kind */
    uint32_t stream;  /* number of the other stream; 0: none */
    uint32_t event;   /* number of the event; 0: none */
    uint64_t count;   /* waits */
    uint64_t timed;   /* waits with times */
    uint64_t wait_ns; /* how long it stood still; scaled as busy_ns */
};

/* Get one of the things that a stream waited for, the one that took the longest first.
 *
 * stream      index of the stream
 * index       less than the stream's wait_count
 * wait        the caller sets its struct_size
 * Errors      BUSY for a profile that has not ended; OUT_OF_RANGE
 */
TRM_API int32_t trm_profile_get_wait(struct trm_profile *profile, uint32_t stream, uint32_t index,
                                     struct trm_profile_wait *wait);

/* The launches of kernels of one name, on all streams. */
struct trm_profile_kernel {
    uint32_t struct_size;
    uint32_t reserved;
    char name[64]; /* cut where it is longer */
    uint64_t count;
    uint64_t timed;
    uint64_t busy_ns; /* scaled from the timed launches to all */
};

/* Get the launches of one kernel, those that took the longest first. Launches inside a graph of the backend's
 * are not known by name.
 *
 * index       from 0 until OUT_OF_RANGE
 * kernel      the caller sets its struct_size
 * Errors      BUSY for a profile that has not ended; OUT_OF_RANGE
 */
TRM_API int32_t trm_profile_get_kernel(struct trm_profile *profile, uint32_t index,
                                       struct trm_profile_kernel *kernel);

/* All devices of a profile together: an index for trm_profile_get_device(). */
#define TRM_PROFILE_ALL UINT32_MAX

/* What a device did, or all devices together. */
struct trm_profile_device {
    uint32_t struct_size;
    uint32_t streams; /* that enqueued something */
    char id[64];      /* such as "cuda:1"; "all" of several devices together */
    uint64_t operations;
    uint64_t timed;
    uint64_t count[TRM_PROFILE_WORKS];
    uint64_t bytes[TRM_PROFILE_WORKS];
    uint64_t busy_ns[TRM_PROFILE_WORKS]; /* the sums of the streams */
    uint64_t wall_ns;                    /* of the profile, or while the device was open */
    uint64_t peak_bytes;
    /* The rest is 0 where not every operation is known with its times. */
    uint64_t active_ns;  /* the time in which at least one stream was busy */
    uint64_t kernels_ns; /* the time in which at least one kernel ran */
    uint64_t copies_ns;  /* the time in which at least one copy or fill ran */
    uint64_t overlap;    /* the busy time of all streams / active_ns, in thousandths */
};

/* Get what one device did.
 *
 * index       from 0 until OUT_OF_RANGE, in the order in which the profile met them; or TRM_PROFILE_ALL
 * device      the caller sets its struct_size
 * Errors      BUSY for a profile that has not ended; OUT_OF_RANGE
 */
TRM_API int32_t trm_profile_get_device(struct trm_profile *profile, uint32_t index,
                                       struct trm_profile_device *device);

/* ---- ranges: what a program calls its own operations ---- */

/* Begin a range of a stream: what is enqueued until the matching trm_range_pop() belongs to it. Ranges nest.
 * Profiles add up each range, and traces show it around its operations; a profile that begins within a range
 * does not know it. Where a backend has ranges for profilers (cuda: NVTX), a profiler sees it as a range of
 * the calling thread. A range around one operation names it.
 *
 * stream      the stream
 * name        of the range; copied
 * Threads     the stream's: as for enqueueing
 * Errors      INVALID_ARGUMENT when name is NULL; not those of the stream's work
 */
TRM_API int32_t trm_range_push(struct trm_stream *stream, const char *name);

/* End the range that was begun last.
 *
 * stream      the stream
 * Threads     as above; where profilers matter, the thread that began the range
 * Errors      INVALID_ARGUMENT when the stream is in no range
 */
TRM_API int32_t trm_range_pop(struct trm_stream *stream);

/* The ranges of one name, on all streams. */
struct trm_profile_range {
    uint32_t struct_size;
    uint32_t reserved;
    char name[64];       /* cut where it is longer */
    uint64_t count;      /* how often it was begun */
    uint64_t operations; /* with times; those of ranges within it too */
    uint64_t busy_ns;    /* of these operations, without waits */
    uint64_t span_ns;    /* from the beginning of the first to the end of the last, of each range */
};

/* Get the ranges of one name, those with the longest spans first.
 *
 * index       from 0 until OUT_OF_RANGE
 * range       the caller sets its struct_size
 * Errors      BUSY for a profile that has not ended; OUT_OF_RANGE
 */
TRM_API int32_t trm_profile_get_range(struct trm_profile *profile, uint32_t index,
                                      struct trm_profile_range *range);

enum trm_profile_advice_kind {
    TRM_PROFILE_ADVICE_AHEAD         = 1, /* enqueue a round of work before the last one is done */
    TRM_PROFILE_ADVICE_STREAMS       = 2, /* a stream each for uploads, kernels and downloads */
    TRM_PROFILE_ADVICE_STREAMS_AHEAD = 3, /* both */
};

/* What would make a stream be done earlier. A round is what the stream does again and again: uploads,
 * kernels, downloads. */
struct trm_profile_advice {
    uint32_t struct_size;
    int32_t kind;       /* enum trm_profile_advice_kind */
    uint32_t stream;    /* its number */
    uint32_t device;    /* the device's index in the profile */
    uint32_t streams;   /* that the work takes then */
    uint32_t buffers;   /* of each kind that are used in turn then */
    double gain;        /* from the first call to the last end: the time now / the time then; at least 1.05 */
    char sentence[256]; /* without the gain */
};

/* Get advice about a device. There is none where operations are not known with their times, where the device
 * shares the host's memory, where several streams share its work, and where nothing gains 5 %.
 *
 * index       from 0 until OUT_OF_RANGE
 * advice      the caller sets its struct_size
 * Errors      BUSY for a profile that has not ended; OUT_OF_RANGE
 */
TRM_API int32_t trm_profile_get_advice(struct trm_profile *profile, uint32_t index,
                                       struct trm_profile_advice *advice);

enum trm_profile_format {
    TRM_PROFILE_TEXT = 0, /* 80 columns, to be read by people */
    TRM_PROFILE_JSON = 1, /* one object; members are only added from version to version */
    /* JSON for Perfetto or chrome://tracing, on the clock CLOCK_MONOTONIC: a track for each stream,
     * operations by the names of their kernels, waits by what they wait for. The object of TRM_PROFILE_JSON
     * is its member "profile". */
    TRM_PROFILE_TRACE = 2,
};

/* Write an ended profile, by a function or into a file.
 *
 * format      enum trm_profile_format
 * write       the function
 * user        its first argument
 * path        of the file, which is replaced; a descriptor (/dev/stdout, /dev/fd/3) is written from its
 *             position on
 * Blocks      while it is written
 * Errors      BUSY for a profile that has not ended; INVALID_ARGUMENT for an unknown format, no function or
 *             no path; IO for the file; what `write` returns
 */
TRM_API int32_t trm_profile_write(struct trm_profile *profile, int32_t format, trm_write_fn write,
                                  void *user);
TRM_API int32_t trm_profile_write_file(struct trm_profile *profile, int32_t format, const char *path);

TRM_API_END

#endif
