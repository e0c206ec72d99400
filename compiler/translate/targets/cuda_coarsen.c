/* CUDA C: several items of a thread.
 *
 * A thread that does one item has one load of four bytes under way, or of one, and a device of today wants some sixty thousand
 * bytes under way in each of its units: such a kernel reaches four fifths of what its memory can do. So where items have
 * nothing to do with each other a thread does as many neighbouring ones as make sixteen bytes of the buffer of which an item uses
 * most. Their accesses lie side by side then, and the compiler makes one of them. (V. Volkov, "Better performance at
 * lower occupancy", 2010.)
 *
 * What it takes: groups in x alone; no barrier, loop, atomic or subgroup; of the built-ins nothing but gl_GlobalInvocationID; and
 * `if (gl_GlobalInvocationID.x >= count) return;` at the beginning, or the like: that is asked once for all of a thread's
 * items, and where it does not hold for all of them, or a buffer does not begin at a multiple of 16, they are done one by one.
 *
 * Of groups in x and y a thread does items that lie below one another, ROWS of them: so neighbours still read neighbours, and what
 * the items of a filter have in common is read once. As many groups that lie side by side are one block. Here the question may
 * be any, if it comes first and all that it lets in go on to the end; some bound in y is what the compiler is told besides, so that
 * it need not ask it for each item.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/targets/cuda_target.h"

#define BYTES 16u            /* of a buffer that a thread uses, where that is a power of two */
#define OPERATIONS_MOST 600u /* of a thread */
#define ROWS 4u

struct scan {
    const struct emit *emit;
    uint32_t operations;
    uint32_t bytes;    /* the most that an item uses of one buffer */
    uint32_t *used[2]; /* by id of a buffer: bytes that are loaded and stored */
    const char *bound; /* in y */
    bool is_eligible;
};

/* ---- the guard */

/* What makes a value; NULL for phis and constants. */
static const struct spirv_instruction *definition(const struct emit *emit, uint32_t id)
{
    const struct spirv_id *info = &emit->module->ids[id];

    return info->kind == SPIRV_ID_VALUE && !emit->body->values[id].is_phi ? info->as.instruction : NULL;
}

/* The index that an access with a single one has; UINT32_MAX where it is not known. */
static uint32_t only_index(const struct emit *emit, const struct access *access)
{
    const struct spirv_constant *constant =
        access->count == 1 ? spirv_constant(emit->module, access->indices[0]) : NULL;

    return constant != NULL ? (uint32_t)constant->bits : UINT32_MAX;
}

/* What an instruction loads; NULL: it is no load, or the access is not known. */
static const struct access *loaded(const struct emit *emit, const struct spirv_instruction *op)
{
    const struct access *access =
        op != NULL && op->opcode == SpvOpLoad ? body_access(emit->body, op->operands[0]) : NULL;

    return access != NULL && access->variable != 0 ? access : NULL;
}

static const struct spirv_variable *variable_of(const struct emit *emit, const struct access *access)
{
    return emit->module->ids[access->variable].as.variable;
}

/* gl_GlobalInvocationID.x (component 0) or .y (1), read by itself or taken out of the whole. */
static bool is_item(const struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_instruction *op = definition(emit, id);
    bool is_part = op != NULL && op->opcode == SpvOpCompositeExtract && op->operand_count == 2 &&
                   op->operands[1] == component;
    const struct access *access = loaded(emit, is_part ? definition(emit, op->operands[0]) : op);

    return access != NULL && variable_of(emit, access)->builtin == SpvBuiltInGlobalInvocationId &&
           (is_part ? access->count == 0 : only_index(emit, access) == component);
}

/* A push constant, as an expression; NULL: it is none. */
static const char *bound_of(const struct emit *emit, uint32_t id)
{
    const struct access *access = loaded(emit, definition(emit, id));

    if (access == NULL || variable_of(emit, access)->storage != SpvStorageClassPushConstant ||
        only_index(emit, access) == UINT32_MAX)
        return NULL;
    return base_arena_format(emit->arena, "%s%s", emit->target->arguments,
                             emit_parameter((struct emit *)(uintptr_t)emit, only_index(emit, access)));
}

/* Is it a RETURN and no more? */
static bool is_return(const struct node *node)
{
    while (node != NULL && node->kind == NODE_SEQUENCE && node->child_count == 1)
        node = node->children[0];
    return node != NULL && node->kind == NODE_RETURN;
}

/* The bound below which items do something, where child number `index` of the body says so: `if (item >= bound) return;`, or `if
 * (item < bound) …` as the last there is. */
static const char *guard_of(const struct emit *emit, uint32_t index)
{
    const struct node *root = emit->body->root, *node = root->children[index];
    const struct spirv_instruction *op = definition(emit, node->condition);

    if (op == NULL || node->children[1] != NULL)
        return NULL;
    bool leaves = is_return(node->children[0]);
    if (!leaves && index + 1 != root->child_count)
        return NULL;
    bool item_first = op->opcode == (leaves ? SpvOpUGreaterThanEqual : SpvOpULessThan);
    bool item_last  = op->opcode == (leaves ? SpvOpULessThanEqual : SpvOpUGreaterThan);
    if (!item_first && !item_last)
        return NULL;
    uint32_t item = op->operands[item_first ? 0 : 1], bound = op->operands[item_first ? 1 : 0];
    return is_item(emit, item, 0) ? bound_of(emit, bound) : NULL;
}

static const char *find_guard(const struct emit *emit, uint32_t *number)
{
    const struct node *root = emit->body->root;

    for (uint32_t i = 0; i < root->child_count; i++) {
        *number = i;
        if (root->children[i]->kind == NODE_IF)
            return guard_of(emit, i);
        if (root->children[i]->kind != NODE_OPS)
            return NULL;
    }
    return NULL;
}

/* ---- everything else */

static void count_access(struct scan *scan, const struct access *access, bool is_store)
{
    const struct emit *emit               = scan->emit;
    const struct spirv_variable *variable = variable_of(emit, access);
    const struct spirv_type *type         = spirv_type(emit->module, access->type);
    uint32_t components                   = type->kind == SPIRV_VECTOR ? type->count : 1;

    if (variable->storage == SpvStorageClassInput)
        scan->is_eligible = scan->is_eligible && variable->builtin == SpvBuiltInGlobalInvocationId;
    if (variable->storage == SpvStorageClassWorkgroup || variable->is_volatile || variable->is_coherent)
        scan->is_eligible = false;
    if (variable->storage != SpvStorageClassStorageBuffer && variable->storage != SpvStorageClassUniform)
        return;
    if (type->kind == SPIRV_VECTOR)
        type = spirv_type(emit->module, type->element);
    if (type->kind != SPIRV_INT && type->kind != SPIRV_FLOAT) {
        scan->is_eligible = false;
        return;
    }
    uint32_t *used = &scan->used[is_store][access->variable];
    *used += components * type->width / 8;
    scan->bytes = *used > scan->bytes ? *used : scan->bytes;
}

static bool scan_op(void *user, const struct node *ops, struct spirv_instruction *op)
{
    struct scan *scan = user;

    (void)ops;
    scan->operations++;
    if (op->opcode == SpvOpLoad || op->opcode == SpvOpStore) {
        const struct access *access = body_access(scan->emit->body, op->operands[0]);
        if (access != NULL && access->variable != 0)
            count_access(scan, access, op->opcode == SpvOpStore);
        else
            scan->is_eligible = false;
    } else if (!operation_is_pure(scan->emit->module, op)) {
        scan->is_eligible = false;
    }
    if (op->opcode >= SpvOpGroupNonUniformElect && op->opcode <= SpvOpGroupNonUniformQuadSwap)
        scan->is_eligible = false;
    return scan->is_eligible;
}

/* Items side by side: as many as make BYTES, or four of what is no power of two, so that each fourth one begins where a unit does. */
static uint32_t count_for(const struct scan *scan)
{
    uint32_t bytes = scan->bytes, count;

    if (bytes == 0)
        return 0;
    if ((bytes & (bytes - 1)) != 0)
        count = bytes <= BYTES ? 4 : 0;
    else
        count = bytes <= BYTES ? BYTES / bytes : 0;
    while (count > 4 && count * scan->operations > OPERATIONS_MOST)
        count /= 2;
    return count * scan->operations <= OPERATIONS_MOST ? count : 0;
}

/* `gl_GlobalInvocationID.y >= bound`, or the like, as the first of the kernel's questions for y. */
static bool find_bound(void *user, const struct node *ops, struct spirv_instruction *op)
{
    struct scan *scan = user;
    bool item_first   = op->opcode == SpvOpUGreaterThanEqual || op->opcode == SpvOpULessThan;
    bool item_last    = op->opcode == SpvOpULessThanEqual || op->opcode == SpvOpUGreaterThan;

    (void)ops;
    if ((item_first || item_last) && is_item(scan->emit, op->operands[item_first ? 0 : 1], 1))
        scan->bound = bound_of(scan->emit, op->operands[item_first ? 1 : 0]);
    return scan->bound == NULL;
}

static bool is_without_effect(void *user, const struct node *ops, struct spirv_instruction *op)
{
    const struct scan *scan = user;

    (void)ops;
    return !operation_has_effect(scan->emit->body, op);
}

/* Is it `if (…) return;`, or `if (…) …` as the last there is, and do all that it lets in go on to the end? */
static bool is_exit(const struct node *root, uint32_t index)
{
    const struct node *node = root->children[index];

    if (node->kind != NODE_IF || !node_is_empty(node->children[1]))
        return false;
    if (index + 1 == root->child_count)
        return !node_has(node->children[0], NODE_RETURN);
    for (uint32_t i = index + 1; i < root->child_count; i++)
        if (node_has(root->children[i], NODE_RETURN))
            return false;
    return is_return(node->children[0]);
}

/* The number of the body's child by which items leave before they have done anything; UINT32_MAX: there is none. */
static uint32_t find_exit(struct scan *scan)
{
    const struct node *root = scan->emit->body->root;

    for (uint32_t i = 0; i < root->child_count; i++) {
        if (is_exit(root, i))
            return i;
        if (node_has(root->children[i], NODE_RETURN) ||
            !flow_visit(root->children[i], is_without_effect, scan))
            break;
    }
    return UINT32_MAX;
}

static uint32_t count_rows(const struct scan *scan)
{
    const uint32_t *size = scan->emit->body->entry->local_size;
    uint32_t count       = ROWS;

    while (count > 1 && (size[1] % count != 0 || count * scan->operations > OPERATIONS_MOST))
        count /= 2;
    return count > 1 && size[0] * count % 32 == 0 && scan->bytes != 0 ? count : 0;
}

static bool can_coarsen(struct scan *scan)
{
    const struct emit *emit = scan->emit;

    if (emit->body->entry->local_size[2] != 1 || node_has(emit->body->root, NODE_LOOP) ||
        node_has(emit->body->root, NODE_BARRIER))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        scan->used[i] = base_arena_allocate(emit->arena, emit->module->bound, sizeof(*scan->used[i]));
        if (scan->used[i] == NULL)
            return false;
    }
    flow_visit(emit->body->root, scan_op, scan);
    return scan->is_eligible;
}

void target_cuda_coarsen(const struct emit *emit, struct emit_coarsen *coarsen)
{
    const uint32_t *size = emit->body->entry->local_size;
    struct scan scan     = {.emit = emit, .is_eligible = true};

    *coarsen = (struct emit_coarsen){.count = 0};
    if (!can_coarsen(&scan))
        return;
    uint32_t guard = 0;
    if (size[1] != 1) {
        guard = find_exit(&scan);
        flow_visit(emit->body->root, find_bound, &scan);
        if (guard != UINT32_MAX && scan.bound != NULL && emit->body->local_count == 0)
            *coarsen = (struct emit_coarsen){
                .count = count_rows(&scan), .is_along_y = true, .bound = scan.bound, .guard = guard};
        return;
    }
    const char *bound = find_guard(emit, &guard);
    if (bound != NULL && size[0] % 32 == 0)
        *coarsen = (struct emit_coarsen){.count = count_for(&scan), .bound = bound, .guard = guard};
}
