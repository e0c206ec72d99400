/* Trireme: the commands of the program, and how each of them ends.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_COMMAND_H
#define TRIREME_TOOLS_COMMAND_H

#include <trireme/trireme.h>

#include <stdbool.h>

/* Exit statuses. */
enum command_exit {
    COMMAND_OK     = 0,
    COMMAND_FAILED = 1, /* what was asked for could not be had */
    COMMAND_USAGE  = 2, /* the command line is wrong */
};

struct command {
    const char *name;    /* "info" */
    const char *summary; /* one line */
    const char *help;    /* all that `trireme help NAME` prints */

    /* argv[0] is "trireme NAME", so that getopt's own messages name the command. Returns an exit status. */
    int (*run)(int argc, char **argv);
};

extern const struct command info_command;
extern const struct command kc_command;
extern const struct command bench_command;
extern const struct command run_command;

/* Say on stderr that the command line is wrong, and where the help is. `complaint` NULL: getopt has said it already.
 * Returns COMMAND_USAGE. */
int command_usage_error(const struct command *command, const char *complaint);

/* Say the last error of this thread on stderr, after `what` that was being done. Returns COMMAND_FAILED. */
int command_failed(const char *what);

/* A context as any program gets it by default. With `verbose`, what the library logs goes to stderr. */
int32_t command_context(bool verbose, struct trm_context **context);

/* The same for a command that works with this one backend, whatever the user prefers otherwise. */
int32_t command_context_for(const char *backend, bool verbose, struct trm_context **context);

#endif
