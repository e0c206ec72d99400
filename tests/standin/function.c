/* What functions are like.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/object.h"
#include "tests/standin/standin.h"

#define ITEMS_MOST 1024
#define GROUPS_A_MULTIPROCESSOR 2

/* Begins a call about a function. */
static CUresult enter_function(enum standin_function call, CUfunction handle, struct function **function)
{
    struct context *context;
    CUresult result = enter_working(call, &context);

    if (result != CUDA_SUCCESS)
        return result;
    *function = object_find(OBJECT_FUNCTION, handle);
    return *function == NULL ? leave(CUDA_ERROR_INVALID_HANDLE) : CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncLoad(CUfunction hfunc)
{
    struct function *function;
    CUresult result = enter_function(STANDIN_cuFuncLoad, hfunc, &function);

    return result == CUDA_SUCCESS ? leave(CUDA_SUCCESS) : result;
}

CUresult CUDAAPI cuFuncGetName(const char **name, CUfunction hfunc)
{
    struct function *function;
    CUresult result = enter_function(STANDIN_cuFuncGetName, hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (name == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *name = function->kernel->name;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                                    size_t *paramSize)
{
    struct function *function;
    CUresult result = enter_function(STANDIN_cuFuncGetParamInfo, func, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (paramOffset == NULL || paramIndex >= function->kernel->parameter_count)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *paramOffset = function->kernel->parameters[paramIndex].offset;
    if (paramSize != NULL)
        *paramSize = function->kernel->parameters[paramIndex].size;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    struct function *function;
    CUresult result = enter_function(STANDIN_cuFuncGetAttribute, hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (pi == NULL || attrib < 0 || attrib >= CU_FUNC_ATTRIBUTE_MAX)
        return leave(CUDA_ERROR_INVALID_VALUE);
    unsigned int most = function->kernel->items_most;
    switch (attrib) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *pi = most != 0 && most < ITEMS_MOST ? (int)most : ITEMS_MOST;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *pi = 32;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *pi = (int)function->module->code->capability;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *pi = (int)function->dynamic_most;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *pi = (int)function->shared_bytes;
        break;
    default:
        *pi = 0;
        break;
    }
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    struct function *function;
    CUresult result = enter_function(STANDIN_cuFuncSetAttribute, hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (attrib == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT && value >= -1 && value <= 100)
        return leave(CUDA_SUCCESS);
    if (attrib != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
        (unsigned)value + function->shared_bytes > STANDIN_SHARED_BYTES)
        return leave(CUDA_ERROR_INVALID_VALUE);
    function->dynamic_most = (uint32_t)value;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                             size_t dynamicSMemSize)
{
    struct function *function;
    CUresult result = enter_function(STANDIN_cuOccupancyMaxActiveBlocksPerMultiprocessor, func, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if (numBlocks == NULL || blockSize <= 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *numBlocks =
        blockSize > ITEMS_MOST || dynamicSMemSize > function->dynamic_most ? 0 : GROUPS_A_MULTIPROCESSOR;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                                  CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                  size_t dynamicSMemSize, int blockSizeLimit)
{
    struct function *function;
    CUresult result = enter_function(STANDIN_cuOccupancyMaxPotentialBlockSize, func, &function);

    (void)blockSizeToDynamicSMemSize;
    (void)dynamicSMemSize;
    if (result != CUDA_SUCCESS)
        return result;
    if (minGridSize == NULL || blockSize == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    unsigned int most = function->kernel->items_most;
    *blockSize        = most != 0 && most < ITEMS_MOST ? (int)most : ITEMS_MOST;
    if (blockSizeLimit > 0 && *blockSize > blockSizeLimit)
        *blockSize = blockSizeLimit;
    *minGridSize = STANDIN_MULTIPROCESSORS * GROUPS_A_MULTIPROCESSOR;
    return leave(CUDA_SUCCESS);
}
