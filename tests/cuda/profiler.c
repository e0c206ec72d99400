/* A profiler that counts ranges. The headers of NVTX load it inside the backend, and the test queries it.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/profiler.h"

#include <stdio.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExtCuda.h>)
#define HAS_NVTX 1
#endif
#endif

#define EXPORT __attribute__((visibility("default")))

EXPORT extern struct cuda_test_profiler cuda_test_profiler;
struct cuda_test_profiler cuda_test_profiler = {
#ifdef HAS_NVTX
    .has_nvtx = 1,
#endif
};

#ifdef HAS_NVTX

#define NVTX_AS_SYSTEM_HEADER
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>

static _Thread_local int depth;
static char domain_of_ours;

static void add(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static nvtxDomainHandle_t NVTX_API domain_create(const char *name)
{
    snprintf(cuda_test_profiler.domain, sizeof(cuda_test_profiler.domain), "%s", name);
    return (nvtxDomainHandle_t)(void *)&domain_of_ours;
}

static int NVTX_API range_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *range)
{
    if ((const void *)domain != &domain_of_ours || range->messageType != NVTX_MESSAGE_TYPE_ASCII)
        return -1;
    const char *name = range->message.ascii;
    add(&cuda_test_profiler.begun);
    add(strcmp(name, "token") == 0      ? &cuda_test_profiler.tokens
        : strcmp(name, "upload") == 0   ? &cuda_test_profiler.uploads
        : strcmp(name, "download") == 0 ? &cuda_test_profiler.downloads
                                        : &cuda_test_profiler.named);
    if (range->payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 &&
        range->payload.ullValue > cuda_test_profiler.number)
        cuda_test_profiler.number = range->payload.ullValue;
    return depth++;
}

static int NVTX_API range_pop(nvtxDomainHandle_t domain)
{
    (void)domain;
    add(&cuda_test_profiler.ended);
    if (depth == 0)
        add(&cuda_test_profiler.below);
    return --depth;
}

static void NVTX_API name_stream(CUstream stream, const char *name)
{
    if (stream != NULL && name[0] != '\0')
        add(&cuda_test_profiler.streams);
}

/* Put a function of the profiler into a slot of an NVTX table. */
static void set(NvtxFunctionTable table, unsigned int size, unsigned int place, NvtxFunctionPointer function)
{
    if (place < size && table[place] != NULL)
        *table[place] = function;
}

EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableCallbacks *callbacks = get_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table                   = NULL;
    unsigned int size                         = 0;

    if (callbacks == NULL)
        return 0;
    if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
        return 0;
    set(table, size, NVTX_CBID_CORE2_DomainCreateA, (NvtxFunctionPointer)domain_create);
    set(table, size, NVTX_CBID_CORE2_DomainRangePushEx, (NvtxFunctionPointer)range_push);
    set(table, size, NVTX_CBID_CORE2_DomainRangePop, (NvtxFunctionPointer)range_pop);
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CUDA, &table, &size))
        set(table, size, NVTX_CBID_CUDA_NameCuStreamA, (NvtxFunctionPointer)name_stream);
    return 1;
}

#endif
