#!/bin/sh
# tests/structure.sh sees what it is there for: each fault that is planted in a copy of the tree fails it.

root=${top_srcdir:-.}
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
tree=$work/tree
failed=0

fresh()
{
    rm -rf "$tree"
    mkdir "$tree"
    (cd "$root" && find README.md CONTRIBUTING.md base compiler core pipeline backends include shaders kernels tests examples tools doc demo m4 \
        \( -name .libs -o -name .deps -o -name '*.o' -o -name '*.lo' -o -name '*.log' \) -prune -o -type f -size -400k -print) |
        (cd "$root" && tar -cf - -T -) | tar -xf - -C "$tree"
    chmod -R u+w "$tree"
}

# planted WHAT SENTENCE: the check fails, and says so.
planted()
{
    if sh "$root/tests/structure.sh" "$tree" >"$work/out" 2>&1; then
        echo "not seen: $1"
        failed=1
    elif ! grep -qF "$2" "$work/out"; then
        echo "seen, but not said: $1"
        cat "$work/out"
        failed=1
    fi
}

fresh
sh "$root/tests/structure.sh" "$tree" >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
}

cp "$tree/base/error.c" "$work/error.c"
echo '#include "core/object/object.h"' >>"$tree/base/error.c"
planted "an upward include" "the room base may not include core/object"
cp "$work/error.c" "$tree/base/error.c"

cp "$tree/core/graph/graph.c" "$work/graph.c"
echo '#include "core/stream/gates.h"' >>"$tree/core/graph/graph.c"
planted "a header that its room does not show" "core/stream shows core/stream/stream.h to other rooms, not core/stream/gates.h"
cp "$work/graph.c" "$tree/core/graph/graph.c"

mkdir "$tree/core/attic"
echo >"$tree/core/attic/attic.c"
planted "a file in no room" "core/attic/attic.c: the folder core/attic is no room"
rm -r "$tree/core/attic"

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
    echo >"$tree/core/graph/one_more_$i.c"
done
planted "a crowded room" "files, 40 at most"
rm "$tree"/core/graph/one_more_*.c

for file in core/graph/graph.c backends/cpu/backend.c tests/conformance/graph.c include/trireme/graph.h tools/main.c; do
    cp "$tree/$file" "$work/short"
    i=0
    while test $i -lt 600; do
        echo '/* one more line */'
        i=$((i + 1))
    done >>"$tree/$file"
    planted "a long file" "$file has "
    cp "$work/short" "$tree/$file"
done

for file in core/graph/graph.c include/trireme/graph.h; do
    cp "$tree/$file" "$work/short"
    printf '/* %0105d\n */\n' 0 >>"$tree/$file"
    sh "$root/tests/structure.sh" "$tree" >"$work/out" 2>&1 || exit 1
    printf '/* %0108d\n */\n' 0 >>"$tree/$file"
    planted "a wide comment" "the comment has 111 columns"
    cp "$work/short" "$tree/$file"
done

cp "$tree/README.md" "$work/README.md"
printf '\nSee `core/graph/nothing.c`.\n' >>"$tree/README.md"
planted "a path that does not exist" "core/graph/nothing.c does not exist"
cp "$work/README.md" "$tree/README.md"

mv "$tree/backends/cuda/stream/device_loss.c" "$tree/backends/cuda/stream/loss.c"
planted "a role whose file has another name in a backend" "a role's file is device_loss.c, but backends that have one: 1"
mv "$tree/backends/cuda/stream/loss.c" "$tree/backends/cuda/stream/device_loss.c"

mkdir -p "$tree/backends/cpu"
file=$(find "$tree/backends/cpu" -name backend.c | head -n 1)
cp "$file" "$work/backend.c"
echo '#include <trireme/pipeline.h>' >>"$file"
planted "a backend that includes what is not for plugins" "a backend includes <trireme/backend.h>"
cp "$work/backend.c" "$file"

cp "$tree/tools/main.c" "$work/main.c"
echo '#include "base/base.h"' >>"$tree/tools/main.c"
planted "a program that includes the inside of the library" "the room tools may not include base"
echo '#include <core/object/object.h>' >"$tree/tools/main.c"
planted "the same in angle brackets" "the room tools may not include core/object"
cp "$work/main.c" "$tree/tools/main.c"

cp "$tree/doc/architecture.md" "$work/architecture.md"
sed 's/^| `tools` | \(.*\) |$/| `tools` | \1, `base` |/' "$work/architecture.md" >"$tree/doc/architecture.md"
planted "a table that lets a program include it" "tools may include public headers and rooms of its own part, not base"
cp "$work/architecture.md" "$tree/doc/architecture.md"

cp "$tree/tools/output/table.h" "$work/table.h"
echo '#include "tools/command/command.h"' >>"$tree/tools/output/table.h"
planted "a circle of the program's rooms" "the room tools/output may not include tools/command"
cp "$work/table.h" "$tree/tools/output/table.h"

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
    echo >"$tree/tools/run/media/one_more_$i.c"
done
planted "a crowded room of the program" "tools/run/media holds"
rm "$tree"/tools/run/media/one_more_*.c

sh "$root/tests/structure.sh" "$tree" >"$work/out" 2>&1 || {
    echo "not put back:"
    cat "$work/out"
    failed=1
}

exit $failed
