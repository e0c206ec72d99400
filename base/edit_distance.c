/* The edit distance of two names, row by row.
 * SPDX-License-Identifier: MIT
 */
#include "base/edit_distance.h"

#include <string.h>

uint32_t base_edit_distance(const char *one, const char *other)
{
    size_t length = strlen(one), width = strlen(other);
    uint32_t row[BASE_EDIT_NAME_MAX + 1];

    if (length > BASE_EDIT_NAME_MAX || width > BASE_EDIT_NAME_MAX)
        return UINT32_MAX;
    for (size_t j = 0; j <= width; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 0; i < length; i++) {
        uint32_t corner = row[0];
        row[0]          = (uint32_t)i + 1;
        for (size_t j = 0; j < width; j++) {
            uint32_t changed = corner + (one[i] != other[j]);
            uint32_t added   = 1 + (row[j] < row[j + 1] ? row[j] : row[j + 1]);
            corner           = row[j + 1];
            row[j + 1]       = changed < added ? changed : added;
        }
    }
    return row[width];
}
