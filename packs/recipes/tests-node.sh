#!/bin/sh
#---
# name: Tests of package.json
# description: Runs the tests before a turn ends that changed code
# type: file
# pattern: "*.{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,svelte}"
# timeout: 600
#---
set -e
[ -f package.json ] || exit 0
if [ -f pnpm-lock.yaml ]; then pnpm test
elif [ -f yarn.lock ]; then yarn test
elif [ -f bun.lock ] || [ -f bun.lockb ]; then bun run test
else npm test --silent
fi
