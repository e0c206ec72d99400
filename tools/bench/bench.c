/* Trireme: `trireme bench`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#include "tools/command/command.h"
#include "tools/kernel/kernel.h"
#include "tools/output/output.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const struct bench_suite *const all_suites[] = {
    &bench_stream_suite,  &bench_copy_suite,    &bench_alloc_suite,      &bench_pipeline_suite,
    &bench_auto_suite,    &bench_devices_suite, &bench_collective_suite, &bench_pools_suite,
    &bench_profile_suite, &bench_serve_suite,
};

enum {
    SUITE_COUNT = sizeof(all_suites) / sizeof(all_suites[0]),
    MOST_ROUNDS = 1000
};

struct bench_options {
    const struct bench_suite *suites[SUITE_COUNT];
    uint32_t suite_count;
    const char *device;  /* NULL: the default */
    const char *pattern; /* of the cases' names; NULL: all */
    const char *picture; /* the path; NULL: none */
    uint32_t rounds;     /* 0: the default */
    bool json;
    bool list;
    bool quick;
    bool verbose;
};

enum {
    OPTION_BACKEND = 256,
    OPTION_CASE,
    OPTION_JSON,
    OPTION_LIST,
    OPTION_PICTURE,
    OPTION_REPEAT,
    OPTION_QUICK
};

/* A whole number from 1 to MOST_ROUNDS, 0 for anything else. */
static uint32_t parse_rounds(const char *text)
{
    char *end;
    unsigned long value;

    if (text[0] < '0' || text[0] > '9')
        return 0;
    errno = 0;
    value = strtoul(text, &end, 10);
    return errno == 0 && *end == '\0' && value <= MOST_ROUNDS ? (uint32_t)value : 0;
}

static int add_suite(struct bench_options *options, const char *name)
{
    char complaint[128];

    for (uint32_t i = 0; i < options->suite_count; i++)
        if (strcmp(options->suites[i]->name, name) == 0)
            return COMMAND_OK;
    for (int i = 0; i < SUITE_COUNT; i++) {
        if (strcmp(all_suites[i]->name, name) == 0) {
            options->suites[options->suite_count++] = all_suites[i];
            return COMMAND_OK;
        }
    }
    snprintf(complaint, sizeof(complaint), "no such suite: %s; --list names them", name);
    return command_usage_error(&bench_command, complaint);
}

static int parse_suites(int argc, char **argv, struct bench_options *options)
{
    int status = COMMAND_OK;

    for (int i = optind; i < argc && status == COMMAND_OK; i++)
        status = add_suite(options, argv[i]);
    if (options->suite_count == 0) {
        memcpy(options->suites, all_suites, sizeof(all_suites));
        options->suite_count = SUITE_COUNT;
    }
    return status;
}

static int parse_options(int argc, char **argv, struct bench_options *options)
{
    static const struct option known[] = {
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"case", required_argument, NULL, OPTION_CASE},
        {"json", no_argument, NULL, OPTION_JSON},
        {"list", no_argument, NULL, OPTION_LIST},
        {"picture", required_argument, NULL, OPTION_PICTURE},
        {"repeat", required_argument, NULL, OPTION_REPEAT},
        {"quick", no_argument, NULL, OPTION_QUICK},
        {"verbose", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "v", known, NULL)) != -1) {
        switch (option) {
        case OPTION_BACKEND:
            options->device = optarg;
            break;
        case OPTION_CASE:
            options->pattern = optarg;
            break;
        case OPTION_JSON:
            options->json = true;
            break;
        case OPTION_LIST:
            options->list = true;
            break;
        case OPTION_PICTURE:
            options->picture = optarg;
            break;
        case OPTION_REPEAT:
            options->rounds = parse_rounds(optarg);
            if (options->rounds == 0)
                return command_usage_error(&bench_command, "--repeat takes a number from 1 to 1000");
            break;
        case OPTION_QUICK:
            options->quick = true;
            break;
        case 'v':
            options->verbose = true;
            break;
        default:
            return command_usage_error(&bench_command, NULL);
        }
    }
    if (options->rounds == 0)
        options->rounds = options->quick ? 3 : 5;
    return parse_suites(argc, argv, options);
}

static void print_list(const struct bench_results *results)
{
    struct table table;

    table_init(&table, 4, 0);
    for (uint32_t i = 0; i < results->count; i++) {
        const struct bench_case *test = results->rows[i].test;

        table_add(&table, results->rows[i].suite->name);
        table_add(&table, test->name);
        table_add(&table, test->reference ? test->reference : "");
        table_add(&table, test->help);
    }
    table_print(&table, stdout, 0, 0);
    table_fini(&table);
}

/* Find the summary of the device that trm_device_open() takes for `id`: an id, a backend's name, or NULL. */
static int32_t describe_device(struct bench *bench, const char *id)
{
    char chosen[64] = "";
    uint32_t count;
    int32_t status = trm_device_count(bench->context, &count);

    if (status != TRM_OK)
        return status;
    if (!id)
        trm_context_setting(bench->context, "device", chosen, sizeof(chosen), NULL, NULL);
    else
        snprintf(chosen, sizeof(chosen), "%s", id);
    for (uint32_t i = 0; i < count; i++) {
        struct trm_device_summary *summary = &bench->summary;

        summary->struct_size = sizeof(*summary);
        status               = trm_device_describe(bench->context, i, summary);
        if (status != TRM_OK)
            return status;
        if (!*chosen || strcmp(chosen, summary->id) == 0 || strcmp(chosen, summary->backend) == 0)
            return TRM_OK;
    }
    /* Let the library say why there is no such device. */
    snprintf(bench->summary.id, sizeof(bench->summary.id), "%s", chosen);
    return TRM_OK;
}

static int32_t open_device(struct bench *bench, const char *id)
{
    int32_t status = describe_device(bench, id);

    if (status != TRM_OK)
        return status;
    status = trm_device_open(bench->context, id, &bench->device);
    if (status != TRM_OK)
        return status;
    status = bench_load_kernels(bench);
    if (status != TRM_OK)
        trm_device_destroy(bench->device);
    return status;
}

static int any_failed(const struct bench_results *results)
{
    for (uint32_t i = 0; i < results->count; i++)
        if (results->rows[i].failed)
            return COMMAND_FAILED;
    return COMMAND_OK;
}

static int run_cases(struct bench *bench, const struct bench_options *options, struct bench_results *results)
{
    if (!options->json)
        bench_print_heading(bench, results);
    bench_run(bench, options->rounds, results, options->json ? bench_print_json : bench_print_text);
    bench_print_skipped(results);
    return any_failed(results);
}

static int use_device(const struct bench_options *options, struct bench_results *results)
{
    struct bench bench = {.quick = options->quick};
    int status;

    if (command_context(options->verbose, &bench.context) != TRM_OK)
        return command_failed("the settings are wrong");
    if (open_device(&bench, options->device) == TRM_OK) {
        status =
            options->picture ? bench_picture(&bench, options->picture) : run_cases(&bench, options, results);
        bench_unload_kernels(&bench);
        trm_device_destroy(bench.device);
    } else {
        status = command_failed("no device to measure");
    }
    trm_context_destroy(bench.context);
    return status;
}

static bool has_case(const struct bench_suite *suite, const char *name)
{
    for (uint32_t i = 0; i < suite->count; i++)
        if (strcmp(suite->cases[i].name, name) == 0)
            return true;
    return false;
}

/* Which case the pattern may mean: one with a similar name, or one of another suite. "" if there is none. */
static void suggest_case(const struct bench_options *options, char *text, size_t capacity)
{
    struct suggestion suggestion;
    const char *last = "";

    suggestion_init(&suggestion, options->pattern);
    for (uint32_t i = 0; i < options->suite_count; i++) {
        for (uint32_t k = 0; k < options->suites[i]->count; k++) {
            const char *name = options->suites[i]->cases[k].name;
            if (strcmp(name, last) != 0) /* neighbours of one name differ in unit or reference */
                suggestion_try(&suggestion, name);
            last = name;
        }
    }
    suggestion_text(&suggestion, text, capacity);
    for (int i = 0; i < SUITE_COUNT; i++)
        if (has_case(all_suites[i], options->pattern))
            snprintf(text, capacity, " (the suite %s has it)", all_suites[i]->name);
}

static int no_such_case(const struct bench_options *options)
{
    char complaint[384], meant[192];

    suggest_case(options, meant, sizeof(meant));
    snprintf(complaint, sizeof(complaint), "no such case: %.150s%s; --list names them", options->pattern,
             meant);
    return command_usage_error(&bench_command, complaint);
}

static int bench_main(int argc, char **argv)
{
    struct bench_options options = {0};
    struct bench_results results;
    int status = parse_options(argc, argv, &options);

    if (status != COMMAND_OK)
        return status;
    bench_results_choose(options.suites, options.suite_count, options.pattern, &results);
    if (results.count == 0)
        status = no_such_case(&options);
    else if (options.list)
        print_list(&results);
    else
        status = use_device(&options, &results);
    bench_results_release(&results);
    return status;
}

const struct command bench_command = {
    .name    = "bench",
    .summary = "measure the cost of operations on a device",
    .help =
        "Usage: trireme bench [SUITE…] [--case NAME] [--backend ID] [--json] [--repeat N] [--quick] [-v]\n"
        "       trireme bench --list [SUITE…] [--case NAME]\n"
        "       trireme bench --picture FILE [--backend ID] [-v]\n"
        "\n"
        "Suites: stream, copy, alloc, pipeline, auto, devices, collective, pools, profile, serve; by "
        "default\n"
        "all.\n"
        "Some cases measure the C library beside Trireme, so that the two can be compared within one run.\n"
        "Each figure is printed as soon as it is known; the column `measured` says what it is of.\n"
        "\n"
        "      --backend ID  a device such as cuda:1, or a backend's first device\n"
        "      --case NAME   only the cases of this name, or a pattern such as '*_fma1*', and those that "
        "are\n"
        "                    measured together with them\n"
        "      --json        one JSON object a line\n"
        "      --list        list the cases and what they measure\n"
        "      --picture FILE\n"
        "                    draw when each of 60 tasks runs, on one stream, on streams in turn and on "
        "those\n"
        "                    that a stream pool chooses, as SVG\n"
        "      --repeat N    rounds; a figure is the median over them (default 5, quick 3)\n"
        "      --quick       a twentieth of the work: checks that all cases run; not for comparisons\n"
        "  -v, --verbose     print the log of the library to stderr\n"
        "\n"
        "Cases that a device cannot run are named on stderr. Exits with 0 if no case failed, 1 if one\n"
        "failed or there is no device, 2 if the command line is wrong.\n",
    .run = bench_main,
};
