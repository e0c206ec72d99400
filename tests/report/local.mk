# Reports as their readers see them: JSON readers and a browser. The unit tests in tests/unit/pipeline/report check the
# figures.

REPORT_TESTS = tests/report/json.sh tests/report/timeline.sh

dist_check_SCRIPTS += $(REPORT_TESTS)
TESTS += $(REPORT_TESTS)

check_PROGRAMS += tests/report/sample
tests_report_sample_SOURCES = tests/report/sample.c tests/unit/pipeline/report/fixture.h
tests_report_sample_LDADD = libtrireme-internal.la
tests_report_sample_LDFLAGS = $(UNINSTALLED_LINK)

if BUILD_CPU
check_PROGRAMS += tests/report/pipeline
TESTS += tests/report/pipeline
endif
tests_report_pipeline_SOURCES = tests/report/pipeline.c tests/unit/folder.h tests/unit/pipeline/report/trace_reader.h
tests_report_pipeline_CFLAGS = $(UNIT_CFLAGS)
tests_report_pipeline_LDADD = libtrireme.la $(CHECK_LIBS)
