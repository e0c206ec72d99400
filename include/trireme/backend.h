/* Trireme: the plugin ABI, version 1: everything that the author of a backend needs. <trireme/backend_util.h>
 * adds helpers that most backends use.
 *
 * A backend is a shared object that exports one symbol, trm_backend_query_v1(), and has no undefined symbol
 * beginning with trm_: it calls the core through struct trm_host. backends/template is a small complete one;
 * doc/writing-a-backend.md walks through it.
 *
 * The core guarantees: arguments have been checked (ranges, overflow, device, kind, argument count and
 * types). Objects are created and destroyed once each, children are destroyed before parents, and an object
 * is idle when it is destroyed. One thread at a time enqueues on a stream. Every other call may come from any
 * thread at any time, also at the same time as others.
 *
 * The backend guarantees: functions return a status of <trireme/status.h> and write outputs only on success.
 * Each failure is explained once, through host->fail(). A backend never prints, never aborts, and throws no
 * exception into the core.
 *
 * The core checks this. It passes no other number on to the program: a function that returns one fails with
 * TRM_ERROR_BACKEND, and the sentence names the function. So does an enqueueing function that returns
 * TRM_ERROR_TIMEOUT. Outputs that cannot be right fail the call with TRM_ERROR_ABI: an object that is NULL
 * (memory, a stream, a stamp, a graph, a semaphore), a number of an operation that was not enqueued, a size
 * that a property cannot have, text without an end. The core copies the tables, their strings and the
 * parameters of kernels once; later changes have no effect.
 *
 * Unless a comment says otherwise: functions do not block, and the caller owns what they create until it
 * calls the matching destroy(), close(), free() or unload(). Times are nanoseconds, sizes and offsets are
 * bytes.
 *
 * Rules of growth: every table and descriptor begins with struct_size. Tables only grow at the end. The core
 * emulates a slot marked "optional" that is NULL or missing, or answers TRM_ERROR_UNSUPPORTED. Descriptors
 * are valid during the call only.
 *
 * Numbered operations: every operation that is enqueued on a stream carries a number, `value`. The numbers of
 * a stream strictly increase, not always by one; a call that fails uses no number. An operation is complete
 * when it and all operations before it on that stream have finished. Everything that waits, waits for a
 * number.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_BACKEND_H
#define TRIREME_BACKEND_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/context.h>
#include <trireme/device_info.h>
#include <trireme/image.h>
#include <trireme/image_layout.h>
#include <trireme/interop.h>
#include <trireme/kernel.h>
#include <trireme/program.h>
#include <trireme/shader.h>
#include <trireme/status.h>
#include <trireme/stream.h>

TRM_API_BEGIN

#define TRM_BACKEND_ABI_MAJOR 1
#define TRM_BACKEND_ABI_MINOR 7
#define TRM_BACKEND_QUERY_SYMBOL "trm_backend_query_v1"

/* Objects of the backend. Each plugin defines them as it likes; the core only passes pointers. */
struct trm_backend_instance;
struct trm_backend_device;
struct trm_backend_memory;
struct trm_backend_stream;
struct trm_backend_module;
struct trm_backend_kernel;
struct trm_backend_stamp;
struct trm_backend_graph;
struct trm_backend_semaphore;
struct trm_backend_image;
struct trm_backend_sampler;

/* ---- what the core lends ------------------------------------------------------------------ */

#define TRM_PATH_MOST 4096u

struct trm_module_source;
struct trm_translation;

/* Valid from open() until close() returns. All functions may be called from any thread. */
struct trm_host {
    uint32_t struct_size;
    uint32_t abi_minor; /* of the core */
    void *context;      /* first argument of the functions below */

    /* Host memory, not cleared, aligned to `alignment` (a power of two, at least sizeof(void *)). NULL when
     * there is none. release() takes NULL, and the size that was allocated. */
    void *(*allocate)(void *context, uint64_t size, uint64_t alignment);
    void (*release)(void *context, void *memory, uint64_t size);

    /* Log one line. level: enum trm_log_level. */
    void (*log)(void *context, int32_t level, const char *message);

    /* Explain a failure of the calling thread in a sentence, with the driver's own code (0: none). Returns
     * `status`. */
    int32_t (*fail)(void *context, int32_t status, int64_t native_code, const char *sentence);

    /* The value of a setting as text. Settings of a backend are named "<backend>.<key>". As
     * trm_context_setting(). */
    int32_t (*get_setting)(void *context, const char *name, char *value, uint64_t capacity, uint64_t *needed);

    /* TRM_OK when code in the file can be trusted: only root and the user may write the file and every folder
     * above it. Otherwise TRM_ERROR_PERMISSION or NOT_FOUND, explained through fail(). */
    int32_t (*trust_file)(void *context, const char *path);

    /* Translate a portable module to another language (enum trm_language; flags: enum trm_translate_flag),
     * for backends that compile it. `symbols` has the function name of each of source->kernels.
     * release_translation() releases the text and the symbols. Errors: UNSUPPORTED naming the instruction. */
    int32_t (*translate)(void *context, const struct trm_module_source *source, int32_t language,
                         uint32_t flags, struct trm_translation *translation);
    void (*release_translation)(void *context, struct trm_translation *translation);

    /* The cache of compiled code, shared by all processes of the user. A key is any text; everything that the
     * result depends on must be in it. Files appear in the cache complete or not at all. Paths end with
     * `extension` (".so") and fit in TRM_PATH_MOST bytes.
     *
     * cache_find     the path of the file of a key. Its checksum is verified and it is marked as used.
     *                NOT_FOUND also for a damaged file, which is removed.
     * cache_begin    the path of a new file, which the caller writes. UNSUPPORTED where the user wants no
     *                cache, or has no folder for it.
     * cache_commit   stores that file under the key and writes its final path
     * cache_discard  removes that file */
    int32_t (*cache_find)(void *context, const char *key, const char *extension, char *path);
    int32_t (*cache_begin)(void *context, const char *key, const char *extension, char *path);
    int32_t (*cache_commit)(void *context, const char *key, const char *extension, const char *begun,
                            char *path);
    void (*cache_discard)(void *context, const char *begun);

    /* The functions below are new in minor 1: check struct_size. */

    /* Store a copy of the file `from` under a key, and write its final path. UNSUPPORTED where there is no
     * cache, and where its disk is full: the core has logged that, once, and the caller uses `from`. */
    int32_t (*cache_store)(void *context, const char *key, const char *extension, const char *from,
                           char *path);

    /* As trm_program_run() of <trireme/program.h>. program_release() takes a result with a state once. */
    int32_t (*program_run)(void *context, const struct trm_program_desc *desc,
                           struct trm_program_result *result);
    void (*program_release)(void *context, struct trm_program_result *result);
};

/* ---- devices (required) ------------------------------------------------------------------- */

struct trm_device_ops {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*count)(struct trm_backend_instance *instance, uint32_t *count);

    /* As trm_device_get_info(), of a device that need not be open. NOT_FOUND for unknown keys. */
    int32_t (*get_info)(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                        uint64_t capacity, uint64_t *needed);

    /* The same device may be open several times. It is not opened if its buffer alignment is no power of two,
     * or if an answer to a question (UNIFIED, SYNCHRONOUS, MAPPED) is neither 0 nor 1. */
    int32_t (*open)(struct trm_backend_instance *instance, uint32_t index,
                    struct trm_backend_device **device);
    void (*close)(struct trm_backend_device *device);

    /* Since minor 7; optional. DEVICE_LOST with the device's own first cause when it is lost, else TRM_OK. A
     * stream also fails with DEVICE_LOST when it waits for streams of another device that is lost, or
     * accesses its memory. So the core asks when a call has answered DEVICE_LOST. After TRM_OK only what
     * failed is lost, and the device goes on with new streams. What the call found out about the device must
     * show by then. Without this slot, and with any other answer, the device is lost too. */
    int32_t (*check_loss)(struct trm_backend_device *device);
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

    /* The contents are undefined. The core asks for large pieces, keeps them and divides them, so this may be
     * slow. Errors: OUT_OF_DEVICE_MEMORY (the core trims its pools and asks once more); UNSUPPORTED for a
     * kind that the device does not have. */
    int32_t (*allocate)(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                        struct trm_backend_memory **memory);
    void (*free)(struct trm_backend_memory *memory);

    /* The address at which the host reaches the memory, coherently, for as long as it exists. Optional;
     * TRM_ERROR_UNSUPPORTED for memory that the host cannot address. Must succeed for PINNED, UNIFIED and
     * IMPORTED memory, and for DEVICE memory when TRM_DEVICE_UNIFIED is 1. */
    int32_t (*host_pointer)(struct trm_backend_memory *memory, void **pointer);

    /* Since minor 3; optional, forget_address() also with address(). The address at which kernels of the
     * device reach byte `offset` of the memory, never 0; it stays while the memory exists. The core asks once
     * for each buffer whose address the program wants, tells the bytes that are the buffer's, and forgets the
     * address before it frees or re-uses them, when no work uses the buffer. Errors: UNSUPPORTED for memory,
     * or a device, that has no addresses. */
    int32_t (*address)(struct trm_backend_memory *memory, uint64_t offset, uint64_t size, uint64_t *address);
    void (*forget_address)(struct trm_backend_memory *memory, uint64_t address, uint64_t size);
};

/* ---- streams (required) ------------------------------------------------------------------- */

struct trm_stream_desc {
    uint32_t struct_size;
    int32_t role;     /* enum trm_stream_role */
    int32_t priority; /* enum trm_priority */
    uint32_t reserved;
};

/* One side of a copy: device memory and an offset in it, or plain host memory where `memory` is NULL. */
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

/* One argument of a launch, checked against the kernel's parameters.
 *
 * Arrays of buffers, images, samplers and texel buffers, since minor 3: a backend gets each element as a
 * parameter and an argument of its own, of the kind of the elements. Parameters with one `set` and `place`
 * that follow each other are one array. Where launches give the number of elements, there are TRM_ARRAY_MOST
 * of them, and those that a launch does not give have neither memory nor block; the number is an argument of
 * type U64, whose parameter has the set UINT32_MAX and is no member of the push constants. All such numbers
 * come before those members. The core loads no modules with arrays for backends of earlier minors. */
struct trm_launch_argument {
    int32_t kind;                      /* enum trm_parameter_kind */
    int32_t type;                      /* enum trm_type, of a scalar */
    struct trm_backend_memory *memory; /* NULL for an empty span */
    uint64_t offset;
    uint64_t size;   /* of the span in bytes; of the scalar */
    uint64_t scalar; /* in the low bytes */
    /* of a block: `size` bytes; where the backend has an image table, of IMAGE, TEXTURE, SAMPLER and
     * SAMPLED_IMAGE: a struct trm_launch_image. Valid during the call.
     * Without an image table the image is plain memory (<trireme/image_layout.h>): a kernel gets the address
     * of memory and offset, and `scalar`; since minor 3 `block` is a copy of the image's layout, a struct
     * trm_image_layout, with which the memory begins. A texel buffer is memory, offset and size for all
     * backends, its format is `type`, and `scalar` has both. */
    const void *block;
};

/* The objects of an image's argument. Since minor 2. */
struct trm_launch_image {
    uint32_t struct_size;
    uint32_t level;                      /* of a storage image; the first of a sampled one */
    struct trm_backend_image *image;     /* NULL for a sampler alone */
    struct trm_backend_sampler *sampler; /* NULL where there is none */
};

struct trm_launch_desc {
    uint32_t struct_size;
    uint32_t argument_count;
    struct trm_backend_kernel *kernel;
    const struct trm_launch_argument *arguments;
    uint32_t groups[3];     /* none is 0 */
    uint32_t group_size[3]; /* none is 0 */
    uint32_t shared_bytes;  /* in addition to the kernel's own */
    uint32_t reserved;
};

/* A notification. The backend calls it once, from any thread, soon after the event. status: TRM_OK, or the
 * failure that keeps the stream from reaching the number (another number fails the stream). It does not block
 * and does not call the backend. Notifications of different numbers may come in any order. */
typedef void (*trm_notify_fn)(void *user, int32_t status);

struct trm_stream_ops {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*create)(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                      struct trm_backend_stream **stream);
    /* All work on the stream is complete, or the stream has failed. */
    void (*destroy)(struct trm_backend_stream *stream);

    /* ---- enqueueing; one thread at a time. Must not wait for the device, except on a SYNCHRONOUS one. */

    int32_t (*copy)(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc);
    int32_t (*launch)(struct trm_backend_stream *stream, uint64_t value, const struct trm_launch_desc *desc);
    /* Optional: the core copies row by row. */
    int32_t (*copy_2d)(struct trm_backend_stream *stream, uint64_t value,
                       const struct trm_copy_2d_desc *desc);
    /* Optional: the core copies from a pattern on the host. */
    int32_t (*fill)(struct trm_backend_stream *stream, uint64_t value, const struct trm_fill_desc *desc);
    /* Optional: a thread will wait for `value`, which was enqueued last. Make that position precise, so that
     * waiting for it does not wait for later operations. Without this slot, waiting must be precise at every
     * operation. */
    int32_t (*mark)(struct trm_backend_stream *stream, uint64_t value);
    /* Optional: the stream waits until `other`, of the same instance, has completed other_value. If `other`
     * fails, the stream fails with the same status. `other` may be destroyed as soon as its own work is done,
     * even before `stream` has reached the wait. UNSUPPORTED is a valid answer, such as for a stream of
     * another device. The core emulates it with gates, or on the host. */
    int32_t (*wait_stream)(struct trm_backend_stream *stream, uint64_t value,
                           struct trm_backend_stream *other, uint64_t other_value);
    /* Optional, both or none; emulated on the host. The stream stops at `value` until open_gates() is called
     * with that number or a higher one, from any thread. A gate that is open already lets the stream pass.
     * open_gates() may run short operations behind the gate, and send their notifications, before it
     * returns. */
    int32_t (*gate)(struct trm_backend_stream *stream, uint64_t value);
    void (*open_gates)(struct trm_backend_stream *stream, uint64_t value);
    /* Optional hint for UNIFIED memory. */
    int32_t (*prefetch)(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_memory *memory,
                        uint64_t offset, uint64_t size, uint32_t to_host);

    /* ---- from any thread, also while another enqueues. */

    /* Submit what was enqueued. Optional where enqueueing submits. */
    int32_t (*flush)(struct trm_backend_stream *stream);
    /* The highest number that is complete. Once the stream has failed, returns its first failure, and leaves
     * `completed` alone or sets it to the highest number that was complete before the failure. After a
     * failure everything on the stream counts as finished: it no longer touches the memory that it used. */
    int32_t (*query)(struct trm_backend_stream *stream, uint64_t *completed);
    /* Submit what `value` needs, then block until it is complete. timeout_ns as in trm_point_wait(). Errors:
     * TIMEOUT, or the stream's first failure. */
    int32_t (*wait)(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);
    /* Optional: the same for any of several streams of one instance. Emulated with notify(). */
    int32_t (*wait_any)(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                        uint64_t timeout_ns, uint32_t *which);
    /* Optional: call `notify` when `value` is complete or the stream has failed, at once if it already is.
     * Submits. The core destroys a stream only after all of its notifications were delivered. Emulated by a
     * thread that blocks in wait(). */
    int32_t (*notify)(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify, void *user);
    /* Optional: abandon the stream. Operations that have not begun are skipped, and the stream fails with
     * `status`. The core calls this when it cannot serve a host callback or a bridge. */
    void (*abandon)(struct trm_backend_stream *stream, int32_t status);
};

/* ---- modules (required) ------------------------------------------------------------------- */

struct trm_module_source {
    uint32_t struct_size;
    int32_t format; /* enum trm_module_format; the core turns other portable formats into SPIRV */
    const void *data;
    uint64_t size;
    const char *name; /* never NULL */

    /* Of SPIRV, whose data is a valid module in this machine's byte order, as words, not yet specialised: */

    /* Reflected, with the constants in force. Valid as long as the module. */
    const struct trm_kernel_info *kernels;
    uint32_t kernel_count;
    uint32_t constant_count;
    const struct trm_constant *constants; /* those that differ from their defaults, sorted by id */
    const uint8_t *digest;                /* 32 bytes: SHA-256 of the words and the constants */
    /* The path of a named module without ".spv", or of its form with matrices without ".spv"; code for the
     * backend may be beside it. NULL without a name. */
    const char *stem;
    /* What comes between stem and extension for these constants: "" or ".op=1,width=4". */
    const char *variant;

    /* Of CUBIN, PTX and CUDA; never NULL. All members are set, whatever version the program was compiled
     * against. Valid during load(). */
    const struct trm_native_options *native;
};

/* The result of translate(). */
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
    /* Lives as long as the module, since cores of minor 0 and 1 do not all copy it. Names have at most 127
     * bytes. */
    const struct trm_parameter *parameters;
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
    /* Find a kernel by its name. The kernel is part of the module and ends with it. */
    int32_t (*kernel)(struct trm_backend_module *module, const char *name, struct trm_backend_kernel **kernel,
                      struct trm_kernel_desc *desc);
    /* The name of kernel number `index`, for messages; NULL past the last. The core copies it, up to 1023
     * bytes. Optional. */
    const char *(*kernel_name)(struct trm_backend_module *module, uint32_t index);
    /* Write the code that load() would make of a SPIRV source to a new file at `path`. flags: enum
     * trm_build_flag. Optional. */
    int32_t (*build)(struct trm_backend_device *device, const struct trm_module_source *source,
                     uint32_t flags, const char *path);
};

/* ---- profile (optional): timestamps ------------------------------------------------------- */

/* Without this table the core reads the host's clock in a notification. */
struct trm_profile_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* UNSUPPORTED for a device without timestamps, which the core then treats as one without this table. */
    int32_t (*stamp_create)(struct trm_backend_device *device, struct trm_backend_stamp **stamp);
    void (*stamp_destroy)(struct trm_backend_stamp *stamp); /* its last record is complete */
    /* Enqueue: record the time at which the stream reaches the stamp. A stamp may be recorded again once its
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
    /* Optional, both or none. Without them the core allocates in stream order. */
    int32_t (*allocate)(struct trm_backend_stream *stream, uint64_t value, uint64_t size,
                        struct trm_backend_memory **memory);
    int32_t (*free)(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_memory *memory);
    /* Release memory that the backend caches beyond what the core has allocated, down to keep_bytes. The
     * core's own cache is within keep_bytes already. */
    int32_t (*trim)(struct trm_backend_device *device, uint64_t keep_bytes);
    /* Set how much the backend may cache. Also called when a device has been opened, with the setting
     * pool.threshold. */
    int32_t (*set_threshold)(struct trm_backend_device *device, uint64_t bytes);
    /* Used, cached and reserved bytes, without the memory of memory->allocate(). */
    int32_t (*statistics)(struct trm_backend_device *device, uint64_t *used, uint64_t *cached,
                          uint64_t *reserved);
};

/* ---- peer (optional): copies between devices of one instance ------------------------------ */

struct trm_peer_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* TRM_OK when `device` reaches memory of `other` directly. With TRM_ERROR_UNSUPPORTED the core stages
     * copies through the host. */
    int32_t (*can_access)(struct trm_backend_device *device, struct trm_backend_device *other);
    /* One side is memory of the stream's device, the other memory of a device that it can access. */
    int32_t (*copy)(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc);
};

/* ---- graph (optional): recorded sequences ------------------------------------------------- */

enum trm_graph_node_kind {
    TRM_GRAPH_COPY           = 1,
    TRM_GRAPH_COPY_2D        = 2,
    TRM_GRAPH_FILL           = 3,
    TRM_GRAPH_LAUNCH         = 4,
    TRM_GRAPH_STAMP          = 5,
    TRM_GRAPH_IMAGE_COPY     = 6, /* since minor 2, for backends with an image table: as of its copy */
    TRM_GRAPH_IMAGE_TRANSFER = 7, /* and its transfer */
};

struct trm_image_copy_desc;
struct trm_image_transfer_desc;

/* One operation of a graph. The pointer of its kind is set, the others are NULL. Descriptors are valid during
 * the call only; kernels, memory, images, stamps and the host memory of copies live as long as the graph. */
struct trm_graph_node {
    uint32_t struct_size;
    int32_t kind; /* enum trm_graph_node_kind */
    const struct trm_copy_desc *copy;
    const struct trm_copy_2d_desc *copy_2d;
    const struct trm_fill_desc *fill;
    const struct trm_launch_desc *launch;
    struct trm_backend_stamp *stamp;
    const struct trm_image_copy_desc *image_copy; /* since minor 2 */
    const struct trm_image_transfer_desc *image_transfer;
    const struct trm_module_source *source; /* since minor 4: of resident launches; NULL: native code */
};

/* Without this table the core enqueues the operations one by one. All slots but update are required. */
struct trm_graph_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* Nodes run in order, as if enqueued one after the other. count is never 0. With UNSUPPORTED the core
     * enqueues the operations of this sequence one by one. */
    int32_t (*create)(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                      uint32_t count, struct trm_backend_graph **graph);
    void (*destroy)(struct trm_backend_graph *graph); /* idle */
    /* Enqueue the graph as one operation. Its last launch was on this stream or is complete. */
    int32_t (*launch)(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_graph *graph);
    /* Replace a node of the idle graph by another of its kind. Optional: the core creates the graph again. */
    int32_t (*update)(struct trm_backend_graph *graph, uint32_t index, const struct trm_graph_node *node);
};

/* ---- resident (optional, since minor 4): kernels that stay on the device ------------------------ */

/* Streams for graphs alone, without calls of the driver. stream: create, destroy, query and wait are used,
 * copy and launch answer UNSUPPORTED. graph: with update(); its UNSUPPORTED has the reason. */
struct trm_resident_ops {
    uint32_t struct_size;
    uint32_t reserved;
    const struct trm_stream_ops *stream;
    const struct trm_graph_ops *graph;
    /* When operation `value`, complete and the last, ran; ns of CLOCK_MONOTONIC. Optional; since minor 6 */
    int32_t (*times)(struct trm_backend_stream *stream, uint64_t value, uint64_t *begin, uint64_t *end);
};

/* ---- interop, images, collectives, ranges (optional) --------------------------------------------------- */

#include <trireme/backend_collective.h>
#include <trireme/backend_image.h>
#include <trireme/backend_interop.h>
#include <trireme/backend_range.h>

/* ---- the backend -------------------------------------------------------------------------- */

struct trm_backend {
    uint32_t struct_size;
    uint32_t abi_minor; /* the minor that it was compiled for: TRM_BACKEND_ABI_MINOR */
    uint32_t flags;     /* 0 */
    uint32_t reserved;
    const char *name;    /* "cuda": lower-case letters, digits, '-' and '_' */
    const char *version; /* of the backend */
    const char *description;

    /* Whether the backend can work here, and how well. Opens the driver, so it may be slow. score: 1 to 1000
     * (a discrete GPU from 500 on, integrated 300, cpu 100, a software GPU 50). When it cannot work, returns
     * TRM_ERROR_UNSUPPORTED or another error and writes the reason, zero-terminated, within `capacity`
     * bytes. */
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

    /* A table that this header does not define, by name and version; NULL when the backend has none.
     * Optional. */
    const void *(*get_extension)(const char *name, uint32_t version);

    const struct trm_image_ops *image;           /* optional; since minor 2 */
    const struct trm_resident_ops *resident;     /* optional; since minor 4 */
    const struct trm_collective_ops *collective; /* optional; since minor 6 */
};

/* The one symbol of a plugin. Opens no driver and starts no thread.
 *
 * host       may be used for log() only
 * min_minor  the lowest minor that the core accepts
 * max_minor  the minor of the core
 * Blocks     no
 * Threads    any: contexts of several threads may load the plugin at the same time
 * Ownership  the table is static
 * Errors     NULL when the backend cannot serve such a core
 */
typedef const struct trm_backend *(*trm_backend_query_fn)(const struct trm_host *host, uint32_t min_minor,
                                                          uint32_t max_minor);
TRM_API const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                                       uint32_t max_minor);

TRM_API_END

#endif
