#!/bin/sh
#---
# name: Hook-A
# type: file
# pattern: "*.txt"
#---
printf 'A %s\n' "$HOOKLINE_CHANGED_FILES" >>called.log
! grep -n wrong a.txt
