/* The operations of a slot's tokens, cached from one token to the next.
 *
 * Tokens that fill the slot's own memory, on the stream of the slot, need the same copies and launches each
 * time. The second of them caches these with their objects and their checked arguments, so that later ones
 * neither look them up nor check them again. A token with time stamps, under a profiler, on a stream that has
 * failed, or of another kind is enqueued operation by operation (record_operations.c), with the same result.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_CACHED_OPERATIONS_H
#define PIPELINE_ENGINE_CACHED_OPERATIONS_H

#include "pipeline/engine/engine_internal.h"

/* Whether the operations of the token in the slot are cached; caches them where that is possible. The token
 * is prepared (enqueue.c). */
bool pipeline_cached_is_ready(struct pipeline_slot *slot, const struct pipeline_strategy_ops *strategy);

/* Enqueues them, as the strategy would, with this result. False: the stream is observed now, and nothing was
 * done. */
bool pipeline_cached_enqueue(struct pipeline_slot *slot, int32_t *result);

/* The next token needs other operations. */
void pipeline_cached_invalidate(struct pipeline_slot *slot);

void pipeline_cached_destroy(struct pipeline_slot *slot);

#endif
