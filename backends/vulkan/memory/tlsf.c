/* vulkan backend: two-level segregated fit.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/tlsf.h"

#include <string.h>
#include <trireme/backend.h>

#define COLUMNS_LOG2 4u
#define SPARE_MOST 256u /* unused records that are kept */
#define LOOK_AT_MOST 4u /* pieces to try in a list whose pieces may be too small */

struct place {
    uint32_t row, column;
};

/* ---- lists --------------------------------------------------------------------------------- */

/* The list for a size in grains. Row 0 has one list for each size; each further row is a power of two,
 * divided into as many steps as there are columns. */
static struct place place_of(uint64_t grains)
{
    if (grains < VULKAN_TLSF_COLUMNS)
        return (struct place){0, (uint32_t)grains};
    uint32_t exponent = 63u - (uint32_t)__builtin_clzll(grains);
    uint32_t column   = (uint32_t)(grains >> (exponent - COLUMNS_LOG2)) & (VULKAN_TLSF_COLUMNS - 1);
    return (struct place){exponent - COLUMNS_LOG2 + 1, column};
}

/* The first list whose pieces are all large enough. */
static struct place place_above(uint64_t grains)
{
    if (grains >= VULKAN_TLSF_COLUMNS) {
        uint32_t exponent = 63u - (uint32_t)__builtin_clzll(grains);
        grains += (UINT64_C(1) << (exponent - COLUMNS_LOG2)) - 1;
    }
    return place_of(grains);
}

static void list_push(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece)
{
    struct place place              = place_of(piece->size / VULKAN_TLSF_GRAIN);
    struct vulkan_tlsf_piece **list = &tlsf->lists[place.row][place.column];

    piece->free     = true;
    piece->previous = NULL;
    piece->next     = *list;
    if (piece->next != NULL)
        piece->next->previous = piece;
    *list = piece;
    tlsf->columns[place.row] |= 1u << place.column;
    tlsf->rows |= UINT64_C(1) << place.row;
}

static void list_remove(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece)
{
    piece->free = false;
    if (piece->next != NULL)
        piece->next->previous = piece->previous;
    if (piece->previous != NULL) {
        piece->previous->next = piece->next;
        return;
    }
    struct place place                   = place_of(piece->size / VULKAN_TLSF_GRAIN);
    tlsf->lists[place.row][place.column] = piece->next;
    if (piece->next != NULL)
        return;
    tlsf->columns[place.row] &= ~(1u << place.column);
    if (tlsf->columns[place.row] == 0)
        tlsf->rows &= ~(UINT64_C(1) << place.row);
}

/* ---- records ------------------------------------------------------------------------------- */

static bool spare_reserve(struct vulkan_tlsf *tlsf, uint32_t count)
{
    while (tlsf->spare_count < count) {
        struct vulkan_tlsf_piece *record = tlsf->allocate(tlsf->context, sizeof(*record));
        if (record == NULL)
            return false;
        record->next = tlsf->spare;
        tlsf->spare  = record;
        tlsf->spare_count++;
    }
    return true;
}

/* The caller has reserved one. */
static struct vulkan_tlsf_piece *spare_take(struct vulkan_tlsf *tlsf)
{
    struct vulkan_tlsf_piece *record = tlsf->spare;

    tlsf->spare = record->next;
    tlsf->spare_count--;
    return record;
}

static void spare_put(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *record)
{
    if (tlsf->spare_count == SPARE_MOST) {
        tlsf->release(tlsf->context, record, sizeof(*record));
        return;
    }
    record->next = tlsf->spare;
    tlsf->spare  = record;
    tlsf->spare_count++;
}

/* ---- allocating ---------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) & ~(multiple - 1);
}

static bool fits(const struct vulkan_tlsf_piece *piece, uint64_t size, uint64_t alignment)
{
    uint64_t front = round_up(piece->offset, alignment) - piece->offset;
    return front <= piece->size && piece->size - front >= size;
}

/* Searches the list of the size itself: the piece that was freed last is often requested next. */
static struct vulkan_tlsf_piece *find_close(const struct vulkan_tlsf *tlsf, uint64_t size, uint64_t alignment)
{
    struct place place              = place_of(size / VULKAN_TLSF_GRAIN);
    struct vulkan_tlsf_piece *piece = tlsf->lists[place.row][place.column];

    for (uint32_t i = 0; piece != NULL && i < LOOK_AT_MOST; i++, piece = piece->next)
        if (fits(piece, size, alignment))
            return piece;
    return NULL;
}

/* Searches the lists whose pieces all have at least `size` bytes, smallest first. */
static struct vulkan_tlsf_piece *find_larger(const struct vulkan_tlsf *tlsf, uint64_t size)
{
    struct place place = place_above(size / VULKAN_TLSF_GRAIN);
    uint32_t columns   = tlsf->columns[place.row] & (UINT32_MAX << place.column);
    uint32_t row       = place.row;

    if (columns == 0) {
        uint64_t rows = tlsf->rows & (UINT64_MAX << place.row << 1);
        if (rows == 0)
            return NULL;
        row     = (uint32_t)__builtin_ctzll(rows);
        columns = tlsf->columns[row];
    }
    return tlsf->lists[row][__builtin_ctz(columns)];
}

static struct vulkan_tlsf_piece *find(const struct vulkan_tlsf *tlsf, uint64_t size, uint64_t alignment)
{
    struct vulkan_tlsf_piece *piece = find_close(tlsf, size, alignment);

    if (piece == NULL)
        piece = find_larger(tlsf, size);
    if (piece == NULL || fits(piece, size, alignment))
        return piece;
    return find_larger(tlsf, size + alignment - VULKAN_TLSF_GRAIN); /* large enough for any offset */
}

/* Cuts a piece that is in no list in two; returns the second part. */
static struct vulkan_tlsf_piece *split(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece,
                                       uint64_t size)
{
    struct vulkan_tlsf_piece *rest = spare_take(tlsf);

    rest->owner  = piece->owner;
    rest->offset = piece->offset + size;
    rest->size   = piece->size - size;
    rest->free   = false;
    rest->before = piece;
    rest->after  = piece->after;
    if (rest->after != NULL)
        rest->after->before = rest;
    piece->after = rest;
    piece->size  = size;
    return rest;
}

/* Cuts the request out of a free piece that is large enough. */
static int32_t carve(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *found, uint64_t size,
                     uint64_t alignment, struct vulkan_tlsf_piece **piece)
{
    if (!spare_reserve(tlsf, 2))
        return TRM_ERROR_OUT_OF_HOST_MEMORY;

    list_remove(tlsf, found);
    uint64_t front = round_up(found->offset, alignment) - found->offset;
    if (front != 0) {
        struct vulkan_tlsf_piece *rest = split(tlsf, found, front);
        list_push(tlsf, found);
        found = rest;
    }
    if (found->size != size)
        list_push(tlsf, split(tlsf, found, size));
    *piece = found;
    return TRM_OK;
}

/* Sizes beyond any memory, which could overflow. */
static bool is_absurd(uint64_t size, uint64_t alignment)
{
    return size > UINT64_MAX / 4 || alignment > UINT64_MAX / 4;
}

int32_t vulkan_tlsf_allocate(struct vulkan_tlsf *tlsf, uint64_t size, uint64_t alignment,
                             struct vulkan_tlsf_piece **piece)
{
    if (is_absurd(size, alignment))
        return TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    size      = round_up(size, VULKAN_TLSF_GRAIN);
    alignment = alignment < VULKAN_TLSF_GRAIN ? VULKAN_TLSF_GRAIN : alignment;

    struct vulkan_tlsf_piece *found = find(tlsf, size, alignment);
    if (found == NULL)
        return TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    return carve(tlsf, found, size, alignment, piece);
}

int32_t vulkan_tlsf_allocate_from(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *from, uint64_t size,
                                  uint64_t alignment, struct vulkan_tlsf_piece **piece)
{
    if (is_absurd(size, alignment))
        return TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    size      = round_up(size, VULKAN_TLSF_GRAIN);
    alignment = alignment < VULKAN_TLSF_GRAIN ? VULKAN_TLSF_GRAIN : alignment;

    if (!fits(from, size, alignment))
        return TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    return carve(tlsf, from, size, alignment, piece);
}

/* ---- freeing ------------------------------------------------------------------------------- */

/* Merges `piece` with the next one, which is in no list. */
static void join(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece)
{
    struct vulkan_tlsf_piece *gone = piece->after;

    piece->size += gone->size;
    piece->after = gone->after;
    if (piece->after != NULL)
        piece->after->before = piece;
    spare_put(tlsf, gone);
}

struct vulkan_tlsf_piece *vulkan_tlsf_free(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece)
{
    if (piece->after != NULL && piece->after->free) {
        list_remove(tlsf, piece->after);
        join(tlsf, piece);
    }
    if (piece->before != NULL && piece->before->free) {
        piece = piece->before;
        list_remove(tlsf, piece);
        join(tlsf, piece);
    }
    list_push(tlsf, piece);
    return piece;
}

/* ---- ranges -------------------------------------------------------------------------------- */

struct vulkan_tlsf_piece *vulkan_tlsf_add(struct vulkan_tlsf *tlsf, uint64_t offset, uint64_t size,
                                          void *owner)
{
    if (!spare_reserve(tlsf, 1))
        return NULL;
    struct vulkan_tlsf_piece *piece = spare_take(tlsf);
    *piece = (struct vulkan_tlsf_piece){.offset = offset, .size = size, .owner = owner};
    list_push(tlsf, piece);
    return piece;
}

void vulkan_tlsf_remove(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece)
{
    list_remove(tlsf, piece);
    spare_put(tlsf, piece);
}

void vulkan_tlsf_init(struct vulkan_tlsf *tlsf, void *(*allocate)(void *context, uint64_t size),
                      void (*release)(void *context, void *memory, uint64_t size), void *context)
{
    memset(tlsf, 0, sizeof(*tlsf));
    tlsf->allocate = allocate;
    tlsf->release  = release;
    tlsf->context  = context;
}

void vulkan_tlsf_fini(struct vulkan_tlsf *tlsf)
{
    while (tlsf->spare != NULL)
        tlsf->release(tlsf->context, spare_take(tlsf), sizeof(struct vulkan_tlsf_piece));
}
