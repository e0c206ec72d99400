# The built-in kernels beside double precision: Check programs of the public API, one for each group of kernels. They run on
# the backend that CONFORMANCE_BACKEND or TRIREME_BACKEND names (make check: the cpu, or CONFORMANCE_BACKEND).
#
# To add one: three lines as below.

KERNEL_TESTS =
KERNEL_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
KERNEL_TEST_LIBS = tests/kernels/libharness.la libtrireme.la $(CHECK_LIBS) -lm

check_LTLIBRARIES += tests/kernels/libharness.la
tests_kernels_libharness_la_SOURCES = tests/kernels/data.c tests/kernels/harness.c tests/kernels/harness.h
tests_kernels_libharness_la_CFLAGS = $(KERNEL_TEST_CFLAGS)

KERNEL_TESTS += tests/kernels/elementwise
tests_kernels_elementwise_SOURCES = tests/kernels/elementwise.c
tests_kernels_elementwise_CFLAGS = $(KERNEL_TEST_CFLAGS)
tests_kernels_elementwise_LDADD = $(KERNEL_TEST_LIBS)
tests_kernels_elementwise_LDFLAGS = $(UNINSTALLED_LINK)

KERNEL_TESTS += tests/kernels/conversion
tests_kernels_conversion_SOURCES = tests/kernels/conversion.c
tests_kernels_conversion_CFLAGS = $(KERNEL_TEST_CFLAGS)
tests_kernels_conversion_LDADD = $(KERNEL_TEST_LIBS)
tests_kernels_conversion_LDFLAGS = $(UNINSTALLED_LINK)

KERNEL_TESTS += tests/kernels/collective
tests_kernels_collective_SOURCES = tests/kernels/collective.c
tests_kernels_collective_CFLAGS = $(KERNEL_TEST_CFLAGS)
tests_kernels_collective_LDADD = $(KERNEL_TEST_LIBS)
tests_kernels_collective_LDFLAGS = $(UNINSTALLED_LINK)

KERNEL_TESTS += tests/kernels/linear
tests_kernels_linear_SOURCES = tests/kernels/linear.c
tests_kernels_linear_CFLAGS = $(KERNEL_TEST_CFLAGS)
tests_kernels_linear_LDADD = $(KERNEL_TEST_LIBS)
tests_kernels_linear_LDFLAGS = $(UNINSTALLED_LINK)

KERNEL_TESTS += tests/kernels/training
tests_kernels_training_SOURCES = tests/kernels/training.c
tests_kernels_training_CFLAGS = $(KERNEL_TEST_CFLAGS)
tests_kernels_training_LDADD = $(KERNEL_TEST_LIBS)
tests_kernels_training_LDFLAGS = $(UNINSTALLED_LINK)

KERNEL_TESTS += tests/kernels/filters
tests_kernels_filters_SOURCES = tests/kernels/filters.c
tests_kernels_filters_CFLAGS = $(KERNEL_TEST_CFLAGS)
tests_kernels_filters_LDADD = $(KERNEL_TEST_LIBS)
tests_kernels_filters_LDFLAGS = $(UNINSTALLED_LINK)

KERNEL_TESTS += tests/kernels/pixels
tests_kernels_pixels_SOURCES = tests/kernels/pixels.c
tests_kernels_pixels_CFLAGS = $(KERNEL_TEST_CFLAGS)
tests_kernels_pixels_LDADD = $(KERNEL_TEST_LIBS)
tests_kernels_pixels_LDFLAGS = $(UNINSTALLED_LINK)

KERNEL_TESTS += tests/kernels/mips
tests_kernels_mips_SOURCES = tests/kernels/mips.c
tests_kernels_mips_CFLAGS = $(KERNEL_TEST_CFLAGS)
tests_kernels_mips_LDADD = $(KERNEL_TEST_LIBS)
tests_kernels_mips_LDFLAGS = $(UNINSTALLED_LINK)

check_PROGRAMS += $(KERNEL_TESTS)
TESTS += $(KERNEL_TESTS)

# All of them on Vulkan and on CUDA as well.
dist_check_SCRIPTS += tests/kernels/run-cuda.sh tests/kernels/run-vulkan.sh
TESTS += tests/kernels/run-cuda.sh tests/kernels/run-vulkan.sh
LONG_TESTS += tests/kernels/run-cuda.sh tests/kernels/run-vulkan.sh
EXTRA_DIST += tests/vulkan/common.sh
