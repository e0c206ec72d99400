# The template backend: backends/template/.libs/template.so. It is built and tested, and never installed; the tarball has it,
# to be copied.

check_LTLIBRARIES += backends/template/template.la

backends_template_template_la_SOURCES = \
	backends/template/template.h \
	backends/template/backend.c \
	backends/template/device.c \
	backends/template/memory.c \
	backends/template/stream.c \
	backends/template/module.c
backends_template_template_la_LDFLAGS = $(MODULE_LINK) -rpath /nowhere

EXTRA_DIST += backends/template/Makefile.example
