/* Properties of a backend's devices, as the backend answers them.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_PROPERTY_H
#define CORE_PLUGIN_PROPERTY_H

#include "core/plugin/registry.h"

/* Reads a property of device number `index`, which need not be open. Checks the size of the value, and that
 * text ends. `needed` receives the bytes of the value, on OUT_OF_RANGE too.
 *
 * Errors   NOT_FOUND, which the caller explains if it matters; OUT_OF_RANGE where `capacity` is too small;
 *          ABI for an answer that cannot be right; the backend's */
int32_t core_property_read(const struct core_backend *backend, uint32_t index, uint32_t key, void *value,
                           uint64_t capacity, uint64_t *needed);

/* The same for a property of exactly one uint64_t. */
int32_t core_property_read_u64(const struct core_backend *backend, uint32_t index, uint32_t key,
                               uint64_t *value);

#endif
