# Unit tests: Check programs that link the inside of the library (core/libcore.la) and include core/*.h.
#
# To add one:
#
#     UNIT_TESTS += tests/unit/settings
#     tests_unit_settings_SOURCES = tests/unit/settings.c
#     tests_unit_settings_CFLAGS = $(UNIT_CFLAGS)
#     tests_unit_settings_LDADD = $(UNIT_LIBS)

UNIT_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
UNIT_LIBS = core/libcore.la $(CHECK_LIBS)

UNIT_TESTS =
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

EXTRA_DIST += tests/unit/counting.h tests/unit/runner.h

UNIT_TESTS += tests/unit/error
tests_unit_error_SOURCES = tests/unit/error.c
tests_unit_error_CFLAGS = $(UNIT_CFLAGS)
tests_unit_error_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/object
tests_unit_object_SOURCES = tests/unit/object.c
tests_unit_object_CFLAGS = $(UNIT_CFLAGS)
tests_unit_object_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/object_inside
tests_unit_object_inside_SOURCES = tests/unit/object_inside.c
tests_unit_object_inside_CFLAGS = $(UNIT_CFLAGS)
tests_unit_object_inside_LDADD = $(UNIT_LIBS)
