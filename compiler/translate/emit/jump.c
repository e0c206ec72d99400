/* Jumps: C's break, continue or return where those mean the same, nothing where control goes there anyway,
 * else a goto, whose label control_flow.c writes.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "compiler/translate/emit/flow.h"

static struct flow_frame *frame_of(struct emit *emit, const struct node *target)
{
    struct flow_frame *frame = emit->flow->top;

    while (frame != NULL && frame->node != target)
        frame = frame->up;
    return frame;
}

static enum node_kind kind_of(const struct flow_frame *frame)
{
    return frame->node == NULL ? NODE_ITEMS : frame->node->kind;
}

/* Does control reach the end of the frame's body next anyway? */
static bool is_there(struct emit *emit, const struct flow_frame *target)
{
    const struct flow_frame *frame = emit->flow->top;

    for (; frame != target; frame = frame->up)
        if (!frame->at_end || frame->in_continue || kind_of(frame) == NODE_LOOP)
            return false;
    return frame->at_end && !frame->in_continue;
}

/* Does C's continue (or break) bind to this frame here? */
static bool binds(struct emit *emit, const struct flow_frame *target, bool is_break)
{
    const struct flow_frame *frame = emit->flow->top;

    for (; frame != target; frame = frame->up)
        if (kind_of(frame) == NODE_LOOP || (kind_of(frame) == NODE_SCOPE && !frame->is_plain) ||
            (is_break && kind_of(frame) == NODE_SWITCH))
            return false;
    return true;
}

/* The outermost frame that ends together with this one: leaving a node that is the last thing in another ends
 * both. */
static struct flow_frame *outermost(struct flow_frame *frame)
{
    while ((kind_of(frame) == NODE_SCOPE || kind_of(frame) == NODE_SWITCH) && frame->up != NULL &&
           frame->up->at_end && !frame->up->in_continue)
        frame = frame->up;
    return frame;
}

static void jump_behind(struct emit *emit, struct flow_frame *frame)
{
    frame->has_end_label = true;
    text_line(&emit->text, "goto break_%u;", frame->node->number);
}

/* Writes a jump to the end of the frame's body: the next round of a loop, the next work-item, or behind a
 * switch or scope. */
static void jump_to_end(struct emit *emit, struct flow_frame *frame)
{
    if (is_there(emit, frame))
        return;
    switch (kind_of(frame)) {
    case NODE_LOOP:
        if (frame->is_plain && binds(emit, frame, false)) {
            text_line(&emit->text, "continue;");
            return;
        }
        frame->has_continue_label = true;
        text_line(&emit->text, "goto continue_%u;", frame->node->number);
        return;
    case NODE_ITEMS:
        if (emit->target->items == NULL) {
            text_line(&emit->text, "return;");
        } else if (binds(emit, frame, false)) {
            text_line(&emit->text, "continue;");
        } else {
            frame->has_end_label = true;
            if (frame->node == NULL)
                text_line(&emit->text, "goto next_group;");
            else
                text_line(&emit->text, "goto next_item_%u;", frame->node->number);
        }
        return;
    default:
        if (binds(emit, frame, true) && !frame->is_plain)
            text_line(&emit->text, "break;");
        else
            jump_behind(emit, frame);
        return;
    }
}

static int32_t lost(void)
{
    return base_fail(TRM_ERROR_UNSUPPORTED, "a jump targets a construct that is not around it");
}

static int32_t leave_item(struct emit *emit)
{
    struct flow_frame *frame = emit->flow->top;

    while (frame->up != NULL && kind_of(frame) != NODE_ITEMS)
        frame = frame->up;
    if (emit->target->leave != NULL)
        emit->target->leave(emit);
    jump_to_end(emit, frame);
    return TRM_OK;
}

int32_t flow_jump(struct emit *emit, const struct node *node)
{
    if (node->kind == NODE_RETURN)
        return leave_item(emit);
    struct flow_frame *frame = node->target == NULL ? NULL : frame_of(emit, node->target);
    if (frame == NULL)
        return lost();
    if (node->kind == NODE_BREAK && kind_of(frame) == NODE_LOOP) {
        if (binds(emit, frame, true))
            text_line(&emit->text, "break;");
        else if (frame->up != NULL && frame->up->at_end && !frame->up->in_continue &&
                 kind_of(outermost(frame->up)) == NODE_ITEMS)
            jump_to_end(emit, outermost(frame->up));
        else
            jump_behind(emit, frame);
        return TRM_OK;
    }
    if (kind_of(frame) == NODE_SWITCH && binds(emit, frame, true) && !is_there(emit, frame))
        text_line(&emit->text, "break;");
    else
        jump_to_end(emit, outermost(frame));
    return TRM_OK;
}
