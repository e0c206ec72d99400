# Tests of whole pipelines: programs that use only the public API, on several backends and on one whose operations take known
# times (tests/plugins/timed).

PIPELINE_TESTS = \
	tests/pipeline/advice \
	tests/pipeline/advice_host \
	tests/pipeline/ahead \
	tests/pipeline/allocations \
	tests/pipeline/cancel \
	tests/pipeline/fault_devices \
	tests/pipeline/fault_matrix \
	tests/pipeline/group_contents \
	tests/pipeline/group_pool \
	tests/pipeline/latest \
	tests/pipeline/lost_devices \
	tests/pipeline/overlap \
	tests/pipeline/profile \
	tests/pipeline/profile_advice \
	tests/pipeline/program_profile \
	tests/pipeline/shared_limits \
	tests/pipeline/spread

check_PROGRAMS += $(PIPELINE_TESTS)
TESTS += $(PIPELINE_TESTS)
LONG_TESTS += tests/pipeline/fault_devices tests/pipeline/fault_matrix

PIPELINE_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(CUDA_STANDIN_CPPFLAGS)
PIPELINE_TEST_LIBS = tests/pipeline/libfixture.la libtrireme.la $(CHECK_LIBS)

check_LTLIBRARIES += tests/pipeline/libfixture.la
tests_pipeline_libfixture_la_SOURCES = \
	tests/pipeline/chain.c \
	tests/pipeline/fixture.c \
	tests/pipeline/fixture.h \
	tests/pipeline/promise.c \
	tests/pipeline/promise.h \
	tests/pipeline/scene.c \
	tests/pipeline/scene.h
tests_pipeline_libfixture_la_CFLAGS = $(PIPELINE_TEST_CFLAGS)

tests_pipeline_advice_SOURCES = tests/pipeline/advice.c
tests_pipeline_advice_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_advice_LDADD = $(PIPELINE_TEST_LIBS) -lm

tests_pipeline_advice_host_SOURCES = tests/pipeline/advice_host.c
tests_pipeline_advice_host_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_advice_host_LDADD = $(PIPELINE_TEST_LIBS) -lm

tests_pipeline_ahead_SOURCES = tests/pipeline/ahead.c
tests_pipeline_ahead_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_ahead_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_allocations_SOURCES = tests/pipeline/allocations.c
tests_pipeline_allocations_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_allocations_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_cancel_SOURCES = tests/pipeline/cancel.c
tests_pipeline_cancel_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_cancel_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_fault_devices_SOURCES = tests/pipeline/fault_devices.c
tests_pipeline_fault_devices_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_fault_devices_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_fault_matrix_SOURCES = tests/pipeline/fault_matrix.c
tests_pipeline_fault_matrix_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_fault_matrix_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_group_contents_SOURCES = tests/pipeline/group_contents.c
tests_pipeline_group_contents_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_group_contents_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_group_pool_SOURCES = tests/pipeline/group_pool.c
tests_pipeline_group_pool_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_group_pool_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_latest_SOURCES = tests/pipeline/latest.c
tests_pipeline_latest_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_latest_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_lost_devices_SOURCES = tests/pipeline/lost_devices.c
tests_pipeline_lost_devices_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_lost_devices_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_overlap_SOURCES = tests/pipeline/overlap.c
tests_pipeline_overlap_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_overlap_LDADD = $(PIPELINE_TEST_LIBS) -lm

tests_pipeline_profile_SOURCES = tests/pipeline/profile.c
tests_pipeline_profile_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_profile_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_profile_advice_SOURCES = tests/pipeline/profile_advice.c
tests_pipeline_profile_advice_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_profile_advice_LDADD = $(PIPELINE_TEST_LIBS) -lm

tests_pipeline_program_profile_SOURCES = tests/pipeline/program_profile.c
tests_pipeline_program_profile_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_program_profile_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_shared_limits_SOURCES = tests/pipeline/shared_limits.c
tests_pipeline_shared_limits_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_shared_limits_LDADD = $(PIPELINE_TEST_LIBS)

tests_pipeline_spread_SOURCES = tests/pipeline/spread.c
tests_pipeline_spread_CFLAGS = $(PIPELINE_TEST_CFLAGS)
tests_pipeline_spread_LDADD = $(PIPELINE_TEST_LIBS)
