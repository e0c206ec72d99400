# The `trireme` program. To add a file: append it (headers too) to its room.

bin_PROGRAMS += tools/trireme
tools_trireme_SOURCES = tools/main.c
tools_trireme_LDADD = libtrireme.la -lm
tools_trireme_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/$(libdir_from_bindir)'

# tools/output: Text, tables, JSON and the first failure. Tests use it too.
OUTPUT_FILES = \
	tools/output/fault.c tools/output/fault.h \
	tools/output/json.c tools/output/json.h \
	tools/output/output.c tools/output/output.h \
	tools/output/table.c tools/output/table.h
tools_trireme_SOURCES += $(OUTPUT_FILES)

# tools/command: What the commands share.
tools_trireme_SOURCES += \
	tools/command/command.c tools/command/command.h

# tools/kernel: Signatures, values and names of kernels.
tools_trireme_SOURCES += \
	tools/kernel/code.c tools/kernel/code.h \
	tools/kernel/difference.c tools/kernel/difference.h \
	tools/kernel/kernel.h \
	tools/kernel/signature.c tools/kernel/signature.h \
	tools/kernel/spec.c tools/kernel/spec.h \
	tools/kernel/suggest.c tools/kernel/suggest.h \
	tools/kernel/value.c tools/kernel/value.h

# tools/info: `trireme info`.
tools_trireme_SOURCES += \
	tools/info/info.c tools/info/info.h \
	tools/info/info_collect.c \
	tools/info/info_help.c \
	tools/info/info_kernels.c \
	tools/info/info_models.c \
	tools/info/info_print.c \
	tools/info/info_properties.c \
	tools/info/info_settings.c

# tools/check: `trireme check`.
tools_trireme_SOURCES += \
	tools/check/apart.c tools/check/apart.h \
	tools/check/check.c tools/check/check.h \
	tools/check/context.c \
	tools/check/device.c tools/check/device.h \
	tools/check/device_copy.c \
	tools/check/device_event.c \
	tools/check/device_kernel.c \
	tools/check/device_pipeline.c \
	tools/check/finding.c tools/check/finding.h \
	tools/check/kernel.c tools/check/kernel.h \
	tools/check/kernel_barriers.c \
	tools/check/kernel_bounds.c \
	tools/check/kernel_compare.c \
	tools/check/kernel_device.c \
	tools/check/kernel_groups.c \
	tools/check/kernel_inputs.c \
	tools/check/kernel_layout.c \
	tools/check/kernel_memory.c \
	tools/check/kernel_run.c \
	tools/check/kernel_survey.c \
	tools/check/kernel_words.c \
	tools/check/targets.c \
	tools/check/machine.c \
	tools/check/machine_group.c tools/check/machine_group.h \
	tools/check/machine_limits.c \
	tools/check/plugin.c \
	tools/check/print.c \
	tools/check/report.c tools/check/report.h \
	tools/check/survey.c

# tools/kc: `trireme kc`.
tools_trireme_SOURCES += \
	tools/kc/kc.c tools/kc/kc.h \
	tools/kc/kc_compile.c \
	tools/kc/kc_constants.c \
	tools/kc/kc_nvcc.c \
	tools/kc/kc_options.c \
	tools/kc/kc_print.c \
	tools/kc/kc_write.c

# tools/bench: `trireme bench`.
tools_trireme_SOURCES += \
	tools/bench/bench.c tools/bench/bench.h \
	tools/bench/bench_alloc.c \
	tools/bench/bench_auto.c \
	tools/bench/bench_by_hand.c \
	tools/bench/bench_case.c \
	tools/bench/bench_backward.c \
	tools/bench/bench_collective.c \
	tools/bench/bench_team.h \
	tools/bench/bench_copy.c \
	tools/bench/bench_devices.c \
	tools/bench/bench_flow.c tools/bench/bench_flow.h \
	tools/bench/bench_graph.c \
	tools/bench/bench_group.c \
	tools/bench/bench_kernels.c \
	tools/bench/bench_mix.c tools/bench/bench_mix.h \
	tools/bench/bench_objects.c \
	tools/bench/bench_pipeline.c \
	tools/bench/bench_picture.c \
	tools/bench/bench_pools.c \
	tools/bench/bench_profile.c \
	tools/bench/bench_report.c \
	tools/bench/bench_run.c \
	tools/bench/bench_serve.c \
	tools/bench/bench_stream.c tools/bench/bench_stream.h

# tools/run/file, tools/run/media: Reading and writing frames. Tests use them too.
RUN_FILES = \
	tools/run/file/claims.c tools/run/file/claims.h \
	tools/run/file/file.h \
	tools/run/file/input.c tools/run/file/input.h \
	tools/run/file/interrupt.c \
	tools/run/file/outlet.c tools/run/file/outlet.h \
	tools/run/file/sequence.c tools/run/file/sequence.h \
	tools/run/media/format.c tools/run/media/format.h \
	tools/run/media/images.c \
	tools/run/media/media.h \
	tools/run/media/pnm.c tools/run/media/pnm.h \
	tools/run/media/pnm_file.c \
	tools/run/media/raw.c \
	tools/run/media/reader.c tools/run/media/reader.h \
	tools/run/media/writer.c tools/run/media/writer.h \
	tools/run/media/y4m.c tools/run/media/y4m.h \
	tools/run/media/y4m_file.c
tools_trireme_SOURCES += $(RUN_FILES)

# tools/run/options: The command line of `trireme run`.
tools_trireme_SOURCES += \
	tools/run/options/help.c \
	tools/run/options/options.c tools/run/options/options.h

# tools/run/plan: The launches that apply the kernels of the command line.
tools_trireme_SOURCES += \
	tools/run/plan/plan.c tools/run/plan/plan.h \
	tools/run/plan/plan_arguments.c \
	tools/run/plan/plan_convert.c \
	tools/run/plan/plan_kernel.c \
	tools/run/plan/plan_options.c \
	tools/run/plan/recipe.c tools/run/plan/recipe.h

# tools/run/pipeline: The pipeline of a plan, on a device and on the cpu.
tools_trireme_SOURCES += \
	tools/run/pipeline/pipeline.h \
	tools/run/pipeline/verify.c tools/run/pipeline/verify.h \
	tools/run/pipeline/work.c tools/run/pipeline/work.h

# tools/run/report: Progress, report, trace and timeline.
tools_trireme_SOURCES += \
	tools/run/report/progress.c tools/run/report/progress.h \
	tools/run/report/report.h \
	tools/run/report/reports.c tools/run/report/reports.h

# tools/run: `trireme run` itself.
tools_trireme_SOURCES += \
	tools/run/drive.c \
	tools/run/run.c \
	tools/run/session.h
