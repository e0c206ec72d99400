/* cuda backend: the functions of the driver that the backend uses, under their newest names. All are
 * looked up at run time; nothing is linked.
 *
 * The second word is the CUDA version whose form of the function is asked for. Optional functions are NULL
 * where the driver is older.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_FUNCTIONS_H
#define CUDA_DRIVER_FUNCTIONS_H

#include <cuda.h>
#include <cudaTypedefs.h>

/* Name, and version of its type in cudaTypedefs.h. */
#define CUDA_FUNCTIONS(USE)                \
    USE(cuGetErrorName, 6000)              \
    USE(cuGetErrorString, 6000)            \
    USE(cuDeviceGetCount, 2000)            \
    USE(cuDeviceGet, 2000)                 \
    USE(cuDeviceGetName, 2000)             \
    USE(cuDeviceTotalMem, 3020)            \
    USE(cuDeviceGetAttribute, 2000)        \
    USE(cuDeviceGetPCIBusId, 4010)         \
    USE(cuDevicePrimaryCtxRetain, 7000)    \
    USE(cuDevicePrimaryCtxRelease, 11000)  \
    USE(cuDevicePrimaryCtxGetState, 7000)  \
    USE(cuCtxGetCurrent, 4000)             \
    USE(cuCtxSetCurrent, 4000)             \
    USE(cuCtxGetDevice, 2000)              \
    USE(cuCtxGetStreamPriorityRange, 5050) \
    USE(cuMemGetInfo, 3020)                \
    USE(cuMemAlloc, 3020)                  \
    USE(cuMemFree, 3020)                   \
    USE(cuMemHostAlloc, 2020)              \
    USE(cuMemFreeHost, 2000)               \
    USE(cuMemHostGetDevicePointer, 3020)   \
    USE(cuMemHostRegister, 6050)           \
    USE(cuMemHostUnregister, 4000)         \
    USE(cuMemAllocManaged, 6000)           \
    USE(cuPointerGetAttribute, 4000)       \
    USE(cuStreamCreateWithPriority, 5050)  \
    USE(cuStreamDestroy, 4000)             \
    USE(cuStreamQuery, 2000)               \
    USE(cuStreamSynchronize, 2000)         \
    USE(cuStreamWaitEvent, 3020)           \
    USE(cuEventCreate, 2000)               \
    USE(cuEventRecord, 2000)               \
    USE(cuEventQuery, 2000)                \
    USE(cuEventSynchronize, 2000)          \
    USE(cuEventDestroy, 4000)              \
    USE(cuEventElapsedTime, 2000)          \
    USE(cuMemcpyAsync, 4000)               \
    USE(cuMemcpyHtoDAsync, 3020)           \
    USE(cuMemcpyDtoHAsync, 3020)           \
    USE(cuMemcpyDtoDAsync, 3020)           \
    USE(cuMemcpy2DAsync, 3020)             \
    USE(cuMemcpyPeerAsync, 4000)           \
    USE(cuMemsetD8Async, 3020)             \
    USE(cuMemsetD16Async, 3020)            \
    USE(cuMemsetD32Async, 3020)            \
    USE(cuMemsetD2D32Async, 3020)          \
    USE(cuLaunchKernel, 4000)              \
    USE(cuModuleLoadDataEx, 2010)          \
    USE(cuModuleUnload, 2000)              \
    USE(cuModuleGetFunction, 2000)         \
    USE(cuFuncGetAttribute, 2020)          \
    USE(cuFuncSetAttribute, 9000)          \
    USE(cuDeviceCanAccessPeer, 4000)       \
    USE(cuCtxEnablePeerAccess, 4000)       \
    USE(cuGraphCreate, 10000)              \
    USE(cuGraphDestroy, 10000)             \
    USE(cuGraphAddMemcpyNode, 10000)       \
    USE(cuGraphAddMemsetNode, 10000)       \
    USE(cuGraphExecDestroy, 10000)         \
    USE(cuGraphLaunch, 10000)

#define CUDA_OPTIONAL_FUNCTIONS(USE)               \
    USE(cuDeviceGetUuid, 11040)                    \
    USE(cuStreamGetCtx, 9020)                      \
    USE(cuLaunchCooperativeKernel, 9000)           \
    USE(cuMemPrefetchAsync, 12020)                 \
    USE(cuMemPoolCreate, 11020)                    \
    USE(cuMemPoolDestroy, 11020)                   \
    USE(cuMemPoolSetAttribute, 11020)              \
    USE(cuMemPoolGetAttribute, 11020)              \
    USE(cuMemPoolTrimTo, 11020)                    \
    USE(cuMemPoolSetAccess, 11020)                 \
    USE(cuMemAllocFromPoolAsync, 11020)            \
    USE(cuMemFreeAsync, 11020)                     \
    USE(cuFuncGetParamInfo, 12040)                 \
    USE(cuFuncGetName, 12030)                      \
    USE(cuFuncLoad, 12040)                         \
    USE(cuModuleGetFunctionCount, 12040)           \
    USE(cuModuleEnumerateFunctions, 12040)         \
    USE(cuGraphAddKernelNode, 12000)               \
    USE(cuGraphAddEventRecordNode, 11010)          \
    USE(cuGraphInstantiateWithFlags, 11040)        \
    USE(cuGraphUpload, 11010)                      \
    USE(cuGraphExecKernelNodeSetParams, 12000)     \
    USE(cuGraphExecMemcpyNodeSetParams, 10020)     \
    USE(cuGraphExecMemsetNodeSetParams, 10020)     \
    USE(cuGraphExecEventRecordNodeSetEvent, 11010) \
    USE(cuMemCreate, 10020)                        \
    USE(cuMemRelease, 10020)                       \
    USE(cuMemAddressReserve, 10020)                \
    USE(cuMemAddressFree, 10020)                   \
    USE(cuMemMap, 10020)                           \
    USE(cuMemUnmap, 10020)                         \
    USE(cuMemSetAccess, 10020)                     \
    USE(cuMemExportToShareableHandle, 10020)       \
    USE(cuMemImportFromShareableHandle, 10020)     \
    USE(cuMemGetAllocationGranularity, 10020)      \
    USE(cuImportExternalMemory, 10000)             \
    USE(cuExternalMemoryGetMappedBuffer, 10000)    \
    USE(cuDestroyExternalMemory, 10000)            \
    USE(cuMemGetAddressRange, 3020)                \
    USE(cuIpcGetMemHandle, 4010)                   \
    USE(cuIpcOpenMemHandle, 11000)                 \
    USE(cuIpcCloseMemHandle, 4010)                 \
    USE(cuTexObjectCreate, 5000)                   \
    USE(cuTexObjectDestroy, 5000)                  \
    USE(cuImportExternalSemaphore, 10000)          \
    USE(cuDestroyExternalSemaphore, 10000)         \
    USE(cuWaitExternalSemaphoresAsync, 10000)      \
    USE(cuSignalExternalSemaphoresAsync, 10000)

struct cuda_functions {
#define CUDA_MEMBER(name, version) PFN_##name##_v##version name;
    CUDA_FUNCTIONS(CUDA_MEMBER)
    CUDA_OPTIONAL_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
};

#endif
