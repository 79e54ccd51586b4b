#!/bin/sh
cat >> calls.jsonl
echo >> calls.jsonl
echo '{"usage_recorded": true}'
