/* Evicts files from the cache. Several processes may do this at once; a file that another process has
 * removed counts as removed.
 * SPDX-License-Identifier: MIT
 */
#include "core/cache/cache_trim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "core/object/object.h"

#define UNFINISHED "new-"
#define FOREIGN_SECONDS 86400 /* older files of other machines count as abandoned */
#define FIRST_CAPACITY 256u

struct entry {
    char name[2 * BASE_SHA256_BYTES + 24];
    uint64_t size;
    struct timespec used;
};

struct listing {
    struct core_context *context;
    int folder;
    uint64_t bytes;
    struct entry *entries;
    uint32_t count, capacity;
};

/* ---- owners of unfinished files ------------------------------------------------------------ */

/* A hash of what process ids are unique in: the boot of a machine and the PID namespace. */
static uint32_t process_space(void)
{
    char boot[64] = "";
    struct stat space;
    uint8_t digest[BASE_SHA256_BYTES];
    struct base_sha256 hash;
    uint64_t inode = stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;

    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, boot, sizeof(boot) - 1) < 0)
            boot[0] = '\0';
        close(file);
    }
    base_sha256_init(&hash);
    base_sha256_update(&hash, boot, sizeof(boot));
    base_sha256_update(&hash, &inode, sizeof(inode));
    base_sha256_final(&hash, digest);
    return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 | digest[3];
}

void core_cache_owner(char owner[CORE_CACHE_OWNER_BYTES])
{
    snprintf(owner, CORE_CACHE_OWNER_BYTES, UNFINISHED "%08x-%ld-", process_space(), (long)getpid());
}

static bool is_abandoned(const char *name, const struct stat *facts)
{
    unsigned space;
    long process;

    if (sscanf(name, UNFINISHED "%8x-%ld-", &space, &process) != 2)
        return false;
    if (space == process_space())
        return process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
    return time(NULL) - facts->st_mtime > FOREIGN_SECONDS;
}

/* ---- stored files -------------------------------------------------------------------------- */

static bool grow(struct listing *listing)
{
    uint32_t capacity     = listing->capacity == 0 ? FIRST_CAPACITY : 2 * listing->capacity;
    struct entry *entries = core_allocate(listing->context, capacity * sizeof(*entries));

    if (entries == NULL)
        return false;
    if (listing->count != 0)
        memcpy(entries, listing->entries, listing->count * sizeof(*entries));
    core_free(listing->context, listing->entries, listing->capacity * sizeof(*entries));
    listing->entries  = entries;
    listing->capacity = capacity;
    return true;
}

bool core_cache_is_stored(const char *name)
{
    size_t length = strlen(name);

    return length > 2 * BASE_SHA256_BYTES && length < sizeof(((struct entry *)0)->name) &&
           strspn(name, "0123456789abcdef") == 2 * BASE_SHA256_BYTES && name[2 * BASE_SHA256_BYTES] == '.';
}

static void add_file(struct listing *listing, const char *name)
{
    struct stat facts;

    if (fstatat(listing->folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode))
        return;
    if (is_abandoned(name, &facts)) {
        (void)unlinkat(listing->folder, name, 0);
        return;
    }
    if (!core_cache_is_stored(name))
        return;
    listing->bytes += (uint64_t)facts.st_size;
    if (listing->count == listing->capacity && !grow(listing))
        return;
    struct entry *entry = &listing->entries[listing->count++];
    memcpy(entry->name, name, strlen(name) + 1);
    entry->size = (uint64_t)facts.st_size;
    entry->used = facts.st_mtim;
}

static int compare_times(const void *left, const void *right)
{
    const struct timespec *one = &((const struct entry *)left)->used;
    const struct timespec *two = &((const struct entry *)right)->used;

    if (one->tv_sec != two->tv_sec)
        return one->tv_sec < two->tv_sec ? -1 : 1;
    return (one->tv_nsec > two->tv_nsec) - (one->tv_nsec < two->tv_nsec);
}

static void evict(struct listing *listing, const char *newest, uint64_t limit)
{
    if (listing->bytes <= limit || listing->count == 0)
        return;
    qsort(listing->entries, listing->count, sizeof(*listing->entries), compare_times);
    for (uint32_t i = 0; i < listing->count && listing->bytes > limit; i++) {
        const struct entry *entry = &listing->entries[i];
        if (strcmp(entry->name, newest) == 0)
            continue;
        if (unlinkat(listing->folder, entry->name, 0) == 0 || errno == ENOENT)
            listing->bytes -= entry->size;
    }
}

void core_cache_trim(struct core_context *context, const char *folder, const char *newest, uint64_t limit)
{
    struct listing listing = {.context = context};
    const struct dirent *entry;

    DIR *handle = opendir(folder);
    if (handle == NULL) {
        core_log(context, TRM_LOG_DEBUG, "cannot read the folder %s: %m", folder);
        return;
    }
    listing.folder = dirfd(handle);
    while ((entry = readdir(handle)) != NULL)
        add_file(&listing, entry->d_name);
    evict(&listing, newest, limit);
    core_free(context, listing.entries, listing.capacity * sizeof(*listing.entries));
    closedir(handle);
}
