/* A backend's own collectives.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/communicator.h"

#include "core/memory/memory.h"

/* The most devices of a communicator. */
#define MOST 16u
/* Places of a call for which nothing is allocated. */
#define FEW (2u * MOST)

struct core_communicator {
    struct core_communicator *next; /* in a list of those that were set aside */
    struct core_context *context;
    const struct core_backend *backend;
    struct trm_backend_communicator *communicator;
    uint32_t count;
    struct core_in_flight in_flight; /* its operations */
};

/* ---- life ----------------------------------------------------------------------------------- */

bool core_communicator_is_possible(struct core_device *const *devices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i]->backend != devices[0]->backend)
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (devices[k]->index == devices[i]->index)
                return false;
    }
    return count > 0 && count <= MOST && devices[0]->backend->collective.create != NULL;
}

int32_t core_communicator_create(struct core_device *const *devices, uint32_t count,
                                 struct core_communicator **communicator)
{
    struct trm_backend_device *theirs[MOST];
    const struct core_backend *backend = devices[0]->backend;

    if (!core_communicator_is_possible(devices, count))
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "the devices are not different ones of a backend with collectives of its own");
    struct core_communicator *made = core_allocate(backend->context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("collectives of a backend");
    *made = (struct core_communicator){.context = backend->context, .backend = backend, .count = count};
    for (uint32_t i = 0; i < count; i++)
        theirs[i] = devices[i]->device;
    base_error_clear();
    int32_t status = core_answer_object(backend, "collective.create",
                                        backend->collective.create(theirs, count, &made->communicator),
                                        "communicator", &made->communicator);
    if (status != TRM_OK) {
        core_free(backend->context, made, sizeof(*made));
        return base_fail_backend(status);
    }
    *communicator = made;
    return TRM_OK;
}

void core_communicator_destroy(struct core_communicator *communicator)
{
    if (communicator == NULL)
        return;
    core_in_flight_wait(&communicator->in_flight, TRM_FOREVER);
    communicator->backend->collective.destroy(communicator->communicator);
    core_in_flight_fini(communicator->context, &communicator->in_flight);
    core_free(communicator->context, communicator, sizeof(*communicator));
}

void core_communicator_set_aside(struct core_communicator *communicator, struct core_communicator **list)
{
    struct core_communicator **place = list;

    communicator->next = *list;
    *list              = communicator;
    while (*place != NULL) {
        struct core_communicator *one = *place;
        if (core_in_flight_is_done(&one->in_flight)) {
            *place = one->next;
            core_communicator_destroy(one);
        } else {
            place = &one->next;
        }
    }
}

void core_communicator_destroy_list(struct core_communicator *list)
{
    while (list != NULL) {
        struct core_communicator *next = list->next;
        core_communicator_destroy(list);
        list = next;
    }
}

int32_t core_communicator_check(const struct core_communicator *communicator)
{
    const struct core_backend *backend = communicator->backend;

    base_error_clear();
    int32_t status =
        core_answer(backend, "collective.check", backend->collective.check(communicator->communicator));
    return status == TRM_OK ? TRM_OK : base_fail_backend(status);
}

/* ---- a call --------------------------------------------------------------------------------- */

static bool has_one_output(const struct core_communication *call)
{
    return call->kind == TRM_COLLECTIVE_REDUCE;
}

/* Writes the place of a span; or notes that the operation `value` uses it. */
static int32_t visit(struct trm_span span, struct trm_collective_place *place, struct core_stream *stream,
                     uint64_t value)
{
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = core_span_resolve(span, &buffer, &length);
    if (status != TRM_OK)
        return status;
    if (place != NULL)
        *place = (struct trm_collective_place){buffer->memory, buffer->base + span.offset, length};
    else
        core_in_flight_add(&buffer->in_flight, stream, value);
    return TRM_OK;
}

/* Visits all spans; with places: the inputs, and after them the outputs. */
static int32_t visit_all(const struct core_communication *call, uint32_t devices,
                         struct trm_collective_place *places, struct core_stream *stream, uint64_t value)
{
    uint64_t all                         = (uint64_t)call->count * devices;
    struct trm_collective_place *outputs = places != NULL ? places + all : NULL;
    int32_t status                       = TRM_OK;

    for (uint64_t i = 0; status == TRM_OK && i < all; i++)
        status = visit(call->inputs[i], places != NULL ? &places[i] : NULL, stream, value);
    for (uint64_t i = 0; status == TRM_OK && i < (has_one_output(call) ? call->count : all); i++) {
        uint64_t at = has_one_output(call) ? i * devices + call->root : i;
        status      = visit(call->outputs[i], outputs != NULL ? &outputs[at] : NULL, stream, value);
    }
    return status;
}

static uint64_t sum_of(const struct core_communication *call, uint32_t devices)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < (uint64_t)call->count * devices; i++)
        bytes += call->inputs[i].length;
    return bytes;
}

static int32_t enqueue(struct core_communicator *communicator, struct core_stream *stream,
                       const struct core_communication *call, struct trm_collective_place *places)
{
    uint64_t all                    = (uint64_t)call->count * communicator->count;
    uint64_t value                  = core_stream_next(stream);
    struct trm_collective_desc desc = {
        .struct_size = sizeof(desc),
        .kind        = call->kind,
        .type        = call->type,
        .operation   = call->operation,
        .root        = call->root,
        .count       = call->count,
        .inputs      = places,
        .outputs     = places + all,
    };

    int32_t status = visit_all(call, communicator->count, places, NULL, 0);
    if (status != TRM_OK)
        return status;
    base_error_clear();
    status =
        communicator->backend->collective.enqueue(communicator->communicator, stream->backend, value, &desc);
    status = core_stream_commit_work(stream, value, "collective.enqueue", status, CORE_WORK_COPY,
                                     sum_of(call, communicator->count));
    if (status != TRM_OK)
        return status;
    core_stream_count(stream, &stream->stats->copies);
    core_in_flight_add(&communicator->in_flight, stream, value);
    return visit_all(call, communicator->count, NULL, stream, value);
}

int32_t core_communicator_enqueue(struct core_communicator *communicator, struct core_stream *stream,
                                  const struct core_communication *call)
{
    struct trm_collective_place few[FEW] = {0}, *places = few;
    uint64_t count = 2 * (uint64_t)call->count * communicator->count;
    uint64_t bytes = count * sizeof(*places);

    if (count > FEW) {
        places = core_allocate(communicator->context, bytes);
        if (places == NULL)
            return base_fail_memory("starting a collective");
    }
    int32_t status = enqueue(communicator, stream, call, places);
    if (places != few)
        core_free(communicator->context, places, bytes);
    return status;
}
