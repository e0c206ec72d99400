/* The types of settings: what each takes.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/settings/settings.h"

/* Decimal digits; what follows them comes out. NULL when there are none or they are too many. */
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

static int32_t parse_flag(const char *value, uint64_t *number)
{
    static const char *const words[2][4] = {{"no", "off", "false", "0"}, {"yes", "on", "true", "1"}};
    for (uint64_t flag = 0; flag < 2; flag++) {
        for (int i = 0; i < 4; i++) {
            if (strcasecmp(value, words[flag][i]) == 0) {
                *number = flag;
                return 1;
            }
        }
    }
    return 0;
}

static int32_t parse_count(const char *value, uint64_t most, uint64_t *number)
{
    const char *end = parse_digits(value, number);
    return end != NULL && *end == '\0' && *number <= most;
}

static int32_t parse_bytes(const char *value, uint64_t *number)
{
    static const char units[] = "kKmMgG";
    const char *end           = parse_digits(value, number);
    if (end == NULL)
        return 0;
    if (*end == '\0')
        return 1;
    const char *unit = strchr(units, *end);
    if (unit == NULL || end[1] != '\0')
        return 0;
    uint64_t shift = 10 * (uint64_t)((unit - units) / 2 + 1);
    return !__builtin_mul_overflow(*number, UINT64_C(1) << shift, number);
}

/* An empty folder would mean the current one. */
static int32_t parse_paths(const char *value)
{
    while (*value != '\0') {
        if (*value != '/')
            return 0;
        value += strcspn(value, ":");
        if (*value == ':' && *++value == '\0')
            return 0;
    }
    return 1;
}

static int32_t parse_text(const struct core_setting_row *row, const char *value, char *allowed,
                          size_t capacity)
{
    if (row->check == NULL || value[0] == '\0')
        return 1;
    return row->check(value, allowed, capacity);
}

int32_t core_setting_parse(const struct core_setting_row *row, const char *value, uint64_t *number,
                           char *allowed, size_t capacity)
{
    *number = 0;
    switch (row->info.type) {
    case TRM_SETTING_BOOL:
        snprintf(allowed, capacity, "yes or no");
        return parse_flag(value, number);
    case TRM_SETTING_COUNT:
        snprintf(allowed, capacity, "a whole number from 0 to %" PRIu64, row->most);
        return parse_count(value, row->most, number);
    case TRM_SETTING_BYTES:
        snprintf(allowed, capacity, "a number of bytes, with K, M or G behind it if need be");
        return parse_bytes(value, number);
    case TRM_SETTING_PATHS:
        snprintf(allowed, capacity, "absolute folders, separated by colons");
        return parse_paths(value);
    default:
        return parse_text(row, value, allowed, capacity);
    }
}
