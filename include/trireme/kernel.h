/* Trireme: modules (loaded code), kernels (one entry of it) and launches.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_KERNEL_H
#define TRIREME_KERNEL_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/type.h>

TRM_API_BEGIN

/* What the bytes given to a module are. Which of them a device takes, trm_module_supported() says. The first two are native code
 * of the cpu, the last three of NVIDIA's devices (backend cuda); the others are portable: they name or hold a shader
 * (<trireme/shader.h>), and every device that takes SPIR-V takes them all. */
enum trm_module_format {
    TRM_MODULE_FUNCTIONS = 1, /* an array of struct trm_cpu_kernel (<trireme/cpu_kernel.h>) in this program */
    TRM_MODULE_SHARED_OBJECT = 2, /* the path of a shared object that exports trm_cpu_kernels_v1 */
    TRM_MODULE_SPIRV         = 3, /* a SPIR-V module, of either byte order */
    TRM_MODULE_GLSL          = 4, /* a GLSL compute shader as text; needs libshaderc at run time */
    TRM_MODULE_NAMED         = 5, /* the name of a kernel that is installed, with its zero: "saxpy" */
    TRM_MODULE_SHADER        = 6, /* a struct trm_shader * */
    TRM_MODULE_CUBIN         = 7, /* a cubin or a fat binary, as nvcc and NVRTC make them */
    TRM_MODULE_PTX           = 8, /* PTX as text; the driver compiles it for the device */
    TRM_MODULE_CUDA = 9, /* CUDA C++ as text; needs NVRTC at run time, which compiles it for the device */
};

/* The value of a specialisation constant, by its name, or by its number where name is NULL. */
struct trm_constant {
    const char *name;
    uint32_t id;   /* constant_id of the shader; not looked at where there is a name */
    int32_t type;  /* enum trm_type; a bool is a U32 of 0 or 1 */
    uint64_t bits; /* the value in the low bytes */
};

static inline struct trm_constant trm_constant_u32(const char *name, uint32_t value)
{
    struct trm_constant constant = {name, 0, TRM_TYPE_U32, value};
    return constant;
}

static inline struct trm_constant trm_constant_i32(const char *name, int32_t value)
{
    struct trm_constant constant = {name, 0, TRM_TYPE_I32, (uint32_t)value};
    return constant;
}

static inline struct trm_constant trm_constant_f32(const char *name, float value)
{
    struct trm_constant constant = {name, 0, TRM_TYPE_F32, 0};
    union {
        float value;
        uint32_t bits;
    } both;
    both.value    = value;
    constant.bits = both.bits;
    return constant;
}

struct trm_glsl_options; /* <trireme/shader.h> */
struct trm_native_options;

struct trm_module_desc {
    uint32_t struct_size;
    int32_t format;   /* enum trm_module_format */
    const void *data; /* FUNCTIONS: struct trm_cpu_kernel[count], which outlives the module;
                         SHARED_OBJECT: the absolute path, with its zero; SPIRV, GLSL: copied; NAMED: the name,
                         with its zero; SHADER: the handle itself, which may be destroyed after the call;
                         CUBIN, PTX, CUDA: needed during the call only; a text may have a zero at its end */
    uint64_t size;    /* bytes of data; 0 for SHADER */
    /* for messages, and what a kernel is called that the shader calls "main"; may be NULL */
    const char *name;
    /* specialisation, of portable formats; the rest have their defaults */
    const struct trm_constant *constants;
    uint32_t constant_count;
    uint32_t reserved;
    const struct trm_glsl_options *glsl;     /* of GLSL; may be NULL */
    const struct trm_native_options *native; /* of CUBIN, PTX and CUDA; may be NULL */
};

/* What native code of a device does not say of itself. */
struct trm_native_options {
    uint32_t struct_size;
    uint32_t kernel_count;
    /* The interface of kernels, by name: what their parameters are, in order, and where all launches have the same one, the size of
     * the groups. A kernel that is not in it has parameters without names, of kind TRM_PARAMETER_BYTES, as many and as
     * long as the driver says; drivers before CUDA 12.4 do not, and then it has to be here. What is here is held against
     * what the driver says. Needed during the call only. */
    const struct trm_kernel_info *kernels;
    /* Of CUDA: what NVRTC is given besides: "-DWIDTH=4", "-I/usr/local/cuda/include", "--use_fast_math". The architecture is the
     * device's unless one of them says another. */
    const char *const *compiler_options;
    uint32_t compiler_option_count;
    uint32_t reserved;
};

/* Load code.
 *
 * Blocks      while it is compiled, where it must be
 * Ownership   keeps the device alive; trm_module_destroy() ends it. Kernels keep the module alive
 * Errors      UNSUPPORTED format, or an instruction that the device cannot run, named with its source line, or
 *             no compiler where one is needed, saying what to install; NOT_FOUND; PERMISSION for a file
 *             or folder that others may write; INVALID_ARGUMENT for a module that is not valid, or a constant
 *             that it does not have; TYPE_MISMATCH for a constant of another type; BACKEND with the
 *             compiler's or driver's words
 */
TRM_API int32_t trm_module_load(struct trm_device *device, const struct trm_module_desc *desc,
                                struct trm_module **module);
TRM_API void trm_module_destroy(struct trm_module *module);

/* TRM_OK or TRM_ERROR_UNSUPPORTED. */
TRM_API int32_t trm_module_supported(struct trm_device *device, int32_t format);

/* Compile a portable module for this device ahead of time: what trm_module_load() would make is written to `path`
 * instead (a shared object on the cpu), replacing it at once when it is done. Flags: enum trm_build_flag.
 * Blocks while it is compiled. Errors: as of trm_module_load(); UNSUPPORTED where the device has no such
 * form; BACKEND for a path that cannot be written. */
enum trm_build_flag {
    TRM_BUILD_PORTABLE = 1u << 0, /* for every processor of the architecture, not for this one alone */
};
TRM_API int32_t trm_module_build(struct trm_device *device, const struct trm_module_desc *desc,
                                 uint32_t flags, const char *path);

/* The kernel of that name in a module; NULL: the only one that it has.
 * Errors: NOT_FOUND, naming the kernels that there are; INVALID_ARGUMENT when NULL leaves a choice. */
TRM_API int32_t trm_kernel_get(struct trm_module *module, const char *name, struct trm_kernel **kernel);

/* A kernel that is installed, by its name ("saxpy"): what trm_module_load() with TRM_MODULE_NAMED, trm_kernel_get() with
 * NULL and trm_module_destroy() do.
 *
 * constants   specialisation, `constant_count` of them; NULL and 0: all have their defaults
 * Blocks      while it is compiled, where it must be
 * Ownership   keeps the device alive; trm_kernel_destroy() ends it
 * Errors      as of trm_module_load(): NOT_FOUND for a name that no kernel has; UNSUPPORTED where the device cannot run it, or
 *             there is no code for it and no compiler; INVALID_ARGUMENT, TYPE_MISMATCH for a constant
 */
TRM_API int32_t trm_kernel_named(struct trm_device *device, const char *name,
                                 const struct trm_constant *constants, uint32_t constant_count,
                                 struct trm_kernel **kernel);
TRM_API void trm_kernel_destroy(struct trm_kernel *kernel);

enum trm_parameter_kind {
    TRM_PARAMETER_BUFFER = 1, /* a span; `type` is that of its elements, NONE when it is not said */
    TRM_PARAMETER_SCALAR = 2, /* a value of `type` */
    TRM_PARAMETER_BLOCK  = 3, /* `size` bytes: a vector, matrix, array or struct as the shader lays it out */
    /* `size` bytes of native code that does not say what they are: takes a scalar or block of just that size, or, where it is
     * that of an address (8), a span */
    TRM_PARAMETER_BYTES = 4,
};

/* Kinds of arguments that stages of pipelines take besides (<trireme/pipeline.h>); trm_launch() refuses them. */
enum trm_stage_argument_kind {
    TRM_ARGUMENT_PORT          = 16, /* what a token has in a port */
    TRM_ARGUMENT_PORT_ELEMENTS = 17, /* how many elements that is, as the parameter's integer type */
};

enum trm_access {
    TRM_ACCESS_READ  = 1u << 0,
    TRM_ACCESS_WRITE = 1u << 1,
};

/* One parameter of a kernel. A shader's are its buffers in the order of set and binding, then the members of its push
 * constants in the order of their offsets. A buffer is called what its instance is called, else its block's only
 * member, else its block. Native kernels may leave what follows `access` zero. */
struct trm_parameter {
    const char *name;
    int32_t kind;        /* enum trm_parameter_kind */
    int32_t type;        /* enum trm_type; of a buffer or block: of its elements, NONE when they differ */
    uint32_t access;     /* enum trm_access, of a buffer; 0 means both */
    uint32_t components; /* of an element: 2 to 4 for a vector, columns x rows of a matrix; 0 counts as 1 */
    uint32_t size;       /* bytes: of a scalar, block or BYTES; the least of a buffer */
    uint32_t stride;     /* of a buffer: bytes from one element to the next; 0 when it is not said */
    uint32_t set;        /* of a buffer: its descriptor set */
    uint32_t place;      /* of a buffer: its binding; else the offset in the push constants, in bytes */
};

struct trm_kernel_info {
    uint32_t struct_size;
    uint32_t parameter_count;
    const struct trm_parameter *parameters;
    const char *name;
    uint32_t group_size[3]; /* the kernel's own; 0: given at launch */
    uint32_t shared_bytes;  /* shared memory that the kernel itself declares */
};

/* What is known of a kernel. What it points to lives as long as the kernel. */
TRM_API int32_t trm_kernel_describe(struct trm_kernel *kernel, struct trm_kernel_info *info);

/* The grid that covers so many work-items: as many groups of the kernel's own size as it takes; the kernel itself must
 * leave out what is too many. No items are no launch. Errors: INVALID_ARGUMENT for a kernel without a size
 * of its own; OUT_OF_RANGE for more groups than 32 bits count. */
struct trm_grid;
TRM_API int32_t trm_kernel_grid(struct trm_kernel *kernel, uint64_t items_x, uint64_t items_y,
                                uint64_t items_z, struct trm_grid *grid);

/* One argument of a launch; made by the functions below. */
struct trm_argument {
    int32_t kind; /* enum trm_parameter_kind, enum trm_stage_argument_kind */
    int32_t type; /* enum trm_type, of a scalar */
    union {
        struct trm_span span;
        struct {
            const void *data;
            uint64_t size; /* bytes */
        } block;
        struct {
            uint64_t index; /* of the port */
            uint64_t element_bytes;
        } port;
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        float f32;
        uint64_t u64;
        int64_t i64;
        double f64;
    } value;
    const char *name; /* NULL: by position */
};

/* The argument of that name, wherever it stands: trm_arg_named("a", trm_arg_f32(2)). */
static inline struct trm_argument trm_arg_named(const char *name, struct trm_argument argument)
{
    argument.name = name;
    return argument;
}

/* `size` bytes, copied by the launch: a vec4 is four floats, and so on. */
static inline struct trm_argument trm_arg_block(const void *data, uint64_t size)
{
    struct trm_argument argument;
    argument.kind             = TRM_PARAMETER_BLOCK;
    argument.type             = TRM_TYPE_NONE;
    argument.value.block.data = data;
    argument.value.block.size = size;
    argument.name             = NULL;
    return argument;
}

static inline struct trm_argument trm_arg_span(struct trm_span span)
{
    struct trm_argument argument;
    argument.kind       = TRM_PARAMETER_BUFFER;
    argument.type       = TRM_TYPE_NONE;
    argument.name       = NULL;
    argument.value.span = span;
    return argument;
}

static inline struct trm_argument trm_arg_buffer(struct trm_buffer *buffer)
{
    return trm_arg_span(trm_span_whole(buffer));
}

/* In a stage of a pipeline: port number `index` of the token. */
static inline struct trm_argument trm_arg_port(uint32_t index)
{
    struct trm_argument argument;
    argument.kind                     = TRM_ARGUMENT_PORT;
    argument.type                     = TRM_TYPE_NONE;
    argument.value.port.index         = index;
    argument.value.port.element_bytes = 1;
    argument.name                     = NULL;
    return argument;
}

/* In a stage of a pipeline: the number of elements, of element_bytes each, that the token has in that port; an
 * incomplete one at the end counts. */
static inline struct trm_argument trm_arg_port_elements(uint32_t index, uint32_t element_bytes)
{
    struct trm_argument argument      = trm_arg_port(index);
    argument.kind                     = TRM_ARGUMENT_PORT_ELEMENTS;
    argument.value.port.element_bytes = element_bytes;
    return argument;
}

static inline struct trm_argument trm_arg_u32(uint32_t value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_U32;
    argument.name      = NULL;
    argument.value.u32 = value;
    return argument;
}

static inline struct trm_argument trm_arg_i32(int32_t value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_I32;
    argument.name      = NULL;
    argument.value.i32 = value;
    return argument;
}

static inline struct trm_argument trm_arg_u64(uint64_t value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_U64;
    argument.name      = NULL;
    argument.value.u64 = value;
    return argument;
}

static inline struct trm_argument trm_arg_i64(int64_t value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_I64;
    argument.name      = NULL;
    argument.value.i64 = value;
    return argument;
}

static inline struct trm_argument trm_arg_f32(float value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_F32;
    argument.name      = NULL;
    argument.value.f32 = value;
    return argument;
}

static inline struct trm_argument trm_arg_f64(double value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_F64;
    argument.name      = NULL;
    argument.value.f64 = value;
    return argument;
}

/* The shape of a launch. Zeros in groups and group_size count as 1 where another of the three is
 * not zero; a launch of no groups at all (all zero) does nothing. */
struct trm_grid {
    uint32_t groups[3];     /* work-groups in x, y, z */
    uint32_t group_size[3]; /* work-items of a group; all zero: the kernel's own */
    uint32_t shared_bytes;  /* shared memory besides the kernel's own */
    uint32_t reserved;
};

/* A grid of one dimension. No groups are no launch; group_size 0 is the kernel's own. */
static inline struct trm_grid trm_grid_1d(uint32_t groups, uint32_t group_size)
{
    struct trm_grid grid = {{groups, 1, 1}, {group_size, 1, 1}, 0, 0};
    if (groups == 0)
        grid.groups[1] = grid.groups[2] = 0;
    if (group_size == 0)
        grid.group_size[1] = grid.group_size[2] = 0;
    return grid;
}

/* Launch a kernel.
 *
 * arguments   one for each parameter; copied. In order, or by name (trm_arg_named()) in any order, or some in order and then the
 *             rest by name
 * Overlap     two arguments may be the same memory only where no work-item reads through one what another
 *             writes through the other: y = f(x) in place is fine on the cpu, and on other devices where the
 *             shader does not call its buffers restrict
 * Ownership   buffers and the kernel stay alive until the launch has finished, also if the program
 *             lets go of them
 * Errors      TYPE_MISMATCH naming the parameter and both types; INVALID_ARGUMENT for a wrong
 *             number; OUT_OF_RANGE for a span or a grid beyond the device; WRONG_DEVICE. A failure
 *             of the kernel itself (KERNEL) is the stream's.
 */
TRM_API int32_t trm_launch(struct trm_stream *stream, struct trm_kernel *kernel, const struct trm_grid *grid,
                           const struct trm_argument *arguments, uint32_t argument_count);

TRM_API_END

#endif
