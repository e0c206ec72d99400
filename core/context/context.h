/* The context room: the root object, on top of all rooms of the core.
 *
 * context       creation from a description, the list of candidates
 * host          the functions that backends may call
 * device_hooks  opens and closes the parts of a device that streams and memory own
 *
 * The structure itself is in core/object/context.h, since every room uses it. Settings and log are constant
 * once a context is created; its lock guards the creation of the registry and of the callback service.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CONTEXT_CONTEXT_H
#define CORE_CONTEXT_CONTEXT_H

#include <trireme/context.h>

#include "core/object/object.h"

struct core_device_hooks;

/* Creates a context, which the caller publishes or abandons (context.c): what trm_context_create() does but
 * for what the rooms above add. */
int32_t core_context_create(const struct trm_context_desc *desc, struct core_context **context);

/* Fills context->host, the functions that backends may call (host.c). */
void core_host_init(struct core_context *context);

/* The table for context->device_hooks (device_hooks.c). */
extern const struct core_device_hooks core_device_hooks;

#endif
