/* SPDX-License-Identifier: MIT */
#include "tests/differential/trireme_images.h"

static int is_image(const struct run_buffer *buffer)
{
    return buffer->image && buffer->image->type != TRM_IMAGE_BUFFER;
}

/* ---- levels: the bytes of an image are those of its levels, one after the other */

static uint32_t half(uint32_t size, uint32_t level)
{
    return size >> level != 0 ? size >> level : 1;
}

static size_t level_size(const struct run_image *image, uint32_t level)
{
    return (size_t)half(image->width, level) * half(image->height, level) * half(image->depth, level) *
           image->layers * trm_format_size(image->format);
}

static int32_t copy_levels(struct trm_stream *stream, struct trm_image *image,
                           const struct run_buffer *buffer, int is_upload)
{
    unsigned char *bytes = buffer->bytes;
    int32_t status       = TRM_OK;
    for (uint32_t i = 0; i < buffer->image->levels && status == TRM_OK; i++) {
        struct trm_image_region region = {.struct_size = sizeof(region), .level = i};
        status                         = is_upload ? trm_image_upload(stream, image, &region, bytes, 0, 0)
                                                   : trm_image_download(stream, bytes, image, &region, 0, 0);
        bytes += level_size(buffer->image, i);
    }
    return status;
}

/* ---- making */

static int32_t make_image(struct trm_device *device, struct trm_stream *stream,
                          const struct run_buffer *buffer, struct trm_image **image)
{
    const struct run_image *from = buffer->image;
    struct trm_image_desc desc   = {
          .struct_size = sizeof(desc),
          .type        = from->type,
          .format      = from->format,
          .width       = from->width,
          .height      = from->height,
          .depth       = from->depth,
          .layers      = from->layers,
          .levels      = from->levels,
    };
    int32_t status = trm_image_create(device, &desc, image);
    return status == TRM_OK ? copy_levels(stream, *image, buffer, 1) : status;
}

static int32_t make_sampler(struct trm_device *device, const struct run_sampler *from,
                            struct trm_sampler **sampler)
{
    struct trm_sampler_desc desc = {
        .struct_size  = sizeof(desc),
        .filter       = from->filter,
        .mip_filter   = from->mip_filter,
        .address      = {from->address, from->address, from->address},
        .border       = from->border,
        .unnormalized = (uint32_t)from->texels,
        .compare      = from->compare,
    };
    return trm_sampler_create(device, &desc, sampler);
}

/* Writes the addresses that the shader needs, and uploads the buffers once more. */
static int32_t place_addresses(const struct trireme_memory *memory, struct trm_stream *stream,
                               const struct run_request *request)
{
    uint64_t addresses[MEMORY_MOST] = {0};
    int32_t status                  = TRM_OK;
    for (uint32_t i = 0; i < request->buffer_count && status == TRM_OK; i++)
        if (!is_image(&request->buffers[i]))
            status = trm_buffer_address(memory->buffers[i], &addresses[i]);
    if (status == TRM_OK)
        run_place_addresses(request, addresses);
    for (uint32_t i = 0; i < request->buffer_count && status == TRM_OK; i++)
        if (!is_image(&request->buffers[i]))
            status = trm_upload(stream, trm_span_whole(memory->buffers[i]), request->buffers[i].bytes);
    return status == TRM_OK ? trm_stream_sync(stream) : status;
}

int32_t trireme_memory_make(struct trireme_memory *memory, struct trm_device *device,
                            struct trm_stream *stream, const struct run_request *request)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; i < request->buffer_count && status == TRM_OK; i++) {
        const struct run_buffer *buffer = &request->buffers[i];
        struct trm_buffer_desc desc     = {
                .struct_size = sizeof(desc),
                .size        = buffer->size,
                .data        = buffer->bytes,
        };
        status = is_image(buffer) ? make_image(device, stream, buffer, &memory->images[i])
                                  : trm_buffer_create_from(device, &desc, &memory->buffers[i]);
    }
    for (uint32_t i = 0; i < request->sampler_count && status == TRM_OK; i++)
        status = make_sampler(device, &request->samplers[i], &memory->samplers[i]);
    if (status == TRM_OK && request->address_count != 0)
        status = place_addresses(memory, stream, request);
    return status;
}

int32_t trireme_memory_read(const struct trireme_memory *memory, struct trm_stream *stream,
                            const struct run_request *request)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; i < request->buffer_count && status == TRM_OK; i++) {
        const struct run_buffer *buffer = &request->buffers[i];
        status                          = is_image(buffer) ? copy_levels(stream, memory->images[i], buffer, 0)
                                                           : trm_download(stream, buffer->bytes, trm_span_whole(memory->buffers[i]));
    }
    return status == TRM_OK ? trm_stream_sync(stream) : status;
}

void trireme_memory_end(struct trireme_memory *memory)
{
    for (uint32_t i = 0; i < MEMORY_MOST; i++) {
        trm_buffer_destroy(memory->buffers[i]);
        trm_image_destroy(memory->images[i]);
        trm_sampler_destroy(memory->samplers[i]);
    }
}

/* ---- arguments */

/* Sampler number `element` of a binding; an array of images that are sampled may have one for all. */
static struct trm_sampler *sampler_of(const struct trireme_memory *memory, const struct run_request *request,
                                      const struct trm_parameter *parameter, uint32_t element)
{
    struct trm_sampler *found = NULL;
    uint32_t count            = 0;
    for (uint32_t i = 0; i < request->sampler_count && count <= element; i++) {
        if (request->samplers[i].set != parameter->set || request->samplers[i].binding != parameter->place)
            continue;
        found = memory->samplers[i];
        count++;
    }
    return count > element || trm_parameter_element(parameter) == TRM_PARAMETER_SAMPLED_IMAGE ? found : NULL;
}

/* The index of buffer number `element` of a binding; their number when there are not so many. */
static uint32_t buffer_of(const struct run_request *request, const struct trm_parameter *parameter,
                          uint32_t element)
{
    uint32_t i = 0;
    for (; i < request->buffer_count; i++)
        if (request->buffers[i].set == parameter->set && request->buffers[i].binding == parameter->place &&
            element-- == 0)
            break;
    return i;
}

static int element_argument(const struct trireme_memory *memory, const struct run_request *request,
                            const struct trm_parameter *parameter, uint32_t element,
                            struct trm_argument *argument)
{
    struct trm_sampler *sampler = sampler_of(memory, request, parameter, element);
    uint32_t i                  = buffer_of(request, parameter, element);
    int32_t kind                = trm_parameter_element(parameter);
    if (kind == TRM_PARAMETER_SAMPLER) {
        *argument = trm_arg_sampler(sampler);
        return sampler != NULL;
    }
    if (i == request->buffer_count)
        return 0;
    if (kind == TRM_PARAMETER_IMAGE)
        *argument = trm_arg_image(memory->images[i], 0);
    else if (kind == TRM_PARAMETER_TEXTURE)
        *argument = trm_arg_texture(memory->images[i]);
    else if (kind == TRM_PARAMETER_SAMPLED_IMAGE)
        *argument = trm_arg_sampled(memory->images[i], sampler);
    else if (kind == TRM_PARAMETER_TEXELS)
        *argument = trm_arg_texels(trm_span_whole(memory->buffers[i]), request->buffers[i].image->format);
    else
        *argument = trm_arg_buffer(memory->buffers[i]);
    return 1;
}

/* As many elements as the parameter has; where the launch gives their number, as there are. */
int trireme_memory_argument(struct trireme_memory *memory, const struct run_request *request,
                            const struct trm_parameter *parameter, struct trm_argument *argument)
{
    struct trm_argument *elements = &memory->elements[memory->element_count];
    uint32_t room                 = 4 * MEMORY_MOST - memory->element_count;
    uint32_t most = trm_parameter_count(parameter), count = 0;
    if (!trm_parameter_is_array(parameter))
        return element_argument(memory, request, parameter, 0, argument);
    if (most == 0 || most > room)
        most = room;
    while (count < most && element_argument(memory, request, parameter, count, &elements[count]))
        count++;
    memory->element_count += count;
    *argument = trm_arg_array(elements, count);
    return count != 0;
}
