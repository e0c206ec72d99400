/* Prediction of stages that share processors or a thread: list scheduling, token by token, older tokens first. What the
 * tokens under way look like from one completed token to the next decides all that follows, so once that repeats itself
 * (Brent's search for a cycle) whole periods are skipped.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/predict.h"

#include <string.h>

enum {
    SEARCH_MOST = 1 << 12 /* tokens; what does not repeat itself by then goes on as it did on average */
};

/* A token under way. Older tokens are never in an earlier stage than younger ones. */
struct flight {
    uint32_t stage;
    uint32_t running;
    uint64_t end; /* of the stage it runs in; else 0 */
};

struct simulation {
    const struct core_model *model;
    int32_t critical;
    uint64_t now, begun, done;
    uint32_t count; /* tokens under way, oldest first */
    struct flight flights[CORE_PREDICT_DEPTH_MOST];
    struct core_model_times *times;

    /* How it looked at some token, to see it again. */
    int32_t searching;
    uint64_t seen_now, seen_done;
    uint32_t seen_count;
    struct flight seen[CORE_PREDICT_DEPTH_MOST];
};

/* The next stage, from this one on, that takes any time; TRM_STAGES after the last. */
static uint32_t real_stage(const struct simulation *simulation, uint32_t stage)
{
    while (stage < TRM_STAGES && simulation->model->time[stage] == 0)
        stage++;
    return stage;
}

static bool on_device(uint32_t stage)
{
    return stage >= TRM_STAGE_UPLOAD && stage <= TRM_STAGE_DOWNLOAD;
}

/* Is there a lane, a processor, the thread for this stage, beside what runs already? */
static bool has_room(const struct simulation *simulation, uint32_t stage)
{
    const struct core_model *model = simulation->model;
    uint32_t same = 0, device = 0, host = 0;

    for (uint32_t i = 0; i < simulation->count; i++) {
        const struct flight *flight = &simulation->flights[i];
        if (!flight->running)
            continue;
        same += flight->stage == stage;
        device += (uint32_t)on_device(flight->stage);
        host += (uint32_t)!on_device(flight->stage);
    }
    if (same >= model->lanes[stage])
        return false;
    if (on_device(stage))
        return model->processors == 0 || device < model->processors;
    return !model->one_thread || host == 0;
}

/* Start what can be started of the tokens that are in a stage up to `last`, the oldest first. */
static void start_stages(struct simulation *simulation, uint32_t last)
{
    for (uint32_t i = 0; i < simulation->count; i++) {
        struct flight *flight = &simulation->flights[i];
        bool is_next          = i == 0 || flight[-1].stage != flight->stage || flight[-1].running;

        if (flight->running || !is_next || flight->stage > last || !has_room(simulation, flight->stage))
            continue;
        flight->running = 1;
        flight->end     = simulation->now + simulation->model->time[flight->stage];
    }
}

static void start_all(struct simulation *simulation)
{
    const struct core_model *model = simulation->model;

    while (simulation->count < model->depth && simulation->begun < model->tokens) {
        simulation->flights[simulation->count++] = (struct flight){.stage = real_stage(simulation, 0)};
        simulation->begun++;
    }
    /* A thread that loads and sinks fills what is free first. */
    if (model->one_thread)
        start_stages(simulation, TRM_STAGE_LOAD);
    start_stages(simulation, TRM_STAGE_SINK);
}

/* To the next end of a stage; what has ended moves on. */
static void advance(struct simulation *simulation)
{
    uint64_t next = UINT64_MAX;
    uint32_t out  = 0;

    for (uint32_t i = 0; i < simulation->count; i++)
        if (simulation->flights[i].running && simulation->flights[i].end < next)
            next = simulation->flights[i].end;
    simulation->now = next;
    for (uint32_t i = 0; i < simulation->count; i++) {
        struct flight *flight = &simulation->flights[i];
        uint64_t number       = simulation->begun - simulation->count + i;

        if (!flight->running || flight->end != next)
            continue;
        if (number == simulation->model->tokens - 1 && (int32_t)flight->stage == simulation->critical)
            simulation->times->critical_done = next;
        *flight = (struct flight){.stage = real_stage(simulation, flight->stage + 1)};
        out += flight->stage == TRM_STAGES;
    }
    simulation->count -= out;
    simulation->done += out;
    memmove(simulation->flights, simulation->flights + out,
            simulation->count * sizeof(simulation->flights[0]));
}

static bool looks_as_seen(const struct simulation *simulation)
{
    if (simulation->count != simulation->seen_count)
        return false;
    for (uint32_t i = 0; i < simulation->count; i++) {
        const struct flight *flight = &simulation->flights[i], *seen = &simulation->seen[i];

        if (flight->stage != seen->stage || flight->running != seen->running)
            return false;
        if (flight->running && flight->end - simulation->now != seen->end - simulation->seen_now)
            return false;
    }
    return true;
}

/* It repeats itself from here on: skip as many whole periods as there are. The last token is begun after that, so that the end
 * of its critical stage is seen. */
static void skip(struct simulation *simulation)
{
    uint64_t tokens  = simulation->done - simulation->seen_done;
    uint64_t time    = simulation->now - simulation->seen_now;
    uint64_t periods = (simulation->model->tokens - simulation->begun - 1) / tokens;

    for (uint32_t i = 0; i < simulation->count; i++)
        if (simulation->flights[i].running)
            simulation->flights[i].end += periods * time;
    simulation->now += periods * time;
    simulation->begun += periods * tokens;
    simulation->done += periods * tokens;
    simulation->times->period = (time + tokens / 2) / tokens;
    simulation->searching     = 0;
}

/* After each token. The place that is compared with moves to every power of two. */
static void search(struct simulation *simulation)
{
    if (simulation->seen_done > 0 && (looks_as_seen(simulation) || simulation->done >= SEARCH_MOST)) {
        skip(simulation);
        return;
    }
    if (simulation->seen_done > 0 && simulation->done < 2 * simulation->seen_done)
        return;
    simulation->seen_now   = simulation->now;
    simulation->seen_done  = simulation->done;
    simulation->seen_count = simulation->count;
    memcpy(simulation->seen, simulation->flights, simulation->count * sizeof(simulation->seen[0]));
}

void core_predict_shared(const struct core_model *model, int32_t critical, struct core_model_times *times)
{
    struct simulation simulation = {.model = model, .critical = critical, .times = times, .searching = 1};

    memset(times, 0, sizeof(*times));
    while (simulation.done < model->tokens) {
        uint64_t before = simulation.done;

        start_all(&simulation);
        advance(&simulation);
        if (simulation.done == before)
            continue;
        if (before == 0)
            times->startup = simulation.now;
        if (simulation.searching && simulation.begun < model->tokens)
            search(&simulation);
    }
    times->elapsed = simulation.now;
    if (times->period == 0)
        times->period =
            model->tokens > 1 ? (times->elapsed - times->startup) / (model->tokens - 1) : times->elapsed;
}
