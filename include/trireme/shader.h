/* Trireme: shaders, kernels in their portable form. A shader is a SPIR-V module that was checked and reflected; it
 * belongs to a context and to no device. trm_module_load() makes code of it for one.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_SHADER_H
#define TRIREME_SHADER_H

#include <trireme/api.h>
#include <trireme/kernel.h>

TRM_API_BEGIN

enum trm_glsl_flag {
    TRM_GLSL_UNOPTIMIZED = 1u << 0, /* leave the SPIR-V as the front end wrote it */
    TRM_GLSL_NO_DEBUG    = 1u << 1, /* no lines and names: smaller, but arguments have no names either */
};

/* How GLSL is compiled. */
struct trm_glsl_options {
    uint32_t struct_size;
    uint32_t flags;              /* enum trm_glsl_flag */
    const char *const *defines;  /* "NAME" or "NAME=VALUE" */
    const char *const *includes; /* folders for #include "…" besides that of `file`, in order */
    uint32_t define_count;
    uint32_t include_count;
    const char *file; /* what messages call the text, and whose folder is searched first; may be NULL */
};

/* What a shader is made of: SPIRV, GLSL or NAMED of enum trm_module_format. */
struct trm_shader_desc {
    uint32_t struct_size;
    int32_t format;
    const void *data; /* copied */
    uint64_t size;    /* bytes */
    const char *name; /* what a kernel is called that the shader calls "main"; NULL: the file's or "main" */
    const struct trm_glsl_options *glsl; /* may be NULL */
};

/* Make a shader: compile it where it is GLSL, find it where it is a name, check it, reflect it.
 *
 * A name is looked for as NAME.spv in the folders of the setting kernel.path, then beside the library, then where
 * it was installed for. Names have letters, digits, '_' and '-'.
 *
 * Blocks      while it is compiled      Threads  any
 * Ownership   keeps nothing of the description; trm_shader_destroy() ends it
 * Errors      INVALID_ARGUMENT for GLSL that does not compile, with the compiler's messages, file and line, and for
 *             SPIR-V that is not valid, with the word where; UNSUPPORTED for a capability that compute kernels do not
 *             have here, or without libshaderc, saying what to install; NOT_FOUND naming the folders; PERMISSION;
 *             BACKEND when the compiler of GLSL crashes
 */
TRM_API int32_t trm_shader_create(struct trm_context *context, const struct trm_shader_desc *desc,
                                  struct trm_shader **shader);
TRM_API void trm_shader_destroy(struct trm_shader *shader);

/* The SPIR-V, in this machine's byte order. It lives as long as the shader. */
TRM_API int32_t trm_shader_bytes(struct trm_shader *shader, const void **bytes, uint64_t *size);

/* Kernel number `index`, as it is without specialisation. What it points to lives as long as the shader.
 * Errors: NOT_FOUND past the last. */
TRM_API int32_t trm_shader_kernel(struct trm_shader *shader, uint32_t index, struct trm_kernel_info *info);

/* A specialisation constant. */
struct trm_constant_info {
    uint32_t struct_size;
    uint32_t id;
    const char *name; /* "" when the shader does not tell */
    int32_t type;     /* enum trm_type; a bool is a U32 */
    uint32_t reserved;
    uint64_t default_bits; /* in the low bytes */
};

/* Constant number `index`, in the order of their ids. Errors: NOT_FOUND past the last. */
TRM_API int32_t trm_shader_constant(struct trm_shader *shader, uint32_t index,
                                    struct trm_constant_info *info);

/* Languages that a shader is translated to. */
enum trm_language {
    TRM_LANGUAGE_C    = 1, /* C11 as <trireme/cpu_kernel.h> wants it; needs no header of Trireme */
    TRM_LANGUAGE_CUDA = 2, /* CUDA C for nvcc and NVRTC */
};

enum trm_translate_flag {
    /* check every access of a buffer; what is outside is left out, and in C fails the launch */
    TRM_TRANSLATE_BOUNDS = 1u << 0,
};

struct trm_translate_desc {
    uint32_t struct_size;
    int32_t language; /* enum trm_language */
    uint32_t flags;   /* enum trm_translate_flag */
    uint32_t constant_count;
    const struct trm_constant *constants;
};

/* The shader in another language.
 *
 * text        ends with a zero, which `length` does not count; it lives as long as the shader
 * Errors      UNSUPPORTED naming the instruction and, where the shader has it, the source line
 */
TRM_API int32_t trm_shader_translate(struct trm_shader *shader, const struct trm_translate_desc *desc,
                                     const char **text, uint64_t *length);

/* A kernel that is installed. */
struct trm_shader_place {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name; /* for TRM_MODULE_NAMED */
    const char *path; /* of the .spv */
};

/* Called for each kernel that can be had by name, sorted; of two with one name only the one that is found. A status
 * other than TRM_OK ends it and is answered. */
typedef int32_t (*trm_shader_visit_fn)(void *user, const struct trm_shader_place *place);
TRM_API int32_t trm_shader_list(struct trm_context *context, trm_shader_visit_fn visit, void *user);

TRM_API_END

#endif
