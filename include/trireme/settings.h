/* Trireme: the table of settings. It describes every environment variable and every key of trireme.conf. A
 * value in trm_context_desc.settings overrides the environment, which overrides trireme.conf, which overrides
 * the default.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * Blocks      no
 * Threads     any
 * Ownership   strings are static
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_SETTINGS_H
#define TRIREME_SETTINGS_H

#include <trireme/api.h>

TRM_API_BEGIN

enum trm_setting_type {
    TRM_SETTING_TEXT  = 0,
    TRM_SETTING_BOOL  = 1, /* yes/no, on/off, true/false, 1/0 */
    TRM_SETTING_COUNT = 2, /* a whole number */
    TRM_SETTING_BYTES = 3, /* a whole number with an optional K, M or G (powers of 1024) */
    TRM_SETTING_PATHS = 4, /* absolute folders, separated by colons */
};

/* Where a value came from. */
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
    /* 1: names code to run; ignored in setuid programs, and in a file that other users may write */
    int32_t secure;
    int32_t reserved;
};

/* Count the settings. The table is the same for every context.
 *
 * Errors      none
 */
TRM_API uint32_t trm_setting_count(void);

/* Describe a setting.
 *
 * index       of the setting, from 0
 * info        receives the description; the caller sets its struct_size
 * Errors      OUT_OF_RANGE for the index
 */
TRM_API int32_t trm_setting_describe(uint32_t index, struct trm_setting_info *info);

/* Get the value of a setting in a context, as text with its terminating zero.
 *
 * context     the context
 * name        the key in trireme.conf
 * value       receives the text; NULL with capacity 0: only the size is wanted
 * capacity    bytes of `value`
 * needed      receives the bytes of the text with its zero; may be NULL
 * origin      receives enum trm_setting_origin; may be NULL
 * Errors      NOT_FOUND for a name that no setting has, and for a plugin's setting that is not set;
 *             OUT_OF_RANGE when the text does not fit (`needed` is written all the same); INVALID_ARGUMENT
 *             when name is NULL, or when value is NULL and capacity is not 0
 */
TRM_API int32_t trm_context_setting(struct trm_context *context, const char *name, char *value,
                                    size_t capacity, size_t *needed, int32_t *origin);

TRM_API_END

#endif
