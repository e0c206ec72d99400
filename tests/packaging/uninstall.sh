#!/bin/sh
# `make uninstall` removes every file that `make install` installed.

. "$top_srcdir/tests/packaging/staging"

test -e "$stage$libdir/libtrireme.so" || fail "nothing is installed at $stage"
make_quietly uninstall DESTDIR="$stage" >/dev/null || fail "make uninstall"
left=$(find "$stage" ! -type d)
test -z "$left" || fail "left behind:" $left
test ! -d "$stage$pkglibdir" || fail "left behind: $pkglibdir"
rm -rf "$stage"
