/* cuda backend: NCCL's functions, opened at run time. Nothing of NCCL is included or linked: what is used of
 * nccl.h is written down here, as it has been since NCCL 2.18.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_COLLECTIVE_LIBRARY_H
#define CUDA_COLLECTIVE_LIBRARY_H

#include <stddef.h>

#include "backends/cuda/driver/driver.h"

/* ncclGetVersion(): 10000 * major + 100 * minor + patch. */
#define CUDA_NCCL_OLDEST 21800
#define CUDA_NCCL_NEXT_MAJOR 30000

/* ncclComm_t, of one rank. */
struct cuda_nccl_rank;

/* ncclResult_t; all other numbers are errors. */
enum cuda_nccl_result {
    CUDA_NCCL_SUCCESS     = 0,
    CUDA_NCCL_IN_PROGRESS = 7,
};

/* ncclDataType_t */
enum cuda_nccl_type {
    CUDA_NCCL_UINT8    = 1,
    CUDA_NCCL_INT32    = 2,
    CUDA_NCCL_INT64    = 4,
    CUDA_NCCL_FLOAT16  = 6,
    CUDA_NCCL_FLOAT32  = 7,
    CUDA_NCCL_FLOAT64  = 8,
    CUDA_NCCL_BFLOAT16 = 9,
};

/* ncclRedOp_t */
enum cuda_nccl_operation {
    CUDA_NCCL_SUM     = 0,
    CUDA_NCCL_MAXIMUM = 2,
    CUDA_NCCL_MINIMUM = 3,
    CUDA_NCCL_AVERAGE = 4,
};

/* Name of the function, and its parameters. All answer an ncclResult_t. */
#define CUDA_NCCL_FUNCTIONS(USE)                                                                            \
    USE(ncclGetVersion, (int *version))                                                                     \
    USE(ncclCommInitAll, (struct cuda_nccl_rank * *ranks, int count, const int *devices))                   \
    USE(ncclCommDestroy, (struct cuda_nccl_rank * rank))                                                    \
    USE(ncclCommAbort, (struct cuda_nccl_rank * rank))                                                      \
    USE(ncclCommGetAsyncError, (struct cuda_nccl_rank * rank, int *result))                                 \
    USE(ncclGroupStart, (void))                                                                             \
    USE(ncclGroupEnd, (void))                                                                               \
    USE(ncclAllReduce, (const void *from, void *to, size_t count, int type, int operation,                  \
                        struct cuda_nccl_rank *rank, CUstream stream))                                      \
    USE(ncclReduce, (const void *from, void *to, size_t count, int type, int operation, int root,           \
                     struct cuda_nccl_rank *rank, CUstream stream))                                         \
    USE(ncclReduceScatter, (const void *from, void *to, size_t count, int type, int operation,              \
                            struct cuda_nccl_rank *rank, CUstream stream))                                  \
    USE(ncclBroadcast, (const void *from, void *to, size_t count, int type, int root,                       \
                        struct cuda_nccl_rank *rank, CUstream stream))                                      \
    USE(ncclAllGather,                                                                                      \
        (const void *from, void *to, size_t count, int type, struct cuda_nccl_rank *rank, CUstream stream)) \
    USE(ncclSend,                                                                                           \
        (const void *from, size_t count, int type, int peer, struct cuda_nccl_rank *rank, CUstream stream)) \
    USE(ncclRecv, (void *to, size_t count, int type, int peer, struct cuda_nccl_rank *rank, CUstream stream))

/* A stream of a device for NCCL, which all communicators share: so their operations come in one order on all
 * devices and never wait for each other in a circle. */
struct cuda_nccl_lane {
    CUstream stream;
    uint32_t users; /* communicators; 0: there is no stream */
};

struct cuda_nccl {
    void *library;
    int32_t status;   /* TRM_OK: it can be used; else why not, with `reason` */
    char reason[640]; /* a sentence */
    int version;
    char name[32]; /* "NCCL 2.28.9" */
    const char *(*ncclGetErrorString)(int result);
#define CUDA_NCCL_MEMBER(name, parameters) int(*name) parameters; // NOLINT(bugprone-macro-parentheses)
    CUDA_NCCL_FUNCTIONS(CUDA_NCCL_MEMBER)
#undef CUDA_NCCL_MEMBER

    /* Calls of NCCL that enqueue or begin something, and `lanes`; not those that end a communicator, which
     * may wait for others. Taken before all locks but those of quiet devices. Nothing under it fails a stream
     * or a device. */
    pthread_mutex_t lock;
    struct cuda_nccl_lane *lanes;  /* by the device's index; as many as there are devices */
    struct cuda_outcome *failures; /* of communicators that have failed, for streams that ask later */
};

/* NCCL of an instance, which is opened once. Errors: UNSUPPORTED with the reason, also of an earlier try;
 * PERMISSION; OUT_OF_HOST_MEMORY. */
int32_t cuda_nccl_get(struct trm_backend_instance *instance, struct cuda_nccl **nccl);

#endif
