/* cuda backend: a thread of each communicator that looks after NCCL while it works.
 * SPDX-License-Identifier: MIT
 */
#include "collective.h"

#include <stdio.h>
#include <time.h>

#include "backends/cuda/stream/stream.h"

/* How often it looks. NCCL has no other way to tell. */
#define PERIOD_NS UINT64_C(50000000)

enum state {
    STATE_IDLE,
    STATE_BUSY,
    STATE_FAILED,
};

/* What went wrong; `lost` NULL: NCCL has failed. */
struct finding {
    struct trm_backend_device *lost;
    CUresult result;
    int nccl;
};

/* ---- flights --------------------------------------------------------------------------------- */

static bool is_over(struct trm_backend_stream *stream, uint64_t value)
{
    pthread_mutex_lock(&stream->lock);
    bool is_destroyed = stream->destroyed;
    pthread_mutex_unlock(&stream->lock);
    return is_destroyed || cuda_stream_completed(stream) >= value;
}

static void drop(struct trm_backend_communicator *communicator, struct cuda_flight *flight)
{
    cuda_stream_release(flight->stream);
    trm_util_release(communicator->instance->host, flight, sizeof(*flight));
}

static void drop_all(struct trm_backend_communicator *communicator, struct cuda_flight *flights)
{
    while (flights != NULL) {
        struct cuda_flight *next = flights->next;
        drop(communicator, flights);
        flights = next;
    }
}

static struct cuda_flight *take_all(struct trm_backend_communicator *communicator)
{
    pthread_mutex_lock(&communicator->lock);
    struct cuda_flight *flights = communicator->flights;
    communicator->flights       = NULL;
    pthread_mutex_unlock(&communicator->lock);
    return flights;
}

/* Takes those that are over, and that of `stream`, off the list. */
static struct cuda_flight *take_old(struct trm_backend_communicator *communicator,
                                    const struct trm_backend_stream *stream)
{
    struct cuda_flight *old = NULL, **place = &communicator->flights;
    while (*place != NULL) {
        struct cuda_flight *flight = *place;
        if (flight->stream != stream && !is_over(flight->stream, flight->value)) {
            place = &flight->next;
            continue;
        }
        *place       = flight->next;
        flight->next = old;
        old          = flight;
    }
    return old;
}

void cuda_watch_add(struct trm_backend_communicator *communicator, struct cuda_flight *flight,
                    struct trm_backend_stream *stream, uint64_t value)
{
    cuda_stream_retain(stream);
    flight->stream = stream;
    flight->value  = value;
    pthread_mutex_lock(&communicator->lock);
    struct cuda_flight *old = take_old(communicator, stream);
    flight->next            = communicator->flights;
    communicator->flights   = flight;
    if (!communicator->is_busy)
        pthread_cond_signal(&communicator->changed);
    communicator->is_busy = true;
    pthread_mutex_unlock(&communicator->lock);
    drop_all(communicator, old);
}

/* ---- looking --------------------------------------------------------------------------------- */

static CUresult query(const struct cuda_member *member)
{
    CUresult result = cuda_communicator_visit(member->device);
    return result == CUDA_SUCCESS ? member->device->cuda->cuStreamQuery(member->lane) : result;
}

/* With nccl->lock. */
static enum state look(const struct trm_backend_communicator *communicator, struct finding *finding)
{
    enum state state = STATE_IDLE;
    for (uint32_t i = 0; i < communicator->count; i++) {
        const struct cuda_member *member = &communicator->members[i];
        int error                        = CUDA_NCCL_SUCCESS;
        finding->lost                    = member->device;
        finding->result                  = query(member);
        if (cuda_device_is_lost(member->device) || cuda_is_sticky(finding->result))
            return STATE_FAILED;
        if (finding->result == CUDA_ERROR_NOT_READY)
            state = STATE_BUSY;
        finding->lost = NULL;
        finding->nccl = communicator->nccl->ncclCommGetAsyncError(member->rank, &error);
        if (finding->nccl == CUDA_NCCL_SUCCESS && error != CUDA_NCCL_IN_PROGRESS)
            finding->nccl = error;
        if (finding->nccl != CUDA_NCCL_SUCCESS)
            return STATE_FAILED;
    }
    return state;
}

static void describe(const struct trm_backend_communicator *communicator, const struct finding *finding,
                     char *sentence, size_t size)
{
    if (finding->lost != NULL)
        snprintf(sentence, size, "%s", finding->lost->lost_sentence);
    else
        snprintf(sentence, size, "%s failed during a collective: %d, %.200s.", communicator->nccl->name,
                 finding->nccl, communicator->nccl->ncclGetErrorString(finding->nccl));
}

/* Whether the stream exists; then it is pinned. */
static bool try_pin(struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    bool exists = !stream->destroyed;
    stream->pins += exists ? 1 : 0;
    pthread_mutex_unlock(&stream->lock);
    return exists;
}

/* The streams fail first, so that none reports what NCCL leaves behind as complete. */
static void end(struct trm_backend_communicator *communicator, const struct finding *finding)
{
    char sentence[sizeof(communicator->outcome->sentence)];
    if (finding->lost != NULL && !cuda_device_is_lost(finding->lost))
        (void)cuda_device_fail(finding->lost, finding->result, "cuStreamQuery");
    describe(communicator, finding, sentence, sizeof(sentence));
    int32_t status = finding->lost != NULL ? TRM_ERROR_DEVICE_LOST : TRM_ERROR_BACKEND;
    int64_t native = finding->lost != NULL ? (int64_t)finding->lost->lost_result : finding->nccl;

    pthread_mutex_lock(&communicator->nccl->lock); /* nothing is submitted any more after this */
    cuda_communicator_fail(communicator, status, native, sentence);
    pthread_mutex_unlock(&communicator->nccl->lock);
    struct cuda_flight *flights = take_all(communicator), *failed = NULL;
    while (flights != NULL) {
        struct cuda_flight *flight = flights;
        flights                    = flight->next;
        if (is_over(flight->stream, flight->value) || !try_pin(flight->stream)) {
            drop(communicator, flight);
            continue;
        }
        cuda_stream_fail_running(flight->stream, status, native, sentence);
        flight->next = failed;
        failed       = flight;
    }
    cuda_communicator_quiet_begin(communicator);
    cuda_communicator_abort(communicator);
    cuda_communicator_quiet_end(communicator);
    for (struct cuda_flight *flight = failed; flight != NULL; flight = flight->next) {
        cuda_stream_end_failed(flight->stream);
        cuda_stream_unpin(flight->stream);
    }
    drop_all(communicator, failed);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Sleeps until there is work, and then until the next look. False: the thread ends. */
static bool sleep_until_due(struct trm_backend_communicator *communicator)
{
    pthread_mutex_lock(&communicator->lock);
    while (!communicator->is_busy && !communicator->is_ending)
        pthread_cond_wait(&communicator->changed, &communicator->lock);
    uint64_t due               = trm_util_now() + PERIOD_NS;
    const struct timespec when = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};
    while (!communicator->is_ending &&
           pthread_cond_timedwait(&communicator->changed, &communicator->lock, &when) == 0)
        ;
    bool is_ending = communicator->is_ending;
    pthread_mutex_unlock(&communicator->lock);
    return !is_ending;
}

static void *watch(void *argument)
{
    struct trm_backend_communicator *communicator = argument;
    while (sleep_until_due(communicator)) {
        struct finding finding = {.lost = NULL};
        pthread_mutex_lock(&communicator->nccl->lock);
        bool has_ended   = atomic_load(&communicator->outcome->status) != TRM_OK;
        enum state state = has_ended ? STATE_IDLE : look(communicator, &finding);
        if (state == STATE_IDLE) {
            pthread_mutex_lock(&communicator->lock);
            communicator->is_busy = false; /* nothing can be submitted meanwhile */
            pthread_mutex_unlock(&communicator->lock);
        }
        pthread_mutex_unlock(&communicator->nccl->lock);
        if (state == STATE_FAILED)
            end(communicator, &finding);
    }
    return NULL;
}

bool cuda_watch_start(struct trm_backend_communicator *communicator)
{
    communicator->has_watcher = pthread_create(&communicator->watcher, NULL, watch, communicator) == 0;
    return communicator->has_watcher;
}

void cuda_watch_stop(struct trm_backend_communicator *communicator)
{
    pthread_mutex_lock(&communicator->lock);
    communicator->is_ending = true;
    pthread_cond_signal(&communicator->changed);
    pthread_mutex_unlock(&communicator->lock);
    if (communicator->has_watcher)
        pthread_join(communicator->watcher, NULL);
    drop_all(communicator, take_all(communicator));
}
