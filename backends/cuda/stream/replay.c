/* cuda backend: launches by graphs of one node.
 * SPDX-License-Identifier: MIT
 */
#include "replay.h"

#include <string.h>

#include "backends/cuda/module/module.h"

#define KERNELS 16u      /* entries of a stream; a power of two */
#define TURNS 4u         /* graphs of a kernel, used in turn */
#define MAX_REPLAYS 512u /* of a device */

/* An entry is evicted when its place has missed this often. */
#define EVICT_AFTER 64u

/* After so many launches in a row whose parameters no graph had, only the graph whose turn it is is asked. */
#define STRANGERS 64u

struct replay {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode node;
    /* The parameters that it has. */
    CUfunction function; /* NULL: they are not known, or more than fit */
    uint32_t groups[3], group_size[3];
    uint32_t shared_bytes, argument_bytes;
    uint8_t arguments[CUDA_REPLAY_BYTES];
};

/* What a stream keeps of one kernel. The thread that submits uses it without a lock; giving it to another
 * kernel, or to none, takes the stream's lock. No thread launches a kernel that is being destroyed. */
struct entry {
    _Atomic uint64_t serial;
    uint64_t last; /* number of the last launch */
    uint32_t launches, misses, turn, strangers;
    bool failed; /* the driver makes no graph of this kernel */
    struct replay replays[TURNS];
};

struct cuda_replays {
    struct entry entries[KERNELS];
};

/* ---- creating -------------------------------------------------------------------------------- */

static bool has_graphs(const struct cuda_functions *cuda)
{
    return cuda->cuGraphAddKernelNode != NULL && cuda->cuGraphInstantiateWithFlags != NULL &&
           cuda->cuGraphExecKernelNodeSetParams != NULL;
}

static void replay_destroy(struct trm_backend_device *device, struct replay *replay)
{
    if (replay->exec != NULL) {
        (void)device->cuda->cuGraphExecDestroy(replay->exec);
        atomic_fetch_sub(&device->replays, 1);
    }
    if (replay->graph != NULL)
        (void)device->cuda->cuGraphDestroy(replay->graph);
    *replay = (struct replay){0};
}

/* With the context current. */
static CUresult replay_make(struct trm_backend_device *device, const CUDA_KERNEL_NODE_PARAMS *params,
                            struct replay *replay)
{
    const struct cuda_functions *cuda = device->cuda;
    if (atomic_fetch_add(&device->replays, 1) >= MAX_REPLAYS) {
        atomic_fetch_sub(&device->replays, 1);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = cuda->cuGraphCreate(&replay->graph, 0);
    if (result == CUDA_SUCCESS)
        result = cuda->cuGraphAddKernelNode(&replay->node, replay->graph, NULL, 0, params);
    if (result == CUDA_SUCCESS)
        result = cuda->cuGraphInstantiateWithFlags(&replay->exec, replay->graph, 0);
    if (result == CUDA_SUCCESS)
        return result;
    replay->exec = NULL;
    replay_destroy(device, replay);
    atomic_fetch_sub(&device->replays, 1);
    return result;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool has_params(const struct replay *at, const struct cuda_launch *launch)
{
    return at->function == launch->function && at->argument_bytes == launch->argument_bytes &&
           memcmp(at->groups, launch->groups, sizeof(at->groups)) == 0 &&
           memcmp(at->group_size, launch->group_size, sizeof(at->group_size)) == 0 &&
           at->shared_bytes == launch->shared_bytes &&
           memcmp(at->arguments, launch->arguments, launch->argument_bytes) == 0;
}

static void keep_params(struct replay *at, const struct cuda_launch *launch)
{
    if (launch->argument_bytes > CUDA_REPLAY_BYTES)
        return;
    memcpy(at->groups, launch->groups, sizeof(at->groups));
    memcpy(at->group_size, launch->group_size, sizeof(at->group_size));
    memcpy(at->arguments, launch->arguments, launch->argument_bytes);
    at->shared_bytes   = launch->shared_bytes;
    at->argument_bytes = launch->argument_bytes;
    at->function       = launch->function;
}

/* The graph that has the launch's parameters, beginning with the one that was launched longest ago; its turn
 * comes. False: none has, or not all have been made yet. */
static bool find_params(struct entry *entry, const struct cuda_launch *launch)
{
    uint32_t count = entry->strangers < STRANGERS ? TURNS : 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t turn = (entry->turn + i) % TURNS;
        if (entry->replays[turn].exec == NULL)
            return false;
        if (has_params(&entry->replays[turn], launch)) {
            entry->turn      = turn;
            entry->strangers = 0;
            return true;
        }
    }
    entry->strangers += entry->strangers < STRANGERS;
    return false;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* With the context current: the driver crashes without one. */
static CUresult set_params(struct trm_backend_device *device, struct replay *at,
                           const struct cuda_launch *launch)
{
    void *pointers[CUDA_MAX_ARGUMENTS];
    CUDA_KERNEL_NODE_PARAMS params = cuda_launch_node(device, launch, pointers);
    at->function                   = NULL;
    CUresult result                = at->exec != NULL
                                         ? device->cuda->cuGraphExecKernelNodeSetParams(at->exec, at->node, &params)
                                         : replay_make(device, &params, at);
    if (TRM_UTIL_LIKELY(result == CUDA_SUCCESS))
        keep_params(at, launch);
    return result;
}

/* Launching needs no current context as far as drivers are known; one that does is launched with it. */
static CUresult launch_graph(struct trm_backend_stream *stream, CUgraphExec exec)
{
    struct trm_backend_device *device = stream->device;
    CUcontext previous;
    CUresult result = device->cuda->cuGraphLaunch(exec, stream->handle);
    if (TRM_UTIL_LIKELY(result != CUDA_ERROR_INVALID_CONTEXT))
        return result;
    if (cuda_enter(device, &previous) != TRM_OK)
        return CUDA_ERROR_INVALID_CONTEXT;
    result = device->cuda->cuGraphLaunch(exec, stream->handle);
    cuda_leave(device, previous);
    return result == CUDA_ERROR_INVALID_CONTEXT ? CUDA_ERROR_NOT_SUPPORTED : result;
}

/* INVALID_CONTEXT: the device's context cannot be entered, which has been reported. */
static CUresult replay(struct trm_backend_stream *stream, struct entry *entry,
                       const struct cuda_launch *launch)
{
    struct trm_backend_device *device = stream->device;
    CUresult result                   = CUDA_SUCCESS;
    if (!find_params(entry, launch)) {
        CUcontext previous;
        if (cuda_enter(device, &previous) != TRM_OK)
            return CUDA_ERROR_INVALID_CONTEXT;
        result = set_params(device, &entry->replays[entry->turn], launch);
        cuda_leave(device, previous);
    }
    if (TRM_UTIL_LIKELY(result == CUDA_SUCCESS))
        result = launch_graph(stream, entry->replays[entry->turn].exec);
    if (TRM_UTIL_LIKELY(result == CUDA_SUCCESS))
        entry->turn = (entry->turn + 1) % TURNS;
    return result;
}

static CUresult launch_plainly(struct trm_backend_stream *stream, const struct cuda_launch *launch)
{
    return cuda_launch_submit(stream->device, stream->handle, launch);
}

/* A launch that the driver refuses as a graph is submitted plainly, which reports why if it fails too. */
static CUresult launch_by_graph(struct trm_backend_stream *stream, struct entry *entry,
                                const struct cuda_launch *launch)
{
    CUresult result = replay(stream, entry, launch);
    if (result == CUDA_ERROR_INVALID_CONTEXT)
        return result;
    if (TRM_UTIL_LIKELY(result == CUDA_SUCCESS) || cuda_is_sticky(result))
        return result;
    entry->failed = true;
    return launch_plainly(stream, launch);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* With the context current. */
static void entry_clear(struct trm_backend_device *device, struct entry *entry)
{
    for (uint32_t i = 0; i < TURNS; i++)
        replay_destroy(device, &entry->replays[i]);
    entry->launches  = 0;
    entry->misses    = 0;
    entry->turn      = 0;
    entry->strangers = 0;
    entry->failed    = false;
}

static uint64_t serial_of(const struct entry *entry)
{
    return atomic_load_explicit(&entry->serial, memory_order_relaxed);
}

/* With the stream's lock, and the context current where there are graphs. */
static void assign(struct trm_backend_stream *stream, struct entry *entry, uint64_t serial)
{
    entry_clear(stream->device, entry);
    entry->launches = 1;
    atomic_store_explicit(&entry->serial, serial, memory_order_relaxed);
}

/* With the lock. A kernel that is not launched any more makes room, unless it still runs. */
static bool may_evict(const struct trm_backend_stream *stream, struct entry *entry)
{
    return ++entry->misses >= EVICT_AFTER && cuda_stream_completed(stream) >= entry->last;
}

static void take_entry(struct trm_backend_stream *stream, struct entry *entry, uint64_t serial)
{
    CUcontext previous;
    pthread_mutex_lock(&stream->lock);
    bool has_graphs = entry->replays[0].exec != NULL;
    bool evicts     = has_graphs && may_evict(stream, entry);
    if (!has_graphs)
        assign(stream, entry, serial);
    pthread_mutex_unlock(&stream->lock);
    if (!evicts || cuda_enter(stream->device, &previous) != TRM_OK)
        return;
    pthread_mutex_lock(&stream->lock);
    assign(stream, entry, serial);
    pthread_mutex_unlock(&stream->lock);
    cuda_leave(stream->device, previous);
}

static struct cuda_replays *create_table(struct trm_backend_stream *stream)
{
    const struct trm_backend_device *device = stream->device;
    if (stream->priority > TRM_PRIORITY_NORMAL || stream->borrowed || !has_graphs(device->cuda))
        return NULL;
    struct cuda_replays *table = trm_util_allocate(device->instance->host, sizeof(*table));
    pthread_mutex_lock(&stream->lock);
    stream->replays = table;
    pthread_mutex_unlock(&stream->lock);
    return table;
}

CUresult cuda_replay_launch(struct trm_backend_stream *stream, const struct cuda_launch *launch)
{
    struct cuda_replays *table =
        TRM_UTIL_LIKELY(stream->replays != NULL) ? stream->replays : create_table(stream);
    uint64_t serial = launch->kernel->serial;
    if (!TRM_UTIL_LIKELY(table != NULL))
        return launch_plainly(stream, launch);
    struct entry *entry = &table->entries[serial % KERNELS];
    if (!TRM_UTIL_LIKELY(serial_of(entry) == serial)) {
        take_entry(stream, entry, serial);
        return launch_plainly(stream, launch);
    }
    entry->misses = 0;
    entry->last   = cuda_stream_submitted(stream) + 1;
    if (entry->failed || (entry->launches < CUDA_REPLAY_AFTER && ++entry->launches < CUDA_REPLAY_AFTER))
        return launch_plainly(stream, launch);
    return launch_by_graph(stream, entry, launch);
}

static void forget(struct trm_backend_stream *stream, uint64_t serial)
{
    pthread_mutex_lock(&stream->lock);
    struct entry *entry = stream->replays != NULL ? &stream->replays->entries[serial % KERNELS] : NULL;
    if (entry != NULL && serial_of(entry) == serial) {
        entry_clear(stream->device, entry);
        atomic_store_explicit(&entry->serial, 0, memory_order_relaxed);
    }
    pthread_mutex_unlock(&stream->lock);
}

void cuda_replays_forget(struct trm_backend_device *device, uint64_t serial)
{
    CUcontext previous;
    if (atomic_load(&device->replays) == 0 || cuda_enter(device, &previous) != TRM_OK)
        return;
    pthread_mutex_lock(&device->streams_lock);
    for (struct trm_backend_stream *stream = device->streams; stream != NULL; stream = stream->next)
        forget(stream, serial);
    pthread_mutex_unlock(&device->streams_lock);
    cuda_leave(device, previous);
}

void cuda_replays_fini(struct trm_backend_stream *stream)
{
    if (stream->replays == NULL)
        return;
    for (uint32_t i = 0; i < KERNELS; i++)
        entry_clear(stream->device, &stream->replays->entries[i]);
    trm_util_release(stream->device->instance->host, stream->replays, sizeof(*stream->replays));
    stream->replays = NULL;
}
