/* Something that runs compute shaders: a Vulkan device, or Trireme's translation on a device of its own. All
 * of them take the same request, so that what they make of it can be compared.
 *
 *     char reason[RUNNER_MESSAGE];
 *     struct runner *vulkan = vulkan_runner_open(reason, sizeof(reason));
 *     if (!vulkan)
 *         return skip(reason);
 *     struct run_buffer buffers[] = {{.binding = 0, .bytes = input, .size = sizeof(input)},
 *                                    {.binding = 1, .bytes = output, .size = sizeof(output)}};
 *     struct run_request request = {.words = words, .word_count = count, .buffers = buffers,
 *                                   .buffer_count = 2, .groups = {16, 1, 1}};
 *     if (runner_run(vulkan, &request) != RUN_DONE)
 *         fail(vulkan->message);
 *     runner_close(vulkan);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_RUNNER_H
#define TESTS_DIFFERENTIAL_RUNNER_H

#include <stddef.h>
#include <stdint.h>

#define RUNNER_MESSAGE 8192

/* What a buffer is when it is no plain one: an image whose bytes are its texels, level after level, or a
 * texel buffer. */
struct run_image {
    int32_t type;   /* enum trm_image_type; BUFFER: a texel buffer */
    int32_t format; /* enum trm_format */
    uint32_t width, height, depth, layers, levels;
};

/* One buffer. Buffers of one set and binding are the elements of an array, in their order. Its bytes go to
 * the device before the run, and what the device left there comes back. */
struct run_buffer {
    uint32_t set;
    uint32_t binding;
    int uniform; /* a uniform buffer; else a storage buffer */
    void *bytes;
    size_t size;                   /* not 0 */
    const struct run_image *image; /* NULL: a plain buffer */
};

struct run_sampler {
    uint32_t set;
    uint32_t binding; /* its own, or that of the image that it samples */
    int32_t filter, mip_filter, address, border, compare;
    int texels; /* coordinates are texels */
};

/* A specialization constant; a bool is a u32 of 0 or 1. */
struct run_constant {
    uint32_t id;
    int32_t type;  /* enum trm_type */
    uint32_t size; /* bytes: 1, 2, 4 or 8 */
    uint64_t bits; /* in the low bytes */
};

/* Addresses of a buffer in push constants or in a buffer, for shaders that reach memory through them. The
 * bytes are zero before and after the run. */
struct run_address {
    uint32_t where; /* index of the buffer; RUN_PUSH: the push constants */
    uint32_t offset, stride, count;
    uint32_t target; /* index of the buffer that they point to */
    uint32_t target_offset, target_stride;
};

#define RUN_PUSH UINT32_MAX
#define RUN_ADDRESSES 16u

struct run_request {
    const uint32_t *words; /* SPIR-V in this machine's byte order */
    size_t word_count;
    const char *entry; /* NULL: "main" */
    struct run_buffer *buffers;
    uint32_t buffer_count;
    const struct run_sampler *samplers;
    uint32_t sampler_count;
    uint32_t push_size; /* bytes of push constants; 0: none */
    const void *push;
    const struct run_constant *constants;
    uint32_t constant_count;
    struct run_address addresses[RUN_ADDRESSES];
    uint32_t address_count;
    uint32_t groups[3];
};

enum run_status {
    RUN_DONE = 0,
    RUN_UNSUPPORTED, /* this device cannot: the message says what is missing */
    RUN_FAILED,      /* the message says why */
};

struct runner {
    const char *name;             /* "vulkan" */
    char device[256];             /* what it runs on */
    char message[RUNNER_MESSAGE]; /* of the last run that was not RUN_DONE */
    enum run_status (*run)(struct runner *runner, const struct run_request *request);
    void (*close)(struct runner *runner);
};

/* Run and wait. Buffers' bytes are written on RUN_DONE only. */
enum run_status runner_run(struct runner *runner, const struct run_request *request);

/* Write the addresses that a request needs into the bytes of its buffers and push constants: `addresses` has
 * that of each buffer. NULL: zeros. */
void run_place_addresses(const struct run_request *request, const uint64_t *addresses);

/* NULL is fine. */
void runner_close(struct runner *runner);

/* Does a request have images, texel buffers or samplers? The drivers by hand do not run those. */
int run_has_images(const struct run_request *request);

/* Has a request arrays: several buffers of one set and binding? */
int run_has_arrays(const struct run_request *request);

/* Note why a run did not work; answers `status`. */
enum run_status runner_say(struct runner *runner, enum run_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Open a runner by its name: "vulkan" and "cuda" are the drivers by hand, "cpu" and "backend" are Trireme's
 * (trireme_runner.h). NULL, and why, when it cannot be had here. */
struct runner *runner_open(const char *name, char *reason, size_t capacity);

#endif
