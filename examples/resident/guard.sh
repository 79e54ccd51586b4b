#!/usr/bin/env bash
# Blocks pushes. One process for all events of a project: a line of JSON in, a line of JSON out.
while IFS= read -r line; do
  id=${line#'{"id":"'} id=${id%%\"*}
  case $line in
    *'"tool_input":{"command":"'*'git push'*) printf '{"id":"%s","exit":2,"stderr":"a person pushes"}\n' "$id" ;;
    *) printf '{"id":"%s"}\n' "$id" ;;
  esac
done
