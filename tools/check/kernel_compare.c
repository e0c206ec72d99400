/* Trireme: the results of a kernel on two devices, or of two runs.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The type that elements are compared as: where a buffer has no single type, words, which may be floats. */
static int32_t type_of(const struct trm_parameter *parameter)
{
    return trm_type_size(parameter->type) > 0 ? parameter->type : TRM_TYPE_U32;
}

enum {
    SAMPLES = 4096, /* elements that the median is taken of */
    MEDIANS = 16,   /* the most for the scale */
};

/* The largest of the finite elements, as an absolute value. */
static double largest_of(const unsigned char *elements, int32_t type, uint64_t count)
{
    double largest = 0;

    for (uint64_t i = 0; i < count; i++) {
        double value = fabs(difference_element(elements, type, i));

        if (isfinite(value) && value > largest)
            largest = value;
    }
    return largest;
}

/* The squares are of parts of the largest element, since those of large numbers are infinite. */
static double root_mean_square(const unsigned char *elements, int32_t type, uint64_t count)
{
    double largest = largest_of(elements, type, count), sum = 0;

    if (largest == 0)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        double value = difference_element(elements, type, i) / largest;

        sum += isfinite(value) ? value * value : 0;
    }
    return largest * sqrt(sum / (double)count);
}

static int compare_numbers(const void *one, const void *other)
{
    double first = *(const double *)one, second = *(const double *)other;

    return (first > second) - (first < second);
}

/* Of the absolute values of elements that are finite and not 0, since ends of buffers are often unused. */
static double median_of(const unsigned char *elements, int32_t type, uint64_t count)
{
    double samples[SAMPLES];
    uint64_t step  = count / SAMPLES + 1;
    uint32_t taken = 0;

    for (uint64_t i = 0; i < count; i += step) {
        double value = fabs(difference_element(elements, type, i));

        if (isfinite(value) && value > 0)
            samples[taken++] = value;
    }
    if (taken == 0)
        return 0;
    qsort(samples, taken, sizeof(samples[0]), compare_numbers);
    return samples[taken / 2];
}

/* How large the elements of a float type are: errors of sums, as of a Fourier transform, grow with what was
 * summed and not with the one result. A few huge elements must not hide what is wrong with all others. */
static double scale_of(const unsigned char *elements, int32_t type, uint64_t count)
{
    if (!value_is_float(type) || count == 0)
        return 1;
    return fmax(1, fmin(root_mean_square(elements, type, count), MEDIANS * median_of(elements, type, count)));
}

/* Is one element within `limit` of another, for floats as a part of the larger of it and `scale`? */
static bool is_within(int32_t type, const unsigned char *one, const unsigned char *other, double scale,
                      double limit)
{
    double reference = difference_element(other, type, 0);
    double apart     = difference_of(difference_element(one, type, 0), reference, value_is_float(type));
    double own       = fmax(1, fabs(reference));

    return isfinite(apart) && apart <= (value_is_float(type) && scale > own ? limit * scale / own : limit);
}

/* Are two words 0 or normal numbers as floats? The floats of small integers are denormal. */
static bool may_be_floats(const unsigned char *one, const unsigned char *other)
{
    const unsigned char *words[] = {one, other};

    for (int i = 0; i < 2; i++) {
        float value;

        memcpy(&value, words[i], sizeof(value));
        if (!isnormal(value) && value != 0)
            return false;
    }
    return true;
}

/* What is compared, and what comes out. */
struct comparison {
    const struct kernel_argument *argument;
    const unsigned char *results, *reference; /* of this argument */
    double tolerance;                         /* below 0: by the types */
    struct kernel_difference *difference;
};

static double limit_for(const struct comparison *it, int32_t type)
{
    return it->tolerance >= 0 ? it->tolerance : difference_tolerance(type);
}

/* Elements of a type that is known. */
static bool is_near(const struct comparison *it, int32_t type, const unsigned char *one,
                    const unsigned char *other, double scale)
{
    double limit = limit_for(it, type);

    if (memcmp(one, other, trm_type_size(type)) == 0)
        return true;
    return (value_is_float(type) || limit > 0) && is_within(type, one, other, scale, limit);
}

static void note(const struct comparison *it, int32_t type, const unsigned char *one,
                 const unsigned char *other, uint64_t element, const char *member)
{
    struct kernel_difference *difference = it->difference;
    uint64_t bits = 0, reference_bits = 0;

    if (difference->count++ > 0)
        return;
    memcpy(&bits, one, trm_type_size(type));
    memcpy(&reference_bits, other, trm_type_size(type));
    difference->parameter = it->argument->parameter;
    difference->element   = element;
    snprintf(difference->member, sizeof(difference->member), "%s", member);
    value_text(difference->value, type, bits);
    value_text(difference->reference, type, reference_bits);
}

static void compare_elements(const struct comparison *it)
{
    const struct trm_parameter *parameter = it->argument->parameter;
    int32_t type                          = type_of(parameter);
    uint32_t size                         = trm_type_size(type);
    uint64_t count                        = it->argument->bytes / size;
    double scale                          = scale_of(it->reference, type, count);

    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *one = it->results + i * size, *other = it->reference + i * size;

        if (is_near(it, type, one, other, scale))
            continue;
        if (trm_type_size(parameter->type) > 0 || !may_be_floats(one, other) ||
            !is_near(it, TRM_TYPE_F32, one, other, 1))
            note(it, type, one, other, i, "");
    }
}

static void compare_field(void *user, const struct kernel_place *place)
{
    const struct comparison *it = user;
    int32_t type                = place->field->type;

    for (uint32_t i = 0; i < place->count; i++) {
        uint64_t at = place->offset + (uint64_t)i * place->field->stride;

        if (!is_near(it, type, it->results + at, it->reference + at, 1))
            note(it, type, it->results + at, it->reference + at, place->element, place->field->name);
    }
}

void kernel_compare(const struct kernel_inputs *inputs, const unsigned char *results,
                    const unsigned char *reference, double tolerance, struct kernel_difference *difference)
{
    struct comparison it = {
        .results = results, .reference = reference, .tolerance = tolerance, .difference = difference};

    memset(difference, 0, sizeof(*difference));
    difference->is_exact = memcmp(results, reference, inputs->result_bytes) == 0;
    for (uint32_t i = 0; i < inputs->count && !difference->is_exact; i++) {
        it.argument = &inputs->arguments[i];
        if (!it.argument->is_written)
            continue;
        if (it.argument->layout)
            kernel_layout_each(it.argument->layout, it.argument->bytes, compare_field, &it);
        else
            compare_elements(&it);
        it.results += it.argument->bytes;
        it.reference += it.argument->bytes;
    }
}
