/* cuda backend: resident streams.
 *
 * The ring's head names the launch of the kernel that may serve it, the version of the graph's table and the
 * last token. A kernel that finds another launch in it ends; so the host stops it by naming another. A kernel
 * that has been idle writes its launch into `leaving`, and then looks at the head once more; the host writes
 * the head, and then looks at `leaving`. One of the two sees the other. If both do, the host's next launch is
 * queued behind the kernel, finds in the ring what it has served, and goes on from there.
 *
 * A token that takes longer than the setting cuda.resident.limit is given up: the host writes the launch into
 * `given_up`, where loops that might not end look, and the stream has failed.
 *
 * Numbers of tokens in the ring are the low 32 bits of the core's.
 * SPDX-License-Identifier: MIT
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/cuda/memory/memory.h"
#include "clock.h"
#include "resident.h"

#define RING_BYTES 4096u
#define MEET_BYTES 256u
#define LAUNCHES 0x7fffu /* launches have the numbers from 1 to this, again and again */
#define STOP 0x8000u     /* no launch has this bit */
#define IDLE_DEFAULT_US 5000u
#define LIMIT_DEFAULT_MS 10000u
#define NAP_NS 20000    /* between looks, once a wait has polled for the spin time */
#define LOOKS_QUICK 64u /* looks at the ring alone, some 3 µs, between looks at the rest */
#define CHECK_NS 200000 /* between questions to the driver whether all is well */

struct ring {
    _Atomic uint64_t head;     /* launch << 48 | version << 32 | token */
    _Atomic uint64_t given_up; /* a launch */
    uint64_t unused[6];        /* the host writes the first line, the device the second */
    _Atomic uint64_t done;     /* lower half of the device's clock at the end << 32 | token */
    _Atomic uint64_t leaving;
    _Atomic uint64_t begin; /* the device's clock, in ns, when the last token began */
};

struct cuda_resident {
    struct cuda_quiet_member member; /* first */
    struct trm_backend_device *device;
    CUstream handle;
    struct ring *ring;
    CUdeviceptr ring_address, meet;
    uint64_t idle_ns, limit_ns; /* limit_ns 0: none */
    struct trm_util_lock lock;  /* guards what follows but the atomics' readers */
    /* Of the kernel; NULL: none. Written under the device's quiet_lock as well; the thread that submits reads
     * it without a lock. */
    _Atomic(struct cuda_resident_graph *) graph;
    uint32_t launch;
    bool is_alive;   /* a kernel is launched and not known to leave */
    bool is_paused;  /* none may be launched */
    uint64_t seen;   /* tokens that had ended when progress was last looked for */
    uint64_t since;  /* trm_util_now() when there was some; 0: to be looked for */
    uint64_t handed; /* trm_util_now() when the last token was submitted */
    struct cuda_resident_clock clock;
    _Atomic uint64_t most; /* tokens that may end: all, but where the others were given up */
    _Atomic uint64_t submitted;
    _Atomic int32_t failure; /* the first; TRM_OK: none */
    /* trm_util_now() when the driver was last asked how it is; 0: not since the last submission. */
    _Atomic uint64_t checked;
};

static struct cuda_resident *resident_of(struct trm_backend_stream *stream)
{
    return (struct cuda_resident *)(void *)stream;
}

/* ---- how far it is --------------------------------------------------------------------------- */

/* A kernel may have ended a token whose submission failed, and says of those that are given up what it
 * likes. */
static uint64_t completed(const struct cuda_resident *resident)
{
    uint32_t done      = (uint32_t)atomic_load_explicit(&resident->ring->done, memory_order_acquire);
    uint64_t submitted = atomic_load_explicit(&resident->submitted, memory_order_acquire);
    uint64_t most      = atomic_load_explicit(&resident->most, memory_order_acquire);
    uint32_t left      = (uint32_t)submitted - done;
    uint64_t value     = left > INT32_MAX ? submitted : submitted - left;
    return TRM_UTIL_LIKELY(value <= most) ? value : most;
}

static uint64_t submitted(const struct cuda_resident *resident)
{
    return atomic_load_explicit(&resident->submitted, memory_order_acquire);
}

/* ---- launching and stopping; under the lock -------------------------------------------------- */

static void write_head(struct cuda_resident *resident, uint32_t launch)
{
    struct cuda_resident_graph *graph = resident->graph;
    uint32_t version =
        graph != NULL ? atomic_load_explicit(&graph->version, memory_order_acquire) & 0xffffu : 0;
    atomic_store(&resident->ring->head,
                 (uint64_t)launch << 48 | (uint64_t)version << 32 |
                     (uint32_t)atomic_load_explicit(&resident->submitted, memory_order_relaxed));
}

static bool is_leaving(const struct cuda_resident *resident)
{
    return atomic_load(&resident->ring->leaving) == resident->launch;
}

static CUresult start(struct cuda_resident *resident)
{
    const struct cuda_functions *cuda       = resident->device->cuda;
    const struct cuda_resident_graph *graph = resident->graph;
    uint32_t launch                         = resident->launch;
    void *parameters[]                      = {
                             &resident->ring_address,
                             &resident->meet,
                             (void *)(uintptr_t)&graph->table_address,
                             (void *)(uintptr_t)&graph->table_bytes,
                             (void *)(uintptr_t)&graph->count,
                             &launch,
                             &resident->idle_ns,
    };
    if (graph->groups == 1)
        return cuda->cuLaunchKernel(graph->function, 1, 1, 1, graph->threads, 1, 1, graph->table_bytes,
                                    resident->handle, parameters, NULL);
    CUresult result =
        cuda->cuMemsetD32Async(resident->meet, 0, MEET_BYTES / sizeof(uint32_t), resident->handle);
    return result != CUDA_SUCCESS
               ? result
               : cuda->cuLaunchCooperativeKernel(graph->function, graph->groups, 1, 1, graph->threads, 1, 1,
                                                 graph->table_bytes, resident->handle, parameters);
}

/* The first failure, explained. */
static int32_t check(struct cuda_resident *resident)
{
    int32_t status = atomic_load_explicit(&resident->failure, memory_order_relaxed);
    if (TRM_UTIL_LIKELY(status == TRM_OK))
        return TRM_OK;
    if (cuda_device_is_lost(resident->device))
        return cuda_device_check(resident->device);
    if (atomic_load_explicit(&resident->most, memory_order_relaxed) != UINT64_MAX)
        return trm_util_fail(resident->device->instance->host, status, CUDA_ERROR_LAUNCH_TIMEOUT,
                             "A token on a kernel that stays on the device took longer than "
                             "cuda.resident.limit (%llu ms); it was given up.",
                             (unsigned long long)(resident->limit_ns / 1000000));
    return trm_util_fail(resident->device->instance->host, status, 0,
                         "A kernel that stays on the device failed.");
}

/* Launches a kernel unless one is alive or none may be. A stream that has failed gets none. */
static int32_t ensure(struct cuda_resident *resident)
{
    CUcontext previous;
    int32_t status = check(resident);
    if (status != TRM_OK)
        return status;
    if (resident->is_alive && is_leaving(resident))
        resident->is_alive = false;
    if (resident->is_alive || resident->is_paused || resident->graph == NULL)
        return TRM_OK;
    status = cuda_enter(resident->device, &previous);
    if (status != TRM_OK)
        return status;
    resident->launch = resident->launch % LAUNCHES + 1;
    write_head(resident, resident->launch);
    CUresult result = start(resident);
    cuda_leave(resident->device, previous);
    resident->is_alive = result == CUDA_SUCCESS;
    return result == CUDA_SUCCESS ? TRM_OK : cuda_device_fail(resident->device, result, "cuLaunchKernel");
}

static void stop(struct cuda_resident *resident)
{
    if (resident->is_alive)
        write_head(resident, resident->launch | STOP);
    resident->is_alive = false;
}

/* Keeps the first failure. */
static int32_t fail(struct cuda_resident *resident, int32_t status)
{
    int32_t none = TRM_OK;
    (void)atomic_compare_exchange_strong(&resident->failure, &none, status);
    return status;
}

/* Tells the kernel, also one that was stopped and has a token left, to end without it. */
static void give_up(struct cuda_resident *resident)
{
    atomic_store_explicit(&resident->most, resident->seen, memory_order_release);
    (void)fail(resident, TRM_ERROR_TIME_LIMIT);
    atomic_store(&resident->ring->given_up, resident->launch);
    write_head(resident, resident->launch | STOP);
    resident->is_alive = false;
}

/* Gives up where no token has ended for too long. While no kernel may be launched only the one that is left
 * counts, for which `is_awaited` is true. Takes the lock. */
static void check_progress(struct cuda_resident *resident, bool is_awaited)
{
    trm_util_lock_acquire(&resident->lock);
    if (resident->is_paused && !is_awaited) {
        trm_util_lock_release(&resident->lock);
        return;
    }
    /* Under the lock, so that `since` is never later, although other threads set it. */
    uint64_t now = trm_util_now(), done = completed(resident);
    bool is_new = resident->since == 0 || done != resident->seen || done == submitted(resident);
    if (is_new) {
        resident->seen  = done;
        resident->since = now;
    } else if (resident->limit_ns != 0 && now - resident->since > resident->limit_ns &&
               atomic_load_explicit(&resident->failure, memory_order_relaxed) == TRM_OK) {
        give_up(resident);
    }
    trm_util_lock_release(&resident->lock);
}

static void nap(void)
{
    const struct timespec time = {.tv_nsec = NAP_NS};
    nanosleep(&time, NULL);
}

/* Without the lock: a kernel that was stopped ends its token first, unless that hangs. */
static void await_stop(struct cuda_resident *resident)
{
    const struct cuda_functions *cuda = resident->device->cuda;
    uint64_t begin                    = trm_util_now();
    CUcontext previous;
    if (cuda_device_is_lost(resident->device) || cuda_enter(resident->device, &previous) != TRM_OK)
        return;
    while (cuda->cuStreamQuery(resident->handle) == CUDA_ERROR_NOT_READY) {
        if (trm_util_now() - begin < resident->device->spin_ns) {
            trm_util_relax();
            continue;
        }
        check_progress(resident, true);
        nap();
    }
    cuda_leave(resident->device, previous);
}

static void lose_graph(struct cuda_resident *resident)
{
    trm_util_lock_acquire(&resident->lock);
    stop(resident);
    resident->graph = NULL;
    trm_util_lock_release(&resident->lock);
    await_stop(resident);
}

/* ---- quiet times ----------------------------------------------------------------------------- */

static void pause_member(struct cuda_quiet_member *member)
{
    struct cuda_resident *resident = (struct cuda_resident *)member;
    trm_util_lock_acquire(&resident->lock);
    resident->is_paused = true;
    stop(resident);
    trm_util_lock_release(&resident->lock);
}

static void await_member(struct cuda_quiet_member *member)
{
    await_stop((struct cuda_resident *)member);
}

/* A failure to launch shows when the stream is looked at. */
static void resume_member(struct cuda_quiet_member *member)
{
    struct cuda_resident *resident = (struct cuda_resident *)member;
    trm_util_lock_acquire(&resident->lock);
    resident->is_paused = false;
    resident->since     = 0;
    if (completed(resident) < submitted(resident))
        (void)ensure(resident);
    trm_util_lock_release(&resident->lock);
}

/* ---- submitting ------------------------------------------------------------------------------ */

static void wait_for_all(struct cuda_resident *resident)
{
    while (completed(resident) < submitted(resident) && !cuda_device_is_lost(resident->device)) {
        trm_util_lock_acquire(&resident->lock);
        int32_t status = ensure(resident);
        trm_util_lock_release(&resident->lock);
        if (status != TRM_OK)
            return;
        check_progress(resident, false);
        trm_util_relax();
    }
}

/* Stops the kernel of the graph that the stream has, and takes another. Under the device's quiet_lock. */
static void take_graph(struct cuda_resident *resident, struct cuda_resident_graph *graph)
{
    if (graph != NULL && graph->stream != NULL)
        lose_graph(graph->stream);
    trm_util_lock_acquire(&resident->lock);
    stop(resident);
    struct cuda_resident_graph *before = resident->graph;
    if (before != NULL)
        before->stream = NULL;
    resident->graph = graph;
    if (graph != NULL)
        graph->stream = resident;
    trm_util_lock_release(&resident->lock);
}

static void change_graph(struct cuda_resident *resident, struct cuda_resident_graph *graph)
{
    wait_for_all(resident);
    pthread_mutex_lock(&resident->device->quiet_lock);
    take_graph(resident, graph);
    pthread_mutex_unlock(&resident->device->quiet_lock);
}

int32_t cuda_resident_submit(struct trm_backend_stream *stream, uint64_t value,
                             struct cuda_resident_graph *graph)
{
    struct cuda_resident *resident = resident_of(stream);
    int32_t status                 = check(resident);
    if (TRM_UTIL_UNLIKELY(status != TRM_OK))
        return status;
    if (TRM_UTIL_UNLIKELY(atomic_load_explicit(&resident->graph, memory_order_relaxed) != graph))
        change_graph(resident, graph);
    trm_util_lock_acquire(&resident->lock);
    atomic_store_explicit(&resident->submitted, value, memory_order_release);
    resident->since  = 0;
    resident->handed = trm_util_now();
    atomic_store_explicit(&resident->checked, 0, memory_order_relaxed);
    if (resident->is_alive)
        write_head(resident, resident->launch);
    if (TRM_UTIL_UNLIKELY(!resident->is_alive || is_leaving(resident))) {
        status = ensure(resident);
        if (status != TRM_OK)
            atomic_store_explicit(&resident->submitted, value - 1, memory_order_release);
    }
    trm_util_lock_release(&resident->lock);
    return status;
}

void cuda_resident_forget(struct cuda_resident_graph *graph)
{
    pthread_mutex_lock(&graph->device->quiet_lock);
    struct cuda_resident *resident = graph->stream;
    if (resident != NULL) {
        take_graph(resident, NULL);
        await_stop(resident);
    }
    pthread_mutex_unlock(&graph->device->quiet_lock);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Asks the driver, which alone knows of a fault, whether the stream goes on. */
static int32_t check_health(struct cuda_resident *resident)
{
    CUcontext previous;
    int32_t status = cuda_device_check(resident->device);
    if (status == TRM_OK)
        status = cuda_enter(resident->device, &previous);
    if (status != TRM_OK)
        return fail(resident, status);
    CUresult result = resident->device->cuda->cuStreamQuery(resident->handle);
    cuda_leave(resident->device, previous);
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) {
        check_progress(resident, false);
        return check(resident);
    }
    return fail(resident, cuda_device_fail(resident->device, result, "cuStreamQuery"));
}

/* Whether a token has taken so long that the driver should be asked. */
static bool is_check_due(struct cuda_resident *resident)
{
    uint64_t now = trm_util_now(), checked = atomic_load_explicit(&resident->checked, memory_order_relaxed);
    if (checked != 0 && now - checked < CHECK_NS)
        return false;
    atomic_store_explicit(&resident->checked, now, memory_order_relaxed);
    return checked != 0;
}

/* Launches the kernel again where it has left though there is work. */
static int32_t look(struct cuda_resident *resident)
{
    int32_t status = check(resident);
    if (status != TRM_OK)
        return status;
    trm_util_lock_acquire(&resident->lock);
    if (completed(resident) < submitted(resident))
        status = ensure(resident);
    trm_util_lock_release(&resident->lock);
    if (status != TRM_OK)
        return fail(resident, status);
    return is_check_due(resident) ? check_health(resident) : TRM_OK;
}

static int32_t stream_query(struct trm_backend_stream *stream, uint64_t *reached)
{
    struct cuda_resident *resident = resident_of(stream);
    int32_t status                 = TRM_OK;
    uint64_t value                 = completed(resident);
    if (value < submitted(resident))
        status = look(resident);
    *reached = value;
    return status;
}

static bool ends_soon(const struct cuda_resident *resident, uint64_t value)
{
    for (uint32_t i = 0; i < LOOKS_QUICK; i++) {
        if (completed(resident) >= value)
            return true;
        trm_util_relax();
    }
    return false;
}

static int32_t stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    struct cuda_resident *resident = resident_of(stream);
    uint64_t begin                 = 0;
    if (completed(resident) >= value)
        return TRM_OK;
    uint64_t deadline = trm_util_deadline(timeout_ns);
    while (!ends_soon(resident, value)) {
        int32_t status = look(resident);
        uint64_t now   = trm_util_now();
        if (status != TRM_OK)
            return status;
        if (now >= deadline)
            return completed(resident) >= value ? TRM_OK : TRM_ERROR_TIMEOUT;
        begin = begin == 0 ? now : begin;
        if (now - begin >= resident->device->spin_ns)
            nap();
    }
    return TRM_OK;
}

/* ---- times ------------------------------------------------------------------------------------ */

/* Tokens that took longer than the lower half of the clock, 4.3 s, seem to be shorter by that. */
static int32_t stream_times(struct trm_backend_stream *stream, uint64_t value, uint64_t *begin, uint64_t *end)
{
    struct cuda_resident *resident = resident_of(stream);
    uint64_t now                   = trm_util_now();
    uint64_t done                  = atomic_load_explicit(&resident->ring->done, memory_order_acquire);
    uint64_t began                 = atomic_load_explicit(&resident->ring->begin, memory_order_acquire);
    uint64_t ended                 = began + (uint32_t)((uint32_t)(done >> 32) - (uint32_t)began);
    if ((uint32_t)done != (uint32_t)value || completed(resident) < value)
        return trm_util_fail(resident->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The token is not the last one that has ended.");
    trm_util_lock_acquire(&resident->lock);
    cuda_resident_clock_note(&resident->clock, resident->handed, now, began, ended);
    *begin = cuda_resident_clock_convert(&resident->clock, began);
    *end   = cuda_resident_clock_convert(&resident->clock, ended);
    trm_util_lock_release(&resident->lock);
    return TRM_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t setting(const struct trm_host *host, const char *name, uint64_t usual)
{
    char text[32];
    uint64_t needed = 0;
    bool is_given   = host->get_setting(host->context, name, text, sizeof(text), &needed) == TRM_OK;
    return is_given && text[0] != '\0' ? strtoull(text, NULL, 10) : usual;
}

/* With the context entered. */
static int32_t make_parts(struct cuda_resident *resident)
{
    struct trm_backend_device *device = resident->device;
    void *ring                        = NULL;
    CUresult result                   = cuda_memory_pin(device, RING_BYTES, &resident->ring_address, &ring);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuMemHostAlloc");
    resident->ring = memset(ring, 0, RING_BYTES);
    result         = device->cuda->cuMemAlloc(&resident->meet, MEET_BYTES);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuMemAlloc");
    result = device->cuda->cuStreamCreateWithPriority(&resident->handle, CU_STREAM_NON_BLOCKING, 0);
    return result == CUDA_SUCCESS ? TRM_OK : cuda_device_fail(device, result, "cuStreamCreateWithPriority");
}

static void release(struct cuda_resident *resident)
{
    struct trm_backend_device *device = resident->device;
    CUcontext previous;
    cuda_quiet_begin(device);
    if (cuda_enter(device, &previous) == TRM_OK) {
        if (resident->handle != NULL)
            (void)device->cuda->cuStreamDestroy(resident->handle);
        if (resident->meet != 0)
            (void)device->cuda->cuMemFree(resident->meet);
        if (resident->ring != NULL)
            (void)device->cuda->cuMemFreeHost(resident->ring);
        cuda_leave(device, previous);
    }
    cuda_quiet_end(device);
    trm_util_release(device->instance->host, resident, sizeof(*resident));
}

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **stream)
{
    CUcontext previous;
    sigset_t before;
    (void)desc;
    struct cuda_resident *resident = trm_util_allocate(device->instance->host, sizeof(*resident));
    if (resident == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a resident stream");
    resident->device   = device;
    resident->most     = UINT64_MAX;
    resident->idle_ns  = setting(device->instance->host, "cuda.resident.idle", IDLE_DEFAULT_US) * 1000u;
    resident->limit_ns = setting(device->instance->host, "cuda.resident.limit", LIMIT_DEFAULT_MS) * 1000000u;
    resident->member =
        (struct cuda_quiet_member){.pause = pause_member, .await = await_member, .resume = resume_member};
    int32_t status = cuda_enter(device, &previous);
    if (status == TRM_OK) {
        cuda_quiet_begin(device);
        trm_util_signals_block(&before);
        status = make_parts(resident);
        trm_util_signals_restore(&before);
        cuda_quiet_end(device);
        cuda_leave(device, previous);
    }
    if (status != TRM_OK) {
        release(resident);
        return status;
    }
    cuda_quiet_join(device, &resident->member);
    *stream = (struct trm_backend_stream *)(void *)resident;
    return TRM_OK;
}

static void stream_destroy(struct trm_backend_stream *stream)
{
    struct cuda_resident *resident = resident_of(stream);
    pthread_mutex_lock(&resident->device->quiet_lock);
    take_graph(resident, NULL);
    pthread_mutex_unlock(&resident->device->quiet_lock);
    await_stop(resident);
    cuda_quiet_leave(resident->device, &resident->member);
    release(resident);
}

static int32_t refuse(struct trm_backend_stream *stream)
{
    return trm_util_fail(resident_of(stream)->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "A resident stream runs resident graphs alone.");
}

static int32_t stream_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc)
{
    (void)value;
    (void)desc;
    return refuse(stream);
}

static int32_t stream_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc)
{
    (void)value;
    (void)desc;
    return refuse(stream);
}

const struct trm_stream_ops cuda_resident_stream_ops = {
    .struct_size = sizeof(cuda_resident_stream_ops),
    .create      = stream_create,
    .destroy     = stream_destroy,
    .copy        = stream_copy,
    .launch      = stream_launch,
    .query       = stream_query,
    .wait        = stream_wait,
};

const struct trm_resident_ops cuda_resident_ops = {
    .struct_size = sizeof(cuda_resident_ops),
    .stream      = &cuda_resident_stream_ops,
    .graph       = &cuda_resident_graph_ops,
    .times       = stream_times,
};
