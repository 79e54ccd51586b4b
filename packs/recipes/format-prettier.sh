#!/bin/sh
#---
# name: Format with Prettier
# description: Formats the files that a turn has changed
# type: file
# pattern: "*.{js,jsx,mjs,cjs,ts,tsx,mts,cts,css,scss,less,html,vue,svelte}"
# timeout: 120
#---
set -e
[ -s "$HOOKLINE_CHANGED_FILES_0" ] || exit 0 # they were only deleted
xargs -0 npx --no-install prettier --write --ignore-unknown --log-level warn -- <"$HOOKLINE_CHANGED_FILES_0"
