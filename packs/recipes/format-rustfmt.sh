#!/bin/sh
#---
# name: Format with rustfmt
# description: Formats the files that a turn has changed
# type: file
# pattern: "*.rs"
# timeout: 120
#---
set -e
[ -f Cargo.toml ] || exit 0
cargo fmt
