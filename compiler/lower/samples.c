/* Makes multisampled images arrays, whose layers are the samples: an image of four samples is a 2D array of
 * four layers, and sample 3 at (x, y) is the texel (x, y, 3). The library has no images of several samples,
 * which only drivers have and nothing copies to or from memory; an array is the same to a kernel, and every
 * backend has it.
 *
 * An array of such images would need the number of samples for the place of a layer; it stays as it is, and
 * the reader refuses it.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/module.h"

/* The words of an OpTypeImage. */
enum {
    DIMENSION = 3,
    DEPTH,
    ARRAYED,
    MULTISAMPLED,
    SAMPLED,
    FORMAT,
    IMAGE_WORDS
};

#define IS_SAMPLED 1u
#define IS_STORAGE 2u

#define TYPES_MOST 64u /* of multisampled images; the time to find a word DEPTH is a product with it */
#define INTEGERS_MOST 8u
#define EXTRA_MOST 32u /* words that are added for one instruction */

/* A type of coordinates, and what is declared for it. */
struct integer {
    uint32_t type;   /* OpTypeInt */
    uint32_t vector; /* of three; 0: none yet */
    uint32_t zero;   /* a constant */
    bool is_vector_fresh;
};

struct samples {
    struct lower_words module;
    uint8_t *is_lowered; /* by id of a type */
    uint8_t *depths;     /* by id: the new word DEPTH */
    struct integer integers[INTEGERS_MOST];
    uint32_t integer_count;
    uint32_t use_count; /* instructions that change */
    struct lower_writer writer;
};

/* What an instruction does with a multisampled image. */
struct use {
    const uint32_t *at;
    uint32_t opcode;
    uint32_t image;              /* word of the instruction */
    uint32_t coordinate, sample; /* the same; 0: none */
    uint32_t mask;               /* the word of the image operands; 0: none */
    uint32_t integer;            /* index, of the coordinate or the result */
};

/* ---- types --------------------------------------------------------------------------------- */

static bool is_multisampled(const uint32_t *at)
{
    return lower_opcode(at) == SpvOpTypeImage && lower_length(at) == IMAGE_WORDS &&
           at[DIMENSION] == SpvDim2D && at[ARRAYED] == 0 && at[MULTISAMPLED] == 1 &&
           (at[SAMPLED] == IS_SAMPLED || at[SAMPLED] == IS_STORAGE);
}

/* Is there a type already that is the array of this one, with the word DEPTH as given? */
static bool is_declared(const struct samples *samples, const uint32_t *image, uint32_t depth)
{
    const struct lower_words *module = &samples->module;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (lower_opcode(at) != SpvOpTypeImage || lower_length(at) <= FORMAT || at[2] != image[2] ||
            at[DIMENSION] != SpvDim2D || at[SAMPLED] != image[SAMPLED] || at[FORMAT] != image[FORMAT])
            continue;
        bool is_lowered = samples->is_lowered[at[1]];
        if ((is_lowered && samples->depths[at[1]] == depth) ||
            (!is_lowered && at[ARRAYED] == 1 && at[MULTISAMPLED] == 0 && at[DEPTH] == depth))
            return true;
    }
    return false;
}

/* SPIR-V has each type once; two that differ only in the word for depths, which is ignored, are two. */
static bool lower_types(struct samples *samples)
{
    const struct lower_words *module = &samples->module;
    uint32_t count                   = 0;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        uint32_t depth     = 0;
        if (!is_multisampled(at))
            continue;
        while (count < TYPES_MOST && depth <= 2 && is_declared(samples, at, depth))
            depth += 2; /* 1: the image has depths */
        if (depth > 2 || count++ == TYPES_MOST)
            return false;
        samples->depths[at[1]]     = (uint8_t)depth;
        samples->is_lowered[at[1]] = 1;
    }
    return count != 0;
}

/* ---- uses ---------------------------------------------------------------------------------- */

/* The image that an operand is, or points to, or is with its sampler. */
static bool is_lowered(const struct samples *samples, uint32_t id)
{
    const struct lower_words *module = &samples->module;
    uint32_t type                    = lower_type_of(module, id);
    const uint32_t *pointer          = lower_definition(module, type, SpvOpTypePointer, 4);
    const uint32_t *pair             = lower_definition(module, type, SpvOpTypeSampledImage, 3);

    if (pointer != NULL)
        type = pointer[3];
    if (pair != NULL)
        type = pair[2];
    return type < module->bound && samples->is_lowered[type];
}

/* Sets which words the operands are; false for other instructions. */
static bool take_apart(const uint32_t *at, struct use *use)
{
    uint32_t base = lower_opcode(at) == SpvOpImageWrite ? 1 : 3;

    *use = (struct use){.at = at, .opcode = lower_opcode(at), .image = base};
    switch (use->opcode) {
    case SpvOpImageFetch:
    case SpvOpImageRead:
        use->mask = base + 2;
        break;
    case SpvOpImageWrite:
        use->mask = base + 3;
        break;
    case SpvOpImageTexelPointer:
        use->sample = base + 2;
        break;
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySamples:
        return lower_length(at) > base;
    default:
        return false;
    }
    use->coordinate = base + 1;
    return lower_length(at) > base;
}

/* Instructions that an array has and a multisampled image does not. */
static bool is_wrong(const struct samples *samples, const uint32_t *at)
{
    uint32_t opcode = lower_opcode(at);
    bool is_sample =
        opcode >= SpvOpImageSampleImplicitLod && opcode <= SpvOpImageDrefGather && opcode != SpvOpImageFetch;

    return (is_sample || opcode == SpvOpImageQuerySizeLod || opcode == SpvOpImageQueryLod ||
            opcode == SpvOpImageQueryLevels) &&
           lower_length(at) > 3 && is_lowered(samples, at[3]);
}

/* Finds the operand of the sample, behind those of the lower bits. */
static bool find_sample(struct use *use)
{
    const uint32_t refused = SpvImageOperandsBiasMask | SpvImageOperandsLodMask | SpvImageOperandsGradMask |
                             SpvImageOperandsMinLodMask;
    uint32_t mask = use->at[use->mask];

    use->sample = use->mask + 1;
    for (uint32_t bit = SpvImageOperandsConstOffsetMask; bit < SpvImageOperandsSampleMask; bit <<= 1)
        use->sample += (mask & bit) != 0;
    return (mask & SpvImageOperandsSampleMask) != 0 && (mask & refused) == 0 &&
           use->sample < lower_length(use->at);
}

static bool is_integer(const struct samples *samples, uint32_t type)
{
    const uint32_t *integer = lower_definition(&samples->module, type, SpvOpTypeInt, 4);

    return integer != NULL && integer[2] == 32;
}

/* Finds or adds the integer; false when there are too many. */
static bool find_integer(struct samples *samples, uint32_t type, uint32_t *index)
{
    uint32_t i = 0;

    while (i < samples->integer_count && samples->integers[i].type != type)
        i++;
    if (!is_integer(samples, type) || i == INTEGERS_MOST)
        return false;
    if (i == samples->integer_count)
        samples->integers[samples->integer_count++] = (struct integer){.type = type};
    *index = i;
    return true;
}

/* The type of the coordinate's components, or of those of the queried size. */
static bool find_components(struct samples *samples, struct use *use)
{
    const struct lower_words *module = &samples->module;
    uint32_t type = use->coordinate != 0 ? lower_type_of(module, use->at[use->coordinate]) : use->at[1];

    if (use->opcode == SpvOpImageQuerySamples)
        return find_integer(samples, type, &use->integer);
    const uint32_t *vector = lower_definition(module, type, SpvOpTypeVector, 4);
    if (vector == NULL || vector[3] < 2 || (use->coordinate == 0 && vector[3] != 2))
        return false;
    return find_integer(samples, vector[2], &use->integer);
}

/* 1: an instruction that changes; 0: one that stays; -1: none of this can be followed. */
static int find_use(struct samples *samples, const uint32_t *at, struct use *use)
{
    const struct lower_words *module = &samples->module;

    if (is_wrong(samples, at))
        return -1;
    if (!take_apart(at, use) || !is_lowered(samples, at[use->image]))
        return 0;
    if (lower_length(at) <= use->mask || lower_length(at) <= use->sample)
        return -1;
    if ((use->mask != 0 && !find_sample(use)) || !find_components(samples, use))
        return -1;
    return use->sample == 0 || is_integer(samples, lower_type_of(module, at[use->sample])) ? 1 : -1;
}

static bool find_uses(struct samples *samples)
{
    const struct lower_words *module = &samples->module;
    struct use use;

    for (uint32_t i = module->functions; i < module->count; i += lower_length(module->words + i)) {
        int found = find_use(samples, module->words + i, &use);
        if (found < 0)
            return false;
        samples->use_count += found > 0;
    }
    return true;
}

/* ---- what is declared for them ------------------------------------------------------------- */

static void find_vectors(struct samples *samples)
{
    const struct lower_words *module = &samples->module;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        for (uint32_t k = 0; k < samples->integer_count; k++)
            if (lower_opcode(at) == SpvOpTypeVector && lower_length(at) == 4 && at[3] == 3 &&
                at[2] == samples->integers[k].type)
                samples->integers[k].vector = at[1];
    }
    for (uint32_t k = 0; k < samples->integer_count; k++) {
        struct integer *integer  = &samples->integers[k];
        integer->is_vector_fresh = integer->vector == 0;
        if (integer->vector == 0)
            integer->vector = lower_fresh_id(&samples->writer);
        integer->zero = lower_fresh_id(&samples->writer);
    }
}

/* ---- writing ------------------------------------------------------------------------------- */

static void put_declarations(struct samples *samples)
{
    for (uint32_t i = 0; i < samples->integer_count; i++) {
        const struct integer *integer = &samples->integers[i];
        if (integer->is_vector_fresh)
            LOWER_PUT(&samples->writer, SpvOpTypeVector, integer->vector, integer->type, 3);
        LOWER_PUT(&samples->writer, SpvOpConstant, integer->type, integer->zero, 0);
    }
}

/* Writes the coordinate with the sample as the layer; returns its id. */
static uint32_t put_coordinate(struct samples *samples, const struct use *use)
{
    const struct integer *integer = &samples->integers[use->integer];
    uint32_t given = use->at[use->coordinate], sample = use->at[use->sample];
    uint32_t x = lower_fresh_id(&samples->writer), y = lower_fresh_id(&samples->writer), layer = sample;

    LOWER_PUT(&samples->writer, SpvOpCompositeExtract, integer->type, x, given, 0);
    LOWER_PUT(&samples->writer, SpvOpCompositeExtract, integer->type, y, given, 1);
    if (lower_type_of(&samples->module, sample) != integer->type) {
        layer = lower_fresh_id(&samples->writer);
        LOWER_PUT(&samples->writer, SpvOpBitcast, integer->type, layer, sample);
    }
    uint32_t coordinate = lower_fresh_id(&samples->writer);
    LOWER_PUT(&samples->writer, SpvOpCompositeConstruct, integer->vector, coordinate, x, y, layer);
    return coordinate;
}

/* A fetch has a level of detail in place of the sample, as all images but multisampled ones do. */
static void put_access(struct samples *samples, const struct use *use)
{
    uint32_t coordinate = put_coordinate(samples, use), begin = samples->writer.count;
    uint32_t mask = use->at[use->mask] & ~(uint32_t)SpvImageOperandsSampleMask;

    if (use->opcode == SpvOpImageFetch)
        mask |= SpvImageOperandsLodMask;
    lower_put_words(&samples->writer, use->at, use->mask);
    samples->writer.words[begin + use->coordinate] = coordinate;
    if (mask != 0)
        lower_put_words(&samples->writer, &mask, 1);
    if (use->opcode == SpvOpImageFetch)
        lower_put_words(&samples->writer, &samples->integers[use->integer].zero, 1);
    lower_put_words(&samples->writer, use->at + use->mask + 1, use->sample - use->mask - 1);
    lower_put_words(&samples->writer, use->at + use->sample + 1, lower_length(use->at) - use->sample - 1);
    samples->writer.words[begin] = (samples->writer.count - begin) << SpvWordCountShift | use->opcode;
}

static void put_pointer(struct samples *samples, const struct use *use)
{
    uint32_t coordinate = put_coordinate(samples, use), begin = samples->writer.count;

    lower_put_words(&samples->writer, use->at, lower_length(use->at));
    samples->writer.words[begin + use->coordinate] = coordinate;
    samples->writer.words[begin + use->sample]     = samples->integers[use->integer].zero;
}

/* The size of the array: the first two numbers are that of the image, the third is the number of samples. */
static void put_query(struct samples *samples, const struct use *use)
{
    const struct lower_words *module = &samples->module;
    const struct integer *integer    = &samples->integers[use->integer];
    const uint32_t *image            = module->words + module->defined_at[lower_type_of(module, use->at[3])];
    uint32_t size                    = lower_fresh_id(&samples->writer);

    if (image[SAMPLED] == IS_SAMPLED)
        LOWER_PUT(&samples->writer, SpvOpImageQuerySizeLod, integer->vector, size, use->at[3], integer->zero);
    else
        LOWER_PUT(&samples->writer, SpvOpImageQuerySize, integer->vector, size, use->at[3]);
    if (use->opcode == SpvOpImageQuerySamples)
        LOWER_PUT(&samples->writer, SpvOpCompositeExtract, use->at[1], use->at[2], size, 2);
    else
        LOWER_PUT(&samples->writer, SpvOpVectorShuffle, use->at[1], use->at[2], size, size, 0, 1);
}

static void put_use(struct samples *samples, const struct use *use)
{
    if (use->mask != 0)
        put_access(samples, use);
    else if (use->sample != 0)
        put_pointer(samples, use);
    else
        put_query(samples, use);
}

static void put_type(struct samples *samples, const uint32_t *at)
{
    uint32_t *copy = samples->writer.words + samples->writer.count;

    lower_put_words(&samples->writer, at, lower_length(at));
    copy[DEPTH]        = samples->depths[at[1]];
    copy[ARRAYED]      = 1;
    copy[MULTISAMPLED] = 0;
}

/* Is it one that arrays do not need? */
static bool is_capability(const uint32_t *at)
{
    return lower_opcode(at) == SpvOpCapability && lower_length(at) == 2 &&
           at[1] == SpvCapabilityStorageImageMultisample;
}

static void write(struct samples *samples)
{
    const struct lower_words *module = &samples->module;
    struct use use;

    lower_put_words(&samples->writer, module->words, LOWER_HEADER_WORDS);
    for (uint32_t i = LOWER_HEADER_WORDS; i < module->count; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (i == module->functions)
            put_declarations(samples);
        if (i < module->functions && is_multisampled(at))
            put_type(samples, at);
        else if (i > module->functions && find_use(samples, at, &use) > 0)
            put_use(samples, &use);
        else if (!is_capability(at))
            lower_put_words(&samples->writer, at, lower_length(at));
    }
    samples->writer.words[3] = samples->writer.bound;
}

void lower_samples(struct base_arena *arena, const uint32_t **words, uint32_t *count)
{
    struct samples samples = {.use_count = 0};

    if (!lower_scan(&samples.module, arena, *words, *count))
        return;
    samples.writer.bound = samples.module.bound;
    samples.is_lowered   = base_arena_allocate(arena, samples.module.bound, 1);
    samples.depths       = base_arena_allocate(arena, samples.module.bound, 1);
    if (samples.is_lowered == NULL || samples.depths == NULL || !lower_types(&samples) ||
        !find_uses(&samples))
        return;
    find_vectors(&samples);
    uint64_t most        = (uint64_t)*count + (uint64_t)EXTRA_MOST * (samples.use_count + INTEGERS_MOST);
    samples.writer.words = most <= UINT32_MAX ? base_arena_allocate(arena, most, sizeof(uint32_t)) : NULL;
    if (samples.writer.words == NULL)
        return;
    write(&samples);
    *words = samples.writer.words;
    *count = samples.writer.count;
}
