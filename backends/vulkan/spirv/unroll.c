/* vulkan backend: finds loops that can be unrolled.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/spirv/unroll_internal.h"

#include "backends/vulkan/spirv/coarsen_internal.h"
#include "backends/vulkan/spirv/words.h"

#define BOUND_MOST 0x3fffffu  /* highest id bound that SPIR-V guarantees */
#define BLOCKS_MOST 32u       /* of a loop */
#define DISTANCE_MOST 0x7fffu /* so that a distance of all rounds fits in 31 bits */

/* How many rounds a turn does: as many as make this number of instructions. A body that loads gets no more
 * than FACTOR_OF_LOADS, since values that are loaded early take registers. */
#define INSTRUCTIONS_OF_TURN 128u
#define FACTOR_LEAST VULKAN_UNROLL_LEAST
#define FACTOR_OF_LOADS 4u

static const uint32_t *begin_of(const struct vulkan_unroll *unroll)
{
    return unroll->shader->words + VULKAN_HEADER_WORDS;
}

static const uint32_t *end_of(const struct vulkan_unroll *unroll)
{
    return unroll->shader->words + unroll->shader->count;
}

static const uint32_t *next_of(const uint32_t *at)
{
    return at + vulkan_length(at);
}

static bool is_branch(const uint32_t *at)
{
    return vulkan_opcode(at) == SpvOpBranch || vulkan_opcode(at) == SpvOpBranchConditional;
}

/* ---- ids ------------------------------------------------------------------------------------------- */

/* The word with the id that an instruction makes; 0: none that is needed here. */
static uint32_t result_word(const uint32_t *at)
{
    switch (vulkan_opcode(at)) {
    case SpvOpLabel:
    case SpvOpTypeInt:
    case SpvOpTypePointer:
        return 1;
    case SpvOpConstant:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantOp:
    case SpvOpPhi:
        return 2;
    default:
        return vulkan_coarsen_form(at).has_result ? 2 : 0;
    }
}

static void note_ids(struct vulkan_unroll *unroll)
{
    const uint32_t *end = end_of(unroll);
    for (const uint32_t *at = begin_of(unroll); at < end; at = next_of(at))
        if (result_word(at) != 0)
            unroll->ids[at[result_word(at)]].at = at;
}

static uint32_t opcode_of(const struct vulkan_unroll *unroll, uint32_t id)
{
    return unroll->ids[id].at != NULL ? vulkan_opcode(unroll->ids[id].at) : SpvOpNop;
}

/* Reads a constant of 32 bits whose value is known. */
static bool constant_of(const struct vulkan_unroll *unroll, uint32_t id, uint32_t *value)
{
    const uint32_t *at = unroll->ids[id].at;
    if (opcode_of(unroll, id) != SpvOpConstant || vulkan_length(at) != 4 ||
        opcode_of(unroll, at[1]) != SpvOpTypeInt)
        return false;
    *value = at[3];
    return true;
}

static bool is_constant(const struct vulkan_unroll *unroll, uint32_t id)
{
    uint32_t opcode = opcode_of(unroll, id);
    return opcode == SpvOpConstant || opcode == SpvOpSpecConstant || opcode == SpvOpSpecConstantOp;
}

static bool is_int32(const struct vulkan_unroll *unroll, uint32_t type)
{
    return opcode_of(unroll, type) == SpvOpTypeInt && unroll->ids[type].at[2] == 32;
}

/* ---- blocks ---------------------------------------------------------------------------------------- */

/* The blocks of the loop that is looked at, without its header. */
struct blocks {
    uint32_t labels[BLOCKS_MOST];
    uint32_t count;
    uint32_t to_continue;  /* branches to the continue target */
    uint32_t instructions; /* of a round */
    bool loads;
};

static bool is_block(const struct blocks *blocks, uint32_t label)
{
    for (uint32_t i = 0; i < blocks->count; i++)
        if (blocks->labels[i] == label)
            return true;
    return false;
}

/* Follows a branch from block `from`. False if it leaves the loop, or begins its next turn on a condition. */
static bool follow(const struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop, struct blocks *blocks,
                   uint32_t from, uint32_t to, bool is_only)
{
    if (to == loop->merge[1])
        return false;
    if (to == loop->header[1]) {
        if (!is_only || loop->latch != 0)
            return false;
        loop->latch = from;
        return true;
    }
    /* A copy of the continue target is a block like others, which only one may come to. */
    if (to == loop->merge[2] && (!is_only || blocks->to_continue++ != 0))
        return false;
    if (is_block(blocks, to))
        return true;
    if (blocks->count == BLOCKS_MOST || opcode_of(unroll, to) != SpvOpLabel)
        return false;
    blocks->labels[blocks->count++] = to;
    return true;
}

static bool is_argument(const struct vulkan_unroll *unroll, const uint32_t *load)
{
    const uint32_t *pointer = unroll->ids[load[3]].at;
    const uint32_t *type    = pointer != NULL ? unroll->ids[pointer[1]].at : NULL;
    return type != NULL && vulkan_opcode(type) == SpvOpTypePointer && type[2] == SpvStorageClassPushConstant;
}

/* Notes an instruction that a round repeats. False for one that cannot be repeated. */
static bool note_step(const struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop,
                      struct blocks *blocks, const uint32_t *at)
{
    uint32_t opcode = vulkan_opcode(at);
    if (opcode == SpvOpLine || opcode == SpvOpNoLine || opcode == SpvOpNop || opcode == SpvOpSelectionMerge)
        return true;
    if (opcode == SpvOpVariable || (opcode != SpvOpPhi && vulkan_coarsen_form(at).first == 0))
        return false;
    bool is_load = opcode == SpvOpLoad && !is_argument(unroll, at);
    blocks->loads |= is_load;
    loop->stores |= opcode == SpvOpStore;
    blocks->instructions += opcode != SpvOpAccessChain && opcode != SpvOpInBoundsAccessChain &&
                            opcode != SpvOpPhi && (opcode != SpvOpLoad || is_load);
    return true;
}

static bool scan_block(const struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop,
                       struct blocks *blocks, uint32_t label)
{
    const uint32_t *at = next_of(unroll->ids[label].at);
    for (; !is_branch(at); at = next_of(at))
        if (!note_step(unroll, loop, blocks, at))
            return false;
    if (vulkan_opcode(at) == SpvOpBranch)
        return follow(unroll, loop, blocks, label, at[1], true);
    return follow(unroll, loop, blocks, label, at[2], false) &&
           follow(unroll, loop, blocks, label, at[3], false);
}

/* The phis of a block name blocks of the loop alone, which have copies in each round: neither the header, as
 * those of the first block do, nor blocks that are never reached. */
static bool check_phis(const struct vulkan_unroll *unroll, const struct blocks *blocks, uint32_t label)
{
    for (const uint32_t *at = next_of(unroll->ids[label].at); !is_branch(at); at = next_of(at))
        for (uint32_t i = 4; i < vulkan_length(at) && vulkan_opcode(at) == SpvOpPhi; i += 2)
            if (!is_block(blocks, at[i]))
                return false;
    return true;
}

static bool scan_blocks(const struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop,
                        struct blocks *blocks)
{
    blocks->labels[blocks->count++] = loop->body;
    blocks->to_continue             = loop->body == loop->merge[2];
    for (uint32_t i = 0; i < blocks->count; i++)
        if (!scan_block(unroll, loop, blocks, blocks->labels[i]))
            return false;
    for (uint32_t i = 0; i < blocks->count; i++)
        if (!check_phis(unroll, blocks, blocks->labels[i]))
            return false;
    return loop->latch != 0;
}

/* ---- the header ------------------------------------------------------------------------------------ */

/* Marks what does not change while the loop runs: made of constants, arguments, and values from before. */
static void mark_stay(struct vulkan_unroll *unroll, const struct vulkan_unroll_loop *loop, const uint32_t *at)
{
    struct vulkan_coarsen_form form = vulkan_coarsen_form(at);
    bool stays                      = form.has_result;
    if (vulkan_opcode(at) == SpvOpLoad)
        stays = is_argument(unroll, at);
    for (uint32_t i = form.first; i < form.end && stays; i++) {
        const struct vulkan_unroll_id *id = &unroll->ids[at[i]];
        stays = i == form.literal || id->loop != loop - unroll->loops + 1u || id->stays;
    }
    if (form.has_result)
        unroll->ids[at[2]].stays = stays;
}

/* Each phi has one value from before the loop and one from the latch. */
static bool check_phi(const struct vulkan_unroll_loop *loop, const uint32_t *phi)
{
    return vulkan_length(phi) == 7 && (phi[4] == loop->latch) != (phi[6] == loop->latch);
}

static uint32_t next_value(const struct vulkan_unroll_loop *loop, const uint32_t *phi)
{
    return phi[4] == loop->latch ? phi[3] : phi[5];
}

/* Reads `id` as a base plus a constant; a value that is no such sum is its own base. */
static uint32_t base_of(const struct vulkan_unroll *unroll, uint32_t id, uint32_t *ahead)
{
    const uint32_t *at = unroll->ids[id].at;
    *ahead             = 0;
    if (opcode_of(unroll, id) != SpvOpIAdd)
        return id;
    for (uint32_t i = 3; i < 5; i++)
        if (constant_of(unroll, at[7 - i], ahead))
            return at[i];
    return id;
}

/* Reads the condition on which the loop goes on. */
static bool read_comparison(const struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop,
                            uint32_t condition, bool leaves_if_true)
{
    static const struct {
        SpvOp opcode, opposite;
        bool is_signed, is_inclusive, counter_last;
    } forms[] = {
        {SpvOpULessThan, SpvOpUGreaterThanEqual, false, false, false},
        {SpvOpULessThanEqual, SpvOpUGreaterThan, false, true, false},
        {SpvOpSLessThan, SpvOpSGreaterThanEqual, true, false, false},
        {SpvOpSLessThanEqual, SpvOpSGreaterThan, true, true, false},
        {SpvOpUGreaterThan, SpvOpULessThanEqual, false, false, true},
        {SpvOpUGreaterThanEqual, SpvOpULessThan, false, true, true},
        {SpvOpSGreaterThan, SpvOpSLessThanEqual, true, false, true},
        {SpvOpSGreaterThanEqual, SpvOpSLessThan, true, true, true},
    };
    const uint32_t *at = unroll->ids[condition].at;
    for (uint32_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (opcode_of(unroll, condition) != (leaves_if_true ? forms[i].opposite : forms[i].opcode))
            continue;
        loop->is_signed    = forms[i].is_signed;
        loop->is_inclusive = forms[i].is_inclusive;
        loop->counter      = base_of(unroll, at[forms[i].counter_last ? 4 : 3], &loop->ahead);
        loop->bound        = at[forms[i].counter_last ? 3 : 4];
        loop->bool_type    = at[1];
        return true;
    }
    return false;
}

/* The counter is a phi of this header that grows by a constant. */
static bool read_counter(const struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop)
{
    const struct vulkan_unroll_id *counter = &unroll->ids[loop->counter];
    if (opcode_of(unroll, loop->counter) != SpvOpPhi || counter->loop != loop - unroll->loops + 1u ||
        !is_int32(unroll, counter->at[1]))
        return false;
    return base_of(unroll, next_value(loop, counter->at), &loop->step) == loop->counter && loop->step != 0 &&
           loop->step <= DISTANCE_MOST && loop->ahead <= DISTANCE_MOST;
}

/* The bound stays, and is no constant: the driver knows how often such a loop runs. */
static bool read_bound(const struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop)
{
    const struct vulkan_unroll_id *bound = &unroll->ids[loop->bound];
    if (bound->at == NULL || is_constant(unroll, loop->bound) ||
        (bound->loop == loop - unroll->loops + 1u && !bound->stays))
        return false;
    loop->bound_type = bound->at[1];
    return is_int32(unroll, loop->bound_type);
}

/* Reads the header, whose phis come first, and marks its ids as the loop's. */
static bool scan_header(struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop, struct blocks *blocks)
{
    for (const uint32_t *at = next_of(loop->header); at != loop->merge; at = next_of(at)) {
        if (vulkan_opcode(at) == SpvOpPhi ? !check_phi(loop, at) : !note_step(unroll, loop, blocks, at))
            return false;
        if (result_word(at) == 0)
            continue;
        unroll->ids[at[2]].loop = (uint32_t)(loop - unroll->loops) + 1;
        if (vulkan_opcode(at) != SpvOpPhi)
            mark_stay(unroll, loop, at);
    }
    return !loop->stores;
}

/* ---- loops ----------------------------------------------------------------------------------------- */

static uint32_t factor_for(const struct vulkan_unroll *unroll, const struct blocks *blocks)
{
    uint32_t factor = unroll->most;
    if (unroll->wanted != VULKAN_UNROLL_AUTO)
        return unroll->wanted;
    while (factor >= FACTOR_LEAST && (factor * blocks->instructions > INSTRUCTIONS_OF_TURN ||
                                      (blocks->loads && factor > FACTOR_OF_LOADS)))
        factor /= 2;
    return factor >= FACTOR_LEAST ? factor : 0;
}

/* Marks or unmarks the ids of the header and of the blocks as the loop's. */
static void set_owner(struct vulkan_unroll *unroll, const struct vulkan_unroll_loop *loop,
                      const struct blocks *blocks, uint32_t owner)
{
    for (const uint32_t *at = next_of(loop->header); at != loop->merge; at = next_of(at))
        if (result_word(at) != 0)
            unroll->ids[at[2]].loop = owner;
    for (uint32_t i = 0; i < blocks->count; i++) {
        const uint32_t *at      = unroll->ids[blocks->labels[i]].at;
        unroll->ids[at[1]].loop = owner;
        for (at = next_of(at); !is_branch(at); at = next_of(at))
            if (result_word(at) != 0)
                unroll->ids[at[2]].loop = owner;
    }
}

static uint32_t take_ids(struct vulkan_unroll *unroll, uint32_t count)
{
    unroll->next_id += count;
    return unroll->next_id - count;
}

/* Gives each id of the loop its clones, and the new blocks and constants their ids. */
static void name_clones(struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop)
{
    uint32_t owner = (uint32_t)(loop - unroll->loops) + 1;
    loop->main     = take_ids(unroll, 7);
    loop->again    = loop->main + 1;
    loop->end      = loop->main + 2;
    loop->rest     = loop->main + 3;
    loop->low      = loop->main + 4;
    loop->least    = loop->main + 5;
    loop->distance = loop->main + 6;
    loop->limit    = take_ids(unroll, 4);
    for (uint32_t id = 0; id < unroll->bound; id++)
        if (unroll->ids[id].loop == owner)
            unroll->ids[id].clones = take_ids(unroll, loop->factor + 1);
    unroll->ids[loop->header[1]].header_of = owner;
}

static bool scan_loop(struct vulkan_unroll *unroll, struct vulkan_unroll_loop *loop, struct blocks *blocks)
{
    const uint32_t *branch = next_of(loop->merge);
    if (vulkan_opcode(branch) != SpvOpBranchConditional || (loop->merge[3] & SpvLoopControlDontUnrollMask))
        return false;
    bool leaves_if_true = branch[2] == loop->merge[1];
    loop->body          = branch[leaves_if_true ? 3 : 2];
    if (leaves_if_true == (branch[3] == loop->merge[1]) || opcode_of(unroll, loop->body) != SpvOpLabel ||
        loop->body == loop->header[1])
        return false;
    if (!scan_blocks(unroll, loop, blocks))
        return false;
    bool stores  = loop->stores;
    loop->stores = false;
    bool is_fit  = scan_header(unroll, loop, blocks);
    loop->stores = stores;
    loop->factor = factor_for(unroll, blocks);
    return is_fit && loop->factor > 1 && read_comparison(unroll, loop, branch[1], leaves_if_true) &&
           read_counter(unroll, loop) && read_bound(unroll, loop);
}

static void try_loop(struct vulkan_unroll *unroll, const uint32_t *header, const uint32_t *merge)
{
    struct vulkan_unroll_loop *loop = &unroll->loops[unroll->loop_count];
    struct blocks blocks            = {.count = 0};
    *loop                           = (struct vulkan_unroll_loop){.header = header, .merge = merge};
    bool is_fit                     = scan_loop(unroll, loop, &blocks);
    uint64_t needed                 = unroll->next_id + (uint64_t)unroll->bound * (VULKAN_UNROLL_MOST + 1);
    if (!is_fit || needed > BOUND_MOST) {
        blocks.count = 0;
        set_owner(unroll, loop, &blocks, 0);
        return;
    }
    loop->block_count = blocks.count;
    set_owner(unroll, loop, &blocks, ++unroll->loop_count);
    name_clones(unroll, loop);
}

/* False if the module has something that cannot be repeated. */
static bool may_unroll(const struct vulkan_unroll *unroll)
{
    for (const uint32_t *at = begin_of(unroll); at < end_of(unroll) && vulkan_opcode(at) != SpvOpFunction;
         at                 = next_of(at))
        if (vulkan_opcode(at) == SpvOpDecorationGroup || vulkan_opcode(at) == SpvOpDecorateId ||
            (vulkan_opcode(at) == SpvOpDecorate && at[2] == SpvDecorationVolatile) ||
            (vulkan_opcode(at) == SpvOpMemberDecorate && at[3] == SpvDecorationVolatile))
            return false;
    return true;
}

static uint32_t count_loops(const struct vulkan_unroll *unroll)
{
    uint32_t count = 0;
    for (const uint32_t *at = begin_of(unroll); at < end_of(unroll); at = next_of(at))
        count += vulkan_opcode(at) == SpvOpLoopMerge;
    return count;
}

static void find_loops(struct vulkan_unroll *unroll)
{
    const uint32_t *header = NULL;
    note_ids(unroll);
    for (const uint32_t *at = begin_of(unroll); at < end_of(unroll); at = next_of(at)) {
        if (vulkan_opcode(at) == SpvOpLabel)
            header = at;
        if (vulkan_opcode(at) == SpvOpLoopMerge && header != NULL)
            try_loop(unroll, header, at);
    }
}

/* ---- the shader ------------------------------------------------------------------------------------ */

static int32_t write_shader(const struct trm_backend_instance *instance, const struct vulkan_unroll *unroll,
                            struct vulkan_shader *shader)
{
    struct vulkan_shader made = {.capacity = vulkan_unroll_capacity(unroll)};
    made.words                = trm_util_allocate(instance->host, made.capacity * sizeof(uint32_t));
    if (made.words == NULL)
        return trm_util_fail_host_memory(instance->host, "the code of a module");
    made.count = vulkan_unroll_write(unroll, made.words);
    vulkan_shader_release(instance, shader);
    *shader = made;
    return TRM_OK;
}

/* One pass over the module; with VULKAN_UNROLL_AUTO a turn has at most `most` rounds. */
static int32_t unroll_once(const struct trm_backend_instance *instance, struct vulkan_shader *shader,
                           uint32_t factor, uint32_t most)
{
    uint32_t bound              = shader->words[VULKAN_HEADER_BOUND];
    struct vulkan_unroll unroll = {
        .shader = shader, .wanted = factor, .most = most, .bound = bound, .next_id = bound};
    unroll.loop_capacity = count_loops(&unroll);
    uint64_t id_bytes    = bound * sizeof(*unroll.ids);
    uint64_t loop_bytes  = unroll.loop_capacity * sizeof(*unroll.loops);
    int32_t status       = TRM_OK;
    if (unroll.loop_capacity == 0 || !may_unroll(&unroll))
        return TRM_OK;
    unroll.ids   = trm_util_allocate(instance->host, id_bytes);
    unroll.loops = trm_util_allocate(instance->host, loop_bytes);
    if (unroll.ids == NULL || unroll.loops == NULL)
        status = trm_util_fail_host_memory(instance->host, "the code of a module");
    else
        find_loops(&unroll);
    if (status == TRM_OK && unroll.loop_count != 0)
        status = write_shader(instance, &unroll, shader);
    trm_util_release(instance->host, unroll.loops, loop_bytes);
    trm_util_release(instance->host, unroll.ids, id_bytes);
    return status;
}

int32_t vulkan_unroll(const struct trm_backend_instance *instance, struct vulkan_shader *shader,
                      uint32_t factor)
{
    int32_t status = unroll_once(instance, shader, factor, VULKAN_UNROLL_MOST);
    /* The rest of a loop with many rounds in a turn is a loop like others. */
    if (status == TRM_OK && factor == VULKAN_UNROLL_AUTO)
        status = unroll_once(instance, shader, factor, VULKAN_UNROLL_LEAST);
    return status;
}
