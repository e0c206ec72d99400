# Public headers. Each compiles alone, as C11 and as C++17; tests/headers holds them to it.

triremeincludedir = $(includedir)/trireme
triremeinclude_HEADERS = \
	include/trireme/api.h \
	include/trireme/array.h \
	include/trireme/backend.h \
	include/trireme/backend_collective.h \
	include/trireme/backend_image.h \
	include/trireme/backend_interop.h \
	include/trireme/backend_range.h \
	include/trireme/backend_util.h \
	include/trireme/buffer.h \
	include/trireme/collective.h \
	include/trireme/context.h \
	include/trireme/coordinator.h \
	include/trireme/cpu_kernel.h \
	include/trireme/device.h \
	include/trireme/device_info.h \
	include/trireme/event.h \
	include/trireme/graph.h \
	include/trireme/group.h \
	include/trireme/group_pool.h \
	include/trireme/image.h \
	include/trireme/image_layout.h \
	include/trireme/interop.h \
	include/trireme/join.h \
	include/trireme/kernel.h \
	include/trireme/pipeline.h \
	include/trireme/point.h \
	include/trireme/pool.h \
	include/trireme/port.h \
	include/trireme/profile.h \
	include/trireme/program.h \
	include/trireme/report.h \
	include/trireme/settings.h \
	include/trireme/shader.h \
	include/trireme/stage_device.h \
	include/trireme/stage_stream.h \
	include/trireme/status.h \
	include/trireme/stream.h \
	include/trireme/stream_model.h \
	include/trireme/stream_pool.h \
	include/trireme/transfer.h \
	include/trireme/trireme.h \
	include/trireme/type.h

# For kernels in CUDA C++: tests/headers/device.sh compiles them where nvcc is installed.

triremedeviceincludedir = $(includedir)/trireme/device
triremedeviceinclude_HEADERS = include/trireme/device/pipe.cuh
