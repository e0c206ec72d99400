/* Trireme: an interrupt from the keyboard ends the input, so that what was begun is finished.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "tools/run/input.h"

static int ends[2] = {-1, -1}; /* of a pipe that the handler writes to, so that poll() wakes up */
static _Atomic int came;       /* lock-free, so that a handler may set it; asked by loader threads */
static struct sigaction before_interrupt, before_terminate;

static void note(int signal)
{
    int before = errno;

    (void)signal;
    atomic_store(&came, 1);
    /* There is nothing to do when the pipe is full: then it is readable already. */
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
    action.sa_flags   = (int)SA_RESETHAND;
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
