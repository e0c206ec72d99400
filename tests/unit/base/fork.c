/* Words that tell the child of a fork: what the mark promises is what the kernel does.
 *
 * madvise() below takes the place of the C library's, so that it can be that of an emulator which answers
 * with success and does nothing.
 * SPDX-License-Identifier: MIT
 */
#include "base/fork.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/runner.h"

#define WORDS 2

static bool drops_advice, refuses_wiping;

int madvise(void *memory, size_t size, int advice)
{
    if (drops_advice)
        return 0;
    if (refuses_wiping) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, memory, size, advice);
}

/* What a child finds in the word of a process that marked it. */
static uint32_t found_by_child(const _Atomic uint32_t *word)
{
    int status  = -1;
    pid_t child = fork();
    if (child == 0)
        _exit((int)atomic_load(word));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return (uint32_t)WEXITSTATUS(status);
}

/* Makes words and marks the last one. Returns the mark. */
static uint32_t make(_Atomic uint32_t **words)
{
    *words = base_fork_words_create(WORDS);
    ck_assert_ptr_nonnull(*words);
    uint32_t mark = base_fork_mark(*words);
    atomic_store(&(*words)[WORDS - 1], mark);
    return mark;
}

START_TEST(a_guarded_word_is_zero_in_a_child_and_a_plain_one_is_not)
{
    _Atomic uint32_t *words;
    uint32_t mark = make(&words);
    ck_assert(mark == BASE_FORK_GUARDED || mark == BASE_FORK_PLAIN);
    ck_assert_uint_eq(found_by_child(&words[WORDS - 1]), mark == BASE_FORK_GUARDED ? BASE_FORK_CHILD : mark);
    ck_assert_uint_eq(atomic_load(&words[WORDS - 1]), mark);
    base_fork_words_destroy(words, WORDS);
}
END_TEST

START_TEST(words_are_plain_where_the_kernel_cannot_wipe_them)
{
    _Atomic uint32_t *words;
    refuses_wiping = true;
    ck_assert_uint_eq(make(&words), BASE_FORK_PLAIN);
    ck_assert_uint_eq(found_by_child(&words[WORDS - 1]), BASE_FORK_PLAIN);
    base_fork_words_destroy(words, WORDS);
}
END_TEST

START_TEST(words_are_plain_where_an_emulator_answers_any_advice_with_success)
{
    _Atomic uint32_t *words;
    drops_advice = true;
    ck_assert_uint_eq(make(&words), BASE_FORK_PLAIN);
    ck_assert_uint_eq(found_by_child(&words[WORDS - 1]), BASE_FORK_PLAIN);
    base_fork_words_destroy(words, WORDS);
}
END_TEST

static void teardown(void)
{
    drops_advice = refuses_wiping = false;
}

static Suite *make_suite(void)
{
    Suite *suite = suite_create("fork");
    TCase *fork  = tcase_create("fork");
    tcase_add_checked_fixture(fork, NULL, teardown);
    tcase_add_test(fork, a_guarded_word_is_zero_in_a_child_and_a_plain_one_is_not);
    tcase_add_test(fork, words_are_plain_where_the_kernel_cannot_wipe_them);
    tcase_add_test(fork, words_are_plain_where_an_emulator_answers_any_advice_with_success);
    suite_add_tcase(suite, fork);
    return suite;
}

UNIT_SUITE(make_suite)
