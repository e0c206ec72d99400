/* vulkan backend: the threads of a device, started when first needed.
 *
 *     watchers     wait for timelines, each thread for one (watcher.h). One call could wait for several, but
 *                  software drivers poll in it, while a sleeping thread costs nothing
 *     maintenance  does what no other thread is there to do for streams: reports failures and the loss of the
 *                  device, submits deferred batches
 *     copying      runs jobs (struct vulkan_job), one after the other
 *
 * Whatever is watched happens without further action of the host, or the device is lost. So a watch may wait
 * for its turn if there are fewer threads than timelines.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_SERVICE_H
#define BACKENDS_VULKAN_STREAM_SERVICE_H

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/stream/batch.h"
#include "backends/vulkan/stream/timeline.h"

int32_t vulkan_service_create(struct trm_backend_device *device, struct vulkan_service **service);
/* Ends the threads after they have done their pending work. All streams are gone. NULL is fine. */
void vulkan_service_destroy(struct vulkan_service *service);

/* Start the watcher and maintenance threads if they are not running. Errors: OUT_OF_HOST_MEMORY. Any thread,
 * under any lock of the backend. */
int32_t vulkan_service_start(struct vulkan_service *service);
/* The same, and the copying thread. */
int32_t vulkan_service_start_copying(struct vulkan_service *service);

/* Have watch->call() called once, on a watcher thread, when watch->timeline has reached watch->value or the
 * device is lost. The caller keeps the watch and the timeline alive until then, and has called
 * vulkan_service_start(). Any thread, under any lock of the backend. */
void vulkan_service_watch(struct vulkan_service *service, struct vulkan_watch *watch);
/* Have watch->call() called soon although the value is not reached. Only for external timelines; others are
 * left to reach their value. */
void vulkan_service_cancel_watch(struct vulkan_service *service, struct vulkan_watch *watch);

/* Have the maintenance thread call vulkan_stream_attend() for the stream. Does nothing before
 * vulkan_service_start(). */
void vulkan_service_attend(struct vulkan_service *service, struct trm_backend_stream *stream);
/* Have the maintenance thread call vulkan_device_unstall(). */
void vulkan_service_unstall(struct vulkan_service *service);
/* Have the maintenance thread attend to all streams, since the device is lost. */
void vulkan_service_alarm(struct vulkan_service *service);

/* Have the copying thread run the job, and then call vulkan_stream_job_done(job, status). The caller has
 * called vulkan_service_start_copying(). */
void vulkan_service_run_job(struct vulkan_service *service, struct vulkan_job *job);
/* Remove a job that has not begun. False: it has. */
bool vulkan_service_cancel_job(struct vulkan_service *service, struct vulkan_job *job);

#endif
