/* Inlines all functions that a kernel calls. Each call copies the callee's blocks under new ids: the block
 * with the call ends with a branch into them (MERGE_SCOPE), and the rest of that block becomes a block of its
 * own, to which each return of the callee branches.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "compiler/translate/passes/flatten.h"

/* The reachable blocks of a function, each before the blocks that it dominates. */
static bool find_order(struct flattener *f, const struct spirv_function *function, struct block_order *order)
{
    struct base_arena *arena = f->body->arena;
    uint32_t count = function->block_count, depth = 0, at = count;
    struct spirv_block **blocks = base_arena_allocate(arena, count, sizeof(*blocks));
    uint32_t *stack             = base_arena_allocate(arena, count, sizeof(*stack));
    /* 1 + its next branch; 0: not visited */
    uint32_t *next = base_arena_allocate(arena, count, sizeof(*next));

    if (blocks == NULL || stack == NULL || next == NULL)
        return false;
    stack[depth++] = 0;
    next[0]        = 1;
    while (depth != 0) {
        struct spirv_block *block                  = function->blocks[stack[depth - 1]];
        const struct spirv_instruction *terminator = block_terminator(block);
        uint32_t branch                            = next[stack[depth - 1]]++ - 1;
        if (branch >= branch_count(f->module, terminator)) {
            blocks[--at] = block;
            depth--;
            continue;
        }
        uint32_t label  = terminator->operands[branch_operand(f->module, terminator, branch)];
        uint32_t target = f->module->ids[label].as.block->index;
        if (next[target] == 0) {
            next[target]   = 1;
            stack[depth++] = target;
        }
    }
    *order = (struct block_order){.blocks = blocks + at, .count = count - at};
    return true;
}

static struct spirv_block *new_block(struct flattener *f)
{
    struct spirv_function *function = &f->body->function;
    struct spirv_block *block       = base_arena_allocate(f->body->arena, 1, sizeof(*block));

    if (block == NULL || !base_arena_grow(f->body->arena, &function->blocks, function->block_count,
                                          &function->block_capacity, sizeof(struct spirv_block *)))
        return NULL;
    block->label = block->index = function->block_count;
    block->merge_block = block->continue_block = NO_BLOCK;
    function->blocks[function->block_count++]  = block;
    return block;
}

/* Allocates room for `count` instructions at once, so that a block does not grow step by step. */
static bool reserve(struct flattener *f, struct spirv_block *block, uint32_t count)
{
    if (block->capacity != 0)
        return true;
    block->instructions = base_arena_allocate(f->body->arena, count, sizeof(*block->instructions));
    block->capacity     = block->instructions == NULL ? 0 : count;
    return block->instructions != NULL;
}

struct spirv_instruction *flatten_append(struct flattener *f, uint32_t opcode, uint32_t type, uint32_t result,
                                         uint32_t operand_count, const struct spirv_instruction *like)
{
    struct base_arena *arena  = f->body->arena;
    struct spirv_block *block = f->block;
    uint32_t *operands        = NULL;

    if (operand_count != 0)
        operands = base_arena_allocate(arena, operand_count, sizeof(*operands));
    if ((operand_count != 0 && operands == NULL) ||
        !base_arena_grow(arena, &block->instructions, block->count, &block->capacity,
                         sizeof(*block->instructions)))
        return NULL;
    f->instruction_count++;
    struct spirv_instruction *op = &block->instructions[block->count++];
    *op                          = (struct spirv_instruction){
                                 .opcode        = (uint16_t)opcode,
                                 .operand_count = (uint16_t)operand_count,
                                 .type          = type,
                                 .result        = result,
                                 .operands      = operands,
                                 .file          = like == NULL ? 0 : like->file,
                                 .line          = like == NULL ? 0 : like->line,
    };
    return op;
}

static int32_t append_branch(struct flattener *f, uint32_t target, const struct spirv_instruction *like)
{
    struct spirv_instruction *op = flatten_append(f, SpvOpBranch, 0, 0, 1, like);

    if (op == NULL)
        return body_status(f->body);
    op->operands[0] = target;
    return TRM_OK;
}

/* ---- one function ---------------------------------------------------------------------------- */

/* Makes new ids for all results, and new blocks. The results of calls and copies get theirs when the
 * instruction is copied. */
static int32_t begin_function(struct flattener *f, const struct spirv_function *function,
                              const struct block_order *order)
{
    for (uint32_t i = 0; i < function->block_count; i++)
        f->map[function->blocks[i]->label] = NO_BLOCK;
    for (uint32_t i = 0; i < order->count; i++) {
        const struct spirv_block *block = order->blocks[i];
        struct spirv_block *copy        = new_block(f);
        if (copy == NULL)
            return body_status(f->body);
        f->map[block->label] = copy->label;
        for (uint32_t k = 0; k < block->count; k++) {
            const struct spirv_instruction *op = &block->instructions[k];
            if (op->result == 0 || f->module->ids[op->result].kind == SPIRV_ID_CONSTANT)
                continue;
            f->map[op->result] = 0;
            if (op->opcode == SpvOpFunctionCall || op->opcode == SpvOpCopyObject ||
                op->opcode == SpvOpCopyLogical || op->opcode == SpvOpVariable || op->opcode == SpvOpExtInst)
                continue;
            f->map[op->result] = body_copy_id(f->body, op->result);
            if (f->map[op->result] == 0)
                return body_status(f->body);
        }
    }
    return TRM_OK;
}

/* Completes the phis of a function's copy: until now their operands are those of the original. */
static int32_t finish_phis(struct flattener *f, const struct block_order *order)
{
    for (uint32_t i = 0; i < order->count; i++) {
        struct spirv_block *block = f->body->function.blocks[f->map[order->blocks[i]->label]];
        for (uint32_t k = 0; k < block->count && block->instructions[k].opcode == SpvOpPhi; k++) {
            struct spirv_instruction *phi = &block->instructions[k];
            uint32_t count                = 0;
            for (uint32_t at = 0; at + 1 < phi->operand_count; at += 2) {
                uint32_t value = phi->operands[at], label = phi->operands[at + 1];
                if (f->map[label] == NO_BLOCK)
                    continue;
                uint32_t operand =
                    flatten_is_pointer(f, value)
                        ? flatten_incoming(f, f->body->function.blocks[f->last[label]], value, phi)
                        : flatten_value(f, value);
                phi                  = &block->instructions[k]; /* the block may have got an instruction */
                phi->operands[count] = operand;
                if (phi->operands[count] == 0)
                    return body_refuse(f->body, phi, "uses an operand that has no value");
                phi->operands[count + 1] = f->last[label];
                count += 2;
            }
            phi->operand_count = (uint16_t)count;
        }
    }
    return TRM_OK;
}

static uint32_t block_of(const struct flattener *f, uint32_t label)
{
    return label == 0 ? NO_BLOCK : f->map[label];
}

static int32_t copy_block(struct flattener *f, struct frame *frame, const struct spirv_block *block)
{
    int32_t status = TRM_OK;

    f->block = f->body->function.blocks[f->map[block->label]];
    if (!reserve(f, f->block, block->count + 1))
        return body_status(f->body);
    if (block->merge == SpvOpLoopMerge) {
        f->block->merge          = SpvOpLoopMerge;
        f->block->merge_block    = block_of(f, block->merge_block);
        f->block->continue_block = block_of(f, block->continue_block);
        f->block->unroll         = block->unroll;
    }
    for (uint32_t i = 0; status == TRM_OK && i < block->count; i++) {
        if (f->instruction_count > f->body->instruction_limit)
            return base_fail(TRM_ERROR_UNSUPPORTED,
                             "kernel \"%s\" has more than %u instructions once its calls are inlined, which "
                             "takes a compiler long; the setting kernel.instructions allows more",
                             f->body->entry->name, f->body->instruction_limit);
        status = flatten_instruction(f, frame, &block->instructions[i]);
    }
    if (block->merge == SpvOpSelectionMerge && f->block->merge == 0) {
        f->block->merge       = SpvOpSelectionMerge;
        f->block->merge_block = block_of(f, block->merge_block);
    }
    f->last[block->label] = f->block->label;
    return status;
}

static int32_t copy_function(struct flattener *f, const struct spirv_function *function, struct frame *frame)
{
    struct block_order *order = &f->orders[function->id];

    if (order->count == 0 && !find_order(f, function, order))
        return body_status(f->body);
    int32_t status = begin_function(f, function, order);
    if (status == TRM_OK && f->block != NULL)
        status = append_branch(f, f->map[function->blocks[0]->label], NULL);
    if (status == TRM_OK && f->block == NULL) {
        status = flatten_lengths(f, f->body->function.blocks[0]);
        if (status == TRM_OK)
            status = flatten_privates(f, f->body->function.blocks[0]);
    }
    for (uint32_t i = 0; status == TRM_OK && i < order->count; i++)
        status = copy_block(f, frame, order->blocks[i]);
    return status == TRM_OK ? finish_phis(f, order) : status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A loop header must not open a scope: the part after its phis becomes a block of its own. */
static int32_t leave_loop_header(struct flattener *f, const struct spirv_instruction *call)
{
    struct spirv_block *rest = new_block(f);

    if (rest == NULL)
        return body_status(f->body);
    int32_t status = append_branch(f, rest->label, call);
    f->block       = rest;
    return status;
}

/* Gives the call's result a value: that of the only return, or a phi of all returns. */
static int32_t finish_call(struct flattener *f, const struct frame *frame,
                           const struct spirv_instruction *call)
{
    if (spirv_type(f->module, call->type)->kind == SPIRV_VOID)
        return TRM_OK;
    bool is_pointer = flatten_is_pointer_type(f, call->type);
    uint32_t type   = is_pointer ? body_address_type(f->body) : call->type;
    if (frame->return_count < 2) {
        uint32_t value = frame->return_count == 0 ? body_zero(f->body, type) : frame->returns[0].value;
        if (is_pointer)
            return flatten_point(f, call->result, call->type, value);
        f->map[call->result] = value;
        return body_status(f->body);
    }
    uint32_t result = is_pointer ? body_new_id(f->body, type) : body_copy_id(f->body, call->result);
    if (frame->return_count > UINT16_MAX / 2)
        return body_refuse(f->body, call, "of a function with more than 32767 returns is not supported");
    struct spirv_instruction *phi = flatten_append(f, SpvOpPhi, type, result, frame->return_count * 2, call);
    if (result == 0 || phi == NULL || phi->operands == NULL)
        return body_status(f->body);
    for (uint32_t i = 0; i < frame->return_count; i++) {
        phi->operands[2 * i]     = frame->returns[i].value;
        phi->operands[2 * i + 1] = frame->returns[i].block;
    }
    if (is_pointer)
        return flatten_point(f, call->result, call->type, result);
    f->map[call->result] = result;
    return TRM_OK;
}

int32_t flatten_call(struct flattener *f, const struct frame *caller, const struct spirv_instruction *call)
{
    const struct spirv_function *callee = f->module->ids[call->operands[0]].as.function;
    struct frame frame                  = {.depth = caller->depth + 1};

    if (frame.depth > SPIRV_DEPTH_MOST)
        return body_refuse(f->body, call, "is nested too deeply");
    if (callee->block_count == 0)
        return body_refuse(f->body, call, "of a function without a body is not supported");
    for (uint32_t i = 0; i < callee->parameter_count && i + 1 < call->operand_count; i++) {
        f->map[callee->parameters[i]] = flatten_value(f, call->operands[i + 1]);
        if (f->map[callee->parameters[i]] == 0)
            return body_refuse(f->body, call, "uses an operand that has no value");
    }
    if (f->block->merge == SpvOpLoopMerge) {
        int32_t status = leave_loop_header(f, call);
        if (status != TRM_OK)
            return status;
    }
    struct spirv_block *behind = new_block(f);
    if (behind == NULL)
        return body_status(f->body);
    f->block->merge       = MERGE_SCOPE;
    f->block->merge_block = behind->label;
    frame.behind          = behind->label;
    int32_t status        = copy_function(f, callee, &frame);
    f->block              = behind;
    return status == TRM_OK ? finish_call(f, &frame, call) : status;
}

int32_t flatten_return(struct flattener *f, struct frame *frame, const struct spirv_instruction *op)
{
    if (frame->behind == NO_BLOCK || op->opcode == SpvOpKill || op->opcode == SpvOpTerminateInvocation)
        return flatten_append(f, SpvOpReturn, 0, 0, 0, op) == NULL ? body_status(f->body) : TRM_OK;
    if (!base_arena_grow(f->body->arena, &frame->returns, frame->return_count, &frame->return_capacity,
                         sizeof(*frame->returns)))
        return body_status(f->body);
    uint32_t value = 0;
    if (op->opcode == SpvOpReturnValue) {
        value = flatten_is_pointer(f, op->operands[0]) ? flatten_address(f, op->operands[0], op)
                                                       : flatten_value(f, op->operands[0]);
        if (value == 0)
            return body_refuse(f->body, op, "uses an operand that has no value");
    }
    if (op->opcode != SpvOpUnreachable)
        frame->returns[frame->return_count++] = (struct returned){value, f->block->label};
    else
        return flatten_append(f, SpvOpReturn, 0, 0, 0, op) == NULL ? body_status(f->body) : TRM_OK;
    return append_branch(f, frame->behind, op);
}

int32_t translate_flatten(struct body *body)
{
    struct spirv_module *module        = body->module;
    const struct spirv_function *entry = module->ids[body->entry->function].as.function;
    struct flattener f                 = {.body = body, .module = module, .bound = module->bound};
    struct frame frame                 = {.behind = NO_BLOCK};

    if (entry->block_count == 0)
        return body_refuse(body, NULL, "has no body");
    body->function = (struct spirv_function){.id = entry->id, .type = entry->type, .result = entry->result};
    body->has_barrier = entry->has_barrier;
    f.map             = base_arena_allocate(body->arena, f.bound, sizeof(*f.map));
    f.last            = base_arena_allocate(body->arena, f.bound, sizeof(*f.last));
    f.orders          = base_arena_allocate(body->arena, f.bound, sizeof(*f.orders));
    if (f.map == NULL || f.last == NULL || f.orders == NULL || !body_grow(body))
        return body_status(body);
    for (uint32_t i = 0; i < module->variable_count; i++)
        access_variable(body, module->variables[i]);
    int32_t status = copy_function(&f, entry, &frame);
    return status == TRM_OK ? body_status(body) : status;
}
