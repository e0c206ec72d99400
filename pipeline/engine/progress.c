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

static bool are_lanes_over(const struct pipeline_slot_device *own)
{
    for (uint32_t i = 1; i < PIPELINE_LANES_MOST; i++)
        if (!is_over(&own->lane_ends[i]))
            return false;
    return true;
}

/* As far as the token has been enqueued, which may be happening right now. */
static int32_t look(const struct pipeline_slot_device *own, bool is_complete)
{
    if (pipeline_slot_point(&own->finished).stream != NULL ? is_over(&own->finished) && are_lanes_over(own)
                                                           : is_complete)
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

/* ---- signals -------------------------------------------------------------------------------- */

/* What a token waits for first: its end, or what else of it still runs after a failure or if it is spread.
 * False: nothing. */
static bool find_unfinished(const struct pipeline_slot_device *own, struct trm_point *point)
{
    const struct pipeline_slot_point *points[3 + PIPELINE_LANES_MOST] = {&own->finished, &own->uploaded,
                                                                         &own->processed};
    uint32_t count                                                    = 3;

    for (uint32_t i = 1; i < PIPELINE_LANES_MOST; i++)
        points[count++] = &own->lane_ends[i];
    for (uint32_t i = 0; i < count; i++) {
        if (is_over(points[i]))
            continue;
        *point = pipeline_slot_point(points[i]);
        return true;
    }
    return false;
}

static int32_t add_point(struct core_signal *signal, struct trm_point point)
{
    struct core_stream *stream = core_object_enter(point.stream, CORE_STREAM);
    if (stream == NULL)
        return TRM_OK;
    struct base_saved_error saved;
    base_error_save(&saved);
    core_stream_submit(stream, point.value);
    int32_t status = core_signal_add(signal, stream, point.value);
    /* Of a stream that has failed meanwhile nothing is waited for. */
    if (status != TRM_OK && core_stream_failure_status(stream) != TRM_OK)
        status = TRM_OK;
    if (status == TRM_OK)
        base_error_restore(&saved);
    core_object_leave(&stream->object);
    return status;
}

/* Whether a stream gets to the point before it gets to one of the others. */
static bool is_implied(struct trm_point point, const struct trm_point *others, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (others[i].stream == point.stream && others[i].value >= point.value)
            return true;
    return false;
}

int32_t pipeline_slots_signal(struct pipeline_slot *const *slots, uint32_t count, struct core_signal *signal)
{
    struct trm_point points[PIPELINE_DEPTH_MOST];
    uint32_t added = 0;
    int32_t status = TRM_OK;

    for (uint32_t i = count; i > 0 && status == TRM_OK; i--) {
        struct trm_point point;
        if (!find_unfinished(slots[i - 1]->device, &point) || is_implied(point, points, added))
            continue;
        points[added++] = point;
        status          = add_point(signal, point);
    }
    return status;
}

static int32_t watch_point(struct core_waiter *waiter, struct trm_point point)
{
    struct core_stream *stream = core_object_enter(point.stream, CORE_STREAM);
    if (stream == NULL) {
        core_waiter_wake(waiter);
        return TRM_OK;
    }
    core_stream_submit(stream, point.value);
    int32_t status = core_waiter_add(waiter, stream, point.value);
    if (status != TRM_OK && core_stream_failure_status(stream) != TRM_OK) {
        core_waiter_wake(waiter);
        status = TRM_OK;
    }
    core_object_leave(&stream->object);
    return status;
}

int32_t pipeline_slots_watch(struct pipeline_slot *const *slots, uint32_t count, struct core_waiter *waiter)
{
    struct base_saved_error saved;
    int32_t status = TRM_OK;

    base_error_save(&saved);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        struct trm_point point;
        if (find_unfinished(slots[i]->device, &point))
            status = watch_point(waiter, point);
        else
            core_waiter_wake(waiter);
    }
    base_error_restore(&saved);
    return status;
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
    bool are_through = !atomic_load_explicit(&own->is_partial, memory_order_relaxed) &&
                       is_through(&own->uploaded) && is_through(&own->processed) &&
                       is_through(&own->finished);

    for (uint32_t i = 1; are_through && i < PIPELINE_LANES_MOST; i++)
        are_through = is_through(&own->lane_ends[i]);
    return are_through;
}

/* The stream must be known to have stopped before the operation ahead of the first launch. Of several streams
 * that is not looked for. */
bool pipeline_slot_is_untouched(const struct pipeline_slot *slot)
{
    const struct pipeline_slot_device *own = slot->device;
    uint64_t first                         = 0;

    for (uint32_t i = 0; i < slot->pipeline->desc.stage_count && first == 0; i++)
        first = own->launched[i];
    struct trm_point processed = pipeline_slot_point(&own->processed);
    if (processed.stream == NULL)
        processed = pipeline_slot_point(&own->finished);
    if (first == 0 || own->uses_lanes || own->is_spread)
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

/* The launches that may have failed, a bit for each stage: none before a host stage that ran, nor after the
 * first that did not. */
static uint64_t find_suspects(const struct pipeline_slot *slot)
{
    const struct pipeline *pipeline         = slot->pipeline;
    const struct pipeline_stage_plan *plans = pipeline->engine->plans;
    uint32_t ran      = atomic_load_explicit(&slot->device->host_ran, memory_order_acquire);
    uint64_t suspects = 0, cleared = 0, unreached = 0;

    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        if (plans[i].kernel != NULL)
            suspects |= PIPELINE_BIT(i);
        else if (plans[i].number < ran)
            cleared |= plans[i].before;
        else
            unreached |= PIPELINE_BIT(i);
        if (plans[i].before & unreached)
            cleared |= PIPELINE_BIT(i);
    }
    return suspects & ~cleared;
}

/* Backends name the kernel that failed. */
static const char *named_in(const struct pipeline_slot *slot, uint64_t suspects, const char *sentence)
{
    for (; suspects != 0; suspects &= suspects - 1) {
        const struct pipeline_stage_plan *plan = &slot->pipeline->engine->plans[__builtin_ctzll(suspects)];
        const struct core_kernel *kernel       = core_kernel_find(plan->kernel);
        if (kernel != NULL && names(sentence, kernel->name))
            return plan->name;
    }
    return NULL;
}

/* The first of the launches on a lane that the stream of the lane had not completed; NULL: not known, or it
 * was enqueued together with others, as a graph. */
static const char *launch_after(const struct pipeline_slot *slot, uint64_t suspects, uint32_t lane,
                                uint64_t completed)
{
    const struct pipeline_stage_plan *plans = slot->pipeline->engine->plans;
    const uint64_t *launched                = slot->device->launched;
    const char *name                        = NULL;
    uint64_t first                          = 0;

    for (; completed != UNKNOWN && suspects != 0; suspects &= suspects - 1) {
        uint32_t stage = (uint32_t)__builtin_ctzll(suspects);
        bool is_there  = !slot->device->uses_lanes || plans[stage].lane == lane;
        if (!is_there || launched[stage] <= completed)
            continue;
        if (name != NULL)
            return launched[stage] != first ? name : NULL;
        name  = plans[stage].name;
        first = launched[stage];
    }
    return name;
}

/* Known by how far the stream came, by the sentence, or because there is no other; NULL: not known. */
static const char *which_launch(const struct pipeline_slot *slot, uint64_t completed, const char *sentence)
{
    uint64_t suspects = find_suspects(slot);
    const char *name  = launch_after(slot, suspects, 0, completed);

    if (name == NULL)
        name = named_in(slot, suspects, sentence);
    if (name == NULL && suspects != 0 && (suspects & (suspects - 1)) == 0)
        name = slot->pipeline->engine->plans[__builtin_ctzll(suspects)].name;
    return name;
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

/* The failure of a lane beside lane 0, if its stream failed itself. TRM_OK: there is none. */
static int32_t fail_on_lane(const struct pipeline_slot *slot)
{
    for (uint32_t i = 1; slot->device->uses_lanes && i < PIPELINE_LANES_MOST; i++) {
        const struct pipeline_slot_point *end = &slot->device->lane_ends[i];
        uint64_t completed                    = came_to(pipeline_slot_point(end).stream);
        const char *launch                    = launch_after(slot, find_suspects(slot), i, completed);
        int32_t cause                         = launch != NULL ? raise_of(end) : TRM_OK;
        if (cause != TRM_OK)
            return pipeline_fail_compute(cause, launch);
    }
    return TRM_OK;
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

/* Of a token that is spread: other devices have failed, and not its own. */
static int32_t fail_on_parts(const struct pipeline_slot *slot)
{
    int32_t cause = TRM_OK;

    for (uint32_t i = 1; cause == TRM_OK && i < PIPELINE_LANES_MOST; i++)
        cause = raise_of(&slot->device->lane_ends[i]);
    return cause != TRM_OK ? fail_of(slot, cause, UNKNOWN) : TRM_OK;
}

static int32_t name_failure(const struct pipeline_slot *slot, int32_t status)
{
    const struct pipeline_slot_device *own = slot->device;
    struct trm_stream *first               = pipeline_slot_point(&own->uploaded).stream;

    int32_t cause = fail_on_lane(slot);
    if (cause != TRM_OK)
        return cause;
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
    for (uint32_t i = 1; i < PIPELINE_LANES_MOST; i++) {
        int32_t cause = raise_of(&own->lane_ends[i]);
        if (cause != TRM_OK)
            return own->is_spread ? fail_of(slot, cause, UNKNOWN) : name_failure(slot, cause);
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

/* The stream has failed, the token was not enqueued completely, or it is spread: then the host waits for its
 * parts, because a stream that waited for that of a lost device would count as lost for it. */
static int32_t wait_rest(const struct pipeline_slot *slot, int32_t status, uint64_t deadline)
{
    const struct pipeline_slot_device *own = slot->device;
    struct base_saved_error saved;

    base_error_save(&saved);
    int32_t rest = wait_end(&own->uploaded, deadline);
    if (rest == TRM_OK)
        rest = wait_end(&own->processed, deadline);
    for (uint32_t i = 1; rest == TRM_OK && i < PIPELINE_LANES_MOST; i++)
        rest = wait_end(&own->lane_ends[i], deadline);
    if (rest != TRM_OK)
        return rest;
    base_error_restore(&saved);
    if (status == TRM_OK && own->is_spread)
        return fail_on_parts(slot);
    if (status == TRM_OK || has_come_through(own))
        return host_result(own);
    return host_result(own) != TRM_OK ? base_last_status() : name_failure(slot, status);
}

static bool is_wait_timed(const struct pipeline_slot *slot, uint64_t timeout_ns)
{
    return timeout_ns != 0 && pipeline_slot_times_wait(slot) && !is_over(&slot->device->finished);
}

uint64_t pipeline_length_of_waits(uint64_t before, uint64_t took)
{
    uint64_t least = before / 8, most = before != 0 ? before * 2 : UINT64_MAX;
    return took < least ? least : took > most ? most : took;
}

static int32_t wait_and_time(const struct pipeline_slot *slot, struct trm_point finished, uint64_t timeout_ns)
{
    struct pipeline_device *engine = slot->pipeline->engine;
    uint64_t before                = atomic_load_explicit(&engine->token_ns, memory_order_relaxed);
    uint64_t begin                 = base_now();

    int32_t status = trm_point_wait(finished, timeout_ns);
    if (status == TRM_OK)
        atomic_store_explicit(&engine->token_ns, pipeline_length_of_waits(before, base_now() - begin),
                              memory_order_relaxed);
    return status;
}

int32_t pipeline_slot_wait_for(struct pipeline_slot *slot, uint64_t timeout_ns)
{
    const struct pipeline_slot_device *own = slot->device;
    struct trm_point finished              = pipeline_slot_point(&own->finished);
    int32_t status                         = TRM_OK;

    if (finished.stream != NULL)
        status = is_wait_timed(slot, timeout_ns) ? wait_and_time(slot, finished, timeout_ns)
                                                 : trm_point_wait(finished, timeout_ns);
    if (is_undecided(status))
        return status;
    if (status == TRM_OK && !own->is_spread && !atomic_load_explicit(&own->is_partial, memory_order_relaxed))
        return host_result(own);
    return wait_rest(slot, status, base_deadline(timeout_ns));
}

int32_t pipeline_slot_wait(struct pipeline_slot *slot, uint64_t deadline)
{
    return pipeline_slot_wait_for(slot, base_remaining(deadline));
}

bool pipeline_slot_is_spread(const struct pipeline_slot *slot)
{
    return slot->device->is_spread;
}

bool pipeline_slot_runs_alone(const struct pipeline_slot *slot)
{
    return !slot->pipeline->engine->is_host;
}

int32_t pipeline_slot_poll(struct pipeline_slot *slot)
{
    return pipeline_slot_wait_for(slot, 0);
}

void pipeline_slots_wait_any(struct pipeline_slot *const *slots, uint32_t count, uint64_t deadline)
{
    struct trm_point points[PIPELINE_DEPTH_MOST];
    uint32_t which;

    for (uint32_t i = 0; i < count; i++) {
        const struct pipeline_slot_device *own = slots[i]->device;
        points[i]                              = pipeline_slot_point(&own->finished);
        if (points[i].stream == NULL || (own->is_spread && !find_unfinished(own, &points[i])))
            return;
    }
    trm_wait_any(points, count, base_remaining(deadline), &which);
}
