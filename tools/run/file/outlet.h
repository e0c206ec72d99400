/* Trireme: writing a file or pipe.
 *
 * Opening a file leaves its contents alone: they are replaced when the first byte is written, so a run that
 * fails before keeps them, and a file that the run made is removed again.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_FILE_OUTLET_H
#define TRIREME_TOOLS_RUN_FILE_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/output/output.h"
#include "tools/run/file/claims.h"

struct outlet {
    char *name;     /* the path, or "standard output" */
    int descriptor; /* −1: closed */
    bool regular;   /* a file, which can be truncated and written at any position */
    bool paced;     /* a pipe, a terminal, a device: what reads it sets the pace */
    bool replaces;  /* the file had contents */
    bool made;      /* the file was made by outlet_open() */
    bool begun;     /* former contents are gone */
    bool failed;
    uint64_t position; /* of the next byte */
    uint64_t whole;    /* bytes that are kept after a failure */
};

/* Open a file, or make it; "-" is standard output. Refuses a file that the run uses otherwise (enum
 * claim_use). */
bool outlet_open(struct outlet *outlet, const char *path, int use, struct claims *claims,
                 struct fault *fault);

/* Discard the former contents, unless it was done. The first write does it too. */
bool outlet_begin(struct outlet *outlet, struct fault *fault);

/* Write the next bytes. */
bool outlet_write(struct outlet *outlet, const void *data, uint64_t size, struct fault *fault);

/* Write bytes at a position of a regular file after outlet_begin(). Any thread. */
bool outlet_write_at(struct outlet *outlet, uint64_t place, const void *data, uint64_t size,
                     struct fault *fault);

/* After a failure, keep this number of bytes from the beginning. */
void outlet_keep(struct outlet *outlet, uint64_t bytes);

/* Close it. After a failure a file is truncated to the bytes to be kept; a file that was made and never
 * begun is removed. May be called again. */
bool outlet_close(struct outlet *outlet, struct fault *fault);

#endif
