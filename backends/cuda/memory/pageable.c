/* cuda backend: long copies from and to memory of the program that the device does not reach.
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
#define TURN SLOTS /* the event of what the stream has to do before */
#define EVENTS (SLOTS + 1)
/* A thread that is started for less is done before it has begun. */
#define WORKER_BYTES (UINT64_C(8) << 20)

/* One direction. Made when it is first needed; `busy` is held for a copy. */
struct cuda_staging {
    pthread_mutex_t busy;
    char *memory; /* pinned: SLOTS pieces */
    CUevent events[EVENTS];
    uint32_t event_count;
};

struct cuda_pageable {
    struct cuda_staging up, down;
};

/* A copy, as its workers share it. */
struct work {
    struct trm_backend_device *device;
    struct cuda_staging *lane;
    CUstream stream;
    CUdeviceptr there;
    char *here;
    uint64_t size;
    uint64_t pieces;
    _Atomic uint64_t next;  /* piece that nobody has taken */
    _Atomic int32_t failed; /* the first CUresult that was an error */
    void (*do_piece)(struct work *work, uint32_t slot, uint64_t piece);
    void (*finish)(struct work *work, uint32_t slot, uint64_t piece);
};

struct worker {
    struct work *work;
    uint32_t number;
};

/* ---- pieces ------------------------------------------------------------------------------------- */

static char *slot_memory(const struct work *work, uint32_t slot)
{
    return work->lane->memory + slot * PIECE_BYTES;
}

static uint64_t piece_size(const struct work *work, uint64_t piece)
{
    uint64_t rest = work->size - piece * PIECE_BYTES;
    return rest < PIECE_BYTES ? rest : PIECE_BYTES;
}

static bool note(struct work *work, CUresult result)
{
    int32_t none = CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        return true;
    atomic_compare_exchange_strong(&work->failed, &none, (int32_t)result);
    return false;
}

static bool wait_for_slot(struct work *work, uint32_t slot)
{
    return note(work, work->device->cuda->cuEventSynchronize(work->lane->events[slot]));
}

/* The slot is in use until its event; where that cannot be recorded, until the device has come so far. */
static void end_slot(struct work *work, uint32_t slot)
{
    const struct cuda_functions *cuda = work->device->cuda;
    if (!note(work, cuda->cuEventRecord(work->lane->events[slot], work->stream)))
        (void)cuda->cuStreamSynchronize(work->stream);
}

/* The slot is free once the device has done what was recorded last, in this copy or in one before. */
static void send_piece(struct work *work, uint32_t slot, uint64_t piece)
{
    const struct cuda_functions *cuda = work->device->cuda;
    uint64_t size                     = piece_size(work, piece);
    if (!wait_for_slot(work, slot))
        return;
    memcpy(slot_memory(work, slot), work->here + piece * PIECE_BYTES, size);
    if (note(work, cuda->cuMemcpyHtoDAsync(work->there + piece * PIECE_BYTES, slot_memory(work, slot), size,
                                           work->stream)))
        end_slot(work, slot);
}

/* The device may still be copying. */
static void finish_nothing(struct work *work, uint32_t slot, uint64_t piece)
{
    (void)work;
    (void)slot;
    (void)piece;
}

static void fetch_piece(struct work *work, uint32_t slot, uint64_t piece)
{
    const struct cuda_functions *cuda = work->device->cuda;
    if (note(work, cuda->cuMemcpyDtoHAsync(slot_memory(work, slot), work->there + piece * PIECE_BYTES,
                                           piece_size(work, piece), work->stream)))
        end_slot(work, slot);
}

static void take_piece(struct work *work, uint32_t slot, uint64_t piece)
{
    if (wait_for_slot(work, slot))
        memcpy(work->here + piece * PIECE_BYTES, slot_memory(work, slot), piece_size(work, piece));
}

/* ---- workers ------------------------------------------------------------------------------------ */

static bool next_piece(struct work *work, uint64_t *piece)
{
    if (atomic_load(&work->failed) != CUDA_SUCCESS)
        return false;
    *piece = atomic_fetch_add(&work->next, 1);
    return *piece < work->pieces;
}

/* By turns: one slot's piece is begun before the other's is finished. */
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
        note(worker->work, CUDA_ERROR_INVALID_CONTEXT);
        return NULL;
    }
    work_pieces(worker->work, worker->number * SLOTS_EACH);
    cuda_leave(worker->work->device, previous);
    return NULL;
}

/* The caller is one of them. */
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

/* Workers look for their slots' events, which is right for as long as a piece takes. What the stream has to do before may take
 * any time: that is slept for. */
static CUresult wait_for_turn(const struct work *work)
{
    struct trm_backend_device *device = work->device;
    CUevent turn                      = work->lane->events[TURN];
    CUresult result                   = device->cuda->cuEventRecord(turn, work->stream);
    if (result == CUDA_SUCCESS)
        result = device->cuda->cuEventQuery(turn);
    return result == CUDA_ERROR_NOT_READY ? cuda_blocking_wait(device, turn) : result;
}

/* Threads that cannot be had leave more to the others. */
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

/* ---- lanes -------------------------------------------------------------------------------------- */

static void close_lane(struct trm_backend_device *device, struct cuda_staging *lane)
{
    for (uint32_t i = 0; i < lane->event_count; i++)
        (void)device->cuda->cuEventDestroy(lane->events[i]);
    if (lane->memory != NULL)
        (void)device->cuda->cuMemFreeHost(lane->memory);
    lane->event_count = 0;
    lane->memory      = NULL;
}

/* With the context current. What was made by halves is as good as nothing. */
static bool open_lane(struct trm_backend_device *device, struct cuda_staging *lane)
{
    const struct cuda_functions *cuda = device->cuda;
    void *memory                      = NULL;
    if (lane->memory != NULL)
        return true;
    while (lane->event_count < EVENTS &&
           cuda->cuEventCreate(&lane->events[lane->event_count], CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS)
        lane->event_count++;
    if (lane->event_count == EVENTS &&
        cuda->cuMemHostAlloc(&memory, SLOTS * PIECE_BYTES, CU_MEMHOSTALLOC_PORTABLE) == CUDA_SUCCESS) {
        lane->memory = memory;
        return true;
    }
    close_lane(device, lane);
    return false;
}

static bool ready_lane(struct trm_backend_device *device, struct cuda_staging *lane)
{
    CUcontext previous;
    if (cuda_enter(device, &previous) != TRM_OK)
        return false;
    bool ready = open_lane(device, lane);
    cuda_leave(device, previous);
    return ready;
}

static struct cuda_pageable *find_lanes(struct trm_backend_device *device)
{
    pthread_mutex_lock(&device->lazy_lock);
    if (device->pageable == NULL) {
        device->pageable = trm_util_allocate(device->instance->host, sizeof(*device->pageable));
        if (device->pageable != NULL) {
            pthread_mutex_init(&device->pageable->up.busy, NULL);
            pthread_mutex_init(&device->pageable->down.busy, NULL);
        }
    }
    struct cuda_pageable *lanes = device->pageable;
    pthread_mutex_unlock(&device->lazy_lock);
    return lanes;
}

static CUresult run(struct work *work)
{
    CUcontext previous;
    if (cuda_enter_stream(work->device, &previous) != TRM_OK)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = wait_for_turn(work);
    cuda_leave(work->device, previous);
    return result == CUDA_SUCCESS ? run_workers(work) : result;
}

static bool copy(struct cuda_staging *lane, struct work *work, CUresult *result)
{
    if (pthread_mutex_trylock(&lane->busy) != 0)
        return false;
    bool ready = ready_lane(work->device, lane);
    if (ready) {
        work->lane   = lane;
        work->pieces = (work->size + PIECE_BYTES - 1) / PIECE_BYTES;
        *result      = run(work);
    }
    pthread_mutex_unlock(&lane->busy);
    return ready;
}

bool cuda_pageable_upload(struct trm_backend_device *device, CUstream stream, CUdeviceptr to,
                          const void *from, uint64_t size, CUresult *result)
{
    struct cuda_pageable *lanes = find_lanes(device);
    struct work work            = {.device   = device,
                                   .stream   = stream,
                                   .there    = to,
                                   .here     = (char *)(uintptr_t)from,
                                   .size     = size,
                                   .do_piece = send_piece,
                                   .finish   = finish_nothing};
    return lanes != NULL && copy(&lanes->up, &work, result);
}

bool cuda_pageable_download(struct trm_backend_device *device, CUstream stream, void *to, CUdeviceptr from,
                            uint64_t size, CUresult *result)
{
    struct cuda_pageable *lanes = find_lanes(device);
    struct work work            = {.device   = device,
                                   .stream   = stream,
                                   .there    = from,
                                   .here     = to,
                                   .size     = size,
                                   .do_piece = fetch_piece,
                                   .finish   = take_piece};
    return lanes != NULL && copy(&lanes->down, &work, result);
}

void cuda_pageable_close(struct trm_backend_device *device)
{
    struct cuda_pageable *lanes = device->pageable;
    CUcontext previous;
    if (lanes == NULL)
        return;
    if (cuda_enter(device, &previous) == TRM_OK) {
        close_lane(device, &lanes->up);
        close_lane(device, &lanes->down);
        cuda_leave(device, previous);
    }
    pthread_mutex_destroy(&lanes->down.busy);
    pthread_mutex_destroy(&lanes->up.busy);
    trm_util_release(device->instance->host, lanes, sizeof(*lanes));
    device->pageable = NULL;
}
