/* The context: the root of all objects.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_CONTEXT_H
#define CORE_OBJECT_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <trireme/backend.h>
#include <trireme/context.h>

#include "base/base.h"
#include "core/object/handle.h"

struct core_device;
struct core_device_hooks;
struct core_profile;
struct core_registry;
struct core_service;
struct core_settings;

/* What a room above does for a context that it creates. */
struct core_context_hooks {
    void (*device_opened)(struct core_context *context);
    /* The handle is dead and no call is inside. */
    void (*retire)(struct core_context *context);
};

struct core_context {
    struct core_object object;
    struct trm_allocator allocator;
    struct base_log log;
    struct core_handle_table *handles; /* core/object/handle_table.h */
    struct core_settings *settings;
    struct trm_host host; /* the functions for backends; host.context is this context */
    const struct core_device_hooks *device_hooks; /* core/device/device.h */
    atomic_bool has_warned_of_cache;              /* core/cache/cache.c logs one warning only */
    bool has_barriers;                            /* base_barrier_is_supported() */

    pthread_mutex_t lock;     /* guards the members below */
    bool is_registry_loading; /* one thread loads it, without the lock */
    pthread_cond_t registry_loaded;
    struct core_registry *registry; /* NULL until the first call that needs a device */
    struct core_service *service;   /* NULL until the first callback */

    pthread_mutex_t devices_lock; /* guards the members below; comes before core_device.lock */
    pthread_cond_t devices_changed;
    struct core_device *devices;  /* open ones */
    struct core_profile *profile; /* core/stream/profile.h: of the whole context; NULL: none is on */

    /* pipeline/context; both are set before the context is published. */
    const struct core_context_hooks *hooks; /* NULL: none */
    void *program_profile;
};

static inline struct core_context *core_context_find(struct trm_context *handle)
{
    return core_object_find(handle, CORE_CONTEXT);
}

/* Host memory from the context's allocator; see base/allocate.h. */
static inline void *core_allocate(const struct core_context *context, size_t size)
{
    return base_allocate(&context->allocator, size);
}

static inline void *core_allocate_aligned(const struct core_context *context, size_t size, size_t alignment)
{
    return base_allocate_aligned(&context->allocator, size, alignment);
}

static inline void core_free(const struct core_context *context, void *memory, size_t size)
{
    base_free(&context->allocator, memory, size);
}

static inline char *core_copy_text(const struct core_context *context, const char *text)
{
    return base_copy_text(&context->allocator, text);
}

#endif
