/* cpu backend: operations in parts.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/job.h"

#include "backends/cpu/stream/launch.h"

/* ---- parts of an operation */

struct cpu_failure *cpu_operation_run_part(struct cpu_session *session, const struct cpu_op *op,
                                           uint64_t begin, uint64_t end)
{
    struct cpu_transfers *transfers = &session->scheduler->transfers;
    switch (op->kind) {
    case CPU_OP_LAUNCH:
        return cpu_launch_part(session, op, begin, end);
    case CPU_OP_COPY:
        cpu_transfer_copy(transfers, op->copy.destination + begin, op->copy.source + begin, end - begin,
                          op->copy.size);
        return NULL;
    case CPU_OP_FILL:
        cpu_transfer_fill(transfers, op->fill.destination + begin, op->fill.word, end - begin, op->fill.size);
        return NULL;
    default:
        cpu_transfer_copy_2d(op->copy_2d.destination + begin * op->copy_2d.destination_pitch,
                             op->copy_2d.destination_pitch,
                             op->copy_2d.source + begin * op->copy_2d.source_pitch, op->copy_2d.source_pitch,
                             op->copy_2d.width, end - begin);
        return NULL;
    }
}

/* ---- jobs */

/* There is always a free slot: see job.h. */
static struct cpu_job *acquire_slot(struct cpu_scheduler *scheduler)
{
    for (uint32_t i = 0;; i = i + 1 < scheduler->size ? i + 1 : 0) {
        bool is_used = false;
        if (!atomic_load_explicit(&scheduler->jobs[i].is_used, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&scheduler->jobs[i].is_used, &is_used, true))
            return &scheduler->jobs[i];
    }
}

static void close_job(struct cpu_scheduler *scheduler, struct cpu_job *job)
{
    if (!atomic_exchange(&job->is_closed, true))
        atomic_fetch_sub(&scheduler->open_jobs, 1);
}

static void record_failure(struct trm_backend_instance *instance, struct cpu_job *job,
                           struct cpu_failure *failure)
{
    if (atomic_exchange(&job->has_failed, true))
        cpu_failure_release(instance, failure);
    else
        job->failure = failure;
}

/* Whether a worker that helps should rather run a stream of the queue. */
static bool should_leave(const struct cpu_session *session, bool is_helping)
{
    return is_helping && session->is_worker &&
           atomic_load_explicit(&session->scheduler->runnable, memory_order_relaxed);
}

static void take_parts(struct cpu_session *session, struct cpu_job *job, bool is_helping)
{
    struct cpu_scheduler *scheduler = session->scheduler;
    while (!atomic_load_explicit(&job->is_closed, memory_order_relaxed)) {
        uint64_t begin = atomic_fetch_add_explicit(&job->next, job->part, memory_order_relaxed);
        if (begin >= job->total ||
            atomic_load_explicit(&job->stream->abandoned, memory_order_relaxed) != TRM_OK) {
            close_job(scheduler, job);
            return;
        }
        uint64_t end                = job->total - begin > job->part ? begin + job->part : job->total;
        struct cpu_failure *failure = cpu_operation_run_part(session, job->op, begin, end);
        if (failure != NULL) {
            record_failure(session->scheduler->instance, job, failure);
            close_job(scheduler, job);
            return;
        }
        if (should_leave(session, is_helping))
            return;
    }
}

/* True for the last thread: all parts have ended, and this thread finishes the operation. The thread that
 * opened the job leaves only once it is closed, so no part is left when a helper is the last. */
static bool leave_job(struct cpu_job *job, struct cpu_failure **failure)
{
    if (atomic_fetch_sub(&job->participants, 1) != 1)
        return false;
    *failure = job->failure;
    atomic_store(&job->is_used, false);
    return true;
}

bool cpu_job_run(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                 uint64_t begin, uint64_t total, uint64_t part, struct cpu_failure **failure)
{
    struct cpu_scheduler *scheduler = session->scheduler;
    struct cpu_job *job             = acquire_slot(scheduler);
    job->failure                    = NULL;
    job->stream                     = stream;
    job->op                         = op;
    job->total                      = total;
    job->part                       = part;
    atomic_store_explicit(&job->next, begin, memory_order_relaxed);
    atomic_store_explicit(&job->has_failed, false, memory_order_relaxed);
    atomic_store_explicit(&job->is_closed, false, memory_order_relaxed);
    atomic_store(&job->participants, 1);
    atomic_fetch_add(&scheduler->open_jobs, 1);

    uint64_t others = (total - begin - 1) / part;
    cpu_workers_wake(scheduler, others < scheduler->size - 1 ? (uint32_t)others : scheduler->size - 1);
    take_parts(session, job, false);
    return leave_job(job, failure);
}

static bool join(struct cpu_job *job)
{
    if (atomic_load_explicit(&job->is_closed, memory_order_relaxed))
        return false;
    uint32_t participants = atomic_load(&job->participants);
    while (participants != 0)
        if (atomic_compare_exchange_weak(&job->participants, &participants, participants + 1))
            return true;
    return false;
}

/* Starts at the slot with the number of the token, so that helpers spread over the jobs. */
static struct cpu_job *find_job(struct cpu_session *session)
{
    struct cpu_scheduler *scheduler = session->scheduler;
    if (atomic_load(&scheduler->open_jobs) == 0)
        return NULL;
    for (uint32_t i = 0; i < scheduler->size; i++) {
        struct cpu_job *job = &scheduler->jobs[(session->token + i) % scheduler->size];
        if (join(job))
            return job;
    }
    return NULL;
}

bool cpu_job_help(struct cpu_session *session)
{
    struct cpu_job *job = find_job(session);
    if (job == NULL)
        return false;
    struct trm_backend_stream *stream = job->stream;
    struct cpu_failure *failure       = NULL;
    take_parts(session, job, true);
    if (leave_job(job, &failure))
        cpu_session_resume(session, stream, failure);
    return true;
}
