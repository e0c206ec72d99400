/* For each slot of the hostile backend, a call of the library that needs it.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene.h"

/* ---- loading -------------------------------------------------------------------------------------- */

/* A context of its own, since the backends of one are loaded once. */
static int32_t open_again(struct scene *scene)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    (void)scene;
    int32_t status = trm_context_create(NULL, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return status;
}

static int32_t get_info(struct scene *scene)
{
    uint64_t value;
    return trm_device_get_u64(scene->devices[0], TRM_DEVICE_KIND, &value);
}

static int32_t open_device(struct scene *scene)
{
    struct trm_device *device = NULL;
    int32_t status            = trm_device_open(scene->context, NULL, &device);
    trm_device_destroy(device);
    return status;
}

/* ---- memory --------------------------------------------------------------------------------------- */

static int32_t make_buffer(struct scene *scene, int32_t kind)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_buffer_create(scene->devices[0], kind, 5 << 20, &buffer);
    trm_buffer_destroy(buffer);
    return status;
}

static int32_t allocate(struct scene *scene)
{
    return make_buffer(scene, TRM_MEMORY_DEVICE);
}

static int32_t host_pointer(struct scene *scene)
{
    return make_buffer(scene, TRM_MEMORY_PINNED);
}

static int32_t pool_allocate(struct scene *scene)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_stream_alloc(scene->streams[0], 1000, &buffer);
    if (status == TRM_OK)
        trm_buffer_destroy(buffer);
    return status;
}

/* The buffer is gone in any case: only the last error says what the slot did. */
static int32_t pool_free(struct scene *scene)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_stream_alloc(scene->streams[0], 1000, &buffer);
    if (status != TRM_OK)
        return status;
    (void)trm_device_count(NULL, NULL); /* INVALID_HANDLE becomes the last error */
    status = trm_stream_free(scene->streams[0], buffer);
    return status == TRM_OK && trm_last_error().status != TRM_ERROR_INVALID_HANDLE ? trm_last_error().status
                                                                                   : status;
}

static int32_t pool_trim(struct scene *scene)
{
    return trm_pool_trim(scene->devices[0], 0);
}

static int32_t pool_set_threshold(struct scene *scene)
{
    return trm_pool_set_threshold(scene->devices[0], 1 << 20);
}

static int32_t pool_statistics(struct scene *scene)
{
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};
    return trm_pool_get_stats(scene->devices[0], &stats);
}

/* ---- streams -------------------------------------------------------------------------------------- */

static int32_t stream_create(struct scene *scene)
{
    struct trm_stream *stream = NULL;
    int32_t status = trm_stream_create(scene->devices[0], TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    trm_stream_destroy(stream);
    return status;
}

static int32_t copy(struct scene *scene)
{
    return trm_upload(scene->streams[0], trm_span_whole(scene->buffers[0]), scene->bytes);
}

static int32_t launch(struct scene *scene)
{
    struct trm_argument arguments[] = {trm_arg_buffer(scene->buffers[0]), trm_arg_u32(1)};
    struct trm_grid grid            = {.groups = {1, 1, 1}, .group_size = {1, 1, 1}};
    return trm_launch(scene->streams[0], scene->kernel, &grid, arguments, 2);
}

static int32_t copy_2d(struct scene *scene)
{
    struct trm_rows device = {.buffer = scene->buffers[0], .pitch = 64};
    struct trm_rows host   = {.host = scene->bytes, .pitch = 32};
    return trm_copy_2d(scene->streams[0], &device, &host, 16, 8);
}

static int32_t fill(struct scene *scene)
{
    return trm_fill(scene->streams[0], trm_span_whole(scene->buffers[0]), 7, 4);
}

static int32_t mark(struct scene *scene)
{
    struct trm_point point;
    int32_t status = copy(scene);
    return status == TRM_OK ? trm_stream_mark(scene->streams[0], &point) : status;
}

static int32_t wait_stream(struct scene *scene)
{
    struct trm_point point;
    int32_t status = copy(scene);
    if (status == TRM_OK)
        status = trm_stream_mark(scene->streams[0], &point);
    return status == TRM_OK ? trm_stream_wait(scene->streams[1], point) : status;
}

static void note_nothing(void *user, int32_t status)
{
    (void)user;
    (void)status;
}

static int32_t gate(struct scene *scene)
{
    return trm_stream_callback(scene->streams[0], note_nothing, NULL);
}

static int32_t prefetch(struct scene *scene)
{
    return trm_prefetch(scene->streams[0], trm_span_whole(scene->unified), 1);
}

static int32_t flush(struct scene *scene)
{
    int32_t status = copy(scene);
    return status == TRM_OK ? trm_stream_flush(scene->streams[0]) : status;
}

static int32_t query(struct scene *scene)
{
    int32_t status = copy(scene);
    return status == TRM_OK ? trm_stream_query(scene->streams[0]) : status;
}

static int32_t wait_for_all(struct scene *scene)
{
    int32_t status = copy(scene);
    return status == TRM_OK ? trm_stream_sync(scene->streams[0]) : status;
}

static int32_t wait_any(struct scene *scene)
{
    const uint64_t hour = UINT64_C(3600000000000); /* the slots return at once */
    struct trm_point points[2];
    uint32_t which;
    int32_t status = copy(scene);
    if (status == TRM_OK)
        status = trm_stream_mark(scene->streams[0], &points[0]);
    points[1] = points[0];
    return status == TRM_OK ? trm_wait_any(points, 2, hour, &which) : status;
}

/* A library that asks learns that nothing is complete. */
static void seem_late(struct scene *scene)
{
    scene->control->set(HOSTILE_STREAM_QUERY, (struct hostile_answer){.lies = true, .number = 0});
}

static void lack_wait_any(struct scene *scene)
{
    scene->control->stream->wait_any = NULL;
}

static int32_t peer_copy(struct scene *scene)
{
    return trm_copy(scene->streams[0], trm_span_whole(scene->buffers[1]), trm_span_whole(scene->buffers[0]));
}

static void take_nccl(struct scene *scene)
{
    (void)scene;
    setenv("TRIREME_COLLECTIVE_WAY", "nccl", 1);
}

/* Over both devices, which their ids name. */
static int32_t collect(struct scene *scene)
{
    struct trm_group *group           = NULL;
    struct trm_collective *collective = NULL;
    struct trm_device *devices[2]     = {NULL, NULL};
    struct trm_stream *streams[2]     = {NULL, NULL};
    struct trm_buffer *buffers[2]     = {NULL, NULL};
    int32_t status                    = trm_group_create(scene->context, "hostile:0,hostile:1", &group);
    for (uint32_t d = 0; status == TRM_OK && d < 2; d++) {
        status = trm_group_device(group, d, &devices[d]);
        if (status == TRM_OK)
            status = trm_stream_create(devices[d], TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[d]);
        if (status == TRM_OK)
            status = trm_buffer_create(devices[d], TRM_MEMORY_DEVICE, SCENE_BYTES, &buffers[d]);
    }
    const struct trm_span spans[2] = {trm_span_whole(buffers[0]), trm_span_whole(buffers[1])};
    if (status == TRM_OK)
        status = trm_collective_create(group, 0, &collective);
    if (status == TRM_OK)
        status = trm_broadcast(collective, streams, spans, 1, 0);
    trm_collective_destroy(collective);
    for (uint32_t d = 0; d < 2; d++) {
        trm_buffer_destroy(buffers[d]);
        trm_stream_destroy(streams[d]);
        trm_device_destroy(devices[d]);
    }
    trm_group_destroy(group);
    return status;
}

/* ---- modules -------------------------------------------------------------------------------------- */

static int32_t supports(struct scene *scene)
{
    return trm_module_supported(scene->devices[0], TRM_MODULE_FUNCTIONS);
}

static int32_t load(struct scene *scene)
{
    struct trm_module *module = NULL;
    int32_t status            = trm_module_load(scene->devices[0], &scene_module_desc, &module);
    trm_module_destroy(module);
    return status;
}

static int32_t kernel(struct scene *scene)
{
    struct trm_kernel *found = NULL;
    int32_t status           = trm_kernel_get(scene->module, "nothing", &found);
    trm_kernel_destroy(found);
    return status;
}

static int32_t build(struct scene *scene)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_SPIRV,
                                   .data        = scene->spirv,
                                   .size        = scene->spirv_bytes};
    char path[4096];
    snprintf(path, sizeof(path), "%s/built", scene->folder);
    int32_t status = trm_module_build(scene->devices[0], &desc, 0, path);
    unlink(path);
    return status;
}

/* ---- stamps and graphs ---------------------------------------------------------------------------- */

static int32_t stamp_create(struct scene *scene)
{
    struct trm_event *event = NULL;
    int32_t status          = trm_event_create(scene->devices[0], TRM_EVENT_TIMING, &event);
    if (status == TRM_OK)
        status = trm_event_record(event, scene->streams[0]);
    trm_event_destroy(event);
    return status;
}

static int32_t stamp_read(struct scene *scene)
{
    int64_t elapsed;
    int32_t status = TRM_OK;
    for (int i = 0; i < 2 && status == TRM_OK; i++)
        status = trm_event_record(scene->events[i], scene->streams[0]);
    return status == TRM_OK ? trm_event_elapsed(scene->events[0], scene->events[1], &elapsed) : status;
}

static int32_t graph_create(struct scene *scene)
{
    struct trm_graph_exec *exec = NULL;
    int32_t status              = trm_graph_instantiate(scene->graph, &exec);
    trm_graph_exec_destroy(exec);
    return status;
}

static int32_t graph_launch(struct scene *scene)
{
    return trm_graph_launch(scene->exec, scene->streams[0]);
}

static int32_t graph_update(struct scene *scene)
{
    return trm_graph_update_upload(scene->exec, 0, trm_span_whole(scene->buffers[0]), scene->bytes);
}

/* ---- interop -------------------------------------------------------------------------------------- */

static int32_t device_handle(struct scene *scene)
{
    uint64_t native;
    return trm_device_native(scene->devices[0], TRM_NATIVE_CUDA_DEVICE, &native);
}

static int32_t stream_handle(struct scene *scene)
{
    uint64_t native;
    return trm_stream_native(scene->streams[0], TRM_NATIVE_CUDA_STREAM, &native);
}

static int32_t memory_handle(struct scene *scene)
{
    uint64_t native, offset;
    return trm_buffer_native(scene->buffers[0], TRM_NATIVE_CUDA_POINTER, &native, &offset);
}

static int32_t adopt(struct scene *scene)
{
    struct trm_device *device = NULL;
    int32_t status = trm_device_adopt(scene->context, "hostile", TRM_NATIVE_DEVICE_CUDA, scene, &device);
    trm_device_destroy(device);
    return status;
}

/* The buffer, if there is one, goes. */
static int32_t end_buffer(int32_t status, struct trm_buffer *buffer)
{
    trm_buffer_destroy(buffer);
    return status;
}

static int32_t memory_create(struct scene *scene)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_buffer_create_exportable(scene->devices[0], SCENE_BYTES, &buffer);
    return end_buffer(status, buffer);
}

static int32_t memory_export(struct scene *scene)
{
    uint64_t size;
    int32_t fd;
    return trm_buffer_export(scene->shared, TRM_HANDLE_OPAQUE_FD, &fd, &size);
}

static int32_t memory_import(struct scene *scene)
{
    struct trm_buffer *buffer = NULL;
    int32_t status = trm_buffer_import(scene->devices[0], TRM_HANDLE_OPAQUE_FD, 0, SCENE_BYTES, &buffer);
    return end_buffer(status, buffer);
}

static int32_t memory_adopt(struct scene *scene)
{
    struct trm_buffer *buffer = NULL;
    int32_t status =
        trm_buffer_adopt(scene->devices[0], TRM_NATIVE_CUDA_POINTER, 4096, 0, SCENE_BYTES, &buffer);
    return end_buffer(status, buffer);
}

static int32_t ipc_create(struct scene *scene)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_buffer_create_ipc(scene->devices[0], SCENE_BYTES, &buffer);
    return end_buffer(status, buffer);
}

static int32_t ipc_export(struct scene *scene)
{
    struct trm_ipc_handle handle;
    return trm_buffer_get_ipc_handle(scene->shared, &handle);
}

static int32_t ipc_open(struct scene *scene)
{
    struct trm_ipc_handle handle = {.size = SCENE_BYTES};
    struct trm_buffer *buffer    = NULL;
    int32_t status               = trm_buffer_open_ipc_handle(scene->devices[0], &handle, &buffer);
    return end_buffer(status, buffer);
}

static int32_t semaphore_create(struct scene *scene)
{
    struct trm_semaphore *semaphore = NULL;
    int32_t status                  = trm_semaphore_create(scene->devices[0], &semaphore);
    trm_semaphore_destroy(semaphore);
    return status;
}

static int32_t semaphore_import(struct scene *scene)
{
    struct trm_semaphore *semaphore = NULL;
    int32_t status = trm_semaphore_import(scene->devices[0], TRM_HANDLE_OPAQUE_FD, 0, &semaphore);
    trm_semaphore_destroy(semaphore);
    return status;
}

static int32_t semaphore_export(struct scene *scene)
{
    int32_t fd;
    return trm_semaphore_export(scene->semaphore, TRM_HANDLE_OPAQUE_FD, &fd);
}

static int32_t semaphore_value(struct scene *scene)
{
    uint64_t value;
    return trm_semaphore_value(scene->semaphore, &value);
}

static int32_t semaphore_wait(struct scene *scene)
{
    return trm_stream_wait_semaphore(scene->streams[0], scene->semaphore, 1);
}

static int32_t semaphore_signal(struct scene *scene)
{
    return trm_stream_signal_semaphore(scene->streams[0], scene->semaphore, 1);
}

static int32_t stream_adopt(struct scene *scene)
{
    struct trm_stream *stream = NULL;
    int32_t status            = trm_stream_adopt(scene->devices[0], TRM_NATIVE_CUDA_STREAM, 1, &stream);
    trm_stream_destroy(stream);
    return status;
}

static int32_t hand_over(struct scene *scene)
{
    return trm_stream_hand_over(scene->streams[0]);
}

static int32_t event_wait(struct scene *scene)
{
    return trm_stream_wait_native(scene->streams[0], TRM_NATIVE_CUDA_EVENT, 1);
}

static int32_t event_record(struct scene *scene)
{
    return trm_stream_record_native(scene->streams[0], TRM_NATIVE_CUDA_EVENT, 1);
}

/* ---- images --------------------------------------------------------------------------------------- */

static int32_t image_create(struct scene *scene)
{
    struct trm_image *image = NULL;
    int32_t status          = trm_image_create(scene->devices[0], &scene_image_desc, &image);
    trm_image_destroy(image);
    return status;
}

static int32_t image_copy(struct scene *scene)
{
    return trm_image_upload(scene->streams[0], scene->image, NULL, scene->bytes, 0, 0);
}

static int32_t image_transfer(struct scene *scene)
{
    struct trm_image_region to   = {.struct_size = sizeof(to), .width = 2};
    struct trm_image_region from = {.struct_size = sizeof(from), .x = 2};
    return trm_image_copy(scene->streams[0], scene->image, &to, scene->image, &from);
}

static int32_t sampler_create(struct scene *scene)
{
    struct trm_sampler_desc desc = {.struct_size = sizeof(desc)};
    struct trm_sampler *sampler  = NULL;
    int32_t status               = trm_sampler_create(scene->devices[0], &desc, &sampler);
    trm_sampler_destroy(sampler);
    return status;
}

#define USE(slot_, name_, ...)                                     \
    {                                                              \
        .slot = HOSTILE_##slot_, .name = name_, .run = __VA_ARGS__ \
    }

const struct use scene_uses[] = {
    USE(PROBE, "probe", open_again),
    USE(OPEN, "open", open_again),
    USE(DEVICE_COUNT, "device.count", open_again),
    USE(DEVICE_GET_INFO, "device.get_info", get_info),
    USE(DEVICE_OPEN, "device.open", open_device),
    USE(MEMORY_ALLOCATE, "memory.allocate", allocate),
    USE(MEMORY_HOST_POINTER, "memory.host_pointer", host_pointer),
    USE(STREAM_CREATE, "stream.create", stream_create),
    USE(STREAM_COPY, "stream.copy", copy),
    USE(STREAM_LAUNCH, "stream.launch", launch),
    USE(STREAM_COPY_2D, "stream.copy_2d", copy_2d),
    USE(STREAM_FILL, "stream.fill", fill),
    USE(STREAM_MARK, "stream.mark", mark),
    USE(STREAM_WAIT_STREAM, "stream.wait_stream", wait_stream),
    USE(STREAM_GATE, "stream.gate", gate),
    USE(STREAM_PREFETCH, "stream.prefetch", prefetch),
    USE(STREAM_FLUSH, "stream.flush", flush),
    USE(STREAM_QUERY, "stream.query", query),
    USE(STREAM_WAIT, "stream.wait", wait_for_all),
    USE(STREAM_WAIT_ANY, "stream.wait_any", wait_any, .before = seem_late),
    USE(STREAM_NOTIFY, "stream.notify", wait_any, .prepare = lack_wait_any, .before = seem_late),
    USE(MODULE_SUPPORTS, "module.supports", supports),
    USE(MODULE_LOAD, "module.load", load),
    USE(MODULE_KERNEL, "module.kernel", kernel),
    USE(MODULE_BUILD, "module.build", build),
    USE(STAMP_CREATE, "profile.stamp_create", stamp_create),
    USE(STAMP_RECORD, "profile.stamp_record", stamp_create),
    USE(STAMP_READ, "profile.stamp_read", stamp_read),
    USE(POOL_ALLOCATE, "pool.allocate", pool_allocate),
    USE(POOL_FREE, "pool.free", pool_free),
    USE(POOL_TRIM, "pool.trim", pool_trim),
    USE(POOL_SET_THRESHOLD, "pool.set_threshold", pool_set_threshold),
    USE(POOL_STATISTICS, "pool.statistics", pool_statistics),
    USE(PEER_CAN_ACCESS, "peer.can_access", peer_copy),
    USE(PEER_COPY, "peer.copy", peer_copy),
    USE(COLLECTIVE_CREATE, "collective.create", collect, .prepare = take_nccl),
    USE(COLLECTIVE_ENQUEUE, "collective.enqueue", collect, .prepare = take_nccl),
    USE(GRAPH_CREATE, "graph.create", graph_create),
    USE(GRAPH_LAUNCH, "graph.launch", graph_launch),
    USE(GRAPH_UPDATE, "graph.update", graph_update),
    USE(DEVICE_HANDLE, "interop.device_handle", device_handle),
    USE(STREAM_HANDLE, "interop.stream_handle", stream_handle),
    USE(MEMORY_HANDLE, "interop.memory_handle", memory_handle),
    USE(ADOPT, "interop.adopt", adopt),
    USE(MEMORY_CREATE, "interop.memory_create", memory_create),
    USE(MEMORY_EXPORT, "interop.memory_export", memory_export),
    USE(MEMORY_IMPORT, "interop.memory_import", memory_import),
    USE(SEMAPHORE_CREATE, "interop.semaphore_create", semaphore_create),
    USE(SEMAPHORE_IMPORT, "interop.semaphore_import", semaphore_import),
    USE(SEMAPHORE_EXPORT, "interop.semaphore_export", semaphore_export),
    USE(SEMAPHORE_VALUE, "interop.semaphore_value", semaphore_value),
    USE(SEMAPHORE_WAIT, "interop.semaphore_wait", semaphore_wait),
    USE(SEMAPHORE_SIGNAL, "interop.semaphore_signal", semaphore_signal),
    USE(STREAM_ADOPT, "interop.stream_adopt", stream_adopt),
    USE(MEMORY_ADOPT, "interop.memory_adopt", memory_adopt),
    USE(HAND_OVER, "interop.hand_over", hand_over),
    USE(EVENT_WAIT, "interop.event_wait", event_wait),
    USE(EVENT_RECORD, "interop.event_record", event_record),
    USE(IPC_CREATE, "interop.ipc_create", ipc_create),
    USE(IPC_EXPORT, "interop.ipc_export", ipc_export),
    USE(IPC_OPEN, "interop.ipc_open", ipc_open),
    USE(IMAGE_SUPPORTS, "image.supports", image_create),
    USE(IMAGE_CREATE, "image.create", image_create),
    USE(IMAGE_COPY, "image.copy", image_copy),
    USE(IMAGE_TRANSFER, "image.transfer", image_transfer),
    USE(SAMPLER_CREATE, "image.sampler_create", sampler_create),
};
#undef USE

const size_t scene_use_count = sizeof(scene_uses) / sizeof(scene_uses[0]);
