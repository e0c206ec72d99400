#!/bin/sh
# `make install DESTDIR=…` installs only below DESTDIR and the prefix, and the installed programs run from
# there.

. "$top_srcdir/tests/packaging/staging"

rm -rf "$stage"
umask 022
make_quietly install DESTDIR="$stage" >/dev/null || fail "make install"

expect_file()
{
    test -s "$stage$1" || fail "$1 was not installed"
}

expect_file "$bindir/trireme"
expect_file "$libdir/libtrireme.so"
expect_file "$libdir/libtrireme.so.0"
expect_file "$libdir/pkgconfig/trireme.pc"
expect_file "$pkglibdir/supervise"
for header in $PUBLIC_HEADERS; do
    expect_file "$includedir/trireme/$(basename "$header")"
done
for backend in $BACKENDS; do
    expect_file "$backendsdir/$(basename "$backend" .la).so"
    test ! -e "$stage$backendsdir/$(basename "$backend")" || fail "$backend was installed"
done
for shader in "$top_srcdir"/shaders/*.comp; do
    expect_file "$pkglibdir/kernels/$(basename "$shader" .comp).spv"
    expect_file "$pkglibdir/kernels/$(basename "$shader" .comp).help"
done
for page in README.md doc/architecture.md doc/conformance.md doc/writing-a-backend.md doc/writing-a-kernel.md \
    doc/writing-a-pipeline.md; do
    expect_file "$docdir/$page"
done
for example in "$top_srcdir"/examples/*.[ch] "$top_srcdir/examples/README.md"; do
    expect_file "$docdir/examples/$(basename "$example")"
done
# Each link of an installed page leads to an installed file; so does each guide that the README names.
links=$(cd "$stage$docdir" && for page in README.md doc/*.md examples/*.md; do
    grep -o '](\(\.\./\)*[a-z][^):#]*)' "$page" | sed 's/^](//; s/)$//' | while read -r link; do
        test -e "$(dirname "$page")/$link" || echo "$page: $link"
    done
done
grep -o '`doc/[a-z-]*\.md`' README.md | tr -d '`' | while read -r link; do
    test -e "$link" || echo "README.md: $link"
done)
test -z "$links" || fail "links that lead nowhere: $links"

for page in $MAN_PAGES; do
    expect_file "$mandir/man${page##*.}/$(basename "$page")"
done

test ! -e "$stage$backendsdir/template.so" || fail "the template backend was installed"
outside=$(find "$stage" ! -type d ! -path "$stage$prefix/*")
test -z "$outside" || fail "installed outside of $prefix:" $outside

need_the_cpu_backend
json=$("$stage$bindir/trireme" info --json) || fail "trireme info --json"
expect_backend "$stage$prefix" "$json"

# The code of each kernel, and of each variant in the list, is beside the kernel.
for shader in "$top_srcdir"/shaders/*.comp; do
    expect_file "$pkglibdir/kernels/$(basename "$shader" .comp).so"
done
variants=$(sed 's/#.*//; /[^ ]/!d' "$top_srcdir/shaders/variants.txt" | wc -l)
found=$(find "$stage$pkglibdir/kernels" -name '*=*.so' | wc -l)
test "$found" -eq "$variants" || fail "the list names $variants variants, but $found were installed"
expect_kernels "$stage$prefix" "$stage$bindir/trireme"
