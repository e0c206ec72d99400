/* The kernels of the cases, in the form that the device under test takes.
 * SPDX-License-Identifier: MIT
 */
#include "kernels.h"

#include "functions.h"

#define MOST_KERNELS 1024
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct trm_kernel *kept[MOST_KERNELS];
static size_t kept_count;

static struct trm_group *the_group;
static struct trm_context *the_group_context;
static struct trm_group_kernel *kept_of_groups[MOST_KERNELS];
static size_t kept_of_groups_count;

/* Made of shaders/kernels/NAME.comp. */
static const uint32_t affine_words[] = {
#include "shaders/kernels/affine.inc"
};
static const uint32_t blend_words[] = {
#include "shaders/kernels/blend.inc"
};
static const uint32_t count_words[] = {
#include "shaders/kernels/count.inc"
};
static const uint32_t cover_words[] = {
#include "shaders/kernels/cover.inc"
};
static const uint32_t dawdle_words[] = {
#include "shaders/kernels/dawdle.inc"
};
static const uint32_t fixed_shape_words[] = {
#include "shaders/kernels/fixed_shape.inc"
};
static const uint32_t many_words[] = {
#include "shaders/kernels/many.inc"
};
static const uint32_t picky_words[] = {
#include "shaders/kernels/picky.inc"
};
static const uint32_t running_words[] = {
#include "shaders/kernels/running.inc"
};
static const uint32_t saxpy_words[] = {
#include "shaders/kernels/saxpy.inc"
};
static const uint32_t scalars_words[] = {
#include "shaders/kernels/scalars.inc"
};
static const uint32_t shape_words[] = {
#include "shaders/kernels/shape.inc"
};
static const uint32_t span_size_words[] = {
#include "shaders/kernels/span_size.inc"
};
static const uint32_t spread_words[] = {
#include "shaders/kernels/spread.inc"
};
static const uint32_t step_words[] = {
#include "shaders/kernels/step.inc"
};

#define WORDS(name)                               \
    {                                             \
#name, name##_words, sizeof(name##_words) \
    }
static const struct {
    const char *name;
    const uint32_t *words;
    uint64_t size;
} portable[] = {
    WORDS(affine),      WORDS(blend), WORDS(count),     WORDS(cover),   WORDS(dawdle),
    WORDS(fixed_shape), WORDS(many),  WORDS(picky),     WORDS(running), WORDS(saxpy),
    WORDS(scalars),     WORDS(shape), WORDS(span_size), WORDS(spread),  WORDS(step),
};
#undef WORDS

/* ---- forms ---- */

/* CONFORMANCE_KERNELS=portable: those of SPIR-V also where a device takes functions. */
static bool functions_wanted(void)
{
    const char *form = getenv("CONFORMANCE_KERNELS");
    return !form || strcmp(form, "portable") != 0;
}

bool functions_there(void)
{
    return functions_wanted() && trm_module_supported(the.device, TRM_MODULE_FUNCTIONS) == TRM_OK;
}

bool functions_missing(void)
{
    if (functions_there())
        return false;
    skip("the device takes no kernels as C functions of the program");
    return true;
}

/* A device may take SPIR-V and lack the compiler for it: loading then gives UNSUPPORTED. Tried once for each
 * device. */
static bool portable_there(void)
{
    static struct trm_device *asked;
    static bool there;
    struct trm_module *module   = NULL;
    struct trm_module_desc desc = portable_desc();
    if (asked == the.device)
        return there;
    int32_t status = trm_module_supported(the.device, TRM_MODULE_SPIRV);
    if (status == TRM_OK)
        status = trm_module_load(the.device, &desc, &module);
    trm_module_destroy(module);
    if (status != TRM_ERROR_UNSUPPORTED)
        ck_ok(status);
    asked = the.device;
    there = status == TRM_OK;
    return there;
}

bool kernels_there(void)
{
    return functions_there() || portable_there();
}

bool kernels_missing(void)
{
    if (kernels_there())
        return false;
    skip("the device takes neither kernels as C functions of the program nor portable ones");
    return true;
}

struct trm_module_desc functions_desc(void)
{
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc),
        .format      = TRM_MODULE_FUNCTIONS,
        .data        = kernel_functions,
        .size        = kernel_functions_size,
        .name        = "conformance",
    };
    return desc;
}

struct trm_module_desc portable_desc(void)
{
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc),
        .format      = TRM_MODULE_SPIRV,
        .data        = affine_words,
        .size        = sizeof(affine_words),
        .name        = "conformance",
    };
    return desc;
}

bool takes_functions(struct trm_device *device)
{
    return functions_wanted() && trm_module_supported(device, TRM_MODULE_FUNCTIONS) == TRM_OK;
}

struct trm_module_desc kernels_desc(struct trm_device *device)
{
    return takes_functions(device) ? functions_desc() : portable_desc();
}

/* The module that has the kernel. */
static struct trm_module_desc desc_with(struct trm_device *device, const char *name)
{
    struct trm_module_desc desc = kernels_desc(device);
    for (size_t i = 0; i < COUNT_OF(portable) && !takes_functions(device); i++) {
        if (strcmp(portable[i].name, name) == 0) {
            desc.data = portable[i].words;
            desc.size = portable[i].size;
        }
    }
    return desc;
}

/* ---- for the cases ---- */

static struct trm_module *load(struct trm_device *device, struct trm_module_desc desc)
{
    struct trm_module *module = NULL;
    ck_ok(trm_module_load(device, &desc, &module));
    ck_assert_ptr_nonnull(module);
    return module;
}

struct trm_module *load_kernels(struct trm_device *device)
{
    return load(device, kernels_desc(device));
}

static struct trm_kernel *keep(struct trm_device *device, struct trm_module_desc desc, const char *name)
{
    struct trm_module *module = load(device, desc);
    struct trm_kernel *found  = NULL;
    ck_assert_uint_lt(kept_count, MOST_KERNELS);
    ck_ok(trm_kernel_get(module, name, &found));
    ck_assert_ptr_nonnull(found);
    trm_module_destroy(module);
    kept[kept_count++] = found;
    return found;
}

struct trm_kernel *kernel_on(struct trm_device *device, const char *name)
{
    return keep(device, desc_with(device, name), name);
}

struct trm_kernel *kernel(const char *name)
{
    return kernel_on(the.device, name);
}

/* ---- groups ---- */

struct trm_group *group_under_test(void)
{
    const char *wanted = getenv("CONFORMANCE_GROUP");
    char devices[64];
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    if (!wanted || strcmp(wanted, "1") != 0)
        return NULL;
    if (the_group != NULL && the_group_context == the.context)
        return the_group;
    ck_ok(trm_device_describe(the.context, 0, &summary));
    snprintf(devices, sizeof(devices), "%s:*", summary.backend);
    ck_ok(trm_group_create(the.context, devices, &the_group));
    the_group_context = the.context;
    return the_group;
}

uint32_t group_devices(void)
{
    uint32_t count = 1;
    if (group_under_test() != NULL)
        ck_ok(trm_group_size(group_under_test(), &count));
    return count;
}

bool group_counts_slots(void)
{
    if (group_devices() == 1)
        return false;
    skip("a group has more slots than one device");
    return true;
}

struct trm_group_kernel *group_kernel(struct trm_group *group, const char *name)
{
    struct trm_module_desc desc    = desc_with(the.device, name);
    struct trm_group_kernel *found = NULL;
    ck_assert_uint_lt(kept_of_groups_count, MOST_KERNELS);
    ck_ok(trm_group_kernel_load(group, &desc, name, &found));
    kept_of_groups[kept_of_groups_count++] = found;
    return found;
}

struct trm_kernel *stage_kernel(const char *name)
{
    struct trm_group *group = group_under_test();
    return group != NULL ? trm_group_stage_kernel(group_kernel(group, name)) : kernel(name);
}

int32_t pipeline_under_test(const struct trm_pipeline_desc *desc, struct trm_pipeline **pipeline)
{
    struct trm_group *group = group_under_test();
    return group != NULL ? trm_group_pipeline_create(group, desc, pipeline)
                         : trm_pipeline_create(the.device, desc, pipeline);
}

struct trm_kernel *kernel_sized(const char *name, const uint32_t size[3])
{
    struct trm_module_desc desc     = desc_with(the.device, name);
    struct trm_constant constants[] = {
        {.id = 0, .type = TRM_TYPE_U32, .bits = size[0]},
        {.id = 1, .type = TRM_TYPE_U32, .bits = size[1]},
        {.id = 2, .type = TRM_TYPE_U32, .bits = size[2]},
    };
    if (!takes_functions(the.device)) {
        desc.constants      = constants;
        desc.constant_count = COUNT_OF(constants);
    }
    return keep(the.device, desc, name);
}

void kernels_close(void)
{
    for (size_t i = 0; i < kept_count; i++)
        trm_kernel_destroy(kept[i]);
    kept_count = 0;
    for (size_t i = 0; i < kept_of_groups_count; i++)
        trm_group_kernel_destroy(kept_of_groups[i]);
    kept_of_groups_count = 0;
    if (the_group != NULL)
        trm_group_destroy(the_group);
    the_group = NULL;
}

int32_t launch_1d(struct trm_stream *stream, struct trm_kernel *used, uint32_t n,
                  const struct trm_argument *arguments, uint32_t argument_count)
{
    struct trm_grid grid = trm_grid_1d((n + 63) / 64, 64);
    return trm_launch(stream, used, &grid, arguments, argument_count);
}

/* A kernel of the device of a stream, which may be another than the one under test. */
static struct trm_kernel *kernel_for(struct trm_stream *stream, const char *name)
{
    struct trm_device *device = NULL;
    ck_ok(trm_stream_device(stream, &device));
    struct trm_kernel *found = kernel_on(device, name);
    trm_device_destroy(device);
    return found;
}

int32_t launch_affine_with(struct trm_stream *stream, struct trm_kernel *affine_kernel,
                           struct trm_buffer *data, uint32_t n, uint32_t factor, uint32_t addend)
{
    struct trm_argument arguments[] = {trm_arg_buffer(data), trm_arg_u32(n), trm_arg_u32(factor),
                                       trm_arg_u32(addend)};
    return launch_1d(stream, affine_kernel, n, arguments, 4);
}

int32_t launch_affine(struct trm_stream *stream, struct trm_buffer *data, uint32_t n, uint32_t factor,
                      uint32_t addend)
{
    static struct trm_stream *last_stream;
    static struct trm_kernel *last_kernel;
    static struct trm_device *last_device;
    if (stream != last_stream || the.device != last_device || kept_count == 0) {
        last_kernel = kernel_for(stream, "affine");
        last_stream = stream;
        last_device = the.device;
    }
    return launch_affine_with(stream, last_kernel, data, n, factor, addend);
}

void fail_stream(struct trm_stream *stream, int32_t native_code)
{
    struct trm_grid grid         = trm_grid_1d(1, 1);
    struct trm_argument argument = trm_arg_i32(native_code);
    int32_t status               = trm_launch(stream, kernel_for(stream, "fail"), &grid, &argument, 1);
    ck_assert_msg(status == TRM_OK || status == TRM_ERROR_KERNEL, "launching a kernel that fails gave %s",
                  trm_status_name(status));
}

/* ---- time ---- */

#define PACE_US 1000u

/* Told PACE_US, the kernel took so long at its fastest. */
static uint64_t time_dawdle(void)
{
    struct trm_argument argument = trm_arg_u32(PACE_US);
    struct trm_grid grid         = trm_grid_1d(1, 1);
    struct trm_kernel *dawdle    = kernel("dawdle");
    uint64_t least               = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        uint64_t begin = now_ns();
        ck_ok(trm_launch(the.stream, dawdle, &grid, &argument, 1));
        ck_ok(trm_stream_sync(the.stream));
        uint64_t taken = now_ns() - begin;
        least          = taken < least ? taken : least;
    }
    return least;
}

uint32_t dawdle_us(uint32_t milliseconds, unsigned attempt)
{
    static uint64_t pace_ns; /* the fastest seen: a busy machine never shows a faster one than there is */
    uint64_t wanted_ns = (uint64_t)milliseconds * 1000000u << 2 * attempt;
    if (pace_ns == 0 || attempt != 0) {
        uint64_t taken = time_dawdle();
        pace_ns        = pace_ns == 0 || taken < pace_ns ? taken : pace_ns;
    }
    uint64_t told = wanted_ns * PACE_US / pace_ns;
    return told > 1 ? (uint32_t)told : 1;
}

int64_t dawdle_least_ns(uint32_t milliseconds, unsigned attempt)
{
    return (int64_t)milliseconds * 1000000 / 2 << 2 * attempt;
}
