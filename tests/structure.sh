#!/bin/sh
# The source tree keeps to its plan: the table of rooms in doc/architecture.md, which people read too.
#
#   tests/structure.sh [ROOT]        from the source root without arguments
#
# Fails on an include that the table does not allow, on a room that includes one below it in the table (an upward arrow), on
# an arrow between the library, a backend and the program, on a source file in no room, on a room of more than 40 files, on
# more than 12 floors, on a file of more than 600 lines, on a comment of more than 110 columns, which clang-format leaves, on
# a file of the table of roles that fewer than two backends have, and on a path in the documents that does not exist.

root=${1:-${top_srcdir:-.}}
cd "$root" || exit 1
plan=doc/architecture.md
places="base compiler core pipeline backends tools"
most_files=40
most_floors=12
most_lines=600
most_columns=110

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# ------------------------------------------------------------------- rooms
#
# A row is "| `room` | what it holds | `header` | rooms it may include |"; the header is in the room; "–" stands for none. Rows stand
# from the bottom up.

awk -F'|' '
    /^## / { within = ($0 == "## Rooms") }
    within && $2 ~ /^ *`[a-z_\/]+` *$/ {
        for (i = 2; i <= 5; i++)
            gsub(/[` ,]+/, " ", $i)
        print $2 "|" $4 "|" $5
    }' "$plan" | sed 's/  */ /g; s/ *| */|/g; s/^ //; s/ $//; s/–//g' >"$work/rooms"
test -s "$work/rooms" || {
    echo "$plan has no table of rooms under \"## Rooms\""
    exit 1
}

# Sources, without what the build makes: those have a makefile rule or stand in folders of libtool's.
for place in $places; do
    find "$place" -name .libs -prune -o -name .deps -prune -o \( -name '*.[ch]' ! -name prelude_parts.c \) -print
done | sort >"$work/files"

# Sources, headers, kernels and tests by their lines, without the copies in which the tests keep an older ABI.
{
    cat "$work/files"
    test -d tests && find tests include $(ls -d kernels examples 2>/dev/null) -name .libs -prune -o -name .deps -prune -o -path tests/plugins/abi-1.0/trireme -prune -o \
        -path tests/packaging/stage -prune -o \
        \( -name '*.[ch]' -o -name '*.cu' \) -print
} >"$work/sources"
tr '\n' '\0' <"$work/sources" | xargs -0 wc -l |
    awk -v most=$most_lines '$2 != "total" && $1 > most { print $2 " has " $1 " lines, " most " at most" }' >"$work/long"

# Of a character of several bytes the first one counts.
tr '\n' '\0' <"$work/sources" | LC_ALL=C xargs -0 awk -v most=$most_columns '
    /^ *(\/\*| \*)/ {
        gsub(/[\200-\277]/, "")
        if (length($0) > most)
            print FILENAME ":" FNR ": the comment has " length($0) " columns, " most " at most"
    }' >>"$work/long"

# Each include of a file of our own: file, line, path as it is written.
xargs grep -nE '^#[[:space:]]*include ["<]' <"$work/files" /dev/null |
    sed -nE 's/^([^:]+):([0-9]+):.*include ["<]([^">]+)[">].*/\1 \2 \3/p' >"$work/includes"

awk -v rooms="$work/rooms" -v files="$work/files" -v most_files=$most_files -v most_floors=$most_floors -v plan="$plan" '
    function folder(path) {
        sub(/\/[^\/]*$/, "", path)
        return path
    }
    # The library, each backend and the program know each other by public headers alone.
    function part(room) {
        if (room ~ /^backends\//)
            return substr(room, 1, index(substr(room "/", 10), "/") + 8)
        return room ~ /^tools(\/|$)/ ? "tools" : "library"
    }
    function complain(text) {
        print text
        bad++
    }
    BEGIN {
        while ((getline line < rooms) > 0) {
            split(line, field, "|")
            room = field[1]
            if (room in order)
                complain(plan ": the room " room " stands in the table twice")
            order[room] = ++count
            name[count] = room
            shown[room] = field[2] == "" ? "" : room "/" field[2]
            allowed[room] = " " field[3] " "
            number = split(field[3], below, " ")
            floor[room] = 1
            for (i = 1; i <= number; i++) {
                if (!(below[i] in order))
                    complain(plan ": " room " may include " below[i] ", which does not stand above it in the table")
                else if (part(below[i]) != part(room))
                    complain(plan ": " room " may include public headers and rooms of its own part, not " below[i])
                else if (floor[below[i]] >= floor[room])
                    floor[room] = floor[below[i]] + 1
            }
            if (floor[room] > top)
                top = floor[room]
        }
        if (top > most_floors)
            complain(plan ": the rooms stand on " top " floors, " most_floors " at most")
        while ((getline path < files) > 0) {
            exists[path] = 1
            home = folder(path)
            if (home in order)
                held[home]++
            else
                complain(path ": the folder " home " is no room of the table in " plan)
        }
        for (i = 1; i <= count; i++) {
            room = name[i]
            if (held[room] + 0 == 0)
                complain(plan ": the room " room " holds no file")
            if (held[room] > most_files)
                complain(room " holds " held[room] " files, " most_files " at most")
            if (shown[room] != "" && !(shown[room] in exists))
                complain(plan ": " room " shows " shown[room] ", which does not exist")
        }
    }
    {
        file = $1
        from = folder(file)
        path = $3
        # As the compiler finds it: beside the file first, then from the root.
        beside = from "/" path
        while (sub(/[^\/]+\/\.\.\//, "", beside))
            ;
        target = (beside in exists) ? beside : (path in exists) ? path : ""
        if (target == "")
            next
        to = folder(target)
        includes++
        if (to == from)
            next
        if (index(allowed[from], " " to " ") == 0)
            complain(file ":" $2 ": the room " from " may not include " to)
        else if (shown[to] != target)
            complain(file ":" $2 ": " to " shows " shown[to] " to other rooms, not " target)
        else
            used[from " " to] = 1
    }
    END {
        for (i = 1; i <= count; i++) {
            number = split(allowed[name[i]], below, " ")
            for (k = 1; k <= number; k++)
                if (!((name[i] " " below[k]) in used))
                    complain(plan ": " name[i] " is allowed to include " below[k] " but does not: take it out")
        }
        if (includes == 0)
            complain("no include was found: the check reads nothing")
        printf "%d rooms on %d floors, %d includes\n", count, top, includes
        exit bad > 0
    }' "$work/includes"
status=$?

if test -s "$work/long"; then
    cat "$work/long"
    status=1
fi

# A backend sees the headers for plugins alone.
grep '^backends/' "$work/files" | xargs grep -nE '^#[[:space:]]*include <trireme/' /dev/null |
    grep -vE '<trireme/(backend|backend_util|cpu_kernel)\.h>' >"$work/public" && {
    sed 's/$/   (a backend includes <trireme\/backend.h>, <trireme\/backend_util.h> and its own headers)/' "$work/public"
    status=1
}

# ------------------------------------------------------------------- files of the same role

awk -F'`' '/^## / { within = ($0 == "## Files of the same role") } within && /^\|.*`/ { print $2 }' "$plan" >"$work/roles"
awk -F/ -v plan="$plan" '
    NR == FNR {
        number++
        role[number] = $0
        next
    }
    $1 == "backends" && !(($2, $NF) in seen) {
        seen[$2, $NF] = 1
        count[$NF]++
    }
    END {
        for (i = 1; i <= number; i++)
            if (count[role[i]] + 0 < 2) {
                print plan ": a role\047s file is " role[i] ", but backends that have one: " count[role[i]] + 0
                bad = 1
            }
        exit bad
    }' "$work/roles" "$work/files" || status=1

# ------------------------------------------------------------------- paths in the documents
#
# Words that begin with a folder of ours. Words with capitals (NAME), patterns and generated files are left out: a program stands for
# its source, an object or a library for what it is made of.

generated='^(tools/trireme|shaders/[a-z_0-9]+\.(spv|c|so|cu|fatbin)|demo/[a-z.0-9]+|doc/results/.*|tests/bench/[a-z_0-9-]+|tests/cache.*|tests/conformance/conformance|tests/unit/[a-z/]+/tests(\.log)?|examples/[0-9a-z-]+)$'
for page in README.md CONTRIBUTING.md doc/*.md; do
    grep -noE '(^|[^[:alnum:]_./$<-])(base|compiler|core|pipeline|backends|include|shaders|kernels|tests|examples|tools|doc|demo|m4)/[[:alnum:]_./*<>{}$-]*' "$page" |
        sed -E "s|^([0-9]+):[^[:alnum:]]*|$page:\1 |; s|[.,:;-]+\$||"
done | while read -r place path; do
    case $path in
    *[A-Z*\<\>{}\$]* | *...*) continue ;;
    esac
    test -e "$path" || test -e "$path.c" || test -e "$path.cpp" && continue
    echo "$path" | grep -qE "$generated" && continue
    echo "$place: $path does not exist"
done | sort -u >"$work/paths"
if test -s "$work/paths"; then
    cat "$work/paths"
    status=1
fi

exit $status
