/* The layout of the plugin ABI as minor 0 of major 1 had it, and of the public descriptors of that time, on machines whose long and
 * pointers have 64 bits. Nothing here ever changes: a line that no longer compiles is a break that users would have noticed.
 * Tables and descriptors that begin with struct_size may have grown at their end since.
 * SPDX-License-Identifier: MIT
 */
#ifndef ABI_1_0_PINS_H
#define ABI_1_0_PINS_H

#include <stddef.h>
#include <trireme/backend.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

/* A member is where it was, as large as it was. */
#define PIN(type, member, offset, size)                                                        \
    _Static_assert(offsetof(struct type, member) == (offset), #type "." #member " has moved"); \
    _Static_assert(sizeof(((struct type *)0)->member) == (size), #type "." #member " has another size")

/* A struct without struct_size is as large as it was. */
#define PIN_FIXED(type, size)          \
    enum {                             \
        pinned_size_of_##type = (size) \
    };                                 \
    _Static_assert(sizeof(struct type) == (size), #type " has another size")

/* A struct with struct_size is at least as large as it was, and in minor 0 exactly as large. */
#define PIN_GROWING(type, size)                                                                             \
    enum {                                                                                                  \
        pinned_size_of_##type = (size)                                                                      \
    };                                                                                                      \
    _Static_assert(sizeof(struct type) >= (size), #type " has shrunk");                                     \
    _Static_assert(TRM_BACKEND_ABI_MINOR > 0 || sizeof(struct type) == (size), #type " has grown in minor " \
                                                                                     "0")

/* A struct with struct_size that no backend sees: it grows with the program's side, whatever the minor. */
#define PIN_PUBLIC(type, size)         \
    enum {                             \
        pinned_size_of_##type = (size) \
    };                                 \
    _Static_assert(sizeof(struct type) >= (size), #type " has shrunk")

#define PIN_VALUE(name, value) _Static_assert((name) == (value), #name " was renumbered")

_Static_assert(TRM_BACKEND_ABI_MAJOR == 1, "another major version needs pins of its own");
_Static_assert(sizeof(void *) == 8 && sizeof(long) == 8, "the pins are for LP64");

/* ---- <trireme/backend.h> */

PIN_GROWING(trm_host, 112);
PIN(trm_host, struct_size, 0, 4);
PIN(trm_host, abi_minor, 4, 4);
PIN(trm_host, context, 8, 8);
PIN(trm_host, allocate, 16, 8);
PIN(trm_host, release, 24, 8);
PIN(trm_host, log, 32, 8);
PIN(trm_host, fail, 40, 8);
PIN(trm_host, get_setting, 48, 8);
PIN(trm_host, trust_file, 56, 8);
PIN(trm_host, translate, 64, 8);
PIN(trm_host, release_translation, 72, 8);
PIN(trm_host, cache_find, 80, 8);
PIN(trm_host, cache_begin, 88, 8);
PIN(trm_host, cache_commit, 96, 8);
PIN(trm_host, cache_discard, 104, 8);

PIN_GROWING(trm_device_ops, 40);
PIN(trm_device_ops, struct_size, 0, 4);
PIN(trm_device_ops, reserved, 4, 4);
PIN(trm_device_ops, count, 8, 8);
PIN(trm_device_ops, get_info, 16, 8);
PIN(trm_device_ops, open, 24, 8);
PIN(trm_device_ops, close, 32, 8);

PIN_GROWING(trm_memory_desc, 32);
PIN(trm_memory_desc, struct_size, 0, 4);
PIN(trm_memory_desc, kind, 4, 4);
PIN(trm_memory_desc, size, 8, 8);
PIN(trm_memory_desc, alignment, 16, 8);
PIN(trm_memory_desc, host_pointer, 24, 8);

PIN_GROWING(trm_memory_ops, 32);
PIN(trm_memory_ops, struct_size, 0, 4);
PIN(trm_memory_ops, reserved, 4, 4);
PIN(trm_memory_ops, allocate, 8, 8);
PIN(trm_memory_ops, free, 16, 8);
PIN(trm_memory_ops, host_pointer, 24, 8);

PIN_GROWING(trm_stream_desc, 16);
PIN(trm_stream_desc, struct_size, 0, 4);
PIN(trm_stream_desc, role, 4, 4);
PIN(trm_stream_desc, priority, 8, 4);
PIN(trm_stream_desc, reserved, 12, 4);

PIN_FIXED(trm_place, 24);
PIN(trm_place, memory, 0, 8);
PIN(trm_place, offset, 8, 8);
PIN(trm_place, host, 16, 8);

PIN_GROWING(trm_copy_desc, 64);
PIN(trm_copy_desc, struct_size, 0, 4);
PIN(trm_copy_desc, reserved, 4, 4);
PIN(trm_copy_desc, destination, 8, 24);
PIN(trm_copy_desc, source, 32, 24);
PIN(trm_copy_desc, size, 56, 8);

PIN_GROWING(trm_copy_2d_desc, 88);
PIN(trm_copy_2d_desc, struct_size, 0, 4);
PIN(trm_copy_2d_desc, reserved, 4, 4);
PIN(trm_copy_2d_desc, destination, 8, 24);
PIN(trm_copy_2d_desc, source, 32, 24);
PIN(trm_copy_2d_desc, destination_pitch, 56, 8);
PIN(trm_copy_2d_desc, source_pitch, 64, 8);
PIN(trm_copy_2d_desc, width, 72, 8);
PIN(trm_copy_2d_desc, height, 80, 8);

PIN_GROWING(trm_fill_desc, 40);
PIN(trm_fill_desc, struct_size, 0, 4);
PIN(trm_fill_desc, pattern_size, 4, 4);
PIN(trm_fill_desc, memory, 8, 8);
PIN(trm_fill_desc, offset, 16, 8);
PIN(trm_fill_desc, size, 24, 8);
PIN(trm_fill_desc, pattern, 32, 8);

PIN_FIXED(trm_launch_argument, 48);
PIN(trm_launch_argument, kind, 0, 4);
PIN(trm_launch_argument, type, 4, 4);
PIN(trm_launch_argument, memory, 8, 8);
PIN(trm_launch_argument, offset, 16, 8);
PIN(trm_launch_argument, size, 24, 8);
PIN(trm_launch_argument, scalar, 32, 8);
PIN(trm_launch_argument, block, 40, 8);

PIN_GROWING(trm_launch_desc, 56);
PIN(trm_launch_desc, struct_size, 0, 4);
PIN(trm_launch_desc, argument_count, 4, 4);
PIN(trm_launch_desc, kernel, 8, 8);
PIN(trm_launch_desc, arguments, 16, 8);
PIN(trm_launch_desc, groups, 24, 12);
PIN(trm_launch_desc, group_size, 36, 12);
PIN(trm_launch_desc, shared_bytes, 48, 4);
PIN(trm_launch_desc, reserved, 52, 4);

PIN_GROWING(trm_stream_ops, 144);
PIN(trm_stream_ops, struct_size, 0, 4);
PIN(trm_stream_ops, reserved, 4, 4);
PIN(trm_stream_ops, create, 8, 8);
PIN(trm_stream_ops, destroy, 16, 8);
PIN(trm_stream_ops, copy, 24, 8);
PIN(trm_stream_ops, launch, 32, 8);
PIN(trm_stream_ops, copy_2d, 40, 8);
PIN(trm_stream_ops, fill, 48, 8);
PIN(trm_stream_ops, mark, 56, 8);
PIN(trm_stream_ops, wait_stream, 64, 8);
PIN(trm_stream_ops, gate, 72, 8);
PIN(trm_stream_ops, open_gates, 80, 8);
PIN(trm_stream_ops, prefetch, 88, 8);
PIN(trm_stream_ops, flush, 96, 8);
PIN(trm_stream_ops, query, 104, 8);
PIN(trm_stream_ops, wait, 112, 8);
PIN(trm_stream_ops, wait_any, 120, 8);
PIN(trm_stream_ops, notify, 128, 8);
PIN(trm_stream_ops, abandon, 136, 8);

PIN_GROWING(trm_module_source, 88);
PIN(trm_module_source, struct_size, 0, 4);
PIN(trm_module_source, format, 4, 4);
PIN(trm_module_source, data, 8, 8);
PIN(trm_module_source, size, 16, 8);
PIN(trm_module_source, name, 24, 8);
PIN(trm_module_source, kernels, 32, 8);
PIN(trm_module_source, kernel_count, 40, 4);
PIN(trm_module_source, constant_count, 44, 4);
PIN(trm_module_source, constants, 48, 8);
PIN(trm_module_source, digest, 56, 8);
PIN(trm_module_source, stem, 64, 8);
PIN(trm_module_source, variant, 72, 8);
PIN(trm_module_source, native, 80, 8);

PIN_GROWING(trm_translation, 32);
PIN(trm_translation, struct_size, 0, 4);
PIN(trm_translation, symbol_count, 4, 4);
PIN(trm_translation, text, 8, 8);
PIN(trm_translation, length, 16, 8);
PIN(trm_translation, symbols, 24, 8);

PIN_GROWING(trm_kernel_desc, 32);
PIN(trm_kernel_desc, struct_size, 0, 4);
PIN(trm_kernel_desc, parameter_count, 4, 4);
PIN(trm_kernel_desc, parameters, 8, 8);
PIN(trm_kernel_desc, group_size, 16, 12);
PIN(trm_kernel_desc, shared_bytes, 28, 4);

PIN_GROWING(trm_module_ops, 56);
PIN(trm_module_ops, struct_size, 0, 4);
PIN(trm_module_ops, reserved, 4, 4);
PIN(trm_module_ops, supports, 8, 8);
PIN(trm_module_ops, load, 16, 8);
PIN(trm_module_ops, unload, 24, 8);
PIN(trm_module_ops, kernel, 32, 8);
PIN(trm_module_ops, kernel_name, 40, 8);
PIN(trm_module_ops, build, 48, 8);

PIN_GROWING(trm_profile_ops, 40);
PIN(trm_profile_ops, struct_size, 0, 4);
PIN(trm_profile_ops, reserved, 4, 4);
PIN(trm_profile_ops, stamp_create, 8, 8);
PIN(trm_profile_ops, stamp_destroy, 16, 8);
PIN(trm_profile_ops, stamp_record, 24, 8);
PIN(trm_profile_ops, stamp_read, 32, 8);

PIN_GROWING(trm_pool_ops, 48);
PIN(trm_pool_ops, struct_size, 0, 4);
PIN(trm_pool_ops, reserved, 4, 4);
PIN(trm_pool_ops, allocate, 8, 8);
PIN(trm_pool_ops, free, 16, 8);
PIN(trm_pool_ops, trim, 24, 8);
PIN(trm_pool_ops, set_threshold, 32, 8);
PIN(trm_pool_ops, statistics, 40, 8);

PIN_GROWING(trm_peer_ops, 24);
PIN(trm_peer_ops, struct_size, 0, 4);
PIN(trm_peer_ops, reserved, 4, 4);
PIN(trm_peer_ops, can_access, 8, 8);
PIN(trm_peer_ops, copy, 16, 8);

PIN_GROWING(trm_graph_node, 48);
PIN(trm_graph_node, struct_size, 0, 4);
PIN(trm_graph_node, kind, 4, 4);
PIN(trm_graph_node, copy, 8, 8);
PIN(trm_graph_node, copy_2d, 16, 8);
PIN(trm_graph_node, fill, 24, 8);
PIN(trm_graph_node, launch, 32, 8);
PIN(trm_graph_node, stamp, 40, 8);
PIN_VALUE(TRM_GRAPH_COPY, 1);
PIN_VALUE(TRM_GRAPH_COPY_2D, 2);
PIN_VALUE(TRM_GRAPH_FILL, 3);
PIN_VALUE(TRM_GRAPH_LAUNCH, 4);
PIN_VALUE(TRM_GRAPH_STAMP, 5);

PIN_GROWING(trm_graph_ops, 40);
PIN(trm_graph_ops, struct_size, 0, 4);
PIN(trm_graph_ops, reserved, 4, 4);
PIN(trm_graph_ops, create, 8, 8);
PIN(trm_graph_ops, destroy, 16, 8);
PIN(trm_graph_ops, launch, 24, 8);
PIN(trm_graph_ops, update, 32, 8);

PIN_GROWING(trm_interop_ops, 160);
PIN(trm_interop_ops, struct_size, 0, 4);
PIN(trm_interop_ops, reserved, 4, 4);
PIN(trm_interop_ops, device_handle, 8, 8);
PIN(trm_interop_ops, stream_handle, 16, 8);
PIN(trm_interop_ops, memory_handle, 24, 8);
PIN(trm_interop_ops, adopt, 32, 8);
PIN(trm_interop_ops, memory_create, 40, 8);
PIN(trm_interop_ops, memory_export, 48, 8);
PIN(trm_interop_ops, memory_import, 56, 8);
PIN(trm_interop_ops, semaphore_create, 64, 8);
PIN(trm_interop_ops, semaphore_import, 72, 8);
PIN(trm_interop_ops, semaphore_export, 80, 8);
PIN(trm_interop_ops, semaphore_destroy, 88, 8);
PIN(trm_interop_ops, semaphore_value, 96, 8);
PIN(trm_interop_ops, semaphore_wait, 104, 8);
PIN(trm_interop_ops, semaphore_signal, 112, 8);
PIN(trm_interop_ops, stream_adopt, 120, 8);
PIN(trm_interop_ops, memory_adopt, 128, 8);
PIN(trm_interop_ops, hand_over, 136, 8);
PIN(trm_interop_ops, event_wait, 144, 8);
PIN(trm_interop_ops, event_record, 152, 8);

PIN_GROWING(trm_range_ops, 32);
PIN(trm_range_ops, struct_size, 0, 4);
PIN(trm_range_ops, reserved, 4, 4);
PIN(trm_range_ops, begin, 8, 8);
PIN(trm_range_ops, end, 16, 8);
PIN(trm_range_ops, name_stream, 24, 8);

PIN_GROWING(trm_backend, 144);
PIN(trm_backend, struct_size, 0, 4);
PIN(trm_backend, abi_minor, 4, 4);
PIN(trm_backend, flags, 8, 4);
PIN(trm_backend, reserved, 12, 4);
PIN(trm_backend, name, 16, 8);
PIN(trm_backend, version, 24, 8);
PIN(trm_backend, description, 32, 8);
PIN(trm_backend, probe, 40, 8);
PIN(trm_backend, open, 48, 8);
PIN(trm_backend, close, 56, 8);
PIN(trm_backend, device, 64, 8);
PIN(trm_backend, memory, 72, 8);
PIN(trm_backend, stream, 80, 8);
PIN(trm_backend, module, 88, 8);
PIN(trm_backend, graph, 96, 8);
PIN(trm_backend, pool, 104, 8);
PIN(trm_backend, peer, 112, 8);
PIN(trm_backend, interop, 120, 8);
PIN(trm_backend, profile, 128, 8);
PIN(trm_backend, get_extension, 136, 8);

/* ---- <trireme/cpu_kernel.h> */

PIN_FIXED(trm_cpu_buffer, 16);
PIN(trm_cpu_buffer, data, 0, 8);
PIN(trm_cpu_buffer, size, 8, 8);

PIN_GROWING(trm_cpu_groups, 64);
PIN(trm_cpu_groups, struct_size, 0, 4);
PIN(trm_cpu_groups, worker, 4, 4);
PIN(trm_cpu_groups, begin, 8, 8);
PIN(trm_cpu_groups, end, 16, 8);
PIN(trm_cpu_groups, groups, 24, 12);
PIN(trm_cpu_groups, group_size, 36, 12);
PIN(trm_cpu_groups, scratch, 48, 8);
PIN(trm_cpu_groups, scratch_bytes, 56, 8);

PIN_FIXED(trm_cpu_kernel, 56);
PIN(trm_cpu_kernel, name, 0, 8);
PIN(trm_cpu_kernel, function, 8, 8);
PIN(trm_cpu_kernel, parameters, 16, 8);
PIN(trm_cpu_kernel, parameter_count, 24, 4);
PIN(trm_cpu_kernel, group_size, 28, 12);
PIN(trm_cpu_kernel, shared_bytes, 40, 4);
PIN(trm_cpu_kernel, grain, 44, 4);
PIN(trm_cpu_kernel, scratch_bytes, 48, 4);
PIN(trm_cpu_kernel, reserved, 52, 4);

PIN_GROWING(trm_cpu_kernel_table, 32);
PIN(trm_cpu_kernel_table, struct_size, 0, 4);
PIN(trm_cpu_kernel_table, kernel_size, 4, 4);
PIN(trm_cpu_kernel_table, count, 8, 4);
PIN(trm_cpu_kernel_table, reserved, 12, 4);
PIN(trm_cpu_kernel_table, kernels, 16, 8);
PIN(trm_cpu_kernel_table, digest, 24, 8);

/* ---- <trireme/kernel.h> */

PIN_FIXED(trm_constant, 24);
PIN(trm_constant, name, 0, 8);
PIN(trm_constant, id, 8, 4);
PIN(trm_constant, type, 12, 4);
PIN(trm_constant, bits, 16, 8);

PIN_GROWING(trm_module_desc, 64);
PIN(trm_module_desc, struct_size, 0, 4);
PIN(trm_module_desc, format, 4, 4);
PIN(trm_module_desc, data, 8, 8);
PIN(trm_module_desc, size, 16, 8);
PIN(trm_module_desc, name, 24, 8);
PIN(trm_module_desc, constants, 32, 8);
PIN(trm_module_desc, constant_count, 40, 4);
PIN(trm_module_desc, reserved, 44, 4);
PIN(trm_module_desc, glsl, 48, 8);
PIN(trm_module_desc, native, 56, 8);
PIN_GROWING(trm_native_options, 32);
PIN(trm_native_options, struct_size, 0, 4);
PIN(trm_native_options, kernel_count, 4, 4);
PIN(trm_native_options, kernels, 8, 8);
PIN(trm_native_options, compiler_options, 16, 8);
PIN(trm_native_options, compiler_option_count, 24, 4);
PIN(trm_native_options, reserved, 28, 4);

PIN_FIXED(trm_parameter, 40);
PIN(trm_parameter, name, 0, 8);
PIN(trm_parameter, kind, 8, 4);
PIN(trm_parameter, type, 12, 4);
PIN(trm_parameter, access, 16, 4);
PIN(trm_parameter, components, 20, 4);
PIN(trm_parameter, size, 24, 4);
PIN(trm_parameter, stride, 28, 4);
PIN(trm_parameter, set, 32, 4);
PIN(trm_parameter, place, 36, 4);

PIN_GROWING(trm_kernel_info, 40);
PIN(trm_kernel_info, struct_size, 0, 4);
PIN(trm_kernel_info, parameter_count, 4, 4);
PIN(trm_kernel_info, parameters, 8, 8);
PIN(trm_kernel_info, name, 16, 8);
PIN(trm_kernel_info, group_size, 24, 12);
PIN(trm_kernel_info, shared_bytes, 36, 4);

PIN_FIXED(trm_argument, 40);
PIN(trm_argument, kind, 0, 4);
PIN(trm_argument, type, 4, 4);
PIN(trm_argument, value, 8, 24);
PIN(trm_argument, name, 32, 8);

PIN_FIXED(trm_grid, 32);
PIN(trm_grid, groups, 0, 12);
PIN(trm_grid, group_size, 12, 12);
PIN(trm_grid, shared_bytes, 24, 4);
PIN(trm_grid, reserved, 28, 4);

/* ---- <trireme/shader.h> */

PIN_GROWING(trm_glsl_options, 40);
PIN(trm_glsl_options, struct_size, 0, 4);
PIN(trm_glsl_options, flags, 4, 4);
PIN(trm_glsl_options, defines, 8, 8);
PIN(trm_glsl_options, includes, 16, 8);
PIN(trm_glsl_options, define_count, 24, 4);
PIN(trm_glsl_options, include_count, 28, 4);
PIN(trm_glsl_options, file, 32, 8);

PIN_GROWING(trm_shader_desc, 40);
PIN(trm_shader_desc, struct_size, 0, 4);
PIN(trm_shader_desc, format, 4, 4);
PIN(trm_shader_desc, data, 8, 8);
PIN(trm_shader_desc, size, 16, 8);
PIN(trm_shader_desc, name, 24, 8);
PIN(trm_shader_desc, glsl, 32, 8);

PIN_GROWING(trm_constant_info, 32);
PIN(trm_constant_info, struct_size, 0, 4);
PIN(trm_constant_info, id, 4, 4);
PIN(trm_constant_info, name, 8, 8);
PIN(trm_constant_info, type, 16, 4);
PIN(trm_constant_info, reserved, 20, 4);
PIN(trm_constant_info, default_bits, 24, 8);

PIN_GROWING(trm_translate_desc, 24);
PIN(trm_translate_desc, struct_size, 0, 4);
PIN(trm_translate_desc, language, 4, 4);
PIN(trm_translate_desc, flags, 8, 4);
PIN(trm_translate_desc, constant_count, 12, 4);
PIN(trm_translate_desc, constants, 16, 8);

PIN_GROWING(trm_shader_place, 24);
PIN(trm_shader_place, struct_size, 0, 4);
PIN(trm_shader_place, reserved, 4, 4);
PIN(trm_shader_place, name, 8, 8);
PIN(trm_shader_place, path, 16, 8);

/* ---- <trireme/context.h> */

PIN_FIXED(trm_allocator, 24);
PIN(trm_allocator, allocate, 0, 8);
PIN(trm_allocator, release, 8, 8);
PIN(trm_allocator, user, 16, 8);

PIN_FIXED(trm_setting, 16);
PIN(trm_setting, name, 0, 8);
PIN(trm_setting, value, 8, 8);

PIN_GROWING(trm_context_desc, 48);
PIN(trm_context_desc, struct_size, 0, 4);
PIN(trm_context_desc, flags, 4, 4);
PIN(trm_context_desc, log, 8, 8);
PIN(trm_context_desc, log_user, 16, 8);
PIN(trm_context_desc, allocator, 24, 8);
PIN(trm_context_desc, settings, 32, 8);
PIN(trm_context_desc, setting_count, 40, 4);
PIN(trm_context_desc, reserved, 44, 4);

PIN_GROWING(trm_candidate, 48);
PIN(trm_candidate, struct_size, 0, 4);
PIN(trm_candidate, accepted, 4, 4);
PIN(trm_candidate, stage, 8, 4);
PIN(trm_candidate, score, 12, 4);
PIN(trm_candidate, name, 16, 8);
PIN(trm_candidate, path, 24, 8);
PIN(trm_candidate, version, 32, 8);
PIN(trm_candidate, reason, 40, 8);

/* ---- <trireme/device.h> */

PIN_GROWING(trm_device_summary, 392);
PIN(trm_device_summary, struct_size, 0, 4);
PIN(trm_device_summary, kind, 4, 4);
PIN(trm_device_summary, id, 8, 64);
PIN(trm_device_summary, backend, 72, 48);
PIN(trm_device_summary, name, 120, 256);
PIN(trm_device_summary, memory_bytes, 376, 8);
PIN(trm_device_summary, unified, 384, 4);
PIN(trm_device_summary, score, 388, 4);

PIN_PUBLIC(trm_device_usage, 40);
PIN(trm_device_usage, struct_size, 0, 4);
PIN(trm_device_usage, streams, 4, 4);
PIN(trm_device_usage, events, 8, 4);
PIN(trm_device_usage, buffers, 12, 4);
PIN(trm_device_usage, modules, 16, 4);
PIN(trm_device_usage, kernels, 20, 4);
PIN(trm_device_usage, buffer_bytes, 24, 8);
PIN(trm_device_usage, peak_buffer_bytes, 32, 8);

/* ---- <trireme/status.h> */

PIN_FIXED(trm_error, 24);
PIN(trm_error, status, 0, 4);
PIN(trm_error, reserved, 4, 4);
PIN(trm_error, native_code, 8, 8);
PIN(trm_error, sentence, 16, 8);

/* ---- <trireme/stream.h> */

PIN_GROWING(trm_stream_stats, 96);
PIN(trm_stream_stats, struct_size, 0, 4);
PIN(trm_stream_stats, reserved, 4, 4);
PIN(trm_stream_stats, operations, 8, 8);
PIN(trm_stream_stats, launches, 16, 8);
PIN(trm_stream_stats, copies, 24, 8);
PIN(trm_stream_stats, fills, 32, 8);
PIN(trm_stream_stats, callbacks, 40, 8);
PIN(trm_stream_stats, waits, 48, 8);
PIN(trm_stream_stats, bytes_uploaded, 56, 8);
PIN(trm_stream_stats, bytes_downloaded, 64, 8);
PIN(trm_stream_stats, bytes_copied, 72, 8);
PIN(trm_stream_stats, pageable_copies, 80, 8);
PIN(trm_stream_stats, host_waits, 88, 8);

/* ---- <trireme/buffer.h> */

PIN_GROWING(trm_buffer_desc, 48);
PIN(trm_buffer_desc, struct_size, 0, 4);
PIN(trm_buffer_desc, flags, 4, 4);
PIN(trm_buffer_desc, kind, 8, 4);
PIN(trm_buffer_desc, reserved, 12, 4);
PIN(trm_buffer_desc, size, 16, 8);
PIN(trm_buffer_desc, alignment, 24, 8);
PIN(trm_buffer_desc, data, 32, 8);
PIN(trm_buffer_desc, host_pointer, 40, 8);

PIN_FIXED(trm_span, 24);
PIN(trm_span, buffer, 0, 8);
PIN(trm_span, offset, 8, 8);
PIN(trm_span, length, 16, 8);

/* ---- <trireme/point.h> */

PIN_FIXED(trm_point, 16);
PIN(trm_point, stream, 0, 8);
PIN(trm_point, value, 8, 8);

/* ---- <trireme/pool.h> */

PIN_GROWING(trm_pool_stats, 72);
PIN(trm_pool_stats, struct_size, 0, 4);
PIN(trm_pool_stats, reserved, 4, 4);
PIN(trm_pool_stats, used_bytes, 8, 8);
PIN(trm_pool_stats, cached_bytes, 16, 8);
PIN(trm_pool_stats, reserved_bytes, 24, 8);
PIN(trm_pool_stats, peak_used_bytes, 32, 8);
PIN(trm_pool_stats, allocations, 40, 8);
PIN(trm_pool_stats, reuses, 48, 8);
PIN(trm_pool_stats, driver_allocations, 56, 8);
PIN(trm_pool_stats, driver_frees, 64, 8);

/* ---- <trireme/settings.h> */

PIN_GROWING(trm_setting_info, 48);
PIN(trm_setting_info, struct_size, 0, 4);
PIN(trm_setting_info, type, 4, 4);
PIN(trm_setting_info, name, 8, 8);
PIN(trm_setting_info, variable, 16, 8);
PIN(trm_setting_info, default_value, 24, 8);
PIN(trm_setting_info, help, 32, 8);
PIN(trm_setting_info, secure, 40, 4);
PIN(trm_setting_info, reserved, 44, 4);

/* ---- <trireme/transfer.h> */

PIN_FIXED(trm_rows, 32);
PIN(trm_rows, buffer, 0, 8);
PIN(trm_rows, host, 8, 8);
PIN(trm_rows, offset, 16, 8);
PIN(trm_rows, pitch, 24, 8);

/* ---- numbers */

PIN_VALUE(TRM_OK, 0);
PIN_VALUE(TRM_ERROR_INVALID_ARGUMENT, -1);
PIN_VALUE(TRM_ERROR_INVALID_HANDLE, -2);
PIN_VALUE(TRM_ERROR_OUT_OF_RANGE, -3);
PIN_VALUE(TRM_ERROR_OUT_OF_HOST_MEMORY, -4);
PIN_VALUE(TRM_ERROR_OUT_OF_DEVICE_MEMORY, -5);
PIN_VALUE(TRM_ERROR_UNSUPPORTED, -6);
PIN_VALUE(TRM_ERROR_NOT_FOUND, -7);
PIN_VALUE(TRM_ERROR_TIMEOUT, -8);
PIN_VALUE(TRM_ERROR_DEVICE_LOST, -9);
PIN_VALUE(TRM_ERROR_BUSY, -10);
PIN_VALUE(TRM_ERROR_CANCELLED, -11);
PIN_VALUE(TRM_ERROR_DEADLOCK, -12);
PIN_VALUE(TRM_ERROR_ABI, -13);
PIN_VALUE(TRM_ERROR_BACKEND, -14);
PIN_VALUE(TRM_ERROR_TYPE_MISMATCH, -15);
PIN_VALUE(TRM_ERROR_WRONG_DEVICE, -16);
PIN_VALUE(TRM_ERROR_PERMISSION, -17);
PIN_VALUE(TRM_ERROR_KERNEL, -18);
PIN_VALUE(TRM_ERROR_FORKED, -19);
PIN_VALUE(TRM_ERROR_INTERNAL, -20);

PIN_VALUE(TRM_DEVICE_OTHER, 0);
PIN_VALUE(TRM_DEVICE_CPU, 1);
PIN_VALUE(TRM_DEVICE_GPU, 2);
PIN_VALUE(TRM_DEVICE_IGPU, 3);
PIN_VALUE(TRM_DEVICE_VIRTUAL, 4);
PIN_VALUE(TRM_DEVICE_SOFTWARE, 5);

PIN_VALUE(TRM_DEVICE_NAME, 1);
PIN_VALUE(TRM_DEVICE_KIND, 2);
PIN_VALUE(TRM_DEVICE_MEMORY_TOTAL, 3);
PIN_VALUE(TRM_DEVICE_MEMORY_FREE, 4);
PIN_VALUE(TRM_DEVICE_UNIFIED, 5);
PIN_VALUE(TRM_DEVICE_UNITS, 6);
PIN_VALUE(TRM_DEVICE_CLOCK_HZ, 7);
PIN_VALUE(TRM_DEVICE_UUID, 8);
PIN_VALUE(TRM_DEVICE_PCI, 9);
PIN_VALUE(TRM_DEVICE_DRIVER, 10);
PIN_VALUE(TRM_DEVICE_COPY_ENGINES, 11);
PIN_VALUE(TRM_DEVICE_MAX_GROUPS, 12);
PIN_VALUE(TRM_DEVICE_MAX_GROUP_SIZE, 13);
PIN_VALUE(TRM_DEVICE_MAX_GROUP_ITEMS, 14);
PIN_VALUE(TRM_DEVICE_MAX_SHARED_BYTES, 15);
PIN_VALUE(TRM_DEVICE_MAX_BUFFER_BYTES, 16);
PIN_VALUE(TRM_DEVICE_MAX_ARGUMENTS, 17);
PIN_VALUE(TRM_DEVICE_BUFFER_ALIGNMENT, 18);
PIN_VALUE(TRM_DEVICE_SUBGROUP_SIZE, 19);
PIN_VALUE(TRM_DEVICE_CACHE_BYTES, 20);
PIN_VALUE(TRM_DEVICE_TIMESTAMP_HZ, 21);
PIN_VALUE(TRM_DEVICE_SYNCHRONOUS, 22);

PIN_VALUE(TRM_TYPE_NONE, 0);
PIN_VALUE(TRM_TYPE_U8, 1);
PIN_VALUE(TRM_TYPE_I8, 2);
PIN_VALUE(TRM_TYPE_U16, 3);
PIN_VALUE(TRM_TYPE_I16, 4);
PIN_VALUE(TRM_TYPE_F16, 5);
PIN_VALUE(TRM_TYPE_U32, 6);
PIN_VALUE(TRM_TYPE_I32, 7);
PIN_VALUE(TRM_TYPE_F32, 8);
PIN_VALUE(TRM_TYPE_U64, 9);
PIN_VALUE(TRM_TYPE_I64, 10);
PIN_VALUE(TRM_TYPE_F64, 11);

PIN_VALUE(TRM_MODULE_FUNCTIONS, 1);
PIN_VALUE(TRM_MODULE_SHARED_OBJECT, 2);
PIN_VALUE(TRM_MODULE_SPIRV, 3);
PIN_VALUE(TRM_MODULE_GLSL, 4);
PIN_VALUE(TRM_MODULE_NAMED, 5);
PIN_VALUE(TRM_MODULE_SHADER, 6);
PIN_VALUE(TRM_MODULE_CUBIN, 7);
PIN_VALUE(TRM_MODULE_PTX, 8);
PIN_VALUE(TRM_MODULE_CUDA, 9);

PIN_VALUE(TRM_BUILD_PORTABLE, 1);

PIN_VALUE(TRM_LANGUAGE_C, 1);
PIN_VALUE(TRM_LANGUAGE_CUDA, 2);

PIN_VALUE(TRM_TRANSLATE_BOUNDS, 1);

PIN_VALUE(TRM_GLSL_UNOPTIMIZED, 1);
PIN_VALUE(TRM_GLSL_NO_DEBUG, 2);

PIN_VALUE(TRM_PARAMETER_BUFFER, 1);
PIN_VALUE(TRM_PARAMETER_SCALAR, 2);
PIN_VALUE(TRM_PARAMETER_BLOCK, 3);
PIN_VALUE(TRM_PARAMETER_BYTES, 4);

PIN_VALUE(TRM_ACCESS_READ, 1);
PIN_VALUE(TRM_ACCESS_WRITE, 2);

PIN_VALUE(TRM_MEMORY_DEVICE, 0);
PIN_VALUE(TRM_MEMORY_PINNED, 1);
PIN_VALUE(TRM_MEMORY_UNIFIED, 2);
PIN_VALUE(TRM_MEMORY_IMPORTED, 3);

PIN_VALUE(TRM_BUFFER_ZEROED, 1);

PIN_VALUE(TRM_MAP_READ, 1);
PIN_VALUE(TRM_MAP_WRITE, 2);
PIN_VALUE(TRM_MAP_NOSYNC, 4);

PIN_VALUE(TRM_STREAM_ANY, 0);
PIN_VALUE(TRM_STREAM_COMPUTE, 1);
PIN_VALUE(TRM_STREAM_UPLOAD, 2);
PIN_VALUE(TRM_STREAM_DOWNLOAD, 3);

PIN_VALUE(TRM_PRIORITY_LOW, -1);
PIN_VALUE(TRM_PRIORITY_NORMAL, 0);
PIN_VALUE(TRM_PRIORITY_HIGH, 1);

PIN_VALUE(TRM_EVENT_TIMING, 1);

PIN_VALUE(TRM_LOG_ERROR, 1);
PIN_VALUE(TRM_LOG_WARNING, 2);
PIN_VALUE(TRM_LOG_INFO, 3);
PIN_VALUE(TRM_LOG_DEBUG, 4);

PIN_VALUE(TRM_CONTEXT_NO_ENVIRONMENT, 1);
PIN_VALUE(TRM_CONTEXT_NO_CONFIG, 2);

PIN_VALUE(TRM_CANDIDATE_FOUND, 0);
PIN_VALUE(TRM_CANDIDATE_FILE, 1);
PIN_VALUE(TRM_CANDIDATE_LOADED, 2);
PIN_VALUE(TRM_CANDIDATE_SYMBOL, 3);
PIN_VALUE(TRM_CANDIDATE_TABLES, 4);
PIN_VALUE(TRM_CANDIDATE_PROBED, 5);
PIN_VALUE(TRM_CANDIDATE_OPENED, 6);

PIN_VALUE(TRM_SETTING_TEXT, 0);
PIN_VALUE(TRM_SETTING_BOOL, 1);
PIN_VALUE(TRM_SETTING_COUNT, 2);
PIN_VALUE(TRM_SETTING_BYTES, 3);
PIN_VALUE(TRM_SETTING_PATHS, 4);

PIN_VALUE(TRM_ORIGIN_DEFAULT, 0);
PIN_VALUE(TRM_ORIGIN_FILE, 1);
PIN_VALUE(TRM_ORIGIN_ENVIRONMENT, 2);
PIN_VALUE(TRM_ORIGIN_PROGRAM, 3);

#endif
