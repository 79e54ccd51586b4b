#!/bin/sh
#---
# name: Format with Ruff
# description: Formats the files that a turn has changed
# type: file
# pattern: "*.py"
# timeout: 120
#---
set -e
[ -s "$HOOKLINE_CHANGED_FILES_0" ] || exit 0 # they were only deleted
xargs -0 ruff format --quiet -- <"$HOOKLINE_CHANGED_FILES_0"
