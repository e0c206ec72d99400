/* The threads that do the work, and what holds them back.
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "tests/standin/standin.h"

#define POLL_NS 50000 /* between two looks at what changes by itself */
#define FOREVER UINT64_MAX

static pthread_cond_t work; /* there may be something to do */
static bool is_held;
static uint64_t steps; /* operations that may begin all the same */
static uint32_t idle;  /* threads that wait */

uint64_t standin_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void worker_wake(void)
{
    if (idle != 0)
        pthread_cond_signal(&work);
}

/* ---- what may begin */

/* Nothing of it is done any more. */
static bool is_dropped(const struct stream *stream)
{
    return stream->object.context->is_ending || stream->object.context->sticky != CUDA_SUCCESS;
}

/* But for the time. */
static bool may_begin(const struct stream *stream)
{
    const struct operation *operation = stream->first;

    if (operation == NULL || stream->is_running)
        return false;
    if (is_dropped(stream))
        return true;
    if (is_held && steps == 0)
        return false;
    for (uint32_t i = 0; i < operation->place_count; i++)
        if (!place_is_reached(operation->places[i]))
            return false;
    return operation->kind->is_ready == NULL || operation->kind->is_ready(operation);
}

/* When to look again at a stream that may not begin now. */
static uint64_t next_look(const struct stream *stream, uint64_t now)
{
    if (stream->first == NULL || stream->is_running)
        return FOREVER;
    if (stream->first->kind->polls)
        return now + POLL_NS;
    return stream->begin_ns > now ? stream->begin_ns : FOREVER;
}

/* One of the streams that may begin, not always the same; NULL: none may before `*when`. */
static struct stream *choose(uint64_t *when, bool *are_more)
{
    static uint32_t turn;
    uint64_t now          = standin_now();
    struct stream *chosen = NULL;
    uint32_t count        = 0;

    *when = FOREVER;
    turn  = turn * 1664525u + 1013904223u;
    for (struct stream *stream = stream_list(); stream != NULL; stream = stream->next) {
        if (may_begin(stream) && (stream->begin_ns <= now || is_dropped(stream))) {
            count++;
            if (chosen == NULL || (turn >> 16) % count == 0)
                chosen = stream;
        } else {
            uint64_t look = next_look(stream, now);
            *when         = look < *when ? look : *when;
        }
    }
    *are_more = count > 1;
    return chosen;
}

/* ---- doing it */

static CUresult run(struct operation *operation)
{
    CUresult result = CUDA_SUCCESS;

    if (operation->kind->name != NULL)
        result = standin_count_work(operation->kind->name);
    if (result == CUDA_SUCCESS && operation->kind->run != NULL)
        result = operation->kind->run(operation);
    return result;
}

static void finish(struct operation *operation, bool was_run)
{
    struct stream *stream = operation->stream;

    if (operation->kind->end != NULL)
        operation->kind->end(operation, was_run);
    stream->first          = operation->next;
    stream->is_running     = false;
    stream->timeline->done = operation->number;
    for (uint32_t i = 0; i < operation->place_count; i++)
        timeline_drop(operation->places[i].timeline);
    free(operation->places);
    free(operation);
    if (stream->is_destroyed && stream->first == NULL)
        stream_unlink(stream);
    standin_changed();
}

static void begin(struct stream *stream)
{
    struct operation *operation = stream->first;
    bool runs                   = !is_dropped(stream);

    stream->is_running = true;
    if (runs) {
        if (is_held)
            steps--;
        standin_unlock();
        CUresult result = run(operation);
        standin_lock();
        if (result != CUDA_SUCCESS)
            context_fail(stream->object.context, result);
    }
    finish(operation, runs);
}

static void rest(uint64_t until)
{
    struct timespec time = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    idle++;
    standin_wait_for(&work, until == FOREVER ? NULL : &time);
    idle--;
}

static void *worker(void *unused)
{
    uint64_t when;
    bool are_more;

    (void)unused;
    standin_lock();
    for (;;) {
        struct stream *stream = choose(&when, &are_more);
        if (are_more)
            worker_wake();
        if (stream != NULL)
            begin(stream);
        else
            rest(when);
    }
    return NULL;
}

bool workers_start(int count)
{
    static int started;
    pthread_condattr_t monotonic;
    sigset_t before;
    pthread_t thread;

    if (started == 0) {
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&work, &monotonic);
        pthread_condattr_destroy(&monotonic);
    }
    guard_block_signals(&before);
    while (started < count && pthread_create(&thread, NULL, worker, NULL) == 0) {
        pthread_detach(thread);
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started != 0;
}

/* ---- control; these take the lock themselves */

void standin_hold(void)
{
    standin_lock();
    is_held = true;
    steps   = 0;
    standin_unlock();
}

void standin_step(uint64_t count)
{
    standin_lock();
    steps += count;
    pthread_cond_broadcast(&work);
    standin_unlock();
}

void standin_release(void)
{
    standin_lock();
    is_held = false;
    steps   = 0;
    pthread_cond_broadcast(&work);
    standin_unlock();
}

static bool is_settled(void)
{
    for (const struct stream *stream = stream_list(); stream != NULL; stream = stream->next)
        if (stream->is_running || may_begin(stream))
            return false;
    return true;
}

void standin_settle(void)
{
    standin_lock();
    while (!is_settled())
        standin_wait();
    standin_unlock();
}

uint64_t standin_pending(void)
{
    uint64_t count = 0;

    standin_lock();
    for (const struct stream *stream = stream_list(); stream != NULL; stream = stream->next)
        count += stream->timeline->enqueued - stream->timeline->done;
    standin_unlock();
    return count;
}
