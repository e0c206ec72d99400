/* Parses the values of settings, by type.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/settings/settings.h"

/* Parses decimal digits and returns the text behind them. NULL when there are none or the number
 * overflows. */
static const char *parse_digits(const char *text, uint64_t *number)
{
    uint64_t value    = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*digit - '0'), &value))
            return NULL;
    }
    *number = value;
    return digit == text ? NULL : digit;
}

static bool parse_flag(const char *value, uint64_t *number)
{
    static const char *const words[2][4] = {{"no", "off", "false", "0"}, {"yes", "on", "true", "1"}};
    for (uint64_t flag = 0; flag < 2; flag++) {
        for (int i = 0; i < 4; i++) {
            if (strcasecmp(value, words[flag][i]) == 0) {
                *number = flag;
                return true;
            }
        }
    }
    return false;
}

static bool parse_count(const char *value, uint64_t maximum, uint64_t *number, char *allowed, size_t capacity)
{
    if (maximum != 0)
        snprintf(allowed, capacity, "a whole number from 0 to %" PRIu64, maximum);
    else
        snprintf(allowed, capacity, "a whole number");
    const char *end = parse_digits(value, number);
    return end != NULL && *end == '\0' && (maximum == 0 || *number <= maximum);
}

static bool parse_bytes(const char *value, uint64_t *number)
{
    static const char units[] = "kKmMgG";
    const char *end           = parse_digits(value, number);
    if (end == NULL)
        return false;
    if (*end == '\0')
        return true;
    const char *unit = strchr(units, *end);
    if (unit == NULL || end[1] != '\0')
        return false;
    uint64_t shift = 10 * (uint64_t)((unit - units) / 2 + 1);
    return !__builtin_mul_overflow(*number, UINT64_C(1) << shift, number);
}

/* Every folder is absolute, and none is empty. */
static bool parse_paths(const char *value)
{
    while (*value != '\0') {
        if (*value != '/')
            return false;
        value += strcspn(value, ":");
        if (*value == ':' && *++value == '\0')
            return false;
    }
    return true;
}

static bool parse_text(const struct core_setting_row *row, const char *value, char *allowed, size_t capacity)
{
    if (row->check == NULL || value[0] == '\0')
        return true;
    return row->check(value, allowed, capacity);
}

bool core_setting_parse(const struct core_setting_row *row, const char *value, uint64_t *number,
                        char *allowed, size_t capacity)
{
    *number = 0;
    switch (row->info.type) {
    case TRM_SETTING_BOOL:
        snprintf(allowed, capacity, "yes or no");
        return parse_flag(value, number);
    case TRM_SETTING_COUNT:
        return parse_count(value, row->maximum, number, allowed, capacity);
    case TRM_SETTING_BYTES:
        snprintf(allowed, capacity, "a number of bytes, optionally followed by K, M or G");
        return parse_bytes(value, number);
    case TRM_SETTING_PATHS:
        snprintf(allowed, capacity, "absolute folders, separated by colons");
        return parse_paths(value);
    default:
        return parse_text(row, value, allowed, capacity);
    }
}
