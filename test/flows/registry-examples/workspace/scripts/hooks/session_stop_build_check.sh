#!/bin/sh
cat > stop.json
cat <<'END'
{
  "messages_to_user": [
    "I ran `npm run build:billing` for the modified billing service.",
    "The build failed: TypeScript error in services/billing/src/invoice.ts:123.",
    "Recommend fixing the error before merging."
  ],
  "follow_up_actions": [
    {
      "kind": "open_file",
      "path": "services/billing/src/invoice.ts"
    }
  ]
}
END
