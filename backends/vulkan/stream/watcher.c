/* vulkan backend: the threads that wait for timelines.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/watcher.h"

#include "backends/vulkan/driver/driver.h"

#define STACK_BYTES (512u << 10) /* notifications of the core and submissions to drivers run on it */
#define LOOK_UP_NS UINT64_C(100000000)

struct vulkan_watcher {
    struct vulkan_watchers *watchers;
    pthread_t thread;
    pthread_cond_t called;
    struct vulkan_watch *watches;     /* all of the same timeline */
    struct vulkan_timeline *timeline; /* of the watches; NULL: none */
    /* Wakes the thread while it sleeps for an external timeline; made when first needed. */
    struct vulkan_timeline *wake_timeline;
    uint64_t wake_value; /* last value signalled on wake_timeline */
    uint64_t value;      /* the value it sleeps for; 0: awake */
    bool calling;        /* it is calling watches that were due */
    bool wake_refused;   /* wake_timeline could not be made; not tried again */
};

/* What a watcher sleeps for, readable without the lock. */
struct sleep {
    struct vulkan_timeline *timeline, *wake_timeline;
    uint64_t value, wake_value;
};

/* ---- starting threads ------------------------------------------------------------------------------ */

/* Signals belong to the program's threads. */
bool vulkan_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    sigset_t before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    trm_util_signals_block(&before);
    bool started = pthread_create(thread, &attributes, run, argument) == 0;
    trm_util_signals_restore(&before);
    pthread_attr_destroy(&attributes);
    return started;
}

/* ---- watching -------------------------------------------------------------------------------------- */

static void push(struct vulkan_watch **list, struct vulkan_watch *watch)
{
    watch->next = *list;
    *list       = watch;
}

/* Removes the watches to be called from the watcher's list. */
static struct vulkan_watch *take_due(struct vulkan_watcher *watcher, bool all)
{
    struct vulkan_watch *due = NULL, **place = &watcher->watches;
    uint64_t completed = atomic_load(&watcher->timeline->completed);
    while (*place != NULL) {
        struct vulkan_watch *watch = *place;
        if (!all && !watch->is_cancelled && watch->value > completed) {
            place = &watch->next;
            continue;
        }
        *place = watch->next;
        push(&due, watch);
    }
    return due;
}

/* Takes all waiting watches of one timeline. */
static void take_waiting(struct vulkan_watcher *watcher)
{
    struct vulkan_watch **place = &watcher->watchers->waiting;
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

/* Sleeps for an external timeline or a cancellation. Of the driver's result only a loss matters: the counter
 * tells the rest. */
static int32_t sleep_external(struct trm_backend_device *device, const struct sleep *what)
{
    VkSemaphore semaphores[2] = {what->timeline->semaphore, what->wake_timeline->semaphore};
    uint64_t values[2]        = {what->value, what->wake_value + 1};
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

/* Without memory for wake_timeline the thread checks from time to time. */
static int32_t sleep_for(struct trm_backend_device *device, const struct sleep *what)
{
    if (!what->timeline->is_external)
        return vulkan_timeline_sleep(what->timeline, what->value, UINT64_MAX);
    if (what->wake_timeline != NULL)
        return sleep_external(device, what);
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

static bool has_cancelled(const struct vulkan_watcher *watcher)
{
    const struct vulkan_watch *watch = watcher->watches;
    while (watch != NULL && !watch->is_cancelled)
        watch = watch->next;
    return watch != NULL;
}

/* The caller holds the lock, which is released meanwhile: a failure may be the loss of the device, which is
 * reported to the service. */
static void make_wake_timeline(struct vulkan_watcher *watcher)
{
    struct vulkan_watchers *watchers      = watcher->watchers;
    struct vulkan_timeline *wake_timeline = NULL;
    pthread_mutex_unlock(&watchers->lock);
    int32_t status = vulkan_timeline_create(watchers->device, &wake_timeline);
    pthread_mutex_lock(&watchers->lock);
    watcher->wake_refused  = status != TRM_OK;
    watcher->wake_timeline = wake_timeline;
}

/* The caller holds the lock, which is released during the sleep. The watches keep the timeline alive. */
static int32_t sleep_once(struct vulkan_watcher *watcher)
{
    struct vulkan_watchers *watchers = watcher->watchers;
    if (has_cancelled(watcher))
        return TRM_OK;
    if (watcher->timeline->is_external && watcher->wake_timeline == NULL && !watcher->wake_refused) {
        make_wake_timeline(watcher);
        return TRM_OK;
    }
    const struct sleep what = {
        .timeline      = watcher->timeline,
        .wake_timeline = watcher->wake_timeline,
        .value         = lowest(watcher),
        .wake_value    = watcher->wake_value,
    };
    watcher->value = what.value;
    pthread_mutex_unlock(&watchers->lock);
    int32_t status = sleep_for(watchers->device, &what);
    pthread_mutex_lock(&watchers->lock);
    watcher->value = 0;
    return status;
}

/* Sleeps once and calls the due watches. The caller holds the lock, which is released meanwhile. */
static void watch_once(struct vulkan_watcher *watcher)
{
    struct vulkan_watchers *watchers = watcher->watchers;
    int32_t status                   = sleep_once(watcher);
    struct vulkan_watch *due         = take_due(watcher, status != TRM_OK);
    if (watcher->watches == NULL)
        watcher->timeline = NULL;
    watcher->calling = true;
    pthread_mutex_unlock(&watchers->lock);
    call_all(due);
    pthread_mutex_lock(&watchers->lock);
    watcher->calling = false;
}

static void *watch(void *argument)
{
    struct vulkan_watcher *watcher   = argument;
    struct vulkan_watchers *watchers = watcher->watchers;
    pthread_mutex_lock(&watchers->lock);
    while (true) {
        take_waiting(watcher);
        if (watcher->watches != NULL)
            watch_once(watcher);
        else if (watchers->ending)
            break;
        else
            pthread_cond_wait(&watcher->called, &watchers->lock);
    }
    pthread_mutex_unlock(&watchers->lock);
    return NULL;
}

/* The caller holds the lock. NULL: too many threads, or no memory. */
static struct vulkan_watcher *add_watcher(struct vulkan_watchers *watchers)
{
    const struct trm_backend_instance *instance = watchers->device->instance;
    if (watchers->count == VULKAN_WATCHERS_MOST)
        return NULL;
    struct vulkan_watcher *watcher = trm_util_allocate(instance->host, sizeof(*watcher));
    if (watcher == NULL)
        return NULL;
    watcher->watchers = watchers;
    pthread_cond_init(&watcher->called, NULL);
    if (!vulkan_thread_start(&watcher->thread, watch, watcher)) {
        pthread_cond_destroy(&watcher->called);
        trm_util_release(instance->host, watcher, sizeof(*watcher));
        return NULL;
    }
    watchers->list[watchers->count++] = watcher;
    return watcher;
}

/* A watcher of the timeline that will wake in time, else an idle one. */
static struct vulkan_watcher *find_watcher(struct vulkan_watchers *watchers, const struct vulkan_watch *watch)
{
    struct vulkan_watcher *idle = NULL;
    for (uint32_t i = 0; i < watchers->count; i++) {
        struct vulkan_watcher *watcher = watchers->list[i];
        if (watcher->timeline == watch->timeline && watcher->value <= watch->value)
            return watcher;
        if (watcher->timeline == NULL && !watcher->calling)
            idle = watcher;
    }
    return idle != NULL ? idle : add_watcher(watchers);
}

void vulkan_watchers_add(struct vulkan_watchers *watchers, struct vulkan_watch *watch)
{
    watch->is_cancelled = false;
    pthread_mutex_lock(&watchers->lock);
    struct vulkan_watcher *watcher = find_watcher(watchers, watch);
    if (watcher == NULL) {
        push(&watchers->waiting, watch);
    } else {
        push(&watcher->watches, watch);
        watcher->timeline = watch->timeline;
        pthread_cond_signal(&watcher->called);
    }
    pthread_mutex_unlock(&watchers->lock);
}

static void wake(struct vulkan_watcher *watcher)
{
    struct trm_backend_device *device = watcher->watchers->device;
    VkSemaphoreSignalInfo info        = {
               .sType     = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
               .semaphore = watcher->wake_timeline->semaphore,
               .value     = watcher->wake_value + 1,
    };
    if (device->vk.vkSignalSemaphore(device->handle, &info) == VK_SUCCESS)
        watcher->wake_value++;
}

void vulkan_watchers_cancel(struct vulkan_watchers *watchers, struct vulkan_watch *watch)
{
    pthread_mutex_lock(&watchers->lock);
    watch->is_cancelled = true;
    for (uint32_t i = 0; i < watchers->count; i++) {
        struct vulkan_watcher *watcher = watchers->list[i];
        if (watcher->timeline == watch->timeline && watcher->wake_timeline != NULL)
            wake(watcher);
    }
    pthread_mutex_unlock(&watchers->lock);
}

/* ---- creating and destroying ----------------------------------------------------------------------- */

bool vulkan_watchers_start(struct vulkan_watchers *watchers)
{
    pthread_mutex_lock(&watchers->lock);
    bool started = watchers->count != 0 || add_watcher(watchers) != NULL;
    pthread_mutex_unlock(&watchers->lock);
    return started;
}

void vulkan_watchers_init(struct vulkan_watchers *watchers, struct trm_backend_device *device)
{
    watchers->device = device;
    pthread_mutex_init(&watchers->lock, NULL);
}

/* Calls may add watches, and so threads, until the last thread has ended.
 * */
void vulkan_watchers_fini(struct vulkan_watchers *watchers)
{
    const struct trm_backend_instance *instance = watchers->device->instance;
    pthread_mutex_lock(&watchers->lock);
    watchers->ending = true;
    for (uint32_t i = 0; i < watchers->count; i++)
        pthread_cond_signal(&watchers->list[i]->called);
    for (uint32_t i = 0; i < watchers->count; i++) {
        struct vulkan_watcher *watcher = watchers->list[i];
        pthread_mutex_unlock(&watchers->lock);
        pthread_join(watcher->thread, NULL);
        pthread_mutex_lock(&watchers->lock);
        pthread_cond_destroy(&watcher->called);
        vulkan_timeline_release(watcher->wake_timeline);
        trm_util_release(instance->host, watcher, sizeof(*watcher));
    }
    pthread_mutex_unlock(&watchers->lock);
    pthread_mutex_destroy(&watchers->lock);
}
