/* The pipeline object: creation and destruction.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/object/object.h"
#include "pipeline/queue/queue.h"

#define DESC_MIN 88 /* bytes of struct trm_pipeline_desc in the first version */

static struct pipeline *pipeline_of(struct core_object *object)
{
    return (struct pipeline *)object;
}

/* ---- members -------------------------------------------------------------------------------- */

static void member_destroy(struct pipeline *member)
{
    if (member->engine != NULL)
        pipeline_engine_destroy(member);
    pipeline_measure_destroy(member->measure);
    member->measure = NULL;
}

/* On several devices a lost one leaves its tokens to further slots of the others. */
static int32_t measure_create(struct pipeline *pipeline, bool is_alone)
{
    const char *names[PIPELINE_STAGES_MOST];
    uint32_t depth = pipeline->desc.depth != 0 ? pipeline->desc.depth : PIPELINE_DEPTH_TUNED_MOST;
    struct pipeline_measure_desc desc = {
        .depth        = is_alone ? depth : PIPELINE_DEPTH_MOST,
        .trace_tokens = is_alone || pipeline == pipeline->front ? pipeline->desc.trace_tokens : 0,
        .launch_count = pipeline->desc.stage_count,
        .launch_names = names,
    };

    for (uint32_t i = 0; i < desc.launch_count; i++)
        names[i] = pipeline->stages[i].name;
    return pipeline_measure_create(pipeline->object.context, &desc, &pipeline->measure);
}

/* Makes the engine of a member, with its memory. */
static int32_t member_make(struct pipeline *member)
{
    int32_t status = pipeline_engine_create(member);
    if (status != TRM_OK)
        return status;
    return measure_create(member, member->front == member);
}

/* A member that is not the front. */
static int32_t member_add(struct pipeline *front, const struct pipeline_place *place)
{
    struct pipeline *member = core_allocate(front->object.context, sizeof(*member));
    if (member == NULL)
        return base_fail_memory("making a pipeline");
    member->object.context = front->object.context;
    member->front          = front;
    member->member         = front->member_count;
    member->device         = place->device;
    member->desc           = *place->desc;
    member->desc.words     = NULL;
    member->desc.joins     = NULL;
    base_text_copy(member->name, sizeof(member->name), front->name);
    member->desc.name                     = member->name;
    front->members[front->member_count++] = member;
    return member_make(member);
}

/* Frees the members of a front, which have ended. */
static void members_free(struct pipeline *front)
{
    for (uint32_t i = 0; i < front->member_count; i++)
        if (front->members[i] != front)
            core_free(front->object.context, front->members[i], sizeof(*front));
}

/* ---- destruction ---------------------------------------------------------------------------- */

/* No work is in flight and no call is inside. */
static void pipeline_retire(struct core_object *object)
{
    struct pipeline *pipeline = pipeline_of(object);

    pipeline_queue_destroy(pipeline);
    pipeline_joins_destroy(pipeline);
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        member_destroy(pipeline->members[i]);
        core_device_uncount_child(pipeline->members[i]->device, CORE_PIPELINE);
    }
    pipeline_host_turns_destroy(pipeline);
    pipeline_measure_destroy(pipeline->measure);
}

static void pipeline_free(struct pipeline *pipeline)
{
    struct core_context *context = pipeline->object.context;

    base_biased_lock_fini(&pipeline->lock);
    base_biased_lock_fini(&pipeline->enqueue_lock);
    members_free(pipeline);
    core_free(context, pipeline, sizeof(*pipeline));
}

static void pipeline_release(struct core_object *object)
{
    struct core_device *devices[PIPELINE_MEMBERS_MOST];
    const struct pipeline *pipeline = pipeline_of(object);
    uint32_t count                  = pipeline->member_count;

    for (uint32_t i = 0; i < count; i++)
        devices[i] = pipeline->members[i]->device;
    pipeline_free(pipeline_of(object));
    for (uint32_t i = 0; i < count; i++)
        core_object_release(&devices[i]->object);
}

static const char *pipeline_device_id(const struct core_object *object)
{
    return ((const struct pipeline *)object)->members[0]->device->id;
}

static const struct core_object_ops pipeline_ops = {
    .type      = CORE_PIPELINE,
    .name      = "pipeline",
    .source    = __FILE__,
    .device_id = pipeline_device_id,
    .retire    = pipeline_retire,
    .release   = pipeline_release,
};

/* ---- creation ------------------------------------------------------------------------------- */

static uint64_t joined_ports(const struct trm_pipeline_desc *desc)
{
    uint64_t joined = 0;

    for (uint32_t i = 0; i < desc->join_count; i++)
        joined |= UINT64_C(1) << desc->joins[i].port;
    return joined;
}

/* Creates the members of a pipeline whose descriptors have been checked. */
static int32_t members_make(struct pipeline *front, const struct pipeline_place *places, uint32_t count,
                            struct trm_group *group)
{
    int32_t status = TRM_OK;

    if (count > 1) {
        for (uint32_t i = 0; status == TRM_OK && i < count; i++) {
            status = member_add(front, &places[i]);
            if (status == TRM_OK)
                status = pipeline_engine_check_copies(front->members[i], joined_ports(places[i].desc));
        }
        if (status != TRM_OK)
            return status;
        front->ports           = front->members[0]->ports;
        front->stages          = front->members[0]->stages;
        front->desc.ports      = front->ports;
        front->desc.stages     = front->stages;
        front->desc.after      = NULL;
        front->desc.priorities = NULL;
        front->desc.streams    = NULL;
        front->desc.devices    = NULL;
        status                 = pipeline_joins_create(front, group, places[0].desc);
        return status == TRM_OK ? measure_create(front, false) : status;
    }
    front->device       = places[0].device;
    front->members[0]   = front;
    front->member_count = 1;
    status              = member_make(front);
    return status == TRM_OK ? pipeline_joins_check(front, places[0].desc) : status;
}

static void members_unmake(struct pipeline *front)
{
    pipeline_joins_destroy(front);
    for (uint32_t i = 0; i < front->member_count; i++)
        member_destroy(front->members[i]);
    pipeline_host_turns_destroy(front);
    pipeline_measure_destroy(front->measure);
    front->measure = NULL;
}

/* Whether a stage does not run after all stages before it, by what the program declared. */
static bool declares_branches(const struct trm_pipeline_desc *desc)
{
    uint64_t before[64] = {0};

    if (desc->after == NULL || desc->stage_count > 64)
        return false;
    /* A stage may be declared after one with a higher number: repeats until nothing is added. */
    for (uint32_t turn = 0; turn < desc->stage_count; turn++)
        for (uint32_t i = 0; i < desc->stage_count; i++) {
            before[i] |= desc->after[i];
            for (uint32_t j = 0; j < desc->stage_count; j++)
                if (before[i] >> j & 1)
                    before[i] |= before[j];
        }
    for (uint32_t i = 0; i < desc->stage_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!(before[i] >> j & 1) && !(before[j] >> i & 1))
                return true;
    return false;
}

static int32_t pipeline_make(struct pipeline *pipeline, const struct pipeline_place *places, uint32_t count,
                             struct trm_group *group)
{
    int32_t status = members_make(pipeline, places, count, group);
    if (status != TRM_OK)
        goto unmake;
    status = pipeline_queue_create(pipeline);
    if (status != TRM_OK)
        goto unmake;
    pipeline->queue->has_declared_branches = declares_branches(places[0].desc);
    status = core_object_init(&pipeline->object, &pipeline_ops, pipeline->object.context);
    if (status != TRM_OK)
        goto destroy_queue;
    for (uint32_t i = 0; i < count; i++)
        core_device_add_child(places[i].device, CORE_PIPELINE);
    return TRM_OK;

destroy_queue:
    pipeline_queue_destroy(pipeline);
unmake:
    members_unmake(pipeline);
    return status;
}

static int32_t check(const struct pipeline_place *places, uint32_t count)
{
    uint64_t depth = (uint64_t)places[0].desc->depth * count;

    for (uint32_t i = 0; i < count; i++) {
        int32_t status = core_device_check(places[i].device);
        if (status == TRM_OK)
            status = pipeline_desc_check(places[i].device, places[i].desc);
        if (status != TRM_OK)
            return status;
    }
    if (depth > PIPELINE_DEPTH_MOST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a pipeline has at most %d slots on all its devices, not %" PRIu64,
                         PIPELINE_DEPTH_MOST, depth);
    return TRM_OK;
}

int32_t pipeline_create(const struct pipeline_place *places, uint32_t count, struct trm_group *group,
                        struct trm_pipeline **pipeline)
{
    const struct trm_pipeline_desc *desc = places[0].desc;
    struct core_context *context         = places[0].device->object.context;
    struct pipeline_report_words words;
    int32_t status = check(places, count);
    if (status == TRM_OK)
        status = pipeline_report_words_copy(desc->words, &words);
    if (status != TRM_OK)
        return status;
    struct pipeline *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("making a pipeline");
    made->object.context = context;
    made->front          = made;
    made->desc           = *desc;
    made->desc.words     = NULL;
    made->desc.joins     = NULL;
    made->words          = words;
    made->places         = places;
    for (uint32_t i = 0; desc->devices != NULL && i < desc->stage_count; i++)
        if (desc->devices[i].kind == TRM_STAGE_DEVICE_OF_GROUP)
            made->preferred_members |= 1u << desc->devices[i].index;
    base_biased_lock_init(&made->lock);
    base_biased_lock_init(&made->enqueue_lock);
    base_text_copy(made->name, sizeof(made->name), desc->name != NULL ? desc->name : "pipeline");
    made->desc.name = made->name;
    status          = pipeline_make(made, places, count, group);
    if (status != TRM_OK) {
        pipeline_free(made);
        return status;
    }
    made->places = NULL;
    *pipeline    = core_object_publish(&made->object);
    return TRM_OK;
}

int32_t pipeline_desc_copy(struct trm_pipeline_desc *own, const struct trm_pipeline_desc *given)
{
    *own = (struct trm_pipeline_desc){.struct_size = sizeof(*own)};
    return core_desc_copy(own, sizeof(*own), given, DESC_MIN, "trm_pipeline_desc");
}

int32_t trm_pipeline_create(struct trm_device *handle, const struct trm_pipeline_desc *desc,
                            struct trm_pipeline **pipeline)
{
    struct trm_pipeline_desc own;
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();

    int32_t status = core_output_check(pipeline, "trm_pipeline_create", "pipeline");
    if (status == TRM_OK)
        status = pipeline_desc_copy(&own, desc);
    if (status == TRM_OK)
        status = pipeline_desc_counts_check(&own);
    if (status == TRM_OK)
        status = pipeline_desc_devices_check(&own, 1);
    struct pipeline_place place = {.device = device, .desc = &own};
    if (status == TRM_OK)
        status = pipeline_create(&place, 1, NULL, pipeline);
    core_object_leave(&device->object);
    return status;
}

struct pipeline *pipeline_enter(struct trm_pipeline *handle)
{
    return core_object_enter(handle, CORE_PIPELINE);
}

void trm_pipeline_destroy(struct trm_pipeline *handle)
{
    if (handle == NULL)
        return;
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return;
    if (pipeline_queue_close(pipeline) == TRM_OK)
        core_object_kill(&pipeline->object);
    core_object_leave(&pipeline->object);
}
