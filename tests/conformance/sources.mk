# The sources of the conformance suite. They are installed with a makefile that builds them by pkg-config, so that the author of a plugin
# can test it against the installed library. Only that build needs Check, so they are installed where configure found no Check, too.

CONFORMANCE_SOURCES = \
	tests/conformance/address.c \
	tests/conformance/barrier.c \
	tests/conformance/callback.c \
	tests/conformance/call_list.h \
	tests/conformance/calls.c \
	tests/conformance/calls.h \
	tests/conformance/calls_group.c \
	tests/conformance/context.c \
	tests/conformance/coordinator.c \
	tests/conformance/coordinator_group.c \
	tests/conformance/coordinator_kinds.c \
	tests/conformance/coordinator_pool.c \
	tests/conformance/coordinator_wait.c \
	tests/conformance/device.c \
	tests/conformance/event.c \
	tests/conformance/failure.c \
	tests/conformance/fork.c \
	tests/conformance/functions.c \
	tests/conformance/functions.h \
	tests/conformance/groups.h \
	tests/conformance/handles.c \
	tests/conformance/harness.c \
	tests/conformance/harness.h \
	tests/conformance/hold.c \
	tests/conformance/hold.h \
	tests/conformance/kernels.c \
	tests/conformance/kernels.h \
	tests/conformance/lifetime.c \
	tests/conformance/main.c \
	tests/conformance/ordering.c \
	tests/conformance/point.c \
	tests/device/driver_fork.c \
	tests/device/driver_fork.h \
	tests/conformance/program.c \
	tests/conformance/process.c \
	tests/conformance/process.h \
	tests/conformance/process_exit.c \
	tests/conformance/signals.c \
	tests/conformance/stream.c \
	tests/conformance/tasks.c \
	tests/conformance/tasks.h \
	tests/conformance/thread_stream.c \
	tests/conformance/threads.c \
	tests/conformance/wait.c

# Graphs.
CONFORMANCE_SOURCES += \
	tests/conformance/graph.c \
	tests/conformance/graph_life.c \
	tests/conformance/graph_refused.c \
	tests/conformance/graph_update.c \
	tests/conformance/graphs.h

# Memory and kernels.
CONFORMANCE_SOURCES += \
	tests/conformance/argument.c \
	tests/conformance/array.c \
	tests/conformance/bounds.c \
	tests/conformance/buffer.c \
	tests/conformance/fill.c \
	tests/conformance/glsl.c \
	tests/conformance/image.c \
	tests/conformance/array_argument.c \
	tests/conformance/image_argument.c \
	tests/conformance/image_copy.c \
	tests/conformance/image_cube.c \
	tests/conformance/image_kernel.c \
	tests/conformance/image_over.c \
	tests/conformance/images.h \
	tests/conformance/interop.c \
	tests/conformance/interop_ipc.c \
	tests/conformance/kernel.c \
	tests/conformance/launch.c \
	tests/conformance/map.c \
	tests/conformance/memory_kinds.c \
	tests/conformance/module.c \
	tests/conformance/named.c \
	tests/conformance/native.c \
	tests/conformance/objects.c \
	tests/conformance/out_of_device_memory.c \
	tests/conformance/out_of_memory.c \
	tests/conformance/pairs.c \
	tests/conformance/pool.c \
	tests/conformance/portable.c \
	tests/conformance/profile.c \
	tests/conformance/serial.c \
	tests/conformance/shaders.c \
	tests/conformance/shaders.h \
	tests/conformance/span.c \
	tests/conformance/stream_memory.c \
	tests/conformance/transfer_1d.c \
	tests/conformance/transfer_2d.c \
	tests/conformance/two_devices.c

# Programs that use Vulkan themselves, where its headers are there.
CONFORMANCE_VULKAN_SOURCES = \
	tests/device/driver_fork_vulkan.c \
	tests/conformance/interop_vulkan.c \
	tests/conformance/raw_vulkan.c \
	tests/conformance/raw_vulkan.h

# Pipelines.
CONFORMANCE_SOURCES += \
	tests/conformance/pipeline.c \
	tests/conformance/pipeline_resident.c \
	tests/conformance/pipeline_serve.c \
	tests/conformance/fragile.c \
	tests/conformance/fragile.h \
	tests/conformance/stream_model.c \
	tests/conformance/stream_pool.c \
	tests/conformance/stream_pool_flood.c \
	tests/conformance/stream_pool_strategy.c \
	tests/conformance/stream_pool_task.c \
	tests/conformance/stream_width.c \
	tests/conformance/stream_pools.h \
	tests/conformance/collective.c \
	tests/conformance/collective_buckets.c \
	tests/conformance/collective_life.c \
	tests/conformance/collectives.c \
	tests/conformance/collectives.h \
	tests/conformance/group.c \
	tests/conformance/group_devices.c \
	tests/conformance/group_fork.c \
	tests/conformance/group_join.c \
	tests/conformance/group_pool.c \
	tests/conformance/group_read.c \
	tests/conformance/group_span.c \
	tests/conformance/pipeline_branches.c \
	tests/conformance/pipeline_branches_failures.c \
	tests/conformance/pipeline_branches_overlap.c \
	tests/conformance/pipeline_streams.c \
	tests/conformance/pipeline_cancel.c \
	tests/conformance/pipeline_failures.c \
	tests/conformance/pipeline_descriptors.c \
	tests/conformance/pipeline_fresh.c \
	tests/conformance/pipeline_functions.c \
	tests/conformance/pipeline_image.c \
	tests/conformance/pipeline_cached_operations.c \
	tests/conformance/pipeline_lives.c \
	tests/conformance/pipeline_order.c \
	tests/conformance/pipeline_sources.c \
	tests/conformance/pipeline_states.c \
	tests/conformance/pipeline_threads.c \
	tests/conformance/plans.c \
	tests/conformance/plans.h

# What they include of other tests.
CONFORMANCE_SOURCES += \
	tests/check.h \
	tests/device/checks.h \
	tests/scale.h

# SPIR-V that the suite includes.
CONFORMANCE_SHADERS = \
	tests/conformance/shaders/affine.inc \
	tests/conformance/shaders/constants.inc \
	tests/conformance/shaders/hang.inc \
	tests/conformance/shaders/header.inc \
	tests/conformance/shaders/many.inc \
	tests/conformance/shaders/mirror.inc \
	tests/conformance/shaders/mixed.inc \
	tests/conformance/shaders/moved.inc \
	tests/conformance/shaders/one_id.inc \
	tests/conformance/shaders/open.inc \
	tests/conformance/shaders/parts.inc \
	tests/conformance/shaders/pointers.inc \
	tests/conformance/shaders/reach.inc \
	tests/conformance/shaders/reverse.inc \
	tests/conformance/shaders/sampled.inc \
	tests/conformance/shaders/texels.inc \
	tests/conformance/shaders/two.inc \
	tests/conformance/shaders/views.inc \
	tests/conformance/shaders/written.inc \
	tests/conformance/shaders/kernels/affine.inc \
	tests/conformance/shaders/kernels/blend.inc \
	tests/conformance/shaders/kernels/count.inc \
	tests/conformance/shaders/kernels/cover.inc \
	tests/conformance/shaders/kernels/dawdle.inc \
	tests/conformance/shaders/kernels/fixed_shape.inc \
	tests/conformance/shaders/kernels/many.inc \
	tests/conformance/shaders/kernels/picky.inc \
	tests/conformance/shaders/kernels/running.inc \
	tests/conformance/shaders/kernels/saxpy.inc \
	tests/conformance/shaders/kernels/scalars.inc \
	tests/conformance/shaders/kernels/shape.inc \
	tests/conformance/shaders/kernels/span_size.inc \
	tests/conformance/shaders/kernels/spread.inc \
	tests/conformance/shaders/kernels/step.inc

conformancedir = $(pkgdatadir)/conformance
dist_conformance_DATA = tests/conformance/conformance.mk
nobase_dist_conformance_DATA = $(CONFORMANCE_SOURCES) $(CONFORMANCE_VULKAN_SOURCES) $(CONFORMANCE_SHADERS)
