/* Seals and checks files of the cache.
 * SPDX-License-Identifier: MIT
 */
#include "core/cache/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

/* The end of each file. */
struct trailer {
    char magic[16];
    uint64_t length; /* bytes before the trailer */
    uint8_t checksum[BASE_SHA256_BYTES];
};

_Static_assert(sizeof(struct trailer) == 56, "no padding, since it is written as it is");

static const char magic[16] = "trireme cache 1";

/* A file that cannot be opened for lack of descriptors or memory may be good: then the cache has none now. */
static int32_t fail_errno(const char *path, const char *what)
{
    bool is_missing = errno == ENOENT || errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    int32_t status  = is_missing ? TRM_ERROR_NOT_FOUND : TRM_ERROR_BACKEND;

    return base_fail(status, "%s cannot be %s: %m", path, what);
}

static int32_t open_own(const char *path, int flags, int *file, struct stat *facts)
{
    int opened = open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    if (opened < 0)
        return fail_errno(path, "opened");
    if (fstat(opened, facts) != 0) {
        int32_t status = fail_errno(path, "examined");
        close(opened);
        return status;
    }
    if (!S_ISREG(facts->st_mode) || facts->st_uid != geteuid() || facts->st_nlink != 1) {
        close(opened);
        return base_fail(TRM_ERROR_PERMISSION, "%s is not a regular file with one name that this user owns",
                         path);
    }
    *file = opened;
    return TRM_OK;
}

/* False on an error, and where the file is shorter. */
static bool read_all(int file, void *to, uint64_t size, uint64_t offset)
{
    uint64_t count;

    return base_file_read(file, to, size, offset, &count) == 0 && count == size;
}

/* Computes the checksum, which covers the name too. False when the file cannot be read. */
static bool compute_checksum(int file, uint64_t length, const uint8_t name[BASE_SHA256_BYTES],
                             uint8_t checksum[BASE_SHA256_BYTES])
{
    uint8_t part[16384];
    struct base_sha256 hash;

    base_sha256_init(&hash);
    base_sha256_update(&hash, name, BASE_SHA256_BYTES);
    for (uint64_t done = 0; done < length;) {
        size_t count = length - done < sizeof(part) ? (size_t)(length - done) : sizeof(part);
        if (!read_all(file, part, count, done))
            return false;
        base_sha256_update(&hash, part, count);
        done += count;
    }
    base_sha256_final(&hash, checksum);
    return true;
}

/* Copies from one open file to the other. 0 or an errno. */
static int32_t copy_contents(int from, int to)
{
    uint8_t part[16384];
    uint64_t count = sizeof(part);
    int32_t error  = 0;

    for (uint64_t done = 0; error == 0 && count == sizeof(part); done += count) {
        error = base_file_read(from, part, sizeof(part), done, &count);
        if (error == 0)
            error = base_file_write(to, part, count, done);
    }
    return error;
}

int32_t core_cache_file_copy(const char *from, const char *path)
{
    struct stat facts;
    int to, source = open(from, O_RDONLY | O_CLOEXEC);

    if (source < 0)
        return fail_errno(from, "opened");
    int32_t status = open_own(path, O_WRONLY, &to, &facts);
    if (status == TRM_OK) {
        int32_t error = copy_contents(source, to);
        if (close(to) != 0 && error == 0)
            error = errno;
        errno = error;
        if (error != 0)
            status = fail_errno(path, "written");
    }
    close(source);
    return status;
}

int32_t core_cache_file_seal(const char *path, const uint8_t name[BASE_SHA256_BYTES], uint64_t *size)
{
    struct trailer trailer;
    struct stat facts;
    int file;

    int32_t status = open_own(path, O_RDWR, &file, &facts);
    if (status != TRM_OK)
        return status;
    memcpy(trailer.magic, magic, sizeof(magic));
    trailer.length = (uint64_t)facts.st_size;
    if (!compute_checksum(file, trailer.length, name, trailer.checksum))
        status = fail_errno(path, "read");
    else if ((errno = base_file_write(file, &trailer, sizeof(trailer), trailer.length)) != 0 ||
             fchmod(file, 0600) != 0)
        status = fail_errno(path, "written");
    if (close(file) != 0 && status == TRM_OK)
        status = fail_errno(path, "written");
    *size = trailer.length + sizeof(trailer);
    return status;
}

static int32_t check_open(int file, const struct stat *facts, const char *path,
                          const uint8_t name[BASE_SHA256_BYTES])
{
    struct trailer trailer;
    uint8_t checksum[BASE_SHA256_BYTES];
    uint64_t size = (uint64_t)facts->st_size;

    if (facts->st_mode & 077)
        return base_fail(TRM_ERROR_PERMISSION, "%s is accessible to other users", path);
    if (size < sizeof(trailer) || !read_all(file, &trailer, sizeof(trailer), size - sizeof(trailer)) ||
        memcmp(trailer.magic, magic, sizeof(magic)) != 0 || trailer.length != size - sizeof(trailer))
        return base_fail(TRM_ERROR_BACKEND, "%s is incomplete", path);
    if (!compute_checksum(file, trailer.length, name, checksum) ||
        memcmp(trailer.checksum, checksum, sizeof(checksum)) != 0)
        return base_fail(TRM_ERROR_BACKEND, "%s is damaged: its checksum is wrong", path);
    return TRM_OK;
}

int32_t core_cache_file_check(const char *path, const uint8_t name[BASE_SHA256_BYTES])
{
    struct stat facts;
    int file;

    int32_t status = open_own(path, O_RDONLY, &file, &facts);
    if (status != TRM_OK)
        return status;
    status = check_open(file, &facts, path, name);
    if (status == TRM_OK)
        (void)futimens(file, NULL); /* where this fails, the file is only evicted sooner */
    close(file);
    return status;
}
