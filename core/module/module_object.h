/* A module: loaded code.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_MODULE_OBJECT_H
#define CORE_MODULE_MODULE_OBJECT_H

#include <trireme/kernel.h>

#include "base/base.h"
#include "core/device/device.h"
#include "core/stream/stream.h"

struct core_module_launches;
struct core_shader_code;

/* Kept alive by its handle, its kernels and launches; unloaded when all are gone. A launch happens far
 * more often than anything else, so it is not recorded in `in_flight` but in `launches`: one entry for
 * each stream, which never moves; the stream remembers where its entry is. At the end the entries are
 * moved to `in_flight`. */
struct core_module {
    struct core_object object;
    struct core_device *device;
    struct trm_backend_module *module;
    struct base_lock lock; /* guards `launches`, but not the values in its entries */
    struct core_module_launches *launches;
    struct core_in_flight in_flight;
    struct core_deferred deferred;
    struct core_shader_code *portable; /* what it was made of, and its kernels; NULL: native code */
    char *name;
};

static inline struct core_module *core_module_find(struct trm_module *handle)
{
    return core_object_find(handle, CORE_MODULE);
}

/* Records that operation `value` of `stream` runs code of the module. Called by the enqueuing thread. */
void core_module_note_launch_slow(struct core_module *module, struct core_stream *stream, uint64_t value);
static inline void core_module_note_launch(struct core_module *module, struct core_stream *stream,
                                           uint64_t value)
{
    if (LIKELY(stream->last_module == module->object.handle))
        atomic_store_explicit(stream->last_launch, value, memory_order_release);
    else
        core_module_note_launch_slow(module, stream, value);
}

/* Moves the launches to `in_flight`, once nothing is launched from the module any more. */
void core_module_launches_to_in_flight(struct core_module *module);

#endif
