/* The context: root of everything that one program's use of the library needs.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_CONTEXT_H
#define CORE_OBJECT_CONTEXT_H

#include <pthread.h>
#include <trireme/backend.h>
#include <trireme/context.h>

#include "base/base.h"
#include "core/object/handle.h"

struct core_settings;
struct core_registry;
struct core_service;

struct core_context {
    struct core_object object;
    struct trm_allocator allocator;
    struct base_log log;
    struct core_handle_table *handles;
    _Atomic uint32_t *fork_word; /* base/fork.h */
    struct core_settings *settings;
    struct trm_host host; /* what the backends get; host.context is this context */
    pthread_mutex_t lock; /* guards the lazy making of registry and service */
    pthread_cond_t registry_made;
    int32_t registry_in_making;     /* 1: some thread is at it, without the lock */
    struct core_registry *registry; /* NULL until the first call that needs a device */
    struct core_service *service;   /* NULL until the first callback */
};

static inline struct core_context *core_context_find(struct trm_context *handle)
{
    return core_object_find(handle, CORE_CONTEXT);
}

/* Host memory of the context's allocator; see base/allocate.h. */
static inline void *core_allocate(const struct core_context *context, size_t size)
{
    return base_allocate(&context->allocator, size);
}

static inline void *core_allocate_aligned(const struct core_context *context, size_t size, size_t alignment)
{
    return base_allocate_aligned(&context->allocator, size, alignment);
}

static inline void core_release(const struct core_context *context, void *memory, size_t size)
{
    base_release(&context->allocator, memory, size);
}

static inline char *core_copy_text(const struct core_context *context, const char *text)
{
    return base_copy_text(&context->allocator, text);
}

/* The table of functions that backends get (core/context/host.c). */
void core_host_init(struct core_context *context);

/* The registry, loading plugins at the first call. The failures of single plugins are in its
 * report. */
int32_t core_context_registry(struct core_context *context, struct core_registry **registry);

/* The thread that runs host callbacks, started at the first call. */
int32_t core_context_service(struct core_context *context, struct core_service **service);

#endif
