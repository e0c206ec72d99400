/* The stand-in for NCCL: a library that does collectives on the stand-in for CUDA's driver, for tests. Give
 * its absolute path to the setting cuda.nccl. What a test program sees of it.
 *
 * As with NCCL, the work of all ranks begins when all their streams have come to it, a call leaves another
 * context current, and work that hangs ends when it is aborted. Ranks are checked: each must have the same
 * calls in one group, with memory of its device.
 * SPDX-License-Identifier: MIT
 */
#ifndef NCCL_STANDIN_NCCL_H
#define NCCL_STANDIN_NCCL_H

#include <stdint.h>

#define NCCL_STANDIN_CONTROL_SYMBOL "nccl_standin_control"
#define NCCL_STANDIN_NAME "NCCL 2.28.9"

struct nccl_standin_control {
    /* The next call of the function has no effect and answers `result`; NULL: none does. */
    void (*fail_next)(const char *function, int result);
    /* Work that is enqueued from now on does not end before it is aborted; 0: it does. */
    void (*hang)(int hangs);
    /* What ncclCommGetAsyncError() tells from now on. */
    void (*set_error)(int result);
    /* What ncclGetVersion() tells from now on. */
    void (*set_version)(int version);
    uint64_t (*calls)(const char *function); /* since the library was loaded, also those that failed */
    uint64_t (*living)(void);                /* ranks that were neither destroyed nor aborted */
    uint64_t (*aborted)(void);               /* ranks that were */
};

#endif
