#!/bin/sh
#---
# name: no stray blanks
# type: pre-commit
#---
git diff --cached --check
