# The same shaders on a Vulkan device and through our translation, compared. Without a Vulkan device (lavapipe is one) the
# tests are skipped.
#
# A shader of shaders/ says in its first comments what it reads and writes (tests/differential/shader_case.h); a new one
# needs no more than to be there.

check_LTLIBRARIES += tests/differential/libdifferential.la
tests_differential_libdifferential_la_SOURCES = \
	tests/differential/comparison.c tests/differential/comparison.h \
	tests/differential/compile.c tests/differential/compile.h \
	tests/differential/compile_batch.c tests/differential/compile_batch.h \
	tests/differential/cuda_library.c tests/differential/cuda_library.h \
	tests/differential/cuda_runner.c tests/differential/cuda_runner.h \
	tests/differential/element.c tests/differential/element.h \
	tests/differential/generator.c tests/differential/generator.h \
	tests/differential/generator_expression.c tests/differential/generator_inside.h \
	tests/differential/local_size.c tests/differential/local_size.h \
	tests/differential/random.h \
	tests/differential/runner.c tests/differential/runner.h \
	tests/differential/shader_case.c tests/differential/shader_case.h \
	tests/differential/addresses.c \
	tests/differential/shader_case_image.c tests/differential/shader_case_inside.h \
	tests/differential/trireme_images.c tests/differential/trireme_images.h \
	tests/differential/trireme_runner.c tests/differential/trireme_runner.h \
	tests/differential/vulkan_runner.h

if HAVE_VULKAN_H
tests_differential_libdifferential_la_SOURCES += \
	tests/differential/vulkan_capability.c \
	tests/differential/vulkan_device.c tests/differential/vulkan_device.h \
	tests/differential/vulkan_functions.h \
	tests/differential/vulkan_runner.c
else
tests_differential_libdifferential_la_SOURCES += tests/differential/vulkan_absent.c
endif

EXTRA_DIST += \
	tests/differential/both-ways.sh \
	tests/differential/quick-cc \
	tests/differential/shaders \
	tests/differential/validation.sh \
	tests/differential/vulkan_absent.c \
	tests/differential/vulkan_capability.c \
	tests/differential/vulkan_device.c tests/differential/vulkan_device.h \
	tests/differential/vulkan_functions.h \
	tests/differential/vulkan_runner.c

DIFFERENTIAL_LIBS = tests/differential/libdifferential.la libtrireme.la -lm

check_PROGRAMS += tests/differential/differential
tests_differential_differential_SOURCES = tests/differential/differential.c tests/differential/sanitizers.c
tests_differential_differential_LDADD = $(DIFFERENTIAL_LIBS)
tests_differential_differential_LDFLAGS = $(UNINSTALLED_LINK)

# The parts of the test itself: what would be different is found, and what it reads is understood.
check_PROGRAMS += tests/differential/parts
TESTS += tests/differential/parts
tests_differential_parts_SOURCES = tests/differential/parts.c tests/differential/sanitizers.c
tests_differential_parts_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_differential_parts_LDADD = $(DIFFERENTIAL_LIBS) $(CHECK_LIBS)
tests_differential_parts_LDFLAGS = $(UNINSTALLED_LINK)

# Every text of the translator goes through all compilers.
check_PROGRAMS += tests/differential/texts
tests_differential_texts_SOURCES = \
	tests/differential/texts.c \
	tests/differential/nvrtc.c tests/differential/nvrtc.h \
	tests/differential/sanitizers.c
tests_differential_texts_LDADD = $(DIFFERENTIAL_LIBS)
tests_differential_texts_LDFLAGS = $(UNINSTALLED_LINK)

# Every kernel that comes with the library, on Vulkan.
check_PROGRAMS += tests/differential/builtin
tests_differential_builtin_SOURCES = tests/differential/builtin.c tests/differential/sanitizers.c
tests_differential_builtin_LDADD = $(DIFFERENTIAL_LIBS)
tests_differential_builtin_LDFLAGS = $(UNINSTALLED_LINK)

# Modules of others: trial FOLDER… tries them, and try-trial.sh tries that.
check_PROGRAMS += tests/differential/trial_module
tests_differential_trial_module_SOURCES = \
	tests/differential/trial_module.c \
	tests/differential/trial_case.c tests/differential/trial_case.h \
	tests/differential/trial_layout.c tests/differential/trial_layout.h \
	tests/differential/module_facts.c tests/differential/module_facts.h \
	tests/differential/sanitizers.c
tests_differential_trial_module_LDADD = $(DIFFERENTIAL_LIBS)
tests_differential_trial_module_LDFLAGS = $(UNINSTALLED_LINK)
dist_check_SCRIPTS += tests/differential/trial tests/differential/try-trial.sh

# For a person at a machine with a driver that got shaders wrong.
dist_check_SCRIPTS += tests/differential/driver-cases tests/differential/explain
TESTS += tests/differential/try-trial.sh
EXTRA_DIST += tests/differential/trial.awk tests/differential/trial-modules

# backend.sh is one of the first tests, also of the long ones. Those that compile the same for the cpu come when it has ended, where it
# is among the tests: they find that in the cache.
tests/differential/coarsen.log tests/differential/cuda.log: $(filter tests/differential/backend.log,$(TEST_LOGS))
LATE_DIFFERENTIAL_TESTS = \
	tests/differential/coarsen.sh \
	tests/differential/builtin.sh \
	tests/differential/written.sh \
	tests/differential/cuda.sh \
	tests/differential/depth.sh \
	tests/differential/texts.sh \
	tests/differential/random.sh
dist_check_SCRIPTS += tests/differential/backend.sh tests/differential/sample.sh $(LATE_DIFFERENTIAL_TESTS)
TESTS += tests/differential/backend.sh tests/differential/sample.sh
LONG_TESTS += tests/differential/backend.sh
LATE_LONG_TESTS += tests/differential/coarsen.sh tests/differential/cuda.sh tests/differential/texts.sh \
	tests/differential/builtin.sh tests/differential/written.sh tests/differential/random.sh
LATE_TESTS += $(LATE_DIFFERENTIAL_TESTS)

# make differential SEEDS=1000 FIRST=1: more random shaders than `make check` has time for
differential: all tests/differential/differential
	@$(AM_TESTS_ENVIRONMENT) cd tests/differential && \
	  ./differential --generate "$${SEEDS:-200}" --seed "$${FIRST:-1000}"
