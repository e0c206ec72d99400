/* vulkan backend: the graph room: graphs (graph.c), command buffers that are recorded once and submitted many
 * times.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_GRAPH_GRAPH_H
#define BACKENDS_VULKAN_GRAPH_GRAPH_H

#include "backends/vulkan/driver/driver.h"

extern const struct trm_graph_ops vulkan_graph_ops;

/* ---- graphs of resident streams: graph.c without what streams do --------------------------------- */

/* As trm_graph_ops.create(). Errors: UNSUPPORTED with the reason. */
int32_t vulkan_graph_create_resident(struct trm_backend_device *device,
                                     const struct trm_graph_node *const *nodes, uint32_t count,
                                     struct trm_backend_graph **graph);
int32_t vulkan_graph_update(struct trm_backend_graph *graph, uint32_t index,
                            const struct trm_graph_node *node);
void vulkan_graph_destroy(struct trm_backend_graph *graph);

/* Whether the host has to finish a launch: memory that the device does not reach receives its results in
 * vulkan_graph_land(). */
bool vulkan_graph_lands(const struct trm_backend_graph *graph);
void vulkan_graph_land(const struct trm_backend_graph *graph);

bool vulkan_graph_has_stamps(const struct trm_backend_graph *graph);
/* Get the graph's commands for the line's queue, and reset its time stamps. With a barrier at the front they
 * come behind all earlier ones of the queue, and so does what follows them. The graph is idle if it has time
 * stamps, or was updated. */
int32_t vulkan_graph_commands(struct trm_backend_graph *graph, const struct vulkan_queue *queue,
                              bool has_barrier, VkCommandBuffer *command);

#endif
