/* The hostile backend: the template with all optional slots and tables, each of which answers what a test
 * says. Operations run inside the call that enqueues them; graphs, semaphores and native events do nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <trireme/backend.h>

/* Every slot that returns a status, and its name in the library's sentences. */
#define HOSTILE_SLOTS(SLOT)                            \
    SLOT(PROBE, "probe")                               \
    SLOT(OPEN, "open")                                 \
    SLOT(DEVICE_COUNT, "device.count")                 \
    SLOT(DEVICE_GET_INFO, "device.get_info")           \
    SLOT(DEVICE_OPEN, "device.open")                   \
    SLOT(MEMORY_ALLOCATE, "memory.allocate")           \
    SLOT(MEMORY_HOST_POINTER, "memory.host_pointer")   \
    SLOT(STREAM_CREATE, "stream.create")               \
    SLOT(STREAM_COPY, "stream.copy")                   \
    SLOT(STREAM_LAUNCH, "stream.launch")               \
    SLOT(STREAM_COPY_2D, "stream.copy_2d")             \
    SLOT(STREAM_FILL, "stream.fill")                   \
    SLOT(STREAM_MARK, "stream.mark")                   \
    SLOT(STREAM_WAIT_STREAM, "stream.wait_stream")     \
    SLOT(STREAM_GATE, "stream.gate")                   \
    SLOT(STREAM_PREFETCH, "stream.prefetch")           \
    SLOT(STREAM_FLUSH, "stream.flush")                 \
    SLOT(STREAM_QUERY, "stream.query")                 \
    SLOT(STREAM_WAIT, "stream.wait")                   \
    SLOT(STREAM_WAIT_ANY, "stream.wait_any")           \
    SLOT(STREAM_NOTIFY, "stream.notify")               \
    SLOT(MODULE_SUPPORTS, "module.supports")           \
    SLOT(MODULE_LOAD, "module.load")                   \
    SLOT(MODULE_KERNEL, "module.kernel")               \
    SLOT(MODULE_BUILD, "module.build")                 \
    SLOT(STAMP_CREATE, "profile.stamp_create")         \
    SLOT(STAMP_RECORD, "profile.stamp_record")         \
    SLOT(STAMP_READ, "profile.stamp_read")             \
    SLOT(POOL_ALLOCATE, "pool.allocate")               \
    SLOT(POOL_FREE, "pool.free")                       \
    SLOT(POOL_TRIM, "pool.trim")                       \
    SLOT(POOL_SET_THRESHOLD, "pool.set_threshold")     \
    SLOT(POOL_STATISTICS, "pool.statistics")           \
    SLOT(PEER_CAN_ACCESS, "peer.can_access")           \
    SLOT(PEER_COPY, "peer.copy")                       \
    SLOT(COLLECTIVE_CREATE, "collective.create")       \
    SLOT(COLLECTIVE_ENQUEUE, "collective.enqueue")     \
    SLOT(GRAPH_CREATE, "graph.create")                 \
    SLOT(GRAPH_LAUNCH, "graph.launch")                 \
    SLOT(GRAPH_UPDATE, "graph.update")                 \
    SLOT(DEVICE_HANDLE, "interop.device_handle")       \
    SLOT(STREAM_HANDLE, "interop.stream_handle")       \
    SLOT(MEMORY_HANDLE, "interop.memory_handle")       \
    SLOT(ADOPT, "interop.adopt")                       \
    SLOT(MEMORY_CREATE, "interop.memory_create")       \
    SLOT(MEMORY_EXPORT, "interop.memory_export")       \
    SLOT(MEMORY_IMPORT, "interop.memory_import")       \
    SLOT(SEMAPHORE_CREATE, "interop.semaphore_create") \
    SLOT(SEMAPHORE_IMPORT, "interop.semaphore_import") \
    SLOT(SEMAPHORE_EXPORT, "interop.semaphore_export") \
    SLOT(SEMAPHORE_VALUE, "interop.semaphore_value")   \
    SLOT(SEMAPHORE_WAIT, "interop.semaphore_wait")     \
    SLOT(SEMAPHORE_SIGNAL, "interop.semaphore_signal") \
    SLOT(STREAM_ADOPT, "interop.stream_adopt")         \
    SLOT(MEMORY_ADOPT, "interop.memory_adopt")         \
    SLOT(HAND_OVER, "interop.hand_over")               \
    SLOT(EVENT_WAIT, "interop.event_wait")             \
    SLOT(EVENT_RECORD, "interop.event_record")         \
    SLOT(IPC_CREATE, "interop.ipc_create")             \
    SLOT(IPC_EXPORT, "interop.ipc_export")             \
    SLOT(IPC_OPEN, "interop.ipc_open")                 \
    SLOT(IMAGE_SUPPORTS, "image.supports")             \
    SLOT(IMAGE_CREATE, "image.create")                 \
    SLOT(IMAGE_COPY, "image.copy")                     \
    SLOT(IMAGE_TRANSFER, "image.transfer")             \
    SLOT(SAMPLER_CREATE, "image.sampler_create")

#define HOSTILE_ENUM(name, text) HOSTILE_##name,
enum hostile_slot {
    HOSTILE_SLOTS(HOSTILE_ENUM) HOSTILE_SLOT_COUNT
};
#undef HOSTILE_ENUM

/* What a slot does instead of its work. */
struct hostile_answer {
    int32_t status;      /* not TRM_OK: returned, and nothing is done */
    bool writes_nothing; /* TRM_OK is returned, but no output is written; text gets no end */
    bool lies;           /* `number` takes the place of the first number that is written */
    uint64_t number;
};

#define HOSTILE_CONTROL_SYMBOL "hostile_control"

/* What a test that has loaded the plugin holds. All functions may be called from any thread. */
struct hostile_control {
    /* Set the answer of a slot from now on. */
    void (*set)(enum hostile_slot slot, struct hostile_answer answer);
    /* Set the value of a property of the devices (enum trm_device_key), of one uint64_t. */
    void (*set_property)(uint32_t key, uint64_t value);
    /* All slots do their work again, and the tables are whole. */
    void (*reset)(void);
    /* NULL, or what draws an answer for each call before `answer` is used. */
    void (*draw)(enum hostile_slot slot, struct hostile_answer *answer);

    /* The tables as the plugin returns them from its query: to be damaged. */
    struct trm_backend *backend;
    struct trm_device_ops *device;
    struct trm_memory_ops *memory;
    struct trm_stream_ops *stream;
    struct trm_module_ops *module;
    struct trm_profile_ops *profile;
    struct trm_pool_ops *pool;
    struct trm_peer_ops *peer;
    struct trm_graph_ops *graph;
    struct trm_interop_ops *interop;
    struct trm_range_ops *range;
    struct trm_image_ops *image;
    struct trm_collective_ops *collective;

    /* What module.kernel() and kernel_name() answer; NULL: what the template does. */
    const struct trm_parameter *parameters;
    const char *kernel_name;

    /* NULL, or called with each launch. */
    void (*launched)(const struct trm_launch_desc *desc);

    _Atomic int32_t image_objects; /* images and samplers that are alive */
};

extern TRM_API struct hostile_control hostile_control;

/* ---- between the files of the plugin ---- */

/* The answer of a slot for this call. */
struct hostile_answer hostile_begin(enum hostile_slot slot);
uint64_t hostile_number(const struct hostile_answer *answer, uint64_t honest);

/* A property that was set; false: the template's counts. */
bool hostile_property(uint32_t key, uint64_t *value);

/* The template's tables. */
const struct trm_backend *hostile_template(void);

/* What became of memory of the pool. At the end of its device the hostile backend frees what pool.free()
 * kept, and, once stream.create() has failed, what is still lent: without a stream of its own the core cannot
 * give it back. Anything else that is still lent is a leak of the core. */
enum hostile_memory_state {
    HOSTILE_MEMORY_FREED,
    HOSTILE_MEMORY_LENT,
    HOSTILE_MEMORY_KEPT,
};
void hostile_memory_note(struct trm_backend_memory *memory, enum hostile_memory_state state);
void hostile_stream_refused(void);

/* An operation that only takes its number. */
int32_t hostile_nothing(struct trm_backend_stream *stream, uint64_t value);

extern const struct trm_stream_ops hostile_stream_ops;
extern const struct trm_module_ops hostile_module_ops;
extern const struct trm_profile_ops hostile_profile_ops;
extern const struct trm_pool_ops hostile_pool_ops;
extern const struct trm_peer_ops hostile_peer_ops;
extern const struct trm_graph_ops hostile_graph_ops;
extern const struct trm_interop_ops hostile_interop_ops;
extern const struct trm_range_ops hostile_range_ops;
extern const struct trm_image_ops hostile_image_ops;
extern const struct trm_collective_ops hostile_collective_ops;

#endif
