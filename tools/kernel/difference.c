/* Trireme: how far apart the results of two devices are.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kernel/difference.h"

#include <math.h>
#include <string.h>
#include <trireme/type.h>

#include "tools/kernel/value.h"

double difference_element(const void *elements, int32_t type, uint64_t index)
{
    uint32_t size = trm_type_size(type);
    uint64_t bits = 0;

    memcpy(&bits, (const unsigned char *)elements + index * size, size);
    if (value_is_float(type))
        return value_as_float(type, bits);
    return value_is_signed(type) ? (double)value_as_signed(type, bits) : (double)bits;
}

double difference_of(double value, double reference, bool is_relative)
{
    if (value == reference || (isnan(value) && isnan(reference)))
        return 0;
    if (!isfinite(value) || !isfinite(reference))
        return (double)INFINITY;
    return fabs(value - reference) / (is_relative && fabs(reference) > 1 ? fabs(reference) : 1);
}

/* An integer of 8 or 16 bits is often a float that was rounded, so it may differ by one. */
double difference_tolerance(int32_t type)
{
    switch (type) {
    case TRM_TYPE_U8:
    case TRM_TYPE_U16:
        return 1;
    case TRM_TYPE_F64:
        return 1e-12;
    case TRM_TYPE_F32:
        return 1e-5;
    case TRM_TYPE_F16:
        return 2e-3;
    default:
        return 0;
    }
}
