/* vulkan backend: the threads that sleep for timelines.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/watcher.h"

#include <signal.h>

#include "backends/vulkan/driver/driver.h"

#define STACK_BYTES (512u << 10) /* the core's notifications and the driver's submissions run on it */
#define LOOK_UP_NS UINT64_C(100000000)

struct vulkan_watcher {
    struct vulkan_watching *watching;
    pthread_t thread;
    pthread_cond_t called;
    struct vulkan_watch *watches;     /* all of one timeline */
    struct vulkan_timeline *timeline; /* of its watches; NULL: none */
    /* To be woken by, while it sleeps for a timeline from outside; made when needed. */
    struct vulkan_timeline *own;
    uint64_t hurries; /* that `own` was signalled with */
    uint64_t value;   /* it sleeps for; 0: awake */
    bool calling;     /* the watches that were due */
    bool refused;     /* `own` could not be made: not tried again */
};

/* What a watching thread sleeps for, without the lock. */
struct sleep {
    struct vulkan_timeline *timeline, *own;
    uint64_t value, hurries;
};

/* ---- threads --------------------------------------------------------------------------------------- */

/* Signals are for the program's threads. */
bool vulkan_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
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
static struct vulkan_watch *take_due(struct vulkan_watcher *watcher, bool all)
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
static void adopt(struct vulkan_watcher *watcher)
{
    struct vulkan_watch **place = &watcher->watching->waiting;
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

static uint64_t lowest(const struct vulkan_watcher *watcher)
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

static bool has_hurried(const struct vulkan_watcher *watcher)
{
    const struct vulkan_watch *watch = watcher->watches;
    while (watch != NULL && !watch->hurried)
        watch = watch->next;
    return watch != NULL;
}

/* With the lock, which is given up meanwhile: a failure may be the loss of the device, of which the service is told. */
static void make_own(struct vulkan_watcher *watcher)
{
    struct vulkan_watching *watching = watcher->watching;
    struct vulkan_timeline *own      = NULL;
    pthread_mutex_unlock(&watching->lock);
    int32_t status = vulkan_timeline_create(watching->device, &own);
    pthread_mutex_lock(&watching->lock);
    watcher->refused = status != TRM_OK;
    watcher->own     = own;
}

/* With the lock, which is given up while it sleeps. The watches keep the timeline. */
static int32_t sleep_once(struct vulkan_watcher *watcher)
{
    struct vulkan_watching *watching = watcher->watching;
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
    pthread_mutex_unlock(&watching->lock);
    int32_t status = sleep_for(watching->device, &what);
    pthread_mutex_lock(&watching->lock);
    watcher->value = 0;
    return status;
}

/* One sleep, and the calls that come of it. With the lock, which is given up meanwhile. */
static void watch_once(struct vulkan_watcher *watcher)
{
    struct vulkan_watching *watching = watcher->watching;
    int32_t status                   = sleep_once(watcher);
    struct vulkan_watch *due         = take_due(watcher, status != TRM_OK);
    if (watcher->watches == NULL)
        watcher->timeline = NULL;
    watcher->calling = true;
    pthread_mutex_unlock(&watching->lock);
    call_all(due);
    pthread_mutex_lock(&watching->lock);
    watcher->calling = false;
}

static void *watch(void *argument)
{
    struct vulkan_watcher *watcher   = argument;
    struct vulkan_watching *watching = watcher->watching;
    pthread_mutex_lock(&watching->lock);
    while (true) {
        adopt(watcher);
        if (watcher->watches != NULL)
            watch_once(watcher);
        else if (watching->ending)
            break;
        else
            pthread_cond_wait(&watcher->called, &watching->lock);
    }
    pthread_mutex_unlock(&watching->lock);
    return NULL;
}

/* With the lock. NULL: there are enough, or there is no memory. */
static struct vulkan_watcher *add_watcher(struct vulkan_watching *watching)
{
    const struct trm_backend_instance *instance = watching->device->instance;
    if (watching->count == VULKAN_WATCHERS_MOST)
        return NULL;
    struct vulkan_watcher *watcher = vulkan_allocate(instance, sizeof(*watcher));
    if (watcher == NULL)
        return NULL;
    watcher->watching = watching;
    pthread_cond_init(&watcher->called, NULL);
    if (!vulkan_thread_start(&watcher->thread, watch, watcher)) {
        pthread_cond_destroy(&watcher->called);
        vulkan_release(instance, watcher, sizeof(*watcher));
        return NULL;
    }
    watching->watchers[watching->count++] = watcher;
    return watcher;
}

/* One that has the timeline and will look at it in time; or else one that has none. */
static struct vulkan_watcher *find_watcher(struct vulkan_watching *watching, const struct vulkan_watch *watch)
{
    struct vulkan_watcher *idle = NULL;
    for (uint32_t i = 0; i < watching->count; i++) {
        struct vulkan_watcher *watcher = watching->watchers[i];
        if (watcher->timeline == watch->timeline && watcher->value <= watch->value)
            return watcher;
        if (watcher->timeline == NULL && !watcher->calling)
            idle = watcher;
    }
    return idle != NULL ? idle : add_watcher(watching);
}

void vulkan_watching_add(struct vulkan_watching *watching, struct vulkan_watch *watch)
{
    watch->hurried = false;
    pthread_mutex_lock(&watching->lock);
    struct vulkan_watcher *watcher = find_watcher(watching, watch);
    if (watcher == NULL) {
        push(&watching->waiting, watch);
    } else {
        push(&watcher->watches, watch);
        watcher->timeline = watch->timeline;
        pthread_cond_signal(&watcher->called);
    }
    pthread_mutex_unlock(&watching->lock);
}

static void wake(struct vulkan_watcher *watcher)
{
    struct trm_backend_device *device = watcher->watching->device;
    VkSemaphoreSignalInfo info        = {
               .sType     = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
               .semaphore = watcher->own->semaphore,
               .value     = watcher->hurries + 1,
    };
    if (device->vk.vkSignalSemaphore(device->handle, &info) == VK_SUCCESS)
        watcher->hurries++;
}

void vulkan_watching_hurry(struct vulkan_watching *watching, struct vulkan_watch *watch)
{
    pthread_mutex_lock(&watching->lock);
    watch->hurried = true;
    for (uint32_t i = 0; i < watching->count; i++) {
        struct vulkan_watcher *watcher = watching->watchers[i];
        if (watcher->timeline == watch->timeline && watcher->own != NULL)
            wake(watcher);
    }
    pthread_mutex_unlock(&watching->lock);
}

/* ---- life ------------------------------------------------------------------------------------------ */

bool vulkan_watching_start(struct vulkan_watching *watching)
{
    pthread_mutex_lock(&watching->lock);
    bool started = watching->count != 0 || add_watcher(watching) != NULL;
    pthread_mutex_unlock(&watching->lock);
    return started;
}

void vulkan_watching_init(struct vulkan_watching *watching, struct trm_backend_device *device)
{
    watching->device = device;
    pthread_mutex_init(&watching->lock, NULL);
}

/* What is called may add watches, which may add threads, until the last of them has come to its end. */
void vulkan_watching_fini(struct vulkan_watching *watching)
{
    const struct trm_backend_instance *instance = watching->device->instance;
    pthread_mutex_lock(&watching->lock);
    watching->ending = true;
    for (uint32_t i = 0; i < watching->count; i++)
        pthread_cond_signal(&watching->watchers[i]->called);
    for (uint32_t i = 0; i < watching->count; i++) {
        struct vulkan_watcher *watcher = watching->watchers[i];
        pthread_mutex_unlock(&watching->lock);
        pthread_join(watcher->thread, NULL);
        pthread_mutex_lock(&watching->lock);
        pthread_cond_destroy(&watcher->called);
        vulkan_timeline_release(watcher->own);
        vulkan_release(instance, watcher, sizeof(*watcher));
    }
    pthread_mutex_unlock(&watching->lock);
    pthread_mutex_destroy(&watching->lock);
}
