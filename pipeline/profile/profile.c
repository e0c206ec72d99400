/* The profile object: how it begins and ends.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/profile/profile.h"

/* Bytes of the structure in its first version. */
#define DESC_LEAST 8

_Static_assert((int)TRM_PROFILE_WORKS == (int)CORE_WORK_KINDS && (int)TRM_PROFILE_WAIT == (int)CORE_WORK_WAIT,
               "the numbers are the same");

/* ---- life ------------------------------------------------------------------------------------------- */

static void profile_retire(struct core_object *object)
{
    struct core_profile *profile = (struct core_profile *)object;
    core_profile_end(profile);
    if (profile->device != NULL)
        core_device_uncount_child(profile->device, CORE_PROFILE);
}

static void profile_release(struct core_object *object)
{
    struct core_profile *profile = (struct core_profile *)object;
    struct core_device *device   = profile->device;
    core_profile_free_parts(profile);
    pthread_mutex_destroy(&profile->lock);
    core_free(object->context, profile, sizeof(*profile));
    core_object_release(device != NULL ? &device->object : NULL);
}

static const char *profile_device_id(const struct core_object *object)
{
    const struct core_device *device = ((const struct core_profile *)object)->device;
    return device != NULL ? device->id : NULL;
}

static const struct core_object_ops profile_ops = {
    .type      = CORE_PROFILE,
    .name      = "profile",
    .source    = __FILE__,
    .device_id = profile_device_id,
    .retire    = profile_retire,
    .release   = profile_release,
};

int32_t pipeline_profile_create(struct core_context *context, struct core_device *device, uint32_t interval,
                                struct core_profile **out)
{
    struct core_profile *profile = core_allocate(context, sizeof(*profile));
    if (profile == NULL)
        return base_fail_memory("making a profile");
    profile->device      = device;
    profile->interval    = interval;
    profile->patience_ns = TRM_FOREVER;
    pthread_mutex_init(&profile->lock, NULL);
    int32_t status = core_object_init(&profile->object, &profile_ops, context);
    if (status != TRM_OK) {
        pthread_mutex_destroy(&profile->lock);
        core_free(context, profile, sizeof(*profile));
        return status;
    }
    if (device != NULL)
        core_device_add_child(device, CORE_PROFILE);
    status = core_profile_begin(profile);
    if (status != TRM_OK)
        core_object_abandon(&profile->object);
    else
        *out = profile;
    return status;
}

/* device: NULL: all devices of the context. */
static int32_t begin(struct core_context *context, struct core_device *device,
                     const struct trm_profile_desc *given, struct trm_profile **out)
{
    struct trm_profile_desc desc = {.struct_size = sizeof(desc)};
    struct core_profile *profile;
    if (given != NULL && !core_struct_copy_in(&desc, sizeof(desc), given, DESC_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_profile_desc.struct_size is %u, but its size is %zu", given->struct_size,
                         sizeof(desc));
    int32_t status = pipeline_profile_create(context, device, desc.interval, &profile);
    if (status == TRM_OK)
        *out = core_object_publish(&profile->object);
    return status;
}

int32_t trm_profile_begin(struct trm_device *handle, const struct trm_profile_desc *desc,
                          struct trm_profile **out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = core_output_check(out, "trm_profile_begin", "profile");
    if (status == TRM_OK)
        status = begin(device->object.context, device, desc, out);
    core_object_leave(&device->object);
    return status;
}

int32_t trm_profile_begin_context(struct trm_context *handle, const struct trm_profile_desc *desc,
                                  struct trm_profile **out)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_output_check(out, "trm_profile_begin_context", "profile");
    if (status == TRM_OK)
        status = begin(context, NULL, desc, out);
    core_object_leave(&context->object);
    return status;
}

int32_t trm_profile_end(struct trm_profile *handle)
{
    struct core_profile *profile = core_object_enter(handle, CORE_PROFILE);
    if (profile == NULL)
        return base_last_status();
    core_profile_end(profile);
    core_object_leave(&profile->object);
    return TRM_OK;
}

void trm_profile_destroy(struct trm_profile *handle)
{
    core_object_kill_handle(handle, CORE_PROFILE);
}
