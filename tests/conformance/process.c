/* Child processes of a case.
 * SPDX-License-Identifier: MIT
 */
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 200

const char *child_complaint(const char *file, int line, const char *condition)
{
    static char sentence[2000];
    const char *name = strrchr(file, '/');
    snprintf(sentence, sizeof(sentence), "%s:%d: %s does not hold (last error: %s: %s)",
             name ? name + 1 : file, line, condition, trm_status_name(trm_last_error().status),
             trm_last_error().sentence);
    return sentence;
}

struct child child_start(child_fn run, void *user)
{
    int ends[2];
    struct child child;
    ck_assert_int_eq(pipe(ends), 0);
    fflush(NULL); /* or the child would write it once more */
    child.pid = fork();
    ck_assert_int_ge(child.pid, 0);
    if (child.pid == 0) {
        close(ends[0]);
        const char *sentence = run(user);
        if (sentence && write(ends[1], sentence, strlen(sentence)) < 0)
            _exit(3);
        _exit(sentence ? 2 : 0);
    }
    close(ends[1]);
    child.output = ends[0];
    return child;
}

/* Reads until the child closes its end, by exiting at the latest. False when it takes too long. */
static bool listen_to(int output, char *said, size_t capacity)
{
    uint64_t end  = now_ns() + CHILD_SECONDS * 1000000000ull;
    size_t length = 0;
    said[0]       = '\0';
    for (;;) {
        struct pollfd poll_on = {.fd = output, .events = POLLIN};
        uint64_t now          = now_ns();
        if (now >= end)
            return false;
        int ready = poll(&poll_on, 1, (int)((end - now) / 1000000) + 1);
        if (ready <= 0)
            continue;
        ssize_t got = read(output, said + length, capacity - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        length += (size_t)got;
        said[length] = '\0';
        if (length + 1 == capacity)
            return true;
    }
}

void child_end(struct child child, int expected_status)
{
    char said[2048];
    int status = 0;
    bool ended = listen_to(child.output, said, sizeof(said));
    if (!ended)
        kill(child.pid, SIGKILL);
    while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(child.output);
    ck_assert_msg(ended, "the child process did not end within %d seconds", CHILD_SECONDS);
    ck_assert_msg(said[0] == '\0', "%s", said);
    ck_assert_msg(WIFEXITED(status), "signal %d ended the child process", WTERMSIG(status));
    ck_assert_msg(WEXITSTATUS(status) == expected_status, "the child process ended with %d instead of %d",
                  WEXITSTATUS(status), expected_status);
}

void child_run(child_fn run, void *user)
{
    child_end(child_start(run, user), 0);
}
