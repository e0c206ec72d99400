/* Runs another program, such as a compiler, to its end: under limits, in a temporary folder.
 *
 * The program and all processes of its process group end when the call returns, when the program that uses
 * the library ends, however that happens, and when a limit is exceeded. The folder is removed then. A
 * supervisor takes care of that (supervise.h). The program gets a fixed environment, no input, no open files,
 * and default handling of signals. Handlers, SIGCHLD and open files of the calling process stay as they are.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_PROGRAM_PROGRAM_H
#define BASE_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* The limits, and where things are. Error messages name the settings. */
struct base_program_rules {
    const char *supervisor;  /* the path of the supervisor */
    const char *first_place; /* a folder to prefer for temporary folders (TMPDIR); NULL: none */
    uint64_t seconds;        /* the setting compiler.time; 0: no limit */
    uint64_t memory;         /* bytes of address space of one process, compiler.memory; 0: no limit */
    uint64_t output;         /* bytes of one file, compiler.output; 0: no limit */
};

struct base_program {
    struct base_arena *arena;
    struct base_program_rules rules;
    const char *path;   /* of the program */
    const char *folder; /* absolute; the current folder of the program */
    const char
        *messages;       /* what it wrote to its standard outputs, cut at 64 KiB; set by base_program_run() */
    int32_t exit_status; /* of a program that exited */
    int32_t signal;      /* that killed the program; 0: none */
    int socket, output;  /* to the supervisor; the file of the messages */
    int supervisor;      /* a descriptor of its process; -1: none */
    int number;          /* of its process where there are no such descriptors; else 0 */
};

/* Starts the supervisor and makes the folder. `arguments` ends with NULL; the first is the absolute path of
 * the program. They may name files by their names in the folder. On success the caller closes the program.
 * Errors: UNSUPPORTED without the supervisor; PERMISSION if other users can replace it; BACKEND if no folder
 * can be made; OUT_OF_HOST_MEMORY. */
int32_t base_program_open(struct base_program *program, struct base_arena *arena,
                          const struct base_program_rules *rules, const char *const *arguments);

/* Writes a file into the folder, before the program runs. Errors: BACKEND. */
int32_t base_program_write(const struct base_program *program, const char *name, const void *bytes,
                           uint64_t size);

/* Runs the program, once, and blocks until it has ended. TRM_OK if it ended by itself and was not stopped by
 * a limit: the caller looks at `signal` and `exit_status`.
 *
 * what    what it works on, for messages: "kernel 'saxpy'"
 * Errors  UNSUPPORTED if it cannot be executed; TIMEOUT; BACKEND if it needed more memory or output than the
 *         limits allow, or if the supervisor was killed; OUT_OF_HOST_MEMORY */
int32_t base_program_run(struct base_program *program, const char *what);

/* The path of a file in the folder, in the arena. NULL without memory. */
const char *base_program_file(const struct base_program *program, const char *name);

/* Ends the program if it runs, and removes the folder. */
void base_program_close(struct base_program *program);

#endif
