#!/bin/sh
# Runs all examples on the cuda backend: each exits with 0. An example that exits with 77 is skipped: the
# device cannot run it, or something that it needs is not installed.

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
    case $status in
    0) ;;
    77) echo "SKIP $name: $(tail -n 1 "$out")" ;;
    *)
        echo "FAILED: $name ended with $status"
        cat "$out"
        failures=$((failures + 1))
        ;;
    esac
done
test "$failures" -eq 0
