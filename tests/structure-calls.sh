#!/bin/sh
# Rooms call downwards only: no object file of the four layers uses a function or variable that a room further down in the table
# of doc/architecture.md defines. (tests/structure.sh checks includes; a function that a public header declares can be called without
# one.) Outside the compiler such a function has the prefix of its layer.

objects=$(cd "$top_builddir" && find base compiler core pipeline -path '*/.libs/libtrireme_internal_la-*.o' | sort)
test -n "$objects" || {
    echo "no object files: the library is not built"
    exit 77
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

awk -F'`' '/^## / { within = ($0 == "## Rooms") } within && /^\| `/ { print $2 }' \
    "$top_srcdir/doc/architecture.md" >"$work/rooms"

# Objects of sources that are gone are left out.
kept=
for object in $objects; do
    source=${object%/.libs/*}/${object##*/libtrireme_internal_la-}
    test ! -f "$top_srcdir/${source%.o}.c" || kept="$kept $object"
done

# "ROOM FILE T symbol" for what is defined, "ROOM FILE U symbol" for what is used. One nm reads all, since starting it takes longer
# than reading an object. Unquoted: a command, and a list of paths without blanks.
(cd "$top_builddir" && ${NM:-nm} -A $kept) |
    awk '{
        object = substr($1, 1, index($1, ":") - 1)
        room = file = object
        sub(/\/\.libs\/.*/, "", room)
        sub(/.*\/libtrireme_internal_la-/, "", file)
        sub(/o$/, "c", file)
        if (NF == 3 && $2 ~ /[TDBR]/)
            print room, room "/" file, "T", $3
        else if (NF == 2 && $1 ~ /:U$/ || NF == 3 && $2 == "U")
            print room, room "/" file, "U", $NF
    }' >"$work/symbols"

awk -v rooms="$work/rooms" '
    BEGIN {
        while ((getline room < rooms) > 0)
            order[room] = ++count
    }
    $3 == "T" {
        home[$4] = $1
        layer = $1
        sub(/\/.*/, "", layer)
        if (layer != "compiler" && $4 !~ "^(" layer "|trm)_") {
            print $2 ": " $4 " does not begin with " layer "_, the prefix of its layer"
            bad++
        }
    }
    $3 == "U" { used[++uses] = $0 }
    END {
        for (i = 1; i <= uses; i++) {
            split(used[i], field, " ")
            if (!(field[4] in home))
                continue
            calls++
            if (order[home[field[4]]] > order[field[1]]) {
                print field[2] ": " field[1] " uses " field[4] " of " home[field[4]] ", which stands above it"
                bad++
            }
        }
        print calls + 0 " uses of other files"
        exit bad > 0 || calls == 0
    }' "$work/symbols"
