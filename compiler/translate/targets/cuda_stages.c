/* CUDA C: the body of a kernel in stages, each a function of one work-item: the code up to the last load of a
 * buffer before the first branch; the code after it; and the stores behind the last branch. Values that a
 * later stage may need are passed on in a struct, which the compiler turns into registers.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/targets/cuda_target.h"

#define STAGES 3u

struct stages {
    struct emit *emit;
    const struct text *body;
    const struct node **nodes; /* of the body without its guard, in order */
    uint32_t node_count;
    struct node *parts[STAGES][3]; /* OPS before, any nodes, OPS behind; NULL: nothing */
    uint32_t begin, end;           /* range of `nodes` between the OPS at both ends */
    uint8_t *made_in;              /* by id: 1 + the stage that computes it; 0: it is not passed on */
    uint32_t id_count;
};

/* ---- the nodes */

static void add_node(struct stages *stages, const struct node *node)
{
    stages->nodes[stages->node_count++] = node;
}

/* Does a node before the guard only compute the guard's condition? */
static bool is_of_guard(const struct emit *emit, const struct node *node)
{
    uint32_t condition = emit->body->root->children[emit->coarsen.guard]->condition;

    if (node == NULL)
        return true;
    if (emit->body->values[condition].uses != 1)
        return false;
    for (uint32_t i = 0; i < node->copy_count; i++)
        if (node->copies[i].target != condition)
            return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!is_of_guard(emit, node->children[i]))
            return false;
    return node->case_count == 0;
}

/* Lists the children of the root, and those of the half that the guard admits. False without memory. */
static bool list_nodes(struct stages *stages)
{
    const struct emit *emit  = stages->emit;
    const struct node *root  = emit->body->root;
    const struct node *inner = root->children[emit->coarsen.guard]->children[0];
    bool is_last             = emit->coarsen.guard + 1 == root->child_count;
    uint32_t most            = root->child_count + (inner != NULL ? inner->child_count : 0) + 1;

    stages->nodes = base_arena_allocate(emit->arena, most, sizeof(*stages->nodes));
    if (stages->nodes == NULL)
        return false;
    for (uint32_t i = 0; i < root->child_count; i++) {
        const struct node *node = root->children[i];
        if (i > emit->coarsen.guard ||
            (i < emit->coarsen.guard && (node->kind == NODE_OPS || !is_of_guard(emit, node))))
            add_node(stages, node);
    }
    for (uint32_t i = 0; is_last && inner != NULL && inner->kind == NODE_SEQUENCE && i < inner->child_count;
         i++)
        add_node(stages, inner->children[i]);
    if (is_last && inner != NULL && inner->kind != NODE_SEQUENCE)
        add_node(stages, inner);
    return true;
}

static bool is_of_buffer(const struct stages *stages, const struct spirv_instruction *op, uint16_t opcode)
{
    const struct access *access =
        op->opcode == opcode ? body_access(stages->emit->body, op->operands[0]) : NULL;
    const struct spirv_variable *variable;

    if (access == NULL || access->variable == 0)
        return false;
    variable = stages->emit->module->ids[access->variable].as.variable;
    return variable->storage == SpvStorageClassStorageBuffer || variable->storage == SpvStorageClassUniform;
}

/* ---- the cuts */

static void add_op(struct stages *stages, uint32_t stage, uint32_t part, struct spirv_instruction *op)
{
    struct node **node = &stages->parts[stage][part];

    if (*node == NULL)
        *node = node_new(stages->emit->body, NODE_OPS);
    node_add_op(stages->emit->body, *node, op);
}

/* The instructions of several OPS nodes as one list. */
struct run {
    struct spirv_instruction **ops;
    uint32_t count;
};

static bool join(struct stages *stages, uint32_t begin, uint32_t end, struct run *run)
{
    uint32_t count = 0;

    for (uint32_t i = begin; i < end; i++)
        count += stages->nodes[i]->op_count;
    run->count = 0;
    run->ops   = base_arena_allocate(stages->emit->arena, count, sizeof(struct spirv_instruction *));
    if (run->ops == NULL && count != 0)
        return false;
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t k = 0; k < stages->nodes[i]->op_count; k++)
            run->ops[run->count++] = stages->nodes[i]->ops[k];
    return true;
}

/* How many instructions there are up to the last load that precedes any store. */
static uint32_t count_loading(const struct stages *stages, const struct run *run)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < run->count && !is_of_buffer(stages, run->ops[i], SpvOpStore); i++)
        if (is_of_buffer(stages, run->ops[i], SpvOpLoad))
            count = i + 1;
    return count;
}

/* Splits at the first store: computations go before it; a load keeps its place, and so does all that follows
 * it. */
static void cut_tail(struct stages *stages, const struct run *run, uint32_t begin)
{
    uint32_t stage = 1;
    bool loads     = false;

    for (uint32_t i = begin; i < run->count; i++) {
        bool is_store = is_of_buffer(stages, run->ops[i], SpvOpStore);
        loads |= stage == 2 && is_of_buffer(stages, run->ops[i], SpvOpLoad);
        stage = is_store ? 2 : stage;
        add_op(stages, is_store || loads ? 2 : 1, is_store || loads ? 0 : 2, run->ops[i]);
    }
}

static bool cut(struct stages *stages)
{
    struct run head, tail;
    uint32_t count = stages->node_count, loading;

    for (stages->begin = 0; stages->begin < count && stages->nodes[stages->begin]->kind == NODE_OPS;)
        stages->begin++;
    for (stages->end = count;
         stages->end > stages->begin && stages->nodes[stages->end - 1]->kind == NODE_OPS;)
        stages->end--;
    if (!join(stages, 0, stages->begin, &head) || !join(stages, stages->end, count, &tail))
        return false;
    loading = count_loading(stages, &head);
    for (uint32_t i = 0; i < loading; i++)
        add_op(stages, 0, 0, head.ops[i]);
    if (stages->begin == stages->end) {
        cut_tail(stages, &head, loading); /* no branch: there is only one list */
        return true;
    }
    for (uint32_t i = loading; i < head.count; i++)
        add_op(stages, 1, 0, head.ops[i]);
    cut_tail(stages, &tail, 0);
    return true;
}

/* ---- what is handed on */

/* The values of stores are computed before the stores, whatever their place was. */
static void compute_stored(struct stages *stages)
{
    const struct node *stores  = stages->parts[2][0];
    struct value_info *values  = stages->emit->body->values;
    const struct spirv_id *ids = stages->emit->module->ids;

    for (uint32_t i = 0; stores != NULL && i < stores->op_count; i++) {
        uint32_t id = stores->ops[i]->opcode == SpvOpStore ? stores->ops[i]->operands[1] : 0;
        if (id != 0 && ids[id].kind == SPIRV_ID_VALUE && values[id].place == PLACE_INLINE)
            values[id].place = PLACE_HERE;
    }
}

static void note_made_in(struct stages *stages, uint32_t stage, const struct node *node)
{
    const struct value_info *values = stages->emit->body->values;

    for (uint32_t i = 0; node != NULL && i < node->op_count; i++) {
        uint32_t id = node->ops[i]->result;
        if (id != 0 && values[id].place == PLACE_HERE && values[id].uses != 0)
            stages->made_in[id] = (uint8_t)(stage + 1);
    }
}

static void note_made(struct stages *stages)
{
    for (uint32_t stage = 0; stage < STAGES; stage++)
        for (uint32_t part = 0; part < 3; part++)
            note_made_in(stages, stage, stages->parts[stage][part]);
    for (uint32_t i = stages->begin; i < stages->end; i++)
        note_made_in(stages, 1, stages->nodes[i]);
}

static bool is_at_top(const struct stages *stages, uint32_t id)
{
    const struct emit *emit = stages->emit;

    return emit->body->values[id].place == PLACE_TOP && emit->module->ids[id].kind == SPIRV_ID_VALUE;
}

/* Are all values that are passed on scalars or vectors? */
static bool can_hand_on(const struct stages *stages)
{
    const struct emit *emit = stages->emit;

    for (uint32_t id = 1; id < stages->id_count; id++)
        if ((stages->made_in[id] != 0 || is_at_top(stages, id)) &&
            emit_components(emit, emit->module->ids[id].type) == 0)
            return false;
    return true;
}

static const char *const component_ends[] = {"", "_x", "_y", "_z", "_w"};

enum direction {
    DECLARE,
    READ,
    READ_AS_CONSTANT,
    WRITE,
};

static void hand(struct emit *emit, uint32_t id, enum direction direction)
{
    uint32_t type = emit->module->ids[id].type, count = emit_components(emit, type);

    for (uint32_t i = 0; i < count; i++) {
        const char *name = emit_name(emit, id), *end = component_ends[count == 1 ? 0 : i + 1];
        if (direction == DECLARE)
            text_line(&emit->text, "%s %s%s;", emit_type_name(emit, type), name, end);
        else if (direction == WRITE)
            text_line(&emit->text, "kept.%s%s = %s%s;", name, end, name, end);
        else if (direction == READ)
            text_line(&emit->text, "%s%s = kept.%s%s;", name, end, name, end);
        else
            text_line(&emit->text, "const %s %s%s = kept.%s%s;", emit_type_name(emit, type), name, end, name,
                      end);
    }
}

static void hand_all(struct stages *stages, uint32_t stage, bool is_begin)
{
    for (uint32_t id = 1; id < stages->id_count; id++) {
        uint32_t made = stages->made_in[id];
        if (is_at_top(stages, id) && (!is_begin || stage != 0))
            hand(stages->emit, id, is_begin ? READ : WRITE);
        else if (made != 0 && is_begin && made < stage + 1)
            hand(stages->emit, id, READ_AS_CONSTANT);
        else if (made == stage + 1 && !is_begin)
            hand(stages->emit, id, WRITE);
    }
}

static void write_struct(struct stages *stages)
{
    struct emit *emit = stages->emit;

    text_line(&emit->text, "struct %s_kept {", emit->symbol);
    for (uint32_t id = 1; id < stages->id_count; id++)
        if (stages->made_in[id] != 0 || is_at_top(stages, id))
            hand(emit, id, DECLARE);
    text_close(&emit->text, "};");
    text_add_bytes(&emit->text, "\n", 1);
}

/* ---- the text */

static void hold(struct emit *emit, uint32_t id)
{
    uint32_t count                = emit_components(emit, emit->module->ids[id].type);
    const struct spirv_type *type = spirv_type(emit->module, emit->module->ids[id].type);

    if (type->kind == SPIRV_VECTOR)
        type = spirv_type(emit->module, type->element);
    if (type->width != 32 || emit->body->values[id].uses == 0 || emit->body->values[id].place != PLACE_HERE)
        return;
    for (uint32_t i = 0; i < count; i++)
        text_line(&emit->text, "asm volatile(\"\" ::\"%s\"(%s%s));", type->kind == SPIRV_FLOAT ? "f" : "r",
                  emit_name(emit, id), component_ends[count == 1 ? 0 : i + 1]);
}

/* The compiler moves a load next to its first use, which may be behind another work-item's square root. That
 * has branches, and behind those the load would not be in flight with the others. So an empty asm uses the
 * loaded values here. */
static void hold_loads(struct stages *stages)
{
    const struct node *loads = stages->parts[0][0];

    for (uint32_t i = 0; loads != NULL && i < loads->op_count; i++)
        if (is_of_buffer(stages, loads->ops[i], SpvOpLoad))
            hold(stages->emit, loads->ops[i]->result);
}

static int32_t write_part(struct emit *emit, const struct node *node)
{
    return node != NULL ? emit_node(emit, node) : TRM_OK;
}

static int32_t write_nodes(struct stages *stages, uint32_t stage)
{
    int32_t status = write_part(stages->emit, stages->parts[stage][0]);

    for (uint32_t i = stages->begin; stage == 1 && i < stages->end && status == TRM_OK; i++)
        status = emit_node(stages->emit, stages->nodes[i]);
    return status == TRM_OK ? write_part(stages->emit, stages->parts[stage][2]) : status;
}

static int32_t write_stage(struct stages *stages, uint32_t stage)
{
    struct emit *emit = stages->emit;
    struct flow_frame frame;

    emit->flow = flow_create(emit);
    if (emit->flow == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    text_begin_line(&emit->text);
    text_add(&emit->text, "static __device__ __forceinline__ void %s_stage%u(", emit->symbol, stage + 1);
    target_cuda_parameters(emit, stages->body, target_cuda_item(emit));
    text_add(&emit->text, ", struct %s_kept &kept)\n", emit->symbol);
    text_line(&emit->text, "{");
    flow_push(emit, &frame, NULL);
    frame.at_end   = false; /* other nodes follow, and what is passed on: a scope is not left by returning */
    int32_t status = flow_declare(emit, emit->body->root, 1u << PLACE_TOP);
    hand_all(stages, stage, true);
    if (status == TRM_OK)
        status = write_nodes(stages, stage);
    if (stage == 0 && emit->coarsen.is_along_y)
        hold_loads(stages);
    hand_all(stages, stage, false);
    flow_pop(emit);
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
    return status;
}

int32_t target_cuda_stages(struct emit *emit, const struct text *body, uint32_t *count)
{
    struct stages stages = {.emit = emit, .body = body};
    int32_t status       = TRM_OK;

    *count = 0;
    if (emit->body->local_count != 0)
        return TRM_OK;
    if (!list_nodes(&stages))
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < stages.node_count; i++)
        if (node_has(stages.nodes[i], NODE_RETURN))
            return TRM_OK;
    if (!cut(&stages) || emit->arena->failed)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    compute_stored(&stages);
    stages.id_count = emit->body->value_count;
    stages.made_in  = base_arena_allocate(emit->arena, stages.id_count, 1);
    if (stages.made_in == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    note_made(&stages);
    if (!can_hand_on(&stages))
        return TRM_OK;
    write_struct(&stages);
    for (uint32_t stage = 0; stage < STAGES && status == TRM_OK; stage++)
        status = write_stage(&stages, stage);
    *count = STAGES;
    return status;
}
