/* Trireme: `trireme info --kernels`.
 * SPDX-License-Identifier: MIT
 */
#include "info.h"

#include "command.h"
#include "output.h"
#include "signature.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files with the stem of a .spv file: the parts of their names between stem and extension, sorted. */
struct siblings {
    char **names;
    uint32_t count;
};

/* The state of the listing. */
struct listing {
    struct trm_context *context;
    struct json *json; /* NULL: as text */
    uint32_t good;
    uint32_t bad;
};

static bool is_code(const char *name)
{
    static const char *const extensions[] = {".so", ".fatbin", ".ptx", ".cubin"};
    const char *dot                       = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof(extensions) / sizeof(extensions[0]); i++)
        if (strcmp(dot, extensions[i]) == 0)
            return true;
    return false;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void read_siblings(DIR *folder, const char *stem, struct siblings *siblings)
{
    size_t length     = strlen(stem);
    uint32_t capacity = 0;
    struct dirent *entry;

    while ((entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;

        if (strncmp(name, stem, length) != 0 || name[length] != '.' || !is_code(name))
            continue;
        if (siblings->count == capacity) {
            char **names;

            capacity = capacity ? 2 * capacity : 16;
            names    = output_allocate(capacity, sizeof(*names));
            if (siblings->count > 0)
                memcpy(names, siblings->names, siblings->count * sizeof(*names));
            free(siblings->names);
            siblings->names = names;
        }
        siblings->names[siblings->count++] = output_copy(name);
    }
    if (siblings->count > 1)
        qsort(siblings->names, siblings->count, sizeof(*siblings->names), compare_names);
}

static void find_siblings(const struct trm_shader_place *place, struct siblings *siblings)
{
    char *path  = output_copy(place->path);
    char *slash = strrchr(path, '/');
    DIR *folder;

    siblings->names = NULL;
    siblings->count = 0;
    if (slash)
        *slash = '\0';
    folder = opendir(slash ? path : ".");
    if (folder) {
        read_siblings(folder, place->name, siblings);
        closedir(folder);
    }
    free(path);
}

static void release_siblings(struct siblings *siblings)
{
    for (uint32_t i = 0; i < siblings->count; i++)
        free(siblings->names[i]);
    free(siblings->names);
}

/* ---- text ---- */

static void print_kernels(struct trm_shader *shader)
{
    struct trm_kernel_info kernel = {.struct_size = sizeof(kernel)};

    for (uint32_t i = 0; trm_shader_kernel(shader, i, &kernel) == TRM_OK; i++) {
        fputs(output_style(OUTPUT_BOLD), stdout);
        signature_print(stdout, &kernel);
        printf("%s\n      ", output_style(OUTPUT_PLAIN));
        signature_print_facts(stdout, &kernel, shader);
        fputc('\n', stdout);
    }
}

static void print_text(const struct trm_shader_place *place, struct trm_shader *shader,
                       const struct siblings *siblings)
{
    if (shader) {
        print_kernels(shader);
    } else {
        output_text(stdout, place->name);
        printf("  %srefused%s: ", output_style(OUTPUT_BAD), output_style(OUTPUT_PLAIN));
        output_text(stdout, trm_last_error().sentence);
        fputc('\n', stdout);
    }
    printf("      %s", output_style(OUTPUT_FAINT));
    output_text(stdout, place->path);
    for (uint32_t i = 0; i < siblings->count; i++) {
        fputc(' ', stdout);
        output_text(stdout, siblings->names[i] + strlen(place->name));
    }
    printf("%s\n", output_style(OUTPUT_PLAIN));
}

/* ---- JSON ---- */

static void print_json(struct json *json, const struct trm_shader_place *place, struct trm_shader *shader,
                       const struct siblings *siblings)
{
    json_object_begin(json, NULL);
    json_text(json, "name", place->name);
    json_text(json, "path", place->path);
    json_text(json, "failure", shader ? NULL : trm_last_error().sentence);
    json_array_begin(json, "siblings");
    for (uint32_t i = 0; i < siblings->count; i++)
        json_text(json, NULL, siblings->names[i]);
    json_array_end(json);
    if (shader)
        signature_json(json, shader);
    json_object_end(json);
}

/* ---- the list ---- */

static int32_t visit(void *user, const struct trm_shader_place *place)
{
    struct listing *listing     = user;
    struct trm_shader_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_NAMED,
                                   .data        = place->name,
                                   .size        = strlen(place->name) + 1};
    struct trm_shader *shader   = NULL;
    struct siblings siblings;

    find_siblings(place, &siblings);
    if (trm_shader_create(listing->context, &desc, &shader) == TRM_OK) {
        listing->good++;
    } else {
        shader = NULL;
        listing->bad++;
    }
    if (listing->json)
        print_json(listing->json, place, shader, &siblings);
    else
        print_text(place, shader, &siblings);
    trm_shader_destroy(shader);
    release_siblings(&siblings);
    return TRM_OK;
}

static bool list_json(struct listing *listing, struct json *json)
{
    const char *failure = NULL;
    bool well;

    listing->json = json;
    json_begin(json, stdout, true);
    json_object_begin(json, NULL);
    json_text(json, "version", trm_version());
    json_array_begin(json, "shaders");
    well = trm_shader_list(listing->context, visit, listing) == TRM_OK;
    json_array_end(json);
    if (!well)
        failure = trm_last_error().sentence;
    else if (listing->good == 0)
        failure = "no kernel was found";
    json_text(json, "failure", failure);
    json_object_end(json);
    json_end(json);
    return well;
}

int info_kernels(struct trm_context *context, bool json)
{
    struct listing listing = {.context = context};
    struct json document;
    bool well;

    if (json)
        well = list_json(&listing, &document);
    else
        well = trm_shader_list(context, visit, &listing) == TRM_OK;

    fflush(stdout);
    if (!well)
        return command_failed("kernels cannot be listed");
    if (listing.good > 0)
        return COMMAND_OK;
    fputs("trireme: no kernel was found; kernel.path names the folders to look in\n", stderr);
    return COMMAND_FAILED;
}
