/* Checks a whole function: branches lead to its blocks, phis have a value for each predecessor, and
 * definitions dominate their uses. Gives instructions that have no line the line before them.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/validate.h"

/* ---- the graph ----------------------------------------------------------------------------- */

/* Which operands of a terminator are labels: the index of the first, the step to the next, and the count. */
static void label_operands(const struct flow *flow, const struct spirv_instruction *end, uint32_t *first,
                           uint32_t *step, uint32_t *count)
{
    *first = *count = 0;
    *step           = 1;
    if (end->opcode == SpvOpBranch) {
        *count = 1;
    } else if (end->opcode == SpvOpBranchConditional) {
        *first = 1;
        *count = 2;
    } else if (end->opcode == SpvOpSwitch) {
        *step  = spirv_type_of(flow->reader->module, end->operands[0])->width == 64 ? 3 : 2;
        *first = 1;
        *count = 1 + (end->operand_count - 2u) / *step;
    }
}

/* Adds the successors of a block, each once: `seen[target]` is index + 1 if `target` is in the list
 * already. */
static int32_t add_successors(struct flow *flow, uint32_t index, uint32_t *seen, uint32_t *capacity,
                              uint32_t *total)
{
    const struct spirv_instruction *end = flow_terminator(flow, index);
    uint32_t first, step, count;

    label_operands(flow, end, &first, &step, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t label  = end->operands[first + i * step];
        uint32_t target = flow_block(flow, label);
        if (target == FLOW_NONE)
            return spirv_invalid(flow->reader,
                                 "block %u branches to id %u, which is not a block of its function",
                                 flow->function->blocks[index]->label, label);
        if (target == 0)
            return spirv_invalid(flow->reader, "block %u branches to the first block of its function",
                                 flow->function->blocks[index]->label);
        if (seen[target] == index + 1)
            continue;
        seen[target] = index + 1;
        if (!base_arena_grow(flow->reader->arena, &flow->successors, *total, capacity,
                             sizeof(*flow->successors)))
            return spirv_invalid(flow->reader, "out of memory");
        flow->successors[(*total)++] = target;
    }
    return TRM_OK;
}

static void list_predecessors(struct flow *flow)
{
    uint32_t total = flow->successor_first[flow->count];

    for (uint32_t i = 0; i < total; i++)
        flow->predecessor_first[flow->successors[i] + 1]++;
    for (uint32_t i = 0; i < flow->count; i++)
        flow->predecessor_first[i + 1] += flow->predecessor_first[i];
    for (uint32_t i = flow->count; i-- > 0;)
        for (uint32_t s = flow->successor_first[i]; s < flow->successor_first[i + 1]; s++)
            flow->predecessors[--flow->predecessor_first[flow->successors[s] + 1]] = i;
    /* predecessor_first[i + 1] has become the start of list i; shift the array by one. */
    for (uint32_t i = 0; i < flow->count; i++)
        flow->predecessor_first[i] = flow->predecessor_first[i + 1];
    flow->predecessor_first[flow->count] = total;
}

int32_t spirv_flow_build(struct flow *flow, struct spirv_reader *reader, struct spirv_function *function)
{
    struct base_arena *arena = reader->arena;
    uint32_t count = function->block_count, capacity = 0, total = 0;
    size_t size = sizeof(uint32_t);

    *flow                   = (struct flow){.reader = reader, .function = function, .count = count};
    uint32_t *seen          = base_arena_allocate(arena, count, size);
    flow->successor_first   = base_arena_allocate(arena, (size_t)count + 1, size);
    flow->predecessor_first = base_arena_allocate(arena, (size_t)count + 1, size);
    if (arena->failed)
        return spirv_invalid(reader, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        flow->successor_first[i] = total;
        int32_t status           = add_successors(flow, i, seen, &capacity, &total);
        if (status != TRM_OK)
            return status;
    }
    flow->successor_first[count] = total;
    flow->predecessors           = base_arena_allocate(arena, total, size);
    if (flow->predecessors == NULL)
        return spirv_invalid(reader, "out of memory");
    list_predecessors(flow);
    return TRM_OK;
}

/* ---- phis and uses ------------------------------------------------------------------------- */

static int32_t check_phi_value(struct flow *flow, const struct spirv_instruction *phi, uint32_t id,
                               uint32_t parent)
{
    struct spirv_reader *reader = flow->reader;
    int32_t status              = spirv_check_value_id(reader, id);

    if (status != TRM_OK)
        return status;
    if (reader->module->ids[id].type != phi->type)
        return spirv_invalid(reader, "value %u of phi %u has another type", id, phi->result);
    if (reader->definitions[id].function != 0 && flow_is_reachable(flow, parent) &&
        !(flow_is_reachable(flow, reader->definitions[id].block) &&
          flow_dominates(flow, reader->definitions[id].block, parent)))
        return spirv_invalid(reader, "value %u of phi %u is not defined on the way from its predecessor", id,
                             phi->result);
    return TRM_OK;
}

/* `number` is different for each phi; seen[block] == number: a predecessor that this phi has not named
 * yet. */
static int32_t check_phi(struct flow *flow, uint32_t index, const struct spirv_instruction *phi,
                         uint32_t *seen, uint32_t number)
{
    struct spirv_reader *reader = flow->reader;
    uint32_t ways               = flow->predecessor_first[index + 1] - flow->predecessor_first[index];

    if (phi->operand_count / 2u != ways)
        return spirv_invalid(reader, "phi %u has %u values for %u predecessors", phi->result,
                             phi->operand_count / 2u, ways);
    for (uint32_t i = flow->predecessor_first[index]; i < flow->predecessor_first[index + 1]; i++)
        seen[flow->predecessors[i]] = number;
    for (uint32_t i = 0; i < phi->operand_count; i += 2) {
        uint32_t parent = flow_block(flow, phi->operands[i + 1]);
        if (parent == FLOW_NONE || seen[parent] != number)
            return spirv_invalid(reader, "phi %u names id %u, which is not a predecessor or is named twice",
                                 phi->result, phi->operands[i + 1]);
        seen[parent]   = 0;
        int32_t status = check_phi_value(flow, phi, phi->operands[i], parent);
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

static int32_t check_phis(struct flow *flow)
{
    uint32_t *seen  = base_arena_allocate(flow->reader->arena, flow->count, sizeof(*seen));
    uint32_t number = 0;

    if (seen == NULL)
        return spirv_invalid(flow->reader, "out of memory");
    for (uint32_t i = 0; i < flow->count; i++) {
        const struct spirv_block *block = flow->function->blocks[i];
        for (uint32_t p = 0; p < block->count && block->instructions[p].opcode == SpvOpPhi; p++) {
            flow->reader->file = block->instructions[p].file;
            flow->reader->line = block->instructions[p].line;
            int32_t status     = check_phi(flow, i, &block->instructions[p], seen, ++number);
            if (status != TRM_OK)
                return status;
        }
    }
    flow->reader->file = flow->reader->line = 0;
    return TRM_OK;
}

/* Checks uses in other blocks than the definition. Within the module's order definitions precede uses
 * already. */
static int32_t check_cross_uses(struct flow *flow)
{
    struct spirv_reader *reader = flow->reader;

    for (uint32_t i = 0; i < reader->cross_use_count; i++) {
        const struct spirv_cross_use *crossing = &reader->cross_uses[i];
        if (!flow_is_reachable(flow, crossing->to))
            continue;
        if (!flow_is_reachable(flow, crossing->from) || !flow_dominates(flow, crossing->from, crossing->to)) {
            reader->at = crossing->at;
            return spirv_invalid(
                reader, "a value of block %u is used in block %u, which it does not dominate",
                flow->function->blocks[crossing->from]->label, flow->function->blocks[crossing->to]->label);
        }
    }
    return TRM_OK;
}

/* SPIR-V requires that a block follow its dominator. */
static int32_t check_order(struct flow *flow)
{
    for (uint32_t i = 1; i < flow->count; i++)
        if (flow->dominator[i] != FLOW_NONE && flow->dominator[i] > i)
            return spirv_invalid(flow->reader, "block %u comes before block %u, which dominates it",
                                 flow->function->blocks[i]->label,
                                 flow->function->blocks[flow->dominator[i]]->label);
    return TRM_OK;
}

/* ---- lines --------------------------------------------------------------------------------- */

struct line {
    uint32_t file, line;
};

/* Compilers name no line in the block where the branches of a `?:` meet. Gives instructions without a line
 * that of the one before in their block; those before the first line of a block get the last line of the
 * closest block above that has one, or else that of the function. Dominators come first in the order of
 * blocks. */
static int32_t spread_lines(struct flow *flow)
{
    const struct spirv_function *function = flow->function;
    struct line *last = base_arena_allocate(flow->reader->arena, flow->count, sizeof(*last));

    if (last == NULL)
        return spirv_invalid(flow->reader, "out of memory");
    for (uint32_t i = 0; i < flow->count; i++) {
        const struct spirv_block *block = function->blocks[i];
        struct line line                = {.file = function->file, .line = function->line};
        if (i != 0 && flow->dominator[i] != FLOW_NONE && last[flow->dominator[i]].line != 0)
            line = last[flow->dominator[i]];
        for (uint32_t k = 0; k < block->count; k++) {
            struct spirv_instruction *op = &block->instructions[k];
            if (op->line != 0)
                line = (struct line){.file = op->file, .line = op->line};
            op->file = line.file;
            op->line = line.line;
        }
        last[i] = line;
    }
    return TRM_OK;
}

int32_t spirv_check_flow(struct spirv_reader *reader, struct spirv_function *function)
{
    struct flow flow;
    int32_t status = spirv_flow_build(&flow, reader, function);

    if (status == TRM_OK)
        status = spirv_flow_dominators(&flow);
    if (status == TRM_OK)
        status = check_order(&flow);
    if (status == TRM_OK)
        status = spread_lines(&flow);
    if (status == TRM_OK)
        status = check_phis(&flow);
    if (status == TRM_OK)
        status = check_cross_uses(&flow);
    return status == TRM_OK ? spirv_flow_structure(&flow) : status;
}
