/* Warns about variables of the environment that look like settings and are none.
 *
 * A variable whose first word is that of no setting ("TRIREME_MINE_PATH") may belong to a backend that the
 * table does not know. It counts as misspelt only if it is near to a variable of the table.
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/settings/settings.h"

#define VARIABLE_BYTES (BASE_EDIT_NAME_MAX + 1)
#define PREFIX 8 /* of "TRIREME_" */

extern char **environ;

/* Was the process warned? It changes nothing else. */
static _Atomic bool has_warned;

/* Variables that the documents name beside the settings. */
static const char *const others[] = {"TRIREME_SOURCE"};

struct near {
    const char *variable; /* NULL: none is near */
    uint32_t distance;
    bool is_known;
    bool is_group; /* a setting begins with the first word of the variable */
};

/* Compares with one variable that would be right; `meant` is what it stands for. */
static void try(struct near *near, const char *variable, const char *known, const char *meant)
{
    uint32_t distance = base_edit_distance(variable, known);
    if (distance < near->distance) {
        near->distance = distance;
        near->variable = meant;
    }
}

/* TRIREME_LOG_LEVEL is what one expects for log.level, whose variable is TRIREME_LOG. */
static struct near find_near(const char *variable)
{
    struct near near = {.distance = BASE_EDIT_FAR};
    size_t group     = PREFIX + strcspn(variable + PREFIX, "_");
    const struct core_setting_row *row;
    for (uint32_t i = 0; (row = core_setting_row_at(i)) != NULL; i++) {
        char expected[VARIABLE_BYTES];
        const char *known = row->info.variable;
        core_setting_variable(row->info.name, expected, sizeof(expected));
        try(&near, variable, known, known);
        try(&near, variable, expected, known);
        near.is_known |= strcmp(variable, known) == 0;
        near.is_group |=
            strncmp(variable, known, group) == 0 && (known[group] == '_' || known[group] == '\0');
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        near.is_known |= strcmp(variable, others[i]) == 0;
    return near;
}

/* The name of an entry "NAME=value" that the library may judge: printable, not too long, its value not
 * empty. */
static bool name_of(const char *entry, char *variable)
{
    size_t length = strspn(entry, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (strncmp(entry, "TRIREME_", PREFIX) != 0 || length >= VARIABLE_BYTES)
        return false;
    if (entry[length] != '=' || entry[length + 1] == '\0')
        return false;
    memcpy(variable, entry, length);
    variable[length] = '\0';
    return true;
}

static bool warn(const struct core_context *context, const char *entry)
{
    char variable[VARIABLE_BYTES];
    if (!name_of(entry, variable))
        return false;
    struct near near = find_near(variable);
    bool is_foreign  = strchr(variable + PREFIX, '_') != NULL && !near.is_group;
    if (near.is_known || (is_foreign && near.variable == NULL))
        return false;
    if (near.variable != NULL)
        core_log(context, TRM_LOG_WARNING, "%s is set, but there is no such setting; did you mean %s?",
                 variable, near.variable);
    else
        core_log(context, TRM_LOG_WARNING,
                 "%s is set, but there is no such setting; `trireme info --settings` lists them", variable);
    return true;
}

void core_settings_warn(const struct core_context *context)
{
    bool is_quiet = !base_log_is_on(&context->log, TRM_LOG_WARNING) || getauxval(AT_SECURE) != 0;
    bool warned   = false;
    if (is_quiet || environ == NULL || atomic_load_explicit(&has_warned, memory_order_relaxed))
        return;
    for (char **entry = environ; *entry != NULL; entry++)
        warned |= warn(context, *entry);
    if (warned)
        atomic_store_explicit(&has_warned, true, memory_order_relaxed);
}
