/* Trireme: the values of a kernel's parameters and constants: from the frames, the command line or defaults.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kernel/kernel.h"
#include "tools/output/output.h"
#include "tools/run/plan/recipe.h"

static bool complain(const struct draft *draft, const char *complaint)
{
    return plan_complain(draft->plan, draft->spec, draft->code, "%s", complaint);
}

/* ---- numbers ---- */

static uint64_t bits_of(int32_t type, double value)
{
    union {
        double f64;
        float f32;
        uint64_t u64;
    } both = {.u64 = 0};

    if (type == TRM_TYPE_F64)
        both.f64 = value;
    else if (type == TRM_TYPE_F32)
        both.f32 = (float)value;
    else
        both.u64 = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    return both.u64;
}

static bool find_fixed(const struct draft *draft, const char *name, double *value)
{
    for (uint32_t i = 0; i < draft->fixed_count; i++) {
        if (strcmp(draft->fixed[i].name, name) == 0) {
            *value = draft->fixed[i].value;
            return true;
        }
    }
    return false;
}

static bool is_count(const char *name)
{
    static const char *const names[] = {"count", "n", "size", "length", "elements"};

    return draft_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

/* Find a value that the frames determine. */
static bool find_automatic(const struct draft *draft, const char *name, double *value)
{
    const struct surface *from = &draft->from;
    const struct {
        const char *name;
        uint32_t value;
    } known[] = {
        {"width", from->width},
        {"height", from->height},
        {"rows", from->height},
        {"columns", from->width},
        {"planes", from->planes},
        {"channels", from->channels},
        {"stride", from->width * from->channels},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0) {
            *value = known[i].value;
            return true;
        }
    }
    return false;
}

/* The position of a word in "operation=add|subtract"; −1: it is none of them. */
static long find_word(const char *words, const char *name, const char *word)
{
    size_t length = 0, size = strlen(word);
    const char *at  = recipe_lookup(words, name, &length);
    const char *end = at ? at + length : NULL;

    for (long number = 0; at && at < end; number++) {
        size_t part = strcspn(at, "|,");

        if (part == size && strncmp(at, word, size) == 0)
            return number;
        at += part + 1;
    }
    return -1;
}

static bool parse(const struct draft *draft, const char *name, int32_t type, const char *text, uint64_t *bits)
{
    if (value_parse(type, text, bits))
        return true;
    return plan_misuse(draft->plan, draft->spec, draft->code, "%s=%s is no value of type %s", name, text,
                       trm_type_name(type));
}

/* ---- constants ---- */

/* True if the number is one of those that have words. */
static bool is_among_words(const struct draft *draft, const struct recipe *recipe, const char *name,
                           uint64_t number)
{
    size_t length     = 0;
    uint64_t count    = 1;
    const char *words = recipe ? recipe_lookup(recipe->words, name, &length) : NULL;

    if (!words)
        return true;
    for (size_t i = 0; i < length; i++)
        count += words[i] == '|';
    if (number < count)
        return true;
    return plan_misuse(draft->plan, draft->spec, draft->code,
                       "%s=%" PRIu64 " is none: %s is a word, or its place from 0 to %" PRIu64, name, number,
                       name, count - 1);
}

/* What is neither a word of a constant that has words, nor a number. */
static bool is_other_word(const struct draft *draft, const struct recipe *recipe,
                          const struct trm_constant_info *info, const char *text)
{
    size_t length = 0;
    uint64_t bits;

    if (!recipe || !recipe_lookup(recipe->words, info->name, &length) || value_parse(info->type, text, &bits))
        return false;
    plan_misuse(draft->plan, draft->spec, draft->code, "%s=%s is not one of its values", info->name, text);
    return true;
}

bool draft_constants(struct draft *draft, const struct recipe *recipe, struct step *step)
{
    for (uint32_t i = 0; i < draft->code->constant_count; i++) {
        const struct trm_constant_info *info = &draft->code->constants[i];
        struct trm_constant constant         = {.name = info->name, .id = info->id, .type = info->type};
        const char *text;
        double value;
        long word;

        if (!*info->name)
            continue; /* the size of a group keeps its default */
        if (find_fixed(draft, info->name, &value) ||
            (strcmp(info->name, "channels") == 0 && find_automatic(draft, info->name, &value))) {
            constant.bits = bits_of(info->type, value);
        } else {
            text = spec_value(draft->spec, info->name);
            if (!text)
                continue;
            word = recipe ? find_word(recipe->words, info->name, text) : -1;
            if (word >= 0)
                constant.bits = (uint64_t)word;
            else if (is_other_word(draft, recipe, info, text) ||
                     !parse(draft, info->name, info->type, text, &constant.bits) ||
                     !is_among_words(draft, recipe, info->name, constant.bits))
                return false;
        }
        if (constant.bits == info->default_bits)
            continue; /* so that the code for the defaults is found */
        if (step->constant_count == STEP_CONSTANTS)
            return complain(draft, "too many constants");
        step->constants[step->constant_count++] = constant;
    }
    return true;
}

/* ---- arguments ---- */

/* A buffer with constant contents: the given numbers, repeated until every sample has its values. */
static bool add_values(struct draft *draft, const struct trm_parameter *parameter,
                       struct step_argument *argument)
{
    const char *text = spec_value(draft->spec, parameter->name);
    uint32_t size    = trm_type_size(parameter->type);
    uint64_t count = 0, wanted = draft->value_count ? draft->value_count : surface_samples(&draft->from);
    unsigned char *values;
    char *copy, *rest, *word;
    bool well = true;

    if (!text)
        return plan_misuse(draft->plan, draft->spec, draft->code,
                           "%s is missing: numbers with commas between them", parameter->name);
    if (size == 0)
        return plan_complain(draft->plan, draft->spec, draft->code, "%s has elements of no simple type",
                             parameter->name);
    if (wanted < strlen(text))
        wanted = draft->value_count ? wanted : strlen(text); /* at least as many as were given */
    values = output_allocate(wanted, size);
    copy   = output_copy(text);
    for (word = strtok_r(copy, ",", &rest); word && well; word = strtok_r(NULL, ",", &rest)) {
        uint64_t bits = 0;

        well = parse(draft, parameter->name, parameter->type, word, &bits);
        if (count < wanted)
            memcpy(values + count * size, &bits, size);
        count++;
    }
    free(copy);
    if (well && (count == 0 || (draft->value_count && count != draft->value_count)))
        well = plan_misuse(draft->plan, draft->spec, draft->code,
                           "%s has %" PRIu64 " numbers, it needs %" PRIu64, parameter->name, count,
                           draft->value_count ? draft->value_count : 1);
    for (uint64_t i = count; well && i < wanted; i++)
        memcpy(values + i * size, values + (i - count) * size, size);
    *argument = (struct step_argument){.kind = STEP_VALUES, .values = values, .bytes = wanted * size};
    return well;
}

static bool add_scalar(struct draft *draft, const struct recipe *recipe,
                       const struct trm_parameter *parameter, struct step_argument *argument)
{
    size_t length       = 0;
    const char *initial = recipe ? recipe_lookup(recipe->defaults, parameter->name, &length) : NULL;
    const char *text;
    char copy[32];
    double value;

    *argument = (struct step_argument){.kind = STEP_SCALAR, .type = parameter->type};
    if (find_fixed(draft, parameter->name, &value) || find_automatic(draft, parameter->name, &value)) {
        argument->bits = bits_of(parameter->type, value);
        if (strcmp(parameter->name, "width") == 0 || strcmp(parameter->name, "columns") == 0 ||
            strcmp(parameter->name, "stride") == 0)
            argument->kind = STEP_WIDTH;
        return true;
    }
    if (is_count(parameter->name)) {
        argument->kind = STEP_COUNT;
        return true;
    }
    text = spec_value(draft->spec, parameter->name);
    if (!text && initial) {
        snprintf(copy, sizeof(copy), "%.*s", (int)length, initial);
        text = copy;
    }
    if (!text)
        return plan_misuse(draft->plan, draft->spec, draft->code, "%s (%s) is missing", parameter->name,
                           trm_type_name(parameter->type));
    return parse(draft, parameter->name, parameter->type, text, &argument->bits);
}

static bool add_argument(struct draft *draft, const struct recipe *recipe, int source, int target,
                         uint32_t index, struct step *step)
{
    const struct trm_parameter *parameter = &draft->code->info.parameters[index];
    struct step_argument *argument;

    if (step->argument_count == STEP_ARGUMENTS)
        return complain(draft, "it has too many parameters");
    argument = &step->arguments[step->argument_count++];
    if ((int)index == target)
        *argument = (struct step_argument){.kind = STEP_TARGET};
    else if ((int)index == source)
        *argument = (struct step_argument){.kind = STEP_SOURCE};
    else if (parameter->kind == TRM_PARAMETER_BUFFER)
        return add_values(draft, parameter, argument);
    else if (parameter->kind == TRM_PARAMETER_SCALAR)
        return add_scalar(draft, recipe, parameter, argument);
    else
        return plan_complain(draft->plan, draft->spec, draft->code,
                             "its parameter %s is %s, which cannot be given here", parameter->name,
                             trm_parameter_is_array(parameter) ? "an array"
                             : parameter->kind >= TRM_PARAMETER_IMAGE
                                 ? "an image, a sampler or a texel buffer"
                                 : "a vector or a struct");
    return true;
}

bool draft_arguments(struct draft *draft, const struct recipe *recipe, int source, int target,
                     struct step *step)
{
    for (uint32_t i = 0; i < draft->code->info.parameter_count; i++)
        if (!add_argument(draft, recipe, source, target, i, step))
            return false;
    return true;
}
