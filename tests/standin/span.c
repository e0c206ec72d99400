/* The ranges of addresses that CUDA knows, in order.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "tests/standin/standin.h"

static struct span **spans;
static size_t span_total, span_capacity;
static uint64_t ids;

/* The number of the first that begins behind `address`. */
static size_t first_behind(uint64_t address)
{
    size_t low = 0, high = span_total;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct span *span_find(uint64_t address, uint64_t size)
{
    size_t behind = first_behind(address);

    if (behind == 0)
        return NULL;
    struct span *span = spans[behind - 1];
    uint64_t offset   = address - span->address;
    return offset <= span->size && size <= span->size - offset && (offset < span->size || size == 0) ? span
                                                                                                     : NULL;
}

struct span *span_at(uint64_t address)
{
    size_t behind = first_behind(address);

    return behind != 0 && spans[behind - 1]->address == address ? spans[behind - 1] : NULL;
}

struct span *span_overlapping(uint64_t address, uint64_t size)
{
    size_t behind = first_behind(address);

    if (behind != 0 && address - spans[behind - 1]->address < spans[behind - 1]->size)
        return spans[behind - 1];
    return behind < span_total && spans[behind]->address < address + size ? spans[behind] : NULL;
}

bool span_add(const struct span *span, struct span **added)
{
    if (span_total == span_capacity) {
        size_t capacity    = span_capacity == 0 ? 64 : 2 * span_capacity;
        struct span **more = realloc(spans, capacity * sizeof(*more));
        if (more == NULL)
            return false;
        spans         = more;
        span_capacity = capacity;
    }
    struct span *copy = malloc(sizeof(*copy));
    if (copy == NULL)
        return false;
    *copy        = *span;
    copy->id     = ++ids;
    size_t place = first_behind(span->address);
    memmove(&spans[place + 1], &spans[place], (span_total - place) * sizeof(*spans));
    spans[place] = copy;
    span_total++;
    if (added != NULL)
        *added = copy;
    return true;
}

void span_remove(struct span *span)
{
    size_t place = first_behind(span->address) - 1;

    memmove(&spans[place], &spans[place + 1], (span_total - place - 1) * sizeof(*spans));
    span_total--;
    free(span);
}

struct span *span_of_context(const struct context *context)
{
    for (size_t i = 0; i < span_total; i++)
        if (spans[i]->context == context)
            return spans[i];
    return NULL;
}

uint64_t span_count(enum span_kind kind, uint64_t *bytes)
{
    uint64_t count = 0, sum = 0;

    for (size_t i = 0; i < span_total; i++) {
        if (spans[i]->kind != kind)
            continue;
        count++;
        sum += spans[i]->size;
    }
    if (bytes != NULL)
        *bytes = sum;
    return count;
}
