/* Writes a GLSL text and all files that it includes into the folder of glslc, so that the program itself
 * searches for no file.
 *
 * Each file becomes a file GLSL_GATHERED and a number, in which the names behind #include are such names too.
 * The text is number 0. A file that is included at several depths is written once for each, so that the limit
 * of the depth holds; the includes of the last depth, and those of files that are not found, become #error
 * with the reason. The preprocessor of glslc then decides which of them it reaches.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_GATHER_H
#define COMPILER_GLSL_GLSL_GATHER_H

#include "base/base.h"
#include "base/program/program.h"
#include "compiler/glsl/glsl_include.h"

#define GLSL_GATHERED "trireme-glsl-"
#define GLSL_GATHERED_FIRST "trireme-glsl-000000"

/* One gathered text: the source, or an included file at one depth. */
struct glsl_node {
    const char *path; /* of the file itself, for messages */
    const char *content;
    uint64_t size;
    uint32_t depth;
};

struct glsl_nodes {
    struct glsl_node *list; /* by number, in the arena */
    uint32_t count, capacity;
};

/* file    the name of the text
 * Errors  BACKEND if the folder cannot be written; OUT_OF_HOST_MEMORY */
int32_t glsl_gather(const struct base_program *program, struct glsl_includes *includes, const char *text,
                    uint64_t length, const char *file, struct glsl_nodes *nodes);

/* A copy of `text` in the arena, with the path of each file in place of its number; `text` itself if it names
 * none. NULL without memory. */
const char *glsl_gather_rename(struct base_arena *arena, const struct glsl_nodes *nodes, const char *text);

#endif
