#!/bin/sh
# The program in README.md compiles unchanged with pkg-config and a C compiler, and runs.

. "$top_srcdir/tests/packaging/staging"
need_the_cpu_backend
need_the_installation
test -n "$PKG_CONFIG" || { echo "no pkg-config"; exit 77; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

sed -n '/^```c$/,/^```$/p' "$top_srcdir/README.md" | grep -v '^```' >"$work/program.c"
test -s "$work/program.c" || fail "no C program in README.md"

# shellcheck disable=SC2046 # flags are several words
$PROGRAM_CC -Wall -Wextra -Werror -o "$work/program" "$work/program.c" $(staged_flags --cflags --libs) || fail "compiling"
LD_LIBRARY_PATH="$stage$libdir" "$work/program" >"$work/output" || fail "running"
cat "$work/output"
test -s "$work/output" || fail "the program printed nothing"

# It also runs without LD_LIBRARY_PATH, when it is linked as the text says for another prefix.
grep -qF -- '-Wl,-rpath,$(pkg-config --variable=libdir trireme)' "$top_srcdir/README.md" || fail "README.md no longer says how"
# shellcheck disable=SC2046 # flags are several words
$PROGRAM_CC -o "$work/found" "$work/program.c" $(staged_flags --cflags --libs) -Wl,-rpath,"$(staged_flags --variable=libdir)" ||
    fail "compiling with a run path"
env -u LD_LIBRARY_PATH "$work/found" >"$work/output" || fail "running by the run path"
test -s "$work/output" || fail "the program printed nothing"
