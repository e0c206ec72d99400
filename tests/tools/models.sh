#!/bin/sh
# `trireme info --models` shows what stream pools have kept, and --forget-models removes it.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu TRIREME_KERNEL_CACHE="$work/cache"

run 0 "$trireme" info --models
out_has "no models"
run 0 "$trireme" info --models --json
json version:string models:array failure:null

run 0 "$top_builddir/tests/tools/learn"
run 0 "$trireme" info --models
out_has "cpu: "
out_has "fill"
out_lacks "$(printf '\033')"
err_is_empty
run 0 "$trireme" info --models --json
json version:string 'models[].backend:string=cpu' 'models[].device:string' 'models[].driver:string' \
    'models[].kernel:string=fill' 'models[].digest:string' 'models[].workload:string=auto' 'models[].groups:number' \
    'models[].mean_ns:number' 'models[].spread_ns:number' 'models[].samples:number' 'models[].learned:number' failure:null

# A second process begins with what the first one has kept, and adds to it.
run 0 "$top_builddir/tests/tools/learn"
run 0 "$trireme" info --models --json
test "$(grep -c '"kernel"' "$work/out")" -eq 1 || failed "the second process has added a model instead of samples"

# A file that others may read is not trusted.
chmod 644 "$work"/cache/*.models
run 0 "$trireme" info --models
out_has "no models"
test -z "$(find "$work/cache" -name '*.models')" || failed "the file that others may read is still there"

run 0 env TRIREME_STREAM_MODELS=no "$top_builddir/tests/tools/learn"
run 0 "$trireme" info --models
out_has "no models"

run 0 "$top_builddir/tests/tools/learn"
run 0 "$trireme" info --forget-models
out_has "Removed the models of 1 device."
run 0 "$trireme" info --models
out_has "no models"

run 2 "$trireme" info --models --kernels
err_has "cannot be combined"
run 2 "$trireme" info --forget-models --json
err_has "JSON"
run 1 env TRIREME_CPU_WORKERS=many "$trireme" info --models --json
json version:string models:array failure:string

finish
