#!/bin/sh
#---
# name: Tests of Cargo
# description: Runs the tests before a turn ends that changed code
# type: file
# pattern: "*.rs"
# timeout: 600
#---
set -e
[ -f Cargo.toml ] || exit 0
cargo test --quiet
