/* What other rooms use of modules, kernels and launches.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_MODULE_H
#define CORE_MODULE_MODULE_H

#include "core/module/kernel.h"
#include "core/module/launch.h"

#endif
