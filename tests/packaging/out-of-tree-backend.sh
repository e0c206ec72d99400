#!/bin/sh
# A copy of the template backend builds outside of the tree, against the installed package, with nothing but pkg-config
# and a C compiler, and the installed program runs it by path.

. "$top_srcdir/tests/packaging/staging"
test -n "$PKG_CONFIG" || { echo "no pkg-config"; exit 77; }

umask 022
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$top_srcdir"/backends/template/*.[ch] "$work" || fail "copying the template"
chmod u+w "$work"/*

# shellcheck disable=SC2046 # flags are several words
$CC -std=gnu11 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -pthread -shared -Wl,--no-undefined \
    $(staged_flags --cflags) -o "$work/mine.so" "$work"/*.c || fail "compiling"

json=$(TRIREME_BACKEND="$work/mine.so" "$stage$bindir/trireme" info --json) || fail "trireme info --json"
echo "$json" | grep -F "$work/mine.so" >/dev/null || { echo "$json"; fail "mine.so is not a candidate"; }
echo "$json" | grep '"id": *"template:0"' >/dev/null || { echo "$json"; fail "mine.so brought no device"; }
