#!/bin/sh
#---
# name: Format with Biome
# description: Formats the files that a turn has changed
# type: file
# pattern: "*.{js,jsx,mjs,cjs,ts,tsx,mts,cts,css}"
# timeout: 120
#---
set -e
[ -s "$HOOKLINE_CHANGED_FILES_0" ] || exit 0 # they were only deleted
xargs -0 npx --no-install biome format --write --no-errors-on-unmatched -- <"$HOOKLINE_CHANGED_FILES_0"
