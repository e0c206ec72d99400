# Sourced by the tests of the program. Each check is one call; `finish` ends the script.

# Libtool's wrapper script, tools/trireme, starts five programs before ours.
trireme=$top_builddir/tools/.libs/trireme
if test -x "$trireme"; then
    LD_LIBRARY_PATH=$top_builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
else
    trireme=$top_builddir/tools/trireme
fi
json_check=$top_builddir/tests/tools/json_check
limited=$top_builddir/tests/tools/limited
failures=0
run_limit=120
test "${INSTRUMENTED:-no}" = no || run_limit=240

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# run STATUS COMMAND…: runs the command, which must exit with STATUS. Its output is in $work/out and $work/err. After RUN_LIMIT
# seconds a command hangs: it is killed and ends the script, whose last lines then say where it was. Instrumented programs take longer,
# beside other builds above all.
run()
{
    expected=$1
    shift
    status=0
    "$limited" "${RUN_LIMIT:-$run_limit}" "$work/hang" "$top_srcdir/tests/tools/threads.sh" "$@" >"$work/out" 2>"$work/err" || status=$?
    if test -e "$work/hang"; then
        echo "FAILED: hangs: $*"
        cat "$work/hang" "$work/err"
        exit 1
    fi
    if test "$status" -ne "$expected"; then
        failed "status $status instead of $expected: $*"
        cat "$work/err"
    fi
}

failed()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Check that the output has, or does not have, a line with this text.
out_has()
{
    grep -qF -- "$1" "$work/out" || failed "not on standard output: $1"
}

out_lacks()
{
    ! grep -qF -- "$1" "$work/out" || failed "on standard output: $1"
}

err_has()
{
    grep -qF -- "$1" "$work/err" || failed "not on standard error: $1"
}

out_is_empty()
{
    ! test -s "$work/out" || failed "something on standard output"
}

err_is_empty()
{
    ! test -s "$work/err" || { failed "something on standard error"; cat "$work/err"; }
}

# json [--lines] PATH:TYPE…: checks that the output is JSON with these members.
json()
{
    "$json_check" "$@" <"$work/out" || failed "JSON with $*"
}

finish()
{
    test "$failures" -eq 0
    exit
}
