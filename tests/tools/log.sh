#!/bin/sh
# TRIREME_LOG with a program that does nothing for it: what the library makes, does, chooses, compiles and finds is in the lines, each
# with its time, level, thread, room and object. Without the variable nothing is printed.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
program=$top_builddir/examples/02-kernel
test -x "$program" || { echo "the examples were not built"; exit 77; }
unset TRIREME_LOG TRIREME_LOG_LEVEL TRIREME_LOG_FILE
mkdir "$work/cache" || exit 1
chmod 700 "$work/cache"
TRIREME_KERNEL_CACHE=$work/cache
TRIREME_BACKEND=cpu
export TRIREME_KERNEL_CACHE TRIREME_BACKEND

# "09:41:07.123456 debug [4711] stream: ..."
prefix='[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]\{6\} \(error\|warning\|info\|debug\) *\[[0-9][0-9]*\] [a-z_]*: '

# has LEVEL ROOM PATTERN: a line of this level and room begins with the pattern.
has()
{
    grep -q "^[^ ]* $1 *\[[0-9]*\] $2: $3" "$work/err" || failed "no line '$1 … $2: $3'"
}

has_not()
{
    if grep -q "^[^ ]* $1 *\[[0-9]*\] $2: $3" "$work/err"; then
        failed "there is a line '$1 … $2: $3'"
    fi
}

# Nothing is printed where the variable is unset, or "none".
"$program" >"$work/out" 2>&1
test "$?" -ne 77 || { cat "$work/out"; exit 77; } # no compiler of GLSL or C
run 0 "$program"
test ! -s "$work/err" || failed "printed without the variable: $(head -1 "$work/err")"
run 0 env TRIREME_LOG=none "$program"
test ! -s "$work/err" || failed "printed with none: $(head -1 "$work/err")"
rm -rf "$work/cache/"*

# The first run compiles and the second one finds the code.
for found in miss hit; do
    run 0 env TRIREME_LOG=debug "$program"
    if grep -v "^$prefix" "$work/err" >"$work/others"; then
        failed "a line without time, level, thread and room: $(head -1 "$work/others")"
    fi
    has info plugin 'cpu: probing '
    has info device 'device cpu:0: chosen for '
    has debug context 'context [0-9]*: created'
    has debug device 'device cpu:0: created'
    has debug stream 'stream [0-9]* on cpu:0: created'
    has debug memory 'buffer [0-9]* on cpu:0: created'
    has debug stream 'stream [0-9]* on cpu:0: submitted up to operation [0-9]*'
    has debug stream 'stream [0-9]* on cpu:0: waiting for operation [0-9]*'
    has debug stream 'stream [0-9]* on cpu:0: waited for operation [0-9]*: TRM_OK'
    has debug module 'device cpu:0: module "[^"]*" loaded: '
    has debug cache "$found: $work/cache/"
    has debug memory 'buffer [0-9]* on cpu:0: destroyed'
    has debug stream 'stream [0-9]* on cpu:0: destroyed'
    has debug device 'device cpu:0: destroyed'
    has debug context 'context [0-9]*: destroyed'
done

# At info there are decisions, and not what happens.
run 0 env TRIREME_LOG=info "$program"
has info device 'device cpu:0: chosen for '
has_not debug '[a-z]*' ''

finish
