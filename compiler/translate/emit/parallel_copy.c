/* Parallel copies: the values of phis. They are assigned one after the other if an order allows it, else
 * through temporary variables.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include <trireme/status.h>

#include "compiler/translate/emit/flow.h"
#include "compiler/translate/emit/op_cooperative.h"

#define INLINE_DEPTH_MOST 64u

/* A copy, sorted by a number. */
struct rank {
    uint32_t number, copy;
};

/* The copies of a node, and which must be done before which. Linear but for sorting: a node may have as many
 * copies as the shader has variables. */
struct order {
    struct emit *emit;
    const struct node_copy *copies;
    uint32_t count;
    bool *done;             /* also: need not be done */
    struct rank *by_target; /* all copies */
    uint32_t *edges;        /* of each copy in turn: copies whose targets it reads, which come behind it */
    uint32_t *first_edge;   /* of each copy, and the end */
    uint32_t edge_count, edge_capacity;
    uint32_t *readers;  /* of each copy's target: copies that are left and read it */
    uint32_t *rounds;   /* the first in which each copy can be done: a round goes through all in order */
    struct rank *queue; /* copies that can be done, with their rounds */
    uint32_t queue_count;
    uint32_t reader_of_all;  /* a copy that may read any target */
    uint32_t readers_of_all; /* how many there are */
};

static uint32_t copy_of(const struct order *order, uint32_t target)
{
    uint32_t low = 0, high = order->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2, own = order->by_target[middle].number;
        if (own == target)
            return order->by_target[middle].copy;
        if (own < target)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

/* Adds edges for the targets that the expression for `id` reads, directly or through values that are written
 * inline. False where it nests too deeply to tell. */
static bool add_edges(struct order *order, uint32_t copy, uint32_t id, uint32_t depth)
{
    const struct emit *emit = order->emit;
    uint32_t other          = copy_of(order, id);

    if (other != UINT32_MAX) {
        if (other != copy && !order->done[other] &&
            base_arena_grow(emit->arena, &order->edges, order->edge_count, &order->edge_capacity,
                            sizeof(*order->edges))) {
            order->edges[order->edge_count++] = other;
            order->readers[other]++;
        }
        return true;
    }
    if (id >= emit->flow->count || emit->body->values[id].place != PLACE_INLINE)
        return true;
    const struct spirv_instruction *op = emit->flow->definitions[id];
    if (op == NULL)
        return true;
    if (depth > INLINE_DEPTH_MOST)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (spirv_operand_is_id(op, i) && !add_edges(order, copy, op->operands[i], depth + 1))
            return false;
    return true;
}

/* Only leaders have matrices. */
static const char *guard(const struct emit *emit, uint32_t id)
{
    return spirv_holds_matrix(emit->module, spirv_type_of(emit->module, id)) ? emit_matrix_guard(emit) : "";
}

static int32_t assign(struct emit *emit, const struct node_copy *copy)
{
    uint32_t count = emit_components(emit, emit->module->ids[copy->target].type);

    for (uint32_t i = 0; i < (count < 2 ? 1 : count); i++) {
        text_begin_line(&emit->text);
        text_add(&emit->text, "%s", guard(emit, copy->target));
        emit_result(emit, copy->target, count < 2 ? WHOLE : i);
        text_add(&emit->text, " = ");
        int32_t status = emit_value(emit, copy->source, count < 2 ? WHOLE : i);
        text_add(&emit->text, ";\n");
        if (status != TRM_OK)
            return status;
    }
    emit_assigned(emit, copy->target);
    return TRM_OK;
}

/* Assigns the copies of a cycle together, through temporaries next_12. */
static int32_t assign_together(struct emit *emit, const struct node_copy *copies, const bool *done,
                               uint32_t copy_count)
{
    text_line(&emit->text, "{");
    for (uint32_t k = 0; k < copy_count; k++) {
        uint32_t type  = emit->module->ids[copies[k].target].type;
        uint32_t count = emit_components(emit, type);
        for (uint32_t i = 0; i < (count < 2 ? 1 : count) && !done[k]; i++) {
            text_begin_line(&emit->text);
            text_add(&emit->text, "const %s next_%u_%u = ", emit_type_name(emit, type), copies[k].target, i);
            int32_t status = emit_value(emit, copies[k].source, count < 2 ? WHOLE : i);
            text_add(&emit->text, ";\n");
            if (status != TRM_OK)
                return status;
        }
    }
    for (uint32_t k = 0; k < copy_count; k++) {
        uint32_t count = emit_components(emit, emit->module->ids[copies[k].target].type);
        for (uint32_t i = 0; i < (count < 2 ? 1 : count) && !done[k]; i++) {
            text_begin_line(&emit->text);
            text_add(&emit->text, "%s", guard(emit, copies[k].target));
            emit_result(emit, copies[k].target, count < 2 ? WHOLE : i);
            text_add(&emit->text, " = next_%u_%u;\n", copies[k].target, i);
        }
        if (!done[k])
            emit_assigned(emit, copies[k].target);
    }
    text_close(&emit->text, "}");
    return TRM_OK;
}

static bool make_tables(struct order *order)
{
    struct base_arena *arena = order->emit->arena;
    uint32_t count           = order->count;

    order->done       = base_arena_allocate(arena, count, sizeof(*order->done));
    order->by_target  = base_arena_allocate(arena, count, sizeof(*order->by_target));
    order->first_edge = base_arena_allocate(arena, (size_t)count + 1, sizeof(*order->first_edge));
    order->readers    = base_arena_allocate(arena, count, sizeof(*order->readers));
    order->rounds     = base_arena_allocate(arena, count, sizeof(*order->rounds));
    order->queue      = base_arena_allocate(arena, count, sizeof(*order->queue));
    return !arena->failed;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->copy < b->copy ? -1 : a->copy > b->copy;
}

static void find_edges(struct order *order)
{
    const struct emit *emit = order->emit;

    for (uint32_t i = 0; i < order->count; i++) {
        uint32_t target     = order->copies[i].target;
        order->by_target[i] = (struct rank){target, i};
        order->rounds[i]    = 1;
        order->done[i]      = target == order->copies[i].source ||
                         (target < emit->flow->count && emit->body->values[target].place == PLACE_NONE);
    }
    qsort(order->by_target, order->count, sizeof(*order->by_target), compare_ranks);
    for (uint32_t i = 0; i < order->count; i++) {
        order->first_edge[i] = order->edge_count;
        if (order->done[i] || add_edges(order, i, order->copies[i].source, 0))
            continue;
        order->reader_of_all = i;
        order->readers_of_all++;
    }
    order->first_edge[order->count] = order->edge_count;
}

/* Copy `from` is done: another one has to come behind it. */
static void put_behind(struct order *order, uint32_t from, uint32_t copy)
{
    uint32_t round = order->rounds[from] + (from > copy ? 1 : 0);

    if (order->rounds[copy] < round)
        order->rounds[copy] = round;
}

static void add_free(struct order *order, uint32_t copy)
{
    if (order->readers[copy] == 0 && !order->done[copy])
        order->queue[order->queue_count++] = (struct rank){order->rounds[copy], copy};
}

/* Fills the queue with all copies that can be done one after the other. */
static void find_order(struct order *order)
{
    uint32_t first = order->reader_of_all;

    if (order->readers_of_all > 1 || (order->readers_of_all == 1 && order->readers[first] != 0))
        return;
    if (order->readers_of_all == 1)
        add_free(order, first);
    for (uint32_t i = 0; i < order->count; i++) {
        if (order->readers_of_all == 1 && i == first)
            continue;
        if (order->readers_of_all == 1)
            put_behind(order, first, i);
        add_free(order, i);
    }
    for (uint32_t i = 0; i < order->queue_count; i++) {
        uint32_t copy = order->queue[i].copy;
        for (uint32_t at = order->first_edge[copy]; at < order->first_edge[copy + 1]; at++) {
            uint32_t other = order->edges[at];
            put_behind(order, copy, other);
            if (--order->readers[other] == 0)
                add_free(order, other);
        }
    }
    qsort(order->queue, order->queue_count, sizeof(*order->queue), compare_ranks);
}

int32_t flow_copies(struct emit *emit, const struct node *node)
{
    struct order order = {.emit = emit, .copies = node->copies, .count = node->copy_count};
    uint32_t left      = 0;

    if (!make_tables(&order))
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    find_edges(&order);
    find_order(&order);
    for (uint32_t i = 0; i < order.count; i++)
        left += !order.done[i];
    for (uint32_t i = 0; i < order.queue_count; i++, left--) {
        int32_t status = assign(emit, &node->copies[order.queue[i].copy]);
        if (status != TRM_OK)
            return status;
        order.done[order.queue[i].copy] = true;
    }
    return left == 0 ? TRM_OK : assign_together(emit, node->copies, order.done, node->copy_count);
}
