/* vulkan backend: notifications, and waiting for any of several streams.
 *
 * Notices are in the stream's list, by value. The service watches the end of the batch that completes one.
 * Notices that the host completes are called by the thread that does so, or by the maintenance thread.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/stream_object.h"

#include <stddef.h>

#include "backends/vulkan/stream/service.h"

#define FEW_STREAMS 16u

/* ---- the list -------------------------------------------------------------------------------------- */

static void insert(struct trm_backend_stream *stream, struct vulkan_notice *notice)
{
    struct vulkan_notice **place = &stream->notices;
    while (*place != NULL && (*place)->value <= notice->value)
        place = &(*place)->next;
    notice->next   = *place;
    notice->listed = true;
    *place         = notice;
}

/* False: it is no longer in the list. */
static bool take_out(struct trm_backend_stream *stream, struct vulkan_notice *notice)
{
    struct vulkan_notice **place = &stream->notices;
    if (!notice->listed)
        return false;
    while (*place != notice)
        place = &(*place)->next;
    *place         = notice->next;
    notice->listed = false;
    return true;
}

struct vulkan_notice *vulkan_stream_take_due_notices(struct trm_backend_stream *stream)
{
    struct vulkan_notice *due = stream->notices, **end = &due;
    int32_t failure    = vulkan_stream_failure(stream);
    uint64_t completed = atomic_load(&stream->timeline->completed);
    for (; *end != NULL && ((*end)->value <= completed || failure != TRM_OK); end = &(*end)->next) {
        (*end)->status = (*end)->value <= completed ? TRM_OK : failure;
        (*end)->listed = false;
    }
    stream->notices = *end;
    *end            = NULL;
    return due;
}

void vulkan_notices_call(struct vulkan_notice *list)
{
    while (list != NULL) {
        struct vulkan_notice *next = list->next;
        list->call(list);
        list = next;
    }
}

/* Adds a notice. False: it is due already and will not be called. The service has been started. */
static bool add_notice(struct trm_backend_stream *stream, struct vulkan_notice *notice)
{
    vulkan_stream_lock(stream);
    if (atomic_load(&stream->timeline->failure) == TRM_OK)
        vulkan_stream_submit(stream, notice->value);
    vulkan_stream_progress(stream);
    int32_t failure    = vulkan_stream_failure(stream);
    uint64_t completed = atomic_load(&stream->timeline->completed);
    bool is_due        = notice->value <= completed || failure != TRM_OK;
    if (is_due) {
        notice->status = notice->value <= completed ? TRM_OK : failure;
    } else {
        insert(stream, notice);
        vulkan_stream_watch_in_flight(stream);
    }
    vulkan_stream_unlock(stream);
    return !is_due;
}

/* ---- notifications of the core --------------------------------------------------------------------- */

/* A notice of the core holds a reference to the stream, which the core may destroy right after the last
 * call. */
static void give_back(struct trm_backend_stream *stream, struct vulkan_notice *notice)
{
    vulkan_stream_lock(stream);
    notice->next          = stream->spare_notices;
    stream->spare_notices = notice;
    vulkan_stream_unlock(stream);
    vulkan_stream_release(stream);
}

static void call_core(struct vulkan_notice *notice)
{
    struct trm_backend_stream *stream = notice->stream;
    notice->notify(notice->user, notice->status);
    give_back(stream, notice);
}

static struct vulkan_notice *take_notice(struct trm_backend_stream *stream)
{
    vulkan_stream_lock(stream);
    struct vulkan_notice *notice = stream->spare_notices;
    if (notice != NULL)
        stream->spare_notices = notice->next;
    vulkan_stream_unlock(stream);
    return notice != NULL ? notice : trm_util_allocate(stream->device->instance->host, sizeof(*notice));
}

int32_t vulkan_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                             void *user)
{
    int32_t status = vulkan_service_start(stream->device->service);
    if (status != TRM_OK)
        return status;
    struct vulkan_notice *notice = take_notice(stream);
    if (notice == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a notification");
    *notice = (struct vulkan_notice){
        .value  = value,
        .call   = call_core,
        .stream = stream,
        .notify = notify,
        .user   = user,
    };
    vulkan_stream_retain(stream);
    if (!add_notice(stream, notice))
        call_core(notice);
    return TRM_OK;
}

/* ---- waiting for any ------------------------------------------------------------------------------- */

/* On the stack of the waiting thread. */
struct any_entry {
    struct vulkan_notice notice;
    _Atomic uint32_t *called; /* futex: number of entries that were called; no entry is touched afterwards */
};

static void call_waiter(struct vulkan_notice *notice)
{
    _Atomic uint32_t *called = ((struct any_entry *)(void *)notice)->called;
    atomic_fetch_add(called, 1);
    trm_util_futex_wake_all(called);
}

/* The first stream that is complete or failed; TIMEOUT if there is none. */
static int32_t poll_all(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                        uint32_t *which)
{
    int32_t status = TRM_ERROR_TIMEOUT;
    for (uint32_t i = 0; i < count && status == TRM_ERROR_TIMEOUT; i++) {
        struct vulkan_wait_target target;
        status = vulkan_stream_poll(streams[i], values[i], &target);
        if (status != TRM_ERROR_TIMEOUT)
            *which = i;
        else if (target.timeline == NULL)
            atomic_fetch_sub(&streams[i]->sleepers, 1);
    }
    return status;
}

/* Polls for as long as a wait for a single stream does. */
static int32_t poll_for_a_while(struct trm_backend_stream *const *streams, const uint64_t *values,
                                uint32_t count, uint64_t deadline, uint32_t *which)
{
    uint64_t end = trm_util_deadline(streams[0]->device->spin_ns);
    int32_t status;
    do {
        status = poll_all(streams, values, count, which);
    } while (status == TRM_ERROR_TIMEOUT && trm_util_remaining(end) != 0 &&
             trm_util_remaining(deadline) != 0);
    return status;
}

/* Entries that are being called must stay valid until the call has ended. */
static void leave(struct trm_backend_stream *const *streams, struct any_entry *entries, uint32_t count,
                  _Atomic uint32_t *called)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        vulkan_stream_lock(streams[i]);
        left += take_out(streams[i], &entries[i].notice) ? 1 : 0;
        vulkan_stream_unlock(streams[i]);
    }
    for (uint32_t seen = atomic_load(called); seen < count - left; seen = atomic_load(called))
        trm_util_futex_wait(called, seen, TRM_UTIL_NEVER);
}

static void sleep_for_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                          struct any_entry *entries, uint32_t count, uint64_t deadline)
{
    _Atomic uint32_t called = 0;
    uint32_t added          = 0;
    bool is_over            = false;
    for (; added < count && !is_over; added++) {
        entries[added] = (struct any_entry){
            .notice = {.value = values[added], .call = call_waiter},
            .called = &called,
        };
        is_over = !add_notice(streams[added], &entries[added].notice);
        if (is_over)
            break;
    }
    while (!is_over && atomic_load(&called) == 0)
        is_over = !trm_util_futex_wait(&called, 0, deadline);
    leave(streams, entries, added, &called);
}

static int32_t wait_for_any(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                            uint64_t deadline, uint32_t *which)
{
    const struct trm_backend_instance *instance = streams[0]->device->instance;
    struct any_entry few[FEW_STREAMS], *entries = few;
    int32_t status = TRM_OK;
    for (uint32_t i = 0; i < count && status == TRM_OK; i++)
        status = vulkan_service_start(streams[i]->device->service);
    if (status != TRM_OK)
        return status;
    if (count > FEW_STREAMS)
        entries = trm_util_allocate(instance->host, count * sizeof(*entries));
    if (entries == NULL)
        return trm_util_fail_host_memory(instance->host, "waiting for many streams");
    do {
        sleep_for_any(streams, values, entries, count, deadline);
        status = poll_all(streams, values, count, which);
    } while (status == TRM_ERROR_TIMEOUT && trm_util_remaining(deadline) != 0);
    if (entries != few)
        trm_util_release(instance->host, entries, count * sizeof(*entries));
    return status;
}

int32_t vulkan_stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                               uint32_t count, uint64_t timeout_ns, uint32_t *which)
{
    uint64_t deadline = trm_util_deadline(timeout_ns);
    int32_t status    = poll_for_a_while(streams, values, count, deadline, which);
    if (status == TRM_ERROR_TIMEOUT && trm_util_remaining(deadline) != 0)
        status = wait_for_any(streams, values, count, deadline, which);
    if (status != TRM_ERROR_TIMEOUT)
        return status;
    return trm_util_fail(streams[0]->device->instance->host, TRM_ERROR_TIMEOUT, 0,
                         "None of the streams has reached its point yet.");
}
