/* Tries one SPIR-V module, for tests/differential/trial.
 *
 *     trial_module --translate FILE.spv STEM   writes STEM.c and STEM.cu
 *     trial_module --run FILE.spv              runs it on the cpu and on a Vulkan device, with made data
 *
 * Prints lines of a key, a tab and a value. After --translate these are `features`, a list with commas, and
 * `answer`: compute-less, taken, refused or invalid, with the library's sentence behind another tab. After
 * --run they are `stage`, before each step, and `run`: equal, different or unjudged, and why. Ends with 0
 * unless it cannot work.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/differential/comparison.h"
#include "tests/differential/module_facts.h"
#include "tests/differential/trial_case.h"

struct input {
    uint32_t *words;
    size_t size; /* bytes */
    struct module_facts facts;
};

static int read_input(struct input *input, const char *path)
{
    FILE *file   = fopen(path, "rb");
    long size    = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    input->words = size > 0 ? malloc((size_t)size + sizeof(uint32_t)) : NULL;
    if (input->words) {
        rewind(file);
        input->size = fread(input->words, 1, (size_t)size, file);
    }
    if (file)
        fclose(file);
    if (input->words && module_facts_read(&input->facts, input->words, input->size / sizeof(uint32_t)))
        return 1;
    fprintf(stderr, "trial_module: %s cannot be read\n", path);
    return 0;
}

/* One line, without tabs. */
static void print_answer(const char *key, const char *answer, const char *why)
{
    printf("%s\t%s\t", key, answer);
    for (; *why != '\0'; why++)
        putchar(*why == '\n' || *why == '\t' ? ' ' : *why);
    putchar('\n');
    fflush(stdout);
}

static void print_stage(const char *stage)
{
    printf("stage\t%s\n", stage);
    fflush(stdout);
}

/* ---- translating ---- */

static void print_features(uint32_t features)
{
    const char *comma = "";

    printf("features\t");
    for (uint32_t i = 0; i < MODULE_FEATURES; i++) {
        if (!(features & 1u << i))
            continue;
        printf("%s%s", comma, module_feature_name(1u << i));
        comma = ",";
    }
    putchar('\n');
}

static void print_library_answer(void)
{
    struct trm_error error = trm_last_error();

    print_answer("answer", error.status == TRM_ERROR_UNSUPPORTED ? "refused" : "invalid", error.sentence);
}

/* Values that the constants of the module need. */
struct values {
    struct trm_constant constants[3];
    uint32_t count;
};

/* CUDA needs whole subgroups for matrices that C does without. */
static int translates(struct trm_shader *shader)
{
    struct trm_translate_desc desc = {.struct_size = sizeof(desc), .language = TRM_LANGUAGE_CUDA};
    const char *text;
    uint64_t length;

    return trm_shader_translate(shader, &desc, &text, &length) == TRM_OK;
}

/* Are groups of one work-item by the defaults of constants? Loops that step by a share of the group's size do
 * not end then. */
static int has_single_items(const struct input *input, struct trm_shader *shader)
{
    struct trm_kernel_info kernel = {.struct_size = sizeof(kernel)};
    const int *has                = input->facts.has_size_ids;

    return (has[0] || has[1] || has[2]) && trm_shader_kernel(shader, 0, &kernel) == TRM_OK &&
           kernel.group_size[0] * kernel.group_size[1] * kernel.group_size[2] == 1;
}

/* Sets values with which groups are whole subgroups, where the defaults give others. */
static void find_values(const struct input *input, struct trm_shader *shader, struct values *values)
{
    values->count = 0;
    if (has_single_items(input, shader) ||
        (!translates(shader) && strstr(trm_last_error().sentence, "whole subgroups")))
        values->count = trial_case_sizes(&input->facts, shader, values->constants);
}

static int write_translation(struct trm_shader *shader, const struct values *values, int32_t language,
                             const char *stem, const char *extension)
{
    struct trm_translate_desc desc = {.struct_size    = sizeof(desc),
                                      .language       = language,
                                      .constants      = values->constants,
                                      .constant_count = values->count};
    const char *text               = NULL;
    uint64_t length                = 0;
    char path[4096];

    if (trm_shader_translate(shader, &desc, &text, &length) != TRM_OK) {
        print_library_answer();
        return 0;
    }
    snprintf(path, sizeof(path), "%s.%s", stem, extension);
    FILE *file = fopen(path, "w");
    int worked = file && fwrite(text, 1, length, file) == length;
    if (file)
        worked &= fclose(file) == 0;
    if (!worked)
        fprintf(stderr, "trial_module: %s cannot be written\n", path);
    return worked;
}

static int create_shader(struct trm_context *context, const struct input *input, struct trm_shader **shader)
{
    struct trm_shader_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SPIRV, .data = input->words, .size = input->size};

    return trm_shader_create(context, &desc, shader) == TRM_OK;
}

static int translate(const struct input *input, const char *stem)
{
    struct trm_context *context = NULL;
    struct trm_shader *shader   = NULL;
    struct values values        = {.count = 0};

    print_features(input->facts.features);
    if (input->facts.is_spirv && !input->facts.is_compute) {
        print_answer("answer", "compute-less", "");
        return EXIT_SUCCESS;
    }
    if (trm_context_create(NULL, &context) != TRM_OK) {
        fprintf(stderr, "trial_module: %s\n", trm_last_error().sentence);
        return EXIT_FAILURE;
    }
    if (!create_shader(context, input, &shader)) {
        print_library_answer();
        trm_context_destroy(context);
        return EXIT_SUCCESS;
    }
    find_values(input, shader, &values);
    if (write_translation(shader, &values, TRM_LANGUAGE_C, stem, "c") &&
        write_translation(shader, &values, TRM_LANGUAGE_CUDA, stem, "cu"))
        print_answer("answer", "taken", "");
    trm_shader_destroy(shader);
    trm_context_destroy(context);
    return EXIT_SUCCESS;
}

/* ---- running ---- */

static struct runner *open_or_say(const char *name)
{
    char reason[RUNNER_MESSAGE];
    struct runner *runner = runner_open(name, reason, sizeof(reason));

    if (!runner)
        print_answer("run", "unjudged", reason);
    return runner;
}

static enum run_status run_once(struct runner *runner, const struct shader_case *shader,
                                const struct input *input, struct run_buffer *buffers)
{
    struct run_request request;

    shader_case_request(shader, buffers, &request);
    request.words      = input->words;
    request.word_count = input->size / sizeof(uint32_t);
    return runner_run(runner, &request);
}

/* Whether no access of the run on the cpu lies outside of its object: else the results may differ. */
static int stays_inside(const struct shader_case *shader, const struct input *input)
{
    struct run_buffer buffers[CASE_BUFFERS];
    int is_inside = 0;

    setenv("TRIREME_KERNEL_BOUNDS", "yes", 1);
    print_stage("checked");
    struct runner *runner = open_or_say("cpu");
    unsetenv("TRIREME_KERNEL_BOUNDS");
    if (!runner)
        return 0;
    if (!shader_case_fill(shader, 1, buffers)) {
        print_answer("run", "unjudged", "no memory");
    } else {
        is_inside = run_once(runner, shader, input, buffers) == RUN_DONE;
        if (!is_inside)
            print_answer("run", strstr(runner->message, "it used index") ? "unjudged" : "different",
                         runner->message);
        shader_case_release(shader, buffers);
    }
    runner_close(runner);
    return is_inside;
}

/* Two runs on the Vulkan device are the same. Why a difference proves nothing, or NULL. */
static const char *excuse(const struct comparison *comparison, const struct shader_case *shader,
                          const struct input *input)
{
    struct comparison again   = {.one = comparison->one, .other = comparison->other, .seed = 1};
    struct shader_case single = *shader;

    if (input->facts.features & MODULE_SUBGROUPS)
        return "the results differ, and so do the sizes of subgroups";
    single.groups[0] = single.groups[1] = single.groups[2] = 1;
    if (compare_case(&again, &single, input->words, input->size) == COMPARISON_SAME)
        return "the results differ, but not those of a single group: groups may race";
    return NULL;
}

static void print_difference(const struct comparison *comparison, const struct shader_case *shader,
                             const struct input *input)
{
    const char *why = excuse(comparison, shader, input);

    print_answer("run", why ? "unjudged" : "different", why ? why : comparison->message);
}

static void compare(const struct shader_case *shader, const struct input *input)
{
    struct comparison comparison = {.seed = 1};

    if (!stays_inside(shader, input))
        return;
    print_stage("vulkan");
    /* Images go through the library's own backend. */
    comparison.one   = open_or_say(input->facts.features & MODULE_IMAGES ? "backend" : "vulkan");
    comparison.other = comparison.one ? open_or_say("cpu") : NULL;
    if (comparison.other) {
        struct comparison twice      = {.one = comparison.one, .other = comparison.one, .seed = 1};
        enum comparison_result first = compare_case(&twice, shader, input->words, input->size);
        print_stage("cpu");
        if (first != COMPARISON_SAME)
            print_answer("run", "unjudged", twice.message);
        else if (compare_case(&comparison, shader, input->words, input->size) == COMPARISON_SAME)
            print_answer("run", "equal", "");
        else
            print_difference(&comparison, shader, input);
    }
    runner_close(comparison.other);
    runner_close(comparison.one);
}

/* Structs whose members the trial does not know are filled with integers first, then with floats. */
static int run(const struct input *input)
{
    struct trm_context *context = NULL;
    struct trm_shader *module   = NULL;
    char reason[RUNNER_MESSAGE] = "";
    struct values values;

    if (input->facts.features & MODULE_BUFFER_REFERENCES) {
        print_answer("run", "unjudged", "taken and compiled; the trial has no addresses to give");
        return EXIT_SUCCESS;
    }
    if (trm_context_create(NULL, &context) != TRM_OK || !create_shader(context, input, &module)) {
        fprintf(stderr, "trial_module: %s\n", trm_last_error().sentence);
        trm_context_destroy(context);
        return EXIT_FAILURE;
    }
    find_values(input, module, &values);
    for (int is_float = 0; is_float <= trial_case_has_structs(module); is_float++) {
        struct shader_case shader;
        if (!trial_case_make(&shader, module, &input->facts, values.constants, values.count, is_float, reason,
                             sizeof(reason))) {
            print_answer("run", "unjudged", reason);
            continue;
        }
        compare(&shader, input);
        shader_case_fini(&shader);
    }
    trm_shader_destroy(module);
    trm_context_destroy(context);
    return EXIT_SUCCESS;
}

int main(int count, char **words)
{
    struct input input = {0};
    int translates     = count == 4 && strcmp(words[1], "--translate") == 0;
    int status         = EXIT_FAILURE;

    if (!translates && !(count == 3 && strcmp(words[1], "--run") == 0)) {
        fprintf(stderr, "usage: trial_module --translate FILE.spv STEM | --run FILE.spv\n");
        return EXIT_FAILURE;
    }
    if (read_input(&input, words[2]))
        status = translates ? translate(&input, words[3]) : run(&input);
    free(input.words);
    return status;
}
