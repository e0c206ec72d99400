/* Trireme: the plugin ABI, version 1. All that an author of a backend needs.
 *
 * A backend is a shared object that exports one symbol, trm_backend_query_v1(), and has no
 * undefined symbol beginning with trm_: what it needs of the core comes through struct trm_host.
 * backends/template is a complete small one; doc/writing-a-backend.md walks through it.
 *
 * What the core promises: arguments have been checked (ranges, overflow, device, kind, argument
 * count and types); objects are created and destroyed once each, children first, and idle when
 * destroyed; a stream is enqueued on by one thread at a time. All else may come from any thread at
 * any time, also at once.
 *
 * What a backend promises: functions return a status of <trireme/status.h> and write outputs only
 * on success; a failure is explained once through host->fail(); nothing is printed, nothing aborts,
 * no exception leaves.
 *
 * Rules of growth: every table and descriptor begins with struct_size; tables only grow at the end;
 * a NULL or missing slot that is marked "optional" is emulated by the core or answered with
 * TRM_ERROR_UNSUPPORTED. Descriptors are valid during the call only.
 *
 * Numbered operations. Every operation that is enqueued on a stream carries a number, `value`.
 * Numbers of one stream strictly increase, not always by one; a call that fails uses no number. An
 * operation is complete when it and all before it on that stream have finished. Everything that
 * waits, waits for a number.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_BACKEND_H
#define TRIREME_BACKEND_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/context.h>
#include <trireme/device_info.h>
#include <trireme/kernel.h>
#include <trireme/status.h>
#include <trireme/stream.h>

TRM_API_BEGIN

#define TRM_BACKEND_ABI_MAJOR 1
#define TRM_BACKEND_ABI_MINOR 1
#define TRM_BACKEND_QUERY_SYMBOL "trm_backend_query_v1"

/* Objects of the backend. Each plugin defines these as it likes; the core only passes pointers. */
struct trm_backend_instance;
struct trm_backend_device;
struct trm_backend_memory;
struct trm_backend_stream;
struct trm_backend_module;
struct trm_backend_kernel;
struct trm_backend_stamp;
struct trm_backend_graph;
struct trm_backend_semaphore;

/* ---- what the core lends ------------------------------------------------------------------ */

#define TRM_PATH_MOST 4096u

struct trm_module_source;
struct trm_translation;

/* Valid from open() until close() returns. All functions may be called from any thread. */
struct trm_host {
    uint32_t struct_size;
    uint32_t abi_minor; /* of the core */
    void *context;      /* first argument of the functions below */

    /* Host memory, aligned to `alignment` (a power of two, at least sizeof(void *)); NULL when
     * there is none. release() takes NULL. */
    void *(*allocate)(void *context, uint64_t size, uint64_t alignment);
    void (*release)(void *context, void *memory, uint64_t size);

    /* One line, level as enum trm_log_level. */
    void (*log)(void *context, int32_t level, const char *message);

    /* Say what went wrong, as a sentence, in the calling thread, with the driver's own code (0:
     * none). Returns `status`. */
    int32_t (*fail)(void *context, int32_t status, int64_t native_code, const char *sentence);

    /* The value of a setting as text: those in the core's table under "<backend>.<key>". As
     * trm_context_setting(). */
    int32_t (*get_setting)(void *context, const char *name, char *value, uint64_t capacity, uint64_t *needed);

    /* TRM_OK when the file and every folder above it may be trusted to name code: nobody but
     * root and the user may write them. Else TRM_ERROR_PERMISSION or NOT_FOUND, explained
     * through fail(). */
    int32_t (*trust_file)(void *context, const char *path);

    /* A portable module in another language (enum trm_language, flags: enum trm_translate_flag), for backends that
     * compile it. `symbols` has the name of the function of each of source->kernels. Both are given back by
     * release_translation(). Errors: UNSUPPORTED naming the instruction. */
    int32_t (*translate)(void *context, const struct trm_module_source *source, int32_t language,
                         uint32_t flags, struct trm_translation *translation);
    void (*release_translation)(void *context, struct trm_translation *translation);

    /* The cache of what was compiled, shared by all processes of the user: files that are found by a key (any
     * text; whatever the result depends on must be in it), whole or not at all.
     * cache_find: the path of the file of a key, checked against the checksum it was stored with and marked as
     * used; NOT_FOUND, also for a damaged one, which is removed. cache_begin: the path of a new file,
     * which the caller writes; UNSUPPORTED where the user wants no cache or has no folder for it. cache_commit
     * stores that file under the key and gives its final path; cache_discard removes it. Paths end with
     * `extension` (".so") and fit in TRM_PATH_MOST bytes. */
    int32_t (*cache_find)(void *context, const char *key, const char *extension, char *path);
    int32_t (*cache_begin)(void *context, const char *key, const char *extension, char *path);
    int32_t (*cache_commit)(void *context, const char *key, const char *extension, const char *begun,
                            char *path);
    void (*cache_discard)(void *context, const char *begun);
};

/* ---- devices (required) ------------------------------------------------------------------- */

struct trm_device_ops {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*count)(struct trm_backend_instance *instance, uint32_t *count);

    /* As trm_device_get_info(), of a device that need not be open. NOT_FOUND for keys that are
     * not known. */
    int32_t (*get_info)(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                        uint64_t capacity, uint64_t *needed);

    /* The same device may be open several times. */
    int32_t (*open)(struct trm_backend_instance *instance, uint32_t index,
                    struct trm_backend_device **device);
    void (*close)(struct trm_backend_device *device);
};

/* ---- memory (required) -------------------------------------------------------------------- */

struct trm_memory_desc {
    uint32_t struct_size;
    int32_t kind;       /* enum trm_memory_kind */
    uint64_t size;      /* bytes, never 0 */
    uint64_t alignment; /* of the device address, a power of two up to 2 MiB */
    void *host_pointer; /* IMPORTED only */
};

struct trm_memory_ops {
    uint32_t struct_size;
    uint32_t reserved;

    /* Contents are undefined. The core sub-allocates: it asks for large pieces and keeps them.
     * Errors: OUT_OF_DEVICE_MEMORY (the core trims its pools and asks once more), UNSUPPORTED
     * kind. */
    int32_t (*allocate)(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                        struct trm_backend_memory **memory);
    void (*free)(struct trm_backend_memory *memory);

    /* Where the host can address the memory for as long as it lives, coherently. Optional;
     * TRM_ERROR_UNSUPPORTED for memory it cannot. Required to succeed for PINNED, UNIFIED and
     * IMPORTED memory, and for DEVICE memory when TRM_DEVICE_UNIFIED is 1. */
    int32_t (*host_pointer)(struct trm_backend_memory *memory, void **pointer);
};

/* ---- streams (required) ------------------------------------------------------------------- */

struct trm_stream_desc {
    uint32_t struct_size;
    int32_t role;     /* enum trm_stream_role */
    int32_t priority; /* enum trm_priority */
    uint32_t reserved;
};

/* One side of a copy: device memory and an offset in it, or, where memory is NULL, plain host
 * memory. */
struct trm_place {
    struct trm_backend_memory *memory;
    uint64_t offset;
    void *host;
};

struct trm_copy_desc {
    uint32_t struct_size;
    uint32_t reserved;
    struct trm_place destination;
    struct trm_place source;
    uint64_t size; /* bytes, never 0; the ranges do not overlap */
};

struct trm_copy_2d_desc {
    uint32_t struct_size;
    uint32_t reserved;
    struct trm_place destination;
    struct trm_place source;
    uint64_t destination_pitch; /* bytes from row to row, at least width */
    uint64_t source_pitch;
    uint64_t width;  /* bytes, never 0 */
    uint64_t height; /* rows, never 0 */
};

struct trm_fill_desc {
    uint32_t struct_size;
    uint32_t pattern_size; /* 1, 2, 4 or 8; offset and size are multiples of it */
    struct trm_backend_memory *memory;
    uint64_t offset;
    uint64_t size;    /* bytes, never 0 */
    uint64_t pattern; /* in the low bytes */
};

/* One argument of a launch, checked against the kernel's parameters. */
struct trm_launch_argument {
    int32_t kind;                      /* enum trm_parameter_kind */
    int32_t type;                      /* enum trm_type, of a scalar */
    struct trm_backend_memory *memory; /* NULL for an empty span */
    uint64_t offset;
    uint64_t size;     /* of the span in bytes; of the scalar */
    uint64_t scalar;   /* in the low bytes */
    const void *block; /* of a block: `size` bytes, valid during the call */
};

struct trm_launch_desc {
    uint32_t struct_size;
    uint32_t argument_count;
    struct trm_backend_kernel *kernel;
    const struct trm_launch_argument *arguments;
    uint32_t groups[3];     /* none is 0 */
    uint32_t group_size[3]; /* none is 0 */
    uint32_t shared_bytes;  /* besides the kernel's own */
    uint32_t reserved;
};

/* Called once, from any thread, soon and without blocking: status is TRM_OK, or the failure that
 * keeps the stream from getting there. It does not call the backend. */
typedef void (*trm_notify_fn)(void *user, int32_t status);

struct trm_stream_ops {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*create)(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                      struct trm_backend_stream **stream);
    /* all work on it is complete, or the stream failed */
    void (*destroy)(struct trm_backend_stream *stream);

    /* ---- enqueueing; one thread at a time. Must not wait for the device, except on a
     * SYNCHRONOUS device. */

    int32_t (*copy)(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc);
    int32_t (*launch)(struct trm_backend_stream *stream, uint64_t value, const struct trm_launch_desc *desc);
    /* Optional: the core copies row by row. */
    int32_t (*copy_2d)(struct trm_backend_stream *stream, uint64_t value,
                       const struct trm_copy_2d_desc *desc);
    /* Optional: the core copies from a pattern on the host. */
    int32_t (*fill)(struct trm_backend_stream *stream, uint64_t value, const struct trm_fill_desc *desc);
    /* Optional: somebody will wait for `value`, which was enqueued last; make that place
     * precise, so that waiting for it does not wait for what comes after it. Without it every
     * operation is taken to be such a place. */
    int32_t (*mark)(struct trm_backend_stream *stream, uint64_t value);
    /* Optional: the stream waits until `other`, of the same instance, has completed other_value;
     * if other fails, so does this one with the same status. `other` may be destroyed as soon as
     * its own work is done, also before `stream` has come to the wait. Emulated by gates, else on
     * the host; so it is where the answer is UNSUPPORTED, as for a stream of another device. */
    int32_t (*wait_stream)(struct trm_backend_stream *stream, uint64_t value,
                           struct trm_backend_stream *other, uint64_t other_value);
    /* Optional: the stream stops at `value` until open_gates() is called with that number or a
     * higher one, from any thread. Both or none; emulated on the host. A gate that is open
     * already lets the stream pass. open_gates() may do what is short of the work behind the gate, and
     * notify of it, before it returns. */
    int32_t (*gate)(struct trm_backend_stream *stream, uint64_t value);
    void (*open_gates)(struct trm_backend_stream *stream, uint64_t value);
    /* Optional hint for UNIFIED memory. */
    int32_t (*prefetch)(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_memory *memory,
                        uint64_t offset, uint64_t size, uint32_t to_host);

    /* ---- from any thread, also while another enqueues. */

    /* Submit what was enqueued. Optional where nothing is held back. */
    int32_t (*flush)(struct trm_backend_stream *stream);
    /* The highest number that is complete; does not block. Answers the stream's first failure
     * once it has one, and then leaves `completed` alone or, where it can tell, sets it to the highest
     * number that was complete before the failure; after a failure everything on the stream counts as
     * finished: memory it used is no longer touched. */
    int32_t (*query)(struct trm_backend_stream *stream, uint64_t *completed);
    /* Block until `value` is complete, after submitting what it needs. timeout_ns as in
     * trm_point_wait(). Errors: TIMEOUT, or the stream's first failure. */
    int32_t (*wait)(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);
    /* Optional: the same for any of several streams of one instance; emulated with notify(). */
    int32_t (*wait_any)(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                        uint64_t timeout_ns, uint32_t *which);
    /* Optional: have `notify` called when `value` is complete or the stream has failed; at once
     * if that is so already. Submits. A stream is destroyed only after all of its notifications
     * were delivered. Emulated by a thread that sits in wait(). */
    int32_t (*notify)(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify, void *user);
    /* Optional: give the stream up: what has not begun is skipped, everything then counts as
     * failed with `status`. Used by the core when a host callback or a bridge cannot be served. */
    void (*abandon)(struct trm_backend_stream *stream, int32_t status);
};

/* ---- modules (required) ------------------------------------------------------------------- */

struct trm_module_source {
    uint32_t struct_size;
    int32_t format; /* enum trm_module_format; the core makes SPIRV of other portable ones */
    const void *data;
    uint64_t size;
    const char *name; /* never NULL */
    /* Of SPIRV: a valid module in this machine's byte order, as words, not yet specialised. */
    /* reflected, with the constants in force; they live as long as the module */
    const struct trm_kernel_info *kernels;
    uint32_t kernel_count;
    uint32_t constant_count;
    const struct trm_constant *constants; /* those that differ from their defaults, by id, in that order */
    const uint8_t *digest;                /* 32 bytes: SHA-256 of the words and the constants */
    /* the path of a named module without ".spv": code for the backend may lie beside it; else NULL */
    const char *stem;
    /* what comes between stem and extension for these constants: "" or ".op=1,width=4" */
    const char *variant;
    /* Of CUBIN, PTX and CUDA: complete, whatever the program was compiled against; never NULL. Valid during load(). */
    const struct trm_native_options *native;
};

/* What translate() gives. */
struct trm_translation {
    uint32_t struct_size; /* set by the caller */
    uint32_t symbol_count;
    const char *text; /* ends with a zero */
    uint64_t length;
    const char *const *symbols;
};

struct trm_kernel_desc {
    uint32_t struct_size; /* set by the core to its own size before the call */
    uint32_t parameter_count;
    const struct trm_parameter *parameters; /* lives as long as the module */
    uint32_t group_size[3];
    uint32_t shared_bytes;
};

struct trm_module_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* TRM_OK or TRM_ERROR_UNSUPPORTED. */
    int32_t (*supports)(struct trm_backend_device *device, int32_t format);
    int32_t (*load)(struct trm_backend_device *device, const struct trm_module_source *source,
                    struct trm_backend_module **module);
    void (*unload)(struct trm_backend_module *module);
    /* The kernel is part of the module and ends with it. */
    int32_t (*kernel)(struct trm_backend_module *module, const char *name, struct trm_backend_kernel **kernel,
                      struct trm_kernel_desc *desc);
    /* Name number `index`, for messages; NULL past the last. Optional. */
    const char *(*kernel_name)(struct trm_backend_module *module, uint32_t index);
    /* Write what load() would make of a SPIRV source to a new file at `path`; flags: enum trm_build_flag. Optional. */
    int32_t (*build)(struct trm_backend_device *device, const struct trm_module_source *source,
                     uint32_t flags, const char *path);
};

/* ---- profile (optional): timestamps ------------------------------------------------------- */

/* Without it the core takes the host's clock in a notification. */
struct trm_profile_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* UNSUPPORTED for a device that has none: it is then as without the table. */
    int32_t (*stamp_create)(struct trm_backend_device *device, struct trm_backend_stamp **stamp);
    void (*stamp_destroy)(struct trm_backend_stamp *stamp); /* its record, if any, is complete */
    /* Enqueue: take the time when the stream gets there. A stamp may be recorded again once its
     * last record is complete. */
    int32_t (*stamp_record)(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_stamp *stamp);
    /* Nanoseconds of CLOCK_MONOTONIC; only after the record is complete. */
    int32_t (*stamp_read)(struct trm_backend_stamp *stamp, uint64_t *nanoseconds);
};

/* ---- pool (optional): the backend's own allocation in stream order ------------------------ */

struct trm_pool_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* Optional, both or none: allocation in stream order is then the core's. */
    int32_t (*allocate)(struct trm_backend_stream *stream, uint64_t value, uint64_t size,
                        struct trm_backend_memory **memory);
    int32_t (*free)(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_memory *memory);
    /* What the backend holds for itself, beyond what the core has allocated, the core's own cache
     * being within keep_bytes already. */
    int32_t (*trim)(struct trm_backend_device *device, uint64_t keep_bytes);
    /* Also called when a device has been opened, with the setting pool.threshold. */
    int32_t (*set_threshold)(struct trm_backend_device *device, uint64_t bytes);
    /* Used, cached and reserved bytes, less what memory->allocate() has handed out. */
    int32_t (*statistics)(struct trm_backend_device *device, uint64_t *used, uint64_t *cached,
                          uint64_t *reserved);
};

/* ---- peer (optional): copies between devices of one instance ------------------------------ */

struct trm_peer_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* TRM_OK when `device` reaches memory of `other` directly; else TRM_ERROR_UNSUPPORTED: the
     * core stages through the host. */
    int32_t (*can_access)(struct trm_backend_device *device, struct trm_backend_device *other);
    /* One side's memory is the stream's device's, the other's that of a device it can access. */
    int32_t (*copy)(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc);
};

/* ---- graph (optional): recorded sequences ------------------------------------------------- */

enum trm_graph_node_kind {
    TRM_GRAPH_COPY    = 1,
    TRM_GRAPH_COPY_2D = 2,
    TRM_GRAPH_FILL    = 3,
    TRM_GRAPH_LAUNCH  = 4,
    TRM_GRAPH_STAMP   = 5,
};

/* One operation of a graph; the pointer of its kind is set, the others are NULL. What it points to is valid during the
 * call only, but for kernels, memory, stamps and the host memory of copies, which live as long as the graph. */
struct trm_graph_node {
    uint32_t struct_size;
    int32_t kind; /* enum trm_graph_node_kind */
    const struct trm_copy_desc *copy;
    const struct trm_copy_2d_desc *copy_2d;
    const struct trm_fill_desc *fill;
    const struct trm_launch_desc *launch;
    struct trm_backend_stamp *stamp;
};

/* Without it the core enqueues the operations one by one. Required slots: all but update. */
struct trm_graph_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* Nodes run in order, as if enqueued one after the other; count is never 0. UNSUPPORTED: the core does without for
     * this sequence. */
    int32_t (*create)(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                      uint32_t count, struct trm_backend_graph **graph);
    void (*destroy)(struct trm_backend_graph *graph); /* idle */
    /* Enqueue all of it as one operation. The last launch of the graph was on this stream or is complete. */
    int32_t (*launch)(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_graph *graph);
    /* Replace a node by another of the same kind, while the graph is idle. Optional: the core makes the graph anew. */
    int32_t (*update)(struct trm_backend_graph *graph, uint32_t index, const struct trm_graph_node *node);
};

/* ---- interop (optional): what <trireme/interop.h> offers ----------------------------------- */

struct trm_ipc_handle;

/* Slots may be NULL one by one: UNSUPPORTED. `type` is enum trm_native_type or enum trm_handle_type, and not checked by the core. */
struct trm_interop_ops {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*device_handle)(struct trm_backend_device *device, int32_t type, uint64_t *handle);
    int32_t (*stream_handle)(struct trm_backend_stream *stream, int32_t type, uint64_t *handle);
    /* `offset` is where the memory begins in what the handle names. */
    int32_t (*memory_handle)(struct trm_backend_memory *memory, int32_t type, uint64_t *handle,
                             uint64_t *offset);

    /* A device on top of an application's own; `index` says which of the instance's it is, for get_info(). */
    int32_t (*adopt)(struct trm_backend_instance *instance, int32_t type, const void *native, uint32_t *index,
                     struct trm_backend_device **device);

    /* Memory from outside of all pools. Given back by memory->free(). A file descriptor is the receiver's. */
    int32_t (*memory_create)(struct trm_backend_device *device, uint64_t size,
                             struct trm_backend_memory **memory);
    int32_t (*memory_export)(struct trm_backend_memory *memory, int32_t type, int32_t *fd, uint64_t *size);
    int32_t (*memory_import)(struct trm_backend_device *device, int32_t type, int32_t fd, uint64_t size,
                             struct trm_backend_memory **memory);

    /* Timeline semaphores. destroy: nothing enqueued needs it any more. Waits and signals are operations of the stream. */
    int32_t (*semaphore_create)(struct trm_backend_device *device, struct trm_backend_semaphore **semaphore);
    int32_t (*semaphore_import)(struct trm_backend_device *device, int32_t type, int32_t fd,
                                struct trm_backend_semaphore **semaphore);
    int32_t (*semaphore_export)(struct trm_backend_semaphore *semaphore, int32_t type, int32_t *fd);
    void (*semaphore_destroy)(struct trm_backend_semaphore *semaphore);
    int32_t (*semaphore_value)(struct trm_backend_semaphore *semaphore, uint64_t *current);
    int32_t (*semaphore_wait)(struct trm_backend_stream *stream, uint64_t value,
                              struct trm_backend_semaphore *semaphore, uint64_t semaphore_value);
    int32_t (*semaphore_signal)(struct trm_backend_stream *stream, uint64_t value,
                                struct trm_backend_semaphore *semaphore, uint64_t semaphore_value);

    /* A stream on top of an application's own, which stays as it is when destroy() is called. `native` is a handle of the type. */
    int32_t (*stream_adopt)(struct trm_backend_device *device, int32_t type, uint64_t native,
                            const struct trm_stream_desc *desc, struct trm_backend_stream **stream);
    /* An application's own memory; free() leaves it alone. size is not 0, and offset + size does not overflow. */
    int32_t (*memory_adopt)(struct trm_backend_device *device, int32_t type, uint64_t native, uint64_t offset,
                            uint64_t size, struct trm_backend_memory **memory);
    /* Returns when everything up to `value` is in the native stream, however long the host takes to open what is in its way; or
     * the stream's failure. The thread that enqueues. */
    int32_t (*hand_over)(struct trm_backend_stream *stream, uint64_t value);
    /* Operations of the stream, which has been handed over: wait for an application's event as it is now, and record it. */
    int32_t (*event_wait)(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native);
    int32_t (*event_record)(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native);

    /* Since minor 1. Memory from outside of all pools that handles name which are data. size is not 0. Given back by memory->free(). */
    int32_t (*ipc_create)(struct trm_backend_device *device, uint64_t size,
                          struct trm_backend_memory **memory);
    /* Bytes and offset; the size is the core's to write. Also asked of memory that was adopted, imported or opened. */
    int32_t (*ipc_export)(struct trm_backend_memory *memory, struct trm_ipc_handle *handle);
    /* offset + size does not overflow; whether there is so much the backend finds out. Closed by memory->free(). */
    int32_t (*ipc_open)(struct trm_backend_device *device, const struct trm_ipc_handle *handle,
                        struct trm_backend_memory **memory);
};

/* ---- ranges (an extension) ------------------------------------------------------------------ */

/* What a profiler shows beside the work of the device: get_extension(TRM_RANGE_EXTENSION, 1), asked when a pipeline is made. NULL
 * while no profiler looks on, so that nothing is spent on it. */
#define TRM_RANGE_EXTENSION "range"

struct trm_range_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* What the calling thread does from now on until end() is `name`; `number` says which one of its kind. Ranges lie within
     * each other. */
    void (*begin)(const char *name, uint64_t number);
    void (*end)(void);
    /* Optional. */
    void (*name_stream)(struct trm_backend_stream *stream, const char *name);
};

/* ---- the backend -------------------------------------------------------------------------- */

struct trm_backend {
    uint32_t struct_size;
    uint32_t abi_minor; /* the minor it was written for: TRM_BACKEND_ABI_MINOR */
    uint32_t flags;     /* 0 */
    uint32_t reserved;
    const char *name;    /* "cuda": lower-case letters, digits, '-' and '_' */
    const char *version; /* its own */
    const char *description;

    /* Can it work here, and how well? Does the dear work (opens the driver); score 1 to 1000 (a
     * discrete GPU 500 and up, integrated 300, cpu 100, a software GPU 50). When it cannot:
     * TRM_ERROR_UNSUPPORTED or another error and the reason in words, zero-terminated within
     * `capacity`. */
    int32_t (*probe)(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity);
    int32_t (*open)(const struct trm_host *host, struct trm_backend_instance **instance);
    void (*close)(struct trm_backend_instance *instance);

    const struct trm_device_ops *device; /* required */
    const struct trm_memory_ops *memory; /* required */
    const struct trm_stream_ops *stream; /* required */
    const struct trm_module_ops *module; /* required */
    const struct trm_graph_ops *graph;   /* optional, and so are those below */
    const struct trm_pool_ops *pool;
    const struct trm_peer_ops *peer;
    const struct trm_interop_ops *interop;
    const struct trm_profile_ops *profile;

    /* A table that this header does not know, by name and version; NULL when it has none.
     * Optional. */
    const void *(*get_extension)(const char *name, uint32_t version);
};

/* The one symbol of a plugin. Pure: opens no driver, starts no thread. Returns a static table,
 * or NULL when it cannot serve a core whose minor is between min_minor and max_minor. `host` may
 * be used for log() only. */
typedef const struct trm_backend *(*trm_backend_query_fn)(const struct trm_host *host, uint32_t min_minor,
                                                          uint32_t max_minor);
TRM_API const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                                       uint32_t max_minor);

TRM_API_END

#endif
