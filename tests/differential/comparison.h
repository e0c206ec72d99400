/* One shader on two runners.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_COMPARISON_H
#define TESTS_DIFFERENTIAL_COMPARISON_H

#include "tests/differential/shader_case.h"

enum comparison_result {
    COMPARISON_SAME = 0,
    COMPARISON_SKIPPED,   /* one of the two cannot; `message` says which and why */
    COMPARISON_DIFFERENT, /* or did not work at all; `message` says it */
};

struct comparison {
    struct runner *one, *other;
    uint64_t seed; /* of the data */
    /* What `one` runs when it cannot run the case: SPIR-V of the case's twin, and its bytes; NULL:
     * nothing. */
    const uint32_t *twin;
    uint64_t twin_size;
    char message[RUNNER_MESSAGE + 256];
};

/* size: bytes of SPIR-V */
enum comparison_result compare_case(struct comparison *comparison, const struct shader_case *shader,
                                    const uint32_t *words, uint64_t size);

#endif
