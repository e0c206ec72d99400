/* Waiting for one of several points.
 *
 * The backend waits where all points belong to one instance of it that has wait_any(). Else every stream
 * notifies one waiter, which lives until the last notification, perhaps longer than the call.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/point.h>

#include "base/base.h"
#include "core/stream/service.h"
#include "core/stream/stream_object.h"
#include "core/stream/waiter.h"

#define INLINE_POINTS 16

/* The streams of the points, entered, and the backend's arguments. */
struct wait_set {
    struct core_context *context; /* holds a reference */
    const struct trm_point *points;
    uint32_t count;
    uint32_t entered;
    struct core_stream **streams;
    struct trm_backend_stream **backend_streams;
    uint64_t *values;
    struct core_stream *inline_streams[INLINE_POINTS];
    struct trm_backend_stream *inline_backend_streams[INLINE_POINTS];
    uint64_t inline_values[INLINE_POINTS];
};

/* ---- the set ----------------------------------------------------------------------------------- */

static size_t array_bytes(const struct wait_set *set)
{
    return set->count * (sizeof(*set->streams) + sizeof(*set->backend_streams) + sizeof(*set->values));
}

static int32_t set_allocate(struct wait_set *set)
{
    set->streams         = set->inline_streams;
    set->backend_streams = set->inline_backend_streams;
    set->values          = set->inline_values;
    if (set->count <= INLINE_POINTS)
        return TRM_OK;
    unsigned char *memory = core_allocate(set->context, array_bytes(set));
    if (memory == NULL)
        return base_fail_memory("waiting for points");
    set->streams         = (void *)memory;
    set->backend_streams = (void *)(set->streams + set->count);
    set->values          = (void *)(set->backend_streams + set->count);
    return TRM_OK;
}

static void set_fini(struct wait_set *set)
{
    for (uint32_t i = 0; i < set->entered; i++)
        core_object_leave(&set->streams[i]->object);
    if (set->streams != set->inline_streams)
        core_free(set->context, set->streams, array_bytes(set));
    core_object_release(&set->context->object);
}

static int32_t set_add(struct wait_set *set, struct core_stream *stream)
{
    uint32_t index              = set->entered++;
    set->streams[index]         = stream;
    set->backend_streams[index] = stream->backend;
    set->values[index]          = set->points[index].value;
    if (stream->object.context == set->context)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the points belong to streams of two contexts");
}

/* Takes over `first`, the entered stream of the first point. On an error there is nothing to undo. */
static int32_t set_init(struct wait_set *set, struct core_stream *first, const struct trm_point *points,
                        uint32_t count)
{
    set->context = first->object.context;
    set->points  = points;
    set->count   = count;
    set->entered = 0;
    core_object_retain(&set->context->object);
    int32_t status = set_allocate(set);
    if (status != TRM_OK) {
        core_object_leave(&first->object);
        core_object_release(&set->context->object);
        return status;
    }
    status = set_add(set, first);
    while (status == TRM_OK && set->entered < count) {
        struct core_stream *stream = core_point_enter(points[set->entered]);
        status                     = stream != NULL ? set_add(set, stream) : base_last_status();
    }
    if (status != TRM_OK)
        set_fini(set);
    return status;
}

/* Finds the lowest index whose point is reached or whose stream has failed; else TIMEOUT. */
static int32_t set_scan(const struct wait_set *set, uint32_t *which)
{
    int32_t status = TRM_ERROR_TIMEOUT;
    for (uint32_t i = 0; i < set->count; i++) {
        status = core_stream_query_pinned(set->streams[i], set->values[i]);
        if (status == TRM_ERROR_TIMEOUT)
            continue;
        *which = i;
        break;
    }
    return status;
}

static bool set_deadlocks(const struct wait_set *set)
{
    uint32_t i = 0;
    while (i < set->count && core_callback_would_deadlock(set->streams[i], set->values[i]))
        i++;
    return i == set->count;
}

/* True if the backend can wait for all of them. */
static bool set_is_native(const struct wait_set *set)
{
    const struct core_backend *backend = set->streams[0]->device->backend;
    uint32_t i                         = 0;
    if (backend->stream.wait_any == NULL)
        return false;
    while (i < set->count && set->streams[i]->ops == &backend->stream)
        i++;
    return i == set->count;
}

/* ---- waiting ------------------------------------------------------------------------------------- */

static int32_t wait_notified(struct wait_set *set, uint64_t deadline)
{
    struct core_waiter *waiter = core_waiter_create(set->context, set->count);
    if (waiter == NULL)
        return base_last_status();
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < set->count; i++)
        status = core_waiter_add(waiter, set->streams[i], set->values[i]);
    if (status == TRM_OK && !core_waiter_sleep(waiter, deadline))
        status = TRM_ERROR_TIMEOUT;
    core_waiter_release(waiter);
    return status;
}

static int32_t wait_natively(struct wait_set *set, uint64_t timeout_ns)
{
    const struct core_backend *backend = set->streams[0]->device->backend;
    uint32_t which                     = 0; /* the scan that follows finds out */
    base_error_clear();
    core_service_block();
    int32_t status = core_answer(
        backend, "stream.wait_any",
        backend->stream.wait_any(set->backend_streams, set->values, set->count, timeout_ns, &which));
    core_service_unblock();
    return status;
}

/* No point is reached, and there is time left. */
static COLD int32_t refuse_early(const struct wait_set *set)
{
    return base_fail(
        TRM_ERROR_ABI,
        "stream.wait_any() of the backend %s returned before a point was reached or the time was "
        "over: report this to the author of the backend",
        set->streams[0]->device->backend->name);
}

/* Every way of waiting only says that it is worth scanning again. */
static int32_t wait_and_scan(struct wait_set *set, uint64_t deadline, uint32_t *which)
{
    if (set_deadlocks(set))
        return base_fail_static(
            TRM_ERROR_DEADLOCK,
            "a host callback would wait for itself: its stream goes on only when it has returned");
    bool is_native = set_is_native(set);
    int32_t waited = is_native ? wait_natively(set, base_remaining(deadline)) : wait_notified(set, deadline);
    struct base_saved_error cause;
    base_error_save(&cause);
    int32_t status = set_scan(set, which);
    if (status == TRM_ERROR_TIMEOUT && waited != TRM_OK && waited != TRM_ERROR_TIMEOUT) {
        base_error_restore(&cause);
        return base_fail_backend(waited);
    }
    if (status == TRM_ERROR_TIMEOUT && is_native && base_remaining(deadline) > 0)
        return refuse_early(set);
    return status;
}

int32_t trm_wait_any(const struct trm_point *points, uint32_t count, uint64_t timeout_ns, uint32_t *which)
{
    struct wait_set set;
    uint64_t deadline = base_deadline(timeout_ns);
    uint32_t index    = 0;
    if (points == NULL || count == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_wait_any: %s",
                         count == 0 ? "there is no point to wait for" : "`points` is NULL");
    int32_t status = core_output_check(which, "trm_wait_any", "which");
    if (status != TRM_OK)
        return status;
    struct core_stream *first = core_point_enter(points[0]);
    if (first == NULL)
        return base_last_status();
    status = set_init(&set, first, points, count);
    if (status != TRM_OK)
        return status;
    status = set_scan(&set, &index);
    if (status == TRM_ERROR_TIMEOUT && timeout_ns != 0)
        status = wait_and_scan(&set, deadline, &index);
    if (status != TRM_ERROR_TIMEOUT && status != TRM_ERROR_DEADLOCK)
        *which = index;
    set_fini(&set);
    return status;
}
