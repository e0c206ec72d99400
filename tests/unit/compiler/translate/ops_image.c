/* Images of translated shaders, in memory that a test lays out itself.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <trireme/image_layout.h>

/* A product and a sum that are rounded once or twice make another texel of a number between two. */
#define OPS_LEVEL "-O3"
#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

#define ITEMS 64u
#define SAMPLE_SIZE 8u /* texels of the picture, in x and y */
#define LEVELS 3u
#define SEED UINT64_C(0x9e3779b97f4a7c15)

/* ---- formats: the channels of a texel, as the documentation of enum trm_format says */

enum channel_kind {
    UNORM,
    SNORM,
    UINT,
    SINT,
    FLOAT,
};

struct format {
    int32_t format;
    enum channel_kind kind;
    uint32_t bits[4];
};

#define FAMILY(name, kind, bits)                                                                  \
    {TRM_FORMAT_R##name, kind, {bits, 0, 0, 0}}, {TRM_FORMAT_RG##name, kind, {bits, bits, 0, 0}}, \
    {                                                                                             \
        TRM_FORMAT_RGBA##name, kind,                                                              \
        {                                                                                         \
            bits, bits, bits, bits                                                                \
        }                                                                                         \
    }

static const struct format formats[] = {
    FAMILY(8_UNORM, UNORM, 8),
    FAMILY(8_SNORM, SNORM, 8),
    FAMILY(8_UINT, UINT, 8),
    FAMILY(8_SINT, SINT, 8),
    FAMILY(16_UNORM, UNORM, 16),
    FAMILY(16_SNORM, SNORM, 16),
    FAMILY(16_UINT, UINT, 16),
    FAMILY(16_SINT, SINT, 16),
    FAMILY(16_FLOAT, FLOAT, 16),
    FAMILY(32_UINT, UINT, 32),
    FAMILY(32_SINT, SINT, 32),
    FAMILY(32_FLOAT, FLOAT, 32),
    {TRM_FORMAT_RGB10A2_UNORM, UNORM, {10, 10, 10, 2}},
    {TRM_FORMAT_RGB10A2_UINT, UINT, {10, 10, 10, 2}},
    {TRM_FORMAT_RG11B10_FLOAT, FLOAT, {11, 11, 10, 0}},
};

static uint32_t bytes_of(const struct format *format)
{
    return (format->bits[0] + format->bits[1] + format->bits[2] + format->bits[3]) / 8;
}

static uint32_t bits_at(const uint8_t *texel, uint32_t at, uint32_t count)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < 5 && (at / 8 + i) * 8 < at + count; i++)
        word |= (uint64_t)texel[at / 8 + i] << 8 * i;
    return (uint32_t)(word >> at % 8 & (count == 32 ? UINT32_MAX : (1u << count) - 1));
}

/* A float of 5 bits of exponent, and with 16 bits a sign. */
static double small_float(uint32_t bits, uint32_t count)
{
    uint32_t digits   = count == 16 ? 10 : count - 5;
    uint32_t fraction = bits & ((1u << digits) - 1), exponent = bits >> digits & 31;
    double value = exponent == 0 ? ldexp(fraction, -14 - (int)digits)
                                 : ldexp(fraction + (1u << digits), (int)exponent - 15 - (int)digits);

    return count == 16 && bits >> 15 ? -value : value;
}

static double channel(const struct format *format, uint32_t bits, uint32_t count)
{
    int32_t is_signed = (int32_t)(bits << (32 - count)) >> (32 - count);
    double most       = ldexp(1, (int)count) - 1;
    float whole;

    switch (format->kind) {
    case UNORM:
        return bits / most;
    case SNORM:
        return fmax(is_signed / ((most - 1) / 2), -1);
    case UINT:
        return bits;
    case SINT:
        return is_signed;
    default:
        memcpy(&whole, &bits, sizeof(whole));
        return count == 32 ? whole : small_float(bits, count);
    }
}

static void decode(const struct format *format, const uint8_t *texel, double result[4])
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < 4; i++) {
        result[i] = i == 3 ? 1 : 0;
        if (format->bits[i] != 0)
            result[i] = channel(format, bits_at(texel, at, format->bits[i]), format->bits[i]);
        at += format->bits[i];
    }
}

/* ---- images */

/* An image with `levels` levels of random texels; free() ends it. */
static struct trm_image_layout *make_image(const struct format *format, uint32_t width, uint32_t height,
                                           uint32_t levels)
{
    uint32_t bytes = bytes_of(format);
    size_t most    = sizeof(struct trm_image_layout) + 2 * (size_t)(width + 4) * height * bytes + 1024;
    struct trm_image_layout *layout = calloc(1, most);
    uint64_t offset = (sizeof(*layout) + 15) / 16 * 16, state = SEED;

    ck_assert_ptr_nonnull(layout);
    *layout = (struct trm_image_layout){.struct_size = sizeof(*layout),
                                        .type        = TRM_IMAGE_2D,
                                        .format      = format->format,
                                        .layers      = 1,
                                        .levels      = levels};
    for (uint32_t i = 0; i < levels; i++) {
        struct trm_image_level *level = &layout->level[i];
        *level                        = (struct trm_image_level){.offset    = offset,
                                                                 .width     = width >> i,
                                                                 .height    = height >> i,
                                                                 .row_pitch = (uint64_t)((width >> i) + 1) * bytes,
                                                                 .depth     = 1};
        level->slice_pitch            = level->row_pitch * level->height;
        for (uint64_t k = 0; k < level->slice_pitch; k++)
            ((uint8_t *)layout)[offset + k] = (uint8_t)ops_random(&state);
        for (uint64_t k = 0; format->format == TRM_FORMAT_R32_FLOAT && k < level->slice_pitch; k += 4) {
            float texel = (float)ops_uniform(&state); /* not any bits, which may be a NaN */
            memcpy((uint8_t *)layout + offset + k, &texel, 4);
        }
        offset += (level->slice_pitch + 15) / 16 * 16;
    }
    return layout;
}

static uint8_t *texel_at(struct trm_image_layout *layout, const struct format *format, uint32_t level,
                         uint32_t x, uint32_t y)
{
    const struct trm_image_level *at = &layout->level[level];

    return (uint8_t *)layout + at->offset + y * at->row_pitch + (uint64_t)x * bytes_of(format);
}

struct block {
    struct trm_image_words picture, real, whole, natural, bytes;
    struct trm_cpu_buffer given, made;
    struct trm_image_words counters;
};

struct world {
    const struct format *formats[6]; /* picture, real, whole, natural, bytes, counters */
    struct trm_image_layout *images[6];
    uint64_t state;  /* of the picture's sampler */
    uint32_t levels; /* of the picture; 0: LEVELS */
    float given[ITEMS][4];
    float made[ITEMS][8][4];
};

static struct world world;

static const struct format *find(int32_t format)
{
    for (uint32_t i = 0; i < SPIRV_COUNT(formats); i++)
        if (formats[i].format == format)
            return &formats[i];
    return NULL;
}

static uint32_t levels_of_picture(void)
{
    return world.levels != 0 ? world.levels : LEVELS;
}

/* Runs a form of the shader on images of these formats. */
static void run(int form, int32_t picture, int32_t real, int32_t whole, int32_t natural, uint64_t state)
{
    const int32_t all[6] = {picture, real, whole, natural, TRM_FORMAT_RGBA8_UNORM, TRM_FORMAT_R32_UINT};
    struct trm_image_words words[6];

    for (uint32_t i = 0; i < 6; i++) {
        world.formats[i] = find(all[i]);
        world.images[i] = make_image(world.formats[i], i == 0 ? SAMPLE_SIZE : ITEMS, i == 0 ? SAMPLE_SIZE : 2,
                                     i == 0 ? levels_of_picture() : 1);
        words[i]        = (struct trm_image_words){world.images[i], i == 0 ? state : 0};
    }
    memset(texel_at(world.images[5], world.formats[5], 0, 0, 1), 0, 8);
    struct block block = {words[0],
                          words[1],
                          words[2],
                          words[3],
                          words[4],
                          {world.given, sizeof(world.given)},
                          {world.made, sizeof(world.made)},
                          words[5]};
    world.state        = state;
    ops_run("ops_image", form, ITEMS / 16, &block);
}

static void end(void)
{
    for (uint32_t i = 0; i < 6; i++) {
        free(world.images[i]);
        world.images[i] = NULL;
    }
}

static void give(double low, double high, double detail)
{
    uint64_t state = SEED;

    for (uint32_t i = 0; i < ITEMS; i++)
        for (uint32_t k = 0; k < 4; k++)
            world.given[i][k] = (float)(k == 2 && detail != 0 ? ops_uniform(&state) * detail
                                                              : low + ops_uniform(&state) * (high - low));
}

/* ---- storage images */

/* What a channel of the format makes of a number. */
static double round_to(const struct format *format, uint32_t bits, double x)
{
    double most = ldexp(1, (int)bits) - 1;

    switch (format->kind) {
    case UNORM:
        return rint(fmin(fmax(x, 0), 1) * most) / most;
    case SNORM:
        return rint(fmin(fmax(x, -1), 1) * (most - 1) / 2) / ((most - 1) / 2);
    default:
        return x;
    }
}

/* The texels that were written: what is in memory, and what was read back from there. */
static void check_stored(uint32_t image, uint32_t result, bool is_absolute)
{
    const struct format *format = world.formats[image];
    double texel[4];

    for (uint32_t i = 0; i < ITEMS; i++) {
        decode(format, texel_at(world.images[image], format, 0, i, 0), texel);
        for (uint32_t k = 0; k < 4; k++) {
            double x        = is_absolute ? fabs((double)world.given[i][k]) : world.given[i][k];
            double expected = texel[k], near = fabs(x) / 32;
            ck_assert_msg(fabs(world.made[i][result][k] - expected) <= 1e-7 * fabs(expected),
                          "format %d, channel %u: read %g instead of %g", format->format, k,
                          world.made[i][result][k], expected);
            if (format->bits[k] == 0)
                continue;
            if (format->kind == UINT || format->kind == SINT)
                ck_assert_double_eq(texel[k], trunc(x));
            else if (format->kind == FLOAT)
                ck_assert_double_le(fabs(texel[k] - (format->bits[k] < 16 ? fmax(x, 0) : x)), near);
            else
                ck_assert_double_eq_tol(texel[k], round_to(format, format->bits[k], x), 1e-6);
        }
    }
}

START_TEST(every_format_is_written_and_read)
{
    static const int32_t reals[] = {
        TRM_FORMAT_R8_UNORM,     TRM_FORMAT_RG8_UNORM,    TRM_FORMAT_RGBA8_UNORM,   TRM_FORMAT_R8_SNORM,
        TRM_FORMAT_RG8_SNORM,    TRM_FORMAT_RGBA8_SNORM,  TRM_FORMAT_R16_UNORM,     TRM_FORMAT_RG16_UNORM,
        TRM_FORMAT_RGBA16_UNORM, TRM_FORMAT_R16_SNORM,    TRM_FORMAT_RG16_SNORM,    TRM_FORMAT_RGBA16_SNORM,
        TRM_FORMAT_R16_FLOAT,    TRM_FORMAT_RG16_FLOAT,   TRM_FORMAT_RGBA16_FLOAT,  TRM_FORMAT_R32_FLOAT,
        TRM_FORMAT_RG32_FLOAT,   TRM_FORMAT_RGBA32_FLOAT, TRM_FORMAT_RGB10A2_UNORM, TRM_FORMAT_RG11B10_FLOAT,
    };
    static const int32_t wholes[] = {
        TRM_FORMAT_R8_SINT,  TRM_FORMAT_RG8_SINT,  TRM_FORMAT_RGBA8_SINT,
        TRM_FORMAT_R16_SINT, TRM_FORMAT_RG16_SINT, TRM_FORMAT_RGBA16_SINT,
        TRM_FORMAT_R32_SINT, TRM_FORMAT_RG32_SINT, TRM_FORMAT_RGBA32_SINT,
    };
    static const int32_t naturals[] = {
        TRM_FORMAT_R8_UINT,  TRM_FORMAT_RG8_UINT,  TRM_FORMAT_RGBA8_UINT,
        TRM_FORMAT_R16_UINT, TRM_FORMAT_RG16_UINT, TRM_FORMAT_RGBA16_UINT,
        TRM_FORMAT_R32_UINT, TRM_FORMAT_RG32_UINT, TRM_FORMAT_RGBA32_UINT,
    };

    for (uint32_t i = 0; i < SPIRV_COUNT(reals); i++) {
        give(-2, 2.99, 0);
        run((int)(i % (unsigned)ops_forms()), TRM_FORMAT_RGBA8_UNORM, reals[i],
            wholes[i % SPIRV_COUNT(wholes)],
            i == 0 ? TRM_FORMAT_RGB10A2_UINT : naturals[i % SPIRV_COUNT(naturals)], 0);
        check_stored(1, 0, false);
        check_stored(2, 1, false);
        check_stored(3, 2, true);
        check_stored(4, 3, false);
        end();
    }
}
END_TEST

START_TEST(a_write_outside_of_an_image_does_nothing)
{
    struct trm_image_layout *before;

    give(0, 1, 0);
    run(0, TRM_FORMAT_RGBA8_UNORM, TRM_FORMAT_R32_FLOAT, TRM_FORMAT_R32_SINT, TRM_FORMAT_R32_UINT, 0);
    before       = make_image(world.formats[4], ITEMS, 2, 1);
    uint64_t row = before->level[0].row_pitch;
    ck_assert_mem_eq((uint8_t *)world.images[4] + before->level[0].offset + row,
                     (uint8_t *)before + before->level[0].offset + row, row + 256);
    free(before);
    end();
}
END_TEST

START_TEST(atomics_on_texels_count_all_work_items)
{
    uint32_t counters[2];

    for (int form = 0; form < ops_forms(); form++) {
        give(0, 1, 0);
        run(form, TRM_FORMAT_RGBA8_UNORM, TRM_FORMAT_R32_FLOAT, TRM_FORMAT_R32_SINT, TRM_FORMAT_R32_UINT, 0);
        memcpy(counters, texel_at(world.images[5], world.formats[5], 0, 0, 1), sizeof(counters));
        ck_assert_uint_eq(counters[0], ITEMS / 2 * (ITEMS / 2 - 1));
        ck_assert_uint_eq(counters[1], ITEMS / 2 * (ITEMS / 2));
        end();
    }
}
END_TEST

/* ---- sampling: the equations of the chapter "Image Operations" of the Vulkan specification */

static int64_t wrapped(int64_t i, int64_t size, uint32_t mode)
{
    int64_t rest;

    switch (mode) {
    case TRM_ADDRESS_REPEAT:
        return (i % size + size) % size;
    case TRM_ADDRESS_MIRROR:
        rest = (i % (2 * size) + 2 * size) % (2 * size) - size;
        return size - 1 - (rest >= 0 ? rest : -(1 + rest));
    case TRM_ADDRESS_BORDER:
        return i < 0 || i >= size ? -1 : i;
    default:
        return i < 0 ? 0 : i >= size ? size - 1 : i;
    }
}

static void texel_of(uint32_t level, int64_t x, int64_t y, double result[4])
{
    const struct trm_image_level *at = &world.images[0]->level[level];
    uint32_t border                  = world.state >> TRM_STATE_BORDER & 15;
    const struct format *format      = world.formats[0];

    x = wrapped(x, at->width, world.state >> TRM_STATE_ADDRESS & 15);
    y = wrapped(y, at->height, world.state >> (TRM_STATE_ADDRESS + 4) & 15);
    if (x >= 0 && y >= 0) {
        decode(format, texel_at(world.images[0], format, level, (uint32_t)x, (uint32_t)y), result);
        return;
    }
    for (uint32_t i = 0; i < 4; i++) {
        result[i] = border == TRM_BORDER_WHITE || (border == TRM_BORDER_BLACK && i == 3);
        if (format->bits[i] == 0)
            result[i] = i == 3;
    }
}

static void sample_level(uint32_t level, double u, double v, double result[4])
{
    const struct trm_image_level *at = &world.images[0]->level[level];
    bool is_linear                   = world.state >> TRM_STATE_FILTER & 1;
    bool is_plain                    = world.state >> TRM_STATE_UNNORMALIZED & 1;
    double x = is_plain ? u : u * at->width, y = is_plain ? v : v * at->height, four[4][4];

    if (!is_linear) {
        texel_of(level, (int64_t)floor(x), (int64_t)floor(y), result);
        return;
    }
    int64_t i = (int64_t)floor(x - 0.5), j = (int64_t)floor(y - 0.5);
    double a = x - 0.5 - (double)i, b = y - 0.5 - (double)j;
    for (uint32_t k = 0; k < 4; k++)
        texel_of(level, i + (k & 1), j + (k >> 1), four[k]);
    for (uint32_t k = 0; k < 4; k++)
        result[k] =
            (1 - b) * ((1 - a) * four[0][k] + a * four[1][k]) + b * ((1 - a) * four[2][k] + a * four[3][k]);
}

static void sample(double u, double v, double detail, double result[4])
{
    double low[4], high[4], level = fmin(fmax(detail, 0), levels_of_picture() - 1);

    if (!(world.state >> TRM_STATE_MIP_FILTER & 1)) {
        sample_level((uint32_t)floor(level + 0.5), u, v, result);
        return;
    }
    sample_level((uint32_t)level, u, v, low);
    sample_level((uint32_t)fmin(floor(level) + 1, levels_of_picture() - 1), u, v, high);
    for (uint32_t k = 0; k < 4; k++)
        result[k] = low[k] + (high[k] - low[k]) * (level - floor(level));
}

static void check_sampled(const char *what)
{
    double expected[4], four[4];

    for (uint32_t i = 0; i < ITEMS; i++) {
        const float *given               = world.given[i];
        const struct trm_image_level *at = &world.images[0]->level[0];
        double scale                     = world.state >> TRM_STATE_UNNORMALIZED & 1 ? 1 : at->width;
        sample(given[0], given[1], given[2], expected);
        for (uint32_t k = 0; k < 4; k++)
            ck_assert_msg(fabs(world.made[i][4][k] - expected[k]) < 2e-4 * (1 + fabs(expected[k])),
                          "%s: sampled %g instead of %g at %g, %g, level %g, channel %u", what,
                          world.made[i][4][k], expected[k], given[0], given[1], given[2], k);
        int64_t x = (int64_t)floor(given[0] * scale - 0.5), y = (int64_t)floor(given[1] * scale - 0.5);
        for (uint32_t k = 0; k < 4; k++) {
            texel_of(0, x + 1 + (k == 1 || k == 2), y + (k < 2), four);
            ck_assert_msg(fabs(world.made[i][5][k] - four[1]) < 1e-6, "%s: gathered %g instead of %g", what,
                          world.made[i][5][k], four[1]);
        }
    }
}

START_TEST(samples_follow_the_specification)
{
    static const int32_t pictures[] = {TRM_FORMAT_RGBA8_UNORM, TRM_FORMAT_RG16_UNORM, TRM_FORMAT_R8_SNORM};
    char what[64];

    for (uint32_t mode = 0; mode < 4; mode++)
        for (uint32_t filters = 0; filters < 4; filters++) {
            uint32_t border = (mode + filters) % 3, second = mode == TRM_ADDRESS_BORDER ? 3 : (mode + 1) % 3;
            snprintf(what, sizeof(what), "address mode %u, filters %u", mode, filters);
            give(-1.5, 2.5, LEVELS);
            run((int)(filters % (unsigned)ops_forms()), pictures[(mode + filters) % 3], TRM_FORMAT_R32_FLOAT,
                TRM_FORMAT_R32_SINT, TRM_FORMAT_R32_UINT,
                filters | mode << TRM_STATE_ADDRESS | second << (TRM_STATE_ADDRESS + 4) |
                    border << TRM_STATE_BORDER);
            check_sampled(what);
            end();
        }
    give(-2, SAMPLE_SIZE + 2, -1);
    run(0, TRM_FORMAT_RGBA16_UNORM, TRM_FORMAT_R32_FLOAT, TRM_FORMAT_R32_SINT, TRM_FORMAT_R32_UINT,
        1u << TRM_STATE_FILTER | 1u << TRM_STATE_UNNORMALIZED);
    check_sampled("coordinates in texels");
    end();
}
END_TEST

/* These are the textures and samplers for which code without branches is made, and some for which it is
 * not. */
START_TEST(textures_of_one_level_are_sampled_alike)
{
    static const int32_t pictures[] = {TRM_FORMAT_RGBA8_UNORM, TRM_FORMAT_R32_FLOAT};
    char what[64];

    world.levels = 1;
    for (uint32_t number = 0; number < 9; number++) {
        uint32_t first = number & 1, second = number == 8 ? TRM_ADDRESS_MIRROR : number >> 1 & 1;
        uint32_t filter = number >> 2 & 1;
        snprintf(what, sizeof(what), "address modes %u and %u, filter %u", first, second, filter);
        give(-40.5, 42.5, 2);
        run((int)(number % (unsigned)ops_forms()), pictures[(first + second + filter) % 2],
            TRM_FORMAT_R32_FLOAT, TRM_FORMAT_R32_SINT, TRM_FORMAT_R32_UINT,
            filter | first << TRM_STATE_ADDRESS | second << (TRM_STATE_ADDRESS + 4));
        check_sampled(what);
        end();
    }
    give(-2, SAMPLE_SIZE + 2, -1);
    run(0, TRM_FORMAT_R32_FLOAT, TRM_FORMAT_R32_FLOAT, TRM_FORMAT_R32_SINT, TRM_FORMAT_R32_UINT,
        1u << TRM_STATE_FILTER | 1u << TRM_STATE_UNNORMALIZED);
    check_sampled("coordinates in texels of one level");
    end();
    world.levels = 0;
}
END_TEST

START_TEST(fetches_outside_of_an_image_give_zeros_and_sizes_are_known)
{
    double expected[4];

    give(-0.5, 1.5, LEVELS + 1);
    run(1, TRM_FORMAT_RG8_UNORM, TRM_FORMAT_R32_FLOAT, TRM_FORMAT_R32_SINT, TRM_FORMAT_R32_UINT, 0);
    for (uint32_t i = 0; i < ITEMS; i++) {
        int32_t x = (int32_t)(world.given[i][0] * 8), y = (int32_t)(world.given[i][1] * 8);
        uint32_t level = (uint32_t)world.given[i][2];
        memset(expected, 0, sizeof(expected));
        expected[3] = 1; /* the format has no alpha */
        if (level < LEVELS && x >= 0 && y >= 0 && x < (int32_t)SAMPLE_SIZE >> level &&
            y < (int32_t)SAMPLE_SIZE >> level)
            texel_of(level, x, y, expected);
        for (uint32_t k = 0; k < 4; k++)
            ck_assert_double_eq_tol(world.made[i][6][k], expected[k], 1e-6);
        ck_assert_float_eq(world.made[i][7][0], SAMPLE_SIZE / 2);
        ck_assert_float_eq(world.made[i][7][2], LEVELS);
        ck_assert_float_eq(world.made[i][7][3], ITEMS);
    }
    end();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated images");
    TCase *all   = tcase_create("images");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(all, 300);
    tcase_add_test(all, every_format_is_written_and_read);
    tcase_add_test(all, a_write_outside_of_an_image_does_nothing);
    tcase_add_test(all, atomics_on_texels_count_all_work_items);
    tcase_add_test(all, samples_follow_the_specification);
    tcase_add_test(all, textures_of_one_level_are_sampled_alike);
    tcase_add_test(all, fetches_outside_of_an_image_give_zeros_and_sizes_are_known);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
