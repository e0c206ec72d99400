/* Finds the #include directives of a GLSL text.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_SCAN_H
#define COMPILER_GLSL_GLSL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct glsl_scan {
    const char *text;
    size_t size;
    size_t at;             /* 0 at the beginning */
    bool is_within_a_line; /* something other than blanks precedes */
};

/* Offsets in the text. */
struct glsl_directive {
    size_t hash;       /* of the '#' */
    size_t begin, end; /* of the file's name with its quotes or angle brackets */
    bool is_relative;  /* quotes */
};

/* Finds the next directive. Comments, strings and continued lines are read as a preprocessor reads them;
 * conditions are not evaluated. False at the end of the text. */
bool glsl_scan_next(struct glsl_scan *scan, struct glsl_directive *directive);

#endif
