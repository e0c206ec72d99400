/* vulkan backend: from deferred to in flight: decides what may be submitted, and submits it.
 *
 * stream_object.h explains why nothing hangs.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/stream_object.h"

#include <stdio.h>

#include "backends/vulkan/stream/service.h"

#define TOGETHER 16u /* batches in one submission */
#define PLACES 64u   /* timelines that they wait for, or signal */

/* The arguments of one vkQueueSubmit(): some batches of stream->deferred. */
struct submission {
    struct vulkan_queue *queue;
    uint32_t count, info_count, wait_count, signal_count;
    bool host_ends; /* from the last batch on, the host ends all batches */
    VkSubmitInfo infos[2 * TOGETHER];
    VkTimelineSemaphoreSubmitInfo values[2 * TOGETHER];
    VkSemaphore waits[PLACES], signals[PLACES];
    uint64_t wait_values[PLACES], signal_values[PLACES];
    VkPipelineStageFlags stages[PLACES];
};

/* ---- what a batch waits for ------------------------------------------------------------------------ */

/* Puts the stream on the list. The caller then checks its condition once more, so that a thread that makes
 * the value available either sees the list or is seen. */
static void stall(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    pthread_mutex_lock(&device->stall_lock);
    if (!stream->stalled) {
        stream->stalled      = true;
        stream->next_stalled = device->stalled;
        device->stalled      = stream;
        vulkan_stream_retain(stream);
        atomic_fetch_add(&device->stalled_count, 1);
    }
    pthread_mutex_unlock(&device->stall_lock);
}

static void inherit(struct trm_backend_stream *stream, const struct vulkan_timeline *other)
{
    vulkan_stream_break(stream, atomic_load(&other->failure), other->native, other->sentence);
}

static bool is_coming(const struct vulkan_wait *wait)
{
    return atomic_load(&wait->timeline->submitted) >= wait->value ||
           atomic_load(&wait->timeline->completed) >= wait->value;
}

/* Of an external semaphore only values that were reached are known. */
static bool is_reached_outside(struct vulkan_batch *batch, const struct vulkan_wait *wait)
{
    uint64_t completed = 0;
    vulkan_timeline_read(wait->timeline, wait->value, &completed);
    if (completed >= wait->value)
        return true;
    if (batch->watched)
        return false;
    batch->watched        = true;
    batch->watch.timeline = wait->timeline;
    batch->watch.value    = wait->value;
    vulkan_timeline_retain(wait->timeline);
    vulkan_stream_retain(batch->stream);
    vulkan_service_watch(batch->stream->device->service, &batch->watch);
    return false;
}

/* Whether the device may wait for the value. Can fail the stream. Checks for a failure first, because the
 * counter of a failed stream is advanced. */
static bool may_wait(struct vulkan_batch *batch, const struct vulkan_wait *wait)
{
    struct trm_backend_stream *stream = batch->stream;
    for (uint32_t turn = 0; turn < 2; turn++) {
        if (wait->value > atomic_load(&wait->timeline->last)) {
            inherit(stream, wait->timeline);
            return false;
        }
        if (is_coming(wait))
            return true;
        if (wait->timeline->is_external)
            return is_reached_outside(batch, wait);
        if (turn == 0)
            stall(stream);
    }
    return false;
}

/* Whether the batch, the first deferred one, may be submitted. */
static bool may_go(struct vulkan_batch *batch)
{
    if (batch->job != NULL || batch->gate > atomic_load(&batch->stream->gates))
        return false;
    for (uint32_t i = 0; i < batch->wait_count; i++)
        if (!may_wait(batch, &batch->waits[i]))
            return false;
    return true;
}

/* ---- collecting batches ------------------------------------------------------------------------------ */

static void add_wait(struct submission *to, const struct vulkan_timeline *timeline, uint64_t value)
{
    to->waits[to->wait_count]       = timeline->semaphore;
    to->wait_values[to->wait_count] = value;
    to->stages[to->wait_count++]    = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
}

static void add_signal(struct submission *to, const struct vulkan_timeline *timeline, uint64_t value)
{
    to->signals[to->signal_count]         = timeline->semaphore;
    to->signal_values[to->signal_count++] = value;
}

/* After a change of queues: waits for what was submitted to the old queue. */
static void add_own_wait(struct trm_backend_stream *stream, struct submission *to)
{
    const struct vulkan_batch *last = stream->last_in_flight;
    if (stream->in_flight == NULL || stream->last_queue == to->queue)
        return;
    if (last->device_value != 0)
        add_wait(to, stream->device_timeline, last->device_value);
    else
        add_wait(to, stream->timeline, last->value);
}

/* Adds a VkSubmitInfo with the waits and signals from these indices on. */
static void add_info(struct submission *to, const struct vulkan_batch *batch, uint32_t first_wait,
                     uint32_t first_signal)
{
    VkTimelineSemaphoreSubmitInfo *values = &to->values[to->info_count];

    *values = (VkTimelineSemaphoreSubmitInfo){
        .sType                     = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount   = to->wait_count - first_wait,
        .pWaitSemaphoreValues      = &to->wait_values[first_wait],
        .signalSemaphoreValueCount = to->signal_count - first_signal,
        .pSignalSemaphoreValues    = &to->signal_values[first_signal],
    };
    to->infos[to->info_count++] = (VkSubmitInfo){
        .sType                = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext                = values,
        .waitSemaphoreCount   = to->wait_count - first_wait,
        .pWaitSemaphores      = to->wait_count != first_wait ? &to->waits[first_wait] : NULL,
        .pWaitDstStageMask    = &to->stages[first_wait],
        .commandBufferCount   = batch != NULL ? batch->command_count : 0,
        .pCommandBuffers      = batch != NULL ? batch->commands : NULL,
        .signalSemaphoreCount = to->signal_count - first_signal,
        .pSignalSemaphores    = &to->signals[first_signal],
    };
}

/* Values must be signalled in order: after a batch that the host ends, the host ends all. */
static bool is_ended_by_host(const struct vulkan_batch *batch, struct submission *to)
{
    if (batch->host_copy_count != 0 || atomic_load(&batch->stream->host_ended) != 0)
        to->host_ends = true;
    return to->host_ends;
}

static void add_batch(struct submission *to, struct vulkan_batch *batch)
{
    struct trm_backend_stream *stream = batch->stream;
    uint32_t first_wait = to->wait_count, first_signal = to->signal_count;
    if (to->count++ == 0) {
        to->queue = batch->queue;
        add_own_wait(stream, to);
    }
    for (uint32_t i = 0; i < batch->wait_count; i++) {
        const struct vulkan_wait *wait = &batch->waits[i];
        if (atomic_load(&wait->timeline->completed) < wait->value)
            add_wait(to, wait->timeline, wait->value);
    }
    if (is_ended_by_host(batch, to)) {
        batch->device_value = ++stream->device_value;
        add_signal(to, stream->device_timeline, batch->device_value);
        add_info(to, batch, first_wait, first_signal);
        return;
    }
    if (batch->signal_count == 0) {
        add_signal(to, stream->timeline, batch->value);
        add_info(to, batch, first_wait, first_signal);
        return;
    }
    /* Signals within one VkSubmitInfo are unordered, signals of the next one come later: when the stream's
     * value is visible, the external semaphores are signalled. */
    for (uint32_t i = 0; i < batch->signal_count; i++)
        add_signal(to, batch->signals[i].timeline, batch->signals[i].value);
    add_info(to, batch, first_wait, first_signal);
    first_signal = to->signal_count;
    add_signal(to, stream->timeline, batch->value);
    add_info(to, NULL, to->wait_count, first_signal);
}

static bool has_room(const struct submission *to, const struct vulkan_batch *batch)
{
    return to->count == 0 ||
           (to->count < TOGETHER && to->queue == batch->queue &&
            to->wait_count + batch->wait_count < PLACES && to->signal_count + batch->signal_count < PLACES);
}

/* Collects nothing if the stream fails meanwhile, because its batches are gone then. */
static void collect(struct trm_backend_stream *stream, uint64_t value, struct submission *to)
{
    struct vulkan_batch *batch = stream->deferred;
    to->count = to->info_count = to->wait_count = to->signal_count = 0;
    to->host_ends                                                  = false;
    while (batch != NULL && batch->first <= value && has_room(to, batch) && may_go(batch)) {
        add_batch(to, batch);
        batch = batch->next;
    }
    if (atomic_load(&stream->timeline->failure) != TRM_OK)
        to->count = 0;
}

/* ---- submitting ------------------------------------------------------------------------------------ */

static struct vulkan_batch *pop_deferred(struct trm_backend_stream *stream)
{
    struct vulkan_batch *batch = stream->deferred;
    stream->deferred           = batch->next;
    batch->next                = NULL;
    return batch;
}

static void note_signals(const struct vulkan_batch *batch)
{
    for (uint32_t i = 0; i < batch->signal_count; i++)
        atomic_store(&batch->signals[i].timeline->submitted, batch->signals[i].value);
}

static void note_in_flight(struct trm_backend_stream *stream, struct vulkan_batch *batch)
{
    if (stream->in_flight != NULL)
        stream->last_in_flight->next = batch;
    else
        stream->in_flight = batch;
    stream->last_in_flight = batch;
    if (batch->device_value != 0) {
        atomic_fetch_add(&stream->host_ended, 1);
        return;
    }
    atomic_store(&stream->timeline->submitted, batch->value);
    note_signals(batch);
}

static void break_by_submission(struct trm_backend_stream *stream, VkResult result)
{
    char sentence[sizeof(stream->timeline->sentence)];
    snprintf(sentence, sizeof(sentence),
             "The operations of the stream could not be submitted: vkQueueSubmit failed: %s (%d).",
             vulkan_result_name(result), result);
    vulkan_stream_break(stream, vulkan_device_fail(stream->device, result, "vkQueueSubmit"), result,
                        sentence);
}

/* vkQueueSubmit() submits all or nothing. */
static void submit_collected(struct trm_backend_stream *stream, struct submission *what)
{
    VkResult result = vulkan_queue_send(stream->device, what->queue, what->info_count, what->infos);
    if (result < 0) {
        break_by_submission(stream, result);
        return;
    }
    for (uint32_t i = 0; i < what->count; i++)
        note_in_flight(stream, pop_deferred(stream));
    stream->last_queue = what->queue;
    stream->unstall    = stream->unstall || atomic_load(&stream->device->stalled_count) != 0;
    vulkan_stream_watch_in_flight(stream);
    vulkan_stream_wake(stream);
}

/* A job starts when everything before it is complete; nothing after it has been submitted. */
static void start_job(struct trm_backend_stream *stream, uint64_t value)
{
    const struct vulkan_batch *first = stream->deferred;
    if (first == NULL || first->job == NULL || first->first > value || stream->job != NULL)
        return;
    vulkan_stream_reap(stream, true);
    if (stream->in_flight != NULL) {
        vulkan_stream_watch_in_flight(stream);
        return;
    }
    stream->job = pop_deferred(stream);
    vulkan_stream_retain(stream);
    vulkan_service_run_job(stream->device->service, stream->job->job);
}

void vulkan_stream_submit(struct trm_backend_stream *stream, uint64_t value)
{
    struct submission submission;
    uint64_t last = value < stream->enqueued ? value : stream->enqueued;
    if (stream->requested < last)
        stream->requested = last;
    if (last == stream->enqueued) {
        stream->waiting_operations = 0;
        stream->waiting_bytes      = 0;
    }
    if (stream->open != NULL && stream->open->operations != 0 && stream->open->first <= stream->requested)
        vulkan_stream_close_batch(stream);
    while (stream->deferred != NULL && stream->job == NULL && !vulkan_device_is_lost(stream->device)) {
        collect(stream, stream->requested, &submission);
        if (submission.count == 0) {
            start_job(stream, stream->requested);
            return;
        }
        submit_collected(stream, &submission);
    }
}

/* ---- watching ---------------------------------------------------------------------------------------- */

static void watch_end(struct vulkan_batch *batch)
{
    struct trm_backend_stream *stream = batch->stream;
    if (batch->watched)
        return;
    batch->watched        = true;
    batch->watch.timeline = batch->device_value != 0 ? stream->device_timeline : stream->timeline;
    batch->watch.value    = batch->device_value != 0 ? batch->device_value : batch->value;
    vulkan_timeline_retain(batch->watch.timeline);
    vulkan_stream_retain(stream);
    vulkan_service_watch(stream->device->service, &batch->watch);
}

/* The end of a batch is watched if a notice depends on it, or if streams wait on the device for its host
 * copies; the end of the last batch also if a job or the end of a failed stream comes next. Each of these has
 * started the service. A thread that runs host copies calls this when it is done. */
void vulkan_stream_watch_in_flight(struct trm_backend_stream *stream)
{
    const struct vulkan_notice *notice = stream->notices;
    bool job_is_next                   = stream->deferred != NULL && stream->deferred->job != NULL &&
                       stream->deferred->first <= stream->requested;
    bool ends = notice != NULL && atomic_load(&stream->timeline->failure) != TRM_OK;
    if (notice == NULL && !job_is_next && atomic_load(&stream->host_ended) == 0)
        return;
    for (struct vulkan_batch *batch = stream->in_flight; batch != NULL; batch = batch->next) {
        bool is_wanted = batch->device_value != 0 && batch->first <= stream->awaited;
        for (; notice != NULL && notice->value <= batch->value; notice = notice->next)
            is_wanted = true;
        if (batch == stream->last_in_flight && (job_is_next || ends))
            is_wanted = true;
        if (is_wanted && !(batch->device_value != 0 && stream->finishing))
            watch_end(batch);
    }
}

/* ---- other streams --------------------------------------------------------------------------------- */

static struct trm_backend_stream *take_stalled(struct trm_backend_device *device)
{
    pthread_mutex_lock(&device->stall_lock);
    struct trm_backend_stream *list = device->stalled;
    device->stalled                 = NULL;
    atomic_store(&device->stalled_count, 0);
    pthread_mutex_unlock(&device->stall_lock);
    return list;
}

/* Until this call the stream counts as listed, so a thread that finds it listed can rely on another
 * attempt. */
static struct trm_backend_stream *take_off(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    pthread_mutex_lock(&device->stall_lock);
    struct trm_backend_stream *next = stream->next_stalled;
    stream->stalled                 = false;
    pthread_mutex_unlock(&device->stall_lock);
    return next;
}

/* Submitting for one stream may unblock another one, hence the loop. */
void vulkan_device_unstall(struct trm_backend_device *device)
{
    bool again = true;
    while (again) {
        struct trm_backend_stream *next, *stream = take_stalled(device);
        again = false;
        for (; stream != NULL; stream = next) {
            next = take_off(stream);
            vulkan_stream_lock(stream);
            vulkan_stream_submit(stream, stream->requested);
            again           = again || stream->unstall;
            stream->unstall = false;
            pthread_mutex_unlock(&stream->lock);
            vulkan_stream_release(stream);
        }
    }
}

void vulkan_stream_unlock(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    bool unstall                      = stream->unstall;
    stream->unstall                   = false;
    pthread_mutex_unlock(&stream->lock);
    if (unstall)
        vulkan_device_unstall(device);
}
