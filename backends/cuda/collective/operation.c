/* cuda backend: a call of NCCL as an operation of a stream.
 * SPDX-License-Identifier: MIT
 */
#include "collective.h"

#include <stdio.h>
#include <string.h>

#include "backends/cuda/memory/memory.h"
#include "backends/cuda/stream/stream.h"

/* Bytes of a device's memory. */
struct range {
    uint64_t address, size;
};

/* As it is kept while the stream defers. */
struct call {
    struct trm_backend_communicator *communicator;
    uint64_t value;
    int32_t kind;
    int type, operation, root;
    uint32_t count, element;
    struct range ranges[]; /* the inputs, then the outputs: number * devices + device */
};

/* A failure of a submission. */
struct trouble {
    struct trm_backend_device *device;
    CUresult result;  /* of the driver; CUDA_SUCCESS: NCCL's */
    int nccl;         /* CUDA_NCCL_SUCCESS: the driver's */
    const char *call; /* what failed; NULL: nothing */
};

/* ---- NCCL's numbers -------------------------------------------------------------------------- */

static int type_of(int32_t type)
{
    switch (type) {
    case TRM_TYPE_F16:
        return CUDA_NCCL_FLOAT16;
    case TRM_TYPE_BF16:
        return CUDA_NCCL_BFLOAT16;
    case TRM_TYPE_F32:
        return CUDA_NCCL_FLOAT32;
    case TRM_TYPE_F64:
        return CUDA_NCCL_FLOAT64;
    case TRM_TYPE_I32:
        return CUDA_NCCL_INT32;
    case TRM_TYPE_I64:
        return CUDA_NCCL_INT64;
    default:
        return CUDA_NCCL_UINT8;
    }
}

/* Bytes of an element. */
static uint32_t size_of(int type)
{
    switch (type) {
    case CUDA_NCCL_FLOAT16:
    case CUDA_NCCL_BFLOAT16:
        return 2;
    case CUDA_NCCL_FLOAT32:
    case CUDA_NCCL_INT32:
        return 4;
    case CUDA_NCCL_FLOAT64:
    case CUDA_NCCL_INT64:
        return 8;
    default:
        return 1;
    }
}

static int operation_of(int32_t operation)
{
    switch (operation) {
    case TRM_REDUCE_MINIMUM:
        return CUDA_NCCL_MINIMUM;
    case TRM_REDUCE_MAXIMUM:
        return CUDA_NCCL_MAXIMUM;
    case TRM_REDUCE_AVERAGE:
        return CUDA_NCCL_AVERAGE;
    default:
        return CUDA_NCCL_SUM;
    }
}

/* ---- calls of NCCL --------------------------------------------------------------------------- */

static void *pointer_of(struct range range, uint64_t at)
{
    return (void *)(uintptr_t)(range.address + at); // NOLINT(performance-no-int-to-ptr)
}

static int exchange(const struct call *call, const struct cuda_member *member, struct range in,
                    struct range out, const char **name)
{
    const struct cuda_nccl *nccl = call->communicator->nccl;
    uint32_t devices             = call->communicator->count;
    uint64_t piece               = in.size / devices;
    int result                   = CUDA_NCCL_SUCCESS;
    for (uint32_t peer = 0; result == CUDA_NCCL_SUCCESS && peer < devices; peer++) {
        *name  = "ncclSend";
        result = nccl->ncclSend(pointer_of(in, peer * piece), piece, CUDA_NCCL_UINT8, (int)peer, member->rank,
                                member->lane);
        if (result != CUDA_NCCL_SUCCESS)
            return result;
        *name  = "ncclRecv";
        result = nccl->ncclRecv(pointer_of(out, peer * piece), piece, CUDA_NCCL_UINT8, (int)peer,
                                member->rank, member->lane);
    }
    return result;
}

/* What one device does for the spans of one number. */
static int call_one(const struct call *call, const struct cuda_member *member, struct range in,
                    struct range out, const char **name)
{
    const struct cuda_nccl *nccl = call->communicator->nccl;
    const void *from             = pointer_of(in, 0);
    void *to                     = pointer_of(out, 0);
    switch (call->kind) {
    case TRM_COLLECTIVE_ALL_REDUCE:
        *name = "ncclAllReduce";
        return nccl->ncclAllReduce(from, to, in.size / call->element, call->type, call->operation,
                                   member->rank, member->lane);
    case TRM_COLLECTIVE_REDUCE:
        *name = "ncclReduce";
        return nccl->ncclReduce(from, to, in.size / call->element, call->type, call->operation, call->root,
                                member->rank, member->lane);
    case TRM_COLLECTIVE_REDUCE_SCATTER:
        *name = "ncclReduceScatter";
        return nccl->ncclReduceScatter(from, to, out.size / call->element, call->type, call->operation,
                                       member->rank, member->lane);
    case TRM_COLLECTIVE_BROADCAST:
        *name = "ncclBroadcast";
        return nccl->ncclBroadcast(from, to, in.size, CUDA_NCCL_UINT8, call->root, member->rank,
                                   member->lane);
    case TRM_COLLECTIVE_ALL_GATHER:
        *name = "ncclAllGather";
        return nccl->ncclAllGather(from, to, in.size, CUDA_NCCL_UINT8, member->rank, member->lane);
    default:
        return exchange(call, member, in, out, name);
    }
}

static void note(struct trouble *trouble, struct trm_backend_device *device, CUresult result, int nccl,
                 const char *name)
{
    if (trouble->call == NULL && (result != CUDA_SUCCESS || nccl != CUDA_NCCL_SUCCESS))
        *trouble = (struct trouble){device, result, nccl, name};
}

/* All devices and numbers at once. ncclGroupEnd() also ends a group whose calls have failed. */
static void run_group(const struct call *call, struct trouble *trouble)
{
    struct trm_backend_communicator *communicator = call->communicator;
    struct trm_backend_device *first              = communicator->members[0].device;
    uint64_t devices = communicator->count, all = call->count * devices;
    const char *name = "";
    note(trouble, first, CUDA_SUCCESS, communicator->nccl->ncclGroupStart(), "ncclGroupStart");
    if (trouble->call != NULL)
        return;
    for (uint64_t i = 0; trouble->call == NULL && i < all; i++) {
        int result = call_one(call, &communicator->members[i % devices], call->ranges[i],
                              call->ranges[all + i], &name);
        note(trouble, first, CUDA_SUCCESS, result, name);
    }
    note(trouble, first, CUDA_SUCCESS, communicator->nccl->ncclGroupEnd(), "ncclGroupEnd");
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The lanes wait for the stream. */
static void begin(struct trm_backend_stream *stream, const struct trm_backend_communicator *communicator,
                  struct trouble *trouble)
{
    const struct cuda_functions *cuda = stream->device->cuda;
    note(trouble, stream->device, cuda_communicator_visit(stream->device), CUDA_NCCL_SUCCESS,
         "cuCtxSetCurrent");
    if (trouble->call == NULL)
        note(trouble, stream->device, cuda->cuEventRecord(communicator->begin, stream->handle),
             CUDA_NCCL_SUCCESS, "cuEventRecord");
    for (uint32_t i = 0; trouble->call == NULL && i < communicator->count; i++) {
        const struct cuda_member *member = &communicator->members[i];
        CUresult result                  = cuda_communicator_visit(member->device);
        if (result == CUDA_SUCCESS)
            result = cuda->cuStreamWaitEvent(member->lane, communicator->begin, CU_EVENT_WAIT_DEFAULT);
        note(trouble, member->device, result, CUDA_NCCL_SUCCESS, "cuStreamWaitEvent");
    }
}

/* The stream waits for the lanes. */
static void end(struct trm_backend_stream *stream, const struct trm_backend_communicator *communicator,
                struct trouble *trouble)
{
    const struct cuda_functions *cuda = stream->device->cuda;
    for (uint32_t i = 0; trouble->call == NULL && i < communicator->count; i++) {
        const struct cuda_member *member = &communicator->members[i];
        CUresult result                  = cuda_communicator_visit(member->device);
        if (result == CUDA_SUCCESS)
            result = cuda->cuEventRecord(member->done, member->lane);
        note(trouble, member->device, result, CUDA_NCCL_SUCCESS, "cuEventRecord");
        note(trouble, stream->device, cuda_communicator_visit(stream->device), CUDA_NCCL_SUCCESS,
             "cuCtxSetCurrent");
        if (trouble->call == NULL)
            note(trouble, stream->device,
                 cuda->cuStreamWaitEvent(stream->handle, member->done, CU_EVENT_WAIT_DEFAULT),
                 CUDA_NCCL_SUCCESS, "cuStreamWaitEvent");
    }
}

/* ---- submitting ------------------------------------------------------------------------------ */

static int32_t report(struct trm_backend_stream *stream, const struct call *call,
                      const struct trouble *trouble)
{
    struct trm_backend_communicator *communicator = call->communicator;
    if (trouble->nccl == CUDA_NCCL_SUCCESS)
        return cuda_job_failed_with(stream, trouble->device, trouble->result, trouble->call);
    stream->job_failure_native = trouble->nccl;
    snprintf(stream->job_failure, sizeof(stream->job_failure), "%s", communicator->outcome->sentence);
    return cuda_communicator_check(communicator);
}

/* With nccl->lock: the communicator is of no use after a failure. */
static void give_up(struct trm_backend_communicator *communicator, const struct trouble *trouble)
{
    char sentence[sizeof(communicator->outcome->sentence)];
    if (trouble->nccl != CUDA_NCCL_SUCCESS)
        snprintf(sentence, sizeof(sentence), "%s of %s answered %d: %.200s.", trouble->call,
                 communicator->nccl->name, trouble->nccl,
                 communicator->nccl->ncclGetErrorString(trouble->nccl));
    else
        snprintf(sentence, sizeof(sentence), "A collective could not be given to %s: %s answered %s.",
                 trouble->device->physical->name, trouble->call,
                 cuda_result_name(communicator->instance, trouble->result));
    cuda_communicator_fail(communicator, TRM_ERROR_BACKEND,
                           trouble->nccl != CUDA_NCCL_SUCCESS ? trouble->nccl : (int64_t)trouble->result,
                           sentence);
}

/* With nccl->lock. */
static void run(struct trm_backend_stream *stream, const struct call *call, struct trouble *trouble)
{
    struct trm_backend_communicator *communicator = call->communicator;
    begin(stream, communicator, trouble);
    if (trouble->call == NULL)
        run_group(call, trouble);
    if (trouble->call == NULL)
        end(stream, communicator, trouble);
    if (trouble->call != NULL)
        give_up(communicator, trouble);
}

static int32_t submit(struct trm_backend_stream *stream, const void *what)
{
    const struct call *call                       = what;
    struct trm_backend_communicator *communicator = call->communicator;
    struct trouble trouble                        = {.call = NULL};
    sigset_t before;
    struct cuda_flight *flight = trm_util_allocate(communicator->instance->host, sizeof(*flight));
    if (flight == NULL)
        return trm_util_fail_host_memory(communicator->instance->host, "a collective under way");
    CUcontext previous = cuda_communicator_enter(communicator);
    for (uint32_t i = 0; i < communicator->count; i++)
        cuda_follow_device(stream, communicator->members[i].device);
    cuda_follow_outcome(stream, communicator->outcome);
    cuda_communicator_quiet_begin(communicator);
    trm_util_signals_block(&before); /* NCCL may start threads */
    pthread_mutex_lock(&communicator->nccl->lock);
    bool is_usable = atomic_load(&communicator->outcome->status) == TRM_OK;
    if (is_usable)
        run(stream, call, &trouble);
    if (is_usable && trouble.call == NULL) {
        cuda_watch_add(communicator, flight, stream, call->value);
        flight = NULL;
    }
    pthread_mutex_unlock(&communicator->nccl->lock);
    if (trouble.call != NULL)
        cuda_communicator_abort(communicator);
    trm_util_signals_restore(&before);
    cuda_communicator_quiet_end(communicator);
    cuda_communicator_leave(communicator, previous);
    trm_util_release(communicator->instance->host, flight, sizeof(*flight));
    if (trouble.call != NULL)
        return report(stream, call, &trouble);
    if (is_usable)
        return TRM_OK;
    stream->job_failure_native = communicator->outcome->native;
    snprintf(stream->job_failure, sizeof(stream->job_failure), "%s", communicator->outcome->sentence);
    return cuda_communicator_check(communicator);
}

/* ---- enqueueing ------------------------------------------------------------------------------ */

static struct range range_of(const struct trm_collective_place *place)
{
    if (place->memory == NULL)
        return (struct range){0, 0};
    return (struct range){place->memory->address + place->offset, place->size};
}

int32_t cuda_collective_enqueue(struct trm_backend_communicator *communicator,
                                struct trm_backend_stream *stream, uint64_t value,
                                const struct trm_collective_desc *desc)
{
    const struct trm_host *host = communicator->instance->host;
    uint64_t all                = (uint64_t)desc->count * communicator->count;
    uint64_t size               = sizeof(struct call) + 2 * all * sizeof(struct range);
    if (size > UINT32_MAX)
        return trm_util_fail(host, TRM_ERROR_UNSUPPORTED, 0,
                             "A collective of %u spans on each device is too large.", desc->count);
    struct call *call = trm_util_allocate(host, size);
    if (call == NULL)
        return trm_util_fail_host_memory(host, "a collective");
    call->communicator = communicator;
    call->value        = value;
    call->kind         = desc->kind;
    call->type         = type_of(desc->type);
    call->operation    = operation_of(desc->operation);
    call->root         = (int)desc->root;
    call->count        = desc->count;
    call->element      = size_of(call->type);
    for (uint64_t i = 0; i < all; i++) {
        call->ranges[i]       = range_of(&desc->inputs[i]);
        call->ranges[all + i] = range_of(&desc->outputs[i]);
    }
    const struct cuda_job job = {submit, call, (uint32_t)size};
    int32_t status            = cuda_stream_submit(stream, value, job);
    trm_util_release(host, call, size);
    return status;
}
