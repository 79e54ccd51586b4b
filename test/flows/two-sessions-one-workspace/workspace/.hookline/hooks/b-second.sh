#!/bin/sh
#---
# name: Hook-B
# type: file
# pattern: "*.txt"
#---
printf 'B %s\n' "$HOOKLINE_CHANGED_FILES" >>called.log
