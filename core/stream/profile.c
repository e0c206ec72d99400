/* What a stream records for a profile.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/profile.h"

#include <sched.h>

#include "base/base.h"

/* Timestamps of a stream that are not read yet. */
#define PENDING 256u
/* Reading them begins with so many. */
#define BATCH 32u
/* interval 0: at most one part in so many of the time goes into timing. */
#define SHARE 20u

struct pending {
    struct trm_backend_stamp *stamp;
    uint64_t value;
    struct core_profile_record record; /* of the operation before it; not is_record: a beginning alone */
    bool is_record;
};

struct core_stream_profile {
    struct base_lock lock;  /* guards all but `called` and what is counted */
    _Atomic bool has_clock; /* the profile takes times */
    /* Where the enqueuing thread counts without the lock, for a profile without a clock; NULL: nowhere. It
     * says so in `is_counting` before it looks here, and a thread that ends this waits for that. A barrier
     * orders the two (base/barrier.h), where there are barriers. */
    _Atomic(struct core_profile_result *) counted;
    _Atomic bool is_counting;
    bool has_barriers;              /* the context's */
    uint64_t counted_from;          /* that profile's beginning */
    uint64_t called;                /* when the current call began; 0: not known. The enqueuing thread's */
    struct core_profile_part *part; /* holds a reference of the profile; NULL: none is on */
    struct core_profile_result *result;
    struct core_profile_range *range; /* the innermost one; NULL: none is known */
    uint64_t spent_ns;                /* in timing */
    uint64_t noted;                   /* operations */
    bool is_stamped;                  /* a timestamp is behind the last operation that takes time */
    uint64_t last_end;                /* the last time that was read; 0: the stream had nothing to do */
    struct pending pending[PENDING];
    uint32_t oldest, pending_count;
    struct trm_backend_stamp *free_stamps[PENDING];
    uint32_t free_count;
};

/* ---- reading ---------------------------------------------------------------------------------------- */

static void add_record(struct core_stream_profile *state, const struct core_context *context,
                       struct core_profile_record *record, uint64_t end)
{
    record->begin = record->called > state->last_end ? record->called : state->last_end;
    record->end   = end > record->begin ? end : record->begin;
    core_profile_add_record(context, state->result, record);
}

static struct pending *oldest_of(struct core_stream_profile *state)
{
    return &state->pending[state->oldest];
}

/* Takes the oldest one, which is complete, and reads it where a profile wants it. */
static void take_oldest(struct core_stream_profile *state, struct core_stream *stream, bool is_read)
{
    struct pending *pending            = oldest_of(state);
    const struct core_backend *backend = stream->device->backend;
    uint64_t time                      = 0;
    int32_t status                     = TRM_ERROR_NOT_FOUND;
    if (is_read && state->result != NULL)
        status =
            core_answer(backend, "profile.stamp_read", backend->profile.stamp_read(pending->stamp, &time));
    if (status == TRM_OK) {
        if (pending->is_record)
            add_record(state, stream->object.context, &pending->record, time);
        state->last_end = time;
    }
    state->free_stamps[state->free_count++] = pending->stamp;
    state->oldest                           = (state->oldest + 1) % PENDING;
    state->pending_count--;
}

/* Reads what is complete. */
static void drain(struct core_stream_profile *state, struct core_stream *stream)
{
    struct base_saved_error before;
    base_error_save(&before);
    while (state->pending_count != 0 && core_stream_has_finished(stream, oldest_of(state)->value))
        take_oldest(state, stream, core_stream_failure_status(stream) == TRM_OK);
    base_error_restore(&before);
}

/* ---- timestamps ------------------------------------------------------------------------------------- */

static bool is_timed(struct core_stream_profile *state, uint64_t now)
{
    uint32_t interval = state->part->profile->interval;
    if (interval == 0)
        return state->spent_ns * SHARE <= now - state->part->begun;
    return interval <= 1 || state->noted % interval <= 1;
}

static struct trm_backend_stamp *get_stamp(struct core_stream_profile *state, struct core_stream *stream)
{
    const struct trm_profile_ops *ops = &stream->device->backend->profile;
    struct trm_backend_stamp *stamp   = NULL;
    if (state->free_count != 0)
        return state->free_stamps[--state->free_count];
    if (ops->stamp_create == NULL || ops->stamp_destroy == NULL || ops->stamp_record == NULL ||
        ops->stamp_read == NULL)
        return NULL;
    int32_t status = core_answer_object(stream->device->backend, "profile.stamp_create",
                                        ops->stamp_create(stream->device->device, &stamp), "stamp", &stamp);
    return status == TRM_OK ? stamp : NULL;
}

static bool enqueue_stamp(struct core_stream_profile *state, struct core_stream *stream,
                          const struct pending *pending)
{
    struct trm_backend_stamp *stamp    = state->pending_count < PENDING ? get_stamp(state, stream) : NULL;
    const struct core_backend *backend = stream->device->backend;
    uint64_t value                     = core_stream_next(stream);
    if (stamp == NULL)
        return false;
    if (!core_stream_is_ordinary(stream)) {
        state->free_stamps[state->free_count++] = stamp;
        return false;
    }
    int32_t status = core_answer(backend, "profile.stamp_record",
                                 backend->profile.stamp_record(stream->backend, value, stamp));
    if (status != TRM_OK) {
        state->free_stamps[state->free_count++] = stamp;
        return false;
    }
    atomic_store_explicit(&stream->enqueued, value, memory_order_release);
    uint32_t at              = (state->oldest + state->pending_count++) % PENDING;
    state->pending[at]       = *pending;
    state->pending[at].stamp = stamp;
    state->pending[at].value = value;
    state->is_stamped        = true;
    return true;
}

/* Whether the operation can be timed: a timestamp comes before it, or it found the stream idle. Timestamps
 * and signals of the program have numbers, too, but take no time. */
static bool has_beginning(const struct core_stream_profile *state, const struct core_stream *stream,
                          uint64_t value)
{
    return state->is_stamped || atomic_load_explicit(&stream->completed, memory_order_acquire) >= value - 1;
}

static void time_operation(struct core_stream_profile *state, struct core_stream *stream, uint64_t value,
                           const struct core_profile_record *record)
{
    struct base_saved_error before;
    struct pending pending = {.record = *record, .is_record = has_beginning(state, stream, value)};
    state->is_stamped      = false;
    base_error_save(&before);
    enqueue_stamp(state, stream, &pending);
    base_error_restore(&before);
}

/* ---- what streams call ------------------------------------------------------------------------------ */

void core_stream_profile_call(struct core_stream *stream)
{
    struct core_stream_profile *state = atomic_load_explicit(&stream->profile, memory_order_acquire);
    if (state != NULL && atomic_load_explicit(&state->has_clock, memory_order_relaxed))
        state->called = base_now();
}

/* Returns the subject of the operation. */
static struct core_profile_subject *count(struct core_profile_result *result,
                                          const struct core_stream *stream, const struct core_work *work)
{
    uint64_t bytes = atomic_load_explicit(&stream->device->buffer_bytes, memory_order_relaxed);
    if (bytes > result->peak_bytes)
        result->peak_bytes = bytes;
    return core_profile_count(stream->object.context, result, work);
}

/* Counts for a profile without a clock. False where there is none. */
static bool count_alone(struct core_stream_profile *state, const struct core_stream *stream,
                        const struct core_work *work)
{
    if (UNLIKELY(atomic_load_explicit(&state->counted, memory_order_relaxed) == NULL))
        return false;
    if (LIKELY(state->has_barriers)) {
        atomic_store_explicit(&state->is_counting, true, memory_order_relaxed);
        base_barrier_light();
    } else {
        atomic_exchange(&state->is_counting, true);
    }
    struct core_profile_result *result = atomic_load(&state->counted);
    if (LIKELY(result != NULL)) {
        result->first_ns = state->counted_from;
        count(result, stream, work);
    }
    atomic_store_explicit(&state->is_counting, false, memory_order_release);
    return result != NULL;
}

/* Waits until the enqueueing thread has counted its current operation. */
static void stop_counting(struct core_stream_profile *state)
{
    if (atomic_load_explicit(&state->counted, memory_order_relaxed) == NULL)
        return;
    atomic_store(&state->counted, NULL);
    if (state->has_barriers)
        base_barrier_heavy();
    while (atomic_load(&state->is_counting))
        sched_yield();
}

static void note(struct core_stream_profile *state, struct core_stream *stream, uint64_t value,
                 const struct core_work *work)
{
    struct core_profile_subject *subject = count(state->result, stream, work);
    uint64_t now                         = base_now();
    struct core_profile_record record    = {.called  = state->called != 0 ? state->called : now,
                                            .bytes   = work->bytes,
                                            .subject = subject,
                                            .range   = state->range,
                                            .kind    = work->kind};
    if (state->result->first_ns == 0)
        state->result->first_ns = record.called;
    if (is_timed(state, now)) {
        if (state->pending_count >= BATCH)
            drain(state, stream);
        time_operation(state, stream, value, &record);
        state->spent_ns += base_now() - now;
    } else {
        state->is_stamped = false;
    }
    state->noted++;
}

/* Under the lock. */
static __attribute__((noinline)) void note_timed(struct core_stream_profile *state,
                                                 struct core_stream *stream, uint64_t value,
                                                 const struct core_work *work)
{
    base_lock_acquire(&state->lock);
    if (state->part != NULL && atomic_load_explicit(&state->has_clock, memory_order_relaxed))
        note(state, stream, value, work);
    base_lock_release(&state->lock);
    state->called = 0;
}

void core_stream_profile_note(struct core_stream *stream, uint64_t value, const struct core_work *work)
{
    struct core_stream_profile *state = atomic_load_explicit(&stream->profile, memory_order_acquire);
    if (state != NULL && !count_alone(state, stream, work))
        note_timed(state, stream, value, work);
}

/* ---- ranges ----------------------------------------------------------------------------------------- */

void core_stream_profile_push(struct core_stream *stream, const char *name, uint32_t depth, bool is_task)
{
    struct core_stream_profile *state = atomic_load_explicit(&stream->profile, memory_order_acquire);
    if (state == NULL)
        return;
    base_lock_acquire(&state->lock);
    struct core_profile_range *made =
        state->result != NULL ? core_profile_add_range(stream->object.context, state->result, name, is_task)
                              : NULL;
    if (made != NULL) {
        made->depth  = depth;
        made->parent = state->range;
        state->range = made;
    }
    base_lock_release(&state->lock);
}

/* Ends the range of this depth. The profile does not know a range that was pushed before it began. */
void core_stream_profile_pop(struct core_stream *stream, uint32_t depth)
{
    struct core_stream_profile *state = atomic_load_explicit(&stream->profile, memory_order_acquire);
    if (state == NULL)
        return;
    base_lock_acquire(&state->lock);
    if (state->result != NULL && state->range != NULL && state->range->depth == depth)
        state->range = state->range->parent;
    base_lock_release(&state->lock);
}

/* ---- joining and leaving ---------------------------------------------------------------------------- */

static struct core_stream_profile *get_state(struct core_stream *stream)
{
    struct core_stream_profile *state = atomic_load_explicit(&stream->profile, memory_order_acquire);
    if (state != NULL)
        return state;
    struct core_stream_profile *made = core_allocate(stream->object.context, sizeof(*made));
    if (made == NULL)
        return NULL;
    made->has_barriers = stream->object.context->has_barriers;
    if (atomic_compare_exchange_strong(&stream->profile, &state, made))
        return made;
    core_free(stream->object.context, made, sizeof(*made));
    return state;
}

/* Forgets timestamps of an earlier profile. Asks the backend how far the stream is, to know whether the first
 * operation finds it idle. */
static void start(struct core_stream_profile *state, struct core_stream *stream,
                  struct core_profile_part *part, struct core_profile_result *result)
{
    drain(state, stream);
    core_stream_has_finished(stream, atomic_load_explicit(&stream->enqueued, memory_order_acquire));
    for (uint32_t i = 0; i < state->pending_count; i++)
        state->pending[(state->oldest + i) % PENDING].is_record = false;
    core_object_retain(&part->profile->object);
    result->number  = core_object_number(&stream->object);
    state->part     = part;
    state->result   = result;
    state->range    = NULL;
    state->spent_ns = 0;
    state->noted    = 0;
    atomic_store_explicit(&state->has_clock, part->profile->interval != TRM_PROFILE_COUNTED,
                          memory_order_relaxed);
    state->is_stamped   = false;
    state->last_end     = 0;
    state->counted_from = part->begun;
    if (part->profile->interval == TRM_PROFILE_COUNTED)
        atomic_store_explicit(&state->counted, result, memory_order_release);
    atomic_fetch_or(&stream->observed, CORE_STREAM_PROFILED);
}

static bool is_on(struct core_device *device, const struct core_profile_part *part)
{
    pthread_mutex_lock(&device->lock);
    bool is_current = device->profile == part;
    pthread_mutex_unlock(&device->lock);
    return is_current;
}

int32_t core_stream_profile_begin(struct core_stream *stream, struct core_profile_part *part)
{
    struct core_context *context       = stream->object.context;
    struct core_stream_profile *state  = get_state(stream);
    struct core_profile_result *result = core_allocate(context, sizeof(*result));
    if (state == NULL || result == NULL) {
        core_free(context, result, sizeof(*result));
        return base_fail_memory("profiling a stream");
    }
    base_lock_acquire(&state->lock);
    bool is_new = state->part == NULL && is_on(stream->device, part);
    if (is_new)
        start(state, stream, part, result);
    base_lock_release(&state->lock);
    if (!is_new)
        core_free(context, result, sizeof(*result));
    return TRM_OK;
}

/* Takes the stream out of its profile. The state's lock is held. Returns the profile, whose reference the
 * caller releases. A part that has ended does not change any more, so it lacks the results of a stream that
 * was being destroyed when it ended. */
static struct core_profile *leave(struct core_stream_profile *state, struct core_stream *stream)
{
    struct core_profile_part *part = state->part;
    stop_counting(state);
    drain(state, stream);
    atomic_fetch_and(&stream->observed, ~CORE_STREAM_PROFILED);
    if (part == NULL)
        return NULL;
    struct core_profile *profile     = part->profile;
    struct core_profile_result *late = state->result;
    core_stream_copy_name(stream, late->name);
    pthread_mutex_lock(&profile->lock);
    if (part->ended == 0) {
        late->next    = part->results;
        part->results = late;
        late          = NULL;
    }
    pthread_mutex_unlock(&profile->lock);
    core_profile_free_results(stream->object.context, late);
    state->part   = NULL;
    state->result = NULL;
    return profile;
}

/* part: NULL: any. */
void core_stream_profile_end(struct core_stream *stream, const struct core_profile_part *part)
{
    struct core_profile *profile      = NULL;
    struct core_stream_profile *state = atomic_load_explicit(&stream->profile, memory_order_acquire);
    if (state == NULL)
        return;
    base_lock_acquire(&state->lock);
    if (part == NULL || state->part == part)
        profile = leave(state, stream);
    base_lock_release(&state->lock);
    core_object_release(profile != NULL ? &profile->object : NULL);
}

void core_stream_profile_join(struct core_stream *stream)
{
    struct core_device *device = stream->device;
    if ((atomic_load_explicit(&device->attention, memory_order_acquire) & CORE_DEVICE_PROFILED) == 0)
        return;
    struct core_profile_part *part = core_profile_part_of(device);
    if (part == NULL)
        return;
    struct base_saved_error before;
    base_error_save(&before);
    core_stream_profile_begin(stream, part);
    base_error_restore(&before);
    core_object_release(&part->profile->object);
}

void core_stream_profile_retire(struct core_stream *stream)
{
    struct core_stream_profile *state = atomic_load_explicit(&stream->profile, memory_order_acquire);
    if (state == NULL)
        return;
    core_stream_profile_end(stream, NULL);
    base_lock_acquire(&state->lock);
    while (state->pending_count != 0)
        take_oldest(state, stream, false);
    while (state->free_count != 0)
        stream->device->backend->profile.stamp_destroy(state->free_stamps[--state->free_count]);
    base_lock_release(&state->lock);
}

void core_stream_profile_free(struct core_stream *stream)
{
    struct core_stream_profile *state = atomic_load_explicit(&stream->profile, memory_order_acquire);
    if (state == NULL)
        return;
    core_free(stream->object.context, state, sizeof(*state));
}
