/* The pipeline object: creation and destruction.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/queue/queue.h"

#include "core/object/object.h"

#define DESC_MIN 88 /* bytes of struct trm_pipeline_desc in the first version */

static struct pipeline *pipeline_of(struct core_object *object)
{
    return (struct pipeline *)object;
}

/* ---- destruction ---------------------------------------------------------------------------- */

/* No work is in flight and no call is inside. */
static void pipeline_retire(struct core_object *object)
{
    struct pipeline *pipeline = pipeline_of(object);

    pipeline_queue_destroy(pipeline);
    pipeline_engine_destroy(pipeline);
    pipeline_measure_destroy(pipeline->measure);
    core_device_uncount_child(pipeline->device, CORE_PIPELINE);
}

static void pipeline_free(struct pipeline *pipeline)
{
    struct core_context *context = pipeline->object.context;

    pthread_mutex_destroy(&pipeline->lock);
    pthread_mutex_destroy(&pipeline->enqueue_lock);
    core_free(context, pipeline, sizeof(*pipeline));
}

static void pipeline_release(struct core_object *object)
{
    struct core_device *device = pipeline_of(object)->device;

    pipeline_free(pipeline_of(object));
    core_object_release(&device->object);
}

static const char *pipeline_device_id(const struct core_object *object)
{
    return ((const struct pipeline *)object)->device->id;
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

static int32_t measure_create(struct pipeline *pipeline)
{
    const char *names[PIPELINE_STAGES_MOST];
    struct pipeline_measure_desc desc = {
        .depth        = pipeline->desc.depth != 0 ? pipeline->desc.depth : PIPELINE_DEPTH_TUNED_MOST,
        .trace_tokens = pipeline->desc.trace_tokens,
        .launch_count = pipeline->desc.stage_count,
        .launch_names = names,
    };

    for (uint32_t i = 0; i < desc.launch_count; i++)
        names[i] = pipeline->stages[i].name;
    return pipeline_measure_create(pipeline->object.context, &desc, &pipeline->measure);
}

/* Creates the parts of a pipeline whose descriptor has been checked. */
static int32_t pipeline_make(struct pipeline *pipeline)
{
    int32_t status = pipeline_engine_create(pipeline);
    if (status != TRM_OK)
        return status;
    status = measure_create(pipeline);
    if (status != TRM_OK)
        goto destroy_engine;
    status = pipeline_queue_create(pipeline);
    if (status != TRM_OK)
        goto destroy_measure;
    status = core_object_init(&pipeline->object, &pipeline_ops, pipeline->object.context);
    if (status != TRM_OK)
        goto destroy_queue;
    core_device_add_child(pipeline->device, CORE_PIPELINE);
    return TRM_OK;

destroy_queue:
    pipeline_queue_destroy(pipeline);
destroy_measure:
    pipeline_measure_destroy(pipeline->measure);
destroy_engine:
    pipeline_engine_destroy(pipeline);
    return status;
}

static int32_t pipeline_create(struct core_device *device, const struct trm_pipeline_desc *desc,
                               struct pipeline **pipeline)
{
    struct core_context *context = device->object.context;

    struct pipeline_report_words words;
    int32_t status = pipeline_desc_check(device, desc);
    if (status == TRM_OK)
        status = pipeline_report_words_copy(desc->words, &words);
    if (status != TRM_OK)
        return status;
    struct pipeline *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("making a pipeline");
    made->object.context = context;
    made->device         = device;
    made->desc           = *desc;
    made->desc.words     = NULL;
    made->words          = words;
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->enqueue_lock, NULL);
    base_text_copy(made->name, sizeof(made->name), desc->name != NULL ? desc->name : "pipeline");
    made->desc.name = made->name;
    status          = pipeline_make(made);
    if (status != TRM_OK) {
        pipeline_free(made);
        return status;
    }
    *pipeline = made;
    return TRM_OK;
}

int32_t trm_pipeline_create(struct trm_device *handle, const struct trm_pipeline_desc *desc,
                            struct trm_pipeline **pipeline)
{
    struct trm_pipeline_desc own = {.struct_size = sizeof(own)};
    struct pipeline *made        = NULL;
    struct core_device *device   = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();

    int32_t status = core_output_check(pipeline, "trm_pipeline_create", "pipeline");
    if (status == TRM_OK && (desc == NULL || !core_struct_copy_in(&own, sizeof(own), desc, DESC_MIN)))
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "a pipeline needs a descriptor with its struct_size");
    if (status == TRM_OK)
        status = core_device_check(device);
    if (status == TRM_OK)
        status = pipeline_create(device, &own, &made);
    if (status == TRM_OK)
        *pipeline = core_object_publish(&made->object);
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
