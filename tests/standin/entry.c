/* How functions are found by name.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/standin/standin.h"

#define STANDIN_ENTRY(symbol, name, version, fallible) {#symbol, #name, version, (void *)(symbol)},
static const struct {
    const char *symbol, *name;
    int version;
    void *function;
} entries[STANDIN_FUNCTION_COUNT] = {STANDIN_FUNCTIONS(STANDIN_ENTRY)};
#undef STANDIN_ENTRY

/* The number of the youngest that is not younger than `version`; -1: none. *is_known: one of another version
 * is there. */
static int find(const char *name, int version, bool *is_known)
{
    int found = -1;

    *is_known = false;
    for (int i = 0; i < STANDIN_FUNCTION_COUNT; i++) {
        if (strcmp(entries[i].name, name) != 0 || entries[i].version > standin_config.driver ||
            standin_is_missing(entries[i].symbol, name))
            continue;
        *is_known = true;
        if (entries[i].version <= version && (found < 0 || entries[i].version > entries[found].version))
            found = i;
    }
    return found;
}

CUresult CUDAAPI cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult *symbolStatus)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    bool is_known;

    if (symbol == NULL || pfn == NULL || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = enter_uninitialized(STANDIN_cuGetProcAddress_v2);
    if (result != CUDA_SUCCESS)
        return result;

    int found = find(symbol, cudaVersion, &is_known);
    if (found < 0)
        status = is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    *pfn = found < 0 ? NULL : entries[found].function;
    if (symbolStatus != NULL)
        *symbolStatus = status;
    /* Without a place for the status, the driver answers with an error. */
    return leave(found < 0 && symbolStatus == NULL ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS);
}
