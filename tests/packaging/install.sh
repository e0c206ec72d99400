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
for page in README.md CONTRIBUTING.md $(cd "$top_srcdir" && ls doc/*.md doc/results/*); do
    expect_file "$docdir/$page"
done
for example in "$top_srcdir"/examples/*.[ch] "$top_srcdir/examples/README.md"; do
    expect_file "$docdir/examples/$(basename "$example")"
done
# What a third party needs to write a backend, and to test it: nothing but the sources.
for file in "$top_srcdir"/backends/template/*.[ch] "$top_srcdir/backends/template/Makefile.example"; do
    expect_file "$templatedir/$(basename "$file")"
done
expect_file "$conformancedir/conformance.mk"

# Each link of an installed page leads to an installed file. So does each page or example that it names, also by a pattern, but for
# man pages, which are installed elsewhere.
links=$(cd "$stage$docdir" && for page in README.md CONTRIBUTING.md NEWS doc/*.md doc/results/*.md examples/*.md; do
    grep -o '](\(\.\./\)*[a-z][^):#]*)' "$page" | sed 's/^](//; s/)$//' | while read -r link; do
        test -e "$(dirname "$page")/$link" || echo "$page: $link"
    done
    grep -owE '(doc|examples)/[A-Za-z0-9_/*.-]*\.(md|html|svg|c|h|comp)|CONTRIBUTING\.md' "$page" | sort -u | while read -r name; do
        # shellcheck disable=SC2086 # a pattern
        ls $name >/dev/null 2>&1 || echo "$page: $name"
    done
done)
test -z "$links" || fail "installed pages name what is not installed: $links"

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
