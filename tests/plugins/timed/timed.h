/* The timed backend: a device with memory of its own whose operations take times that are known, for tests of
 * overlap, reports and predictions. What its files share.
 *
 * Made of a copy of backends/template, as any third party would. It has three engines (upload, compute,
 * download), each of which does one operation at a time. Time is computed, not measured: an operation begins
 * when its engine is free and what it waits for is done, and ends when it has taken its time; its effect
 * (bytes moved, a kernel run) comes at the end, and a thread sleeps until then. A thread that wakes late does
 * not delay the device: the next operation is computed from the time at which the last one should have
 * ended. Stamps hold the computed times.
 *
 * What has no time of its own takes as long as it takes. Settings, all 0 when they are not given:
 *
 *     timed.upload_ns, timed.download_ns         nanoseconds of each copy from, and to, the host
 *     timed.upload_speed, timed.download_speed   bytes a second that such copies travel besides; 0: no time
 *     timed.launch_ns                            nanoseconds of each launch; a kernel with a scalar parameter
 *                                                called "ns" takes as long as that says
 *     timed.pageable_ns nanoseconds that a copy takes besides where it is of plain memory timed.enqueue_ns
 *     nanoseconds for which enqueueing a launch keeps the caller timed.wake_ns nanoseconds by which a thread
 *     that slept for the device wakes
 *                                                late, as on a busy machine
 *     timed.no_import                            1: memory of the program cannot be imported
 *     timed.memory                               bytes of the device; 0: as many as the machine has
 *     timed.devices                              devices, each with engines of its own; 0: one
 *     timed.shared_ns nanoseconds that a copy takes besides where another device copies
 *                                                in the same direction when it begins
 *
 * Streams with a role are on the engine of that role, operations of others on the engine of their kind.
 * SPDX-License-Identifier: MIT
 */
#ifndef TIMED_H
#define TIMED_H

#include <pthread.h>
#include <stdatomic.h>

#include <trireme/backend.h>
#include <trireme/cpu_kernel.h>

enum timed_limits {
    TIMED_MAX_ARGUMENTS    = 64,
    TIMED_MAX_GROUP_ITEMS  = 1024,
    TIMED_MAX_SHARED_BYTES = 64 * 1024,
    TIMED_BUFFER_ALIGNMENT = 64,
    TIMED_MAX_DEVICES      = 16,
};

enum timed_engine_kind {
    TIMED_UPLOAD,
    TIMED_COMPUTE,
    TIMED_DOWNLOAD,
    TIMED_ENGINES
};

struct timed_settings {
    uint64_t copy_ns[TIMED_ENGINES]; /* nothing under TIMED_COMPUTE: copies on the device take no time */
    uint64_t speed[TIMED_ENGINES];
    uint64_t launch_ns, pageable_ns, enqueue_ns, wake_ns;
    uint64_t no_import;
    uint64_t memory;
    uint64_t devices, shared_ns;
};

/* A notification for when a stream reaches `value`. */
struct timed_notice {
    struct timed_notice *next;
    uint64_t value;
    trm_notify_fn notify;
    void *user;
    int32_t status;
};

struct trm_backend_instance {
    const struct trm_host *host; /* lives until close() has returned */
    struct timed_settings settings;
    _Atomic uint64_t used;   /* bytes of DEVICE memory */
    pthread_mutex_t unit;    /* the one compute unit: held while a kernel runs */
    pthread_mutex_t lock;    /* guards all that follows, and all streams and engines */
    pthread_cond_t progress; /* a stream has got on, or failed */
    pthread_cond_t news;     /* there is something in `due`, or `closing` is set */
    pthread_t teller;        /* tells notices when no engine does */
    int closing;
    struct timed_notice *due, **last_due; /* to be told */
    struct timed_notice *spare;
    struct trm_backend_stream *todo; /* streams that may be able to get on */
    /* For each direction, until when each device copies. */
    uint64_t copies_until[TIMED_ENGINES][TIMED_MAX_DEVICES];
};

struct timed_engine {
    struct trm_backend_device *device;
    pthread_t thread;
    pthread_cond_t work;
    struct trm_backend_stream *ready; /* whose first operation could begin; the earliest first */
    uint64_t free_at;                 /* when the last operation ended */
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
    uint32_t index;
    struct timed_engine engines[TIMED_ENGINES];
    int closing;
};

struct trm_backend_memory {
    struct trm_backend_device *device;
    unsigned char *bytes;
    uint64_t size;
    int32_t kind; /* enum trm_memory_kind */
};

struct trm_backend_stamp {
    struct trm_backend_device *device;
    uint64_t time;
};

struct timed_failure {
    int32_t status; /* TRM_OK: none */
    int64_t native_code;
    char sentence[160];
};

enum timed_operation_kind {
    TIMED_COPY,
    TIMED_LAUNCH,
    TIMED_STAMP,
    TIMED_WAIT,
    TIMED_GATE,
};

struct timed_operation {
    struct timed_operation *next; /* on its stream, or among the spare ones */
    struct trm_backend_stream *stream;
    enum timed_operation_kind kind;
    uint64_t value;
    /* not before: when it was enqueued, when its gate was opened, when what it waits for was done */
    uint64_t ready;
    enum timed_engine_kind engine; /* copies and launches */
    uint64_t duration;

    int open;                            /* waits and gates: the stream may pass */
    struct trm_backend_stream *other;    /* waits that are not open: whom for; */
    uint64_t other_value;                /* until then it is in the list other->waiters */
    struct timed_operation *next_waiter; /* there */
    struct timed_failure failure;        /* waits: of the other one */

    struct trm_backend_stamp *stamp;
    unsigned char *destination;
    const unsigned char *source;
    uint64_t size;
    struct trm_launch_desc launch; /* its arguments are in the block */
    _Alignas(16) unsigned char block[TIMED_MAX_ARGUMENTS * sizeof(struct trm_cpu_buffer)];
};

struct trm_backend_stream {
    struct trm_backend_device *device;
    int32_t role;

    struct timed_operation *first, *last, *spare;
    uint64_t completed;
    uint64_t time;  /* when the last one of them ended */
    uint64_t gates; /* open up to here */
    int offered;    /* its first operation is in a list of ready ones, or */
    int executing;  /* at work, with the lock let go */
    int32_t abandoned;
    struct timed_failure failure;
    struct timed_operation *waiters; /* of other streams, for this one */
    struct timed_notice *notices;
    struct trm_backend_stream *next_ready;
    uint64_t ready; /* of the first operation, once it is offered */
    struct trm_backend_stream *next_todo;
    int in_todo;
};

extern const struct trm_device_ops timed_device_ops;
extern const struct trm_memory_ops timed_memory_ops;
extern const struct trm_stream_ops timed_stream_ops;
extern const struct trm_module_ops timed_module_ops;
extern const struct trm_profile_ops timed_profile_ops;

/* backend.c */
void *timed_new(const struct trm_host *host, uint64_t size); /* zeroed; explained when there is no memory */
uint64_t timed_now(void);
void timed_sleep_until(uint64_t time);
int timed_thread(pthread_t *thread, void *(*run)(void *), void *user); /* one that takes no signals */
void timed_condition(pthread_cond_t *condition);                       /* by CLOCK_MONOTONIC */

/* engine.c: threads that do operations. */
int32_t timed_engines_start(struct trm_backend_device *device);
void timed_engines_stop(struct trm_backend_device *device);

/* All with the instance's lock held. */
void timed_engine_offer(struct trm_backend_stream *stream);
void timed_engine_withdraw(struct trm_backend_stream *stream);

/* progress.c: how streams get on. All with the instance's lock held. */
void timed_stream_touch(struct trm_backend_stream *stream); /* it may be able to get on */
void timed_settle(struct trm_backend_instance *instance);   /* let all of them get as far as they can */
void timed_stream_finish(struct trm_backend_stream *stream, uint64_t at); /* its first operation has ended */
void timed_stream_fail(struct trm_backend_stream *stream, const struct timed_failure *failure);
void timed_notice_due(struct trm_backend_instance *instance, struct timed_notice *notice, int32_t status);
void timed_tell(struct trm_backend_instance *instance); /* lets go of the lock meanwhile */

/* enqueue.c */
int32_t timed_stream_copy(struct trm_backend_stream *stream, uint64_t value,
                          const struct trm_copy_desc *desc);
int32_t timed_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_launch_desc *desc);
int32_t timed_stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                 struct trm_backend_stream *other, uint64_t other_value);
int32_t timed_stream_gate(struct trm_backend_stream *stream, uint64_t value);
void timed_stream_open_gates(struct trm_backend_stream *stream, uint64_t value);
int32_t timed_stamp_record(struct trm_backend_stream *stream, uint64_t value,
                           struct trm_backend_stamp *stamp);

/* module.c: the nanoseconds that a launch says by itself, else those of the settings; the arguments of a
 * launch as a block; running it: what the kernel returned. */
uint64_t timed_launch_duration(const struct trm_backend_device *device, const struct trm_launch_desc *desc);
void timed_launch_pack(const struct trm_launch_desc *desc, unsigned char *block);
int32_t timed_launch_run(struct trm_backend_device *device, const struct timed_operation *operation);

#endif
