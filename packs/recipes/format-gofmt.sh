#!/bin/sh
#---
# name: Format with gofmt
# description: Formats the files that a turn has changed
# type: file
# pattern: "*.go"
# timeout: 120
#---
set -e
[ -s "$HOOKLINE_CHANGED_FILES_0" ] || exit 0 # they were only deleted
xargs -0 gofmt -w -- <"$HOOKLINE_CHANGED_FILES_0"
