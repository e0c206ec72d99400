#!/bin/sh
# Its name is not trial.sh: make would make "trial" of that.
#
# tests/differential/trial sorts modules into taken, refused, not valid, without a compute entry, and with ray tracing; it
# reports texts that do not compile, valid modules that are called invalid, and steps that do not end.

modules=$top_srcdir/tests/differential/trial-modules
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

TRIAL_BUILD=$top_builddir
export TRIAL_BUILD
mkdir -p "$work/wild/one" "$work/wild/other/deep" "$work/tools" || exit 1
cp "$modules/taken.spv" "$modules/refused.spv" "$work/wild/one/"
cp "$modules/invalid.spv" "$modules/vertex.spv" "$modules/rays.spv" "$work/wild/other/deep/"
PATH=$work/tools:$PATH

# tool NAME: a stand-in in front of PATH; its text is the standard input
tool()
{
    { echo '#!/bin/sh' && cat; } >"$work/tools/$1"
    chmod +x "$work/tools/$1"
}

# try STATUS ARGUMENTS…: the output is in $work/output
try()
{
    expected=$1
    shift
    status=0
    "$top_srcdir/tests/differential/trial" "$@" >"$work/output" 2>&1 || status=$?
    test $status = "$expected" || {
        echo "trial $* ended with $status instead of $expected:"
        cat "$work/output"
        failed=1
    }
}

# prints PATTERN: a line of the output is like this, with any blanks
prints()
{
    tr -s ' ' <"$work/output" | grep -q -e "$1" || {
        echo "no line of the output has: $1"
        cat "$work/output"
        failed=1
    }
}

# spirv-val refuses: the module is not valid, and nothing failed.
tool spirv-val <<END
exit 1
END
try 0 --cuda 0 --json "$work/json" "$work/wild"
prints '^one 2 1 50.0 % 50.0 % 1 1/1 0/0 [01]/[01] 0 0$'
prints '^other 0 0 - - 0 0/0 0/0 0/0 0 1$'
prints '^all 2 1 '
prints 'Left out: 1 without a compute entry, 1 not valid, 0 not compiled'
prints '^ 1 (1) .*ShaderClockKHR\|^ 1 (1) .*capability'
prints 'one/refused.spv$'
"$top_builddir/tests/tools/json_check" <"$work/json" >/dev/null || {
    echo "the JSON is none"
    failed=1
}

# Members of records get data of their types.
try 0 --cuda 0 "$modules/records.spv"
prints '^records.spv 1 1 100.0 % 100.0 % 0 1/1 0/0 [01]/[01] 0 0$'

# Uniform blocks of an array are uniform buffers, and images have texels.
if command -v glslc >/dev/null 2>&1; then
    for name in arrays_uniform images_blur; do
        try 0 --cuda 0 "$top_srcdir/tests/differential/shaders/$name.comp"
        prints "^$name.comp 1 1 100.0 % .* 0 1/1 0/0 [01]/[01] 0 0\$"
        ! grep 'the trial has no data' "$work/output" || failed=1
    done
fi

# So do those of a record whose text is long: it reaches outside with a tiny float or a huge integer.
members=$(i=0; while test $i -lt 32; do printf 'uint u%d; float f%d; ' $i $i && i=$((i + 1)); done)
cat >"$work/members.comp" <<END
#version 450
layout(local_size_x = 64) in;
struct Wide { $members };
layout(std430, binding = 0) buffer Records { Wide records[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    bool is_wrong = records[i].u0 > 100 || records[i].u31 > 100 || (records[i].f29 < 1e-30 && records[i].f29 > 0);
    records[is_wrong ? 0x7fffff : i].f30 = records[i].f0;
}
END
if command -v glslc >/dev/null 2>&1; then
    try 0 --cuda 0 "$work/members.comp"
    prints '^members.comp 1 1 100.0 % 100.0 % 0 1/1 0/0 [01]/[01] 0 0$'
    ! grep unjudged "$work/output" || failed=1
fi

# A group of one work-item by the default of a constant gets more: else this loop has no end.
cat >"$work/steps.comp" <<END
#version 450
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) buffer Counts { uint counts[]; };
void main()
{
    uint at = gl_WorkGroupID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x + gl_GlobalInvocationID.x;
    counts[at] = 0;
    for (uint i = 0; i < 1000; i += gl_WorkGroupSize.x / 2)
        counts[at] += 1;
}
END
if command -v glslc >/dev/null 2>&1; then
    try 0 --cuda 0 --limit 30 "$work/steps.comp"
    prints '^steps.comp 1 1 100.0 % 100.0 % 0 1/1 0/0 [01]/[01] 0 0$'
fi

# A module that reaches memory through addresses is taken and compiled, and not run.
try 0 --cuda 0 "$top_srcdir/tests/differential/shaders/address_elements.spv"
prints 'taken and compiled; the trial has no addresses to give'

# spirv-val accepts: the same module is a failure.
tool spirv-val <<END
exit 0
END
try 1 --cuda 0 --run 0 "$work/wild/other"
prints 'deep/invalid.spv$'
prints 'called invalid, but spirv-val says valid'

# A text that does not compile, and a compiler that does not end.
tool refusing-cc <<END
echo 'text.c:7:1: error: no such thing' >&2
exit 1
END
CC=refusing-cc try 1 --cuda 0 --run 0 "$work/wild/one/taken.spv"
prints 'the C does not compile: text.c:7:1: error: no such thing'
tool endless-cc <<END
while :; do :; done
END
CC=endless-cc try 1 --cuda 0 --run 0 --limit 1 "$work/wild/one/taken.spv"
prints 'the C does not compile: timed out'

# What a result hangs on: the order of the work-items changes that of a race, and no other. Without a Vulkan device there is
# none.
"$top_srcdir/tests/differential/explain" "$modules/taken.spv" "$modules/race.spv" >"$work/output" 2>&1

# explained CHANGE: what is said of it, for taken.spv and race.spv
explained()
{
    sed -n "s/^ *$1 *//p" "$work/output"
}

case $(explained unchanged) in
equal*)
    if test "$(explained unchanged | head -n 1)" != "$(explained reversed | head -n 1)" ||
        test "$(explained unchanged | tail -n 1)" = "$(explained reversed | tail -n 1)" ||
        test "$(explained zeros | uniq)" != "not there"; then
        echo "explain:"
        cat "$work/output"
        failed=1
    fi
    ;;
unjudged*) ;;
*)
    cat "$work/output"
    failed=1
    ;;
esac

try 2 "$work/nothing"
try 2 --unknown
exit $failed
