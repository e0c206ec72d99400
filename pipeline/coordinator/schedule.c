/* Decides which stream runs a task and when the task is enqueued; coordinator.h describes the scheme. Each
 * role and priority has streams of its own, so that uploads do not wait behind kernels, nor urgent tasks
 * behind others. Copies on the device run where kernels do.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>
#include <string.h>

#include "pipeline/coordinator/coordinator.h"

#define CHOSEN_COMPUTE 4
#define CHOSEN_COPY 1

static const int32_t roles[PIPELINE_TASK_ROLES] = {TRM_STREAM_UPLOAD, TRM_STREAM_COMPUTE,
                                                   TRM_STREAM_DOWNLOAD};

/* ---- queues --------------------------------------------------------------------------------- */

void pipeline_queue_add(struct pipeline_task_queue *queue, struct pipeline_task_work *work)
{
    work->next     = NULL;
    work->previous = queue->last;
    if (queue->last != NULL)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
}

void pipeline_queue_remove(struct pipeline_task_queue *queue, struct pipeline_task_work *work)
{
    if (work->next != NULL)
        work->next->previous = work->previous;
    else
        queue->last = work->previous;
    if (work->previous != NULL)
        work->previous->next = work->next;
    else
        queue->first = work->next;
}

/* ---- streams -------------------------------------------------------------------------------- */

/* Index of `roles`. */
static int32_t role_of(const struct trm_task *task)
{
    bool is_2d = task->kind == TRM_TASK_COPY_2D;
    if (task->kind == TRM_TASK_UPLOAD || (is_2d && task->source_rows.buffer == NULL))
        return 0;
    return task->kind == TRM_TASK_DOWNLOAD || (is_2d && task->destination_rows.buffer == NULL) ? 2 : 1;
}

struct pipeline_task_class *pipeline_schedule_class(struct pipeline_coordinator *coordinator,
                                                    const struct trm_task *task)
{
    int32_t role     = role_of(task);
    int32_t priority = task->priority < TRM_PRIORITY_NORMAL    ? 0
                       : task->priority == TRM_PRIORITY_NORMAL ? 1
                                                               : 2;
    return &coordinator->classes[role][priority];
}

static uint32_t streams_of(uint32_t wanted, uint32_t chosen)
{
    uint32_t count = wanted != 0 ? wanted : chosen;
    return count < PIPELINE_TASK_STREAMS_MOST ? count : PIPELINE_TASK_STREAMS_MOST;
}

static void class_init(struct pipeline_task_class *class, struct pipeline_task_lane *lanes, uint32_t count)
{
    class->lanes      = lanes;
    class->count      = count;
    class->early_most = count / 2;
    for (uint32_t i = count; i > 0; i--) {
        lanes[i - 1].class = class;
        lanes[i - 1].next  = class->free;
        class->free        = &lanes[i - 1];
    }
}

int32_t pipeline_schedule_init(struct pipeline_coordinator *coordinator,
                               const struct trm_coordinator_desc *desc)
{
    const struct pipeline_stream_pool *pool = coordinator->pool;
    uint32_t devices                        = pool == NULL ? 1 : pipeline_pool_devices(pool);
    uint32_t chosen   = pool == NULL ? CHOSEN_COMPUTE : pipeline_pool_capacity(pool) / 2 + 1;
    uint32_t compute  = 2 * streams_of(desc->compute_streams, chosen);
    uint32_t copy     = 2 * streams_of(desc->copy_streams, devices * CHOSEN_COPY);
    uint32_t together = PIPELINE_TASK_PRIORITIES * (compute + 2 * copy);
    struct pipeline_task_lane *lane =
        core_allocate(coordinator->object.context, together * sizeof(struct pipeline_task_lane));
    if (lane == NULL)
        return base_fail_memory("making a coordinator");
    coordinator->all_lanes  = lane;
    coordinator->lane_count = together;
    for (int32_t role = 0; role < PIPELINE_TASK_ROLES; role++)
        for (int32_t priority = 0; priority < PIPELINE_TASK_PRIORITIES; priority++) {
            struct pipeline_task_class *class = &coordinator->classes[role][priority];
            uint32_t count                    = roles[role] == TRM_STREAM_COMPUTE ? compute : copy;
            class->role                       = roles[role];
            class->priority                   = priority + TRM_PRIORITY_LOW;
            class_init(class, lane, count);
            lane += count;
        }
    return TRM_OK;
}

void pipeline_schedule_end_streams(struct pipeline_coordinator *coordinator)
{
    for (uint32_t i = 0; i < coordinator->lane_count; i++) {
        struct pipeline_task_lane *lane = &coordinator->all_lanes[i];
        if (lane->stream != NULL)
            core_stream_end(lane->stream);
        lane->stream = NULL;
    }
}

void pipeline_schedule_fini(struct pipeline_coordinator *coordinator)
{
    core_free(coordinator->object.context, coordinator->all_lanes,
              coordinator->lane_count * sizeof(struct pipeline_task_lane));
}

static void lane_free_locked(struct pipeline_task_lane *lane)
{
    lane->next        = lane->class->free;
    lane->class->free = lane;
}

/* The pool replaces a stream that has failed. */
static void leave_stream_locked(struct pipeline_task_lane *lane)
{
    if (lane->slot != NULL)
        pipeline_pool_give_back(lane->owner, lane->slot);
    lane->slot       = NULL;
    lane->stream     = NULL;
    lane->has_failed = false;
    lane_free_locked(lane);
}

void pipeline_lane_release_locked(struct pipeline_coordinator *coordinator, struct pipeline_task_lane *lane)
{
    if (--lane->users > 0)
        return;
    if (pipeline_class_pool(coordinator, lane->class) != NULL) {
        leave_stream_locked(lane);
        return;
    }
    if (!lane->has_failed) {
        lane_free_locked(lane);
        return;
    }
    lane->next          = coordinator->broken;
    coordinator->broken = lane;
}

/* A failed stream stays failed, so it is destroyed; the next task creates a new one. */
void pipeline_schedule_repair(struct pipeline_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->lock);
    struct pipeline_task_lane *broken = coordinator->broken;
    coordinator->broken               = NULL;
    base_lock_release(&coordinator->lock);
    while (broken != NULL) {
        struct pipeline_task_lane *next = broken->next;
        if (broken->stream != NULL)
            core_stream_end(broken->stream);
        broken->stream     = NULL;
        broken->has_failed = false;
        base_lock_acquire(&coordinator->lock);
        lane_free_locked(broken);
        base_lock_release(&coordinator->lock);
        broken = next;
    }
}

/* ---- the next state of a task --------------------------------------------------------------- */

static bool needs_stream(const struct pipeline_task_work *work)
{
    return work->desc.kind != TRM_TASK_HOST && work->desc.kind != TRM_TASK_NOTHING;
}

static void consider_early_locked(const struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    struct pipeline_task_work *work = task->work;
    if (task->state != PIPELINE_TASK_WAITING || work->unenqueued > 0 || work->cause_status != TRM_OK ||
        !coordinator->has_device_waits || !needs_stream(work))
        return;
    task->state = PIPELINE_TASK_EARLY;
    pipeline_queue_add(&work->class->early, work);
}

/* All dependencies have ended. */
static void begin_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    struct pipeline_task_work *work = task->work;
    if (work->cause_status != TRM_OK || work->desc.kind == TRM_TASK_NOTHING) {
        pipeline_queue_add(&coordinator->settling, work);
    } else if (work->desc.kind == TRM_TASK_HOST) {
        task->state = PIPELINE_TASK_STARTED;
        pipeline_task_post_host(work);
    } else {
        task->state = PIPELINE_TASK_READY;
        pipeline_queue_add(&work->class->ready, work);
    }
}

void pipeline_schedule_advance_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    struct pipeline_task_work *work = task->work;
    if (work->pending > 0) {
        consider_early_locked(coordinator, task);
        return;
    }
    if (work->is_early) {
        work->class->early_flying--;
        work->is_early = false;
    }
    if (task->state == PIPELINE_TASK_STARTED) {
        if (work->has_ended)
            pipeline_queue_add(&coordinator->settling, work);
        return;
    }
    if (task->state == PIPELINE_TASK_EARLY)
        pipeline_queue_remove(&work->class->early, work);
    begin_locked(coordinator, task);
}

/* ---- starting ------------------------------------------------------------------------------- */

static void lane_assign_locked(struct pipeline_task_class *class, struct pipeline_task_work *work)
{
    struct pipeline_task_lane *lane = class->free;
    class->free                     = lane->next;
    lane->next                      = NULL;
    lane->users                     = 1;
    work->lane                      = lane;
    work->task->state               = PIPELINE_TASK_STARTED;
}

/* Occupies the streams of the task's dependencies until it has ended. */
static void acquire_lanes_locked(struct pipeline_task_work *work)
{
    for (uint32_t i = 0; i < work->desc.after_count; i++) {
        struct pipeline_task_edge *edge = &work->edges[i];
        if (edge->from == NULL)
            continue;
        edge->lane = edge->from->work->lane;
        edge->lane->users++;
    }
    work->is_early = true;
    work->class->early_flying++;
}

static struct pipeline_task_work *choose_early_locked(struct pipeline_task_class *class)
{
    struct pipeline_task_work *work;
    while ((work = class->early.first) != NULL && class->early_flying < class->early_most) {
        pipeline_queue_remove(&class->early, work);
        if (work->cause_status == TRM_OK) {
            lane_assign_locked(class, work);
            acquire_lanes_locked(work);
            return work;
        }
        work->task->state = PIPELINE_TASK_WAITING;
    }
    return NULL;
}

/* Ready tasks come before early ones, which may have to wait for long. */
static struct pipeline_task_work *choose_in_locked(struct pipeline_task_class *class)
{
    struct pipeline_task_work *work = class->ready.first;
    if (class->free == NULL || class->is_starved)
        return NULL;
    if (work == NULL)
        return choose_early_locked(class);
    pipeline_queue_remove(&class->ready, work);
    lane_assign_locked(class, work);
    return work;
}

static struct pipeline_task_work *choose_locked(struct pipeline_coordinator *coordinator)
{
    struct pipeline_task_work *work = NULL;
    for (int32_t priority = PIPELINE_TASK_PRIORITIES; work == NULL && priority > 0; priority--)
        for (int32_t role = 0; work == NULL && role < PIPELINE_TASK_ROLES; role++)
            work = choose_in_locked(&coordinator->classes[role][priority - 1]);
    return work;
}

int32_t pipeline_schedule_wait(struct pipeline_task_work *work)
{
    uint64_t before = core_stream_next(work->lane->stream);
    int32_t status  = TRM_OK;
    for (uint32_t i = 0; i < work->desc.after_count && status == TRM_OK; i++) {
        const struct pipeline_task_edge *edge = &work->edges[i];
        if (edge->lane != NULL)
            status = core_stream_wait_other(work->lane->stream, edge->lane->stream, edge->from->work->value);
    }
    if (core_stream_next(work->lane->stream) > before)
        work->waited = core_stream_next(work->lane->stream) - 1;
    return status;
}

/* ---- streams of a pool ---------------------------------------------------------------------- */

static void queue_add_first(struct pipeline_task_queue *queue, struct pipeline_task_work *work)
{
    work->next     = queue->first;
    work->previous = NULL;
    if (queue->first != NULL)
        queue->first->previous = work;
    else
        queue->last = work;
    queue->first = work;
}

static void release_lanes_locked(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    for (uint32_t i = 0; i < work->desc.after_count; i++) {
        struct pipeline_task_edge *edge = &work->edges[i];
        if (edge->lane != NULL)
            pipeline_lane_release_locked(coordinator, edge->lane);
        edge->lane = NULL;
    }
    work->is_early = false;
    work->class->early_flying--;
}

/* Puts a task of which nothing was enqueued back into its queue, until the pool has a stream for it. */
static void put_back_locked(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    bool was_early = work->is_early;
    if (was_early)
        release_lanes_locked(coordinator, work);
    work->lane->users = 0;
    lane_free_locked(work->lane);
    work->lane              = NULL;
    work->task->state       = was_early ? PIPELINE_TASK_EARLY : PIPELINE_TASK_READY;
    work->class->is_starved = true;
    queue_add_first(was_early ? &work->class->early : &work->class->ready, work);
}

/* Describes the task to the pool. */
static struct trm_stream_task stream_task_of(const struct trm_task *task)
{
    return (struct trm_stream_task){
        .struct_size = sizeof(struct trm_stream_task),
        .kernel      = task->kind == TRM_TASK_COMPUTE ? task->kernel : NULL,
        .grid        = task->grid,
        .priority    = task->priority,
    };
}

static int32_t draw_stream(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    const struct trm_stream_task task = stream_task_of(&work->desc);
    struct pipeline_task_lane *lane   = work->lane;
    base_error_clear();
    int32_t status                    = pipeline_own_pool_open(coordinator, lane->class);
    struct pipeline_stream_pool *pool = pipeline_class_pool(coordinator, lane->class);
    if (status != TRM_OK || pool == NULL)
        return status;
    status =
        pipeline_pool_draw(pool, &task, pipeline_own_pool_listener(coordinator, lane->class), &lane->slot);
    lane->owner = pool;
    if (status == TRM_OK)
        lane->stream = lane->slot->stream;
    return status;
}

bool pipeline_schedule_presume(const struct pipeline_task_work *work, uint64_t *end)
{
    bool is_sure = true;
    *end         = 0;
    for (uint32_t i = 0; i < work->desc.after_count; i++) {
        const struct pipeline_task_edge *edge = &work->edges[i];
        if (edge->lane == NULL)
            continue;
        uint64_t ends = edge->from->work->ends_at;
        is_sure       = is_sure && ends != 0;
        *end          = ends > *end ? ends : *end;
    }
    return is_sure;
}

/* The pool also watches operations that were enqueued before a failure. */
static void note_drawn(struct pipeline_task_work *work, bool wants_end)
{
    const struct trm_stream_task task    = stream_task_of(&work->desc);
    struct pipeline_pool_request request = {.wants_end = wants_end, .task = &task, .waited = work->waited};
    if (work->lane->slot == NULL)
        return;
    request.is_after_vague = !pipeline_schedule_presume(work, &request.ready_at);
    work->end = pipeline_pool_drawn(work->lane->owner, work->lane->slot, &request, &work->ends_at);
}

/* ---- enqueueing ----------------------------------------------------------------------------- */

static int32_t open_stream(const struct pipeline_coordinator *coordinator, struct pipeline_task_lane *lane)
{
    if (lane->stream != NULL)
        return TRM_OK;
    int32_t status = core_stream_create(coordinator->device, lane->class->role, lane->class->priority,
                                        CORE_STREAM_INTERNAL | CORE_STREAM_OF_TASKS, &lane->stream);
    if (status == TRM_OK) {
        core_stream_set_static_name(lane->stream, "tasks");
        core_object_publish(&lane->stream->object);
    }
    return status;
}

/* A profile shows the task around its operations. */
int32_t pipeline_schedule_enqueue(struct pipeline_task_work *work, const struct trm_task *desc)
{
    struct core_stream *stream = work->lane->stream;
    char name[96];
    if (!core_range_is_wanted(stream))
        return pipeline_task_enqueue(stream, desc);
    uint32_t depth = core_range_push_task(stream, pipeline_task_name(work->task, name, sizeof(name)));
    int32_t status = pipeline_task_enqueue(stream, desc);
    core_range_pop_task(stream, depth);
    return status;
}

static int32_t enqueue(const struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    base_error_clear();
    int32_t status = open_stream(coordinator, work->lane);
    if (status == TRM_OK)
        status = pipeline_schedule_wait(work);
    if (status == TRM_OK)
        status = pipeline_schedule_enqueue(work, &work->desc);
    return status == TRM_OK ? core_stream_mark(work->lane->stream, &work->value) : status;
}

static void notified(struct core_notification *notification, int32_t status)
{
    pipeline_task_ended(base_container_of(notification, struct pipeline_task_work, notification), status);
}

/* From now on it may have ended, but only this thread settles it. */
static void request_notification(struct pipeline_task_work *work)
{
    struct core_stream *stream  = work->lane->stream;
    work->notification.notified = notified;
    if (core_notify(stream, work->value, &work->notification) == TRM_OK)
        return;
    /* Out of memory for a notification: this thread waits. */
    core_stream_wait_finished(stream, work->value, TRM_FOREVER);
    pipeline_task_ended(work, core_stream_failure_status(stream));
}

/* From now on its dependents may wait for it on the device. */
static void publish_locked(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    work->is_enqueued = true;
    for (struct pipeline_task_edge *edge = work->task->dependents; edge != NULL; edge = edge->next) {
        edge->to->work->unenqueued--;
        consider_early_locked(coordinator, edge->to);
    }
}

/* *has_stream: false where the pool has none, or could not make one. */
static int32_t run(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work,
                   bool *has_stream)
{
    bool has_pool  = coordinator->pool != NULL || work->class->has_pool;
    bool wants_end = has_pool && pipeline_flight_wants_end(coordinator, work);
    if (coordinator->is_over_group) {
        int32_t status = pipeline_errand_run(coordinator, work, wants_end);
        *has_stream    = work->lane->slot != NULL;
        return status;
    }
    int32_t status = draw_stream(coordinator, work);
    *has_stream    = status == TRM_OK;
    if (status == TRM_OK)
        status = enqueue(coordinator, work);
    if (*has_stream)
        note_drawn(work, wants_end);
    return status;
}

static void start(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    bool has_stream;
    int32_t status = run(coordinator, work, &has_stream);
    if (status == TRM_ERROR_TIMEOUT && !has_stream) {
        base_lock_acquire(&coordinator->lock);
        put_back_locked(coordinator, work);
        base_lock_release(&coordinator->lock);
        return;
    }
    if (status != TRM_OK) {
        base_fail_backend(status);
        work->own = pipeline_task_cause_create(coordinator, work->task, status);
        pipeline_task_ended(work, status);
        return;
    }
    if (work->lane->slot != NULL)
        pipeline_flight_begin(coordinator, work);
    else
        request_notification(work);
    base_lock_acquire(&coordinator->lock);
    publish_locked(coordinator, work);
    base_lock_release(&coordinator->lock);
}

static void feed_all(struct pipeline_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->lock);
    for (int32_t role = 0; role < PIPELINE_TASK_ROLES; role++)
        for (int32_t priority = 0; priority < PIPELINE_TASK_PRIORITIES; priority++)
            coordinator->classes[role][priority].is_starved = false;
    base_lock_release(&coordinator->lock);
}

void pipeline_schedule_start(struct pipeline_coordinator *coordinator)
{
    struct pipeline_task_work *work;
    feed_all(coordinator);
    do {
        base_lock_acquire(&coordinator->lock);
        work = choose_locked(coordinator);
        base_lock_release(&coordinator->lock);
        if (work != NULL)
            start(coordinator, work);
    } while (work != NULL);
}
