/* What is done with the operations of a stream besides enqueueing them: waiting for each (stream.serial), and
 * noting it in a profile.
 *
 * It does not wait for an operation that itself waits for something else, since the calling thread may have
 * to cause that; nor for the operations behind it, as long as it waits.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "core/stream/profile.h"
#include "core/stream/service.h"
#include "core/stream/stream_object.h"

static bool can_wait(struct core_stream *stream, uint64_t value)
{
    struct base_saved_error before;
    if (core_callback_would_deadlock(stream, value))
        return false;
    base_error_save(&before);
    bool has_passed = core_stream_query_pinned(stream, stream->last_wait) != TRM_ERROR_TIMEOUT;
    base_error_restore(&before);
    return has_passed;
}

int32_t core_stream_commit_observed(struct core_stream *stream, uint64_t value, const char *slot,
                                    int32_t answer, const struct core_work *work)
{
    int32_t status = core_stream_commit(stream, value, slot, answer);
    if (status != TRM_OK)
        return status;
    int32_t observed = atomic_load_explicit(&stream->observed, memory_order_acquire);
    if (observed & CORE_STREAM_PROFILED)
        core_stream_profile_note(stream, value, work);
    if (work->kind == CORE_WORK_WAIT)
        stream->last_wait = value;
    if (work->kind == CORE_WORK_WAIT || (observed & CORE_STREAM_SERIAL) == 0)
        return TRM_OK;
    return can_wait(stream, value) ? core_stream_wait_pinned(stream, value, TRM_FOREVER) : TRM_OK;
}

int32_t core_stream_commit_observed_work(struct core_stream *stream, uint64_t value, const char *slot,
                                         int32_t answer, enum core_work_kind kind, uint64_t bytes)
{
    const struct core_work work = {.kind = kind, .bytes = bytes};
    return core_stream_commit_observed(stream, value, slot, answer, &work);
}

int32_t core_stream_commit_observed_wait(struct core_stream *stream, uint64_t value, const char *slot,
                                         int32_t answer, struct core_wait wait)
{
    const struct core_work work = {.kind = CORE_WORK_WAIT, .wait = wait};
    return core_stream_commit_observed(stream, value, slot, answer, &work);
}

/* The callback was accepted, so its caller must not see a failure. */
void core_stream_observe_callback(struct core_stream *stream, uint64_t value)
{
    struct base_saved_error before;
    if ((atomic_load_explicit(&stream->observed, memory_order_relaxed) & CORE_STREAM_SERIAL) == 0 ||
        core_callback_current(NULL) != NULL)
        return;
    base_error_save(&before);
    core_stream_wait_value(stream, value, TRM_FOREVER);
    base_error_restore(&before);
}
