/* cuda backend, room `graph`: a chain of operations as one graph of the driver.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_GRAPH_GRAPH_H
#define CUDA_GRAPH_GRAPH_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_graph_ops cuda_graph_ops;

#endif
