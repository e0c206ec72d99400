/* Runs the passes and writes the text.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/translate.h"

#include "base/base.h"
#include "compiler/translate/passes/passes.h"
#include "compiler/translate/targets/targets.h"

static const struct emit_target *target_of(int32_t language)
{
    switch (language) {
    case TRM_LANGUAGE_C:
        return &target_c;
    case TRM_LANGUAGE_CUDA:
        return &target_cuda;
    default:
        return NULL;
    }
}

/* The error of a translation that ran out of memory or came to a limit. */
static int32_t no_room(const struct emit *emit)
{
    if (!emit->limit.is_exceeded)
        return base_arena_fail(emit->arena, "translating a shader");
    return base_fail(TRM_ERROR_UNSUPPORTED,
                     "the shader becomes more than %zu bytes of %s, which takes a compiler long; the setting "
                     "kernel.text allows more",
                     emit->limit.bytes, emit->language == TRM_LANGUAGE_C ? "C" : "CUDA C");
}

/* Takes the names of the kernels' functions, which must be unique. */
static int32_t name_symbols(struct emit *emit)
{
    uint32_t count       = emit->reflection.kernel_count;
    const char **symbols = base_arena_allocate(emit->arena, count, sizeof(*symbols));

    if (symbols == NULL)
        return no_room(emit);
    for (uint32_t i = 0; i < count; i++)
        symbols[i] = names_symbol(emit->names, emit->reflection.kernels[i].name);
    emit->symbols = symbols;
    return emit->arena->failed ? no_room(emit) : TRM_OK;
}

/* Makes the parameters' names as members of a struct. */
static int32_t name_fields(struct emit *emit)
{
    const struct trm_kernel_info *kernel = &emit->reflection.kernels[0];
    struct names *names                  = names_create(emit->arena);
    const char **fields = base_arena_allocate(emit->arena, kernel->parameter_count, sizeof(*fields));

    if (names == NULL || fields == NULL)
        return no_room(emit);
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        fields[i] = names_make(names, i, kernel->parameters[i].name, true);
    emit->fields = fields;
    return emit->arena->failed ? no_room(emit) : TRM_OK;
}

/* Runs the passes. */
static int32_t prepare(struct emit *emit, struct body *body)
{
    int32_t status = translate_flatten(body);

    if (status == TRM_OK)
        status = translate_promote(body);
    if (status == TRM_OK)
        status = translate_structure(body);
    if (status == TRM_OK && emit->language == TRM_LANGUAGE_CUDA)
        status = translate_if_convert(body);
    if (status == TRM_OK && emit->language == TRM_LANGUAGE_CUDA && !(emit->flags & TRM_TRANSLATE_FUNCTIONS))
        status = translate_bound_loops(body);
    if (status == TRM_OK && emit->language == TRM_LANGUAGE_C && !body->module->has_leaders)
        status = translate_lockstep(body);
    if (status == TRM_OK && emit->language == TRM_LANGUAGE_C)
        status = translate_split_at_barriers(body);
    if (status == TRM_OK)
        status = translate_place(body);
    if (status == TRM_OK && emit->language == TRM_LANGUAGE_CUDA)
        translate_pair_sines(body);
    return status;
}

static int32_t write_kernel(struct emit *emit, const struct translate_request *request, uint32_t index)
{
    struct body *body = base_arena_allocate(emit->arena, 1, sizeof(*body));

    if (body == NULL)
        return no_room(emit);
    body->module = emit->module;
    body->entry  = &emit->module->entries[index];
    body->arena  = emit->arena;
    body->instruction_limit =
        request->instruction_limit != 0 ? request->instruction_limit : TRANSLATE_INSTRUCTIONS;
    body->checks_bounds   = (emit->flags & TRM_TRANSLATE_BOUNDS) != 0;
    body->checks_barriers = (emit->flags & TRM_TRANSLATE_BARRIERS) != 0 && !body->module->has_leaders;
    int32_t status        = prepare(emit, body);
    if (status != TRM_OK)
        return status;
    emit->body   = body;
    emit->symbol = emit->symbols[index];
    emit->kernel = index;
    emit->at     = NULL;
    return emit->target->kernel(emit);
}

static int32_t begin(struct emit *emit, const struct translate_request *request)
{
    int32_t status = spirv_read(emit->arena, request->words, request->word_count, request->constants,
                                request->constant_count, &emit->module);

    if (status == TRM_OK)
        emit->module->has_leaders = emit->module->has_matrices && emit->language == TRM_LANGUAGE_C;
    if (status == TRM_OK)
        status = spirv_check_fit(emit->module);
    if (status == TRM_OK)
        status = spirv_reflect(emit->module, request->name, &emit->reflection);
    if (status != TRM_OK)
        return status;
    if (emit->reflection.kernel_count == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the module has no compute kernel");
    emit->names = names_create(emit->arena);
    if (emit->names == NULL)
        return no_room(emit);
    text_init(&emit->text, emit->arena, &emit->limit);
    text_init(&emit->head, emit->arena, &emit->limit);
    status = name_symbols(emit);
    return status == TRM_OK ? name_fields(emit) : status;
}

/* Writes the text before the kernels last: it depends on what they use. */
static int32_t finish(struct emit *emit, struct translate_result *result)
{
    emit->target->end(emit);
    emit->target->begin(emit);
    prelude_write(&emit->prelude, &emit->head);
    text_add_bytes(&emit->head, emit->text.bytes, emit->text.length);
    if (emit->arena->failed || emit->head.bytes == NULL)
        return no_room(emit);
    *result = (struct translate_result){
        .text         = emit->head.bytes,
        .length       = emit->head.length,
        .symbols      = emit->symbols,
        .symbol_count = emit->reflection.kernel_count,
    };
    return TRM_OK;
}

int32_t translate(struct base_arena *arena, const struct translate_request *request,
                  struct translate_result *result)
{
    struct emit *emit = base_arena_allocate(arena, 1, sizeof(*emit));

    if (emit == NULL)
        return base_arena_fail(arena, "translating a shader");
    emit->arena            = arena;
    emit->language         = request->language;
    emit->flags            = request->flags;
    emit->digest           = request->digest;
    emit->limit.bytes      = request->text_limit != 0 ? request->text_limit : TRANSLATE_TEXT;
    emit->prelude.language = (uint32_t)request->language;
    emit->target           = target_of(request->language);
    if (emit->target == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "language %d is unknown: use TRM_LANGUAGE_C or TRM_LANGUAGE_CUDA",
                         request->language);
    int32_t status = begin(emit, request);
    if (status == TRM_OK)
        status = emit_types(emit);
    for (uint32_t i = 0; i < emit->reflection.kernel_count && status == TRM_OK; i++)
        status = write_kernel(emit, request, i);
    if (status == TRM_OK)
        status = finish(emit, result);
    return arena->failed && status != TRM_OK ? no_room(emit) : status;
}
