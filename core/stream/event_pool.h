/* Memory for events: there are many, they are small, and they come and go fast.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_EVENT_POOL_H
#define CORE_STREAM_EVENT_POOL_H

struct core_context;
struct core_device;
struct core_event;
struct core_event_pool;

/* A zeroed event from the device's pool; NULL without memory. */
struct core_event *core_event_pool_take(struct core_device *device);
void core_event_pool_give(struct core_device *device, struct core_event *event);

/* All events have been given back. NULL is fine. */
void core_event_pool_destroy(struct core_context *context, struct core_event_pool *pool);

#endif
