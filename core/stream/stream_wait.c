/* Streams that wait for streams.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/gates.h"
#include "core/stream/stream_object.h"

/* `other` has failed: fails `stream` with the same sentence, unless `other` reached `value` before. The call
 * itself succeeds. */
static int32_t inherit_failure(struct core_stream *stream, struct core_stream *other, uint64_t value)
{
    int32_t status = core_stream_check_failure(other);
    if (status != TRM_OK && !core_stream_has_succeeded(other, value))
        core_stream_fail_after(stream, atomic_load_explicit(&stream->enqueued, memory_order_relaxed), status);
    return TRM_OK;
}

/* A backend knows the streams of its own instance and kind. */
static bool same_instance(const struct core_stream *a, const struct core_stream *b)
{
    return a->device->backend == b->device->backend && a->ops == b->ops;
}

/* What `stream` waits for: `other`, or event number `event` on it. */
static struct core_wait describe_wait(const struct core_stream *other, uint32_t event)
{
    return (struct core_wait){.kind   = event != 0 ? TRM_PROFILE_WAIT_EVENT : TRM_PROFILE_WAIT_STREAM,
                              .stream = core_object_number(&other->object),
                              .event  = event};
}

/* As core_stream_commit_wait(), but the wait is described only for observers. */
static inline int32_t commit_wait(struct core_stream *stream, uint64_t value, int32_t answer,
                                  const struct core_stream *other, uint32_t event)
{
    if (UNLIKELY((answer | atomic_load_explicit(&stream->observed, memory_order_relaxed)) != TRM_OK))
        return core_stream_commit_wait(stream, value, "stream.wait_stream", answer,
                                       describe_wait(other, event));
    atomic_store_explicit(&stream->enqueued, value, memory_order_release);
    return TRM_OK;
}

/* The backend may have refused because `other` has failed. */
static COLD int32_t explain_refusal(struct core_stream *stream, struct core_stream *other,
                                    uint64_t other_value, int32_t status)
{
    struct base_saved_error refusal;
    base_error_save(&refusal);
    core_stream_query_pinned(other, other_value);
    if (core_stream_failure_status(other) != TRM_OK)
        return inherit_failure(stream, other, other_value);
    base_error_restore(&refusal);
    return status;
}

/* UNSUPPORTED: the caller waits by other means. */
static inline int32_t wait_natively(struct core_stream *stream, struct core_stream *other,
                                    uint64_t other_value, uint32_t event)
{
    uint64_t value = core_stream_next(stream);
    int32_t status = stream->ops->wait_stream(stream->backend, value, other->backend, other_value);
    if (UNLIKELY(status == TRM_ERROR_UNSUPPORTED))
        return status;
    status = commit_wait(stream, value, status, other, event);
    return LIKELY(status == TRM_OK) ? TRM_OK : explain_refusal(stream, other, other_value, status);
}

static int32_t wait_on_host(struct core_stream *stream, struct core_stream *other, uint64_t other_value)
{
    int32_t status = core_stream_wait_pinned(other, other_value, TRM_FOREVER);
    if (status == TRM_ERROR_DEADLOCK)
        return status;
    core_stream_add(&stream->stats->host_waits, 1);
    return inherit_failure(stream, other, other_value);
}

/* Waits without the backend's help. That is more expensive, so this asks first whether the wait is needed at
 * all. */
static int32_t wait_otherwise(struct core_stream *stream, struct core_stream *other, uint64_t value,
                              uint32_t event)
{
    int32_t status = core_stream_query_pinned(other, value);
    if (status == TRM_OK)
        return TRM_OK;
    if (core_stream_failure_status(other) != TRM_OK)
        return inherit_failure(stream, other, value);
    if (core_stream_has_gates(stream))
        return core_gate_wait(stream, other, value, describe_wait(other, event));
    return wait_on_host(stream, other, value);
}

/* Both streams are entered or pinned. */
static inline int32_t wait_pinned(struct core_stream *stream, struct core_stream *other, uint64_t value,
                                  uint32_t event)
{
    if (UNLIKELY(core_stream_check(other) != TRM_OK))
        return inherit_failure(stream, other, value);
    if (atomic_load_explicit(&other->completed, memory_order_acquire) >= value)
        return TRM_OK;
    if (LIKELY(same_instance(stream, other) && stream->ops->wait_stream != NULL)) {
        int32_t answer = wait_natively(stream, other, value, event);
        if (LIKELY(answer != TRM_ERROR_UNSUPPORTED))
            return answer;
    }
    return wait_otherwise(stream, other, value, event);
}

/* The caller has entered `other`. */
static inline int32_t wait_entered(struct core_stream *stream, struct core_stream *other, uint64_t value)
{
    core_stream_count(stream, &stream->stats->waits);
    return other == stream ? TRM_OK : wait_pinned(stream, other, value, 0);
}

int32_t core_stream_wait_event(struct core_stream *stream, struct core_stream *other, uint64_t value,
                               uint32_t event)
{
    core_stream_count(stream, &stream->stats->waits);
    if (other == stream)
        return TRM_OK;
    if (!core_stream_try_pin(other))
        return inherit_failure(stream, other, value);
    int32_t status = wait_pinned(stream, other, value, event);
    core_stream_unpin(other, 1);
    return status;
}

int32_t core_stream_wait_other(struct core_stream *stream, struct core_stream *other, uint64_t value)
{
    return core_stream_wait_event(stream, other, value, 0);
}

int32_t core_stream_check_context(const struct core_stream *stream, const struct core_stream *other)
{
    if (stream->object.context == other->object.context)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a stream cannot wait for a stream of another context");
}

int32_t trm_stream_wait(struct trm_stream *handle, struct trm_point point)
{
    struct core_stream *stream;
    int32_t status = core_stream_begin_live(handle, "a wait", &stream);
    if (status != TRM_OK)
        return status;
    struct core_stream *other = core_point_enter(point);
    if (other == NULL)
        return base_last_status();
    status = core_stream_check_context(stream, other);
    if (status == TRM_OK)
        status = wait_entered(stream, other, point.value);
    core_object_leave(&other->object);
    return status;
}

/* ---- barrier --------------------------------------------------------------------------------------- */

static int32_t check_streams(struct trm_stream *const *streams, uint32_t count)
{
    struct core_stream *first, *stream;
    int32_t status = core_stream_begin_live(streams[0], "a barrier", &first);
    for (uint32_t i = 1; status == TRM_OK && i < count; i++) {
        status = core_stream_begin_live(streams[i], "a barrier", &stream);
        if (status == TRM_OK)
            status = core_stream_check_context(stream, first);
    }
    return status;
}

/* Marks both streams before either waits. Otherwise one would wait for the other's wait, and so for the way
 * from one device to the other and back. The stream that was marked last waits first, since a driver takes
 * longer for a call on another device than that of its last call. */
static int32_t meet(struct core_stream *one, struct core_stream *other)
{
    uint64_t one_value = 0, other_value = 0;
    int32_t status = core_stream_mark(one, &one_value);
    if (status == TRM_OK)
        status = core_stream_mark(other, &other_value);
    if (status == TRM_OK)
        status = core_stream_wait_other(other, one, one_value);
    return status == TRM_OK ? core_stream_wait_other(one, other, other_value) : status;
}

/* The first waits for all others, and they for the first: 2 (n - 1) waits instead of n². */
static int32_t meet_at_first(struct trm_stream *const *streams, uint32_t count)
{
    struct core_stream *first = core_stream_find(streams[0]);
    uint64_t value            = 0;
    int32_t status            = TRM_OK;
    for (uint32_t i = 1; status == TRM_OK && i < count; i++)
        status = core_stream_mark(core_stream_find(streams[i]), &value);
    for (uint32_t i = 1; status == TRM_OK && i < count; i++) {
        struct core_stream *other = core_stream_find(streams[i]);
        status                    = core_stream_mark(other, &value); /* the same one */
        if (status == TRM_OK)
            status = core_stream_wait_other(first, other, value);
    }
    if (status == TRM_OK)
        status = core_stream_mark(first, &value);
    for (uint32_t i = 1; status == TRM_OK && i < count; i++)
        status = core_stream_wait_other(core_stream_find(streams[i]), first, value);
    return status;
}

int32_t trm_stream_barrier(struct trm_stream *const *streams, uint32_t count)
{
    if (count == 0)
        return TRM_OK;
    if (streams == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_stream_barrier: `streams` is NULL");
    int32_t status = check_streams(streams, count);
    if (status != TRM_OK || count == 1)
        return status;
    if (count == 2)
        return meet(core_stream_find(streams[0]), core_stream_find(streams[1]));
    return meet_at_first(streams, count);
}
