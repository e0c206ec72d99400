/* Trireme: shaders, the portable form of kernels. A shader is a SPIR-V module that is checked and reflected.
 * It belongs to a context and to no device; trm_module_load() makes code of it for a device.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * context     the context
 * shader      the shader, or for trm_shader_create() receives it
 * Blocks      no
 * Threads     any
 * Ownership   a shader keeps its context alive. What a function returns a pointer to lives as long as the
 *             shader
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_SHADER_H
#define TRIREME_SHADER_H

#include <trireme/api.h>
#include <trireme/kernel.h>

TRM_API_BEGIN

enum trm_glsl_flag {
    TRM_GLSL_UNOPTIMIZED = 1u << 0, /* leave the SPIR-V as the front end wrote it */
    TRM_GLSL_NO_DEBUG    = 1u << 1, /* no lines and no names: smaller, but arguments have no names either */
};

/* How GLSL is compiled. */
struct trm_glsl_options {
    uint32_t struct_size;
    uint32_t flags;             /* enum trm_glsl_flag */
    const char *const *defines; /* "NAME" or "NAME=VALUE" */
    /* folders for #include "…" after that of the including file, in order; the current folder is not
     * searched */
    const char *const *includes;
    uint32_t define_count;
    uint32_t include_count;
    const char *file; /* the name of the text in messages; its folder is searched first; may be NULL */
};

/* The code of a shader: SPIRV, GLSL or NAMED of enum trm_module_format. */
struct trm_shader_desc {
    uint32_t struct_size;
    int32_t format;   /* enum trm_module_format */
    const void *data; /* copied */
    uint64_t size;    /* bytes */
    /* what a kernel is called that the shader calls "main"; NULL: after the file, else "main" */
    const char *name;
    const struct trm_glsl_options *glsl; /* may be NULL */
};

/* Make a shader: compile GLSL or find a name, then check the SPIR-V and reflect it.
 *
 * A name is looked for as NAME.spv in the folders of the setting kernel.path, then beside the library, then
 * in the folder that it was installed for. Names have up to 100 letters, digits, '_' and '-'.
 *
 * A module may have entry points of other stages beside its kernels: they are removed, with the buffers that
 * only they use. Sizes that are wrong with the defaults of the constants, such as an array of length 0, are
 * an error of trm_shader_translate() and trm_module_load(), unless those are given better constants.
 *
 * desc        needed during the call only
 * Blocks      while GLSL is compiled
 * Ownership   the caller destroys the shader with trm_shader_destroy()
 * Errors      INVALID_ARGUMENT for GLSL that does not compile, with the compiler's messages, file and line,
 *             and for SPIR-V that is not valid, with the number of the word; UNSUPPORTED for a capability
 *             that compute kernels do not have here, or without libshaderc, saying what to install;
 *             NOT_FOUND, naming the folders; PERMISSION for a file that other users may write; BACKEND when
 *             glslc crashes or exceeds the setting compiler.memory or compiler.output, TIMEOUT when it
 *             exceeds compiler.time. libshaderc, which the library opens where glslc is not installed or
 *             these three settings are 0, runs in the process, without these limits: compile hostile texts
 *             with glslc
 */
TRM_API int32_t trm_shader_create(struct trm_context *context, const struct trm_shader_desc *desc,
                                  struct trm_shader **shader);

/* Destroy a shader. Modules that were loaded from it stay. */
TRM_API void trm_shader_destroy(struct trm_shader *shader);

/* Get the SPIR-V of a shader, in the byte order of this machine, without what trm_shader_create() removed.
 *
 * bytes       receives a pointer to the SPIR-V
 * size        receives its bytes
 */
TRM_API int32_t trm_shader_bytes(struct trm_shader *shader, const void **bytes, uint64_t *size);

/* Describe a kernel of a shader, as it is without specialization.
 *
 * index       of the kernel, from 0
 * info        the caller sets its struct_size
 * Errors      NOT_FOUND past the last kernel
 */
TRM_API int32_t trm_shader_kernel(struct trm_shader *shader, uint32_t index, struct trm_kernel_info *info);

/* A specialization constant. */
struct trm_constant_info {
    uint32_t struct_size;
    uint32_t id;
    const char *name; /* "" when the shader has no name for it */
    int32_t type;     /* enum trm_type; a bool is a U32 */
    uint32_t reserved;
    uint64_t default_bits; /* in the low bytes */
};

/* Describe a specialization constant of a shader.
 *
 * index       of the constant, from 0, in the order of their ids
 * info        the caller sets its struct_size
 * Errors      NOT_FOUND past the last constant
 */
TRM_API int32_t trm_shader_constant(struct trm_shader *shader, uint32_t index,
                                    struct trm_constant_info *info);

/* A view of a buffer: a shader may declare several variables on one set and binding, to read the same memory
 * as different types. They are one parameter, for which a launch takes one argument: that parameter has the
 * name and type of the view with the widest elements, the access of all views, and the greatest of their
 * least sizes. */
struct trm_view_info {
    uint32_t struct_size;
    uint32_t parameter;        /* the parameter of the shader's kernels that is the buffer, from 0 */
    struct trm_parameter view; /* the buffer as this variable declares it */
};

/* Describe a view of a buffer other than the one after which its parameter is described. Most shaders have
 * none.
 *
 * index       of the view, from 0, in the order of the parameters
 * info        the caller sets its struct_size
 * Errors      NOT_FOUND past the last view
 */
TRM_API int32_t trm_shader_view(struct trm_shader *shader, uint32_t index, struct trm_view_info *info);

/* A part of the memory that a kernel is given, as the shader lays it out: a parameter, a member of a struct,
 * or an array in an array. Type, size and scalars are those of one element where it is an array. */
struct trm_member_info {
    uint32_t struct_size;
    int32_t type;           /* enum trm_type, of its scalars; NONE: it consists of members, if of anything */
    const char *name;       /* "" when the shader has no name for it */
    uint32_t offset;        /* bytes from the start of the struct or element that it is in; 0 of parameters */
    uint32_t size;          /* bytes up to the last that is used, without an array of a length that is open */
    uint32_t components;    /* scalars: 2 to 4 of a vector, columns x rows of a matrix, else 1 */
    uint32_t columns;       /* of a matrix; 0: it is none */
    uint32_t matrix_stride; /* bytes from one column of a matrix to the next, or from row to row */
    uint32_t is_row_major;  /* 1: the scalars of a row of a matrix lie together, not those of a column */
    uint32_t count;         /* elements of an array, 0: as many as the buffer has; 1 also where it is none */
    uint32_t array_stride;  /* bytes from one element to the next; 0: it is no array */
    uint32_t first_member;  /* the `index` of the first of its members */
    uint32_t member_count;  /* members from there on: those of a struct; 1, the array that an element is */
};

/* Describe a part of a shader's memory, with the defaults of its constants.
 *
 * index       The first parts are the parameters of the shader's kernels, from 0: of a buffer its block, of a
 *             push constant that, of an image or sampler nothing but the name. The views of buffers follow,
 *             in the order of trm_shader_view(), and then what these consist of. A struct that several parts
 *             consist of is described once.
 * info        the caller sets its struct_size
 * Errors      NOT_FOUND past the last part
 */
TRM_API int32_t trm_shader_member(struct trm_shader *shader, uint32_t index, struct trm_member_info *info);

/* A language that a shader can be translated to. */
enum trm_language {
    TRM_LANGUAGE_C    = 1, /* C11 for <trireme/cpu_kernel.h>; needs no header of Trireme */
    TRM_LANGUAGE_CUDA = 2, /* CUDA C for nvcc and NVRTC */
};

enum trm_translate_flag {
    /* check every index into buffers, push constants, arrays, vectors and matrices; an access outside is left
     * out, and the text notes where it was: in C in struct trm_cpu_fault of <trireme/cpu_kernel.h>, in CUDA C
     * in the struct trm_fault_record that a parameter points to, which the text explains */
    TRM_TRANSLATE_BOUNDS = 1u << 0,
    /* CUDA C: kernels become functions of the device that other code calls for each group in turn, as kernels
     * that stay on the device do. Memory may change from one call to the next, so no pointer is __restrict__.
     * Each turn of a loop that might not end is a call of the macro TRM_TURN(n), n turns so far, which the
     * code around defines. Not with TRM_TRANSLATE_BOUNDS. */
    TRM_TRANSLATE_FUNCTIONS = 1u << 1,
    /* C, with TRM_TRANSLATE_BOUNDS: note a barrier to which not all work-items of a group come, in the same
     * struct; without effect on kernels with cooperative matrices */
    TRM_TRANSLATE_BARRIERS = 1u << 2,
};

struct trm_translate_desc {
    uint32_t struct_size;
    int32_t language; /* enum trm_language */
    uint32_t flags;   /* enum trm_translate_flag */
    uint32_t constant_count;
    const struct trm_constant *constants;
};

/* Translate a shader to another language.
 *
 * desc        needed during the call only
 * text        receives the text, which ends with a zero
 * length      receives its bytes without the zero
 * Errors      UNSUPPORTED, naming the instruction and, where the shader has it, the source line;
 *             INVALID_ARGUMENT for an unknown language or flag, or a constant that the shader does not have;
 *             TYPE_MISMATCH for a constant of another type
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

/* Receives one kernel; `place` is valid during the call only. A status other than TRM_OK ends the listing. */
typedef int32_t (*trm_shader_visit_fn)(void *user, const struct trm_shader_place *place);

/* List the kernels that have a name, sorted. Of several files with one name, only the one that a load would
 * take is listed. A file that other users may write is left out and logged.
 *
 * visit       called for each kernel, in the calling thread
 * user        its first argument
 * Errors      what `visit` returns; INVALID_ARGUMENT when visit is NULL
 */
TRM_API int32_t trm_shader_list(struct trm_context *context, trm_shader_visit_fn visit, void *user);

TRM_API_END

#endif
