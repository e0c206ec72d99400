#!/bin/sh
# The list of settings in trireme(7) equals the table of the library, and mandoc finds no mistake in the
# manual pages.

. "$top_srcdir/tests/tools/common.sh"

page=$top_srcdir/doc/trireme.7
run 0 sh "$top_srcdir/doc/update-settings" "$trireme" "$page"
if ! diff "$page" "$work/out" >"$work/difference"; then
    failed "trireme(7) and the table of settings differ; run 'make update-man'"
    cat "$work/difference"
fi

# A page with another list differs; a page without the markers of the list is refused.
sed 's/^\.It Ev TRIREME_BACKEND /.It Ev TRIREME_OTHER /' "$page" >"$work/other.7"
run 0 sh "$top_srcdir/doc/update-settings" "$trireme" "$work/other.7"
cmp -s "$work/out" "$page" || failed "a wrong list was not replaced"
! cmp -s "$work/other.7" "$page" || failed "the list has no entry for TRIREME_BACKEND"
grep -v 'settings begin' "$page" >"$work/without.7"
run 1 sh "$top_srcdir/doc/update-settings" "$trireme" "$work/without.7"
err_has 'without.7 has no line that begins with'
run 2 sh "$top_srcdir/doc/update-settings"
err_has 'usage: update-settings PROGRAM PAGE'
run 2 sh "$top_srcdir/doc/update-settings" "$trireme"
err_has 'usage:'

# Every option of the program is in trireme(1).
for command in run info check kc bench; do
    for option in $("$trireme" help $command | grep -o -- ' --[a-z][a-z-]*' | sort -u); do
        grep -q -- "-${option#--}\$\|-${option#--} " "$top_srcdir/doc/trireme.1" || failed "$option is not in trireme(1)"
    done
done

if ! command -v mandoc >/dev/null 2>&1; then
    echo "mandoc is not installed: the pages are not checked (Debian: mandoc)"
    finish
fi
for page in trireme.1 trireme.3 trireme.7 trireme-kernels.7; do
    run 0 mandoc -T lint -W warning "$top_srcdir/doc/$page"
    out_is_empty
done

# The check itself notices a mistake.
sed 's/^\.Sh DESCRIPTION/.Sx/' "$top_srcdir/doc/trireme.1" >"$work/mistake.1"
! mandoc -T lint -W warning "$work/mistake.1" >/dev/null || failed "mandoc accepts a broken page"

finish
