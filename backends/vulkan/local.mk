# The vulkan backend: backends/.libs/vulkan.so. To add a file: append it (headers too) to backends_vulkan_libvulkan_la_SOURCES.
# Its objects form a static library first, which its unit tests link to see the inside.

if BUILD_VULKAN
backends_LTLIBRARIES += backends/vulkan.la
noinst_LTLIBRARIES += backends/vulkan/libvulkan.la
endif

backends_vulkan_libvulkan_la_SOURCES = \
	backends/vulkan/access.c \
	backends/vulkan/access.h \
	backends/vulkan/adopt.c \
	backends/vulkan/adopt.h \
	backends/vulkan/adopt_features.c \
	backends/vulkan/backend.c \
	backends/vulkan/batch.c \
	backends/vulkan/batch.h \
	backends/vulkan/block.c \
	backends/vulkan/block.h \
	backends/vulkan/capability.c \
	backends/vulkan/copy.inc \
	backends/vulkan/copy_kernel.c \
	backends/vulkan/copy_kernel.h \
	backends/vulkan/device.c \
	backends/vulkan/device.h \
	backends/vulkan/enqueue.c \
	backends/vulkan/external.c \
	backends/vulkan/failing.c \
	backends/vulkan/failure.c \
	backends/vulkan/fault.h \
	backends/vulkan/features.c \
	backends/vulkan/forked.c \
	backends/vulkan/forked.h \
	backends/vulkan/functions.h \
	backends/vulkan/futex.h \
	backends/vulkan/graph.c \
	backends/vulkan/grow.c \
	backends/vulkan/heap.c \
	backends/vulkan/heap.h \
	backends/vulkan/heap_inside.h \
	backends/vulkan/host_ranges.c \
	backends/vulkan/host_ranges.h \
	backends/vulkan/info.c \
	backends/vulkan/instance.c \
	backends/vulkan/instance.h \
	backends/vulkan/interop.c \
	backends/vulkan/instance_cache.c \
	backends/vulkan/instance_cache.h \
	backends/vulkan/loader.c \
	backends/vulkan/loader.h \
	backends/vulkan/memory.c \
	backends/vulkan/memory_type.c \
	backends/vulkan/memory_type.h \
	backends/vulkan/messages.c \
	backends/vulkan/messages.h \
	backends/vulkan/module.c \
	backends/vulkan/module.h \
	backends/vulkan/notify.c \
	backends/vulkan/open.c \
	backends/vulkan/physical.c \
	backends/vulkan/physical.h \
	backends/vulkan/physical_inside.h \
	backends/vulkan/pipeline.c \
	backends/vulkan/pipeline_cache.c \
	backends/vulkan/kernel_timing.c \
	backends/vulkan/kernel_timing.h \
	backends/vulkan/pool.c \
	backends/vulkan/profile.c \
	backends/vulkan/profile.h \
	backends/vulkan/progress.c \
	backends/vulkan/properties.c \
	backends/vulkan/queue.c \
	backends/vulkan/queue.h \
	backends/vulkan/record.c \
	backends/vulkan/record.h \
	backends/vulkan/record_fill.c \
	backends/vulkan/record_launch.c \
	backends/vulkan/service.c \
	backends/vulkan/service.h \
	backends/vulkan/coarsen.c \
	backends/vulkan/coarsen.h \
	backends/vulkan/coarsen_internal.h \
	backends/vulkan/coarsen_write.c \
	backends/vulkan/shader.c \
	backends/vulkan/shader.h \
	backends/vulkan/signals.h \
	backends/vulkan/stager.h \
	backends/vulkan/staging.c \
	backends/vulkan/staging.h \
	backends/vulkan/staging_job.c \
	backends/vulkan/stream.c \
	backends/vulkan/stream.h \
	backends/vulkan/submit.c \
	backends/vulkan/timeline.c \
	backends/vulkan/timeline.h \
	backends/vulkan/tlsf.c \
	backends/vulkan/tlsf.h \
	backends/vulkan/vulkan.h \
	backends/vulkan/wait.c \
	backends/vulkan/watching.c \
	backends/vulkan/watching.h \
	backends/vulkan/words.h

backends_vulkan_la_SOURCES =
backends_vulkan_la_LIBADD = backends/vulkan/libvulkan.la
backends_vulkan_la_LDFLAGS = $(MODULE_LINK)

# What copy.inc was made of.
EXTRA_DIST += backends/vulkan/copy.comp
