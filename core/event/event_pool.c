/* Memory for events.
 * SPDX-License-Identifier: MIT
 */
#include "core/event/event_pool.h"

#include <string.h>

#include "core/event/event.h"

#define SLAB_EVENTS 50 /* about a page */

union cell {
    union cell *next; /* while it is free */
    struct core_event event;
};

struct slab {
    struct slab *next;
    union cell cells[SLAB_EVENTS];
};

/* Guarded by device->lock; the pointer to it too. */
struct core_event_pool {
    union cell *free;
    struct slab *slabs;
    struct slab first;
};

static void add_cells(struct core_event_pool *pool, struct slab *slab)
{
    for (uint32_t i = SLAB_EVENTS; i > 0; i--) {
        slab->cells[i - 1].next = pool->free;
        pool->free              = &slab->cells[i - 1];
    }
}

static union cell *pop_cell(struct core_device *device)
{
    pthread_mutex_lock(&device->lock);
    struct core_event_pool *pool = device->events;
    union cell *cell             = pool != NULL ? pool->free : NULL;
    if (cell != NULL)
        pool->free = cell->next;
    pthread_mutex_unlock(&device->lock);
    return cell;
}

/* Adds a slab; false when out of memory. The pool is created with its first slab, so that a device without
 * events has neither. If two threads do this at once, both slabs are added, or the second pool is freed
 * again. */
static bool grow(struct core_device *device)
{
    struct core_context *context = device->object.context;
    pthread_mutex_lock(&device->lock);
    bool is_first = device->events == NULL;
    pthread_mutex_unlock(&device->lock);

    struct core_event_pool *pool = NULL;
    struct slab *slab            = NULL;
    if (is_first)
        pool = core_allocate(context, sizeof(*pool));
    else
        slab = core_allocate(context, sizeof(*slab));
    if (pool == NULL && slab == NULL)
        return false;

    pthread_mutex_lock(&device->lock);
    if (slab != NULL) {
        slab->next            = device->events->slabs;
        device->events->slabs = slab;
        add_cells(device->events, slab);
    } else if (device->events == NULL) {
        device->events = pool;
        add_cells(pool, &pool->first);
        pool = NULL;
    }
    pthread_mutex_unlock(&device->lock);
    core_free(context, pool, sizeof(*pool));
    return true;
}

struct core_event *core_event_pool_allocate(struct core_device *device)
{
    union cell *cell;
    while ((cell = pop_cell(device)) == NULL)
        if (!grow(device))
            return NULL;
    memset(cell, 0, sizeof(*cell));
    return &cell->event;
}

void core_event_pool_free(struct core_device *device, struct core_event *event)
{
    union cell *cell = (union cell *)event;
    pthread_mutex_lock(&device->lock);
    cell->next           = device->events->free;
    device->events->free = cell;
    pthread_mutex_unlock(&device->lock);
}

void core_event_pool_destroy(struct core_context *context, struct core_event_pool *pool)
{
    if (pool == NULL)
        return;
    while (pool->slabs != NULL) {
        struct slab *slab = pool->slabs;
        pool->slabs       = slab->next;
        core_free(context, slab, sizeof(*slab));
    }
    core_free(context, pool, sizeof(*pool));
}
