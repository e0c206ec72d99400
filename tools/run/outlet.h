/* Trireme: a file or pipe that is written from its beginning to its end.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_OUTLET_H
#define TRIREME_TOOLS_RUN_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/fault.h"

struct outlet {
    const char *name; /* for messages; the caller's */
    int descriptor;   /* -1: closed */
    bool regular;     /* a file, which can be cut */
    bool failed;
    uint64_t position; /* of the next byte */
    uint64_t whole;    /* so many bytes are whole frames */
};

/* Begin a file, replacing what was there; "-" is standard output, which must be no terminal. */
bool outlet_open(struct outlet *outlet, const char *path, struct fault *fault);

bool outlet_write(struct outlet *outlet, const void *data, uint64_t size, struct fault *fault);

/* What was written up to here stands by itself. */
void outlet_mark(struct outlet *outlet);

/* Close it; after a failure a file is cut behind the last whole frame. Closing a closed one is fine. */
bool outlet_close(struct outlet *outlet, struct fault *fault);

#endif
