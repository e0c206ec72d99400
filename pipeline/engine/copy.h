/* Copies between the two sides of a port: the device's, a span or an image of the backend's, and the host's,
 * a span or an address.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_COPY_H
#define PIPELINE_ENGINE_COPY_H

#include "pipeline/engine/engine_internal.h"

struct pipeline_copy {
    struct trm_image *image; /* of the backend's, all of level 0; NULL: `device` */
    struct trm_span device;  /* of an image, only its length counts */
    struct trm_span host;    /* buffer NULL: `memory` */
    unsigned char *memory;
};

/* Of the current piece of a token. */
struct pipeline_copy pipeline_copy_of(const struct pipeline_port_memory *location);

/* Of all that the token has in a port, in the slot's own memory. */
struct pipeline_copy pipeline_copy_of_slot(const struct pipeline_slot *slot, uint32_t port);

/* Enqueues or records it. */
int32_t pipeline_copy_enqueue(struct trm_stream *stream, bool is_upload, const struct pipeline_copy *copy);

bool pipeline_copy_is_same(const struct pipeline_copy *a, const struct pipeline_copy *b);

#endif
