#!/bin/bash
#---
# name: Type check
# type: pre-commit
#---
pnpm typecheck
