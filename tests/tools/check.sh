#!/bin/sh
# `trireme check` examines the installation: each thing that is wrong is a line with the reason and the remedy, and
# decides the exit status.

. "$top_srcdir/tests/tools/common.sh"
. "$top_srcdir/tests/tools/check-common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
chmod 755 "$work"
XDG_CACHE_HOME=$work/cache
XDG_CONFIG_HOME=$work/config
export XDG_CACHE_HOME XDG_CONFIG_HOME
unset TRIREME_STREAM_MEASURE
mkdir "$work/cache" "$work/config"

# ---- everything works

run 0 "$trireme" check --backend cpu
out_has "ok        cpu:0"
out_has "everything that is here works"
out_lacks "failed"
out_lacks "$(printf '\033')"
err_is_empty
check 0 --backend cpu --quick
for topic in opened copies pinned unified events kernel pipeline zero-copy compiler; do
    has ok cpu:0 $topic ""
done
has ok settings "" "all have their defaults"
has ok cpu "" backends/.libs/cpu.so
has ok cache "" "$work/cache/trireme"
has ok limits processors "this process may use"
grep -q '"failed": 0' "$work/out" || failed "something failed"
can_compile && has ok GLSL "" "compiled to SPIR-V"

# --backend leaves the others out; TRIREME_BACKEND says so of each.
lacks "not here" vulkan "" ""
TRIREME_BACKEND=cpu
export TRIREME_BACKEND
check 0 --quick
! test -f "$top_builddir/backends/.libs/vulkan.so" || has "not here" vulkan "" "not selected by TRIREME_BACKEND"
has ok settings "" "from the environment: TRIREME_BACKEND"

# --devices chooses: by id, pattern or backend.
TRIREME_CPU_DEVICES=2
export TRIREME_CPU_DEVICES
check 0 --quick --devices cpu:1
has ok cpu:1 copies ""
lacks ok cpu:0 copies ""
check 0 --quick --devices 'cpu:*'
has ok cpu:0 copies ""
has ok cpu:1 copies ""
check 1 --quick --devices cuda
has failed all "" "none of the 2 devices is named by --devices cuda"
unset TRIREME_CPU_DEVICES

# ---- settings

TRIREME_CPU_WORKERS=many check 1
has failed settings settings TRIREME_CPU_WORKERS
has failed settings settings "Correct the value"
lacks ok cpu:0 opened ""
echo "this is no setting" >"$work/broken.conf"
TRIREME_CONFIG=$work/broken.conf check 1
has failed settings settings "broken.conf:1"
TRIREME_CPU_WORKER=1 check 0 --quick
has warning settings log TRIREME_CPU_WORKERS
TRIREME_DEVICE=cpu:7 check 1 --quick
has failed default "" "Correct the setting device"
TRIREME_DEVICES=cpu:0,cpu:7 check 1 --quick
has failed default "" "Correct the setting devices"
TRIREME_DEVICE=cpu:0 check 0 --quick
lacks failed default "" ""
# A device that cpu.lose names fails where it is asked to.
TRIREME_CPU_LOSE=0@20,0@30 check 1
has failed settings settings "TRIREME_CPU_LOSE"
TRIREME_CPU_DEVICES=2 TRIREME_CPU_LOSE=2@20 check 0 --quick
test "$(grep -c "cpu.lose names cpu:2, which does not exist, .* has 2 devices" "$work/out")" = 1 || failed "one warning of cpu:2"
TRIREME_CPU_DEVICES=2 TRIREME_CPU_LOSE=1@1000000 check 0 --quick
out_lacks "cpu.lose names"
TRIREME_CPU_LOSE=0@1 check 1 --quick
has failed cpu:0 kernel "Unset cpu.lose (TRIREME_CPU_LOSE)"
out_lacks dmesg
mkdir "$work/config/trireme"
echo "cpu.spin = 10" >"$work/config/trireme/trireme.conf"
check 0 --quick
has ok settings "" "from trireme.conf: cpu.spin"
rm "$work/config/trireme/trireme.conf"

# ---- plugins

TRIREME_BACKEND=no-such-backend check 1
has failed no-such-backend "" "there is no file no-such-backend.so"
has failed all "" "no-such-backend"
TRIREME_BACKEND=^vulkan # with a sanitizer, no Vulkan driver is loaded
mkdir "$work/plugins"
echo "this is no plugin" >"$work/plugins/broken.so"
TRIREME_BACKEND_PATH=$work/plugins check 1 --quick --devices cpu
has failed broken "" "$work/plugins/broken.so"
has failed broken "" "Install what the sentence names"
has ok cpu:0 kernel ""
cp "$top_builddir/backends/.libs/cpu.so" "$work/plugins/open.so"
rm "$work/plugins/broken.so"
chmod 666 "$work/plugins/open.so"
TRIREME_BACKEND_PATH=$work/plugins check 1 --quick --devices cpu
has failed open "" "not trusted"
has failed open "" "chmod go-w"
TRIREME_BACKEND=cpu
export TRIREME_BACKEND

# ---- compilers and cache

TRIREME_CPU_COMPILER=none check 0 --quick
has warning cpu:0 compiler "Install a C compiler"
has ok cpu:0 kernel ""
if can_compile; then
    TRIREME_COMPILER_OUTPUT=10 check 1 --quick
    has failed GLSL "" compiler.output
fi
TRIREME_KERNEL_CACHE=none check 0 --quick
has "not here" cache "" "turns it off"
mkdir -m 777 "$work/open"
chmod 777 "$work/open"
TRIREME_KERNEL_CACHE=$work/open check 0 --quick
has warning cache "" "not used"
has warning cache "" "chmod go-w"
TRIREME_KERNEL_CACHE=/dev/null/cache check 0 --quick
has warning cache "" "/dev/null"
has warning cache "" "Until then kernels are compiled in every run"

# ---- limits

run 0 sh -c 'ulimit -n 200 && exec "$@"' sh "$trireme" check --json --quick
has warning limits "open files" "ulimit -n"
run 0 sh -c 'ulimit -l 16 && exec "$@"' sh "$trireme" check --json --quick
has warning limits "locked memory" "16 KiB"
if test "${INSTRUMENTED-no}" = no; then # a sanitizer reserves terabytes
    run 0 sh -c 'ulimit -v 16000000 && exec "$@"' sh "$trireme" check --json --quick
    has warning limits memory "15.3 GiB"
fi

# ---- the command line

run 2 "$trireme" check --no-such-option
err_has "trireme help check"
run 2 "$trireme" check --timeout never
err_has "--timeout takes seconds"
run 2 "$trireme" check --tolerance -1
err_has "--tolerance takes a number"
run 2 "$trireme" check --plugin "$work/no-such-file.so"
err_has "--plugin takes the path"
cp "$top_builddir/backends/.libs/cpu.so" "$work/a,b.so"
run 2 "$trireme" check --plugin "$work/a,b.so"
err_has "--plugin takes a path without a comma"
run 2 "$trireme" check --plugin "$top_builddir/backends/.libs/cpu.so" axpy
err_has "cannot be combined"
run 0 "$trireme" help check
out_has "--plugin PATH"

# Colours and progress are for terminals.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    export TERM=xterm
    unset NO_COLOR
    run 0 script -qec "$trireme check --quick" /dev/null
    out_has "$(printf '\033')[32mok"
    out_has "… cpu:0: "
    run 0 env NO_COLOR=1 script -qec "$trireme check --quick 2>&1 | cat" /dev/null
    out_lacks "$(printf '\033')"
    out_lacks "… cpu:0: "
fi

finish
