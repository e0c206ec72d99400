/* Links variables that are one buffer: a module may declare several on one set and binding, to read the same
 * memory as different types.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "compiler/spirv/reader.h"

struct view {
    uint32_t id;
    struct spirv_variable *variable;
};

static bool is_buffer(const struct spirv_variable *variable)
{
    return variable->storage == SpvStorageClassStorageBuffer || variable->storage == SpvStorageClassUniform;
}

/* May the shader write through the variable? Blocks in Uniform are constant. */
static bool is_writable(const struct spirv_module *module, const struct spirv_variable *variable)
{
    const struct spirv_type *block = spirv_type(module, spirv_type(module, variable->type)->element);

    return !variable->non_writable && (variable->storage != SpvStorageClassUniform || block->is_buffer_block);
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_views(const void *left, const void *right)
{
    const struct view *a = left, *b = right;
    int order = compare_numbers(a->variable->set, b->variable->set);

    if (order == 0)
        order = compare_numbers(a->variable->binding, b->variable->binding);
    return order != 0 ? order : compare_numbers(a->id, b->id);
}

static bool is_same_buffer(const struct view *a, const struct view *b)
{
    return a->variable->set == b->variable->set && a->variable->binding == b->variable->binding;
}

static void link(const struct spirv_module *module, const struct view *views, uint32_t count)
{
    bool is_written = false, is_volatile = false, is_coherent = false;

    for (uint32_t i = 0; i < count; i++) {
        is_written |= is_writable(module, views[i].variable);
        is_volatile |= views[i].variable->is_volatile;
        is_coherent |= views[i].variable->is_coherent;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct spirv_variable *variable = views[i].variable;
        variable->view_of               = views[0].id;
        variable->has_views             = count > 1;
        variable->is_written            = is_written;
        variable->is_volatile           = is_volatile;
        variable->is_coherent           = is_coherent;
        variable->is_restrict           = variable->is_restrict && count == 1;
    }
}

int32_t spirv_link_views(struct spirv_reader *reader)
{
    const struct spirv_module *module = reader->module;
    struct view *views = base_arena_allocate(reader->arena, module->variable_count, sizeof(*views));
    uint32_t count     = 0;

    if (views == NULL)
        return base_arena_fail(reader->arena, "reading SPIR-V");
    for (uint32_t i = 0; i < module->variable_count; i++) {
        struct spirv_variable *variable = module->ids[module->variables[i]].as.variable;
        if (is_buffer(variable))
            views[count++] = (struct view){module->variables[i], variable};
    }
    qsort(views, count, sizeof(*views), compare_views);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && is_same_buffer(&views[first], &views[end]);)
            end++;
        link(module, views + first, end - first);
    }
    return TRM_OK;
}
