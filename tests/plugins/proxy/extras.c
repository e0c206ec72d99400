/* The proxy: the optional tables profile, pool and peer.
 * SPDX-License-Identifier: MIT
 */
#include "proxy.h"

/* ---- profile ---------------------------------------------------------------------------------------- */

static int32_t proxy_stamp_create(struct trm_backend_device *device, struct trm_backend_stamp **stamp)
{
    const struct trm_host *host = device->instance->host;
    struct trm_backend_stamp *made;
    int32_t status = proxy_begin(host, PROXY_STAMP_CREATE, NULL);

    if (status != TRM_OK)
        return status;
    made = proxy_new(host, sizeof(*made));
    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->device = device;
    status       = proxy_target.profile.stamp_create(device->target, &made->target);
    if (status != TRM_OK) {
        host->release(host->context, made, sizeof(*made));
        return status;
    }
    atomic_fetch_add(&device->children, 1);
    proxy_created(PROXY_STAMP);
    *stamp = made;
    return TRM_OK;
}

static void proxy_stamp_destroy(struct trm_backend_stamp *stamp)
{
    struct trm_backend_device *device = stamp->device;
    const struct trm_host *host       = device->instance->host;

    (void)proxy_begin(NULL, PROXY_STAMP_DESTROY, NULL);
    proxy_target.profile.stamp_destroy(stamp->target);
    proxy_destroyed(PROXY_STAMP);
    host->release(host->context, stamp, sizeof(*stamp));
    atomic_fetch_sub(&device->children, 1);
}

static int32_t proxy_stamp_record(struct trm_backend_stream *stream, uint64_t value,
                                  struct trm_backend_stamp *stamp)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_STAMP_RECORD);

    if (turn.forward)
        turn.status = proxy_target.profile.stamp_record(stream->target, value, stamp->target);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_stamp_read(struct trm_backend_stamp *stamp, uint64_t *nanoseconds)
{
    int32_t status = proxy_begin(stamp->device->instance->host, PROXY_STAMP_READ, NULL);

    return status != TRM_OK ? status : proxy_target.profile.stamp_read(stamp->target, nanoseconds);
}

static const struct trm_profile_ops proxy_profile_ops = {
    .struct_size   = sizeof(proxy_profile_ops),
    .stamp_create  = proxy_stamp_create,
    .stamp_destroy = proxy_stamp_destroy,
    .stamp_record  = proxy_stamp_record,
    .stamp_read    = proxy_stamp_read,
};

const struct trm_profile_ops *proxy_profile_table(const char *without)
{
    return proxy_list_has(without, "profile") ? NULL : &proxy_profile_ops;
}

/* ---- pool ------------------------------------------------------------------------------------------- */

/* A broken stream allocates nothing, even before the core knows of the failure. */
static int32_t proxy_pool_allocate(struct trm_backend_stream *stream, uint64_t value, uint64_t size,
                                   struct trm_backend_memory **memory)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_POOL_ALLOCATE);
    struct trm_backend_memory *target;

    if (turn.forward) {
        turn.status = proxy_target.pool.allocate(stream->target, value, size, &target);
        if (turn.status == TRM_OK)
            turn.status = proxy_memory_wrap(stream->device, target, size, memory);
    } else if (turn.status == TRM_OK) {
        turn.status = proxy_stream_failure(stream);
    }
    return proxy_stream_leave(stream, value, turn);
}

/* Frees also on a broken stream; `forwarded` does not count the operation's number there. */
static int32_t proxy_pool_free(struct trm_backend_stream *stream, uint64_t value,
                               struct trm_backend_memory *memory)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_POOL_FREE);
    int broken             = atomic_load(&stream->broken) != TRM_OK;

    if (turn.forward || broken)
        turn.status = proxy_target.pool.free(stream->target, value, memory->target);
    if (turn.status == TRM_OK)
        proxy_memory_unwrap(memory);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_pool_trim(struct trm_backend_device *device, uint64_t keep_bytes)
{
    int32_t status = proxy_begin(device->instance->host, PROXY_POOL_TRIM, NULL);

    return status != TRM_OK ? status : proxy_target.pool.trim(device->target, keep_bytes);
}

static int32_t proxy_pool_set_threshold(struct trm_backend_device *device, uint64_t bytes)
{
    int32_t status = proxy_begin(device->instance->host, PROXY_POOL_SET_THRESHOLD, NULL);

    return status != TRM_OK ? status : proxy_target.pool.set_threshold(device->target, bytes);
}

static int32_t proxy_pool_statistics(struct trm_backend_device *device, uint64_t *used, uint64_t *cached,
                                     uint64_t *reserved)
{
    int32_t status = proxy_begin(device->instance->host, PROXY_POOL_STATISTICS, NULL);

    return status != TRM_OK ? status : proxy_target.pool.statistics(device->target, used, cached, reserved);
}

static const struct trm_pool_ops proxy_pool_ops = {
    .struct_size   = sizeof(proxy_pool_ops),
    .allocate      = proxy_pool_allocate,
    .free          = proxy_pool_free,
    .trim          = proxy_pool_trim,
    .set_threshold = proxy_pool_set_threshold,
    .statistics    = proxy_pool_statistics,
};

/* Where the other leaves allocation to the core, so does the proxy. */
static const struct trm_pool_ops proxy_pool_ops_caching = {
    .struct_size   = sizeof(proxy_pool_ops_caching),
    .trim          = proxy_pool_trim,
    .set_threshold = proxy_pool_set_threshold,
    .statistics    = proxy_pool_statistics,
};

const struct trm_pool_ops *proxy_pool_table(const char *without)
{
    if (proxy_list_has(without, "pool"))
        return NULL;
    return proxy_target.pool.allocate != NULL ? &proxy_pool_ops : &proxy_pool_ops_caching;
}

/* ---- peer ------------------------------------------------------------------------------------------- */

static int32_t proxy_peer_can_access(struct trm_backend_device *device, struct trm_backend_device *other)
{
    int32_t status = proxy_begin(device->instance->host, PROXY_PEER_CAN_ACCESS, NULL);

    return status != TRM_OK ? status : proxy_target.peer.can_access(device->target, other->target);
}

static int32_t proxy_peer_copy(struct trm_backend_stream *stream, uint64_t value,
                               const struct trm_copy_desc *desc)
{
    struct proxy_turn turn      = proxy_stream_enter(stream, value, PROXY_PEER_COPY);
    struct trm_copy_desc theirs = *desc;

    if (desc->destination.memory->device != stream->device && desc->source.memory->device != stream->device)
        proxy_breach("A copy between devices has nothing to do with its stream's.");
    proxy_check_range(desc->destination.memory, desc->destination.offset, desc->size);
    proxy_check_range(desc->source.memory, desc->source.offset, desc->size);
    theirs.destination.memory = desc->destination.memory->target;
    theirs.source.memory      = desc->source.memory->target;
    if (turn.forward)
        turn.status = proxy_target.peer.copy(stream->target, value, &theirs);
    return proxy_stream_leave(stream, value, turn);
}

static const struct trm_peer_ops proxy_peer_ops = {
    .struct_size = sizeof(proxy_peer_ops),
    .can_access  = proxy_peer_can_access,
    .copy        = proxy_peer_copy,
};

const struct trm_peer_ops *proxy_peer_table(const char *without)
{
    return proxy_list_has(without, "peer") ? NULL : &proxy_peer_ops;
}
