/* Portable kernels of the cpu backend, from the compiler, from the cache, and from files beside their
 * shaders. The tests use the public functions.
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <trireme/trireme.h>

#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

#define N 1000
#define PROCESSES 16

static const uint32_t affine[] = {
#include "tests/conformance/shaders/affine.inc"
};
static const uint32_t constants[] = {
#include "tests/conformance/shaders/constants.inc"
};
static const uint32_t reverse[] = {
#include "tests/conformance/shaders/reverse.inc"
};

static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;
static char logged[16384];
static char compiler[PATH_MAX], cache[PATH_MAX];

static void note_line(void *user, int32_t level, const char *message)
{
    size_t length = strlen(logged);
    (void)user;
    (void)level;
    snprintf(logged + length, sizeof(logged) - length, "%s\n", message);
}

static void close_all(void)
{
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    stream  = NULL;
    device  = NULL;
    context = NULL;
}

static const char *compiler_time = "60", *compiler_memory = "4G", *compiler_output = "256M";

/* Open a device that compiles kernels with the compiler `with`, caches them in `in`, and looks for them in
 * the test's folder. bounds: the setting kernel.bounds. */
static void open_with(const char *with, const char *in, const char *bounds)
{
    struct trm_setting settings[] = {{"backend", "cpu"},
                                     {"cpu.compiler", with},
                                     {"kernel.cache", in},
                                     {"kernel.path", folder},
                                     {"kernel.bounds", bounds},
                                     {"compiler.time", compiler_time},
                                     {"compiler.memory", compiler_memory},
                                     {"compiler.output", compiler_output}};
    struct trm_context_desc desc  = {.struct_size   = sizeof(desc),
                                     .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                     .log           = note_line,
                                     .settings      = settings,
                                     .setting_count = 8};
    close_all();
    logged[0] = '\0';
    ck_assert_msg(trm_context_create(&desc, &context) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_msg(trm_device_open(context, NULL, &device) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream), TRM_OK);
}

static void write_program(const char *name, const char *text)
{
    folder_write(name, text);
    ck_assert_int_eq(chmod(folder_path(name), 0755), 0);
}

/* The compiler behind those that the tests write: of another architecture, where the tests are. */
static const char *real_compiler(void)
{
    const char *name = getenv("TEST_KERNEL_CC");
    return name != NULL && name[0] != '\0' ? name : "cc";
}

/* Write a compiler that records each of its runs. */
static void setup(void)
{
    char text[3 * PATH_MAX];
    folder_make();
    snprintf(compiler, sizeof(compiler), "%s", folder_path("cc"));
    snprintf(cache, sizeof(cache), "%s", folder_path("cache"));
    snprintf(text, sizeof(text), "#!/bin/sh\necho run >>'%s'\nexec %s \"$@\"\n", folder_path("runs"),
             real_compiler());
    write_program("cc", text);
    folder_write("runs", "");
    open_with(compiler, cache, "no");
}

static void teardown(void)
{
    close_all();
    folder_remove();
}

static long runs(void)
{
    struct stat facts;
    ck_assert_int_eq(stat(folder_path("runs"), &facts), 0);
    return (long)facts.st_size / 4;
}

static struct trm_module_desc spirv_of(const uint32_t *words, uint64_t size, const char *name)
{
    return (struct trm_module_desc){.struct_size = sizeof(struct trm_module_desc),
                                    .format      = TRM_MODULE_SPIRV,
                                    .data        = words,
                                    .size        = size,
                                    .name        = name};
}

static struct trm_module_desc named(const char *name)
{
    return (struct trm_module_desc){.struct_size = sizeof(struct trm_module_desc),
                                    .format      = TRM_MODULE_NAMED,
                                    .data        = name,
                                    .size        = strlen(name) + 1};
}

static int32_t load(const struct trm_module_desc *desc)
{
    struct trm_module *module = NULL;
    int32_t status            = trm_module_load(device, desc, &module);
    trm_module_destroy(module);
    return status;
}

static void fails(const struct trm_module_desc *desc, int32_t expected, const char *words)
{
    int32_t status = load(desc);
    ck_assert_msg(status == expected, "%s: %s", trm_status_name(status),
                  status == TRM_OK ? "" : trm_last_error().sentence);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
}

/* Load and run the kernel. Returns its result for 5 with factor 3 and addend 1. */
static uint32_t result_of(const struct trm_module_desc *desc)
{
    static uint32_t values[N];
    struct trm_module *module = NULL;
    struct trm_kernel *kernel = NULL;
    struct trm_buffer *buffer = NULL;
    struct trm_grid grid;
    for (int i = 0; i < N; i++)
        values[i] = 5;
    ck_assert_msg(trm_module_load(device, desc, &module) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_msg(trm_kernel_get(module, NULL, &kernel) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_int_eq(trm_kernel_grid(kernel, N, 1, 1, &grid), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(values), &buffer), TRM_OK);
    struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_u32(N), trm_arg_u32(3),
                                       trm_arg_u32(1)};
    ck_assert_int_eq(trm_upload(stream, trm_span_whole(buffer), values), TRM_OK);
    ck_assert_msg(trm_launch(stream, kernel, &grid, arguments, 4) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_int_eq(trm_download(stream, values, trm_span_whole(buffer)), TRM_OK);
    ck_assert_msg(trm_stream_sync(stream) == TRM_OK, "%s", trm_last_error().sentence);
    for (int i = 1; i < N; i++)
        ck_assert_uint_eq(values[i], values[0]);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    trm_module_destroy(module);
    return values[0];
}

static int count_files(const char *path)
{
    const struct dirent *entry;
    int count   = 0;
    DIR *opened = opendir(path);
    while (opened != NULL && (entry = readdir(opened)) != NULL)
        count += entry->d_name[0] != '.';
    if (opened != NULL)
        closedir(opened);
    return count;
}

/* The only file of the cache. */
static const char *cached_file(void)
{
    static char path[2 * PATH_MAX];
    const struct dirent *entry;
    DIR *opened = opendir(cache);
    ck_assert_ptr_nonnull(opened);
    path[0] = '\0';
    while ((entry = readdir(opened)) != NULL)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof(path), "%s/%s", cache, entry->d_name);
    closedir(opened);
    ck_assert_str_ne(path, "");
    return path;
}

/* ---- compilers ---- */

START_TEST(without_a_compiler_the_sentence_says_what_to_install)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    open_with("none", cache, "no");
    fails(&desc, TRM_ERROR_UNSUPPORTED, "trireme kc");
    fails(&desc, TRM_ERROR_UNSUPPORTED, "none");
    open_with("/nonexistent/cc", cache, "no");
    fails(&desc, TRM_ERROR_UNSUPPORTED, "install gcc or clang");
    open_with("no-such-compiler", cache, "no");
    fails(&desc, TRM_ERROR_UNSUPPORTED, "no-such-compiler");
    open_with(compiler, cache, "no");
    ck_assert_uint_eq(result_of(&desc), 16);
}
END_TEST

START_TEST(a_compiler_that_others_may_write_is_not_run)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    ck_assert_int_eq(chmod(compiler, 0777), 0);
    fails(&desc, TRM_ERROR_PERMISSION, compiler);
    ck_assert_int_eq(runs(), 0);
    ck_assert_int_eq(chmod(compiler, 0755), 0);
    ck_assert_uint_eq(result_of(&desc), 16);
}
END_TEST

START_TEST(what_a_compiler_complains_of_is_in_the_sentence_and_all_of_it_in_the_log)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    write_program("cc", "#!/bin/sh\necho one remark >&2\necho 'error: no good' >&2\nexit 1\n");
    fails(&desc, TRM_ERROR_BACKEND, "error: no good");
    ck_assert_ptr_nonnull(strstr(logged, "one remark"));
    ck_assert_int_eq(count_files(cache), 0);
    write_program("cc", "#!/bin/sh\nexit 0\n"); /* creates no file */
    fails(&desc, TRM_ERROR_BACKEND, "'affine': it wrote no file");
    ck_assert_int_eq(count_files(cache), 0);
    write_program("cc", "#!/bin/sh\nkill -SEGV $$\n");
    fails(&desc, TRM_ERROR_BACKEND, "'affine': signal 11 killed it");
    ck_assert_int_eq(count_files(cache), 0);
}
END_TEST

START_TEST(a_compiler_that_exceeds_a_limit_fails_with_the_setting)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    compiler_time               = "1";
    open_with(compiler, cache, "no");
    write_program("cc", "#!/bin/sh\nwhile :; do sleep 1000; done\n");
    fails(&desc, TRM_ERROR_TIMEOUT,
          "did not finish kernel 'affine' within 1 seconds; the setting compiler.time");
    compiler_time   = "60";
    compiler_memory = "256M";
    open_with(compiler, cache, "no");
    write_program("cc", "#!/bin/sh\nexec dd if=/dev/zero of=/dev/null bs=1G count=1\n");
    fails(&desc, TRM_ERROR_BACKEND,
          "268435456 bytes of memory for kernel 'affine'; the setting compiler.memory");
    compiler_memory = "4G";
    compiler_output = "64K";
    open_with(compiler, cache, "no");
    write_program("cc", "#!/bin/sh\ncat /dev/zero >kernel.so\n");
    fails(&desc, TRM_ERROR_BACKEND, "65536 bytes for kernel 'affine'; the setting compiler.output");
    ck_assert_int_eq(count_files(cache), 0);
    compiler_output = "256M";
}
END_TEST

START_TEST(a_compiler_is_run_with_an_environment_of_our_own)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    char text[512];
    ck_assert_int_eq(setenv("TRIREME_TEST_SECRET", "1", 1), 0);
    snprintf(
        text, sizeof(text),
        "#!/bin/sh\ntest -z \"$TRIREME_TEST_SECRET\" && exec %s \"$@\"\necho 'error: told' >&2\nexit 1\n",
        real_compiler());
    write_program("cc", text);
    ck_assert_uint_eq(result_of(&desc), 16);
}
END_TEST

START_TEST(a_program_that_ignores_its_children_gets_its_kernels)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    signal(SIGCHLD, SIG_IGN);
    ck_assert_uint_eq(result_of(&desc), 16);
    write_program("cc", "#!/bin/sh\necho 'error: no good' >&2\nexit 1\n");
    desc = spirv_of(reverse, sizeof(reverse), "reverse");
    fails(&desc, TRM_ERROR_BACKEND, "no good");
}
END_TEST

/* ---- the cache ---- */

START_TEST(a_kernel_is_compiled_once_and_then_found)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(runs(), 1);
    ck_assert_int_eq(count_files(cache), 1);
    ck_assert_uint_eq(result_of(&desc), 16);
    open_with(compiler, cache, "no");
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(runs(), 1);
    struct trm_module_desc other = spirv_of(reverse, sizeof(reverse), "reverse");
    ck_assert_int_eq(load(&other), TRM_OK);
    ck_assert_int_eq(runs(), 2);
}
END_TEST

START_TEST(other_constants_and_another_compiler_are_other_code)
{
    struct trm_constant constant = trm_constant_u32("width", 7);
    struct trm_module_desc desc  = spirv_of(constants, sizeof(constants), "constants");
    ck_assert_int_eq(load(&desc), TRM_OK);
    desc.constants      = &constant;
    desc.constant_count = 1;
    ck_assert_int_eq(load(&desc), TRM_OK);
    ck_assert_int_eq(runs(), 2);
    constant.bits = 4; /* the default */
    ck_assert_int_eq(load(&desc), TRM_OK);
    ck_assert_int_eq(runs(), 2);
    ck_assert_int_eq(utimensat(AT_FDCWD, compiler, (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0), 0);
    ck_assert_int_eq(load(&desc), TRM_OK);
    ck_assert_int_eq(runs(), 3);
}
END_TEST

START_TEST(a_damaged_file_is_made_again)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    struct stat facts;
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(stat(cached_file(), &facts), 0);
    ck_assert_int_eq(truncate(cached_file(), facts.st_size / 2), 0);
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(runs(), 2);
    ck_assert_ptr_nonnull(strstr(logged, "is incomplete"));
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(runs(), 2);
}
END_TEST

START_TEST(without_a_cache_kernels_are_compiled_each_time_and_leave_nothing)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    open_with(compiler, "none", "no");
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(runs(), 2);
    folder_write("file", "");
    open_with(compiler, folder_path("file/cache"), "no");
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(runs(), 3);
}
END_TEST

/* Mounts a file system of 4 KiB, which is less than a kernel needs, in a namespace of this process. False
 * where that is not allowed. */
static bool mount_small(const char *path)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", path, "tmpfs", 0, "size=4k,mode=0700") == 0;
}

static int count_lines(const char *words)
{
    int count = 0;
    for (const char *at = strstr(logged, words); at != NULL; at = strstr(at + 1, words))
        count++;
    return count;
}

START_TEST(a_full_disk_of_the_cache_costs_one_warning_and_no_kernel)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    ck_assert_int_eq(mkdir(cache, 0700), 0);
    close_all(); /* a process with threads cannot have a namespace of its own */
    if (!mount_small(cache)) {
        puts("no file system can be mounted here");
        return;
    }
    open_with(compiler, cache, "no");
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(runs(), 2);
    ck_assert_int_eq(count_files(cache), 0);
    ck_assert_int_eq(count_lines("the kernel cache is not used"), 1);
    ck_assert_int_eq(count_lines("No space left on device"), 1);
    ck_assert_int_eq(umount(cache), 0);
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(count_files(cache), 1);
}
END_TEST

START_TEST(sixteen_processes_that_load_one_kernel_at_once_all_get_it)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine");
    pid_t children[PROCESSES];
    close_all();
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (children[i] == 0) {
            open_with(compiler, cache, "no");
            _exit(result_of(&desc) == 16 ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(count_files(cache), 1);
    long before = runs();
    ck_assert_int_le(before, PROCESSES);
    open_with(compiler, cache, "no");
    ck_assert_uint_eq(result_of(&desc), 16);
    ck_assert_int_eq(runs(), before);
}
END_TEST

/* ---- code beside the shader ---- */

static void copy_module(const char *module, const char *as)
{
    char line[3 * PATH_MAX];
    const char *builddir = getenv("top_builddir");
    ck_assert_msg(builddir != NULL, "the environment variable top_builddir is not set: run by `make check`");
    snprintf(line, sizeof(line), "cp '%s/tests/unit/backends/cpu/.libs/%s.so' '%s' && chmod 755 '%s'",
             builddir, module, folder_path(as), folder_path(as));
    ck_assert_int_eq(system(line), 0);
}

START_TEST(what_was_built_beforehand_needs_no_compiler)
{
    struct trm_module_desc desc = spirv_of(affine, sizeof(affine), "affine"), by_name = named("affine");
    folder_write_bytes("affine.spv", affine, sizeof(affine));
    ck_assert_msg(trm_module_build(device, &desc, 0, folder_path("affine.so")) == TRM_OK, "%s",
                  trm_last_error().sentence);
    open_with("none", "none", "no");
    ck_assert_uint_eq(result_of(&by_name), 16);
    by_name.name = "another name";
    ck_assert_uint_eq(result_of(&by_name), 16);
    open_with(compiler, cache, "no");
    ck_assert_msg(trm_module_build(device, &desc, TRM_BUILD_PORTABLE, folder_path("affine.so")) == TRM_OK,
                  "%s", trm_last_error().sentence);
    open_with("none", "none", "no");
    ck_assert_uint_eq(result_of(&by_name), 16);
}
END_TEST

START_TEST(code_that_was_made_of_another_shader_is_not_used)
{
    struct trm_module_desc desc = spirv_of(reverse, sizeof(reverse), "reverse"), by_name = named("affine");
    folder_write_bytes("affine.spv", affine, sizeof(affine));
    ck_assert_int_eq(trm_module_build(device, &desc, 0, folder_path("affine.so")), TRM_OK);
    ck_assert_uint_eq(result_of(&by_name), 16);
    ck_assert_ptr_nonnull(strstr(logged, "affine.so"));
    open_with("none", "none", "no");
    fails(&by_name, TRM_ERROR_UNSUPPORTED, "trireme kc");
}
END_TEST

START_TEST(code_that_others_may_write_is_not_used)
{
    struct trm_module_desc by_name = named("affine");
    folder_write_bytes("affine.spv", affine, sizeof(affine));
    copy_module("affine", "affine.so");
    ck_assert_uint_eq(result_of(&by_name), 1016);
    ck_assert_int_eq(chmod(folder_path("affine.so"), 0777), 0);
    ck_assert_uint_eq(result_of(&by_name), 16);
    ck_assert_ptr_nonnull(strstr(logged, "other users may write"));
}
END_TEST

START_TEST(code_that_was_written_by_hand_must_have_the_shaders_interface)
{
    struct trm_module_desc by_name = named("affine");
    folder_write_bytes("affine.spv", affine, sizeof(affine));
    copy_module("affine", "affine.so");
    ck_assert_uint_eq(result_of(&by_name), 1016);
    ck_assert_int_eq(runs(), 0);
    copy_module("object", "other.so");
    ck_assert_int_eq(rename(folder_path("other.so"), folder_path("affine.so")), 0);
    ck_assert_uint_eq(result_of(&by_name), 16);
    ck_assert_int_eq(runs(), 1);
    ck_assert_ptr_nonnull(strstr(logged, "does not belong"));
}
END_TEST

START_TEST(constants_have_files_of_their_own)
{
    struct trm_constant constant   = trm_constant_u32("width", 7);
    struct trm_module_desc desc    = spirv_of(constants, sizeof(constants), "constants"),
                           by_name = named("constants");
    folder_write_bytes("constants.spv", constants, sizeof(constants));
    ck_assert_int_eq(trm_module_build(device, &desc, 0, folder_path("constants.so")), TRM_OK);
    desc.constants      = &constant;
    desc.constant_count = 1;
    ck_assert_int_eq(trm_module_build(device, &desc, 0, folder_path("constants.width=7.so")), TRM_OK);
    open_with("none", "none", "no");
    ck_assert_int_eq(load(&by_name), TRM_OK);
    by_name.constants      = &constant;
    by_name.constant_count = 1;
    ck_assert_int_eq(load(&by_name), TRM_OK);
    constant.bits = 8;
    fails(&by_name, TRM_ERROR_UNSUPPORTED, "trireme kc");
}
END_TEST

/* ---- bounds ---- */

START_TEST(an_access_beyond_a_buffer_fails_the_launch_where_bounds_are_checked)
{
    struct trm_module_desc desc = spirv_of(reverse, sizeof(reverse), "reverse");
    struct trm_module *module   = NULL;
    struct trm_kernel *kernel   = NULL;
    struct trm_buffer *buffer   = NULL;
    struct trm_grid grid        = trm_grid_1d(1, 0);
    open_with(compiler, cache, "yes");
    ck_assert_msg(trm_module_load(device, &desc, &module) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_int_eq(trm_kernel_get(module, NULL, &kernel), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(device, TRM_MEMORY_DEVICE, 256, &buffer), TRM_OK);
    struct trm_argument whole = trm_arg_buffer(buffer), half = trm_arg_span(trm_span_of(buffer, 0, 128));
    ck_assert_int_eq(trm_launch(stream, kernel, &grid, &whole, 1), TRM_OK);
    ck_assert_msg(trm_stream_sync(stream) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_int_eq(trm_launch(stream, kernel, &grid, &half, 1), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "Kernel 'reverse' failed: it used index 32 of buffer 'data', "
                                                "whose size is 32 (reverse.comp:10).");
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    trm_module_destroy(module);
}
END_TEST

START_TEST(where_bounds_are_checked_code_that_does_not_is_not_used)
{
    struct trm_module_desc by_name = named("affine");
    folder_write_bytes("affine.spv", affine, sizeof(affine));
    copy_module("affine", "affine.so");
    open_with(compiler, cache, "yes");
    ck_assert_uint_eq(result_of(&by_name), 16);
    open_with(compiler, cache, "no");
    ck_assert_uint_eq(result_of(&by_name), 1016);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cpu: portable kernels");
    TCase *cases = tcase_create("compile");

    if (access("/usr/bin/cc", X_OK) != 0 && access("/usr/local/bin/cc", X_OK) != 0) {
        puts("there is no C compiler");
        return NULL;
    }
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, without_a_compiler_the_sentence_says_what_to_install);
    tcase_add_test(cases, a_compiler_that_others_may_write_is_not_run);
    tcase_add_test(cases, what_a_compiler_complains_of_is_in_the_sentence_and_all_of_it_in_the_log);
    tcase_add_test(cases, a_compiler_that_exceeds_a_limit_fails_with_the_setting);
    tcase_add_test(cases, a_compiler_is_run_with_an_environment_of_our_own);
    tcase_add_test(cases, a_program_that_ignores_its_children_gets_its_kernels);
    tcase_add_test(cases, a_kernel_is_compiled_once_and_then_found);
    tcase_add_test(cases, other_constants_and_another_compiler_are_other_code);
    tcase_add_test(cases, a_damaged_file_is_made_again);
    tcase_add_test(cases, without_a_cache_kernels_are_compiled_each_time_and_leave_nothing);
    tcase_add_test(cases, a_full_disk_of_the_cache_costs_one_warning_and_no_kernel);
    tcase_add_test(cases, sixteen_processes_that_load_one_kernel_at_once_all_get_it);
    tcase_add_test(cases, what_was_built_beforehand_needs_no_compiler);
    tcase_add_test(cases, code_that_was_made_of_another_shader_is_not_used);
    tcase_add_test(cases, code_that_others_may_write_is_not_used);
    tcase_add_test(cases, code_that_was_written_by_hand_must_have_the_shaders_interface);
    tcase_add_test(cases, constants_have_files_of_their_own);
    tcase_add_test(cases, an_access_beyond_a_buffer_fails_the_launch_where_bounds_are_checked);
    tcase_add_test(cases, where_bounds_are_checked_code_that_does_not_is_not_used);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
