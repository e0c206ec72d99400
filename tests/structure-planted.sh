#!/bin/sh
# tests/structure.sh sees what it is there for: faults that are planted in a copy of the tree fail it, and it names each.
#
# Faults that the same part of the check finds are planted together, since a check of the tree takes seconds.

root=${top_srcdir:-.}
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
tree=$work/tree
failed=0

check()
{
    sh "$root/tests/structure.sh" "$tree" >"$work/out" 2>&1
}

# change FILE: keeps a copy for put_back.
change()
{
    mkdir -p "$(dirname "$work/kept/$1")"
    cp "$tree/$1" "$work/kept/$1"
}

# expect WHAT SENTENCE: the next see_all looks for the sentence.
expect()
{
    printf '%s\t%s\n' "$1" "$2" >>"$work/expected"
}

# crowd FOLDER: 40 files more in it.
crowd()
{
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
        echo >"$tree/$1/one_more_$i.c"
    done
}

# see_all: the check fails and says each sentence; then the tree is as it was.
see_all()
{
    if check; then
        echo "passed, in spite of:"
        cut -f 1 "$work/expected"
        failed=1
    fi
    while IFS='	' read -r what sentence; do
        grep -qF "$sentence" "$work/out" && continue
        echo "not said: $what"
        cat "$work/out"
        failed=1
    done <"$work/expected"
    rm -rf "$work/expected" "$tree/core/attic"
    find "$tree" -name 'one_more_*.c' -exec rm {} +
    cp -R "$work/kept/." "$tree"
    rm -rf "$work/kept"
}

mkdir "$tree"
(cd "$root" && find README.md CONTRIBUTING.md base compiler core pipeline backends include shaders kernels tests examples tools doc demo m4 \
    \( -name .libs -o -name .deps -o -name '*.o' -o -name '*.lo' -o -name '*.log' \) -prune -o -type f -size -400k -print) |
    (cd "$root" && tar -cf - -T -) | tar -xf - -C "$tree"
chmod -R u+w "$tree"

# The widest comment that is allowed.
for file in core/graph/graph.c include/trireme/graph.h; do
    printf '/* %0105d\n */\n' 0 >>"$tree/$file"
done
check || {
    cat "$work/out"
    exit 1
}

# ------------------------------------------------------------------- rooms

for file in base/error.c core/graph/graph.c tools/main.c tools/output/table.h; do
    change $file
done
echo '#include "core/object/object.h"' >>"$tree/base/error.c"
expect "an upward include" "the room base may not include core/object"
echo '#include "core/stream/gates.h"' >>"$tree/core/graph/graph.c"
expect "a header that its room does not show" "core/stream shows core/stream/stream.h to other rooms, not core/stream/gates.h"
mkdir "$tree/core/attic"
echo >"$tree/core/attic/attic.c"
expect "a file in no room" "core/attic/attic.c: the folder core/attic is no room"
crowd core/graph
expect "a crowded room" "core/graph holds"
crowd tools/run/media
expect "a crowded room of the program" "tools/run/media holds"
printf '#include "base/base.h"\n#include <core/object/object.h>\n' >>"$tree/tools/main.c"
expect "a program that includes the inside of the library" "the room tools may not include base"
expect "the same in angle brackets" "the room tools may not include core/object"
echo '#include "tools/command/command.h"' >>"$tree/tools/output/table.h"
expect "a circle of the program's rooms" "the room tools/output may not include tools/command"
see_all

change doc/architecture.md
sed 's/^| `tools` | \(.*\) |$/| `tools` | \1, `base` |/' "$tree/doc/architecture.md" >"$work/architecture.md"
cp "$work/architecture.md" "$tree/doc/architecture.md"
expect "a table that lets a program include the library" "tools may include public headers and rooms of its own part, not base"
see_all

# ------------------------------------------------------------------- lines

for file in core/graph/graph.c backends/cpu/backend.c tests/conformance/graph.c include/trireme/graph.h tools/main.c; do
    change $file
    i=0
    while test $i -lt 600; do
        echo '/* one more line */'
        i=$((i + 1))
    done >>"$tree/$file"
    expect "a long file" "$file has "
done
for file in core/stream/stream.h include/trireme/stream.h; do
    change $file
    printf '/* %0108d\n */\n' 0 >>"$tree/$file"
    expect "a wide comment" "$file:$(($(wc -l <"$tree/$file") - 1)): the comment has 111 columns"
done
see_all

# ------------------------------------------------------------------- backends

file=backends/cpu/backend.c
change $file
echo '#include <trireme/pipeline.h>' >>"$tree/$file"
expect "a backend that includes what is not for plugins" "a backend includes <trireme/backend.h>"
see_all

mv "$tree/backends/cuda/stream/device_loss.c" "$tree/backends/cuda/stream/loss.c"
mkdir -p "$work/kept"
expect "a role whose file has another name in a backend" "a role's file is device_loss.c, but backends that have one: 1"
see_all
mv "$tree/backends/cuda/stream/loss.c" "$tree/backends/cuda/stream/device_loss.c"

# ------------------------------------------------------------------- documents

change README.md
printf '\nSee `core/graph/nothing.c`.\n' >>"$tree/README.md"
expect "a path that does not exist" "core/graph/nothing.c does not exist"
see_all

# A fault that was left behind would have made the later checks fail for it.
check || {
    echo "not put back:"
    cat "$work/out"
    failed=1
}

exit $failed
