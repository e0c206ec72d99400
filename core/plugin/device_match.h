/* Which of a backend's devices an id means.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_DEVICE_MATCH_H
#define CORE_PLUGIN_DEVICE_MATCH_H

#include "core/plugin/registry.h"
#include "core/settings/settings.h"

/* `id` is the text that was parsed, for sentences. Of several devices that match, the first. Errors:
 * NOT_FOUND, with what there is; what the backend answers with. */
int32_t core_device_find_number(const struct core_backend *backend, const char *id,
                                const struct core_device_id *wanted, uint32_t *number);

#endif
