/* Trireme: the command line of `trireme run`.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output/output.h"
#include "tools/run/media/media.h"
#include "tools/run/options/options.h"

enum {
    OPTION_DEPTH = 256,
    OPTION_STRATEGY,
    OPTION_BACKEND,
    OPTION_DEVICE,
    OPTION_DEVICES,
    OPTION_REPORT,
    OPTION_REPORT_FILE,
    OPTION_TRACE,
    OPTION_TIMELINE,
    OPTION_VERIFY,
    OPTION_WORKERS,
    OPTION_SINK_WORKERS,
    OPTION_FRAMES,
    OPTION_JSON,
    OPTION_RAW,
    OPTION_BATCH,
    OPTION_SIZE,
    OPTION_RATE,
    OPTION_INPUT_FORMAT,
    OPTION_OUTPUT_FORMAT
};

enum {
    MOST_DEPTH   = 64,
    MOST_WORKERS = 64,
};

/* The types that --raw accepts. */
static const int32_t raw_types[] = {TRM_TYPE_F32, TRM_TYPE_F16, TRM_TYPE_U8,
                                    TRM_TYPE_U16, TRM_TYPE_I32, TRM_TYPE_U32};

static const uint64_t default_batch = UINT64_C(16) << 20;
static const uint64_t most_batch    = UINT64_C(1) << 30;

static int complain(const char *complaint)
{
    return command_usage_error(&run_command, complaint);
}

/* ---- values ---- */

/* Parse a whole number; `end` points behind it. */
static bool parse_digits(const char *text, uint64_t *number, const char **end)
{
    char *stop;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno   = 0;
    *number = strtoull(text, &stop, 10);
    *end    = stop;
    return errno == 0;
}

static bool parse_number(const char *text, uint64_t most, uint64_t *number)
{
    const char *end;

    return parse_digits(text, number, &end) && *end == '\0' && *number <= most;
}

/* "16M": bytes, with K, M or G for 2^10, 2^20, 2^30. */
static bool parse_bytes(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    const char *end, *unit;

    if (!parse_digits(text, bytes, &end) || *bytes > most_batch)
        return false;
    if (*end == '\0')
        return true;
    unit = strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end);
    if (!unit || !(strcmp(end + 1, "") == 0 || strcmp(end + 1, "iB") == 0))
        return false;
    *bytes <<= 10 * (unit - units + 1); /* 2^60 at most */
    return *bytes <= most_batch;
}

/* "1280x720", "1280x720x3" */
static bool parse_size(const char *text, struct reader_request *input)
{
    uint64_t width, height, channels = 1;
    const char *end;

    if (!parse_digits(text, &width, &end) || *end != 'x' || !parse_digits(end + 1, &height, &end))
        return false;
    if (*end == 'x' && !parse_digits(end + 1, &channels, &end))
        return false;
    if (*end != '\0' || width < 1 || width > 1 << 24 || height < 1 || height > 1 << 24 || channels < 1 ||
        channels > 64)
        return false;
    input->width    = (uint32_t)width;
    input->height   = (uint32_t)height;
    input->channels = (uint32_t)channels;
    return true;
}

/* "30", "30000:1001", "30000/1001" */
static bool parse_rate(const char *text, struct run_options *options)
{
    uint64_t rate, divisor = 1;
    const char *end;

    if (!parse_digits(text, &rate, &end))
        return false;
    if ((*end == ':' || *end == '/') && !parse_digits(end + 1, &divisor, &end))
        return false;
    options->rate         = (uint32_t)rate;
    options->rate_divisor = (uint32_t)divisor;
    return *end == '\0' && rate >= 1 && rate <= 1000000 && divisor >= 1 && divisor <= 1000000;
}

static int parse_raw(const char *name, struct reader_request *input)
{
    for (size_t i = 0; i < sizeof(raw_types) / sizeof(raw_types[0]); i++) {
        if (strcmp(name, trm_type_name(raw_types[i])) == 0) {
            input->type = raw_types[i];
            input->kind = MEDIA_RAW;
            return COMMAND_OK;
        }
    }
    return complain("--raw takes f32, f16, u8, u16, i32 or u32");
}

static int parse_kind(const char *name, bool raw, int *kind)
{
    if (strcmp(name, "y4m") == 0)
        *kind = MEDIA_Y4M;
    else if (strcmp(name, "pnm") == 0)
        *kind = MEDIA_PNM;
    else if (raw && strcmp(name, "raw") == 0)
        *kind = MEDIA_RAW;
    else
        return complain(raw ? "--output-format takes y4m, pnm or raw"
                            : "--input-format takes y4m or pnm; raw data takes --raw TYPE");
    return COMMAND_OK;
}

/* "auto", "zero-copy" */
static int parse_strategy(const char *name, int32_t *strategy)
{
    static const char *const names[] = {
        [TRM_STRATEGY_AUTO]         = "auto",
        [TRM_STRATEGY_ROLE_STREAMS] = "role-streams",
        [TRM_STRATEGY_SLOT_STREAMS] = "slot-streams",
        [TRM_STRATEGY_SLOT_GRAPHS]  = "slot-graphs",
        [TRM_STRATEGY_ZERO_COPY]    = "zero-copy",
        [TRM_STRATEGY_RESIDENT]     = "resident",
    };

    for (int32_t i = 0; i < (int32_t)(sizeof(names) / sizeof(names[0])); i++) {
        if (strcmp(name, names[i]) == 0) {
            *strategy = i;
            return COMMAND_OK;
        }
    }
    return complain("--strategy takes auto, role-streams, slot-streams, slot-graphs, zero-copy or resident");
}

static int parse_report(const char *name, int *report)
{
    if (strcmp(name, "text") == 0)
        *report = RUN_REPORT_TEXT;
    else if (strcmp(name, "json") == 0)
        *report = RUN_REPORT_JSON;
    else
        return complain("--report takes text or json");
    return COMMAND_OK;
}

static int parse_count(const char *text, uint64_t most, uint64_t *number, const char *complaint)
{
    return parse_number(text, most, number) ? COMMAND_OK : complain(complaint);
}

static bool parse_tolerance(const char *text, double *tolerance)
{
    char *end;

    *tolerance = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*tolerance) && *tolerance >= 0;
}

/* ---- options ---- */

/* --device takes an id, --devices a list of them. */
static int parse_devices(struct run_options *options, int option, const char *value)
{
    if (option == OPTION_DEVICE && value[strcspn(value, ",*")] != '\0')
        return complain("--device takes one device, such as cuda:1; --devices takes a list");
    if (option == OPTION_DEVICES && value[0] == '\0')
        return complain("--devices takes a list, such as cuda:0,cuda:1 or cuda:*");
    options->is_device_given |= option == OPTION_DEVICE;
    options->is_list_given |= option == OPTION_DEVICES;
    options->devices = value;
    return COMMAND_OK;
}

static int parse_how(struct run_options *options, int option, const char *value)
{
    uint64_t number = 0;
    int status      = COMMAND_OK;

    switch (option) {
    case OPTION_DEPTH:
        status = parse_count(value, MOST_DEPTH, &number, "--depth takes a number from 1 to 64, or 0: tuned");
        options->depth = (uint32_t)number;
        return status;
    case OPTION_WORKERS:
        status           = parse_count(value, MOST_WORKERS, &number, "--workers takes a number up to 64");
        options->workers = (uint32_t)number;
        return status;
    case OPTION_STRATEGY:
        return parse_strategy(value, &options->strategy);
    case OPTION_BACKEND:
        options->backend = value;
        return COMMAND_OK;
    case OPTION_DEVICE:
    case OPTION_DEVICES:
        return parse_devices(options, option, value);
    case OPTION_SINK_WORKERS:
        status = parse_count(value, MOST_WORKERS, &number, "--sink-workers takes a number up to 64");
        options->sink_workers = (int32_t)number;
        return status;
    case OPTION_VERIFY:
        options->verify = true;
        return !value || parse_tolerance(value, &options->tolerance)
                   ? COMMAND_OK
                   : complain("--verify takes no value or a tolerance from 0 on, such as --verify=0.001");
    case 'q':
        options->quiet = true;
        return COMMAND_OK;
    case 'v':
        options->verbose = true;
        return COMMAND_OK;
    default:
        return complain(NULL);
    }
}

static int parse_what(struct run_options *options, int option, const char *value)
{
    switch (option) {
    case OPTION_REPORT:
        return parse_report(value, &options->report);
    case OPTION_JSON:
        options->report = RUN_REPORT_JSON;
        return COMMAND_OK;
    case OPTION_REPORT_FILE:
        options->report_file = value;
        return COMMAND_OK;
    case OPTION_TRACE:
        options->trace = value;
        return COMMAND_OK;
    case OPTION_TIMELINE:
        options->timeline = value;
        return COMMAND_OK;
    case OPTION_RAW:
        return parse_raw(value, &options->input);
    case OPTION_INPUT_FORMAT:
        return parse_kind(value, false, &options->input.kind);
    case OPTION_OUTPUT_FORMAT:
        return parse_kind(value, true, &options->output_kind);
    case OPTION_BATCH:
        return parse_bytes(value, &options->input.batch) && options->input.batch > 0
                   ? COMMAND_OK
                   : complain("--batch takes bytes up to 1G, such as 16M");
    case OPTION_SIZE:
        return parse_size(value, &options->input)
                   ? COMMAND_OK
                   : complain("--size takes WIDTHxHEIGHT or WIDTHxHEIGHTxCHANNELS");
    case OPTION_RATE:
        return parse_rate(value, options)
                   ? COMMAND_OK
                   : complain("--rate takes frames a second, such as 30 or 30000:1001");
    case OPTION_FRAMES:
        return parse_number(value, UINT64_MAX - 1, &options->input.limit) && options->input.limit > 0
                   ? COMMAND_OK
                   : complain("--frames takes a number from 1 on");
    default:
        return parse_how(options, option, value);
    }
}

/* Compressed formats need ffmpeg. */
static int check_output(const struct run_options *options)
{
    char complaint[512];

    if (options->output_kind != MEDIA_NONE || !writer_is_compressed(options->output))
        return COMMAND_OK;
    snprintf(
        complaint, sizeof(complaint),
        "%.200s: trireme run writes y4m, pnm and raw; for others end the line in: - | ffmpeg -i - %.200s",
        options->output, options->output);
    return complain(complaint);
}

static int check(struct run_options *options, int argc, char **argv)
{
    struct reader_request *input = &options->input;

    if (argc - optind != 2)
        return complain(argc - optind < 2 ? "give an input and an output, each of which may be -"
                                          : "more than an input and an output");
    if (options->kernel_count == 0)
        return complain("a kernel is missing: -k NAME; -k copy leaves frames as they are");
    if (options->is_device_given && options->is_list_given)
        return complain("--device and --devices do not go together");
    if (options->backend && options->devices)
        return complain(options->is_list_given ? "--backend and --devices do not go together"
                                               : "--backend and --device do not go together");
    if (input->type == TRM_TYPE_NONE && (input->batch > 0 || input->width > 0))
        return complain("--batch and --size go with --raw TYPE");
    if (input->batch > 0 && input->width > 0)
        return complain("--batch and --size do not go together");
    if (input->type != TRM_TYPE_NONE && input->kind != MEDIA_RAW)
        return complain("--raw and --input-format do not go together");
    if (input->batch == 0)
        input->batch = default_batch;
    if (input->type != TRM_TYPE_NONE && input->batch % trm_type_size(input->type) != 0)
        return complain("--batch is no whole number of elements");
    if (options->report_file && options->report == RUN_REPORT_NONE)
        options->report = RUN_REPORT_TEXT;
    input->path     = argv[optind];
    options->output = argv[optind + 1];
    return check_output(options);
}

int run_parse(int argc, char **argv, struct run_options *options)
{
    static const struct option known[] = {
        {"kernel", required_argument, NULL, 'k'},
        {"depth", required_argument, NULL, OPTION_DEPTH},
        {"strategy", required_argument, NULL, OPTION_STRATEGY},
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"device", required_argument, NULL, OPTION_DEVICE},
        {"devices", required_argument, NULL, OPTION_DEVICES},
        {"report", required_argument, NULL, OPTION_REPORT},
        {"report-file", required_argument, NULL, OPTION_REPORT_FILE},
        {"trace", required_argument, NULL, OPTION_TRACE},
        {"timeline", required_argument, NULL, OPTION_TIMELINE},
        {"verify", optional_argument, NULL, OPTION_VERIFY},
        {"workers", required_argument, NULL, OPTION_WORKERS},
        {"sink-workers", required_argument, NULL, OPTION_SINK_WORKERS},
        {"frames", required_argument, NULL, OPTION_FRAMES},
        {"json", no_argument, NULL, OPTION_JSON},
        {"raw", required_argument, NULL, OPTION_RAW},
        {"batch", required_argument, NULL, OPTION_BATCH},
        {"size", required_argument, NULL, OPTION_SIZE},
        {"rate", required_argument, NULL, OPTION_RATE},
        {"input-format", required_argument, NULL, OPTION_INPUT_FORMAT},
        {"output-format", required_argument, NULL, OPTION_OUTPUT_FORMAT},
        {"quiet", no_argument, NULL, 'q'},
        {"verbose", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int status = COMMAND_OK, option;

    options->depth        = 3;
    options->workers      = 1;
    options->sink_workers = -1;
    options->tolerance    = -1;
    options->kernels      = output_allocate((size_t)argc, sizeof(*options->kernels));
    while (status == COMMAND_OK && (option = getopt_long(argc, argv, "k:qv", known, NULL)) != -1) {
        if (option == 'k')
            options->kernels[options->kernel_count++] = optarg;
        else
            status = parse_what(options, option, optarg);
    }
    return status == COMMAND_OK ? check(options, argc, argv) : status;
}

void run_options_fini(struct run_options *options)
{
    free(options->kernels);
}
