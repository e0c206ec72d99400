/* Checks of indices (TRM_TRANSLATE_BOUNDS), and the sites where they are made.
 *
 * A check is an expression that is true when an index is inside of its array, vector or matrix. It also notes
 * the first access that is outside: "trm_within(&trm_fault, 3, i, 64)" with the number of a site, which has
 * the names for the sentence. Constant indices that are inside need no check.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <trireme/status.h>

#include "compiler/translate/emit/op_cooperative.h"

#include <string.h>

#define SITES_COMPARED 8u /* the components of one value have one site */

/* ---- sites */

static bool is_same(const struct emit_site *site, const char *what, const char *where)
{
    return strcmp(site->what, what) == 0 && strcmp(site->where, where) == 0;
}

uint32_t emit_add_site(struct emit *emit, const char *what)
{
    char place[256];
    const char *where = emit->at == NULL ? "" : spirv_source_location(emit->module, emit->at, place);

    for (uint32_t i = emit->site_count; i-- > 0 && emit->site_count - i <= SITES_COMPARED;)
        if (is_same(&emit->sites[i], what, where))
            return i;
    if (!base_arena_grow(emit->arena, &emit->sites, emit->site_count, &emit->site_capacity,
                         sizeof(*emit->sites)))
        return 0;
    where = base_arena_text(emit->arena, where, strlen(where));
    if (where == NULL)
        return 0;
    emit->sites[emit->site_count] = (struct emit_site){.what = what, .where = where};
    return emit->site_count++;
}

static const char *storage_word(const struct spirv_variable *variable)
{
    switch (variable->storage) {
    case SpvStorageClassWorkgroup:
        return "shared variable";
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
        return "buffer";
    case SpvStorageClassPushConstant:
        return "push constant";
    case SpvStorageClassInput:
        return "input";
    default:
        return "local variable";
    }
}

/* "buffer 'x'". */
static const char *what(struct emit *emit, const char *kind, const char *path)
{
    const char *text = base_arena_format(emit->arena, "%s '%s'", kind, path == NULL ? "" : path);

    return text == NULL ? "" : text;
}

static const char *word_or_number(struct emit *emit, uint32_t id)
{
    const char *word = emit_word(emit, id);

    return word != NULL && word[0] != '\0' ? word : base_arena_format(emit->arena, "%%%" PRIu32, id);
}

/* Is the first step into the block not worth naming? A push constant's member stands for the block, and so
 * does a buffer for its only member. */
static bool is_block_silent(struct emit *emit, uint32_t variable, const struct spirv_type *block)
{
    return emit_has_layout(emit, variable) && block->count == 1;
}

const char *emit_what(struct emit *emit, const struct access *access, uint32_t level)
{
    const struct spirv_variable *variable = emit->module->ids[access->variable].as.variable;
    bool is_argument                      = variable->storage == SpvStorageClassPushConstant;
    const struct spirv_type *type =
        spirv_type(emit->module, spirv_type(emit->module, variable->type)->element);
    const char *path = word_or_number(emit, access->variable);
    uint32_t first   = emit_levels(emit, access->variable);

    for (uint32_t i = 0; i < level && path != NULL; i++) {
        if (type->kind == SPIRV_STRUCT) {
            uint32_t member  = (uint32_t)spirv_constant(emit->module, access->indices[i])->bits;
            const char *name = type->members[member].name;
            if (name == NULL || name[0] == '\0')
                name = base_arena_format(emit->arena, "%" PRIu32, member);
            if (i == 0 && is_argument)
                path = name;
            else if (i != first || !is_block_silent(emit, access->variable, type))
                path = base_arena_format(emit->arena, "%s.%s", path, name);
            type = spirv_type(emit->module, type->members[member].type);
        } else {
            path = base_arena_format(emit->arena, "%s[]", path);
            type = spirv_type(emit->module, type->element);
        }
    }
    return what(emit, storage_word(variable), path);
}

/* ---- checks */

static int32_t write_index(struct emit *emit, uint32_t id)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);

    if (constant != NULL) {
        text_add(&emit->text, "(int64_t)UINT64_C(%" PRIu64 ")", constant->bits);
        return TRM_OK;
    }
    if (emit->language == TRM_LANGUAGE_C)
        return emit_index(emit, id);
    text_add(&emit->text, "(int64_t)");
    return emit_value(emit, id, WHOLE);
}

void emit_begin_check(struct emit *emit, const char *function, uint32_t site)
{
    emit_part(emit, "%s", function);
    text_add(&emit->text, "(" EMIT_FAULT ", %" PRIu32 ", ", site);
}

static int32_t write_within(struct emit *emit, const char *name, uint32_t index, const char *count)
{
    emit_begin_check(emit, "within", emit_add_site(emit, name));
    int32_t status = write_index(emit, index);
    text_add(&emit->text, ", %s)", count == NULL ? "" : count);
    return status;
}

static const char *number(struct emit *emit, uint32_t count)
{
    return base_arena_format(emit->arena, "%" PRIu32, count);
}

/* Is the index known to be less than `count`? */
static bool is_inside(const struct emit *emit, uint32_t id, uint32_t count)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);

    return constant != NULL && constant->bits < count;
}

uint32_t emit_argument_buffers(const struct emit *emit)
{
    const struct trm_kernel_info *kernel = &emit->reflection.kernels[0];
    uint32_t buffers                     = 0;

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        uint32_t count                        = trm_parameter_count(parameter);
        if (trm_parameter_element(parameter) == TRM_PARAMETER_BUFFER)
            buffers += count != 0 ? count : TRM_ARRAY_MOST;
    }
    return buffers;
}

/* Checks what a variable pointer points to: all of it must be inside of one buffer of the launch, or of the
 * shared memory. */
static int32_t check_pointer(struct emit *emit, const struct access *access)
{
    const struct spirv_variable *variable = emit->module->ids[access->variable].as.variable;
    bool is_shared                        = variable->storage == SpvStorageClassWorkgroup;
    const struct spirv_type *type         = spirv_type(
                emit->module, spirv_type(emit->module, spirv_type(emit->module, variable->type)->element)->element);

    if (!variable->is_memory || variable->is_physical)
        return TRM_OK;
    if (type->is_unsized)
        return emit_fail(emit, "a buffer of unknown size that is chosen at run time cannot be checked");
    emit_begin_check(emit, "points",
                     emit_add_site(emit, is_shared ? "shared memory, through a pointer"
                                                   : "a buffer's bytes, through a pointer"));
    int32_t status = emit_value(emit, access->indices[0], WHOLE);
    text_add(&emit->text, ", %" PRIu32 ", ", is_shared ? type->natural_size : type->size);
    if (emit->language == TRM_LANGUAGE_CUDA)
        text_add(&emit->text, "%s)", is_shared ? EMIT_SHARED_SPANS : EMIT_BUFFER_SPANS);
    else if (is_shared)
        text_add(&emit->text, "&(const struct trm_cpu_buffer){shared, %s_SHARED_BYTES}, 1)", emit->symbol);
    else
        text_add(&emit->text, "(const struct trm_cpu_buffer *)(const void *)&arguments, %" PRIu32 ")",
                 emit_argument_buffers(emit));
    return status;
}

int32_t emit_check_path(struct emit *emit, const struct access *access, const char **check)
{
    size_t length   = emit->text.length;
    uint32_t type   = spirv_type_of(emit->module, access->variable)->element;
    uint32_t levels = emit_levels(emit, access->variable);

    *check = NULL;
    if (!(emit->flags & TRM_TRANSLATE_BOUNDS))
        return TRM_OK;
    int32_t status = check_pointer(emit, access);
    for (uint32_t i = 0; i < access->count && status == TRM_OK; i++) {
        const struct spirv_type *info = spirv_type(emit->module, type);
        if (info->kind == SPIRV_STRUCT) {
            type = info->members[spirv_constant(emit->module, access->indices[i])->bits].type;
            continue;
        }
        uint32_t count = info->kind == SPIRV_COOPERATIVE ? emit_matrix_elements(emit, type) : info->count;
        if (info->kind != SPIRV_RUNTIME_ARRAY && !is_inside(emit, access->indices[i], count)) {
            text_add(&emit->text, emit->text.length == length ? "" : " && ");
            status = write_within(emit, emit_what(emit, access, i), access->indices[i], number(emit, count));
        }
        if (info->kind == SPIRV_RUNTIME_ARRAY && i < levels && !is_inside(emit, access->indices[i], 1)) {
            text_add(&emit->text, emit->text.length == length ? "" : " && ");
            status = write_within(emit, emit_what(emit, access, i), access->indices[i],
                                  emit_element_count(emit, emit->buffers[access->variable]));
        }
        type = info->element;
    }
    if (emit->text.length != length)
        *check = emit_detach(emit, length);
    return status;
}

int32_t emit_check_vector(struct emit *emit, uint32_t vector, uint32_t index, const char **check)
{
    const struct spirv_type *type = spirv_type_of(emit->module, vector);
    const char *word              = emit_word(emit, vector);
    bool has_word                 = word != NULL && word[0] != '\0';
    size_t length                 = emit->text.length;

    *check = NULL;
    if (!(emit->flags & TRM_TRANSLATE_BOUNDS) || is_inside(emit, index, type->count))
        return TRM_OK;
    int32_t status = write_within(emit, has_word ? what(emit, "vector", word) : "a vector", index,
                                  number(emit, type->count));
    *check         = emit_detach(emit, length);
    return status;
}

void emit_begin_checked(struct emit *emit, const char *check)
{
    if (check != NULL)
        text_add(&emit->text, "(%s ? ", check);
}

void emit_end_checked(struct emit *emit, const char *check, uint32_t type)
{
    if (check == NULL)
        return;
    if (emit_components(emit, type) != 0)
        text_add(&emit->text, " : 0)");
    else if (emit->language == TRM_LANGUAGE_C)
        text_add(&emit->text, " : (%s){0})", emit_type_name(emit, type));
    else
        text_add(&emit->text, " : %s{})", emit_type_name(emit, type) + sizeof("struct ") - 1);
}
