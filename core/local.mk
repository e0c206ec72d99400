# The library. Its objects form one static library first, which unit tests link to see the inside; libtrireme.so is
# the same objects behind the version script.
#
# To add a file: append it (headers too) to core_libcore_la_SOURCES.

noinst_LTLIBRARIES += core/libcore.la

core_libcore_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTRM_BACKENDDIR=\"$(backendsdir)\" \
	-DTRM_KERNELDIR=\"$(pkglibdir)/kernels\" \
	-DTRM_SYSCONFDIR=\"$(sysconfdir)\"
core_libcore_la_CFLAGS = $(AM_CFLAGS) $(LIBRARY_CFLAGS)

core_libcore_la_SOURCES =

# The ground: memory, errors, handles, the context.
core_libcore_la_SOURCES += \
	core/abi.h \
	core/allocate.c core/allocate.h \
	core/arena.c core/arena.h \
	core/context.c core/context.h \
	core/error.c core/error.h \
	core/fork.c core/fork.h \
	core/host.c \
	core/log.c \
	core/object.c core/object.h \
	core/type.c \
	core/version.c

# Settings, and the plugins that they choose.
core_libcore_la_SOURCES += \
	core/config_file.c core/config_file.h \
	core/device_list.c \
	core/device_match.c core/device_match.h \
	core/elf_file.c core/elf_file.h \
	core/folders.c core/folders.h \
	core/loader.c core/loader.h \
	core/registry.c core/registry.h core/registry_state.h \
	core/resolve.c \
	core/selection.c core/selection.h \
	core/setting_value.c \
	core/settings.c core/settings.h \
	core/settings_table.c \
	core/tables.c \
	core/trust.c core/trust.h

# Shaders: portable code, before it is any device's.
core_libcore_la_SOURCES += \
	core/glsl.c core/glsl.h \
	core/glsl_include.c core/glsl_include.h \
	core/glsl_library.c core/glsl_library.h \
	core/glsl_program.c core/glsl_program.h \
	core/host_translate.c core/host_translate.h \
	core/kernel_path.c core/kernel_path.h \
	core/portable.c core/portable.h \
	core/portable_find.c \
	core/read_file.c core/read_file.h \
	core/shader.c core/shader.h \
	core/shader_translate.c

# What was compiled, kept in files.
core_libcore_la_SOURCES += \
	core/cache.c core/cache.h \
	core/cache_file.c core/cache_file.h \
	core/cache_trim.c core/cache_trim.h \
	core/sha256.c core/sha256.h

# Memory, transfers, code.
core_libcore_la_SOURCES += \
	core/adopt.c \
	core/array.c core/array.h \
	core/block.h \
	core/buffer.c core/buffer.h \
	core/buffer_calls.c \
	core/contents.c \
	core/fill.c \
	core/kernel.c core/kernel.h \
	core/kernel_interface.c core/kernel_interface.h \
	core/kernel_named.c \
	core/interop.c core/interop.h \
	core/ipc.c \
	core/launch.c core/launch.h \
	core/launch_arguments.c \
	core/map.c \
	core/module.c core/module.h \
	core/module_notes.c \
	core/module_native.c core/module_native.h \
	core/module_source.c core/module_source.h \
	core/native_event.c \
	core/output.h \
	core/peer.c \
	core/pool.c core/pool.h \
	core/pool_calls.c \
	core/pool_stream.c \
	core/pool_trim.c \
	core/prefetch.c \
	core/size_class.c core/size_class.h \
	core/slab.c \
	core/span.c \
	core/staging.c core/staging.h \
	core/stream_memory.c \
	core/transfer.c core/transfer.h \
	core/transfer_2d.c

# Graphs: what is recorded on a stream, and replayed.
core_libcore_la_SOURCES += \
	core/graph.c core/graph.h \
	core/graph_emulate.c \
	core/graph_exec.c \
	core/graph_node.c \
	core/graph_record.c \
	core/graph_update.c

# Devices, and everything about streams and time.
core_libcore_la_SOURCES += \
	core/callback.c \
	core/deferred.c core/deferred.h \
	core/device.c core/device.h \
	core/device_info.c \
	core/device_sync.c \
	core/event.c core/event.h \
	core/event_pool.c core/event_pool.h \
	core/event_time.c \
	core/futex.c core/futex.h \
	core/gates.c core/gates.h \
	core/internal_stream.c \
	core/lock.c core/lock.h \
	core/notify.c core/notify.h \
	core/point.c \
	core/semaphore.c \
	core/service.c core/service.h \
	core/stream.c core/stream.h \
	core/stream_state.c \
	core/stream_wait.c \
	core/thread.c core/thread.h \
	core/thread_stream.c \
	core/use.c core/use.h \
	core/wait_any.c

# Tasks that name each other by id.
core_libcore_la_SOURCES += \
	core/coordinator/cause.c \
	core/coordinator/check.c \
	core/coordinator/coordinator.c core/coordinator/coordinator.h \
	core/coordinator/cycle.c \
	core/coordinator/done.c \
	core/coordinator/schedule.c \
	core/coordinator/settle.c \
	core/coordinator/submit.c \
	core/coordinator/task.c \
	core/coordinator/wait.c

# Pipelines: the object and the device's side.
core_libcore_la_SOURCES += \
	core/pipeline/arguments.c \
	core/pipeline/check.c \
	core/pipeline/choose.c \
	core/pipeline/engine.c core/pipeline/engine.h \
	core/pipeline/enqueue.c \
	core/pipeline/host_stage.c \
	core/pipeline/pieces.c \
	core/pipeline/pipeline.c core/pipeline/pipeline.h \
	core/pipeline/place.c \
	core/pipeline/ports.c \
	core/pipeline/progress.c \
	core/pipeline/put.c \
	core/pipeline/range.c core/pipeline/range.h \
	core/pipeline/recording.c \
	core/pipeline/slot.c \
	core/pipeline/stage_arguments.c \
	core/pipeline/stages.c core/pipeline/stages.h \
	core/pipeline/strategy_role_streams.c \
	core/pipeline/strategy_slot_graphs.c \
	core/pipeline/strategy_slot_streams.c \
	core/pipeline/strategy_zero_copy.c \
	core/pipeline/sampling.c core/pipeline/sampling.h \
	core/pipeline/times.c \
	core/pipeline/trial.c core/pipeline/trial.h \
	core/pipeline/tune.c

# Pipelines: the queues' side.
core_libcore_la_SOURCES += \
	core/pipeline/cancel.c \
	core/pipeline/drive.c \
	core/pipeline/failure.c \
	core/pipeline/loader.c \
	core/pipeline/queue.c core/pipeline/queue.h \
	core/pipeline/run.c \
	core/pipeline/sink.c \
	core/pipeline/source.c core/pipeline/source.h \
	core/pipeline/states.c \
	core/pipeline/take.c \
	core/pipeline/wait.c

# What pipelines say of themselves.
core_libcore_la_SOURCES += \
	core/report/advice.c \
	core/report/format.c \
	core/report/measure.c core/report/measure.h \
	core/report/predict.c core/report/predict.h \
	core/report/predict_exact.c \
	core/report/predict_shared.c \
	core/report/prediction.c \
	core/report/report.c core/report/report.h \
	core/report/report_file.c \
	core/report/report_json.c \
	core/report/report_text.c \
	core/report/slices.c \
	core/report/stage.c \
	core/report/timeline_html.c \
	core/report/timeline_script.c \
	core/report/timeline_style.c \
	core/report/trace.c core/report/trace.h \
	core/report/trace_events.c \
	core/report/writer.c core/report/writer.h

lib_LTLIBRARIES += libtrireme.la

libtrireme_la_SOURCES =
libtrireme_la_LIBADD = core/libcore.la
libtrireme_la_LDFLAGS = $(AM_LDFLAGS) $(NO_UNDEFINED) -version-info $(TRM_LIBRARY_VERSION) \
	-Wl,-Bsymbolic-functions -Wl,--version-script=$(top_srcdir)/core/libtrireme.map
EXTRA_libtrireme_la_DEPENDENCIES = $(top_srcdir)/core/libtrireme.map

EXTRA_DIST += core/libtrireme.map core/symbols.txt
