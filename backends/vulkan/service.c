/* vulkan backend: the threads of a device.
 *
 * A watching thread sleeps in the driver, where it cannot be woken by us: it sleeps for the lowest number of one timeline.
 * Further watches of that timeline wait with it where their numbers are not lower; others get a thread of their own, and
 * wait for one to come free where there are as many as there may be. Timelines from outside may never come to their
 * number; a thread that sleeps for one can be hurried, since it sleeps for a timeline of its own beside.
 * SPDX-License-Identifier: MIT
 */
#include "service.h"

#include <signal.h>

#include "stream.h"

#define STACK_BYTES (512u << 10) /* the core's notifications and the driver's submissions run on it */
#define WATCHERS_MOST 64u
#define LOOK_UP_NS UINT64_C(100000000)

/* A watching thread. */
struct watcher {
    struct vulkan_service *service;
    pthread_t thread;
    pthread_cond_t called;
    struct vulkan_watch *watches;     /* all of one timeline */
    struct vulkan_timeline *timeline; /* of its watches; NULL: none */
    struct vulkan_timeline
        *own;         /* to be woken by, while it sleeps for a timeline from outside; made when needed */
    uint64_t hurries; /* that `own` was signalled with */
    uint64_t value;   /* it sleeps for; 0: awake */
    bool calling;     /* the watches that were due */
    bool refused;     /* there is no memory for `own` */
};

/* What a watching thread sleeps for, without the lock. */
struct sleep {
    struct vulkan_timeline *timeline, *own;
    uint64_t value, hurries;
};

struct vulkan_service {
    struct trm_backend_device *device;
    pthread_mutex_t lock; /* all below; taken under any other lock */
    bool ending;

    struct watcher *watchers[WATCHERS_MOST];
    uint32_t watcher_count;
    struct vulkan_watch *waiting; /* for a thread to come free */

    pthread_t keeper;
    pthread_cond_t keeper_called;
    bool has_keeper, unstall, alarm;
    struct trm_backend_stream *attended, *last_attended; /* by stream->next_attended, each with a reference */

    pthread_t copier;
    pthread_cond_t copier_called;
    bool has_copier;
    struct vulkan_job *jobs, *last_job;
};

/* ---- threads --------------------------------------------------------------------------------------- */

/* Signals are for the program's threads. */
static bool start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, &attributes, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

/* ---- watching -------------------------------------------------------------------------------------- */

static void push(struct vulkan_watch **list, struct vulkan_watch *watch)
{
    watch->next = *list;
    *list       = watch;
}

/* Those that are to be called, off the watcher's list. The rest stays. */
static struct vulkan_watch *take_due(struct watcher *watcher, bool all)
{
    struct vulkan_watch *due = NULL, **place = &watcher->watches;
    uint64_t completed = atomic_load(&watcher->timeline->completed);
    while (*place != NULL) {
        struct vulkan_watch *watch = *place;
        if (!all && !watch->hurried && watch->value > completed) {
            place = &watch->next;
            continue;
        }
        *place = watch->next;
        push(&due, watch);
    }
    return due;
}

/* All of a timeline's that wait for a thread. */
static void adopt(struct watcher *watcher)
{
    struct vulkan_watch **place = &watcher->service->waiting;
    if (*place != NULL && watcher->timeline == NULL)
        watcher->timeline = (*place)->timeline;
    while (*place != NULL) {
        struct vulkan_watch *watch = *place;
        if (watch->timeline != watcher->timeline) {
            place = &watch->next;
            continue;
        }
        *place = watch->next;
        push(&watcher->watches, watch);
    }
}

static uint64_t lowest(const struct watcher *watcher)
{
    uint64_t value = UINT64_MAX;
    for (const struct vulkan_watch *watch = watcher->watches; watch != NULL; watch = watch->next)
        value = watch->value < value ? watch->value : value;
    return value;
}

/* For a timeline from outside, or to be hurried. What the driver answers is of no interest but for the loss: the counter
 * tells. */
static int32_t sleep_outside(struct trm_backend_device *device, const struct sleep *what)
{
    VkSemaphore semaphores[2] = {what->timeline->semaphore, what->own->semaphore};
    uint64_t values[2]        = {what->value, what->hurries + 1};
    uint64_t completed;
    VkSemaphoreWaitInfo info = {
        .sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .flags          = VK_SEMAPHORE_WAIT_ANY_BIT,
        .semaphoreCount = 2,
        .pSemaphores    = semaphores,
        .pValues        = values,
    };
    VkResult result = device->vk.vkWaitSemaphores(device->handle, &info, UINT64_MAX);
    if (result == VK_ERROR_DEVICE_LOST)
        return vulkan_device_fail(device, result, "vkWaitSemaphores");
    return vulkan_timeline_read(what->timeline, what->value, &completed);
}

/* Without memory for a timeline to be woken by it looks up from time to time. */
static int32_t sleep_for(struct trm_backend_device *device, const struct sleep *what)
{
    if (!what->timeline->outside)
        return vulkan_timeline_sleep(what->timeline, what->value, UINT64_MAX);
    if (what->own != NULL)
        return sleep_outside(device, what);
    int32_t status = vulkan_timeline_sleep(what->timeline, what->value, LOOK_UP_NS);
    return status == TRM_ERROR_TIMEOUT ? TRM_OK : status;
}

static void call_all(struct vulkan_watch *list)
{
    while (list != NULL) {
        struct vulkan_watch *next = list->next;
        list->call(list);
        list = next;
    }
}

static bool has_hurried(const struct watcher *watcher)
{
    const struct vulkan_watch *watch = watcher->watches;
    while (watch != NULL && !watch->hurried)
        watch = watch->next;
    return watch != NULL;
}

/* With the lock, which is given up meanwhile: a failure may be the loss of the device, of which the service is told. */
static void make_own(struct watcher *watcher)
{
    struct vulkan_service *service = watcher->service;
    struct vulkan_timeline *own    = NULL;
    pthread_mutex_unlock(&service->lock);
    int32_t status = vulkan_timeline_create(service->device, &own);
    pthread_mutex_lock(&service->lock);
    watcher->refused = status != TRM_OK;
    watcher->own     = own;
}

/* With the lock, which is given up while it sleeps. The watches keep the timeline. */
static int32_t sleep_once(struct watcher *watcher)
{
    struct vulkan_service *service = watcher->service;
    if (has_hurried(watcher))
        return TRM_OK;
    if (watcher->timeline->outside && watcher->own == NULL && !watcher->refused) {
        make_own(watcher);
        return TRM_OK;
    }
    const struct sleep what = {
        .timeline = watcher->timeline,
        .own      = watcher->own,
        .value    = lowest(watcher),
        .hurries  = watcher->hurries,
    };
    watcher->value = what.value;
    pthread_mutex_unlock(&service->lock);
    int32_t status = sleep_for(service->device, &what);
    pthread_mutex_lock(&service->lock);
    watcher->value = 0;
    return status;
}

/* One sleep, and the calls that come of it. With the lock, which is given up meanwhile. */
static void watch_once(struct watcher *watcher)
{
    struct vulkan_service *service = watcher->service;
    int32_t status                 = sleep_once(watcher);
    struct vulkan_watch *due       = take_due(watcher, status != TRM_OK);
    if (watcher->watches == NULL)
        watcher->timeline = NULL;
    watcher->calling = true;
    pthread_mutex_unlock(&service->lock);
    call_all(due);
    pthread_mutex_lock(&service->lock);
    watcher->calling = false;
}

static void *watch(void *argument)
{
    struct watcher *watcher        = argument;
    struct vulkan_service *service = watcher->service;
    pthread_mutex_lock(&service->lock);
    while (true) {
        adopt(watcher);
        if (watcher->watches != NULL)
            watch_once(watcher);
        else if (service->ending)
            break;
        else
            pthread_cond_wait(&watcher->called, &service->lock);
    }
    pthread_mutex_unlock(&service->lock);
    return NULL;
}

/* With the lock. NULL: there are enough, or there is no memory. */
static struct watcher *add_watcher(struct vulkan_service *service)
{
    const struct trm_backend_instance *instance = service->device->instance;
    if (service->watcher_count == WATCHERS_MOST)
        return NULL;
    struct watcher *watcher = vulkan_allocate(instance, sizeof(*watcher));
    if (watcher == NULL)
        return NULL;
    watcher->service = service;
    pthread_cond_init(&watcher->called, NULL);
    if (!start(&watcher->thread, watch, watcher)) {
        pthread_cond_destroy(&watcher->called);
        vulkan_release(instance, watcher, sizeof(*watcher));
        return NULL;
    }
    service->watchers[service->watcher_count++] = watcher;
    return watcher;
}

/* One that has the timeline and will look at it in time; or else one that has none. */
static struct watcher *find_watcher(struct vulkan_service *service, const struct vulkan_watch *watch)
{
    struct watcher *idle = NULL;
    for (uint32_t i = 0; i < service->watcher_count; i++) {
        struct watcher *watcher = service->watchers[i];
        if (watcher->timeline == watch->timeline && watcher->value <= watch->value)
            return watcher;
        if (watcher->timeline == NULL && !watcher->calling)
            idle = watcher;
    }
    return idle != NULL ? idle : add_watcher(service);
}

void vulkan_service_watch(struct vulkan_service *service, struct vulkan_watch *watch)
{
    watch->hurried = false;
    pthread_mutex_lock(&service->lock);
    struct watcher *watcher = find_watcher(service, watch);
    if (watcher == NULL) {
        push(&service->waiting, watch);
    } else {
        push(&watcher->watches, watch);
        watcher->timeline = watch->timeline;
        pthread_cond_signal(&watcher->called);
    }
    pthread_mutex_unlock(&service->lock);
}

static void wake(struct watcher *watcher)
{
    struct trm_backend_device *device = watcher->service->device;
    VkSemaphoreSignalInfo info        = {
               .sType     = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
               .semaphore = watcher->own->semaphore,
               .value     = watcher->hurries + 1,
    };
    if (device->vk.vkSignalSemaphore(device->handle, &info) == VK_SUCCESS)
        watcher->hurries++;
}

void vulkan_service_hurry(struct vulkan_service *service, struct vulkan_watch *watch)
{
    pthread_mutex_lock(&service->lock);
    watch->hurried = true;
    for (uint32_t i = 0; i < service->watcher_count; i++) {
        struct watcher *watcher = service->watchers[i];
        if (watcher->timeline == watch->timeline && watcher->own != NULL)
            wake(watcher);
    }
    pthread_mutex_unlock(&service->lock);
}

/* ---- keeping --------------------------------------------------------------------------------------- */

static struct trm_backend_stream *next_to_alarm(struct trm_backend_device *device)
{
    pthread_mutex_lock(&device->streams_lock);
    struct trm_backend_stream *stream = device->streams;
    while (stream != NULL && stream->alarmed)
        stream = stream->next;
    if (stream != NULL) {
        stream->alarmed = true;
        vulkan_stream_ref(stream);
    }
    pthread_mutex_unlock(&device->streams_lock);
    return stream;
}

static void alarm_streams(struct trm_backend_device *device)
{
    struct trm_backend_stream *stream;
    while ((stream = next_to_alarm(device)) != NULL) {
        vulkan_stream_attend(stream);
        vulkan_stream_unref(stream);
    }
}

static void attend_first(struct vulkan_service *service)
{
    struct trm_backend_stream *stream = service->attended;
    service->attended                 = stream->next_attended;
    stream->attended                  = false;
    pthread_mutex_unlock(&service->lock);
    vulkan_stream_attend(stream);
    vulkan_stream_unref(stream);
    pthread_mutex_lock(&service->lock);
}

static void *keep(void *argument)
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
        } else if (service->ending) {
            break;
        } else {
            pthread_cond_wait(&service->keeper_called, &service->lock);
        }
    }
    pthread_mutex_unlock(&service->lock);
    return NULL;
}

void vulkan_service_attend(struct vulkan_service *service, struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&service->lock);
    if (service->has_keeper && !stream->attended) {
        vulkan_stream_ref(stream);
        stream->attended      = true;
        stream->next_attended = NULL;
        if (service->attended != NULL)
            service->last_attended->next_attended = stream;
        else
            service->attended = stream;
        service->last_attended = stream;
        pthread_cond_signal(&service->keeper_called);
    }
    pthread_mutex_unlock(&service->lock);
}

static void call_keeper(struct vulkan_service *service, bool *wish)
{
    pthread_mutex_lock(&service->lock);
    *wish = true;
    pthread_cond_signal(&service->keeper_called);
    pthread_mutex_unlock(&service->lock);
}

void vulkan_service_unstall(struct vulkan_service *service)
{
    call_keeper(service, &service->unstall);
}

void vulkan_service_alarm(struct vulkan_service *service)
{
    call_keeper(service, &service->alarm);
}

/* ---- copying --------------------------------------------------------------------------------------- */

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
        } else if (service->ending) {
            break;
        } else {
            pthread_cond_wait(&service->copier_called, &service->lock);
        }
    }
    pthread_mutex_unlock(&service->lock);
    return NULL;
}

void vulkan_service_run(struct vulkan_service *service, struct vulkan_job *job)
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

bool vulkan_service_take_back(struct vulkan_service *service, struct vulkan_job *job)
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

/* ---- life ------------------------------------------------------------------------------------------ */

static int32_t fail_start(const struct vulkan_service *service)
{
    return vulkan_fail(service->device->instance, TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                       "A thread of the device %s could not be started.",
                       service->device->physical->properties.deviceName);
}

int32_t vulkan_service_start(struct vulkan_service *service)
{
    pthread_mutex_lock(&service->lock);
    if (!service->has_keeper)
        service->has_keeper = start(&service->keeper, keep, service);
    bool started = service->has_keeper && (service->watcher_count != 0 || add_watcher(service) != NULL);
    pthread_mutex_unlock(&service->lock);
    return started ? TRM_OK : fail_start(service);
}

int32_t vulkan_service_start_copying(struct vulkan_service *service)
{
    int32_t status = vulkan_service_start(service);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&service->lock);
    if (!service->has_copier)
        service->has_copier = start(&service->copier, copy, service);
    bool started = service->has_copier;
    pthread_mutex_unlock(&service->lock);
    return started ? TRM_OK : fail_start(service);
}

int32_t vulkan_service_create(struct trm_backend_device *device, struct vulkan_service **result)
{
    struct vulkan_service *service = vulkan_allocate(device->instance, sizeof(*service));
    if (service == NULL)
        return vulkan_fail_host_memory(device->instance, "a device's threads");
    service->device = device;
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->keeper_called, NULL);
    pthread_cond_init(&service->copier_called, NULL);
    *result = service;
    return TRM_OK;
}

/* Those that wait for others of these threads end first. */
static void end_watchers(struct vulkan_service *service)
{
    const struct trm_backend_instance *instance = service->device->instance;
    for (uint32_t i = 0; i < service->watcher_count; i++) {
        struct watcher *watcher = service->watchers[i];
        pthread_join(watcher->thread, NULL);
        pthread_cond_destroy(&watcher->called);
        vulkan_timeline_unref(watcher->own);
        vulkan_release(instance, watcher, sizeof(*watcher));
    }
}

static void end_all(struct vulkan_service *service)
{
    pthread_mutex_lock(&service->lock);
    service->ending = true;
    pthread_cond_signal(&service->copier_called);
    for (uint32_t i = 0; i < service->watcher_count; i++)
        pthread_cond_signal(&service->watchers[i]->called);
    pthread_mutex_unlock(&service->lock);
}

void vulkan_service_destroy(struct vulkan_service *service)
{
    if (service == NULL)
        return;
    const struct trm_backend_instance *instance = service->device->instance;
    end_all(service);
    if (service->has_copier)
        pthread_join(service->copier, NULL);
    end_watchers(service);
    /* Last, since all others may call for it. */
    pthread_mutex_lock(&service->lock);
    pthread_cond_signal(&service->keeper_called);
    pthread_mutex_unlock(&service->lock);
    if (service->has_keeper)
        pthread_join(service->keeper, NULL);
    pthread_cond_destroy(&service->keeper_called);
    pthread_cond_destroy(&service->copier_called);
    pthread_mutex_destroy(&service->lock);
    vulkan_release(instance, service, sizeof(*service));
}
