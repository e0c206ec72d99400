/* vulkan backend: the threads of a device, started when first needed.
 *
 *     watching   wait for timelines. Each sleeps for one of them: to sleep for any of several would be one call of the driver
 *                too, but software drivers do not sleep in it, and a thread that sleeps costs nothing
 *     keeping    what has to be done for streams when nobody else is there to do it: telling of failures and of the loss of the
 *                device, submitting what was held back for another stream
 *     copying    runs jobs (struct vulkan_job), one after the other
 *
 * All that is watched comes to pass without the host's doing, or else the device is lost: so it does no harm when there are
 * fewer threads than timelines, and a watch waits for its turn.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_SERVICE_H
#define BACKENDS_VULKAN_STREAM_SERVICE_H

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/stream/batch.h"
#include "backends/vulkan/stream/timeline.h"

int32_t vulkan_service_create(struct trm_backend_device *device, struct vulkan_service **service);
/* Streams are gone. Ends the threads when they have done all that they were asked to. NULL is fine. */
void vulkan_service_destroy(struct vulkan_service *service);

/* Have the watching and keeping threads at hand. Errors: OUT_OF_HOST_MEMORY. Any thread, under any lock of the backend. */
int32_t vulkan_service_start(struct vulkan_service *service);
/* The same, and the copying one. */
int32_t vulkan_service_start_copying(struct vulkan_service *service);

/* Have watch->call() called once, on a watching thread, when watch->timeline has reached watch->value, or the device is lost.
 * The watch is the caller's and stays where it is until then; so does the timeline. vulkan_service_start() has succeeded. Any
 * thread, under any lock of the backend. */
void vulkan_service_watch(struct vulkan_service *service, struct vulkan_watch *watch);
/* Not wanted any more: watch->call() is called soon. Only for timelines from outside; else it does nothing. */
void vulkan_service_cancel_watch(struct vulkan_service *service, struct vulkan_watch *watch);

/* Have vulkan_stream_attend() called for the stream soon, on the keeping thread. Nothing where no thread was started. */
void vulkan_service_attend(struct vulkan_service *service, struct trm_backend_stream *stream);
/* Have vulkan_device_unstall() called. */
void vulkan_service_unstall(struct vulkan_service *service);
/* The device is lost: have all its streams attended to. */
void vulkan_service_alarm(struct vulkan_service *service);

/* Have the job run by the copying thread, then vulkan_stream_job_done(job, status) called there.
 * vulkan_service_start_copying() has succeeded. */
void vulkan_service_run_job(struct vulkan_service *service, struct vulkan_job *job);
/* Take a job back that has not begun. False: it has. */
bool vulkan_service_cancel_job(struct vulkan_service *service, struct vulkan_job *job);

#endif
