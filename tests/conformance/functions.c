/* The kernels of the cases as C functions of this program.
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"

#include <stdatomic.h>
#include <time.h>
#include <trireme/cpu_kernel.h>

static atomic_uint runs;

/* ---- helpers of kernels ---- */

struct items {
    uint64_t begin;
    uint64_t end;
};

/* The elements that a range of one-dimensional groups covers, of n. */
static struct items items_of(const struct trm_cpu_groups *groups, uint64_t n)
{
    struct items items = {groups->begin * groups->group_size[0], groups->end * groups->group_size[0]};
    if (items.end > n)
        items.end = n;
    return items;
}

/* ---- the kernels ---- */

struct affine_arguments {
    struct trm_cpu_buffer data;
    uint32_t n;
    uint32_t factor;
    uint32_t addend;
};

static int32_t affine(const struct trm_cpu_groups *groups, const void *block)
{
    const struct affine_arguments *args = block;
    struct items items                  = items_of(groups, args->n);
    uint32_t *data                      = args->data.data;
    for (uint64_t i = items.begin; i < items.end; i++)
        data[i] = data[i] * args->factor + args->addend;
    return 0;
}

struct saxpy_arguments {
    struct trm_cpu_buffer x, y;
    float a;
    uint32_t n;
};

static int32_t saxpy(const struct trm_cpu_groups *groups, const void *block)
{
    const struct saxpy_arguments *args = block;
    struct items items                 = items_of(groups, args->n);
    const float *x                     = args->x.data;
    float *y                           = args->y.data;
    for (uint64_t i = items.begin; i < items.end; i++)
        y[i] += args->a * x[i];
    return 0;
}

/* Counts each group in counts[group], and any disagreement about the grid in counts[groups]. */
struct cover_arguments {
    struct trm_cpu_buffer counts;
    uint32_t x, y, z;
};

static int32_t cover(const struct trm_cpu_groups *groups, const void *block)
{
    const struct cover_arguments *args = block;
    _Atomic uint32_t *counts           = args->counts.data;
    uint64_t all                       = (uint64_t)args->x * args->y * args->z;
    if (groups->groups[0] != args->x || groups->groups[1] != args->y || groups->groups[2] != args->z)
        atomic_fetch_add(&counts[all], 1);
    for (uint64_t group = groups->begin; group < groups->end; group++)
        atomic_fetch_add(&counts[group < all ? group : all], 1);
    return 0;
}

/* Writes the shape that it was launched with: groups, group size, bytes of scratch, misalignment of
 * scratch. */
struct shape_arguments {
    struct trm_cpu_buffer out;
};

static int32_t shape(const struct trm_cpu_groups *groups, const void *block)
{
    const struct shape_arguments *args = block;
    uint64_t *out                      = args->out.data;
    if (groups->begin != 0)
        return 0;
    for (int i = 0; i < 3; i++) {
        out[i]     = groups->groups[i];
        out[3 + i] = groups->group_size[i];
    }
    out[6] = groups->scratch_bytes;
    out[7] = (uintptr_t)groups->scratch % 64;
    return 0;
}

/* Fills its scratch with its worker's number, waits, and counts in errors[0] what another call wrote there
 * meanwhile. */
struct scratch_arguments {
    struct trm_cpu_buffer errors;
};

static int32_t scratch(const struct trm_cpu_groups *groups, const void *block)
{
    const struct scratch_arguments *args = block;
    _Atomic uint32_t *errors             = args->errors.data;
    volatile uint8_t *mine               = groups->scratch;
    for (uint64_t group = groups->begin; group < groups->end; group++) {
        for (uint64_t i = 0; i < groups->scratch_bytes; i++)
            mine[i] = (uint8_t)group;
        for (uint64_t i = 0; i < groups->scratch_bytes; i++)
            if (mine[i] != (uint8_t)group)
                atomic_fetch_add(errors, 1);
    }
    return 0;
}

/* Takes the flag of its worker; counts in taken[255] when it was taken already. */
static int32_t workers(const struct trm_cpu_groups *groups, const void *block)
{
    const struct scratch_arguments *args = block;
    _Atomic uint32_t *taken              = args->errors.data;
    uint32_t worker                      = groups->worker < 254 ? groups->worker : 254;
    struct timespec moment               = {0, 20000};
    if (atomic_exchange(&taken[worker], 1) != 0)
        atomic_fetch_add(&taken[255], 1);
    nanosleep(&moment, NULL);
    atomic_store(&taken[worker], 0);
    return 0;
}

/* One scalar of each type, copied one after the other to 8-byte places. */
struct scalar_arguments {
    uint8_t u8;
    struct trm_cpu_buffer out;
    int8_t i8;
    uint16_t u16;
    int16_t i16;
    uint32_t u32;
    int32_t i32;
    float f32;
    uint64_t u64;
    uint8_t another_u8;
    int64_t i64;
    double f64;
};

static int32_t scalars(const struct trm_cpu_groups *groups, const void *block)
{
    const struct scalar_arguments *args = block;
    uint8_t *out                        = args->out.data;
    (void)groups;
    memcpy(out + 0, &args->u8, sizeof(args->u8));
    memcpy(out + 8, &args->i8, sizeof(args->i8));
    memcpy(out + 16, &args->u16, sizeof(args->u16));
    memcpy(out + 24, &args->i16, sizeof(args->i16));
    memcpy(out + 32, &args->u32, sizeof(args->u32));
    memcpy(out + 40, &args->i32, sizeof(args->i32));
    memcpy(out + 48, &args->f32, sizeof(args->f32));
    memcpy(out + 56, &args->u64, sizeof(args->u64));
    memcpy(out + 64, &args->another_u8, sizeof(args->another_u8));
    memcpy(out + 72, &args->i64, sizeof(args->i64));
    memcpy(out + 80, &args->f64, sizeof(args->f64));
    out[88] = (uintptr_t)block % 16 != 0;
    return 0;
}

/* A block of many arguments: the sum of 15 numbers goes to the only buffer. */
struct many_arguments {
    struct trm_cpu_buffer out;
    uint64_t numbers[15];
};

static int32_t many(const struct trm_cpu_groups *groups, const void *block)
{
    const struct many_arguments *args = block;
    uint64_t *out                     = args->out.data;
    (void)groups;
    for (uint64_t i = 0; i < 15; i++)
        out[i] = args->numbers[i];
    return 0;
}

/* Writes how many bytes of its second buffer it was given. */
struct span_arguments {
    struct trm_cpu_buffer out, span;
};

static int32_t span_size(const struct trm_cpu_groups *groups, const void *block)
{
    const struct span_arguments *args = block;
    uint64_t *out                     = args->out.data;
    (void)groups;
    out[0] = args->span.size;
    out[1] = args->span.size ? *(const uint8_t *)args->span.data : 0;
    return 0;
}

static int32_t count(const struct trm_cpu_groups *groups, const void *block)
{
    (void)block;
    atomic_fetch_add(&runs, (unsigned)(groups->end - groups->begin));
    return 0;
}

struct fail_arguments {
    int32_t code;
};

static int32_t fail_here(const struct trm_cpu_groups *groups, const void *block)
{
    const struct fail_arguments *args = block;
    (void)groups;
    return args->code;
}

/* Sleeps, so that a stream takes a while. */
struct dawdle_arguments {
    uint32_t microseconds;
};

static int32_t dawdle(const struct trm_cpu_groups *groups, const void *block)
{
    const struct dawdle_arguments *args = block;
    struct timespec time = {args->microseconds / 1000000, (long)(args->microseconds % 1000000) * 1000};
    (void)groups;
    nanosleep(&time, NULL);
    return 0;
}

/* out[i] = in[i] × factor + addend. */
struct spread_arguments {
    struct trm_cpu_buffer in, out;
    uint32_t n;
    uint32_t factor;
    uint32_t addend;
};

static int32_t spread(const struct trm_cpu_groups *groups, const void *block)
{
    const struct spread_arguments *args = block;
    struct items items                  = items_of(groups, args->n);
    const uint32_t *in                  = args->in.data;
    uint32_t *out                       = args->out.data;
    for (uint64_t i = items.begin; i < items.end; i++)
        out[i] = in[i] * args->factor + args->addend;
    return 0;
}

/* out[i] = in[i] × factor + table[i], the table being repeated. */
struct blend_arguments {
    struct trm_cpu_buffer in, table, out;
    uint32_t n;
    uint32_t factor;
};

static int32_t blend(const struct trm_cpu_groups *groups, const void *block)
{
    const struct blend_arguments *args = block;
    struct items items                 = items_of(groups, args->n);
    const uint32_t *in = args->in.data, *table = args->table.data;
    uint64_t repeat = args->table.size / sizeof(*table);
    uint32_t *out   = args->out.data;
    for (uint64_t i = items.begin; i < items.end; i++)
        out[i] = in[i] * args->factor + table[i % repeat];
    return 0;
}

/* state = state × 31 + in[0] + in[1] + …, of n; out[i] = in[i] + state. In one group. */
struct running_arguments {
    struct trm_cpu_buffer state, in, out;
    uint32_t n;
};

static int32_t running(const struct trm_cpu_groups *groups, const void *block)
{
    const struct running_arguments *args = block;
    const uint32_t *in                   = args->in.data;
    uint32_t *state = args->state.data, *out = args->out.data;
    if (groups->begin != 0)
        return 0;
    *state *= 31;
    for (uint32_t i = 0; i < args->n; i++)
        *state += in[i];
    for (uint32_t i = 0; i < args->n; i++)
        out[i] = in[i] + *state;
    return 0;
}

/* state = state × 31 + addend. In one group. */
struct step_arguments {
    struct trm_cpu_buffer state;
    uint32_t addend;
};

static int32_t step(const struct trm_cpu_groups *groups, const void *block)
{
    const struct step_arguments *args = block;
    uint32_t *state                   = args->state.data;
    if (groups->begin == 0)
        *state = *state * 31 + args->addend;
    return 0;
}

/* Fails with 7 where in[0] is the mark; else as spread. */
struct picky_arguments {
    struct trm_cpu_buffer in, out;
    uint32_t n;
    uint32_t mark;
};

static int32_t picky(const struct trm_cpu_groups *groups, const void *block)
{
    const struct picky_arguments *args = block;
    struct items items                 = items_of(groups, args->n);
    const uint32_t *in                 = args->in.data;
    uint32_t *out                      = args->out.data;
    if (in[0] == args->mark)
        return 7;
    for (uint64_t i = items.begin; i < items.end; i++)
        out[i] = in[i] + 1;
    return 0;
}

/* ---- their parameters ---- */

#define BUFFER(text, element)                                       \
    {                                                               \
        .name = text, .kind = TRM_PARAMETER_BUFFER, .type = element \
    }
#define SCALAR(text, value)                                       \
    {                                                             \
        .name = text, .kind = TRM_PARAMETER_SCALAR, .type = value \
    }
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct trm_parameter affine_parameters[] = {
    BUFFER("data", TRM_TYPE_U32),
    SCALAR("n", TRM_TYPE_U32),
    SCALAR("factor", TRM_TYPE_U32),
    SCALAR("addend", TRM_TYPE_U32),
};
static const struct trm_parameter saxpy_parameters[] = {
    {.name = "x", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    BUFFER("y", TRM_TYPE_F32),
    SCALAR("a", TRM_TYPE_F32),
    SCALAR("n", TRM_TYPE_U32),
};
static const struct trm_parameter cover_parameters[] = {
    BUFFER("counts", TRM_TYPE_U32),
    SCALAR("x", TRM_TYPE_U32),
    SCALAR("y", TRM_TYPE_U32),
    SCALAR("z", TRM_TYPE_U32),
};
static const struct trm_parameter out_parameters[]     = {BUFFER("out", TRM_TYPE_U64)};
static const struct trm_parameter errors_parameters[]  = {BUFFER("errors", TRM_TYPE_U32)};
static const struct trm_parameter scalars_parameters[] = {
    SCALAR("u8", TRM_TYPE_U8),   BUFFER("result", TRM_TYPE_NONE), SCALAR("i8", TRM_TYPE_I8),
    SCALAR("u16", TRM_TYPE_U16), SCALAR("i16", TRM_TYPE_I16),     SCALAR("u32", TRM_TYPE_U32),
    SCALAR("i32", TRM_TYPE_I32), SCALAR("f32", TRM_TYPE_F32),     SCALAR("u64", TRM_TYPE_U64),
    SCALAR("v8", TRM_TYPE_U8),   SCALAR("i64", TRM_TYPE_I64),     SCALAR("f64", TRM_TYPE_F64),
};
static const struct trm_parameter many_parameters[] = {
    BUFFER("out", TRM_TYPE_U64), SCALAR("n0", TRM_TYPE_U64),  SCALAR("n1", TRM_TYPE_U64),
    SCALAR("n2", TRM_TYPE_U64),  SCALAR("n3", TRM_TYPE_U64),  SCALAR("n4", TRM_TYPE_U64),
    SCALAR("n5", TRM_TYPE_U64),  SCALAR("n6", TRM_TYPE_U64),  SCALAR("n7", TRM_TYPE_U64),
    SCALAR("n8", TRM_TYPE_U64),  SCALAR("n9", TRM_TYPE_U64),  SCALAR("n10", TRM_TYPE_U64),
    SCALAR("n11", TRM_TYPE_U64), SCALAR("n12", TRM_TYPE_U64), SCALAR("n13", TRM_TYPE_U64),
    SCALAR("n14", TRM_TYPE_U64),
};
static const struct trm_parameter span_parameters[]   = {BUFFER("out", TRM_TYPE_U64),
                                                         BUFFER("span", TRM_TYPE_U8)};
static const struct trm_parameter fail_parameters[]   = {SCALAR("code", TRM_TYPE_I32)};
static const struct trm_parameter dawdle_parameters[] = {SCALAR("microseconds", TRM_TYPE_U32)};

#define READ(text)                                                                                  \
    {                                                                                               \
        .name = text, .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32, .access = TRM_ACCESS_READ \
    }
#define WRITE(text)                                                                                  \
    {                                                                                                \
        .name = text, .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32, .access = TRM_ACCESS_WRITE \
    }

static const struct trm_parameter spread_parameters[] = {
    READ("in"),
    WRITE("out"),
    SCALAR("n", TRM_TYPE_U32),
    SCALAR("factor", TRM_TYPE_U32),
    SCALAR("addend", TRM_TYPE_U32),
};
static const struct trm_parameter blend_parameters[] = {
    READ("in"), READ("table"), WRITE("out"), SCALAR("n", TRM_TYPE_U32), SCALAR("factor", TRM_TYPE_U32),
};
static const struct trm_parameter running_parameters[] = {
    BUFFER("state", TRM_TYPE_U32),
    READ("in"),
    WRITE("out"),
    SCALAR("n", TRM_TYPE_U32),
};
static const struct trm_parameter step_parameters[] = {
    BUFFER("state", TRM_TYPE_U32),
    SCALAR("addend", TRM_TYPE_U32),
};
static const struct trm_parameter picky_parameters[] = {
    READ("in"),
    WRITE("out"),
    SCALAR("n", TRM_TYPE_U32),
    SCALAR("mark", TRM_TYPE_U32),
};

const struct trm_cpu_kernel kernel_functions[] = {
    {.name            = "affine",
     .function        = affine,
     .parameters      = affine_parameters,
     .parameter_count = COUNT_OF(affine_parameters)},
    {.name            = "saxpy",
     .function        = saxpy,
     .parameters      = saxpy_parameters,
     .parameter_count = COUNT_OF(saxpy_parameters)},
    {.name            = "cover",
     .function        = cover,
     .parameters      = cover_parameters,
     .parameter_count = COUNT_OF(cover_parameters),
     .grain           = 1},
    {.name            = "shape",
     .function        = shape,
     .parameters      = out_parameters,
     .parameter_count = COUNT_OF(out_parameters)},
    {.name            = "fixed_shape",
     .function        = shape,
     .parameters      = out_parameters,
     .parameter_count = COUNT_OF(out_parameters),
     .group_size      = {8, 4, 2},
     .shared_bytes    = 256},
    {.name            = "scratch",
     .function        = scratch,
     .parameters      = errors_parameters,
     .parameter_count = COUNT_OF(errors_parameters),
     .shared_bytes    = 128,
     .grain           = 1},
    {.name            = "workers",
     .function        = workers,
     .parameters      = errors_parameters,
     .parameter_count = COUNT_OF(errors_parameters),
     .grain           = 1},
    {.name            = "scalars",
     .function        = scalars,
     .parameters      = scalars_parameters,
     .parameter_count = COUNT_OF(scalars_parameters)},
    {.name            = "many",
     .function        = many,
     .parameters      = many_parameters,
     .parameter_count = COUNT_OF(many_parameters)},
    {.name            = "span_size",
     .function        = span_size,
     .parameters      = span_parameters,
     .parameter_count = COUNT_OF(span_parameters)},
    {.name = "count", .function = count, .grain = 1},
    {.name            = "fail",
     .function        = fail_here,
     .parameters      = fail_parameters,
     .parameter_count = COUNT_OF(fail_parameters)},
    {.name            = "dawdle",
     .function        = dawdle,
     .parameters      = dawdle_parameters,
     .parameter_count = COUNT_OF(dawdle_parameters)},
    {.name            = "spread",
     .function        = spread,
     .parameters      = spread_parameters,
     .parameter_count = COUNT_OF(spread_parameters),
     .group_size      = {64, 1, 1}},
    {.name            = "blend",
     .function        = blend,
     .parameters      = blend_parameters,
     .parameter_count = COUNT_OF(blend_parameters),
     .group_size      = {64, 1, 1}},
    {.name            = "running",
     .function        = running,
     .parameters      = running_parameters,
     .parameter_count = COUNT_OF(running_parameters),
     .group_size      = {1, 1, 1}},
    {.name            = "step",
     .function        = step,
     .parameters      = step_parameters,
     .parameter_count = COUNT_OF(step_parameters),
     .group_size      = {1, 1, 1}},
    {.name            = "picky",
     .function        = picky,
     .parameters      = picky_parameters,
     .parameter_count = COUNT_OF(picky_parameters),
     .group_size      = {64, 1, 1}},
};

const size_t kernel_functions_size = sizeof(kernel_functions);

unsigned count_runs(void)
{
    return atomic_load(&runs);
}
