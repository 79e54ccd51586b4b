#!/bin/sh
cat > prompt.json
cat <<'END'
{
  "suggested_abilities": [
    {
      "id": "billing_regression",
      "reason": "Matches 'billing regression tests' and regression workflow scope",
      "confidence": 0.9
    }
  ],
  "messages_to_user": [
    "You can run the billing regression workflow ability to execute the full suite."
  ]
}
END
