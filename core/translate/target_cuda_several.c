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
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "core/translate/flow.h"
#include "core/translate/target.h"
#include "core/translate/visit.h"

#define BYTES 16u            /* of a buffer that a thread uses, where that is a power of two */
#define OPERATIONS_MOST 600u /* of a thread */

struct looking {
    const struct emit *emit;
    uint32_t operations;
    uint32_t bytes;    /* the most that an item uses of one buffer */
    uint32_t *used[2]; /* by id of a buffer: bytes that are loaded and stored */
    int32_t well;
};

/* ---- the guard */

static const struct spirv_instruction *definition_in(const struct node *ops, uint32_t id)
{
    for (uint32_t i = 0; i < ops->op_count; i++)
        if (ops->ops[i]->result == id)
            return ops->ops[i];
    return NULL;
}

/* What makes a value, among the instructions that stand before child number `end` of the body. */
static const struct spirv_instruction *definition(const struct emit *emit, uint32_t end, uint32_t id)
{
    const struct node *root                 = emit->body->root;
    const struct spirv_instruction *made_by = NULL;

    for (uint32_t i = 0; i < end && made_by == NULL; i++)
        if (root->children[i]->kind == NODE_OPS)
            made_by = definition_in(root->children[i], id);
    return made_by;
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

/* gl_GlobalInvocationID.x, read by itself or taken out of the whole. */
static int32_t is_item(const struct emit *emit, uint32_t end, uint32_t id)
{
    const struct spirv_instruction *op = definition(emit, end, id);
    int32_t is_part =
        op != NULL && op->opcode == SpvOpCompositeExtract && op->operand_count == 2 && op->operands[1] == 0;
    const struct access *access = loaded(emit, is_part ? definition(emit, end, op->operands[0]) : op);

    return access != NULL && variable_of(emit, access)->builtin == SpvBuiltInGlobalInvocationId &&
           (is_part ? access->count == 0 : only_index(emit, access) == 0);
}

/* A push constant, as an expression; NULL: it is none. */
static const char *bound_of(const struct emit *emit, uint32_t end, uint32_t id)
{
    const struct access *access = loaded(emit, definition(emit, end, id));

    if (access == NULL || variable_of(emit, access)->storage != SpvStorageClassPushConstant ||
        only_index(emit, access) == UINT32_MAX)
        return NULL;
    return core_arena_format(emit->arena, "%s%s", emit->target->arguments,
                             emit_parameter((struct emit *)(uintptr_t)emit, only_index(emit, access)));
}

/* NULL for anything but a sequence of one RETURN. */
static int32_t is_return(const struct node *node)
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
    const struct spirv_instruction *op = definition(emit, index, node->condition);

    if (op == NULL || node->children[1] != NULL)
        return NULL;
    int32_t leaves = is_return(node->children[0]);
    if (!leaves && index + 1 != root->child_count)
        return NULL;
    int32_t item_first = op->opcode == (leaves ? SpvOpUGreaterThanEqual : SpvOpULessThan);
    int32_t item_last  = op->opcode == (leaves ? SpvOpULessThanEqual : SpvOpUGreaterThan);
    if (!item_first && !item_last)
        return NULL;
    uint32_t item = op->operands[item_first ? 0 : 1], bound = op->operands[item_first ? 1 : 0];
    return is_item(emit, index, item) ? bound_of(emit, index, bound) : NULL;
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

static void count_access(struct looking *looking, const struct access *access, int32_t is_store)
{
    const struct emit *emit               = looking->emit;
    const struct spirv_variable *variable = variable_of(emit, access);
    const struct spirv_type *type         = spirv_type(emit->module, access->type);
    uint32_t components                   = type->kind == SPIRV_VECTOR ? type->count : 1;

    if (variable->storage == SpvStorageClassInput)
        looking->well = looking->well && variable->builtin == SpvBuiltInGlobalInvocationId;
    if (variable->storage == SpvStorageClassWorkgroup || variable->is_volatile || variable->is_coherent)
        looking->well = 0;
    if (variable->storage != SpvStorageClassStorageBuffer && variable->storage != SpvStorageClassUniform)
        return;
    if (type->kind == SPIRV_VECTOR)
        type = spirv_type(emit->module, type->element);
    if (type->kind != SPIRV_INT && type->kind != SPIRV_FLOAT) {
        looking->well = 0;
        return;
    }
    uint32_t *used = &looking->used[is_store][access->variable];
    *used += components * type->width / 8;
    looking->bytes = *used > looking->bytes ? *used : looking->bytes;
}

static int32_t look_at_op(void *user, const struct node *ops, struct spirv_instruction *op)
{
    struct looking *looking = user;

    (void)ops;
    looking->operations++;
    if (op->opcode == SpvOpLoad || op->opcode == SpvOpStore) {
        const struct access *access = body_access(looking->emit->body, op->operands[0]);
        if (access != NULL && access->variable != 0)
            count_access(looking, access, op->opcode == SpvOpStore);
        else
            looking->well = 0;
    } else if (!operation_is_pure(looking->emit->module, op)) {
        looking->well = 0;
    }
    if (op->opcode >= SpvOpGroupNonUniformElect && op->opcode <= SpvOpGroupNonUniformQuadSwap)
        looking->well = 0;
    return looking->well;
}

static int32_t has_loop(const struct node *node)
{
    if (node == NULL)
        return 0;
    if (node->kind == NODE_LOOP || node->kind == NODE_BARRIER)
        return 1;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (has_loop(node->children[i]))
            return 1;
    for (uint32_t i = 0; i < node->case_count; i++)
        if (has_loop(node->cases[i].body))
            return 1;
    return 0;
}

/* How many items: as many as make BYTES, or four of what is no power of two, so that each fourth one begins where a unit does. */
static uint32_t count_for(const struct looking *looking)
{
    uint32_t bytes = looking->bytes, count;

    if (bytes == 0)
        return 0;
    if ((bytes & (bytes - 1)) != 0)
        count = bytes <= BYTES ? 4 : 0;
    else
        count = bytes <= BYTES ? BYTES / bytes : 0;
    while (count > 4 && count * looking->operations > OPERATIONS_MOST)
        count /= 2;
    return count * looking->operations <= OPERATIONS_MOST ? count : 0;
}

void target_cuda_several(const struct emit *emit, struct emit_several *several)
{
    const uint32_t *size   = emit->body->entry->local_size;
    struct looking looking = {.emit = emit, .well = 1};

    *several = (struct emit_several){.count = 0};
    if (size[1] != 1 || size[2] != 1 || size[0] % 32 != 0 || has_loop(emit->body->root))
        return;
    for (uint32_t i = 0; i < 2; i++) {
        looking.used[i] = core_arena_allocate(emit->arena, emit->module->bound, sizeof(*looking.used[i]));
        if (looking.used[i] == NULL)
            return;
    }
    uint32_t guard    = 0;
    const char *bound = find_guard(emit, &guard);
    if (bound == NULL)
        return;
    flow_visit(emit->body->root, look_at_op, &looking);
    if (looking.well)
        *several = (struct emit_several){.count = count_for(&looking), .bound = bound, .guard = guard};
}
