/* Trireme: status codes, and the last error of a thread.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * status      any number
 * Blocks      no
 * Threads     any
 * Ownership   strings are static
 * Errors      none
 */
#ifndef TRIREME_STATUS_H
#define TRIREME_STATUS_H

#include <trireme/api.h>

TRM_API_BEGIN

/* Functions return these codes as int32_t. New codes are added at the end; none is ever renumbered. */
enum trm_status {
    TRM_OK                         = 0,
    TRM_ERROR_INVALID_ARGUMENT     = -1, /* a value that is never right */
    TRM_ERROR_INVALID_HANDLE       = -2, /* stale, of another type, or never a handle */
    TRM_ERROR_OUT_OF_RANGE         = -3, /* an offset, length, index or size beyond its object */
    TRM_ERROR_OUT_OF_HOST_MEMORY   = -4,
    TRM_ERROR_OUT_OF_DEVICE_MEMORY = -5,
    TRM_ERROR_UNSUPPORTED          = -6,  /* the backend cannot do it, and the library does not emulate it */
    TRM_ERROR_NOT_FOUND            = -7,  /* no such device, file, kernel or setting */
    TRM_ERROR_TIMEOUT              = -8,  /* not yet; also the answer of a poll */
    TRM_ERROR_DEVICE_LOST          = -9,  /* permanent */
    TRM_ERROR_BUSY                 = -10, /* not possible in the object's state (mapped, recording) */
    TRM_ERROR_CANCELLED            = -11,
    TRM_ERROR_DEADLOCK             = -12, /* the wait would never end */
    TRM_ERROR_ABI                  = -13, /* the plugin violates the contract of <trireme/backend.h> */
    TRM_ERROR_BACKEND              = -14, /* the driver failed; see trm_last_error() */
    TRM_ERROR_TYPE_MISMATCH        = -15, /* an argument or element of another type than was declared */
    TRM_ERROR_WRONG_DEVICE         = -16, /* objects of two devices where one device is needed */
    TRM_ERROR_PERMISSION           = -17, /* a file or folder that other users may write; a refused setting */
    TRM_ERROR_KERNEL               = -18, /* a kernel reported failure */
    TRM_ERROR_FORKED   = -19, /* the context was made before fork() and works only in the parent process */
    TRM_ERROR_INTERNAL = -20, /* a bug in Trireme */
    TRM_ERROR_IO       = -21, /* a file, pipe or disk could not be read or written */
    /* work took longer than a limit that a setting gives, and was given up; TIMEOUT says that a wait ended */
    TRM_ERROR_TIME_LIMIT = -22,
};

/* The last failure of a thread. */
struct trm_error {
    int32_t status; /* TRM_OK when nothing has failed yet */
    int32_t reserved;
    int64_t native_code; /* the driver's own code; 0: none */
    /* a whole sentence, never NULL; valid until the next failure in this thread */
    const char *sentence;
};

/* Get the last failure of the calling thread. A call that succeeds does not clear it.
 *
 * Ownership   the sentence belongs to the thread and changes with its next failure
 */
TRM_API struct trm_error trm_last_error(void);

/* Get the name of a status, as it is spelled above ("TRM_ERROR_TIMEOUT"); of another number
 * "TRM_ERROR_UNKNOWN". */
TRM_API const char *trm_status_name(int32_t status);

/* Get a sentence of one line that says what a status means. */
TRM_API const char *trm_status_text(int32_t status);

TRM_API_END

#endif
