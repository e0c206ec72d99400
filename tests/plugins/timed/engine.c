/* The timed backend: engines. Each is a thread that takes the operation that could begin first, reckons when
 * it ends, sleeps until then, and does it.
 * SPDX-License-Identifier: MIT
 */
#include "timed.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* ---- ready streams ----------------------------------------------------------------------------------- */

void timed_engine_offer(struct trm_backend_stream *stream)
{
    struct timed_operation *operation = stream->first;
    struct timed_engine *engine       = &stream->device->engines[operation->engine];
    struct trm_backend_stream **link  = &engine->ready;

    stream->offered = 1;
    stream->ready   = operation->ready > stream->time ? operation->ready : stream->time;
    while (*link != NULL && (*link)->ready <= stream->ready)
        link = &(*link)->next_ready;
    stream->next_ready = *link;
    *link              = stream;
    pthread_cond_signal(&engine->work);
}

void timed_engine_withdraw(struct trm_backend_stream *stream)
{
    struct trm_backend_stream **link = &stream->device->engines[stream->first->engine].ready;

    while (*link != stream)
        link = &(*link)->next_ready;
    *link           = stream->next_ready;
    stream->offered = 0;
}

/* ---- doing it --------------------------------------------------------------------------------------- */

static void timed_perform(struct trm_backend_device *device, const struct timed_operation *operation,
                          struct timed_failure *failure)
{
    int32_t result;

    failure->status = TRM_OK;
    if (operation->kind == TIMED_COPY) {
        memcpy(operation->destination, operation->source, operation->size);
        return;
    }
    result = timed_launch_run(device, operation);
    if (result == 0)
        return;
    failure->status      = TRM_ERROR_KERNEL;
    failure->native_code = result;
    snprintf(failure->sentence, sizeof(failure->sentence), "A kernel returned %d.", (int)result);
}

/* When an operation that begins then ends. The caller holds the lock. */
static uint64_t timed_end_of(const struct timed_engine *engine, const struct timed_operation *operation,
                             uint64_t begin)
{
    struct trm_backend_instance *instance = engine->device->instance;
    uint64_t *until                       = instance->copies_until[operation->engine];
    uint64_t end                          = begin + operation->duration;

    if (operation->kind != TIMED_COPY || operation->duration == 0)
        return end;
    for (uint32_t i = 0; i < TIMED_MAX_DEVICES; i++) {
        if (i != engine->device->index && until[i] > begin) {
            end += instance->settings.shared_ns;
            break;
        }
    }
    until[engine->device->index] = end;
    return end;
}

/* The caller holds the lock, which is released while the operation runs. No other thread touches a stream's
 * first operation while it is `executing`. */
static void timed_engine_do(struct timed_engine *engine)
{
    struct trm_backend_instance *instance = engine->device->instance;
    struct trm_backend_stream *stream     = engine->ready;
    struct timed_operation *operation     = stream->first;
    uint64_t begin                        = stream->ready > engine->free_at ? stream->ready : engine->free_at;
    uint64_t end                          = timed_end_of(engine, operation, begin);
    struct timed_failure failure;

    engine->ready     = stream->next_ready;
    stream->executing = 1;
    pthread_mutex_unlock(&instance->lock);
    if (operation->duration != 0)
        timed_sleep_until(end);
    timed_perform(engine->device, operation, &failure);
    if (operation->duration == 0)
        end = timed_now();
    pthread_mutex_lock(&instance->lock);
    engine->free_at   = end;
    stream->executing = stream->offered = 0;

    if (failure.status == TRM_OK && stream->abandoned != TRM_OK) {
        failure.status      = stream->abandoned;
        failure.native_code = 0;
        snprintf(failure.sentence, sizeof(failure.sentence), "The stream was given up.");
    }
    if (failure.status != TRM_OK)
        timed_stream_fail(stream, &failure);
    else
        timed_stream_finish(stream, end);
    timed_settle(instance);
}

static void *timed_engine_run(void *user)
{
    struct timed_engine *engine           = user;
    struct trm_backend_instance *instance = engine->device->instance;

    prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
    pthread_mutex_lock(&instance->lock);
    while (!engine->device->closing) {
        if (engine->ready != NULL) {
            timed_engine_do(engine);
            timed_tell(instance);
        } else {
            pthread_cond_wait(&engine->work, &instance->lock);
        }
    }
    pthread_mutex_unlock(&instance->lock);
    return NULL;
}

/* ---- their threads ---------------------------------------------------------------------------------- */

static void timed_engines_end(struct trm_backend_device *device, uint32_t count)
{
    struct trm_backend_instance *instance = device->instance;

    pthread_mutex_lock(&instance->lock);
    device->closing = 1;
    for (uint32_t i = 0; i < count; i++)
        pthread_cond_signal(&device->engines[i].work);
    pthread_mutex_unlock(&instance->lock);
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(device->engines[i].thread, NULL);
        pthread_cond_destroy(&device->engines[i].work);
    }
}

int32_t timed_engines_start(struct trm_backend_device *device)
{
    const struct trm_host *host = device->instance->host;

    for (uint32_t i = 0; i < TIMED_ENGINES; i++) {
        struct timed_engine *engine = &device->engines[i];

        engine->device = device;
        timed_condition(&engine->work);
        if (timed_thread(&engine->thread, timed_engine_run, engine) != 0) {
            pthread_cond_destroy(&engine->work);
            timed_engines_end(device, i);
            return host->fail(host->context, TRM_ERROR_BACKEND, 0,
                              "The timed backend cannot have another thread.");
        }
    }
    return TRM_OK;
}

void timed_engines_stop(struct trm_backend_device *device)
{
    timed_engines_end(device, TIMED_ENGINES);
}
