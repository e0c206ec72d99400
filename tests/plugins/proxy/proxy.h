/* The proxy: what its files share. control.h says what it is for.
 * SPDX-License-Identifier: MIT
 */
#ifndef PROXY_H
#define PROXY_H

#include <stdatomic.h>
#include <trireme/backend.h>

#include "control.h"

enum proxy_operation {
    PROXY_PROBE,
    PROXY_OPEN,
    PROXY_CLOSE,
    PROXY_DEVICE_COUNT,
    PROXY_GET_INFO,
    PROXY_DEVICE_OPEN,
    PROXY_DEVICE_CLOSE,
    PROXY_ALLOCATE,
    PROXY_FREE,
    PROXY_HOST_POINTER,
    PROXY_ADDRESS,
    PROXY_STREAM_CREATE,
    PROXY_STREAM_DESTROY,
    PROXY_COPY,
    PROXY_LAUNCH,
    PROXY_COPY_2D,
    PROXY_FILL,
    PROXY_MARK,
    PROXY_WAIT_STREAM,
    PROXY_GATE,
    PROXY_OPEN_GATES,
    PROXY_PREFETCH,
    PROXY_FLUSH,
    PROXY_QUERY,
    PROXY_WAIT,
    PROXY_WAIT_ANY,
    PROXY_NOTIFY,
    PROXY_ABANDON,
    PROXY_SUPPORTS,
    PROXY_LOAD,
    PROXY_UNLOAD,
    PROXY_KERNEL,
    PROXY_KERNEL_NAME,
    PROXY_STAMP_CREATE,
    PROXY_STAMP_DESTROY,
    PROXY_STAMP_RECORD,
    PROXY_STAMP_READ,
    PROXY_POOL_ALLOCATE,
    PROXY_POOL_FREE,
    PROXY_POOL_TRIM,
    PROXY_POOL_SET_THRESHOLD,
    PROXY_POOL_STATISTICS,
    PROXY_PEER_CAN_ACCESS,
    PROXY_PEER_COPY,
    PROXY_GRAPH_CREATE,
    PROXY_GRAPH_DESTROY,
    PROXY_GRAPH_LAUNCH,
    PROXY_GRAPH_UPDATE,
    PROXY_DEVICE_HANDLE,
    PROXY_STREAM_HANDLE,
    PROXY_MEMORY_HANDLE,
    PROXY_ADOPT,
    PROXY_MEMORY_CREATE,
    PROXY_MEMORY_EXPORT,
    PROXY_MEMORY_IMPORT,
    PROXY_SEMAPHORE_CREATE,
    PROXY_SEMAPHORE_IMPORT,
    PROXY_SEMAPHORE_EXPORT,
    PROXY_SEMAPHORE_DESTROY,
    PROXY_SEMAPHORE_VALUE,
    PROXY_SEMAPHORE_WAIT,
    PROXY_SEMAPHORE_SIGNAL,
    PROXY_STREAM_ADOPT,
    PROXY_MEMORY_ADOPT,
    PROXY_HAND_OVER,
    PROXY_EVENT_WAIT,
    PROXY_EVENT_RECORD,
    PROXY_IPC_CREATE,
    PROXY_IPC_EXPORT,
    PROXY_IPC_OPEN,
    PROXY_OPERATION_COUNT
};

enum proxy_object {
    PROXY_INSTANCE,
    PROXY_DEVICE,
    PROXY_MEMORY,
    PROXY_STREAM,
    PROXY_MODULE,
    PROXY_STAMP,
    PROXY_GRAPH,
    PROXY_SEMAPHORE,
    PROXY_OBJECT_COUNT
};

/* The wrapped backend: zeroed copies of its tables, so that a slot it lacks is NULL however short its tables
 * are. */
struct proxy_target {
    const struct trm_backend *backend; /* NULL: there is none, and `reason` says why */
    char reason[256];
    struct trm_device_ops device;
    struct trm_memory_ops memory;
    struct trm_stream_ops stream;
    struct trm_module_ops module;
    struct trm_pool_ops pool;
    struct trm_peer_ops peer;
    struct trm_profile_ops profile;
    struct trm_graph_ops graph;
    struct trm_interop_ops interop;
};

extern struct proxy_target proxy_target;

/* memory.c: whether the host can reach memory. Where it was left out, the device is not unified and has
 * DEVICE memory alone. */
int proxy_has_host_pointer(void);
int proxy_has_address(void);

struct trm_backend_instance {
    const struct trm_host *host;
    struct trm_backend_instance *target;
    _Atomic uint32_t devices;
};

struct trm_backend_device {
    struct trm_backend_instance *instance;
    struct trm_backend_device *target;
    _Atomic uint32_t children;
};

struct trm_backend_memory {
    struct trm_backend_device *device;
    struct trm_backend_memory *target;
    uint64_t size;
};

struct trm_backend_module {
    struct trm_backend_device *device;
    struct trm_backend_module *target;
};

struct trm_backend_stamp {
    struct trm_backend_device *device;
    struct trm_backend_stamp *target;
};

struct trm_backend_stream {
    struct trm_backend_device *device;
    struct trm_backend_stream *target;
    _Atomic uint32_t busy;    /* a thread is enqueueing */
    _Atomic uint64_t claimed; /* the highest number the core has used */
    _Atomic uint64_t
        forwarded; /* the highest number the target has taken; moves no more once the stream is broken */
    _Atomic uint64_t marked;

    /* An asynchronous fault. `broken` is written last. */
    uint64_t broken_at;     /* the first number that was lost */
    _Atomic int32_t broken; /* TRM_OK, or the failure */
    _Atomic uint32_t known; /* a call has reported the failure */
};

/* faults.c: rules, and what they say about a call. */

/* Count a call, and sleep if it is to be slow. The status it is to fail with, or TRM_OK. Where `host` is not
 * NULL the failure is explained. `async`, where not NULL, is written with the failure that the operation's
 * stream is to have, or TRM_OK. */
int32_t proxy_begin(const struct trm_host *host, enum proxy_operation operation, int32_t *async);
void proxy_faults_from_environment(void);

/* Whether a comma-separated list holds a word, or "all". */
int proxy_list_has(const char *list, const char *word);

/* ledger.c: counts, and what the core did wrong. */
void proxy_created(enum proxy_object object);
void proxy_destroyed(enum proxy_object object);
void proxy_breach(const char *sentence);
uint64_t proxy_count_created(const char *object);
uint64_t proxy_count_destroyed(const char *object);
uint64_t proxy_count_breaches(char *first, uint64_t capacity);

/* device.c: a device of the target's. On a failure it stays the caller's. */
int32_t proxy_device_wrap(struct trm_backend_instance *instance, struct trm_backend_device *target,
                          struct trm_backend_device **device);

/* memory.c: an object of the proxy's own, zeroed; NULL (explained) when there is no memory. */
void *proxy_new(const struct trm_host *host, uint64_t size);
int32_t proxy_memory_wrap(struct trm_backend_device *device, struct trm_backend_memory *target, uint64_t size,
                          struct trm_backend_memory **memory);
void proxy_memory_unwrap(struct trm_backend_memory *memory);
void proxy_check_range(const struct trm_backend_memory *memory, uint64_t offset, uint64_t size);

/* stream.c: one enqueueing call of the core, from enter to leave. */
struct proxy_turn {
    int32_t status;  /* the answer, where it is not forwarded */
    int32_t forward; /* 1: the target is to be called, and its answer is the status */
    uint64_t before; /* the highest number used before; a call that fails uses none */
};

struct proxy_turn proxy_stream_enter(struct trm_backend_stream *stream, uint64_t value,
                                     enum proxy_operation operation);
int32_t proxy_stream_leave(struct trm_backend_stream *stream, uint64_t value, struct proxy_turn turn);
void proxy_stream_break(struct trm_backend_stream *stream, uint64_t value, int32_t status);
int proxy_stream_lost(struct trm_backend_stream *stream, uint64_t value);
int32_t proxy_stream_failure(struct trm_backend_stream *stream);

/* A stream without a target yet, or NULL; and what becomes of it as the target has answered. */
struct trm_backend_stream *proxy_stream_new(struct trm_backend_device *device);
int32_t proxy_stream_made(struct trm_backend_stream *made, int32_t status,
                          struct trm_backend_stream **stream);

int32_t proxy_stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                            struct trm_backend_stream **stream);
void proxy_stream_destroy(struct trm_backend_stream *stream);

/* enqueue.c: what an operation is for the target. The ranges are checked. */
void proxy_translate_copy(const struct trm_backend_device *device, const struct trm_copy_desc *desc,
                          struct trm_copy_desc *theirs);
void proxy_translate_copy_2d(const struct trm_backend_device *device, const struct trm_copy_2d_desc *desc,
                             struct trm_copy_2d_desc *theirs);
void proxy_translate_fill(const struct trm_fill_desc *desc, struct trm_fill_desc *theirs);
/* `arguments` has room for as many as there are. */
void proxy_translate_launch(const struct trm_launch_desc *desc, struct trm_launch_argument *arguments,
                            struct trm_launch_desc *theirs);

/* enqueue.c: whether the core can submit. */
int proxy_has_flush(void);

/* wait.c: the functions of the stream table that any thread may call. */
int32_t proxy_stream_flush(struct trm_backend_stream *stream);
int32_t proxy_stream_query(struct trm_backend_stream *stream, uint64_t *completed);
int32_t proxy_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);
int32_t proxy_stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                              uint32_t count, uint64_t timeout_ns, uint32_t *which);
int32_t proxy_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                            void *user);
void proxy_stream_abandon(struct trm_backend_stream *stream, int32_t status);

/* The tables, with what the target lacks and what `without` names left out. */
const struct trm_device_ops *proxy_device_table(void);
const struct trm_memory_ops *proxy_memory_table(const char *without);
const struct trm_stream_ops *proxy_stream_table(const char *without);
const struct trm_module_ops *proxy_module_table(const char *without);
const struct trm_profile_ops *proxy_profile_table(const char *without);
const struct trm_pool_ops *proxy_pool_table(const char *without);
const struct trm_peer_ops *proxy_peer_table(const char *without);
const struct trm_graph_ops *proxy_graph_table(const char *without);
const struct trm_interop_ops *proxy_interop_table(const char *without);
const struct trm_range_ops *proxy_range_table(void); /* NULL while the target has none */

/* faults.c; exported beside the query, so that a test can find it. */
extern TRM_API const struct proxy_control proxy_control;

#endif
