/* The memory of a run on a device of Trireme: buffers, images and samplers.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_TRIREME_IMAGES_H
#define TESTS_DIFFERENTIAL_TRIREME_IMAGES_H

#include <trireme/trireme.h>

#include "tests/differential/runner.h"

#define MEMORY_MOST 64u

/* By the request's buffers and samplers; NULL for those of the other kind. */
struct trireme_memory {
    struct trm_argument elements[4 * MEMORY_MOST]; /* of arrays that are arguments */
    uint32_t element_count;
    struct trm_buffer *buffers[MEMORY_MOST];
    struct trm_image *images[MEMORY_MOST];
    struct trm_sampler *samplers[MEMORY_MOST];
};

/* Each answers the status of the first call that fails. */
int32_t trireme_memory_make(struct trireme_memory *memory, struct trm_device *device,
                            struct trm_stream *stream, const struct run_request *request);
int32_t trireme_memory_read(const struct trireme_memory *memory, struct trm_stream *stream,
                            const struct run_request *request);
void trireme_memory_end(struct trireme_memory *memory);

/* The argument for a buffer, image, sampler or texel buffer, by set and binding. 0 when the request has
 * none. */
int trireme_memory_argument(struct trireme_memory *memory, const struct run_request *request,
                            const struct trm_parameter *parameter, struct trm_argument *argument);

#endif
