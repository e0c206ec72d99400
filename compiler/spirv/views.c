/* Links variables that are the same memory: a module may declare several buffers on one set and binding, to
 * read the same memory as different types, and several shared blocks, which all begin where the shared memory
 * begins (SPV_KHR_workgroup_memory_explicit_layout).
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
    const struct spirv_type *block =
        spirv_descriptor(module, spirv_type(module, spirv_type(module, variable->type)->element));

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

/* SPIR-V's rules for the variables of one entry point; with several the variables of each are not known. */
static int32_t check_blocks(const struct spirv_reader *reader, const struct view *views, uint32_t count,
                            uint32_t others)
{
    if (reader->module->entry_count > 1)
        return others != 0 && count != 0
                   ? spirv_unsupported(reader, "shared blocks beside other shared variables in a module of "
                                               "several kernels are not supported")
                   : TRM_OK;
    if (others != 0 && count != 0)
        return spirv_invalid(reader, "some shared variables are blocks, and others are not");
    for (uint32_t i = 0; i < count && count > 1; i++)
        if (!views[i].variable->is_aliased)
            return spirv_invalid(reader, "shared block \"%.100s\" is not decorated Aliased beside others",
                                 reader->module->ids[views[i].id].name);
    return TRM_OK;
}

/* Links all shared blocks. */
static int32_t link_blocks(const struct spirv_reader *reader, struct view *views)
{
    const struct spirv_module *module = reader->module;
    uint32_t count = 0, others = 0;

    for (uint32_t i = 0; i < module->variable_count; i++) {
        struct spirv_variable *variable = module->ids[module->variables[i]].as.variable;
        if (variable->storage == SpvStorageClassWorkgroup && variable->is_shared_block)
            views[count++] = (struct view){module->variables[i], variable};
        else
            others += variable->storage == SpvStorageClassWorkgroup;
    }
    if (count != 0)
        link(module, views, count);
    for (uint32_t i = 1; i < count; i++) /* an initial value is null: that of one block is that of all */
        if (views[i].variable->initializer != 0)
            views[0].variable->initializer = views[i].variable->initializer;
    return check_blocks(reader, views, count, others);
}

uint32_t spirv_shared_block_size(const struct spirv_module *module)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct spirv_variable *variable = module->ids[module->variables[i]].as.variable;
        const struct spirv_type *type = spirv_type(module, spirv_type(module, variable->type)->element);
        if (variable->is_shared_block && type->size > most)
            most = type->size;
    }
    return (most + 15) / 16 * 16;
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
    return link_blocks(reader, views);
}
