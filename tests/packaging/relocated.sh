#!/bin/sh
# An installed tree may be moved: the program finds the library, and the library finds its backends, in the
# new place.

. "$top_srcdir/tests/packaging/staging"
need_the_cpu_backend
need_the_installation

moved="$stage/moved elsewhere"
bindir_in_prefix=${bindir#"$prefix"}

umask 022
rm -rf "$moved"
trap 'rm -rf "$moved"' EXIT
cp -a "$stage$prefix" "$moved" || fail "copying the installed tree"
json=$("$moved$bindir_in_prefix/trireme" info --json) || fail "trireme info --json"
expect_backend "$moved" "$json"
expect_kernels "$moved" "$moved$bindir_in_prefix/trireme"

# pkg-config finds the moved headers without --define-prefix. In /usr, and with libraries elsewhere, trireme.pc is absolute.
case $prefix:$libdir in
/usr:*) exit 0 ;;
"$prefix:$prefix"/*) ;;
*) exit 0 ;;
esac
ln -s "$moved" "$stage/moved"
trap 'rm -rf "$moved" "$stage/moved"' EXIT
told=$(PKG_CONFIG_PATH="$stage/moved${libdir#"$prefix"}/pkgconfig" "$PKG_CONFIG" --variable=includedir trireme) ||
    fail "pkg-config --variable=includedir"
test "$told/trireme" -ef "$moved${includedir#"$prefix"}/trireme" || fail "pkg-config says $told"
