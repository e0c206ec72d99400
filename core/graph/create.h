/* What the graph room shows its neighbours: creating a graph on a device whose handle may be dead.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_GRAPH_CREATE_H
#define CORE_GRAPH_CREATE_H

#include <trireme/graph.h>

#include "core/device/device.h"

/* What trm_graph_create() does. For rooms that use the device also when the program has destroyed its
 * handle. */
int32_t core_graph_create(struct core_device *device, struct trm_graph **graph);

/* What trm_graph_instantiate() does, for a stream of core_stream_create_resident(). Errors: UNSUPPORTED with
 * the reason, where the graph cannot run in a kernel that stays on the device. */
int32_t core_graph_instantiate_resident(struct trm_graph *graph, struct trm_graph_exec **exec);

#endif
