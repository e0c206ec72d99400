/* What the files of the stand-in for NCCL share.
 * SPDX-License-Identifier: MIT
 */
#ifndef NCCL_STANDIN_INTERNAL_H
#define NCCL_STANDIN_INTERNAL_H

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <stdbool.h>
#include <stddef.h>

#include "tests/standin/nccl.h"

enum nccl_kind {
    NCCL_ALL_REDUCE,
    NCCL_REDUCE,
    NCCL_REDUCE_SCATTER,
    NCCL_BROADCAST,
    NCCL_ALL_GATHER,
    NCCL_SEND,
    NCCL_RECEIVE,
};

/* The ranks that were made together. */
struct nccl_clique {
    int count;
    int references; /* of ranks and works, and while it is made */
    int running;    /* works under way */
    bool is_aborted;
};

struct nccl_rank {
    struct nccl_clique *clique;
    CUcontext context;
    int rank, device;
};

/* A call of one rank. */
struct nccl_request {
    const char *function;
    enum nccl_kind kind;
    const void *from;
    void *to;
    size_t count;
    int type, operation;
    int peer; /* or the root */
    struct nccl_rank *rank;
    CUstream stream;
};

/* The calls of a group. */
struct nccl_work {
    int references; /* of the thread that enqueues it, and of its function */
    struct nccl_clique *clique;
    struct nccl_request *requests;
    uint32_t count;
    bool hangs;
    struct nccl_work *next, **link; /* in the list of those whose function has not run */
};

/* Have all ranks made the same calls, and is each send received? */
bool nccl_check(const struct nccl_work *work);
/* Does it all. */
void nccl_compute(const struct nccl_work *work);

/* ---- what the library exports, as in nccl.h -------------------------------------------------- */

#pragma GCC visibility push(default)
int ncclGetVersion(int *version);
const char *ncclGetErrorString(int result);
int ncclCommInitAll(struct nccl_rank **ranks, int number, const int *devices);
int ncclCommDestroy(struct nccl_rank *rank);
int ncclCommAbort(struct nccl_rank *rank);
int ncclCommGetAsyncError(struct nccl_rank *rank, int *error);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void *from, void *to, size_t number, int type, int operation, struct nccl_rank *rank,
                  CUstream stream);
int ncclReduce(const void *from, void *to, size_t number, int type, int operation, int root,
               struct nccl_rank *rank, CUstream stream);
int ncclReduceScatter(const void *from, void *to, size_t number, int type, int operation,
                      struct nccl_rank *rank, CUstream stream);
int ncclBroadcast(const void *from, void *to, size_t number, int type, int root, struct nccl_rank *rank,
                  CUstream stream);
int ncclAllGather(const void *from, void *to, size_t number, int type, struct nccl_rank *rank,
                  CUstream stream);
int ncclSend(const void *from, size_t number, int type, int peer, struct nccl_rank *rank, CUstream stream);
int ncclRecv(void *to, size_t number, int type, int peer, struct nccl_rank *rank, CUstream stream);
extern const struct nccl_standin_control nccl_standin_control;
#pragma GCC visibility pop

#endif
