/* What the tests of the cuda backend share: contexts that reach CUDA through the stand-in (tests/standin) or through the machine's
 * own driver, and an allocator that counts.
 *
 * CUDA_TEST_DRIVER=real: the machine's own driver, on a GPU. What needs the stand-in is then left out (standin_missing()).
 * CUDA_TEST_THOROUGH=1: every call fails in its turn, not one in so many.
 * CUDA_TEST_BACKEND names another plugin than that of the build tree.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_FIXTURE_H
#define CUDA_FIXTURE_H

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/standin/control.h"

/* The control of the stand-in; NULL on the machine's own driver. */
extern const struct cuda_standin_control *standin;

/* What the setting cuda.driver is, for programs that open the driver beside the library. */
const char *driver_path(void);

/* Says why a test does nothing here; the caller returns. */
void skip(const char *reason);
bool standin_missing(void);

/* What the stand-in is to be, as its configure() has it. Each test is a process of its own, in which the driver has not been
 * initialised yet. Nothing on the machine's own driver. */
void standin_shape(const char *text);

/* What waits of the backend do: look for so many microseconds before they sleep ("0" until told otherwise). */
void spin_for(const char *microseconds);

/* Host memory that contexts took and have not given back. */
long bytes_taken(void);

/* Contexts for "cuda" alone, with further settings. */
int32_t context_make(const struct trm_setting *more, uint32_t count, struct trm_context **context);
struct trm_context *context_open(void);
struct trm_device *device_open(struct trm_context *context, const char *id);
struct trm_stream *stream_open(struct trm_device *device, int32_t role);
struct trm_buffer *buffer_open(struct trm_device *device, int32_t kind, uint64_t size);

/* The first device and a stream of it; gone again with world_close(), which leaves nothing. For Check's fixtures. */
struct world {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
};
extern struct world the;
void world_open(void);
void world_close(void);

/* Nothing of the driver's and of the host's memory is left, and no rule of CUDA was broken; check_memory_left() looks at the host's
 * memory alone. */
void check_nothing_left(const char *after);
void check_memory_left(const char *after);

/* `quick` under CONFORMANCE_QUICK=1 and with a sanitizer: fewer rounds do. */
unsigned scaled(unsigned full, unsigned quick);
/* `full` with CUDA_TEST_THOROUGH=1 alone: what takes minutes. */
unsigned thorough(unsigned full, unsigned usual);
bool sanitized(void);

/* ---- kernels ---- */

/* "affine": data[i] × factor + addend over n numbers. "spread": out[i] = in[i] × factor + addend; in, out, n, factor, addend.
 * "dawdle": takes at least so many microseconds, its only argument. */
int32_t affine_load(struct trm_device *device, struct trm_kernel **kernel);
int32_t spread_load(struct trm_device *device, struct trm_kernel **kernel);
int32_t dawdle_load(struct trm_device *device, struct trm_kernel **kernel);
struct trm_kernel *affine_on(struct trm_device *device);
int32_t affine_launch(struct trm_stream *stream, struct trm_kernel *kernel, struct trm_buffer *data,
                      uint32_t n, uint32_t factor, uint32_t addend);

/* ---- holding a stream ---- */

/* A callback that keeps its stream from going on until it is opened; from any thread. */
struct barrier {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool open, reached;
};
#define BARRIER_CLOSED                                                    \
    {                                                                     \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false \
    }
int32_t barrier_enqueue(struct trm_stream *stream, struct barrier *barrier);
void barrier_await(struct barrier *barrier); /* until the stream has come to it */
void barrier_open(struct barrier *barrier);

/* ---- checks ---- */

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

/* Runs a suite as a test program does: 77 where there is no device; run_on_standin() also where it is not the stand-in's. */
int run_suite(Suite *suite);
int run_on_standin(Suite *suite);

#endif
