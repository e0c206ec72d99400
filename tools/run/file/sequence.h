/* Trireme: numbered files, or all images of a folder.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_FILE_SEQUENCE_H
#define TRIREME_TOOLS_RUN_FILE_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/output/output.h"

/* Files in the order of their frames. */
struct sequence {
    char **paths;
    uint64_t count; /* 0: the path was that of a single file */
    uint64_t capacity;
    uint64_t first; /* the number of the first file; 1 for a folder */
    bool folder;    /* all images of a folder */
};

/* Find the files of a path: for a folder, its .ppm, .pgm and .pnm files in the natural order of their names;
 * for a pattern ("frame%04d.ppm"), the consecutively numbered files, beginning with 0 to 4. Any other path
 * leaves the sequence empty. Fails if a folder or pattern has no file. */
bool sequence_find(struct sequence *sequence, const char *path, struct fault *fault);
void sequence_release(struct sequence *sequence);

/* True if the extension is that of an image: .ppm, .pgm or .pnm. */
bool sequence_is_image(const char *path);

/* True if the path has exactly one "%d" or "%04d", and no other directive than "%%", a percent sign. */
bool sequence_is_pattern(const char *path);

/* The path of file number `number` of a pattern; the caller frees it. */
char *sequence_path(const char *pattern, uint64_t number);

#endif
