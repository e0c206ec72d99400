/* Addresses in push constants and buffers: the comment that says where they stand, and what runners do with
 * them.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/differential/shader_case_inside.h"

/* address WHERE OFFSET STRIDE COUNT TARGET OFFSET STRIDE */
int shader_case_address(struct shader_case *shader, char **words, uint32_t count)
{
    if (count != 8 || shader->address_count == CASE_ADDRESSES)
        return 0;
    struct case_address *address = &shader->addresses[shader->address_count++];
    address->is_push             = strcmp(words[1], "push") == 0;
    return (address->is_push || shader_case_number(words[1], &address->binding)) &&
           shader_case_number(words[2], &address->offset) && shader_case_number(words[3], &address->stride) &&
           shader_case_number(words[4], &address->count) && shader_case_number(words[5], &address->target) &&
           shader_case_number(words[6], &address->target_offset) &&
           shader_case_number(words[7], &address->target_stride);
}

static uint32_t index_of(const struct shader_case *shader, uint32_t binding)
{
    for (uint32_t i = 0; i < shader->buffer_count; i++)
        if (shader->buffers[i].set == 0 && shader->buffers[i].binding == binding)
            return i;
    return RUN_PUSH;
}

/* An address of a buffer that there is not is left out. */
void shader_case_request_addresses(const struct shader_case *shader, struct run_request *request)
{
    for (uint32_t i = 0; i < shader->address_count; i++) {
        const struct case_address *from = &shader->addresses[i];
        struct run_address *to          = &request->addresses[request->address_count];
        to->where                       = from->is_push ? RUN_PUSH : index_of(shader, from->binding);
        to->target                      = index_of(shader, from->target);
        to->offset                      = from->offset;
        to->stride                      = from->stride;
        to->count                       = from->count;
        to->target_offset               = from->target_offset;
        to->target_stride               = from->target_stride;
        request->address_count += to->target != RUN_PUSH && (from->is_push || to->where != RUN_PUSH);
    }
}

static unsigned char *place_of(const struct run_request *request, const struct run_address *address,
                               uint32_t number)
{
    const struct run_buffer *buffer = address->where == RUN_PUSH ? NULL : &request->buffers[address->where];
    unsigned char *bytes            = buffer ? buffer->bytes : (unsigned char *)request->push;
    size_t size                     = buffer ? buffer->size : request->push_size;
    size_t at                       = address->offset + (size_t)number * address->stride;
    return bytes && at + sizeof(uint64_t) <= size ? bytes + at : NULL;
}

void run_place_addresses(const struct run_request *request, const uint64_t *addresses)
{
    for (uint32_t i = 0; i < request->address_count; i++) {
        const struct run_address *address = &request->addresses[i];
        for (uint32_t k = 0; k < address->count; k++) {
            unsigned char *place = place_of(request, address, k);
            uint64_t value       = addresses == NULL ? 0
                                                     : addresses[address->target] + address->target_offset +
                                                     (uint64_t)k * address->target_stride;
            if (place)
                memcpy(place, &value, sizeof(value));
        }
    }
}
