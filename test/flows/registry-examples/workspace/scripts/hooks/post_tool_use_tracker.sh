#!/bin/sh
cat > call.json
mkdir -p .system/logs
echo "- one call" >> .system/logs/tool_call.md
cat <<'END'
{
  "logs": [
    {
      "level": "info",
      "message": "Logged code_review_agent usage to tool_call.md"
    }
  ],
  "usage_recorded": true,
  "update_matcher_suggestions": [
    {
      "ability_id": "code_review_agent",
      "signal": "frequent_usage",
      "weight": 0.7
    }
  ]
}
END
