/* Launches: arguments by name, and the error sentences of arguments.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/module/kernel_interface.h"
#include "core/module/launch.h"

#define NAMES_BYTES 240

/* ---- types --------------------------------------------------------------------------------- */

static const char *article(const char *type)
{
    return type[0] == 'i' || type[0] == 'f' ? "an" : "a";
}

static const char *describe(const struct trm_argument *given, char text[CORE_PARAMETER_TEXT])
{
    switch (given->kind) {
    case TRM_PARAMETER_BUFFER:
        return "a buffer";
    case TRM_PARAMETER_SCALAR:
        snprintf(text, CORE_PARAMETER_TEXT, "%s %s", article(trm_type_name(given->type)),
                 trm_type_name(given->type));
        return text;
    case TRM_PARAMETER_BLOCK:
        snprintf(text, CORE_PARAMETER_TEXT, "a block of %" PRIu64 " bytes", given->value.block.size);
        return text;
    case TRM_PARAMETER_IMAGE:
        return "a storage image";
    case TRM_PARAMETER_TEXTURE:
        return "a sampled image without a sampler";
    case TRM_PARAMETER_SAMPLER:
        return "a sampler";
    case TRM_PARAMETER_SAMPLED_IMAGE:
        return "a sampled image with a sampler";
    case TRM_PARAMETER_TEXELS:
        return "a texel buffer";
    case TRM_ARGUMENT_ARRAY:
        snprintf(text, CORE_PARAMETER_TEXT, "an array of %" PRIu64 " element%s", given->value.array.count,
                 base_plural(given->value.array.count));
        return text;
    case TRM_ARGUMENT_PORT:
    case TRM_ARGUMENT_PORT_IMAGE:
        return "a port, which only stages of pipelines have,";
    case TRM_ARGUMENT_PORT_ELEMENTS:
        return "the elements of a port, which only stages of pipelines have,";
    case TRM_ARGUMENT_REACHED:
        return "a buffer that is reached through an address, which follows all arguments,";
    default:
        return "a value of unknown kind";
    }
}

bool core_launch_takes(const struct trm_parameter *parameter, const struct trm_argument *given)
{
    bool is_bytes = parameter->kind == TRM_PARAMETER_BYTES;

    switch (given->kind) {
    case TRM_PARAMETER_BUFFER:
        return parameter->kind == given->kind || (is_bytes && parameter->size == sizeof(uint64_t));
    case TRM_PARAMETER_SCALAR:
        return is_bytes ? trm_type_size(given->type) == parameter->size && parameter->size != 0
                        : parameter->kind == given->kind && parameter->type == given->type;
    case TRM_PARAMETER_BLOCK:
        return (is_bytes || parameter->kind == given->kind) && given->value.block.size == parameter->size;
    case TRM_PARAMETER_IMAGE:
    case TRM_PARAMETER_TEXTURE:
    case TRM_PARAMETER_SAMPLER:
    case TRM_PARAMETER_SAMPLED_IMAGE:
    case TRM_PARAMETER_TEXELS:
        return parameter->kind == given->kind;
    case TRM_ARGUMENT_ARRAY:
        return trm_parameter_is_array(parameter);
    default:
        return false;
    }
}

/* argument 2 "a" of kernel "saxpy" is f32, but an i32 was given */
int32_t core_launch_fail_argument(const struct core_kernel *kernel, uint32_t index,
                                  const struct trm_argument *given)
{
    char is[CORE_PARAMETER_TEXT], what[CORE_PARAMETER_TEXT];

    return base_fail(TRM_ERROR_TYPE_MISMATCH,
                     "argument %" PRIu32 " \"%s\" of kernel \"%s\" is %s, but %s was given", index,
                     core_parameter_name(&kernel->parameters[index]), kernel->name,
                     core_parameter_text(&kernel->parameters[index], is), describe(given, what));
}

/* ---- names --------------------------------------------------------------------------------- */

static void list_names(const struct core_kernel *kernel, char names[NAMES_BYTES])
{
    size_t length = 0;

    names[0] = '\0';
    for (uint32_t i = 0; i < kernel->parameter_count && length < NAMES_BYTES; i++)
        length += (size_t)snprintf(names + length, NAMES_BYTES - length, "%s%s", i == 0 ? "" : ", ",
                                   core_parameter_name(&kernel->parameters[i]));
    if (length >= NAMES_BYTES)
        memcpy(names + NAMES_BYTES - 4, "...", 4);
}

/* kernel "saxpy" has 3 arguments (x, y, a), but 2 were given by position */
static int32_t fail_count(const struct core_kernel *kernel, uint32_t count, const char *how)
{
    uint32_t wanted = kernel->parameter_count;
    bool has_names  = wanted != 0 && core_parameter_name(&kernel->parameters[0])[0] != '\0';
    char names[NAMES_BYTES];

    list_names(kernel, names);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "kernel \"%s\" has %" PRIu32 " argument%s%s%s%s, but %" PRIu32 " %s given%s",
                     kernel->name, wanted, base_plural(wanted), has_names ? " (" : "", has_names ? names : "",
                     has_names ? ")" : "", count, count == 1 ? "was" : "were", how);
}

static int32_t fail_unknown(const struct core_kernel *kernel, const char *name)
{
    char names[NAMES_BYTES];

    list_names(kernel, names);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "kernel \"%s\" has no parameter \"%s\"; there are: %s",
                     kernel->name, name, names);
}

static int32_t fail_missing(const struct core_kernel *kernel, uint32_t index)
{
    char is[CORE_PARAMETER_TEXT];

    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "argument %" PRIu32 " \"%s\" of kernel \"%s\" is missing; it is %s", index,
                     core_parameter_name(&kernel->parameters[index]), kernel->name,
                     core_parameter_text(&kernel->parameters[index], is));
}

static uint32_t find_parameter(const struct core_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (strcmp(core_parameter_name(&kernel->parameters[i]), name) == 0)
            return i;
    return UINT32_MAX;
}

/* Puts a named argument in its place, where the kind is 0 while it is missing. */
static int32_t put_named(const struct core_kernel *kernel, const struct trm_argument *given,
                         struct trm_argument *arranged)
{
    uint32_t index = find_parameter(kernel, given->name);

    if (index == UINT32_MAX)
        return fail_unknown(kernel, given->name);
    if (arranged[index].kind != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" is given twice", index, given->name,
                         kernel->name);
    if (given->kind == 0)
        return core_launch_fail_argument(kernel, index, given);
    arranged[index] = *given;
    return TRM_OK;
}

int32_t core_launch_arrange(const struct core_kernel *kernel, const struct trm_argument *given,
                            uint32_t count, struct trm_argument *arranged)
{
    uint32_t positions = 0;
    int32_t status     = TRM_OK;

    while (positions < count && given[positions].name == NULL)
        positions++;
    if (positions > kernel->parameter_count)
        return fail_count(kernel, positions, " by position");
    memset(arranged, 0, kernel->parameter_count * sizeof(*arranged));
    for (uint32_t i = 0; i < positions; i++) {
        if (given[i].kind == 0)
            return core_launch_fail_argument(kernel, i, &given[i]);
        arranged[i] = given[i];
    }
    for (uint32_t i = positions; i < count && status == TRM_OK; i++) {
        if (given[i].name == NULL)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "argument %" PRIu32 " of kernel \"%s\" has no name, but follows one that has", i,
                             kernel->name);
        status = put_named(kernel, &given[i], arranged);
    }
    for (uint32_t i = 0; i < kernel->parameter_count && status == TRM_OK; i++)
        if (arranged[i].kind == 0)
            status = fail_missing(kernel, i);
    return status;
}

/* ---- counts -------------------------------------------------------------------------------- */

int32_t core_launch_fail_count(const struct core_kernel *kernel, const struct trm_argument *given,
                               uint32_t count)
{
    struct core_context *context = kernel->object.context;
    uint64_t size                = (uint64_t)kernel->parameter_count * sizeof(struct trm_argument);

    /* If there are too many, the count itself may be wrong, so no argument is read. */
    if (given == NULL || count == 0 || count > kernel->parameter_count || given[count - 1].name == NULL)
        return fail_count(kernel, count, "");
    struct trm_argument *arranged = core_allocate(context, size);
    if (arranged == NULL)
        return base_fail_memory("launching a kernel");
    int32_t status = core_launch_arrange(kernel, given, count, arranged);
    core_free(context, arranged, size);
    return status == TRM_OK ? fail_count(kernel, count, "") : status;
}

/* ---- overlaps ------------------------------------------------------------------------------ */

static bool overlap_in_part(const struct trm_launch_argument *one, const struct trm_launch_argument *other)
{
    return one->kind == TRM_PARAMETER_BUFFER && other->kind == TRM_PARAMETER_BUFFER && one->memory != NULL &&
           one->memory == other->memory && one->offset < other->offset + other->size &&
           other->offset < one->offset + one->size &&
           (one->offset != other->offset || one->size != other->size);
}

static bool is_written(const struct trm_parameter *parameter)
{
    return (parameter->access & TRM_ACCESS_WRITE) != 0;
}

/* How many bytes both have, which overlap. */
static uint64_t common_bytes(const struct trm_launch_argument *one, const struct trm_launch_argument *other)
{
    uint64_t begin = one->offset > other->offset ? one->offset : other->offset;
    uint64_t end = one->offset + one->size, other_end = other->offset + other->size;

    return (end < other_end ? end : other_end) - begin;
}

/* Another thread may be here with the same kernel. */
static void warn_of_overlap(struct core_kernel *kernel, const struct trm_parameter *parameters,
                            const struct trm_launch_argument *arguments, uint32_t i, uint32_t j)
{
    char one[CORE_PLACE_TEXT], other[CORE_PLACE_TEXT];

    if (atomic_exchange_explicit(&kernel->overlap_pairs, 0, memory_order_relaxed) <= 0)
        return;
    core_launch_place(kernel, i, one);
    core_launch_place(kernel, j, other);
    core_object_log(&kernel->object, TRM_LOG_WARNING,
                    "%s and %s of kernel \"%s\" overlap in %" PRIu64 " bytes of their buffer, and \"%s\" is "
                    "written: no work-item may read there what another one writes",
                    one, other, kernel->name, common_bytes(&arguments[i], &arguments[j]),
                    core_parameter_name(&parameters[is_written(&parameters[i]) ? i : j]));
}

void core_launch_warn_of_overlap(struct core_kernel *kernel, const struct trm_parameter *parameters,
                                 const struct trm_launch_argument *arguments, uint32_t count)
{
    uint64_t pairs = (uint64_t)count * (count + 1) / 2; /* with those of a span and itself */

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (overlap_in_part(&arguments[i], &arguments[j]) &&
                (is_written(&parameters[i]) || is_written(&parameters[j]))) {
                warn_of_overlap(kernel, parameters, arguments, i, j);
                return;
            }
    if (pairs > CORE_OVERLAP_PAIRS / 16)
        pairs = CORE_OVERLAP_PAIRS / 16;
    atomic_fetch_sub_explicit(&kernel->overlap_pairs, (int32_t)pairs, memory_order_relaxed);
}
