#!/bin/sh
# `trireme info --kernels NAME` and trireme-kernels(7): every built-in kernel has an entry, the entry names the
# arguments and constants that the kernel has, and its examples work.

. "$top_srcdir/tests/tools/common.sh"

test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
export TRIREME_BACKEND=cpu

catalogue=$top_srcdir/shaders/catalogue.awk

# The arguments, or the constants with their defaults, of the kernel whose signature is in $work/out.
reflected_arguments()
{
    sed -n '1s/^[^(]*(\(.*\))$/\1/p' "$work/out" | tr , '\n' | sed 's/:.*//; s/ //g' | grep . | tr '\n' ' '
}

reflected_constants()
{
    sed -n '2s/.*  constants //p' "$work/out" | tr , '\n' | sed 's/ //g; s/:[a-z0-9]*=/=/' | tr '\n' ' '
}

# The same as its entry has them.
described_arguments()
{
    awk '/^[A-Z][a-z]*$/ { section = $0 }
        section == "Arguments" && /^    [^ ]/ { printf "%s ", $1 }' "$work/out"
}

described_constants()
{
    awk 'function row() {
            if (name != "" && match(text, /\([0-9][0-9.]*\)/))
                printf "%s=%s ", name, substr(text, RSTART + 1, RLENGTH - 2)
            else if (name != "")
                printf "%s ", name
            name = text = ""
        }
        /^[A-Z][a-z]*$/ { row(); section = $0 }
        section == "Constants" && /^    [^ ]/ { row(); name = $1 }
        section == "Constants" { text = text " " $0 }
        END { row() }' "$work/out"
}

# agree NAME: whether the entry of a kernel in $work/out names what the kernel has. Otherwise prints both.
agree()
{
    arguments=$(reflected_arguments)
    constants=$(reflected_constants)
    test -n "$arguments" && test "$arguments" = "$(described_arguments)" &&
        test "$constants" = "$(described_constants)" && return
    echo "$1 has          $arguments; $constants"
    echo "its entry names $(described_arguments); $(described_constants)"
    return 1
}

# The lines below Example.
examples()
{
    awk '/^[A-Z][a-z]*$/ { section = $0; next } section == "Example" { print substr($0, 5) }' "$work/out"
}

# ---- what the examples need

mkdir "$work/files"
cd "$work/files" || exit 1
"$top_builddir/tests/tools/video" make 420 64 48 3 >in.y4m
tail -c 9216 in.y4m >bytes
{ printf 'P6\n64 48\n255\n'; cat bytes; } >in.ppm
for type in u8 u16 f16 f32; do
    cat bytes bytes >numbers.$type
done
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    head -c 4096 bytes
done >front.rgba
head -c 36864 front.rgba >in.yuv

# ---- each kernel

cat >program.c <<'END'
#include <trireme/trireme.h>
static struct trm_device *device;
static struct trm_stream *stream;
static struct trm_image *image;
static struct trm_kernel *kernel, *scan, *scan_exclusive, *scan_add;
static struct trm_grid grid;
static struct trm_buffer *a, *b, *c, *x, *y, *source, *target, *sums, *total, *offsets, *bins, *partial;
static struct trm_buffer *gradient, *weights, *velocity, *logits, *labels, *probabilities, *losses, *table;
static uint32_t count, rows, columns, groups, m, n, k;
END
for shader in "$top_srcdir"/shaders/*.comp; do
    name=$(basename "$shader" .comp)
    run 0 "$trireme" info --kernels "$name"
    err_is_empty
    grep -q "^$name(" "$work/out" || failed "$name has no signature"
    agree "$name" || failed "the entry of $name"
    examples >example
    test -s example || failed "$name has no example"
    grep -qw -- "$name" example || failed "the example of $name has another kernel"
    echo "void example_$name(void) {" >function.c
    while read -r line; do
        case $line in
        trireme\ *)
            rm -f "${line##* }"
            # The words of the line are the arguments.
            run 0 "$trireme" ${line#trireme } </dev/null
            test -s "${line##* }" || failed "no output: $line"
            ;;
        *)
            echo "$line" >>function.c
            ;;
        esac
    done <example
    test "$(wc -l <function.c)" -eq 1 || { cat function.c; echo "}"; } >>program.c
done
grep -q trm_launch program.c || failed "no example is C"
run 0 $CC -std=c11 -fsyntax-only -Wall -Wextra -Werror -Wno-unused -Wno-missing-prototypes -I"$top_srcdir/include" program.c
echo "void wrong(void) { trm_launch(stream, kernel, &grid); }" >>program.c
run 1 $CC -std=c11 -fsyntax-only -I"$top_srcdir/include" program.c

run 0 "$trireme" info --kernels scan_add
out_has "is the exclusive scan of the totals"

# ---- several, unknown, without an entry; as JSON

run 0 "$trireme" info --kernels gray axpy
test "$(grep -c '^Example$' "$work/out")" -eq 2 || failed "two kernels"
run 1 "$trireme" info --kernels axpi
err_has 'there is no kernel "axpi" in '
err_has '; did you mean "axpy"?'
out_is_empty
run 1 "$trireme" info --kernels axpy "$(printf 'a\033b')"
out_has "axpy(x: "
! grep -q "$(printf '\033')" "$work/err" || failed "an escape on standard error"
run 0 "$trireme" info --kernels --json axpy
json failure:null 'shaders[].name:string=axpy' 'shaders[].help:string'
run 1 "$trireme" info --kernels --json axpi axpy
json failure:string 'shaders[].name:string=axpy'
run 0 "$trireme" info --kernels --json
json 'shaders[].help:string'
run 2 "$trireme" info axpy
err_has "only --kernels takes arguments"

# A user's own kernel has an entry if there is a text beside it, which is not trusted.
mkdir "$work/mine"
for name in mine bare piped; do
    cp "$top_builddir/shaders/axpy.spv" "$work/mine/$name.spv"
done
printf 'what it \033[31mcomputes\n\nArguments\n    x               numbers\n' >"$work/mine/mine.help"
mkfifo "$work/mine/piped.help"
export TRIREME_KERNEL_PATH="$work/mine"
run 0 "$trireme" info --kernels mine
out_has 'what it ?[31mcomputes'
! agree mine >/dev/null || failed "an entry without all arguments agrees"
run 0 "$trireme" info --kernels bare piped
test "$(grep -c 'no description' "$work/out")" -eq 2 || failed "a kernel without a description"
run 0 "$trireme" info --kernels --json bare
json 'shaders[].help:null'
sed 's/^    y /    z /' "$top_builddir/shaders/axpy.help" >"$work/mine/mine.help"
run 0 "$trireme" info --kernels mine
! agree mine >/dev/null || failed "an entry with another argument agrees"
sed 's/(256)/(64)/' "$top_builddir/shaders/axpy.help" >"$work/mine/mine.help"
run 0 "$trireme" info --kernels mine
! agree mine >/dev/null || failed "an entry with another default agrees"
cp "$top_builddir/shaders/axpy.help" "$work/mine/mine.help"
run 0 "$trireme" info --kernels mine
agree mine || failed "the right entry"
head -c 40 "$top_builddir/shaders/axpy.spv" >"$work/mine/mine.spv"
run 1 "$trireme" info --kernels mine
out_has refused
unset TRIREME_KERNEL_PATH

# ---- the layout of the heads

# refused NAME LINE: checks that the catalogue refuses $work/NAME.comp at a line.
refused()
{
    run 1 awk -f "$catalogue" -v format=text "$work/$1.comp"
    err_has "$1.comp:$2"
}

sed 's/^ \* Example/ * For example/' "$top_srcdir/shaders/axpy.comp" >"$work/axpy.comp"
refused axpy 13
sed '/^ \* Example/,/^ \*  *trm_launch/d' "$top_srcdir/shaders/axpy.comp" >"$work/axpy.comp"
refused axpy ""
sed 's/^ \*     x  /&  /' "$top_srcdir/shaders/axpy.comp" >"$work/axpy.comp"
refused axpy 5
sed 's/SPDX/SPXD/' "$top_srcdir/shaders/axpy.comp" >"$work/axpy.comp"
refused axpy ""
cp "$top_srcdir/shaders/axpy.comp" "$work/other.comp"
run 1 awk -f "$catalogue" -v format=text "$work/other.comp"
err_has "other.comp: no comment begins with"
cp "$top_srcdir/shaders/axpy.comp" "$work/axpy.comp"
run 0 awk -f "$catalogue" -v format=text "$work/axpy.comp"
cmp -s "$work/out" "$top_builddir/shaders/axpy.help" || failed "axpy.help is not up to date"

# ---- the manual page

page=$top_srcdir/doc/trireme-kernels.7
run 0 sh "$top_srcdir/doc/update-kernels" "$top_srcdir" "$page"
if ! diff "$page" "$work/out" >"$work/difference"; then
    failed "trireme-kernels(7) and the heads of the shaders differ; run 'make update-man'"
    cat "$work/difference"
fi
for shader in "$top_srcdir"/shaders/*.comp; do
    grep -q "^\.Ss $(basename "$shader" .comp)\$" "$page" || failed "$shader is not in trireme-kernels(7)"
done
sed 's/^\.Ss axpy$/.Ss axpi/' "$page" >"$work/other.7"
run 0 sh "$top_srcdir/doc/update-kernels" "$top_srcdir" "$work/other.7"
cmp -s "$work/out" "$page" || failed "a wrong entry was not replaced"
grep -v 'kernels begin' "$page" >"$work/without.7"
run 1 sh "$top_srcdir/doc/update-kernels" "$top_srcdir" "$work/without.7"
err_has 'without.7 has no line that begins with'
run 2 sh "$top_srcdir/doc/update-kernels"
err_has 'usage: update-kernels SOURCE PAGE'

finish
