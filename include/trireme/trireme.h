/* Trireme: one pipeline for every accelerator. This header includes all headers for programs, except
 * <trireme/cpu_kernel.h>.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TRIREME_H
#define TRIREME_TRIREME_H

#include <trireme/api.h>
#include <trireme/array.h>
#include <trireme/buffer.h>
#include <trireme/collective.h>
#include <trireme/context.h>
#include <trireme/coordinator.h>
#include <trireme/device.h>
#include <trireme/event.h>
#include <trireme/graph.h>
#include <trireme/group.h>
#include <trireme/group_pool.h>
#include <trireme/image.h>
#include <trireme/interop.h>
#include <trireme/join.h>
#include <trireme/kernel.h>
#include <trireme/pipeline.h>
#include <trireme/point.h>
#include <trireme/pool.h>
#include <trireme/port.h>
#include <trireme/profile.h>
#include <trireme/program.h>
#include <trireme/report.h>
#include <trireme/settings.h>
#include <trireme/shader.h>
#include <trireme/stage_device.h>
#include <trireme/stage_stream.h>
#include <trireme/status.h>
#include <trireme/stream.h>
#include <trireme/stream_model.h>
#include <trireme/stream_pool.h>
#include <trireme/transfer.h>
#include <trireme/type.h>

#endif
