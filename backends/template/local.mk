# The template backend: backends/template/.libs/template.so. It is built and tested; its sources are installed, to be copied.

check_LTLIBRARIES += backends/template/template.la

TEMPLATE_FILES = \
	backends/template/template.h \
	backends/template/backend.c \
	backends/template/device.c \
	backends/template/memory.c \
	backends/template/stream.c \
	backends/template/module.c

backends_template_template_la_SOURCES = $(TEMPLATE_FILES)
backends_template_template_la_LDFLAGS = $(MODULE_LINK) -rpath /nowhere

templatedir = $(pkgdatadir)/template
dist_template_DATA = $(TEMPLATE_FILES) backends/template/Makefile.example
