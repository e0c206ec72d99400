# The stand-ins for CUDA's driver and for NVRTC: on the CPU, for tests alone, never installed. They land in tests/standin/.libs as
# libcuda.so.1 and libnvrtc.so; tests/standin/control.h says how tests use them.

EXTRA_DIST += \
	tests/standin/prelude/atomic.h \
	tests/standin/prelude/begin.h \
	tests/standin/prelude/convert.h \
	tests/standin/prelude/end.h \
	tests/standin/prelude/integer.h \
	tests/standin/prelude/math.h \
	tests/standin/prelude/matrix.h \
	tests/standin/prelude/memory.h \
	tests/standin/prelude/ptx.h \
	tests/standin/prelude/vector.h \
	tests/standin/prelude/warp.h

if BUILD_CUDA

STANDIN_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)

check_LTLIBRARIES += tests/standin/libcuda.la tests/standin/libnvrtc.la

tests_standin_libcuda_la_SOURCES = \
	tests/standin/arena.c \
	tests/standin/call.c \
	tests/standin/config.c \
	tests/standin/context.c \
	tests/standin/control.c \
	tests/standin/control.h \
	tests/standin/cooperative.c \
	tests/standin/copy.c \
	tests/standin/device.c \
	tests/standin/entry.c \
	tests/standin/errors.c \
	tests/standin/event.c \
	tests/standin/external.c \
	tests/standin/fault.c \
	tests/standin/fiber.c \
	tests/standin/fiber_switch.c \
	tests/standin/fiber_switch.h \
	tests/standin/function.c \
	tests/standin/functions.h \
	tests/standin/graph.c \
	tests/standin/graph_executable.c \
	tests/standin/guard.c \
	tests/standin/ipc.c \
	tests/standin/launch.c \
	tests/standin/ledger.c \
	tests/standin/memory.c \
	tests/standin/module.c \
	tests/standin/object.h \
	tests/standin/pointer.c \
	tests/standin/pool.c \
	tests/standin/queue.c \
	tests/standin/span.c \
	tests/standin/standin.h \
	tests/standin/stream.c \
	tests/standin/texture.c \
	tests/standin/transfer.c \
	tests/standin/vmm.c \
	tests/standin/worker.c
tests_standin_libcuda_la_CPPFLAGS = $(STANDIN_CPPFLAGS)
# Its threads run until the process ends: it stays where it is when it is closed.
tests_standin_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere -Wl,-z,nodelete \
	-export-symbols-regex '^(cu[A-Z].*|cuda_standin_control)$$'
tests_standin_libcuda_la_LIBADD = -lm

tests_standin_libnvrtc_la_SOURCES = \
	tests/standin/control.h \
	tests/standin/nvrtc.c \
	tests/standin/nvrtc.h \
	tests/standin/nvrtc_asm.c \
	tests/standin/nvrtc_build.c \
	tests/standin/nvrtc_text.c \
	tests/standin/nvrtc_words.c \
	tests/standin/object.h
tests_standin_libnvrtc_la_CPPFLAGS = $(STANDIN_CPPFLAGS) \
	-DNVRTC_STANDIN_CXX='"$(CXX)"' \
	-DNVRTC_STANDIN_SOURCES='"$(abs_top_srcdir)"'
tests_standin_libnvrtc_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere \
	-export-symbols-regex '^(nvrtc[A-Z].*|cuda_standin_compiler)$$'

# The stand-in for NCCL works on that for the driver.
check_LTLIBRARIES += tests/standin/libnccl.la
tests_standin_libnccl_la_SOURCES = \
	tests/standin/nccl.c \
	tests/standin/nccl.h \
	tests/standin/nccl_compute.c \
	tests/standin/nccl_internal.h
tests_standin_libnccl_la_CPPFLAGS = $(STANDIN_CPPFLAGS)
tests_standin_libnccl_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere \
	-export-symbols-regex '^(nccl[A-Z].*|nccl_standin_control)$$'
tests_standin_libnccl_la_LIBADD = tests/standin/libcuda.la

STANDIN_TESTS = \
	tests/standin/check/compiler \
	tests/standin/check/devices \
	tests/standin/check/faults \
	tests/standin/check/graphs \
	tests/standin/check/kernels \
	tests/standin/check/memory \
	tests/standin/check/order

check_PROGRAMS += $(STANDIN_TESTS)
TESTS += $(STANDIN_TESTS)

STANDIN_FIXTURE = tests/standin/check/fixture.c tests/standin/check/fixture.h tests/standin/control.h
STANDIN_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
STANDIN_TEST_LIBS = tests/standin/libcuda.la tests/standin/libnvrtc.la $(CHECK_LIBS)

tests_standin_check_compiler_SOURCES = tests/standin/check/compiler.c $(STANDIN_FIXTURE)
tests_standin_check_compiler_CPPFLAGS = $(STANDIN_CPPFLAGS)
tests_standin_check_compiler_CFLAGS = $(STANDIN_TEST_CFLAGS)
tests_standin_check_compiler_LDADD = $(STANDIN_TEST_LIBS)
tests_standin_check_compiler_LDFLAGS = $(UNINSTALLED_LINK)

tests_standin_check_devices_SOURCES = tests/standin/check/devices.c $(STANDIN_FIXTURE)
tests_standin_check_devices_CPPFLAGS = $(STANDIN_CPPFLAGS)
tests_standin_check_devices_CFLAGS = $(STANDIN_TEST_CFLAGS)
tests_standin_check_devices_LDADD = $(STANDIN_TEST_LIBS)
tests_standin_check_devices_LDFLAGS = $(UNINSTALLED_LINK)

tests_standin_check_faults_SOURCES = tests/standin/check/faults.c $(STANDIN_FIXTURE)
tests_standin_check_faults_CPPFLAGS = $(STANDIN_CPPFLAGS)
tests_standin_check_faults_CFLAGS = $(STANDIN_TEST_CFLAGS)
tests_standin_check_faults_LDADD = $(STANDIN_TEST_LIBS)
tests_standin_check_faults_LDFLAGS = $(UNINSTALLED_LINK)

tests_standin_check_graphs_SOURCES = tests/standin/check/graphs.c $(STANDIN_FIXTURE)
tests_standin_check_graphs_CPPFLAGS = $(STANDIN_CPPFLAGS)
tests_standin_check_graphs_CFLAGS = $(STANDIN_TEST_CFLAGS)
tests_standin_check_graphs_LDADD = $(STANDIN_TEST_LIBS)
tests_standin_check_graphs_LDFLAGS = $(UNINSTALLED_LINK)

tests_standin_check_kernels_SOURCES = tests/standin/check/kernels.c $(STANDIN_FIXTURE)
tests_standin_check_kernels_CPPFLAGS = $(STANDIN_CPPFLAGS)
tests_standin_check_kernels_CFLAGS = $(STANDIN_TEST_CFLAGS)
tests_standin_check_kernels_LDADD = $(STANDIN_TEST_LIBS)
tests_standin_check_kernels_LDFLAGS = $(UNINSTALLED_LINK)

tests_standin_check_memory_SOURCES = tests/standin/check/memory.c $(STANDIN_FIXTURE)
tests_standin_check_memory_CPPFLAGS = $(STANDIN_CPPFLAGS)
tests_standin_check_memory_CFLAGS = $(STANDIN_TEST_CFLAGS)
tests_standin_check_memory_LDADD = $(STANDIN_TEST_LIBS)
tests_standin_check_memory_LDFLAGS = $(UNINSTALLED_LINK)

tests_standin_check_order_SOURCES = tests/standin/check/order.c $(STANDIN_FIXTURE)
tests_standin_check_order_CPPFLAGS = $(STANDIN_CPPFLAGS)
tests_standin_check_order_CFLAGS = $(STANDIN_TEST_CFLAGS)
tests_standin_check_order_LDADD = $(STANDIN_TEST_LIBS)
tests_standin_check_order_LDFLAGS = $(UNINSTALLED_LINK)

endif BUILD_CUDA
