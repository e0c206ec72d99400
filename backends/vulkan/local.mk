# The vulkan backend: backends/.libs/vulkan.so. To add a file, append it (headers too) to
# backends_vulkan_libvulkan_la_SOURCES.
# Its objects form a static library first, so that unit tests can link its internals.

if BUILD_VULKAN
backends_LTLIBRARIES += backends/vulkan.la
noinst_LTLIBRARIES += backends/vulkan/libvulkan.la
endif

backends_vulkan_libvulkan_la_SOURCES = \
	backends/vulkan/backend.c \
	backends/vulkan/device/adopt.c \
	backends/vulkan/device/adopt.h \
	backends/vulkan/device/adopt_features.c \
	backends/vulkan/device/device.c \
	backends/vulkan/device/device.h \
	backends/vulkan/device/info.c \
	backends/vulkan/driver/driver.h \
	backends/vulkan/driver/failure.c \
	backends/vulkan/driver/fault.h \
	backends/vulkan/driver/features.c \
	backends/vulkan/driver/fork_check.c \
	backends/vulkan/driver/fork_check.h \
	backends/vulkan/driver/functions.h \
	backends/vulkan/driver/instance.c \
	backends/vulkan/driver/instance.h \
	backends/vulkan/driver/instance_cache.c \
	backends/vulkan/driver/instance_cache.h \
	backends/vulkan/driver/loader.c \
	backends/vulkan/driver/loader.h \
	backends/vulkan/driver/objects.h \
	backends/vulkan/driver/physical.c \
	backends/vulkan/driver/newer.h \
	backends/vulkan/driver/physical.h \
	backends/vulkan/driver/physical_internal.h \
	backends/vulkan/driver/properties.c \
	backends/vulkan/driver/queue.c \
	backends/vulkan/driver/queue.h \
	backends/vulkan/driver/validation.c \
	backends/vulkan/driver/validation.h \
	backends/vulkan/graph/graph.c \
	backends/vulkan/graph/graph.h \
	backends/vulkan/image/format.c \
	backends/vulkan/image/format.h \
	backends/vulkan/image/image.c \
	backends/vulkan/image/image.h \
	backends/vulkan/image/adopt.c \
	backends/vulkan/image/layout.c \
	backends/vulkan/image/layout.h \
	backends/vulkan/image/sampler.c \
	backends/vulkan/image/view.c \
	backends/vulkan/interop/interop.c \
	backends/vulkan/interop/interop.h \
	backends/vulkan/memory/block.c \
	backends/vulkan/memory/block.h \
	backends/vulkan/memory/external.c \
	backends/vulkan/memory/heap.c \
	backends/vulkan/memory/heap_grow.c \
	backends/vulkan/memory/heap_internal.h \
	backends/vulkan/memory/host_ranges.c \
	backends/vulkan/memory/host_ranges.h \
	backends/vulkan/memory/memory.c \
	backends/vulkan/memory/memory.h \
	backends/vulkan/memory/memory_type.c \
	backends/vulkan/memory/memory_type.h \
	backends/vulkan/memory/pool.c \
	backends/vulkan/memory/tlsf.c \
	backends/vulkan/memory/tlsf.h \
	backends/vulkan/module/binding.c \
	backends/vulkan/module/module.c \
	backends/vulkan/module/module.h \
	backends/vulkan/module/pipeline.c \
	backends/vulkan/module/pipeline_cache.c \
	backends/vulkan/record/access.c \
	backends/vulkan/record/access.h \
	backends/vulkan/record/arguments.c \
	backends/vulkan/record/arguments.h \
	backends/vulkan/record/copy.inc \
	backends/vulkan/record/copy_kernel.c \
	backends/vulkan/record/copy_kernel.h \
	backends/vulkan/record/copy_image.c \
	backends/vulkan/record/descriptors.c \
	backends/vulkan/record/descriptors.h \
	backends/vulkan/record/fill.c \
	backends/vulkan/record/launch.c \
	backends/vulkan/record/record.c \
	backends/vulkan/record/record.h \
	backends/vulkan/record/record_internal.h \
	backends/vulkan/resident/guard.c \
	backends/vulkan/resident/line.c \
	backends/vulkan/resident/line.h \
	backends/vulkan/resident/resident.h \
	backends/vulkan/resident/stream.c \
	backends/vulkan/resident/times.c \
	backends/vulkan/spirv/capability.c \
	backends/vulkan/spirv/coarsen.c \
	backends/vulkan/spirv/coarsen.h \
	backends/vulkan/spirv/coarsen_internal.h \
	backends/vulkan/spirv/coarsen_write.c \
	backends/vulkan/spirv/matrices.c \
	backends/vulkan/spirv/matrices.h \
	backends/vulkan/spirv/matrix_rows.c \
	backends/vulkan/spirv/shader.c \
	backends/vulkan/spirv/shader.h \
	backends/vulkan/spirv/spirv.h \
	backends/vulkan/spirv/unroll.c \
	backends/vulkan/spirv/unroll.h \
	backends/vulkan/spirv/unroll_internal.h \
	backends/vulkan/spirv/unroll_write.c \
	backends/vulkan/spirv/words.h \
	backends/vulkan/stream/batch.c \
	backends/vulkan/stream/batch.h \
	backends/vulkan/stream/device_loss.c \
	backends/vulkan/stream/enqueue.c \
	backends/vulkan/stream/enqueue_image.c \
	backends/vulkan/stream/kernel_timing.c \
	backends/vulkan/stream/kernel_timing.h \
	backends/vulkan/stream/notify.c \
	backends/vulkan/stream/open_batch.c \
	backends/vulkan/stream/profile.c \
	backends/vulkan/stream/profile.h \
	backends/vulkan/stream/progress.c \
	backends/vulkan/stream/retire.c \
	backends/vulkan/stream/retire.h \
	backends/vulkan/stream/service.c \
	backends/vulkan/stream/service.h \
	backends/vulkan/stream/staging.c \
	backends/vulkan/stream/staging.h \
	backends/vulkan/stream/staging_image.c \
	backends/vulkan/stream/staging_internal.h \
	backends/vulkan/stream/staging_job.c \
	backends/vulkan/stream/stream.c \
	backends/vulkan/stream/stream.h \
	backends/vulkan/stream/stream_failure.c \
	backends/vulkan/stream/stream_object.h \
	backends/vulkan/stream/submit.c \
	backends/vulkan/stream/timeline.c \
	backends/vulkan/stream/timeline.h \
	backends/vulkan/stream/wait.c \
	backends/vulkan/stream/watcher.c \
	backends/vulkan/stream/watcher.h

backends_vulkan_la_SOURCES =
backends_vulkan_la_LIBADD = backends/vulkan/libvulkan.la
backends_vulkan_la_LDFLAGS = $(MODULE_LINK)

# The source of copy.inc.
EXTRA_DIST += backends/vulkan/record/copy.comp
