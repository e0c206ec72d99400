/* C: the built-in inputs. One thread runs a group, and a subgroup is one work-item.
 * With cooperative matrices one is SPIRV_SUBGROUP work-items.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/targets/c_target.h"

static const uint32_t *size_of(const struct emit *emit)
{
    return emit->body->entry->local_size;
}

static void local(struct emit *emit, uint32_t component)
{
    struct emit_rows *rows = emit->rows;
    uint32_t size          = size_of(emit)[component];

    if (size == 1 || (component == 0 && rows->at_first && !rows->is_merged))
        text_add(&emit->text, "0u");
    else if (component == 0 && rows->is_merged)
        text_add(&emit->text, "(uint32_t)(%s %% %u)", rows->at_first ? "first" : "item_x", size);
    else
        text_add(&emit->text, "(uint32_t)local_%c", "xyz"[component]);
}

static void global(struct emit *emit, uint32_t component)
{
    struct emit_rows *rows = emit->rows;
    uint32_t size          = size_of(emit)[component];

    if (component == 0 && rows->is_merged && emit->flow->items != NULL) {
        text_add(&emit->text, "(uint32_t)%s", rows->at_first ? "first" : "item_x");
        return;
    }
    if (size == 1) {
        text_add(&emit->text, "group_%c", "xyz"[component]);
        return;
    }
    text_add(&emit->text, "(group_%c * %uu + ", "xyz"[component], size);
    local(emit, component);
    text_add(&emit->text, ")");
}

/* gl_LocalInvocationIndex */
static void number(struct emit *emit)
{
    const uint32_t *size = size_of(emit);
    const char *x        = emit->rows->at_first || size[0] == 1 ? "0" : "local_x";

    if (emit->rows->is_merged)
        x = emit->rows->at_first ? "first" : "item_x";
    text_add(&emit->text, emit->rows->is_merged ? "(uint32_t)(%s %% %u" : "(uint32_t)(%s", x, size[0]);
    if (size[1] != 1)
        text_add(&emit->text, " + %u * local_y", size[0]);
    if (size[2] != 1)
        text_add(&emit->text, " + %u * local_z", size[0] * size[1]);
    text_add(&emit->text, ")");
}

static void group(struct emit *emit, uint32_t component)
{
    struct emit_rows *rows = emit->rows;

    if (component == 0 && rows->is_merged && emit->flow->items != NULL)
        text_add(&emit->text, "(uint32_t)(%s / %u)", rows->at_first ? "first" : "item_x", size_of(emit)[0]);
    else
        text_add(&emit->text, "group_%c", "xyz"[component]);
}

/* Writes the first component of a mask; the others are 0: a subgroup has 32 work-items. */
static void mask(struct emit *emit, int32_t builtin, uint32_t component)
{
    static const char *const forms[][2] = {
        [0]                                                   = {"(1u << ", ")"},
        [SpvBuiltInSubgroupGeMask - SpvBuiltInSubgroupEqMask] = {"(0xffffffffu << ", ")"},
        [SpvBuiltInSubgroupGtMask - SpvBuiltInSubgroupEqMask] = {"(0xfffffffeu << ", ")"},
        [SpvBuiltInSubgroupLeMask - SpvBuiltInSubgroupEqMask] = {"((2u << ", ") - 1u)"},
        [SpvBuiltInSubgroupLtMask - SpvBuiltInSubgroupEqMask] = {"((1u << ", ") - 1u)"},
    };
    const char *const *form = forms[builtin - SpvBuiltInSubgroupEqMask];

    if (component != 0) {
        text_add(&emit->text, "0u");
        return;
    }
    text_add(&emit->text, "%s(", form[0]);
    number(emit);
    text_add(&emit->text, " %% %uu)%s", SPIRV_SUBGROUP, form[1]);
}

/* The built-ins of subgroups of SPIRV_SUBGROUP, in modules with cooperative matrices. */
static bool of_subgroup(struct emit *emit, int32_t builtin)
{
    const uint32_t *size = size_of(emit);

    switch (builtin) {
    case SpvBuiltInSubgroupSize:
        text_add(&emit->text, "%uu", SPIRV_SUBGROUP);
        return true;
    case SpvBuiltInNumSubgroups:
        text_add(&emit->text, "%uu", (size[0] * size[1] * size[2] + SPIRV_SUBGROUP - 1) / SPIRV_SUBGROUP);
        return true;
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
        text_add(&emit->text, "(");
        number(emit);
        text_add(&emit->text, builtin == SpvBuiltInSubgroupId ? " / %uu)" : " %% %uu)", SPIRV_SUBGROUP);
        return true;
    default:
        return false;
    }
}

bool target_c_builtin(struct emit *emit, int32_t builtin, uint32_t component)
{
    const uint32_t *size = size_of(emit);
    uint32_t c           = component == WHOLE ? 0 : component;

    if (c > 3 || (c == 3 && (builtin < SpvBuiltInSubgroupEqMask || builtin > SpvBuiltInSubgroupLtMask)))
        return false;
    if (emit->module->has_matrices && builtin >= SpvBuiltInSubgroupEqMask &&
        builtin <= SpvBuiltInSubgroupLtMask) {
        mask(emit, builtin, c);
        return true;
    }
    if (emit->module->has_matrices && of_subgroup(emit, builtin))
        return true;
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
        global(emit, c);
        return true;
    case SpvBuiltInLocalInvocationId:
        local(emit, c);
        return true;
    case SpvBuiltInLocalInvocationIndex:
    case SpvBuiltInSubgroupId:
        number(emit);
        return true;
    case SpvBuiltInWorkgroupId:
        group(emit, c);
        return true;
    case SpvBuiltInNumWorkgroups:
        text_add(&emit->text, "groups->groups[%u]", c);
        return true;
    case SpvBuiltInWorkgroupSize:
        text_add(&emit->text, "%uu", size[c]);
        return true;
    case SpvBuiltInNumSubgroups:
        text_add(&emit->text, "%uu", size[0] * size[1] * size[2]);
        return true;
    case SpvBuiltInSubgroupSize:
        text_add(&emit->text, "1u");
        return true;
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupLeMask:
        text_add(&emit->text, c == 0 ? "1u" : "0u");
        return true;
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLtMask:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInDeviceIndex:
        text_add(&emit->text, "0u");
        return true;
    default:
        return false;
    }
}
