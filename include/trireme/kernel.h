/* Trireme: modules (loaded code), kernels (the entry points of a module) and launches.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * device      the device that runs the code
 * module      the module, or for trm_module_load() receives it
 * kernel      the kernel, or for a function that finds one receives it
 * Blocks      no
 * Threads     any
 * Ownership   a module keeps its device alive, a kernel its module, an enqueued launch its kernel and
 *             buffers; the handles may be destroyed in any order
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_KERNEL_H
#define TRIREME_KERNEL_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/type.h>

TRM_API_BEGIN

/* The format of a module's data. trm_module_supported() says whether a device takes it. The first two are
 * native code of the cpu, the last three native code of NVIDIA's devices (backend cuda). The others are
 * portable: they name or contain a shader (<trireme/shader.h>), and a device that takes SPIR-V takes them
 * all. */
enum trm_module_format {
    TRM_MODULE_FUNCTIONS = 1, /* an array of struct trm_cpu_kernel (<trireme/cpu_kernel.h>) in this program */
    TRM_MODULE_SHARED_OBJECT = 2, /* the path of a shared object that exports trm_cpu_kernels_v1 */
    TRM_MODULE_SPIRV         = 3, /* a SPIR-V module in either byte order */
    TRM_MODULE_GLSL          = 4, /* a GLSL compute shader as text; needs glslc or libshaderc */
    TRM_MODULE_NAMED         = 5, /* the name of an installed kernel with its terminating zero: "axpy" */
    TRM_MODULE_SHADER        = 6, /* a struct trm_shader * */
    TRM_MODULE_CUBIN         = 7, /* a cubin or a fat binary, as nvcc and NVRTC make them */
    TRM_MODULE_PTX           = 8, /* PTX as text; the driver compiles it for the device */
    TRM_MODULE_CUDA          = 9, /* CUDA C++ as text; needs NVRTC at run time, to compile it */
};

/* The value of a specialization constant, which is found by its name, or by its id where name is NULL. */
struct trm_constant {
    const char *name;
    uint32_t id;   /* constant_id in the shader; ignored when there is a name */
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
    int32_t format; /* enum trm_module_format */
    /* FUNCTIONS: struct trm_cpu_kernel[count], which outlives the module
     * SHARED_OBJECT: the absolute path with its terminating zero
     * SPIRV, GLSL: the code; copied
     * NAMED: the name with its terminating zero
     * SHADER: the handle itself, which may be destroyed after the call
     * CUBIN, PTX, CUDA: the code; needed during the call only; a text may end with a zero */
    const void *data;
    uint64_t size; /* bytes of data; 0 for SHADER */
    /* for messages, and the name of a kernel that the shader calls "main"; may be NULL */
    const char *name;
    /* specialization constants of portable formats; those that are not listed have their defaults */
    const struct trm_constant *constants;
    uint32_t constant_count;
    uint32_t reserved;
    const struct trm_glsl_options *glsl;     /* of GLSL; may be NULL */
    const struct trm_native_options *native; /* of CUBIN, PTX and CUDA; may be NULL */
};

/* What native code of a device does not contain. */
struct trm_native_options {
    uint32_t struct_size;
    uint32_t kernel_count;
    /* The interfaces of kernels, by name: their parameters in order and, where all launches have the same
     * one, the group size. A kernel that is not listed has parameters of kind TRM_PARAMETER_BYTES without
     * names, in the number and sizes that the driver reports. Drivers before CUDA 12.4 do not report them:
     * with those, every kernel must be listed. The list is checked against the driver's report. Needed during
     * the call only. */
    const struct trm_kernel_info *kernels;
    /* CUDA only: further options for NVRTC, such as "-DWIDTH=4", "-I/usr/local/cuda/include" or
     * "--use_fast_math". The architecture is the device's unless one of them sets another. */
    const char *const *compiler_options;
    uint32_t compiler_option_count;
    uint32_t reserved;
};

/* Load code.
 *
 * desc        needed during the call only, except the data of TRM_MODULE_FUNCTIONS
 * Blocks      while code is compiled
 * Ownership   the caller destroys the module with trm_module_destroy()
 * Errors      UNSUPPORTED for a format that the device does not take, for an instruction that it cannot run,
 *             named with its source line, or without a compiler that is needed, saying what to install;
 *             NOT_FOUND for a file or name that does not exist; PERMISSION for a file or folder that other
 *             users may write; INVALID_ARGUMENT for a module that is not valid, or a constant that it does
 *             not have; TYPE_MISMATCH for a constant of another type; BACKEND with the message of the
 *             compiler or driver
 */
TRM_API int32_t trm_module_load(struct trm_device *device, const struct trm_module_desc *desc,
                                struct trm_module **module);

/* Destroy a module. The code stays until its kernels are destroyed and its launches are done. */
TRM_API void trm_module_destroy(struct trm_module *module);

/* Ask whether a device takes a format: TRM_OK when it does.
 *
 * format      enum trm_module_format
 * Errors      UNSUPPORTED when it does not
 */
TRM_API int32_t trm_module_supported(struct trm_device *device, int32_t format);

/* Compile a portable module for a device ahead of time, into a file (a shared object on the cpu) instead of
 * memory. An existing file is replaced when the new one is complete.
 *
 * desc        a module of a portable format
 * flags       enum trm_build_flag
 * path        of the file
 * Blocks      while code is compiled
 * Ownership   nothing is kept
 * Errors      as of trm_module_load(); INVALID_ARGUMENT also for native code, unknown flags or no path;
 *             UNSUPPORTED also for a device that loads no such files; BACKEND for a path that cannot be
 *             written
 */
enum trm_build_flag {
    TRM_BUILD_PORTABLE = 1u << 0, /* for every processor of the architecture, not only this one */
};
TRM_API int32_t trm_module_build(struct trm_device *device, const struct trm_module_desc *desc,
                                 uint32_t flags, const char *path);

/* Find a kernel of a module.
 *
 * name        NULL: the only kernel of the module
 * Blocks      while the driver compiles the kernel, where it does that here
 * Ownership   the caller destroys the kernel with trm_kernel_destroy()
 * Errors      NOT_FOUND, naming the kernels of the module; INVALID_ARGUMENT when name is NULL and the module
 *             has several kernels, or does not list them
 */
TRM_API int32_t trm_kernel_get(struct trm_module *module, const char *name, struct trm_kernel **kernel);

/* Find an installed kernel by its name ("axpy"). Does the same as trm_module_load() with TRM_MODULE_NAMED,
 * trm_kernel_get() with NULL, and trm_module_destroy().
 *
 * name        of the kernel
 * constants   `constant_count` specialization constants; NULL and 0: all have their defaults
 * Blocks      while code is compiled
 * Ownership   the caller destroys the kernel with trm_kernel_destroy()
 * Errors      as of trm_module_load(): NOT_FOUND for an unknown name; UNSUPPORTED when the device cannot run
 *             the kernel, or there is neither code for the device nor a compiler; INVALID_ARGUMENT or
 *             TYPE_MISMATCH for a constant
 */
TRM_API int32_t trm_kernel_named(struct trm_device *device, const char *name,
                                 const struct trm_constant *constants, uint32_t constant_count,
                                 struct trm_kernel **kernel);

/* Destroy a kernel. Launches that are enqueued run to their end. */
TRM_API void trm_kernel_destroy(struct trm_kernel *kernel);

enum trm_parameter_kind {
    TRM_PARAMETER_BUFFER = 1, /* a span; `type` is that of its elements, NONE when it is unknown */
    TRM_PARAMETER_SCALAR = 2, /* a value of `type` */
    TRM_PARAMETER_BLOCK  = 3, /* `size` bytes: a vector, matrix, array or struct, laid out as in the shader */
    /* `size` bytes of native code whose type is unknown: takes a scalar or a block of exactly that size, or,
     * where it is the size of an address (8), a span */
    TRM_PARAMETER_BYTES = 4,
    /* Of <trireme/image.h>. `type` is what a texel is read as (F32, I32 or U32), `size` its enum
     * trm_image_type, `stride` its enum trm_format (NONE: any), and `access` as for a buffer. */
    TRM_PARAMETER_IMAGE         = 5, /* a level of a storage image */
    TRM_PARAMETER_TEXTURE       = 6, /* a sampled image without a sampler */
    TRM_PARAMETER_SAMPLER       = 7, /* a sampler; `type` is NONE */
    TRM_PARAMETER_SAMPLED_IMAGE = 8, /* a sampled image with its sampler */
    TRM_PARAMETER_TEXELS        = 9, /* a span whose elements have a format: a texel buffer */
};

/* An array of buffers, images, samplers or texel buffers ("buffer Part { float x[]; } parts[4];") has the
 * kind of its elements, this bit, and the number of elements from bit 16 on: 0 where each launch gives it,
 * from 1 to TRM_ARRAY_MOST. Arrays of arrays are one array, the last index of which counts fastest. The other
 * members describe an element. */
#define TRM_PARAMETER_ARRAY 0x100
#define TRM_ARRAY_MOST 64u /* elements of an array whose number the launch gives */

/* Kinds of arguments that only stages of pipelines take (<trireme/pipeline.h>). */
enum trm_stage_argument_kind {
    TRM_ARGUMENT_PORT          = 16, /* what a token has in a port: a span, or an image */
    TRM_ARGUMENT_PORT_ELEMENTS = 17, /* its number of elements, as the parameter's integer type */
    TRM_ARGUMENT_PORT_IMAGE    = 18, /* the image of a token in a port, with a level and a sampler */
};

/* A kind of argument that no parameter takes; see trm_arg_reached(). */
enum trm_reached_argument_kind {
    TRM_ARGUMENT_REACHED = 32,
};

/* The kind of an argument for an array of buffers, images, samplers or texel buffers: trm_arg_array(). */
#define TRM_ARGUMENT_ARRAY 33

enum trm_access {
    TRM_ACCESS_READ  = 1u << 0,
    TRM_ACCESS_WRITE = 1u << 1,
};

/* A parameter of a kernel. The parameters of a shader are its buffers, in the order of set and binding, and
 * then the members of its push constants, in the order of their offsets. A buffer has the name of its
 * instance, else of its block's only member, else of its block. Buffers of one set and binding are one
 * parameter (trm_shader_view() lists the others). Native kernels may leave the members after `access`
 * zero. */
struct trm_parameter {
    const char *name;
    int32_t kind;    /* enum trm_parameter_kind; of an array see TRM_PARAMETER_ARRAY */
    int32_t type;    /* enum trm_type; of a buffer or block: of its elements, NONE when they differ */
    uint32_t access; /* of a buffer: enum trm_access; 0 counts as both */
    /* Of an element: 2 to 4 of a vector, columns x rows of a matrix; 0 counts as 1. Of a sampled image: 1 if
     * it is compared with a depth (sampler2DShadow). */
    uint32_t components;
    uint32_t size;   /* bytes of a scalar, block or BYTES; the least bytes of a buffer */
    uint32_t stride; /* of a buffer: bytes from one element to the next; 0 when unknown */
    uint32_t set;    /* of a buffer: its descriptor set */
    uint32_t place;  /* of a buffer: its binding; else its offset in the push constants, in bytes */
};

/* Is the parameter an array? */
static inline int trm_parameter_is_array(const struct trm_parameter *parameter)
{
    return (parameter->kind & TRM_PARAMETER_ARRAY) != 0;
}

/* The kind of a parameter, of an array that of its elements (enum trm_parameter_kind). */
static inline int32_t trm_parameter_element(const struct trm_parameter *parameter)
{
    return trm_parameter_is_array(parameter) ? parameter->kind & 0xff : parameter->kind;
}

/* The elements of an array, 0 where the launch gives their number; 1 for other parameters. */
static inline uint32_t trm_parameter_count(const struct trm_parameter *parameter)
{
    return trm_parameter_is_array(parameter) ? (uint32_t)parameter->kind >> 16 : 1;
}

struct trm_kernel_info {
    uint32_t struct_size;
    uint32_t parameter_count;
    const struct trm_parameter *parameters;
    const char *name;
    uint32_t group_size[3]; /* fixed by the kernel; 0: each launch sets it */
    uint32_t shared_bytes;  /* shared memory that the kernel itself declares */
};

/* Describe a kernel.
 *
 * info        the caller sets its struct_size
 * Ownership   what `info` points to lives as long as the kernel
 */
TRM_API int32_t trm_kernel_describe(struct trm_kernel *kernel, struct trm_kernel_info *info);

/* Make the grid that covers a number of work-items with groups of the kernel's own size. The last groups may
 * have more work-items than needed, and the kernel must skip those. Without work-items, the grid has no
 * groups.
 *
 * items_x, items_y, items_z  work-items
 * grid        receives the grid
 * Errors      INVALID_ARGUMENT for a kernel without a group size of its own; OUT_OF_RANGE for more groups
 *             than 32 bits count
 */
struct trm_grid;
TRM_API int32_t trm_kernel_grid(struct trm_kernel *kernel, uint64_t items_x, uint64_t items_y,
                                uint64_t items_z, struct trm_grid *grid);

/* An argument of a launch. The functions below make one. */
struct trm_argument {
    int32_t kind; /* enum trm_parameter_kind, enum trm_stage_argument_kind, TRM_ARGUMENT_ARRAY */
    /* enum trm_type, of a scalar; enum trm_format, of TEXELS, whose value is a span, and of a port of
     * texels */
    int32_t type;
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
        struct {
            uint64_t index;              /* of the port */
            struct trm_sampler *sampler; /* NULL where there is none */
            uint32_t level;              /* as of `image` */
        } port_image;
        struct {
            struct trm_image *image;     /* NULL for a sampler alone */
            struct trm_sampler *sampler; /* NULL where there is none */
            uint32_t level;              /* of a storage image; the first of a sampled image */
        } image;
        struct {
            const struct trm_argument *elements;
            uint64_t count;
        } array;
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

/* The argument of the parameter `name`, in any place of the list: trm_arg_named("a", trm_arg_f32(2)). */
static inline struct trm_argument trm_arg_named(const char *name, struct trm_argument argument)
{
    argument.name = name;
    return argument;
}

/* A block of `size` bytes, which the launch copies: a vec4 is four floats. */
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

/* Not a parameter's argument, but a buffer that the kernel reaches through an address (trm_buffer_address()),
 * which it reads or writes. Such arguments follow all others, in any number and order. They keep the buffers'
 * memory until the launch is done, and make trm_buffer_wait() and trm_buffer_map() wait for it. Stages of
 * pipelines have none: a program keeps those buffers itself while the pipeline runs. */
static inline struct trm_argument trm_arg_reached(struct trm_buffer *buffer)
{
    struct trm_argument argument = trm_arg_buffer(buffer);
    argument.kind                = TRM_ARGUMENT_REACHED;
    return argument;
}

/* An array of buffers, images, samplers or texel buffers.
 *
 * elements    `count` arguments of the parameter's kind, in the order of the shader's indices; none has a
 *             name. They are needed during the launch only (by a stage: while the pipeline is created)
 * count       as many as the parameter has; where it leaves the number open, from 1 to TRM_ARRAY_MOST
 */
static inline struct trm_argument trm_arg_array(const struct trm_argument *elements, uint32_t count)
{
    struct trm_argument argument;
    argument.kind                 = TRM_ARGUMENT_ARRAY;
    argument.type                 = TRM_TYPE_NONE;
    argument.name                 = NULL;
    argument.value.array.elements = elements;
    argument.value.array.count    = count;
    return argument;
}

/* In a stage of a pipeline: the token's span in port number `index`; of a port that is an image, that image:
 * level 0 of it as a storage image, all levels as a sampled one. */
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

/* In a stage of a pipeline: the number of elements, of `element_bytes` bytes each, that the token has in port
 * number `index`. A port, or the part of it that a token fills, has a whole number of elements:
 * trm_pipeline_create() and submitting a token refuse any other with INVALID_ARGUMENT. */
static inline struct trm_argument trm_arg_port_elements(uint32_t index, uint32_t element_bytes)
{
    struct trm_argument argument      = trm_arg_port(index);
    argument.kind                     = TRM_ARGUMENT_PORT_ELEMENTS;
    argument.value.port.element_bytes = element_bytes;
    return argument;
}

/* In a stage of a pipeline: a level of the token's image in port number `index`, as a storage image. */
static inline struct trm_argument trm_arg_port_level(uint32_t index, uint32_t level)
{
    struct trm_argument argument      = trm_arg_port(index);
    argument.kind                     = TRM_ARGUMENT_PORT_IMAGE;
    argument.value.port_image.sampler = NULL;
    argument.value.port_image.level   = level;
    return argument;
}

/* In a stage of a pipeline: the token's image in port number `index` with a sampler. */
static inline struct trm_argument trm_arg_port_sampled(uint32_t index, struct trm_sampler *sampler)
{
    struct trm_argument argument      = trm_arg_port_level(index, 0);
    argument.value.port_image.sampler = sampler;
    return argument;
}

/* In a stage of a pipeline: the token's span in port number `index` as a texel buffer.
 *
 * format      enum trm_format
 */
static inline struct trm_argument trm_arg_port_texels(uint32_t index, int32_t format)
{
    struct trm_argument argument = trm_arg_port(index);
    argument.type                = format;
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

/* The shape of a launch. In `groups` and `group_size`, a 0 counts as 1 where another of the three is not 0. A
 * launch whose groups are all 0 does nothing. */
struct trm_grid {
    uint32_t groups[3];     /* work-groups in x, y, z */
    uint32_t group_size[3]; /* work-items of a group in x, y, z; all 0: the kernel's own */
    uint32_t shared_bytes;  /* shared memory in addition to the kernel's own */
    uint32_t reserved;
};

/* A grid of one dimension. With 0 groups the launch does nothing; group_size 0 is the kernel's own. */
static inline struct trm_grid trm_grid_1d(uint32_t groups, uint32_t group_size)
{
    struct trm_grid grid = {{groups, 1, 1}, {group_size, 1, 1}, 0, 0};
    if (groups == 0)
        grid.groups[1] = grid.groups[2] = 0;
    if (group_size == 0)
        grid.group_size[1] = grid.group_size[2] = 0;
    return grid;
}

/* Enqueue a launch of a kernel.
 *
 * Two arguments may share memory only where no work-item reads through one what another work-item writes
 * through the other. Which items these are depends on the kernel, so it is not checked; with the setting
 * kernel.bounds a warning says, once for each kernel, that spans overlap in part and one is written. Buffers
 * may belong to other devices that the stream's device can access (trm_device_can_access()); the program sees
 * to the order of the work on them. y = f(x) in place, with the same span twice, is correct on the cpu, and
 * on other devices when the shader does not declare its buffers restrict.
 *
 * stream      the stream; it may record into a graph
 * grid        the shape
 * arguments   one for each parameter; copied. They are in the order of the parameters, or have names
 *             (trm_arg_named()), or the first ones are in order and the rest have names
 * argument_count  their number
 * Threads     one at a time for each stream
 * Ownership   buffers and kernel stay until the launch is done, also if the program destroys their handles
 * Errors      TYPE_MISMATCH, naming the parameter and both types; INVALID_ARGUMENT for a wrong number or
 *             name, another group size than the kernel's own, or an offset that is not a multiple of
 *             TRM_DEVICE_BUFFER_ALIGNMENT or, on every device, of the alignment of the buffer's elements;
 *             OUT_OF_RANGE for a span past the end of its buffer or below the parameter's size, or a grid
 *             beyond the device's limits; WRONG_DEVICE; the stream's first failure. When the kernel itself
 *             fails, the stream fails with KERNEL
 */
TRM_API int32_t trm_launch(struct trm_stream *stream, struct trm_kernel *kernel, const struct trm_grid *grid,
                           const struct trm_argument *arguments, uint32_t argument_count);

TRM_API_END

#endif
