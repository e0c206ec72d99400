/* Trireme: the settings table. One table in the core describes every environment variable and
 * configuration key. Strength: trm_context_desc.settings, then the environment, then trireme.conf,
 * then the default.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_SETTINGS_H
#define TRIREME_SETTINGS_H

#include <trireme/api.h>

TRM_API_BEGIN

enum trm_setting_type {
    TRM_SETTING_TEXT  = 0,
    TRM_SETTING_BOOL  = 1, /* yes/no, on/off, true/false, 1/0 */
    TRM_SETTING_COUNT = 2, /* a whole number */
    TRM_SETTING_BYTES = 3, /* a whole number with an optional K, M, G (powers of 1024) */
    TRM_SETTING_PATHS = 4, /* absolute folders, separated by colons */
};

enum trm_setting_origin {
    TRM_ORIGIN_DEFAULT     = 0,
    TRM_ORIGIN_FILE        = 1,
    TRM_ORIGIN_ENVIRONMENT = 2,
    TRM_ORIGIN_PROGRAM     = 3,
};

struct trm_setting_info {
    uint32_t struct_size;
    int32_t type;              /* enum trm_setting_type */
    const char *name;          /* the key in trireme.conf: "cpu.workers" */
    const char *variable;      /* the environment variable: "TRIREME_CPU_WORKERS" */
    const char *default_value; /* as text */
    const char *help;          /* one sentence */
    /* 1: names code to run; ignored in setuid programs and from files others may write */
    int32_t secure;
    int32_t reserved;
};

/* The table, the same for every context. Strings are static. */
TRM_API uint32_t trm_setting_count(void);
TRM_API int32_t trm_setting_describe(uint32_t index, struct trm_setting_info *info);

/* The value in force in a context, as text with its terminating zero, and where it came from.
 *
 * capacity  bytes of `value`; 0 with value NULL asks for the size only
 * needed    bytes with the zero; may be NULL      origin  enum trm_setting_origin; may be NULL
 * Errors    NOT_FOUND; OUT_OF_RANGE when it does not fit (needed is written all the same)
 */
TRM_API int32_t trm_context_setting(struct trm_context *context, const char *name, char *value,
                                    size_t capacity, size_t *needed, int32_t *origin);

TRM_API_END

#endif
