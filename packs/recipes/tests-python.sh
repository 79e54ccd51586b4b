#!/bin/sh
#---
# name: Tests of pytest
# description: Runs the tests before a turn ends that changed code
# type: file
# pattern: "*.py"
# timeout: 600
#---
set -e
status=0
if [ -f uv.lock ]; then uv run pytest -q || status=$?
elif [ -f poetry.lock ]; then poetry run pytest -q || status=$?
else python3 -m pytest -q || status=$?
fi
[ "$status" -eq 5 ] || exit "$status" # 5: there are no tests
