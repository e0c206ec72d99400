/* Ports that are images.
 *
 * Where images are plain memory, the device side of such a port is level 0 of the image as a span of its
 * buffer, and everything but the arguments of kernels goes as for a buffer. An image of the backend's is
 * copied as an image, and has no common memory with the host.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_PORT_IMAGE_H
#define PIPELINE_ENGINE_PORT_IMAGE_H

#include <trireme/image.h>

#include "pipeline/engine/engine_internal.h"

/* What a port that is an image is made of; constant. */
struct pipeline_port_image {
    struct trm_image_desc desc; /* complete */
    uint64_t bytes;             /* of all levels on the device */
    uint64_t offset;            /* of level 0 in the buffer of an image of plain memory */
};

/* Makes the table of images; copies the description of a port, or holds its shared image, and sets the port's
 * size. Failures do not name the port. */
int32_t pipeline_port_images_create(struct pipeline *pipeline);
int32_t pipeline_port_image_copy(struct pipeline *pipeline, uint32_t port);

/* The image of a slot: creates it, with `device` and, where host and device share it, `memory`. */
int32_t pipeline_port_image_make(struct pipeline_slot *slot, uint32_t port, bool is_common);

/* The image of a token in the port, for arguments of kernels. */
struct trm_image *pipeline_port_image(const struct pipeline_slot *slot, uint32_t port);

/* The slot's image where it is the backend's, else NULL. */
struct trm_image *pipeline_port_native_image(const struct pipeline_slot *slot, uint32_t port);

/* Checks a port as an argument of a kernel. `argument` becomes a TRM_ARGUMENT_PORT_IMAGE whose sampler the
 * pipeline holds. Failures do not name the argument. */
int32_t pipeline_port_image_check(struct pipeline *pipeline, const struct trm_parameter *parameter,
                                  struct trm_argument *argument);

static inline bool pipeline_port_is_image(const struct pipeline_device *engine, uint64_t port)
{
    return (engine->image_ports & PIPELINE_BIT(port)) != 0;
}

/* Whether the host's side of a slot's port is other memory than the device's, in a pipeline of a device that
 * shares the host's memory and copies nothing, too. */
static inline bool pipeline_port_has_two_sides(const struct pipeline_device *engine, uint32_t port)
{
    if (!engine->zero_copy || (engine->native_ports & PIPELINE_BIT(port)))
        return true;
    return !engine->unified && pipeline_port_is_image(engine, port);
}

#endif
