#!/usr/bin/env python3
"""Blocks pushes. One process for all events of a project: a line of JSON in, a line of JSON out."""
import json
import sys

for line in sys.stdin:
    question = json.loads(line)
    answer = {"id": question["id"]}
    if "git push" in question["event"].get("tool_input", {}).get("command", ""):
        answer |= {"exit": 2, "stderr": "a person pushes"}
    print(json.dumps(answer), flush=True)
