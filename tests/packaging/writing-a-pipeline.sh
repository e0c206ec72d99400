#!/bin/sh
# The files and commands of doc/writing-a-pipeline.md work as the page says.

page=$top_srcdir/doc/writing-a-pipeline.md
. "$top_srcdir/tests/packaging/page"
