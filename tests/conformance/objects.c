/* One object of every kind that has handles, all on one device, which is that of the group.
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"

#include "kernels.h"
#include "shaders.h"

#include <trireme/interop.h>

static struct trm_shader *make_shader(struct trm_context *context)
{
    struct shader_words words   = shader_words("affine");
    struct trm_shader_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SPIRV, .data = words.words, .size = words.size};
    struct trm_shader *shader = NULL;
    ck_ok(trm_shader_create(context, &desc, &shader));
    return shader;
}

/* One input, no stages. */
static struct trm_pipeline *make_pipeline(struct trm_device *device)
{
    struct trm_port port          = trm_port_input("in", 64);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 1};
    struct trm_pipeline *pipeline = NULL;
    ck_ok(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

const struct trm_image_desc small_image = {
    .struct_size = sizeof(small_image),
    .type        = TRM_IMAGE_2D,
    .format      = TRM_FORMAT_RGBA8_UNORM,
    .width       = 4,
    .height      = 4,
};

const struct trm_sampler_desc plain_sampler = {.struct_size = sizeof(plain_sampler)};

void make_small_image(struct trm_device *device, struct trm_image **image)
{
    ck_ok(trm_image_create(device, &small_image, image));
}

void make_plain_sampler(struct trm_device *device, struct trm_sampler **sampler)
{
    ck_ok(trm_sampler_create(device, &plain_sampler, sampler));
}

/* ---- groups, stream pools, collectives and profiles ---- */

static const struct trm_stream_pool_desc narrow = {.struct_size = sizeof(narrow), .most = 2};

static struct trm_group_kernel *make_group_kernel(struct trm_group *group, struct trm_device *device)
{
    struct trm_group_kernel *kernel = NULL;
    struct trm_module_desc desc     = kernels_desc(device);
    if (trm_module_supported(device, TRM_MODULE_FUNCTIONS) == TRM_OK)
        ck_ok(trm_group_kernel_load(group, &desc, "affine", &kernel));
    return kernel;
}

static struct trm_group_buffer *make_group_buffer(struct trm_group *group)
{
    struct trm_group_buffer *buffer = NULL;
    struct trm_buffer_desc desc     = {
            .struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .flags = TRM_BUFFER_ZEROED, .size = 64};
    ck_ok(trm_group_buffer_create(group, &desc, &buffer));
    return buffer;
}

static struct trm_profile *make_profile(struct trm_device *device)
{
    struct trm_profile *profile = NULL;
    ck_ok(trm_profile_begin(device, NULL, &profile));
    ck_ok(trm_profile_end(profile));
    return profile;
}

void *make_of_group(enum handle_type type, const struct objects *objects)
{
    struct trm_group *group           = objects->handles[OF_GROUP];
    struct trm_device *device         = objects->handles[OF_DEVICE];
    struct trm_group *other           = NULL;
    struct trm_stream_pool *pool      = NULL;
    struct trm_collective *collective = NULL;
    switch (type) {
    case OF_GROUP:
        ck_ok(trm_group_create(objects->handles[OF_CONTEXT], NULL, &other));
        return other;
    case OF_GROUP_KERNEL:
        return make_group_kernel(group, device);
    case OF_GROUP_BUFFER:
        return make_group_buffer(group);
    case OF_STREAM_POOL:
        ck_ok(trm_stream_pool_create(device, &narrow, &pool));
        return pool;
    case OF_COLLECTIVE:
        ck_ok(trm_collective_create(group, 0, &collective));
        return collective;
    case OF_PROFILE:
        return make_profile(device);
    default:
        return NULL;
    }
}

static void make_groups(struct objects *objects)
{
    for (int type = OF_GROUP_KERNEL; type < HANDLE_TYPES; type++)
        objects->handles[type] = make_of_group((enum handle_type)type, objects);
    ck_ok(trm_group_pool_create(objects->handles[OF_GROUP], &narrow, &objects->group_pool));
}

void objects_destroy_groups(struct objects *objects)
{
    trm_stream_pool_destroy(objects->group_pool);
    objects->group_pool = NULL;
    for (int type = HANDLE_TYPES - 1; type >= OF_GROUP; type--) {
        destroy_handle((enum handle_type)type, objects->handles[type]);
        objects->handles[type] = NULL;
    }
}

/* ---- all ---- */

void objects_make(struct objects *objects)
{
    struct trm_stream *stream       = NULL;
    struct trm_event *event         = NULL;
    struct trm_array *array         = NULL;
    struct trm_kernel *kernel       = NULL;
    struct trm_graph *graph         = NULL;
    struct trm_graph_exec *exec     = NULL;
    struct trm_semaphore *semaphore = NULL;
    memset(objects, 0, sizeof(*objects));
    struct trm_context *context  = open_context();
    struct trm_device *device    = NULL;
    objects->handles[OF_CONTEXT] = context;
    objects->handles[OF_GROUP]   = make_of_group(OF_GROUP, objects);
    ck_ok(trm_group_device(objects->handles[OF_GROUP], 0, &device));
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_event_create(device, 0, &event));
    ck_ok(trm_array_create(device, TRM_TYPE_U32, 16, TRM_MEMORY_DEVICE, NULL, &array));
    ck_ok(trm_graph_create(device, &graph));
    ck_ok(trm_graph_instantiate(graph, &exec));
    objects->handles[OF_GRAPH]      = graph;
    objects->handles[OF_GRAPH_EXEC] = exec;
    objects->handles[OF_DEVICE]     = device;
    objects->handles[OF_STREAM]     = stream;
    objects->handles[OF_EVENT]      = event;
    objects->handles[OF_ARRAY]      = array;
    objects->handles[OF_BUFFER]     = make_buffer(device, TRM_MEMORY_DEVICE, 64);
    objects->handles[OF_SHADER]     = make_shader(context);
    objects->handles[OF_PIPELINE]   = make_pipeline(device);
    ck_ok(trm_coordinator_create(device, NULL, (struct trm_coordinator **)&objects->handles[OF_COORDINATOR]));
    make_small_image(device, (struct trm_image **)&objects->handles[OF_IMAGE]);
    make_plain_sampler(device, (struct trm_sampler **)&objects->handles[OF_SAMPLER]);
    if (trm_semaphore_create(device, &semaphore) == TRM_OK)
        objects->handles[OF_SEMAPHORE] = semaphore;
    make_groups(objects);
    if (trm_module_supported(device, TRM_MODULE_FUNCTIONS) != TRM_OK)
        return;
    struct trm_module *module = load_kernels(device);
    ck_ok(trm_kernel_get(module, "affine", &kernel));
    objects->handles[OF_MODULE] = module;
    objects->handles[OF_KERNEL] = kernel;
}

void destroy_handle(enum handle_type type, void *handle)
{
    switch (type) {
    case OF_CONTEXT:
        trm_context_destroy(handle);
        break;
    case OF_DEVICE:
        trm_device_destroy(handle);
        break;
    case OF_STREAM:
        trm_stream_destroy(handle);
        break;
    case OF_EVENT:
        trm_event_destroy(handle);
        break;
    case OF_BUFFER:
        trm_buffer_destroy(handle);
        break;
    case OF_ARRAY:
        trm_array_destroy(handle);
        break;
    case OF_MODULE:
        trm_module_destroy(handle);
        break;
    case OF_KERNEL:
        trm_kernel_destroy(handle);
        break;
    case OF_GRAPH:
        trm_graph_destroy(handle);
        break;
    case OF_GRAPH_EXEC:
        trm_graph_exec_destroy(handle);
        break;
    case OF_SEMAPHORE:
        trm_semaphore_destroy(handle);
        break;
    case OF_SHADER:
        trm_shader_destroy(handle);
        break;
    case OF_COORDINATOR:
        trm_coordinator_destroy(handle);
        break;
    case OF_PIPELINE:
        trm_pipeline_destroy(handle);
        break;
    case OF_IMAGE:
        trm_image_destroy(handle);
        break;
    case OF_SAMPLER:
        trm_sampler_destroy(handle);
        break;
    case OF_GROUP:
        trm_group_destroy(handle);
        break;
    case OF_GROUP_KERNEL:
        trm_group_kernel_destroy(handle);
        break;
    case OF_GROUP_BUFFER:
        trm_group_buffer_destroy(handle);
        break;
    case OF_STREAM_POOL:
        trm_stream_pool_destroy(handle);
        break;
    case OF_COLLECTIVE:
        trm_collective_destroy(handle);
        break;
    case OF_PROFILE:
        trm_profile_destroy(handle);
        break;
    case HANDLE_TYPES:
        break;
    }
}

void objects_destroy(struct objects *objects)
{
    objects_destroy_groups(objects);
    for (int type = OF_GROUP - 1; type >= 0; type--)
        destroy_handle((enum handle_type)type, objects->handles[type]);
}
