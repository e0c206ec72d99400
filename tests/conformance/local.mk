# The conformance suite: one program, written against the public API alone, run once for each backend by a script
# run-NAME.sh, which sets CONFORMANCE_BACKEND and ends with 77 where that backend was not built.
#
# To add a file of cases: append it to sources.mk, groups.h and main.c.

CONFORMANCE_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)

check_PROGRAMS += tests/conformance/conformance

tests_conformance_conformance_SOURCES = $(CONFORMANCE_SOURCES)
if HAVE_VULKAN_H
tests_conformance_conformance_SOURCES += $(CONFORMANCE_VULKAN_SOURCES)
endif
tests_conformance_conformance_CFLAGS = $(CONFORMANCE_CFLAGS)
if HAVE_VULKAN_H
tests_conformance_conformance_CFLAGS += -DCONFORMANCE_VULKAN
endif
tests_conformance_conformance_LDFLAGS = $(UNINSTALLED_LINK)
tests_conformance_conformance_LDADD = libtrireme.la $(CHECK_LIBS)

CONFORMANCE_RUNS = \
	tests/conformance/calls.sh \
	tests/conformance/command-line.sh \
	tests/conformance/run-cpu.sh \
	tests/conformance/run-template.sh \
	tests/conformance/run-timed.sh \
	tests/conformance/run-cpu-group.sh \
	tests/conformance/run-cpu-pool.sh \
	tests/conformance/run-cpu-pool-of-group.sh \
	tests/conformance/run-cpu-collective.sh \
	tests/conformance/run-cpu-gates-alone.sh \
	tests/conformance/run-cpu-without-optional.sh \
	tests/conformance/run-cuda.sh \
	tests/conformance/run-cuda-old.sh \
	tests/conformance/run-cuda-collective.sh \
	tests/conformance/run-cuda-nccl.sh \
	tests/conformance/run-mixed-collective.sh \
	tests/conformance/run-mixed-group-pool.sh \
	tests/conformance/run-vulkan.sh \
	tests/conformance/run-vulkan-copies.sh \
	tests/conformance/run-vulkan-discrete.sh \
	tests/conformance/run-vulkan-minimal.sh

dist_check_SCRIPTS += $(CONFORMANCE_RUNS)
TESTS += $(CONFORMANCE_RUNS)
LONG_TESTS += \
	tests/conformance/run-cuda-old.sh \
	tests/conformance/run-vulkan-copies.sh \
	tests/conformance/run-vulkan-discrete.sh \
	tests/conformance/run-vulkan-minimal.sh
EXTRA_DIST += tests/conformance/run

# What the SPIR-V that the suite includes (sources.mk) was made of.
EXTRA_DIST += tests/conformance/shaders/make \
	tests/conformance/shaders/affine.comp \
	tests/conformance/shaders/constants.comp \
	tests/conformance/shaders/hang.comp \
	tests/conformance/shaders/header.comp \
	tests/conformance/shaders/many.comp \
	tests/conformance/shaders/mirror.comp \
	tests/conformance/shaders/mixed.comp \
	tests/conformance/shaders/moved.comp \
	tests/conformance/shaders/one_id.comp \
	tests/conformance/shaders/open.comp \
	tests/conformance/shaders/parts.comp \
	tests/conformance/shaders/reach.comp \
	tests/conformance/shaders/reverse.comp \
	tests/conformance/shaders/sampled.comp \
	tests/conformance/shaders/texels.comp \
	tests/conformance/shaders/two.spvasm \
	tests/conformance/shaders/views.comp \
	tests/conformance/shaders/written.comp \
	tests/conformance/shaders/kernels/affine.comp \
	tests/conformance/shaders/kernels/blend.comp \
	tests/conformance/shaders/kernels/count.comp \
	tests/conformance/shaders/kernels/cover.comp \
	tests/conformance/shaders/kernels/dawdle.comp \
	tests/conformance/shaders/kernels/fixed_shape.comp \
	tests/conformance/shaders/kernels/many.comp \
	tests/conformance/shaders/kernels/picky.comp \
	tests/conformance/shaders/kernels/running.comp \
	tests/conformance/shaders/kernels/saxpy.comp \
	tests/conformance/shaders/kernels/scalars.comp \
	tests/conformance/shaders/kernels/shape.comp \
	tests/conformance/shaders/kernels/span_size.comp \
	tests/conformance/shaders/kernels/spread.comp \
	tests/conformance/shaders/kernels/step.comp
