#!/bin/sh
# `trireme info` shows backends and devices, as text and as the JSON that its manual promises, and says why
# one is missing.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu
run 0 "$trireme" info
out_has "cpu:0"
out_has "accepted"
out_has "compute units"
out_lacks "$(printf '\033')"

run 0 "$trireme" info --json
json version:string 'candidates[].name:string' 'candidates[].path:string' 'candidates[].accepted:bool' \
    'candidates[].reason:string' 'candidates[].stage:string' 'candidates[].score:number' 'candidates[].version:string' \
    'devices[].id:string' 'devices[].backend:string' 'devices[].name:string' 'devices[].kind:string' \
    'devices[].memory_bytes:number' 'devices[].unified:bool' 'devices[].opened:bool' \
    'devices[].properties.max_groups:array' 'devices[].properties.units:number' failure:null
json 'devices[].backend:string=cpu' 'devices[].kind:string=cpu'
version=$("$trireme" --version)
json "version:string=${version#trireme }"

# Without a selection, the output also names the well-known backends that are not installed. All are in the
# build tree, so this test copies the library and one backend to a folder of their own. Where `make install` has
# put the others, none is missing.
unset TRIREME_BACKEND
alone=$work/alone
mkdir -p "$alone/trireme/backends"
cp "$top_builddir/.libs/libtrireme.so.0" "$alone"
cp "$top_builddir/backends/.libs/cpu.so" "$alone/trireme/backends"
run 0 env LD_LIBRARY_PATH="$alone" "$top_builddir/tools/.libs/trireme" info --json
installed=$(sed -n 's/^#define TRM_BACKENDDIR "\(.*\)"$/\1/p' "$top_builddir/installed_folders.h")
test -n "$installed" || failed "installed_folders.h names no folder of backends"
missing=yes
! test -f "$installed/vulkan.so" || ! test -f "$installed/cuda.so" || missing=no
test "$missing" = no || json 'absent[].name:string' 'absent[].reason:string'
run 0 env LD_LIBRARY_PATH="$alone" "$top_builddir/tools/.libs/trireme" info
out_has "$alone/trireme/backends/cpu.so"
test "$missing" = no || out_has "not installed"

# The other backends are available, or the output says why not.
run 0 "$trireme" info
for backend in vulkan cuda; do
    ! test -f "$top_builddir/backends/.libs/$backend.so" || out_has "backends/.libs/$backend.so"
done

# A single name is strict: if that backend is not available, the command fails and says why.
run 1 env TRIREME_BACKEND=no-such-backend "$trireme" info
err_has "no device works"
err_has "no-such-backend"
run 1 env TRIREME_BACKEND=no-such-backend "$trireme" info --json
json version:string candidates:array devices:array failure:string
run 1 env TRIREME_BACKEND=cpu:999 "$trireme" info
err_has "no device works"

# A plugin that is refused is shown with the reason, and the others go on working.
echo "this is no plugin" >"$work/broken.so"
run 0 env TRIREME_BACKEND_PATH="$work" "$trireme" info
out_has "refused"
out_lacks "stage reached"
out_has "$work/broken.so"
run 0 env TRIREME_BACKEND_PATH="$work" "$trireme" info --verbose
out_has "stage reached"
run 0 env TRIREME_BACKEND_PATH="$work" "$trireme" info --json
grep -q '"accepted": false' "$work/out" || failed "the broken plugin is no refused candidate"

# A setting of the wrong type is reported first.
run 1 env TRIREME_CPU_WORKERS=many "$trireme" info
err_has "TRIREME_CPU_WORKERS"

# After every failure --json prints the same object, with the reason.
fails_in_json()
{
    run 1 env "$1" "$trireme" info --json
    json version:string candidates:array absent:array devices:array failure:string
    out_has "$2"
    err_has "$2"
    # The settings are still described; no value is in force.
    run 1 env "$1" "$trireme" info --settings --json
    json version:string 'settings[].name:string' 'settings[].help:string' 'settings[].value:null' 'settings[].origin:null' \
        failure:string
    out_has "$2"
    err_has "$2"
    run 1 env "$1" "$trireme" info --kernels --json
    json version:string shaders:array failure:string
    out_has "$2"
    err_has "$2"
}
echo "this is no setting" >"$work/broken.conf"
run 0 "$trireme" info --settings --json
json failure:null
fails_in_json TRIREME_BACKEND='^' TRIREME_BACKEND
fails_in_json TRIREME_CPU_WORKERS=many TRIREME_CPU_WORKERS
fails_in_json TRIREME_CONFIG="$work/broken.conf" "$work/broken.conf:1"
fails_in_json TRIREME_CONFIG="$work/no.conf" "$work/no.conf"

# A broken plugin does not hide a good one with the same name.
cp "$work/broken.so" "$work/cpu.so"
run 0 env TRIREME_BACKEND_PATH="$work" "$trireme" info --json
json 'devices[].id:string'
grep -qF "$work/cpu.so" "$work/out" || failed "the broken cpu.so is not in the report"

finish
