#!/bin/sh
cat <<'END'
{ "suggested_abilities": [{ "id": "signup_e2e", "reason": "User asked to test signup flow end-to-end", "confidence": 0.84 }],
  "suggested_documents": [{ "path": "docs/signup.md", "reason": "how signup works" }],
  "new_intent": { "scope": "execution.quality_gates", "topic": "pre_commit_checks", "stage": "plan", "intent": "ensure_code_quality_before_commit" },
  "messages_to_user": ["You can use the signup_e2e workflow ability."] }
END
