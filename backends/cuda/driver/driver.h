/* cuda backend, room `driver`: the driver's functions, what its devices can do, contexts and failures.
 *
 *     objects.h        the instance and the device, and the order of all locks
 *     loader.c         opens libcuda at run time and fills the table of functions that functions.h lists
 *     instance.c       creates and destroys instances; the settings cuda.spin and cuda.coarsen
 *     physical.c       asks the driver for its devices and what each can do
 *     context.c        makes a device's context current, and restores the caller's
 *     failure.c        translates CUresults to statuses and explains failures
 *     handle.c         native handles and file descriptors
 *     quiet.c          stops the kernels that stay on a device, around calls that wait for all of its work
 *     blocking_wait.c  blocks a thread in the driver until an event is complete
 *
 * All driver calls go through device->cuda, the table in the instance. cuda_enter() and cuda_leave() stand
 * around calls that need a current context.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_DRIVER_H
#define CUDA_DRIVER_DRIVER_H

#include "objects.h"

/* ---- instance.c ----------------------------------------------------------------------------- */

/* Create an instance; creates no context. On an error `reason` (CUDA_REASON_BYTES) says why, without a full
 * stop; it is empty where the failure has been explained already. */
int32_t cuda_instance_create(const struct trm_host *host, struct trm_backend_instance **instance,
                             char *reason);
void cuda_instance_destroy(struct trm_backend_instance *instance);

/* ---- failure.c ------------------------------------------------------------------------------ */

/* The status of a CUresult; never TRM_OK for an error. No other function translates them. */
int32_t cuda_status(CUresult result);
/* Whether the error makes the context useless: an illegal address, a failed launch, ECC, a time-out, … */
bool cuda_is_sticky(CUresult result);

/* "CUDA_ERROR_ILLEGAL_ADDRESS" */
const char *cuda_result_name(const struct trm_backend_instance *instance, CUresult result);

#define CUDA_DESCRIPTION_BYTES 256
/* " (an illegal memory access was encountered)", or "". */
void cuda_result_describe(const struct trm_backend_instance *instance, CUresult result,
                          char text[CUDA_DESCRIPTION_BYTES]);

/* Explain that `call` answered the error `result`, and return its status. Where the error is sticky this
 * latches the device as lost, with what was running, and wakes all threads that wait. */
int32_t cuda_device_fail(struct trm_backend_device *device, CUresult result, const char *call)
    __attribute__((cold));
/* The same where there is no device yet. */
int32_t cuda_instance_fail(const struct trm_backend_instance *instance, CUresult result, const char *call);

/* Whether the device is lost, as its driver knows. Does not block. */
bool cuda_device_ask(struct trm_backend_device *device);

/* TRM_OK, or DEVICE_LOST, explained again by the first cause. Costs one load when all is well. */
int32_t cuda_device_check(struct trm_backend_device *device);
static inline bool cuda_device_is_lost(const struct trm_backend_device *device)
{
    return atomic_load_explicit(&device->lost, memory_order_acquire) != TRM_OK;
}

/* ---- context.c ------------------------------------------------------------------------------ */

/* Around driver calls: cuda_enter() makes the device's context current where it is not, cuda_leave()
 * restores the caller's. `previous` is storage of the caller. After cuda_enter() has failed, cuda_leave()
 * does nothing.
 *
 * cuda_enter_stream() is for calls that name a stream, event or executable graph of the device. Most drivers
 * take the context from those, so it does nothing unless device->needs_context is set. */
#define CUDA_NOT_ENTERED ((CUcontext)(uintptr_t)-1) /* nothing to restore */
int32_t cuda_enter(struct trm_backend_device *device, CUcontext *previous);
void cuda_restore_context(struct trm_backend_device *device, CUcontext previous);
static inline void cuda_leave(struct trm_backend_device *device, CUcontext previous)
{
    if (TRM_UTIL_UNLIKELY(previous != CUDA_NOT_ENTERED))
        cuda_restore_context(device, previous);
}
static inline int32_t cuda_enter_stream(struct trm_backend_device *device, CUcontext *previous)
{
    if (TRM_UTIL_UNLIKELY(__atomic_load_n(&device->needs_context, __ATOMIC_RELAXED)))
        return cuda_enter(device, previous);
    *previous = CUDA_NOT_ENTERED;
    return TRM_OK;
}

/* Try the driver and set device->needs_context. */
int32_t cuda_context_probe(struct trm_backend_device *device);

/* ---- physical.c ----------------------------------------------------------------------------- */

/* The device number `index`; NULL, explained, when there is none. */
const struct cuda_physical *cuda_physical_find(const struct trm_backend_instance *instance, uint32_t index);

/* ---- handle.c ------------------------------------------------------------------------------- */

/* UNSUPPORTED, explained, for a handle type of another backend or of another object. */
int32_t cuda_fail_handle_type(const struct trm_backend_instance *instance, int32_t type);

/* Duplicate the caller's file descriptor, for the driver to keep. */
int32_t cuda_fd_duplicate(const struct trm_backend_device *device, int32_t fd, int *copy);

/* Whether the failure of an import means that the device is lost. Drivers answer CUDA_ERROR_UNKNOWN to file
 * descriptors that they do not recognise, which says nothing about the device. */
static inline bool cuda_import_is_fatal(CUresult result)
{
    return result != CUDA_ERROR_UNKNOWN && cuda_is_sticky(result);
}

/* ---- blocking_wait.c ------------------------------------------------------------------------ */

int32_t cuda_blocking_waits_open(struct trm_backend_device *device);
/* No thread may be blocked. */
void cuda_blocking_waits_close(struct trm_backend_device *device);

/* Block the calling thread until the event is complete. Returns the driver's answer. */
CUresult cuda_blocking_wait(struct trm_backend_device *device, CUevent event);

/* ---- quiet.c -------------------------------------------------------------------------------- */

/* Between these two calls no kernel stays on the device. They stand around driver calls that wait for all of
 * its work, and nest. Blocks until the kernels that stay have ended what they do. */
void cuda_quiet_begin(struct trm_backend_device *device);
void cuda_quiet_end(struct trm_backend_device *device);

/* A member is paused and resumed from now on, or no longer. */
void cuda_quiet_join(struct trm_backend_device *device, struct cuda_quiet_member *member);
void cuda_quiet_leave(struct trm_backend_device *device, struct cuda_quiet_member *member);

#endif
