/* Trireme: the files that a run reads and writes, so that none of them destroys another.
 *
 * Files are compared by device and inode, which also finds hard links, symbolic links and /dev/stdin. Regular
 * files, block devices, pipes and folders are compared; other devices, terminals and sockets may be used
 * several times.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_FILE_CLAIMS_H
#define TRIREME_TOOLS_RUN_FILE_CLAIMS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "tools/output/output.h"

/* What a file is used for. The order is that of the texts in messages. */
enum claim_use {
    CLAIM_INPUT = 0,
    CLAIM_KERNEL,
    CLAIM_OUTPUT, /* from here on the file is written */
    CLAIM_REPORT,
    CLAIM_TRACE,
    CLAIM_TIMELINE,
    CLAIM_LOG,
    CLAIM_USES,
};

struct claim {
    dev_t device;
    ino_t inode;
    int use;    /* enum claim_use */
    char *name; /* NULL: the place in the table is free */
};

struct claims {
    pthread_mutex_t lock; /* several threads write images of a sequence */
    struct claim *table;
    size_t capacity; /* a power of two */
    size_t count;
};

void claims_init(struct claims *claims);
void claims_fini(struct claims *claims);

/* The run reads this file. */
void claims_read(struct claims *claims, const struct stat *file, int use, const char *name);

/* The run writes this file from now on. False: it reads or writes it for something else, and the fault names
 * both. The same use under the same name is no conflict. */
bool claims_write(struct claims *claims, const struct stat *file, int use, const char *name,
                  struct fault *fault);

/* The same for a path, before it is opened. Without a file it has nothing to destroy, but an image in the
 * folder that is the input would be read the next time, and is refused. */
bool claims_write_path(struct claims *claims, const char *path, int use, struct fault *fault);

#endif
