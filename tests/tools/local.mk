# Tests of the `trireme` program: scripts that run "$top_builddir/tools/trireme". tests/tools/common.sh is what they share.

TOOL_TESTS = \
	tests/tools/json-check.sh \
	tests/tools/command-line.sh \
	tests/tools/info.sh \
	tests/tools/kc.sh \
	tests/tools/compiler-ends.sh \
	tests/tools/kernels.sh \
	tests/tools/catalogue.sh \
	tests/tools/locale.sh \
	tests/tools/log.sh \
	tests/tools/models.sh \
	tests/tools/settings.sh \
	tests/tools/colour.sh \
	tests/tools/bench.sh \
	tests/tools/check.sh \
	tests/tools/check-cuda.sh \
	tests/tools/check-kernel.sh \
	tests/tools/check-plugin.sh \
	tests/tools/check-vulkan.sh \
	tests/tools/report.sh \
	tests/tools/run.sh \
	tests/tools/run-cuda.sh \
	tests/tools/run-devices.sh \
	tests/tools/run-failures.sh \
	tests/tools/run-ffmpeg.sh \
	tests/tools/run-paths.sh \
	tests/tools/run-report.sh \
	tests/tools/run-vulkan.sh \
	tests/tools/man.sh

dist_check_SCRIPTS += $(TOOL_TESTS)
TESTS += $(TOOL_TESTS)
EXTRA_DIST += tests/tools/common.sh tests/tools/check-common.sh tests/tools/on-backend.sh tests/tools/threads.sh

# Runs a command and kills it if it hangs, for common.sh.
check_PROGRAMS += tests/tools/limited
tests_tools_limited_SOURCES = tests/tools/limited.c
tests_tools_limited_LDFLAGS = $(UNINSTALLED_LINK)

check_PROGRAMS += tests/tools/json_check
tests_tools_json_check_SOURCES = tests/tools/json_check.c
tests_tools_json_check_LDFLAGS = $(UNINSTALLED_LINK)

# A program with a locale of its own, for locale.sh.
check_PROGRAMS += tests/tools/decimal_comma
tests_tools_decimal_comma_SOURCES = tests/tools/decimal_comma.c
tests_tools_decimal_comma_LDADD = libtrireme.la
tests_tools_decimal_comma_LDFLAGS = $(UNINSTALLED_LINK)

# A program whose stream pool learns, for models.sh.
check_PROGRAMS += tests/tools/learn
tests_tools_learn_SOURCES = tests/tools/learn.c
tests_tools_learn_LDADD = libtrireme.la
tests_tools_learn_LDFLAGS = $(UNINSTALLED_LINK)

# Kernels in C that fail in different ways, for check-kernel.sh.
check_LTLIBRARIES += tests/tools/native_kernels.la
tests_tools_native_kernels_la_SOURCES = tests/tools/native_kernels.c
tests_tools_native_kernels_la_LDFLAGS = $(TEST_MODULE_LINK) -export-symbols-regex '^trm_cpu_kernels_v1$$'

# Videos for the tests of `trireme run`.
check_PROGRAMS += tests/tools/video
tests_tools_video_SOURCES = tests/tools/video.c $(RUN_FILES) $(OUTPUT_FILES)
tests_tools_video_LDADD = libtrireme.la -lm
tests_tools_video_LDFLAGS = $(UNINSTALLED_LINK)

check_PROGRAMS += tests/tools/run_files
TESTS += tests/tools/run_files
tests_tools_run_files_SOURCES = tests/tools/run_files.c $(RUN_FILES) $(OUTPUT_FILES)
tests_tools_run_files_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tools_run_files_LDADD = libtrireme.la $(CHECK_LIBS) -lm
tests_tools_run_files_LDFLAGS = $(UNINSTALLED_LINK)

check_PROGRAMS += tests/tools/run_text
TESTS += tests/tools/run_text
tests_tools_run_text_SOURCES = tests/tools/run_text.c $(OUTPUT_FILES) \
	tools/run/report/progress.c tools/run/report/progress.h \
	tools/kernel/spec.c tools/kernel/spec.h \
	tools/kernel/suggest.c tools/kernel/suggest.h
tests_tools_run_text_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tools_run_text_LDADD = libtrireme.la $(CHECK_LIBS) -lm
tests_tools_run_text_LDFLAGS = $(UNINSTALLED_LINK)

check_PROGRAMS += tests/tools/check_group
TESTS += tests/tools/check_group
tests_tools_check_group_SOURCES = tests/tools/check_group.c $(OUTPUT_FILES) \
	tools/check/machine_group.c tools/check/machine_group.h
tests_tools_check_group_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tools_check_group_LDADD = libtrireme.la $(CHECK_LIBS) -lm
tests_tools_check_group_LDFLAGS = $(UNINSTALLED_LINK)

check_PROGRAMS += tests/tools/check_compare
TESTS += tests/tools/check_compare
tests_tools_check_compare_SOURCES = tests/tools/check_compare.c $(OUTPUT_FILES) \
	tools/check/kernel_compare.c tools/check/kernel_layout.c tools/check/kernel.h \
	tools/kernel/difference.c tools/kernel/difference.h \
	tools/kernel/value.c tools/kernel/value.h
tests_tools_check_compare_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tools_check_compare_LDADD = libtrireme.la $(CHECK_LIBS) -lm
tests_tools_check_compare_LDFLAGS = $(UNINSTALLED_LINK)

check_PROGRAMS += tests/tools/check_apart
TESTS += tests/tools/check_apart
tests_tools_check_apart_SOURCES = tests/tools/check_apart.c $(OUTPUT_FILES) \
	tools/check/apart.c tools/check/apart.h \
	tools/check/finding.c tools/check/finding.h \
	tools/check/print.c \
	tools/check/report.c tools/check/report.h
tests_tools_check_apart_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tools_check_apart_LDADD = libtrireme.la $(CHECK_LIBS) -lm
# kill() of apart.c is the test's.
tests_tools_check_apart_LDFLAGS = $(UNINSTALLED_LINK) -Wl,--wrap=kill
