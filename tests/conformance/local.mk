# The conformance suite: one program, written against the public API alone, run once for each backend by a script
# run-NAME.sh, which sets CONFORMANCE_BACKEND and ends with 77 where that backend was not built.
#
# To add a file of cases: append it here and to groups.h and main.c.

CONFORMANCE_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)

check_PROGRAMS += tests/conformance/conformance

tests_conformance_conformance_SOURCES = \
	tests/conformance/address.c \
	tests/conformance/barrier.c \
	tests/conformance/callback.c \
	tests/conformance/calls.c \
	tests/conformance/calls.h \
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
	tests/scale.h \
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
tests_conformance_conformance_SOURCES += \
	tests/conformance/graph.c \
	tests/conformance/graph_life.c \
	tests/conformance/graph_refused.c \
	tests/conformance/graph_update.c \
	tests/conformance/graphs.h

# Memory and kernels.
tests_conformance_conformance_SOURCES += \
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

# Programs that use Vulkan themselves.
if HAVE_VULKAN_H
tests_conformance_conformance_SOURCES += \
	tests/device/driver_fork_vulkan.c \
	tests/conformance/interop_vulkan.c \
	tests/conformance/raw_vulkan.c \
	tests/conformance/raw_vulkan.h
endif

# Pipelines.
tests_conformance_conformance_SOURCES += \
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
	tests/conformance/pipeline_kept.c \
	tests/conformance/pipeline_lives.c \
	tests/conformance/pipeline_order.c \
	tests/conformance/pipeline_sources.c \
	tests/conformance/pipeline_states.c \
	tests/conformance/pipeline_threads.c \
	tests/conformance/plans.c \
	tests/conformance/plans.h

tests_conformance_conformance_CFLAGS = $(CONFORMANCE_CFLAGS)
if HAVE_VULKAN_H
tests_conformance_conformance_CFLAGS += -DCONFORMANCE_VULKAN
endif
tests_conformance_conformance_LDFLAGS = $(UNINSTALLED_LINK)
tests_conformance_conformance_LDADD = libtrireme.la $(CHECK_LIBS)

CONFORMANCE_RUNS = \
	tests/conformance/run-cpu.sh \
	tests/conformance/run-template.sh \
	tests/conformance/run-timed.sh \
	tests/conformance/run-cpu-group.sh \
	tests/conformance/run-cpu-pool.sh \
	tests/conformance/run-cpu-pool-of-group.sh \
	tests/conformance/run-cpu-collective.sh \
	tests/conformance/run-cpu-gates-alone.sh \
	tests/conformance/run-cpu-without-optional.sh \
	tests/conformance/run-cuda.sh \
	tests/conformance/run-cuda-old.sh \
	tests/conformance/run-cuda-collective.sh \
	tests/conformance/run-cuda-nccl.sh \
	tests/conformance/run-mixed-collective.sh \
	tests/conformance/run-mixed-group-pool.sh \
	tests/conformance/run-vulkan.sh \
	tests/conformance/run-vulkan-copies.sh \
	tests/conformance/run-vulkan-discrete.sh \
	tests/conformance/run-vulkan-minimal.sh

dist_check_SCRIPTS += $(CONFORMANCE_RUNS)
TESTS += $(CONFORMANCE_RUNS)
LONG_TESTS += \
	tests/conformance/run-cuda-old.sh \
	tests/conformance/run-vulkan-copies.sh \
	tests/conformance/run-vulkan-discrete.sh \
	tests/conformance/run-vulkan-minimal.sh
EXTRA_DIST += tests/conformance/run

# SPIR-V that the suite includes, and what it was made of.
EXTRA_DIST += tests/conformance/shaders/make \
	tests/conformance/shaders/affine.comp tests/conformance/shaders/affine.inc \
	tests/conformance/shaders/constants.comp tests/conformance/shaders/constants.inc \
	tests/conformance/shaders/kernels \
	tests/conformance/shaders/hang.comp tests/conformance/shaders/hang.inc \
	tests/conformance/shaders/header.comp tests/conformance/shaders/header.inc \
	tests/conformance/shaders/one_id.comp tests/conformance/shaders/one_id.inc \
	tests/conformance/shaders/many.comp tests/conformance/shaders/many.inc \
	tests/conformance/shaders/mirror.comp tests/conformance/shaders/mirror.inc \
	tests/conformance/shaders/moved.comp tests/conformance/shaders/moved.inc \
	tests/conformance/shaders/mixed.comp tests/conformance/shaders/mixed.inc \
	tests/conformance/shaders/pointers.inc \
	tests/conformance/shaders/reach.comp tests/conformance/shaders/reach.inc \
	tests/conformance/shaders/open.comp tests/conformance/shaders/open.inc \
	tests/conformance/shaders/parts.comp tests/conformance/shaders/parts.inc \
	tests/conformance/shaders/reverse.comp tests/conformance/shaders/reverse.inc \
	tests/conformance/shaders/views.comp tests/conformance/shaders/views.inc \
	tests/conformance/shaders/sampled.comp tests/conformance/shaders/sampled.inc \
	tests/conformance/shaders/texels.comp tests/conformance/shaders/texels.inc \
	tests/conformance/shaders/written.comp tests/conformance/shaders/written.inc \
	tests/conformance/shaders/two.spvasm tests/conformance/shaders/two.inc
