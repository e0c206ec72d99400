/* The fixture and the helpers of all cases.
 * SPDX-License-Identifier: MIT
 */
#include "harness.h"

#include "hold.h"
#include "kernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_KEPT 4096
#define LOG_BYTES 16384

/* The prefix of the lines of the log in which a validation layer reports an error of the backend. */
#define COMPLAINT "vulkan validation:"

/* No case is slow by itself; the limit allows for valgrind and the sanitizers. */
#define CASE_SECONDS 300

struct world the;

const int32_t all_kinds[4] = {TRM_MEMORY_DEVICE, TRM_MEMORY_PINNED, TRM_MEMORY_UNIFIED, TRM_MEMORY_IMPORTED};

static void *kept_memory[MOST_KEPT];
static size_t kept_memory_count;
static struct trm_device *kept_devices[64];
static size_t kept_device_count;
static struct trm_stream *kept_streams[MOST_KEPT];
static size_t kept_stream_count;

/* The lines that contexts logged, one character of the level before each. */
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static char log_text[LOG_BYTES];
static size_t log_length;
static char complaint[1024];

/* Shared by the processes of all cases. */
static atomic_uint *skips;

/* ---- skipping and scaling ---- */

void skips_prepare(void)
{
    skips = mmap(NULL, sizeof(*skips), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (skips == MAP_FAILED) {
        perror("conformance: mmap");
        exit(1);
    }
    atomic_init(skips, 0);
}

unsigned skips_count(void)
{
    return atomic_load(skips);
}

void skip(const char *reason)
{
    atomic_fetch_add(skips, 1);
    printf("SKIP %s: %s\n", tcase_name(), reason);
    fflush(stdout);
}

static void *read_to_end(void *file)
{
    char byte;
    while (read(*(int *)file, &byte, 1) > 0)
        continue;
    return NULL;
}

/* Forks beside a thread and starts one in the child: the thread of the child gets the number of the parent's,
 * at which qemu-user 7.2 ends the process. */
static bool emulator_starts_threads_in_children(void)
{
    int ends[2], status = -1;
    pthread_t thread;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, read_to_end, &ends[0]), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        _exit(pthread_create(&thread, NULL, read_to_end, &ends[0]) == 0 && pthread_join(thread, NULL) == 0
                  ? 0
                  : 1);
    }
    ck_assert_int_gt(child, 0);
    close(ends[1]);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    close(ends[0]);
    return status == 0;
}

/* The thread sanitizer forbids threads in a child. The address sanitizer (gcc 12, clang 14) does not hold the
 * locks of its allocator during fork(): a thread of the parent that starts, ends or allocates at that moment
 * leaves them locked in the child, whose next new thread then blocks for ever. */
bool forking_works(void)
{
    return !sanitized() && emulator_starts_threads_in_children();
}

/* ---- values ---- */

void ck_words(const uint32_t *found, size_t count, uint32_t expected)
{
    size_t i = 0;
    while (i < count && found[i] == expected)
        i++;
    ck_assert_msg(i == count, "word %zu of %zu is %u instead of %u", i, count, found[i < count ? i : 0],
                  expected);
}

void ck_bytes(const uint8_t *found, size_t count, uint8_t expected)
{
    size_t i = 0;
    while (i < count && found[i] == expected)
        i++;
    ck_assert_msg(i == count, "byte %zu of %zu is %u instead of %u", i, count, found[i < count ? i : 0],
                  expected);
}

/* ---- statuses ---- */

bool status_explained(int32_t status)
{
    struct trm_error error = trm_last_error();
    if (status == TRM_OK || status == TRM_ERROR_TIMEOUT) /* a poll sets no sentence */
        return true;
    return error.status == status && error.sentence && error.sentence[0];
}

/* ---- the log ---- */

static void keep_log(void *user, int32_t level, const char *message)
{
    (void)user;
    pthread_mutex_lock(&log_mutex);
    size_t length = strlen(message);
    if (level <= TRM_LOG_WARNING && strncmp(message, COMPLAINT, strlen(COMPLAINT)) == 0 && !complaint[0])
        snprintf(complaint, sizeof(complaint), "%s", message);
    if (log_length + length + 3 < LOG_BYTES) {
        log_text[log_length++] = (char)('0' + level);
        memcpy(log_text + log_length, message, length);
        log_length += length;
        log_text[log_length++] = '\n';
    }
    pthread_mutex_unlock(&log_mutex);
}

uint32_t log_count(int32_t level, const char *words)
{
    uint32_t count = 0;
    pthread_mutex_lock(&log_mutex);
    log_text[log_length] = '\0';
    for (const char *line = log_text; *line;) {
        const char *end = strchr(line, '\n');
        const char *hit = strstr(line, words);
        count += line[0] - '0' <= level && hit && hit < end;
        line = end + 1;
    }
    pthread_mutex_unlock(&log_mutex);
    return count;
}

bool log_has(int32_t level, const char *words)
{
    return log_count(level, words) != 0;
}

/* Ends every case. What a case that failed has been told is no news. */
static void check_complaints(void)
{
    static char first[sizeof(complaint)];
    pthread_mutex_lock(&log_mutex);
    memcpy(first, complaint, sizeof(first));
    complaint[0] = '\0';
    pthread_mutex_unlock(&log_mutex);
    ck_assert_msg(!first[0], "%s", first);
}

void log_forget(void)
{
    pthread_mutex_lock(&log_mutex);
    log_length = 0;
    pthread_mutex_unlock(&log_mutex);
}

/* ---- opening ---- */

const char *backend_under_test(void)
{
    const char *name = getenv("CONFORMANCE_BACKEND");
    return name && name[0] ? name : "cpu";
}

static bool is_of_backend(const char *setting)
{
    const char *wrapped = getenv("PROXY_TARGET"); /* by the proxy, where that is under test */
    const char *backend = wrapped ? wrapped : backend_under_test(), *slash = strrchr(backend, '/');
    const char *name = slash ? slash + 1 : backend;
    size_t length    = strcspn(name, ".:");
    return strncmp(setting, name, length) == 0 && setting[length] == '.';
}

/* Takes the settings of the backend under test from the environment, without which it may not work. Returns
 * how many there are. */
static uint32_t backend_settings(struct trm_setting *settings, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < trm_setting_count() && count < capacity; i++) {
        struct trm_setting_info info = {.struct_size = sizeof(info)};
        ck_ok(trm_setting_describe(i, &info));
        const char *value = getenv(info.variable);
        if (value && is_of_backend(info.name))
            settings[count++] = (struct trm_setting){info.name, value};
    }
    return count;
}

/* The folder of compiled kernels that a context has which reads the environment. Returns how many settings
 * that is. */
static uint32_t cache_setting(struct trm_setting *setting)
{
    static _Thread_local char folder[4096];
    const char *home = getenv("XDG_CACHE_HOME");
    if (home == NULL || snprintf(folder, sizeof(folder), "%s/trireme", home) >= (int)sizeof(folder))
        return 0;
    *setting = (struct trm_setting){"kernel.cache", folder};
    return 1;
}

int32_t context_with(const struct trm_setting *more, uint32_t count, struct trm_context **context)
{
    struct trm_setting settings[32] = {{"backend", backend_under_test()}, {"stream.models", "no"}};
    struct trm_context_desc desc    = {
           .struct_size   = sizeof(desc),
           .flags         = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT,
           .log           = keep_log,
           .settings      = settings,
           .setting_count = 2,
    };
    desc.setting_count += backend_settings(settings + 2, 13);
    desc.setting_count += cache_setting(settings + desc.setting_count);
    ck_assert_uint_lt(count, 16);
    for (uint32_t i = 0; i < count; i++)
        settings[desc.setting_count++] = more[i];
    return trm_context_create(&desc, context);
}

bool group_of_team(struct trm_context **context, struct trm_group **group)
{
    const struct trm_setting settings[] = {{"stream.models", "no"}, {"backend", "vulkan,cpu"}};
    struct trm_device_summary summary   = {.struct_size = sizeof(summary)};
    const char *mixed                   = getenv("CONFORMANCE_TEAM");
    char devices[80];
    ck_ok(context_with(settings, mixed != NULL ? 2 : 1, context));
    ck_ok(trm_device_describe(*context, 0, &summary));
    snprintf(devices, sizeof(devices), "%s:*", summary.backend);
    ck_ok(trm_group_create(*context, mixed != NULL ? mixed : devices, group));
    return mixed != NULL;
}

/* No case knows what pools have learned before it. Reads the environment: a third party's backend may need
 * settings of its own. */
struct trm_context *open_context(void)
{
    struct trm_setting settings[] = {{"backend", backend_under_test()}, {"stream.models", "no"}};
    struct trm_context_desc desc  = {
         .struct_size   = sizeof(desc),
         .flags         = TRM_CONTEXT_NO_CONFIG,
         .log           = keep_log,
         .settings      = settings,
         .setting_count = 2,
    };
    struct trm_context *context = NULL;
    ck_ok(trm_context_create(&desc, &context));
    ck_assert_ptr_nonnull(context);
    return context;
}

struct trm_device *open_device(struct trm_context *context)
{
    struct trm_device *device = NULL;
    ck_ok(trm_device_open(context, NULL, &device));
    ck_assert_ptr_nonnull(device);
    return device;
}

void destroy_later_device(struct trm_device *device)
{
    ck_assert_uint_lt(kept_device_count, sizeof(kept_devices) / sizeof(kept_devices[0]));
    kept_devices[kept_device_count++] = device;
}

void destroy_later_stream(struct trm_stream *stream)
{
    ck_assert_uint_lt(kept_stream_count, MOST_KEPT);
    kept_streams[kept_stream_count++] = stream;
}

struct trm_device *second_device(void)
{
    struct trm_device *device = open_device(the.context);
    destroy_later_device(device);
    return device;
}

struct trm_stream *make_stream(struct trm_device *device)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_assert_ptr_nonnull(stream);
    destroy_later_stream(stream);
    return stream;
}

uint64_t device_number(struct trm_device *device, uint32_t key)
{
    uint64_t value = 0;
    int32_t status = trm_device_get_u64(device, key, &value);
    return status == TRM_OK ? value : 0;
}

/* With --no-fork the next case uses the same context and device. */
static struct world kept;

static void fixture_open(void)
{
    log_forget();
    the  = kept;
    kept = (struct world){NULL, NULL, NULL};
    if (!the.device) {
        the.context = open_context();
        the.device  = open_device(the.context);
    }
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &the.stream));
}

/* Also runs after a case that failed half-way, so it opens the holds before it waits for the streams. */
static void fixture_close(void)
{
    holds_open_all();
    for (size_t i = 0; i < kept_stream_count; i++)
        trm_stream_destroy(kept_streams[i]);
    trm_stream_destroy(the.stream);
    kernels_close();
    for (size_t i = 0; i < kept_device_count; i++)
        trm_device_destroy(kept_devices[i]);
    if (options.no_fork && the.device) {
        kept = (struct world){the.context, the.device, NULL};
    } else {
        trm_device_destroy(the.device);
        trm_context_destroy(the.context);
    }
    for (size_t i = 0; i < kept_memory_count; i++)
        free(kept_memory[i]);
    kept_stream_count = kept_device_count = kept_memory_count = 0;
    memset(&the, 0, sizeof(the));
    check_complaints();
}

bool kept_close(void)
{
    trm_device_destroy(kept.device);
    trm_context_destroy(kept.context);
    kept = (struct world){NULL, NULL, NULL};
    if (complaint[0])
        fprintf(stderr, "when the device of all cases was closed: %s\n", complaint);
    return !complaint[0];
}

/* ---- progress ---- */

static uint64_t case_began_ns;
static double case_began_processor;

/* The seconds of this process and of its children that have ended. */
static double processor_seconds(void)
{
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(i == 0 ? RUSAGE_SELF : RUSAGE_CHILDREN, &usage);
        sum += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    }
    return sum;
}

/* Where all cases share a process, the one that ends it after its time names the case that hung. */
static void ended(int number)
{
    static const char words[] = "\nended while this case ran: ";
    const char *name          = tcase_name();
    (void)!write(STDERR_FILENO, words, sizeof(words) - 1);
    if (name != NULL)
        (void)!write(STDERR_FILENO, name, strlen(name));
    (void)!write(STDERR_FILENO, "\n", 1);
    signal(number, SIG_DFL);
    raise(number);
}

static void progress_begin(void)
{
    case_began_ns        = now_ns();
    case_began_processor = processor_seconds();
    if (options.no_fork)
        signal(SIGTERM, ended);
}

/* Runs after cases that pass: the process of a case that fails ends earlier. */
static void progress_end(void)
{
    if (!options.progress)
        return;
    printf("%8.3f s %8.3f s %s\n", (double)(now_ns() - case_began_ns) * 1e-9,
           processor_seconds() - case_began_processor, tcase_name());
    fflush(stdout);
}

/* ---- groups ---- */

double case_seconds(void)
{
    const char *given = getenv("CK_DEFAULT_TIMEOUT");
    double seconds    = given ? atof(given) : 0;
    return seconds > 0 ? seconds : CASE_SECONDS;
}

/* Check reads the environment by itself. */
static void set_time_out(TCase *group)
{
    const char *given = getenv("CK_DEFAULT_TIMEOUT");
    if (!given || !given[0])
        tcase_set_timeout(group, CASE_SECONDS);
}

static TCase *make_group(Suite *suite, const char *name)
{
    TCase *group = tcase_create(name);
    set_time_out(group);
    tcase_add_checked_fixture(group, progress_begin, progress_end);
    suite_add_tcase(suite, group);
    return group;
}

TCase *group_make_bare(Suite *suite, const char *name)
{
    TCase *group = make_group(suite, name);
    tcase_add_checked_fixture(group, NULL, check_complaints);
    return group;
}

TCase *group_make(Suite *suite, const char *name)
{
    TCase *group = make_group(suite, name);
    tcase_add_checked_fixture(group, fixture_open, fixture_close);
    return group;
}

/* Whether a name contains one of the words of a comma-separated list. */
static bool holds_word(const char *name, const char *list)
{
    char word[64];
    for (const char *rest = list; *rest;) {
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof(word), "%.*s", (int)length, rest);
        if (length > 0 && strstr(name, word))
            return true;
        rest += length + (rest[length] == ',');
    }
    return false;
}

bool case_wanted(const char *name)
{
    static unsigned number;
    if (options.parts && number++ % options.parts != options.part)
        return false;
    if (options.filter && !holds_word(name, options.filter))
        return false;
    if (options.list)
        puts(name);
    return true;
}

/* ---- memory ---- */

const char *kind_name(int32_t kind)
{
    static const char *const names[] = {"device", "pinned", "unified", "imported"};
    return kind >= 0 && kind < 4 ? names[kind] : "unknown";
}

static void *keep_memory(uint64_t size)
{
    void *memory = NULL;
    ck_assert_uint_lt(kept_memory_count, MOST_KEPT);
    ck_assert_int_eq(posix_memalign(&memory, 4096, size ? size : 1), 0);
    memset(memory, 0, size);
    kept_memory[kept_memory_count++] = memory;
    return memory;
}

struct trm_buffer *make_buffer(struct trm_device *device, int32_t kind, uint64_t size)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .kind = kind, .size = size};
    struct trm_buffer *buffer   = NULL;
    if (kind == TRM_MEMORY_IMPORTED)
        desc.host_pointer = keep_memory(size);
    int32_t status = trm_buffer_create_from(device, &desc, &buffer);
    if (status == TRM_ERROR_UNSUPPORTED && kind != TRM_MEMORY_DEVICE)
        return NULL;
    ck_assert_msg(status == TRM_OK, "a buffer of %s memory: %s: %s", kind_name(kind), trm_status_name(status),
                  trm_last_error().sentence);
    ck_assert_ptr_nonnull(buffer);
    return buffer;
}

void put(struct trm_stream *stream, struct trm_buffer *buffer, uint64_t offset, const void *data,
         uint64_t size)
{
    ck_ok(trm_upload(stream, trm_span_of(buffer, offset, size), data));
    ck_ok(trm_stream_sync(stream));
}

void get(struct trm_stream *stream, struct trm_buffer *buffer, uint64_t offset, void *data, uint64_t size)
{
    ck_ok(trm_download(stream, data, trm_span_of(buffer, offset, size)));
    ck_ok(trm_stream_sync(stream));
}

static uint8_t pattern_byte(size_t index, uint32_t seed)
{
    uint32_t mixed = ((uint32_t)index + seed * 7919u + 1u) * 2654435761u;
    return (uint8_t)(mixed >> 24 ^ mixed >> 11);
}

void pattern_make(void *memory, size_t size, uint32_t seed)
{
    uint8_t *bytes = memory;
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern_byte(i, seed);
}

size_t pattern_length(const void *memory, size_t size, uint32_t seed)
{
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != pattern_byte(i, seed))
            return i;
    return size;
}

void put_pattern(struct trm_stream *stream, struct trm_buffer *buffer, uint64_t size, uint32_t seed)
{
    void *bytes = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(bytes);
    pattern_make(bytes, size, seed);
    put(stream, buffer, 0, bytes, size);
    free(bytes);
}

/* ---- time and chance ---- */

uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void sleep_ms(unsigned milliseconds)
{
    struct timespec left = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0)
        continue;
}

uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}
