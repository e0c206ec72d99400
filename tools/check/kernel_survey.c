/* Trireme: `trireme check KERNEL` finds the kernel, and what to run it with.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_GROUP 256u /* work-items of a group, with twice as many of which all devices run it */

static bool misuse(struct kernel_shared *shared, const char *what, const char *name, const char *suggestion)
{
    shared->is_misuse = true;
    snprintf(shared->misuse, sizeof(shared->misuse), "%s%.200s%.600s", what, name, suggestion);
    return false;
}

static bool misuse_value(struct kernel_shared *shared, const char *what, const struct spec_option *option)
{
    shared->is_misuse = true;
    snprintf(shared->misuse, sizeof(shared->misuse), "no value of the %s %.100s: %.200s", what, option->name,
             option->value);
    return false;
}

/* ---- options ---- */

static const struct trm_parameter *find_parameter(const struct trm_kernel_info *info, const char *name)
{
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0)
            return &info->parameters[i];
    return NULL;
}

static bool take_constant(struct kernel_shared *shared, const struct trm_constant_info *constant,
                          const struct spec_option *option)
{
    struct trm_constant *taken = &shared->constants[shared->constant_count];

    if (shared->constant_count == KERNEL_CONSTANTS)
        return misuse(shared, "too many constants: ", option->name, "");
    taken->type = constant->type;
    if (!value_parse(constant->type, option->value, &taken->bits))
        return misuse_value(shared, "constant", option);
    taken->id = constant->id;
    shared->constant_count++;
    return true;
}

static void list_one(const char *name, char *text, size_t capacity)
{
    size_t length = strlen(text);

    if (*name)
        snprintf(text + length, capacity - length, "%s%s", *text ? ", " : ": it has ", name);
}

static void list_options(const struct trm_kernel_info *info, const struct code *code, char *text,
                         size_t capacity)
{
    for (uint32_t i = 0; i < info->parameter_count; i++)
        list_one(info->parameters[i].name, text, capacity);
    for (uint32_t i = 0; code && i < code->constant_count; i++)
        list_one(code->constants[i].name, text, capacity);
    list_one("items", text, capacity);
}

/* code: NULL for a kernel in C, which has no constants. */
static bool refuse_option(struct kernel_shared *shared, const struct trm_kernel_info *info,
                          const struct code *code, const char *name)
{
    struct suggestion suggestion;
    char text[600];

    suggestion_init(&suggestion, name);
    for (uint32_t i = 0; i < info->parameter_count; i++)
        suggestion_try(&suggestion, info->parameters[i].name);
    for (uint32_t i = 0; code && i < code->constant_count; i++)
        suggestion_try(&suggestion, code->constants[i].name);
    suggestion_text(&suggestion, text, sizeof(text));
    if (*text == '\0')
        list_options(info, code, text, sizeof(text));
    return misuse(shared, "the kernel has no parameter and no constant of the name ", name, text);
}

/* A value of a buffer is its number of elements. */
static bool check_option(struct kernel_shared *shared, const struct trm_kernel_info *info,
                         const struct code *code, const struct spec_option *option)
{
    const struct trm_parameter *parameter    = find_parameter(info, option->name);
    const struct trm_constant_info *constant = code ? code_constant(code, option->name) : NULL;
    int32_t type;
    uint64_t bits, sides[3];

    if (strcmp(option->name, "items") == 0)
        return kernel_inputs_items(option->value, sides) ||
               misuse(shared, "items takes sides above 0 (1000, 100x20, 10x20x30), not ", option->value, "");
    if (!code && strcmp(option->name, "kernel") == 0)
        return true;
    if (constant)
        return take_constant(shared, constant, option);
    if (!parameter)
        return refuse_option(shared, info, code, option->name);
    type = parameter->kind == TRM_PARAMETER_BUFFER ? TRM_TYPE_U64 : parameter->type;
    if (parameter->kind == TRM_PARAMETER_BLOCK || !value_parse(type, option->value, &bits))
        return misuse_value(shared, "parameter", option);
    return true;
}

static bool check_options(struct kernel_shared *shared, const struct trm_kernel_info *info,
                          const struct code *code, const struct spec *spec)
{
    for (uint32_t i = 0; i < spec->option_count; i++)
        if (!check_option(shared, info, code, &spec->options[i]))
            return false;
    return true;
}

/* ---- the kernel ---- */

static char *signature_text(const struct code *code)
{
    char *text  = NULL;
    size_t size = 0;
    FILE *file  = open_memstream(&text, &size);

    if (!file)
        return output_copy("");
    signature_print(file, &code->info, code->shader);
    fputs(", ", file);
    signature_print_facts(file, &code->info, code->shader);
    fclose(file);
    return text;
}

static bool keep_words(struct kernel_shared *shared, const struct code *code)
{
    const void *words;

    if (trm_shader_bytes(code->shader, &words, &shared->word_bytes) != TRM_OK ||
        shared->word_bytes > KERNEL_SHARED_BYTES / 4)
        return false;
    memcpy(shared->data, words, shared->word_bytes);
    shared->has_subgroups = kernel_inputs_has_subgroups(words, shared->word_bytes);
    kernel_inputs_obstacle(&code->info, words, shared->word_bytes, shared->obstacle,
                           sizeof(shared->obstacle));
    return true;
}

/* The size of a group, if it is a constant to which the user gives no value, and another size to try. */
static void keep_group(struct kernel_shared *shared, const struct code *code)
{
    struct kernel_group_constant *group = &shared->group;
    uint32_t id, side;

    if (!kernel_words_group((const uint32_t *)shared->data, shared->word_bytes, &id, &side))
        return;
    for (uint32_t i = 0; i < shared->constant_count; i++)
        if (shared->constants[i].id == id)
            return;
    for (uint32_t i = 0; i < code->constant_count; i++) {
        uint32_t value = (uint32_t)code->constants[i].default_bits;

        if (code->constants[i].id != id || value == 0 || value > MOST_GROUP)
            continue;
        *group = (struct kernel_group_constant){
            .id = id, .type = code->constants[i].type, .side = side, .value = value};
        group->other = value % 2 == 0 ? value / 2 : value == 1 ? 32 : 2 * value;
    }
}

static void keep_layouts(struct kernel_shared *shared, const struct code *code)
{
    for (uint32_t i = 0; i < code->info.parameter_count && i < KERNEL_PARAMETERS; i++)
        if (code->info.parameters[i].type == TRM_TYPE_NONE)
            kernel_layout_make(&shared->layouts[i], code->shader, i);
}

/* The most bytes of results of a size, whatever the search for bounds makes of it. */
static void place_results(struct kernel_shared *shared)
{
    uint64_t place = (shared->word_bytes + 4095) / 4096 * 4096;

    for (uint32_t i = 0; i < shared->size_count; i++) {
        shared->sizes[i].place = place;
        place += KERNEL_SIZE_BYTES;
    }
}

static void take_code(const struct kernel_check *it, struct report *report, const struct code *code)
{
    struct kernel_shared *shared = it->shared;
    char *signature;

    if (!check_options(shared, &code->info, code, it->spec))
        return;
    shared->is_named = code->named;
    snprintf(shared->name, sizeof(shared->name), "%.63s", code->named ? code->name : code->info.name);
    if (!keep_words(shared, code)) {
        report_add(report, FINDING_FAILED, "source", "Divide the module: a kernel needs only its own code.",
                   "its SPIR-V is too long");
        return;
    }
    keep_layouts(shared, code);
    if (!code->named) /* the descriptions of built-in kernels say what their groups do */
        keep_group(shared, code);
    kernel_inputs_sizes(&code->info, it->spec, it->check->options.is_quick, shared);
    place_results(shared);
    signature = signature_text(code);
    report_add(report, FINDING_OK, "found", NULL, "%s", signature);
    free(signature);
    if (*shared->obstacle)
        report_add(report, FINDING_ABSENT, "inputs", "trireme run, or a program, runs such kernels.",
                   "none can be made up for it: %s; it is only compiled", shared->obstacle);
    shared->is_found = true;
}

/* Why there is no code: there is no file, or its text is wrong. */
static void report_no_code(const struct kernel_check *it, struct report *report, const char *text)
{
    bool is_there = access(it->spec->kernel, R_OK) == 0;
    bool is_cuda  = strstr(text, "TRM_MODULE_CUDA") != NULL;

    report_add(report, FINDING_FAILED, "source",
               is_cuda ? "Write it in GLSL, which runs on every backend."
               : is_there
                   ? "Correct the file; trireme kc compiles it by itself."
                   : "Give the path of a .comp, .glsl, .spv or .so that can be read, or a name that trireme "
                     "info --kernels lists.",
               "%s", text);
}

static void find_code(const struct kernel_check *it, struct report *report)
{
    struct trm_context *context;
    struct code *codes = NULL, *code;
    struct fault fault;

    report_begin(report, "finding the kernel");
    if (check_context(it->check, report, NULL, 0, &context) != TRM_OK)
        return;
    fault_init(&fault);
    code = code_find(&codes, context, it->spec->kernel, &fault);
    if (code)
        take_code(it, report, code);
    else
        report_no_code(it, report, fault.text);
    code_release(codes);
    fault_fini(&fault);
    trm_context_destroy(context);
}

/* ---- shared objects ---- */

/* Their kernels are known once a device of the cpu has loaded them. */
static void find_native(const struct kernel_check *it, struct report *report)
{
    struct kernel_shared *shared = it->shared;
    const struct check *check    = it->check;
    struct kernel_check device   = *it;
    struct kernel_run run        = {.check = &device, .report = report};

    for (uint32_t i = 0; i < check->survey->device_count && !device.summary; i++)
        if (strcmp(check->survey->devices[i].backend, "cpu") == 0)
            device.summary = &check->survey->devices[i];
    if (!device.summary || !realpath(it->spec->kernel, shared->path)) {
        report_add(report, FINDING_FAILED, "source", "Only the backend cpu loads shared objects.",
                   device.summary ? "the file cannot be opened" : "there is no device of the cpu");
        return;
    }
    shared->is_native = true;
    snprintf(shared->name, sizeof(shared->name), "%.63s", it->spec->kernel);
    if (!kernel_run_open(&run, NULL, 0))
        return;
    if (check_options(shared, &run.info, NULL, it->spec)) {
        kernel_inputs_obstacle(&run.info, NULL, 0, shared->obstacle, sizeof(shared->obstacle));
        kernel_inputs_sizes(&run.info, it->spec, check->options.is_quick, shared);
        place_results(shared);
        report_add(report, FINDING_OK, "found", NULL, "%s, in C, with %u parameters", run.info.name,
                   run.info.parameter_count);
        shared->is_found = true;
    }
    kernel_run_close(&run);
}

void kernel_survey_job(struct report *report, void *user)
{
    const struct kernel_check *it = user;
    const char *end               = strrchr(it->spec->kernel, '.');

    if (end && strcmp(end, ".so") == 0)
        find_native(it, report);
    else
        find_code(it, report);
}
