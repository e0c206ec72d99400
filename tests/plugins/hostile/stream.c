/* The hostile backend: streams.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "backends/template/template.h"
#include "hostile.h"

static const struct trm_stream_ops *theirs(void)
{
    return hostile_template()->stream;
}

int32_t hostile_nothing(struct trm_backend_stream *stream, uint64_t value)
{
    unsigned char from        = 0, to;
    struct trm_copy_desc desc = {
        .struct_size = sizeof(desc), .destination.host = &to, .source.host = &from, .size = 1};
    return theirs()->copy(stream, value, &desc);
}

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **stream)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_CREATE);
    if (answer.status != TRM_OK || answer.writes_nothing) {
        hostile_stream_refused();
        return answer.status;
    }
    return theirs()->create(device, desc, stream);
}

static void stream_destroy(struct trm_backend_stream *stream)
{
    theirs()->destroy(stream);
}

/* ---- enqueueing ----------------------------------------------------------------------------------- */

static int32_t stream_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_COPY);
    return answer.status != TRM_OK ? answer.status : theirs()->copy(stream, value, desc);
}

static int32_t stream_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_LAUNCH);
    if (hostile_control.launched != NULL)
        hostile_control.launched(desc);
    return answer.status != TRM_OK ? answer.status : theirs()->launch(stream, value, desc);
}

static unsigned char *address(const struct trm_place *place, uint64_t offset)
{
    unsigned char *begin = place->memory != NULL ? place->memory->bytes + place->offset : place->host;
    return begin + offset;
}

static int32_t stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_COPY_2D);
    if (answer.status != TRM_OK)
        return answer.status;
    for (uint64_t row = 0; row < desc->height; row++)
        memcpy(address(&desc->destination, row * desc->destination_pitch),
               address(&desc->source, row * desc->source_pitch), desc->width);
    return hostile_nothing(stream, value);
}

static int32_t stream_fill(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_fill_desc *desc)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_FILL);
    if (answer.status != TRM_OK)
        return answer.status;
    for (uint64_t at = 0; at < desc->size; at += desc->pattern_size)
        memcpy(desc->memory->bytes + desc->offset + at, &desc->pattern, desc->pattern_size);
    return hostile_nothing(stream, value);
}

static int32_t stream_mark(struct trm_backend_stream *stream, uint64_t value)
{
    (void)stream;
    (void)value;
    return hostile_begin(HOSTILE_STREAM_MARK).status;
}

/* The other stream has come to every number that was enqueued. */
static int32_t stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                  struct trm_backend_stream *other, uint64_t other_value)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_WAIT_STREAM);
    (void)other;
    (void)other_value;
    return answer.status != TRM_OK ? answer.status : hostile_nothing(stream, value);
}

/* A gate that holds nothing up. */
static int32_t stream_gate(struct trm_backend_stream *stream, uint64_t value)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_GATE);
    return answer.status != TRM_OK ? answer.status : hostile_nothing(stream, value);
}

static void stream_open_gates(struct trm_backend_stream *stream, uint64_t value)
{
    (void)stream;
    (void)value;
}

static int32_t stream_prefetch(struct trm_backend_stream *stream, uint64_t value,
                               struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                               uint32_t to_host)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_PREFETCH);
    (void)memory;
    (void)offset;
    (void)size;
    (void)to_host;
    return answer.status != TRM_OK ? answer.status : hostile_nothing(stream, value);
}

/* ---- from any thread ------------------------------------------------------------------------------ */

static int32_t stream_flush(struct trm_backend_stream *stream)
{
    (void)stream;
    return hostile_begin(HOSTILE_STREAM_FLUSH).status;
}

static int32_t stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_QUERY);
    uint64_t honest              = 0;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    int32_t status = theirs()->query(stream, &honest);
    *completed     = hostile_number(&answer, honest);
    return status;
}

static int32_t stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_WAIT);
    return answer.status != TRM_OK ? answer.status : theirs()->wait(stream, value, timeout_ns);
}

static int32_t stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                               uint32_t count, uint64_t timeout_ns, uint32_t *which)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_WAIT_ANY);
    (void)timeout_ns;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    for (uint32_t i = 0; i < count; i++) {
        if (theirs()->wait(streams[i], values[i], 0) == TRM_ERROR_TIMEOUT)
            continue;
        *which = (uint32_t)hostile_number(&answer, i);
        return TRM_OK;
    }
    return TRM_ERROR_TIMEOUT;
}

/* The number that lies is the status of the notification. */
static int32_t stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                             void *user)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_NOTIFY);
    (void)stream;
    (void)value;
    if (answer.status != TRM_OK)
        return answer.status;
    notify(user, (int32_t)hostile_number(&answer, TRM_OK));
    return TRM_OK;
}

static void stream_abandon(struct trm_backend_stream *stream, int32_t status)
{
    (void)stream;
    (void)status;
}

const struct trm_stream_ops hostile_stream_ops = {
    .struct_size = sizeof(hostile_stream_ops),
    .create      = stream_create,
    .destroy     = stream_destroy,
    .copy        = stream_copy,
    .launch      = stream_launch,
    .copy_2d     = stream_copy_2d,
    .fill        = stream_fill,
    .mark        = stream_mark,
    .wait_stream = stream_wait_stream,
    .gate        = stream_gate,
    .open_gates  = stream_open_gates,
    .prefetch    = stream_prefetch,
    .flush       = stream_flush,
    .query       = stream_query,
    .wait        = stream_wait,
    .wait_any    = stream_wait_any,
    .notify      = stream_notify,
    .abandon     = stream_abandon,
};
