/* Checks calls: arguments match the parameters, no function is recursive, and nesting is limited. Sorts the
 * functions so that callees precede callers.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/spirv/reader.h"

enum mark {
    UNSEEN = 0,
    OPEN, /* on the current path of the walk */
    DONE,
};

/* One function on the walk. */
struct step {
    struct spirv_function *function;
    uint32_t next, end; /* calls that are still to be followed */
};

struct walk {
    struct spirv_reader *reader;
    struct step steps[SPIRV_DEPTH_MOST];
    uint32_t depth;
    struct spirv_function **order;
    uint32_t count;
    /* Indexed by the number of the function. */
    uint8_t *marks;
    uint8_t *heights; /* nesting of the calls that it makes */
    uint32_t *first;  /* function n makes the calls from first[n] up to first[n + 1] */
};

static int32_t check_call(struct spirv_reader *reader, const struct spirv_call *call)
{
    const struct spirv_module *module = reader->module;

    reader->at     = call->at;
    reader->opcode = SpvOpFunctionCall;
    if (module->ids[call->operands[0]].kind != SPIRV_ID_FUNCTION)
        return spirv_invalid(reader, "id %u is not a function", call->operands[0]);
    const struct spirv_function *callee = module->ids[call->operands[0]].as.function;
    const struct spirv_type *type       = spirv_type(module, callee->type);
    if (callee->result != call->type)
        return spirv_invalid(reader, "the result type differs from that of the function");
    if (call->operand_count != type->count + 1)
        return spirv_invalid(reader, "the call passes %u argument%s to a function of %u parameter%s",
                             call->operand_count - 1, base_plural(call->operand_count - 1), type->count,
                             base_plural(type->count));
    for (uint32_t i = 0; i < type->count; i++)
        if (module->ids[call->operands[1 + i]].type != type->parameters[i])
            return spirv_invalid(reader, "argument %u has another type than its parameter", i);
    return TRM_OK;
}

static int32_t enter(struct walk *walk, uint32_t number)
{
    struct spirv_reader *reader     = walk->reader;
    struct spirv_function *function = reader->module->functions[number];

    if (walk->marks[number] == DONE)
        return TRM_OK;
    if (walk->marks[number] == OPEN)
        return spirv_invalid(reader, "function %u calls itself", function->id);
    if (walk->depth == SPIRV_DEPTH_MOST)
        return spirv_unsupported(reader, "calls are nested deeper than %u", SPIRV_DEPTH_MOST);
    walk->marks[number]        = OPEN;
    walk->steps[walk->depth++] = (struct step){function, walk->first[number], walk->first[number + 1]};
    return TRM_OK;
}

/* The number of a function, which the definition of its first block holds. */
static uint32_t number_of(const struct spirv_reader *reader, const struct spirv_function *function)
{
    return reader->definitions[function->blocks[0]->label].function - 1;
}

static int32_t leave(struct walk *walk)
{
    struct spirv_reader *reader = walk->reader;
    struct step *step           = &walk->steps[--walk->depth];
    uint32_t number             = number_of(reader, step->function);

    walk->marks[number]        = DONE;
    walk->order[walk->count++] = step->function;
    if (walk->depth == 0)
        return TRM_OK;
    struct spirv_function *caller = walk->steps[walk->depth - 1].function;
    uint32_t above                = number_of(reader, caller);
    caller->has_barrier |= step->function->has_barrier;
    if (walk->heights[above] < walk->heights[number] + 1)
        walk->heights[above] = (uint8_t)(walk->heights[number] + 1);
    return TRM_OK;
}

/* A callee that the walk has finished before still adds its barriers and height to this caller. */
static int32_t follow(struct walk *walk, const struct spirv_call *call)
{
    struct spirv_reader *reader   = walk->reader;
    struct spirv_function *callee = reader->module->ids[call->operands[0]].as.function;
    uint32_t number               = number_of(reader, callee);
    uint32_t above                = number_of(reader, call->caller);

    reader->at = call->at;
    if (walk->marks[number] != DONE)
        return enter(walk, number);
    call->caller->has_barrier |= callee->has_barrier;
    if (walk->heights[above] < walk->heights[number] + 1)
        walk->heights[above] = (uint8_t)(walk->heights[number] + 1);
    return TRM_OK;
}

static int32_t visit(struct walk *walk, uint32_t root)
{
    int32_t status = enter(walk, root);

    while (status == TRM_OK && walk->depth > 0) {
        struct step *step = &walk->steps[walk->depth - 1];
        if (step->next < step->end)
            status = follow(walk, &walk->reader->calls[step->next++]);
        else
            status = leave(walk);
        if (status == TRM_OK && walk->depth > 0 &&
            walk->heights[number_of(walk->reader, walk->steps[walk->depth - 1].function)] >= SPIRV_DEPTH_MOST)
            return spirv_unsupported(walk->reader, "calls are nested deeper than %u", SPIRV_DEPTH_MOST);
    }
    return status;
}

/* The reader recorded the calls in the order of their functions. */
static void index_calls(struct walk *walk, uint32_t function_count)
{
    const struct spirv_reader *reader = walk->reader;
    uint32_t call                     = 0;

    for (uint32_t i = 0; i < function_count; i++) {
        walk->first[i] = call;
        while (call < reader->call_count && reader->calls[call].caller == reader->module->functions[i])
            call++;
    }
    walk->first[function_count] = call;
}

int32_t spirv_finish_functions(struct spirv_reader *reader)
{
    struct spirv_module *module = reader->module;
    uint32_t count              = module->function_count;
    int32_t status              = TRM_OK;
    struct walk walk            = {.reader = reader};

    if (reader->function != NULL)
        return spirv_invalid(reader, "the last function has not ended");
    for (uint32_t i = 0; i < reader->call_count && status == TRM_OK; i++)
        status = check_call(reader, &reader->calls[i]);
    if (status != TRM_OK)
        return status;
    walk.order   = base_arena_allocate(reader->arena, count, sizeof(struct spirv_function *));
    walk.marks   = base_arena_allocate(reader->arena, count, sizeof(*walk.marks));
    walk.heights = base_arena_allocate(reader->arena, count, sizeof(*walk.heights));
    walk.first   = base_arena_allocate(reader->arena, (size_t)count + 1, sizeof(*walk.first));
    if (reader->arena->failed)
        return spirv_invalid(reader, "out of memory");
    index_calls(&walk, count);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++)
        status = visit(&walk, i);
    if (status == TRM_OK)
        module->functions = walk.order;
    return status;
}
