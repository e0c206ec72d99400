/* Writes the translations of shaders to files, for texts.sh to compile, and compiles CUDA C by NVRTC.
 *
 *     texts --to FOLDER [--cache FOLDER] FILE.comp|FILE.spv...
 *                                     plain-NUMBER-NAME.c, bounds-NUMBER-NAME.c with checks of bounds, and
 *                                     texts-NUMBER.cu with the CUDA C of many shaders
 *     texts --nvrtc FILE.cu...        compiles them; ends with 77 where there is no NVRTC
 *
 * A .comp is compiled both unoptimized and optimized, with the constants that its comments give. Shaders
 * share a .cu because a compilation takes long to begin: each has a namespace, so its functions are those of
 * C++.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/differential/compile.h"
#include "tests/differential/nvrtc.h"
#include "tests/differential/shader_case.h"

#define EXIT_SKIPPED 77
#define SHADERS_PER_FILE 40u

struct texts {
    const char *folder, *cache;
    struct trm_context *context;
    FILE *cuda; /* the .cu that is being written; NULL: none */
    uint32_t count, skipped, cuda_files, in_cuda_file;
    int failed;
};

static void fail(struct texts *texts, const char *name, const char *why)
{
    printf("FAILED %s: %s\n", name, why);
    texts->failed = 1;
}

/* "shader" of "folder/shader.spv" */
static void name_of(const char *path, char name[64])
{
    const char *slash = strrchr(path, '/');
    const char *base  = slash ? slash + 1 : path;

    snprintf(name, 64, "%.*s", (int)strcspn(base, "."), base);
}

/* ---- writing ---- */

static int write_text(struct texts *texts, const char *kind, const char *name, const char *text,
                      size_t length)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s-%u-%s.c", texts->folder, kind, texts->count, name);
    FILE *file = fopen(path, "w");
    int worked = file && fwrite(text, 1, length, file) == length;
    if (file)
        worked &= fclose(file) == 0;
    return worked;
}

static void close_cuda(struct texts *texts)
{
    if (texts->cuda && fclose(texts->cuda) != 0)
        fail(texts, "CUDA C", "a file cannot be written");
    texts->cuda = NULL;
}

/* Functions of C in two namespaces would be one: they become those of C++. */
static int write_cuda(struct texts *texts, const char *text)
{
    static const char external[] = "extern \"C\" ";
    char path[4096];

    if (texts->cuda && ++texts->in_cuda_file == SHADERS_PER_FILE)
        close_cuda(texts);
    if (!texts->cuda) {
        snprintf(path, sizeof(path), "%s/texts-%u.cu", texts->folder, texts->cuda_files++);
        texts->cuda         = fopen(path, "w");
        texts->in_cuda_file = 0;
    }
    if (!texts->cuda)
        return 0;
    fprintf(texts->cuda, "namespace text_%u {\n", texts->count);
    for (const char *at; (at = strstr(text, external)) != NULL; text = at + sizeof(external) - 1)
        fwrite(text, 1, (size_t)(at - text), texts->cuda);
    fprintf(texts->cuda, "%s\n}\n", text);
    return !ferror(texts->cuda);
}

/* ---- translating ---- */

static const char *translate(struct texts *texts, struct trm_shader *shader, const char *name,
                             struct trm_translate_desc *desc)
{
    const char *text = NULL;
    uint64_t length  = 0;

    if (trm_shader_translate(shader, desc, &text, &length) == TRM_OK)
        return text;
    if (trm_last_error().status != TRM_ERROR_UNSUPPORTED) {
        fail(texts, name, trm_last_error().sentence);
        return NULL;
    }
    printf("skipped %s: %s\n", name, trm_last_error().sentence);
    texts->skipped++;
    return NULL;
}

static void translate_shader(struct texts *texts, struct trm_shader *shader, const char *name,
                             struct trm_translate_desc *desc)
{
    desc->language    = TRM_LANGUAGE_C;
    const char *plain = translate(texts, shader, name, desc);
    if (!plain)
        return;
    desc->flags         = TRM_TRANSLATE_BOUNDS;
    const char *checked = translate(texts, shader, name, desc);
    desc->flags         = 0;
    desc->language      = TRM_LANGUAGE_CUDA;
    const char *cuda    = translate(texts, shader, name, desc);
    texts->count++;
    if ((checked && !write_text(texts, "bounds", name, checked, strlen(checked))) ||
        (cuda && !write_cuda(texts, cuda)) || !write_text(texts, "plain", name, plain, strlen(plain)))
        fail(texts, name, "a file cannot be written");
}

static void translate_words(struct texts *texts, const char *name, const void *words, uint64_t size,
                            struct trm_translate_desc *desc)
{
    struct trm_shader_desc shader_desc = {.struct_size = sizeof(shader_desc),
                                          .format      = TRM_MODULE_SPIRV,
                                          .data        = words,
                                          .size        = size,
                                          .name        = name};
    struct trm_shader *shader          = NULL;

    if (trm_shader_create(texts->context, &shader_desc, &shader) != TRM_OK)
        fail(texts, name, trm_last_error().sentence);
    else
        translate_shader(texts, shader, name, desc);
    trm_shader_destroy(shader);
}

static void add_spirv(struct texts *texts, const char *path)
{
    struct trm_translate_desc desc = {.struct_size = sizeof(desc)};
    FILE *file                     = fopen(path, "rb");
    static char bytes[4 << 20];
    char name[64];

    name_of(path, name);
    size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    if (size == 0)
        fail(texts, path, "the file cannot be read");
    else
        translate_words(texts, name, bytes, size, &desc);
    if (file)
        fclose(file);
}

static void add_glsl(struct texts *texts, const struct shader_case *shader,
                     const struct compilation *compilation)
{
    struct trm_constant constants[CASE_CONSTANTS];
    struct trm_translate_desc desc = {
        .struct_size = sizeof(desc), .constants = constants, .constant_count = shader->constant_count};

    for (uint32_t i = 0; i < shader->constant_count; i++)
        constants[i] = (struct trm_constant){.id   = shader->constants[i].id,
                                             .type = shader->constants[i].type,
                                             .bits = shader->constants[i].bits};
    switch (compilation->status) {
    case COMPILE_DONE:
        translate_words(texts, shader->name, compilation->words, compilation->size, &desc);
        break;
    case COMPILE_REFUSED:
        fail(texts, shader->name, compilation->message);
        break;
    default:
        texts->skipped++;
        break;
    }
}

/* ---- all files ---- */

static int is_glsl(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".comp") == 0;
}

/* GLSL is compiled before there is a context: in processes of their own. */
static int compile_glsl(struct texts *texts, char **files, int count, struct shader_case *cases,
                        struct compilation *compilations)
{
    uint32_t made = 0;

    for (int i = 0; i < count; i++) {
        char reason[512];
        if (!is_glsl(files[i]))
            continue;
        if (!shader_case_read(&cases[i], files[i], reason, sizeof(reason))) {
            fail(texts, files[i], reason);
            continue;
        }
        for (uint32_t k = 0; k < 2; k++)
            compilations[made++] = (struct compilation){
                .name = cases[i].name, .text = cases[i].text, .flags = k == 0 ? TRM_GLSL_UNOPTIMIZED : 0};
    }
    return texts->cache ? compile_all_cached(compilations, made, texts->cache)
                        : compile_all(compilations, made);
}

static void write_all(struct texts *texts, char **files, int count, const struct shader_case *cases,
                      const struct compilation *compilations)
{
    for (int i = 0; i < count; i++) {
        if (!is_glsl(files[i])) {
            add_spirv(texts, files[i]);
        } else if (cases[i].text) {
            add_glsl(texts, &cases[i], compilations++);
            add_glsl(texts, &cases[i], compilations++);
        }
    }
    close_cuda(texts);
    printf("%u shaders translated, %u skipped\n", texts->count, texts->skipped);
}

static int write_texts(struct texts *texts, char **files, int count)
{
    struct shader_case *cases        = calloc((size_t)count + 1, sizeof(*cases));
    struct compilation *compilations = calloc(2 * (size_t)count + 1, sizeof(*compilations));

    if (!cases || !compilations || !compile_glsl(texts, files, count, cases, compilations) ||
        trm_context_create(NULL, &texts->context) != TRM_OK)
        fail(texts, "all", "no memory, no process or no context");
    else
        write_all(texts, files, count, cases, compilations);
    trm_context_destroy(texts->context);
    for (int i = 0; cases && compilations && i < count; i++) {
        compilation_fini(&compilations[2 * i]);
        compilation_fini(&compilations[2 * i + 1]);
        shader_case_fini(&cases[i]);
    }
    free(cases);
    free(compilations);
    return texts->failed || texts->count == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int count, char **words)
{
    struct texts texts = {0};
    int i              = 1;

    if (count > 2 && strcmp(words[1], "--nvrtc") == 0)
        return nvrtc_compile_files(words + 2, count - 2);
    for (; i + 1 < count && strncmp(words[i], "--", 2) == 0; i += 2)
        *(strcmp(words[i], "--to") == 0 ? &texts.folder : &texts.cache) = words[i + 1];
    if (!texts.folder || i == count) {
        fprintf(stderr, "usage: texts --to FOLDER [--cache FOLDER] FILE... | --nvrtc FILE.cu...\n");
        return EXIT_FAILURE;
    }
    return write_texts(&texts, words + i, count - i);
}
