/* The inside of the registry: registry.c makes it, resolve.c reads it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_REGISTRY_STATE_H
#define CORE_PLUGIN_REGISTRY_STATE_H

#include "core/plugin/folders.h"
#include "core/plugin/loader.h"
#include "core/settings/settings.h"

#define CORE_CANDIDATES_MAX 512

/* Complete once core_registry_get() has returned it; read without a lock from then on. */
struct core_registry {
    struct core_context *context;
    const char *choice; /* the setting `backend` */
    const char *origin; /* how sentences name it: "TRIREME_BACKEND" where that sets it */
    struct core_selection selection;
    struct core_folders folders;
    uint32_t count;
    uint32_t backend_count; /* accepted candidates; they come first */
    struct core_candidate *candidates[CORE_CANDIDATES_MAX];
};

/* The position of a candidate in the list of the setting; UINT32_MAX when the list lacks it. */
uint32_t core_registry_rank(const struct core_selection *selection, const struct core_candidate *candidate);

#endif
