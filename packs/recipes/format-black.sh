#!/bin/sh
#---
# name: Format with Black
# description: Formats the files that a turn has changed
# type: file
# pattern: "*.py"
# timeout: 120
#---
set -e
[ -s "$HOOKLINE_CHANGED_FILES_0" ] || exit 0 # they were only deleted
xargs -0 black --quiet -- <"$HOOKLINE_CHANGED_FILES_0"
