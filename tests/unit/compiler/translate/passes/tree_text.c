/* A kernel's tree as text.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/translate/passes/tree_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/status.h>

struct printer {
    const struct body *body;
    struct text text;
    uint32_t *numbers; /* numbers of values, by id, in order of their first use */
    uint32_t count;
    bool with_places;
};

/* ---- making ---------------------------------------------------------------------------------- */

int32_t tree_make(struct base_arena *arena, const void *bytes, size_t size, uint32_t index,
                  enum tree_pass pass, bool is_split, struct body **made)
{
    struct spirv_module *module;
    uint32_t *words, count;
    int32_t status = spirv_words(arena, bytes, size, &words, &count);

    if (status == TRM_OK)
        status = spirv_read(arena, words, count, NULL, 0, &module);
    if (status != TRM_OK)
        return status;
    struct body *body = base_arena_allocate(arena, 1, sizeof(*body));
    if (body == NULL || index >= module->entry_count)
        return TRM_ERROR_NOT_FOUND;
    module->has_leaders     = module->has_matrices && is_split; /* as in C */
    body->module            = module;
    body->arena             = arena;
    body->entry             = &module->entries[index];
    body->instruction_limit = TRANSLATE_INSTRUCTIONS;
    status                  = translate_flatten(body);
    if (status == TRM_OK)
        status = translate_promote(body);
    if (status == TRM_OK)
        status = translate_structure(body);
    if (status == TRM_OK && pass == TREE_BOUND)
        status = translate_bound_loops(body);
    if (status == TRM_OK && is_split)
        status = translate_split_at_barriers(body);
    if (status == TRM_OK && pass == TREE_PLACED)
        status = translate_place(body);
    *made = body;
    return status;
}

void *tree_file(struct base_arena *arena, const char *name, size_t *size)
{
    const char *folder = getenv("srcdir");
    const char *path =
        base_arena_format(arena, "%s/tests/unit/shaders/passes/%s", folder == NULL ? "." : folder, name);
    FILE *file  = path == NULL ? NULL : fopen(path, "rb");
    void *bytes = base_arena_allocate(arena, 1 << 20, 1);

    *size = 0;
    if (file == NULL)
        return NULL;
    if (bytes != NULL)
        *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put_scalar(struct printer *p, const struct spirv_type *type, uint64_t bits)
{
    if (type->kind == SPIRV_BOOL) {
        text_add(&p->text, bits != 0 ? "true" : "false");
    } else if (type->kind == SPIRV_FLOAT && type->width == 32) {
        uint32_t low = (uint32_t)bits;
        float number;
        memcpy(&number, &low, sizeof(number));
        text_add(&p->text, "%g", (double)number);
    } else {
        text_add(&p->text, "%" PRId64, (int64_t)bits);
    }
}

static const char *place_text(uint8_t place)
{
    static const char *const texts[] = {
        [PLACE_NONE] = "none", [PLACE_INLINE] = "inline", [PLACE_HERE] = "here",
        [PLACE_TOP] = "top",   [PLACE_GROUP] = "group",   [PLACE_SPILLED] = "spilled",
    };
    return texts[place];
}

static void put_value(struct printer *p, uint32_t id)
{
    const struct spirv_constant *constant = spirv_constant(p->body->module, id);

    if (constant != NULL) {
        const struct spirv_type *type = spirv_type(p->body->module, constant->type);
        if (constant->is_null && type->kind > SPIRV_FLOAT)
            text_add(&p->text, "null");
        else if (constant->part_count != 0)
            text_add(&p->text, "constant");
        else
            put_scalar(p, type, constant->bits);
        return;
    }
    if (p->numbers[id] == 0)
        p->numbers[id] = ++p->count;
    const char *name = p->body->module->ids[id].name;
    text_add(&p->text, "%s%%%u", name == NULL ? "" : name, p->numbers[id]);
}

/* The name of a variable without one. */
static const char *storage_text(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassInput:
        return "id";
    case SpvStorageClassPushConstant:
        return "push";
    case SpvStorageClassWorkgroup:
        return "shared";
    default:
        return "local";
    }
}

static void put_access(struct printer *p, const struct access *access)
{
    const char *name                      = p->body->module->ids[access->variable].name;
    const struct spirv_variable *variable = p->body->module->ids[access->variable].as.variable;

    if (name != NULL && name[0] != '\0')
        text_add(&p->text, "%s", name);
    else if (variable->has_binding)
        text_add(&p->text, "buffer%u", variable->binding);
    else
        text_add(&p->text, "%s", storage_text(variable->storage));
    for (uint32_t i = 0; i < access->count; i++) {
        text_add(&p->text, "[");
        put_value(p, access->indices[i]);
        text_add(&p->text, "]");
    }
}

static void put_operand(struct printer *p, const struct spirv_instruction *op, uint32_t index)
{
    uint32_t operand = op->operands[index];

    if (!operand_is_value(op, index))
        text_add(&p->text, "%u", operand);
    else if (body_access(p->body, operand)->variable != 0)
        put_access(p, body_access(p->body, operand));
    else if (p->body->module->ids[operand].kind == SPIRV_ID_EXTENDED)
        text_add(&p->text, "set");
    else
        put_value(p, operand);
}

/* "Load"; the translator's own instructions have names of their own. */
static const char *op_text(uint32_t opcode, char space[32])
{
    switch (opcode) {
    case OPERATION_PUBLISH:
        return "Publish";
    case OPERATION_RETRACT:
        return "Retract";
    case OPERATION_ANY_LEFT:
        return "AnyLeft";
    default:
        return spirv_opcode_name(opcode, space) + 2;
    }
}

static void put_op(struct printer *p, const struct spirv_instruction *op)
{
    char space[32];

    text_begin_line(&p->text);
    if (op->result != 0) {
        put_value(p, op->result);
        if (p->with_places)
            text_add(&p->text, ".%s", place_text(p->body->values[op->result].place));
        text_add(&p->text, " = ");
    }
    text_add(&p->text, "%s", op_text(op->opcode, space));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        text_add(&p->text, " ");
        put_operand(p, op, i);
    }
    text_add(&p->text, "\n");
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void put_node(struct printer *p, const struct node *node);

static void put_inside(struct printer *p, const struct node *node)
{
    p->text.indent++;
    if (node != NULL)
        put_node(p, node);
    p->text.indent--;
}

static void put_copies(struct printer *p, const struct node *node)
{
    text_begin_line(&p->text);
    text_add(&p->text, "copy");
    for (uint32_t i = 0; i < node->copy_count; i++) {
        text_add(&p->text, i == 0 ? " " : ", ");
        put_value(p, node->copies[i].target);
        if (p->with_places)
            text_add(&p->text, ".%s", place_text(p->body->values[node->copies[i].target].place));
        text_add(&p->text, " = ");
        put_value(p, node->copies[i].source);
    }
    text_add(&p->text, "\n");
}

static void put_if(struct printer *p, const struct node *node)
{
    text_begin_line(&p->text);
    text_add(&p->text, "if ");
    put_value(p, node->condition);
    text_add(&p->text, "\n");
    put_inside(p, node->children[0]);
    if (node->child_count < 2 || node->children[1] == NULL)
        return;
    text_line(&p->text, "else");
    put_inside(p, node->children[1]);
}

static void put_switch(struct printer *p, const struct node *node)
{
    text_begin_line(&p->text);
    text_add(&p->text, "switch%s ", node->is_targeted ? "!" : "");
    put_value(p, node->condition);
    text_add(&p->text, "\n");
    for (uint32_t i = 0; i < node->case_count; i++) {
        const struct node_case *one = &node->cases[i];
        text_begin_line(&p->text);
        text_add(&p->text, "case");
        for (uint32_t k = 0; k < one->literal_count; k++)
            text_add(&p->text, " %" PRId64, (int64_t)one->literals[k]);
        text_add(&p->text, "%s%s\n", one->is_default ? " default" : "", one->falls_through ? " falls" : "");
        put_inside(p, one->body);
    }
}

static void put_loop(struct printer *p, const struct node *node)
{
    text_line(&p->text, "loop%s", node->is_targeted ? "!" : "");
    put_inside(p, node->children[0]);
    if (node->child_count < 2 || node->children[1] == NULL)
        return;
    text_line(&p->text, "continuing");
    put_inside(p, node->children[1]);
}

static void put_items(struct printer *p, const struct node *node)
{
    text_begin_line(&p->text);
    text_add(&p->text, "items");
    for (uint32_t i = 0; i < node->load_count; i++) {
        text_add(&p->text, i == 0 ? " loads " : ", ");
        put_value(p, node->loads[i]);
    }
    text_add(&p->text, "\n");
    put_inside(p, node->children[0]);
}

static void put_node(struct printer *p, const struct node *node)
{
    static const char *const jumps[] = {
        [NODE_BREAK] = "break",   [NODE_CONTINUE] = "continue", [NODE_LEAVE] = "leave",
        [NODE_RETURN] = "return", [NODE_BARRIER] = "barrier",
    };

    switch (node->kind) {
    case NODE_SEQUENCE:
        for (uint32_t i = 0; i < node->child_count; i++)
            put_node(p, node->children[i]);
        break;
    case NODE_OPS:
        for (uint32_t i = 0; i < node->op_count; i++)
            put_op(p, node->ops[i]);
        break;
    case NODE_IF:
        put_if(p, node);
        break;
    case NODE_LOOP:
        put_loop(p, node);
        break;
    case NODE_SWITCH:
        put_switch(p, node);
        break;
    case NODE_SCOPE:
        text_line(&p->text, "scope");
        put_inside(p, node->children[0]);
        break;
    case NODE_COPIES:
        put_copies(p, node);
        break;
    case NODE_ITEMS:
        put_items(p, node);
        break;
    default:
        text_line(&p->text, "%s", jumps[node->kind]);
        break;
    }
}

const char *tree_text(struct base_arena *arena, const struct body *body, bool with_places)
{
    struct printer p = {.body = body, .with_places = with_places};

    struct text_limit limit = {.bytes = SIZE_MAX / 4};

    text_init(&p.text, arena, &limit);
    p.numbers = base_arena_allocate(arena, body->value_count, sizeof(*p.numbers));
    if (p.numbers == NULL)
        return NULL;
    put_node(&p, body->root);
    return p.text.bytes == NULL ? "" : p.text.bytes;
}
