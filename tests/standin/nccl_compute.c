/* The stand-in for NCCL: what a group of calls computes. Memory of the driver's stand-in is memory of the
 * host. Ranks are combined from the last one to the first, so that a caller who relies on their order is
 * noticed.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <string.h>

#include "tests/standin/nccl_internal.h"

enum {
    UINT8    = 1,
    INT32    = 2,
    INT64    = 4,
    FLOAT16  = 6,
    FLOAT32  = 7,
    FLOAT64  = 8,
    BFLOAT16 = 9,
};

enum {
    SUM     = 0,
    MAXIMUM = 2,
    MINIMUM = 3,
    AVERAGE = 4,
};

/* ---- elements -------------------------------------------------------------------------------- */

static size_t size_of(int type)
{
    switch (type) {
    case UINT8:
        return 1;
    case FLOAT16:
    case BFLOAT16:
        return 2;
    case INT64:
    case FLOAT64:
        return 8;
    default:
        return 4;
    }
}

static bool is_integer(int type)
{
    return type == INT32 || type == INT64;
}

static int64_t read_integer(const void *memory, size_t i, int type)
{
    return type == INT32 ? ((const int32_t *)memory)[i] : ((const int64_t *)memory)[i];
}

static void write_integer(void *memory, size_t i, int type, int64_t value)
{
    if (type == INT32)
        ((int32_t *)memory)[i] = (int32_t)value;
    else
        ((int64_t *)memory)[i] = value;
}

/* Of a half that is 0 or normal, which is all that tests use. */
static float half_value(uint16_t half)
{
    uint32_t bits = (uint32_t)(half & 0x8000) << 16;
    float value;
    if ((half & 0x7fff) != 0)
        bits |= ((half >> 10 & 0x1fu) + 112u) << 23 | (uint32_t)(half & 0x3ff) << 13;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The nearest half of a value that is 0 or normal as a half. */
static uint16_t half_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    if ((bits & 0x7fffffff) == 0)
        return sign;
    bits = (bits & 0x7fffffff) + 0xfff + (bits >> 13 & 1);
    return (uint16_t)(sign | ((bits >> 13) - (112u << 10)));
}

static double read_float(const void *memory, size_t i, int type)
{
    float narrow;
    uint32_t bits;
    switch (type) {
    case FLOAT16:
        return half_value(((const uint16_t *)memory)[i]);
    case BFLOAT16:
        bits = (uint32_t)((const uint16_t *)memory)[i] << 16;
        memcpy(&narrow, &bits, 4);
        return narrow;
    case FLOAT32:
        return ((const float *)memory)[i];
    default:
        return ((const double *)memory)[i];
    }
}

static void write_float(void *memory, size_t i, int type, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    switch (type) {
    case FLOAT16:
        ((uint16_t *)memory)[i] = half_bits(narrow);
        break;
    case BFLOAT16:
        memcpy(&bits, &narrow, 4);
        ((uint16_t *)memory)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        break;
    case FLOAT32:
        ((float *)memory)[i] = narrow;
        break;
    default:
        ((double *)memory)[i] = value;
        break;
    }
}

/* ---- combining ------------------------------------------------------------------------------- */

/* Element i of what the ranks give. */
static int64_t combine_integers(const struct nccl_request *const *each, int ranks, size_t i)
{
    int type = each[0]->type, operation = each[0]->operation;
    int64_t value = read_integer(each[ranks - 1]->from, i, type);
    for (int r = ranks - 2; r >= 0; r--) {
        int64_t next = read_integer(each[r]->from, i, type);
        value        = operation == MAXIMUM   ? (next > value ? next : value)
                       : operation == MINIMUM ? (next < value ? next : value)
                                              : value + next;
    }
    return operation == AVERAGE ? value / ranks : value;
}

static double combine_floats(const struct nccl_request *const *each, int ranks, size_t i)
{
    int type = each[0]->type, operation = each[0]->operation;
    double value = read_float(each[ranks - 1]->from, i, type);
    for (int r = ranks - 2; r >= 0; r--) {
        double next = read_float(each[r]->from, i, type);
        value       = operation == MAXIMUM   ? (next > value ? next : value)
                      : operation == MINIMUM ? (next < value ? next : value)
                                             : value + next;
    }
    return operation == AVERAGE ? value / ranks : value;
}

/* Element `from` of what the ranks give becomes element `to` of the outputs of the ranks from `first` on. */
static void combine(const struct nccl_request *const *each, int ranks, size_t from, size_t to, int first,
                    int last)
{
    int type = each[0]->type;
    if (is_integer(type)) {
        int64_t value = combine_integers(each, ranks, from);
        for (int r = first; r < last; r++)
            write_integer(each[r]->to, to, type, value);
    } else {
        double value = combine_floats(each, ranks, from);
        for (int r = first; r < last; r++)
            write_float(each[r]->to, to, type, value);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

#define RANKS 16

static void run_together(const struct nccl_request *const *each, int ranks)
{
    size_t count = each[0]->count, bytes = count * size_of(each[0]->type);
    int root = each[0]->peer;
    switch (each[0]->kind) {
    case NCCL_ALL_REDUCE:
        for (size_t i = 0; i < count; i++)
            combine(each, ranks, i, i, 0, ranks);
        break;
    case NCCL_REDUCE:
        for (size_t i = 0; i < count; i++)
            combine(each, ranks, i, i, root, root + 1);
        break;
    case NCCL_REDUCE_SCATTER:
        for (int r = 0; r < ranks; r++)
            for (size_t i = 0; i < count; i++)
                combine(each, ranks, (size_t)r * count + i, i, r, r + 1);
        break;
    case NCCL_BROADCAST:
        for (int r = 0; r < ranks; r++)
            memmove(each[r]->to, each[root]->from, bytes);
        break;
    default:
        for (int r = 0; r < ranks; r++)
            for (int s = 0; s < ranks; s++)
                memmove((char *)each[r]->to + (size_t)s * bytes, each[s]->from, bytes);
        break;
    }
}

static bool is_message(const struct nccl_request *request)
{
    return request->kind == NCCL_SEND || request->kind == NCCL_RECEIVE;
}

/* Call number `number` of a rank that is no message; NULL: there are not so many. */
static const struct nccl_request *find(const struct nccl_work *work, int rank, uint32_t *from)
{
    for (uint32_t i = *from; i < work->count; i++)
        if (work->requests[i].rank->rank == rank && !is_message(&work->requests[i])) {
            *from = i + 1;
            return &work->requests[i];
        }
    *from = work->count;
    return NULL;
}

/* The next call of each rank. False: not all have one. */
static bool next(const struct nccl_work *work, uint32_t from[RANKS], const struct nccl_request *each[RANKS])
{
    bool is_there = true;
    for (int r = 0; r < work->clique->count; r++) {
        each[r]  = find(work, r, &from[r]);
        is_there = is_there && each[r] != NULL;
    }
    return is_there;
}

static bool is_same(const struct nccl_request *a, const struct nccl_request *b)
{
    return a->kind == b->kind && a->count == b->count && a->type == b->type && a->operation == b->operation &&
           a->peer == b->peer;
}

/* What is received of a message: the first that was not taken by an earlier one. */
static const struct nccl_request *receiver_of(const struct nccl_work *work, uint32_t index)
{
    const struct nccl_request *sent = &work->requests[index];
    uint32_t skip                   = 0;
    for (uint32_t i = 0; i < index; i++)
        if (work->requests[i].kind == NCCL_SEND && work->requests[i].rank == sent->rank &&
            work->requests[i].peer == sent->peer)
            skip++;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct nccl_request *other = &work->requests[i];
        if (other->kind == NCCL_RECEIVE && other->rank->rank == sent->peer &&
            other->peer == sent->rank->rank && skip-- == 0)
            return other;
    }
    return NULL;
}

bool nccl_check(const struct nccl_work *work)
{
    const struct nccl_request *each[RANKS];
    uint32_t from[RANKS] = {0}, messages = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct nccl_request *request = &work->requests[i];
        if (request->rank->clique != work->clique)
            return false;
        messages += request->kind == NCCL_SEND;
        messages -= request->kind == NCCL_RECEIVE;
        if (request->kind != NCCL_SEND)
            continue;
        const struct nccl_request *other = receiver_of(work, i);
        if (other == NULL || other->count != request->count || other->type != request->type)
            return false;
    }
    while (next(work, from, each))
        for (int r = 1; r < work->clique->count; r++)
            if (!is_same(each[r], each[0]))
                return false;
    for (int r = 0; r < work->clique->count; r++)
        if (each[r] != NULL)
            return false; /* a rank has more calls than another */
    return messages == 0;
}

void nccl_compute(const struct nccl_work *work)
{
    const struct nccl_request *each[RANKS];
    uint32_t from[RANKS] = {0};
    while (next(work, from, each))
        run_together(each, work->clique->count);
    for (uint32_t i = 0; i < work->count; i++)
        if (work->requests[i].kind == NCCL_SEND)
            memmove(receiver_of(work, i)->to, work->requests[i].from,
                    work->requests[i].count * size_of(work->requests[i].type));
}
