/* cuda backend: native handles and file descriptors.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "driver.h"

int32_t cuda_fail_handle_type(const struct trm_backend_instance *instance, int32_t type)
{
    return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "The cuda backend has no handle of type %d here.", type);
}

int32_t cuda_fd_duplicate(const struct trm_backend_device *device, int32_t fd, int *copy)
{
    *copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (*copy >= 0)
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, errno,
                         "The file descriptor %d cannot be used: %s.", fd, strerror(errno));
}
