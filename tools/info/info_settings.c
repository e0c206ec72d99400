/* Trireme: the settings table as text, as JSON and as the list of a manual page.
 * SPDX-License-Identifier: MIT
 */
#include "tools/info/info.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *type_name(int32_t type)
{
    static const char *const names[] = {
        [TRM_SETTING_TEXT] = "text",   [TRM_SETTING_BOOL] = "bool",   [TRM_SETTING_COUNT] = "count",
        [TRM_SETTING_BYTES] = "bytes", [TRM_SETTING_PATHS] = "paths",
    };

    if (type < 0 || (size_t)type >= sizeof(names) / sizeof(names[0]))
        return "text";
    return names[type];
}

static const char *origin_name(int32_t origin)
{
    static const char *const names[] = {
        [TRM_ORIGIN_DEFAULT]     = "default",
        [TRM_ORIGIN_FILE]        = "file",
        [TRM_ORIGIN_ENVIRONMENT] = "environment",
        [TRM_ORIGIN_PROGRAM]     = "program",
    };

    if (origin < 0 || (size_t)origin >= sizeof(names) / sizeof(names[0]))
        return "default";
    return names[origin];
}

/* Visit every setting of the table. */
static void for_each_setting(void (*visit)(const struct trm_setting_info *setting, void *user), void *user)
{
    uint32_t count = trm_setting_count();

    for (uint32_t i = 0; i < count; i++) {
        struct trm_setting_info setting = {.struct_size = sizeof(setting)};

        if (trm_setting_describe(i, &setting) == TRM_OK)
            visit(&setting, user);
    }
}

/* The value that the context uses; the caller frees it. "" if there is none. */
static char *value_in_force(struct trm_context *context, const char *name, int32_t *origin)
{
    size_t needed = 0;
    char *value;

    *origin = TRM_ORIGIN_DEFAULT;
    trm_context_setting(context, name, NULL, 0, &needed, NULL);
    value = output_allocate(needed + 1, 1);
    trm_context_setting(context, name, value, needed, NULL, origin);
    return value;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

struct text_user {
    struct trm_context *context;
    struct table values;
};

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

static void add_value_row(const struct trm_setting_info *setting, void *user)
{
    struct text_user *text = user;
    int32_t origin;
    char *value = value_in_force(text->context, setting->name, &origin);

    table_add(&text->values, setting->name);
    table_add(&text->values, or_dash(value));
    table_add(&text->values, origin_name(origin));
    table_add(&text->values, setting->variable);
    table_add(&text->values, or_dash(setting->default_value));
    free(value);
}

static void print_help(const struct trm_setting_info *setting, void *user)
{
    (void)user;
    printf("  %s%s%s (%s)\n", output_style(OUTPUT_BOLD), setting->name, output_style(OUTPUT_PLAIN),
           type_name(setting->type));
    output_paragraph(stdout, 6, setting->help);
}

void info_settings_text(struct trm_context *context)
{
    struct text_user text              = {.context = context};
    static const char *const heading[] = {"setting", "value", "from", "variable", "default"};

    table_init(&text.values, 5, 0);
    for (int i = 0; i < 5; i++)
        table_add(&text.values, heading[i]);
    for_each_setting(add_value_row, &text);
    table_print(&text.values, stdout, 0, 1);
    table_fini(&text.values);
    fputc('\n', stdout);
    for_each_setting(print_help, NULL);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

struct json_user {
    struct trm_context *context;
    struct json json;
};

static void write_setting(const struct trm_setting_info *setting, void *user)
{
    struct json_user *writer = user;
    struct json *json        = &writer->json;
    int32_t origin           = TRM_ORIGIN_DEFAULT;
    char *value = writer->context ? value_in_force(writer->context, setting->name, &origin) : NULL;

    json_object_begin(json, NULL);
    json_text(json, "name", setting->name);
    json_text(json, "variable", setting->variable);
    json_text(json, "type", type_name(setting->type));
    json_text(json, "value", value);
    json_text(json, "origin", value ? origin_name(origin) : NULL);
    json_text(json, "default", setting->default_value);
    json_text(json, "help", setting->help);
    json_bool(json, "secure", setting->secure != 0);
    json_object_end(json);
    free(value);
}

void info_settings_json(struct trm_context *context)
{
    struct json_user writer = {.context = context};
    char *failure           = context ? NULL : output_copy(trm_last_error().sentence);

    json_begin(&writer.json, stdout, true);
    json_object_begin(&writer.json, NULL);
    json_text(&writer.json, "version", trm_version());
    json_array_begin(&writer.json, "settings");
    for_each_setting(write_setting, &writer);
    json_array_end(&writer.json);
    json_text(&writer.json, "failure", failure);
    json_object_end(&writer.json);
    json_end(&writer.json);
    free(failure);
}

/* ---- mdoc ---------------------------------------------------------------------------------------------- */

/* One argument of a macro line, quoted if necessary. */
static void print_argument(const char *text)
{
    fputc('"', stdout);
    for (; *text; text++) {
        if (*text == '"')
            fputs("\\(dq", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            fputc(*text, stdout);
    }
    fputc('"', stdout);
}

/* A paragraph of text; in mdoc each sentence begins on a new line. */
static void print_prose(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (text[0] == '.' && text[1] == ' ' && text[2] >= 'A' && text[2] <= 'Z')
            fputs(".\n", stdout), text++;
        else
            fputc(*text, stdout);
    }
    fputc('\n', stdout);
}

static void print_mdoc_setting(const struct trm_setting_info *setting, void *user)
{
    (void)user;
    printf(".It Ev %s , Cm %s Pq %s\n", setting->variable, setting->name, type_name(setting->type));
    print_prose(setting->help);
    if (*setting->default_value) {
        fputs("Default:\n.Ql ", stdout);
        print_argument(setting->default_value);
        fputs(" .\n", stdout);
    }
    if (setting->secure)
        puts("Ignored in set-user-ID programs and in files that others may write.");
}

void info_settings_mdoc(void)
{
    puts(".Bl -tag -width Ds");
    for_each_setting(print_mdoc_setting, NULL);
    puts(".El");
}
