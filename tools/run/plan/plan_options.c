/* Trireme: the list of the options of a kernel, for messages.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/kernel/kernel.h"
#include "tools/run/plan/recipe.h"

#define SENTENCE_MOST FAULT_TEXT

struct listing {
    char text[640];
    bool some;
};

static void list(struct listing *listing, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void list(struct listing *listing, const char *format, ...)
{
    size_t length = strlen(listing->text);
    va_list arguments;

    snprintf(listing->text + length, sizeof(listing->text) - length, "%s", listing->some ? ", " : "");
    length = strlen(listing->text);
    va_start(arguments, format);
    vsnprintf(listing->text + length, sizeof(listing->text) - length, format, arguments);
    va_end(arguments);
    listing->some = true;
}

/* The list leaves out parameters that the frames determine. */
bool plan_is_automatic(const char *name)
{
    static const char *const names[] = {"width",  "height",       "count",         "n",       "size",
                                        "length", "elements",     "rows",          "columns", "channels",
                                        "planes", "target_width", "target_height", "axis",    "stride"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void list_constant(struct listing *listing, const struct code *code,
                          const struct trm_constant_info *constant)
{
    const struct recipe *recipe = recipe_find(code);
    size_t length               = 0;
    const char *words           = recipe ? recipe_lookup(recipe->words, constant->name, &length) : NULL;

    if (words)
        list(listing, "%s (%.*s)", constant->name, (int)length, words);
    else
        list(listing, "%s (%s)", constant->name, trm_type_name(constant->type));
}

static void list_options(struct listing *listing, const struct plan *plan, const struct code *code)
{
    bool first_source = true;

    for (uint32_t i = 0; i < code->info.parameter_count; i++) {
        const struct trm_parameter *parameter = &code->info.parameters[i];

        if (parameter->kind == TRM_PARAMETER_BUFFER && parameter->access == TRM_ACCESS_READ && !first_source)
            list(listing, "%s (numbers, %s)", parameter->name, trm_type_name(parameter->type));
        else if (parameter->kind == TRM_PARAMETER_SCALAR && !plan_is_automatic(parameter->name))
            list(listing, "%s (%s)", parameter->name, trm_type_name(parameter->type));
        if (parameter->kind == TRM_PARAMETER_BUFFER && parameter->access == TRM_ACCESS_READ)
            first_source = false;
    }
    for (uint32_t i = 0; i < code->constant_count; i++)
        if (*code->constants[i].name && !plan_is_automatic(code->constants[i].name))
            list_constant(listing, code, &code->constants[i]);
    if (strcmp(code->name, "resize_bilinear") == 0)
        list(listing, "width, height");
    if (plan->format->chroma_x > 0)
        list(listing, "planes (all, y, uv)");
}

/* ---- names ---- */

bool plan_has_option(const struct code *code, const char *name)
{
    for (uint32_t i = 0; i < code->info.parameter_count; i++)
        if (strcmp(code->info.parameters[i].name, name) == 0)
            return true;
    return code_constant(code, name) != NULL;
}

void plan_suggest(const struct code *code, const char *name, char *text, size_t capacity)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, name);
    for (uint32_t i = 0; i < code->info.parameter_count; i++)
        suggestion_try(&suggestion, code->info.parameters[i].name);
    for (uint32_t i = 0; i < code->constant_count; i++)
        suggestion_try(&suggestion, code->constants[i].name);
    suggestion_try(&suggestion, "planes");
    suggestion_text(&suggestion, text, capacity);
}

/* ---- sentences ---- */

static void explain(char *text, size_t capacity, const struct plan *plan, const struct spec *spec,
                    const struct code *code, const char *format, va_list arguments)
    __attribute__((format(printf, 6, 0)));

/* Writes what is wrong, and the options that the kernel has. */
static void explain(char *text, size_t capacity, const struct plan *plan, const struct spec *spec,
                    const struct code *code, const char *format, va_list arguments)
{
    struct listing listing = {.text = ""};
    char complaint[320];

    vsnprintf(complaint, sizeof(complaint), format, arguments);
    list_options(&listing, plan, code);
    if (!listing.some)
        list(&listing, "none");
    snprintf(text, capacity, "-k %s: %s. Options of %s: %s", spec->text, complaint, code->info.name,
             listing.text);
}

bool plan_complain(struct plan *plan, const struct spec *spec, const struct code *code, const char *format,
                   ...)
{
    char text[SENTENCE_MOST];
    va_list arguments;

    va_start(arguments, format);
    explain(text, sizeof(text), plan, spec, code, format, arguments);
    va_end(arguments);
    return fault_set(plan->fault, "%s", text);
}

bool plan_misuse(struct plan *plan, const struct spec *spec, const struct code *code, const char *format, ...)
{
    char text[SENTENCE_MOST];
    va_list arguments;

    va_start(arguments, format);
    explain(text, sizeof(text), plan, spec, code, format, arguments);
    va_end(arguments);
    return fault_misuse(plan->fault, "%s", text);
}
