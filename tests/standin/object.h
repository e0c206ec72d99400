/* What the stand-ins for NVRTC and for the driver agree on: an object made of CUDA C for the CPU, and what it
 * wants of the driver. For C and C++; needs no other header.
 *
 * An image of code is an ELF file as a cubin is one: its machine is CUDA, its flags have the architecture.
 * The padding behind e_ident says that it is no real one (STANDIN_MARK); what it has to be for the CPU is
 * STANDIN_MACHINE_CPU.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STANDIN_OBJECT_H
#define CUDA_STANDIN_OBJECT_H

#define STANDIN_MARK "TRMCPU"    /* e_ident[9…14], where a real file has zeros */
#define STANDIN_MACHINE_CUDA 190 /* e_machine */
#define STANDIN_IS_PTX 256       /* in e_flags, beside the architecture (90: 9.0) */
#ifdef __aarch64__
#define STANDIN_MACHINE_CPU 183
#else
#define STANDIN_MACHINE_CPU 62
#endif
#define STANDIN_OBJECT_SYMBOL "standin_object"
#define STANDIN_DYNAMIC_BYTES (256 * 1024)

struct standin_index {
    unsigned int x, y, z;
};

/* Where the work-item that runs now is. One launch of an object at a time. */
struct standin_item {
    struct standin_index thread, block, threads, blocks;
};

enum standin_collective {
    STANDIN_SHUFFLE = 1, /* the value of another lane: argument */
    STANDIN_SHUFFLE_UP,
    STANDIN_SHUFFLE_DOWN,
    STANDIN_SHUFFLE_XOR,
    STANDIN_BALLOT,
    STANDIN_MATCH, /* the lanes that have the same value */
    STANDIN_SYNC,
};

/* What a work-item asks of those that it runs with. */
struct standin_runtime {
    void (*barrier)(void);
    /* A barrier that counts those for which `predicate` holds. */
    unsigned int (*barrier_count)(int predicate);
    unsigned int (*active_mask)(const void *place);
    unsigned long long (*collective)(enum standin_collective collective, unsigned int mask,
                                     unsigned long long value, unsigned int argument, unsigned int width);
    unsigned int (*lane)(void);
    void (*trap)(void);
    void (*exit)(void); /* of the work-item */
    /* Four channels of a texture object. */
    void (*sample)(unsigned long long texture, float u, float v, float result[4]);
};

struct standin_parameter {
    unsigned int offset, size;
};

struct standin_kernel {
    const char *name;
    /* All work-items of a group one after the other, or the one of now. */
    void (*group)(void **parameters);
    void (*item)(void **parameters);
    const struct standin_parameter *parameters;
    unsigned int parameter_count, parameter_bytes;
    unsigned int items_most; /* of __launch_bounds__; 0: it has none */
};

struct standin_object {
    unsigned int size; /* of this struct */
    int is_collective; /* work-items wait for each other */
    const struct standin_kernel *kernels;
    unsigned int kernel_count;
    unsigned int capability; /* 90: 9.0 */
    struct standin_item *item;
    const struct standin_runtime **runtime;
    unsigned char *dynamic; /* STANDIN_DYNAMIC_BYTES */
};

#endif
