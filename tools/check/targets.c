/* Trireme: the kernels that the command line of `trireme check` names.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/check.h"
#include "tools/kernel/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Takes the text over. */
static void add(struct check_targets *targets, char *text)
{
    char **texts = output_allocate((size_t)targets->count + 1, sizeof(*texts));

    if (targets->count > 0)
        memcpy(texts, targets->texts, (size_t)targets->count * sizeof(*texts));
    free(targets->texts);
    texts[targets->count++] = text;
    targets->texts          = texts;
}

static int is_kernel(const struct dirent *entry)
{
    return code_has_ending(entry->d_name);
}

/* "FOLDER/FILE:OPTIONS"; `options` begins with the colon, or is empty. */
static char *join(const char *folder, const char *file, const char *options)
{
    size_t size = strlen(folder) + strlen(file) + strlen(options) + 2;
    char *text  = output_allocate(size, 1);

    snprintf(text, size, "%s/%s%s", folder, file, options);
    return text;
}

static bool add_folder(struct check_targets *targets, const char *folder, const char *options,
                       struct fault *fault)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_kernel, alphasort);

    if (count < 0)
        return fault_set(fault, "the folder %s cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        add(targets, join(folder, entries[i]->d_name, options));
        free(entries[i]);
    }
    free(entries);
    return count > 0 || fault_set(fault, "the folder %s has no .comp, .glsl or .spv file", folder);
}

/* Text without a slash may be the name of a built-in kernel: a folder of that name counts only if it has
 * kernels in it. "." and ".." are no such names. */
static bool is_folder(const char *path)
{
    struct stat status;
    struct dirent **entries;
    int count;

    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return false;
    if (strchr(path, '/') || *path == '.')
        return true;
    count = scandir(path, &entries, is_kernel, alphasort);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
    return count != 0;
}

bool check_targets_find(struct check_targets *targets, const struct check_options *options,
                        struct fault *fault)
{
    *targets = (struct check_targets){.count = 0};
    for (int i = 0; i < options->kernel_count; i++) {
        char *text     = output_copy(options->kernels[i]);
        size_t length  = strcspn(text, ":");
        bool was_found = true;

        text[length] = '\0';
        if (is_folder(text))
            was_found = add_folder(targets, text, options->kernels[i] + length, fault);
        else
            add(targets, output_copy(options->kernels[i]));
        free(text);
        if (!was_found)
            return false;
    }
    return true;
}

void check_targets_release(struct check_targets *targets)
{
    for (int i = 0; i < targets->count; i++)
        free(targets->texts[i]);
    free(targets->texts);
}
