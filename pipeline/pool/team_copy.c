/* Copies of data between the devices of a pool over a group: which, when, and how long they take. Of a pair
 * of devices that is known one copy in SAMPLE_EVERY is watched.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/memory.h"
#include "core/object/object.h"
#include "pipeline/pool/team.h"

/* Samples after which the time of copies is trusted, where it is short. */
#define KNOWN 8u
#define SHORT_NS 200000u

#define SAMPLE_EVERY 16u

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

/* On any thread, perhaps under a lock of the backend's. */
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

/* A backend may notify of the beginning and the end at once, or of the end first (lesson.c). Then the time
 * since the copy was enqueued is an upper bound. */
void pipeline_pool_team_learn_locked(struct pipeline_pool_team *team, const struct pipeline_pool_copy *copy,
                                     uint64_t now)
{
    struct pipeline_transfer *transfer = transfer_of(team, copy->from, copy->to);
    if (copy->begun_at != 0 && now >= copy->begun_at + PIPELINE_POOL_AT_ONCE)
        pipeline_transfer_add(transfer, copy->bytes, now - copy->begun_at);
    else
        pipeline_transfer_add_bound(transfer, copy->bytes, now - copy->enqueued_at);
}

/* On any thread, perhaps under a lock of the backend's. */
static void copy_ended(struct core_notification *notification, int32_t status)
{
    struct pipeline_pool_copy *copy = base_container_of(notification, struct pipeline_pool_copy, ended);
    struct pipeline_pool_team *team = copy->team;
    uint64_t now                    = base_now();
    base_lock_acquire(&team->lock);
    if (status == TRM_OK)
        pipeline_pool_team_learn_locked(team, copy, now);
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

/* Watches a copy that could begin behind operation `before` of the stream and ends with `last`. Without
 * memory nothing is learned from it. */
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

static bool wants_sample(struct pipeline_pool_team *team, uint32_t from, uint32_t to)
{
    struct pipeline_transfer *transfer = transfer_of(team, from, to);
    base_lock_acquire(&team->lock);
    bool is_wanted = transfer->samples < KNOWN || ++transfer->unsampled >= SAMPLE_EVERY;
    if (is_wanted)
        transfer->unsampled = 0;
    base_lock_release(&team->lock);
    return is_wanted;
}

/* ---- predicting ----------------------------------------------------------------------------- */

static uint64_t predict_copy(struct pipeline_pool_team *team, uint32_t from, uint32_t to, uint64_t bytes,
                             bool *is_known)
{
    base_lock_acquire(&team->lock);
    uint64_t took = pipeline_transfer_predict(transfer_of(team, from, to), bytes);
    *is_known     = transfer_of(team, from, to)->samples >= KNOWN;
    base_lock_release(&team->lock);
    return took;
}

/* Whether it is known well enough when the enqueued copies into a device will have ended. */
static bool are_copies_sure(const struct pipeline_pool_member *member)
{
    return member->copies == NULL || member->are_copies_sure ||
           atomic_load_explicit(&member->copies->completed, memory_order_acquire) + 1 >=
               core_stream_next(member->copies);
}

/* The parts of a use, with its bytes of them. */
static struct pipeline_data_part *first_part(const struct pipeline_pool_use *use)
{
    return pipeline_data_at(&use->replica->data, use->begin);
}

static bool is_part_of(const struct pipeline_pool_use *use, const struct pipeline_data_part *part)
{
    return part != NULL && part->begin < use->end;
}

/* What a use does with a part. A use that covers only some of its bytes also needs the others, which must
 * stay. */
static uint32_t access_of(const struct pipeline_pool_use *use, const struct pipeline_data_part *part)
{
    bool is_whole = use->begin <= part->begin && part->end <= use->end;
    return is_whole ? use->access : use->access | TRM_ACCESS_READ;
}

/* Whether the task needs contents that the device does not have. */
static bool needs_copy(const struct pipeline_pool_team *team, const struct pipeline_pool_use *use,
                       const struct pipeline_data_part *part, uint32_t device)
{
    return (access_of(use, part) & TRM_ACCESS_READ) != 0 && team->count > 1 &&
           (pipeline_part_current(part) >> device & 1) == 0;
}

/* The device that copies go to, and when the next one can begin there. */
struct aim {
    uint32_t to;
    uint64_t begin;
    uint64_t now; /* when this is foreseen */
};

/* A run: neighbouring parts that are copied at once, from the device whose copy would arrive first. */
struct run {
    struct pipeline_data_part *first, *behind; /* NULL: to the last one */
    uint32_t from;
    uint64_t begin, bytes;
    uint64_t needed; /* of these, those of the use: what is copied once the parts are cut */
    uint64_t took, end;
    bool is_sure; /* the end is known well enough */
};

static uint32_t sound_at(const struct pipeline_pool_team *team, const struct pipeline_data_part *part)
{
    return pipeline_part_current(part) & pipeline_group_sound(team->group);
}

/* Extends a run over the parts that need a copy and are on the same device. */
static void extend(const struct pipeline_pool_team *team, const struct pipeline_pool_use *use, uint32_t to,
                   struct run *run)
{
    struct pipeline_data_part *part = run->first;
    uint64_t end                    = part->end;
    for (part = part->next; is_part_of(use, part) && needs_copy(team, use, part, to) &&
                            (sound_at(team, part) >> run->from & 1) != 0;
         part = part->next)
        end = part->end;
    run->behind = part;
    run->bytes  = end - run->begin;
}

/* When a part is ready on a device that has it, or will have it. Overdue work is still among the device's
 * pieces, so the part counts as ready when all of these are predicted to have ended. */
static uint64_t ready_at(const struct pipeline_pool_team *team, const struct pipeline_data_part *part,
                         uint32_t device, uint64_t now)
{
    uint64_t ready;
    if (pipeline_part_is_in_time(part, device, now, &ready))
        return ready;
    struct pipeline_stream_pool *member = team->members[device].pool;
    base_lock_acquire(&member->lock);
    ready = pipeline_load_drained(&member->load, now);
    base_lock_release(&member->lock);
    return ready;
}

/* When a run would arrive. */
static void time_run(struct pipeline_pool_team *team, const struct aim *aim, uint64_t bytes, struct run *run)
{
    uint32_t to    = aim->to;
    uint64_t ready = aim->begin;
    bool is_known;
    run->is_sure = are_copies_sure(&team->members[to]);
    for (const struct pipeline_data_part *part = run->first; part != run->behind; part = part->next) {
        ready        = later(ready, ready_at(team, part, run->from, aim->now));
        run->is_sure = run->is_sure && pipeline_part_presume(part, run->from, TRM_ACCESS_READ, &ready) &&
                       pipeline_part_presume(part, to, TRM_ACCESS_WRITE, &ready);
    }
    run->took    = predict_copy(team, run->from, to, bytes, &is_known);
    run->is_sure = run->is_sure && is_known && run->took <= SHORT_NS;
    run->end     = ready + run->took;
}

/* The run of parts that begins with this one. False where no sound device has it. */
static bool find_run(struct pipeline_pool_team *team, const struct pipeline_pool_use *use,
                     struct pipeline_data_part *first, const struct aim *aim, struct run *found)
{
    uint32_t current = sound_at(team, first);
    *found           = (struct run){.end = UINT64_MAX};
    for (uint32_t from = 0; from < team->count; from++) {
        struct run run = {.first = first, .behind = first->next, .from = from, .begin = first->begin};
        if ((current >> from & 1) == 0)
            continue;
        time_run(team, aim, first->end - first->begin, &run);
        if (run.end < found->end)
            *found = run;
    }
    if (found->first == NULL)
        return false;
    extend(team, use, aim->to, found);
    uint64_t low = later(found->begin, use->begin), high = found->begin + found->bytes;
    found->needed = (high < use->end ? high : use->end) - low;
    time_run(team, aim, found->needed, found);
    return true;
}

/* The part needs no copy. Another stream may still have work on it, perhaps a copy into this device. */
static void foresee_part(const struct pipeline_pool_use *use, const struct pipeline_data_part *part,
                         struct pipeline_pool_forecast *forecast)
{
    uint32_t device    = forecast->device;
    forecast->ready_at = later(forecast->ready_at, part->copies[device].ready_at);
    if (forecast->is_data_sure)
        forecast->is_data_sure =
            pipeline_part_presume(part, device, access_of(use, part), &forecast->ready_at);
}

bool pipeline_pool_team_foresee(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                struct pipeline_pool_forecast *forecast)
{
    struct run run;
    uint32_t device = forecast->device;
    struct aim aim  = {.to = device, .now = forecast->now};
    aim.begin       = later(aim.now, team->members[device].copies_until);
    for (uint32_t i = 0; i < plan->use_count; i++) {
        const struct pipeline_pool_use *use = &plan->uses[i];
        struct pipeline_data_part *part     = first_part(use);
        while (is_part_of(use, part)) {
            if (!needs_copy(team, use, part, device)) {
                foresee_part(use, part, forecast);
                part = part->next;
                continue;
            }
            if (!find_run(team, use, part, &aim, &run))
                return false;
            aim.begin = run.end;
            forecast->copied += run.needed;
            forecast->copy_ns += run.took;
            forecast->ready_at     = later(forecast->ready_at, run.end);
            forecast->is_data_sure = forecast->is_data_sure && run.is_sure;
            part                   = run.behind;
        }
    }
    return true;
}

/* ---- copying -------------------------------------------------------------------------------- */

/* The stream of copies into a device; a new one if that has failed. */
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

static int32_t enqueue_copy(struct core_stream *stream, const struct pipeline_replica *replica,
                            const struct run *run, uint32_t to, uint64_t *last)
{
    int32_t status = trm_copy(stream->object.handle, trm_span_of(replica->ones[to], run->begin, run->bytes),
                              trm_span_of(replica->ones[run->from], run->begin, run->bytes));
    return status == TRM_OK ? core_stream_mark(stream, last) : status;
}

/* Lets the stream of copies wait for the parts on both devices, and makes room to note it. */
static int32_t prepare(struct pipeline_pool_team *team, const struct run *run, uint32_t to,
                       struct core_stream *stream)
{
    int32_t status                  = TRM_OK;
    struct pipeline_data_part *part = run->first;
    for (; status == TRM_OK && part != run->behind; part = part->next) {
        status = pipeline_part_reserve(team->context, part, run->from);
        if (status == TRM_OK)
            status = pipeline_part_wait(part, run->from, TRM_ACCESS_READ, stream);
        if (status == TRM_OK)
            status = pipeline_part_wait(part, to, TRM_ACCESS_WRITE, stream);
    }
    return status;
}

static void note_copy(struct pipeline_pool_team *team, const struct run *run, uint32_t to,
                      struct core_stream *stream, uint64_t last)
{
    const struct pipeline_data_point point = {
        .stream = stream, .value = last, .end = run->is_sure ? run->end : 0};
    for (struct pipeline_data_part *part = run->first; part != run->behind; part = part->next) {
        pipeline_part_note_reader(part, run->from, &point);
        pipeline_part_note_made(part, to, &point, run->end);
        part->current |= 1u << to;
    }
    team->members[to].copies_until    = run->end;
    team->members[to].are_copies_sure = run->is_sure;
    base_lock_acquire(&team->lock);
    team->copies++;
    team->copied_bytes += run->bytes;
    base_lock_release(&team->lock);
}

/* Copies neighbours that begin with this part; *behind: the part after them. */
static int32_t copy_to(struct pipeline_pool_team *team, const struct pipeline_pool_use *use,
                       struct pipeline_data_part *part, uint32_t to, struct pipeline_data_part **behind)
{
    struct core_stream *stream;
    struct run run;
    uint64_t last;
    struct aim aim = {.to = to, .now = base_now()};
    aim.begin      = later(aim.now, team->members[to].copies_until);
    if (!find_run(team, use, part, &aim, &run))
        return base_fail_static(TRM_ERROR_DEVICE_LOST, "the devices that had the data of the task are lost");
    int32_t status = open_stream(team, to, &stream);
    if (status == TRM_OK)
        status = prepare(team, &run, to, stream);
    if (status != TRM_OK)
        return status;
    uint64_t before = core_stream_next(stream) - 1;
    uint64_t now    = base_now();
    status          = enqueue_copy(stream, use->replica, &run, to, &last);
    if (status != TRM_OK)
        return status;
    note_copy(team, &run, to, stream, last);
    if (wants_sample(team, run.from, to))
        watch(
            team, stream,
            &(struct pipeline_pool_copy){.from = run.from, .to = to, .bytes = run.bytes, .enqueued_at = now},
            before, last);
    else
        core_stream_submit(stream, last);
    *behind = run.behind;
    return TRM_OK;
}

/* Copies what one use needs, and makes room to note the task. */
static int32_t bring(struct pipeline_pool_team *team, const struct pipeline_pool_use *use, uint32_t device)
{
    int32_t status                  = TRM_OK;
    struct pipeline_data_part *part = first_part(use);
    while (status == TRM_OK && is_part_of(use, part))
        if (needs_copy(team, use, part, device))
            status = copy_to(team, use, part, device, &part);
        else
            part = part->next;
    for (part = first_part(use); status == TRM_OK && is_part_of(use, part); part = part->next)
        status = pipeline_part_reserve(team->context, part, device);
    return status;
}

int32_t pipeline_pool_team_bring(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                 uint32_t device)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; i < plan->use_count; i++)
        pipeline_data_merge(team->context, &plan->uses[i].replica->data);
    for (uint32_t i = 0; i < plan->use_count; i++) {
        const struct pipeline_pool_use *use = &plan->uses[i];
        pipeline_data_cut(team->context, &use->replica->data, use->begin, use->end);
    }
    for (uint32_t i = 0; status == TRM_OK && i < plan->use_count; i++)
        status = bring(team, &plan->uses[i], device);
    return status;
}

/* ---- the task itself ------------------------------------------------------------------------ */

int32_t pipeline_pool_team_wait(const struct pipeline_pool_plan *plan, uint32_t device,
                                struct core_stream *stream)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; i < plan->use_count; i++) {
        const struct pipeline_pool_use *use = &plan->uses[i];
        struct pipeline_data_part *part     = first_part(use);
        for (; status == TRM_OK && is_part_of(use, part); part = part->next)
            status = pipeline_part_wait(part, device, access_of(use, part), stream);
    }
    return status;
}

static void note_part(struct pipeline_data_part *part, uint32_t access,
                      const struct pipeline_pool_forecast *chosen, const struct pipeline_data_point *point)
{
    if ((access & TRM_ACCESS_WRITE) == 0) {
        pipeline_part_note_reader(part, chosen->device, point);
        return;
    }
    pipeline_part_note_made(part, chosen->device, point, chosen->end);
    part->current = 1u << chosen->device;
}

void pipeline_pool_team_note(const struct pipeline_pool_plan *plan,
                             const struct pipeline_pool_forecast *chosen, struct core_stream *stream,
                             uint64_t value)
{
    const struct pipeline_data_point point = {
        .stream = stream, .value = value, .end = chosen->is_sure ? chosen->end : 0};
    for (uint32_t i = 0; i < plan->use_count; i++) {
        const struct pipeline_pool_use *use = &plan->uses[i];
        struct pipeline_data_part *part     = first_part(use);
        for (; is_part_of(use, part); part = part->next)
            note_part(part, use->access, chosen, &point);
    }
}
