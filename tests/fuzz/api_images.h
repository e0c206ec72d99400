/* Images, samplers and programs, for the fuzzer of the API: each thread has some of its own, and a model of
 * them.
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_API_IMAGES_H
#define FUZZ_API_IMAGES_H

#include <stdbool.h>
#include <trireme/trireme.h>

#include "tests/fuzz/fuzz.h"

enum {
    API_IMAGES = 3,
    API_SIDE   = 16 /* texels, at most */
};

struct api_image {
    struct trm_image *handle; /* stale where it is not alive */
    bool is_alive;
    uint32_t width, height;
    uint32_t texels[API_SIDE * API_SIDE];
};

struct api_images {
    struct api_image images[API_IMAGES];
    struct trm_sampler *sampler; /* stale where it is not alive */
    bool has_sampler;
};

/* The call must give that status, and explain a failure. */
void api_expect(const char *what, int32_t status, int32_t wanted);

/* One call that the input selects, on a stream that may be stale. Waits for the stream. */
void api_images_call(struct api_images *images, struct trm_device *device, struct trm_stream *stream,
                     bool is_alive, struct fuzz_input *input);

/* Destroys all of them. */
void api_images_end(struct api_images *images);

/* Runs a small program. */
void api_run_program(struct trm_context *context, struct fuzz_input *input);

#endif
