#!/bin/sh
# Plain text on standard output becomes context when a session starts.
echo "shop-api: routes live in src/server.js, each needs a test in test/. Mention user-visible changes in CHANGELOG.md."
