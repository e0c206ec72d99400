/* cuda backend: long copies from and to memory that is not pinned.
 * SPDX-License-Identifier: MIT
 */
#include "pageable.h"

#include <sched.h>
#include <string.h>

#include "backends/cuda/driver/driver.h"

#define PIECE_BYTES (UINT64_C(1) << 20)
#define MAX_WORKERS 4u
#define SLOTS_EACH 2u
#define SLOTS (MAX_WORKERS * SLOTS_EACH)
#define EARLIER_WORK SLOTS /* the event behind the stream's earlier work */
#define EVENTS (SLOTS + 1)
/* A copy of fewer bytes is over before another thread has started. */
#define WORKER_BYTES (UINT64_C(8) << 20)

/* One direction. Created when first needed. `busy` is held during a copy. */
struct cuda_staging {
    pthread_mutex_t busy;
    char *memory; /* pinned: SLOTS pieces */
    CUevent events[EVENTS];
    uint32_t event_count;
};

struct cuda_pageable {
    struct cuda_staging upload, download;
};

/* A copy, as its workers share it. */
struct work {
    struct trm_backend_device *device;
    struct cuda_staging *staging;
    CUstream stream;
    CUdeviceptr there;
    char *here;
    uint64_t size;
    uint64_t pieces;
    _Atomic uint64_t next;  /* the first piece that no worker has taken */
    _Atomic int32_t failed; /* the first CUresult that was an error */
    void (*do_piece)(struct work *work, uint32_t slot, uint64_t piece);
    void (*finish)(struct work *work, uint32_t slot, uint64_t piece);
};

struct worker {
    struct work *work;
    uint32_t number;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static char *slot_memory(const struct work *work, uint32_t slot)
{
    return work->staging->memory + slot * PIECE_BYTES;
}

static uint64_t piece_size(const struct work *work, uint64_t piece)
{
    uint64_t rest = work->size - piece * PIECE_BYTES;
    return rest < PIECE_BYTES ? rest : PIECE_BYTES;
}

static bool note_result(struct work *work, CUresult result)
{
    int32_t none = CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        return true;
    atomic_compare_exchange_strong(&work->failed, &none, (int32_t)result);
    return false;
}

static bool wait_for_slot(struct work *work, uint32_t slot)
{
    return note_result(work, work->device->cuda->cuEventSynchronize(work->staging->events[slot]));
}

/* The slot is in use until its event is complete. If the event cannot be recorded, wait for the stream. */
static void end_slot(struct work *work, uint32_t slot)
{
    const struct cuda_functions *cuda = work->device->cuda;
    if (!note_result(work, cuda->cuEventRecord(work->staging->events[slot], work->stream)))
        (void)cuda->cuStreamSynchronize(work->stream);
}

/* The slot is free once the device has passed its last event, of this copy or an earlier one. */
static void upload_piece(struct work *work, uint32_t slot, uint64_t piece)
{
    const struct cuda_functions *cuda = work->device->cuda;
    uint64_t size                     = piece_size(work, piece);
    if (!wait_for_slot(work, slot))
        return;
    memcpy(slot_memory(work, slot), work->here + piece * PIECE_BYTES, size);
    if (note_result(work, cuda->cuMemcpyHtoDAsync(work->there + piece * PIECE_BYTES, slot_memory(work, slot),
                                                  size, work->stream)))
        end_slot(work, slot);
}

/* The device may still be copying. */
static void finish_nothing(struct work *work, uint32_t slot, uint64_t piece)
{
    (void)work;
    (void)slot;
    (void)piece;
}

static void download_piece(struct work *work, uint32_t slot, uint64_t piece)
{
    const struct cuda_functions *cuda = work->device->cuda;
    if (note_result(work, cuda->cuMemcpyDtoHAsync(slot_memory(work, slot), work->there + piece * PIECE_BYTES,
                                                  piece_size(work, piece), work->stream)))
        end_slot(work, slot);
}

static void store_piece(struct work *work, uint32_t slot, uint64_t piece)
{
    if (wait_for_slot(work, slot))
        memcpy(work->here + piece * PIECE_BYTES, slot_memory(work, slot), piece_size(work, piece));
}

/* ---- workers --------------------------------------------------------------------------------- */

static bool next_piece(struct work *work, uint64_t *piece)
{
    if (atomic_load(&work->failed) != CUDA_SUCCESS)
        return false;
    *piece = atomic_fetch_add(&work->next, 1);
    return *piece < work->pieces;
}

/* Alternate: begin one slot's piece before finishing the other's. */
static void work_pieces(struct work *work, uint32_t first_slot)
{
    uint64_t pieces[SLOTS_EACH];
    bool begun[SLOTS_EACH] = {false};
    uint32_t turn          = 0;
    for (; next_piece(work, &pieces[turn]); turn = (turn + 1) % SLOTS_EACH) {
        work->do_piece(work, first_slot + turn, pieces[turn]);
        begun[turn]    = true;
        uint32_t other = (turn + 1) % SLOTS_EACH;
        if (begun[other])
            work->finish(work, first_slot + other, pieces[other]);
        begun[other] = false;
    }
    for (uint32_t slot = 0; slot < SLOTS_EACH; slot++) {
        if (begun[slot])
            work->finish(work, first_slot + slot, pieces[slot]);
    }
}

static void *run_worker(void *argument)
{
    const struct worker *worker = argument;
    CUcontext previous;
    if (cuda_enter(worker->work->device, &previous) != TRM_OK) {
        note_result(worker->work, CUDA_ERROR_INVALID_CONTEXT);
        return NULL;
    }
    work_pieces(worker->work, worker->number * SLOTS_EACH);
    cuda_leave(worker->work->device, previous);
    return NULL;
}

/* Counts the calling thread. */
static uint32_t count_workers(uint64_t size)
{
    cpu_set_t set;
    uint64_t most = size / WORKER_BYTES;
    CPU_ZERO(&set);
    uint64_t processors = sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
    most                = most < processors ? most : processors;
    most                = most < MAX_WORKERS ? most : MAX_WORKERS;
    return most > 1 ? (uint32_t)most : 1;
}

/* Workers poll their slots' events, which is right for as long as a piece takes. The stream's earlier work
 * may take any time, so block for that. */
static CUresult wait_for_earlier_work(const struct work *work)
{
    struct trm_backend_device *device = work->device;
    CUevent turn                      = work->staging->events[EARLIER_WORK];
    CUresult result                   = device->cuda->cuEventRecord(turn, work->stream);
    if (result == CUDA_SUCCESS)
        result = device->cuda->cuEventQuery(turn);
    return result == CUDA_ERROR_NOT_READY ? cuda_blocking_wait(device, turn) : result;
}

/* If threads cannot be started, the others do more. */
static CUresult run_workers(struct work *work)
{
    struct worker workers[MAX_WORKERS];
    pthread_t threads[MAX_WORKERS];
    uint32_t count = count_workers(work->size), started = 1;
    sigset_t before;
    for (uint32_t i = 0; i < MAX_WORKERS; i++)
        workers[i] = (struct worker){.work = work, .number = i};
    trm_util_signals_block(&before);
    while (started < count && pthread_create(&threads[started], NULL, run_worker, &workers[started]) == 0)
        started++;
    trm_util_signals_restore(&before);
    run_worker(&workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    return (CUresult)atomic_load(&work->failed);
}

/* ---- staging memory -------------------------------------------------------------------------- */

static void close_staging(struct trm_backend_device *device, struct cuda_staging *staging)
{
    for (uint32_t i = 0; i < staging->event_count; i++)
        (void)device->cuda->cuEventDestroy(staging->events[i]);
    if (staging->memory != NULL) {
        cuda_quiet_begin(device);
        (void)device->cuda->cuMemFreeHost(staging->memory);
        cuda_quiet_end(device);
    }
    staging->event_count = 0;
    staging->memory      = NULL;
}

/* With the context current. A partial failure undoes everything. */
static bool open_staging(struct trm_backend_device *device, struct cuda_staging *staging)
{
    const struct cuda_functions *cuda = device->cuda;
    void *memory                      = NULL;
    if (staging->memory != NULL)
        return true;
    while (staging->event_count < EVENTS && cuda->cuEventCreate(&staging->events[staging->event_count],
                                                                CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS)
        staging->event_count++;
    if (staging->event_count == EVENTS) {
        cuda_quiet_begin(device);
        CUresult result = cuda->cuMemHostAlloc(&memory, SLOTS * PIECE_BYTES, CU_MEMHOSTALLOC_PORTABLE);
        cuda_quiet_end(device);
        staging->memory = result == CUDA_SUCCESS ? memory : NULL;
    }
    if (staging->memory != NULL)
        return true;
    close_staging(device, staging);
    return false;
}

static bool ensure_staging(struct trm_backend_device *device, struct cuda_staging *staging)
{
    CUcontext previous;
    if (cuda_enter(device, &previous) != TRM_OK)
        return false;
    bool ready = open_staging(device, staging);
    cuda_leave(device, previous);
    return ready;
}

static struct cuda_pageable *find_stagings(struct trm_backend_device *device)
{
    pthread_mutex_lock(&device->lazy_lock);
    if (device->pageable == NULL) {
        device->pageable = trm_util_allocate(device->instance->host, sizeof(*device->pageable));
        if (device->pageable != NULL) {
            pthread_mutex_init(&device->pageable->upload.busy, NULL);
            pthread_mutex_init(&device->pageable->download.busy, NULL);
        }
    }
    struct cuda_pageable *stagings = device->pageable;
    pthread_mutex_unlock(&device->lazy_lock);
    return stagings;
}

static CUresult run(struct work *work)
{
    CUcontext previous;
    if (cuda_enter_stream(work->device, &previous) != TRM_OK)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = wait_for_earlier_work(work);
    cuda_leave(work->device, previous);
    return result == CUDA_SUCCESS ? run_workers(work) : result;
}

static bool copy(struct cuda_staging *staging, struct work *work, CUresult *result)
{
    if (pthread_mutex_trylock(&staging->busy) != 0)
        return false;
    bool ready = ensure_staging(work->device, staging);
    if (ready) {
        work->staging = staging;
        work->pieces  = (work->size + PIECE_BYTES - 1) / PIECE_BYTES;
        *result       = run(work);
    }
    pthread_mutex_unlock(&staging->busy);
    return ready;
}

bool cuda_pageable_upload(struct trm_backend_device *device, CUstream stream, CUdeviceptr to,
                          const void *from, uint64_t size, CUresult *result)
{
    struct cuda_pageable *stagings = find_stagings(device);
    struct work work               = {.device   = device,
                                      .stream   = stream,
                                      .there    = to,
                                      .here     = (char *)(uintptr_t)from,
                                      .size     = size,
                                      .do_piece = upload_piece,
                                      .finish   = finish_nothing};
    return stagings != NULL && copy(&stagings->upload, &work, result);
}

bool cuda_pageable_download(struct trm_backend_device *device, CUstream stream, void *to, CUdeviceptr from,
                            uint64_t size, CUresult *result)
{
    struct cuda_pageable *stagings = find_stagings(device);
    struct work work               = {.device   = device,
                                      .stream   = stream,
                                      .there    = from,
                                      .here     = to,
                                      .size     = size,
                                      .do_piece = download_piece,
                                      .finish   = store_piece};
    return stagings != NULL && copy(&stagings->download, &work, result);
}

void cuda_pageable_close(struct trm_backend_device *device)
{
    struct cuda_pageable *stagings = device->pageable;
    CUcontext previous;
    if (stagings == NULL)
        return;
    if (cuda_enter(device, &previous) == TRM_OK) {
        close_staging(device, &stagings->upload);
        close_staging(device, &stagings->download);
        cuda_leave(device, previous);
    }
    pthread_mutex_destroy(&stagings->download.busy);
    pthread_mutex_destroy(&stagings->upload.busy);
    trm_util_release(device->instance->host, stagings, sizeof(*stagings));
    device->pageable = NULL;
}
