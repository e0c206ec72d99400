/* A device of the cuda backend over the stand-ins for CUDA's driver and NVRTC, and a host that translates
 * and has a cache. For tests of modules.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_CUDA_CODE_H
#define TESTS_UNIT_BACKENDS_CUDA_CODE_H

#include <fcntl.h>
#include <sys/stat.h>
#include <trireme/shader.h>
#include <unistd.h>

#include "backends/cuda/module/compile.h"
#include "backends/cuda/module/module.h"
#include "backends/cuda/module/trailer.h"
#include "tests/unit/backends/cuda/fixture.h"

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static const char text_of_scale[] = "extern \"C\" __global__ void scale(float *x, float by, unsigned count)\n"
                                    "{\n"
                                    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    if (i < count)\n"
                                    "        x[i] *= by;\n"
                                    "}\n";

/* As the core translates a shader with a buffer and two push constants. */
static const char translated[] =
    "struct scale_arguments { float by; unsigned count; };\n"
    "extern \"C\" __global__ void __launch_bounds__(64) scale(float *__restrict__ x, const struct "
    "scale_arguments arguments)\n"
    "{\n"
    "    unsigned i = blockIdx.x * 64u + threadIdx.x;\n"
    "    if (i < arguments.count)\n"
    "        x[i] *= arguments.by;\n"
    "}\n"
    "// trireme " DIGITS " scale\n";

static const struct trm_parameter parameters[] = {
    {.name = "x", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32},
    {.name = "by", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_kernel_info described = {
    .struct_size     = sizeof(described),
    .parameter_count = 3,
    .parameters      = parameters,
    .name            = "scale",
    .group_size      = {64, 1, 1},
};

/* The same where the buffer's elements are vectors. */
static const struct trm_parameter vector_parameters[] = {
    {.name = "x", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .components = 4},
    {.name = "by", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_kernel_info of_vectors = {
    .struct_size     = sizeof(of_vectors),
    .parameter_count = 3,
    .parameters      = vector_parameters,
    .name            = "scale",
    .group_size      = {64, 1, 1},
};

static const struct cuda_standin_compiler *compiler;
static char folder[] = "/tmp/cuda-module-XXXXXX";
static const char *nvrtc_path;
static bool cache_is_on;
static int32_t trusted;
static struct trm_backend_module *module;

/* ---- the host */

static inline int32_t get_setting(void *context, const char *name, char *value, uint64_t capacity,
                                  uint64_t *needed)
{
    if (strcmp(name, "cuda.nvrtc") != 0)
        return fake_get_setting(context, name, value, capacity, needed);
    snprintf(value, capacity, "%s", nvrtc_path);
    *needed = strlen(nvrtc_path) + 1;
    return TRM_OK;
}

static inline int32_t trust_file(void *context, const char *path)
{
    (void)context;
    (void)path;
    return trusted == TRM_OK ? TRM_OK : fake_fail(NULL, trusted, 0, "not to be trusted");
}

static inline void cache_path(char *path)
{
    snprintf(path, TRM_PATH_MOST, "%s/kept", folder);
}

static inline int32_t cache_find(void *context, const char *key, const char *extension, char *path)
{
    (void)context;
    ck_assert_ptr_nonnull(strstr(key, "NVRTC 13.0"));
    ck_assert_ptr_nonnull(strstr(key, "--gpu-architecture="));
    ck_assert_str_eq(extension, ".cubin");
    cache_path(path);
    return cache_is_on && access(path, F_OK) == 0 ? TRM_OK : TRM_ERROR_NOT_FOUND;
}

static inline int32_t cache_begin(void *context, const char *key, const char *extension, char *path)
{
    (void)context;
    (void)key;
    (void)extension;
    snprintf(path, TRM_PATH_MOST, "%s/begun", folder);
    return cache_is_on ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}

static inline int32_t cache_commit(void *context, const char *key, const char *extension, const char *begun,
                                   char *path)
{
    (void)context;
    (void)key;
    (void)extension;
    cache_path(path);
    ck_assert_int_eq(rename(begun, path), 0);
    return TRM_OK;
}

static inline void cache_discard(void *context, const char *begun)
{
    (void)context;
    (void)unlink(begun);
}

static inline int32_t translate(void *context, const struct trm_module_source *source, int32_t language,
                                uint32_t flags, struct trm_translation *translation)
{
    static const char *const symbols[] = {"scale"};
    (void)context;
    (void)source;
    ck_assert_int_eq(language, TRM_LANGUAGE_CUDA);
    ck_assert_uint_eq(flags, 0);
    translation->text         = translated;
    translation->length       = sizeof(translated) - 1;
    translation->symbols      = symbols;
    translation->symbol_count = 1;
    return TRM_OK;
}

static inline void release_translation(void *context, struct trm_translation *translation)
{
    (void)context;
    translation->text = NULL;
}

static inline void open_with(const char *shape)
{
    on_open(shape);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    fake.host.get_setting         = get_setting;
    fake.host.trust_file          = trust_file;
    fake.host.cache_find          = cache_find;
    fake.host.cache_begin         = cache_begin;
    fake.host.cache_commit        = cache_commit;
    fake.host.cache_discard       = cache_discard;
    fake.host.translate           = translate;
    fake.host.release_translation = release_translation;
    nvrtc_path                    = NVRTC_STANDIN_PATH;
    void *library                 = dlopen(NVRTC_STANDIN_PATH, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    compiler = dlsym(library, CUDA_STANDIN_COMPILER_SYMBOL);
    ck_assert_ptr_nonnull(compiler);
}

static inline void tear_down(void)
{
    char path[TRM_PATH_MOST];
    if (module != NULL)
        cuda_module_ops.unload(module);
    module = NULL;
    if (on.device != NULL)
        on_close();
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"kept", "begun", "scale.width=4.fatbin"};
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* ---- loading and running */

static inline int32_t load_with(int32_t format, const void *data, uint64_t size,
                                const struct trm_native_options *options)
{
    static const struct trm_native_options none = {.struct_size = sizeof(none)};
    const struct trm_module_source source       = {
              .struct_size = sizeof(source),
              .format      = format,
              .data        = data,
              .size        = size,
              .name        = "test",
              .native      = options != NULL ? options : &none,
    };
    return cuda_module_ops.load(on.device, &source, &module);
}

static inline int32_t load_text(const char *text)
{
    return load_with(TRM_MODULE_CUDA, text, strlen(text) + 1, NULL);
}

static inline int32_t load_portable_as(const struct trm_kernel_info *info)
{
    static uint8_t digest[32];
    static char stem[TRM_PATH_MOST];
    for (uint32_t i = 0; i < 32; i++)
        digest[i] = (uint8_t)i;
    snprintf(stem, sizeof(stem), "%s/scale", folder);
    const struct trm_module_source source = {
        .struct_size  = sizeof(source),
        .format       = TRM_MODULE_SPIRV,
        .data         = "words",
        .size         = 4,
        .name         = "scale",
        .kernels      = info,
        .kernel_count = 1,
        .digest       = digest,
        .stem         = stem,
        .variant      = ".width=4",
    };
    return cuda_module_ops.load(on.device, &source, &module);
}

static inline int32_t load_portable(void)
{
    return load_portable_as(&described);
}

static inline struct trm_backend_kernel *kernel_named(const char *name, struct trm_kernel_desc *desc)
{
    struct trm_backend_kernel *kernel = NULL;
    *desc                             = (struct trm_kernel_desc){.struct_size = sizeof(*desc)};
    ck_assert_msg(cuda_module_ops.kernel(module, name, &kernel, desc) == TRM_OK, "%s", fake.sentence);
    return kernel;
}

/* Scales a hundred floats by 3 and checks them. */
static inline void scale_works(void)
{
    struct trm_kernel_desc desc;
    struct trm_backend_kernel *kernel = kernel_named("scale", &desc);
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_PINNED, 128 * sizeof(float));
    struct trm_backend_stream *stream = on_stream();
    float *floats = on_host(memory), by = 3;
    uint32_t bits;
    memcpy(&bits, &by, sizeof(bits));
    for (int i = 0; i < 128; i++)
        floats[i] = (float)i;
    const struct trm_launch_argument arguments[] = {
        {.kind = TRM_PARAMETER_BUFFER, .memory = memory, .size = 128 * sizeof(float)},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32, .size = 4, .scalar = bits},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4, .scalar = 100},
    };
    const struct trm_launch_desc launch = {
        .struct_size    = sizeof(launch),
        .argument_count = 3,
        .kernel         = kernel,
        .arguments      = arguments,
        .groups         = {2, 1, 1},
        .group_size     = {64, 1, 1},
    };
    ck_assert_msg(cuda_stream_ops.launch(stream, 1, &launch) == TRM_OK, "%s", fake.sentence);
    on_wait(stream, 1);
    for (int i = 0; i < 128; i++)
        ck_assert(floats[i] == (float)(i < 100 ? 3 * i : i));
    cuda_stream_ops.destroy(stream);
    cuda_memory_ops.free(memory);
}

#endif
