/* Writes profiles of programs that know nothing of them.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/context/program_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "core/context/context.h"
#include "core/settings/settings.h"
#include "pipeline/profile/profile.h"

/* A process makes at most so many files. */
#define MOST_FILES 64u

/* How long the end waits for the work of a stream that a program leaves in flight. */
#define PATIENCE_NS UINT64_C(1000000000)

struct program_profile {
    struct program_profile *next;
    struct core_context *context;
    struct core_profile *profile;
    int fd;
    dev_t device; /* of the file, since a program may close descriptors that it does not know */
    ino_t inode;
    int32_t format;
    bool is_written;
    char path[PATH_MAX];
};

/* The contexts of this process that are not written yet. */
static struct {
    pthread_mutex_t lock;
    struct program_profile *first;
    uint32_t count; /* of files so far */
    _Atomic pid_t process;
    pthread_once_t exit_once;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .exit_once = PTHREAD_ONCE_INIT};

/* ---- the file --------------------------------------------------------------------------------------- */

/* Appends text to a path as far as there is room; a path that is too long cannot be opened. */
static void append(char *path, const char *text, size_t length)
{
    size_t used = strlen(path);
    if (length > PATH_MAX - 1 - used)
        length = PATH_MAX - 1 - used;
    memcpy(path + used, text, length);
    path[used + length] = '\0';
}

/* The path of the setting with the process's number for "%p", and the context's before the suffix. */
static void make_path(char *path, const char *given, uint32_t number)
{
    char text[16];
    const char *suffix = strrchr(given, '.');
    path[0]            = '\0';
    for (const char *at = given; *at != '\0'; at++) {
        if (at == suffix && number > 1) {
            snprintf(text, sizeof(text), ".%" PRIu32, number);
            append(path, text, strlen(text));
        }
        if (at[0] == '%' && at[1] == 'p') {
            snprintf(text, sizeof(text), "%d", (int)getpid());
            append(path, text, strlen(text));
            at++;
        } else {
            append(path, at, 1);
        }
    }
}

static int open_file(struct program_profile *made)
{
    struct stat stat;
    int error = base_file_open_own(made->path, O_WRONLY | O_CREAT, &made->fd);
    if (error != 0)
        return error;
    if (fstat(made->fd, &stat) != 0) {
        error = errno;
        close(made->fd);
        return error;
    }
    made->device = stat.st_dev;
    made->inode  = stat.st_ino;
    return 0;
}

static bool is_still_open(const struct program_profile *each)
{
    struct stat stat;
    return fstat(each->fd, &stat) == 0 && stat.st_dev == each->device && stat.st_ino == each->inode;
}

static int32_t produce(const void *subject, trm_write_fn write, void *user)
{
    const struct program_profile *each = subject;
    return pipeline_profile_write(each->profile, each->format, write, user);
}

static void write_file(struct program_profile *each)
{
    struct base_saved_error before;
    int32_t status   = TRM_ERROR_IO;
    each->is_written = true;
    base_error_save(&before);
    base_fail_static(TRM_ERROR_IO, "the program has closed the file");
    core_profile_end(each->profile);
    if (is_still_open(each) && ftruncate(each->fd, 0) == 0 && lseek(each->fd, 0, SEEK_SET) == 0)
        status = pipeline_output_descriptor(each->fd, each->path, produce, each);
    if (status == TRM_OK)
        core_log(each->context, TRM_LOG_INFO, "the profile is in %s", each->path);
    else
        core_log(each->context, TRM_LOG_WARNING, "the profile cannot be written to %s: %s", each->path,
                 trm_last_error().sentence);
    base_error_restore(&before);
}

/* ---- the end of a context, and of the process ------------------------------------------------------- */

/* The context's handle is dead and no call is inside. In the child of a fork this never runs. The end of the
 * process in another thread waits for the lock, so that the file is complete. */
static void context_retires(struct core_context *context)
{
    struct program_profile *each = context->program_profile, **link = &all.first;
    pthread_mutex_lock(&all.lock);
    if (!each->is_written)
        write_file(each);
    while (*link != NULL && *link != each)
        link = &(*link)->next;
    if (*link != NULL)
        *link = each->next;
    pthread_mutex_unlock(&all.lock);
    if (is_still_open(each))
        close(each->fd);
    core_object_abandon(&each->profile->object);
    core_free(context, each, sizeof(*each));
}

/* A child that was forked has the list of its parent, perhaps with the lock held, until it makes a
 * context. */
static void process_exits(void)
{
    if (atomic_load(&all.process) != getpid())
        return;
    pthread_mutex_lock(&all.lock);
    for (struct program_profile *each = all.first; each != NULL; each = each->next)
        if (!each->is_written)
            write_file(each);
    pthread_mutex_unlock(&all.lock);
}

static void register_exit(void)
{
    atexit(process_exits);
}

/* Drivers are loaded by now. What is registered later runs earlier, so they still work at exit. */
static void device_opened(struct core_context *context)
{
    (void)context;
    pthread_once(&all.exit_once, register_exit);
}

static const struct core_context_hooks hooks = {
    .device_opened = device_opened,
    .retire        = context_retires,
};

/* ---- the beginning ---------------------------------------------------------------------------------- */

/* The first context of a process that was forked forgets those of the parent, whose lock may be held for
 * good. */
static void forget_parent(void)
{
    pid_t before = atomic_load(&all.process), own = getpid();
    if (before == own || !atomic_compare_exchange_strong(&all.process, &before, own) || before == 0)
        return;
    pthread_mutex_init(&all.lock, NULL);
    all.first = NULL;
    all.count = 0;
}

/* 0: there are enough files. */
static uint32_t next_number(void)
{
    forget_parent();
    pthread_mutex_lock(&all.lock);
    uint32_t number = all.count < MOST_FILES ? ++all.count : 0;
    pthread_mutex_unlock(&all.lock);
    return number;
}

static void add(struct program_profile *made)
{
    pthread_mutex_lock(&all.lock);
    made->next = all.first;
    all.first  = made;
    pthread_mutex_unlock(&all.lock);
}

static int32_t begin(struct core_context *context, struct program_profile *made)
{
    uint32_t interval = (uint32_t)core_setting_number(context, "profile.interval");
    int error         = open_file(made);
    if (error != 0)
        return core_setting_fail_open(context, "profile.file", made->path, error);
    int32_t status = pipeline_profile_create(context, NULL, interval, &made->profile);
    if (status != TRM_OK) {
        close(made->fd);
        return status;
    }
    made->profile->patience_ns = PATIENCE_NS;
    return TRM_OK;
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

int32_t pipeline_program_profile_begin(struct core_context *context)
{
    const char *path = core_setting_text(context, "profile.file");
    if (*path == '\0' || getauxval(AT_SECURE) != 0)
        return TRM_OK;
    uint32_t number = next_number();
    if (number == 0) {
        core_log(context, TRM_LOG_INFO, "no profile: the process has made %u files of profiles", MOST_FILES);
        return TRM_OK;
    }
    struct program_profile *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("making a profile");
    make_path(made->path, path, number);
    made->context  = context;
    made->format   = has_suffix(path, ".txt") ? TRM_PROFILE_TEXT : TRM_PROFILE_TRACE;
    int32_t status = begin(context, made);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    context->program_profile = made;
    context->hooks           = &hooks;
    add(made);
    return TRM_OK;
}
