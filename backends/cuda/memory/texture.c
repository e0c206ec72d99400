/* cuda backend: texture objects over images, which are plain memory.
 *
 * A 1D or 2D image of one level is sampled through a texture object if the device takes its format, its pitch
 * and its sampler. The object belongs to the memory, lives as long, and is the same for all launches. Storage
 * images and copies use the memory itself; later launches see what they write, since each launch begins with
 * an empty texture cache. A kernel that may also write the image samples the memory.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "memory.h"

/* Texture objects over one piece of memory, which may hold many images. */
#define TEXTURES_MOST 1024u

/* The part of the state that is the sampler's. */
#define SAMPLER_MASK ((UINT64_C(1) << (TRM_STATE_BORDER + 4)) - 1)

/* What a texture object is made of. */
struct key {
    CUdeviceptr address; /* of the first texel */
    uint64_t row_pitch;  /* bytes */
    uint64_t sampler;    /* the state of <trireme/image_layout.h> */
    uint32_t width, height;
    int32_t format;
    uint32_t reserved;
};

/* One that the driver refused has no object: it is not asked again. */
struct cuda_texture {
    struct cuda_texture *next;
    struct key key;
    CUtexObject object;
};

/* ---- what the hardware takes ----------------------------------------------------------------- */

struct format {
    CUarray_format format;
    uint32_t channels, bytes; /* 0: there are no textures of that format */
};

/* Integers are not filtered, and packed formats have no array format. */
static struct format format_of(int32_t format)
{
    static const struct format formats[] = {
        [TRM_FORMAT_R8_UNORM]     = {CU_AD_FORMAT_UNSIGNED_INT8, 1, 1},
        [TRM_FORMAT_R8_SNORM]     = {CU_AD_FORMAT_SIGNED_INT8, 1, 1},
        [TRM_FORMAT_RG8_UNORM]    = {CU_AD_FORMAT_UNSIGNED_INT8, 2, 2},
        [TRM_FORMAT_RG8_SNORM]    = {CU_AD_FORMAT_SIGNED_INT8, 2, 2},
        [TRM_FORMAT_RGBA8_UNORM]  = {CU_AD_FORMAT_UNSIGNED_INT8, 4, 4},
        [TRM_FORMAT_RGBA8_SNORM]  = {CU_AD_FORMAT_SIGNED_INT8, 4, 4},
        [TRM_FORMAT_R16_UNORM]    = {CU_AD_FORMAT_UNSIGNED_INT16, 1, 2},
        [TRM_FORMAT_R16_SNORM]    = {CU_AD_FORMAT_SIGNED_INT16, 1, 2},
        [TRM_FORMAT_R16_FLOAT]    = {CU_AD_FORMAT_HALF, 1, 2},
        [TRM_FORMAT_RG16_UNORM]   = {CU_AD_FORMAT_UNSIGNED_INT16, 2, 4},
        [TRM_FORMAT_RG16_SNORM]   = {CU_AD_FORMAT_SIGNED_INT16, 2, 4},
        [TRM_FORMAT_RG16_FLOAT]   = {CU_AD_FORMAT_HALF, 2, 4},
        [TRM_FORMAT_RGBA16_UNORM] = {CU_AD_FORMAT_UNSIGNED_INT16, 4, 8},
        [TRM_FORMAT_RGBA16_SNORM] = {CU_AD_FORMAT_SIGNED_INT16, 4, 8},
        [TRM_FORMAT_RGBA16_FLOAT] = {CU_AD_FORMAT_HALF, 4, 8},
        [TRM_FORMAT_R32_FLOAT]    = {CU_AD_FORMAT_FLOAT, 1, 4},
        [TRM_FORMAT_RG32_FLOAT]   = {CU_AD_FORMAT_FLOAT, 2, 8},
        [TRM_FORMAT_RGBA32_FLOAT] = {CU_AD_FORMAT_FLOAT, 4, 16},
    };
    static const struct format none = {0};
    return format > 0 && (size_t)format < sizeof(formats) / sizeof(formats[0]) ? formats[format] : none;
}

static int32_t address_mode(uint64_t sampler, uint32_t axis)
{
    return (int32_t)(sampler >> (TRM_STATE_ADDRESS + 4 * axis) & 15);
}

static bool is_unnormalized(uint64_t sampler)
{
    return (sampler >> TRM_STATE_UNNORMALIZED & 1) != 0;
}

static bool repeats(uint64_t sampler, uint32_t axis)
{
    int32_t mode = address_mode(sampler, axis);
    return mode == TRM_ADDRESS_REPEAT || mode == TRM_ADDRESS_MIRROR;
}

static bool is_taken(const struct cuda_physical *physical, const struct key *key)
{
    if (physical->texture_alignment <= 0 || physical->texture_pitch_alignment <= 0 ||
        key->address % (uint64_t)physical->texture_alignment != 0 ||
        key->row_pitch % (uint64_t)physical->texture_pitch_alignment != 0)
        return false;
    if (is_unnormalized(key->sampler) && (repeats(key->sampler, 0) || repeats(key->sampler, 1)))
        return false;
    return key->width <= (uint32_t)physical->texture_width &&
           key->height <= (uint32_t)physical->texture_height &&
           key->row_pitch <= (uint64_t)physical->texture_pitch;
}

/* ---- creating -------------------------------------------------------------------------------- */

static CUaddress_mode mode_of(uint64_t sampler, uint32_t axis)
{
    switch (address_mode(sampler, axis)) {
    case TRM_ADDRESS_REPEAT:
        return CU_TR_ADDRESS_MODE_WRAP;
    case TRM_ADDRESS_MIRROR:
        return CU_TR_ADDRESS_MODE_MIRROR;
    case TRM_ADDRESS_BORDER:
        return CU_TR_ADDRESS_MODE_BORDER;
    default:
        return CU_TR_ADDRESS_MODE_CLAMP;
    }
}

/* Without CU_TRSF_READ_AS_INTEGER, integers of 8 and 16 bits are read as 0 to 1 or -1 to 1. */
static CUresult create_object(struct trm_backend_device *device, const struct key *key, CUtexObject *object)
{
    struct format format        = format_of(key->format);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    CUfilter_mode filter =
        (key->sampler >> TRM_STATE_FILTER & 1) != 0 ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    int32_t border            = (int32_t)(key->sampler >> TRM_STATE_BORDER & 15);
    float color               = border == TRM_BORDER_WHITE ? 1.0f : 0.0f;
    float alpha               = border == TRM_BORDER_TRANSPARENT ? 0.0f : 1.0f;
    CUDA_TEXTURE_DESC texture = {
        .addressMode = {mode_of(key->sampler, 0), mode_of(key->sampler, 1), CU_TR_ADDRESS_MODE_CLAMP},
        .filterMode  = filter,
        .flags       = is_unnormalized(key->sampler) ? 0 : CU_TRSF_NORMALIZED_COORDINATES,
        .borderColor = {color, color, color, alpha},
    };
    resource.res.pitch2D.devPtr       = key->address;
    resource.res.pitch2D.format       = format.format;
    resource.res.pitch2D.numChannels  = format.channels;
    resource.res.pitch2D.width        = key->width;
    resource.res.pitch2D.height       = key->height;
    resource.res.pitch2D.pitchInBytes = key->row_pitch;
    return device->cuda->cuTexObjectCreate(object, &resource, &texture, NULL);
}

/* A kernel gets 32 bits. */
static void create_texture(struct trm_backend_device *device, struct cuda_texture *texture)
{
    CUcontext previous;
    if (cuda_enter(device, &previous) != TRM_OK)
        return;
    if (create_object(device, &texture->key, &texture->object) != CUDA_SUCCESS)
        texture->object = 0;
    if (texture->object >> 32 != 0) {
        (void)device->cuda->cuTexObjectDestroy(texture->object);
        texture->object = 0;
    }
    cuda_leave(device, previous);
}

/* Finds or creates the one of the key, and makes it the first. 0: there is none. */
static CUtexObject find_object(struct trm_backend_memory *memory, const struct key *key)
{
    struct trm_backend_device *device = memory->device;
    struct cuda_texture **link        = &memory->textures, *found;
    CUtexObject object                = 0;
    pthread_mutex_lock(&device->textures_lock);
    while (*link != NULL && memcmp(&(*link)->key, key, sizeof(*key)) != 0)
        link = &(*link)->next;
    found = *link;
    if (found != NULL) {
        *link = found->next;
    } else if (memory->texture_count < TEXTURES_MOST) {
        found = trm_util_allocate(device->instance->host, sizeof(*found));
        if (found != NULL) {
            found->key = *key;
            create_texture(device, found);
            memory->texture_count++;
        }
    }
    if (found != NULL) {
        found->next      = memory->textures;
        memory->textures = found;
        object           = found->object;
    }
    pthread_mutex_unlock(&device->textures_lock);
    return object;
}

void cuda_textures_destroy(struct trm_backend_memory *memory)
{
    struct trm_backend_device *device = memory->device;
    CUcontext previous;
    if (memory->textures == NULL)
        return;
    (void)cuda_enter(device, &previous);
    while (memory->textures != NULL) {
        struct cuda_texture *texture = memory->textures;
        memory->textures             = texture->next;
        if (texture->object != 0)
            (void)device->cuda->cuTexObjectDestroy(texture->object);
        trm_util_release(device->instance->host, texture, sizeof(*texture));
    }
    cuda_leave(device, previous);
}

/* ---- of a launch ----------------------------------------------------------------------------- */

static bool is_sampled(const struct trm_launch_argument *argument)
{
    return (argument->kind == TRM_PARAMETER_TEXTURE || argument->kind == TRM_PARAMETER_SAMPLED_IMAGE) &&
           argument->memory != NULL && argument->block != NULL;
}

/* Where an argument's memory is; for an image, where its texels are: they need not lie behind its layout. */
static void find_range(const struct trm_launch_argument *argument, uint64_t *begin, uint64_t *end)
{
    const struct trm_image_layout *layout = argument->kind == TRM_PARAMETER_IMAGE ? argument->block : NULL;
    *begin                                = argument->memory->address + argument->offset;
    *end                                  = *begin + argument->size;
    if (layout == NULL)
        return;
    const struct trm_image_level *last = &layout->level[layout->levels - 1];
    *end   = *begin + last->offset + last->slice_pitch * last->depth * layout->layers;
    *begin = *begin + layout->level[0].offset;
}

/* May the kernel write to the texels through another argument? */
static bool is_written(const struct trm_launch_desc *desc, const struct key *key)
{
    for (uint32_t i = 0; i < desc->argument_count; i++) {
        const struct trm_launch_argument *other = &desc->arguments[i];
        uint64_t begin, end;
        if (other->memory == NULL || is_sampled(other))
            continue;
        find_range(other, &begin, &end);
        if (begin < key->address + key->row_pitch * key->height && key->address < end)
            return true;
    }
    return false;
}

static bool compares(uint64_t state)
{
    return (state >> TRM_STATE_COMPARE & 15) != TRM_COMPARE_NONE;
}

/* The sampler of an image: its own, or the kernel's only one. False where the kernel chooses one, and where
 * it compares with a depth. */
static bool find_sampler(const struct trm_launch_desc *desc, const struct trm_launch_argument *image,
                         uint64_t *sampler)
{
    uint32_t count = 0;
    *sampler       = image->scalar & SAMPLER_MASK;
    if (image->kind == TRM_PARAMETER_SAMPLED_IMAGE)
        return !compares(image->scalar);
    for (uint32_t i = 0; i < desc->argument_count; i++) {
        if (desc->arguments[i].kind != TRM_PARAMETER_SAMPLER)
            continue;
        if (compares(desc->arguments[i].scalar))
            return false;
        *sampler = desc->arguments[i].scalar & SAMPLER_MASK;
        count++;
    }
    return count == 1;
}

static bool find_key(const struct trm_launch_argument *image, uint64_t sampler, struct key *key)
{
    const struct trm_image_layout *layout = image->block;
    uint32_t number                       = (uint32_t)(image->scalar >> TRM_STATE_LEVEL & 255);
    if ((layout->type != TRM_IMAGE_1D && layout->type != TRM_IMAGE_2D) || number + 1 != layout->levels ||
        format_of(layout->format).channels == 0)
        return false;
    const struct trm_image_level *level = &layout->level[number];
    memset(key, 0, sizeof(*key));
    key->address   = image->memory->address + image->offset + level->offset;
    key->row_pitch = level->row_pitch;
    key->width     = level->width;
    key->height    = level->height;
    key->format    = layout->format;
    /* Filters between levels do not matter. */
    key->sampler = sampler & ~(UINT64_C(1) << TRM_STATE_MIP_FILTER);
    return true;
}

uint64_t cuda_texture_state(const struct trm_launch_desc *desc, uint32_t index)
{
    const struct trm_launch_argument *image = &desc->arguments[index];
    uint64_t sampler;
    struct key key;
    if (!is_sampled(image) || !find_sampler(desc, image, &sampler) || !find_key(image, sampler, &key))
        return 0;
    const struct cuda_physical *physical = image->memory->device->physical;
    /* A single row has any pitch. */
    uint64_t pitch = (uint64_t)physical->texture_pitch_alignment;
    if (key.height == 1 && pitch != 0)
        key.row_pitch = (key.row_pitch + pitch - 1) / pitch * pitch;
    if (!is_taken(physical, &key) || is_written(desc, &key))
        return 0;
    CUtexObject object = find_object(image->memory, &key);
    if (object == 0)
        return 0;
    uint64_t channels = format_of(key.format).channels & 3;
    return (uint64_t)object << CUDA_STATE_TEXTURE | channels << CUDA_STATE_CHANNELS;
}
