# The cpu backend: backends/.libs/cpu.so. To add a file: append it (headers too) to backends_cpu_libcpu_la_SOURCES.
# Its objects form a static library first, which its unit tests link to see the inside.

if BUILD_CPU
backends_LTLIBRARIES += backends/cpu.la
noinst_LTLIBRARIES += backends/cpu/libcpu.la
endif

backends_cpu_libcpu_la_SOURCES = \
	backends/cpu/backend.c \
	backends/cpu/device/device.c \
	backends/cpu/device/device.h \
	backends/cpu/device/info.c \
	backends/cpu/device/live.c \
	backends/cpu/device/live.h \
	backends/cpu/device/memory.c \
	backends/cpu/machine/clock.h \
	backends/cpu/machine/copy_loops.c \
	backends/cpu/machine/copy_loops.h \
	backends/cpu/machine/machine.c \
	backends/cpu/machine/machine.h \
	backends/cpu/machine/transfer.c \
	backends/cpu/machine/transfer.h \
	backends/cpu/module/compile.c \
	backends/cpu/module/compile.h \
	backends/cpu/module/compile_flags.c \
	backends/cpu/module/compiler.c \
	backends/cpu/module/compiler.h \
	backends/cpu/module/kernel_table.c \
	backends/cpu/module/kernel_table.h \
	backends/cpu/module/module.c \
	backends/cpu/module/module.h \
	backends/cpu/module/portable.c \
	backends/cpu/module/portable.h \
	backends/cpu/stream/enqueue.c \
	backends/cpu/stream/graph.c \
	backends/cpu/stream/graph.h \
	backends/cpu/stream/job.c \
	backends/cpu/stream/job.h \
	backends/cpu/stream/launch.c \
	backends/cpu/stream/launch.h \
	backends/cpu/stream/notify.c \
	backends/cpu/stream/notify.h \
	backends/cpu/stream/operation.c \
	backends/cpu/stream/profile.c \
	backends/cpu/stream/profile.h \
	backends/cpu/stream/ring.c \
	backends/cpu/stream/ring.h \
	backends/cpu/stream/scheduler.c \
	backends/cpu/stream/scheduler.h \
	backends/cpu/stream/session.c \
	backends/cpu/stream/session.h \
	backends/cpu/stream/stream.c \
	backends/cpu/stream/stream.h \
	backends/cpu/stream/stream_failure.c \
	backends/cpu/stream/wait.c \
	backends/cpu/stream/worker.c

backends_cpu_la_SOURCES =
backends_cpu_la_LIBADD = backends/cpu/libcpu.la
backends_cpu_la_LDFLAGS = $(MODULE_LINK)
