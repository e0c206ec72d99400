/* Trireme: writing a file or pipe.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* The size limit of one write(): some systems refuse more than 2 GiB. */
    MOST_AT_ONCE = 1 << 30
};

static bool write_failed(struct outlet *outlet, struct fault *fault)
{
    outlet->failed = true;
    if (errno == EPIPE)
        return fault_set(fault, "%s: its reader closed it at byte %" PRIu64, outlet->name, outlet->position);
    return fault_set(fault, "%s: cannot be written at byte %" PRIu64 ": %s", outlet->name, outlet->position,
                     strerror(errno));
}

bool outlet_open(struct outlet *outlet, const char *path, struct fault *fault)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat state;

    memset(outlet, 0, sizeof(*outlet));
    outlet->name = standard ? "standard output" : path;
    if (standard && isatty(STDOUT_FILENO)) {
        outlet->descriptor = -1;
        return fault_set(fault, "standard output is a terminal: frames are not written there");
    }
    outlet->descriptor = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                  : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (outlet->descriptor < 0)
        return fault_set(fault, "%s: cannot be written: %s", outlet->name, strerror(errno));
    /* Standard output is never truncated: it may hold the output of other programs. */
    outlet->regular = !standard && fstat(outlet->descriptor, &state) == 0 && S_ISREG(state.st_mode);
    return true;
}

/* Another process that shares a pipe may have made it non-blocking. */
static void wait_for_room(const struct outlet *outlet)
{
    struct pollfd way = {.fd = outlet->descriptor, .events = POLLOUT};

    (void)poll(&way, 1, -1);
}

bool outlet_write(struct outlet *outlet, const void *data, uint64_t size, struct fault *fault)
{
    const unsigned char *from = data;
    uint64_t done             = 0;

    while (done < size) {
        uint64_t want = size - done > MOST_AT_ONCE ? MOST_AT_ONCE : size - done;
        ssize_t count = write(outlet->descriptor, from + done, want);

        if (count < 0 && errno == EAGAIN)
            wait_for_room(outlet);
        else if (count < 0 && errno != EINTR)
            return write_failed(outlet, fault);
        if (count > 0) {
            done += (uint64_t)count;
            outlet->position += (uint64_t)count;
        }
    }
    return true;
}

void outlet_mark(struct outlet *outlet)
{
    outlet->whole = outlet->position;
}

bool outlet_close(struct outlet *outlet, struct fault *fault)
{
    int descriptor = outlet->descriptor;

    if (descriptor < 0)
        return true;
    outlet->descriptor = -1;
    /* If this fails, the last frame stays incomplete; the failure has already been reported. */
    if (outlet->regular && outlet->failed && ftruncate(descriptor, (off_t)outlet->whole) == 0)
        outlet->position = outlet->whole;
    if (close(descriptor) == 0)
        return true;
    return write_failed(outlet, fault);
}
