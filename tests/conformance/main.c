/* The conformance suite checks through the public API what every backend must do.
 *
 * --help prints what its options do. A backend that opens no device ends it before the first case.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct options options;

static const char usage[] =
    "Usage: conformance [--list] [--filter TEXT,…] [--part I/N] [--progress] [--no-fork]\n"
    "\n"
    "Checks through the public API what every backend must do. CONFORMANCE_BACKEND names the backend: a\n"
    "name or the path of a plugin; cpu when unset.\n"
    "\n"
    "  --list           print the names of the cases and run none\n"
    "  --filter TEXT,…  run the cases alone whose name contains one of the texts\n"
    "  --part I/N       run the I-th of N parts of the cases, counted from 0, to run parts in parallel\n"
    "  --progress       print a line for each case that passes, when it ends: its seconds, those of the\n"
    "                   processor, its name\n"
    "  --no-fork        run all cases in this process, but those that fork or end it; they have one device,\n"
    "                   as far as they do not open others: for a debugger, and for drivers that are slow to\n"
    "                   open a device\n"
    "  --help           print this\n"
    "\n"
    "Exits with 0 if nothing failed, 1 if something did, 2 if the command line or the backend is wrong.\n";

static void (*const groups[])(Suite *suite) = {
    add_context,
    add_device,
    add_handles,
    add_stream,
    add_point,
    add_wait,
    add_event,
    add_callback,
    add_barrier,
    add_thread_stream,
    add_ordering,
    add_failure,
    add_serial,
    add_profile,
    add_lifetime,
    add_pairs,
    add_buffer,
    add_span,
    add_map,
    add_array,
    add_transfer_1d,
    add_transfer_2d,
    add_fill,
    add_image,
    add_image_copy,
    add_stream_memory,
    add_pool,
    add_memory_kinds,
    add_two_devices,
    add_interop,
    add_interop_ipc,
#ifdef CONFORMANCE_VULKAN
    add_interop_vulkan,
#endif
    add_module,
    add_kernel,
    add_argument,
    add_array_argument,
    add_image_argument,
    add_image_cube,
    add_image_kernel,
    add_image_over,
    add_launch,
    add_portable,
    add_bounds,
    add_address,
    add_named,
    add_native,
    add_graph,
    add_graph_life,
    add_graph_refused,
    add_graph_update,
    add_glsl,
    add_coordinator,
    add_coordinator_group,
    add_coordinator_kinds,
    add_coordinator_pool,
    add_coordinator_wait,
    add_pipeline,
    add_pipeline_serve,
    add_pipeline_branches,
    add_pipeline_branches_failures,
    add_pipeline_branches_overlap,
    add_pipeline_streams,
    add_pipeline_sources,
    add_pipeline_functions,
    add_pipeline_failures,
    add_pipeline_cancel,
    add_pipeline_states,
    add_pipeline_fresh,
    add_pipeline_descriptors,
    add_pipeline_order,
    add_pipeline_threads,
    add_pipeline_cached_operations,
    add_pipeline_lives,
    add_pipeline_resident,
    add_pipeline_image,
    add_group,
    add_group_devices,
    add_group_fork,
    add_group_join,
    add_group_pool,
    add_group_read,
    add_group_span,
    add_stream_model,
    add_stream_width,
    add_stream_pool,
    add_stream_pool_task,
    add_stream_pool_flood,
    add_stream_pool_strategy,
    add_collective,
    add_collective_buckets,
    add_collective_life,
    add_threads,
    add_program,
    add_signals,
    add_out_of_memory,
};

/* Cases that fork their process, end it or exhaust its memory: each runs in a process of its own, before this
 * process loads a driver. */
static void (*const groups_alone[])(Suite *suite) = {
    add_fork,
    add_interop_processes,
    add_process_exit,
    add_out_of_device_memory,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool part_read(const char *text)
{
    return sscanf(text, "%u/%u", &options.part, &options.parts) == 2 && options.part < options.parts;
}

static bool complain(const char *about, const char *text)
{
    fprintf(stderr, "conformance: %s%s (conformance --help lists the options)\n", about, text);
    return false;
}

static bool value_read(const char *option, const char *value)
{
    if (value == NULL)
        return complain("a value is missing behind ", option);
    if (strcmp(option, "--filter") == 0)
        options.filter = value;
    else if (!part_read(value))
        return complain("--part takes I/N, such as 0/4, with I below N and not ", value);
    return true;
}

static bool options_read(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--list") == 0)
            options.list = true;
        else if (strcmp(arguments[i], "--no-fork") == 0)
            options.no_fork = true;
        else if (strcmp(arguments[i], "--progress") == 0)
            options.progress = true;
        else if (strcmp(arguments[i], "--filter") != 0 && strcmp(arguments[i], "--part") != 0)
            return complain("there is no option ", arguments[i]);
        else if (!value_read(arguments[i], i + 1 < count ? arguments[i + 1] : NULL))
            return false;
        else
            i++;
    }
    return true;
}

static bool wants_help(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        if (strcmp(arguments[i], "--help") == 0)
            return true;
    return false;
}

/* The cases must not see the user's own settings of Trireme. */
static void environment_clean(void)
{
    static const char *const names[] = {"TRIREME_BACKEND", "TRIREME_DEVICE", "TRIREME_BACKEND_PATH"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unsetenv(names[i]);
}

static void open_and_exit(void)
{
    struct trm_setting backend   = {.name = "backend", .value = backend_under_test()};
    struct trm_context_desc desc = {.struct_size   = sizeof(desc),
                                    .flags         = TRM_CONTEXT_NO_CONFIG,
                                    .settings      = &backend,
                                    .setting_count = 1};
    struct trm_context *context;
    struct trm_device *device;

    if (trm_context_create(&desc, &context) == TRM_OK && trm_device_open(context, NULL, &device) == TRM_OK)
        _exit(EXIT_SUCCESS);
    fprintf(stderr, "conformance: the backend \"%s\" (CONFORMANCE_BACKEND) cannot be used: %s\n",
            backend_under_test(), trm_last_error().sentence);
    _exit(EXIT_FAILURE);
}

/* Waits for the end of a child as long as for a case, and says when it takes longer. The child may have all
 * signals blocked, so the limit is this process's. `ends` has SIGCHLD, which is blocked. */
static bool ends_in_time(pid_t child, const sigset_t *ends)
{
    double seconds              = case_seconds();
    const struct timespec limit = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    int waited;

    do
        waited = sigtimedwait(ends, NULL, &limit);
    while (waited < 0 && errno == EINTR);
    if (waited >= 0)
        return true;
    fprintf(
        stderr,
        "conformance: the backend \"%s\" (CONFORMANCE_BACKEND) has opened no device after %g s: it hangs\n",
        backend_under_test(), seconds);
    kill(child, SIGKILL);
    return false;
}

/* Whether the backend opens a device, so that a wrong name is one sentence rather than a failure of every
 * case. In a process of its own: cases that fork come before this one loads a driver. */
static bool can_open_backend(void)
{
    sigset_t ends, before;
    int status = 0;

    signal(SIGCHLD, SIG_DFL); /* ignored, it would not come */
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        open_and_exit();
    }
    bool in_time   = child < 0 || ends_in_time(child, &ends);
    bool has_ended = child >= 0 && waitpid(child, &status, 0) == child;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return in_time && (!has_ended || !WIFEXITED(status) || WEXITSTATUS(status) == EXIT_SUCCESS);
}

struct sums {
    int ran, failed;
};

static SRunner *runner_make(void (*const *add)(Suite *suite), size_t count)
{
    Suite *suite = suite_create(backend_under_test());
    for (size_t i = 0; i < count; i++)
        add[i](suite);
    return srunner_create(suite);
}

static void run_all(SRunner *runner, struct sums *sums)
{
    if (!options.list)
        srunner_run_all(runner, CK_NORMAL);
    sums->ran += srunner_ntests_run(runner);
    sums->failed += srunner_ntests_failed(runner);
    srunner_free(runner);
}

int main(int argument_count, char **arguments)
{
    if (wants_help(argument_count, arguments)) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (!options_read(argument_count, arguments))
        return 2;
    environment_clean();
    if (!options.list && !can_open_backend())
        return 2;
    skips_prepare();

    struct sums sums = {0, 0};
    run_all(runner_make(groups_alone, COUNT(groups_alone)), &sums);
    SRunner *others = runner_make(groups, COUNT(groups));
    if (options.no_fork)
        srunner_set_fork_status(others, CK_NOFORK);
    run_all(others, &sums);
    bool nothing_leaked = kept_close();
    if (options.list)
        return EXIT_SUCCESS;
    printf("%d cases on %s: %d failed, %u say that they do not apply\n", sums.ran, backend_under_test(),
           sums.failed, skips_count());
    if (sums.ran == 0) {
        fprintf(stderr, "no case has \"%s\" in its name\n", options.filter ? options.filter : "");
        return EXIT_FAILURE;
    }
    return sums.failed == 0 && nothing_leaked ? EXIT_SUCCESS : EXIT_FAILURE;
}
