/* Streams that wait for each other before a call and behind it.
 *
 * Streams have met when what is enqueued next on any of them begins after all work on all of them. All that a
 * call promises follows from a meeting before it and one behind it: it finds all inputs ready, and no stream
 * goes on while another device accesses its memory. The meeting behind a call is also the one before the next
 * call when nothing was enqueued in between.
 *
 * Where one device, the worker, does all of a call, its stream waits for the others before, and they wait for
 * its end: half of the marks and waits of two barriers. They have met then: the others are behind the
 * worker's last operation, which is behind all that any of them had before. The worker's stream does not wait
 * for their waits, but these access no memory, and no operation can lie between such a wait and the meeting.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/collective/collective.h"

bool pipeline_streams_have_met(const struct pipeline_collective *collective, const struct pipeline_call *call)
{
    for (uint32_t d = 0; d < call->devices; d++) {
        const struct core_stream *stream = core_stream_find(call->streams[d]);
        if (stream == NULL || collective->met[d] != call->streams[d] ||
            collective->met_next[d] != core_stream_next(stream))
            return false;
    }
    return true;
}

void pipeline_streams_note_meeting(struct pipeline_collective *collective, const struct pipeline_call *call)
{
    for (uint32_t d = 0; d < call->devices; d++) {
        const struct core_stream *stream = core_stream_find(call->streams[d]);
        collective->met[d]               = call->streams[d];
        collective->met_next[d]          = stream != NULL ? core_stream_next(stream) : 0;
    }
}

/* ---- before anything is enqueued ------------------------------------------------------------ */

/* A mark is a call of the driver, which answers that the device is lost. The cpu has no marks, and tells
 * without one. */
static int32_t ask(const struct pipeline_collective *collective, const struct pipeline_call *call,
                   uint32_t device)
{
    struct trm_point point;
    bool is_cpu = (collective->cpus >> device & 1) != 0;
    int32_t status =
        is_cpu ? trm_stream_query(call->streams[device]) : trm_stream_mark(call->streams[device], &point);

    if (status == TRM_ERROR_TIMEOUT)
        base_error_clear();
    return status == TRM_ERROR_TIMEOUT ? TRM_OK : status;
}

int32_t pipeline_streams_ask(const struct pipeline_collective *collective, const struct pipeline_call *call,
                             uint32_t worker)
{
    int32_t status = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < call->devices; d++) {
        bool is_free = (collective->cpus >> d & 1) != 0;
        if (is_free || (!call->has_met && d != worker))
            status = ask(collective, call, d);
        if (status != TRM_OK)
            return pipeline_collective_fail_stream(collective, call->name, d, status);
    }
    return status;
}

/* ---- meetings ------------------------------------------------------------------------------- */

static int32_t meet(const struct pipeline_call *call)
{
    return call->devices == 1 ? TRM_OK : trm_stream_barrier(call->streams, call->devices);
}

int32_t pipeline_streams_gather(const struct pipeline_call *call, uint32_t worker)
{
    struct trm_point points[PIPELINE_DEVICES];
    int32_t status = TRM_OK;

    if (call->has_met)
        return TRM_OK;
    if (worker == PIPELINE_DEVICES)
        return meet(call);
    for (uint32_t d = 0; status == TRM_OK && d < call->devices; d++)
        if (d != worker)
            status = trm_stream_mark(call->streams[d], &points[d]);
    for (uint32_t d = 0; status == TRM_OK && d < call->devices; d++)
        if (d != worker)
            status = trm_stream_wait(call->streams[worker], points[d]);
    return status;
}

/* Marks at once what the meeting waits for, since a driver takes longer for a call on another device than the
 * last one. Of more than two streams the first is marked by the barrier, behind its waits. */
int32_t pipeline_streams_arrive(const struct pipeline_call *call, uint32_t device)
{
    struct trm_point end;

    if (call->devices == 1 || (call->devices > 2 && device == 0))
        return TRM_OK;
    return trm_stream_mark(call->streams[device], &end);
}

int32_t pipeline_streams_scatter(const struct pipeline_call *call, uint32_t worker)
{
    struct trm_point point;

    if (worker == PIPELINE_DEVICES)
        return meet(call);
    int32_t status = trm_stream_mark(call->streams[worker], &point);
    for (uint32_t d = 0; status == TRM_OK && d < call->devices; d++)
        if (d != worker)
            status = trm_stream_wait(call->streams[d], point);
    return status;
}
