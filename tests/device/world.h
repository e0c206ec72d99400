/* A context, a device and a stream for each test, and an allocator that counts: what the tests of backends
 * for devices share. How a context reaches the driver, and what must not be left there, the fixture of each
 * backend says.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_WORLD_H
#define TESTS_DEVICE_WORLD_H

#include "tests/check.h"
#include <stdint.h>
#include <trireme/trireme.h>

/* ---- of the fixture ---- */

/* A context for the backend alone, with `count` further settings. Uses counting_allocator. */
int32_t context_make(const struct trm_setting *more, uint32_t count, struct trm_context **context);

/* No call of the driver's is made to fail or held back any more. */
void driver_let_go(void);

/* Nothing of the driver's and of the host's memory is left, and no rule of the driver was broken. */
void check_nothing_left(const char *after);

/* ---- for all ---- */

/* Counts what contexts take and have not given back: bytes_taken(). */
extern const struct trm_allocator counting_allocator;
long bytes_taken(void);
void check_memory_left(const char *after);

struct trm_context *context_open(void);
struct trm_device *device_open(struct trm_context *context, const char *id);
struct trm_stream *stream_open(struct trm_device *device, int32_t role);
struct trm_buffer *buffer_open(struct trm_device *device, int32_t kind, uint64_t size);

/* The first device and a stream of it; gone again with world_close(), which leaves nothing. For Check's
 * fixtures. */
struct world {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
};
extern struct world the;
void world_open(void);
void world_close(void);

/* Runs a suite as a test program does, and frees it; `without` where no device can be opened. */
int run_on_device(Suite *suite, int without);

#endif
