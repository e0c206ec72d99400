#!/bin/sh
# `trireme info --settings` shows the value in force and where it comes from.

. "$top_srcdir/tests/tools/common.sh"

run 0 "$trireme" info --settings
out_has "TRIREME_BACKEND"
err_is_empty

run 0 "$trireme" info --settings --json
json version:string 'settings[].name:string' 'settings[].variable:string' 'settings[].type:string' \
    'settings[].value:string' 'settings[].origin:string' 'settings[].default:string' 'settings[].help:string' \
    'settings[].secure:bool'

# setting NAME MEMBER: a member of one setting, from the indented output.
setting()
{
    awk -v name="\"$1\"," -v member="\"$2\":" '
        $1 == "\"name\":" { inside = $2 == name }
        inside && $1 == member { gsub(/[",]/, "", $2); print $2; exit }' "$work/out"
}

test "$(setting cpu.workers origin)" = default || failed "the origin of a setting that is not set"

run 0 env TRIREME_CPU_WORKERS=3 "$trireme" info --settings --json
test "$(setting cpu.workers value)" = 3 || failed "the value from the environment"
test "$(setting cpu.workers origin)" = environment || failed "the origin environment"
test "$(setting cpu.spin origin)" = default || failed "the origin of another setting"

# A variable that is misspelt does nothing; each command says so once.
for command in "info --settings --json" "info --kernels" "run --verify -k box_blur:radius=1 $work/in.pgm $work/out.pgm"; do
    printf 'P5 2 2 255\n0123' >"$work/in.pgm"
    run 0 env TRIREME_BACKENDS=cuda TRIREME_BACKEND=cpu "$trireme" $command
    test "$(grep -cF "warning: TRIREME_BACKENDS is set, but there is no such setting; did you mean TRIREME_BACKEND?" \
        "$work/err")" = 1 || failed "one warning of a misspelt variable: $command"
done

mkdir "$work/trireme"
chmod 755 "$work" "$work/trireme"
echo "cpu.workers = 2" >"$work/trireme/trireme.conf"
run 0 env XDG_CONFIG_HOME="$work" "$trireme" info --settings --json
test "$(setting cpu.workers value)" = 2 || failed "the value from the file"
test "$(setting cpu.workers origin)" = file || failed "the origin file"
run 0 env XDG_CONFIG_HOME="$work" TRIREME_CPU_WORKERS=3 "$trireme" info --settings --json
test "$(setting cpu.workers value)" = 3 || failed "the environment is stronger than the file"

finish
