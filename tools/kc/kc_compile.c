/* Trireme: one input of `trireme kc`, from its text to the requested files.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kc/kc.h"

#include "tools/kernel/kernel.h"
#include "tools/output/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_INPUT = 256 << 20 /* bytes; a larger file is not a kernel */
};

void kc_fail(struct kc_job *job, const char *format, ...)
{
    char text[PATH_MAX + 256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!job->failure)
        job->failure = output_copy(text);
}

void kc_fail_library(struct kc_job *job)
{
    if (!job->failure)
        job->failure = output_copy(trm_last_error().sentence);
}

void kc_add_output(struct kc_job *job, const char *path)
{
    char **outputs = output_allocate(job->output_count + 1, sizeof(*outputs));

    if (job->output_count > 0)
        memcpy(outputs, job->outputs, job->output_count * sizeof(*outputs));
    free(job->outputs);
    job->outputs                      = outputs;
    job->outputs[job->output_count++] = output_copy(path);
}

void kc_job_fini(struct kc_job *job)
{
    trm_shader_destroy(job->shader);
    for (uint32_t i = 0; i < job->output_count; i++)
        free(job->outputs[i]);
    free(job->outputs);
    free(job->stem);
    free(job->failure);
}

/* ---- the input ---- */

static bool read_stream(struct kc_job *job, FILE *file, char **text, size_t *size)
{
    size_t capacity = 0;

    *text = NULL;
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            char *bigger;

            capacity = capacity ? 2 * capacity : 1 << 16;
            bigger   = output_allocate(capacity + 1, 1); /* with a zero behind the text */
            if (*size > 0)
                memcpy(bigger, *text, *size);
            free(*text);
            *text = bigger;
        }
        *size += fread(*text + *size, 1, capacity - *size, file);
        if (ferror(file)) {
            kc_fail(job, "%s", strerror(errno));
            return false;
        }
        if (feof(file))
            return true;
        if (*size > MOST_INPUT) {
            kc_fail(job, "is larger than 256 MiB, which is too large for a kernel");
            return false;
        }
    }
}

static bool read_input(struct kc_job *job, char **text, size_t *size)
{
    FILE *file = fopen(job->file, "re");
    bool well;

    *text = NULL;
    if (!file) {
        kc_fail(job, "%s", strerror(errno));
        return false;
    }
    well = read_stream(job, file, text, size);
    fclose(file);
    if (!well || *size > 0)
        return well;
    kc_fail(job, "is empty");
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_spirv(const char *file, const char *text, size_t size)
{
    return ends_with(file, ".spv") || (size >= 4 && (memcmp(text, "\x03\x02\x23\x07", 4) == 0 ||
                                                     memcmp(text, "\x07\x23\x02\x03", 4) == 0));
}

static void find_stem(struct kc_job *job)
{
    const char *slash = strrchr(job->file, '/');
    char *dot;

    job->stem = output_copy(slash ? slash + 1 : job->file);
    dot       = strrchr(job->stem, '.');
    if (dot && dot != job->stem)
        *dot = '\0';
}

static bool make_shader(struct kc *kc, struct kc_job *job)
{
    const struct kc_options *options = kc->options;
    struct trm_glsl_options glsl     = {.struct_size   = sizeof(glsl),
                                        .flags         = options->glsl_flags,
                                        .defines       = options->defines,
                                        .define_count  = options->define_count,
                                        .includes      = options->includes,
                                        .include_count = options->include_count,
                                        .file          = job->file};
    struct trm_shader_desc desc      = {.struct_size = sizeof(desc), .name = job->stem};
    size_t size;
    char *text;
    bool well = read_input(job, &text, &size);

    if (well) {
        desc.format = is_spirv(job->file, text, size) ? TRM_MODULE_SPIRV : TRM_MODULE_GLSL;
        if (desc.format == TRM_MODULE_GLSL && code_foreign(job->file, text)) {
            kc_fail(job, "%s", code_foreign(job->file, text));
            free(text);
            return false;
        }
        desc.data = text;
        desc.size = size;
        desc.glsl = desc.format == TRM_MODULE_GLSL ? &glsl : NULL;
        if (trm_shader_create(kc->context, &desc, &job->shader) != TRM_OK) {
            job->shader = NULL;
            kc_fail_library(job);
            well = false;
        }
    }
    free(text);
    return well;
}

/* ---- the outputs ---- */

/* FOLDER/STEM[VARIANT].EXTENSION, where the default folder is that of the input. */
static bool output_path(const struct kc *kc, struct kc_job *job, const char *variant, const char *extension,
                        char path[PATH_MAX])
{
    const char *folder = kc->options->folder;
    const char *slash  = strrchr(job->file, '/');
    int folder_length, length;

    if (folder)
        folder_length = (int)strlen(folder);
    else
        folder_length = slash ? (int)(slash - job->file) : 0;
    length = snprintf(path, PATH_MAX, "%.*s%s%s%s.%s", folder_length, folder ? folder : job->file,
                      folder || slash ? "/" : "", job->stem, variant, extension);
    if (length < PATH_MAX)
        return true;
    kc_fail(job, "%s", strerror(ENAMETOOLONG));
    return false;
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;

    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool write_spirv(struct kc *kc, struct kc_job *job)
{
    char path[PATH_MAX];
    const void *bytes;
    uint64_t size;

    if (!output_path(kc, job, "", "spv", path))
        return false;
    if (is_same_file(path, job->file))
        return true;
    if (trm_shader_bytes(job->shader, &bytes, &size) != TRM_OK) {
        kc_fail_library(job);
        return false;
    }
    return kc_write(job, path, bytes, size);
}

static bool build_cpu(struct kc *kc, struct kc_job *job, const struct trm_constant *constants, uint32_t count,
                      const char *variant)
{
    struct trm_module_desc desc = {.struct_size    = sizeof(desc),
                                   .format         = TRM_MODULE_SHADER,
                                   .data           = job->shader,
                                   .name           = job->stem,
                                   .constants      = constants,
                                   .constant_count = count};
    char path[PATH_MAX];

    if (!output_path(kc, job, variant, "so", path))
        return false;
    kc_progress(kc, job, path);
    if (!kc->cpu && trm_device_open(kc->context, "cpu", &kc->cpu) != TRM_OK) {
        kc->cpu = NULL;
        kc_fail_library(job);
        return false;
    }
    if (trm_module_build(kc->cpu, &desc, kc->options->portable ? TRM_BUILD_PORTABLE : 0, path) != TRM_OK) {
        kc_fail_library(job);
        return false;
    }
    kc_add_output(job, path);
    return true;
}

static bool translate(struct kc_job *job, int32_t language, const struct trm_constant *constants,
                      uint32_t count, const char **text, uint64_t *length)
{
    struct trm_translate_desc desc = {
        .struct_size = sizeof(desc), .language = language, .constants = constants, .constant_count = count};

    if (trm_shader_translate(job->shader, &desc, text, length) == TRM_OK)
        return true;
    kc_fail_library(job);
    return false;
}

static bool build_cuda(struct kc *kc, struct kc_job *job, const struct trm_constant *constants,
                       uint32_t count, const char *variant)
{
    char path[PATH_MAX];
    const char *text;
    uint64_t length;

    if (!output_path(kc, job, variant, "fatbin", path))
        return false;
    kc_progress(kc, job, path);
    return translate(job, TRM_LANGUAGE_CUDA, constants, count, &text, &length) &&
           kc_nvcc(kc, job, text, length, path);
}

static bool emit(struct kc *kc, struct kc_job *job, const struct trm_constant *constants, uint32_t count,
                 const char *variant)
{
    int32_t language = kc->options->language;
    char path[PATH_MAX];
    const char *text;
    uint64_t length;

    if (!translate(job, language, constants, count, &text, &length))
        return false;
    if (!kc->options->folder) {
        fwrite(text, 1, length, stdout);
        return true;
    }
    return output_path(kc, job, variant, language == TRM_LANGUAGE_C ? "c" : "cu", path) &&
           kc_write(job, path, text, length);
}

static bool build_variant(struct kc *kc, struct kc_job *job, const struct kc_variant *variant)
{
    struct trm_constant constants[KC_CONSTANTS];
    char name[KC_VARIANT_NAME];
    char *complaint = kc_constants(job->shader, variant, constants, name);
    bool well;

    if (complaint) {
        kc_fail(job, "%s", complaint);
        free(complaint);
        return false;
    }
    if (kc->options->language != 0)
        return emit(kc, job, constants, variant->count, name);
    well = !(kc->options->targets & KC_CPU) || build_cpu(kc, job, constants, variant->count, name);
    if (kc->options->targets & KC_CUDA)
        well = build_cuda(kc, job, constants, variant->count, name) && well;
    return well;
}

/* The first variant, whose file is a target of make, comes last: when it exists, all variants do. */
static bool build_variants(struct kc *kc, struct kc_job *job)
{
    const struct kc_options *options = kc->options;

    for (uint32_t i = options->variant_count; i-- > 0;) {
        const struct kc_variant *variant = &options->variants[i];

        if (variant->stem && strcmp(variant->stem, job->stem) != 0)
            continue;
        if (!build_variant(kc, job, variant))
            return false;
    }
    return true;
}

bool kc_compile(struct kc *kc, struct kc_job *job)
{
    find_stem(job);
    kc_progress(kc, job, job->file);
    if (!make_shader(kc, job))
        return false;
    if (kc->options->language == 0 && !write_spirv(kc, job))
        return false;
    return build_variants(kc, job);
}
