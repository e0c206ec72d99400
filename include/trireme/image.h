/* Trireme: images and samplers.
 *
 * An image is an array of texels in one to three dimensions, with a format, and may have layers and mip
 * levels. A kernel reads and writes texels of a storage image, and samples a sampled image: by texel, or with
 * a filter through a sampler. Backends with images of their own use those. With others an image is plain
 * memory, and the translated kernel computes the address of a texel (<trireme/image_layout.h>).
 *
 *     trm_image_create(device, &desc, &image);
 *     trm_image_upload(stream, image, NULL, pixels, 0, 0);
 *     trm_launch(stream, kernel, &grid, (struct trm_argument[]){trm_arg_sampled(image, sampler), …}, …);
 *
 * The example above leaves out errors.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * Blocks      no
 * Threads     any
 * Ownership   an image and a sampler keep their device alive. Enqueued work keeps the memory of its images,
 *             though their handles may be destroyed
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_IMAGE_H
#define TRIREME_IMAGE_H

#include <trireme/api.h>
#include <trireme/kernel.h>

TRM_API_BEGIN

enum trm_image_type {
    TRM_IMAGE_1D       = 1,
    TRM_IMAGE_2D       = 2,
    TRM_IMAGE_3D       = 3,
    TRM_IMAGE_1D_ARRAY = 4,
    TRM_IMAGE_2D_ARRAY = 5,
    TRM_IMAGE_BUFFER   = 6, /* only of parameters: a span whose elements have a format */
    TRM_IMAGE_CUBE     = 7, /* six square layers, the faces +x, -x, +y, -y, +z, -z; sampled by a direction */
    /* Cubes one after the other, six layers each. */
    TRM_IMAGE_CUBE_ARRAY = 8,
};

/* Channels in the order of memory; the channels that a format lacks read as 0, alpha as 1. UNORM: 0 to 1,
 * SNORM: -1 to 1, in unsigned and signed integers. */
enum trm_format {
    TRM_FORMAT_NONE          = 0,
    TRM_FORMAT_R8_UNORM      = 1,
    TRM_FORMAT_R8_SNORM      = 2,
    TRM_FORMAT_R8_UINT       = 3,
    TRM_FORMAT_R8_SINT       = 4,
    TRM_FORMAT_RG8_UNORM     = 5,
    TRM_FORMAT_RG8_SNORM     = 6,
    TRM_FORMAT_RG8_UINT      = 7,
    TRM_FORMAT_RG8_SINT      = 8,
    TRM_FORMAT_RGBA8_UNORM   = 9,
    TRM_FORMAT_RGBA8_SNORM   = 10,
    TRM_FORMAT_RGBA8_UINT    = 11,
    TRM_FORMAT_RGBA8_SINT    = 12,
    TRM_FORMAT_R16_UNORM     = 13,
    TRM_FORMAT_R16_SNORM     = 14,
    TRM_FORMAT_R16_UINT      = 15,
    TRM_FORMAT_R16_SINT      = 16,
    TRM_FORMAT_R16_FLOAT     = 17,
    TRM_FORMAT_RG16_UNORM    = 18,
    TRM_FORMAT_RG16_SNORM    = 19,
    TRM_FORMAT_RG16_UINT     = 20,
    TRM_FORMAT_RG16_SINT     = 21,
    TRM_FORMAT_RG16_FLOAT    = 22,
    TRM_FORMAT_RGBA16_UNORM  = 23,
    TRM_FORMAT_RGBA16_SNORM  = 24,
    TRM_FORMAT_RGBA16_UINT   = 25,
    TRM_FORMAT_RGBA16_SINT   = 26,
    TRM_FORMAT_RGBA16_FLOAT  = 27,
    TRM_FORMAT_R32_UINT      = 28,
    TRM_FORMAT_R32_SINT      = 29,
    TRM_FORMAT_R32_FLOAT     = 30,
    TRM_FORMAT_RG32_UINT     = 31,
    TRM_FORMAT_RG32_SINT     = 32,
    TRM_FORMAT_RG32_FLOAT    = 33,
    TRM_FORMAT_RGBA32_UINT   = 34,
    TRM_FORMAT_RGBA32_SINT   = 35,
    TRM_FORMAT_RGBA32_FLOAT  = 36,
    TRM_FORMAT_RGB10A2_UNORM = 37, /* 32 bits, red in the lowest */
    TRM_FORMAT_RGB10A2_UINT  = 38,
    TRM_FORMAT_RG11B10_FLOAT = 39, /* unsigned floats of 11, 11 and 10 bits, red in the lowest */
};

/* Get the bytes of a texel; 0 for TRM_FORMAT_NONE and unknown formats.
 *
 * format      enum trm_format
 */
TRM_API uint32_t trm_format_size(int32_t format);

/* Get the name of a format as GLSL spells it ("rgba8", "r32f"); "none" for TRM_FORMAT_NONE and unknown
 * formats.
 *
 * format      enum trm_format
 */
TRM_API const char *trm_format_name(int32_t format);

enum trm_image_usage {
    TRM_IMAGE_STORAGE = 1u << 0, /* read and written texel by texel */
    TRM_IMAGE_SAMPLED = 1u << 1, /* read by texel or through a sampler */
};

#define TRM_IMAGE_LEVELS_MOST 16u
#define TRM_IMAGE_FACES 6u /* of a cube */

struct trm_image_desc {
    uint32_t struct_size;
    int32_t type;    /* enum trm_image_type, but not BUFFER */
    int32_t format;  /* enum trm_format */
    uint32_t usage;  /* enum trm_image_usage; 0: all that the format allows on the device */
    uint32_t width;  /* texels of level 0 */
    uint32_t height; /* 0 counts as 1, and so for those below */
    uint32_t depth;
    uint32_t layers; /* of cubes a multiple of six, and 0 counts as six */
    uint32_t levels; /* each level has half the size of the one before, rounded down, at least 1 */
    uint32_t reserved;
};

/* Create an image. Its contents are undefined.
 *
 * device      the device
 * desc        needed during the call only
 * image       receives the image
 * Blocks      as trm_buffer_create()
 * Errors      INVALID_ARGUMENT for an unknown type or format, no width, a height, depth or layers that the
 *             type does not have, cubes that are not square or whole, or more levels than the size has;
 *             OUT_OF_RANGE for a size beyond the device's; UNSUPPORTED for a format or usage that the device
 *             does not have; OUT_OF_DEVICE_MEMORY
 */
TRM_API int32_t trm_image_create(struct trm_device *device, const struct trm_image_desc *desc,
                                 struct trm_image **image);

/* Create an image over texels in a buffer, without a copy: in memory of the application's, for example, of
 * which trm_buffer_adopt() made a buffer (cudaMallocPitch()). The image and the buffer show the same texels,
 * also of work in order on one stream; an image that a launch samples is not written through the buffer in
 * that launch. A CUDA array, whose texels have no addresses, cannot be the memory of an image.
 *
 * device      where images are plain memory that kernels reach through addresses: cpu and cuda
 * desc        of an image of one level; needed during the call only
 * span        of the device's; begins with the first texel
 * row_pitch   bytes from one row to the next; 0: rows follow each other
 * slice_pitch bytes from one slice or layer to the next; 0: slices follow each other. On cuda a kernel
 * samples by
 *             the texture hardware where the address of the first texel is a multiple of 512 bytes and the
 *             row pitch of 32, and else by code
 * image       receives the image
 * Blocks      as trm_buffer_create()
 * Ownership   the image keeps the buffer: its handle stays valid until both are destroyed
 * Errors      those of trm_image_create(); OUT_OF_RANGE for a span that is too short; INVALID_ARGUMENT for
 *             more levels than one, a pitch below the row or slice, or a pitch or a place of the first texel
 *             that is not a multiple of the texel; WRONG_DEVICE; UNSUPPORTED on other devices
 */
TRM_API int32_t trm_image_create_over(struct trm_device *device, const struct trm_image_desc *desc,
                                      struct trm_span span, uint64_t row_pitch, uint64_t slice_pitch,
                                      struct trm_image **image);

/* Destroy an image. Enqueued work that uses it goes on. NULL is ignored. */
TRM_API void trm_image_destroy(struct trm_image *image);

/* Describe an image: what it was created with, sizes and usage filled in.
 *
 * desc        the caller sets its struct_size
 */
TRM_API int32_t trm_image_describe(struct trm_image *image, struct trm_image_desc *desc);

/* A part of one level of an image, in texels. A size of 0 goes to the end. */
struct trm_image_region {
    uint32_t struct_size;
    uint32_t level;
    uint32_t x, y, z; /* the first texel */
    uint32_t layer;   /* the first layer */
    uint32_t width, height, depth, layers;
};

/* Copy between an image and host memory, or a buffer. Enqueued: host memory stays in place until the copy has
 * finished.
 *
 * source, destination
 *             the image's other side: the first texel of the region in host memory, or a span that begins
 *             with it
 * region      NULL: all of level 0
 * row_pitch   bytes from one row to the next in host memory or the buffer; 0: rows follow each other
 * slice_pitch bytes from one slice or layer to the next, a multiple of the row pitch; 0: slices follow each
 *             other
 * Errors      OUT_OF_RANGE for a region outside of the image, or a span that is too short; INVALID_ARGUMENT
 *             for a pitch below the row or slice, a pitch or an offset of a span that is not a multiple of
 *             the texel; WRONG_DEVICE; the stream's first failure
 */
TRM_API int32_t trm_image_upload(struct trm_stream *stream, struct trm_image *image,
                                 const struct trm_image_region *region, const void *source,
                                 uint64_t row_pitch, uint64_t slice_pitch);
TRM_API int32_t trm_image_download(struct trm_stream *stream, void *destination, struct trm_image *image,
                                   const struct trm_image_region *region, uint64_t row_pitch,
                                   uint64_t slice_pitch);
TRM_API int32_t trm_image_from_buffer(struct trm_stream *stream, struct trm_image *image,
                                      const struct trm_image_region *region, struct trm_span source,
                                      uint64_t row_pitch, uint64_t slice_pitch);
TRM_API int32_t trm_image_to_buffer(struct trm_stream *stream, struct trm_span destination,
                                    struct trm_image *image, const struct trm_image_region *region,
                                    uint64_t row_pitch, uint64_t slice_pitch);

/* Copy texels between images of one device whose texels have the same size. Enqueued.
 *
 * destination, source
 *             the images, which may be the same
 * destination_region, source_region
 *             of the same size; NULL: all of level 0
 * Errors      OUT_OF_RANGE; INVALID_ARGUMENT for regions of different sizes, texels of different sizes, or
 *             regions of one image that overlap; WRONG_DEVICE; the stream's first failure
 */
TRM_API int32_t trm_image_copy(struct trm_stream *stream, struct trm_image *destination,
                               const struct trm_image_region *destination_region, struct trm_image *source,
                               const struct trm_image_region *source_region);

/* Compute the levels of an image from its first one, each from the one before: a texel becomes the mean of
 * the texels that it covers (a box filter), also where a size is odd; layers stay apart. Enqueued, one launch
 * a level, and can be recorded. The kernels are built-in: mip_down_2d and its like.
 *
 * image       of floats, UNORM or SNORM, that was created with STORAGE and SAMPLED
 * Blocks      the first call for an image, while the kernel is loaded; as trm_launch()
 * Errors      INVALID_ARGUMENT for integers, or an image that lacks a usage; those of trm_kernel_named() and
 *             trm_launch(); WRONG_DEVICE; the stream's first failure
 */
TRM_API int32_t trm_image_build_mips(struct trm_stream *stream, struct trm_image *image);

enum trm_filter {
    TRM_FILTER_NEAREST = 0,
    TRM_FILTER_LINEAR  = 1,
};

/* What a coordinate outside of the image reads. */
enum trm_address_mode {
    TRM_ADDRESS_CLAMP  = 0, /* the texel at the edge */
    TRM_ADDRESS_REPEAT = 1,
    TRM_ADDRESS_MIRROR = 2,
    TRM_ADDRESS_BORDER = 3, /* the border's color */
};

enum trm_border {
    TRM_BORDER_TRANSPARENT = 0, /* 0, 0, 0, 0 */
    TRM_BORDER_BLACK       = 1, /* 0, 0, 0, 1 */
    TRM_BORDER_WHITE       = 2, /* 1, 1, 1, 1 */
};

/* How a kernel's depth is compared with the first channel of a texel: "less" is true where the kernel's is
 * less. */
enum trm_compare {
    TRM_COMPARE_NONE          = 0, /* samples are texels */
    TRM_COMPARE_NEVER         = 1,
    TRM_COMPARE_LESS          = 2,
    TRM_COMPARE_EQUAL         = 3,
    TRM_COMPARE_LESS_EQUAL    = 4,
    TRM_COMPARE_GREATER       = 5,
    TRM_COMPARE_NOT_EQUAL     = 6,
    TRM_COMPARE_GREATER_EQUAL = 7,
    TRM_COMPARE_ALWAYS        = 8,
};

/* How an image is sampled. All zero: nearest, clamped, coordinates from 0 to 1. */
struct trm_sampler_desc {
    uint32_t struct_size;
    int32_t filter;        /* enum trm_filter, within a level */
    int32_t mip_filter;    /* enum trm_filter, between levels */
    int32_t address[3];    /* enum trm_address_mode, of x, y, z */
    int32_t border;        /* enum trm_border */
    uint32_t unnormalized; /* 1: coordinates are texels. Then the address mode is CLAMP or BORDER */
    /* enum trm_compare: for the kernel's sampler2DShadow and its like, and no others; such a sample is the
     * part of the filter's texels for which the comparison is true. */
    int32_t compare;
};

/* Create a sampler.
 *
 * device      the device
 * desc        needed during the call only
 * sampler     receives the sampler
 * Errors      INVALID_ARGUMENT for a value that its enum does not have, or unnormalized coordinates with
 *             REPEAT, MIRROR, a comparison or a linear mip_filter; UNSUPPORTED for a comparison where the
 *             backend has none. A Vulkan device may be unable to compare with texels of a format: then the
 *             launch is UNSUPPORTED
 */
TRM_API int32_t trm_sampler_create(struct trm_device *device, const struct trm_sampler_desc *desc,
                                   struct trm_sampler **sampler);

/* Destroy a sampler. NULL is ignored. */
TRM_API void trm_sampler_destroy(struct trm_sampler *sampler);

/* A storage image: one level of it. The layers of a cube map are also those of an image2DArray. */
static inline struct trm_argument trm_arg_image(struct trm_image *image, uint32_t level)
{
    struct trm_argument argument;
    argument.kind                = TRM_PARAMETER_IMAGE;
    argument.type                = TRM_TYPE_NONE;
    argument.name                = NULL;
    argument.value.image.image   = image;
    argument.value.image.sampler = NULL;
    argument.value.image.level   = level;
    return argument;
}

/* A sampled image without a sampler: all its levels. */
static inline struct trm_argument trm_arg_texture(struct trm_image *image)
{
    struct trm_argument argument = trm_arg_image(image, 0);
    argument.kind                = TRM_PARAMETER_TEXTURE;
    return argument;
}

/* A sampled image with its sampler: all its levels. */
static inline struct trm_argument trm_arg_sampled(struct trm_image *image, struct trm_sampler *sampler)
{
    struct trm_argument argument = trm_arg_image(image, 0);
    argument.kind                = TRM_PARAMETER_SAMPLED_IMAGE;
    argument.value.image.sampler = sampler;
    return argument;
}

static inline struct trm_argument trm_arg_sampler(struct trm_sampler *sampler)
{
    struct trm_argument argument = trm_arg_image(NULL, 0);
    argument.kind                = TRM_PARAMETER_SAMPLER;
    argument.value.image.sampler = sampler;
    return argument;
}

/* A texel buffer: a span of texels of a format. */
static inline struct trm_argument trm_arg_texels(struct trm_span span, int32_t format)
{
    struct trm_argument argument = trm_arg_span(span);
    argument.kind                = TRM_PARAMETER_TEXELS;
    argument.type                = format;
    return argument;
}

TRM_API_END

#endif
