# Numbered programs that a newcomer reads in order. `make` builds them, `make demo`, `make check` and
# `make check-valgrind` run them: each ends by itself, with status 0 when all went well, 77 when the device cannot.
#
# To add one: three more lines here, and one in examples/README.md.

EXAMPLES += \
	examples/01-hello \
	examples/02-kernel \
	examples/03-streams \
	examples/04-events \
	examples/05-memory \
	examples/06-callbacks \
	examples/07-errors \
	examples/08-glsl

examples_01_hello_SOURCES = examples/01-hello.c examples/example.h
examples_01_hello_LDADD = libtrireme.la
examples_01_hello_LDFLAGS = $(UNINSTALLED_LINK)

examples_02_kernel_SOURCES = examples/02-kernel.c examples/example.h
examples_02_kernel_LDADD = libtrireme.la
examples_02_kernel_LDFLAGS = $(UNINSTALLED_LINK)

examples_03_streams_SOURCES = examples/03-streams.c examples/example.h
examples_03_streams_LDADD = libtrireme.la
examples_03_streams_LDFLAGS = $(UNINSTALLED_LINK)

examples_04_events_SOURCES = examples/04-events.c examples/example.h
examples_04_events_LDADD = libtrireme.la
examples_04_events_LDFLAGS = $(UNINSTALLED_LINK)

examples_05_memory_SOURCES = examples/05-memory.c examples/example.h
examples_05_memory_LDADD = libtrireme.la
examples_05_memory_LDFLAGS = $(UNINSTALLED_LINK)

examples_06_callbacks_SOURCES = examples/06-callbacks.c examples/example.h
examples_06_callbacks_LDADD = libtrireme.la
examples_06_callbacks_LDFLAGS = $(UNINSTALLED_LINK)

examples_07_errors_SOURCES = examples/07-errors.c examples/example.h
examples_07_errors_LDADD = libtrireme.la
examples_07_errors_LDFLAGS = $(UNINSTALLED_LINK)

examples_08_glsl_SOURCES = examples/08-glsl.c examples/example.h
examples_08_glsl_LDADD = libtrireme.la
examples_08_glsl_LDFLAGS = $(UNINSTALLED_LINK)

noinst_PROGRAMS += $(EXAMPLES)
TESTS += $(EXAMPLES)
EXTRA_DIST += examples/README.md
