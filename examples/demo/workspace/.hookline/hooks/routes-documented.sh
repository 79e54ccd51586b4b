#!/bin/sh
#---
# name: routes are documented
# type: file
# pattern: "src/*.js"
# description: After a turn, every route of the files that changed stands in docs/routes.md.
#---
set -e
routes=$(for file in $HOOKLINE_CHANGED_FILES; do
  sed -n "s/.*path === [\"']\([^\"']*\)[\"'].*/\1/p" "$file"
done)
echo "$routes" | while read -r route; do
  test -z "$route" || grep -qF "\`$route\`" docs/routes.md || { echo "$route is not in docs/routes.md"; exit 1; }
done
