# Unit tests: Check programs that link the inside of the library (libtrireme-internal.la) and include core/*.h.
#
# To add one:
#
#     UNIT_TESTS += tests/unit/settings
#     tests_unit_settings_SOURCES = tests/unit/core/settings/settings.c
#     tests_unit_settings_CFLAGS = $(UNIT_CFLAGS)
#     tests_unit_settings_LDADD = $(UNIT_LIBS)

UNIT_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
UNIT_LIBS = libtrireme-internal.la $(CHECK_LIBS)

UNIT_TESTS =
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

EXTRA_DIST += tests/unit/counting.h tests/unit/folder.h tests/unit/runner.h

UNIT_TESTS += tests/unit/error
tests_unit_error_SOURCES = tests/unit/base/error.c
tests_unit_error_CFLAGS = $(UNIT_CFLAGS)
tests_unit_error_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/object
tests_unit_object_SOURCES = tests/unit/core/object/object.c
tests_unit_object_CFLAGS = $(UNIT_CFLAGS)
tests_unit_object_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/object_inside
tests_unit_object_inside_SOURCES = tests/unit/core/object/inside.c
tests_unit_object_inside_CFLAGS = $(UNIT_CFLAGS)
tests_unit_object_inside_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/config_file
tests_unit_config_file_SOURCES = tests/unit/core/settings/config_file.c
tests_unit_config_file_CFLAGS = $(UNIT_CFLAGS)
tests_unit_config_file_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/glsl_program
tests_unit_glsl_program_SOURCES = tests/unit/compiler/glsl/program.c
tests_unit_glsl_program_CFLAGS = $(UNIT_CFLAGS)
tests_unit_glsl_program_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/context
tests_unit_context_SOURCES = tests/unit/core/context/context.c
tests_unit_context_CFLAGS = $(UNIT_CFLAGS)
tests_unit_context_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/elf_file
tests_unit_elf_file_SOURCES = tests/unit/core/plugin/elf_file.c
tests_unit_elf_file_CFLAGS = $(UNIT_CFLAGS)
tests_unit_elf_file_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/registry
tests_unit_registry_SOURCES = tests/unit/core/plugin/registry.c tests/unit/core/plugin/registry_fixture.h
tests_unit_registry_CFLAGS = $(UNIT_CFLAGS)
tests_unit_registry_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/registry_choice
tests_unit_registry_choice_SOURCES = tests/unit/core/plugin/registry_choice.c tests/unit/core/plugin/registry_fixture.h
tests_unit_registry_choice_CFLAGS = $(UNIT_CFLAGS)
tests_unit_registry_choice_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/selection
tests_unit_selection_SOURCES = tests/unit/core/plugin/selection.c
tests_unit_selection_CFLAGS = $(UNIT_CFLAGS)
tests_unit_selection_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/setting_value
tests_unit_setting_value_SOURCES = tests/unit/core/settings/setting_value.c
tests_unit_setting_value_CFLAGS = $(UNIT_CFLAGS)
tests_unit_setting_value_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/settings
tests_unit_settings_SOURCES = tests/unit/core/settings/settings.c
tests_unit_settings_CFLAGS = $(UNIT_CFLAGS)
tests_unit_settings_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/sha256
tests_unit_sha256_SOURCES = tests/unit/base/sha256.c
tests_unit_sha256_CFLAGS = $(UNIT_CFLAGS)
tests_unit_sha256_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/cache
tests_unit_cache_SOURCES = tests/unit/core/cache/cache.c
tests_unit_cache_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cache_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/kernel_path
tests_unit_kernel_path_SOURCES = tests/unit/core/shader/kernel_path.c
tests_unit_kernel_path_CFLAGS = $(UNIT_CFLAGS)
tests_unit_kernel_path_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/glsl
tests_unit_glsl_SOURCES = tests/unit/compiler/glsl/glsl.c
tests_unit_glsl_CFLAGS = $(UNIT_CFLAGS)
tests_unit_glsl_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/shader
tests_unit_shader_SOURCES = tests/unit/core/shader/shader.c
tests_unit_shader_CFLAGS = $(UNIT_CFLAGS)
tests_unit_shader_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/trust
tests_unit_trust_SOURCES = tests/unit/base/trust.c
tests_unit_trust_CFLAGS = $(UNIT_CFLAGS)
tests_unit_trust_LDADD = $(UNIT_LIBS)

# Backends that do nothing, for tests/unit/registry and tests/unit/registry_choice.
FAKE_LINK = $(TEST_MODULE_LINK) -export-symbols-regex '^trm_backend_query_v1$$'

check_LTLIBRARIES += tests/unit/fake-one.la
tests_unit_fake_one_la_SOURCES = tests/unit/core/plugin/fake.c
tests_unit_fake_one_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"one"' -DFAKE_SCORE=100 -DFAKE_DEVICES=1
tests_unit_fake_one_la_LDFLAGS = $(FAKE_LINK)

check_LTLIBRARIES += tests/unit/fake-two.la
tests_unit_fake_two_la_SOURCES = tests/unit/core/plugin/fake.c
tests_unit_fake_two_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"two"' -DFAKE_SCORE=300 -DFAKE_DEVICES=2
tests_unit_fake_two_la_LDFLAGS = $(FAKE_LINK)

check_LTLIBRARIES += tests/unit/fake-three.la
tests_unit_fake_three_la_SOURCES = tests/unit/core/plugin/fake.c
tests_unit_fake_three_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"three"' -DFAKE_SCORE=200 -DFAKE_DEVICES=3
tests_unit_fake_three_la_LDFLAGS = $(FAKE_LINK)

# A backend inside the test program, whose work is done when the test says so.
FAKE_BACKEND = tests/unit/fake_backend.c tests/unit/fake_backend.h tests/unit/fake_stream.c tests/unit/fake_stream.h

UNIT_TESTS += tests/unit/event
tests_unit_event_SOURCES = tests/unit/core/stream/event.c $(FAKE_BACKEND)
tests_unit_event_CFLAGS = $(UNIT_CFLAGS)
tests_unit_event_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/gates
tests_unit_gates_SOURCES = tests/unit/core/stream/gates.c $(FAKE_BACKEND)
tests_unit_gates_CFLAGS = $(UNIT_CFLAGS)
tests_unit_gates_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/coordinator
tests_unit_coordinator_SOURCES = tests/unit/pipeline/coordinator/coordinator.c tests/unit/stream_fixture.h $(FAKE_BACKEND)
tests_unit_coordinator_CFLAGS = $(UNIT_CFLAGS)
tests_unit_coordinator_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/service
tests_unit_service_SOURCES = tests/unit/core/stream/service.c
tests_unit_service_CFLAGS = $(UNIT_CFLAGS)
tests_unit_service_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/device
tests_unit_device_SOURCES = tests/unit/core/device/device.c tests/unit/stream_fixture.h $(FAKE_BACKEND)
tests_unit_device_CFLAGS = $(UNIT_CFLAGS)
tests_unit_device_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/stream
tests_unit_stream_SOURCES = tests/unit/core/stream/stream.c tests/unit/stream_fixture.h $(FAKE_BACKEND)
tests_unit_stream_CFLAGS = $(UNIT_CFLAGS)
tests_unit_stream_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/use
tests_unit_use_SOURCES = tests/unit/core/stream/use.c $(FAKE_BACKEND)
tests_unit_use_CFLAGS = $(UNIT_CFLAGS)
tests_unit_use_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/wait_any
tests_unit_wait_any_SOURCES = tests/unit/core/stream/wait_any.c $(FAKE_BACKEND)
tests_unit_wait_any_CFLAGS = $(UNIT_CFLAGS)
tests_unit_wait_any_LDADD = $(UNIT_LIBS)

# A backend inside the test program that has memory, and runs its queues when the test says so.
STORE = tests/unit/store.c tests/unit/store.h

UNIT_TESTS += tests/unit/size_class
tests_unit_size_class_SOURCES = tests/unit/core/memory/size_class.c
tests_unit_size_class_CFLAGS = $(UNIT_CFLAGS)
tests_unit_size_class_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/array
tests_unit_array_SOURCES = tests/unit/core/memory/array.c $(STORE)
tests_unit_array_CFLAGS = $(UNIT_CFLAGS)
tests_unit_array_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/buffer
tests_unit_buffer_SOURCES = tests/unit/core/memory/buffer.c $(STORE)
tests_unit_buffer_CFLAGS = $(UNIT_CFLAGS)
tests_unit_buffer_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pipeline_check
tests_unit_pipeline_check_SOURCES = tests/unit/pipeline/engine/check.c tests/unit/pipeline/engine/check_fixture.h $(STORE)
tests_unit_pipeline_check_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_check_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pipeline_ranges
tests_unit_pipeline_ranges_SOURCES = tests/unit/pipeline/engine/ranges.c $(STORE)
tests_unit_pipeline_ranges_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_ranges_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pipeline_sampling
tests_unit_pipeline_sampling_SOURCES = tests/unit/pipeline/engine/sampling.c
tests_unit_pipeline_sampling_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_sampling_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pipeline_trial
tests_unit_pipeline_trial_SOURCES = tests/unit/pipeline/engine/trial.c
tests_unit_pipeline_trial_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_trial_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/launch
tests_unit_launch_SOURCES = tests/unit/core/module/launch.c $(STORE)
tests_unit_launch_CFLAGS = $(UNIT_CFLAGS)
tests_unit_launch_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/graph
tests_unit_graph_SOURCES = tests/unit/core/graph/graph.c $(STORE)
tests_unit_graph_CFLAGS = $(UNIT_CFLAGS)
tests_unit_graph_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/memory_failures
tests_unit_memory_failures_SOURCES = tests/unit/core/memory/failures.c $(STORE)
tests_unit_memory_failures_CFLAGS = $(UNIT_CFLAGS)
tests_unit_memory_failures_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/peer
tests_unit_peer_SOURCES = tests/unit/core/memory/peer.c $(STORE)
tests_unit_peer_CFLAGS = $(UNIT_CFLAGS)
tests_unit_peer_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pool
tests_unit_pool_SOURCES = tests/unit/core/memory/pool.c tests/unit/core/memory/pool_fixture.h $(STORE)
tests_unit_pool_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pool_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pool_ordered
tests_unit_pool_ordered_SOURCES = tests/unit/core/memory/pool_ordered.c $(STORE)
tests_unit_pool_ordered_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pool_ordered_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/interop
tests_unit_interop_SOURCES = tests/unit/core/interop/interop.c tests/unit/core/interop/fixture.h $(STORE)
tests_unit_interop_CFLAGS = $(UNIT_CFLAGS)
tests_unit_interop_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/interop_adopted
tests_unit_interop_adopted_SOURCES = tests/unit/core/interop/adopted.c tests/unit/core/interop/fixture.h $(STORE)
tests_unit_interop_adopted_CFLAGS = $(UNIT_CFLAGS)
tests_unit_interop_adopted_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pool_slabs
tests_unit_pool_slabs_SOURCES = tests/unit/core/memory/pool_slabs.c tests/unit/core/memory/pool_fixture.h $(STORE)
tests_unit_pool_slabs_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pool_slabs_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pool_threads
tests_unit_pool_threads_SOURCES = tests/unit/core/memory/pool_threads.c $(STORE)
tests_unit_pool_threads_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pool_threads_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/transfer
tests_unit_transfer_SOURCES = tests/unit/core/memory/transfer.c $(STORE)
tests_unit_transfer_CFLAGS = $(UNIT_CFLAGS)
tests_unit_transfer_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/transfer_2d
tests_unit_transfer_2d_SOURCES = tests/unit/core/memory/transfer_2d.c $(STORE)
tests_unit_transfer_2d_CFLAGS = $(UNIT_CFLAGS)
tests_unit_transfer_2d_LDADD = $(UNIT_LIBS)

# What pipelines say of themselves.
REPORT_FIXTURE = tests/unit/pipeline/report/fixture.h

UNIT_TESTS += tests/unit/report_advice
tests_unit_report_advice_SOURCES = tests/unit/pipeline/report/advice.c $(REPORT_FIXTURE)
tests_unit_report_advice_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_advice_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/report_format
tests_unit_report_format_SOURCES = tests/unit/pipeline/report/format.c $(REPORT_FIXTURE)
tests_unit_report_format_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_format_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/report_measure
tests_unit_report_measure_SOURCES = tests/unit/pipeline/report/measure.c $(REPORT_FIXTURE)
tests_unit_report_measure_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_measure_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/report_predict
tests_unit_report_predict_SOURCES = tests/unit/pipeline/report/predict.c
tests_unit_report_predict_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_predict_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/report_trace
tests_unit_report_trace_SOURCES = tests/unit/pipeline/report/trace.c tests/unit/pipeline/report/trace_reader.h $(REPORT_FIXTURE)
tests_unit_report_trace_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_trace_LDADD = $(UNIT_LIBS)

# The cpu backend by itself: the tests drive its tables, with no core between.
if BUILD_CPU
UNIT_TESTS += \
	tests/unit/cpu_compile \
	tests/unit/cpu_device \
	tests/unit/cpu_failures \
	tests/unit/cpu_graph \
	tests/unit/cpu_kernels \
	tests/unit/cpu_spawn \
	tests/unit/cpu_streams \
	tests/unit/cpu_threads \
	tests/unit/cpu_transfers \
	tests/unit/cpu_waits

check_LTLIBRARIES += tests/unit/cpu_affine.la tests/unit/cpu_object.la
endif

CPU_UNIT_LIBS = backends/cpu/libcpu.la $(CHECK_LIBS)
CPU_HOST = tests/unit/backends/cpu/host.h
CPU_FIXTURE = $(CPU_HOST) tests/unit/backends/cpu/fixture.h

tests_unit_cpu_object_la_SOURCES = tests/unit/backends/cpu/object.c
tests_unit_cpu_object_la_LDFLAGS = $(TEST_MODULE_LINK)

tests_unit_cpu_affine_la_SOURCES = tests/unit/backends/cpu/affine.c
tests_unit_cpu_affine_la_LDFLAGS = $(TEST_MODULE_LINK)

# This one goes through the library, and opens the backend as a program does.
tests_unit_cpu_compile_SOURCES = tests/unit/backends/cpu/compile.c tests/unit/folder.h
tests_unit_cpu_compile_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_compile_LDADD = libtrireme.la $(CHECK_LIBS)

tests_unit_cpu_spawn_SOURCES = tests/unit/backends/cpu/spawn.c
tests_unit_cpu_spawn_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_spawn_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_device_SOURCES = tests/unit/backends/cpu/device.c $(CPU_HOST)
tests_unit_cpu_device_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_device_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_failures_SOURCES = tests/unit/backends/cpu/failures.c $(CPU_FIXTURE)
tests_unit_cpu_failures_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_failures_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_graph_SOURCES = tests/unit/backends/cpu/graph.c $(CPU_FIXTURE)
tests_unit_cpu_graph_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_graph_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_kernels_SOURCES = tests/unit/backends/cpu/kernels.c $(CPU_HOST)
tests_unit_cpu_kernels_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_OBJECT='"$(abs_top_builddir)/tests/unit/.libs/cpu_object.so"'
tests_unit_cpu_kernels_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_kernels_LDADD = $(CPU_UNIT_LIBS)
tests_unit_cpu_kernels_DEPENDENCIES = backends/cpu/libcpu.la tests/unit/cpu_object.la

tests_unit_cpu_streams_SOURCES = tests/unit/backends/cpu/streams.c $(CPU_FIXTURE)
tests_unit_cpu_streams_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_streams_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_threads_SOURCES = tests/unit/backends/cpu/threads.c $(CPU_FIXTURE)
tests_unit_cpu_threads_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_threads_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_transfers_SOURCES = tests/unit/backends/cpu/transfers.c $(CPU_HOST)
tests_unit_cpu_transfers_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_transfers_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_waits_SOURCES = tests/unit/backends/cpu/waits.c $(CPU_FIXTURE)
tests_unit_cpu_waits_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_waits_LDADD = $(CPU_UNIT_LIBS)

# Of the vulkan backend what needs nothing of Vulkan.
UNIT_TESTS += tests/unit/vulkan_tlsf
tests_unit_vulkan_tlsf_SOURCES = tests/unit/backends/vulkan/tlsf.c backends/vulkan/memory/tlsf.c backends/vulkan/memory/tlsf.h
tests_unit_vulkan_tlsf_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_tlsf_LDADD = $(CHECK_LIBS)

# The vulkan backend without a driver: Vulkan's functions are made up by the tests.
VULKAN_UNIT_LIBS = backends/vulkan/libvulkan.la $(CHECK_LIBS)
VULKAN_FAKE = tests/unit/backends/vulkan/fake.h

if BUILD_VULKAN
UNIT_TESTS += \
	tests/unit/vulkan_access \
	tests/unit/vulkan_failure \
	tests/unit/vulkan_heap \
	tests/unit/vulkan_loader \
	tests/unit/vulkan_messages \
	tests/unit/vulkan_module \
	tests/unit/vulkan_pace \
	tests/unit/vulkan_physical \
	tests/unit/vulkan_pipeline_cache \
	tests/unit/vulkan_queue \
	tests/unit/vulkan_several \
	tests/unit/vulkan_shader \
	tests/unit/vulkan_stream_ends \
	tests/unit/vulkan_streams
endif

tests_unit_vulkan_access_SOURCES = tests/unit/backends/vulkan/access.c
tests_unit_vulkan_access_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_access_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_failure_SOURCES = tests/unit/backends/vulkan/failure.c $(VULKAN_FAKE)
tests_unit_vulkan_failure_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_failure_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_loader_SOURCES = tests/unit/backends/vulkan/loader.c $(VULKAN_FAKE)
tests_unit_vulkan_loader_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_loader_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_messages_SOURCES = tests/unit/backends/vulkan/messages.c $(VULKAN_FAKE)
tests_unit_vulkan_messages_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_messages_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_heap_SOURCES = tests/unit/backends/vulkan/heap.c tests/unit/backends/vulkan/heap_fixture.h
tests_unit_vulkan_heap_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_heap_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_pace_SOURCES = tests/unit/backends/vulkan/pace.c
tests_unit_vulkan_pace_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_pace_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_physical_SOURCES = tests/unit/backends/vulkan/physical.c $(VULKAN_FAKE)
tests_unit_vulkan_physical_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_physical_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_queue_SOURCES = tests/unit/backends/vulkan/queue.c $(VULKAN_FAKE)
tests_unit_vulkan_queue_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_queue_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_module_SOURCES = tests/unit/backends/vulkan/module.c $(VULKAN_FAKE)
tests_unit_vulkan_module_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_module_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_pipeline_cache_SOURCES = tests/unit/backends/vulkan/pipeline_cache.c tests/unit/folder.h $(VULKAN_FAKE)
tests_unit_vulkan_pipeline_cache_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_pipeline_cache_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_several_SOURCES = tests/unit/backends/vulkan/several.c $(VULKAN_FAKE)
tests_unit_vulkan_several_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_several_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_shader_SOURCES = tests/unit/backends/vulkan/shader.c $(VULKAN_FAKE)
tests_unit_vulkan_shader_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_shader_LDADD = $(VULKAN_UNIT_LIBS)

VULKAN_STREAM_FIXTURE = tests/unit/backends/vulkan/driver.h tests/unit/backends/vulkan/stream_fixture.h
tests_unit_vulkan_stream_ends_SOURCES = tests/unit/backends/vulkan/stream_ends.c $(VULKAN_STREAM_FIXTURE)
tests_unit_vulkan_stream_ends_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_stream_ends_LDADD = $(VULKAN_UNIT_LIBS)

tests_unit_vulkan_streams_SOURCES = tests/unit/backends/vulkan/streams.c $(VULKAN_STREAM_FIXTURE)
tests_unit_vulkan_streams_CFLAGS = $(UNIT_CFLAGS)
tests_unit_vulkan_streams_LDADD = $(VULKAN_UNIT_LIBS)

# The cuda backend on the stand-in for CUDA's driver, or without any.
CUDA_UNIT_CFLAGS = $(UNIT_CFLAGS) $(CUDA_CPPFLAGS) \
	-DCUDA_STANDIN_PATH='"$(abs_top_builddir)/tests/standin/.libs/libcuda.so.1"'
CUDA_UNIT_LIBS = backends/cuda/libtrireme-cuda.la $(CHECK_LIBS)
CUDA_FAKE = tests/unit/backends/cuda/fake.h tests/standin/control.h
CUDA_FIXTURE_UNIT = tests/unit/backends/cuda/fixture.h $(CUDA_FAKE)

if BUILD_CUDA
UNIT_TESTS += \
	tests/unit/cuda_clock \
	tests/unit/cuda_device \
	tests/unit/cuda_failure \
	tests/unit/cuda_graph \
	tests/unit/cuda_holding \
	tests/unit/cuda_loader \
	tests/unit/cuda_marks \
	tests/unit/cuda_memory \
	tests/unit/cuda_module \
	tests/unit/cuda_pageable \
	tests/unit/cuda_peer \
	tests/unit/cuda_physical \
	tests/unit/cuda_pool \
	tests/unit/cuda_portable \
	tests/unit/cuda_profile \
	tests/unit/cuda_replay \
	tests/unit/cuda_sharing \
	tests/unit/cuda_waiting
endif

tests_unit_cuda_device_SOURCES = tests/unit/backends/cuda/device.c $(CUDA_FAKE)
tests_unit_cuda_device_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_device_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_failure_SOURCES = tests/unit/backends/cuda/failure.c $(CUDA_FAKE)
tests_unit_cuda_failure_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_failure_LDADD = $(CUDA_UNIT_LIBS)

CUDA_STREAMS_UNIT = tests/unit/backends/cuda/streams.h $(CUDA_FIXTURE_UNIT)
tests_unit_cuda_holding_SOURCES = tests/unit/backends/cuda/holding.c $(CUDA_STREAMS_UNIT)
tests_unit_cuda_holding_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_holding_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_marks_SOURCES = tests/unit/backends/cuda/marks.c $(CUDA_STREAMS_UNIT)
tests_unit_cuda_marks_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_marks_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_peer_SOURCES = tests/unit/backends/cuda/peer.c $(CUDA_STREAMS_UNIT)
tests_unit_cuda_peer_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_peer_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_replay_SOURCES = tests/unit/backends/cuda/replay.c $(CUDA_STREAMS_UNIT)
tests_unit_cuda_replay_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_replay_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_sharing_SOURCES = tests/unit/backends/cuda/sharing.c $(CUDA_STREAMS_UNIT)
tests_unit_cuda_sharing_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_sharing_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_waiting_SOURCES = tests/unit/backends/cuda/waiting.c $(CUDA_STREAMS_UNIT)
tests_unit_cuda_waiting_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_waiting_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_loader_SOURCES = tests/unit/backends/cuda/loader.c $(CUDA_FAKE)
tests_unit_cuda_loader_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_loader_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_pageable_SOURCES = tests/unit/backends/cuda/pageable.c $(CUDA_FIXTURE_UNIT)
tests_unit_cuda_pageable_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_pageable_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_physical_SOURCES = tests/unit/backends/cuda/physical.c $(CUDA_FAKE)
tests_unit_cuda_physical_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_physical_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_clock_SOURCES = tests/unit/backends/cuda/clock.c
tests_unit_cuda_clock_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_clock_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_graph_SOURCES = tests/unit/backends/cuda/graph.c $(CUDA_FIXTURE_UNIT)
tests_unit_cuda_graph_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_graph_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_memory_SOURCES = tests/unit/backends/cuda/memory.c $(CUDA_FIXTURE_UNIT)
tests_unit_cuda_memory_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_memory_LDADD = $(CUDA_UNIT_LIBS)

CUDA_CODE_UNIT = tests/unit/backends/cuda/code.h $(CUDA_FIXTURE_UNIT)
CUDA_CODE_UNIT_CFLAGS = $(CUDA_UNIT_CFLAGS) \
	-DNVRTC_STANDIN_PATH='"$(abs_top_builddir)/tests/standin/.libs/libnvrtc.so"'

tests_unit_cuda_module_SOURCES = tests/unit/backends/cuda/module.c $(CUDA_CODE_UNIT)
tests_unit_cuda_module_CFLAGS = $(CUDA_CODE_UNIT_CFLAGS)
tests_unit_cuda_module_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_portable_SOURCES = tests/unit/backends/cuda/portable.c $(CUDA_CODE_UNIT)
tests_unit_cuda_portable_CFLAGS = $(CUDA_CODE_UNIT_CFLAGS)
tests_unit_cuda_portable_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_pool_SOURCES = tests/unit/backends/cuda/pool.c $(CUDA_FIXTURE_UNIT)
tests_unit_cuda_pool_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_pool_LDADD = $(CUDA_UNIT_LIBS)

tests_unit_cuda_profile_SOURCES = tests/unit/backends/cuda/profile.c $(CUDA_FIXTURE_UNIT)
tests_unit_cuda_profile_CFLAGS = $(CUDA_UNIT_CFLAGS)
tests_unit_cuda_profile_LDADD = $(CUDA_UNIT_LIBS)

# What instructions become in C, compiled and run.
TRANSLATE_OPS = tests/unit/compiler/translate/ops.h tests/unit/compiler/translate/translated.c tests/unit/compiler/translate/translated.h
TRANSLATE_OPS_LIBS = $(UNIT_LIBS) -ldl -lm

UNIT_TESTS += tests/unit/translate_ops_atomic
tests_unit_translate_ops_atomic_SOURCES = tests/unit/compiler/translate/ops_atomic.c $(TRANSLATE_OPS)
tests_unit_translate_ops_atomic_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_ops_atomic_LDADD = $(TRANSLATE_OPS_LIBS)

UNIT_TESTS += tests/unit/translate_ops_convert
tests_unit_translate_ops_convert_SOURCES = tests/unit/compiler/translate/ops_convert.c $(TRANSLATE_OPS)
tests_unit_translate_ops_convert_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_ops_convert_LDADD = $(TRANSLATE_OPS_LIBS)

UNIT_TESTS += tests/unit/translate_ops_float
tests_unit_translate_ops_float_SOURCES = tests/unit/compiler/translate/ops_float.c $(TRANSLATE_OPS)
tests_unit_translate_ops_float_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_ops_float_LDADD = $(TRANSLATE_OPS_LIBS)

UNIT_TESTS += tests/unit/translate_ops_integer
tests_unit_translate_ops_integer_SOURCES = tests/unit/compiler/translate/ops_integer.c $(TRANSLATE_OPS)
tests_unit_translate_ops_integer_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_ops_integer_LDADD = $(TRANSLATE_OPS_LIBS)

UNIT_TESTS += tests/unit/translate_ops_memory
tests_unit_translate_ops_memory_SOURCES = tests/unit/compiler/translate/ops_memory.c $(TRANSLATE_OPS)
tests_unit_translate_ops_memory_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_ops_memory_LDADD = $(TRANSLATE_OPS_LIBS)

EXTRA_DIST += \
	tests/unit/shaders/ops_atomic.comp tests/unit/shaders/ops_atomic.spv tests/unit/shaders/ops_atomic_plain.spv \
	tests/unit/shaders/ops_composite.comp tests/unit/shaders/ops_composite.spv tests/unit/shaders/ops_composite_plain.spv \
	tests/unit/shaders/ops_convert.comp tests/unit/shaders/ops_convert.spv tests/unit/shaders/ops_convert_plain.spv \
	tests/unit/shaders/ops_double.comp tests/unit/shaders/ops_double.spv tests/unit/shaders/ops_double_plain.spv \
	tests/unit/shaders/ops_float.comp tests/unit/shaders/ops_float.spv tests/unit/shaders/ops_float_plain.spv \
	tests/unit/shaders/ops_function.comp tests/unit/shaders/ops_function.spv tests/unit/shaders/ops_function_plain.spv \
	tests/unit/shaders/ops_geometry.comp tests/unit/shaders/ops_geometry.spv tests/unit/shaders/ops_geometry_plain.spv \
	tests/unit/shaders/ops_half.comp tests/unit/shaders/ops_half.spv tests/unit/shaders/ops_half_plain.spv \
	tests/unit/shaders/ops_integer.comp tests/unit/shaders/ops_integer.spv tests/unit/shaders/ops_integer_plain.spv \
	tests/unit/shaders/ops_matrix.comp tests/unit/shaders/ops_matrix.spv tests/unit/shaders/ops_matrix_plain.spv \
	tests/unit/shaders/ops_memory.comp tests/unit/shaders/ops_memory.spv tests/unit/shaders/ops_memory_plain.spv \
	tests/unit/shaders/ops_narrow.comp tests/unit/shaders/ops_narrow.spv tests/unit/shaders/ops_narrow_plain.spv \
	tests/unit/shaders/ops_subgroup.comp tests/unit/shaders/ops_subgroup.spv tests/unit/shaders/ops_subgroup_plain.spv

# Reading SPIR-V.
SPIRV_BUILDER = tests/unit/compiler/spirv/spirv_builder.c tests/unit/compiler/spirv/spirv_builder.h tests/unit/compiler/spirv/spirv_fixture.h

UNIT_TESTS += tests/unit/spirv_constants
tests_unit_spirv_constants_SOURCES = tests/unit/compiler/spirv/constants.c $(SPIRV_BUILDER)
tests_unit_spirv_constants_CFLAGS = $(UNIT_CFLAGS)
tests_unit_spirv_constants_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/spirv_flow
tests_unit_spirv_flow_SOURCES = tests/unit/compiler/spirv/flow.c $(SPIRV_BUILDER)
tests_unit_spirv_flow_CFLAGS = $(UNIT_CFLAGS)
tests_unit_spirv_flow_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/spirv_layout
tests_unit_spirv_layout_SOURCES = tests/unit/compiler/spirv/layout.c $(SPIRV_BUILDER)
tests_unit_spirv_layout_CFLAGS = $(UNIT_CFLAGS)
tests_unit_spirv_layout_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/spirv_read
tests_unit_spirv_read_SOURCES = tests/unit/compiler/spirv/read.c $(SPIRV_BUILDER)
tests_unit_spirv_read_CFLAGS = $(UNIT_CFLAGS)
tests_unit_spirv_read_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/spirv_reflect
tests_unit_spirv_reflect_SOURCES = tests/unit/compiler/spirv/reflect.c $(SPIRV_BUILDER)
tests_unit_spirv_reflect_CFLAGS = $(UNIT_CFLAGS)
tests_unit_spirv_reflect_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/spirv_types
tests_unit_spirv_types_SOURCES = tests/unit/compiler/spirv/types.c $(SPIRV_BUILDER)
tests_unit_spirv_types_CFLAGS = $(UNIT_CFLAGS)
tests_unit_spirv_types_LDADD = $(UNIT_LIBS)

# Control flow, rows and text of translations; some of the tests need a compiler and are skipped without one.
TRANSLATED = tests/unit/compiler/translate/translated.c tests/unit/compiler/translate/translated.h
TRANSLATED_LIBS = $(UNIT_LIBS) -ldl

UNIT_TESTS += tests/unit/translate_flow
tests_unit_translate_flow_SOURCES = tests/unit/compiler/translate/flow.c $(TRANSLATED)
tests_unit_translate_flow_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_flow_LDADD = $(TRANSLATED_LIBS)

UNIT_TESTS += tests/unit/translate_lockstep
tests_unit_translate_lockstep_SOURCES = tests/unit/compiler/translate/lockstep.c $(TRANSLATED)
tests_unit_translate_lockstep_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_lockstep_LDADD = $(TRANSLATED_LIBS)

UNIT_TESTS += tests/unit/translate_rows
tests_unit_translate_rows_SOURCES = tests/unit/compiler/translate/rows.c $(TRANSLATED)
tests_unit_translate_rows_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_rows_LDADD = $(TRANSLATED_LIBS)

UNIT_TESTS += tests/unit/translate_text
tests_unit_translate_text_SOURCES = tests/unit/compiler/translate/text.c $(TRANSLATED)
tests_unit_translate_text_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_text_LDADD = $(TRANSLATED_LIBS)

EXTRA_DIST += \
	tests/unit/shaders/flow/compile.sh \
	tests/unit/shaders/flow/flow_functions.h \
	tests/unit/shaders/flow/blur.comp tests/unit/shaders/flow/blur.spv tests/unit/shaders/flow/blur_plain.spv \
	tests/unit/shaders/flow/bounds.comp tests/unit/shaders/flow/bounds.spv tests/unit/shaders/flow/bounds_plain.spv \
	tests/unit/shaders/flow/flow.comp tests/unit/shaders/flow/flow.spv tests/unit/shaders/flow/flow_plain.spv \
	tests/unit/shaders/flow/group_guards.comp tests/unit/shaders/flow/group_guards.spv tests/unit/shaders/flow/group_guards_plain.spv \
	tests/unit/shaders/flow/groups.comp tests/unit/shaders/flow/groups.spv tests/unit/shaders/flow/groups_plain.spv \
	tests/unit/shaders/flow/guards.comp tests/unit/shaders/flow/guards.spv tests/unit/shaders/flow/guards_plain.spv \
	tests/unit/shaders/flow/inside.comp tests/unit/shaders/flow/inside.spv tests/unit/shaders/flow/inside_plain.spv \
	tests/unit/shaders/flow/keeps.comp tests/unit/shaders/flow/keeps.spv tests/unit/shaders/flow/keeps_plain.spv \
	tests/unit/shaders/flow/lockstep.comp tests/unit/shaders/flow/lockstep.spv tests/unit/shaders/flow/lockstep_plain.spv \
	tests/unit/shaders/flow/neighbours.comp tests/unit/shaders/flow/neighbours.spv tests/unit/shaders/flow/neighbours_plain.spv \
	tests/unit/shaders/flow/reduce.comp tests/unit/shaders/flow/reduce.spv tests/unit/shaders/flow/reduce_plain.spv \
	tests/unit/shaders/flow/saxpy.comp tests/unit/shaders/flow/saxpy.spv tests/unit/shaders/flow/saxpy_plain.spv \
	tests/unit/shaders/flow/selects.comp tests/unit/shaders/flow/selects.spv tests/unit/shaders/flow/selects_plain.spv \
	tests/unit/shaders/flow/sgemm.comp tests/unit/shaders/flow/sgemm.spv tests/unit/shaders/flow/sgemm_plain.spv

# The passes of the translator, by the tree that each leaves.
TREE_TEXT = tests/unit/compiler/translate/passes/tree_expect.h tests/unit/compiler/translate/passes/tree_text.c tests/unit/compiler/translate/passes/tree_text.h
TREE_SHADERS = tests/unit/shaders/passes
EXTRA_DIST += $(TREE_SHADERS)/compile.sh
EXTRA_DIST += \
	$(TREE_SHADERS)/arrays.comp \
	$(TREE_SHADERS)/arrays.spv \
	$(TREE_SHADERS)/components.comp \
	$(TREE_SHADERS)/components.spv \
	$(TREE_SHADERS)/early.comp \
	$(TREE_SHADERS)/early.spv \
	$(TREE_SHADERS)/early_optimized.spv \
	$(TREE_SHADERS)/gone.comp \
	$(TREE_SHADERS)/gone.spv \
	$(TREE_SHADERS)/kept_condition.comp \
	$(TREE_SHADERS)/kept_condition.spv \
	$(TREE_SHADERS)/kept_in_loop.comp \
	$(TREE_SHADERS)/kept_in_loop.spv \
	$(TREE_SHADERS)/loop_once.comp \
	$(TREE_SHADERS)/loop_once.spv \
	$(TREE_SHADERS)/loops.comp \
	$(TREE_SHADERS)/loops.spv \
	$(TREE_SHADERS)/loops_optimized.spv \
	$(TREE_SHADERS)/many_calls.comp \
	$(TREE_SHADERS)/many_calls.spv \
	$(TREE_SHADERS)/reduce.comp \
	$(TREE_SHADERS)/reduce.spv \
	$(TREE_SHADERS)/return_before_barrier.comp \
	$(TREE_SHADERS)/return_before_barrier.spv \
	$(TREE_SHADERS)/saxpy.comp \
	$(TREE_SHADERS)/saxpy.spv \
	$(TREE_SHADERS)/swap.comp \
	$(TREE_SHADERS)/swap.spv \
	$(TREE_SHADERS)/table.comp \
	$(TREE_SHADERS)/table.spv \
	$(TREE_SHADERS)/uniform_if.comp \
	$(TREE_SHADERS)/uniform_if.spv

UNIT_TESTS += tests/unit/translate_divide
tests_unit_translate_divide_SOURCES = tests/unit/compiler/translate/passes/divide.c $(TREE_TEXT)
tests_unit_translate_divide_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_divide_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/translate_flatten
tests_unit_translate_flatten_SOURCES = tests/unit/compiler/translate/passes/flatten.c $(TREE_TEXT)
tests_unit_translate_flatten_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_flatten_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/translate_place
tests_unit_translate_place_SOURCES = tests/unit/compiler/translate/passes/place.c $(TREE_TEXT)
tests_unit_translate_place_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_place_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/translate_promote
tests_unit_translate_promote_SOURCES = tests/unit/compiler/translate/passes/promote.c $(TREE_TEXT)
tests_unit_translate_promote_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_promote_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/translate_structure
tests_unit_translate_structure_SOURCES = tests/unit/compiler/translate/passes/structure.c $(TREE_TEXT)
tests_unit_translate_structure_CFLAGS = $(UNIT_CFLAGS)
tests_unit_translate_structure_LDADD = $(UNIT_LIBS)

# The queues' side of pipelines, on a device's side that the tests command.
PIPELINE_FAKE = tests/unit/pipeline/queue/fake.c tests/unit/pipeline/queue/fake.h

UNIT_TESTS += tests/unit/pipeline_queue
tests_unit_pipeline_queue_SOURCES = tests/unit/pipeline/queue/queue.c $(PIPELINE_FAKE)
tests_unit_pipeline_queue_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_queue_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pipeline_cancel
tests_unit_pipeline_cancel_SOURCES = tests/unit/pipeline/queue/cancel.c $(PIPELINE_FAKE)
tests_unit_pipeline_cancel_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_cancel_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pipeline_failures
tests_unit_pipeline_failures_SOURCES = tests/unit/pipeline/queue/failures.c $(PIPELINE_FAKE)
tests_unit_pipeline_failures_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_failures_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pipeline_files
tests_unit_pipeline_files_SOURCES = tests/unit/pipeline/queue/files.c $(PIPELINE_FAKE)
tests_unit_pipeline_files_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_files_LDADD = $(UNIT_LIBS)
