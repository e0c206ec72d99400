# The cuda backend: backends/.libs/cuda.so. To add a file: append it (headers too) to backends_cuda_libtrireme_cuda_la_SOURCES.
# Its objects form a static library first, which its unit tests link to see the inside. Nothing of CUDA is linked.

if BUILD_CUDA
backends_LTLIBRARIES += backends/cuda.la
noinst_LTLIBRARIES += backends/cuda/libtrireme-cuda.la
endif

backends_cuda_libtrireme_cuda_la_SOURCES = \
	backends/cuda/adopt.c \
	backends/cuda/backend.c \
	backends/cuda/clock.c \
	backends/cuda/clock.h \
	backends/cuda/compiler.c \
	backends/cuda/compiler.h \
	backends/cuda/context.c \
	backends/cuda/copy.c \
	backends/cuda/copy.h \
	backends/cuda/cuda.h \
	backends/cuda/device.c \
	backends/cuda/device.h \
	backends/cuda/enqueue.c \
	backends/cuda/external.c \
	backends/cuda/failing.c \
	backends/cuda/failure.c \
	backends/cuda/functions.h \
	backends/cuda/graph.c \
	backends/cuda/deferred_submit.c \
	backends/cuda/image.c \
	backends/cuda/info.c \
	backends/cuda/instance.c \
	backends/cuda/instance.h \
	backends/cuda/interop.c \
	backends/cuda/interop.h \
	backends/cuda/ipc.c \
	backends/cuda/kernel.c \
	backends/cuda/launch.c \
	backends/cuda/launch.h \
	backends/cuda/loader.c \
	backends/cuda/loader.h \
	backends/cuda/lock.h \
	backends/cuda/mark.c \
	backends/cuda/memory.c \
	backends/cuda/memory.h \
	backends/cuda/module.c \
	backends/cuda/module.h \
	backends/cuda/native.c \
	backends/cuda/notify.c \
	backends/cuda/origin.c \
	backends/cuda/peer.c \
	backends/cuda/pageable.c \
	backends/cuda/pageable.h \
	backends/cuda/physical.c \
	backends/cuda/physical.h \
	backends/cuda/pool.c \
	backends/cuda/pool.h \
	backends/cuda/portable.c \
	backends/cuda/portable.h \
	backends/cuda/profile.c \
	backends/cuda/profile.h \
	backends/cuda/range.c \
	backends/cuda/range.h \
	backends/cuda/registered.c \
	backends/cuda/registered.h \
	backends/cuda/replay.c \
	backends/cuda/replay.h \
	backends/cuda/rtc.c \
	backends/cuda/rtc.h \
	backends/cuda/semaphore.c \
	backends/cuda/signals.h \
	backends/cuda/sleeping.c \
	backends/cuda/sleeping.h \
	backends/cuda/stream.c \
	backends/cuda/stream.h \
	backends/cuda/wait.c \
	backends/cuda/watching.c \
	backends/cuda/watching.h
backends_cuda_libtrireme_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)

backends_cuda_la_SOURCES =
backends_cuda_la_LIBADD = backends/cuda/libtrireme-cuda.la
backends_cuda_la_LDFLAGS = $(MODULE_LINK)
