/* The cache of compiled code: what is found, what is not, and many processes at once.
 * SPDX-License-Identifier: MIT
 */
#include "core/cache/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/cache/cache_trim.h"
#include "core/object/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

#define PROCESSES 16
#define ROUNDS 40

static struct trm_context *handle;
static struct core_context *context;
static struct counting counting;

static void make(const char *cache, const char *size)
{
    struct trm_setting settings[]  = {{"kernel.cache", cache}, {"kernel.cache.size", size}};
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size   = sizeof(desc),
                                      .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                      .allocator     = &allocator,
                                      .settings      = settings,
                                      .setting_count = 2};

    trm_context_destroy(handle);
    ck_assert_msg(trm_context_create(&desc, &handle) == TRM_OK, "%s", trm_last_error().sentence);
    context = core_context_find(handle);
}

static void setup(void)
{
    folder_make();
    make(folder_path("deep/below/cache"), "1M");
}

static void teardown(void)
{
    trm_context_destroy(handle);
    handle = NULL;
    counting_is_balanced(&counting);
    folder_remove();
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Stores a text under a key. The path comes out. */
static const char *store(const char *key, const char *text)
{
    static char path[TRM_PATH_MOST];
    char begun[TRM_PATH_MOST];

    ck_assert_msg(core_cache_begin(context, key, ".so", begun) == TRM_OK, "%s", trm_last_error().sentence);
    write_file(begun, text);
    ck_assert_msg(core_cache_commit(context, key, ".so", begun, path) == TRM_OK, "%s",
                  trm_last_error().sentence);
    ck_assert_int_ne(access(begun, F_OK), 0);
    return path;
}

static void has(const char *key, const char *text)
{
    char path[TRM_PATH_MOST], found[256] = "";

    ck_assert_msg(core_cache_find(context, key, ".so", path) == TRM_OK, "%s", trm_last_error().sentence);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(found, 1, strlen(text), file), strlen(text));
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_str_eq(found, text);
}

static void has_not(const char *key)
{
    char path[TRM_PATH_MOST] = "untouched";

    ck_assert_int_eq(core_cache_find(context, key, ".so", path), TRM_ERROR_NOT_FOUND);
    ck_assert_str_eq(path, "untouched");
}

static int count_files(uint64_t *bytes)
{
    const struct dirent *entry;
    struct stat facts;
    int count   = 0;
    DIR *opened = opendir(folder_path("deep/below/cache"));

    *bytes = 0;
    ck_assert_ptr_nonnull(opened);
    while ((entry = readdir(opened)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        ck_assert_int_eq(fstatat(dirfd(opened), entry->d_name, &facts, 0), 0);
        *bytes += (uint64_t)facts.st_size;
        count++;
    }
    closedir(opened);
    return count;
}

/* ---- finding ---- */

START_TEST(what_was_stored_is_found_under_its_key_and_no_other)
{
    has_not("one");
    store("one", "the first");
    store("two", "the second");
    has("one", "the first");
    has("two", "the second");
    has_not("three");
    has_not("");
    store("one", "newer");
    has("one", "newer");
}
END_TEST

START_TEST(extensions_tell_files_of_one_key_apart)
{
    char path[TRM_PATH_MOST];

    store("one", "the first");
    ck_assert_int_eq(core_cache_find(context, "one", ".ptx", path), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(core_cache_find(context, "one", "so", path), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(core_cache_find(context, "one", "./..", path), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(core_cache_begin(context, "one", ".a/b", path), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(folders_and_files_are_the_users_alone)
{
    struct stat facts;

    umask(0);
    const char *path = store("one", "the first");
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0600);
    ck_assert_int_eq(stat(folder_path("deep/below/cache"), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0700);
    ck_assert_int_eq(stat(folder_path("deep"), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0700);
}
END_TEST

START_TEST(what_is_discarded_is_gone)
{
    char begun[TRM_PATH_MOST];
    uint64_t bytes;

    ck_assert_int_eq(core_cache_begin(context, "one", ".so", begun), TRM_OK);
    ck_assert_int_eq(access(begun, F_OK), 0);
    core_cache_discard(context, begun);
    core_cache_discard(context, begun);
    ck_assert_int_eq(count_files(&bytes), 0);
    has_not("one");
}
END_TEST

/* ---- damage ---- */

static void is_removed(const char *path)
{
    has_not("one");
    ck_assert_int_ne(access(path, F_OK), 0);
    store("one", "the first");
    has("one", "the first");
}

START_TEST(a_changed_byte_anywhere_is_noticed)
{
    struct stat facts;

    ck_assert_int_eq(stat(store("one", "the first"), &facts), 0);
    for (off_t at = 0; at < facts.st_size; at++) {
        const char *path = store("one", "the first");
        char byte;
        int file = open(path, O_RDWR);
        ck_assert_int_ge(file, 0);
        ck_assert_int_eq(pread(file, &byte, 1, at), 1);
        byte ^= 0x10;
        ck_assert_int_eq(pwrite(file, &byte, 1, at), 1);
        close(file);
        is_removed(path);
    }
}
END_TEST

START_TEST(a_file_that_was_cut_off_is_noticed)
{
    struct stat facts;

    ck_assert_int_eq(stat(store("one", "the first"), &facts), 0);
    for (off_t size = 0; size < facts.st_size; size++) {
        const char *path = store("one", "the first");
        ck_assert_int_eq(truncate(path, size), 0);
        is_removed(path);
    }
}
END_TEST

START_TEST(bytes_behind_the_end_are_noticed)
{
    const char *path = store("one", "the first");
    FILE *file       = fopen(path, "ab");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fputc('x', file), 'x');
    ck_assert_int_eq(fclose(file), 0);
    is_removed(path);
}
END_TEST

START_TEST(a_file_in_the_place_of_another_is_noticed)
{
    char one[TRM_PATH_MOST];

    snprintf(one, sizeof(one), "%s", store("one", "the first"));
    ck_assert_int_eq(rename(store("two", "the second"), one), 0);
    is_removed(one);
}
END_TEST

START_TEST(a_link_is_no_file_of_the_cache)
{
    char one[TRM_PATH_MOST];

    snprintf(one, sizeof(one), "%s", store("one", "the first"));
    ck_assert_int_eq(rename(one, folder_path("elsewhere")), 0);
    ck_assert_int_eq(symlink(folder_path("elsewhere"), one), 0);
    is_removed(one);
    ck_assert_int_eq(access(folder_path("elsewhere"), F_OK), 0);
}
END_TEST

START_TEST(a_file_that_others_may_write_is_not_used)
{
    const char *path = store("one", "the first");

    ck_assert_int_eq(chmod(path, 0622), 0);
    is_removed(path);
}
END_TEST

/* ---- folders that cannot be used ---- */

static void cannot_begin(void)
{
    char path[TRM_PATH_MOST] = "untouched";

    ck_assert_int_eq(core_cache_begin(context, "one", ".so", path), TRM_ERROR_UNSUPPORTED);
    has_not("one");
}

START_TEST(without_a_cache_there_is_nothing_to_begin)
{
    make("none", "1M");
    cannot_begin();
    make(folder_path("deep/below/cache"), "0");
    cannot_begin();
    make("", "1M"); /* and no environment to tell a home */
    cannot_begin();
}
END_TEST

START_TEST(a_folder_that_others_may_write_is_not_used)
{
    store("one", "the first");
    ck_assert_int_eq(chmod(folder_path("deep/below/cache"), 0770), 0);
    cannot_begin();
    ck_assert_int_eq(chmod(folder_path("deep/below/cache"), 01777), 0);
    cannot_begin();
    ck_assert_int_eq(chmod(folder_path("deep/below/cache"), 0700), 0);
    has("one", "the first");
    ck_assert_int_eq(chmod(folder_path("deep"), 0777), 0);
    cannot_begin();
    ck_assert_int_eq(chmod(folder_path("deep"), 0755), 0);
    has("one", "the first");
}
END_TEST

START_TEST(a_file_in_the_place_of_the_folder_is_no_cache)
{
    folder_write("file", "");
    make(folder_path("file"), "1M");
    cannot_begin();
    make(folder_path("file/below"), "1M");
    cannot_begin();
}
END_TEST

START_TEST(a_full_disk_loses_the_file_and_nothing_else)
{
    struct rlimit limit = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    char begun[TRM_PATH_MOST], path[TRM_PATH_MOST] = "untouched", text[4097];
    uint64_t bytes;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(core_cache_begin(context, "one", ".so", begun), TRM_OK);
    write_file(begun, text);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(core_cache_commit(context, "one", ".so", begun, path), TRM_ERROR_UNSUPPORTED);
    ck_assert_str_eq(path, "untouched");
    ck_assert_int_eq(count_files(&bytes), 0);
    has_not("one");
}
END_TEST

START_TEST(a_process_without_descriptors_removes_no_file)
{
    struct rlimit before, limit;
    const char *path = store("one", "the first");

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit          = before;
    limit.rlim_cur = 0;
    has("one", "the first");
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    has_not("one");
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    ck_assert_int_eq(access(path, F_OK), 0);
    has("one", "the first");
}
END_TEST

START_TEST(what_is_stored_is_a_copy)
{
    char path[TRM_PATH_MOST] = "untouched";

    folder_write("made", "the code");
    ck_assert_int_eq(core_cache_store(context, "one", ".so", folder_path("made"), path), TRM_OK);
    ck_assert_int_eq(access(path, F_OK), 0);
    ck_assert_int_eq(access(folder_path("made"), F_OK), 0);
    has("one", "the code");
    make("none", "1M");
    ck_assert_int_eq(core_cache_store(context, "one", ".so", folder_path("made"), path),
                     TRM_ERROR_UNSUPPORTED);
}
END_TEST

/* As root with the environment of another user. */
START_TEST(in_the_home_of_another_user_nothing_is_made)
{
    if (geteuid() != 0)
        return;
    folder_sub("home");
    ck_assert_int_eq(chown(folder_path("home"), 65534, 65534), 0);
    make(folder_path("home/.cache/trireme"), "1M");
    cannot_begin();
    ck_assert_int_ne(access(folder_path("home/.cache"), F_OK), 0);
    ck_assert_int_eq(chown(folder_path("home"), 0, 0), 0);
    store("one", "the first");
    has("one", "the first");
}
END_TEST

START_TEST(below_a_folder_that_others_may_write_nothing_is_made)
{
    folder_sub("home");
    ck_assert_int_eq(chmod(folder_path("home"), 0777), 0);
    make(folder_path("home/.cache/trireme"), "1M");
    cannot_begin();
    ck_assert_int_ne(access(folder_path("home/.cache"), F_OK), 0);
    ck_assert_int_eq(symlink("home", folder_path("link")), 0);
    make(folder_path("link/.cache/trireme"), "1M");
    cannot_begin();
    ck_assert_int_ne(access(folder_path("home/.cache"), F_OK), 0);
    ck_assert_int_eq(chmod(folder_path("home"), 01777), 0);
    store("one", "the first");
}
END_TEST

/* ---- size ---- */

static void used_before(const char *key, time_t seconds)
{
    char path[TRM_PATH_MOST];
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};

    ck_assert_int_eq(core_cache_find(context, key, ".so", path), TRM_OK);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(what_was_not_used_for_the_longest_time_goes_first)
{
    make(folder_path("deep/below/cache"), "300"); /* four files of 9 + 56 bytes */
    store("a", "the first");
    store("b", "the first");
    store("c", "the first");
    store("d", "the first");
    used_before("a", 400);
    used_before("b", 300);
    used_before("c", 200);
    used_before("d", 100);
    has("a", "the first"); /* which is a use */
    store("e", "the first");
    has_not("b");
    has("a", "the first");
    has("c", "the first");
    has("d", "the first");
    has("e", "the first");
}
END_TEST

START_TEST(a_file_larger_than_the_cache_is_not_kept)
{
    char begun[TRM_PATH_MOST], path[TRM_PATH_MOST];
    uint64_t bytes;

    make(folder_path("deep/below/cache"), "70");
    store("one", "the first");
    ck_assert_int_eq(core_cache_begin(context, "two", ".so", begun), TRM_OK);
    write_file(begun, "longer than the first");
    ck_assert_int_eq(core_cache_commit(context, "two", ".so", begun, path), TRM_ERROR_UNSUPPORTED);
    has("one", "the first");
    ck_assert_int_eq(count_files(&bytes), 1);
}
END_TEST

START_TEST(other_files_in_the_folder_are_left_alone)
{
    make(folder_path("deep/below/cache"), "100");
    store("one", "the first");
    folder_write("deep/below/cache/notes.txt", "a foreign text, which is longer than the whole cache may be, "
                                               "and which the cache must not touch at all");
    store("two", "the second");
    ck_assert_int_eq(access(folder_path("deep/below/cache/notes.txt"), F_OK), 0);
    has("two", "the second");
    has_not("one");
}
END_TEST

/* ---- processes ---- */

START_TEST(the_unfinished_file_of_a_dead_process_is_removed_and_that_of_a_live_one_is_not)
{
    char mine[TRM_PATH_MOST];
    uint64_t bytes;

    store("one", "the first");
    pid_t child = fork();
    if (child == 0) {
        /* The context is the parent's; the names of files are not its business. */
        char owner[CORE_CACHE_OWNER_BYTES], path[PATH_MAX];
        core_cache_owner(owner);
        snprintf(path, sizeof(path), "%s/%s0123456789abcdef.so", folder_path("deep/below/cache"), owner);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        _exit(file >= 0 ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(count_files(&bytes), 2);
    ck_assert_int_eq(core_cache_begin(context, "two", ".so", mine), TRM_OK);
    ck_assert_int_eq(count_files(&bytes), 3);
    store("three", "the third");
    ck_assert_int_eq(count_files(&bytes), 3);
    ck_assert_int_eq(access(mine, F_OK), 0);
    core_cache_discard(context, mine);
}
END_TEST

START_TEST(the_unfinished_file_of_another_machine_is_removed_when_it_is_old)
{
    struct timespec old[2] = {{.tv_sec = time(NULL) - 200000}, {.tv_sec = time(NULL) - 200000}};

    store("one", "the first");
    folder_write("deep/below/cache/new-0000ffff-1-0123456789abcdef.so", "");
    store("two", "the second");
    ck_assert_int_eq(access(folder_path("deep/below/cache/new-0000ffff-1-0123456789abcdef.so"), F_OK), 0);
    ck_assert_int_eq(
        utimensat(AT_FDCWD, folder_path("deep/below/cache/new-0000ffff-1-0123456789abcdef.so"), old, 0), 0);
    store("three", "the third");
    ck_assert_int_ne(access(folder_path("deep/below/cache/new-0000ffff-1-0123456789abcdef.so"), F_OK), 0);
}
END_TEST

/* One of many processes: stores and finds texts under a few keys. What it finds must be whole. */
static int work(int number)
{
    make(folder_path("deep/below/cache"), "2000");
    for (int round = 0; round < ROUNDS; round++) {
        char key[32], text[64], path[TRM_PATH_MOST], begun[TRM_PATH_MOST], found[64] = "";
        snprintf(key, sizeof(key), "key %d", (number + round) % 40);
        snprintf(text, sizeof(text), "what belongs to key %d, and to nothing else", (number + round) % 40);
        if (core_cache_find(context, key, ".so", path) == TRM_OK) {
            FILE *file = fopen(path, "rb");
            if (file == NULL)
                continue; /* it went in between, as the oldest one */
            size_t length = fread(found, 1, strlen(text), file);
            fclose(file);
            if (length != strlen(text) || strcmp(found, text) != 0)
                return 1;
        } else if (core_cache_begin(context, key, ".so", begun) == TRM_OK) {
            write_file(begun, text);
            if (core_cache_commit(context, key, ".so", begun, path) != TRM_OK)
                return 2;
        } else {
            return 3;
        }
    }
    trm_context_destroy(handle);
    handle = NULL;
    return 0;
}

START_TEST(sixteen_processes_at_once_find_whole_files_only)
{
    pid_t children[PROCESSES];
    uint64_t bytes;

    trm_context_destroy(handle);
    handle = NULL;
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (children[i] == 0)
            _exit(work(i * 3));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_gt(count_files(&bytes), 0);
    ck_assert_uint_le(bytes, 2000);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cache");
    TCase *cases = tcase_create("cache");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, what_was_stored_is_found_under_its_key_and_no_other);
    tcase_add_test(cases, extensions_tell_files_of_one_key_apart);
    tcase_add_test(cases, folders_and_files_are_the_users_alone);
    tcase_add_test(cases, what_is_discarded_is_gone);
    tcase_add_test(cases, a_changed_byte_anywhere_is_noticed);
    tcase_add_test(cases, a_file_that_was_cut_off_is_noticed);
    tcase_add_test(cases, bytes_behind_the_end_are_noticed);
    tcase_add_test(cases, a_file_in_the_place_of_another_is_noticed);
    tcase_add_test(cases, a_link_is_no_file_of_the_cache);
    tcase_add_test(cases, a_file_that_others_may_write_is_not_used);
    tcase_add_test(cases, without_a_cache_there_is_nothing_to_begin);
    tcase_add_test(cases, a_folder_that_others_may_write_is_not_used);
    tcase_add_test(cases, a_file_in_the_place_of_the_folder_is_no_cache);
    tcase_add_test(cases, a_process_without_descriptors_removes_no_file);
    tcase_add_test(cases, what_is_stored_is_a_copy);
    tcase_add_test(cases, in_the_home_of_another_user_nothing_is_made);
    tcase_add_test(cases, below_a_folder_that_others_may_write_nothing_is_made);
    tcase_add_test(cases, a_full_disk_loses_the_file_and_nothing_else);
    tcase_add_test(cases, what_was_not_used_for_the_longest_time_goes_first);
    tcase_add_test(cases, a_file_larger_than_the_cache_is_not_kept);
    tcase_add_test(cases, other_files_in_the_folder_are_left_alone);
    tcase_add_test(cases, the_unfinished_file_of_a_dead_process_is_removed_and_that_of_a_live_one_is_not);
    tcase_add_test(cases, the_unfinished_file_of_another_machine_is_removed_when_it_is_old);
    tcase_add_test(cases, sixteen_processes_at_once_find_whole_files_only);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
