/* Pipelines: how far a token is on the device, and what stopped it. Any thread.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/module/module.h"
#include "core/stream/stream.h"
#include "pipeline/engine/engine_internal.h"

/* ---- looking --------------------------------------------------------------------------------- */

/* Is it over, well or badly? A stream that is gone has nothing left to do. */
static int is_over(const struct core_slot_point *point)
{
    struct trm_point place = core_slot_point(point);
    if (place.stream == NULL)
        return 1;
    struct core_stream *stream = core_object_enter(place.stream, CORE_STREAM);
    if (stream == NULL)
        return 1;
    int32_t over = core_stream_has_finished(stream, place.value);
    core_object_leave(&stream->object);
    return over;
}

/* As far as has been put, which may be happening at this moment. */
static int32_t look(const struct core_slot_device *own, int32_t enqueued)
{
    if (core_slot_point(&own->finished).stream != NULL ? is_over(&own->finished) : enqueued)
        return TRM_SLOT_DONE;
    if (core_slot_point(&own->uploaded).stream == NULL || !is_over(&own->uploaded))
        return TRM_SLOT_UPLOADING;
    if (core_slot_point(&own->processed).stream != NULL && is_over(&own->processed))
        return TRM_SLOT_DOWNLOADING;
    return TRM_SLOT_PROCESSING;
}

/* Looked at again when the slot has gone on to another token meanwhile: what was seen was of both. */
int32_t core_slot_stage(struct core_slot *slot)
{
    const struct core_slot_device *own = slot->device;
    uint32_t epoch, after = atomic_load_explicit(&own->epoch, memory_order_acquire);
    int32_t stage;

    do {
        epoch = after;
        stage = look(own, epoch % 2 == 1);
        after = atomic_load_explicit(&own->epoch, memory_order_acquire);
    } while (after != epoch);
    return stage;
}

/* ---- how far a stream that failed had come --------------------------------------------------------- */

/* The last number that was complete; UNKNOWN where the backend does not tell, or has not failed itself: a stream that the
 * core let fail, for the sake of another that it waited for, may have run on. */
#define UNKNOWN UINT64_MAX

static uint64_t came_to(struct trm_stream *handle)
{
    uint64_t completed         = UNKNOWN;
    struct core_stream *stream = handle != NULL ? core_object_enter(handle, CORE_STREAM) : NULL;
    struct base_saved_error saved;
    if (stream == NULL)
        return UNKNOWN;

    base_error_save(&saved);
    if (stream->ops->query(stream->backend, &completed) == TRM_OK)
        completed = UNKNOWN;
    base_error_restore(&saved);
    core_object_leave(&stream->object);
    return completed;
}

/* What ended at the point ended well. It has been waited for. */
static int is_through(const struct core_slot_point *point)
{
    struct trm_point place     = core_slot_point(point);
    struct core_stream *stream = place.stream != NULL ? core_object_enter(place.stream, CORE_STREAM) : NULL;
    if (stream == NULL)
        return place.stream == NULL;
    int32_t through =
        core_stream_failure_status(stream) == TRM_OK || core_stream_has_succeeded(stream, place.value);
    core_object_leave(&stream->object);
    return through;
}

static int has_come_through(const struct core_slot_device *own)
{
    return !atomic_load_explicit(&own->partial, memory_order_relaxed) && is_through(&own->uploaded) &&
           is_through(&own->processed) && is_through(&own->finished);
}

/* The place before the first launch: what the stream has to be known not to have passed. */
int32_t core_slot_untouched(const struct core_slot *slot)
{
    const struct core_slot_device *own = slot->device;
    uint64_t first                     = 0;

    for (uint32_t i = 0; i < slot->pipeline->desc.stage_count && first == 0; i++)
        first = own->launched[i];
    struct trm_point processed = core_slot_point(&own->processed);
    if (processed.stream == NULL)
        processed = core_slot_point(&own->finished);
    if (first == 0)
        return 0;
    uint64_t completed = came_to(processed.stream);
    /* The operation after the last complete one may have begun. */
    return completed != UNKNOWN && completed + 1 < first;
}

/* ---- which stage it was ---------------------------------------------------------------------- */

/* Is the kernel's name in the sentence, in quotes of either kind? */
static int names(const char *sentence, const char *kernel)
{
    char quoted[CORE_LABEL_BYTES];

    snprintf(quoted, sizeof(quoted), "\"%.80s\"", kernel);
    if (strstr(sentence, quoted) != NULL)
        return 1;
    snprintf(quoted, sizeof(quoted), "'%.80s'", kernel);
    return strstr(sentence, quoted) != NULL;
}

/* The stages among which it was: those between the last host stage that ran and the first that did not. */
struct range {
    uint32_t begin, end;
};

static struct range find_range(const struct core_slot *slot)
{
    const struct core_pipeline *pipeline = slot->pipeline;
    uint32_t ran       = atomic_load_explicit(&slot->device->host_ran, memory_order_acquire);
    struct range range = {0, pipeline->desc.stage_count};

    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        const struct core_stage_plan *plan = &pipeline->engine->plans[i];
        if (plan->kernel == NULL && plan->number < ran)
            range.begin = i + 1;
        if (plan->kernel == NULL && plan->number == ran)
            range.end = i;
    }
    return range;
}

static int32_t is_launch(const struct core_slot *slot, uint32_t stage)
{
    return slot->pipeline->engine->plans[stage].kernel != NULL;
}

/* Backends name the kernel that failed. */
static const char *named_in(const struct core_slot *slot, struct range range, const char *sentence)
{
    for (uint32_t i = range.begin; i < range.end; i++) {
        const struct core_stage_plan *plan = &slot->pipeline->engine->plans[i];
        const struct core_kernel *kernel   = is_launch(slot, i) ? core_kernel_find(plan->kernel) : NULL;
        if (kernel != NULL && names(sentence, kernel->name))
            return plan->name;
    }
    return NULL;
}

static const char *first_launch(const struct core_slot *slot, struct range range)
{
    for (uint32_t i = range.begin; i < range.end; i++)
        if (is_launch(slot, i))
            return slot->pipeline->engine->plans[i].name;
    return NULL;
}

/* By how far the stream came, by what the sentence says, or, where nothing is known, the first. */
static const char *which_launch(const struct core_slot *slot, uint64_t completed, const char *sentence)
{
    struct range range = find_range(slot);

    for (uint32_t i = range.begin; completed != UNKNOWN && i < range.end; i++)
        if (is_launch(slot, i) && slot->device->launched[i] > completed)
            return slot->pipeline->engine->plans[i].name;
    const char *named = named_in(slot, range, sentence);
    return named != NULL ? named : first_launch(slot, range);
}

static int32_t fail_of(const struct core_slot *slot, int32_t status, uint64_t completed)
{
    const char *launch = which_launch(slot, completed, trm_last_error().sentence);

    return launch != NULL ? core_fail_compute(status, launch) : core_fail_stage(status, "compute");
}

/* All of the token is on one stream. */
static int32_t fail_on_slot(const struct core_slot *slot, int32_t status)
{
    const struct core_slot_device *own = slot->device;
    uint64_t completed                 = came_to(core_slot_point(&own->finished).stream);
    struct trm_point processed         = core_slot_point(&own->processed);

    if (completed != UNKNOWN && own->pieces == 1) {
        if (completed < core_slot_point(&own->uploaded).value)
            return core_fail_stage(status, "upload");
        if (processed.stream != NULL && completed >= processed.value)
            return core_fail_stage(status, "download");
    }
    return fail_of(slot, status, completed);
}

/* The failure of a point's stream, raised; TRM_OK when it has none. Nobody may have asked that stream yet. */
static int32_t raise_of(const struct core_slot_point *point)
{
    struct trm_point place     = core_slot_point(point);
    struct core_stream *stream = place.stream != NULL ? core_object_enter(place.stream, CORE_STREAM) : NULL;
    if (stream == NULL)
        return TRM_OK;
    int32_t status = core_stream_query_pinned(stream, place.value);
    core_object_leave(&stream->object);
    return status == TRM_ERROR_TIMEOUT ? TRM_OK : status;
}

/* The one that comes first in the token's way is the cause; those after it have it from there. */
static int32_t fail_on_roles(const struct core_slot *slot, int32_t status)
{
    const struct core_slot_device *own = slot->device;
    struct trm_stream *compute         = core_slot_point(&own->processed).stream;

    int32_t cause = raise_of(&own->uploaded);
    if (cause != TRM_OK)
        return core_fail_stage(cause, "upload");
    cause = raise_of(&own->processed);
    if (cause != TRM_OK)
        return fail_of(slot, cause, came_to(compute));
    cause = raise_of(&own->finished);
    return core_fail_stage(cause != TRM_OK ? cause : status, "download");
}

static int32_t name_failure(const struct core_slot *slot, int32_t status)
{
    const struct core_slot_device *own = slot->device;
    struct trm_stream *first           = core_slot_point(&own->uploaded).stream;

    if (first == NULL || first == core_slot_point(&own->finished).stream)
        return fail_on_slot(slot, status);
    return fail_on_roles(slot, status);
}

/* A token could not be put as a whole. Where that was since what had been put of it failed, that is the cause. */
int32_t core_slot_cause(const struct core_slot *slot, int32_t status)
{
    const struct core_slot_device *own            = slot->device;
    const struct core_slot_point *const points[3] = {&own->uploaded, &own->processed, &own->finished};
    struct base_saved_error saved;

    base_error_save(&saved);
    for (uint32_t i = 0; i < 3; i++) {
        int32_t cause = raise_of(points[i]);
        if (cause != TRM_OK)
            return name_failure(slot, cause);
    }
    base_error_restore(&saved);
    return status;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Until what was put up to there has ended, well or badly. TRM_OK, TIMEOUT, DEADLOCK. */
static int32_t wait_end(const struct core_slot_point *point, uint64_t deadline)
{
    struct trm_point place     = core_slot_point(point);
    struct core_stream *stream = place.stream != NULL ? core_object_enter(place.stream, CORE_STREAM) : NULL;

    if (stream == NULL)
        return TRM_OK;
    int32_t status = core_stream_wait_finished(stream, place.value, base_remaining(deadline));
    core_object_leave(&stream->object);
    return status;
}

static int32_t host_result(const struct core_slot_device *own)
{
    if (atomic_load_explicit(&own->host_failed, memory_order_acquire) == TRM_OK)
        return TRM_OK;
    return base_failure_raise(&own->host_failure);
}

static int is_undecided(int32_t status)
{
    return status == TRM_ERROR_TIMEOUT || status == TRM_ERROR_DEADLOCK;
}

/* Its stream has failed, or not all of the token could be put. */
static int32_t wait_rest(const struct core_slot *slot, int32_t status, uint64_t deadline)
{
    const struct core_slot_device *own = slot->device;
    struct base_saved_error saved;

    base_error_save(&saved);
    int32_t rest = wait_end(&own->uploaded, deadline);
    if (rest == TRM_OK)
        rest = wait_end(&own->processed, deadline);
    if (rest != TRM_OK)
        return rest;
    base_error_restore(&saved);
    if (status == TRM_OK || has_come_through(own))
        return host_result(own);
    return host_result(own) != TRM_OK ? base_last_status() : name_failure(slot, status);
}

int32_t core_slot_wait(struct core_slot *slot, uint64_t deadline)
{
    const struct core_slot_device *own = slot->device;
    struct trm_point finished          = core_slot_point(&own->finished);

    int32_t status = finished.stream != NULL ? trm_point_wait(finished, base_remaining(deadline)) : TRM_OK;
    if (is_undecided(status))
        return status;
    if (status == TRM_OK && !atomic_load_explicit(&own->partial, memory_order_relaxed))
        return host_result(own);
    return wait_rest(slot, status, deadline);
}

int32_t core_slot_poll(struct core_slot *slot)
{
    return core_slot_wait(slot, 0);
}

void core_slots_wait_any(struct core_slot *const *slots, uint32_t count, uint64_t deadline)
{
    struct trm_point points[CORE_DEPTH_MOST];
    uint32_t which;

    for (uint32_t i = 0; i < count; i++) {
        points[i] = core_slot_point(&slots[i]->device->finished);
        if (points[i].stream == NULL)
            return;
    }
    trm_wait_any(points, count, base_remaining(deadline), &which);
}
