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
# A person's yes, as a machine says it: with the hash of what was looked at.
trust() {
  local hash
  hash=$(hookline trust list --json --cwd "$1" | node -e 'console.log(JSON.parse(require("fs").readFileSync(0, "utf8"))[0].hash)')
  expect 0 hookline trust "$1" --hash "$hash"
}
passed=0

mkdir -p "$HOME" "$scratch/project/.claude/" "$scratch/project/deep/er"
cat >"$scratch/project/.claude/settings.json" <<'JSON'
{ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "echo 'not in this house' >&2; exit 2" }] }] } }
JSON
data='{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}'
cd "$scratch/project/deep/er"
expect 0 hookline emit PreToolUse --data "$data" --json
holds '"reason":"its folder is not trusted'
expect 1 hookline trust
trust "$scratch/project"
expect 1 hookline emit PreToolUse --data "$data" --json
holds '"verdict":\{"is":"deny","reason":"not in this house'
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

mkdir -p "$scratch/rules/.hookline/rules"
cat >"$scratch/rules/.hookline/rules/house.yaml" <<'YAML'
hooks:
  - id: lint_after_write
    "on": tool_end
    condition:
      type: tool_name
      match: "filesystem.write"
    action:
      type: lsp_diagnose
      path_field: tool.params.path
      publish: true
      inject_result: true
  - id: suspicious
    on: tool_end
    condition:
      type: any_of
      conditions:
        - type: all_of
          conditions:
            - { type: tool_name, match: "shell.bash" }
            - { type: content_contains, keyword: "rm -rf" }
        - type: tool_failed
    action: { type: notify, level: error, message: "Suspicious or failed tool call: {{tool.name}}" }
YAML
echo 'count: int = "one"' >"$scratch/rules/count.py"
cd "$clone"
trust "$scratch/rules"
expect 0 npx hookline check --cwd "$scratch/rules"
holds '2 hooks in 1 file: 0 errors, 0 warnings'
expect 0 npx hookline emit tool_end --cwd "$scratch/rules" --json --data \
  '{"tool_name":"filesystem.write","tool_input":{"path":"count.py"},"tool_response":{"ok":true}}'
holds '"updatedOutput":\{"ok":true,"diagnostics":\[\{"line":1'
expect 0 npx hookline emit tool_end --cwd "$scratch/rules" --json --data \
  '{"tool_name":"shell.bash","tool_input":{"command":"rm -rf build"}}'
holds 'Suspicious or failed tool call: shell.bash'
COLUMNS=200 expect 0 npx hookline explain tool_end --cwd "$scratch/rules" --data '{"tool_name":"shell.bash","tool_input":{"command":"ls"}}'
holds 'the tool is shell.bash, and the pattern is filesystem.write'
holds 'rm -rf'
expect 0 hookline schema rules
holds '"lsp_diagnose"'
printf 'hooks:\n  - id: x\n    on: tool_ende\n    condition: { type: always }\n    action: { type: log, message: x }\n' >"$scratch/rules/.hookline/rules/wrong.yaml"
expect 1 hookline check --cwd "$scratch/rules"
holds 'wrong.yaml:3:9 error unknown-event .*did you mean "tool_end"'

# Workspace scripts: after a turn, by hand, and before a commit, also in a linked worktree.
mkdir -p "$scratch/scripts/.hookline/hooks" "$scratch/scripts/.system/hooks"
cd "$scratch/scripts"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org
printf '#!/bin/sh\n#---\n# name: No marks\n# type: file\n# pattern: "*.txt"\n#---\n! xargs -0 grep -n XXX <"$HOOKLINE_CHANGED_FILES_0"\n' >.hookline/hooks/no-marks.sh
printf '#!/bin/sh\n#---\n# type: pre-commit\n#---\n! git diff --cached | grep -n XXX\n' >.hookline/hooks/commit-check.sh
printf 'id: stop\nevent_type: SessionStop\nhandler: { kind: script, command: "cat >stop.json; echo {}" }\n' >.system/hooks/stop.yaml
chmod +x .hookline/hooks/*
expect 0 git init --quiet
trust "$scratch/scripts"
expect 0 hookline check
holds '3 hooks in 3 files: 0 errors, 0 warnings'
expect 0 hookline register
holds '"SessionStop"'
expect 0 git add --all
expect 0 git commit --quiet --message start
echo XXX >"a b.txt"
stop='{"session_id":"s1","cwd":"'"$PWD"'","hook_event_name":"Stop","stop_hook_active":false}'
expect 0 hookline hook claude-code <<<"$stop"
holds '\[Hookline Hook Failed\] \\"No marks\\" \(pattern: \*\.txt\)'
expect 1 hookline run no-marks.sh
expect 0 hookline pause no-marks.sh
expect 0 hookline resume no-marks.sh
expect 0 hookline git install
expect 1 sh -c 'git add --all && git commit --quiet --message marks'
expect 0 git worktree add --quiet ../linked
expect 1 sh -c 'cd ../linked && echo XXX >c.txt && git add --all && git commit --quiet --message marks'
echo fine >"a b.txt"
expect 0 hookline hook claude-code <<<"$stop"
[ ! -s "$scratch/out" ] || { echo "the turn was held open"; exit 1; }
expect 0 sh -c 'git add --all && git commit --quiet --message fine'
expect 0 hookline git uninstall
[ ! -e .git/hooks/pre-commit ] || { echo "uninstall left the git hook"; exit 1; }
expect 0 hookline emit SessionStop --data '{"changed_files":["a b.txt"]}'
grep -q '"event_type":"SessionStop"' stop.json || { echo "the stop hook was not told"; exit 1; }
echo "$passed passed, 0 failed"
