/* What the tests of the vulkan backend share: contexts that reach Vulkan through the shim, and an allocator that counts.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_FIXTURE_H
#define VULKAN_FIXTURE_H

#include <check.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/vulkan/shim/control.h"

/* The control of the shim, and its path. */
extern const struct vulkan_shim_control *shim;
const char *shim_path(void);

/* What the shim makes of the device, until it is told otherwise: pairs of variables of shim/control.h and values, the last NULL.
 * Only while there is no context. */
void shim_shape(const char *const *variables);

/* The device as it is, but that its queue works by itself; a discrete device with several families of queues; one of Vulkan 1.1
 * that has next to nothing. */
extern const char *const shape_plain[], *const shape_discrete[], *const shape_minimal[];

/* Host memory that contexts took and have not given back. */
long bytes_taken(void);

/* Contexts through the shim, with further settings. */
int32_t context_make(const struct trm_setting *more, uint32_t count, struct trm_context **context);
struct trm_context *context_open(void);
struct trm_device *device_open(struct trm_context *context);
struct trm_stream *stream_open(struct trm_device *device, int32_t role);

/* "vulkan" through the shim and the first device; gone again with world_close(), which leaves nothing. For Check's fixtures. */
struct world {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
};
extern struct world the;
void world_open(void);
void world_close(void);

/* Is this a build with a sanitizer? It takes many times as long, and bears no threads in the child of a fork. */
bool is_instrumented(void);

/* Nothing of Vulkan and of the host's memory is left, no rule was broken, and the layer has not complained. */
void check_nothing_left(const char *after);

/* The kernel "affine", data[i] × factor + addend over n numbers: on a device, and launched. */
struct trm_kernel *affine_on(struct trm_device *device);
int32_t affine_load(struct trm_device *device, struct trm_kernel **kernel);
/* The kernel "dawdle", which takes at least so many microseconds: its only argument. */
int32_t dawdle_load(struct trm_device *device, struct trm_kernel **kernel);
/* The kernel "spread", out[i] = in[i] × factor + addend over n numbers: in, out, n, factor, addend. */
int32_t spread_load(struct trm_device *device, struct trm_kernel **kernel);
int32_t affine_launch(struct trm_stream *stream, struct trm_kernel *kernel, struct trm_buffer *data,
                      uint32_t n, uint32_t factor, uint32_t addend);

#define ck_ok(call)                                                                                   \
    do {                                                                                              \
        int32_t status_given = (call);                                                                \
        ck_assert_msg(status_given == TRM_OK, "%s gave %s: %s", #call, trm_status_name(status_given), \
                      trm_last_error().sentence);                                                     \
    } while (0)

/* The call fails so, and says why. */
#define ck_fails(call, wanted)                                                                            \
    do {                                                                                                  \
        int32_t status_given = (call);                                                                    \
        ck_assert_msg(status_given == (wanted), "%s gave %s (%s) instead of %s", #call,                   \
                      trm_status_name(status_given), trm_last_error().sentence, trm_status_name(wanted)); \
        ck_assert_int_eq(trm_last_error().status, status_given);                                          \
        ck_assert(trm_last_error().sentence[0]);                                                          \
    } while (0)

#define ck_sentence_has(words)                                                                          \
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not said in: %s", words, \
                  trm_last_error().sentence)

/* Runs a suite as a test program does: 77 where there is no Vulkan device. */
int run_suite(Suite *suite);

#endif
