/* The fake backend's streams: lists of operations, of which a test says how many may be done.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/fake_stream.h"

#include "tests/check.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/futex.h"
#include "core/stream/stream_object.h"

enum step_kind {
    STEP_NOTHING,
    STEP_COPY,
    STEP_FILL,
    STEP_GATE,
    STEP_WAIT,
    STEP_STAMP
};

struct step {
    struct step *next;
    enum step_kind kind;
    uint64_t value;
    struct trm_copy_desc copy;
    struct trm_fill_desc fill;
    struct trm_backend_stream *other; /* of a wait; NULL: gone, and what became of it is `status` */
    uint64_t other_value;
    int32_t status;
    struct trm_backend_stamp *stamp;
};

struct told {
    struct told *next;
    uint64_t value;
    trm_notify_fn notify;
    void *user;
    int32_t status;
};

struct trm_backend_stream {
    struct trm_backend_device *device;
    struct fake *fake;
    struct trm_backend_stream *next;

    /* Under fake->lock. */
    struct step *first, **end;
    struct told *told;
    uint64_t allowed; /* by the test */
    uint64_t opened;  /* gates up to this one */
    uint64_t completed;
    int32_t failure;
    int64_t native_code;
    char sentence[128];
};

/* ---- doing the work; with the lock held --------------------------------------------------------- */

static unsigned char *address(const struct trm_place *place)
{
    return place->memory != NULL ? place->memory->bytes + place->offset : place->host;
}

static void fill(const struct trm_fill_desc *desc)
{
    for (uint64_t i = 0; i < desc->size; i += desc->pattern_size)
        memcpy(desc->memory->bytes + desc->offset + i, &desc->pattern, desc->pattern_size);
}

static void fail_locked(struct trm_backend_stream *stream, int32_t status, int64_t native_code,
                        const char *sentence)
{
    if (stream->failure != TRM_OK)
        return;
    stream->failure     = status;
    stream->native_code = native_code;
    snprintf(stream->sentence, sizeof(stream->sentence), "%s", sentence);
}

static int may_run(struct trm_backend_stream *stream, const struct step *step)
{
    if (stream->failure != TRM_OK || (!stream->fake->running && step->value > stream->allowed))
        return 0;
    if (step->kind == STEP_GATE)
        return stream->opened >= step->value;
    if (step->kind != STEP_WAIT)
        return 1;
    if (step->other == NULL) {
        if (step->status != TRM_OK)
            fail_locked(stream, step->status, 0, "a stream that it waited for has failed");
        return step->status == TRM_OK;
    }
    if (step->other->failure != TRM_OK) {
        fail_locked(stream, step->other->failure, step->other->native_code, step->other->sentence);
        return 0;
    }
    return step->other->completed >= step->other_value;
}

static void do_step(struct trm_backend_stream *stream, const struct step *step)
{
    if (step->kind == STEP_COPY)
        memcpy(address(&step->copy.destination), address(&step->copy.source), step->copy.size);
    if (step->kind == STEP_FILL)
        fill(&step->fill);
    if (step->kind == STEP_STAMP) {
        step->stamp->time = base_now();
        atomic_store(&step->stamp->in_flight, 0);
    }
    stream->completed = step->value;
}

static int advance(struct trm_backend_stream *stream)
{
    int done = 0;
    struct step *step;
    int32_t before = stream->failure;
    while ((step = stream->first) != NULL && may_run(stream, step)) {
        do_step(stream, step);
        stream->first = step->next;
        if (stream->first == NULL)
            stream->end = &stream->first;
        free(step);
        done = 1;
    }
    return done || stream->failure != before;
}

/* Takes those off whose time has come. */
static struct told *due(struct trm_backend_stream *stream)
{
    struct told *list = NULL, **place = &stream->told;
    while (*place != NULL) {
        struct told *told = *place;
        if (stream->failure == TRM_OK && told->value > stream->completed) {
            place = &told->next;
            continue;
        }
        told->status = told->value <= stream->completed ? TRM_OK : stream->failure;
        *place       = told->next;
        told->next   = list;
        list         = told;
    }
    return list;
}

static void tell(struct told *list)
{
    while (list != NULL) {
        struct told *next = list->next;
        list->notify(list->user, list->status);
        free(list);
        list = next;
    }
}

/* Does all that can be done, on all streams; gives the lock back. */
static void progress_and_unlock(struct fake *fake)
{
    struct told *list = NULL;
    int moved         = 1;
    while (moved) {
        moved = 0;
        for (struct trm_backend_stream *stream = fake->first; stream != NULL; stream = stream->next)
            moved |= advance(stream);
    }
    for (struct trm_backend_stream *stream = fake->first; stream != NULL; stream = stream->next) {
        struct told *some = due(stream), **end = &some;
        while (*end != NULL)
            end = &(*end)->next;
        *end = list;
        list = some;
    }
    pthread_cond_broadcast(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
    tell(list);
}

/* ---- enqueueing ------------------------------------------------------------------------------------ */

static int32_t failure_of(struct trm_backend_stream *stream)
{
    if (stream->failure == TRM_OK)
        return TRM_OK;
    return base_fail_native(stream->failure, stream->native_code, stream->sentence);
}

static int32_t enqueue(struct trm_backend_stream *stream, enum fake_call call, const struct step *given)
{
    struct fake *fake = stream->fake;
    int32_t status    = fake_called(fake, call);
    if (status != TRM_OK)
        return status;
    struct step *step = malloc(sizeof(*step));
    *step             = *given;
    step->next        = NULL;
    pthread_mutex_lock(&fake->lock);
    status = failure_of(stream);
    if (status == TRM_OK) {
        *stream->end = step;
        stream->end  = &step->next;
    }
    progress_and_unlock(fake);
    if (status != TRM_OK)
        free(step);
    return status;
}

int32_t fake_stream_nothing(struct trm_backend_stream *stream, uint64_t value)
{
    struct step step = {.kind = STEP_NOTHING, .value = value};
    return enqueue(stream, FAKE_CALL_COPY, &step);
}

static int32_t stream_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc)
{
    struct step step = {.kind = STEP_COPY, .value = value, .copy = *desc};
    return enqueue(stream, FAKE_CALL_COPY, &step);
}

static int32_t stream_fill(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_fill_desc *desc)
{
    struct step step = {.kind = STEP_FILL, .value = value, .fill = *desc};
    return enqueue(stream, FAKE_CALL_COPY, &step);
}

static int32_t stream_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc)
{
    (void)desc;
    return fake_stream_nothing(stream, value);
}

static int32_t stream_mark(struct trm_backend_stream *stream, uint64_t value)
{
    (void)value;
    return fake_called(stream->fake, FAKE_CALL_MARK);
}

static int32_t stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                  struct trm_backend_stream *other, uint64_t other_value)
{
    struct step step = {.kind = STEP_WAIT, .value = value, .other = other, .other_value = other_value};
    return enqueue(stream, FAKE_CALL_WAIT_STREAM, &step);
}

static int32_t stream_gate(struct trm_backend_stream *stream, uint64_t value)
{
    struct step step = {.kind = STEP_GATE, .value = value};
    return enqueue(stream, FAKE_CALL_GATE, &step);
}

int32_t fake_stamp_record(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stamp *stamp)
{
    struct step step = {.kind = STEP_STAMP, .value = value, .stamp = stamp};
    ck_assert_msg(!atomic_exchange(&stamp->in_flight, 1),
                  "a stamp was recorded again while it was in flight");
    int32_t status = enqueue(stream, FAKE_CALL_STAMP, &step);
    if (status != TRM_OK)
        atomic_store(&stamp->in_flight, 0);
    return status;
}

/* ---- from any thread -------------------------------------------------------------------------------- */

static void stream_open_gates(struct trm_backend_stream *stream, uint64_t value)
{
    fake_called(stream->fake, FAKE_CALL_OPEN_GATES);
    pthread_mutex_lock(&stream->fake->lock);
    if (stream->opened < value)
        stream->opened = value;
    progress_and_unlock(stream->fake);
}

static int32_t stream_flush(struct trm_backend_stream *stream)
{
    return fake_called(stream->fake, FAKE_CALL_FLUSH);
}

static int32_t stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    int32_t status = fake_called(stream->fake, FAKE_CALL_QUERY);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&stream->fake->lock);
    status     = failure_of(stream);
    *completed = stream->completed;
    pthread_mutex_unlock(&stream->fake->lock);
    return status;
}

static struct timespec as_time(uint64_t deadline)
{
    struct timespec time = {.tv_sec  = (time_t)(deadline / 1000000000u),
                            .tv_nsec = (long)(deadline % 1000000000u)};
    return time;
}

static int is_reached(const struct trm_backend_stream *stream, uint64_t value)
{
    return stream->failure != TRM_OK || stream->completed >= value;
}

static int32_t stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                               uint32_t count, uint64_t timeout_ns, uint32_t *which)
{
    struct fake *fake     = streams[0]->fake;
    uint64_t deadline     = base_deadline(timeout_ns);
    struct timespec until = as_time(deadline);
    int32_t status        = fake_called(fake, FAKE_CALL_WAIT_ANY);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&fake->lock);
    int error = 0;
    for (;;) {
        uint32_t i = 0;
        while (i < count && !is_reached(streams[i], values[i]))
            i++;
        if (i < count) {
            *which = i;
            status = failure_of(streams[i]);
            break;
        }
        if (error == ETIMEDOUT) {
            status = TRM_ERROR_TIMEOUT;
            break;
        }
        error = deadline == BASE_NEVER ? pthread_cond_wait(&fake->changed, &fake->lock)
                                       : pthread_cond_timedwait(&fake->changed, &fake->lock, &until);
    }
    pthread_mutex_unlock(&fake->lock);
    return status;
}

static int32_t stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    uint32_t which;
    int32_t status = fake_called(stream->fake, FAKE_CALL_WAIT);
    if (status != TRM_OK)
        return status;
    status = stream_wait_any(&stream, &value, 1, timeout_ns, &which);
    atomic_fetch_sub(&stream->fake->calls[FAKE_CALL_WAIT_ANY], 1);
    return status;
}

static int32_t stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                             void *user)
{
    int32_t status = fake_called(stream->fake, FAKE_CALL_NOTIFY);
    if (status != TRM_OK)
        return status;
    struct told *told = malloc(sizeof(*told));
    told->value       = value;
    told->notify      = notify;
    told->user        = user;
    pthread_mutex_lock(&stream->fake->lock);
    told->next   = stream->told;
    stream->told = told;
    progress_and_unlock(stream->fake);
    return TRM_OK;
}

static void stream_abandon(struct trm_backend_stream *stream, int32_t status)
{
    fake_called(stream->fake, FAKE_CALL_ABANDON);
    pthread_mutex_lock(&stream->fake->lock);
    fail_locked(stream, status, 0, "the stream was abandoned");
    progress_and_unlock(stream->fake);
}

/* ---- the ends of life --------------------------------------------------------------------------------- */

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **out)
{
    struct fake *fake = device->fake;
    (void)desc;
    int32_t status = fake_called(fake, FAKE_CALL_CREATE);
    if (status != TRM_OK)
        return status;
    struct trm_backend_stream *stream = calloc(1, sizeof(*stream));
    stream->device                    = device;
    stream->fake                      = fake;
    stream->end                       = &stream->first;
    atomic_fetch_add(&fake->streams, 1);
    atomic_fetch_add(&device->children, 1);
    pthread_mutex_lock(&fake->lock);
    stream->next = fake->first;
    fake->first  = stream;
    pthread_mutex_unlock(&fake->lock);
    *out = stream;
    return TRM_OK;
}

static void forget_steps(struct trm_backend_stream *stream)
{
    while (stream->first != NULL) {
        struct step *step = stream->first;
        stream->first     = step->next;
        if (step->kind == STEP_STAMP)
            atomic_store(&step->stamp->in_flight, 0);
        free(step);
    }
}

/* Streams may still have to come to where they wait for one that is destroyed. */
static void forget_stream(struct fake *fake, const struct trm_backend_stream *gone)
{
    for (struct trm_backend_stream *stream = fake->first; stream != NULL; stream = stream->next) {
        for (struct step *step = stream->first; step != NULL; step = step->next) {
            if (step->kind != STEP_WAIT || step->other != gone)
                continue;
            step->other  = NULL;
            step->status = gone->failure;
        }
    }
}

static void stream_destroy(struct trm_backend_stream *stream)
{
    struct fake *fake = stream->fake;
    pthread_mutex_lock(&fake->lock);
    struct trm_backend_stream **place = &fake->first;
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    ck_assert_msg(stream->first == NULL || stream->failure != TRM_OK,
                  "a stream with work in it was destroyed");
    ck_assert_msg(stream->told == NULL, "a stream was destroyed that still has to notify");
    forget_steps(stream);
    forget_stream(fake, stream);
    pthread_mutex_unlock(&fake->lock);
    atomic_fetch_sub(&fake->streams, 1);
    atomic_fetch_sub(&stream->device->children, 1);
    free(stream);
}

void fake_stream_table(struct trm_stream_ops *ops, uint32_t slots)
{
    ops->create      = stream_create;
    ops->destroy     = stream_destroy;
    ops->copy        = stream_copy;
    ops->fill        = stream_fill;
    ops->launch      = stream_launch;
    ops->query       = stream_query;
    ops->wait        = stream_wait;
    ops->mark        = slots & FAKE_MARK ? stream_mark : NULL;
    ops->wait_stream = slots & FAKE_WAIT_STREAM ? stream_wait_stream : NULL;
    ops->gate        = slots & FAKE_GATES ? stream_gate : NULL;
    ops->open_gates  = slots & FAKE_GATES ? stream_open_gates : NULL;
    ops->flush       = slots & FAKE_FLUSH ? stream_flush : NULL;
    ops->wait_any    = slots & FAKE_WAIT_ANY ? stream_wait_any : NULL;
    ops->notify      = slots & FAKE_NOTIFY ? stream_notify : NULL;
    ops->abandon     = slots & FAKE_ABANDON ? stream_abandon : NULL;
}

/* ---- what a test says ------------------------------------------------------------------------------- */

static struct trm_backend_stream *below(struct trm_stream *handle)
{
    struct core_stream *stream = core_stream_find(handle);
    ck_assert_ptr_nonnull(stream);
    return stream->backend;
}

void fake_run(struct fake *fake, struct trm_stream *handle, uint64_t value)
{
    struct trm_backend_stream *stream = below(handle);
    pthread_mutex_lock(&fake->lock);
    if (stream->allowed < value)
        stream->allowed = value;
    progress_and_unlock(fake);
}

void fake_let_run(struct fake *fake)
{
    pthread_mutex_lock(&fake->lock);
    fake->running = 1;
    progress_and_unlock(fake);
}

void fake_hold_back(struct fake *fake)
{
    pthread_mutex_lock(&fake->lock);
    fake->running = 0;
    pthread_mutex_unlock(&fake->lock);
}

void fake_fail(struct fake *fake, struct trm_stream *handle, int32_t status, int64_t native_code,
               const char *sentence)
{
    struct trm_backend_stream *stream = below(handle);
    pthread_mutex_lock(&fake->lock);
    fail_locked(stream, status, native_code, sentence);
    progress_and_unlock(fake);
}
