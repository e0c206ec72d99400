/* The settings of a context. The program overrides the environment, which overrides trireme.conf, which
 * overrides the default.
 *
 * A name that the table lacks may belong to a backend that the core does not know
 * (core_setting_is_foreign). Its value is kept as text. Foreign variables of the environment are kept under
 * the variable's name, since several names map to one variable.
 * SPDX-License-Identifier: MIT
 */
#include "core/settings/settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/settings/config_file.h"
#include "installed_folders.h"

#define VARIABLE_BYTES 128

extern char **environ;

struct value {
    char *text; /* NULL: the default */
    uint64_t number;
    int32_t origin;
};

struct foreign {
    struct foreign *next;
    char *name; /* the variable, if the origin is the environment */
    char *text;
    int32_t origin;
};

struct core_settings {
    struct value values[CORE_SETTINGS_MAX]; /* by row of the table */
    struct foreign *foreign;                /* latest first */
    char *cache_home;                       /* NULL: unknown */
    char *temporary_home;                   /* NULL: none */
};

/* State of reading. */
struct reader {
    struct core_context *context;
    struct core_settings *settings;
    const char *path; /* of the current file */
    bool is_trusted;  /* other users cannot replace the file */
    uint64_t set;     /* a bit for each row that the file has set */
};

static const struct value *value_of(const struct core_settings *settings, const char *name,
                                    const struct core_setting_row **row)
{
    for (uint32_t i = 0; (*row = core_setting_row_at(i)) != NULL; i++) {
        if (strcmp((*row)->info.name, name) == 0)
            return &settings->values[i];
    }
    return NULL;
}

static const char *text_of(const struct core_setting_row *row, const struct value *value)
{
    return value->text ? value->text : row->info.default_value;
}

/* ---- setting ---- */

static int32_t add_foreign(struct reader *reader, const char *name, const char *text, int32_t origin)
{
    struct core_context *context = reader->context;
    struct foreign *foreign      = core_allocate(context, sizeof(*foreign));
    if (foreign == NULL)
        goto out_of_memory;
    foreign->name = core_copy_text(context, name);
    if (foreign->name == NULL)
        goto free_foreign;
    foreign->text = core_copy_text(context, text);
    if (foreign->text == NULL)
        goto free_name;
    foreign->origin           = origin;
    foreign->next             = reader->settings->foreign;
    reader->settings->foreign = foreign;
    return TRM_OK;

free_name:
    core_free(context, foreign->name, strlen(foreign->name) + 1);
free_foreign:
    core_free(context, foreign, sizeof(*foreign));
out_of_memory:
    return base_fail_memory("reading the settings");
}

/* Checks the text, and sets the value unless it has one of a stronger or the same origin. The program may
 * set a name twice; then the last value wins. `where` begins the error message: "TRIREME_LOG". */
static int32_t set_row(struct reader *reader, const struct core_setting_row *row, const char *text,
                       int32_t origin, const char *where)
{
    char allowed[256];
    uint64_t number;
    struct core_context *context = reader->context;
    struct value *value          = (struct value *)value_of(reader->settings, row->info.name, &row);
    if (!core_setting_parse(row, text, &number, allowed, sizeof(allowed)))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s is \"%.200s\", but it takes %s", where, text,
                         allowed);
    if (origin < value->origin || (origin == value->origin && origin != TRM_ORIGIN_PROGRAM))
        return TRM_OK;
    char *copy = core_copy_text(context, text);
    if (copy == NULL)
        return base_fail_memory("reading the settings");
    if (value->text != NULL)
        core_free(context, value->text, strlen(value->text) + 1);
    *value = (struct value){copy, number, origin};
    return TRM_OK;
}

/* ---- the sources ---- */

static int32_t fail_unknown(const char *where, const char *name)
{
    const char *near = core_setting_near(name);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s \"%.100s\", but there is no such setting%s%s%s", where,
                     name, near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                     near != NULL ? "?" : "");
}

static int32_t read_program(struct reader *reader, const struct trm_setting *given)
{
    char where[160];
    if (given->name == NULL || given->value == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the name or value of a setting in trm_context_desc.settings is NULL");
    const struct core_setting_row *row = core_setting_row(given->name);
    if (row == NULL && core_setting_is_foreign(given->name))
        return add_foreign(reader, given->name, given->value, TRM_ORIGIN_PROGRAM);
    if (row == NULL)
        return fail_unknown("the program sets", given->name);
    snprintf(where, sizeof(where), "the program's setting %s", given->name);
    return set_row(reader, row, given->value, TRM_ORIGIN_PROGRAM, where);
}

/* An empty variable counts as unset. */
static int32_t read_variable(struct reader *reader, const struct core_setting_row *row)
{
    const char *variable = row->info.variable;
    const char *text     = row->info.secure ? secure_getenv(variable) : getenv(variable);
    if (text == NULL || *text == '\0')
        return TRM_OK;
    return set_row(reader, row, text, TRM_ORIGIN_ENVIRONMENT, variable);
}

static bool is_known_variable(const char *variable)
{
    const struct core_setting_row *row;
    for (uint32_t i = 0; (row = core_setting_row_at(i)) != NULL; i++) {
        if (strcmp(row->info.variable, variable) == 0)
            return true;
    }
    return false;
}

static int32_t read_foreign_variable(struct reader *reader, const char *entry)
{
    char variable[VARIABLE_BYTES];
    size_t length = strcspn(entry, "=");
    if (strncmp(entry, "TRIREME_", 8) != 0 || entry[length] != '=' || entry[length + 1] == '\0')
        return TRM_OK;
    if (length >= sizeof(variable) || memchr(entry + 8, '_', length - 8) == NULL)
        return TRM_OK;
    memcpy(variable, entry, length);
    variable[length] = '\0';
    if (is_known_variable(variable))
        return TRM_OK;
    return add_foreign(reader, variable, entry + length + 1, TRM_ORIGIN_ENVIRONMENT);
}

static int32_t read_environment(struct reader *reader)
{
    int32_t status = TRM_OK;
    const struct core_setting_row *row;
    for (uint32_t i = 0; status == TRM_OK && (row = core_setting_row_at(i)) != NULL; i++)
        status = read_variable(reader, row);
    /* Foreign variables may name code, so a setuid program ignores them like all secure ones. */
    if (environ == NULL || getauxval(AT_SECURE) != 0)
        return status;
    for (char **entry = environ; status == TRM_OK && *entry != NULL; entry++)
        status = read_foreign_variable(reader, *entry);
    return status;
}

static int32_t ignore_untrusted(const struct reader *reader, const char *key, unsigned line)
{
    core_log(reader->context, TRM_LOG_WARNING,
             "%s:%u: %s is ignored, since other users may write this file or a folder above it", reader->path,
             line, key);
    return TRM_OK;
}

static int32_t set_from_file(void *user, const char *key, const char *text, unsigned line)
{
    char where[4352];
    struct reader *reader              = user;
    const struct core_setting_row *row = core_setting_row(key);
    if (row == NULL && core_setting_is_foreign(key)) {
        if (reader->is_trusted)
            return add_foreign(reader, key, text, TRM_ORIGIN_FILE);
        return ignore_untrusted(reader, key, line);
    }
    if (row == NULL) {
        snprintf(where, sizeof(where), "%s:%u sets", reader->path, line);
        return fail_unknown(where, key);
    }
    if (strcmp(key, "config") == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s:%u: config cannot be set in a file; use the program or TRIREME_CONFIG",
                         reader->path, line);
    if (row->info.secure && !reader->is_trusted)
        return ignore_untrusted(reader, key, line);
    uint64_t bit = UINT64_C(1) << (row - core_setting_row_at(0));
    if (reader->set & bit)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s:%u: %s is set a second time", reader->path, line,
                         key);
    reader->set |= bit;
    snprintf(where, sizeof(where), "%s:%u: %s", reader->path, line, key);
    return set_row(reader, row, text, TRM_ORIGIN_FILE, where);
}

static int32_t read_file(struct reader *reader, const char *path)
{
    reader->path       = path;
    reader->is_trusted = base_file_permissions_check(path) == TRM_OK;
    reader->set        = 0;
    return core_config_read(reader->context, path, set_from_file, reader);
}

/* Reads a file at a default path: it may be missing, and one without permission is only logged. */
static int32_t read_default_file(struct reader *reader, const char *path)
{
    struct base_saved_error before;
    base_error_save(&before);
    int32_t status = read_file(reader, path);
    if (status == TRM_ERROR_PERMISSION)
        core_log(reader->context, TRM_LOG_WARNING, "%s", trm_last_error().sentence);
    else if (status != TRM_OK && status != TRM_ERROR_NOT_FOUND)
        return status;
    base_error_restore(&before);
    return TRM_OK;
}

/* The path of `name` below a folder of the user, by the XDG Base Directory Specification. False when it is
 * unknown. */
static bool user_path(char *path, size_t capacity, const char *variable, const char *below_home,
                      const char *name)
{
    int written      = 0;
    const char *base = secure_getenv(variable);
    const char *home = secure_getenv("HOME");
    if (base != NULL && base[0] == '/')
        written = snprintf(path, capacity, "%s/%s", base, name);
    else if (home != NULL && home[0] == '/')
        written = snprintf(path, capacity, "%s/%s/%s", home, below_home, name);
    return written > 0 && (size_t)written < capacity;
}

/* Reads the user's file first, so that the system's file does not override it. */
static int32_t read_files(struct reader *reader, uint32_t flags)
{
    char path[4096];
    int32_t status                     = TRM_OK;
    const struct core_setting_row *row = NULL;
    const struct value *config         = value_of(reader->settings, "config", &row);
    if (config->text != NULL && config->text[0] != '\0')
        return read_file(reader, config->text);
    if (!(flags & TRM_CONTEXT_NO_ENVIRONMENT) &&
        user_path(path, sizeof(path), "XDG_CONFIG_HOME", ".config", "trireme/trireme.conf"))
        status = read_default_file(reader, path);
    if (status == TRM_OK)
        status = read_default_file(reader, TRM_SYSCONFDIR "/trireme/trireme.conf");
    return status;
}

static int32_t find_cache_home(struct reader *reader, uint32_t flags)
{
    char path[4096];
    if ((flags & TRM_CONTEXT_NO_ENVIRONMENT) ||
        !user_path(path, sizeof(path), "XDG_CACHE_HOME", ".cache", "trireme"))
        return TRM_OK;
    reader->settings->cache_home = core_copy_text(reader->context, path);
    return reader->settings->cache_home != NULL ? TRM_OK : base_fail_memory("reading the settings");
}

static int32_t find_temporary_home(struct reader *reader, uint32_t flags)
{
    const char *path = flags & TRM_CONTEXT_NO_ENVIRONMENT ? NULL : secure_getenv("TMPDIR");
    if (path == NULL || path[0] != '/')
        return TRM_OK;
    reader->settings->temporary_home = core_copy_text(reader->context, path);
    return reader->settings->temporary_home != NULL ? TRM_OK : base_fail_memory("reading the settings");
}

static int32_t read_all(struct reader *reader, const struct trm_context_desc *desc)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < desc->setting_count; i++)
        status = read_program(reader, &desc->settings[i]);
    if (status == TRM_OK && !(desc->flags & TRM_CONTEXT_NO_ENVIRONMENT))
        status = read_environment(reader);
    if (status == TRM_OK && !(desc->flags & TRM_CONTEXT_NO_CONFIG))
        status = read_files(reader, desc->flags);
    if (status == TRM_OK)
        status = find_cache_home(reader, desc->flags);
    if (status == TRM_OK)
        status = find_temporary_home(reader, desc->flags);
    return status;
}

/* ---- life ---- */

int32_t core_settings_create(struct core_context *context, const struct trm_context_desc *desc,
                             struct core_settings **out)
{
    char unused[256];
    const struct core_setting_row *row;
    struct core_settings *settings = core_allocate(context, sizeof(*settings));
    if (settings == NULL)
        return base_fail_memory("making the settings");
    for (uint32_t i = 0; (row = core_setting_row_at(i)) != NULL; i++)
        core_setting_parse(row, row->info.default_value, &settings->values[i].number, unused, sizeof(unused));

    struct reader reader = {.context = context, .settings = settings};
    int32_t status       = read_all(&reader, desc);
    if (status != TRM_OK) {
        core_settings_destroy(context, settings);
        return status;
    }
    *out = settings;
    return TRM_OK;
}

void core_settings_destroy(struct core_context *context, struct core_settings *settings)
{
    if (settings == NULL)
        return;
    for (uint32_t i = 0; i < CORE_SETTINGS_MAX; i++) {
        char *text = settings->values[i].text;
        core_free(context, text, text ? strlen(text) + 1 : 0);
    }
    if (settings->cache_home != NULL)
        core_free(context, settings->cache_home, strlen(settings->cache_home) + 1);
    if (settings->temporary_home != NULL)
        core_free(context, settings->temporary_home, strlen(settings->temporary_home) + 1);
    while (settings->foreign != NULL) {
        struct foreign *foreign = settings->foreign;
        settings->foreign       = foreign->next;
        core_free(context, foreign->name, strlen(foreign->name) + 1);
        core_free(context, foreign->text, strlen(foreign->text) + 1);
        core_free(context, foreign, sizeof(*foreign));
    }
    core_free(context, settings, sizeof(*settings));
}

/* ---- reading values ---- */

const char *core_setting_text(const struct core_context *context, const char *name)
{
    const struct core_setting_row *row;
    const struct value *value = value_of(context->settings, name, &row);
    return value ? text_of(row, value) : "";
}

uint64_t core_setting_number(const struct core_context *context, const char *name)
{
    const struct core_setting_row *row;
    const struct value *value = value_of(context->settings, name, &row);
    return value ? value->number : 0;
}

bool core_setting_flag(const struct core_context *context, const char *name)
{
    return core_setting_number(context, name) != 0;
}

const char *core_setting_cache_home(const struct core_context *context)
{
    return context->settings->cache_home;
}

const char *core_setting_temporary_home(const struct core_context *context)
{
    return context->settings->temporary_home;
}

/* The value of the strongest origin; of several in a file the first, of several from the program the last. */
static const struct foreign *find_foreign(const struct core_settings *settings, const char *name)
{
    char variable[VARIABLE_BYTES];
    const struct foreign *found = NULL;
    core_setting_variable(name, variable, sizeof(variable));
    for (const struct foreign *foreign = settings->foreign; foreign != NULL; foreign = foreign->next) {
        const char *known = foreign->origin == TRM_ORIGIN_ENVIRONMENT ? variable : name;
        if (strcmp(foreign->name, known) != 0)
            continue;
        if (found == NULL || foreign->origin > found->origin ||
            (foreign->origin == found->origin && found->origin == TRM_ORIGIN_FILE))
            found = foreign;
    }
    return found;
}

void core_settings_warn_foreign(const struct core_context *context)
{
    for (const struct foreign *foreign = context->settings->foreign; foreign != NULL;
         foreign                       = foreign->next) {
        const char *near =
            foreign->origin == TRM_ORIGIN_ENVIRONMENT ? NULL : core_setting_near(foreign->name);
        if (near != NULL)
            core_log(context, TRM_LOG_WARNING,
                     "%s is set, but only a backend named %.*s would read it; did you mean %s?",
                     foreign->name, (int)strcspn(foreign->name, "."), foreign->name, near);
    }
}

static int32_t find_text(const struct core_settings *settings, const char *name, const char **text,
                         int32_t *origin)
{
    const struct core_setting_row *row;
    const struct value *value = value_of(settings, name, &row);
    if (row != NULL) {
        *text   = text_of(row, value);
        *origin = value->origin;
        return TRM_OK;
    }
    if (!core_setting_is_foreign(name))
        return base_fail(TRM_ERROR_NOT_FOUND, "there is no setting \"%.100s\"", name);
    const struct foreign *foreign = find_foreign(settings, name);
    if (foreign == NULL)
        return base_fail(TRM_ERROR_NOT_FOUND, "the setting %.100s is not set", name);
    *text   = foreign->text;
    *origin = foreign->origin;
    return TRM_OK;
}

int32_t core_setting_get(const struct core_context *context, const char *name, char *value, size_t capacity,
                         size_t *needed, int32_t *origin)
{
    const char *text = "";
    int32_t from     = TRM_ORIGIN_DEFAULT;
    if (name == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_context_setting: `name` is NULL");
    if (value == NULL && capacity != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_context_setting: `value` is NULL, but `capacity` is %zu", capacity);
    int32_t status = find_text(context->settings, name, &text, &from);
    if (status != TRM_OK)
        return status;
    size_t size = strlen(text) + 1;
    if (needed != NULL)
        *needed = size;
    if (value != NULL && size > capacity)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "the value of %s has %zu bytes, but `capacity` is %zu", name,
                         size, capacity);
    if (value != NULL)
        memcpy(value, text, size);
    if (origin != NULL)
        *origin = from;
    return TRM_OK;
}

int32_t trm_context_setting(struct trm_context *handle, const char *name, char *value, size_t capacity,
                            size_t *needed, int32_t *origin)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_setting_get(context, name, value, capacity, needed, origin);
    core_object_leave(&context->object);
    return status;
}

/* A folder on the way may be a link. */
static bool is_link(const char *path)
{
    struct stat stat;
    return lstat(path, &stat) == 0 && S_ISLNK(stat.st_mode);
}

int32_t core_setting_fail_open(const struct core_context *context, const char *name, const char *path,
                               int error)
{
    const struct core_setting_row *row;
    int32_t origin = value_of(context->settings, name, &row)->origin;
    int32_t status = error == ENOENT || error == ENOTDIR                   ? TRM_ERROR_NOT_FOUND
                     : error == EPERM || error == EACCES || error == ELOOP ? TRM_ERROR_PERMISSION
                                                                           : TRM_ERROR_IO;
    return base_fail(status, "%s is \"%.200s\", which cannot be opened: %s",
                     origin == TRM_ORIGIN_ENVIRONMENT ? row->info.variable : name, path,
                     error == ENOENT                   ? "its folder does not exist"
                     : error == EPERM                  ? "it is no regular file of this user"
                     : error == ELOOP && is_link(path) ? "it is a symbolic link"
                                                       : strerror(error));
}
