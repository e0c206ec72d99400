# The cuda backend on a stand-in for CUDA's driver (tests/standin), which makes calls and work fail, holds work back, is older or lacks
# this or that, and keeps account. The same programs run on the machine's own driver with CUDA_TEST_DRIVER=real.

EXTRA_DIST += tests/cuda/common.sh

# For whatever runs on the stand-in, where there is one.
CUDA_STANDIN_CPPFLAGS = \
	-DCUDA_STANDIN_PATH='"$(abs_top_builddir)/tests/standin/.libs/libcuda.so.1"' \
	-DNCCL_STANDIN_PATH='"$(abs_top_builddir)/tests/standin/.libs/libnccl.so"' \
	-DNVRTC_STANDIN_PATH='"$(abs_top_builddir)/tests/standin/.libs/libnvrtc.so"'

if BUILD_CUDA

CUDA_TESTS = \
	tests/cuda/adopted \
	tests/cuda/asynchrony \
	tests/cuda/beside \
	tests/cuda/four_devices \
	tests/cuda/hand_tuned \
	tests/cuda/in_step \
	tests/cuda/ipc \
	tests/cuda/ipc_event \
	tests/cuda/nccl \
	tests/cuda/nccl_failures \
	tests/cuda/old_driver \
	tests/cuda/out_of_memory \
	tests/cuda/pipelines \
	tests/cuda/processes \
	tests/cuda/ranges \
	tests/cuda/resident \
	tests/cuda/serial \
	tests/cuda/shared \
	tests/cuda/sticky \
	tests/cuda/streams \
	tests/cuda/sum_failures \
	tests/cuda/sums \
	tests/cuda/textures \
	tests/cuda/two_devices \
	tests/cuda/with_vulkan

check_PROGRAMS += $(CUDA_TESTS)
TESTS += $(CUDA_TESTS)
LONG_TESTS += tests/cuda/out_of_memory tests/cuda/sum_failures

CUDA_SCENARIO = tests/cuda/scenario.c
CUDA_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
CUDA_TEST_LIBS = tests/cuda/libfixture.la $(DEVICE_TEST_LIBS)
CUDA_TEST_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(CUDA_STANDIN_CPPFLAGS)

check_LTLIBRARIES += tests/cuda/libfixture.la
tests_cuda_libfixture_la_SOURCES = \
	tests/cuda/fixture.c \
	tests/cuda/fixture.h \
	tests/cuda/native.c \
	tests/cuda/native.h \
	tests/standin/control.h
tests_cuda_libfixture_la_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_libfixture_la_CFLAGS = $(CUDA_TEST_CFLAGS)

tests_cuda_asynchrony_SOURCES = tests/cuda/asynchrony.c
tests_cuda_asynchrony_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_asynchrony_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_asynchrony_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_asynchrony_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_beside_SOURCES = tests/cuda/beside.c $(CUDA_SCENARIO)
tests_cuda_beside_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_beside_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_beside_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_beside_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_four_devices_SOURCES = tests/cuda/four_devices.c
tests_cuda_four_devices_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_four_devices_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_four_devices_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_four_devices_LDFLAGS = $(UNINSTALLED_LINK)

# On the stand-in alone: its NVRTC makes what lies beside the kernels there.
tests_cuda_hand_tuned_SOURCES = tests/cuda/hand_tuned.c
tests_cuda_hand_tuned_CPPFLAGS = $(CUDA_TEST_CPPFLAGS) \
	-DSOURCE_FOLDER='"$(abs_top_srcdir)"' -DSHADER_FOLDER='"$(abs_top_builddir)/shaders"' \
	-DKERNEL_FOLDER='"$(abs_top_builddir)/tests/cuda/by-hand"'
tests_cuda_hand_tuned_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_hand_tuned_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_hand_tuned_LDFLAGS = $(UNINSTALLED_LINK)

NCCL_TEAM = tests/cuda/nccl_team.c tests/cuda/nccl_team.h tests/standin/nccl.h

tests_cuda_nccl_SOURCES = tests/cuda/nccl.c $(NCCL_TEAM)
tests_cuda_nccl_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_nccl_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_nccl_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_nccl_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_nccl_failures_SOURCES = tests/cuda/nccl_failures.c $(NCCL_TEAM)
tests_cuda_nccl_failures_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_nccl_failures_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_nccl_failures_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_nccl_failures_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_old_driver_SOURCES = tests/cuda/old_driver.c backends/cuda/driver/functions.h $(CUDA_SCENARIO)
tests_cuda_old_driver_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_old_driver_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_old_driver_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_old_driver_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_out_of_memory_SOURCES = tests/cuda/out_of_memory.c backends/cuda/driver/functions.h $(CUDA_SCENARIO)
tests_cuda_out_of_memory_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_out_of_memory_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_out_of_memory_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_out_of_memory_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_pipelines_SOURCES = tests/cuda/pipelines.c
tests_cuda_pipelines_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_pipelines_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_pipelines_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_pipelines_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_processes_SOURCES = tests/cuda/processes.c
tests_cuda_processes_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_processes_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_processes_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_processes_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_resident_SOURCES = tests/cuda/resident.c
tests_cuda_resident_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_resident_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_resident_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_resident_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_sticky_SOURCES = tests/cuda/sticky.c tests/cuda/illegal.c tests/cuda/illegal.h $(CUDA_SCENARIO)
tests_cuda_sticky_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_sticky_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_sticky_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_sticky_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_streams_SOURCES = tests/cuda/streams.c
tests_cuda_streams_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_streams_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_streams_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_streams_LDFLAGS = $(UNINSTALLED_LINK)

SUM_TEAM = tests/cuda/sum_team.c tests/cuda/sum_team.h

tests_cuda_sum_failures_SOURCES = tests/cuda/sum_failures.c $(SUM_TEAM)
tests_cuda_sum_failures_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_sum_failures_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_sum_failures_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_sum_failures_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_sums_SOURCES = tests/cuda/sums.c $(SUM_TEAM)
tests_cuda_sums_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_sums_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_sums_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_sums_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_textures_SOURCES = tests/cuda/textures.c
tests_cuda_textures_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_textures_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_textures_LDADD = $(CUDA_TEST_LIBS) -lm
tests_cuda_textures_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_two_devices_SOURCES = tests/cuda/two_devices.c
tests_cuda_two_devices_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_two_devices_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_two_devices_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_two_devices_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_adopted_SOURCES = tests/cuda/adopted.c
tests_cuda_adopted_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_adopted_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_adopted_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_adopted_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_in_step_SOURCES = tests/cuda/in_step.c
tests_cuda_in_step_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_in_step_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_in_step_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_in_step_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_ipc_SOURCES = tests/cuda/ipc.c
tests_cuda_ipc_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_ipc_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_ipc_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_ipc_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_ipc_event_SOURCES = tests/cuda/ipc_event.c
tests_cuda_ipc_event_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_ipc_event_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_ipc_event_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_ipc_event_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_serial_SOURCES = tests/cuda/serial.c
tests_cuda_serial_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_serial_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_serial_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_serial_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_shared_SOURCES = tests/cuda/shared.c
tests_cuda_shared_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_shared_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_shared_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_shared_LDFLAGS = $(UNINSTALLED_LINK)

tests_cuda_with_vulkan_SOURCES = tests/cuda/with_vulkan.c
tests_cuda_with_vulkan_CPPFLAGS = $(CUDA_TEST_CPPFLAGS)
tests_cuda_with_vulkan_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_with_vulkan_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_with_vulkan_LDFLAGS = $(UNINSTALLED_LINK)

# A profiler that counts: tests/cuda/.libs/profiler.so.
check_LTLIBRARIES += tests/cuda/profiler.la
tests_cuda_profiler_la_SOURCES = tests/cuda/profiler.c tests/cuda/profiler.h
tests_cuda_profiler_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_cuda_profiler_la_LDFLAGS = $(TEST_MODULE_LINK) \
	-export-symbols-regex '^(InitializeInjectionNvtx2|cuda_test_profiler)$$'

tests_cuda_ranges_SOURCES = tests/cuda/ranges.c tests/cuda/profiler.h
tests_cuda_ranges_CPPFLAGS = $(CUDA_TEST_CPPFLAGS) -DPROFILER_PATH='"$(abs_top_builddir)/tests/cuda/.libs/profiler.so"'
tests_cuda_ranges_CFLAGS = $(CUDA_TEST_CFLAGS)
tests_cuda_ranges_LDADD = $(CUDA_TEST_LIBS)
tests_cuda_ranges_LDFLAGS = $(UNINSTALLED_LINK)

endif BUILD_CUDA
