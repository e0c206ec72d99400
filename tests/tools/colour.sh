#!/bin/sh
# Output is coloured only on a terminal, and not when NO_COLOR is set.

. "$top_srcdir/tests/tools/common.sh"

escape=$(printf '\033')
script -qec true /dev/null </dev/null >/dev/null 2>&1 || { echo "no script(1) to give a program a terminal"; exit 77; }

export TERM=xterm
unset NO_COLOR
run 0 script -qec "$trireme info --settings" /dev/null
out_has "$escape"
run 0 env NO_COLOR=1 script -qec "$trireme info --settings" /dev/null
out_lacks "$escape"
run 0 env NO_COLOR='' script -qec "$trireme info --settings" /dev/null
out_has "$escape"
run 0 env TERM=dumb script -qec "$trireme info --settings" /dev/null
out_lacks "$escape"
run 0 "$trireme" info --settings
out_lacks "$escape"

finish
