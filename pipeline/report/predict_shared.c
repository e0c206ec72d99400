/* Prediction of stages that share processors or a thread: list scheduling, token by token, older tokens
 * first. The state of the tokens in flight when a token ends decides everything that follows, so once a state
 * repeats (Brent's cycle search) whole periods are skipped.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/predict.h"

#include <string.h>

enum {
    /* tokens; a state that has not repeated by then is taken to go on as on average */
    SEARCH_MOST = 1 << 12
};

/* A token in flight. Unless tokens have times of their own, older ones are never in an earlier stage than
 * younger ones. One that has ended before an older one stays until that has ended too. */
struct flight {
    uint32_t stage;
    bool running;
    uint64_t end; /* of the running stage; else 0 */
};

struct simulation {
    const struct pipeline_model *model;
    int32_t critical;
    uint64_t now, begun, done;
    uint64_t host_free; /* the memory of the host has moved the bytes of the last token */
    uint32_t count;     /* tokens in flight, oldest first */
    struct flight flights[PIPELINE_PREDICT_DEPTH_MOST];
    struct pipeline_model_times *times;

    /* An earlier state, to notice its repetition. */
    bool searching;
    uint64_t seen_now, seen_done, seen_host;
    uint32_t seen_count, seen_device;
    struct flight seen[PIPELINE_PREDICT_DEPTH_MOST];
};

/* The first stage from this one on that takes time; TRM_STAGES after the last. */
static uint32_t real_stage(const struct simulation *simulation, uint32_t stage)
{
    while (stage < TRM_STAGES && simulation->model->time[stage] == 0)
        stage++;
    return stage;
}

/* The device of a token in flight. */
static uint32_t device_of(const struct simulation *simulation, uint32_t flight)
{
    uint64_t number = simulation->begun - simulation->count + flight;

    return (uint32_t)(number % pipeline_model_devices(simulation->model));
}

/* Whether a lane, a processor and the thread are free for this stage of a token; on its device, for a stage
 * of the device. */
static bool has_room(const struct simulation *simulation, uint32_t token)
{
    const struct pipeline_model *model = simulation->model;
    uint32_t stage                     = simulation->flights[token].stage;
    bool is_on_device                  = pipeline_stage_is_on_device(stage);
    uint32_t lanes = is_on_device ? model->lanes[stage] / pipeline_model_devices(model) : model->lanes[stage];
    uint32_t same = 0, device = 0, host = 0;

    for (uint32_t i = 0; i < simulation->count; i++) {
        const struct flight *flight = &simulation->flights[i];
        if (!flight->running || (is_on_device && device_of(simulation, i) != device_of(simulation, token)))
            continue;
        same += flight->stage == stage;
        device += (uint32_t)pipeline_stage_is_on_device(flight->stage);
        host += (uint32_t)!pipeline_stage_is_on_device(flight->stage);
    }
    if (same >= lanes)
        return false;
    if (is_on_device)
        return model->processors == 0 || device < model->processors;
    return !model->one_thread || host == 0;
}

/* Whether the token before this one, on the device if the stage is one of the device, has got as far: tokens
 * stay in order, even if a younger one took less time in a stage of several lanes. */
static bool is_next(const struct simulation *simulation, uint32_t token)
{
    const struct flight *flight = &simulation->flights[token];
    uint32_t back =
        pipeline_stage_is_on_device(flight->stage) ? pipeline_model_devices(simulation->model) : 1;

    if (token < back)
        return true;
    const struct flight *before = flight - back;
    return before->stage > flight->stage || (before->stage == flight->stage && before->running);
}

/* Whether the memory of the host is free for a token's copies, which begin with this stage. */
static bool must_wait_for_host(const struct simulation *simulation, uint32_t stage)
{
    return stage == pipeline_model_first_copy(simulation->model) && simulation->now < simulation->host_free;
}

/* How long a token in flight takes in its stage. */
static uint64_t time_of(const struct simulation *simulation, uint32_t flight)
{
    const struct pipeline_model *model = simulation->model;
    uint32_t stage                     = simulation->flights[flight].stage;

    if (model->samples == NULL)
        return model->time[stage];
    return model->samples[simulation->begun - simulation->count + flight].time[stage];
}

/* Starts tokens in stages up to `last` that can start, oldest first. */
static void start_stages(struct simulation *simulation, uint32_t last)
{
    for (uint32_t i = 0; i < simulation->count; i++) {
        struct flight *flight = &simulation->flights[i];

        if (flight->running || flight->stage > last || !is_next(simulation, i) || !has_room(simulation, i) ||
            must_wait_for_host(simulation, flight->stage))
            continue;
        if (flight->stage == pipeline_model_first_copy(simulation->model))
            simulation->host_free = simulation->now + simulation->model->host_time;
        flight->running = true;
        flight->end     = simulation->now + time_of(simulation, i);
    }
}

static void start_all(struct simulation *simulation)
{
    const struct pipeline_model *model = simulation->model;

    while (simulation->count < model->depth && simulation->begun < model->tokens) {
        simulation->flights[simulation->count++] = (struct flight){.stage = real_stage(simulation, 0)};
        simulation->begun++;
    }
    /* A thread that loads and sinks fills free slots first. */
    if (model->one_thread)
        start_stages(simulation, TRM_STAGE_LOAD);
    start_stages(simulation, TRM_STAGE_SINK);
}

/* Advances to the next end of a stage and moves ended tokens on. */
static void advance(struct simulation *simulation)
{
    uint64_t next = UINT64_MAX;
    uint32_t out  = 0;

    for (uint32_t i = 0; i < simulation->count; i++)
        if (simulation->flights[i].running && simulation->flights[i].end < next)
            next = simulation->flights[i].end;
    if (simulation->host_free > simulation->now && simulation->host_free < next)
        next = simulation->host_free;
    simulation->now = next;
    for (uint32_t i = 0; i < simulation->count; i++) {
        struct flight *flight = &simulation->flights[i];
        uint64_t number       = simulation->begun - simulation->count + i;

        if (!flight->running || flight->end != next)
            continue;
        if (number == simulation->model->tokens - 1 && (int32_t)flight->stage == simulation->critical)
            simulation->times->critical_done = next;
        *flight = (struct flight){.stage = real_stage(simulation, flight->stage + 1)};
    }
    while (out < simulation->count && simulation->flights[out].stage == TRM_STAGES)
        out++;
    simulation->count -= out;
    simulation->done += out;
    memmove(simulation->flights, simulation->flights + out,
            simulation->count * sizeof(simulation->flights[0]));
}

/* For how long the memory of the host is not free. */
static uint64_t host_wait(const struct simulation *simulation)
{
    return simulation->host_free > simulation->now ? simulation->host_free - simulation->now : 0;
}

static bool looks_as_seen(const struct simulation *simulation)
{
    if (simulation->count != simulation->seen_count || device_of(simulation, 0) != simulation->seen_device ||
        host_wait(simulation) != simulation->seen_host)
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

/* The state repeats from here on: skips as many whole periods as possible. The last token begins afterwards,
 * so that the end of its critical stage is seen. */
static void skip(struct simulation *simulation)
{
    uint64_t tokens  = simulation->done - simulation->seen_done;
    uint64_t time    = simulation->now - simulation->seen_now;
    uint64_t periods = (simulation->model->tokens - simulation->begun - 1) / tokens;

    periods -= periods % pipeline_model_devices(simulation->model); /* tokens keep their devices */
    for (uint32_t i = 0; i < simulation->count; i++)
        if (simulation->flights[i].running)
            simulation->flights[i].end += periods * time;
    simulation->now += periods * time;
    simulation->host_free += periods * time;
    simulation->begun += periods * tokens;
    simulation->done += periods * tokens;
    simulation->times->period = (time + tokens / 2) / tokens;
    simulation->searching     = false;
}

/* Called after each token. The state to compare with is renewed at every power of two. */
static void search(struct simulation *simulation)
{
    if (simulation->seen_done > 0 && (looks_as_seen(simulation) || simulation->done >= SEARCH_MOST)) {
        skip(simulation);
        return;
    }
    if (simulation->seen_done > 0 && simulation->done < 2 * simulation->seen_done)
        return;
    simulation->seen_now    = simulation->now;
    simulation->seen_done   = simulation->done;
    simulation->seen_count  = simulation->count;
    simulation->seen_device = device_of(simulation, 0);
    simulation->seen_host   = host_wait(simulation);
    memcpy(simulation->seen, simulation->flights, simulation->count * sizeof(simulation->seen[0]));
}

void pipeline_predict_shared(const struct pipeline_model *model, int32_t critical,
                             struct pipeline_model_times *times)
{
    struct simulation simulation = {
        .model = model, .critical = critical, .times = times, .searching = model->samples == NULL};

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
