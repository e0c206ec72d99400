/* Shaders translated to C, compiled and called.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/translate/translated.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "tests/unit/folder.h"

#define SCRATCH_MOST ((size_t)8 << 20)

static const char *compiler(void)
{
    const char *name = getenv("CC");

    return name != NULL && name[0] != '\0' ? name : "cc";
}

bool translated_can_compile(void)
{
    char command[512];

    snprintf(command, sizeof(command), "%s --version >/dev/null 2>&1", compiler());
    return system(command) == 0;
}

const char *translated_path(const char *name)
{
    static char paths[4][PATH_MAX];
    static int next;
    const char *top = getenv("top_srcdir");
    char *path      = paths[next++ % 4];

#ifdef TOP_SRCDIR
    if (top == NULL)
        top = TOP_SRCDIR;
#endif
    snprintf(path, PATH_MAX, "%s/tests/unit/shaders/%s", top == NULL ? "." : top, name);
    return path;
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    rewind(file);
    ck_assert_int_gt(length, 0);
    void *bytes = malloc((size_t)length);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, (size_t)length, file), (size_t)length);
    fclose(file);
    *size = (size_t)length;
    return bytes;
}

int32_t translated_text(struct translated *translated, const char *path, int32_t language, uint32_t flags,
                        const struct trm_constant *constants, uint32_t constant_count)
{
    static uint8_t digest[32];
    struct translate_request request = {
        .name           = "shader",
        .language       = language,
        .flags          = flags,
        .constants      = constants,
        .constant_count = constant_count,
        .digest         = digest,
    };
    uint32_t *words;
    size_t size;

    for (uint32_t i = 0; i < 32; i++)
        digest[i] = (uint8_t)(i * 7 + 1);
    *translated = (struct translated){.object = NULL};
    base_arena_init(&translated->arena, &base_system_allocator);
    void *bytes    = read_file(path, &size);
    int32_t status = spirv_words(&translated->arena, bytes, size, &words, &request.word_count);
    free(bytes);
    if (status != TRM_OK)
        return status;
    request.words = words;
    status        = spirv_strip(&translated->arena, &request.words, &request.word_count);
    if (status != TRM_OK)
        return status;
    translated->request = request;
    return translate(&translated->arena, &request, &translated->text);
}

/* A cross compiler does not know this machine. */
#if defined(__x86_64__)
#define THIS_MACHINE "-march=native "
#else
#define THIS_MACHINE ""
#endif

void translated_compile(struct translated *translated, const char *options)
{
    char command[PATH_MAX + 1024];

    folder_make();
    snprintf(translated->folder, sizeof(translated->folder), "%s", folder);
    folder_write_bytes("kernel.c", translated->text.text, translated->text.length);
    snprintf(command, sizeof(command),
             "cd '%s' && %.512s -std=gnu11 -O2 " THIS_MACHINE "-ffp-contract=off -Wall -Wextra -Werror "
             "-fvisibility=hidden -fPIC -shared %.256s kernel.c -o kernel.so -lm",
             folder, compiler(), options);
    ck_assert_msg(system(command) == 0, "the translation does not compile:\n%s", translated->text.text);
    translated->object = dlopen(folder_path("kernel.so"), RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(translated->object != NULL, "%s", dlerror());
    translated->table = dlsym(translated->object, "trm_cpu_kernels_v1");
    ck_assert_ptr_nonnull(translated->table);
}

void translated_open(struct translated *translated, const char *path, uint32_t flags,
                     const struct trm_constant *constants, uint32_t constant_count)
{
    int32_t status = translated_text(translated, path, TRM_LANGUAGE_C, flags, constants, constant_count);

    ck_assert_msg(status == TRM_OK, "%s: %s", path, trm_last_error().sentence);
    translated_compile(translated, "");
}

int32_t translated_call(const struct translated *translated, uint32_t kernel, uint32_t x, uint32_t y,
                        uint32_t z, uint32_t pieces, const void *block)
{
    const struct trm_cpu_kernel *row = &translated->table->kernels[kernel];
    uint64_t count                   = (uint64_t)x * y * z;
    struct trm_cpu_groups groups     = {
            .struct_size = sizeof(groups),
            .groups      = {x, y, z},
            .group_size  = {row->group_size[0], row->group_size[1], row->group_size[2]},
    };

    ck_assert_uint_lt(kernel, translated->table->count);
    ck_assert_uint_lt((uint64_t)row->shared_bytes + row->scratch_bytes + 64, SCRATCH_MOST);
    groups.scratch_bytes = ((uint64_t)row->shared_bytes + 63) / 64 * 64 + row->scratch_bytes;
    groups.scratch       = aligned_alloc(64, (groups.scratch_bytes + 127) / 64 * 64);
    ck_assert_ptr_nonnull(groups.scratch);
    int32_t answer = 0;
    for (uint32_t i = 0; i < pieces && answer == 0; i++) {
        memset(groups.scratch, 0xa5, groups.scratch_bytes);
        groups.begin = count * i / pieces;
        groups.end   = count * (i + 1) / pieces;
        answer       = row->function(&groups, block);
    }
    free(groups.scratch);
    return answer;
}

void translated_close(struct translated *translated)
{
    if (translated->object != NULL)
        dlclose(translated->object);
    if (translated->folder[0] != '\0') {
        snprintf(folder, sizeof(folder), "%s", translated->folder);
        folder_remove();
    }
    base_arena_fini(&translated->arena);
    *translated = (struct translated){.object = NULL};
}
