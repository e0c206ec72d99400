/* Trireme: numbered files, or all images of a folder.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_SEQUENCE_H
#define TRIREME_TOOLS_RUN_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/fault.h"

/* Files in the order of their frames. */
struct sequence {
    char **paths;
    uint64_t count; /* 0: the path was that of one file */
    uint64_t capacity;
    uint64_t first; /* the number of the first file; of a folder 1 */
};

/* The files that a path stands for: those of a folder that end in .ppm, .pgm or .pnm, by their names, in which stretches of
 * digits count as numbers; or, for a pattern ("frame%04d.ppm"), those numbered one after the other, beginning with 0 to 4.
 * Any other path leaves the sequence empty. Fails when it stands for no file at all. */
bool sequence_find(struct sequence *sequence, const char *path, struct fault *fault);
void sequence_release(struct sequence *sequence);

/* Does the path have exactly one place for a number, "%d" or "%04d"? ("%%" is a percent sign.) What else begins with a
 * percent sign is not accepted. */
bool sequence_is_pattern(const char *path);

/* The path of file number `number` of a pattern, for free(). */
char *sequence_path(const char *pattern, uint64_t number);

#endif
