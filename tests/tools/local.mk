# Tests of the `trireme` program: scripts that run "$top_builddir/tools/trireme". tests/tools/common.sh is what they share.

TOOL_TESTS = \
	tests/tools/json-check.sh \
	tests/tools/command-line.sh \
	tests/tools/info.sh \
	tests/tools/kc.sh \
	tests/tools/kernels.sh \
	tests/tools/settings.sh \
	tests/tools/colour.sh \
	tests/tools/bench.sh \
	tests/tools/report.sh \
	tests/tools/man.sh

dist_check_SCRIPTS += $(TOOL_TESTS)
TESTS += $(TOOL_TESTS)
EXTRA_DIST += tests/tools/common.sh

check_PROGRAMS += tests/tools/json_check
tests_tools_json_check_SOURCES = tests/tools/json_check.c
tests_tools_json_check_LDFLAGS = $(UNINSTALLED_LINK)
