/* Dominators, by the simpler of the two algorithms of Lengauer and Tarjan ("A fast algorithm for finding
 * dominators in a flowgraph", 1979), without recursion. It runs in O(m log n) for every graph.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/dominators.h"

/* ---- order ----------------------------------------------------------------------------------- */

static uint32_t target_of(const struct body *body, uint32_t block, uint32_t branch)
{
    const struct spirv_instruction *terminator = block_terminator(body->function.blocks[block]);

    return terminator->operands[branch_operand(body->module, terminator, branch)];
}

static uint32_t count_of(const struct body *body, uint32_t block)
{
    return branch_count(body->module, block_terminator(body->function.blocks[block]));
}

/* A depth-first search from the entry: gives the order of arrival, which the dominators need, and the reverse
 * postorder. */
struct search {
    uint32_t *number; /* [count] by block: 1 + order of arrival; 0: not reached */
    uint32_t *vertex; /* [arrival] block */
    uint32_t *parent; /* [count] by block: its predecessor in the search */
    uint32_t arrived;
};

static bool search_depth_first(const struct body *body, struct graph *graph, struct search *search)
{
    uint32_t *stack = base_arena_allocate(body->arena, graph->count, sizeof(*stack));
    uint32_t *next  = base_arena_allocate(body->arena, graph->count, sizeof(*next));
    uint32_t depth = 0, at = graph->count;

    if (stack == NULL || next == NULL)
        return false;
    stack[depth++]                    = 0;
    search->number[0]                 = 1;
    search->vertex[search->arrived++] = 0;
    while (depth != 0) {
        uint32_t block = stack[depth - 1];
        if (next[block] == count_of(body, block)) {
            graph->order[--at] = block;
            depth--;
            continue;
        }
        uint32_t target = target_of(body, block, next[block]++);
        if (search->number[target] != 0)
            continue;
        search->vertex[search->arrived] = target;
        search->number[target]          = ++search->arrived;
        search->parent[target]          = block;
        stack[depth++]                  = target;
    }
    graph->order += at;
    graph->order_count = graph->count - at;
    for (uint32_t i = 0; i < graph->count; i++)
        graph->position[i] = NO_BLOCK;
    for (uint32_t i = 0; i < graph->order_count; i++)
        graph->position[graph->order[i]] = i;
    return true;
}

/* Several lists in one array: first counted, then filled. `start` has count + 1 entries; the counts are in
 * start[block + 1]. */
static uint32_t *begin_lists(const struct body *body, uint32_t *start, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        start[i + 1] += start[i];
    return base_arena_allocate(body->arena, start[count], sizeof(uint32_t));
}

/* Filling with start[block]++ leaves each start at its list's end: moves them back to the beginnings. */
static void end_lists(uint32_t *start, uint32_t count)
{
    for (uint32_t i = count; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

static bool find_preds(const struct body *body, struct graph *graph)
{
    uint32_t *start = base_arena_allocate(body->arena, (size_t)graph->count + 1, sizeof(*start));

    if (start == NULL)
        return false;
    for (uint32_t block = 0; block < graph->count; block++)
        for (uint32_t i = 0; graph->position[block] != NO_BLOCK && i < count_of(body, block); i++)
            start[target_of(body, block, i) + 1]++;
    graph->preds = begin_lists(body, start, graph->count);
    if (graph->preds == NULL)
        return false;
    for (uint32_t block = 0; block < graph->count; block++)
        for (uint32_t i = 0; graph->position[block] != NO_BLOCK && i < count_of(body, block); i++)
            graph->preds[start[target_of(body, block, i)]++] = block;
    end_lists(start, graph->count);
    graph->pred_start = start;
    return true;
}

static bool find_children(const struct body *body, struct graph *graph)
{
    uint32_t *start = base_arena_allocate(body->arena, (size_t)graph->count + 1, sizeof(*start));

    if (start == NULL)
        return false;
    for (uint32_t i = 1; i < graph->order_count; i++)
        start[graph->dominator[graph->order[i]] + 1]++;
    graph->children = begin_lists(body, start, graph->count);
    if (graph->children == NULL)
        return false;
    for (uint32_t i = 1; i < graph->order_count; i++)
        graph->children[start[graph->dominator[graph->order[i]]]++] = graph->order[i];
    end_lists(start, graph->count);
    graph->child_start = start;
    return true;
}

/* ---- dominators ------------------------------------------------------------------------------ */

/* All arrays are indexed by order of arrival. */
struct forest {
    uint32_t *parent;   /* in the search tree */
    uint32_t *ancestor; /* in the forest; NO_BLOCK for roots */
    uint32_t *label;    /* the vertex with the least semidominator on the path to the root */
    uint32_t *semi;
    uint32_t *bucket; /* the first vertex whose semidominator this is; NO_BLOCK: none */
    uint32_t *next;   /* the next vertex in the same bucket */
    uint32_t *result;
    uint32_t *path; /* scratch memory for compress() */
};

static void compress(struct forest *forest, uint32_t vertex)
{
    uint32_t length = 0;

    for (uint32_t v = vertex; forest->ancestor[forest->ancestor[v]] != NO_BLOCK; v = forest->ancestor[v])
        forest->path[length++] = v;
    while (length-- != 0) {
        uint32_t v = forest->path[length], up = forest->ancestor[v];
        if (forest->semi[forest->label[up]] < forest->semi[forest->label[v]])
            forest->label[v] = forest->label[up];
        forest->ancestor[v] = forest->ancestor[up];
    }
}

static uint32_t evaluate(struct forest *forest, uint32_t vertex)
{
    if (forest->ancestor[vertex] == NO_BLOCK)
        return vertex;
    compress(forest, vertex);
    return forest->label[vertex];
}

static void empty_bucket(struct forest *forest, uint32_t vertex)
{
    for (uint32_t v = forest->bucket[vertex]; v != NO_BLOCK; v = forest->next[v]) {
        uint32_t least    = evaluate(forest, v);
        forest->result[v] = forest->semi[least] < forest->semi[v] ? least : vertex;
    }
    forest->bucket[vertex] = NO_BLOCK;
}

static bool make_forest(const struct body *body, const struct search *search, struct forest *forest)
{
    uint32_t count   = search->arrived;
    uint32_t *memory = base_arena_allocate(body->arena, (size_t)count * 8, sizeof(*memory));

    if (memory == NULL)
        return false;
    *forest = (struct forest){
        .parent   = memory,
        .ancestor = memory + count,
        .label    = memory + (size_t)2 * count,
        .semi     = memory + (size_t)3 * count,
        .bucket   = memory + (size_t)4 * count,
        .next     = memory + (size_t)5 * count,
        .result   = memory + (size_t)6 * count,
        .path     = memory + (size_t)7 * count,
    };
    for (uint32_t i = 0; i < count; i++) {
        forest->parent[i]   = i == 0 ? 0 : search->number[search->parent[search->vertex[i]]] - 1;
        forest->ancestor[i] = NO_BLOCK;
        forest->label[i] = forest->semi[i] = i;
        forest->bucket[i]                  = NO_BLOCK;
    }
    return true;
}

static bool find_dominators(const struct body *body, struct graph *graph, const struct search *search)
{
    struct forest forest;

    if (!make_forest(body, search, &forest))
        return false;
    for (uint32_t w = search->arrived; w-- > 1;) {
        uint32_t block = search->vertex[w];
        for (uint32_t i = graph->pred_start[block]; i < graph->pred_start[block + 1]; i++) {
            uint32_t least = evaluate(&forest, search->number[graph->preds[i]] - 1);
            if (forest.semi[least] < forest.semi[w])
                forest.semi[w] = forest.semi[least];
        }
        forest.next[w]                = forest.bucket[forest.semi[w]];
        forest.bucket[forest.semi[w]] = w;
        forest.ancestor[w]            = forest.parent[w];
        empty_bucket(&forest, forest.parent[w]);
    }
    graph->dominator[0] = NO_BLOCK;
    for (uint32_t w = 1; w < search->arrived; w++) {
        if (forest.result[w] != forest.semi[w])
            forest.result[w] = forest.result[forest.result[w]];
        graph->dominator[search->vertex[w]] = search->vertex[forest.result[w]];
    }
    return true;
}

bool graph_make(const struct body *body, struct graph *graph)
{
    uint32_t count       = body->function.block_count;
    struct search search = {0};

    *graph           = (struct graph){.count = count};
    graph->order     = base_arena_allocate(body->arena, count, sizeof(uint32_t));
    graph->position  = base_arena_allocate(body->arena, count, sizeof(uint32_t));
    graph->dominator = base_arena_allocate(body->arena, count, sizeof(uint32_t));
    search.number    = base_arena_allocate(body->arena, count, sizeof(uint32_t));
    search.vertex    = base_arena_allocate(body->arena, count, sizeof(uint32_t));
    search.parent    = base_arena_allocate(body->arena, count, sizeof(uint32_t));
    if (graph->order == NULL || graph->position == NULL || graph->dominator == NULL ||
        search.number == NULL || search.vertex == NULL || search.parent == NULL)
        return false;
    return search_depth_first(body, graph, &search) && find_preds(body, graph) &&
           find_dominators(body, graph, &search) && find_children(body, graph);
}

/* ---- frontiers ------------------------------------------------------------------------------- */

/* Visits each pair of a block and a block of its frontier once: counts the pair, or stores it. `seen[b]` is
 * the last join that was found for b; all dominators of b have that join too. */
static int64_t walk_frontiers(const struct graph *graph, uint32_t most, uint32_t *seen, uint32_t *start,
                              uint32_t *frontiers)
{
    int64_t total = 0;

    for (uint32_t i = 0; i < graph->count; i++)
        seen[i] = NO_BLOCK;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t join = graph->order[i], first = graph->pred_start[join], end = graph->pred_start[join + 1];
        for (uint32_t k = first; end - first > (join == 0 ? 0u : 1u) && k < end; k++) {
            uint32_t block = graph->preds[k];
            while (block != NO_BLOCK && block != graph->dominator[join] && seen[block] != join) {
                seen[block] = join;
                if (++total > most)
                    return -1;
                if (frontiers == NULL)
                    start[block + 1]++;
                else
                    frontiers[start[block]++] = join;
                block = graph->dominator[block];
            }
        }
    }
    return total;
}

bool graph_frontiers(const struct body *body, const struct graph *graph, uint32_t most, uint32_t **start,
                     uint32_t **frontiers)
{
    uint32_t *seen = base_arena_allocate(body->arena, graph->count, sizeof(*seen));

    *start = base_arena_allocate(body->arena, (size_t)graph->count + 1, sizeof(uint32_t));
    if (seen == NULL || *start == NULL || walk_frontiers(graph, most, seen, *start, NULL) < 0)
        return false;
    *frontiers = begin_lists(body, *start, graph->count);
    if (*frontiers == NULL)
        return false;
    walk_frontiers(graph, most, seen, *start, *frontiers);
    end_lists(*start, graph->count);
    return true;
}
