/* The objects on the hostile backend.
 * SPDX-License-Identifier: MIT
 */
#include "scene.h"

#include <string.h>
#include <trireme/cpu_kernel.h>

static int32_t run_nothing(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "x", .kind = TRM_PARAMETER_BUFFER},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32}};

static const struct trm_cpu_kernel kernels[] = {{.name            = "nothing",
                                                 .function        = run_nothing,
                                                 .parameters      = parameters,
                                                 .parameter_count = 2,
                                                 .group_size      = {1, 1, 1}}};

const struct trm_module_desc scene_module_desc = {
    .struct_size = sizeof(scene_module_desc),
    .format      = TRM_MODULE_FUNCTIONS,
    .data        = kernels,
    .size        = sizeof(kernels),
    .name        = "hostile",
};

const struct trm_image_desc scene_image_desc = {
    .struct_size = sizeof(scene_image_desc),
    .type        = TRM_IMAGE_2D,
    .format      = TRM_FORMAT_RGBA8_UNORM,
    .width       = 4,
    .height      = 4,
};

static int32_t open_devices(struct scene *scene)
{
    int32_t status = trm_device_open(scene->context, "hostile:0", &scene->devices[0]);
    if (status == TRM_OK)
        status = trm_device_open(scene->context, "hostile:1", &scene->devices[1]);
    for (int i = 0; i < 2 && status == TRM_OK; i++)
        status =
            trm_stream_create(scene->devices[0], TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &scene->streams[i]);
    return status;
}

static int32_t make_memory(struct scene *scene)
{
    int32_t status = TRM_OK;
    for (int i = 0; i < 2 && status == TRM_OK; i++)
        status = trm_buffer_create(scene->devices[i], TRM_MEMORY_DEVICE, SCENE_BYTES, &scene->buffers[i]);
    if (status == TRM_OK)
        status = trm_buffer_create(scene->devices[0], TRM_MEMORY_UNIFIED, SCENE_BYTES, &scene->unified);
    if (status == TRM_OK)
        status = trm_buffer_create_exportable(scene->devices[0], SCENE_BYTES, &scene->shared);
    if (status == TRM_OK)
        status = trm_semaphore_create(scene->devices[0], &scene->semaphore);
    if (status == TRM_OK)
        status = trm_image_create(scene->devices[0], &scene_image_desc, &scene->image);
    for (int i = 0; i < 2 && status == TRM_OK; i++)
        status = trm_event_create(scene->devices[0], TRM_EVENT_TIMING, &scene->events[i]);
    return status;
}

static int32_t load_kernel(struct scene *scene)
{
    int32_t status = trm_module_load(scene->devices[0], &scene_module_desc, &scene->module);
    return status == TRM_OK ? trm_kernel_get(scene->module, "nothing", &scene->kernel) : status;
}

static int32_t make_graph(struct scene *scene)
{
    struct trm_stream *recording = NULL;
    int32_t status               = trm_graph_create(scene->devices[0], &scene->graph);
    if (status == TRM_OK)
        status = trm_graph_record(scene->graph, &recording);
    if (status == TRM_OK)
        status = trm_upload(recording, trm_span_whole(scene->buffers[0]), scene->bytes);
    if (status == TRM_OK)
        status = trm_graph_instantiate(scene->graph, &scene->exec);
    return status;
}

int32_t scene_open(struct scene *scene)
{
    int32_t status = trm_context_create(NULL, &scene->context);
    if (status == TRM_OK)
        status = open_devices(scene);
    if (status == TRM_OK)
        status = make_memory(scene);
    if (status == TRM_OK)
        status = load_kernel(scene);
    return status == TRM_OK ? make_graph(scene) : status;
}

void scene_close(struct scene *scene)
{
    trm_graph_exec_destroy(scene->exec);
    trm_graph_destroy(scene->graph);
    trm_kernel_destroy(scene->kernel);
    trm_module_destroy(scene->module);
    trm_semaphore_destroy(scene->semaphore);
    trm_image_destroy(scene->image);
    trm_buffer_destroy(scene->unified);
    trm_buffer_destroy(scene->shared);
    for (int i = 0; i < 2; i++) {
        trm_event_destroy(scene->events[i]);
        trm_buffer_destroy(scene->buffers[i]);
        trm_stream_destroy(scene->streams[i]);
    }
    for (int i = 0; i < 2; i++)
        trm_device_destroy(scene->devices[i]);
    trm_context_destroy(scene->context);
}
