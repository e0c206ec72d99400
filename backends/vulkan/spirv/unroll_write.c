/* vulkan backend: writes a module with unrolled loops. The blocks of one are:
 *
 *     the old header: computes the limit
 *     main:           the header's phis, from there and from `again`; goes on while the counter is below the
 *                     limit
 *     the blocks of each round, the first of which begins with the header's instructions
 *     again:          back to main
 *     end:            behind the loop
 *     rest:           the old header, from `end` and from the latch; the other blocks of the old loop
 *
 * In round r a phi of the header is what its next value was in round r - 1.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/spirv/unroll_internal.h"

#include "backends/vulkan/spirv/coarsen_internal.h"
#include "backends/vulkan/spirv/words.h"

#define EXTRA_WORDS 96u /* of a loop, beside the rounds */

struct writer {
    const struct vulkan_unroll *unroll;
    const struct vulkan_unroll_loop *loop; /* the one that is being unrolled */
    uint32_t *out;
    uint64_t written;
};

static const uint32_t *next_of(const uint32_t *at)
{
    return at + vulkan_length(at);
}

static bool is_terminator(const uint32_t *at)
{
    return vulkan_opcode(at) == SpvOpBranch || vulkan_opcode(at) == SpvOpBranchConditional;
}

static uint32_t owner_of(const struct writer *writer)
{
    return (uint32_t)(writer->loop - writer->unroll->loops) + 1;
}

/* Is it a phi of the loop's header? */
static bool is_phi_of(const struct vulkan_unroll_loop *loop, const uint32_t *at)
{
    return vulkan_opcode(at) == SpvOpPhi && at > loop->header && at < loop->merge;
}

/* ---- words ----------------------------------------------------------------------------------------- */

static void emit(struct writer *writer, uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    writer->out[writer->written++] = (count + 1) << SpvWordCountShift | opcode;
    memcpy(writer->out + writer->written, operands, count * sizeof(uint32_t));
    writer->written += count;
}

static uint32_t *emit_copy(struct writer *writer, const uint32_t *at)
{
    uint32_t *words = writer->out + writer->written;
    memcpy(words, at, vulkan_length(at) * sizeof(uint32_t));
    writer->written += vulkan_length(at);
    return words;
}

static void emit_label(struct writer *writer, uint32_t label)
{
    emit(writer, SpvOpLabel, &label, 1);
}

static void emit_branch(struct writer *writer, uint32_t label)
{
    emit(writer, SpvOpBranch, &label, 1);
}

/* ---- the module ------------------------------------------------------------------------------------- */

static void emit_constants(struct writer *writer, const struct vulkan_unroll_loop *loop)
{
    uint32_t rounds = (loop->factor - 1) * loop->step + loop->ahead;
    uint32_t least  = loop->is_signed ? UINT32_C(0x80000000) : 0;
    emit(writer, SpvOpConstant, (uint32_t[]){loop->bound_type, loop->low, least + rounds}, 3);
    emit(writer, SpvOpConstant, (uint32_t[]){loop->bound_type, loop->least, least}, 3);
    emit(writer, SpvOpConstant, (uint32_t[]){loop->bound_type, loop->distance, rounds - loop->is_inclusive},
         3);
}

/* Repeats a decoration for each round. Of a phi of a header there is the main loop's alone. */
static void emit_decoration(struct writer *writer, const uint32_t *at)
{
    const struct vulkan_unroll_id *id     = &writer->unroll->ids[at[1]];
    const struct vulkan_unroll_loop *loop = id->loop == 0 ? NULL : &writer->unroll->loops[id->loop - 1];
    emit_copy(writer, at);
    if (loop == NULL)
        return;
    uint32_t copies = is_phi_of(loop, id->at) ? 1 : loop->factor;
    for (uint32_t round = 0; round < copies; round++)
        emit_copy(writer, at)[1] = id->clones + round;
}

/* ---- rounds ----------------------------------------------------------------------------------------- */

static uint32_t next_value(const struct writer *writer, const uint32_t *phi)
{
    return phi[4] == writer->loop->latch ? phi[3] : phi[5];
}

/* The id of a value or label in a round. */
static uint32_t id_in(const struct writer *writer, uint32_t id, uint32_t round)
{
    const struct vulkan_unroll_id *known = &writer->unroll->ids[id];
    while (known->loop == owner_of(writer) && round != 0 && is_phi_of(writer->loop, known->at)) {
        id    = next_value(writer, known->at);
        known = &writer->unroll->ids[id];
        round--;
    }
    return known->loop == owner_of(writer) ? known->clones + round : id;
}

/* An instruction of a round that is no branch. */
static void emit_step(struct writer *writer, const uint32_t *at, uint32_t round)
{
    const struct vulkan_coarsen_form form = vulkan_coarsen_form(at);
    uint32_t *words                       = emit_copy(writer, at);
    if (vulkan_opcode(at) == SpvOpSelectionMerge)
        words[1] = id_in(writer, at[1], round);
    if (form.has_result || vulkan_opcode(at) == SpvOpPhi)
        words[2] = id_in(writer, at[2], round);
    for (uint32_t i = form.first; i < form.end; i++)
        if (i != form.literal)
            words[i] = id_in(writer, at[i], round);
    for (uint32_t i = 3; i < vulkan_length(at) && vulkan_opcode(at) == SpvOpPhi; i++)
        words[i] = id_in(writer, at[i], round);
}

static void emit_terminator(struct writer *writer, const uint32_t *at, uint32_t round)
{
    const struct vulkan_unroll_loop *loop = writer->loop;
    uint32_t last = vulkan_opcode(at) == SpvOpBranch ? 2 : 4; /* branch weights may follow */
    if (vulkan_opcode(at) == SpvOpBranch && at[1] == loop->header[1]) {
        emit_branch(writer,
                    round + 1 < loop->factor ? id_in(writer, loop->body, 0) + round + 1 : loop->again);
        return;
    }
    uint32_t *words = emit_copy(writer, at);
    for (uint32_t i = 1; i < last; i++)
        words[i] = id_in(writer, at[i], round);
}

static void emit_header_steps(struct writer *writer, uint32_t round)
{
    for (const uint32_t *at = next_of(writer->loop->header); at != writer->loop->merge; at = next_of(at))
        if (vulkan_opcode(at) != SpvOpPhi)
            emit_step(writer, at, round);
}

/* Returns the block's terminator. */
static const uint32_t *emit_block(struct writer *writer, const uint32_t *at, uint32_t round)
{
    emit_label(writer, id_in(writer, at[1], round));
    if (at[1] == writer->loop->body)
        emit_header_steps(writer, round);
    for (at = next_of(at); !is_terminator(at); at = next_of(at))
        emit_step(writer, at, round);
    emit_terminator(writer, at, round);
    return at;
}

static void emit_round(struct writer *writer, uint32_t round)
{
    uint32_t left = writer->loop->block_count;
    for (const uint32_t *at = next_of(writer->loop->header); left != 0; at = next_of(at)) {
        if (vulkan_opcode(at) != SpvOpLabel || writer->unroll->ids[at[1]].loop != owner_of(writer))
            continue;
        at = emit_block(writer, at, round);
        left--;
    }
}

/* ---- a loop ----------------------------------------------------------------------------------------- */

/* The header's instructions that the bound may be made of, and the limit. */
static void emit_limit(struct writer *writer)
{
    const struct vulkan_unroll_loop *loop = writer->loop;
    const struct vulkan_unroll_id *ids    = writer->unroll->ids;
    uint32_t compare                      = loop->is_signed ? SpvOpSLessThan : SpvOpULessThan;
    uint32_t bound                        = loop->bound;
    for (const uint32_t *at = next_of(loop->header); at != loop->merge; at = next_of(at))
        if (vulkan_coarsen_form(at).has_result && ids[at[2]].stays)
            emit_step(writer, at, loop->factor);
    if (ids[bound].loop == owner_of(writer))
        bound = ids[bound].clones + loop->factor;
    emit(writer, compare, (uint32_t[]){loop->bool_type, loop->limit, bound, loop->low}, 4);
    emit(writer, SpvOpISub, (uint32_t[]){loop->bound_type, loop->limit + 1, bound, loop->distance}, 4);
    emit(writer, SpvOpSelect,
         (uint32_t[]){loop->bound_type, loop->limit + 2, loop->limit, loop->least, loop->limit + 1}, 5);
}

/* The header's phis: those of the main loop, or those of the rest. */
static void emit_phis(struct writer *writer, bool is_rest)
{
    const struct vulkan_unroll_loop *loop = writer->loop;
    for (const uint32_t *at = next_of(loop->header); at != loop->merge; at = next_of(at)) {
        if (vulkan_opcode(at) != SpvOpPhi)
            continue;
        uint32_t *words = emit_copy(writer, at);
        uint32_t before = at[4] == loop->latch ? 5 : 3, after = 8 - before;
        if (is_rest) {
            words[before]     = id_in(writer, at[2], 0);
            words[before + 1] = loop->end;
            continue;
        }
        words[2]          = id_in(writer, at[2], 0);
        words[before + 1] = loop->header[1];
        words[after]      = id_in(writer, at[after], loop->factor - 1);
        words[after + 1]  = loop->again;
    }
}

static void emit_main(struct writer *writer)
{
    const struct vulkan_unroll_loop *loop = writer->loop;
    uint32_t compare                      = loop->is_signed ? SpvOpSLessThan : SpvOpULessThan;
    emit_label(writer, loop->header[1]);
    emit_limit(writer);
    emit_branch(writer, loop->main);
    emit_label(writer, loop->main);
    emit_phis(writer, false);
    emit(writer, compare,
         (uint32_t[]){loop->bool_type, loop->limit + 3, id_in(writer, loop->counter, 0), loop->limit + 2}, 4);
    emit(writer, SpvOpLoopMerge, (uint32_t[]){loop->end, loop->again, SpvLoopControlMaskNone}, 3);
    emit(writer, SpvOpBranchConditional,
         (uint32_t[]){loop->limit + 3, id_in(writer, loop->body, 0), loop->end}, 3);
    for (uint32_t round = 0; round < loop->factor; round++)
        emit_round(writer, round);
    emit_label(writer, loop->again);
    emit_branch(writer, loop->main);
    emit_label(writer, loop->end);
    emit_branch(writer, loop->rest);
    emit_label(writer, loop->rest);
    emit_phis(writer, true);
}

/* ---- everything ------------------------------------------------------------------------------------- */

/* Writes an instruction of the old blocks: what named an old header names its rest, except branches into the
 * loop. */
static void emit_old(struct writer *writer, const uint32_t *at, uint32_t label)
{
    const struct vulkan_unroll *unroll = writer->unroll;
    uint32_t *words                    = emit_copy(writer, at);
    for (uint32_t i = 4; i < vulkan_length(at) && vulkan_opcode(at) == SpvOpPhi; i += 2)
        if (unroll->ids[at[i]].header_of != 0)
            words[i] = unroll->loops[unroll->ids[at[i]].header_of - 1].rest;
    if (vulkan_opcode(at) != SpvOpBranch || unroll->ids[at[1]].header_of == 0)
        return;
    const struct vulkan_unroll_loop *loop = &unroll->loops[unroll->ids[at[1]].header_of - 1];
    if (loop->latch == label)
        words[1] = loop->rest;
}

/* A few rounds that are left are not to be unrolled: neither by a second pass, nor by the driver. */
static void emit_rest_merge(struct writer *writer, const struct vulkan_unroll_loop *loop, const uint32_t *at)
{
    uint32_t *words = emit_copy(writer, at);
    bool has_few    = loop->factor <= VULKAN_UNROLL_LEAST || writer->unroll->wanted != VULKAN_UNROLL_AUTO;
    if (has_few && (at[3] & ~(uint32_t)SpvLoopControlUnrollMask) == 0)
        words[3] = SpvLoopControlDontUnrollMask;
}

static uint64_t words_of(const struct vulkan_unroll *unroll, const struct vulkan_unroll_loop *loop)
{
    uint32_t left = loop->block_count, owner = (uint32_t)(loop - unroll->loops) + 1;
    uint64_t words = (uint64_t)(loop->merge - loop->header);
    for (const uint32_t *at = next_of(loop->header); left != 0; at = next_of(at)) {
        if (vulkan_opcode(at) != SpvOpLabel || unroll->ids[at[1]].loop != owner)
            continue;
        const uint32_t *begin = at;
        while (!is_terminator(at))
            at = next_of(at);
        words += (uint64_t)(next_of(at) - begin);
        left--;
    }
    return words;
}

uint64_t vulkan_unroll_capacity(const struct vulkan_unroll *unroll)
{
    const uint32_t *end = unroll->shader->words + unroll->shader->count;
    uint64_t words      = unroll->shader->count;
    for (uint32_t i = 0; i < unroll->loop_count; i++)
        words += words_of(unroll, &unroll->loops[i]) * (unroll->loops[i].factor + 2) + EXTRA_WORDS;
    for (const uint32_t *at                                 = unroll->shader->words + VULKAN_HEADER_WORDS;
         at < end && vulkan_opcode(at) != SpvOpFunction; at = next_of(at))
        if (vulkan_opcode(at) == SpvOpDecorate && unroll->ids[at[1]].loop != 0)
            words += (uint64_t)vulkan_length(at) * unroll->loops[unroll->ids[at[1]].loop - 1].factor;
    return words;
}

/* Is it a phi of an unrolled loop's header, which emit_main() has written? */
static bool is_written(const struct vulkan_unroll *unroll, const uint32_t *at, uint32_t label)
{
    return vulkan_opcode(at) == SpvOpPhi && unroll->ids[label].header_of != 0;
}

uint64_t vulkan_unroll_write(const struct vulkan_unroll *unroll, uint32_t *words)
{
    struct writer writer = {.unroll = unroll, .out = words, .written = VULKAN_HEADER_WORDS};
    const uint32_t *end  = unroll->shader->words + unroll->shader->count;
    bool has_constants   = false;
    uint32_t label       = 0;
    memcpy(words, unroll->shader->words, VULKAN_HEADER_WORDS * sizeof(uint32_t));
    words[VULKAN_HEADER_BOUND] = unroll->next_id;
    for (const uint32_t *at = unroll->shader->words + VULKAN_HEADER_WORDS; at < end; at = next_of(at)) {
        uint32_t opcode = vulkan_opcode(at);
        for (uint32_t i = 0; opcode == SpvOpFunction && !has_constants && i < unroll->loop_count; i++)
            emit_constants(&writer, &unroll->loops[i]);
        has_constants |= opcode == SpvOpFunction;
        if (opcode == SpvOpLabel)
            label = at[1];
        if (opcode == SpvOpLabel && unroll->ids[label].header_of != 0) {
            writer.loop = &unroll->loops[unroll->ids[label].header_of - 1];
            emit_main(&writer);
        } else if (opcode == SpvOpDecorate) {
            emit_decoration(&writer, at);
        } else if (opcode == SpvOpLoopMerge && unroll->ids[label].header_of != 0) {
            emit_rest_merge(&writer, &unroll->loops[unroll->ids[label].header_of - 1], at);
        } else if (!is_written(unroll, at, label)) {
            emit_old(&writer, at, label);
        }
    }
    return writer.written;
}
