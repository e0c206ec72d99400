#!/bin/sh
# `trireme info --kernels` lists every kernel that is available by name, with its signature and its code.

. "$top_srcdir/tests/tools/common.sh"

run 0 "$trireme" info --kernels
for shader in "$top_srcdir"/shaders/*.comp; do
    name=$(basename "$shader" .comp)
    grep -q "^$name(" "$work/out" || failed "$name is not listed"
done
out_has "axpy(x: readonly f32[]"
out_has "      group "
out_lacks refused
out_lacks "$(printf '\033')"
err_is_empty

run 0 "$trireme" info --kernels --json
json version:string failure:null 'shaders[].name:string' 'shaders[].path:string' 'shaders[].failure:null' \
    'shaders[].siblings:array' 'shaders[].kernels[].name:string' 'shaders[].kernels[].parameters[].name:string' \
    'shaders[].kernels[].group_size:array' 'shaders[].constants:array'
if test -f "$top_builddir/backends/.libs/cpu.so"; then
    out_has '"axpy.so"'
fi

# The user's own kernels come first; a broken kernel is listed with the reason.
mkdir "$work/first" "$work/second"
cp "$top_builddir/shaders/fill.spv" "$work/first/axpy.spv"
cp "$top_builddir/shaders/fill.spv" "$work/first/of-my_own.spv"
cp "$top_builddir/shaders/axpy.spv" "$work/second/of-my_own.spv"
head -c 40 "$top_builddir/shaders/fill.spv" >"$work/second/broken.spv"
: >"$work/first/of-my_own.fatbin"
: >"$work/first/of-my_own.width=4.so"
: >"$work/first/of-my_own_not.so"
export TRIREME_KERNEL_PATH="$work/first:$work/second"
run 0 "$trireme" info --kernels
out_has "$work/first/axpy.spv"
out_lacks "$top_builddir/shaders/axpy.spv"
out_has "$work/first/of-my_own.spv .fatbin .width=4.so"
out_lacks "$work/second/of-my_own.spv"
out_lacks "of-my_own_not"
grep -q '^broken  refused: ' "$work/out" || failed "a broken kernel is not refused"
run 0 "$trireme" info --kernels --json
json 'shaders[].name:string' failure:null
grep -q '"failure": "' "$work/out" || failed "a broken kernel has no reason"
unset TRIREME_KERNEL_PATH

run 2 "$trireme" info --kernels --settings
run 1 env TRIREME_CPU_WORKERS=many "$trireme" info --kernels
err_has TRIREME_CPU_WORKERS

finish
