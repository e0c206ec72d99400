#!/bin/sh
# What the other tests check with: the JSON checker accepts JSON and refuses other text, and a command that
# hangs ends its script.

. "$top_srcdir/tests/tools/common.sh"

accepts()
{
    printf '%s\n' "$1" >"$work/text"
    shift
    "$json_check" "$@" <"$work/text" 2>/dev/null || failed "refused: $(cat "$work/text") $*"
}

refuses()
{
    printf '%s\n' "$1" >"$work/text"
    shift
    ! "$json_check" "$@" <"$work/text" 2>/dev/null || failed "accepted: $(cat "$work/text") $*"
}

accepts '{"a": [{"b": 1}, {"b": -2.5e+3}], "c": "x\u00e4\n", "d": null}' 'a[].b:number' c:string d:null a:array
accepts '[]'
accepts '{"a": {"b": true}}' a:object a.b:bool
accepts '{"a": "x"}' a:string=x

refuses ''
refuses '{"a": 01}'
refuses '{"a": 1,}'
refuses "{'a': 1}"
refuses '{"a": nil}'
refuses '{"a" 1}'
refuses '{"a": .5}'
refuses '{"a": "b}'
refuses '{"a": "\x"}'
refuses '[1, 2'
refuses '{} {}'
refuses "$(printf '"a\tb"')"
refuses '{"a": 1}' b:number
refuses '{"a": 1}' a:string
refuses '{"a": "y"}' a:string=x
refuses '{"a": []}' 'a[].b:number'
refuses '{"a": [{"b": 1}, {"c": 1}]}' 'a[].b:number'

printf '{"a": 1}\n{"a": 2}\n' >"$work/out"
json --lines a:number
printf '{"a": 1}\n{"b": 2}\n' >"$work/out"
! "$json_check" --lines a:number <"$work/out" 2>/dev/null || failed "a line without the member was accepted"

# ---- run

run 3 sh -c 'cat; echo here >&2; exit 3' <<END
there
END
out_has there
err_has here
(
    RUN_LIMIT=0.1
    run 0 sleep 1000
    echo "it goes on"
) >"$work/told" 2>&1 && failed "the script goes on behind a command that hangs"
grep -qx "FAILED: hangs: sleep 1000" "$work/told" || failed "not named: what hangs"
grep -Eq "^FAILED: 1 (sh|sleep): " "$work/told" || failed "not told: where it hangs"
! grep -q "goes on" "$work/told" || failed "the script goes on"

finish
