/* Trireme: numbered files, or all images of a folder.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/file/sequence.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/output/output.h"

/* ---- patterns ---- */

/* The length of the directive at `text`, which begins with '%', and the `width` of its number, −1 for "%%".
 * 0: not a known directive. */
static size_t read_directive(const char *text, int *width)
{
    size_t at = 1;

    *width = 0;
    if (text[1] == '%') {
        *width = -1;
        return 2;
    }
    if (text[at] == '0')
        at++;
    while (isdigit((unsigned char)text[at]) && *width < 10)
        *width = 10 * *width + (text[at++] - '0');
    return text[at] == 'd' && *width <= 20 ? at + 1 : 0;
}

bool sequence_is_pattern(const char *path)
{
    unsigned places = 0;

    for (const char *at = strchr(path, '%'); at; at = strchr(at, '%')) {
        int width;
        size_t length = read_directive(at, &width);

        if (length == 0)
            return false;
        if (width >= 0)
            places++;
        at += length;
    }
    return places == 1;
}

char *sequence_path(const char *pattern, uint64_t number)
{
    char *path = output_allocate(strlen(pattern) + 24, 1), *to = path;

    for (const char *at = pattern; *at;) {
        int width;
        size_t length = *at == '%' ? read_directive(at, &width) : 0;

        if (length == 0)
            *to++ = *at++;
        else if (width < 0)
            *to++ = '%';
        else
            to += sprintf(to, "%0*" PRIu64, width, number);
        at += length;
    }
    *to = '\0';
    return path;
}

/* ---- lists ---- */

static void add(struct sequence *sequence, char *path)
{
    if (sequence->count == sequence->capacity) {
        char **paths;

        sequence->capacity = sequence->capacity ? 2 * sequence->capacity : 64;
        paths              = output_allocate(sequence->capacity, sizeof(*paths));
        if (sequence->count > 0)
            memcpy(paths, sequence->paths, sequence->count * sizeof(*paths));
        free(sequence->paths);
        sequence->paths = paths;
    }
    sequence->paths[sequence->count++] = path;
}

/* Natural order of names: "frame9" before "frame10". */
static int compare_names(const void *one, const void *other)
{
    const char *p = *(char *const *)one, *q = *(char *const *)other;

    return strverscmp(p, q);
}

bool sequence_is_image(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name  = slash ? slash + 1 : path;
    const char *dot   = strrchr(name, '.');

    return dot && dot != name &&
           (strcasecmp(dot, ".ppm") == 0 || strcasecmp(dot, ".pgm") == 0 || strcasecmp(dot, ".pnm") == 0);
}

static bool find_in_folder(struct sequence *sequence, const char *path, struct fault *fault)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    if (!folder)
        return fault_set(fault, "%s: cannot be opened: %s", path, strerror(errno));
    while ((entry = readdir(folder)) != NULL) {
        size_t length = strlen(path) + strlen(entry->d_name) + 2;
        char *file;

        if (!sequence_is_image(entry->d_name))
            continue;
        file = output_allocate(length, 1);
        snprintf(file, length, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entry->d_name);
        add(sequence, file);
    }
    closedir(folder);
    if (sequence->count == 0)
        return fault_set(fault, "%s: the folder has no file that ends in .ppm, .pgm or .pnm", path);
    sequence->first  = 1;
    sequence->folder = true;
    qsort(sequence->paths, sequence->count, sizeof(*sequence->paths), compare_names);
    return true;
}

static bool find_numbered(struct sequence *sequence, const char *pattern, struct fault *fault)
{
    enum {
        LATEST_BEGINNING = 4
    };

    for (uint64_t number = 0;; number++) {
        char *path = sequence_path(pattern, number);

        if (access(path, F_OK) == 0) {
            if (sequence->count == 0)
                sequence->first = number;
            add(sequence, path);
            continue;
        }
        free(path);
        if (sequence->count > 0)
            return true;
        if (number == LATEST_BEGINNING)
            return fault_set(fault, "%s: there is no file of such a name with a number from 0 to %d", pattern,
                             LATEST_BEGINNING);
    }
}

bool sequence_find(struct sequence *sequence, const char *path, struct fault *fault)
{
    struct stat state;

    memset(sequence, 0, sizeof(*sequence));
    if (stat(path, &state) == 0)
        return S_ISDIR(state.st_mode) ? find_in_folder(sequence, path, fault) : true;
    return sequence_is_pattern(path) ? find_numbered(sequence, path, fault) : true;
}

void sequence_release(struct sequence *sequence)
{
    for (uint64_t i = 0; i < sequence->count; i++)
        free(sequence->paths[i]);
    free(sequence->paths);
    memset(sequence, 0, sizeof(*sequence));
}
