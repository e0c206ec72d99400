/* The order of stages, which may fork and join: checks it, makes it an order inside the engine, and runs
 * branches of a token at once.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/module/module.h"
#include "core/stream/stream.h"

/* Of a cycle in a sentence; a longer one is cut. */
#define CYCLE_BYTES 400

/* The stages that a stage is declared to run after. */
static uint64_t after_of(const struct trm_pipeline_desc *desc, uint32_t stage)
{
    if (desc->after != NULL)
        return desc->after[stage];
    return stage == 0 ? 0 : PIPELINE_BIT(stage - 1);
}

static int32_t priority_of(const struct trm_pipeline_desc *desc, uint32_t stage)
{
    return desc->priorities != NULL ? desc->priorities[stage] : TRM_PRIORITY_NORMAL;
}

static int32_t preference_of(const struct trm_pipeline_desc *desc, uint32_t stage)
{
    return desc->streams != NULL ? desc->streams[stage].kind : TRM_STAGE_STREAM_ANY;
}

static uint32_t first_of(uint64_t stages)
{
    return (uint32_t)__builtin_ctzll(stages);
}

/* ---- cycles --------------------------------------------------------------------------------- */

/* A stage without a name of its own has its kernel's. */
static const char *name_of(const struct trm_pipeline_desc *desc, uint32_t stage)
{
    const struct trm_stage *declared = &desc->stages[stage];

    if (declared->name != NULL)
        return declared->name;
    const struct core_kernel *kernel = declared->kernel != NULL ? core_kernel_find(declared->kernel) : NULL;
    return kernel != NULL ? kernel->name : "host";
}

/* Every stage of `left` runs after another one of `left`, so walking back from any of them meets one
 * twice. */
static int32_t fail_cycle(const struct trm_pipeline_desc *desc, uint64_t left)
{
    uint32_t stage = first_of(left), first, length = 0;
    char text[CYCLE_BYTES];

    for (uint64_t seen = 0; !(seen & PIPELINE_BIT(stage)); stage = first_of(after_of(desc, stage) & left))
        seen |= PIPELINE_BIT(stage);
    first = stage;
    do {
        int written = snprintf(text + length, sizeof(text) - length, "%s\"%.40s\" (stage %" PRIu32 ")",
                               length == 0 ? "" : " after ", name_of(desc, stage), stage);
        length += written > 0 ? (uint32_t)written : 0;
        stage = first_of(after_of(desc, stage) & left);
    } while (stage != first && length < sizeof(text) - 1);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "stages run in a cycle: %s after \"%.40s\"", text,
                     name_of(desc, first));
}

/* The first stage of `left` that runs after none of them; PIPELINE_STAGES_MOST: there is none. */
static uint32_t next_ready(const struct trm_pipeline_desc *desc, uint64_t left)
{
    for (uint64_t rest = left; rest != 0; rest &= rest - 1)
        if ((after_of(desc, first_of(rest)) & left) == 0)
            return first_of(rest);
    return PIPELINE_STAGES_MOST;
}

static uint64_t all_stages(const struct trm_pipeline_desc *desc)
{
    return desc->stage_count == 64 ? UINT64_MAX : PIPELINE_BIT(desc->stage_count) - 1;
}

/* ---- streams that stages prefer --------------------------------------------------------------- */

static int32_t check_stream(const struct trm_pipeline_desc *desc, uint32_t stage)
{
    const struct trm_stage_stream *preferred = &desc->streams[stage];
    const char *wrong                        = NULL;
    char text[PIPELINE_LABEL_BYTES];

    if (preferred->kind < TRM_STAGE_STREAM_ANY || preferred->kind > TRM_STAGE_STREAM_GIVEN)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s prefers a stream of kind %" PRId32 ", which does not exist",
                         pipeline_stage_label(desc->stages, stage, text), preferred->kind);
    if (preferred->kind == TRM_STAGE_STREAM_GIVEN && preferred->stream == NULL)
        wrong = "prefers a stream of the program's, which is NULL";
    else if (preferred->kind != TRM_STAGE_STREAM_GIVEN && preferred->stream != NULL)
        wrong = "names a stream, but its kind is not TRM_STAGE_STREAM_GIVEN";
    if (wrong == NULL)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s %s", pipeline_stage_label(desc->stages, stage, text),
                     wrong);
}

/* Whether an earlier stage prefers the same stream. */
static bool is_named_before(const struct trm_pipeline_desc *desc, uint32_t stage)
{
    for (uint32_t i = 0; i < stage; i++)
        if (desc->streams[stage].stream != NULL && desc->streams[i].stream == desc->streams[stage].stream)
            return true;
    return false;
}

static int32_t check_streams(const struct trm_pipeline_desc *desc)
{
    uint32_t count = 0;

    for (uint32_t i = 0; desc->streams != NULL && i < desc->stage_count; i++) {
        int32_t status = check_stream(desc, i);
        if (status != TRM_OK)
            return status;
        count += preference_of(desc, i) != TRM_STAGE_STREAM_ANY && !is_named_before(desc, i);
    }
    if (count <= PIPELINE_LANES_PREFERRED)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "the stages prefer %" PRIu32 " streams, but may prefer %d at most", count,
                     PIPELINE_LANES_PREFERRED);
}

int32_t pipeline_branches_check(const struct trm_pipeline_desc *desc)
{
    uint64_t left  = all_stages(desc);
    int32_t status = check_streams(desc);
    char text[PIPELINE_LABEL_BYTES];

    if (status != TRM_OK)
        return status;

    for (uint32_t i = 0; i < desc->stage_count; i++) {
        uint64_t unknown = after_of(desc, i) & ~left;
        if (unknown != 0)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "%s runs after stage %" PRIu32 ", but the pipeline has %" PRIu32 " stage%s",
                             pipeline_stage_label(desc->stages, i, text), first_of(unknown),
                             desc->stage_count, base_plural(desc->stage_count));
    }
    for (uint32_t i = 0; i < desc->stage_count; i++) {
        int32_t priority = priority_of(desc, i);
        if (priority < TRM_PRIORITY_LOW || priority > TRM_PRIORITY_HIGH)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "%s prefers priority %" PRId32 ", which does not exist",
                             pipeline_stage_label(desc->stages, i, text), priority);
    }
    while (left != 0) {
        uint32_t stage = next_ready(desc, left);
        if (stage == PIPELINE_STAGES_MOST)
            return fail_cycle(desc, left);
        left &= ~PIPELINE_BIT(stage);
    }
    return TRM_OK;
}

/* ---- the order ------------------------------------------------------------------------------ */

void pipeline_branches_sort(const struct trm_pipeline_desc *desc, struct pipeline_stage_plan *plans,
                            uint32_t declared[PIPELINE_STAGES_MOST])
{
    uint32_t number[PIPELINE_STAGES_MOST] = {0};
    uint64_t left                         = all_stages(desc);

    for (uint32_t i = 0; i < desc->stage_count; i++) {
        declared[i] = next_ready(desc, left) % PIPELINE_STAGES_MOST; /* there is one: it has been checked */
        number[declared[i]] = i;
        left &= ~PIPELINE_BIT(declared[i]);
        for (uint64_t after = after_of(desc, declared[i]); after != 0; after &= after - 1)
            plans[i].after |= PIPELINE_BIT(number[first_of(after)]);
        plans[i].priority = priority_of(desc, declared[i]);
        plans[i].prefers  = preference_of(desc, declared[i]);
    }
}

/* Adds to `before` of a stage what it runs after, at once and by others. */
static void note_before(struct pipeline_stage_plan *plans, uint32_t stage)
{
    for (uint64_t after = plans[stage].after; after != 0; after &= after - 1)
        plans[stage].before |= PIPELINE_BIT(first_of(after)) | plans[first_of(after)].before;
}

/* ---- races ---------------------------------------------------------------------------------- */

/* The ports that both touch and one of them writes: for certain, or as far as is known. */
static uint64_t find_races(const struct pipeline_stage_plan *one, const struct pipeline_stage_plan *other,
                           bool is_certain)
{
    uint64_t touched = one->reads | one->writes, also = other->reads | other->writes;

    return is_certain ? (one->surely_writes & also) | (other->surely_writes & touched)
                      : (one->writes & also) | (other->writes & touched);
}

static int32_t fail_race(const struct pipeline *pipeline, uint32_t one, uint32_t other, uint32_t port)
{
    const struct pipeline_stage_plan *plans = pipeline->engine->plans;
    bool is_first                           = (plans[one].surely_writes & PIPELINE_BIT(port)) != 0;
    bool both                               = is_first && (plans[other].surely_writes & PIPELINE_BIT(port));
    char text[PIPELINE_LABEL_BYTES];

    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "stages \"%s\" and \"%s\" have no order, but \"%s\" writes %s, which \"%s\" %s: let one "
                     "run after the other",
                     plans[one].name, plans[other].name, plans[is_first ? one : other].name,
                     pipeline_port_label(pipeline->ports, port, text), plans[is_first ? other : one].name,
                     both ? "writes, too" : "uses");
}

static int32_t check_races(const struct pipeline *pipeline)
{
    const struct pipeline_stage_plan *plans = pipeline->engine->plans;

    for (uint32_t i = 1; i < pipeline->desc.stage_count; i++)
        for (uint64_t rest = ~plans[i].before & (PIPELINE_BIT(i) - 1); rest != 0; rest &= rest - 1) {
            uint64_t ports = find_races(&plans[first_of(rest)], &plans[i], true);
            if (ports != 0)
                return fail_race(pipeline, first_of(rest), i, first_of(ports));
        }
    return TRM_OK;
}

/* Orders a stage behind earlier ones: host stages run one at a time, and a kernel that does not tell how it
 * uses a port may write it. */
static void add_order(const struct pipeline *pipeline, uint32_t stage)
{
    struct pipeline_stage_plan *plans = pipeline->engine->plans;
    struct pipeline_stage_plan *plan  = &plans[stage];

    note_before(plans, stage);
    for (uint32_t i = stage; i-- > 0;) {
        bool are_on_host = plan->kernel == NULL && plans[i].kernel == NULL;
        if ((plan->before & PIPELINE_BIT(i)) || (!are_on_host && find_races(&plans[i], plan, false) == 0))
            continue;
        plan->after |= PIPELINE_BIT(i);
        plan->before |= PIPELINE_BIT(i) | plans[i].before;
    }
}

/* ---- lanes ---------------------------------------------------------------------------------- */

/* While stages get lanes, one after the other. */
struct lanes {
    struct pipeline_stage_plan *plans;
    uint32_t count, chosen;    /* chosen: of them, those that no stage prefers */
    uint32_t preferred, given; /* as in struct pipeline_device */
    int32_t priorities[PIPELINE_LANES_MOST];
    uint64_t stages[PIPELINE_LANES_MOST]; /* on the lane so far; only lane 0 may have none */
    /* stages that have ended when the last stage of the lane has, and when each stage has */
    uint64_t ended[PIPELINE_LANES_MOST];
    uint64_t ended_by[PIPELINE_STAGES_MOST];
};

static uint32_t last_of(uint64_t stages)
{
    return 63 - (uint32_t)__builtin_clzll(stages);
}

/* Whether the last stage of a lane is one of these. */
static bool ends_with(const struct lanes *lanes, uint32_t lane, uint64_t stages)
{
    return lanes->stages[lane] == 0 || (stages & PIPELINE_BIT(last_of(lanes->stages[lane])));
}

/* Whether the last stage of a lane comes before that of another one. */
static bool ends_before(const struct lanes *lanes, uint32_t lane, uint32_t other)
{
    return lanes->stages[other] != 0 && last_of(lanes->stages[lane]) < last_of(lanes->stages[other]);
}

static bool is_preferred(const struct lanes *lanes, uint32_t lane)
{
    return (lanes->preferred >> lane & 1) != 0;
}

static bool is_same_stream(const struct pipeline_stage_plan *one, const struct pipeline_stage_plan *other)
{
    if (one->away != NULL || other->away != NULL)
        return one->away == other->away;
    return one->prefers == TRM_STAGE_STREAM_GIVEN && other->prefers == one->prefers &&
           core_stream_find(one->stream) == core_stream_find(other->stream);
}

/* The lane of the stream that a stage prefers: that of another stage on the same other device, or for the
 * same one of the program's; or a new one. */
static uint32_t find_preferred(const struct lanes *lanes, uint32_t stage)
{
    for (uint32_t i = 0; i < stage; i++)
        if (is_same_stream(&lanes->plans[i], &lanes->plans[stage]))
            return lanes->plans[i].lane;
    return lanes->count;
}

/* A lane whose last stage comes before this one anyway, best directly; else a new lane; else the one that has
 * been left alone the longest. A lane of another priority only where there is no room for more lanes. */
static uint32_t choose_lane(const struct lanes *lanes, uint32_t stage)
{
    const struct pipeline_stage_plan *plan = &lanes->plans[stage];
    const uint64_t wanted[2]               = {plan->after, plan->before};
    uint32_t oldest                        = 0;

    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t lane = 0; lane < lanes->count; lane++)
            if (!is_preferred(lanes, lane) && lanes->priorities[lane] == plan->priority &&
                ends_with(lanes, lane, wanted[i]))
                return lane;
    if (lanes->chosen < PIPELINE_LANES_CHOSEN)
        return lanes->count;
    for (uint32_t lane = 1; lane < lanes->count; lane++)
        if (!is_preferred(lanes, lane) && ends_before(lanes, lane, oldest))
            oldest = lane;
    return oldest;
}

/* The latest of these stages on each other lane that this lane does not know to have ended. */
static uint64_t find_waits(const struct lanes *lanes, uint32_t lane, uint64_t stages)
{
    uint64_t waits = 0;

    for (uint32_t i = 0; i < lanes->count; i++) {
        uint64_t open = i == lane ? 0 : stages & lanes->stages[i] & ~lanes->ended[lane];
        if (open != 0)
            waits |= PIPELINE_BIT(last_of(open));
    }
    return waits;
}

static void note_ended(struct lanes *lanes, uint32_t lane, uint64_t waits)
{
    for (; waits != 0; waits &= waits - 1) {
        lanes->ended[lane] |= PIPELINE_BIT(first_of(waits)) | lanes->ended_by[first_of(waits)];
        lanes->plans[first_of(waits)].is_awaited = true;
    }
}

static void add_lane(struct lanes *lanes, const struct pipeline_stage_plan *plan)
{
    uint32_t bit = 1u << lanes->count;

    lanes->priorities[lanes->count++] = plan->priority;
    if (plan->prefers == TRM_STAGE_STREAM_ANY)
        lanes->chosen++;
    else
        lanes->preferred |= bit;
    if (plan->prefers == TRM_STAGE_STREAM_GIVEN)
        lanes->given |= bit;
}

static void place(struct lanes *lanes, uint32_t stage)
{
    struct pipeline_stage_plan *plan = &lanes->plans[stage];

    plan->lane =
        plan->prefers == TRM_STAGE_STREAM_ANY ? choose_lane(lanes, stage) : find_preferred(lanes, stage);
    if (plan->lane == lanes->count)
        add_lane(lanes, plan);
    plan->waits      = find_waits(lanes, plan->lane, plan->after);
    plan->is_forking = plan->lane != 0 && lanes->stages[plan->lane] == 0 && plan->waits == 0;
    note_ended(lanes, plan->lane, plan->waits);
    lanes->stages[plan->lane] |= PIPELINE_BIT(stage);
    lanes->ended[plan->lane] |= PIPELINE_BIT(stage);
    lanes->ended_by[stage] = lanes->ended[plan->lane];
}

/* What a stage really runs after: also the stage before it on its lane. */
static int32_t note_order(struct pipeline *pipeline, const struct lanes *lanes)
{
    struct pipeline_device *engine = pipeline->engine;
    uint32_t count                 = pipeline->desc.stage_count;

    engine->launch_after = core_allocate(pipeline->object.context, count * sizeof(*engine->launch_after));
    if (engine->launch_after == NULL)
        return base_fail_memory("making a pipeline");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t earlier = lanes->stages[engine->plans[i].lane] & (PIPELINE_BIT(i) - 1);
        engine->launch_after[i] =
            engine->plans[i].after | (earlier != 0 ? PIPELINE_BIT(last_of(earlier)) : 0);
    }
    return TRM_OK;
}

int32_t pipeline_branches_plan(struct pipeline *pipeline)
{
    struct pipeline_device *engine = pipeline->engine;
    struct lanes lanes             = {.plans = engine->plans, .count = 1, .chosen = 1};
    uint64_t all                   = 0;

    engine->lane_count = 1;
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++)
        note_before(engine->plans, i);
    int32_t status = check_races(pipeline);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        add_order(pipeline, i);
        place(&lanes, i);
        all |= PIPELINE_BIT(i);
        engine->has_branches |= engine->plans[i].before != PIPELINE_BIT(i) - 1;
    }
    if (lanes.count < 2)
        return TRM_OK;
    engine->lane_count      = lanes.count;
    engine->preferred_lanes = lanes.preferred;
    engine->given_lanes     = lanes.given;
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++)
        if (engine->plans[i].prefers == TRM_STAGE_STREAM_GIVEN)
            engine->lanes[engine->plans[i].lane] = engine->plans[i].stream;
    memcpy(engine->priorities, lanes.priorities, sizeof(engine->priorities));
    engine->joins = find_waits(&lanes, 0, all);
    note_ended(&lanes, 0, engine->joins);
    return note_order(pipeline, &lanes);
}

void pipeline_branches_fini(struct pipeline *pipeline)
{
    struct pipeline_device *engine = pipeline->engine;

    core_free(pipeline->object.context, engine->launch_after,
              pipeline->desc.stage_count * sizeof(*engine->launch_after));
    engine->launch_after = NULL;
}

/* ---- running branches at once ---------------------------------------------------------------- */

/* Each lane is a stream. A lane that stages prefer is the same one for all tokens. Lane 0 is the stream that
 * the token has anyway; the others wait for it where their first stage begins, and it waits for them where
 * branches join, at the latest behind the last stage. So whatever waits for lane 0 then, such as downloads
 * and the next token in order, waits for all stages.
 *
 * A token that is recorded as a graph, or that is cut in pieces, has its stages on one stream, one after the
 * other. */

/* Waiting for another stream takes a processor of the host two microseconds, which branches must save. Where
 * host and device are one, and the program leaves the choice, shorter tokens than this have their stages in
 * order. */
#define LEAST_NS 20000u

bool pipeline_lanes_help(const struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t length                      = atomic_load_explicit(&engine->token_ns, memory_order_relaxed);

    if (engine->lane_count < 2 || engine->pieces.count > 1)
        return false;
    return engine->preferred_lanes != 0 || !engine->unified || pipeline->desc.strategy != TRM_STRATEGY_AUTO ||
           length == 0 || length >= LEAST_NS;
}

/* Orders a lane behind a stage of another one. */
static int32_t wait_for(const struct core_recorder *recorder, uint64_t stages)
{
    const struct trm_point *ends = recorder->slot->device->stage_ends;
    int32_t status               = TRM_OK;

    for (; status == TRM_OK && stages != 0; stages &= stages - 1)
        status = trm_stream_wait(recorder->stream, ends[__builtin_ctzll(stages)]);
    return status;
}

static int32_t mark(struct trm_stream *handle, struct trm_point *point)
{
    struct core_stream *stream = core_stream_find(handle);
    if (stream == NULL)
        return base_last_status();
    point->stream = handle;
    return core_stream_mark(stream, &point->value);
}

int32_t pipeline_lanes_begin(const struct core_recorder *main)
{
    struct pipeline_slot_device *own = main->slot->device;

    own->uses_lanes = main->recording == NULL && pipeline_lanes_help(main->slot->pipeline);
    if (!own->uses_lanes)
        return TRM_OK;
    int32_t status = mark(main->stream, &own->forked);
    return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "compute");
}

/* Orders the first stage of a lane behind what the stages begin with. In role streams lane 0 has other
 * tokens' stages, too, for which a lane with one stream for all tokens need not wait. */
static int32_t wait_for_fork(const struct core_recorder *main, uint32_t lane, struct core_recorder *recorder)
{
    const struct pipeline_device *engine   = main->slot->pipeline->engine;
    const struct pipeline_slot_device *own = main->slot->device;
    int32_t status                         = TRM_OK;

    if (!(engine->preferred_lanes >> lane & 1) || main->stream == own->stream)
        return trm_stream_wait(recorder->stream, own->forked);
    if (pipeline_slot_has_copies(main->slot, engine->input_ports))
        status = trm_stream_wait(recorder->stream, pipeline_slot_point(&own->uploaded));
    return status == TRM_OK ? pipeline_record_wait_turn(recorder) : status;
}

int32_t pipeline_lane_enter(const struct core_recorder *main, uint32_t stage, struct core_recorder *recorder)
{
    struct pipeline_slot *slot             = main->slot;
    const struct pipeline_stage_plan *plan = &slot->pipeline->engine->plans[stage];
    int32_t status                         = TRM_OK;

    *recorder = *main;
    if (!slot->device->uses_lanes)
        return TRM_OK;
    if (plan->lane != 0)
        status = pipeline_lane_stream(slot, main->stream, plan->lane, &recorder->stream);
    if (plan->lane != 0 && status == TRM_OK)
        pipeline_slot_mark(&slot->device->lane_ends[plan->lane], recorder->stream, false);
    if (status == TRM_OK && plan->is_forking)
        status = wait_for_fork(main, plan->lane, recorder);
    return status == TRM_OK ? wait_for(recorder, plan->waits) : status;
}

int32_t pipeline_lane_leave(const struct core_recorder *recorder, uint32_t stage)
{
    struct pipeline_slot_device *own       = recorder->slot->device;
    const struct pipeline_stage_plan *plan = &recorder->slot->pipeline->engine->plans[stage];
    int32_t status                         = TRM_OK;

    if (!own->uses_lanes)
        return TRM_OK;
    if (plan->is_awaited)
        status = mark(recorder->stream, &own->stage_ends[stage]);
    if (plan->lane != 0)
        pipeline_slot_mark(&own->lane_ends[plan->lane], recorder->stream, false);
    return status;
}

/* What was enqueued before a failure must be waited for, too: by an exact point. Without one, the last stage
 * of each lane has a point that lane 0 waits for. */
static void finish_lanes(const struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;
    struct base_saved_error saved;

    base_error_save(&saved);
    for (uint32_t i = 1; i < slot->pipeline->engine->lane_count; i++) {
        struct trm_stream *stream = pipeline_slot_point(&own->lane_ends[i]).stream;
        if (stream != NULL)
            pipeline_slot_mark(&own->lane_ends[i], stream, true);
    }
    base_error_restore(&saved);
}

/* The thread that waits for the token may run lane 0 itself, so the others must be on their way. A failure to
 * submit shows when the token is waited for. */
static void submit_lanes(const struct pipeline_slot *slot)
{
    for (uint32_t i = 1; i < slot->pipeline->engine->lane_count; i++) {
        struct trm_point end       = pipeline_slot_point(&slot->device->lane_ends[i]);
        struct core_stream *stream = end.stream != NULL ? core_stream_find(end.stream) : NULL;
        if (stream != NULL && core_stream_failure_status(stream) == TRM_OK)
            core_stream_submit(stream, end.value);
    }
}

int32_t pipeline_lanes_join(const struct core_recorder *main, int32_t status)
{
    if (!main->slot->device->uses_lanes)
        return status;
    if (status == TRM_OK) {
        status = wait_for(main, main->slot->pipeline->engine->joins);
        status = status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "compute");
    }
    if (status != TRM_OK)
        finish_lanes(main->slot);
    else
        submit_lanes(main->slot);
    return status;
}
