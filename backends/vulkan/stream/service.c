/* vulkan backend: the threads of a device.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/service.h"

#include "backends/vulkan/stream/stream_object.h"
#include "backends/vulkan/stream/watcher.h"

struct vulkan_service {
    struct trm_backend_device *device;
    struct vulkan_watchers watchers;
    pthread_mutex_t lock; /* protects all below; no other lock is taken under it */

    pthread_t maintenance;
    pthread_cond_t maintenance_called;
    bool has_maintenance, maintenance_ends, unstall, alarm;
    struct trm_backend_stream *attended, *last_attended; /* by stream->next_attended, each with a reference */

    pthread_t copier;
    pthread_cond_t copier_called;
    bool has_copier, copier_ends;
    struct vulkan_job *jobs, *last_job;
};

void vulkan_service_watch(struct vulkan_service *service, struct vulkan_watch *watch)
{
    vulkan_watchers_add(&service->watchers, watch);
}

void vulkan_service_cancel_watch(struct vulkan_service *service, struct vulkan_watch *watch)
{
    vulkan_watchers_cancel(&service->watchers, watch);
}

/* ---- the maintenance thread ------------------------------------------------------------------------ */

static struct trm_backend_stream *next_to_alarm(struct trm_backend_device *device)
{
    pthread_mutex_lock(&device->streams_lock);
    struct trm_backend_stream *stream = device->streams;
    while (stream != NULL && stream->alarmed)
        stream = stream->next;
    if (stream != NULL) {
        stream->alarmed = true;
        vulkan_stream_retain(stream);
    }
    pthread_mutex_unlock(&device->streams_lock);
    return stream;
}

static void alarm_streams(struct trm_backend_device *device)
{
    struct trm_backend_stream *stream;
    while ((stream = next_to_alarm(device)) != NULL) {
        vulkan_stream_attend(stream);
        vulkan_stream_release(stream);
    }
}

static void attend_first(struct vulkan_service *service)
{
    struct trm_backend_stream *stream = service->attended;
    service->attended                 = stream->next_attended;
    stream->attended                  = false;
    pthread_mutex_unlock(&service->lock);
    vulkan_stream_attend(stream);
    vulkan_stream_release(stream);
    pthread_mutex_lock(&service->lock);
}

static void *maintain(void *argument)
{
    struct vulkan_service *service = argument;
    pthread_mutex_lock(&service->lock);
    while (true) {
        bool unstall = service->unstall, alarm = service->alarm;
        service->unstall = service->alarm = false;
        if (unstall || alarm) {
            pthread_mutex_unlock(&service->lock);
            if (unstall)
                vulkan_device_unstall(service->device);
            if (alarm)
                alarm_streams(service->device);
            pthread_mutex_lock(&service->lock);
        } else if (service->attended != NULL) {
            attend_first(service);
        } else if (service->maintenance_ends) {
            break;
        } else {
            pthread_cond_wait(&service->maintenance_called, &service->lock);
        }
    }
    pthread_mutex_unlock(&service->lock);
    return NULL;
}

void vulkan_service_attend(struct vulkan_service *service, struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&service->lock);
    if (service->has_maintenance && !stream->attended) {
        vulkan_stream_retain(stream);
        stream->attended      = true;
        stream->next_attended = NULL;
        if (service->attended != NULL)
            service->last_attended->next_attended = stream;
        else
            service->attended = stream;
        service->last_attended = stream;
        pthread_cond_signal(&service->maintenance_called);
    }
    pthread_mutex_unlock(&service->lock);
}

static void call_maintenance(struct vulkan_service *service, bool *wish)
{
    pthread_mutex_lock(&service->lock);
    *wish = true;
    pthread_cond_signal(&service->maintenance_called);
    pthread_mutex_unlock(&service->lock);
}

void vulkan_service_unstall(struct vulkan_service *service)
{
    call_maintenance(service, &service->unstall);
}

void vulkan_service_alarm(struct vulkan_service *service)
{
    call_maintenance(service, &service->alarm);
}

/* ---- the copying thread ---------------------------------------------------------------------------- */

static void *copy(void *argument)
{
    struct vulkan_service *service = argument;
    pthread_mutex_lock(&service->lock);
    while (true) {
        struct vulkan_job *job = service->jobs;
        if (job != NULL) {
            service->jobs = job->next;
            pthread_mutex_unlock(&service->lock);
            vulkan_stream_job_done(job, job->run(job));
            pthread_mutex_lock(&service->lock);
        } else if (service->copier_ends) {
            break;
        } else {
            pthread_cond_wait(&service->copier_called, &service->lock);
        }
    }
    pthread_mutex_unlock(&service->lock);
    return NULL;
}

void vulkan_service_run_job(struct vulkan_service *service, struct vulkan_job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&service->lock);
    if (service->jobs != NULL)
        service->last_job->next = job;
    else
        service->jobs = job;
    service->last_job = job;
    pthread_cond_signal(&service->copier_called);
    pthread_mutex_unlock(&service->lock);
}

bool vulkan_service_cancel_job(struct vulkan_service *service, struct vulkan_job *job)
{
    struct vulkan_job *before = NULL;
    pthread_mutex_lock(&service->lock);
    struct vulkan_job *found = service->jobs;
    for (; found != NULL && found != job; found = found->next)
        before = found;
    if (found != NULL && before != NULL)
        before->next = job->next;
    else if (found != NULL)
        service->jobs = job->next;
    if (found != NULL && service->last_job == job)
        service->last_job = before;
    pthread_mutex_unlock(&service->lock);
    return found != NULL;
}

/* ---- creating and destroying ----------------------------------------------------------------------- */

static int32_t fail_start(const struct vulkan_service *service)
{
    return trm_util_fail(service->device->instance->host, TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                         "A thread of the device %s could not be started.",
                         service->device->physical->properties.deviceName);
}

int32_t vulkan_service_start(struct vulkan_service *service)
{
    pthread_mutex_lock(&service->lock);
    if (!service->has_maintenance)
        service->has_maintenance = vulkan_thread_start(&service->maintenance, maintain, service);
    bool started = service->has_maintenance;
    pthread_mutex_unlock(&service->lock);
    return started && vulkan_watchers_start(&service->watchers) ? TRM_OK : fail_start(service);
}

int32_t vulkan_service_start_copying(struct vulkan_service *service)
{
    int32_t status = vulkan_service_start(service);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&service->lock);
    if (!service->has_copier)
        service->has_copier = vulkan_thread_start(&service->copier, copy, service);
    bool started = service->has_copier;
    pthread_mutex_unlock(&service->lock);
    return started ? TRM_OK : fail_start(service);
}

int32_t vulkan_service_create(struct trm_backend_device *device, struct vulkan_service **result)
{
    struct vulkan_service *service = trm_util_allocate(device->instance->host, sizeof(*service));
    if (service == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a device's threads");
    service->device = device;
    vulkan_watchers_init(&service->watchers, device);
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->maintenance_called, NULL);
    pthread_cond_init(&service->copier_called, NULL);
    device->loss_hooks = &vulkan_stream_loss_hooks;
    *result            = service;
    return TRM_OK;
}

void vulkan_service_destroy(struct vulkan_service *service)
{
    if (service == NULL)
        return;
    const struct trm_backend_instance *instance = service->device->instance;
    pthread_mutex_lock(&service->lock);
    service->copier_ends = true;
    pthread_cond_signal(&service->copier_called);
    pthread_mutex_unlock(&service->lock);
    if (service->has_copier)
        pthread_join(service->copier, NULL);
    vulkan_watchers_fini(&service->watchers);
    /* The maintenance thread ends last, since the others may call it. */
    call_maintenance(service, &service->maintenance_ends);
    if (service->has_maintenance)
        pthread_join(service->maintenance, NULL);
    pthread_cond_destroy(&service->maintenance_called);
    pthread_cond_destroy(&service->copier_called);
    pthread_mutex_destroy(&service->lock);
    trm_util_release(instance->host, service, sizeof(*service));
}
