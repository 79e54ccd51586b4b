#!/bin/sh
# Nobody waits for this one: it runs in the background.
file=$(sed -n 's/.*"file_path":"\([^"]*\)".*/\1/p')
echo "$(date +%H:%M:%S) $file" >>"$HOOKLINE_PROJECT_DIR/.hookline/journal.log"
