/* The settings in force in a context. The table of all settings is core/settings/settings_table.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SETTINGS_SETTINGS_H
#define CORE_SETTINGS_SETTINGS_H

#include <stddef.h>
#include <stdint.h>
#include <trireme/context.h>
#include <trireme/settings.h>

#include "core/settings/selection.h"

struct core_context;
struct core_settings;

/* ---- the table (settings_table.c) ---- */

/* One row of the table of settings. */
struct core_setting_row {
    struct trm_setting_info info;
    uint64_t most; /* the highest value of a COUNT */
    /* Checks what the type alone cannot: 1, or 0 with `allowed` saying what it takes. NULL where
     * there is no more to it; an empty value is not shown to it. */
    int32_t (*check)(const char *value, char *allowed, size_t capacity);
};

#define CORE_SETTINGS_MOST 32

/* The row of a name; NULL: there is none. */
const struct core_setting_row *core_setting_row(const char *name);
const struct core_setting_row *core_setting_row_at(uint32_t index);

/* May a name that has no row be kept for a backend that the core does not know? It is
 * "<backend>.<key>", and no row has that first part. */
int32_t core_setting_is_foreign(const char *name);

/* The variable of a name: "TRIREME_MINE_FAST_PATH" for "mine.fast-path". */
void core_setting_variable(const char *name, char *variable, size_t capacity);

/* ---- values (setting_value.c) ---- */

/* Does a value suit its row? Its number comes out (of a BOOL: 0 or 1; of texts: 0). If not: 0, and
 * `allowed` says what the setting takes. */
int32_t core_setting_parse(const struct core_setting_row *row, const char *value, uint64_t *number,
                           char *allowed, size_t capacity);

/* ---- a context's settings ---- */

/* Reads program, environment and file, in this order of strength; checks every value against its
 * type. */
int32_t core_settings_create(struct core_context *context, const struct trm_context_desc *desc,
                             struct core_settings **settings);
void core_settings_destroy(struct core_context *context, struct core_settings *settings);

/* Values in force; `name` is in the table (a programmer's mistake otherwise: answers the zero of
 * the type). Texts live as long as the context. */
const char *core_setting_text(const struct core_context *context, const char *name);
uint64_t core_setting_number(const struct core_context *context, const char *name);
int32_t core_setting_flag(const struct core_context *context, const char *name);

/* Where the user's caches are, from the environment: the folder of ours in it, which may not be there. NULL
 * when that is not known. */
const char *core_setting_cache_home(const struct core_context *context);

/* As trm_context_setting(). */
int32_t core_setting_get(const struct core_context *context, const char *name, char *value, size_t capacity,
                         size_t *needed, int32_t *origin);

#endif
