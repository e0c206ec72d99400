/* The stand-in for NCCL: communicators, groups of calls, and their order.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/nccl_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 16
#define REQUESTS 65536

enum {
    SUCCESS          = 0,
    UNHANDLED_CUDA   = 1,
    SYSTEM           = 2,
    INVALID_ARGUMENT = 4,
    INVALID_USAGE    = 5,
};

static const char *const functions[FUNCTIONS] = {
    "ncclGetVersion", "ncclCommInitAll", "ncclCommDestroy", "ncclCommAbort", "ncclCommGetAsyncError",
    "ncclGroupStart", "ncclGroupEnd",    "ncclAllReduce",   "ncclReduce",    "ncclReduceScatter",
    "ncclBroadcast",  "ncclAllGather",   "ncclSend",        "ncclRecv",      "ncclGetErrorString",
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t aborting;
    uint64_t calls[FUNCTIONS];
    const char *failing;
    int result;
    int hangs, error, version;
    uint64_t living, aborted;
    /* Works that the driver was given. It runs no function of a lost device: those stay here. */
    struct nccl_work *waiting;
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER, .aborting = PTHREAD_COND_INITIALIZER, .version = 22809};

/* The calls of a thread between ncclGroupStart() and ncclGroupEnd(). */
static _Thread_local struct {
    int depth;
    uint32_t count;
    struct nccl_request *requests;
} group;

/* ---- control --------------------------------------------------------------------------------- */

static int number_of(const char *function)
{
    int i = 0;
    while (i < FUNCTIONS - 1 && functions[i] != NULL && strcmp(functions[i], function) != 0)
        i++;
    return i;
}

/* Counts a call; 0, or what it shall answer. */
static int count(const char *function)
{
    int result = SUCCESS;
    pthread_mutex_lock(&state.mutex);
    state.calls[number_of(function)]++;
    if (state.failing != NULL && strcmp(state.failing, function) == 0) {
        result        = state.result;
        state.failing = NULL;
    }
    pthread_mutex_unlock(&state.mutex);
    return result;
}

static void control_fail(const char *function, int result)
{
    pthread_mutex_lock(&state.mutex);
    state.failing = function;
    state.result  = result;
    pthread_mutex_unlock(&state.mutex);
}

static void set(int *place, int value)
{
    pthread_mutex_lock(&state.mutex);
    *place = value;
    pthread_mutex_unlock(&state.mutex);
}

static void control_hang(int hangs)
{
    set(&state.hangs, hangs);
}

static void control_set_error(int result)
{
    set(&state.error, result);
}

static void control_set_version(int version)
{
    set(&state.version, version);
}

static uint64_t get(const uint64_t *place)
{
    pthread_mutex_lock(&state.mutex);
    uint64_t value = *place;
    pthread_mutex_unlock(&state.mutex);
    return value;
}

static uint64_t control_calls(const char *function)
{
    return get(&state.calls[number_of(function)]);
}

static uint64_t control_living(void)
{
    return get(&state.living);
}

static uint64_t control_aborted(void)
{
    return get(&state.aborted);
}

const struct nccl_standin_control nccl_standin_control = {
    .fail_next   = control_fail,
    .hang        = control_hang,
    .set_error   = control_set_error,
    .set_version = control_set_version,
    .calls       = control_calls,
    .living      = control_living,
    .aborted     = control_aborted,
};

/* ---- communicators --------------------------------------------------------------------------- */

int ncclGetVersion(int *version)
{
    int result = count("ncclGetVersion");
    pthread_mutex_lock(&state.mutex);
    *version = state.version;
    pthread_mutex_unlock(&state.mutex);
    return result;
}

const char *ncclGetErrorString(int result)
{
    count("ncclGetErrorString");
    return result == SYSTEM ? "unhandled system error" : "an error of the stand-in";
}

static void clique_drop(struct nccl_clique *clique)
{
    if (--clique->references != 0)
        return;
    free(clique);
}

static int make_rank(struct nccl_clique *clique, int index, int device, struct nccl_rank **rank)
{
    struct nccl_rank *made = calloc(1, sizeof(*made));
    if (cuDevicePrimaryCtxRetain(&made->context, device) != CUDA_SUCCESS) {
        free(made);
        return UNHANDLED_CUDA;
    }
    cuCtxSetCurrent(made->context);
    made->clique = clique;
    made->rank   = index;
    made->device = device;
    clique->references++;
    state.living++;
    *rank = made;
    return SUCCESS;
}

static void end_rank(struct nccl_rank *rank)
{
    state.living--;
    cuDevicePrimaryCtxRelease(rank->device);
    clique_drop(rank->clique);
    free(rank);
}

int ncclCommInitAll(struct nccl_rank **ranks, int number, const int *devices)
{
    int result = count("ncclCommInitAll");
    if (result != SUCCESS)
        return result;
    for (int i = 0; i < number; i++)
        for (int k = 0; k < i; k++)
            if (devices[i] == devices[k])
                return INVALID_USAGE;
    pthread_mutex_lock(&state.mutex);
    struct nccl_clique *clique = calloc(1, sizeof(*clique));
    int made                   = 0;
    clique->count              = number;
    clique->references         = 1;
    while (made < number && result == SUCCESS) {
        result = make_rank(clique, made, devices[made], &ranks[made]);
        made += result == SUCCESS;
    }
    while (result != SUCCESS && made > 0)
        end_rank(ranks[--made]);
    clique_drop(clique);
    pthread_mutex_unlock(&state.mutex);
    return result;
}

int ncclCommDestroy(struct nccl_rank *rank)
{
    int result = count("ncclCommDestroy");
    pthread_mutex_lock(&state.mutex);
    end_rank(rank);
    pthread_mutex_unlock(&state.mutex);
    return result;
}

int ncclCommAbort(struct nccl_rank *rank)
{
    int result = count("ncclCommAbort");
    pthread_mutex_lock(&state.mutex);
    state.aborted++;
    rank->clique->is_aborted = true;
    pthread_cond_broadcast(&state.aborting);
    while (rank->clique->running != 0) /* nothing of it runs any more */
        pthread_cond_wait(&state.aborting, &state.mutex);
    end_rank(rank);
    pthread_mutex_unlock(&state.mutex);
    return result;
}

int ncclCommGetAsyncError(struct nccl_rank *rank, int *error)
{
    int result = count("ncclCommGetAsyncError");
    (void)rank;
    pthread_mutex_lock(&state.mutex);
    *error = state.error;
    pthread_mutex_unlock(&state.mutex);
    return result;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* With the mutex. */
static void work_drop(struct nccl_work *work)
{
    if (--work->references != 0)
        return;
    clique_drop(work->clique);
    free(work->requests);
    free(work);
}

/* With the mutex: the driver is given the work, which is referenced until its function has run. */
static void work_await(struct nccl_work *work)
{
    work->references++;
    work->next = state.waiting;
    work->link = &state.waiting;
    if (work->next != NULL)
        work->next->link = &work->next;
    state.waiting = work;
}

/* With the mutex. */
static void work_unlink(struct nccl_work *work)
{
    *work->link = work->next;
    if (work->next != NULL)
        work->next->link = work->link;
}

/* When the library is closed, the driver runs nothing of it any more. */
__attribute__((destructor)) static void drop_works_that_never_ran(void)
{
    while (state.waiting != NULL) {
        struct nccl_work *work = state.waiting;
        work_unlink(work);
        work_drop(work);
    }
}

/* On a thread of the driver's stand-in, when all streams have come here. */
static void run_work(void *data)
{
    struct nccl_work *work = data;
    pthread_mutex_lock(&state.mutex);
    work_unlink(work);
    work->clique->running++;
    while (work->hangs && !work->clique->is_aborted)
        pthread_cond_wait(&state.aborting, &state.mutex);
    bool is_aborted = work->clique->is_aborted;
    pthread_mutex_unlock(&state.mutex);
    if (!is_aborted)
        nccl_compute(work);
    pthread_mutex_lock(&state.mutex);
    work->clique->running--;
    pthread_cond_broadcast(&state.aborting);
    work_drop(work);
    pthread_mutex_unlock(&state.mutex);
}

/* Lets `stream` wait for `other`. */
static bool follow(const struct nccl_request *later, const struct nccl_request *earlier)
{
    CUevent event;
    if (later->stream == earlier->stream)
        return true;
    cuCtxSetCurrent(earlier->rank->context);
    if (cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
        return false;
    bool is_recorded = cuEventRecord(event, earlier->stream) == CUDA_SUCCESS;
    cuCtxSetCurrent(later->rank->context);
    bool waits = is_recorded && cuStreamWaitEvent(later->stream, event, 0) == CUDA_SUCCESS;
    cuCtxSetCurrent(earlier->rank->context);
    cuEventDestroy(event);
    return waits;
}

/* The first request of rank number `rank`. */
static const struct nccl_request *first_of(const struct nccl_work *work, int rank)
{
    uint32_t i = 0;
    while (i < work->count && work->requests[i].rank->rank != rank)
        i++;
    return i < work->count ? &work->requests[i] : NULL;
}

static int enqueue(struct nccl_work *work)
{
    const struct nccl_request *leader = first_of(work, 0);
    for (int r = 0; r < work->clique->count; r++)
        if (first_of(work, r) == NULL)
            return INVALID_USAGE;
    for (int r = 1; r < work->clique->count; r++)
        if (!follow(leader, first_of(work, r)))
            return UNHANDLED_CUDA;
    cuCtxSetCurrent(leader->rank->context);
    pthread_mutex_lock(&state.mutex);
    work_await(work);
    pthread_mutex_unlock(&state.mutex);
    if (cuLaunchHostFunc(leader->stream, run_work, work) != CUDA_SUCCESS) {
        pthread_mutex_lock(&state.mutex);
        work_unlink(work);
        work_drop(work);
        pthread_mutex_unlock(&state.mutex);
        return UNHANDLED_CUDA;
    }
    for (int r = 1; r < work->clique->count; r++)
        if (!follow(first_of(work, r), leader))
            return UNHANDLED_CUDA;
    return SUCCESS;
}

int ncclGroupStart(void)
{
    int result = count("ncclGroupStart");
    if (result == SUCCESS)
        group.depth++;
    return result;
}

int ncclGroupEnd(void)
{
    int result = count("ncclGroupEnd");
    if (--group.depth > 0 || group.count == 0)
        return result;
    struct nccl_work *work = calloc(1, sizeof(*work));
    work->requests         = group.requests;
    work->count            = group.count;
    work->clique           = group.requests[0].rank->clique;
    group.requests         = NULL;
    group.count            = 0;
    pthread_mutex_lock(&state.mutex);
    work->hangs      = state.hangs != 0;
    work->references = 1;
    work->clique->references++;
    pthread_mutex_unlock(&state.mutex);
    if (result == SUCCESS)
        result = nccl_check(work) ? enqueue(work) : INVALID_USAGE;
    pthread_mutex_lock(&state.mutex);
    work_drop(work);
    pthread_mutex_unlock(&state.mutex);
    return result;
}

static bool is_memory_of(const void *memory, int device)
{
    int ordinal = -1;
    return cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 (CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS &&
           ordinal == device;
}

static int add(const char *function, struct nccl_request request, bool needs_from, bool needs_to)
{
    int result = count(function);
    if (result != SUCCESS)
        return result;
    if (group.depth == 0 || request.count == 0 || group.count == REQUESTS)
        return INVALID_USAGE;
    if ((needs_from && !is_memory_of(request.from, request.rank->device)) ||
        (needs_to && !is_memory_of(request.to, request.rank->device)))
        return INVALID_ARGUMENT;
    if ((group.count & (group.count - 1)) == 0) /* a power of two: there is room for no more */
        group.requests =
            realloc(group.requests, (group.count == 0 ? 1 : 2 * group.count) * sizeof(*group.requests));
    request.function              = function;
    group.requests[group.count++] = request;
    return SUCCESS;
}

/* ---- calls ----------------------------------------------------------------------------------- */

int ncclAllReduce(const void *from, void *to, size_t number, int type, int operation, struct nccl_rank *rank,
                  CUstream stream)
{
    const struct nccl_request request = {.kind      = NCCL_ALL_REDUCE,
                                         .from      = from,
                                         .to        = to,
                                         .count     = number,
                                         .type      = type,
                                         .operation = operation,
                                         .rank      = rank,
                                         .stream    = stream};
    return add("ncclAllReduce", request, true, true);
}

int ncclReduce(const void *from, void *to, size_t number, int type, int operation, int root,
               struct nccl_rank *rank, CUstream stream)
{
    const struct nccl_request request = {.kind      = NCCL_REDUCE,
                                         .from      = from,
                                         .to        = to,
                                         .count     = number,
                                         .type      = type,
                                         .operation = operation,
                                         .peer      = root,
                                         .rank      = rank,
                                         .stream    = stream};
    return add("ncclReduce", request, true, rank->rank == root);
}

int ncclReduceScatter(const void *from, void *to, size_t number, int type, int operation,
                      struct nccl_rank *rank, CUstream stream)
{
    const struct nccl_request request = {.kind      = NCCL_REDUCE_SCATTER,
                                         .from      = from,
                                         .to        = to,
                                         .count     = number,
                                         .type      = type,
                                         .operation = operation,
                                         .rank      = rank,
                                         .stream    = stream};
    return add("ncclReduceScatter", request, true, true);
}

int ncclBroadcast(const void *from, void *to, size_t number, int type, int root, struct nccl_rank *rank,
                  CUstream stream)
{
    const struct nccl_request request = {.kind   = NCCL_BROADCAST,
                                         .from   = from,
                                         .to     = to,
                                         .count  = number,
                                         .type   = type,
                                         .peer   = root,
                                         .rank   = rank,
                                         .stream = stream};
    return add("ncclBroadcast", request, rank->rank == root, true);
}

int ncclAllGather(const void *from, void *to, size_t number, int type, struct nccl_rank *rank,
                  CUstream stream)
{
    const struct nccl_request request = {.kind   = NCCL_ALL_GATHER,
                                         .from   = from,
                                         .to     = to,
                                         .count  = number,
                                         .type   = type,
                                         .rank   = rank,
                                         .stream = stream};
    return add("ncclAllGather", request, true, true);
}

int ncclSend(const void *from, size_t number, int type, int peer, struct nccl_rank *rank, CUstream stream)
{
    const struct nccl_request request = {.kind   = NCCL_SEND,
                                         .from   = from,
                                         .count  = number,
                                         .type   = type,
                                         .peer   = peer,
                                         .rank   = rank,
                                         .stream = stream};
    return add("ncclSend", request, true, false);
}

int ncclRecv(void *to, size_t number, int type, int peer, struct nccl_rank *rank, CUstream stream)
{
    const struct nccl_request request = {.kind   = NCCL_RECEIVE,
                                         .to     = to,
                                         .count  = number,
                                         .type   = type,
                                         .peer   = peer,
                                         .rank   = rank,
                                         .stream = stream};
    return add("ncclRecv", request, false, true);
}
