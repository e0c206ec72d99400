#!/bin/sh
# doc/writing-a-kernel.md is true: its files are written, its commands typed one after the other, with the installed package, and
# what is printed is what the page says.
#
# A block that begins with ```LANGUAGE NAME is a file. In a ```console block a line with "$ " is a command and what follows is
# what it prints, where a line of "…" stands for any lines and "…" within a line for any text. A command that is said to print
# nothing has to end well. Numbers of values in translated text (v65) may be others.

. "$top_srcdir/tests/packaging/staging"
need_the_cpu_backend
test -n "$PKG_CONFIG" || { echo "no pkg-config"; exit 77; }

umask 022
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/bin" "$work/desk" "$work/expected"
page=$top_srcdir/doc/writing-a-kernel.md

# tool NAME COMMAND: a command by the name that the page calls it, whatever it is here.
tool()
{
    name=$1
    # shellcheck disable=SC2086 # a command and its arguments
    set -- $2
    program=$(command -v "$1") || { echo "$1 was not found"; exit 77; }
    shift
    printf '#!/bin/sh\nexec %s "$@"\n' "$program $*" >"$work/bin/$name" && chmod 755 "$work/bin/$name"
}

tool cc "$CC"
tool pkg-config "$PKG_CONFIG --define-prefix"
PATH=$work/bin:$stage$bindir:$PATH
PKG_CONFIG_PATH=$stage$libdir/pkgconfig
LD_LIBRARY_PATH=$stage$libdir
export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH

printf '#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n' >"$work/nothing.comp"
if ! trireme kc -q --target cpu "$work/nothing.comp" 2>"$work/errors"; then
    cat "$work/errors"
    grep -qE "shaderc|C compiler" "$work/errors" || fail "compiling a shader that does nothing"
    exit 77
fi

# From the page to files, and a script of commands that keeps what each of them prints: command number N writes printed/N.
awk -v desk="$work/desk" -v expected="$work/expected" '
    /^```/ && inside { inside = file = ""; next }
    /^```console$/ { inside = "console"; next }
    /^```[a-z]+ [^ ]+$/ { inside = "file"; file = desk "/" $2; files++; next }
    /^```/ { inside = "other"; next }
    inside == "file" { print >file }
    inside == "console" && /^\$ / {
        number++
        printf "{ %s\n} >\"$printed/%d\" 2>&1\n", substr($0, 3), number
        printf "echo $? >\"$printed/%d.status\"\n", number
        print substr($0, 3) >(expected "/" number ".command")
        printf "" >(expected "/" number)
        next
    }
    inside == "console" { print >(expected "/" number) }
    END { if (!number || !files || inside) exit 1 }
' "$page" >"$work/commands" || fail "the page has no files, no commands, or a block that does not end"

cd "$work/desk" || exit 1
mkdir "$work/printed"
printed=$work/printed sh "$work/commands" || fail "the commands"

# Every line of the page in order; "…" alone lets lines pass until the next one of the page fits.
matches()
{
    awk -v page="$1" '
        function fits(line, wanted, parts, count, i, at) {
            gsub(/v[0-9]+/, "v", line)
            gsub(/v[0-9]+/, "v", wanted)
            count = split(wanted, parts, "…")
            if (count == 1)
                return line == wanted
            if (substr(line, 1, length(parts[1])) != parts[1])
                return 0
            line = substr(line, length(parts[1]) + 1)
            for (i = 2; i < count; i++) {
                at = index(line, parts[i])
                if (!at)
                    return 0
                line = substr(line, at + length(parts[i]))
            }
            return length(line) >= length(parts[count]) && substr(line, length(line) - length(parts[count]) + 1) == parts[count]
        }
        BEGIN {
            while ((getline line <page) > 0)
                wanted[++count] = line
            at = 1
        }
        {
            while (at <= count && wanted[at] == "…") {
                loose = 1
                at++
            }
            if (at <= count && fits($0, wanted[at])) {
                at++
                loose = 0
            } else if (!loose) {
                wrong = 1
                exit
            }
        }
        END {
            while (at <= count && wanted[at] == "…")
                at++
            exit wrong || at <= count
        }
    ' "$2"
}

failures=0
for command in "$work"/expected/*.command; do
    number=$(basename "$command" .command)
    if test -s "$work/expected/$number"; then
        matches "$work/expected/$number" "$work/printed/$number" && continue
    else
        test ! -s "$work/printed/$number" && test "$(cat "$work/printed/$number.status")" -eq 0 && continue
    fi
    failures=$((failures + 1))
    echo "FAILED: \$ $(cat "$command")"
    sed 's/^/    page:    /' "$work/expected/$number"
    sed 's/^/    printed: /' "$work/printed/$number" | tail -n 40
done
test "$failures" -eq 0
