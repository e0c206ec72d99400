/* Trireme: modules (loaded code), kernels (one entry of it) and launches.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_KERNEL_H
#define TRIREME_KERNEL_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/type.h>

TRM_API_BEGIN

/* What the bytes given to a module are. Which of them a device takes: trm_module_supported(). */
enum trm_module_format {
    TRM_MODULE_FUNCTIONS = 1, /* an array of struct trm_cpu_kernel (<trireme/cpu_kernel.h>) in this program */
    TRM_MODULE_SHARED_OBJECT = 2, /* the path of a shared object that exports trm_cpu_kernels_v1 */
};

struct trm_module_desc {
    uint32_t struct_size;
    int32_t format;   /* enum trm_module_format */
    const void *data; /* FUNCTIONS: struct trm_cpu_kernel[count], which outlives the module;
                         SHARED_OBJECT: the absolute path, with its zero */
    uint64_t size;    /* bytes of data */
    const char *name; /* for messages; may be NULL */
};

/* Load code.
 *
 * Blocks      while it is compiled, where it must be
 * Ownership   keeps the device alive; trm_module_destroy() ends it. Kernels keep the module alive
 * Errors      UNSUPPORTED format; NOT_FOUND; PERMISSION for a file or folder that others may write;
 *             BACKEND with the driver's words
 */
TRM_API int32_t trm_module_load(struct trm_device *device, const struct trm_module_desc *desc,
                                struct trm_module **module);
TRM_API void trm_module_destroy(struct trm_module *module);

/* TRM_OK or TRM_ERROR_UNSUPPORTED. */
TRM_API int32_t trm_module_supported(struct trm_device *device, int32_t format);

/* The kernel of that name in a module. Errors: NOT_FOUND, naming the kernels that there are. */
TRM_API int32_t trm_kernel_get(struct trm_module *module, const char *name, struct trm_kernel **kernel);
TRM_API void trm_kernel_destroy(struct trm_kernel *kernel);

enum trm_parameter_kind {
    TRM_PARAMETER_BUFFER = 1, /* a span; `type` is that of its elements, NONE when it is not said */
    TRM_PARAMETER_SCALAR = 2, /* a value of `type` */
};

enum trm_access {
    TRM_ACCESS_READ  = 1u << 0,
    TRM_ACCESS_WRITE = 1u << 1,
};

/* One parameter of a kernel. */
struct trm_parameter {
    const char *name;
    int32_t kind;    /* enum trm_parameter_kind */
    int32_t type;    /* enum trm_type */
    uint32_t access; /* enum trm_access, of a buffer; 0 means both */
    uint32_t reserved;
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

/* One argument of a launch; made by the functions below. */
struct trm_argument {
    int32_t kind; /* enum trm_parameter_kind */
    int32_t type; /* enum trm_type, of a scalar */
    union {
        struct trm_span span;
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
};

static inline struct trm_argument trm_arg_span(struct trm_span span)
{
    struct trm_argument argument;
    argument.kind       = TRM_PARAMETER_BUFFER;
    argument.type       = TRM_TYPE_NONE;
    argument.value.span = span;
    return argument;
}

static inline struct trm_argument trm_arg_buffer(struct trm_buffer *buffer)
{
    return trm_arg_span(trm_span_whole(buffer));
}

static inline struct trm_argument trm_arg_u32(uint32_t value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_U32;
    argument.value.u32 = value;
    return argument;
}

static inline struct trm_argument trm_arg_i32(int32_t value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_I32;
    argument.value.i32 = value;
    return argument;
}

static inline struct trm_argument trm_arg_u64(uint64_t value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_U64;
    argument.value.u64 = value;
    return argument;
}

static inline struct trm_argument trm_arg_i64(int64_t value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_I64;
    argument.value.i64 = value;
    return argument;
}

static inline struct trm_argument trm_arg_f32(float value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_F32;
    argument.value.f32 = value;
    return argument;
}

static inline struct trm_argument trm_arg_f64(double value)
{
    struct trm_argument argument;
    argument.kind      = TRM_PARAMETER_SCALAR;
    argument.type      = TRM_TYPE_F64;
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
 * arguments   one for each parameter, in order; copied
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
