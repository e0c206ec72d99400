/* A fuzz target: the files that GLSL includes, as glslc gets them and as libshaderc asks for them.
 *
 * The first byte of an input has options, the rest is lines. They are the text that is compiled, up to the
 * first line that makes something beside it:
 *
 *     +NAME         a file; the lines that follow are in it
 *     @NAME TARGET  a symbolic link
 *     |NAME         a FIFO
 *     /NAME         a folder
 *     <NAME         nothing, but this folder is searched too
 *
 * NAME is a name in the folder of the text, or sub/ and a name.
 *
 * For any input the search ends, within the limits of glsl_include.h; what fails has a sentence; and the
 * gathered files include gathered files only, each of them one level deeper, with their lines where they
 * were.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/glsl/glsl_gather.h"
#include "compiler/glsl/glsl_include.h"
#include "compiler/glsl/glsl_scan.h"
#include "tests/fuzz/fuzz.h"

enum {
    OPTION_NO_FILE = 1, /* the text is in no file */
    OPTION_FAR     = 2, /* libshaderc's side goes on up to the limits */
    FOLDERS_MOST   = 8,
    STEPS_MOST     = 1000, /* without OPTION_FAR */
    LINE_MOST      = 4096
};

struct scene {
    struct base_arena arena;
    struct trm_glsl_options options;
    const char *folders[FOLDERS_MOST];
    char *text;
    size_t length;
    uint32_t steps_left;
};

/* ---- the files ---- */

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)type;
    (void)where;
    return remove(path);
}

static void make_folder(const char *path)
{
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        fuzz_fail("%s cannot be removed: %m", path);
    if (mkdir(path, 0700) != 0)
        fuzz_fail("%s cannot be made: %m", path);
}

/* The path of a name, or NULL where it would lead out of the folder. */
static const char *path_of(struct scene *scene, const char *name)
{
    const char *last = strncmp(name, "sub/", 4) == 0 ? name + 4 : name;

    if (last[0] == '\0' || strchr(last, '/') != NULL || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return NULL;
    return base_arena_format(&scene->arena, "tree/%s", name);
}

/* A name that the file system refuses, or has already, makes nothing. */
static int make_file(struct scene *scene, const char *name)
{
    const char *path = path_of(scene, name);

    return path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static void make_link(struct scene *scene, char *name)
{
    char *target = strchr(name, ' ');

    if (target == NULL)
        return;
    *target++        = '\0';
    const char *path = path_of(scene, name);
    if (path != NULL)
        (void)!symlink(target, path);
}

/* Makes what a line says. The descriptor of a file that begins; -1: none. */
static int make(struct scene *scene, char *line)
{
    const char *path = path_of(scene, line + 1);

    if (line[0] == '+')
        return make_file(scene, line + 1);
    if (line[0] == '@')
        make_link(scene, line + 1);
    else if (line[0] == '|' && path != NULL)
        (void)!mkfifo(path, 0600);
    else if (line[0] == '/' && path != NULL)
        (void)!mkdir(path, 0700);
    else if (path != NULL && scene->options.include_count < FOLDERS_MOST)
        scene->folders[scene->options.include_count++] = path;
    return -1;
}

static void add(struct scene *scene, int file, const char *line, size_t length)
{
    if (file < 0) {
        memcpy(scene->text + scene->length, line, length);
        scene->length += length;
    } else if (write(file, line, length) != (ssize_t)length) {
        fuzz_fail("a file cannot be written: %m");
    }
}

static void make_scene(struct scene *scene, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    bool is_text    = true;
    int file        = -1;

    make_folder("tree");
    make_folder("gathered");
    if (mkdir("tree/sub", 0700) != 0)
        fuzz_fail("tree/sub cannot be made: %m");
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length    = (size_t)((feed != NULL ? feed + 1 : end) - bytes);
        if (strchr("+@|/<", *bytes) != NULL && *bytes != '\0' && length < LINE_MOST) {
            char line[LINE_MOST];
            memcpy(line, bytes, length);
            line[feed != NULL ? length - 1 : length] = '\0';
            if (file >= 0)
                close(file);
            file    = make(scene, line);
            is_text = false;
        } else if (file >= 0 || is_text) {
            add(scene, file, bytes, length);
        }
        bytes += length;
    }
    if (file >= 0)
        close(file);
}

/* ---- as glslc gets them ---- */

static size_t count_lines(const char *text, uint64_t size)
{
    size_t count = 0;

    for (uint64_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

/* The node that a gathered file includes. */
static const struct glsl_node *included_by(const struct glsl_nodes *nodes, const char *name, size_t length)
{
    const size_t prefix = strlen("\"" GLSL_GATHERED);
    char digits[8]      = "";

    if (length != strlen("\"" GLSL_GATHERED_FIRST "\"") || memcmp(name, "\"" GLSL_GATHERED, prefix) != 0)
        fuzz_fail("a gathered file includes %.*s", (int)length, name);
    memcpy(digits, name + prefix, 6);
    unsigned long number = strtoul(digits, NULL, 10);
    if (number == 0 || number >= nodes->count)
        fuzz_fail("a gathered file includes number %lu of %" PRIu32, number, nodes->count);
    return &nodes->list[number];
}

static void check_node(struct base_arena *arena, const struct glsl_nodes *nodes, uint32_t number)
{
    const struct glsl_node *node = &nodes->list[number];
    struct glsl_directive directive;
    const void *text;
    uint64_t size;

    const char *path = base_arena_format(arena, "gathered/" GLSL_GATHERED "%06" PRIu32, number);
    if (base_read_file(arena, path, UINT64_MAX, &text, &size) != 0)
        fuzz_fail("%s cannot be read", path);
    if (count_lines(text, size) != count_lines(node->content, node->size))
        fuzz_fail("%s has other lines than %s", path, node->path);
    struct glsl_scan scan = {.text = text, .size = size};
    while (glsl_scan_next(&scan, &directive)) {
        const struct glsl_node *next =
            included_by(nodes, scan.text + directive.begin, directive.end - directive.begin);
        if (next->depth != node->depth + 1 || next->depth > GLSL_DEPTH_MOST)
            fuzz_fail("a file at depth %" PRIu32 " includes one at %" PRIu32, node->depth, next->depth);
    }
}

static void check_limits(const struct glsl_includes *includes)
{
    if (includes->file_count > GLSL_FILES_MOST || includes->total > GLSL_TOTAL_MOST + GLSL_FILE_MOST)
        fuzz_fail("%" PRIu32 " files, %" PRIu64 " bytes of includes", includes->file_count, includes->total);
    for (const struct glsl_file *file = includes->files; file != NULL; file = file->next)
        if (file->size > GLSL_FILE_MOST)
            fuzz_fail("%s has %" PRIu64 " bytes", file->path, file->size);
}

static void try_gathering(struct scene *scene, const struct glsl_source *source)
{
    struct base_program program   = {.arena = &scene->arena, .folder = "gathered"};
    struct glsl_includes includes = glsl_includes_of(source);
    struct glsl_nodes nodes       = {.count = 0};
    uint64_t total                = 0;

    int32_t status = glsl_gather(&program, &includes, scene->text, scene->length, source->name, &nodes);
    if (status != TRM_OK)
        fuzz_fail("status %" PRId32 ": %s", status, trm_last_error().sentence);
    check_limits(&includes);
    for (uint32_t i = 0; i < nodes.count; i++) {
        total += i != 0 ? nodes.list[i].size : 0;
        check_node(&scene->arena, &nodes, i);
    }
    if (total > GLSL_TOTAL_MOST)
        fuzz_fail("%" PRIu64 " bytes are gathered", total);
    if (glsl_gather_rename(&scene->arena, &nodes, scene->text) == NULL)
        fuzz_fail("the names of the files are lost");
}

/* ---- as libshaderc asks for them ---- */

static void ask(struct scene *scene, struct glsl_includes *includes, const char *text, size_t size,
                const char *path, size_t depth)
{
    struct glsl_scan scan = {.text = text, .size = size};
    struct glsl_directive directive;

    while (scene->steps_left > 0 && glsl_scan_next(&scan, &directive)) {
        const char *name =
            base_arena_text(&scene->arena, text + directive.begin + 1, directive.end - directive.begin - 2);
        const struct glsl_included *included =
            glsl_include(includes, name, directive.is_relative ? GLSL_INCLUDE_RELATIVE : 1, path, depth + 1);
        check_limits(includes);
        scene->steps_left--;
        if (included->content_length == 0 && included->source_name_length == 0)
            fuzz_fail("%s is refused without a word", name);
        if (included->source_name_length == 0)
            continue;
        if (depth >= GLSL_DEPTH_MOST)
            fuzz_fail("a file is included at depth %zu", depth + 1);
        ask(scene, includes, included->content, included->content_length, included->source_name, depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input input = {bytes, size};
    uint8_t options         = fuzz_take_byte(&input);
    struct scene scene      = {.options = {.struct_size = sizeof(scene.options)}};

    base_arena_init(&scene.arena, &base_system_allocator);
    scene.text = base_arena_allocate(&scene.arena, input.left + 1, 1);
    if (scene.text == NULL)
        fuzz_fail("no memory");
    make_scene(&scene, (const char *)input.bytes, input.left);
    scene.options.includes    = scene.folders;
    scene.options.file        = options & OPTION_NO_FILE ? NULL : "tree/text.comp";
    struct glsl_source source = {
        .arena = &scene.arena, .text = scene.text, .name = "tree/text.comp", .options = &scene.options};

    try_gathering(&scene, &source);
    struct glsl_includes includes = glsl_includes_of(&source);
    scene.steps_left              = options & OPTION_FAR ? GLSL_INCLUDES_MOST + STEPS_MOST : STEPS_MOST;
    ask(&scene, &includes, scene.text, scene.length, source.name, 0);
    base_arena_fini(&scene.arena);
    return 0;
}
