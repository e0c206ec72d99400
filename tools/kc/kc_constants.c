/* Trireme: specialisation constants from the command line.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kc/kc.h"

#include "tools/kernel/kernel.h"
#include "tools/output/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *sentence(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *sentence(const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return output_copy(text);
}

static char *no_such_constant(struct trm_shader *shader, const char *name)
{
    char text[400]                = "";
    struct trm_constant_info info = {.struct_size = sizeof(info)};

    for (uint32_t i = 0; trm_shader_constant(shader, i, &info) == TRM_OK; i++) {
        size_t length = strlen(text);

        if (*info.name)
            snprintf(text + length, sizeof(text) - length, "%s%s", length ? ", " : "", info.name);
        else
            snprintf(text + length, sizeof(text) - length, "%s%u", length ? ", " : "", info.id);
    }
    if (*text == '\0')
        return sentence("there is no constant %s: the shader has none", name);
    return sentence("there is no constant %s: the shader has %s", name, text);
}

static bool find_constant(struct trm_shader *shader, const char *name, struct trm_constant_info *info)
{
    char *end;
    unsigned long id = strtoul(name, &end, 10);
    bool is_number   = end != name && *end == '\0';

    info->struct_size = sizeof(*info);
    for (uint32_t i = 0; trm_shader_constant(shader, i, info) == TRM_OK; i++)
        if (is_number ? info->id == id : strcmp(info->name, name) == 0)
            return true;
    return false;
}

static int compare_ids(const void *one, const void *other)
{
    const struct trm_constant *a = one, *b = other;

    return a->id < b->id ? -1 : a->id > b->id;
}

/* True if a name of a constant is allowed in a file name; other constants appear by number. */
static bool is_word(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    return *name && (*name < '0' || *name > '9') && strlen(name) <= 32 &&
           strspn(name, letters) == strlen(name);
}

/* ".op=1,width=4": the constants that differ from their defaults, in the order of their ids. The library
 * looks for files with these names (core/shader/shader_code.c). */
static bool name_variant(struct trm_shader *shader, const struct trm_constant *constants, uint32_t count,
                         char name[KC_VARIANT_NAME])
{
    size_t length = 0;

    name[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        struct trm_constant_info info;
        char number[16], value[VALUE_TEXT];
        /* A half is written as its bits. */
        int32_t type = constants[i].type == TRM_TYPE_F16 ? TRM_TYPE_U16 : constants[i].type;

        snprintf(number, sizeof(number), "%u", constants[i].id);
        if (!find_constant(shader, number, &info) || info.default_bits == constants[i].bits)
            continue;
        value_text(value, type, constants[i].bits);
        length += (size_t)snprintf(name + length, KC_VARIANT_NAME - length, "%c%s=%s", length ? ',' : '.',
                                   is_word(info.name) ? info.name : number, value);
        if (length >= KC_VARIANT_NAME)
            return false;
    }
    return true;
}

char *kc_constants(struct trm_shader *shader, const struct kc_variant *variant,
                   struct trm_constant *constants, char name[KC_VARIANT_NAME])
{
    for (uint32_t i = 0; i < variant->count; i++) {
        struct trm_constant_info info;

        if (!find_constant(shader, variant->names[i], &info))
            return no_such_constant(shader, variant->names[i]);
        constants[i].name = NULL;
        constants[i].id   = info.id;
        constants[i].type = info.type;
        if (!value_parse(info.type, variant->values[i], &constants[i].bits))
            return sentence("constant %s is of type %s, and %s is no such value", variant->names[i],
                            trm_type_name(info.type), variant->values[i]);
        for (uint32_t other = 0; other < i; other++)
            if (constants[other].id == info.id)
                return sentence("constant %s is given twice", variant->names[i]);
    }
    qsort(constants, variant->count, sizeof(*constants), compare_ids);
    if (!name_variant(shader, constants, variant->count, name))
        return sentence("the constants make too long a file name");
    return NULL;
}
