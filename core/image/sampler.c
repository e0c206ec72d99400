/* Samplers.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/image/image_object.h"

#define DESC_MIN 32 /* bytes of struct trm_sampler_desc in the first version */

/* The minor of the plugin ABI since which the description has a comparison. */
#define COMPARE_SINCE 5u

/* ---- the end --------------------------------------------------------------------------------- */

static void destroy_backend(struct core_sampler *sampler)
{
    core_in_flight_fini(sampler->object.context, &sampler->in_flight);
    sampler->device->backend->image.sampler_destroy(sampler->backend);
    sampler->backend = NULL;
}

static void deferred_destroy(struct core_deferred *item)
{
    struct core_sampler *sampler = base_container_of(item, struct core_sampler, deferred);

    destroy_backend(sampler);
    core_object_release(&sampler->object);
}

static void sampler_retire(struct core_object *object)
{
    struct core_sampler *sampler = (struct core_sampler *)object;

    core_device_uncount_child(sampler->device, CORE_SAMPLER);
    if (sampler->backend == NULL)
        return;
    if (core_in_flight_is_done(&sampler->in_flight)) {
        destroy_backend(sampler);
        return;
    }
    core_object_retain(object);
    sampler->deferred.in_flight = &sampler->in_flight;
    sampler->deferred.destroy   = deferred_destroy;
    core_device_defer(sampler->device, &sampler->deferred);
}

static void sampler_release(struct core_object *object)
{
    struct core_device *device = ((struct core_sampler *)object)->device;

    core_free(object->context, object, sizeof(struct core_sampler));
    core_object_release(&device->object);
}

static const char *sampler_device_id(const struct core_object *object)
{
    return ((const struct core_sampler *)object)->device->id;
}

static const struct core_object_ops sampler_ops = {
    .type      = CORE_SAMPLER,
    .name      = "sampler",
    .source    = __FILE__,
    .device_id = sampler_device_id,
    .retire    = sampler_retire,
    .release   = sampler_release,
};

void trm_sampler_destroy(struct trm_sampler *sampler)
{
    struct core_sampler *found = sampler != NULL ? core_object_enter(sampler, CORE_SAMPLER) : NULL;

    if (found == NULL)
        return;
    core_device_reap(found->device);
    core_object_kill(&found->object);
    core_object_leave(&found->object);
}

/* ---- creating -------------------------------------------------------------------------------- */

static int32_t check_value(int32_t value, int32_t last, const char *what)
{
    if (value >= 0 && value <= last)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not %s of a sampler", value, what);
}

static int32_t check_unnormalized(const struct trm_sampler_desc *desc)
{
    if (desc->unnormalized > 1)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "`unnormalized` of a sampler is %" PRIu32 ", not 0 or 1",
                         desc->unnormalized);
    if (desc->unnormalized == 0)
        return TRM_OK;
    if (desc->compare != TRM_COMPARE_NONE)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a sampler with unnormalized coordinates does not compare with a depth");
    if (desc->mip_filter != TRM_FILTER_NEAREST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a sampler with unnormalized coordinates has no linear mip_filter");
    for (uint32_t i = 0; i < 3; i++)
        if (desc->address[i] != TRM_ADDRESS_CLAMP && desc->address[i] != TRM_ADDRESS_BORDER)
            return base_fail(
                TRM_ERROR_INVALID_ARGUMENT,
                "a sampler with unnormalized coordinates clamps or has a border; address[%" PRIu32
                "] is neither",
                i);
    return TRM_OK;
}

static int32_t check_desc(const struct trm_sampler_desc *desc)
{
    int32_t status = check_value(desc->filter, TRM_FILTER_LINEAR, "a filter");
    if (status == TRM_OK)
        status = check_value(desc->mip_filter, TRM_FILTER_LINEAR, "a mip_filter");
    for (uint32_t i = 0; i < 3 && status == TRM_OK; i++)
        status = check_value(desc->address[i], TRM_ADDRESS_BORDER, "an address mode");
    if (status == TRM_OK)
        status = check_value(desc->border, TRM_BORDER_WHITE, "a border");
    if (status == TRM_OK)
        status = check_value(desc->compare, TRM_COMPARE_ALWAYS, "a comparison");
    return status == TRM_OK ? check_unnormalized(desc) : status;
}

static int32_t create_native(struct core_sampler *sampler)
{
    struct core_device *device = sampler->device;

    if (sampler->desc.compare != TRM_COMPARE_NONE && device->backend->table.abi_minor < COMPARE_SINCE)
        return base_fail(
            TRM_ERROR_UNSUPPORTED,
            "the backend of device %s has no samplers that compare with a depth: it was made for "
            "minor %" PRIu32 " of the plugin ABI, and they need %u",
            device->id, device->backend->table.abi_minor, COMPARE_SINCE);
    base_error_clear();
    int32_t status = core_answer_object(
        device->backend, "image.sampler_create",
        device->backend->image.sampler_create(device->device, &sampler->desc, &sampler->backend), "sampler",
        &sampler->backend);
    return status == TRM_OK ? TRM_OK : core_device_latch_loss(device, base_fail_backend(status));
}

/* The description has been checked. The caller publishes the sampler. */
static int32_t sampler_create(struct core_device *device, const struct trm_sampler_desc *desc,
                              struct core_sampler **sampler)
{
    struct core_context *context = device->object.context;

    core_device_reap(device);
    struct core_sampler *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("creating a sampler");
    made->device          = device;
    made->desc            = *desc;
    made->in_flight.owner = &made->object;
    int32_t status        = core_object_init(&made->object, &sampler_ops, context);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    core_device_add_child(device, CORE_SAMPLER);
    if (core_images_are_native(device))
        status = create_native(made);
    if (status != TRM_OK) {
        core_object_abandon(&made->object);
        return status;
    }
    *sampler = made;
    return TRM_OK;
}

int32_t trm_sampler_create(struct trm_device *device, const struct trm_sampler_desc *desc,
                           struct trm_sampler **sampler)
{
    struct trm_sampler_desc own = {.struct_size = sizeof(own)};
    struct core_sampler *made   = NULL;

    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(sampler, "trm_sampler_create", "sampler");
    if (status == TRM_OK)
        status = core_device_check(found);
    if (status == TRM_OK)
        status = core_desc_copy(&own, sizeof(own), desc, DESC_MIN, "trm_sampler_desc");
    if (status == TRM_OK)
        status = check_desc(&own);
    if (status == TRM_OK)
        status = sampler_create(found, &own, &made);
    if (status == TRM_OK)
        *sampler = core_object_publish(&made->object);
    core_object_leave(&found->object);
    return status;
}
