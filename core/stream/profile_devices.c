/* Profiles of devices and contexts: which streams belong to one, and until when.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/stream/profile.h"

/* ---- the streams of a device ------------------------------------------------------------------------ */

struct gathered {
    struct core_stream **streams; /* with a reference each */
    uint32_t count, capacity;
};

/* Neither the program's allocator nor a backend may be called under the device's lock. */
static int32_t gather(struct core_device *device, struct gathered *all)
{
    *all = (struct gathered){0};
    for (;;) {
        uint32_t live = 0;
        pthread_mutex_lock(&device->lock);
        for (struct core_stream *each = device->streams; each != NULL; each = each->next)
            live++;
        for (struct core_stream *each = device->streams; live <= all->capacity && each != NULL;
             each                     = each->next) {
            core_object_retain(&each->object);
            all->streams[all->count++] = each;
        }
        pthread_mutex_unlock(&device->lock);
        if (live <= all->capacity)
            return TRM_OK;
        core_free(device->object.context, all->streams, all->capacity * sizeof(struct core_stream *));
        all->streams = core_allocate(device->object.context, live * sizeof(struct core_stream *));
        if (all->streams == NULL)
            return base_fail_memory("profiling the streams of a device");
        all->capacity = live;
    }
}

static void release_gathered(const struct core_context *context, struct gathered *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        core_object_release(&all->streams[i]->object);
    core_free(context, all->streams, all->capacity * sizeof(struct core_stream *));
}

static int32_t join_pinned(struct core_stream *stream, struct core_profile_part *part)
{
    uint32_t flags = atomic_load_explicit(&stream->flags, memory_order_relaxed);
    if (core_stream_is_hidden(flags) || !core_stream_try_pin(stream))
        return TRM_OK;
    int32_t status = core_stream_profile_begin(stream, part);
    core_stream_unpin(stream, 1);
    return status;
}

static void leave_pinned(struct core_stream *stream, const struct core_profile_part *part)
{
    uint64_t last = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    core_stream_wait_finished(stream, last, part->profile->patience_ns);
    if (!core_stream_try_pin(stream))
        return;
    core_stream_profile_end(stream, part);
    core_stream_unpin(stream, 1);
}

/* ---- the part of a device --------------------------------------------------------------------------- */

static int32_t part_create(struct core_profile *profile, struct core_device *device,
                           struct core_profile_part **out)
{
    struct core_profile_part *part = core_allocate(profile->object.context, sizeof(*part));
    if (part == NULL)
        return base_fail_memory("profiling a device");
    part->profile        = profile;
    part->device         = device;
    part->begun          = base_now();
    part->has_own_memory = device->limits.unified == 0;
    snprintf(part->device_id, sizeof(part->device_id), "%s", device->id);
    *out = part;
    return TRM_OK;
}

static bool claim(struct core_device *device, struct core_profile_part *part)
{
    bool is_timed = part->profile->interval != TRM_PROFILE_COUNTED;
    pthread_mutex_lock(&device->lock);
    bool is_free = device->profile == NULL;
    if (is_free) {
        device->profile = part;
        atomic_fetch_or(&device->attention, CORE_DEVICE_PROFILED | (is_timed ? CORE_DEVICE_TIMED : 0u));
    }
    pthread_mutex_unlock(&device->lock);
    return is_free;
}

static bool unclaim(struct core_device *device, const struct core_profile_part *part)
{
    pthread_mutex_lock(&device->lock);
    bool is_ours = device->profile == part;
    if (is_ours) {
        device->profile = NULL;
        atomic_fetch_and(&device->attention, ~(uint32_t)(CORE_DEVICE_PROFILED | CORE_DEVICE_TIMED));
    }
    pthread_mutex_unlock(&device->lock);
    return is_ours;
}

/* id: NULL: of the context. */
static int32_t fail_busy(const struct core_context *context, const char *id)
{
    const char *why = context->program_profile != NULL
                          ? ", which the setting profile.file (TRIREME_PROFILE) asks for"
                          : ", which must end first";
    if (id == NULL)
        return base_fail(TRM_ERROR_BUSY, "the context has a profile already%s", why);
    return base_fail(TRM_ERROR_BUSY, "the device %s has a profile already%s", id, why);
}

/* Puts the device into a new part, unless the profile has ended meanwhile: then *part is NULL. */
static int32_t add_part(struct core_profile *profile, struct core_device *device,
                        struct core_profile_part **out)
{
    struct core_context *context = profile->object.context;
    struct core_profile_part *part, **link = &profile->parts;
    *out           = NULL;
    int32_t status = part_create(profile, device, &part);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&context->devices_lock);
    bool is_on      = !atomic_load_explicit(&profile->is_ending, memory_order_acquire);
    bool is_claimed = is_on && claim(device, part);
    while (is_claimed && *link != NULL)
        link = &(*link)->next;
    if (is_claimed)
        *link = part;
    pthread_mutex_unlock(&context->devices_lock);
    if (is_claimed) {
        *out = part;
        return TRM_OK;
    }
    core_free(context, part, sizeof(*part));
    return is_on ? fail_busy(context, device->id) : TRM_OK;
}

/* Lets the device's streams join a new part. */
static int32_t begin_part(struct core_profile *profile, struct core_device *device)
{
    struct core_profile_part *part;
    struct gathered all;
    int32_t status = add_part(profile, device, &part);
    if (status != TRM_OK || part == NULL)
        return status;
    status = gather(device, &all);
    for (uint32_t i = 0; status == TRM_OK && i < all.count; i++)
        status = join_pinned(all.streams[i], part);
    release_gathered(profile->object.context, &all);
    return status;
}

/* Streams that cannot be gathered for lack of memory stay with the profile until they end. */
static void end_part(struct core_profile_part *part, struct core_device *device)
{
    struct gathered all;
    unclaim(device, part);
    if (gather(device, &all) == TRM_OK)
        for (uint32_t i = 0; i < all.count; i++)
            leave_pinned(all.streams[i], part);
    release_gathered(device->object.context, &all);
    pthread_mutex_lock(&part->profile->lock);
    part->ended = base_now();
    pthread_mutex_unlock(&part->profile->lock);
}

/* ---- tasks of the host ------------------------------------------------------------------------------ */

struct core_profile_part *core_profile_part_of(struct core_device *device)
{
    pthread_mutex_lock(&device->lock);
    struct core_profile_part *part = device->profile;
    if (part != NULL)
        core_object_retain(&part->profile->object);
    pthread_mutex_unlock(&device->lock);
    return part;
}

void core_profile_add_task(struct core_device *device, const char *name, uint64_t begin)
{
    uint64_t end                   = base_now();
    struct core_profile_part *part = core_profile_part_of(device);
    if (part == NULL)
        return;
    size_t size                    = sizeof(struct core_profile_task) + strlen(name) + 1;
    struct core_profile_task *made = core_allocate(device->object.context, size);
    pthread_mutex_lock(&part->profile->lock);
    if (made != NULL && part->ended == 0 && part->task_count < CORE_PROFILE_RANGES) {
        *made = (struct core_profile_task){.next = part->tasks, .begin = begin, .end = end, .size = size};
        memcpy(made->name, name, size - sizeof(*made));
        part->tasks = made;
        part->task_count++;
        made = NULL;
    }
    pthread_mutex_unlock(&part->profile->lock);
    core_free(device->object.context, made, size);
    core_object_release(&part->profile->object);
}

/* ---- the devices of a context ----------------------------------------------------------------------- */

void core_profile_device_opens(struct core_device *device)
{
    struct core_context *context = device->object.context;
    struct base_saved_error before;
    pthread_mutex_lock(&context->devices_lock);
    struct core_profile *profile = context->profile;
    device->is_followed          = profile != NULL;
    device->next                 = context->devices;
    context->devices             = device;
    if (profile != NULL)
        core_object_retain(&profile->object);
    pthread_mutex_unlock(&context->devices_lock);
    if (profile == NULL)
        return;
    base_error_save(&before);
    begin_part(profile, device);
    base_error_restore(&before);
    core_object_release(&profile->object);
}

/* Without streams nothing is left to wait for. */
void core_profile_device_closes(struct core_device *device)
{
    struct core_context *context = device->object.context;
    struct core_device **link    = &context->devices;
    pthread_mutex_lock(&context->devices_lock);
    while (*link != NULL && *link != device)
        link = &(*link)->next;
    if (*link != NULL)
        *link = device->next;
    if (device->profile != NULL) {
        device->profile->device = NULL;
        device->profile->ended  = base_now();
        device->profile         = NULL;
    }
    pthread_cond_broadcast(&context->devices_changed);
    pthread_mutex_unlock(&context->devices_lock);
}

/* A device that is not followed yet, with a reference; NULL: there is none. */
static struct core_device *next_device(struct core_context *context)
{
    pthread_mutex_lock(&context->devices_lock);
    struct core_device *each = context->devices;
    while (each != NULL && (each->is_followed || !core_object_try_retain(&each->object)))
        each = each->next;
    if (each != NULL)
        each->is_followed = true;
    pthread_mutex_unlock(&context->devices_lock);
    return each;
}

static int32_t begin_devices(struct core_profile *profile)
{
    struct core_context *context = profile->object.context;
    struct core_device *device;
    int32_t status = TRM_OK;
    pthread_mutex_lock(&context->devices_lock);
    bool is_free = context->profile == NULL;
    if (is_free)
        context->profile = profile;
    for (device = context->devices; is_free && device != NULL; device = device->next)
        device->is_followed = false;
    pthread_mutex_unlock(&context->devices_lock);
    if (!is_free)
        return fail_busy(context, NULL);
    while (status == TRM_OK && (device = next_device(context)) != NULL) {
        status = begin_part(profile, device);
        core_object_release(&device->object);
    }
    return status;
}

/* ---- profiles --------------------------------------------------------------------------------------- */

int32_t core_profile_begin(struct core_profile *profile)
{
    profile->begun = base_now();
    int32_t status = profile->device != NULL ? begin_part(profile, profile->device) : begin_devices(profile);
    if (status != TRM_OK)
        core_profile_end(profile);
    return status;
}

/* The first part that has not ended; *device: its device, with a reference. Waits for a device that is
 * closing, which ends its own part. */
static struct core_profile_part *next_part(struct core_profile *profile, struct core_device **device)
{
    struct core_context *context = profile->object.context;
    pthread_mutex_lock(&context->devices_lock);
    struct core_profile_part *each = profile->parts;
    while (each != NULL) {
        if (each->ended == 0 && core_object_try_retain(&each->device->object))
            break;
        if (each->ended == 0)
            pthread_cond_wait(&context->devices_changed, &context->devices_lock);
        else
            each = each->next;
    }
    *device = each != NULL ? each->device : NULL;
    pthread_mutex_unlock(&context->devices_lock);
    return each;
}

void core_profile_end(struct core_profile *profile)
{
    struct core_context *context = profile->object.context;
    struct core_profile_part *part;
    struct core_device *device;
    struct base_saved_error before;
    pthread_mutex_lock(&context->devices_lock);
    bool is_first = !atomic_exchange(&profile->is_ending, true);
    if (context->profile == profile)
        context->profile = NULL;
    pthread_mutex_unlock(&context->devices_lock);
    if (!is_first)
        return;
    base_error_save(&before);
    while ((part = next_part(profile, &device)) != NULL) {
        end_part(part, device);
        core_object_release(&device->object);
    }
    base_error_restore(&before);
    atomic_store_explicit(&profile->ended, base_now(), memory_order_release);
}

static void free_tasks(const struct core_context *context, struct core_profile_task *list)
{
    for (struct core_profile_task *next; list != NULL; list = next) {
        next = list->next;
        core_free(context, list, list->size);
    }
}

void core_profile_free_parts(struct core_profile *profile)
{
    struct core_context *context = profile->object.context;
    for (struct core_profile_part *each = profile->parts, *next; each != NULL; each = next) {
        next = each->next;
        core_profile_free_results(context, each->results);
        free_tasks(context, each->tasks);
        core_free(context, each, sizeof(*each));
    }
    profile->parts = NULL;
}
