/* Control flow: writes nodes of the tree as C's own statements.
 *
 * SEQUENCE, IF and SWITCH map directly. A LOOP is `while (c)` or `for (; c; i = …)` when its body begins by
 * leaving it, else `for (;;)`. A SCOPE is `do { … } while (0)`, so that leaving it is C's break, or no
 * statement at all. A jump becomes a goto only when C's break or continue would target another node, for
 * example for a break of a loop from inside a switch (jump.c).
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "compiler/translate/emit/flow.h"

static int32_t sequence(struct emit *emit, const struct node *node)
{
    struct flow_frame *frame = emit->flow->top;
    bool at_end              = frame->at_end;
    uint32_t last            = node->child_count;

    while (last > 0 && flow_is_empty(node->children[last - 1]))
        last--;
    for (uint32_t i = 0; i < last; i++) {
        frame->at_end  = at_end && i + 1 == last;
        int32_t status = emit_node(emit, node->children[i]);
        if (status != TRM_OK)
            return status;
    }
    frame->at_end = at_end;
    return TRM_OK;
}

/* Barriers of the group are nodes; the other ones are barriers of a subgroup, which in C is one work-item. */
static void subgroup_barrier(struct emit *emit)
{
    if (emit->language == TRM_LANGUAGE_CUDA)
        text_line(&emit->text, "__syncwarp();");
}

static int32_t operations(struct emit *emit, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        const struct spirv_instruction *op = node->ops[i];
        if (op->result != 0 && op->result < emit->body->value_count &&
            emit->body->values[op->result].place == PLACE_INLINE)
            continue;
        if (op->opcode == SpvOpControlBarrier) {
            subgroup_barrier(emit);
            continue;
        }
        emit->at       = op;
        int32_t status = emit_instruction(emit, op);
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

int32_t flow_body(struct emit *emit, const struct node *node)
{
    return node == NULL ? TRM_OK : emit_node(emit, node);
}

/* The only child of a sequence, through nested sequences; NULL when there are several. */
static const struct node *only_child(const struct node *node)
{
    while (node != NULL && node->kind == NODE_SEQUENCE) {
        const struct node *only = NULL;
        for (uint32_t i = 0; i < node->child_count; i++) {
            if (flow_is_empty(node->children[i]))
                continue;
            if (only != NULL)
                return NULL;
            only = node->children[i];
        }
        node = only;
    }
    return node;
}

/* Writes an if; chains of `else if` do not indent further. */
static int32_t branch(struct emit *emit, const struct node *node)
{
    const char *lead = "";

    for (;;) {
        const struct node *yes = node->child_count > 0 ? node->children[0] : NULL;
        const struct node *no  = node->child_count > 1 ? node->children[1] : NULL;
        bool negated           = flow_is_empty(yes);

        text_begin_line(&emit->text);
        text_add(&emit->text, "%sif (", lead);
        int32_t status = flow_condition(emit, node->condition, negated);
        text_add(&emit->text, ") {\n");
        emit->text.indent++;
        if (status == TRM_OK)
            status = flow_body(emit, negated ? no : yes);
        if (status != TRM_OK)
            return status;
        if (negated || flow_is_empty(no))
            break;
        const struct node *next = only_child(no);
        emit->text.indent--;
        if (next != NULL && next->kind == NODE_IF && spirv_constant(emit->module, next->condition) == NULL &&
            !(flow_is_empty(next->children[0]) &&
              flow_is_empty(next->child_count > 1 ? next->children[1] : NULL))) {
            node = next;
            lead = "} else ";
            continue;
        }
        text_line(&emit->text, "} else {");
        status = flow_body(emit, no);
        if (status != TRM_OK)
            return status;
        break;
    }
    text_close(&emit->text, "}");
    return TRM_OK;
}

bool flow_is_break_of(const struct node *node, const struct node *loop)
{
    node = only_child(node);
    return node != NULL && node->kind == NODE_BREAK && node->target == loop;
}

/* The IF at the beginning of a loop's body that leaves the loop, whose condition can go into the loop's head;
 * *negated: the loop continues while the condition is false. NULL when text would come before the IF. */
static const struct node *head_of(struct emit *emit, const struct node *loop, bool *negated)
{
    const struct node *body = loop->children[0];

    if (body == NULL || body->kind != NODE_SEQUENCE)
        return NULL;
    for (uint32_t i = 0; i < body->child_count; i++) {
        const struct node *child = body->children[i];
        if (flow_is_empty(child))
            continue;
        if (child->kind == NODE_OPS) {
            for (uint32_t k = 0; k < child->op_count; k++)
                if (child->ops[k]->result == 0 || child->ops[k]->result >= emit->body->value_count ||
                    emit->body->values[child->ops[k]->result].place != PLACE_INLINE)
                    return NULL;
            continue;
        }
        if (child->kind != NODE_IF)
            return NULL;
        const struct node *no = child->child_count > 1 ? child->children[1] : NULL;
        *negated              = flow_is_break_of(child->children[0], loop) && flow_is_empty(no);
        if (*negated || (flow_is_empty(child->children[0]) && flow_is_break_of(no, loop)))
            return child;
        return NULL;
    }
    return NULL;
}

/* Is it one short assignment to an existing variable, which can stand in a loop's head? */
static bool is_step(const struct text *text)
{
    const char *line = text->length == 0 ? NULL : memchr(text->bytes, '\n', text->length);

    if (line == NULL || line + 1 != text->bytes + text->length || line[-1] != ';')
        return false;
    const char *word = text->bytes + strspn(text->bytes, " ");
    if (line - word > 60)
        return false;
    const char *space = memchr(word, ' ', (size_t)(line - word));
    return space != NULL && space[1] == '=' && space[2] == ' ';
}

/* Writes the rest of the loop's body, after the head. */
static int32_t loop_body(struct emit *emit, const struct node *node, const struct node *head)
{
    if (head == NULL)
        return flow_body(emit, node->children[0]);
    struct flow_frame *frame = emit->flow->top;
    const struct node *body  = node->children[0];
    uint32_t first = 0, last = body->child_count;
    while (body->children[first] != head)
        first++;
    while (last > 0 && flow_is_empty(body->children[last - 1]))
        last--;
    for (uint32_t i = first + 1; i < last; i++) {
        frame->at_end  = i + 1 == last;
        int32_t status = emit_node(emit, body->children[i]);
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

/* Writes the shader's wish to unroll the loop or not, or our own. False: there is none. */
static bool unroll_hint(struct emit *emit, const struct node *loop, const struct node *head)
{
    bool is_c = emit->language == TRM_LANGUAGE_C;

    if (loop->unroll & SpvLoopControlUnrollMask)
        text_line(&emit->text, is_c ? "TRM_UNROLL" : "#pragma unroll");
    else if (loop->unroll & SpvLoopControlDontUnrollMask)
        text_line(&emit->text, is_c ? "TRM_ROLLED" : "#pragma unroll 1");
    else if (emit->flow->items != NULL && flow_should_unroll(emit, loop, head))
        text_line(&emit->text, "TRM_UNROLL");
    else
        return false;
    return true;
}

/* Writes the loop's head, up to the opening brace. gcc refuses a hint before a loop without a condition, so
 * such a loop gets the condition 1. */
static int32_t loop_head(struct emit *emit, const struct node *loop, const struct node *head, bool negated,
                         const char *step)
{
    int32_t status = TRM_OK;
    bool is_hinted = unroll_hint(emit, loop, head);

    text_begin_line(&emit->text);
    text_add(&emit->text, head != NULL && step[0] == '\0' ? "while (" : "for (;");
    if (head != NULL) {
        text_add(&emit->text, step[0] == '\0' ? "" : " ");
        status = flow_condition(emit, head->condition, negated);
    } else if (is_hinted) {
        text_add(&emit->text, " 1");
    }
    if (step[0] != '\0')
        text_add(&emit->text, "; %s", step);
    else if (head == NULL)
        text_add(&emit->text, ";");
    text_add(&emit->text, ") {\n");
    return status;
}

/* The continue construct is written first, into a text of its own: C's continue means the same as
 * NODE_CONTINUE only if it is empty. */
static int32_t continue_construct(struct emit *emit, const struct node *node, struct text *text)
{
    struct flow_frame *frame = emit->flow->top;
    struct text saved        = flow_capture(emit);

    emit->text.indent++;
    frame->in_continue = true;
    int32_t status     = flow_body(emit, node->child_count > 1 ? node->children[1] : NULL);
    frame->in_continue = false;
    emit->text.indent--;
    *text = flow_captured(emit, &saved);
    return status;
}

/* The turns of a loop that might not end, in a block of their own: C++ forbids jumps over declarations. */
static void open_counter(struct emit *emit, const struct node *loop)
{
    text_line(&emit->text, "{");
    emit->text.indent++;
    text_line(&emit->text, "uint32_t turns_%u = 0;", loop->number);
}

static int32_t loop(struct emit *emit, const struct node *node)
{
    struct flow_frame frame;
    struct text after, body;
    const char *step = "";
    bool negated     = false;

    flow_push(emit, &frame, node);
    const struct node *head = head_of(emit, node, &negated);
    bool is_watched         = (emit->flags & TRM_TRANSLATE_FUNCTIONS) && !flow_surely_ends(emit, node);
    int32_t status          = continue_construct(emit, node, &after);
    if (status == TRM_OK && is_step(&after)) {
        size_t blank = strspn(after.bytes, " ");
        step         = base_arena_text(emit->arena, after.bytes + blank, after.length - blank - 2);
        after.length = 0;
    }
    frame.is_plain    = after.length == 0;
    frame.at_end      = true;
    struct text saved = flow_capture(emit);
    emit->text.indent += (frame.is_plain ? 1 : 2) + is_watched;
    if (status == TRM_OK)
        status = loop_body(emit, node, head);
    body = flow_captured(emit, &saved);
    flow_pop(emit);
    if (is_watched)
        open_counter(emit, node);
    if (status == TRM_OK)
        status = loop_head(emit, node, head, negated, step == NULL ? "" : step);
    if (status != TRM_OK)
        return status;
    emit->text.indent++;
    if (is_watched)
        text_line(&emit->text, "TRM_TURN(++turns_%u);", node->number);
    /* C++ forbids jumps over declarations: the body gets braces of its own when a jump may lead behind it. */
    if (after.length != 0)
        text_line(&emit->text, "{");
    text_add_bytes(&emit->text, body.bytes, body.length);
    if (after.length != 0)
        text_close(&emit->text, "}");
    if (frame.has_continue_label)
        text_line(&emit->text, "continue_%u:;", node->number);
    text_add_bytes(&emit->text, after.bytes, after.length);
    text_close(&emit->text, "}");
    if (is_watched)
        text_close(&emit->text, "}");
    if (frame.has_end_label)
        text_line(&emit->text, "break_%u:;", node->number);
    return TRM_OK;
}

/* A scope at the end of the node around it needs no statement: leaving it ends that node too. */
static int32_t scope(struct emit *emit, const struct node *node)
{
    struct flow_frame frame;
    const struct flow_frame *up = emit->flow->top;

    flow_push(emit, &frame, node);
    frame.is_plain = up->at_end && !up->in_continue;
    if (!frame.is_plain)
        text_line(&emit->text, "do {");
    int32_t status = flow_body(emit, node->children[0]);
    if (!frame.is_plain)
        text_close(&emit->text, "} while (0);");
    flow_pop(emit);
    if (frame.has_end_label)
        text_line(&emit->text, "break_%u:;", node->number);
    return status;
}

static int32_t conditional(struct emit *emit, const struct node *node)
{
    const struct node *no = node->child_count > 1 ? node->children[1] : NULL, *taken = NULL;

    if (node == emit->flow->guard)
        return flow_body(emit, emit->flow->guard_holds ? node->children[0] : no);
    if (flow_has_known_condition(emit, node, &taken))
        return flow_body(emit, taken);
    if (flow_is_empty(node->children[0]) && flow_is_empty(no))
        return TRM_OK;
    return branch(emit, node);
}

int32_t emit_node(struct emit *emit, const struct node *node)
{
    int32_t status = TRM_OK;

    if (++emit->flow->depth > FLOW_DEPTH_MOST)
        return base_fail(TRM_ERROR_UNSUPPORTED, "control flow is nested more than %u levels deep",
                         FLOW_DEPTH_MOST);
    switch (node->kind) {
    case NODE_SEQUENCE:
        status = sequence(emit, node);
        break;
    case NODE_OPS:
        status = operations(emit, node);
        break;
    case NODE_IF:
        status = conditional(emit, node);
        break;
    case NODE_LOOP:
        status = loop(emit, node);
        break;
    case NODE_SWITCH:
        status = flow_switch(emit, node);
        break;
    case NODE_SCOPE:
        status = scope(emit, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_LEAVE:
    case NODE_RETURN:
        status = flow_jump(emit, node);
        break;
    case NODE_COPIES:
        status = flow_copies(emit, node);
        break;
    case NODE_BARRIER:
        emit->target->barrier(emit);
        break;
    case NODE_ITEMS:
        status = emit->target->items(emit, node);
        break;
    case NODE_ARRIVE:
        text_line(&emit->text, "trm_came_%u++;", node->number);
        break;
    }
    emit->flow->depth--;
    return status;
}
