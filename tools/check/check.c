/* Trireme: `trireme check`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/check.h"

#include "tools/command/command.h"
#include "tools/output/output.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_BACKEND = 256,
    OPTION_DEVICES,
    OPTION_PLUGIN,
    OPTION_TOLERANCE,
    OPTION_TIMEOUT,
    OPTION_QUICK,
    OPTION_JSON,

    SECONDS = 120
};

/* ---- options ---- */

static bool parse_seconds(const char *text, unsigned *seconds)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    *seconds = (unsigned)value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value > 0 && value <= 86400;
}

static bool parse_tolerance(const char *text, double *tolerance)
{
    char *end;

    *tolerance = strtod(text, &end);
    return end != text && *end == '\0' && *tolerance >= 0;
}

/* The setting `backend`, through which the plugin is loaded, takes a list. */
static const char *take_plugin(struct check_options *options, const char *value)
{
    free(options->plugin);
    options->plugin = realpath(value, NULL);
    if (!options->plugin)
        return "--plugin takes the path of a shared object that exists";
    return strchr(options->plugin, ',') ? "--plugin takes a path without a comma: rename the file or folder"
                                        : NULL;
}

/* The value of one option. NULL: it is right; else what is wrong with it. */
static const char *take_value(struct check_options *options, int option, const char *value)
{
    switch (option) {
    case OPTION_BACKEND:
        options->backend = value;
        return NULL;
    case OPTION_DEVICES:
        options->devices = value;
        return NULL;
    case OPTION_PLUGIN:
        return take_plugin(options, value);
    case OPTION_TOLERANCE:
        return parse_tolerance(value, &options->tolerance) ? NULL : "--tolerance takes a number from 0 on";
    default:
        return parse_seconds(value, &options->seconds) ? NULL : "--timeout takes seconds, from 1 to 86400";
    }
}

static int check_combination(const struct check_options *options)
{
    if (options->plugin && options->kernel_count > 0)
        return command_usage_error(&check_command, "--plugin and a kernel cannot be combined");
    if (options->plugin && options->backend)
        return command_usage_error(&check_command, "--plugin and --backend cannot be combined");
    return COMMAND_OK;
}

static int parse_options(int argc, char **argv, struct check_options *options)
{
    static const struct option known[] = {
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"devices", required_argument, NULL, OPTION_DEVICES},
        {"plugin", required_argument, NULL, OPTION_PLUGIN},
        {"tolerance", required_argument, NULL, OPTION_TOLERANCE},
        {"timeout", required_argument, NULL, OPTION_TIMEOUT},
        {"quick", no_argument, NULL, OPTION_QUICK},
        {"json", no_argument, NULL, OPTION_JSON},
        {"verbose", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "v", known, NULL)) != -1) {
        const char *complaint = NULL;

        if (option == '?')
            return command_usage_error(&check_command, NULL);
        if (option == OPTION_QUICK)
            options->is_quick = true;
        else if (option == OPTION_JSON)
            options->is_json = true;
        else if (option == 'v')
            options->is_verbose = true;
        else
            complaint = take_value(options, option, optarg);
        if (complaint)
            return command_usage_error(&check_command, complaint);
    }
    options->kernels      = argv + optind;
    options->kernel_count = argc - optind;
    return check_combination(options);
}

/* ---- running ---- */

void check_installation(struct check *check)
{
    bool is_complete = check_survey(check);

    if (is_complete) {
        check_devices(check);
        apart_run(&check->apart, "Compilers and cache", "cache", check_machine_job, check);
    }
    apart_run(&check->apart, "This machine", "limits", check_limits_job, check);
}

static void print_where_next(const struct check *check)
{
    findings_print_totals(&check->findings);
    if (check->options.plugin)
        printf("\nThe conformance suite has the whole contract (doc/conformance.md). It is installed as "
               "sources\n"
               "and needs make, a C compiler and Check (Debian: check):\n"
               "    make -j4 -f \"$(pkg-config --variable=conformancedir trireme)/conformance.mk\"\n"
               "    CONFORMANCE_BACKEND=%s ./conformance\n",
               check->options.plugin);
}

static int run_checks(struct check *check)
{
    int status = COMMAND_OK;

    if (!check->options.is_json)
        printf("trireme %s\n", trm_version());
    if (check->options.plugin)
        check_plugin(check);
    else if (check->options.kernel_count > 0)
        status = check_kernels(check);
    else
        check_installation(check);
    if (check->options.is_json)
        findings_print_json(&check->findings);
    else if (status != COMMAND_USAGE)
        print_where_next(check);
    return status == COMMAND_OK && check->findings.totals[FINDING_FAILED] > 0 ? COMMAND_FAILED : status;
}

static int check_main(int argc, char **argv)
{
    struct check check = {.options = {.tolerance = -1, .seconds = SECONDS}};
    int status         = parse_options(argc, argv, &check.options);

    if (status == COMMAND_OK) {
        check.findings.is_text = !check.options.is_json;
        check.apart  = (struct apart){&check.findings, check.options.seconds, check.options.is_verbose};
        check.survey = apart_share(sizeof(*check.survey));
        if (check.survey) {
            status = run_checks(&check);
            apart_unshare(check.survey, sizeof(*check.survey));
        } else {
            fputs("trireme check: there is no memory\n", stderr);
            status = COMMAND_FAILED;
        }
        findings_release(&check.findings);
    }
    free(check.options.plugin);
    return status;
}

const struct command check_command = {
    .name    = "check",
    .summary = "check that Trireme, a kernel or a plugin works here, and say what to do if not",
    .help =
        "Usage: trireme check [OPTION…]\n"
        "       trireme check [OPTION…] KERNEL[:NAME=VALUE,…]…\n"
        "       trireme check [OPTION…] --plugin PATH\n"
        "\n"
        "Without a kernel, checks the installation: settings, plugins, work on every device whose results\n"
        "are known, compilers, the cache and limits of this machine.\n"
        "\n"
        "With kernels (a .comp or .spv, a .so for the cpu, a built-in name, or a folder, whose .comp, .glsl\n"
        "and .spv files are taken without those of its subfolders), runs each of them on every device\n"
        "with made-up inputs, at several sizes: every index checked on the cpu, the devices compared with\n"
        "each other, every run repeated. Values of its parameters and constants, numbers of elements of its\n"
        "buffers and the work-items may be given: scale.comp:n=500,x=2000,items=500.\n"
        "\n"
        "With --plugin, checks one backend: which optional functions it leaves to the library, and work on\n"
        "its devices.\n"
        "\n"
        "      --backend NAME   this backend alone, as the setting backend takes it\n"
        "      --devices LIST   these devices alone, such as cpu:0,cuda:*\n"
        "      --tolerance X    how far apart results may be, of floats relative to values above 1\n"
        "      --timeout S      seconds after which a step counts as hanging (default 120)\n"
        "      --quick          fewer sizes and runs\n"
        "      --json           one JSON object instead of text\n"
        "  -v, --verbose        print the log of the library to stderr\n"
        "\n"
        "Each line is ok, a warning, failed, or not here, with the reason and what to do. Exits with 0 if\n"
        "nothing failed, 1 if something did, 2 if the command line is wrong.\n",
    .run = check_main,
};
