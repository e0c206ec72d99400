/* cuda backend: a resident graph.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_RESIDENT_GRAPH_H
#define CUDA_RESIDENT_GRAPH_H

#include "backends/cuda/driver/driver.h"

#define CUDA_RESIDENT_COPY UINT32_MAX /* cuda_resident_record.kernel of a copy */

/* As text.c has it. */
struct cuda_resident_record {
    uint32_t kernel, groups[3];
    uint64_t at, from, bytes; /* of a launch: where its arguments are in the table; of a copy: addresses */
};

struct cuda_resident_node {
    int32_t kind;                            /* enum trm_graph_node_kind */
    const struct trm_backend_kernel *kernel; /* the layout of a launch's arguments as translated here */
    uint32_t number;                         /* of the kernel in the program */
    uint32_t at;                             /* of the arguments in the table */
    uint32_t items;                          /* of a group of a launch */
};

struct cuda_resident;

struct cuda_resident_graph {
    struct trm_backend_device *device;
    uint64_t size;                     /* of the allocation */
    struct trm_backend_module *module; /* the program; its kernels are layouts alone */
    struct cuda_resident
        *stream; /* whose kernel is of this graph; NULL: none. Under the device's quiet_lock */
    CUfunction function;
    uint32_t threads;         /* of a group of the program */
    uint32_t groups;          /* of its launch */
    _Atomic uint32_t version; /* counts changes of the table */
    void *table;              /* host memory: records, then arguments */
    CUdeviceptr table_address;
    uint32_t table_bytes;
    uint32_t count;
    struct cuda_resident_node nodes[];
};

/* ---- program.c ------------------------------------------------------------------------------ */

/* Compile the kernels of the nodes into graph->module, and set function, threads and the nodes' kernels.
 * Errors: UNSUPPORTED with the reason; those of translating, compiling and loading. */
int32_t cuda_resident_program_create(struct cuda_resident_graph *graph,
                                     const struct trm_graph_node *const *nodes);

/* ---- graph.c -------------------------------------------------------------------------------- */

extern const struct trm_graph_ops cuda_resident_graph_ops;

#endif
