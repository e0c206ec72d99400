/* The hostile backend: modules, and the optional tables but interop.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/template/template.h"
#include "hostile.h"

/* ---- modules -------------------------------------------------------------------------------------- */

/* SPIR-V can only be built, not loaded. */
static int32_t module_supports(struct trm_backend_device *device, int32_t format)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_MODULE_SUPPORTS);
    if (answer.status != TRM_OK || format == TRM_MODULE_SPIRV)
        return answer.status;
    return hostile_template()->module->supports(device, format);
}

static int32_t module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_MODULE_LOAD);
    return answer.status != TRM_OK ? answer.status : hostile_template()->module->load(device, source, module);
}

static void module_unload(struct trm_backend_module *module)
{
    hostile_template()->module->unload(module);
}

#define PARAMETERS_MOST 65536u /* the core refuses more without a look at them */

/* An array of as many parameters as the answer says, since the core cannot see where an array ends: those of
 * the kernel, then some of no kind. */
static void lengthen_parameters(struct trm_kernel_desc *desc, uint32_t count)
{
    static struct trm_parameter parameters[PARAMETERS_MOST];

    if (count > desc->parameter_count && count <= PARAMETERS_MOST) {
        memcpy(parameters, desc->parameters, desc->parameter_count * sizeof(*parameters));
        desc->parameters = parameters;
    }
    desc->parameter_count = count;
}

static int32_t module_kernel(struct trm_backend_module *module, const char *name,
                             struct trm_backend_kernel **kernel, struct trm_kernel_desc *desc)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_MODULE_KERNEL);
    if (answer.status != TRM_OK)
        return answer.status;
    int32_t status = hostile_template()->module->kernel(module, name, kernel, desc);
    if (status == TRM_OK)
        lengthen_parameters(desc, (uint32_t)hostile_number(&answer, desc->parameter_count));
    if (hostile_control.parameters != NULL)
        desc->parameters = hostile_control.parameters;
    return status;
}

static const char *module_kernel_name(struct trm_backend_module *module, uint32_t index)
{
    (void)module;
    (void)index;
    return hostile_control.kernel_name;
}

static int32_t module_build(struct trm_backend_device *device, const struct trm_module_source *source,
                            uint32_t flags, const char *path)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_MODULE_BUILD);
    (void)device;
    (void)source;
    (void)flags;
    if (answer.status != TRM_OK)
        return answer.status;
    FILE *file = fopen(path, "wbx");
    return file != NULL && fclose(file) == 0 ? TRM_OK : TRM_ERROR_IO;
}

const struct trm_module_ops hostile_module_ops = {
    .struct_size = sizeof(hostile_module_ops),
    .supports    = module_supports,
    .load        = module_load,
    .unload      = module_unload,
    .kernel      = module_kernel,
    .kernel_name = module_kernel_name,
    .build       = module_build,
};

/* ---- stamps --------------------------------------------------------------------------------------- */

struct trm_backend_stamp {
    uint64_t time;
};

static int32_t stamp_create(struct trm_backend_device *device, struct trm_backend_stamp **stamp)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STAMP_CREATE);
    (void)device;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    *stamp = calloc(1, sizeof(**stamp));
    return *stamp != NULL ? TRM_OK : TRM_ERROR_OUT_OF_HOST_MEMORY;
}

static void stamp_destroy(struct trm_backend_stamp *stamp)
{
    free(stamp);
}

static int32_t stamp_record(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_stamp *stamp)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STAMP_RECORD);
    if (answer.status != TRM_OK)
        return answer.status;
    stamp->time = trm_util_now();
    return hostile_nothing(stream, value);
}

static int32_t stamp_read(struct trm_backend_stamp *stamp, uint64_t *nanoseconds)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STAMP_READ);
    if (answer.status == TRM_OK && !answer.writes_nothing)
        *nanoseconds = hostile_number(&answer, stamp->time);
    return answer.status;
}

const struct trm_profile_ops hostile_profile_ops = {
    .struct_size   = sizeof(hostile_profile_ops),
    .stamp_create  = stamp_create,
    .stamp_destroy = stamp_destroy,
    .stamp_record  = stamp_record,
    .stamp_read    = stamp_read,
};

/* ---- pool ----------------------------------------------------------------------------------------- */

static int32_t pool_allocate(struct trm_backend_stream *stream, uint64_t value, uint64_t size,
                             struct trm_backend_memory **memory)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_POOL_ALLOCATE);
    struct trm_memory_desc desc  = {
         .struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = size, .alignment = 256};
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    /* The device is the first member of the template's stream. */
    struct trm_backend_device *device = *(struct trm_backend_device *const *)(const void *)stream;
    int32_t status                    = hostile_template()->memory->allocate(device, &desc, memory);
    if (status != TRM_OK)
        return status;
    status = hostile_nothing(stream, value);
    if (status != TRM_OK)
        hostile_template()->memory->free(*memory); /* a call that fails gives nothing */
    else
        hostile_memory_note(*memory, HOSTILE_MEMORY_LENT);
    return status;
}

static int32_t pool_free(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_memory *memory)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_POOL_FREE);
    hostile_memory_note(memory, answer.status != TRM_OK ? HOSTILE_MEMORY_KEPT : HOSTILE_MEMORY_FREED);
    if (answer.status != TRM_OK)
        return answer.status;
    hostile_template()->memory->free(memory);
    return hostile_nothing(stream, value);
}

static int32_t pool_trim(struct trm_backend_device *device, uint64_t keep_bytes)
{
    (void)device;
    (void)keep_bytes;
    return hostile_begin(HOSTILE_POOL_TRIM).status;
}

static int32_t pool_set_threshold(struct trm_backend_device *device, uint64_t bytes)
{
    (void)device;
    (void)bytes;
    return hostile_begin(HOSTILE_POOL_SET_THRESHOLD).status;
}

static int32_t pool_statistics(struct trm_backend_device *device, uint64_t *used, uint64_t *cached,
                               uint64_t *reserved)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_POOL_STATISTICS);
    (void)device;
    if (answer.status == TRM_OK && !answer.writes_nothing)
        *used = *cached = *reserved = hostile_number(&answer, 0);
    return answer.status;
}

const struct trm_pool_ops hostile_pool_ops = {
    .struct_size   = sizeof(hostile_pool_ops),
    .allocate      = pool_allocate,
    .free          = pool_free,
    .trim          = pool_trim,
    .set_threshold = pool_set_threshold,
    .statistics    = pool_statistics,
};

/* ---- peer ----------------------------------------------------------------------------------------- */

static int32_t peer_can_access(struct trm_backend_device *device, struct trm_backend_device *other)
{
    (void)device;
    (void)other;
    return hostile_begin(HOSTILE_PEER_CAN_ACCESS).status;
}

static int32_t peer_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_PEER_COPY);
    return answer.status != TRM_OK ? answer.status : hostile_template()->stream->copy(stream, value, desc);
}

const struct trm_peer_ops hostile_peer_ops = {
    .struct_size = sizeof(hostile_peer_ops),
    .can_access  = peer_can_access,
    .copy        = peer_copy,
};

/* ---- collectives, which do nothing ------------------------------------------------------------------ */

struct trm_backend_communicator {
    uint32_t count;
};

static int32_t collective_create(struct trm_backend_device *const *devices, uint32_t count,
                                 struct trm_backend_communicator **communicator)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_COLLECTIVE_CREATE);
    (void)devices;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    *communicator          = calloc(1, sizeof(**communicator));
    (*communicator)->count = count;
    return TRM_OK;
}

static void collective_destroy(struct trm_backend_communicator *communicator)
{
    free(communicator);
}

static int32_t collective_check(struct trm_backend_communicator *communicator)
{
    (void)communicator;
    return TRM_OK;
}

static int32_t collective_enqueue(struct trm_backend_communicator *communicator,
                                  struct trm_backend_stream *stream, uint64_t value,
                                  const struct trm_collective_desc *desc)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_COLLECTIVE_ENQUEUE);
    (void)communicator;
    (void)desc;
    return answer.status != TRM_OK ? answer.status : hostile_nothing(stream, value);
}

const struct trm_collective_ops hostile_collective_ops = {
    .struct_size = sizeof(hostile_collective_ops),
    .create      = collective_create,
    .destroy     = collective_destroy,
    .check       = collective_check,
    .enqueue     = collective_enqueue,
};

/* ---- graphs, which do nothing ---------------------------------------------------------------------- */

struct trm_backend_graph {
    uint32_t count;
};

static int32_t graph_create(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                            uint32_t count, struct trm_backend_graph **graph)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_GRAPH_CREATE);
    (void)device;
    (void)nodes;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    *graph = calloc(1, sizeof(**graph));
    if (*graph == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    (*graph)->count = count;
    return TRM_OK;
}

static void graph_destroy(struct trm_backend_graph *graph)
{
    free(graph);
}

static int32_t graph_launch(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_graph *graph)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_GRAPH_LAUNCH);
    (void)graph;
    return answer.status != TRM_OK ? answer.status : hostile_nothing(stream, value);
}

static int32_t graph_update(struct trm_backend_graph *graph, uint32_t index,
                            const struct trm_graph_node *node)
{
    (void)graph;
    (void)index;
    (void)node;
    return hostile_begin(HOSTILE_GRAPH_UPDATE).status;
}

const struct trm_graph_ops hostile_graph_ops = {
    .struct_size = sizeof(hostile_graph_ops),
    .create      = graph_create,
    .destroy     = graph_destroy,
    .launch      = graph_launch,
    .update      = graph_update,
};

/* ---- ranges --------------------------------------------------------------------------------------- */

static void range_begin(const char *name, uint64_t number)
{
    (void)name;
    (void)number;
}

static void range_end(void)
{
}

const struct trm_range_ops hostile_range_ops = {
    .struct_size = sizeof(hostile_range_ops),
    .begin       = range_begin,
    .end         = range_end,
};
