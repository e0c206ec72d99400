/* Host and device share the memory of a slot: the source writes where kernels read, and the sink reads where
 * kernels wrote. Only data that a source or sink has elsewhere, out of the device's reach, is copied
 * (port_memory.c). The launches go on the slot's own stream.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

const struct pipeline_strategy_ops pipeline_strategy_zero_copy = {
    .strategy = TRM_STRATEGY_ZERO_COPY,
    .enqueue  = pipeline_enqueue_on_slot_stream,
};

/* The same, recorded: on a device with memory of its own, enqueuing the launches is most of the cost. */
const struct pipeline_strategy_ops pipeline_strategy_zero_copy_graphs = {
    .strategy    = TRM_STRATEGY_ZERO_COPY,
    .is_recorded = true,
    .enqueue     = pipeline_enqueue_recording,
};
