/* Trireme: the `trireme` program.
 * SPDX-License-Identifier: MIT
 */
#include "tools/command/command.h"
#include "tools/output/output.h"

#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {&run_command, &info_command, &check_command, &kc_command,
                                                 &bench_command};

enum {
    COMMAND_COUNT = sizeof(commands) / sizeof(commands[0])
};

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void print_help(FILE *file)
{
    fputs("Usage: trireme COMMAND [OPTION…]\n\n", file);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(file, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(file, "  %-14s %s\n", "help COMMAND", "show the options of a command");
    fputs("\n  -h, --help     print this help and exit; also behind a command\n"
          "      --version  print the library's version and exit\n\n"
          "All settings and their environment variables: trireme info --settings\n",
          file);
}

static int usage_error(const char *what, const char *name)
{
    fprintf(stderr, "trireme: %s", what);
    if (name) {
        fputs(": ", stderr);
        output_text(stderr, name);
    }
    fputs("\n\n", stderr);
    print_help(stderr);
    return COMMAND_USAGE;
}

static int help(const char *name)
{
    const struct command *command;

    if (!name) {
        print_help(stdout);
        return COMMAND_OK;
    }
    command = find_command(name);
    if (!command)
        return usage_error("no such command", name);
    fputs(command->help, stdout);
    return COMMAND_OK;
}

static int start(const struct command *command, int argc, char **argv)
{
    char title[64];

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            break;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return help(command->name);
    }
    snprintf(title, sizeof(title), "trireme %s", command->name);
    argv[0] = title;
    return command->run(argc, argv);
}

static int dispatch(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2)
        return usage_error("a command is missing", NULL);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(NULL);
    if (strcmp(argv[1], "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(argv[1], "--version") == 0) {
        printf("trireme %s\n", trm_version());
        return COMMAND_OK;
    }
    if (argv[1][0] == '-')
        return usage_error("no such option", argv[1]);
    command = find_command(argv[1]);
    if (!command)
        return usage_error("no such command", argv[1]);
    return start(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status = dispatch(argc, argv);

    if (output_finish() != 0 && status == COMMAND_OK)
        status = COMMAND_FAILED;
    return status;
}
