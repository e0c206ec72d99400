/* Launches: kernels with arrays of buffers, images or samplers. Backends get each element as an argument.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/module/kernel_interface.h"
#include "core/module/launch.h"

/* How many arguments an array is for the backend. */
static uint32_t entries_of(const struct trm_parameter *parameter)
{
    uint32_t count = trm_parameter_count(parameter);

    return count != 0 ? count : TRM_ARRAY_MOST;
}

static bool is_member(const struct trm_parameter *parameter)
{
    return parameter->kind == TRM_PARAMETER_SCALAR || parameter->kind == TRM_PARAMETER_BLOCK;
}

/* argument 3 "a" */
static uint32_t place_argument(const struct core_kernel *kernel, uint32_t index, char text[CORE_PLACE_TEXT])
{
    snprintf(text, CORE_PLACE_TEXT, "argument %" PRIu32 " \"%.80s\"", index,
             core_parameter_name(&kernel->parameters[index]));
    return index;
}

uint32_t core_launch_place(const struct core_kernel *kernel, uint32_t index, char text[CORE_PLACE_TEXT])
{
    uint32_t first = 0, i = 0;

    for (; kernel->flat != NULL && i < kernel->parameter_count && !is_member(&kernel->parameters[i]); i++) {
        uint32_t count = entries_of(&kernel->parameters[i]);
        if (index - first >= count) {
            first += count;
            continue;
        }
        if (!trm_parameter_is_array(&kernel->parameters[i]))
            return place_argument(kernel, i, text);
        snprintf(text, CORE_PLACE_TEXT, "element %" PRIu32 " of argument %" PRIu32 " \"%.80s\"",
                 index - first, i, core_parameter_name(&kernel->parameters[i]));
        return i;
    }
    if (kernel->flat != NULL) /* the members of the push constants are last in both lists */
        index -= kernel->flat_count - kernel->parameter_count;
    return place_argument(kernel, index, text);
}

/* ---- checks -------------------------------------------------------------------------------- */

static int32_t check_count(const struct core_kernel *kernel, uint32_t index, uint64_t given)
{
    const struct trm_parameter *parameter = &kernel->parameters[index];
    uint32_t count                        = trm_parameter_count(parameter);
    const char *name                      = core_parameter_name(&kernel->parameters[index]);

    if (count != 0 && given != count)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" is an array of %" PRIu32
                         " elements, but %" PRIu64 " were given",
                         index, name, kernel->name, count, given);
    if (count == 0 && (given == 0 || given > TRM_ARRAY_MOST))
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "argument %" PRIu32
                         " \"%s\" of kernel \"%s\" is an array of 1 to %u elements, but %" PRIu64
                         " were given",
                         index, name, kernel->name, TRM_ARRAY_MOST, given);
    return TRM_OK;
}

static int32_t check_element(const struct core_kernel *kernel, uint32_t index, uint32_t number,
                             const struct trm_argument *element)
{
    const struct trm_parameter *parameter = &kernel->parameters[index];

    if (element->name != NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "element %" PRIu32 " of argument %" PRIu32 " \"%s\" of kernel \"%s\" has a name",
                         number, index, core_parameter_name(&kernel->parameters[index]), kernel->name);
    if (element->kind == trm_parameter_element(parameter))
        return TRM_OK;
    return base_fail(TRM_ERROR_TYPE_MISMATCH,
                     "element %" PRIu32 " of argument %" PRIu32
                     " \"%s\" of kernel \"%s\" has another kind than the "
                     "parameter (%" PRId32 " instead of %" PRId32 ")",
                     number, index, core_parameter_name(&kernel->parameters[index]), kernel->name,
                     element->kind, trm_parameter_element(parameter));
}

int32_t core_launch_check_array(const struct core_kernel *kernel, uint32_t index,
                                const struct trm_argument *given)
{
    const struct trm_argument *elements = given->value.array.elements;

    if (given->kind != TRM_ARGUMENT_ARRAY)
        return core_launch_fail_argument(kernel, index, given);
    int32_t status = check_count(kernel, index, given->value.array.count);
    if (status == TRM_OK && elements == NULL)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT,
                           "argument %" PRIu32 " \"%s\" of kernel \"%s\": the elements of the array are NULL",
                           index, core_parameter_name(&kernel->parameters[index]), kernel->name);
    for (uint32_t i = 0; status == TRM_OK && i < given->value.array.count; i++)
        status = check_element(kernel, index, i, &elements[i]);
    return status;
}

/* ---- the arguments for the backend --------------------------------------------------------- */

static void add_array(const struct trm_parameter *parameter, const struct trm_argument *given,
                      struct trm_argument *flat)
{
    uint32_t count = entries_of(parameter);

    memcpy(flat, given->value.array.elements, given->value.array.count * sizeof(*flat));
    for (uint32_t i = (uint32_t)given->value.array.count; i < count; i++)
        flat[i] = (struct trm_argument){.kind = CORE_ARGUMENT_NONE};
}

/* The order is that of spirv_flatten(). */
static int32_t expand(const struct core_kernel *kernel, const struct trm_argument *given,
                      struct trm_argument *flat)
{
    static const struct trm_argument none;
    uint32_t count = kernel->parameter_count;
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        if (is_member(parameter))
            continue;
        if (trm_parameter_is_array(parameter))
            status = core_launch_check_array(kernel, i, &given[i]);
        else if (!core_launch_takes(parameter, &given[i]))
            status = core_launch_fail_argument(kernel, i, &given[i]);
        if (status != TRM_OK)
            return status;
        if (trm_parameter_is_array(parameter))
            add_array(parameter, &given[i], flat);
        else
            *flat = given[i];
        flat += entries_of(parameter);
    }
    for (uint32_t i = 0; i < count; i++)
        if (trm_parameter_count(&kernel->parameters[i]) == 0)
            *flat++ = trm_arg_u64(given[i].value.array.count);
    /* A program that gives the kind NONE itself gets the error of a wrong kind. */
    for (uint32_t i = 0; i < count; i++)
        if (is_member(&kernel->parameters[i]))
            *flat++ = given[i].kind == CORE_ARGUMENT_NONE ? none : given[i];
    return TRM_OK;
}

int32_t core_launch_arrays(struct core_stream *stream, struct core_kernel *kernel,
                           const struct trm_grid *grid, const struct trm_argument *arguments,
                           uint32_t reached_count)
{
    struct core_context *context = kernel->object.context;
    uint32_t count               = kernel->parameter_count;
    uint64_t all                 = (uint64_t)count + kernel->flat_count + reached_count;

    struct trm_argument *arranged = core_allocate(context, all * sizeof(struct trm_argument));
    if (arranged == NULL)
        return base_fail_memory("launching a kernel");
    struct trm_argument *flat = arranged + count;
    int32_t status            = core_launch_arrange(kernel, arguments, count, arranged);
    for (uint32_t i = 0; i < count; i++)
        arranged[i].name = NULL;
    if (status == TRM_OK)
        status = expand(kernel, arranged, flat);
    if (reached_count != 0)
        memcpy(flat + kernel->flat_count, arguments + count, reached_count * sizeof(struct trm_argument));
    if (status == TRM_OK)
        status = core_launch_flat(stream, kernel, grid, flat, reached_count);
    core_free(context, arranged, all * sizeof(struct trm_argument));
    return status;
}
