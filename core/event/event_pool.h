/* Memory for events, which are many, small and short-lived.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_EVENT_EVENT_POOL_H
#define CORE_EVENT_EVENT_POOL_H

struct core_context;
struct core_device;
struct core_event;
struct core_event_pool;

/* A zeroed event of the device's pool; NULL when out of memory. */
struct core_event *core_event_pool_allocate(struct core_device *device);
void core_event_pool_free(struct core_device *device, struct core_event *event);

/* Every event has been freed. NULL is fine. */
void core_event_pool_destroy(struct core_context *context, struct core_event_pool *pool);

#endif
