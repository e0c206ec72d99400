/* What the tests of the stand-ins share: they are linked, and each test has a process of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STANDIN_CHECK_FIXTURE_H
#define CUDA_STANDIN_CHECK_FIXTURE_H

#include "tests/check.h"
#include <cuda.h>
#include <nvrtc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/standin/control.h"

extern const struct cuda_standin_control cuda_standin_control;
extern const struct cuda_standin_compiler cuda_standin_compiler;

#define COUNT 1024 /* elements of most buffers */

#define must(call) ck_assert_int_eq(call, CUDA_SUCCESS)

/* Initializes CUDA as configured, and makes the primary context of the first device current. */
CUcontext begin(const char *configuration);
/* Releases it; nothing may live, and no rule may have been broken. */
void end(void);

CUstream make_stream(void);
CUevent make_event(void);
/* COUNT words of device memory. */
CUdeviceptr make_words(void);
/* Pinned, all of one value. */
uint32_t *make_pinned(uint32_t value);
/* What `count` words of device memory are, by way of a stream that waits for no other. */
void read_words(CUdeviceptr from, uint32_t *to, size_t count);
uint32_t read_word(CUdeviceptr from);

/* Code for the device, which the caller frees; NULL and the compiler's words in `log`: it does not
 * compile. */
char *compile(const char *text, const char *option, char *log, size_t capacity);
/* The kernel of that name, of a text that compiles. */
CUfunction make_kernel(CUmodule *module, const char *text, const char *name);
CUresult launch(CUfunction function, unsigned int groups, unsigned int items, CUstream stream,
                void **parameters);

int run_tests(TCase *tests, const char *name);

#endif
