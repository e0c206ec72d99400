/* Dominators: T. Lengauer and R. E. Tarjan, A Fast Algorithm for Finding Dominators in a Flowgraph (TOPLAS
 * 1979), the simple version: O(m log n) for n blocks and m edges. No function is recursive, so large graphs
 * do not overflow the stack.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/validate.h"

/* Indexed by depth-first number, except `number` and `at`, which are indexed by block. */
struct work {
    uint32_t *number; /* depth-first number of a block; FLOW_NONE: unreachable */
    uint32_t *parent;
    uint32_t *semi;
    uint32_t *label;
    uint32_t *ancestor; /* FLOW_NONE: the root of a tree in the forest */
    uint32_t *dominator;
    uint32_t *bucket, *next; /* lists of vertices that share a semidominator */
    uint32_t *path;          /* path compression, and the stack of both walks */
    uint32_t *at;            /* next successor of the block to visit */
};

static int32_t prepare(struct flow *flow, struct work *work)
{
    struct base_arena *arena = flow->reader->arena;
    uint32_t **lists[] = {&work->number,    &work->parent,    &work->semi,  &work->label, &work->ancestor,
                          &work->dominator, &work->bucket,    &work->next,  &work->path,  &work->at,
                          &flow->order,     &flow->dominator, &flow->enter, &flow->end,   &flow->tree_order};

    for (uint32_t i = 0; i < SPIRV_COUNT(lists); i++)
        *lists[i] = base_arena_allocate(arena, flow->count, sizeof(uint32_t));
    if (arena->failed)
        return spirv_invalid(flow->reader, "out of memory");
    for (uint32_t i = 0; i < flow->count; i++) {
        work->number[i] = work->ancestor[i] = work->bucket[i] = work->next[i] = FLOW_NONE;
        work->semi[i] = work->label[i] = i;
        flow->dominator[i]             = FLOW_NONE;
    }
    return TRM_OK;
}

static void visit(struct flow *flow, struct work *work, uint32_t block, uint32_t parent)
{
    uint32_t number = flow->reachable_count++;

    work->number[block]  = number;
    work->parent[number] = parent;
    work->at[block]      = flow->successor_first[block];
    flow->order[number]  = block;
}

static void search_depth_first(struct flow *flow, struct work *work)
{
    uint32_t *stack = work->path, depth = 0;

    visit(flow, work, 0, FLOW_NONE);
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t block = stack[depth - 1];
        if (work->at[block] == flow->successor_first[block + 1]) {
            depth--;
            continue;
        }
        uint32_t target = flow->successors[work->at[block]++];
        if (work->number[target] != FLOW_NONE)
            continue;
        visit(flow, work, target, work->number[block]);
        stack[depth++] = target;
    }
}

/* The vertex with the least semidominator on the path from v up to, and without, the root of its tree (EVAL
 * with path compression). */
static uint32_t evaluate(struct work *work, uint32_t v)
{
    uint32_t depth = 0;

    if (work->ancestor[v] == FLOW_NONE)
        return work->label[v];
    for (uint32_t u = v; work->ancestor[work->ancestor[u]] != FLOW_NONE; u = work->ancestor[u])
        work->path[depth++] = u;
    while (depth > 0) {
        uint32_t u     = work->path[--depth];
        uint32_t above = work->ancestor[u];
        if (work->semi[work->label[above]] < work->semi[work->label[u]])
            work->label[u] = work->label[above];
        work->ancestor[u] = work->ancestor[above];
    }
    return work->label[v];
}

static void find_semidominator(struct flow *flow, struct work *work, uint32_t w)
{
    uint32_t block = flow->order[w];

    for (uint32_t i = flow->predecessor_first[block]; i < flow->predecessor_first[block + 1]; i++) {
        uint32_t v = work->number[flow->predecessors[i]];
        if (v == FLOW_NONE)
            continue;
        uint32_t semi = work->semi[evaluate(work, v)];
        if (semi < work->semi[w])
            work->semi[w] = semi;
    }
    work->next[w]               = work->bucket[work->semi[w]];
    work->bucket[work->semi[w]] = w;
    work->ancestor[w]           = work->parent[w];
}

static void find_dominators(struct flow *flow, struct work *work)
{
    for (uint32_t w = flow->reachable_count; w-- > 1;) {
        uint32_t parent = work->parent[w];
        find_semidominator(flow, work, w);
        for (uint32_t v = work->bucket[parent]; v != FLOW_NONE; v = work->next[v]) {
            uint32_t u         = evaluate(work, v);
            work->dominator[v] = work->semi[u] < work->semi[v] ? u : parent;
        }
        work->bucket[parent] = FLOW_NONE;
    }
    for (uint32_t w = 1; w < flow->reachable_count; w++) {
        if (work->dominator[w] != work->semi[w])
            work->dominator[w] = work->dominator[work->dominator[w]];
        flow->dominator[flow->order[w]] = flow->order[work->dominator[w]];
    }
}

/* Numbers the dominator tree in preorder. Reuses the arrays of the search, indexed by block here. */
static void number_tree(struct flow *flow, struct work *work)
{
    uint32_t *child = work->bucket, *sibling = work->next, *stack = work->path;
    uint32_t depth = 0, number = 0;

    for (uint32_t i = 0; i < flow->count; i++)
        child[i] = sibling[i] = FLOW_NONE;
    for (uint32_t w = flow->reachable_count; w-- > 1;) {
        uint32_t block = flow->order[w], above = flow->dominator[block];
        sibling[block] = child[above];
        child[above]   = block;
    }
    stack[depth++]           = 0;
    flow->tree_order[number] = 0;
    flow->enter[0]           = number++;
    while (depth > 0) {
        uint32_t block = stack[depth - 1], below = child[block];
        if (below == FLOW_NONE) {
            flow->end[block] = number;
            depth--;
            continue;
        }
        child[block]             = sibling[below];
        flow->tree_order[number] = below;
        flow->enter[below]       = number++;
        stack[depth++]           = below;
    }
}

int32_t spirv_flow_dominators(struct flow *flow)
{
    struct work work;
    int32_t status = prepare(flow, &work);

    if (status != TRM_OK)
        return status;
    search_depth_first(flow, &work);
    find_dominators(flow, &work);
    number_tree(flow, &work);
    return TRM_OK;
}
