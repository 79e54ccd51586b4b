#!/bin/sh
#---
# name: Tests of the Makefile
# description: Runs the tests before a turn ends that changed code
# type: file
# pattern: "*.{c,h,cc,cpp,hpp,rs,go,py,rb,js,ts,sh}"
# timeout: 600
#---
set -e
[ -f Makefile ] || exit 0
make test
