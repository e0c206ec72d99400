/* Checks structured control flow. A header (a block with a merge instruction) begins a construct: an if, a
 * switch, or a loop with its continue construct. Each reachable block is inside one chain of nested
 * constructs. A branch may stay in its construct, go to its merge, break out of or continue the innermost
 * loop, break out of the innermost switch, or fall through from one case into another. The translator can
 * then turn each function into a tree without copying blocks: only merges, continue targets, loop headers and
 * cases have several predecessors.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "compiler/spirv/validate.h"

enum kind {
    KIND_IF = 1,
    KIND_SWITCH,
    KIND_LOOP,
    KIND_CONTINUE,
};

struct construct {
    enum kind kind;
    uint32_t header, merge, continuing; /* blocks; FLOW_NONE: none */
    uint32_t parent;                    /* construct; FLOW_NONE: the function */
    uint32_t loop;                      /* the innermost enclosing LOOP, or itself; FLOW_NONE: none */
    uint32_t breaks; /* the innermost enclosing SWITCH inside that loop, or itself; FLOW_NONE: none */
    uint32_t depth;
    bool is_continuing; /* inside the continue construct of its loop */
    bool has_back_edge; /* of LOOP */
};

struct structure {
    struct flow *flow;
    struct construct *constructs; /* of header n: [2n], and for a loop its continue construct at [2n + 1] */
    /* Indexed by block. FLOW_NONE: none. */
    uint32_t *header_number;
    uint32_t *merge_of; /* the construct that the block is the merge of */
    uint32_t *continue_of;
    uint32_t *inside;
    uint32_t *body;    /* the construct of the blocks that this one dominates, unless one of them ends it */
    uint32_t *case_of; /* inside a switch: the first block of the case */
    uint32_t *falls;   /* of a case: the case that it falls through to */
    bool *is_case;
    bool *is_fallen_into;
};

static uint32_t label(const struct structure *structure, uint32_t block)
{
    return structure->flow->function->blocks[block]->label;
}

/* The loop that has this block as its continue target but not as its header; FLOW_NONE: none. */
static uint32_t continue_of(const struct structure *structure, uint32_t block)
{
    uint32_t loop = structure->continue_of[block];

    return loop != FLOW_NONE && structure->header_number[block] == loop / 2 ? FLOW_NONE : loop;
}

/* ---- headers ------------------------------------------------------------------------------- */

static int32_t check_merge_shape(const struct structure *structure, uint32_t index)
{
    struct flow *flow                   = structure->flow;
    const struct spirv_block *block     = flow->function->blocks[index];
    const struct spirv_instruction *end = flow_terminator(flow, index);

    if (block->merge == 0)
        return end->opcode != SpvOpSwitch
                   ? TRM_OK
                   : spirv_invalid(flow->reader, "block %u has a switch but no merge", block->label);
    uint32_t merge = flow_block(flow, block->merge_block);
    if (merge == FLOW_NONE || merge == 0 || merge == index)
        return spirv_invalid(flow->reader, "id %u cannot be the merge of block %u", block->merge_block,
                             block->label);
    if (block->merge == SpvOpSelectionMerge)
        return end->opcode != SpvOpBranch
                   ? TRM_OK
                   : spirv_invalid(flow->reader, "block %u has a merge but nothing to merge", block->label);
    uint32_t continuing = flow_block(flow, block->continue_block);
    if (continuing == FLOW_NONE || continuing == 0 || continuing == merge)
        return spirv_invalid(flow->reader, "id %u cannot be the continue target of block %u",
                             block->continue_block, block->label);
    return end->opcode != SpvOpSwitch
               ? TRM_OK
               : spirv_invalid(flow->reader, "block %u heads a loop but ends in a switch", block->label);
}

static int32_t note_header(struct structure *structure, uint32_t index, uint32_t *count)
{
    const struct flow *flow         = structure->flow;
    const struct spirv_block *block = flow->function->blocks[index];
    uint32_t number                 = 2 * *count;
    uint32_t merge                  = flow_block(flow, block->merge_block);

    structure->header_number[index] = (*count)++;
    if (structure->merge_of[merge] != FLOW_NONE)
        return spirv_invalid(flow->reader, "block %u is the merge of two blocks", block->merge_block);
    structure->merge_of[merge] = number;
    if (block->merge != SpvOpLoopMerge)
        return TRM_OK;
    uint32_t continuing = flow_block(flow, block->continue_block);
    if (structure->continue_of[continuing] != FLOW_NONE)
        return spirv_invalid(flow->reader, "block %u is the continue target of two loops",
                             block->continue_block);
    structure->continue_of[continuing] = number;
    return TRM_OK;
}

static int32_t prepare(struct structure *structure)
{
    struct flow *flow        = structure->flow;
    struct base_arena *arena = flow->reader->arena;
    uint32_t **lists[]       = {&structure->header_number, &structure->merge_of, &structure->continue_of,
                                &structure->inside,        &structure->body,     &structure->case_of,
                                &structure->falls};
    uint32_t headers         = 0;

    for (uint32_t i = 0; i < SPIRV_COUNT(lists); i++)
        *lists[i] = base_arena_allocate(arena, flow->count, sizeof(uint32_t));
    structure->is_case        = base_arena_allocate(arena, flow->count, sizeof(bool));
    structure->is_fallen_into = base_arena_allocate(arena, flow->count, sizeof(bool));
    if (arena->failed)
        return spirv_invalid(flow->reader, "out of memory");
    for (uint32_t i = 0; i < SPIRV_COUNT(lists); i++)
        for (uint32_t b = 0; b < flow->count; b++)
            (*lists[i])[b] = FLOW_NONE;
    for (uint32_t b = 0; b < flow->count; b++) {
        int32_t status = check_merge_shape(structure, b);
        if (status == TRM_OK && flow_is_reachable(flow, b) && flow->function->blocks[b]->merge != 0)
            status = note_header(structure, b, &headers);
        if (status != TRM_OK)
            return status;
    }
    structure->constructs = base_arena_allocate(arena, (size_t)headers * 2, sizeof(*structure->constructs));
    return structure->constructs != NULL ? TRM_OK : spirv_invalid(flow->reader, "out of memory");
}

/* ---- the construct of each block ------------------------------------------------------------ */

static int32_t open_construct(struct structure *structure, uint32_t block)
{
    const struct flow *flow        = structure->flow;
    const struct spirv_block *node = flow->function->blocks[block];
    uint32_t number                = 2 * structure->header_number[block];
    struct construct *construct    = &structure->constructs[number];
    uint32_t parent                = structure->inside[block];
    bool is_switch                 = flow_terminator(flow, block)->opcode == SpvOpSwitch;

    *construct = (struct construct){.kind       = is_switch ? KIND_SWITCH : KIND_IF,
                                    .header     = block,
                                    .merge      = flow_block(flow, node->merge_block),
                                    .continuing = FLOW_NONE,
                                    .parent     = parent,
                                    .loop       = FLOW_NONE,
                                    .breaks     = FLOW_NONE,
                                    .depth      = 1};
    if (parent != FLOW_NONE) {
        const struct construct *above = &structure->constructs[parent];
        construct->loop               = above->loop;
        construct->breaks             = above->breaks;
        construct->is_continuing      = above->is_continuing;
        construct->depth              = above->depth + 1;
    }
    if (construct->depth > SPIRV_NESTING_MOST)
        return spirv_unsupported(flow->reader, "control flow is nested deeper than %u at block %u",
                                 SPIRV_NESTING_MOST, node->label);
    structure->body[block] = number;
    if (is_switch)
        construct->breaks = number;
    if (node->merge != SpvOpLoopMerge)
        return TRM_OK;
    construct->kind                                 = KIND_LOOP;
    construct->continuing                           = flow_block(flow, node->continue_block);
    construct->loop                                 = number;
    construct->breaks                               = FLOW_NONE;
    construct->is_continuing                        = false;
    structure->constructs[number + 1]               = *construct;
    structure->constructs[number + 1].kind          = KIND_CONTINUE;
    structure->constructs[number + 1].parent        = number;
    structure->constructs[number + 1].is_continuing = true;
    if (construct->continuing == block)
        structure->body[block] = number + 1;
    return TRM_OK;
}

/* A block is inside a loop if the header dominates it and the merge does not. */
static bool is_in_loop(const struct structure *structure, uint32_t block, const struct construct *loop)
{
    const struct flow *flow = structure->flow;

    return block != loop->header && flow_dominates(flow, loop->header, block) &&
           !(flow_is_reachable(flow, loop->merge) && flow_dominates(flow, loop->merge, block));
}

/* Callers go through blocks in preorder of the dominator tree, so the constructs of the dominators are
 * open. */
static int32_t place_block(struct structure *structure, uint32_t block)
{
    const struct flow *flow = structure->flow;
    uint32_t above          = flow->dominator[block];
    uint32_t inside         = above != FLOW_NONE ? structure->body[above] : FLOW_NONE;
    uint32_t merged         = structure->merge_of[block];
    uint32_t continued      = continue_of(structure, block);

    structure->case_of[block] = above != FLOW_NONE ? structure->case_of[above] : FLOW_NONE;
    if (merged != FLOW_NONE) {
        /* If the construct is not open yet, its header does not dominate this block. */
        uint32_t header = structure->constructs[merged].header;
        if (structure->constructs[merged].kind == 0 || !flow_dominates(flow, header, block))
            return spirv_invalid(flow->reader, "block %u is a merge but can be reached past its header",
                                 label(structure, block));
        inside                    = structure->constructs[merged].parent;
        structure->case_of[block] = structure->case_of[header];
    }
    if (continued != FLOW_NONE) {
        if (structure->constructs[continued].kind == 0 ||
            !is_in_loop(structure, block, &structure->constructs[continued]))
            return spirv_invalid(flow->reader, "block %u is a continue target but not in its loop",
                                 label(structure, block));
        inside = continued + 1;
    }
    if (structure->is_case[block] && merged == FLOW_NONE && continued == FLOW_NONE)
        structure->case_of[block] = block;
    structure->inside[block] = structure->body[block] = inside;
    return structure->header_number[block] != FLOW_NONE ? open_construct(structure, block) : TRM_OK;
}

/* ---- branches ------------------------------------------------------------------------------ */

static int32_t bad_branch(const struct structure *structure, uint32_t from, uint32_t to)
{
    return spirv_invalid(
        structure->flow->reader,
        "the branch from block %u to block %u leaves its construct in a way that is not structured",
        label(structure, from), label(structure, to));
}

/* Checks a branch back to the header of a loop. */
static int32_t check_back_edge(struct structure *structure, uint32_t from, uint32_t to)
{
    const struct flow *flow = structure->flow;
    uint32_t loop = structure->header_number[to] != FLOW_NONE ? 2 * structure->header_number[to] : FLOW_NONE;

    if (loop == FLOW_NONE || structure->constructs[loop].kind != KIND_LOOP ||
        structure->body[from] != loop + 1)
        return bad_branch(structure, from, to);
    if (structure->constructs[loop].has_back_edge)
        return spirv_invalid(flow->reader, "the loop of block %u has two back edges", label(structure, to));
    structure->constructs[loop].has_back_edge = true;
    return TRM_OK;
}

/* Checks a branch from one case to the first block of another. Each case may fall through to one case, and
 * from one. */
static int32_t check_fallthrough(struct structure *structure, uint32_t from, uint32_t to)
{
    uint32_t source = structure->case_of[from];

    if (source == FLOW_NONE || source == to || structure->is_fallen_into[to] ||
        structure->falls[source] != FLOW_NONE)
        return bad_branch(structure, from, to);
    structure->falls[source]      = to;
    structure->is_fallen_into[to] = true;
    return TRM_OK;
}

/* Sets `stays` for a branch that stays in its construct. */
static int32_t check_branch(struct structure *structure, uint32_t from, uint32_t to, bool *stays)
{
    const struct flow *flow           = structure->flow;
    uint32_t here                     = structure->body[from];
    uint32_t merged                   = structure->merge_of[to];
    uint32_t continued                = continue_of(structure, to);
    const struct construct *construct = here != FLOW_NONE ? &structure->constructs[here] : NULL;

    if (flow_dominates(flow, to, from))
        return check_back_edge(structure, from, to);
    if (merged != FLOW_NONE && construct != NULL &&
        (merged == here || merged == construct->loop || merged == construct->breaks))
        return TRM_OK;
    if (continued != FLOW_NONE && construct != NULL && construct->loop == continued &&
        !construct->is_continuing)
        return TRM_OK;
    if (merged != FLOW_NONE || continued != FLOW_NONE || structure->inside[to] != here)
        return bad_branch(structure, from, to);
    *stays = true;
    if (!structure->is_case[to] || construct == NULL || construct->header == from)
        return TRM_OK;
    return check_fallthrough(structure, from, to);
}

static int32_t check_branches(struct structure *structure, uint32_t block)
{
    const struct flow *flow        = structure->flow;
    const struct spirv_block *node = flow->function->blocks[block];
    uint32_t staying               = 0;

    for (uint32_t i = flow->successor_first[block]; i < flow->successor_first[block + 1]; i++) {
        bool stays     = false;
        int32_t status = check_branch(structure, block, flow->successors[i], &stays);
        if (status != TRM_OK)
            return status;
        staying += stays;
    }
    if (node->merge == 0 && staying > 1)
        return spirv_invalid(flow->reader, "block %u branches two ways but has no merge", node->label);
    return TRM_OK;
}

/* ---- joins and switches -------------------------------------------------------------------- */

static int32_t check_joins(const struct structure *structure, uint32_t block)
{
    const struct flow *flow = structure->flow;
    uint32_t ways           = 0;

    if (structure->merge_of[block] != FLOW_NONE || continue_of(structure, block) != FLOW_NONE ||
        structure->is_case[block])
        return TRM_OK;
    for (uint32_t i = flow->predecessor_first[block]; i < flow->predecessor_first[block + 1]; i++) {
        uint32_t from = flow->predecessors[i];
        ways += flow_is_reachable(flow, from) && !flow_dominates(flow, block, from);
    }
    return ways <= 1 ? TRM_OK
                     : spirv_unsupported(flow->reader, "block %u has several predecessors but is not a merge",
                                         label(structure, block));
}

static void note_cases(struct structure *structure, uint32_t block)
{
    const struct flow *flow = structure->flow;

    if (flow_terminator(flow, block)->opcode != SpvOpSwitch)
        return;
    for (uint32_t i = flow->successor_first[block]; i < flow->successor_first[block + 1]; i++)
        structure->is_case[flow->successors[i]] = true;
}

/* Refuses cases that fall through in a circle. A circle has no first case, so walks from first cases miss
 * it. */
static int32_t check_chains(const struct structure *structure)
{
    const struct flow *flow = structure->flow;
    uint32_t falling = 0, followed = 0;

    for (uint32_t b = 0; b < flow->count; b++) {
        falling += structure->falls[b] != FLOW_NONE;
        if (structure->is_fallen_into[b])
            continue;
        for (uint32_t at = b; structure->falls[at] != FLOW_NONE; at = structure->falls[at])
            followed++;
    }
    return falling == followed ? TRM_OK : spirv_invalid(flow->reader, "cases fall through in a circle");
}

static int compare_literals(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static int32_t check_literals(const struct structure *structure, uint32_t block)
{
    struct flow *flow                   = structure->flow;
    const struct spirv_instruction *end = flow_terminator(flow, block);

    if (end->opcode != SpvOpSwitch)
        return TRM_OK;
    const struct spirv_type *type = spirv_type_of(flow->reader->module, end->operands[0]);
    uint32_t step                 = type->width == 64 ? 3 : 2;
    uint32_t count                = (end->operand_count - 2u) / step;
    uint64_t *literals            = base_arena_allocate(flow->reader->arena, count, sizeof(*literals));
    if (literals == NULL)
        return spirv_invalid(flow->reader, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *words = end->operands + 2 + (size_t)i * step;
        literals[i]           = spirv_extend(type, words[0] | (step == 3 ? (uint64_t)words[1] << 32 : 0));
    }
    qsort(literals, count, sizeof(*literals), compare_literals);
    for (uint32_t i = 1; i < count; i++)
        if (literals[i] == literals[i - 1])
            return spirv_invalid(flow->reader, "the switch of block %u has a case twice",
                                 label(structure, block));
    return TRM_OK;
}

int32_t spirv_flow_structure(struct flow *flow)
{
    struct structure structure = {.flow = flow};
    int32_t status             = prepare(&structure);

    for (uint32_t b = 0; b < flow->count && status == TRM_OK; b++) {
        if (flow_is_reachable(flow, b))
            note_cases(&structure, b);
        status = check_literals(&structure, b);
    }
    for (uint32_t i = 0; i < flow->reachable_count && status == TRM_OK; i++)
        status = place_block(&structure, flow->tree_order[i]);
    for (uint32_t i = 0; i < flow->reachable_count && status == TRM_OK; i++)
        status = check_branches(&structure, flow->order[i]);
    for (uint32_t i = 0; i < flow->reachable_count && status == TRM_OK; i++)
        status = check_joins(&structure, flow->order[i]);
    return status == TRM_OK ? check_chains(&structure) : status;
}
