/* Trireme: helpers for authors of backends.
 *
 * Everything here is `static inline`: a plugin stays free of undefined trm_ symbols, and none of it is
 * part of the ABI. backend.h does not need this header, and a backend is free to do without it.
 *
 * Needs Linux and its C library with their extensions: compile with -std=gnu11, or define _GNU_SOURCE
 * before the first include. The parts that need C11 atomics (futexes and the lock) are left out of C++.
 *
 * Unless a comment says otherwise: a function does not block, may be called from any thread, takes
 * ownership of nothing, and cannot fail. `host` is the table that open() was given. Times are
 * nanoseconds of CLOCK_MONOTONIC, sizes are bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_BACKEND_UTIL_H
#define TRIREME_BACKEND_UTIL_H

#if defined(__STRICT_ANSI__) && !defined(_GNU_SOURCE) && !defined(_DEFAULT_SOURCE)
#error "trireme/backend_util.h needs _GNU_SOURCE (or -std=gnu11)"
#endif

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <trireme/backend.h>

TRM_API_BEGIN

/* What the compiler shall expect of a condition. */
#define TRM_UTIL_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TRM_UTIL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* ---- time --------------------------------------------------------------------------------- */

/* A deadline that never comes. */
#define TRM_UTIL_NEVER UINT64_MAX

/* The time now. */
static inline uint64_t trm_util_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The time at which a time-out that begins now ends.
 *
 * timeout_ns  nanoseconds; TRM_FOREVER, and what is beyond the clock, give TRM_UTIL_NEVER
 */
static inline uint64_t trm_util_deadline(uint64_t timeout_ns)
{
    uint64_t deadline;
    if (timeout_ns == TRM_FOREVER || __builtin_add_overflow(trm_util_now(), timeout_ns, &deadline))
        return TRM_UTIL_NEVER;
    return deadline;
}

/* Nanoseconds until a deadline: 0 when it has passed, TRM_FOREVER for TRM_UTIL_NEVER. */
static inline uint64_t trm_util_remaining(uint64_t deadline)
{
    if (deadline == TRM_UTIL_NEVER)
        return TRM_FOREVER;
    uint64_t now = trm_util_now();
    return now < deadline ? deadline - now : 0;
}

/* Leave the core's units to its other hardware thread for a moment. For loops that poll. */
static inline void trm_util_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* ---- futexes ------------------------------------------------------------------------------ */

#ifndef __cplusplus

/* Sleep while `*word` is `expected`.
 *
 * All ordering comes from the atomic accesses of the word. The kernel also wakes threads for signals
 * and for words that were at the same address before, so the caller tests its condition in a loop.
 *
 * deadline  when to give up; TRM_UTIL_NEVER for never
 * Returns   false when the deadline has passed, true after any other wake-up
 * Blocks    yes, without spinning
 */
static inline bool trm_util_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline)
{
    struct timespec until        = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    const struct timespec *limit = deadline == TRM_UTIL_NEVER ? NULL : &until;
    long result =
        syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, limit, NULL, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

/* Wake one thread, or all threads, that sleep on `word`. The word need not exist any more: a thread
 * that changed it may wake after the thread that was waiting has gone on and freed it. */
static inline void trm_util_futex_wake_one(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static inline void trm_util_futex_wake_all(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* ---- a small lock ------------------------------------------------------------------------- */

/* A mutex of four bytes for sections of a few instructions: it adds a few instructions in line, where
 * the two calls of a pthread_mutex_t cost some seventy. Open when zero. Sleeps in a futex when it is
 * contended. The three states are those of mutex 2 in U. Drepper, "Futexes Are Tricky". */
struct trm_util_lock {
    _Atomic uint32_t state; /* 0: open, 1: held, 2: held, and threads may be asleep */
};

/* The slow path of trm_util_lock_acquire(). Blocks. */
__attribute__((cold, noinline, unused)) static void trm_util_lock_wait(struct trm_util_lock *lock)
{
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        trm_util_futex_wait(&lock->state, 2, TRM_UTIL_NEVER);
}

/* Acquire the lock. Not recursive. Blocks while another thread holds it. */
static inline void trm_util_lock_acquire(struct trm_util_lock *lock)
{
    uint32_t open = 0;
    if (TRM_UTIL_UNLIKELY(!atomic_compare_exchange_strong_explicit(
            &lock->state, &open, 1, memory_order_acquire, memory_order_relaxed)))
        trm_util_lock_wait(lock);
}

/* Release the lock. Only the thread that acquired it. */
static inline void trm_util_lock_release(struct trm_util_lock *lock)
{
    if (TRM_UTIL_UNLIKELY(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2))
        trm_util_futex_wake_one(&lock->state);
}

#endif

/* ---- signals ------------------------------------------------------------------------------ */

/* Block all signals in the calling thread, for as long as it may start threads.
 *
 * Signals belong to the program. A thread inherits the mask of the thread that starts it, so without
 * this the threads of a backend, and those that a driver starts, would run the program's handlers.
 *
 * before  where to write the mask that trm_util_signals_restore() puts back
 */
static inline void trm_util_signals_block(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* Put back the mask that trm_util_signals_block() wrote. The same thread. */
static inline void trm_util_signals_restore(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- failures ----------------------------------------------------------------------------- */

#define TRM_UTIL_SENTENCE_BYTES 1024

/* Explain a failure in the calling thread, printf-like.
 *
 * native_code  what the driver returned; 0: none
 * format       one sentence, of which TRM_UTIL_SENTENCE_BYTES are kept
 * Returns      `status`
 */
static inline int32_t trm_util_fail(const struct trm_host *host, int32_t status, int64_t native_code,
                                    const char *format, ...) __attribute__((cold, format(printf, 4, 5)));

static inline int32_t trm_util_fail(const struct trm_host *host, int32_t status, int64_t native_code,
                                    const char *format, ...)
{
    char sentence[TRM_UTIL_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    /* In parentheses: <check.h> has a macro of the name. */
    return (host->fail)(host->context, status, native_code, sentence);
}

/* Explain that there was no host memory for `what` ("a stream"). Returns OUT_OF_HOST_MEMORY. */
__attribute__((cold)) static inline int32_t trm_util_fail_host_memory(const struct trm_host *host,
                                                                      const char *what)
{
    return trm_util_fail(host, TRM_ERROR_OUT_OF_HOST_MEMORY, 0, "There is no host memory for %s.", what);
}

/* A text that grows up to the size of its buffer and is cut there; always ends with a zero. Start with
 * {buffer, sizeof(buffer), 0}. */
struct trm_util_text {
    char *data;
    size_t capacity; /* bytes at `data`, at least 1 */
    size_t length;   /* without the final zero */
};

/* Append to a text, printf-like. One thread at a time. */
static inline void trm_util_text_append(struct trm_util_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void trm_util_text_append(struct trm_util_text *text, const char *format, ...)
{
    va_list arguments;
    if (text->length + 1 >= text->capacity)
        return;
    va_start(arguments, format);
    int written = vsnprintf(text->data + text->length, text->capacity - text->length, format, arguments);
    va_end(arguments);
    text->length += written < 0 ? 0 : (size_t)written;
    if (text->length >= text->capacity)
        text->length = text->capacity - 1;
}

/* ---- what the host lends ------------------------------------------------------------------ */

/* Allocate host memory through the host, so that the program's own allocator serves it.
 *
 * size       bytes
 * Returns    zeroed memory, aligned for any type of C; NULL when there is none (the caller then returns
 *            trm_util_fail_host_memory())
 * Ownership  the caller's, until trm_util_release()
 */
static inline void *trm_util_allocate(const struct trm_host *host, uint64_t size)
{
    void *memory = host->allocate(host->context, size, __alignof__(max_align_t));
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

/* Release memory of the host.
 *
 * memory  of trm_util_allocate() or of host->allocate(); NULL does nothing
 * size    bytes, as when it was allocated
 */
static inline void trm_util_release(const struct trm_host *host, void *memory, uint64_t size)
{
    host->release(host->context, memory, size);
}

/* Whether the setting `name` is "yes", "on", "true" or "1", in any case. False where the host does not
 * know it. */
static inline bool trm_util_setting_is_on(const struct trm_host *host, const char *name)
{
    static const char *const words[] = {"yes", "on", "true", "1"};
    char text[16];
    uint64_t needed = 0;
    if (host->get_setting(host->context, name, text, sizeof(text), &needed) != TRM_OK)
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

/* Warn in the log that the setting "kernel.barriers" does nothing on a device, where it is on. For backends
 * whose kernels do not count the work-items that come to a barrier; once for each device that is opened.
 *
 * device  its name, as the user knows it
 */
static inline void trm_util_warn_of_barriers(const struct trm_host *host, const char *device)
{
    char line[512];
    if (!trm_util_setting_is_on(host, "kernel.barriers"))
        return;
    snprintf(line, sizeof(line),
             "kernel.barriers does nothing on %s: only the cpu backend checks that all work-items of a group "
             "come to a barrier",
             device);
    host->log(host->context, TRM_LOG_WARNING, line);
}

/* ---- answers and types -------------------------------------------------------------------- */

/* Answer get_info(): write `size` bytes of `answer` to `value`.
 *
 * capacity  bytes at `value`; 0 with `value` NULL asks for the size alone
 * needed    where to write `size`; NULL: nowhere
 * Errors    OUT_OF_RANGE where `capacity` is too small
 */
static inline int32_t trm_util_answer(const struct trm_host *host, const void *answer, uint64_t size,
                                      void *value, uint64_t capacity, uint64_t *needed)
{
    if (needed != NULL)
        *needed = size;
    if (capacity == 0 && value == NULL)
        return TRM_OK;
    if (capacity < size)
        return trm_util_fail(host, TRM_ERROR_OUT_OF_RANGE, 0,
                             "The answer has %llu bytes, there is room for %llu.", (unsigned long long)size,
                             (unsigned long long)capacity);
    memcpy(value, answer, size);
    return TRM_OK;
}

/* ---- kernels ------------------------------------------------------------------------------ */

/* Whether a parameter is a buffer or an image, which has a descriptor or an address of its own; the others
 * are scalars and structs, which are given by value. */
static inline bool trm_util_has_descriptor(const struct trm_parameter *parameter)
{
    return parameter->kind == TRM_PARAMETER_BUFFER ||
           (parameter->kind >= TRM_PARAMETER_IMAGE && parameter->kind <= TRM_PARAMETER_TEXELS);
}

/* Whether parameter `index` continues the array of descriptors whose element the parameter before it is: in
 * the kernel's code both belong to one variable. */
static inline bool trm_util_is_next_element(const struct trm_kernel_info *info, uint32_t index)
{
    const struct trm_parameter *one = &info->parameters[index];
    return index != 0 && trm_util_has_descriptor(one) && trm_util_has_descriptor(one - 1) &&
           one->set == one[-1].set && one->place == one[-1].place;
}

/* Bytes of a scalar of `type` (enum trm_type); 0 for no such type. */
static inline uint32_t trm_util_type_size(int32_t type)
{
    switch (type) {
    case TRM_TYPE_U8:
    case TRM_TYPE_I8:
        return 1;
    case TRM_TYPE_U16:
    case TRM_TYPE_I16:
    case TRM_TYPE_F16:
        return 2;
    case TRM_TYPE_U32:
    case TRM_TYPE_I32:
    case TRM_TYPE_F32:
        return 4;
    case TRM_TYPE_U64:
    case TRM_TYPE_I64:
    case TRM_TYPE_F64:
        return 8;
    default:
        return 0;
    }
}

TRM_API_END

#endif
