/* The library in a program that uses a locale whose decimal point is a comma: numbers that it reads and
 * writes keep their point. tests/tools/locale.sh makes such a locale and names it in the environment. Exits
 * with 77 when there is none.
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

enum {
    COUNT = 1 << 14,
    TEXT  = 1 << 20,
};

static float x[COUNT], y[COUNT];
static int failures;

static void check(int well, const char *what)
{
    if (well)
        return;
    printf("FAILED: %s\n", what);
    failures++;
}

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    printf("FAILED: %s\n", trm_last_error().sentence);
    exit(1);
}

/* A digit, a comma, a digit. */
static int has_comma(const char *text)
{
    for (const char *at = strchr(text, ','); at; at = strchr(at + 1, ','))
        if (at > text && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]))
            return 1;
    return 0;
}

static void create_shader(struct trm_context *context, const char *name, struct trm_shader **shader)
{
    struct trm_shader_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_NAMED, .data = name, .size = strlen(name) + 1};

    must(trm_shader_create(context, &desc, shader));
}

/* The translation of a kernel; the caller frees it. */
static char *translate(struct trm_context *context, const char *name, int32_t language)
{
    struct trm_translate_desc desc = {.struct_size = sizeof(desc), .language = language};
    struct trm_shader *shader;
    const char *text;
    size_t length;
    char *copy;

    create_shader(context, name, &shader);
    must(trm_shader_translate(shader, &desc, &text, &length));
    copy = strdup(text);
    trm_shader_destroy(shader);
    return copy;
}

static void translations_are_the_same(struct trm_context *context, const char *locale)
{
    static const char *const kernels[] = {"gamma", "gaussian_blur", "rgb_to_yuv", "unary"};

    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        for (int32_t language = TRM_LANGUAGE_C; language <= TRM_LANGUAGE_CUDA; language++) {
            char *here = translate(context, kernels[i], language), *there;

            setlocale(LC_ALL, "C");
            there = translate(context, kernels[i], language);
            setlocale(LC_ALL, locale);
            check(strcmp(here, there) == 0, kernels[i]);
            free(here);
            free(there);
        }
    }
}

static char *format(const struct trm_report *report, int32_t how)
{
    char *text = malloc(TEXT);

    must(trm_report_format(report, how, text, TEXT, NULL));
    return text;
}

/* y = x / 2, through a constant that is given with a fraction; then the report. */
static void a_pipeline_reports_with_points(struct trm_context *context, struct trm_device *device)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct trm_pipeline *pipeline;
    struct trm_kernel *kernel;
    struct trm_port ports[2] = {trm_port_input("x", 4096), trm_port_output("y", 4096)};
    struct trm_argument arguments[5];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .stages      = &stage,
                                     .stage_count = 1,
                                     .depth       = 3,
                                     .measure     = TRM_MEASURE_ALL};
    struct trm_source source      = trm_source_memory(x, sizeof(x));
    struct trm_sink sink          = trm_sink_memory(y, sizeof(y));
    char *text, *json;

    (void)context;
    must(trm_kernel_named(device, "unary", NULL, 0, &kernel));
    arguments[0] = trm_arg_port(0);
    arguments[1] = trm_arg_port(1);
    arguments[2] = trm_arg_port_elements(0, sizeof(float));
    stage        = trm_stage_launch(kernel, arguments, 3, 0, sizeof(float));
    must(trm_pipeline_create(device, &desc, &pipeline));
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i + 0.5f;
    must(trm_pipeline_run(pipeline, &source, &sink));
    check(y[42] == -42.5f, "the result of a kernel");
    must(trm_pipeline_report(pipeline, &report));
    text = format(&report, TRM_REPORT_TEXT);
    json = format(&report, TRM_REPORT_JSON);
    check(!has_comma(text), text);
    check(!has_comma(report.reason), report.reason);
    if (fputs(json, stdout) < 0)
        failures++;
    free(text);
    free(json);
    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(kernel);
}

/* A time-out names its limit. */
static void a_message_has_a_point(void)
{
    struct trm_context *context;
    struct trm_setting setting   = {.name = "pool.slab", .value = "1,5M"};
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .settings = &setting, .setting_count = 1};

    check(trm_context_create(&desc, &context) != TRM_OK, "a comma is taken in a setting");
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    const char *locale = setlocale(LC_ALL, "");
    char name[64];

    if (!locale || strcmp(localeconv()->decimal_point, ".") == 0) {
        fprintf(stderr, "there is no locale with another decimal point\n");
        return 77;
    }
    snprintf(name, sizeof(name), "%s", locale);
    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    translations_are_the_same(context, name);
    a_pipeline_reports_with_points(context, device);
    a_message_has_a_point();
    trm_device_destroy(device);
    trm_context_destroy(context);
    return failures > 0;
}
