/* Shaders translated to C, compiled and called.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/translate/translated.h"

#include "tests/check.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/sha256.h"
#include "compiler/lower/lower.h"
#include "tests/scale.h"
#include "tests/unit/folder.h"

#define SCRATCH_MOST ((size_t)8 << 20)

#if HAS_ADDRESS_SANITIZER
/* Kernels have variables of a thread. The search for leaks would read those of objects that have been
 * closed. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "use_tls=0";
}
#endif

/* TEST_TRANSLATED_CC, or that of the build: builds that name the same one share what it made (below). */
static const char *compiler(void)
{
    const char *name = getenv("TEST_TRANSLATED_CC");

    if (name == NULL || name[0] == '\0')
        name = getenv("CC");

    return name != NULL && name[0] != '\0' ? name : "cc";
}

/* What the compiler says of itself; "" without a compiler. It is asked once, before Check forks. */
static const char *compiler_version(void)
{
    static char version[1024];
    static bool is_known;
    char command[512];

    if (is_known)
        return version;
    is_known = true;
    snprintf(command, sizeof(command), "%.400s --version 2>/dev/null", compiler());
    FILE *output = popen(command, "r");
    if (output == NULL)
        return version;
    size_t length   = fread(version, 1, sizeof(version) - 1, output);
    version[length] = '\0';
    if (pclose(output) != 0)
        version[0] = '\0';
    return version;
}

bool translated_can_compile(void)
{
    return compiler_version()[0] != '\0';
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
    status        = lower_module(&translated->arena, &request.words, &request.word_count);
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

bool translated_is_by_clang(void)
{
    return strstr(compiler_version(), "clang") != NULL;
}

/* Where the object of a text is kept for the tests that compile the same, in this run and the next: below
 * $XDG_CACHE_HOME, with a name
 * made of all that it depends on. False where nothing is to be kept. */
static bool make_kept_path(char path[PATH_MAX], const struct translate_result *text, const char *options)
{
    const char *cache   = getenv("XDG_CACHE_HOME");
    const char *parts[] = {compiler(), compiler_version(), options};
    struct base_sha256 hash;
    uint8_t digest[BASE_SHA256_BYTES];
    char name[2 * BASE_SHA256_BYTES + 1];

    if (cache == NULL || cache[0] != '/' || strlen(cache) + sizeof(name) + 32 > PATH_MAX)
        return false;
    base_sha256_init(&hash);
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        base_sha256_update(&hash, parts[i], strlen(parts[i]) + 1);
    base_sha256_update(&hash, text->text, text->length);
    base_sha256_final(&hash, digest);
    base_sha256_text(digest, name);
    if (mkdir(cache, 0777) != 0 && errno != EEXIST)
        return false;
    snprintf(path, PATH_MAX, "%s/translated", cache);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return false;
    snprintf(path, PATH_MAX, "%s/translated/%s.so", cache, name);
    return true;
}

/* Compiles to `object`, which appears there whole: other tests may make the same meanwhile. */
static void compile(const struct translate_result *text, const char *options, const char *object)
{
    char command[2 * PATH_MAX + 1024], temporary[PATH_MAX + 32];

    snprintf(temporary, sizeof(temporary), "%s.%d", object, (int)getpid());
    snprintf(command, sizeof(command), "%.512s %.512s -x c - -o '%s' -lm", compiler(), options, temporary);
    FILE *input = popen(command, "w");
    ck_assert_ptr_nonnull(input);
    size_t written = fwrite(text->text, 1, text->length, input);
    int status     = pclose(input);
    if (status != 0) /* too long for a message of Check's */
        fprintf(stderr, "%s\n", text->text);
    ck_assert_msg(status == 0, "the translation above does not compile");
    ck_assert_uint_eq(written, text->length);
    ck_assert_int_eq(rename(temporary, object), 0);
}

void translated_compile(struct translated *translated, const char *options)
{
    char all[512], object[PATH_MAX];

    snprintf(all, sizeof(all),
             "-std=gnu11 -O1 " THIS_MACHINE "-ffp-contract=off -Wall -Wextra -Werror -fvisibility=hidden "
             "-fPIC -shared %.256s",
             options);
    if (!make_kept_path(object, &translated->text, all)) {
        folder_make();
        snprintf(translated->folder, sizeof(translated->folder), "%s", folder);
        snprintf(object, sizeof(object), "%s", folder_path("kernel.so"));
    }
    if (access(object, R_OK) != 0)
        compile(&translated->text, all, object);
    translated->object = dlopen(object, RTLD_NOW | RTLD_LOCAL);
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
