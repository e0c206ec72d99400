/* Images of the application's, and native handles of images; see <trireme/interop.h>.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <trireme/interop.h>

#include "core/image/image.h"
#include "core/interop/interop.h"
#include "core/object/object.h"

/* ---- adoption -------------------------------------------------------------------------------- */

struct source {
    int32_t type, layout;
    uint64_t native;
};

static int32_t make(void *user, struct core_image *image)
{
    const struct source *source = user;
    struct core_device *device  = image->device;

    image->is_adopted = true;
    base_error_clear();
    int32_t status = core_answer_object(device->backend, "interop.image_adopt",
                                        device->backend->interop.image_adopt(device->device, &image->desc,
                                                                             source->type, source->native,
                                                                             source->layout, &image->backend),
                                        "image", &image->backend);
    return status == TRM_OK ? TRM_OK : core_device_latch_loss(device, base_fail_backend(status));
}

static int32_t complete(const struct core_device *device, const struct trm_image_desc *theirs,
                        struct trm_image_desc *desc)
{
    desc->struct_size = sizeof(*desc);
    int32_t status    = core_image_desc_complete(device, theirs, desc);
    if (status == TRM_OK && theirs->usage == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the description of an image of the program's does not say its usage");
    return status;
}

static int32_t adopt(struct core_device *device, const struct trm_image_desc *desc, struct source *source,
                     struct trm_image **out)
{
    struct trm_image_desc own;
    struct core_image *image;

    int32_t status = core_interop_check_native(source->type, CORE_NATIVE_IMAGE);
    if (status == TRM_OK)
        status = core_output_check(out, "trm_image_adopt", "image");
    if (status == TRM_OK)
        status = core_device_check(device);
    if (status != TRM_OK)
        return status;
    if (device->backend->interop.image_adopt == NULL || !core_images_are_native(device))
        return core_interop_missing(device, "adoption of images");
    status = complete(device, desc, &own);
    if (status == TRM_OK)
        status = core_image_create_by(device, &own, make, source, &image);
    if (status == TRM_OK)
        *out = core_object_publish(&image->object);
    return status;
}

int32_t trm_image_adopt(struct trm_device *handle, const struct trm_image_desc *desc, int32_t type,
                        uint64_t native, int32_t layout, struct trm_image **image)
{
    struct source source = {.type = type, .layout = layout, .native = native};

    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = adopt(device, desc, &source, image);
    core_object_leave(&device->object);
    return status;
}

/* ---- the way back ---------------------------------------------------------------------------- */

static int32_t hand_back(struct core_image *image, int32_t layout)
{
    struct core_device *device = image->device;

    if (!image->is_adopted)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the image is not the program's: trm_image_adopt() did not make it");
    if (device->backend->interop.image_hand_back == NULL)
        return core_interop_missing(device, "images to hand back");
    int32_t status = core_in_flight_wait(&image->in_flight, TRM_FOREVER);
    if (status != TRM_OK)
        return status;
    base_error_clear();
    status = core_answer(device->backend, "interop.image_hand_back",
                         device->backend->interop.image_hand_back(image->backend, layout));
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    core_object_kill(&image->object);
    return TRM_OK;
}

int32_t trm_image_hand_back(struct trm_image *handle, int32_t layout)
{
    struct core_image *image = core_object_enter(handle, CORE_IMAGE);
    if (image == NULL)
        return base_last_status();
    int32_t status = hand_back(image, layout);
    core_object_leave(&image->object);
    return status;
}

/* ---- native handles -------------------------------------------------------------------------- */

static int32_t find_native(const struct core_image *image, int32_t type, uint64_t *native)
{
    struct core_device *device = image->device;
    uint64_t found             = 0;

    if (device->backend->interop.image_handle == NULL || image->backend == NULL)
        return core_interop_missing(device, "native handles of images");
    base_error_clear();
    int32_t status = core_answer(device->backend, "interop.image_handle",
                                 device->backend->interop.image_handle(image->backend, type, &found));
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    *native = found;
    return TRM_OK;
}

int32_t trm_image_native(struct trm_image *handle, int32_t type, uint64_t *native)
{
    struct core_image *image = core_object_enter(handle, CORE_IMAGE);
    if (image == NULL)
        return base_last_status();
    int32_t status = core_interop_check_native(type, CORE_NATIVE_IMAGE);
    if (status == TRM_OK)
        status = core_output_check(native, "trm_image_native", "native");
    if (status == TRM_OK)
        status = find_native(image, type, native);
    core_object_leave(&image->object);
    return status;
}
