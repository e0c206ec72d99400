/* vulkan backend: finds kernels that can be coarsened, and lists their instructions.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/spirv/coarsen_internal.h"

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/words.h"

#define BOUND_MOST 0x3fffffu /* highest id bound that SPIR-V guarantees */
#define STEPS_AWAY_MOST 64u  /* instructions between a branch and the return that it leads to */
#define BLOCKS_MOST 64u      /* blocks of one selection */
#define STRETCHES_MOST 256u  /* straight parts of the main path */
#define LENGTH_MOST 0xffffu  /* words of an instruction */

/* Longer kernels have enough work to hide memory latency, and coarsening would cost them occupancy through
 * registers. The longest built-in kernel that is bound by memory has 130 instructions. */
#define STEPS_MOST 256u

/* Memory operands that do not change what a load or store does. */
#define PLAIN_ACCESS (SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask)

/* ---- instructions -------------------------------------------------------------------------------- */

static struct vulkan_coarsen_form ids_from(uint32_t first, uint32_t end)
{
    return (struct vulkan_coarsen_form){.first = first, .end = end, .has_result = true};
}

/* All operands are ids, and the result depends on them alone. */
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

struct vulkan_coarsen_form vulkan_coarsen_form(const uint32_t *at)
{
    const struct vulkan_coarsen_form none = {.first = 0};
    struct vulkan_coarsen_form form;
    switch (vulkan_opcode(at)) {
    case SpvOpVariable: /* storage class, perhaps with an initializer */
        return ids_from(4, vulkan_length(at));
    case SpvOpLoad:
        return is_plain_access(at, 4) ? ids_from(3, 4) : none;
    case SpvOpStore:
        form = (struct vulkan_coarsen_form){.first = 1, .end = 3};
        return is_plain_access(at, 3) ? form : none;
    case SpvOpCompositeExtract:
    case SpvOpArrayLength:
        return ids_from(3, 4);
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return ids_from(3, 5);
    case SpvOpExtInst: /* instruction set and number */
        form         = ids_from(3, vulkan_length(at));
        form.literal = 4;
        return form;
    default:
        return is_plain(vulkan_opcode(at)) ? ids_from(3, vulkan_length(at)) : none;
    }
}

static bool is_no_op(uint32_t opcode)
{
    return opcode == SpvOpLine || opcode == SpvOpNoLine || opcode == SpvOpNop;
}

/* ---- module-level instructions -------------------------------------------------------------------- */

/* The end of the instructions, and the first one. */
static const uint32_t *end_of(const struct vulkan_coarsen *coarsen)
{
    return coarsen->shader->words + coarsen->shader->count;
}

static const uint32_t *begin_of(const struct vulkan_coarsen *coarsen)
{
    return coarsen->shader->words + VULKAN_HEADER_WORDS;
}

static bool find_entry(struct vulkan_coarsen *coarsen, uint32_t index)
{
    const uint32_t *end = end_of(coarsen);
    for (const uint32_t *at = begin_of(coarsen); at < end && coarsen->entry == NULL; at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpEntryPoint && index-- == 0)
            coarsen->entry = at;
    return coarsen->entry != NULL && vulkan_length(coarsen->entry) < LENGTH_MOST; /* one word may be added */
}

/* Fails if other entry points use the function too. */
static bool find_function(struct vulkan_coarsen *coarsen)
{
    const uint32_t *end = end_of(coarsen);
    for (const uint32_t *at = begin_of(coarsen); at < end && coarsen->function == NULL;
         at += vulkan_length(at)) {
        bool is_its = (vulkan_opcode(at) == SpvOpFunction || vulkan_opcode(at) == SpvOpEntryPoint) &&
                      at[2] == coarsen->entry[2];
        if (is_its && vulkan_opcode(at) == SpvOpFunction)
            coarsen->function = at;
        else if (is_its && at != coarsen->entry)
            return false;
    }
    return coarsen->function != NULL;
}

static bool is_listed(const struct vulkan_coarsen *coarsen, uint32_t variable)
{
    const uint32_t *entry = coarsen->entry;
    for (uint32_t i = 3 + vulkan_text_words(entry + 3); i < vulkan_length(entry); i++)
        if (entry[i] == variable)
            return true;
    return false;
}

/* The module may have one variable for each entry point. */
static void note_builtin(struct vulkan_coarsen *coarsen, uint32_t variable, uint32_t builtin)
{
    bool is_ours = is_listed(coarsen, variable);
    if (builtin == SpvBuiltInGlobalInvocationId && is_ours)
        coarsen->global_id = variable;
    if (builtin != SpvBuiltInLocalInvocationId || coarsen->lists_local_id)
        return;
    coarsen->local_id       = variable;
    coarsen->lists_local_id = is_ours;
}

static uint8_t kind_of_variable(const struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    if (at[2] == coarsen->global_id)
        return COARSEN_GLOBAL_ID;
    return at[3] == SpvStorageClassStorageBuffer || at[3] == SpvStorageClassPushConstant
               ? COARSEN_UNIFORM
               : COARSEN_UNSUPPORTED;
}

/* False if the module contains something that cannot be analyzed. */
static bool note_global(struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    switch (vulkan_opcode(at)) {
    case SpvOpExtInstImport:
        if (strcmp(vulkan_text_at(at + 2), "GLSL.std.450") != 0)
            coarsen->kinds[at[1]] = COARSEN_UNSUPPORTED;
        return true;
    case SpvOpDecorate:
        if (at[2] == SpvDecorationBuiltIn)
            note_builtin(coarsen, at[1], at[3]);
        return at[2] != SpvDecorationVolatile;
    case SpvOpMemberDecorate:
        return at[3] != SpvDecorationVolatile;
    case SpvOpConstant:
        if (vulkan_length(at) == 4)
            coarsen->kinds[at[2]] = at[3] == 0 ? COARSEN_ZERO : COARSEN_CONSTANT;
        return true;
    case SpvOpVariable:
        coarsen->kinds[at[2]] = kind_of_variable(coarsen, at);
        if (at[2] == coarsen->global_id)
            coarsen->global_id_pointer = at[1];
        if (at[2] == coarsen->local_id)
            coarsen->local_id_pointer = at[1];
        return true;
    case SpvOpTypeInt:
        coarsen->has_int64 |= at[2] == 64;
        return true;
    case SpvOpDecorationGroup:
    case SpvOpDecorateId:
        return false;
    default:
        return true;
    }
}

/* Finds the types of the variable. SPIR-V declares types before their uses, so two passes suffice. */
static bool find_types(struct vulkan_coarsen *coarsen, const uint32_t *end)
{
    for (const uint32_t *at = begin_of(coarsen); at < end; at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpTypePointer && at[1] == coarsen->global_id_pointer)
            coarsen->global_id_vector = at[3];
    for (const uint32_t *at = begin_of(coarsen); at < end; at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpTypeVector && at[1] == coarsen->global_id_vector)
            coarsen->index_type = at[2];
    return coarsen->index_type != 0;
}

static bool read_globals(struct vulkan_coarsen *coarsen)
{
    const uint32_t *end = end_of(coarsen), *at = begin_of(coarsen);
    for (; at < end && vulkan_opcode(at) != SpvOpFunction; at += vulkan_length(at))
        if (!note_global(coarsen, at))
            return false;
    bool is_alike = coarsen->local_id == 0 || coarsen->local_id_pointer == coarsen->global_id_pointer;
    return coarsen->global_id != 0 && is_alike && find_types(coarsen, at);
}

/* ---- the main path -------------------------------------------------------------------------------- */

/* The first instruction after the label; NULL if the function has no such label. */
static const uint32_t *block_of(const struct vulkan_coarsen *coarsen, uint32_t label)
{
    for (const uint32_t *at = coarsen->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpLabel && at[1] == label)
            return at + vulkan_length(at);
    return NULL;
}

/* Labels of unreachable blocks keep this kind. */
static void mark_labels_unreachable(struct vulkan_coarsen *coarsen)
{
    for (const uint32_t *at = coarsen->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpLabel)
            coarsen->kinds[at[1]] = COARSEN_UNSUPPORTED;
}

static bool has_unreachable_labels(const struct vulkan_coarsen *coarsen)
{
    for (const uint32_t *at = coarsen->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpLabel && coarsen->kinds[at[1]] == COARSEN_UNSUPPORTED)
            return true;
    return false;
}

/* Continues the main path in this block. */
static const uint32_t *enter(struct vulkan_coarsen *coarsen, uint32_t label)
{
    coarsen->kinds[label] = COARSEN_UNIFORM;
    return block_of(coarsen, label);
}

/* The target of an unconditional branch; 0: not one. */
static uint32_t only_target(const uint32_t *at)
{
    if (vulkan_opcode(at) == SpvOpBranch)
        return at[1];
    return vulkan_opcode(at) == SpvOpSwitch && vulkan_length(at) == 3 ? at[2] : 0;
}

/* Whether the block does nothing but return. */
static bool leads_to_return(const struct vulkan_coarsen *coarsen, uint32_t label)
{
    const uint32_t *at = block_of(coarsen, label);
    for (uint32_t i = 0; i < STEPS_AWAY_MOST && at != NULL; i++) {
        if (vulkan_opcode(at) == SpvOpReturn)
            return true;
        if (is_no_op(vulkan_opcode(at)) || vulkan_opcode(at) == SpvOpSelectionMerge)
            at += vulkan_length(at);
        else
            at = only_target(at) != 0 ? block_of(coarsen, only_target(at)) : NULL;
    }
    return false;
}

/* Marks the blocks that lead to the return as reachable; they are not copied. */
static void mark_exit(struct vulkan_coarsen *coarsen, uint32_t label)
{
    const uint32_t *at = enter(coarsen, label);
    while (vulkan_opcode(at) != SpvOpReturn)
        at = only_target(at) != 0 ? enter(coarsen, only_target(at)) : at + vulkan_length(at);
}

static bool can_use(const struct vulkan_coarsen *coarsen, const uint32_t *at, uint32_t operand)
{
    uint32_t opcode = vulkan_opcode(at);
    switch (coarsen->kinds[at[operand]]) {
    case COARSEN_UNSUPPORTED:
        return false;
    case COARSEN_GLOBAL_ID:
        return opcode == SpvOpLoad || (opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain);
    case COARSEN_GLOBAL_ID_X:
        return opcode == SpvOpLoad;
    default:
        return true;
    }
}

/* The component of GlobalInvocationId that the pointer selects must be constant. */
static bool note_pointer(struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    if (vulkan_length(at) != 5)
        return false;
    uint8_t index = coarsen->kinds[at[4]];
    if (index == COARSEN_ZERO)
        coarsen->kinds[at[2]] = COARSEN_GLOBAL_ID_X;
    return index == COARSEN_ZERO || index == COARSEN_CONSTANT;
}

static uint8_t kind_here(const struct vulkan_coarsen *coarsen)
{
    return coarsen->guard != 0 ? COARSEN_AFTER_GUARD : COARSEN_BEFORE_GUARD;
}

/* There is room for one instruction more than STEPS_MOST, to detect the excess. */
static void add_step(struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    if (coarsen->count <= STEPS_MOST)
        coarsen->steps[coarsen->count++] = at;
}

static bool add_checked_step(struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    struct vulkan_coarsen_form form = vulkan_coarsen_form(at);
    if (form.first == 0)
        return false;
    for (uint32_t i = form.first; i < form.end; i++)
        if (i != form.literal && !can_use(coarsen, at, i))
            return false;
    if (form.has_result)
        coarsen->kinds[at[2]] = kind_here(coarsen);
    add_step(coarsen, at);
    bool is_pointer = vulkan_opcode(at) == SpvOpAccessChain || vulkan_opcode(at) == SpvOpInBoundsAccessChain;
    return !is_pointer || coarsen->kinds[at[3]] != COARSEN_GLOBAL_ID || note_pointer(coarsen, at);
}

/* ---- selections ------------------------------------------------------------------------------------ */

/* Words of a terminator that are labels: from `first` to `end`, every `step`. None: not a branch. */
struct targets {
    uint32_t first, end, step;
};

static struct targets targets_of(const struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    switch (vulkan_opcode(at)) {
    case SpvOpBranch:
        return (struct targets){1, 2, 1};
    case SpvOpBranchConditional: /* branch weights may follow */
        return (struct targets){2, 4, 1};
    case SpvOpSwitch:
        return (struct targets){2, coarsen->has_int64 ? 2 : vulkan_length(at), 2};
    default:
        return (struct targets){0, 0, 1};
    }
}

/* Marks labels that were not seen yet, and returns their number. */
static uint32_t note_targets(struct vulkan_coarsen *coarsen, const uint32_t *at, uint32_t merge)
{
    struct targets targets = targets_of(coarsen, at);
    uint32_t count         = 0;
    for (uint32_t i = targets.first; i < targets.end; i += targets.step) {
        uint8_t *kind = &coarsen->kinds[at[i]];
        count += at[i] != merge && *kind != COARSEN_BRANCH_BLOCK;
        if (at[i] != merge)
            *kind = COARSEN_BRANCH_BLOCK;
    }
    return count;
}

static bool is_branch_label(const struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    return vulkan_opcode(at) == SpvOpLabel && coarsen->kinds[at[1]] == COARSEN_BRANCH_BLOCK;
}

/* Marks the targets of all blocks that are marked so far. */
static uint32_t note_reachable(struct vulkan_coarsen *coarsen, uint32_t merge)
{
    bool inner     = false;
    uint32_t count = 0;
    for (const uint32_t *at = coarsen->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpLabel)
            inner = is_branch_label(coarsen, at);
        if (inner)
            count += note_targets(coarsen, at, merge);
    }
    return count;
}

/* Marks all blocks between the branch and the merge block. */
static bool find_branch_blocks(struct vulkan_coarsen *coarsen, const uint32_t *branch, uint32_t merge)
{
    uint32_t count = note_targets(coarsen, branch, merge);
    for (uint32_t more = count; more != 0 && count <= BLOCKS_MOST; count += more)
        more = note_reachable(coarsen, merge);
    return count != 0 && count <= BLOCKS_MOST;
}

/* OpPhi: the operands must be usable. */
static bool add_phi(struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    for (uint32_t i = 3; i < vulkan_length(at); i += 2)
        if (coarsen->kinds[at[i]] == COARSEN_UNSUPPORTED || coarsen->kinds[at[i]] == COARSEN_GLOBAL_ID ||
            coarsen->kinds[at[i]] == COARSEN_GLOBAL_ID_X)
            return false;
    coarsen->kinds[at[2]] = kind_here(coarsen);
    add_step(coarsen, at);
    return true;
}

static bool add_branch_step(struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    switch (vulkan_opcode(at)) {
    case SpvOpLabel:
        coarsen->kinds[at[1]] = kind_here(coarsen);
        add_step(coarsen, at);
        return true;
    case SpvOpSelectionMerge: /* the merge block of a nested selection */
        add_step(coarsen, at);
        return coarsen->kinds[at[1]] == COARSEN_BRANCH_BLOCK || coarsen->kinds[at[1]] == kind_here(coarsen);
    case SpvOpPhi:
        return add_phi(coarsen, at);
    default:
        if (targets_of(coarsen, at).end > 1) {
            add_step(coarsen, at);
            return true;
        }
        return is_no_op(vulkan_opcode(at)) || add_checked_step(coarsen, at);
    }
}

static bool add_branch_blocks(struct vulkan_coarsen *coarsen)
{
    bool inner = false;
    for (const uint32_t *at = coarsen->function; vulkan_opcode(at) != SpvOpFunctionEnd;
         at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpLabel)
            inner = is_branch_label(coarsen, at);
        if (inner && !add_branch_step(coarsen, at))
            return false;
    }
    return true;
}

/* `at` follows OpSelectionMerge. Returns the instruction after the merge block's OpPhis; NULL if the
 * selection cannot be coarsened. */
static const uint32_t *add_branch(struct vulkan_coarsen *coarsen, const uint32_t *merge, const uint32_t *at)
{
    if (merge == NULL || !find_branch_blocks(coarsen, at, merge[1]))
        return NULL;
    add_step(coarsen, merge);
    add_step(coarsen, at);
    if (!add_branch_blocks(coarsen))
        return NULL;
    const uint32_t *behind = block_of(coarsen, merge[1]);
    if (behind == NULL)
        return NULL;
    coarsen->kinds[merge[1]] = kind_here(coarsen);
    add_step(coarsen, behind - 2); /* its OpLabel */
    for (; vulkan_opcode(behind) == SpvOpPhi || is_no_op(vulkan_opcode(behind));
         behind += vulkan_length(behind))
        if (vulkan_opcode(behind) == SpvOpPhi && !add_phi(coarsen, behind))
            return NULL;
    return behind;
}

/* ---- from the entry to the return -------------------------------------------------------------------- */

/* The type of a condition, which is bool. */
static uint32_t type_of(const struct vulkan_coarsen *coarsen, uint32_t result)
{
    for (uint32_t i = 0; i < coarsen->count; i++) {
        const uint32_t *at = coarsen->steps[i];
        bool has_result    = vulkan_opcode(at) == SpvOpPhi || vulkan_coarsen_form(at).has_result;
        if (has_result && at[2] == result)
            return at[1];
    }
    return 0;
}

/* If exactly one side of a branch returns at once, and it is the first such branch: returns where the other
 * side begins; else NULL. */
static const uint32_t *find_guard(struct vulkan_coarsen *coarsen, const uint32_t *at)
{
    if (vulkan_opcode(at) != SpvOpBranchConditional || coarsen->guard != 0 ||
        coarsen->kinds[at[1]] != COARSEN_BEFORE_GUARD)
        return NULL;
    bool first_leaves = leads_to_return(coarsen, at[2]), second_leaves = leads_to_return(coarsen, at[3]);
    if (first_leaves == second_leaves)
        return NULL;
    coarsen->guard_type  = type_of(coarsen, at[1]);
    coarsen->guard       = at[1];
    coarsen->guard_exits = first_leaves;
    coarsen->guard_step  = coarsen->count;
    mark_exit(coarsen, first_leaves ? at[2] : at[3]);
    return enter(coarsen, first_leaves ? at[3] : at[2]);
}

/* Returns what follows a terminator; NULL if the kernel cannot be coarsened. */
static const uint32_t *follow_terminator(struct vulkan_coarsen *coarsen, const uint32_t *merge,
                                         const uint32_t *at)
{
    if (only_target(at) != 0)
        return enter(coarsen, only_target(at));
    const uint32_t *next = find_guard(coarsen, at);
    return next != NULL ? next : add_branch(coarsen, merge, at);
}

static bool is_terminator(uint32_t opcode)
{
    return (opcode >= SpvOpBranch && opcode <= SpvOpUnreachable) || opcode == SpvOpLoopMerge;
}

/* Each turn handles one straight part. */
static bool walk(struct vulkan_coarsen *coarsen)
{
    const uint32_t *at = coarsen->function + vulkan_length(coarsen->function);
    if (vulkan_opcode(at) != SpvOpLabel)
        return false;
    at = enter(coarsen, at[1]);
    for (uint32_t i = 0; i < STRETCHES_MOST && at != NULL && coarsen->count <= STEPS_MOST; i++) {
        const uint32_t *merge = NULL;
        for (; !is_terminator(vulkan_opcode(at)); at += vulkan_length(at)) {
            if (vulkan_opcode(at) == SpvOpSelectionMerge)
                merge = at;
            else if (!is_no_op(vulkan_opcode(at)) && !add_checked_step(coarsen, at))
                return false;
        }
        if (vulkan_opcode(at) == SpvOpReturn)
            return true;
        at = follow_terminator(coarsen, merge, at);
    }
    return false;
}

/* Whether the kernel loads its id and stores something. */
static bool has_work(const struct vulkan_coarsen *coarsen)
{
    bool loads = false, stores = false;
    for (uint32_t i = 0; i < coarsen->count; i++) {
        const uint32_t *at = coarsen->steps[i];
        uint32_t opcode    = vulkan_opcode(at);
        loads |= opcode == SpvOpLoad &&
                 (coarsen->kinds[at[3]] == COARSEN_GLOBAL_ID || coarsen->kinds[at[3]] == COARSEN_GLOBAL_ID_X);
        stores |= opcode == SpvOpStore;
    }
    return loads && stores;
}

static bool analyze(struct vulkan_coarsen *coarsen, uint32_t entry)
{
    if (!find_entry(coarsen, entry) || !find_function(coarsen) || !read_globals(coarsen))
        return false;
    mark_labels_unreachable(coarsen);
    if (!walk(coarsen) || coarsen->count > STEPS_MOST || has_unreachable_labels(coarsen))
        return false;
    if (coarsen->guard == 0)
        coarsen->guard_step = coarsen->count;
    return has_work(coarsen);
}

/* ---- creating the shader -------------------------------------------------------------------------- */

static int32_t write_words(const struct trm_backend_instance *instance, const struct vulkan_coarsen *coarsen,
                           struct vulkan_shader *result)
{
    result->capacity = vulkan_coarsen_capacity(coarsen);
    result->words    = trm_util_allocate(instance->host, result->capacity * sizeof(uint32_t));
    if (result->words == NULL)
        return trm_util_fail_host_memory(instance->host, "the code of a kernel");
    vulkan_coarsen_write(coarsen, result);
    return TRM_OK;
}

int32_t vulkan_coarsen_create(const struct trm_backend_instance *instance, const struct vulkan_shader *shader,
                              uint32_t entry, uint32_t group_size, uint32_t items,
                              struct vulkan_shader *result)
{
    uint32_t bound                = shader->words[VULKAN_HEADER_BOUND];
    uint64_t step_bytes           = (STEPS_MOST + 1) * sizeof(const uint32_t *);
    struct vulkan_coarsen coarsen = {
        .shader = shader, .bound = bound, .items = items, .group_size = group_size};
    int32_t status = TRM_OK;
    memset(result, 0, sizeof(*result));
    if (bound > BOUND_MOST / (2 * VULKAN_COARSEN_MOST + 1) || vulkan_shader_has_addresses(shader))
        return TRM_OK;
    coarsen.kinds = trm_util_allocate(instance->host, bound);
    coarsen.steps = trm_util_allocate(instance->host, step_bytes);
    if (coarsen.kinds == NULL || coarsen.steps == NULL)
        status = trm_util_fail_host_memory(instance->host, "the code of a kernel");
    else if (analyze(&coarsen, entry))
        status = write_words(instance, &coarsen, result);
    trm_util_release(instance->host, coarsen.steps, step_bytes);
    trm_util_release(instance->host, coarsen.kinds, bound);
    return status;
}
