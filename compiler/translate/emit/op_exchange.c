/* Operations of subgroups in C, beside cooperative matrices, where SPIRV_SUBGROUP work-items are one. Each
 * publishes its value in spilled memory; behind a barrier, each reads those of its subgroup, from
 * `trm_from` up to `trm_to`. Sums are made in the order of the work-items.
 *
 * Where work-items may be missing, those that published have a mark in kept->present.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/flow.h"
#include "compiler/translate/emit/op.h"

/* ---- publishing ------------------------------------------------------------------------------ */

int32_t emit_publish(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t count = emit_components(emit, op->type);
    int32_t status = TRM_OK;

    if (!emit_is_used(emit, op->result))
        return TRM_OK;
    for (uint32_t i = 0; i < (count < 2 ? 1 : count) && status == TRM_OK; i++) {
        emit_begin(emit, op->result, count < 2 ? WHOLE : i);
        status = emit_operand(emit, op->operands[0], count < 2 ? WHOLE : i);
        text_add(&emit->text, ";\n");
    }
    emit_assigned(emit, op->result);
    if (emit->body->has_absent)
        text_line(&emit->text, "kept->present[item] = 1;");
    return status;
}

int32_t emit_retract(struct emit *emit, const struct spirv_instruction *op)
{
    (void)op;
    if (emit->body->has_absent)
        text_line(&emit->text, "kept->present[item] = 0;");
    return TRM_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* "s_sum", "s_sum_x" */
static const char *part_name(struct emit *emit, uint32_t id, uint32_t component)
{
    if (emit_components(emit, emit->module->ids[id].type) < 2)
        return emit_name(emit, id);
    return base_arena_format(emit->arena, "%s_%c", emit_name(emit, id), "xyzw"[component & 3]);
}

static uint32_t published_by(const struct spirv_instruction *op)
{
    return op->operands[operation_exchanged(op)];
}

/* The values that the work-items of the group published. */
static const char *slots(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    return base_arena_format(emit->arena, "kept->%s", part_name(emit, published_by(op), component));
}

static uint32_t items_of(const struct emit *emit)
{
    const uint32_t *size = emit->body->entry->local_size;

    return size[0] * size[1] * size[2];
}

/* ---- folding --------------------------------------------------------------------------------- */

/* Begins a loop over work-items that are there. */
static void begin_loop(struct emit *emit, const char *first, const char *end)
{
    text_line(&emit->text, "for (int64_t trm_i = %s; trm_i < %s; trm_i++) {", first, end);
    if (!emit->body->has_absent)
        return;
    text_line(&emit->text, "if (!kept->present[trm_i])");
    text_line(&emit->text, "    continue;");
}

/* Writes "trm_sum = …", with the next value. */
static void add_next(struct emit *emit, const struct spirv_instruction *op, const char *name,
                     const char *next)
{
    const struct spirv_type *scalar = emit_scalar(emit, op->type);
    bool is_signed = op->opcode == SpvOpGroupNonUniformSMin || op->opcode == SpvOpGroupNonUniformSMax;
    char letter    = name[1]; /* add, mul, min, max, and, or, xor */
    const char *as = "";

    text_begin_line(&emit->text);
    text_add(&emit->text, "trm_sum = ");
    if (name[0] == 'm' && letter != 'u') {
        if (scalar->kind == SPIRV_INT)
            as = base_arena_format(emit->arena, "(%sint%u_t)", is_signed ? "" : "u", scalar->width);
        text_add(&emit->text, "%s%s %c %strm_sum ? %s : trm_sum;\n", as, next, letter == 'i' ? '<' : '>', as,
                 next);
        return;
    }
    if (scalar->kind == SPIRV_INT) {
        text_add(&emit->text, "(%s)", emit_type_name(emit, scalar->id));
        as = scalar->width == 64 ? "(uint64_t)" : "(uint32_t)";
    } else {
        emit_round(emit, scalar);
    }
    char sign = letter == 'd' ? '+' : letter == 'u' ? '*' : letter == 'n' ? '&' : name[0] == 'o' ? '|' : '^';
    text_add(&emit->text, "(%strm_sum %c %s%s);\n", as, sign, as, next);
}

/* A reduction or scan of one component: over the subgroup, a cluster, or the work-items up to this one. */
static int32_t fold(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct emit_reduction *reduction = emit_reduction_of(op->opcode);
    const char *first = "trm_from", *end = "trm_to";

    switch (op->operands[1]) {
    case SpvGroupOperationReduce:
        break;
    case SpvGroupOperationInclusiveScan:
        end = "item + 1";
        break;
    case SpvGroupOperationExclusiveScan:
        end = "item";
        break;
    case SpvGroupOperationClusteredReduce: {
        uint32_t size = (uint32_t)spirv_constant(emit->module, op->operands[3])->bits;
        if (size >= SPIRV_SUBGROUP || size == 0)
            break;
        first = base_arena_format(emit->arena, "item / %u * %u", size, size);
        end   = base_arena_format(emit->arena, "trm_lesser(item / %u * %u + %u, trm_to)", size, size, size);
        break;
    }
    default:
        return emit_fail(emit, "the group operation is unknown");
    }
    text_line(&emit->text, "{");
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s trm_sum = ", emit_type_name(emit, emit_scalar(emit, op->type)->id));
    emit_neutral(emit, op, reduction);
    text_add(&emit->text, ";\n");
    begin_loop(emit, first, end);
    add_next(emit, op, reduction->name,
             base_arena_format(emit->arena, "%s[trm_i]", slots(emit, op, component)));
    text_close(&emit->text, "}");
    text_line(&emit->text, "%s = trm_sum;", part_name(emit, op->result, component));
    text_close(&emit->text, "}");
    return TRM_OK;
}

/* A vote or a ballot: assigns its result in a loop. */
static int32_t vote(struct emit *emit, const struct spirv_instruction *op, const char *start,
                    const char *format)
{
    const char *name = part_name(emit, op->result, 0);

    text_line(&emit->text, "%s = %s;", name, start);
    begin_loop(emit, "trm_from", "trm_to");
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s %s %s[trm_i]", name, format, slots(emit, op, 0));
    text_add(&emit->text, start[1] == 'u' ? " << (trm_i - trm_from);\n" : ";\n");
    text_close(&emit->text, "}");
    for (uint32_t i = 1; i < emit_components(emit, op->type); i++)
        text_line(&emit->text, "%s = 0;", part_name(emit, op->result, i));
    return TRM_OK;
}

/* ---- moving ---------------------------------------------------------------------------------- */

static int32_t all_equal(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t count = emit_components(emit, emit->module->ids[published_by(op)].type);

    text_line(&emit->text, "%s = 1;", emit_name(emit, op->result));
    begin_loop(emit, "trm_from", "trm_to");
    for (uint32_t i = 0; i < count; i++)
        text_line(&emit->text, "%s &= %s[trm_i] == %s[trm_first];", emit_name(emit, op->result),
                  slots(emit, op, i), slots(emit, op, i));
    text_close(&emit->text, "}");
    return TRM_OK;
}

/* Assigns what a work-item published. */
static int32_t take(struct emit *emit, const struct spirv_instruction *op, const char *at)
{
    uint32_t count = emit_components(emit, op->type);

    for (uint32_t i = 0; i < count; i++)
        text_line(&emit->text, "%s = %s[%s];", part_name(emit, op->result, i), slots(emit, op, i), at);
    return TRM_OK;
}

/* Reads the value of another work-item, whose number in the subgroup the pattern computes from that of
 * this one, L, and an operand, N. Without such a work-item its own. */
static int32_t shuffle(struct emit *emit, const struct spirv_instruction *op, uint32_t operand,
                       const char *pattern)
{
    int32_t status = TRM_OK;

    text_begin_line(&emit->text);
    text_add(&emit->text, "int64_t trm_at = trm_from + (int64_t)(");
    for (; *pattern != '\0' && status == TRM_OK; pattern++) {
        if (*pattern == 'L')
            text_add(&emit->text, "(uint32_t)(item - trm_from)");
        else if (*pattern == 'N')
            status = emit_unsigned(emit, operand, WHOLE, false);
        else
            text_add(&emit->text, "%c", *pattern);
    }
    text_add(&emit->text, ");\n");
    text_line(&emit->text, "if (trm_at >= trm_to)");
    text_line(&emit->text, "    trm_at = item;");
    return status == TRM_OK ? take(emit, op, "trm_at") : status;
}

/* A rotation, of the subgroup or within clusters. */
static int32_t rotate(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t size = SPIRV_SUBGROUP;

    if (op->operand_count > 3)
        size = (uint32_t)spirv_constant(emit->module, op->operands[3])->bits;
    if (size > SPIRV_SUBGROUP || size == 0)
        size = SPIRV_SUBGROUP;
    return shuffle(emit, op, op->operands[2],
                   base_arena_format(emit->arena, "(L & ~%uu) | ((L + N) & %uu)", size - 1, size - 1));
}

/* ---- all operations -------------------------------------------------------------------------- */

static int32_t write(struct emit *emit, const struct spirv_instruction *op)
{
    const uint32_t *o = op->operands;
    int32_t status    = TRM_OK;

    if (emit_reduction_of(op->opcode) != NULL) {
        uint32_t count = emit_components(emit, op->type);
        for (uint32_t i = 0; i < count && status == TRM_OK; i++)
            status = fold(emit, op, i);
        return status;
    }
    switch (op->opcode) {
    case SpvOpGroupNonUniformAll:
    case SpvOpSubgroupAllKHR:
        return vote(emit, op, "1", "&=");
    case SpvOpGroupNonUniformAny:
    case SpvOpSubgroupAnyKHR:
        return vote(emit, op, "0", "|=");
    case SpvOpGroupNonUniformBallot:
    case SpvOpSubgroupBallotKHR:
        return vote(emit, op, "0u", "|= (uint32_t)");
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpSubgroupAllEqualKHR:
        return all_equal(emit, op);
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpSubgroupFirstInvocationKHR:
        return take(emit, op, "trm_first");
    case SpvOpSubgroupReadInvocationKHR:
        return shuffle(emit, op, o[1], "N & 31u");
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformShuffle:
        return shuffle(emit, op, o[2], "N & 31u");
    case SpvOpGroupNonUniformShuffleXor:
        return shuffle(emit, op, o[2], "(L ^ N) & 31u");
    case SpvOpGroupNonUniformShuffleUp:
        return shuffle(emit, op, o[2], "L >= N ? L - N : L");
    case SpvOpGroupNonUniformShuffleDown:
        return shuffle(emit, op, o[2], "N < 32u - L ? L + N : L");
    case SpvOpGroupNonUniformQuadBroadcast:
        return shuffle(emit, op, o[2], "(L & ~3u) | (N & 3u)");
    case SpvOpGroupNonUniformQuadSwap:
        return shuffle(emit, op, o[2], "L ^ ((N + 1u) & 3u)");
    case SpvOpGroupNonUniformRotateKHR:
        return rotate(emit, op);
    default:
        return emit_fail(emit, "");
    }
}

/* Writes the range of work-items of the subgroup. */
static void find_subgroup(struct emit *emit)
{
    uint32_t items = items_of(emit);

    if (items <= SPIRV_SUBGROUP)
        text_line(&emit->text, "const int64_t trm_from = 0, trm_to = %u;", items);
    else if (items % SPIRV_SUBGROUP == 0)
        text_line(&emit->text, "const int64_t trm_from = item / %u * %u, trm_to = trm_from + %u;",
                  SPIRV_SUBGROUP, SPIRV_SUBGROUP, SPIRV_SUBGROUP);
    else
        text_line(&emit->text,
                  "const int64_t trm_from = item / %u * %u, trm_to = trm_lesser(trm_from + %u, %u);",
                  SPIRV_SUBGROUP, SPIRV_SUBGROUP, SPIRV_SUBGROUP, items);
}

/* Writes trm_first, the first work-item that is there. */
static void find_first(struct emit *emit)
{
    text_line(&emit->text, "%sint64_t trm_first = trm_from;", emit->body->has_absent ? "" : "const ");
    if (!emit->body->has_absent)
        return;
    text_line(&emit->text, "while (trm_first + 1 < trm_to && !kept->present[trm_first])");
    text_line(&emit->text, "    trm_first++;");
}

static void declare(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t count = emit_components(emit, op->type);

    if (emit->body->values[op->result].place != PLACE_HERE)
        return;
    for (uint32_t i = 0; i < count; i++)
        text_line(&emit->text, "%s %s;", emit_type_name(emit, op->type), part_name(emit, op->result, i));
}

/* Does the first work-item compute what all get, so that the others can read it? */
static bool is_done_once(const struct emit *emit, const struct spirv_instruction *op)
{
    return operation_is_agreed(op) && emit->flow->items != NULL &&
           emit->body->values[op->result].place == PLACE_SPILLED;
}

int32_t emit_exchange(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t count = emit_components(emit, op->type);

    if (!emit_is_used(emit, op->result))
        return TRM_OK;
    declare(emit, op);
    text_line(&emit->text, "{");
    find_subgroup(emit);
    if (operation_is_agreed(op))
        find_first(emit);
    bool is_once = is_done_once(emit, op);
    if (is_once) {
        text_line(&emit->text, "if (item != trm_first) {");
        for (uint32_t i = 0; i < count; i++) {
            const char *name = part_name(emit, op->result, i);
            text_line(&emit->text, "%s = kept->%s[trm_first];", name, name);
        }
        text_close(&emit->text, "} else {");
    }
    int32_t status = write(emit, op);
    if (is_once)
        text_close(&emit->text, "}");
    text_close(&emit->text, "}");
    emit_assigned(emit, op->result);
    return status;
}

int32_t emit_any_left(struct emit *emit, const struct spirv_instruction *op)
{
    const char *name      = emit_name(emit, op->result);
    const char *published = emit_name(emit, op->operands[0]);

    declare(emit, op);
    text_line(&emit->text, "%s = 0;", name);
    text_line(&emit->text, "for (int64_t trm_i = 0; trm_i < %u; trm_i++)", items_of(emit));
    text_line(&emit->text, "    %s |= kept->present[trm_i] && !kept->%s[trm_i];", name, published);
    return TRM_OK;
}
