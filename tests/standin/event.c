/* Events.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "tests/standin/standin.h"

CUresult CUDAAPI cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuEventCreate, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (phEvent == NULL || (Flags & ~(unsigned int)(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING |
                                                    CU_EVENT_INTERPROCESS)) != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct event *event = calloc(1, sizeof(*event));
    if (event == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    event->flags = Flags;
    object_begin(&event->object, OBJECT_EVENT, context);
    *phEvent = object_handle(&event->object);
    return leave(CUDA_SUCCESS);
}

void event_destroy(struct event *event)
{
    timeline_drop(event->place.timeline);
    object_end(&event->object);
    free(event);
}

CUresult CUDAAPI cuEventDestroy_v2(CUevent hEvent)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuEventDestroy_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct event *event = object_find(OBJECT_EVENT, hEvent);
    if (event == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    CUresult sticky = event->object.context->sticky;
    event_destroy(event);
    return leave(sticky);
}

void event_set(struct event *event, struct place place)
{
    timeline_hold(place.timeline);
    timeline_drop(event->place.timeline);
    event->place       = place;
    event->is_recorded = true;
    event->time_ns     = 0;
}

void event_reached(struct event_reference reference, uint64_t time_ns)
{
    struct event *event = object_find_quietly(
        OBJECT_EVENT, (void *)(uintptr_t)reference.handle); // NOLINT(performance-no-int-to-ptr)

    if (event != NULL && event->place.timeline == reference.place.timeline &&
        event->place.number == reference.place.number)
        event->time_ns = time_ns;
}

/* ---- in streams */

struct record {
    struct operation operation;
    struct event_reference event;
};

static void record_end(struct operation *operation, bool was_run)
{
    const struct record *record = (const struct record *)operation;

    if (was_run)
        event_reached(record->event, standin_now());
}

static const struct operation_kind record_kind = {.end = record_end};
static const struct operation_kind wait_kind   = {.name = NULL};

CUresult CUDAAPI cuEventRecord(CUevent hEvent, CUstream hStream)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuEventRecord, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    struct event *event = object_find(OBJECT_EVENT, hEvent);
    if (event == NULL || event->object.context != stream->object.context)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    struct record *record = calloc(1, sizeof(*record));
    if (record == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    record->operation.kind = &record_kind;
    stream_enqueue(stream, &record->operation);
    event_set(event, stream_place(stream));
    record->event = (struct event_reference){.handle = event->object.handle, .place = event->place};
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuStreamWaitEvent, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    struct event *event = object_find(OBJECT_EVENT, hEvent);
    if (event == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if (Flags > CU_EVENT_WAIT_EXTERNAL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct operation *wait = calloc(1, sizeof(*wait));
    if (wait == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    wait->kind = &wait_kind;
    if (!operation_wait_for(wait, event->place)) {
        free(wait);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    stream_enqueue(stream, wait);
    return leave(CUDA_SUCCESS);
}

/* ---- by the host */

/* Begins a call about an event. */
static CUresult enter_event(enum standin_function function, CUevent handle, struct event **event)
{
    struct context *context;
    CUresult result = standin_config.needs_context ? enter_current(function, &context) : enter(function);

    if (result != CUDA_SUCCESS)
        return result;
    *event = object_find(OBJECT_EVENT, handle);
    if (*event == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    context = (*event)->object.context;
    return context->sticky == CUDA_SUCCESS ? CUDA_SUCCESS : leave(context->sticky);
}

CUresult CUDAAPI cuEventQuery(CUevent hEvent)
{
    struct event *event;
    CUresult result = enter_event(STANDIN_cuEventQuery, hEvent, &event);

    if (result != CUDA_SUCCESS)
        return result;
    return leave(place_is_reached(event->place) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
}

CUresult CUDAAPI cuEventSynchronize(CUevent hEvent)
{
    struct event *event;
    CUresult result = enter_event(STANDIN_cuEventSynchronize, hEvent, &event);

    if (result != CUDA_SUCCESS)
        return result;
    struct context *context = event->object.context;
    result                  = stream_wait(context, event->place);
    pool_trim_all(context);
    return leave(result);
}

/* cuda.h's name for it is that of the newest form, of which the older ones differ in nothing here. */
CUresult CUDAAPI cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    struct event *start;
    CUresult result = enter_event(STANDIN_cuEventElapsedTime, hStart, &start);

    if (result != CUDA_SUCCESS)
        return result;
    struct event *end = object_find(OBJECT_EVENT, hEnd);
    if (end == NULL || end->object.context != start->object.context || !start->is_recorded ||
        !end->is_recorded || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if (pMilliseconds == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!place_is_reached(start->place) || !place_is_reached(end->place))
        return leave(CUDA_ERROR_NOT_READY);
    *pMilliseconds = (float)((double)(int64_t)(end->time_ns - start->time_ns) / 1e6);
    return leave(CUDA_SUCCESS);
}
