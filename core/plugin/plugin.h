/* What other rooms use of the registry of backends.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_PLUGIN_H
#define CORE_PLUGIN_PLUGIN_H

#include "core/plugin/folders.h"
#include "core/plugin/registry.h"

#endif
