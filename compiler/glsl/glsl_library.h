/* Declarations of the functions and numbers of libshaderc that Trireme uses, so that a build does not need
 * its header. The numbers are those of the stable C interface, shaderc/shaderc.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_LIBRARY_H
#define COMPILER_GLSL_GLSL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shaderc_compiler;
struct shaderc_compile_options;
struct shaderc_compilation_result;

struct glsl_included {
    const char *source_name; /* empty: the include failed, and `content` is the error message */
    size_t source_name_length;
    const char *content;
    size_t content_length;
    void *user_data;
};

enum {
    GLSL_KIND_COMPUTE         = 2,
    GLSL_TARGET_VULKAN        = 0,
    GLSL_VULKAN_1_1           = 1 << 22 | 1 << 12,
    GLSL_SPIRV_1_3            = 0x010300,
    GLSL_OPTIMIZE_SPEED       = 2,
    GLSL_STATUS_SUCCESS       = 0,
    GLSL_STATUS_INVALID_STAGE = 1,
    GLSL_STATUS_COMPILATION   = 2,
    GLSL_INCLUDE_RELATIVE     = 0,
};

typedef struct glsl_included *(*glsl_include_fn)(void *user, const char *requested, int type,
                                                 const char *requesting, size_t depth);
typedef void (*glsl_include_release_fn)(void *user, struct glsl_included *included);

struct glsl_library {
    void *handle; /* from dlopen() */
    struct shaderc_compiler *(*compiler_initialize)(void);
    void (*compiler_release)(struct shaderc_compiler *compiler);
    struct shaderc_compile_options *(*options_initialize)(void);
    void (*options_release)(struct shaderc_compile_options *options);
    void (*options_add_macro)(struct shaderc_compile_options *options, const char *name, size_t name_length,
                              const char *value, size_t value_length);
    void (*options_debug_info)(struct shaderc_compile_options *options);
    void (*options_optimize)(struct shaderc_compile_options *options, int level);
    void (*options_target)(struct shaderc_compile_options *options, int target, uint32_t version);
    void (*options_target_spirv)(struct shaderc_compile_options *options, int version);
    void (*options_includes)(struct shaderc_compile_options *options, glsl_include_fn include,
                             glsl_include_release_fn release, void *user);
    /* NULL in old versions. */
    void (*options_preserve_bindings)(struct shaderc_compile_options *options, bool preserve);
    struct shaderc_compilation_result *(*compile)(struct shaderc_compiler *compiler, const char *text,
                                                  size_t length, int kind, const char *file,
                                                  const char *entry,
                                                  const struct shaderc_compile_options *options);
    void (*result_release)(struct shaderc_compilation_result *result);
    size_t (*result_length)(const struct shaderc_compilation_result *result);
    const char *(*result_bytes)(const struct shaderc_compilation_result *result);
    int (*result_status)(const struct shaderc_compilation_result *result);
    const char *(*result_message)(const struct shaderc_compilation_result *result);
};

/* Opens the first of these libraries that exists. The library stays loaded after close (RTLD_NODELETE), so
 * opening it again is cheap.
 * Errors: UNSUPPORTED with the packages to install, or with the function that the library lacks. */
int32_t glsl_library_open(const char *const *names, struct glsl_library *library);
void glsl_library_close(struct glsl_library *library);

#endif
