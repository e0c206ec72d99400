/* Streams as queues: what was enqueued, in order, and how far they have come.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "tests/standin/standin.h"

static struct stream *streams;

struct stream *stream_list(void)
{
    return streams;
}

/* ---- timelines and places */

struct timeline *timeline_hold(struct timeline *timeline)
{
    if (timeline != NULL)
        timeline->references++;
    return timeline;
}

void timeline_drop(struct timeline *timeline)
{
    if (timeline != NULL && --timeline->references == 0)
        free(timeline);
}

bool place_is_reached(struct place place)
{
    return place.timeline == NULL || place.timeline->done >= place.number;
}

struct place stream_place(const struct stream *stream)
{
    return (struct place){.timeline = stream->timeline, .number = stream->timeline->enqueued};
}

bool operation_wait_for(struct operation *operation, struct place place)
{
    if (place_is_reached(place))
        return true;
    struct place *places =
        realloc(operation->places, (operation->place_count + 1) * sizeof(*operation->places));
    if (places == NULL)
        return false;
    operation->places                           = places;
    operation->places[operation->place_count++] = place;
    timeline_hold(place.timeline);
    return true;
}

/* ---- streams */

struct stream *stream_create(struct context *context, unsigned int flags, int priority)
{
    struct stream *stream     = calloc(1, sizeof(*stream));
    struct timeline *timeline = calloc(1, sizeof(*timeline));

    if (stream == NULL || timeline == NULL) {
        free(stream);
        free(timeline);
        return NULL;
    }
    timeline->references = 1;
    stream->timeline     = timeline;
    stream->flags        = flags;
    stream->priority     = priority;
    object_begin(&stream->object, OBJECT_STREAM, context);
    stream->next = streams;
    streams      = stream;
    return stream;
}

void stream_unlink(struct stream *stream)
{
    struct stream **link = &streams;

    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    timeline_drop(stream->timeline);
    free(stream);
}

/* What it was given is still done. */
void stream_destroy(struct stream *stream)
{
    object_end(&stream->object);
    stream->is_destroyed = true;
    if (stream->first == NULL && !stream->is_running)
        stream_unlink(stream);
}

/* The legacy stream and all streams without CU_STREAM_NON_BLOCKING wait for each other. */
static void wait_for_legacy(struct stream *stream, struct operation *operation)
{
    struct context *context = stream->object.context;

    if ((stream->flags & CU_STREAM_NON_BLOCKING) != 0)
        return;
    if (stream != context->legacy) {
        (void)operation_wait_for(operation, stream_place(context->legacy));
        return;
    }
    for (struct stream *other = streams; other != NULL; other = other->next)
        if (other != stream && other->object.context == context && !(other->flags & CU_STREAM_NON_BLOCKING))
            (void)operation_wait_for(operation, stream_place(other));
}

/* Different each time, and the same in each run. */
static uint64_t random_below(uint64_t limit)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit == 0 ? 0 : state % limit;
}

void stream_enqueue(struct stream *stream, struct operation *operation)
{
    wait_for_legacy(stream, operation);
    operation->stream = stream;
    operation->number = ++stream->timeline->enqueued;
    if (stream->first == NULL) {
        stream->first = operation;
        if (standin_config.delay_ns != 0)
            stream->begin_ns = standin_now() + random_below(standin_config.delay_ns);
    } else {
        stream->last->next = operation;
    }
    stream->last = operation;
    worker_wake();
}

CUresult stream_wait(struct context *context, struct place place)
{
    timeline_hold(place.timeline);
    while (!place_is_reached(place))
        standin_wait();
    timeline_drop(place.timeline);
    return context->sticky;
}
