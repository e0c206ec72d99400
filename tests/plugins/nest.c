/* What the tests of plugins share.
 * SPDX-License-Identifier: MIT
 */
#include "nest.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *nest;

void nest_make(void)
{
    const char *temporary = getenv("TMPDIR");
    char pattern[PATH_MAX];

    snprintf(pattern, sizeof(pattern), "%s/trireme-XXXXXX", temporary ? temporary : "/tmp");
    umask(022);
    ck_assert_ptr_nonnull(mkdtemp(pattern));
    nest = realpath(pattern, NULL);
    ck_assert_ptr_nonnull(nest);
    ck_assert_int_eq(chmod(nest, 0755), 0);
}

static int nest_remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

void nest_remove(void)
{
    ck_assert_int_eq(nftw(nest, nest_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(nest);
    nest = NULL;
}

const char *nest_folder(void)
{
    return nest;
}

const char *nest_path(const char *file)
{
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, PATH_MAX, "%s/%s", nest, file);
    return path;
}

const char *nest_module(const char *module)
{
    static char path[PATH_MAX];
    const char *builddir = getenv("top_builddir"), *slash = strrchr(module, '/');

    ck_assert_msg(builddir != NULL, "the environment variable top_builddir is not set: run by `make check`");
    snprintf(path, sizeof(path), "%s/%.*s/.libs%s.so", builddir, (int)(slash - module), module, slash);
    return path;
}

void nest_write(const char *file, const void *bytes, size_t size)
{
    int descriptor = open(nest_path(file), O_WRONLY | O_CREAT | O_TRUNC, 0755);

    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, bytes, size), (ssize_t)size);
    close(descriptor);
}

void nest_copy(const char *from, const char *file)
{
    struct stat status;
    int descriptor = open(from, O_RDONLY);
    char *bytes;

    ck_assert_msg(descriptor >= 0, "%s is not there", from);
    ck_assert_int_eq(fstat(descriptor, &status), 0);
    bytes = malloc((size_t)status.st_size);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_int_eq(read(descriptor, bytes, (size_t)status.st_size), status.st_size);
    close(descriptor);
    nest_write(file, bytes, (size_t)status.st_size);
    free(bytes);
}

void nest_add_module(const char *module)
{
    char file[NAME_MAX];

    snprintf(file, sizeof(file), "%s.so", strrchr(module, '/') + 1);
    nest_copy(nest_module(module), file);
}

static void nest_setenv(const char *variable, const char *value)
{
    if (value == NULL)
        unsetenv(variable);
    else
        setenv(variable, value, 1);
}

struct trm_context *nest_context(const char *path, const char *backend)
{
    struct trm_context *context;
    int32_t status;

    nest_setenv("TRIREME_BACKEND_PATH", path);
    nest_setenv("TRIREME_BACKEND", backend);
    status = trm_context_create(NULL, &context);
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    return context;
}

static int nest_ends_with(const char *path, const char *file)
{
    size_t path_length = strlen(path), file_length = strlen(file);

    return path_length > file_length && path[path_length - file_length - 1] == '/' &&
           strcmp(path + path_length - file_length, file) == 0;
}

const struct trm_candidate *nest_candidate(struct trm_context *context, const char *file)
{
    static struct trm_candidate candidate;
    uint32_t count = 0;

    (void)trm_context_candidate_count(context, &count);
    for (uint32_t i = 0; i < count; i++) {
        memset(&candidate, 0, sizeof(candidate));
        candidate.struct_size = sizeof(candidate);
        ck_assert_int_eq(trm_context_candidate(context, i, &candidate), TRM_OK);
        if (nest_ends_with(candidate.path, file))
            return &candidate;
    }
    return NULL;
}

void nest_refused(struct trm_context *context, const char *file, int32_t stage, const char *words)
{
    const struct trm_candidate *candidate = nest_candidate(context, file);

    ck_assert_msg(candidate != NULL, "%s is no candidate", file);
    ck_assert_msg(candidate->accepted == 0, "%s was accepted", file);
    ck_assert_msg(candidate->stage == stage, "%s reached stage %d instead of %d: %s", file,
                  (int)candidate->stage, (int)stage, candidate->reason);
    ck_assert_msg(strstr(candidate->reason, words) != NULL, "the reason of %s does not say \"%s\": %s", file,
                  words, candidate->reason);
    ck_assert_msg(candidate->reason[0] != '\0', "%s was refused without a reason", file);
}

void nest_accepted(struct trm_context *context, const char *file)
{
    const struct trm_candidate *candidate = nest_candidate(context, file);

    ck_assert_msg(candidate != NULL, "%s is no candidate", file);
    ck_assert_msg(candidate->accepted == 1, "%s was refused: %s", file, candidate->reason);
    ck_assert_int_eq(candidate->stage, TRM_CANDIDATE_OPENED);
    ck_assert_str_eq(candidate->reason, "");
}

void nest_device_works(struct trm_context *context, const char *id)
{
    unsigned char sent[1000], received[1000] = {0};
    struct trm_device *device = NULL;
    struct trm_stream *stream = NULL;
    struct trm_buffer *buffer = NULL;
    int32_t status;

    for (size_t i = 0; i < sizeof(sent); i++)
        sent[i] = (unsigned char)(i * 7 + 1);
    status = trm_device_open(context, id, &device);
    ck_assert_msg(status == TRM_OK, "%s cannot be opened: %s", id, trm_last_error().sentence);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(sent), &buffer), TRM_OK);
    ck_assert_int_eq(trm_upload(stream, trm_span_whole(buffer), sent), TRM_OK);
    ck_assert_int_eq(trm_download(stream, received, trm_span_whole(buffer)), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_mem_eq(sent, received, sizeof(sent));

    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
}
