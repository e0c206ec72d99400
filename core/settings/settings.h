/* The settings room: one table of all settings, and the values in force in each context.
 *
 * settings_table    the table: types, defaults, help
 * setting_value     parses a value by its type
 * selection         parses the settings `backend` and `device`, and the ids of devices
 * config_file       parses trireme.conf
 * settings          a context's values, from program, environment, file and default
 * unknown_variable  warns about variables that are misspelt
 *
 * A context reads its settings once, when it is created; after that they are constant and any thread reads
 * them without a lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SETTINGS_SETTINGS_H
#define CORE_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trireme/context.h>
#include <trireme/settings.h>

#include "core/settings/selection.h"

struct core_context;
struct core_settings;

/* ---- the table (settings_table.c) ---- */

/* One row of the table. */
struct core_setting_row {
    struct trm_setting_info info;
    uint64_t maximum; /* the highest value of a COUNT; 0: there is no limit */
    /* Checks a text beyond its type; an empty value is not passed to it. False when it is invalid, with a
     * description of valid values in `allowed`. NULL when every text is valid. */
    bool (*check)(const char *value, char *allowed, size_t capacity);
};

#define CORE_SETTINGS_MAX 48

/* The row of a name or of an index, or NULL. */
const struct core_setting_row *core_setting_row(const char *name);
const struct core_setting_row *core_setting_row_at(uint32_t index);

/* May a name without a row belong to a backend that the core does not know? It is "<backend>.<key>", and no
 * row has that first part. */
bool core_setting_is_foreign(const char *name);

/* The setting that a misspelt name may mean, or NULL. */
const char *core_setting_near(const char *name);

/* The environment variable of a name: "TRIREME_MINE_FAST_PATH" for "mine.fast-path". */
void core_setting_variable(const char *name, char *variable, size_t capacity);

/* ---- values (setting_value.c) ---- */

/* Parses a value by the type of its row; `number` is its number (0 or 1 for a BOOL, 0 for texts). False
 * when it is invalid, with a description of valid values in `allowed`. */
bool core_setting_parse(const struct core_setting_row *row, const char *value, uint64_t *number,
                        char *allowed, size_t capacity);

/* ---- a context's settings (settings.c) ---- */

/* Reads program, environment and files, and checks every value against its type. */
int32_t core_settings_create(struct core_context *context, const struct trm_context_desc *desc,
                             struct core_settings **settings);
void core_settings_destroy(struct core_context *context, struct core_settings *settings);

/* Warns once in the process, in the log, of each variable TRIREME_… of the environment that no setting has.
 * Looks again in the next context while there was nothing to say or no log. Says nothing in a program that
 * runs with another user's rights. Any thread. */
void core_settings_warn(const struct core_context *context);

/* Warns, in the log, of each setting of the program or a file that the table does not have and that is near
 * to one of it, such as "cup.devices". */
void core_settings_warn_foreign(const struct core_context *context);

/* The value in force of a setting of the table; the zero of the type for other names. Texts live as long as
 * the context. */
const char *core_setting_text(const struct core_context *context, const char *name);
uint64_t core_setting_number(const struct core_context *context, const char *name);
bool core_setting_flag(const struct core_context *context, const char *name);

/* The library's folder in the user's cache folder, from the environment; it may not exist. NULL when it is
 * unknown. */
const char *core_setting_cache_home(const struct core_context *context);

/* The user's folder for temporary files (TMPDIR), from the environment; it may not exist. NULL when there is
 * none. */
const char *core_setting_temporary_home(const struct core_context *context);

/* As trm_context_setting(). */
int32_t core_setting_get(const struct core_context *context, const char *name, char *value, size_t capacity,
                         size_t *needed, int32_t *origin);

/* Fails because a file that a setting names cannot be opened: by what the user wrote, the variable or the
 * setting. error: an errno, or EPERM for what is no file of this user. */
int32_t core_setting_fail_open(const struct core_context *context, const char *name, const char *path,
                               int error);

#endif
