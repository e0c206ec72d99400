# The `trireme` program. To add a file: append it (headers too) to tools_trireme_SOURCES.

bin_PROGRAMS += tools/trireme

tools_trireme_SOURCES = \
	tools/bench.c \
	tools/bench.h \
	tools/bench_alloc.c \
	tools/bench_case.c \
	tools/bench_copy.c \
	tools/bench_kernels.c \
	tools/bench_objects.c \
	tools/bench_report.c \
	tools/bench_run.c \
	tools/bench_stream.c \
	tools/bench_stream.h \
	tools/command.c \
	tools/command.h \
	tools/info.c \
	tools/info.h \
	tools/info_collect.c \
	tools/info_kernels.c \
	tools/info_print.c \
	tools/info_properties.c \
	tools/info_settings.c \
	tools/json.c \
	tools/json.h \
	tools/kc.c \
	tools/kc.h \
	tools/kc_compile.c \
	tools/kc_constants.c \
	tools/kc_nvcc.c \
	tools/kc_options.c \
	tools/kc_print.c \
	tools/kc_write.c \
	tools/main.c \
	tools/output.c \
	tools/output.h \
	tools/signature.c \
	tools/signature.h \
	tools/table.c \
	tools/table.h
tools_trireme_LDADD = libtrireme.la -lm
tools_trireme_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/$(libdir_from_bindir)'
