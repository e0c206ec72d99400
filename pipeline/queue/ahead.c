/* Reading tokens ahead of the slots.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/queue/ahead.h"

#include <string.h>

#include "core/object/object.h"
#include "pipeline/queue/queue.h"

/* Tokens that are read ahead at most, whatever the budget. */
#define PLACES_MOST 1024u

/* After so many tokens the rates are looked at again. */
#define TOKENS_A_LOOK 16u

/* So many times must be known of source and slots. */
#define SAMPLES_LEAST 8u

/* Parts of a place's memory begin at multiples of it. */
#define ALIGNMENT 64u

static uint64_t aligned(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool is_input(const struct pipeline *pipeline, uint32_t port)
{
    return pipeline->ports[port].kind == TRM_PORT_INPUT;
}

/* ---- memory --------------------------------------------------------------------------------- */

static uint64_t input_bytes(const struct pipeline *pipeline)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++)
        bytes += is_input(pipeline, i) ? aligned(pipeline->ports[i].size) : 0;
    return bytes;
}

/* The arrays of a token come first, then its inputs. */
static uint64_t arrays_bytes(const struct pipeline *pipeline)
{
    return aligned(pipeline->desc.port_count * (sizeof(void *) + sizeof(uint64_t)));
}

/* The token as the source sees it: its inputs in memory of its own, and nothing of other ports. */
static void lay_out(const struct pipeline *pipeline, struct pipeline_ahead_place *place, uint64_t index)
{
    uint32_t count      = pipeline->desc.port_count;
    unsigned char *data = place->memory + arrays_bytes(pipeline);
    place->token        = (struct trm_token){
               .index      = index,
               .slot       = UINT32_MAX,
               .port_count = count,
               .data       = (void **)(void *)place->memory,
               .size       = (uint64_t *)(void *)(place->memory + count * sizeof(void *)),
    };
    for (uint32_t i = 0; i < count; i++) {
        place->token.data[i] = is_input(pipeline, i) ? data : NULL;
        place->token.size[i] = pipeline->ports[i].size;
        data += is_input(pipeline, i) ? aligned(pipeline->ports[i].size) : 0;
    }
}

static uint32_t why_none(const struct pipeline *pipeline, uint32_t count)
{
    const struct trm_source *desc = &pipeline->queue->source.desc;
    if (desc->ahead_bytes == 0)
        return TRM_AHEAD_NONE_NOTHING;
    if (desc->memory != NULL)
        return TRM_AHEAD_NONE_MEMORY; /* it is read in place */
    if (pipeline->desc.on_full != TRM_FULL_BLOCK)
        return TRM_AHEAD_NONE_DROPS; /* tokens that are read ahead would be old */
    return count == 0 ? TRM_AHEAD_NONE_TOO_SMALL : TRM_AHEAD_NONE_NOTHING;
}

int32_t pipeline_ahead_begin(struct pipeline *pipeline)
{
    struct pipeline_queue *queue  = pipeline->queue;
    const struct trm_source *desc = &queue->source.desc;
    struct pipeline_ahead *ahead  = &queue->ahead;
    uint64_t each                 = input_bytes(pipeline);
    uint64_t fits                 = each > 0 ? desc->ahead_bytes / each : 0;
    uint32_t count                = fits < PLACES_MOST ? (uint32_t)fits : PLACES_MOST;
    uint32_t lanes                = queue->source.in_order ? 1 : desc->workers;
    if (desc->ahead_bytes != 0 && desc->workers == 0)
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT,
                                "a source that reads ahead (ahead_bytes) needs workers");
    uint32_t none = why_none(pipeline, count);
    if (none != TRM_AHEAD_NONE_NOTHING) {
        base_biased_lock_acquire(&pipeline->lock);
        queue->ahead_facts.none = none;
        base_biased_lock_release(&pipeline->lock);
    }
    if (count == 0 || none != TRM_AHEAD_NONE_NOTHING)
        return TRM_OK;
    struct pipeline_ahead_place *places = core_allocate(pipeline->object.context, count * sizeof(*places));
    if (places == NULL)
        return base_fail_memory("reading ahead");
    base_biased_lock_acquire(&pipeline->lock);
    *ahead = (struct pipeline_ahead){.places = places, .place_bytes = arrays_bytes(pipeline) + each};
    queue->ahead_facts.budget       = count;
    queue->ahead_facts.limit        = lanes < count ? lanes : count;
    queue->ahead_facts.buffer.lanes = lanes;
    base_biased_lock_release(&pipeline->lock);
    return TRM_OK;
}

void pipeline_ahead_end(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    base_biased_lock_acquire(&pipeline->lock);
    struct pipeline_ahead ahead = queue->ahead;
    uint32_t count              = queue->ahead_facts.budget;
    queue->ahead                = (struct pipeline_ahead){.places = NULL};
    base_biased_lock_release(&pipeline->lock);
    if (ahead.places == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        core_free(pipeline->object.context, ahead.places[i].memory, ahead.place_bytes);
    core_free(pipeline->object.context, ahead.places, count * sizeof(*ahead.places));
}

/* ---- how far ahead -------------------------------------------------------------------------- */

static struct pipeline_ahead_place *place_of(const struct pipeline_queue *queue, uint64_t index)
{
    return &queue->ahead.places[index % queue->ahead_facts.budget];
}

static void predict(struct pipeline_queue *queue)
{
    struct pipeline_ahead_facts *facts = &queue->ahead_facts;
    uint32_t lanes                     = facts->buffer.lanes;
    if (facts->buffer.put.samples < SAMPLES_LEAST || facts->buffer.take.samples < SAMPLES_LEAST)
        return;
    facts->limit = pipeline_buffer_places(&facts->buffer, facts->budget);
    /* Each loader has a token in its hands. */
    if (facts->limit < lanes)
        facts->limit = lanes < facts->budget ? lanes : facts->budget;
    facts->predicted = pipeline_buffer_waits(&facts->buffer, facts->limit);
}

void pipeline_ahead_learn(struct pipeline *pipeline, uint64_t took)
{
    if (pipeline->queue->ahead.places != NULL)
        pipeline_spread_add(&pipeline->queue->ahead_facts.buffer.put, (double)took);
}

/* The time from one slot that takes a token to the next says how fast slots become free, if both tokens
 * waited for them. */
static void learn_taken(struct pipeline_queue *queue)
{
    struct pipeline_ahead *ahead = &queue->ahead;
    uint64_t now                 = base_now();
    if (ahead->is_waiting && ahead->has_waited)
        pipeline_spread_add(&queue->ahead_facts.buffer.take, (double)(now - ahead->last_taken_at));
    ahead->last_taken_at = now;
    ahead->has_waited    = ahead->is_waiting;
    ahead->is_waiting    = false;
    if (++ahead->taken < TOKENS_A_LOOK)
        return;
    ahead->taken = 0;
    predict(queue);
}

/* ---- reading -------------------------------------------------------------------------------- */

void pipeline_ahead_wait(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    if (queue->ahead.places != NULL && queue->next_index < queue->ahead.next)
        queue->ahead.is_waiting = true;
}

bool pipeline_ahead_is(const struct pipeline *pipeline, enum pipeline_ahead_state state)
{
    const struct pipeline_queue *queue = pipeline->queue;
    return queue->ahead.places != NULL && queue->next_index < queue->ahead.next &&
           place_of(queue, queue->next_index)->state == (int32_t)state;
}

static struct pipeline_ahead_place *claim(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct pipeline_ahead *ahead = &queue->ahead;
    uint64_t count               = queue->source.desc.count;
    if (ahead->places == NULL || ahead->has_ended)
        return NULL;
    if (ahead->next < queue->next_index)
        ahead->next = queue->next_index;
    struct pipeline_ahead_place *place = place_of(queue, ahead->next);
    if (ahead->used >= queue->ahead_facts.limit || place->state != PIPELINE_AHEAD_EMPTY ||
        (count != 0 && ahead->next >= count) || ahead->next >= queue->end_index)
        return NULL;
    if (place->memory == NULL) {
        place->memory = core_allocate(pipeline->object.context, ahead->place_bytes);
        if (place->memory == NULL) {
            base_error_clear(); /* reads less far ahead */
            return NULL;
        }
        queue->ahead_facts.bytes += ahead->place_bytes;
    }
    lay_out(pipeline, place, ahead->next++);
    place->state = PIPELINE_AHEAD_FILLING;
    if (++ahead->used > queue->ahead_facts.most)
        queue->ahead_facts.most = ahead->used;
    return place;
}

/* Without the lock. */
static void fill(struct pipeline *pipeline, struct pipeline_ahead_place *place)
{
    struct pipeline_calling calling;
    pipeline_calling_push(&calling, pipeline, false);
    base_error_clear();
    place->answer = pipeline_source_fill(&pipeline->queue->source, &place->token);
    if (place->answer < 0)
        base_failure_save(&place->failure, place->answer);
    pipeline_calling_pop(&calling);
}

bool pipeline_ahead_read(struct pipeline *pipeline)
{
    struct pipeline_queue *queue       = pipeline->queue;
    struct pipeline_ahead_place *place = claim(pipeline);
    if (place == NULL)
        return false;
    base_biased_lock_release(&pipeline->lock);
    uint64_t begun = base_now();
    fill(pipeline, place);
    uint64_t now = base_now();
    base_biased_lock_acquire(&pipeline->lock);
    place->state = PIPELINE_AHEAD_READY;
    pipeline_ahead_learn(pipeline, now - begun);
    bool is_last = place->answer < 0 && pipeline->desc.on_failure != TRM_FAILURE_SKIP;
    if (place->answer == TRM_TOKEN_END || is_last)
        queue->ahead.has_ended = true;
    pipeline_queue_wake_free(queue);
    return true;
}

/* ---- into a slot ---------------------------------------------------------------------------- */

struct pipeline_ahead_place *pipeline_ahead_take(struct pipeline_slot *slot)
{
    struct pipeline_queue *queue       = slot->front->queue;
    struct pipeline_ahead_place *place = NULL;
    if (queue->ahead.places == NULL)
        return NULL;
    if (slot->token.index < queue->ahead.next) {
        place        = place_of(queue, slot->token.index);
        place->state = PIPELINE_AHEAD_TAKEN;
    }
    learn_taken(queue);
    /* There may be a free slot for the next one too. */
    pipeline_queue_wake_free(queue);
    return place;
}

int32_t pipeline_ahead_hand_over(const struct pipeline_ahead_place *place, struct pipeline_slot *slot)
{
    const struct pipeline *pipeline = slot->front;
    const unsigned char *memory     = place->memory + arrays_bytes(pipeline);
    if (place->answer < 0)
        return base_failure_raise(&place->failure);
    for (uint32_t i = 0; i < pipeline->desc.port_count && place->answer == TRM_OK; i++) {
        uint64_t size = place->token.size[i], most = pipeline->ports[i].size;
        if (!is_input(pipeline, i))
            continue;
        if (place->token.data[i] == memory)
            memcpy(slot->token.data[i], memory, size < most ? size : most);
        else
            slot->token.data[i] = place->token.data[i]; /* the source's own */
        slot->token.size[i] = size;
        memory += aligned(most);
    }
    slot->token.user        = place->token.user;
    slot->token.deadline_ns = place->token.deadline_ns;
    return place->answer;
}

void pipeline_ahead_release(struct pipeline *pipeline, struct pipeline_ahead_place *place)
{
    place->state = PIPELINE_AHEAD_EMPTY;
    pipeline->queue->ahead.used--;
    pipeline_queue_wake_free(pipeline->queue);
}

/* ---- the report ----------------------------------------------------------------------------- */

static double part_of(uint64_t time, const struct trm_stage_report *stage)
{
    uint64_t span = stage->busy_ns + stage->starved_ns + stage->blocked_ns;
    return span > 0 ? (double)time / (double)span : 0;
}

/* While loaders are blocked no slot is free, and what the device waits for then is the sink. */
static double waits_of(const struct trm_report *report, const struct trm_stage_report *busiest)
{
    const struct trm_stage_report *load = &report->stages[TRM_STAGE_LOAD];
    double starved = part_of(busiest->starved_ns, busiest), free = 1 - part_of(load->blocked_ns, load);
    return starved < free ? starved : free;
}

void pipeline_ahead_report(const struct pipeline_ahead_facts *facts, struct trm_report *report)
{
    const struct pipeline_spread *put = &facts->buffer.put, *take = &facts->buffer.take;
    const struct trm_stage_report *busiest = &report->stages[TRM_STAGE_UPLOAD];
    report->ahead                          = facts->limit;
    report->ahead_budget                   = facts->budget;
    report->ahead_most                     = facts->most;
    report->ahead_bytes                    = facts->bytes;
    report->ahead_none                     = facts->none;
    if (facts->limit == 0)
        return;
    report->source_ns        = (uint64_t)put->mean;
    report->source_spread_ns = (uint64_t)pipeline_spread_deviation(put);
    report->take_ns          = (uint64_t)take->mean;
    report->take_spread_ns   = (uint64_t)pipeline_spread_deviation(take);
    report->ahead_predicted  = facts->predicted;
    for (int32_t i = TRM_STAGE_COMPUTE; i <= TRM_STAGE_DOWNLOAD; i++)
        if (report->stages[i].busy_ns > busiest->busy_ns)
            busiest = &report->stages[i];
    report->ahead_waits = waits_of(report, busiest);
}
