/* cpu backend: running one operation of each kind.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/session.h"

#include "backends/cpu/stream/job.h"
#include "backends/cpu/stream/launch.h"
#include "backends/cpu/stream/notify.h"
#include "backends/cpu/stream/profile.h"

#define SPLIT_BYTES (1u << 20) /* from this size on, copies and fills run on several threads */
#define LEAST_PART (128u << 10)
#define MOST_PART (1u << 20)

static uint64_t part_bytes(const struct cpu_session *session, uint64_t size)
{
    uint64_t part = size / (session->scheduler->size * 4u);
    part          = part < LEAST_PART ? LEAST_PART : part > MOST_PART ? MOST_PART : part;
    return part & ~(uint64_t)4095;
}

static bool run_flat(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     uint64_t size, struct cpu_failure **failure)
{
    if (size >= SPLIT_BYTES && session->scheduler->size > 1)
        return cpu_job_run(session, stream, op, 0, size, part_bytes(session, size), failure);
    *failure = cpu_operation_run_part(session, op, 0, size);
    return true;
}

static bool run_rows(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     struct cpu_failure **failure)
{
    uint64_t width = op->copy_2d.width, height = op->copy_2d.height;
    uint64_t rows = width >= MOST_PART ? 1 : LEAST_PART / width + 1;
    if (height >= 2 * rows && session->scheduler->size > 1)
        return cpu_job_run(session, stream, op, 0, height, rows, failure);
    *failure = cpu_operation_run_part(session, op, 0, height);
    return true;
}

/* Parks the stream until the other one has reached the value, or returns false: it need not wait. The session
 * runs next what the other stream finally waits for, unless another thread does. */
static bool park(struct cpu_session *session, struct trm_backend_stream *stream,
                 struct trm_backend_stream *other, uint64_t value)
{
    struct trm_backend_stream *root = NULL;
    bool is_parked                  = cpu_session_park(session, stream, other, value, &root);
    if (root != NULL)
        cpu_session_add_ready(session, root);
    return is_parked;
}

/* Reads `failure` of the other stream first: once it is set, `completed` is final. An abandoned stream need
 * not wait: it fails. */
static bool run_wait(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     struct cpu_failure **failure)
{
    struct trm_backend_stream *other = op->wait.other;
    while (other != stream) {
        struct cpu_failure *cause = cpu_stream_failure(other);
        if (cpu_stream_has_reached(other, op->wait.value))
            return true;
        if (cause != NULL) {
            *failure = cpu_failure_retain(cause);
            return true;
        }
        if (park(session, stream, other, op->wait.value))
            return false;
        if (cpu_stream_is_abandoned(stream))
            return true;
    }
    return true;
}

static bool run_gate(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op)
{
    struct cpu_scheduler *scheduler = session->scheduler;
    cpu_session_publish(session, stream);
    pthread_mutex_lock(scheduler->lock);
    bool is_open = stream->open_gate >= op->value || cpu_stream_is_abandoned(stream);
    if (!is_open) {
        stream->park.value = op->value;
        stream->blocked_on = NULL;
        atomic_exchange(&stream->state, CPU_STREAM_PARKED);
    }
    pthread_mutex_unlock(scheduler->lock);
    return is_open;
}

bool cpu_operation_run(struct cpu_session *session, struct trm_backend_stream *stream,
                       const struct cpu_op *op, struct cpu_failure **failure)
{
    switch (op->kind) {
    case CPU_OP_LAUNCH:
        return cpu_launch_run(session, stream, op, failure);
    case CPU_OP_COPY:
        return run_flat(session, stream, op, op->copy.size, failure);
    case CPU_OP_FILL:
        return run_flat(session, stream, op, op->fill.size, failure);
    case CPU_OP_COPY_2D:
        return run_rows(session, stream, op, failure);
    case CPU_OP_WAIT:
        return run_wait(session, stream, op, failure);
    case CPU_OP_GATE:
        return run_gate(session, stream, op);
    default:
        cpu_stamp_take(op->stamp.stamp);
        return true;
    }
}
