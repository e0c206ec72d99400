/* vulkan backend: which kernels an invocation may do several of, and what their instructions are.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/spirv/coarsen_internal.h"

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/words.h"

#define BOUND_MOST 0x3fffffu /* that SPIR-V promises */
#define STEPS_AWAY_MOST 64u  /* instructions between a branch and the end that it leads to */
#define BLOCKS_MOST 64u      /* behind a branch whose ways meet again */
#define STRETCHES_MOST 256u  /* of the way, from branch to branch */
#define LENGTH_MOST 0xffffu  /* words of an instruction */

/* Who does more than this has enough to do while memory is on its way, and several of it want more registers than leave room for
 * others: the longest built-in kernel that memory bounds has 130. */
#define STEPS_MOST 256u

/* What an operand of a load or store may say of it: that it is aligned, and not to be kept in caches. */
#define PLAIN_ACCESS (SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask)

/* ---- instructions -------------------------------------------------------------------------------- */

static struct vulkan_several_form ids_from(uint32_t first, uint32_t end)
{
    return (struct vulkan_several_form){.first = first, .end = end, .has_result = true};
}

/* All their operands are ids, and what they do is a matter of these alone. */
static bool is_plain(uint32_t opcode)
{
    return (opcode >= SpvOpConvertFToU && opcode <= SpvOpConvertUToPtr) || opcode == SpvOpBitcast ||
           (opcode >= SpvOpSNegate && opcode <= SpvOpSMulExtended) ||
           (opcode >= SpvOpAny && opcode <= SpvOpFUnordGreaterThanEqual) ||
           (opcode >= SpvOpShiftRightLogical && opcode <= SpvOpBitCount) || opcode == SpvOpAccessChain ||
           opcode == SpvOpInBoundsAccessChain || opcode == SpvOpVectorExtractDynamic ||
           opcode == SpvOpVectorInsertDynamic || opcode == SpvOpCompositeConstruct ||
           opcode == SpvOpCopyObject || opcode == SpvOpTranspose || opcode == SpvOpCopyLogical ||
           opcode == SpvOpUndef;
}

static bool is_plain_access(const uint32_t *at, uint32_t operand)
{
    return vulkan_length(at) <= operand || (at[operand] & ~(uint32_t)PLAIN_ACCESS) == 0;
}

struct vulkan_several_form vulkan_several_form(const uint32_t *at)
{
    const struct vulkan_several_form none = {.first = 0};
    struct vulkan_several_form form;
    switch (vulkan_opcode(at)) {
    case SpvOpVariable: /* its storage class, which may be followed by what it begins with */
        return ids_from(4, vulkan_length(at));
    case SpvOpLoad:
        return is_plain_access(at, 4) ? ids_from(3, 4) : none;
    case SpvOpStore:
        form = (struct vulkan_several_form){.first = 1, .end = 3};
        return is_plain_access(at, 3) ? form : none;
    case SpvOpCompositeExtract:
    case SpvOpArrayLength:
        return ids_from(3, 4);
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return ids_from(3, 5);
    case SpvOpExtInst: /* its set, and its number there */
        form         = ids_from(3, vulkan_length(at));
        form.literal = 4;
        return form;
    default:
        return is_plain(vulkan_opcode(at)) ? ids_from(3, vulkan_length(at)) : none;
    }
}

static bool says_nothing(uint32_t opcode)
{
    return opcode == SpvOpLine || opcode == SpvOpNoLine || opcode == SpvOpNop;
}

/* ---- what stands before the functions ------------------------------------------------------------- */

/* Where instructions end, and the functions begin. */
static const uint32_t *end_of(const struct vulkan_several *several)
{
    return several->shader->words + several->shader->count;
}

static const uint32_t *begin_of(const struct vulkan_several *several)
{
    return several->shader->words + VULKAN_HEADER_WORDS;
}

static bool find_entry(struct vulkan_several *several, uint32_t index)
{
    const uint32_t *end = end_of(several);
    for (const uint32_t *at = begin_of(several); at < end && several->entry == NULL; at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpEntryPoint && index-- == 0)
            several->entry = at;
    return several->entry != NULL && vulkan_length(several->entry) < LENGTH_MOST; /* it becomes longer */
}

/* Of this entry point alone. */
static bool find_function(struct vulkan_several *several)
{
    const uint32_t *end = end_of(several);
    for (const uint32_t *at = begin_of(several); at < end && several->function == NULL;
         at += vulkan_length(at)) {
        bool is_its = (vulkan_opcode(at) == SpvOpFunction || vulkan_opcode(at) == SpvOpEntryPoint) &&
                      at[2] == several->entry[2];
        if (is_its && vulkan_opcode(at) == SpvOpFunction)
            several->function = at;
        else if (is_its && at != several->entry)
            return false;
    }
    return several->function != NULL;
}

static bool is_listed(const struct vulkan_several *several, uint32_t variable)
{
    const uint32_t *entry = several->entry;
    for (uint32_t i = 3 + vulkan_text_words(entry + 3); i < vulkan_length(entry); i++)
        if (entry[i] == variable)
            return true;
    return false;
}

/* There may be one variable for each entry point. */
static void note_builtin(struct vulkan_several *several, uint32_t variable, uint32_t builtin)
{
    bool is_ours = is_listed(several, variable);
    if (builtin == SpvBuiltInGlobalInvocationId && is_ours)
        several->place = variable;
    if (builtin != SpvBuiltInLocalInvocationId || several->lists_local)
        return;
    several->local       = variable;
    several->lists_local = is_ours;
}

static uint8_t kind_of_variable(const struct vulkan_several *several, const uint32_t *at)
{
    if (at[2] == several->place)
        return SEVERAL_PLACE;
    return at[3] == SpvStorageClassStorageBuffer || at[3] == SpvStorageClassPushConstant ? SEVERAL_SHARED
                                                                                         : SEVERAL_FOREIGN;
}

/* False: there is something that it cannot be told of what it means. */
static bool note_global(struct vulkan_several *several, const uint32_t *at)
{
    switch (vulkan_opcode(at)) {
    case SpvOpExtInstImport:
        if (strcmp(vulkan_text_at(at + 2), "GLSL.std.450") != 0)
            several->kinds[at[1]] = SEVERAL_FOREIGN;
        return true;
    case SpvOpDecorate:
        if (at[2] == SpvDecorationBuiltIn)
            note_builtin(several, at[1], at[3]);
        return at[2] != SpvDecorationVolatile;
    case SpvOpMemberDecorate:
        return at[3] != SpvDecorationVolatile;
    case SpvOpConstant:
        if (vulkan_length(at) == 4)
            several->kinds[at[2]] = at[3] == 0 ? SEVERAL_ZERO : SEVERAL_NUMBER;
        return true;
    case SpvOpVariable:
        several->kinds[at[2]] = kind_of_variable(several, at);
        if (at[2] == several->place)
            several->place_pointer = at[1];
        if (at[2] == several->local)
            several->local_pointer = at[1];
        return true;
    case SpvOpTypeInt:
        several->has_long |= at[2] == 64;
        return true;
    case SpvOpDecorationGroup:
    case SpvOpDecorateId:
        return false;
    default:
        return true;
    }
}

/* The types behind the variable, from the back to the front: each stands before those that use it. */
static bool find_types(struct vulkan_several *several, const uint32_t *end)
{
    for (const uint32_t *at = begin_of(several); at < end; at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpTypePointer && at[1] == several->place_pointer)
            several->place_vector = at[3];
    for (const uint32_t *at = begin_of(several); at < end; at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpTypeVector && at[1] == several->place_vector)
            several->place_number = at[2];
    return several->place_number != 0;
}

static bool read_globals(struct vulkan_several *several)
{
    const uint32_t *end = end_of(several), *at = begin_of(several);
    for (; at < end && vulkan_opcode(at) != SpvOpFunction; at += vulkan_length(at))
        if (!note_global(several, at))
            return false;
    bool is_alike = several->local == 0 || several->local_pointer == several->place_pointer;
    return several->place != 0 && is_alike && find_types(several, at);
}

/* ---- the way -------------------------------------------------------------------------------------- */

/* Behind the label; NULL where the function has none of that number. */
static const uint32_t *block_of(const struct vulkan_several *several, uint32_t label)
{
    for (const uint32_t *at = several->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpLabel && at[1] == label)
            return at + vulkan_length(at);
    return NULL;
}

/* What no way leads to stays foreign. */
static void hide_labels(struct vulkan_several *several)
{
    for (const uint32_t *at = several->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpLabel)
            several->kinds[at[1]] = SEVERAL_FOREIGN;
}

static bool has_hidden_labels(const struct vulkan_several *several)
{
    for (const uint32_t *at = several->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpLabel && several->kinds[at[1]] == SEVERAL_FOREIGN)
            return true;
    return false;
}

/* The way goes on with this block. */
static const uint32_t *enter(struct vulkan_several *several, uint32_t label)
{
    several->kinds[label] = SEVERAL_SHARED;
    return block_of(several, label);
}

/* Where a branch without a choice leads to; 0: it is none. */
static uint32_t only_target(const uint32_t *at)
{
    if (vulkan_opcode(at) == SpvOpBranch)
        return at[1];
    return vulkan_opcode(at) == SpvOpSwitch && vulkan_length(at) == 3 ? at[2] : 0;
}

/* Does nothing happen from the label on but that the function returns? */
static bool is_way_out(const struct vulkan_several *several, uint32_t label)
{
    const uint32_t *at = block_of(several, label);
    for (uint32_t i = 0; i < STEPS_AWAY_MOST && at != NULL; i++) {
        if (vulkan_opcode(at) == SpvOpReturn)
            return true;
        if (says_nothing(vulkan_opcode(at)) || vulkan_opcode(at) == SpvOpSelectionMerge)
            at += vulkan_length(at);
        else
            at = only_target(at) != 0 ? block_of(several, only_target(at)) : NULL;
    }
    return false;
}

/* It is one: its blocks are known, though they are left out. */
static void leave_by(struct vulkan_several *several, uint32_t label)
{
    const uint32_t *at = enter(several, label);
    while (vulkan_opcode(at) != SpvOpReturn)
        at = only_target(at) != 0 ? enter(several, only_target(at)) : at + vulkan_length(at);
}

static bool may_use(const struct vulkan_several *several, const uint32_t *at, uint32_t operand)
{
    uint32_t opcode = vulkan_opcode(at);
    switch (several->kinds[at[operand]]) {
    case SEVERAL_FOREIGN:
        return false;
    case SEVERAL_PLACE:
        return opcode == SpvOpLoad || (opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain);
    case SEVERAL_PLACE_X:
        return opcode == SpvOpLoad;
    default:
        return true;
    }
}

/* A pointer into the variable: which component it is for has to be known. */
static bool note_pointer(struct vulkan_several *several, const uint32_t *at)
{
    if (vulkan_length(at) != 5)
        return false;
    uint8_t index = several->kinds[at[4]];
    if (index == SEVERAL_ZERO)
        several->kinds[at[2]] = SEVERAL_PLACE_X;
    return index == SEVERAL_ZERO || index == SEVERAL_NUMBER;
}

static uint8_t kind_here(const struct vulkan_several *several)
{
    return several->guard != 0 ? SEVERAL_AFTER : SEVERAL_BEFORE;
}

/* There is room for one more than there may be. */
static void add_step(struct vulkan_several *several, const uint32_t *at)
{
    if (several->count <= STEPS_MOST)
        several->steps[several->count++] = at;
}

static bool take_step(struct vulkan_several *several, const uint32_t *at)
{
    struct vulkan_several_form form = vulkan_several_form(at);
    if (form.first == 0)
        return false;
    for (uint32_t i = form.first; i < form.end; i++)
        if (i != form.literal && !may_use(several, at, i))
            return false;
    if (form.has_result)
        several->kinds[at[2]] = kind_here(several);
    add_step(several, at);
    bool is_pointer = vulkan_opcode(at) == SpvOpAccessChain || vulkan_opcode(at) == SpvOpInBoundsAccessChain;
    return !is_pointer || several->kinds[at[3]] != SEVERAL_PLACE || note_pointer(several, at);
}

/* ---- branches whose ways meet again ---------------------------------------------------------------- */

/* Where an instruction that ends a block may lead to: its words from `first` on, each `step`th; none: it is none such. */
struct targets {
    uint32_t first, end, step;
};

static struct targets targets_of(const struct vulkan_several *several, const uint32_t *at)
{
    switch (vulkan_opcode(at)) {
    case SpvOpBranch:
        return (struct targets){1, 2, 1};
    case SpvOpBranchConditional: /* weights may follow */
        return (struct targets){2, 4, 1};
    case SpvOpSwitch:
        return (struct targets){2, several->has_long ? 2 : vulkan_length(at), 2};
    default:
        return (struct targets){0, 0, 1};
    }
}

/* Labels of blocks that were not met yet are noted; how many those are. */
static uint32_t note_targets(struct vulkan_several *several, const uint32_t *at, uint32_t merge)
{
    struct targets targets = targets_of(several, at);
    uint32_t count         = 0;
    for (uint32_t i = targets.first; i < targets.end; i += targets.step) {
        uint8_t *kind = &several->kinds[at[i]];
        count += at[i] != merge && *kind != SEVERAL_INNER;
        if (at[i] != merge)
            *kind = SEVERAL_INNER;
    }
    return count;
}

static bool is_inner(const struct vulkan_several *several, const uint32_t *at)
{
    return vulkan_opcode(at) == SpvOpLabel && several->kinds[at[1]] == SEVERAL_INNER;
}

/* What the blocks lead to that were found in one passage through the function. */
static uint32_t note_further(struct vulkan_several *several, uint32_t merge)
{
    bool inner     = false;
    uint32_t count = 0;
    for (const uint32_t *at = several->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpLabel)
            inner = is_inner(several, at);
        if (inner)
            count += note_targets(several, at, merge);
    }
    return count;
}

/* All blocks from the branch on to where its ways meet. */
static bool find_inner(struct vulkan_several *several, const uint32_t *branch, uint32_t merge)
{
    uint32_t count = note_targets(several, branch, merge);
    for (uint32_t more = count; more != 0 && count <= BLOCKS_MOST; count += more)
        more = note_further(several, merge);
    return count != 0 && count <= BLOCKS_MOST;
}

/* A value is chosen by the block that was come from. */
static bool take_choice(struct vulkan_several *several, const uint32_t *at)
{
    for (uint32_t i = 3; i < vulkan_length(at); i += 2)
        if (several->kinds[at[i]] == SEVERAL_FOREIGN || several->kinds[at[i]] == SEVERAL_PLACE ||
            several->kinds[at[i]] == SEVERAL_PLACE_X)
            return false;
    several->kinds[at[2]] = kind_here(several);
    add_step(several, at);
    return true;
}

static bool take_inner(struct vulkan_several *several, const uint32_t *at)
{
    switch (vulkan_opcode(at)) {
    case SpvOpLabel:
        several->kinds[at[1]] = kind_here(several);
        add_step(several, at);
        return true;
    case SpvOpSelectionMerge: /* where these meet again is one of the blocks */
        add_step(several, at);
        return several->kinds[at[1]] == SEVERAL_INNER || several->kinds[at[1]] == kind_here(several);
    case SpvOpPhi:
        return take_choice(several, at);
    default:
        if (targets_of(several, at).end > 1) {
            add_step(several, at);
            return true;
        }
        return says_nothing(vulkan_opcode(at)) || take_step(several, at);
    }
}

static bool take_blocks(struct vulkan_several *several)
{
    bool inner = false;
    for (const uint32_t *at = several->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpLabel)
            inner = is_inner(several, at);
        if (inner && !take_inner(several, at))
            return false;
    }
    return true;
}

/* `at` is what follows OpSelectionMerge. What comes behind the place where its ways meet; NULL: they do not, or do something that no
 * such kernel does. */
static const uint32_t *take_branch(struct vulkan_several *several, const uint32_t *merge, const uint32_t *at)
{
    if (merge == NULL || !find_inner(several, at, merge[1]))
        return NULL;
    add_step(several, merge);
    add_step(several, at);
    if (!take_blocks(several))
        return NULL;
    const uint32_t *behind = block_of(several, merge[1]);
    if (behind == NULL)
        return NULL;
    several->kinds[merge[1]] = kind_here(several);
    add_step(several, behind - 2); /* its label */
    for (; vulkan_opcode(behind) == SpvOpPhi || says_nothing(vulkan_opcode(behind));
         behind += vulkan_length(behind))
        if (vulkan_opcode(behind) == SpvOpPhi && !take_choice(several, behind))
            return NULL;
    return behind;
}

/* ---- the way, from its beginning --------------------------------------------------------------------- */

/* bool: the type of the condition. */
static uint32_t type_of(const struct vulkan_several *several, uint32_t result)
{
    for (uint32_t i = 0; i < several->count; i++) {
        const uint32_t *at = several->steps[i];
        bool has_result    = vulkan_opcode(at) == SpvOpPhi || vulkan_several_form(at).has_result;
        if (has_result && at[2] == result)
            return at[1];
    }
    return 0;
}

/* A branch of which one way leads out, and the first such one: where the other begins; NULL: it is not like that. */
static const uint32_t *take_guard(struct vulkan_several *several, const uint32_t *at)
{
    if (vulkan_opcode(at) != SpvOpBranchConditional || several->guard != 0 ||
        several->kinds[at[1]] != SEVERAL_BEFORE)
        return NULL;
    bool first_leaves = is_way_out(several, at[2]), second_leaves = is_way_out(several, at[3]);
    if (first_leaves == second_leaves)
        return NULL;
    several->guard_type = type_of(several, at[1]);
    several->guard      = at[1];
    several->leaves     = first_leaves;
    several->before     = several->count;
    leave_by(several, first_leaves ? at[2] : at[3]);
    return enter(several, first_leaves ? at[3] : at[2]);
}

/* What follows the end of a block; NULL: it is of no such kernel. */
static const uint32_t *take_end(struct vulkan_several *several, const uint32_t *merge, const uint32_t *at)
{
    if (only_target(at) != 0)
        return enter(several, only_target(at));
    const uint32_t *next = take_guard(several, at);
    return next != NULL ? next : take_branch(several, merge, at);
}

static bool is_end(uint32_t opcode)
{
    return (opcode >= SpvOpBranch && opcode <= SpvOpUnreachable) || opcode == SpvOpLoopMerge;
}

/* A stretch for each turn. */
static bool walk(struct vulkan_several *several)
{
    const uint32_t *at = several->function + vulkan_length(several->function);
    if (vulkan_opcode(at) != SpvOpLabel)
        return false;
    at = enter(several, at[1]);
    for (uint32_t i = 0; i < STRETCHES_MOST && at != NULL && several->count <= STEPS_MOST; i++) {
        const uint32_t *merge = NULL;
        for (; !is_end(vulkan_opcode(at)); at += vulkan_length(at)) {
            if (vulkan_opcode(at) == SpvOpSelectionMerge)
                merge = at;
            else if (!says_nothing(vulkan_opcode(at)) && !take_step(several, at))
                return false;
        }
        if (vulkan_opcode(at) == SpvOpReturn)
            return true;
        at = take_end(several, merge, at);
    }
    return false;
}

/* Does anything happen at all, and differently for each item? */
static bool has_work(const struct vulkan_several *several)
{
    bool loads = false, stores = false;
    for (uint32_t i = 0; i < several->count; i++) {
        const uint32_t *at = several->steps[i];
        uint32_t opcode    = vulkan_opcode(at);
        loads |= opcode == SpvOpLoad &&
                 (several->kinds[at[3]] == SEVERAL_PLACE || several->kinds[at[3]] == SEVERAL_PLACE_X);
        stores |= opcode == SpvOpStore;
    }
    return loads && stores;
}

static bool is_straight(struct vulkan_several *several, uint32_t entry)
{
    if (!find_entry(several, entry) || !find_function(several) || !read_globals(several))
        return false;
    hide_labels(several);
    if (!walk(several) || several->count > STEPS_MOST || has_hidden_labels(several))
        return false;
    if (several->guard == 0)
        several->before = several->count;
    return has_work(several);
}

/* ---- the shader ----------------------------------------------------------------------------------- */

static int32_t write_words(const struct trm_backend_instance *instance, const struct vulkan_several *several,
                           struct vulkan_shader *result)
{
    result->capacity = vulkan_several_capacity(several);
    result->words    = vulkan_allocate(instance, result->capacity * sizeof(uint32_t));
    if (result->words == NULL)
        return vulkan_fail_host_memory(instance, "the code of a kernel");
    vulkan_several_write(several, result);
    return TRM_OK;
}

int32_t vulkan_several_create(const struct trm_backend_instance *instance, const struct vulkan_shader *shader,
                              uint32_t entry, uint32_t group_size, uint32_t items,
                              struct vulkan_shader *result)
{
    uint32_t bound                = shader->words[VULKAN_HEADER_BOUND];
    uint64_t step_bytes           = (STEPS_MOST + 1) * sizeof(const uint32_t *);
    struct vulkan_several several = {
        .shader = shader, .bound = bound, .items = items, .group_size = group_size};
    int32_t status = TRM_OK;
    memset(result, 0, sizeof(*result));
    if (bound > BOUND_MOST / (2 * VULKAN_SEVERAL_MOST + 1))
        return TRM_OK;
    several.kinds = vulkan_allocate(instance, bound);
    several.steps = vulkan_allocate(instance, step_bytes);
    if (several.kinds == NULL || several.steps == NULL)
        status = vulkan_fail_host_memory(instance, "the code of a kernel");
    else if (is_straight(&several, entry))
        status = write_words(instance, &several, result);
    vulkan_release(instance, several.steps, step_bytes);
    vulkan_release(instance, several.kinds, bound);
    return status;
}
