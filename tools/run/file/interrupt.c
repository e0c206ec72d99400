/* Trireme: SIGINT or SIGTERM ends the input, so that the frames in flight are finished. The next of either
 * ends the program. A signal that was ignored when the program was started stays ignored: a shell script
 * starts its background processes with SIGINT ignored.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "tools/run/file/input.h"

static int ends[2] = {-1, -1}; /* of a pipe; the handler writes to it to wake poll() */
static _Atomic int came;       /* the signal, or 0; lock-free: the handler sets it, loader threads read it */

static struct {
    int signal;
    bool is_armed;
    struct sigaction before;
} signals[] = {{.signal = SIGINT}, {.signal = SIGTERM}};

#define COUNT (sizeof(signals) / sizeof(signals[0]))

/* Both are blocked meanwhile. */
static void note(int signal)
{
    const struct sigaction ends_program = {.sa_handler = SIG_DFL};
    int before                          = errno;

    for (size_t i = 0; i < COUNT; i++)
        if (signals[i].is_armed)
            sigaction(signals[i].signal, &ends_program, NULL);
    atomic_store(&came, signal);
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
    for (size_t i = 0; i < COUNT; i++) {
        sigaction(signals[i].signal, NULL, &signals[i].before);
        signals[i].is_armed = signals[i].before.sa_handler != SIG_IGN;
        if (signals[i].is_armed)
            sigaddset(&action.sa_mask, signals[i].signal);
    }
    for (size_t i = 0; i < COUNT; i++)
        if (signals[i].is_armed)
            sigaction(signals[i].signal, &action, NULL);
}

void interrupt_disarm(void)
{
    if (ends[0] < 0)
        return;
    for (size_t i = 0; i < COUNT; i++)
        if (signals[i].is_armed)
            sigaction(signals[i].signal, &signals[i].before, NULL);
    close(ends[0]);
    close(ends[1]);
    ends[0] = ends[1] = -1;
}

int interrupt_signal(void)
{
    return atomic_load(&came);
}

bool interrupt_came(void)
{
    return atomic_load(&came) != 0;
}

int interrupt_descriptor(void)
{
    return ends[0];
}
