/* The layout of the public descriptors.
 * SPDX-License-Identifier: MIT
 */
#ifndef ABI_1_0_PINS_PUBLIC_H
#define ABI_1_0_PINS_PUBLIC_H

#include "tests/plugins/abi-1.0/pin.h"

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

#endif
