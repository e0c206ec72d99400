/* The device under test, and the launch of one kernel on it.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

#include <stdio.h>

#define GUARD 64u       /* bytes behind a buffer */
#define GUARD_BYTE 0xff /* floats of it are NaN, so what reads them is found as well */
#define NONSENSE 0x5a
#define VALUES_MOST 16u
#define CONSTANTS_MOST 8u

struct kernel {
    char label[160]; /* "unary operation=3" */
    struct trm_module *module;
    struct trm_kernel *handle;
};

static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;

#define OK(call)                                                                                  \
    do {                                                                                          \
        int32_t status_given = (call);                                                            \
        ck_assert_msg(status_given == TRM_OK, "%s: %s: %s", #call, trm_status_name(status_given), \
                      trm_last_error().sentence);                                                 \
    } while (0)

/* The validation layer (TRIREME_VULKAN_VALIDATION=yes) says what a driver would have let pass. */
static char said[1024];

static void note_validation(void *user, int32_t level, const char *line)
{
    (void)user;
    (void)level;
    if (strncmp(line, "vulkan validation: ", strlen("vulkan validation: ")) == 0)
        snprintf(said, sizeof(said), "%s", line);
}

static const char *backend_under_test(void)
{
    const char *name = getenv("CONFORMANCE_BACKEND");
    if (!name)
        name = getenv("TRIREME_BACKEND");
    return name ? name : "cpu";
}

void fixture_setup(void)
{
    struct trm_setting settings[] = {{.name = "backend", .value = backend_under_test()}};
    struct trm_context_desc desc  = {.struct_size   = sizeof(desc),
                                     .settings      = settings,
                                     .setting_count = COUNT(settings),
                                     .log           = note_validation};

    OK(trm_context_create(&desc, &context));
    OK(trm_device_open(context, NULL, &device));
    OK(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &stream));
}

void fixture_teardown(void)
{
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    ck_assert_msg(said[0] == '\0', "%s", said);
}

struct trm_device *fixture_device(void)
{
    return device;
}

struct trm_stream *fixture_stream(void)
{
    return stream;
}

void must(int32_t status)
{
    ck_assert_msg(status == TRM_OK, "%s: %s", trm_status_name(status), trm_last_error().sentence);
}

/* Where cases are not in processes of their own (CK_FORK=no) one device does for all: to open one takes some
 * drivers half a second, and seconds under a tool that checks what it is given. */
TCase *suite_group(const char *suite)
{
    TCase *group     = tcase_create(suite);
    const char *fork = getenv("CK_FORK");
    if (fork && strcmp(fork, "no") == 0)
        tcase_add_unchecked_fixture(group, fixture_setup, fixture_teardown);
    else
        tcase_add_checked_fixture(group, fixture_setup, fixture_teardown);
    tcase_set_timeout(group, 600); /* a kernel may have to be compiled first, beside much else */
    return group;
}

int suite_run(TCase *group)
{
    Suite *suite = suite_create("built-in kernels");
    suite_add_tcase(suite, group);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- kernels ---- */

static void write_label(struct kernel *kernel, const char *name, const struct constant *constants,
                        size_t count)
{
    size_t room = sizeof(kernel->label), used = (size_t)snprintf(kernel->label, room, "%s", name);

    for (size_t i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(kernel->label + used, room - used, " %s=%u",
                                 constants[i].name ? constants[i].name : "size", constants[i].value);
}

struct kernel *kernel_open(const char *name, const struct constant *constants, size_t count)
{
    struct trm_constant specialized[CONSTANTS_MOST];
    struct kernel *kernel = allocate(sizeof(*kernel));

    ck_assert_msg(count <= CONSTANTS_MOST, "%zu constants for %s", count, name);
    for (size_t i = 0; i < count; i++)
        specialized[i] = trm_constant_u32(constants[i].name, constants[i].value);
    write_label(kernel, name, constants, count);

    struct trm_module_desc desc = {
        .struct_size    = sizeof(desc),
        .format         = TRM_MODULE_NAMED,
        .data           = name,
        .size           = strlen(name) + 1,
        .constants      = specialized,
        .constant_count = (uint32_t)count,
    };
    int32_t status = trm_module_load(device, &desc, &kernel->module);
    ck_assert_msg(status == TRM_OK, "%s: %s: %s", kernel->label, trm_status_name(status),
                  trm_last_error().sentence);
    OK(trm_kernel_get(kernel->module, NULL, &kernel->handle));
    return kernel;
}

void kernel_close(struct kernel *kernel)
{
    trm_kernel_destroy(kernel->handle);
    trm_module_destroy(kernel->module);
    free(kernel);
}

struct value read_only(const char *name, const void *data, size_t size)
{
    return (struct value){.name = name, .role = ROLE_READ, .data = (void *)(uintptr_t)data, .size = size};
}

struct value write_only(const char *name, void *data, size_t size)
{
    return (struct value){.name = name, .role = ROLE_WRITE, .data = data, .size = size};
}

struct value read_write(const char *name, void *data, size_t size)
{
    return (struct value){.name = name, .role = ROLE_READ_WRITE, .data = data, .size = size};
}

struct value scalar_u32(const char *name, uint32_t value)
{
    return (struct value){.name = name, .role = ROLE_U32, .u32 = value};
}

struct value scalar_f32(const char *name, float value)
{
    return (struct value){.name = name, .role = ROLE_F32, .f32 = value};
}

static int is_scalar(const struct value *value)
{
    return value->role == ROLE_U32 || value->role == ROLE_F32;
}

/* A buffer with what the value holds, or nonsense, and the guard. */
static struct trm_buffer *fill_buffer(const struct value *value)
{
    size_t size         = value->size + GUARD;
    unsigned char *copy = allocate(size);
    struct trm_buffer *buffer;

    if (value->role == ROLE_WRITE)
        memset(copy, NONSENSE, value->size);
    else
        memcpy(copy, value->data, value->size);
    memset(copy + value->size, GUARD_BYTE, GUARD);

    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = size, .data = copy};
    OK(trm_buffer_create_from(device, &desc, &buffer));
    free(copy);
    return buffer;
}

/* Look at what is in a buffer after the launch, and keep it where it was written. */
static void empty_buffer(const struct kernel *kernel, const struct value *value, struct trm_buffer *buffer)
{
    size_t size         = value->size + GUARD;
    unsigned char *copy = allocate(size);

    OK(trm_download(stream, copy, trm_span_of(buffer, 0, size)));
    OK(trm_stream_sync(stream));
    for (size_t i = value->size; i < size; i++)
        ck_assert_msg(copy[i] == GUARD_BYTE, "%s: written %zu bytes behind the end of %s", kernel->label,
                      i - value->size, value->name);
    if (value->role == ROLE_READ)
        ck_assert_msg(memcmp(copy, value->data, value->size) == 0, "%s: %s was written to", kernel->label,
                      value->name);
    else
        memcpy(value->data, copy, value->size);
    free(copy);
    trm_buffer_destroy(buffer);
}

void kernel_run(struct kernel *kernel, uint32_t x, uint32_t y, uint32_t z, const struct value *values,
                size_t count)
{
    struct trm_buffer *buffers[VALUES_MOST] = {0};
    struct trm_argument arguments[VALUES_MOST];
    struct trm_grid grid = {.groups = {x, y, z}};

    ck_assert_msg(count <= VALUES_MOST, "%zu values for %s", count, kernel->label);
    for (size_t i = 0; i < count; i++) {
        struct trm_argument argument;
        if (values[i].role == ROLE_U32) {
            argument = trm_arg_u32(values[i].u32);
        } else if (values[i].role == ROLE_F32) {
            argument = trm_arg_f32(values[i].f32);
        } else {
            buffers[i] = fill_buffer(&values[i]);
            argument   = trm_arg_span(trm_span_of(buffers[i], 0, values[i].size));
        }
        arguments[i] = trm_arg_named(values[i].name, argument);
    }
    int32_t status = trm_launch(stream, kernel->handle, &grid, arguments, (uint32_t)count);
    ck_assert_msg(status == TRM_OK, "%s: %s: %s", kernel->label, trm_status_name(status),
                  trm_last_error().sentence);
    status = trm_stream_sync(stream);
    ck_assert_msg(status == TRM_OK, "%s: %s: %s", kernel->label, trm_status_name(status),
                  trm_last_error().sentence);
    for (size_t i = 0; i < count; i++) {
        if (!is_scalar(&values[i]))
            empty_buffer(kernel, &values[i], buffers[i]);
    }
}
