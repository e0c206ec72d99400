/* Pipelines: host and device share the memory of a slot. The source writes where kernels read, the sink reads where they
 * wrote; a copy is made only of what a source or sink has elsewhere and the device cannot reach there (place.c). What is
 * left are the launches, on the slot's own stream.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

const struct core_strategy_ops core_strategy_zero_copy = {
    .strategy = TRM_STRATEGY_ZERO_COPY,
    .enqueue  = core_put_on_slot,
};

/* The same, recorded: where memory is not one, the launch is most of what the device is told. */
const struct core_strategy_ops core_strategy_zero_copy_graphs = {
    .strategy = TRM_STRATEGY_ZERO_COPY,
    .recorded = 1,
    .enqueue  = core_put_recorded,
};
