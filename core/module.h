/* Modules: loaded code.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_H
#define CORE_MODULE_H

#include <trireme/kernel.h>

#include "core/deferred.h"
#include "core/device.h"
#include "core/use.h"

/* Kept by its handle, its kernels, and launches (`uses`); unloaded when all are gone. */
struct core_module {
    struct core_object object;
    struct core_device *device;
    struct trm_backend_module *module;
    struct core_uses uses;
    struct core_deferred deferred;
    char *name;
};

static inline struct core_module *core_module_find(struct trm_module *handle)
{
    return core_object_find(handle, CORE_MODULE);
}

#endif
