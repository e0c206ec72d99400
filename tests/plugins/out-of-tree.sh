#!/bin/sh
# The ten steps of doc/writing-a-backend.md work: the commands are taken from the document and run one after
# the other, with the installed package, pkg-config, make and a C compiler.

. "$top_srcdir/tests/packaging/staging"
test -n "$PKG_CONFIG" || { echo "no pkg-config"; exit 77; }

umask 022
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
stage=$work/stage
make_quietly install DESTDIR="$stage" >/dev/null || fail "make install"

# tool NAME COMMAND: the commands by the names that the document calls them, whatever they are here.
tool()
{
    name=$1
    # shellcheck disable=SC2086 # a command and its arguments
    set -- $2
    program=$(command -v "$1") || fail "$1 was not found"
    shift
    printf '#!/bin/sh\nexec %s "$@"\n' "$program $*" >"$work/bin/$name" && chmod 755 "$work/bin/$name"
}

mkdir "$work/bin" "$work/desk"
# A plugin with a sanitizer would have undefined symbols, which the document's command refuses.
tool plugin-cc "$CC"
tool program-cc "$PROGRAM_CC"
cat >"$work/bin/cc" <<END
#!/bin/sh
case " \$* " in
*" -shared "*) exec plugin-cc "\$@" ;;
*) exec program-cc "\$@" ;;
esac
END
chmod 755 "$work/bin/cc"
tool make "$MAKE"
tool pkg-config "$PKG_CONFIG --define-prefix"

for step in 1 2 3 4 5 6 7 8 9 10; do
    sed -n "/^## $step\. /,/^## /p" "$top_srcdir/doc/writing-a-backend.md" |
        sed -n '/^```sh$/,/^```$/p' | grep -v '^```' >"$work/step-$step"
    test -s "$work/step-$step" || fail "step $step has no commands"
    printf 'echo "---- step %s"\n' "$step" >>"$work/all"
    cat "$work/step-$step" >>"$work/all"
done

cd "$work/desk" || exit 1
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u DESTDIR \
    PATH="$work/bin:$stage$bindir:$PATH" \
    PKG_CONFIG_PATH="$stage$libdir/pkgconfig" \
    LD_LIBRARY_PATH="$stage$libdir" \
    sh -e "$work/all" || fail "the steps of doc/writing-a-backend.md"

# The last step installed it: it lies beside the others.
test -f "$stage$backendsdir/mine.so" || fail "mine.so was not installed"
