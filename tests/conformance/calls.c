/* Functions that take a handle, as a list: those of contexts, devices, streams, memory, kernels, graphs,
 * coordinators and pipelines. calls_group.c has those of groups, stream pools, collectives and profiles.
 * SPDX-License-Identifier: MIT
 */
#include "call_list.h"
#include "kernels.h"
#include "shaders.h"

#include <trireme/interop.h>

/* ---- one call each ---- */

static void do_nothing(void *user, int32_t status)
{
    (void)user;
    (void)status;
}

CALL(trm_context_candidate_count, (handle, out()))
CALL(trm_context_candidate, (handle, 0, sized(sizeof(struct trm_candidate))))
CALL(trm_context_setting, (handle, "backend", NULL, 0, out(), NULL))
CALL(trm_device_count, (handle, out()))
CALL(trm_program_run, (handle, sized(0), sized(0)))
CALL(trm_device_describe, (handle, 0, sized(sizeof(struct trm_device_summary))))
CALL(trm_device_open, (handle, NULL, out()))

CALL(trm_device_get_info, (handle, TRM_DEVICE_KIND, scratch.bytes, 8, NULL))
CALL(trm_device_get_u64, (handle, TRM_DEVICE_KIND, out()))
CALL(trm_device_sync, (handle))
CALL(trm_device_get_usage, (handle, sized(sizeof(struct trm_device_usage))))
CALL(trm_device_thread_stream, (handle, out()))
CALL(trm_stream_create, (handle, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, out()))
CALL(trm_event_create, (handle, 0, out()))
CALL(trm_buffer_create, (handle, TRM_MEMORY_DEVICE, 64, out()))
CALL(trm_array_create, (handle, TRM_TYPE_U32, 4, TRM_MEMORY_DEVICE, NULL, out()))
CALL(trm_kernel_named, (handle, "affine", NULL, 0, out()))
CALL(trm_module_supported, (handle, TRM_MODULE_FUNCTIONS))
CALL_AS(access_from, trm_device_can_access(handle, others->handles[OF_DEVICE]))
CALL_AS(access_to, trm_device_can_access(others->handles[OF_DEVICE], handle))
CALL(trm_pool_get_stats, (handle, sized(sizeof(struct trm_pool_stats))))
CALL(trm_pool_trim, (handle, 0))
CALL(trm_pool_set_threshold, (handle, 1 << 20))

static int32_t call_trm_buffer_create_from(void *handle, const struct objects *others)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = 64};
    (void)others;
    return trm_buffer_create_from(handle, &desc, out());
}

static int32_t call_trm_module_load(void *handle, const struct objects *others)
{
    struct trm_module_desc desc = kernels_desc(the.device);
    (void)others;
    return trm_module_load(handle, &desc, out());
}

static int32_t call_trm_module_build(void *handle, const struct objects *others)
{
    struct trm_module_desc desc = kernels_desc(the.device);
    (void)others;
    return trm_module_build(handle, &desc, 0, NO_FOLDER);
}

CALL(trm_stream_device, (handle, out()))
CALL(trm_stream_mark, (handle, out()))
CALL(trm_stream_flush, (handle))
CALL(trm_stream_sync, (handle))
CALL(trm_stream_query, (handle))
CALL(trm_stream_callback, (handle, do_nothing, NULL))
CALL(trm_stream_set_name, (handle, ""))
CALL(trm_stream_get_stats, (handle, sized(sizeof(struct trm_stream_stats))))
CALL(trm_stream_reset_stats, (handle))
CALL(trm_range_push, (handle, "a range"))
CALL(trm_range_pop, (handle))
CALL(trm_stream_alloc, (handle, 64, out()))
CALL(trm_point_wait, (point_of(handle), 0))
CALL(trm_point_done, (point_of(handle)))
CALL(trm_point_fd, (point_of(handle), out()))
CALL_AS(wait_of_stream, trm_stream_wait(handle, point_of(others->handles[OF_STREAM])))
CALL_AS(wait_for_point, trm_stream_wait(others->handles[OF_STREAM], point_of(handle)))
CALL_AS(wait_event_of_stream, trm_stream_wait_event(handle, others->handles[OF_EVENT]))
CALL_AS(record_on_stream, trm_event_record(others->handles[OF_EVENT], handle))
CALL_AS(free_on_stream, trm_stream_free(handle, others->handles[OF_BUFFER]))
CALL_AS(fill_on_stream, trm_fill(handle, trm_span_of(others->handles[OF_BUFFER], 0, 8), 1, 1))
CALL_AS(upload_on_stream, trm_upload(handle, trm_span_of(others->handles[OF_BUFFER], 0, 8), host_memory))
CALL_AS(download_on_stream, trm_download(handle, host_memory, trm_span_of(others->handles[OF_BUFFER], 0, 8)))
CALL_AS(copy_on_stream, trm_copy(handle, trm_span_of(others->handles[OF_BUFFER], 0, 8),
                                 trm_span_of(others->handles[OF_BUFFER], 8, 8)))

static int32_t call_barrier_of_stream(void *handle, const struct objects *others)
{
    struct trm_stream *streams[] = {others->handles[OF_STREAM], handle};
    return trm_stream_barrier(streams, 2);
}

static int32_t call_trm_wait_all(void *handle, const struct objects *others)
{
    struct trm_point points[] = {point_of(others->handles[OF_STREAM]), point_of(handle)};
    return trm_wait_all(points, 2, 0);
}

static int32_t call_trm_wait_any(void *handle, const struct objects *others)
{
    struct trm_point points[] = {point_of(handle), point_of(others->handles[OF_STREAM])};
    return trm_wait_any(points, 2, 0, out());
}

static int32_t call_copy_2d_on_stream(void *handle, const struct objects *others)
{
    struct trm_rows rows = {.buffer = others->handles[OF_BUFFER], .pitch = 8};
    struct trm_rows host = {.host = host_memory, .pitch = 8};
    return trm_copy_2d(handle, &rows, &host, 4, 2);
}

CALL_AS(wait_event, trm_stream_wait_event(others->handles[OF_STREAM], handle))
CALL_AS(record, trm_event_record(handle, others->handles[OF_STREAM]))
CALL(trm_event_wait, (handle, 0))
CALL(trm_event_done, (handle))
CALL(trm_event_point, (handle, out()))
CALL_AS(elapsed_start, trm_event_elapsed(handle, others->handles[OF_EVENT], out()))
CALL_AS(elapsed_end, trm_event_elapsed(others->handles[OF_EVENT], handle, out()))

CALL(trm_buffer_retain, (handle))
CALL(trm_buffer_size, (handle, out()))
CALL(trm_buffer_kind, (handle, out()))
CALL(trm_buffer_map, (handle, TRM_MAP_READ, out()))
CALL(trm_buffer_unmap, (handle))
CALL(trm_buffer_host_pointer, (handle, out()))
CALL(trm_buffer_wait, (handle, 0))
CALL(trm_buffer_address, (handle, out()))
CALL_AS(fill, trm_fill(others->handles[OF_STREAM], trm_span_of(handle, 0, 8), 1, 1))
CALL_AS(upload, trm_upload(others->handles[OF_STREAM], trm_span_of(handle, 0, 8), host_memory))
CALL_AS(download, trm_download(others->handles[OF_STREAM], host_memory, trm_span_of(handle, 0, 8)))
CALL_AS(copy_to, trm_copy(others->handles[OF_STREAM], trm_span_of(handle, 0, 8),
                          trm_span_of(others->handles[OF_BUFFER], 8, 8)))
CALL_AS(copy_from, trm_copy(others->handles[OF_STREAM], trm_span_of(others->handles[OF_BUFFER], 8, 8),
                            trm_span_of(handle, 0, 8)))
CALL_AS(prefetch, trm_prefetch(others->handles[OF_STREAM], trm_span_of(handle, 0, 8), 0))
CALL_AS(free_of, trm_stream_free(others->handles[OF_STREAM], handle))

CALL(trm_array_type, (handle, out()))
CALL(trm_array_count, (handle, out()))
CALL(trm_array_bytes, (handle, out()))
CALL(trm_array_buffer, (handle, out()))
CALL(trm_array_upload, (handle, TRM_TYPE_U32, 0, 4, host_memory))
CALL(trm_array_download, (handle, TRM_TYPE_U32, 0, 4, host_memory))
CALL_AS(array_copy_to, trm_array_copy(handle, others->handles[OF_ARRAY]))
CALL_AS(array_copy_from, trm_array_copy(others->handles[OF_ARRAY], handle))

CALL(trm_kernel_get, (handle, "affine", out()))
CALL(trm_kernel_describe, (handle, sized(sizeof(struct trm_kernel_info))))

static int32_t call_launch(void *handle, const struct objects *others)
{
    struct trm_grid grid = trm_grid_1d(1, 1);
    return trm_launch(others->handles[OF_STREAM], handle, &grid, NULL, 0);
}

static int32_t call_launch_on_stream(void *handle, const struct objects *others)
{
    struct trm_grid grid = trm_grid_1d(1, 1);
    return trm_launch(handle, others->handles[OF_KERNEL], &grid, NULL, 0);
}

CALL(trm_graph_create, (handle, out()))
CALL(trm_graph_record, (handle, out()))
CALL(trm_graph_node_count, (handle, out()))
CALL(trm_graph_instantiate, (handle, out()))
CALL(trm_graph_exec_is_native, (handle, out()))
CALL_AS(launch_graph, trm_graph_launch(handle, others->handles[OF_STREAM]))
CALL_AS(launch_graph_on_stream, trm_graph_launch(others->handles[OF_GRAPH_EXEC], handle))
CALL(trm_graph_update_launch, (handle, 0, NULL, NULL, 0))
CALL(trm_graph_update_upload, (handle, 0, trm_span_of(others->handles[OF_BUFFER], 0, 8), host_memory))
CALL(trm_graph_update_download, (handle, 0, host_memory, trm_span_of(others->handles[OF_BUFFER], 0, 8)))
CALL(trm_graph_update_copy, (handle, 0, trm_span_of(others->handles[OF_BUFFER], 0, 8),
                             trm_span_of(others->handles[OF_BUFFER], 8, 8)))

/* ---- with programs that use a driver themselves ---- */

static int32_t call_trm_device_adopt(void *handle, const struct objects *others)
{
    struct trm_vulkan_device given = {.struct_size = sizeof(given)};
    (void)others;
    return trm_device_adopt(handle, "there-is-none", TRM_NATIVE_DEVICE_VULKAN, &given, out());
}

CALL(trm_device_native, (handle, TRM_NATIVE_VULKAN_DEVICE, out()))
CALL(trm_stream_native, (handle, TRM_NATIVE_VULKAN_QUEUE, out()))
CALL(trm_buffer_native, (handle, TRM_NATIVE_VULKAN_BUFFER, out(), &host_memory[1]))
CALL(trm_buffer_create_exportable, (handle, 64, out()))
CALL(trm_buffer_import, (handle, TRM_HANDLE_OPAQUE_FD, -1, 64, out()))
CALL(trm_buffer_export, (handle, TRM_HANDLE_OPAQUE_FD, out(), &host_memory[1]))
CALL(trm_stream_adopt, (handle, TRM_NATIVE_VULKAN_QUEUE, 0, out()))
CALL(trm_buffer_adopt, (handle, TRM_NATIVE_VULKAN_BUFFER, 0, 0, 64, out()))
CALL(trm_buffer_create_ipc, (handle, 64, out()))
CALL(trm_buffer_get_ipc_handle, (handle, out()))
CALL(trm_buffer_open_ipc_handle, (handle, &(struct trm_ipc_handle){.size = 64}, out()))
CALL(trm_stream_hand_over, (handle))
CALL(trm_image_adopt, (handle, &small_image, TRM_NATIVE_VULKAN_IMAGE, 0, 0, out()))
CALL(trm_image_hand_back, (handle, 1))
CALL(trm_image_native, (handle, TRM_NATIVE_VULKAN_IMAGE, out()))
CALL(trm_stream_wait_native, (handle, TRM_NATIVE_CUDA_EVENT, 0))
CALL(trm_stream_record_native, (handle, TRM_NATIVE_CUDA_EVENT, 0))
CALL(trm_semaphore_create, (handle, out()))
CALL(trm_semaphore_import, (handle, TRM_HANDLE_OPAQUE_FD, -1, out()))
CALL(trm_semaphore_export, (handle, TRM_HANDLE_OPAQUE_FD, out()))
CALL(trm_semaphore_value, (handle, out()))
CALL_AS(wait_semaphore, trm_stream_wait_semaphore(others->handles[OF_STREAM], handle, 0))
CALL_AS(signal_semaphore, trm_stream_signal_semaphore(others->handles[OF_STREAM], handle, 0))
CALL_AS(semaphore_on_stream, trm_stream_wait_semaphore(handle, others->handles[OF_SEMAPHORE], 0))
CALL_AS(signal_on_stream, trm_stream_signal_semaphore(handle, others->handles[OF_SEMAPHORE], 0))

/* ---- shaders, coordinators and pipelines ---- */

static int32_t visit_none(void *user, const struct trm_shader_place *place)
{
    (void)user;
    (void)place;
    return TRM_OK;
}

CALL(trm_shader_list, (handle, visit_none, NULL))
CALL(trm_shader_translate,
     (handle, &(struct trm_translate_desc){.struct_size = sizeof(struct trm_translate_desc)}, out(),
      &scratch.numbers[1]))
CALL(trm_shader_bytes, (handle, out(), (uint64_t *)&scratch.numbers[1]))
CALL(trm_shader_kernel, (handle, 0, sized(sizeof(struct trm_kernel_info))))
CALL(trm_shader_constant, (handle, 0, sized(sizeof(struct trm_constant_info))))
CALL(trm_shader_view, (handle, 0, sized(sizeof(struct trm_view_info))))
CALL(trm_shader_member, (handle, 0, sized(sizeof(struct trm_member_info))))
CALL(trm_kernel_grid, (handle, 1, 1, 1, out()))

static int32_t call_trm_shader_create(void *handle, const struct objects *others)
{
    struct shader_words words   = shader_words("affine");
    struct trm_shader_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SPIRV, .data = words.words, .size = words.size};
    (void)others;
    return trm_shader_create(handle, &desc, out());
}

static int32_t call_trm_pipeline_create(void *handle, const struct objects *others)
{
    struct trm_port port          = trm_port_input("in", 64);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 1};
    (void)others;
    return trm_pipeline_create(handle, &desc, out());
}

static int32_t visit_no_model(void *user, const struct trm_stream_model *model)
{
    (void)user;
    (void)model;
    return TRM_OK;
}

static int32_t visit_no_width(void *user, const struct trm_stream_width *width)
{
    (void)user;
    (void)width;
    return TRM_OK;
}

CALL(trm_stream_model_list, (handle, visit_no_model, NULL))
CALL(trm_stream_width_list, (handle, visit_no_width, NULL))
CALL(trm_coordinator_create, (handle, NULL, out()))
CALL(trm_coordinator_submit, (handle))
CALL(trm_coordinator_poll, (handle, 1))
CALL(trm_coordinator_wait, (handle, 1, 0))
CALL(trm_coordinator_wait_any, (handle, host_memory, 1, 0, out()))
CALL(trm_coordinator_wait_all, (handle, 0))
CALL(trm_coordinator_forget, (handle))
CALL(trm_coordinator_add, (handle, NULL))
CALL(trm_coordinator_write_graph, (handle, write_none, NULL))
CALL(trm_pipeline_run, (handle, NULL, NULL))
CALL(trm_pipeline_start, (handle, NULL))
CALL(trm_pipeline_acquire, (handle, 0, out()))
CALL(trm_pipeline_submit, (handle, NULL))
CALL(trm_pipeline_discard, (handle, NULL))
CALL(trm_pipeline_next, (handle, 0, out()))
CALL(trm_pipeline_release, (handle, NULL))
CALL(trm_pipeline_cancel, (handle, 0))
CALL(trm_pipeline_slots, (handle, NULL, 0, out()))
CALL(trm_pipeline_report, (handle, sized(sizeof(struct trm_report))))
CALL(trm_pipeline_reset_report, (handle))
CALL(trm_pipeline_report_file, (handle, TRM_REPORT_JSON, NO_FOLDER))
CALL(trm_pipeline_trace_file, (handle, TRM_REPORT_JSON, NO_FOLDER))
CALL(trm_pipeline_set_stage_order, (handle, NULL, 0))
CALL(trm_pipeline_token_fd, (handle, 0, out()))
CALL(trm_pipeline_join, (handle))
CALL(trm_pipeline_trace, (handle, TRM_REPORT_JSON, write_none, NULL))

/* ---- images ---- */

CALL(trm_image_create, (handle, &small_image, out()))
CALL_AS(image_over_on_device,
        trm_image_create_over(handle, &small_image, trm_span_of(others->handles[OF_BUFFER], 0, 64), 0, 0,
                              out()))
CALL_AS(image_over_buffer, trm_image_create_over(others->handles[OF_DEVICE], &small_image,
                                                 trm_span_of(handle, 0, 64), 0, 0, out()))
CALL(trm_sampler_create, (handle, &plain_sampler, out()))
CALL(trm_image_describe, (handle, sized(sizeof(struct trm_image_desc))))
CALL_AS(upload_image, trm_image_upload(others->handles[OF_STREAM], handle, NULL, host_memory, 0, 0))
CALL_AS(download_image, trm_image_download(others->handles[OF_STREAM], host_memory, handle, NULL, 0, 0))
CALL_AS(image_from, trm_image_from_buffer(others->handles[OF_STREAM], handle, NULL,
                                          trm_span_whole(others->handles[OF_BUFFER]), 0, 0))
CALL_AS(image_to, trm_image_to_buffer(others->handles[OF_STREAM], trm_span_whole(others->handles[OF_BUFFER]),
                                      handle, NULL, 0, 0))
CALL_AS(image_from_buffer, trm_image_from_buffer(others->handles[OF_STREAM], others->handles[OF_IMAGE], NULL,
                                                 trm_span_of(handle, 0, 64), 0, 0))
CALL_AS(image_to_buffer, trm_image_to_buffer(others->handles[OF_STREAM], trm_span_of(handle, 0, 64),
                                             others->handles[OF_IMAGE], NULL, 0, 0))
CALL_AS(image_copy_to,
        trm_image_copy(others->handles[OF_STREAM], handle, NULL, others->handles[OF_IMAGE], NULL))
CALL_AS(image_copy_from,
        trm_image_copy(others->handles[OF_STREAM], others->handles[OF_IMAGE], NULL, handle, NULL))
CALL_AS(build_mips, trm_image_build_mips(others->handles[OF_STREAM], handle))
CALL_AS(build_mips_on_stream, trm_image_build_mips(handle, others->handles[OF_IMAGE]))
CALL_AS(upload_image_on_stream, trm_image_upload(handle, others->handles[OF_IMAGE], NULL, host_memory, 0, 0))
CALL_AS(copy_image_on_stream,
        trm_image_copy(handle, others->handles[OF_IMAGE], NULL, others->handles[OF_IMAGE], NULL))

/* ---- the list ---- */

static const struct call calls[] = {
    ROW(OF_CONTEXT, trm_context_candidate_count),
    ROW(OF_CONTEXT, trm_context_candidate),
    ROW(OF_CONTEXT, trm_context_setting),
    ROW(OF_CONTEXT, trm_device_count),
    ROW(OF_CONTEXT, trm_program_run),
    ROW(OF_CONTEXT, trm_device_describe),
    ROW(OF_CONTEXT, trm_device_open),
    ROW(OF_DEVICE, trm_device_get_info),
    ROW(OF_DEVICE, trm_device_get_u64),
    ROW(OF_DEVICE, trm_device_sync),
    ROW(OF_DEVICE, trm_device_get_usage),
    ROW(OF_DEVICE, trm_device_thread_stream),
    ROW(OF_DEVICE, trm_stream_create),
    ROW(OF_DEVICE, trm_event_create),
    ROW(OF_DEVICE, trm_buffer_create),
    ROW(OF_DEVICE, trm_buffer_create_from),
    ROW(OF_DEVICE, trm_array_create),
    ROW(OF_DEVICE, trm_module_supported),
    ROW(OF_DEVICE, trm_module_load),
    ROW(OF_DEVICE, trm_module_build),
    ROW(OF_DEVICE, trm_kernel_named),
    ROW(OF_DEVICE, access_from),
    ROW(OF_DEVICE, access_to),
    ROW(OF_DEVICE, trm_pool_get_stats),
    ROW(OF_DEVICE, trm_pool_trim),
    ROW(OF_DEVICE, trm_pool_set_threshold),
    ROW(OF_STREAM, trm_stream_device),
    ROW(OF_STREAM, trm_stream_mark),
    ROW(OF_STREAM, trm_stream_flush),
    ROW(OF_STREAM, trm_stream_sync),
    ROW(OF_STREAM, trm_stream_query),
    ROW(OF_STREAM, trm_stream_callback),
    ROW(OF_STREAM, trm_stream_set_name),
    ROW(OF_STREAM, trm_stream_get_stats),
    ROW(OF_STREAM, trm_stream_reset_stats),
    ROW(OF_STREAM, trm_range_push),
    ROW(OF_STREAM, trm_range_pop),
    ROW(OF_STREAM, trm_stream_alloc),
    ROW(OF_STREAM, trm_point_wait),
    ROW(OF_STREAM, trm_point_done),
    ROW(OF_STREAM, trm_point_fd),
    ROW(OF_STREAM, wait_of_stream),
    ROW(OF_STREAM, wait_for_point),
    ROW(OF_STREAM, wait_event_of_stream),
    ROW(OF_STREAM, record_on_stream),
    ROW(OF_STREAM, fill_on_stream),
    ROW(OF_STREAM, upload_on_stream),
    ROW(OF_STREAM, download_on_stream),
    ROW(OF_STREAM, copy_on_stream),
    ROW(OF_STREAM, copy_2d_on_stream),
    ROW(OF_STREAM, barrier_of_stream),
    ROW(OF_STREAM, trm_wait_all),
    ROW(OF_STREAM, trm_wait_any),
    ROW(OF_STREAM, free_on_stream),
    ROW(OF_STREAM, launch_on_stream),
    ROW(OF_EVENT, wait_event),
    ROW(OF_EVENT, record),
    ROW(OF_EVENT, trm_event_wait),
    ROW(OF_EVENT, trm_event_done),
    ROW(OF_EVENT, trm_event_point),
    ROW(OF_EVENT, elapsed_start),
    ROW(OF_EVENT, elapsed_end),
    ROW(OF_BUFFER, trm_buffer_size),
    ROW(OF_BUFFER, trm_buffer_kind),
    ROW(OF_BUFFER, trm_buffer_map),
    ROW(OF_BUFFER, trm_buffer_unmap),
    ROW(OF_BUFFER, trm_buffer_host_pointer),
    ROW(OF_BUFFER, trm_buffer_wait),
    ROW(OF_BUFFER, trm_buffer_address),
    ROW(OF_BUFFER, trm_buffer_retain),
    ROW(OF_BUFFER, fill),
    ROW(OF_BUFFER, upload),
    ROW(OF_BUFFER, download),
    ROW(OF_BUFFER, copy_to),
    ROW(OF_BUFFER, copy_from),
    ROW(OF_BUFFER, prefetch),
    ROW(OF_BUFFER, free_of),
    ROW(OF_ARRAY, trm_array_type),
    ROW(OF_ARRAY, trm_array_count),
    ROW(OF_ARRAY, trm_array_bytes),
    ROW(OF_ARRAY, trm_array_buffer),
    ROW(OF_ARRAY, trm_array_upload),
    ROW(OF_ARRAY, trm_array_download),
    ROW(OF_ARRAY, array_copy_to),
    ROW(OF_ARRAY, array_copy_from),
    ROW(OF_MODULE, trm_kernel_get),
    ROW(OF_KERNEL, trm_kernel_describe),
    ROW(OF_KERNEL, launch),
    ROW(OF_DEVICE, trm_graph_create),
    ROW(OF_STREAM, launch_graph_on_stream),
    ROW(OF_GRAPH, trm_graph_record),
    ROW(OF_GRAPH, trm_graph_node_count),
    ROW(OF_GRAPH, trm_graph_instantiate),
    ROW(OF_GRAPH_EXEC, trm_graph_exec_is_native),
    ROW(OF_GRAPH_EXEC, launch_graph),
    ROW(OF_GRAPH_EXEC, trm_graph_update_launch),
    ROW(OF_GRAPH_EXEC, trm_graph_update_upload),
    ROW(OF_GRAPH_EXEC, trm_graph_update_download),
    ROW(OF_GRAPH_EXEC, trm_graph_update_copy),
    ROW(OF_CONTEXT, trm_device_adopt),
    ROW(OF_DEVICE, trm_device_native),
    ROW(OF_STREAM, trm_stream_native),
    ROW(OF_BUFFER, trm_buffer_native),
    ROW(OF_DEVICE, trm_buffer_create_exportable),
    ROW(OF_DEVICE, trm_buffer_import),
    ROW(OF_BUFFER, trm_buffer_export),
    ROW(OF_DEVICE, trm_stream_adopt),
    ROW(OF_DEVICE, trm_buffer_adopt),
    ROW(OF_DEVICE, trm_buffer_create_ipc),
    ROW(OF_BUFFER, trm_buffer_get_ipc_handle),
    ROW(OF_DEVICE, trm_buffer_open_ipc_handle),
    ROW(OF_STREAM, trm_stream_hand_over),
    ROW(OF_DEVICE, trm_image_adopt),
    ROW(OF_IMAGE, trm_image_hand_back),
    ROW(OF_IMAGE, trm_image_native),
    ROW(OF_STREAM, trm_stream_wait_native),
    ROW(OF_STREAM, trm_stream_record_native),
    ROW(OF_DEVICE, trm_semaphore_create),
    ROW(OF_DEVICE, trm_semaphore_import),
    ROW(OF_SEMAPHORE, trm_semaphore_export),
    ROW(OF_SEMAPHORE, trm_semaphore_value),
    ROW(OF_SEMAPHORE, wait_semaphore),
    ROW(OF_SEMAPHORE, signal_semaphore),
    ROW(OF_STREAM, semaphore_on_stream),
    ROW(OF_STREAM, signal_on_stream),
    ROW(OF_CONTEXT, trm_shader_create),
    ROW(OF_CONTEXT, trm_shader_list),
    ROW(OF_SHADER, trm_shader_translate),
    ROW(OF_SHADER, trm_shader_bytes),
    ROW(OF_SHADER, trm_shader_kernel),
    ROW(OF_SHADER, trm_shader_constant),
    ROW(OF_SHADER, trm_shader_view),
    ROW(OF_SHADER, trm_shader_member),
    ROW(OF_KERNEL, trm_kernel_grid),
    ROW(OF_CONTEXT, trm_stream_model_list),
    ROW(OF_CONTEXT, trm_stream_width_list),
    ROW(OF_DEVICE, trm_coordinator_create),
    ROW(OF_COORDINATOR, trm_coordinator_add),
    ROW(OF_COORDINATOR, trm_coordinator_submit),
    ROW(OF_COORDINATOR, trm_coordinator_poll),
    ROW(OF_COORDINATOR, trm_coordinator_wait),
    ROW(OF_COORDINATOR, trm_coordinator_wait_any),
    ROW(OF_COORDINATOR, trm_coordinator_wait_all),
    ROW(OF_COORDINATOR, trm_coordinator_forget),
    ROW(OF_COORDINATOR, trm_coordinator_write_graph),
    ROW(OF_DEVICE, trm_pipeline_create),
    ROW(OF_PIPELINE, trm_pipeline_run),
    ROW(OF_PIPELINE, trm_pipeline_start),
    ROW(OF_PIPELINE, trm_pipeline_acquire),
    ROW(OF_PIPELINE, trm_pipeline_submit),
    ROW(OF_PIPELINE, trm_pipeline_discard),
    ROW(OF_PIPELINE, trm_pipeline_next),
    ROW(OF_PIPELINE, trm_pipeline_release),
    ROW(OF_PIPELINE, trm_pipeline_cancel),
    ROW(OF_PIPELINE, trm_pipeline_slots),
    ROW(OF_PIPELINE, trm_pipeline_report),
    ROW(OF_PIPELINE, trm_pipeline_reset_report),
    ROW(OF_PIPELINE, trm_pipeline_report_file),
    ROW(OF_PIPELINE, trm_pipeline_trace_file),
    ROW(OF_PIPELINE, trm_pipeline_set_stage_order),
    ROW(OF_PIPELINE, trm_pipeline_token_fd),
    ROW(OF_PIPELINE, trm_pipeline_join),
    ROW(OF_DEVICE, trm_image_create),
    ROW(OF_DEVICE, image_over_on_device),
    ROW(OF_BUFFER, image_over_buffer),
    ROW(OF_DEVICE, trm_sampler_create),
    ROW(OF_IMAGE, trm_image_describe),
    ROW(OF_IMAGE, upload_image),
    ROW(OF_IMAGE, download_image),
    ROW(OF_IMAGE, image_from),
    ROW(OF_IMAGE, image_to),
    ROW(OF_IMAGE, image_copy_to),
    ROW(OF_IMAGE, image_copy_from),
    ROW(OF_BUFFER, image_from_buffer),
    ROW(OF_BUFFER, image_to_buffer),
    ROW(OF_IMAGE, build_mips),
    ROW(OF_STREAM, build_mips_on_stream),
    ROW(OF_STREAM, upload_image_on_stream),
    ROW(OF_STREAM, copy_image_on_stream),
    ROW(OF_PIPELINE, trm_pipeline_trace),
};

#define COUNT (sizeof(calls) / sizeof(calls[0]))

const struct call *call_at(size_t index)
{
    if (index < COUNT)
        return &calls[index];
    return index - COUNT < group_call_count ? &group_calls[index - COUNT] : NULL;
}
