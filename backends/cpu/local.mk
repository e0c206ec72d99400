# The cpu backend: backends/.libs/cpu.so. To add a file: append it (headers too) to backends_cpu_libcpu_la_SOURCES.
# Its objects form a static library first, which its unit tests link to see the inside.

if BUILD_CPU
backends_LTLIBRARIES += backends/cpu.la
noinst_LTLIBRARIES += backends/cpu/libcpu.la
endif

backends_cpu_libcpu_la_SOURCES = \
	backends/cpu/backend.c \
	backends/cpu/clock.h \
	backends/cpu/compile.c \
	backends/cpu/compiler.c \
	backends/cpu/compiler.h \
	backends/cpu/copy_kernels.c \
	backends/cpu/copy_kernels.h \
	backends/cpu/cpu.h \
	backends/cpu/device.c \
	backends/cpu/enqueue.c \
	backends/cpu/failure.c \
	backends/cpu/graph.c \
	backends/cpu/graph.h \
	backends/cpu/job.c \
	backends/cpu/job.h \
	backends/cpu/launch.c \
	backends/cpu/launch.h \
	backends/cpu/memory.c \
	backends/cpu/module.c \
	backends/cpu/module.h \
	backends/cpu/module_table.c \
	backends/cpu/module_table.h \
	backends/cpu/operation.c \
	backends/cpu/pool.c \
	backends/cpu/pool.h \
	backends/cpu/portable.c \
	backends/cpu/portable.h \
	backends/cpu/profile.c \
	backends/cpu/profile.h \
	backends/cpu/ring.c \
	backends/cpu/ring.h \
	backends/cpu/session.c \
	backends/cpu/session.h \
	backends/cpu/spawn.c \
	backends/cpu/spawn.h \
	backends/cpu/stream.c \
	backends/cpu/stream.h \
	backends/cpu/transfer.c \
	backends/cpu/transfer.h \
	backends/cpu/wait.c \
	backends/cpu/watch.c \
	backends/cpu/watch.h \
	backends/cpu/worker.c

backends_cpu_la_SOURCES =
backends_cpu_la_LIBADD = backends/cpu/libcpu.la
backends_cpu_la_LDFLAGS = $(MODULE_LINK)
