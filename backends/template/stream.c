/* Trireme: the template backend's streams. An operation runs inside the call that enqueues it, so a
 * stream holds only the number of the last operation and the first failure.
 *
 * On a real device copy() and launch() write a command and return, query() reads the number that the
 * device has reached (a timeline semaphore, or an event for each mark), and wait() sleeps in the driver.
 * Set TRM_DEVICE_SYNCHRONOUS to 0 then.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "template.h"

struct trm_backend_stream {
    struct trm_backend_device *device;

    /* Read by any thread. Written under `lock` by the thread that enqueues. */
    _Atomic uint64_t completed;

    /* TRM_OK, or the first failure, which stays. native_code and sentence are written before it. */
    _Atomic int32_t failure;
    int64_t native_code;
    char sentence[192];

    pthread_mutex_t lock;
    pthread_cond_t progress; /* signalled when `completed` or `failure` changes */
};

/* Return the stream's first failure, explained to the calling thread; TRM_OK when it has none. */
static int32_t template_stream_failure(struct trm_backend_stream *stream)
{
    int32_t failure = atomic_load_explicit(&stream->failure, memory_order_acquire);

    if (failure == TRM_OK)
        return TRM_OK;
    return trm_util_fail(stream->device->instance->host, failure, stream->native_code, "%s",
                         stream->sentence);
}

static void template_stream_complete(struct trm_backend_stream *stream, uint64_t value)
{
    pthread_mutex_lock(&stream->lock);
    atomic_store_explicit(&stream->completed, value, memory_order_release);
    pthread_cond_broadcast(&stream->progress);
    pthread_mutex_unlock(&stream->lock);
}

/* Fail the stream for ever, as when a device reports a failure: later calls return this first cause. */
static void template_stream_fail(struct trm_backend_stream *stream, int32_t status, int64_t native_code,
                                 const char *sentence)
{
    pthread_mutex_lock(&stream->lock);
    stream->native_code = native_code;
    snprintf(stream->sentence, sizeof(stream->sentence), "%s", sentence);
    atomic_store_explicit(&stream->failure, status, memory_order_release);
    pthread_cond_broadcast(&stream->progress);
    pthread_mutex_unlock(&stream->lock);
}

/* The condition uses CLOCK_MONOTONIC, so that setting the clock of the machine does not disturb waits. */
static void template_stream_init_lock(struct trm_backend_stream *stream)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&stream->progress, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&stream->lock, NULL);
}

/* On a real device the role selects the queue (copy engines for UPLOAD and DOWNLOAD) and the priority
 * selects its rank. */
static int32_t template_stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                                      struct trm_backend_stream **stream)
{
    const struct trm_host *host     = device->instance->host;
    struct trm_backend_stream *made = trm_util_allocate(host, sizeof(*made));

    (void)desc;
    if (made == NULL)
        return trm_util_fail_host_memory(host, "a stream");
    made->device = device;
    template_stream_init_lock(made);
    *stream = made;
    return TRM_OK;
}

static void template_stream_destroy(struct trm_backend_stream *stream)
{
    pthread_cond_destroy(&stream->progress);
    pthread_mutex_destroy(&stream->lock);
    trm_util_release(stream->device->instance->host, stream, sizeof(*stream));
}

/* ---- enqueueing --------------------------------------------------------------------------- */

static unsigned char *template_place_address(const struct trm_place *place)
{
    if (place->memory != NULL)
        return place->memory->bytes + place->offset;
    return place->host;
}

/* The core has checked that both ranges lie in their memory and do not overlap. */
static int32_t template_stream_copy(struct trm_backend_stream *stream, uint64_t value,
                                    const struct trm_copy_desc *desc)
{
    int32_t status = template_stream_failure(stream);

    if (status != TRM_OK)
        return status;
    memcpy(template_place_address(&desc->destination), template_place_address(&desc->source), desc->size);
    template_stream_complete(stream, value);
    return TRM_OK;
}

/* A kernel that fails makes the stream fail, not this call. */
static int32_t template_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                                      const struct trm_launch_desc *desc)
{
    int32_t result = 0, status = template_stream_failure(stream);
    char sentence[64];

    if (status == TRM_OK)
        status = template_module_run(stream->device, desc, &result);
    if (status != TRM_OK)
        return status;
    if (result == 0) {
        template_stream_complete(stream, value);
        return TRM_OK;
    }
    snprintf(sentence, sizeof(sentence), "A kernel returned %d.", (int)result);
    template_stream_fail(stream, TRM_ERROR_KERNEL, result, sentence);
    return TRM_OK;
}

/* ---- from any thread ---------------------------------------------------------------------- */

static int32_t template_stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    *completed = atomic_load_explicit(&stream->completed, memory_order_acquire);
    return template_stream_failure(stream);
}

static bool template_stream_has_reached(struct trm_backend_stream *stream, uint64_t value)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire) >= value ||
           atomic_load_explicit(&stream->failure, memory_order_acquire) != TRM_OK;
}

/* Sleep until the stream has reached `value` or the deadline has passed. */
static void template_stream_sleep(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline)
{
    struct timespec until = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    int error             = 0;

    pthread_mutex_lock(&stream->lock);
    while (!template_stream_has_reached(stream, value) && error == 0)
        error = pthread_cond_timedwait(&stream->progress, &stream->lock, &until);
    pthread_mutex_unlock(&stream->lock);
}

/* Waits only for an operation that another thread is running at this moment. */
static int32_t template_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    if (!template_stream_has_reached(stream, value) && timeout_ns != 0)
        template_stream_sleep(stream, value, trm_util_deadline(timeout_ns));
    if (!template_stream_has_reached(stream, value))
        return TRM_ERROR_TIMEOUT;
    return template_stream_failure(stream);
}

/* Every slot that is not here is optional, and the core emulates it: copy_2d row by row, fill by copies of
 * a pattern, wait_stream on the host, notify by a thread that blocks in wait(). Add those that your device
 * does better, each on its own, in any order. */
const struct trm_stream_ops template_stream_ops = {
    .struct_size = sizeof(template_stream_ops),
    .create      = template_stream_create,
    .destroy     = template_stream_destroy,
    .copy        = template_stream_copy,
    .launch      = template_stream_launch,
    .query       = template_stream_query,
    .wait        = template_stream_wait,
};
