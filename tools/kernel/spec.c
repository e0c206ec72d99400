/* Trireme: parsing a kernel of the command line.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kernel/spec.h"

#include <stdlib.h>
#include <string.h>

#include "tools/output/output.h"

static char *copy_part(const char *text, size_t length)
{
    char *copy = output_allocate(length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

static bool is_known(const struct spec *spec, const char *name)
{
    for (uint32_t i = 0; i < spec->option_count; i++)
        if (strcmp(spec->options[i].name, name) == 0)
            return true;
    return false;
}

static bool begin_option(struct spec *spec, const char *text, size_t name, size_t length, struct fault *fault)
{
    struct spec_option *option = &spec->options[spec->option_count];

    if (name == 0 || name + 1 >= length)
        return fault_misuse(fault, "%s: options are written name=value", spec->text);
    if (spec->option_count == SPEC_OPTIONS)
        return fault_misuse(fault, "%s: more than %d options", spec->text, SPEC_OPTIONS);
    option->name  = copy_part(text, name);
    option->value = copy_part(text + name + 1, length - name - 1);
    if (is_known(spec, option->name)) {
        spec->option_count++;
        return fault_misuse(fault, "%s: %s is given twice", spec->text, option->name);
    }
    spec->option_count++;
    return true;
}

/* Append a number to the list of the previous option. */
static bool go_on(struct spec *spec, const char *text, size_t length, struct fault *fault)
{
    struct spec_option *option;
    size_t before;
    char *value;

    if (spec->option_count == 0 || length == 0)
        return fault_misuse(fault, "%s: options are written name=value, with commas between them",
                            spec->text);
    option = &spec->options[spec->option_count - 1];
    before = strlen(option->value);
    value  = output_allocate(before + length + 2, 1);
    memcpy(value, option->value, before);
    value[before] = ',';
    memcpy(value + before + 1, text, length);
    free(option->value);
    option->value = value;
    return true;
}

bool spec_parse(struct spec *spec, const char *text, struct fault *fault)
{
    const char *colon = strchr(text, ':');
    size_t length     = colon ? (size_t)(colon - text) : strlen(text);

    memset(spec, 0, sizeof(*spec));
    spec->text   = text;
    spec->kernel = copy_part(text, length);
    if (length == 0)
        return fault_misuse(fault, "%s: the name of the kernel is missing", text);
    if (!colon)
        return true;
    for (const char *at = colon + 1;; at++) {
        size_t name = strcspn(at, "=,");

        length = strcspn(at, ",");
        if (!(name < length ? begin_option(spec, at, name, length, fault) : go_on(spec, at, length, fault)))
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

void spec_release(struct spec *spec)
{
    for (uint32_t i = 0; i < spec->option_count; i++) {
        free(spec->options[i].name);
        free(spec->options[i].value);
    }
    free(spec->kernel);
}

const char *spec_value(struct spec *spec, const char *name)
{
    for (uint32_t i = 0; i < spec->option_count; i++) {
        if (strcmp(spec->options[i].name, name) == 0) {
            spec->options[i].used = true;
            return spec->options[i].value;
        }
    }
    return NULL;
}
