/* The layout of <trireme/backend.h>.
 * SPDX-License-Identifier: MIT
 */
#ifndef ABI_1_0_PINS_BACKEND_H
#define ABI_1_0_PINS_BACKEND_H

#include "tests/plugins/abi-1.0/pin.h"

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

#endif
