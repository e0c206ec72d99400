/* Groups: a list of ids as open devices.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/group/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/settings/settings.h"

#define LIST_BYTES 1024

int32_t pipeline_group_fail(const struct pipeline_group *group, uint32_t index, int32_t status)
{
    char sentence[512];

    base_error_complete(status);
    base_text_copy(sentence, sizeof(sentence), trm_last_error().sentence);
    return base_fail(status, "%s: %s", group->devices[index]->id, sentence);
}

int32_t pipeline_group_fail_index(const struct pipeline_group *group, uint32_t index)
{
    return base_fail(TRM_ERROR_OUT_OF_RANGE,
                     "the group has no device %" PRIu32 ": it has %" PRIu32 " device%s", index, group->count,
                     base_plural(group->count));
}

uint32_t pipeline_group_sound(const struct pipeline_group *group)
{
    uint32_t sound = 0;
    for (uint32_t i = 0; i < group->count; i++)
        if (!atomic_load_explicit(&group->devices[i]->is_lost, memory_order_acquire))
            sound |= 1u << i;
    return sound;
}

/* ---- the lock of data -----------------------------------------------------------------------

 * A thread has several of these locks where the function of a task uses another group. So threads could wait
 * for each other in a circle. Each that waits while it has such a lock notes for which group; the one that
 * would close a circle fails. */

/* The last group whose lock this thread has taken; the others follow by `outer`. */
static _Thread_local struct pipeline_group *held;

/* Guards `awaited` of all groups. A leaf. */
static struct base_lock waits;

static bool is_held_here(const struct pipeline_group *group)
{
    return atomic_load_explicit(&group->data_owner, memory_order_relaxed) == (uintptr_t)pthread_self();
}

bool pipeline_group_is_any_data_locked(void)
{
    return held != NULL;
}

static int32_t fail_own(void)
{
    return base_fail_static(TRM_ERROR_DEADLOCK,
                            "the function of a task that uses buffers of a group would wait for itself: it "
                            "neither submits such tasks nor reads, writes or moves such buffers");
}

static int32_t fail_circle(void)
{
    return base_fail_static(TRM_ERROR_DEADLOCK,
                            "the functions of tasks of several groups would wait for each other: only those "
                            "of one group use the buffers of another, or wait for its tasks");
}

static void note_wait_locked(struct pipeline_group *group)
{
    for (struct pipeline_group *one = held; one != NULL; one = one->outer)
        one->awaited = group;
}

int32_t pipeline_group_begin_wait(struct pipeline_group *group)
{
    int32_t status = TRM_OK;
    if (is_held_here(group))
        return fail_own();
    if (LIKELY(held == NULL))
        return TRM_OK;
    base_lock_acquire(&waits);
    for (const struct pipeline_group *one = group; one != NULL && status == TRM_OK; one = one->awaited)
        status = is_held_here(one) ? fail_circle() : TRM_OK;
    if (status == TRM_OK)
        note_wait_locked(group);
    base_lock_release(&waits);
    return status;
}

void pipeline_group_end_wait(void)
{
    if (LIKELY(held == NULL))
        return;
    base_lock_acquire(&waits);
    note_wait_locked(NULL);
    base_lock_release(&waits);
}

static void own(struct pipeline_group *group)
{
    atomic_store_explicit(&group->data_owner, (uintptr_t)pthread_self(), memory_order_relaxed);
    group->outer = held;
    held         = group;
}

static void disown(struct pipeline_group *group)
{
    held = group->outer;
    atomic_store_explicit(&group->data_owner, 0, memory_order_relaxed);
}

void pipeline_group_resume_data(struct pipeline_group *group)
{
    pthread_mutex_lock(&group->data_lock);
    pipeline_group_end_wait();
    own(group);
}

int32_t pipeline_group_lock_data(struct pipeline_group *group)
{
    int32_t status = pipeline_group_begin_wait(group);
    if (status == TRM_OK)
        pipeline_group_resume_data(group);
    return status;
}

bool pipeline_group_try_lock_data(struct pipeline_group *group)
{
    if (pthread_mutex_trylock(&group->data_lock) != 0)
        return false;
    own(group);
    return true;
}

void pipeline_group_unlock_data(struct pipeline_group *group)
{
    disown(group);
    pthread_mutex_unlock(&group->data_lock);
}

void pipeline_group_pause_data(struct pipeline_group *group)
{
    disown(group);
    if (UNLIKELY(held != NULL)) {
        base_lock_acquire(&waits);
        note_wait_locked(group);
        base_lock_release(&waits);
    }
    pthread_mutex_unlock(&group->data_lock);
}

/* ---- the object ----------------------------------------------------------------------------- */

static void group_retire(struct core_object *object)
{
    struct pipeline_group *group = (struct pipeline_group *)object;

    for (uint32_t i = 0; i < group->count; i++) {
        struct base_saved_error saved;
        base_error_save(&saved);
        trm_device_destroy(group->handles[i]);
        base_error_restore(&saved);
    }
}

static void group_release(struct core_object *object)
{
    struct pipeline_group *group = (struct pipeline_group *)object;

    for (uint32_t i = 0; i < group->count; i++)
        core_object_end_hold(group->held[i]);
    pthread_mutex_destroy(&group->data_lock);
    core_free(object->context, group, sizeof(*group));
}

static const struct core_object_ops group_ops = {
    .type    = CORE_GROUP,
    .name    = "group",
    .source  = __FILE__,
    .retire  = group_retire,
    .release = group_release,
};

/* ---- adding devices ------------------------------------------------------------------------- */

/* Takes over the handle. */
static int32_t add_open(struct pipeline_group *group, struct trm_device *handle)
{
    uint32_t number = group->count;
    int32_t status  = core_object_hold(handle, CORE_DEVICE, &group->held[number]);
    if (status != TRM_OK) {
        trm_device_destroy(handle);
        return status;
    }
    group->handles[number] = handle;
    group->devices[number] = core_object_find(group->held[number], CORE_DEVICE);
    group->count++;
    for (uint32_t i = 0; i < number; i++)
        if (strcmp(group->devices[i]->id, group->devices[number]->id) == 0)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "device %s is in the list twice",
                             group->devices[number]->id);
    return TRM_OK;
}

static int32_t add(struct pipeline_group *group, struct trm_context *context, const char *id)
{
    struct trm_device *handle;

    if (group->count == TRM_GROUP_DEVICES)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "a group has at most %d devices", TRM_GROUP_DEVICES);
    int32_t status = trm_device_open(context, id, &handle);
    return status == TRM_OK ? add_open(group, handle) : status;
}

/* Opening a device of the backend tells why it has none. */
static int32_t fail_unmatched(struct trm_context *context, const char *backend, const char *pattern)
{
    char id[LIST_BYTES + 2];
    struct trm_device *handle;

    if (backend == NULL)
        return base_fail(TRM_ERROR_NOT_FOUND, "no device matches %s", pattern);
    snprintf(id, sizeof(id), "%s:0", backend);
    if (trm_device_open(context, id, &handle) == TRM_OK) {
        trm_device_destroy(handle);
        return base_fail(TRM_ERROR_NOT_FOUND, "no device matches %s", pattern);
    }
    return base_fail(TRM_ERROR_NOT_FOUND, "no device matches %s: %s", pattern, trm_last_error().sentence);
}

/* Adds all devices of a backend; NULL: of all backends. */
static int32_t add_all(struct pipeline_group *group, struct trm_context *context, const char *backend,
                       const char *pattern)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    uint32_t count = 0, before = group->count;
    int32_t status = trm_device_count(context, &count);

    for (uint32_t i = 0; status == TRM_OK && i < count; i++) {
        status = trm_device_describe(context, i, &summary);
        if (status == TRM_OK && (backend == NULL || strcmp(summary.backend, backend) == 0))
            status = add(group, context, summary.id);
    }
    if (status == TRM_OK && group->count == before)
        return fail_unmatched(context, backend, pattern);
    return status;
}

/* Adds what one name of a list stands for. */
static int32_t add_name(struct pipeline_group *group, struct trm_context *context, char *name)
{
    size_t length = strlen(name);

    if (length == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the list of devices has an empty name");
    if (strcmp(name, "*") == 0)
        return add_all(group, context, NULL, name);
    if (length <= 2 || strcmp(name + length - 2, ":*") != 0)
        return add(group, context, name);
    char pattern[LIST_BYTES];
    base_text_copy(pattern, sizeof(pattern), name);
    name[length - 2] = '\0';
    return add_all(group, context, name, pattern);
}

static int32_t add_list(struct pipeline_group *group, struct trm_context *context, const char *devices)
{
    char list[LIST_BYTES];
    int32_t status = TRM_OK;

    if (strlen(devices) >= sizeof(list))
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "the list of devices has more than %d bytes",
                         LIST_BYTES - 1);
    base_text_copy(list, sizeof(list), devices);
    char *name = list;
    while (status == TRM_OK && name != NULL) {
        char *comma = strchr(name, ',');
        if (comma != NULL)
            *comma++ = '\0';
        status = add_name(group, context, name);
        name   = comma;
    }
    return status;
}

/* ---- public functions ----------------------------------------------------------------------- */

static int32_t create(struct core_context *context, struct trm_context *handle, const char *devices,
                      struct pipeline_group **group)
{
    struct pipeline_group *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("making a group");
    int32_t status = core_object_init(&made->object, &group_ops, context);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    pthread_mutex_init(&made->data_lock, NULL);
    const char *list = devices != NULL ? devices : core_setting_text(context, "devices");
    bool is_default  = devices == NULL && list[0] == '\0';
    status           = is_default ? add(made, handle, NULL) : add_list(made, handle, list);
    if (status != TRM_OK) {
        struct base_saved_error saved;
        base_error_save(&saved);
        core_object_abandon(&made->object);
        base_error_restore(&saved);
        return status;
    }
    *group = made;
    return TRM_OK;
}

int32_t trm_group_create(struct trm_context *handle, const char *devices, struct trm_group **group)
{
    struct pipeline_group *made;
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_output_check(group, "trm_group_create", "group");
    if (status == TRM_OK)
        status = create(context, handle, devices, &made);
    if (status == TRM_OK)
        *group = core_object_publish(&made->object);
    core_object_leave(&context->object);
    return status;
}

void trm_group_destroy(struct trm_group *group)
{
    core_object_kill_handle(group, CORE_GROUP);
}

int32_t trm_group_size(struct trm_group *handle, uint32_t *count)
{
    struct pipeline_group *group = core_object_enter(handle, CORE_GROUP);
    if (group == NULL)
        return base_last_status();
    int32_t status = core_output_check(count, "trm_group_size", "count");
    if (status == TRM_OK)
        *count = group->count;
    core_object_leave(&group->object);
    return status;
}

int32_t trm_group_device(struct trm_group *handle, uint32_t index, struct trm_device **device)
{
    struct pipeline_group *group = core_object_enter(handle, CORE_GROUP);
    if (group == NULL)
        return base_last_status();
    int32_t status = core_output_check(device, "trm_group_device", "device");
    if (status == TRM_OK && index >= group->count)
        status = pipeline_group_fail_index(group, index);
    if (status == TRM_OK)
        status = core_device_add_user(group->devices[index], device);
    core_object_leave(&group->object);
    return status;
}
