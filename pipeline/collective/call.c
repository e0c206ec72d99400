/* Calls: the functions of <trireme/collective.h> that enqueue.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/collective/table.h"

/* ---- failures ------------------------------------------------------------------------------- */

/* Where the streams of a call are before it. */
struct before {
    uint64_t next[PIPELINE_DEVICES];
    bool is_relayed; /* the call enqueues on streams of the collective */
};

static struct before look_at_streams(const struct pipeline_call *call, bool is_relayed)
{
    struct before before = {.is_relayed = is_relayed};

    for (uint32_t d = 0; d < call->devices; d++) {
        const struct core_stream *stream = core_stream_find(call->streams[d]);
        before.next[d]                   = stream != NULL ? core_stream_next(stream) : 0;
    }
    return before;
}

/* Whether the call has enqueued nothing, and no stream has failed because it was to wait for another one. */
static bool is_untouched(const struct pipeline_call *call, const struct before *before)
{
    for (uint32_t d = 0; d < call->devices; d++) {
        struct core_stream *stream = core_stream_find(call->streams[d]);
        if (stream != NULL &&
            (core_stream_next(stream) != before->next[d] || atomic_load(&stream->failed_after) != UINT64_MAX))
            return false;
    }
    return !before->is_relayed;
}

/* Fails all streams of a call that could not be enqueued completely: their results will not come. */
static void abort_call(const struct pipeline_call *call, int32_t status)
{
    struct base_saved_error saved;

    base_error_complete(status);
    base_error_save(&saved);
    for (uint32_t d = 0; d < call->devices; d++) {
        struct core_stream *stream = core_stream_find(call->streams[d]);
        base_error_restore(&saved);
        if (stream != NULL && core_stream_failure_status(stream) == TRM_OK)
            core_stream_fail_after(stream, core_stream_next(stream) - 1, status);
        base_error_save(&saved);
    }
    base_error_restore(&saved);
}

/* The first stream that has failed by itself, else the first that has failed because it waits for another
 * one; call->devices: none has failed. Before abort_call(). */
static uint32_t find_failed(const struct pipeline_call *call)
{
    uint32_t found = call->devices;

    for (uint32_t d = 0; d < call->devices; d++) {
        struct core_stream *stream = core_stream_find(call->streams[d]);
        if (stream == NULL || core_stream_is_sound(stream))
            continue;
        if (atomic_load(&stream->failed_after) == UINT64_MAX)
            return d;
        found = found == call->devices ? d : found;
    }
    return found;
}

/* Fails with `status`, as that of this stream if there is one. */
static int32_t fail_for(const struct pipeline_collective *collective, const struct pipeline_call *call,
                        uint32_t failed, int32_t status)
{
    return failed < call->devices ? pipeline_collective_fail_stream(collective, call->name, failed, status)
                                  : status;
}

/* Ends a call that could not be enqueued: it is refused, and leaves the other streams as they are, or if some
 * of it is enqueued, all streams fail. The error names the stream that has failed. */
static int32_t end_failed(const struct pipeline_collective *collective, const struct pipeline_call *call,
                          const struct before *before, int32_t status)
{
    uint32_t failed = find_failed(call);

    if (!is_untouched(call, before))
        abort_call(call, status);
    return fail_for(collective, call, failed, status);
}

/* ---- a call --------------------------------------------------------------------------------- */

static bool is_relayed(enum pipeline_way way)
{
    return way == PIPELINE_WAY_COPIES || way == PIPELINE_WAY_HOST;
}

static int32_t prepare(struct pipeline_collective *collective, const struct pipeline_call *call,
                       enum pipeline_way way)
{
    if (way == PIPELINE_WAY_NATIVE)
        return pipeline_native_prepare(collective);
    int32_t status = pipeline_reduce_load(collective, call);

    if (status != TRM_OK || !is_relayed(way))
        return status;
    return pipeline_relay_prepare(collective, call, way == PIPELINE_WAY_HOST);
}

/* `is_met`: all streams have met behind the call. */
static int32_t run(struct pipeline_collective *collective, const struct pipeline_call *call,
                   enum pipeline_way way, bool *is_met)
{
    *is_met = true;
    if (way == PIPELINE_WAY_NATIVE)
        return pipeline_native_enqueue(collective, call);
    if (is_relayed(way) && call->count > 1)
        return pipeline_bucket_enqueue(collective, call, way == PIPELINE_WAY_HOST, is_met);
    if (is_relayed(way))
        return pipeline_relay_enqueue(collective, call, way == PIPELINE_WAY_HOST);
    return pipeline_direct_enqueue(collective, call, way);
}

/* Can a way find the spans in a table, where that is of use to it? */
static bool find_table(struct pipeline_collective *collective, const struct pipeline_call *call)
{
    bool is_allowed = collective->forced < 0 || pipeline_way_is_direct((enum pipeline_way)collective->forced);
    bool may_be_direct = collective->can_reach && collective->devices > 1 && is_allowed;
    bool is_of_use     = call->count > 1 || !call->is_aligned;

    return pipeline_kind_reduces(call->kind) && may_be_direct && is_of_use &&
           pipeline_table_load(collective, call);
}

/* Chooses a way and gets what it needs. A way that cannot be had is not chosen again, but where it is the
 * only one that the program allows. */
static int32_t choose(struct pipeline_collective *collective, const struct pipeline_call *call,
                      struct pipeline_decision *decision)
{
    int32_t status = pipeline_way_choose(collective, call, decision);

    if (status == TRM_OK)
        status = prepare(collective, call, decision->way);
    bool is_only = collective->forced == PIPELINE_WAY_NATIVE && call->devices > 1;
    if (status != TRM_OK && decision->way == PIPELINE_WAY_NATIVE && !is_only) {
        collective->has_native = false;
        base_error_clear();
        status = pipeline_way_choose(collective, call, decision);
        if (status == TRM_OK)
            status = prepare(collective, call, decision->way);
    }
    if (status == TRM_OK)
        pipeline_way_log(collective, call, decision);
    return status;
}

/* Whether the streams need not wait for each other before the call. Even where they have met, a device may
 * be lost since, and one device that does all then has to fail with it. A backend sees that it accesses the
 * others' memory by the arguments of its kernels and by its copies, but not by addresses in a table: there
 * it must wait. */
static bool can_skip_meeting(const struct pipeline_collective *collective, const struct pipeline_call *call,
                             enum pipeline_way way, uint32_t worker)
{
    bool may_have_table = worker != PIPELINE_DEVICES && (call->count > 1 || !call->is_aligned);

    if (is_relayed(way) || (pipeline_way_is_direct(way) && may_have_table))
        return false;
    return pipeline_streams_have_met(collective, call);
}

/* Asks the streams before anything is enqueued: so a call that finds one that has failed is refused. */
static int32_t ask_streams(const struct pipeline_collective *collective, struct pipeline_call *call,
                           enum pipeline_way way)
{
    uint32_t worker = PIPELINE_DEVICES;

    if (way == PIPELINE_WAY_NATIVE)
        worker = 0;
    else if (pipeline_way_is_direct(way))
        worker = pipeline_call_worker(call, way);
    call->has_met = can_skip_meeting(collective, call, way, worker);
    return pipeline_streams_ask(collective, call, worker);
}

static int32_t enqueue_locked(struct pipeline_collective *collective, struct pipeline_call *call)
{
    struct pipeline_decision decision;
    bool is_met = false;

    call->has_table = find_table(collective, call);
    int32_t status  = choose(collective, call, &decision);
    if (status != TRM_OK)
        return fail_for(collective, call, find_failed(call), status);
    status = ask_streams(collective, call, decision.way);
    if (status != TRM_OK)
        return status;
    const struct before before = look_at_streams(call, is_relayed(decision.way));
    if (decision.measured != NULL)
        status = pipeline_choice_begin(collective, decision.measured, decision.way, call->streams[0]);
    if (status == TRM_OK)
        status = run(collective, call, decision.way, &is_met);
    if (status == TRM_OK && is_met)
        pipeline_streams_note_meeting(collective, call);
    if (status == TRM_OK && decision.measured != NULL)
        status = pipeline_choice_end(decision.measured, call->streams[0]);
    return status == TRM_OK ? TRM_OK : end_failed(collective, call, &before, status);
}

static int32_t enqueue(struct trm_collective *handle, const struct pipeline_request *request)
{
    struct trm_span space[2 * PIPELINE_DEVICES];
    struct pipeline_call call;
    struct pipeline_collective *collective = core_object_enter(handle, CORE_COLLECTIVE);
    if (collective == NULL)
        return base_last_status();
    int32_t status = pipeline_call_check(collective, request, space, &call);
    if (status == TRM_OK && call.bytes != 0) {
        base_lock_acquire(&collective->lock);
        status = enqueue_locked(collective, &call);
        base_lock_release(&collective->lock);
    }
    pipeline_call_fini(collective, &call);
    core_object_leave(&collective->object);
    return status;
}

/* ---- public functions ----------------------------------------------------------------------- */

int32_t trm_all_reduce(struct trm_collective *collective, struct trm_stream *const *streams,
                       const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count,
                       int32_t type, int32_t operation)
{
    const struct pipeline_request request = {.kind      = PIPELINE_ALL_REDUCE,
                                             .name      = "trm_all_reduce",
                                             .streams   = streams,
                                             .outputs   = outputs,
                                             .inputs    = inputs,
                                             .count     = count,
                                             .type      = type,
                                             .operation = operation};
    return enqueue(collective, &request);
}

int32_t trm_reduce(struct trm_collective *collective, struct trm_stream *const *streams,
                   const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count,
                   int32_t type, int32_t operation, uint32_t root)
{
    const struct pipeline_request request = {.kind      = PIPELINE_REDUCE,
                                             .name      = "trm_reduce",
                                             .streams   = streams,
                                             .outputs   = outputs,
                                             .inputs    = inputs,
                                             .count     = count,
                                             .type      = type,
                                             .operation = operation,
                                             .root      = root};
    return enqueue(collective, &request);
}

int32_t trm_reduce_scatter(struct trm_collective *collective, struct trm_stream *const *streams,
                           const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count,
                           int32_t type, int32_t operation)
{
    const struct pipeline_request request = {.kind      = PIPELINE_REDUCE_SCATTER,
                                             .name      = "trm_reduce_scatter",
                                             .streams   = streams,
                                             .outputs   = outputs,
                                             .inputs    = inputs,
                                             .count     = count,
                                             .type      = type,
                                             .operation = operation};
    return enqueue(collective, &request);
}

int32_t trm_broadcast(struct trm_collective *collective, struct trm_stream *const *streams,
                      const struct trm_span *spans, uint32_t count, uint32_t root)
{
    const struct pipeline_request request = {.kind    = PIPELINE_BROADCAST,
                                             .name    = "trm_broadcast",
                                             .streams = streams,
                                             .outputs = spans,
                                             .inputs  = spans,
                                             .count   = count,
                                             .root    = root};
    return enqueue(collective, &request);
}

int32_t trm_all_gather(struct trm_collective *collective, struct trm_stream *const *streams,
                       const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count)
{
    const struct pipeline_request request = {.kind    = PIPELINE_ALL_GATHER,
                                             .name    = "trm_all_gather",
                                             .streams = streams,
                                             .outputs = outputs,
                                             .inputs  = inputs,
                                             .count   = count};
    return enqueue(collective, &request);
}

int32_t trm_all_to_all(struct trm_collective *collective, struct trm_stream *const *streams,
                       const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count)
{
    const struct pipeline_request request = {.kind    = PIPELINE_ALL_TO_ALL,
                                             .name    = "trm_all_to_all",
                                             .streams = streams,
                                             .outputs = outputs,
                                             .inputs  = inputs,
                                             .count   = count};
    return enqueue(collective, &request);
}
