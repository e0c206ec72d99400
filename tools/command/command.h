/* Trireme: the commands of the program and their exit statuses.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_COMMAND_COMMAND_H
#define TRIREME_TOOLS_COMMAND_COMMAND_H

#include <trireme/trireme.h>

#include <stdbool.h>

/* Exit statuses. */
enum command_exit {
    COMMAND_OK     = 0,
    COMMAND_FAILED = 1, /* the command could not do what was asked */
    COMMAND_USAGE  = 2, /* the command line is wrong */
};

struct command {
    const char *name;    /* "info" */
    const char *summary; /* one line */
    const char *help;    /* the output of `trireme help NAME` */

    /* argv[0] is "trireme NAME", so that the messages of getopt name the command. Returns an exit status. */
    int (*run)(int argc, char **argv);
};

extern const struct command info_command;
extern const struct command check_command;
extern const struct command kc_command;
extern const struct command bench_command;
extern const struct command run_command;

/* Print `complaint` and a pointer to the help to stderr. NULL: getopt has already printed the complaint.
 * Returns COMMAND_USAGE. */
int command_usage_error(const struct command *command, const char *complaint);

/* Print `what` failed and the last error of this thread to stderr. Returns COMMAND_FAILED. */
int command_failed(const char *what);

/* Create a context with default settings. With `verbose`, the log of the library goes to stderr; without,
 * its warnings. */
int32_t command_context(bool verbose, struct trm_context **context);

/* The same, for this backend alone, which overrides the settings of the user for the backend and for a list
 * of devices; NULL: those of the user. */
int32_t command_context_for(const char *backend, bool verbose, struct trm_context **context);

#endif
