#!/bin/sh
# Where the locale has a decimal comma, every number that is read or written keeps its point: in the program, and in
# programs that call setlocale(). The locales are made here; they need not be installed.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
command -v localedef >/dev/null 2>&1 || { echo "localedef is not installed (Debian: libc-bin)"; exit 77; }
export TRIREME_BACKEND=cpu
video=$top_builddir/tests/tools/video
cd "$work" || exit 1

# A comma; and one of two bytes, U+066B.
mkdir locales
for language in de_DE ps_AF; do
    localedef -i $language -f UTF-8 "locales/$language.UTF-8" >localedef.log 2>&1
    test -d "locales/$language.UTF-8" || { echo "localedef makes no $language (Debian: locales)"; exit 77; }
done
export LOCPATH="$PWD/locales"

"$video" make 420 64 48 20 >in.y4m
run 0 "$trireme" run -k gamma:exponent=0.5 --verify=0.5 in.y4m wanted.y4m
run 0 "$trireme" info --settings --json
cp out wanted.settings

for language in de_DE ps_AF; do
    export LC_ALL=$language.UTF-8

    # Programs: reports, translations, settings.
    run 0 "$top_builddir/tests/tools/decimal_comma"
    json name:string seconds:number efficiency:number 'stages[].busy_seconds:number'
    if test -x "$top_builddir/tests/unit/pipeline/report/tests"; then
        run 0 env CK_RUN_SUITE=format "$top_builddir/tests/unit/pipeline/report/tests"
    fi

    # The program itself: options, settings, reports, the timeline.
    run 0 "$trireme" run -k gamma:exponent=0.5 --verify=0.5 --report json --timeline t.html --trace t.json in.y4m out.y4m
    json seconds:number efficiency:number 'stages[].busy_seconds:number'
    cmp wanted.y4m out.y4m || failed "an option with a fraction is read otherwise"
    cp t.json out
    json 'traceEvents[].ph:string'
    run 2 "$trireme" run -k gamma:exponent=0,5 in.y4m out.y4m
    run 2 "$trireme" run -k copy --verify=0,5 in.y4m out.y4m
    run 0 "$trireme" info --settings --json
    cmp out wanted.settings || failed "settings are written otherwise"
    run 0 "$trireme" info --json
    json version:string
done
unset LC_ALL

finish
