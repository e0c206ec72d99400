/* The profile object, and the functions of <trireme/profile.h>.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/profile/profile.h"

#include "pipeline/report/report.h"

/* Bytes of the structures in their first version. */
#define DESC_LEAST 8
#define STREAM_LEAST sizeof(struct trm_profile_stream)

_Static_assert((int)TRM_PROFILE_WORKS == (int)CORE_WORK_KINDS && (int)TRM_PROFILE_WAIT == (int)CORE_WORK_WAIT,
               "the numbers are the same");

/* ---- life ------------------------------------------------------------------------------------------- */

static void profile_retire(struct core_object *object)
{
    struct core_profile *profile = (struct core_profile *)object;
    core_profile_end(profile);
    core_device_uncount_child(profile->device, CORE_PROFILE);
}

static void profile_release(struct core_object *object)
{
    struct core_profile *profile = (struct core_profile *)object;
    struct core_device *device   = profile->device;
    core_profile_free_results(profile);
    pthread_mutex_destroy(&profile->lock);
    core_free(object->context, profile, sizeof(*profile));
    core_object_release(&device->object);
}

static const char *profile_device_id(const struct core_object *object)
{
    return ((const struct core_profile *)object)->device->id;
}

static const struct core_object_ops profile_ops = {
    .type      = CORE_PROFILE,
    .name      = "profile",
    .source    = __FILE__,
    .device_id = profile_device_id,
    .retire    = profile_retire,
    .release   = profile_release,
};

static int32_t create(struct core_device *device, const struct trm_profile_desc *desc,
                      struct core_profile **out)
{
    struct core_context *context = device->object.context;
    struct core_profile *profile = core_allocate(context, sizeof(*profile));
    if (profile == NULL)
        return base_fail_memory("making a profile");
    profile->device   = device;
    profile->interval = desc->interval;
    pthread_mutex_init(&profile->lock, NULL);
    int32_t status = core_object_init(&profile->object, &profile_ops, context);
    if (status != TRM_OK) {
        pthread_mutex_destroy(&profile->lock);
        core_free(context, profile, sizeof(*profile));
        return status;
    }
    core_device_add_child(device, CORE_PROFILE);
    status = core_profile_begin(profile);
    if (status != TRM_OK)
        core_object_abandon(&profile->object);
    else
        *out = profile;
    return status;
}

static int32_t begin(struct core_device *device, const struct trm_profile_desc *given,
                     struct trm_profile **out)
{
    struct trm_profile_desc desc = {.struct_size = sizeof(desc)};
    struct core_profile *profile;
    int32_t status = core_output_check(out, "trm_profile_begin", "profile");
    if (status != TRM_OK)
        return status;
    if (given != NULL && !core_struct_copy_in(&desc, sizeof(desc), given, DESC_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_profile_desc.struct_size is %u, but its size is %zu", given->struct_size,
                         sizeof(desc));
    status = create(device, &desc, &profile);
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
    int32_t status = begin(device, desc, out);
    core_object_leave(&device->object);
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

/* ---- reading ---------------------------------------------------------------------------------------- */

/* The profile, entered, if it has ended. */
static struct core_profile *enter_ended(struct trm_profile *handle)
{
    struct core_profile *profile = core_object_enter(handle, CORE_PROFILE);
    if (profile == NULL)
        return NULL;
    if (atomic_load_explicit(&profile->ended, memory_order_acquire) != 0)
        return profile;
    core_object_leave(&profile->object);
    base_fail_static(TRM_ERROR_BUSY, "the profile is on; trm_profile_end() ends it");
    return NULL;
}

int32_t trm_profile_stream_count(struct trm_profile *handle, uint32_t *count)
{
    struct core_profile *profile = enter_ended(handle);
    if (profile == NULL)
        return base_last_status();
    int32_t status = core_output_check(count, "trm_profile_stream_count", "count");
    if (status == TRM_OK)
        *count = pipeline_profile_count(profile);
    core_object_leave(&profile->object);
    return status;
}

static int32_t get_stream(const struct core_profile *profile, uint32_t index, struct trm_profile_stream *out)
{
    struct trm_profile_stream stream;
    int32_t status = core_output_check(out, "trm_profile_get_stream", "stream");
    if (status != TRM_OK)
        return status;
    const struct core_profile_result *result = pipeline_profile_at(profile, index);
    if (result == NULL)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "there is no stream at index %u; the number of streams is %u", index,
                         pipeline_profile_count(profile));
    pipeline_profile_sum(result, &stream);
    if (!core_struct_copy_out(out, &stream, sizeof(stream), STREAM_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_profile_stream.struct_size is %u, but its size is %zu", out->struct_size,
                         sizeof(stream));
    return TRM_OK;
}

int32_t trm_profile_get_stream(struct trm_profile *handle, uint32_t index, struct trm_profile_stream *stream)
{
    struct core_profile *profile = enter_ended(handle);
    if (profile == NULL)
        return base_last_status();
    int32_t status = get_stream(profile, index, stream);
    core_object_leave(&profile->object);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------------- */

static int32_t check_format(int32_t format)
{
    if (format >= TRM_PROFILE_TEXT && format <= TRM_PROFILE_TRACE)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%d is not a format of profiles", (int)format);
}

int32_t trm_profile_write(struct trm_profile *handle, int32_t format, trm_write_fn write, void *user)
{
    int32_t status = check_format(format);
    if (status == TRM_OK && write == NULL)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_profile_write: `write` is NULL");
    if (status != TRM_OK)
        return status;
    struct core_profile *profile = enter_ended(handle);
    if (profile == NULL)
        return base_last_status();
    status = pipeline_profile_write(profile, format, write, user);
    core_object_leave(&profile->object);
    return status;
}

struct output {
    const struct core_profile *profile;
    int32_t format;
};

static int32_t produce(const void *subject, trm_write_fn write, void *writer)
{
    const struct output *output = subject;
    return pipeline_profile_write(output->profile, output->format, write, writer);
}

int32_t trm_profile_write_file(struct trm_profile *handle, int32_t format, const char *path)
{
    int32_t status = check_format(format);
    if (status == TRM_OK && path == NULL)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_profile_write_file: `path` is NULL");
    if (status != TRM_OK)
        return status;
    struct core_profile *profile = enter_ended(handle);
    if (profile == NULL)
        return base_last_status();
    struct output output = {profile, format};
    status               = pipeline_output_file(path, produce, &output);
    core_object_leave(&profile->object);
    return status;
}
