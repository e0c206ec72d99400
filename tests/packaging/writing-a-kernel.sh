#!/bin/sh
# doc/writing-a-kernel.md is true.

page=$top_srcdir/doc/writing-a-kernel.md
. "$top_srcdir/tests/packaging/page"
