#!/bin/sh
# Help and version go to standard output with status 0; a wrong command line gives a message on standard error
# and status 2; a failure to write the output gives status 1.

. "$top_srcdir/tests/tools/common.sh"

for option in --help -h help; do
    run 0 "$trireme" $option
    out_has "Usage: trireme"
    err_is_empty
done
for command in run info check kc bench; do
    run 0 "$trireme" help $command
    out_has "Usage: trireme $command"
    for option in --help -h; do
        run 0 "$trireme" $command $option
        out_has "Usage: trireme $command"
        err_is_empty
    done
done
run 0 "$trireme" --version
out_has "trireme "

run 2 "$trireme"
err_has "Usage: trireme"
out_is_empty
run 2 "$trireme" --no-such-option
err_has "no such option: --no-such-option"
out_is_empty
run 2 "$trireme" dance
err_has "no such command: dance"
run 2 "$trireme" help dance
err_has "no such command: dance"
run 2 "$trireme" info --no-such-option
err_has "--no-such-option"
err_has "trireme help info"
out_is_empty
run 2 "$trireme" info everything
err_has "only --kernels takes arguments"
run 2 "$trireme" info --mdoc
run 2 "$trireme" bench no-such-suite
err_has "no such suite: no-such-suite"
run 2 "$trireme" bench auto --case no-such-case
err_has "no such case: no-such-case"
for count in 0 -1 x 1x 1001; do
    run 2 "$trireme" bench --repeat $count
    err_has "--repeat takes"
done

if test -w /dev/full; then
    for arguments in --help --version info "info --json" "info --kernels" "info --settings" "bench --list"; do
        # shellcheck disable=SC2086 # words
        timeout --kill-after=10 300 "$trireme" $arguments >/dev/full 2>"$work/err"
        status=$?
        test "$status" -eq 1 || failed "status $status instead of 1 with a full disk: $arguments"
        err_has "could not be written"
    done
fi

finish
