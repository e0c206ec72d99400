/* The timed backend: the exported function, settings, instances.
 * SPDX-License-Identifier: MIT
 */
#include "timed.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void *timed_new(const struct trm_host *host, uint64_t size)
{
    void *made = host->allocate(host->context, size, 64);

    if (made == NULL) {
        (void)host->fail(host->context, TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                         "There is no memory for an object of the timed backend.");
        return NULL;
    }
    memset(made, 0, size);
    return made;
}

uint64_t timed_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void timed_sleep_until(uint64_t time)
{
    struct timespec until = {(time_t)(time / 1000000000u), (long)(time % 1000000000u)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        continue;
}

int timed_thread(pthread_t *thread, void *(*run)(void *), void *user)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void timed_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* A whole number; absent: 0. 0 when it is none. */
static int timed_setting(const struct trm_host *host, const char *name, uint64_t *number)
{
    char text[32] = "", *end;
    uint64_t needed;
    int32_t status = host->get_setting(host->context, name, text, sizeof(text), &needed);

    *number = 0;
    if (status == TRM_ERROR_NOT_FOUND)
        return 1;
    if (status != TRM_OK)
        return 0;
    *number = strtoull(text, &end, 10);
    return end != text && *end == '\0';
}

static int timed_read_settings(const struct trm_host *host, struct timed_settings *settings)
{
    memset(settings, 0, sizeof(*settings));
    return timed_setting(host, "timed.upload_ns", &settings->copy_ns[TIMED_UPLOAD]) &&
           timed_setting(host, "timed.download_ns", &settings->copy_ns[TIMED_DOWNLOAD]) &&
           timed_setting(host, "timed.upload_speed", &settings->speed[TIMED_UPLOAD]) &&
           timed_setting(host, "timed.download_speed", &settings->speed[TIMED_DOWNLOAD]) &&
           timed_setting(host, "timed.launch_ns", &settings->launch_ns) &&
           timed_setting(host, "timed.pageable_ns", &settings->pageable_ns) &&
           timed_setting(host, "timed.enqueue_ns", &settings->enqueue_ns) &&
           timed_setting(host, "timed.wake_ns", &settings->wake_ns) &&
           timed_setting(host, "timed.no_import", &settings->no_import) &&
           timed_setting(host, "timed.memory", &settings->memory) &&
           timed_setting(host, "timed.devices", &settings->devices) &&
           timed_setting(host, "timed.shared_ns", &settings->shared_ns) &&
           settings->devices <= TIMED_MAX_DEVICES;
}

static int32_t timed_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    static const char wrong[] = "a setting timed.* is not a whole number";
    struct timed_settings settings;

    if (!timed_read_settings(host, &settings)) {
        if (capacity >= sizeof(wrong))
            memcpy(reason, wrong, sizeof(wrong));
        return TRM_ERROR_UNSUPPORTED;
    }
    *score = 1;
    return TRM_OK;
}

/* Tells notices that came due in a call of the core's, which may hold locks. */
static void *timed_teller(void *user)
{
    struct trm_backend_instance *instance = user;

    pthread_mutex_lock(&instance->lock);
    while (!instance->closing) {
        timed_tell(instance);
        if (instance->due == NULL && !instance->closing)
            pthread_cond_wait(&instance->news, &instance->lock);
    }
    pthread_mutex_unlock(&instance->lock);
    return NULL;
}

static void timed_instance_end(struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;

    pthread_cond_destroy(&instance->news);
    pthread_cond_destroy(&instance->progress);
    pthread_mutex_destroy(&instance->lock);
    pthread_mutex_destroy(&instance->unit);
    host->release(host->context, instance, sizeof(*instance));
}

static int32_t timed_open(const struct trm_host *host, struct trm_backend_instance **instance)
{
    struct trm_backend_instance *made = timed_new(host, sizeof(*made));

    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->host     = host;
    made->last_due = &made->due;
    pthread_mutex_init(&made->unit, NULL);
    pthread_mutex_init(&made->lock, NULL);
    timed_condition(&made->progress);
    timed_condition(&made->news);
    (void)timed_read_settings(host, &made->settings);
    if (timed_thread(&made->teller, timed_teller, made) != 0) {
        timed_instance_end(made);
        return host->fail(host->context, TRM_ERROR_BACKEND, 0,
                          "The timed backend cannot have another thread.");
    }
    *instance = made;
    return TRM_OK;
}

static void timed_close(struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;

    pthread_mutex_lock(&instance->lock);
    instance->closing = 1;
    pthread_cond_signal(&instance->news);
    pthread_mutex_unlock(&instance->lock);
    pthread_join(instance->teller, NULL);

    while (instance->spare != NULL) {
        struct timed_notice *notice = instance->spare;

        instance->spare = notice->next;
        host->release(host->context, notice, sizeof(*notice));
    }
    timed_instance_end(instance);
}

static const struct trm_backend timed_backend = {
    .struct_size = sizeof(timed_backend),
    .abi_minor   = TRM_BACKEND_ABI_MINOR,
    .name        = "timed",
    .version     = "1.0",
    .description = "a device whose operations take as long as they are told to",
    .probe       = timed_probe,
    .open        = timed_open,
    .close       = timed_close,
    .device      = &timed_device_ops,
    .memory      = &timed_memory_ops,
    .stream      = &timed_stream_ops,
    .module      = &timed_module_ops,
    .profile     = &timed_profile_ops,
};

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)max_minor;
    if (min_minor > TRM_BACKEND_ABI_MINOR)
        return NULL;
    return &timed_backend;
}
