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
