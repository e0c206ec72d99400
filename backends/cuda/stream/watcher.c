/* cuda backend: the threads of a device that see to streams.
 * SPDX-License-Identifier: MIT
 */
#include "watcher.h"

#include "backends/cuda/driver/blocking_wait.h"
#include "backends/cuda/signals.h"
#include "stream.h"

#define THREADS_MOST 32u

/* Waking a thread takes a good part of this. So where streams have been coming faster one thread looks for the next one for that
 * long before it sleeps; where they have not it sleeps at once. Nanoseconds. */
#define LOOK_NS 30000u

struct cuda_watching {
    struct trm_backend_device *device;
    pthread_mutex_t lock; /* all below, and what streams have of the queue; taken under any other lock */
    pthread_cond_t wake;
    struct trm_backend_stream *first, *last; /* to be seen to; each is entered */
    uint32_t queued, idle, count;
    pthread_t threads[THREADS_MOST];
    bool ending;
    bool looking;  /* a thread looks for the next stream without sleeping: there is never more than one */
    bool may_look; /* they have come soon after each other */
    _Atomic uint32_t waiting; /* queued, for the one that looks */
};

/* ---- seeing to a stream ------------------------------------------------------------------------------ */

static void sit_down(struct trm_backend_stream *stream, struct cuda_sitter *sitter, uint64_t value)
{
    sitter->value   = value;
    sitter->next    = stream->sitters;
    stream->sitters = sitter;
}

static void stand_up(struct trm_backend_stream *stream, const struct cuda_sitter *sitter)
{
    struct cuda_sitter **place = &stream->sitters;
    while (*place != sitter)
        place = &(*place)->next;
    *place = sitter->next;
}

/* With the stream's lock, which is given back meanwhile. */
static void wait_for(struct trm_backend_stream *stream, uint64_t value)
{
    struct cuda_sitter sitter;
    sit_down(stream, &sitter, value);
    pthread_mutex_unlock(&stream->lock);
    cuda_stream_await(stream, value, false);
    pthread_mutex_lock(&stream->lock);
    stand_up(stream, &sitter);
}

static void see_to(struct trm_backend_stream *stream, bool pump)
{
    enum cuda_step step;
    uint64_t value;
    if (pump)
        cuda_hold_pump(stream, CUDA_PUMP_HERE);
    pthread_mutex_lock(&stream->lock);
    while ((step = cuda_notices_next_locked(stream, &value)) != CUDA_STEP_NONE) {
        if (step == CUDA_STEP_WAIT) {
            wait_for(stream, value);
            continue;
        }
        pthread_mutex_unlock(&stream->lock);
        cuda_notices_tell(stream);
        pthread_mutex_lock(&stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
}

/* ---- the threads ------------------------------------------------------------------------------------- */

/* With the lock. */
static struct trm_backend_stream *take_first(struct cuda_watching *watching, bool *pump)
{
    struct trm_backend_stream *stream = watching->first;
    watching->first                   = stream->next_queued;
    if (watching->first == NULL)
        watching->last = NULL;
    atomic_store_explicit(&watching->waiting, --watching->queued, memory_order_relaxed);
    *pump              = stream->wants_pump;
    stream->queued     = false;
    stream->wants_pump = false;
    return stream;
}

/* With the lock, which is given back meanwhile. */
static void look(struct cuda_watching *watching)
{
    uint64_t end      = cuda_now() + LOOK_NS;
    watching->looking = true;
    pthread_mutex_unlock(&watching->lock);
    do {
        for (int i = 0; i < 16; i++)
            cuda_relax();
    } while (atomic_load_explicit(&watching->waiting, memory_order_relaxed) == 0 && cuda_now() < end);
    pthread_mutex_lock(&watching->lock);
    watching->looking = false;
}

/* With the lock. The next time there will be looking if that would have caught what came this time. */
static void wait_for_stream(struct cuda_watching *watching)
{
    uint64_t begin = cuda_now();
    watching->idle++;
    if (watching->first == NULL && watching->may_look && !watching->looking && !watching->ending)
        look(watching);
    while (watching->first == NULL && !watching->ending)
        pthread_cond_wait(&watching->wake, &watching->lock);
    watching->idle--;
    watching->may_look = cuda_now() < begin + 2 * LOOK_NS;
}

static void *watch(void *argument)
{
    struct cuda_watching *watching = argument;
    bool pump;
    pthread_mutex_lock(&watching->lock);
    while (true) {
        wait_for_stream(watching);
        if (watching->first == NULL)
            break;
        struct trm_backend_stream *stream = take_first(watching, &pump);
        pthread_mutex_unlock(&watching->lock);
        see_to(stream, pump);
        cuda_stream_leave(stream);
        pthread_mutex_lock(&watching->lock);
    }
    pthread_mutex_unlock(&watching->lock);
    return NULL;
}

/* With the lock. */
static bool start_thread(struct cuda_watching *watching)
{
    sigset_t before;
    if (watching->count == THREADS_MOST)
        return false;
    cuda_signals_hold(&before);
    int failed = pthread_create(&watching->threads[watching->count], NULL, watch, watching);
    cuda_signals_let(&before);
    if (failed != 0)
        return false;
    pthread_setname_np(watching->threads[watching->count], "trireme-cuda");
    watching->count++;
    return true;
}

int32_t cuda_watching_start(struct trm_backend_device *device)
{
    struct cuda_watching *watching = device->watching;
    pthread_mutex_lock(&watching->lock);
    bool is_there = watching->count != 0 || start_thread(watching);
    pthread_mutex_unlock(&watching->lock);
    return is_there ? TRM_OK : cuda_fail_host_memory(device->instance, "a thread that watches streams");
}

bool cuda_watching_see(struct trm_backend_stream *stream, bool pump)
{
    struct cuda_watching *watching = stream->device->watching;
    cuda_stream_enter(stream);
    pthread_mutex_lock(&watching->lock);
    bool is_there      = watching->count != 0 || start_thread(watching);
    bool is_new        = is_there && !stream->queued;
    stream->wants_pump = stream->wants_pump || (is_there && pump);
    if (is_new) {
        stream->queued      = true;
        stream->next_queued = NULL;
        if (watching->last != NULL)
            watching->last->next_queued = stream;
        else
            watching->first = stream;
        watching->last = stream;
        /* A thread that was started just now is not idle yet, but will take the first. */
        atomic_store_explicit(&watching->waiting, ++watching->queued, memory_order_relaxed);
        if (watching->queued > watching->idle)
            (void)start_thread(watching);
        if (!watching->looking || watching->queued > 1)
            pthread_cond_signal(&watching->wake);
    }
    pthread_mutex_unlock(&watching->lock);
    if (!is_new)
        cuda_stream_leave(stream);
    return is_there;
}

void cuda_watching_forget(struct trm_backend_stream *stream)
{
    struct cuda_watching *watching      = stream->device->watching;
    struct trm_backend_stream *previous = NULL;
    pthread_mutex_lock(&watching->lock);
    bool was_queued = stream->queued;
    for (struct trm_backend_stream *at = watching->first; was_queued && at != stream; at = at->next_queued)
        previous = at;
    if (was_queued) {
        if (previous != NULL)
            previous->next_queued = stream->next_queued;
        else
            watching->first = stream->next_queued;
        if (watching->last == stream)
            watching->last = previous;
        atomic_store_explicit(&watching->waiting, --watching->queued, memory_order_relaxed);
        stream->queued = false;
    }
    pthread_mutex_unlock(&watching->lock);
    if (was_queued)
        cuda_stream_leave(stream);
}

/* ---- the life ---------------------------------------------------------------------------------------- */

int32_t cuda_watching_open(struct trm_backend_device *device)
{
    int32_t status = cuda_sleeping_open(device);
    if (status != TRM_OK)
        return status;
    struct cuda_watching *watching = cuda_allocate(device->instance, sizeof(*watching));
    if (watching == NULL)
        return cuda_fail_host_memory(device->instance, "what watches streams");
    watching->device = device;
    pthread_mutex_init(&watching->lock, NULL);
    pthread_cond_init(&watching->wake, NULL);
    device->watching = watching;
    return TRM_OK;
}

static void end_threads(struct cuda_watching *watching)
{
    pthread_mutex_lock(&watching->lock);
    watching->ending = true;
    pthread_cond_broadcast(&watching->wake);
    uint32_t count = watching->count;
    pthread_mutex_unlock(&watching->lock);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(watching->threads[i], NULL);
}

void cuda_watching_close(struct trm_backend_device *device)
{
    struct cuda_watching *watching = device->watching;
    if (watching != NULL) {
        end_threads(watching);
        pthread_cond_destroy(&watching->wake);
        pthread_mutex_destroy(&watching->lock);
        cuda_release(device->instance, watching, sizeof(*watching));
        device->watching = NULL;
    }
    cuda_sleeping_close(device);
}
