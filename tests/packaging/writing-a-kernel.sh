#!/bin/sh
# The files and commands of doc/writing-a-kernel.md work as the page says.

page=$top_srcdir/doc/writing-a-kernel.md
. "$top_srcdir/tests/packaging/page"
