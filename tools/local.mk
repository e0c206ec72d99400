# The `trireme` program. To add a file: append it (headers too) to tools_trireme_SOURCES.

bin_PROGRAMS += tools/trireme

tools_trireme_SOURCES = \
	tools/bench.c \
	tools/bench.h \
	tools/bench_alloc.c \
	tools/bench_by_hand.c \
	tools/bench_case.c \
	tools/bench_copy.c \
	tools/bench_flow.c \
	tools/bench_flow.h \
	tools/bench_graph.c \
	tools/bench_kernels.c \
	tools/bench_objects.c \
	tools/bench_pipeline.c \
	tools/bench_report.c \
	tools/bench_run.c \
	tools/bench_stream.c \
	tools/bench_stream.h \
	tools/command.c \
	tools/command.h \
	tools/info.c \
	tools/info.h \
	tools/info_collect.c \
	tools/info_help.c \
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
	tools/table.h \
	tools/value.c \
	tools/value.h
tools_trireme_LDADD = libtrireme.la -lm
tools_trireme_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/$(libdir_from_bindir)'

# Reading and writing of frames; tests use it too.
RUN_FILES = \
	tools/run/fault.c tools/run/fault.h \
	tools/run/interrupt.c \
	tools/run/input.c tools/run/input.h \
	tools/run/claims.c tools/run/claims.h \
	tools/run/outlet.c tools/run/outlet.h \
	tools/run/media.c tools/run/media.h \
	tools/run/y4m.c tools/run/y4m.h \
	tools/run/y4m_file.c \
	tools/run/pnm.c tools/run/pnm.h \
	tools/run/pnm_file.c \
	tools/run/images.c \
	tools/run/raw.c \
	tools/run/sequence.c tools/run/sequence.h \
	tools/run/reader.c tools/run/reader.h \
	tools/run/writer.c tools/run/writer.h

# `trireme run`.
tools_trireme_SOURCES += $(RUN_FILES) \
	tools/run/code.c tools/run/code.h \
	tools/run/drive.c \
	tools/run/help.c \
	tools/run/options.c \
	tools/run/plan.c tools/run/plan.h \
	tools/run/plan_arguments.c \
	tools/run/plan_convert.c \
	tools/run/plan_kernel.c \
	tools/run/plan_options.c \
	tools/run/progress.c tools/run/progress.h \
	tools/run/recipe.c tools/run/recipe.h \
	tools/run/reports.c tools/run/reports.h \
	tools/run/run.c tools/run/run.h tools/run/session.h \
	tools/run/spec.c tools/run/spec.h \
	tools/run/suggest.c tools/run/suggest.h \
	tools/run/verify.c tools/run/verify.h \
	tools/run/work.c tools/run/work.h
