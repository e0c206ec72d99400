/* Trireme: `trireme run`.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_OPTIONS_OPTIONS_H
#define TRIREME_TOOLS_RUN_OPTIONS_OPTIONS_H

#include <trireme/trireme.h>

#include "tools/command/command.h"
#include "tools/run/media/media.h"

enum run_report {
    RUN_REPORT_NONE = 0,
    RUN_REPORT_TEXT = 1,
    RUN_REPORT_JSON = 2,
};

struct run_options {
    struct reader_request input;
    const char *output;
    int output_kind;      /* enum media_kind; NONE: by the extension, else that of the input */
    const char **kernels; /* as they were given */
    uint32_t kernel_count;
    uint32_t depth;      /* 0: tuned */
    int32_t strategy;    /* enum trm_strategy */
    const char *backend; /* NULL: as the settings say */
    const char *devices; /* one or a list; NULL: as the settings say */
    bool is_device_given, is_list_given;
    uint32_t workers;            /* loader threads */
    int32_t sink_workers;        /* threads that write; −1: chosen by the output */
    uint32_t rate, rate_divisor; /* frames per second if the input has none; 0: 25 */
    int report;                  /* enum run_report */
    const char *report_file; /* NULL: standard output, or standard error if frames go to standard output */
    const char *trace;       /* NULL: no trace */
    const char *timeline;
    bool verify;
    double tolerance; /* of --verify; below 0: by the type of the samples */
    bool quiet;
    bool verbose;
};

/* ---- options.c: prints what is wrong and returns an exit status */

int run_parse(int argc, char **argv, struct run_options *options);
void run_options_fini(struct run_options *options);

/* ---- help.c */

extern const char run_help[];

#endif
