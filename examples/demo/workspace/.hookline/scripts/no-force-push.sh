#!/bin/sh
# Exit 2 blocks the call; what stands on standard error is the reason, and the model reads it.
if grep -Eq -- '--force|-f[ "]'; then
  echo "Force pushes rewrite what others have. Push without --force, or ask a person." >&2
  exit 2
fi
