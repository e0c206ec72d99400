/* The shaders of the cases.
 * SPDX-License-Identifier: MIT
 */
#include "shaders.h"

enum {
    N = 1000 /* numbers for the kernel "affine" */
};

static const uint32_t affine_words[] = {
#include "shaders/affine.inc"
};
static const uint32_t constants_words[] = {
#include "shaders/constants.inc"
};
static const uint32_t header_words[] = {
#include "shaders/header.inc"
};
static const uint32_t one_id_words[] = {
#include "shaders/one_id.inc"
};
static const uint32_t many_words[] = {
#include "shaders/many.inc"
};
static const uint32_t mirror_words[] = {
#include "shaders/mirror.inc"
};
static const uint32_t mixed_words[] = {
#include "shaders/mixed.inc"
};
static const uint32_t moved_words[] = {
#include "shaders/moved.inc"
};
static const uint32_t pointers_words[] = {
/* tests/differential/shaders/pointers.spvasm */
#include "shaders/pointers.inc"
};
static const uint32_t reach_words[] = {
#include "shaders/reach.inc"
};
static const uint32_t open_words[] = {
#include "shaders/open.inc"
};
static const uint32_t parts_words[] = {
#include "shaders/parts.inc"
};
static const uint32_t reverse_words[] = {
#include "shaders/reverse.inc"
};
static const uint32_t views_words[] = {
#include "shaders/views.inc"
};
static const uint32_t sampled_words[] = {
#include "shaders/sampled.inc"
};
static const uint32_t texels_words[] = {
#include "shaders/texels.inc"
};
static const uint32_t two_words[] = {
#include "shaders/two.inc"
};

static const uint32_t written_words[] = {
#include "shaders/written.inc"
};

static const struct shader_words shaders[] = {
    {"affine", affine_words, sizeof(affine_words)},
    {"constants", constants_words, sizeof(constants_words)},
    {"one_id", one_id_words, sizeof(one_id_words)},
    {"header", header_words, sizeof(header_words)},
    {"many", many_words, sizeof(many_words)},
    {"mirror", mirror_words, sizeof(mirror_words)},
    {"mixed", mixed_words, sizeof(mixed_words)},
    {"moved", moved_words, sizeof(moved_words)},
    {"pointers", pointers_words, sizeof(pointers_words)},
    {"reach", reach_words, sizeof(reach_words)},
    {"open", open_words, sizeof(open_words)},
    {"parts", parts_words, sizeof(parts_words)},
    {"reverse", reverse_words, sizeof(reverse_words)},
    {"sampled", sampled_words, sizeof(sampled_words)},
    {"texels", texels_words, sizeof(texels_words)},
    {"two", two_words, sizeof(two_words)},
    {"written", written_words, sizeof(written_words)},
    {"views", views_words, sizeof(views_words)},
};

struct shader_words shader_words(const char *name)
{
    for (size_t i = 0; i < sizeof(shaders) / sizeof(shaders[0]); i++)
        if (strcmp(shaders[i].name, name) == 0)
            return shaders[i];
    ck_abort_msg("there is no shader %s", name);
    return shaders[0];
}

struct trm_module_desc shader_desc(const char *name)
{
    struct shader_words found   = shader_words(name);
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc),
        .format      = TRM_MODULE_SPIRV,
        .data        = found.words,
        .size        = found.size,
        .name        = found.name,
    };
    return desc;
}

/* A compiler that the device needs may be missing: loading then gives UNSUPPORTED. */
bool shaders_missing(void)
{
    struct trm_module_desc desc = shader_desc("affine");
    struct trm_module *module   = NULL;
    int32_t status              = trm_module_supported(the.device, TRM_MODULE_SPIRV);
    if (status == TRM_OK)
        status = trm_module_load(the.device, &desc, &module);
    trm_module_destroy(module);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip(trm_last_error().sentence);
        return true;
    }
    ck_ok(status);
    return false;
}

struct trm_kernel *shader_kernel_with(const char *name, const struct trm_constant *constants, uint32_t count)
{
    struct trm_module_desc desc = shader_desc(name);
    struct trm_module *module   = NULL;
    struct trm_kernel *kernel   = NULL;
    desc.constants              = constants;
    desc.constant_count         = count;
    ck_ok(trm_module_load(the.device, &desc, &module));
    ck_ok(trm_kernel_get(module, NULL, &kernel));
    trm_module_destroy(module);
    return kernel;
}

struct trm_kernel *shader_kernel(const char *name)
{
    return shader_kernel_with(name, NULL, 0);
}

/* ---- loading and launching ---- */

int32_t shader_load(const struct trm_module_desc *desc)
{
    struct trm_module *module = NULL;
    int32_t status            = trm_module_load(the.device, desc, &module);
    ck_assert_msg(status == TRM_OK || module == NULL, "a load that failed wrote its output");
    trm_module_destroy(module);
    return status;
}

struct trm_kernel *shader_kernel_of(const struct trm_module_desc *desc, const char *name)
{
    struct trm_module *module = NULL;
    struct trm_kernel *kernel = NULL;
    ck_ok(trm_module_load(the.device, desc, &module));
    ck_ok(trm_kernel_get(module, name, &kernel));
    trm_module_destroy(module);
    return kernel;
}

int32_t shader_launch(struct trm_kernel *kernel, uint64_t items, const struct trm_argument *arguments,
                      uint32_t count)
{
    struct trm_grid grid;
    ck_ok(trm_kernel_grid(kernel, items, 1, 1, &grid));
    return trm_launch(the.stream, kernel, &grid, arguments, count);
}

void shader_is_affine(struct trm_kernel *kernel)
{
    uint32_t values[N + 8];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(values));
    for (uint32_t i = 0; i < N + 8; i++)
        values[i] = i;
    put(the.stream, buffer, 0, values, sizeof(values));
    struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_u32(N), trm_arg_u32(3),
                                       trm_arg_u32(1)};
    ck_ok(shader_launch(kernel, N, arguments, 4));
    get(the.stream, buffer, 0, values, sizeof(values));
    for (uint32_t i = 0; i < N + 8; i++)
        ck_assert_uint_eq(values[i], i < N ? 3 * i + 1 : i);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}
