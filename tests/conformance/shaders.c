/* The shaders of the cases.
 * SPDX-License-Identifier: MIT
 */
#include "shaders.h"

static const uint32_t affine_words[] = {
#include "shaders/affine.inc"
};
static const uint32_t constants_words[] = {
#include "shaders/constants.inc"
};
static const uint32_t header_words[] = {
#include "shaders/header.inc"
};
static const uint32_t many_words[] = {
#include "shaders/many.inc"
};
static const uint32_t mixed_words[] = {
#include "shaders/mixed.inc"
};
static const uint32_t reverse_words[] = {
#include "shaders/reverse.inc"
};
static const uint32_t two_words[] = {
#include "shaders/two.inc"
};

static const struct shader_words shaders[] = {
    {"affine", affine_words, sizeof(affine_words)}, {"constants", constants_words, sizeof(constants_words)},
    {"header", header_words, sizeof(header_words)}, {"many", many_words, sizeof(many_words)},
    {"mixed", mixed_words, sizeof(mixed_words)},    {"reverse", reverse_words, sizeof(reverse_words)},
    {"two", two_words, sizeof(two_words)},
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

/* A compiler that the device needs may be missing: loading then says UNSUPPORTED, in words. */
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
