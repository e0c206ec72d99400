/* What all files of the stand-in for CUDA's driver share.
 *
 * There is one lock. Every call of the driver takes it (enter…) and gives it back (leave); threads that do
 * work hold it but for the work itself. Everything below that says nothing else is called with the lock held.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STANDIN_STANDIN_H
#define CUDA_STANDIN_STANDIN_H

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "tests/standin/control.h"
#include "tests/standin/functions.h"

#define STANDIN_DEVICES_MOST 16
/* The first bytes of memory are garbage when it is allocated and when a pool gets it back. The rest is zero
 * or as it was: filling all of it took half the time of the tests that make calls fail. */
#define STANDIN_GARBAGE 0xfd
#define STANDIN_GARBAGE_BYTES (UINT64_C(1) << 20)
#define STANDIN_MULTIPROCESSORS 4
#define STANDIN_SHARED_BYTES (227 * 1024) /* of a group, when it asks */
#define STANDIN_POISON 0xfb               /* and after it was given back in a stream's order */

/* ---- configuration (config.c) */

struct standin_config {
    int devices, workers, driver;
    uint64_t memory; /* of each device */
    bool peers, managed, pools, needs_context, strict;
    int major, minor;
    uint64_t delay_ns;
    char name[64];
    char missing[4000]; /* names between commas */
};

extern struct standin_config standin_config;

int standin_configure(const char *text);
bool standin_is_missing(const char *symbol, const char *name);

/* ---- the lock and calls (call.c) */

void standin_lock(void);
void standin_unlock(void);
/* Waits for a change of anything; gives the lock back meanwhile. */
void standin_wait(void);
void standin_changed(void);
/* Waits for another condition, until a time of CLOCK_MONOTONIC or for ever (NULL). */
void standin_wait_for(pthread_cond_t *condition, const struct timespec *until);

struct context;
struct stream;

/* Each begins a call and takes the lock: counts it, and answers what makes it fail, in which case the lock is
 * not held. */
CUresult enter_uninitialized(enum standin_function function);
CUresult enter(enum standin_function function);
/* The current context, which may have failed. */
CUresult enter_current(enum standin_function function, struct context **current);
/* The current context, and the error that sticks to it where there is one. */
CUresult enter_working(enum standin_function function, struct context **current);
/* A stream and its context, which need not be the current one; NULL is the current context's own. */
CUresult enter_stream(enum standin_function function, CUstream handle, struct context **current,
                      struct stream **stream);
/* Ends a call: gives back the lock. */
CUresult leave(CUresult result);

/* ---- faults (fault.c) */

const char *standin_function_name(enum standin_function function);
/* CUDA_SUCCESS, or what a rule says. Takes no lock of the stand-in's. */
CUresult standin_count_call(enum standin_function function);
int standin_arm(const char *rule);
int standin_fail_work(const char *rule);
/* What a rule says of an operation that begins now. */
CUresult standin_count_work(const char *kind);
bool standin_is_sticky(CUresult result);
uint64_t standin_failures(void);
const char *standin_failed_function(void);
uint64_t standin_calls(const char *name);
const char *standin_launched(void); /* launch.c */
uint64_t standin_fallible_calls(void);

/* ---- what lives (ledger.c) */

enum object_kind {
    OBJECT_CONTEXT,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_MODULE,
    OBJECT_FUNCTION,
    OBJECT_GRAPH,
    OBJECT_NODE,
    OBJECT_GRAPH_EXECUTABLE,
    OBJECT_POOL,
    OBJECT_MEMORY_HANDLE,
    OBJECT_EXTERNAL_MEMORY,
    OBJECT_EXTERNAL_SEMAPHORE,
    OBJECT_TEXTURE,
    OBJECT_KIND_COUNT
};

/* The first member of everything that has a handle. Handles are never used again. */
struct object {
    enum object_kind kind;
    uint64_t handle;
    struct context *context; /* NULL: of no context */
    struct object *next;
};

void object_begin(struct object *object, enum object_kind kind, struct context *context);
void object_end(struct object *object);
/* NULL, and a breach, where it does not live. */
void *object_find(enum object_kind kind, const void *handle);
void *object_find_quietly(enum object_kind kind, const void *handle);
/* Any object of a context, or NULL. */
struct object *object_of_context(enum object_kind kind, const struct context *context);
uint64_t object_count(enum object_kind kind);

static inline void *object_handle(const struct object *object)
{
    return (void *)(uintptr_t)object->handle; // NOLINT(performance-no-int-to-ptr)
}

void standin_breach(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t standin_breaches(char *first, uint64_t capacity);
void standin_forget_breaches(void);

/* ---- devices and contexts (device.c, context.c) */

struct pool;

struct device {
    int ordinal;
    uint64_t used; /* bytes */
    struct context *primary;
    uint32_t primary_count;
    struct pool *pool; /* the default one */
    uint64_t arena, arena_next;
    struct range *ranges; /* that are taken, in order */
    size_t range_count, range_capacity;
};

struct context {
    struct object object;
    struct device *device;
    bool is_primary;
    bool is_ending;        /* what is queued is dropped */
    CUresult sticky;       /* CUDA_SUCCESS, or what every call answers */
    uint32_t peers;        /* bits: devices whose memory it may reach */
    struct stream *legacy; /* the stream whose handle is NULL */
};

/* NULL: there is none. */
struct device *device_of(CUdevice ordinal);
/* CUDA_SUCCESS once cuInit() has worked in this process. */
CUresult device_initialized(void);
/* Is this process the child of one in which it has? Takes no lock. */
bool device_is_forked(void);
/* The current context of the calling thread; NULL: none. */
CUresult context_current(struct context **context);
/* From now on its calls answer so. */
void context_fail(struct context *context, CUresult result);
CUresult context_destroy(struct context *context);
/* Waits until nothing of it is under way. */
void context_drain(struct context *context);

/* ---- memory (memory.c, span.c) */

enum span_kind {
    SPAN_DEVICE,
    SPAN_POOL,
    SPAN_PINNED,
    SPAN_REGISTERED,
    SPAN_MANAGED,
    SPAN_MAPPED,   /* cuMemMap */
    SPAN_EXTERNAL, /* cuExternalMemoryGetMappedBuffer */
    SPAN_OPENED    /* cuIpcOpenMemHandle */
};

/* A range of addresses that CUDA knows. */
struct span {
    uint64_t address, size;
    enum span_kind kind;
    struct context *context; /* NULL: of none */
    struct device *device;   /* NULL: the host's */
    uint64_t mapped;         /* bytes that are mapped */
    uint64_t id;
    bool is_reachable; /* cuMemSetAccess was called */
    struct pool *pool;
    struct object *owner; /* SPAN_MAPPED: of the handle; SPAN_EXTERNAL: of the memory */
    bool is_file;         /* SPAN_DEVICE: it has a handle for other processes, and is this file */
    int file;
};

/* NULL: none has room there for all of it. */
struct span *span_find(uint64_t address, uint64_t size);
struct span *span_at(uint64_t address);
bool span_add(const struct span *span, struct span **added);
void span_remove(struct span *span);
struct span *span_of_context(const struct context *context);
uint64_t span_count(enum span_kind kind, uint64_t *bytes);
/* Any that has some of it. */
struct span *span_overlapping(uint64_t address, uint64_t size);

/* Memory of a device, full of rubbish; 0: there is not so much. */
uint64_t device_memory_map(struct device *device, uint64_t size, uint64_t *mapped);
void device_memory_unmap(struct device *device, uint64_t address, uint64_t mapped);
/* Addresses with nothing behind them; 0: none. */
uint64_t arena_reserve(struct device *device, uint64_t size, uint64_t alignment);
bool arena_has(const struct device *device, uint64_t address);
/* There is nothing behind them any more. */
void arena_release(struct device *device, uint64_t address);
void memory_end_span(struct span *span);

/* ---- the order of work (queue.c, worker.c) */

/* How far a stream has come. Events hold on to it, whatever becomes of the stream. */
struct timeline {
    uint32_t references;
    uint64_t enqueued, done;
};

struct place {
    struct timeline *timeline; /* NULL: nowhere, and reached */
    uint64_t number;
};

struct operation;

struct operation_kind {
    const char *name; /* as in rules of work; NULL: no rule is for it */
    /* May it begin? NULL: yes. */
    bool (*is_ready)(const struct operation *operation);
    /* Without the lock. */
    CUresult (*run)(struct operation *operation);
    /* After it was run or dropped. NULL: nothing. */
    void (*end)(struct operation *operation, bool was_run);
    bool polls; /* is_ready asks for what changes without the lock */
};

/* The first member of what is enqueued; allocated with calloc. */
struct operation {
    const struct operation_kind *kind;
    struct stream *stream;
    struct operation *next;
    uint64_t number;
    struct place *places; /* what must have been reached */
    uint32_t place_count;
};

struct stream {
    struct object object;
    struct timeline *timeline;
    unsigned int flags;
    int priority;
    struct operation *first, *last;
    uint64_t begin_ns; /* not before */
    bool is_running;
    bool is_destroyed;
    struct stream *next;
};

struct timeline *timeline_hold(struct timeline *timeline);
void timeline_drop(struct timeline *timeline);
bool place_is_reached(struct place place);
/* Where a stream is once what was enqueued until now is done. */
struct place stream_place(const struct stream *stream);
/* The queue owns the operation, and frees it. */
void stream_enqueue(struct stream *stream, struct operation *operation);
/* What must have been reached too before it begins. False: no memory. */
bool operation_wait_for(struct operation *operation, struct place place);
/* Waits for a place, or until the context fails; what sticks to it. */
CUresult stream_wait(struct context *context, struct place place);
struct stream *stream_create(struct context *context, unsigned int flags, int priority);
void stream_destroy(struct stream *stream);
/* All streams, also those whose handles are gone. */
struct stream *stream_list(void);
void stream_unlink(struct stream *stream);

bool workers_start(int count);
void worker_wake(void);
uint64_t standin_now(void);
void standin_hold(void);
void standin_step(uint64_t count);
void standin_release(void);
void standin_settle(void);
uint64_t standin_pending(void);

/* ---- events (event.c) */

struct event {
    struct object object;
    unsigned int flags;
    bool is_recorded;
    struct place place;
    uint64_t time_ns;
};

/* An event as it is of an operation that runs later. It may have been destroyed by then. */
struct event_reference {
    uint64_t handle;
    struct place place;
};

void event_set(struct event *event, struct place place);
void event_reached(struct event_reference reference, uint64_t time_ns);
void event_destroy(struct event *event);

/* ---- pools (pool.c) */

/* Gives back what the pools of the device keep beyond their thresholds. */
void pool_trim_all(const struct context *context);
/* Gives back all that they keep. */
void pool_empty_all(struct device *device);
void pool_give_back(struct span *span);
CUmemoryPool pool_handle(const struct pool *pool);
/* May the device use its memory? It is its own, or access was given (cuMemPoolSetAccess). */
bool pool_is_reached(const struct pool *pool, const struct device *device);

/* ---- copies and fills (copy.c, transfer.c) */

/* A rectangle of bytes that is copied, or filled. */
struct transfer {
    bool is_fill;
    uint64_t destination, source;
    uint64_t destination_pitch, source_pitch;
    uint64_t width, height; /* bytes, rows */
    uint32_t value, element;
    void *snapshot; /* pageable memory as it was at the call; the source, owned */
    bool waits;     /* the call returns when it is done */
};

/* Whether all of it is memory that the device reaches. Pageable memory that is not read later is read now. */
CUresult transfer_check(struct transfer *transfer, bool is_read_later);
/* False: nothing that the stand-in does. */
bool transfer_of_2d(const CUDA_MEMCPY2D *copy_2d, struct transfer *transfer);
bool transfer_of_3d(const CUDA_MEMCPY3D *copy_3d, struct transfer *transfer);
/* Without the lock. */
CUresult transfer_run(const struct transfer *transfer);
CUresult transfer_enqueue(struct context *context, struct stream *stream, struct transfer *transfer);

/* ---- memory that is not there (guard.c) */

/* Once for the process. */
void guard_install(void);
/* Runs a function that touches what it was told to; CUDA_ERROR_ILLEGAL_ADDRESS where there is nothing.
 * Without the lock. */
CUresult guard_run(CUresult (*function)(const void *data), const void *data);
/* Ends what guard_run() runs, with that result. */
_Noreturn void guard_leave(CUresult result);
/* Leaves a thread, and those that it starts, the signals alone that guard_run() needs. */
void guard_block_signals(sigset_t *previous);
/* Ends what guard_run() runs on that thread, with CUDA_ERROR_LAUNCH_FAILED: at once where the thread allows
 * it, else as soon as it does. It allows it only in code that no sanitizer has instrumented; a stop that came
 * too late it forgets. */
void guard_stop(pthread_t thread);
void guard_allow_stop(void);
void guard_refuse_stop(void);
void guard_forget_stop(void);

/* ---- modules and launches (module.c, launch.c, fiber.c, cooperative.c) */

struct standin_kernel;
struct standin_object;
struct standin_runtime;

struct module {
    struct object object;
    void *library;
    const struct standin_object *code;
    struct function *functions;
    pthread_mutex_t mutex; /* one launch at a time: what is shared is static */
    uint32_t references;   /* the handle's, and of launches */
    unsigned char *image;
    struct module_copy *copies; /* under the mutex: one for each further group that runs at once */
    uint32_t copy_count;
};

/* The object once more, with variables of its own. */
struct module_copy {
    void *library;
    const struct standin_object *code;
};

struct function {
    struct object object;
    struct module *module;
    const struct standin_kernel *kernel;
    uint32_t shared_bytes; /* its own */
    uint32_t dynamic_most; /* bytes of shared memory that a launch may ask for */
};

struct launch {
    struct module *module; /* held */
    const struct standin_kernel *kernel;
    uint64_t function; /* handle */
    uint32_t groups[3], items[3];
    uint32_t dynamic_bytes;
    unsigned char *arguments; /* owned */
    bool is_cooperative;      /* all groups run at once */
};

/* Some groups of a launch, one after the other, with the code of the module or of a copy of it. */
struct portion {
    const struct launch *launch;
    const struct standin_object *code;
    const struct standin_kernel *kernel;
    uint64_t first, count;
};

CUresult module_destroy(struct module *module);
void module_drop(struct module *module);
/* Has so many copies made. Under the module's mutex. */
bool module_copy(struct module *module, uint32_t count);

/* Checks, and copies the arguments; the sizes are those of groups and items. */
CUresult launch_make(struct launch *launch, const struct context *context, CUfunction handle,
                     const unsigned int sizes[6], unsigned int dynamic_bytes, void **parameters,
                     void **extra);
bool launch_copy(struct launch *copy, const struct launch *launch);
void launch_clear(struct launch *launch);
/* Without the lock. */
CUresult launch_run(const struct launch *launch);
CUresult launch_run_portion(const struct portion *portion);
uint64_t launch_group_count(const struct launch *launch);
/* Under the module's mutex. */
CUresult cooperative_run(const struct launch *launch);
uint64_t cooperative_groups_most(const struct launch *launch);
/* Prepares the thread for groups whose work-items wait for each other; false: out of memory. */
bool fiber_prepare(const struct portion *portion, void **parameters);
/* The group at code->item->block. */
CUresult fiber_run_group(void);
const struct standin_runtime *fiber_runtime(void);

/* ---- graphs (graph.c, graph_executable.c) */

enum node_kind {
    NODE_EMPTY,
    NODE_KERNEL,
    NODE_TRANSFER,
    NODE_RECORD,
    NODE_WAIT
};

/* What a node does. */
struct action {
    enum node_kind kind;
    struct launch launch;
    struct transfer transfer;
    uint64_t event; /* handle */
};

struct node {
    struct object object;
    struct graph *graph;
    struct action action;
    uint32_t number; /* in its graph */
    struct node **dependencies;
    uint32_t dependency_count;
    struct node *next;
};

struct graph {
    struct object object;
    struct node *first, *last;
    uint32_t count;
};

bool action_copy(struct action *copy, const struct action *action);
void action_clear(struct action *action);
/* Each makes an action of what the calls are given. */
CUresult action_of_kernel(struct action *action, const CUDA_KERNEL_NODE_PARAMS *parameters);
CUresult action_of_copy(struct action *action, const CUDA_MEMCPY3D *parameters);
CUresult action_of_fill(struct action *action, const CUDA_MEMSET_NODE_PARAMS *parameters);
void graph_executable_destroy(struct object *object);

/* ---- memory of other makers (vmm.c, external.c, ipc.c) */

void mapping_end(struct span *span);
void ipc_end(struct span *span);
uint64_t reservation_count(void);
void external_memory_destroy(struct object *object);
void external_semaphore_destroy(struct object *object);

/* ---- textures (texture.c) */

void texture_destroy(struct object *object);
/* Without the lock, by a kernel. */
void texture_sample(unsigned long long handle, float u, float v, float result[4]);
int standin_semaphore(uint64_t value);
int standin_signal_semaphore(int descriptor, uint64_t value);
uint64_t standin_semaphore_value(int descriptor);

#endif
