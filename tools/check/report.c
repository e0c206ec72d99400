/* Trireme: what a job finds, on its way to the process that prints.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <trireme/trireme.h>
#include <unistd.h>

enum {
    TEXT_MOST = 3000
};

static void write_bytes(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* the parent has closed its end, or has ended */
        bytes += written;
        size -= (size_t)written;
    }
}

/* Texts end with a zero, which separates them in the pipe. */
static void write_text(struct report *report, const char *text)
{
    write_bytes(report->descriptor, text, strlen(text) + 1);
}

void report_begin(struct report *report, const char *format, ...)
{
    char text[TEXT_MOST];
    va_list arguments;

    text[0] = REPORT_BEGIN;
    va_start(arguments, format);
    vsnprintf(text + 1, sizeof(text) - 1, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&report->lock);
    write_text(report, text);
    pthread_mutex_unlock(&report->lock);
}

void report_end(struct report *report)
{
    char text[] = "_ending, after all work";

    text[0] = REPORT_END;
    pthread_mutex_lock(&report->lock);
    write_text(report, text);
    pthread_mutex_unlock(&report->lock);
}

static void add(struct report *report, enum finding_state state, const char *topic, const char *remedy,
                const char *text)
{
    const char first = (char)('0' + (int)state);

    pthread_mutex_lock(&report->lock);
    write_bytes(report->descriptor, &first, 1);
    write_text(report, report->section);
    write_text(report, report->subject);
    write_text(report, topic);
    write_text(report, text);
    write_text(report, remedy ? remedy : "");
    pthread_mutex_unlock(&report->lock);
}

void report_add(struct report *report, enum finding_state state, const char *topic, const char *remedy,
                const char *format, ...)
{
    char text[TEXT_MOST];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    add(report, state, topic, remedy, text);
}

static const char *remedy_of(const struct trm_error *error)
{
    switch (error->status) {
    case TRM_ERROR_OUT_OF_DEVICE_MEMORY:
        return "Free memory of the device: end other programs that use it.";
    case TRM_ERROR_OUT_OF_HOST_MEMORY:
        return "Free memory of this machine, or raise the limit of this process or its cgroup.";
    case TRM_ERROR_DEVICE_LOST:
        if (strstr(error->sentence, "the setting cpu.lose"))
            return "Unset cpu.lose (TRIREME_CPU_LOSE), which asks for this.";
        return "The device stopped working: look for its driver in the kernel's log (dmesg), and reset the "
               "device or restart the machine.";
    case TRM_ERROR_PERMISSION:
        return "Take the permission to write away from other users (chmod go-w), or move the file to a "
               "folder that only you and root may write.";
    case TRM_ERROR_ABI:
    case TRM_ERROR_INTERNAL:
        return "This is a defect of the plugin or of Trireme: report it with the output of "
               "TRIREME_LOG=debug.";
    default:
        return "TRIREME_LOG=debug shows the calls up to the failure.";
    }
}

void report_failure(struct report *report, const char *topic, const char *what)
{
    struct trm_error error = trm_last_error();

    report_add(report, FINDING_FAILED, topic, remedy_of(&error), "%s: %s", what, error.sentence);
}

void report_log(void *user, int32_t level, const char *message)
{
    struct report *report = user;

    if (report->is_verbose)
        fprintf(stderr, "%s: %s\n", report->subject, message);
    if (level == TRM_LOG_WARNING && !report->ignores_log)
        add(report, FINDING_WARNING, "log", NULL, message);
}
