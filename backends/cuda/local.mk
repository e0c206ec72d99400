# The cuda backend: backends/.libs/cuda.so. To add a file: append it (headers too) to backends_cuda_libtrireme_cuda_la_SOURCES.
# Its objects form a static library first, which its unit tests link to see the inside. Nothing of CUDA is linked.

if BUILD_CUDA
backends_LTLIBRARIES += backends/cuda.la
noinst_LTLIBRARIES += backends/cuda/libtrireme-cuda.la
endif

backends_cuda_libtrireme_cuda_la_SOURCES = \
	backends/cuda/backend.c \
	backends/cuda/collective/collective.h \
	backends/cuda/collective/communicator.c \
	backends/cuda/collective/library.c \
	backends/cuda/collective/library.h \
	backends/cuda/collective/operation.c \
	backends/cuda/collective/watch.c \
	backends/cuda/device/device.c \
	backends/cuda/device/device.h \
	backends/cuda/device/info.c \
	backends/cuda/driver/blocking_wait.c \
	backends/cuda/driver/context.c \
	backends/cuda/driver/driver.h \
	backends/cuda/driver/failure.c \
	backends/cuda/driver/functions.h \
	backends/cuda/driver/handle.c \
	backends/cuda/driver/instance.c \
	backends/cuda/driver/loader.c \
	backends/cuda/driver/loader.h \
	backends/cuda/driver/objects.h \
	backends/cuda/driver/physical.c \
	backends/cuda/driver/physical.h \
	backends/cuda/driver/quiet.c \
	backends/cuda/graph/graph.c \
	backends/cuda/graph/graph.h \
	backends/cuda/interop/adopt.c \
	backends/cuda/interop/interop.c \
	backends/cuda/interop/interop.h \
	backends/cuda/interop/semaphore.c \
	backends/cuda/memory/external.c \
	backends/cuda/memory/ipc.c \
	backends/cuda/memory/memory.c \
	backends/cuda/memory/memory.h \
	backends/cuda/memory/pageable.c \
	backends/cuda/memory/pageable.h \
	backends/cuda/memory/pool.c \
	backends/cuda/memory/pool.h \
	backends/cuda/memory/registered.c \
	backends/cuda/memory/registered.h \
	backends/cuda/memory/texture.c \
	backends/cuda/module/compile.c \
	backends/cuda/module/compile.h \
	backends/cuda/module/compiler.c \
	backends/cuda/module/compiler.h \
	backends/cuda/module/image.c \
	backends/cuda/module/kernel.c \
	backends/cuda/module/module.c \
	backends/cuda/module/module.h \
	backends/cuda/module/native.c \
	backends/cuda/module/portable.c \
	backends/cuda/module/trailer.c \
	backends/cuda/module/trailer.h \
	backends/cuda/profile/clock.c \
	backends/cuda/profile/clock.h \
	backends/cuda/profile/profile.c \
	backends/cuda/profile/profile.h \
	backends/cuda/profile/range.c \
	backends/cuda/resident/clock.c \
	backends/cuda/resident/clock.h \
	backends/cuda/resident/graph.c \
	backends/cuda/resident/graph.h \
	backends/cuda/resident/program.c \
	backends/cuda/resident/resident.h \
	backends/cuda/resident/stream.c \
	backends/cuda/resident/stream.h \
	backends/cuda/resident/text.c \
	backends/cuda/resident/text.h \
	backends/cuda/stream/copy.c \
	backends/cuda/stream/copy.h \
	backends/cuda/stream/deferred_submit.c \
	backends/cuda/stream/deferred_submit.h \
	backends/cuda/stream/device_loss.c \
	backends/cuda/stream/enqueue.c \
	backends/cuda/stream/enqueue.h \
	backends/cuda/stream/fault.c \
	backends/cuda/stream/fault.h \
	backends/cuda/stream/follow.c \
	backends/cuda/stream/follow.h \
	backends/cuda/stream/launch.c \
	backends/cuda/stream/launch.h \
	backends/cuda/stream/mark.c \
	backends/cuda/stream/mark.h \
	backends/cuda/stream/notify.c \
	backends/cuda/stream/notify.h \
	backends/cuda/stream/peer.c \
	backends/cuda/stream/replay.c \
	backends/cuda/stream/replay.h \
	backends/cuda/stream/stream.c \
	backends/cuda/stream/stream.h \
	backends/cuda/stream/stream_failure.c \
	backends/cuda/stream/stream_failure.h \
	backends/cuda/stream/stream_object.h \
	backends/cuda/stream/wait.c \
	backends/cuda/stream/wait.h \
	backends/cuda/stream/watcher.c \
	backends/cuda/stream/watcher.h
backends_cuda_libtrireme_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)

backends_cuda_la_SOURCES =
backends_cuda_la_LIBADD = backends/cuda/libtrireme-cuda.la
backends_cuda_la_LDFLAGS = $(MODULE_LINK)
