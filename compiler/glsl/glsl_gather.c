/* Gathers a text and the files that it includes.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_gather.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compiler/glsl/glsl_scan.h"

#define DIGITS 6
#define NODES_MOST 999999u
#define WHY_MOST 800 /* bytes of a reason: tokens of the preprocessor are short */

/* Text that replaces [begin, end) of a file. */
struct patch {
    size_t begin, end;
    const char *text;
};

struct gathering {
    const struct base_program *program;
    struct glsl_includes *includes;
    struct glsl_nodes *nodes;
    struct patch *patches; /* of the file that is being written */
    uint32_t patch_count, patch_capacity;
};

static struct base_arena *arena_of(const struct gathering *gathering)
{
    return gathering->includes->arena;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* The number of a new node. NODES_MOST without memory, and if there are too many. */
static uint32_t add_node(struct gathering *gathering, struct glsl_node node)
{
    struct glsl_nodes *nodes = gathering->nodes;
    if (nodes->count == NODES_MOST || !base_arena_grow(arena_of(gathering), &nodes->list, nodes->count,
                                                       &nodes->capacity, sizeof(*nodes->list)))
        return NODES_MOST;
    nodes->list[nodes->count] = node;
    return nodes->count++;
}

/* The number of a file at a depth. 0 without memory: no file includes the text itself by that number. */
static uint32_t node_of(struct gathering *gathering, struct glsl_file *file, uint32_t depth)
{
    if (file->nodes == NULL)
        file->nodes = base_arena_allocate(arena_of(gathering), GLSL_DEPTH_MOST + 1, sizeof(*file->nodes));
    if (file->nodes == NULL)
        return 0;
    if (file->nodes[depth] == 0) {
        uint32_t number = add_node(
            gathering, (struct glsl_node){
                           .path = file->path, .content = file->content, .size = file->size, .depth = depth});
        file->nodes[depth] = number == NODES_MOST ? 0 : number;
    }
    return file->nodes[depth];
}

/* ---- patches -------------------------------------------------------------------------------- */

/* "#error" with a reason as one string, in which the preprocessor finds nothing special. */
static const char *error_text(struct base_arena *arena, const char *why)
{
    char *text = base_arena_format(arena, "#error \"%.*s\"", WHY_MOST, why);
    for (char *letter = text != NULL ? text + strlen("#error \"") : NULL;
         letter != NULL && letter[0] != '\0' && letter[1] != '\0'; letter++)
        if (*letter == '"' || *letter == '\\' || (unsigned char)*letter < ' ')
            *letter = '\'';
    return text;
}

/* Appends as many continued lines as the patch covers, so that the numbers of the lines stay. */
static const char *with_lines(struct base_arena *arena, const char *replacement, const char *text,
                              size_t begin, size_t end)
{
    size_t length = strlen(replacement), lines = 0;
    for (size_t i = begin; i < end; i++)
        lines += text[i] == '\n';
    char *longer = base_arena_allocate(arena, length + 2 * lines + 1, 1);
    if (longer == NULL)
        return NULL;
    memcpy(longer, replacement, length);
    for (size_t i = 0; i < lines; i++)
        memcpy(longer + length + 2 * i, "\\\n", 2);
    return longer;
}

static bool add_patch(struct gathering *gathering, const char *text, size_t begin, size_t end,
                      const char *replacement)
{
    const char *lines =
        replacement != NULL ? with_lines(arena_of(gathering), replacement, text, begin, end) : NULL;
    if (lines == NULL || !base_arena_grow(arena_of(gathering), &gathering->patches, gathering->patch_count,
                                          &gathering->patch_capacity, sizeof(*gathering->patches)))
        return false;
    gathering->patches[gathering->patch_count++] = (struct patch){.begin = begin, .end = end, .text = lines};
    return true;
}

/* Resolves one #include of a node. False without memory. */
static bool resolve(struct gathering *gathering, const struct glsl_node *node,
                    const struct glsl_directive *directive)
{
    struct base_arena *arena = arena_of(gathering);
    const char *why, *requested = base_arena_text(arena, node->content + directive->begin + 1,
                                                  directive->end - directive->begin - 2);
    if (requested == NULL)
        return false;
    struct glsl_file *file = glsl_include_find(gathering->includes, requested, directive->is_relative,
                                               node->path, node->depth + 1, &why);
    if (file == NULL)
        return !arena->failed &&
               add_patch(gathering, node->content, directive->hash, directive->end, error_text(arena, why));
    uint32_t number = node_of(gathering, file, node->depth + 1);
    return number != 0 && add_patch(gathering, node->content, directive->begin, directive->end,
                                    base_arena_format(arena, "\"" GLSL_GATHERED "%06" PRIu32 "\"", number));
}

/* ---- writing -------------------------------------------------------------------------------- */

static const char *patched(struct gathering *gathering, const struct glsl_node *node, uint64_t *size)
{
    uint64_t length = node->size, at = 0;
    for (uint32_t i = 0; i < gathering->patch_count; i++)
        length += strlen(gathering->patches[i].text);
    char *text = base_arena_allocate(arena_of(gathering), length + 1, 1), *end = text;
    if (text == NULL)
        return NULL;
    for (uint32_t i = 0; i < gathering->patch_count; i++) {
        const struct patch *patch = &gathering->patches[i];
        memcpy(end, node->content + at, patch->begin - at);
        end += patch->begin - at;
        memcpy(end, patch->text, strlen(patch->text));
        end += strlen(patch->text);
        at = patch->end;
    }
    memcpy(end, node->content + at, node->size - at);
    *size = (uint64_t)(end - text) + node->size - at;
    return text;
}

static int32_t write_node(struct gathering *gathering, uint32_t number)
{
    struct glsl_node node = gathering->nodes->list[number]; /* a copy, as the list moves */
    struct glsl_scan scan = {.text = node.content, .size = node.size};
    struct glsl_directive directive;
    char name[sizeof(GLSL_GATHERED_FIRST)];
    uint64_t size = 0;

    gathering->patch_count = 0;
    while (glsl_scan_next(&scan, &directive))
        if (!resolve(gathering, &node, &directive))
            return base_arena_fail(arena_of(gathering), "gathering included files");
    const char *text = patched(gathering, &node, &size);
    if (text == NULL)
        return base_arena_fail(arena_of(gathering), "gathering included files");
    snprintf(name, sizeof(name), GLSL_GATHERED "%06u", number % (NODES_MOST + 1));
    return base_program_write(gathering->program, name, text, size);
}

int32_t glsl_gather(const struct base_program *program, struct glsl_includes *includes, const char *text,
                    uint64_t length, const char *file, struct glsl_nodes *nodes)
{
    struct gathering gathering = {.program = program, .includes = includes, .nodes = nodes};
    int32_t status             = TRM_OK;

    if (add_node(&gathering, (struct glsl_node){.path = file, .content = text, .size = length}) != 0)
        return base_arena_fail(includes->arena, "gathering included files");
    for (uint32_t i = 0; status == TRM_OK && i < nodes->count; i++)
        status = write_node(&gathering, i);
    return status;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* The number behind GLSL_GATHERED; the count of the nodes if there is none. */
static uint32_t read_number(const struct glsl_nodes *nodes, const char *digits)
{
    uint32_t number = 0;
    for (int i = 0; i < DIGITS; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return nodes->count;
        number = 10 * number + (uint32_t)(digits[i] - '0');
    }
    return number < nodes->count ? number : nodes->count;
}

/* The next name of a node in `text`, and the node's number. NULL: none. */
static const char *find_name(const struct glsl_nodes *nodes, const char *text, uint32_t *number)
{
    for (; (text = strstr(text, GLSL_GATHERED)) != NULL; text++) {
        *number = read_number(nodes, text + strlen(GLSL_GATHERED));
        if (*number < nodes->count)
            return text;
    }
    return NULL;
}

const char *glsl_gather_rename(struct base_arena *arena, const struct glsl_nodes *nodes, const char *text)
{
    size_t length = strlen(text);
    uint32_t number;

    for (const char *at = find_name(nodes, text, &number); at != NULL;
         at             = find_name(nodes, at + strlen(GLSL_GATHERED_FIRST), &number))
        length += strlen(nodes->list[number].path);
    if (length == strlen(text))
        return text;
    char *renamed = base_arena_allocate(arena, length + 1, 1), *end = renamed;
    if (renamed == NULL)
        return NULL;
    for (const char *at = find_name(nodes, text, &number); at != NULL; at = find_name(nodes, text, &number)) {
        memcpy(end, text, (size_t)(at - text));
        end += at - text;
        memcpy(end, nodes->list[number].path, strlen(nodes->list[number].path));
        end += strlen(nodes->list[number].path);
        text = at + strlen(GLSL_GATHERED_FIRST);
    }
    memcpy(end, text, strlen(text) + 1);
    return renamed;
}
