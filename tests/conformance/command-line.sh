#!/bin/sh
# The command line of the conformance suite: what is wrong with it, or with the backend, is one sentence, and no case runs.
. "$top_srcdir/tests/conformance/run"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# refused TEXT OPTION…: exits with 2, with one line that has this text
refused()
{
    text=$1
    shift
    # shellcheck disable=SC2086 # a command
    ${TEST_EMULATOR-} "$conformance" "$@" >"$work/out" 2>"$work/err"
    if test $? -ne 2 || test -s "$work/out" || test "$(wc -l <"$work/err")" -ne 1 || ! grep -qF -- "$text" "$work/err"; then
        echo "FAILED: conformance $*"
        cat "$work/out" "$work/err"
        failures=1
    fi
}

refused "--part takes I/N, such as 0/4, with I below N and not 3/2" --part 3/2
refused "there is no option --bogus" --bogus
refused "a value is missing behind --filter" --filter
CONFORMANCE_BACKEND=no-such-backend
export CONFORMANCE_BACKEND
refused 'the backend "no-such-backend" (CONFORMANCE_BACKEND) cannot be used: ' --filter context

# A plugin that never comes back is named. It hangs before anything else could.
cat >"$work/hangs.c" <<'END'
#include <unistd.h>
__attribute__((constructor)) static void hang(void)
{
    for (;;)
        pause();
}
END
$PROGRAM_CC -shared -fPIC -o "$work/hangs.so" "$work/hangs.c" || { echo "FAILED: $PROGRAM_CC"; failures=1; }
CONFORMANCE_BACKEND=$work/hangs.so
CK_DEFAULT_TIMEOUT=1
export CK_DEFAULT_TIMEOUT
refused "hangs.so\" (CONFORMANCE_BACKEND) has opened no device after 1 s: it hangs" --filter context
CONFORMANCE_BACKEND=no-such-backend

# The list and the help need no backend.
# shellcheck disable=SC2086 # a command
${TEST_EMULATOR-} "$conformance" --help | grep -q -e '^  --filter TEXT,…' || { echo "FAILED: --help"; failures=1; }
# shellcheck disable=SC2086
${TEST_EMULATOR-} "$conformance" --list | grep -q context || { echo "FAILED: --list"; failures=1; }
exit $failures
