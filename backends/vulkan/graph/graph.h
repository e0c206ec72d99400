/* vulkan backend: the graph room: graphs (graph.c), command buffers that are recorded once and submitted many
 * times.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_GRAPH_GRAPH_H
#define BACKENDS_VULKAN_GRAPH_GRAPH_H

#include <trireme/backend.h>

extern const struct trm_graph_ops vulkan_graph_ops;

#endif
