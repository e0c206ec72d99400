/* Modules: loaded code, its kernels, and launches.
 *
 *     module.c, module_object.h       a module's life; loading and building
 *     module_source.c                 what a module is loaded from, as the backend gets it
 *     module_native.c                 options of native code; names of formats
 *     module_launches.c               which streams launched from a module, and up to which operation
 *     kernel.c, kernel_named.c        kernels of a module; installed kernels by name
 *     kernel_interface.c              whether a backend's kernel matches its shader's reflection
 *     launch.c, launch_arguments.c    launching; arguments by name, and their error sentences
 *     launch_cached.c                   launches that are checked once
 *
 * Threads: every function may be called on any thread at once, launches of one stream one at a time. Each
 * module has a lock for its list of launches, which a launch takes only when its stream launched from
 * another module before.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_MODULE_H
#define CORE_MODULE_MODULE_H

#include "core/module/kernel.h"
#include "core/module/launch.h"

#endif
