/* Filters of images beside double precision: 3 x 3 and separable convolution, blurs, Sobel, bilinear resize.
 *
 * How near: a filter is a sum of products. With n of them it is off by at most n + 2 half ULPs of the sum of
 * their magnitudes, twice that where multiplications and additions are not fused.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

struct shape {
    uint32_t width, height, planes, channels;
};

static const struct shape shapes[] = {
    {1, 1, 1, 1},     {1, 100, 1, 1}, {100, 1, 1, 1}, {2, 2, 1, 1},   {17, 31, 1, 1},
    {640, 3, 1, 1},   {64, 4, 1, 1},  {65, 5, 2, 1},  {257, 2, 1, 1}, {256, 9, 1, 1},
    {300, 300, 1, 1}, {1, 7, 2, 3},   {17, 31, 3, 3}, {90, 4, 1, 3},  {33, 6, 2, 4},
};

enum border {
    BORDER_NEAREST,
    BORDER_ZERO,
};

static size_t samples_of(const struct shape *shape)
{
    return (size_t)shape->width * shape->height * shape->planes * shape->channels;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* The sample of one channel of one plane at a place that may be outside. */
static double sample(const struct shape *shape, const float *image, uint32_t plane, int64_t x, int64_t y,
                     uint32_t channel, enum border border)
{
    int64_t inside_x = clamp(x, 0, shape->width - 1), inside_y = clamp(y, 0, shape->height - 1);

    if (border == BORDER_ZERO && (inside_x != x || inside_y != y))
        return 0;
    return image[((plane * (size_t)shape->height + (size_t)inside_y) * shape->width + (size_t)inside_x) *
                     shape->channels +
                 channel];
}

/* A sample of the target with its place. */
struct place {
    uint32_t plane, x, y, channel;
};

static struct place place_of(const struct shape *shape, size_t index)
{
    return (struct place){
        .channel = (uint32_t)(index % shape->channels),
        .x       = (uint32_t)(index / shape->channels % shape->width),
        .y       = (uint32_t)(index / shape->channels / shape->width % shape->height),
        .plane   = (uint32_t)(index / shape->channels / shape->width / shape->height),
    };
}

/* ---- 3 x 3 ---- */

/* What a filter of 3 x 3 makes of the nine samples, and the sum of the magnitudes that went into it. */
typedef double (*window_fn)(const double window[3][3], const float *weights, double *magnitude);

static void check_window(const struct shape *shape, const float *source, const float *target,
                         const float *weights, enum border border, window_fn reference)
{
    for (size_t i = 0; i < samples_of(shape); i++) {
        struct place at = place_of(shape, i);
        double window[3][3], magnitude;
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++)
                window[dy][dx] = sample(shape, source, at.plane, (int64_t)at.x + dx - 1,
                                        (int64_t)at.y + dy - 1, at.channel, border);
        }
        double expected = reference((const double(*)[3])window, weights, &magnitude);
        expect_near("target", i, target[i], expected, 11 * ULP * magnitude);
    }
}

/* Run a filter of 3 x 3 for every shape and border. `extra` is one more constant. */
static void check_window_filter(const char *name, const struct constant *extra, const float *weights,
                                window_fn reference)
{
    for (size_t s = 0; s < COUNT(shapes); s++) {
        const struct shape *shape   = &shapes[s];
        enum border border          = s % 2 ? BORDER_ZERO : BORDER_NEAREST;
        struct constant constants[] = {
            {"channels", shape->channels}, {"border", (uint32_t)border}, {extra->name, extra->value}};
        struct kernel *kernel = kernel_open(name, constants, extra->name ? 3 : 2);
        size_t bytes          = samples_of(shape) * 4;
        float *source = random_floats(samples_of(shape), -1, 1, s + 1), *target = allocate(bytes);
        struct value values[] = {
            read_only("source", source, bytes),   write_only("target", target, bytes),
            scalar_u32("width", shape->width),    scalar_u32("height", shape->height),
            read_only("weights", weights, 9 * 4),
        };
        kernel_run(kernel, groups_for((size_t)shape->width * shape->channels, 64),
                   groups_for(shape->height, 4), shape->planes, values, weights ? 5 : 4);
        check_window(shape, source, target, weights, border, reference);
        free(source);
        free(target);
        kernel_close(kernel);
    }
}

static double weighted(const double window[3][3], const float *weights, double *magnitude)
{
    double sum = 0;

    *magnitude = 0;
    for (int i = 0; i < 9; i++) {
        sum += weights[i] * window[i / 3][i % 3];
        *magnitude += fabs(weights[i] * window[i / 3][i % 3]);
    }
    return sum;
}

START_TEST(convolve3x3_weighs_the_nine_samples_around_each)
{
    static const float weights[9] = {0.5f, -1, 0.25f, 2, 3, -0.125f, 0.1f, 0.7f, -4};
    static const struct constant none;

    check_window_filter("convolve3x3", &none, weights, weighted);
}
END_TEST

static double mean(const double window[3][3], const float *weights, double *magnitude)
{
    double sum = 0;

    (void)weights;
    *magnitude = 0;
    for (int i = 0; i < 9; i++) {
        sum += window[i / 3][i % 3] / 9;
        *magnitude += fabs(window[i / 3][i % 3] / 9);
    }
    return sum;
}

START_TEST(box_blur3x3_is_the_mean_of_the_nine_samples_around_each)
{
    static const struct constant none;

    check_window_filter("box_blur3x3", &none, NULL, mean);
}
END_TEST

static void sobel_sums(const double w[3][3], double *across, double *down, double *magnitude)
{
    *across    = w[0][2] + 2 * w[1][2] + w[2][2] - w[0][0] - 2 * w[1][0] - w[2][0];
    *down      = w[2][0] + 2 * w[2][1] + w[2][2] - w[0][0] - 2 * w[0][1] - w[0][2];
    *magnitude = 0;
    for (int i = 0; i < 9; i++)
        *magnitude += 2 * fabs(w[i / 3][i % 3]);
}

/* A square root may be off by 4.5 ULP, and so by more than sums are; the magnitude is twice both. */
static double sobel_length(const double w[3][3], const float *weights, double *magnitude)
{
    double across, down;

    (void)weights;
    sobel_sums(w, &across, &down, magnitude);
    *magnitude *= 2;
    return sqrt(across * across + down * down);
}

static double sobel_absolute(const double w[3][3], const float *weights, double *magnitude)
{
    double across, down;

    (void)weights;
    sobel_sums(w, &across, &down, magnitude);
    *magnitude *= 2;
    return fabs(across) + fabs(down);
}

static double sobel_across(const double w[3][3], const float *weights, double *magnitude)
{
    double across, down;

    (void)weights;
    sobel_sums(w, &across, &down, magnitude);
    return across;
}

static double sobel_down(const double w[3][3], const float *weights, double *magnitude)
{
    double across, down;

    (void)weights;
    sobel_sums(w, &across, &down, magnitude);
    return down;
}

START_TEST(sobel_gives_the_quantity_that_is_asked_for)
{
    static const window_fn references[] = {sobel_length, sobel_absolute, sobel_across, sobel_down};
    struct constant quantity            = {"quantity", (uint32_t)_i};

    check_window_filter("sobel", &quantity, NULL, references[_i]);
}
END_TEST

/* ---- along an axis ---- */

#define RADIUS_MOST 64

/* A separable filter with its weights as they are known in double precision. */
struct axis_filter {
    const char *name;
    uint32_t radius;
    float sigma; /* above 0: it takes one */
    int takes_weights;
    float given[2 * RADIUS_MOST + 1];    /* what it is given */
    double weights[2 * RADIUS_MOST + 1]; /* what it should weigh with */
    double off;                          /* by which, relatively, its weights may be off themselves */
};

static void check_axis(const struct axis_filter *filter, const struct shape *shape, uint32_t axis,
                       enum border border, const float *source, const float *target)
{
    int64_t radius = filter->radius;

    for (size_t i = 0; i < samples_of(shape); i++) {
        struct place at = place_of(shape, i);
        double sum = 0, magnitude = 0;
        for (int64_t d = -radius; d <= radius; d++) {
            double term =
                filter->weights[d + radius] * sample(shape, source, at.plane, at.x + (axis == 0 ? d : 0),
                                                     at.y + (axis == 1 ? d : 0), at.channel, border);
            sum += term;
            magnitude += fabs(term);
        }
        expect_near("target", i, target[i], sum, ((2 * filter->radius + 3) * ULP + filter->off) * magnitude);
    }
}

static void run_axis(const struct axis_filter *filter, const struct shape *shape, uint32_t axis,
                     enum border border)
{
    struct constant constants[] = {
        {"channels", shape->channels}, {"border", (uint32_t)border}, {"axis", axis}};
    struct kernel *kernel = kernel_open(filter->name, constants, COUNT(constants));
    size_t bytes          = samples_of(shape) * 4;
    float *source = random_floats(samples_of(shape), -1, 1, 9), *target = allocate(bytes);
    struct value values[7] = {
        read_only("source", source, bytes),   write_only("target", target, bytes),
        scalar_u32("width", shape->width),    scalar_u32("height", shape->height),
        scalar_u32("radius", filter->radius),
    };
    size_t count = 5;

    if (filter->sigma > 0)
        values[count++] = scalar_f32("sigma", filter->sigma);
    if (filter->takes_weights)
        values[count++] = read_only("weights", filter->given, (2 * filter->radius + 1) * 4u);
    kernel_run(kernel, groups_for((size_t)shape->width * shape->channels, 256), shape->height, shape->planes,
               values, count);
    check_axis(filter, shape, axis, border, source, target);
    free(source);
    free(target);
    kernel_close(kernel);
}

static void check_axis_filter(const struct axis_filter *filter)
{
    for (size_t s = 0; s < COUNT(shapes); s++) {
        run_axis(filter, &shapes[s], 0, s % 2 ? BORDER_ZERO : BORDER_NEAREST);
        run_axis(filter, &shapes[s], 1, s % 2 ? BORDER_NEAREST : BORDER_ZERO);
    }
}

/* Radii up to what goes through shared memory, and beyond. */
static const uint32_t radii[] = {0, 1, 3, 32, 40};

START_TEST(convolve_separable_weighs_along_an_axis)
{
    struct axis_filter filter = {.name = "convolve_separable", .radius = radii[_i], .takes_weights = 1};
    struct generator numbers  = {3};

    for (uint32_t k = 0; k <= 2 * filter.radius; k++)
        filter.weights[k] = filter.given[k] = random_f32(&numbers, -1, 1);
    check_axis_filter(&filter);
}
END_TEST

START_TEST(box_blur_is_the_mean_along_an_axis)
{
    struct axis_filter filter = {.name = "box_blur", .radius = radii[_i], .off = 2.5 * ULP};

    for (uint32_t k = 0; k <= 2 * filter.radius; k++)
        filter.weights[k] = 1.0 / (2 * filter.radius + 1);
    check_axis_filter(&filter);
}
END_TEST

/* A weight is exp(-x), x up to (radius / sigma)^2 / 2 = 8 here: off by 3 + 2 * 8 ULP, and x by 3 half ULPs of
 * 8; the sum of them in all by no more, and by its additions; and a division. */
START_TEST(gaussian_blur_weighs_with_a_bell_along_an_axis)
{
    uint32_t radius           = radii[_i];
    float sigma               = radius == 0 ? 1 : (float)radius / 4;
    struct axis_filter filter = {.name = "gaussian_blur", .radius = radius, .sigma = sigma};
    double sum                = 0;

    for (uint32_t k = 0; k <= 2 * radius; k++) {
        double distance   = ((double)k - radius) / sigma;
        filter.weights[k] = exp(-0.5 * distance * distance);
        sum += filter.weights[k];
    }
    for (uint32_t k = 0; k <= 2 * radius; k++)
        filter.weights[k] /= sum;
    filter.off = (2 * (3 + 2 * 8 + 12) + 2 * radius + 2.5) * ULP;
    check_axis_filter(&filter);
}
END_TEST

/* ---- resize ---- */

struct resizing {
    uint32_t width, height, target_width, target_height, planes, channels;
};

/* What bilinear interpolation makes of a place, as the kernel documents it. */
static double interpolated(const struct resizing *size, const float *source, uint32_t plane, uint32_t x,
                           uint32_t y, uint32_t channel)
{
    struct shape shape = {size->width, size->height, size->planes, size->channels};
    double at_x        = (x + 0.5) * size->width / size->target_width - 0.5;
    double at_y        = (y + 0.5) * size->height / size->target_height - 0.5;

    at_x         = fmin(fmax(at_x, 0), size->width - 1);
    at_y         = fmin(fmax(at_y, 0), size->height - 1);
    int64_t left = (int64_t)at_x, above = (int64_t)at_y;
    double right_part = at_x - (double)left, lower_part = at_y - (double)above;
    double upper = sample(&shape, source, plane, left, above, channel, BORDER_NEAREST) * (1 - right_part) +
                   sample(&shape, source, plane, left + 1, above, channel, BORDER_NEAREST) * right_part;
    double lower =
        sample(&shape, source, plane, left, above + 1, channel, BORDER_NEAREST) * (1 - right_part) +
        sample(&shape, source, plane, left + 1, above + 1, channel, BORDER_NEAREST) * right_part;
    return upper * (1 - lower_part) + lower * lower_part;
}

/* Samples are from -1 to 1, so a place that is off by d changes the result by 2 d at most in each direction;
 * the place itself is off by some ULPs of its size (a division, which Vulkan allows 2.5, a multiplication, a
 * subtraction), and the interpolation by 6 roundings. */
static void check_resize(const struct resizing *size)
{
    struct constant constant = {"channels", size->channels};
    struct kernel *resize    = kernel_open("resize_bilinear", &constant, 1);
    size_t from              = (size_t)size->width * size->height * size->planes * size->channels;
    size_t to     = (size_t)size->target_width * size->target_height * size->planes * size->channels;
    float *source = random_floats(from, -1, 1, 4), *target = allocate(to * 4);
    struct shape shape = {size->target_width, size->target_height, size->planes, size->channels};

    RUN(resize, groups_for((size_t)size->target_width * size->channels, 64),
        groups_for(size->target_height, 4), size->planes, read_only("source", source, from * 4),
        write_only("target", target, to * 4), scalar_u32("width", size->width),
        scalar_u32("height", size->height), scalar_u32("target_width", size->target_width),
        scalar_u32("target_height", size->target_height));
    double tolerance = (2 * 4.5 * (size->width + size->height) + 6) * ULP;
    for (size_t i = 0; i < to; i++) {
        struct place at = place_of(&shape, i);
        expect_near("target", i, target[i], interpolated(size, source, at.plane, at.x, at.y, at.channel),
                    tolerance);
    }
    free(source);
    free(target);
    kernel_close(resize);
}

START_TEST(resize_bilinear_interpolates_between_four_samples)
{
    static const struct resizing resizings[] = {
        {1, 1, 1, 1, 1, 1},       {1, 1, 5, 3, 1, 1},     {5, 3, 1, 1, 1, 1},     {4, 4, 8, 8, 1, 1},
        {8, 8, 4, 4, 1, 1},       {17, 31, 64, 4, 1, 1},  {17, 31, 40, 65, 2, 3}, {640, 3, 100, 7, 1, 1},
        {100, 50, 131, 77, 1, 4}, {3, 7, 300, 200, 1, 1}, {17, 31, 17, 31, 3, 1},
    };

    for (size_t r = 0; r < COUNT(resizings); r++)
        check_resize(&resizings[r]);
}
END_TEST

int main(void)
{
    TCase *group = suite_group("filters");

    tcase_add_test(group, convolve3x3_weighs_the_nine_samples_around_each);
    tcase_add_test(group, box_blur3x3_is_the_mean_of_the_nine_samples_around_each);
    tcase_add_loop_test(group, sobel_gives_the_quantity_that_is_asked_for, 0, 4);
    tcase_add_loop_test(group, convolve_separable_weighs_along_an_axis, 0, COUNT(radii));
    tcase_add_loop_test(group, box_blur_is_the_mean_along_an_axis, 0, COUNT(radii));
    tcase_add_loop_test(group, gaussian_blur_weighs_with_a_bell_along_an_axis, 0, COUNT(radii));
    tcase_add_test(group, resize_bilinear_interpolates_between_four_samples);
    return suite_run(group);
}
