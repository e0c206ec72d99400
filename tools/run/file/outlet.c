/* Trireme: writing a file or pipe.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/file/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/output/output.h"

enum {
    /* The size limit of one write(): some systems refuse more than 2 GiB. */
    MOST_AT_ONCE = 1 << 30
};

static bool write_failed(struct outlet *outlet, uint64_t place, struct fault *fault)
{
    __atomic_store_n(&outlet->failed, true, __ATOMIC_RELAXED); /* several threads may fail at once */
    if (errno == EPIPE)
        return fault_set(fault, "%s: its reader closed it at byte %" PRIu64, outlet->name, place);
    return fault_set(fault, "%s: cannot be written at byte %" PRIu64 ": %s", outlet->name, place,
                     strerror(errno));
}

/* ---- opening ---- */

/* A file that is made here is told from one that was there, which is not removed again. */
static int open_path(const char *path, bool *made)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);

    *made = false;
    if (descriptor >= 0 || errno != ENOENT)
        return descriptor;
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *made      = descriptor >= 0;
    if (descriptor >= 0 || errno != EEXIST)
        return descriptor;
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666); /* a link that leads to no file */
}

/* Remove the file that outlet_open() made, unless another one has its name by now. */
static void remove_made(const struct outlet *outlet)
{
    struct stat mine, named;

    if (fstat(outlet->descriptor, &mine) == 0 && lstat(outlet->name, &named) == 0 &&
        mine.st_dev == named.st_dev && mine.st_ino == named.st_ino)
        unlink(outlet->name);
}

bool outlet_open(struct outlet *outlet, const char *path, int use, struct claims *claims, struct fault *fault)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat state;

    memset(outlet, 0, sizeof(*outlet));
    outlet->name       = output_copy(standard ? "standard output" : path);
    outlet->descriptor = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : open_path(path, &outlet->made);
    if (outlet->descriptor < 0 || fstat(outlet->descriptor, &state) != 0) {
        fault_set(fault, "%s: cannot be written: %s", outlet->name, strerror(errno));
        outlet_close(outlet, fault);
        return false;
    }
    /* Standard output is never truncated: it may hold the output of other programs. */
    outlet->regular  = !standard && S_ISREG(state.st_mode);
    outlet->paced    = !S_ISREG(state.st_mode);
    outlet->replaces = outlet->regular && state.st_size > 0;
    if (claims_write(claims, &state, use, outlet->name, fault))
        return true;
    outlet_close(outlet, fault);
    return false;
}

bool outlet_begin(struct outlet *outlet, struct fault *fault)
{
    if (outlet->begun)
        return true;
    if (outlet->regular && ftruncate(outlet->descriptor, 0) != 0)
        return write_failed(outlet, 0, fault);
    outlet->begun = true;
    return true;
}

/* ---- writing ---- */

/* Another process that shares a pipe may have made it non-blocking. */
static void wait_for_room(const struct outlet *outlet)
{
    struct pollfd way = {.fd = outlet->descriptor, .events = POLLOUT};

    (void)poll(&way, 1, -1);
}

/* Write at a position, or, at −1, the next bytes. */
static ssize_t write_some(const struct outlet *outlet, const void *data, uint64_t size, int64_t place)
{
    ssize_t count;

    if (size > MOST_AT_ONCE)
        size = MOST_AT_ONCE;
    do
        count = place < 0 ? write(outlet->descriptor, data, size)
                          : pwrite(outlet->descriptor, data, size, (off_t)place);
    while (count < 0 && errno == EINTR);
    return count;
}

bool outlet_write(struct outlet *outlet, const void *data, uint64_t size, struct fault *fault)
{
    const unsigned char *from = data;

    if (!outlet_begin(outlet, fault))
        return false;
    while (size > 0) {
        ssize_t count = write_some(outlet, from, size, -1);

        if (count < 0 && errno == EAGAIN) {
            wait_for_room(outlet);
            continue;
        }
        if (count < 0)
            return write_failed(outlet, outlet->position, fault);
        from += count;
        size -= (uint64_t)count;
        outlet->position += (uint64_t)count;
    }
    return true;
}

bool outlet_write_at(struct outlet *outlet, uint64_t place, const void *data, uint64_t size,
                     struct fault *fault)
{
    const unsigned char *from = data;

    while (size > 0) {
        ssize_t count = write_some(outlet, from, size, (int64_t)place);

        if (count < 0)
            return write_failed(outlet, place, fault);
        from += count;
        size -= (uint64_t)count;
        place += (uint64_t)count;
    }
    return true;
}

void outlet_keep(struct outlet *outlet, uint64_t bytes)
{
    outlet->whole = bytes;
}

/* ---- closing ---- */

bool outlet_close(struct outlet *outlet, struct fault *fault)
{
    int descriptor = outlet->descriptor;
    bool well      = true;

    if (descriptor >= 0) {
        if (outlet->made && !outlet->begun)
            remove_made(outlet);
        /* If this fails, the last frame stays incomplete; the failure has already been reported. */
        else if (outlet->regular && outlet->begun && outlet->failed &&
                 ftruncate(descriptor, (off_t)outlet->whole) != 0)
            outlet->failed = true;
        outlet->descriptor = -1;
        well               = close(descriptor) == 0 || write_failed(outlet, outlet->position, fault);
    }
    free(outlet->name);
    outlet->name = NULL;
    return well;
}
