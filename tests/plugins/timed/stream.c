/* The timed backend: streams, and waiting for them.
 * SPDX-License-Identifier: MIT
 */
#include "timed.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static int32_t timed_stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                                   struct trm_backend_stream **stream)
{
    struct trm_backend_stream *made = timed_new(device->instance->host, sizeof(*made));

    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->device = device;
    made->role   = desc->role;
    *stream      = made;
    return TRM_OK;
}

static void timed_stream_destroy(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;
    const struct trm_host *host           = instance->host;

    /* The thread that completes the last operation no longer uses the stream when it releases the lock. */
    pthread_mutex_lock(&instance->lock);
    pthread_mutex_unlock(&instance->lock);
    while (stream->spare != NULL) {
        struct timed_operation *operation = stream->spare;

        stream->spare = operation->next;
        host->release(host->context, operation, sizeof(*operation));
    }
    host->release(host->context, stream, sizeof(*stream));
}

/* Answer with the stream's first failure, and let go of the lock. */
static int32_t timed_stream_answer(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;
    const struct trm_host *host           = instance->host;
    struct timed_failure failure          = stream->failure;

    pthread_mutex_unlock(&instance->lock);
    if (failure.status == TRM_OK)
        return TRM_OK;
    return host->fail(host->context, failure.status, failure.native_code, failure.sentence);
}

static int32_t timed_stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    pthread_mutex_lock(&stream->device->instance->lock);
    *completed = stream->completed; /* of a stream that has failed: how far it came */
    return timed_stream_answer(stream);
}

/* `timeout_ns` from now, or as far ahead as the clock can tell. */
static struct timespec timed_deadline(uint64_t timeout_ns)
{
    struct timespec deadline;

    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += (time_t)(timeout_ns / 1000000000u);
    deadline.tv_nsec += (long)(timeout_ns % 1000000000u);
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_nsec -= 1000000000;
        deadline.tv_sec++;
    }
    return deadline;
}

static int timed_stream_reached(const struct trm_backend_stream *stream, uint64_t value)
{
    return stream->completed >= value || stream->failure.status != TRM_OK;
}

/* Whether one of the streams is there; *which. */
static int timed_streams_reached(struct trm_backend_stream *const *streams, const uint64_t *values,
                                 uint32_t count, uint32_t *which)
{
    for (*which = 0; *which < count; (*which)++)
        if (timed_stream_reached(streams[*which], values[*which]))
            return 1;
    return 0;
}

static int32_t timed_stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                                     uint32_t count, uint64_t timeout_ns, uint32_t *which)
{
    struct trm_backend_instance *instance = streams[0]->device->instance;
    struct timespec deadline              = timed_deadline(timeout_ns);
    uint64_t late                         = instance->settings.wake_ns;
    int error = timeout_ns == 0 ? ETIMEDOUT : 0, has_slept = 0;

    pthread_mutex_lock(&instance->lock);
    while (!timed_streams_reached(streams, values, count, which)) {
        if (error != 0) {
            pthread_mutex_unlock(&instance->lock);
            return TRM_ERROR_TIMEOUT;
        }
        has_slept = 1;
        error     = pthread_cond_timedwait(&instance->progress, &instance->lock, &deadline);
    }
    if (has_slept && late > 0) {
        pthread_mutex_unlock(&instance->lock);
        timed_sleep_until(timed_now() + late);
        pthread_mutex_lock(&instance->lock);
    }
    return timed_stream_answer(streams[*which]);
}

static int32_t timed_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    uint32_t which;

    return timed_stream_wait_any(&stream, &value, 1, timeout_ns, &which);
}

static int32_t timed_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                                   void *user)
{
    struct trm_backend_instance *instance = stream->device->instance;
    struct timed_notice *notice;

    pthread_mutex_lock(&instance->lock);
    notice = instance->spare;
    if (notice != NULL)
        instance->spare = notice->next;
    else
        notice = timed_new(instance->host, sizeof(*notice));
    if (notice == NULL) {
        pthread_mutex_unlock(&instance->lock);
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    notice->value  = value;
    notice->notify = notify;
    notice->user   = user;
    if (timed_stream_reached(stream, value)) {
        timed_notice_due(instance, notice, stream->failure.status);
    } else {
        notice->next    = stream->notices;
        stream->notices = notice;
    }
    pthread_mutex_unlock(&instance->lock);
    return TRM_OK;
}

/* What is at work ends first: until then its memory is in use. */
static void timed_stream_abandon(struct trm_backend_stream *stream, int32_t status)
{
    struct trm_backend_instance *instance = stream->device->instance;
    struct timed_failure failure          = {.status = status};

    pthread_mutex_lock(&instance->lock);
    if (stream->failure.status == TRM_OK && stream->abandoned == TRM_OK) {
        stream->abandoned = status;
        snprintf(failure.sentence, sizeof(failure.sentence), "The stream was given up.");
        if (stream->offered && !stream->executing)
            timed_engine_withdraw(stream);
        if (!stream->executing)
            timed_stream_fail(stream, &failure);
        timed_settle(instance);
    }
    pthread_mutex_unlock(&instance->lock);
}

const struct trm_stream_ops timed_stream_ops = {
    .struct_size = sizeof(timed_stream_ops),
    .create      = timed_stream_create,
    .destroy     = timed_stream_destroy,
    .copy        = timed_stream_copy,
    .launch      = timed_stream_launch,
    .wait_stream = timed_stream_wait_stream,
    .gate        = timed_stream_gate,
    .open_gates  = timed_stream_open_gates,
    .query       = timed_stream_query,
    .wait        = timed_stream_wait,
    .wait_any    = timed_stream_wait_any,
    .notify      = timed_stream_notify,
    .abandon     = timed_stream_abandon,
};

/* ---- stamps ----------------------------------------------------------------------------------------- */

static int32_t timed_stamp_create(struct trm_backend_device *device, struct trm_backend_stamp **stamp)
{
    struct trm_backend_stamp *made = timed_new(device->instance->host, sizeof(*made));

    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->device = device;
    *stamp       = made;
    return TRM_OK;
}

static void timed_stamp_destroy(struct trm_backend_stamp *stamp)
{
    const struct trm_host *host = stamp->device->instance->host;

    host->release(host->context, stamp, sizeof(*stamp));
}

static int32_t timed_stamp_read(struct trm_backend_stamp *stamp, uint64_t *nanoseconds)
{
    struct trm_backend_instance *instance = stamp->device->instance;

    pthread_mutex_lock(&instance->lock);
    *nanoseconds = stamp->time;
    pthread_mutex_unlock(&instance->lock);
    return TRM_OK;
}

const struct trm_profile_ops timed_profile_ops = {
    .struct_size   = sizeof(timed_profile_ops),
    .stamp_create  = timed_stamp_create,
    .stamp_destroy = timed_stamp_destroy,
    .stamp_record  = timed_stamp_record,
    .stamp_read    = timed_stamp_read,
};
