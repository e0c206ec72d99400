/* cuda backend: the ring of a stream's marks.
 * SPDX-License-Identifier: MIT
 */
#include "mark.h"

#include <stdio.h>
#include <string.h>

#include "fault.h"
#include "follow.h"
#include "stream.h"

#define FIRST_MARKS 16u

/* A full ring that is shorter than this grows. In a longer one it pays to query the mark in the middle,
 * which costs as much as ten marks: if it is complete, half the ring becomes free. If not, the device is
 * further behind than that, and the ring grows too; else the host would be slowed to the device's pace. */
#define MANY_MARKS 64u

static struct cuda_mark **slot(const struct cuda_marks *marks, uint32_t index)
{
    return &marks->ring[(marks->first + index) & (marks->capacity - 1)];
}

static struct cuda_mark *newest(const struct cuda_marks *marks)
{
    return marks->count == 0 ? NULL : *slot(marks, marks->count - 1);
}

/* ---- with the marks' lock -------------------------------------------------------------------- */

/* Make marks spare that are complete and that no thread uses. */
static void reap(struct trm_backend_stream *stream)
{
    struct cuda_marks *marks = &stream->marks;
    uint64_t completed       = cuda_stream_completed(stream);
    while (marks->count != 0) {
        struct cuda_mark *mark = *slot(marks, 0);
        if (mark->value > completed || atomic_load_explicit(&mark->users, memory_order_acquire) != 0)
            return;
        mark->next   = marks->spare;
        marks->spare = mark;
        marks->first = (marks->first + 1) & (marks->capacity - 1);
        marks->count--;
    }
}

/* The first mark at or after `value`; NULL: there is none. Looks at the last one first, which it is most
 * often. */
static struct cuda_mark *find(const struct cuda_marks *marks, uint64_t value)
{
    uint32_t low = 0, high = marks->count;
    if (high >= 2 && (*slot(marks, high - 2))->value < value)
        low = high - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((*slot(marks, middle))->value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < marks->count ? *slot(marks, low) : NULL;
}

static struct cuda_mark *acquire(struct cuda_mark *mark)
{
    if (mark != NULL)
        atomic_fetch_add_explicit(&mark->users, 1, memory_order_relaxed);
    return mark;
}

static struct cuda_mark *take_spare(struct trm_backend_stream *stream)
{
    if (stream->marks.spare == NULL)
        reap(stream);
    struct cuda_mark *mark = stream->marks.spare;
    if (mark != NULL)
        stream->marks.spare = mark->next;
    return mark;
}

static void add_spare(struct trm_backend_stream *stream, struct cuda_mark *mark)
{
    mark->next          = stream->marks.spare;
    stream->marks.spare = mark;
}

/* ---- recording ------------------------------------------------------------------------------- */

/* NULL with CUDA_SUCCESS: there is no host memory. */
static CUresult create(struct trm_backend_stream *stream, struct cuda_mark **result)
{
    struct trm_backend_device *device = stream->device;
    CUcontext previous;
    struct cuda_mark *mark = trm_util_allocate(device->instance->host, sizeof(*mark));
    *result                = NULL;
    if (mark == NULL)
        return CUDA_SUCCESS;
    CUresult made = CUDA_ERROR_INVALID_CONTEXT;
    if (cuda_enter(device, &previous) == TRM_OK) {
        made = device->cuda->cuEventCreate(&mark->event, CU_EVENT_DISABLE_TIMING);
        cuda_leave(device, previous);
    }
    if (made == CUDA_SUCCESS)
        *result = mark;
    else
        trm_util_release(device->instance->host, mark, sizeof(*mark));
    return made;
}

static inline CUresult record(struct trm_backend_stream *stream, const struct cuda_mark *mark)
{
    struct trm_backend_device *device = stream->device;
    CUcontext previous;
    if (cuda_enter_stream(device, &previous) != TRM_OK)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = device->cuda->cuEventRecord(mark->event, stream->handle);
    cuda_leave(device, previous);
    return result;
}

/* Whether the mark at this place of the ring is complete. */
static bool is_complete(struct trm_backend_stream *stream, uint32_t at)
{
    trm_util_lock_acquire(&stream->marks.lock);
    struct cuda_mark *mark = at < stream->marks.count ? acquire(*slot(&stream->marks, at)) : NULL;
    trm_util_lock_release(&stream->marks.lock);
    if (mark == NULL)
        return false;
    CUresult result = cuda_mark_query(stream, mark);
    cuda_mark_release(mark);
    return result == CUDA_SUCCESS;
}

/* Whether a mark before the middle is complete. For when there is no memory to grow. */
static bool is_any_complete(struct trm_backend_stream *stream, uint32_t capacity)
{
    uint32_t at = capacity / 2;
    while (at != 0) {
        at /= 2;
        if (is_complete(stream, at))
            return true;
    }
    return false;
}

/* Grow the ring from `size` to twice that. False: there is no memory. */
static bool grow(struct trm_backend_stream *stream, uint32_t size)
{
    const struct trm_backend_instance *instance = stream->device->instance;
    struct cuda_marks *marks                    = &stream->marks;
    uint32_t capacity                           = size == 0 ? FIRST_MARKS : size * 2;
    struct cuda_mark **ring = trm_util_allocate(instance->host, capacity * sizeof(struct cuda_mark *));
    if (ring == NULL)
        return false;
    trm_util_lock_acquire(&stream->marks.lock);
    struct cuda_mark **old = marks->ring;
    uint32_t old_capacity  = marks->capacity;
    if (old_capacity < capacity) {
        for (uint32_t i = 0; i < marks->count; i++)
            ring[i] = *slot(marks, i);
        marks->ring     = ring;
        marks->capacity = capacity;
        marks->first    = 0;
    } else { /* another thread was faster */
        old          = ring;
        old_capacity = capacity;
    }
    trm_util_lock_release(&stream->marks.lock);
    trm_util_release(instance->host, old, old_capacity * sizeof(struct cuda_mark *));
    return true;
}

/* With the lock, which is released meanwhile. True: there is room, and the lock is held. False: there is
 * no memory, and the lock is not held. */
__attribute__((noinline)) static bool make_room(struct trm_backend_stream *stream)
{
    struct cuda_marks *marks = &stream->marks;
    bool has_queried         = false; /* asking again is useless: a thread may still use the first mark */
    while (true) {
        reap(stream);
        if (marks->count < marks->capacity)
            return true;
        uint32_t capacity = marks->capacity;
        trm_util_lock_release(&stream->marks.lock);
        bool can_retry = !has_queried && capacity >= MANY_MARKS && is_complete(stream, capacity / 2);
        can_retry =
            can_retry || grow(stream, capacity) || (!has_queried && is_any_complete(stream, capacity));
        if (!can_retry)
            return false;
        has_queried = true;
        trm_util_lock_acquire(&stream->marks.lock);
    }
}

/* Acquire the lock. True: there is room in the ring. False: there is no memory, and the lock is not held. */
static inline bool lock_with_room(struct trm_backend_stream *stream)
{
    trm_util_lock_acquire(&stream->marks.lock);
    return TRM_UTIL_LIKELY(stream->marks.count < stream->marks.capacity) || make_room(stream);
}

/* Add a mark that was recorded at the end of what was submitted. That was `value` then, or more by now; a
 * mark that another thread added meanwhile may serve instead. NULL: there is no memory. */
static struct cuda_mark *add_mark(struct trm_backend_stream *stream, struct cuda_mark *mark, uint64_t value,
                                  bool acquires)
{
    if (!lock_with_room(stream)) {
        trm_util_lock_acquire(&stream->marks.lock);
        add_spare(stream, mark);
        trm_util_lock_release(&stream->marks.lock);
        return NULL;
    }
    struct cuda_marks *marks = &stream->marks;
    struct cuda_mark *last   = newest(marks);
    if (last != NULL && last->value >= value) {
        add_spare(stream, mark);
        mark = find(marks, value);
    } else {
        mark->value                  = value;
        *slot(marks, marks->count++) = mark;
    }
    if (acquires)
        acquire(mark);
    else
        stream->prepared = take_spare(stream);
    trm_util_lock_release(&stream->marks.lock);
    return mark;
}

static int32_t fail_memory(struct trm_backend_stream *stream)
{
    snprintf(stream->job_failure, sizeof(stream->job_failure),
             "There was no host memory for a mark in a stream.");
    return trm_util_fail_host_memory(stream->device->instance->host, "a mark in a stream");
}

/* A spare mark, or a new one. */
static CUresult take_or_create(struct trm_backend_stream *stream, struct cuda_mark **mark)
{
    trm_util_lock_acquire(&stream->marks.lock);
    *mark = take_spare(stream);
    trm_util_lock_release(&stream->marks.lock);
    return *mark != NULL ? CUDA_SUCCESS : create(stream, mark);
}

int32_t cuda_mark_record(struct trm_backend_stream *stream, uint64_t value)
{
    CUresult result        = CUDA_SUCCESS;
    struct cuda_mark *mark = stream->prepared;
    stream->prepared       = NULL;
    if (mark == NULL)
        result = take_or_create(stream, &mark);
    if (result != CUDA_SUCCESS)
        return cuda_job_failed(stream, result, "cuEventCreate");
    if (mark == NULL)
        return fail_memory(stream);
    result = record(stream, mark);
    if (TRM_UTIL_LIKELY(result == CUDA_SUCCESS))
        return add_mark(stream, mark, value, false) != NULL ? TRM_OK : fail_memory(stream);
    stream->prepared = mark;
    return cuda_job_failed(stream, result, "cuEventRecord");
}

/* Record a mark at the end of what is submitted, and acquire it. */
static struct cuda_mark *record_at_end(struct trm_backend_stream *stream, CUresult *result)
{
    uint64_t value = cuda_stream_submitted(stream);
    struct cuda_mark *mark;
    *result = take_or_create(stream, &mark);
    if (mark == NULL)
        return NULL;
    *result = record(stream, mark);
    if (*result != CUDA_SUCCESS) {
        trm_util_lock_acquire(&stream->marks.lock);
        add_spare(stream, mark);
        trm_util_lock_release(&stream->marks.lock);
        return NULL;
    }
    return add_mark(stream, mark, value, true);
}

/* ---- looking up ------------------------------------------------------------------------------ */

struct cuda_mark *cuda_mark_acquire(struct trm_backend_stream *stream, uint64_t value, CUresult *result)
{
    trm_util_lock_acquire(&stream->marks.lock);
    struct cuda_mark *mark = acquire(find(&stream->marks, value));
    trm_util_lock_release(&stream->marks.lock);
    *result = CUDA_SUCCESS;
    return mark != NULL ? mark : record_at_end(stream, result);
}

struct cuda_mark *cuda_mark_acquire_newest(struct trm_backend_stream *stream)
{
    trm_util_lock_acquire(&stream->marks.lock);
    reap(stream);
    struct cuda_mark *mark = acquire(newest(&stream->marks));
    trm_util_lock_release(&stream->marks.lock);
    return mark;
}

struct cuda_mark *cuda_mark_acquire_oldest(struct trm_backend_stream *stream)
{
    trm_util_lock_acquire(&stream->marks.lock);
    struct cuda_mark *mark = acquire(find(&stream->marks, cuda_stream_completed(stream) + 1));
    trm_util_lock_release(&stream->marks.lock);
    return mark;
}

CUresult cuda_mark_query(struct trm_backend_stream *stream, const struct cuda_mark *mark)
{
    struct trm_backend_device *device = stream->device;
    CUcontext previous;
    if (cuda_enter_stream(device, &previous) != TRM_OK)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = device->cuda->cuEventQuery(mark->event);
    cuda_leave(device, previous);
    if (result == CUDA_SUCCESS)
        cuda_stream_note_completed(stream, mark->value);
    return result;
}

void cuda_stream_note_completed(struct trm_backend_stream *stream, uint64_t value)
{
    if (TRM_UTIL_UNLIKELY(stream->faults != NULL))
        cuda_faults_check(stream);
    if (TRM_UTIL_UNLIKELY(atomic_load_explicit(&stream->follow.devices, memory_order_relaxed) != 0))
        cuda_follow_check(stream, value);
    uint64_t old = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    while (old < value && !atomic_compare_exchange_weak_explicit(&stream->completed, &old, value,
                                                                 memory_order_release, memory_order_relaxed))
        ;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void destroy(struct trm_backend_stream *stream, struct cuda_mark *mark)
{
    (void)stream->device->cuda->cuEventDestroy(mark->event);
    trm_util_release(stream->device->instance->host, mark, sizeof(*mark));
}

void cuda_marks_fini(struct trm_backend_stream *stream)
{
    struct cuda_marks *marks = &stream->marks;
    if (stream->prepared != NULL)
        destroy(stream, stream->prepared);
    for (uint32_t i = 0; i < marks->count; i++)
        destroy(stream, *slot(marks, i));
    while (marks->spare != NULL) {
        struct cuda_mark *mark = marks->spare;
        marks->spare           = mark->next;
        destroy(stream, mark);
    }
    trm_util_release(stream->device->instance->host, marks->ring,
                     marks->capacity * sizeof(struct cuda_mark *));
    memset(marks, 0, sizeof(*marks));
    stream->prepared = NULL;
}
