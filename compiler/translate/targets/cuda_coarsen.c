/* CUDA C: thread coarsening, several work-items for each thread.
 *
 * A thread that runs one work-item has one load of at most four bytes in flight, while a current device needs
 * about sixty thousand bytes in flight on each multiprocessor: such a kernel reaches four fifths of the
 * memory bandwidth. So when work-items do not depend on each other a thread runs as many neighbours as make
 * sixteen bytes of the buffer of which a work-item uses most. Their accesses are adjacent, and the compiler
 * combines them. (V. Volkov, "Better performance at lower occupancy", 2010.)
 *
 * Conditions: groups in x only; no barrier, atomic or subgroup operation; gl_GlobalInvocationID as the only
 * built-in; and a guard like `if (gl_GlobalInvocationID.x >= count) return;` at the beginning. The guard
 * is checked once for all work-items of a thread; if it does not hold for all of them, or a buffer does not
 * begin at a multiple of 16, they run one by one.
 *
 * A kernel with loops (cuda_loops.c says which) may have so much to do that a small grid needs a thread for
 * each work-item to fill the device. So it can do both, and the launch chooses by the size of the grid.
 *
 * With groups in x and y a thread runs ROWS work-items that are neighbours in y: neighbouring threads still
 * read neighbouring elements, and what the work-items of a filter have in common is read once. ROWS groups
 * that are neighbours in x form one block. Here the guard may be any condition, if it comes first and all
 * work-items that pass it run to the end. A bound in y is passed on to the compiler, so that it need not
 * check it for each work-item.
 *
 * Kernels of images with groups in x and y need no guard: a thread runs two work-items that are neighbours in
 * y, or four, one behind the other. They share what is known of the images, and the texels of both are on
 * their way together.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/targets/cuda_target.h"

#define BYTES 16u            /* of a buffer for each thread, for power-of-two sizes */
#define OPERATIONS_MOST 600u /* for each thread */
#define ROWS 4u
#define IMAGE_OPERATIONS 16u /* what an operation on a texel counts as */

struct scan {
    const struct emit *emit;
    uint32_t operations;
    uint32_t bytes;    /* of the buffer of which a work-item uses most */
    uint32_t *used[2]; /* by id of a buffer: bytes that a work-item loads and stores */
    const char *bound; /* in y */
    bool has_images, has_loops;
    bool is_eligible;
};

/* ---- the guard */

/* The constant index of an access with a single index; UINT32_MAX otherwise. */
static uint32_t only_index(const struct emit *emit, const struct access *access)
{
    const struct spirv_constant *constant =
        access->count == 1 ? spirv_constant(emit->module, access->indices[0]) : NULL;

    return constant != NULL ? (uint32_t)constant->bits : UINT32_MAX;
}

/* The access of a load; NULL when the instruction is no load or the access is unknown. */
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

/* Is it gl_GlobalInvocationID.x (component 0) or .y (1), loaded by itself or extracted from the whole? */
static bool is_item(const struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_instruction *op = body_definition(emit->body, id);
    bool is_part = op != NULL && op->opcode == SpvOpCompositeExtract && op->operand_count == 2 &&
                   op->operands[1] == component;
    const struct access *access = loaded(emit, is_part ? body_definition(emit->body, op->operands[0]) : op);

    return access != NULL && variable_of(emit, access)->builtin == SpvBuiltInGlobalInvocationId &&
           (is_part ? access->count == 0 : only_index(emit, access) == component);
}

/* A push constant as an expression; NULL for other values. */
static const char *bound_of(const struct emit *emit, uint32_t id)
{
    const struct access *access = loaded(emit, body_definition(emit->body, id));

    if (access == NULL || variable_of(emit, access)->storage != SpvStorageClassPushConstant ||
        only_index(emit, access) == UINT32_MAX)
        return NULL;
    return base_arena_format(emit->arena, "%s%s", emit->target->arguments,
                             emit_parameter((struct emit *)(uintptr_t)emit, only_index(emit, access)));
}

/* Is it a RETURN and nothing else? */
static bool is_return(const struct node *node)
{
    while (node != NULL && node->kind == NODE_SEQUENCE && node->child_count == 1)
        node = node->children[0];
    return node != NULL && node->kind == NODE_RETURN;
}

/* The bound below which work-items do something, if child `index` of the body is the guard: `if (item >=
 * bound) return;`, or `if (item < bound) …` as the last child. NULL otherwise. */
static const char *guard_of(const struct emit *emit, uint32_t index)
{
    const struct node *root = emit->body->root, *node = root->children[index];
    const struct spirv_instruction *op = body_definition(emit->body, node->condition);

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
    if (op->opcode >= SpvOpImageSampleImplicitLod && op->opcode <= SpvOpImageQuerySamples) {
        scan->operations += IMAGE_OPERATIONS;
        scan->has_images = true;
    } else if (op->opcode == SpvOpLoad || op->opcode == SpvOpStore) {
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
    if (op->opcode >= SpvOpSubgroupBallotKHR && op->opcode <= SpvOpSubgroupReadInvocationKHR)
        scan->is_eligible = false;
    return scan->is_eligible;
}

/* The number of neighbours in x: as many as make BYTES, or four when the size is no power of two, so that
 * every fourth work-item begins at a multiple of the alignment. */
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
    if (scan->has_loops && count < 2)
        return 0; /* a choice between a form and itself */
    return count * scan->operations <= OPERATIONS_MOST ? count : 0;
}

/* Finds the kernel's first comparison of gl_GlobalInvocationID.y with a bound. */
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

/* Is it `if (…) return;`, or `if (…) …` as the last child, and do all work-items that pass run to the end? */
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

/* The index of the body's child through which work-items leave before they have had an effect; UINT32_MAX:
 * none. */
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

/* May a thread run so many rows? A warp's threads stay neighbours in x. */
static bool may_have_rows(const struct scan *scan, uint32_t count)
{
    const uint32_t *size = scan->emit->body->entry->local_size;

    return count > 1 && size[1] % count == 0 && size[0] * count % 32 == 0 &&
           count * scan->operations <= OPERATIONS_MOST;
}

static uint32_t count_rows(const struct scan *scan)
{
    const uint32_t *size = scan->emit->body->entry->local_size;
    uint32_t count       = ROWS;

    while (count > 1 && (size[1] % count != 0 || count * scan->operations > OPERATIONS_MOST))
        count /= 2;
    return may_have_rows(scan, count) && scan->bytes != 0 ? count : 0;
}

/* Two, unless only four rows make a warp: what is known of a texel takes many registers. */
static uint32_t count_rows_of_images(const struct scan *scan)
{
    if (may_have_rows(scan, 2))
        return 2;
    return may_have_rows(scan, ROWS) ? ROWS : 0;
}

/* The functions of stages take no tables. */
static bool has_arrays(const struct emit *emit)
{
    const struct trm_kernel_info *kernel = &emit->reflection.kernels[0];

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (trm_parameter_is_array(&kernel->parameters[i]))
            return true;
    return false;
}

static bool can_coarsen(struct scan *scan)
{
    const struct emit *emit = scan->emit;

    if (emit->body->memory_count != 0 || has_arrays(emit) || emit->body->entry->local_size[2] != 1 ||
        node_has(emit->body->root, NODE_BARRIER))
        return false;
    if (scan->has_loops && ((emit->flags & TRM_TRANSLATE_FUNCTIONS) != 0 ||
                            emit->body->entry->local_size[1] != 1 || !target_cuda_loops_are_even(emit)))
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
    struct scan scan     = {
            .emit = emit, .has_loops = node_has(emit->body->root, NODE_LOOP), .is_eligible = true};

    *coarsen = (struct emit_coarsen){.count = 0};
    if (!can_coarsen(&scan))
        return;
    uint32_t guard = 0;
    if (scan.has_images) {
        if (size[1] != 1)
            *coarsen = (struct emit_coarsen){.count = count_rows_of_images(&scan), .is_along_y = true};
        return;
    }
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
        *coarsen = (struct emit_coarsen){
            .count = count_for(&scan), .is_choice = scan.has_loops, .bound = bound, .guard = guard};
}
