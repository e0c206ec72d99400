#!/bin/sh
# `trireme info --models` shows what stream pools have kept, and --forget-models removes it.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu TRIREME_KERNEL_CACHE="$work/cache"

run 0 "$trireme" info --models
out_has "no models"
run 0 "$trireme" info --models --json
json version:string models:array widths:array failure:null

run 0 "$top_builddir/tests/tools/learn"
run 0 "$trireme" info --models
out_has "cpu: "
out_has "fill"
out_has "given workload"
out_lacks "$(printf '\033')"
err_is_empty
run 0 "$trireme" info --models --json
json version:string 'models[].backend:string=cpu' 'models[].device:string' 'models[].driver:string' \
    'models[].kernel:string=fill' 'models[].digest:string' 'models[].workload:string=none' 'models[].groups:number' \
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

# How many streams run side by side is measured by the pool, where the setting allows that, and forgotten with the models.
out_lacks "side by side"
run 0 env TRIREME_STREAM_MEASURE=yes "$top_builddir/tests/tools/learn"
run 0 "$trireme" info --models
out_has "streams side by side"
out_has "measured 1 time, "
run 0 "$trireme" info --models --json
json 'widths[].backend:string=cpu' 'widths[].device:string' 'widths[].driver:string' 'widths[].side_by_side:number' \
    'widths[].measurements:number' 'widths[].undisturbed:number' 'widths[].measured:number' failure:null
# The next one would be a minute later at the earliest.
run 0 env TRIREME_STREAM_MEASURE=yes "$top_builddir/tests/tools/learn"
run 0 "$trireme" info --models
out_has "measured 1 time, "
run 0 "$trireme" info --forget-models
run 0 "$trireme" info --models
out_lacks "side by side"

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
