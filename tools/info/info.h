/* Trireme: the facts that `trireme info` collects once and then writes as text or as JSON.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_INFO_INFO_H
#define TRIREME_TOOLS_INFO_INFO_H

#include "tools/output/output.h"

#include <trireme/trireme.h>

struct info_device {
    struct trm_device_summary summary;
    struct trm_device *device; /* NULL: it could not be opened */
    char *reason;              /* why not; NULL when it was opened */
};

/* A well-known backend that is not among the candidates. */
struct info_absent {
    const char *name;
    char *reason;
};

enum {
    INFO_KNOWN_BACKENDS = 3
};

struct info {
    struct trm_context *context;
    struct trm_candidate *candidates;
    uint32_t candidate_count;
    struct info_device *devices;
    uint32_t device_count;
    uint32_t opened_count;
    struct info_absent absent[INFO_KNOWN_BACKENDS];
    uint32_t absent_count;
    char *failure; /* why no device works; NULL when one does */
};

/* Without a context, collects the last error only. */
void info_collect_failure(struct info *info);

/* Load the plugins, ask every backend for its devices and open each. Failures are collected too. */
void info_collect(struct info *info, struct trm_context *context);
void info_release(struct info *info);

const char *info_stage_name(int32_t stage);
const char *info_kind_name(int32_t kind);

/* is_verbose: with how far the loading of a refused plugin came. */
void info_print_text(const struct info *info, bool is_verbose);
void info_print_json(const struct info *info);

/* All properties of an open device, in the order of enum trm_device_key, without those that it does not
 * report. */
void info_properties_text(struct trm_device *device, int indent);
void info_properties_json(struct trm_device *device, struct json *json);

/* The kernels that can be loaded by name: all, or those of a NULL-terminated list of names, with what they
 * compute. Returns an exit status. */
int info_kernels(struct trm_context *context, bool json, char *const *names);

/* The same object as JSON when there is no context: no kernel, and the last error. */
void info_kernels_failure_json(void);

/* What stream pools have learned of kernels and kept. Returns an exit status. */
int info_models(struct trm_context *context, bool json);
int info_forget_models(struct trm_context *context);

/* The same object as JSON when there is no context: no model, and the last error. */
void info_models_failure_json(void);

/* The description of a kernel, to be freed; NULL: it has none. */
char *info_help_read(const struct trm_shader_place *place);

/* Print a description, which is modified. */
void info_help_print(char *text);

/* The settings table with the values that `context` uses. As JSON, without a context (NULL): values and
 * origins are null, and the last error says why. */
void info_settings_text(struct trm_context *context);
void info_settings_json(struct trm_context *context);

/* The settings table as the list of a manual page (mdoc), with defaults only. */
void info_settings_mdoc(void);

#endif
