/* The proxy: streams, their making and ending, and how one comes to fail as if its device had.
 *
 * A stream that is broken at a number has lost that operation and all after it: the target never sees them.
 * What was before goes on. Once it has finished, query() and wait() answer the failure.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "proxy.h"

struct trm_backend_stream *proxy_stream_new(struct trm_backend_device *device)
{
    struct trm_backend_stream *made = proxy_new(device->instance->host, sizeof(*made));

    if (made != NULL)
        made->device = device;
    return made;
}

int32_t proxy_stream_made(struct trm_backend_stream *made, int32_t status, struct trm_backend_stream **stream)
{
    const struct trm_host *host = made->device->instance->host;

    if (status != TRM_OK) {
        host->release(host->context, made, sizeof(*made));
        return status;
    }
    atomic_fetch_add(&made->device->children, 1);
    proxy_created(PROXY_STREAM);
    *stream = made;
    return TRM_OK;
}

int32_t proxy_stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                            struct trm_backend_stream **stream)
{
    struct trm_backend_stream *made;
    int32_t status = proxy_begin(device->instance->host, PROXY_STREAM_CREATE, NULL);

    if (status != TRM_OK)
        return status;
    made = proxy_stream_new(device);
    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    status = proxy_target.stream.create(device->target, desc, &made->target);
    return proxy_stream_made(made, status, stream);
}

/* A target that has mark() need not know of numbers that were not marked. */
static int proxy_stream_idle(struct trm_backend_stream *stream)
{
    uint64_t completed = 0, forwarded = atomic_load(&stream->forwarded);

    if (proxy_target.stream.mark != NULL && atomic_load(&stream->marked) < forwarded)
        return 1;
    return proxy_target.stream.query(stream->target, &completed) != TRM_OK || completed >= forwarded;
}

void proxy_stream_destroy(struct trm_backend_stream *stream)
{
    const struct trm_host *host       = stream->device->instance->host;
    struct trm_backend_device *device = stream->device;

    (void)proxy_begin(NULL, PROXY_STREAM_DESTROY, NULL);
    if (atomic_load(&stream->busy) != 0)
        proxy_breach("A stream is destroyed while something is being enqueued on it.");
    if (!proxy_stream_idle(stream))
        proxy_breach("A stream is destroyed with work in it.");
    proxy_target.stream.destroy(stream->target);
    proxy_destroyed(PROXY_STREAM);
    host->release(host->context, stream, sizeof(*stream));
    atomic_fetch_sub(&device->children, 1);
}

int32_t proxy_stream_failure(struct trm_backend_stream *stream)
{
    const struct trm_host *host = stream->device->instance->host;
    char sentence[96];

    atomic_store(&stream->known, 1);
    snprintf(sentence, sizeof(sentence), "The proxy made the stream fail at operation %llu.",
             (unsigned long long)stream->broken_at);
    return host->fail(host->context, atomic_load(&stream->broken), (int64_t)stream->broken_at, sentence);
}

int proxy_stream_lost(struct trm_backend_stream *stream, uint64_t value)
{
    return atomic_load(&stream->broken) != TRM_OK && value >= stream->broken_at;
}

/* In the enqueueing thread. The target has to know how far it got before the failure, so that place is
 * marked. */
void proxy_stream_break(struct trm_backend_stream *stream, uint64_t value, int32_t status)
{
    uint64_t forwarded = atomic_load(&stream->forwarded);

    if (atomic_load(&stream->broken) != TRM_OK)
        return;
    if (forwarded != 0 && atomic_load(&stream->marked) < forwarded && proxy_target.stream.mark != NULL &&
        proxy_target.stream.mark(stream->target, forwarded) == TRM_OK)
        atomic_store(&stream->marked, forwarded);
    stream->broken_at = value;
    atomic_store(&stream->broken, status);
}

struct proxy_turn proxy_stream_enter(struct trm_backend_stream *stream, uint64_t value,
                                     enum proxy_operation operation)
{
    struct proxy_turn turn = {TRM_OK, 0, atomic_load(&stream->claimed)};
    int32_t async;

    if (atomic_exchange(&stream->busy, 1) != 0)
        proxy_breach("Two threads enqueue on one stream at once.");
    if (operation == PROXY_MARK ? value > turn.before : value <= turn.before)
        proxy_breach("The numbers of a stream do not increase.");
    if (operation != PROXY_MARK)
        atomic_store(&stream->claimed, value);

    turn.status = proxy_begin(stream->device->instance->host, operation, &async);
    if (turn.status != TRM_OK)
        return turn;
    if (async != TRM_OK)
        proxy_stream_break(stream, value, async);
    if (atomic_load(&stream->broken) == TRM_OK)
        turn.forward = 1;
    else if (atomic_load(&stream->known))
        turn.status = proxy_stream_failure(stream);
    return turn;
}

/* Without flush() the core never submits, so this does. */
static void proxy_stream_submit(struct trm_backend_stream *stream)
{
    if (proxy_target.stream.flush != NULL && !proxy_has_flush())
        (void)proxy_target.stream.flush(stream->target);
}

int32_t proxy_stream_leave(struct trm_backend_stream *stream, uint64_t value, struct proxy_turn turn)
{
    if (turn.forward && turn.status == TRM_OK) {
        atomic_store(&stream->forwarded, value);
        proxy_stream_submit(stream);
    }
    if (turn.status != TRM_OK)
        atomic_store(&stream->claimed, turn.before);
    atomic_store(&stream->busy, 0);
    return turn.status;
}
