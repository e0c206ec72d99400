/* Trireme: `trireme info`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/info/info.h"

#include "tools/command/command.h"
#include "tools/output/output.h"

#include <getopt.h>
#include <stdio.h>

struct info_options {
    bool settings;
    bool kernels;
    bool models;
    bool forget;
    bool json;
    bool mdoc;
    bool verbose;
    char *const *names; /* of kernels; ends with NULL */
};

enum {
    OPTION_SETTINGS = 256,
    OPTION_KERNELS,
    OPTION_MODELS,
    OPTION_FORGET,
    OPTION_JSON,
    OPTION_MDOC
};

static int check_options(const struct info_options *options)
{
    if (options->kernels + options->settings + options->models + options->forget > 1)
        return command_usage_error(&info_command,
                                   "--kernels, --settings, --models and --forget-models cannot be combined");
    if (options->forget && options->json)
        return command_usage_error(&info_command, "--forget-models has no output as JSON");
    if (options->mdoc && (!options->settings || options->json))
        return command_usage_error(&info_command, "--mdoc requires --settings and excludes --json");
    return COMMAND_OK;
}

static int parse_options(int argc, char **argv, struct info_options *options)
{
    static const struct option known[] = {
        {"settings", no_argument, NULL, OPTION_SETTINGS},
        {"kernels", no_argument, NULL, OPTION_KERNELS},
        {"models", no_argument, NULL, OPTION_MODELS},
        {"forget-models", no_argument, NULL, OPTION_FORGET},
        {"json", no_argument, NULL, OPTION_JSON},
        {"mdoc", no_argument, NULL, OPTION_MDOC},
        {"verbose", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "v", known, NULL)) != -1) {
        switch (option) {
        case OPTION_SETTINGS:
            options->settings = true;
            break;
        case OPTION_KERNELS:
            options->kernels = true;
            break;
        case OPTION_MODELS:
            options->models = true;
            break;
        case OPTION_FORGET:
            options->forget = true;
            break;
        case OPTION_JSON:
            options->json = true;
            break;
        case OPTION_MDOC:
            options->mdoc = true;
            break;
        case 'v':
            options->verbose = true;
            break;
        default:
            return command_usage_error(&info_command, NULL);
        }
    }
    options->names = argv + optind;
    if (optind < argc && !options->kernels)
        return command_usage_error(&info_command,
                                   "only --kernels takes arguments, which are names of kernels");
    return check_options(options);
}

static void print_settings(struct trm_context *context, const struct info_options *options)
{
    if (options->json)
        info_settings_json(context);
    else
        info_settings_text(context);
}

static int print_machine(struct trm_context *context, const struct info_options *options)
{
    struct info info;
    int status = COMMAND_OK;

    info_collect(&info, context);
    if (options->json)
        info_print_json(&info);
    else
        info_print_text(&info, options->verbose);
    if (info.failure) {
        fflush(stdout);
        fputs("trireme: no device works: ", stderr);
        output_text(stderr, info.failure);
        fputc('\n', stderr);
        status = COMMAND_FAILED;
    }
    info_release(&info);
    return status;
}

/* Reports that no context could be created, with --json as the object that a success would print. */
static int fail_context(const struct info_options *options)
{
    struct info info;
    int status = command_failed("the settings are wrong");

    if (!options->json)
        return status;
    if (options->settings) {
        info_settings_json(NULL);
    } else if (options->kernels) {
        info_kernels_failure_json();
    } else if (options->models) {
        info_models_failure_json();
    } else {
        info_collect_failure(&info);
        info_print_json(&info);
        info_release(&info);
    }
    return status;
}

static int info_run(int argc, char **argv)
{
    struct info_options options = {0};
    struct trm_context *context;
    int status = parse_options(argc, argv, &options);

    if (status != COMMAND_OK)
        return status;
    if (options.mdoc) {
        info_settings_mdoc();
        return COMMAND_OK;
    }
    if (command_context(options.verbose, &context) != TRM_OK)
        return fail_context(&options);
    if (options.settings)
        print_settings(context, &options);
    else if (options.kernels)
        status = info_kernels(context, options.json, options.names);
    else if (options.models)
        status = info_models(context, options.json);
    else if (options.forget)
        status = info_forget_models(context);
    else
        status = print_machine(context, &options);
    trm_context_destroy(context);
    return status;
}

const struct command info_command = {
    .name    = "info",
    .summary = "show backends, devices, kernels and settings, and why a backend is missing",
    .help    = "Usage: trireme info [--json] [-v]\n"
               "       trireme info --kernels [--json] [-v] [NAME…]\n"
               "       trireme info --settings [--json | --mdoc]\n"
               "       trireme info --models [--json]\n"
               "       trireme info --forget-models\n"
               "\n"
               "Shows every backend plugin that was found, with the reason if it cannot be used, and every\n"
               "device with its properties.\n"
               "\n"
               "      --json      one JSON object instead of text\n"
               "      --models    how long kernels take on each device, and how many streams run side by side\n"
               "                  there, as stream pools have learned and kept\n"
               "      --forget-models\n"
               "                  remove both\n"
               "      --kernels   every kernel that can be loaded by name: its parameters, specialisation\n"
               "                  constants and work-group, and the backends that it has code for; with\n"
               "                  names, those kernels, and what each computes, in a formula, with its\n"
               "                  arguments and an example (trireme-kernels(7))\n"
               "      --settings  every setting: its value, the origin of the value, variable and default\n"
               "      --mdoc      the settings as the list in trireme(7)\n"
               "  -v, --verbose   print the log of the library to stderr, and how far the loading of a\n"
               "                  refused plugin came\n"
               "\n"
               "Exits with 0 if at least one device works (--kernels: one kernel was found; with names: each\n"
               "can be used), 1 if not, 2 if the command line is wrong.\n",
    .run     = info_run,
};
