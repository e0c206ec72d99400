/* Makes a loop of the group before a loop of the work-items:
 *
 *     for (i = first + x; i < n; i += s) { body }
 * becomes
 *     for (j = first; j <= j + last && j + last < n; j += s) { barrier; i = j + x; body }
 *     for (i = j + x; i < n; i += s) { body }
 *
 * `last` is the difference between the numbers of the last and the first work-item of a row. As long as the
 * first loop's condition holds, the second loop's condition holds for every work-item, and the numbers are
 * the same; the second loop runs the remaining rounds.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/translate/passes/lockstep.h"
#include "compiler/translate/passes/steps.h"

struct splitter {
    struct replacer replacer; /* first: replace.c is given a pointer to it */
    struct lockstep *l;
    struct body *body;
    uint32_t counter; /* the phi that is compared */
    uint32_t bound;   /* the value that it is compared with */
    bool at_left;     /* the counter is the comparison's left operand */
    int64_t step;
    uint32_t group; /* j */
    uint32_t *map;  /* by id: its replacement in the group's loop; 0: itself */
    uint32_t map_count;
    struct node **nodes; /* by number: copies of scopes and switches, for jumps */
    uint32_t node_count;
};

/* ---- making things */

static uint32_t make(struct body *body, struct node *ops, uint32_t opcode, uint32_t type, uint32_t left,
                     uint32_t right)
{
    uint32_t id                  = body_new_id(body, type);
    struct spirv_instruction *op = body_instruction(body, opcode, type, id, right == 0 ? 1 : 2, NULL);

    if (id == 0 || op == NULL)
        return 0;
    op->operands[0] = left;
    if (right != 0)
        op->operands[1] = right;
    body->module->ids[id].as.instruction = op;
    node_add_op(body, ops, op);
    return id;
}

/* Loads another built-in with the index of an existing load. */
static uint32_t load_other(struct body *body, struct node *ops, const struct spirv_instruction *load,
                           int32_t builtin)
{
    const struct access *access     = body_access(body, load->operands[0]);
    const struct spirv_id *variable = &body->module->ids[access->variable];
    struct spirv_variable *other    = base_arena_allocate(body->arena, 1, sizeof(*other));
    uint32_t type                   = variable->as.variable->type;
    uint32_t id                     = body_new_id(body, type);

    if (other == NULL || id == 0)
        return 0;
    *other                            = *body->module->ids[access->variable].as.variable;
    other->builtin                    = builtin;
    body->module->ids[id].kind        = SPIRV_ID_VARIABLE;
    body->module->ids[id].as.variable = other;
    access_variable(body, id);
    uint32_t pointer = body_copy_id(body, load->operands[0]);
    if (pointer == 0)
        return 0;
    body->values[pointer].access          = *body_access(body, load->operands[0]);
    body->values[pointer].access.variable = id;
    return make(body, ops, SpvOpLoad, load->type, pointer, 0);
}

static int32_t builtin_of(struct body *body, const struct spirv_instruction *op)
{
    const struct spirv_variable *variable = body_variable(body, body_access(body, op->operands[0])->variable);

    return variable != NULL && variable->storage == SpvStorageClassInput ? variable->builtin : -1;
}

/* ---- as the first item has it */

static uint32_t first_load(struct lockstep *l, struct node *ops, const struct spirv_instruction *op)
{
    struct body *body           = l->body;
    const struct access *access = body_access(body, op->operands[0]);
    const struct spirv_constant *index =
        access->count == 1 ? spirv_constant(body->module, access->indices[0]) : NULL;
    int32_t builtin = builtin_of(body, op);

    if (index == NULL || index->bits != 0)
        return 0; /* y and z are not uniform here: in a flat group uniform.c has found them already */
    if (builtin == SpvBuiltInLocalInvocationId)
        return body_constant(body, op->type, 0);
    if (builtin != SpvBuiltInGlobalInvocationId)
        return 0;
    uint32_t group = load_other(body, ops, op, SpvBuiltInWorkgroupId);
    uint32_t width = body_constant(body, op->type, body->entry->local_size[0]);
    return group == 0 || width == 0 ? 0 : make(body, ops, SpvOpIMul, op->type, group, width);
}

uint32_t lockstep_first(struct lockstep *l, struct node *ops, uint32_t id)
{
    struct body *body = l->body;

    if (spirv_constant(body->module, id) != NULL)
        return id;
    if (id >= l->count || (body->values[id].is_uniform && !l->inside[id]))
        return id < l->count ? id : 0;
    const struct spirv_instruction *op = l->definitions[id];
    if (op == NULL)
        return 0;
    if (op->opcode == SpvOpLoad && !body->values[id].is_uniform)
        return first_load(l, ops, op);
    if (op->opcode != SpvOpLoad && !operation_is_safe(body->module, op))
        return 0;
    uint32_t copy = body_copy_id(body, id);
    struct spirv_instruction *other =
        body_instruction(body, op->opcode, op->type, copy, op->operand_count, op);
    if (copy == 0 || other == NULL)
        return 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        other->operands[i] = op->operands[i];
        if (op->opcode == SpvOpLoad || !operand_is_value(op, i))
            continue;
        other->operands[i] = lockstep_first(l, ops, op->operands[i]);
        if (other->operands[i] == 0)
            return 0;
    }
    body->module->ids[copy].as.instruction = other;
    node_add_op(body, ops, other);
    return copy;
}

/* ---- the condition */

/* Does the comparison, in the sense in which the loop continues, hold for all smaller numbers if it holds for
 * one? */
static bool is_downward(uint16_t opcode, bool at_left, bool negated)
{
    bool less = opcode == SpvOpULessThan || opcode == SpvOpULessThanEqual || opcode == SpvOpSLessThan ||
                opcode == SpvOpSLessThanEqual;
    bool greater = opcode == SpvOpUGreaterThan || opcode == SpvOpUGreaterThanEqual ||
                   opcode == SpvOpSGreaterThan || opcode == SpvOpSGreaterThanEqual;

    if (!less && !greater)
        return false;
    return less == (at_left != negated);
}

static bool is_signed(uint16_t opcode)
{
    return opcode == SpvOpSLessThan || opcode == SpvOpSLessThanEqual || opcode == SpvOpSGreaterThan ||
           opcode == SpvOpSGreaterThanEqual;
}

/* Finds the phi in the comparison, which must be a 32-bit number. */
static bool find_counter(struct splitter *s, const struct spirv_instruction *comparison)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t id = comparison->operands[i];
        if (lockstep_next(s->l, id) == 0)
            continue;
        const struct spirv_type *type = spirv_type_of(s->body->module, id);
        s->counter                    = id;
        s->bound                      = comparison->operands[1 - i];
        s->at_left                    = i == 0;
        return type->kind == SPIRV_INT && type->width == 32;
    }
    return false;
}

/* The initial value of a phi: the copies before the loop assign it. */
static uint32_t initial(const struct splitter *s, uint32_t phi)
{
    const struct lockstep_loop *at = &s->l->at;

    for (uint32_t i = at->index; i-- > 0;) {
        const struct node *before = at->sequence->children[i];
        if (before->kind != NODE_COPIES && before->kind != NODE_OPS)
            return 0;
        for (uint32_t k = 0; k < before->copy_count; k++)
            if (before->copies[k].target == phi)
                return before->copies[k].source;
    }
    return 0;
}

/* The stride: the other operand of the addition that advances the counter. */
static uint32_t stride_of(const struct splitter *s)
{
    uint32_t next                      = lockstep_next(s->l, s->counter);
    const struct spirv_instruction *op = next < s->l->count ? s->l->definitions[next] : NULL;

    if (op == NULL || op->opcode != SpvOpIAdd)
        return 0;
    if (op->operands[0] == s->counter)
        return op->operands[1];
    return op->operands[1] == s->counter ? op->operands[0] : 0;
}

/* ---- a copy of the loop's body */

static uint32_t mapped(struct replacer *replacer, uint32_t id)
{
    const struct splitter *s = (const struct splitter *)replacer;

    return id < s->map_count && s->map[id] != 0 ? s->map[id] : id;
}

static void copy_op(struct splitter *s, struct node *ops, const struct spirv_instruction *op)
{
    uint32_t result = op->result == 0 ? 0 : body_copy_id(s->body, op->result);
    struct spirv_instruction *copy =
        body_instruction(s->body, op->opcode, op->type, result, op->operand_count, op);

    if (copy == NULL)
        return;
    memcpy(copy->operands, op->operands, op->operand_count * sizeof(uint32_t));
    if (result != 0) {
        s->map[op->result]                          = result;
        s->body->module->ids[result].as.instruction = copy;
        /* The copy has the same access; replace_below() replaces its indices where it is used. */
        s->body->values[result].access = s->body->values[op->result].access;
    }
    node_add_op(s->body, ops, copy);
}

static void copy_copies(struct splitter *s, struct node *to, const struct node *from)
{
    to->copies = base_arena_allocate(s->body->arena, from->copy_count, sizeof(*to->copies));
    for (uint32_t i = 0; i < from->copy_count && to->copies != NULL; i++) {
        uint32_t target = from->copies[i].target;
        if (target == s->counter)
            continue;
        if (s->map[target] == 0) {
            s->map[target] = body_copy_id(s->body, target);
            if (s->map[target] == 0)
                return;
            s->body->values[s->map[target]].is_phi = true;
        }
        to->copies[to->copy_count++] = (struct node_copy){s->map[target], from->copies[i].source};
    }
}

static struct node *copy_node(struct splitter *s, const struct node *from)
{
    struct node *to = from == NULL ? NULL : node_new(s->body, from->kind);

    if (to == NULL)
        return NULL;
    if (from->number < s->node_count)
        s->nodes[from->number] = to;
    to->condition = from->condition;
    to->unroll    = from->unroll;
    to->target =
        from->target != NULL && from->target->number < s->node_count && s->nodes[from->target->number] != NULL
            ? s->nodes[from->target->number]
            : from->target;
    for (uint32_t i = 0; i < from->op_count; i++)
        copy_op(s, to, from->ops[i]);
    if (from->kind == NODE_COPIES)
        copy_copies(s, to, from);
    to->children = base_arena_allocate(s->body->arena, from->child_count, sizeof(struct node *));
    for (uint32_t i = 0; i < from->child_count && to->children != NULL; i++)
        to->children[to->child_count++] = copy_node(s, from->children[i]);
    to->child_capacity = to->child_count;
    to->cases          = base_arena_allocate(s->body->arena, from->case_count, sizeof(*to->cases));
    for (uint32_t i = 0; i < from->case_count && to->cases != NULL; i++) {
        to->cases[i]      = from->cases[i];
        to->cases[i].body = copy_node(s, from->cases[i].body);
        to->case_count++;
    }
    return to;
}

/* ---- putting it together */

/* The counter of each work-item: j + step x. */
static uint32_t own_number(struct splitter *s, struct node *ops, const struct spirv_instruction *like)
{
    uint32_t type = s->body->module->ids[s->counter].type;
    uint32_t x    = load_other(s->body, ops, like, SpvBuiltInLocalInvocationId);

    if (x != 0 && type != like->type)
        x = make(s->body, ops, SpvOpBitcast, type, x, 0);
    if (x != 0 && s->step != 1) {
        uint32_t step = body_constant(s->body, type, (uint64_t)s->step);
        x             = step == 0 ? 0 : make(s->body, ops, SpvOpIMul, type, x, step);
    }
    return x == 0 ? 0 : make(s->body, ops, SpvOpIAdd, type, s->group, x);
}

/* A load of a built-in's x that the counter is made of, as a model for others. */
static const struct spirv_instruction *find_load(const struct splitter *s, uint32_t id, uint32_t depth)
{
    const struct spirv_instruction *op = id < s->l->count ? s->l->definitions[id] : NULL;

    if (op == NULL || depth > 16)
        return NULL;
    if (op->opcode == SpvOpLoad) {
        const struct access *access = body_access(s->body, op->operands[0]);
        int32_t builtin             = builtin_of(s->body, op);
        if (access->count != 1 ||
            (builtin != SpvBuiltInGlobalInvocationId && builtin != SpvBuiltInLocalInvocationId))
            return NULL;
        const struct spirv_constant *index = spirv_constant(s->body->module, access->indices[0]);
        return index != NULL && index->bits == 0 ? op : NULL;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct spirv_instruction *load =
            operand_is_value(op, i) ? find_load(s, op->operands[i], depth + 1) : NULL;
        if (load != NULL)
            return load;
    }
    return NULL;
}

static struct node *one_copy(struct splitter *s, uint32_t target, uint32_t source)
{
    struct node *node = node_new(s->body, NODE_COPIES);

    if (node == NULL)
        return NULL;
    node->copies = base_arena_allocate(s->body->arena, 1, sizeof(*node->copies));
    if (node->copies != NULL)
        node->copies[node->copy_count++] = (struct node_copy){target, source};
    return node;
}

/* Appends "j <= j + last && j + last < n" to `ops`. */
static uint32_t make_condition(struct splitter *s, struct node *ops, const struct spirv_instruction *like,
                               uint32_t bound)
{
    struct body *body = s->body;
    uint32_t type     = body->module->ids[s->counter].type;
    uint64_t width    = body->entry->local_size[0] - 1;
    uint32_t span     = body_constant(body, type, width * (uint64_t)s->step);
    uint32_t last     = span == 0 ? 0 : make(body, ops, SpvOpIAdd, type, s->group, span);
    uint32_t order    = is_signed(like->opcode) ? SpvOpSLessThanEqual : SpvOpULessThanEqual;

    if (last == 0)
        return 0;
    uint32_t inside = s->at_left ? make(body, ops, like->opcode, like->type, last, bound)
                                 : make(body, ops, like->opcode, like->type, bound, last);
    if (s->l->at.is_negated && inside != 0)
        inside = make(body, ops, SpvOpLogicalNot, like->type, inside, 0);
    uint32_t straight = make(body, ops, order, like->type, s->group, last);
    return inside == 0 || straight == 0 ? 0 : make(body, ops, SpvOpLogicalAnd, like->type, straight, inside);
}

/* The head of the group's loop: leaves it when the condition is false. */
static struct node *make_head(struct splitter *s, struct node *loop, uint32_t condition)
{
    struct node *head = node_new(s->body, NODE_IF), *no = node_new(s->body, NODE_SEQUENCE);
    struct node *leave = node_new(s->body, NODE_BREAK), *yes = node_new(s->body, NODE_SEQUENCE);

    if (head == NULL || no == NULL || leave == NULL || yes == NULL)
        return NULL;
    head->condition = condition;
    leave->target   = loop;
    node_add(s->body, no, leave);
    node_add(s->body, head, yes);
    node_add(s->body, head, no);
    return head;
}

/* The group's loop. `stride` is the step of j. */
static struct node *make_loop(struct splitter *s, const struct spirv_instruction *comparison,
                              const struct spirv_instruction *load, uint32_t bound, uint32_t stride,
                              uint32_t *condition)
{
    struct body *body       = s->body;
    const struct node *from = s->l->at.loop->children[0];
    struct node *loop = node_new(body, NODE_LOOP), *sequence = node_new(body, NODE_SEQUENCE);
    struct node *ops = node_new(body, NODE_OPS), *own = node_new(body, NODE_OPS);
    struct node *step = node_new(body, NODE_OPS), *copied = node_new(body, NODE_SEQUENCE);

    if (loop == NULL || sequence == NULL || ops == NULL || own == NULL || step == NULL || copied == NULL)
        return NULL;
    *condition         = make_condition(s, ops, comparison, bound);
    s->map[s->counter] = own_number(s, own, load);
    uint32_t next      = make(body, step, SpvOpIAdd, body->module->ids[s->counter].type, s->group, stride);
    if (*condition == 0 || s->map[s->counter] == 0 || next == 0)
        return NULL;
    for (uint32_t i = 0; i < from->child_count; i++)
        if (i != s->l->at.head_index)
            node_add(body, copied, copy_node(s, from->children[i]));
    replace_below(&s->replacer, copied);
    node_add(body, sequence, ops);
    node_add(body, sequence, make_head(s, loop, *condition));
    node_add(body, sequence, own);
    for (uint32_t i = 0; i < copied->child_count; i++)
        node_add(body, sequence, copied->children[i]);
    node_add(body, sequence, node_new(body, NODE_BARRIER));
    node_add(body, sequence, step);
    node_add(body, sequence, one_copy(s, s->group, next));
    node_add(body, loop, sequence);
    return loop;
}

/* The phis of the new loop begin like those of the old one; those of the old one begin as the new ones
 * end. */
static bool make_copies(struct splitter *s, struct node *before, struct node *after, uint32_t own)
{
    const struct node *back = s->l->at.back;

    before->copies = base_arena_allocate(s->body->arena, back->copy_count, sizeof(*before->copies));
    after->copies  = base_arena_allocate(s->body->arena, back->copy_count, sizeof(*after->copies));
    if (before->copies == NULL || after->copies == NULL)
        return false;
    for (uint32_t i = 0; i < back->copy_count; i++) {
        uint32_t phi = back->copies[i].target;
        if (phi == s->counter) {
            after->copies[after->copy_count++] = (struct node_copy){phi, own};
            continue;
        }
        uint32_t value = initial(s, phi);
        if (value == 0 || s->map[phi] == 0)
            return false;
        before->copies[before->copy_count++] = (struct node_copy){s->map[phi], value};
        after->copies[after->copy_count++]   = (struct node_copy){phi, s->map[phi]};
    }
    return true;
}

/* Inserts nodes into a sequence before its child `index`; the children get a new array. */
static void insert(struct body *body, struct node *sequence, uint32_t index, struct node *const *nodes,
                   uint32_t count)
{
    struct node **children =
        base_arena_allocate(body->arena, (size_t)sequence->child_count + count, sizeof(struct node *));

    if (children == NULL)
        return;
    memcpy(children, sequence->children, index * sizeof(struct node *));
    memcpy(children + index, nodes, count * sizeof(struct node *));
    memcpy(children + index + count, sequence->children + index,
           (sequence->child_count - index) * sizeof(struct node *));
    sequence->children       = children;
    sequence->child_count    = sequence->child_count + count;
    sequence->child_capacity = sequence->child_count;
}

static bool begin(struct splitter *s, struct lockstep *l)
{
    *s = (struct splitter){
        .replacer   = {.body = l->body, .value = mapped},
        .l          = l,
        .body       = l->body,
        .map_count  = l->body->value_count,
        .node_count = l->body->node_count,
    };
    s->map   = base_arena_allocate(l->body->arena, s->map_count, sizeof(*s->map));
    s->nodes = base_arena_allocate(l->body->arena, s->node_count, sizeof(*s->nodes));
    return s->map != NULL && s->nodes != NULL;
}

uint32_t lockstep_split(struct lockstep *l)
{
    struct body *body = l->body;
    struct splitter s;
    uint32_t condition = 0;

    if (!begin(&s, l) || l->at.head->condition >= l->count)
        return 0;
    const struct spirv_instruction *comparison = l->definitions[l->at.head->condition];
    if (comparison == NULL || comparison->operand_count != 2 || !find_counter(&s, comparison) ||
        !is_downward(comparison->opcode, s.at_left, l->at.is_negated))
        return 0;
    uint32_t value = initial(&s, s.counter), stride = stride_of(&s);
    const struct spirv_instruction *load = find_load(&s, value, 0);
    if (value == 0 || stride == 0 || load == NULL || !lockstep_step(l, value, 0, 0, &s.step) || s.step < 1 ||
        s.step > 4 || !lockstep_is_coalesced(l, s.counter))
        return 0;
    struct node *ops = node_new(body, NODE_OPS), *before = node_new(body, NODE_COPIES);
    struct node *after = node_new(body, NODE_COPIES), *own = node_new(body, NODE_OPS);
    s.group = body_copy_id(body, s.counter);
    if (ops == NULL || before == NULL || after == NULL || own == NULL || s.group == 0)
        return 0;
    body->values[s.group].is_phi = true;
    uint32_t first = lockstep_first(l, ops, value), bound = lockstep_first(l, ops, s.bound);
    stride = lockstep_first(l, ops, stride);
    if (first == 0 || bound == 0 || stride == 0)
        return 0;
    struct node *loop = make_loop(&s, comparison, load, bound, stride, &condition);
    uint32_t rest     = loop == NULL ? 0 : own_number(&s, own, load);
    if (rest == 0 || !make_copies(&s, before, after, rest))
        return 0;
    struct node *nodes[] = {ops, before, one_copy(&s, s.group, first), loop, own, after};
    insert(body, l->at.sequence, l->at.index, nodes, sizeof(nodes) / sizeof(nodes[0]));
    return body->arena->failed ? 0 : condition;
}
