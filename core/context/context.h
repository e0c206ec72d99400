/* The parts of a context that the rooms below it do not make themselves.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CONTEXT_CONTEXT_H
#define CORE_CONTEXT_CONTEXT_H

struct core_context;
struct core_device_hooks;

/* Fills context->host, the functions that backends may call (host.c). */
void core_host_init(struct core_context *context);

/* What streams and memory do when a device opens and closes (device_hooks.c). */
extern const struct core_device_hooks core_device_hooks;

#endif
