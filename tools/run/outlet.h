/* Trireme: writing a file or pipe from beginning to end.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_OUTLET_H
#define TRIREME_TOOLS_RUN_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/fault.h"

struct outlet {
    const char *name; /* for messages; owned by the caller */
    int descriptor;   /* -1: closed */
    bool regular;     /* a file, which can be truncated */
    bool failed;
    uint64_t position; /* of the next byte */
    uint64_t whole;    /* bytes of complete frames */
};

/* Create or truncate a file; "-" is standard output, which must not be a terminal. */
bool outlet_open(struct outlet *outlet, const char *path, struct fault *fault);

bool outlet_write(struct outlet *outlet, const void *data, uint64_t size, struct fault *fault);

/* Mark everything written so far as complete. */
void outlet_mark(struct outlet *outlet);

/* Close it; after a failure, truncate a file behind the last complete frame. May be called again. */
bool outlet_close(struct outlet *outlet, struct fault *fault);

#endif
