# Sourced by the tests of the program. Each check is one call; `finish` ends the script.

trireme=$top_builddir/tools/trireme
json_check=$top_builddir/tests/tools/json_check
failures=0
run_limit=120
test "${INSTRUMENTED:-no}" = no || run_limit=240

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# run STATUS COMMAND…: runs the command, which must exit with STATUS. Its output is in $work/out and
# $work/err. A command that hangs is killed and ends the script, whose last lines then say where it was.
run()
{
    expected=$1
    shift
    {
        status=$({
            {
                sh -c 'echo "$$" >&3; exec "$@" 3>&-' sh "$@" 3>&1 4>&- 5>&- >"$work/out" 2>"$work/err"
                echo "$?" >&4
            } | limit "$*" >&5
        } 4>&1)
    } 5>&1 || exit 1
    if test "$status" -ne "$expected"; then
        failed "status $status instead of $expected: $*"
        cat "$work/err"
    fi
}

# limit WHAT: reads the number of a process, and waits for the end of the input, which comes with that of the
# process. After RUN_LIMIT seconds it says where the process hangs, and kills it. Instrumented programs take
# longer, beside other builds above all.
limit()
{
    read -r process
    if ! timeout "${RUN_LIMIT:-$run_limit}" cat; then
        echo "FAILED: hangs: $1"
        threads_of "$process" | sed 's/^ */FAILED: /'
        cat "$work/err"
        kill -KILL "$process"
        return 1
    fi
}

# threads_of PROCESS: where its threads are, equal ones on one line with their number: the functions from the
# innermost one where gdb tells, else what the system says.
threads_of()
{
    threads=$(timeout --kill-after=10 60 gdb -nx -batch -p "$1" -ex "thread apply all backtrace 24" 2>/dev/null | awk '
        function end() { if (thread != "") print thread }
        /^Thread / { end(); thread = $0; gsub(/^[^"]*"|".*/, "", thread); thread = thread ":"; between = " "; next }
        /^#/ {
            sub(/^#[0-9]+ +(0x[0-9a-f]+ in )?/, "")
            if ($1 ~ /futex|lll_lock|^_*pthread_|^(start_thread|_*clone3?|syscall|\?\?)$/) next
            thread = thread between $1
            between = " < "
        }
        END { end() }')
    test -n "$threads" || threads=$(cd /proc/"$1"/task 2>/dev/null && for task in *; do
        echo "$(cat "$task/comm"): $(sed -n 's/^State:.//p' "$task/status"), $(cat "$task/wchan"), system call $(cat "$task/syscall")"
    done)
    echo "$threads" | sort | uniq -c
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
