/* The functions of the driver that the stand-in has.
 *
 *     FUNCTION(symbol, name for cuGetProcAddress, version of CUDA that brought it, whether "any" stands for
 *     it)
 *
 * Of several with one name, the youngest that the caller's version allows is found.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STANDIN_FUNCTIONS_H
#define CUDA_STANDIN_FUNCTIONS_H

#define STANDIN_DEVICE_FUNCTIONS(FUNCTION)                                      \
    FUNCTION(cuInit, cuInit, 2000, 1)                                           \
    FUNCTION(cuDriverGetVersion, cuDriverGetVersion, 2020, 1)                   \
    FUNCTION(cuGetErrorName, cuGetErrorName, 6000, 0)                           \
    FUNCTION(cuGetErrorString, cuGetErrorString, 6000, 0)                       \
    FUNCTION(cuGetProcAddress_v2, cuGetProcAddress, 12000, 0)                   \
    FUNCTION(cuDeviceGetCount, cuDeviceGetCount, 2000, 1)                       \
    FUNCTION(cuDeviceGet, cuDeviceGet, 2000, 1)                                 \
    FUNCTION(cuDeviceGetName, cuDeviceGetName, 2000, 1)                         \
    FUNCTION(cuDeviceGetUuid_v2, cuDeviceGetUuid, 11040, 1)                     \
    FUNCTION(cuDeviceTotalMem_v2, cuDeviceTotalMem, 3020, 1)                    \
    FUNCTION(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000, 1)               \
    FUNCTION(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, 1)                 \
    FUNCTION(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, 1)             \
    FUNCTION(cuDeviceGetP2PAttribute, cuDeviceGetP2PAttribute, 8000, 1)         \
    FUNCTION(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, 1)       \
    FUNCTION(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease, 11000, 0) \
    FUNCTION(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000, 1)   \
    FUNCTION(cuCtxDestroy_v2, cuCtxDestroy, 4000, 0)                            \
    FUNCTION(cuCtxGetCurrent, cuCtxGetCurrent, 4000, 0)                         \
    FUNCTION(cuCtxSetCurrent, cuCtxSetCurrent, 4000, 0)                         \
    FUNCTION(cuCtxPushCurrent_v2, cuCtxPushCurrent, 4000, 0)                    \
    FUNCTION(cuCtxPopCurrent_v2, cuCtxPopCurrent, 4000, 0)                      \
    FUNCTION(cuCtxGetDevice, cuCtxGetDevice, 2000, 1)                           \
    FUNCTION(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, 1)                   \
    FUNCTION(cuCtxSynchronize, cuCtxSynchronize, 2000, 1)                       \
    FUNCTION(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050, 1) \
    FUNCTION(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, 1)             \
    FUNCTION(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, 0)

#define STANDIN_MEMORY_FUNCTIONS(FUNCTION)                                               \
    FUNCTION(cuMemGetInfo_v2, cuMemGetInfo, 3020, 1)                                     \
    FUNCTION(cuMemAlloc_v2, cuMemAlloc, 3020, 1)                                         \
    FUNCTION(cuMemFree_v2, cuMemFree, 3020, 0)                                           \
    FUNCTION(cuMemGetAddressRange_v2, cuMemGetAddressRange, 3020, 1)                     \
    FUNCTION(cuMemHostAlloc, cuMemHostAlloc, 2020, 1)                                    \
    FUNCTION(cuMemFreeHost, cuMemFreeHost, 2000, 0)                                      \
    FUNCTION(cuMemHostGetDevicePointer_v2, cuMemHostGetDevicePointer, 3020, 1)           \
    FUNCTION(cuMemHostRegister_v2, cuMemHostRegister, 6050, 1)                           \
    FUNCTION(cuMemHostUnregister, cuMemHostUnregister, 4000, 0)                          \
    FUNCTION(cuMemAllocManaged, cuMemAllocManaged, 6000, 1)                              \
    FUNCTION(cuMemPrefetchAsync_v2, cuMemPrefetchAsync, 12020, 1)                        \
    FUNCTION(cuPointerGetAttribute, cuPointerGetAttribute, 4000, 1)                      \
    FUNCTION(cuPointerGetAttributes, cuPointerGetAttributes, 7000, 1)                    \
    FUNCTION(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020, 1)             \
    FUNCTION(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, 1)                           \
    FUNCTION(cuMemPoolCreate, cuMemPoolCreate, 11020, 1)                                 \
    FUNCTION(cuMemPoolDestroy, cuMemPoolDestroy, 11020, 0)                               \
    FUNCTION(cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020, 1)                     \
    FUNCTION(cuMemPoolGetAttribute, cuMemPoolGetAttribute, 11020, 1)                     \
    FUNCTION(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, 1)                                 \
    FUNCTION(cuMemPoolSetAccess, cuMemPoolSetAccess, 11020, 1)                           \
    FUNCTION(cuMemAllocAsync, cuMemAllocAsync, 11020, 1)                                 \
    FUNCTION(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020, 1)                 \
    FUNCTION(cuMemFreeAsync, cuMemFreeAsync, 11020, 0)                                   \
    FUNCTION(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020, 1)     \
    FUNCTION(cuMemCreate, cuMemCreate, 10020, 1)                                         \
    FUNCTION(cuMemRelease, cuMemRelease, 10020, 0)                                       \
    FUNCTION(cuMemAddressReserve, cuMemAddressReserve, 10020, 1)                         \
    FUNCTION(cuMemAddressFree, cuMemAddressFree, 10020, 0)                               \
    FUNCTION(cuMemMap, cuMemMap, 10020, 1)                                               \
    FUNCTION(cuMemUnmap, cuMemUnmap, 10020, 0)                                           \
    FUNCTION(cuMemSetAccess, cuMemSetAccess, 10020, 1)                                   \
    FUNCTION(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000, 1)         \
    FUNCTION(cuMemExportToShareableHandle, cuMemExportToShareableHandle, 10020, 1)       \
    FUNCTION(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle, 10020, 1)   \
    FUNCTION(cuImportExternalMemory, cuImportExternalMemory, 10000, 1)                   \
    FUNCTION(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer, 10000, 1) \
    FUNCTION(cuDestroyExternalMemory, cuDestroyExternalMemory, 10000, 0)                 \
    FUNCTION(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010, 1)                              \
    FUNCTION(cuIpcOpenMemHandle_v2, cuIpcOpenMemHandle, 11000, 1)                        \
    FUNCTION(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010, 0)                          \
    FUNCTION(cuTexObjectCreate, cuTexObjectCreate, 5000, 1)                              \
    FUNCTION(cuTexObjectDestroy, cuTexObjectDestroy, 5000, 0)                            \
    FUNCTION(cuImportExternalSemaphore, cuImportExternalSemaphore, 10000, 1)             \
    FUNCTION(cuDestroyExternalSemaphore, cuDestroyExternalSemaphore, 10000, 0)           \
    FUNCTION(cuWaitExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync, 10000, 1)     \
    FUNCTION(cuSignalExternalSemaphoresAsync, cuSignalExternalSemaphoresAsync, 10000, 1)

#define STANDIN_STREAM_FUNCTIONS(FUNCTION)                                    \
    FUNCTION(cuStreamCreate, cuStreamCreate, 2000, 1)                         \
    FUNCTION(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050, 1) \
    FUNCTION(cuStreamGetPriority, cuStreamGetPriority, 5050, 1)               \
    FUNCTION(cuStreamGetFlags, cuStreamGetFlags, 5050, 1)                     \
    FUNCTION(cuStreamGetCtx, cuStreamGetCtx, 9020, 1)                         \
    FUNCTION(cuStreamDestroy_v2, cuStreamDestroy, 4000, 0)                    \
    FUNCTION(cuStreamQuery, cuStreamQuery, 2000, 1)                           \
    FUNCTION(cuStreamSynchronize, cuStreamSynchronize, 2000, 1)               \
    FUNCTION(cuStreamWaitEvent, cuStreamWaitEvent, 3020, 1)                   \
    FUNCTION(cuStreamWaitValue32_v2, cuStreamWaitValue32, 11070, 1)           \
    FUNCTION(cuStreamWaitValue64_v2, cuStreamWaitValue64, 11070, 1)           \
    FUNCTION(cuStreamWriteValue32_v2, cuStreamWriteValue32, 11070, 1)         \
    FUNCTION(cuStreamWriteValue64_v2, cuStreamWriteValue64, 11070, 1)         \
    FUNCTION(cuLaunchHostFunc, cuLaunchHostFunc, 10000, 1)                    \
    FUNCTION(cuEventCreate, cuEventCreate, 2000, 1)                           \
    FUNCTION(cuEventDestroy_v2, cuEventDestroy, 4000, 0)                      \
    FUNCTION(cuEventRecord, cuEventRecord, 2000, 1)                           \
    FUNCTION(cuEventQuery, cuEventQuery, 2000, 1)                             \
    FUNCTION(cuEventSynchronize, cuEventSynchronize, 2000, 1)                 \
    FUNCTION(cuEventElapsedTime, cuEventElapsedTime, 2000, 1)                 \
    FUNCTION(cuMemcpyAsync, cuMemcpyAsync, 4000, 1)                           \
    FUNCTION(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync, 3020, 1)                \
    FUNCTION(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync, 3020, 1)                \
    FUNCTION(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync, 3020, 1)                \
    FUNCTION(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, 1)                   \
    FUNCTION(cuMemcpy2DAsync_v2, cuMemcpy2DAsync, 3020, 1)                    \
    FUNCTION(cuMemcpyHtoD_v2, cuMemcpyHtoD, 3020, 1)                          \
    FUNCTION(cuMemcpyDtoH_v2, cuMemcpyDtoH, 3020, 1)                          \
    FUNCTION(cuMemsetD8Async, cuMemsetD8Async, 3020, 1)                       \
    FUNCTION(cuMemsetD16Async, cuMemsetD16Async, 3020, 1)                     \
    FUNCTION(cuMemsetD32Async, cuMemsetD32Async, 3020, 1)                     \
    FUNCTION(cuMemsetD2D8Async, cuMemsetD2D8Async, 3020, 1)                   \
    FUNCTION(cuMemsetD2D16Async, cuMemsetD2D16Async, 3020, 1)                 \
    FUNCTION(cuMemsetD2D32Async, cuMemsetD2D32Async, 3020, 1)

#define STANDIN_MODULE_FUNCTIONS(FUNCTION)                                                                   \
    FUNCTION(cuLaunchKernel, cuLaunchKernel, 4000, 1)                                                        \
    FUNCTION(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000, 1)                                  \
    FUNCTION(cuModuleLoadData, cuModuleLoadData, 2000, 1)                                                    \
    FUNCTION(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, 1)                                                \
    FUNCTION(cuModuleUnload, cuModuleUnload, 2000, 0)                                                        \
    FUNCTION(cuModuleGetFunction, cuModuleGetFunction, 2000, 1)                                              \
    FUNCTION(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 12040, 1)                                   \
    FUNCTION(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 12040, 1)                               \
    FUNCTION(cuFuncLoad, cuFuncLoad, 12040, 1)                                                               \
    FUNCTION(cuFuncGetName, cuFuncGetName, 12030, 1)                                                         \
    FUNCTION(cuFuncGetParamInfo, cuFuncGetParamInfo, 12040, 1)                                               \
    FUNCTION(cuFuncGetAttribute, cuFuncGetAttribute, 2020, 1)                                                \
    FUNCTION(cuFuncSetAttribute, cuFuncSetAttribute, 9000, 1)                                                \
    FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, \
             1)                                                                                              \
    FUNCTION(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 6050, 1)

#define STANDIN_GRAPH_FUNCTIONS(FUNCTION)                                                      \
    FUNCTION(cuGraphCreate, cuGraphCreate, 10000, 1)                                           \
    FUNCTION(cuGraphDestroy, cuGraphDestroy, 10000, 0)                                         \
    FUNCTION(cuGraphAddKernelNode_v2, cuGraphAddKernelNode, 12000, 1)                          \
    FUNCTION(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000, 1)                             \
    FUNCTION(cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000, 1)                             \
    FUNCTION(cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, 11010, 1)                   \
    FUNCTION(cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, 11010, 1)                       \
    FUNCTION(cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000, 1)                               \
    FUNCTION(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040, 1)               \
    FUNCTION(cuGraphExecDestroy, cuGraphExecDestroy, 10000, 0)                                 \
    FUNCTION(cuGraphUpload, cuGraphUpload, 11010, 1)                                           \
    FUNCTION(cuGraphLaunch, cuGraphLaunch, 10000, 1)                                           \
    FUNCTION(cuGraphExecKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams, 12000, 1)      \
    FUNCTION(cuGraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, 10020, 1)         \
    FUNCTION(cuGraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams, 10020, 1)         \
    FUNCTION(cuGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, 11010, 1) \
    FUNCTION(cuGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, 11010, 1)

/* What older headers do not declare. */
#if CUDA_VERSION >= 12080
#define STANDIN_NEWER_FUNCTIONS(FUNCTION)           \
    FUNCTION(cuCtxCreate_v4, cuCtxCreate, 12050, 1) \
    FUNCTION(cuEventElapsedTime_v2, cuEventElapsedTime, 12080, 1)
#else
#define STANDIN_NEWER_FUNCTIONS(FUNCTION)
#endif

#define STANDIN_FUNCTIONS(FUNCTION)    \
    STANDIN_DEVICE_FUNCTIONS(FUNCTION) \
    STANDIN_MEMORY_FUNCTIONS(FUNCTION) \
    STANDIN_STREAM_FUNCTIONS(FUNCTION) \
    STANDIN_MODULE_FUNCTIONS(FUNCTION) \
    STANDIN_GRAPH_FUNCTIONS(FUNCTION)  \
    STANDIN_NEWER_FUNCTIONS(FUNCTION)

#define STANDIN_NUMBER(symbol, name, version, fallible) STANDIN_##symbol,
enum standin_function {
    STANDIN_FUNCTIONS(STANDIN_NUMBER) STANDIN_FUNCTION_COUNT
};
#undef STANDIN_NUMBER

#endif
