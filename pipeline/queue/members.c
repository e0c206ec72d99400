/* Which device gets the next token, and what all devices of a pipeline do together.
 *
 * A token goes to the device that would finish it first: by the times of its earlier tokens, and by how many
 * it has. A device that was not measured yet gets one token to be measured with, and as its first tokens find
 * its memory cold, and others may have disturbed them, it gets a few more unless even half or a quarter of
 * their time is too long. So a device that is so slow that the others end everything before it gets no more
 * than the first, and another one now and then in case it has become faster, which replaces what is known.
 *
 * A source may wait: it gets no slot while a device without a free one would be the best, as long as tokens
 * are in flight. The program that acquires tokens does not wait, because it may have to take results before a
 * slot comes back.
 *
 * Where the one thread of a run finds that tokens have ended whenever it comes to wait for them, that thread
 * limits the rate. Another device adds nothing then but what it takes to go from one to the other and back:
 * the driver's memory of a device leaves the caches meanwhile. So tokens stay on the fastest device for as
 * long as that one does them in time.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "core/object/object.h"
#include "pipeline/queue/queue.h"

/* A device that was idle for so many tokens' time is measured again: at most a hundredth of the time is
 * lost. */
#define STALE_TOKENS 100

/* The same while it is known from a few tokens only, which other programs may have disturbed. */
#define YOUNG_TOKENS 16
#define YOUNG_SAMPLES 4

/* Idle devices are looked for at each choice of this number, since reading the clock takes longer than a
 * choice. */
#define STALE_CHOICES 16

/* A token that had to be waited for counts as so many that had not. Tokens stay on one device once the sum is
 * 0, and no longer when it is above LATE_STAY. */
#define LATE 32u
#define LATE_STAY (3 * LATE)
#define LATE_MOST (4 * LATE)

/* Tokens until they may stay again; twice as many each time that it did not last for as many. */
#define PATIENCE_LEAST 256u
#define PATIENCE_MOST 65536u

/* ---- staying on one device ------------------------------------------------------------------- */

void pipeline_members_forget_stay(struct pipeline *pipeline)
{
    pipeline->queue->stay = (struct pipeline_stay){.late = LATE_MOST, .patience = PATIENCE_LEAST};
}

static void set_news(struct pipeline_queue *queue, enum pipeline_news_kind kind, uint32_t member)
{
    queue->news = (struct pipeline_news){.kind = kind, .member = member};
}

static void end_stay(struct pipeline_queue *queue)
{
    struct pipeline_stay *stay = &queue->stay;
    set_news(queue, PIPELINE_NEWS_SPREAD, stay->member);
    if (stay->lasted > stay->patience)
        stay->patience = PATIENCE_LEAST;
    stay->is_on = false;
    stay->rest  = stay->patience;
    if (stay->patience < PATIENCE_MOST)
        stay->patience *= 2;
}

__attribute__((cold, noinline)) static void note_late(struct pipeline_queue *queue)
{
    struct pipeline_stay *stay = &queue->stay;
    stay->late                 = stay->late < LATE_MOST - LATE ? stay->late + LATE : LATE_MOST;
    if (stay->is_on && stay->late > LATE_STAY)
        end_stay(queue);
}

void pipeline_members_note_wait(struct pipeline *pipeline, bool in_time)
{
    struct pipeline_stay *stay = &pipeline->queue->stay;
    stay->lasted++;
    if (stay->rest > 0)
        stay->rest--;
    if (UNLIKELY(!in_time))
        note_late(pipeline->queue);
    else if (stay->late > 0)
        stay->late--;
}

/* Tokens are to stay on the device that takes the shortest time for one. All are known. */
__attribute__((cold, noinline)) static void begin_stay(const struct pipeline *pipeline)
{
    struct pipeline_stay *stay = &pipeline->queue->stay;
    uint64_t shortest          = UINT64_MAX;
    stay->lasted               = 0;
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        const struct pipeline_queue_member *member = &pipeline->queue->members[i];
        uint64_t alone                             = member->ahead - member->step * member->in_use;
        if (member->is_lost || alone >= shortest)
            continue;
        shortest     = alone;
        stay->member = i;
        stay->is_on  = true;
    }
    if (stay->is_on)
        set_news(pipeline->queue, PIPELINE_NEWS_STAY, stay->member);
}

static bool may_stay(const struct pipeline_stay *stay)
{
    return stay->late == 0 && stay->rest == 0;
}

/* Whether the tokens of a source stay on one device now. */
static bool is_staying(const struct pipeline_queue *queue)
{
    return queue->stay.is_on && !queue->members[queue->stay.member].is_lost;
}

/* ---- dispatch ------------------------------------------------------------------------------- */

/* Of the devices that are not lost. */
struct choice {
    uint32_t best;      /* of those that are known */
    uint32_t best_free; /* of those that are known and have a free slot */
    uint32_t unknown;   /* the least used of those that are not known and have a free slot */
    bool knows_all;
};

/* Of the devices that are not known: `found`, or `number` if it has a free slot and fewer tokens. */
__attribute__((cold, noinline)) static uint32_t less_used(const struct pipeline_queue_member *members,
                                                          uint32_t found, uint32_t number)
{
    if (members[number].free.first == NULL)
        return found;
    return found == PIPELINE_MEMBERS_MOST || members[number].in_use < members[found].in_use ? number : found;
}

static struct choice find_best(const struct pipeline *pipeline)
{
    const struct pipeline_queue_member *members = pipeline->queue->members;
    struct choice choice = {PIPELINE_MEMBERS_MOST, PIPELINE_MEMBERS_MOST, PIPELINE_MEMBERS_MOST, true};
    uint64_t best = UINT64_MAX, best_free = UINT64_MAX;
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        const struct pipeline_queue_member *member = &members[i];
        if (member->is_lost)
            continue;
        if (!member->is_known) {
            choice.unknown   = less_used(members, choice.unknown, i);
            choice.knows_all = false;
            continue;
        }
        if (member->ahead < best) {
            best        = member->ahead;
            choice.best = i;
        }
        if (member->ahead < best_free && member->free.first != NULL) {
            best_free        = member->ahead;
            choice.best_free = i;
        }
    }
    return choice;
}

/* The first token may have taken much longer than the others will. */
static uint64_t patience(const struct pipeline_queue_member *member)
{
    const struct pipeline_estimate *estimate = &member->estimate;
    double each = estimate->samples == 1 ? pipeline_estimate_hope(estimate) : estimate->latency;
    return (uint64_t)each * (estimate->samples <= YOUNG_SAMPLES ? YOUNG_TOKENS : STALE_TOKENS);
}

/* A device that is idle and was not used for long. */
__attribute__((cold, noinline)) static uint32_t find_stale(const struct pipeline *pipeline)
{
    uint64_t now   = base_now();
    uint32_t found = PIPELINE_MEMBERS_MOST;
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        struct pipeline_queue_member *member = &pipeline->queue->members[i];
        if (member->is_lost || !member->is_known || member->in_use != 0 || member->free.first == NULL)
            continue;
        if (member->idle_since == 0)
            member->idle_since = now;
        if (now - member->idle_since > patience(member))
            found = i;
    }
    return found;
}

__attribute__((cold, noinline)) static void begin_anew(const struct pipeline *pipeline, uint32_t number)
{
    set_news(pipeline->queue, PIPELINE_NEWS_ANEW, number);
    pipeline_estimate_doubt(&pipeline->queue->members[number].estimate);
    atomic_fetch_add_explicit(&pipeline->members[number]->anew, 1, memory_order_relaxed);
}

/* A thread that fills all free slots asks once more, so half of the choices end at once. */
static uint32_t choose(const struct pipeline *pipeline, bool may_wait)
{
    struct pipeline_queue *queue = pipeline->queue;
    if (queue->slots_in[PIPELINE_SLOT_FREE] == 0)
        return PIPELINE_MEMBERS_MOST;
    bool waits = may_wait && pipeline_queue_in_flight(queue) > 0;
    if (waits && is_staying(queue))
        return queue->members[queue->stay.member].free.first != NULL ? queue->stay.member
                                                                     : PIPELINE_MEMBERS_MOST;
    struct choice choice = find_best(pipeline);
    if (choice.unknown != PIPELINE_MEMBERS_MOST && queue->members[choice.unknown].in_use == 0)
        return choice.unknown;
    if (queue->choices++ % STALE_CHOICES == 0) {
        uint32_t stale = find_stale(pipeline);
        if (stale != PIPELINE_MEMBERS_MOST) {
            begin_anew(pipeline, stale);
            return stale;
        }
    }
    if (waits && choice.knows_all && may_stay(&queue->stay))
        begin_stay(pipeline);
    if (waits)
        return choice.best == choice.best_free ? choice.best : PIPELINE_MEMBERS_MOST;
    return choice.best_free != PIPELINE_MEMBERS_MOST ? choice.best_free : choice.unknown;
}

/* Where the others rest, a slot is in use until it is free, as it is where there are no others. But a program
 * that has as many results as that gets more. */
static bool are_first_in_use(const struct pipeline_queue *queue)
{
    uint32_t not_counted = queue->slots_in[PIPELINE_SLOT_FREE] + queue->slots_in[PIPELINE_SLOT_ABANDONED];
    uint32_t counted     = queue->depth - not_counted;
    return counted >= queue->slots_in_use && counted > queue->slots_in[PIPELINE_SLOT_OUT];
}

/* Whether as many slots are in use as may be at once, on all devices together. */
static bool is_at_limit(const struct pipeline_queue *queue)
{
    if (queue->is_of_first)
        return are_first_in_use(queue);
    uint32_t not_counted = queue->slots_in[PIPELINE_SLOT_FREE] + queue->slots_in[PIPELINE_SLOT_SINK] +
                           queue->slots_in[PIPELINE_SLOT_OUT] + queue->slots_in[PIPELINE_SLOT_ABANDONED];
    return queue->depth - not_counted >= queue->slots_in_use;
}

static bool is_spreading(const struct pipeline *pipeline)
{
    return atomic_load_explicit(&pipeline->is_spreading, memory_order_relaxed);
}

/* All devices work on each token, so the first slot is as good as another: mostly the same memory is used,
 * but the next token takes another slot while the sink has the one before. */
static uint32_t first_free(const struct pipeline_queue *queue, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!queue->members[i].is_lost && queue->members[i].free.first != NULL)
            return i;
    return PIPELINE_MEMBERS_MOST;
}

uint32_t pipeline_members_choose(const struct pipeline *pipeline, bool may_wait)
{
    const struct pipeline_queue *queue = pipeline->queue;
    if (may_wait && pipeline_queue_is_limited(queue) && is_at_limit(queue))
        return PIPELINE_MEMBERS_MOST;
    if (pipeline->member_count > 1)
        return may_wait && is_spreading(pipeline) ? first_free(queue, pipeline->member_count)
                                                  : choose(pipeline, may_wait);
    return queue->members[0].free.first != NULL ? 0 : PIPELINE_MEMBERS_MOST;
}

/* ---- the log -------------------------------------------------------------------------------- */

static const char *const news_words[] = {
    [PIPELINE_NEWS_STAY]   = "all tokens go to this device: the thread of the run limits the rate, so the "
                             "others are left out",
    [PIPELINE_NEWS_SPREAD] = "tokens go to the other devices too: this one did not end them in time",
    [PIPELINE_NEWS_ANEW]   = "the device was left out, since others end tokens earlier; it gets one to be "
                             "measured again",
};

void pipeline_members_tell(struct pipeline *pipeline)
{
    struct pipeline_news news   = pipeline->queue->news;
    const struct pipeline *told = pipeline->members[news.member];

    pipeline->queue->news.kind = PIPELINE_NEWS_NONE;
    if (news.kind == PIPELINE_NEWS_NONE)
        return;
    base_biased_lock_release(&pipeline->lock);
    core_object_log(&told->device->object, TRM_LOG_INFO, "pipeline \"%s\": %s", pipeline->name,
                    news_words[news.kind]);
    base_biased_lock_acquire(&pipeline->lock);
}

/* ---- learning ------------------------------------------------------------------------------- */

static uint64_t length_of(const struct pipeline_token_times *times, int32_t stage)
{
    return times->end[stage] > times->begin[stage] ? times->end[stage] - times->begin[stage] : 0;
}

static uint64_t last_end(const struct pipeline_token_times *times)
{
    uint64_t end = times->end[TRM_STAGE_UPLOAD];
    if (times->end[TRM_STAGE_COMPUTE] > end)
        end = times->end[TRM_STAGE_COMPUTE];
    return times->end[TRM_STAGE_DOWNLOAD] > end ? times->end[TRM_STAGE_DOWNLOAD] : end;
}

/* The measure of the device alone, while it still decides how many slots the device gets. */
__attribute__((cold, noinline)) static void measure_stages(const struct pipeline_slot *slot,
                                                           const struct pipeline_token_times *times)
{
    struct pipeline_token_times local = *times;
    local.index                       = pipeline_queue_entry(slot)->number;
    local.slot                        = slot->index;
    pipeline_measure_token(slot->pipeline->measure, &local);
}

static struct pipeline_sample sample_of(const struct pipeline_slot *slot,
                                        const struct pipeline_token_times *times)
{
    struct pipeline_sample sample = {.number = pipeline_queue_entry(slot)->number,
                                     .begin  = slot->submitted_at};
    sample.end                    = last_end(times);
    sample.took                   = length_of(times, TRM_STAGE_UPLOAD) + length_of(times, TRM_STAGE_COMPUTE) +
                  length_of(times, TRM_STAGE_DOWNLOAD);
    if (sample.end == 0 || sample.took == 0) {
        sample.is_coarse = true;
        sample.end       = slot->sink_begin;
        sample.took      = sample.end > sample.begin ? sample.end - sample.begin : 1;
    }
    return sample;
}

/* Whether a token without stamps tells nothing, because others had some. */
static bool is_superfluous(const struct pipeline_queue_member *member,
                           const struct pipeline_token_times *times)
{
    return member->is_known && !member->estimate.is_coarse && last_end(times) == 0;
}

/* Notes what the estimate of a device says now. */
static void note_estimate(struct pipeline_queue_member *member)
{
    member->is_known = pipeline_estimate_is_known(&member->estimate);
    double hope      = pipeline_estimate_hope(&member->estimate);
    double step      = pipeline_estimate_step(&member->estimate);
    member->step     = (uint64_t)(step < hope ? step : hope);
    member->ahead    = (uint64_t)hope + member->step * member->in_use;
}

__attribute__((cold, noinline)) static void learn(const struct pipeline_slot *slot,
                                                  const struct pipeline_token_times *times)
{
    struct pipeline_queue_member *member = pipeline_queue_member(slot);
    pipeline_shared_add(&slot->front->queue->shared, times);
    struct pipeline_sample sample = sample_of(slot, times);
    pipeline_estimate_add(&member->estimate, &sample);
    note_estimate(member);
}

/* Most tokens have no stamps and teach nothing: they are only counted. Between two tokens the driver of a GPU
 * takes the nearest caches for itself, so what each token looks at costs more than what it computes: code
 * that few tokens need stands apart. */
void pipeline_members_learn(const struct pipeline_slot *slot, const struct pipeline_token_times *times)
{
    if (pipeline_engine_needs_stages(slot->pipeline))
        measure_stages(slot, times);
    else /* the front's measure has the whole token */
        pipeline_measure_device_token(slot->pipeline->measure, times);
    if (times->status != TRM_OK)
        return;
    if (pipeline_slot_is_spread(slot))
        slot->front->queue->spread_tokens++;
    else if (!is_superfluous(pipeline_queue_member(slot), times))
        learn(slot, times);
}

/* ---- a lost device -------------------------------------------------------------------------- */

static bool has_other(const struct pipeline *pipeline, uint32_t number)
{
    for (uint32_t i = 0; i < pipeline->member_count; i++)
        if (i != number && !pipeline->queue->members[i].is_lost)
            return true;
    return false;
}

static bool has_lost_preferred(const struct pipeline *pipeline)
{
    struct base_saved_error saved;
    base_error_save(&saved);
    bool is_lost = pipeline_front_check_preferred(pipeline) != TRM_OK;
    base_error_restore(&saved);
    return is_lost;
}

/* Whether the device that is lost is not the token's own, but another one that did a part of it. */
static bool has_lost_part(const struct pipeline_slot *slot)
{
    const struct pipeline *front = slot->front;
    bool is_other                = false;
    if (!pipeline_slot_is_spread(slot) || core_device_is_lost(slot->pipeline->device))
        return false;
    for (uint32_t i = 0; i < front->member_count; i++)
        is_other = is_other || core_device_is_lost(front->members[i]->device);
    return is_other;
}

bool pipeline_members_can_repeat(const struct pipeline_slot *slot)
{
    const struct pipeline_queue_entry *entry = pipeline_queue_entry(slot);
    /* What a lost device has added to a shared port is lost, and stages that prefer it run on no other. */
    return slot->failure.status == TRM_ERROR_DEVICE_LOST && slot->front->joins == NULL && !entry->is_final &&
           entry->answer == TRM_OK &&
           (has_other(slot->front, slot->pipeline->member) || has_lost_part(slot)) &&
           !has_lost_preferred(slot->front) && pipeline_slot_is_repeatable(slot);
}

/* A free slot of a device that is not lost; a new one where all are in use. With enqueue_lock and lock, the
 * latter released meanwhile. NULL: no memory for one. */
static struct pipeline_slot *find_slot(struct pipeline *pipeline, uint64_t index)
{
    struct pipeline_queue *queue = pipeline->queue;
    while (queue->is_growing)
        pipeline_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, BASE_NEVER);
    uint32_t number = choose(pipeline, false);
    for (uint32_t i = 0; number == PIPELINE_MEMBERS_MOST && i < pipeline->member_count; i++)
        if (!queue->members[i].is_lost && queue->depth < PIPELINE_DEPTH_MOST &&
            pipeline_queue_grow(pipeline->members[i]) == TRM_OK)
            number = i;
    return number != PIPELINE_MEMBERS_MOST
               ? pipeline_queue_take(pipeline, number, PIPELINE_SLOT_LOADING, index)
               : NULL;
}

/* Puts one slot in the place of another. */
static void replace(struct pipeline_slot_list *list, struct pipeline_slot *from, struct pipeline_slot *to)
{
    struct pipeline_slot **link = &list->first;
    while (*link != from)
        link = &(*link)->next;
    *link    = to;
    to->next = from->next;
    if (list->last == from)
        list->last = to;
    from->next = NULL;
}

/* With enqueue_lock and lock, the latter released meanwhile. */
static void repeat(struct pipeline_slot *from, struct pipeline_slot *to)
{
    struct pipeline *pipeline        = from->front;
    struct pipeline_queue *queue     = pipeline->queue;
    pipeline_queue_entry(to)->output = pipeline_queue_entry(from)->output;
    to->token.deadline_ns            = from->token.deadline_ns;
    pipeline_queue_move(to, PIPELINE_SLOT_ENQUEUING);
    base_biased_lock_release(&pipeline->lock);
    pipeline_slot_repeat(to, from);
    to->submitted_at = base_now();
    pipeline_failure_enqueue(to);
    pipeline_slot_flush(to);
    pipeline_slot_enqueue_end(to);
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_queue_move(to, PIPELINE_SLOT_SUBMITTED);
    replace(&queue->ordered, from, to);
    if (pipeline_queue_entry(from)->is_cancelled)
        pipeline_queue_entry(to)->is_cancelled = true;
    pipeline_queue_free(from);
    queue->repeated++;
}

/* With the lock. */
static void note_loss(struct pipeline *pipeline, uint32_t number, const struct base_failure *loss)
{
    if (pipeline->queue->members[number].is_lost)
        return;
    pipeline->queue->members[number].is_lost = true;
    if (pipeline->loss.status == TRM_OK)
        pipeline->loss = *loss;
    if (pipeline->loss_of_run.status == TRM_OK)
        pipeline->loss_of_run = *loss;
}

/* All devices that did parts of the token may be lost, and its own be none of them. A token that one device
 * did alone leaves that device out of this pipeline even if it is sound, and the token failed with another
 * device that it reaches: there it would fail again and again, in later runs too, since what is lost stays
 * lost. */
static void note_losses(const struct pipeline_slot *slot)
{
    struct pipeline *pipeline = slot->front;
    struct base_saved_error saved;
    struct base_failure loss;
    if (!has_lost_part(slot))
        note_loss(pipeline, slot->pipeline->member, &slot->failure);
    base_error_save(&saved);
    for (uint32_t i = 0; pipeline_slot_is_spread(slot) && i < pipeline->member_count; i++) {
        int32_t status = core_device_check(pipeline->members[i]->device);
        if (status == TRM_OK)
            continue;
        base_failure_save(&loss, status);
        note_loss(pipeline, i, &loss);
    }
    base_error_restore(&saved);
}

bool pipeline_members_repeat(struct pipeline_slot *slot)
{
    struct pipeline *pipeline = slot->front;
    base_biased_lock_release(&pipeline->lock);
    base_biased_lock_acquire(&pipeline->enqueue_lock);
    base_biased_lock_acquire(&pipeline->lock);
    note_losses(slot);
    struct pipeline_slot *to = find_slot(pipeline, slot->token.index);
    if (to != NULL)
        repeat(slot, to);
    else
        pipeline_queue_entry(slot)->is_final = true;
    base_biased_lock_release(&pipeline->enqueue_lock);
    return to != NULL;
}

/* ---- all engines ---------------------------------------------------------------------------- */

void pipeline_members_begin(struct pipeline *pipeline, const struct trm_source *source,
                            const struct trm_sink *sink)
{
    for (uint32_t i = 0; i < pipeline->member_count; i++)
        pipeline_engine_begin(pipeline->members[i], source, sink);
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_engine_slots_interrupt(pipeline, &pipeline->queue->slots_rest);
    base_biased_lock_release(&pipeline->lock);
}

void pipeline_members_end(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->member_count; i++)
        pipeline_engine_end(pipeline->members[i]);
    atomic_store_explicit(&pipeline->is_spreading, false, memory_order_relaxed);
}

/* A device that was lost outside of the pipeline, with the last error as the reason. */
static void note_lost(struct pipeline *pipeline, uint32_t number, int32_t status)
{
    struct base_failure loss;
    base_failure_save(&loss, status);
    base_biased_lock_acquire(&pipeline->lock);
    note_loss(pipeline, number, &loss);
    base_biased_lock_release(&pipeline->lock);
}

int32_t pipeline_members_recover(struct pipeline *pipeline)
{
    struct base_failure first = {.status = TRM_OK};
    uint32_t left             = 0;
    pipeline_joins_recover(pipeline);
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        int32_t status = pipeline_engine_recover(pipeline->members[i]);
        if (status == TRM_OK) {
            left++;
            continue;
        }
        if (first.status == TRM_OK)
            base_failure_save(&first, status);
        note_lost(pipeline, i, status);
    }
    bool goes_on = pipeline->joins == NULL ? left > 0 : left == pipeline->member_count;
    return goes_on ? pipeline_front_check_preferred(pipeline) : base_failure_raise(&first);
}
