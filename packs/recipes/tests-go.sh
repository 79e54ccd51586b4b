#!/bin/sh
#---
# name: Tests of Go
# description: Runs the tests before a turn ends that changed code
# type: file
# pattern: "*.go"
# timeout: 600
#---
set -e
[ -f go.mod ] || exit 0
go test ./...
