/* A profiler that counts, which NVTX loads where the variable NVTX_INJECTION64_PATH names it; as a test
 * program sees it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_PROFILER_H
#define CUDA_PROFILER_H

#include <stdint.h>

#define PROFILER_SYMBOL "cuda_test_profiler"

struct cuda_test_profiler {
    uint64_t has_nvtx;            /* 0: the toolkit came without its headers, so that nothing is reported */
    uint64_t begun, ended, below; /* below zero: ranges that were ended and not begun, in any thread */
    uint64_t tokens, uploads, downloads, named; /* ranges of these names; named: all others */
    uint64_t number;                            /* the highest payload of a range */
    uint64_t streams;                           /* streams that were named */
    char domain[32];
};

#endif
