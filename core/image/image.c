/* Images: their life.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/image/image_desc.h"
#include "core/image/image_object.h"
#include "core/image/image_plan.h"
#include "core/object/object.h"

#define DESC_MIN 40 /* bytes of struct trm_image_desc in the first version */

/* ---- the end --------------------------------------------------------------------------------- */

static void destroy_backend(struct core_image *image)
{
    core_in_flight_fini(image->object.context, &image->in_flight);
    image->device->backend->image.destroy(image->backend);
    image->backend = NULL;
}

static void deferred_destroy(struct core_deferred *item)
{
    struct core_image *image = base_container_of(item, struct core_image, deferred);

    destroy_backend(image);
    core_object_release(&image->object);
}

static void destroy_backend_when_done(struct core_image *image)
{
    if (core_in_flight_is_done(&image->in_flight)) {
        destroy_backend(image);
        return;
    }
    core_object_retain(&image->object);
    image->deferred.in_flight = &image->in_flight;
    image->deferred.destroy   = deferred_destroy;
    core_device_defer(image->device, &image->deferred);
}

static void image_retire(struct core_object *object)
{
    struct core_image *image = (struct core_image *)object;

    core_device_uncount_child(image->device, CORE_IMAGE);
    core_object_kill_handle(atomic_load_explicit(&image->mip_kernel, memory_order_acquire), CORE_KERNEL);
    if (image->buffer != NULL)
        core_buffer_release_owner(image->buffer);
    if (image->texels != NULL)
        core_buffer_release_owner(image->texels);
    if (image->backend != NULL)
        destroy_backend_when_done(image);
}

static void image_release(struct core_object *object)
{
    struct core_image *image   = (struct core_image *)object;
    struct core_device *device = image->device;

    if (image->buffer != NULL)
        core_object_release(&image->buffer->object);
    if (image->texels != NULL)
        core_object_release(&image->texels->object);
    if (image->plan != NULL)
        core_free(object->context, image->plan, sizeof(*image->plan));
    core_free(object->context, image, sizeof(*image));
    core_object_release(&device->object);
}

static const char *image_device_id(const struct core_object *object)
{
    return ((const struct core_image *)object)->device->id;
}

static const struct core_object_ops image_ops = {
    .type      = CORE_IMAGE,
    .name      = "image",
    .source    = __FILE__,
    .device_id = image_device_id,
    .retire    = image_retire,
    .release   = image_release,
};

void trm_image_destroy(struct trm_image *image)
{
    struct core_image *found = image != NULL ? core_object_enter(image, CORE_IMAGE) : NULL;

    if (found == NULL)
        return;
    core_device_reap(found->device);
    core_object_kill(&found->object);
    core_object_leave(&found->object);
}

/* ---- creating -------------------------------------------------------------------------------- */

static int32_t create_native(struct core_image *image)
{
    struct core_device *device = image->device;

    base_error_clear();
    int32_t status =
        core_answer_object(device->backend, "image.create",
                           device->backend->image.create(device->device, &image->desc, &image->backend),
                           "image", &image->backend);
    return status == TRM_OK ? TRM_OK : core_device_latch_loss(device, base_fail_backend(status));
}

static int32_t fail_large(const struct core_image *image)
{
    const struct trm_image_desc *desc = &image->desc;

    return base_fail(TRM_ERROR_OUT_OF_RANGE,
                     "an image of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " texels of %s in %" PRIu32
                     " layers: device %s has at most %" PRIu64 " bytes an image",
                     desc->width, desc->height, desc->depth, trm_format_name(desc->format), desc->layers,
                     image->device->id, image->device->limits.max_buffer_bytes);
}

/* A program that guesses the handle of the buffer cannot end it. */
void core_image_own_buffer(struct core_image *image, struct core_buffer *buffer)
{
    atomic_store_explicit(&buffer->users, CORE_BUFFER_OWNER, memory_order_relaxed);
    core_object_retain(&buffer->object);
    core_object_publish(&buffer->object);
    image->buffer = buffer;
}

static int32_t create_plain(struct core_image *image)
{
    struct core_context *context = image->object.context;
    struct trm_buffer_desc desc  = {
         .struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .alignment = CORE_IMAGE_ALIGNMENT};
    struct core_buffer *buffer;

    image->plan = core_allocate(context, sizeof(*image->plan));
    if (image->plan == NULL)
        return base_fail_memory("creating an image");
    if (!core_image_plan(&image->desc, image->plan, &desc.size) ||
        desc.size > image->device->limits.max_buffer_bytes)
        return fail_large(image);
    int32_t status = core_buffer_create_checked(image->device, &desc, &buffer);
    if (status != TRM_OK)
        return status;
    core_image_own_buffer(image, buffer);
    core_object_log(&image->object, TRM_LOG_INFO,
                    "kept as plain memory of %" PRIu64 " bytes: the backend %s has no images of its own",
                    desc.size, image->device->backend->name);
    return core_buffer_write(buffer, 0, image->plan, sizeof(*image->plan));
}

int32_t core_image_create_by(struct core_device *device, const struct trm_image_desc *desc,
                             int32_t (*make)(void *user, struct core_image *image), void *user,
                             struct core_image **image)
{
    struct core_context *context = device->object.context;

    core_device_reap(device);
    struct core_image *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("creating an image");
    made->device          = device;
    made->desc            = *desc;
    made->in_flight.owner = &made->object;
    int32_t status        = core_object_init(&made->object, &image_ops, context);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    core_device_add_child(device, CORE_IMAGE);
    status = make(user, made);
    if (status != TRM_OK) {
        core_object_abandon(&made->object);
        return status;
    }
    *image = made;
    return TRM_OK;
}

static int32_t make_own(void *user, struct core_image *image)
{
    (void)user;
    return core_images_are_native(image->device) ? create_native(image) : create_plain(image);
}

int32_t core_image_create(struct core_device *device, const struct trm_image_desc *desc,
                          struct core_image **image)
{
    return core_image_create_by(device, desc, make_own, NULL, image);
}

int32_t trm_image_create(struct trm_device *device, const struct trm_image_desc *desc,
                         struct trm_image **image)
{
    struct trm_image_desc own;
    struct core_image *made = NULL;

    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(image, "trm_image_create", "image");
    if (status == TRM_OK)
        status = core_device_check(found);
    own.struct_size = sizeof(own);
    if (status == TRM_OK)
        status = core_image_desc_complete(found, desc, &own);
    if (status == TRM_OK)
        status = core_image_create(found, &own, &made);
    if (status == TRM_OK)
        *image = core_object_publish(&made->object);
    core_object_leave(&found->object);
    return status;
}

int32_t trm_image_describe(struct trm_image *image, struct trm_image_desc *desc)
{
    struct core_image *found = core_object_enter(image, CORE_IMAGE);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(desc, "trm_image_describe", "desc");
    if (status == TRM_OK && !core_struct_copy_out(desc, &found->desc, sizeof(found->desc), DESC_MIN))
        status =
            base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_image_describe: struct_size of `desc` is not set");
    core_object_leave(&found->object);
    return status;
}
