/* Copies of data between the devices of a pool over a group: which, when, and how long they take.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/memory.h"
#include "core/object/object.h"
#include "pipeline/pool/team.h"

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

static struct pipeline_transfer *transfer_of(struct pipeline_pool_team *team, uint32_t from, uint32_t to)
{
    return &team->transfers[from * team->count + to];
}

/* ---- learning ------------------------------------------------------------------------------- */

static void settle_locked(struct pipeline_pool_copy *copy)
{
    if (--copy->pending > 0)
        return;
    copy->next        = copy->team->spare;
    copy->team->spare = copy;
}

/* Both on any thread, perhaps under a lock of the backend's. */
static void copy_begun(struct core_notification *notification, int32_t status)
{
    struct pipeline_pool_copy *copy = base_container_of(notification, struct pipeline_pool_copy, begun);
    struct pipeline_pool_team *team = copy->team;
    uint64_t now                    = base_now();
    base_lock_acquire(&team->lock);
    if (status == TRM_OK)
        copy->begun_at = now;
    settle_locked(copy);
    base_lock_release(&team->lock);
}

static void copy_ended(struct core_notification *notification, int32_t status)
{
    struct pipeline_pool_copy *copy = base_container_of(notification, struct pipeline_pool_copy, ended);
    struct pipeline_pool_team *team = copy->team;
    uint64_t now                    = base_now();
    base_lock_acquire(&team->lock);
    if (status == TRM_OK && copy->begun_at != 0)
        pipeline_transfer_add(transfer_of(team, copy->from, copy->to), copy->bytes,
                              now > copy->begun_at ? now - copy->begun_at : 0);
    settle_locked(copy);
    base_lock_release(&team->lock);
}

static struct pipeline_pool_copy *take_spare(struct pipeline_pool_team *team)
{
    base_lock_acquire(&team->lock);
    struct pipeline_pool_copy *copy = team->spare;
    if (copy != NULL)
        team->spare = copy->next;
    base_lock_release(&team->lock);
    return copy != NULL ? copy : core_allocate(team->context, sizeof(*copy));
}

/* Watches a copy that could begin behind operation `before` of the stream and ends with `last`. Without memory
 * nothing is learned from it. */
static void watch(struct pipeline_pool_team *team, struct core_stream *stream,
                  const struct pipeline_pool_copy *what, uint64_t before, uint64_t last)
{
    struct base_saved_error saved;
    base_error_save(&saved);
    struct pipeline_pool_copy *copy = take_spare(team);
    if (copy != NULL) {
        *copy         = *what;
        copy->begun   = (struct core_notification){.notified = copy_begun};
        copy->ended   = (struct core_notification){.notified = copy_ended};
        copy->team    = team;
        copy->pending = 2;
        uint32_t lost = core_notify(stream, before, &copy->begun) != TRM_OK;
        lost += core_notify(stream, last, &copy->ended) != TRM_OK;
        base_lock_acquire(&team->lock);
        for (; lost > 0; lost--)
            settle_locked(copy);
        base_lock_release(&team->lock);
    }
    base_error_restore(&saved);
}

void pipeline_pool_team_free_copies(struct pipeline_pool_team *team)
{
    while (team->spare != NULL) {
        struct pipeline_pool_copy *copy = team->spare;
        team->spare                     = copy->next;
        core_free(team->context, copy, sizeof(*copy));
    }
}

/* ---- predicting ----------------------------------------------------------------------------- */

static uint64_t predict_copy(struct pipeline_pool_team *team, uint32_t from, uint32_t to, uint64_t bytes)
{
    base_lock_acquire(&team->lock);
    uint64_t took = pipeline_transfer_predict(transfer_of(team, from, to), bytes);
    base_lock_release(&team->lock);
    return took;
}

/* From where a copy would be there first. */
struct source {
    uint32_t device;
    uint64_t took, end;
};

static bool find_source(struct pipeline_pool_team *team, const struct pipeline_data *data, uint32_t to,
                        uint64_t begin, struct source *found)
{
    uint32_t current = pipeline_data_current(data) & pipeline_group_sound(team->group);
    *found           = (struct source){.end = UINT64_MAX};
    for (uint32_t from = 0; from < team->count; from++) {
        if ((current >> from & 1) == 0)
            continue;
        uint64_t took = predict_copy(team, from, to, data->size);
        uint64_t end  = later(begin, data->copies[from].ready_at) + took;
        if (end < found->end)
            *found = (struct source){.device = from, .took = took, .end = end};
    }
    return current != 0;
}

/* The task needs the contents, and the device does not have them. */
static bool needs_copy(const struct pipeline_pool_team *team, const struct pipeline_pool_use *use,
                       uint32_t device)
{
    const struct pipeline_data *data = &use->replica->data;
    return (use->access & TRM_ACCESS_READ) != 0 && data->size > 0 && team->count > 1 &&
           (pipeline_data_current(data) >> device & 1) == 0;
}

bool pipeline_pool_team_foresee(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                uint32_t device, uint64_t now, uint64_t *ready_at, uint64_t *copy_ns)
{
    struct source source;
    *ready_at = now;
    *copy_ns  = 0;
    if (plan->use_count == 0)
        return true;
    uint64_t until = later(now, team->members[device].copies_until);
    for (uint32_t i = 0; i < plan->use_count; i++) {
        const struct pipeline_pool_use *use = &plan->uses[i];
        const struct pipeline_data *data    = &use->replica->data;
        if (needs_copy(team, use, device)) {
            if (!find_source(team, data, device, until, &source))
                return false;
            until = source.end;
            *copy_ns += source.took;
            *ready_at = later(*ready_at, until);
        } else {
            *ready_at = later(*ready_at, data->copies[device].ready_at);
        }
    }
    return true;
}

/* ---- copying -------------------------------------------------------------------------------- */

/* The stream of copies into a device; a new one where it has failed. */
static int32_t open_stream(struct pipeline_pool_team *team, uint32_t device, struct core_stream **stream)
{
    struct pipeline_pool_member *member = &team->members[device];
    if (member->copies != NULL && core_stream_failure_status(member->copies) != TRM_OK) {
        core_stream_end(member->copies);
        core_object_release(&member->copies->object);
        member->copies = NULL;
    }
    if (member->copies == NULL) {
        struct core_stream *made;
        int32_t status = core_stream_create(team->group->devices[device], TRM_STREAM_ANY, TRM_PRIORITY_NORMAL,
                                            CORE_STREAM_OF_POOL, &made);
        if (status != TRM_OK)
            return status;
        core_stream_set_static_name(made, "copies");
        core_object_retain(&made->object);
        core_object_publish(&made->object);
        member->copies = made;
    }
    *stream = member->copies;
    return TRM_OK;
}

static int32_t enqueue_copy(struct core_stream *stream, const struct pipeline_replica *replica, uint32_t from,
                            uint32_t to, uint64_t *last)
{
    int32_t status = trm_copy(stream->object.handle, trm_span_whole(replica->ones[to]),
                              trm_span_whole(replica->ones[from]));
    return status == TRM_OK ? core_stream_mark(stream, last) : status;
}

static int32_t copy_to(struct pipeline_pool_team *team, struct pipeline_replica *replica, uint32_t to)
{
    struct pipeline_data *data = &replica->data;
    struct core_stream *stream;
    struct source source;
    uint64_t last;
    uint64_t begin = later(base_now(), team->members[to].copies_until);
    if (!find_source(team, data, to, begin, &source))
        return base_fail_static(TRM_ERROR_DEVICE_LOST, "the devices that had the data of the task are lost");
    int32_t status = pipeline_data_reserve(team->context, data, source.device);
    if (status == TRM_OK)
        status = open_stream(team, to, &stream);
    if (status == TRM_OK)
        status = pipeline_data_wait(data, source.device, TRM_ACCESS_READ, stream);
    if (status == TRM_OK)
        status = pipeline_data_wait(data, to, TRM_ACCESS_WRITE, stream);
    if (status != TRM_OK)
        return status;
    uint64_t before = core_stream_next(stream) - 1;
    status          = enqueue_copy(stream, replica, source.device, to, &last);
    if (status != TRM_OK)
        return status;
    pipeline_data_note_reader(data, source.device, stream, last);
    pipeline_data_note_made(data, to, stream, last, source.end);
    data->current |= 1u << to;
    team->members[to].copies_until = source.end;
    base_lock_acquire(&team->lock);
    team->copies++;
    team->copied_bytes += data->size;
    base_lock_release(&team->lock);
    watch(team, stream, &(struct pipeline_pool_copy){.from = source.device, .to = to, .bytes = data->size},
          before, last);
    return TRM_OK;
}

int32_t pipeline_pool_team_bring(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                 uint32_t device)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < plan->use_count; i++) {
        const struct pipeline_pool_use *use = &plan->uses[i];
        if (needs_copy(team, use, device))
            status = copy_to(team, use->replica, device);
        if (status == TRM_OK)
            status = pipeline_data_reserve(team->context, &use->replica->data, device);
    }
    return status;
}

/* ---- the task itself ------------------------------------------------------------------------ */

int32_t pipeline_pool_team_wait(const struct pipeline_pool_plan *plan, uint32_t device,
                                struct core_stream *stream)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < plan->use_count; i++)
        status = pipeline_data_wait(&plan->uses[i].replica->data, device, plan->uses[i].access, stream);
    return status;
}

void pipeline_pool_team_note(const struct pipeline_pool_plan *plan, uint32_t device,
                             struct core_stream *stream, uint64_t value, uint64_t end)
{
    for (uint32_t i = 0; i < plan->use_count; i++) {
        struct pipeline_data *data = &plan->uses[i].replica->data;
        if ((plan->uses[i].access & TRM_ACCESS_WRITE) == 0) {
            pipeline_data_note_reader(data, device, stream, value);
            continue;
        }
        pipeline_data_note_made(data, device, stream, value, end);
        data->current = 1u << device;
    }
}
