#!/bin/sh
# All examples on the cuda backend: each ends well. Only the one whose kernel is a C function may say that the device cannot, and the
# one for two interfaces that there is but one.

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
