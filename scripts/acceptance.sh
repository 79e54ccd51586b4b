#!/usr/bin/env bash
# The command line as a stranger uses it: by the clone's bin, from any folder, with the Node that is on the PATH.
set -eu
clone=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch/home" XDG_STATE_HOME="$scratch/state"
# The machine's own Node, not the one that npm scripts put first.
PATH=$(tr ':' '\n' <<<"$PATH" | grep -v 'node_modules/.bin' | paste -sd:)
hookline() { node "$clone/bin/hookline.js" "$@"; }
expect() { # wanted exit code, command …
  local wanted=$1 code=0
  shift
  "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  if [ "$code" -eq "$wanted" ]; then
    passed=$((passed + 1))
    return
  fi
  echo "exit $code instead of $wanted: $*" && cat "$scratch/out" "$scratch/err"
  exit 1
}
holds() {
  grep -Eq -- "$1" "$scratch/out" || { echo "no match for $1 in:"; cat "$scratch/out"; exit 1; }
  passed=$((passed + 1))
}
passed=0

mkdir -p "$HOME" "$scratch/project/.claude/" "$scratch/project/deep/er"
cat >"$scratch/project/.claude/settings.json" <<'JSON'
{ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "echo 'not in this house' >&2; exit 2" }] }] } }
JSON
data='{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}'
cd "$scratch/project/deep/er"
expect 1 hookline emit PreToolUse --data "$data" --json
holds '"verdict":\{"is":"deny","reason":"not in this house"'
expect 0 hookline explain PreToolUse --data "$data" --json
holds '"would":"run"'
expect 0 hookline list --json
holds '"layer":"project"'
expect 0 hookline check
expect 0 hookline why last
holds 'not in this house'
expect 0 hookline runs --json
holds '"status":"completed"'
expect 0 hookline status
cd "$clone"
expect 1 npx hookline emit PreToolUse --cwd "$scratch/project" --data "$data" --json
holds 'not in this house'
expect 0 npx hookline check
expect 0 hookline install claude-code
expect 0 hookline uninstall claude-code
[ ! -e "$HOME/.claude/settings.json" ] || { echo "uninstall left a file"; exit 1; }
echo "$passed passed, 0 failed"
