# Stress: many threads create, use and destroy whole contexts; also with sanitizers.

if BUILD_CPU
STRESS_TESTS = tests/stress/contexts
endif

check_PROGRAMS += $(STRESS_TESTS)
TESTS += $(STRESS_TESTS)

tests_stress_contexts_SOURCES = tests/stress/contexts.c tests/scale.h
tests_stress_contexts_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_stress_contexts_LDADD = libtrireme.la $(CHECK_LIBS)
