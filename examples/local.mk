# Numbered programs that a newcomer reads in order. `make` builds them, `make demo`, `make check` and
# `make check-valgrind` run them: each ends by itself, with status 0 when all went well, 77 when the device cannot.
#
# To add one: three more lines here, and one in examples/README.md.

EXAMPLES += \
	examples/01-hello \
	examples/02-kernel \
	examples/06-streams \
	examples/07-asking \
	examples/14-c-function \
	examples/15-memory \
	examples/16-callbacks \
	examples/17-errors

examples_01_hello_SOURCES = examples/01-hello.c examples/example.h
examples_01_hello_LDADD = libtrireme.la
examples_01_hello_LDFLAGS = $(UNINSTALLED_LINK)

examples_02_kernel_SOURCES = examples/02-kernel.c examples/example.h
examples_02_kernel_LDADD = libtrireme.la
examples_02_kernel_LDFLAGS = $(UNINSTALLED_LINK)

examples_06_streams_SOURCES = examples/06-streams.c examples/example.h
examples_06_streams_LDADD = libtrireme.la
examples_06_streams_LDFLAGS = $(UNINSTALLED_LINK)

examples_07_asking_SOURCES = examples/07-asking.c examples/example.h
examples_07_asking_LDADD = libtrireme.la
examples_07_asking_LDFLAGS = $(UNINSTALLED_LINK)

examples_14_c_function_SOURCES = examples/14-c-function.c examples/example.h
examples_14_c_function_LDADD = libtrireme.la
examples_14_c_function_LDFLAGS = $(UNINSTALLED_LINK)

examples_15_memory_SOURCES = examples/15-memory.c examples/example.h
examples_15_memory_LDADD = libtrireme.la
examples_15_memory_LDFLAGS = $(UNINSTALLED_LINK)

examples_16_callbacks_SOURCES = examples/16-callbacks.c examples/example.h
examples_16_callbacks_LDADD = libtrireme.la
examples_16_callbacks_LDFLAGS = $(UNINSTALLED_LINK)

examples_17_errors_SOURCES = examples/17-errors.c examples/example.h
examples_17_errors_LDADD = libtrireme.la
examples_17_errors_LDFLAGS = $(UNINSTALLED_LINK)

noinst_PROGRAMS += $(EXAMPLES)
TESTS += $(EXAMPLES)
EXTRA_DIST += examples/README.md
