/* Trireme: status codes and the last error of a thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_STATUS_H
#define TRIREME_STATUS_H

#include <trireme/api.h>

TRM_API_BEGIN

/* The set is stable: codes are added at the end, never renumbered. Functions return them as
 * int32_t. */
enum trm_status {
    TRM_OK                         = 0,
    TRM_ERROR_INVALID_ARGUMENT     = -1, /* a value that can never be right */
    TRM_ERROR_INVALID_HANDLE       = -2, /* stale, of another type, or never was one */
    TRM_ERROR_OUT_OF_RANGE         = -3, /* offset, length, index or size beyond its object */
    TRM_ERROR_OUT_OF_HOST_MEMORY   = -4,
    TRM_ERROR_OUT_OF_DEVICE_MEMORY = -5,
    TRM_ERROR_UNSUPPORTED          = -6,  /* neither the backend nor an emulation can do it */
    TRM_ERROR_NOT_FOUND            = -7,  /* no such device, file, kernel, setting */
    TRM_ERROR_TIMEOUT              = -8,  /* not yet; also the answer of a poll */
    TRM_ERROR_DEVICE_LOST          = -9,  /* for ever */
    TRM_ERROR_BUSY                 = -10, /* in a state in which it cannot be done now (mapped, recording) */
    TRM_ERROR_CANCELLED            = -11,
    TRM_ERROR_DEADLOCK             = -12, /* waiting here could never end */
    TRM_ERROR_ABI                  = -13, /* the plugin does not keep the contract of <trireme/backend.h> */
    TRM_ERROR_BACKEND              = -14, /* the driver underneath failed; see trm_last_error() */
    TRM_ERROR_TYPE_MISMATCH        = -15, /* argument, element type or device other than was declared */
    TRM_ERROR_WRONG_DEVICE         = -16, /* objects of two devices where one is needed */
    TRM_ERROR_PERMISSION           = -17, /* a file or folder that others may write, or a refused setting */
    TRM_ERROR_KERNEL               = -18, /* a kernel reported failure */
    TRM_ERROR_FORKED   = -19, /* the context was made before fork(); it works only in the parent */
    TRM_ERROR_INTERNAL = -20, /* a fault of Trireme itself */
    TRM_ERROR_IO       = -21, /* a file, pipe or disk: not there, closed, full, cut short */
};

/* What went wrong last in the calling thread. */
struct trm_error {
    int32_t status; /* TRM_OK when nothing has failed yet */
    int32_t reserved;
    int64_t native_code; /* the driver's own code, 0 when there is none */
    /* a whole sentence, never NULL; valid until the next failure in this thread */
    const char *sentence;
};

/* The last failure of the calling thread. A success does not clear it. */
TRM_API struct trm_error trm_last_error(void);

/* The name of a status as it is spelled above ("TRM_ERROR_TIMEOUT"); "TRM_ERROR_UNKNOWN" for
 * other numbers. The string is static. */
TRM_API const char *trm_status_name(int32_t status);

/* A sentence of one line that says what the status means. The string is static. */
TRM_API const char *trm_status_text(int32_t status);

TRM_API_END

#endif
