#!/bin/sh
# Context for the model, beside the failure that it sees anyway.
cat <<'JSON'
{
  "hookSpecificOutput": {
    "hookEventName": "PostToolUseFailure",
    "additionalContext": "One test alone: node --test --test-name-pattern='health' test/health.test.js"
  }
}
JSON
