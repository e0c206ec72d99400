/* Trireme: jobs in processes of their own.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/apart.h"

#include "tools/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <trireme/trireme.h>
#include <unistd.h>

enum {
    RECORD_MOST  = 16384,
    RECORDS_MOST = 10000, /* of one job; those of this program report a few hundred */
    KILLED_MOST  = 10,    /* seconds that a killed process gets to end */
    LOOK_MS      = 20,    /* how often to look for its end where the kernel does not tell */
};

/* One job, as this process sees it. */
struct listener {
    const struct apart *apart;
    const char *section;
    const char *subject;
    int descriptor;
    pid_t child;
    int handle;      /* of the process, readable at its end; -1: the kernel has none */
    bool is_done;    /* it has done all its work, and only ends */
    bool is_late;    /* it was ended because it said nothing for too long */
    bool is_endless; /* or because it said too much */
    uint32_t records;
    char record[RECORD_MOST]; /* what has come of a record */
    size_t length;
    char doing[256]; /* what it began last */
};

/* ---- progress ---- */

static bool shows_progress(const struct listener *listener)
{
    return listener->apart->findings->is_text && !listener->apart->is_verbose && isatty(STDERR_FILENO) != 0;
}

static void show_progress(const struct listener *listener)
{
    if (!shows_progress(listener))
        return;
    fprintf(stderr, "\r\033[K  … %s: ", listener->subject);
    output_text(stderr, listener->doing);
    fflush(stderr);
}

static void clear_progress(const struct listener *listener)
{
    if (shows_progress(listener))
        fputs("\r\033[K", stderr);
}

/* ---- records ---- */

static void take_finding(struct listener *listener)
{
    char *fields[REPORT_FIELDS];
    char *at               = listener->record + 1;
    struct finding finding = {.state = (enum finding_state)(listener->record[0] - '0')};

    if (listener->record[0] < '0' || listener->record[0] >= '0' + FINDING_STATES)
        return; /* no record of report.c */
    for (int i = 0; i < REPORT_FIELDS; i++) {
        fields[i] = at;
        at += strlen(at) + 1;
    }
    finding.section = fields[0];
    finding.subject = fields[1];
    finding.topic   = fields[2];
    finding.text    = fields[3];
    finding.remedy  = fields[4];
    clear_progress(listener);
    findings_add(listener->apart->findings, &finding);
    show_progress(listener);
}

static int fields_in(const struct listener *listener)
{
    int count = 0;

    for (size_t i = 0; i < listener->length; i++)
        count += listener->record[i] == '\0';
    return count;
}

static void take_byte(struct listener *listener, char byte)
{
    if (listener->length == sizeof(listener->record))
        return; /* longer than any record that report.c writes */
    listener->record[listener->length++] = byte;
    if (byte != '\0' || listener->is_endless)
        return;
    if (listener->record[0] == REPORT_BEGIN || listener->record[0] == REPORT_END) {
        listener->is_done |= listener->record[0] == REPORT_END;
        snprintf(listener->doing, sizeof(listener->doing), "%.255s", listener->record + 1);
        show_progress(listener);
    } else if (fields_in(listener) < REPORT_FIELDS) {
        return;
    } else {
        take_finding(listener);
    }
    listener->length     = 0;
    listener->is_endless = ++listener->records == RECORDS_MOST;
}

/* Takes what is in the pipe. False at its end, or when there is nothing at present. */
static bool take_bytes(struct listener *listener)
{
    char bytes[4096];
    ssize_t got;

    do
        got = read(listener->descriptor, bytes, sizeof(bytes));
    while (got < 0 && errno == EINTR);
    for (ssize_t i = 0; i < got; i++)
        take_byte(listener, bytes[i]);
    return got > 0;
}

/* Until the pipe is closed, the process has ended (others that it has started may keep the pipe open), or it
 * says nothing for too long. */
static void listen_to(struct listener *listener)
{
    struct pollfd ready[] = {{.fd = listener->descriptor, .events = POLLIN},
                             {.fd = listener->handle, .events = POLLIN}};

    while (!listener->is_endless) {
        int found = poll(ready, 2, (int)listener->apart->seconds * 1000);

        if (found < 0 && errno == EINTR)
            continue;
        if (found <= 0) {
            listener->is_late = true;
            return;
        }
        if (ready[0].revents != 0 && !take_bytes(listener))
            return;
        if (ready[1].revents != 0) {
            while (!listener->is_endless && take_bytes(listener))
                continue;
            return;
        }
    }
}

/* ---- the process ---- */

static void run_job(const struct listener *listener, pid_t parent, apart_job_fn job, void *user)
{
    const struct rlimit no_core = {0, 0};
    struct report report        = {
               .descriptor = listener->descriptor,
               .section    = listener->section,
               .subject    = listener->subject,
               .is_verbose = listener->apart->is_verbose,
    };

    (void)dup2(STDERR_FILENO, STDOUT_FILENO); /* what drivers and kernels print is no part of the output */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* it has ended before */
    (void)setrlimit(RLIMIT_CORE, &no_core);
    pthread_mutex_init(&report.lock, NULL);
    job(&report, user);
    report_end(&report);
    pthread_mutex_destroy(&report.lock);
}

static void add_own(const struct listener *listener, const char *text, const char *remedy)
{
    struct finding finding = {.state   = FINDING_FAILED,
                              .section = (char *)listener->section,
                              .subject = (char *)listener->subject,
                              .topic   = (char *)"process",
                              .text    = (char *)text,
                              .remedy  = (char *)remedy};

    findings_add(listener->apart->findings, &finding);
}

static bool judge_end(const struct listener *listener, int status)
{
    char text[512];

    if (listener->is_endless) {
        snprintf(text, sizeof(text), "reported %d times and went on: %s", RECORDS_MOST, listener->doing);
        add_own(listener, text, "What ran then reports without end: look at its messages (--verbose).");
        return false;
    }
    if (listener->is_late) {
        snprintf(text, sizeof(text), "did not end within %u s: %s", listener->apart->seconds,
                 listener->doing);
        add_own(listener, text, "Give it more time (--timeout SECONDS); if it still does not end, it hangs.");
        return false;
    }
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof(text), "the process was ended by signal %d (%s): %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), listener->doing);
        add_own(listener, text,
                "What ran then is defective, or its driver is: TRIREME_LOG=debug shows the calls up to "
                "the crash.");
        return false;
    }
    if (WEXITSTATUS(status) != 0) {
        snprintf(text, sizeof(text), "the process exited with status %d: %s", WEXITSTATUS(status),
                 listener->doing);
        add_own(listener, text, "The messages above say why.");
        return false;
    }
    if (!listener->is_done) {
        snprintf(text, sizeof(text), "the process exited before the end of its work: %s", listener->doing);
        add_own(listener, text, "What ran then calls exit(), which a plugin, a driver or a kernel must not.");
        return false;
    }
    return true;
}

/* Waits for the end of the process. False: it has not ended. */
static bool wait_for_end(const struct listener *listener, unsigned seconds, int *status)
{
    struct pollfd ready = {.fd = listener->handle, .events = POLLIN};
    uint64_t end_ns     = trm_clock_now() + seconds * (uint64_t)1000000000;

    for (;;) {
        pid_t ended   = waitpid(listener->child, status, WNOHANG);
        uint64_t now  = trm_clock_now();
        uint64_t left = now < end_ns ? (end_ns - now) / 1000000 + 1 : 0;

        if (ended == listener->child || (ended < 0 && errno != EINTR))
            return ended > 0;
        if (left == 0)
            return false;
        if (ready.fd < 0 && left > LOOK_MS)
            left = LOOK_MS;
        (void)poll(&ready, 1, (int)left);
    }
}

/* A process in a call of the kernel that does not end, as of a broken driver, outlives SIGKILL. */
static bool end_it(const struct listener *listener, int *status)
{
    unsigned seconds = listener->apart->seconds < KILLED_MOST ? listener->apart->seconds : KILLED_MOST;
    char text[512];

    kill(listener->child, SIGKILL);
    if (wait_for_end(listener, seconds, status))
        return true;
    snprintf(text, sizeof(text), "process %ld cannot be ended: %s", (long)listener->child, listener->doing);
    add_own(listener, text,
            "It waits in the kernel, often for a device that no longer answers: look into the kernel's log "
            "(dmesg), and reset the device or restart the machine.");
    return false;
}

static bool wait_for(struct listener *listener)
{
    int status     = 0;
    bool has_ended = false;

    listen_to(listener);
    if (!listener->is_late && !listener->is_endless)
        has_ended = wait_for_end(listener, listener->apart->seconds, &status);
    clear_progress(listener);
    if (!has_ended) {
        listener->is_late |= !listener->is_endless;
        if (!end_it(listener, &status))
            return false;
    }
    return judge_end(listener, status);
}

/* A descriptor that becomes readable when a process ends; -1 without such. */
static int process_handle(pid_t child)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, child, 0);
#else
    (void)child;
    return -1;
#endif
}

bool apart_run(const struct apart *apart, const char *section, const char *subject, apart_job_fn job,
               void *user)
{
    struct listener listener = {.apart = apart, .section = section, .subject = subject, .doing = "starting"};
    int ends[2];
    pid_t parent = getpid();
    bool has_ended;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        add_own(&listener, "there is no pipe left", "Raise the limit of open files (ulimit -n).");
        return false;
    }
    fflush(stdout);
    (void)signal(SIGCHLD, SIG_DFL); /* where the parent ignores it, children leave no status */
    listener.child = fork();
    if (listener.child == 0) {
        close(ends[0]);
        listener.descriptor = ends[1];
        run_job(&listener, parent, job, user);
        exit(0);
    }
    close(ends[1]);
    if (listener.child < 0) {
        close(ends[0]);
        add_own(&listener, "no process can be started", "Raise the limit of processes (ulimit -u).");
        return false;
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    listener.descriptor = ends[0];
    listener.handle     = process_handle(listener.child);
    has_ended           = wait_for(&listener);
    close(ends[0]);
    if (listener.handle >= 0)
        close(listener.handle);
    return has_ended;
}

/* ---- shared memory ---- */

void *apart_share(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void apart_freeze(void *memory, size_t size)
{
    (void)mprotect(memory, size, PROT_READ);
}

void apart_unshare(void *memory, size_t size)
{
    munmap(memory, size);
}
