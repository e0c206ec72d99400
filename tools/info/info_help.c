/* Trireme: the description of a kernel, which is the text in NAME.help beside NAME.spv.
 * SPDX-License-Identifier: MIT
 */
#include "tools/info/info.h"

#include "tools/output/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HELP_MOST = 1 << 16 /* bytes; a longer text is cut */
};

static char *help_path(const struct trm_shader_place *place)
{
    size_t capacity = strlen(place->path) + sizeof(".help");
    char *path      = output_allocate(capacity, 1);
    const char *dot = strrchr(place->path, '.');
    const char *end = dot ? dot : place->path + strlen(place->path);

    snprintf(path, capacity, "%.*s.help", (int)(end - place->path), place->path);
    return path;
}

static char *read_text(int descriptor)
{
    char *text  = output_allocate(HELP_MOST + 1, 1);
    size_t size = 0;
    ssize_t got;

    while (size < HELP_MOST && (got = read(descriptor, text + size, HELP_MOST - size)) > 0)
        size += (size_t)got;
    text[size] = '\0';
    return text;
}

char *info_help_read(const struct trm_shader_place *place)
{
    char *path     = help_path(place);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO without a writer would block */
    char *text     = NULL;
    struct stat status;

    free(path);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        text = read_text(descriptor);
    close(descriptor);
    return text;
}

void info_help_print(char *text)
{
    char *rest = text;
    char *line;

    while (rest && *rest) {
        line = strsep(&rest, "\n");
        output_text(stdout, line);
        fputc('\n', stdout);
    }
}
