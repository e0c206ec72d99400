#!/bin/sh
# The core keeps the contract of <trireme/backend.h> while the conformance suite runs: the proxy between the
# core and a backend checks it. (Other tests check that the cases pass; this one only needs them to run.)

# This takes a minute, so a quick run of the suite does it once.
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
    timeout --kill-after=10 "${TEST_LIMIT:-10m}" "$conformance" --no-fork >"$work/output" 2>&1
tail -n 1 "$work/output"
grep '^[1-9][0-9]* cases on ' "$work/output" >/dev/null || { cat "$work/output"; exit 1; }

if test -s "$work/breaches"; then
    echo "The core broke the contract:"
    sort "$work/breaches" | uniq -c
    exit 1
fi
