#!/bin/sh
# While the conformance suite runs, the core keeps its side of <trireme/backend.h>: the proxy stands between
# it and a backend and looks. (Whether the cases pass is asked elsewhere; here it counts that they ran.)

# It takes a minute: once is enough where the suite is asked to be quick.
test "${CONFORMANCE_QUICK:-0}" = 0 || exit 77

conformance=$top_builddir/tests/conformance/conformance
proxy=$top_builddir/tests/plugins/.libs/proxy.so

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

case " $BACKENDS " in
*" backends/cpu.la "*) target=$top_builddir/backends/.libs/cpu.so ;;
*) target=$top_builddir/backends/template/.libs/template.so ;;
esac

CONFORMANCE_QUICK=1 CONFORMANCE_BACKEND=$proxy PROXY_TARGET=$target PROXY_BREACHES=$work/breaches \
    "$conformance" >"$work/output" 2>&1
tail -n 1 "$work/output"
grep '^[1-9][0-9]* cases on ' "$work/output" >/dev/null || { cat "$work/output"; exit 1; }

if test -s "$work/breaches"; then
    echo "The core broke the contract:"
    sort "$work/breaches" | uniq -c
    exit 1
fi
