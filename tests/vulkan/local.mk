# The vulkan backend on a shim: vulkan-shim.so replaces libvulkan.so.1, makes calls fail, hides capabilities of
# a device, makes it look like another one, and keeps account of objects (tests/vulkan/shim/control.h). It is
# built as tests/vulkan/.libs/vulkan-shim.so and never installed.
#
# Without a Vulkan device (lavapipe is one) the tests are skipped.

EXTRA_DIST += tests/vulkan/common.sh tests/vulkan/tsan.suppressions

if BUILD_VULKAN

check_LTLIBRARIES += tests/vulkan/vulkan-shim.la
tests_vulkan_vulkan_shim_la_SOURCES = \
	tests/vulkan/shim/command.c \
	tests/vulkan/shim/config.c \
	tests/vulkan/shim/control.h \
	tests/vulkan/shim/device.c \
	tests/vulkan/shim/entry.c \
	tests/vulkan/shim/fault.c \
	tests/vulkan/shim/functions.h \
	tests/vulkan/shim/instance.c \
	tests/vulkan/shim/ledger.c \
	tests/vulkan/shim/memory.c \
	tests/vulkan/shim/objects.c \
	tests/vulkan/shim/physical.c \
	tests/vulkan/shim/queue.c \
	tests/vulkan/shim/queue.h \
	tests/vulkan/shim/shim.h \
	tests/vulkan/shim/submission.c
tests_vulkan_vulkan_shim_la_LDFLAGS = $(TEST_MODULE_LINK) \
	-export-symbols-regex '^(vkGetInstanceProcAddr|vulkan_shim_control)$$'

VULKAN_TESTS = \
	tests/vulkan/adopted \
	tests/vulkan/choices \
	tests/vulkan/coarsen \
	tests/vulkan/copies \
	tests/vulkan/device_lost \
	tests/vulkan/drivers \
	tests/vulkan/images \
	tests/vulkan/out_of_memory \
	tests/vulkan/resident \
	tests/vulkan/streams \
	tests/vulkan/tokens \
	tests/vulkan/two_devices \
	tests/vulkan/unroll

check_PROGRAMS += $(VULKAN_TESTS)
TESTS += $(VULKAN_TESTS)
LONG_TESTS += tests/vulkan/out_of_memory

VULKAN_FIXTURE = tests/differential/sanitizers.c
VULKAN_SCENARIO = tests/vulkan/scenario.c
VULKAN_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) \
	-DVULKAN_SHIM_PATH='"$(abs_top_builddir)/tests/vulkan/.libs/vulkan-shim.so"'
VULKAN_TEST_LIBS = tests/vulkan/libfixture.la $(DEVICE_TEST_LIBS)

check_LTLIBRARIES += tests/vulkan/libfixture.la
tests_vulkan_libfixture_la_SOURCES = tests/vulkan/fixture.c tests/vulkan/fixture.h tests/vulkan/shim/control.h
tests_vulkan_libfixture_la_CFLAGS = $(VULKAN_TEST_CFLAGS)

tests_vulkan_adopted_SOURCES = tests/vulkan/adopted.c $(VULKAN_FIXTURE)
tests_vulkan_adopted_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_adopted_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_choices_SOURCES = tests/vulkan/choices.c $(VULKAN_FIXTURE) $(VULKAN_SCENARIO)
tests_vulkan_choices_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_choices_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_coarsen_SOURCES = tests/vulkan/coarsen.c $(VULKAN_FIXTURE)
tests_vulkan_coarsen_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_coarsen_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_copies_SOURCES = tests/vulkan/copies.c $(VULKAN_FIXTURE)
tests_vulkan_copies_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_copies_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_device_lost_SOURCES = tests/vulkan/device_lost.c $(VULKAN_FIXTURE) $(VULKAN_SCENARIO)
tests_vulkan_device_lost_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_device_lost_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_drivers_SOURCES = tests/vulkan/drivers.c $(VULKAN_FIXTURE) \
	tests/device/driver_fork.c tests/device/driver_fork.h tests/device/driver_fork_vulkan.c
tests_vulkan_drivers_CFLAGS = $(VULKAN_TEST_CFLAGS) -DCONFORMANCE_VULKAN
tests_vulkan_drivers_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_images_SOURCES = tests/vulkan/images.c $(VULKAN_FIXTURE)
tests_vulkan_images_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_images_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_out_of_memory_SOURCES = tests/vulkan/out_of_memory.c $(VULKAN_FIXTURE) $(VULKAN_SCENARIO)
tests_vulkan_out_of_memory_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_out_of_memory_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_resident_SOURCES = tests/vulkan/resident.c $(VULKAN_FIXTURE)
tests_vulkan_resident_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_resident_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_streams_SOURCES = tests/vulkan/streams.c $(VULKAN_FIXTURE)
tests_vulkan_streams_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_streams_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_tokens_SOURCES = tests/vulkan/tokens.c $(VULKAN_FIXTURE)
tests_vulkan_tokens_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_tokens_LDADD = $(VULKAN_TEST_LIBS)

tests_vulkan_two_devices_SOURCES = tests/vulkan/two_devices.c $(VULKAN_FIXTURE)
tests_vulkan_two_devices_CFLAGS = $(VULKAN_TEST_CFLAGS)
tests_vulkan_two_devices_LDADD = $(VULKAN_TEST_LIBS)

# The backend's own code, and no device.
EXTRA_DIST += tests/vulkan/shaders/unroll.comp tests/vulkan/shaders/unroll.spv
tests_vulkan_unroll_SOURCES = tests/vulkan/unroll.c tests/differential/sanitizers.c \
	backends/vulkan/spirv/coarsen.c backends/vulkan/spirv/coarsen_write.c backends/vulkan/spirv/shader.c \
	backends/vulkan/spirv/unroll.c backends/vulkan/spirv/unroll_write.c
tests_vulkan_unroll_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -DUNROLL_SHADERS='"$(abs_top_srcdir)/tests/vulkan/shaders"'
tests_vulkan_unroll_LDADD = $(CHECK_LIBS)

endif BUILD_VULKAN
