/* The checks of a call.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/collective/collective.h"

static const char *id_of(const struct pipeline_collective *collective, uint32_t index)
{
    return collective->group->devices[index]->id;
}

/* ---- streams and spans ---------------------------------------------------------------------- */

int32_t pipeline_collective_fail_stream(const struct pipeline_collective *collective, const char *name,
                                        uint32_t index, int32_t status)
{
    struct base_saved_error saved;
    char sentence[sizeof(saved.text)];

    base_error_complete(status);
    base_error_save(&saved);
    snprintf(sentence, sizeof(sentence), "%s: stream %" PRIu32 ", of %s: %s", name, index,
             id_of(collective, index), trm_last_error().sentence);
    return base_fail_native(status, saved.native_code, sentence);
}

int32_t pipeline_collective_check_stream(const struct pipeline_collective *collective, const char *name,
                                         struct trm_stream *handle, uint32_t index)
{
    const struct core_device *device = collective->group->devices[index];
    struct core_stream *stream;

    int32_t status = core_stream_begin_live(handle, name, &stream);
    if (status != TRM_OK)
        return pipeline_collective_fail_stream(collective, name, index, status);
    return stream->device == device
               ? TRM_OK
               : base_fail(TRM_ERROR_WRONG_DEVICE,
                           "%s: stream %" PRIu32 " belongs to another device (%s) than the group's (%s)",
                           name, index, stream->device->id, device->id);
}

int32_t pipeline_collective_check_span(const struct pipeline_collective *collective, const char *what,
                                       uint32_t number, uint32_t index, struct trm_span given,
                                       struct trm_span *span)
{
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = core_span_resolve(given, &buffer, &length);
    if (status != TRM_OK)
        return base_fail(status, "%s %" PRIu32 " of %s: %s", what, number, id_of(collective, index),
                         trm_last_error().sentence);
    if (buffer->device != collective->group->devices[index])
        return base_fail(TRM_ERROR_WRONG_DEVICE, "%s %" PRIu32 " of %s belongs to another device (%s)", what,
                         number, id_of(collective, index), buffer->device->id);
    *span = trm_span_of(given.buffer, given.offset, length);
    return TRM_OK;
}

static int32_t check_element(const struct pipeline_collective *collective, const struct pipeline_call *call,
                             const char *what, uint32_t number, uint32_t index, const struct trm_span *span)
{
    if (span->length % call->element == 0 && span->offset % call->element == 0)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "%s %" PRIu32 " of %s has %" PRIu64 " bytes from offset %" PRIu64
                     " on, not a whole number of elements of %" PRIu32 " bytes",
                     what, number, id_of(collective, index), span->length, span->offset, call->element);
}

static int32_t check_length(const struct pipeline_collective *collective, const char *what, uint32_t number,
                            uint32_t index, uint64_t length, uint64_t expected)
{
    if (length == expected)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s %" PRIu32 " of %s has %" PRIu64 " bytes, not %" PRIu64,
                     what, number, id_of(collective, index), length, expected);
}

/* ---- what belongs together ------------------------------------------------------------------ */

static uint32_t outputs_of(const struct pipeline_call *call)
{
    return call->kind == PIPELINE_REDUCE ? 1 : call->devices;
}

/* The device of an output, by its place among those of a number. */
static uint32_t device_of(const struct pipeline_call *call, uint32_t place)
{
    return call->kind == PIPELINE_REDUCE ? call->root : place;
}

/* The range of an input that its device's output may be; length 0: none. */
static struct trm_span own_part(const struct pipeline_call *call, uint32_t device, struct trm_span input,
                                uint64_t output_bytes)
{
    if (call->kind == PIPELINE_ALL_TO_ALL)
        return trm_span_of(NULL, 0, 0);
    if (call->kind == PIPELINE_REDUCE_SCATTER)
        return trm_span_of(input.buffer, input.offset + device * output_bytes, output_bytes);
    return input;
}

static bool do_overlap(struct trm_span a, struct trm_span b)
{
    return a.buffer == b.buffer && a.length != 0 && b.length != 0 && a.offset < b.offset + b.length &&
           b.offset < a.offset + a.length;
}

static bool are_same(struct trm_span a, struct trm_span b)
{
    return a.buffer == b.buffer && a.offset == b.offset && a.length == b.length;
}

/* An output of a number, beside the input of its device. */
static int32_t check_overlap(const struct pipeline_collective *collective, struct pipeline_call *call,
                             uint32_t number, uint32_t device, struct trm_span output, struct trm_span input)
{
    struct trm_span own = own_part(call, device, input, output.length), place = output;

    if (call->kind == PIPELINE_ALL_GATHER)
        place = trm_span_of(output.buffer, output.offset + device * input.length, input.length);
    if (call->kind == PIPELINE_BROADCAST || !do_overlap(output, input))
        return TRM_OK;
    if (!are_same(place, own))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s: output %" PRIu32 " of %s overlaps with the input and is not the same span",
                         call->name, number, id_of(collective, device));
    call->is_in_place = true;
    return TRM_OK;
}

/* The bytes of an output, for inputs of `bytes`. */
static int32_t find_output_bytes(const struct pipeline_call *call, uint32_t number, uint64_t bytes,
                                 uint64_t *output_bytes)
{
    bool is_divided  = call->kind == PIPELINE_REDUCE_SCATTER || call->kind == PIPELINE_ALL_TO_ALL;
    uint32_t devices = call->devices > 0 ? call->devices : 1; /* of a group there is at least one */
    uint64_t whole   = call->element > 0 ? (uint64_t)devices * call->element : devices;

    if (is_divided && bytes % whole != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s: input %" PRIu32 " has %" PRIu64
                         " bytes, which cannot be divided evenly among %" PRIu32 " devices",
                         call->name, number, bytes, devices);
    *output_bytes = call->kind == PIPELINE_REDUCE_SCATTER ? bytes / devices
                    : call->kind == PIPELINE_ALL_GATHER   ? bytes * devices
                                                          : bytes;
    return TRM_OK;
}

/* An imported or pinned buffer may be memory that a library of collectives does not take. */
static void note_kind(const struct pipeline_collective *collective, struct pipeline_call *call,
                      struct trm_span span)
{
    const struct core_buffer *buffer = collective->has_native ? core_buffer_find(span.buffer) : NULL;

    call->is_device = call->is_device && buffer != NULL && buffer->kind == TRM_MEMORY_DEVICE;
}

static int32_t check_number(struct pipeline_collective *collective, struct pipeline_call *call,
                            const struct pipeline_request *request, uint32_t number)
{
    uint32_t devices = call->devices, outputs = outputs_of(call);
    struct trm_span *in  = &call->inputs[number * (uint64_t)devices],
                    *out = &call->outputs[number * (uint64_t)outputs];
    uint64_t bytes       = 0;
    int32_t status       = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < devices; d++) {
        status = pipeline_collective_check_span(collective, "input", number, d,
                                                request->inputs[number * (uint64_t)devices + d], &in[d]);
        if (status == TRM_OK)
            status = check_element(collective, call, "input", number, d, &in[d]);
        if (status == TRM_OK)
            status = check_length(collective, "input", number, d, in[d].length, in[0].length);
    }
    if (status == TRM_OK)
        status = find_output_bytes(call, number, in[0].length, &bytes);
    for (uint32_t i = 0; status == TRM_OK && i < outputs; i++) {
        uint32_t d = device_of(call, i);
        status     = pipeline_collective_check_span(collective, "output", number, d,
                                                    request->outputs[number * (uint64_t)outputs + i], &out[i]);
        if (status == TRM_OK)
            status = check_element(collective, call, "output", number, d, &out[i]);
        if (status == TRM_OK)
            status = check_length(collective, "output", number, d, out[i].length, bytes);
        if (status == TRM_OK)
            status = check_overlap(collective, call, number, d, out[i], in[d]);
        if (status == TRM_OK && out[i].offset % collective->aligns != 0)
            call->is_aligned = false;
    }
    if (status != TRM_OK)
        return status;
    for (uint32_t d = 0; d < devices; d++)
        note_kind(collective, call, in[d]);
    for (uint32_t i = 0; i < outputs; i++)
        note_kind(collective, call, out[i]);
    for (uint32_t d = 0; d < devices; d++)
        if (in[d].offset % collective->aligns != 0)
            call->is_aligned = false;
    if (call->kind == PIPELINE_REDUCE_SCATTER && bytes % collective->aligns != 0)
        call->is_aligned = false;
    call->bytes += in[0].length > bytes ? in[0].length : bytes;
    return TRM_OK;
}

/* ---- the call ------------------------------------------------------------------------------- */

static int32_t check_numbers(const struct pipeline_collective *collective,
                             const struct pipeline_request *request, struct pipeline_call *call)
{
    if (request->root >= collective->devices)
        return pipeline_group_fail_index(collective->group, request->root);
    call->element = 1;
    if (!pipeline_kind_reduces(request->kind))
        return TRM_OK;
    if (request->operation < TRM_REDUCE_SUM || request->operation > TRM_REDUCE_AVERAGE)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s: %" PRId32 " is not an operation of enum trm_reduction", request->name,
                         request->operation);
    if (pipeline_reduce_index(request->type) < 0 && trm_type_size(request->type) == 0)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "%s: %" PRId32
                         " is no type of elements that are combined, only f16, bf16, f32, f64, "
                         "i32 and i64",
                         request->name, request->type);
    if (pipeline_reduce_index(request->type) < 0)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "%s: elements of type %s are not combined, only f16, bf16, f32, f64, i32 and i64",
                         request->name, trm_type_name(request->type));
    call->element = trm_type_size(request->type);
    return TRM_OK;
}

static int32_t check_pointers(const struct pipeline_request *request)
{
    const char *missing = request->streams == NULL                         ? "streams"
                          : request->count > 0 && request->inputs == NULL  ? "inputs"
                          : request->count > 0 && request->outputs == NULL ? "outputs"
                                                                           : NULL;

    return missing == NULL
               ? TRM_OK
               : base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s: `%s` is NULL", request->name, missing);
}

static int32_t get_space(struct pipeline_collective *collective, struct pipeline_call *call,
                         struct trm_span *space)
{
    uint64_t spans = (uint64_t)call->count * call->devices * 2;

    call->space_bytes = 0;
    if (call->count > 1) {
        call->space_bytes = spans * sizeof(struct trm_span);
        space             = core_allocate(collective->object.context, call->space_bytes);
        if (space == NULL) {
            call->space_bytes = 0;
            return base_fail_memory("starting a collective");
        }
    }
    call->inputs  = space;
    call->outputs = space + spans / 2;
    return TRM_OK;
}

int32_t pipeline_call_check(struct pipeline_collective *collective, const struct pipeline_request *request,
                            struct trm_span *space, struct pipeline_call *call)
{
    *call          = (struct pipeline_call){.kind       = request->kind,
                                            .name       = request->name,
                                            .devices    = collective->devices,
                                            .count      = request->count,
                                            .root       = request->root,
                                            .type       = request->type,
                                            .operation  = request->operation,
                                            .is_aligned = true,
                                            .is_device  = true,
                                            .streams    = request->streams};
    int32_t status = check_pointers(request);
    if (status == TRM_OK)
        status = check_numbers(collective, request, call);
    for (uint32_t d = 0; status == TRM_OK && d < call->devices; d++)
        status = pipeline_collective_check_stream(collective, call->name, request->streams[d], d);
    if (status == TRM_OK)
        status = get_space(collective, call, space);
    for (uint32_t k = 0; status == TRM_OK && k < call->count; k++)
        status = check_number(collective, call, request, k);
    return status;
}

void pipeline_call_fini(const struct pipeline_collective *collective, struct pipeline_call *call)
{
    if (call->space_bytes != 0)
        core_free(collective->object.context, call->inputs, call->space_bytes);
    call->space_bytes = 0;
}
