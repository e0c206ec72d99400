/* Compiles GLSL to SPIR-V in a process of its own: some versions of the optimizer crash on valid code.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_COMPILE_H
#define TESTS_DIFFERENTIAL_COMPILE_H

#include <stdint.h>

enum compile_status {
    COMPILE_PENDING = 0,
    COMPILE_DONE,
    COMPILE_REFUSED,     /* `message` is the compiler's */
    COMPILE_UNSUPPORTED, /* no GLSL can be compiled here; `message` says what is missing */
    COMPILE_CRASHED,
};

struct compilation {
    const char *name; /* of the shader, without ".comp" */
    const char *text;
    uint32_t flags; /* enum trm_glsl_flag */
    enum compile_status status;
    uint32_t *words; /* of DONE, from malloc() */
    uint64_t size;   /* bytes */
    char *message;   /* of the others, from malloc(); may be NULL */
};

/* Compile them all, several in one process where that works. To be called while the process has one thread
 * only. 0 when no process can be made. */
int compile_all(struct compilation *list, uint32_t count);

/* Write those that were compiled to a folder, and take them from there instead of compiling: for machines
 * that have no compiler of GLSL. 0 when a file cannot be written; what is not there to be read is
 * UNSUPPORTED. */
int save_all(const struct compilation *list, uint32_t count, const char *folder);
void load_all(struct compilation *list, uint32_t count, const char *folder);

/* compile_all() with the folder as a cache: files are named by a hash of the text and the flags, so several
 * tests share the work. A file that cannot be written is left out. */
int compile_all_cached(struct compilation *list, uint32_t count, const char *folder);

/* Take the SPIR-V of FILE.spvasm from FILE.spv, which is beside it: the functions above leave it alone. 0
 * when it cannot be read. */
int compilation_assembled(struct compilation *compilation, const char *path);

/* Read the SPIR-V from a file: the compilation is DONE where that works, else as it was. */
void compilation_read(struct compilation *compilation, const char *path);

void compilation_fini(struct compilation *compilation);

#endif
