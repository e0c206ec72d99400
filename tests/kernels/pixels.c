/* Kernels that look at one pixel at a time beside double precision: colour spaces, gray, gamma, threshold,
 * alpha blend, of floats and of bytes.
 *
 * How near: each step is off by half a ULP of a value that is about 1, a division by up to 2.5; the tests say
 * how many steps there are. A byte is one of those nearest to anything within 255 times that.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

#include <stdio.h>

#define GROUP 256

enum type {
    FLOATS,
    BYTES,
    TYPES,
};

/* Samples of one type, and what they count as. */
struct samples {
    enum type type;
    size_t count;
    void *data;
};

static size_t bytes_of(const struct samples *samples)
{
    return samples->count * (samples->type == BYTES ? 1 : 4);
}

static struct samples empty_samples(enum type type, size_t count)
{
    struct samples samples = {type, count, NULL};

    samples.data = allocate(bytes_of(&samples));
    return samples;
}

/* Floats go a little beyond black and white. The first ones are the ends. */
static struct samples random_samples(enum type type, size_t count, double low, double high, uint64_t seed)
{
    struct samples samples = {type, count, NULL};

    if (type == BYTES)
        samples.data = random_bytes(count, seed);
    else
        samples.data = random_floats(count, low, high, seed);
    for (size_t i = 0; i < count && i < 6; i++) {
        if (type == BYTES)
            ((uint8_t *)samples.data)[i] = i % 2 ? 255 : 0;
        else
            ((float *)samples.data)[i] = i % 2 ? 1 : 0;
    }
    return samples;
}

static double sample_value(const struct samples *samples, size_t i)
{
    return samples->type == BYTES ? ((const uint8_t *)samples->data)[i] / 255.0
                                  : ((const float *)samples->data)[i];
}

static void expect_sample(const struct samples *samples, size_t i, double expected, double tolerance)
{
    if (samples->type == FLOATS) {
        expect_near("target", i, ((const float *)samples->data)[i], expected, tolerance);
        return;
    }
    double low  = nearbyint(255 * fmin(fmax(expected - tolerance, 0), 1));
    double high = nearbyint(255 * fmin(fmax(expected + tolerance, 0), 1));
    double got  = ((const uint8_t *)samples->data)[i];
    ck_assert_msg(got >= low && got <= high, "target[%zu] is %g instead of %.9g", i, got, 255 * expected);
}

/* "gray" or "gray_u8". */
static struct kernel *open_typed(const char *name, enum type type, const struct constant *constants,
                                 size_t count)
{
    char full[32];

    snprintf(full, sizeof(full), "%s%s", name, type == BYTES ? "_u8" : "");
    return kernel_open(full, constants, count);
}

/* Kernels with a source, a target and a count. */
static void run_simple(struct kernel *kernel, const struct samples *source, struct samples *target,
                       size_t pixels)
{
    RUN(kernel, groups_for(pixels, GROUP), 1, 1, read_only("source", source->data, bytes_of(source)),
        write_only("target", target->data, bytes_of(target)), scalar_u32("count", (uint32_t)pixels));
}

/* ---- colour spaces ---- */

/* ITU-R BT.601 and BT.709: the weights of red and blue. */
static const double red_weights[] = {0.299, 0.2126}, blue_weights[] = {0.114, 0.0722};

static void yuv_of(const double rgb[3], uint32_t standard, uint32_t limited, double yuv[3])
{
    double kr = red_weights[standard], kb = blue_weights[standard];
    double y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];

    yuv[0] = limited ? (16 + 219 * y) / 255 : y;
    yuv[1] = (128 + (limited ? 224 : 255) * (rgb[2] - y) / (2 * (1 - kb))) / 255;
    yuv[2] = (128 + (limited ? 224 : 255) * (rgb[0] - y) / (2 * (1 - kr))) / 255;
}

/* The inverse as BT.601 and BT.709 tables have it: R = Y + 2 (1 - Kr) Cr, B = Y + 2 (1 - Kb) Cb, and G of Y,
 * Cb and Cr. */
static void rgb_of(const double yuv[3], uint32_t standard, uint32_t limited, double rgb[3])
{
    double kr = red_weights[standard], kb = blue_weights[standard], kg = 1 - kr - kb;
    double y  = limited ? (255 * yuv[0] - 16) / 219 : yuv[0];
    double cb = (255 * yuv[1] - 128) / (limited ? 224 : 255);
    double cr = (255 * yuv[2] - 128) / (limited ? 224 : 255);

    rgb[0] = y + 2 * (1 - kr) * cr;
    rgb[1] = y - 2 * (1 - kb) * kb / kg * cb - 2 * (1 - kr) * kr / kg * cr;
    rgb[2] = y + 2 * (1 - kb) * cb;
}

static size_t yuv_place(size_t pixel, size_t channel, size_t pixels, uint32_t planar)
{
    return planar ? channel * pixels + pixel : 3 * pixel + channel;
}

/* About 12 steps there. */
static void check_to_yuv(struct kernel *kernel, enum type type, const struct constant *constants,
                         size_t pixels)
{
    struct samples source = random_samples(type, 3 * pixels, -0.1, 1.1, pixels + 1);
    struct samples target = empty_samples(type, 3 * pixels);

    run_simple(kernel, &source, &target, pixels);
    for (size_t i = 0; i < pixels; i++) {
        double rgb[3], yuv[3];
        for (size_t c = 0; c < 3; c++)
            rgb[c] = sample_value(&source, 3 * i + c);
        yuv_of(rgb, constants[0].value, constants[1].value, yuv);
        for (size_t c = 0; c < 3; c++)
            expect_sample(&target, yuv_place(i, c, pixels, constants[2].value), yuv[c], 12 * ULP);
    }
    free(source.data);
    free(target.data);
}

/* About 16 steps back, of values up to 2, some of them divided by 0.587. */
static void check_to_rgb(struct kernel *kernel, enum type type, const struct constant *constants,
                         size_t pixels)
{
    struct samples source = random_samples(type, 3 * pixels, 0, 1, pixels + 2);
    struct samples target = empty_samples(type, 3 * pixels);

    run_simple(kernel, &source, &target, pixels);
    for (size_t i = 0; i < pixels; i++) {
        double rgb[3], yuv[3];
        for (size_t c = 0; c < 3; c++)
            yuv[c] = sample_value(&source, yuv_place(i, c, pixels, constants[2].value));
        rgb_of(yuv, constants[0].value, constants[1].value, rgb);
        for (size_t c = 0; c < 3; c++)
            expect_sample(&target, 3 * i + c, rgb[c], 48 * ULP);
    }
    free(source.data);
    free(target.data);
}

/* The loop's number has a bit each for type, standard, range and planes. */
START_TEST(rgb_becomes_yuv_of_either_standard_and_range)
{
    struct constant constants[] = {
        {"standard", _i >> 1 & 1u}, {"range", _i >> 2 & 1u}, {"planar", _i >> 3 & 1u}};
    struct kernel *kernel = open_typed("rgb_to_yuv", _i & 1, constants, COUNT(constants));

    for (size_t s = 0; s < COUNT(sizes); s++)
        check_to_yuv(kernel, _i & 1, constants, sizes[s]);
    kernel_close(kernel);
}
END_TEST

START_TEST(yuv_of_either_standard_and_range_becomes_rgb)
{
    struct constant constants[] = {
        {"standard", _i >> 1 & 1u}, {"range", _i >> 2 & 1u}, {"planar", _i >> 3 & 1u}};
    struct kernel *kernel = open_typed("yuv_to_rgb", _i & 1, constants, COUNT(constants));

    for (size_t s = 0; s < COUNT(sizes); s++)
        check_to_rgb(kernel, _i & 1, constants, sizes[s]);
    kernel_close(kernel);
}
END_TEST

/* What the standards themselves say of eight bits: black, white and the primaries. */
START_TEST(limited_range_has_the_codes_of_the_standards)
{
    static const uint8_t rgb[15]    = {0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255};
    static const uint8_t yuv[2][15] = {
        {16, 128, 128, 235, 128, 128, 81, 90, 240, 145, 54, 34, 41, 240, 110},
        {16, 128, 128, 235, 128, 128, 63, 102, 240, 173, 42, 26, 32, 240, 118},
    };
    struct constant constants[] = {{"standard", (uint32_t)_i}, {"range", 1}};
    struct kernel *kernel       = kernel_open("rgb_to_yuv_u8", constants, COUNT(constants));
    uint8_t target[15];

    RUN(kernel, 1, 1, 1, read_only("source", rgb, sizeof(rgb)), write_only("target", target, sizeof(target)),
        scalar_u32("count", 5));
    for (size_t i = 0; i < sizeof(target); i++)
        expect_equal("target", i, target[i], yuv[_i][i]);
    kernel_close(kernel);
}
END_TEST

/* ---- gray ---- */

START_TEST(gray_is_the_luma_of_either_standard)
{
    enum type type    = _i & 1;
    uint32_t standard = _i >> 1 & 1u, channels = _i >> 2 & 1 ? 4 : 3;
    struct constant constants[] = {{"standard", standard}, {"channels", channels}};
    struct kernel *kernel       = open_typed("gray", type, constants, COUNT(constants));
    double kr = red_weights[standard], kb = blue_weights[standard];

    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t pixels         = sizes[s];
        struct samples source = random_samples(type, channels * pixels, -0.1, 1.1, s + 1);
        struct samples target = empty_samples(type, pixels);
        run_simple(kernel, &source, &target, pixels);
        for (size_t i = 0; i < pixels; i++) {
            double expected = kr * sample_value(&source, channels * i) +
                              (1 - kr - kb) * sample_value(&source, channels * i + 1) +
                              kb * sample_value(&source, channels * i + 2);
            expect_sample(&target, i, expected, 6 * ULP);
        }
        free(source.data);
        free(target.data);
    }
    kernel_close(kernel);
}
END_TEST

/* ---- gamma ---- */

enum curve {
    POWER,
    TO_SRGB,
    FROM_SRGB,
    CURVES,
};

static double power(double value, double exponent)
{
    return value > 0 ? pow(value, exponent) : 0;
}

/* IEC 61966-2-1. */
static double on_curve(enum curve curve, double value, double exponent)
{
    if (curve == TO_SRGB)
        return value <= 0.0031308 ? 12.92 * value : 1.055 * power(value, 1 / 2.4) - 0.055;
    if (curve == FROM_SRGB)
        return value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055, 2.4);
    return power(value, exponent);
}

/* A power is exp2(exponent * log2(value)): with log2 up to 10 in magnitude 8 + 45 * exponent ULP; below 0.001
 * floats are 0 here and bytes 1 / 255 at the least. Where sRGB's two parts meet they differ by 1e-7, and by
 * 3e-8 the other way. */
static void check_gamma(struct kernel *gamma, enum type type, enum curve curve, float exponent, size_t n)
{
    struct samples source = random_samples(type, n, 0.001, 1.2, n + 5), target = empty_samples(type, n);
    double steps = curve == POWER ? exponent : curve == FROM_SRGB ? 2.4 : 1 / 2.4;

    if (type == FLOATS && n > 10) {
        ((float *)source.data)[7] = -0.25f;
        ((float *)source.data)[8] = 0.0031308f;
        ((float *)source.data)[9] = 0.04045f;
    }
    RUN(gamma, groups_for(n, GROUP), 1, 1, read_only("source", source.data, bytes_of(&source)),
        write_only("target", target.data, bytes_of(&target)), scalar_f32("exponent", exponent),
        scalar_u32("count", (uint32_t)n));
    for (size_t i = 0; i < n; i++) {
        double expected = on_curve(curve, sample_value(&source, i), exponent);
        double joint    = curve == POWER ? 0 : 0x1p-22;
        expect_sample(&target, i, expected, (12 + 45 * steps) * ULP * fmax(fabs(expected), 0.1) + joint);
    }
    free(source.data);
    free(target.data);
}

START_TEST(gamma_follows_its_curve)
{
    enum type type           = _i % TYPES;
    enum curve curve         = _i / TYPES;
    struct constant constant = {"curve", (uint32_t)curve};
    struct kernel *gamma     = open_typed("gamma", type, &constant, 1);

    for (size_t s = 0; s < COUNT(sizes); s++) {
        check_gamma(gamma, type, curve, 2.2f, sizes[s]);
        check_gamma(gamma, type, curve, 1 / 2.2f, sizes[s]);
    }
    kernel_close(gamma);
}
END_TEST

/* ---- threshold ---- */

static double thresholded(uint32_t mode, double value, double level, double low, double high)
{
    switch (mode) {
    case 0:
        return value > level ? high : low;
    case 1:
        return value > level ? level : value;
    case 2:
        return value > level ? value : low;
    default:
        return value > level ? high : value;
    }
}

START_TEST(threshold_of_floats_compares_with_a_level)
{
    uint32_t mode            = (uint32_t)_i;
    struct constant constant = {"mode", mode};
    struct kernel *kernel    = kernel_open("threshold", &constant, 1);

    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t n      = sizes[s];
        float *source = random_floats(n, -1, 1, s + 1), *target = allocate(n * 4);
        if (n > 3) {
            source[0] = 0.25f; /* the level itself is not above it */
            source[1] = INFINITY;
            source[2] = -INFINITY;
        }
        RUN(kernel, groups_for(n, GROUP), 1, 1, read_only("source", source, n * 4),
            write_only("target", target, n * 4), scalar_f32("level", 0.25f), scalar_f32("low", -7),
            scalar_f32("high", 9), scalar_u32("count", (uint32_t)n));
        for (size_t i = 0; i < n; i++)
            expect_near("target", i, target[i], thresholded(mode, source[i], 0.25, -7, 9), 0);
        free(source);
        free(target);
    }
    kernel_close(kernel);
}
END_TEST

START_TEST(threshold_of_bytes_compares_with_a_level)
{
    uint32_t mode            = (uint32_t)_i;
    struct constant constant = {"mode", mode};
    struct kernel *kernel    = kernel_open("threshold_u8", &constant, 1);

    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t n        = sizes[s];
        uint8_t *source = random_bytes(n, s + 1), *target = allocate(n);
        RUN(kernel, groups_for(n, GROUP), 1, 1, read_only("source", source, n),
            write_only("target", target, n), scalar_u32("level", 100), scalar_u32("low", 3),
            scalar_u32("high", 255), scalar_u32("count", (uint32_t)n));
        for (size_t i = 0; i < n; i++)
            expect_near("target", i, target[i], thresholded(mode, source[i], 100, 3, 255), 0);
        free(source);
        free(target);
    }
    kernel_close(kernel);
}
END_TEST

/* ---- alpha blend ---- */

/* One channel of the front pixel over the back pixel (Porter and Duff); channel 3 is alpha. */
static double over(const struct samples *front, const struct samples *back, size_t pixel, size_t channel,
                   uint32_t premultiplied)
{
    double front_alpha = sample_value(front, 4 * pixel + 3), back_alpha = sample_value(back, 4 * pixel + 3);
    double alpha = front_alpha + back_alpha * (1 - front_alpha);
    double above = sample_value(front, 4 * pixel + channel), below = sample_value(back, 4 * pixel + channel);

    if (channel == 3)
        return alpha;
    if (premultiplied)
        return above + below * (1 - front_alpha);
    return alpha > 0 ? (above * front_alpha + below * back_alpha * (1 - front_alpha)) / alpha : 0;
}

/* Nothing is taken away but 1 - alpha, so all steps are relative to the result: 10, and a division of 2.5; a
 * byte's alpha is off by one more. */
static void check_blend(struct kernel *blend, enum type type, uint32_t premultiplied, size_t pixels)
{
    struct samples front  = random_samples(type, 4 * pixels, 0, 1, pixels + 1);
    struct samples back   = random_samples(type, 4 * pixels, 0, 1, pixels + 2),
                   target = empty_samples(type, 4 * pixels);

    if (pixels > 2) { /* a pixel of no alpha at all */
        memset((char *)front.data + bytes_of(&front) / pixels, 0, bytes_of(&front) / pixels);
        memset((char *)back.data + bytes_of(&back) / pixels, 0, bytes_of(&back) / pixels);
    }
    RUN(blend, groups_for(pixels, GROUP), 1, 1, read_only("front", front.data, bytes_of(&front)),
        read_only("back", back.data, bytes_of(&back)), write_only("target", target.data, bytes_of(&target)),
        scalar_u32("count", (uint32_t)pixels));
    for (size_t i = 0; i < 4 * pixels; i++) {
        double expected = over(&front, &back, i / 4, i % 4, premultiplied);
        expect_sample(&target, i, expected, 16 * ULP * fmax(expected, 0x1p-20));
    }
    free(front.data);
    free(back.data);
    free(target.data);
}

START_TEST(alpha_blend_puts_the_front_over_the_back)
{
    struct constant constant = {"premultiplied", (uint32_t)_i >> 1};
    struct kernel *blend     = open_typed("alpha_blend", _i & 1, &constant, 1);

    for (size_t s = 0; s < COUNT(sizes); s++)
        check_blend(blend, _i & 1, constant.value, sizes[s]);
    kernel_close(blend);
}
END_TEST

int main(void)
{
    TCase *group = suite_group("pixels");

    tcase_add_loop_test(group, rgb_becomes_yuv_of_either_standard_and_range, 0, 16);
    tcase_add_loop_test(group, yuv_of_either_standard_and_range_becomes_rgb, 0, 16);
    tcase_add_loop_test(group, limited_range_has_the_codes_of_the_standards, 0, 2);
    tcase_add_loop_test(group, gray_is_the_luma_of_either_standard, 0, 8);
    tcase_add_loop_test(group, gamma_follows_its_curve, 0, CURVES * TYPES);
    tcase_add_loop_test(group, threshold_of_floats_compares_with_a_level, 0, 4);
    tcase_add_loop_test(group, threshold_of_bytes_compares_with_a_level, 0, 4);
    tcase_add_loop_test(group, alpha_blend_puts_the_front_over_the_back, 0, 4);
    return suite_run(group);
}
