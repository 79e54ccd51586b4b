#!/bin/sh
# A rewritten input: the tool runs this instead.
cat <<'JSON'
{
  "hookSpecificOutput": {
    "hookEventName": "PreToolUse",
    "updatedInput": { "command": "npm test -- --test-reporter=dot", "description": "Run the tests" }
  }
}
JSON
