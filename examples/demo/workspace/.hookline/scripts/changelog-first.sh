#!/bin/sh
# A Stop that is denied goes on: the reason is what the model reads next. It asks once, not for ever.
grep -q '"stop_hook_active":true' && exit 0
grep -q 'health' CHANGELOG.md && exit 0
echo "CHANGELOG.md does not mention the new endpoint yet. Add a line under Unreleased, then finish." >&2
exit 2
