/* How far a token is on the device, and why it failed. Threads: any.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/module/module.h"
#include "core/stream/stream.h"
#include "pipeline/engine/engine_internal.h"

/* ---- progress ------------------------------------------------------------------------------- */

/* Whether it has ended, well or badly. A stream that no longer exists has nothing left to do. */
static bool is_over(const struct pipeline_slot_point *point)
{
    struct trm_point target = pipeline_slot_point(point);
    if (target.stream == NULL)
        return true;
    struct core_stream *stream = core_object_enter(target.stream, CORE_STREAM);
    if (stream == NULL)
        return true;
    bool over = core_stream_has_finished(stream, target.value);
    core_object_leave(&stream->object);
    return over;
}

/* As far as the token has been enqueued, which may be happening right now. */
static int32_t look(const struct pipeline_slot_device *own, bool is_complete)
{
    if (pipeline_slot_point(&own->finished).stream != NULL ? is_over(&own->finished) : is_complete)
        return TRM_SLOT_DONE;
    if (pipeline_slot_point(&own->uploaded).stream == NULL || !is_over(&own->uploaded))
        return TRM_SLOT_UPLOADING;
    if (pipeline_slot_point(&own->processed).stream != NULL && is_over(&own->processed))
        return TRM_SLOT_DOWNLOADING;
    return TRM_SLOT_PROCESSING;
}

/* Looks again if the slot went on to another token meanwhile, because the result may mix both. */
int32_t pipeline_slot_stage(struct pipeline_slot *slot)
{
    const struct pipeline_slot_device *own = slot->device;
    uint32_t epoch, after = atomic_load_explicit(&own->epoch, memory_order_acquire);
    int32_t stage;

    do {
        epoch = after;
        stage = look(own, epoch % 2 == 1);
        after = atomic_load_explicit(&own->epoch, memory_order_acquire);
    } while (after != epoch);
    return stage;
}

/* ---- how far a failed stream came ----------------------------------------------------------- */

/* The last operation that completed; UNKNOWN where the backend does not tell, or where the backend's stream
 * did not fail itself: the core may have failed it because it waited for another stream, and its work may
 * have run on. */
#define UNKNOWN UINT64_MAX

static uint64_t came_to(struct trm_stream *handle)
{
    uint64_t completed         = UNKNOWN;
    struct core_stream *stream = handle != NULL ? core_object_enter(handle, CORE_STREAM) : NULL;
    struct base_saved_error saved;
    if (stream == NULL)
        return UNKNOWN;

    base_error_save(&saved);
    if (core_stream_ask(stream, &completed) == TRM_OK)
        completed = UNKNOWN;
    base_error_restore(&saved);
    core_object_leave(&stream->object);
    return completed;
}

/* Whether all work before the point ended well. The point has been waited for. */
static bool is_through(const struct pipeline_slot_point *point)
{
    struct trm_point target    = pipeline_slot_point(point);
    struct core_stream *stream = target.stream != NULL ? core_object_enter(target.stream, CORE_STREAM) : NULL;
    if (stream == NULL)
        return target.stream == NULL;
    bool through =
        core_stream_failure_status(stream) == TRM_OK || core_stream_has_succeeded(stream, target.value);
    core_object_leave(&stream->object);
    return through;
}

static bool has_come_through(const struct pipeline_slot_device *own)
{
    return !atomic_load_explicit(&own->is_partial, memory_order_relaxed) && is_through(&own->uploaded) &&
           is_through(&own->processed) && is_through(&own->finished);
}

/* The stream must be known to have stopped before the operation ahead of the first launch. */
bool pipeline_slot_is_untouched(const struct pipeline_slot *slot)
{
    const struct pipeline_slot_device *own = slot->device;
    uint64_t first                         = 0;

    for (uint32_t i = 0; i < slot->pipeline->desc.stage_count && first == 0; i++)
        first = own->launched[i];
    struct trm_point processed = pipeline_slot_point(&own->processed);
    if (processed.stream == NULL)
        processed = pipeline_slot_point(&own->finished);
    if (first == 0)
        return false;
    uint64_t completed = came_to(processed.stream);
    /* The operation after the last complete one may have begun. */
    return completed != UNKNOWN && completed + 1 < first;
}

/* ---- which stage failed --------------------------------------------------------------------- */

/* Whether the sentence has the kernel's name in single or double quotes. */
static bool names(const char *sentence, const char *kernel)
{
    char quoted[PIPELINE_LABEL_BYTES];

    snprintf(quoted, sizeof(quoted), "\"%.80s\"", kernel);
    if (strstr(sentence, quoted) != NULL)
        return true;
    snprintf(quoted, sizeof(quoted), "'%.80s'", kernel);
    return strstr(sentence, quoted) != NULL;
}

/* The stages that may have failed: those between the last host stage that ran and the first that did not. */
struct range {
    uint32_t begin, end;
};

static struct range find_range(const struct pipeline_slot *slot)
{
    const struct pipeline *pipeline = slot->pipeline;
    uint32_t ran                    = atomic_load_explicit(&slot->device->host_ran, memory_order_acquire);
    struct range range              = {0, pipeline->desc.stage_count};

    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        const struct pipeline_stage_plan *plan = &pipeline->engine->plans[i];
        if (plan->kernel == NULL && plan->number < ran)
            range.begin = i + 1;
        if (plan->kernel == NULL && plan->number == ran)
            range.end = i;
    }
    return range;
}

static bool is_launch(const struct pipeline_slot *slot, uint32_t stage)
{
    return slot->pipeline->engine->plans[stage].kernel != NULL;
}

/* Backends name the kernel that failed. */
static const char *named_in(const struct pipeline_slot *slot, struct range range, const char *sentence)
{
    for (uint32_t i = range.begin; i < range.end; i++) {
        const struct pipeline_stage_plan *plan = &slot->pipeline->engine->plans[i];
        const struct core_kernel *kernel       = is_launch(slot, i) ? core_kernel_find(plan->kernel) : NULL;
        if (kernel != NULL && names(sentence, kernel->name))
            return plan->name;
    }
    return NULL;
}

static const char *first_launch(const struct pipeline_slot *slot, struct range range)
{
    for (uint32_t i = range.begin; i < range.end; i++)
        if (is_launch(slot, i))
            return slot->pipeline->engine->plans[i].name;
    return NULL;
}

/* Known by how far the stream came, else by the sentence; else the first launch. */
static const char *which_launch(const struct pipeline_slot *slot, uint64_t completed, const char *sentence)
{
    struct range range = find_range(slot);

    for (uint32_t i = range.begin; completed != UNKNOWN && i < range.end; i++)
        if (is_launch(slot, i) && slot->device->launched[i] > completed)
            return slot->pipeline->engine->plans[i].name;
    const char *named = named_in(slot, range, sentence);
    return named != NULL ? named : first_launch(slot, range);
}

static int32_t fail_of(const struct pipeline_slot *slot, int32_t status, uint64_t completed)
{
    const char *launch = which_launch(slot, completed, trm_last_error().sentence);

    return launch != NULL ? pipeline_fail_compute(status, launch) : pipeline_fail_stage(status, "compute");
}

/* The whole token is on one stream. */
static int32_t fail_on_slot(const struct pipeline_slot *slot, int32_t status)
{
    const struct pipeline_slot_device *own = slot->device;
    uint64_t completed                     = came_to(pipeline_slot_point(&own->finished).stream);
    struct trm_point processed             = pipeline_slot_point(&own->processed);

    if (completed != UNKNOWN && own->pieces == 1) {
        if (completed < pipeline_slot_point(&own->uploaded).value)
            return pipeline_fail_stage(status, "upload");
        if (processed.stream != NULL && completed >= processed.value)
            return pipeline_fail_stage(status, "download");
    }
    return fail_of(slot, status, completed);
}

/* Raises the failure of a point's stream; TRM_OK when it has none. The stream may not have noticed its
 * failure yet. */
static int32_t raise_of(const struct pipeline_slot_point *point)
{
    struct trm_point target    = pipeline_slot_point(point);
    struct core_stream *stream = target.stream != NULL ? core_object_enter(target.stream, CORE_STREAM) : NULL;
    if (stream == NULL)
        return TRM_OK;
    int32_t status = core_stream_query_pinned(stream, target.value);
    core_object_leave(&stream->object);
    return status == TRM_ERROR_TIMEOUT ? TRM_OK : status;
}

/* The first failed stream on the token's way is the cause; later streams inherited the failure. */
static int32_t fail_on_roles(const struct pipeline_slot *slot, int32_t status)
{
    const struct pipeline_slot_device *own = slot->device;
    struct trm_stream *compute             = pipeline_slot_point(&own->processed).stream;

    int32_t cause = raise_of(&own->uploaded);
    if (cause != TRM_OK)
        return pipeline_fail_stage(cause, "upload");
    cause = raise_of(&own->processed);
    if (cause != TRM_OK)
        return fail_of(slot, cause, came_to(compute));
    cause = raise_of(&own->finished);
    return pipeline_fail_stage(cause != TRM_OK ? cause : status, "download");
}

static int32_t name_failure(const struct pipeline_slot *slot, int32_t status)
{
    const struct pipeline_slot_device *own = slot->device;
    struct trm_stream *first               = pipeline_slot_point(&own->uploaded).stream;

    if (first == NULL || first == pipeline_slot_point(&own->finished).stream)
        return fail_on_slot(slot, status);
    return fail_on_roles(slot, status);
}

/* A token could not be enqueued completely. If operations that were enqueued have failed, that is the
 * cause. */
int32_t pipeline_slot_cause(const struct pipeline_slot *slot, int32_t status)
{
    const struct pipeline_slot_device *own            = slot->device;
    const struct pipeline_slot_point *const points[3] = {&own->uploaded, &own->processed, &own->finished};
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

/* ---- waiting -------------------------------------------------------------------------------- */

/* Waits until the work before the point has ended, well or badly. TRM_OK, TIMEOUT, DEADLOCK. */
static int32_t wait_end(const struct pipeline_slot_point *point, uint64_t deadline)
{
    struct trm_point target    = pipeline_slot_point(point);
    struct core_stream *stream = target.stream != NULL ? core_object_enter(target.stream, CORE_STREAM) : NULL;

    if (stream == NULL)
        return TRM_OK;
    int32_t status = core_stream_wait_finished(stream, target.value, base_remaining(deadline));
    core_object_leave(&stream->object);
    return status;
}

static int32_t host_result(const struct pipeline_slot_device *own)
{
    if (atomic_load_explicit(&own->host_failed, memory_order_acquire) == TRM_OK)
        return TRM_OK;
    return base_failure_raise(&own->host_failure);
}

static bool is_undecided(int32_t status)
{
    return status == TRM_ERROR_TIMEOUT || status == TRM_ERROR_DEADLOCK;
}

/* The stream has failed, or the token was not enqueued completely. */
static int32_t wait_rest(const struct pipeline_slot *slot, int32_t status, uint64_t deadline)
{
    const struct pipeline_slot_device *own = slot->device;
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

int32_t pipeline_slot_wait(struct pipeline_slot *slot, uint64_t deadline)
{
    const struct pipeline_slot_device *own = slot->device;
    struct trm_point finished              = pipeline_slot_point(&own->finished);

    int32_t status = finished.stream != NULL ? trm_point_wait(finished, base_remaining(deadline)) : TRM_OK;
    if (is_undecided(status))
        return status;
    if (status == TRM_OK && !atomic_load_explicit(&own->is_partial, memory_order_relaxed))
        return host_result(own);
    return wait_rest(slot, status, deadline);
}

int32_t pipeline_slot_poll(struct pipeline_slot *slot)
{
    return pipeline_slot_wait(slot, 0);
}

void pipeline_slots_wait_any(struct pipeline_slot *const *slots, uint32_t count, uint64_t deadline)
{
    struct trm_point points[PIPELINE_DEPTH_MOST];
    uint32_t which;

    for (uint32_t i = 0; i < count; i++) {
        points[i] = pipeline_slot_point(&slots[i]->device->finished);
        if (points[i].stream == NULL)
            return;
    }
    trm_wait_any(points, count, base_remaining(deadline), &which);
}
