#!/bin/sh
# The driver of fuzz targets: it ends when its runs are done, a seed gives the same inputs again, a fault ends it and leaves
# the input, and so does an input that never ends.

set -eu
planted=$(cd "${top_builddir-.}" && pwd)/tests/fuzz/planted_fuzzer
runner=$(cd "${top_srcdir-.}" && pwd)/tests/fuzz/run-fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir corpus empty
printf 'cras' >corpus/one
printf 'word="h!"\nother="\\x63rash!"\n' >words.dict

complain()
{
    echo "$1"
    cat log
    exit 1
}

# Without the words the fault is out of reach of a few runs.
"$planted" -runs=50 -seed=1 empty >log 2>&1 || complain "harmless inputs failed"
grep -q '^Done 50 runs .* seed 1$' log || complain "the driver does not say what it did"
test ! -e current || complain "the input of a good run was left"

"$planted" -seed=1 -dict=words.dict corpus >log 2>&1 && complain "the fault was not found"
grep -q 'the planted fault was found' log || complain "the fault is not told"
mv current first
"$planted" -seed=1 -dict=words.dict corpus >log 2>&1 && complain "the fault was not found again"
cmp first current || complain "the same seed gave another input"

"$planted" first >log 2>&1 && complain "the input that was left does not fail"
"$planted" corpus/one >log 2>&1 || complain "a harmless input failed"

printf 'hang!' >hang
"$planted" -timeout=1 hang >log 2>&1 && complain "an input that never ends passed"
grep -q 'longer than -timeout' log || complain "the time-out is not told"

"$planted" -frobnicate=1 >log 2>&1 && complain "an unknown option was taken"

# As `make fuzz` runs it.
mkdir -p source/tests/fuzz/corpus/planted
cp words.dict source/tests/fuzz/corpus/planted.dict
printf 'cras' >source/tests/fuzz/corpus/planted/one
top_srcdir=$work/source sh "$runner" "$planted" -seed=1 >log 2>&1 && complain "run-fuzz passed a fault"
again=$(sed -n 's/.*again: //p' log)
test -n "$again" || complain "run-fuzz does not say how to run the input again"
$again >log 2>&1 && complain "the input that run-fuzz names does not fail"
exit 0
