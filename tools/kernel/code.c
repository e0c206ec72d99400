/* Trireme: finding and reflecting the kernels of a chain.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kernel/code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include "tools/output/output.h"

enum {
    MOST_BYTES = 64 << 20
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length > tail && strcmp(text + length - tail, end) == 0;
}

static const char *const endings[] = {".spv", ".comp", ".glsl"};

enum {
    ENDINGS = sizeof(endings) / sizeof(endings[0])
};

bool code_has_ending(const char *name)
{
    for (int i = 0; i < ENDINGS; i++)
        if (ends_with(name, endings[i]))
            return true;
    return false;
}

static bool is_cuda_name(const char *name)
{
    return ends_with(name, ".cu") || ends_with(name, ".cuh");
}

const char *code_foreign(const char *path, const char *bytes)
{
    if (!is_cuda_name(path) && (strstr(bytes, "#version") || !strstr(bytes, "__global__")))
        return NULL;
    return "this is CUDA C, which programs load with TRM_MODULE_CUDA on the cuda backend; here kernels are "
           "GLSL "
           "(.comp, .glsl) or SPIR-V (.spv)";
}

/* The contents of a file, followed by a zero; the caller frees it. */
static char *read_file(const char *path, uint64_t *size, struct fault *fault)
{
    FILE *file      = fopen(path, "rbe");
    char *bytes     = NULL;
    size_t capacity = 0;

    *size = 0;
    if (!file) {
        fault_set(fault, "kernel %s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    do {
        size_t bigger = capacity > 0 ? 2 * capacity : 65536;
        char *more    = output_allocate(bigger + 1, 1);

        if (bytes)
            memcpy(more, bytes, *size);
        free(bytes);
        bytes    = more;
        capacity = bigger;
        *size += fread(bytes + *size, 1, capacity - *size, file);
    } while (*size == capacity && capacity < MOST_BYTES);
    if (ferror(file) || *size == capacity) {
        fault_set(fault, "kernel %s: cannot be read: %s", path,
                  ferror(file) ? strerror(errno) : "it is too large");
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

/* "filter" of "/home/me/filter.comp"; the caller frees it. */
static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *stem        = output_copy(slash ? slash + 1 : path);
    char *dot         = strrchr(stem, '.');

    if (dot && dot != stem)
        *dot = '\0';
    return stem;
}

/* ---- where a kernel is ---- */

/* "FOLDER/NAME.comp" if there is such a file, or NULL. The caller frees it. */
static char *find_file(const char *folder, size_t length, const char *name, const char *ending)
{
    size_t size = length + strlen(name) + strlen(ending) + 2;
    char *path  = output_allocate(size, 1);

    snprintf(path, size, "%.*s%s%s%s", (int)length, folder, length > 0 ? "/" : "", name, ending);
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* The file of a name that is a path, perhaps without its extension. */
static char *find_path(const char *name)
{
    char *path = NULL;

    for (int i = 0; i < ENDINGS && !path && !code_has_ending(name); i++)
        path = find_file("", 0, name, endings[i]);
    return path ? path : output_copy(name);
}

/* The text of a kernel in a folder of the setting kernel.path, or NULL. */
static char *find_text(struct trm_context *context, const char *name)
{
    size_t size = 0;
    char *folders, *path = NULL;

    trm_context_setting(context, "kernel.path", NULL, 0, &size, NULL);
    folders = output_allocate(size + 1, 1);
    trm_context_setting(context, "kernel.path", folders, size, NULL, NULL);
    for (const char *at = folders; *at && !path; at += *at == ':') {
        size_t length = strcspn(at, ":");

        for (int i = 1; i < ENDINGS && !path && length > 0; i++)
            path = find_file(at, length, name, endings[i]);
        at += length;
    }
    free(folders);
    return path;
}

/* ---- its shader ---- */

static int32_t create_named(struct code *code, struct trm_context *context)
{
    struct trm_shader_desc desc = {.struct_size = sizeof(desc), .format = TRM_MODULE_NAMED};

    desc.data = code->name;
    desc.size = strlen(code->name) + 1;
    return trm_shader_create(context, &desc, &code->shader);
}

static bool create_from_file(struct code *code, struct trm_context *context, struct fault *fault)
{
    struct trm_glsl_options glsl = {.struct_size = sizeof(glsl), .file = code->path};
    struct trm_shader_desc desc  = {.struct_size = sizeof(desc)};
    char *bytes                  = read_file(code->path, &desc.size, fault);
    char *stem;
    int32_t status;

    if (!bytes)
        return false;
    if (desc.size == 0) {
        free(bytes);
        return fault_set(fault, "kernel %s: the file is empty", code->name);
    }
    if (!ends_with(code->path, ".spv") && code_foreign(code->path, bytes)) {
        fault_set(fault, "kernel %s: %s", code->name, code_foreign(code->path, bytes));
        free(bytes);
        return false;
    }
    stem        = stem_of(code->path);
    desc.format = ends_with(code->path, ".spv") ? TRM_MODULE_SPIRV : TRM_MODULE_GLSL;
    desc.data   = bytes;
    desc.name   = stem;
    desc.glsl   = desc.format == TRM_MODULE_GLSL ? &glsl : NULL;
    status      = trm_shader_create(context, &desc, &code->shader);
    free(bytes);
    free(stem);
    if (status == TRM_OK)
        return true;
    code->shader = NULL;
    if (strncmp(trm_last_error().sentence, code->path, strlen(code->path)) == 0)
        return fault_set(fault, "kernel %s", trm_last_error().sentence);
    return fault_set(fault, "kernel %s: %s", code->name, trm_last_error().sentence);
}

static bool create_shader(struct code *code, struct trm_context *context, struct fault *fault)
{
    char sentence[FAULT_TEXT];
    int32_t status;

    if (strchr(code->name, '/') || code_has_ending(code->name) || is_cuda_name(code->name)) {
        code->path = find_path(code->name);
        return create_from_file(code, context, fault);
    }
    status = create_named(code, context);
    if (status == TRM_OK) {
        code->named = true;
        return true;
    }
    code->shader = NULL;
    if (status != TRM_ERROR_NOT_FOUND)
        return fault_set(fault, "kernel %s: %s", code->name, trm_last_error().sentence);
    snprintf(sentence, sizeof(sentence), "%s", trm_last_error().sentence);
    code->path = find_text(context, code->name);
    if (code->path)
        return create_from_file(code, context, fault);
    return fault_set(fault, "kernel %s: %s (trireme info --kernels lists what there is)", code->name,
                     sentence);
}

static bool reflect(struct code *code, struct fault *fault)
{
    struct trm_kernel_info another    = {.struct_size = sizeof(another)};
    struct trm_constant_info constant = {.struct_size = sizeof(constant)};

    code->info.struct_size = sizeof(code->info);
    if (trm_shader_kernel(code->shader, 0, &code->info) != TRM_OK)
        return fault_set(fault, "kernel %s: there is no kernel in it", code->name);
    if (trm_shader_kernel(code->shader, 1, &another) == TRM_OK)
        return fault_set(fault, "kernel %s: there is more than one kernel in it: %s, %s", code->name,
                         code->info.name, another.name);
    while (code->constant_count < CODE_CONSTANTS &&
           trm_shader_constant(code->shader, code->constant_count, &constant) == TRM_OK)
        code->constants[code->constant_count++] = constant;
    return true;
}

struct code *code_find(struct code **list, struct trm_context *context, const char *name, struct fault *fault)
{
    struct code *code;

    for (code = *list; code; code = code->next)
        if (strcmp(code->name, name) == 0)
            return code;
    code       = output_allocate(1, sizeof(*code));
    code->name = output_copy(name);
    if (create_shader(code, context, fault) && reflect(code, fault)) {
        code->next = *list;
        *list      = code;
        return code;
    }
    code_release(code);
    return NULL;
}

void code_release(struct code *list)
{
    while (list) {
        struct code *next = list->next;

        trm_shader_destroy(list->shader);
        free(list->name);
        free(list->path);
        free(list);
        list = next;
    }
}

const struct trm_constant_info *code_constant(const struct code *code, const char *name)
{
    char number[16];

    for (uint32_t i = 0; i < code->constant_count; i++) {
        snprintf(number, sizeof(number), "%" PRIu32, code->constants[i].id);
        if (strcmp(code->constants[i].name, name) == 0 || strcmp(number, name) == 0)
            return &code->constants[i];
    }
    return NULL;
}

bool code_load(const struct code *code, struct trm_group *group, const struct trm_constant *constants,
               uint32_t constant_count, struct trm_group_kernel **kernel, struct fault *fault)
{
    struct trm_module_desc desc = {
        .struct_size    = sizeof(desc),
        .format         = TRM_MODULE_NAMED,
        .data           = code->name,
        .size           = strlen(code->name) + 1,
        .constants      = constants,
        .constant_count = constant_count,
    };
    int32_t status = TRM_OK;

    /* The shader belongs to one context; the group may belong to another. */
    if (!code->named) {
        desc.format = TRM_MODULE_SPIRV;
        desc.name   = code->info.name;
        status      = trm_shader_bytes(code->shader, &desc.data, &desc.size);
    }
    if (status == TRM_OK)
        status = trm_group_kernel_load(group, &desc, NULL, kernel);
    if (status == TRM_OK)
        return true;
    return fault_set(fault, "kernel %s: %s", code->name, trm_last_error().sentence);
}
