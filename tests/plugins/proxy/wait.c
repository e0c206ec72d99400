/* The proxy: what any thread may ask of a stream.
 * SPDX-License-Identifier: MIT
 */
#include "proxy.h"

enum {
    PROXY_FEW_STREAMS = 32
};

int32_t proxy_stream_flush(struct trm_backend_stream *stream)
{
    int32_t status = proxy_begin(stream->device->instance->host, PROXY_FLUSH, NULL);

    return status != TRM_OK ? status : proxy_target.stream.flush(stream->target);
}

/* `broken` is looked at before the target is asked, so that the answer is not older than the failure. */
int32_t proxy_stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    int32_t broken, status = proxy_begin(stream->device->instance->host, PROXY_QUERY, NULL);
    uint64_t reached = 0;

    if (status != TRM_OK)
        return status;
    broken = atomic_load(&stream->broken);
    status = proxy_target.stream.query(stream->target, &reached);
    if (status == TRM_OK || reached != 0)
        *completed = reached; /* after a failure too, where the target tells */
    if (broken != TRM_OK && (status != TRM_OK || reached >= atomic_load(&stream->forwarded)))
        return proxy_stream_failure(stream);
    return status;
}

int32_t proxy_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    int32_t status = proxy_begin(stream->device->instance->host, PROXY_WAIT, NULL);
    uint64_t forwarded;

    if (status != TRM_OK)
        return status;
    if (value > atomic_load(&stream->claimed))
        proxy_breach("The core waits for a number that was never used.");
    if (!proxy_stream_lost(stream, value))
        return proxy_target.stream.wait(stream->target, value, timeout_ns);

    forwarded = atomic_load(&stream->forwarded);
    if (forwarded != 0)
        status = proxy_target.stream.wait(stream->target, forwarded, timeout_ns);
    return status == TRM_ERROR_TIMEOUT ? status : proxy_stream_failure(stream);
}

/* Where a number was lost the target waits for the last one that was not. 1 when there is none: the failure
 * is there now. */
static int proxy_wait_any_translate(struct trm_backend_stream *const *streams, const uint64_t *values,
                                    uint32_t count, struct trm_backend_stream **their_streams,
                                    uint64_t *their_values, uint32_t *which)
{
    for (uint32_t i = 0; i < count; i++) {
        int lost = proxy_stream_lost(streams[i], values[i]);

        their_streams[i] = streams[i]->target;
        their_values[i]  = lost ? atomic_load(&streams[i]->forwarded) : values[i];
        if (lost && their_values[i] == 0) {
            *which = i;
            return 1;
        }
    }
    return 0;
}

int32_t proxy_stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                              uint32_t count, uint64_t timeout_ns, uint32_t *which)
{
    const struct trm_host *host = streams[0]->device->instance->host;
    struct trm_backend_stream *few_streams[PROXY_FEW_STREAMS], **their_streams = few_streams;
    uint64_t few_values[PROXY_FEW_STREAMS], *their_values                      = few_values;
    uint64_t bytes = count * (sizeof(*their_streams) + sizeof(*their_values));
    int32_t status = proxy_begin(host, PROXY_WAIT_ANY, NULL);

    if (status != TRM_OK)
        return status;
    if (count > PROXY_FEW_STREAMS) {
        their_streams = proxy_new(host, bytes);
        if (their_streams == NULL)
            return TRM_ERROR_OUT_OF_HOST_MEMORY;
        their_values = (uint64_t *)(void *)(their_streams + count);
    }
    if (!proxy_wait_any_translate(streams, values, count, their_streams, their_values, which))
        status = proxy_target.stream.wait_any(their_streams, their_values, count, timeout_ns, which);
    if (their_streams != few_streams)
        host->release(host->context, their_streams, bytes);

    if (status == TRM_OK && proxy_stream_lost(streams[*which], values[*which]))
        return proxy_stream_failure(streams[*which]);
    return status;
}

/* A notification of a number that was lost: the target gives one for the last that was not, and it is passed
 * on as a failure. */
struct proxy_notice {
    struct trm_backend_stream *stream;
    trm_notify_fn notify;
    void *user;
};

static void proxy_notice_deliver(void *user, int32_t status)
{
    struct proxy_notice notice  = *(struct proxy_notice *)user;
    const struct trm_host *host = notice.stream->device->instance->host;

    (void)status;
    host->release(host->context, user, sizeof(notice));
    atomic_store(&notice.stream->known, 1);
    notice.notify(notice.user, atomic_load(&notice.stream->broken));
}

static int32_t proxy_notify_lost(struct trm_backend_stream *stream, uint64_t forwarded, trm_notify_fn notify,
                                 void *user)
{
    const struct trm_host *host = stream->device->instance->host;
    struct proxy_notice *notice;
    int32_t status;

    if (forwarded == 0) {
        atomic_store(&stream->known, 1);
        notify(user, atomic_load(&stream->broken));
        return TRM_OK;
    }
    notice = proxy_new(host, sizeof(*notice));
    if (notice == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    *notice = (struct proxy_notice){stream, notify, user};
    status  = proxy_target.stream.notify(stream->target, forwarded, proxy_notice_deliver, notice);
    if (status != TRM_OK)
        host->release(host->context, notice, sizeof(*notice));
    return status;
}

int32_t proxy_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                            void *user)
{
    int32_t status = proxy_begin(stream->device->instance->host, PROXY_NOTIFY, NULL);

    if (status != TRM_OK)
        return status;
    if (value > atomic_load(&stream->claimed))
        proxy_breach("The core waits for a number that was never used.");
    if (proxy_stream_lost(stream, value))
        return proxy_notify_lost(stream, atomic_load(&stream->forwarded), notify, user);
    return proxy_target.stream.notify(stream->target, value, notify, user);
}

void proxy_stream_abandon(struct trm_backend_stream *stream, int32_t status)
{
    (void)proxy_begin(NULL, PROXY_ABANDON, NULL);
    proxy_target.stream.abandon(stream->target, status);
}
