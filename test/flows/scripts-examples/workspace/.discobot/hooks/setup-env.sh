#!/bin/bash
#---
# name: Setup environment
# type: session
#---
pnpm install
cp .env.example .env
