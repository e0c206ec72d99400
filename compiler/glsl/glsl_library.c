/* Opens libshaderc and looks up its functions.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/base.h"
#include "compiler/glsl/glsl.h"

const char *const glsl_libraries[] = {"libshaderc.so.1", "libshaderc_shared.so.1", NULL};

struct symbol {
    const char *name;
    size_t offset;
    bool is_optional;
};

#define SYMBOL(name_, member_)                                                      \
    {                                                                               \
        .name = "shaderc_" #name_, .offset = offsetof(struct glsl_library, member_) \
    }

static const struct symbol symbols[] = {
    SYMBOL(compiler_initialize, compiler_initialize),
    SYMBOL(compiler_release, compiler_release),
    SYMBOL(compile_options_initialize, options_initialize),
    SYMBOL(compile_options_release, options_release),
    SYMBOL(compile_options_add_macro_definition, options_add_macro),
    SYMBOL(compile_options_set_generate_debug_info, options_debug_info),
    SYMBOL(compile_options_set_optimization_level, options_optimize),
    SYMBOL(compile_options_set_target_env, options_target),
    SYMBOL(compile_options_set_target_spirv, options_target_spirv),
    SYMBOL(compile_options_set_include_callbacks, options_includes),
    SYMBOL(compile_into_spv, compile),
    SYMBOL(result_release, result_release),
    SYMBOL(result_get_length, result_length),
    SYMBOL(result_get_bytes, result_bytes),
    SYMBOL(result_get_compilation_status, result_status),
    SYMBOL(result_get_error_message, result_message),
    {.name        = "shaderc_compile_options_set_preserve_bindings",
     .offset      = offsetof(struct glsl_library, options_preserve_bindings),
     .is_optional = true},
};
#undef SYMBOL

static int32_t find_symbols(const char *name, struct glsl_library *library)
{
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *address = dlsym(library->handle, symbols[i].name);
        if (address == NULL && !symbols[i].is_optional)
            return base_fail(TRM_ERROR_UNSUPPORTED, "%s is too old to compile GLSL: it lacks %s", name,
                             symbols[i].name);
        memcpy((char *)library + symbols[i].offset, &address, sizeof(address));
    }
    return TRM_OK;
}

int32_t glsl_library_open(const char *const *names, struct glsl_library *library)
{
    memset(library, 0, sizeof(*library));
    for (; *names != NULL && !base_program_is_static(); names++) {
        library->handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (library->handle == NULL)
            continue;
        int32_t status = find_symbols(*names, library);
        if (status != TRM_OK)
            glsl_library_close(library);
        return status;
    }
    return base_fail(
        TRM_ERROR_UNSUPPORTED,
        "GLSL needs libshaderc or the program glslc, but neither is installed; install the package "
        "(Debian, Ubuntu and Fedora: glslc, Arch: shaderc) or compile the text beforehand with \"trireme "
        "kc\"");
}

void glsl_library_close(struct glsl_library *library)
{
    if (library->handle != NULL)
        dlclose(library->handle);
    library->handle = NULL;
}
