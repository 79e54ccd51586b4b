#!/bin/sh
cat <<'END'
{
  "messages_to_user": [
    "This ability would write to production. In this environment, it is blocked."
  ],
  "error": "blocked_by_policy"
}
END
