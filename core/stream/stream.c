/* Streams: creating, ending and enqueueing.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/stream_object.h"

#include <stddef.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/settings/settings.h"
#include "core/stream/deferred.h"
#include "core/stream/gates.h"
#include "core/stream/notify.h"
#include "core/stream/profile.h"

/* Bytes of struct trm_stream_stats in the first version. */
#define STATS_MIN 96

#define FIRST_COUNTER offsetof(struct trm_stream_stats, operations)
#define COUNTERS ((sizeof(struct trm_stream_stats) - FIRST_COUNTER) / sizeof(uint64_t))

/* One allocation holds a stream and its counters. */
struct stream_memory {
    struct core_stream stream;
    struct trm_stream_stats stats;
};

/* ---- the list of a device's streams ------------------------------------------------------------ */

static void list_add(struct core_stream *stream)
{
    struct core_device *device = stream->device;
    pthread_mutex_lock(&device->lock);
    stream->next = device->streams;
    if (stream->next != NULL)
        stream->next->previous = stream;
    device->streams = stream;
    pthread_mutex_unlock(&device->lock);
}

static void list_remove(struct core_stream *stream)
{
    struct core_device *device = stream->device;
    pthread_mutex_lock(&device->lock);
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
    if (stream->previous != NULL)
        stream->previous->next = stream->next;
    else
        device->streams = stream->next;
    pthread_mutex_unlock(&device->lock);
}

static bool is_owned(const struct core_stream *stream)
{
    return (atomic_load_explicit(&stream->flags, memory_order_relaxed) & CORE_STREAM_OWNED) != 0;
}

static bool is_of_pool(const struct core_stream *stream)
{
    return (atomic_load_explicit(&stream->flags, memory_order_relaxed) & CORE_STREAM_OF_POOL) != 0;
}

/* ---- the ends of life ---------------------------------------------------------------------------- */

/* The stream is closed. Destroys deferred objects, whose work may have ended with it; but not for an owned
 * stream, since that could end the device, which waits for this function. */
static void stream_retire(struct core_object *object)
{
    struct core_stream *stream = (struct core_stream *)object;
    struct core_device *device = stream->device;

    core_stream_check(stream); /* keeps the loss of a device as the stream's failure */
    device->end_parked(stream);
    if (!core_stream_is_recording(stream))
        list_remove(stream);
    core_stream_profile_retire(stream);
    stream->ops->destroy(stream->backend);
    stream->backend = NULL;
    atomic_store_explicit(&stream->completed, UINT64_MAX, memory_order_release);
    if (is_owned(stream)) {
        atomic_fetch_sub_explicit(&device->owned_streams, 1, memory_order_release);
        base_futex_wake(&device->owned_streams, UINT32_MAX);
        return;
    }
    core_device_reap_ended(device);
    core_device_uncount_child(device, CORE_STREAM);
}

static void stream_release(struct core_object *object)
{
    struct core_stream *stream = (struct core_stream *)object;
    struct core_device *device = is_owned(stream) ? NULL : stream->device;

    core_stream_free_failure(stream);
    core_watch_destroy(stream->object.context, stream->watch);
    core_gates_free_spare(stream);
    core_stream_profile_free(stream);
    core_stream_free_name(stream);
    core_free(object->context, stream->reset_at, sizeof(*stream->reset_at));
    core_free(object->context, stream, sizeof(struct stream_memory));
    if (device != NULL)
        core_object_release(&device->object);
}

static const char *stream_device_id(const struct core_object *object)
{
    return ((const struct core_stream *)object)->device->id;
}

static const struct core_object_ops stream_object_ops = {
    .type      = CORE_STREAM,
    .name      = "stream",
    .source    = __FILE__,
    .device_id = stream_device_id,
    .retire    = stream_retire,
    .release   = stream_release,
};

static void attach(struct core_stream *stream)
{
    if (is_owned(stream))
        atomic_fetch_add_explicit(&stream->device->owned_streams, 1, memory_order_relaxed);
    else
        core_device_add_child(stream->device, CORE_STREAM);
}

/* How to create the backend's part of a stream. */
struct stream_source {
    int32_t role, priority;
    int32_t type; /* 0: a new one; else enum trm_native_type, of an application's own */
    uint64_t native;
    bool is_resident; /* of the backend's table of resident kernels */
};

static int32_t create_in_backend(struct core_stream *stream, const struct stream_source *source)
{
    struct trm_backend_device *device = stream->device->device;
    struct trm_stream_desc desc       = {
              .struct_size = sizeof(desc),
              .role        = source->role,
              .priority    = source->priority,
    };
    const struct core_backend *backend = stream->device->backend;
    int32_t status;
    base_error_clear();
    if (source->type == 0)
        status =
            core_answer_object(backend, "stream.create", stream->ops->create(device, &desc, &stream->backend),
                               "stream", &stream->backend);
    else
        status = core_answer_object(
            backend, "interop.stream_adopt",
            backend->interop.stream_adopt(device, source->type, source->native, &desc, &stream->backend),
            "stream", &stream->backend);
    if (status == TRM_OK)
        return TRM_OK;
    return core_device_latch_loss(stream->device, base_fail_backend(status));
}

static int32_t create(struct core_device *device, const struct stream_source *source, uint32_t flags,
                      struct core_stream **out)
{
    struct core_context *context = device->object.context;
    int32_t status               = core_device_check(device);
    if (status != TRM_OK)
        return status;
    struct stream_memory *memory = core_allocate(context, sizeof(*memory));
    if (memory == NULL)
        return base_fail_memory("creating a stream");

    struct core_stream *stream = &memory->stream;
    stream->device             = device;
    stream->ops   = source->is_resident ? &device->backend->resident_stream : &device->backend->stream;
    stream->stats = &memory->stats;
    atomic_init(&stream->flags, flags);
    atomic_init(&stream->failed_after, UINT64_MAX);
    status = create_in_backend(stream, source);
    if (status != TRM_OK)
        goto free_memory;
    status = core_object_init(&stream->object, &stream_object_ops, context);
    if (status != TRM_OK)
        goto destroy_in_backend;
    attach(stream);
    list_add(stream);
    if ((flags & CORE_STREAM_INTERNAL) == 0 && core_setting_flag(context, "stream.serial"))
        atomic_fetch_or(&stream->observed, CORE_STREAM_SERIAL);
    if (!core_stream_is_hidden(flags))
        core_stream_profile_join(stream);
    *out = stream;
    return TRM_OK;

destroy_in_backend:
    stream->ops->destroy(stream->backend);
free_memory:
    core_free(context, memory, sizeof(*memory));
    return status;
}

int32_t core_stream_create(struct core_device *device, int32_t role, int32_t priority, uint32_t flags,
                           struct core_stream **out)
{
    const struct stream_source source = {.role = role, .priority = priority};
    return create(device, &source, flags, out);
}

int32_t core_stream_create_resident(struct core_device *device, struct core_stream **out)
{
    const struct stream_source source = {
        .role = TRM_STREAM_SLOT, .priority = TRM_PRIORITY_NORMAL, .is_resident = true};
    if (!core_device_has_residents(device))
        return base_fail(TRM_ERROR_UNSUPPORTED, "the backend %s has no kernels that stay on the device",
                         device->backend->name);
    return create(device, &source, 0, out);
}

int32_t core_stream_resident_times(struct core_stream *stream, uint64_t value, uint64_t *begin, uint64_t *end)
{
    const struct core_backend *backend = stream->device->backend;
    if (!core_stream_is_resident(stream) || backend->resident_times == NULL)
        return base_fail(TRM_ERROR_UNSUPPORTED, "the backend %s takes no times of kernels that stay",
                         backend->name);
    int32_t status =
        core_answer(backend, "resident.times", backend->resident_times(stream->backend, value, begin, end));
    if (status == TRM_OK && *end < *begin)
        return base_fail(TRM_ERROR_BACKEND, "the backend %s says that an operation ended before it began",
                         backend->name);
    return status;
}

int32_t core_stream_create_adopted(struct core_device *device, int32_t type, uint64_t native,
                                   struct core_stream **out)
{
    const struct stream_source source = {
        .role = TRM_STREAM_ANY, .priority = TRM_PRIORITY_NORMAL, .type = type, .native = native};
    return create(device, &source, 0, out);
}

void core_stream_init_recording(struct core_stream *stream, struct core_device *device,
                                const struct core_recorder_ops *ops, struct core_recorder *recorder,
                                struct trm_stream_stats *stats)
{
    stream->object.context = device->object.context;
    stream->device         = device;
    stream->ops            = &ops->stream;
    stream->recorder_ops   = ops;
    stream->backend        = (struct trm_backend_stream *)(void *)recorder;
    stream->stats          = stats;
    atomic_init(&stream->flags, CORE_STREAM_RECORDING);
    atomic_init(&stream->completed, UINT64_MAX);
}

int32_t core_stream_create_recording(struct core_device *device, const struct core_recorder_ops *ops,
                                     struct core_recorder *recorder, struct core_stream **out)
{
    struct core_context *context = device->object.context;
    struct stream_memory *memory = core_allocate(context, sizeof(*memory));
    if (memory == NULL)
        return base_fail_memory("creating a recording stream");

    struct core_stream *stream = &memory->stream;
    core_stream_init_recording(stream, device, ops, recorder, &memory->stats);
    int32_t status = core_object_init(&stream->object, &stream_object_ops, context);
    if (status != TRM_OK) {
        core_free(context, memory, sizeof(*memory));
        return status;
    }
    attach(stream);
    core_object_publish(&stream->object);
    *out = stream;
    return TRM_OK;
}

/* Runs on the service thread, after the callback that destroyed the stream. */
static void end_later(struct core_job *job)
{
    struct core_stream *stream = base_container_of(job, struct core_stream, ending);
    struct core_device *device = stream->device;
    if (core_object_try_enter(&stream->object)) {
        core_stream_end(stream);
        core_object_leave(&stream->object);
    }
    core_object_release(&stream->object);
    core_device_reap_ended(device);
    core_object_release(&device->object);
}

void core_stream_post(struct core_stream *stream, void (*run)(struct core_job *job))
{
    struct core_service *service;
    /* Finds the service: this runs on its thread. */
    if (core_service_get(stream->object.context, &service) != TRM_OK)
        return;
    core_object_retain(&stream->object);
    core_object_retain(&stream->device->object);
    stream->ending.run = run;
    core_service_post(service, &stream->ending);
}

static void post_end(struct core_stream *stream)
{
    if ((atomic_fetch_or(&stream->flags, CORE_STREAM_ENDING) & CORE_STREAM_ENDING) == 0)
        core_stream_post(stream, end_later);
}

void core_stream_end(struct core_stream *stream)
{
    if (core_callback_is_inside(stream)) {
        post_end(stream);
        return;
    }
    core_stream_close(stream);
    core_object_kill(&stream->object);
}

/* ---- enqueueing ------------------------------------------------------------------------------------ */

inline int32_t core_stream_begin(struct trm_stream *handle, struct core_stream **out)
{
    struct core_stream *stream = *out = core_stream_find(handle);
    if (UNLIKELY(stream == NULL))
        return base_last_status();
    if (core_stream_is_quiet(stream))
        return TRM_OK;
    core_stream_profile_call(stream);
    return core_stream_is_sound(stream) ? TRM_OK : core_stream_raise_earlier(stream);
}

inline int32_t core_stream_begin_live(struct trm_stream *handle, const char *what, struct core_stream **out)
{
    int32_t status = core_stream_begin(handle, out);
    if (status == TRM_OK && core_stream_is_recording(*out))
        return base_fail(TRM_ERROR_UNSUPPORTED, "%s cannot be recorded into a graph", what);
    return status;
}

int32_t core_stream_check_live(const struct core_stream *stream)
{
    if (LIKELY(!core_stream_is_recording(stream)))
        return TRM_OK;
    return base_fail(TRM_ERROR_BUSY,
                     "the stream records into a graph and runs nothing, so it cannot be waited for");
}

inline int32_t core_stream_mark(struct core_stream *stream, uint64_t *value)
{
    uint64_t last = atomic_load_explicit(&stream->enqueued, memory_order_relaxed);
    if (stream->ops->mark != NULL && stream->marked != last) {
        int32_t answer = stream->ops->mark(stream->backend, last);
        if (answer != TRM_OK)
            return core_stream_commit_slow(stream, "stream.mark", answer);
        stream->marked = last;
    }
    *value = last;
    return TRM_OK;
}

/* ---- for programs ------------------------------------------------------------------------------------ */

static int32_t clamp_priority(int32_t priority)
{
    if (priority < TRM_PRIORITY_LOW)
        return TRM_PRIORITY_LOW;
    return priority > TRM_PRIORITY_HIGH ? TRM_PRIORITY_HIGH : priority;
}

static int32_t create_any(struct core_device *device, int32_t role, int32_t priority, struct trm_stream **out)
{
    struct core_stream *stream;
    if (role < TRM_STREAM_ANY || role > TRM_STREAM_SLOT)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%d is not a role of a stream", (int)role);
    int32_t status = core_output_check(out, "trm_stream_create", "stream");
    if (status == TRM_OK)
        status = core_stream_create(device, role, clamp_priority(priority), 0, &stream);
    if (status == TRM_OK)
        *out = core_object_publish(&stream->object);
    return status;
}

int32_t trm_stream_create(struct trm_device *handle, int32_t role, int32_t priority, struct trm_stream **out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = create_any(device, role, priority, out);
    core_object_leave(&device->object);
    return status;
}

void trm_stream_destroy(struct trm_stream *handle)
{
    if (handle == NULL)
        return;
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return;
    if (core_stream_is_recording(stream))
        base_fail(TRM_ERROR_INVALID_ARGUMENT,
                  "a recording stream ends with its graph and cannot be destroyed");
    else if (is_owned(stream))
        base_fail(TRM_ERROR_INVALID_ARGUMENT,
                  "a thread's own stream ends with the thread and cannot be destroyed");
    else if (is_of_pool(stream))
        base_fail(TRM_ERROR_INVALID_ARGUMENT,
                  "a pool's stream ends with its pool and cannot be destroyed: give "
                  "it back by trm_stream_pool_release()");
    else
        core_stream_end_or_let_go(stream);
    core_object_leave(&stream->object);
}

static int32_t find_device(struct core_stream *stream, struct trm_device **out)
{
    int32_t status = core_output_check(out, "trm_stream_device", "device");
    return status == TRM_OK ? core_device_add_user(stream->device, out) : status;
}

int32_t trm_stream_device(struct trm_stream *handle, struct trm_device **out)
{
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    int32_t status = find_device(stream, out);
    core_object_leave(&stream->object);
    return status;
}

int32_t trm_stream_mark(struct trm_stream *handle, struct trm_point *point)
{
    struct core_stream *stream;
    uint64_t value = 0;
    int32_t status = core_stream_begin_live(handle, "a point", &stream);
    if (status != TRM_OK)
        return status;
    status = core_output_check(point, "trm_stream_mark", "point");
    if (status == TRM_OK)
        status = core_stream_mark(stream, &value);
    if (status != TRM_OK)
        return status;
    point->stream = handle;
    point->value  = value;
    return TRM_OK;
}

int32_t trm_stream_flush(struct trm_stream *handle)
{
    struct core_stream *stream;
    int32_t status = core_stream_begin(handle, &stream);
    if (status != TRM_OK)
        return status;
    return core_stream_submit(stream, atomic_load_explicit(&stream->enqueued, memory_order_relaxed));
}

int32_t trm_stream_sync(struct trm_stream *handle)
{
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    uint64_t last  = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    int32_t status = core_stream_check_live(stream);
    if (status == TRM_OK)
        status = core_stream_wait_pinned(stream, last, TRM_FOREVER);
    core_object_leave(&stream->object);
    return status;
}

int32_t trm_stream_query(struct trm_stream *handle)
{
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    uint64_t last  = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    int32_t status = core_stream_check_live(stream);
    if (status == TRM_OK)
        status = core_stream_query_pinned(stream, last);
    core_object_leave(&stream->object);
    return status;
}

/* From last to first, so that there are never more operations of a kind than operations. */
static void read_counters(const struct core_stream *stream, uint64_t *to)
{
    const uint64_t *from = (const void *)((const char *)stream->stats + FIRST_COUNTER);
    for (size_t i = COUNTERS; i > 0; i--)
        to[i - 1] = __atomic_load_n(&from[i - 1], __ATOMIC_ACQUIRE);
}

static int32_t get_stats(struct core_stream *stream, struct trm_stream_stats *out)
{
    int32_t status = core_output_check(out, "trm_stream_get_stats", "stats");
    if (status != TRM_OK)
        return status;

    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    uint64_t *to                  = (void *)((char *)&stats + FIRST_COUNTER);
    pthread_mutex_lock(&stream->device->lock);
    read_counters(stream, to);
    for (size_t i = 0; stream->reset_at != NULL && i < COUNTERS; i++)
        to[i] -= ((const uint64_t *)(const void *)((const char *)stream->reset_at + FIRST_COUNTER))[i];
    pthread_mutex_unlock(&stream->device->lock);
    if (!core_struct_copy_out(out, &stats, sizeof(stats), STATS_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_stats.struct_size is %u, but its size is %zu", out->struct_size,
                         sizeof(stats));
    return TRM_OK;
}

int32_t trm_stream_get_stats(struct trm_stream *handle, struct trm_stream_stats *out)
{
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    int32_t status = get_stats(stream, out);
    core_object_leave(&stream->object);
    return status;
}

static int32_t reset_stats(struct core_stream *stream)
{
    struct core_context *context  = stream->object.context;
    struct trm_stream_stats *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("resetting the statistics of a stream");
    pthread_mutex_lock(&stream->device->lock);
    struct trm_stream_stats *spare = stream->reset_at != NULL ? made : NULL;
    if (stream->reset_at == NULL)
        stream->reset_at = made;
    read_counters(stream, (void *)((char *)stream->reset_at + FIRST_COUNTER));
    pthread_mutex_unlock(&stream->device->lock);
    core_free(context, spare, sizeof(*spare));
    return TRM_OK;
}

int32_t trm_stream_reset_stats(struct trm_stream *handle)
{
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    int32_t status = reset_stats(stream);
    core_object_leave(&stream->object);
    return status;
}
