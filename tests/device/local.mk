# What the tests of backends for devices share (tests/vulkan, tests/cuda). The fixture of each backend says how a context reaches the
# driver (tests/device/world.h), and which steps the long scenario has besides (tests/device/scenario_inside.h).

check_LTLIBRARIES += tests/device/libdevice.la

tests_device_libdevice_la_SOURCES = \
	tests/scale.h \
	tests/device/barrier.c \
	tests/device/barrier.h \
	tests/device/checks.h \
	tests/device/kernels.c \
	tests/device/kernels.h \
	tests/device/scenario.c \
	tests/device/scenario.h \
	tests/device/scenario_inside.h \
	tests/device/scenario_making.c \
	tests/device/scenario_planning.c \
	tests/device/scenario_working.c \
	tests/device/streams.c \
	tests/device/streams.h \
	tests/device/two_devices.c \
	tests/device/two_devices.h \
	tests/device/workers.c \
	tests/device/workers.h \
	tests/device/world.c \
	tests/device/world.h
tests_device_libdevice_la_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
DEVICE_TEST_LIBS = tests/device/libdevice.la libtrireme.la $(CHECK_LIBS)

# make check-gpu: on a machine with a GPU, what `make check` asks of lavapipe and of the stand-in for CUDA's driver is asked of the
# GPU's own drivers, and more; a table (Markdown) of how it went for each backend goes to standard output.
EXTRA_DIST += tests/device/on-a-gpu

check-gpu: all $(check_PROGRAMS) $(check_LTLIBRARIES)
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/device/on-a-gpu $(GPUFLAGS)
