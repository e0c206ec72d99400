/* Trireme: `trireme check`.
 *
 * apart        jobs in processes of their own
 * report       how a job tells what it finds
 * finding      what was found, as text and as JSON
 * survey       settings, backends and devices
 * machine*     the cache and the limits of this machine
 * device*      work on a device whose results are known
 * targets      the kernels that the command line names, also by their folder
 * kernel*      the user's kernel on every device
 * plugin       the tables of a plugin
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_CHECK_CHECK_H
#define TRIREME_TOOLS_CHECK_CHECK_H

#include "tools/check/apart.h"
#include "tools/output/output.h"

#include <trireme/trireme.h>

enum {
    CHECK_DEVICES  = 64,
    CHECK_SETTINGS = 6,
};

struct check_options {
    const char *backend; /* the setting `backend`; NULL: as the user has it */
    const char *devices; /* ids or backends, separated by commas; NULL: all */
    char **kernels;      /* one for each kernel or folder of kernels, of the command line */
    int kernel_count;    /* 0: the installation, or the plugin */
    char *plugin;        /* the absolute path of a plugin; NULL: none */
    double tolerance;    /* for the results of a kernel; below 0: by their type */
    unsigned seconds;    /* for a step */
    bool is_quick;
    bool is_json;
    bool is_verbose;
};

/* What the first job finds out for the others, in shared memory. */
struct check_survey {
    bool is_complete; /* the settings are valid and the backends were asked */
    bool is_plugin_readable;
    uint32_t device_count;
    struct trm_device_summary devices[CHECK_DEVICES];
};

struct check {
    struct check_options options;
    struct findings findings;
    struct apart apart;
    struct check_survey *survey;
};

/* What a job about one device gets. */
struct check_device {
    const struct check *check;
    const struct trm_device_summary *summary;
};

/* Make a context that logs to the report, with the backend of the options and `count` more settings. Reports
 * a failure. */
int32_t check_context(const struct check *check, struct report *report, const struct trm_setting *more,
                      uint32_t count, struct trm_context **context);

/* ---- the three forms of the command: each adds its findings */

void check_installation(struct check *check);
void check_plugin(struct check *check);

/* Returns an exit status: the names of the kernels and their options may be misuse. */
int check_kernels(struct check *check);

/* targets.c: the kernels of the command line, with the files of each folder in its place, sorted. */
struct check_targets {
    char **texts; /* "path/blur.comp:n=5" */
    int count;
};

/* False: a folder cannot be read, or has no kernel; the fault says which. Release also then. */
bool check_targets_find(struct check_targets *targets, const struct check_options *options,
                        struct fault *fault);
void check_targets_release(struct check_targets *targets);

/* ---- jobs (apart_job_fn) */

/* survey.c: settings, backends, devices. user: struct check *. Fills check->survey. */
void check_survey_job(struct report *report, void *user);

/* machine.c, machine_limits.c: the cache of kernels and GLSL; limits of this process and machine. user:
 * struct check *. */
void check_machine_job(struct report *report, void *user);
void check_limits_job(struct report *report, void *user);

/* device.c: work of all kinds on a device. user: struct check_device *. */
void check_device_job(struct report *report, void *user);

/* plugin.c: the tables of the plugin. user: struct check *. */
void check_tables_job(struct report *report, void *user);

/* survey.c: run the survey, and the device job on every device. */
bool check_survey(struct check *check);
void check_devices(struct check *check);

#endif
