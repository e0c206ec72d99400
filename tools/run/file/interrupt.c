/* Trireme: SIGINT or SIGTERM ends the input, so that the frames in flight are finished. Either of them ends
 * the program when it comes after that.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "tools/run/file/input.h"

static int ends[2] = {-1, -1}; /* of a pipe; the handler writes to it to wake poll() */
static _Atomic int came;       /* lock-free, so that the handler may set it; loader threads read it */
static struct sigaction before_interrupt, before_terminate;

/* Both are blocked meanwhile. */
static void note(int signal)
{
    const struct sigaction ends_program = {.sa_handler = SIG_DFL};
    int before                          = errno;

    (void)signal;
    sigaction(SIGINT, &ends_program, NULL);
    sigaction(SIGTERM, &ends_program, NULL);
    atomic_store(&came, 1);
    /* A full pipe is already readable, so the failure is harmless. */
    if (write(ends[1], "", 1) < 0)
        errno = before;
}

void interrupt_arm(void)
{
    struct sigaction action;

    atomic_store(&came, 0);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        ends[0] = ends[1] = -1;
        return;
    }
    memset(&action, 0, sizeof(action));
    action.sa_handler = note;
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, &before_interrupt);
    sigaction(SIGTERM, &action, &before_terminate);
}

void interrupt_disarm(void)
{
    if (ends[0] < 0)
        return;
    sigaction(SIGINT, &before_interrupt, NULL);
    sigaction(SIGTERM, &before_terminate, NULL);
    close(ends[0]);
    close(ends[1]);
    ends[0] = ends[1] = -1;
}

bool interrupt_came(void)
{
    return atomic_load(&came) != 0;
}

int interrupt_descriptor(void)
{
    return ends[0];
}
