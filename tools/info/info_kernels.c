/* Trireme: `trireme info --kernels`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/info/info.h"

#include "tools/command/command.h"
#include "tools/kernel/kernel.h"
#include "tools/output/output.h"

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
    const char *name;  /* the only kernel to list, with its description; NULL: all */
    uint32_t good;
    uint32_t bad;
    char failure[2048]; /* "": every kernel that was named was found */
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
        signature_print(stdout, &kernel, shader);
        printf("%s\n      ", output_style(OUTPUT_PLAIN));
        signature_print_facts(stdout, &kernel, shader);
        fputc('\n', stdout);
    }
}

static void print_description(const struct trm_shader_place *place)
{
    char *text = info_help_read(place);

    fputc('\n', stdout);
    if (text)
        info_help_print(text);
    else
        puts("It has no description: there is no file with its name and the extension .help beside it.");
    free(text);
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
    char *help = info_help_read(place);

    json_object_begin(json, NULL);
    json_text(json, "name", place->name);
    json_text(json, "path", place->path);
    json_text(json, "failure", shader ? NULL : trm_last_error().sentence);
    json_text(json, "help", help);
    free(help);
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

    if (listing->name && strcmp(listing->name, place->name) != 0)
        return TRM_OK;
    if (listing->name && !listing->json && listing->good + listing->bad > 0)
        fputc('\n', stdout);
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
    if (listing->name && !listing->json)
        print_description(place);
    trm_shader_destroy(shader);
    release_siblings(&siblings);
    return TRM_OK;
}

/* Reports why no kernel has the name, in the library's words; the listing keeps the first such sentence. */
static void report_missing(struct listing *listing, const char *name)
{
    struct trm_shader_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_NAMED, .data = name, .size = strlen(name) + 1};
    struct trm_shader *shader;

    if (trm_shader_create(listing->context, &desc, &shader) == TRM_OK) {
        trm_shader_destroy(shader); /* it has been installed meanwhile */
        return;
    }
    if (!*listing->failure)
        snprintf(listing->failure, sizeof(listing->failure), "%s", trm_last_error().sentence);
    fflush(stdout);
    fputs("trireme: ", stderr);
    output_text(stderr, trm_last_error().sentence);
    fputc('\n', stderr);
}

/* Lists all kernels, or those that are named, in the order of the names. False: the last error says why
 * not. */
static bool list(struct listing *listing, char *const *names)
{
    if (!*names)
        return trm_shader_list(listing->context, visit, listing) == TRM_OK;
    for (; *names; names++) {
        uint32_t before = listing->good + listing->bad;

        listing->name = *names;
        if (trm_shader_list(listing->context, visit, listing) != TRM_OK)
            return false;
        if (listing->good + listing->bad == before)
            report_missing(listing, *names);
    }
    return true;
}

static bool list_json(struct listing *listing, struct json *json, char *const *names)
{
    const char *failure = NULL;
    bool well;

    listing->json = json;
    json_begin(json, stdout, true);
    json_object_begin(json, NULL);
    json_text(json, "version", trm_version());
    json_array_begin(json, "shaders");
    well = list(listing, names);
    json_array_end(json);
    if (!well)
        failure = trm_last_error().sentence;
    else if (*listing->failure)
        failure = listing->failure;
    else if (listing->good == 0)
        failure = listing->name ? "no kernel that was named can be used" : "no kernel was found";
    json_text(json, "failure", failure);
    json_object_end(json);
    json_end(json);
    return well;
}

void info_kernels_failure_json(void)
{
    struct json json;

    json_begin(&json, stdout, true);
    json_object_begin(&json, NULL);
    json_text(&json, "version", trm_version());
    json_array_begin(&json, "shaders");
    json_array_end(&json);
    json_text(&json, "failure", trm_last_error().sentence);
    json_object_end(&json);
    json_end(&json);
}

int info_kernels(struct trm_context *context, bool json, char *const *names)
{
    struct listing listing = {.context = context};
    struct json document;
    bool well = json ? list_json(&listing, &document, names) : list(&listing, names);

    fflush(stdout);
    if (!well)
        return command_failed("kernels cannot be listed");
    if (*names)
        return *listing.failure || listing.bad > 0 ? COMMAND_FAILED : COMMAND_OK;
    if (listing.good > 0)
        return COMMAND_OK;
    fputs("trireme: no kernel was found; kernel.path names the folders to look in\n", stderr);
    return COMMAND_FAILED;
}
