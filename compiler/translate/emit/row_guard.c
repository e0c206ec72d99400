/* Guards: `if (x >= width || y >= height) return;` at the beginning of a kernel becomes the end of the loop
 * along x and a check before the row. Compilers then see the loop that a programmer would have written. The
 * same holds for an `if` that is everything between two barriers: `if (local_x < left) tree[local_x] +=
 * tree[local_x + left];`.
 *
 * The condition under which a work-item continues is split into terms that must all hold. A term that is the
 * same for the whole row, or that compares x with such a value, is checked before the loop. A term that
 * compares a number that grows with x by 1 is checked before the loop if the number does not wrap around
 * within the row. If the bounds express all terms for every row, the `if` is left out; otherwise it stays. An
 * `if` that selects between two bools, the front end's form of || and &&, is seen through.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/emit/rows.h"

#define CHOICES_MOST 16u
#define TERMS_MOST 64u

/* A phi behind an `if`: its value when the condition holds, and when it does not. */
struct choice {
    uint32_t target;
    uint32_t condition;
    uint32_t yes, no;
};

struct guard {
    struct emit *emit;
    struct choice choices[CHOICES_MOST];
    uint32_t choice_count;
    uint32_t terms;
    bool is_exact; /* the bounds express every term so far */
};

/* ---- terms */

static const struct spirv_instruction *definition_of(const struct guard *guard, uint32_t id)
{
    const struct emit_flow *flow = guard->emit->flow;

    return id < flow->count && flow->items != NULL && flow->where[id] == flow->items->number + 1
               ? flow->definitions[id]
               : NULL;
}

/* The comparison that is true when this one is false; SpvOpNop when there is none. */
static uint16_t opposite(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpULessThan:
        return SpvOpUGreaterThanEqual;
    case SpvOpULessThanEqual:
        return SpvOpUGreaterThan;
    case SpvOpUGreaterThan:
        return SpvOpULessThanEqual;
    case SpvOpUGreaterThanEqual:
        return SpvOpULessThan;
    case SpvOpSLessThan:
        return SpvOpSGreaterThanEqual;
    case SpvOpSLessThanEqual:
        return SpvOpSGreaterThan;
    case SpvOpSGreaterThan:
        return SpvOpSLessThanEqual;
    case SpvOpSGreaterThanEqual:
        return SpvOpSLessThan;
    case SpvOpINotEqual:
        return SpvOpIEqual;
    default:
        return SpvOpNop;
    }
}

static uint16_t exchanged(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpULessThan:
        return SpvOpUGreaterThan;
    case SpvOpULessThanEqual:
        return SpvOpUGreaterThanEqual;
    case SpvOpUGreaterThan:
        return SpvOpULessThan;
    case SpvOpUGreaterThanEqual:
        return SpvOpULessThanEqual;
    case SpvOpSLessThan:
        return SpvOpSGreaterThan;
    case SpvOpSLessThanEqual:
        return SpvOpSGreaterThanEqual;
    case SpvOpSGreaterThan:
        return SpvOpSLessThan;
    case SpvOpSGreaterThanEqual:
        return SpvOpSLessThanEqual;
    case SpvOpIEqual:
        return SpvOpIEqual;
    default:
        return SpvOpNop;
    }
}

static bool is_same(struct guard *guard, uint32_t id)
{
    int64_t step;

    row_start(guard->emit);
    return row_step(guard->emit, id, WHOLE, &step) && step == 0;
}

/* Writes "last = trm_lesser(last, (int64_t)(…) + 1);". */
static void write_bound(struct guard *guard, bool is_last, bool is_signed, uint32_t bound, bool more)
{
    struct emit *emit = guard->emit;

    text_begin_line(&emit->text);
    text_add(&emit->text, is_last ? "last = trm_lesser(last, " : "first = trm_greater(first, ");
    text_add(&emit->text, is_signed ? "(int64_t)(int32_t)" : "(int64_t)");
    row_start(emit);
    row_write(emit, bound, WHOLE);
    text_add(&emit->text, more ? " + 1);\n" : ");\n");
}

/* Writes the bounds for `x opcode bound`. False when the comparison gives none. */
static bool say_bound(struct guard *guard, uint16_t opcode, uint32_t bound)
{
    bool is_signed = opcode == SpvOpSLessThan || opcode == SpvOpSLessThanEqual ||
                     opcode == SpvOpSGreaterThan || opcode == SpvOpSGreaterThanEqual;

    switch (opcode) {
    case SpvOpULessThan:
    case SpvOpSLessThan:
        write_bound(guard, true, is_signed, bound, false);
        break;
    case SpvOpULessThanEqual:
    case SpvOpSLessThanEqual:
        write_bound(guard, true, is_signed, bound, true);
        break;
    case SpvOpUGreaterThan:
    case SpvOpSGreaterThan:
        write_bound(guard, false, is_signed, bound, true);
        break;
    case SpvOpUGreaterThanEqual:
    case SpvOpSGreaterThanEqual:
        write_bound(guard, false, is_signed, bound, false);
        break;
    case SpvOpIEqual:
        write_bound(guard, false, false, bound, false);
        write_bound(guard, true, false, bound, true);
        break;
    default:
        return false;
    }
    guard->emit->rows->is_signed |= is_signed;
    return true;
}

/* Writes the bound for `value < bound` or `value <= bound`, where `value` grows by 1 from work-item to
 * work-item. */
static void say_sum(struct guard *guard, uint16_t opcode, uint32_t value, uint32_t bound)
{
    struct emit *emit = guard->emit;
    int64_t step;

    row_start(emit);
    if (emit->rows->is_merged || (opcode != SpvOpULessThan && opcode != SpvOpULessThanEqual) ||
        !row_step(emit, value, WHOLE, &step) || step != 1)
        return;
    text_begin_line(&emit->text);
    text_add(&emit->text, "last = trm_row_end(last, ");
    row_start(emit);
    row_write(emit, value, WHOLE);
    text_add(&emit->text, ", ");
    row_start(emit);
    row_write(emit, bound, WHOLE);
    text_add(&emit->text, opcode == SpvOpULessThanEqual ? " + INT64_C(1));\n" : ");\n");
}

/* Writes the bounds for a term that must be `holds`. */
static void say_term(struct guard *guard, uint32_t id, bool holds)
{
    struct emit *emit                  = guard->emit;
    const struct spirv_instruction *op = definition_of(guard, id);

    if (is_same(guard, id)) {
        text_begin_line(&emit->text);
        text_add(&emit->text, holds ? "if (!" : "if (");
        row_start(emit);
        row_write(emit, id, WHOLE);
        text_add(&emit->text, ")\n");
        text_line(&emit->text, "    last = first;");
        return;
    }
    if (op != NULL && op->operand_count == 2) {
        uint16_t opcode = holds ? op->opcode : opposite(op->opcode);
        if (row_is_counter(emit, op->operands[0], WHOLE) && is_same(guard, op->operands[1])) {
            if (say_bound(guard, opcode, op->operands[1]))
                return;
        } else if (row_is_counter(emit, op->operands[1], WHOLE) && is_same(guard, op->operands[0])) {
            if (say_bound(guard, exchanged(opcode), op->operands[0]))
                return;
        } else if (is_same(guard, op->operands[1])) {
            say_sum(guard, opcode, op->operands[0], op->operands[1]);
        } else if (is_same(guard, op->operands[0])) {
            say_sum(guard, exchanged(opcode), op->operands[1], op->operands[0]);
        }
    }
    guard->is_exact = false;
}

/* ---- taking conditions apart */

enum known {
    KNOWN_FALSE,
    KNOWN_TRUE,
    UNKNOWN,
};

static enum known known_as(bool value)
{
    return value ? KNOWN_TRUE : KNOWN_FALSE;
}

/* The value of a bool when the condition of a choice is known to be `holds`. */
static enum known known(const struct guard *guard, uint32_t id, uint32_t condition, bool holds)
{
    const struct spirv_constant *constant   = spirv_constant(guard->emit->module, id);
    const struct spirv_instruction *op      = definition_of(guard, id);
    const struct spirv_instruction *opposed = definition_of(guard, condition);

    if (constant != NULL)
        return known_as(constant->bits != 0);
    if (id == condition)
        return known_as(holds);
    if (op != NULL && op->opcode == SpvOpLogicalNot && op->operands[0] == condition)
        return known_as(!holds);
    if (opposed != NULL && opposed->opcode == SpvOpLogicalNot && opposed->operands[0] == id)
        return known_as(!holds);
    return UNKNOWN;
}

static const struct choice *choice_of(const struct guard *guard, uint32_t id)
{
    for (uint32_t i = 0; i < guard->choice_count; i++)
        if (guard->choices[i].target == id)
            return &guard->choices[i];
    return NULL;
}

static void take_apart(struct guard *guard, uint32_t id, bool holds);

/* Splits `condition ? yes : no`, which must be `holds`: a side that is never `holds` is not taken, so the
 * other one is. False when neither side is known. */
static bool take_choice(struct guard *guard, const struct choice *choice, bool holds)
{
    enum known yes = known(guard, choice->yes, choice->condition, true);
    enum known no  = known(guard, choice->no, choice->condition, false);

    if (yes == known_as(!holds)) {
        take_apart(guard, choice->condition, false);
        if (no != known_as(holds))
            take_apart(guard, choice->no, holds);
        return true;
    }
    if (no == known_as(!holds)) {
        take_apart(guard, choice->condition, true);
        if (yes != known_as(holds))
            take_apart(guard, choice->yes, holds);
        return true;
    }
    return false;
}

static void take_apart(struct guard *guard, uint32_t id, bool holds)
{
    const struct spirv_instruction *op = definition_of(guard, id);
    const struct choice *choice        = choice_of(guard, id);

    if (guard->terms++ >= TERMS_MOST) {
        guard->is_exact = false;
        return;
    }
    if (choice != NULL && take_choice(guard, choice, holds))
        return;
    if (op != NULL && op->opcode == SpvOpLogicalNot) {
        take_apart(guard, op->operands[0], !holds);
        return;
    }
    if (op != NULL && op->opcode == (holds ? SpvOpLogicalAnd : SpvOpLogicalOr)) {
        take_apart(guard, op->operands[0], holds);
        take_apart(guard, op->operands[1], holds);
        return;
    }
    say_term(guard, id, holds);
}

/* ---- finding the guard */

/* Is it used outside of the region? */
static bool is_live_out(const struct emit *emit, uint32_t id)
{
    return emit->body->values[id].place == PLACE_SPILLED || emit->body->values[id].place == PLACE_GROUP;
}

/* Can the instructions be left out for a work-item that does not continue? */
static bool is_harmless(const struct emit *emit, const struct node *ops)
{
    for (uint32_t i = 0; i < ops->op_count; i++) {
        const struct spirv_instruction *op = ops->ops[i];
        if (op->result == 0 || is_live_out(emit, op->result) ||
            (op->opcode >= SpvOpAtomicLoad && op->opcode <= SpvOpAtomicXor) ||
            op->opcode >= SpvOpGroupNonUniformElect)
            return false;
    }
    return true;
}

/* The only copies in one half of an `if` that does nothing but select; NULL for other code. */
static const struct node *copies_of(const struct emit *emit, const struct node *node)
{
    const struct node *copies = NULL;

    if (node == NULL || node->kind == NODE_COPIES)
        return node;
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++) {
        const struct node *child = node->children[i];
        if (flow_is_empty(child) || (child->kind == NODE_OPS && is_harmless(emit, child)))
            continue;
        if (child->kind != NODE_COPIES || copies != NULL)
            return NULL;
        copies = child;
    }
    return copies;
}

/* Notes the values that an `if` selects; false when it does something else. */
static bool note_choices(struct guard *guard, const struct node *node)
{
    const struct node *yes = copies_of(guard->emit, node->children[0]);
    const struct node *no  = node->child_count > 1 ? copies_of(guard->emit, node->children[1]) : NULL;

    if (yes == NULL || no == NULL || yes->copy_count != no->copy_count)
        return false;
    for (uint32_t i = 0; i < yes->copy_count; i++) {
        uint32_t other = 0;
        while (other < no->copy_count && no->copies[other].target != yes->copies[i].target)
            other++;
        if (other == no->copy_count || guard->choice_count == CHOICES_MOST ||
            is_live_out(guard->emit, yes->copies[i].target))
            return false;
        guard->choices[guard->choice_count++] = (struct choice){
            .target    = yes->copies[i].target,
            .condition = node->condition,
            .yes       = yes->copies[i].source,
            .no        = no->copies[other].source,
        };
    }
    return true;
}

static const struct node *only_child(const struct node *node)
{
    while (node != NULL && node->kind == NODE_SEQUENCE && node->child_count != 0) {
        uint32_t i = 0;
        while (i + 1 < node->child_count && flow_is_empty(node->children[i]))
            i++;
        for (uint32_t k = i + 1; k < node->child_count; k++)
            if (!flow_is_empty(node->children[k]))
                return NULL;
        node = node->children[i];
    }
    return node;
}

/* Does the node only end the work-item? The scopes that find() enters end where the work-item does. */
static bool ends_item(const struct node *node)
{
    node = only_child(node);
    return node != NULL && (node->kind == NODE_RETURN || node->kind == NODE_LEAVE);
}

static bool is_last(const struct node *sequence, uint32_t index)
{
    for (uint32_t i = index + 1; i < sequence->child_count; i++)
        if (!flow_is_empty(sequence->children[i]))
            return false;
    return true;
}

/* Does the rest of the work-item depend on this `if`? *holds: the condition must hold for it to continue. */
static bool is_guard(const struct node *node, bool last, bool *holds)
{
    const struct node *yes = node->children[0], *no = node->child_count > 1 ? node->children[1] : NULL;

    *holds = flow_is_empty(no);
    if (ends_item(yes) && (last || flow_is_empty(no))) {
        *holds = false;
        return true;
    }
    if (no != NULL && ends_item(no) && (last || flow_is_empty(yes))) {
        *holds = true;
        return true;
    }
    return last && (flow_is_empty(yes) || flow_is_empty(no));
}

static const struct node *find(struct guard *guard, const struct node *node, bool *holds)
{
    const struct node *taken = NULL;

    if (node == NULL || node->kind == NODE_SCOPE)
        return node == NULL ? NULL : find(guard, node->children[0], holds);
    if (node->kind == NODE_IF && flow_has_known_condition(guard->emit, node, &taken))
        return find(guard, taken, holds);
    if (node->kind == NODE_IF)
        return is_guard(node, true, holds) ? node : NULL;
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++) {
        const struct node *child = node->children[i];
        bool last                = is_last(node, i);
        if (child->kind == NODE_IF && flow_has_known_condition(guard->emit, child, &taken))
            child = taken;
        if (flow_is_empty(child) || (child->kind == NODE_OPS && is_harmless(guard->emit, child)))
            continue;
        if (child->kind == NODE_IF && is_guard(child, last, holds))
            return child;
        if (child->kind == NODE_IF && note_choices(guard, child))
            continue;
        return last && (child->kind == NODE_SEQUENCE || child->kind == NODE_SCOPE) ? find(guard, child, holds)
                                                                                   : NULL;
    }
    return NULL;
}

const struct node *row_hoist_guard(struct emit *emit, const struct node *items, bool *holds)
{
    struct guard guard      = {.emit = emit, .is_exact = true};
    struct text saved       = emit->text;
    const struct node *node = find(&guard, items->children[0], holds);

    if (node == NULL)
        return NULL;
    size_t before = emit->rows->bases.length;
    emit->text    = emit->rows->bases;
    take_apart(&guard, node->condition, *holds);
    emit->rows->bases      = emit->text;
    emit->rows->is_bounded = emit->rows->bases.length != before;
    emit->text             = saved;
    if (emit->rows->is_bounded && emit->rows->is_merged) {
        emit->text = emit->rows->bases;
        text_line(&emit->text, "if (first >= last)");
        text_line(&emit->text, "    continue;");
        emit->rows->bases = emit->text;
        emit->text        = saved;
    }
    return guard.is_exact ? node : NULL;
}
