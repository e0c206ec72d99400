/* Trireme: another program, such as a compiler, run to its end under limits, as the library runs cc and
 * glslc.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * Blocks      no
 * Threads     any
 * Ownership   what a result points to lives until the result is released
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_PROGRAM_H
#define TRIREME_PROGRAM_H

#include <trireme/api.h>

TRM_API_BEGIN

struct trm_context;

/* A program to run. */
struct trm_program_desc {
    uint32_t struct_size;
    uint32_t reserved;
    const char *const *arguments; /* the first is the program's absolute path; NULL ends the list */
    const char *what;             /* what it works on, for messages: "kernel 'saxpy'" */
    const char *file;             /* a file that is written into the program's folder before; NULL: none */
    const void *bytes;            /* the contents of that file */
    uint64_t size;                /* of the contents */
};

/* How a program ended. Valid until it is released. */
struct trm_program_result {
    uint32_t struct_size;
    int32_t exit_status;  /* 0 where the program succeeded, or was killed by a signal */
    int32_t signal;       /* that killed it; 0: none */
    uint32_t reserved;    /* 0 */
    const char *folder;   /* absolute; holds the files that the program wrote */
    const char *messages; /* what it wrote to its standard outputs, at most 64 KiB */
    void *state;          /* of the library */
};

/* Run a program in a temporary folder of its own, with no input, a fixed environment (PATH, LC_ALL=C, TMPDIR)
 * and no open files, under the limits of the settings compiler.time, compiler.memory and compiler.output. All
 * processes of its process group end with the call, and also when the calling process ends, in whatever way.
 *
 * desc       arguments may name files by their names in the folder, which is the current one of the program
 * result     the caller sets its struct_size
 * Blocks     until the program has ended
 * Ownership  the caller releases the result, which keeps the context alive. That removes the folder
 * Errors     TIMEOUT, and BACKEND where it needed more memory or wrote more than it may, naming the setting;
 *            UNSUPPORTED where it cannot be executed; PERMISSION where other users can replace the library's
 *            files. A program that fails otherwise gives TRM_OK: look at `exit_status` and `signal`
 */
TRM_API int32_t trm_program_run(struct trm_context *context, const struct trm_program_desc *desc,
                                struct trm_program_result *result);

/* Release a result. One without `state`, and NULL, are fine. */
TRM_API void trm_program_release(struct trm_program_result *result);

TRM_API_END

#endif
