#!/bin/sh
# All examples succeed on the cuda backend. Only the one whose kernel is a C function and the one for two
# interfaces may be skipped.

. "$top_srcdir/tests/cuda/common.sh"

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
failures=0

for program in "$top_builddir"/examples/[0-9][0-9]-*; do
    name=$(basename "$program")
    case $name in
    *.*) continue ;;
    esac
    timeout 300 "$program" >"$out" 2>&1
    status=$?
    case $status-$name in
    0-* | 77-14-c-function | 77-18-two-interfaces) ;;
    *)
        echo "FAILED: $name ended with $status"
        cat "$out"
        failures=$((failures + 1))
        ;;
    esac
done
test "$failures" -eq 0
