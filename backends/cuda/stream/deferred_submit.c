/* cuda backend: operations that are held back on the host, and how they go on.
 *
 * One thread at a time submits what a stream held (`pumping`), without any lock. While a stream holds back, who enqueues only appends;
 * so the two never submit at the same time, and the order is that of the list.
 * SPDX-License-Identifier: MIT
 */
#include "stream.h"

#include <string.h>

#include "watcher.h"

#define JOB_BYTES 512u /* of those that are kept for further use */
#define SPARE_MOST 64u /* so many of them a stream */

/* So many operations are submitted by whoever opens a gate, since the driver makes who submits very much wait; and are
 * held for a copy that nobody has asked for. */
#define MUCH 256u

enum held_kind {
    HELD_JOB = 1,
    HELD_GATE,
    HELD_WAIT,
};

struct cuda_held {
    struct cuda_held *next;
    enum held_kind kind;
    bool blocks;       /* of a job: the driver makes who submits it wait */
    uint32_t capacity; /* bytes of `what` */
    uint64_t value;
    struct trm_backend_stream *other; /* HELD_WAIT: with a reference */
    uint64_t other_value;
    struct cuda_job job; /* of a copy of what it was given */
    _Alignas(max_align_t) unsigned char what[];
};

/* ---- memory --------------------------------------------------------------------------------------- */

static struct cuda_held *allocate(struct trm_backend_stream *stream, enum held_kind kind, uint64_t value,
                                  uint32_t bytes)
{
    struct trm_backend_instance *instance = stream->device->instance;
    struct cuda_held *held                = NULL;
    uint32_t capacity                     = bytes > JOB_BYTES ? bytes : JOB_BYTES;
    if (bytes <= JOB_BYTES) {
        pthread_mutex_lock(&instance->hold_lock);
        held = stream->spare_held;
        if (held != NULL) {
            stream->spare_held = held->next;
            stream->spare_held_count--;
        }
        pthread_mutex_unlock(&instance->hold_lock);
    }
    if (held == NULL)
        held = cuda_allocate(instance, sizeof(*held) + capacity);
    if (held == NULL)
        return NULL;
    held->next     = NULL;
    held->kind     = kind;
    held->blocks   = false;
    held->capacity = capacity;
    held->value    = value;
    held->other    = NULL;
    return held;
}

static void release(const struct trm_backend_instance *instance, struct cuda_held *held)
{
    if (held->other != NULL)
        cuda_stream_release(held->other);
    cuda_release(instance, held, sizeof(*held) + held->capacity);
}

void cuda_hold_free(struct trm_backend_stream *stream, struct cuda_held *list)
{
    while (list != NULL) {
        struct cuda_held *next = list->next;
        release(stream->device->instance, list);
        list = next;
    }
}

/* With the lock. False: there are enough. */
static bool keep_spare(struct trm_backend_stream *stream, struct cuda_held *held)
{
    if (held->capacity != JOB_BYTES || stream->spare_held_count == SPARE_MOST)
        return false;
    held->next         = stream->spare_held;
    stream->spare_held = held;
    stream->spare_held_count++;
    return true;
}

/* ---- the list; with the lock ------------------------------------------------------------------------ */

static void begin_holding(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;
    if (cuda_stream_holds_back(stream))
        return;
    stream->next_holding = instance->holding;
    instance->holding    = stream;
    atomic_fetch_or_explicit(&stream->holds, CUDA_HOLDS_BACK, memory_order_release);
}

static void end_holding(struct trm_backend_stream *stream)
{
    struct trm_backend_stream **place = &stream->device->instance->holding;
    if (!cuda_stream_holds_back(stream))
        return;
    while (*place != stream)
        place = &(*place)->next_holding;
    *place = stream->next_holding;
    atomic_fetch_and_explicit(&stream->holds, ~CUDA_HOLDS_BACK, memory_order_release);
}

struct cuda_held *cuda_hold_take_locked(struct trm_backend_stream *stream)
{
    struct cuda_held *list = stream->held;
    stream->held           = NULL;
    stream->last_held      = NULL;
    stream->held_count     = 0;
    if (atomic_load(&stream->pumping) == 0)
        end_holding(stream);
    return list;
}

static void append(struct trm_backend_stream *stream, struct cuda_held *held)
{
    begin_holding(stream);
    if (stream->last_held != NULL)
        stream->last_held->next = held;
    else
        stream->held = held;
    stream->last_held = held;
    stream->held_count++;
}

static struct cuda_held *take_first(struct trm_backend_stream *stream)
{
    struct cuda_held *held = stream->held;
    stream->held           = held->next;
    if (stream->held == NULL)
        stream->last_held = NULL;
    stream->held_count--;
    return held;
}

/* The place that is waited for has been submitted, or never will be. */
static bool has_come(const struct trm_backend_stream *other, uint64_t value)
{
    return cuda_stream_submitted(other) >= value || atomic_load(&other->failure) != TRM_OK;
}

static bool is_ready(const struct trm_backend_stream *stream, const struct cuda_held *held)
{
    if (held->kind == HELD_GATE)
        return atomic_load(&stream->opened) >= held->value;
    if (held->kind == HELD_WAIT)
        return has_come(held->other, held->other_value);
    return true;
}

/* ---- submitting; without the lock -------------------------------------------------------------------- */

/* A stream that fails has given all that it ever will, but for what a thread is at just now. */
static bool has_failed_before(const struct trm_backend_stream *other, uint64_t value)
{
    return atomic_load(&other->failure) != TRM_OK && atomic_load(&other->pumping) == 0 &&
           cuda_stream_submitted(other) < value;
}

static int32_t submit_wait(struct trm_backend_stream *stream, const struct cuda_held *held)
{
    struct trm_backend_stream *other = held->other;
    if (cuda_stream_submitted(other) >= held->other_value)
        return cuda_stream_follow(stream, other, held->other_value);
    stream->refused_native = other->failure_native;
    memcpy(stream->refused, other->failure_sentence, sizeof(stream->refused));
    return atomic_load(&other->failure);
}

static int32_t submit(struct trm_backend_stream *stream, const struct cuda_held *held)
{
    stream->refused[0]     = '\0';
    stream->refused_native = 0;
    if (held->kind == HELD_JOB)
        return cuda_job_submit(stream, held->job);
    return held->kind == HELD_WAIT ? submit_wait(stream, held) : TRM_OK;
}

/* ---- pumping ---------------------------------------------------------------------------------------- */

/* May the first operation be submitted by the calling thread? */
static bool may_go_on(struct trm_backend_stream *stream, enum cuda_pump how, uint32_t done)
{
    const struct cuda_held *held = stream->held;
    if (held == NULL || (atomic_load(&stream->holds) & CUDA_HOLDS_FAILED) != 0 || !is_ready(stream, held))
        return false;
    if (held->kind == HELD_WAIT && atomic_load(&held->other->pumping) != 0 &&
        cuda_stream_submitted(held->other) < held->other_value)
        return false; /* it fails, but may come that far still */
    if (how == CUDA_PUMP_HERE || (!held->blocks && done < MUCH))
        return true;
    if (held->blocks && how == CUDA_PUMP_LAZILY)
        return false;
    return !cuda_watching_see(stream, true);
}

/* With the lock, which is given back meanwhile. */
static void submit_first(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;
    struct cuda_held *held = take_first(stream), *dropped = NULL;
    pthread_mutex_unlock(&instance->hold_lock);
    int32_t status = submit(stream, held);
    if (status == TRM_OK)
        cuda_stream_has_submitted(stream, held->value);
    if (held->other != NULL)
        cuda_stream_release(held->other);
    held->other = NULL;
    pthread_mutex_lock(&instance->hold_lock);
    if (status != TRM_OK)
        dropped = cuda_stream_fail_locked(stream, status, stream->refused_native, stream->refused);
    if (!keep_spare(stream, held)) {
        held->next = dropped;
        dropped    = held;
    }
    if (dropped == NULL)
        return;
    pthread_mutex_unlock(&instance->hold_lock);
    cuda_hold_free(stream, dropped);
    pthread_mutex_lock(&instance->hold_lock);
}

/* With the lock, which is given back meanwhile. Returns whether anything was done. */
static bool pump_locked(struct trm_backend_stream *stream, enum cuda_pump how)
{
    uint32_t done = 0;
    if (atomic_load(&stream->pumping) != 0) {
        if (stream->pump_again < (int32_t)how)
            stream->pump_again = (int32_t)how;
        return false;
    }
    if (!may_go_on(stream, how, done))
        return false;
    atomic_store(&stream->pumping, 1);
    do {
        submit_first(stream);
        done++;
        if (stream->pump_again > (int32_t)how)
            how = (enum cuda_pump)stream->pump_again;
        stream->pump_again = 0;
    } while (may_go_on(stream, how, done));
    atomic_store(&stream->pumping, 0);
    if (stream->held == NULL)
        end_holding(stream);
    return true;
}

/* A stream whose first operation waits for another one, and need not any more. */
static struct trm_backend_stream *find_ready(const struct trm_backend_instance *instance)
{
    struct trm_backend_stream *stream = instance->holding;
    for (; stream != NULL; stream = stream->next_holding) {
        const struct cuda_held *held = stream->held;
        if (atomic_load(&stream->pumping) != 0 || held == NULL || held->kind != HELD_WAIT ||
            (atomic_load(&stream->holds) & CUDA_HOLDS_FAILED) != 0)
            continue;
        if (cuda_stream_submitted(held->other) >= held->other_value ||
            has_failed_before(held->other, held->other_value))
            return stream;
    }
    return NULL;
}

void cuda_hold_go_on_locked(struct trm_backend_instance *instance)
{
    struct trm_backend_stream *stream;
    while ((stream = find_ready(instance)) != NULL) {
        cuda_stream_enter(stream);
        pump_locked(stream, CUDA_PUMP_SOON);
        pthread_mutex_unlock(&instance->hold_lock);
        cuda_stream_wake(stream);
        cuda_stream_leave(stream);
        pthread_mutex_lock(&instance->hold_lock);
    }
}

void cuda_hold_pump(struct trm_backend_stream *stream, enum cuda_pump how)
{
    struct trm_backend_instance *instance = stream->device->instance;
    if (!cuda_stream_holds_back(stream))
        return;
    cuda_stream_enter(stream);
    pthread_mutex_lock(&instance->hold_lock);
    bool is_moved = pump_locked(stream, how);
    if (is_moved)
        cuda_hold_go_on_locked(instance);
    pthread_mutex_unlock(&instance->hold_lock);
    if (is_moved)
        cuda_stream_wake(stream);
    cuda_stream_leave(stream);
}

/* ---- holding --------------------------------------------------------------------------------------- */

/* So many operations are held then; 0: this one is not. */
static uint32_t hold(struct trm_backend_stream *stream, struct cuda_held *held)
{
    struct trm_backend_instance *instance = stream->device->instance;
    pthread_mutex_lock(&instance->hold_lock);
    uint32_t holds = atomic_load(&stream->holds);
    bool must_hold = held->kind != HELD_JOB || held->blocks || (holds & CUDA_HOLDS_BACK) != 0;
    bool is_held   = (holds & CUDA_HOLDS_FAILED) == 0 && must_hold;
    if (is_held)
        append(stream, held);
    uint32_t count = is_held ? stream->held_count : 0;
    pthread_mutex_unlock(&instance->hold_lock);
    return count;
}

int32_t cuda_hold_job(struct trm_backend_stream *stream, uint64_t value, struct cuda_job job, bool blocks)
{
    int32_t status = cuda_stream_check(stream);
    if (status != TRM_OK)
        return status;
    struct cuda_held *held = allocate(stream, HELD_JOB, value, job.size);
    if (held == NULL)
        return cuda_fail_host_memory(stream->device->instance, "an operation that is held back");
    memcpy(held->what, job.what, job.size);
    held->job      = (struct cuda_job){job.submit, held->what, job.size};
    held->blocks   = blocks;
    uint32_t count = hold(stream, held);
    if (count != 0) {
        if (count % MUCH == 0)
            cuda_hold_pump(stream, CUDA_PUMP_SOON);
        return TRM_OK;
    }
    release(stream->device->instance, held);
    status = cuda_stream_check(stream);
    return status == TRM_OK ? cuda_stream_do_now(stream, value, job) : status;
}

int32_t cuda_hold_gate(struct trm_backend_stream *stream, uint64_t value)
{
    struct cuda_held *held = allocate(stream, HELD_GATE, value, 0);
    if (held == NULL)
        return cuda_fail_host_memory(stream->device->instance, "a gate");
    if (hold(stream, held) == 0) {
        release(stream->device->instance, held);
        return cuda_stream_check(stream);
    }
    cuda_hold_pump(stream, CUDA_PUMP_LAZILY);
    return TRM_OK;
}

int32_t cuda_hold_wait(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stream *other,
                       uint64_t other_value)
{
    struct cuda_held *held = allocate(stream, HELD_WAIT, value, 0);
    if (held == NULL)
        return cuda_fail_host_memory(stream->device->instance, "a wait for a stream");
    cuda_stream_retain(other);
    held->other       = other;
    held->other_value = other_value;
    if (hold(stream, held) == 0) {
        release(stream->device->instance, held);
        return cuda_stream_check(stream);
    }
    cuda_hold_pump(other, CUDA_PUMP_SOON);
    cuda_hold_pump(stream, CUDA_PUMP_LAZILY);
    return TRM_OK;
}

int32_t cuda_stream_wait_submitted(struct trm_backend_stream *stream, uint64_t value)
{
    while (true) {
        int32_t status = cuda_stream_check(stream);
        if (status != TRM_OK || cuda_stream_submitted(stream) >= value)
            return status;
        cuda_hold_pump(stream, CUDA_PUMP_HERE);
        pthread_mutex_lock(&stream->lock);
        stream->sleepers++;
        while (cuda_stream_submitted(stream) < value && atomic_load(&stream->failure) == TRM_OK &&
               !cuda_device_is_lost(stream->device))
            pthread_cond_wait(&stream->moved, &stream->lock);
        stream->sleepers--;
        pthread_mutex_unlock(&stream->lock);
    }
}
