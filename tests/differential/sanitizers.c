/* Suppressions for leaks and races inside drivers. The sanitizers call these functions by name.
 * SPDX-License-Identifier: MIT
 */
#define FOR_SANITIZER __attribute__((visibility("default"), used))

FOR_SANITIZER const char *__asan_default_options(void);
FOR_SANITIZER const char *__tsan_default_suppressions(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

const char *__tsan_default_suppressions(void)
{
    return "race:libvulkan\n"
           "race:libLLVM\n"
           "race:libVkLayer\n"
           "mutex:libvulkan\n"
           "deadlock:libvulkan\n";
}
