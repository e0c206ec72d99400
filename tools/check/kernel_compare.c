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
static bool is_within(int32_t type, const unsigned char *one, const unsigned char *other, uint64_t index,
                      double scale, double limit)
{
    double reference = difference_element(other, type, index);
    double apart     = difference_of(difference_element(one, type, index), reference, value_is_float(type));
    double own       = fmax(1, fabs(reference));

    return isfinite(apart) && apart <= (value_is_float(type) && scale > own ? limit * scale / own : limit);
}

/* Are words 0 or normal numbers as floats? The floats of small integers are denormal. */
static bool may_be_floats(const unsigned char *one, const unsigned char *other, uint64_t index)
{
    const unsigned char *words[] = {one, other};

    for (int i = 0; i < 2; i++) {
        float value;

        memcpy(&value, words[i] + index * sizeof(value), sizeof(value));
        if (!isnormal(value) && value != 0)
            return false;
    }
    return true;
}

static bool is_near(const struct trm_parameter *parameter, const unsigned char *one,
                    const unsigned char *other, uint64_t index, double scale, double tolerance)
{
    int32_t type  = type_of(parameter);
    uint32_t size = trm_type_size(type);
    double limit  = tolerance >= 0 ? tolerance : difference_tolerance(type);

    if (memcmp(one + index * size, other + index * size, size) == 0)
        return true;
    if ((value_is_float(type) || limit > 0) && is_within(type, one, other, index, scale, limit))
        return true;
    if (trm_type_size(parameter->type) > 0 || !may_be_floats(one, other, index))
        return false;
    limit = tolerance >= 0 ? tolerance : difference_tolerance(TRM_TYPE_F32);
    return is_within(TRM_TYPE_F32, one, other, index, 1, limit);
}

static void note(struct kernel_difference *difference, const struct trm_parameter *parameter,
                 const unsigned char *results, const unsigned char *reference, uint64_t index)
{
    int32_t type  = type_of(parameter);
    uint32_t size = trm_type_size(type);
    uint64_t bits = 0, reference_bits = 0;

    if (difference->count++ > 0)
        return;
    memcpy(&bits, results + index * size, size);
    memcpy(&reference_bits, reference + index * size, size);
    difference->parameter = parameter;
    difference->element   = index;
    value_text(difference->value, type, bits);
    value_text(difference->reference, type, reference_bits);
}

void kernel_compare(const struct kernel_inputs *inputs, const unsigned char *results,
                    const unsigned char *reference, double tolerance, struct kernel_difference *difference)
{
    memset(difference, 0, sizeof(*difference));
    difference->is_exact = memcmp(results, reference, inputs->result_bytes) == 0;
    if (difference->is_exact)
        return;
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct kernel_argument *argument = &inputs->arguments[i];
        uint32_t size                          = trm_type_size(type_of(argument->parameter));
        double scale;

        if (!argument->is_written)
            continue;
        scale = scale_of(reference, type_of(argument->parameter), argument->bytes / size);
        for (uint64_t j = 0; j < argument->bytes / size; j++)
            if (!is_near(argument->parameter, results, reference, j, scale, tolerance))
                note(difference, argument->parameter, results, reference, j);
        results += argument->bytes;
        reference += argument->bytes;
    }
}
