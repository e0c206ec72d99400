/* cuda backend: notifications, and waits with an end.
 *
 * Who is to be told is on the stream's list, by value. A thread of the device (watching.c) waits for the first of them that has been
 * submitted; whoever finds out that some are due tells them, one thread at a time, so that they are told in their order.
 * SPDX-License-Identifier: MIT
 */
#include "stream.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "watcher.h"

/* ---- the list; with the stream's lock --------------------------------------------------------------- */

static void insert(struct trm_backend_stream *stream, struct cuda_notice *notice)
{
    struct cuda_notice **place = &stream->notices;
    while (*place != NULL && (*place)->value <= notice->value)
        place = &(*place)->next;
    notice->next   = *place;
    notice->listed = true;
    *place         = notice;
}

/* False: it is not there any more. */
static bool take_out(struct trm_backend_stream *stream, struct cuda_notice *notice)
{
    struct cuda_notice **place = &stream->notices;
    if (!notice->listed)
        return false;
    while (*place != notice)
        place = &(*place)->next;
    *place         = notice->next;
    notice->listed = false;
    return true;
}

/* What is complete is told as such, whatever has become of the stream since. */
static int32_t state_of(const struct trm_backend_stream *stream, uint64_t value)
{
    return cuda_stream_completed(stream) >= value ? TRM_OK : cuda_stream_state(stream, value);
}

static struct cuda_notice *take_due(struct trm_backend_stream *stream, int32_t *status)
{
    struct cuda_notice *first = stream->notices;
    if (first == NULL)
        return NULL;
    *status = state_of(stream, first->value);
    if (*status == TRM_ERROR_TIMEOUT)
        return NULL;
    take_out(stream, first);
    return first;
}

/* Looks at how far the stream is but once: it goes on meanwhile. Whoever tells looks again when he is done. */
enum cuda_step cuda_notices_next_locked(const struct trm_backend_stream *stream, uint64_t *value)
{
    const struct cuda_notice *first = stream->notices;
    const struct cuda_sitter *sitter;
    if (first == NULL)
        return CUDA_STEP_NONE;
    if (state_of(stream, first->value) != TRM_ERROR_TIMEOUT)
        return stream->telling ? CUDA_STEP_NONE : CUDA_STEP_TELL;
    /* Of a stream that fails while a thread submits for it: that one sees to it when it is done. */
    if (atomic_load(&stream->failure) != TRM_OK && atomic_load(&stream->pumping) != 0)
        return CUDA_STEP_NONE;
    *value = cuda_stream_target(stream, first->value);
    if (*value > cuda_stream_submitted(stream))
        return CUDA_STEP_NONE;
    for (sitter = stream->sitters; sitter != NULL; sitter = sitter->next) {
        if (sitter->value <= *value)
            return CUDA_STEP_NONE;
    }
    return CUDA_STEP_WAIT;
}

/* ---- telling --------------------------------------------------------------------------------------- */

void cuda_notices_tell(struct trm_backend_stream *stream)
{
    struct cuda_notice *notice;
    int32_t status;
    pthread_mutex_lock(&stream->lock);
    if (stream->telling) {
        pthread_mutex_unlock(&stream->lock);
        return;
    }
    stream->telling = true;
    while ((notice = take_due(stream, &status)) != NULL) {
        trm_notify_fn notify = notice->notify;
        void *user           = notice->user;
        if (!notice->kept) {
            notice->next          = stream->spare_notices;
            stream->spare_notices = notice;
        }
        pthread_mutex_unlock(&stream->lock);
        notify(user, status);
        pthread_mutex_lock(&stream->lock);
    }
    stream->telling = false;
    pthread_mutex_unlock(&stream->lock);
}

void cuda_notices_attend(struct trm_backend_stream *stream)
{
    uint64_t value;
    pthread_mutex_lock(&stream->lock);
    enum cuda_step step = cuda_notices_next_locked(stream, &value);
    pthread_mutex_unlock(&stream->lock);
    if (step != CUDA_STEP_NONE)
        cuda_watching_see(stream, false);
}

/* ---- notifications --------------------------------------------------------------------------------- */

static struct cuda_notice *take_notice(struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    struct cuda_notice *notice = stream->spare_notices;
    if (notice != NULL)
        stream->spare_notices = notice->next;
    pthread_mutex_unlock(&stream->lock);
    return notice != NULL ? notice : cuda_allocate(stream->device->instance, sizeof(*notice));
}

/* With a thread to tell it. What is held is submitted, if by others. */
static void add(struct trm_backend_stream *stream, struct cuda_notice *notice)
{
    uint64_t value = notice->value;
    cuda_hold_pump(stream, CUDA_PUMP_SOON);
    pthread_mutex_lock(&stream->lock);
    insert(stream, notice);
    bool is_first = stream->notices == notice;
    pthread_mutex_unlock(&stream->lock);
    /* Perhaps it is due already, which spares waking a thread. */
    if (is_first && cuda_stream_submitted(stream) >= value && cuda_stream_completed(stream) < value)
        cuda_stream_look(stream);
    cuda_notices_tell(stream);
    cuda_notices_attend(stream);
}

int32_t cuda_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                           void *user)
{
    int32_t status = cuda_watching_start(stream->device);
    if (status != TRM_OK)
        return status;
    struct cuda_notice *notice = take_notice(stream);
    if (notice == NULL)
        return cuda_fail_host_memory(stream->device->instance, "a notification");
    *notice = (struct cuda_notice){.value = value, .notify = notify, .user = user};
    /* As soon as it was told the stream may be destroyed. */
    cuda_stream_enter(stream);
    add(stream, notice);
    cuda_stream_leave(stream);
    return TRM_OK;
}

/* ---- waits with an end ------------------------------------------------------------------------------- */

/* On the stack of the thread that waits. */
struct sleeper {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool told;
};

static void wake(void *user, int32_t status)
{
    struct sleeper *sleeper = user;
    (void)status;
    pthread_mutex_lock(&sleeper->lock);
    sleeper->told = true;
    pthread_cond_signal(&sleeper->wake);
    pthread_mutex_unlock(&sleeper->lock);
}

static bool sleeper_init(struct sleeper *sleeper)
{
    sleeper->told = false;
    return pthread_mutex_init(&sleeper->lock, NULL) == 0 && cuda_condition_init(&sleeper->wake);
}

/* Until it is told, or (deadline UINT64_MAX: never) the time is over. */
static void sleep_until(struct sleeper *sleeper, uint64_t deadline)
{
    struct timespec end = {
        .tv_sec  = (time_t)(deadline / UINT64_C(1000000000)),
        .tv_nsec = (long)(deadline % UINT64_C(1000000000)),
    };
    int result = 0;
    pthread_mutex_lock(&sleeper->lock);
    while (!sleeper->told && result != ETIMEDOUT) {
        if (deadline == UINT64_MAX)
            pthread_cond_wait(&sleeper->wake, &sleeper->lock);
        else
            result = pthread_cond_timedwait(&sleeper->wake, &sleeper->lock, &end);
    }
    pthread_mutex_unlock(&sleeper->lock);
}

/* Where there can be no thread. */
static int32_t look_until(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline)
{
    int32_t status = cuda_stream_state(stream, value);
    while (status == TRM_ERROR_TIMEOUT && cuda_now() < deadline) {
        cuda_hold_pump(stream, CUDA_PUMP_HERE);
        if (cuda_stream_completed(stream) < cuda_stream_submitted(stream))
            cuda_stream_look(stream);
        sched_yield();
        status = cuda_stream_state(stream, value);
    }
    return status;
}

int32_t cuda_stream_wait_until(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline)
{
    struct sleeper sleeper;
    if (cuda_watching_start(stream->device) != TRM_OK || !sleeper_init(&sleeper))
        return look_until(stream, value, deadline);
    struct cuda_notice notice = {.value = value, .notify = wake, .user = &sleeper, .kept = true};
    cuda_stream_enter(stream);
    add(stream, &notice);
    sleep_until(&sleeper, deadline);
    pthread_mutex_lock(&stream->lock);
    bool was_there = take_out(stream, &notice);
    pthread_mutex_unlock(&stream->lock);
    if (!was_there)
        sleep_until(&sleeper, UINT64_MAX);
    cuda_stream_leave(stream);
    pthread_cond_destroy(&sleeper.wake);
    pthread_mutex_destroy(&sleeper.lock);
    return cuda_stream_state(stream, value);
}
