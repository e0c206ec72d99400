#!/bin/sh
# doc/writing-a-pipeline.md is true.

page=$top_srcdir/doc/writing-a-pipeline.md
. "$top_srcdir/tests/packaging/page"
