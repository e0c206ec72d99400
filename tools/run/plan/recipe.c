/* Trireme: facts about the built-in kernels.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/plan/recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- helpers ---- */

void draft_fix(struct draft *draft, const char *name, double value)
{
    draft->fixed[draft->fixed_count].name  = name;
    draft->fixed[draft->fixed_count].value = value;
    draft->fixed_count++;
}

static bool complain(const struct draft *draft, const char *complaint)
{
    return plan_complain(draft->plan, draft->spec, draft->code, "%s", complaint);
}

static bool misuse(const struct draft *draft, const char *complaint)
{
    return plan_misuse(draft->plan, draft->spec, draft->code, "%s", complaint);
}

/* The number of an option. NAN: it was not given. */
static bool take_number(struct draft *draft, const char *name, double *number)
{
    const char *text = spec_value(draft->spec, name);
    char *end;

    *number = (double)NAN;
    if (!text)
        return true;
    *number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*number))
        return plan_misuse(draft->plan, draft->spec, draft->code, "%s=%s is not a number", name, text);
    return true;
}

/* A whole number from 1 on; 0: it was not given. */
static bool take_size(struct draft *draft, const char *name, uint32_t *size)
{
    double number;

    if (!take_number(draft, name, &number))
        return false;
    if (isnan(number)) {
        *size = 0;
        return true;
    }
    if (number < 1 || number > 32768 || number != floor(number))
        return plan_misuse(draft->plan, draft->spec, draft->code, "%s is a whole number from 1 to 32768",
                           name);
    *size = (uint32_t)number;
    return true;
}

static uint64_t count_values(struct draft *draft, const char *name)
{
    const char *text = spec_value(draft->spec, name);
    uint64_t count   = text && *text;

    for (; text && *text; text++)
        count += *text == ',';
    return count;
}

/* ---- kernels ---- */

static bool prepare_gaussian(struct draft *draft)
{
    double sigma, radius;

    if (!take_number(draft, "sigma", &sigma) || !take_number(draft, "radius", &radius))
        return false;
    if (isnan(sigma))
        return misuse(draft, "sigma is missing: the standard deviation in samples");
    if (sigma <= 0)
        return misuse(draft, "sigma is above 0");
    if (isnan(radius)) {
        radius = ceil(3 * sigma); /* 99.7 % of the bell */
        if (radius > 64)
            return misuse(draft, "a sigma above 21.3 needs a radius, which is at most 64");
        draft_fix(draft, "radius", radius);
    } else if (radius < 0 || radius > 64) {
        return misuse(draft, "radius is a whole number from 0 to 64");
    }
    return true;
}

static bool prepare_box(struct draft *draft)
{
    double radius;

    if (!take_number(draft, "radius", &radius))
        return false;
    /* A larger radius costs time and changes nothing. */
    if (radius > 4096)
        return misuse(draft, "radius is a whole number up to 4096");
    return true;
}

static bool prepare_convolve3x3(struct draft *draft)
{
    draft->value_count = 9;
    return true;
}

static bool prepare_separable(struct draft *draft)
{
    uint64_t count = count_values(draft, "weights");

    if (count == 0)
        return true; /* a later check reports that they are missing */
    if (count % 2 == 0)
        return misuse(draft, "weights are an odd number of numbers");
    draft->value_count = count;
    draft_fix(draft, "radius", (double)((count - 1) / 2));
    return true;
}

static uint32_t scaled(uint32_t size, uint32_t to, uint32_t from)
{
    double result = floor((double)size * to / from + 0.5);

    return result < 1 ? 1 : (uint32_t)result;
}

/* The size of chroma for a size of luma, rounded up. */
static uint32_t of_chroma(const struct draft *draft, uint32_t size, uint32_t pixels)
{
    return draft->track->role == MEDIA_CHROMA && pixels > 1 ? (size - 1) / pixels + 1 : size;
}

static bool prepare_resize(struct draft *draft)
{
    const struct surface *whole       = &draft->plan->tracks[0].in; /* luma, or the only track */
    const struct media_format *format = draft->plan->format;
    uint32_t width = 0, height = 0;

    if (format->flat)
        return complain(draft, "it takes images: numbers have a --size");
    if (!take_size(draft, "width", &width) || !take_size(draft, "height", &height))
        return false;
    if (width == 0 && height == 0)
        return misuse(draft, "it needs a width, a height or both");
    if (width == 0)
        width = scaled(whole->width, height, whole->height);
    if (height == 0)
        height = scaled(whole->height, width, whole->width);
    draft->to.width  = of_chroma(draft, width, format->chroma_x);
    draft->to.height = of_chroma(draft, height, format->chroma_y);
    draft_fix(draft, "target_width", draft->to.width);
    draft_fix(draft, "target_height", draft->to.height);
    draft->items[0] = (uint64_t)draft->to.width * draft->to.channels;
    draft->items[1] = draft->to.height;
    draft->items[2] = draft->to.planes;
    return true;
}

static bool prepare_transpose(struct draft *draft)
{
    if (draft->plan->format->flat)
        return complain(draft, "it takes images: numbers have a --size");
    if (draft->from.channels != 1)
        return complain(draft, "it takes images of one channel");
    if (draft->plan->format->chroma_x != draft->plan->format->chroma_y)
        return complain(draft, "chroma would have to become another kind: make it 4:4:4 or 4:2:0 before");
    draft->to.width  = draft->from.height;
    draft->to.height = draft->from.width;
    draft_fix(draft, "rows", draft->from.height);
    draft_fix(draft, "columns", draft->from.width);
    /* A group of 32 × 8 items transposes a square of 32 × 32. */
    draft->items[0] = draft->from.width;
    draft->items[1] = ((uint64_t)draft->from.height + 31) / 32 * 8;
    draft->items[2] = 1;
    return true;
}

static bool prepare_gray(struct draft *draft)
{
    if (draft->from.channels < 3)
        return complain(draft, "it takes RGB images, with three channels or more (the luma of video is gray "
                               "already)");
    draft->to.channels = 1;
    return true;
}

static bool is_planar(struct draft *draft)
{
    const char *planar = spec_value(draft->spec, "planar");

    return planar && strcmp(planar, "0") != 0;
}

static bool prepare_rgb_to_yuv(struct draft *draft)
{
    if (draft->from.channels != 3)
        return complain(draft, "it takes RGB images, with three channels");
    if (is_planar(draft)) {
        draft->to.channels = 1;
        draft->to.planes   = 3;
    }
    return true;
}

static bool prepare_yuv_to_rgb(struct draft *draft)
{
    bool planar = is_planar(draft);

    if (planar ? draft->from.planes != 3 || draft->from.channels != 1 : draft->from.channels != 3)
        return complain(draft, planar ? "it takes three planes here, as rgb_to_yuv:planar=1 makes them"
                                      : "it takes pixels of three channels");
    draft->to.channels = 3;
    draft->to.planes   = 1;
    return true;
}

static bool prepare_blend(struct draft *draft)
{
    if (draft->from.channels != 4)
        return complain(draft, "it takes RGBA images, with four channels");
    return true;
}

/* ---- the table ---- */

#define FILTER RECIPE_STACKED
#define VALUES (RECIPE_POINTWISE | RECIPE_LUMA)
#define COLOUR (RECIPE_POINTWISE | RECIPE_PIXELS)

static const char unary_words[] = "operation=negative|magnitude|sqrt|inverse_sqrt|exp|log|sin|cos|tanh|"
                                  "sigmoid|relu|gelu|floor|ceil|round|truncate|"
                                  "inverse|square|sign|silu|exp2|log2|tan";
static const char binary_words[] =
    "operation=add|subtract|multiply|divide|min|max|power|angle|modulo|equal|less|greater";
static const char yuv_words[]    = "standard=bt601|bt709,range=full|limited";
static const char sobel_words[]  = "quantity=length|sum|across|down,border=nearest|zero";
static const char border_words[] = "border=nearest|zero";

static const char many_to_one[] = "its result is no frame: it reduces many values to a few";
static const char not_alone[]   = "it works on several arrays that a stream of frames does not have";

static const struct recipe recipes[] = {
    {"alpha_blend", COLOUR | RECIPE_INSIDE, NULL, NULL, NULL, prepare_blend},
    {"alpha_blend_u8", COLOUR | RECIPE_INSIDE, NULL, NULL, NULL, prepare_blend},
    {"axpy", 0, NULL, NULL, not_alone, NULL},
    {"binary", VALUES, NULL, binary_words, NULL, NULL},
    {"box_blur", FILTER | RECIPE_TWICE | RECIPE_INSIDE, NULL, border_words, NULL, prepare_box},
    {"box_blur3x3", FILTER | RECIPE_INSIDE, NULL, border_words, NULL, NULL},
    {"convolve3x3", FILTER, NULL, border_words, NULL, prepare_convolve3x3},
    {"convolve_separable", FILTER | RECIPE_TWICE, NULL, border_words, NULL, prepare_separable},
    {"fill", VALUES, NULL, NULL, "it makes frames of nothing", NULL},
    {"fma_chain", VALUES, "a=1,b=0", NULL, NULL, NULL},
    {"gamma", VALUES, "exponent=1", "curve=power|to_srgb|from_srgb", NULL, NULL},
    {"gamma_u8", VALUES, "exponent=1", "curve=power|to_srgb|from_srgb", NULL, NULL},
    {"gaussian_blur", FILTER | RECIPE_TWICE | RECIPE_INSIDE, NULL, border_words, NULL, prepare_gaussian},
    {"gemm_f16", 0, NULL, NULL, not_alone, NULL},
    {"gray", COLOUR | RECIPE_INSIDE, NULL, yuv_words, NULL, prepare_gray},
    {"gray_u8", COLOUR | RECIPE_INSIDE, NULL, yuv_words, NULL, prepare_gray},
    {"histogram", 0, NULL, NULL, many_to_one, NULL},
    {"reduce", 0, NULL, NULL, many_to_one, NULL},
    {"reduce_u32", 0, NULL, NULL, many_to_one, NULL},
    {"resize_bilinear", FILTER | RECIPE_INSIDE, NULL, NULL, NULL, prepare_resize},
    {"rgb_to_yuv", COLOUR, NULL, yuv_words, NULL, prepare_rgb_to_yuv},
    {"rgb_to_yuv_u8", COLOUR, NULL, yuv_words, NULL, prepare_rgb_to_yuv},
    {"scan", 0, NULL, NULL, not_alone, NULL},
    {"scan_add", 0, NULL, NULL, not_alone, NULL},
    {"scan_add_u32", 0, NULL, NULL, not_alone, NULL},
    {"scan_u32", 0, NULL, NULL, not_alone, NULL},
    {"sgd", 0, NULL, NULL, not_alone, NULL},
    {"sgemm", 0, NULL, NULL, not_alone, NULL},
    {"sobel", FILTER | RECIPE_LUMA | RECIPE_GRAY, NULL, sobel_words, NULL, NULL},
    {"softmax_cross_entropy", 0, NULL, NULL, not_alone, NULL},
    {"threshold", VALUES | RECIPE_GRAY, "low=0,high=1", "mode=binary|truncate|to_low|to_high", NULL, NULL},
    {"threshold_u8", VALUES | RECIPE_GRAY, "low=0,high=255", "mode=binary|truncate|to_low|to_high", NULL,
     NULL},
    {"transpose", RECIPE_INSIDE, NULL, NULL, NULL, prepare_transpose},
    {"unary", VALUES, NULL, unary_words, NULL, NULL},
    {"yuv_to_rgb", COLOUR, NULL, yuv_words, NULL, prepare_yuv_to_rgb},
    {"yuv_to_rgb_u8", COLOUR, NULL, yuv_words, NULL, prepare_yuv_to_rgb},
};

/* For all kernels convert_A_B. */
static const struct recipe convert_recipe = {"convert", VALUES, "scale=1,bias=0", NULL, NULL, NULL};

const struct recipe *recipe_find(const struct code *code)
{
    if (!code->named)
        return NULL;
    if (strncmp(code->name, "convert_", 8) == 0)
        return &convert_recipe;
    for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++)
        if (strcmp(recipes[i].kernel, code->name) == 0)
            return &recipes[i];
    return NULL;
}

const char *recipe_lookup(const char *list, const char *name, size_t *length)
{
    size_t size = strlen(name);

    while (list && *list) {
        size_t entry = strcspn(list, ",");

        if (strncmp(list, name, size) == 0 && list[size] == '=') {
            *length = entry - size - 1;
            return list + size + 1;
        }
        list += entry + (list[entry] == ',');
    }
    return NULL;
}
