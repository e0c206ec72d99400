/* cuda backend: communicators of NCCL.
 * SPDX-License-Identifier: MIT
 */
#include "collective.h"

#include <stdio.h>

#include "backends/cuda/stream/stream.h"

#define MOST_MEMBERS 64u

/* ---- quiet, contexts ------------------------------------------------------------------------- */

void cuda_communicator_quiet_begin(struct trm_backend_communicator *communicator)
{
    for (uint32_t i = 0; i < communicator->count; i++)
        cuda_quiet_begin(communicator->members[i].device);
}

void cuda_communicator_quiet_end(struct trm_backend_communicator *communicator)
{
    for (uint32_t i = communicator->count; i > 0; i--)
        cuda_quiet_end(communicator->members[i - 1].device);
}

CUcontext cuda_communicator_enter(const struct trm_backend_communicator *communicator)
{
    CUcontext previous = NULL;
    (void)communicator->instance->cuda.cuCtxGetCurrent(&previous);
    return previous;
}

void cuda_communicator_leave(const struct trm_backend_communicator *communicator, CUcontext previous)
{
    cuda_restore_context(communicator->members[0].device, previous);
}

CUresult cuda_communicator_visit(const struct trm_backend_device *device)
{
    return device->cuda->cuCtxSetCurrent(device->context);
}

/* ---- the end --------------------------------------------------------------------------------- */

void cuda_communicator_fail(struct trm_backend_communicator *communicator, int32_t status, int64_t native,
                            const char *sentence)
{
    struct cuda_outcome *outcome = communicator->outcome;
    if (atomic_load(&outcome->status) != TRM_OK)
        return;
    outcome->native = native;
    snprintf(outcome->sentence, sizeof(outcome->sentence), "%s", sentence);
    atomic_store(&outcome->status, status);
}

/* Takes the ranks from the communicator, so that no later call uses them while they end. */
static void take_ranks(struct trm_backend_communicator *communicator, struct cuda_nccl_rank **ranks)
{
    pthread_mutex_lock(&communicator->nccl->lock);
    for (uint32_t i = 0; i < communicator->count; i++) {
        ranks[i]                      = communicator->members[i].rank;
        communicator->members[i].rank = NULL;
    }
    pthread_mutex_unlock(&communicator->nccl->lock);
}

void cuda_communicator_abort(struct trm_backend_communicator *communicator)
{
    const struct cuda_functions *cuda = &communicator->instance->cuda;
    struct cuda_nccl_rank *ranks[MOST_MEMBERS];
    take_ranks(communicator, ranks);
    for (uint32_t i = 0; i < communicator->count; i++)
        if (ranks[i] != NULL)
            (void)communicator->nccl->ncclCommAbort(ranks[i]);
    for (uint32_t i = 0; i < communicator->count; i++)
        if (communicator->members[i].lane != NULL)
            (void)cuda->cuStreamSynchronize(communicator->members[i].lane);
}

int32_t cuda_communicator_check(struct trm_backend_communicator *communicator)
{
    const struct cuda_outcome *outcome = communicator->outcome;
    int32_t status                     = atomic_load(&outcome->status);
    if (status == TRM_OK)
        return TRM_OK;
    return trm_util_fail(communicator->instance->host, status, outcome->native, "%s", outcome->sentence);
}

static bool has_lost_device(const struct trm_backend_communicator *communicator)
{
    for (uint32_t i = 0; i < communicator->count; i++)
        if (cuda_device_is_lost(communicator->members[i].device))
            return true;
    return false;
}

static void destroy_ranks(struct trm_backend_communicator *communicator)
{
    struct cuda_nccl_rank *ranks[MOST_MEMBERS];
    take_ranks(communicator, ranks);
    for (uint32_t i = 0; i < communicator->count; i++)
        if (ranks[i] != NULL)
            (void)communicator->nccl->ncclCommDestroy(ranks[i]);
}

/* With nccl->lock and the device's context. */
static void leave_lane(struct cuda_nccl *nccl, const struct cuda_member *member)
{
    struct cuda_nccl_lane *lane = &nccl->lanes[member->device->physical->index];
    if (member->lane == NULL || --lane->users != 0)
        return;
    (void)member->device->cuda->cuStreamDestroy(lane->stream);
    *lane = (struct cuda_nccl_lane){.users = 0};
}

static void destroy_members(struct trm_backend_communicator *communicator)
{
    for (uint32_t i = 0; i < communicator->count; i++) {
        struct cuda_member *member = &communicator->members[i];
        (void)cuda_communicator_visit(member->device);
        leave_lane(communicator->nccl, member);
        if (member->done != NULL)
            (void)member->device->cuda->cuEventDestroy(member->done);
        if (i == 0 && communicator->begin != NULL)
            (void)member->device->cuda->cuEventDestroy(communicator->begin);
    }
}

static uint64_t size_of(uint32_t count)
{
    return sizeof(struct trm_backend_communicator) + count * sizeof(struct cuda_member);
}

static void free_communicator(struct trm_backend_communicator *communicator)
{
    const struct trm_host *host = communicator->instance->host;
    if (communicator->outcome != NULL) {
        cuda_follow_remove_outcome(communicator->instance, communicator->outcome);
        trm_util_release(host, communicator->outcome, sizeof(*communicator->outcome));
    }
    pthread_mutex_destroy(&communicator->lock);
    trm_util_release(host, communicator, size_of(communicator->count));
}

static void communicator_destroy(struct trm_backend_communicator *communicator)
{
    CUcontext previous = cuda_communicator_enter(communicator);
    cuda_watch_stop(communicator);
    cuda_communicator_quiet_begin(communicator);
    bool has_failed = atomic_load(&communicator->outcome->status) != TRM_OK;
    if (has_failed || has_lost_device(communicator))
        cuda_communicator_abort(communicator);
    else
        destroy_ranks(communicator);
    pthread_mutex_lock(&communicator->nccl->lock);
    destroy_members(communicator);
    if (has_failed) {
        cuda_follow_leave_outcome(communicator->instance, communicator->outcome);
        communicator->outcome->next  = communicator->nccl->failures;
        communicator->nccl->failures = communicator->outcome;
        communicator->outcome        = NULL;
    }
    pthread_mutex_unlock(&communicator->nccl->lock);
    cuda_communicator_leave(communicator, previous);
    cuda_communicator_quiet_end(communicator);
    pthread_cond_destroy(&communicator->changed);
    free_communicator(communicator);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* With nccl->lock and the device's context. */
static CUresult join_lane(struct cuda_nccl *nccl, struct cuda_member *member)
{
    struct cuda_nccl_lane *lane = &nccl->lanes[member->device->physical->index];
    CUresult result             = CUDA_SUCCESS;
    if (lane->users == 0)
        result = member->device->cuda->cuStreamCreateWithPriority(&lane->stream, CU_STREAM_NON_BLOCKING, 0);
    if (result != CUDA_SUCCESS)
        return result;
    lane->users++;
    member->lane = lane->stream;
    return CUDA_SUCCESS;
}

/* With nccl->lock. */
static CUresult make_member(struct trm_backend_communicator *communicator, uint32_t index, const char **call)
{
    struct cuda_member *member        = &communicator->members[index];
    const struct cuda_functions *cuda = member->device->cuda;
    *call                             = "cuCtxSetCurrent";
    CUresult result                   = cuda_communicator_visit(member->device);
    if (result == CUDA_SUCCESS) {
        *call  = "cuStreamCreateWithPriority";
        result = join_lane(communicator->nccl, member);
    }
    if (result == CUDA_SUCCESS) {
        *call  = "cuEventCreate";
        result = cuda->cuEventCreate(&member->done, CU_EVENT_DISABLE_TIMING);
    }
    if (result == CUDA_SUCCESS && index == 0)
        result = cuda->cuEventCreate(&communicator->begin, CU_EVENT_DISABLE_TIMING);
    return result;
}

/* With nccl->lock, although it may take a second: NCCL allocates and gives devices access to each other,
 * which waits for kernels. A collective of another communicator that had begun on one device only would then
 * never end. */
static int make_ranks(struct trm_backend_communicator *communicator)
{
    struct cuda_nccl_rank *ranks[MOST_MEMBERS] = {NULL};
    int devices[MOST_MEMBERS];
    for (uint32_t i = 0; i < communicator->count; i++)
        devices[i] = communicator->members[i].device->handle;
    int result = communicator->nccl->ncclCommInitAll(ranks, (int)communicator->count, devices);
    for (uint32_t i = 0; result == CUDA_NCCL_SUCCESS && i < communicator->count; i++)
        communicator->members[i].rank = ranks[i];
    return result;
}

/* The failures are explained without the lock, under which no device may be lost. */
static int32_t make(struct trm_backend_communicator *communicator)
{
    struct trm_backend_device *device = communicator->members[0].device;
    CUresult result                   = CUDA_SUCCESS;
    const char *call                  = "";
    int answer                        = CUDA_NCCL_SUCCESS;
    CUcontext previous                = cuda_communicator_enter(communicator);
    pthread_mutex_lock(&communicator->nccl->lock);
    for (uint32_t i = 0; result == CUDA_SUCCESS && i < communicator->count; i++) {
        device = communicator->members[i].device;
        result = make_member(communicator, i, &call);
    }
    if (result == CUDA_SUCCESS)
        answer = make_ranks(communicator);
    pthread_mutex_unlock(&communicator->nccl->lock);
    cuda_communicator_leave(communicator, previous);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, call);
    if (answer != CUDA_NCCL_SUCCESS)
        return trm_util_fail(communicator->instance->host, TRM_ERROR_UNSUPPORTED, answer,
                             "ncclCommInitAll of %s answered %d: %.200s.", communicator->nccl->name, answer,
                             communicator->nccl->ncclGetErrorString(answer));
    return TRM_OK;
}

static int32_t check_devices(struct trm_backend_device *const *devices, uint32_t count)
{
    const struct trm_host *host = devices[0]->instance->host;
    if (count > MOST_MEMBERS)
        return trm_util_fail(host, TRM_ERROR_UNSUPPORTED, 0, "NCCL is used for at most %u devices.",
                             MOST_MEMBERS);
    for (uint32_t i = 0; i < count; i++) {
        int32_t status = cuda_device_check(devices[i]);
        if (status != TRM_OK)
            return status;
        if (devices[i]->borrowed)
            return trm_util_fail(host, TRM_ERROR_UNSUPPORTED, 0,
                                 "NCCL does not use the context of the application in which %s is.",
                                 devices[i]->physical->name);
    }
    return TRM_OK;
}

static int32_t communicator_create(struct trm_backend_device *const *devices, uint32_t count,
                                   struct trm_backend_communicator **result)
{
    struct trm_backend_instance *instance = devices[0]->instance;
    struct cuda_nccl *nccl;
    sigset_t before;
    int32_t status = check_devices(devices, count);
    if (status == TRM_OK)
        status = cuda_nccl_get(instance, &nccl);
    if (status != TRM_OK)
        return status;
    struct trm_backend_communicator *communicator = trm_util_allocate(instance->host, size_of(count));
    if (communicator == NULL)
        return trm_util_fail_host_memory(instance->host, "a communicator");
    communicator->instance = instance;
    communicator->nccl     = nccl;
    communicator->count    = count;
    for (uint32_t i = 0; i < count; i++)
        communicator->members[i].device = devices[i];
    pthread_mutex_init(&communicator->lock, NULL);
    communicator->outcome = trm_util_allocate(instance->host, sizeof(*communicator->outcome));
    if (communicator->outcome == NULL || !cuda_condition_init(&communicator->changed)) {
        free_communicator(communicator);
        return trm_util_fail_host_memory(instance->host, "a communicator's outcome");
    }
    if (!cuda_follow_add_outcome(instance, communicator->outcome)) {
        pthread_cond_destroy(&communicator->changed);
        free_communicator(communicator);
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "NCCL is used for at most %u collectives and devices at a time.", CUDA_FOLLOWED);
    }
    trm_util_signals_block(&before);
    cuda_communicator_quiet_begin(communicator);
    status = make(communicator);
    cuda_communicator_quiet_end(communicator);
    if (status == TRM_OK && !cuda_watch_start(communicator))
        status = trm_util_fail_host_memory(instance->host, "a thread that watches NCCL");
    trm_util_signals_restore(&before);
    if (status != TRM_OK) {
        communicator_destroy(communicator);
        return status;
    }
    *result = communicator;
    return TRM_OK;
}

const struct trm_collective_ops cuda_collective_ops = {
    .struct_size = sizeof(cuda_collective_ops),
    .create      = communicator_create,
    .destroy     = communicator_destroy,
    .check       = cuda_communicator_check,
    .enqueue     = cuda_collective_enqueue,
};
