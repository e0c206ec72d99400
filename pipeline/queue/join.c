/* Joins of the copies of shared ports.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/queue/join.h"

#include <inttypes.h>
#include <trireme/transfer.h>

#include "base/base.h"
#include "core/stream/stream.h"
#include "pipeline/collective/collective.h"
#include "pipeline/queue/queue.h"

#define SLICE_NS 50000000u /* between looks whether a wait is cancelled */

/* ---- creation ------------------------------------------------------------------------------- */

/* The ports of the members have the same kinds and sizes. */
static int32_t check_join(const struct pipeline *front, const struct trm_join *join)
{
    const struct trm_port *port = &front->ports[join->port];
    uint64_t bytes              = trm_type_size(join->type);
    const char *name            = port->name != NULL ? port->name : "";
    if (pipeline_reduce_index(join->type) < 0)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "port %" PRIu32 " \"%.60s\" is joined: elements of type %s (%" PRId32
                         ") cannot be combined; use F16, BF16, F32, F64, I32 or I64",
                         join->port, name, trm_type_name(join->type), join->type);
    if (port->size % bytes != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "port %" PRIu32 " \"%.60s\" is joined and has %" PRIu64
                         " bytes, which is no whole number of elements of %" PRIu64 " bytes",
                         join->port, name, port->size, bytes);
    if (!pipeline_engine_writes_shared(front->members[0], join->port))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "port %" PRIu32 " \"%.60s\" is joined, but no kernel writes it", join->port, name);
    return TRM_OK;
}

int32_t pipeline_joins_check(const struct pipeline *front, const struct trm_pipeline_desc *desc)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < desc->join_count; i++)
        status = check_join(front, &desc->joins[i]);
    return status;
}

static int32_t check_several(const struct trm_pipeline_desc *desc)
{
    if (desc->on_failure == TRM_FAILURE_SKIP)
        return base_fail_static(TRM_ERROR_UNSUPPORTED,
                                "a pipeline that joins a shared port on several devices cannot go on after a "
                                "failure: on_failure is to be STOP or DRAIN, not SKIP");
    if (desc->strategy == TRM_STRATEGY_RESIDENT)
        return base_fail_static(TRM_ERROR_UNSUPPORTED,
                                "kernels that stay on the device do not stop for joins of shared ports: use "
                                "another strategy than RESIDENT");
    return TRM_OK;
}

static int32_t make_stream(struct pipeline_joins *joins, const struct pipeline *member)
{
    struct core_stream *made;
    if (joins->streams[member->member] != NULL)
        return TRM_OK;
    int32_t status = core_stream_create(member->device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, 0, &made);
    if (status != TRM_OK)
        return status;
    core_stream_set_static_name(made, "join");
    joins->streams[member->member] = core_object_publish(&made->object);
    return TRM_OK;
}

int32_t pipeline_joins_create(struct pipeline *front, struct trm_group *group,
                              const struct trm_pipeline_desc *desc)
{
    int32_t status = TRM_OK;
    if (desc->join_count == 0)
        return TRM_OK;
    front->joins = core_allocate(front->object.context, sizeof(*front->joins));
    if (front->joins == NULL)
        return base_fail_memory("making a pipeline");
    front->joins->count = desc->join_count;
    for (uint32_t i = 0; i < desc->join_count; i++)
        front->joins->joins[i].desc = desc->joins[i];
    status = check_several(desc);
    if (status == TRM_OK)
        status = pipeline_joins_check(front, desc);
    for (uint32_t i = 0; status == TRM_OK && i < front->member_count; i++)
        status = make_stream(front->joins, front->members[i]);
    if (status == TRM_OK)
        status = pipeline_join_times_create(&front->joins->times, front->members[0]);
    return status == TRM_OK ? trm_collective_create(group, 0, &front->joins->collective) : status;
}

void pipeline_joins_destroy(struct pipeline *front)
{
    struct pipeline_joins *joins = front->joins;
    struct base_saved_error saved;
    if (joins == NULL)
        return;
    base_error_save(&saved);
    for (uint32_t i = 0; i < front->member_count; i++)
        trm_stream_destroy(joins->streams[i]);
    pipeline_join_times_destroy(&joins->times);
    trm_collective_destroy(joins->collective);
    core_free(front->object.context, joins, sizeof(*joins));
    front->joins = NULL;
    base_error_restore(&saved);
}

/* ---- one join ------------------------------------------------------------------------------- */

/* Lets the stream of a member wait for the member's last token. */
static int32_t begin(const struct pipeline *front, uint32_t index)
{
    struct trm_point last = pipeline_engine_last(front->members[index]);
    int32_t status        = make_stream(front->joins, front->members[index]);
    if (status != TRM_OK || last.stream == NULL || last.stream == front->joins->streams[index])
        return status;
    return trm_stream_wait(front->joins->streams[index], last);
}

/* Lets the member's next token wait for its stream. */
static int32_t end(const struct pipeline *front, uint32_t index)
{
    struct trm_point point;
    int32_t status = trm_stream_mark(front->joins->streams[index], &point);
    if (status == TRM_OK)
        pipeline_engine_set_last(front->members[index], point);
    return status == TRM_OK ? trm_stream_flush(front->joins->streams[index]) : status;
}

static struct trm_span span_of(const struct pipeline *member, uint32_t port)
{
    return (struct trm_span){.buffer = member->ports[port].buffer, .length = member->ports[port].size};
}

static int32_t join(struct pipeline *front, struct pipeline_join *one)
{
    struct pipeline_joins *joins = front->joins;
    struct trm_span spans[PIPELINE_MEMBERS_MOST];
    struct pipeline_join_pair *pair = NULL;
    int32_t status                  = TRM_OK;
    one->tokens                     = 0;
    for (uint32_t i = 0; status == TRM_OK && i < front->member_count; i++) {
        spans[i] = span_of(front->members[i], one->desc.port);
        status   = begin(front, i);
    }
    if (status == TRM_OK)
        status = pipeline_join_times_begin(&joins->times, joins->streams[0], &pair);
    if (status == TRM_OK)
        status = trm_all_reduce(joins->collective, joins->streams, spans, spans, 1, one->desc.type,
                                one->desc.operation);
    if (status == TRM_OK)
        status = pipeline_join_times_end(&joins->times, joins->streams[0], pair);
    for (uint32_t i = 0; status == TRM_OK && i < front->member_count; i++)
        status = end(front, i);
    return status;
}

/* The copies of a sum are its parts. */
static int32_t clear_parts(const struct pipeline *front, const struct pipeline_join *one)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 1; status == TRM_OK && i < front->member_count; i++) {
        status = begin(front, i);
        if (status == TRM_OK)
            status = trm_fill(front->joins->streams[i], span_of(front->members[i], one->desc.port), 0, 1);
        if (status == TRM_OK)
            status = end(front, i);
    }
    return status;
}

/* ---- tokens --------------------------------------------------------------------------------- */

static void begin_rounds(struct pipeline_joins *joins)
{
    for (uint32_t i = 0; i < joins->count; i++)
        joins->joins[i].tokens = 0;
}

int32_t pipeline_joins_before(struct pipeline *front)
{
    int32_t status = TRM_OK;
    if (atomic_exchange(&front->joins->was_cancelled, false))
        begin_rounds(front->joins);
    for (uint32_t i = 0; status == TRM_OK && i < front->joins->count; i++) {
        struct pipeline_join *one = &front->joins->joins[i];
        if (one->tokens == 0 && one->desc.operation == TRM_REDUCE_SUM)
            status = clear_parts(front, one);
    }
    return status;
}

int32_t pipeline_joins_after(struct pipeline *front)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < front->joins->count; i++) {
        struct pipeline_join *one = &front->joins->joins[i];
        if (++one->tokens >= one->desc.tokens && !atomic_load(&front->has_lost_work))
            status = join(front, one);
    }
    return status;
}

/* ---- failures, and the end ------------------------------------------------------------------ */

void pipeline_joins_break(struct pipeline *front)
{
    atomic_store(&front->has_lost_work, true);
}

void pipeline_joins_cancel(struct pipeline *front)
{
    if (front->joins != NULL)
        atomic_store(&front->joins->was_cancelled, true);
}

void pipeline_joins_recover(struct pipeline *front)
{
    struct pipeline_joins *joins = front->joins;
    bool has_lost                = atomic_exchange(&front->has_lost_work, false);
    if (joins == NULL)
        return;
    for (uint32_t i = 0; i < front->member_count; i++) {
        if (joins->streams[i] == NULL || trm_stream_sync(joins->streams[i]) == TRM_OK)
            continue;
        trm_stream_destroy(joins->streams[i]);
        joins->streams[i] = NULL;
    }
    if (has_lost)
        begin_rounds(joins);
}

void pipeline_joins_drain(struct pipeline *front)
{
    struct base_saved_error saved;
    base_error_save(&saved);
    base_biased_lock_acquire(&front->enqueue_lock);
    for (uint32_t i = 0; front->joins != NULL && i < front->member_count; i++)
        if (front->joins->streams[i] != NULL)
            (void)trm_stream_sync(front->joins->streams[i]);
    base_biased_lock_release(&front->enqueue_lock);
    base_error_restore(&saved);
}

/* With enqueue_lock. */
static int32_t join_rest(struct pipeline *front)
{
    struct pipeline_joins *joins = front->joins;
    int32_t status               = TRM_OK;
    for (uint32_t i = 0; joins != NULL && status == TRM_OK && i < joins->count; i++)
        if (joins->joins[i].tokens > 0)
            status = join(front, &joins->joins[i]);
    return status;
}

static int32_t check_whole(struct pipeline *front)
{
    if (!atomic_load(&front->has_lost_work))
        return TRM_OK;
    return base_fail_static(TRM_ERROR_CANCELLED, "a token failed before the shared ports were joined");
}

static uint32_t epoch_of(struct pipeline *front)
{
    base_biased_lock_acquire(&front->lock);
    uint32_t epoch = front->queue->epoch;
    base_biased_lock_release(&front->lock);
    return epoch;
}

/* A cancel ends the wait within a slice. */
static int32_t wait_for(struct pipeline *front, struct trm_point point, uint32_t epoch)
{
    int32_t status = TRM_OK;
    do {
        if (epoch_of(front) != epoch)
            return base_fail_static(TRM_ERROR_CANCELLED,
                                    "the pipeline was cancelled while it joined its ports");
        status = point.stream != NULL ? trm_point_wait(point, SLICE_NS) : TRM_OK;
    } while (status == TRM_ERROR_TIMEOUT);
    return status;
}

static void collect_times(struct pipeline *front)
{
    base_biased_lock_acquire(&front->enqueue_lock);
    if (front->joins != NULL)
        pipeline_join_times_collect(&front->joins->times);
    base_biased_lock_release(&front->enqueue_lock);
}

int32_t pipeline_joins_finish(struct pipeline *front)
{
    struct trm_point last[PIPELINE_MEMBERS_MOST] = {{.stream = NULL}};
    uint32_t epoch                               = epoch_of(front);
    if (front->desc.join_count == 0)
        return TRM_OK;
    int32_t status = check_whole(front);
    if (status != TRM_OK)
        return status;
    base_biased_lock_acquire(&front->enqueue_lock);
    status = join_rest(front);
    for (uint32_t i = 0; i < front->member_count; i++)
        last[i] = pipeline_engine_last(front->members[i]);
    base_biased_lock_release(&front->enqueue_lock);
    for (uint32_t i = 0; status == TRM_OK && i < front->member_count; i++)
        status = wait_for(front, last[i], epoch);
    if (status != TRM_OK)
        pipeline_joins_break(front);
    collect_times(front);
    return status == TRM_OK ? check_whole(front) : status;
}

/* Whether a thread could join now: what was started joins when it ends. */
static int32_t may_join(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    base_biased_lock_acquire(&pipeline->lock);
    int32_t status = TRM_OK;
    if (queue->stop != PIPELINE_GOING)
        status = base_failure_raise(&queue->cause);
    else if (queue->mode != PIPELINE_SERVING)
        status =
            base_fail_static(TRM_ERROR_BUSY, "the pipeline joins its shared ports at the end of its run");
    base_biased_lock_release(&pipeline->lock);
    return status;
}

int32_t trm_pipeline_join(struct trm_pipeline *handle)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status = pipeline_calling_check(pipeline, "trm_pipeline_join()");
    if (status == TRM_OK)
        status = may_join(pipeline);
    if (status == TRM_OK)
        status = pipeline_joins_finish(pipeline);
    core_object_leave(&pipeline->object);
    return status;
}
