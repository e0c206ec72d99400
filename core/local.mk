# The core. To add a file: append it (headers too) to its room.

# core/object: Handles, versions, structures that cross the ABI.
libtrireme_internal_la_SOURCES += \
	core/object/abi.h \
	core/object/context.h \
	core/object/desc.h \
	core/object/handle.c core/object/handle.h \
	core/object/handle_table.c core/object/handle_table.h \
	core/object/log.c core/object/log.h \
	core/object/object.h \
	core/object/output.h \
	core/object/version.c

# core/settings: The table of settings, and where their values come from.
libtrireme_internal_la_SOURCES += \
	core/settings/config_file.c core/settings/config_file.h \
	core/settings/selection.c core/settings/selection.h \
	core/settings/setting_value.c \
	core/settings/settings.c core/settings/settings.h \
	core/settings/settings_table.c \
	core/settings/unknown_variable.c

# core/plugin: Finding, checking and choosing backends.
libtrireme_internal_la_SOURCES += \
	core/plugin/answer.c core/plugin/answer.h \
	core/plugin/device_list.c \
	core/plugin/device_match.c core/plugin/device_match.h \
	core/plugin/elf_file.c core/plugin/elf_file.h \
	core/plugin/folders.c core/plugin/folders.h \
	core/plugin/loader.c core/plugin/loader.h \
	core/plugin/plugin.h \
	core/plugin/property.c core/plugin/property.h \
	core/plugin/registry.c core/plugin/registry.h \
	core/plugin/registry_state.h \
	core/plugin/resolve.c \
	core/plugin/tables.c

# core/cache: Compiled kernels, kept in files.
libtrireme_internal_la_SOURCES += \
	core/cache/cache.c core/cache/cache.h \
	core/cache/cache_file.c core/cache/cache_file.h \
	core/cache/cache_folder.h \
	core/cache/cache_list.c \
	core/cache/cache_trim.c core/cache/cache_trim.h

# core/program: Compilers, run under the limits that the settings set.
libtrireme_internal_la_SOURCES += \
	core/program/program.c core/program/program.h

# core/shader: Portable kernels: handles, search by name, translation.
libtrireme_internal_la_SOURCES += \
	core/shader/host_translate.c core/shader/host_translate.h \
	core/shader/kernel_path.c core/shader/kernel_path.h \
	core/shader/shader_code.c core/shader/shader_code.h \
	core/shader/shader_load.c \
	core/shader/shader.c core/shader/shader.h \
	core/shader/shader_object.h \
	core/shader/shader_translate.c

# core/device: Devices.
libtrireme_internal_la_SOURCES += \
	core/device/device.c core/device/device.h \
	core/device/device_info.c

# core/stream: Streams, points, gates, callbacks: order and time.
libtrireme_internal_la_SOURCES += \
	core/stream/callback.c \
	core/stream/deferred.c core/stream/deferred.h \
	core/stream/device_streams.h \
	core/stream/device_sync.c \
	core/stream/gates.c core/stream/gates.h \
	core/stream/in_flight.c core/stream/in_flight.h \
	core/stream/internal_stream.c \
	core/stream/notify.c core/stream/notify.h \
	core/stream/observe.c \
	core/stream/point.c \
	core/stream/profile.c core/stream/profile.h \
	core/stream/profile_devices.c core/stream/profile_result.c \
	core/stream/range.c core/stream/range.h \
	core/stream/service.c core/stream/service.h \
	core/stream/signal.c core/stream/signal.h \
	core/stream/stream.c core/stream/stream.h \
	core/stream/stream_object.h \
	core/stream/stream_hold.c \
	core/stream/stream_name.c \
	core/stream/stream_state.c \
	core/stream/stream_wait.c \
	core/stream/thread_stream.c \
	core/stream/wait_any.c \
	core/stream/waiter.c core/stream/waiter.h

# core/event: Events: the points that they hold, their memory and timestamps.
libtrireme_internal_la_SOURCES += \
	core/event/event.c core/event/event.h \
	core/event/event_pool.c core/event/event_pool.h \
	core/event/event_time.c

# core/memory: Buffers, arrays, pools, copies.
libtrireme_internal_la_SOURCES += \
	core/memory/array.c core/memory/array.h \
	core/memory/block.h \
	core/memory/blocking_copy.c \
	core/memory/address.c \
	core/memory/buffer.c core/memory/buffer.h \
	core/memory/buffer_calls.c \
	core/memory/communicator.c core/memory/communicator.h \
	core/memory/fill.c \
	core/memory/map.c \
	core/memory/memory.h \
	core/memory/peer.c \
	core/memory/pool.c core/memory/pool.h \
	core/memory/pool_calls.c \
	core/memory/pool_stream.c \
	core/memory/pool_trim.c \
	core/memory/prefetch.c \
	core/memory/size_class.c core/memory/size_class.h \
	core/memory/slab.c \
	core/memory/span.c \
	core/memory/staging.c core/memory/staging.h \
	core/memory/stream_memory.c \
	core/memory/transfer.c core/memory/transfer.h \
	core/memory/transfer_2d.c

# core/image: Images, samplers, texel buffers.
libtrireme_internal_la_SOURCES += \
	core/image/format.c core/image/format.h \
	core/image/image.c core/image/image.h \
	core/image/image_argument.c core/image/image_argument.h \
	core/image/image_copy.c \
	core/image/image_desc.c core/image/image_desc.h \
	core/image/image_object.h \
	core/image/image_over.c \
	core/image/image_plan.c core/image/image_plan.h \
	core/image/image_region.c core/image/image_region.h \
	core/image/sampler.c

# core/module: Loaded code and its launch.
libtrireme_internal_la_SOURCES += \
	core/module/kernel.c core/module/kernel.h \
	core/module/kernel_interface.c core/module/kernel_interface.h \
	core/module/image_mips.c \
	core/module/kernel_named.c \
	core/module/launch.c core/module/launch.h \
	core/module/launch_arguments.c \
	core/module/launch_cached.c \
	core/module/matrix_form.c core/module/matrix_form.h \
	core/module/launch_arrays.c \
	core/module/module.c core/module/module.h \
	core/module/module_native.c core/module/module_native.h \
	core/module/module_launches.c \
	core/module/module_object.h \
	core/module/module_source.c core/module/module_source.h

# core/graph: What is recorded on a stream and replayed.
libtrireme_internal_la_SOURCES += \
	core/graph/create.h \
	core/graph/graph.c core/graph/graph.h \
	core/graph/graph_emulate.c \
	core/graph/graph_describe.c \
	core/graph/graph_exec.c \
	core/graph/graph_node.c \
	core/graph/graph_record.c \
	core/graph/graph_update.c

# core/interop: Objects shared with programs that use the driver themselves.
libtrireme_internal_la_SOURCES += \
	core/interop/adopt.c \
	core/interop/interop.c core/interop/interop.h \
	core/interop/ipc.c \
	core/interop/native_event.c \
	core/interop/native_image.c \
	core/interop/semaphore.c

# core/context: The root object: makes and ends what stands below it.
libtrireme_internal_la_SOURCES += \
	core/context/context.c core/context/context.h \
	core/context/device_hooks.c \
	core/context/host.c

EXTRA_DIST += core/libtrireme.map core/symbols.txt
